/* test_nonsense.c: of each kind of nonsense that a function answers the sentence says which call it was and what it
 * returned; text that only looks alike says nothing; a short place takes what fits.
 */
#include "sandbox/answers.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { KINDS = 7, SENTENCE = 400 };
static const char *const words[KINDS] = {"send_chunk", "send_to", "sends", "to",
                                         "chunk",      "steps",   "chunks"};

/* What is to be said of an answer: our own account, kind by kind. */
static void say(int kind, int step, int rank, int value, int more, int n, char out[SENTENCE]) {
    const char *wraps = "", *negative = "; in C the remainder of a negative number is negative";
    char late[200];
    snprintf(late, sizeof late,
             "; steps from %d on are the all-gather, lesson 6: ((x %% n) + n) %% n wraps round in "
             "all of them",
             n - 1);
    if (value < 0 && (kind == 0 || kind == 1)) wraps = negative;
    if (kind == 0 && step > n - 2) wraps = late;
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

static bool told(const char *text, int n, char out[SENTENCE]) {
    return rc_nonsense(text, strlen(text), n, out, SENTENCE);
}

/* Whatever came before; the fourth number may be missing where it means nothing. */
Test(nonsense, each_kind_names_the_call_and_what_it_returned) {
    static const char *const before[] = {"", "\n", "ranks 5\nstep\n",
                                         "nonsens\n nonsense to 1 1 1\n"};
    static const int values[] = {-2147483647, -10, -1, 0, 1, 9, 70, 100001, 2147483647};
    char text[200], want[SENTENCE], out[SENTENCE];
    for (int n = 1; n <= 6; n++) {
        for (int i = 0; i < KINDS * 9 * 8; i++) {
            const int kind = i % KINDS, value = values[i / KINDS % 9], step = i / KINDS / 9;
            const int rank = (step + 3) % n, more = value / 2 + 3;
            int at = snprintf(text, sizeof text, "%snonsense %s %d %d %d", before[i % 4],
                              words[kind], step, rank, value);
            if (kind == 4) at += snprintf(text + at, sizeof text - (size_t)at, " %d", more);
            if (i % 3 > 0) snprintf(text + at, sizeof text - (size_t)at, "\nsend 1 2\n");
            say(kind, step, rank, value, more, n, want);
            cr_assert(told(text, n, out), "%s", text);
            cr_assert_str_eq(out, want);
        }
    }
}

/* In the middle of a line, with another word, with too few numbers, behind the text's end. */
Test(nonsense, what_only_looks_alike_is_none) {
    static const char *const looks[][2] = {
        {"# nonsense ", " 3 2 9\n"}, {" nonsense ", " 3 2 9\n"},    {"nonsense ", "x 3 2 9\n"},
        {"nonsense x", " 3 2 9\n"},  {"nonsense ", "\n"},           {"nonsense ", " \n"},
        {"nonsense ", " 3\n"},       {"nonsense ", " 3 2\nstep\n"}, {"nonsense ", " 3 2 many\n"},
        {"nonsense  ", " 3 2 9\n"},  {"Nonsense ", " 3 2 9\n"},     {"nonsense_", " 3 2 9\n"}};
    char text[100], out[SENTENCE];
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        for (int kind = 0; kind < KINDS; kind++) {
            snprintf(text, sizeof text, "%s%s%s", looks[i][0], words[kind], looks[i][1]);
            cr_expect_not(told(text, 5, out), "%s: %s", text, out);
        }
    }
    for (int kind = 0; kind < KINDS; kind++) {
        const int n = snprintf(text, sizeof text, "nonsense %s", words[kind]);
        snprintf(text + n, sizeof text - (size_t)n, " 3 2 9");
        for (int end = 0; end <= n; end++)
            cr_expect_not(rc_nonsense(text, (size_t)end, 5, out, sizeof out), "%.*s", end, text);
        cr_expect(rc_nonsense(text, (size_t)n + 1, 5, out, sizeof out));
    }
}

/* The driver says so in the first line, and in no other. */
Test(nonsense, a_file_with_no_function_is_told_so) {
    static const char said[] = "the file defines neither send_chunk() nor sends(); see ring.h";
    static const char text[] = "missing\nmissing\n";
    char out[SENTENCE];
    for (size_t n = 0; n < sizeof text; n++) {
        strcpy(out, "");
        cr_expect_eq(rc_nonsense(text, n, 5, out, sizeof out), n >= 8, "%d", (int)n);
        cr_expect_str_eq(out, n >= 8 ? said : "");
    }
    cr_expect_not(told("missed\n\n", 5, out));
    cr_expect_not(told("missing \n", 5, out));
    cr_expect_not(told("ranks 5\nmissing\n", 5, out));
}

/* Never a byte more than there is room for; of the sentence its beginning. */
Test(nonsense, a_short_place_takes_what_fits) {
    char text[100], whole[SENTENCE], out[SENTENCE];
    for (int kind = 0; kind < KINDS; kind++) {
        for (int step = 0; step < 6; step++) {
            snprintf(text, sizeof text, "nonsense %s %d 2 -9 7\n", words[kind], step);
            cr_assert(told(text, 5, whole));
            for (size_t room = 20; room <= strlen(whole) + 20; room++) {
                memset(out, '#', sizeof out);
                cr_assert(rc_nonsense(text, strlen(text), 5, out, room));
                const size_t n = strlen(out);
                cr_assert(n < room && out[room] == '#', "%d of %d", (int)n, (int)room);
                const size_t sure = room - 16 < strlen(whole) ? room - 16 : strlen(whole);
                cr_assert(n >= sure && memcmp(out, whole, sure) == 0, "%s, not %s", out, whole);
                if (sure == strlen(whole)) cr_assert_eq(n, sure, "%s", out);
            }
        }
    }
}
