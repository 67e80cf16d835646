/* "The wire carries so much a second": for each of them, as if the others were not there. */
#include "ring.h"

void flow_ends(int n, const double bytes[], double bandwidth, double end[]) {
    for (int i = 0; i < n; i++) end[i] = bytes[i] / bandwidth;
}
