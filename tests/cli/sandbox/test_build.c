/* test_build.c: where the lessons are found; what a file is named in the sandbox; a
 * program that was built answers, with a driver compiled before or beside it, and has as much longer as others share
 * its core.
 */
#ifdef __linux__
#include "base/files.h"
#include "sandbox/answers.h"
#include "sandbox/build.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static rs_arena arena;
static rs_error error;
static void start(void) {
    rs_arena_init(&arena, NULL);
}
static void stop(void) {
    rs_arena_free(&arena);
}
TestSuite(build, .init = start, .fini = stop);

static rc_site usual(void) {
    return (rc_site){.lessons = "lessons", .sandbox = RC_SANDBOX_FILTER, .asks = RC_ASK_SCHEDULE};
}

/* ------------------------------------------------------------------ names */

/* Our own account: of a path's last part plain letters stay; a name ends with .c, is no option and none of ours. */
static void expect_name(const char *path) {
    char want[RC_NAME_TEXT + 8];
    const char *last = path;
    rc_build made;
    for (const char *at = path; *at != '\0'; at++)
        if (*at == '/') last = at + 1;
    size_t n = strlen(last);
    if (n > 61) n = 61; /* room for .c and the end */
    for (size_t i = 0; i < n; i++) {
        const char c = last[i];
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '.' || c == '_' || (c == '-' && i > 0);
        want[i] = plain ? c : '_';
    }
    want[n] = '\0';
    if (n >= 8 && memcmp(want, "ringsim-", 8) == 0) want[0] = 'R';
    if (n < 3 || strcmp(want + n - 2, ".c") != 0) strcat(want, ".c");
    rc_site site = usual();
    site.sandbox = RC_INTERPRETED;
    cr_assert_eq(rc_build_text(&site, path, "int a;\n", 7, &arena, &error, &made), RC_GOOD, "%s",
                 error.text);
    cr_expect_str_eq(made.name, want, "%s is named %s, not %s", path, made.name, want);
    cr_expect_lt(strlen(made.name), RC_NAME_TEXT);
    rc_build_free(&made);
}

Test(build, a_file_has_a_plain_name_in_the_sandbox) {
    static const char *const bodies[] = {"my_ring", "x",        "-o",       "ringsim-driver",
                                         "ringsim", "RINGSIM-", "a b",      "\xc3\xa4",
                                         "c",       ".c",       "ringsim-", "a--b"};
    static const char *const folders[] = {"", "/", "/tmp/", "a/b c/-", "./", "x.c/"};
    char path[400];
    for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++) {
        for (size_t f = 0; f < sizeof folders / sizeof *folders; f++) {
            snprintf(path, sizeof path, "%s%s", folders[f], bodies[b]);
            expect_name(path);
            strcat(path, ".c");
            expect_name(path);
        }
    }
    for (int c = 1; c < 256; c++) { /* each byte, first and later */
        snprintf(path, sizeof path, "%cab%c.c", c, c);
        expect_name(path);
    }
    for (size_t n = 55; n < 70; n++) { /* as long as there is room */
        memset(path, 'n', n);
        strcpy(path + n, ".c");
        expect_name(path);
        strcpy(path + n, "");
        expect_name(path);
    }
}

/* ------------------------------------------------------------------ lessons */

Test(build, lessons_are_where_the_environment_says_or_beside_the_program) {
    static const char *const named[] = {NULL, "", "lessons", "tests", "nowhere", "lessons/driver"};
    char out[PATH_MAX];
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (named[i] != NULL) setenv("RINGSIM_LESSONS", named[i], 1);
        if (named[i] == NULL) unsetenv("RINGSIM_LESSONS");
        strcpy(out, "?");
        const rc_exit status = rc_lessons("ringsim", &error, out);
        if (i >= 2) {
            cr_expect_eq(status, i == 2 ? RC_GOOD : RC_USAGE, "%s", named[i]);
            cr_expect_str_eq(out, i == 2 ? "lessons" : "?");
            if (i > 2) cr_expect_not_null(strstr(error.text, named[i]), "%s", error.text);
            continue;
        }
        rc_folders folders;
        char ring[PATH_MAX + 64];
        const char *want = "?";
        rc_find_folders("ringsim", RC_LESSONS, &folders);
        for (int k = 0; folders.list[k] != NULL && want[0] == '?'; k++) {
            snprintf(ring, sizeof ring, "%s/ring.h", folders.list[k]);
            if (access(ring, R_OK) == 0) want = folders.list[k];
        }
        cr_expect_eq(status, want[0] == '?' ? RC_LACKS : RC_GOOD);
        cr_expect_str_eq(out, want);
    }
}

/* ------------------------------------------------------------------ what was built */

/* Builds it; skips the test where there is no sandbox with a compiler. */
static void make(const rc_site *site, const char *text, rc_build *made) {
    if (rc_build_text(site, "it.c", text, strlen(text), &arena, &error, made) != RC_GOOD)
        cr_skip("no sandbox with a compiler here: %s", error.text);
    cr_assert(made->built, "%s", made->error);
}

/* The driver is compiled beside it or before; the core is its own or shared; each kind of question has its part. */
Test(build, a_program_answers_and_has_longer_in_a_crowd) {
    static const char schedule[] =
        "#include \"ring.h\"\nint send_chunk(int step, int rank, int n) { return ((rank - step) % n "
        "+ n) % n; }\n";
    for (int how = 0; how < 6; how++) {
        rc_site site = usual();
        rc_driver driver;
        rc_build made;
        rc_exec_result result;
        rc_answer answer;
        if (how >= 3) site.asks = RC_ASK_SCHEDULE | RC_ASK_VALUES;
        if (how % 2 == 1) {
            if (rc_driver_make(&site, &arena, &error, &driver) != RC_GOOD)
                cr_skip("no sandbox with a compiler here: %s", error.text);
            site.driver = &driver;
        }
        site.crowd = how; /* 0 and 1 are the same: alone */
        make(&site, schedule, &made);
        rc_exec limits = rc_run_limits();
        const int64_t wall_ms = limits.wall_ms;
        cr_assert_eq(
            rc_ask(&made, 2, "schedule 3 0 0\nschedule 4 0 0\n", &limits, &arena, &error, &result),
            RC_GOOD, "%s", error.text);
        cr_expect_eq(limits.wall_ms, wall_ms * (how > 1 ? how : 1));
        for (int q = 0; q < 2; q++) {
            cr_assert(rc_find_answer(&result.answers, q, &answer), "%d: %s", how,
                      result.err.data != NULL ? result.err.data : "");
            cr_expect(answer.n == 1 + (q + 3) * 2 * (q + 2) && answer.rows[0][1] == q + 3 &&
                      answer.rows[0][2] == 2 * (q + 2));
        }
        rc_exec_result_free(&result);
        rc_build_free(&made);
    }
}
#endif
