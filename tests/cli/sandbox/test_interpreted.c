/* test_interpreted.c: a program that is interpreted answers each question in rows with an end, up to the limit; the first
 * that floods or goes wrong is the last that is asked.
 */
#include "sandbox/build.h"
#include "support/answer_text.h"

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

/* What was answered so far, whole rows of it, with a mark for each end. */
static const char *answered(void) {
    static char text[200];
    text[0] = '\0';
    for (size_t at = 0; at + sizeof(rs_answer_row) <= result.answers.n_bytes;
         at += sizeof(rs_answer_row)) {
        rs_answer_row row;
        memcpy(row, result.answers.data + at, sizeof row);
        if (row[0] == RS_ANSWER_END) strcat(text, "end\n");
        add_answer_text(row, sizeof row, text, sizeof text);
    }
    return text;
}

/* Each answer is two rows. The question that floods is answered to its end; none comes behind it. */
Test(interpreted, answers_have_their_ends_up_to_the_limit) {
    static const char all[] = "8\nend\n6\nend\n10\nend\n";
    const size_t one = 2 * sizeof(rs_answer_row);
    for (size_t most = 0; most <= 3 * one + 1; most++) {
        ask(3, questions, 100, most);
        const size_t n_asked = most >= 2 * one ? 3 : most / one + 1, n = n_asked * one;
        cr_expect_eq(result.end, n > most ? RC_END_FLOOD : RC_END_EXIT, "%zu", most);
        cr_expect_eq(result.answers.n_bytes, n < most ? n : most, "%zu", most);
        cr_expect_eq(result.answers.n_dropped, n > most ? n - most : 0, "%zu", most);
        cr_expect(strncmp(answered(), all, strlen(answered())) == 0, "%s", answered());
        cr_expect_eq(result.out.n_bytes, 2 * n_asked, "%zu", most);
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

/* Question `bad` of three divides by zero: also where there is no room for an answer, that is how it ends. */
Test(interpreted, the_first_that_goes_wrong_is_the_last) {
    char upto[200], asked[200];
    for (int bad = 0; bad < 3; bad++) {
        asked[0] = upto[0] = '\0';
        for (int i = 0; i < 3; i++)
            strcat(asked, i == bad ? "world_size 1 1 0\n" : "world_size 2 4 1\n");
        for (int i = 0; i < bad; i++) strcat(upto, "8\nend\n");
        for (int roomy = 0; roomy < 2; roomy++) {
            ask(3, asked, 100, roomy != 0 ? 1000 : (size_t)bad * 2 * sizeof(rs_answer_row) + 3);
            cr_expect_eq(result.end, RC_END_TROUBLE, "%d", bad);
            cr_expect_str_eq(text_of(&result.err), "world.c:5: a division by zero");
            cr_expect_str_eq(answered(), upto);
            forget();
        }
    }
}

/* Behind what is no question nothing is answered; of fewer questions than lines the first are asked. */
Test(interpreted, ends_at_what_is_no_question) {
    static const char *const first[] = {"", "8\nend\n", "8\nend\n6\nend\n",
                                        "8\nend\n6\nend\n10\nend\n"};
    ask(3, "world_size 2 4 1\nweather 1\nworld_size 5 4 2\n", 100, 1000);
    cr_expect_eq(result.end, RC_END_EXIT);
    cr_expect_str_eq(answered(), first[1]);
    cr_expect_str_eq(text_of(&result.out), "2\n");
    forget();
    for (int n = 0; n <= 3; n++) {
        ask(n, questions, 100, 1000);
        cr_expect_str_eq(answered(), first[n]);
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
