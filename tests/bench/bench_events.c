/* bench_events.c: transfers a second of the event engine beside those of a bare binary-heap loop over
 * the same ring, in one run; different latency and bandwidth on every link.
 *
 *     bench_events [N]      default 1024: 2.1 M transfers
 */
#include "bench_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "ringsim.h"

enum { REPEATS = 5 };
static const int64_t n_bytes = 67108864;

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

/* Gives every link that the schedule uses its own latency and bandwidth. */
static void vary_links(const rs_schedule *schedule, rs_net *net) {
    static rs_link_override links[1 << 20];
    int32_t n = 0;
    const int32_t n_steps = schedule->fixed_neighbours ? 1 : schedule->n_steps;
    for (int32_t step = 0; step < n_steps; step++) {
        rs_cursor cursor = {0};
        for (rs_transfer t; rs_next_transfer(schedule, step, &cursor, &t);) {
            const int64_t i = t.src;
            links[n++] = (rs_link_override){
                t.src,
                t.dst,
                {10000000 * (16 + (7 * i + 3 * step) % 16) / 16,
                 (uint64_t)(12.5e9 / (1 + (double)(5 * i % 16) / 16.0)) - (uint64_t)t.dst}};
        }
    }
    qsort(links, (size_t)n, sizeof *links, by_ends);
    int32_t kept = 0;
    for (int32_t i = 0; i < n; i++) {
        if (kept == 0 || by_ends(&links[i], &links[kept - 1]) != 0) links[kept++] = links[i];
    }
    net->overrides = links;
    net->n_overrides = kept;
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

static double run_yardstick(int32_t n) {
    double end;
    const double start = now_s();
    const long n_events = bare_heap_loop(n, (double)n_bytes, &end);
    return (double)n_events / (now_s() - start);
}

/* Returns one run's rate in transfers a second, its set-up included. */
static double run_once(const rs_job *job, size_t *memory) {
    rs_arena arena;
    rs_error error;
    rs_outcome outcome;
    rs_arena_init(&arena, NULL);
    const double start = now_s();
    if (rs_simulate(job, RS_ENGINE_EVENTS, NULL, &arena, &error, &outcome) != RS_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    const double rate = (double)outcome.n_transfers / (now_s() - start);
    *memory = arena.n_bytes;
    rs_arena_free(&arena);
    return rate;
}

/* Prints the best of some runs beside the best of the yardstick's, in turns: a busy machine slows
   both. */
static void report(const char *what, const rs_schedule *schedule, rs_protocol protocol,
                   int64_t count) {
    rs_job job = {.schedule = schedule, .count = count, .elem_bytes = 4};
    job.net = (rs_net){.link = {10000000, 12500000000}, .protocol = protocol};
    vary_links(schedule, &job.net);
    const int inner = schedule->n_transfers < 100000 ? 20 : 1;
    double best = 0, yardstick = 0;
    size_t memory = 0;
    for (int i = 0; i < REPEATS; i++) {
        const double bare = run_yardstick(schedule->n_ranks);
        if (bare > yardstick) yardstick = bare;
        for (int k = 0; k < inner; k++) {
            const double rate = run_once(&job, &memory);
            if (rate > best) best = rate;
        }
    }
    printf("%-28s %9lld transfers %6.1f M/s, bare heap %5.1f M/s: %5.2f  %6.2f MiB\n", what,
           (long long)schedule->n_transfers, best / 1e6, yardstick / 1e6, best / yardstick,
           (double)memory / 1048576);
}

static double peak_mib(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

int main(int argc, char **argv) {
    const int32_t n = argc > 1 ? atoi(argv[1]) : 1024;
    const int64_t count = n_bytes / 4;
    rs_schedule ring;
    rs_schedule_make(rs_find_algorithm("ring"), RS_ORDER_SEED, n, count, NULL, &ring);
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        rs_schedule schedule;
        rs_schedule_make(rs_algorithms[i], RS_ORDER_SEED, n, count, NULL, &schedule);
        report(rs_algorithms[i]->name, &schedule, RS_RENDEZVOUS, count);
        if (i > 0) continue;
        printf("%-28s %.1f MiB\n", "  peak of the process so far", peak_mib());
    }
    report("ring, chunks of two sizes", &ring, RS_RENDEZVOUS, count - 333);
    report("ring, eager", &ring, RS_EAGER, count);
    if (n > 1500) return 0; /* a table holds 10^7 transfers */
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const rs_schedule table = compiled(&ring, &arena);
    report("ring from a compiled table", &table, RS_RENDEZVOUS, count);
    printf("%-28s %.2f MiB\n", "  the table itself", (double)arena.n_bytes / 1048576);
    rs_arena_free(&arena);
    return 0;
}
