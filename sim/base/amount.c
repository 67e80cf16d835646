/* amount.c: amounts with a unit in the text formats (scan.h): 370.8GB/s, 100Gb/s, 1.35us.
 *
 *     text = digits [. digits] [e exponent] [unit]        value = mantissa x 10^exponent x unit
 *
 *   - Whole numbers of 128 bits, no locale: an amount is exact, and what is finer than its own unit (a
 *     byte a second, a picosecond) is refused rather than rounded.
 *   - An amount is printed with the largest unit that does not exceed it: reading it gives the same back.
 */
#include "base/scan.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum { MOST_DIGITS = 19, MOST_EXPONENT = 999 };

/* A bare number comes first, then the units upwards. */
static const struct amount_unit {
    const char *name;
    uint64_t num, den;
} units[2][12] = {
    [RS_SCAN_RATE] = {{"", 1, 1},
                      {"B/s", 1, 1},
                      {"kB/s", 1000, 1},
                      {"MB/s", 1000000, 1},
                      {"GB/s", 1000000000, 1},
                      {"TB/s", 1000000000000, 1},
                      {"PB/s", 1000000000000000, 1},
                      {"b/s", 1, 8},
                      {"kb/s", 125, 1},
                      {"Mb/s", 125000, 1},
                      {"Gb/s", 125000000, 1},
                      {"Tb/s", 125000000000, 1}},
    [RS_SCAN_TIME] = {{"", 1000000000000, 1},
                      {"ps", 1, 1},
                      {"ns", 1000, 1},
                      {"us", 1000000, 1},
                      {"ms", 1000000000, 1},
                      {"s", 1000000000000, 1}},
};
static const char *const examples[2] = {"such as 20GB/s or 100Gb/s", "such as 500ns or 1.5us"};

typedef struct scan_decimal {
    wide mantissa; /* of at most MOST_DIGITS digits */
    int exponent;  /* of ten */
    bool fine;     /* further digits follow, too small to be kept */
} scan_decimal;

static void take_exponent(rs_scan *scan, scan_decimal *number) {
    const char *before = scan->at;
    if (!rs_scan_sign(scan, "e") && !rs_scan_sign(scan, "E")) return;
    const bool less = rs_scan_sign(scan, "-");
    if (!less) rs_scan_sign(scan, "+");
    if (!rs_scan_at_digit(scan)) {
        scan->at = before;
        return;
    }
    int exponent = 0;
    for (; rs_scan_at_digit(scan); scan->at++) {
        if (exponent < MOST_EXPONENT) exponent = 10 * exponent + (*scan->at - '0');
    }
    number->exponent += less ? -exponent : exponent;
}

static scan_decimal take_decimal(rs_scan *scan) {
    scan_decimal number = {0};
    int n_digits = 0;
    bool point = false;
    for (;;) {
        if (!point && rs_scan_sign(scan, ".")) {
            point = true;
            continue;
        }
        if (!rs_scan_at_digit(scan)) break;
        const unsigned digit = (unsigned)(*scan->at++ - '0');
        if (point) number.exponent--;
        if (n_digits == MOST_DIGITS) { /* left out, but for its place */
            number.exponent++;
            number.fine = number.fine || digit != 0;
            continue;
        }
        number.mantissa = 10 * number.mantissa + digit;
        n_digits += number.mantissa > 0;
    }
    take_exponent(scan, &number);
    return number;
}

/* Multiplies out; false: beyond `high`, or with a rest (*whole). */
static bool multiply(const scan_decimal *number, const struct amount_unit *unit, uint64_t high,
                     uint64_t *value, bool *whole) {
    wide top = number->mantissa * unit->num;
    *whole = !number->fine;
    *value = 0;
    if (top == 0) return true;
    for (int e = number->exponent; e > 0; e--) {
        top *= 10;
        if (top / unit->den > high) return false;
    }
    for (int e = number->exponent; e < 0 && top > 0; e++) {
        *whole = *whole && top % 10 == 0;
        top /= 10;
    }
    *whole = *whole && top % unit->den == 0;
    if (top / unit->den > high) return false;
    *value = (uint64_t)(top / unit->den);
    return true;
}

int64_t rs_scan_amount(rs_scan *scan, const char *what, rs_scan_measure measure, int64_t low,
                       int64_t high) {
    char text[160];
    const char *begin = scan->at;
    const bool point =
        scan->at + 1 < scan->line_end && *begin == '.' && begin[1] >= '0' && begin[1] <= '9';
    if (!rs_scan_at_digit(scan) && !point) {
        snprintf(text, sizeof text, "expected %s, %s", what, examples[measure]);
        rs_scan_fail(scan, begin, text);
        return low;
    }
    const scan_decimal number = take_decimal(scan);
    const char *unit_at = scan->at;
    while (!rs_scan_at_end(scan) && *scan->at != ' ' && *scan->at != '\t') scan->at++;
    const size_t n = (size_t)(scan->at - unit_at);
    const struct amount_unit *unit = units[measure], *end = unit + 12;
    while (unit < end &&
           (unit->name == NULL || strlen(unit->name) != n || memcmp(unit->name, unit_at, n) != 0)) {
        unit++;
    }
    if (unit == end) {
        snprintf(text, sizeof text, "there is no such unit; write %s %s", what, examples[measure]);
        rs_scan_fail(scan, unit_at, text);
        return low;
    }
    rs_scan_blanks(scan);
    uint64_t value;
    bool whole;
    if (!multiply(&number, unit, (uint64_t)high, &value, &whole) || (int64_t)value < low) {
        char least[RS_SCAN_AMOUNT], most[RS_SCAN_AMOUNT];
        snprintf(text, sizeof text, "%s must lie in %s..%s", what,
                 rs_scan_print_amount(measure, low, least),
                 rs_scan_print_amount(measure, high, most));
        rs_scan_fail(scan, begin, text);
    } else if (!whole) {
        snprintf(text, sizeof text, "%s is finer than a %s", what,
                 measure == RS_SCAN_TIME ? "picosecond" : "byte a second");
        rs_scan_fail(scan, begin, text);
    }
    return scan->status == RS_OK ? (int64_t)value : low;
}

char *rs_scan_print_amount(rs_scan_measure measure, int64_t value, char out[RS_SCAN_AMOUNT]) {
    const struct amount_unit *unit = &units[measure][1];
    assert(value >= 0);
    if (value == 0) {
        snprintf(out, RS_SCAN_AMOUNT, "0%s", unit->name);
        return out;
    }
    int places = 0;
    while (unit[1].name != NULL && unit[1].den == 1 && (int64_t)unit[1].num <= value) {
        unit++;
        places += 3;
    }
    int n = snprintf(out, RS_SCAN_AMOUNT, "%lld", (long long)(value / (int64_t)unit->num));
    const int64_t rest = value % (int64_t)unit->num;
    if (rest > 0) {
        n += snprintf(out + n, RS_SCAN_AMOUNT - (size_t)n, ".%0*lld", places, (long long)rest);
        while (out[n - 1] == '0') n--;
    }
    snprintf(out + n, RS_SCAN_AMOUNT - (size_t)n, "%s", unit->name);
    return out;
}
