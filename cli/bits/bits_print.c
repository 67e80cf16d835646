/* bits_print.c: the answers of `ringsim bits` as a table and as JSON. */
#include "base/json_file.h"
#include "base/text.h"
#include "base/units.h"
#include "bits/bits.h"
#include "nccl/nccl_files.h"

#include <string.h>

enum { MOST_ROWS = 16, ORDER = 72, MOST_ORDER = 1 << 20 };

const char *rc_bits_algorithm(const rc_bits_setting *s) {
    return s->own != NULL ? s->own->name : rn_nccl_algorithm_title(s->nccl);
}

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
        puts(s->log != NULL ? _("rings, trees and channels as the log says")
             : s->machine != NULL
                 ? _("rings as found for the machine; a log of the job shows its own")
                 : _("one ring, and one chain as its tree: 0, 1, 2, ...; a log of the "
                     "job shows its own"));
        for (int i = 0; i < s->n_notes; i++) {
            rs_error note = s->notes[i];
            puts(rc_said(&note));
        }
        const rn_bits_shown asked = {.version = s->version,
                                     .collective = s->collective,
                                     .algorithm = s->nccl,
                                     .protocol = s->protocol,
                                     .n_ranks = s->n_ranks,
                                     .n_per_node = s->n_ranks / s->n_nodes};
        char shown[RC_SHOWN_TEXT];
        rc_shown_text(rn_bits_shown_rows(), &asked, shown, sizeof shown);
        puts(shown);
    }
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
    if (a->error.n == 0 || a->bits.undefined != NULL) return;
    printf(
        _("\nfrom the exact sum: %.2f units in the last place on average (data evenly from [-1, 1), "
          "elements: %lld)\n"),
        a->error.mean, (long long)a->error.n);
}

static void print_same(const rc_bits_answer answers[], int n) {
    for (int i = 1; i < n; i++) {
        const rc_bits_answer *a = &answers[i];
        const double of = (double)a->same.of;
        if (i == 1) puts("");
        printf("%s: ", a->setting.text);
        if (a->bits.undefined != NULL) {
            puts(_(a->bits.undefined));
        } else if (a->same.moved == 0) {
            puts(_("the same bits, whatever the data"));
        } else if (a->same.for_all_data) {
            puts(_("another order, and the same bits: this type's sums do not round"));
        } else {
            printf(
                _("another order for %.1f %% of the elements; %.2f %% of all differ on random data, "
                  "by %.3g at most\n"),
                100 * (double)a->same.moved / of, 100 * a->same.differ, a->same.largest);
        }
    }
}

void rc_print_bits(const rc_bits_answer answers[], int n, const rs_sums *sums, int64_t element) {
    const rc_bits_answer *first = &answers[0];
    char order[ORDER];
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
}

/* ------------------------------------------------------------------ JSON */

static void json_setting(rs_json *json, const char *key, const rc_bits_setting *s) {
    char version[16];
    rs_json_object(json, key);
    rs_json_text(json, "text", s->text);
    rs_json_text(json, "collective", rs_collective_name(s->collective));
    rs_json_text(json, "algorithm",
                 s->own != NULL ? s->own->name : rn_nccl_algorithm_name(s->nccl));
    if (s->own == NULL) {
        rs_json_text(json, "protocol", rn_nccl_protocol_name(s->protocol));
        rs_json_integer(json, "channels", s->used_channels);
        rs_json_text(json, "nccl", rn_nccl_version_text(s->version, version));
    }
    if (s->log != NULL) rs_json_text(json, "log", s->log->path);
    rs_json_lines(json, "notes");
    for (int i = 0; i < s->n_notes; i++) rs_json_text(json, NULL, s->notes[i].text);
    rs_json_close(json);
    rs_json_integers(json, {"ranks", s->n_ranks}, {"bytes", s->n_bytes});
    rs_json_text(json, "dtype", rs_dtype_name(s->dtype));
    rs_json_text(json, "op", rs_op_name(s->op));
    rs_json_close(json);
}

static void json_order(rs_json *json, const rs_sums *sums, const rs_bits_order *order) {
    static char text[MOST_ORDER];
    rs_sum_text(sums, order->sum, text, sizeof text);
    rs_json_object(json, NULL);
    rs_json_integers(json, {"first", order->first}, {"count", order->count});
    rs_json_text(json, "expression", text);
    rs_json_close(json);
}

void rc_json_bits(const rc_bits_answer answers[], int n, const rs_sums *sums, int64_t element,
                  FILE *out) {
    const rc_bits_answer *first = &answers[0];
    rs_json json;
    rc_json_begin(&json, "ringsim.bits/1", out);
    json_setting(&json, "setting", &first->setting);
    rs_json_lines(&json, "orders");
    for (int64_t i = 0; element < 0 && i < first->n_orders; i++) {
        json_order(&json, sums, &first->orders[i]);
    }
    if (element >= 0) {
        json_order(&json, sums, &(rs_bits_order){rs_bits_at(&first->bits, element), element, 1});
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
    for (int i = 1; i < n; i++) {
        rs_json_object(&json, NULL);
        json_setting(&json, "a", &first->setting);
        json_setting(&json, "b", &answers[i].setting);
        rs_json_bool(&json, "for_all_data",
                     answers[i].same.for_all_data && answers[i].bits.undefined == NULL);
        rs_json_integer(&json, "elements_moved", answers[i].same.moved);
        rs_json_real(&json, "differ_on_random", answers[i].same.differ);
        rs_json_close(&json);
    }
    rs_json_close(&json);
    rc_json_end(&json);
}
