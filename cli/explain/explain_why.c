/* explain_why.c: why this algorithm and protocol at a size and not that one: all times side by side, and the term that
 * decides; where the choice changes.
 *
 *     AllReduce of 64MiB: NCCL takes Ring Simple, 365.2 us
 *       Tree Simple     512.3 us   64.4 + 447.9   bandwidth 164.7 x 0.91
 */
#include "base/text.h"
#include "base/units.h"
#include "explain/explain.h"

enum { NAME_WIDTH = 24, TEXT = 256 };

static const char *cell_name(rn_nccl_algorithm a, rn_nccl_protocol p, char out[40]) {
    snprintf(out, 40, "%s %s", rn_nccl_algorithm_title(a), rn_nccl_protocol_title(p));
    return out;
}

/* The term by which the other one loses most. */
static const char *deciding(const rn_nccl_cost *winner, const rn_nccl_cost *loser) {
    const float latency = loser->latency_us - winner->latency_us;
    const float bytes = loser->bytes_us - winner->bytes_us;
    if (latency > bytes) {
        return loser->latency_factor > 1 ? _("its latency, which long messages stretch")
                                         : _("its latency");
    }
    return loser->bandwidth_factor < 1 ? _("its bandwidth, which is less at this size")
                                       : _("its bandwidth");
}

static void print_row(const rn_nccl_fit *fit, rs_collective coll, rn_nccl_algorithm a,
                      rn_nccl_protocol p, int64_t n_bytes, const rn_nccl_choice *best) {
    char name[40], text[TEXT];
    const rn_nccl_cell *cell = &fit->table.cells[coll][a][p];
    const rn_nccl_cost cost = rn_nccl_cost_of(&fit->comm, &fit->table, coll, a, p, n_bytes);
    if (cell->off == RN_NCCL_NO_SUCH || (cell->off != RN_NCCL_ON && cell->without_GBps <= 0))
        return;
    printf("  ");
    rc_print_padded(cell_name(a, p, name), NAME_WIDTH);
    if (cost.us < 0) {
        printf(_("off: %s\n"), rc_rule_text(cell->off));
        return;
    }
    snprintf(text, sizeof text, _("%.1f us = %.1f + %.1f at %.1f GB/s"), (double)cost.us,
             (double)cost.latency_us, (double)cost.bytes_us,
             (double)(cell->bandwidth_GBps * cost.bandwidth_factor));
    if (a == best->algorithm && p == best->protocol) {
        printf(_("%s; chosen; limited by %s\n"), text, rc_limit_text(cell->limit));
    } else {
        printf(_("%s; loses by %s\n"), text, deciding(&best->cost, &cost));
    }
}

void rc_print_why(const rn_nccl_fit *fit, rs_collective coll, int64_t n_bytes) {
    rn_nccl_choice best;
    char size[40], name[40];
    rv_format_bytes(n_bytes, size, sizeof size);
    if (!rn_nccl_choose(&fit->comm, &fit->table, coll, n_bytes, &best)) {
        printf(_("%s of %s: every way is off\n"), rn_nccl_collective_title(coll), size);
        return;
    }
    printf(best.n_channels == 1 ? _("%s of %s: NCCL takes %s, %.1f us, on %d channel\n")
                                : _("%s of %s: NCCL takes %s, %.1f us, on %d channels\n"),
           rn_nccl_collective_title(coll), size, cell_name(best.algorithm, best.protocol, name),
           (double)best.cost.us, (int)best.n_channels);
    for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) {
        for (int p = 0; p < RN_NCCL_N_PROTOCOLS; p++) {
            print_row(fit, coll, (rn_nccl_algorithm)a, (rn_nccl_protocol)p, n_bytes, &best);
        }
    }
}

void rc_print_crossings(const rn_nccl_fit *fit, rs_collective coll) {
    rn_nccl_choice choice;
    char size[40], name[40];
    int64_t at = 1;
    const int64_t most = (int64_t)1 << 36;
    if (!rn_nccl_choose(&fit->comm, &fit->table, coll, at, &choice)) return;
    printf("  ");
    rc_print_padded(rn_nccl_collective_title(coll), 14);
    printf("%s", cell_name(choice.algorithm, choice.protocol, name));
    for (int n = 0; n < 12 && rn_nccl_crossing(&fit->comm, &fit->table, coll, at, most, &at); n++) {
        rn_nccl_choose(&fit->comm, &fit->table, coll, at, &choice);
        rv_format_bytes(at, size, sizeof size);
        printf(_(", from %s %s"), size, cell_name(choice.algorithm, choice.protocol, name));
    }
    puts("");
}

/* ------------------------------------------------------------------ what a log's calls took */

/* The next size of a collective's calls, above `above`; NULL: there is none. */
static const rn_nccl_call *next_call(const rn_nccl_log *log, rs_collective coll, int64_t above) {
    const rn_nccl_call *next = NULL;
    for (int32_t i = 0; i < log->n_calls; i++) {
        const rn_nccl_call *call = &log->calls[i];
        if (call->collective != coll || call->n_bytes <= above) continue;
        if (next == NULL || call->n_bytes < next->n_bytes) next = call;
    }
    return next;
}

/* Tells whether the model takes the same; of those alone whose bytes are the array's in NCCL's line. */
static bool is_as_model(const rn_nccl_fit *fit, const rn_nccl_call *call) {
    rn_nccl_choice choice;
    return rn_nccl_choose(&fit->comm, &fit->table, call->collective, call->n_bytes, &choice) &&
           choice.algorithm == call->algorithm && choice.protocol == call->protocol;
}

static void print_calls_of(const rn_nccl_log *log, const rn_nccl_fit *fit, rs_collective coll) {
    const bool compared = fit != NULL && (coll == RS_COLL_ALL_REDUCE || coll == RS_COLL_BROADCAST ||
                                          coll == RS_COLL_REDUCE);
    const rn_nccl_call *last = NULL;
    char size[40], name[40];
    int n = 0, n_alike = 0;
    for (const rn_nccl_call *call = next_call(log, coll, -1); call != NULL && n < RC_MOST_CALLS;
         call = next_call(log, coll, call->n_bytes), n++) {
        if (compared) n_alike += is_as_model(fit, call);
        if (last != NULL && last->algorithm == call->algorithm &&
            last->protocol == call->protocol) {
            continue;
        }
        rv_format_bytes(call->n_bytes, size, sizeof size);
        if (last == NULL) {
            printf("  ");
            rc_print_padded(coll < RS_N_COLLECTIVES ? rn_nccl_collective_title(coll) : "?", 14);
        }
        printf(last == NULL ? _("from %s %s") : _(", from %s %s"), size,
               cell_name(call->algorithm, call->protocol, name));
        last = call;
    }
    if (n == 0) return;
    if (compared) printf(_("; %d of %d sizes as the model chooses"), n_alike, n);
    puts("");
}

void rc_print_calls(const rn_nccl_log *log, const rn_nccl_fit *fit) {
    if (log->n_calls == 0) return;
    puts(_("what calls took, by size, as their own lines say:"));
    for (int coll = 0; coll <= RS_N_COLLECTIVES; coll++) {
        print_calls_of(log, fit, (rs_collective)coll);
    }
}
