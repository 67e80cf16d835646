/* Adds all all-reduces behind the last bucket: nothing overlaps. */
#include "ring.h"

int make_buckets(int n, const int bytes[], int first, int limit, int bucket[]) {
    int now = 0, held = 0;
    for (int i = n - 1; i >= 0; i--) {
        bucket[i] = now;
        held += bytes[i];
        if (held < (now == 0 ? first : limit)) continue;
        now++;
        held = 0;
    }
    return bucket[0] + 1;
}

double exchange_end(int n, const double ready[], const double seconds[]) {
    double end = ready[n - 1];
    for (int b = 0; b < n; b++) end += seconds[b];
    return end;
}
