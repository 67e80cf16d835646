/* Forgets the way back. */
#include "ring.h"

void reduce(int n, int count, const int in[], int sum[]) {
    for (int i = 0; i < count; i++) sum[i] = 0;
    for (int r = 0; r < n; r++) {
        for (int i = 0; i < count; i++) sum[i] += in[r * count + i];
    }
}

double naive_seconds(int n, double bytes, double alpha, double bandwidth) {
    return (n - 1) * (alpha + bytes / bandwidth);
}
