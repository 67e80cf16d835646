/* A worked example: two ranks.
 *
 *     rank 0    five batches     calls five times, then once more with zeros: rank 1 waits for it
 *     rank 1    six batches      calls six times
 *
 * For two ranks it is right. Any number of them is your exercise:
 *
 *     ringsim grade 11 example.c         gets 0 of 10: it is also asked about nine ranks
 */
#include "ring.h"

void plan_calls(int n, const int batches[], int calls[]) {
    /* Who has more to do? Its last batch must not be lost. */
    int longer = batches[0];
    if (n > 1 && batches[1] > longer) longer = batches[1];
    /* A call returns only when all have made it: both make as many. */
    calls[0] = longer;
    if (n > 1) calls[1] = longer;
}
