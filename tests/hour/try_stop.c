/* try_stop.c: flags that come late, or never. The persistent kernel (kernel variant 4) waits for a rank
 * that nobody launched; no array takes part.
 *
 *     late    a copy on another stream sets the flags: all blocks end by themselves
 *     stop    the host tells them to stop: they end, and it says how soon
 *     leave   nobody tells them anything; the process leaves by _exit while they wait
 *
 * What only a GPU can show: that a kernel at work sees what a copy writes beside it, and what the host
 * writes; that leaving ends the kernel; that the next process finds the GPU as it was.
 *
 * Usage: try_stop late|stop|leave. Exit 0: as it should be; 1: not so, with the reason; 3: no GPU.
 * The caller needs a timeout around it.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cuda/kernels.h"
#include "job/backend.h"

enum { STILL_MS = 100, PATIENCE_MS = 5000, N_TIMES = 10, N_RANKS = 2 };

typedef struct waiting {
    cudaStream_t stream, beside;
    int n_blocks, n_flags; /* of a rank */
    int32_t *turn_first;   /* the device's: the first rank's one turn waits for the second rank */
    rg_turn *turns;
    uint32_t *done, *come; /* the device's flags; what sets them, in the host's memory */
    int *stop, *stop_there;
} waiting;

static cudaError_t upload(waiting *w, void **there, const void *from, size_t n_bytes) {
    cudaError_t code = cudaMalloc(there, n_bytes);
    if (code == cudaSuccess) {
        code = cudaMemcpyAsync(*there, from, n_bytes, cudaMemcpyHostToDevice, w->stream);
    }
    return code == cudaSuccess ? cudaStreamSynchronize(w->stream) : code;
}

static cudaError_t count_blocks(waiting *w) {
    int a_processor = 0, n_processors = 0;
    cudaError_t code = cudaDeviceGetAttribute(&n_processors, cudaDevAttrMultiProcessorCount, 0);
    if (code == cudaSuccess) {
        code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &a_processor, rg_kernel_of(4, RS_F32, RS_SUM), RG_THREADS, 0);
    }
    w->n_blocks = a_processor * n_processors;
    return code;
}

static cudaError_t waiting_new(waiting *w) {
    static const int32_t turn_first[] = {0, 1};
    static const rg_turn turns[] = {{.waits = {{1, 1}, {-1, 0}}, .transfer = -1, .n_tasks = 1}};
    w->n_flags = w->n_blocks * RG_WARPS;
    const size_t n_bytes = (size_t)N_RANKS * (size_t)w->n_flags * sizeof(uint32_t);
    cudaError_t code = cudaStreamCreateWithFlags(&w->stream, cudaStreamNonBlocking);
#define STEP(call)                                                                                 \
    if (code == cudaSuccess) code = call
    STEP(cudaStreamCreateWithFlags(&w->beside, cudaStreamNonBlocking));
    STEP(cudaHostAlloc((void **)&w->come, n_bytes, cudaHostAllocPortable | cudaHostAllocMapped));
    STEP(cudaHostAlloc((void **)&w->stop, sizeof *w->stop,
                       cudaHostAllocPortable | cudaHostAllocMapped));
    STEP(cudaHostGetDevicePointer((void **)&w->stop_there, w->stop, 0));
    STEP(cudaMalloc((void **)&w->done, n_bytes));
    STEP(upload(w, (void **)&w->turn_first, turn_first, sizeof turn_first));
    STEP(upload(w, (void **)&w->turns, turns, sizeof turns));
    for (int i = 0; code == cudaSuccess && i < N_RANKS * w->n_flags; i++) w->come[i] = 1;
    return code;
}

/* Launches the first rank alone, in as many blocks as the GPU runs at once. */
static cudaError_t launch(waiting *w) {
    *w->stop = 0;
    cudaError_t code = cudaMemsetAsync(
        w->done, 0, (size_t)N_RANKS * (size_t)w->n_flags * sizeof(uint32_t), w->stream);
    STEP(cudaStreamSynchronize(w->stream));
    rg_whole whole = {.field = {.n_chunks = 1, .n_ranks = N_RANKS},
                      .turns = w->turns,
                      .turn_first = w->turn_first,
                      .most_tasks = 1,
                      .done = w->done,
                      .stop = w->stop_there,
                      .slices = w->n_blocks,
                      .tiles = 1,
                      .lanes = 1,
                      .across = 1};
    void *arguments[] = {&whole};
    const dim3 grid = {(unsigned)w->n_blocks, 1, 1}, block = {RG_THREADS, 1, 1};
    STEP(cudaLaunchCooperativeKernel(rg_kernel_of(4, RS_F32, RS_SUM), grid, block, arguments, 0,
                                     w->stream));
    return code;
}

/* Polls for so long at most; cudaErrorNotReady: it still runs. */
static cudaError_t wait_ms(const waiting *w, int64_t n_ms, double *us) {
    const int64_t start_ps = rg_now_ps();
    cudaError_t code;
    do {
        code = cudaStreamQuery(w->stream);
    } while (code == cudaErrorNotReady && rg_now_ps() - start_ps < n_ms * 1000000000);
    *us = (double)(rg_now_ps() - start_ps) * 1e-6;
    return code;
}

static int tell(const char *what, cudaError_t code) {
    printf("%s: %s\n", what, cudaGetErrorString(code));
    fflush(stdout);
    return 1;
}

/* One kernel that waits, and what ends it. */
static int once(waiting *w, bool late, double *us) {
    cudaError_t code = launch(w);
    if (code != cudaSuccess) return tell("the launch", code);
    code = wait_ms(w, STILL_MS, us);
    if (code == cudaSuccess) return tell("it did not wait for flags that had not come", code);
    if (code != cudaErrorNotReady) return tell("while it waited", code);
    if (late) {
        code = cudaMemcpyAsync(w->done + w->n_flags, w->come, (size_t)w->n_flags * sizeof(uint32_t),
                               cudaMemcpyHostToDevice, w->beside);
        if (code != cudaSuccess) return tell("the copy beside the kernel", code);
    } else {
        *(volatile int *)w->stop = 1;
    }
    code = wait_ms(w, PATIENCE_MS, us);
    if (code == cudaSuccess) return 0;
    return tell(late ? "it does not see flags that a copy wrote" : "it does not see `stop`", code);
}

static int try_often(waiting *w, bool late) {
    int64_t times_ps[N_TIMES];
    for (int i = 0; i < N_TIMES; i++) {
        double us = 0;
        if (once(w, late, &us) != 0) return 1;
        times_ps[i] = (int64_t)(us * 1e6);
    }
    const double median_us = (double)rg_median(times_ps, N_TIMES) * 1e-6;
    printf("%d blocks ended %.1f us after %s, median of %d, at most %.1f us\n", w->n_blocks,
           median_us, late ? "a copy to their flags was asked for" : "they were told to stop",
           N_TIMES, (double)times_ps[N_TIMES - 1] * 1e-6);
    return 0;
}

static int leave(waiting *w) {
    double us;
    cudaError_t code = launch(w);
    if (code != cudaSuccess) return tell("the launch", code);
    code = wait_ms(w, STILL_MS, &us);
    if (code != cudaErrorNotReady) return tell("it did not wait", code);
    printf("left %d blocks waiting\n", w->n_blocks);
    fflush(stdout);
    _exit(0);
}

int main(int argc, char **argv) {
    waiting w = {.n_blocks = 0};
    const char *what = argc > 1 ? argv[1] : "";
    int n = 0;
    cudaError_t code = cudaGetDeviceCount(&n);
    if (code != cudaSuccess) {
        printf("no GPU answers: %s\n", cudaGetErrorString(code));
        return 3;
    }
    code = count_blocks(&w);
    STEP(waiting_new(&w));
    if (code != cudaSuccess) return tell("getting ready", code);
    int failed;
    if (strcmp(what, "leave") == 0) return leave(&w);
    if (strcmp(what, "late") == 0) {
        failed = try_often(&w, true);
    } else if (strcmp(what, "stop") == 0) {
        failed = try_often(&w, false);
    } else {
        puts("usage: try_stop late|stop|leave");
        return 2;
    }
    fflush(stdout);
    _exit(failed); /* a kernel that still waits would keep the usual end waiting, too */
}
