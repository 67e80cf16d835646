/* Two lines to fill, of lesson 4: the sum of n arrays, and the time of one reducer.
 *
 *     ringsim grade 04 fill.c
 */
#include "ring.h"

void reduce(int n, int count, const int in[], int sum[]) {
    for (int place = 0; place < count; place++) {
        int total = 0;
        for (int rank = 0; rank < n; rank++) {
            /* Array `rank` begins at in[rank * count]. Which number of it belongs here? */
            /* 第 rank 个数组从 in[rank * count] 开始。其中哪一个数属于这里？ */
            /* SKELETON: total += in[rank]; */
            /* BEGIN SOLUTION */
            total += in[rank * count + place];
            /* END SOLUTION */
        }
        sum[place] = total;
    }
}

double naive_seconds(int n, double bytes, double alpha, double bandwidth) {
    const double one_message = alpha + bytes / bandwidth;
    /* How many messages follow one another, there and back? */
    /* 来回一共有多少条消息先后相接？ */
    /* SKELETON: return n * one_message; */
    /* BEGIN SOLUTION */
    return 2 * (n - 1) * one_message;
    /* END SOLUTION */
}
