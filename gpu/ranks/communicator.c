/* communicator.c: a whole job on all ranks: arrays, repetitions, judgement, vote. See communicator.h.
 *
 * Each rank makes all ranks' inputs and compares its own result with the exact answer: no rank
 * believes another. The vote tells all ranks what each of them found.
 */
#include "ranks/communicator.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ places of messages */

char *rg_place_of(const rg_rank_job *work, const rg_message *message) {
    return work->array + message->place;
}

char *rg_way_of(const rg_rank_job *work, const rg_message *message) {
    const bool in_place = message->beside < 0 || message->n_bytes == 0;
    assert(in_place || work->room != NULL);
    return in_place ? rg_place_of(work, message) : work->room + message->beside;
}

/* ------------------------------------------------------------------ votes */

/* Lets all ranks go on only if all can. The error is this rank's own, or says that another rank has
   one. */
static bool agree(rg_ranks *ranks, rs_status own, rs_error *error, rs_status *status) {
    int64_t worst = own;
    if (!rg_ranks_vote(ranks, &worst, 1, RG_LARGEST)) return false;
    *status = (rs_status)worst;
    if (own == RS_OK && worst != RS_OK) {
        rs_fail(error, *status, "another rank cannot go on; take smaller sizes");
    }
    return true;
}

/* Returns what the ranks of a job must have in common, as one number. */
static int64_t digest_of(const rg_job *job) {
    const rs_schedule *s = job->schedule;
    const int64_t numbers[] = {
        s->n_ranks,     s->n_chunks,   s->n_steps,
        s->n_transfers, s->order,      s->gpus_per_node,
        s->collective,  s->root,       s->n_pieces,
        s->n_channels,  job->dtype,    job->op,
        job->count,     job->data,     (int64_t)job->seed,
        job->special,   job->offset,   job->in_place,
        job->warmup,    job->times,    job->flip_rank,
        job->flip_step, job->flip_run, job->check_every,
        job->trace,     job->oracle,   job->predicted == NULL ? -1 : job->predicted->n_runs};
    const uint32_t name = rs_crc32(0, s->name, strlen(s->name));
    return rs_crc32(name, numbers, sizeof numbers);
}

/* Checks that all ranks have the same job: launched ranks read their own command lines, which may
   differ. */
static bool compare_jobs(rg_ranks *ranks, const rg_job *job, rs_error *error, rs_status *status) {
    const int64_t digest = digest_of(job);
    int64_t ends[2] = {digest, -digest}; /* the vote finds the largest, and minus the smallest */
    if (!rg_ranks_vote(ranks, ends, 2, RG_LARGEST)) return false;
    *status = RS_OK;
    if (ends[0] != -ends[1]) {
        *status = rs_fail(error, RS_BAD_INPUT,
                          "the ranks were given different jobs; start all with the same options");
    }
    return true;
}

/* ------------------------------------------------------------------ a job */

typedef struct execution {
    rg_rank_job work;
    rg_log *log; /* NULL: no trace */
    int64_t *times, *oracle_times;
    int64_t *wrong;       /* [times] this rank's wrong elements in each run that it judged */
    const void **results; /* [N] for rs_count_wrong: this rank's result; the others stay NULL */
    int64_t *counts;      /* [N] for rs_count_wrong */
    rg_unlike *unlike;    /* [N] what each rank finds of the oracle's predicted bits */
    rs_status judged;     /* RS_OK: this rank could judge all runs so far */
} execution;

static rs_status prepare(rg_ranks *ranks, execution *e, rs_arena *arena, rs_error *error) {
    rg_rank_job *work = &e->work;
    const rg_job *job = work->job;
    e->times = rs_alloc(arena, (size_t)job->times, sizeof *e->times);
    e->oracle_times = rs_alloc(arena, (size_t)job->times, sizeof *e->oracle_times);
    e->wrong = rs_alloc(arena, (size_t)job->times, sizeof *e->wrong);
    e->results = rs_alloc(arena, (size_t)ranks->group.n_ranks, sizeof *e->results);
    e->counts = rs_alloc(arena, (size_t)ranks->group.n_ranks, sizeof *e->counts);
    e->unlike = rs_alloc(arena, (size_t)ranks->group.n_ranks, sizeof *e->unlike);
    if (arena->lacked) return rs_no_memory(error);
    /* On one machine all ranks' windows together are as large as one. */
    rs_status status =
        rg_judge_new(job, RG_WINDOW_BYTES / ranks->group.n_ranks, arena, error, &work->judge);
    if (status == RS_OK) status = rg_array_new(job, job->count, arena, error, &work->source);
    if (status == RS_OK) status = rg_array_new(job, job->count, arena, error, &work->target);
    if (status == RS_OK && job->oracle)
        status = rg_array_new(job, job->count, arena, error, &work->oracle);
    if (status == RS_OK) {
        status = rg_messages_new(job, ranks->rank, arena, error, &work->messages);
    }
    if (status == RS_OK && job->trace) status = rg_log_new(&work->messages, arena, error, &e->log);
    if (status != RS_OK) return status;
    if (!rg_fill(job, ranks->rank, arena->host, work->source.data)) {
        return rs_fail(error, RS_CANCELLED, "cancelled while filling the arrays");
    }
    return ranks->transport->prepare(ranks, work, arena, error);
}

/* Reports the progress to the caller, who may cancel; a cancelled group can only be closed. */
static bool goes_on(rg_ranks *ranks, const rg_job *job, int32_t n_runs) {
    if (rs_go_on(ranks->group.host, "running", n_runs, job->warmup + job->times)) return true;
    ranks->cancelled = ranks->stuck = true;
    return false;
}

/* Judges this rank's result of a run, outside the time measured. false: it cannot be fetched. */
static bool judge_run(rg_ranks *ranks, execution *e, int32_t run, rs_error *error) {
    const rg_transport *transport = ranks->transport;
    rg_rank_job *work = &e->work;
    if (transport->fetch != NULL && !transport->fetch(ranks, work)) return false;
    if (e->judged != RS_OK) return true; /* the next vote tells all ranks */
    e->results[ranks->rank] = work->target.data;
    e->judged = rg_judge_count(&work->judge, e->results, NULL, error, e->counts);
    if (e->judged == RS_OK) e->wrong[run] = e->counts[ranks->rank];
    return true;
}

/* Runs the job, warm-up first, then the timed runs. The time includes the copy of the rank's data, unless in
   place. */
static bool repeat(rg_ranks *ranks, execution *e, rs_error *error) {
    const rg_transport *transport = ranks->transport;
    rg_rank_job *work = &e->work;
    const rg_job *job = work->job;
    const rg_range all = {0, job->count}, held = rg_held(job, ranks->rank);
    for (int32_t i = -job->warmup; i < job->times; i++) {
        int64_t start_ps;
        ranks->n_runs = i + job->warmup;
        if (!goes_on(ranks, job, i + job->warmup)) return false;
        rg_ranks_deadline(ranks, job->timeout_ms);
        /* In place the inputs; else, where not all cells are data, noise for what a run does not write. */
        const bool restores = job->in_place || !rs_collective_reduces(job->schedule->collective);
        if (restores && !transport->copy(ranks, work, all)) return false;
        work->log = i == job->times - 1 ? e->log : NULL;
        if (work->log != NULL) rg_log_reset(work->log);
        work->messages.run = i >= 0 ? i + 1 : 0;
        if (!transport->line_up(ranks, &start_ps)) return false;
        if (!job->in_place && !transport->copy(ranks, work, held)) return false;
        if (!transport->run(ranks, work)) return false;
        if (i >= 0) e->times[i] = rg_now_ps() - start_ps;
        if (rg_is_judged(job, i) && !judge_run(ranks, e, i, error)) return false;
    }
    ranks->n_runs = job->warmup + job->times;
    return rg_ranks_vote(ranks, e->times, job->times, RG_LARGEST);
}

/* This rank's own findings, which the vote adds up over all ranks. */
enum { SPOILT, DIFFER, OUTSIDE, UNJUDGED, N_FINDINGS };

/* Adds up over all ranks what they found in the judged runs. false: it waits too long. */
static bool add_up_runs(rg_ranks *ranks, execution *e, rg_result *result) {
    const rg_job *job = e->work.job;
    const int32_t first = job->check_every ? 0 : job->times - 1;
    bool wrong = false;
    for (int32_t i = first; i < job->times; i++) wrong = wrong || e->wrong[i] > 0;
    if (!ranks->transport->collect(ranks, &wrong, result->wrong, sizeof wrong) ||
        !rg_ranks_vote(ranks, e->wrong + first, job->times - first, RG_ADD)) {
        return false;
    }
    for (int32_t i = first; i < job->times; i++) rg_count_run(result, i + 1, e->wrong[i]);
    return true;
}

/* Finds where the oracle's bits are not the predicted ones, on all ranks. false: it waits too long. */
static bool judge_predicted(rg_ranks *ranks, execution *e, rs_error *error, rg_result *result) {
    rg_rank_job *work = &e->work;
    rg_unlike own;
    if (work->job->predicted == NULL) return true;
    const rs_status status = rg_judge_predicted(&work->judge, ranks->rank, work->oracle.data,
                                                ranks->group.host, error, &own);
    if (e->judged == RS_OK) e->judged = status;
    if (!ranks->transport->collect(ranks, &own, e->unlike, sizeof own)) return false;
    rg_unlike *all = &result->unlike;
    *all = (rg_unlike){.like = -1};
    result->has_unlike = true;
    for (int32_t r = 0; r < ranks->group.n_ranks; r++) {
        const rg_unlike *one = &e->unlike[r];
        const int64_t n = all->n + one->n;
        if (one->n > 0 && (all->n == 0 || one->element < all->element)) *all = *one;
        all->n = n;
    }
    return true;
}

static bool ask_oracle(rg_ranks *ranks, execution *e, int64_t findings[N_FINDINGS], rs_error *error,
                       rg_result *result) {
    rg_rank_job *work = &e->work;
    const rg_job *job = work->job;
    rg_ranks_deadline(ranks, job->timeout_ms);
    if (!job->oracle) return true;
    const rg_transport *transport = ranks->transport;
    if (!transport->takes(job, result->note)) return true;
    if (!transport->ask_oracle(ranks, work, e->oracle_times)) return false;
    if (!goes_on(ranks, job, job->warmup + job->times)) return false;
    rg_oracle_tally tally;
    rg_judge_oracle(&work->judge, ranks->rank, work->target.data, work->oracle.data,
                    transport->wraps, ranks->group.host, &tally);
    findings[DIFFER] = tally.n_differ;
    findings[OUTSIDE] = tally.n_outside;
    findings[UNJUDGED] = tally.n_unjudged;
    if (!rg_ranks_vote(ranks, e->oracle_times, job->times, RG_LARGEST)) return false;
    result->has_oracle = true;
    result->oracle_time_ps = rg_median(e->oracle_times, job->times);
    result->oracle_bound = rg_oracle_bound(job);
    return judge_predicted(ranks, e, error, result);
}

/* false: it waits too long. */
static bool execute(rg_ranks *ranks, execution *e, rs_arena *arena, rs_arena *scratch,
                    rs_error *error, rg_result *result, rs_status *status) {
    rg_rank_job *work = &e->work;
    int64_t findings[N_FINDINGS] = {0};
    if (!compare_jobs(ranks, work->job, error, status)) return false;
    if (*status != RS_OK) return true;
    if (!agree(ranks, prepare(ranks, e, scratch, error), error, status)) return false;
    if (*status != RS_OK) return true;
    if (!repeat(ranks, e, error) || !ask_oracle(ranks, e, findings, error, result)) return false;
    if (!goes_on(ranks, work->job, work->job->warmup + work->job->times)) return false;
    if (!agree(ranks, e->judged, error, status)) return false;
    if (*status != RS_OK) return true;
    findings[SPOILT] = !rg_array_intact(&work->target) || !rg_array_intact(&work->source) ||
                       !rg_judge_kept(&work->judge, ranks->rank, work->source.data);
    const uint32_t crc32 =
        rg_sum_up(work->job, ranks->rank, 0, work->job->count, work->target.data, 0);
    if (!add_up_runs(ranks, e, result) ||
        !ranks->transport->collect(ranks, &crc32, result->crc32, sizeof crc32) ||
        !rg_ranks_vote(ranks, findings, N_FINDINGS, RG_ADD)) {
        return false;
    }
    result->time_ps = rg_median(e->times, work->job->times);
    result->n_spoilt = findings[SPOILT];
    result->oracle_differs = findings[DIFFER];
    result->oracle_outside = findings[OUTSIDE];
    result->oracle_unjudged = findings[UNJUDGED];
    if (ranks->transport->remark != NULL) ranks->transport->remark(ranks, work, result);
    if (e->log == NULL) return true;
    rs_status own;
    return rg_log_gather(ranks, e->log, arena, error, &own, &result->trace) &&
           agree(ranks, own, error, status);
}

/* Says what failed here, or that this rank waits; in which step, and for whom, as far as it
   knows. */
static void say_stuck(const rg_ranks *ranks, rg_result *result) {
    char *out = result->failure;
    const size_t size = sizeof result->failure;
    const bool failed = ranks->trouble[0] != '\0', in_step = ranks->step >= 0;
    result->completed = false;
    const bool late = rg_now_ps() > ranks->deadline_ps;
    int n = failed ? snprintf(out, size, "rank %d: %.200s", (int)ranks->rank, ranks->trouble)
            : late ? snprintf(out, size, "no answer within %g s: rank %d waits",
                              ranks->timeout_ms / 1000.0, (int)ranks->rank)
                   : snprintf(out, size, "another rank failed: rank %d waits", (int)ranks->rank);
    if (in_step) {
        n += snprintf(out + n, size - (size_t)n, failed ? ", in step %d" : " in step %d",
                      (int)ranks->step);
    } else if (!failed) {
        n += snprintf(out + n, size - (size_t)n, " for the others");
    }
    for (int i = 0; i < ranks->n_waits_for && in_step; i++) {
        n += snprintf(out + n, size - (size_t)n,
                      i > 0    ? ", %d"
                      : failed ? " with rank %d"
                               : " for rank %d",
                      (int)ranks->waits_for[i]);
    }
}

/* Notes where this rank stands; without memory nothing. */
static void note_stand(const rg_ranks *ranks, rs_arena *arena, rg_result *result) {
    result->stuck = rs_alloc(arena, 1, sizeof *result->stuck);
    if (result->stuck == NULL) return;
    result->n_stuck = 1;
    result->stuck[0] = (rg_stand){.rank = ranks->rank,
                                  .n_runs = ranks->n_runs,
                                  .step = ranks->step,
                                  .open_sends = ranks->open_sends,
                                  .open_recvs = ranks->open_recvs};
}

/* The memory of a run that got stuck: messages may still arrive in it, and devices may write into
   it. It stays until the process ends, which is soon: such a group can only be closed. */
static rs_arena abandoned;

rs_status rg_ranks_run(rg_group *group, const rg_job *job, rs_arena *arena, rs_error *error,
                       rg_result *result) {
    assert(job->schedule->n_ranks == group->n_ranks);
    rg_ranks *ranks = (rg_ranks *)group;
    rs_arena scratch;
    rs_arena_init(&scratch, group->host);
    rg_ranks_deadline(ranks, job->timeout_ms);
    ranks->n_runs = 0;
    execution e = {.work.job = job};
    rs_status status = RS_OK;
    if (!execute(ranks, &e, arena, &scratch, error, result, &status)) {
        if (!ranks->cancelled) {
            say_stuck(ranks, result);
            note_stand(ranks, arena, result);
            abandoned = scratch;
            return RS_OK;
        }
        status = rs_fail(error, RS_CANCELLED,
                         "cancelled"); /* between two runs: no message is on its way */
    }
    if (ranks->transport->release != NULL) ranks->transport->release(ranks, &e.work);
    rs_arena_free(&scratch);
    return status;
}
