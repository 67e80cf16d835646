/* Exercise of lesson 5: which chunk do I send now?
 *
 * n GPUs stand in a ring, each has cut its array into n chunks. In every step 0 .. n-2 each sends one chunk
 * to rank + 1, which adds it. After the last step every chunk must be complete on some GPU.
 *
 *     ringsim --algo exercise.c --gpus 5 --step       to watch it: with the steps of lesson 6, up to 2n - 3, so the
 *                                                     chunk must be in 0 .. n-1 in those, too
 *     ringsim grade 05 exercise.c
 */
#include "ring.h"

int send_chunk(int step, int rank, int n) {
    /* SKELETON: (void)step, (void)n; */
    /* SKELETON: return rank; */
    /* BEGIN SOLUTION */
    return ((rank - step) % n + n) % n;
    /* END SOLUTION */
}
