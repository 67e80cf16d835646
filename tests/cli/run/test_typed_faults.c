/* test_typed_faults.c: faults from the command line: each is what its words say, up to the longest; what is no rank or step of the
   schedule, or hits nothing, is refused with its option and its words. */
#include "run/request.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "support/session.h"

enum { MOST_WORDS = 16, LINE = 700 };

typedef struct typed {
    char text[LINE];
    char *words[MOST_WORDS + 1];
    rs_arena arena;
    rs_error error;
    rc_session session;
    rc_asked asked;
    rc_exit status;
} typed;

static void type(typed *t, const char *line) {
    memset(t, 0, sizeof *t);
    snprintf(t->text, sizeof t->text, "run %s", line);
    int n = 0;
    for (char *at = strtok(t->text, " "); at != NULL && n < MOST_WORDS; at = strtok(NULL, " ")) {
        t->words[n++] = at;
    }
    rs_arena_init(&t->arena, NULL);
    t->session = (rc_session){.program = "ringsim", .arena = &t->arena, .error = &t->error};
    t->status =
        rc_options_parse(n, t->words, &rc_command_run, &t->arena, &t->error, &t->session.options);
    if (t->status == RC_GOOD) t->status = rc_make_request(&t->session, &t->asked);
}
static void forget(typed *t) {
    rs_arena_free(&t->arena);
}

/* The option, and what follows the rank. */
static const struct {
    const char *option;
    rs_fault_kind kind;
    bool step, time, factor;
    const char *form;
} faults[] = {
    {"slow-link", RS_SLOW_LINK, false, false, true, "SRC:FACTOR"},
    {"slow-reduce", RS_SLOW_REDUCE, false, false, true, "RANK:FACTOR"},
    {"late", RS_LATE, false, true, false, "RANK:TIME"},
    {"straggler", RS_STRAGGLER, false, true, false, "RANK:TIME"},
    {"kill", RS_KILL, true, false, false, "RANK@STEP"},
    {"flip", RS_FLIP, true, false, false, "RANK@STEP"},
    {"down", RS_DOWN, true, true, false, "SRC@STEP:TIME"},
};
enum { N_FAULTS = 7 };

/* A whole number with zeros before it, so many digits in all. */
static const char *number(int value, int digits, char out[200]) {
    snprintf(out, 200, "%0*d", digits, value);
    return out;
}

static void write_fault(int f, const char *rank, const char *step, const char *amount,
                        char out[LINE]) {
    snprintf(out, LINE, "%s%s%s%s%s", rank, faults[f].step ? "@" : "", faults[f].step ? step : "",
             faults[f].time || faults[f].factor ? ":" : "",
             faults[f].time || faults[f].factor ? amount : "");
}

Test(typed_faults, each_is_what_its_words_say) {
    session_begin(1);
    for (int k = 0; k < 500; k++) {
        const int f = session_below(N_FAULTS), n = 2 + session_below(7);
        const int rank = session_below(n), step = session_below(2 * n - 2);
        const int amount = 1 + session_below(50);
        char ranks[200], steps[200], amounts[200], words[LINE], line[2 * LINE];
        const int digits = session_below(3) == 0 ? 1 + session_below(79) : 1;
        number(rank, digits, ranks);
        number(step, session_below(3) == 0 ? 1 + session_below(79) : 1, steps);
        snprintf(amounts, sizeof amounts, faults[f].time ? "%dus" : "%d", amount);
        write_fault(f, ranks, steps, amounts, words);
        snprintf(line, sizeof line, "--gpus %d --count %d --reduce-rate 1GB/s --%s %s", n, 2 * n,
                 faults[f].option, words);
        typed t;
        type(&t, line);
        cr_assert_eq(t.status, RC_GOOD, "%s: %s", line, t.error.text);
        const rs_job *job = &t.asked.request.job;
        cr_assert_eq(job->n_faults, 1);
        const rs_fault *fault = &job->faults[0];
        cr_expect(fault->kind == faults[f].kind && fault->rank == rank, "%s", line);
        cr_expect(!faults[f].step || fault->step == step, "%s", line);
        cr_expect(!faults[f].time || fault->time_ps == amount * 1000000LL, "%s", line);
        cr_expect(!faults[f].factor || fault->factor_num == fault->factor_den * (uint64_t)amount,
                  "%s", line);
        forget(&t);
    }
}

static void expect_refused(int f, const char *words, const char *says) {
    char line[2 * LINE], want[LINE];
    typed t;
    snprintf(line, sizeof line, "--gpus 4 --count 8 --reduce-rate 1GB/s --%s %s", faults[f].option,
             words);
    snprintf(want, sizeof want, "--%s %.60s: %s", faults[f].option, words, says);
    type(&t, line);
    cr_expect_eq(t.status, RC_USAGE, "%s: %d", line, (int)t.status);
    cr_expect(strncmp(t.error.text, want, strlen(want)) == 0, "%s: %s, not %s", line, t.error.text,
              want);
    forget(&t);
}

/* 79 bytes a part, not 80; each mark in its place. */
Test(typed_faults, what_is_not_of_the_form_is_told_the_form) {
    char part[200], words[LINE], says[80];
    for (int f = 0; f < N_FAULTS; f++) {
        const char *amount = faults[f].time ? "1us" : "2";
        snprintf(says, sizeof says, "write it %s", faults[f].form);
        write_fault(f, number(1, 80, part), "1", amount, words);
        expect_refused(f, words, says);
        expect_refused(f, "1", says);
        expect_refused(f, "nothing", says);
        if (faults[f].step) {
            write_fault(f, "1", number(1, 80, part), amount, words);
            expect_refused(f, words, says);
            expect_refused(f, "1:2", says);
        } else {
            expect_refused(f, "1@2", says);
        }
        if (faults[f].time || faults[f].factor) {
            write_fault(f, "1", "1", number(2, 80, part), words);
            expect_refused(f, words, says);
        }
        write_fault(f, "x", "1", amount, words);
        expect_refused(f, words, "rank 'x'");
        write_fault(f, "-1", "1", amount, words);
        expect_refused(f, words, "rank '-1'");
        write_fault(f, "", "1", amount, words);
        expect_refused(f, words, "rank ''");
        write_fault(f, "1", "y", amount, words);
        if (faults[f].step) expect_refused(f, words, "step 'y'");
    }
}

/* The last rank and step are there, the next are not, however large the number. */
Test(typed_faults, of_a_rank_or_step_that_is_not_there_is_refused) {
    static const char *const beyond[] = {"4", "5", "2147483647", "2147483648",
                                         "9223372036854775807"};
    for (int f = 0; f < N_FAULTS; f++) {
        const char *amount = faults[f].time ? "1us" : "2";
        char words[LINE], says[80];
        for (int i = 0; i < 5; i++) {
            write_fault(f, beyond[i], "1", amount, words);
            snprintf(says, sizeof says, "rank '%s' lies outside 0..3", beyond[i]);
            expect_refused(f, words, says);
            if (!faults[f].step || i == 0 || i == 1) continue;
            write_fault(f, "1", beyond[i], amount, words);
            snprintf(says, sizeof says, "step '%s' lies outside 0..5", beyond[i]);
            expect_refused(f, words, says);
        }
        if (!faults[f].step) continue;
        write_fault(f, "3", "6", amount, words);
        expect_refused(f, words, "step '6' lies outside 0..5");
    }
}

/* A flip needs a bit, a link that goes down a message; of one GPU there is none. */
Test(typed_faults, that_hit_nothing_are_refused) {
    session_begin(2);
    for (int k = 0; k < 400; k++) {
        static const char *const algorithms[] = {"ring", "naive", "tree"};
        const int n = 2 + session_below(6), algorithm = session_below(3);
        const int count = session_below(2 * n), rank = session_below(n);
        const bool flips = session_below(2) == 0;
        rs_schedule schedule;
        rs_error error;
        cr_assert_eq(rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, algorithms[algorithm]),
                                      RS_ORDER_SEED, n, count, &error, &schedule),
                     RS_OK);
        if (schedule.n_steps == 0) continue;
        const int step = session_below(schedule.n_steps);
        int64_t most = -1;
        rs_cursor cursor = {0};
        for (rs_transfer t; rs_next_transfer(&schedule, step, &cursor, &t);) {
            const int64_t elements = rs_transfer_count(&schedule, count, &t);
            if (t.src == rank && elements > most) most = elements;
        }
        char line[LINE];
        snprintf(line, sizeof line, "--gpus %d --algo %s --count %d --%s %d@%d%s", n,
                 algorithms[algorithm], count, flips ? "flip" : "down", rank, step,
                 flips ? "" : ":1us");
        typed t;
        type(&t, line);
        const char *says = most < 0 ? "sends nothing in step" : "is empty, there is no bit to flip";
        if (most > 0 || (most == 0 && !flips)) {
            cr_expect_eq(t.status, RC_GOOD, "%s: %s", line, t.error.text);
        } else {
            cr_expect(t.status == RC_USAGE && strstr(t.error.text, says) != NULL, "%s: %s", line,
                      t.error.text);
        }
        forget(&t);
    }
    typed t;
    type(&t, "--gpus 1 --count 8 --kill 0@0");
    cr_expect(t.status == RC_USAGE && strstr(t.error.text, "this run has no steps") != NULL, "%s",
              t.error.text);
    forget(&t);
}
