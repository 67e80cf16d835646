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
