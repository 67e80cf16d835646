/* wants: endless loop|loops, sleeps or waits */
#include "ring.h"
int send_chunk(int step, int rank, int n) {
    volatile int x = step + rank + n;
    for (;;) x++;
}
