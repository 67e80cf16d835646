/* ladder.c: the seven ways to run the plan, one function each. Each kernel variant takes one cost
 * away:
 *
 *     1  a launch a round, an element an access        what one writes first
 *     2  a launch a round, 16 bytes an access          fewer instructions a byte
 *     3  kernel variant 2's launches as one CUDA graph           the host launches once
 *     4  one cooperative launch, flags between ranks   nobody waits for a whole round
 *     5  kernel variant 4, a tile after another        memory is read and written once: 2 N S of
 *                                                      bytes in place, instead of 5 S (N-1)
 *     6  one cooperative launch, data with flags       nobody waits for a flag behind the data: small
 *                                                      arrays only
 *     7  no ring: each element added in registers      the steps themselves: what the sum costs
 *
 *   - In kernel variants 4 to 6 blocks wait for blocks. That ends only if all of them run: so the
 *     launch is cooperative, and we count before how many blocks can run at once. If they do not
 *     fit, these are out.
 *   - A job that may choose takes the highest variant up to 5 that can run and pays (rg_best_variant): 6 has not
 *     been measured, and 7 is no ring. If the user names one that cannot run, that is an error.
 */
#include "cuda/cuda.h"

#include <assert.h>
#include <stdio.h>

enum { MOST_GRAPH_NODES = 100000 /* more take seconds to make */ };

const char *rg_variant_name(int32_t variant) {
    assert(variant >= 0);
    assert(variant <= RG_N_VARIANTS);
    static const char *const names[RG_N_VARIANTS + 1] = {"",
                                                         "a launch a round",
                                                         "a launch a round, 16 bytes an access",
                                                         "one graph",
                                                         "one persistent launch",
                                                         "one persistent launch, tile by tile",
                                                         "one persistent launch, data with flags",
                                                         "no ring, added in registers"};
    return names[variant];
}

/* ------------------------------------------------------------------ which kernel variant */

/* How many blocks of the variant's kernel run at once on each GPU. To ask also loads the kernel, which must not
   happen while a graph is made, nor while another GPU waits for this one. */
static bool count_resident(rg_cuda_job *work) {
    const void *kernel = rg_kernel_of(work->variant, work->job->dtype, work->job->op);
    for (int i = 0; i < work->gpus->n; i++) {
        int blocks = 0;
        if (!rg_cuda_on(work->gpus, i) || !RG_CUDA(work->gpus, i,
                                                   cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                                                       &blocks, kernel, RG_THREADS, 0))) {
            return false;
        }
        work->parts[i].resident = blocks * work->gpus->list[i].n_sms;
    }
    return true;
}

/* Chooses the slices of kernel variants 4 to 6: the same on all GPUs, since a rank's block i waits
   for the others' blocks i. */
static void choose_slices(rg_cuda_job *work) {
    work->slices = 0;
    for (int i = 0; i < work->gpus->n; i++) {
        const rg_gpu *g = &work->gpus->list[i];
        const int resident = work->parts[i].resident;
        if (!g->cooperative) {
            snprintf(work->why_not, sizeof work->why_not, "GPU %d has no cooperative launch",
                     g->device);
            return;
        }
        if (resident < g->n_ranks) {
            snprintf(work->why_not, sizeof work->why_not,
                     "GPU %d runs %d block%s at once, its %d ranks need one each", g->device,
                     resident, resident == 1 ? "" : "s", (int)g->n_ranks);
            return;
        }
        const int32_t slices = rg_slices(work, resident, g->n_ranks);
        if (work->slices == 0 || slices < work->slices) work->slices = slices;
    }
}

/* The tiles of kernel variant 5: what the ranks of a GPU hold of those side by side is about twice its L2 cache, since the
   last chunks of a tile are not read yet when the first are done, and each tile costs the filling of its
   pipeline. 8 ranks, one tile against what this takes: on an H100 24 MiB 277 us, 240 with 2, and 64 MiB
   830 us, 626 with 5; on an H200 16 MiB 135 us, 155 with 2, and 64 MiB 590 us, 502 with 4. But no slice of
   less than 4 KiB, one access of 16 bytes a thread. */
static bool choose_tiles(rg_cuda_job *work) {
    enum { LEAST_BYTES = 16 * RG_THREADS };
    const rg_job *job = work->job;
    const rg_tiling *set = &work->gpus->tiling;
    const int64_t n_chunks = job->schedule->n_chunks > 0 ? job->schedule->n_chunks : 1;
    const int64_t n_bytes = job->count * rs_dtype_bytes(job->dtype);
    work->lanes = set->lanes > 1 ? set->lanes : 1;
    const int64_t most = n_bytes / n_chunks / ((int64_t)work->slices * LEAST_BYTES);
    int64_t tiles = 1;
    for (int i = 0; i < work->gpus->n; i++) {
        int cache = 0;
        if (!rg_cuda_on(work->gpus, i) ||
            !RG_CUDA(work->gpus, i,
                     cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize,
                                            work->gpus->list[i].device))) {
            return false;
        }
        const int64_t share = set->cache_percent > 0 ? set->cache_percent : 200;
        const int64_t room = cache > 0 ? share * cache / (100 * work->lanes) : 1;
        const int64_t needed = (n_bytes * work->gpus->list[i].n_ranks + room / 2) / room;
        if (needed > tiles) tiles = needed;
    }
    if (tiles > most) tiles = most;
    if (tiles > INT16_MAX) tiles = INT16_MAX;
    work->tiles = tiles < 1 ? 1 : (int32_t)tiles;
    return true;
}

/* Several GPUs have not shown yet that tiles pay, whose ranks wait for each other once a tile; and in a
   trace of tiles the transfers overlap. */
int32_t rg_best_variant(const rg_gpus *gpus, bool trace) {
    return gpus->n > 1 || trace ? 4 : 5;
}

/* Says why kernel variant 6 or 7 is not for this job, if so. */
static void check_special(rg_cuda_job *work) {
    const int64_t n_bytes = work->job->count * rs_dtype_bytes(work->job->dtype);
    const bool lines = work->variant == RG_BY_LINES, trace = work->job->trace;
    if (lines && n_bytes > RG_LINES_MOST_BYTES) {
        snprintf(work->why_not, sizeof work->why_not, "it is for arrays of up to %d KiB",
                 RG_LINES_MOST_BYTES >> 10);
    } else if (trace) {
        snprintf(work->why_not, sizeof work->why_not, "%s",
                 lines ? "it waits within its transfers: no trace"
                       : "it has no transfers to trace");
    } else if (!lines && work->gpus->n > 1) {
        snprintf(work->why_not, sizeof work->why_not, "all ranks must live on one GPU");
    }
}

/* Takes the best of the kernels that launch rounds. */
static bool choose_rounds(rg_cuda_job *work) {
    const int64_t n_nodes = (int64_t)work->plan->n_rounds * work->gpus->n;
    work->tiles = 1;
    work->variant = n_nodes <= MOST_GRAPH_NODES ? 3 : 2;
    return count_resident(work);
}

/* Blocks that stay share the GPU among all ranks, and wait for each other; a launch gives all of it to the
   ranks that have a move. On an H100, one graph against one persistent launch: 2 ranks of 4 MiB 11.8 and
   14.6 us, naive with 8 of 16 MiB 180 and 246. */
static void prefer_rounds(rg_cuda_job *work) {
    const rg_plan *plan = work->plan;
    if (work->gpus->n > 1 || plan->n_rounds == 0) return;
    if (plan->n_rounds <= 2) {
        snprintf(work->why_not, sizeof work->why_not, "%d round%s in all", (int)plan->n_rounds,
                 plan->n_rounds == 1 ? "" : "s");
    } else if ((int64_t)2 * plan->n_moves < (int64_t)plan->n_rounds * plan->n_ranks) {
        snprintf(work->why_not, sizeof work->why_not, "most ranks rest in a round");
    }
}

bool rg_ladder_choose(rg_cuda_job *work) {
    const int32_t wanted = work->gpus->wanted;
    work->variant = wanted != 0 ? wanted : rg_best_variant(work->gpus, work->job->trace);
    work->tiles = work->lanes = 1;
    if (!count_resident(work)) return false;
    if (work->variant < 4) return true;
    if (wanted == 0) prefer_rounds(work);
    if (wanted >= RG_BY_LINES) check_special(work);
    if (work->why_not[0] == '\0' && wanted != RG_FLOOR) choose_slices(work);
    if (work->why_not[0] == '\0') return work->variant != 5 || choose_tiles(work);
    return wanted != 0 ? rg_ladder_refuse(work, work->why_not) : choose_rounds(work);
}

/* ------------------------------------------------------------------ kernel variant 3 */

/* Puts several GPUs into one graph, by a fork at the start and a join at the end. */
static bool fork_or_join(rg_cuda_job *work, bool fork) {
    const rg_gpu *list = work->gpus->list;
    for (int i = 1; i < work->gpus->n; i++) {
        const int from = fork ? 0 : i, to = fork ? i : 0;
        if (!rg_cuda_on(work->gpus, from) ||
            !RG_CUDA(work->gpus, from, cudaEventRecord(list[from].event, list[from].stream)) ||
            !rg_cuda_on(work->gpus, to) ||
            !RG_CUDA(work->gpus, to, cudaStreamWaitEvent(list[to].stream, list[from].event, 0))) {
            return false;
        }
    }
    return true;
}

static bool capture(rg_cuda_job *work) {
    rg_gpus *gpus = work->gpus;
    cudaGraph_t graph = NULL;
    if (!rg_cuda_on(gpus, 0) ||
        !RG_CUDA(gpus, 0,
                 cudaStreamBeginCapture(gpus->list[0].stream, cudaStreamCaptureModeThreadLocal))) {
        return false;
    }
    const bool filled =
        fork_or_join(work, true) && rg_rounds_launch(work) && fork_or_join(work, false);
    cudaSetDevice(gpus->list[0].device);
    const bool ended = RG_CUDA(gpus, 0, cudaStreamEndCapture(gpus->list[0].stream, &graph));
    const bool made =
        filled && ended && RG_CUDA(gpus, 0, cudaGraphInstantiateWithFlags(&work->graph, graph, 0));
    if (graph != NULL) cudaGraphDestroy(graph);
    return made;
}

static bool launch_graph(rg_cuda_job *work) {
    return rg_cuda_on(work->gpus, 0) &&
           RG_CUDA(work->gpus, 0, cudaGraphLaunch(work->graph, work->gpus->list[0].stream));
}

/* ------------------------------------------------------------------ kernel variants 4 to 7 */

/* Tells whether the GPU refuses so many blocks at once, though it said that it could: other
   programs use it, too. */
static bool is_refused(cudaError_t code) {
    return code == cudaErrorCooperativeLaunchTooLarge || code == cudaErrorNotSupported;
}

/* Goes on with the best of the other kernels, for this job. */
static bool launch_rounds(rg_cuda_job *work) {
    cudaGetLastError();
    snprintf(work->why_not, sizeof work->why_not, "GPU %d refused the cooperative launch",
             work->gpus->list[0].device);
    return choose_rounds(work) && rg_ladder_ready(work) && rg_ladder_launch(work);
}

/* The flags count tasks over all runs, and wrap at 2^32: kernels compare only
   differences. */
static bool launch_all(rg_cuda_job *work) {
    const void *kernel = rg_kernel_of(work->variant, work->job->dtype, work->job->op);
    const bool floor = work->variant == RG_FLOOR; /* whose blocks wait for none */
    for (int i = 0; i < work->gpus->n; i++) {
        rg_device_plan *part = &work->parts[i];
        cudaStream_t stream = work->gpus->list[i].stream;
        void *arguments[] = {floor ? (void *)&part->floor : (void *)&part->whole};
        const dim3 grid = {(unsigned)part->n_blocks, 1, 1}, block = {RG_THREADS, 1, 1};
        part->whole.run = work->n_runs;
        if (part->n_blocks == 0) continue;
        if (!rg_cuda_on(work->gpus, i)) return false;
        const cudaError_t code =
            floor ? cudaLaunchKernel(kernel, grid, block, arguments, 0, stream)
                  : cudaLaunchCooperativeKernel(kernel, grid, block, arguments, 0, stream);
        if (i == 0 && is_refused(code) && work->gpus->wanted == 0) return launch_rounds(work);
        if (!rg_cuda_ok(work->gpus, i, code,
                        floor ? "cudaLaunchKernel" : "cudaLaunchCooperativeKernel")) {
            return false;
        }
    }
    work->n_runs++;
    return true;
}

/* ------------------------------------------------------------------ all of them */

bool rg_ladder_ready(rg_cuda_job *work) {
    rg_ladder_end(work);
    if (work->plan->n_moves == 0) return true;
    if (work->variant < 4 && work->stints == NULL && !rg_rounds_new(work)) return false;
    return work->variant != 3 || capture(work);
}

bool rg_ladder_launch(rg_cuda_job *work) {
    assert(work->variant >= 1);
    assert(work->variant <= RG_N_VARIANTS);
    if (work->plan->n_moves == 0) return true;
    if (work->variant >= 4) return launch_all(work);
    return work->variant == 3 ? launch_graph(work) : rg_rounds_launch(work);
}

void rg_ladder_end(rg_cuda_job *work) {
    if (work->graph == NULL || work->gpus->busy) return;
    cudaSetDevice(work->gpus->list[0].device);
    cudaGraphExecDestroy(work->graph);
    cudaGetLastError();
    work->graph = NULL;
}
