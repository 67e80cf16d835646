/* rounds.c: kernel variants 1 to 3: which GPU launches what in which round, and after which others.
 *
 *     GPU 0   | round 0 |--event--> | round 1 |--event-->
 *     GPU 1   | round 0 |--event-/  | round 1 |             a stream each
 *
 *   - Rounds of one GPU follow each other in its stream. Between GPUs a round waits for the events
 *     of those GPUs for whose ranks its own ranks wait: the plan's waits name them.
 *   - All launches of a round come first, then all its events: so no GPU waits for another's launch
 *     of the same round.
 */
#include "cuda/cuda.h"

/* Returns the GPUs, other than its own, for which a task waits. */
static uint64_t others_before(const rg_cuda_job *work, const rg_task *task, int own) {
    uint64_t gpus = 0;
    for (int32_t w = 0; w < task->n_waits; w++) {
        const int gpu = rg_gpu_of(work->gpus, work->plan->waits[task->first_wait + w].rank);
        if (gpu != own) gpus |= (uint64_t)1 << gpu;
    }
    return gpus;
}

/* Makes the turns of the moves of a GPU's ranks, which are sorted by round, and sends them. */
static bool send_moves(rg_cuda_job *work, int gpu) {
    const rg_plan *plan = work->plan;
    rg_device_plan *part = &work->parts[gpu];
    rg_turn *turns = rs_alloc(work->arena, (size_t)plan->n_moves, sizeof *turns);
    int32_t n = 0;
    if (turns == NULL) return rg_cuda_trouble(work->gpus, RS_NO_MEMORY, "no memory for the turns");
    for (int32_t i = 0; i < plan->n_moves; i++) {
        const rg_move *m = &plan->moves[i];
        rg_stint *stint = &work->stints[m->round * work->gpus->n + gpu];
        if (rg_gpu_of(work->gpus, m->by) != gpu) continue;
        if (stint->n_turns++ == 0) stint->first_turn = n;
        rg_turn_set(plan, work->job, m, &part->places, &turns[n++]);
    }
    part->whole.turns = rg_send(work, gpu, turns, (size_t)n * sizeof *turns);
    return part->whole.turns != NULL;
}

bool rg_rounds_new(rg_cuda_job *work) {
    const rg_plan *plan = work->plan;
    const int n_gpus = work->gpus->n;
    work->stints =
        rs_alloc(work->arena, (size_t)plan->n_rounds * (size_t)n_gpus + 1, sizeof *work->stints);
    if (work->stints == NULL)
        return rg_cuda_trouble(work->gpus, RS_NO_MEMORY, "no memory for the rounds");
    for (int gpu = 0; gpu < n_gpus; gpu++) {
        if (!send_moves(work, gpu)) return false;
    }
    for (int32_t rank = 0; rank < plan->n_ranks && n_gpus > 1; rank++) {
        const int own = rg_gpu_of(work->gpus, rank);
        for (int32_t i = plan->task_first[rank]; i < plan->task_first[rank + 1]; i++) {
            const rg_task *task = &plan->tasks[i];
            const int32_t round = plan->moves[task->first_move].round;
            work->stints[round * n_gpus + own].after |= others_before(work, task, own);
        }
    }
    return true;
}

/* ------------------------------------------------------------------ in order */

static bool launch(rg_cuda_job *work, int gpu, const rg_stint *stint) {
    const rg_job *job = work->job;
    const rg_device_plan *part = &work->parts[gpu];
    rg_round round = {.field = part->whole.field,
                      .turns = part->whole.turns + stint->first_turn,
                      .n_turns = stint->n_turns,
                      .slices = rg_slices(work, part->resident, stint->n_turns)};
    void *arguments[] = {&round};
    const dim3 grid = {(unsigned)(round.n_turns * round.slices), 1, 1}, block = {RG_THREADS, 1, 1};
    return RG_CUDA(work->gpus, gpu,
                   cudaLaunchKernel(rg_kernel_of(work->variant, job->dtype, job->op), grid, block,
                                    arguments, 0, work->gpus->list[gpu].stream));
}

static bool wait_for_others(rg_cuda_job *work, int gpu, uint64_t others) {
    for (int i = 0; others >> i != 0; i++) {
        if ((others >> i & 1) == 0) continue;
        if (!RG_CUDA(
                work->gpus, gpu,
                cudaStreamWaitEvent(work->gpus->list[gpu].stream, work->gpus->list[i].event, 0))) {
            return false;
        }
    }
    return true;
}

bool rg_rounds_launch(rg_cuda_job *work) {
    const int n_gpus = work->gpus->n;
    for (int32_t r = 0; r < work->plan->n_rounds; r++) {
        const rg_stint *stints = &work->stints[r * n_gpus];
        if (r % 1024 == 1023 && rg_told_to_stop(work)) return false;
        for (int i = 0; i < n_gpus; i++) {
            if (stints[i].n_turns == 0) continue;
            if (n_gpus > 1 && !rg_cuda_on(work->gpus, i)) return false;
            if (!wait_for_others(work, i, stints[i].after) || !launch(work, i, &stints[i]))
                return false;
        }
        for (int i = 0; i < n_gpus && n_gpus > 1; i++) {
            if (stints[i].n_turns == 0) continue;
            if (!rg_cuda_on(work->gpus, i) ||
                !RG_CUDA(work->gpus, i,
                         cudaEventRecord(work->gpus->list[i].event, work->gpus->list[i].stream))) {
                return false;
            }
        }
    }
    return true;
}
