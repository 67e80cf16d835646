/* test_plan_rows.c: the rows of a plan are the schedule that they say, of whatever algorithm; rows that were tampered with
 * are refused, or say another plan: never more than what is there is read.
 */
#include "sandbox/answers.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 20000 };
static rs_arena arena;
static rs_error error;

static void begin(void) {
    rs_arena_init(&arena, NULL);
}
static void end(void) {
    rs_arena_free(&arena);
}
TestSuite(plan_rows, .init = begin, .fini = end);

/* Writes a schedule as the driver does. */
static size_t write_rows(const rs_schedule *s, char out[MOST]) {
    int n = snprintf(out, MOST, "%d %d\n", (int)s->n_chunks, (int)s->n_steps);
    for (int32_t step = 0; step < s->n_steps; step++) {
        rs_cursor cursor = {0};
        for (rs_transfer t; rs_next_transfer(s, step, &cursor, &t);)
            n += snprintf(out + n, (size_t)(MOST - n), "%d %d %d %d %d %d\n", (int)step, (int)t.src,
                          (int)t.dst, (int)t.chunk, (int)t.n_chunks, t.effect == RS_COPY);
    }
    cr_assert(n < MOST);
    return (size_t)n;
}

Test(plan_rows, are_the_schedule_that_they_say) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int32_t n_ranks = 2; n_ranks < 7; n_ranks++) {
            char rows[MOST], again[MOST];
            rs_schedule first, second;
            if (rs_schedule_make(rs_algorithms[i], RS_ORDER_SEED, n_ranks, 1000, &error, &first) !=
                RS_OK)
                continue;
            const size_t n = write_rows(&first, rows);
            cr_assert_eq(rc_read_plan(rows, n, n_ranks, &arena, &error, &second), RC_GOOD, "%s",
                         error.text);
            cr_expect(write_rows(&second, again) == n && memcmp(rows, again, n) == 0, "%s", rows);
        }
    }
}

/* Each byte once in another's place, and the end cut off at each: what is read says itself again. */
Test(plan_rows, that_were_tampered_with_are_refused_or_say_so) {
    static const char others[] = "09-9 \nx";
    char rows[MOST], again[MOST];
    rs_schedule ring, read;
    cr_assert_eq(rs_schedule_make(rs_algorithms[0], RS_ORDER_SEED, 3, 9, &error, &ring), RS_OK);
    const size_t n = write_rows(&ring, rows);
    int n_read = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < sizeof others; k++) {
            const char before = rows[i];
            rows[i] = others[k];
            if (rc_read_plan(rows, n, 3, &arena, &error, &read) == RC_GOOD) {
                n_read++;
                cr_expect(read.n_ranks == 3 && write_rows(&read, again) <= n + 1, "%s", rows);
            }
            rows[i] = before;
        }
        const bool has_head = i >= strlen("3 4\n"); /* of a row that has no end nothing counts */
        cr_expect_eq(rc_read_plan(rows, i, 3, &arena, &error, &read) == RC_GOOD, has_head);
    }
    cr_expect(n_read > 10 && n_read < 200, "%d", n_read);
}
