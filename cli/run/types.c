/* types.c: what the text of an option may be: numbers, amounts, shares, words, and lists of them.
 *
 * Each reader writes a value, or one line that begins with the option's name.
 */
#include "base/units.h"
#include "run/options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 64, LONGEST_WORD = 64 };

rc_exit rc_blame(const char *option, rc_exit status, rs_error *error) {
    return rc_prefix(error, status, "--%s", option);
}

static rc_exit blame(const rc_typed *typed, rc_exit status) {
    return rc_blame(typed->option->name, status, typed->error);
}

/* ------------------------------------------------------------------ numbers */

rc_exit rc_as_integer(const rc_typed *typed, rc_value *value) {
    const rc_type *type = typed->option->type;
    return blame(typed, rc_parse_integer(typed->text, type->least, type->most, typed->error,
                                         &value->number));
}

rc_exit rc_as_world(const rc_typed *typed, rc_value *value) {
    const rc_type *type = typed->option->type;
    rs_error ignored;
    if (rc_parse_integer(typed->text, type->least, type->most, &ignored, &value->number) ==
        RC_GOOD) {
        return RC_GOOD;
    }
    return rc_fail(typed->error, RC_USAGE, _("--gpus %.60s: the world size must lie in %d..%d"),
                   typed->text, (int)type->least, (int)type->most);
}

rc_exit rc_as_step(const rc_typed *typed, rc_value *value) {
    rs_error ignored;
    if (rc_parse_integer(typed->text, 0, INT32_MAX, &ignored, &value->number) != RC_GOOD) {
        value->number = INT64_MAX;
    }
    return RC_GOOD;
}

rc_exit rc_as_amount(const rc_typed *typed, rc_value *value) {
    const rc_quantity quantity = (rc_quantity)typed->option->type->least;
    assert(quantity <= RC_IN_FLOPS);
    return blame(typed, rc_parse_amount(quantity, typed->text, typed->error, &value->number));
}

rc_exit rc_as_seed(const rc_typed *typed, rc_value *value) {
    uint64_t seed = 0;
    const rc_exit status = rc_parse_seed(typed->text, typed->error, &seed);
    value->number = (int64_t)seed;
    return blame(typed, status);
}

rc_exit rc_as_factor(const rc_typed *typed, rc_value *value) {
    return blame(typed, rc_parse_factor(typed->text, typed->error, &value->num, &value->den));
}

rc_exit rc_as_share(const rc_typed *typed, rc_value *value) {
    const uint64_t most = (uint64_t)typed->option->type->most, finest = 1000000000;
    assert(most >= 1 && most <= 100); /* den * most fits */
    char number[40];
    snprintf(number, sizeof number, "%s", typed->text);
    const size_t n = strlen(number);
    const bool percent = n > 0 && number[n - 1] == '%';
    if (percent) number[n - 1] = '\0';
    value->num = 0;
    value->den = 1;
    if (strchr(number, '0') != NULL && number[strspn(number, "0.")] == '\0') return RC_GOOD;
    const rc_exit status = rc_parse_factor(number, typed->error, &value->num, &value->den);
    if (status != RC_GOOD) return blame(typed, status);
    if (percent) value->den *= 100;
    if (value->num <= value->den * most && value->den <= finest) return RC_GOOD;
    return rc_fail(typed->error, RC_USAGE,
                   most == 1 ? _("--python-share %.60s: a share lies in 0..1; half of the work is "
                                 "0.5")
                             : _("--python-share %.40s: write a share such as 10%% or 0.1"),
                   typed->text);
}

/* ------------------------------------------------------------------ words */

/* Finds the word among the names of the type. */
static rc_exit find_word(const rc_typed *typed, const char *word, int64_t *place) {
    const rc_type *type = typed->option->type;
    const char *listed[MOST_NAMES + 1] = {NULL};
    assert(type->names != NULL || type->name_at != NULL);
    char option[LONGEST_WORD];
    int at = 0;
    for (int i = 0; type->name_at != NULL && type->name_at(i) != NULL; i++) {
        assert(i < MOST_NAMES);
        listed[i] = type->name_at(i);
    }
    snprintf(option, sizeof option, "--%s", typed->option->name);
    const rc_exit status = rc_parse_choice(
        option, word, type->name_at != NULL ? listed : type->names, typed->error, &at);
    *place = at;
    return status;
}

rc_exit rc_as_word(const rc_typed *typed, rc_value *value) {
    return find_word(typed, typed->text, &value->number);
}

rc_exit rc_as_words(const rc_typed *typed, rc_value *value) {
    int64_t *places = rs_alloc(typed->arena, MOST_NAMES, sizeof *places), n = 0;
    if (places == NULL) return rc_no_memory(typed->error);
    for (const char *at = typed->text; at != NULL;) {
        char word[LONGEST_WORD];
        const size_t length = strcspn(at, ",");
        int64_t i = 0, place;
        if (length == 0) {
            return rc_fail(typed->error, RC_USAGE, _("--%s '%.100s': a name is missing"),
                           typed->option->name, typed->text);
        }
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word), at);
        const rc_exit status = find_word(typed, word, &place);
        if (status != RC_GOOD) return status;
        while (i < n && places[i] != place) i++;
        places[i] = place;
        if (i == n) n++;
        assert(n <= MOST_NAMES);
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    value->list = places;
    value->n = n;
    return RC_GOOD;
}

const char *rc_algorithm_at(int i) {
    return rs_algorithms[i] != NULL ? rs_algorithms[i]->name : NULL;
}

const char *rc_any_algorithm_at(int i) {
    for (int of = 0; of < RS_N_COLLECTIVES; of++) {
        for (const rs_algorithm *const *at = rs_algorithms_of((rs_collective)of); *at != NULL;
             at++) {
            bool before = false;
            for (int k = 0; k < of; k++) {
                before = before || rs_find_algorithm((rs_collective)k, (*at)->name) != NULL;
            }
            if (!before && i-- == 0) return (*at)->name;
        }
    }
    return NULL;
}

const char *rc_collective_at(int i) {
    return i < RS_N_COLLECTIVES ? rs_collective_name((rs_collective)i) : NULL;
}

rc_exit rc_algorithm_of(rs_collective of, const rc_value *algo, rs_error *error,
                        const rs_algorithm **algorithm) {
    char all[160] = "";
    *algorithm = rs_algorithms_of(of)[0];
    if (algo->text == NULL) return RC_GOOD;
    const char *name = rc_any_algorithm_at((int)algo->number);
    *algorithm = rs_find_algorithm(of, name);
    if (*algorithm != NULL) return RC_GOOD;
    for (const rs_algorithm *const *at = rs_algorithms_of(of); *at != NULL; at++) {
        const size_t n = strlen(all);
        snprintf(all + n, sizeof all - n, "%s%s", n > 0 ? _(", ") : "", (*at)->name);
    }
    return rc_fail(error, RC_USAGE, _("--algo %s: the %s has none of that name, but %s"), name,
                   rs_collective_name(of), all);
}

const char *rc_dtype_at(int i) {
    return i < RS_N_DTYPES ? rs_dtype_name((rs_dtype)i) : NULL;
}

const char *rc_op_at(int i) {
    return i < RS_N_OPS ? rs_op_name((rs_op)i) : NULL;
}

rc_exit rc_as_algorithm(const rc_typed *typed, rc_value *value) {
    value->number = RC_A_FILE;
    if (strpbrk(typed->text, "./") != NULL || strcmp(typed->text, "-") == 0) return RC_GOOD;
    return find_word(typed, typed->text, &value->number);
}

/* ------------------------------------------------------------------ lists of numbers */

rc_exit rc_as_numbers(const rc_typed *typed, rc_value *value) {
    const rc_type *type = typed->option->type;
    return blame(typed, rc_parse_numbers(typed->text, type->least, type->most, typed->arena,
                                         typed->error, &value->list, &value->n));
}

rc_exit rc_as_cut(const rc_typed *typed, rc_value *value) {
    (void)value; /* the text will do; the machine knows its devices */
    const char *colon = strchr(typed->text, ':');
    if (colon != NULL && colon == strrchr(typed->text, ':')) return RC_GOOD;
    return rc_fail(typed->error, RC_USAGE, _("--%s %.60s: write it %s"), typed->option->name,
                   typed->text, typed->option->argument);
}

rc_exit rc_as_place(const rc_typed *typed, rc_value *value) {
    if (strchr("0123456789", typed->text[0]) == NULL) return rc_as_word(typed, value);
    return rc_as_numbers(typed, value);
}

rc_exit rc_as_sizes(const rc_typed *typed, rc_value *value) {
    return blame(typed, rc_parse_sweep(typed->text, true, typed->arena, typed->error, &value->list,
                                       &value->n));
}

rc_exit rc_as_counts(const rc_typed *typed, rc_value *value) {
    return blame(typed, rc_parse_sweep(typed->text, false, typed->arena, typed->error, &value->list,
                                       &value->n));
}
