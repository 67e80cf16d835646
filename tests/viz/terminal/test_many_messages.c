/* A rank that sends to all others in one step: an algorithm of our own goes through walk, checker, both
   orders of engines, execution, comparison and the views as text. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "support/sim_jobs.h"
#include "support/view_fixture.h"

/* All at once: chunk d of everybody goes to rank d, which adds; then it comes back to everybody. */
static rs_transfer between(const rs_schedule *s, int32_t step, int32_t src, int32_t dst) {
    return (rs_transfer){.src = src,
                         .dst = dst,
                         .chunk = step == 0 ? dst : src,
                         .n_chunks = 1,
                         .order = src * s->n_ranks + dst,
                         .effect = step == 0 ? RS_REDUCE : RS_COPY};
}

static int sends(const rs_schedule *s, int32_t step, int32_t rank, rs_transfer out[]) {
    int n = 0;
    for (int32_t r = 0; r < s->n_ranks; r++) {
        if (r != rank) out[n++] = between(s, step, rank, r);
    }
    return n;
}

static int recvs(const rs_schedule *s, int32_t step, int32_t rank, rs_transfer out[]) {
    int n = 0;
    for (int32_t r = 0; r < s->n_ranks; r++) {
        if (r != rank) out[n++] = between(s, step, r, rank);
    }
    return n;
}

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    schedule->n_chunks = n;
    schedule->n_steps = 2;
    schedule->n_transfers = (int64_t)2 * n * (n - 1);
    schedule->max_sends = n - 1;
    schedule->sends = sends;
    schedule->recvs = recvs;
}

static const rs_algorithm direct = {.name = "direct", .summary = "all at once", .make = make};

enum { N = 64 };

static void prepare(view_fixture *v, int32_t n, int64_t count) {
    view_fixture_prepare(v, "ring", n);
    cr_assert_eq(rs_schedule_make(&direct, RS_ORDER_SEED, n, count, &v->error, &v->schedule), RS_OK,
                 "%s", v->error.text);
    v->request.job.count = count;
}

Test(many_messages, are_walked_in_list_order_and_counted) {
    for (int32_t n = 2; n <= 70; n++) {
        rs_schedule s;
        cr_assert_eq(rs_schedule_make(&direct, RS_ORDER_SEED, n, 500, NULL, &s), RS_OK);
        int64_t n_walked = 0;
        for (int32_t step = 0; step < s.n_steps; step++) {
            rs_cursor cursor = {0};
            int32_t order = -1;
            for (rs_transfer t; rs_next_transfer(&s, step, &cursor, &t); n_walked++) {
                cr_assert_gt(t.order, order, "N=%d", (int)n);
                cr_assert_eq(t.order, t.src * n + t.dst);
                order = t.order;
            }
        }
        cr_assert_eq(n_walked, s.n_transfers, "N=%d", (int)n);
        for (int32_t r = 0; r < n; r++) {
            const int64_t own = rs_chunk_offset(500, n, r + 1) - rs_chunk_offset(500, n, r);
            cr_assert_eq(rs_elements_sent(&s, 500, r), 500 - own + (n - 1) * own);
        }
    }
}

Test(many_messages, are_sound_right_and_take_turns_at_the_ports) {
    const int64_t counts[] = {1, N - 1, N, 1000};
    for (int i = 0; i < 4; i++) {
        OWN_VIEW v = {0};
        prepare(&v, N, counts[i]);
        v.request.check = RS_ALWAYS;
        v.request.values = RS_VALUES_ALL;
        cr_assert(view_fixture_run(&v), "%s", v.error.text);
        cr_expect(v.report.verdict.sound, "%s", v.report.verdict.text);
        cr_expect(v.report.correct);
        cr_expect_eq(v.report.outcome.n_transfers, v.schedule.n_transfers);
        for (int32_t r = 0; r < N; r++) {
            cr_expect_eq(v.report.outcome.bytes_sent[r],
                         4 * rs_elements_sent(&v.schedule, counts[i], r));
        }
        /* A port takes 63 messages a step, one at a time. */
        const int64_t least_ps = 2 * (N - 1) * 5000000LL;
        cr_expect_geq(v.report.outcome.makespan_ps, least_ps);
    }
}

Test(many_messages, take_the_time_of_the_same_ones_from_a_file) {
    enum { TRANSFERS = 2 * N * (N - 1) };
    static rs_transfer list[TRANSFERS];
    static int32_t step_of[TRANSFERS];
    OWN_VIEW v = {0};
    prepare(&v, N, 1000);
    int64_t n = 0;
    for (int32_t step = 0; step < 2; step++) {
        rs_cursor cursor = {0};
        for (; rs_next_transfer(&v.schedule, step, &cursor, &list[n]); n++) step_of[n] = step;
    }
    const rs_schedule table = sim_list(N, N, list, step_of, n, &v.arena);
    const rs_job own = sim_job(&v.schedule, 1000), filed = sim_job(&table, 1000);
    const int64_t own_ps = sim_run(&own, &v.arena, NULL).makespan_ps;
    cr_expect_eq(sim_run(&filed, &v.arena, NULL).makespan_ps, own_ps);
}

Test(many_messages, are_told_as_text) {
    const int32_t sizes[] = {5, N, 70}; /* with 70, more than a sentence looks at */
    for (int i = 0; i < 3; i++) {
        OWN_VIEW v = {0};
        prepare(&v, sizes[i], 1000);
        cr_assert(view_fixture_run(&v), "%s", v.error.text);
        const rv_options options = {.width = 100};
        view_fixture_shown.used = 0;
        cr_assert_eq(rv_write_text(&v.subject, &options, view_fixture_collect, &view_fixture_shown,
                                   &v.error),
                     RS_OK);
        char more[64] = "GPU 0 has more messages than fit here";
        if (sizes[i] <= N) snprintf(more, sizeof more, "(and %d more)", (int)sizes[i] - 2);
        cr_expect(strstr(view_fixture_shown.bytes, more) != NULL, "%s", view_fixture_shown.bytes);
    }
}
