/* Closes a bucket before the layer that would fill it: a layer larger than the limit finds none. */
#include "ring.h"

int make_buckets(int n, const int bytes[], int first, int limit, int bucket[]) {
    int now = 0, held = 0;
    for (int i = n - 1; i >= 0; i--) {
        if (held > 0 && held + bytes[i] > (now == 0 ? first : limit)) {
            now++;
            held = 0;
        }
        bucket[i] = now;
        held += bytes[i];
    }
    return bucket[0] + 1;
}

double exchange_end(int n, const double ready[], const double seconds[]) {
    double end = 0;
    for (int b = 0; b < n; b++) end = (end > ready[b] ? end : ready[b]) + seconds[b];
    return end;
}
