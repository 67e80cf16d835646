/* fit_json.c: what `fit` found, as one JSON object, schema ringsim.fit/1. What is not known is null. */
#include "base/json_file.h"
#include "fit/fit.h"

enum { DIGITS = 6 };

/* alpha and B; not split: null, and the rate that the time would be if all of it were bytes. */
static void put_rates(rs_json *json, bool split, double alpha_ps, double ps_per_byte) {
    const rs_link link = rs_link_of(alpha_ps, ps_per_byte);
    rs_json_known(json, "alpha_ps", split ? link.alpha_ps : -1);
    rs_json_unsigned(json, "bandwidth_Bps", link.bandwidth_Bps);
}

static void put_line(rs_json *json, const rs_line_fit *line) {
    rs_json_integers(json, {"messages", line->n_samples}, {"outliers", line->n_outliers},
                     {"least_bytes", line->least_bytes}, {"most_bytes", line->most_bytes});
    rs_json_number(json, "alpha_error_ps", line->alpha_error_ps, DIGITS);
    rs_json_number(json, "ps_per_byte_error", line->ps_per_byte_error, DIGITS);
    rs_json_number(json, "residual_typical", line->typical, DIGITS);
    rs_json_number(json, "residual_worst", line->worst, DIGITS);
}

static void put_links(rs_json *json, const rs_diagnosis *d) {
    rs_json_array(json, "links");
    for (int32_t i = 0; i < d->n_links; i++) {
        const rs_link_fit *link = &d->links[i];
        rs_json_object(json, NULL);
        rs_json_integers(json, {"src", link->src}, {"dst", link->dst});
        put_rates(json, link->line.split, link->line.alpha_ps, link->line.ps_per_byte);
        put_line(json, &link->line);
        rs_json_number(json, "share", link->share, DIGITS);
        rs_json_close(json);
    }
    rs_json_close(json);
    rs_json_object(json, "median");
    rs_json_integer(json, "links", d->n_links);
    put_rates(json, d->split, d->alpha_ps, d->ps_per_byte);
    rs_json_close(json);
    rc_json_speed(json, "reduce_Bps", d->reduce_Bps);
}

static void put_verdict(rs_json *json, const rc_fitted *fitted) {
    const rs_diagnosis *d = &fitted->diagnosis;
    const rs_link_fit *slow = &d->links[d->slowest];
    const char *bound = d->latency_bound ? "latency" : "bandwidth";
    rs_json_object(json, "verdict");
    rs_json_integers(json, {"src", slow->src}, {"dst", slow->dst});
    rs_json_bool(json, "stands_out", d->stands_out);
    rs_json_number(json, "share", slow->share, DIGITS);
    rs_json_integer(json, "bytes", d->bytes);
    rs_json_text(json, "bound", d->stands_out && d->split ? bound : NULL);
    rs_json_close(json);
    rs_json_known(json, "recorded_ps", fitted->recorded_ps);
    rs_json_known(json, "simulated_ps", fitted->simulated_ps);
    rs_json_known(json, "mended_ps", fitted->mended_ps);
}

/* How many rows of the log are not used, and where the first of them are. */
static void put_left_out(rs_json *json, const rn_table *log) {
    rs_json_object(json, "left_out");
    rs_json_integer(json, "rows", log->n_left_out);
    rs_json_array(json, log->json ? "results" : "lines");
    for (int64_t i = 0; i < log->n_left_out && i < RN_LEFT_OUT_TOLD; i++) {
        rs_json_integer(json, NULL, log->left_out[i].where);
    }
    rs_json_close(json);
    rs_json_close(json);
}

void rc_json_fit(const rc_fitted *fitted, FILE *out) {
    const bool traces = fitted->runs != NULL;
    rs_json json;
    rc_json_begin(&json, "ringsim.fit/1", out);
    rs_json_array(&json, "files");
    for (int i = 0; i < fitted->n_files; i++) rs_json_text(&json, NULL, fitted->files[i]);
    rs_json_close(&json);
    rs_json_text(&json, "source",
                 !traces                    ? "nccl-tests"
                 : fitted->runs[0].measured ? "measured"
                                            : "simulated");
    rs_json_integers(&json, {"gpus", fitted->n_ranks}, {"runs", fitted->n_runs});
    rs_json_bool(&json, "split", traces ? fitted->diagnosis.split : fitted->line.split);
    if (traces) {
        put_links(&json, &fitted->diagnosis);
        put_verdict(&json, fitted);
    } else {
        put_rates(&json, fitted->line.split, fitted->alpha_ps, fitted->ps_per_byte);
        put_line(&json, &fitted->line);
        rs_json_null(&json, "links");
        rs_json_null(&json, "verdict");
        put_left_out(&json, &fitted->log);
    }
    rc_json_end(&json);
}
