/* A worked example: one reducer, in the form in which a schedule is written.
 *
 * GPU 0 gets everybody's array, one after the other, and adds; then it sends the sum back to each. Watch
 * it, and see how little of it happens at once:
 *
 *     ringsim --algo example.c --gpus 5 --step
 *     ringsim grade 05 example.c         gets 17 of 20: every sum is right, for twice the bytes
 */
#include "ring.h"

/* How many pieces? One: whole arrays travel. */
int chunks(int n) {
    (void)n;
    return 1;
}

int sends(int step, int rank, int n, rs_send out[]) {
    /* Which half are we in? First n - 1 steps towards GPU 0, then n - 1 steps back. */
    const int back = step >= n - 1;
    /* Whose turn is it? GPU 1, 2, ..., n - 1, each once in each half. */
    const int other = 1 + step % (n - 1);
    /* Is this rank the sender of the step? All others send nothing. */
    if (rank != (back ? 0 : other)) return 0;
    /* What does it send, and does the receiver add or overwrite? */
    out[0].to = back ? other : 0;
    out[0].chunk = 0;
    out[0].chunks = 1;
    out[0].copy = back;
    return 1;
}
