/* run.c: a whole job on all ranks: arrays, repetitions, judgement, vote.
 *
 *     prepare --> vote --> repeat (barrier, clock, steps) --> oracle --> judge the own result --> vote
 *
 * Each rank makes everybody's inputs to judge its own result against the exact answer: no rank
 * believes another. The vote tells all of them what all of them found.
 */
#include "world.h"

#include <stdio.h>
#include <string.h>

typedef struct execution {
    const rg_job *job;
    rg_array source, target, oracle; /* source: kept as it is, unless in place */
    void **inputs;                   /* [N] everybody's */
    rg_steps steps;
    rg_log *log; /* NULL: no trace */
    int64_t *times, *oracle_times;
} execution;

static rs_status prepare(world *w, execution *e, rs_arena *arena, rs_error *error) {
    const rg_job *job = e->job;
    e->times = rs_alloc(arena, (size_t)job->times, sizeof *e->times);
    e->oracle_times = rs_alloc(arena, (size_t)job->times, sizeof *e->oracle_times);
    if (e->times == NULL || e->oracle_times == NULL) {
        return rs_fail(error, RS_NO_MEMORY, "no memory for the times");
    }
    rs_status status = rg_inputs_new(job, arena, error, &e->inputs);
    if (status == RS_OK) status = rg_array_new(job, arena, error, &e->source);
    if (status == RS_OK) status = rg_array_new(job, arena, error, &e->target);
    if (status == RS_OK && job->oracle) status = rg_array_new(job, arena, error, &e->oracle);
    if (status == RS_OK) status = rg_steps_new(w, job, e->target.data, arena, error, &e->steps);
    if (status == RS_OK && job->trace) status = rg_log_new(w, job, arena, error, &e->log);
    if (status == RS_OK) memcpy(e->source.data, e->inputs[w->rank], e->source.n_bytes);
    return status;
}

/* All go on only if all can; the error is the own one, or that another rank has one. */
static bool agree(world *w, rs_status own, rs_error *error, rs_status *status) {
    int64_t worst = own;
    if (!rg_vote(w, &worst, 1, MPI_MAX)) return false;
    *status = (rs_status)worst;
    if (own == RS_OK && worst != RS_OK) {
        rs_fail(error, *status, "another rank cannot go on; take smaller sizes");
    }
    return true;
}

/* Whoever asked hears that it goes on, and may cancel it; the ranks are of no use afterwards. */
static bool goes_on(world *w, const rg_job *job, int32_t i) {
    const rs_host *host = w->group.host;
    if (host == NULL || host->progress == NULL) return true;
    w->cancelled =
        !host->progress(host->context, "running", i + job->warmup, job->warmup + job->times);
    w->stuck = w->cancelled;
    return !w->cancelled;
}

static bool repeat(world *w, execution *e) {
    const rg_job *job = e->job;
    for (int32_t i = -job->warmup; i < job->times; i++) {
        if (!goes_on(w, job, i)) return false;
        rg_world_deadline(w, job->timeout_ms);
        if (job->in_place) memcpy(e->target.data, e->source.data, e->source.n_bytes);
        e->steps.log = i == job->times - 1 ? e->log : NULL;
        if (!rg_barrier(w)) return false;
        const int64_t start_ps = rg_now_ps();
        if (!job->in_place) memcpy(e->target.data, e->source.data, e->source.n_bytes);
        if (!rg_steps_run(w, &e->steps)) return false;
        if (i >= 0) e->times[i] = rg_now_ps() - start_ps;
    }
    return rg_vote(w, e->times, job->times, MPI_MAX);
}

/* This rank's own findings, added up over all by the vote. */
enum { WRONG, SPOILT, DIFFER, OUTSIDE, UNJUDGED, N_FINDINGS };

static rs_status judge(world *w, execution *e, rs_arena *arena, rs_error *error,
                       int64_t findings[N_FINDINGS]) {
    const rg_job *job = e->job;
    const size_t n = (size_t)w->group.n_ranks;
    const void **results = rs_alloc(arena, n, sizeof *results);
    int64_t *n_wrong = rs_alloc(arena, n, sizeof *n_wrong);
    if (results == NULL || n_wrong == NULL)
        return rs_fail(error, RS_NO_MEMORY, "no memory to judge");
    results[w->rank] = e->target.data;
    const rs_status status =
        rs_count_wrong(job->schedule, job->dtype, job->op, job->count,
                       (const void *const *)e->inputs, results, NULL, error, n_wrong);
    if (status != RS_OK) return status;
    findings[WRONG] = n_wrong[w->rank];
    findings[SPOILT] = !rg_array_intact(&e->target) || !rg_array_intact(&e->source) ||
                       memcmp(e->source.data, e->inputs[w->rank], e->source.n_bytes) != 0;
    return RS_OK;
}

static bool ask_oracle(world *w, execution *e, int64_t findings[N_FINDINGS], rg_result *result) {
    const rg_job *job = e->job;
    rg_world_deadline(w, job->timeout_ms);
    if (!job->oracle) return true;
    if (!rg_oracle_run(w, job, e->source.data, e->oracle.data, e->oracle_times)) {
        snprintf(result->note, sizeof result->note,
                 "MPI_Allreduce takes no more than 2^31 elements");
        return true;
    }
    rg_oracle_tally tally; /* MPI does not say what becomes of integers that overflow */
    rg_judge_oracle(job, e->inputs, e->target.data, e->oracle.data, false, &tally);
    findings[DIFFER] = tally.n_differ;
    findings[OUTSIDE] = tally.n_outside;
    findings[UNJUDGED] = tally.n_unjudged;
    if (!rg_vote(w, e->oracle_times, job->times, MPI_MAX)) return false;
    result->has_oracle = true;
    result->oracle_time_ps = rg_median(e->oracle_times, job->times);
    result->oracle_bound = rg_oracle_bound(job);
    return true;
}

/* false: it waits too long. */
static bool execute(world *w, execution *e, rs_arena *arena, rs_arena *scratch, rs_error *error,
                    rg_result *result, rs_status *status) {
    const rg_job *job = e->job;
    int64_t findings[N_FINDINGS] = {0};
    if (!agree(w, prepare(w, e, scratch, error), error, status)) return false;
    if (*status != RS_OK) return true;
    if (!repeat(w, e) || !ask_oracle(w, e, findings, result)) return false;
    if (!agree(w, judge(w, e, scratch, error, findings), error, status)) return false;
    if (*status != RS_OK) return true;
    const bool wrong = findings[WRONG] > 0;
    const uint32_t crc32 = rs_crc32(0, e->target.data, e->target.n_bytes);
    if (!rg_collect(w, &wrong, result->wrong, sizeof wrong) ||
        !rg_collect(w, &crc32, result->crc32, sizeof crc32) ||
        !rg_vote(w, findings, N_FINDINGS, MPI_SUM)) {
        return false;
    }
    result->time_ps = rg_median(e->times, job->times);
    result->n_wrong = findings[WRONG];
    result->n_spoilt = findings[SPOILT];
    result->oracle_differs = findings[DIFFER];
    result->oracle_outside = findings[OUTSIDE];
    result->oracle_unjudged = findings[UNJUDGED];
    if (e->log == NULL) return true;
    return agree(w, rg_gather_trace(w, e->log, arena, error, &result->trace), error, status);
}

/* Says who waits for whom, as far as this rank knows. */
static void tell_stuck(const world *w, rg_result *result) {
    result->completed = false;
    int n = snprintf(result->failure, sizeof result->failure,
                     w->step < 0 ? "no answer within %g s: rank %d waits for the others"
                                 : "no answer within %g s: rank %d waits in step %d",
                     w->timeout_ms / 1000.0, (int)w->rank, (int)w->step);
    for (int i = 0; i < w->n_waits_for && w->step >= 0; i++) {
        n += snprintf(result->failure + n, sizeof result->failure - (size_t)n,
                      i == 0 ? " for rank %d" : ", %d", (int)w->waits_for[i]);
    }
}

rs_status rg_world_run(rg_group *group, const rg_job *job, rs_arena *arena, rs_error *error,
                       rg_result *result) {
    world *w = (world *)group;
    rs_arena scratch;
    rs_arena_init(&scratch, group->host);
    rg_world_deadline(w, job->timeout_ms);
    execution e = {.job = job};
    rs_status status = RS_OK;
    if (!execute(w, &e, arena, &scratch, error, result, &status)) {
        if (!w->cancelled) {
            tell_stuck(w, result);
            return RS_OK; /* messages may still come: `scratch` stays */
        }
        status =
            rs_fail(error, RS_CANCELLED, "cancelled"); /* between two runs: nothing is under way */
    }
    rs_arena_free(&scratch);
    return status;
}
