/* test_verify_run.c: what `verify` asks of a backend, job by job. The group here stands before gpu's: it notes
   the jobs and ends them well. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>

#include "base/host.h"
#include "verify/verify.h"
#include "support/own.h"

enum { MOST_ROWS = 6, N = 3 };

struct rg_group {
    int n_runs;
};
static rg_group opened;
static rg_job asked[2 * MOST_ROWS];
static int32_t ranks_of[2 * MOST_ROWS];
static int breaks_at = -1; /* the run that does not end, without a word why */
static rs_status breaks_with;

bool rg_available(rg_kind kind, const rg_setup *setup, rs_error *error) {
    (void)error;
    return kind == RG_CPU && setup->n_ranks == N;
}

double rg_need_bytes(rg_kind kind, const rg_setup *setup, double n_bytes) {
    (void)kind, (void)setup;
    return n_bytes;
}

rs_status rg_group_open(rg_kind kind, const rg_setup *setup, const rs_host *host, rs_error *error,
                        rg_group **group) {
    (void)kind, (void)setup, (void)host, (void)error;
    opened.n_runs = 0;
    *group = &opened;
    return RS_OK;
}

bool rg_group_reports(const rg_group *group) {
    return group == &opened;
}

const char *rg_group_where(const rg_group *group) {
    return group == &opened ? "here" : "";
}

rs_status rg_group_run(rg_group *group, const rg_job *job, rs_arena *arena, rs_error *error,
                       rg_result *result) {
    (void)error;
    cr_assert_lt(group->n_runs, 2 * MOST_ROWS);
    ranks_of[group->n_runs] = job->schedule->n_ranks;
    asked[group->n_runs++] = *job;
    const bool breaks = group->n_runs - 1 == breaks_at;
    *result = (rg_result){.completed = !breaks,
                          .time_ps = group->n_runs,
                          .wrong = rs_alloc(arena, N, sizeof *result->wrong),
                          .crc32 = rs_alloc(arena, N, sizeof *result->crc32)};
    return breaks ? breaks_with : RS_OK;
}

void rg_group_close(rg_group *group) {
    (void)group;
}

/* Each row is run from one array to another, then in place; only the last run of all keeps what happened when,
   and only if that is asked for; what all rows have in common every job has. */
Test(verify_run, every_row_is_asked_for_out_of_place_and_in_place) {
    static const char *const files[] = {NULL, "a.trace"};
    rc_host *host = rc_host_new();
    cr_redirect_stdout();
    for (int turn = 0; turn < 2 * MOST_ROWS; turn++) {
        const int n_rows = 1 + turn / 2;
        OWN_ARENA arena = {0};
        rs_error error = {.text = ""};
        rc_session session = {.host = host, .arena = &arena, .error = &error};
        rc_verify_row rows[MOST_ROWS];
        rc_verify_plan plan = {.choice.algorithm = rs_algorithms[0],
                               .trace = files[turn % 2],
                               .setup.n_ranks = N,
                               .wanted[RG_CPU] = true,
                               .by_name = true,
                               .job = {.seed = (uint64_t)turn, .warmup = turn, .times = 1 + turn}};
        rc_verify_report report = {
            .plan = &plan, .n_ranks = N, .name = "ring", .n_rows = n_rows, .n_backends = 1};
        report.backends[0] = (rc_verify_backend){
            .kind = RG_CPU, .name = "cpu", .algorithm = rs_algorithms[0], .rows = rows};
        for (int i = 0; i < n_rows; i++) {
            rows[i] = (rc_verify_row){.dtype = (rs_dtype)((turn + i) % RS_N_DTYPES),
                                      .op = (rs_op)((turn + i) % RS_AVG),
                                      .count = 10 + 7 * turn + i,
                                      .n_bytes = 100};
        }
        cr_assert_eq(rc_verify_run(&session, &report), RC_GOOD, "%s", error.text);
        cr_assert_eq(opened.n_runs, 2 * n_rows);
        cr_expect_eq(report.backends[0].n_rows, n_rows);
        for (int i = 0; i < 2 * n_rows; i++) {
            const rg_job *job = &asked[i];
            const rc_verify_row *row = &rows[i / 2];
            cr_expect_eq(job->in_place, i % 2 == 1, "run %d", i);
            cr_expect_eq(job->trace, turn % 2 == 1 && i == 2 * n_rows - 1, "run %d", i);
            cr_expect(job->dtype == row->dtype && job->op == row->op && job->count == row->count);
            cr_expect(job->seed == plan.job.seed && job->warmup == turn && job->times == 1 + turn);
            cr_expect_eq(ranks_of[i], N);
            cr_expect_eq(row->results[i % 2].time_ps, i + 1, "each result stands in its place");
        }
    }
    rc_host_free(host);
}

/* Whatever run it is, and whether the backend refuses it or fails at it: what did not end is not right. */
Test(verify_run, a_run_that_ends_without_a_word_is_not_right) {
    static const rs_status statuses[] = {RS_OK, RS_UNSUPPORTED};
    rc_host *host = rc_host_new();
    cr_redirect_stdout();
    for (int turn = 0; turn < 4; turn++) {
        OWN_ARENA arena = {0};
        rs_error error = {.text = ""};
        rc_session session = {.host = host, .arena = &arena, .error = &error};
        rc_verify_row rows[2] = {{.op = RS_SUM, .dtype = RS_F32, .count = 10},
                                 {.op = RS_SUM, .dtype = RS_F32, .count = 20}};
        rc_verify_plan plan = {.choice.algorithm = rs_algorithms[0],
                               .setup.n_ranks = N,
                               .wanted[RG_CPU] = true,
                               .by_name = true,
                               .job = {.times = 1}};
        rc_verify_report report = {
            .plan = &plan, .n_ranks = N, .name = "ring", .n_rows = 2, .n_backends = 1};
        report.backends[0] = (rc_verify_backend){
            .kind = RG_CPU, .name = "cpu", .algorithm = rs_algorithms[0], .rows = rows};
        breaks_at = turn / 2 * 3;
        breaks_with = statuses[turn % 2];
        cr_assert_eq(rc_verify_run(&session, &report), RC_GOOD, "%s", error.text);
        cr_expect_not(rc_backend_right(&report, 0), "run %d", breaks_at);
        cr_expect_str_eq(report.backends[0].reason, "it did not say why");
    }
    rc_host_free(host);
}
