/* test_plan_rows.c: the rows of a plan are the schedule that they say, of whatever algorithm; rows that were tampered with
 * are refused, or say another plan: never more than what is there is read.
 */
#include "sandbox/answers.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MOST = 2000 };
static rs_arena arena;
static rs_error error;

static void begin(void) {
    rs_arena_init(&arena, NULL);
}
static void end(void) {
    rs_arena_free(&arena);
}
TestSuite(plan_rows, .init = begin, .fini = end);

/* Writes a schedule as the driver does; returns how many rows. */
static int64_t write_rows(const rs_schedule *s, rs_answer_row out[MOST]) {
    int64_t n = 1;
    memcpy(out[0], (rs_answer_row){RS_ANSWER_SIZES, s->n_chunks, s->n_steps}, sizeof out[0]);
    for (int32_t step = 0; step < s->n_steps; step++) {
        rs_cursor cursor = {0};
        for (rs_transfer t; rs_next_transfer(s, step, &cursor, &t); n++) {
            cr_assert_lt(n, MOST);
            memcpy(out[n],
                   (rs_answer_row){step, t.src, t.dst, t.chunk, t.n_chunks, t.effect == RS_COPY},
                   sizeof out[n]);
        }
    }
    return n;
}

static rc_exit read_rows(const rs_answer_row rows[], int64_t n, int32_t n_ranks,
                         rs_schedule *read) {
    return rc_read_plan(&(rc_answer){rows, n}, n_ranks, &arena, &error, read);
}

Test(plan_rows, are_the_schedule_that_they_say) {
    static rs_answer_row rows[MOST], again[MOST];
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int32_t n_ranks = 2; n_ranks < 7; n_ranks++) {
            rs_schedule first, second;
            if (rs_schedule_make(rs_algorithms[i], RS_ORDER_SEED, n_ranks, 1000, &error, &first) !=
                RS_OK)
                continue;
            const int64_t n = write_rows(&first, rows);
            cr_assert_eq(read_rows(rows, n, n_ranks, &second), RC_GOOD, "%s", error.text);
            cr_expect(write_rows(&second, again) == n &&
                          memcmp(rows, again, (size_t)n * sizeof rows[0]) == 0,
                      "%s %d", first.name, (int)n_ranks);
        }
    }
}

/* Each number once another one, and the end cut off behind each row: what is read says itself again. */
Test(plan_rows, that_were_tampered_with_are_refused_or_say_so) {
    static const int32_t others[] = {INT32_MIN, -1, 0, 1, 2, 3, 4, 5, 100, 10000001, INT32_MAX};
    static rs_answer_row rows[MOST], again[MOST];
    rs_schedule ring, read;
    cr_assert_eq(rs_schedule_make(rs_algorithms[0], RS_ORDER_SEED, 3, 9, &error, &ring), RS_OK);
    const int64_t n = write_rows(&ring, rows);
    int n_read = 0;
    for (int64_t i = 0; i < n * 6; i++) {
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
            int32_t *number = &rows[i / 6][i % 6];
            const int32_t before = *number;
            *number = others[k];
            if (read_rows(rows, n, 3, &read) == RC_GOOD) {
                n_read++;
                cr_expect(read.n_ranks == 3 && write_rows(&read, again) == n, "%d", (int)i);
            } else {
                cr_expect_neq(others[k], before, "%d", (int)i);
            }
            *number = before;
        }
    }
    cr_expect(n_read > 100 && n_read < 500, "%d", n_read);
    for (int64_t i = 0; i <= n; i++) cr_expect_eq(read_rows(rows, i, 3, &read) == RC_GOOD, i > 0);
}

/* Without an end there is no answer, and a row of which bytes lack is none. */
Test(plan_rows, stand_before_their_end) {
    rs_answer_row rows[] = {{RS_ANSWER_NUMBER, 7}, {RS_ANSWER_END}, {RS_ANSWER_END},
                            {RS_ANSWER_MISSING},   {RS_ANSWER_END}, {RS_ANSWER_NUMBER, 9}};
    static const int64_t n_rows[] = {1, 0, 1}, first[] = {0, 2, 3}, ends[] = {2, 3, 5};
    rc_answer answer;
    for (size_t n = 0; n <= sizeof rows; n++) {
        const rc_stream stream = {.data = (char *)rows, .n_bytes = n};
        for (int i = 0; i < 3; i++) {
            const bool is = n >= (size_t)ends[i] * sizeof rows[0];
            cr_assert_eq(rc_find_answer(&stream, i, &answer), is, "%zu %d", n, i);
            if (is) cr_expect(answer.rows == rows + first[i] && answer.n == n_rows[i]);
        }
        cr_assert_not(rc_find_answer(&stream, 3, &answer));
    }
    cr_assert_not(rc_find_answer(&(rc_stream){0}, 0, &answer));
    cr_expect(rc_is_missing(&(rc_answer){rows + 3, 1}));
    cr_expect_not(rc_is_missing(&(rc_answer){rows + 3, 0}));
    cr_expect_not(rc_is_missing(&(rc_answer){rows, 1}));
}
