/* Lower bound, closed forms and rates. */
#include <criterion/criterion.h>

#include "sim_jobs.h"

Test(measure, the_lower_bound_is_the_rings_bytes_over_the_fastest_link_rounded_up) {
    const rs_schedule ring = sim_schedule("ring", 5, 25000000);
    rs_job job = sim_job(&ring, 25000000);
    cr_expect_eq(rs_lower_bound_ps(&job), 8000000000);
    const rs_link_override faster[] = {{0, 1, {1, 40000000000}}, {1, 2, {1, 3}}};
    job.net.overrides = faster, job.net.n_overrides = 2;
    cr_expect_eq(rs_lower_bound_ps(&job), 4000000000);
    const rs_schedule three = sim_schedule("ring", 3, 1);
    job = sim_job(&three, 1);
    job.net.link.bandwidth_Bps = 1000000000000; /* 4/3 x 4 ps */
    cr_expect_eq(rs_lower_bound_ps(&job), 6);
    job.count = INT64_MAX / 4;
    job.net.link.bandwidth_Bps = 1;
    cr_expect_eq(rs_lower_bound_ps(&job), INT64_MAX);
}

Test(measure, nothing_to_do_takes_no_time_and_has_no_rate) {
    const rs_schedule alone = sim_schedule("ring", 1, 9), empty = sim_schedule("ring", 9, 0);
    const rs_job jobs[] = {sim_job(&alone, 9), sim_job(&empty, 0)};
    double algbw, busbw;
    for (int i = 0; i < 2; i++) {
        cr_expect_eq(rs_lower_bound_ps(&jobs[i]), 0);
        cr_expect_eq(rs_closed_form_ps(&jobs[i]), 0);
    }
    cr_expect_not(rs_rates(36, 1, 0, &algbw, &busbw));
    cr_expect_not(rs_rates(0, 9, 0, &algbw, &busbw));
    cr_expect_not(rs_rates(0, 9, 5, &algbw, &busbw));
}

Test(measure, rates_are_those_of_nccl_tests) {
    double algbw, busbw;
    cr_assert(rs_rates(100000000, 5, 8040000000, &algbw, &busbw));
    cr_expect_float_eq(algbw, 12.437810945273632, 1e-12);
    cr_expect_float_eq(busbw, 19.900497512437810, 1e-12);
}

Test(measure, no_algorithm_beats_the_lower_bound) {
    for (int a = 0; rs_algorithms[a] != NULL; a++) {
        for (int32_t n = 1; n <= 33; n++) {
            for (int64_t count = 0; count <= 1000; count += 77) {
                const rs_schedule schedule = sim_schedule(rs_algorithms[a]->name, n, count);
                const rs_job job = sim_job(&schedule, count);
                cr_expect_geq(rs_closed_form_ps(&job), rs_lower_bound_ps(&job));
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
