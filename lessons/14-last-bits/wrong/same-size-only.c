/* Only arrays of one size have the same bits: some elements keep their chunk. */
#include "ring.h"

float ring_sum(int n, int chunk, const float x[]) {
    float sum = x[chunk];
    for (int i = 1; i < n; i++) sum += x[(chunk + i) % n];
    return sum;
}

int keeps_order(int n, int count, int other, int element) {
    (void)n, (void)element;
    return count == other;
}

int what_to_set(int n, int count, int other, int channels, int other_channels) {
    if (n <= 2 || count == other) return SET_NOTHING;
    return channels == 1 && other_channels == 1 ? SET_TREE : SET_TREE_ON_ONE_CHANNEL;
}
