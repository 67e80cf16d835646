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
