/* A worked example: the mean over the samples of two replicas.
 *
 * Replica 0 has seen samples[0] of them, replica 1 samples[1]. For two replicas this is right; for any
 * number of them it is your exercise. What the grader says to this file shows where it ends:
 *
 *     ringsim grade 01 example.c         gets 0 of 10: it is also asked about nine
 *
 * 完整的示例：两个副本的全部样本的平均。
 * 副本 0 看了其中 samples[0] 个样本，副本 1 看了 samples[1] 个。对两个副本它是对的；任意多个副本是你的
 * 练习。
 */
#include "ring.h"

double average(int n, const double grads[], const int samples[]) {
    /* What is known? Means, each over its own samples; other ranks are left out here. */
    /* 已知什么？两个平均值，各自只对自己的样本；这里不管其他 rank。 */
    const double mean0 = grads[0], mean1 = n > 1 ? grads[1] : 0;
    const int many0 = samples[0], many1 = n > 1 ? samples[1] : 0;
    /* From a mean back to a sum: times the number of samples. */
    /* 由平均值回到总和：乘以样本数。 */
    const double total = mean0 * many0 + mean1 * many1;
    /* From the sum over all samples to their mean: divided by the number of all samples, not of replicas. */
    /* 由全部样本的总和得到平均值：除以全部样本数，不是除以副本数。 */
    return total / (many0 + many1);
}
