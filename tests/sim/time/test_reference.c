/* Any schedule, ports queued for, under both protocols: the engine against a slow reference. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "time/costs.h"
#include "support/sim_jobs.h"
#include "support/rounds.h"

static rs_arena arena;

static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}

static void close_arena(void) {
    rs_arena_free(&arena);
}

TestSuite(reference, .init = open_arena, .fini = close_arena);

enum { MOST = 600, MOST_RANKS = 40, MOST_STEPS = 6, UNKNOWN = -1 };

/* Everything in plain arrays, looked through from the start at every instant. */
typedef struct reference {
    const rs_job *job;
    const rs_costs *costs;
    int n;
    rs_transfer t[MOST];
    int32_t step[MOST];
    int64_t ready[MOST], start[MOST], free[MOST], end[MOST], done[MOST];
    int64_t entry[MOST_RANKS][MOST_STEPS], left[MOST_RANKS][MOST_STEPS]; /* UNKNOWN */
    int64_t busy[2][MOST_RANKS]; /* until when: send ports, receive ports */
} reference;

static int64_t later(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* Fills in every entry, leaving and readiness that follows from what is known. */
static void follow(reference *f) {
    const int32_t n_steps = f->costs->n_steps;
    const bool eager = f->job->net.protocol == RS_EAGER;
    for (int32_t step = 0; step < n_steps; step++) {
        for (int32_t r = 0; r < f->costs->n_ranks; r++) {
            const int64_t before = step == 0 ? f->costs->late_ps[r] : f->left[r][step - 1];
            if (f->entry[r][step] == UNKNOWN && before != UNKNOWN &&
                f->costs->kill_step[r] > step) {
                f->entry[r][step] = before + f->costs->straggler_ps[r];
            }
        }
        for (int i = 0; i < f->n; i++) {
            if (f->step[i] != step) continue;
            const int64_t from = f->entry[f->t[i].src][step], to = f->entry[f->t[i].dst][step];
            if (from != UNKNOWN && (eager || to != UNKNOWN)) {
                f->ready[i] = eager ? from : later(from, to);
            }
            if (f->end[i] != UNKNOWN && to != UNKNOWN) {
                const int64_t bytes = rs_costs_bytes(f->costs, &f->t[i]);
                f->done[i] = later(f->end[i], to);
                if (f->t[i].effect == RS_REDUCE) {
                    f->done[i] += rs_costs_addition(f->costs, f->t[i].dst, bytes);
                }
            }
        }
        for (int32_t r = 0; r < f->costs->n_ranks; r++) {
            int64_t out = f->entry[r][step];
            for (int i = 0; i < f->n && out != UNKNOWN; i++) {
                if (f->step[i] != step) continue;
                int64_t part = 0;
                if (f->t[i].dst == r) part = f->done[i];
                if (f->t[i].src == r && !eager) part = f->end[i];
                out = part == UNKNOWN ? UNKNOWN : later(out, part);
            }
            f->left[r][step] = out;
        }
    }
}

static const reference *sorted; /* whose transfers qsort compares */

static int by_turn(const void *left, const void *right) {
    const int a = *(const int *)left, b = *(const int *)right;
    if (sorted->ready[a] != sorted->ready[b]) return sorted->ready[a] < sorted->ready[b] ? -1 : 1;
    return a - b; /* they are drawn by step and list order */
}

static void begin_transfer(reference *f, int i, int64_t now) {
    int64_t alpha, busy;
    const int64_t bytes = rs_costs_bytes(f->costs, &f->t[i]);
    rs_costs_link(f->costs, f->t[i].src, f->t[i].dst, bytes, &alpha, &busy);
    bool first = true;
    for (int k = 0; k < i; k++) {
        first = first && (f->step[k] != f->step[i] || f->t[k].src != f->t[i].src);
    }
    if (first) busy += rs_costs_outage(f->costs, f->t[i].src, f->step[i]);
    f->start[i] = now;
    f->end[i] = now + busy + alpha;
    f->free[i] = f->job->net.protocol == RS_EAGER ? now + busy : f->end[i];
    f->busy[0][f->t[i].src] = f->busy[1][f->t[i].dst] = f->free[i];
}

/* Starts all that can start at `now`, in turn; returns whether any did. */
static bool give(reference *f, int64_t now) {
    int ready[MOST], n = 0;
    bool any = false;
    for (int i = 0; i < f->n; i++) {
        const bool waits = f->start[i] == UNKNOWN && f->ready[i] != UNKNOWN && f->ready[i] <= now;
        if (waits) ready[n++] = i;
    }
    sorted = f;
    qsort(ready, (size_t)n, sizeof *ready, by_turn);
    for (int k = 0; k < n; k++) {
        const rs_transfer *t = &f->t[ready[k]];
        if (f->busy[0][t->src] > now || f->busy[1][t->dst] > now) continue;
        begin_transfer(f, ready[k], now);
        any = true;
    }
    return any;
}

/* Returns the next time after `now` at which something may change, -1 if there is none. */
static int64_t next_instant(const reference *f, int64_t now) {
    int64_t next = INT64_MAX;
    for (int i = 0; i < f->n; i++) {
        const int64_t times[] = {f->ready[i], f->free[i], f->end[i], f->done[i]};
        for (int k = 0; k < 4; k++) {
            if (times[k] > now && times[k] < next) next = times[k];
        }
    }
    return next == INT64_MAX ? -1 : next;
}

static void run_reference(reference *f) {
    memset(f->ready, -1, sizeof f->ready);
    memset(f->start, -1, sizeof f->start);
    memset(f->free, -1, sizeof f->free);
    memset(f->end, -1, sizeof f->end);
    memset(f->done, -1, sizeof f->done);
    memset(f->entry, -1, sizeof f->entry);
    memset(f->left, -1, sizeof f->left);
    memset(f->busy, -1, sizeof f->busy);
    follow(f);
    for (int64_t now = 0; now >= 0; now = next_instant(f, now)) {
        while (give(f, now)) follow(f);
    }
}

/* How many of what a case has: in a crowd lines are long, with many of one pair, all at once; in a
   throng they are so long that ports look for partners by rows. */
typedef struct size {
    int ranks, steps, fewest, most;
} case_size;
static const case_size few = {6, 6, 1, 40}, crowd = {16, 3, 40, 160},
                       throng = {MOST_RANKS, 2, 300, MOST};

static void draw_job(uint64_t *state, case_size size, reference *f, rs_schedule *schedule,
                     rs_job *job, rs_fault faults[]) {
    const int32_t n_ranks = (int32_t)sim_between(state, 2, size.ranks);
    const int32_t n_steps = (int32_t)sim_between(state, 1, size.steps);
    f->n = (int)sim_between(state, size.fewest, size.most);
    for (int i = 0; i < f->n; i++) {
        f->step[i] = (int32_t)sim_between(state, 0, n_steps - 1);
        for (int k = i; k > 0 && f->step[k] < f->step[k - 1]; k--) {
            const int32_t swap = f->step[k];
            f->step[k] = f->step[k - 1], f->step[k - 1] = swap;
        }
        const int32_t src = (int32_t)sim_between(state, 0, n_ranks - 1);
        f->t[i] = (rs_transfer){
            .src = src,
            .dst = (src + (int32_t)sim_between(state, 1, n_ranks - 1)) % n_ranks,
            .chunk = (int32_t)sim_between(state, 0, 2),
            .n_chunks = 1,
            .effect = (uint8_t)sim_between(state, 0, 1),
        };
    }
    for (int i = 0, order = 0; i < f->n; i++) {
        order = i > 0 && f->step[i] == f->step[i - 1] ? order + 1 : 0;
        f->t[i].order = order;
    }
    *schedule = sim_list(n_ranks, 3, f->t, f->step, f->n, &arena);
    *job = sim_job(schedule, sim_between(state, 1, 9));
    job->elem_bytes = 1;
    if (sim_between(state, 0, 2) == 0) {
        sim_vary_links(state, job, &arena);
    } else { /* small whole times, so that many things happen at one instant; some take no time */
        job->net.link = (rs_link){sim_between(state, 0, 3), 1000000000000};
    }
    if (sim_between(state, 0, 1) == 0) job->net.reduce_Bps = 500000000000;
    job->net.protocol = (rs_protocol)sim_between(state, 0, 1);
    static const rs_fault_kind kinds[] = {RS_SLOW_LINK, RS_LATE, RS_STRAGGLER,
                                          RS_KILL,      RS_DOWN, RS_SLOW_REDUCE};
    job->faults = faults;
    job->n_faults = (int32_t)sim_between(state, 0, 3);
    for (int i = 0; i < job->n_faults; i++) {
        faults[i] = (rs_fault){
            .kind = kinds[sim_between(state, 0, 5)],
            .rank = (int32_t)sim_between(state, 0, n_ranks - 1),
            .step = (int32_t)sim_between(state, 0, schedule->n_steps - 1),
            .time_ps = sim_between(state, 0, 9),
            .factor_num = (uint64_t)sim_between(state, 1, 3),
            .factor_den = 1,
        };
    }
}

/* Draws cases and compares every time; returns how many transfers, and in *n_stalled how many runs
   stalled. */
static int64_t compare_with_reference(uint64_t state, case_size size, int n_cases,
                                      int64_t *n_stalled) {
    static reference f;
    int64_t n_compared = 0;
    *n_stalled = 0;
    for (int i = 0; i < n_cases; i++) {
        rs_schedule schedule;
        rs_job job;
        rs_fault faults[3];
        draw_job(&state, size, &f, &schedule, &job, faults);
        rs_costs *costs;
        rs_error error;
        cr_assert_eq(rs_costs_new(&job, &arena, &error, &costs), RS_OK, "%s", error.text);
        f.job = &job, f.costs = costs;
        run_reference(&f);
        rs_trace *trace;
        const rs_outcome outcome = sim_run(&job, &arena, &trace);
        int64_t at = 0, finished = 0;
        for (int k = 0; k < f.n; k++) {
            if (f.done[k] == UNKNOWN) continue;
            const rs_timed *timed = &trace->items[at++];
            cr_assert(timed->step == f.step[k] && timed->transfer.order == f.t[k].order);
            cr_assert_eq(timed->start_ps, f.start[k], "case %d transfer %d: %lld, not %lld", i, k,
                         (long long)timed->start_ps, (long long)f.start[k]);
            cr_assert_eq(timed->end_ps, f.end[k]);
            cr_assert_eq(timed->done_ps, f.done[k]);
        }
        cr_assert_eq(at, trace->n_items);
        for (int32_t r = 0; r < schedule.n_ranks; r++) {
            const int64_t left = f.left[r][schedule.n_steps - 1];
            cr_assert_eq(outcome.finish_ps[r], left, "case %d rank %d", i, r);
            finished += left != UNKNOWN;
        }
        cr_assert_eq(outcome.completed, finished == schedule.n_ranks);
        cr_assert_eq(outcome.n_stalled + outcome.n_killed, schedule.n_ranks - finished);
        *n_stalled += outcome.n_stalled > 0;
        n_compared += at;
        rs_arena_free(&arena);
    }
    return n_compared;
}

Test(reference, any_schedule_takes_the_times_of_the_slow_reference) {
    int64_t n_stalled;
    cr_expect_gt(compare_with_reference(17, few, ROUNDS(6000, 1500), &n_stalled),
                 ROUNDS(50000, 12000));
    cr_expect_gt(n_stalled, ROUNDS(300, 70));
}

Test(reference, a_crowd_takes_the_times_of_the_slow_reference) {
    int64_t n_stalled;
    cr_expect_gt(compare_with_reference(18, crowd, 400, &n_stalled), 10000);
    cr_expect_gt(n_stalled, 50);
}

Test(reference, a_throng_takes_the_times_of_the_slow_reference) {
    int64_t n_stalled;
    cr_expect_gt(compare_with_reference(19, throng, ROUNDS(400, 60), &n_stalled),
                 ROUNDS(60000, 8000));
    cr_expect_gt(n_stalled, ROUNDS(50, 5));
}
