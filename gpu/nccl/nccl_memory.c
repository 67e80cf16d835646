/* nccl_memory.c: a job's arrays on the GPU, with their guards, up and down.
 *
 *     host:  | guard | source | guard |   --- up, once --->   GPU:  | guard | source | guard |
 *                                                                        | copy, each run
 *            | guard | target | guard |   <-- down, judged ---      | guard | target | guard |
 */
#include "nccl/nccl_world.h"

static size_t block_bytes(const rg_array *array) {
    return array->before + array->n_bytes + RG_GUARD_BYTES;
}

static bool put_up(rg_nccl_world *w, rg_nccl_buffers *store, int which, const rg_array *from) {
    if (from->block == NULL) return true;
    char **block = &store->blocks[which];
    if (!RG_CUDA(w, cudaMalloc((void **)block, block_bytes(from))) ||
        !RG_CUDA(w, cudaMemcpyAsync(*block, from->block, block_bytes(from), cudaMemcpyHostToDevice,
                                    w->stream))) { /* on the stream: what follows comes after it */
        return false;
    }
    store->data[which] = *block + from->before;
    return true;
}

bool rg_nccl_bring(rg_nccl_world *w, const rg_nccl_buffers *store, int which, const rg_array *to) {
    return RG_CUDA(
        w, cudaMemcpy(to->block, store->blocks[which], block_bytes(to), cudaMemcpyDeviceToHost));
}

/* The first call about a kernel loads it, and that may wait for the GPU to be idle: not in a run, where
   a message may be waiting there for another rank. A GPU that the build has no code for shows here. */
static bool load_kernel(rg_nccl_world *w, rg_nccl_buffers *store, const rg_job *job) {
    int blocks = 0;
    if (!RG_CUDA(w, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                        &blocks, rg_kernel_of(RG_PIECE, job->dtype, job->op), RG_THREADS, 0))) {
        return false;
    }
    store->most_blocks = (int64_t)(blocks > 0 ? blocks : 1) * (w->n_sms > 0 ? w->n_sms : 1);
    return true;
}

rs_status rg_nccl_prepare(rg_ranks *ranks, rg_rank_job *work, rs_arena *arena, rs_error *error) {
    rg_nccl_world *w = (rg_nccl_world *)ranks;
    const size_t room = (size_t)work->messages.room_bytes;
    rg_nccl_buffers *store = work->own = rs_alloc(arena, 1, sizeof *store);
    if (store == NULL) return rs_no_memory(error);
    const bool good =
        load_kernel(w, store, work->job) && put_up(w, store, RG_SOURCE, &work->source) &&
        put_up(w, store, RG_TARGET, &work->target) && put_up(w, store, RG_ORACLE, &work->oracle) &&
        (room == 0 || RG_CUDA(w, cudaMalloc((void **)&work->room, room))) &&
        rg_nccl_window_new(w, work, arena);
    work->array = store->data[RG_TARGET];
    return good ? RS_OK : rg_nccl_refuse(w, error);
}

void rg_nccl_release(rg_ranks *ranks, rg_rank_job *work) {
    (void)ranks;
    rg_nccl_buffers *store = work->own;
    if (store == NULL) return;
    for (int i = 0; i < RG_N_ARRAYS; i++) cudaFree(store->blocks[i]);
    cudaFree(work->room);
    rg_nccl_window_end(store->window);
}

bool rg_nccl_copy(rg_ranks *ranks, rg_rank_job *work, rg_range range) {
    rg_nccl_world *w = (rg_nccl_world *)ranks;
    const rg_nccl_buffers *store = work->own;
    const int64_t elem_bytes = rs_dtype_bytes(work->job->dtype), skipped = range.first * elem_bytes;
    return range.n == 0 || RG_CUDA(w, cudaMemcpyAsync(store->data[RG_TARGET] + skipped,
                                                      store->data[RG_SOURCE] + skipped,
                                                      (size_t)(range.n * elem_bytes),
                                                      cudaMemcpyDeviceToDevice, w->stream));
}

/* No run is under way: the last one has ended, or its ranks are stuck. */
bool rg_nccl_fetch(rg_ranks *ranks, rg_rank_job *work) {
    rg_nccl_world *w = (rg_nccl_world *)ranks;
    const rg_nccl_buffers *store = work->own;
    return rg_nccl_bring(w, store, RG_TARGET, &work->target) &&
           rg_nccl_bring(w, store, RG_SOURCE, &work->source) && rg_nccl_log_times(w, work);
}
