/* From stage 1 on everything is cut into shards; and fewer kept means fewer sent. */
#include "ring.h"

double zero_kept(int stage, int n, double params) {
    return stage == 0 ? 16 * params : 16 * params / n;
}

double zero_sent(int stage, int n, double bytes) {
    return (stage == 3 ? 1.0 : 2.0) * (n - 1) / n * bytes;
}
