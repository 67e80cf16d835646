/* test_own_code.c: a learner's function is found in their file, with what it was asked and answered; the step that goes
 * wrong names the message to blame.
 */
#include "panels/own_code.h"

#include <criterion/criterion.h>
#include <string.h>

/* A schedule as if `text` had answered for it. */
static rs_schedule schedule;
static rs_source source;

static const rs_schedule *of(const char *text) {
    rs_error error = {.text = ""};
    const rs_algorithm *ring = rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring");
    cr_assert_eq(rs_schedule_make(ring, RS_ORDER_SEED, 5, 100, &error, &schedule), RS_OK);
    source =
        (rs_source){.text = text, .n_steps = schedule.n_steps, .wrong_step = -1, .wrong_rank = -1};
    schedule.source = &source;
    return &schedule;
}

static rv_own_code code;
static bool look(const char *text, int32_t step, int32_t rank) {
    return rv_own_code_of(of(text), NULL, step, rank, &code);
}

Test(own_code, shows_the_call_with_its_answer_and_numbers_beside_the_only_return) {
    cr_assert(look("int send_chunk(int step, int rank, int n) {\n"
                   "\treturn ((rank - step) % n + n) % n;\n"
                   "}\n",
                   2, 1));
    cr_expect_str_eq(code.call, "send_chunk(step = 2, rank = 1, n = 5) = 4");
    cr_assert_eq(code.n_lines, 3);
    cr_expect_str_eq(code.lines[1].text, "    return ((rank - step) % n + n) % n;");
    cr_expect_str_eq(code.lines[1].numbers, "((1 - 2) % 5 + 5) % 5 = 4");
    cr_expect(code.lines[0].outer && !code.lines[1].outer && code.lines[2].outer);
    cr_expect_str_eq(code.mistake, "");
}

Test(own_code, finds_the_definition_past_comments_strings_macros_and_calls) {
    cr_assert(look("#include \"ring.h\"\n"
                   "#define X(a) { send_chunk(a \\\n , 1, 2) {\n"
                   "// int send_chunk(int a, int b, int c) {\n"
                   "/* int send_chunk(int a, int b, int c) { */\n"
                   "static const char *s = \"send_chunk(int a, int b, int c) {\", c = '{';\n"
                   "int send_chunk(int step, int rank, int n);\n"
                   "static int my_send_chunk(int a, int b, int c) { return a + b + c; }\n"
                   "static int other(int n) { return send_chunk(1, 2, n); }\n"
                   "int send_chunk(int s, int who, int world) { return my(s, who) - s; }\n",
                   0, 3));
    cr_expect_str_eq(code.call, "send_chunk(s = 0, who = 3, world = 5) = 3");
    cr_assert_eq(code.n_lines, 1);
    cr_expect_str_eq(code.lines[0].numbers, "my(0, 3) - 0 = 3");
    cr_expect_not(code.lines[0].outer);
}

Test(own_code, gives_no_numbers_where_a_function_does_more_than_return) {
    cr_assert(look("int send_chunk(int step, int rank, int n)\n{\n  if (step == 0) return rank;\n"
                   "  return rank + n - step;\n}",
                   1, 1));
    cr_assert_eq(code.n_lines, 5);
    for (int i = 0; i < code.n_lines; i++) cr_expect_str_eq(code.lines[i].numbers, "");
    cr_expect(code.lines[0].outer && code.lines[1].outer && code.lines[4].outer);
    cr_expect_not(code.lines[2].outer);
    /* Casts that silence a warning are nothing; a number alone needs no numbers. */
    cr_assert(look(
        "int send_chunk(int step, int rank, int n) { (void)step, (void)n; return rank; }", 0, 2));
    cr_expect_str_eq(code.lines[0].numbers, "");
    cr_assert(
        look("int send_chunk(int step, int rank, int n) { (void)n; return rank-step; }", 0, 2));
    cr_expect_str_eq(code.lines[0].numbers, "2-0 = 2");
}

Test(own_code, knows_functions_that_write_messages) {
    cr_assert(
        look("int sends(int step, int rank, int n, rs_send out[]) {\n    return 1;\n}\n", 3, 0));
    cr_expect(code.lists);
    cr_expect_str_eq(code.call, "sends(step = 3, rank = 0, n = 5) = 1");
    cr_expect_eq(code.n_sent, 1);
}

Test(own_code, has_no_answer_for_steps_that_somebody_added_nor_before_the_first) {
    const char *text = "int send_chunk(int step, int rank, int n) { return rank - step; }";
    of(text);
    source.n_steps = 4;
    cr_assert(rv_own_code_of(&schedule, NULL, 4, 0, &code));
    cr_expect_str_eq(code.call, "");
    cr_expect_eq(code.n_lines, 1);
    cr_assert(rv_own_code_of(&schedule, NULL, 3, 0, &code));
    cr_expect_str_neq(code.call, "");
    cr_assert(rv_own_code_of(&schedule, NULL, -1, 0, &code));
    cr_expect_str_eq(code.call, "");
}

Test(own_code, blames_the_sender_of_the_message_that_spoils_the_run) {
    of("int send_chunk(int step, int rank, int n) { return rank; }");
    const rs_verdict verdict = {
        .fault = RS_COUNTED_TWICE, .step = 1, .rank = 3, .chunk = 1, .who = 2};
    cr_assert(rv_own_code_of(&schedule, &verdict, 1, 2, &code)); /* sends chunk 1 to 3 in step 1 */
    cr_expect(code.blamed);
    cr_expect_str_eq(code.mistake,
                     "Step 1: GPU 3 adds GPU 2's contribution to chunk 1 a second time");
    cr_assert(rv_own_code_of(&schedule, &verdict, 1, 0, &code));
    cr_expect_not(code.blamed);
    cr_assert(rv_own_code_of(&schedule, &verdict, 2, 2, &code));
    cr_expect_str_eq(code.mistake, "");
    /* A judge's words come first, and need no verdict. */
    source.wrong_step = 2;
    source.why = "chunk 4 stays behind";
    cr_assert(rv_own_code_of(&schedule, NULL, 2, 2, &code));
    cr_expect(code.judged);
    cr_expect_str_eq(code.mistake, "chunk 4 stays behind");
    cr_expect_not(code.blamed);
    source.wrong_rank = 2;
    cr_assert(rv_own_code_of(&schedule, NULL, 2, 2, &code));
    cr_expect(code.blamed);
    cr_assert(rv_own_code_of(&schedule, NULL, 2, 3, &code));
    cr_expect_not(code.blamed);
}

Test(own_code, is_none_where_there_is_no_such_function_or_no_learner) {
    cr_expect_not(look("", 0, 0));
    cr_expect_not(look("int send_chunk(int step, int rank, int n);", 0, 0));
    cr_expect_not(look("int send_chunk(int step, int rank, int n) { return rank;", 0, 0));
    cr_expect_not(look("int send_chunk(void) { return 0; }", 0, 0));
    cr_expect_not(look("\"send_chunk(int a, int b, int c) { }", 0, 0));
    of("");
    schedule.source = NULL;
    cr_expect_not(rv_own_code_of(&schedule, NULL, 0, 0, &code));
}

Test(own_code, cuts_long_functions_and_trusts_no_byte) {
    static char text[8000] = "int send_chunk(int step, int rank, int n) {\n";
    for (int i = 0; i < 100; i++)
        strcat(text, "    /* a line that says nothing \x1b[31m \xe2\x80\xae \xff */\n");
    strcat(text, "    return rank - step;\n}\n");
    cr_assert(look(text, 0, 1));
    cr_assert_eq(code.n_lines, RV_MOST_OWN_LINES);
    cr_expect_str_eq(code.lines[RV_MOST_OWN_LINES - 1].text, "...");
    cr_expect_str_eq(code.lines[1].text, "    /* a line that says nothing ?[31m ? ? */");
    memset(text, 'x', sizeof text - 1);
    memcpy(text, "int send_chunk(int step, int rank, int n) { return ", 51);
    memcpy(text + 7900, "; }", 4);
    cr_assert(look(text, 0, 1));
    cr_expect_lt(strlen(code.lines[0].text), (size_t)RV_OWN_TEXT);
}

/* Lines that were executed, what they wrote, and the return that gave the answer. */
Test(own_code, marks_the_lines_that_were_executed) {
    static const char text[] = "int send_chunk(int step, int rank, int n) {\n"
                               "    int chunk = rank;\n"
                               "    /* one back in each step */\n"
                               "    chunk -= step;\n"
                               "    if (chunk < 0) {\n"
                               "        chunk += n;\n"
                               "        return chunk;\n"
                               "    }\n"
                               "    return chunk;\n"
                               "}\n";
    of(text);
    source.header = "int send_chunk(int step, int rank, int n);";
    cr_assert(rv_own_code_of(&schedule, NULL, 2, 1, &code));
    static const rv_own_mark marks[10] = {
        RV_LINE_PLAIN,    RV_LINE_EXECUTED, RV_LINE_PLAIN, RV_LINE_EXECUTED, RV_LINE_EXECUTED,
        RV_LINE_EXECUTED, RV_LINE_RETURNS,  RV_LINE_PLAIN, RV_LINE_SKIPPED,  RV_LINE_PLAIN};
    for (int i = 0; i < 10; i++) cr_expect_eq(code.lines[i].mark, marks[i], "line %d", i + 1);
    cr_expect_str_eq(code.lines[1].numbers, "chunk = 1");
    cr_expect_str_eq(code.lines[3].numbers, "chunk = -1");
    cr_expect_str_eq(code.lines[5].numbers, "chunk = 4");
    cr_expect_str_eq(code.lines[6].numbers, "= 4");
    cr_expect_str_eq(code.lines[8].numbers, "");
    rv_shorten_own_code(&code, 4);
    cr_assert_eq(code.n_lines, 4);
    cr_expect_str_eq(code.lines[3].text, "        return chunk;");
    cr_expect_str_eq(code.lines[0].numbers, "chunk = 1");
}

Test(own_code, marks_nothing_where_the_answer_is_another_one) {
    of("int send_chunk(int step, int rank, int n) {\n    int chunk = 0;\n    return chunk + 0 * (step + rank + n);\n}\n");
    source.header = "int send_chunk(int step, int rank, int n);";
    cr_assert(rv_own_code_of(&schedule, NULL, 2, 1, &code));
    for (int i = 0; i < code.n_lines; i++)
        cr_expect(code.lines[i].mark == RV_LINE_PLAIN && code.lines[i].numbers[0] == '\0');
}
