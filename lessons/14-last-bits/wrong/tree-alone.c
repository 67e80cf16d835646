/* Pins the tree and leaves the channels, each of which has another one. */
#include "ring.h"

float ring_sum(int n, int chunk, const float x[]) {
    float sum = x[chunk];
    for (int i = 1; i < n; i++) sum += x[(chunk + i) % n];
    return sum;
}

int keeps_order(int n, int count, int other, int element) {
    return element / (count / n) == element / (other / n);
}

int what_to_set(int n, int count, int other, int channels, int other_channels) {
    (void)channels, (void)other_channels;
    return n <= 2 || count == other ? SET_NOTHING : SET_TREE;
}
