/* test_interpret.c: programs and what they answer; faults and how they are named. What the course's own files answer:
 * tests/cmd/interpret.sh. */
#include "ask_program.h"
#include "support/own.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>

Test(interpret, computes_as_c_does) {
    static const struct {
        const char *body, *value;
    } cases[] = {
        {"return a % b + b % a;", "-2\n"},
        {"return a / b;", "-2\n"},
        {"return (a ^ 1) + (a & 3) + (a | 8) + (~a) + (a << 2) + (b >> 1);", "42\n"},
        {"unsigned u = 1; return u - 2 > 0;", "1\n"},
        {"return -1 < 1u;", "0\n"},
        {"return (unsigned char)300 + (signed char)200;", "-12\n"},
        {"long big = 3000000000L; return (int)(big / 1000000);", "3000\n"},
        {"return 7 / 2 * 2.0 == 6 && 7 / 2.0 > 3.4;", "1\n"},
        {"float f = 0.1f; return f == 0.1;", "0\n"},
        {"return a > b ? a : b;", "7\n"},
        {"int i = 0; i += a++ + ++c; return i * 100 + a * 10 + c;", "1083\n"},
        {"int s = 0; for (int i = 0, k = 9; i < k; i++, k--) s += i * k; return s;", "60\n"},
        {"int i = 0; do i++; while (i < 5); while (i < 50) { i *= 2; if (i > 30) break; } return i;",
         "40\n"},
        {"int s = 0; for (int i = 0; i < 9; i++) { if (i % 2) continue; s += i; } return s;",
         "20\n"},
        {"switch (c) { case 1: return 10; case 2: a++; case 3: a++; break; default: return 0; } return a;",
         "9\n"},
        {"switch (a) { case 1: return 10; default: return 5; }", "5\n"},
        {"static const int t[2][3] = {{1, 2, 3}, {4, 5, 6}}; return t[1][2] * 10 + t[0][1];",
         "62\n"},
        {"int t[] = {5, [3] = 7}; return 0;", "line 4: the array 't' has no length (outside)"},
        {"int t[4] = {5, [2] = 7}, *p = t + 1; p++; return *p + p[-2] + (int)(p - t);", "14\n"},
        {"int n = a, t[n]; for (int i = 0; i < n; i++) t[i] = i; return t[n - 1];", "6\n"},
        {"rs_send m = {.to = 3, .copy = 1}, k = m; k.to++; m = (rs_send){k.to, 5}; return m.to * 10 + m.chunk + m.copy;",
         "45\n"},
        {"rs_send m[2] = {{.to = 4}, {.to = 9}}, *p = m; p->chunk = 6; p++; return p->to * 100 + m[0].chunk * 10 + p[-1].to;",
         "964\n"},
        {"enum { A = 3, B }; int x = B; { int x = 1; x++; } return x;", "4\n"},
        {"return sizeof(int) == 4 && sizeof(rs_send) / sizeof(int) == 4;", "1\n"},
        {"int x = 1; if (a) if (b > 0) x = 2; else x = 3; return x;", "3\n"},
        {"return a == 7 || a / 0;", "1\n"},
        {"return 'A' + 0x10 + 010;", "89\n"},
        {"return 0xffffffffffffffff == -1ul;", "1\n"},
        {"return 0x1ffffffffffffffff > 0;", "line 4: the number '0x1ffffffffffffffff' (outside)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *got = run_body(cases[i].body);
        cr_expect_str_eq(got, cases[i].value, "%s: %s", cases[i].body, got);
    }
}

Test(interpret, names_what_c_leaves_undefined) {
    static const struct {
        const char *body, *fault;
    } cases[] = {
        {"int t[3];\nreturn t[a];", "line 5: 't' has the elements 0 to 2, not 7"},
        {"int t[3];\nreturn t[0] + t[1];",
         "line 5: element 0 of 't' is read, and nothing has been written there"},
        {"int t[2][3] = {{0}}; return t[0][3];", "line 4: 't' has the elements 0 to 2, not 3"},
        {"int x;\nif (a < 0) x = 1;\nreturn x;", "line 6: 'x' is read, and has no value yet"},
        {"for (int i = 0; i < 2; i++) { int x; if (i == 0) x = 1; a += x; } return a;",
         "line 4: 'x' is read, and has no value yet"},
        {"return 2147483647 + c;", "line 4: the result does not fit into its type"},
        {"a = 65536;\nreturn a * a;", "line 5: the result does not fit into its type"},
        {"a = -2147483647 - 1; return a / -1;", "line 4: the result does not fit into its type"},
        {"return a / (c - 2);", "line 4: a division by zero"},
        {"return a % (c - 2);", "line 4: the remainder of a division by zero"},
        {"return 1 << 32;",
         "line 4: a shift by fewer than 0 bits, or by as many as the number has, or more"},
        {"return b << 1;", "line 4: a negative number shifted to the left"},
        {"return (int)1e10;", "line 4: a number with a point that does not fit into a whole one"},
        {"if (a < 0) return 1;", "line 5: 'world_size' comes to its end without a return"},
        {"while (1) a ^= 1;\nreturn a;",
         "line 4: it did not come to an end within 100000 steps (outside)"},
        {"return world_size(a, b, c);",
         "line 4: 'world_size' calls itself too often, one call inside the other (outside)"},
        {"int t[2] = {0}, *p = t + 3; return *p;", "line 4: a pointer that leaves its array"},
        {"int x = 1, *p = &x; return p[1];", "line 4: 'p' has the elements 0 to 0, not 1"},
        {"int n = b, t[n]; return t[0];", "line 4: 't' would have -3 elements"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *got = run_body(cases[i].body);
        cr_expect_str_eq(got, cases[i].fault, "%s: %s", cases[i].body, got);
    }
}

static bool count_down(void *left, const char *what, int64_t done, int64_t total) {
    cr_assert(strcmp(what, "running") == 0 && done >= 0 && done <= total);
    return --*(int *)left > 0;
}

static void leave(void *context, const char *rows, size_t n_bytes) {
    (void)context, (void)rows, (void)n_bytes;
}

/* Asks for a loop without end; `patience`: how often it may go on. Returns how often it wanted to. */
static int loop(int patience, rs_status *status, rs_error *fault) {
    static const char endless[] =
        "int world_size(int a, int b, int c) { while (1) a ^= 1; return a; }";
    int left = patience;
    const rs_host host = {.context = &left, .progress = count_down};
    const rs_run_limits limits = {.n_steps = 20000000};
    const rs_program *program;
    rs_runner *runner;
    rs_arena arena;
    rs_arena_init(&arena, &host);
    cr_assert_eq(rs_program_read("", 0, endless, sizeof endless - 1, &arena, fault, &program),
                 RS_OK);
    cr_assert_eq(rs_runner_make(program, &limits, NULL, NULL, &arena, fault, &runner), RS_OK);
    *status = rs_runner_ask(runner, "world_size 7 -3 2", leave, NULL, fault);
    rs_arena_free(&arena);
    return patience - left;
}

/* A page lives while a function does not come to its end. */
Test(interpret, an_endless_loop_asks_the_host_again_and_again) {
    rs_status status;
    rs_error fault;
    const int n = loop(1000, &status, &fault);
    cr_expect(n >= 15 && n <= 25 && status == RS_UNSUPPORTED, "%d", n);
    cr_expect_str_eq(fault.text, "it did not come to an end within 20000000 steps");
    cr_expect_eq(loop(3, &status, &fault), 3);
    cr_expect(status == RS_CANCELLED && strcmp(fault.text, "cancelled while it was running") == 0,
              "%s", fault.text);
}

/* 3,500 numbers are more steps than there may be, 2,000 are not. */
Test(interpret, what_is_printed_takes_its_time) {
    for (int n = 2000; n <= 3500; n += 1500) {
        char text[300];
        snprintf(text, sizeof text,
                 "#include \"ring.h\"\n#include <stdio.h>\nint world_size(int a, int b, int c) {\n"
                 "for (int i = 0; i < %d; i++) printf(\"%%d\", 1);\nreturn a + b + c;\n}\n",
                 n);
        const char *got = ask_program(text, "world_size 7 -3 2");
        cr_expect_str_eq(
            got,
            n == 2000 ? "6\n" : "line 4: it did not come to an end within 100000 steps (outside)",
            "%s", got);
        if (n == 2000) cr_expect_eq(strlen(asked_said), (size_t)n);
    }
}

/* Eight elements of an array that is cleared are a step: 600,000 are fewer than there may be, 900,000 are not. */
Test(interpret, clearing_an_array_takes_its_time) {
    static const char *const ways[] = {"int t[1000] = {0};", "int t[1000];", "int n = 1000, t[n];"};
    for (int way = 0; way < 3; way++) {
        for (int n = 600; n <= 900; n += 300) {
            char text[200];
            snprintf(text, sizeof text, "for (int i = 0; i < %d; i++) {\n%s\nt[0] = 1; } return 6;",
                     n, ways[way]);
            const char *got = run_body(text);
            cr_expect_eq(strcmp(got, "6\n") == 0, n == 600, "%s %d times: %s", ways[way], n, got);
            if (n == 900) cr_expect_not_null(strstr(got, "it did not come to an end"), "%s", got);
        }
    }
}

Test(interpret, names_what_is_no_c_and_what_it_does_not_know) {
    static const struct {
        const char *body, *fault;
    } cases[] = {
        {"return x;", "line 4: 'x' is not declared"},
        {"return a\n;}", "line 6: a type is needed, not '}'"},
        {"int x = 1\nreturn x;", "line 4: ';' is missing"},
        {"const int x = 1; x = 2; return x;", "line 4: 'x' is const: it cannot be changed"},
        {"int a = 1; return a;", "line 4: 'a' is declared twice"},
        {"return 1.5 % 2;",
         "line 4: whole numbers are needed here: remainders and bits know no others"},
        {"a + 1 = 2; return a;", "line 4: only a variable, or an element, can be changed"},
        {"return send_chunk(a, b);",
         "line 4: 'send_chunk' is called with another number of arguments than it has"},
        {"return send_chunk(a, b, c);", "line 4: nobody defines 'send_chunk'"},
        {"return sqrt(2);", "line 4: the function 'sqrt' (outside)"},
        {"goto end; end: return 1;", "line 4: 'goto' (outside)"},
        {"union { int i; } u; return 1;", "line 4: 'union' (outside)"},
        {"int **p; return 1;", "line 4: a pointer to a pointer (outside)"},
        {"int (*f)(int); return 1;",
         "line 4: a pointer to a function, or brackets round a name (outside)"},
        {"return 08;", "line 4: '08' is no number"},
        {"return 0x;", "line 4: '0x' is no number"},
        {"return 0x1g;", "line 4: '0x1g' is no number"},
        {"return 18446744073709551616u > 0;",
         "line 4: the number '18446744073709551616u' (outside)"},
        {"return 02000000000000000000000 > 0;",
         "line 4: the number '02000000000000000000000' (outside)"},
        {"return 1; /* no end", "line 5: a comment without an end"},
        {"break;", "line 4: 'break' outside of a loop"},
        {"case 1: return 1;", "line 4: 'case' outside of a switch"},
        {"switch (a) { case 1: case 1: return 2; } return 0;", "line 4: the same case twice"},
        {"switch (a) { case 1: { case 2: return 2; } } return 0;",
         "line 4: a case inside of other brackets than its switch's (outside)"},
        {"return;", "line 4: 'world_size' must return a value (outside)"},
        {"#if 1\nreturn 1;\n#endif", "line 4: #if (outside)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *got = run_body(cases[i].body);
        cr_expect_str_eq(got, cases[i].fault, "%s: %s", cases[i].body, got);
    }
}

/* A name stands for up to 200 tokens; more, no name, or arguments are named, and not passed over. */
Test(interpret, a_define_is_taken_whole_or_named) {
    static const char after[] = "\nint world_size(int a, int b, int c) { return N; }\n";
    for (int n_tokens = 1; n_tokens < 260; n_tokens++) {
        const bool minus = n_tokens % 2 == 0;
        char text[1000], wanted[80];
        snprintf(text, sizeof text, "#define N %s1", minus ? "-" : "");
        for (int i = 1 + minus; i < n_tokens; i += 2) strcat(text, "+1");
        strcat(text, after);
        snprintf(wanted, sizeof wanted, "%d\n", (n_tokens + 1) / 2 - 2 * minus);
        const char *got = ask_program(text, "world_size 7 -3 2");
        cr_expect_str_eq(got,
                         n_tokens <= 200 ? wanted : "line 1: a #define that is so long (outside)",
                         "%d tokens: %s", n_tokens, got);
    }
    static const char *const cases[][2] = {
        {"#define", "line 1: #define needs a name"},
        {"#define 7 1", "line 1: #define needs a name"},
        {"#define N(x) x", "line 1: #define N with arguments (outside)"},
        {"#define N (3)", "3\n"},
        {"#define M 3\n#define N M", "3\n"},
        {"#define N", "line 2: 'world_size' must return a value (outside)"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s%s", cases[i][0], after);
        const char *got = ask_program(text, "world_size 7 -3 2");
        cr_expect_str_eq(got, cases[i][1], "%s: %s", cases[i][0], got);
    }
}

Test(interpret, answers_as_the_driver_does) {
    static const char ring[] =
        "#define ONE 1\n"
        "static int wrap(int i, int n) { return (i % n + n) % n; }\n"
        "int send_chunk(int step, int rank, int n) { return wrap(rank - step, n * ONE); }\n";
    cr_expect_str_eq(ask_program(ring, "schedule 2 0 0"),
                     "2 2\n0 0 1 0 1 0\n0 1 0 1 1 0\n1 0 1 1 1 1\n1 1 0 0 1 1\n");
    cr_expect_str_eq(
        ask_program("int send_chunk(int s, int r, int n) { return r - s + 0 * n; }",
                    "schedule 3 0 0"),
        "3 4\n0 0 1 0 1 0\n0 1 2 1 1 0\n0 2 0 2 1 0\n1 0 1 -1 1 0\n1 1 2 0 1 0\n1 2 0 1 1 0\n"
        "2 0 1 -2 1 1\n2 1 2 -1 1 1\n2 2 0 0 1 1\n3 0 1 -3 1 1\n");
    cr_expect_str_eq(ask_program("int x;", "schedule 3 0 0"), "missing\n");
    cr_expect_str_eq(
        ask_program("double busbw(int n, double b, double s) { return b / s * 2 * (n - 1) / n; }",
                    "busbw 4 3 2"),
        "2.25\n");
    cr_expect_str_eq(
        ask_program(
            "void plan_calls(int n, const int b[], int c[]) { for (int i = 1; i < n; i++) c[i] = b[i]; }",
            "plan_calls 2 5 6"),
        "0\n6\n");
    cr_expect_str_eq(
        ask_program(
            "int world_size(int a, int b, int c) { static int calls; return a + b + c + calls++; }",
            "world_size 1 x"),
        "no question");
    cr_expect_str_eq(ask_program(ring, "format /"), "no question");
}

/* Messages written one by one are the ring's own; of what is no message its numbers are the last. */
Test(interpret, asks_for_messages_as_the_driver_does) {
    static const char text[] =
        "int sends(int step, int rank, int n, rs_send out[]) {\n"
        "out->to = (rank + 1) % n, out->chunk = (rank - step + 2 * n) % n, out->copy = step >= n - 1;\n"
        "return 1; }";
    char ring[4096];
    for (int n = 2; n < 7; n++) {
        char question[32];
        snprintf(question, sizeof question, "schedule %d 0 0", n);
        ask_program(
            "int send_chunk(int step, int rank, int n) { return (rank - step + 2 * n) % n; }",
            question);
        snprintf(ring, sizeof ring, "%s", asked_answer);
        ask_program(text, question);
        cr_expect_str_eq(asked_answer, ring);
    }
    static const struct {
        const char *body, *says;
    } nonsense[] = {
        {"out->to = rank; return 1;", "3 4\n0 0 0 0 1 0\n"},
        {"out->to = n; return 1;", "3 4\n0 0 3 0 1 0\n"},
        {"out->to = 1 - rank, out->chunk = n; return 1;", "3 4\n0 0 1 3 1 0\n"},
        {"out->to = 1, out->chunk = 1, out->chunks = 3; return 1;", "3 4\n0 0 1 1 3 0\n"},
        {"return -1;", "3 4\ncount 0 0 -1\n"},
        {"return 1000000;", "3 4\ncount 0 0 1000000\n"}};
    for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++) {
        char program[400];
        snprintf(
            program, sizeof program,
            "int sends(int step, int rank, int n, rs_send out[]) { (void)step, (void)n, (void)rank, (void)out; %s }",
            nonsense[i].body);
        const char *got = ask_program(program, "schedule 3 0 0");
        cr_expect_str_eq(got, nonsense[i].says, "%s", nonsense[i].body);
    }
}

Test(interpret, knows_the_functions_of_math_h) {
    static const struct {
        const char *name;
        double (*one)(double), (*two)(double, double);
    } all[] = {{"sqrt", sqrt, NULL}, {"fabs", fabs, NULL},   {"floor", floor, NULL},
               {"ceil", ceil, NULL}, {"round", round, NULL}, {"trunc", trunc, NULL},
               {"exp", exp, NULL},   {"exp2", exp2, NULL},   {"log", log, NULL},
               {"log2", log2, NULL}, {"log10", log10, NULL}, {"pow", NULL, pow},
               {"fmin", NULL, fmin}, {"fmax", NULL, fmax},   {"fmod", NULL, fmod}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char text[200];
        snprintf(
            text, sizeof text,
            "#include <math.h>\ndouble busbw(int n, double b, double s) { (void)n, (void)s; return %s(b%s); }",
            all[i].name, all[i].two != NULL ? ", s" : "");
        const double wanted = all[i].two != NULL ? all[i].two(3.75, 1.5) : all[i].one(3.75);
        cr_expect_float_eq(strtod(ask_program(text, "busbw 4 3.75 1.5"), NULL), wanted, 1e-14, "%s",
                           all[i].name);
    }
    cr_expect_str_eq(
        ask_program(
            "#include <stdlib.h>\nint world_size(int a, int b, int c) { return abs(a) * 100 + abs(b) + c; }",
            "world_size -7 3 2"),
        "705\n");
}

Test(interpret, prints_what_the_program_prints) {
    ask_program(
        "#include <stdio.h>\nint world_size(int a, int b, int c) { printf(\"%d%%, %5.2f\\n\", a, b / 2.0); return c; }",
        "world_size 1 3 2");
    cr_expect_str_eq(asked_said, "1%,  1.50\n");
    cr_expect_str_eq(
        ask_program(
            "#include <stdio.h>\nint world_size(int a, int b, int c) { printf(\"%d\", 1.5); return a + b + c; }",
            "world_size 1 3 2"),
        "line 2: printf: %d and its like print whole numbers, and get another one (outside)");
}

Test(interpret, watches_a_call) {
    static const char text[] = "int send_chunk(int step, int rank, int n) {\n"
                               "    int chunk = rank - step;\n"
                               "    if (chunk < 0)\n"
                               "        chunk += n;\n"
                               "    else\n"
                               "        chunk = chunk + 0;\n"
                               "    return chunk;\n"
                               "}\n";
    OWN_ARENA arena = {0};
    rs_error fault;
    rs_watched watched;
    const rs_program *program;
    rs_runner *runner;
    cr_assert_eq(rs_program_read(asked_header, strlen(asked_header), text, strlen(text), &arena,
                                 &fault, &program),
                 RS_OK);
    cr_assert_eq(rs_runner_make(program, NULL, NULL, NULL, &arena, &fault, &runner), RS_OK);
    cr_assert_eq(rs_runner_watch(runner, 2, 1, 5, &watched, &fault), RS_OK);
    cr_expect_eq(watched.return_line, 7);
    cr_expect(watched.executed[1] && watched.executed[2] && watched.executed[3] &&
              !watched.executed[5] && watched.executed[6]);
    cr_assert_eq(watched.n_notes, 2);
    cr_expect(watched.notes[0].line == 2 && watched.notes[0].value == -1 &&
              strcmp(watched.notes[0].name, "chunk") == 0);
    cr_expect(watched.notes[1].line == 4 && watched.notes[1].value == 4);
}

/* Of ranges and of reducers one call follows the other, each of the same numbers. */
Test(interpret, asks_for_ranges_and_reducers_one_by_one) {
    static const char ranges[] =
        "void chunk_range(int count, int n, int c, int *first, int *length) {\n"
        "*first = count * c / n; *length = count * (c + 1) / n - *first; }\n";
    cr_expect_str_eq(ask_program(ranges, "chunk_range 10 4"), "0\n2\n2\n3\n5\n2\n7\n3\n");
    cr_expect_str_eq(ask_program(ranges, "chunk_range 0 2"), "0\n0\n0\n0\n");
    cr_expect_str_eq(
        ask_program("void chunk_range(int a, int b, int c, int *f, int *l) { if (c) *f = 3; }",
                    "chunk_range 9 2"),
        "-1\n-1\n3\n-1\n");
    static const char reducer[] =
        "int reducer_of(unsigned hash, int n) { return (int)(hash % (unsigned)n); }\n";
    cr_expect_str_eq(ask_program(reducer, "reducer_of 3 4 7 8 9 10"), "1\n2\n0\n1\n");
    cr_expect_str_eq(ask_program(reducer, "reducer_of 3 0"), "");
    cr_expect_str_eq(ask_program("int x;", "reducer_of 3 1 7"), "missing\n");
    cr_expect_str_eq(ask_program("int x;", "chunk_range 3 1"), "missing\n");
}

/* Backwards the ranks, the steps and each step's messages come in the other order: who keeps state is found out. */
Test(interpret, asks_for_a_schedule_from_both_ends) {
    static const char text[] =
        "int steps(int n) { return n; }\nint chunks(int n) { return n + 1; }\n"
        "int sends(int step, int rank, int n, rs_send out[]) {\n"
        "if (rank != step) return 0;\n"
        "for (int i = 0; i < 2; i++) out[i] = (rs_send){(rank + 1) % n, i, 1 + i, step == 1};\n"
        "return 2; }\n";
    cr_expect_str_eq(ask_program(text, "schedule 2 0 0"),
                     "3 2\n0 0 1 0 1 0\n0 0 1 1 2 0\n1 1 0 0 1 1\n1 1 0 1 2 1\n");
    cr_expect_str_eq(ask_program(text, "schedule 2 0 1"),
                     "3 2\n1 1 0 1 2 1\n1 1 0 0 1 1\n0 0 1 1 2 0\n0 0 1 0 1 0\n");
    cr_expect_str_eq(ask_program(text, "schedule 2 1 0"), "3 1\n0 0 1 0 1 0\n0 0 1 1 2 0\n",
                     "the first half alone");
    static const char *const sizes[][3] = {
        {"steps", "-1", "2 -1\n"}, {"chunks", "0", "0 2\n"}, {"chunks", "-5", "-5 2\n"}};
    for (int i = 0; i < 3; i++) {
        char program[300];
        snprintf(program, sizeof program,
                 "int %s(int n) { return %s + 0 * n; }\n"
                 "int sends(int s, int r, int n, rs_send out[]) { return 0; }\n",
                 sizes[i][0], sizes[i][1]);
        cr_expect_str_eq(ask_program(program, "schedule 2 0 0"), sizes[i][2]);
    }
}

/* A line that has something to do is executed where the call comes by, and nowhere else. */
Test(interpret, watches_every_kind_of_line) {
    static const char text[] = "int send_chunk(int step, int rank, int n) {\n"
                               "    int t[2];\n"            /* always */
                               "    for (;;) {\n"           /* always */
                               "        if (step == 9)\n"   /* always */
                               "            break;\n"       /* 5: at the end */
                               "        step++;\n"          /* unless it is 9 from the start */
                               "        switch (step) {\n"  /* as that */
                               "        case 4:\n"          /* - */
                               "            rank++;\n"      /* 9: where it was 3 or less */
                               "            continue;\n"    /* 10: as that */
                               "        }\n"                /* - */
                               "        n++;\n"             /* 12: unless it went from 3 or 9 */
                               "    }\n"                    /* - */
                               "    t[0] = rank;\n"         /* always */
                               "    return t[0] + 0 * n;\n" /* always */
                               "}\n";
    OWN_ARENA arena = {0};
    rs_error fault;
    const rs_program *program;
    rs_runner *runner;
    cr_assert_eq(rs_program_read(asked_header, strlen(asked_header), text, strlen(text), &arena,
                                 &fault, &program),
                 RS_OK);
    cr_assert_eq(rs_runner_make(program, NULL, NULL, NULL, &arena, &fault, &runner), RS_OK);
    for (int step = 0; step <= 9; step++) {
        rs_watched w;
        cr_assert_eq(rs_runner_watch(runner, step, 1, 5, &w, &fault), RS_OK);
        const bool turns = step < 9, fourth = step < 4;
        const bool wanted[17] = {
            [2] = true,   [3] = true,    [4] = true,   [5] = true,  [6] = turns, [7] = turns,
            [9] = fourth, [10] = fourth, [12] = turns, [14] = true, [15] = true};
        cr_expect_eq(w.returned, 1 + fourth);
        for (int line = 2; line <= 15; line++) {
            if (line == 8 || line == 11 || line == 13) continue;
            cr_expect(w.code[line - 1], "line %d", line);
            cr_expect_eq(w.executed[line - 1], wanted[line], "step %d, line %d", step, line);
        }
    }
}

/* Whatever bytes stand there: what is shown of them is a word of plain characters. */
Test(interpret, what_it_blames_can_be_shown) {
    static const char *const places[] = {"return a @ b;", "int @ = 1; return a;", "return x@y;",
                                         "return '@';",   "return 1@;",           "@"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        for (int byte = 1; byte < 256; byte++) {
            char text[200];
            rs_error fault = {.id = NULL};
            OWN_ARENA arena = {0};
            const rs_program *program;
            snprintf(text, sizeof text, "int world_size(int a, int b, int c) {\n%s\n}\n",
                     places[i]);
            *strchr(text, '@') = (char)byte;
            const rs_status status = rs_program_read(asked_header, strlen(asked_header), text,
                                                     strlen(text), &arena, &fault, &program);
            if (status == RS_BAD_INPUT) {
                cr_expect_not_null(fault.id);
                for (const char *at = fault.values; *at != '\0';
                     at++) /* a lone byte is no character */
                    cr_expect(*at >= ' ' && *at <= '~', "byte %d in %s: %d", byte, places[i], *at);
                cr_expect(fault.line >= 2 && fault.line <= 5, "line %d", (int)fault.line);
            }
        }
    }
}

/* Wherever the text ends, what lies behind it in memory is none of it. */
Test(interpret, reads_nothing_behind_the_end) {
    static const char text[] = "#define N 0x1fu\n#include \"ring.h\"\n/* a */ // b\n"
                               "double f(int a) { char c = '\\n', d = 'x'; a <<= .5 + 1.5e3f; a--; "
                               "return a >= c ? N - .25 : \"ab\\n\"[d]; }\n";
    static const char *const behind[] = {"5", "=", "'", "\"", "x", "/", "*/", "\n", "n'", ">", "."};
    for (size_t n = 0; n < sizeof text; n++) {
        rs_error wanted = {.id = NULL};
        for (size_t i = 0; i <= sizeof behind / sizeof *behind; i++) {
            char room[sizeof text + 8] = "";
            rs_error fault = {.id = NULL};
            OWN_ARENA arena = {0};
            const rs_program *program;
            memcpy(room, text, n);
            if (i > 0) strcpy(room + n, behind[i - 1]);
            const rs_status status = rs_program_read(asked_header, strlen(asked_header), room, n,
                                                     &arena, &fault, &program);
            if (status == RS_OK) fault = (rs_error){.id = NULL};
            if (i == 0) wanted = fault;
            cr_assert(fault.id == wanted.id && fault.line == wanted.line &&
                          strcmp(fault.text, wanted.text) == 0,
                      "%d bytes, then %s: line %d: %s", (int)n, i > 0 ? behind[i - 1] : "nothing",
                      (int)fault.line, fault.id != NULL ? fault.id : "all is well");
        }
    }
}

/* Memory that ends anywhere ends the reading in order. */
Test(interpret, ends_in_order_without_memory) {
    static const char text[] =
        "struct pair { int a, b; };\n"
        "static struct pair swap(struct pair p) { return (struct pair){p.b, p.a}; }\n"
        "int world_size(int a, int b, int c) { struct pair p = swap((struct pair){a, b}); return p.a + c; }\n";
    rs_error fault;
    const rs_program *program;
    rs_runner *runner;
    int n_failed = 0;
    for (size_t limit = 1024; limit < 7000000; limit += limit < 200000 ? 997 : 500000) {
        OWN_ARENA arena = {0};
        arena.limit_bytes = limit;
        rs_status status = rs_program_read(asked_header, strlen(asked_header), text, strlen(text),
                                           &arena, &fault, &program);
        if (status == RS_OK)
            status = rs_runner_make(program, NULL, NULL, NULL, &arena, &fault, &runner);
        n_failed += status != RS_OK;
        cr_assert(status == RS_OK || status == RS_NO_MEMORY || fault.id != NULL);
    }
    cr_expect_gt(n_failed, 10);
    cr_expect_str_eq(ask_program(text, "world_size 7 -3 2"), "-1\n");
}
