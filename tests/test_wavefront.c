/* The wavefront engine: the tiles give what the sweep gives, the sweep what the event queue gives,
 * for every transfer, in whole picoseconds. Cases are drawn from seeds; a failure names its own. */
#include "wavefront.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FAULTS = 4 };

/* ------------------------------------------------------------------------------- random jobs */

typedef struct drawn { /* a job and all that it points to */
    rs_schedule schedule;
    rs_job job;
    rs_link_override *links;
    rs_fault faults[MOST_FAULTS];
    char name[160];
} drawn;

static uint64_t next_random(uint64_t *state) {
    *state += 0x9e3779b97f4a7c15u;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int64_t below(uint64_t *state, int64_t n) {
    return (int64_t)(next_random(state) % (uint64_t)n);
}

static rs_link random_link(uint64_t *state) {
    return (rs_link){below(state, 10000000), 1000000000u + (uint64_t)below(state, 40000000000)};
}

static rs_fault random_fault(uint64_t *state, const rs_schedule *schedule, bool deadly) {
    static const rs_fault_kind gentle[] = {RS_SLOW_LINK, RS_LATE, RS_STRAGGLER, RS_SLOW_REDUCE};
    static const rs_fault_kind hard[] = {RS_KILL, RS_DOWN};
    return (rs_fault){
        .kind = deadly && below(state, 2) == 0 ? hard[below(state, 2)] : gentle[below(state, 4)],
        .rank = (int32_t)below(state, schedule->n_ranks),
        .step = schedule->n_steps == 0 ? 0 : (int32_t)below(state, schedule->n_steps),
        .time_ps = below(state, 3) == 0 ? below(state, 50) : below(state, 100000000),
        .factor_num = 1 + (uint64_t)below(state, 50),
        .factor_den = 1 + (uint64_t)below(state, 9),
    };
}

/* Every link differs, or all are one, or a few differ. */
static void draw_links(drawn *d, uint64_t *state) {
    const int32_t n = d->schedule.n_ranks;
    const int64_t every = below(state, 4);
    d->links = calloc((size_t)n * (size_t)n, sizeof *d->links);
    int32_t n_links = 0;
    for (int32_t i = 0; i < n && every != 0; i++) {
        for (int32_t j = 0; j < n; j++) {
            if (i == j || (n > 64 && j != (i + 1) % n) || below(state, every) != 0) continue;
            d->links[n_links++] = (rs_link_override){i, j, random_link(state)};
        }
    }
    d->job.net.overrides = d->links;
    d->job.net.n_overrides = n_links;
}

static void draw(drawn *d, const char *algorithm, int32_t n, int64_t count, rs_protocol protocol,
                 bool deadly, uint64_t seed) {
    uint64_t state = seed;
    rs_error error;
    memset(d, 0, sizeof *d);
    const rs_order order = below(&state, 2) == 0 ? RS_ORDER_SEED : RS_ORDER_NCCL;
    const rs_status status =
        rs_schedule_make(rs_find_algorithm(algorithm), order, n, count, &error, &d->schedule);
    cr_assert_eq(status, RS_OK, "%s", error.text);
    d->job = (rs_job){
        .schedule = &d->schedule,
        .count = count,
        .elem_bytes = 1 << below(&state, 4),
        .net = {.link = random_link(&state), .protocol = protocol},
        .faults = d->faults,
        .n_faults = (int32_t)below(&state, MOST_FAULTS + 1),
    };
    if (below(&state, 2) == 0) d->job.net.reduce_Bps = 1 + (uint64_t)below(&state, 50000000000);
    if (d->schedule.n_steps == 0) deadly = false;
    for (int32_t i = 0; i < d->job.n_faults; i++) {
        d->faults[i] = random_fault(&state, &d->schedule, deadly);
    }
    draw_links(d, &state);
    snprintf(d->name, sizeof d->name, "%s N=%d K=%lld %s %d faults seed %llu", algorithm, (int)n,
             (long long)count, protocol == RS_EAGER ? "eager" : "rendezvous", (int)d->job.n_faults,
             (unsigned long long)seed);
}

/* ------------------------------------------------------------------------------- comparing */

static void assert_same_outcome(const rs_outcome *a, const rs_outcome *b, int32_t n,
                                const char *name) {
    cr_assert_eq(a->completed, b->completed, "%s: completed", name);
    cr_assert_eq(a->makespan_ps, b->makespan_ps, "%s: makespan %lld, %lld", name,
                 (long long)a->makespan_ps, (long long)b->makespan_ps);
    cr_assert_eq(a->n_transfers, b->n_transfers, "%s: n_transfers %lld, %lld", name,
                 (long long)a->n_transfers, (long long)b->n_transfers);
    for (int32_t r = 0; r < n; r++) {
        cr_assert_eq(a->finish_ps[r], b->finish_ps[r], "%s: finish of %d: %lld, %lld", name, (int)r,
                     (long long)a->finish_ps[r], (long long)b->finish_ps[r]);
        cr_assert_eq(a->entered[r], b->entered[r], "%s: entered of %d: %d, %d", name, (int)r,
                     (int)a->entered[r], (int)b->entered[r]);
        cr_assert_eq(a->bytes_sent[r], b->bytes_sent[r], "%s: bytes of %d: %lld, %lld", name,
                     (int)r, (long long)a->bytes_sent[r], (long long)b->bytes_sent[r]);
    }
    cr_assert_eq(a->n_stalled, b->n_stalled, "%s: n_stalled", name);
    for (int32_t i = 0; i < a->n_stalled; i++) {
        const rs_wait *x = &a->stalled[i], *y = &b->stalled[i];
        cr_assert(x->rank == y->rank && x->step == y->step && x->n_waits_for == y->n_waits_for,
                  "%s: stalled %d", name, (int)i);
        cr_assert_eq(memcmp(x->waits_for, y->waits_for, (size_t)x->n_waits_for * sizeof(int32_t)),
                     0, "%s: waits_for of %d", name, (int)x->rank);
    }
    cr_assert_eq(a->n_killed, b->n_killed, "%s: n_killed", name);
    for (int32_t i = 0; i < a->n_killed; i++) {
        cr_assert_eq(a->killed[i], b->killed[i], "%s: killed", name);
    }
    cr_assert_str_eq(a->stall_text, b->stall_text, "%s: %s / %s", name, a->stall_text,
                     b->stall_text);
}

/* ------------------------------------------------------------------------------- the tiles */

static void assert_tiles_equal_sweep(int32_t n, int64_t count, uint64_t seed) {
    drawn d;
    draw(&d, "ring", n, count, RS_RENDEZVOUS, false, seed);
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_error error = {{0}};
    rs_costs *costs;
    rs_outcome sweep, tiles;
    cr_assert_eq(rs_costs_new(&d.job, &arena, &error, &costs), RS_OK, "%s", error.text);
    cr_assert(rs_ring_applies(costs));
    cr_assert_eq(rs_outcome_new(&d.job, &arena, &error, &sweep), RS_OK);
    cr_assert_eq(rs_wavefront_sweep(costs, NULL, &arena, &error, &sweep), RS_OK);
    for (int i = 0; rs_all_lanes[i] != NULL; i++) {
        if (!rs_all_lanes[i]->here()) continue;
        char name[200];
        snprintf(name, sizeof name, "%s, %s", rs_all_lanes[i]->name, d.name);
        cr_assert_eq(rs_outcome_new(&d.job, &arena, &error, &tiles), RS_OK);
        cr_assert_eq(rs_wavefront_ring(costs, rs_all_lanes[i], &arena, &error, &tiles), RS_OK);
        assert_same_outcome(&tiles, &sweep, n, name);
    }
    rs_arena_free(&arena);
    free(d.links);
}

Test(wavefront, tiles_give_the_times_of_the_sweep_for_every_small_ring) {
    for (int32_t n = 2; n <= 70; n++) {
        const int64_t counts[] = {1, n - 1, n, n + 1, 1000};
        for (int i = 0; i < 5; i++) {
            assert_tiles_equal_sweep(n, counts[i], (uint64_t)(n * 5 + i));
        }
    }
}

static void backwards(void *context, int n_tasks, void (*task)(void *argument, int index),
                      void *argument) {
    ++*(int *)context;
    for (int i = n_tasks - 1; i >= 0; i--) task(argument, i);
}

Test(wavefront, tiles_give_the_times_of_the_sweep_for_large_and_odd_rings) {
    static const int32_t sizes[] = {127, 128, 129, 255, 383, 512, 1000, 1023, 1025, 2047, 3001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t state = i;
        const int64_t n = sizes[i];
        assert_tiles_equal_sweep(sizes[i], n * 3, 1000 + i);
        assert_tiles_equal_sweep(sizes[i], n * 50 + below(&state, n), 2000 + i);
    }
}

static void run_tiles(const rs_job *job, rs_arena *arena, rs_outcome *outcome) {
    rs_error error = {{0}};
    rs_costs *costs;
    cr_assert_eq(rs_costs_new(job, arena, &error, &costs), RS_OK, "%s", error.text);
    cr_assert_eq(rs_outcome_new(job, arena, &error, outcome), RS_OK);
    cr_assert_eq(rs_wavefront_ring(costs, NULL, arena, &error, outcome), RS_OK);
}

Test(wavefront, tiles_may_run_in_any_order) {
    int n_calls = 0;
    const rs_host host = {.context = &n_calls, .parallel_for = backwards, .n_workers = 2};
    rs_arena alone, shared;
    rs_outcome a, b;
    drawn d;
    rs_arena_init(&alone, NULL);
    rs_arena_init(&shared, &host);
    draw(&d, "ring", 9001, 9001 * 2 + 4000, RS_RENDEZVOUS, false, 77);
    run_tiles(&d.job, &alone, &a);
    run_tiles(&d.job, &shared, &b);
    assert_same_outcome(&a, &b, 9001, d.name);
    cr_assert_gt(n_calls, 100);
    rs_arena_free(&alone);
    rs_arena_free(&shared);
    free(d.links);
}

/* The changes of kind fall on every place of a tile, also where a kind has fewer columns than a
   tile looks ahead. */
Test(wavefront, tiles_hold_where_the_chunk_sizes_change) {
    for (int64_t larger = 0; larger < 300; larger += 7) {
        assert_tiles_equal_sweep(300, 600 + larger, 3000 + (uint64_t)larger);
    }
}

/* ------------------------------------------------------------------------------ both engines */

static void assert_same_trace(const rs_trace *a, const rs_trace *b, const char *name) {
    cr_assert_eq(a->n_items, b->n_items, "%s: items", name);
    for (int64_t i = 0; i < a->n_items; i++) {
        const rs_timed *x = &a->items[i], *y = &b->items[i];
        const rs_transfer *p = &x->transfer, *q = &y->transfer;
        cr_assert(x->step == y->step && p->src == q->src && p->dst == q->dst &&
                      p->chunk == q->chunk && p->n_chunks == q->n_chunks && p->order == q->order &&
                      p->effect == q->effect && p->channel == q->channel,
                  "%s: transfer %lld", name, (long long)i);
        cr_assert(x->start_ps == y->start_ps && x->end_ps == y->end_ps && x->done_ps == y->done_ps,
                  "%s: step %d, %d -> %d: start %lld %lld, end %lld %lld, done %lld %lld", name,
                  (int)x->step, (int)p->src, (int)p->dst, (long long)x->start_ps,
                  (long long)y->start_ps, (long long)x->end_ps, (long long)y->end_ps,
                  (long long)x->done_ps, (long long)y->done_ps);
    }
}

static void simulate(const drawn *d, rs_engine engine, rs_arena *arena, rs_trace **trace,
                     rs_outcome *outcome) {
    rs_error error = {{0}};
    rs_sink sink;
    if (trace != NULL) {
        cr_assert_eq(rs_trace_new(d->schedule.n_transfers, arena, &error, trace), RS_OK);
        sink = rs_trace_sink(*trace);
    }
    const rs_status status =
        rs_simulate(&d->job, engine, trace == NULL ? NULL : &sink, arena, &error, outcome);
    cr_assert_eq(status, RS_OK, "%s: %s", d->name, error.text);
    cr_assert_eq(outcome->engine, engine, "%s", d->name);
}

static bool in_list_order(const rs_trace *trace) {
    for (int64_t i = 1; i < trace->n_items; i++) {
        const rs_timed *a = &trace->items[i - 1], *b = &trace->items[i];
        if (a->step > b->step) return false;
        if (a->step == b->step && a->transfer.order >= b->transfer.order) return false;
    }
    return true;
}

/* Runs the job on both engines; returns whether it stalled. */
static bool assert_engines_agree(const drawn *d) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_outcome events, wavefront, unwatched;
    rs_trace *queued, *swept;
    cr_assert(rs_wavefront_applies(&d->job), "%s", d->name);
    simulate(d, RS_ENGINE_EVENTS, &arena, &queued, &events);
    simulate(d, RS_ENGINE_WAVEFRONT, &arena, &swept, &wavefront);
    simulate(d, RS_ENGINE_WAVEFRONT, &arena, NULL, &unwatched);
    cr_assert(in_list_order(swept), "%s: the sink's order", d->name);
    rs_trace_sort(queued);
    assert_same_trace(queued, swept, d->name);
    assert_same_outcome(&events, &wavefront, d->schedule.n_ranks, d->name);
    assert_same_outcome(&events, &unwatched, d->schedule.n_ranks, d->name);
    const bool completed = events.completed;
    rs_arena_free(&arena);
    return !completed;
}

static void compare_engines(const char *algorithm, rs_protocol protocol) {
    int n_stalled = 0;
    for (int32_t n = 1; n <= 33; n++) {
        const int64_t counts[] = {1, n - 1, n, n + 1, 1000};
        for (int i = 0; i < 5; i++) {
            for (int round = 0; round < 4; round++) {
                drawn d;
                draw(&d, algorithm, n, counts[i], protocol, round >= 2,
                     (uint64_t)(((n * 5 + i) * 4 + round) * 2 + (int)protocol));
                n_stalled += assert_engines_agree(&d);
                free(d.links);
            }
        }
    }
    cr_assert_gt(n_stalled, 50, "the cases hold too few deaths to say much");
}

Test(wavefront, gives_every_transfer_of_a_ring_the_event_queues_times) {
    compare_engines("ring", RS_RENDEZVOUS);
}

Test(wavefront, gives_every_transfer_of_an_eager_ring_the_event_queues_times) {
    compare_engines("ring", RS_EAGER);
}

Test(wavefront, gives_every_transfer_of_naive_the_event_queues_times) {
    compare_engines("naive", RS_RENDEZVOUS);
}

Test(wavefront, gives_every_transfer_of_a_tree_the_event_queues_times) {
    compare_engines("tree", RS_RENDEZVOUS);
}

Test(wavefront, gives_every_transfer_of_doubling_the_event_queues_times) {
    compare_engines("doubling", RS_RENDEZVOUS);
}

Test(wavefront, gives_every_transfer_of_halving_the_event_queues_times) {
    compare_engines("halving", RS_RENDEZVOUS);
}

/* ------------------------------------------------------------------------------- from lists */

/* Draws steps in which nobody sends or hears more than once; many sit out, some steps are empty. */
static void draw_list(drawn *d, rs_arena *arena, uint64_t seed) {
    enum { MOST_RANKS = 12, MOST_STEPS = 20 };
    uint64_t state = seed;
    rs_transfer list[MOST_RANKS * MOST_STEPS];
    int64_t step_first[MOST_STEPS + 1] = {0}, n_listed = 0;
    const int32_t n = 2 + (int32_t)below(&state, MOST_RANKS - 1);
    const int32_t n_chunks = 1 + (int32_t)below(&state, 5);
    const int32_t n_steps = 1 + (int32_t)below(&state, MOST_STEPS);
    for (int32_t step = 0; step < n_steps; step++) {
        bool sends[MOST_RANKS] = {0}, hears[MOST_RANKS] = {0};
        for (int64_t tries = below(&state, n + 1); tries > 0; tries--) {
            const int32_t src = (int32_t)below(&state, n), dst = (int32_t)below(&state, n);
            if (src == dst || sends[src] || hears[dst]) continue;
            sends[src] = hears[dst] = true;
            const int32_t chunk = (int32_t)below(&state, n_chunks);
            list[n_listed++] = (rs_transfer){
                .src = src,
                .dst = dst,
                .chunk = chunk,
                .n_chunks = 1 + (int32_t)below(&state, n_chunks - chunk),
                .effect = (uint8_t)below(&state, 2),
            };
        }
        step_first[step + 1] = n_listed;
    }
    rs_error error = {{0}};
    draw(d, "ring", n, n_chunks, RS_RENDEZVOUS, true, seed);
    const rs_status status =
        rs_schedule_from_list(n, n_chunks, n_steps, step_first, list, arena, &error, &d->schedule);
    cr_assert_eq(status, RS_OK, "%s", error.text);
    d->job.count = 1 + below(&state, 100000);
    for (int32_t i = 0; i < d->job.n_faults; i++) {
        if (d->faults[i].step >= n_steps) d->faults[i].step %= n_steps;
    }
}

Test(wavefront, gives_every_transfer_of_a_list_the_event_queues_times) {
    int n_stalled = 0;
    for (uint64_t seed = 0; seed < 1500; seed++) {
        drawn d;
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        draw_list(&d, &arena, seed);
        n_stalled += assert_engines_agree(&d);
        free(d.links);
        rs_arena_free(&arena);
    }
    cr_assert_gt(n_stalled, 100);
}

Test(wavefront, does_not_apply_where_messages_may_share_a_port) {
    drawn d;
    draw(&d, "tree", 8, 100, RS_EAGER, false, 1);
    cr_assert_not(rs_wavefront_applies(&d.job));
    free(d.links);
    draw(&d, "ring", 4, 4, RS_RENDEZVOUS, false, 1);
    const int64_t step_first[] = {0, 2};
    const rs_transfer list[] = {{.src = 0, .dst = 1, .n_chunks = 1},
                                {.src = 2, .dst = 1, .n_chunks = 1}};
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_error error;
    cr_assert_eq(rs_schedule_from_list(4, 4, 1, step_first, list, &arena, &error, &d.schedule),
                 RS_OK);
    cr_assert_not(rs_wavefront_applies(&d.job));
    rs_arena_free(&arena);
    free(d.links);
}

/* ------------------------------------------------------------------------------- the host */

static bool stop_at_once(void *context, const char *what, int64_t done, int64_t total) {
    cr_assert(what != NULL && done > 0 && done <= total);
    ++*(int *)context;
    return false;
}

Test(wavefront, can_be_cancelled) {
    int n_asked = 0;
    const rs_host host = {.context = &n_asked, .progress = stop_at_once};
    drawn d;
    draw(&d, "ring", 3000, 100000, RS_RENDEZVOUS, false, 5);
    rs_arena arena;
    rs_arena_init(&arena, &host);
    rs_error error;
    rs_costs *costs;
    rs_outcome outcome;
    cr_assert_eq(rs_costs_new(&d.job, &arena, &error, &costs), RS_OK);
    cr_assert_eq(rs_outcome_new(&d.job, &arena, &error, &outcome), RS_OK);
    cr_assert_eq(rs_wavefront_ring(costs, NULL, &arena, &error, &outcome), RS_CANCELLED);
    cr_assert_eq(rs_wavefront_sweep(costs, NULL, &arena, &error, &outcome), RS_CANCELLED);
    cr_assert_eq(n_asked, 2);
    rs_arena_free(&arena);
    free(d.links);
}

Test(wavefront, says_so_when_there_is_no_memory) {
    drawn d;
    draw(&d, "ring", 1000, 100001, RS_RENDEZVOUS, false, 5);
    rs_error error;
    for (size_t limit = 100000; limit < 1000000; limit += 30000) {
        rs_arena arena;
        rs_outcome outcome;
        rs_arena_init(&arena, NULL);
        arena.limit_bytes = limit;
        const rs_status status =
            rs_simulate(&d.job, RS_ENGINE_WAVEFRONT, NULL, &arena, &error, &outcome);
        cr_assert(status == RS_OK || status == RS_NO_MEMORY);
        if (limit == 100000) cr_assert_eq(status, RS_NO_MEMORY);
        rs_arena_free(&arena);
    }
    free(d.links);
}

/* 34 thousand million questions, if every rank were asked in every step. */
Test(wavefront, does_not_ask_ranks_that_sit_a_step_out) {
    rs_schedule naive;
    rs_error error;
    rs_arena arena;
    rs_outcome outcome;
    rs_arena_init(&arena, NULL);
    cr_assert_eq(
        rs_schedule_make(rs_find_algorithm("naive"), RS_ORDER_SEED, 131072, 1, &error, &naive),
        RS_OK);
    const rs_job job = {
        .schedule = &naive, .count = 1, .elem_bytes = 1, .net = {.link = {7, 1000000000000u}}};
    cr_assert_eq(rs_simulate(&job, RS_ENGINE_WAVEFRONT, NULL, &arena, &error, &outcome), RS_OK);
    cr_assert_eq(outcome.makespan_ps, (int64_t)2 * 131071 * 8);
    rs_arena_free(&arena);
}
