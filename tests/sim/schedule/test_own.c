/* An algorithm of a program's own: not in the list, several messages a rank and step, and neither a
   closed form nor a count of what it sends. Every part of the library takes it as it is. */
#include <criterion/criterion.h>
#include <string.h>

#include "support/naive_apply.h"
#include "support/own.h"
#include "support/sim_jobs.h"

/* Two rings at once: chunks 0 .. N-1 go right, chunks N .. 2N-1 left. */
static rs_transfer from(const rs_schedule *schedule, int32_t step, int32_t src, int way) {
    const int32_t n = schedule->n_ranks;
    const int32_t place = way == 0 ? src - step : src + step;
    return (rs_transfer){
        .src = src,
        .dst = (src + (way == 0 ? 1 : n - 1)) % n,
        .chunk = way * n + (place + 2 * n) % n,
        .n_chunks = 1,
        .order = 2 * src + way,
        .effect = step < n - 1 ? RS_REDUCE : RS_COPY,
    };
}

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    for (int way = 0; way < 2; way++) out[way] = from(schedule, step, rank, way);
    return 2;
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    const int32_t n = schedule->n_ranks, left = (rank + n - 1) % n, right = (rank + 1) % n;
    const int swap = left > right; /* in list order: the lower source first */
    out[swap] = from(schedule, step, left, 0);
    out[1 - swap] = from(schedule, step, right, 1);
    return 2;
}

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    schedule->n_chunks = 2 * n;
    schedule->n_steps = 2 * (n - 1);
    schedule->n_transfers = (int64_t)2 * n * schedule->n_steps;
    schedule->max_sends = 2;
    schedule->sends = sends;
    schedule->recvs = recvs;
}

static const rs_algorithm both_ways = {
    .name = "both-ways", .summary = "two rings at once", .make = make};

static rs_schedule made(int32_t n, int64_t count) {
    rs_schedule schedule;
    cr_assert_eq(rs_schedule_make(&both_ways, RS_ORDER_SEED, n, count, NULL, &schedule), RS_OK);
    return schedule;
}

/* The same transfers as a table. */
static rs_schedule compiled(const rs_schedule *s, rs_arena *arena) {
    enum { MOST = 4096 };
    static rs_transfer list[MOST];
    static int32_t step_of[MOST];
    int64_t n = 0;
    for (int32_t step = 0; step < s->n_steps; step++) {
        rs_cursor cursor = {0};
        for (; rs_next_transfer(s, step, &cursor, &list[n]); n++) step_of[n] = step;
    }
    cr_assert_eq(n, s->n_transfers, "the walk meets all");
    return sim_list(s->n_ranks, s->n_chunks, list, step_of, n, arena);
}

Test(own, an_algorithm_of_ones_own_is_walked_judged_and_counted) {
    for (int32_t n = 2; n <= 12; n++) {
        OWN_ARENA arena = {0};
        const rs_schedule s = made(n, 100), table = compiled(&s, &arena);
        rs_verdict verdict;
        cr_assert_eq(rs_check(&s, NULL, NULL, &verdict), RS_OK);
        cr_expect(verdict.sound, "%s", verdict.text);
        for (int32_t r = 0; r < n; r++) {
            cr_expect_eq(rs_elements_sent(&s, 100, r), rs_elements_sent(&table, 100, r));
        }
    }
}

Test(own, it_takes_the_time_of_the_same_transfers_from_a_file) {
    for (int32_t n = 2; n <= 12; n++) {
        for (int protocol = RS_RENDEZVOUS; protocol <= RS_EAGER; protocol++) {
            OWN_ARENA arena = {0};
            const rs_schedule s = made(n, 100), table = compiled(&s, &arena);
            rs_job a = sim_job(&s, 100), b = sim_job(&table, 100);
            a.net.protocol = b.net.protocol = (rs_protocol)protocol;
            const rs_outcome own = sim_run(&a, &arena, NULL), filed = sim_run(&b, &arena, NULL);
            cr_expect_eq(own.makespan_ps, filed.makespan_ps, "N=%d", (int)n);
            cr_expect(own.completed && own.n_transfers == s.n_transfers);
            cr_expect_eq(memcmp(own.bytes_sent, filed.bytes_sent, (size_t)n * 8), 0);
            cr_expect_eq(rs_closed_form_ps(&a), -1);
            cr_expect_geq(own.makespan_ps, rs_lower_bound_ps(&a, NULL));
        }
    }
}

static void make_too_many(int32_t n, rs_order order, rs_schedule *schedule) {
    make(n, order, schedule);
    schedule->max_sends = RS_MAX_SENDS + 1;
}

Test(own, more_messages_a_step_than_there_is_room_for_are_refused) {
    const rs_algorithm many = {.name = "many", .summary = "", .make = make_too_many};
    rs_schedule schedule = {.n_ranks = 77};
    rs_error error = {.text = ""};
    cr_expect_eq(rs_schedule_make(&many, RS_ORDER_SEED, 4, 9, &error, &schedule), RS_BAD_INPUT);
    cr_expect_eq(schedule.n_ranks, 77);
    cr_expect(strstr(error.text, "at most 4096 messages") != NULL, "%s", error.text);
}

Test(own, its_sums_are_right) {
    for (int32_t n = 2; n <= 9; n++) {
        for (int64_t count = 0; count <= 3 * n; count++) {
            const rs_schedule s = made(n, count);
            void **inputs = new_ranks(RS_DATA_RANDOM, RS_F32, n, 1, count, NULL);
            void **ranks = copy_ranks(inputs, RS_F32, n, count);
            const rs_apply_options whole = {.until_step = s.n_steps};
            bool wrong[9] = {false};
            cr_assert_eq(rs_apply(&s, RS_F32, RS_SUM, count, ranks, &whole, NULL, NULL), RS_OK);
            cr_assert_eq(rs_compare(&s, RS_F32, RS_SUM, count, (const void *const *)inputs,
                                    (const void *const *)ranks, NULL, NULL, wrong),
                         RS_OK);
            for (int32_t r = 0; r < n; r++) cr_expect_not(wrong[r], "N=%d K=%d", n, (int)count);
            free_ranks(inputs, n);
            free_ranks(ranks, n);
        }
    }
}
