/* test_asked.c: every question that there is, with drawn types and numbers: the function gets what the question says, and the
 * answer says what it returns and writes; plans at the bounds of what makes sense; what is no question.
 */
#include "ask_program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static uint64_t state;
static int draw(int below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (int)((uint32_t)(state >> 33) % (uint32_t)below);
}

/* ------------------------------------------------------------------ single functions */

/* What a call takes: a number; arrays of as many as the first number, the second, both multiplied, the first one squared; last
   an array that is written, of what is there before. */
static const struct {
    const char *function, *takes;
    bool tells;
    const char *types; /* where ring.h declares it: int, double; what is const */
} kinds[] = {{"average", "1nn", true, NULL},          {"reduce_values", "12m", true, NULL},
             {"reduce", "12p Mu", false, NULL},       {"naive_seconds", "1234", true, NULL},
             {"ring_seconds", "1234", true, NULL},    {"half_latency_bytes", "123", true, NULL},
             {"choose", "1234", true, NULL},          {"world_size", "123", true, "iiii"},
             {"node_of", "123", true, NULL},          {"local_rank", "123", true, NULL},
             {"first_gpu", "123", true, NULL},        {"plan_calls", "1n Nz", false, "iiiv"},
             {"make_buckets", "1n34 Nu", true, NULL}, {"exchange_end", "1nn", true, NULL},
             {"ring_order", "1q Nz", false, NULL},    {"ring_sum", "12n", true, NULL},
             {"keeps_order", "1234", true, NULL},     {"algbw", "12", true, NULL},
             {"what_to_set", "12345", true, NULL},    {"busbw", "123", true, "iddd"},
             {"flow_ends", "1n3 Nm", false, NULL},    {"zero_kept", "123", true, NULL},
             {"zero_sent", "123", true, NULL},        {"choose_way", "1nn4", true, NULL},
             {"bus_factor", "12", true, NULL},        {"sampler_indices", "123 Lu", true, NULL}};
enum { N_KINDS = sizeof kinds / sizeof *kinds, ROOM = 2000 };

static char program[ROOM], question[ROOM], said[ROOM], answer[ROOM];
#define ADD(to, ...) snprintf(to + strlen(to), sizeof to - strlen(to), __VA_ARGS__)

/* A drawn number of a type: i, f or d. */
static double add_number(char type) {
    const int whole = draw(200) - 100;
    const double number = type == 'i' ? whole : whole + .25 * draw(4) + (type == 'd' ? .1 : 0);
    ADD(question, " %.17g", number);
    return number;
}

static void add_said(char type, double number) {
    if (type == 'i') ADD(said, "%d ", (int)number);
    if (type != 'i') ADD(said, "%.17g ", type == 'f' ? (double)(float)number : number);
}

static const char *type_name(char type) {
    return type == 'i' ? "int" : type == 'f' ? "float" : "double";
}

/* A program that prints what it gets, in the order of the question; it writes all but the last of its array. */
static void make_question(int kind) {
    const char *takes = kinds[kind].takes, *types = kinds[kind].types;
    char body[1200] = "";
    int sizes[2] = {draw(4), draw(4)}, n = 0, n_numbers = 0, n_written = -1;
    const bool sampled = strstr(takes, "Lu") != NULL;
    const char returned = sampled ? 'i' : types != NULL ? types[strlen(types) - 1] : "ifd"[draw(3)];
    program[0] = question[0] = said[0] = answer[0] = '\0';
    ADD(question, "%s", kinds[kind].function);
    ADD(program, "#include <stdio.h>\n%s %s(",
        returned == 'v' || !kinds[kind].tells ? "void" : type_name(returned), kinds[kind].function);
    char last_type = 'i';
    for (; *takes != '\0'; takes++, n++) {
        const bool number = *takes >= '1' && *takes <= '5', writes = *takes == ' ';
        const bool is_size =
            number && n_numbers < 2 && strpbrk(kinds[kind].takes, "nmpqNM") != NULL;
        const char type = types != NULL ? types[n] : is_size ? 'i' : "ifd"[draw(3)];
        if (n > 0) ADD(program, ", ");
        if (number) {
            double value = is_size ? sizes[n_numbers] : 0;
            if (is_size)
                ADD(question, " %d", sizes[n_numbers]);
            else
                value = add_number(type);
            n_numbers++;
            ADD(program, "%s p%d", type_name(type), n);
            ADD(body, "printf(\"%s \", p%d);\n", type == 'i' ? "%d" : "%.17g", n);
            add_said(type, value);
            continue;
        }
        ADD(program, "%s%s p%d[]", writes ? "" : "const ", type_name(type), n);
        if (writes) {
            takes++;
            n_written = *takes == 'N' ? sizes[0] : *takes == 'M' ? sizes[1] : draw(5);
            for (int i = 0; i + 1 < n_written; i++) ADD(body, "p%d[%d] = %d;\n", n, i, 3 * i - 7);
            last_type = type;
            takes++;
            continue;
        }
        const int length = *takes == 'n'   ? sizes[0]
                           : *takes == 'm' ? sizes[1]
                           : *takes == 'q' ? sizes[0] * sizes[0]
                                           : sizes[0] * sizes[1];
        for (int i = 0; i < length; i++) add_said(type, add_number(type));
        for (int i = 0; i < length; i++)
            ADD(body, "printf(\"%s \", p%d[%d]);\n", type == 'i' ? "%d" : "%.17g", n, i);
    }
    ADD(program, ") {\n%s", body);
    if (kinds[kind].tells && sampled) { /* it tells how many it wrote */
        ADD(program, "return %d;", n_written);
        ADD(answer, "%d\n", n_written);
    } else if (kinds[kind].tells) {
        ADD(program, "return %s;", returned == 'i' ? "-5" : "2.1f");
        ADD(answer, "%.17g\n", returned == 'i' ? -5 : (double)2.1F);
    }
    ADD(program, "}\n");
    const char before = kinds[kind].takes[strlen(kinds[kind].takes) - 1];
    for (int i = 0; i < n_written; i++) {
        const int left = before == 'z' ? 0 : before == 'm' ? -1 : 0x55555555;
        const double value = i + 1 < n_written ? 3 * i - 7 : left;
        ADD(answer, last_type == 'i' ? "%.0f\n" : "%.17g\n", value);
    }
}

Test(questions, each_function_gets_what_it_is_asked_with) {
    for (state = 1; state < 1500;) {
        const uint64_t seed = state;
        const int kind = (int)(seed % N_KINDS);
        make_question(kind);
        state = seed + 1;
        const char *got = ask_program(program, question);
        cr_assert_str_eq(got, answer, "%s%s: %s, not %s", program, question, got, answer);
        cr_assert_str_eq(asked_said, said, "%s%s: %s, not %s", program, question, asked_said, said);
        *strrchr(question, ' ') = '\0'; /* a number less */
        got = ask_program(program, question);
        cr_assert_str_eq(got, "no question", "%s%s: %s", program, question, got);
        cr_assert_str_eq(ask_program("int x;\n", question), "missing\n");
    }
}

Test(questions, numbers_and_arrays_have_their_bounds) {
    static const struct {
        const char *question;
        bool is;
    } asked[] = {{"node_of 2147483647 -2147483648 0", true},
                 {"node_of 2147483648 0 0", false},
                 {"node_of 0 -2147483649 0", false},
                 {"node_of 1 2", false},
                 {"node_of 1 2 x", false},
                 {"node_of", false},
                 {"node_of\n1 2 3", true},
                 {"node_off 1 2 3", false},
                 {"Node_of 1 2 3", false},
                 {"", false},
                 {" node_of 1 2 3", false},
                 {"node_of 1 2 3 4", true},
                 {"a_name_that_is_longer_than_any_question 1", false}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const char *got =
            ask_program("int node_of(int a, int b, int c) { return 7; }", asked[i].question);
        cr_expect_str_eq(got, asked[i].is ? "7\n" : "no question", "%s: %s", asked[i].question,
                         got);
    }
    for (int n = -1; n < 4100; n += n < 1 || n > 4094 ? 1 : 4093) {
        static char text[20000];
        int used = snprintf(text, sizeof text, "reduce_values 0 %d", n);
        for (int i = 0; i < n; i++)
            used += snprintf(text + used, sizeof text - (size_t)used, " %d", i % 10);
        char body[200];
        snprintf(body, sizeof body, "int reduce_values(int a, int n, const int v[]) { return %s; }",
                 n > 0 ? "v[0] + v[n - 1] + n" : "n");
        const char *got = ask_program(body, text);
        char wanted[20];
        snprintf(wanted, sizeof wanted, "%d\n", n > 0 ? n + (n - 1) % 10 : n);
        cr_expect_str_eq(got, n < 0 || n > 4096 ? "no question" : wanted, "%d: %s", n, got);
    }
    static const int squares[] = {-1, 0, 63, 64, 65, 4096, 4097};
    for (int i = 0; i < 7; i++) { /* of a square the array is bounded */
        static char text[20000];
        const int n = squares[i];
        int used = snprintf(text, sizeof text, "ring_order %d", n);
        for (int k = 0; k < n * n && k < 4300; k++)
            used += snprintf(text + used, sizeof text - (size_t)used, " 1");
        const char *got = ask_program("void ring_order(int n, const int v[], int w[]) { }", text);
        const bool is = n >= 0 && n <= 64;
        cr_expect_eq(strcmp(got, "no question") == 0, !is, "%d: %s", n, got);
        cr_expect(!is || strlen(asked_answer) == (size_t)(2 * n), "%d", n);
    }
}

/* A function that is asked is called by no line of the program. */
Test(questions, what_a_call_needs_is_the_function_s_and_no_line_s) {
    static const char *const asked[][3] = {
        {"reducer_of", "int reducer_of(unsigned hash, int n)", "reducer_of 3 1 7"},
        {"chunk_range", "void chunk_range(int a, int b, int c, int *f, int *l)", "chunk_range 9 2"},
        {"send_chunk", "int send_chunk(int step, int rank, int n)", "schedule 2 0 0"},
        {"send_to",
         "int send_chunk(int s, int r, int n) { return 0; } int send_to(int rank, int n)",
         "schedule 2 0 0"},
        {"sends", "int sends(int step, int rank, int n, rs_send out[])", "schedule 2 0 0"},
        {"chunks", "int sends(int s, int r, int n, rs_send o[]) { return 0; } int chunks(int n)",
         "schedule 2 0 0"},
        {"steps", "int sends(int s, int r, int n, rs_send o[]) { return 0; } int steps(int n)",
         "schedule 2 0 0"}};
    char text[ROOM + 200], wanted[100];
    for (int i = 0; i < 7 + N_KINDS; i++) {
        if (i >= 7) {
            state = (uint64_t)i;
            make_question(i - 7);
            *strchr(program, '{') = '\0';
        }
        snprintf(text, sizeof text, "%s { int t[270000]; return%s; }\n",
                 i < 7 ? asked[i][1] : program,
                 strstr(i < 7 ? asked[i][1] : program, "void") != NULL ? "" : " 0");
        snprintf(wanted, sizeof wanted, "line 0: '%s' needs more memory than there is (outside)",
                 i < 7 ? asked[i][0] : kinds[i - 7].function);
        cr_expect_str_eq(ask_program(text, i < 7 ? asked[i][2] : question), wanted, "%s", text);
    }
}

/* ------------------------------------------------------------------ plans */

/* Each message with a partner, a chunk and a length at the bounds of two ranks and three chunks. */
Test(questions, a_message_that_makes_no_sense_is_told) {
    static const int to[] = {-1, 0, 1, 2}, chunk[] = {-1, 0, 1, 2, 3}, n[] = {-1, 0, 1, 2, 3, 4};
    for (int i = 0; i < 4 * 5 * 6 * 2; i++) {
        const int t = to[i % 4], c = chunk[i / 4 % 5], length = n[i / 20 % 6], copy = i / 120;
        char text[400], wanted[300];
        snprintf(
            text, sizeof text,
            "int chunks(int n) { return 3; }\nint steps(int n) { return 1; }\n"
            "int sends(int step, int rank, int n, rs_send out[]) {\n"
            "if (rank == 1) return 0;\nout[0] = (rs_send){1, 0, 0, 7};\n"
            "out[1] = (rs_send){%d, %d, %d, %d}; out[2] = (rs_send){1, 0, 1, 0}; return 3; }\n",
            t, c, length, copy);
        const int real = length == 0 ? 1 : length;
        snprintf(wanted, sizeof wanted, "3 1\n0 0 1 0 1 1\n0 0 %d %d %d %d\n", t, c, real, copy);
        if (t == 1 && c >= 0 && c < 3 && real >= 0 && c + real <= 3) ADD(wanted, "0 0 1 0 1 0\n");
        const char *got = ask_program(text, "schedule 2 0 0");
        cr_assert_str_eq(got, wanted, "%d %d %d: %s", t, c, length, got);
    }
    for (int count = -2; count < 67; count += count == 1 ? 61 : 1) {
        char text[300], wanted[100];
        snprintf(text, sizeof text,
                 "int sends(int step, int rank, int n, rs_send out[]) {\n"
                 "for (int i = 0; i < 64; i++) out[i].to = 1 - rank;\nreturn %d; }\n",
                 count);
        const char *got = ask_program(text, "schedule 2 1 0");
        const bool is = count >= 0 && count <= 64;
        snprintf(wanted, sizeof wanted, "count 0 0 %d\n", count);
        cr_expect_eq(strstr(got, wanted) == NULL, is, "%d: %s", count, got);
        int n_lines = 0;
        for (const char *at = asked_answer; *at != '\0'; at++) n_lines += *at == '\n';
        cr_expect_eq(n_lines, is ? 1 + 2 * count : 2, "%d", count);
    }
}

/* Rings: to whom, and what, at the bounds; without send_to to the next one. The second half of the steps copies. A
   remainder that C makes negative, above -n, does not end the plan. */
Test(questions, a_ring_s_steps_are_at_its_bounds) {
    for (int n = 1; n < 5; n++) {
        for (int to = -1; to <= n; to++) {
            for (int chunk = -n - 1; chunk <= n; chunk++) {
                for (int half = 0; half < 2; half++) {
                    char text[300], asked[40], wanted[2000];
                    snprintf(
                        text, sizeof text,
                        "int send_to(int rank, int n) { return rank ? (rank + 1) %% n : %d; }\n"
                        "int send_chunk(int step, int rank, int n) {\n"
                        "return step + rank ? 0 : %d; }\n",
                        to, chunk);
                    snprintf(asked, sizeof asked, "schedule %d %d 0", n, half);
                    const int n_steps = half ? n - 1 : 2 * (n - 1);
                    snprintf(wanted, sizeof wanted, "%d %d\n", n, n_steps);
                    for (int i = 0; i < n_steps * n; i++) {
                        const int step = i / n, rank = i % n;
                        const int own = rank == 0 ? to : (rank + 1) % n, sent = i == 0 ? chunk : 0;
                        ADD(wanted, "%d %d %d %d 1 %d\n", step, rank, own, sent, step >= n - 1);
                        if (own < 0 || own >= n || own == rank || sent <= -n || sent >= n) break;
                    }
                    ask_program(text, asked);
                    cr_assert_str_eq(asked_answer, wanted, "%s%s: %s", text, asked, asked_answer);
                }
            }
        }
    }
}

Test(questions, a_schedule_has_its_sizes_within_bounds) {
    static const char *const none[] = {"schedule 0 0 0",  "schedule -1 0 0", "schedule 4097 0 0",
                                       "schedule 2 2 0",  "schedule 2 0 2",  "schedule 2 -1 0",
                                       "schedule 2 0",    "schedule",        "schedule x 0 0",
                                       "schedule 2 0 -1", "schedule 2 x 0"};
    static const char ring[] = "int send_chunk(int step, int rank, int n) { return 0; }\n";
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        cr_expect_str_eq(ask_program(ring, none[i]), "no question", "%s", none[i]);
    cr_expect_str_eq(ask_program("int x;", "schedule 2 0 0"), "missing\n");
    cr_expect_str_eq(ask_program(ring, "schedule 1 0 0"), "1 0\n");
    static const int sizes[] = {-1, 0, 1, 4095, 4096, 4097, 99999, 100001};
    for (int i = 0; i < 8; i++) {
        for (int steps = 0; steps < 2; steps++) {
            char text[300], wanted[60];
            snprintf(text, sizeof text,
                     "int %s(int n) { return %d; }\n"
                     "int sends(int s, int r, int n, rs_send out[]) { return -1; }\n",
                     steps ? "steps" : "chunks", sizes[i]);
            const char *got = ask_program(text, "schedule 2 0 0");
            const bool is =
                steps ? sizes[i] >= 0 && sizes[i] <= 100000 : sizes[i] >= 1 && sizes[i] <= 4096;
            snprintf(wanted, sizeof wanted, "%d %d\n%s", steps ? 2 : sizes[i], steps ? sizes[i] : 2,
                     is && (!steps || sizes[i]) ? "count 0 0 -1\n" : "");
            cr_expect_str_eq(got, wanted, "%s", text);
        }
    }
}
