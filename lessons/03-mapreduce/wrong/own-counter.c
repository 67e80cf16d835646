/* Deals words like cards, in the order in which they are asked: equal words do not meet. */
#include "ring.h"

int reducer_of(int word, int n) {
    static int next;
    (void)word;
    return next++ % n;
}

int reduce_values(int op, int count, const int values[]) {
    int result = values[0];
    if (op == OP_COUNT) return count;
    for (int i = 1; i < count; i++) {
        if (op == OP_SUM) result += values[i];
        if (op == OP_MAX && values[i] > result) result = values[i];
        if (op == OP_MIN && values[i] < result) result = values[i];
    }
    return result;
}
