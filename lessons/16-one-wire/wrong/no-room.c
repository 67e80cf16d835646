/* An n-th of the wire until the end: whoever is through leaves no room. */
#include "ring.h"

void flow_ends(int n, const double bytes[], double bandwidth, double end[]) {
    for (int i = 0; i < n; i++) end[i] = n * bytes[i] / bandwidth;
}
