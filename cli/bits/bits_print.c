/* bits_print.c: the answers of `ringsim bits` as a table and as JSON. */
#include "base/json_file.h"
#include "base/text.h"
#include "base/units.h"
#include "bits/bits.h"

#include <math.h>

enum { MOST_ROWS = 16, ORDER = 72 };

static void print_head(const rc_bits_answer *a) {
    const rc_bits_setting *s = &a->setting;
    char version[16], size[RC_UNIT_TEXT];
    printf(_("%s of %s, %lld x %s, %d ranks: "), rs_collective_name(s->collective),
           rc_exact_size(s->n_bytes, size), (long long)a->bits.count, rs_dtype_name(s->dtype),
           (int)s->n_ranks);
    if (s->own != NULL) {
        printf(_("ringsim's %s\n"), s->own->name);
    } else {
        printf(_("NCCL %s, %s, %s, channels %d of %d\n"), rn_nccl_version_text(s->version, version),
               rc_bits_algorithm(s), rn_nccl_protocol_title(s->protocol), (int)s->used_channels,
               (int)s->n_channels);
    }
    rc_print_bits_origin(s);
}

/* "0..1023", and how many runs more there are of the order. */
static void print_orders(const rc_bits_answer *a, const rs_sums *sums) {
    printf(_("\norders: %lld\n\n"), (long long)a->n_orders);
    printf("%14s %14s  %s\n", _("from element"), _("elements"), _("added as"));
    for (int64_t i = 0; i < a->n_orders && i < MOST_ROWS; i++) {
        char order[ORDER];
        rc_bits_order_text(sums, a->orders[i].sum, order, sizeof order);
        printf("%14lld %14lld  %s\n", (long long)a->orders[i].first, (long long)a->orders[i].count,
               order);
    }
    if (a->n_orders > MOST_ROWS) {
        printf(_("... and orders more: %lld\n"), (long long)(a->n_orders - MOST_ROWS));
    }
}

static void print_error(const rc_bits_answer *a) {
    if (a->error.n == 0 || a->bits.undefined != NULL ||
        rs_never_rounds(a->setting.dtype, a->setting.op))
        return;
    printf(
        _("\nfrom the exact sum: %.2f units in the last place on average (data evenly from [-1, 1), "
          "elements: %lld)\n"),
        a->error.mean, (long long)a->error.n);
}

/* Why nobody can say whether answer i has the bits of the first; NULL: it is known. */
static const char *undefined_of(const rc_bits_answer answers[], int i) {
    const rc_bits_setting *s = &answers[i].setting;
    const bool one_tree = answers[0].bits.undefined == rc_bits_one_tree &&
                          answers[i].bits.undefined == rc_bits_one_tree;
    if (one_tree || rs_never_rounds(s->dtype, s->op)) return NULL;
    return answers[i].bits.undefined != NULL   ? answers[i].bits.undefined
           : answers[0].bits.undefined != NULL ? N_("not known, for that of the first is not known")
                                               : NULL;
}

bool rc_is_same(const rc_bits_answer answers[], int i) {
    return answers[i].same.for_all_data && undefined_of(answers, i) == NULL;
}

static void print_same(const rc_bits_answer answers[], int n) {
    for (int i = 1; i < n; i++) {
        const rc_bits_answer *a = &answers[i];
        if (i == 1) puts("");
        printf("%s: ", a->setting.text);
        if (undefined_of(answers, i) != NULL) {
            puts(_(undefined_of(answers, i)));
        } else if (a->same.moved == 0) {
            puts(rc_bits_seen(&a->setting) != NULL
                     ? _("the same bits as far as was seen, whatever the data")
                     : _("the same bits, whatever the data"));
        } else if (a->same.for_all_data) {
            puts(
                _("another order, and the same bits: it never matters to this type and operation"));
        } else {
            printf(
                _("another order for %.1f %% of the elements; %.2f %% of all differ on random data, "
                  "by %.3g at most\n"),
                100 * (double)a->same.moved / (double)a->same.of, 100 * a->same.differ,
                a->same.largest);
        }
    }
}

/* What is asked first: are they the same? */
static void print_verdict(const rc_bits_answer answers[], int n) {
    int n_same = 0, n_differ = 0;
    bool seen = false;
    for (int i = 1; i < n; i++) {
        seen = seen || rc_bits_seen(&answers[0].setting) != NULL;
        n_same += rc_is_same(answers, i);
        n_differ += undefined_of(answers, i) == NULL && !rc_is_same(answers, i);
    }
    puts(n_same == n - 1 && seen ? _("the same bits as far as was seen, whatever the data")
         : n_same == n - 1       ? _("the same bits, whatever the data")
         : n_differ > 0          ? _("not the same bits")
                                 : _("not known to be the same bits"));
}

void rc_print_bits(const rc_bits_found *found, const rc_bits_keep *keep) {
    const rc_bits_answer *answers = found->answers, *first = &answers[0];
    const rs_sums *sums = found->sums;
    const int64_t element = found->element;
    const int n = found->n;
    char order[ORDER];
    if (n > 1)
        print_verdict(answers, n);
    else if (rs_never_rounds(first->setting.dtype, first->setting.op))
        puts(_("the same bits in any order: it never matters to this type and operation"));
    print_head(first);
    if (first->bits.undefined != NULL) {
        puts("");
        rc_print_wrapped(_(first->bits.undefined), 80);
    } else if (element >= 0) {
        rc_bits_order_text(sums, rs_bits_at(&first->bits, element), order, sizeof order);
        printf(_("\nelement %lld: %s\n"), (long long)element, order);
    } else {
        print_orders(first, sums);
        print_error(first);
    }
    print_same(answers, n);
    for (int i = 1; i < n; i++) {
        if (answers[i].bits.count == first->bits.count) continue;
        rc_print_wrapped(
            _("arrays of unlike length: an element is compared with the one of the same number; an "
              "array that lies elsewhere in a larger one is what --over looks at"),
            80);
        break;
    }
    rc_print_bits_keep(&first->setting, keep, sums);
}

/* ------------------------------------------------------------------ JSON */

/* Writes the orders, or that of the element asked for, with the elements that have each: "elements":[[first, last], ...]. */
static void json_orders(rs_json *json, const rc_bits_found *found) {
    const rc_bits_answer *a = &found->answers[0];
    const int32_t asked = found->element < 0 ? -1 : rs_bits_at(&a->bits, found->element);
    for (int64_t i = 0; i < a->n_orders && a->bits.undefined == NULL; i++) {
        const rs_bits_order *order = &a->orders[i];
        if (asked >= 0 && order->sum != asked) continue;
        rs_json_object(json, NULL);
        rs_json_integers(json, {"first", order->first}, {"count", order->count});
        rc_json_sum(json, found->sums, order->sum);
        rs_json_array(json, "elements");
        for (int64_t k = 0; k < a->bits.n_runs; k++) {
            const rs_bits_run *run = &a->bits.runs[k];
            if (run->sum != order->sum) continue;
            rs_json_array(json, NULL);
            rs_json_integer(json, NULL, run->first);
            rs_json_integer(json, NULL, run->first + run->count - 1);
            rs_json_close(json);
        }
        rs_json_close(json);
        rs_json_close(json);
    }
}

void rc_json_bits(const rc_bits_found *found, const rc_bits_keep *keep, FILE *out) {
    const rc_bits_answer *answers = found->answers, *first = &answers[0];
    const rs_sums *sums = found->sums;
    rs_json json;
    rc_json_begin(&json, "ringsim.bits/1", out);
    rc_json_setting(&json, "setting", &first->setting);
    rs_json_lines(&json, "orders");
    json_orders(&json, found);
    rs_json_close(&json);
    rs_json_known(&json, "n_orders", first->bits.undefined == NULL ? first->n_orders : -1);
    rs_json_text(&json, "undefined", first->bits.undefined);
    if (first->error.n > 0 && first->bits.undefined == NULL) {
        rs_json_object(&json, "error");
        rs_json_real(&json, "worst_ulp", first->error.largest);
        rs_json_real(&json, "mean_ulp", first->error.mean);
        rs_json_close(&json);
    }
    rs_json_lines(&json, "same");
    for (int i = 1; i < found->n; i++) {
        rs_json_object(&json, NULL);
        rc_json_setting(&json, "a", &first->setting);
        rc_json_setting(&json, "b", &answers[i].setting);
        const char *why = undefined_of(answers, i);
        rs_json_bool(&json, "for_all_data", rc_is_same(answers, i));
        rs_json_known(&json, "elements_moved", why == NULL ? answers[i].same.moved : -1);
        rs_json_real(&json, "differ_on_random", why == NULL ? answers[i].same.differ : (double)NAN);
        rs_json_text(&json, "undefined", why);
        rs_json_close(&json);
    }
    rs_json_close(&json);
    rc_json_bits_keep(&json, &first->setting, keep, sums);
    rc_json_end(&json);
}
