/* Lower bound, closed forms and rates. */
#include <criterion/criterion.h>

#include "support/sim_jobs.h"

Test(measure, the_lower_bound_is_the_rings_bytes_over_the_fastest_link_rounded_up) {
    const rs_schedule ring = sim_schedule("ring", 5, 25000000);
    rs_job job = sim_job(&ring, 25000000);
    cr_expect_eq(rs_lower_bound_ps(&job, NULL), 8000000000);
    const rs_link_override faster[] = {{0, 1, {1, 40000000000}}, {1, 2, {1, 3}}};
    job.net.overrides = faster, job.net.n_overrides = 2;
    cr_expect_eq(rs_lower_bound_ps(&job, NULL), 4000000000);
    const rs_schedule three = sim_schedule("ring", 3, 1);
    job = sim_job(&three, 1);
    job.net.link.bandwidth_Bps = 1000000000000; /* 4/3 x 4 ps */
    cr_expect_eq(rs_lower_bound_ps(&job, NULL), 6);
    job.count = INT64_MAX / 4;
    job.net.link.bandwidth_Bps = 1;
    cr_expect_eq(rs_lower_bound_ps(&job, NULL), INT64_MAX);
}

/* Healthy, slowed and, with factors below 1, faster links: with every algorithm and protocol. */
Test(measure, no_run_beats_the_lower_bound_whatever_its_links) {
    uint64_t state = 23;
    for (int i = 0; i < 2000; i++) {
        const int32_t n = (int32_t)sim_between(&state, 2, 9);
        const rs_schedule schedule = sim_schedule(rs_algorithms[i % 5]->name, n, 1000);
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        rs_job job = sim_job(&schedule, 1000);
        job.net.link.alpha_ps = 0;
        job.net.protocol = (rs_protocol)sim_between(&state, 0, 1);
        if (sim_between(&state, 0, 1) == 0) sim_vary_links(&state, &job, &arena);
        rs_fault faults[18];
        job.faults = faults;
        job.n_faults = (int32_t)sim_between(&state, 0, 2 * n);
        for (int32_t f = 0; f < job.n_faults; f++) {
            faults[f] = (rs_fault){.kind = RS_SLOW_LINK,
                                   .rank = f % n,
                                   .factor_num = (uint64_t)sim_between(&state, 1, 5),
                                   .factor_den = (uint64_t)sim_between(&state, 1, 100)};
        }
        /* each message is rounded to a picosecond, half of one down at the most */
        const int64_t rounded_ps = schedule.n_steps;
        const int64_t makespan_ps = sim_run(&job, &arena, NULL).makespan_ps;
        cr_assert_geq(makespan_ps + rounded_ps, rs_lower_bound_ps(&job, NULL), "%s N=%d case %d",
                      schedule.name, n, i);
        rs_arena_free(&arena);
    }
}

Test(measure, a_slowed_link_leaves_the_bound_and_a_faster_one_lowers_it) {
    const rs_schedule ring = sim_schedule("ring", 5, 25000000);
    rs_job job = sim_job(&ring, 25000000);
    const rs_fault faults[] = {
        {.kind = RS_SLOW_LINK, .rank = 0, .factor_num = 100, .factor_den = 1},
        {.kind = RS_SLOW_LINK, .rank = 3, .factor_num = 1, .factor_den = 8},
        {.kind = RS_SLOW_LINK, .rank = 3, .factor_num = 2, .factor_den = 1}};
    job.faults = faults, job.n_faults = 1;
    cr_expect_eq(rs_lower_bound_ps(&job, NULL), 8000000000);
    job.n_faults = 2;
    cr_expect_eq(rs_lower_bound_ps(&job, NULL), 1000000000);
    job.n_faults = 3;
    cr_expect_eq(rs_lower_bound_ps(&job, NULL), 2000000000);
}

Test(measure, nothing_to_do_takes_no_time_and_has_no_rate) {
    const rs_schedule alone = sim_schedule("ring", 1, 9), empty = sim_schedule("ring", 9, 0);
    const rs_job jobs[] = {sim_job(&alone, 9), sim_job(&empty, 0)};
    double algbw, busbw;
    for (int i = 0; i < 2; i++) {
        cr_expect_eq(rs_lower_bound_ps(&jobs[i], NULL), 0);
        cr_expect_eq(rs_closed_form_ps(&jobs[i]), 0);
    }
    cr_expect_not(rs_rates(RS_COLL_ALL_REDUCE, 36, 1, 0, &algbw, &busbw));
    cr_expect_not(rs_rates(RS_COLL_ALL_REDUCE, 0, 9, 0, &algbw, &busbw));
    cr_expect_not(rs_rates(RS_COLL_ALL_REDUCE, 0, 9, 5, &algbw, &busbw));
}

/* Where there is no time or nobody to send to, there is no rate; else there is, however small. */
Test(measure, a_rate_needs_a_byte_another_rank_and_a_picosecond) {
    for (int64_t n_bytes = 0; n_bytes <= 2; n_bytes++) {
        for (int32_t n = 1; n <= 3; n++) {
            for (int64_t time_ps = 0; time_ps <= 2; time_ps++) {
                double algbw = -1, busbw = -1;
                const bool has = n_bytes > 0 && n > 1 && time_ps > 0;
                cr_expect_eq(rs_rates(RS_COLL_ALL_REDUCE, n_bytes, n, time_ps, &algbw, &busbw), has,
                             "%d B, %d ranks, %d ps", (int)n_bytes, (int)n, (int)time_ps);
                const double wanted = has ? (double)n_bytes * 1000 / (double)time_ps : -1;
                cr_expect_float_eq(algbw, wanted, 1e-9);
                if (has) cr_expect_float_eq(busbw, wanted * 2 * (n - 1) / n, 1e-9);
            }
        }
    }
}

/* Of equal wires the first is the busiest, of idle ones none is; no time, no share. */
Test(measure, the_first_of_the_busiest_wires_is_named) {
    enum { N = 4 };
    rs_machine_link links[N];
    for (int32_t i = 0; i < N; i++) {
        links[i] = (rs_machine_link){
            .a = i, .b = (i + 1) % N, .bandwidth_Bps = 1000, .slow_num = 1, .slow_den = 1};
    }
    const rs_machine machine = {.n_gpus = N, .n_devices = N, .links = links, .n_links = N};
    const rs_job job = {.net = {.machine = &machine}};
    for (int32_t first = 0; first <= 2 * N; first++) {
        rs_wire_use wires[2 * N + 1] = {[2 * N] = {.n_bytes = 1000}}; /* the last is none */
        for (int32_t w = first; w < 2 * N; w++) wires[w].n_bytes = 1;
        double share = 7;
        cr_expect_eq(rs_busiest_wire(&job, wires, 1000000000000, &share),
                     first < 2 * N ? first : -1);
        cr_expect_float_eq(share, first < 2 * N ? 0.001 : 0, 1e-15);
        cr_expect_eq(rs_busiest_wire(&job, wires, 0, &share), -1);
        cr_expect_eq(share, 0);
    }
}

Test(measure, rates_are_those_of_nccl_tests) {
    double algbw, busbw;
    cr_assert(rs_rates(RS_COLL_ALL_REDUCE, 100000000, 5, 8040000000, &algbw, &busbw));
    cr_expect_float_eq(algbw, 12.437810945273632, 1e-12);
    cr_expect_float_eq(busbw, 19.900497512437810, 1e-12);
}

Test(measure, no_algorithm_beats_the_lower_bound) {
    for (int a = 0; rs_algorithms[a] != NULL; a++) {
        for (int32_t n = 1; n <= 33; n++) {
            for (int64_t count = 0; count <= 1000; count += 77) {
                const rs_schedule schedule = sim_schedule(rs_algorithms[a]->name, n, count);
                const rs_job job = sim_job(&schedule, count);
                if (rs_algorithms[a]->closed_form_ps == NULL) continue;
                const int64_t form_ps = rs_closed_form_ps(&job);
                if (form_ps < 0 && count % n != 0) continue;
                cr_expect_geq(form_ps, rs_lower_bound_ps(&job, NULL));
            }
        }
    }
}

Test(measure, closed_forms_hold_only_for_healthy_equal_links_under_rendezvous) {
    const rs_schedule ring = sim_schedule("ring", 5, 25000000);
    const rs_job good = sim_job(&ring, 25000000);
    cr_expect_eq(rs_closed_form_ps(&good), 8040000000);
    rs_job job = good;
    job.net.protocol = RS_EAGER;
    cr_expect_eq(rs_closed_form_ps(&job), -1);
    const rs_link_override same = {0, 1, good.net.link}, other = {0, 1, {1, 1}};
    job = good, job.net.overrides = &same, job.net.n_overrides = 1;
    cr_expect_eq(rs_closed_form_ps(&job), 8040000000);
    job.net.overrides = &other;
    cr_expect_eq(rs_closed_form_ps(&job), -1);
    const rs_fault late = {.kind = RS_LATE}, flip = {.kind = RS_FLIP};
    job = good, job.faults = &late, job.n_faults = 1;
    cr_expect_eq(rs_closed_form_ps(&job), -1);
    job.faults = &flip; /* wrong values, but on time */
    cr_expect_eq(rs_closed_form_ps(&job), 8040000000);
    job = good, job.count = INT64_MAX / 4;
    cr_expect_eq(rs_closed_form_ps(&job), -1); /* past 2^53 ps */
}
