/* cpu.c: the reference as a backend: all ranks' arrays in this process, which rs_apply_part moves.
 *
 *     a window of all arrays:  inputs (rg_fill_part) --> arrays --> all runs --> rs_count_wrong_part,
 *     the next window:         ...                                              which computes in another way
 *
 *   - Elements do not depend on each other: so it takes a window of them through all runs before it goes
 *     on to the next, and needs the memory of a window, however large the arrays are. A run's time is the
 *     sum over the windows.
 *   - It runs on every machine. It has no trace: the reference goes chunk by chunk, not step by step.
 */
#include "job/backend.h"

#include <stdlib.h>
#include <string.h>

static bool available(const rg_setup *setup, rs_error *error) {
    (void)setup, (void)error;
    return true;
}

static rs_status open(const rg_setup *setup, const rs_host *host, rs_error *error,
                      rg_group **group) {
    rg_group *made = calloc(1, sizeof *made);
    if (made == NULL) return rs_no_memory(error);
    *made = (rg_group){.backend = &rg_cpu,
                       .host = host,
                       .n_ranks = setup->n_ranks,
                       .reports = true,
                       .where = "one process, the reference"};
    *group = made;
    return RS_OK;
}

typedef struct cpu_execution {
    const rg_job *job;
    const rs_host *host;
    int32_t n_ranks;
    size_t elem_bytes;
    rg_judge judge;    /* has the window, and a second copy of its inputs */
    int64_t first, n;  /* the elements in hand, which every rank fills, copies or sums up now */
    rg_array *sources; /* [N] the inputs, which a run must not change unless in place */
    rg_array *targets; /* [N] */
    void **ranks;      /* [N] the targets' data */
    int64_t *n_wrong;  /* [N] */
    bool *spoilt;      /* [N] wrote beside its array, or into the input it had to keep */
    int64_t *times;    /* [times] of the windows so far */
    int64_t *wrong_of; /* [times] wrong elements of each run, if it is judged */
    rg_result *result;
} cpu_execution;

/* ------------------------------------------------------------------ what every rank does */

/* Has every rank do the same with all its elements of the window, a few megabytes at a time. */
static rs_status each_rank(cpu_execution *e, const char *what, void (*task)(void *, int),
                           rs_error *error) {
    const rs_host *host = e->host;
    const bool beside = host != NULL && host->parallel_for != NULL && host->n_workers > 1;
    const int64_t most = (int64_t)(RG_PART_BYTES / e->elem_bytes), n = e->n_ranks;
    bool going = true;
    for (int64_t done = 0; done < e->judge.part.n && going; done += e->n) {
        e->first = e->judge.part.first + done;
        e->n = e->judge.part.n - done < most ? e->judge.part.n - done : most;
        for (int32_t r = 0; r < n && going; r += beside ? e->n_ranks : 1) {
            going = rs_go_on(host, what, e->first * n + r * e->n, e->job->count * n);
            if (going && beside) host->parallel_for(host->context, e->n_ranks, task, e);
            if (going && !beside) task(e, r);
        }
    }
    return going ? RS_OK : rs_fail(error, RS_CANCELLED, "cancelled while %s", what);
}

/* Returns where the elements in hand begin in an array of the window. */
static char *in_hand(const cpu_execution *e, void *array) {
    return (char *)array + (size_t)(e->first - e->judge.part.first) * e->elem_bytes;
}

static void fill(void *context, int rank) {
    const cpu_execution *e = context;
    char *input = in_hand(e, e->judge.inputs[rank]);
    rg_fill_part(e->job, rank, e->first, e->n, input);
    if (e->job->in_place) return;
    memcpy(in_hand(e, e->sources[rank].data), input, (size_t)e->n * e->elem_bytes);
}

/* What a run begins with, noise and all. */
static void restore(void *context, int rank) {
    const cpu_execution *e = context;
    memcpy(in_hand(e, e->ranks[rank]), in_hand(e, e->judge.inputs[rank]),
           (size_t)e->n * e->elem_bytes);
}

/* The rank's data, from one array to another. */
static void copy(void *context, int rank) {
    const cpu_execution *e = context;
    const rg_range held = rg_within(rg_held(e->job, rank), e->first, e->n);
    if (held.n == 0) return;
    const size_t skipped = (size_t)(held.first - e->first) * e->elem_bytes;
    memcpy(in_hand(e, e->ranks[rank]) + skipped, in_hand(e, e->sources[rank].data) + skipped,
           (size_t)held.n * e->elem_bytes);
}

/* Continues the checksum of a rank's result; the source must be what it was. */
static void sum_up(void *context, int rank) {
    const cpu_execution *e = context;
    const size_t n_bytes = (size_t)e->n * e->elem_bytes;
    uint32_t *crc32 = &e->result->crc32[rank];
    *crc32 = rg_sum_up(e->job, rank, e->first, e->n, in_hand(e, e->ranks[rank]), *crc32);
    if (e->job->in_place) return;
    if (memcmp(in_hand(e, e->sources[rank].data), in_hand(e, e->judge.inputs[rank]), n_bytes) !=
        0) {
        e->spoilt[rank] = true;
    }
}

/* ------------------------------------------------------------------ the arrays of a window */

static rs_status make_arrays(cpu_execution *e, rs_arena *arena, rs_error *error) {
    const bool in_place = e->job->in_place;
    for (int32_t r = 0; r < e->n_ranks; r++) {
        rs_status status = rg_array_new(e->job, e->judge.most, arena, error, &e->targets[r]);
        if (status == RS_OK && !in_place) {
            status = rg_array_new(e->job, e->judge.most, arena, error, &e->sources[r]);
        }
        if (status != RS_OK) return status;
        e->ranks[r] = e->targets[r].data;
    }
    return RS_OK;
}

static rs_status prepare(cpu_execution *e, rs_arena *arena, rs_error *error) {
    const rg_job *job = e->job;
    const size_t n = (size_t)e->n_ranks, times = (size_t)job->times;
    const int64_t window = job->window_bytes > 0 ? job->window_bytes : RG_WINDOW_BYTES;
    e->sources = rs_alloc(arena, n, sizeof *e->sources);
    e->targets = rs_alloc(arena, n, sizeof *e->targets);
    e->ranks = rs_alloc(arena, n, sizeof *e->ranks);
    e->n_wrong = rs_alloc(arena, n, sizeof *e->n_wrong);
    e->spoilt = rs_alloc(arena, n, sizeof *e->spoilt);
    e->times = rs_alloc(arena, times, sizeof *e->times);
    e->wrong_of = rs_alloc(arena, times, sizeof *e->wrong_of);
    if (arena->lacked) return rs_no_memory(error);
    const rs_status status = rg_judge_new(job, window, arena, error, &e->judge);
    return status == RS_OK ? make_arrays(e, arena, error) : status;
}

/* The last window may be shorter: its guards move up. */
static rs_status begin_window(cpu_execution *e, rs_error *error) {
    const size_t n_bytes = (size_t)e->judge.part.n * e->elem_bytes;
    for (int32_t r = 0; r < e->n_ranks; r++) {
        if (e->targets[r].n_bytes != n_bytes) rg_array_cut(&e->targets[r], n_bytes);
        if (e->job->in_place || e->sources[r].n_bytes == n_bytes) continue;
        rg_array_cut(&e->sources[r], n_bytes);
    }
    return each_rank(e, "filling the arrays", fill, error);
}

/* ------------------------------------------------------------------ a run through a window */

/* Runs once. The time includes the copy of the rank's data, unless in place. */
static rs_status run_once(cpu_execution *e, int32_t run, rs_error *error) {
    static const char what[] = "moving the values";
    const rg_job *job = e->job;
    const bool flips = job->flip_rank >= 0 && (job->flip_run == 0 || job->flip_run == run + 1);
    const rs_fault flip = {.kind = RS_FLIP, .rank = job->flip_rank, .step = job->flip_step};
    const rs_apply_options options = {
        .until_step = job->schedule->n_steps, .faults = &flip, .n_faults = flips};
    const bool whole = rs_collective_reduces(job->schedule->collective); /* no noise to lay out */
    rs_status status = job->in_place || !whole ? each_rank(e, what, restore, error) : RS_OK;
    const int64_t start_ps = rg_now_ps();
    if (status == RS_OK && !job->in_place) status = each_rank(e, what, copy, error);
    if (status == RS_OK) {
        status =
            rs_apply_part(&e->judge.part, job->dtype, job->op, e->ranks, &options, e->host, error);
    }
    if (run >= 0) e->times[run] += rg_now_ps() - start_ps;
    return status;
}

static rs_status judge(cpu_execution *e, int32_t run, rs_error *error) {
    rs_status status = rs_count_wrong_part(
        &e->judge.part, e->job->dtype, e->job->op, (const void *const *)e->judge.inputs,
        (const void *const *)e->ranks, e->host, error, e->n_wrong);
    for (int32_t r = 0; r < e->n_ranks && status == RS_OK; r++) {
        e->wrong_of[run] += e->n_wrong[r];
        e->result->wrong[r] = e->result->wrong[r] || e->n_wrong[r] > 0;
    }
    if (status != RS_OK || run + 1 < e->job->times) return status;
    status = each_rank(e, "summing up the results", sum_up, error);
    for (int32_t r = 0; r < e->n_ranks; r++) {
        const bool kept = e->job->in_place || rg_array_intact(&e->sources[r]);
        if (!kept || !rg_array_intact(&e->targets[r])) e->spoilt[r] = true;
    }
    return status;
}

static rs_status run_window(cpu_execution *e, rs_error *error) {
    const rg_job *job = e->job;
    rs_status status = begin_window(e, error);
    for (int32_t i = -job->warmup; i < job->times && status == RS_OK; i++) {
        status = run_once(e, i, error);
        if (status == RS_OK && rg_is_judged(job, i)) status = judge(e, i, error);
    }
    return status;
}

static rs_status execute(cpu_execution *e, rs_arena *arena, rs_error *error) {
    const rg_job *job = e->job;
    rs_status status = prepare(e, arena, error);
    do { /* also without an element: the runs are counted */
        const int64_t left = job->count - e->judge.part.first;
        e->judge.part.n = left < e->judge.most ? left : e->judge.most;
        if (status == RS_OK) status = run_window(e, error);
        e->judge.part.first += e->judge.part.n;
    } while (status == RS_OK && e->judge.part.first < job->count);
    if (status != RS_OK) return status;
    for (int32_t i = 0; i < job->times; i++) {
        if (rg_is_judged(job, i)) rg_count_run(e->result, i + 1, e->wrong_of[i]);
    }
    for (int32_t r = 0; r < e->n_ranks; r++) e->result->n_spoilt += e->spoilt[r];
    e->result->time_ps = rg_median(e->times, job->times);
    return RS_OK;
}

static rs_status run(rg_group *group, const rg_job *job, rs_arena *arena, rs_error *error,
                     rg_result *result) {
    rs_arena scratch; /* the arrays are gone when the run is over */
    rs_arena_init(&scratch, group->host);
    scratch.limit_bytes = arena->limit_bytes;
    cpu_execution e = {.job = job, .host = group->host, .n_ranks = group->n_ranks};
    e.elem_bytes = (size_t)rs_dtype_bytes(job->dtype);
    e.result = result;
    const rs_status status = execute(&e, &scratch, error);
    rs_arena_free(&scratch);
    return status;
}

static void close(rg_group *group) {
    free(group);
}

const rg_backend rg_cpu = {"cpu", available, open, run, close};
