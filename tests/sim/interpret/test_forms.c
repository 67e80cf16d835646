/* test_forms.c: each form of C that the interpreter knows, with what a compiler's program gives (a = 7, b = -3, c = 2); each that
 * it does not know, or that is wrong, with its name: nothing is passed over in silence.
 */
#include "ask_program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

Test(forms, every_form_that_it_knows_is_what_c_makes_of_it) {
    static const char *const cases[][2] = {
        {"int static x = 1; return x;", "1\n"},
        {"static int x = 1; return x;", "1\n"},
        {"int t[a]; t[0] = 1; return t[0];", "1\n"},
        {"typedef int number; number x = 3; return x;", "3\n"},
        {"typedef struct { int a; } s; s v = {4}; return v.a;", "4\n"},
        {"int t[3] = {1, 2, 3}; return 1[t];", "2\n"},
        {"int t[3] = {1, 2, 3}; return *(1 + t);", "2\n"},
        {"int t[4]; return sizeof t / sizeof t[0];", "4\n"},
        {"return sizeof (a + 1.5);", "8\n"},
        {"return sizeof 'x';", "4\n"},
        {"const rs_send m = {1, 2}; return m.to;", "1\n"},
        {"return &a == &a;", "1\n"},
        {"int t[3], *p = t, *q = t + 2; return (p < q) + 2 * (p == q) + 4 * (q > p) + 8 * (p != q) + (int)(q - p) * 100;",
         "213\n"},
        {"int x = {5}; return x;", "5\n"},
        {"int x = {5,}; return x;", "5\n"},
        {"int x = (int){7}; return x;", "7\n"},
        {"float f = 3; double d = f + 0.5; f -= 1; return (int)(d * 10 + f) + !f + !d;", "37\n"},
        {"unsigned long u = 18446744073709551615u; float f = u; double d = u; return f > 1.8e19f && d > 1.8e19;",
         "1\n"},
        {"double d = 1.8e19; unsigned long u = d; return u > 18000000000000000000u;", "0\n"},
        {"float f = -3; return (int)f;", "-3\n"},
        {"return 0x1p3 + 0x1.8P1;", "11\n"},
        {"int x = 1, *p = &x; return *p + (p == p);", "2\n"},
        {"int v[2][2] = {{1, 2}, {3, 4}}, w[2][2]; return sizeof v == sizeof w;", "1\n"},
        {"for (int i = 0; i < 3; i++) { typedef int t; t x = i; a += x; } return a;", "10\n"},
        {"int x = sizeof(int[3]); return x;", "12\n"},
        {"_Bool f = 7; return f;", "1\n"},
        {"struct s { int a; struct { int b; } c; } v = {1, {2}}; return v.a + v.c.b;", "3\n"},
        {"struct s { int t[2]; } v = {{3, 4}}, w = v; return w.t[1];", "4\n"},
        {"do { a--; if (a == 3) continue; } while (a > 0); return a;", "0\n"},
        {"return (a, b);", "-3\n"},
        {"if (a) ; else return 1; return 2;", "2\n"},
        {"while (0) ; return 3;", "3\n"},
        {"enum e { A = 5 } v = A; return v + A;", "10\n"},
        {"int i; for (i = 0; i < 3; i++) ; return i;", "3\n"},
        {"int world_size = 4; return world_size;", "4\n"},
        {"return -2147483648 < 0;", "1\n"},
        {"return 5u - 6u > 0;", "1\n"},
        {"long x = 1L << 40; return x >> 38;", "4\n"},
        {"return ~0u == 4294967295u;", "1\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = run_body(cases[i][0]);
        cr_expect_str_eq(got, cases[i][1], "%s: %s", cases[i][0], got);
    }
}

Test(forms, every_form_that_it_does_not_know_is_named) {
    static const char *const cases[][2] = {
        {"int t[100000000]; return 1;", "line 4: an array that is too large (outside)"},
        {"int t[1000][100000000]; return 1;", "line 4: an array that is too large (outside)"},
        {"static int t[99999999]; return 1;", "line 4: an array that is too large (outside)"},
        {"struct s { void x; } v; return 1;", "line 4: such a field in a struct (outside)"},
        {"struct s { int (*f)(int); } v; return 1;",
         "line 4: a pointer to a function, or brackets round a name (outside)"},
        {"struct s { int a[99999999]; } v; return 1;",
         "line 4: an array that is too large (outside)"},
        {"struct nobody v; return 1;", "line 4: a struct that is not described before (outside)"},
        {"struct s *p; return 1;", "line 4: a struct that is not described before (outside)"},
        {"enum { A, 7 }; return 1;", "line 4: a name is needed, not '7'"},
        {"enum { A = a }; return 1;", "line 4: 'A' needs a constant"},
        {"enum { A = 3000000000 }; return 1;", "line 4: 'A' does not fit into an int (outside)"},
        {"short long x = 1; return 1;", "line 4: words that make no type together"},
        {"volatile int x = 1; return x;", "line 4: 'volatile' (outside)"},
        {"register int x = 1; return x;", "line 4: 'register' (outside)"},
        {"int t[2][a]; return 1;",
         "line 4: an array of arrays with a length that is computed (outside)"},
        {"int t[a][2]; return 1;",
         "line 4: an array of arrays with a length that is computed (outside)"},
        {"int t[1.5]; return 1;", "line 4: an array's length is a whole number"},
        {"int 7 = 1; return 1;", "line 4: a name is needed, not '7'"},
        {"int (x) = 1; return x;",
         "line 4: a pointer to a function, or brackets round a name (outside)"},
        {"int f(void); return 1;", "line 4: a function declared inside of another (outside)"},
        {"int t[a] = {0}; return 1;",
         "line 4: an array whose length is computed begins without values"},
        {"static int *p; return 1;",
         "line 4: a pointer that lives as long as the program (outside)"},
        {"static int x = a; return 1;", "line 4: what is static begins with constants"},
        {"switch (a) { case b: return 1; } return 0;", "line 4: a constant is needed here"},
        {"here: return 1;", "line 4: a label, 'here' (outside)"},
        {"int t[3], *p = t; return p * 2;",
         "line 4: pointers cannot be computed with like that: is a ';' missing before it?"},
        {"int t[3], *p = t; p += 1.5; return 1;", "line 4: numbers are needed here"},
        {"return -\"a\";", "line 4: a text between quotes (outside)"},
        {"struct s { int a; } v = {1}; return v + 1;", "line 4: numbers are needed here"},
        {"struct s { int a; } v = {1}; return -v;", "line 4: a number is needed here"},
        {"int t[3], u[3]; t = u; return 1;",
         "line 4: 't' is an array: its elements are assigned one by one"},
        {"struct s { int a; } v = {1}; v++; return 1;", "line 4: numbers are needed here"},
        {"return 1[2];", "line 4: [ ] needs an array and a whole number"},
        {"int t[3]; return t[1.5];", "line 4: [ ] needs an array and a whole number"},
        {"return a.x;", "line 4: what stands before the point is no struct"},
        {"return (a + 1).x;", "line 4: what stands before the point is no struct"},
        {"return a(1);", "line 4: 'a' is no function"},
        {"return world_size;", "line 4: a function that is not called (outside)"},
        {"int t[a]; return sizeof t;",
         "line 4: sizeof an array whose length is computed (outside)"},
        {"const rs_send m = {1, 2}; m.to = 3; return m.to;",
         "line 4: 'to' is const: it cannot be changed"},
        {"return &(a + 1) == 0;", "line 4: the address of that (outside)"},
        {"int t[2] = {1, 2, 3}; return 1;", "line 4: more values than there is room for (outside)"},
        {"rs_send m = {.nobody = 1}; return 1;", "line 4: the struct has no 'nobody'"},
        {"int t[4] = {[a] = 1}; return 1;", "line 4: a constant is needed here"},
        {"return (int[]){1, 2, 3}[1];",
         "line 4: values in { } that are neither a struct nor a variable's (outside)"},
        {"static int t[2] = {1, a}; return 1;", "line 4: what is static begins with constants"},
        {"return \"no end;", "line 4: a text without a closing quote"},
        {"return a $ b;", "line 4: the character '$' (outside)"},
        {"#include <nowhere.h>\nreturn 1;", "line 4: #include <nowhere.h> (outside)"},
        {"rs_send m[2] = {{1}, {2}}; return (a ? m[0] : m[1]).to;",
         "line 4: a struct out of ? : (outside)"},
        {"extern int x; return 1;", "line 4: a variable of another file (outside)"},
        {"int x = 1; { extern int y; } return x;", "line 4: a variable of another file (outside)"},
        {"void v; return 1;", "line 4: 'v' has no type"},
        {"int t[0]; return 1;", "line 4: an array without elements (outside)"},
        {"int t[-1]; return 1;", "line 4: an array without elements"},
        {"char c = 300; return c;", "line 4: 'c' is declared twice"},
        {"bool f = 7; return f;", "line 4: 'bool' is not declared"},
        {"int a2[2] = {1,2}; int *p = a2; p -= 1; return 1;",
         "line 4: a pointer that leaves its array"},
        {"int t[2]={1,2},*p=t; return p[2];", "line 4: 'p' has the elements 0 to 1, not 2"},
        {"return __builtin_abs(-1);", "line 4: '__builtin_abs' (outside)"},
        {"return abs(-4);", "line 4: the function 'abs' (outside)"},
        {"int x = 08; return x;", "line 4: '08' is no number"},
        {"return 1.5e; ", "line 4: '1.5e' is no number"},
        {"return 3 % 0;", "line 4: the remainder of a division by zero"},
        {"const int n = 3; int t[n]; return sizeof t;",
         "line 4: sizeof an array whose length is computed (outside)"},
        {"switch (a) { default: default: return 1; }", "line 4: the same case twice"},
        {"return '';", "line 4: a character that is not known (outside)"},
        {"return 'ab';", "line 4: a character that is not known (outside)"},
        {"return '\\q';", "line 4: a character that is not known (outside)"},
        {"return L'a';", "line 4: a text or a character with letters before it (outside)"},
        {"int x = printf(\"ab\"); return x;", "line 4: the function 'printf' (outside)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = run_body(cases[i][0]);
        cr_expect_str_eq(got, cases[i][1], "%s: %s", cases[i][0], got);
    }
}

Test(forms, what_stands_round_the_functions_is_named_too) {
    static const char *const cases[][2] = {
        {"int n = 3, t[n];\n", "line 1: 't' needs a constant"},
        {"\nstatic int t[2 * 3], u[t[0]];\n", "line 2: 'u' needs a constant"},
        {"int main(void) { return 1; }\n",
         "line 1: 'main' stays out: ringsim asks the functions itself"},
        {"int f(int x);\nfloat f(int x) { return x; }\n",
         "line 2: 'f' is declared otherwise before"},
        {"int f(int x);\nint f(long x);\n", "line 2: 'f' is declared otherwise before"},
        {"int f(int x);\nint f(int x, int y);\n", "line 2: 'f' is declared otherwise before"},
        {"int f;\nint f(int x);\n", "line 2: 'f' is declared otherwise before"},
        {"int f(int x) { return x; }\nint f(int x) { return x; }\n",
         "line 2: 'f' is defined twice"},
        {"int f(int) { return 1; }\n", "line 1: a parameter of 'f' has no name (outside)"},
        {"int f(int x, int x) { return 1; }\n", "line 1: 'x' is declared twice"},
        {"int f(static int x) { return x; }\n", "line 1: static does not belong here"},
        {"int f(extern int x) { return x; }\n", "line 1: static does not belong here"},
        {"int f(typedef int x) { return 1; }\n", "line 1: static does not belong here"},
        {"struct s { static int x; };\n", "line 1: static does not belong here"},
        {"int f(int a, ...) { return a; }\n",
         "line 1: a function of any number of arguments (outside)"},
        {"int f(void x) { return 1; }\n", "line 1: a parameter of no type"},
        {"int f(int a, int b, int c, int d, int e, int g, int h, int i, int j, int k, int l, int m, int n,\n"
         "int o, int p, int q, int r) { return a; }\n",
         "line 2: a function of so many parameters (outside)"},
        {"int t[600000];\nint u[600000];\n", "line 2: an array that is too large (outside)"},
        {"int **p;\n", "line 1: a pointer to a pointer (outside)"},
        {"void *p;\n", "line 1: a pointer to void (outside)"},
        {"int f(int t[sizeof(int[3])]\n", "line 1: ')' is missing"},
        {"int f(int t[[3]", "line 1: ']' is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = ask_program(cases[i][0], "world_size 7 -3 2");
        cr_expect_str_eq(got, cases[i][1], "%s: %s", cases[i][0], got);
    }
    const char *got = ask_program("int f(int t[sizeof(int[3])], int n) { return t[n]; }\n"
                                  "int f(int *, int n);\n"
                                  "int world_size(int a, int b, int c)\n"
                                  "{ int t[3] = {4, 5, 6}; return f(t, c) + a + b; }\n",
                                  "world_size 7 -3 2");
    cr_expect_str_eq(got, "10\n", "%s", got);
}

/* As many brackets inside each other, and as much text, as there may be; and one more. */
Test(forms, what_is_too_long_or_too_deep_is_named) {
    static char text[4000000];
    int deepest = 0;
    for (int deep = 1; deep < 420; deep++) {
        char *end = text + sprintf(text, "int world_size(int a, int b, int c) { return ");
        for (int i = 0; i < deep; i++) *end++ = '(';
        *end++ = 'c';
        for (int i = 0; i < deep; i++) *end++ = ')';
        strcpy(end, "; }");
        const char *got = ask_program(text, "world_size 7 -3 2");
        const bool bears = strcmp(got, "2\n") == 0;
        if (!bears) cr_expect_str_eq(got, "line 1: so many brackets inside each other (outside)");
        if (bears)
            cr_expect_eq(++deepest, deep, "%d brackets are too many, and %d are not", deep - 1,
                         deep);
    }
    cr_expect(deepest >= 190 && deepest < 400, "%d", deepest);
    for (int is_macro = 0; is_macro < 2; is_macro++) {
        const int n = is_macro ? 3000 : 200100;
        char *end = text + sprintf(text, "#define LONG");
        for (int i = 0; i < 90; i++) end += sprintf(end, " +1");
        end += sprintf(end, "\nint x = 1");
        for (int i = 0; i < n; i++) end += sprintf(end, is_macro ? " LONG" : "+1");
        strcpy(end, ";\n");
        cr_expect_str_eq(ask_program(text, "world_size 7 -3 2"),
                         "line 2: the program is too long (outside)");
    }
}
