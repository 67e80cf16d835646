/* Exercise on MapReduce: whose is a word, and what becomes of its values?
 *
 * Words come as numbers, equal words as equal ones; a number may be negative. reducer_of() says which of n
 * GPUs reduces a word: the same for everybody who asks, and words are shared out fairly. Any such rule is
 * right. reduce_values() makes one value of all values of a word: their sum, how many there are, the
 * largest, the smallest.
 *
 *     ringsim grade 03 exercise.c
 */
#include "ring.h"

int reducer_of(int word, int n) {
    /* SKELETON: (void)word, (void)n; */
    /* SKELETON: return 0; */
    /* BEGIN SOLUTION */
    return (word % n + n) % n;
    /* END SOLUTION */
}

int reduce_values(int op, int count, const int values[]) {
    /* SKELETON: (void)op, (void)count; */
    /* SKELETON: return values[0]; */
    /* BEGIN SOLUTION */
    int kept = op == OP_COUNT ? count : values[0];
    for (int k = 1; k < count; k++) {
        const int next = values[k];
        if (op == OP_SUM) {
            kept += next;
        } else if (op == OP_MAX ? next > kept : op == OP_MIN && next < kept) {
            kept = next;
        }
    }
    return kept;
    /* END SOLUTION */
}
