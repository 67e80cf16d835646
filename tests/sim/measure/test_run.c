/* test_run.c: a whole run asks between its parts whether to go on. */
#include "support/sim_jobs.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static bool stop_at(void *context, const char *what, int64_t done, int64_t total) {
    cr_expect(done >= 0 && done <= total);
    return strcmp(what, context) != 0;
}

Test(run, can_be_cancelled_in_every_part_that_touches_the_values) {
    static const char *const parts[] = {"filling the arrays", "moving the values",
                                        "comparing the results", "summing up the results"};
    const rs_schedule schedule = sim_schedule("ring", 3, 10);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char part[32], wanted[64];
        snprintf(part, sizeof part, "%s", parts[i]);
        snprintf(wanted, sizeof wanted, "cancelled while %s", part);
        const rs_host host = {.context = part, .progress = stop_at};
        const rs_request request = {.job = sim_job(&schedule, 10), .dtype = RS_I32};
        rs_report report = {.judged = true};
        rs_error error;
        rs_arena arena;
        rs_arena_init(&arena, &host);
        cr_expect_eq(rs_run(&request, &arena, &error, &report), RS_CANCELLED, "%s", part);
        cr_expect_str_eq(error.text, wanted);
        cr_expect(report.judged && report.crc32 == NULL, "the report is untouched");
        rs_arena_free(&arena);
    }
}

/* Counts the questions about one part. */
typedef struct counted {
    const char *what;
    int64_t n;
} counted;
static bool count(void *context, const char *what, int64_t done, int64_t total) {
    counted *c = context;
    cr_expect(done >= 0 && done <= total);
    c->n += strcmp(what, c->what) == 0;
    return true;
}

Test(run, asks_again_before_it_has_touched_much) {
    static const char *const parts[] = {"filling the arrays", "summing up the results"};
    enum { RANKS = 2, COUNT = 8 << 20, BETWEEN = 2 << 20 }; /* elements */
    const rs_schedule schedule = sim_schedule("ring", RANKS, COUNT);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        counted asked = {.what = parts[i]};
        const rs_host host = {.context = &asked, .progress = count};
        const rs_request request = {
            .job = sim_job(&schedule, COUNT), .dtype = RS_I32, .values = RS_VALUES_ALL};
        rs_report report;
        rs_error error;
        rs_arena arena;
        rs_arena_init(&arena, &host);
        cr_assert_eq(rs_run(&request, &arena, &error, &report), RS_OK);
        cr_expect_geq(asked.n, (int64_t)RANKS * COUNT / BETWEEN, "%s: %d", parts[i], (int)asked.n);
        rs_arena_free(&arena);
    }
}
