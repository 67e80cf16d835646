/* wants: loops, sleeps or waits */
#include "ring.h"
#include <unistd.h>
int send_chunk(int step, int rank, int n) {
    sleep(1000);
    return ((rank - step) % n + n) % n;
}
