/* bench_events.c: transfers a second of the event engine beside those of a bare binary-heap loop over
 * a ring of 1024, in one run; different latency and bandwidth on every link.
 *
 *     bench_events            all rows
 *     bench_events eager      the rows with this in their names
 *     bench_events '' 32      all rows once, with 32 ranks in place of 1024, and 16 times as many
 *
 * Two rates a row: `whole` is rs_simulate as callers see it, with the job's check and set-up, where
 * every link given costs its share; `engine` is what follows. Short runs are repeated and the best is
 * taken, of the yardstick too. Beside each rate: how many times the bare heap's.
 */
#include "bench_events.h"
#include "time/costs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { FIRST_LINKS = 256, MOST_TRANSFERS = 5000000 };
static int32_t yardstick_ranks = 1024;
static int repeats = 5;
static int64_t enough = 200000; /* transfers that a row makes */
static const int64_t n_bytes = 67108864;
static const char *wanted = ""; /* part of a row's name */

/* Processor time: other programs that wait for the same cores do not count. */
static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_ends(const void *left, const void *right) {
    const rs_link_override *a = left, *b = right;
    if (a->src != b->src) return a->src < b->src ? -1 : 1;
    return (a->dst > b->dst) - (a->dst < b->dst);
}

/* Sorts the links and keeps each once; returns how many these are. */
static int32_t distinct(rs_link_override links[], int32_t n) {
    int32_t kept = 0;
    if (n > 0) qsort(links, (size_t)n, sizeof *links, by_ends);
    for (int32_t i = 0; i < n; i++) {
        if (kept == 0 || by_ends(&links[i], &links[kept - 1]) != 0) links[kept++] = links[i];
    }
    return kept;
}

/* Gives every link that the schedule uses its own latency and bandwidth. */
static void vary_links(const rs_schedule *schedule, rs_net *net) {
    static rs_link_override *links;
    static int32_t room;
    int32_t n = 0;
    const int32_t n_steps = schedule->fixed_neighbours ? 1 : schedule->n_steps;
    for (int32_t step = 0; step < n_steps; step++) {
        rs_cursor cursor = {0};
        for (rs_transfer t; rs_next_transfer(schedule, step, &cursor, &t);) {
            const int64_t i = t.src;
            if (n == room) {
                n = distinct(links, n);
                if (2 * n >= room) room = room == 0 ? FIRST_LINKS : 2 * room;
                links = realloc(links, (size_t)room * sizeof *links);
            }
            links[n++] = (rs_link_override){
                t.src,
                t.dst,
                {10000000 * (16 + (7 * i + 3 * step) % 16) / 16,
                 (uint64_t)(12.5e9 / (1 + (double)(5 * i % 16) / 16.0)) - (uint64_t)t.dst}};
        }
    }
    net->n_overrides = distinct(links, n);
    net->overrides = links;
}

/* Compiles a schedule to tables, so that it is read like one from a file. */
static rs_schedule compiled(const rs_schedule *schedule, rs_arena *arena) {
    rs_transfer *list = malloc((size_t)schedule->n_transfers * sizeof *list);
    int64_t *first = malloc(((size_t)schedule->n_steps + 1) * sizeof *first), at = 0;
    for (int32_t step = 0; step < schedule->n_steps; step++) {
        first[step] = at;
        rs_cursor cursor = {0};
        while (rs_next_transfer(schedule, step, &cursor, &list[at])) at++;
    }
    first[schedule->n_steps] = at;
    rs_schedule made;
    rs_error error;
    if (rs_schedule_from_list(schedule->n_ranks, schedule->n_chunks, schedule->n_steps, first, list,
                              arena, &error, &made) != RS_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    free(list), free(first);
    return made;
}

static double run_yardstick(void) {
    double end;
    const double start = now_s();
    const long n_events = bare_heap_loop(yardstick_ranks, (double)n_bytes, &end);
    return (double)n_events / (now_s() - start);
}

static void insist(rs_status status, const rs_error *error) {
    if (status == RS_OK) return;
    fprintf(stderr, "bench_events: %s\n", error->text);
    exit(1);
}

/* Returns the rate of one run in transfers a second, its set-up included. */
static double run_whole(const rs_job *job, size_t *memory) {
    rs_arena arena;
    rs_error error;
    rs_outcome outcome;
    rs_arena_init(&arena, NULL);
    const double start = now_s();
    insist(rs_simulate(job, RS_ENGINE_EVENTS, NULL, &arena, &error, &outcome), &error);
    const double rate = (double)outcome.n_transfers / (now_s() - start);
    *memory = arena.n_bytes;
    rs_arena_free(&arena);
    return rate;
}

/* The same without rs_simulate's set-up. */
static double run_engine(const rs_job *job) {
    rs_arena arena;
    rs_error error;
    rs_costs *costs;
    rs_outcome outcome;
    rs_arena_init(&arena, NULL);
    insist(rs_costs_new(job, &arena, &error, &costs), &error);
    insist(rs_outcome_new(job, &arena, &error, &outcome), &error);
    const double start = now_s();
    insist(rs_events(job, costs, NULL, &arena, &error, &outcome), &error);
    const double rate = (double)outcome.n_transfers / (now_s() - start);
    rs_arena_free(&arena);
    return rate;
}

static void keep_best(double rate, double *best) {
    if (rate > *best) *best = rate;
}

/* Prints the best of some runs beside the best of the yardstick's, in turns: a busy machine slows
   both. */
static void report(const char *what, const rs_schedule *schedule, rs_protocol protocol,
                   int64_t count) {
    if (strstr(what, wanted) == NULL) return;
    rs_job job = {.schedule = schedule, .count = count, .elem_bytes = 4};
    job.net = (rs_net){.link = {10000000, 12500000000}, .protocol = protocol};
    vary_links(schedule, &job.net);
    const int64_t inner = enough / schedule->n_transfers + 1;
    double whole = 0, engine = 0, yardstick = 0;
    size_t memory = 0;
    for (int i = 0; i < repeats; i++) {
        keep_best(run_yardstick(), &yardstick);
        for (int64_t k = 0; k < inner; k++) {
            keep_best(run_whole(&job, &memory), &whole);
            keep_best(run_engine(&job), &engine);
        }
    }
    printf("%-30s %9lld %6.1f %5.2f   %6.1f %5.2f   %6.1f %8.2f\n", what,
           (long long)schedule->n_transfers, whole / 1e6, whole / yardstick, engine / 1e6,
           engine / yardstick, yardstick / 1e6, (double)memory / 1048576);
    fflush(stdout);
}

static double peak_mib(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* All the algorithms of the table at one size. */
static void report_algorithms(int32_t n, rs_protocol protocol) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        rs_schedule schedule;
        char what[64];
        rs_error error;
        insist(rs_schedule_make(rs_algorithms[i], RS_ORDER_SEED, n, n_bytes / 4, &error, &schedule),
               &error);
        /* A ring's transfers grow with N squared. */
        if (schedule.n_transfers > MOST_TRANSFERS) continue;
        snprintf(what, sizeof what, "%s %d%s", rs_algorithms[i]->name, (int)n,
                 protocol == RS_EAGER ? ", eager" : "");
        report(what, &schedule, protocol, n_bytes / 4);
    }
}

/* Every rank sends to each other in step 0 and adds, and again in step 1 and overwrites. */
static rs_schedule everyone_to_everyone(int32_t n, rs_arena *arena) {
    const int64_t each = (int64_t)n * (n - 1), first[] = {0, each, 2 * each};
    rs_transfer *list = malloc((size_t)(2 * each) * sizeof *list);
    for (int64_t i = 0; i < 2 * each; i++) {
        const int32_t src = (int32_t)(i % each / (n - 1));
        const int32_t dst = (int32_t)(src + 1 + i % (n - 1)) % n;
        const bool reduce = i < each;
        list[i] = (rs_transfer){.src = src,
                                .dst = dst,
                                .chunk = reduce ? dst : src,
                                .n_chunks = 1,
                                .effect = reduce ? RS_REDUCE : RS_COPY};
    }
    rs_schedule made;
    rs_error error;
    insist(rs_schedule_from_list(n, n, 2, first, list, arena, &error, &made), &error);
    free(list);
    return made;
}

/* Two rings at once, one each way round, each with half of the chunks: two messages a rank and step. */
static rs_schedule both_ways_round(int32_t n, rs_arena *arena) {
    const int32_t n_steps = 2 * (n - 1);
    rs_transfer *list = malloc((size_t)n * 2 * (size_t)n_steps * sizeof *list), *at = list;
    int64_t *first = malloc(((size_t)n_steps + 1) * sizeof *first);
    for (int32_t step = 0; step <= n_steps; step++) {
        first[step] = at - list;
        for (int32_t i = 0; step < n_steps && i < 2 * n; i++) {
            const int32_t src = i / 2, turn = i % 2 == 0 ? 1 : n - 1;
            const int32_t chunk = (int32_t)((src * (int64_t)turn % n + 2 * n - step) % n);
            *at++ = (rs_transfer){.src = src,
                                  .dst = (src + turn) % n,
                                  .chunk = 2 * chunk + i % 2,
                                  .n_chunks = 1,
                                  .effect = step < n - 1 ? RS_REDUCE : RS_COPY};
        }
    }
    rs_schedule made;
    rs_error error;
    insist(rs_schedule_from_list(n, 2 * n, n_steps, first, list, arena, &error, &made), &error);
    free(list), free(first);
    return made;
}

int main(int argc, char **argv) {
    if (argc > 1) wanted = argv[1];
    if (argc > 2) yardstick_ranks = atoi(argv[2]), enough = 1000, repeats = 1;
    const int32_t n = yardstick_ranks;
    const int64_t count = n_bytes / 4;
    printf("%-30s %9s %6s %5s   %6s %5s   %6s %8s\n", "", "transfers", "whole", "", "engine", "",
           "heap", "memory");
    printf("%-30s %9s %6s %5s   %6s %5s   %6s %8s\n", "", "", "M/s", "ratio", "M/s", "ratio", "M/s",
           "MiB");
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_schedule ring;
    rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), RS_ORDER_SEED, n, count, NULL,
                     &ring);
    report_algorithms(n, RS_RENDEZVOUS);
    printf("%-30s %.1f MiB\n", "  peak of the process so far", peak_mib());
    report("ring, chunks of two sizes", &ring, RS_RENDEZVOUS, count - 333);
    report_algorithms(16 * n, RS_RENDEZVOUS);
    report_algorithms(n, RS_EAGER);
    const rs_schedule table = compiled(&ring, &arena);
    printf("%-30s %.2f MiB\n", "  the ring as a table", (double)arena.n_bytes / 1048576);
    report("ring, a table", &table, RS_RENDEZVOUS, count);
    report("ring, a table, eager", &table, RS_EAGER, count);
    const rs_schedule rings = both_ways_round(n / 2, &arena),
                      all = everyone_to_everyone(n / 16, &arena),
                      many = everyone_to_everyone(n / 2, &arena);
    for (rs_protocol protocol = RS_RENDEZVOUS; protocol <= RS_EAGER; protocol++) {
        const bool eager = protocol == RS_EAGER;
        report(eager ? "rings both ways, eager" : "rings both ways", &rings, protocol, count);
        report(eager ? "everyone to all 64, eager" : "everyone to all 64", &all, protocol, count);
        report(eager ? "everyone to all 512, eager" : "everyone to all 512", &many, protocol,
               count);
    }
    rs_arena_free(&arena);
    return 0;
}
