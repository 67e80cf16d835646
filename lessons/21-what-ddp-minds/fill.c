/* Two lines to fill, of lesson 21: which buckets are sent, and what Join answers.
 *
 *     ringsim grade 21 fill.c
 */
#include "ring.h"

int buckets_sent(int n, const int bucket[], const int used[]) {
    int sent = bucket[0] + 1;
    for (int layer = 0; layer < n; layer++) {
        if (used[layer]) continue;
        /* Its bucket is never ready, and none overtakes it. */
        /* 它的桶永远装不满，后面的也不能越过它。 */
        /* SKELETON: sent += 0; */
        /* BEGIN SOLUTION */
        if (bucket[layer] < sent) sent = bucket[layer];
        /* END SOLUTION */
    }
    return sent;
}

int join_calls(int n, const int batches[], int buckets, int rank) {
    int most = batches[rank], calls = 0;
    for (int other = 0; other < n; other++) {
        if (batches[other] > most) most = batches[other];
    }
    /* In each batch that it lacks the others send all buckets. */
    /* 它缺的每个批次里，别的都要发送全部的桶。 */
    /* SKELETON: calls = buckets; */
    /* BEGIN SOLUTION */
    calls = (most - batches[rank]) * buckets;
    /* END SOLUTION */
    return calls;
}
