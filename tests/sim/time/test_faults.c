/* What faults do to a ring, exactly. F1..F7 are the names of the cases in the literature's order:
 * a slow link, a late rank, a slow reducer, a link that is down once, and the two ways to die.
 */
#include <criterion/criterion.h>

#include "support/sim_jobs.h"

static rs_arena arena;

static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}

static void close_arena(void) {
    rs_arena_free(&arena);
}

TestSuite(faults, .init = open_arena, .fini = close_arena);

static const rs_link plain = {1234567, 7000000001};

/* A ring on plain links with one fault; reductions at 3 GB/s. */
static rs_outcome ring(int32_t n, int64_t count, rs_protocol protocol, const rs_fault *fault) {
    static rs_schedule schedule;
    schedule = sim_schedule("ring", n, count);
    rs_job job = sim_job(&schedule, count);
    job.net.link = plain;
    job.net.reduce_Bps = 3000000000;
    job.net.protocol = protocol;
    job.faults = fault, job.n_faults = fault != NULL;
    return sim_run(&job, &arena, NULL);
}

static int64_t chunk_bytes(int32_t n, int64_t count) {
    return (count + n - 1) / n * 4;
}

static int64_t wire_ps(int64_t n_bytes, uint64_t times) {
    return rs_wire_ps(n_bytes, plain.bandwidth_Bps, times, 1);
}

static int64_t addition_ps(int64_t n_bytes, uint64_t times) {
    return rs_wire_ps(n_bytes, 3000000000, times, 1);
}

Test(faults, f1_one_slow_link_slows_the_whole_ring_to_its_pace) {
    for (int32_t n = 2; n <= 12; n++) {
        for (int64_t count = n; count <= 100 * n; count *= 10) {
            for (int32_t q = 0; q < n; q++) {
                const rs_fault slow = {
                    .kind = RS_SLOW_LINK, .rank = q, .factor_num = 7, .factor_den = 1};
                const int64_t bytes = chunk_bytes(n, count);
                cr_expect_eq(ring(n, count, RS_RENDEZVOUS, &slow).makespan_ps,
                             2 * (n - 1) * (7 * plain.alpha_ps + wire_ps(bytes, 7)) +
                                 (n - 1) * addition_ps(bytes, 1),
                             "N=%d q=%d", n, q);
            }
        }
    }
}

/* With chunks of two sizes the late rank's first messages may be the smaller ones: then a little less. */
Test(faults, f2_a_late_rank_makes_all_finish_so_much_later) {
    const int64_t late_ps = 1000000000;
    for (int32_t n = 2; n <= 12; n++) {
        for (int64_t count = n; count <= 7 * n; count += 3 * n - 1) {
            const rs_outcome healthy = ring(n, count, RS_RENDEZVOUS, NULL);
            const rs_outcome healthy_eager = ring(n, count, RS_EAGER, NULL);
            for (int32_t q = 0; q < n; q++) {
                const rs_fault late = {.kind = RS_LATE, .rank = q, .time_ps = late_ps};
                const rs_outcome outcome = ring(n, count, RS_RENDEZVOUS, &late);
                const rs_outcome eager = ring(n, count, RS_EAGER, &late);
                const bool even = count % n == 0;
                cr_expect_leq(outcome.makespan_ps, healthy.makespan_ps + late_ps);
                cr_expect_leq(eager.makespan_ps, healthy_eager.makespan_ps + late_ps);
                cr_expect(!even || eager.makespan_ps == healthy_eager.makespan_ps + late_ps);
                for (int32_t r = 0; r < n && even; r++) {
                    cr_expect_eq(outcome.finish_ps[r], healthy.makespan_ps + late_ps);
                }
            }
        }
    }
}

Test(faults, f3_one_slow_reducer_is_waited_for_in_every_step) {
    for (int32_t n = 2; n <= 12; n++) {
        for (int32_t q = 0; q < n; q++) {
            const rs_fault slow = {
                .kind = RS_SLOW_REDUCE, .rank = q, .factor_num = 5, .factor_den = 1};
            const int64_t bytes = chunk_bytes(n, 100 * n);
            cr_expect_eq(ring(n, 100 * n, RS_RENDEZVOUS, &slow).makespan_ps,
                         2 * (n - 1) * (plain.alpha_ps + wire_ps(bytes, 1)) +
                             (n - 1) * addition_ps(bytes, 5),
                         "N=%d q=%d", n, q);
        }
    }
}

Test(faults, f4_a_link_down_once_costs_its_time_whatever_the_step) {
    const int64_t down_ps = 777777777;
    for (int32_t n = 2; n <= 12; n++) {
        const int64_t healthy_ps = ring(n, 100 * n, RS_RENDEZVOUS, NULL).makespan_ps;
        for (int32_t q = 0; q < n; q++) {
            for (int32_t step = 0; step < 2 * (n - 1); step++) {
                const rs_fault down = {
                    .kind = RS_DOWN, .rank = q, .step = step, .time_ps = down_ps};
                cr_expect_eq(ring(n, 100 * n, RS_RENDEZVOUS, &down).makespan_ps,
                             healthy_ps + down_ps);
                cr_expect_eq(ring(n, 100 * n, RS_EAGER, &down).makespan_ps, healthy_ps + down_ps);
            }
        }
    }
}

/* F15: links stop and come back one by one, in any order: nothing is lost but time. */
Test(faults, f15_links_that_stop_and_come_back_cost_time_and_nothing_else) {
    uint64_t state = 29;
    for (int i = 0; i < 1000; i++) {
        const int32_t n = (int32_t)sim_between(&state, 2, 12);
        const int64_t count = sim_between(&state, 1, 100);
        const rs_protocol protocol = (rs_protocol)sim_between(&state, 0, 1);
        const rs_outcome healthy = ring(n, count, protocol, NULL);
        static rs_schedule schedule;
        schedule = sim_schedule("ring", n, count);
        rs_fault faults[20];
        rs_job job = sim_job(&schedule, count);
        job.net = (rs_net){.link = plain, .reduce_Bps = 3000000000, .protocol = protocol};
        job.faults = faults, job.n_faults = (int32_t)sim_between(&state, 1, 20);
        int64_t down_ps = 0;
        for (int32_t f = 0; f < job.n_faults; f++) {
            faults[f] = (rs_fault){.kind = RS_DOWN, .time_ps = sim_between(&state, 0, 50000000)};
            faults[f].rank = (int32_t)sim_between(&state, 0, n - 1);
            faults[f].step = (int32_t)sim_between(&state, 0, schedule.n_steps - 1);
            down_ps += faults[f].time_ps;
        }
        const rs_outcome outcome = sim_run(&job, &arena, NULL);
        cr_assert(outcome.completed);
        cr_assert_eq(outcome.n_transfers, healthy.n_transfers);
        cr_assert_geq(outcome.makespan_ps, healthy.makespan_ps);
        cr_assert_leq(outcome.makespan_ps, healthy.makespan_ps + down_ps);
        rs_arena_free(&arena);
    }
}

static const rs_wait *wait_of(const rs_outcome *outcome, int32_t rank) {
    for (int32_t i = 0; i < outcome->n_stalled; i++) {
        if (outcome->stalled[i].rank == rank) return &outcome->stalled[i];
    }
    return NULL;
}

static int32_t at_most(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static void expect_one_dead(const rs_outcome *outcome, int32_t q, int32_t step) {
    cr_assert_not(outcome->completed);
    cr_assert_eq(outcome->n_killed, 1);
    cr_expect_eq(outcome->killed[0], q);
    cr_expect_eq(outcome->entered[q], step);
    cr_expect_eq(outcome->finish_ps[q], -1);
}

/* Steps count from 0 here: the literature's k is step + 1. */
Test(faults, f6_a_death_under_eager_lets_those_finish_who_need_no_more_of_it) {
    for (int32_t n = 2; n <= 12; n++) {
        for (int32_t q = 0; q < n; q++) {
            for (int32_t step = 0; step < 2 * (n - 1); step++) {
                const rs_fault kill = {.kind = RS_KILL, .rank = q, .step = step};
                const rs_outcome outcome = ring(n, 10 * n, RS_EAGER, &kill);
                expect_one_dead(&outcome, q, step);
                const int32_t k = step + 1, hang = at_most(n - 1, 2 * n - 1 - k);
                cr_expect_eq(outcome.n_stalled, hang);
                int32_t n_finished = 0;
                for (int32_t d = 1; d < n; d++) {
                    const int32_t survivor = (q + d) % n;
                    const rs_wait *wait = wait_of(&outcome, survivor);
                    n_finished += outcome.finish_ps[survivor] >= 0;
                    cr_assert_eq(wait != NULL, d <= hang);
                    if (wait == NULL) continue;
                    cr_expect_eq(wait->step, step + d - 1);
                    cr_expect_eq(wait->n_waits_for, 1);
                    cr_expect_eq(wait->waits_for[0], (survivor + n - 1) % n);
                }
                cr_expect_eq(n_finished, k > n ? k - n : 0);
            }
        }
    }
}

Test(faults, f7_a_death_under_rendezvous_stalls_in_two_waves) {
    for (int32_t n = 2; n <= 12; n++) {
        for (int32_t q = 0; q < n; q++) {
            for (int32_t step = 0; step < 2 * (n - 1); step++) {
                const rs_fault kill = {.kind = RS_KILL, .rank = q, .step = step};
                const rs_outcome outcome = ring(n, 10 * n, RS_RENDEZVOUS, &kill);
                expect_one_dead(&outcome, q, step);
                for (int32_t d = 1; d < n; d++) {
                    const int32_t survivor = (q + d) % n;
                    const rs_wait *wait = wait_of(&outcome, survivor);
                    const int32_t stalls_in = at_most(step + d - 1, step + n - d - 1);
                    if (stalls_in >= 2 * (n - 1)) {
                        cr_expect(wait == NULL && outcome.finish_ps[survivor] >= 0);
                        continue;
                    }
                    cr_assert(wait != NULL, "N=%d q=%d step=%d d=%d", n, q, step, d);
                    cr_expect_eq(wait->step, stalls_in);
                    cr_expect_eq(outcome.entered[survivor], stalls_in + 1);
                }
            }
        }
    }
}

/* Follows who waits for whom: chain[0] in steps[0] for chain[1], and so on down to the dead one. */
static void expect_chain(const rs_outcome *outcome, int n, const int32_t chain[],
                         const int32_t steps[]) {
    for (int i = 0; i < n; i++) {
        const rs_wait *wait = wait_of(outcome, chain[i]);
        cr_assert(wait != NULL, "rank %d waits", chain[i]);
        cr_expect_eq(wait->step, steps[i]);
        cr_expect_eq(wait->n_waits_for, 1);
        cr_expect_eq(wait->waits_for[0], chain[i + 1]);
    }
    cr_assert_eq(outcome->n_killed, 1);
    cr_expect_eq(outcome->killed[0], chain[n]);
    cr_expect_null(wait_of(outcome, chain[n]));
}

Test(faults, in_a_stalled_run_a_chain_of_waits_leads_down_to_the_dead) {
    const rs_fault kill = {.kind = RS_KILL, .rank = 2, .step = 2};
    const rs_outcome eager = ring(5, 5, RS_EAGER, &kill);
    expect_chain(&eager, 3, (int32_t[]){0, 4, 3, 2}, (int32_t[]){4, 3, 2});
    const rs_outcome rendezvous = ring(5, 5, RS_RENDEZVOUS, &kill);
    expect_chain(&rendezvous, 2, (int32_t[]){0, 1, 2}, (int32_t[]){3, 2});
    cr_expect_eq(rendezvous.n_stalled, 4);
    const rs_fault late_death = {.kind = RS_KILL, .rank = 1, .step = 7};
    const rs_outcome late = ring(5, 5, RS_EAGER, &late_death);
    expect_chain(&late, 1, (int32_t[]){2, 1}, (int32_t[]){7});
    cr_expect_eq(late.n_stalled, 1);
    const rs_outcome large = ring(300, 300, RS_EAGER, &kill);
    expect_chain(&large, 1, (int32_t[]){3, 2}, (int32_t[]){2});
    cr_expect_eq(wait_of(&large, 1)->step, 300);
    cr_expect_eq(wait_of(&large, 1)->waits_for[0], 0);
}

Test(faults, a_rank_that_never_joins_and_one_whose_work_was_done) {
    const rs_schedule tree = sim_schedule("tree", 4, 4);
    rs_job job = sim_job(&tree, 4);
    const rs_fault kill = {.kind = RS_KILL, .rank = 3, .step = 0};
    job.faults = &kill, job.n_faults = 1;
    const rs_outcome outcome = sim_run(&job, &arena, NULL);
    cr_expect_eq(outcome.n_stalled, 3);
    expect_chain(&outcome, 2, (int32_t[]){0, 2, 3}, (int32_t[]){1, 0});
    cr_expect_eq(outcome.n_transfers, 1); /* 1 -> 0 */
    cr_expect_eq(outcome.bytes_sent[1], 16);
    cr_expect_eq(outcome.makespan_ps, 5000800);

    /* in the naive broadcast rank 1 has everything at step 3; it may die in peace */
    const rs_schedule naive = sim_schedule("naive", 4, 4);
    job.schedule = &naive;
    const rs_fault after = {.kind = RS_KILL, .rank = 1, .step = 4};
    job.faults = &after;
    const rs_outcome peace = sim_run(&job, &arena, NULL);
    cr_expect_not(peace.completed);
    cr_expect_eq(peace.n_stalled, 0);
    cr_expect_eq(peace.n_killed, 1);
    cr_expect_eq(peace.killed[0], 1);
    cr_expect_eq(peace.n_transfers, 6);
}

Test(faults, a_rank_stalled_before_its_own_death_is_a_survivor) {
    const rs_fault kills[] = {{.kind = RS_KILL, .rank = 2, .step = 1},
                              {.kind = RS_KILL, .rank = 3, .step = 2}};
    const rs_schedule schedule = sim_schedule("ring", 5, 5);
    rs_job job = sim_job(&schedule, 5);
    job.faults = kills, job.n_faults = 2;
    const rs_outcome outcome = sim_run(&job, &arena, NULL);
    cr_expect_eq(outcome.n_killed, 1);
    const rs_wait *wait = wait_of(&outcome, 3);
    cr_assert(wait != NULL);
    cr_expect_eq(wait->step, 1);
}

Test(faults, a_straggler_pays_before_every_step_even_those_it_skips) {
    const rs_schedule naive = sim_schedule("naive", 4, 4);
    rs_job job = sim_job(&naive, 4);
    const rs_fault straggler = {.kind = RS_STRAGGLER, .rank = 3, .time_ps = 100000000};
    job.faults = &straggler, job.n_faults = 1;
    const rs_outcome outcome = sim_run(&job, &arena, NULL);
    /* enters step 2 after 3 times 100 us; then 5 us + 0.8 ns; steps 3, 4, 5; the last message */
    cr_expect_eq(outcome.finish_ps[3], 300000000 + 5000800 + 300000000 + 5000800);
    cr_expect_eq(outcome.makespan_ps, outcome.finish_ps[3]);
}

Test(faults, nobody_is_late_for_nothing) {
    const rs_schedule empty = sim_schedule("ring", 4, 0), alone = sim_schedule("ring", 1, 9);
    const rs_fault late = {.kind = RS_LATE, .rank = 0, .time_ps = 5};
    rs_job jobs[] = {sim_job(&empty, 0), sim_job(&alone, 9)};
    for (int i = 0; i < 2; i++) {
        jobs[i].faults = &late, jobs[i].n_faults = 1;
        const rs_outcome outcome = sim_run(&jobs[i], &arena, NULL);
        cr_expect(outcome.completed);
        cr_expect_eq(outcome.makespan_ps, 0);
        cr_expect_eq(outcome.finish_ps[0], 0);
    }
}

/* A late survivor enters its step and waits for ever: that is the last that happens. */
Test(faults, a_stalled_run_ends_with_its_last_event) {
    const rs_schedule schedule = sim_schedule("halving", 2, 100);
    const rs_fault list[] = {{.kind = RS_KILL, .rank = 1, .step = 0},
                             {.kind = RS_LATE, .rank = 0, .time_ps = 37000000}};
    for (int engine = RS_ENGINE_EVENTS; engine <= RS_ENGINE_WAVEFRONT; engine++) {
        for (int protocol = RS_RENDEZVOUS; protocol <= RS_EAGER; protocol++) {
            rs_job job = sim_job(&schedule, 100);
            rs_outcome outcome;
            rs_error error;
            job.net.protocol = (rs_protocol)protocol;
            job.faults = list;
            job.n_faults = 2;
            if (engine == RS_ENGINE_WAVEFRONT && !rs_wavefront_applies(&job)) continue;
            cr_assert_eq(rs_simulate(&job, (rs_engine)engine, NULL, &arena, &error, &outcome),
                         RS_OK);
            cr_expect_not(outcome.completed);
            cr_expect_geq(outcome.makespan_ps, 37000000, "engine %d, protocol %d", engine,
                          protocol);
            if (protocol == RS_RENDEZVOUS) cr_expect_eq(outcome.makespan_ps, 37000000);
        }
    }
}
