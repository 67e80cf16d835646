/* test_limits.c: how deep and how much: forms inside each other and one after the other, lengths of arrays, arguments.
 */
#include "program_text.h"

static const char begin[] = "int world_size(int a, int b, int c) {\n";

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

/* What an enum counts fits into an int, said or counted on from the one before. */
Test(limits, an_enum_s_numbers_fit_into_an_int) {
    for (int64_t end = 0; end < 2; end++) {
        for (int64_t off = -2; off <= 2; off++) {
            const int64_t number = (end == 0 ? INT32_MIN : INT32_MAX) + off;
            const bool is = number >= INT32_MIN && number <= INT32_MAX;
            const bool next = number + 1 >= INT32_MIN && number + 1 <= INT32_MAX;
            for (int more = 0; more < 2; more++) {
                char wanted[80];
                begin_program(begin);
                add("enum { A = %lld%s };\nreturn %s == %lld; }\n", (long long)number,
                    more ? ", B" : "", more ? "B" : "A", (long long)number + more);
                snprintf(wanted, sizeof wanted, "line 2: '%s' does not fit into an int (outside)",
                         is ? "B" : "A");
                cr_expect_str_eq(ask(), is && (next || !more) ? "1\n" : wanted, "%s", program);
            }
        }
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
                cr_expect_str_eq(got, "line 3: printf: more marks than numbers (outside)", "%s",
                                 program);
            }
        }
    }
}
