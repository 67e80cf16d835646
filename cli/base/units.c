/* units.c: numbers as people type them: 100MB, 1.5GB/s, 5us, 1e-6, in whole bytes and picoseconds; and several in one
 * option: 2,4,8 and 2..10 and 1KiB..1GiB.
 *
 *     text = digits [. digits] [e exponent] [space] [unit]      value = mantissa x 10^exponent x unit
 *
 *   - Everything is integer arithmetic on 128 bits: 1.5GB/s is 1500000000 bytes a second, exactly.
 *   - Garbage, a sign, a value that does not fit and a size that is no whole number are refused.
 */
#include "base/units.h"
#include "base/containers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum { MOST_DIGITS = 26, MOST_EXPONENT = 9999 }; /* 10^26 x 10^12 still fits 128 bits */

typedef struct decimal {
    wide mantissa; /* below 10^26 */
    int exponent;  /* of ten */
} decimal;

/* A unit and its prefixes, each `step` times the one before; a blank stands for none. */
typedef struct unit_row {
    const char *name, *prefixes;
    uint64_t num, den; /* of the first prefix, in the measure's own unit */
    uint64_t step;
} unit_row;

typedef struct measure_kind {
    const char *what;      /* for messages */
    const char *hint;      /* an example, and the units */
    const unit_row *units; /* ends with a NULL name */
    bool whole;            /* fractions of the own unit are refused, not rounded */
    uint64_t least, most;
} measure_kind;

static const unit_row size_units[] = {
    {"", " KMG", 1, 1, 1024},
    {"B", " kMGT", 1, 1, 1000},
    {"iB", "KMGT", 1024, 1, 1024},
    {NULL, NULL, 0, 0, 0},
};
static const unit_row rate_units[] = {
    {"", " ", 1, 1, 1},
    {"B/s", " kMGTP", 1, 1, 1000},
    {"b/s", " kMGT", 1, 8, 1000},
    {NULL, NULL, 0, 0, 0},
};
static const unit_row time_units[] = {
    {"", " ", 1000000000000, 1, 1},
    {"s", "pnum ", 1, 1, 1000},
    {"\xc2\xb5s", " ", 1000000, 1, 1}, /* the micro sign */
    {"\xce\xbcs", " ", 1000000, 1, 1}, /* the Greek mu */
    {NULL, NULL, 0, 0, 0},
};
static const unit_row flops_units[] = {
    {"", " ", 1, 1, 1},       {"", "MGTP", 1000000, 1, 1000},
    {"FLOP/s", " ", 1, 1, 1}, {"FLOP/s", "MGTP", 1000000, 1, 1000},
    {NULL, NULL, 0, 0, 0},
};
static const unit_row no_units[] = {{"", " ", 1, 1, 1}, {NULL, NULL, 0, 0, 0}};

static const measure_kind measures[] = {
    [RC_IN_BYTES] = {N_("size"), N_("such as 100MB (K M G KiB MiB GiB, kB MB GB)"), size_units,
                     true, 0, INT64_MAX},
    [RC_IN_BYTES_PER_S] = {N_("rate"),
                           N_("such as 20GB/s (kB/s MB/s GB/s TB/s PB/s, kb/s Mb/s Gb/s Tb/s)"),
                           rate_units, false, 1, INT64_MAX},
    [RC_IN_PS] = {N_("time"), N_("such as 5us (ps ns us ms s)"), time_units, false, 0, INT64_MAX},
    [RC_IN_FLOPS] = {N_("speed"), N_("such as 10TFLOP/s (MFLOP/s GFLOP/s TFLOP/s PFLOP/s)"),
                     flops_units, false, 1, INT64_MAX},
};
static const measure_kind integers = {N_("number"), N_("such as 5"), no_units, true, 0, UINT64_MAX};

static int clamp(long exponent) {
    if (exponent > MOST_EXPONENT) return MOST_EXPONENT;
    return exponent < -MOST_EXPONENT ? -MOST_EXPONENT : (int)exponent;
}

/* Reads e+06 and the like, if it is there; a lone e is left to the unit. */
static void read_exponent(const char **text, decimal *number) {
    const char *at = *text;
    if (*at != 'e' && *at != 'E') return;
    at++;
    if (*at == '+' || *at == '-') at++;
    if (!rs_is_digit(*at)) return;
    char *end;
    const long exponent = strtol(*text + 1, &end, 10); /* saturates where it does not fit */
    number->exponent += clamp(exponent);
    *text = end;
}

/* Reads digits [. digits] [exponent] and moves *text behind it; false: no number, or too long. */
static bool read_decimal(const char **text, decimal *number) {
    *number = (decimal){0};
    bool any = false, point = false;
    long places = 0, zeros = 0; /* zeros that only count if a digit follows */
    int n_digits = 0;
    for (;; (*text)++) {
        const char c = **text;
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (!rs_is_digit(c)) break;
        any = true;
        if (point) places++;
        zeros++;
        if (c == '0') continue;
        for (; zeros > 0; zeros--) {
            if (number->mantissa > 0 && ++n_digits >= MOST_DIGITS) return false;
            number->mantissa *= 10;
        }
        number->mantissa += (unsigned)(c - '0');
    }
    number->exponent = clamp(zeros - places);
    if (any) read_exponent(text, number);
    return any;
}

/* Multiplies by 10^exponent and num / den, rounding halves up; false: beyond 64 bits. *whole tells
   whether nothing was rounded. */
static bool scale(decimal number, uint64_t num, uint64_t den, uint64_t *value, bool *whole) {
    wide top = number.mantissa * num, bottom = den;
    *whole = true;
    if (top == 0) {
        *value = 0;
        return true;
    }
    for (; number.exponent > 0; number.exponent--) {
        if (top > ~(wide)0 / 10) return false;
        top *= 10;
    }
    for (; number.exponent < 0; number.exponent++) {
        if (top % 10 == 0) {
            top /= 10;
        } else if (bottom <= ~(wide)0 / 10) {
            bottom *= 10;
        } else { /* 10^38 / 10^39 at the most: it rounds to nothing */
            *whole = false;
            *value = 0;
            return true;
        }
    }
    const wide rest = top % bottom;
    const wide rounded = top / bottom + (rest >= bottom - rest && rest != 0);
    *whole = rest == 0;
    *value = (uint64_t)rounded;
    return rounded <= UINT64_MAX;
}

/* Finds the unit of that name; *num / *den: what it is in the measure's own. */
static bool find_unit(const unit_row *units, const char *name, uint64_t *num, uint64_t *den) {
    if (name[0] == ' ' && name[1] != '\0') name++;
    for (; units->name != NULL; units++) {
        *num = units->num;
        *den = units->den;
        for (const char *prefix = units->prefixes; *prefix != '\0'; prefix++) {
            const char *rest = *prefix == ' ' ? name : name + 1;
            if ((rest == name || *name == *prefix) && strcmp(rest, units->name) == 0) return true;
            *num *= units->step;
        }
    }
    return false;
}

static rc_exit read_measure(const measure_kind *measure, const char *text, rs_error *error,
                            uint64_t *value) {
    const char *at = text;
    decimal number;
    if (!read_decimal(&at, &number)) {
        return rc_fail(error, RC_USAGE, _("'%.60s' is no %s; write it %s"), text, _(measure->what),
                       _(measure->hint));
    }
    uint64_t num, den, scaled;
    bool whole;
    if (!find_unit(measure->units, at, &num, &den)) {
        return rc_fail(error, RC_USAGE,
                       _("'%.60s': there is no unit '%.20s' for a %s; write it %s"), text, at,
                       _(measure->what), _(measure->hint));
    }
    if (!scale(number, num, den, &scaled, &whole) || scaled > measure->most) {
        return rc_fail(error, RC_USAGE, _("'%.60s' is too large for a %s"), text, _(measure->what));
    }
    if (!whole && measure == &measures[RC_IN_PS]) {
        return rc_fail(error, RC_USAGE,
                       _("'%.60s' is no whole number of picoseconds, the finest time there is"),
                       text);
    }
    if (!whole && measure->whole) {
        return rc_fail(error, RC_USAGE, _("'%.60s' is not a whole number"), text);
    }
    if (scaled < measure->least) {
        return rc_fail(error, RC_USAGE, _("'%.60s' is too small for a %s"), text, _(measure->what));
    }
    *value = scaled;
    return RC_GOOD;
}

rc_exit rc_parse_amount(rc_quantity quantity, const char *text, rs_error *error, int64_t *amount) {
    uint64_t value;
    const rc_exit status = read_measure(&measures[quantity], text, error, &value);
    if (status == RC_GOOD) *amount = (int64_t)value;
    return status;
}

rc_exit rc_parse_seed(const char *text, rs_error *error, uint64_t *seed) {
    return read_measure(&integers, text, error, seed);
}

rc_exit rc_outside(const char *text, int64_t least, int64_t most, rs_error *error) {
    return rc_fail(error, RC_USAGE, _("'%.60s' lies outside %lld..%lld"), text, (long long)least,
                   (long long)most);
}

rc_exit rc_parse_integer(const char *text, int64_t least, int64_t most, rs_error *error,
                         int64_t *number) {
    uint64_t value;
    assert(least >= 0); /* texts have no sign */
    const rc_exit status = read_measure(&integers, text, error, &value);
    if (status != RC_GOOD) return status;
    if (value > INT64_MAX || (int64_t)value < least || (int64_t)value > most) {
        return rc_outside(text, least, most, error);
    }
    *number = (int64_t)value;
    return RC_GOOD;
}

uint64_t rc_common_divisor(uint64_t a, uint64_t b) {
    return b == 0 ? a : rc_common_divisor(b, a % b);
}

rc_exit rc_parse_factor(const char *text, rs_error *error, uint64_t *num, uint64_t *den) {
    const uint64_t most = 1000000000;
    const char *at = text;
    decimal number;
    if (!read_decimal(&at, &number) || *at != '\0' || number.mantissa == 0) {
        return rc_fail(error, RC_USAGE, _("'%.60s' is no factor; write a number above 0 such as 4"),
                       text);
    }
    uint64_t top = 0, bottom = 1;
    bool whole = true;
    if (number.exponent < -18 || number.mantissa > UINT64_MAX) {
        top = UINT64_MAX; /* refused below: it has no divisor that would bring it down */
    } else if (number.exponent < 0) {
        for (int e = number.exponent; e < 0; e++) bottom *= 10;
        top = (uint64_t)number.mantissa;
    } else if (!scale(number, 1, 1, &top, &whole)) {
        top = UINT64_MAX;
    }
    const uint64_t divisor = rc_common_divisor(top, bottom);
    assert(divisor > 0);
    if (top / divisor > most || bottom / divisor > most) {
        return rc_fail(
            error, RC_USAGE,
            _("'%.60s': a factor lies in 0.000000001..1000000000, with at most 9 digits"), text);
    }
    *num = top / divisor;
    *den = bottom / divisor;
    return RC_GOOD;
}

char *rc_exact_size(int64_t n_bytes, char out[RC_UNIT_TEXT]) {
    static const char *const tidy[] = {"TiB", "GiB", "MiB", "KiB", "TB", "GB", "MB", "kB", "B"};
    const uint64_t value = (uint64_t)n_bytes;
    uint64_t least = UINT64_MAX;
    assert(n_bytes >= 0);
    for (size_t i = 0; i < sizeof tidy / sizeof *tidy; i++) { /* 4GB, not 3906250KiB */
        uint64_t num, den;
        if (!find_unit(size_units, tidy[i], &num, &den) || value % num != 0 ||
            value / num >= least || (value == 0 && num > 1)) {
            continue;
        }
        least = value / num;
        snprintf(out, RC_UNIT_TEXT, "%llu%s", (unsigned long long)least, tidy[i]);
    }
    return out;
}

/* ------------------------------------------------------------------ lists */

enum { MOST_NUMBERS = 4096, LONGEST = 40, SWEEP_FACTOR = 4 };

typedef struct number_list {
    int64_t *items; /* room for MOST_NUMBERS */
    int64_t n;
} number_list;

static rc_exit add(number_list *list, int64_t number, rs_error *error) {
    assert(list->n >= 0 && list->n <= MOST_NUMBERS);
    if (list->n == MOST_NUMBERS) {
        return rc_fail(error, RC_USAGE, _("more than %d numbers; take fewer"), MOST_NUMBERS);
    }
    list->items[list->n++] = number;
    return RC_GOOD;
}

/* How one number is read, and how a range goes on. */
typedef struct number_form {
    bool sizes;
    bool sweep; /* by factors rather than by ones */
    int64_t least, most;
} number_form;

static rc_exit read_one(const number_form *form, const char *text, rs_error *error,
                        int64_t *number) {
    if (form->sizes) return rc_parse_amount(RC_IN_BYTES, text, error, number);
    return rc_parse_integer(text, form->least, form->most, error, number);
}

static rc_exit add_range(const number_form *form, int64_t first, int64_t last, number_list *list,
                         rs_error *error) {
    if (first > last) return rc_fail(error, RC_USAGE, _("a range goes from small to large"));
    if (form->sweep && first == 0) {
        return rc_fail(error, RC_USAGE, _("a range of sizes starts above 0"));
    }
    rc_exit status = RC_GOOD;
    int64_t at = first;
    while (at < last && status == RC_GOOD) {
        status = add(list, at, error);
        if (!form->sweep) {
            at++;
        } else {
            at = at > last / SWEEP_FACTOR ? last : at * SWEEP_FACTOR;
        }
    }
    return status == RC_GOOD ? add(list, last, error) : status;
}

/* Reads one part between commas: a number or a range. */
static rc_exit add_part(const number_form *form, char *part, number_list *list, rs_error *error) {
    int64_t first, last;
    char *dots = strstr(part, "..");
    if (dots != NULL) *dots = '\0';
    rc_exit status = read_one(form, part, error, &first);
    if (status == RC_GOOD && dots != NULL) {
        status = read_one(form, dots + 2, error, &last);
        return status == RC_GOOD ? add_range(form, first, last, list, error) : status;
    }
    return status == RC_GOOD ? add(list, first, error) : status;
}

static rc_exit read_list(const number_form *form, const char *text, rs_arena *arena,
                         rs_error *error, int64_t **numbers, int64_t *n) {
    number_list list = {.items = rs_alloc(arena, MOST_NUMBERS, sizeof *list.items)};
    if (list.items == NULL) return rc_no_memory(error);
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        char part[LONGEST];
        if (length >= sizeof part) {
            return rc_fail(error, RC_USAGE, _("'%.20s...' is too long for a number"), at);
        }
        memcpy(part, at, length);
        part[length] = '\0';
        const rc_exit status = add_part(form, part, &list, error);
        if (status != RC_GOOD) return status;
        at += length;
        if (*at == '\0') break;
    }
    assert(list.n > 0);
    *numbers = list.items;
    *n = list.n;
    return RC_GOOD;
}

rc_exit rc_parse_numbers(const char *text, int64_t least, int64_t most, rs_arena *arena,
                         rs_error *error, int64_t **numbers, int64_t *n) {
    const number_form ones = {.least = least, .most = most};
    return read_list(&ones, text, arena, error, numbers, n);
}

rc_exit rc_parse_sweep(const char *text, bool sizes, rs_arena *arena, rs_error *error,
                       int64_t **numbers, int64_t *n) {
    const number_form factors = {.sizes = sizes, .sweep = true, .most = INT64_MAX};
    return read_list(&factors, text, arena, error, numbers, n);
}
