/* cuda_memory.c: the ranks' arrays on the GPUs, between guards.
 *
 *     rank r   TARGET   | guard | offset | data .......... | guard |     is reduced
 *              SOURCE   | guard | offset | data .......... | guard |     what the rank starts with
 *              BESIDE   | guard | offset | data .......... | guard |     room aside, if the plan needs it
 *
 *   - Each array is an allocation of its own, so that a tool that watches memory sees every step
 *     beyond. They lie on the GPU of their rank; where a GPU cannot read what its ranks need, all lie
 *     in mapped memory of the host.
 *   - In place the source is not shown to the kernels: the target is restored from it before each run.
 *   - Uploads go through the GPU's own stream: cudaMemcpy may return before the bytes have arrived, and
 *     kernels of a stream that is not blocking do not wait for them.
 *   - It looks before it allocates. A look is no promise, other programs run too: cudaMalloc decides.
 */
#include "cuda/cuda.h"

/* ------------------------------------------------------------------ is there room? */

/* Tells whether every GPU reads what the moves of its ranks need, and is told when it is there, or read. */
static bool all_reach(const rg_cuda_job *work) {
    const rg_gpus *gpus = work->gpus;
    for (int32_t i = 0; i < work->plan->n_moves && gpus->n > 1; i++) {
        const int by = rg_gpu_of(gpus, work->plan->moves[i].by);
        const int src = rg_gpu_of(gpus, work->plan->moves[i].src);
        if (!gpus->reaches[by * gpus->n + src] || !gpus->reaches[src * gpus->n + by]) return false;
    }
    return true;
}

static bool is_used(const rg_cuda_job *work, int store) {
    return store != RG_BESIDE || work->plan->has_aside;
}

/* Says what is needed and what there is, where it is not enough. */
static bool look(rg_cuda_job *work, int gpu) {
    enum { KEPT_FREE = 64 << 20 }; /* for streams, printf buffers and other programs */
    const rg_gpu *g = &work->gpus->list[gpu];
    const rg_plan *plan = work->plan;
    size_t free_bytes, all_bytes;
    if (!rg_cuda_on(work->gpus, gpu) ||
        !RG_CUDA(work->gpus, gpu, cudaMemGetInfo(&free_bytes, &all_bytes))) {
        return false;
    }
    const double arrays = work->in_host ? 0 : 2 + plan->has_aside;
    const double n_turns = (double)plan->n_moves + (work->variant < 4 ? 0 : plan->n_waits / 2);
    const double plan_bytes =
        (double)sizeof(rg_turn) * n_turns / work->gpus->n +
        (work->variant == RG_BY_LINES ? (double)rg_plan_traffic(plan, work->job) /* at most */
                                      : 0) +
        (work->job->trace ? 16.0 * (double)plan->n_transfers : 0);
    const double needed = arrays * g->n_ranks * (double)work->block_bytes + plan_bytes;
    if (needed + KEPT_FREE <= (double)free_bytes || needed < KEPT_FREE) return true;
    return rg_cuda_trouble(
        work->gpus, RS_NO_MEMORY,
        "GPU %d, %s, has %.2f GiB free of %.2f; %d ranks need %.2f GiB on it; take smaller sizes",
        g->device, g->name, (double)free_bytes / 0x1p30, (double)all_bytes / 0x1p30,
        (int)g->n_ranks, needed / 0x1p30);
}

/* ------------------------------------------------------------------ the arrays */

/* Uploads what rank r starts with, guards and all, into each of its arrays. */
static bool upload(rg_cuda_job *work, int32_t r) {
    const rg_array *host = &work->host[r];
    const int gpu = rg_gpu_of(work->gpus, r);
    for (int store = 0; store < RG_N_STORES; store++) {
        if (!is_used(work, store)) continue;
        char *block = rg_take(work, gpu, work->block_bytes, work->in_host);
        if (block == NULL ||
            !RG_CUDA(work->gpus, gpu,
                     cudaMemcpyAsync(block, host->block, work->block_bytes, cudaMemcpyDefault,
                                     work->gpus->list[gpu].stream))) {
            return false;
        }
        work->blocks[store][r] = block;
    }
    return true;
}

static bool make_host_arrays(rg_cuda_job *work) {
    const size_t n = (size_t)work->gpus->group.n_ranks;
    rs_error error = {.text = ""};
    rs_status status = rg_judge_new(work->job, RG_WINDOW_BYTES, work->arena, &error, &work->judge);
    work->host = rs_alloc(work->arena, n, sizeof *work->host);
    work->data = rs_alloc(work->arena, n, sizeof *work->data);
    work->counts = rs_alloc(work->arena, n, sizeof *work->counts);
    work->intact = rs_alloc(work->arena, n, sizeof *work->intact);
    for (int store = 0; store < RG_N_STORES; store++) {
        work->blocks[store] = rs_alloc(work->arena, n, sizeof(char *));
    }
    if (status == RS_OK && work->arena->lacked) status = RS_NO_MEMORY;
    for (size_t r = 0; r < n && status == RS_OK; r++) {
        status = rg_array_new(work->job, work->job->count, work->arena, &error, &work->host[r]);
        work->data[r] = work->host[r].data;
    }
    if (status == RS_OK) return true;
    return rg_cuda_trouble(work->gpus, status, "%s",
                           error.text[0] != '\0' ? error.text : "no memory for the arrays");
}

bool rg_memory_take(rg_cuda_job *work) {
    const rg_gpus *gpus = work->gpus;
    const int32_t n = gpus->group.n_ranks;
    work->most_taken = RG_N_STORES * n + 16 * gpus->n + 16;
    work->taken = rs_alloc(work->arena, (size_t)work->most_taken, sizeof *work->taken);
    if (work->taken == NULL) {
        return rg_cuda_trouble(work->gpus, RS_NO_MEMORY, "no memory for %d ranks", (int)n);
    }
    const size_t elem_bytes = (size_t)rs_dtype_bytes(work->job->dtype);
    work->before = RG_GUARD_BYTES + (size_t)work->job->offset * elem_bytes;
    work->block_bytes = work->before + (size_t)work->job->count * elem_bytes + RG_GUARD_BYTES;
    work->in_host = !all_reach(work);
    for (int i = 0; i < gpus->n; i++) {
        if (!look(work, i)) return false;
    }
    if (!make_host_arrays(work)) return false;
    if (!rg_fill_all(work->job, work->arena->host, work->data)) {
        return rg_cuda_trouble(work->gpus, RS_CANCELLED, "cancelled while filling the arrays");
    }
    for (int32_t r = 0; r < n; r++) {
        if (!upload(work, r)) return false;
    }
    return rg_device_plans_new(work);
}

/* ------------------------------------------------------------------ between the runs */

/* In place: what the rank starts with. Else: nothing that could pass for a result. */
bool rg_memory_restore(rg_cuda_job *work) {
    enum { JUNK = 0x5c };
    const size_t n_bytes = work->block_bytes - work->before - RG_GUARD_BYTES;
    for (int32_t r = 0; r < work->gpus->group.n_ranks; r++) {
        const int gpu = rg_gpu_of(work->gpus, r);
        cudaStream_t stream = work->gpus->list[gpu].stream;
        char *target = work->blocks[RG_TARGET][r] + work->before;
        const char *source = work->blocks[RG_SOURCE][r] + work->before;
        if (n_bytes == 0) continue;
        if (!rg_cuda_on(work->gpus, gpu)) return false;
        const bool made =
            work->job->in_place
                ? RG_CUDA(work->gpus, gpu,
                          cudaMemcpyAsync(target, source, n_bytes, cudaMemcpyDefault, stream))
                : RG_CUDA(work->gpus, gpu, cudaMemsetAsync(target, JUNK, n_bytes, stream));
        if (!made) return false;
    }
    return true;
}

/* Brings one array back over what this process has of it. */
static bool download(rg_cuda_job *work, int32_t r, int store) {
    const int gpu = rg_gpu_of(work->gpus, r);
    return rg_cuda_on(work->gpus, gpu) &&
           RG_CUDA(work->gpus, gpu,
                   cudaMemcpy(work->host[r].block, work->blocks[store][r], work->block_bytes,
                              cudaMemcpyDefault));
}

/* The target is judged by its elements (count_wrong), the source must hold what it held; of the room aside only the guards
   are judged. */
static void check_target(void *argument, int r) {
    rg_cuda_job *work = argument;
    work->intact[r] = rg_array_intact(&work->host[r]);
    work->crc32[r] = rg_sum_up(work->job, r, 0, work->job->count, work->data[r], 0);
}
static void check_source(void *argument, int r) {
    rg_cuda_job *work = argument;
    const rg_array *host = &work->host[r];
    work->intact[r] = work->intact[r] && rg_array_intact(host) &&
                      (host->n_bytes == 0 || rg_judge_kept(&work->judge, r, host->data));
}
static void check_aside(void *argument, int r) {
    rg_cuda_job *work = argument;
    work->intact[r] = work->intact[r] && rg_array_intact(&work->host[r]);
}

/* Judges one array of every rank: brings them all back, then looks at them side by side. */
static bool check_store(rg_cuda_job *work, int store, void (*check)(void *work, int rank)) {
    const int32_t n = work->gpus->group.n_ranks;
    if (!is_used(work, store)) return true;
    for (int32_t r = 0; r < n; r++) {
        if (!download(work, r, store)) return false;
    }
    rs_run_tasks(work->gpus->group.host, n, check, work);
    return true;
}

static bool count_wrong(rg_cuda_job *work, rg_result *result, int64_t *total) {
    const int32_t n = work->gpus->group.n_ranks;
    const rs_host *host = work->gpus->group.host;
    rs_error error = {.text = "no memory to judge"};
    const rs_status status =
        rg_judge_count(&work->judge, (const void *const *)work->data, host, &error, work->counts);
    if (status != RS_OK) return rg_cuda_trouble(work->gpus, status, "%s", error.text);
    *total = 0;
    for (int32_t r = 0; r < n; r++) {
        *total += work->counts[r];
        result->wrong[r] = result->wrong[r] || work->counts[r] > 0;
    }
    return true;
}

bool rg_memory_judge(rg_cuda_job *work, rg_result *result, int64_t *n_wrong) {
    const int32_t n = work->gpus->group.n_ranks;
    work->crc32 = result->crc32;
    if (!check_store(work, RG_TARGET, check_target) || !count_wrong(work, result, n_wrong) ||
        !check_store(work, RG_SOURCE, check_source) || !check_store(work, RG_BESIDE, check_aside)) {
        return false;
    }
    result->n_spoilt = 0;
    for (int32_t r = 0; r < n; r++) result->n_spoilt += !work->intact[r];
    return true;
}
