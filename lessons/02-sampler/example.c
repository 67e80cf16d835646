/* A worked example: eight samples for four ranks.
 *
 *     sample    0 1 2 3 4 5 6 7
 *     rank      0 1 2 3 0 1 2 3        like cards: rank 1 sees samples 1 and 5
 *
 * For as many samples as can be shared out evenly it is right. What is done with nine is your exercise:
 *
 *     ringsim grade 02 example.c         gets 0 of 10: it is asked about fewer samples than ranks
 *
 * 完整的示例：八个样本分给四个 rank，像发牌一样：rank 1 看到样本 1 和 5。
 * 能平分的时候它是对的。九个样本怎么办，是你的练习。
 */
#include "ring.h"

int sampler_indices(int len, int world, int rank, int out[]) {
    /* How many does each rank get? All samples, shared out; nothing may be left over here. */
    /* 每个 rank 得几个？全部样本平分；这里不能有剩余。 */
    const int each = len / world;
    /* Which is its first? The one with its own number. */
    /* 它的第一个是哪个？与它编号相同的那个。 */
    int sample = rank;
    /* And the next one? As many further on as there are ranks, since the others come between. */
    /* 下一个呢？往后数 rank 的个数，因为中间轮到其他 rank。 */
    for (int i = 0; i < each; i++, sample += world) out[i] = sample;
    return each;
}
