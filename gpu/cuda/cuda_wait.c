/* cuda_wait.c: waits until the GPUs are idle, but not for ever; and finds the ranks that hang.
 *
 *     launched --> poll, poll, poll ... --> idle
 *                    |  cancelled, or too long: stop = 1 --> blocks that wait give up --> idle, or lost
 *
 *   - The host polls the streams, at first without a pause: the clock stops when the last one is idle,
 *     and would count a pause, too.
 *   - A person may cancel at any time; after that the GPUs are idle and the memory can be freed.
 *   - In kernel variants 4 and 5 the flags show who hangs: each rank's count says which task it has not done,
 *     and that task's waits say for whom.
 */
#include "cuda/cuda.h"

#include <stdio.h>

enum {
    EAGER_MS = 20,   /* so long without a pause */
    PAUSE_US = 50,   /* then this long between two looks: 0.25 % of what has passed, at most */
    ASK_MS = 50,     /* the person in front, so often */
    GRACE_MS = 2000, /* for blocks to obey `stop` */
};

bool rg_told_to_stop(rg_cuda_job *work) {
    if (rs_go_on(work->gpus->group.host, "running", work->n_done, work->n_all)) return false;
    work->cancelled = true;
    rg_cuda_trouble(work->gpus, RS_CANCELLED, "cancelled");
    return true;
}

/* The GPUs still at work, as bits; an error of one ends its work, too. */
static uint64_t at_work(rg_cuda_job *work, bool *failed) {
    uint64_t busy = 0;
    for (int i = 0; i < work->gpus->n; i++) {
        const cudaError_t code = cudaStreamQuery(work->gpus->list[i].stream);
        if (code == cudaErrorNotReady) {
            busy |= (uint64_t)1 << i;
        } else if (!rg_cuda_ok(work->gpus, i, code, "the run")) {
            *failed = true;
        }
    }
    return busy;
}

/* ------------------------------------------------------------------ who hangs */

/* The tiles side by side of which this is the first. */
static int32_t n_beside_of(const rg_cuda_job *work, int32_t tile) {
    return work->tiles - tile < work->lanes ? work->tiles - tile : work->lanes;
}

/* What all warps of a rank's blocks have come to in this run, as flags count. */
static int32_t least_count(const rg_cuda_job *work, int32_t rank) {
    const uint32_t before = (work->n_runs - 1) * (uint32_t)work->tiles * (uint32_t)work->most_tasks;
    const int32_t n_flags = work->slices * RG_WARPS;
    int32_t least = INT32_MAX;
    for (int32_t i = 0; i < n_flags; i++) {
        const int32_t count = (int32_t)(work->flags[rank * n_flags + i] - before);
        if (count < least) least = count;
    }
    return least < 0 ? 0 : least;
}

/* "rank 1 does not end step 2", or, where it waits for another: "rank 2 waits in step 3 for rank 1". Tiles side by side
   count together: of each task that of all, one after another (kernels.cu). */
static int say_rank(const rg_cuda_job *work, int32_t rank, bool waiting, char *out, size_t n_out) {
    const rg_plan *plan = work->plan;
    const int32_t n_tasks = plan->task_first[rank + 1] - plan->task_first[rank];
    const int32_t count = least_count(work, rank), a_group = work->lanes * work->most_tasks;
    int32_t tile = count > 0 ? (count - 1) / a_group * work->lanes : 0;
    int32_t done = count - tile * work->most_tasks;
    if (done == n_tasks * n_beside_of(work, tile)) tile += work->lanes, done = 0;
    if (n_tasks == 0 || tile >= work->tiles) return 0;
    const int32_t n_beside = n_beside_of(work, tile);
    const rg_task *task = &plan->tasks[plan->task_first[rank] + done / n_beside];
    const rg_move *move = &plan->moves[task->first_move];
    char place[32];
    snprintf(place, sizeof place, move->transfer >= 0 ? "step %d" : "round %d",
             (int)(move->transfer >= 0 ? plan->steps[move->transfer] : move->round));
    for (int32_t i = 0; i < task->n_waits; i++) {
        const rg_wait *wait = &plan->waits[task->first_wait + i];
        const int32_t enough =
            tile * work->most_tasks + (wait->n_tasks - 1) * n_beside + done % n_beside + 1;
        if (least_count(work, wait->rank) >= enough) continue;
        return !waiting ? 0
                        : snprintf(out, n_out, "; rank %d waits in %s for rank %d", (int)rank,
                                   place, (int)wait->rank);
    }
    return waiting ? 0 : snprintf(out, n_out, "; rank %d does not end %s", (int)rank, place);
}

/* Brings the flags here, past whatever may still run; false: they do not come. */
static bool read_flags(rg_cuda_job *work) {
    const rg_gpus *gpus = work->gpus;
    const int64_t until_ps = rg_now_ps() + GRACE_MS * RG_MS_PS;
    if (work->flags_in_host) return true;
    cudaSetDevice(gpus->list[0].device);
    cudaError_t code = cudaSuccess;
    for (int i = 0; i < gpus->n && code == cudaSuccess; i++) { /* each rank's from where it lives */
        const size_t a_rank = rg_flags_bytes(work) / (size_t)work->plan->n_ranks;
        const size_t at = a_rank * (size_t)gpus->list[i].first_rank / sizeof *work->flags;
        code = cudaMemcpyAsync(work->flags + at, work->parts[i].whole.done + at,
                               a_rank * (size_t)gpus->list[i].n_ranks, cudaMemcpyDeviceToHost,
                               gpus->spare);
    }
    if (code == cudaSuccess) code = cudaErrorNotReady;
    while (code == cudaErrorNotReady && rg_now_ps() < until_ps) {
        code = cudaStreamQuery(gpus->spare);
        if (code == cudaErrorNotReady) rg_nap_us(PAUSE_US);
    }
    cudaGetLastError();
    return code == cudaSuccess;
}

/* Names the ranks first that keep others waiting. */
static void say_ranks(rg_cuda_job *work, char *out, size_t n_out) {
    enum { MOST = 4 };
    int told = 0;
    for (int waiting = 0; waiting < 2; waiting++) {
        for (int32_t rank = 0; rank < work->plan->n_ranks && told < MOST; rank++) {
            const int length = say_rank(work, rank, waiting == 1, out, n_out);
            if (length <= 0 || (size_t)length >= n_out) continue;
            out += length;
            n_out -= (size_t)length;
            told++;
        }
    }
}

/* Says what did not come to an end: of the GPUs that hung those that were not even stopped, if any. */
static void say_hang(rg_cuda_job *work, uint64_t hung, uint64_t not_stopped, const char *ranks) {
    const rg_gpus *gpus = work->gpus;
    const uint64_t guilty = not_stopped != 0 ? not_stopped : hung;
    int gpu = 0;
    while (gpu < gpus->n - 1 && (guilty >> gpu & 1) == 0) gpu++;
    const rg_gpu *g = &gpus->list[gpu];
    const int timeout_ms = rg_timeout_ms(work->job->timeout_ms);
    rg_cuda_trouble(work->gpus, RS_UNSUPPORTED,
                    "no answer within %g s: GPU %d (ranks %d..%d) is %s%s", timeout_ms / 1000.0,
                    g->device, (int)g->first_rank, (int)(g->first_rank + g->n_ranks - 1),
                    not_stopped != 0 ? "at work and cannot be stopped" : "still at work", ranks);
}

/* ------------------------------------------------------------------ waiting */

/* Blocks that wait give up, blocks that compute end by themselves. Returns the GPUs that do neither. */
static uint64_t stop_all(rg_cuda_job *work) {
    const int64_t until_ps = rg_now_ps() + GRACE_MS * RG_MS_PS;
    bool failed = false;
    uint64_t busy;
    *(volatile int *)&work->gpus->board->stop = 1;
    while ((busy = at_work(work, &failed)) != 0 && rg_now_ps() < until_ps) rg_nap_us(PAUSE_US);
    work->gpus->busy = work->gpus->busy || busy != 0;
    return busy;
}

/* Reads the flags first: blocks that see `stop` go on, and count, as if they had not waited. */
static void give_up(rg_cuda_job *work, uint64_t hung) {
    char ranks[224] = "";
    if (work->flags != NULL && work->n_runs > 0 && read_flags(work)) {
        say_ranks(work, ranks, sizeof ranks);
    }
    const uint64_t not_stopped = stop_all(work);
    say_hang(work, hung, not_stopped, ranks);
}

bool rg_wait_idle(rg_cuda_job *work) {
    const int64_t start_ps = rg_now_ps();
    int64_t ask_ps = start_ps + ASK_MS * RG_MS_PS;
    bool failed = false;
    uint64_t busy;
    while ((busy = at_work(work, &failed)) != 0 && !failed) {
        const int64_t now_ps = rg_now_ps();
        if (now_ps > work->deadline_ps) {
            give_up(work, busy);
            return false;
        }
        if (now_ps > ask_ps) {
            ask_ps = now_ps + ASK_MS * RG_MS_PS;
            if (rg_told_to_stop(work)) break;
        }
        if (now_ps - start_ps > EAGER_MS * RG_MS_PS) rg_nap_us(PAUSE_US);
    }
    if (failed || work->cancelled) stop_all(work);
    return !failed && !work->cancelled;
}
