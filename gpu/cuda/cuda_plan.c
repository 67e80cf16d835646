/* cuda_plan.c: what each GPU holds of a job beside the arrays: the plan, and where the arrays are.
 *
 *     host: plan, blocks[][] --> GPU 0: turns of its ranks, with the addresses as seen from there; flags
 *                            --> GPU 1: the same
 *
 *   - Every GPU has the plan in its own memory: reading it over the wire before each move would cost more
 *     than the copies do.
 *   - Each GPU has the flags of kernel variants 4 and 5 that its ranks wait for in its own memory: a look costs no trip
 *     over the wire. Whoever has done something stores it in its own and where others wait for it. Where the arrays
 *     lie in mapped memory of the host, flags exist once, there.
 */
#include "cuda/cuda.h"

/* ------------------------------------------------------------------ the grid */

/* As many blocks as run at once: a copy needs that many bytes under way to fill the memory's width,
   and more would only queue. But no block without 4 KiB of its own, one access of 16 bytes a thread:
   small chunks are latency alone, and empty blocks only add to it. With lines a thread accesses 4. */
int32_t rg_slices(const rg_cuda_job *work, int64_t n_blocks, int64_t n) {
    const int64_t least = (work->variant == RG_BY_LINES ? 4 : 16) * RG_THREADS;
    const rs_schedule *s = work->job->schedule;
    const int64_t n_chunks = s->n_chunks > 0 ? s->n_chunks : 1;
    const int64_t chunk_bytes =
        (work->job->count + n_chunks - 1) / n_chunks * rs_dtype_bytes(work->job->dtype);
    const int64_t most = (chunk_bytes + least - 1) / least;
    int64_t slices = n > 0 ? n_blocks / n : 1;
    if (slices > most) slices = most;
    return slices < 1 ? 1 : (int32_t)slices;
}

/* ------------------------------------------------------------------ the plan */

void *rg_send(rg_cuda_job *work, int gpu, const void *bytes, size_t n_bytes) {
    void *there = rg_take(work, gpu, n_bytes, false);
    if (there == NULL || n_bytes == 0) return there;
    const bool sent = RG_CUDA(work->gpus, gpu,
                              cudaMemcpyAsync(there, bytes, n_bytes, cudaMemcpyHostToDevice,
                                              work->gpus->list[gpu].stream));
    return sent ? there : NULL;
}

/* Sees where the data of all ranks' arrays are for this GPU. */
static bool see_places(rg_cuda_job *work, int gpu) {
    const int32_t n = work->gpus->group.n_ranks;
    for (int store = 0; store < RG_N_STORES; store++) {
        char **list = rs_alloc(work->arena, (size_t)n, sizeof *list);
        if (list == NULL)
            return rg_cuda_trouble(work->gpus, RS_NO_MEMORY, "no memory for the places");
        work->parts[gpu].places.of[store] = list;
        if ((store == RG_SOURCE && work->job->in_place) ||
            (store == RG_BESIDE && !work->plan->has_aside)) {
            continue;
        }
        for (int32_t r = 0; r < n; r++) {
            char *seen = rg_as_seen_by(work, gpu, work->blocks[store][r], work->in_host);
            if (seen == NULL) return false;
            list[r] = seen + work->before;
        }
    }
    return true;
}

/* Writes the turns of a rank, and returns how many there are; NULL: only counts. lines: NULL: kernel variants 4
   and 5. */
static int32_t write_turns(const rg_cuda_job *work, const rg_places *places, int32_t rank,
                           uint64_t *const lines[], rg_turn turns[]) {
    return lines == NULL ? rg_turns_write(work->plan, work->job, rank, places, turns)
                         : rg_lines_write(&work->line_plan, work->plan, work->job, rank, places,
                                          lines, turns);
}

/* Makes the turns of this GPU's ranks, and sends them. */
static bool send_turns(rg_cuda_job *work, int gpu, uint64_t *const lines[]) {
    rg_device_plan *part = &work->parts[gpu];
    const rg_gpu *g = &work->gpus->list[gpu];
    const size_t n_here = (size_t)g->n_ranks;
    int32_t *first = rs_alloc(work->arena, n_here + 1, sizeof *first);
    for (int32_t i = 0; first != NULL && i < g->n_ranks; i++) {
        first[i + 1] = first[i] + write_turns(work, &part->places, g->first_rank + i, lines, NULL);
    }
    const size_t n = first == NULL ? 0 : (size_t)first[n_here];
    rg_turn *turns = rs_alloc(work->arena, n, sizeof *turns);
    if (first == NULL || turns == NULL)
        return rg_cuda_trouble(work->gpus, RS_NO_MEMORY, "no memory for %zu turns", n);
    for (int32_t i = 0; i < g->n_ranks; i++) {
        write_turns(work, &part->places, g->first_rank + i, lines, &turns[first[i]]);
    }
    part->whole.turns = rg_send(work, gpu, turns, n * sizeof *turns);
    part->whole.turn_first = rg_send(work, gpu, first, (n_here + 1) * sizeof *first);
    return part->whole.turns != NULL && part->whole.turn_first != NULL;
}

/* Returns where the lines of each rank begin, as this GPU sees them; bases: of each GPU's ranks. */
static uint64_t **see_lines(rg_cuda_job *work, int gpu, uint64_t *const bases[]) {
    uint64_t **seen = rs_alloc(work->arena, (size_t)work->plan->n_ranks, sizeof *seen);
    if (seen == NULL) rg_cuda_trouble(work->gpus, RS_NO_MEMORY, "no memory for the lines");
    for (int i = 0; i < work->gpus->n && seen != NULL; i++) {
        const rg_gpu *g = &work->gpus->list[i];
        uint64_t *at = rg_as_seen_by(work, gpu, bases[i], work->in_host);
        if (at == NULL) return NULL;
        for (int32_t r = g->first_rank; r < g->first_rank + g->n_ranks; r++) {
            seen[r] = at;
            at += work->line_plan.n_lines[r];
        }
    }
    return seen;
}

/* Lines lie in the memory of the GPU that waits for them: others push them there. */
static bool send_lines(rg_cuda_job *work) {
    rg_gpus *gpus = work->gpus;
    uint64_t *bases[RG_MOST_GPUS];
    if (!rg_lines_new(work->plan, work->job, work->arena, &work->line_plan)) {
        return rg_cuda_trouble(gpus, RS_NO_MEMORY, "no memory for the lines");
    }
    for (int i = 0; i < gpus->n; i++) {
        const rg_gpu *g = &gpus->list[i];
        int64_t n = 0;
        for (int32_t r = 0; r < g->n_ranks; r++) n += work->line_plan.n_lines[g->first_rank + r];
        bases[i] = rg_take(work, i, (size_t)n * sizeof *bases[i], work->in_host);
        if (bases[i] == NULL) return false;
    }
    for (int i = 0; i < gpus->n; i++) {
        uint64_t **seen = see_lines(work, i, bases);
        if (seen == NULL || !send_turns(work, i, seen)) return false;
    }
    return true;
}

bool rg_ladder_refuse(rg_cuda_job *work, const char *why) {
    return rg_cuda_trouble(work->gpus, RS_UNSUPPORTED, "kernel %d cannot run: %s; take --kernel 3",
                           (int)work->gpus->wanted, why);
}

static bool send_floor(rg_cuda_job *work) {
    rg_device_plan *part = &work->parts[0];
    rg_floor_run *run = &part->floor;
    rs_error error = {.text = ""};
    rg_floor made;
    const rs_status status =
        rg_floor_new(work->plan, work->job, &part->places, work->arena, &error, &made);
    if (status == RS_UNSUPPORTED) return rg_ladder_refuse(work, error.text);
    if (status != RS_OK) return rg_cuda_trouble(work->gpus, status, "%s", error.text);
    run->field = part->whole.field;
    run->slices = rg_slices(work, part->resident, made.n_sums);
    run->sums = rg_send(work, 0, made.sums, (size_t)made.n_sums * sizeof *made.sums);
    run->terms = rg_send(work, 0, made.terms, (size_t)made.n_terms * sizeof *made.terms);
    run->ends = rg_send(work, 0, made.ends, (size_t)made.n_ends * sizeof *made.ends);
    part->n_blocks = (int64_t)made.n_sums * run->slices;
    return run->sums != NULL && run->terms != NULL && run->ends != NULL;
}

static bool send_plan(rg_cuda_job *work, int gpu) {
    const rg_gpus *gpus = work->gpus;
    rg_device_plan *part = &work->parts[gpu];
    const rg_board *board = rg_as_seen_by(work, gpu, gpus->board, true);
    if (board == NULL || !see_places(work, gpu)) return false;
    part->n_blocks = (int64_t)gpus->list[gpu].n_ranks * work->slices;
    part->whole = (rg_whole){.field = {.count = work->job->count,
                                       .n_chunks = work->job->schedule->n_chunks,
                                       .n_ranks = gpus->group.n_ranks},
                             .stop = &board->stop,
                             .most_tasks = work->most_tasks,
                             .first_rank = gpus->list[gpu].first_rank,
                             .slices = work->slices,
                             .tiles = work->tiles,
                             .lanes = work->lanes,
                             .across = gpus->n > 1,
                             .early = !work->job->trace && gpus->tiling.early,
                             .ahead = gpus->tiling.ahead};
    return (work->variant != 4 && work->variant != 5) || send_turns(work, gpu, NULL);
}

size_t rg_flags_bytes(const rg_cuda_job *work) {
    return (size_t)work->plan->n_ranks * (size_t)work->slices * RG_WARPS * sizeof *work->flags;
}

/* Sends which other GPUs have ranks that wait for this GPU's, and where their flags are. */
static bool send_watchers(rg_cuda_job *work, int gpu, uint32_t *const flags[]) {
    const rg_plan *plan = work->plan;
    const rg_gpu *g = &work->gpus->list[gpu];
    const size_t n_gpus = (size_t)work->gpus->n, n_here = (size_t)g->n_ranks;
    rg_whole *whole = &work->parts[gpu].whole;
    uint64_t *watchers = rs_alloc(work->arena, n_here, sizeof *watchers);
    if (watchers == NULL)
        return rg_cuda_trouble(work->gpus, RS_NO_MEMORY, "no memory for the flags");
    for (int32_t rank = 0; rank < plan->n_ranks; rank++) {
        const int on = rg_gpu_of(work->gpus, rank);
        for (int32_t t = plan->task_first[rank]; on != gpu && t < plan->task_first[rank + 1]; t++) {
            for (int32_t w = 0; w < plan->tasks[t].n_waits; w++) {
                const int32_t of = plan->waits[plan->tasks[t].first_wait + w].rank - g->first_rank;
                if (of >= 0 && of < g->n_ranks) watchers[of] |= (uint64_t)1 << on;
            }
        }
    }
    whole->watchers = rg_send(work, gpu, watchers, n_here * sizeof *watchers);
    whole->far_done = rg_send(work, gpu, flags, n_gpus * sizeof *flags);
    return whole->watchers != NULL && whole->far_done != NULL;
}

static bool share_flags(rg_cuda_job *work) {
    rg_gpus *gpus = work->gpus;
    const size_t n_bytes = rg_flags_bytes(work);
    uint32_t *flags[RG_MOST_GPUS];
    const bool shared = work->in_host;
    for (int i = 0; i < gpus->n; i++) {
        flags[i] = shared && i > 0 ? flags[0] : rg_take(work, i, n_bytes, shared);
        if (flags[i] == NULL) return false;
        work->parts[i].whole.done = rg_as_seen_by(work, i, flags[i], shared);
        if (work->parts[i].whole.done == NULL) return false;
    }
    for (int i = 0; i < gpus->n && gpus->n > 1 && !shared; i++) {
        if (!send_watchers(work, i, flags)) return false;
    }
    work->flags_in_host = shared;
    work->flags = shared ? flags[0] : rg_take(work, 0, n_bytes, true);
    return work->flags != NULL;
}

bool rg_device_plans_new(rg_cuda_job *work) {
    work->most_tasks = rg_most_tasks(work->plan);
    for (int i = 0; i < work->gpus->n; i++) {
        if (!send_plan(work, i)) return false;
    }
    return work->variant == RG_FLOOR      ? send_floor(work)
           : work->variant == RG_BY_LINES ? send_lines(work)
                                          : work->variant < 4 || share_flags(work);
}
