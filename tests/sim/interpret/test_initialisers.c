/* test_initialisers.c: drawn values between braces: of arrays whose length they give, of structs, of arrays of arrays, in order
 * and by name; each element is what C says, and there are as many.
 */
#include "ask_program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 9, TEXT = 1500 };

static uint64_t state;
static char text[TEXT];
static size_t n_text;

static int draw(int below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (int)((uint32_t)(state >> 33) % (uint32_t)below);
}

#define SAY(...)                                                                                   \
    do {                                                                                           \
        n_text += (size_t)snprintf(text + n_text, TEXT - n_text, __VA_ARGS__);                     \
        cr_assert_lt(n_text, TEXT);                                                                \
    } while (0)

/* A number of a few signs, with brackets and commas in it or none; a is 7, b -3, c 2. */
static int say_number(void) {
    const int n = draw(50);
    switch (draw(8)) {
    case 0: SAY("(%d)", n); return n;
    case 1: SAY("((%d) + a)", n); return n + 7;
    case 2: SAY("k[%d]", n % 4); return 10 * (n % 4);
    case 3: SAY("add(%d, b)", n); return n - 3;
    case 4: SAY("add(k[%d], add(1, (%d)))", n % 4, n); return 10 * (n % 4) + 1 + n;
    case 5: SAY("k[add(1, 1)] + %d", n); return 20 + n;
    case 6: SAY("(a, %d)", n); return n;
    default: SAY("%d", n); return n;
    }
}

static const char *ask(void) {
    char program[TEXT + 200];
    snprintf(program, sizeof program,
             "typedef struct pair { int one; int two; } pair;\n"
             "int add(int x, int y) { return x + y; }\n"
             "int world_size(int a, int b, int c) {\nint k[] = {0, 10, 20, 30};\n%s\n}\n",
             text);
    return ask_program(program, "world_size 7 -3 2");
}

Test(initialisers, an_array_is_as_long_as_it_has_values) {
    for (uint64_t seed = 1; seed <= 600; seed++) {
        int values[MOST], n = 1 + draw(MOST);
        state = seed * 0x9e3779b97f4a7c15;
        n = 1 + draw(MOST);
        n_text = 0;
        SAY("int t[] = {");
        for (int i = 0; i < n; i++) {
            values[i] = say_number();
            if (i < n - 1 || draw(3) == 0) SAY(",");
            if (draw(3) == 0) SAY("\n");
        }
        SAY("}, u = 5;\nif (sizeof t / sizeof t[0] != %d) return -1;\nif (u != 5) return -2;\n", n);
        for (int i = 0; i < n; i++) SAY("if (t[%d] != %d) return %d;\n", i, values[i], 100 + i);
        SAY("return 1;");
        const char *got = ask();
        cr_assert_str_eq(got, "1\n", "seed %d: %s: %s", (int)seed, got, text);
    }
}

Test(initialisers, an_array_of_structs_or_arrays_is_as_long_as_it_has_braces) {
    for (uint64_t seed = 1; seed <= 600; seed++) {
        int values[MOST][2] = {{0}};
        state = seed * 0x9e3779b97f4a7c15;
        const int n = 1 + draw(MOST);
        const bool structs = draw(2) == 0, length = draw(3) == 0;
        n_text = 0;
        SAY("%s = {", structs  ? length ? "pair t[9]" : "pair t[]"
                      : length ? "int t[9][2]"
                               : "int t[][2]");
        for (int i = 0; i < n; i++) {
            SAY("{");
            const int form = draw(structs ? 5 : 3);
            if (form == 1) values[i][0] = say_number();
            if (form == 2) {
                values[i][0] = say_number();
                SAY(", ");
                values[i][1] = say_number();
            }
            if (form == 0) SAY("0"); /* one value, the rest is nothing */
            if (form > 2) {
                const int first = form - 3;
                SAY(first == 0 ? ".one = " : ".two = ");
                values[i][first] = say_number();
                SAY(first == 0 ? ", .two = " : ", .one = ");
                values[i][1 - first] = say_number();
            }
            SAY(draw(4) ? "}" : ",}");
            if (i < n - 1 || draw(3) == 0) SAY(",");
        }
        SAY("};\nif (sizeof t / sizeof t[0] != %d) return -1;\n", length ? 9 : n);
        for (int i = 0; i < (length ? 9 : n); i++) {
            for (int k = 0; k < 2; k++)
                SAY(structs ? "if (t[%d].%s != %d) return %d;\n"
                            : "if (t[%d][%s] != %d) return %d;\n",
                    i,
                    structs ? k ? "two" : "one"
                    : k     ? "1"
                            : "0",
                    i < n ? values[i][k] : 0, 100 + i);
        }
        SAY("return 1;");
        const char *got = ask();
        cr_assert_str_eq(got, "1\n", "seed %d: %s: %s", (int)seed, got, text);
    }
}

/* Places by number, forwards and back; a value behind one goes on from there, the last one counts. */
Test(initialisers, a_place_by_number_is_where_the_values_go_on) {
    for (uint64_t seed = 1; seed <= 600; seed++) {
        int values[MOST] = {0}, at = 0;
        state = seed * 0x9e3779b97f4a7c15;
        n_text = 0;
        SAY("int t[%d] = {", (int)MOST);
        const int n = 1 + draw(8);
        for (int i = 0; i < n; i++) {
            if (at == MOST || draw(3) == 0) {
                at = draw(MOST);
                SAY("[%d] = ", at);
            }
            values[at++] = say_number();
            if (i < n - 1 || draw(3) == 0) SAY(", ");
        }
        SAY("};\n");
        for (int i = 0; i < MOST; i++) SAY("if (t[%d] != %d) return %d;\n", i, values[i], 100 + i);
        SAY("return 1;");
        const char *got = ask();
        cr_assert_str_eq(got, "1\n", "seed %d: %s: %s", (int)seed, got, text);
    }
    static const char *const wrong[][2] = {
        {"int t[3] = {[3] = 1};", "more values than there is room for"},
        {"int t[3] = {[-1] = 1};", "more values than there is room for"},
        {"int t[3] = {[2] = 1, 2};", "more values than there is room for (outside)"},
        {"int t[] = {[2] = 1};", "the array 't' has no length (outside)"},
        {"int t[] = {1, [2] = 1};", "the array 't' has no length (outside)"},
        {"int t[];", "the array 't' has no length"},
        {"pair m = {1, 2, 3};", "more values than there is room for (outside)"},
        {"pair m = {.two = 1, 2};", "more values than there is room for (outside)"},
        {"int x = {1, 2};", "more values than there is room for (outside)"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        n_text = 0;
        SAY("%s return 1;", wrong[i][0]);
        char wanted[100];
        snprintf(wanted, sizeof wanted, "line 5: %s", wrong[i][1]);
        cr_expect_str_eq(ask(), wanted, "%s: %s", text, ask());
    }
}

/* ------------------------------------------------------------------ what takes room */

/* A struct has up to 32 fields, of numbers, structs and arrays. */
Test(initialisers, a_struct_has_up_to_32_fields) {
    for (int n = 1; n < 36; n++) {
        n_text = 0;
        SAY("struct s { ");
        for (int i = 0; i < n; i++)
            SAY(i % 2 ? "int f%d%s; " : "short f%d%s; ", i, i % 5 ? "" : "[2]");
        SAY("} v = {.f%d%s = %s7}; return %s + v.f%d%s * 100;", n - 1, "", (n - 1) % 5 ? "" : "{",
            "0", n - 1, (n - 1) % 5 ? "" : "[0]");
        if ((n - 1) % 5 == 0) { /* an array's values have braces of their own */
            char *close = strstr(text, "7}; ");
            memmove(close + 3, close + 2, strlen(close + 2) + 1);
            close[1] = close[2] = '}';
        }
        const char *got = ask();
        cr_assert_str_eq(got, n <= 32 ? "700\n" : "line 5: such a field in a struct (outside)",
                         "%d: %s: %s", n, got, text);
    }
    static const char *const wrong[] = {
        "struct s { int f(int x); } v; return 1;", "struct s { int t[a]; } v; return 1;",
        "struct s { int x, t[a]; } v; return 1;", "struct s { void x; } v; return 1;"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        n_text = 0;
        SAY("%s", wrong[i]);
        cr_expect_str_eq(ask(), "line 5: such a field in a struct (outside)", "%s: %s", text,
                         ask());
    }
}

/* A function's variables take time and room with each call: 100,000 steps and 262,144 cells there are. */
Test(initialisers, calls_take_time_and_room_for_their_variables) {
    for (int times = 300; times <= 600; times += 300) {
        char program[400];
        snprintf(program, sizeof program,
                 "int f(int x) { int t[1000]; t[x] = x; return t[x]; }\n"
                 "int world_size(int a, int b, int c) {\nint s = 0;\n"
                 "for (int i = 0; i < %d; i++) s += f(3);\nreturn s + a + b + c;\n}\n",
                 times);
        const char *got = ask_program(program, "world_size 0 0 0");
        cr_expect_eq(strcmp(got, "900\n") == 0, times == 300, "%d: %s", times, got);
        if (times > 300) cr_expect_not_null(strstr(got, "it did not come to an end"), "%s", got);
    }
    for (int deep = 1; deep < 20; deep++) {
        char program[400], wanted[80];
        snprintf(program, sizeof program,
                 "int f(int x) { int t[20000]; t[0] = x;\n"
                 "return x > 1 ? 1 + f(x - 1) : t[0]; }\n"
                 "int world_size(int a, int b, int c) {\nreturn f(%d) + a + b + c;\n}\n",
                 deep);
        snprintf(wanted, sizeof wanted, "%d\n", deep);
        const char *got = ask_program(program, "world_size 0 0 0");
        cr_expect_str_eq(
            got, deep < 14 ? wanted : "line 2: 'f' needs more memory than there is (outside)",
            "%d: %s", deep, got);
    }
}
