/* test_arithmetic.c: every pair of types, with every operator: the same as the compiler that builds this test makes of it; at
 * the bounds of a type, what C leaves undefined is named; words that make a type, and those that make none.
 */
#include "ask_program.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wimplicit-float-conversion"
#endif

typedef signed char schar;
typedef unsigned char uchar;
typedef unsigned short ushort_;
typedef unsigned long ulong_;

/* ------------------------------------------------------------------ pairs of types */

static const char *const names[] = {"signed char", "unsigned char", "short", "unsigned short",
                                    "int",         "unsigned",      "long",  "unsigned long",
                                    "float",       "double"};
enum { FIRST_REAL = 8, N_TYPES = 10 };

typedef struct result {
    double sum[10], update[10], order[6];
    int size;
} result;

/* x and y in the types T and U; what is undefined is left out by `is`. */
#define REALS(T, U)                                                                                \
    const T t = (T)x;                                                                              \
    const U u = (U)y;                                                                              \
    T v[4] = {t, t, t, t};                                                                         \
    r->sum[0] = (double)(t + u), r->sum[1] = (double)(t - u);                                      \
    r->sum[2] = (double)(t * u), r->sum[3] = (double)(t / u);                                      \
    if (is) {                                                                                      \
        v[0] += u, v[1] -= u, v[2] *= u, v[3] /= u;                                                \
        for (int i = 0; i < 4; i++) r->update[i] = (double)v[i];                                   \
    }                                                                                              \
    r->order[0] = t<u, r->order[1] = t> u, r->order[2] = t <= u;                                   \
    r->order[3] = t >= u, r->order[4] = t == u, r->order[5] = t != u;                              \
    r->size = (int)sizeof(t + u)
#define WHOLE(T, U)                                                                                \
    T w[6] = {t, t, t, t, t, t};                                                                   \
    r->sum[4] = (double)(t % u), r->sum[5] = (double)(t & u), r->sum[6] = (double)(t ^ u);         \
    r->sum[7] = (double)(t | u);                                                                   \
    w[0] %= u, w[1] &= u, w[2] ^= u, w[3] |= u;                                                    \
    if (x >= 0 && y >= 0) {                                                                        \
        r->sum[8] = (double)(t << u), r->sum[9] = (double)(t >> u);                                \
        w[4] <<= u, w[5] >>= u;                                                                    \
    }                                                                                              \
    for (int i = 0; i < 6; i++) r->update[4 + i] = (double)w[i]

#define ROW(ON, T)                                                                                 \
    ON(T, schar)                                                                                   \
    ON(T, uchar) ON(T, short) ON(T, ushort_) ON(T, int) ON(T, unsigned) ON(T, long) ON(T, ulong_)
#define TABLE(ON)                                                                                  \
    ROW(ON, schar)                                                                                 \
    ROW(ON, uchar)                                                                                 \
    ROW(ON, short) ROW(ON, ushort_) ROW(ON, int) ROW(ON, unsigned) ROW(ON, long) ROW(ON, ulong_)
#define ONE_WHOLE(T, U)                                                                            \
    static void T##_##U(double x, double y, bool is, result *r) {                                  \
        REALS(T, U);                                                                               \
        WHOLE(T, U);                                                                               \
    }
#define ONE_REAL(T, U)                                                                             \
    static void T##_##U(double x, double y, bool is, result *r) {                                  \
        REALS(T, U);                                                                               \
    }
#define WITH_REALS(T, U) ONE_REAL(T, U) ONE_REAL(U, T)
TABLE(ONE_WHOLE)
ROW(WITH_REALS, float)
ROW(WITH_REALS, double)
ONE_REAL(float, float)
ONE_REAL(float, double)
ONE_REAL(double, float)
ONE_REAL(double, double)

#define PLACE(T, U) T##_##U,
#define ALL_OF(T)                                                                                  \
    { ROW(PLACE, T) T##_float, T##_double }
static void (*const pairs[N_TYPES][N_TYPES])(double, double, bool, result *) = {
    ALL_OF(schar),    ALL_OF(uchar), ALL_OF(short),  ALL_OF(ushort_), ALL_OF(int),
    ALL_OF(unsigned), ALL_OF(long),  ALL_OF(ulong_), ALL_OF(float),   ALL_OF(double)};

static const char *const signs[] = {"+", "-", "*", "/", "%", "&", "^", "|", "<<", ">>"};
static const char *const orders[] = {"<", ">", "<=", ">=", "==", "!="};

/* Is a whole type's new value none that a number with a point can be made to? */
static bool fits(int t, double d) {
    return d > (t % 2 == 0 ? -120 : -1) && d < 120;
}

static char program[4000], wanted[4000];
static size_t n_program, n_wanted;

#define PROGRAM(...)                                                                               \
    n_program += (size_t)snprintf(program + n_program, sizeof program - n_program, __VA_ARGS__)
#define WANTED(...)                                                                                \
    n_wanted += (size_t)snprintf(wanted + n_wanted, sizeof wanted - n_wanted, __VA_ARGS__)

/* A program that prints all that a pair comes to, and what it should print. */
static void make_program(int t, int u, double x, double y) {
    const double all[] = {x + y, x - y, x * y, x / y};
    const bool whole = t < FIRST_REAL && u < FIRST_REAL;
    bool is = true;
    for (int k = 0; k < 4 && t < FIRST_REAL && u >= FIRST_REAL; k++) is = is && fits(t, all[k]);
    result r = {0};
    pairs[t][u](x, y, is, &r);
    n_program = n_wanted = 0;
    PROGRAM("#include <stdio.h>\nint world_size(int a, int b, int c) {\n"
            "%s t = %.1f, v; %s u = %.1f;\n",
            names[t], x, names[u], y);
    for (int k = 0; k < (!whole ? 4 : x >= 0 && y >= 0 ? 10 : 8); k++) {
        PROGRAM("printf(\"%%.17g \", (double)(t %s u));\n", signs[k]);
        WANTED("%.17g ", r.sum[k]);
        if (!is && k < 4) continue;
        PROGRAM("v = t; v %s= u; printf(\"%%.17g \", (double)v);\n", signs[k]);
        WANTED("%.17g ", r.update[k]);
    }
    for (int k = 0; k < 6; k++) {
        PROGRAM("printf(\"%%d \", t %s u);\n", orders[k]);
        WANTED("%d ", (int)r.order[k]);
    }
    PROGRAM("printf(\"%%d\", (int)sizeof(t + u));\nreturn a + b + c; }\n");
    WANTED("%d", r.size);
    cr_assert(n_program < sizeof program - 1 && n_wanted < sizeof wanted - 1);
}

Test(arithmetic, of_every_pair_of_types_is_what_the_compiler_makes_of_it) {
    static const double values[][2] = {{7, 2.5}, {100, 3}, {-7, 2}, {9, -4},
                                       {5, 5},   {-1, 1},  {1, -1}};
    for (int t = 0; t < N_TYPES; t++) {
        for (int u = 0; u < N_TYPES; u++) {
            for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
                const double x = t % 2 == 1 && t < FIRST_REAL ? fabs(values[i][0]) : values[i][0];
                const double y = u % 2 == 1 && u < FIRST_REAL ? fabs(values[i][1]) : values[i][1];
                make_program(t, u, x, y);
                cr_assert_str_eq(ask_program(program, "world_size 1 1 1"), "3\n", "%s", program);
                cr_assert_str_eq(asked_said, wanted, "%s%s, not %s", program, asked_said, wanted);
            }
        }
    }
}

/* Remainders, shifts and bits want whole numbers, on either side, in sums and in updates. */
Test(arithmetic, remainders_and_bits_want_whole_numbers) {
    static const char needed[] =
        "line 4: whole numbers are needed here: remainders and bits know no others";
    for (int k = 4; k < 10; k++) {
        static const char *const forms[][2] = {
            {"double d = 5; return a ", " d;"},       {"double d = 5; return d ", " a;"},
            {"float d = 5; return (d ", " d) != 0;"}, {"double d = 5; d ", "= a; return 1;"},
            {"double d = 5; a ", "= d; return 1;"},   {"float d = 5; d ", "= d; return 1;"}};
        for (int form = 0; form < 6; form++) {
            char body[100];
            snprintf(body, sizeof body, "%s%s%s", forms[form][0], signs[k], forms[form][1]);
            cr_expect_str_eq(run_body(body), needed, "%s", body);
        }
    }
    cr_expect_str_eq(run_body("return ~1.5;"), needed);
    cr_expect_str_eq(run_body("double d = 5; return ~d;"), needed);
}

/* ------------------------------------------------------------------ bounds */

/* Numbers near the bounds of int and long, with every operator: the result, or what is wrong with it, in a constant and in
   variables. */
Test(arithmetic, what_does_not_fit_is_named_at_the_bound) {
    static const int64_t ends[2][2] = {{INT32_MIN, INT32_MAX}, {INT64_MIN, INT64_MAX}};
    static const char large[] = "line 4: the result does not fit into its type";
    static const int64_t others[] = {-3, -2, -1, 1, 2, 3};
    for (int wide = 0; wide < 2; wide++) {
        const int64_t low = ends[wide][0], high = ends[wide][1];
        const char *const type = wide ? "long" : "int";
        for (int turn = 0; turn < 2 * 6 * 6 * 4; turn++) {
            const int k = turn % 4, part = turn / 4 % 3 + 1;
            const int64_t near = (turn / 12 % 2 ? high : low) / (k == 2 ? part : 1);
            const int64_t a = turn / 12 % 2 ? near - turn / 24 % 2 : near + turn / 24 % 2;
            const int64_t b = others[turn / 48 % 6];
            const __int128 all[] = {(__int128)a + b, (__int128)a - b, (__int128)a * b,
                                    (__int128)a / b};
            const bool fits = all[k] >= low && all[k] <= high;
            char body[300];
            snprintf(body, sizeof body,
                     "%s x = %ld - 1, y = %ld, z = %ld; x -= %d; return (x %s y) == z;", type,
                     (long)(a < 0 ? a + 2 : a), (long)b, (long)(fits ? all[k] : 0), a < 0 ? 1 : -1,
                     signs[k]);
            if (a == INT64_MIN || a == INT64_MIN + 1)
                snprintf(
                    body, sizeof body,
                    "long x = -9223372036854775807 - %d, y = %ld, z = %ld - %d; return (x %s y) "
                    "== z;",
                    a == INT64_MIN, (long)b, fits ? (long)(all[k] + (all[k] == low)) : 0,
                    fits && all[k] == low, signs[k]);
            else if (fits && all[k] == INT64_MIN)
                continue;
            cr_assert_str_eq(run_body(body), fits ? "1\n" : large, "%s: %s", body, run_body(body));
        }
    }
}

/* Shifts of 32 and 64 bits by every number of bits: signed ones must fit. */
Test(arithmetic, shifts_are_named_that_c_leaves_undefined) {
    static const char bits[] =
        "line 4: a shift by fewer than 0 bits, or by as many as the number has, or more";
    static const char negative[] = "line 4: a negative number shifted to the left";
    static const char large[] = "line 4: the result does not fit into its type";
    static const int64_t numbers[] = {0, 1, 2, 3, 5, 0x7fff, 0x40000000, 0x7fffffff, -1, -8};
    for (int type = 0; type < 4; type++) {
        static const char *const types[] = {"int", "unsigned", "long", "unsigned long"};
        const int width = type < 2 ? 32 : 64;
        for (int i = 0; i < 10; i++) {
            for (int b = -1; b < 66; b += b == 3 || b == 34 ? 26 : 1) {
                const bool is_signed = type % 2 == 0;
                const int64_t n = numbers[i];
                if (!is_signed && n < 0) continue;
                const __int128 left = b < 0 || b >= width ? 0 : n * ((__int128)1 << b);
                const __int128 most = ((__int128)1 << (width - 1)) - 1;
                const uint64_t mask = width == 32 ? 0xffffffff : UINT64_MAX;
                const uint64_t wrapped = (uint64_t)left & mask;
                const uint64_t right = (uint64_t)(b < 0 || b >= width ? 0 : n >> b) & mask;
                char body[200];
                snprintf(body, sizeof body, "%s x = %ld; int y = %d; return (x << y) == (%s)%luu;",
                         types[type], (long)n, b, types[type], (unsigned long)wrapped);
                cr_assert_str_eq(run_body(body),
                                 b < 0 || b >= width        ? bits
                                 : is_signed && n < 0       ? negative
                                 : is_signed && left > most ? large
                                                            : "1\n",
                                 "%s: %s", body, run_body(body));
                snprintf(body, sizeof body, "%s x = %ld; int y = %d; return (x >> y) == (%s)%luu;",
                         types[type], (long)n, b, types[type], (unsigned long)right);
                cr_assert_str_eq(run_body(body), b < 0 || b >= width ? bits : "1\n", "%s: %s", body,
                                 run_body(body));
            }
        }
    }
}

/* ------------------------------------------------------------------ types */

#define SPELLED(...)                                                                               \
    do {                                                                                           \
        __VA_ARGS__ x = (__VA_ARGS__)-1;                                                           \
        snprintf(wanted, sizeof wanted, "%d\n", (int)sizeof x * 2 + (x < 0));                      \
        cr_expect_str_eq(run_body(#__VA_ARGS__ " x = (" #__VA_ARGS__ ")-1; return "                \
                                               "(int)sizeof(x) * 2 + (x < 0);"),                   \
                         wanted, "%s", #__VA_ARGS__);                                              \
    } while (0)

Test(arithmetic, a_type_is_the_same_however_its_words_are_put) {
    SPELLED(signed char);
    SPELLED(char signed);
    SPELLED(unsigned char);
    SPELLED(char unsigned);
    SPELLED(short);
    SPELLED(short int);
    SPELLED(int short);
    SPELLED(signed short int);
    SPELLED(short unsigned);
    SPELLED(unsigned int short);
    SPELLED(int);
    SPELLED(signed);
    SPELLED(int signed);
    SPELLED(unsigned);
    SPELLED(int unsigned);
    SPELLED(long);
    SPELLED(long int);
    SPELLED(int long signed);
    SPELLED(unsigned long);
    SPELLED(long unsigned int);
    SPELLED(long long);
    SPELLED(long int long);
    SPELLED(unsigned long long int);
    SPELLED(long const long);
    SPELLED(const unsigned short);
    SPELLED(float);
    SPELLED(double);
    static const char *const none[] = {
        "short long",      "char short",    "char int",        "int int",     "long long long",
        "signed unsigned", "int char",      "unsigned float",  "double int",  "signed signed",
        "char char",       "short short",   "unsigned double", "float float", "unsigned unsigned",
        "long char",       "short int int", "float long"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        char body[80];
        snprintf(body, sizeof body, "%s x = 1; return 1;", none[i]);
        cr_expect_not_null(strstr(run_body(body), "line 4: "), "%s: %s", body, run_body(body));
    }
}
