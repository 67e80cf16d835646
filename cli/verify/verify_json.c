/* verify_json.c: the report as one JSON object, in the form that nccl-tests writes with -J.
 *
 *   - version, start_time, args, config, results[{size, count, type, redop, root, out_of_place,
 *     in_place}], out_of_bounds, average_bus_bandwidth, errors: as there, so that what reads those
 *     files reads these.
 *   - More than there: "ringsim" (schedule, backends), and in each result the backend, the digests of
 *     all ranks' results, and what the library's own all-reduce gave.
 */
#include "verify/verify.h"

#include <string.h>
#include <time.h>

static void put_text(FILE *out, const char *text) {
    char plain[2048];
    if (text == NULL) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    for (const char *at = rc_plain(text, false, plain, sizeof plain); *at != '\0'; at++) {
        const unsigned char c = (unsigned char)*at;
        if (c == '"' || c == '\\') fputc('\\', out);
        if (c < 0x20) {
            fprintf(out, "\\u%04x", c);
        } else {
            fputc(c, out);
        }
    }
    fputc('"', out);
}

static void put_key(FILE *out, const char *key, const char *text) {
    fprintf(out, "\"%s\":", key);
    put_text(out, text);
}

static void put_result(const rc_verify_report *report, const rc_verify_row *row, int which,
                       FILE *out) {
    const rg_result *r = &row->results[which];
    double algbw;
    const double busbw = rc_busbw(report, row, which, &algbw);
    fprintf(out, "\"%s\":{\"time\":%.6f,\"alg_bw\":%.6f,\"bus_bw\":%.6f,\"nwrong\":%lld",
            which == 0 ? "out_of_place" : "in_place", (double)r->time_ps / 1e6, algbw, busbw,
            (long long)r->n_wrong);
    fputs(",\"result_crc32\":[", out);
    for (int32_t i = 0; i < report->n_ranks; i++) {
        fprintf(out, "%s%lu", i == 0 ? "" : ",", (unsigned long)r->crc32[i]);
    }
    fputs("],\"wrong_ranks\":[", out);
    const char *before = "";
    for (int32_t i = 0; i < report->n_ranks; i++) {
        if (!r->wrong[i]) continue;
        fprintf(out, "%s%d", before, (int)i);
        before = ",";
    }
    fprintf(out, "],\"spoilt\":%lld,", (long long)r->n_spoilt);
    put_key(out, "note", r->note[0] != '\0' ? r->note : NULL);
    fputs(",\"oracle\":", out);
    if (r->has_oracle) {
        fprintf(out, "{\"time\":%.6f,\"elements\":%lld,\"differ\":%lld,\"outside\":%lld,",
                (double)r->oracle_time_ps / 1e6, (long long)r->n_elements,
                (long long)r->oracle_differs, (long long)r->oracle_outside);
        fprintf(out, "\"unjudged\":%lld,\"bound\":%.9g}}", (long long)r->oracle_unjudged,
                r->oracle_bound);
    } else {
        fputs("null}", out);
    }
}

/* The rung of cuda's ladder; null: there is none, or none was chosen. */
static void put_kernel(const rc_verify_backend *backend, FILE *out) {
    if (backend->kernel > 0) {
        fprintf(out, "\"kernel\":%d", (int)backend->kernel);
    } else {
        fputs("\"kernel\":null", out);
    }
}

static void put_results(const rc_verify_report *report, FILE *out) {
    const char *before = "";
    fputs("\"results\":[", out);
    for (int b = 0; b < report->n_backends; b++) {
        const rc_verify_backend *backend = &report->backends[b];
        for (int64_t i = 0; i < backend->n_rows; i++, before = ",") {
            const rc_verify_row *row = &backend->rows[i];
            fprintf(out, "%s{\"backend\":\"%s\",\"size\":%lld,\"count\":%lld,\"type\":\"%s\",",
                    before, rg_kind_name(backend->kind), (long long)row->n_bytes,
                    (long long)row->count, rc_nccl_type(row->dtype));
            fprintf(out, "\"redop\":\"%s\",\"root\":\"-1\",", rs_op_name(row->op));
            put_result(report, row, 0, out);
            fputs(",", out);
            put_result(report, row, 1, out);
            fprintf(out, ",\"actual_iterations\":%d,\"experiment_name\":\"ringsim\",",
                    (int)report->plan->job.times);
            put_kernel(backend, out);
            fputs("}", out);
        }
    }
    fputs("],", out);
}

/* How long the schedule is for the last row. */
static void put_schedule(const rc_verify_report *report, FILE *out) {
    rs_error ignored;
    rs_schedule s;
    const int64_t count = report->backends[0].rows[report->n_rows - 1].count;
    if (rc_verify_schedule(report->plan, count, &ignored, &s) != RC_GOOD) return;
    fprintf(out, ",\"chunks\":%d,\"steps\":%d", (int)s.n_chunks, (int)s.n_steps);
}

static void put_ringsim(const rc_verify_report *report, FILE *out) {
    fputs("\"ringsim\":{\"schema\":\"ringsim.verify/1\",", out);
    put_key(out, "version", RINGSIM_VERSION);
    fputs(",", out);
    put_key(out, "algorithm", report->name);
    put_schedule(report, out);
    fprintf(out, ",\"order\":%s,\"gpus\":%d,\"special\":\"%s\",\"seed\":%llu,\"backends\":[",
            report->plan->algorithm == NULL        ? "null"
            : report->plan->order == RS_ORDER_NCCL ? "\"nccl\""
                                                   : "\"seed\"",
            (int)report->n_ranks, rg_special_name(report->plan->job.special),
            (unsigned long long)report->plan->job.seed);
    for (int b = 0; b < report->n_backends; b++) {
        const rc_verify_backend *backend = &report->backends[b];
        fprintf(out, "%s{\"name\":\"%s\",\"ran\":%s,\"right\":%s,", b == 0 ? "" : ",",
                rg_kind_name(backend->kind), backend->ran ? "true" : "false",
                !backend->ran                 ? "null"
                : rc_backend_right(report, b) ? "true"
                                              : "false");
        put_kernel(backend, out);
        fputs(",", out);
        put_key(out, "where", backend->ran ? backend->where : NULL);
        fputs(",", out);
        put_key(out, "reason", backend->reason[0] != '\0' ? backend->reason : NULL);
        fputs("}", out);
    }
    fputs("]}", out);
}

static void put_config(const rc_verify_report *report, FILE *out) {
    const rc_verify_plan *plan = report->plan;
    const rc_verify_row *rows = report->backends[0].rows;
    fprintf(out,
            "\"config\":{\"nthreads\":1,\"ngpus\":%d,\"minimum_bytes\":%lld,"
            "\"maximum_bytes\":%lld,\"step_factor\":%lld,\"warmup_iters\":%d,\"iterations\":%d,",
            (int)report->n_ranks, (long long)rows[0].n_bytes,
            (long long)rows[report->n_rows - 1].n_bytes, (long long)plan->factor,
            (int)plan->job.warmup, (int)plan->job.times);
    fputs("\"aggregated_iterations\":1,\"validation\":1,\"graph\":0,", out);
    fputs("\"blocking_collectives\":\"false\",\"parallel_init\":\"false\",\"devices\":[]},", out);
}

static void put_summary(const rc_verify_report *report, FILE *out) {
    int64_t n_wrong = 0, n_runs = 0;
    double sum = 0, algbw;
    for (int b = 0; b < report->n_backends; b++) {
        for (int64_t i = 0; i < report->backends[b].n_rows; i++) {
            const rc_verify_row *row = &report->backends[b].rows[i];
            for (int which = 0; which < 2; which++, n_runs++) {
                n_wrong += row->results[which].n_wrong;
                sum += rc_busbw(report, row, which, &algbw);
            }
        }
    }
    fprintf(out, "\"out_of_bounds\":{\"count\":%lld,\"okay\":\"%s\"},", (long long)n_wrong,
            n_wrong == 0 ? "true" : "false");
    fprintf(out, "\"average_bus_bandwidth\":{\"bandwidth\":%.6f,\"okay\":\"unchecked\"},",
            n_runs == 0 ? 0 : sum / (double)n_runs);
    fputs("\"errors\":[", out);
    const char *before = "";
    for (int b = 0; b < report->n_backends; b++) {
        if (report->backends[b].reason[0] == '\0') continue;
        fputs(before, out);
        put_text(out, report->backends[b].reason);
        before = ",";
    }
    fputs("],", out);
}

void rc_verify_json(const rc_verify_report *report, char *const argv[], FILE *out) {
    char ended[32];
    const time_t now = time(NULL);
    struct tm local;
    strftime(ended, sizeof ended, "%Y-%m-%d %H:%M:%S", localtime_r(&now, &local));
    fputs("{\"version\":3,", out);
    put_key(out, "start_time", report->started);
    fputs(",\"args\":[", out);
    for (int i = 0; argv[i] != NULL; i++) {
        fputs(i == 0 ? "" : ",", out);
        put_text(out, argv[i]);
    }
    fputs("],\"env\":[],\"nccl_version\":null,", out);
    put_config(report, out);
    put_results(report, out);
    put_summary(report, out);
    put_ringsim(report, out);
    fputs(",", out);
    put_key(out, "end_time", ended);
    fputs("}\n", out);
}
