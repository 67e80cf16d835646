/* Leaves out the bucket that is not ready, and sends those behind it: a bucket never overtakes another. */
#include "ring.h"

int buckets_sent(int n, const int bucket[], const int used[]) {
    int sent = 0;
    for (int b = 0; b <= bucket[0]; b++) {
        int ready = 1;
        for (int i = 0; i < n; i++) {
            if (bucket[i] == b && !used[i]) ready = 0;
        }
        sent += ready;
    }
    return sent;
}
int join_calls(int n, const int batches[], int buckets, int rank) {
    int most = 0;
    for (int r = 0; r < n; r++) most = batches[r] > most ? batches[r] : most;
    return (most - batches[rank]) * buckets;
}
