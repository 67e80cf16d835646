/* cpu.c: the reference as a backend: all ranks' arrays in this process, which rs_apply moves.
 *
 *     inputs (rg_fill) --> arrays --> rs_apply --> rs_count_wrong, which computes in another way
 *
 * It runs on every machine. It has no trace: the reference goes chunk by chunk, not step by step.
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
    if (made == NULL) return rs_fail(error, RS_NO_MEMORY, "no memory for a group");
    *made = (rg_group){&rg_cpu, host, setup->n_ranks, true, "one process, the reference"};
    *group = made;
    return RS_OK;
}

typedef struct cpu_execution {
    const rg_job *job;
    const rs_host *host;
    int32_t n_ranks;
    rg_array *sources; /* [N] the inputs, which a run must not change unless in place */
    rg_array *targets; /* [N] */
    void **inputs;     /* [N] a second copy, to judge by */
    void **ranks;      /* [N] the targets' data */
} cpu_execution;

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Leaves the rest as it is where the host says stop. */
static void copy(const cpu_execution *e, const void *from, const rg_array *to) {
    for (size_t at = 0; at < to->n_bytes && !rs_stopped(e->host); at += RG_PART_BYTES) {
        memcpy((char *)to->data + at, (const char *)from + at,
               least(to->n_bytes - at, RG_PART_BYTES));
    }
}

static rs_status prepare(cpu_execution *e, rs_arena *arena, rs_error *error) {
    const size_t n = (size_t)e->n_ranks;
    e->sources = rs_alloc(arena, n, sizeof *e->sources);
    e->targets = rs_alloc(arena, n, sizeof *e->targets);
    e->ranks = rs_alloc(arena, n, sizeof *e->ranks);
    if (e->sources == NULL || e->targets == NULL || e->ranks == NULL) {
        return rs_fail(error, RS_NO_MEMORY, "no memory for %d ranks", (int)e->n_ranks);
    }
    rs_status status = rg_inputs_new(e->job, arena, error, &e->inputs);
    for (size_t r = 0; r < n && status == RS_OK; r++) {
        status = rg_array_new(e->job, arena, error, &e->targets[r]);
        e->ranks[r] = e->targets[r].data;
        if (status != RS_OK || e->job->in_place) continue;
        status = rg_array_new(e->job, arena, error, &e->sources[r]);
        if (status == RS_OK) copy(e, e->inputs[r], &e->sources[r]);
    }
    return status;
}

static void copy_all(const cpu_execution *e) {
    for (int32_t r = 0; r < e->n_ranks; r++) {
        copy(e, e->job->in_place ? e->inputs[r] : e->sources[r].data, &e->targets[r]);
    }
}

/* Runs once. The time includes the copy, unless in place. */
static rs_status run_once(const cpu_execution *e, int32_t run, rs_error *error, int64_t *time_ps) {
    const rg_job *job = e->job;
    const bool flips = job->flip_rank >= 0 && (job->flip_run == 0 || job->flip_run == run + 1);
    const rs_fault flip = {.kind = RS_FLIP, .rank = job->flip_rank, .step = job->flip_step};
    const rs_apply_options options = {
        .until_step = job->schedule->n_steps, .faults = &flip, .n_faults = flips};
    if (job->in_place) copy_all(e);
    const int64_t start_ps = rg_now_ps();
    if (!job->in_place) copy_all(e);
    const rs_status status = rs_apply(job->schedule, job->dtype, job->op, job->count, e->ranks,
                                      &options, e->host, error);
    *time_ps = rg_now_ps() - start_ps;
    return status;
}

/* The checksum of a rank's result; after the last run the source must be what it was. */
static rs_status sum_up(const cpu_execution *e, int32_t rank, rs_error *error, bool *intact,
                        uint32_t *crc32) {
    const rg_array *target = &e->targets[rank];
    *crc32 = 0;
    for (size_t at = 0, n; at < target->n_bytes; at += n) {
        const int64_t done = rank * (int64_t)target->n_bytes + (int64_t)at;
        n = least(target->n_bytes - at, RG_PART_BYTES);
        if (!rs_go_on(e->host, "summing up the results", done,
                      e->n_ranks * (int64_t)target->n_bytes)) {
            return rs_fail(error, RS_CANCELLED, "cancelled while summing up the results");
        }
        *crc32 = rs_crc32(*crc32, (const char *)target->data + at, n);
        if (e->job->in_place) continue;
        *intact = *intact && memcmp((const char *)e->sources[rank].data + at,
                                    (const char *)e->inputs[rank] + at, n) == 0;
    }
    return RS_OK;
}

/* Judges one run. n_wrong: [N], room. */
static rs_status judge(const cpu_execution *e, int32_t run, int64_t n_wrong[], rs_error *error,
                       rg_result *result) {
    const rg_job *job = e->job;
    int64_t wrong = 0;
    rs_status status = rs_count_wrong(job->schedule, job->dtype, job->op, job->count,
                                      (const void *const *)e->inputs, (const void *const *)e->ranks,
                                      e->host, error, n_wrong);
    for (int32_t r = 0; r < e->n_ranks && status == RS_OK; r++) {
        bool intact = true;
        wrong += n_wrong[r];
        result->wrong[r] = result->wrong[r] || n_wrong[r] > 0;
        status = sum_up(e, r, error, &intact, &result->crc32[r]);
        if (run + 1 < job->times) continue;
        intact = intact && rg_array_intact(&e->targets[r]);
        if (!job->in_place) intact = intact && rg_array_intact(&e->sources[r]);
        result->n_spoilt += !intact;
    }
    if (status == RS_OK) rg_count_run(result, run + 1, wrong);
    return status;
}

static rs_status execute(cpu_execution *e, rs_arena *arena, rs_error *error, rg_result *result) {
    const rg_job *job = e->job;
    int64_t *times = rs_alloc(arena, (size_t)job->times, sizeof *times);
    int64_t *n_wrong = rs_alloc(arena, (size_t)e->n_ranks, sizeof *n_wrong);
    if (times == NULL || n_wrong == NULL) {
        return rs_fail(error, RS_NO_MEMORY, "no memory for the times");
    }
    rs_status status = prepare(e, arena, error);
    for (int32_t i = -job->warmup; i < job->times && status == RS_OK; i++) {
        int64_t time_ps;
        status = run_once(e, i, error, &time_ps);
        if (i >= 0) times[i] = time_ps;
        if (status == RS_OK && rg_is_judged(job, i)) status = judge(e, i, n_wrong, error, result);
    }
    if (status == RS_OK) result->time_ps = rg_median(times, job->times);
    return status;
}

static rs_status run(rg_group *group, const rg_job *job, rs_arena *arena, rs_error *error,
                     rg_result *result) {
    rs_arena scratch; /* the arrays are gone when the run is over */
    rs_arena_init(&scratch, group->host);
    scratch.limit_bytes = arena->limit_bytes;
    cpu_execution e = {.job = job, .host = group->host, .n_ranks = group->n_ranks};
    const rs_status status = execute(&e, &scratch, error, result);
    rs_arena_free(&scratch);
    return status;
}

static void close(rg_group *group) {
    free(group);
}

const rg_backend rg_cpu = {"cpu", available, open, run, close};
