/* verify_files.c: --trace: the last run that kept a trace, as a recording or for Perfetto; --dump: where the ranks of a real run
 * stand, as a flight recorder's dump of each.
 *
 *   - A rank that waits too long says so, and in which step of which run; a rank that is stopped says nothing, and has no
 *     dump. Where other processes started the ranks, each writes its own.
 *   - Of several backends the first that did not come to an end counts; else the last that ran.
 */
#include "config.h"
#include "base/json_file.h"
#include "base/text.h"
#include "run/run_json.h"
#include "run/show.h"
#include "verify/verify.h"

/* ------------------------------------------------------------------ the trace */

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

/* ------------------------------------------------------------------ dumps */

typedef struct standing_rank {
    const rg_stand *stand; /* NULL: all is over */
    const rs_schedule *schedule;
    int32_t rank;
    rs_transfer *list; /* [max_sends] */
} standing_rank;

/* Messages are told apart by their place in the list of the step. */
static bool is_over(void *context, int32_t step, const rs_transfer *transfer, bool sends,
                    int64_t *end_ns) {
    const standing_rank *at = context;
    const rs_schedule *s = at->schedule;
    (void)end_ns;
    if (at->stand == NULL || step < at->stand->step) return true;
    const uint64_t open = sends ? at->stand->open_sends : at->stand->open_recvs;
    const int n =
        sends ? s->sends(s, step, at->rank, at->list) : s->recvs(s, step, at->rank, at->list);
    int i = 0;
    while (i < n && at->list[i].order != transfer->order) i++;
    return step == at->stand->step && (open >> (i < 63 ? i : 63) & 1) == 0;
}

static rc_exit write_rank(rc_session *session, const rc_verify_plan *plan, const rc_verify_row *row,
                          int32_t rank, const rg_stand *stand) {
    rs_schedule schedule;
    rc_exit status = rc_verify_schedule(plan, row->count, session->error, &schedule);
    if (status != RC_GOOD) return status;
    standing_rank own = {.stand = stand, .schedule = &schedule, .rank = rank};
    own.list = rs_alloc(session->arena, (size_t)schedule.max_sends + 1, sizeof *own.list);
    if (own.list == NULL) return rc_no_memory(session->error);
    const int32_t all = plan->job.warmup + plan->job.times;
    const rn_standing at = {
        .schedule = &schedule,
        .count = rs_array_count(plan->choice.collective, plan->setup.n_ranks, row->count),
        .dtype = rn_torch_dtype(row->dtype),
        .n_runs = stand != NULL ? stand->n_runs : all - 1,
        .lines_up = stand != NULL && stand->step < 0,
        .over = is_over,
        .context = &own};
    return rc_dump_rank(session, plan->dump, &at, rank);
}

/* The row that did not come to an end, or the last one. */
static const rc_verify_row *find_row(const rc_verify_report *report, const rg_result **result) {
    const rc_verify_row *last = NULL;
    for (int b = 0; b < report->n_backends; b++) {
        const rc_verify_backend *backend = &report->backends[b];
        const bool many = backend->kind == RG_MPI || backend->kind == RG_NCCL;
        if (!many || !backend->ran) continue;
        const int64_t at = backend->n_rows < report->n_rows ? backend->n_rows : report->n_rows - 1;
        last = &backend->rows[at];
        for (int which = 0; which < 2; which++) {
            *result = &last->results[which];
            if (backend->n_rows < report->n_rows && (*result)->n_stuck > 0) return last;
        }
        if (backend->n_rows < report->n_rows) return NULL;
    }
    return last;
}

rc_exit rc_verify_dump(rc_session *session, const rc_verify_report *report) {
    const rc_verify_plan *plan = report->plan;
    const bool launched = plan->setup.mode == RG_LAUNCHED;
    const rg_result *result = NULL;
    const rc_verify_row *row = find_row(report, &result);
    bool ran = false;
    for (int b = 0; b < report->n_backends; b++) ran = ran || report->backends[b].ran;
    if (row == NULL && !ran) return RC_GOOD; /* the report says why */
    if (row == NULL) {
        rs_error note;
        rc_fail(&note, RC_LACKS, _("--dump: no rank has said where it stands"));
        rc_complain(&note);
        return RC_GOOD;
    }
    rc_exit status = RC_GOOD;
    for (int32_t i = 0; i < result->n_stuck && status == RC_GOOD; i++) {
        status = write_rank(session, plan, row, result->stuck[i].rank, &result->stuck[i]);
    }
    for (int32_t r = 0; r < report->n_ranks && result->n_stuck == 0 && status == RC_GOOD; r++) {
        if (launched && r != rg_launch_env_rank()) continue;
        status = write_rank(session, plan, row, r, NULL);
    }
    if (status == RC_GOOD && !rc_given(&session->options, RC_JSON) && rg_launch_env_rank() == 0) {
        rc_dump_say(plan->dump, "# ");
    }
    return status;
}
