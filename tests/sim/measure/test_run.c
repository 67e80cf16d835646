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

/* Each part asks again after some milliseconds: a page lives then. */
Test(run, asks_again_before_it_has_touched_much) {
    enum { COUNT = 8 << 20, MANY = 1024, MESSAGES = 2 * (MANY - 1) * MANY };
    static const struct {
        const char *what;
        int32_t n_ranks;
        int64_t count, at_least;
    } parts[] = {{"filling the arrays", 2, COUNT, 8},
                 {"summing up the results", 2, COUNT, 8},
                 {"simulating", MANY, MANY, MESSAGES / 140000},
                 {"reading the schedule", MANY, MANY, 2 * (int64_t)MESSAGES / 600000},
                 {"checking", MANY, MANY, MESSAGES / 600000}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const int64_t n = parts[i].count;
        const rs_schedule schedule = sim_schedule("ring", parts[i].n_ranks, n);
        counted asked = {.what = parts[i].what};
        const rs_host host = {.context = &asked, .progress = count};
        const rs_request request = {.job = sim_job(&schedule, n),
                                    .dtype = RS_I32,
                                    .values = n == COUNT ? RS_VALUES_ALL : RS_VALUES_NONE,
                                    .trace_limit = MESSAGES};
        rs_report report;
        rs_error error;
        rs_arena arena;
        rs_arena_init(&arena, &host);
        cr_assert_eq(rs_run(&request, &arena, &error, &report), RS_OK);
        cr_expect_geq(asked.n, parts[i].at_least, "%s: %d", parts[i].what, (int)asked.n);
        rs_arena_free(&arena);
    }
}

/* Where an element stands for its chunk it is that of the input that was given, as it is where all are computed. */
Test(run, a_sample_is_part_of_the_input) {
    enum { N = 4, COUNT = N * N * 5, LENGTH = N * COUNT };
    static int32_t input[LENGTH];
    for (int32_t i = 0; i < LENGTH; i++) input[i] = i * 7 - 1000;
    for (int of = 0; of < RS_N_COLLECTIVES; of++) {
        const rs_spec spec = {.n_ranks = N};
        rs_schedule schedule;
        rs_report all, sample;
        rs_error error = {.text = ""};
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        cr_assert_eq(rs_schedule_from_spec(rs_algorithms_of((rs_collective)of)[0], &spec, COUNT,
                                           &error, &schedule),
                     RS_OK, "%s", error.text);
        rs_request request = {.job = sim_job(&schedule, COUNT),
                              .dtype = RS_I32,
                              .input = input,
                              .values = RS_VALUES_ALL};
        cr_assert_eq(rs_run(&request, &arena, &error, &all), RS_OK, "%s", error.text);
        request.values = RS_VALUES_SAMPLE;
        cr_assert_eq(rs_run(&request, &arena, &error, &sample), RS_OK, "%s", error.text);
        cr_expect(all.correct && sample.correct);
        cr_assert_eq(sample.n_elems, schedule.n_chunks);
        for (int32_t r = 0; r < N; r++) {
            for (int32_t c = 0; c < schedule.n_chunks; c++) {
                const int64_t first = rs_chunk_first(&schedule, COUNT, c);
                cr_expect_eq(((int32_t *)sample.inputs[r])[c], ((int32_t *)all.inputs[r])[first],
                             "%s: rank %d, chunk %d", schedule.name, r, c);
                cr_expect_eq(((int32_t *)sample.results[r])[c], ((int32_t *)all.results[r])[first]);
            }
        }
        rs_arena_free(&arena);
    }
}
