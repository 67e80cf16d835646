/* The engines' times, exactly: closed forms, and the two recurrences of the ring. */
#include <criterion/criterion.h>
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

TestSuite(simulate, .init = open_arena, .fini = close_arena);

Test(simulate, the_first_picture_shows_why_the_ring_exists) {
    const int64_t count = 25000000; /* 100 MB of i32 */
    const rs_schedule ring = sim_schedule("ring", 5, count),
                      naive = sim_schedule("naive", 5, count);
    const rs_job ring_job = sim_job(&ring, count), naive_job = sim_job(&naive, count);
    cr_expect_eq(sim_run(&ring_job, &arena, NULL).makespan_ps, 8040000000);
    cr_expect_eq(sim_run(&naive_job, &arena, NULL).makespan_ps, 40040000000);
}

/* What one algorithm should take, written down here a second time, from the theory. */
static int64_t expected_ps(const char *name, int64_t n, int64_t count, int64_t elem_bytes,
                           const rs_net *net) {
    int64_t log = 0, up = 0;
    while (2LL << log <= n) log++;
    while (1LL << up < n) up++;
    const int64_t p = (int64_t)1 << log, extra = n > p;
    const int64_t largest = (count + n - 1) / n;
#define MESSAGE(elements)                                                                          \
    (net->link.alpha_ps + rs_wire_ps((elements)*elem_bytes, net->link.bandwidth_Bps, 1, 1))
#define ADDITION(elements)                                                                         \
    (net->reduce_Bps == 0 ? 0 : rs_wire_ps((elements)*elem_bytes, net->reduce_Bps, 1, 1))
    if (strcmp(name, "ring") == 0) {
        return 2 * (n - 1) * MESSAGE(largest) + (n - 1) * ADDITION(largest);
    }
    if (strcmp(name, "naive") == 0) {
        return 2 * (n - 1) * MESSAGE(count) + (n - 1) * ADDITION(count);
    }
    if (strcmp(name, "tree") == 0) return up * (2 * MESSAGE(count) + ADDITION(count));
    const int64_t fold = extra * (2 * MESSAGE(count) + ADDITION(count));
    if (strcmp(name, "two-level") == 0) {
        int64_t g = n / 2 < 8 ? n / 2 : 8; /* the node: the largest divisor that leaves two */
        while (g > 1 && n % g != 0) g--;
        if (g == 0) g = 1;
        const int64_t m = n / g, more = count % n < m ? count % n : m;
        const int64_t slice = m * (count / n) + more;
        return (g - 1) * (2 * MESSAGE(slice) + ADDITION(slice)) +
               (m - 1) * (2 * MESSAGE(largest) + ADDITION(largest));
    }
    if (strcmp(name, "halving") != 0 && strcmp(name, "doubling") != 0) {
        /* Newer than this test: at least its own form and the engine's time must agree. */
        const rs_schedule schedule = sim_schedule(name, (int32_t)n, count);
        return schedule.algorithm->closed_form_ps(&schedule, count, (int32_t)elem_bytes, net);
    }
    if (strcmp(name, "doubling") == 0) return log * (MESSAGE(count) + ADDITION(count)) + fold;
    int64_t halving = fold;
    for (int64_t k = 0; k < log; k++) {
        const int64_t chunks = (int64_t)1 << k;
        const int64_t larger = count % p < chunks ? count % p : chunks;
        const int64_t elements = chunks * (count / p) + larger;
        halving += 2 * MESSAGE(elements) + ADDITION(elements);
    }
    return halving;
#undef MESSAGE
#undef ADDITION
}

static void expect_closed_form(const rs_algorithm *algorithm, int32_t n, int64_t count,
                               int32_t elem_bytes, uint64_t reduce_Bps) {
    const rs_schedule schedule = sim_schedule(algorithm->name, n, count);
    rs_job job = sim_job(&schedule, count);
    job.elem_bytes = elem_bytes;
    job.net.link = (rs_link){1234567, 7000000001};
    job.net.reduce_Bps = reduce_Bps;
    const rs_outcome outcome = sim_run(&job, &arena, NULL);
    cr_assert(outcome.completed);
    const int64_t expected =
        n == 1 || count == 0 ? 0 : expected_ps(algorithm->name, n, count, elem_bytes, &job.net);
    if (expected < 0) { /* of unequal chunks two-shot has none */
        cr_assert(count % n != 0 && rs_closed_form_ps(&job) == -1);
        return;
    }
    cr_assert_eq(outcome.makespan_ps, expected, "%s N=%d K=%d x %d: %lld, expected %lld",
                 algorithm->name, (int)n, (int)count, (int)elem_bytes,
                 (long long)outcome.makespan_ps, (long long)expected);
    cr_assert_eq(rs_closed_form_ps(&job), expected);
    cr_assert_eq(outcome.n_transfers, schedule.n_transfers);
    int64_t last = 0;
    for (int32_t r = 0; r < n; r++) {
        cr_assert_eq(outcome.bytes_sent[r], rs_elements_sent(&schedule, count, r) * elem_bytes);
        cr_assert_eq(outcome.entered[r], schedule.n_steps);
        if (outcome.finish_ps[r] > last) last = outcome.finish_ps[r];
    }
    cr_assert_eq(last, expected);
}

Test(simulate, closed_forms_hold_to_the_picosecond) {
    const int32_t sizes[] = {1, 2, 4, 8};
    for (int a = 0; rs_algorithms[a] != NULL; a++) {
        if (rs_algorithms[a]->closed_form_ps == NULL) continue;
        for (int32_t n = 1; n <= ROUNDS(64, 16); n++) {
            const int64_t counts[] = {0, 1, n - 1, n, n + 1, 1000};
            for (int i = 0; i < 6 * 4; i++) {
                expect_closed_form(rs_algorithms[a], n, counts[i / 4], sizes[i % 4], 0);
                expect_closed_form(rs_algorithms[a], n, counts[i / 4], sizes[i % 4], 3000000007);
                rs_arena_free(&arena);
            }
        }
    }
}

/* Both engines, no buffers: 2^40 doubles a rank are 8 TiB. */
Test(simulate, sizes_beyond_2_to_31_take_the_closed_forms_time) {
    const int64_t counts[] = {(1LL << 31) - 1, 1LL << 31, (1LL << 31) + 1, (1LL << 32) + 3,
                              1LL << 40};
    for (int i = 0; i < 5 * 5 * 8; i++) {
        const int64_t count = counts[i % 5];
        const int32_t n = 2 + i / 25;
        const rs_schedule schedule = sim_schedule(rs_algorithms[i / 5 % 5]->name, n, count);
        rs_job job = sim_job(&schedule, count);
        job.elem_bytes = 8;
        job.net.link = (rs_link){1234567, 70000000000001};
        job.net.reduce_Bps = 30000000000007;
        const int64_t expected = expected_ps(schedule.name, n, count, 8, &job.net);
        for (rs_engine engine = RS_ENGINE_EVENTS; engine <= RS_ENGINE_WAVEFRONT; engine++) {
            rs_outcome outcome;
            rs_error error;
            cr_assert_eq(rs_simulate(&job, engine, NULL, &arena, &error, &outcome), RS_OK, "%s",
                         error.text);
            cr_assert_eq(outcome.makespan_ps, expected, "%s N=%d case %d", schedule.name, n, i);
            for (int32_t r = 0; r < n; r++) {
                cr_assert_eq(outcome.bytes_sent[r], 8 * rs_elements_sent(&schedule, count, r));
            }
        }
        cr_assert_eq(rs_closed_form_ps(&job), expected);
        cr_assert_lt(arena.n_bytes, 1 << 20);
        rs_arena_free(&arena);
    }
}

/* The ring once more, as two loops over the recurrences, with nothing of the engine's. */
static void expect_recurrence(uint64_t *state, int32_t n, int64_t count, rs_protocol protocol) {
    const rs_schedule ring = sim_schedule("ring", n, count);
    rs_job job = sim_job(&ring, count);
    job.net.protocol = protocol;
    sim_vary_links(state, &job, &arena);
    rs_trace *trace;
    sim_run(&job, &arena, &trace);
    int64_t entry[64] = {0}, next[64], free_ps[64] = {0};
    for (int32_t step = 0; step < ring.n_steps; step++) {
        int64_t start[64], end[64];
        for (int32_t r = 0; r < n; r++) {
            const int32_t right = (r + 1) % n, chunk = ((r - step) % n + n) % n;
            const int64_t bytes =
                4 * (rs_chunk_offset(count, n, chunk + 1) - rs_chunk_offset(count, n, chunk));
            const rs_link_override *at = job.net.overrides;
            while (at->src != r || at->dst != right) at++;
            const int64_t busy = rs_wire_ps(bytes, at->link.bandwidth_Bps, 1, 1);
            const int64_t other = protocol == RS_EAGER ? free_ps[r] : entry[right];
            start[r] = entry[r] > other ? entry[r] : other;
            end[r] = start[r] + at->link.alpha_ps + busy;
            free_ps[r] = start[r] + busy;
        }
        for (int32_t r = 0; r < n; r++) {
            const int64_t arrival = end[(r + n - 1) % n];
            const int64_t sent = protocol == RS_EAGER ? entry[r] : end[r];
            next[r] = entry[r];
            if (arrival > next[r]) next[r] = arrival;
            if (sent > next[r]) next[r] = sent;
            const rs_timed *timed = &trace->items[step * n + r];
            cr_assert(timed->step == step && timed->transfer.src == r);
            cr_assert_eq(timed->start_ps, start[r], "N=%d step %d rank %d", n, step, r);
            cr_assert_eq(timed->end_ps, end[r]);
        }
        memcpy(entry, next, sizeof entry);
    }
}

Test(simulate, the_rings_two_recurrences_hold_on_different_links) {
    uint64_t state = 7;
    for (int i = 0; i < 300; i++) {
        const int32_t n = (int32_t)sim_between(&state, 2, 40);
        const int64_t count = sim_between(&state, 1, 3 * n);
        expect_recurrence(&state, n, count * (i % 3 == 0 ? n : 1), RS_RENDEZVOUS);
        expect_recurrence(&state, n, count * (i % 3 == 0 ? n : 1), RS_EAGER);
        rs_arena_free(&arena);
    }
}

static void expect_same(const rs_outcome *a, const rs_trace *ta, const rs_outcome *b,
                        const rs_trace *tb, int32_t n_ranks) {
    cr_assert_eq(a->makespan_ps, b->makespan_ps);
    cr_assert_eq(a->n_transfers, b->n_transfers);
    for (int32_t r = 0; r < n_ranks; r++) {
        cr_assert_eq(a->finish_ps[r], b->finish_ps[r]);
        cr_assert_eq(a->entered[r], b->entered[r]);
        cr_assert_eq(a->bytes_sent[r], b->bytes_sent[r], "rank %d: %lld, %lld", r,
                     (long long)a->bytes_sent[r], (long long)b->bytes_sent[r]);
    }
    for (int64_t i = 0; i < ta->n_items; i++) {
        const rs_timed *x = &ta->items[i], *y = &tb->items[i];
        cr_assert(x->step == y->step && x->transfer.src == y->transfer.src &&
                  x->transfer.dst == y->transfer.dst && x->transfer.chunk == y->transfer.chunk);
        cr_assert(x->start_ps == y->start_ps && x->end_ps == y->end_ps && x->done_ps == y->done_ps);
    }
}

static rs_fault random_fault(uint64_t *state, const rs_schedule *schedule) {
    static const rs_fault_kind kinds[] = {RS_SLOW_LINK, RS_LATE, RS_STRAGGLER,
                                          RS_KILL,      RS_DOWN, RS_SLOW_REDUCE};
    return (rs_fault){
        .kind = kinds[sim_between(state, 0, 5)],
        .rank = (int32_t)sim_between(state, 0, schedule->n_ranks - 1),
        .step = (int32_t)sim_between(state, 0, schedule->n_steps - 1),
        .time_ps = sim_between(state, 0, 20000000),
        .factor_num = (uint64_t)sim_between(state, 1, 9),
        .factor_den = (uint64_t)sim_between(state, 1, 3),
    };
}

/* Leaves out one transfer in three, so that some ranks only send in a step, or only hear. */
static rs_schedule thinned(uint64_t *state, const rs_schedule *whole) {
    rs_transfer list[800];
    int32_t step_of[800];
    int64_t at = 0;
    for (int32_t step = 0; step < whole->n_steps; step++) {
        rs_cursor cursor = {0};
        while (rs_next_transfer(whole, step, &cursor, &list[at])) {
            if (at > 0 && sim_between(state, 0, 2) == 0) continue;
            step_of[at++] = step;
        }
    }
    return sim_list(whole->n_ranks, whole->n_chunks, list, step_of, at, &arena);
}

/* What is settled at once against what goes through the queue. */
Test(simulate, the_short_way_and_the_general_way_agree_on_every_transfer) {
    uint64_t state = 11;
    for (int i = 0; i < 3000; i++) {
        const rs_algorithm *algorithm = rs_algorithms[i % 5];
        const int32_t n = (int32_t)sim_between(&state, 2, 20);
        const int64_t count = sim_between(&state, 1, 100);
        rs_schedule schedule = sim_schedule(algorithm->name, n, count);
        if (i % 7 == 0) schedule = thinned(&state, &schedule);
        rs_job job = sim_job(&schedule, count);
        job.net.protocol = i % 2 == 0 ? RS_RENDEZVOUS : RS_EAGER;
        if (i % 4 != 0) sim_vary_links(&state, &job, &arena);
        if (i % 3 != 0) job.net.reduce_Bps = 10000000;
        rs_fault faults[4];
        job.faults = faults;
        job.n_faults = (int32_t)sim_between(&state, 0, 4);
        for (int f = 0; f < job.n_faults; f++) faults[f] = random_fault(&state, &schedule);
        rs_trace *short_trace, *long_trace;
        const rs_outcome outcome = sim_run(&job, &arena, &short_trace);
        rs_costs *costs;
        rs_outcome general;
        cr_assert_eq(rs_trace_new(schedule.n_transfers, &arena, NULL, &long_trace), RS_OK);
        const rs_sink sink = rs_trace_sink(long_trace);
        cr_assert_eq(rs_costs_new(&job, &arena, NULL, &costs), RS_OK);
        costs->bounded = false; /* so that nothing is settled before its time */
        cr_assert_eq(rs_outcome_new(&job, &arena, NULL, &general), RS_OK);
        cr_assert_eq(rs_events(&job, costs, &sink, &arena, NULL, &general), RS_OK);
        rs_trace_sort(long_trace);
        expect_same(&outcome, short_trace, &general, long_trace, n);
        rs_arena_free(&arena);
    }
}

Test(simulate, the_same_job_twice_is_the_same_run) {
    uint64_t state = 5;
    const rs_schedule schedule = sim_schedule("ring", 30, 100);
    rs_job job = sim_job(&schedule, 100);
    sim_vary_links(&state, &job, &arena);
    for (rs_protocol protocol = RS_RENDEZVOUS; protocol <= RS_EAGER; protocol++) {
        job.net.protocol = protocol;
        rs_trace *first, *second;
        const rs_outcome a = sim_run(&job, &arena, &first);
        const rs_outcome b = sim_run(&job, &arena, &second);
        expect_same(&a, first, &b, second, 30);
    }
}

Test(simulate, a_file_of_a_ring_takes_as_long_as_the_ring) {
    for (int32_t n = 2; n <= 9; n++) {
        const rs_schedule ring = sim_schedule("ring", n, 100);
        rs_transfer list[200];
        int32_t step_of[200];
        int64_t at = 0;
        for (int32_t step = 0; step < ring.n_steps; step++) {
            rs_cursor cursor = {0};
            while (rs_next_transfer(&ring, step, &cursor, &list[at])) step_of[at++] = step;
        }
        const rs_schedule file = sim_list(n, n, list, step_of, at, &arena);
        rs_job job = sim_job(&ring, 100);
        const int64_t expected = sim_run(&job, &arena, NULL).makespan_ps;
        job.schedule = &file;
        cr_expect_eq(sim_run(&job, &arena, NULL).makespan_ps, expected);
        cr_expect_eq(rs_closed_form_ps(&job), -1);
    }
}

Test(simulate, a_file_without_elements_takes_no_time) {
    const rs_transfer list[] = {{.src = 0, .dst = 1, .n_chunks = 1}};
    const int32_t step_of[] = {0};
    const rs_schedule file = sim_list(2, 1, list, step_of, 1, &arena);
    const rs_job job = sim_job(&file, 0);
    const rs_outcome outcome = sim_run(&job, &arena, NULL);
    cr_expect(outcome.completed && outcome.makespan_ps == 0 && outcome.n_transfers == 0);
}

static bool stop(void *context, const char *what, int64_t done, int64_t total) {
    int64_t *calls = context;
    cr_expect(done > 0 && done < total);
    cr_expect_str_eq(what, "simulate");
    return ++*calls < 3;
}

Test(simulate, a_progress_function_may_stop_the_run) {
    for (rs_protocol protocol = RS_RENDEZVOUS; protocol <= RS_EAGER; protocol++) {
        int64_t calls = 0;
        const rs_host host = {.context = &calls, .progress = stop};
        rs_arena own;
        rs_arena_init(&own, &host);
        const rs_schedule ring = sim_schedule("ring", 600, 600);
        rs_job job = sim_job(&ring, 600);
        uint64_t state = 3;
        sim_vary_links(&state, &job, &arena);
        job.net.protocol = protocol;
        rs_outcome outcome;
        rs_error error;
        cr_expect_eq(rs_simulate(&job, RS_ENGINE_EVENTS, NULL, &own, &error, &outcome),
                     RS_CANCELLED);
        cr_expect_eq(calls, 3);
        rs_arena_free(&own);
    }
}

Test(simulate, a_run_without_memory_says_so) {
    const rs_schedule ring = sim_schedule("ring", 300, 300);
    for (rs_protocol protocol = RS_RENDEZVOUS; protocol <= RS_EAGER; protocol++) {
        rs_job job = sim_job(&ring, 300);
        job.net.protocol = protocol;
        bool done = false;
        for (size_t limit = 1; !done && limit < 100; limit++) {
            rs_arena own;
            rs_arena_init(&own, NULL);
            own.limit_bytes = limit * 20000;
            rs_outcome outcome;
            rs_error error;
            const rs_status status =
                rs_simulate(&job, RS_ENGINE_EVENTS, NULL, &own, &error, &outcome);
            cr_expect(status == RS_OK || status == RS_NO_MEMORY);
            cr_expect(limit > 1 || status == RS_NO_MEMORY);
            done = status == RS_OK;
            rs_arena_free(&own);
        }
        cr_expect(done);
    }
}

Test(simulate, eager_ports_that_queue_past_the_clocks_limit_are_refused) {
    const rs_schedule naive = sim_schedule("naive", 3, 1);
    rs_job job = sim_job(&naive, 1);
    job.net.link = (rs_link){RS_CLOCK_LIMIT_PS / 3, 20000000000};
    job.net.protocol = RS_EAGER;
    rs_outcome outcome;
    rs_error error;
    cr_expect_eq(rs_simulate(&job, RS_ENGINE_EVENTS, NULL, &arena, &error, &outcome), RS_OK);
    job.net.link.alpha_ps = RS_CLOCK_LIMIT_PS / 2;
    cr_expect_eq(rs_simulate(&job, RS_ENGINE_EVENTS, NULL, &arena, &error, &outcome), RS_TOO_LARGE);
}

Test(simulate, a_large_ring_needs_memory_for_its_ranks_only) {
    const int32_t n = ROUNDS(3000, 1000);
    const rs_schedule ring = sim_schedule("ring", n, 1000000);
    const rs_job job = sim_job(&ring, 1000000);
    const rs_outcome outcome = sim_run(&job, &arena, NULL);
    cr_expect_eq(outcome.makespan_ps, rs_closed_form_ps(&job));
    cr_expect_lt(arena.n_bytes, 1000000);
}
