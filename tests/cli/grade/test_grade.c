/* The grader's pure parts: seeds, labs, schedules and single answers judged. What runs in a sandbox is tried
 * by grade.sh and grade-submissions.sh.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grade/batch.h"
#include "grade/judge_plan.h"
#include "grade/report.h"
#include "grade/seeds.h"
#include "grade/question.h"
#include "support/naive_apply.h"
#include "support/own.h"

/* ------------------------------------------------------------------ seeds */

static void hash_is(const char *text, size_t n, const char *wanted) {
    uint8_t digest[32];
    char hex[65];
    rc_sha256(text, n, digest);
    for (int i = 0; i < 32; i++) snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    cr_assert_str_eq(hex, wanted);
}

/* The vectors of FIPS 180-4's examples; and the lengths at which the padding takes another block. */
Test(grade, sha256_is_the_standards) {
    hash_is("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    hash_is("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    hash_is("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    char *million = malloc(1000000);
    memset(million, 'a', 1000000);
    hash_is(million, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
    hash_is("0123456789012345678901234567890123456789012345678901234567890123", 64,
            "9674d9e078535b7cec43284387a6ee39956188e735a85452b0050b55341cda56");
}

Test(grade, numbers_are_a_students_own_and_stay_so) {
    rc_random a = rc_random_of("s", 1, "ann", "05", "x", 1);
    rc_random again = rc_random_of("s", 1, "ann", "05", "x", 1);
    rc_random b = rc_random_of("s", 1, "bob", "05", "x", 1);
    rc_random other = rc_random_of("t", 1, "ann", "05", "x", 1);
    cr_expect_neq(rc_random_of("s", 1, "ann", "05", "y", 1).state, a.state);
    cr_expect_neq(rc_random_of("s", 1, "ann", "05", "", 0).state, a.state);
    cr_assert_eq(a.state, again.state);
    cr_assert_neq(a.state, b.state);
    cr_assert_neq(a.state, other.state);
    int seen[8] = {0};
    for (int i = 0; i < 1000; i++) {
        const int x = rc_random_in(&a, 3, 10);
        cr_assert(x >= 3 && x <= 10);
        seen[x - 3]++;
        const double y = rc_random_real(&a, -1, 2);
        cr_assert(y >= -1 && y < 2);
    }
    for (int i = 0; i < 8; i++) cr_assert_gt(seen[i], 60);
}

/* ------------------------------------------------------------------ schedules */

static rc_plan_case judge(const rs_schedule *schedule, bool first_phase_only, int count,
                          int *step) {
    OWN_ARENA arena = {0};
    rs_error error = {.text = ""};
    rs_schedule copy = *schedule;
    rc_plan_case one = {.n_ranks = schedule->n_ranks, .count = count};
    cr_assert_eq(rc_judge_plan(first_phase_only, &arena, &error, &copy, &one, step), RC_GOOD, "%s",
                 error.text);
    return one;
}

Test(grade, knows_the_least_bytes_and_steps) {
    int step;
    for (int n = 2; n <= 9; n++) {
        const rs_schedule ring = make_schedule("ring", RS_ORDER_NCCL, n, 100 * n + 1);
        rc_plan_case one = judge(&ring, false, 100 * n + 1, &step);
        cr_assert(one.sound && one.bytes <= 1 && one.bytes > 0.95 && one.steps == 1, "N=%d %g", n,
                  one.bytes);
        const rs_schedule naive = make_schedule("naive", RS_ORDER_SEED, n, 100 * n + 1);
        one = judge(&naive, false, 100 * n + 1, &step);
        cr_assert(one.sound && one.steps == 1 && (n == 2 || one.bytes > 1.3), "N=%d %g", n,
                  one.bytes);
    }
}

/* The first N - 1 steps of a ring, in any order, are a scatter-reduce; one step less is none. */
Test(grade, judges_a_first_phase_alone) {
    for (int n = 2; n <= 9; n++) {
        for (int order = 0; order < 2; order++) {
            int step = -2;
            rs_schedule ring = make_schedule("ring", (rs_order)order, n, 1000);
            ring.n_steps = n - 1;
            ring.n_transfers = n * (n - 1);
            ring.n_phases = 1;
            rc_plan_case one = judge(&ring, true, 1000, &step);
            cr_assert(one.sound && step == -1, "N=%d: %s", n, one.why);
            cr_assert_leq(one.bytes, 1);
            if (n == 2) continue;
            ring.n_steps = n - 2;
            ring.n_transfers = n * (n - 2);
            one = judge(&ring, true, 1000, &step);
            cr_assert_not(one.sound);
            cr_assert(strstr(one.why, "no GPU has chunk 0 complete") != NULL, "%s", one.why);
        }
    }
}

/* Straight to the owner, in a step for each distance: nothing is passed on, and nothing must be. */
Test(grade, blames_nobody_for_what_stays_behind_outside_of_a_ring) {
    OWN_ARENA arena = {0};
    rs_error error = {.text = ""};
    rs_transfer list[12];
    int64_t first[4];
    int64_t n = 0;
    rs_schedule s;
    for (int32_t step = 0; step < 3; step++) {
        first[step] = n;
        for (int32_t r = 0; r < 4; r++) {
            const int32_t to = (r + 1 + step) % 4;
            if (step == 2 && r == 1) continue; /* 1 does not send to 0 */
            list[n++] =
                (rs_transfer){.src = r, .dst = to, .chunk = to, .n_chunks = 1, .effect = RS_REDUCE};
        }
    }
    first[3] = n;
    cr_assert_eq(rs_schedule_from_list(4, 4, 3, first, list, &arena, &error, &s), RS_OK, "%s",
                 error.text);
    int step = -2;
    const rc_plan_case one = judge(&s, true, 1000, &step);
    cr_expect_not(one.sound);
    cr_expect(strstr(one.why, "after step 2 no GPU has chunk 0 complete") != NULL, "%s", one.why);
    cr_expect(strstr(one.why, "stays") == NULL, "%s", one.why);
}

/* ------------------------------------------------------------------ single functions */

static bool right(const char *function, const double in[], int n_in, const double out[],
                  int n_out) {
    char why[RC_WHY] = "";
    const int at = rc_find_value_check(function);
    cr_assert_geq(at, 0);
    rc_question question = {.n = n_in};
    memcpy(question.in, in, (size_t)n_in * sizeof in[0]);
    const bool good = rc_value_checks[at].judge(&question, out, n_out, why);
    cr_assert(good || why[0] != '\0');
    return good;
}
#define NUMBERS(...) (const double[]){__VA_ARGS__}, (int)(sizeof((const double[]){__VA_ARGS__}) / 8)

Test(grade, judges_single_numbers) {
    cr_assert(right("naive_seconds", NUMBERS(10, 1.2e9, 0, 1e9), NUMBERS(21.6)));
    cr_assert_not(right("naive_seconds", NUMBERS(10, 1.2e9, 0, 1e9), NUMBERS(10.8)));
    cr_assert(right("ring_seconds", NUMBERS(10, 1.2e9, 0, 1e9), NUMBERS(2.16)));
    cr_assert(right("busbw", NUMBERS(4, 100, 1), NUMBERS(150)));
    cr_assert(right("world_size", NUMBERS(2, 4, 2), NUMBERS(4)));
    cr_assert(right("first_gpu", NUMBERS(3, 4, 2), NUMBERS(2)));
    cr_assert(right("average", NUMBERS(2, 1, 4, 3, 0), NUMBERS(1)));
    cr_assert(right("average", NUMBERS(2, 1, 4, 1, 2), NUMBERS(3)));
    cr_assert_not(right("average", NUMBERS(2, 1, 4, 1, 2), NUMBERS(2.5)));
    cr_assert_not(right("algbw", NUMBERS(8, 2), NULL, 0));
    const double ops[] = {-8, 2, -3, -5};
    for (int op = 0; op < 4; op++) {
        cr_assert(right("reduce_values", NUMBERS(op, 2, -3, -5), NUMBERS(ops[op])));
        cr_assert_not(right("reduce_values", NUMBERS(op, 2, -3, -5), NUMBERS(0)));
    }
}

Test(grade, judges_flows_and_shards) {
    cr_assert(right("flow_ends", NUMBERS(2, 50, 100, 2), NUMBERS(50, 75)));
    cr_assert_not(right("flow_ends", NUMBERS(2, 50, 100, 2), NUMBERS(25, 50)));
    cr_assert_not(right("flow_ends", NUMBERS(2, 50, 100, 2), NUMBERS(50, 100)));
    cr_assert(right("flow_ends", NUMBERS(3, 30, 10, 30, 1), NUMBERS(70, 30, 70)));
    static const double kept[] = {16, 5.5, 3.75, 2};
    static const double sent[] = {1.75, 1.75, 1.75, 2.625};
    for (int stage = 0; stage < 4; stage++) {
        cr_assert(right("zero_kept", NUMBERS(stage, 8, 1e6), NUMBERS(kept[stage] * 1e6)));
        cr_assert_not(right("zero_kept", NUMBERS(stage, 8, 1e6), NUMBERS(1e6)));
        cr_assert(right("zero_sent", NUMBERS(stage, 8, 1e6), NUMBERS(sent[stage] * 1e6)));
        cr_assert_not(right("zero_sent", NUMBERS(stage, 8, 1e6), NUMBERS(2e6)));
    }
}

Test(grade, takes_any_fair_cut_of_an_array) {
    cr_assert(right("chunk_range", NUMBERS(7, 3), NUMBERS(0, 3, 3, 2, 5, 2)));
    cr_assert(right("chunk_range", NUMBERS(7, 3), NUMBERS(0, 2, 2, 2, 4, 3)));
    cr_assert_not(right("chunk_range", NUMBERS(7, 3), NUMBERS(0, 2, 2, 2, 4, 2)));
    cr_assert_not(right("chunk_range", NUMBERS(8, 3), NUMBERS(0, 2, 2, 2, 4, 4)));
    cr_assert_not(right("chunk_range", NUMBERS(7, 3), NUMBERS(0, 3, 2, 2, 5, 2)));
    cr_assert(right("chunk_range", NUMBERS(1, 3), NUMBERS(0, 0, 0, 1, 1, 0)));
    const double cut[] = {0, 3, 3, 2, 5, 2}; /* what stands behind the answer is none */
    for (int n = 0; n < 6; n++) cr_assert_not(right("chunk_range", NUMBERS(7, 3), cut, n), "%d", n);
}

Test(grade, judges_lists) {
    cr_assert(right("sampler_indices", NUMBERS(10, 4, 2), NUMBERS(3, 2, 6, 0)));
    cr_assert(right("sampler_indices", NUMBERS(10, 4, 3), NUMBERS(3, 3, 7, 1)));
    cr_assert_not(right("sampler_indices", NUMBERS(10, 4, 2), NUMBERS(2, 2, 6)));
    cr_assert(right("plan_calls", NUMBERS(3, 4, 6, 5), NUMBERS(6, 6, 6)));
    cr_assert_not(right("plan_calls", NUMBERS(3, 4, 6, 5), NUMBERS(7, 7, 7)));
    cr_assert_not(right("plan_calls", NUMBERS(3, 4, 6, 5), NUMBERS(9, 9, 8)));
    cr_assert_not(right("plan_calls", NUMBERS(3, 4, 6, 5), NUMBERS(5, 5, 5)));
    cr_assert_not(right("plan_calls", NUMBERS(3, 4, 6, 5), NUMBERS(4, 6, 5)));
    /* 0 -> 1 is slow: 0 2 1 goes round it; each GPU once */
    cr_assert(right("ring_order", NUMBERS(3, 0, 9, 1, 1, 0, 1, 1, 1, 0), NUMBERS(0, 2, 1)));
    cr_assert(right("ring_order", NUMBERS(3, 0, 9, 1, 1, 0, 1, 1, 1, 0), NUMBERS(2, 1, 0)));
    cr_assert_not(right("ring_order", NUMBERS(3, 0, 9, 1, 1, 0, 1, 1, 1, 0), NUMBERS(0, 1, 2)));
    cr_assert_not(right("ring_order", NUMBERS(3, 0, 9, 1, 1, 0, 1, 1, 1, 0), NUMBERS(0, 0, 2)));
    cr_assert_not(
        right("ring_order", NUMBERS(3, 0, 9, 1, 1, 0, 1, 1, 1, 0), NUMBERS(0, -1, 1e300)));
}

/* The demonstration of the last bits: 1e8, 1, -1e8, 1 in the seeds' order. */
Test(grade, adds_floats_in_the_rings_order) {
    const double sums[] = {1, 0, 1, 0};
    for (int chunk = 0; chunk < 4; chunk++) {
        cr_assert(right("ring_sum", NUMBERS(4, chunk, 1e8, 1, -1e8, 1), NUMBERS(sums[chunk])));
        cr_assert_not(right("ring_sum", NUMBERS(4, chunk, 1e8, 1, -1e8, 1), NUMBERS(2)));
    }
}

/* Questions fit, and no seed makes one that nobody can answer. */
Test(grade, asks_questions_that_fit) {
    for (int k = 0; rc_value_checks[k].function != NULL; k++) {
        rc_random random = {.state = (uint64_t)k};
        for (int i = 0; i < 2000; i++) {
            rc_question question = {.n = 0};
            rc_make_question(&rc_value_checks[k], &random,
                             i % rc_count_questions(&rc_value_checks[k]), &question);
            cr_assert(question.n > 0 && question.n < RC_MOST_NUMBERS, "%s",
                      rc_value_checks[k].function);
        }
    }
}

/* ------------------------------------------------------------------ names that change meanwhile */

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

/* A class is listed, and then something of a path becomes a link to what eve must not read: each part of
   it in turn. What the teacher named may be a link. */
Test(grade, no_part_of_a_path_below_the_class_may_become_a_link) {
    static char top[] = "/tmp/ringsim-class-XXXXXX";
    static const char *const parts[] = {"named", "class", "class/eve", "class/eve/a.c",
                                        "class/eve.c"};
    cr_assert_not_null(mkdtemp(top));
    cr_assert_eq(chdir(top), 0);
    for (int i = 0; i < 5; i++) {
        char *paths[] = {(char[]){"named"}}, *data = NULL, kept[64];
        OWN_ARENA arena = {0};
        rs_error error = {.text = ""};
        rc_entry *entries;
        rc_left_out left_out;
        int n;
        bool is_class;
        size_t n_bytes = 0;
        mkdir("class", 0700), mkdir("class/eve", 0700), mkdir("other", 0700);
        write_text(i == 4 ? "class/eve.c" : "class/eve/a.c", "hers");
        write_text("other/a.c", "not hers"), write_text("a.c", "not hers");
        mkdir("other/eve", 0700), write_text("other/eve/a.c", "hers");
        cr_assert_eq(symlink("class", "named"), 0);
        const rc_lab lab = {.id = "05"};
        cr_assert_eq(rc_collect(&lab, paths, 1, &arena, &error, &entries, &n, &is_class, &left_out),
                     0);
        cr_assert_eq(n, 1);
        snprintf(kept, sizeof kept, "%s.kept", parts[i]);
        cr_assert_eq(rename(parts[i], kept), 0);
        const char *to = i < 2 ? "other" : i == 2 ? "../other" : i == 3 ? "../../a.c" : "../a.c";
        cr_assert_eq(symlink(to, parts[i]), 0);
        const rc_exit status = rc_read_submission(entries[0].path, entries[0].n_root, 1000, &arena,
                                                  &error, &data, &n_bytes);
        if (i < 2) cr_expect(status == RC_GOOD && strcmp(data, "hers") == 0, "%s", error.text);
        if (i >= 2) cr_expect(status == RC_USAGE && strstr(error.text, "no regular file") != NULL);
        cr_assert_eq(system("rm -rf class* named* other a.c"), 0);
    }
    cr_assert_eq(rmdir(top), 0);
}

/* ------------------------------------------------------------------ reports */

/* What a reader of XML makes of text up to its end or to '<', '"': its signs back; NULL: it is no XML. */
static const char *read_xml(const char *at, char *out) {
    static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
    while (*at != '\0' && *at != '<' && *at != '"') {
        if (strncmp(at, "]]>", 3) == 0) return NULL;
        if (*at != '&') {
            if ((unsigned char)*at < 32 && *at != '\n' && *at != '\t') return NULL;
            *out++ = *at++;
            continue;
        }
        int i = 0;
        while (i < 4 && strncmp(at, names[i], strlen(names[i])) != 0) i++;
        if (i == 4) return NULL;
        *out++ = "<>&\""[i];
        at += strlen(names[i]);
    }
    *out = '\0';
    return at;
}

static void expect_read(const char *page, const char *before, const char *text) {
    char read[RC_MESSAGES];
    const char *at = strstr(page, before);
    cr_assert_not_null(at, "%s in %s", before, page);
    cr_assert_not_null(read_xml(at + strlen(before), read), "%s in %s", before, page);
    cr_expect_str_eq(read, text);
}

static void draw_text(rc_random *random, char *out, int n) {
    static const char signs[] = "<>&\"']];= ab-!/#";
    for (int i = 0; i < n; i++) out[i] = signs[rc_random_in(random, 0, (int)sizeof signs - 2)];
    out[n] = '\0';
}

Test(grade, whatever_a_result_says_is_read_back_from_junits_xml) {
    static rc_grade grade;
    rc_random random = rc_random_of("s", 1, "ann", "05", "xml", 3);
    for (int turn = 0; turn < 300; turn++) {
        char *page;
        size_t n_page;
        memset(&grade, 0, sizeof grade);
        snprintf(grade.lab, sizeof grade.lab, "05");
        draw_text(&random, grade.student, 1 + turn % 60);
        draw_text(&random, grade.sandbox, 1 + turn % 50);
        draw_text(&random, grade.messages, turn % 90);
        grade.n_parts = 1;
        grade.parts[0].most = 2;
        draw_text(&random, grade.parts[0].title, 1 + turn % 20);
        draw_text(&random, grade.parts[0].why, 1 + turn % 70);
        FILE *out = open_memstream(&page, &n_page);
        rc_report_junit(&grade, 1, out);
        fclose(out);
        expect_read(page, "<testsuite name=\"", grade.student);
        expect_read(page, "name=\"sandbox\" value=\"", grade.sandbox);
        expect_read(page, "classname=\"lab05\" name=\"", grade.parts[0].title);
        expect_read(page, "message=\"0/2\">", grade.parts[0].why);
        char *end = strstr(page, "Score: ");
        cr_assert_not_null(end);
        *end = '\0';
        expect_read(page, "<system-out>", grade.messages);
        free(page);
    }
}

/* ------------------------------------------------------------------ what is right is taken */

/* A judge that says what is right takes that very number, zero too. */
Test(grade, the_right_number_that_a_judge_names_is_right) {
    static const char named[] = "right is ";
    static rc_question question;
    char why[RC_WHY], again[RC_WHY];
    int n_zero = 0, n_named = 0;
    for (int c = 0; rc_value_checks[c].function != NULL; c++) {
        for (uint64_t seed = 0; seed < 300; seed++) {
            char work[64];
            const int n =
                snprintf(work, sizeof work, "%s %d", rc_value_checks[c].function, (int)seed);
            rc_random random = rc_random_of("s", 1, "ann", "05", work, (size_t)n);
            for (int i = 0; i < rc_count_questions(&rc_value_checks[c]); i++) {
                const double wrong = 123456789.125;
                question.n = 0;
                rc_make_question(&rc_value_checks[c], &random, i, &question);
                if (rc_value_checks[c].judge(&question, &wrong, 1, why)) continue;
                const char *at = strstr(why, named);
                if (at == NULL) continue;
                const double right = strtod(at + strlen(named), NULL);
                n_named++, n_zero += right == 0;
                cr_expect(rc_value_checks[c].judge(&question, &right, 1, again), "%s: %s",
                          rc_value_checks[c].function, again);
            }
        }
    }
    cr_expect(n_named > 100 && n_zero > 100);
}

/* One GPU has nothing to send: no plan of it is dear, whatever is asked for. */
Test(grade, a_plan_for_one_gpu_costs_the_least) {
    for (int turn = 0; turn < 4; turn++) {
        int step = -2;
        const rs_schedule ring = make_schedule("ring", (rs_order)(turn / 2), 1, 7);
        const rc_plan_case one = judge(&ring, turn % 2 == 1, 7, &step);
        cr_expect(one.sound && one.why[0] == '\0' && step == -1);
        cr_expect(one.bytes == 1 && one.steps == 1, "%g, %g", one.bytes, one.steps);
    }
}
