/* bench_gpu.c: the ladder of kernels on the GPUs that are there, beside what a copy reaches in the same
 * run.
 *
 *     in place, a ring of N ranks on one GPU, S bytes each. In each of the N-1 steps all ranks together
 *         add     read two chunks and write one, S/N each      N x 3 S/N = 3 S
 *         copy    read one chunk and write one                 N x 2 S/N = 2 S
 *     so 5 S (N-1) bytes of memory at the least. From one array to another N x 2 S more, (7 N - 5) S.
 *
 *   - copy: bytes read and written by cudaMemcpyAsync from the GPU to itself, many in a row between
 *     two events, the best of some: nothing here is measured more kindly.
 *   - Our own times are the host's, launch to idle. Every kernel variant is matched with the exact answer
 *     before it is timed; a wrong one has no time.
 *   - Sizes that fit the GPU's cache can pass 100 %.
 *   - It runs on real GPUs only: without one it says so and is content.
 *
 * Usage: bench_gpu [MiB a rank, at most = 1024] [ranks, at most = 8]. Needs 4 N S of the host's memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ringsim_gpu.h"
#include "support/threads.h"

#ifdef HAVE_CUDA
#include <cuda_runtime_api.h>
#include <dlfcn.h>

static const rs_host *host_of(void) {
    static rs_host host;
    host = threaded_host(16);
    return &host;
}

/* ------------------------------------------------------------------ what a copy reaches */

/* Bytes a second, read and written; 0: it cannot be told. */
static double copy_rate(int device) {
    enum { N_COPIES = 10, N_TRIES = 5 };
    const size_t n_bytes = (size_t)1 << 30;
    char *from = NULL, *to = NULL;
    cudaStream_t stream = NULL;
    cudaEvent_t start = NULL, end = NULL;
    float best_ms = 0;
    bool good = cudaSetDevice(device) == cudaSuccess &&
                cudaMalloc((void **)&from, n_bytes) == cudaSuccess &&
                cudaMalloc((void **)&to, n_bytes) == cudaSuccess &&
                cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess &&
                cudaEventCreateWithFlags(&start, cudaEventDefault) == cudaSuccess &&
                cudaEventCreateWithFlags(&end, cudaEventDefault) == cudaSuccess &&
                cudaMemsetAsync(from, 1, n_bytes, stream) == cudaSuccess;
    for (int k = 0; k < N_TRIES && good; k++) {
        float ms = 0;
        good = cudaEventRecord(start, stream) == cudaSuccess;
        for (int i = 0; i < N_COPIES && good; i++) {
            good =
                cudaMemcpyAsync(to, from, n_bytes, cudaMemcpyDeviceToDevice, stream) == cudaSuccess;
        }
        good = good && cudaEventRecord(end, stream) == cudaSuccess &&
               cudaEventSynchronize(end) == cudaSuccess &&
               cudaEventElapsedTime(&ms, start, end) == cudaSuccess;
        if (good && (best_ms <= 0 || ms < best_ms)) best_ms = ms;
    }
    if (start != NULL) cudaEventDestroy(start);
    if (end != NULL) cudaEventDestroy(end);
    if (stream != NULL) cudaStreamDestroy(stream);
    cudaFree(from);
    cudaFree(to);
    cudaGetLastError();
    return good && best_ms > 0 ? 2.0 * N_COPIES * (double)n_bytes / ((double)best_ms * 1e-3) : 0;
}

/* ------------------------------------------------------------------ the ladder */

/* Runs one kernel variant on one size; the median time in ps, 0: told why not. */
static int64_t run_variant(int32_t n, int32_t variant, int64_t n_bytes, bool in_place) {
    const rg_setup setup = {.n_ranks = n, .kernel = variant};
    rs_error error = {.text = ""};
    rs_arena arena;
    rs_schedule schedule;
    rg_group *group = NULL;
    rg_result result = {.completed = true};
    rs_arena_init(&arena, NULL);
    const int64_t count = n_bytes / 4;
    const rg_job job = {.schedule = &schedule,
                        .dtype = RS_F32,
                        .op = RS_SUM,
                        .count = count,
                        .data = RS_DATA_INDEX,
                        .in_place = in_place,
                        .warmup = 3,
                        .times = n_bytes < 64 << 20 ? 50 : 10,
                        .flip_rank = -1};
    rs_status status =
        rs_schedule_make(rs_find_algorithm("ring"), RS_ORDER_SEED, n, count, &error, &schedule);
    if (status == RS_OK) status = rg_group_open(RG_CUDA, &setup, host_of(), &error, &group);
    if (status == RS_OK) status = rg_group_run(group, &job, &arena, &error, &result);
    rg_group_close(group);
    rs_arena_free(&arena);
    const bool right =
        status == RS_OK && result.completed && result.n_wrong == 0 && result.n_spoilt == 0;
    if (right) return result.time_ps;
    if (status != RS_OK) {
        printf("# N=%d kernel %d: %s\n", (int)n, (int)variant, error.text);
    } else {
        printf("# N=%d kernel %d: FAILED: %s%lld elements wrong\n", (int)n, (int)variant,
               result.failure, (long long)result.n_wrong);
    }
    return 0;
}

static void print_row(int32_t n, int64_t n_bytes, int32_t variant, bool in_place, int64_t time_ps,
                      double copy_Bps) {
    const double seconds = (double)time_ps * 1e-12, size = (double)n_bytes;
    const double moved = in_place ? 5.0 * (n - 1) * size : (7.0 * n - 5) * size;
    printf("  %2d %8lld  %-12s %6d %12.2f %9.1f %9.1f %10.1f", (int)n, (long long)(n_bytes >> 20),
           in_place ? "in place" : "out of place", (int)variant, seconds * 1e6,
           size / seconds * 1e-9, size / seconds * 1e-9 * 2 * (n - 1) / n, moved / seconds * 1e-9);
    if (copy_Bps > 0) printf(" %7.1f %%", 100 * moved / seconds / copy_Bps);
    puts("");
    fflush(stdout);
}

static void print_ladder(int64_t most_bytes, int32_t most_ranks, double copy_Bps) {
    puts(
        "#  N  MiB/rank               kernel    time [us]    algbw     busbw  memory GB/s  of copy");
    for (int32_t n = 2; n <= most_ranks; n *= 2) {
        for (int64_t n_bytes = 1 << 20; n_bytes <= most_bytes; n_bytes *= 4) {
            for (int32_t variant = 1; variant <= 4; variant++) {
                const int64_t time_ps = run_variant(n, variant, n_bytes, true);
                if (time_ps > 0) print_row(n, n_bytes, variant, true, time_ps, copy_Bps);
            }
            const int64_t time_ps = run_variant(n, 0, n_bytes, false);
            if (time_ps > 0) print_row(n, n_bytes, 0, false, time_ps, copy_Bps);
        }
    }
}

/* ------------------------------------------------------------------ NCCL, with several GPUs */

typedef void *comm;
typedef struct nccl { /* what we need of nccl.h; its numbers are fixed since NCCL 2.0 */
    int (*init_all)(comm *comms, int n, const int *devices);
    int (*all_reduce)(const void *from, void *to, size_t count, int dtype, int op, comm c,
                      cudaStream_t stream);
    int (*group_start)(void);
    int (*group_end)(void);
} nccl;
enum { NCCL_FLOAT = 7, NCCL_SUM = 0, MOST_GPUS = 16 };

static bool load_nccl(nccl *out) {
    void *library = dlopen("libnccl.so.2", RTLD_NOW);
    if (library == NULL) return false;
    *(void **)&out->init_all = dlsym(library, "ncclCommInitAll");
    *(void **)&out->all_reduce = dlsym(library, "ncclAllReduce");
    *(void **)&out->group_start = dlsym(library, "ncclGroupStart");
    *(void **)&out->group_end = dlsym(library, "ncclGroupEnd");
    return out->init_all != NULL && out->all_reduce != NULL && out->group_start != NULL &&
           out->group_end != NULL;
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One all-reduce in place on all GPUs, launch to idle, as our own are timed. 0: it failed. */
static double nccl_once(const nccl *nc, int n, comm comms[], char *arrays[], cudaStream_t streams[],
                        int64_t n_bytes) {
    const double start_s = now_s();
    bool good = nc->group_start() == 0;
    for (int i = 0; i < n && good; i++) {
        good = nc->all_reduce(arrays[i], arrays[i], (size_t)n_bytes / 4, NCCL_FLOAT, NCCL_SUM,
                              comms[i], streams[i]) == 0;
    }
    good = nc->group_end() == 0 && good;
    for (int i = 0; i < n && good; i++) good = cudaStreamSynchronize(streams[i]) == cudaSuccess;
    return good ? now_s() - start_s : 0;
}

static double nccl_best(const nccl *nc, int n, comm comms[], char *arrays[], cudaStream_t streams[],
                        int64_t n_bytes) {
    double best_s = 0;
    for (int k = 0; k < 10; k++) {
        const double s = nccl_once(nc, n, comms, arrays, streams, n_bytes);
        if (s <= 0) return 0;
        if (k > 2 && (best_s <= 0 || s < best_s)) best_s = s;
    }
    return best_s;
}

/* A rank a GPU: our best kernel beside the vendor's own all-reduce. */
static void print_beside_nccl(int n, int64_t most_bytes) {
    nccl nc;
    comm comms[MOST_GPUS];
    char *arrays[MOST_GPUS] = {NULL};
    cudaStream_t streams[MOST_GPUS];
    if (!load_nccl(&nc) || nc.init_all(comms, n, NULL) != 0) {
        puts("# NCCL: not run: no libnccl.so.2 that starts");
        return;
    }
    bool good = true;
    for (int i = 0; i < n && good; i++) {
        good = cudaSetDevice(i) == cudaSuccess &&
               cudaMalloc((void **)&arrays[i], (size_t)most_bytes) == cudaSuccess &&
               cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking) == cudaSuccess;
    }
    printf("# %d GPUs, a rank each\n#  MiB   ours: time [us]   busbw   ncclAllReduce: time [us]   "
           "busbw\n",
           n);
    for (int64_t n_bytes = 1 << 20; n_bytes <= most_bytes && good; n_bytes *= 4) {
        const double factor = (double)n_bytes * 1e-9 * 2 * (n - 1) / n;
        const double ours_s = (double)run_variant(n, 0, n_bytes, true) * 1e-12;
        const double theirs_s = nccl_best(&nc, n, comms, arrays, streams, n_bytes);
        printf("  %5lld %15.1f %9.1f %20.1f %11.1f\n", (long long)(n_bytes >> 20), ours_s * 1e6,
               ours_s > 0 ? factor / ours_s : 0, theirs_s * 1e6,
               theirs_s > 0 ? factor / theirs_s : 0);
    }
    for (int i = 0; i < n; i++) cudaFree(arrays[i]); /* the rest goes with the process */
}

/* ------------------------------------------------------------------ all of it */

static void print_head(const rg_group *group, double copy_Bps) {
    char date[32], line[256] = "";
    const time_t now = time(NULL);
    struct tm local;
    strftime(date, sizeof date, "%Y-%m-%d", localtime_r(&now, &local));
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    if (file != NULL) {
        if (fgets(line, sizeof line, file) != NULL) line[strcspn(line, "\n")] = '\0';
        fclose(file);
    }
    printf("# %s: %s\n# %s\n", date, rg_group_where(group), line);
    printf("# copy on the GPU: %.1f GB/s, read and written; ring, f32 sum, in place: "
           "5 S (N-1) bytes, out of place (7N-5) S\n",
           copy_Bps * 1e-9);
}

int main(int argc, char **argv) {
    const int64_t most_bytes = (int64_t)(argc > 1 ? atoi(argv[1]) : 1024) << 20;
    const int32_t most_ranks = argc > 2 ? atoi(argv[2]) : 8;
    const rg_setup setup = {.n_ranks = 64};
    rs_error error = {.text = ""};
    rg_group *group = NULL;
    if (rg_group_open(RG_CUDA, &setup, NULL, &error, &group) != RS_OK) {
        printf("bench-gpu: not run: %s\n", error.text);
        return 0;
    }
    int n_gpus = 0;
    cudaGetDeviceCount(&n_gpus);
    const double copy_Bps = copy_rate(0);
    print_head(group, copy_Bps);
    rg_group_close(group);
    if (n_gpus > MOST_GPUS) n_gpus = MOST_GPUS;
    if (n_gpus > 1) {
        puts(
            "# several GPUs: `of copy` is of one GPU's memory; hide all but one for the bound to hold");
        print_beside_nccl(n_gpus, most_bytes);
    }
    print_ladder(most_bytes, most_ranks, n_gpus == 1 ? copy_Bps : 0);
    return 0;
}

#else
int main(void) {
    rs_error error = {.text = ""};
    rg_available(RG_CUDA, &(rg_setup){.n_ranks = 1}, &error);
    printf("bench-gpu: not run: %s\n", error.text);
    return 0;
}
#endif
