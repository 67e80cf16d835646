/* estimate_print.c: the estimate as nccl-tests' table, with what it comes from; as CSV; as JSON: ringsim.estimate/1. */
#include "config.h"
#include "estimate/estimate.h"
#include "base/text.h"
#include "base/json_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIRE = 2 * RS_MAX_DEVICE_NAME + 8 };

const char *rc_wire_text(const rs_machine *machine, int32_t wire, char *out, size_t n_out) {
    if (wire < 0) {
        snprintf(out, n_out, "%s", _("latency"));
        return out;
    }
    const rs_machine_link *link = &machine->links[wire / 2];
    const bool back = wire % 2 == 1;
    snprintf(out, n_out, "%s -> %s", machine->names[back ? link->b : link->a],
             machine->names[back ? link->a : link->b]);
    return out;
}

static void print_known(double us, int width) {
    if (us < 0) {
        printf("  %*s", width, "-");
    } else {
        rc_print_fitting(us, width);
    }
}

/* ------------------------------------------------------------------ above the table */

static void print_graphs(const rc_estimate *e) {
    static const rn_nccl_algorithm shown[] = {RN_NCCL_RING, RN_NCCL_TREE, RN_NCCL_NVLS};
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        const rn_nccl_graph *graph = &e->comm.graphs[shown[i]];
        if (graph->n_channels == 0) continue;
        printf(_("#   %-8s %2d channels of %g GB/s inside a node, %g between nodes\n"),
               rn_nccl_algorithm_title(shown[i]), (int)graph->n_channels, (double)graph->bw_intra,
               (double)graph->bw_inter);
    }
}

/* The orders that differ, in which data go. */
static void print_orders(const rn_rings *rings) {
    enum { MOST_ORDERS = 4, MOST_SHOWN = 16 };
    const int32_t g = rings->n_gpus;
    int n_shown = 0;
    if (rings->n_rings == 0) return;
    for (int32_t i = 0; i < rings->n_rings; i++) {
        const int32_t *order = rings->order + i * g;
        bool known = false;
        for (int32_t k = 0; k < i && !known; k++) {
            known = memcmp(order, rings->order + k * g, (size_t)g * sizeof *order) == 0;
        }
        if (known || n_shown++ >= MOST_ORDERS) continue;
        printf("%s", n_shown == 1 ? _("#   rings, by GPUs of a node:") : ";");
        for (int32_t k = 0; k < g && k < MOST_SHOWN; k++) printf(" %d", (int)order[k]);
        if (g > MOST_SHOWN) printf(" ...");
    }
    printf(n_shown > MOST_ORDERS ? "; ...\n" : "\n");
}

/* Where rings and speeds come from. */
static void print_origin(const rc_estimate *e) {
    char version[16];
    printf(_("# NCCL %s%s; "), rn_nccl_version_text(e->comm.version, version),
           rn_nccl_checked(e->comm.version) ? "" : _(" (unchecked: constants of 2.30)"));
    if (e->rings.source == NULL) {
        puts(_("channels by ringsim's own search, not by NCCL's:"));
    } else if (e->rings.GBps > 0) {
        printf(_("channels as NCCL found them (%s):\n"), e->rings.source);
    } else {
        printf(_("rings as NCCL found them (%s), speeds by ringsim's own rule:\n"),
               e->rings.source);
    }
    print_graphs(e);
    print_orders(&e->rings);
}

/* How sure the times are, of each class of sizes that the rows have. */
static void print_ranges(const rc_estimate *e) {
    double last = 0;
    for (int64_t i = 0; i < e->n_rows; i++) {
        const double range = e->rows[i].range;
        const int64_t bytes = e->rows[i].n_bytes;
        if (!(range > 0) || range == last) continue;
        printf("%s %.2f (%s)",
               last > 0 ? "," : _("# in published tables nine of ten times lie within a factor of"),
               range,
               bytes < RC_LARGE_BYTES        ? _("below 2 MiB")
               : bytes < 32 * RC_LARGE_BYTES ? _("from 2 MiB on")
                                             : _("from 64 MiB on"));
        last = range;
    }
    puts(
        last > 0
            ? ""
            : _("# how near: not known, for no published table is of such nodes (up to 8 GPUs each) "
                "or of such a network"));
}

static void print_head(const rc_estimate *e) {
    char name[256];
    printf("# ringsim " RINGSIM_VERSION " estimate: %s\n", rs_collective_name(e->collective));
    printf(_("# machine %s: GPUs %d, nodes %d; GPUs and processors as in %s%s; network: %s\n"),
           rc_plain(e->machine->name, true, name, sizeof name), (int)e->site.n_ranks,
           (int)e->site.n_nodes, e->facts->name,
           e->facts_guessed && e->machine->sm > 0
               ? _(" (a guess from the GPUs' compute capability; --like names another)")
           : e->facts_guessed ? _(" (a guess from the bandwidth of a port; --like names another)")
                              : "",
           e->site.n_nodes == 1 ? "-" : rn_fabric_name(e->fabric));
    if (e->site.n_nodes > 1 && e->fabric == RN_FABRIC_UNKNOWN) {
        puts(_("# the network's own constants are unknown: --fabric names one, ringsim fit "
               "--machine measures them"));
    }
    print_origin(e);
    print_ranges(e);
    if (e->registered) {
        puts(_(
            "# registered: what NCCL's own model says of its kernels for registered buffers, by which "
            "it chooses; no table of them is fitted here"));
    }
    puts("#");
    printf("# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %-13s  %-6s  %3s  %8s  %8s", "size",
           "count", "type", "redop", "root", "time", "algbw", "busbw", "algorithm", "proto", "ch",
           "tuner", "bound");
    if (e->measured) printf("  %8s  %7s", "measured", "error");
    if (e->registered) printf("  %10s  %-15s", "registered", "kernel");
    printf("  %s\n", "limited by");
    printf("# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %-13s  %-6s  %3s  %8s  %8s", "(B)",
           "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)", "", "", "", "(us)", "(us)");
    if (e->measured) printf("  %8s  %7s", "(us)", "(%)");
    if (e->registered) printf("  %10s", "(us)");
    puts("");
}

/* ------------------------------------------------------------------ rows */

static const char *redop(const rc_estimate *e) {
    return rs_collective_reduces(e->collective) ? "sum" : "none";
}

static int root(const rc_estimate *e) {
    return rs_collective_rooted(e->collective) ? 0 : -1;
}

static void print_row(const rc_estimate *e, const rc_estimate_row *row) {
    char wire[WIRE];
    double busbw;
    const double algbw = rc_estimate_rates(e, row, &busbw);
    printf("%12lld  %12lld  %8s  %6s  %6d", (long long)row->n_bytes, (long long)row->count, "float",
           redop(e), root(e));
    print_known(row->simulated_us, 7);
    rc_print_fitting(algbw, 6);
    rc_print_fitting(busbw, 6);
    printf("  %-13s  %-6s  %3d", rn_nccl_algorithm_title(row->choice.algorithm),
           rn_nccl_protocol_title(row->choice.protocol), (int)row->choice.n_channels);
    rc_print_fitting((double)row->choice.cost.us, 8);
    print_known(rc_estimate_bound_us(row), 8);
    if (e->measured) {
        rc_print_fitting(row->measured_us, 8);
        if (row->simulated_us > 0) {
            printf("  %+7.1f", 100 * (row->simulated_us / row->measured_us - 1));
        } else {
            printf("  %7s", "-");
        }
    }
    if (e->registered) {
        print_known(row->registered_us, 10);
        printf("  %-15s", row->registered_us >= 0 ? row->kernel : "-");
    }
    printf("  %s%s\n",
           row->simulated_us > 0 ? rc_wire_text(e->machine, row->wire, wire, sizeof wire) : "-",
           rn_nccl_checked(e->comm.version) ? "" : "  unchecked");
}

static void print_error(const char *which, const rc_estimate_error *error) {
    if (error->n == 0) return;
    printf(
        _("# error of %lld rows %s: mean %.1f %%, geometric mean %.1f %%, median %.1f %%, 90 in 100 "
          "below %.1f %%, worst %.1f %%\n"),
        (long long)error->n, which, 100 * error->mean, 100 * error->geomean, 100 * error->median,
        100 * error->p90, 100 * error->worst);
}

/* Names the sizes at which the machine takes clearly longer than it should. */
static void print_low(const rc_estimate *e) {
    enum { MOST = 8 };
    const double low = 0.8;
    char size[40];
    int n = 0;
    for (int64_t i = 0; i < e->n_rows; i++) {
        const rc_estimate_row *row = &e->rows[i];
        if (!(row->simulated_us > 0) || row->simulated_us >= low * row->measured_us) continue;
        if (n++ == 0) fputs(_("# below what it should reach:"), stdout);
        if (n > MOST) continue;
        rv_format_bytes(row->n_bytes, size, sizeof size);
        printf("%s %s (%.0f %%)", n > 1 ? "," : "", size,
               100 * row->simulated_us / row->measured_us);
    }
    if (n > MOST) printf(_(", and %d more"), n - MOST);
    if (n > 0) puts(_("; ringsim explain TABLE --machine M says what that may be"));
}

void rc_print_estimate(const rc_estimate *e) {
    print_head(e);
    for (int64_t i = 0; i < e->n_rows; i++) print_row(e, &e->rows[i]);
    const int64_t n_below = rc_estimate_below(e);
    if (n_below > 0) {
        printf(
            _("# sizes whose tuner's time is below the bound of the wires: %lld; it is NCCL's own "
              "model, which ranks algorithms, not a time\n"),
            (long long)n_below);
    }
    if (!e->measured) return;
    print_error(_("from 2 MiB on"), &e->large);
    print_error(_("below 2 MiB"), &e->small);
    print_low(e);
}

/* ------------------------------------------------------------------ CSV and JSON */

enum { TUNER, SIMULATED, ALGBW, BUSBW, BOUND, IN_SWITCH, MEASURED, REGISTERED, N_NUMBERS };
static const char *const numbers[N_NUMBERS] = {"tuner_us",    "simulated_us", "algbw_GBps",
                                               "busbw_GBps",  "bound_us",     "in_switch_bound_us",
                                               "measured_us", "registered_us"};

/* Below 0: not known. */
static void take_numbers(const rc_estimate *e, const rc_estimate_row *row, double of[N_NUMBERS]) {
    of[TUNER] = (double)row->choice.cost.us;
    of[SIMULATED] = row->simulated_us;
    of[ALGBW] = rc_estimate_rates(e, row, &of[BUSBW]);
    if (!(row->simulated_us > 0)) of[ALGBW] = of[BUSBW] = -1;
    of[BOUND] = row->bound_us;
    of[IN_SWITCH] = row->in_switch_us;
    of[MEASURED] = e->measured ? row->measured_us : -1;
    of[REGISTERED] = e->registered ? row->registered_us : -1;
}

void rc_csv_estimate(const rc_estimate *e) {
    char wire[WIRE];
    double of[N_NUMBERS];
    printf("bytes,algorithm,protocol,channels,");
    for (int k = 0; k < N_NUMBERS; k++) printf("%s,", numbers[k]);
    puts("bottleneck,unchecked");
    for (const rc_estimate_row *row = e->rows; row < e->rows + e->n_rows; row++) {
        take_numbers(e, row, of);
        printf("%lld,%s,%s,%d,", (long long)row->n_bytes,
               rn_nccl_algorithm_title(row->choice.algorithm),
               rn_nccl_protocol_title(row->choice.protocol), (int)row->choice.n_channels);
        for (int k = 0; k < N_NUMBERS; k++) {
            if (of[k] >= 0) printf("%.3f", of[k]);
            putchar(',');
        }
        printf("%s,%d\n",
               row->wire >= 0 ? rc_wire_text(e->machine, row->wire, wire, sizeof wire) : "",
               !rn_nccl_checked(e->comm.version));
    }
}

static void put_range(const rc_estimate_row *row, rs_json *json) {
    if (!(row->range > 0 && row->simulated_us > 0)) {
        rs_json_null(json, "range_us");
        return;
    }
    rs_json_array(json, "range_us");
    rs_json_fixed(json, NULL, row->simulated_us / row->range, 3);
    rs_json_fixed(json, NULL, row->simulated_us * row->range, 3);
    rs_json_close(json);
}

static void put_row(const rc_estimate *e, const rc_estimate_row *row, rs_json *json) {
    char wire[WIRE];
    double of[N_NUMBERS];
    take_numbers(e, row, of);
    rs_json_object(json, NULL);
    rs_json_integer(json, "bytes", row->n_bytes);
    rs_json_text(json, "algorithm", rn_nccl_algorithm_title(row->choice.algorithm));
    rs_json_text(json, "protocol", rn_nccl_protocol_title(row->choice.protocol));
    rs_json_integer(json, "channels", row->choice.n_channels);
    for (int k = 0; k < N_NUMBERS; k++) {
        if (k == REGISTERED && !e->registered) continue;
        rs_json_fixed(json, numbers[k], of[k] >= 0 ? of[k] : (double)NAN, 3);
        if (k == SIMULATED) put_range(row, json);
        if (k != IN_SWITCH) continue;
        rs_json_text(json, "bottleneck",
                     row->wire >= 0 ? rc_wire_text(e->machine, row->wire, wire, sizeof wire)
                     : row->simulated_us > 0 ? "latency"
                                             : NULL);
    }
    if (e->registered) {
        rs_json_text(json, "registered_kernel", row->registered_us >= 0 ? row->kernel : NULL);
    }
    rs_json_close(json);
}

static void put_error(rs_json *json, const char *key, const rc_estimate_error *error) {
    if (error->n == 0) {
        rs_json_null(json, key);
        return;
    }
    rs_json_object(json, key);
    rs_json_integer(json, "rows", error->n);
    rs_json_fixed(json, "mean", error->mean, 5);
    rs_json_fixed(json, "geomean", error->geomean, 5);
    rs_json_fixed(json, "median", error->median, 5);
    rs_json_fixed(json, "p90", error->p90, 5);
    rs_json_fixed(json, "worst", error->worst, 5);
    rs_json_close(json);
}

void rc_json_estimate(const rc_estimate *e, FILE *out) {
    char version[16];
    rs_json json;
    rc_json_begin(&json, "ringsim.estimate/1", out);
    rs_json_text(&json, "machine", e->machine->name);
    rs_json_integers(&json, {"gpus", e->site.n_ranks}, {"nodes", e->site.n_nodes});
    rs_json_text(&json, "nccl", rn_nccl_version_text(e->comm.version, version));
    rs_json_bool(&json, "unchecked", !rn_nccl_checked(e->comm.version));
    rs_json_text(&json, "like", e->facts->name);
    rs_json_text(&json, "fabric", e->site.n_nodes > 1 ? rn_fabric_name(e->fabric) : NULL);
    rs_json_text(&json, "graphs", e->rings.source != NULL ? "nccl" : "ringsim");
    rs_json_text(&json, "graphs_source", e->rings.source);
    rs_json_lines(&json, "rings");
    for (int32_t i = 0; i < e->rings.n_rings; i++) {
        rs_json_i32s(&json, NULL, e->rings.order + i * e->rings.n_gpus, e->rings.n_gpus);
    }
    rs_json_close(&json);
    rs_json_text(&json, "collective", rs_collective_name(e->collective));
    rs_json_integer(&json, "tuner_below_bound", rc_estimate_below(e));
    rs_json_lines(&json, "rows");
    for (int64_t i = 0; i < e->n_rows; i++) put_row(e, &e->rows[i], &json);
    rs_json_close(&json);
    if (e->measured) {
        rs_json_object(&json, "error");
        put_error(&json, "large", &e->large);
        put_error(&json, "small", &e->small);
        rs_json_close(&json);
    } else {
        rs_json_null(&json, "error");
    }
    rc_json_end(&json);
}
