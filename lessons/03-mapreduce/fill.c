/* Two lines to fill, of the exercise on MapReduce.
 *
 *     ringsim grade 03 fill.c
 */
#include "ring.h"

int reducer_of(int word, int n) {
    int reducer = word % n;
    /* In C, -1 % 5 is -1, and there is no GPU -1. */
    /* 在 C 里 -1 % 5 是 -1，而没有 GPU -1。 */
    /* SKELETON: reducer = reducer; */
    /* BEGIN SOLUTION */
    if (reducer < 0) reducer += n;
    /* END SOLUTION */
    return reducer;
}

int reduce_values(int op, int count, const int values[]) {
    int result = 0;
    /* With what do largest and smallest begin? All values may be negative, or all positive. */
    /* 最大值和最小值从什么开始？所有的值可能都是负数，也可能都是正数。 */
    /* SKELETON: result = 0; */
    /* BEGIN SOLUTION */
    if (op == OP_MAX || op == OP_MIN) result = values[0];
    /* END SOLUTION */
    for (int k = 0; k < count; k++) {
        if (op == OP_SUM) result += values[k];
        if (op == OP_COUNT) result++;
        if (op == OP_MAX && values[k] > result) result = values[k];
        if (op == OP_MIN && values[k] < result) result = values[k];
    }
    return result;
}
