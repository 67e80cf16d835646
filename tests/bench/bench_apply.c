/* bench_apply.c: how fast values move, beside what memcpy reaches in the same run.
 *
 *     payload    what the schedule carries: 2(N-1)/N K bytes a rank for a ring, N ranks together
 *     memcpy     bytes copied; a payload byte that is added or copied in its own pass cannot be faster
 *
 * Usage: bench_apply [MiB a rank = 64] [ranks = 8]. Best of three.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ringsim.h"
#include "support/threads.h"

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct copying {
    char **ranks;
    size_t n_bytes;
    int n_ranks, n_tasks;
} copying;

/* Each task copies its share of rank 2k to rank 2k + 1. */
static void copy_share(void *argument, int index) {
    const copying *c = argument;
    const size_t share = c->n_bytes / (size_t)c->n_tasks;
    for (int r = 0; r + 1 < c->n_ranks; r += 2) {
        memcpy(c->ranks[r + 1] + share * (size_t)index, c->ranks[r] + share * (size_t)index, share);
    }
}

static double memcpy_GBps(char **ranks, int n_ranks, size_t n_bytes, int n_workers) {
    const rs_host host = threaded_host(n_workers);
    copying c = {ranks, n_bytes, n_ranks, n_workers};
    double best_s = 1e9;
    for (int i = 0; i < 3; i++) {
        const double start_s = now_s();
        if (n_workers == 1)
            copy_share(&c, 0);
        else
            host.parallel_for(NULL, n_workers, copy_share, &c);
        const double s = now_s() - start_s;
        if (s < best_s) best_s = s;
    }
    return (double)n_bytes * (n_ranks / 2) / best_s * 1e-9;
}

static double payload_bytes(const rs_schedule *s, int64_t count, int32_t elem_bytes) {
    int64_t n = 0;
    for (int32_t r = 0; r < s->n_ranks; r++) n += rs_elements_sent(s, count, r);
    return (double)n * elem_bytes;
}

static double apply_GBps(const char *algorithm, rs_dtype dtype, rs_op op, char **ranks, int n_ranks,
                         size_t n_bytes, int n_workers) {
    const rs_host host = threaded_host(n_workers);
    const int64_t count = (int64_t)n_bytes / rs_dtype_bytes(dtype);
    rs_schedule s;
    rs_error error = {.text = ""};
    if (rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, algorithm), RS_ORDER_SEED, n_ranks,
                         count, &error, &s) != RS_OK) {
        return 0;
    }
    double best_s = 1e9;
    for (int i = 0; i < 3; i++) {
        for (int r = 0; r < n_ranks; r++) memset(ranks[r], 0, n_bytes); /* no subnormals, no Inf */
        const double start_s = now_s();
        const rs_status status = rs_apply(&s, dtype, op, count, (void *const *)ranks,
                                          &(rs_apply_options){.until_step = s.n_steps},
                                          n_workers > 1 ? &host : NULL, &error);
        const double seconds = now_s() - start_s;
        if (status != RS_OK) printf("%s\n", error.text);
        if (seconds < best_s) best_s = seconds;
    }
    return payload_bytes(&s, count, rs_dtype_bytes(dtype)) / best_s * 1e-9;
}

int main(int argc, char **argv) {
    const size_t n_bytes = (size_t)(argc > 1 ? atoi(argv[1]) : 64) << 20;
    const int n_ranks = argc > 2 ? atoi(argv[2]) : 8;
    char **ranks = malloc((size_t)n_ranks * sizeof *ranks);
    for (int r = 0; r < n_ranks; r++) {
        ranks[r] = malloc(n_bytes);
        if (ranks[r] == NULL) return 1;
        memset(ranks[r], 0, n_bytes);
    }
    printf("%d ranks, %zu MiB each\n", n_ranks, n_bytes >> 20);
    const double one = memcpy_GBps(ranks, n_ranks, n_bytes, 1);
    const double two = memcpy_GBps(ranks, n_ranks, n_bytes, 2);
    printf("memcpy            1 thread %6.1f GB/s   2 threads %6.1f GB/s\n", one, two);
    const char *const algorithms[] = {"ring", "halving", "doubling", "tree", "naive"};
    for (int i = 0; i < 5; i++) {
        const double rate_one =
            apply_GBps(algorithms[i], RS_F32, RS_SUM, ranks, n_ranks, n_bytes, 1);
        const double rate = apply_GBps(algorithms[i], RS_F32, RS_SUM, ranks, n_ranks, n_bytes, 2);
        printf("%-8s f32 sum  1 thread %6.1f GB/s   2 threads %6.1f GB/s   %4.2f of memcpy\n",
               algorithms[i], rate_one, rate, rate / two);
    }
    const rs_dtype dtypes[] = {RS_I8, RS_I32, RS_I64, RS_F16, RS_BF16, RS_F32, RS_F64};
    for (int d = 0; d < 7; d++) {
        printf("ring %-5s", rs_dtype_name(dtypes[d]));
        for (rs_op op = RS_SUM; op < RS_N_OPS; op++) {
            printf("   %s %5.1f", rs_op_name(op),
                   apply_GBps("ring", dtypes[d], op, ranks, n_ranks, n_bytes, 2));
        }
        printf("   GB/s\n");
    }
    for (int r = 0; r < n_ranks; r++) free(ranks[r]);
    free(ranks);
    return 0;
}
