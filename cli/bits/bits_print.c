/* bits_print.c: the answers of `ringsim bits` as a table and as JSON. */
#include "base/json_file.h"
#include "base/text.h"
#include "base/units.h"
#include "bits/bits.h"

#include <string.h>

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
        rs_sum_text(sums, a->orders[i].sum, order, sizeof order);
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

static const char *undefined_of(const rc_bits_answer answers[], int i) {
    return answers[i].bits.undefined != NULL ? answers[i].bits.undefined
                                             : answers[0].bits.undefined;
}

bool rc_is_same(const rc_bits_answer answers[], int i) {
    return answers[i].same.for_all_data && undefined_of(answers, i) == NULL;
}

static void print_same(const rc_bits_answer answers[], int n) {
    for (int i = 1; i < n; i++) {
        const rc_bits_answer *a = &answers[i];
        const double of = (double)a->same.of;
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
                100 * (double)a->same.moved / of, 100 * a->same.differ, a->same.largest);
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
                                 : _("nobody promises the same bits"));
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
        printf("\n%s\n", _(first->bits.undefined));
    } else if (element >= 0) {
        rs_sum_text(sums, rs_bits_at(&first->bits, element), order, sizeof order);
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

static void json_order(rs_json *json, const rs_sums *sums, const rs_bits_order *order) {
    rs_json_object(json, NULL);
    rs_json_integers(json, {"first", order->first}, {"count", order->count});
    rc_json_sum(json, sums, order->sum);
    rs_json_close(json);
}

void rc_json_bits(const rc_bits_found *found, const rc_bits_keep *keep, FILE *out) {
    const rc_bits_answer *answers = found->answers, *first = &answers[0];
    const rs_sums *sums = found->sums;
    rs_json json;
    rc_json_begin(&json, "ringsim.bits/1", out);
    rc_json_setting(&json, "setting", &first->setting);
    rs_json_lines(&json, "orders");
    for (int64_t i = 0; found->element < 0 && i < first->n_orders; i++) {
        json_order(&json, sums, &first->orders[i]);
    }
    if (found->element >= 0) {
        json_order(&json, sums,
                   &(rs_bits_order){rs_bits_at(&first->bits, found->element), found->element, 1});
    }
    rs_json_close(&json);
    rs_json_integer(&json, "n_orders", first->n_orders);
    rs_json_text(&json, "undefined", first->bits.undefined);
    if (first->error.n > 0 && first->bits.undefined == NULL) {
        rs_json_object(&json, "error");
        rs_json_real(&json, "worst_ulp", first->error.worst);
        rs_json_real(&json, "mean_ulp", first->error.mean);
        rs_json_close(&json);
    }
    rs_json_lines(&json, "same");
    for (int i = 1; i < found->n; i++) {
        rs_json_object(&json, NULL);
        rc_json_setting(&json, "a", &first->setting);
        rc_json_setting(&json, "b", &answers[i].setting);
        rs_json_bool(&json, "for_all_data", rc_is_same(answers, i));
        rs_json_integer(&json, "elements_moved", answers[i].same.moved);
        rs_json_real(&json, "differ_on_random", answers[i].same.differ);
        rs_json_close(&json);
    }
    rs_json_close(&json);
    rc_json_bits_keep(&json, &first->setting, keep, sums);
    rc_json_end(&json);
}
