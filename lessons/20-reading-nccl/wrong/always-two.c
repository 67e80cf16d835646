/* Takes the least latency, which is that of a way that is off, and has an all-reduce's factor for everything. */
#include "ring.h"

int choose_way(int n, const double latency_us[], const double GBps[], double bytes) {
    int best = 0;
    (void)GBps, (void)bytes;
    for (int i = 1; i < n; i++) {
        if (latency_us[i] < latency_us[best]) best = i;
    }
    return best;
}
double bus_factor(int collective, int n) {
    (void)collective;
    return 2.0 * (n - 1) / n;
}
