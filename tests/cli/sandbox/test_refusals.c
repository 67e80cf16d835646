/* test_refusals.c: why there is no answer: what the sandbox refused, if it did and the program's last words are the
 * driver's; else how the program ended, whatever it said.
 */
#include "sandbox/answers.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char *const wants[] = {
    "start a process",
    "start a process or a thread",
    "open a file for writing",
    "remove a file",
    "reach the network",
    "send a signal to another process",
    "look into another process",
    "change limits of another process",
    "have signals sent to another process",
    "leave its session",
    "end with a status that stands for a signal, 129..159",
};
enum { N_WANTS = sizeof wants / sizeof *wants, ROOM = 300 };
static const char mark[] = "ringsim: the program wanted to ";
static const rc_exec limits = {.cpu_seconds = 7, .wall_ms = 2500, .memory_bytes = 1 << 20};

/* Says why, of a program that wrote this text to stderr. */
static const char *why(rc_end end, char *said) {
    static char out[ROOM];
    const rc_exec_result result = {
        .end = end, .code = 1, .err = {.data = said, .n_bytes = said != NULL ? strlen(said) : 0}};
    strcpy(out, "?");
    cr_assert_eq(rc_no_answer_text(&result, &limits, out, sizeof out), out);
    return out;
}

/* How it ended, for who asks only that. */
static const char *how(rc_end end, char *said) {
    static char out[ROOM];
    const rc_exec_result result = {
        .end = end, .code = 1, .err = {.data = said, .n_bytes = said != NULL ? strlen(said) : 0}};
    return rc_exec_result_text(&result, &limits, out, sizeof out);
}

Test(refusals, are_told_where_the_sandbox_refused_and_the_driver_says_what) {
    static const char *const before[] = {"", "hello\n", "ringsim: hello\nthe program wanted to\n"};
    static const char *const after[] = {"\n", "", "\nmore\n"};
    char said[ROOM], want[ROOM];
    for (int k = 0; k < N_WANTS * 9; k++) {
        snprintf(said, sizeof said, "%s%s%s%s", before[k / N_WANTS % 3], mark, wants[k % N_WANTS],
                 after[k / N_WANTS / 3]);
        snprintf(want, sizeof want, "the program wanted to %s", wants[k % N_WANTS]);
        cr_expect_str_eq(why(RC_END_REFUSED, said), want);
        for (rc_end end = RC_END_EXIT; end <= RC_END_FILE; end++) {
            if (end == RC_END_REFUSED) continue;
            cr_expect_str_eq(why(end, said), how(end, said), "%d: %s", (int)end, said);
        }
    }
}

/* A sentence that is not one of the driver's, by any byte, is the program's own. */
Test(refusals, of_another_sentence_only_the_end_is_told) {
    char said[ROOM];
    cr_expect_str_eq(why(RC_END_REFUSED, NULL), how(RC_END_REFUSED, NULL));
    for (int k = 0; k < N_WANTS; k++) {
        const int n = snprintf(said, sizeof said, "%s%s", mark, wants[k]);
        for (int i = 0; i < n; i++) {
            said[i] ^= 1;
            cr_expect_str_eq(why(RC_END_REFUSED, said), how(RC_END_REFUSED, said), "%s", said);
            said[i] ^= 1;
        }
        strcpy(said + n, "!");
        cr_expect_str_eq(why(RC_END_REFUSED, said), how(RC_END_REFUSED, said), "%s", said);
        said[n - 1] = '\0';
        cr_expect_str_eq(why(RC_END_REFUSED, said), how(RC_END_REFUSED, said), "%s", said);
    }
}
