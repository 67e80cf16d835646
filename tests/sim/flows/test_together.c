/* Rates at a moment, against the run itself: whatever has a rate for as long as it flows has carried its bytes. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/sim_jobs.h"

enum { N = 8, MOST = 4096 };

/* Two nodes with two NICs of unequal width, a wire that both directions share, and GPUs side by side. */
static const char text[] = "ringsim-machine 1\n"
                           "gpus 8\n"
                           "switch a b n0 n1 n2 n3 fabric\n"
                           "link gpu0 a bandwidth 30GB/s latency 1us\n"
                           "link gpu1 a bandwidth 30GB/s latency 1us\n"
                           "link gpu2 a bandwidth 10GB/s latency 1us\n"
                           "link gpu3 a bandwidth 30GB/s latency 2us\n"
                           "link gpu4 b bandwidth 30GB/s latency 1us\n"
                           "link gpu5 b bandwidth 30GB/s latency 1us shared\n"
                           "link gpu6 b bandwidth 30GB/s latency 1us\n"
                           "link gpu7 b bandwidth 30GB/s latency 1us\n"
                           "link gpu0 gpu1 bandwidth 20GB/s\n"
                           "link a n0 bandwidth 12GB/s kind pcie\n"
                           "link a n1 bandwidth 7GB/s kind pcie\n"
                           "link b n2 bandwidth 12GB/s kind pcie\n"
                           "link b n3 bandwidth 12GB/s kind pcie\n"
                           "link n0 fabric bandwidth 12GB/s latency 2us kind net\n"
                           "link n1 fabric bandwidth 12GB/s latency 2us kind net\n"
                           "link n2 fabric bandwidth 9GB/s latency 2us kind net\n"
                           "link n3 fabric bandwidth 12GB/s latency 2us kind net\n";

static rs_arena arena;
static rs_error error;
static rs_machine machine;

static void begin(void) {
    rs_arena_init(&arena, NULL);
    cr_assert_eq(rs_parse_machine(text, strlen(text), "two", &arena, &error, &machine), RS_OK, "%s",
                 error.text);
}

static int by_time(const void *left, const void *right) {
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* No wire carries more than it can. */
static void expect_within(rs_together *together, const rs_timed *const messages[], int32_t n,
                          const uint64_t rates[], const char *what) {
    uint64_t sums[2 * 32] = {0};
    for (int32_t i = 0; i < n; i++) {
        rs_route route;
        cr_assert_eq(rs_together_way(together, &messages[i]->transfer, &error, &route), RS_OK);
        cr_expect_gt(rates[i], 0, "%s", what);
        for (int32_t k = 0; k < route.n_wires; k++) sums[route.wires[k]] += rates[i];
    }
    for (int32_t w = 0; w < 2 * machine.n_links; w++) {
        const uint64_t most = rs_together_capacity(together, w);
        cr_expect_leq(sums[w], most, "%s: wire %d", what, (int)w);
    }
}

/* Between two moments at which a message begins or ends, all have the same rates. */
static void expect_bytes(const rs_job *job, const char *what) {
    static int64_t moments[2 * MOST];
    static double carried[MOST];
    rs_outcome outcome;
    rs_trace *trace;
    rs_together *together;
    cr_assert_eq(rs_trace_new(MOST, &arena, &error, &trace), RS_OK);
    const rs_sink sink = rs_trace_sink(trace);
    cr_assert_eq(rs_simulate(job, RS_ENGINE_FLOWS, &sink, &arena, &error, &outcome), RS_OK, "%s",
                 error.text);
    cr_assert_eq(rs_together_new(job, &arena, &error, &together), RS_OK, "%s", error.text);
    const int32_t n = (int32_t)trace->n_items;
    cr_assert(n > 0 && n < MOST);
    for (int32_t i = 0; i < n; i++) {
        carried[i] = 0;
        moments[2 * i] = rs_together_from(together, &trace->items[i]);
        moments[2 * i + 1] = trace->items[i].end_ps;
    }
    qsort(moments, 2 * (size_t)n, sizeof *moments, by_time);
    for (int32_t m = 0; m + 1 < 2 * n; m++) {
        const rs_timed *under_way[MOST];
        uint64_t rates[MOST];
        int32_t k = 0;
        if (moments[m] == moments[m + 1]) continue;
        for (int32_t i = 0; i < n; i++) {
            const rs_timed *t = &trace->items[i];
            if (rs_together_from(together, t) > moments[m] || t->end_ps <= moments[m]) continue;
            under_way[k++] = t;
        }
        cr_assert_eq(rs_share_out(together, under_way, k, &error, rates), RS_OK, "%s", error.text);
        expect_within(together, under_way, k, rates, what);
        for (int32_t i = 0; i < k; i++) {
            carried[under_way[i] - trace->items] +=
                (double)rates[i] * (double)(moments[m + 1] - moments[m]) * 1e-12;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        const rs_transfer *t = &trace->items[i].transfer;
        const double bytes =
            (double)(rs_transfer_count(job->schedule, job->count, t) * job->elem_bytes);
        cr_expect_float_eq(carried[i], bytes, 1e-6 * bytes + 1, "%s: step %d, %d to %d, %g of %g",
                           what, (int)trace->items[i].step, (int)t->src, (int)t->dst, carried[i],
                           bytes);
    }
}

Test(together, whoever_has_a_rate_for_as_long_as_it_flows_carries_its_bytes) {
    static const char *const names[] = {"ring", "naive", "halving", "two-level", "double-tree"};
    static const rs_fault faults[] = {
        {.kind = RS_SLOW_LINK, .rank = 1, .factor_num = 3, .factor_den = 1},
        {.kind = RS_LATE, .rank = 2, .time_ps = 100000000},
        {.kind = RS_DOWN, .rank = 0, .step = 1, .time_ps = 50000000}};
    static const int32_t place[N] = {0, 4, 1, 5, 2, 6, 3, 7};
    begin();
    for (int a = 0; a < 5; a++) {
        for (int v = 0; v < 3; v++) {
            const rs_spec spec = {.n_ranks = N, .gpus_per_node = 4, .n_channels = v == 2 ? 2 : 1};
            rs_schedule schedule;
            cr_assert_eq(rs_schedule_from_spec(rs_find_algorithm(RS_COLL_ALL_REDUCE, names[a]),
                                               &spec, 1000000, &error, &schedule),
                         RS_OK, "%s", error.text);
            rs_job job = {.schedule = &schedule, .count = 1000000, .elem_bytes = 4};
            job.net.machine = &machine;
            if (v > 0) job.net.place = place;
            if (v == 1) job.faults = faults;
            if (v == 1) job.n_faults = 3;
            expect_bytes(&job, names[a]);
        }
    }
    rs_arena_free(&arena);
}
