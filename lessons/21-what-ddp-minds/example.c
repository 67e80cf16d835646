/* A worked example: five layers in three buckets, and all are used.
 *
 *     layer     0  1  2  3  4
 *     bucket    2  2  1  1  0      the last layer is in bucket 0, layer 0 in the last bucket
 *
 * That a layer may not be used, and what Join answers, is your exercise.
 *
 *     ringsim grade 21 example.c         gets 0 of 10: it is given; it takes all layers as used
 *
 * 完整的示例：五层，三个桶，每层都用到。
 * 最后一层在桶 0，第 0 层在最后一个桶。
 * 有的层没有用到时怎么办，以及 Join 应答几次，是你的练习。
 */
#include "ring.h"

/* One counts from 0, so there is one more than the last number. */
/* 从 0 数起，所以比最后的编号多一个。 */
int buckets_sent(int n, const int bucket[], const int used[]) {
    return (void)n, (void)used, bucket[0] + 1;
}
