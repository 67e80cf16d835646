/* estimate_json.c: the estimate as JSON: ringsim.estimate/1. */
#include "estimate/estimate.h"
#include "base/json_file.h"

static void put_us(rs_json *json, const char *key, double us) {
    if (us >= 0) {
        rs_json_fixed(json, key, us, 3);
    } else {
        rs_json_null(json, key);
    }
}

static void put_row(const rc_estimate *e, const rc_estimate_row *row, rs_json *json) {
    char wire[2 * RS_MAX_DEVICE_NAME + 8];
    double busbw;
    const double algbw = rc_estimate_rates(e, row, &busbw);
    rs_json_object(json, NULL);
    rs_json_integer(json, "bytes", row->n_bytes);
    rs_json_text(json, "algorithm", rn_nccl_algorithm_title(row->choice.algorithm));
    rs_json_text(json, "protocol", rn_nccl_protocol_title(row->choice.protocol));
    rs_json_integer(json, "channels", row->choice.n_channels);
    put_us(json, "tuner_us", (double)row->choice.cost.us);
    put_us(json, "simulated_us", row->simulated_us);
    put_us(json, "algbw_GBps", row->simulated_us > 0 ? algbw : -1);
    put_us(json, "busbw_GBps", row->simulated_us > 0 ? busbw : -1);
    put_us(json, "bound_us", row->bound_us);
    put_us(json, "in_switch_bound_us", row->in_switch_us);
    rs_json_text(json, "bottleneck",
                 row->wire >= 0 ? rc_wire_text(e->machine, row->wire, wire, sizeof wire) : NULL);
    put_us(json, "measured_us", e->measured ? row->measured_us : -1);
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
