/* What messages cost, and which jobs are refused. */
#include <criterion/criterion.h>
#include <string.h>

#include "time/costs.h"
#include "support/sim_jobs.h"

static rs_arena arena;
static rs_error error;

static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}

static void close_arena(void) {
    rs_arena_free(&arena);
}

TestSuite(net, .init = open_arena, .fini = close_arena);

static rs_costs *costs_of(const rs_job *job) {
    rs_costs *costs = NULL;
    cr_assert_eq(rs_costs_new(job, &arena, &error, &costs), RS_OK, "%s", error.text);
    return costs;
}

static void expect_refused(const rs_job *job, rs_status status, const char *part) {
    rs_costs *costs = NULL;
    error.text[0] = '\0';
    cr_expect_eq(rs_costs_new(job, &arena, &error, &costs), status, "%s", part);
    cr_expect(strstr(error.text, part) != NULL, "'%s' is not in '%s'", part, error.text);
    cr_expect(costs == NULL);
}

Test(net, wire_time_is_rounded_to_the_nearest_picosecond_halves_up) {
    cr_expect_eq(rs_wire_ps(1, 1000000000000, 1, 1), 1);
    cr_expect_eq(rs_wire_ps(1, 2000000000000, 1, 1), 1); /* 0.5 */
    cr_expect_eq(rs_wire_ps(1, 2000000000001, 1, 1), 0);
    cr_expect_eq(rs_wire_ps(5, 2000000000000, 1, 1), 3); /* 2.5 */
    cr_expect_eq(rs_wire_ps(5, 2000000000000, 3, 1), 8); /* 7.5: rounded once, after the factor */
    cr_expect_eq(rs_wire_ps(100000000, 20000000000, 1, 1), 5000000000);
    cr_expect_eq(rs_wire_ps(100000000, 20000000000, 1, 4), 1250000000);
    cr_expect_eq(rs_wire_ps(0, 1, 1, 1), 0);
    cr_expect_eq(rs_wire_ps(INT64_MAX, 1, 1, 1), INT64_MAX);
    cr_expect_eq(rs_wire_ps(INT64_MAX, 1, 1000000000, 1), INT64_MAX);
    cr_expect_eq(rs_wire_ps(INT64_MAX, UINT64_MAX, 1, 1), 500000000000);
    cr_expect_eq(rs_wire_ps((1LL << 40) + 1, 1000000000000, 1, 1), (1LL << 40) + 1);
}

__extension__ typedef unsigned __int128 wide;

Test(net, wire_times_of_all_sizes_are_those_of_wide_arithmetic) {
    uint64_t state = 3;
    for (int i = 0; i < 200000; i++) {
        const uint64_t bytes = sim_random(&state) >> (1 + sim_random(&state) % 62);
        const uint64_t rate = (sim_random(&state) >> sim_random(&state) % 63) | 1;
        const wide ps = ((wide)bytes * 1000000000000 + rate / 2) / rate;
        const int64_t expected = ps > INT64_MAX ? INT64_MAX : (int64_t)ps;
        cr_assert_eq(rs_wire_ps((int64_t)bytes, rate, 1, 1), expected, "%llu bytes, %llu B/s",
                     (unsigned long long)bytes, (unsigned long long)rate);
    }
}

Test(net, slow_links_overrides_and_slow_additions_reach_the_costs) {
    const rs_schedule ring = sim_schedule("ring", 4, 1000);
    const rs_link_override overrides[] = {
        {1, 2, {7, 1000000000000}}, {1, 3, {9, 1000000000000}}, {3, 0, {11, 500000000000}}};
    const rs_fault faults[] = {
        {.kind = RS_SLOW_LINK, .rank = 1, .factor_num = 3, .factor_den = 2},
        {.kind = RS_SLOW_LINK, .rank = 1, .factor_num = 2, .factor_den = 1},
        {.kind = RS_SLOW_REDUCE, .rank = 2, .factor_num = 5, .factor_den = 1},
    };
    rs_job job = sim_job(&ring, 1000);
    job.net.overrides = overrides, job.net.n_overrides = 3;
    job.net.reduce_Bps = 1000000000000;
    job.faults = faults, job.n_faults = 3;
    const rs_costs *costs = costs_of(&job);
    int64_t alpha, busy;
    rs_costs_link(costs, 0, 1, 20, &alpha, &busy);
    cr_expect(alpha == 5000000 && busy == 1000);
    rs_costs_link(costs, 1, 2, 20, &alpha, &busy);
    cr_expect(alpha == 21 && busy == 60);
    rs_costs_link(costs, 1, 3, 20, &alpha, &busy);
    cr_expect(alpha == 27 && busy == 60);
    rs_costs_link(costs, 1, 0, 20, &alpha, &busy);
    cr_expect(alpha == 15000000 && busy == 3000);
    rs_costs_link(costs, 3, 0, 20, &alpha, &busy);
    cr_expect(alpha == 11 && busy == 40);
    cr_expect_eq(rs_costs_addition(costs, 1, 20), 20);
    cr_expect_eq(rs_costs_addition(costs, 2, 20), 100);
    cr_expect(costs->bounded && costs->one_port && !costs->has_kills);
}

Test(net, slowed_latencies_round_to_the_nearest_picosecond_halves_up) {
    cr_expect_eq(rs_scale_ps(5, (rs_factor){3, 2}), 8);  /* 7.5 */
    cr_expect_eq(rs_scale_ps(5, (rs_factor){4, 3}), 7);  /* 6.67 */
    cr_expect_eq(rs_scale_ps(5, (rs_factor){10, 7}), 7); /* 7.14 */
    cr_expect_eq(rs_scale_ps(5, (rs_factor){7, 7}), 5);
    cr_expect_eq(rs_scale_ps(INT64_MAX, (rs_factor){2, 1}), INT64_MAX);
}

Test(net, faults_of_one_kind_on_one_rank_add_up) {
    const rs_schedule ring = sim_schedule("ring", 4, 1000);
    const rs_fault faults[] = {
        {.kind = RS_LATE, .rank = 3, .time_ps = 5},
        {.kind = RS_LATE, .rank = 3, .time_ps = 6},
        {.kind = RS_STRAGGLER, .rank = 0, .time_ps = 7},
        {.kind = RS_KILL, .rank = 2, .step = 4},
        {.kind = RS_KILL, .rank = 2, .step = 3},
        {.kind = RS_KILL, .rank = 2, .step = 5},
        {.kind = RS_DOWN, .rank = 1, .step = 5, .time_ps = 1},
        {.kind = RS_DOWN, .rank = 1, .step = 2, .time_ps = 10},
        {.kind = RS_DOWN, .rank = 1, .step = 5, .time_ps = 100},
    };
    rs_job job = sim_job(&ring, 1000);
    job.faults = faults, job.n_faults = 9;
    const rs_costs *costs = costs_of(&job);
    cr_expect_eq(costs->late_ps[3], 11);
    cr_expect_eq(costs->straggler_ps[0], 7);
    cr_expect_eq(costs->kill_step[2], 3);
    cr_expect_eq(costs->kill_step[1], 6);
    cr_expect_eq(costs->n_outages, 2);
    cr_expect_eq(rs_costs_outage(costs, 1, 5), 101);
    cr_expect_eq(rs_costs_outage(costs, 1, 2), 10);
    cr_expect_eq(rs_costs_outage(costs, 1, 3), 0);
    cr_expect_eq(rs_costs_outage(costs, 0, 5), 0);
}

Test(net, refuses_numbers_out_of_range_and_says_which) {
    const rs_schedule ring = sim_schedule("ring", 4, 2);
    const rs_job good = sim_job(&ring, 2);
    rs_job job = good;
    job.count = -1;
    expect_refused(&job, RS_BAD_INPUT, "-1 elements");
    job = good, job.elem_bytes = 0;
    expect_refused(&job, RS_BAD_INPUT, "0 bytes");
    job = good, job.count = INT64_MAX / 2;
    expect_refused(&job, RS_TOO_LARGE, "more bytes");
    job = good, job.net.link.bandwidth_Bps = UINT64_MAX;
    job.count = INT64_MAX / 5; /* a rank sends 6 quarters of it, of 4 bytes an element */
    expect_refused(&job, RS_TOO_LARGE, "a rank sends more bytes than can be counted");
    job.count = INT64_MAX / 6 - 4;
    costs_of(&job);
    job = good, job.net.link.bandwidth_Bps = 0;
    expect_refused(&job, RS_BAD_INPUT, "bandwidth");
    job = good, job.net.link.alpha_ps = -1;
    expect_refused(&job, RS_BAD_INPUT, "latency");
    const rs_link link = {1, 1};
    const struct {
        rs_link_override overrides[2];
        const char *part;
    } links[] = {
        {{{0, 4, link}, {1, 2, link}}, "link 0 -> 4: there is no such rank"},
        {{{-1, 2, link}, {1, 2, link}}, "link -1 -> 2: there is no such rank"},
        {{{0, 1, link}, {2, 2, link}}, "link 2 -> 2: a rank has no link to itself"},
        {{{1, 2, link}, {0, 1, link}}, "link 0 -> 1: links must be sorted"},
        {{{1, 2, link}, {1, 2, link}}, "link 1 -> 2: links must be sorted"},
        {{{0, 1, {1, 0}}, {1, 2, link}}, "link 0 -> 1: a link needs"},
        {{{0, 1, {-1, 1}}, {1, 2, link}}, "link 0 -> 1: a link needs"},
    };
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        job = good, job.net.overrides = links[i].overrides, job.net.n_overrides = 2;
        expect_refused(&job, RS_BAD_INPUT, links[i].part);
    }
    const struct {
        rs_fault fault;
        const char *part;
    } faults[] = {
        {{.kind = RS_LATE, .rank = 4}, "late of rank 4: the ranks are 0..3"},
        {{.kind = RS_LATE, .rank = -1}, "late of rank -1"},
        {{.kind = RS_LATE, .time_ps = -1}, "late of rank 0: a time"},
        {{.kind = RS_STRAGGLER, .time_ps = -1}, "straggler of rank 0: a time"},
        {{.kind = RS_DOWN, .time_ps = -1}, "down of rank 0: a time"},
        {{.kind = RS_DOWN, .step = 6}, "down of rank 0 at step 6: this run has 6 steps"},
        {{.kind = RS_KILL, .step = 6}, "kill of rank 0 at step 6"},
        {{.kind = RS_KILL, .step = -1}, "kill of rank 0 at step -1"},
        {{.kind = RS_FLIP, .step = 6}, "flip of rank 0 at step 6"},
        {{.kind = RS_SLOW_LINK, .factor_num = 0, .factor_den = 1}, "slow-link of rank 0: a factor"},
        {{.kind = RS_SLOW_LINK, .factor_num = 1, .factor_den = 0}, "slow-link of rank 0: a factor"},
        {{.kind = RS_SLOW_REDUCE, .factor_num = 1000000001, .factor_den = 1},
         "slow-reduce of rank 0: a factor"},
        {{.kind = RS_FLIP, .rank = 2, .step = 0}, "step 0: rank 2 sends nothing there to flip"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        job = good, job.faults = &faults[i].fault, job.n_faults = 1;
        expect_refused(&job, RS_BAD_INPUT, faults[i].part);
    }
}

Test(net, refuses_a_flip_where_a_rank_sends_no_message) {
    const rs_schedule naive = sim_schedule("naive", 4, 100);
    const rs_fault flips[] = {{.kind = RS_FLIP, .rank = 1, .step = 0},
                              {.kind = RS_FLIP, .rank = 3, .step = 1}};
    rs_job job = sim_job(&naive, 100);
    job.faults = flips, job.n_faults = 1;
    costs_of(&job);
    job.n_faults = 2;
    expect_refused(&job, RS_BAD_INPUT, "step 1: rank 3 sends nothing there to flip");
}

Test(net, nothing_to_do_has_no_steps_to_die_in) {
    const rs_schedule ring = sim_schedule("ring", 4, 0);
    const rs_fault kill = {.kind = RS_KILL, .rank = 1, .step = 0};
    rs_job job = sim_job(&ring, 0);
    cr_expect_eq(costs_of(&job)->n_steps, 0);
    job.faults = &kill, job.n_faults = 1;
    expect_refused(&job, RS_BAD_INPUT, "this run has 0 steps");
}

Test(net, refuses_a_run_whose_clock_could_pass_what_doubles_hold) {
    const int64_t limit_ps = RS_CLOCK_LIMIT_PS;
    const rs_schedule ring = sim_schedule("ring", 3, 3); /* 4 steps of one element */
    rs_job job = sim_job(&ring, 3);
    job.elem_bytes = 1;
    job.net.link = (rs_link){limit_ps / 4 - 1, 1000000000000}; /* 4 (2^51 - 1 + 1) = 2^53 */
    expect_refused(&job, RS_TOO_LARGE, "2^53");
    job.net.link.alpha_ps--;
    cr_expect(costs_of(&job)->bounded);
    const rs_fault late = {.kind = RS_LATE, .rank = 2, .time_ps = 4};
    job.faults = &late, job.n_faults = 1;
    expect_refused(&job, RS_TOO_LARGE, "2^53");
    const rs_fault straggler = {.kind = RS_STRAGGLER, .rank = 2, .time_ps = 1};
    job.faults = &straggler;
    expect_refused(&job, RS_TOO_LARGE, "2^53");
    const rs_fault slow = {
        .kind = RS_SLOW_LINK, .rank = 2, .factor_num = 1000000000, .factor_den = 1};
    job.faults = &slow;
    expect_refused(&job, RS_TOO_LARGE, "2^53");
    job.faults = NULL, job.n_faults = 0;
    job.count = INT64_MAX / 2;
    expect_refused(&job, RS_TOO_LARGE, "2^53");
}

Test(net, a_ring_of_the_largest_size_is_bounded_by_its_steps_not_its_transfers) {
    const rs_schedule ring = sim_schedule("ring", RS_MAX_RANKS, 25000000);
    rs_job job = sim_job(&ring, 25000000);
    cr_expect(costs_of(&job)->bounded);
    job.net.protocol = RS_EAGER;
    cr_expect(costs_of(&job)->bounded);
    const rs_schedule tree = sim_schedule("tree", RS_MAX_RANKS, 25000000);
    job.schedule = &tree;
    cr_expect_not(costs_of(&job)->bounded); /* eager ports have queues: the engine watches */
}
