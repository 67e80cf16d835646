/* lists.c: several numbers in one option: 2,4,8 and 2..10 and 1KiB..1GiB. */
#include "base/units.h"

#include <assert.h>
#include <string.h>

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
    if (list.items == NULL) return rc_fail(error, RC_LACKS, _("no memory for the list"));
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
