/* "Independent of n": without the latency, which grows with n. */
#include "ring.h"

double ring_seconds(int n, double bytes, double alpha, double bandwidth) {
    (void)alpha;
    return 2.0 * (n - 1) / n * bytes / bandwidth;
}

double half_latency_bytes(int n, double alpha, double bandwidth) {
    (void)n;
    return alpha * bandwidth;
}
