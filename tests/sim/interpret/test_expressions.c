/* test_expressions.c: characters, and random expressions, come to what C says. */
#include "ask_program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Characters are their codes, plain or escaped; what is no character is named. */
Test(expressions, a_character_is_its_code) {
    static const char escapes[] = "ntr0\\'\"", codes[] = "\n\t\r\0\\'\"";
    char body[80], wanted[20];
    for (int c = ' '; c <= '~'; c++) {
        if (c == '\'' || c == '\\') continue;
        snprintf(body, sizeof body, "return '%c';", c);
        snprintf(wanted, sizeof wanted, "%d\n", c);
        cr_expect_str_eq(run_body(body), wanted, "%s", body);
        snprintf(body, sizeof body, "return '\\%c';", c);
        const char *escape = strchr(escapes, c);
        if (escape != NULL) snprintf(wanted, sizeof wanted, "%d\n", codes[escape - escapes]);
        cr_expect_str_eq(run_body(body),
                         escape != NULL ? wanted
                                        : "line 4: a character that is not known (outside)",
                         "%s", body);
    }
    static const char *const bad[] = {"''", "'ab'", "'a",     "'\\n",    "'\\",
                                      "'",  "'\t'", "'\x7f'", "'\\''a'", "'a\""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(body, sizeof body, "return %s", bad[i]);
        const char *got = run_body(body);
        cr_expect(strstr(got, "line 4: a character that is not known") == got, "%s: %s", body, got);
        char text[100]; /* as the file's last bytes */
        snprintf(text, sizeof text, "int world_size(int a, int b, int c) { return %s", bad[i]);
        got = ask_program(text, "world_size 7 -3 2");
        cr_expect(strstr(got, "line 1: a character that is not known") == got, "%s: %s", text, got);
    }
}

/* ------------------------------------------------------------------ printf */

#define PRINTS(mark, value)                                                                        \
    do {                                                                                           \
        char wanted[200];                                                                          \
        snprintf(wanted, sizeof wanted, "<" mark ">", value);                                      \
        ask_program("#include <stdio.h>\nint world_size(int a, int b, int c) "                     \
                    "{ printf(\"<" mark ">\", " #value "); return a + b + c; }",                   \
                    "world_size 1 3 2");                                                           \
        cr_expect_str_eq(asked_said, wanted, "%s of %s", mark, #value);                            \
    } while (0)

Test(expressions, numbers_are_printed_as_printf_does) {
    PRINTS("%d", 0);
    PRINTS("%d", -2147483647 - 1);
    PRINTS("%5d", 42);
    PRINTS("%-5d", 42);
    PRINTS("%05d", -42);
    PRINTS("%+d", 7);
    PRINTS("%i", 2147483647);
    PRINTS("%u", 4294967295u);
    PRINTS("%x", 4294967295u);
    PRINTS("%#X", 48879u);
    PRINTS("%o", 511u);
    PRINTS("%ld", 9000000000000000000L);
    PRINTS("%ld", -9000000000000000000L);
    PRINTS("%lu", 18446744073709551615ul);
    PRINTS("%lx", 0xffffffffffffffful);
    PRINTS("%20ld", 8589934592L);
    PRINTS("%c", 'x');
    PRINTS("%f", 0.1);
    PRINTS("%10.3e", -12345.678);
    PRINTS("%g", 1e-7);
    PRINTS("%.0f", 2.5);
    PRINTS("%G", 1e20);
}

/* ------------------------------------------------------------------ random expressions */

/* An unsigned number of 32 or 64 bits, and how C writes what comes to it. */
typedef struct written {
    char text[1500];
    uint64_t value;
    bool wide;
} written;

static uint64_t seed = 1;
static uint32_t draw(uint32_t below) {
    seed = seed * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(seed >> 33) % below;
}

static void write_leaf(written *out) {
    static const uint64_t odd[] = {0,   1,     2,     31,         127,        128,
                                   255, 32768, 65535, 0x7fffffff, 0x80000000, 0xffffffff};
    out->wide = draw(3) == 0;
    out->value = draw(2) == 0 ? odd[draw(12)] : draw(100);
    if (out->wide && draw(3) == 0) out->value = ~out->value;
    const unsigned long long v = out->value;
    const char *end = out->wide ? "l" : "";
    switch (draw(3)) {
    case 0: snprintf(out->text, sizeof out->text, "%lluu%s", v, end); break;
    case 1: snprintf(out->text, sizeof out->text, "0x%llxu%s", v, end); break;
    default: snprintf(out->text, sizeof out->text, "0%lloU%s", v, end);
    }
}

static void write_one(written *out, int depth);

static void write_unary(written *out, int depth) {
    written x;
    write_one(&x, depth - 1);
    const uint64_t v = x.value;
    const char *before = "";
    switch (draw(8)) {
    case 0: before = "~", out->value = ~v; break;
    case 1: before = "-", out->value = -v; break;
    case 2: before = "(unsigned)!", out->value = v == 0, x.wide = false; break;
    case 3: before = "(unsigned)(unsigned char)", out->value = (uint8_t)v, x.wide = false; break;
    case 4:
        before = "(unsigned)(signed char)", out->value = (v & 0xff) | (v & 0x80 ? 0xffffff00u : 0),
        x.wide = false;
        break;
    case 5: before = "(unsigned)", out->value = (uint32_t)v, x.wide = false; break;
    case 6: before = "(unsigned long)", out->value = v, x.wide = true; break;
    default: before = "(unsigned)(int)", out->value = (uint32_t)v, x.wide = false;
    }
    out->wide = x.wide;
    if (!out->wide) out->value = (uint32_t)out->value;
    snprintf(out->text, sizeof out->text, "%s(%.1400s)", before, x.text);
}

static void write_binary(written *out, int depth) {
    static const char *const signs[] = {"+",  "-", "*",  "&", "|",  "^",  "/",  "%",  "<<",
                                        ">>", "<", "<=", ">", ">=", "==", "!=", "&&", "||"};
    written a, b;
    write_one(&a, depth - 1);
    write_one(&b, depth - 1);
    const uint32_t sign = draw(18);
    const bool wide = sign == 8 || sign == 9 ? a.wide : a.wide || b.wide;
    const uint64_t x = a.value, y = sign == 8 || sign == 9   ? b.value % (wide ? 64 : 32)
                                    : sign == 6 || sign == 7 ? b.value | 1
                                                             : b.value;
    const uint64_t values[] = {x + y,
                               x - y,
                               x * y,
                               x & y,
                               x | y,
                               x ^ y,
                               y != 0 ? x / y : 0,
                               y != 0 ? x % y : 0,
                               x << (y & 63),
                               x >> (y & 63),
                               x<y, x <= y, x>
                                   y,
                               x >= y,
                               x == y,
                               x != y,
                               x && y,
                               x || y};
    out->wide = wide && sign < 10;
    out->value = out->wide ? values[sign] : (uint32_t)values[sign];
    snprintf(out->text, sizeof out->text, "%s((%.650s) %s (%.650s%s))",
             sign < 10 ? "" : "(unsigned)", a.text, signs[sign], b.text,
             sign == 8 || sign == 9   ? (wide ? ") % (64" : ") % (32")
             : sign == 6 || sign == 7 ? ") | (1"
                                      : "");
    if (sign >= 6 && sign < 10) /* what stands behind the sign is one */
        snprintf(out->text, sizeof out->text, "((%.650s) %s ((%.650s) %s))", a.text, signs[sign],
                 b.text,
                 sign < 8 ? "| 1"
                 : wide   ? "% 64"
                          : "% 32");
}

static void write_one(written *out, int depth) {
    written a, b;
    switch (depth == 0 ? 0 : draw(8)) {
    case 0: write_leaf(out); return;
    case 1:
    case 2: write_unary(out, depth); return;
    case 3:
        write_one(out, depth - 1);
        write_one(&a, depth - 1);
        write_one(&b, depth - 1);
        out->value = out->value != 0 ? a.value : b.value;
        out->wide = a.wide || b.wide;
        char text[1500];
        snprintf(text, sizeof text, "((%.450s) ? (%.450s) : (%.450s))", out->text, a.text, b.text);
        memcpy(out->text, text, sizeof text);
        return;
    default: write_binary(out, depth);
    }
}

Test(expressions, random_expressions_come_to_what_c_says) {
    int n_asked = 0;
    for (int i = 0; i < 3000; i++) {
        written e;
        char body[1700], wanted[20];
        write_one(&e, 1 + i % 3);
        if (strlen(e.text) > 400) continue; /* it may have been cut */
        snprintf(body, sizeof body, "return (int)((%.1500s) %% 1000003ul);", e.text);
        snprintf(wanted, sizeof wanted, "%d\n", (int)(e.value % 1000003));
        const char *got = run_body(body);
        cr_assert_str_eq(got, wanted, "%s: %s, not %s", body, got, wanted);
        n_asked++;
    }
    cr_assert_gt(n_asked, 2000);
}
