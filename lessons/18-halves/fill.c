/* Two lines to fill, of lesson 18: what a GPU keeps, and sends.
 *
 *     ringsim grade 18 fill.c
 */
#include "ring.h"

double zero_kept(int stage, int n, double params) {
    double bytes_each = 0;
    /* 优化器、梯度、权重。 */
    const double parts[3] = {12, 2, 2}; /* optimizer, gradient, weight */
    for (int i = 0; i < 3; i++) {
        /* Stage 1 cuts the first part into n shards, stage 2 the first two, stage 3 all. */
        /* 阶段 1 把第一部分切成 n 片，阶段 2 切前两部分，阶段 3 全部都切。 */
        /* SKELETON: bytes_each += parts[i] * (stage + n > 0); */
        /* BEGIN SOLUTION */
        bytes_each += i < stage ? parts[i] / n : parts[i];
        /* END SOLUTION */
    }
    return bytes_each * params;
}

double zero_sent(int stage, int n, double bytes) {
    /* 一次归约散射，一次全收集。 */
    double n_halves = 2; /* reduce-scatter, and one all-gather */
    if (stage == 3) n_halves = 3;
    /* How much does each GPU send in one of them? */
    /* 在其中一次里，每个 GPU 发送多少？ */
    /* SKELETON: return n_halves * bytes / n; */
    /* BEGIN SOLUTION */
    return n_halves * (n - 1) / n * bytes;
    /* END SOLUTION */
}
