/* test_critical_path.c: where a run's time went: latency, transfer, addition, waiting. */
#include <criterion/criterion.h>

#include "support/random_job.h"
#include "support/sim_jobs.h"

static rs_arena arena;

static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}

static void close_arena(void) {
    rs_arena_free(&arena);
}

TestSuite(critical_path, .init = open_arena, .fini = close_arena);

static rs_time_split split_of(const rs_job *job, const rs_trace *trace, int64_t n_items) {
    rs_critical_path *path;
    rs_error error;
    cr_assert_eq(rs_critical_path_new(job, trace, &arena, &error, &path), RS_OK, "%s", error.text);
    return rs_critical_path_split(path, n_items);
}

/* Runs the job and splits the whole of it. */
static rs_time_split run(const rs_job *job, int64_t *makespan_ps) {
    rs_trace *trace;
    *makespan_ps = sim_run(job, &arena, &trace).makespan_ps;
    return split_of(job, trace, trace->n_items);
}

static int64_t sum_of(const rs_time_split *split) {
    return split->latency_ps + split->wire_ps + split->adding_ps + split->waiting_ps;
}

/* On equal links without faults each step costs one latency and one transfer, as long as no GPU
   sends several: those take turns at its port. */
Test(critical_path, splits_the_time_of_equal_links_exactly) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int32_t n = 2; n <= 17; n += 3) {
            const rs_schedule schedule = sim_schedule(rs_algorithms[i]->name, n, 1000);
            rs_job job = sim_job(&schedule, 1000);
            job.net.reduce_Bps = 100000000000;
            int64_t makespan_ps;
            const rs_time_split split = run(&job, &makespan_ps);
            cr_expect_eq(sum_of(&split), makespan_ps, "%s %d", schedule.name, (int)n);
            if (schedule.max_sends == 1) {
                cr_expect_eq(split.latency_ps, 5000000LL * schedule.n_steps, "%s %d", schedule.name,
                             (int)n);
                cr_expect_eq(split.waiting_ps, 0);
            }
            cr_expect_gt(split.adding_ps, 0);
        }
    }
}

/* The second message has the port as soon as the first has arrived: its addition holds nothing up. */
Test(critical_path, an_addition_that_nobody_waits_for_is_not_counted) {
    const rs_transfer list[] = {{.src = 0, .dst = 1, .chunk = 0, .n_chunks = 1},
                                {.src = 0, .dst = 1, .chunk = 1, .n_chunks = 1},
                                {.src = 1, .dst = 0, .chunk = 0, .n_chunks = 1, .effect = RS_COPY},
                                {.src = 1, .dst = 0, .chunk = 1, .n_chunks = 1, .effect = RS_COPY}};
    const int32_t step_of[] = {0, 0, 1, 1};
    const rs_schedule schedule = sim_list(2, 2, list, step_of, 4, &arena);
    rs_job job = sim_job(&schedule, 2);
    job.net.reduce_Bps = 1000000;
    int64_t makespan_ps;
    const rs_time_split split = run(&job, &makespan_ps);
    cr_expect_eq(split.latency_ps, 4 * 5000000);
    cr_expect_eq(split.wire_ps, 4 * 200);
    cr_expect_eq(split.adding_ps, 4000000, "one chunk of four bytes at 1 MB/s");
    cr_expect_eq(split.waiting_ps, 0);
    cr_expect_eq(makespan_ps, 4 * 5000200 + 4000000);
}

Test(critical_path, waiting_is_what_a_late_gpu_costs) {
    const rs_schedule schedule = sim_schedule("ring", 6, 25000000);
    const rs_fault late = {.kind = RS_LATE, .rank = 2, .time_ps = 7000000};
    for (int protocol = RS_RENDEZVOUS; protocol <= RS_EAGER; protocol++) {
        rs_job job = sim_job(&schedule, 25000000);
        job.net.protocol = (rs_protocol)protocol;
        job.faults = &late;
        job.n_faults = 1;
        int64_t makespan_ps;
        const rs_time_split split = run(&job, &makespan_ps);
        cr_expect_eq(split.waiting_ps, 7000000, "protocol %d", protocol);
        cr_expect_eq(split.latency_ps + split.wire_ps + split.waiting_ps, makespan_ps);
    }
}

static rs_fault random_fault(uint64_t *seed, const rs_schedule *schedule) {
    static const rs_fault_kind kinds[] = {RS_STRAGGLER, RS_LATE, RS_DOWN, RS_SLOW_LINK,
                                          RS_SLOW_REDUCE};
    return (rs_fault){
        .kind = kinds[draw_below(seed, 5)],
        .rank = (int32_t)draw_below(seed, schedule->n_ranks),
        .step = (int32_t)draw_below(seed, schedule->n_steps),
        .time_ps = 1 + draw_below(seed, 40000000),
        .factor_num = (uint64_t)(1 + draw_below(seed, 30)),
        .factor_den = (uint64_t)(1 + draw_below(seed, 10)),
    };
}

/* Whatever goes wrong: the parts add up, and none is negative. */
Test(critical_path, the_parts_add_up_under_random_faults) {
    uint64_t seed = 12;
    for (int i = 0; i < 3000; i++) {
        const int32_t n = (int32_t)(2 + draw_below(&seed, 9));
        const int64_t count = 1 + draw_below(&seed, 60000);
        const rs_schedule schedule = sim_schedule(rs_algorithms[i % 5]->name, n, count);
        const rs_fault faults[] = {random_fault(&seed, &schedule), random_fault(&seed, &schedule),
                                   random_fault(&seed, &schedule)};
        rs_job job = sim_job(&schedule, count);
        job.net.protocol = draw_below(&seed, 2) ? RS_EAGER : RS_RENDEZVOUS;
        job.net.reduce_Bps = draw_below(&seed, 2) ? 10000000000 : 0;
        job.faults = faults;
        job.n_faults = (int)draw_below(&seed, 4);
        int64_t makespan_ps;
        const rs_time_split split = run(&job, &makespan_ps);
        cr_assert_eq(sum_of(&split), makespan_ps, "job %d: %s %d", i, schedule.name, (int)n);
        cr_assert(split.latency_ps >= 0 && split.wire_ps >= 0 && split.adding_ps >= 0 &&
                  split.waiting_ps >= 0);
        rs_arena_free(&arena);
    }
}

static int64_t makespan_of(const rs_job *job) {
    rs_trace *trace;
    return sim_run(job, &arena, &trace).makespan_ps;
}

/* The waiting is what the fault costs: with a delay D that the chain meets k times it is k D, and k
   is what the makespan grows by for each picosecond more. (Where two chains are equally long, k lies
   between what it shrinks and what it grows by.) */
Test(critical_path, waiting_is_what_the_makespan_owes_to_a_delay) {
    uint64_t seed = 7;
    static const rs_fault_kind kinds[] = {RS_STRAGGLER, RS_LATE, RS_DOWN};
    static const char *names[] = {"ring", "halving", "doubling", "tree"};
    for (int i = 0; i < 3000; i++) {
        const int32_t n = (int32_t)(2 + draw_below(&seed, 9));
        const int64_t count = 10000 + draw_below(&seed, 50000);
        const rs_schedule schedule = sim_schedule(names[i % 4], n, count);
        rs_fault fault = random_fault(&seed, &schedule);
        fault.kind = kinds[draw_below(&seed, 3)];
        rs_job job = sim_job(&schedule, count);
        job.net.protocol = draw_below(&seed, 2) ? RS_EAGER : RS_RENDEZVOUS;
        job.faults = &fault;
        job.n_faults = 1;
        /* exactly what a step costs: many chains are equally long */
        if (draw_below(&seed, 4) == 0) {
            fault.time_ps = job.net.link.alpha_ps + rs_wire_ps(count / n * 4, 20000000000, 1, 1);
        }
        int64_t makespan_ps;
        const int64_t waiting_ps = run(&job, &makespan_ps).waiting_ps, delay_ps = fault.time_ps;
        fault.time_ps = delay_ps + 1;
        const int64_t grows_ps = makespan_of(&job) - makespan_ps;
        fault.time_ps = delay_ps - 1;
        const int64_t shrinks_ps = makespan_ps - makespan_of(&job);
        const int64_t k = waiting_ps / delay_ps;
        cr_assert_eq(waiting_ps, k * delay_ps, "job %d: %s %d", i, schedule.name, (int)n);
        cr_assert(shrinks_ps <= k && k <= grows_ps, "job %d: %s %d: %d is not in %d..%d", i,
                  schedule.name, (int)n, (int)k, (int)shrinks_ps, (int)grows_ps);
        rs_arena_free(&arena);
    }
}

/* Five GPUs, one of which needs as long again as a step takes: half of the time is waiting. */
Test(critical_path, a_straggler_costs_its_delay_at_each_step) {
    const rs_schedule schedule = sim_schedule("ring", 5, 25000000);
    static const int64_t delays_ps[] = {1000000000, 1005000000, 2000000000};
    for (int i = 0; i < 3; i++) {
        const rs_fault slow = {.kind = RS_STRAGGLER, .rank = 2, .time_ps = delays_ps[i]};
        rs_job job = sim_job(&schedule, 25000000);
        job.faults = &slow;
        job.n_faults = 1;
        int64_t makespan_ps;
        cr_expect_eq(run(&job, &makespan_ps).waiting_ps, 8 * delays_ps[i]);
        cr_expect_eq(makespan_ps, 8 * (1005000000 + delays_ps[i]));
    }
}

/* One slow link of 0 -> 1 alone and a link that is down once: each cost is the one that costs.h knows. */
Test(critical_path, slow_links_and_outages_cost_what_the_engines_say) {
    const rs_schedule schedule = sim_schedule("naive", 2, 1000);
    const rs_link_override other = {1, 0, {3000000, 1000000000}};
    const rs_fault faults[] = {
        {.kind = RS_SLOW_LINK, .rank = 1, .factor_num = 3, .factor_den = 2},
        {.kind = RS_SLOW_LINK, .rank = 1, .factor_num = 2, .factor_den = 1},
        {.kind = RS_DOWN, .rank = 0, .step = 1, .time_ps = 900000},
        {.kind = RS_DOWN, .rank = 0, .step = 1, .time_ps = 100000},
    };
    rs_job job = sim_job(&schedule, 1000);
    job.net.overrides = &other;
    job.net.n_overrides = 1;
    job.faults = faults;
    job.n_faults = 4;
    int64_t makespan_ps;
    const rs_time_split split = run(&job, &makespan_ps);
    cr_expect_eq(split.latency_ps, 3 * 3000000 + 5000000);
    cr_expect_eq(split.wire_ps, 3 * 4000 * 1000 + 4000 * 50);
    cr_expect_eq(split.waiting_ps, 1000000);
    cr_expect_eq(sum_of(&split), makespan_ps);
}

Test(critical_path, splits_a_run_up_to_any_of_its_steps) {
    const rs_schedule schedule = sim_schedule("ring", 4, 400);
    const rs_job job = sim_job(&schedule, 400);
    rs_trace *trace;
    sim_run(&job, &arena, &trace);
    const rs_time_split none = split_of(&job, trace, 0);
    cr_expect_eq(sum_of(&none), 0);
    for (int32_t step = 1; step <= schedule.n_steps; step++) {
        const rs_time_split split = split_of(&job, trace, 4LL * step);
        cr_expect_eq(split.latency_ps, 5000000LL * step);
        cr_expect_eq(split.wire_ps, 20000LL * step, "100 elements at 20 GB/s");
    }
}

Test(critical_path, refuses_a_job_that_cannot_be_simulated) {
    const rs_schedule schedule = sim_schedule("ring", 4, 400);
    rs_job job = sim_job(&schedule, 400);
    rs_trace trace = {0};
    rs_critical_path *path;
    rs_error error;
    job.net.link.bandwidth_Bps = 0;
    cr_expect_eq(rs_critical_path_new(&job, &trace, &arena, &error, &path), RS_BAD_INPUT);
}
