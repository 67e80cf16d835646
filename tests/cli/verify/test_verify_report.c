/* The report of `verify` for what this machine may not have: tables, verdicts and the last line, from
   results that are made up. */
#include "config.h"
#include <criterion/criterion.h>
#include <criterion/redirect.h>

#include <stdio.h>
#include <string.h>

#include "verify/verify.h"

enum { N = 4, COUNT = 1 << 20 };

static rc_verify_plan plan;
static rc_verify_report report;
static rc_verify_row rows[RC_MOST_BACKENDS];
static bool none_wrong[N];
static uint32_t crcs[N];

static void clear(void) {
    memset(&plan, 0, sizeof plan);
    memset(&report, 0, sizeof report);
    plan.choice.algorithm = rs_algorithms[0];
    plan.factor = 2;
    plan.job = (rg_job){.warmup = 1, .times = 5};
    report = (rc_verify_report){.plan = &plan, .n_ranks = N, .name = "ring", .n_rows = 1};
    cr_redirect_stdout();
}
TestSuite(verify_report, .init = clear);

static rc_verify_backend *add(rg_kind kind, int kernel, int64_t time_us) {
    const int at = report.n_backends++;
    rc_verify_backend *b = &report.backends[at];
    *b = (rc_verify_backend){.kind = kind, .kernel = kernel, .rows = &rows[at]};
    snprintf(b->name, sizeof b->name, kernel > 0 ? "%s kernel %d" : "%s", rg_kind_name(kind),
             kernel);
    rows[at] = (rc_verify_row){
        .dtype = RS_F32, .op = RS_SUM, .count = COUNT, .n_bytes = (int64_t)COUNT * 4};
    for (int which = 0; which < 2; which++) {
        rows[at].results[which] = (rg_result){.completed = true,
                                              .time_ps = time_us * 1000000,
                                              .wrong = none_wrong,
                                              .crc32 = crcs,
                                              .n_elements = (int64_t)N * COUNT};
    }
    b->ran = time_us > 0;
    b->n_rows = time_us > 0;
    if (!b->ran) snprintf(b->reason, sizeof b->reason, "no driver");
    snprintf(b->where, sizeof b->where, "somewhere");
    return b;
}

static void said(const char *text) {
    static char out[8192];
    fflush(stdout);
    FILE *in = cr_get_redirected_stdout();
    const size_t n = fread(out, 1, sizeof out - 1, in);
    out[n] = '\0';
    cr_expect_str_eq(out, text);
}

/* Byte for byte what nccl-tests 2.17 prints, but for the first line and the list of devices. */
Test(verify_report, the_table_is_nccl_tests_own) {
    add(RG_MPI, 0, 1234);
    rc_verify_head(&report, 0);
    rc_verify_print_row(&report, &rows[0]);
    said(
        "# ringsim " RINGSIM_VERSION " verify: ring on mpi\n"
        "# nThread 1 nGpus 4 minBytes 4194304 maxBytes 4194304 step: 2(factor) warmup iters: 1 "
        "iters: 5 agg iters: 1 validation: 1 graph: 0\n"
        "#\n"
        "# Using devices\n"
        "#   somewhere\n"
        "#\n"
        "#                                                              out-of-place               "
        "        in-place          \n"
        "#       size         count      type   redop    root     time   algbw   busbw  #wrong     "
        "time   algbw   busbw  #wrong \n"
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             "
        "(us)  (GB/s)  (GB/s)         \n"
        "     4194304       1048576     float     sum      -1  1234.00    3.40    5.10       0  "
        "1234.00    3.40    5.10       0\n");
}

/* Shards, roots, operations and rates are those of nccl-tests' own program for each collective. */
Test(verify_report, each_collective_has_its_columns_and_its_factor) {
    static const struct {
        rs_collective of;
        const char *row; /* up to busbw */
    } expected[] = {
        {RS_COLL_REDUCE_SCATTER,
         "     4194304        262144     float     sum      -1  1000.00    4.19    3.15"},
        {RS_COLL_ALL_GATHER,
         "     4194304        262144     float    none      -1  1000.00    4.19    3.15"},
        {RS_COLL_BROADCAST,
         "     4194304       1048576     float    none       3  1000.00    4.19    4.19"},
        {RS_COLL_REDUCE,
         "     4194304       1048576     float     sum       3  1000.00    4.19    4.19"},
        {RS_COLL_ALL_TO_ALL,
         "     4194304        262144     float    none      -1  1000.00    4.19    3.15"},
    };
    add(RG_MPI, 0, 1000);
    plan.setup.n_ranks = N;
    plan.choice.spec.root = 3;
    char all[1024] = "";
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char row[160];
        plan.choice.collective = expected[i].of;
        rc_verify_print_row(&report, &rows[0]);
        snprintf(row, sizeof row, "%s       0  %s       0\n", expected[i].row,
                 expected[i].row + strlen(expected[i].row) - 23);
        strcat(all, row);
    }
    said(all);
}

/* Of shards as many elements as fill 16 bytes for each rank; of others all. */
Test(verify_report, shards_are_rounded_down_to_16_bytes) {
    plan.setup.n_ranks = 3;
    plan.sizes_are_counts = true;
    for (int of = 0; of < RS_N_COLLECTIVES; of++) {
        plan.choice.collective = (rs_collective)of;
        const bool shards = rc_verify_shards(&plan) > 1;
        cr_expect_eq(shards, of == RS_COLL_REDUCE_SCATTER || of == RS_COLL_ALL_GATHER ||
                                 of == RS_COLL_ALL_TO_ALL);
        for (int64_t count = 0; count < 200; count++) {
            cr_expect_eq(rc_verify_count_at(&plan, count, RS_F32),
                         shards ? count / 12 * 12 : count);
            cr_expect_eq(rc_verify_count_at(&plan, count, RS_I8), shards ? count / 48 * 48 : count);
            cr_expect_eq(rc_verify_count_at(&plan, count, RS_F64), shards ? count / 6 * 6 : count);
        }
    }
}

Test(verify_report, numbers_stay_in_their_columns_however_large) {
    add(RG_MPI, 0, 123456789);
    rows[0].results[1].time_ps = 1234567890123;
    rows[0].n_bytes = INT64_MAX / 4;
    rc_verify_print_row(&report, &rows[0]);
    said(
        "2305843009213693951       1048576     float     sum      -1  1.2e+08   2e+07   3e+07       "
        "0  1234568   2e+09   3e+09       0\n");
}

Test(verify_report, each_rung_has_its_verdict_and_the_ladder_compares_them) {
    plan.n_kernels = 3;
    add(RG_CUDA, 1, 400);
    add(RG_CUDA, 2, 200);
    add(RG_CUDA, 4, 100);
    snprintf(rows[2].results[0].note, sizeof rows[2].results[0].note, "1 GPU");
    rc_verify_tail(&report, 2);
    rc_verify_ladder(&report);
    rc_verify_count(&report);
    said("# Out of bounds values : 0 OK\n"
         "# Avg bus bandwidth    : 62.9146 \n"
         "#\n"
         "# cuda kernel 4: right: 2 runs, 8388608 elements, none wrong; the same bits as cuda "
         "kernel 1; 1 GPU\n"
         "# ladder: busbw in place at 4194304 bytes: kernel 1 15.7 GB/s, kernel 2 31.5 GB/s (2 x), "
         "kernel 4 62.9 GB/s (4 x)\n"
         "1 of 1 backends ran: cuda\n");
}

/* Two sizes of each: what is taken apart is 40 + 2 x 20 us a MiB, and at the least size the ladder's steps. */
static void learnt(const char *text) {
    static rc_verify_row both[RC_MOST_BACKENDS][2];
    rs_arena arena;
    rc_session session = {.arena = &arena};
    rs_arena_init(&arena, NULL);
    for (int i = 0; i < report.n_backends; i++) {
        for (int k = 0; k < 2; k++) {
            both[i][k] = rows[i];
            both[i][k].n_bytes = (int64_t)(k == 0 ? 8 : 1) << 20;
            both[i][k].results[1].n_rounds = 6;
            if (k == 0) both[i][k].results[1].time_ps += 140000000;
        }
        report.backends[i].rows = both[i];
        report.backends[i].n_rows *= 2;
    }
    report.n_rows = plan.n_sizes = 2;
    cr_expect_eq(rc_verify_learnt(&session, &report), RC_GOOD);
    rs_arena_free(&arena);
    said(text);
}

Test(verify_report, rows_of_a_ladder_teach_what_a_launch_costs) {
    add(RG_CPU, 0, 9);
    add(RG_CUDA, 1, 85);
    add(RG_CUDA, 2, 60);
    add(RG_CUDA, 4, 35);
    add(RG_CUDA, 7, 8);
    add(RG_NCCL, 0, 30);
    learnt(
        "# learnt: at 1.05 MB kernel 1 takes 85 us: 25 us of that for one element an access in place "
        "of 16 bytes (kernel 2), and 25 us for 6 launches in place of one (kernel 4), 5 us each\n"
        "# learnt: small is latency: cuda kernel 4 takes 15 us whatever the size and 19.07 us more a "
        "MB (rows are off by typically 0 %), so below 786.4 kB most of its time is not the "
        "data's; nccl takes 10 us whatever the size and 19.07 us more a MB (rows are off by "
        "typically 0 %), so below 524.2 kB most of its time is not the data's\n");
}

Test(verify_report, rows_that_do_not_teach_say_so) {
    add(RG_CUDA, 1, 20);
    add(RG_CUDA, 2, 20);
    add(RG_CUDA, 4, 10);
    learnt(
        "# learnt: at 1.05 MB kernels 1, 2 and 4 take 20 us, 20 us and 10 us: not what a launch "
        "costs\n# learnt: small is latency: cuda kernel 4 does not show it with these sizes (-b 8 -e "
        "64M -f 8 might)\n");
}

Test(verify_report, the_last_line_counts_backends_and_names_the_rung_that_is_missing) {
    plan.n_kernels = 2;
    add(RG_CPU, 0, 10);
    add(RG_CUDA, 3, 10);
    add(RG_CUDA, 4, 0);
    add(RG_NCCL, 0, 0);
    rc_verify_count(&report);
    said("2 of 3 backends ran: cpu, cuda; not run: cuda kernel 4 (no driver), nccl (no driver)\n");
}

Test(verify_report, where_no_rung_ran_the_backend_is_told_once) {
    plan.n_kernels = 2;
    add(RG_CPU, 0, 10);
    add(RG_CUDA, 3, 0);
    add(RG_CUDA, 4, 0);
    add(RG_MPI, 0, 10);
    rc_verify_ladder(&report);
    rc_verify_count(&report);
    said("2 of 3 backends ran: cpu, mpi; not run: cuda (no driver)\n");
}

/* What lies behind the last backend is no backend's. */
Test(verify_report, the_json_has_each_backends_figures_or_the_reason_why_it_did_not_run) {
    static char out[16384];
    char *const argv[] = {"ringsim", "verify", NULL};
    plan.sandbox = "";
    add(RG_NCCL, 0, 0);
    add(RG_CPU, 0, 10);
    strcpy(add(RG_MPI, 0, 0)->reason, "nobody");
    strcpy(add(RG_CUDA, 3, 0)->reason, "stale");
    report.n_backends--;
    rows[1].results[1].time_ps = 20000000;
    rows[1].results[1].n_wrong = 3;
    rc_verify_json(&report, argv, stdout);
    fflush(stdout);
    out[fread(out, 1, sizeof out - 1, cr_get_redirected_stdout())] = '\0';
    cr_expect(strstr(out, "\"errors\":[\"no driver\",\"nobody\"]") != NULL, "%s", out);
    cr_expect(strstr(out, "stale") == NULL);
    static const char *const parts[] = {
        "\"out_of_place\":{\"time\":10.000000,\"alg_bw\":419.430400,\"bus_bw\":629.145600,\"nwrong\":0,",
        "\"in_place\":{\"time\":20.000000,\"alg_bw\":209.715200,\"bus_bw\":314.572800,\"nwrong\":3,",
        "\"out_of_bounds\":{\"count\":3,\"okay\":\"false\"}",
        "\"average_bus_bandwidth\":{\"bandwidth\":471.859200,",
        "{\"name\":\"nccl\",\"ran\":false,\"right\":null,\"kernel\":null,\"algorithm\":null,\"where\":null,"
        "\"reason\":\"no driver\"}",
        "{\"name\":\"cpu\",\"ran\":true,\"right\":false,\"kernel\":null,\"algorithm\":null,\"where\":\"somewhere\","
        "\"reason\":null}"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        cr_expect(strstr(out, parts[i]) != NULL, "%s is not in %s", parts[i], out);
    }
}

Test(verify_report, other_bits_and_an_oracle_outside_its_bound_are_wrong) {
    static uint32_t others[N] = {1};
    add(RG_CPU, 0, 10);
    add(RG_MPI, 0, 10);
    rows[1].results[1].crc32 = others;
    cr_expect(rc_backend_right(&report, 0) && !rc_backend_right(&report, 1));
    rows[1].results[1].crc32 = crcs;
    cr_expect(rc_backend_right(&report, 1));
    rows[1].results[0].oracle_outside = 1;
    cr_expect_not(rc_backend_right(&report, 1));
}

/* The last words of a backend's table, for each way in which it may be wrong. */
static void tail_says(int backend, const char *verdict) {
    static char out[8192];
    char want[400];
    rc_verify_tail(&report, backend);
    fflush(stdout);
    FILE *in = cr_get_redirected_stdout();
    out[fread(out, 1, sizeof out - 1, in)] = '\0';
    const char *line = strstr(out, "#\n# ");
    line = line == NULL ? out : line + 2;
    snprintf(want, sizeof want, "# %s: %s\n", report.backends[backend].name, verdict);
    cr_expect_str_eq(line, want);
}

Test(verify_report, the_verdict_says_what_is_wrong_where_and_how_often) {
    static bool wrong[N] = {false, true, false, true}, one[N] = {false, false, true};
    static uint32_t others[N] = {1};
    add(RG_CPU, 0, 10);
    rc_verify_backend *b = add(RG_MPI, 0, 10);
    tail_says(1, "right: 2 runs, 8388608 elements, none wrong; the same bits as cpu");
    plan.job.check_every = true; /* all runs, not the last */
    rows[1].results[0].n_checked = rows[1].results[1].n_checked = 5;
    tail_says(1, "right: 10 runs, 41943040 elements, none wrong; the same bits as cpu");
    plan.job.special = RG_PLAIN + 1; /* other bits are free then */
    rows[1].results[0].crc32 = others;
    tail_says(1, "right: 10 runs, 41943040 elements, none wrong");
    plan.job.special = RG_PLAIN;
    tail_says(1, "WRONG: 10 runs, 41943040 elements, 0 wrong; other bits than cpu in 1 rows");
    rows[1].results[0].crc32 = crcs;
    rg_result *bad = &rows[1].results[1];
    bad->n_wrong = 7;
    bad->wrong = wrong;
    tail_says(1,
              "WRONG: 10 runs, 41943040 elements, 7 wrong; first: float sum, 1048576 elements, in "
              "place, ranks 1 3; the same bits as cpu");
    bad->wrong = one;
    bad->n_spoilt = 2;
    tail_says(1,
              "WRONG: 10 runs, 41943040 elements, 7 wrong; first: float sum, 1048576 elements, in "
              "place, rank 2; 2 wrote where they must not; the same bits as cpu");
    bad->first_wrong_run = 3;
    rows[1].results[0].n_wrong = 1;
    rows[1].results[0].wrong = wrong;
    tail_says(1,
              "WRONG: 10 runs, 41943040 elements, 8 wrong; first: float sum, 1048576 elements, out "
              "of place, ranks 1 3; 2 wrote where they must not; the same bits as cpu");
    rows[1].results[0].n_wrong = 0;
    /* It did not come to its end: what was wrong before that is told, too. */
    snprintf(b->reason, sizeof b->reason, "rank 2 is gone");
    tail_says(
        1, "FAILED: rank 2 is gone; before that 7 elements were wrong; first: float sum, 1048576 "
           "elements, in place, run 3 of 5, rank 2");
    bad->n_wrong = 0;
    tail_says(1, "FAILED: rank 2 is gone");
    b->ran = false;
    bad->n_wrong = 1;
    tail_says(1,
              "not run to the end: rank 2 is gone; before that 1 elements were wrong; first: float "
              "sum, 1048576 elements, in place, run 3 of 5, rank 2");
}

/* The numbers of all ranks stand one behind the other: a single one that differs is enough, and none behind the
   last counts. */
Test(verify_report, other_bits_of_any_rank_are_wrong) {
    enum { MOST = 40 };
    static uint32_t ones[MOST + 8], others[MOST + 8];
    for (int n = 1; n <= MOST; n++) {
        clear();
        report.n_ranks = n;
        add(RG_CPU, 0, 10);
        add(RG_MPI, 0, 10);
        for (int i = 0; i < MOST + 8; i++) ones[i] = others[i] = (uint32_t)(i * 1000003);
        for (int r = 0; r < MOST + 8; r++) {
            for (int which = 0; which < 2; which++) {
                rows[0].results[which].crc32 = ones;
                rows[1].results[which].crc32 = others;
                others[r] ^= 1u << r % 32;
                cr_expect_eq(rc_backend_right(&report, 1), r >= n, "%d of %d", r, n);
                rows[1].results[which].crc32 = ones;
                others[r] = ones[r];
            }
        }
    }
}

/* What the library's own call says of the same input: where its bits differ, by how much, and what nobody judged. */
Test(verify_report, the_librarys_own_call_is_reported_whatever_it_says) {
    static const struct {
        int64_t differ, outside, unjudged;
        const char *says;
    } cases[] = {
        {0, 0, 0, "the same bits\n"},
        {4, 0, 0,
         "other bits in 25 % of the elements, all within (N-1) u sum|x|: it adds in another order\n"},
        {4, 2, 0, "other bits in 25 % of the elements, 2 of them wrong or outside the bound"},
        {4, 0, 3,
         "other bits in 25 % of the elements, all within (N-1) u sum|x|: it adds in another order, 3 not judged "
         "(special values, integers that overflow)\n"},
        {4, 0, 4,
         "other bits in 25 % of the elements, 4 not judged (special values, integers that overflow)\n"},
    };
    enum { N_CASES = sizeof cases / sizeof cases[0] };
    static char out[8192];
    add(RG_MPI, 0, 10);
    rg_result *r = &rows[0].results[1];
    r->has_oracle = true;
    r->n_elements = 16;
    for (int i = 0; i < N_CASES; i++) {
        r->oracle_differs = cases[i].differ;
        r->oracle_outside = cases[i].outside;
        r->oracle_unjudged = cases[i].unjudged;
        rc_verify_tail(&report, 0);
    }
    fflush(stdout);
    out[fread(out, 1, sizeof out - 1, cr_get_redirected_stdout())] = '\0';
    const char *at = out;
    for (int i = 0; i < N_CASES && at != NULL; i++) {
        at = strstr(at, "the library's own all-reduce: ");
        cr_assert(at != NULL);
        at += strlen("the library's own all-reduce: ");
        cr_expect(strncmp(at, cases[i].says, strlen(cases[i].says)) == 0, "%d: %.200s", i, at);
    }
}
