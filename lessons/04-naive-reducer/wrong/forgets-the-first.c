/* Begins with array 1, and thinks that all messages fly at once. */
#include "ring.h"

void reduce(int n, int count, const int in[], int sum[]) {
    for (int i = 0; i < count; i++) sum[i] = 0;
    for (int r = 1; r < n; r++) {
        for (int i = 0; i < count; i++) sum[i] += in[r * count + i];
    }
}

double naive_seconds(int n, double bytes, double alpha, double bandwidth) {
    (void)n;
    return 2 * (alpha + bytes / bandwidth);
}
