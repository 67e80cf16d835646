/* bench_train.c: the wall time of a real training beside that of its bare arithmetic, in one run.
 *
 *     training   rs_train: data made, N gradients, all-reduce, N updates; the first and last step
 *                checked, as the command does it
 *     bare       the same matrix products, on tiles that lie in the cache, and nothing else
 *     plain C    those products as three nested loops, one core: what the tiling is worth
 *
 * Usage: bench_train [samples = 60000] [ranks = 8]. Two workers; best of three.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "systems/train/perceptron.h"
#include "support/threads.h"

enum { INPUTS = 784, HIDDEN = 32, OUTPUTS = 10, BATCH = 32, WORKERS = 2, REPEATS = 3 };

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef void (*product)(int64_t m, int64_t n, int64_t k, const float a[], int64_t a_row,
                        int64_t a_column, const float b[], float c[]);

static void plain_product(int64_t m, int64_t n, int64_t k, const float a[], int64_t a_row,
                          int64_t a_column, const float b[], float c[]) {
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) {
            for (int64_t x = 0; x < k; x++) {
                c[i * n + j] += a[i * a_row + x * a_column] * b[x * n + j];
            }
        }
    }
}

typedef struct products {
    product multiply;
    int n_tiles;
} products;

/* One worker's share: forward and backward of its tiles. */
static void run_products(void *argument, int index) {
    const products *p = argument;
    static float data[WORKERS][8][INPUTS * HIDDEN];
    float(*d)[INPUTS * HIDDEN] = data[index];
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < INPUTS * HIDDEN; j++) d[i][j] = (float)((j * 7 + i) % 64) / 4096;
    }
    for (int t = 0; t < p->n_tiles; t++) {
        if (t % 64 == 0) memset(d[3], 0, sizeof d[3]), memset(d[2], 0, sizeof d[2]); /* no growth */
        p->multiply(BATCH, HIDDEN, INPUTS, d[0], INPUTS, 1, d[1], d[2]);             /* x W0 */
        p->multiply(BATCH, OUTPUTS, HIDDEN, d[4], HIDDEN, 1, d[5], d[3]);            /* h W1 */
        p->multiply(HIDDEN, OUTPUTS, BATCH, d[4], 1, HIDDEN, d[5], d[3]);            /* dW1 */
        p->multiply(BATCH, HIDDEN, OUTPUTS, d[4], OUTPUTS, 1, d[5], d[2]);           /* dh */
        p->multiply(INPUTS, HIDDEN, BATCH, d[0], 1, INPUTS, d[4], d[6]);             /* dW0 */
        if (t % 64 == 0) memset(d[6], 0, sizeof d[6]);
    }
}

static double products_s(product multiply, int64_t samples, int n_workers) {
    const rs_host host = threaded_host(n_workers);
    products p = {multiply, (int)(samples / BATCH / n_workers)};
    double best_s = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        const double start = now_s();
        if (n_workers == 1) {
            run_products(&p, 0);
        } else {
            host.parallel_for(NULL, n_workers, run_products, &p);
        }
        const double s = now_s() - start;
        if (s < best_s) best_s = s;
    }
    return best_s;
}

static double training_s(int64_t samples, int32_t n, rs_training *training) {
    const rs_host host = threaded_host(WORKERS);
    rs_error error = {.text = ""};
    double best_s = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        rs_arena arena;
        rs_layers layers;
        rs_bucket *buckets = NULL;
        rs_schedule schedule;
        rs_arena_init(&arena, &host);
        int64_t batch[RS_MAX_TRAIN_RANKS];
        for (int32_t r = 0; r < n; r++) batch[r] = BATCH;
        rs_train_plan plan = {.model = rs_perceptron((const int32_t[]){HIDDEN}, 1, 0),
                              .schedule = &schedule,
                              .n_ranks = n,
                              .batch = batch,
                              .sampling = {.n_samples = samples, .n_ranks = n},
                              .n_epochs = 1,
                              .rate = 0.01};
        rs_status status = rs_model_layers(&plan.model, &arena, &error, &layers);
        if (status == RS_OK) {
            status = rs_cut_buckets(&layers, 1 << 20, 25 << 20, &arena, &error, &buckets,
                                    &plan.n_buckets);
        }
        plan.buckets = buckets;
        if (status == RS_OK) {
            status = rs_schedule_make(rs_algorithms[0], RS_ORDER_SEED, n, 1, &error, &schedule);
        }
        const double start = now_s();
        if (status == RS_OK) status = rs_train(&plan, &arena, &error, training);
        const double s = now_s() - start;
        if (s < best_s) best_s = s;
        rs_arena_free(&arena);
        if (status != RS_OK) {
            fprintf(stderr, "%s\n", error.text);
            exit(1);
        }
    }
    return best_s;
}

int main(int argc, char **argv) {
    const int64_t samples = argc > 1 ? atoll(argv[1]) : 60000;
    const int32_t n = argc > 2 ? atoi(argv[2]) : 8;
    if (samples < BATCH || n < 1 || n > RS_MAX_TRAIN_RANKS) return 2;
    rs_training training = {0};
    const double bare = products_s(rs_multiply_add, samples, WORKERS);
    const double train = training_s(samples, n, &training);
    const double again = products_s(rs_multiply_add, samples, WORKERS);
    const double plain = products_s(plain_product, samples / 8, 1) * 8;
    const double least = bare < again ? bare : again;
    printf("mlp %d-%d-%d, %lld samples, %d ranks, %d steps, %d of them checked\n", INPUTS, HIDDEN,
           OUTPUTS, (long long)samples, (int)n, (int)training.n_steps, (int)training.n_checked);
    printf("training  %7.3f s   %d workers\n", train, WORKERS);
    printf("bare      %7.3f s   %d workers   training takes %.2f times as long (at most 2)\n",
           least, WORKERS, train / least);
    printf("plain C   %7.3f s   1 core       %.1f times the bare arithmetic on one\n", plain,
           plain / products_s(rs_multiply_add, samples, 1));
    return 0;
}
