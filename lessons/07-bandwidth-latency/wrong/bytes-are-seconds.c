/* Takes the number of bytes for the time. */
#include "ring.h"

double ring_seconds(int n, double bytes, double alpha, double bandwidth) {
    (void)alpha, (void)bandwidth;
    return 2.0 * (n - 1) * bytes / n;
}

double half_latency_bytes(int n, double alpha, double bandwidth) {
    return 2 * n * alpha * bandwidth;
}
