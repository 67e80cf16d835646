/* explain_why.c: why this algorithm and protocol at a size and not that one: all times side by side, and the term that
 * decides; where the choice changes.
 *
 *     AllReduce of 64MiB: NCCL takes Ring Simple, 365.2 us
 *       Tree Simple     512.3 us   64.4 + 447.9   bandwidth 164.7 x 0.91
 */
#include "base/text.h"
#include "base/units.h"
#include "nccl/explain.h"

enum { NAME_WIDTH = 24, TEXT = 256 };

static const char *cell_name(rs_nccl_algorithm a, rs_nccl_protocol p, char out[40]) {
    snprintf(out, 40, "%s %s", rs_nccl_algorithm_title(a), rs_nccl_protocol_title(p));
    return out;
}

/* The term by which the other one loses most. */
static const char *deciding(const rs_nccl_cost *winner, const rs_nccl_cost *loser) {
    const float latency = loser->latency_us - winner->latency_us;
    const float bytes = loser->bytes_us - winner->bytes_us;
    if (latency > bytes) {
        return loser->latency_factor > 1 ? _("its latency, which long messages stretch")
                                         : _("its latency");
    }
    return loser->bandwidth_factor < 1 ? _("its bandwidth, which is less at this size")
                                       : _("its bandwidth");
}

static void print_row(const rs_nccl_fit *fit, rs_collective coll, rs_nccl_algorithm a,
                      rs_nccl_protocol p, int64_t n_bytes, const rs_nccl_choice *best) {
    char name[40], text[TEXT];
    const rs_nccl_cell *cell = &fit->table.cells[coll][a][p];
    const rs_nccl_cost cost = rs_nccl_cost_of(&fit->comm, &fit->table, coll, a, p, n_bytes);
    if (cell->off == RS_NCCL_NO_SUCH || (cell->off != RS_NCCL_ON && cell->without_GBps <= 0))
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

void rc_print_why(const rs_nccl_fit *fit, rs_collective coll, int64_t n_bytes) {
    rs_nccl_choice best;
    char size[40], name[40];
    rv_format_bytes(n_bytes, size, sizeof size);
    if (!rs_nccl_choose(&fit->comm, &fit->table, coll, n_bytes, &best)) {
        printf(_("%s of %s: every way is off\n"), rs_nccl_collective_title(coll), size);
        return;
    }
    printf(best.n_channels == 1 ? _("%s of %s: NCCL takes %s, %.1f us, on %d channel\n")
                                : _("%s of %s: NCCL takes %s, %.1f us, on %d channels\n"),
           rs_nccl_collective_title(coll), size, cell_name(best.algorithm, best.protocol, name),
           (double)best.cost.us, (int)best.n_channels);
    for (int a = 0; a < RS_NCCL_N_ALGORITHMS; a++) {
        for (int p = 0; p < RS_NCCL_N_PROTOCOLS; p++) {
            print_row(fit, coll, (rs_nccl_algorithm)a, (rs_nccl_protocol)p, n_bytes, &best);
        }
    }
}

void rc_print_crossings(const rs_nccl_fit *fit, rs_collective coll) {
    rs_nccl_choice choice;
    char size[40], name[40];
    int64_t at = 1;
    const int64_t most = (int64_t)1 << 36;
    if (!rs_nccl_choose(&fit->comm, &fit->table, coll, at, &choice)) return;
    printf("  ");
    rc_print_padded(rs_nccl_collective_title(coll), 14);
    printf("%s", cell_name(choice.algorithm, choice.protocol, name));
    for (int n = 0; n < 12 && rs_nccl_crossing(&fit->comm, &fit->table, coll, at, most, &at); n++) {
        rs_nccl_choose(&fit->comm, &fit->table, coll, at, &choice);
        rv_format_bytes(at, size, sizeof size);
        printf(_(", from %s %s"), size, cell_name(choice.algorithm, choice.protocol, name));
    }
    puts("");
}
