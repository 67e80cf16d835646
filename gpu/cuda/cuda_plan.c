/* cuda_plan.c: what each GPU holds of a job beside the arrays: the plan, and where the arrays are.
 *
 *     host: plan, blocks[][] --> GPU 0: moves tasks waits, targets[] sources[] asides[], flags
 *                            --> GPU 1: the same, as seen from there
 *
 *   - Every GPU has a copy of the plan: reading it over the wire before each move would cost more than
 *     the copies do.
 *   - The flags of kernel variants 4 and 5 exist once: on the first GPU, or in mapped memory of the host where not all
 *     GPUs reach it.
 */
#include "cuda/cuda.h"

/* Takes memory of the GPU and copies the bytes into it, before whatever its stream does next. */
static void *send(rg_cuda_job *work, int gpu, const void *bytes, size_t n_bytes) {
    void *there = rg_take(work, gpu, n_bytes, false);
    if (there == NULL || n_bytes == 0) return there;
    const bool sent = RG_CUDA(work->gpus, gpu,
                              cudaMemcpyAsync(there, bytes, n_bytes, cudaMemcpyHostToDevice,
                                              work->gpus->list[gpu].stream));
    return sent ? there : NULL;
}

/* Sends where the data of all ranks' arrays are, as this GPU sees them. */
static char **send_places(rg_cuda_job *work, int gpu, int store) {
    const int32_t n = work->gpus->group.n_ranks;
    char **places = rs_alloc(work->arena, (size_t)n, sizeof *places);
    if (places == NULL) {
        rg_cuda_trouble(work->gpus, RS_NO_MEMORY, "no memory for %d ranks", (int)n);
        return NULL;
    }
    for (int32_t r = 0; r < n; r++) {
        char *seen = rg_as_seen_by(work, gpu, work->blocks[store][r], work->in_host);
        if (seen == NULL) return NULL;
        places[r] = seen + work->before;
    }
    return send(work, gpu, places, (size_t)n * sizeof *places);
}

static bool send_field(rg_cuda_job *work, int gpu, rg_field *field) {
    const rg_job *job = work->job;
    *field = (rg_field){.count = job->count,
                        .n_chunks = job->schedule->n_chunks,
                        .n_ranks = work->gpus->group.n_ranks};
    field->targets = send_places(work, gpu, RG_TARGET);
    if (field->targets == NULL) return false;
    if (!job->in_place) {
        field->sources = (const char *const *)send_places(work, gpu, RG_SOURCE);
        if (field->sources == NULL) return false;
    }
    if (work->plan->has_aside) {
        field->asides = send_places(work, gpu, RG_BESIDE);
        if (field->asides == NULL) return false;
    }
    return true;
}

static bool send_plan(rg_cuda_job *work, int gpu, rg_device_plan *part) {
    const rg_plan *plan = work->plan;
    const size_t n_ranks = (size_t)plan->n_ranks;
    part->moves = send(work, gpu, plan->moves, (size_t)plan->n_moves * sizeof *plan->moves);
    part->tasks = send(work, gpu, plan->tasks, (size_t)plan->n_tasks * sizeof *plan->tasks);
    part->waits = send(work, gpu, plan->waits, (size_t)plan->n_waits * sizeof *plan->waits);
    part->task_first = send(work, gpu, plan->task_first, (n_ranks + 1) * sizeof(int32_t));
    const rg_board *board = rg_as_seen_by(work, gpu, work->gpus->board, true);
    part->stop = board == NULL ? NULL : &board->stop;
    return part->moves != NULL && part->tasks != NULL && part->waits != NULL &&
           part->task_first != NULL && part->stop != NULL;
}

static bool share_flags(rg_cuda_job *work) {
    rg_gpus *gpus = work->gpus;
    const size_t n_bytes = (size_t)gpus->group.n_ranks * (size_t)work->slices * sizeof(uint32_t);
    bool shared = false;
    for (int i = 0; i < gpus->n; i++) shared = shared || !gpus->reaches[i * gpus->n];
    uint32_t *flags = rg_take(work, 0, n_bytes, shared);
    for (int i = 0; i < gpus->n && flags != NULL; i++) {
        work->parts[i].done = rg_as_seen_by(work, i, flags, shared);
        if (work->parts[i].done == NULL) return false;
    }
    work->flags_in_host = shared;
    work->flags = shared ? flags : rg_take(work, 0, n_bytes, true);
    return flags != NULL && work->flags != NULL;
}

bool rg_device_plans_new(rg_cuda_job *work) {
    for (int i = 0; i < work->gpus->n; i++) {
        rg_device_plan *part = &work->parts[i];
        if (!send_field(work, i, &part->field) || !send_plan(work, i, part)) return false;
    }
    return work->variant < 4 || share_flags(work);
}
