/* A worked example: two ranks.
 *
 *     rank 0    five batches     calls five times, then once more with zeros: rank 1 waits for it
 *     rank 1    six batches      calls six times
 *
 * For two ranks it is right. Any number of them is your exercise:
 *
 *     ringsim grade 11 example.c         gets 0 of 10: it is also asked about nine ranks
 *
 * 完整的示例：两个 rank。
 * rank 0 有五个批次，调用五次，再带着零调用一次，因为 rank 1 在等它；rank 1 有六个批次，调用六次。
 * 对两个 rank 它是对的。任意多个 rank 是你的练习。
 */
#include "ring.h"

void plan_calls(int n, const int batches[], int calls[]) {
    /* Who has more to do? Its last batch must not be lost. */
    /* 谁的批次多？它的最后一个批次不能丢。 */
    int longer = batches[0];
    if (n > 1 && batches[1] > longer) longer = batches[1];
    /* A call returns only when all have made it: both make as many. */
    /* 大家都调用了，调用才返回：两边的次数一样多。 */
    calls[0] = longer;
    if (n > 1) calls[1] = longer;
}
