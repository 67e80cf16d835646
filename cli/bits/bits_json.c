/* bits_json.c: the answers of `ringsim bits` as JSON, ringsim.bits/1. */
#include "base/json_file.h"
#include "bits/bits.h"

#include <math.h>

static void put_setting(rs_json *json, const char *key, const rc_bits_setting *s) {
    const rn_bits_job *job = &s->job;
    const rn_bits_shown asked = rc_bits_asked_shown(s);
    char version[16];
    rs_json_object(json, key);
    rs_json_text(json, "text", s->text);
    rs_json_text(json, "collective", rs_collective_name(job->collective));
    rs_json_text(json, "algorithm",
                 s->own != NULL ? s->own->name : rn_nccl_algorithm_name(job->algorithm));
    if (s->own == NULL) {
        rs_json_text(json, "protocol", rn_nccl_protocol_name(job->protocol));
        rs_json_integer(json, "channels", job->used_channels);
        rs_json_text(json, "nccl", rn_nccl_version_text(job->version, version));
    }
    for (int i = 0; i < 2 && s->own == NULL; i++) {
        const rn_bits_shown *row = rn_bits_find_shown(rn_bits_shown_rows(), &asked, i);
        rs_json_text(json, i == 0 ? "shown_inside_nodes" : "shown_between_nodes",
                     row != NULL ? row->gpu : NULL);
    }
    if (s->in_f32) rs_json_text(json, "sums", "f32");
    if (rc_bits_seen(s) != NULL) rs_json_text(json, "seen", rc_bits_seen(s));
    if (s->log != NULL) rs_json_text(json, "log", s->log->path);
    rs_json_lines(json, "notes");
    for (int i = 0; i < s->n_notes; i++) rs_json_text(json, NULL, s->notes[i].text);
    rs_json_close(json);
    rs_json_integers(json, {"ranks", job->n_ranks}, {"bytes", s->n_bytes});
    rs_json_text(json, "dtype", rs_dtype_name(job->dtype));
    rs_json_text(json, "op", rs_op_name(s->op));
    rs_json_close(json);
}

/* "expression": a sum; null where nobody knows it, or orders go by place. */
static void put_sum(rs_json *json, const rs_sums *sums, int32_t sum, const char *undefined) {
    enum { MOST_ORDER = 1 << 20 };
    static char text[MOST_ORDER];
    const bool known = undefined == NULL && sum != RC_BITS_BY_PLACE && sum != RC_BITS_ONE_TREE;
    if (known) rs_sum_text(sums, sum, text, sizeof text);
    rs_json_text(json, "expression", known ? text : NULL);
}

/* Writes the orders, or that of the element asked for, with the elements that have each: "elements":[[first, last], ...]. */
static void put_orders(rs_json *json, const rc_bits_found *found) {
    const rc_bits_answer *a = &found->answers[0];
    const int32_t asked = found->element < 0 ? -1 : rs_bits_at(&a->bits, found->element);
    for (int64_t i = 0; i < a->n_orders && a->bits.undefined == NULL; i++) {
        const rs_bits_run *order = &a->orders[i];
        if (asked >= 0 && order->sum != asked) continue;
        rs_json_object(json, NULL);
        rs_json_integers(json, {"first", order->first}, {"count", order->count});
        put_sum(json, found->sums, order->sum, NULL);
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

static void put_compared(rs_json *json, const rc_bits_found *found) {
    const rc_bits_answer *first = &found->answers[0];
    rs_json_lines(json, "orders");
    put_orders(json, found);
    rs_json_close(json);
    rs_json_known(json, "n_orders", first->bits.undefined == NULL ? first->n_orders : -1);
    rs_json_text(json, "undefined", first->bits.undefined);
    if (first->measured.n > 0 && first->bits.undefined == NULL) {
        rs_json_object(json, "error");
        rs_json_real(json, "worst_ulp", first->measured.largest);
        rs_json_real(json, "mean_ulp", first->measured.mean);
        rs_json_close(json);
    }
    rs_json_lines(json, "same");
    for (int64_t i = 1; i < found->n; i++) {
        const rc_bits_answer *a = &found->answers[i];
        const bool known = a->unknown == NULL;
        rs_json_object(json, NULL);
        put_setting(json, "a", &first->setting);
        put_setting(json, "b", &a->setting);
        rs_json_bool(json, "for_all_data", a->verdict <= RC_BITS_SEEN);
        rs_json_known(json, "elements_moved", known ? a->measured.moved : -1);
        rs_json_real(json, "differ_on_random", known ? a->measured.differ : (double)NAN);
        rs_json_text(json, "undefined", a->unknown);
        rs_json_close(json);
    }
    rs_json_close(json);
}

static void put_stretch(rs_json *json, const rc_bits_found *found, const rc_bits_answer *first,
                        const rc_bits_answer *last) {
    const rc_bits_setting *s = &last->setting;
    const rs_bits *start = &found->answers[0].bits;
    const bool known = last->bits.undefined == NULL;
    rs_json_integers(json, {"from", first->setting.n_bytes}, {"to", s->n_bytes});
    rs_json_known(json, "n_orders", known ? last->n_orders : -1);
    rs_json_known(json, "elements_moved",
                  known && start->undefined == NULL ? rs_bits_moved(start, &last->bits) : -1);
    rs_json_text(json, "algorithm", rc_bits_algorithm(s));
    if (s->own == NULL) {
        rs_json_text(json, "protocol", rn_nccl_protocol_name(s->job.protocol));
        rs_json_integers(json, {"least_channels", first->setting.job.used_channels},
                         {"channels", s->job.used_channels});
    }
    put_sum(json, last->sums, rc_bits_one_order(first, last), last->bits.undefined);
    rs_json_text(json, "undefined", last->bits.undefined);
}

static void put_number(rs_json *json, const rc_bits_answer *a) {
    rs_json_integers(json, {"ranks", a->setting.job.n_ranks}, {"n_orders", a->n_orders});
    rs_json_real(json, "mean_ulp", a->measured.n > 0 ? a->measured.mean : (double)NAN);
    put_sum(json, a->sums, rs_bits_at(&a->bits, 0), a->bits.undefined);
    rs_json_text(json, "undefined", a->bits.undefined);
}

static void put_over(rs_json *json, const rc_bits_found *found) {
    const bool sizes = found->kind == RC_BITS_SIZES;
    rs_json_object(json, "over");
    if (sizes) rs_json_integer(json, "unit", found->unit);
    rs_json_bool(json, "same", found->verdict <= RC_BITS_SEEN);
    rs_json_lines(json, sizes ? "stretches" : "gpus");
    for (int64_t i = 0; i < found->n; i += sizes ? 2 : 1) {
        const rc_bits_answer *a = &found->answers[i];
        rs_json_object(json, NULL);
        if (sizes) {
            put_stretch(json, found, a, a + 1);
        } else {
            put_number(json, a);
        }
        rs_json_close(json);
    }
    rs_json_close(json);
    rs_json_close(json);
}

static void put_keep(rs_json *json, const rc_bits_setting *s, const rc_bits_keep *keep,
                     const rs_sums *sums) {
    char variable[RC_BITS_VARIABLE];
    rs_json_object(json, "keep");
    rs_json_lines(json, "variables");
    for (int i = 0; i < RC_BITS_N_PINS; i++) {
        if (rc_bits_variable(s, keep, i, variable)) rs_json_text(json, NULL, variable);
    }
    rs_json_close(json);
    put_sum(json, sums, keep->order, NULL);
    rs_json_lines(json, "costs");
    for (int i = 0; i < keep->n_costs; i++) {
        const rc_bits_cost *cost = &keep->costs[i];
        rs_json_object(json, NULL);
        rs_json_integer(json, "bytes", cost->n_bytes);
        rs_json_fixed(json, "us", cost->us, 3);
        rs_json_fixed(json, "kept_us", cost->pinned_us, 3);
        rs_json_bool(json, "at_most", cost->at_most);
        rs_json_close(json);
    }
    rs_json_close(json);
    rs_json_text(json, "not_promised", rc_bits_not_promised);
    rs_json_close(json);
}

void rc_json_bits(const rc_bits_found *found, const rc_bits_keep *keep, FILE *out) {
    rs_json json;
    rc_json_begin(&json, "ringsim.bits/1", out);
    put_setting(&json, "setting", &found->answers[0].setting);
    (found->kind == RC_BITS_COMPARED ? put_compared : put_over)(&json, found);
    if (keep != NULL && keep->found) put_keep(&json, &found->settings[0], keep, found->sums);
    rc_json_end(&json);
}
