/* verify_json.c: the report as one JSON object, in the form that nccl-tests writes with -J.
 *
 *   - version, start_time, args, config, results[{size, count, type, redop, root, out_of_place,
 *     in_place}], out_of_bounds, average_bus_bandwidth, errors: as there, so that what reads those
 *     files reads these.
 *   - More than there: "ringsim" (schedule, backends), and in each result the backend, the digests of
 *     all ranks' results, and what the library's own collective gave.
 */
#include "base/json_file.h"
#include "base/text.h"
#include "verify/verify.h"

enum { LONGEST = 2048 }; /* of a text; what is behind it is left out */

static void put_text(rs_json *json, const char *key, const char *text) {
    char cut[LONGEST];
    rs_json_text(json, key, text == NULL ? NULL : rc_plain(text, false, cut, sizeof cut));
}

/* Microseconds. */
static void put_time(rs_json *json, int64_t time_ps) {
    rs_json_fixed(json, "time", (double)time_ps / 1e6, 6);
}

static void put_moment(rs_json *json, const char *key, time_t at) {
    char text[32];
    struct tm local;
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", localtime_r(&at, &local));
    rs_json_text(json, key, text);
}

static void put_oracle(rs_json *json, const rg_result *r) {
    if (!r->has_oracle) {
        rs_json_null(json, "oracle");
        return;
    }
    rs_json_object(json, "oracle");
    put_time(json, r->oracle_time_ps);
    rs_json_integers(json, {"elements", r->n_elements}, {"differ", r->oracle_differs},
                     {"outside", r->oracle_outside}, {"unjudged", r->oracle_unjudged});
    rs_json_number(json, "bound", r->oracle_bound, 9);
    rs_json_close(json);
}

static void put_result(rs_json *json, const rc_verify_report *report, const rc_verify_row *row,
                       int which) {
    const rg_result *r = &row->results[which];
    double algbw;
    const double busbw = rc_busbw(report, row, which, &algbw);
    rs_json_object(json, which == 0 ? "out_of_place" : "in_place");
    put_time(json, r->time_ps);
    rs_json_fixed(json, "alg_bw", algbw, 6);
    rs_json_fixed(json, "bus_bw", busbw, 6);
    rs_json_integer(json, "nwrong", r->n_wrong);
    rs_json_integers(json, {"checked_runs", r->n_checked}, {"wrong_runs", r->n_wrong_runs});
    rs_json_known(json, "first_wrong_run", r->first_wrong_run > 0 ? r->first_wrong_run : -1);
    rs_json_u32s(json, "result_crc32", r->crc32, report->n_ranks);
    rs_json_array(json, "wrong_ranks");
    for (int32_t i = 0; i < report->n_ranks; i++) {
        if (r->wrong[i]) rs_json_integer(json, NULL, i);
    }
    rs_json_close(json);
    rs_json_integer(json, "spoilt", r->n_spoilt);
    put_text(json, "note", r->note[0] != '\0' ? r->note : NULL);
    put_oracle(json, r);
    rc_verify_json_bits(row, which, json);
    rs_json_close(json);
}

/* The kernel variant of cuda's ladder; null: there is none, or none was chosen. The algorithm; null: a file's. */
static void put_kernel(rs_json *json, const rc_verify_backend *backend) {
    rs_json_known(json, "kernel", backend->kernel > 0 ? backend->kernel : -1);
    rs_json_text(json, "algorithm", backend->algorithm != NULL ? backend->algorithm->name : NULL);
}

static void put_row(rs_json *json, const rc_verify_report *report, const rc_verify_backend *backend,
                    const rc_verify_row *row) {
    rs_json_object(json, NULL);
    rs_json_text(json, "backend", rg_kind_name(backend->kind));
    char root[16];
    snprintf(root, sizeof root, "%d", (int)rc_nccl_root(report));
    rs_json_integers(json, {"size", row->n_bytes}, {"count", rc_nccl_count(report, row)});
    rs_json_text(json, "type", rc_nccl_type(row->dtype));
    rs_json_text(json, "redop", rc_nccl_redop(report, row));
    rs_json_text(json, "root", root);
    put_result(json, report, row, 0);
    put_result(json, report, row, 1);
    rs_json_integer(json, "actual_iterations", report->plan->job.times);
    rs_json_text(json, "experiment_name", "ringsim");
    put_kernel(json, backend);
    rs_json_close(json);
}

static void put_results(rs_json *json, const rc_verify_report *report) {
    rs_json_array(json, "results");
    for (int b = 0; b < report->n_backends; b++) {
        const rc_verify_backend *backend = &report->backends[b];
        for (int64_t i = 0; i < backend->n_rows; i++) {
            put_row(json, report, backend, &backend->rows[i]);
        }
    }
    rs_json_close(json);
}

/* How long the schedule is for the last row. */
static void put_schedule(rs_json *json, const rc_verify_report *report) {
    rs_error ignored;
    rs_schedule s;
    const int64_t count = report->backends[0].rows[report->n_rows - 1].count;
    if (rc_verify_schedule(report->plan, count, &ignored, &s) != RC_GOOD) return;
    rs_json_integers(json, {"chunks", s.n_chunks}, {"steps", s.n_steps});
}

static void put_backend(rs_json *json, const rc_verify_report *report, int b) {
    const rc_verify_backend *backend = &report->backends[b];
    rs_json_object(json, NULL);
    rs_json_text(json, "name", rg_kind_name(backend->kind));
    rs_json_bool(json, "ran", backend->ran);
    if (backend->ran) {
        rs_json_bool(json, "right", rc_backend_right(report, b));
    } else {
        rs_json_null(json, "right");
    }
    put_kernel(json, backend);
    put_text(json, "where", backend->ran ? backend->where : NULL);
    put_text(json, "reason", backend->reason[0] != '\0' ? backend->reason : NULL);
    rs_json_close(json);
}

static void put_ringsim(rs_json *json, const rc_verify_report *report) {
    const rc_verify_plan *plan = report->plan;
    const char *order = plan->choice.spec.order == RS_ORDER_NCCL ? "nccl" : "seed";
    const bool ordered =
        plan->choice.algorithm != NULL && plan->choice.collective == RS_COLL_ALL_REDUCE;
    rs_json_object(json, "ringsim");
    rc_json_schema(json, "ringsim.verify/1");
    rs_json_text(json, "collective", rs_collective_name(plan->choice.collective));
    rs_json_known(json, "root", rc_nccl_root(report));
    put_text(json, "algorithm", report->name);
    put_schedule(json, report);
    rs_json_text(json, "order", ordered ? order : NULL);
    rs_json_integer(json, "gpus", report->n_ranks);
    rs_json_text(json, "special", rg_special_name(plan->job.special));
    rs_json_unsigned(json, "seed", plan->job.seed);
    if (plan->sandbox[0] != '\0') rs_json_text(json, "sandbox", plan->sandbox);
    rs_json_array(json, "backends");
    for (int b = 0; b < report->n_backends; b++) put_backend(json, report, b);
    rs_json_close(json);
    rs_json_close(json);
}

static void put_config(rs_json *json, const rc_verify_report *report) {
    const rc_verify_plan *plan = report->plan;
    const rc_verify_row *rows = report->backends[0].rows;
    rs_json_object(json, "config");
    rs_json_integers(
        json, {"nthreads", 1}, {"ngpus", report->n_ranks}, {"minimum_bytes", rows[0].n_bytes},
        {"maximum_bytes", rows[report->n_rows - 1].n_bytes}, {"step_factor", plan->factor},
        {"warmup_iters", plan->job.warmup}, {"iterations", plan->job.times},
        {"aggregated_iterations", 1}, {"validation", 1}, {"graph", 0});
    rs_json_text(json, "blocking_collectives", "false");
    rs_json_text(json, "parallel_init", "false");
    rs_json_array(json, "devices");
    rs_json_close(json);
    rs_json_close(json);
}

static void put_summary(rs_json *json, const rc_verify_report *report) {
    int64_t n_wrong = 0, n_results = 0;
    double sum = 0;
    for (int b = 0; b < report->n_backends; b++) {
        const rc_verify_tally t = rc_verify_add_up(report, b);
        n_wrong += t.n_wrong;
        n_results += t.n_results;
        sum += t.busbw;
    }
    rs_json_object(json, "out_of_bounds");
    rs_json_integer(json, "count", n_wrong);
    rs_json_text(json, "okay", n_wrong == 0 ? "true" : "false");
    rs_json_close(json);
    rs_json_object(json, "average_bus_bandwidth");
    rs_json_fixed(json, "bandwidth", n_results == 0 ? 0 : sum / (double)n_results, 6);
    rs_json_text(json, "okay", "unchecked");
    rs_json_close(json);
}

static void put_errors(rs_json *json, const rc_verify_report *report) {
    rs_json_array(json, "errors");
    for (int b = 0; b < report->n_backends; b++) {
        const char *reason = report->backends[b].reason;
        if (reason[0] != '\0') put_text(json, NULL, reason);
    }
    rs_json_close(json);
}

void rc_verify_json(const rc_verify_report *report, char *const argv[], FILE *out) {
    rs_json json;
    rs_json_begin(&json, rc_write_to_file, out);
    rs_json_object(&json, NULL);
    rs_json_integer(&json, "version", 3);
    put_moment(&json, "start_time", report->started);
    rs_json_array(&json, "args");
    for (int i = 0; argv[i] != NULL; i++) put_text(&json, NULL, argv[i]);
    rs_json_close(&json);
    rs_json_array(&json, "env");
    rs_json_close(&json);
    rs_json_null(&json, "nccl_version");
    put_config(&json, report);
    put_results(&json, report);
    put_summary(&json, report);
    put_errors(&json, report);
    put_ringsim(&json, report);
    put_moment(&json, "end_time", time(NULL));
    rc_json_end(&json);
}
