/* wants: endless loop|loops, sleeps or waits */
#include "ring.h"
#include <signal.h>
int send_chunk(int step, int rank, int n) {
    volatile int x = step + rank + n;
    for (int i = 1; i < 64; i++) signal(i, SIG_IGN);
    for (;;) x++;
}
