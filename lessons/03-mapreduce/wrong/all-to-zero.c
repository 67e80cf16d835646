/* One reducer for all words: nobody shares the work with it. */
#include "ring.h"

int reducer_of(int word, int n) {
    (void)word, (void)n;
    return 0;
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
