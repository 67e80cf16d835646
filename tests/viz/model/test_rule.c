/* test_rule.c: a learner's function is found in their file, an algorithm's in its rule, with what it was asked and
 * answered; the step that goes wrong names the message to blame.
 */
#include "model/rule.h"
#include "support/own.h"

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

static rv_rule code;
static bool find(const rs_verdict *verdict, int32_t step, int32_t rank) {
    OWN_ARENA arena = {0};
    const rv_rule *rule;
    cr_assert_eq(rv_rule_of(rv_rule_reader_new(&schedule, verdict, &arena), step, rank, &rule),
                 RS_OK);
    if (rule != NULL) code = *rule;
    return rule != NULL;
}

static bool look(const char *text, int32_t step, int32_t rank) {
    of(text);
    return find(NULL, step, rank);
}

Test(rule, shows_the_call_with_its_answer_and_numbers_beside_the_only_return) {
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

Test(rule, finds_the_definition_past_comments_strings_macros_and_calls) {
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

Test(rule, gives_no_numbers_where_a_function_does_more_than_return) {
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

Test(rule, knows_functions_that_write_messages) {
    cr_assert(
        look("int sends(int step, int rank, int n, rs_send out[]) {\n    return 1;\n}\n", 3, 0));
    cr_expect(code.lists);
    cr_expect_str_eq(code.call, "sends(step = 3, rank = 0, n = 5) = 1");
    cr_expect_eq(code.n_sent, 1);
}

Test(rule, has_no_answer_for_steps_that_somebody_added_nor_before_the_first) {
    const char *text = "int send_chunk(int step, int rank, int n) { return rank - step; }";
    of(text);
    source.n_steps = 4;
    cr_assert(find(NULL, 4, 0));
    cr_expect_str_eq(code.call, "");
    cr_expect_eq(code.n_lines, 1);
    cr_assert(find(NULL, 3, 0));
    cr_expect_str_neq(code.call, "");
    cr_assert(find(NULL, -1, 0));
    cr_expect_str_eq(code.call, "");
}

Test(rule, blames_the_sender_of_the_message_that_spoils_the_run) {
    of("int send_chunk(int step, int rank, int n) { return rank; }");
    const rs_verdict verdict = {
        .fault = RS_COUNTED_TWICE, .step = 1, .rank = 3, .chunk = 1, .who = 2};
    cr_assert(find(&verdict, 1, 2)); /* sends chunk 1 to 3 in step 1 */
    cr_expect(code.blamed);
    cr_expect_str_eq(code.mistake,
                     "Step 1: GPU 3 adds GPU 2's contribution to chunk 1 a second time");
    cr_assert(find(&verdict, 1, 0));
    cr_expect_not(code.blamed);
    cr_assert(find(&verdict, 2, 2));
    cr_expect_str_eq(code.mistake, "");
    /* A judge's words come first, and need no verdict. */
    source.wrong_step = 2;
    source.why = "chunk 4 stays behind";
    cr_assert(find(NULL, 2, 2));
    cr_expect(code.judged);
    cr_expect_str_eq(code.mistake, "chunk 4 stays behind");
    cr_expect_not(code.blamed);
    source.wrong_rank = 2;
    cr_assert(find(NULL, 2, 2));
    cr_expect(code.blamed);
    cr_assert(find(NULL, 2, 3));
    cr_expect_not(code.blamed);
}

Test(rule, is_none_where_there_is_no_such_function_or_no_learner) {
    cr_expect_not(look("", 0, 0));
    cr_expect_not(look("int send_chunk(int step, int rank, int n);", 0, 0));
    cr_expect_not(look("int send_chunk(int step, int rank, int n) { return rank;", 0, 0));
    cr_expect_not(look("int send_chunk(void) { return 0; }", 0, 0));
    cr_expect_not(look("\"send_chunk(int a, int b, int c) { }", 0, 0));
    of("");
    schedule.source = NULL, schedule.rule = NULL;
    cr_expect_not(find(NULL, 0, 0));
}

Test(rule, cuts_long_functions_and_trusts_no_byte) {
    static char text[8000] = "int send_chunk(int step, int rank, int n) {\n";
    for (int i = 0; i < 100; i++)
        strcat(text, "    /* a line that says nothing \x1b[31m \xe2\x80\xae \xff */\n");
    strcat(text, "    return rank - step;\n}\n");
    cr_assert(look(text, 0, 1));
    cr_assert_eq(code.n_lines, RV_MOST_RULE_LINES);
    cr_expect_str_eq(code.lines[RV_MOST_RULE_LINES - 1].text, "...");
    cr_expect_str_eq(code.lines[1].text, "    /* a line that says nothing ?[31m ? ? */");
    memset(text, 'x', sizeof text - 1);
    memcpy(text, "int send_chunk(int step, int rank, int n) { return ", 51);
    memcpy(text + 7900, "; }", 4);
    cr_assert(look(text, 0, 1));
    cr_expect_lt(strlen(code.lines[0].text), (size_t)RV_RULE_TEXT);
}

/* Lines that were executed, what they wrote, and the return that gave the answer. */
Test(rule, marks_the_lines_that_were_executed) {
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
    cr_assert(find(NULL, 2, 1));
    static const rv_line_mark marks[10] = {
        RV_LINE_PLAIN,    RV_LINE_EXECUTED, RV_LINE_PLAIN, RV_LINE_EXECUTED, RV_LINE_EXECUTED,
        RV_LINE_EXECUTED, RV_LINE_RETURNS,  RV_LINE_PLAIN, RV_LINE_SKIPPED,  RV_LINE_PLAIN};
    for (int i = 0; i < 10; i++) cr_expect_eq(code.lines[i].mark, marks[i], "line %d", i + 1);
    cr_expect_str_eq(code.lines[1].numbers, "chunk = 1");
    cr_expect_str_eq(code.lines[3].numbers, "chunk = -1");
    cr_expect_str_eq(code.lines[5].numbers, "chunk = 4");
    cr_expect_str_eq(code.lines[6].numbers, "= 4");
    cr_expect_str_eq(code.lines[8].numbers, "");
    rv_shorten_rule(&code, 4);
    cr_assert_eq(code.n_lines, 4);
    cr_expect_str_eq(code.lines[3].text, "        return chunk;");
    cr_expect_str_eq(code.lines[0].numbers, "chunk = 1");
}

Test(rule, marks_nothing_where_the_answer_is_another_one) {
    of("int send_chunk(int step, int rank, int n) {\n    int chunk = 0;\n    return chunk + 0 * (step + rank + n);\n}\n");
    source.header = "int send_chunk(int step, int rank, int n);";
    cr_assert(find(NULL, 2, 1));
    for (int i = 0; i < code.n_lines; i++)
        cr_expect(code.lines[i].mark == RV_LINE_PLAIN && code.lines[i].numbers[0] == '\0');
}

/* ------------------------------------------------------------------------------ an algorithm's own */

static void make(rs_collective of, const char *name, rs_spec spec) {
    rs_error error = {.text = ""};
    cr_assert_eq(rs_schedule_from_spec(rs_find_algorithm(of, name), &spec, 1000, &error, &schedule),
                 RS_OK, "%s", error.text);
}

Test(rule, of_the_ring_reads_as_a_learners_function) {
    make(RS_COLL_ALL_REDUCE, "ring", (rs_spec){.n_ranks = 5});
    cr_assert(find(NULL, 3, 0) && !code.is_own && !code.lists && code.n_lines == 3);
    cr_expect_str_eq(code.call, "send_chunk(step = 3, rank = 0, n = 5) = 2");
    cr_expect_str_eq(code.lines[1].text, "    return mod(rank - step, n);");
    cr_expect_str_eq(code.lines[1].numbers, "mod(0 - 3, 5) = 2");
    cr_expect_eq(code.lines[1].mark, RV_LINE_RETURNS);
    make(RS_COLL_ALL_REDUCE, "ring", (rs_spec){.n_ranks = 5, .order = RS_ORDER_NCCL});
    cr_assert(find(NULL, 3, 0));
    cr_expect_str_eq(code.call, "send_chunk(step = 3, rank = 0, n = 5) = 1");
}

Test(rule, has_its_constants_and_what_each_line_wrote) {
    make(RS_COLL_BROADCAST, "tree", (rs_spec){.n_ranks = 8, .root = 2});
    cr_assert(find(NULL, 1, 2) && code.lists && code.n_sent == 1);
    cr_expect_str_eq(code.call, "sends(step = 1, rank = 2, n = 8) = 1");
    cr_expect_str_eq(code.lines[0].text, "const int root = 2;");
    cr_expect(code.lines[0].outer && code.lines[1].outer);
    cr_expect_str_eq(code.lines[2].numbers, "place = 0, bit = 1");
    cr_expect_str_eq(code.lines[6].text, "    int to = (rank + bit) % n;");
    cr_expect_str_eq(code.lines[6].numbers, "to = 4");
    cr_expect_eq(code.lines[8].mark, RV_LINE_RETURNS);
    cr_expect_str_eq(code.lines[8].numbers, "", "the call says how many");
    cr_assert(find(NULL, 1, 3));
    cr_expect_str_eq(code.lines[5].text,
                     "    if (place % (2 * bit) != 0 || place + bit >= n) return 0;");
    cr_expect_eq(code.lines[5].mark, RV_LINE_RETURNS);
    cr_expect_eq(code.lines[6].mark, RV_LINE_SKIPPED);
    rv_shorten_rule(&code, 1);
    cr_expect_eq(code.lines[0].mark, RV_LINE_RETURNS, "it says why nothing is sent");
    cr_assert(find(NULL, 1, 2));
    rv_shorten_rule(&code, 1);
    cr_expect_str_eq(code.lines[0].numbers, "to = 4", "the return says less");
}

Test(rule, of_several_channels_that_are_alike_is_that_of_the_first) {
    make(RS_COLL_REDUCE_SCATTER, "ring", (rs_spec){.n_ranks = 5, .n_channels = 3});
    cr_assert(find(NULL, 0, 3));
    cr_expect_eq(code.n_sent, 1);
    cr_expect_str_eq(code.lines[0].text, "const int n_channels = 3;");
    cr_expect_str_eq(code.lines[2].numbers, "to = 4, chunk = 6");
}

/* The interpreter has room for 64 messages. */
Test(rule, of_too_many_messages_stands_without_a_call) {
    make(RS_COLL_ALL_TO_ALL, "direct", (rs_spec){.n_ranks = 66});
    cr_assert(find(NULL, 0, 3) && code.n_lines > 3);
    cr_expect_str_eq(code.call, "");
}

/* The same moment again is the same answer, another one another; the program is read once. */
Test(rule, is_kept_until_another_moment_is_asked_for) {
    OWN_ARENA arena = {0};
    const rv_rule *first, *again;
    make(RS_COLL_ALL_REDUCE, "ring", (rs_spec){.n_ranks = 5});
    rv_rule_reader *reader = rv_rule_reader_new(&schedule, NULL, &arena);
    cr_assert_eq(rv_rule_of(reader, 3, 0, &first), RS_OK);
    const size_t n_bytes = arena.n_bytes;
    const rs_program *program = reader->program;
    cr_assert_eq(rv_rule_of(reader, 3, 1, &again), RS_OK);
    cr_expect_str_eq(again->call, "send_chunk(step = 3, rank = 1, n = 5) = 3");
    cr_assert_eq(rv_rule_of(reader, 3, 0, &again), RS_OK);
    cr_expect_str_eq(again->call, "send_chunk(step = 3, rank = 0, n = 5) = 2");
    cr_expect(program != NULL && reader->program == program && arena.n_bytes == n_bytes);
}

Test(rule, of_a_schedule_from_a_file_is_none) {
    const char *text = "ringsim-schedule 1\nranks 2\nchunks 1\nstep\n0 -> 1 chunk 0 reduce\n";
    OWN_ARENA arena = {0};
    rs_error error;
    cr_assert_eq(rs_parse_schedule(text, strlen(text), &arena, &error, &schedule), RS_OK);
    cr_expect_not(find(NULL, 0, 0));
}
