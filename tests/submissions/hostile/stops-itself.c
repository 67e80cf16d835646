/* wants: loops, sleeps or waits */
#include "ring.h"
#include <signal.h>
int send_chunk(int step, int rank, int n) {
    raise(SIGSTOP);
    return 0 * (step + rank + n);
}
