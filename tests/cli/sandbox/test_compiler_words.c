/* test_compiler_words.c: what the compiler said of a file in one line: its first error as it stands, or in our words
 * whose name is missing, taken or main; of a file that it takes, how many warnings.
 */
#ifdef __linux__
#include "sandbox/build.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static rs_arena arena;
static rs_error error;
static rc_driver driver;
static rc_build build;
static bool opened;

static void start(void) {
    const rc_site site = {
        .lessons = "lessons", .sandbox = RC_SANDBOX_FILTER, .asks = RC_ASK_SCHEDULE};
    rs_arena_init(&arena, NULL);
    opened = rc_driver_make(&site, &arena, &error, &driver) == RC_GOOD;
}
static void stop(void) {
    rs_arena_free(&arena);
}
TestSuite(compiler_words, .init = start, .fini = stop);

/* Compiles it; what is defined beside makes the program whole. */
static void compile(const char *text) {
    static const char whole[] = "#include \"ring.h\"\n";
    const rc_site site = {.lessons = "lessons",
                          .sandbox = RC_SANDBOX_FILTER,
                          .asks = RC_ASK_SCHEDULE,
                          .driver = &driver};
    char all[2000];
    if (!opened) cr_skip("no sandbox with a compiler here: %s", error.text);
    const int n = snprintf(all, sizeof all, "%s%s", whole, text);
    cr_assert_eq(rc_build_text(&site, "it.c", all, (size_t)n, &arena, &error, &build), RC_GOOD,
                 "%s", error.text);
}

/* The first line of what the compiler said that contains the word. */
static const char *line_with(const char *word) {
    static char line[240];
    const char *at = build.said.data;
    while (at != NULL && *at != '\0') {
        const size_t n = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)n, at);
        if (strstr(line, word) != NULL) return line;
        at += n + (at[n] == '\n');
    }
    return "no such line";
}

Test(compiler_words, a_file_that_is_taken_has_its_warnings_counted) {
    for (int n = 0; n < 4; n++) {
        char text[400] = "int one(int n) {\n";
        for (int i = 0; i < n; i++)
            snprintf(text + strlen(text), 100, "    int unused_%d = n;\n", i);
        strcat(text, "    return n;\n}\n");
        compile(text);
        cr_expect(build.built, "%s", build.error);
        cr_expect_eq(build.n_warnings, n);
        cr_expect_str_eq(build.error, "");
        rc_build_free(&build);
    }
}

Test(compiler_words, a_name_that_is_missing_or_taken_is_told_in_our_words) {
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"int nowhere(int n);\nint one(int n) { return nowhere(n); }\n",
         "it.c: nobody defines nowhere()"},
        {"int a(int n);\nint one(int n) { return a(n); }\n", "it.c: nobody defines a()"},
        {"void ringsim_ask_schedule(void);\nvoid ringsim_ask_schedule(void) { }\n",
         "it.c defines ringsim_ask_schedule, which is a name of ringsim's own; choose another"},
        {"int main(void) { return 0; }\n",
         "it.c has a main(); leave it out, ringsim asks the functions itself"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        compile(cases[i].text);
        cr_expect_not(build.built);
        cr_expect_str_eq(build.error, cases[i].says);
        rc_build_free(&build);
    }
}

/* Warnings and notes before it are not it, nor are later ones; the assembler's is written large. */
Test(compiler_words, the_first_error_is_told_as_the_compiler_writes_it) {
    static const char *const texts[] = {
        "int one(int n) { return m; }\nint two(int n) { return k; }\n",
        "int one(int n) { int unused = 1; return 2; }\nint two(int n) { return k; }\n",
        "#error it does not want to\nint x = y;\n",
        "int one(int n) { return n }\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        compile(texts[i]);
        cr_expect_not(build.built);
        cr_expect_str_eq(build.error, line_with("error: "));
        cr_expect_eq(strncmp(build.error, "it.c:", 5), 0, "%s", build.error);
        rc_build_free(&build);
    }
    compile("int one(int n) { return n; }\n__asm__(\"nonsense %rax\");\n");
    cr_expect_not(build.built);
    cr_expect_str_eq(build.error, line_with("Error: "));
    cr_expect_not_null(strstr(build.error, "nonsense"), "%s", build.error);
    rc_build_free(&build);
}
#endif
