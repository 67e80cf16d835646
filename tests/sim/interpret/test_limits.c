/* test_limits.c: how deep and how much: forms inside each other and one after the other, lengths of arrays, arguments; and what is
 * noted of a call that is watched.
 */
#include "ask_program.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 1 << 17 };
static char program[ROOM];
static size_t n_program;
static uint64_t state;

static int draw(int below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (int)((uint32_t)(state >> 33) % (uint32_t)below);
}

__attribute__((format(printf, 1, 2))) static void add(const char *form, ...) {
    va_list list;
    va_start(list, form);
    n_program += (size_t)vsnprintf(program + n_program, ROOM - n_program, form, list);
    va_end(list);
    cr_assert_lt(n_program, ROOM - 1);
}

static const char begin[] = "int world_size(int a, int b, int c) {\n";

static void begin_program(const char *head) {
    n_program = 0;
    add("%s", head);
}

static const char *ask(void) {
    return ask_program(program, "world_size 7 -3 2");
}

/* ------------------------------------------------------------------ brackets */

/* A form with a place inside itself, written as many times as is asked. */
static const struct {
    const char *before, *open, *inside, *close, *behind;
} nests[] = {{"return ", "(", "a", ")", ";"},
             {"return ", "- ", "a", "", " != 0 ? 7 : 7;"},
             {"return 7 + 0 * (", "a ? ", "1", " : 0", ");"},
             {"", "{ ", "return 7;", " }", " return 7;"},
             {"", "if (a) ", "return 7;", "", " return 7;"},
             {"int x; ", "x = ", "7", "", "; return x;"},
             {"struct s { ", "struct { ", "int a; ", "} x; ", "int z; } v; v.z = 7; return v.z;"},
             {"", "while (a) ", "return 7;", "", " return 7;"}};
enum { N_NESTS = sizeof nests / sizeof *nests };

static const char *nest(int which, int deep, int times) {
    begin_program(begin);
    for (int k = 0; k < times; k++) {
        add("%s", k + 1 < times ? "if (c > 9) {" : "{");
        add("%s", nests[which].before);
        for (int i = 0; i < deep; i++) add("%s", nests[which].open);
        add("%s", nests[which].inside);
        for (int i = 0; i < deep; i++) add("%s", nests[which].close);
        add("%s }\n", nests[which].behind);
    }
    add("return 7; }\n");
    return ask();
}

/* Each form is known a hundred deep, and up to a depth that is named beyond; those that ended do not count. */
Test(limits, what_has_ended_is_not_inside) {
    for (int which = 0; which < N_NESTS; which++) {
        int fine = 1, bad = 2000;
        while (bad - fine > 1) {
            const int middle = (fine + bad) / 2;
            if (strncmp(nest(which, middle, 1), "line", 4) != 0) {
                fine = middle;
            } else {
                bad = middle;
            }
        }
        cr_expect(fine > 100 && bad < 450, "%s: %d", nests[which].open, fine);
        const char *got = nest(which, bad, 1);
        cr_expect(strstr(got, "so many brackets inside each other (outside)") != NULL ||
                      strstr(got, "an expression that is so long (outside)") != NULL,
                  "%s: %s", nests[which].open, got);
        got = nest(which, 2, 500);
        cr_expect(strncmp(got, "line", 4) != 0, "%s, 500 times: %s", nests[which].open, got);
        got = nest(which, fine - 2, 3);
        cr_expect(strncmp(got, "line", 4) != 0, "%s, %d deep: %s", nests[which].open, fine - 2,
                  got);
    }
    begin_program("int f0(int a) { return a; }\n");
    for (int i = 1; i < 500; i++)
        add("int f%d(int a) { int t[2] = {1, f%d(a)}; return t[1]; }\n", i, i - 1);
    add("%sreturn f90(a); }\n", begin);
    cr_expect_str_eq(ask(), "7\n");
}

/* ------------------------------------------------------------------ lengths of arrays */

typedef enum length { TWO, THREE, NONE, ZERO, LESS, COMPUTED, POINT, N_LENGTHS } length;
static const char *const lengths[] = {"2", "3", "", "0", "-1", "a", "1.5"};

/* Up to four lengths, each of every kind: the variable's size, or the first length that is wrong. */
Test(limits, an_array_has_up_to_four_lengths) {
    int n_fine = 0;
    for (int n = 1; n <= 5; n++) {
        int count = 1;
        for (int i = 0; i < n; i++) count *= N_LENGTHS;
        for (int number = 0; number<count; number += n> 3 ? 11 : 1) {
            length of[5];
            int size = 4, computed = -1;
            const char *what = NULL;
            begin_program(begin);
            add("int t");
            for (int i = 0, rest = number; i < n; i++, rest /= N_LENGTHS) {
                of[i] = (length)(rest % N_LENGTHS);
                add("[%s]", lengths[of[i]]);
                size *= of[i] == TWO ? 2 : 3;
            }
            add(";\nreturn sizeof t; }\n");
            for (int i = 0; i < n && what == NULL; i++) {
                if (i == 4) what = "an array with so many lengths";
                if (i < 4 && of[i] == POINT) what = "an array's length is a whole number";
                if (i < 4 && of[i] == COMPUTED && i > 0)
                    what = "an array of arrays with a length that is computed";
                if (i == 0 && of[i] == COMPUTED) computed = i;
            }
            if (what == NULL && computed == 0 && n > 1)
                what = "an array of arrays with a length that is computed";
            if (what == NULL && computed == 0) what = "sizeof an array whose length is computed";
            for (int i = n - 1; i >= 0 && what == NULL; i--) {
                if (of[i] == ZERO || of[i] == LESS) what = "an array without elements";
                if (of[i] == NONE) what = "";
            }
            const char *got = ask();
            char wanted[20];
            snprintf(wanted, sizeof wanted, "%d\n", size);
            if (what == NULL) {
                cr_assert_str_eq(got, wanted, "%s: %s", program, got);
                n_fine++;
            } else {
                cr_assert(strncmp(got, "line ", 5) == 0 && strstr(got, what) != NULL, "%s: %s",
                          program, got);
            }
        }
    }
    cr_assert_gt(n_fine, 10);
}

/* Of a parameter the first length does not count, whatever stands there. */
Test(limits, a_parameter_s_first_length_is_skipped) {
    static const char *const firsts[] = {"",    "0",      "-1",         "a",
                                         "1.5", "nobody", "t[2][u[1]]", "const"};
    for (int i = 0; i < 8; i++) {
        begin_program("int last(int a, int t[");
        add("%s][2]) { return t[a][1]; }\n", firsts[i]);
        add("%sint t[3][2] = {{1, 2}, {3, 4}, {5, 6}}; return last(2, t) + last(0, t); }\n", begin);
        cr_expect_str_eq(ask(), "8\n", "[%s]", firsts[i]);
    }
    static const char *const wrong[] = {"int t[", "int t[[", "int t[]]", "int t[2]["};
    for (int i = 0; i < 4; i++) {
        begin_program("int last(");
        add("%s", wrong[i]);
        cr_expect(strncmp(ask(), "line 1: ", 8) == 0, "%s", wrong[i]);
    }
}

/* ------------------------------------------------------------------ arguments */

/* Functions have up to 16 parameters; printf as many numbers. */
Test(limits, there_are_16_arguments) {
    for (int n = 1; n < 20; n++) {
        int sum = 0;
        begin_program("#include <stdio.h>\nint f(");
        for (int i = 0; i < n; i++) add("%sint p%d", i > 0 ? ", " : "", i);
        add(") { return ");
        for (int i = 0; i < n; i++) add("%sp%d * %d", i > 0 ? " + " : "", i, i + 1);
        add("; }\n%sreturn f(", begin);
        for (int i = 0; i < n; i++) {
            add("%s%d", i > 0 ? ", " : "", i * i);
            sum += i * i * (i + 1);
        }
        add("); }\n");
        const char *got = ask();
        char wanted[40];
        snprintf(wanted, sizeof wanted, "%d\n", sum);
        cr_expect_str_eq(got,
                         n <= 16 ? wanted : "line 2: a function of so many parameters (outside)",
                         "%d: %s", n, got);
        for (int more = -1; more <= 1; more++) { /* marks than numbers */
            char said[100] = "";
            const int marks = n + more;
            begin_program("#include <stdio.h>\n");
            add("%sprintf(\"", begin);
            for (int i = 0; i < marks; i++) {
                add("%%d,");
                snprintf(said + strlen(said), sizeof said - strlen(said), "%d,", i);
            }
            add("\"");
            for (int i = 0; i < n; i++) add(", %d", i);
            add("); return 7; }\n");
            got = ask();
            if (marks <= n && marks <= 16) {
                cr_expect(strcmp(got, "7\n") == 0 && strcmp(asked_said, said) == 0, "%s: %s",
                          program, got);
            } else {
                cr_expect_str_eq(got, "line 3: printf: more marks than numbers", "%s", program);
            }
        }
    }
}

/* ------------------------------------------------------------------ what is noted */

typedef struct noted {
    int line;
    char name[40];
    double value;
} noted;

static noted notes[400];
static int n_notes, line;

static void note(const char *name, double value) {
    int at = 0;
    if (strlen(name) > 23) return;
    while (at < n_notes && !(notes[at].line == line && strcmp(notes[at].name, name) == 0)) at++;
    if (at == n_notes) {
        if (n_notes >= RS_MOST_NOTES) return;
        n_notes++;
        notes[at].line = line;
        snprintf(notes[at].name, sizeof notes[at].name, "%s", name);
    }
    notes[at].value = value;
}

/* Lines that write local numbers, and others that write something else; of each line and variable the last value is noted, in the
   order of the lines. */
Test(limits, a_watched_call_notes_what_each_line_wrote_last) {
    static const char *const names[] = {"x", "long_name_of_22_signs_", "long_name_of_23_signs__",
                                        "long_name_of_24_signs___", "y"};
    for (uint64_t seed = 1; seed <= 400; seed++) {
        const bool lists = seed % 3 == 0;
        state = seed;
        n_notes = 0;
        begin_program("static int g;\nint help(int x) {\nint z = x + 1;\nreturn z;\n}\n");
        add("int %s(int step, int rank, int n%s) {\n", lists ? "sends" : "send_chunk",
            lists ? ", rs_send out[]" : "");
        add("int x = 0, long_name_of_22_signs_ = 0, long_name_of_23_signs__ = 0, "
            "long_name_of_24_signs___ = 0, t[2], *p = t; double y = .5; rs_send m;\n");
        line = 7;
        for (int i = 0; i < 4; i++) note(names[i], 0);
        note("y", .5);
        bool executed[RS_MOST_WATCHED] = {[6] = true};
        const int n = draw(seed % 7 == 0 ? 90 : 20);
        for (int i = 0; i < n; i++) {
            const char *name = names[draw(4)];
            const int value = draw(50);
            line++;
            executed[line - 1] = true;
            switch (draw(9)) {
            case 0: add("%s = %d;\n", name, value), note(name, value); break;
            case 1: add("y = %d.25;\n", value), note("y", value + .25); break;
            case 2:
                add("x = %d, y = x, x++;\n", value);
                note("x", value), note("y", value), note("x", value + 1);
                break;
            case 3: add("t[1] = *p = m.to = g = %d;\n", value); break;
            case 4: add("g += help(%d);\n", value), executed[2] = executed[3] = true; break;
            case 5:
                add("for (x = 0; x < 3; x++) %s = x + %d;\n", names[1 + draw(2)], value);
                program[n_program - 1] = '\n';
                note("x", 0);
                note(strstr(program + n_program - 40, "_22_") != NULL ? names[1] : names[2],
                     value + 2);
                note("x", 3);
                break;
            case 6:
                add("if (n == 0)\nx = %d;\n", value); /* it is 5 */
                line++;
                break;
            case 7:
                add("if (n)\n%s = %d;\n", name, value);
                line++;
                executed[line - 1] = true;
                note(name, value);
                break;
            default: add("step -= 0;\n"), note("step", 2);
            }
        }
        add("return step + rank + %d;\n}\n", (int)seed);
        line++;
        executed[line - 1] = true;
        rs_arena arena;
        rs_trouble trouble;
        rs_watched w;
        const rs_program *read;
        rs_runner *runner;
        rs_arena_init(&arena, NULL);
        cr_assert_eq(rs_program_read(asked_header, strlen(asked_header), program, n_program, &arena,
                                     &trouble, &read),
                     RS_OK, "%s%d: %s", program, (int)trouble.line, trouble.what);
        cr_assert_eq(rs_runner_make(read, NULL, NULL, NULL, &arena, &trouble, &runner), RS_OK);
        cr_assert_eq(rs_runner_watch(runner, 2, 1, 5, &w, &trouble), RS_OK);
        cr_assert(w.returned == 3 + (int)seed && w.return_line == line && w.n_lines >= line);
        for (int i = 2; i < line; i++)
            cr_assert(i == 4 || i == 5 || w.executed[i] == executed[i], "%s line %d", program,
                      i + 1);
        cr_assert_eq(w.n_notes, n_notes, "%s: %d, not %d", program, (int)w.n_notes, n_notes);
        for (int i = 0; i < n_notes; i++)
            cr_assert(w.notes[i].line == notes[i].line && w.notes[i].value == notes[i].value &&
                          strcmp(w.notes[i].name, notes[i].name) == 0,
                      "%s: note %d: line %d, %s", program, i, (int)w.notes[i].line,
                      w.notes[i].name);
        rs_arena_free(&arena);
    }
}

/* A line that comes later may stand before one that was executed. */
Test(limits, notes_stand_in_the_order_of_their_lines) {
    for (int from = 0; from < 6; from++) {
        begin_program(
            "int send_chunk(int step, int rank, int n) {\nfor (; step < 12; step++)\nswitch (step % 6) {\n");
        for (int i = 0; i < 6; i++)
            add("case %d: n = step * 10; rank = step; break;\n", (i + from) % 6);
        add("}\nreturn 0;\n}\n");
        rs_arena arena;
        rs_trouble trouble;
        rs_watched w;
        const rs_program *read;
        rs_runner *runner;
        rs_arena_init(&arena, NULL);
        cr_assert_eq(rs_program_read("", 0, program, n_program, &arena, &trouble, &read), RS_OK);
        cr_assert_eq(rs_runner_make(read, NULL, NULL, NULL, &arena, &trouble, &runner), RS_OK);
        cr_assert_eq(rs_runner_watch(runner, 0, 1, 5, &w, &trouble), RS_OK);
        cr_assert_eq(w.n_notes, 13);
        cr_assert(w.notes[0].line == 2 && w.notes[0].value == 12);
        for (int i = 0; i < 12; i++) {
            const int step = 6 + (i / 2 + from) % 6;
            cr_assert(w.notes[1 + i].line == 4 + i / 2 &&
                          w.notes[1 + i].value == step * (i % 2 ? 1 : 10) &&
                          strcmp(w.notes[1 + i].name, i % 2 ? "rank" : "n") == 0,
                      "from %d: note %d: line %d, %s", from, i, (int)w.notes[1 + i].line,
                      w.notes[1 + i].name);
        }
        rs_arena_free(&arena);
    }
}
