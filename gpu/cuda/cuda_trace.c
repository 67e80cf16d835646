/* cuda_trace.c: when each transfer ran, as if one clock had seen it all.
 *
 *     each GPU:   starts[t] = its first block began      ends[t] = its last block ended    (ns, %globaltimer)
 *     host        | asked .. GPU's clock .. answered |   the quickest of some tells how far it is ahead
 *
 *   - The receiver pulls a transfer, so the receiver's GPU logs it.
 *   - Logging takes time, two atomic operations a block and move: the trace has a run of its own, after
 *     the timed ones.
 *   - The receiver adds each element as it arrives: a transfer is done when it ends.
 *   - The first start is time 0.
 */
#include "cuda/cuda.h"

#include <limits.h>

enum { N_READINGS = 16 };
#define UNSEEN INT64_MIN

/* Reads the GPU's clock once: by how much it is ahead of the host's, and how wide the bracket was. */
static bool read_clock(rg_cuda_job *work, int gpu, int64_t *ahead_ns, int64_t *width_ns) {
    rg_gpus *gpus = work->gpus;
    rg_board *seen = rg_as_seen_by(work, gpu, gpus->board, true);
    if (seen == NULL) return false;
    unsigned long long *place = &seen->clock;
    void *arguments[] = {&place};
    const dim3 one = {1, 1, 1};
    work->deadline_ps = rg_now_ps() + RG_DEFAULT_TIMEOUT_MS * RG_MS_PS;
    const int64_t before_ns = rg_now_ps() / 1000;
    if (!RG_CUDA(gpus, gpu,
                 cudaLaunchKernel(rg_kernel_of_clock(), one, one, arguments, 0,
                                  gpus->list[gpu].stream)) ||
        !rg_wait_idle(work)) {
        return false;
    }
    const int64_t after_ns = rg_now_ps() / 1000;
    const int64_t there_ns = (int64_t) * (volatile unsigned long long *)&gpus->board->clock;
    *ahead_ns = there_ns - (before_ns + (after_ns - before_ns) / 2);
    *width_ns = after_ns - before_ns;
    return true;
}

static bool read_clocks(rg_cuda_job *work, int64_t ahead_ns[]) {
    for (int i = 0; i < work->gpus->n; i++) {
        int64_t least_ns = INT64_MAX;
        for (int k = 0; k < N_READINGS && work->gpus->n > 1; k++) {
            int64_t ahead, width_ns;
            if (!read_clock(work, i, &ahead, &width_ns)) return false;
            if (width_ns >= least_ns) continue;
            least_ns = width_ns;
            ahead_ns[i] = ahead;
        }
    }
    return true;
}

bool rg_trace_ready(rg_cuda_job *work) {
    const int64_t n = work->plan->n_transfers;
    for (int i = 0; i < work->gpus->n; i++) {
        rg_device_plan *part = &work->parts[i];
        cudaStream_t stream = work->gpus->list[i].stream;
        const size_t n_bytes = (size_t)n * sizeof *part->seen;
        part->seen = rg_take(work, i, 2 * n_bytes, false); /* zeros: for ends */
        if (part->seen == NULL ||
            (n > 0 &&
             !RG_CUDA(work->gpus, i, cudaMemsetAsync(part->seen, 0xff, n_bytes, stream)))) {
            return false;
        }
        part->whole.field.starts = part->seen;
        part->whole.field.ends = part->seen + n;
    }
    return true;
}

/* Reads what the GPU of each receiver saw. */
static bool read_items(rg_cuda_job *work, const int64_t ahead_ns[], unsigned long long *seen,
                       rs_trace *trace) {
    const rg_plan *plan = work->plan;
    const int64_t n = plan->n_transfers;
    for (int i = 0; i < work->gpus->n; i++) {
        if (!rg_cuda_on(work->gpus, i) ||
            !RG_CUDA(work->gpus, i,
                     cudaMemcpy(seen, work->parts[i].seen, (size_t)(2 * n) * sizeof *seen,
                                cudaMemcpyDeviceToHost))) {
            return false;
        }
        for (int64_t t = 0; t < n; t++) {
            rs_timed *item = &trace->items[t];
            if (rg_gpu_of(work->gpus, plan->transfers[t].dst) != i) continue;
            *item = (rs_timed){.transfer = plan->transfers[t], .step = plan->steps[t]};
            if (seen[t] == ULLONG_MAX) {
                item->start_ps = item->end_ps = UNSEEN;
                continue;
            }
            item->start_ps = (int64_t)seen[t] - ahead_ns[i]; /* ns, until it is settled */
            item->end_ps = (int64_t)seen[n + t] - ahead_ns[i];
        }
    }
    return true;
}

static int64_t first_start(const rs_trace *trace) {
    int64_t first_ns = INT64_MAX;
    for (int64_t t = 0; t < trace->n_items; t++) {
        const rs_timed *item = &trace->items[t];
        if (item->start_ps != UNSEEN && item->start_ps < first_ns) first_ns = item->start_ps;
    }
    return first_ns;
}

/* Nanoseconds of some clock become picoseconds since the first start. Empty chunks move nothing and are
   not seen: they are over as soon as both ends have done their earlier steps. free_ps: [N] zeros. */
static void settle(rs_trace *trace, int64_t free_ps[]) {
    const int64_t first_ns = first_start(trace), n = trace->n_items;
    for (int64_t first = 0, end; first < n; first = end) { /* a step after the other */
        const int32_t step = trace->items[first].step;
        for (end = first; end < n && trace->items[end].step == step; end++) {
            rs_timed *item = &trace->items[end];
            const int64_t a = free_ps[item->transfer.src], b = free_ps[item->transfer.dst];
            const bool seen = item->start_ps != UNSEEN;
            item->start_ps = seen ? (item->start_ps - first_ns) * 1000 : a > b ? a : b;
            item->end_ps = seen ? (item->end_ps - first_ns) * 1000 : item->start_ps;
            if (item->end_ps < item->start_ps) item->end_ps = item->start_ps;
            item->done_ps = item->end_ps;
        }
        for (int64_t t = first; t < end; t++) {
            const rs_timed *item = &trace->items[t];
            int64_t *src = &free_ps[item->transfer.src], *dst = &free_ps[item->transfer.dst];
            if (item->end_ps > *src) *src = item->end_ps;
            if (item->end_ps > *dst) *dst = item->end_ps;
        }
    }
}

rs_status rg_trace_read(rg_cuda_job *work, rs_arena *arena, rs_error *error, rs_trace **trace) {
    const int64_t n = work->plan->n_transfers;
    int64_t ahead_ns[RG_MOST_GPUS] = {0};
    rs_trace *made;
    unsigned long long *seen = rs_alloc(work->arena, (size_t)(2 * n) + 1, sizeof *seen);
    int64_t *free_ps = rs_alloc(work->arena, (size_t)work->plan->n_ranks, sizeof *free_ps);
    if (seen == NULL || free_ps == NULL) return rs_no_memory(error);
    const rs_status status = rs_trace_new(n, arena, error, &made);
    if (status != RS_OK) return status;
    made->n_items = n;
    if (!read_clocks(work, ahead_ns) || !read_items(work, ahead_ns, seen, made)) {
        return rs_fail(error, work->gpus->status, "%s", work->gpus->trouble.text);
    }
    rs_trace_sort(made);
    settle(made, free_ps);
    *trace = made;
    return RS_OK;
}
