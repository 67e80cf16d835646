/* test_interpreted.c: a program that is interpreted answers each question between its marks, up to the limit; the first
 * that floods or goes wrong is the last that is asked.
 */
#include "sandbox/build.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "#include \"ring.h\"\n"
                             "#include <stdio.h>\n"
                             "int world_size(int nodes, int gpus, int per_process) {\n"
                             "    printf(\"%d\\n\", nodes);\n"
                             "    return nodes * gpus / per_process;\n"
                             "}\n";

static rs_arena arena;
static rs_error error;
static rc_build build;
static rc_exec_result result;

static void begin(void) {
    const rc_site site = {.lessons = "lessons", .sandbox = RC_INTERPRETED};
    rs_arena_init(&arena, NULL);
    build = (rc_build){.name = "world.c"};
    cr_assert_eq(rc_interpreted_build(&site, source, strlen(source), &arena, &error, &build),
                 RC_GOOD, "%s", error.text);
    cr_assert(build.built, "%s", build.error);
}
static void end(void) {
    rs_arena_free(&arena);
}
TestSuite(interpreted, .init = begin, .fini = end);

static void ask(int n, const char *questions, size_t most_text, size_t most_answers) {
    const rc_exec limits = {.most_text = most_text, .most_answers = most_answers};
    cr_assert_eq(rc_interpreted_ask(&build, n, questions, &limits, &arena, &error, &result),
                 RC_GOOD);
}
static void forget(void) {
    free(result.out.data);
    free(result.err.data);
    free(result.answers.data);
}
static const char *text_of(const rc_stream *stream) {
    return stream->data != NULL ? stream->data : "";
}

static const char questions[] = "world_size 2 4 1\nworld_size 3 4 2\nworld_size 5 4 2\n";
static const char *const answered[] = {"case 0\n", "8\n",      "end 0\n", "case 1\n", "6\n",
                                       "end 1\n",  "case 2\n", "10\n",    "end 2\n"};

/* Writes what comes of so many of the parts; returns its length. */
static size_t first_parts(int n, char out[200]) {
    out[0] = '\0';
    for (int i = 0; i < n; i++) strcat(out, answered[i]);
    return strlen(out);
}

Test(interpreted, answers_stand_between_their_marks_up_to_the_limit) {
    char all[200], upto[200];
    const size_t n_all = first_parts(9, all);
    for (size_t most = 0; most <= n_all + 1; most++) {
        ask(3, questions, 100, most);
        /* The question that floods is answered to its end; none comes behind it. */
        int n_asked = 1;
        while (n_asked < 3 && first_parts(3 * n_asked, upto) <= most) n_asked++;
        const size_t n = first_parts(3 * n_asked, upto);
        cr_expect_eq(result.end, n > most ? RC_END_FLOOD : RC_END_EXIT, "%zu", most);
        cr_expect_eq(result.answers.n_bytes, n < most ? n : most, "%zu", most);
        cr_expect_eq(result.answers.n_dropped, n > most ? n - most : 0, "%zu", most);
        cr_expect(strncmp(text_of(&result.answers), all, result.answers.n_bytes) == 0);
        cr_expect_eq(strlen(text_of(&result.answers)), result.answers.n_bytes);
        cr_expect_eq(result.out.n_bytes, 2 * (size_t)n_asked, "%zu", most);
        cr_expect(strncmp(text_of(&result.out), "2\n3\n5\n", result.out.n_bytes) == 0, "%zu", most);
        forget();
    }
}

/* What the program prints is cut, and ends nothing. */
Test(interpreted, what_is_printed_beyond_the_limit_is_dropped) {
    for (size_t most = 0; most <= 7; most++) {
        ask(3, questions, most, 1000);
        cr_expect_eq(result.end, RC_END_EXIT);
        cr_expect_eq(result.out.n_bytes, most < 6 ? most : 6);
        cr_expect_eq(result.out.n_dropped, most < 6 ? 6 - most : 0);
        cr_expect(strncmp(text_of(&result.out), "2\n3\n5\n", result.out.n_bytes) == 0);
        forget();
    }
}

/* Question `bad` of three divides by zero: also where there is no room for its mark, that is how it ends. */
Test(interpreted, the_first_that_goes_wrong_is_the_last) {
    char upto[200], asked[200];
    for (int bad = 0; bad < 3; bad++) {
        asked[0] = '\0';
        for (int i = 0; i < 3; i++)
            strcat(asked, i == bad ? "world_size 1 1 0\n" : "world_size 2 4 1\n");
        const size_t room = (size_t)bad * strlen("case 0\n8\nend 0\n");
        for (int roomy = 0; roomy < 2; roomy++) {
            ask(3, asked, 100, roomy != 0 ? 1000 : room + 3);
            cr_expect_eq(result.end, RC_END_TROUBLE, "%d", bad);
            cr_expect_str_eq(text_of(&result.err), "world.c:5: a division by zero");
            upto[0] = '\0';
            for (int i = 0; i < bad; i++)
                snprintf(upto + strlen(upto), 40, "case %d\n8\nend %d\n", i, i);
            if (roomy != 0) snprintf(upto + strlen(upto), 40, "case %d\n", bad);
            cr_expect(strncmp(text_of(&result.answers), upto, strlen(upto)) == 0, "%s: %s", upto,
                      text_of(&result.answers));
            if (roomy != 0) cr_expect_str_eq(text_of(&result.answers), upto);
            forget();
        }
    }
}

/* Behind what is no question nothing is answered; of fewer questions than lines the first are asked. */
Test(interpreted, ends_at_what_is_no_question) {
    char upto[200];
    ask(3, "world_size 2 4 1\nweather 1\nworld_size 5 4 2\n", 100, 1000);
    cr_expect_eq(result.end, RC_END_EXIT);
    cr_expect_str_eq(text_of(&result.answers), "case 0\n8\nend 0\ncase 1\n");
    cr_expect_str_eq(text_of(&result.out), "2\n");
    forget();
    for (int n = 0; n <= 3; n++) {
        ask(n, questions, 100, 1000);
        first_parts(3 * n, upto);
        cr_expect_str_eq(text_of(&result.answers), upto);
        forget();
    }
}

/* What cannot be read is told with its line, from the first on, and what is C but not known as such. */
Test(interpreted, what_cannot_be_read_is_told_with_its_line) {
    const rc_site site = {.lessons = "lessons", .sandbox = RC_INTERPRETED};
    for (int line = 1; line <= 3; line++) {
        char text[80], want[80];
        snprintf(text, sizeof text, "%.*sint f(void) { return 1 }\n", line - 1, "\n\n\n");
        build = (rc_build){.name = "world.c"};
        cr_assert_eq(rc_interpreted_build(&site, text, strlen(text), &arena, &error, &build),
                     RC_GOOD);
        snprintf(want, sizeof want, "world.c:%d: ';' is missing", line);
        cr_expect_not(build.built);
        cr_expect_str_eq(build.error, want);
    }
    static const char jumps[] = "int f(void) { goto end; end: return 1; }";
    build = (rc_build){.name = "world.c"};
    cr_assert_eq(rc_interpreted_build(&site, jumps, strlen(jumps), &arena, &error, &build),
                 RC_LACKS);
    cr_expect_str_eq(error.text, "world.c:1: 'goto': beyond the interpreter, so not judged; leave "
                                 "--interpret out, and a compiler reads it");
}
