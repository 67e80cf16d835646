/* explain_print.c: what a file says, for people: who, over what, in which rings, what smells wrong, what the table means. */
#include "base/text.h"
#include "explain/explain.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 100, MOST_RINGS = 4, MOST_SHOWN = 24, NAME = 300, MOST_SUMS = 4096 };

static void print_ring(const rn_nccl_ring *ring) {
    char text[400];
    size_t n = 0;
    text[0] = '\0';
    for (int32_t i = 0; i < ring->n && n < sizeof text - 24; i++) {
        if (i == MOST_SHOWN) {
            snprintf(text + n, sizeof text - n, " ...");
            break;
        }
        n += (size_t)snprintf(text + n, sizeof text - n, " %d", (int)ring->ranks[i]);
    }
    printf(ring->whole ? _("  ring %d:%s\n") : _("  ring %d, not closed:%s\n"), (int)ring->channel,
           text);
}

static void print_rings(const rn_nccl_ring rings[], int32_t n) {
    int32_t n_whole = 0;
    for (int32_t i = 0; i < n; i++) n_whole += rings[i].whole;
    if (n == 0) return;
    printf(
        ngettext(
            "%d ring, %d of them closed; data go from left to right, from the last to the first\n",
            "%d rings, %d of them closed; data go from left to right, from the last to the first\n",
            n),
        (int)n, (int)n_whole);
    for (int32_t i = 0; i < n && i < MOST_RINGS; i++) print_ring(&rings[i]);
    if (n > MOST_RINGS) printf(_("  and %d more\n"), (int)n - MOST_RINGS);
}

/* "30", or "?" for a side that a table leaves open. */
static const char *speed_text(float GBps, char out[32]) {
    if (GBps < 1e5F) {
        snprintf(out, 32, "%g", (double)GBps);
    } else {
        snprintf(out, 32, "?");
    }
    return out;
}

/* said: paths are known; else only the bandwidths are. */
static void print_graph(const rn_nccl_graph *g, const char *name, bool said) {
    char intra[32], inter[32];
    printf("  ");
    rc_print_padded(name, 14);
    printf(ngettext("%d channel of %s GB/s inside a node, %s between",
                    "%d channels of %s GB/s inside a node, %s between", g->n_channels),
           (int)g->n_channels, speed_text(g->bw_intra, intra), speed_text(g->bw_inter, inter));
    if (said) {
        printf(_("; paths %s, %s"), rn_nccl_path_name(g->type_intra),
               rn_nccl_path_name(g->type_inter));
    }
    puts("");
}

/* ------------------------------------------------------------------ a log */

static void print_transports(const rn_nccl_log *log) {
    char name[2 * RN_NCCL_WORD];
    for (int32_t i = 0; i < log->n_transports; i++) {
        const rn_nccl_transport *t = &log->transports[i];
        printf(ngettext("  %lld connection by %s\n", "  %lld connections by %s\n", t->n),
               (long long)t->n, rc_plain(t->name, true, name, sizeof name));
    }
}

static void print_table(const rc_explained *e) {
    char version[16];
    const rn_nccl_fit *fit = &e->fit;
    if (e->log.table_line == 0) return;
    puts("");
    if (!e->has_fit) {
        printf(_("the tuning table (line %lld) is not taken apart: %s\n"),
               (long long)e->log.table_line, _(e->no_fit.text));
        return;
    }
    printf(
        _("the tuning table (line %lld): %d of its %d numbers come out of NCCL %s's model, digit for "
          "digit\n"),
        (long long)e->log.table_line, (int)fit->n_alike, (int)fit->n_numbers,
        rn_nccl_version_text(fit->comm.version, version));
    puts(fit->graphs_said ? _("what went in, by its GRAPH lines:")
                          : _("what went in, taken back from the table:"));
    for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) {
        const rn_nccl_graph *g = &fit->comm.graphs[a];
        if (g->n_channels == 0 || !(g->bw_intra > 0) || !(g->bw_inter > 0)) continue;
        print_graph(g, rn_nccl_algorithm_title((rn_nccl_algorithm)a), fit->graphs_said);
    }
    puts(_("what is chosen, by size:"));
    for (int coll = 0; coll < RS_COLL_ALL_TO_ALL; coll++)
        rc_print_crossings(fit, (rs_collective)coll);
}

static void print_unlike(const rc_explained *e) {
    const rn_nccl_fit *fit = &e->fit;
    if (!e->has_fit || fit->n_alike == fit->n_numbers) return;
    puts(_("not reproduced (printed, computed):"));
    for (int coll = 0; coll < RS_N_COLLECTIVES; coll++) {
        for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) {
            for (int p = 0; p < RN_NCCL_N_PROTOCOLS; p++) {
                const rn_nccl_printed *printed = &e->log.table[coll][a][p];
                const rn_nccl_cell *cell = &fit->table.cells[coll][a][p];
                if (printed->line == 0 ||
                    (rn_nccl_same_digits(cell->latency_us, printed->latency_us) &&
                     rn_nccl_same_digits(cell->bandwidth_GBps, printed->bandwidth_GBps))) {
                    continue;
                }
                printf("  %s %s %s: %.1f/%.1f, %.1f/%.1f\n",
                       rn_nccl_collective_title((rs_collective)coll),
                       rn_nccl_algorithm_title((rn_nccl_algorithm)a),
                       rn_nccl_protocol_title((rn_nccl_protocol)p), (double)printed->latency_us,
                       (double)printed->bandwidth_GBps, (double)cell->latency_us,
                       (double)cell->bandwidth_GBps);
            }
        }
    }
}

/* Bytes of all its calls; as a real number they never overflow. */
static double volume(const rn_nccl_sum *sum) {
    return (double)sum->count * rn_nccl_type_bytes(sum->datatype) * (double)sum->n;
}

/* Those with the most bytes first. */
static void print_sums(const rn_nccl_log *log) {
    enum { MOST = 10 };
    bool shown[MOST_SUMS] = {false};
    char size[40];
    if (log->n_sums == 0) return;
    printf(_("calls that the log's ranks began: %lld, of %d kinds; the most bytes first\n"),
           (long long)log->n_coll_lines, (int)log->n_sums);
    for (int k = 0; k < MOST && k < log->n_sums; k++) {
        int32_t most = -1;
        for (int32_t i = 0; i < log->n_sums && i < MOST_SUMS; i++) {
            if (!shown[i] && (most < 0 || volume(&log->sums[i]) > volume(&log->sums[most])))
                most = i;
        }
        const rn_nccl_sum *sum = &log->sums[most];
        shown[most] = true;
        rv_format_bytes(sum->count * rn_nccl_type_bytes(sum->datatype), size, sizeof size);
        printf(_("  %-14s %10s (%lld %s), %lld times, from line %lld on\n"), sum->name, size,
               (long long)sum->count, rn_nccl_type_name(sum->datatype), (long long)sum->n,
               (long long)sum->line);
    }
    if (log->n_sums > MOST) printf(_("  and %d more\n"), (int)log->n_sums - MOST);
    if (log->n_unsummed > 0) {
        printf(_("  %lld calls of still other kinds were not added up\n"),
               (long long)log->n_unsummed);
    }
}

static void print_network(const rn_nccl_log *log) {
    char name[2 * RN_NCCL_WORD], nics[2 * RN_NCCL_VALUE], text[RS_ERROR_TEXT];
    if (log->mnnvl && log->n_hosts > log->n_nodes) {
        printf(_("NVLink joins %d hosts (MNNVL): a node is all that it joins\n"),
               (int)log->n_hosts);
    }
    if (log->network_line > 0) {
        printf(_("network %s (line %lld)\n"), rc_plain(log->network, true, name, sizeof name),
               (long long)log->network_line);
    }
    if (log->nics_line == 0) return;
    snprintf(text, sizeof text,
             ngettext("%d NIC: %s (line %lld)", "%d NICs: %s (line %lld)", log->n_seen_nics),
             (int)log->n_seen_nics, rc_plain(log->nics, true, nics, sizeof nics),
             (long long)log->nics_line);
    rc_print_indented(text, 2, WIDTH);
}

/* Of those lines that are there. */
static void print_lines(const rn_nccl_log *log) {
    const int64_t lines[] = {log->version_line, log->comm_line, log->nodes_line};
    int n = 0, n_lines = 0;
    for (int i = 0; i < 3; i++) n_lines += lines[i] != 0;
    for (int i = 0; i < 3; i++) {
        if (lines[i] == 0) continue;
        printf(n++ > 0 ? _(", %lld") : ngettext(" (line %lld", " (lines %lld", n_lines),
               (long long)lines[i]);
    }
    puts(n > 0 ? _(")") : "");
}

static void print_log(const rc_explained *e) {
    const rn_nccl_log *log = &e->log;
    char version[16], name[2 * RN_NCCL_WORD];
    int32_t n_trees = 0;
    const char *number = log->version > 0 ? rn_nccl_version_text(log->version, version) : "?";
    if (log->n_ranks == 0) {
        printf(_("NCCL %s"), number);
    } else if (log->n_nodes > 0) {
        printf(
            ngettext("NCCL %s, %d ranks on %d node", "NCCL %s, %d ranks on %d nodes", log->n_nodes),
            number, (int)log->n_ranks, (int)log->n_nodes);
    } else {
        printf(_("NCCL %s, %d ranks, on nodes that no line counts"), number, (int)log->n_ranks);
    }
    print_lines(log);
    if (log->gpu_line > 0) {
        printf(log->other_gpus ? _("GPUs: %s, and others (line %lld)\n")
                               : _("GPUs: %s (line %lld)\n"),
               rc_plain(log->gpu, true, name, sizeof name), (long long)log->gpu_line);
    }
    if (log->n_ranks == 0) {
        puts(_("no line says how many ranks there are, or one says more than 131072"));
    }
    if (log->n_comms > 1) {
        printf(_("%d communicators; this is the largest\n"), (int)log->n_comms);
    }
    if (log->n_coll_channels >= 0) {
        printf(ngettext("%d channel for collectives, %d for NVLS (line %lld)\n",
                        "%d channels for collectives, %d for NVLS (line %lld)\n",
                        log->n_coll_channels),
               (int)log->n_coll_channels,
               (int)(log->n_nvls_channels > 0 ? log->n_nvls_channels : 0),
               (long long)log->channels_line);
    }
    print_network(log);
    print_transports(log);
    print_rings(log->rings, log->n_rings);
    for (int32_t i = 0; i < log->n_trees; i++) n_trees += log->trees[i].whole;
    if (log->n_trees > 0)
        printf(
            ngettext("%d tree, %d of them whole\n", "%d trees, %d of them whole\n", log->n_trees),
            (int)log->n_trees, (int)n_trees);
    print_table(e);
    print_unlike(e);
    rc_print_calls(log, e->has_fit ? &e->fit : NULL);
    print_sums(log);
    printf(_("lines: %lld, of use: %lld, unknown: %lld, torn: %lld\n"), (long long)log->n_lines,
           (long long)log->n_used, (long long)log->n_unknown, (long long)log->n_torn);
}

/* ------------------------------------------------------------------ the others */

static void print_graph_file(const rn_graph_file *g) {
    char name[24];
    for (int32_t i = 0; i < g->n_graphs; i++) {
        snprintf(name, sizeof name, _("graph %d"), (int)g->ids[i]);
        print_graph(&g->graphs[i], name, true);
    }
    print_rings(g->rings, g->n_rings);
}

static void print_straggler(const rn_straggler *s) {
    char size[40];
    if (s->n_sizes == 0) return;
    if (s->process < 0) {
        printf(_("%d processes over %d iterations: none stands out\n"), (int)s->n_processes,
               (int)s->n_iterations);
    } else {
        rv_format_bytes(s->n_bytes, size, sizeof size);
        printf(s->slower > 1
                   ? _("process %d is the slowest: its median is %.2f times the others' at %s, and "
                       "it is the last in %d of %d iterations\n")
                   : _("process %d keeps the others waiting: its median is %.2f times theirs at "
                       "%s, and it is the first in %d of %d iterations\n"),
               (int)s->process, s->slower, size, (int)s->n_slow, (int)s->n_iterations);
    }
    if (s->iteration >= 0) {
        printf(_("iteration %d took %.1f us, the median one %.1f us\n"), (int)s->iteration,
               s->longest_us, s->usual_us);
    }
}

/* "  51 %" of what is there. */
static double percent(double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
}

static void print_judged_row(const rc_estimate *judged, const rc_estimate_row *row) {
    char wire[2 * RS_MAX_DEVICE_NAME + 8], way[40];
    const double bound_us = rc_estimate_bound_us(row);
    snprintf(way, sizeof way, "%s %s", rn_nccl_algorithm_title(row->choice.algorithm),
             rn_nccl_protocol_title(row->choice.protocol));
    printf("%12lld  %10.1f  %10.1f  %5.0f  %10.1f  %5.0f  %-16s  %s\n", (long long)row->n_bytes,
           row->measured_us, row->simulated_us > 0 ? row->simulated_us : 0,
           percent(row->simulated_us, row->measured_us), bound_us > 0 ? bound_us : 0,
           percent(bound_us, row->measured_us), way,
           rc_wire_text(judged->machine, row->wire, wire, sizeof wire));
}

static void print_judged(const rc_explained *e, const char *size) {
    char wire[2 * RS_MAX_DEVICE_NAME + 8], why[1000];
    double expected;
    rc_estimate_rates(e->judged, e->best, &expected);
    if (!(expected > 0)) {
        printf(_("busbw %.1f GB/s at %s, at most %.1f by the machine's wires (%.0f %%)\n"),
               e->best_GBps, size, e->most_GBps, percent(e->best_GBps, e->most_GBps));
        return;
    }
    printf(e->best->choice.algorithm == RN_NCCL_NVLS ||
                   e->best->choice.algorithm == RN_NCCL_NVLS_TREE
               ? _("busbw %.1f GB/s at %s, expected %.1f (%.0f %%), limited by %s; at most %.1f by "
                   "the wires where switches add (%.0f %%)\n")
               : _("busbw %.1f GB/s at %s, expected %.1f (%.0f %%), limited by %s; at most %.1f by "
                   "the wires where GPUs add (%.0f %%)\n"),
           e->best_GBps, size, expected, percent(e->best_GBps, expected),
           rc_wire_text(e->judged->machine, e->best->wire, wire, sizeof wire), e->most_GBps,
           percent(e->best_GBps, e->most_GBps));
    rc_judgement_text(e, e->best_GBps / expected, why, sizeof why);
    rc_print_indented(why, 2, WIDTH);
    static const char *const heads[] = {N_("size"),  N_("measured"), N_("expected"),
                                        N_("share"), N_("bound"),    N_("share")};
    static const int widths[] = {12, 12, 12, 7, 12, 7};
    for (int c = 0; c < 6; c++) rc_print_padded(_(heads[c]), -widths[c]);
    printf("  ");
    rc_print_padded(_("NCCL takes"), 18);
    puts(_("limited by"));
    printf("%12s  %10s  %10s  %5s  %10s  %5s\n", "(B)", "(us)", "(us)", "(%)", "(us)", "(%)");
    for (int64_t i = 0; i < e->judged->n_rows; i++) {
        print_judged_row(e->judged, &e->judged->rows[i]);
    }
}

static void print_version(int32_t version, int64_t line) {
    char text[16];
    if (version == 0) return;
    printf(_("NCCL %s (line %lld)\n"), rn_nccl_version_text(version, text), (long long)line);
}

static void print_measured(const rc_explained *e) {
    char size[40];
    for (int i = 0; i < e->n_tables; i++) {
        const rc_past_table *t = &e->tables[i];
        rv_format_bytes(t->n_bytes, size, sizeof size);
        printf(_("busbw %.1f GB/s at %s, the best of %s%s from line %lld on\n"), t->GBps, size,
               t->name[0] != '\0' ? t->name : _("a table"), t->name[0] != '\0' ? "_perf" : "",
               (long long)t->line);
    }
    if (e->log.version == 0) print_version(e->table.marks.version, e->table.marks.version_line);
    rv_format_bytes(e->n_best, size, sizeof size);
    if (e->best != NULL) {
        print_judged(e, size);
    } else if (e->n_best > 0 && e->table.run.name[0] != '\0' &&
               strcmp(e->table.run.name, "all_reduce") != 0) {
        printf(_("busbw %.1f GB/s at %s, the best of %s_perf\n"), e->best_GBps, size,
               e->table.run.name);
    } else if (e->n_best > 0 && !e->table.all_reduce) {
        const double n = e->table.n_ranks, shared = n > 1 ? (n - 1) / n : 0;
        printf(
            fabs(e->table.ratio - shared) < 0.02
                ? _("busbw %.1f GB/s at %s, the best; busbw is %.3f times algbw, as all-gather, reduce-scatter and "
                    "all-to-all have it\n")
            : e->table.off > 0.01
                ? _("busbw %.1f GB/s at %s, the best; busbw is about %.1f times algbw, at so low a rate: of what collective no "
                    "line says\n")
                : _("busbw %.1f GB/s at %s, the best; busbw is %.3f times algbw: of what collective no line says\n"),
            e->best_GBps, size, e->table.ratio);
    } else if (e->n_best > 0 && e->table.n_ranks == 0) {
        printf(
            _("busbw %.1f GB/s (algbw %.1f) at %s, the best; no line counts the GPUs; --machine judges it\n"),
            e->best_GBps, e->best_algbw, size);
    } else if (e->n_best > 0) {
        printf(_("busbw %.1f GB/s at %s, the best of %d GPUs; --machine judges it\n"), e->best_GBps,
               size, (int)e->table.n_ranks);
    }
    print_straggler(&e->straggler);
}

static void print_machine(const rc_explained *e) {
    if (e->findings.n[RN_ERROR] > 0) return;
    printf(_("a box of %d GPUs, %d links; ringsim machine FILE shows its routes and bounds\n"),
           (int)e->machine.n_gpus, (int)e->machine.n_links);
    if (e->graph.n_rings == 0) return;
    printf(_("rings by ringsim's own search, not by NCCL's: %d of %g GB/s each\n"),
           (int)e->graph.n_rings, (double)e->ring_GBps);
    print_rings(e->graph.rings, e->graph.n_rings);
}

/* What is wrong comes before what is there, notes behind it. */
static void print_findings(const rc_explained *e, bool notes) {
    static const char *const levels[RN_N_LEVELS] = {N_("error"), N_("warning"), N_("note")};
    char said[2 * RS_ERROR_TEXT], text[2 * RS_ERROR_TEXT + 64], plain[2 * RS_ERROR_TEXT + 64];
    const rn_findings *f = &e->findings;
    int64_t n = f->n[RN_ERROR] + f->n[RN_WARNING] + f->n[RN_NOTE];
    for (int32_t i = 0; i < f->n_kept; i++) {
        if ((f->list[i].level == RN_NOTE) != notes) continue;
        snprintf(text, sizeof text, _("line %lld, %s: %s"), (long long)f->list[i].line,
                 _(levels[f->list[i].level]),
                 rs_error_said(&f->list[i].said, rv_gettext, said, sizeof said));
        rc_print_indented(rc_plain(text, true, plain, sizeof plain), 2, WIDTH);
    }
    if (n > f->n_kept && notes) printf(_("  and %lld more\n"), (long long)(n - f->n_kept));
}

void rc_print_explained(const rc_explained *e) {
    char name[NAME];
    printf("%s: %s\n", rc_plain(e->path, true, name, sizeof name), rc_file_kind_name(e->kind));
    print_findings(e, false);
    switch (e->kind) {
    case RC_KIND_LOG:
        print_log(e);
        print_measured(e);
        if (e->machine.n_gpus > 0) print_machine(e);
        break;
    case RC_KIND_GRAPH: print_graph_file(&e->graph); break;
    case RC_KIND_TUNER: printf(_("%d rules; the first that fits wins\n"), (int)e->n_rows); break;
    case RC_KIND_TABLE: print_measured(e); break;
    case RC_KIND_ENVIRONMENT:
        printf(ngettext("%d setting\n", "%d settings\n", e->log.n_settings),
               (int)e->log.n_settings);
        break;
    case RC_KIND_PROGRAM: {
        char of[200];
        printf(
            _("a program of MSCCL's, %s: %s of %d GPUs; ringsim check FILE judges it, ringsim --algo FILE --step "
              "walks through it\n"),
            rc_plain(e->program.name, true, of, sizeof of),
            rs_collective_name(e->program.collective), (int)e->program.n_gpus);
        break;
    }
    case RC_KIND_ERROR: print_version(e->log.version, e->log.version_line); break;
    case RC_KIND_TOPOLOGY:
    case RC_KIND_MATRIX: print_machine(e); break;
    default: break;
    }
    print_findings(e, true);
}
