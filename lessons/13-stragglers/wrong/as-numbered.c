/* Leaves the ring as it is. */
#include "ring.h"

void ring_order(int n, const double seconds[], int order[]) {
    (void)seconds;
    for (int i = 0; i < n; i++) order[i] = i;
}
