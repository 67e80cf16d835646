/* bits_over_print.c: over which sizes the bits stay, what to set that they do, and what that costs: in words and as JSON. */
#include "base/json_file.h"
#include "base/text.h"
#include "base/units.h"
#include "bits/bits.h"

#include <math.h>

enum { WIDTH = 80, ORDER = 24, LONG_ORDER = 72, CELL = 64, VARIABLE = 64 };

/* What the variables do not reach. */
static const char not_promised[] =
    N_("another version of NCCL, other GPUs or another number of them, a restart that finds other "
       "rings, calls in one group, NVLS, a tuner plugin");

/* A size, or how many units. */
static const char *size_text(int64_t unit, int64_t n_bytes, char out[RC_UNIT_TEXT]) {
    if (unit == 1) return rc_exact_size(n_bytes, out);
    snprintf(out, RC_UNIT_TEXT, "%lld", (long long)(n_bytes / unit));
    return out;
}

static void print_verdict(const rc_bits_range *range, const rs_sums *sums) {
    char from[RC_UNIT_TEXT], to[RC_UNIT_TEXT], order[ORDER], version[16];
    const rc_bits_setting *s = &range->list[0].last;
    size_text(range->unit, range->list[0].from, from);
    size_text(range->unit, range->list[range->n - 1].to, to);
    if (rs_never_rounds(s->dtype, s->op)) {
        printf(
            _("the same bits from %s to %s: the order never matters to this type and operation\n"),
            from, to);
    } else if (range->same) {
        rc_bits_order_text(sums, range->list[0].order, order, sizeof order);
        printf(_("the same bits from %s to %s: each element is %s\n"), from, to, order);
    } else if (range->differs) {
        printf(_("not the same bits from %s to %s: an element's order changes with the size\n"),
               from, to);
    } else if (range->undefined) {
        printf(_("not known to be the same bits from %s to %s\n"), from, to);
    } else {
        printf(_("not known to be the same bits from %s to %s: orders go by place\n"), from, to);
    }
    printf(_("%s of %s, %d ranks: "), rs_collective_name(s->collective), rs_dtype_name(s->dtype),
           (int)s->n_ranks);
    if (s->own != NULL) {
        printf(_("ringsim's %s\n"), s->own->name);
    } else {
        printf("NCCL %s\n", rn_nccl_version_text(s->version, version));
    }
    if (range->unit > 1) {
        char size[RC_UNIT_TEXT];
        printf(_("sizes are tokens of %s\n"), rc_exact_size(range->unit, size));
    }
}

/* What each element is over a stretch: "((1+2)+3)+0", "by place, orders: 8", "nobody says". */
static void order_text(const rc_bits_stretch *s, const rs_sums *sums, char out[CELL]) {
    if (s->undefined != NULL && s->order == RC_BITS_BY_PLACE) {
        snprintf(out, CELL, "%s", _("not known"));
    } else if (s->order == RC_BITS_BY_PLACE) {
        snprintf(out, CELL, _("by place, orders: %lld"), (long long)s->n_orders);
    } else {
        rc_bits_order_text(sums, s->order, out, ORDER);
    }
}

static bool is_moved_known(const rc_bits_range *range, const rc_bits_stretch *s) {
    return s->undefined == NULL && range->first.undefined == NULL;
}

static void print_stretches(const rc_bits_range *range, const rs_sums *sums) {
    const char *undefined = NULL, *seen = NULL;
    puts("");
    rc_print_padded(_("from size"), -11);
    rc_print_padded(_("to"), -12);
    printf("  ");
    rc_print_padded(_("takes"), 16);
    rc_print_padded(_("channels"), -9);
    rc_print_padded(_("moved"), -7);
    printf("  %s\n", _("each element is"));
    for (int64_t i = 0; i < range->n; i++) {
        const rc_bits_stretch *s = &range->list[i];
        const bool ours = s->last.own != NULL;
        char from[RC_UNIT_TEXT], to[RC_UNIT_TEXT], takes[CELL], channels[CELL], moved[CELL],
            order[CELL];
        snprintf(takes, sizeof takes, ours ? "%s" : "%s, %s", rc_bits_algorithm(&s->last),
                 rn_nccl_protocol_title(s->last.protocol));
        const int least = s->least_channels, most = s->last.used_channels;
        snprintf(channels, sizeof channels, least == most ? "%d" : "%d-%d", least, most);
        snprintf(moved, sizeof moved, is_moved_known(range, s) ? "%.0f %%" : "-",
                 100 * (double)s->moved / (double)range->first.count);
        order_text(s, sums, order);
        if (s->undefined != NULL) undefined = s->undefined;
        if (i > 0 && rc_bits_seen(&s->last) != NULL) seen = rc_bits_seen(&s->last);
        printf("%11s %11s  ", size_text(range->unit, s->from, from),
               size_text(range->unit, s->to, to));
        rc_print_padded(takes, 16);
        printf("%9s%7s  %s\n", ours ? "-" : channels, moved, order);
    }
    puts("");
    rc_print_wrapped(_("moved: of the first size's elements, those that have another order at a "
                       "line's last size"),
                     WIDTH);
    if (undefined != NULL) rc_print_wrapped(_(undefined), WIDTH);
    if (seen != NULL) rc_print_wrapped(_(seen), WIDTH);
}

/* ------------------------------------------------------------------ what to set */

/* With what the options ask already: who sets only the rest does not get what was checked. */
static rc_bits_pin whole_pin(const rc_bits_setting *s, const rc_bits_pin *p) {
    rc_bits_pin all = *p;
    if (all.algorithm < 0 && s->asked_algorithm) all.algorithm = (int)s->nccl;
    if (all.protocol < 0 && s->asked_protocol) all.protocol = (int)s->protocol;
    if (all.channels < 0 && s->asked_channels) all.channels = s->n_channels;
    return all;
}

/* Writes "NCCL_ALGO=allreduce:tree"; where a version before 2.24 takes part without the function. */
static bool write_variable(const rc_bits_setting *s, const rc_bits_keep *keep, int which,
                           char out[VARIABLE]) {
    static const char *const names[] = {"NCCL_ALGO", "NCCL_PROTO"};
    const rc_bits_pin p = whole_pin(s, &keep->pin);
    const int values[] = {p.algorithm, p.protocol};
    const char *function =
        keep->oldest >= RN_NCCL_BY_FUNCTION ? rn_nccl_collective_name(s->collective) : "";
    if (which == 2) {
        snprintf(out, VARIABLE, "NCCL_MAX_CTAS=%d", p.channels);
        return p.channels >= 0;
    }
    if (values[which] < 0) return false;
    snprintf(out, VARIABLE, "%s=%s%s%s", names[which], function, function[0] != '\0' ? ":" : "",
             which == 0 ? rn_nccl_algorithm_name((rn_nccl_algorithm)values[0])
                        : rn_nccl_protocol_name((rn_nccl_protocol)values[1]));
    return true;
}

static void print_costs(const rc_bits_setting *s, const rc_bits_keep *keep) {
    bool at_most = false;
    if (keep->n_costs == 0) {
        puts(_("what it costs: --machine M estimates it"));
        return;
    }
    puts("");
    rc_print_padded(_("bytes"), -11);
    rc_print_padded(_("as it is"), -14);
    rc_print_padded(_("with this"), -14);
    rc_print_padded(_("cost"), -9);
    puts("");
    for (int i = 0; i < keep->n_costs; i++) {
        const rc_bits_cost *cost = &keep->costs[i];
        char size[RC_UNIT_TEXT];
        printf("%11s ", rc_exact_size(cost->n_bytes, size));
        at_most = at_most || cost->at_most;
        if (cost->us > 0 && cost->pinned_us > 0) {
            const char *at_most_sign = cost->at_most ? "<=" : "  ";
            printf("%10.1f us %s%8.1f us %s%4ld %%\n", cost->us, at_most_sign, cost->pinned_us,
                   at_most_sign, lround(100 * (cost->pinned_us / cost->us - 1)));
        } else {
            printf("%13s %13s\n", "-", "-");
        }
    }
    printf(_("estimated, as ringsim estimate --machine %s does\n"), s->machine->machine->name);
    if (at_most) puts(_("<=: fewer channels, each no faster than among all of them"));
}

void rc_print_bits_keep(const rc_bits_setting *s, const rc_bits_keep *keep, const rs_sums *sums) {
    char variable[VARIABLE], order[LONG_ORDER], said[RS_ERROR_TEXT];
    if (!keep->is_sought && !keep->is_other) return;
    puts("");
    if (keep->is_other) {
        rc_print_wrapped(
            _("no variable of NCCL's reaches what is not NCCL's: leave an engine's own "
              "kernel out (vLLM, SGLang: --disable-custom-all-reduce), then compare "
              "NCCL with NCCL"),
            WIDTH);
        return;
    }
    if (!keep->found) {
        rc_print_wrapped(
            keep->lacks_lines
                ? _("not known what keeps the bits: the log lacks lines to try all rings and trees; "
                    "lines of all ranks say them")
                : _("no NCCL_ALGO, NCCL_PROTO or NCCL_MAX_CTAS makes them the same: keep what "
                    "differs, or pad to one size"),
            WIDTH);
        return;
    }
    puts(_("to keep the bits, set on every rank:"));
    for (int i = 0; i < 3; i++) {
        if (write_variable(s, keep, i, variable)) printf("  %s\n", variable);
    }
    if (keep->order != RC_BITS_BY_PLACE) {
        rc_bits_order_text(sums, keep->order, order, sizeof order);
        printf(_("checked: each element is then %s\n"), order);
    } else {
        puts(_("checked: compared again with this, all have the same bits"));
    }
    if (keep->oldest < RN_NCCL_BY_FUNCTION)
        puts(_("before 2.24 this is for all functions; one that has no tree keeps its ring"));
    if (whole_pin(s, &keep->pin).channels >= 0) puts(_("NCCL_MAX_CTAS is for all functions"));
    if (s->version >= RN_NCCL_ONLY_NAMED)
        puts(_("from 2.31 on functions that a list leaves out have nothing: name them, too"));
    print_costs(s, keep);
    snprintf(said, sizeof said, _("not promised: %s"), _(not_promised));
    rc_print_wrapped(said, WIDTH);
}

void rc_print_bits_range(const rc_bits_range *range, const rc_bits_keep *keep,
                         const rs_sums *sums) {
    print_verdict(range, sums);
    rc_print_bits_origin(&range->list[0].last);
    print_stretches(range, sums);
    rc_print_bits_keep(&range->asked, keep, sums);
}

/* Of products nobody has measured it; what never rounds has none. */
static bool has_error(const rc_bits_answer *a) {
    return a->error.n > 0 || rs_never_rounds(a->setting.dtype, a->setting.op);
}

void rc_print_bits_numbers(const rc_bits_answer answers[], rs_sums *const sums[], int64_t n) {
    const rc_bits_setting *s = &answers[0].setting;
    puts(rs_never_rounds(s->dtype, s->op)
             ? _("the same bits for any number of ranks that hold the same numbers")
             : _("not the same bits: another number of ranks adds other parts, whatever is set"));
    rc_print_bits_origin(s);
    puts("");
    rc_print_padded(_("ranks"), -8);
    rc_print_padded(_("orders"), -9);
    rc_print_padded("ulp", -11);
    printf("  %s\n", _("the first element is"));
    for (int64_t i = 0; i < n; i++) {
        const rc_bits_answer *a = &answers[i];
        char order[LONG_ORDER], ulp[32] = "-";
        rs_sum_text(sums[i], rs_bits_at(&a->bits, 0), order, sizeof order);
        if (has_error(a)) snprintf(ulp, sizeof ulp, "%.2f", a->error.mean);
        printf("%8d %8lld %10s  %s\n", (int)a->setting.n_ranks, (long long)a->n_orders, ulp,
               a->bits.undefined == NULL ? order : _(a->bits.undefined));
    }
    puts(_("ulp: units in the last place from the exact sum, on average"));
}

/* ------------------------------------------------------------------ JSON */

void rc_json_bits_numbers(const rc_bits_answer answers[], rs_sums *const sums[], int64_t n,
                          FILE *out) {
    const rc_bits_setting *s = &answers[0].setting;
    rs_json json;
    rc_json_begin(&json, "ringsim.bits/1", out);
    rc_json_setting(&json, "setting", s);
    rs_json_object(&json, "over");
    rs_json_bool(&json, "same", rs_never_rounds(s->dtype, s->op));
    rs_json_lines(&json, "gpus");
    for (int64_t i = 0; i < n; i++) {
        const rc_bits_answer *a = &answers[i];
        rs_json_object(&json, NULL);
        rs_json_integers(&json, {"ranks", a->setting.n_ranks}, {"n_orders", a->n_orders});
        if (has_error(a)) {
            rs_json_real(&json, "mean_ulp", a->error.mean);
        } else {
            rs_json_null(&json, "mean_ulp");
        }
        rc_json_sum(&json, sums[i],
                    a->bits.undefined == NULL ? rs_bits_at(&a->bits, 0) : RC_BITS_BY_PLACE);
        rs_json_text(&json, "undefined", a->bits.undefined);
        rs_json_close(&json);
    }
    rs_json_close(&json);
    rs_json_close(&json);
    rc_json_end(&json);
}

static void json_range(rs_json *json, const rc_bits_range *range, const rs_sums *sums) {
    rc_bits_setting first = range->list[0].last;
    first.n_bytes = range->list[0].from;
    first.used_channels = range->list[0].least_channels;
    rc_json_setting(json, "setting", &first);
    rs_json_object(json, "over");
    rs_json_integer(json, "unit", range->unit);
    rs_json_bool(json, "same", range->same);
    rs_json_lines(json, "stretches");
    for (int64_t i = 0; i < range->n; i++) {
        const rc_bits_stretch *s = &range->list[i];
        rs_json_object(json, NULL);
        const bool known = is_moved_known(range, s);
        rs_json_integers(json, {"from", s->from}, {"to", s->to});
        rs_json_known(json, "n_orders", s->undefined == NULL ? s->n_orders : -1);
        rs_json_known(json, "elements_moved", known ? s->moved : -1);
        rs_json_text(json, "algorithm", rc_bits_algorithm(&s->last));
        if (s->last.own == NULL) {
            rs_json_text(json, "protocol", rn_nccl_protocol_name(s->last.protocol));
            rs_json_integers(json, {"least_channels", s->least_channels},
                             {"channels", s->last.used_channels});
        }
        rc_json_sum(json, sums, s->undefined == NULL ? s->order : RC_BITS_BY_PLACE);
        rs_json_text(json, "undefined", s->undefined);
        rs_json_close(json);
    }
    rs_json_close(json);
    rs_json_close(json);
}

void rc_json_bits_keep(rs_json *json, const rc_bits_setting *s, const rc_bits_keep *keep,
                       const rs_sums *sums) {
    char variable[VARIABLE];
    if (!keep->found) return;
    rs_json_object(json, "keep");
    rs_json_lines(json, "variables");
    for (int i = 0; i < 3; i++) {
        if (write_variable(s, keep, i, variable)) rs_json_text(json, NULL, variable);
    }
    rs_json_close(json);
    rc_json_sum(json, sums, keep->order);
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
    rs_json_text(json, "not_promised", not_promised);
    rs_json_close(json);
}

void rc_json_bits_range(const rc_bits_range *range, const rc_bits_keep *keep, const rs_sums *sums,
                        FILE *out) {
    rs_json json;
    rc_json_begin(&json, "ringsim.bits/1", out);
    json_range(&json, range, sums);
    rc_json_bits_keep(&json, &range->asked, keep, sums);
    rc_json_end(&json);
}
