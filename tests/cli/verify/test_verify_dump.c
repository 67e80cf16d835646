/* test_verify_dump.c: the dump of a rank that is stuck in a step has open what is open, all before it completed, and nothing
 * behind it.
 */
#include "verify/verify.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ringsim_hang.h"
#include "support/session.h"

enum { MOST = 64 };

static rs_arena arena;
static rs_error error;
static rs_schedule schedule;
static char folder[] = "/tmp/ringsim-dump-XXXXXX";

static void make_plan(const char *algorithm, rs_collective collective, int32_t n,
                      rc_verify_plan *plan) {
    const rs_algorithm *found = rs_find_algorithm(collective, algorithm);
    cr_assert_not_null(found, "%s", algorithm);
    *plan = (rc_verify_plan){.choice.collective = collective,
                             .choice.algorithm = found,
                             .setup = {.n_ranks = n},
                             .job = {.warmup = 1, .times = 3},
                             .dump = folder};
    plan->choice.spec = (rs_spec){.n_ranks = n, .n_channels = 1};
    cr_assert_eq(rc_verify_schedule(plan, 40 * n, &error, &schedule), RC_GOOD, "%s", error.text);
}

static rn_dump read_dump(int32_t rank) {
    static char bytes[1 << 20];
    char path[100];
    rn_dump dump = {0};
    snprintf(path, sizeof path, "%s/ringsim_trace_rank_%d", folder, (int)rank);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    const size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    unlink(path);
    cr_assert_eq(rn_read_recorder(bytes, n, &arena, &arena, &error, &dump), RS_OK, "%s",
                 error.text);
    return dump;
}

/* Which step of the last run a call is of: "ring:2"; -1: of none, a barrier. */
static int32_t step_of(const rn_dump *dump, const rn_call *call) {
    const char *colon = strrchr(dump->words[call->where], ':');
    return call->peer < 0 || colon == NULL ? -1 : atoi(colon + 1);
}

/* How many of a step's calls to or from a peer are open, as the bits say. */
static int open_of(const rs_transfer list[], int n, uint64_t bits, bool sends, int32_t peer) {
    int open = 0;
    for (int i = 0; i < n; i++)
        open += (sends ? list[i].dst : list[i].src) == peer && (bits >> i & 1) != 0;
    return open;
}

static void expect_stand(const rg_stand *stand, const char *name) {
    rs_transfer list[MOST];
    const rn_dump dump = read_dump(stand->rank);
    cr_assert_leq(schedule.max_sends, MOST);
    int64_t last_barrier = -1;
    int n_barriers = 0;
    for (int64_t i = 0; i < dump.n_calls; i++) {
        if (dump.calls[i].peer >= 0) continue;
        last_barrier = i;
        n_barriers++;
    }
    cr_expect_eq(n_barriers, stand->n_runs + 1, "%d barriers behind %d runs", n_barriers,
                 (int)stand->n_runs);
    for (int sends = 0; sends < 2; sends++) {
        const int n = sends ? schedule.sends(&schedule, stand->step, stand->rank, list)
                            : schedule.recvs(&schedule, stand->step, stand->rank, list);
        for (int32_t peer = 0; peer < schedule.n_ranks; peer++) {
            int open = 0, here = 0;
            for (int64_t i = last_barrier + 1; i < dump.n_calls; i++) {
                const rn_call *call = &dump.calls[i];
                const int32_t step = step_of(&dump, call);
                cr_expect_leq(step, stand->step, "%s: a call of step %d", name, (int)step);
                if (call->peer != peer || call->sends != (sends == 1)) continue;
                const bool is_open = call->state != RN_CALL_COMPLETED;
                cr_expect(!is_open || step == stand->step, "%s: step %d is over", name, (int)step);
                open += is_open;
                here += step == stand->step;
            }
            cr_expect_eq(here, open_of(list, n, ~UINT64_C(0), sends == 1, peer));
            cr_expect_eq(
                open,
                open_of(list, n, sends ? stand->open_sends : stand->open_recvs, sends == 1, peer),
                "%s, rank %d, step %d: %d %s open, peer %d", name, (int)stand->rank,
                (int)stand->step, open, sends ? "sends" : "recvs", (int)peer);
        }
    }
}

/* Bits for the messages of a step, at least one of all. */
static void draw_stand(int32_t rank, rg_stand *stand) {
    rs_transfer list[MOST];
    do {
        *stand = (rg_stand){
            .rank = rank, .n_runs = session_below(4), .step = session_below(schedule.n_steps)};
        for (int i = schedule.sends(&schedule, stand->step, rank, list); i-- > 0;)
            stand->open_sends |= (uint64_t)session_below(2) << i;
        for (int i = schedule.recvs(&schedule, stand->step, rank, list); i-- > 0;)
            stand->open_recvs |= (uint64_t)session_below(2) << i;
    } while ((stand->open_sends | stand->open_recvs) == 0);
}

Test(verify_dump, has_open_what_is_open) {
    static const struct {
        const char *algorithm;
        rs_collective collective;
    } of[] = {{"ring", RS_COLL_ALL_REDUCE},        {"tree", RS_COLL_ALL_REDUCE},
              {"halving", RS_COLL_ALL_REDUCE},     {"naive", RS_COLL_ALL_REDUCE},
              {"double-tree", RS_COLL_ALL_REDUCE}, {"direct", RS_COLL_ALL_TO_ALL}};
    rc_host *host = rc_host_new();
    rs_arena_init(&arena, NULL);
    cr_assert_not_null(mkdtemp(folder));
    rc_session session = {.program = "ringsim", .host = host, .arena = &arena, .error = &error};
    cr_redirect_stdout();
    session_begin(11);
    for (int k = 0; k < 120; k++) {
        rc_verify_plan plan;
        const int32_t n = 2 + session_below(7);
        rg_stand stuck[8];
        make_plan(of[k % 6].algorithm, of[k % 6].collective, n, &plan);
        const int32_t n_stuck = 1 + session_below(n);
        for (int32_t r = 0; r < n_stuck; r++) draw_stand(n - 1 - r, &stuck[r]);
        rc_verify_row row = {.dtype = RS_I32, .op = RS_SUM, .count = 40 * n};
        row.results[0].completed = row.results[1].completed = true;
        row.results[k / 6 % 2] = (rg_result){.stuck = stuck, .n_stuck = n_stuck};
        rc_verify_report report = {.plan = &plan,
                                   .n_ranks = n,
                                   .n_rows = 1,
                                   .n_backends = 1,
                                   .backends = {{.kind = RG_MPI, .ran = true, .rows = &row}}};
        cr_assert_eq(rc_verify_dump(&session, &report), RC_GOOD, "%s", error.text);
        for (int32_t r = 0; r < n_stuck; r++) expect_stand(&stuck[r], of[k % 6].algorithm);
        for (int32_t r = 0; r < n - n_stuck; r++) {
            char path[100];
            snprintf(path, sizeof path, "%s/ringsim_trace_rank_%d", folder, (int)r);
            cr_expect_neq(access(path, F_OK), 0, "rank %d says nothing", (int)r);
        }
    }
    rmdir(folder);
    rs_arena_free(&arena);
    rc_host_free(host);
}

/* Where all came to its end, each rank has a dump, of all runs, the warm-up's, too. */
Test(verify_dump, of_who_is_not_stuck_has_all_runs) {
    rc_host *host = rc_host_new();
    rs_arena_init(&arena, NULL);
    cr_assert_not_null(mkdtemp(folder));
    rc_session session = {.program = "ringsim", .host = host, .arena = &arena, .error = &error};
    cr_redirect_stdout();
    for (int32_t n = 2; n < 6; n++) {
        rc_verify_plan plan;
        make_plan("ring", RS_COLL_ALL_REDUCE, n, &plan);
        plan.job.warmup = n - 2;
        rc_verify_row row = {.dtype = RS_I32, .op = RS_SUM, .count = 40 * n};
        row.results[0].completed = row.results[1].completed = true;
        rc_verify_report report = {
            .plan = &plan,
            .n_ranks = n,
            .n_rows = 1,
            .n_backends = 1,
            .backends = {{.kind = RG_MPI, .ran = true, .rows = &row, .n_rows = 1}}};
        cr_assert_eq(rc_verify_dump(&session, &report), RC_GOOD, "%s", error.text);
        for (int32_t r = 0; r < n; r++) {
            const rn_dump dump = read_dump(r);
            int n_barriers = 0;
            for (int64_t i = 0; i < dump.n_calls; i++) {
                cr_expect_eq(dump.calls[i].state, RN_CALL_COMPLETED);
                n_barriers += dump.calls[i].peer < 0;
            }
            cr_expect_eq(n_barriers, plan.job.warmup + plan.job.times);
        }
    }
    rmdir(folder);
    rs_arena_free(&arena);
    rc_host_free(host);
}

/* Whoever ran and said nothing of where it stands is told so; who never ran has its reason in the report. */
Test(verify_dump, is_missed_of_who_ran_and_said_nothing) {
    rc_verify_plan plan;
    rc_verify_row row = {.dtype = RS_I32, .op = RS_SUM, .count = 40};
    char told[200] = "";
    rs_arena_init(&arena, NULL);
    rc_session session = {.program = "ringsim", .arena = &arena, .error = &error};
    make_plan("ring", RS_COLL_ALL_REDUCE, 4, &plan);
    for (unsigned ran = 0; ran < 8; ran++) {
        rc_verify_report report = {.plan = &plan, .n_ranks = 4, .n_rows = 1, .n_backends = 3};
        FILE *caught = tmpfile();
        const int before = dup(STDERR_FILENO);
        for (int b = 0; b < 3; b++) {
            report.backends[b] = (rc_verify_backend){
                .kind = b == 1 ? RG_CPU : RG_MPI, .ran = (ran >> b & 1) != 0, .rows = &row};
        }
        dup2(fileno(caught), STDERR_FILENO);
        cr_expect_eq(rc_verify_dump(&session, &report), RC_GOOD);
        fflush(stderr);
        dup2(before, STDERR_FILENO);
        close(before);
        rewind(caught);
        told[fread(told, 1, sizeof told - 1, caught)] = '\0';
        fclose(caught);
        cr_expect_eq(strstr(told, "no rank has said where it stands") != NULL, ran != 0, "%u: %s",
                     ran, told);
    }
    rs_arena_free(&arena);
}
