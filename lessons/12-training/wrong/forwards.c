/* Fills buckets from the first layer on: its gradient comes last. */
#include "ring.h"

int make_buckets(int n, const int bytes[], int first, int limit, int bucket[]) {
    int now = 0, held = 0;
    for (int i = 0; i < n; i++) {
        bucket[i] = now;
        held += bytes[i];
        if (held < (now == 0 ? first : limit)) continue;
        now++;
        held = 0;
    }
    return bucket[n - 1] + 1;
}

double exchange_end(int n, const double ready[], const double seconds[]) {
    double end = 0;
    for (int b = 0; b < n; b++) end = (end > ready[b] ? end : ready[b]) + seconds[b];
    return end;
}
