/* verify_run.c: runs the rows of `ringsim verify`, backend by backend.
 *
 *     open a group --> each row: out of place, in place --> close
 *
 *   - The rows stand on the screen as they come, in nccl-tests' table; JSON comes at the end.
 *   - What a backend lacks may show at a row only: a GPU's memory is full, a persistent kernel's blocks do not
 *     fit. That ends its table, not the others'.
 */
#include "verify/verify.h"

#include <assert.h>

/* Returns the row's job; the last of all keeps the trace, if one is wanted. */
static rg_job job_of(const rc_verify_plan *plan, const rc_verify_row *row,
                     const rs_schedule *schedule, int which, bool last) {
    rg_job job = plan->job;
    job.schedule = schedule;
    job.dtype = row->dtype;
    job.op = row->op;
    job.count = rs_array_count(plan->choice.collective, plan->setup.n_ranks, row->count);
    job.in_place = which == 1;
    job.predicted = row->bits;
    job.sums = row->sums;
    job.trace = last && which == 1 && plan->trace != NULL;
    return job;
}

/* Keeps why a backend ended before its rows did. There is always a reason: without one it would be right. */
static void note_end(rc_verify_backend *backend, const char *reason) {
    snprintf(backend->reason, sizeof backend->reason, "%s",
             reason[0] != '\0' ? reason : _("it did not say why"));
}

/* What it means that the backend refused a job, or failed at it, before it began. Kernel 4 alone may be
   refused then; what else is not supported is a call that failed, and nothing to skip. */
static rc_exit refusal(rc_session *session, rc_verify_backend *backend, rs_status ran) {
    if (ran != RS_UNSUPPORTED && ran != RS_NO_MEMORY) return rc_exit_of(ran);
    note_end(backend, rc_said(session->error));
    session->error->text[0] = '\0';
    return ran == RS_NO_MEMORY || backend->kernel >= 4 ? RC_LACKS : RC_NO;
}

/* Runs one line of the table. RC_NO: it did not come to an end, RC_LACKS: this machine is too small for
   it; the backend's reason says why. */
static rc_exit run_row(rc_session *session, const rc_verify_plan *plan, rg_group *group,
                       rc_verify_backend *backend, rc_verify_row *row, bool last) {
    rc_exit status = rc_verify_predict(session, plan, &backend->told, row);
    for (int which = 0; which < 2; which++) {
        rs_schedule schedule;
        if (status == RC_GOOD)
            status = rc_verify_schedule(plan, row->count, session->error, &schedule);
        if (status != RC_GOOD) return status;
        const rg_job job = job_of(plan, row, &schedule, which, last);
        rg_result *result = &row->results[which];
        const rs_status ran = rg_group_run(group, &job, session->arena, session->error, result);
        if (ran != RS_OK) return refusal(session, backend, ran);
        if (!result->completed) {
            note_end(backend, result->failure);
            return RC_NO;
        }
    }
    return RC_GOOD;
}

static bool told_to_stop(rc_session *session, int64_t done, int64_t total) {
    const rs_host *host = rc_host_face(session->host);
    return !host->progress(host->context, _("verifying"), done, total);
}

static rc_exit run_rows(rc_session *session, const rc_verify_report *report, rg_group *group,
                        rc_verify_backend *backend, bool printing) {
    rc_verify_plan plan = *report->plan;
    plan.choice.algorithm = backend->algorithm;
    for (int64_t i = 0; i < report->n_rows; i++) {
        if (told_to_stop(session, i, report->n_rows)) {
            return rc_fail(session->error, RC_CANCELLED, _("cancelled"));
        }
        const bool last = i == report->n_rows - 1;
        const rc_exit status = run_row(session, &plan, group, backend, &backend->rows[i], last);
        rc_host_quiet(session->host);
        if (status == RC_LACKS) {
            backend->ran = !rc_rows_right(report, (int)(backend - report->backends));
        }
        if (status == RC_NO || status == RC_LACKS) return RC_GOOD; /* told in the verdict */
        if (status != RC_GOOD) return status;
        backend->n_rows++;
        assert(backend->n_rows <= report->n_rows);
        if (printing) rc_verify_print_row(report, &backend->rows[i]);
    }
    return RC_GOOD;
}

/* A backend that is here, but for which the memory is not, or the time. Where it was named, nothing has
   begun. */
static bool too_large(const rc_verify_plan *plan, const rg_setup *setup,
                      rc_verify_backend *backend) {
    rs_error reason = {.text = ""};
    if (plan->by_name || !rg_available(backend->kind, setup, &reason)) return false;
    double need, have;
    if (rc_verify_is_long(plan, backend->kind, &need)) {
        snprintf(backend->reason, sizeof backend->reason,
                 _("it would work through %.1f GB; name it, --on cpu, to wait for it"), need / 1e9);
        return true;
    }
    if (rc_verify_fits(plan, backend->kind, &need, &have)) return false;
    snprintf(backend->reason, sizeof backend->reason,
             _("it takes %.1f GB of memory, and %.1f GB are left"), need / 1e9, have / 1e9);
    return true;
}

/* Ranks that must find each other may each have a trouble of their own, and no first one who says it. */
static void say_own_trouble(const rc_verify_plan *plan, const rc_verify_backend *backend,
                            rs_error *reason) {
    rs_error line = {.text = ""};
    if (!plan->by_name || backend->kind != RG_NCCL || rg_launch_env_rank() == 0) return;
    rc_fail(&line, RC_LACKS, _("%s: %s"), backend->name, rc_said(reason));
    rc_complain(&line);
}

/* Runs the whole table on one backend. One that is not here is no error yet. */
static rc_exit run_backend(rc_session *session, rc_verify_report *report, int at) {
    rc_verify_backend *backend = &report->backends[at];
    const rc_verify_plan *plan = report->plan;
    const bool text = !rc_given(&session->options, RC_JSON);
    rs_error reason = {.text = ""};
    rg_group *group;
    rg_setup setup = plan->setup;
    setup.kernel = backend->kernel;
    if (too_large(plan, &setup, backend)) return RC_GOOD;
    double need, have;
    rc_verify_fits(plan, backend->kind, &need, &have);
    rc_host_needs(session->host, need);
    const rs_status opened =
        rg_group_open(backend->kind, &setup, rc_host_face(session->host), &reason, &group);
    rc_host_quiet(session->host);
    if (opened != RS_OK) say_own_trouble(plan, backend, &reason);
    if (opened == RS_UNSUPPORTED) {
        note_end(backend, rc_said(&reason));
        return RC_GOOD;
    }
    if (opened != RS_OK) {
        return rc_fail(session->error, rc_exit_of(opened), _("%s: %s"), backend->name,
                       rc_said(&reason));
    }
    /* cpu is in every process, also where others started many: only the first speaks. */
    const bool printing = text && rg_group_reports(group) && rg_launch_env_rank() == 0;
    backend->ran = true;
    rc_verify_ask(plan, rg_group_library(group), &backend->told);
    snprintf(backend->where, sizeof backend->where, "%s", rg_group_where(group));
    if (printing) rc_verify_head(report, at);
    const rc_exit status = run_rows(session, report, group, backend, printing);
    rg_group_close(group);
    if (status == RC_GOOD && printing) rc_verify_tail(report, at);
    if (status == RC_GOOD && backend->reason[0] != '\0') {
        snprintf(reason.text, sizeof reason.text, "%s", backend->reason);
        say_own_trouble(plan, backend, &reason); /* rank 0 may be the one that is gone */
    }
    return status;
}

rc_exit rc_verify_run(rc_session *session, rc_verify_report *report) {
    rc_exit status = RC_GOOD;
    rc_host_watch(session->host, true);
    for (int i = 0; i < report->n_backends && status == RC_GOOD; i++) {
        status = run_backend(session, report, i);
    }
    return rc_host_end(session->host, status, session->error);
}
