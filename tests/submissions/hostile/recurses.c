/* wants: too deep a recursion */
#include "ring.h"
int send_chunk(int step, int rank, int n) {
    volatile char big[100000];
    big[step % 10] = 1;
    return send_chunk(step + 1, rank, n) + big[0];
}
