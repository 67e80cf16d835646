/* Begins with rank 0 in every chunk. */
#include "ring.h"

float ring_sum(int n, int chunk, const float x[]) {
    float sum = x[0];
    (void)chunk;
    for (int r = 1; r < n; r++) sum += x[r];
    return sum;
}

int keeps_order(int n, int count, int other, int element) {
    return element / (count / n) == element / (other / n);
}

int what_to_set(int n, int count, int other, int channels, int other_channels) {
    if (n <= 2 || count == other) return SET_NOTHING;
    return channels == 1 && other_channels == 1 ? SET_TREE : SET_TREE_ON_ONE_CHANNEL;
}
