/* test_nonsense.c: of each kind of nonsense that a function answers the sentence says which call it was and what it
 * returned; rows that only look alike say nothing; a short place takes what fits.
 */
#include "sandbox/answers.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { KINDS = 7, SENTENCE = 400 };

/* What is to be said of an answer: our own account, kind by kind. */
static void say(int kind, int step, int rank, int value, int more, int n, char out[SENTENCE]) {
    const char *negative =
        value < 0 && (kind == 0 || kind == 1)
            ? "; in C the remainder of a negative number is negative: make it positive first, in the last step, too"
            : "";
    char wraps[200];
    const int at = snprintf(wraps, sizeof wraps, "%s", negative);
    if (kind == 0 && n > 2 && step > n - 2)
        snprintf(wraps + at, sizeof wraps - (size_t)at,
                 "; steps %d..%d are the all-gather, lesson 6", n - 1, 2 * n - 3);
    switch (kind) {
    case 0:
        snprintf(out, SENTENCE, "send_chunk(%d, %d, %d) is %d; chunks are 0..%d%s", step, rank, n,
                 value, n - 1, wraps);
        break;
    case 1:
        snprintf(out, SENTENCE, "send_to(%d, %d) is %d; a GPU sends to another one of 0..%d%s",
                 rank, n, value, n - 1, wraps);
        break;
    case 2:
        snprintf(out, SENTENCE, "sends(%d, %d, %d, out) is %d; it returns how many messages, 0..64",
                 step, rank, n, value);
        break;
    case 3:
        snprintf(out, SENTENCE,
                 "sends(%d, %d, %d, out) sends to GPU %d; the others of 0..%d are meant", step,
                 rank, n, value, n - 1);
        break;
    case 4:
        snprintf(out, SENTENCE,
                 "sends(%d, %d, %d, out) sends %d chunks from chunk %d on; there are not so many",
                 step, rank, n, more, value);
        break;
    case 5: snprintf(out, SENTENCE, "steps(%d) is %d; 0..100000 are meant", n, value); break;
    default: snprintf(out, SENTENCE, "chunks(%d) is %d; 1..4096 are meant", n, value);
    }
}

/* Makes an answer with such a mistake behind a right message; returns how many rows. */
static int make(int kind, int step, int rank, int value, int more, int n, rs_answer_row rows[3]) {
    const bool ring = kind < 2;
    const rs_answer_row made[] = {
        {RS_ANSWER_SIZES, kind == 6 ? value : n, kind == 5 ? value : 2 * n, ring},
        {0, 0, 1, 0, 1, 0},
        {step, rank, kind == 1 || kind == 3 ? value : (rank + 1) % n,
         kind == 0 || kind == 4 ? value : 0, kind == 4 ? more : 1, 1}};
    memcpy(rows, made, sizeof made);
    if (kind == 2)
        memcpy(rows[2], (rs_answer_row){RS_ANSWER_COUNT, step, rank, value}, sizeof *rows);
    return kind > 4 ? 1 : 3;
}

static bool told(const rs_answer_row rows[], int n_rows, int n, char out[SENTENCE]) {
    return rc_nonsense(&(rc_answer){rows, n_rows}, n, out, SENTENCE);
}

Test(nonsense, each_kind_names_the_call_and_what_it_returned) {
    static const int values[] = {INT_MIN, -10, -1, 70, 100001, INT_MAX};
    rs_answer_row rows[3];
    char want[SENTENCE], out[SENTENCE];
    for (int n = 2; n <= 6; n++) {
        for (int i = 0; i < KINDS * 6 * 8; i++) {
            const int kind = i % KINDS, value = values[i / KINDS % 6], step = i / KINDS / 6;
            const int rank = (step + 3) % n, more = value / 2 + 3;
            if (value == 70 && kind > 4) continue; /* that is a size */
            const int n_rows = make(kind, step, rank, value, more, n, rows);
            say(kind, step, rank, value, more, n, want);
            cr_assert(told(rows, n_rows, n, out), "%d %d", kind, value);
            cr_assert_str_eq(out, want);
        }
    }
}

/* At their bounds numbers make sense, and one beyond none. */
Test(nonsense, begins_behind_the_bounds) {
    static const struct {
        int kind, value, more;
        bool is;
    } cases[] = {
        {0, 0, 0, false},      {0, 4, 0, false},     {0, 5, 0, true},       {1, 0, 0, false},
        {1, 4, 0, false},      {1, 5, 0, true},      {1, 2, 0, true},       {3, 0, 0, false},
        {3, 4, 0, false},      {3, 5, 0, true},      {3, 2, 0, true},       {4, 0, 5, false},
        {4, 4, 1, false},      {4, 4, 0, false},     {4, 0, 6, true},       {4, 4, 2, true},
        {4, 5, 0, true},       {4, 0, -1, true},     {4, 4, INT_MAX, true}, {5, 0, 0, false},
        {5, 100000, 0, false}, {5, 100001, 0, true}, {6, 1, 0, false},      {6, 4096, 0, false},
        {6, 0, 0, true},       {6, 4097, 0, true}};
    rs_answer_row rows[3];
    char out[SENTENCE];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int n = make(cases[i].kind, 3, 2, cases[i].value, cases[i].more, 5, rows);
        cr_expect_eq(told(rows, n, 5, out), cases[i].is, "%d: %d", (int)i, cases[i].value);
    }
}

/* Before the last row, without sizes, or with a first number that means something else. */
Test(nonsense, what_only_looks_alike_is_none) {
    rs_answer_row rows[4];
    char out[SENTENCE];
    for (int kind = 0; kind < 5; kind++) {
        make(kind, 3, 2, -9, 7, 5, rows);
        memcpy(rows[3], rows[1], sizeof rows[3]);
        cr_expect(told(rows, 3, 5, out));
        cr_expect_not(told(rows, 4, 5, out), "%d: %s", kind, out);
        cr_expect_not(told(rows + 1, 2, 5, out), "%d: %s", kind, out);
        cr_expect_not(told(rows, 2, 5, out), "%d: %s", kind, out);
        for (int first = -9; first < 0; first++) {
            rows[2][0] = first;
            cr_expect_eq(told(rows, 3, 5, out), first == RS_ANSWER_COUNT, "%d: %s", first, out);
        }
    }
    cr_expect_not(told(rows, 0, 5, out));
}

/* Names are read where functions are defined, and nowhere else. */
Test(nonsense, what_a_file_defines_is_named) {
    static const struct {
        const char *source, *said;
    } files[] = {
        {"int sendChunk(int step, int rank, int n) { return (rank - step) % n; }\n",
         "; it defines sendChunk()"},
        {"#include \"ring.h\"\nstatic int f(int a) { if (a) { return g(a); } return 0; }\n"
         "int send (int (*h)(void))\n{\n}\n",
         "; it defines f(), send()"},
        {"int f(int a);\n/* int g(int a) { } */ // int h() { }\n#define k(x) { x }\nchar c = '{';\n"
         "const char *t = \"\\\"f() { \";\nint m() { }\n",
         "; it defines m()"},
        {"int a[2] = {1, 2};\n", ""},
        {"int f(", ""},
        {"\"", ""},
        {"/*", ""},
        {"", ""},
    };
    char out[SENTENCE];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        cr_expect_str_eq(rc_defined_text(files[i].source, out, sizeof out), files[i].said);
    cr_expect_str_eq(rc_defined_text(NULL, out, sizeof out), "");
    cr_expect_str_eq(rc_missing_text(files[0].source, out, sizeof out),
                     "the file defines neither send_chunk() nor sends(); it defines sendChunk(); "
                     "see ring.h");
}

/* The first of a ring's chunks below 0 is told, and all are read as they were meant; of others none. */
Test(nonsense, a_remainder_below_0_is_told_and_read_mod_n) {
    rs_answer_row rows[] = {{RS_ANSWER_SIZES, 2, 2, 1},
                            {0, 0, 1, 0, 1, 0},
                            {0, 1, 0, 1, 1, 0},
                            {1, 0, 1, -1, 1, 1},
                            {1, 1, 0, 0, 1, 1}};
    char out[SENTENCE];
    rs_arena arena;
    rs_error error;
    rs_schedule read;
    rs_verdict verdict;
    rs_arena_init(&arena, NULL);
    cr_assert(told(rows, 5, 2, out));
    cr_expect_str_eq(
        out,
        "send_chunk(1, 0, 2) is -1; chunks are 0..1; in C the remainder of a negative number is "
        "negative: make it positive first, in the last step, too");
    cr_assert_eq(rc_read_plan(&(rc_answer){rows, 5}, 2, &arena, &error, &read), RC_GOOD);
    cr_assert_eq(rs_check(&read, NULL, &error, &verdict), RS_OK);
    cr_expect(verdict.sound);
    rows[3][3] = -2;
    cr_expect_not(told(rows, 5, 2, out));
    cr_expect_neq(rc_read_plan(&(rc_answer){rows, 5}, 2, &arena, &error, &read), RC_GOOD);
    rows[3][3] = -1, rows[0][3] = 0;
    cr_expect_not(told(rows, 5, 2, out));
    cr_expect_neq(rc_read_plan(&(rc_answer){rows, 5}, 2, &arena, &error, &read), RC_GOOD);
    rs_arena_free(&arena);
}

/* Never a byte more than there is room for; of the sentence its beginning. */
Test(nonsense, a_short_place_takes_what_fits) {
    rs_answer_row rows[3];
    char whole[SENTENCE], out[SENTENCE];
    for (int kind = 0; kind < KINDS; kind++) {
        for (int step = 0; step < 6; step++) {
            const int n_rows = make(kind, step, 2, -9, 7, 5, rows);
            cr_assert(told(rows, n_rows, 5, whole));
            for (size_t room = 20; room <= strlen(whole) + 20; room++) {
                memset(out, '#', sizeof out);
                cr_assert(rc_nonsense(&(rc_answer){rows, n_rows}, 5, out, room));
                const size_t n = strlen(out);
                cr_assert(n < room && out[room] == '#', "%d of %d", (int)n, (int)room);
                const size_t sure = room - 16 < strlen(whole) ? room - 16 : strlen(whole);
                cr_assert(n >= sure && memcmp(out, whole, sure) == 0, "%s, not %s", out, whole);
                if (sure == strlen(whole)) cr_assert_eq(n, sure, "%s", out);
            }
        }
    }
}
