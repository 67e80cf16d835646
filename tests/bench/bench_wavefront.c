/* bench_wavefront.c: how fast the ring's tiles are, in one run.
 *
 *     bench_wavefront            rates of every way this processor has, 1 and 2 threads; then
 *                                N = 131,072 with 100 MB on 2 threads, with its peak memory
 *     bench_wavefront --short    without the last
 *     bench_wavefront --small    all of it, N = 512 and 4,096
 *
 * Every link has its own latency and bandwidth. `uneven`: N does not divide the count. `adds`:
 * uneven, and the additions take time. A second of one core leaves out what the machine did for
 * others meanwhile.
 */
#include "time/wavefront.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double now_s(clockid_t clock) {
    struct timespec at;
    clock_gettime(clock, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

/* ------------------------------------------------------------- a pool, as a host would have one */

typedef struct pool {
    pthread_mutex_t lock;
    pthread_cond_t begun, ended;
    pthread_t threads[16];
    int n_threads, round, n_busy;
    bool closed;
    atomic_int next;
    int n_tasks;
    void (*task)(void *argument, int index);
    void *argument;
    int64_t n_reports;
} pool;

static void work(pool *p) {
    for (int index; (index = atomic_fetch_add(&p->next, 1)) < p->n_tasks;) {
        p->task(p->argument, index);
    }
}

static void *helper(void *context) {
    pool *p = context;
    pthread_mutex_lock(&p->lock);
    for (int seen = 0;; seen++) {
        while (p->round == seen && !p->closed) pthread_cond_wait(&p->begun, &p->lock);
        if (p->closed) break;
        pthread_mutex_unlock(&p->lock);
        work(p);
        pthread_mutex_lock(&p->lock);
        if (--p->n_busy == 0) pthread_cond_signal(&p->ended);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void run_all(void *context, int n_tasks, void (*task)(void *argument, int index),
                    void *argument) {
    pool *p = context;
    pthread_mutex_lock(&p->lock);
    p->n_tasks = n_tasks, p->task = task, p->argument = argument;
    atomic_store(&p->next, 0);
    p->n_busy = p->n_threads - 1;
    p->round++;
    pthread_cond_broadcast(&p->begun);
    pthread_mutex_unlock(&p->lock);
    work(p);
    pthread_mutex_lock(&p->lock);
    while (p->n_busy > 0) pthread_cond_wait(&p->ended, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static bool report(void *context, const char *what, int64_t done, int64_t total) {
    (void)what, (void)done, (void)total;
    ((pool *)context)->n_reports++;
    return true;
}

static void open_pool(pool *p, int n_threads) {
    memset(p, 0, sizeof *p);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->begun, NULL);
    pthread_cond_init(&p->ended, NULL);
    p->n_threads = n_threads;
    for (int i = 1; i < n_threads; i++) pthread_create(&p->threads[i], NULL, helper, p);
}

static void close_pool(pool *p) {
    pthread_mutex_lock(&p->lock);
    p->closed = true;
    pthread_cond_broadcast(&p->begun);
    pthread_mutex_unlock(&p->lock);
    for (int i = 1; i < p->n_threads; i++) pthread_join(p->threads[i], NULL);
    pthread_cond_destroy(&p->begun);
    pthread_cond_destroy(&p->ended);
    pthread_mutex_destroy(&p->lock);
}

/* ------------------------------------------------------------------------------------- the runs */

typedef struct result {
    double seconds, core_seconds; /* on the wall; of all threads together */
    int64_t makespan_ps;
    double memory_MB;
    int64_t n_transfers, n_reports;
} result;

static rs_link_override *different_links(int32_t n) {
    rs_link_override *links = calloc((size_t)n, sizeof *links);
    uint64_t state = 1;
    for (int32_t r = 0; r < n; r++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        links[r] = (rs_link_override){
            r, (r + 1) % n, {4000000 + (int64_t)(state >> 44), 20000000000u + (state >> 31)}};
    }
    return links;
}

static result run(int32_t n, int64_t count, uint64_t reduce_Bps, const rs_tile_runner *runner,
                  int n_threads) {
    pool p;
    open_pool(&p, n_threads);
    const rs_host host = {
        .context = &p, .parallel_for = run_all, .n_workers = n_threads, .progress = report};
    rs_arena arena;
    rs_arena_init(&arena, &host);
    rs_error error = {.text = ""};
    rs_schedule ring;
    rs_link_override *links = different_links(n);
    rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), RS_ORDER_SEED, n, count, &error,
                     &ring);
    const rs_job job = {
        .schedule = &ring,
        .count = count,
        .elem_bytes = 4,
        .net = {.link = {5000000, 20000000000u},
                .overrides = links,
                .n_overrides = n,
                .reduce_Bps = reduce_Bps},
    };
    const double start = now_s(CLOCK_MONOTONIC), busy = now_s(CLOCK_PROCESS_CPUTIME_ID);
    rs_costs *costs;
    rs_outcome outcome;
    rs_status status = rs_costs_new(&job, &arena, &error, &costs);
    if (status == RS_OK) status = rs_outcome_new(&job, &arena, &error, &outcome);
    if (status == RS_OK) status = rs_wavefront_ring(costs, runner, &arena, &error, &outcome);
    if (status != RS_OK) {
        fprintf(stderr, "bench_wavefront: %s\n", error.text);
        exit(1);
    }
    const result made = {
        .seconds = now_s(CLOCK_MONOTONIC) - start,
        .core_seconds = now_s(CLOCK_PROCESS_CPUTIME_ID) - busy,
        .makespan_ps = outcome.makespan_ps,
        .memory_MB = (double)arena.n_bytes / 1e6,
        .n_transfers = outcome.n_transfers,
        .n_reports = p.n_reports,
    };
    rs_arena_free(&arena);
    free(links);
    close_pool(&p);
    return made;
}

typedef struct rate {
    double wall, core; /* G transfers a second; a core-second */
} rate;

static rate best_rate(int32_t n, int64_t count, uint64_t reduce_Bps, const rs_tile_runner *runner,
                      int n_threads) {
    rate best = {0, 0};
    for (int i = 0; i < 5; i++) {
        const result r = run(n, count, reduce_Bps, runner, n_threads);
        const double wall = (double)r.n_transfers / r.seconds / 1e9;
        const double core = (double)r.n_transfers / r.core_seconds / 1e9;
        if (wall > best.wall) best.wall = wall;
        if (core > best.core) best.core = core;
    }
    return best;
}

static void rates(const rs_tile_runner *runner, int32_t n) {
    const int64_t even = (int64_t)n * 190, uneven = even + n / 3;
    for (int n_threads = 1; n_threads <= 2; n_threads++) {
        const rate a = best_rate(n, even, 0, runner, n_threads);
        const rate b = best_rate(n, uneven, 0, runner, n_threads);
        const rate c = best_rate(n, uneven, 100000000000u, runner, n_threads);
        printf("%-7s %9d   %6.2f  %6.2f  %6.2f      %6.2f  %6.2f  %6.2f\n", runner->name, n_threads,
               a.wall, b.wall, c.wall, a.core, b.core, c.core);
        fflush(stdout);
    }
}

static double peak_MB(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1000;
}

int main(int argc, char **argv) {
    const bool small = argc > 1 && strcmp(argv[1], "--small") == 0;
    const int32_t n = small ? 512 : 16384, large = 8 * n;
    printf("ring, rendezvous, N = %d, another latency and bandwidth on every link; best of 5\n"
           "                    G transfers a second          a second of one core\n"
           "vectors   threads     even  uneven    adds        even  uneven    adds\n",
           (int)n);
    for (int i = 0; rs_all_tile_runners[i] != NULL; i++) {
        if (rs_all_tile_runners[i]->here()) rates(rs_all_tile_runners[i], n);
    }
    if (argc > 1 && strcmp(argv[1], "--short") == 0) return 0;
    const result r = run(large, 25000000, 0, NULL, 2);
    printf("N = %d, 100 MB of i32, 2 threads: %.2f s, %.2f core-seconds, %.2f G transfers/s, "
           "arena %.0f MB, peak %.0f MB, progress told %" PRId64 " times, makespan %" PRId64
           " ps\n",
           (int)large, r.seconds, r.core_seconds, (double)r.n_transfers / r.seconds / 1e9,
           r.memory_MB, peak_MB(), r.n_reports, r.makespan_ps);
    return 0;
}
