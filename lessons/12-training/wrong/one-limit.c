/* Gives the first bucket no limit of its own: the exchange begins late. */
#include "ring.h"

int make_buckets(int n, const int bytes[], int first, int limit, int bucket[]) {
    int now = 0, held = 0;
    (void)first;
    for (int i = n - 1; i >= 0; i--) {
        bucket[i] = now;
        held += bytes[i];
        if (held < limit) continue;
        now++;
        held = 0;
    }
    return bucket[0] + 1;
}

double exchange_end(int n, const double ready[], const double seconds[]) {
    double end = 0;
    for (int b = 0; b < n; b++) end = (end > ready[b] ? end : ready[b]) + seconds[b];
    return end;
}
