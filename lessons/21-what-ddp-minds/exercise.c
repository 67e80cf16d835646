/* Exercise of lesson 21: which buckets DDP sends if layers are not used, and what Join answers.
 *
 *     layer     0  1  2  3  4        used   1  1  0  1  1
 *     bucket    2  2  1  1  0        sent: bucket 0 alone
 *
 *     ringsim grade 21 exercise.c
 */
#include "ring.h"

int buckets_sent(int n, const int bucket[], const int used[]) {
    /* SKELETON: (void)bucket, (void)used; */
    /* SKELETON: return n; */
    /* BEGIN SOLUTION */
    int sent = bucket[0] + 1; /* layer 0 is in the last one */
    for (int i = 0; i < n; i++) {
        if (!used[i] && bucket[i] < sent) sent = bucket[i];
    }
    return sent;
    /* END SOLUTION */
}

int join_calls(int n, const int batches[], int buckets, int rank) {
    /* SKELETON: (void)n, (void)batches, (void)rank; */
    /* SKELETON: return buckets; */
    /* BEGIN SOLUTION */
    int most = 0;
    for (int r = 0; r < n; r++) most = batches[r] > most ? batches[r] : most;
    return (most - batches[rank]) * buckets;
    /* END SOLUTION */
}
