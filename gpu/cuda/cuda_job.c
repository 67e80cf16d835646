/* cuda_job.c: a whole job: matched, timed, traced, judged.
 *
 *     plan, arrays --> one run --> judged --> warmup --> timed runs --> judged --> traced run --> judged
 *                                    |            (the last, or each)
 *                                    |  wrong: nothing is timed; the time is that one run's
 *
 *   - The clock is the host's, from the launch until the last GPU is idle: so long the caller of an
 *     all-reduce waits, on one GPU and on several, and the other backends measure the same.
 *     (Events would leave out the launches, which are what the ladder is about.)
 *   - In place the host restores the inputs before the clock starts. From one array to another the plan reads
 *     the inputs where they are.
 */
#include "cuda/cuda.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ one run */

static void begin_deadline(rg_cuda_job *work) {
    work->deadline_ps = rg_now_ps() + rg_timeout_ms(work->job->timeout_ms) * RG_MS_PS;
}

static bool note_time(rg_cuda_job *work, cudaEvent_t event) {
    return event == NULL ||
           RG_CUDA(work->gpus, 0, cudaEventRecord(event, work->gpus->list[0].stream));
}

/* false: cancelled, or the kernels failed. */
static bool run_once(rg_cuda_job *work, int64_t *time_ps) {
    rg_gpus *gpus = work->gpus;
    if (rg_told_to_stop(work)) return false;
    begin_deadline(work);
    work->running = true;
    if (!rg_memory_restore(work) || !rg_wait_idle(work)) return false;
    gpus->board->stop = 0;
    begin_deadline(work);
    const int64_t start_ps = rg_now_ps();
    const bool launched =
        note_time(work, work->began) && rg_ladder_launch(work) && note_time(work, work->ended);
    if (!launched) gpus->board->stop = 1; /* else the first GPU would wait for the second */
    const bool idle = rg_wait_idle(work);
    *time_ps = rg_now_ps() - start_ps;
    work->running = !launched || !idle;
    work->n_done++;
    return launched && idle;
}

/* Runs that are timed by the GPU's events: they count neither the launch's way to the GPU nor the host's
   look at it. Apart from the others, whose launches they would delay. */
static bool run_by_events(rg_cuda_job *work, int64_t *times, rg_result *result) {
    rg_gpus *gpus = work->gpus;
    bool good = rg_cuda_on(gpus, 0) &&
                RG_CUDA(gpus, 0, cudaEventCreateWithFlags(&work->began, cudaEventDefault)) &&
                RG_CUDA(gpus, 0, cudaEventCreateWithFlags(&work->ended, cudaEventDefault));
    for (int32_t i = 0; i < work->job->times && good; i++) {
        int64_t host_ps;
        float ms = 0;
        good = run_once(work, &host_ps) &&
               RG_CUDA(gpus, 0, cudaEventElapsedTime(&ms, work->began, work->ended));
        times[i] = (int64_t)((double)ms * 1e9);
    }
    if (work->began != NULL && !gpus->busy) cudaEventDestroy(work->began);
    if (work->ended != NULL && !gpus->busy) cudaEventDestroy(work->ended);
    work->began = work->ended = NULL;
    if (good) result->device_ps = rg_median(times, work->job->times);
    return good;
}

static bool run_timed(rg_cuda_job *work, rg_result *result) {
    const rg_job *job = work->job;
    int64_t *times = rs_alloc(work->arena, (size_t)job->times, sizeof *times), time_ps, n_wrong;
    if (times == NULL) return rg_cuda_trouble(work->gpus, RS_NO_MEMORY, "no memory for the times");
    const int64_t until_ps = rg_now_ps() + job->warmup_ms * RG_MS_PS;
    for (int32_t i = -job->warmup; i < 0 || rg_now_ps() < until_ps; i++) {
        if (!run_once(work, &time_ps)) return false;
    }
    for (int32_t i = 0; i < job->times; i++) {
        if (!run_once(work, &times[i])) return false;
        if (!rg_is_judged(job, i)) continue;
        if (!rg_memory_judge(work, result, &n_wrong)) return false;
        rg_count_run(result, i + 1, n_wrong);
    }
    result->time_ps = rg_median(times, job->times);
    if (!job->device_clock || work->gpus->n > 1) return true;
    return run_by_events(work, times, result);
}

/* A run that is not timed. A wrong result stays wrong: a later run that is right by luck does not make up
   for it. */
static bool judge(rg_cuda_job *work, rg_result *result) {
    int64_t n_wrong;
    if (result->n_wrong > 0 || result->n_spoilt > 0) return true;
    if (!rg_memory_judge(work, result, &n_wrong)) return false;
    result->n_wrong += n_wrong;
    return true;
}

static bool run_traced(rg_cuda_job *work, rs_arena *arena, rg_result *result, int64_t *time_ps) {
    rs_error error = {.text = ""};
    if (!rg_trace_ready(work) || !rg_ladder_ready(work) || !run_once(work, time_ps)) return false;
    const rs_status status = rg_trace_read(work, arena, &error, &result->trace);
    if (status != RS_OK) return rg_cuda_trouble(work->gpus, status, "%s", error.text);
    return judge(work, result);
}

/* ------------------------------------------------------------------ a whole job */

/* Adds what the reader should know to what is said already. */
RS_PRINTF(2, 3)
static void remark(rg_result *result, const char *format, ...) {
    va_list arguments;
    size_t n = strlen(result->note);
    if (n > 0) n += (size_t)snprintf(result->note + n, sizeof result->note - n, "; ");
    va_start(arguments, format);
    vsnprintf(result->note + n, sizeof result->note - n, format, arguments);
    va_end(arguments);
}

/* The gravest first. */
static void write_note(const rg_cuda_job *work, int64_t traced_ps, rg_result *result) {
    const int n = work->gpus->group.n_ranks, n_gpus = work->gpus->n;
    if (work->in_host)
        remark(result, "the GPUs cannot reach each other: all arrays lie in the host's memory");
    if (work->why_not[0] != '\0')
        remark(result, "kernel %d: %s", (int)work->variant, work->why_not);
    if (work->tiles > 1) remark(result, "%d tiles", (int)work->tiles);
    if (traced_ps > 0) remark(result, "the traced run took %.1f us", (double)traced_ps / 1e6);
    if (n_gpus < n) remark(result, "%d ranks share %d GPU%s", n, n_gpus, n_gpus == 1 ? "" : "s");
}

static bool prepare(rg_cuda_job *work, rg_result *result) {
    rs_error error = {.text = ""};
    work->parts = rs_alloc(work->arena, (size_t)work->gpus->n, sizeof *work->parts);
    if (work->parts == NULL) return rg_cuda_trouble(work->gpus, RS_NO_MEMORY, "no memory");
    const rs_status status = rg_plan_new(work->job, work->arena, &error, &work->plan);
    if (status != RS_OK) return rg_cuda_trouble(work->gpus, status, "%s", error.text);
    result->traffic_bytes = rg_plan_traffic(work->plan, work->job);
    result->n_rounds = work->plan->n_rounds;
    return rg_ladder_choose(work) && rg_memory_take(work) && rg_ladder_ready(work);
}

static bool execute(rg_cuda_job *work, rs_arena *arena, rg_result *result) {
    int64_t traced_ps = 0;
    if (!prepare(work, result) || !run_once(work, &result->time_ps) || !judge(work, result))
        return false;
    if (result->n_wrong == 0 && !run_timed(work, result)) return false;
    if (work->job->trace && !run_traced(work, arena, result, &traced_ps)) return false;
    write_note(work, traced_ps, result);
    return true;
}

/* Turns the trouble into what rg_group_run tells. */
static rs_status tell(rg_cuda_job *work, rs_error *error, rg_result *result) {
    rg_gpus *gpus = work->gpus;
    const rs_status status = gpus->status;
    if (status != RS_CANCELLED && work->running) gpus->lost = true;
    if (gpus->busy) gpus->lost = true;
    if (status != RS_CANCELLED && gpus->lost) {
        result->completed = false;
        snprintf(result->failure, sizeof result->failure, "%.319s", gpus->trouble.text);
        return RS_OK;
    }
    rs_fail(error, status, "%s", gpus->trouble.text);
    if (!gpus->lost) gpus->status = RS_OK; /* the next job begins anew */
    return status;
}

rs_status rg_cuda_run(rg_group *group, const rg_job *job, rs_arena *arena, rs_error *error,
                      rg_result *result) {
    assert(job->times >= 1);
    rg_gpus *gpus = (rg_gpus *)group;
    if (gpus->lost) {
        return rs_fail(error, RS_UNSUPPORTED, "a run failed before; this group can only be closed");
    }
    rs_arena scratch;
    rs_arena_init(&scratch, group->host);
    rg_cuda_job work = {.gpus = gpus, .job = job, .arena = &scratch};
    work.n_all = 1 + job->warmup + job->times * (1 + job->device_clock) + job->trace;
    const bool made = execute(&work, arena, result);
    rg_ladder_end(&work);
    rg_memory_give_back(&work);
    const rs_status status = made ? RS_OK : tell(&work, error, result);
    rs_arena_free(&scratch);
    return status;
}
