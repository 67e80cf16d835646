/* A queue: one whole flow after the other. */
#include "ring.h"

void flow_ends(int n, const double bytes[], double bandwidth, double end[]) {
    double now = 0;
    for (int i = 0; i < n; i++) end[i] = now += bytes[i] / bandwidth;
}
