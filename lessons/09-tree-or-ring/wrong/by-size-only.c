/* One threshold for all machines. */
#include "ring.h"

int choose(int n, double bytes, double alpha, double bandwidth) {
    (void)n, (void)alpha, (void)bandwidth;
    return bytes > 1 << 20;
}
