/* test_pieces.c: however elements are cut, each is worked on once, within its chunk, by so many tasks as are
   worth it. */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "support/sim_jobs.h"
#include "values/pieces.h"

typedef struct seen {
    const rs_schedule *schedule;
    int64_t count;
    bool whole;
    unsigned char *times; /* [count] each element was worked on */
    int32_t n_tasks, most_tasks;
    int64_t max_events;
    int n_windows, n_started; /* by parallel_for */
    int last_task;
} seen;

static rs_status prepare(void *context, int32_t n_tasks, int64_t max_events, rs_error *error) {
    (void)error;
    seen *s = context;
    s->n_tasks = n_tasks;
    s->max_events = max_events;
    s->n_windows++;
    return RS_OK;
}

static void work(void *context, const rs_piece *piece) {
    seen *s = context;
    cr_assert(piece->task >= 0 && piece->task < s->n_tasks);
    cr_assert(piece->n > 0 && piece->first >= 0 && piece->first + piece->n <= s->count);
    for (int64_t i = 0; i < piece->n; i++) s->times[piece->first + i]++;
    if (s->whole) return;
    const int32_t n_chunks = s->schedule->n_chunks;
    cr_expect_eq(piece->chunk_first, rs_chunk_offset(s->count, n_chunks, piece->chunk));
    cr_expect(piece->first >= piece->chunk_first &&
              piece->first + piece->n <= rs_chunk_offset(s->count, n_chunks, piece->chunk + 1));
    cr_expect_leq(piece->n_events, s->max_events);
}

/* The last first: their order does not matter. */
static void run_all(void *context, int n_tasks, void (*task)(void *argument, int index),
                    void *argument) {
    seen *s = context;
    s->n_started = n_tasks;
    for (int i = n_tasks - 1; i >= 0; i--) task(argument, i);
}

/* A task for every 64 KiB and another for every 4,096 events, four for each worker at the most. */
static int64_t tasks_worth(const seen *s, int64_t n, int64_t n_bytes, int32_t n_workers) {
    const int64_t n_chunks = s->whole ? 0 : s->schedule->n_chunks;
    int64_t tasks = n_bytes / 65536 + (n < n_chunks ? n : n_chunks) * s->max_events / 4096;
    if (n_workers <= 1) return 1;
    if (tasks > 4 * n_workers) tasks = 4 * n_workers;
    if (tasks > n) tasks = n;
    return tasks > 1 ? tasks : 1;
}

static void look(const rs_schedule *schedule, int64_t count, int64_t first, int64_t n, bool whole,
                 int32_t elem_bytes, int32_t n_workers) {
    seen s = {.schedule = schedule, .count = count, .whole = whole};
    s.times = calloc((size_t)count + 1, 1);
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const rs_host host = {.context = &s, .parallel_for = run_all, .n_workers = n_workers};
    rs_part part = {.schedule = schedule, .count = count, .first = first, .n = n, .arena = &arena};
    const rs_pieces pieces = {.part = &part,
                              .whole = whole,
                              .elem_bytes = elem_bytes,
                              .what = "trying",
                              .context = &s,
                              .prepare = prepare,
                              .work = work};
    cr_assert_eq(rs_for_pieces(&pieces, &host, NULL), RS_OK);
    for (int64_t i = 0; i < count; i++) {
        cr_assert_eq(s.times[i], i >= first && i < first + n, "element %d", (int)i);
    }
    if (s.n_windows == 1 && n > 0 && (first == 0 || whole)) {
        const int64_t n_bytes = n * elem_bytes * schedule->n_ranks;
        cr_expect_eq(s.n_tasks, tasks_worth(&s, n, n_bytes, n_workers), "%d of %d, %d workers",
                     (int)n, (int)count, (int)n_workers);
        cr_expect_eq(s.n_started, s.n_tasks > 1 ? s.n_tasks : 0);
    }
    rs_arena_free(&arena);
    free(s.times);
}

Test(pieces, are_each_element_once_in_tasks_that_are_worth_it) {
    static const int64_t counts[] = {0, 1, 5, 63, 64, 65, 1000, 16383, 16384, 16385, 300000};
    static const int32_t ranks[] = {1, 2, 9, 129, 16384};
    static const int32_t workers[] = {0, 1, 2, 3, 8};
    for (int r = 0; r < 5; r++) {
        const int32_t n_ranks = ranks[r];
        for (int c = 0; c < (n_ranks < 1000 ? 11 : 6); c++) {
            const rs_schedule schedule = sim_schedule("ring", n_ranks, counts[c]);
            for (int turn = 0; turn < 20; turn++) {
                const int64_t first = turn < 10 ? 0 : counts[c] / (turn - 8);
                const int64_t n = turn < 10 ? counts[c] : (counts[c] - first) / (turn % 3 + 1);
                look(&schedule, counts[c], first, n, turn % 2 == 0 || n_ranks > 1000, 1 << turn % 4,
                     workers[turn % 5]);
            }
        }
    }
}
