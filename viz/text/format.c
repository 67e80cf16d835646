/* format.c: numbers for people: about three digits and a unit. It computes in integers only, so
 * that neither the locale nor the last bit of a double changes the text. */
#include "ringsim_viz.h"

#include <assert.h>
#include <stdio.h>

typedef struct unit {
    int64_t size;
    const char *name;
} unit;

/* Writes value / unit.size with two decimals at the most, none from 100 on, trailing zeros cut where
   the number is whole. */
static int format(int64_t value, const unit *u, char *out, size_t n_out) {
    const int64_t whole = value / u->size;
    const int64_t hundredths =
        u->size == 1 ? 0 : value % u->size / (u->size / 100 ? u->size / 100 : 1);
    if (whole >= 1000 || hundredths == 0 || (whole >= 100 && hundredths < 10)) {
        return snprintf(out, n_out, "%lld %s", (long long)whole, u->name);
    }
    if (whole >= 100) {
        return snprintf(out, n_out, "%lld.%lld %s", (long long)whole, (long long)hundredths / 10,
                        u->name);
    }
    return snprintf(out, n_out, "%lld.%02lld %s", (long long)whole, (long long)hundredths, u->name);
}

/* Takes the largest unit that reaches 1 once the value is rounded to hundredths of the next smaller,
   so that 999.999 us is 1 ms. */
static int format_in(int64_t value, const unit units[], int n_units, char *out, size_t n_out) {
    int i = 0;
    while (i < n_units - 1 && value < units[i].size - units[i + 1].size / 200) i++;
    assert(units[n_units - 1].size == 1);
    const int64_t half = units[i].size / 200;
    return format(value > INT64_MAX - half ? value : value + half, &units[i], out, n_out);
}

int rv_format_time(int64_t time_ps, char *out, size_t n_out) {
    static const unit units[] = {
        {1000000000000, "s"}, {1000000000, "ms"}, {1000000, "us"}, {1000, "ns"}, {1, "ps"}};
    return format_in(time_ps, units, 5, out, n_out);
}

int rv_format_bytes(int64_t n_bytes, char *out, size_t n_out) {
    static const unit units[] = {
        {1000000000000, "TB"}, {1000000000, "GB"}, {1000000, "MB"}, {1000, "kB"}, {1, "B"}};
    return format_in(n_bytes, units, 5, out, n_out);
}

int rv_format_ratio(int64_t part, int64_t whole, char *out, size_t n_out) {
    if (whole <= 0) return snprintf(out, n_out, "0");
    const long double ratio = (long double)part * 100 / (long double)whole + 0.5L;
    const int64_t hundredths = ratio < 9e18L ? (int64_t)ratio : INT64_MAX;
    if (hundredths % 100 == 0 || hundredths >= 100000) {
        return snprintf(out, n_out, "%lld", (long long)(hundredths / 100));
    }
    return snprintf(out, n_out, "%lld.%02lld", (long long)(hundredths / 100),
                    (long long)(hundredths % 100));
}

int64_t rv_permille(int64_t part, int64_t whole) {
    if (whole <= 0) return 0;
    return (int64_t)((long double)part * 1000 / (long double)whole + 0.5L);
}

int rv_format_percent(int64_t part, int64_t whole, char *out, size_t n_out) {
    const int64_t tenths = rv_permille(part, whole);
    if (tenths % 10 == 0) return snprintf(out, n_out, "%lld %%", (long long)tenths / 10);
    return snprintf(out, n_out, "%lld.%lld %%", (long long)tenths / 10, (long long)tenths % 10);
}
