/* test_nccl_rows.c: which lines of an output of nccl-tests are rows, and which of their times are meant, at the limits; what
   a launcher puts before lines, and what lies behind the text, changes nothing. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ringsim_tables.h"
#include "support/session.h"

static rs_arena arena;
static rs_error error;
static void begin(void) {
    rs_arena_init(&arena, NULL);
}
static void end(void) {
    rs_arena_free(&arena);
}
TestSuite(nccl_rows, .init = begin, .fini = end);

enum { PAGE = 1 << 14 };
static const char head[] = "# size count type redop root time algbw busbw #wrong\n";
static const char row[] = "1048576 262144 float sum -1 40.0 26.21 39.32 0\n"; /* of 4 GPUs */

static rs_status parse(const char *text, rn_table *log) {
    error.text[0] = '\0';
    return rn_parse_all_reduce(text, strlen(text), &arena, &error, log);
}

static void expect_same(const rn_table *a, const rn_table *b, const char *text) {
    cr_assert(a->n_ranks == b->n_ranks && a->n_samples == b->n_samples &&
                  a->n_left_out == b->n_left_out && strcmp(a->of, b->of) == 0,
              "%s", text);
    for (int64_t i = 0; i < a->n_samples; i++) {
        cr_assert(a->samples[i].n_bytes == b->samples[i].n_bytes &&
                      a->samples[i].span_ps == b->samples[i].span_ps,
                  "sample %lld of\n%s", (long long)i, text);
    }
    for (int32_t i = 0; i < a->n_left_out && i < RN_LEFT_OUT_TOLD; i++) {
        cr_assert(a->left_out[i].where == b->left_out[i].where &&
                      a->left_out[i].why == b->left_out[i].why,
                  "%s", text);
    }
}

/* A page as a job prints it: heads, rows, bad rows, other lines. */
static void draw_page(char page[PAGE]) {
    static const char *const others[] = {"# Rank  0 Group  0 Pid 42 on node1 device 0 [0x01] GPU\n",
                                         "# Rank  3 Group  0 Pid 45 on node1 device 3 [0x04] GPU\n",
                                         "#\n",
                                         "\n",
                                         "node1:9:9 [0] NCCL INFO Channel 00/04 : 0 1 2 3\n",
                                         "# Avg bus bandwidth : 39.2\n",
                                         "1048576 262144 float sum -1 40.0 32.43 39.32 0\n",
                                         "1048576 26214\n",
                                         "hello\n"};
    int n = 0;
    page[0] = '\0';
    strcat(page, "# Rank  3 Group  0 Pid 45 on node1 device 3 [0x04] GPU\n");
    strcat(page, head);
    for (int k = 0; k < 12; k++) {
        const int kind = session_below(14);
        char line[200];
        const double bytes = 1048576.0 * (1 + session_below(64)), us = 10 + session_below(90);
        snprintf(line, sizeof line, "%.0f %.0f float sum -1 %.1f %.2f %.2f 0\n", bytes, bytes / 4,
                 us, bytes / us / 1000, bytes / us / 1000 * 1.5);
        strcat(page, kind < 9 ? others[kind] : line);
        n += kind >= 9;
    }
    if (n == 0) strcat(page, row);
}

/* Puts something before every line. */
static void with_prefixes(const char *page, char out[2 * PAGE]) {
    static const char *const prefixes[] = {"[1,0]<stdout>:",
                                           "[1,12]<stderr>:",
                                           "0: ",
                                           " 12: ",
                                           "   3: ",
                                           "Thu Jul 18 15:41:05 2024<stdout>:",
                                           "Thu Jul 18 15:41:05 2024[1,0]<stdout>: "};
    out[0] = '\0';
    for (const char *at = page; *at != '\0';) {
        const size_t n = strcspn(at, "\n");
        strcat(out, prefixes[session_below(7)]);
        strncat(out, at, n + 1);
        at += n + 1;
    }
}

Test(nccl_rows, a_launchers_prefix_changes_nothing) {
    session_begin(1);
    for (int k = 0; k < 300; k++) {
        char page[PAGE], tagged[2 * PAGE];
        rn_table plain, other;
        draw_page(page);
        with_prefixes(page, tagged);
        cr_assert_eq(parse(page, &plain), RS_OK, "%s\n%s", error.text, page);
        cr_assert_eq(parse(tagged, &other), RS_OK, "%s\n%s", error.text, tagged);
        expect_same(&plain, &other, tagged);
    }
}

/* A mark must stand in the first 80 bytes, digits end in a colon and a blank; other words are dropped where a row stands whole
   behind them. */
Test(nccl_rows, what_is_no_prefix_stays_in_the_line) {
    static const char *const prefixes[] = {"0:", "0 : ", "a0: ", "<stdout>", ": "};
    char text[400];
    rn_table log;
    for (int i = 0; i < 5; i++) {
        snprintf(text, sizeof text, "%s%s%s", head, row, row);
        cr_assert_eq(parse(text, &log), RS_OK);
        cr_assert_eq(log.n_samples, 2);
        snprintf(text, sizeof text, "%s%s%s%s", head, row, prefixes[i], row);
        cr_assert_eq(parse(text, &log), RS_OK, "%s", error.text);
        const size_t n = strlen(prefixes[i]);
        cr_expect_eq(log.n_samples, prefixes[i][n - 1] == ' ' ? 2 : 1, "%s", text);
        snprintf(text, sizeof text, "%s%s%s1048576 262144 float sum -1 40.0 99.0 39.32 0\n", head,
                 row, prefixes[i]);
        cr_assert_eq(parse(text, &log), RS_OK, "%s", error.text);
        cr_expect_eq(log.n_samples, 1, "no time that agrees: %s", text);
    }
    for (int n = 66; n <= 76; n++) { /* the mark has 9 bytes */
        snprintf(text, sizeof text, "%s%s%*s<stdout>:%s", head, row, n, "", row);
        cr_assert_eq(parse(text, &log), RS_OK, "%s", error.text);
        cr_expect_eq(log.n_samples, n + 9 <= 80 ? 2 : 1, "%d blanks", n);
    }
}

/* Nothing behind the text's end is read: a cut text reads as if it ended there. */
Test(nccl_rows, a_cut_text_ends_where_it_is_cut) {
    session_begin(2);
    for (int k = 0; k < 300; k++) {
        char page[PAGE], cut[PAGE];
        rn_table whole, other;
        draw_page(page);
        const size_t n = (size_t)session_below((int32_t)strlen(page));
        memcpy(cut, page, n);
        cut[n] = '\0';
        const rs_status a = rn_parse_all_reduce(page, n, &arena, &error, &whole);
        const rs_status b = rn_parse_all_reduce(cut, n, &arena, &error, &other);
        cr_assert_eq(a, b, "%s", cut);
        if (a == RS_OK) expect_same(&whole, &other, cut);
    }
}

/* In a table a line is meant as a row if it begins with two whole numbers, or has more than four numbers at all. */
Test(nccl_rows, lines_that_are_meant_as_rows_are_told_when_they_cannot_be_read) {
    static const struct {
        const char *line;
        int n_left_out;
    } lines[] = {{"x 1 2 3 4", 0},
                 {"x 1 2 3 4 5", 1},
                 {"1 2 3 4 x y z", 1},
                 {"1 2", 1},
                 {"1", 0},
                 {"1 x", 0},
                 {"x 1", 0},
                 {"1.5 2 3 4", 0},
                 {"1.5 2 3 4 5", 1},
                 {"# 1 2 3 4 5 6 7", 0},
                 {"#1 2 3 4 5 6 7", 0},
                 {"1 2 NCCL 3 4 5 6 7", 0},
                 {"1 2 3 4 5 6 7 NCCL", 0},
                 {"1 2 NCCLS 3 4 5 6 7", 1},
                 {"-1 -2 -3 -4 -5 -6", 0},
                 {"+1 +2 +3 +4 +5 +6", 0},
                 {"0x1 0x2 nan inf 3 4", 0},
                 {"1e3 2e3 3e3 4e3 5e3", 1},
                 {"", 0}};
    char text[400];
    rn_table log;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        snprintf(text, sizeof text, "%s%s%s\n", head, row, lines[i].line);
        cr_assert_eq(parse(text, &log), RS_OK, "%s", error.text);
        cr_expect_eq(log.n_left_out, lines[i].n_left_out, "'%s': %d", lines[i].line,
                     (int)log.n_left_out);
        cr_expect(log.n_left_out == 0 || log.left_out[0].where == 3, "%s", lines[i].line);
    }
    /* outside of a table it takes a type, too, and three more */
    static const char *const outside[] = {"8 2 float sum -1 1.0 0.05", "8 2 float sum -1 1.0",
                                          "8 2 3 sum -1 1.0 0.05", "8 x float sum -1 1.0 0.05"};
    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof text, "%s\n", outside[i]);
        cr_expect_eq(parse(text, &log), RS_BAD_INPUT);
        cr_expect_eq(strstr(error.text, "no row of this output") != NULL, i == 0, "%s: %s",
                     outside[i], error.text);
    }
}

/* The rate beside a time is the size's over the time, to 1 % and the last digit; busbw is in the table's ratio. */
Test(nccl_rows, a_time_counts_if_the_rates_beside_it_are_its_own) {
    static const char fast[] = "1048576 262144 float sum -1 10.0 104.86 157.29 0\n";
    char text[1000];
    rn_table log;
    for (int k = 0; k < 40; k++) {
        const double us = 10, rate = 1048576 / us / 1000, off = 0.006 + 0.01 * rate;
        const double by = (k - 20) * 0.1 + 0.05; /* times of what is allowed */
        snprintf(text, sizeof text,
                 "# Rank 3 Group 0\n%s%s%s1048576 262144 float sum -1 10.0 %.6f %.6f 0\n", head,
                 fast, fast, rate + by * off, (rate + by * off) * 1.5);
        cr_assert_eq(parse(text, &log), RS_OK, "%s", error.text);
        cr_expect_eq(log.n_samples, fabs(by) < 1 ? 3 : 2, "%g: %s", by, text);
        const double less = 104.8, busbw = less * 1.5, ratio = 1.5; /* the others' rate counts */
        for (int side = -1; side <= 1; side += 2) {
            /* |b - ratio x rate| <= 0.006 (1 + ratio) + 0.03 b */
            const double limit = side > 0 ? (busbw + 0.006 * (1 + ratio)) / 0.97
                                          : (busbw - 0.006 * (1 + ratio)) / 1.03;
            const double b = busbw + fabs(by) * (limit - busbw);
            snprintf(text, sizeof text, "%s%s%s1048576 262144 float sum -1 10.0 %.6f %.6f 0\n",
                     head, fast, fast, less, b);
            cr_assert_eq(parse(text, &log), RS_OK, "%s", error.text);
            cr_expect_eq(log.n_samples, fabs(by) < 1 ? 3 : 2, "%g: %s", by, text);
            cr_expect(log.n_left_out == (fabs(by) < 1 ? 0 : 1));
        }
    }
}

Test(nccl_rows, a_time_of_more_than_a_thousand_seconds_is_none) {
    static const struct {
        const char *us;
        int n;
    } times[] = {{"999999999", 2}, {"1000000000", 2}, {"1000000001", 1}, {"2e9", 1}};
    char text[400];
    rn_table log;
    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof text, "%s%s1048576 262144 float sum -1 %s 0.00 0.00 0\n", head, row,
                 times[i].us);
        cr_assert_eq(parse(text, &log), RS_OK, "%s", error.text);
        cr_expect_eq(log.n_samples, times[i].n, "%s", times[i].us);
    }
}

/* As many GPUs as the highest rank says, or threads and GPUs of one process, or the rates. */
Test(nccl_rows, the_ranks_are_counted) {
    session_begin(3);
    for (int k = 0; k < 200; k++) {
        const int n = 2 + session_below(30), way = session_below(3);
        int threads = 0;
        const double rate = 100 + session_below(50), ratio = 2 * (n - 1.0) / n;
        char text[4000] = "";
        rn_table log;
        if (way == 0) { /* in any order, some missing */
            for (int r = 0; r < n; r++) {
                char line[80];
                if (r > 0 && session_below(3) == 0) continue;
                snprintf(line, sizeof line, "# Rank %d Group 0 Pid 1\n", n - 1 - r);
                strcat(text, line);
            }
        } else if (way == 1) {
            threads = n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : 1;
            sprintf(text, "# nThread %d nGpus %d minBytes 8\n", threads, n / threads);
        }
        sprintf(text + strlen(text), "%s100000000 25000000 float sum -1 %.6f %.6f %.6f 0\n", head,
                1e5 / rate, rate, rate * ratio);
        cr_assert_eq(parse(text, &log), RS_OK, "%s\n%s", error.text, text);
        cr_expect_eq(log.n_ranks, n, "%d:\n%s", (int)log.n_ranks, text);
        cr_expect_eq(log.run.a_thread, threads > 0 ? n / threads : 0);
    }
    static const char *const bad[] = {"# nThread 0 nGpus 4 m\n",      "# nThread 4 nGpus 0 m\n",
                                      "# nThread x nGpus 4 m\n",      "# nThread 1 nGpus x m\n",
                                      "# nThread 131073 nGpus 1 m\n", "# nThread 2 nGpus 65537 m\n",
                                      "# Rank 131072 Group 0\n",      "# Rank x Group 0\n",
                                      "# nThread 3 nCpus 4 m\n",      "# nThreads 3 nGpus 4 m\n"};
    for (int i = 0; i < 10; i++) { /* then the rates tell: four */
        char text[400];
        rn_table log;
        snprintf(text, sizeof text, "%s%s%s", bad[i], head, row);
        cr_assert_eq(parse(text, &log), RS_OK, "%s: %s", bad[i], error.text);
        cr_expect_eq(log.n_ranks, 4, "%s: %d", bad[i], (int)log.n_ranks);
    }
    for (int i = 0; i < 12; i++) { /* no all-reduce has twice the rate, or more */
        char text[400];
        rn_table log;
        snprintf(text, sizeof text, "%s100000000 25000000 float sum -1 1000.0 100.00 %.2f 0\n",
                 head, 200 + 10.0 * i);
        cr_expect_eq(parse(text, &log), RS_BAD_INPUT, "%d ranks", (int)log.n_ranks);
        cr_expect_not_null(strstr(error.text, "not an all-reduce's 2 (N - 1) / N"), "%s",
                           error.text);
    }
}
