/* Ports that are queued for: cases worked out by hand, and any schedule against a slow reference. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "costs.h"
#include "sim_jobs.h"

static rs_arena arena;

static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}

static void close_arena(void) {
    rs_arena_free(&arena);
}

TestSuite(ports, .init = open_arena, .fini = close_arena);

/* A transfer of one chunk of 1 byte; with 1 TB/s and these latencies it takes alpha + 1 ps. */
static rs_transfer copy(int32_t src, int32_t dst) {
    return (rs_transfer){.src = src, .dst = dst, .n_chunks = 1, .effect = RS_COPY};
}

/* Runs a list; n_bytes wire time in ps, alpha_ps on top. */
static rs_trace *run_list(int32_t n_ranks, const rs_transfer list[], const int32_t step_of[],
                          int64_t n, int64_t n_bytes, int64_t alpha_ps, rs_protocol protocol) {
    static rs_schedule schedule;
    schedule = sim_list(n_ranks, 1, list, step_of, n, &arena);
    rs_job job = sim_job(&schedule, n_bytes);
    job.elem_bytes = 1;
    job.net.link = (rs_link){alpha_ps, 1000000000000};
    job.net.protocol = protocol;
    rs_trace *trace;
    sim_run(&job, &arena, &trace);
    return trace;
}

static void expect_times(const rs_trace *trace, const int64_t starts[], const int64_t ends[]) {
    for (int64_t i = 0; i < trace->n_items; i++) {
        cr_expect_eq(trace->items[i].start_ps, starts[i], "transfer %d starts at %d", (int)i,
                     (int)trace->items[i].start_ps);
        cr_expect_eq(trace->items[i].end_ps, ends[i], "transfer %d ends at %d", (int)i,
                     (int)trace->items[i].end_ps);
    }
}

Test(ports, two_senders_to_one_receiver_go_in_list_order) {
    const rs_transfer list[] = {copy(2, 0), copy(1, 0)};
    const int32_t step_of[] = {0, 0};
    expect_times(run_list(3, list, step_of, 2, 10, 5, RS_RENDEZVOUS), (int64_t[]){0, 15},
                 (int64_t[]){15, 30});
    /* eager: the port is free when the bytes are through; the latencies overlap */
    expect_times(run_list(3, list, step_of, 2, 10, 5, RS_EAGER), (int64_t[]){0, 10},
                 (int64_t[]){15, 25});
}

Test(ports, a_message_to_a_busy_receiver_does_not_hold_back_the_next) {
    /* 0 -> 2 is first; 1 -> 2 cannot start, 1 -> 3 can, and takes the port of 1 till 15 */
    const rs_transfer list[] = {copy(0, 2), copy(1, 2), copy(1, 3)};
    const int32_t step_of[] = {0, 0, 0};
    expect_times(run_list(4, list, step_of, 3, 10, 5, RS_RENDEZVOUS), (int64_t[]){0, 15, 0},
                 (int64_t[]){15, 30, 15});
    expect_times(run_list(4, list, step_of, 3, 10, 5, RS_EAGER), (int64_t[]){0, 10, 0},
                 (int64_t[]){15, 25, 15});
}

Test(ports, what_became_ready_first_goes_first_though_later_in_the_list_of_steps) {
    /* rank 1 reaches its step 1 at 15, when rank 0 has long had 3 -> 0 of step 1 waiting: eager */
    const rs_transfer list[] = {copy(2, 1), copy(1, 0), copy(3, 0)};
    const int32_t step_of[] = {0, 1, 1};
    expect_times(run_list(4, list, step_of, 3, 10, 5, RS_EAGER), (int64_t[]){0, 15, 0},
                 (int64_t[]){15, 30, 15});
}

Test(ports, both_directions_of_a_pair_run_at_once) {
    const rs_transfer list[] = {copy(0, 1), copy(1, 0)};
    const int32_t step_of[] = {0, 0};
    expect_times(run_list(2, list, step_of, 2, 10, 5, RS_RENDEZVOUS), (int64_t[]){0, 0},
                 (int64_t[]){15, 15});
}

Test(ports, all_to_all_in_one_step_is_served_in_list_order) {
    /* sorted by source: 0->1 0->2 1->0 1->2 2->0 2->1. At 0: 0->1 and 1->0 start (0->2: port of 0
       busy; 1->2: of 1; 2->0, 2->1: receivers busy). At 15 all four ports are free: 0->2, then 2->0
       (1->2 needs receiver 2), ... then 1->2 and 2->1. */
    const rs_transfer list[] = {copy(0, 1), copy(0, 2), copy(1, 0),
                                copy(1, 2), copy(2, 0), copy(2, 1)};
    const int32_t step_of[] = {0, 0, 0, 0, 0, 0};
    expect_times(run_list(3, list, step_of, 6, 10, 5, RS_RENDEZVOUS),
                 (int64_t[]){0, 15, 0, 30, 15, 30}, (int64_t[]){15, 30, 15, 45, 30, 45});
    /* rotated, nobody ever waits for a wrong port: N - 1 rounds */
    const rs_transfer rotated[] = {copy(0, 1), copy(1, 2), copy(2, 0),
                                   copy(0, 2), copy(1, 0), copy(2, 1)};
    expect_times(run_list(3, rotated, step_of, 6, 10, 5, RS_RENDEZVOUS),
                 (int64_t[]){0, 0, 0, 15, 15, 15}, (int64_t[]){15, 15, 15, 30, 30, 30});
}

Test(ports, several_messages_between_one_pair_go_one_after_another) {
    const rs_transfer list[] = {copy(0, 1), copy(0, 1), copy(0, 1)};
    const int32_t step_of[] = {0, 0, 0};
    expect_times(run_list(2, list, step_of, 3, 10, 5, RS_RENDEZVOUS), (int64_t[]){0, 15, 30},
                 (int64_t[]){15, 30, 45});
    expect_times(run_list(2, list, step_of, 3, 10, 5, RS_EAGER), (int64_t[]){0, 10, 20},
                 (int64_t[]){15, 25, 35});
}

Test(ports, an_outage_holds_up_the_first_message_of_the_step_only) {
    const rs_transfer list[] = {copy(0, 1), copy(0, 2), copy(0, 1)};
    const int32_t step_of[] = {0, 0, 1};
    const rs_schedule schedule = sim_list(3, 1, list, step_of, 3, &arena);
    const rs_fault down = {.kind = RS_DOWN, .rank = 0, .step = 0, .time_ps = 100};
    rs_job job = sim_job(&schedule, 10);
    job.elem_bytes = 1;
    job.net.link = (rs_link){5, 1000000000000};
    job.faults = &down, job.n_faults = 1;
    rs_trace *trace;
    sim_run(&job, &arena, &trace);
    expect_times(trace, (int64_t[]){0, 115, 130}, (int64_t[]){115, 130, 145});
    job.net.protocol = RS_EAGER;
    sim_run(&job, &arena, &trace);
    expect_times(trace, (int64_t[]){0, 110, 120}, (int64_t[]){115, 125, 135});
}

Test(ports, additions_of_several_messages_do_not_queue) {
    rs_transfer list[] = {copy(1, 0), copy(2, 0)};
    list[0].effect = list[1].effect = RS_REDUCE;
    const int32_t step_of[] = {0, 0};
    const rs_schedule schedule = sim_list(3, 1, list, step_of, 2, &arena);
    rs_job job = sim_job(&schedule, 10);
    job.elem_bytes = 1;
    job.net = (rs_net){.link = {5, 1000000000000}, .reduce_Bps = 100000000000};
    rs_trace *trace;
    const rs_outcome outcome = sim_run(&job, &arena, &trace);
    cr_expect_eq(trace->items[0].done_ps, 115);
    cr_expect_eq(trace->items[1].done_ps, 130);
    cr_expect_eq(outcome.finish_ps[1], 15); /* the sender does not wait for the addition */
    cr_expect_eq(outcome.finish_ps[0], 130);
}

/* Were anything searched that waits, these would take minutes. */
Test(ports, a_hundred_thousand_waiting_messages_are_no_matter) {
    enum { K = 100000 };
    static rs_transfer list[3 * K];
    static int32_t step_of[3 * K];
    for (int i = 0; i < K;
         i++) { /* one receiver busy for two senders, one of which has others too */
        list[i] = copy(1, 0), list[K + i] = copy(2, 0), list[2 * K + i] = copy(2, 3);
    }
    const rs_trace *busy = run_list(4, list, step_of, 3 * K, 1, 0, RS_RENDEZVOUS);
    cr_expect_eq(busy->items[2 * K - 1].end_ps, 2 * K);
    cr_expect_eq(busy->items[3 * K - 1].end_ps, K);
    for (int i = 0; i < K; i++) { /* all of 1 has come before 2 begins, and 0 takes turns with 3 */
        list[3 * i] = copy(3, 0), list[3 * i + 1] = copy(1, 0), list[3 * i + 2] = copy(2, 0);
        step_of[3 * i] = 2 * i, step_of[3 * i + 1] = 2 * i, step_of[3 * i + 2] = 2 * i + 1;
    }
    const rs_schedule schedule = sim_list(4, 1, list, step_of, 3 * K, &arena);
    const rs_fault late[] = {{.kind = RS_LATE, .rank = 3, .time_ps = 10 * K},
                             {.kind = RS_LATE, .rank = 2, .time_ps = 5 * K}};
    rs_job job = sim_job(&schedule, 1);
    job.elem_bytes = 1;
    job.net = (rs_net){.link = {0, 1000000000000}, .protocol = RS_EAGER};
    job.faults = late, job.n_faults = 2;
    const rs_outcome outcome = sim_run(&job, &arena, NULL);
    cr_expect(outcome.completed);
    cr_expect_eq(outcome.makespan_ps, 11 * K);
}

/* ------------------------------------------------------------------ the slow reference */

enum { MOST = 160, MOST_RANKS = 16, UNKNOWN = -1 };

/* Everything in plain arrays, looked through from the start at every instant. */
typedef struct reference {
    const rs_job *job;
    const rs_costs *costs;
    int n;
    rs_transfer t[MOST];
    int32_t step[MOST];
    int64_t ready[MOST], start[MOST], free[MOST], end[MOST], done[MOST];
    int64_t entry[MOST_RANKS][MOST + 1], left[MOST_RANKS][MOST + 1]; /* [rank][step]; UNKNOWN */
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

static bool port_is_free(const reference *f, int32_t src, int32_t dst, int64_t now) {
    for (int i = 0; i < f->n; i++) {
        const bool shares = f->t[i].src == src || f->t[i].dst == dst;
        if (shares && f->start[i] != UNKNOWN && f->free[i] > now) return false;
    }
    return true;
}

static bool goes_before(const reference *f, int a, int b) {
    if (f->ready[a] != f->ready[b]) return f->ready[a] < f->ready[b];
    if (f->step[a] != f->step[b]) return f->step[a] < f->step[b];
    return f->t[a].order < f->t[b].order;
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
}

/* Starts all that can start at `now`, in turn; returns whether any did. */
static bool give(reference *f, int64_t now) {
    bool done[MOST] = {false}, any = false;
    for (;;) {
        int best = -1;
        for (int i = 0; i < f->n; i++) {
            if (done[i] || f->start[i] != UNKNOWN || f->ready[i] == UNKNOWN || f->ready[i] > now) {
                continue;
            }
            if (best < 0 || goes_before(f, i, best)) best = i;
        }
        if (best < 0) return any;
        done[best] = true;
        if (port_is_free(f, f->t[best].src, f->t[best].dst, now)) {
            begin_transfer(f, best, now);
            any = true;
        }
    }
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
    follow(f);
    for (int64_t now = 0; now >= 0; now = next_instant(f, now)) {
        while (give(f, now)) follow(f);
    }
}

/* Crowded: many ranks and messages in few steps, so that lines are long, many of one pair, all at
   once. */
static void draw_job(uint64_t *state, bool crowded, reference *f, rs_schedule *schedule,
                     rs_job *job, rs_fault faults[]) {
    const int32_t n_ranks = (int32_t)sim_between(state, 2, crowded ? MOST_RANKS : 6);
    const int32_t n_steps = (int32_t)sim_between(state, 1, crowded ? 3 : 6);
    f->n = (int)sim_between(state, crowded ? 40 : 1, crowded ? MOST : 40);
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
static int64_t compare_with_reference(uint64_t state, bool crowded, int n_cases,
                                      int64_t *n_stalled) {
    static reference f;
    int64_t n_compared = 0;
    *n_stalled = 0;
    for (int i = 0; i < n_cases; i++) {
        rs_schedule schedule;
        rs_job job;
        rs_fault faults[3];
        draw_job(&state, crowded, &f, &schedule, &job, faults);
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

Test(ports, any_schedule_takes_the_times_of_the_slow_reference) {
    int64_t n_stalled;
    cr_expect_gt(compare_with_reference(17, false, 6000, &n_stalled), 50000);
    cr_expect_gt(n_stalled, 300);
}

Test(ports, a_crowd_takes_the_times_of_the_slow_reference) {
    int64_t n_stalled;
    cr_expect_gt(compare_with_reference(18, true, 400, &n_stalled), 10000);
    cr_expect_gt(n_stalled, 50);
}
