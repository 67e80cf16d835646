/* verify_trace.c: the last run that kept a trace, as a recording or for Perfetto. */
#include "config.h"
#include "base/json_file.h"
#include "base/text.h"
#include "run/run_json.h"
#include "run/show.h"
#include "verify/verify.h"

/* The last backend that kept a trace; NULL: none. */
static const rc_verify_backend *find_trace(const rc_verify_report *report) {
    for (int i = report->n_backends - 1; i >= 0; i--) {
        const rc_verify_backend *b = &report->backends[i];
        if (b->n_rows == report->n_rows && b->rows[b->n_rows - 1].results[1].trace != NULL) {
            return b;
        }
    }
    return NULL;
}

static void print_recording(const rc_verify_backend *backend, const rs_schedule *schedule,
                            FILE *out) {
    const rc_verify_row *row = &backend->rows[backend->n_rows - 1];
    rs_recording recording = {.measured = true, .dtype = row->dtype, .op = row->op};
    recording.count = rs_array_count(schedule->collective, schedule->n_ranks, row->count);
    recording.schedule = *schedule;
    recording.trace = *row->results[1].trace;
    snprintf(recording.by, sizeof recording.by, "ringsim " RINGSIM_VERSION " verify, %s",
             backend->name);
    rs_print_trace(&recording, 1, rc_write_to_file, out);
}

static void print_chrome(const rc_verify_backend *backend, const rs_schedule *schedule, FILE *out) {
    const rc_verify_row *row = &backend->rows[backend->n_rows - 1];
    rs_report measured = {.trace = row->results[1].trace};
    measured.request.job =
        (rs_job){.schedule = schedule,
                 .count = rs_array_count(schedule->collective, schedule->n_ranks, row->count),
                 .elem_bytes = rs_dtype_bytes(row->dtype),
                 .net.reduce_Bps = 1}; /* additions take time */
    rc_chrome_trace(&measured, out);
}

rc_exit rc_verify_trace(rc_session *session, const rc_verify_report *report, rc_file *file) {
    const rc_verify_backend *backend = find_trace(report);
    if (backend == NULL) {
        return rc_fail(session->error, RC_LACKS,
                       _("--trace: no backend that ran to its end keeps a trace"));
    }
    rs_schedule schedule;
    rc_exit status = rc_verify_schedule(report->plan, backend->rows[backend->n_rows - 1].count,
                                        session->error, &schedule);
    if (status != RC_GOOD) return status;
    if (rc_is_trace(file->path, NULL, 0)) {
        print_recording(backend, &schedule, file->stream);
    } else {
        print_chrome(backend, &schedule, file->stream);
    }
    status = rc_file_deliver(file, RC_GOOD, session->error);
    if (status == RC_GOOD && !rc_given(&session->options, RC_JSON)) {
        char name[512];
        printf(_("# trace: the last run on %s, in %s\n"), backend->name,
               rc_plain(file->path, true, name, sizeof name));
    }
    return status;
}
