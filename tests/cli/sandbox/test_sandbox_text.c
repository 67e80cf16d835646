/* test_sandbox_text.c: how a program ended is told for each end, each signal and each status, in words of its own. */
#include "sandbox/sandbox.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const rc_exec exec = {.cpu_seconds = 7, .wall_ms = 2500, .memory_bytes = 1 << 20};

static const char *told(rc_end end, int code, int64_t memory_bytes) {
    static char texts[40][300];
    static int next;
    const rc_exec_result result = {.end = end, .code = code, .most_memory_bytes = memory_bytes};
    char *out = texts[next++ % 40];
    return rc_exec_result_text(&result, &exec, out, sizeof texts[0]);
}

static void expect_part(const char *text, const char *part) {
    cr_expect(strstr(text, part) != NULL, "'%s' does not say '%s'", text, part);
}

Test(sandbox_text, no_two_ends_are_told_alike) {
    const char *texts[RC_END_FILE + 1];
    for (int end = 0; end <= RC_END_FILE; end++) {
        texts[end] = told((rc_end)end, 2, 0);
        for (int other = 0; other < end; other++) cr_expect_str_neq(texts[end], texts[other]);
    }
    expect_part(texts[RC_END_CPU], " 7 s");
    expect_part(texts[RC_END_WALL], " 2.5 s");
    expect_part(texts[RC_END_NOT_STARTED], strerror(2));
    for (int code = 0; code < 256; code++) {
        char status[24];
        snprintf(status, sizeof status, "exit status %d", code);
        expect_part(told(RC_END_EXIT, code, 0), status);
    }
}

/* By its number, and by what it means: ours for those that learners meet, else the system's word. */
Test(sandbox_text, each_signal_has_its_number_and_its_meaning) {
    static const int ours[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGKILL};
    for (int number = 1; number < 32; number++) {
        char begin[32];
        const char *text = told(RC_END_SIGNAL, number, 0);
        bool own = false;
        snprintf(begin, sizeof begin, "signal %d: ", number);
        expect_part(text, begin);
        for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) own = own || ours[i] == number;
        const char *meaning = strstr(text, begin) + strlen(begin);
        cr_expect_geq(strlen(meaning), 4, "%s", text);
        if (!own) cr_expect_str_eq(meaning, strsignal(number));
        for (int other = 1; other < number; other++) {
            snprintf(begin, sizeof begin, "signal %d: ", other);
            const char *before = strstr(told(RC_END_SIGNAL, other, 0), begin) + strlen(begin);
            cr_expect_str_neq(meaning, before);
        }
    }
}

/* Who used all memory is told so, whatever it died of; from seven eighths of it on. */
Test(sandbox_text, a_crash_with_full_memory_is_told_as_that) {
    const int64_t limit = exec.memory_bytes / 8 * 7;
    for (int number = 1; number < 32; number++) {
        const char *full = told(RC_END_SIGNAL, number, limit + 1);
        expect_part(full, "memory was used up");
        cr_expect(strstr(told(RC_END_SIGNAL, number, limit), "used up") == NULL);
    }
}

/* Each wall that is there is named, and none that is not. */
Test(sandbox_text, a_sandbox_says_what_it_holds) {
    for (int walls = 0; walls < 16; walls++) {
        const rc_sandbox sandbox = {.kind = (walls & 1) ? RC_SANDBOX_FILTER : RC_SANDBOX_BUBBLEWRAP,
                                    .other_user = walls & 2,
                                    .own_files = walls & 4,
                                    .own_processes = walls & 8};
        char text[200];
        cr_expect_eq(rc_sandbox_text(&sandbox, text, sizeof text), text);
        cr_expect_eq(strncmp(text, (walls & 1) ? "filter: " : "bubblewrap: ", 8), 0, "%s", text);
        cr_expect_eq(strstr(text, "another user") != NULL, (walls & 2) != 0, "%s", text);
        cr_expect_eq(strstr(text, "own files") != NULL, (walls & 4) != 0, "%s", text);
        cr_expect_eq(strstr(text, "it can read files") != NULL, (walls & 4) == 0, "%s", text);
        cr_expect_eq(strstr(text, "own processes") != NULL, (walls & 8) != 0, "%s", text);
        expect_part(text, "no network");
    }
}
