/* wants: divided by zero */
#include "ring.h"
int send_chunk(int step, int rank, int n) {
    volatile int zero = 0;
    return (step + rank + n) / zero;
}
