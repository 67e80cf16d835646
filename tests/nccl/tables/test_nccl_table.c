/* What nccl-tests prints: its table in several ages, and its JSON. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ringsim_tables.h"

static rs_arena arena;
static rs_error error;
static rn_table nccl;
static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}
static void close_arena(void) {
    rs_arena_free(&arena);
}
TestSuite(nccl_log, .init = open_arena, .fini = close_arena);

static char page[65536];
static size_t used;

#define put(...) (used += (size_t)snprintf(page + used, sizeof page - used, __VA_ARGS__))

static rs_status parse(void) {
    return rn_parse_all_reduce(page, used, &arena, &error, &nccl);
}

/* The time of a ring over n ranks with 4 us and 50 GB/s, in us. */
static double ring_us(int n, double n_bytes) {
    return 2 * (n - 1) * (4 + n_bytes / n / 50e3);
}

static void put_ranks(int n) {
    put("# nThread 1 nGpus %d minBytes 8 maxBytes 134217728 step: 2(factor)\n#\n# Using devices\n",
        n);
    for (int r = 0; r < n; r++) {
        put("#  Rank %2d Group  0 Pid   4242 on      node1 device %2d [0000:%02x:00] GPU\n", r, r,
            r);
    }
}

/* root: "-1 " or "" as in old tables; more: columns behind #wrong. */
static void put_rows(int n, const char *root, const char *more) {
    for (int64_t size = 8; size <= 134217728; size *= 2) {
        const double us = ring_us(n, (double)size), rate = (double)size / us / 1000;
        char half[128];
        snprintf(half, sizeof half,
                 us < 10000 ? "%7.1f %6.2f %6.2f 0 %s" : "%7.0f %6.2f %6.2f 0 %s", us, rate,
                 rate * 2 * (n - 1) / n, more);
        put("%12lld %12lld   float   sum %s %s %s\n", (long long)size, (long long)size / 4, root,
            half, half);
    }
}

static void check_fit(int n, int64_t n_samples) {
    rs_line_fit line;
    cr_assert_eq(parse(), RS_OK, "%s", error.text);
    cr_expect_eq(nccl.n_ranks, n);
    cr_expect_eq(nccl.n_samples, n_samples);
    cr_assert_eq(rs_fit_line(nccl.samples, nccl.n_samples, &arena, &error, &line), RS_OK);
    cr_expect(fabs(line.alpha_ps / (2 * (n - 1) * 4e6) - 1) < 0.01, "%g", line.alpha_ps);
    cr_expect(fabs(line.ps_per_byte / (2 * (n - 1) * 20.0 / n) - 1) < 0.01, "%g", line.ps_per_byte);
}

Test(nccl_log, the_table_gives_every_time_and_the_number_of_ranks) {
    put_ranks(8);
    put("#       size   count  type  redop  root  time  algbw  busbw #wrong  time\n");
    put_rows(8, "-1", "");
    put("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 42.1\n#\n");
    check_fit(8, 50);
}

Test(nccl_log, tables_without_a_root_or_with_more_columns_are_understood) {
    put_ranks(4);
    put_rows(4, "", "");
    check_fit(4, 50);
    used = 0;
    put_ranks(4);
    put_rows(4, "-1", "90000.5 91000.5 92000.5 1.5");
    check_fit(4, 50);
}

Test(nccl_log, other_lines_are_passed_over_and_the_rates_tell_the_ranks) {
    put("node1:1234:1234 [0] NCCL INFO Bootstrap : Using eth0\n12 34 56 78\n\n\r\n 8 8 8 8 8 8 8 8\n");
    put_rows(6, "-1", "");
    put("%300d\n", 7);
    check_fit(6, 50);
}

/* What `verify` prints: rates of large worlds do not tell the ranks well, its head does. */
Test(nccl_log, a_report_of_ours_is_read_and_of_several_tables_the_last_that_has_rows) {
    put("# ringsim 0.1.0 verify: ring on cpu\n# nThread 1 nGpus 64 minBytes 8 maxBytes 134217728\n");
    put_rows(3, "-1", "");
    put_rows(3, "-1", "");
    put("# ringsim 0.1.0 verify: ring on cuda kernel 2\n# nThread 1 nGpus 64 minBytes 8\n");
    put_rows(64, "-1", "");
    put("# ringsim 0.1.0 verify: ring on mpi\n# mpi: FAILED: no answer\n");
    check_fit(64, 50);
    cr_expect_eq(strcmp(nccl.of, "ringsim verify, ring on cuda kernel 2"), 0, "%s", nccl.of);
}

Test(nccl_log, gpus_of_one_process_are_not_all_where_the_rates_say_more) {
    put("# nThread 1 nGpus 1 minBytes 8 maxBytes 134217728\n");
    put_rows(6, "-1", "");
    check_fit(6, 50);
}

/* Rates of small messages are rounded to 0.01 GB/s: they say nothing of the ranks. */
Test(nccl_log, rates_that_are_rounded_away_do_not_gainsay_the_head) {
    put("# ringsim 0.1.0 verify: ring on mpi\n# nThread 1 nGpus 5 minBytes 8 maxBytes 16\n");
    put("400 100 float sum -1 114.42 0.00 0.00 0 84.06 0.00 0.00 0\n");
    put("4012 1003 float sum -1 280.45 0.01 0.01 0 214.70 0.02 0.03 0\n");
    cr_assert_eq(parse(), RS_OK, "%s", error.text);
    cr_expect_eq(nccl.n_ranks, 5);
    cr_expect_eq(nccl.n_samples, 4);
}

Test(nccl_log, a_report_of_another_algorithm_is_refused) {
    put("# ringsim 0.1.0 verify: tree on mpi\n");
    put_rows(4, "-1", "");
    cr_expect_eq(parse(), RS_BAD_INPUT);
    cr_expect(strstr(error.text, "a report of tree on mpi") != NULL, "%s", error.text);
}

/* Spoils one thing of row `row` of a page of put_rows. */
static void spoil_row(int row, uint64_t *seed) {
    char *at = strstr(page, "   float");
    for (; row > 0; row--) at = strstr(at + 1, "   float");
    while (at[-1] != '\n') at--;
    char *const end = strchr(at, '\n');
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    switch (*seed >> 60) {
    case 0: /* cut short */ memset(end - 60, ' ', 60); return;
    case 1: /* no size */ at[strspn(at, " ")] = 'x'; return;
    case 2: /* no type */ memcpy(strstr(at, "float"), "41041", 5); return;
    default: /* the leading digit of a time or of the rate beside it is another one */
        at = strstr(at, "-1") + 2;
        for (int i = *seed >> 59 & 1; i >= 0; i--) {
            at += strspn(at, " ");
            if (i > 0) at += strcspn(at, " ");
        }
        *at = *at == '9' ? '1' : '9';
    }
}

/* Whatever is wrong with a row, it is told: which line, and why; the others give the same fit. */
Test(nccl_log, rows_that_cannot_be_used_are_counted_and_named) {
    uint64_t seed = 3;
    for (int i = 0; i < 150; i++) {
        const int row = 20 + i % 4; /* of large sizes: rates of small ones are rounded away */
        used = 0;
        put_ranks(4);
        put("#       size   count  type  redop  root  time  algbw  busbw #wrong  time  algbw  busbw\n");
        put_rows(4, "-1", "");
        spoil_row(row, &seed);
        cr_assert_eq(parse(), RS_OK, "table %d: %s", i, error.text);
        cr_assert_eq(nccl.n_left_out, 1, "table %d:\n%s", i, page);
        cr_assert_eq(nccl.left_out[0].where, 3 + 4 + 1 + row + 1, "table %d", i);
        cr_assert_geq(nccl.n_samples, 48, "table %d", i);
    }
}

Test(nccl_log, each_reason_is_told) {
    static const struct {
        const char *row;
        rn_row_fault why;
    } rows[] = {
        {"1048576 262144 float sum -1 40.0 26.21 39.32 0 40.0", RN_ROW_SHORT},
        {"1048576 262144 flo", RN_ROW_SHORT},
        {"1o48576 262144 float sum -1 40.0 26.21 39.32 0 40.0 26.21 39.32 0", RN_ROW_NO_SIZE},
        {"1048576 262144 float sum -1 40.0 32.43 39.32 0 40.0 26.21 39.32 0", RN_ROW_OTHER_RATE},
        {"1048576 262144 float sum -1 40.0 26.21 29.32 0 40.0 26.21 39.32 0", RN_ROW_OTHER_BUSBW},
        {"1048576000 262144000 float sum -1 2e9 0.00 0.00 0 4e4 26.21 39.32 0", RN_ROW_TOO_LONG},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        used = 0;
        put_ranks(4);
        put_rows(4, "-1", "");
        put("%s\n0 0 float sum -1 0.4 0.00 0.00 0 0.2 0.00 0.00 N/A\n", rows[i].row);
        put("node1:1:1 [0] NCCL INFO Channel 00/04 : 0 1 2 3 4 5 6 7\n");
        cr_assert_eq(parse(), RS_OK, "%s", error.text);
        cr_expect_eq(nccl.n_left_out, 1, "row %zu: %d", i, (int)nccl.n_left_out);
        cr_expect_eq(nccl.left_out[0].why, rows[i].why, "row %zu: %d", i,
                     (int)nccl.left_out[0].why);
    }
    used = 0;
    put("#  size  count  type  redop  root  time  algbw  busbw  #wrong\n%s\n", rows[3].row);
    page[strlen(page) - 28] = '\n';
    cr_expect_eq(parse(), RS_BAD_INPUT);
    cr_expect(strstr(error.text, "line 2") != NULL, "%s", error.text);
}

/* A row counts once, however many of its times are bad; rows of an earlier table do not count. */
Test(nccl_log, bad_rows_are_counted_once_and_of_the_table_that_counts) {
    static const char bad[] = "1048576 262144 float sum -1 40.0 26.21 29.32 0 40.0 26.21 29.32 0\n";
    put("# ringsim 0.1.0 verify: ring on cpu\n# nThread 1 nGpus 4 minBytes 8 maxBytes 134217728\n");
    put_rows(4, "-1", "");
    put("%s", bad);
    put("# ringsim 0.1.0 verify: ring on mpi\n# nThread 1 nGpus 4 minBytes 8 maxBytes 134217728\n");
    for (int i = 0; i < 3; i++) put("%s", bad);
    put_rows(4, "-1", "");
    for (int i = 0; i < 3; i++) put("%s", bad);
    cr_assert_eq(parse(), RS_OK, "%s", error.text);
    cr_expect_eq(nccl.n_left_out, 6, "%d", (int)nccl.n_left_out);
    cr_expect_eq(nccl.left_out[0].where, 2 + 25 + 1 + 2 + 1, "%d", (int)nccl.left_out[0].where);
}

Test(nccl_log, in_our_json_the_last_backend_counts) {
    put("{\"results\":[");
    for (int k = 0; k < 40; k++) { /* cpu has more rows than mpi */
        const bool mpi = k >= 25;
        const double size = 4096 * pow(2, k % 25), us = ring_us(8, size) * (mpi ? 1 : 3);
        put("%s{\"backend\":\"%s\",\"size\":%.0f,\"kernel\":null,\"out_of_place\":{\"time\":%.9g,"
            "\"alg_bw\":%.9g,\"bus_bw\":%.9g}}",
            k > 0 ? "," : "", mpi ? "mpi" : "cpu", size, us, size / us / 1000,
            size / us / 1000 * 14 / 8);
    }
    put("],\"ringsim\":{\"algorithm\":\"ring\",\"gpus\":8}}");
    check_fit(8, 15);
    cr_expect_eq(strcmp(nccl.of, "ringsim verify, ring on mpi"), 0, "%s", nccl.of);
}

Test(nccl_log, the_json_is_understood_too) {
    put("{\"version\":3,\"config\":{\"devices\":[{\"rank\":0}]},\"results\":[");
    for (int64_t size = 8, first = 1; size <= 134217728; size *= 2, first = 0) {
        const double us = ring_us(16, (double)size), rate = (double)size / us / 1000;
        put("%s{\"size\":%lld,\"count\":1,\"type\":\"float\",\"redop\":\"sum\",\"root\":\"    -1\","
            "\"out_of_place\":{\"time\":%.9g,\"alg_bw\":%.9g,\"bus_bw\":%.9g,\"nwrong\":0},"
            "\"in_place\":%s}",
            first ? "" : ",", (long long)size, us, rate, rate * 30 / 16, "null");
    }
    put("],\"errors\":0}");
    check_fit(16, 25);
}

Test(nccl_log, broken_json_is_refused) {
    put("{\"results\":[{\"size\":8");
    cr_expect_eq(parse(), RS_BAD_INPUT);
    used = 0;
    put("{\"results\":[{\"size\":\"8\",\"out_of_place\":5},7,null]}");
    cr_expect_eq(parse(), RS_BAD_INPUT);
    cr_expect(strstr(error.text, "nccl-tests") != NULL);
}

Test(nccl_log, another_collective_is_refused_by_its_rates) {
    put_ranks(8);
    for (int64_t size = 1 << 20; size <= 1 << 26; size *= 2) { /* an all-gather: (N - 1)/N */
        put("%lld %lld float none -1 %.1f %.2f %.2f 0\n", (long long)size, (long long)size / 4,
            (double)size / 50e3, 50.0, 43.75);
    }
    cr_expect_eq(parse(), RS_BAD_INPUT);
    cr_expect(strstr(error.text, "another collective") != NULL, "%s", error.text);
}

/* Rows of a collective whose busbw is so many times algbw, by any number of GPUs, without a line that counts them. */
static void put_bare_rows(const char *redop, double ratio, const char *tag, const char *margin) {
    used = 0;
    for (int64_t size = 1 << 20; size <= 1 << 30; size *= 4) {
        const double us = 20 + (double)size / 200e3, rate = (double)size / us / 1000;
        put("%s%s%lld %lld float %s -1%s %.1f %.2f %.2f 0\n", margin, tag, (long long)size,
            (long long)size / 4, redop, tag, us, rate, rate * ratio);
    }
}

Test(nccl_log, gpus_that_are_too_many_to_be_counted_by_rates_leave_the_rates_as_printed) {
    for (int n = 2; n <= 1024; n++) {
        put_bare_rows("sum", 2 * (n - 1.0) / n, "", "");
        cr_assert_eq(rn_parse_table(page, used, &arena, &error, &nccl), RS_OK, "%s", error.text);
        cr_assert(nccl.all_reduce);
        cr_assert(nccl.n_ranks == n || (n >= 32 && nccl.n_ranks == 0), "%d, not %d",
                  (int)nccl.n_ranks, n);
        cr_assert(fabs(nccl.ratio / (2 * (n - 1.0) / n) - 1) < 0.001, "%d: %g", n, nccl.ratio);
    }
}

/* What of an all-gather of 64 looks like an all-reduce of 2. */
Test(nccl_log, a_redop_of_none_is_no_all_reduce_whatever_the_rates) {
    for (int n = 2; n <= 1024; n++) {
        put_bare_rows("none", (n - 1.0) / n, "", "");
        cr_assert_eq(rn_parse_table(page, used, &arena, &error, &nccl), RS_OK, "%s", error.text);
        cr_assert_not(nccl.all_reduce);
        cr_assert(fabs(nccl.ratio / ((n - 1.0) / n) - 1) < 0.001, "%d: %g", n, nccl.ratio);
        cr_assert_eq(parse(), RS_BAD_INPUT, "%d", n);
    }
}

/* What follows a run's rows is of another one; the end of a run names it, too. */
Test(nccl_log, rows_are_of_the_run_before_them) {
    static const struct {
        const char *before, *behind, *name;
        int n;
    } texts[] = {
        {"#  Rank 71 Group  0 Pid 4\n", "#  Rank 143 Group  0 Pid 4\n8 2 fl\n", "", 72},
        {"", "$ ./all_gather_perf -g 2\n# nThread 1 nGpus 2 minBytes 8\n", "", 0},
        {"$ ./all_reduce_perf -g 72\n", "======== scatter_perf ====\n", "all_reduce", 0},
        {"", "# Collective test concluded: all_reduce_perf\n== x_perf ==\n", "all_reduce", 0},
        {"$ ./all_gather_perf -g 72\n", "", "", 0}, /* its rates say no */
        {"# nThread 1 nGpus 8 minBytes 8\n#  Rank 7 Group 0\n", "", "", 0},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        put_bare_rows("sum", 2 * 71 / 72.0, "", "");
        const size_t n_before = strlen(texts[i].before);
        memmove(page + n_before, page, used + 1);
        memcpy(page, texts[i].before, n_before);
        used += n_before;
        put("%s", texts[i].behind);
        cr_assert_eq(rn_parse_table(page, used, &arena, &error, &nccl), RS_OK, "%s", error.text);
        cr_expect(nccl.all_reduce && fabs(nccl.ratio - 1.9722) < 0.0005, "%s", page);
        cr_expect(nccl.n_ranks == texts[i].n || (texts[i].n == 0 && nccl.n_ranks == 72), "%d of %s",
                  (int)nccl.n_ranks, page);
        cr_expect_str_eq(nccl.run.name, texts[i].name, "%s", page);
    }
}

/* Rates of hundredths: 0.51 / 0.52 is of no number of GPUs, nor is 0.92 / 0.92; without a redop nothing is added. */
Test(nccl_log, rates_that_rounding_may_change_count_no_gpus) {
    static const char *const rows[] = {"536870912 8388608 float sum -1 1032444 0.52 0.51 0",
                                       "524288 131072 float sum -1 569.4 0.92 0.92 0",
                                       "128 32 float sum -1 12.8 0.01 0.00 0",
                                       "33554432 8388608 float 817.8 41.03 41.03 0e+00"};
    for (int i = 0; i < 4; i++) {
        used = 0;
        put("%s\n", rows[i]);
        cr_assert_eq(rn_parse_table(page, used, &arena, &error, &nccl), RS_OK, "%s", error.text);
        cr_expect(nccl.n_ranks == 0 && nccl.all_reduce == (i == 1), "%s", page);
    }
}

/* A run on one GPU; heads of two processes at one time, and of two attempts; a failure that is only spoken of. */
Test(nccl_log, marks_are_of_one_run) {
    static const char one_gpu[] =
        " nThread 1 nGpus 1 minBytes 8\n  Rank  0 Group  0 Pid 1 on a device 0\n"
        " size count type redop root time algbw busbw\n8 2 float sum\n";
    static const char head[] = "# nThread 1 nGpus 8 minBytes 8\n#\n# Using devices\n";
    put("%s", one_gpu);
    cr_expect_eq(rn_parse_table(page, used, &arena, &error, &nccl), RS_BAD_INPUT);
    cr_expect(nccl.n_ranks == 1 && nccl.marks.head_line == 1);
    for (int apart = 0; apart < 2; apart++) {
        used = 0;
        put("%s%s%s", head, apart ? "Cuda failure\n" : "", head);
        cr_expect_eq(rn_parse_table(page, used, &arena, &error, &nccl), RS_BAD_INPUT);
        cr_expect_eq(nccl.marks.n_alone, apart ? 0 : 2);
        used = 0;
        put("%swe once had Out of bounds values : 2 FAILED, fixed since\n",
            apart ? "# Out of bounds values : 0 OK\n" : "");
        cr_expect_eq(rn_parse_table(page, used, &arena, &error, &nccl), RS_BAD_INPUT);
        cr_expect_eq(nccl.marks.failed_line, apart ? 0 : 1);
    }
}

/* And in one line, as a title or a chat has it. */
Test(nccl_log, rows_are_rows_behind_any_margin) {
    static const char *const margins[] = {"", " ", "  ", "    ", "\t", "                "};
    static const char *const tags[] = {"", "[0]", "[12]"};
    for (int m = 0; m < 6; m++) {
        for (int t = 0; t < 3; t++) {
            put_bare_rows("sum", 1.75, tags[t], margins[m]);
            for (int joined = 0; joined < 2; joined++) {
                cr_assert_eq(parse(), RS_OK, "%s: %s", error.text, page);
                cr_assert(nccl.n_samples == 6 && nccl.n_ranks == 8, "%s", page);
                for (char *at = page; t == 0 && (at = strchr(at, '\n')) != NULL;) *at = ' ';
            }
        }
    }
}

/* Writes a number with a mark between its thousands. */
static const char *parted(int64_t number, const char *mark, char out[40]) {
    char digits[24];
    const int n = snprintf(digits, sizeof digits, "%lld", (long long)number);
    size_t to = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0) to += (size_t)snprintf(out + to, 2, "%s", mark);
        out[to++] = digits[i];
    }
    out[to] = '\0';
    return out;
}

Test(nccl_log, the_head_tells_which_columns_stand_before_the_times) {
    static const struct {
        const char *head;
        int n; /* columns of a row before its first time */
    } tables[] = {{"#  size  count  type  redop  root  time  algbw  busbw  #wrong", 5},
                  {"#  size  count  type  redop  time  algbw  busbw  error", 4},
                  {"#  size  count  type  time  algbw  busbw  error", 3},
                  {"#  size  count  time  algbw  busbw  #wrong", 2},
                  {"#  size  time  algbw  busbw", 1},
                  {"   size  time  algbw  busbw", 1}};
    static const char *const marks[] = {"", "_", ","};
    for (int t = 0; t < 6; t++) {
        for (int m = 0; m < 3; m++) {
            used = 0;
            put("%s\n", tables[t].head);
            for (int64_t size = 1 << 20; size <= 1 << 30; size *= 4) {
                char bytes[40], count[40];
                const char *columns[] = {parted(size, marks[m], bytes),
                                         parted(size / 4, marks[m], count), "float", "sum", "-1"};
                for (int c = 0; c < tables[t].n; c++) put(" %s", columns[c]);
                put(" %.1f 200.00 350.00 0\n", (double)size / 200e3);
            }
            cr_assert_eq(parse(), RS_OK, "%s: %s", error.text, page);
            cr_assert(nccl.n_ranks == 8 && nccl.n_samples == 6 && nccl.n_left_out == 0, "%s", page);
            cr_assert_eq(nccl.samples[5].n_bytes, 1 << 30);
        }
    }
}

Test(nccl_log, which_time_comes_first_is_told_above_the_head) {
    for (int first = 0; first < 2; first++) {
        used = 0;
        put(first ? "#  in-place  out-of-place\n" : "#  out-of-place  in-place\n");
        put("# size count time algbw busbw #wrong time algbw busbw #wrong\n"
            "1048576 262144 40.0 26.21 39.32 3 40.0 26.21 39.32 5\n");
        cr_assert_eq(parse(), RS_OK, "%s", error.text);
        cr_expect_eq(nccl.marks.wrong[0].wrong[first], 3);
        cr_expect_eq(nccl.marks.wrong[0].wrong[!first], 5);
    }
}

/* Its algbw is of the bytes that leave a GPU, and busbw is the same. */
Test(nccl_log, a_hypercubes_rows_are_rows) {
    for (int n = 2; n <= 64; n *= 2) {
        used = 0;
        for (int64_t size = 32; size <= 1 << 20; size *= 2) {
            const double us = 10 + (double)size / 50e3,
                         rate = (double)size / us / 1e3 * (n - 1) / n;
            put("%lld %lld float none -1 %.2f %.2f %.2f 0\n", (long long)size,
                (long long)size / 4 / n, us, rate, rate);
        }
        cr_assert_eq(rn_parse_table(page, used, &arena, &error, &nccl), RS_OK, "%s", error.text);
        cr_expect(nccl.n_samples == 16 && nccl.n_left_out == 0, "%d: %d", n, (int)nccl.n_samples);
        cr_expect(fabs(nccl.ratio / ((n - 1.0) / n) - 1) < 0.02, "%d: %g", n, nccl.ratio);
    }
}

Test(nccl_log, a_head_without_rows_is_noted_and_words_about_a_runs_end_are_none) {
    put("$ ./build/all_reduce_perf -g 2\n# nThread 1 nGpus 2 minBytes 8\n#\n");
    cr_expect_eq(rn_parse_table(page, used, &arena, &error, &nccl), RS_BAD_INPUT);
    cr_expect_eq(nccl.marks.head_line, 2);
    used = 0;
    put("missing in stdout.txt: '# Out of bounds values', '# Avg bus bandwidth'\n");
    cr_expect_eq(rn_parse_table(page, used, &arena, &error, &nccl), RS_BAD_INPUT);
    cr_expect(nccl.marks.head_line == 0 && nccl.marks.end_line == 0);
    put("# Avg bus bandwidth    : 42.1\n");
    cr_expect_eq(rn_parse_table(page, used, &arena, &error, &nccl), RS_BAD_INPUT);
    cr_expect_eq(nccl.marks.end_line, 2);
}

Test(nccl_log, what_is_neither_is_refused) {
    static const char *const texts[] = {"",
                                        "hello\n",
                                        "1 2 3\n",
                                        "\0\0\0",
                                        "8 2 float sum -1\n",
                                        "8 2 float sum -1 1e999 0.00 0.00 0\n",
                                        "8 2 float sum -1 nan inf 0x10 0\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        used = 0;
        page[0] = '\0';
        put("%s", texts[i]);
        cr_expect_eq(parse(), RS_BAD_INPUT, "text %zu", i);
    }
}
