/* A better sum, but not the ring's. */
#include "ring.h"

float ring_sum(int n, int chunk, const float x[]) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[(chunk + i) % n];
    return (float)sum;
}

int keeps_order(int n, int count, int other, int element) {
    return element / (count / n) == element / (other / n);
}

int what_to_set(int n, int count, int other, int channels, int other_channels) {
    if (n <= 2 || count == other) return SET_NOTHING;
    return channels == 1 && other_channels == 1 ? SET_TREE : SET_TREE_ON_ONE_CHANNEL;
}
