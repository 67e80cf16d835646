/* fit_json.c: what `fit` found, as one JSON object, schema ringsim.fit/1. What is not known is null. */
#include "fit/fit.h"

#include <math.h>

static void put_number(FILE *out, const char *key, double value) {
    if (isfinite(value)) {
        fprintf(out, ",\"%s\":%.6g", key, value);
    } else {
        fprintf(out, ",\"%s\":null", key);
    }
}

static void put_time(FILE *out, const char *key, int64_t time_ps) {
    if (time_ps < 0) {
        fprintf(out, ",\"%s\":null", key);
    } else {
        fprintf(out, ",\"%s\":%lld", key, (long long)time_ps);
    }
}

/* alpha and B; not split: null, and the rate that the time would be if all of it were bytes. */
static void put_rates(FILE *out, bool split, double alpha_ps, double ps_per_byte) {
    const rs_link link = rs_link_of(alpha_ps, ps_per_byte);
    put_time(out, "alpha_ps", split ? link.alpha_ps : -1);
    fprintf(out, ",\"bandwidth_Bps\":%llu", (unsigned long long)link.bandwidth_Bps);
}

static void put_line(FILE *out, const rs_line_fit *line) {
    fprintf(out, ",\"messages\":%lld,\"outliers\":%lld,\"least_bytes\":%lld,\"most_bytes\":%lld",
            (long long)line->n_samples, (long long)line->n_outliers, (long long)line->least_bytes,
            (long long)line->most_bytes);
    put_number(out, "alpha_error_ps", line->alpha_error_ps);
    put_number(out, "ps_per_byte_error", line->ps_per_byte_error);
    put_number(out, "residual_typical", line->typical);
    put_number(out, "residual_worst", line->worst);
}

static void put_links(FILE *out, const rs_diagnosis *d) {
    fputs(",\"links\":[", out);
    for (int32_t i = 0; i < d->n_links; i++) {
        const rs_link_fit *link = &d->links[i];
        fprintf(out, "%s{\"src\":%d,\"dst\":%d", i > 0 ? "," : "", (int)link->src, (int)link->dst);
        put_rates(out, link->line.split, link->line.alpha_ps, link->line.ps_per_byte);
        put_line(out, &link->line);
        put_number(out, "share", link->share);
        fputc('}', out);
    }
    fputs("],\"median\":{\"links\":", out);
    fprintf(out, "%d", (int)d->n_links);
    put_rates(out, d->split, d->alpha_ps, d->ps_per_byte);
    fputc('}', out);
    put_time(out, "reduce_Bps", d->reduce_Bps > 0 ? (int64_t)d->reduce_Bps : -1);
}

static void put_verdict(FILE *out, const rc_fitted *fitted) {
    const rs_diagnosis *d = &fitted->diagnosis;
    const rs_link_fit *slow = &d->links[d->slowest];
    const char *bound = d->latency_bound ? "\"latency\"" : "\"bandwidth\"";
    fprintf(out, ",\"verdict\":{\"src\":%d,\"dst\":%d,\"stands_out\":%s", (int)slow->src,
            (int)slow->dst, d->stands_out ? "true" : "false");
    put_number(out, "share", slow->share);
    fprintf(out, ",\"bytes\":%lld,\"bound\":%s}", (long long)d->bytes,
            d->stands_out && d->split ? bound : "null");
    put_time(out, "recorded_ps", fitted->recorded_ps);
    put_time(out, "simulated_ps", fitted->simulated_ps);
    put_time(out, "mended_ps", fitted->mended_ps);
}

void rc_json_fit(const rc_fitted *fitted, FILE *out) {
    const bool traces = fitted->runs != NULL;
    fprintf(out, "{\"schema\":\"ringsim.fit/1\",\"version\":\"%s\",\"files\":[", RINGSIM_VERSION);
    for (int i = 0; i < fitted->n_files; i++) {
        if (i > 0) fputc(',', out);
        rc_json_string(fitted->files[i], out);
    }
    fprintf(out, "],\"source\":\"%s\",\"gpus\":%d,\"runs\":%d,\"split\":%s",
            !traces                    ? "nccl-tests"
            : fitted->runs[0].measured ? "measured"
                                       : "simulated",
            (int)fitted->n_ranks, (int)fitted->n_runs,
            (traces ? fitted->diagnosis.split : fitted->line.split) ? "true" : "false");
    if (traces) {
        put_links(out, &fitted->diagnosis);
        put_verdict(out, fitted);
    } else {
        put_rates(out, fitted->line.split, fitted->alpha_ps, fitted->ps_per_byte);
        put_line(out, &fitted->line);
        fputs(",\"links\":null,\"verdict\":null", out);
    }
    fputs("}\n", out);
}
