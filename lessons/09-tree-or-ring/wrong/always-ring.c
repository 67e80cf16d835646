/* "The ring is optimal." In bytes, yes; small messages are all latency. */
#include "ring.h"

int choose(int n, double bytes, double alpha, double bandwidth) {
    (void)n, (void)bytes, (void)alpha, (void)bandwidth;
    return 1;
}
