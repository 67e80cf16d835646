/* bench_gpu.c: the ladder of kernels on the GPUs that are there, beside what a copy reaches in the same
 * run.
 *
 *     in place, a ring of N ranks on one GPU, S bytes each. In each of the N-1 steps all ranks together
 *         add     read two chunks and write one, S/N each      N x 3 S/N = 3 S
 *         copy    read one chunk and write one                 N x 2 S/N = 2 S
 *     so 5 S (N-1) bytes of memory at the least; from one array to another, too, and with avg's division,
 *     which are parts of the adding. What the plan moves it counts itself (rg_plan_traffic).
 *
 *   - copy: bytes read and written by cudaMemcpyAsync from the GPU to itself, many in a row between
 *     two events, the best of some: nothing here is measured more kindly.
 *   - fold: the same of our kernel that adds two arrays into a third, two reads and a write: what the
 *     adding half of a ring can reach.
 *   - host: from the launch until the host sees the GPU idle. device: between two events. Each kernel
 *     variant warms up for 0.3 s, and is matched with the exact answer before it is timed; a wrong one
 *     has no time.
 *   - Sizes that fit the GPU's cache can pass 100 %, and so can kernels that make fewer passes.
 *   - It keeps to its time: sizes that would not fit are left out, and it says which. Less than 30 s are for a glance.
 *   - It runs on real GPUs only: without one it says so and is content. RINGSIM_NCCL names the library
 *     of NCCL, as for the program.
 *
 * Usage: bench_gpu [MiB a rank, at most = 1024] [ranks, at most = 8] [seconds, at most = 600].
 * Needs 4 N S of the host's memory.
 */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda/kernels.h"
#include "job/backend.h"
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

typedef struct ceiling { /* room for two reads and a write, and what times them */
    char *left, *right, *out;
    size_t n_bytes; /* of each */
    int n_blocks;   /* that run at once */
    cudaStream_t stream;
    cudaEvent_t start, end;
} ceiling;

static bool ceiling_new(ceiling *c, size_t n_bytes) {
    const void *kernel = rg_kernel_of(RG_PIECE, RS_F32, RS_SUM);
    int a_processor = 0, n_processors = 0;
    *c = (ceiling){.n_bytes = n_bytes};
    const bool good =
        cudaSetDevice(0) == cudaSuccess &&
        cudaDeviceGetAttribute(&n_processors, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess &&
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_processor, kernel, RG_THREADS, 0) ==
            cudaSuccess &&
        cudaMalloc((void **)&c->left, n_bytes) == cudaSuccess &&
        cudaMalloc((void **)&c->right, n_bytes) == cudaSuccess &&
        cudaMalloc((void **)&c->out, n_bytes) == cudaSuccess &&
        cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking) == cudaSuccess &&
        cudaEventCreateWithFlags(&c->start, cudaEventDefault) == cudaSuccess &&
        cudaEventCreateWithFlags(&c->end, cudaEventDefault) == cudaSuccess &&
        cudaMemsetAsync(c->left, 1, n_bytes, c->stream) == cudaSuccess &&
        cudaMemsetAsync(c->right, 2, n_bytes, c->stream) == cudaSuccess &&
        cudaMemsetAsync(c->out, 3, n_bytes, c->stream) == cudaSuccess;
    c->n_blocks = a_processor * n_processors;
    return good && c->n_blocks > 0;
}

static void ceiling_free(ceiling *c) {
    if (c->start != NULL) cudaEventDestroy(c->start);
    if (c->end != NULL) cudaEventDestroy(c->end);
    if (c->stream != NULL) cudaStreamDestroy(c->stream);
    cudaFree(c->left);
    cudaFree(c->right);
    cudaFree(c->out);
    cudaGetLastError();
}

static bool ceiling_once(ceiling *c, bool folds) {
    if (!folds) {
        return cudaMemcpyAsync(c->out, c->left, c->n_bytes, cudaMemcpyDeviceToDevice, c->stream) ==
               cudaSuccess;
    }
    rg_piece piece = {.left = c->left,
                      .right = c->right,
                      .out = c->out,
                      .count = (int64_t)c->n_bytes / 4,
                      .n_ranks = 1,
                      .op_kind = RG_REDUCE};
    void *arguments[] = {&piece};
    const dim3 grid = {(unsigned)c->n_blocks, 1, 1}, block = {RG_THREADS, 1, 1};
    return cudaLaunchKernel(rg_kernel_of(RG_PIECE, RS_F32, RS_SUM), grid, block, arguments, 0,
                            c->stream) == cudaSuccess;
}

/* Bytes a second, read and written; 0: it cannot be told. */
static double ceiling_rate(ceiling *c, bool folds) {
    enum { N_IN_A_ROW = 10, N_TRIES = 6 };
    float best_ms = 0;
    for (int k = 0; k < N_TRIES; k++) {
        float ms = 0;
        bool good = cudaEventRecord(c->start, c->stream) == cudaSuccess;
        for (int i = 0; i < N_IN_A_ROW && good; i++) good = ceiling_once(c, folds);
        good = good && cudaEventRecord(c->end, c->stream) == cudaSuccess &&
               cudaEventSynchronize(c->end) == cudaSuccess &&
               cudaEventElapsedTime(&ms, c->start, c->end) == cudaSuccess;
        if (!good) return 0;
        if (k > 0 && (best_ms <= 0 || ms < best_ms)) best_ms = ms; /* the first warms up */
    }
    const double moved = (folds ? 3.0 : 2.0) * N_IN_A_ROW * (double)c->n_bytes;
    return best_ms > 0 ? moved / ((double)best_ms * 1e-3) : 0;
}

typedef struct rates { /* bytes a second; 0: not known */
    double copy, fold;
} rates;

static rates measure_ceilings(size_t n_bytes) {
    ceiling c;
    rates out = {0, 0};
    if (ceiling_new(&c, n_bytes)) {
        out = (rates){.copy = ceiling_rate(&c, false), .fold = ceiling_rate(&c, true)};
    }
    ceiling_free(&c);
    return out;
}

/* ------------------------------------------------------------------ the ladder */

typedef struct bench {
    int64_t most_bytes;
    int32_t most_ranks;
    double end_s; /* by now_s */
    rates of;     /* 0: several GPUs, whose memory is wider */
} bench;
typedef struct timed {
    int64_t host_ps, device_ps; /* 0: not known */
    int64_t traffic_bytes;
} timed;
typedef enum place { IN_PLACE, APART, APART_AVG, N_PLACES } place;
static const char *const place_names[N_PLACES] = {"in-place", "out-of-place", "avg"};

static double now_s(void) {
    return (double)rg_now_ps() * 1e-12;
}

static bool in_haste; /* so little time that a glance must do: all is measured less often */

/* A ring's job of n_bytes a rank. */
static rg_job job_of(const rs_schedule *schedule, int64_t n_bytes, place where) {
    return (rg_job){.schedule = schedule,
                    .dtype = RS_F32,
                    .op = where == APART_AVG ? RS_AVG : RS_SUM,
                    .count = n_bytes / 4,
                    .data = RS_DATA_RANDOM,
                    .in_place = where == IN_PLACE,
                    .warmup = 1,
                    .warmup_ms = in_haste ? 10 : 300,
                    .device_clock = true,
                    .times = in_haste             ? 3
                             : n_bytes < 64 << 20 ? 50
                                                  : 10,
                    .flip_rank = -1};
}

/* What the plan itself counts, in units of S. */
static void print_traffic(int32_t n) {
    const int64_t n_bytes = (int64_t)n << 10;
    printf("# N=%d: the plan reads and writes", (int)n);
    for (int where = 0; where < N_PLACES; where++) {
        rs_arena arena;
        rs_schedule schedule;
        rs_error error;
        rg_plan *plan;
        rs_arena_init(&arena, NULL);
        const rg_job job = job_of(&schedule, n_bytes, (place)where);
        if (rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), RS_ORDER_SEED, n,
                             job.count, &error, &schedule) == RS_OK &&
            rg_plan_new(&job, &arena, &error, &plan) == RS_OK) {
            printf("%s %.2f S %s", where == 0 ? "" : ",",
                   (double)rg_plan_traffic(plan, &job) / (double)n_bytes, place_names[where]);
        }
        rs_arena_free(&arena);
    }
    puts("");
}

/* The ladder, and kernel 5 with what could speed it up: each alone, and all. */
typedef struct entrant {
    const char *name;
    int32_t kernel;
    rg_tiling tiling;
} entrant;
static const entrant entrants[] = {{"1", 1, {0}},
                                   {"2", 2, {0}},
                                   {"3", 3, {0}},
                                   {"4", 4, {0}},
                                   {"5", 5, {0}},
                                   {"5-early", 5, {.early = true}},
                                   {"5-ahead", 5, {.ahead = true}},
                                   {"5-two", 5, {.lanes = 2, .cache_percent = 80}},
                                   {"5-quarters", 5, {.lanes = 4}},
                                   {"5-all", 5, {2, 80, true, true}},
                                   {"6", 6, {0}},
                                   {"7", 7, {0}}};
enum { N_ENTRANTS = sizeof entrants / sizeof *entrants };
static const entrant the_best = {"best", 0, {0}};

/* Runs one kernel variant on one size; median times, all 0: told why not. */
static timed run_variant(int32_t n, const entrant *variant, int64_t n_bytes, place where) {
    const rg_setup setup = {.n_ranks = n, .kernel = variant->kernel, .tiling = variant->tiling};
    rs_error error = {.text = ""};
    rs_arena arena;
    rs_schedule schedule;
    rg_group *group = NULL;
    rg_result result = {.completed = true};
    rs_arena_init(&arena, NULL);
    const rg_job job = job_of(&schedule, n_bytes, where);
    rs_status status = rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"),
                                        RS_ORDER_SEED, n, job.count, &error, &schedule);
    if (status == RS_OK) status = rg_group_open(RG_CUDA, &setup, host_of(), &error, &group);
    if (status == RS_OK) status = rg_group_run(group, &job, &arena, &error, &result);
    rg_group_close(group);
    rs_arena_free(&arena);
    const bool right =
        status == RS_OK && result.completed && result.n_wrong == 0 && result.n_spoilt == 0;
    if (right) return (timed){result.time_ps, result.device_ps, result.traffic_bytes};
    if (status != RS_OK) {
        printf("# N=%d kernel %s: %s\n", (int)n, variant->name, error.text);
    } else {
        printf("# N=%d kernel %s: FAILED: %s%lld elements wrong\n", (int)n, variant->name,
               result.failure, (long long)result.n_wrong);
    }
    return (timed){0, 0, 0};
}

/* Rates and shares are of the device's time where it is known: it is what the memory saw. */
static void print_row(const bench *b, int32_t n, int64_t n_bytes, const char *variant, place where,
                      timed time) {
    const int64_t time_ps = time.device_ps > 0 ? time.device_ps : time.host_ps;
    const double seconds = (double)time_ps * 1e-12, size = (double)n_bytes;
    const double moved = (double)time.traffic_bytes;
    printf("  %2d %8g  %-12s %10s %12.2f %12.2f %9.1f %9.1f %10.1f", (int)n,
           (double)n_bytes / 0x1p20, place_names[where], variant, (double)time.host_ps * 1e-6,
           (double)time.device_ps * 1e-6, size / seconds * 1e-9,
           size / seconds * 1e-9 * 2 * (n - 1) / n, moved / seconds * 1e-9);
    if (b->of.copy > 0) printf(" %9.1f", 100 * moved / seconds / b->of.copy);
    if (b->of.fold > 0) printf(" %9.1f", 100 * moved / seconds / b->of.fold);
    puts("");
    fflush(stdout);
}

/* All variants on one size; how long that took, in seconds. */
static double print_size(const bench *b, int32_t n, int64_t n_bytes) {
    const double start_s = now_s();
    for (int i = 0; i < N_PLACES * N_ENTRANTS; i++) {
        const place where = (place)(i / N_ENTRANTS);
        const entrant *variant = &entrants[i % N_ENTRANTS];
        if (where != IN_PLACE && (variant->kernel < 3 || variant->name[1] != '\0')) {
            continue; /* of these one table is enough */
        }
        if (variant->kernel == RG_BY_LINES && n_bytes > RG_LINES_MOST_BYTES) continue;
        if (now_s() > b->end_s) {
            printf("# left out: N=%d %g MiB, %s from kernel %s on: the time is over\n", (int)n,
                   (double)n_bytes / 0x1p20, place_names[where], variant->name);
            break;
        }
        const timed time = run_variant(n, variant, n_bytes, where);
        if (time.host_ps > 0) print_row(b, n, n_bytes, variant->name, where, time);
    }
    return now_s() - start_s;
}

/* The largest world first: it is what a short run must not miss. */
static void print_ladder(const bench *b) {
    puts("#  N  MiB/rank               kernel        host [us]  device [us]     algbw     busbw"
         "  memory GB/s   of copy   of fold [%]");
    for (int32_t n = b->most_ranks; n >= 2; n /= 2) {
        double before_s = 0;
        print_traffic(n);
        for (int64_t n_bytes = 1 << 16; n_bytes <= b->most_bytes; n_bytes *= 4) {
            /* What grows with the size may take four times as long. */
            if (now_s() + 4 * before_s > b->end_s) {
                printf("# left out: N=%d from %g MiB on: no time for it\n", (int)n,
                       (double)n_bytes / 0x1p20);
                break;
            }
            before_s = print_size(b, n, n_bytes);
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
    const char *named = getenv("RINGSIM_NCCL");
    void *library = dlopen(named != NULL && *named != '\0' ? named : "libnccl.so.2", RTLD_NOW);
    if (library == NULL) return false;
    *(void **)&out->init_all = dlsym(library, "ncclCommInitAll");
    *(void **)&out->all_reduce = dlsym(library, "ncclAllReduce");
    *(void **)&out->group_start = dlsym(library, "ncclGroupStart");
    *(void **)&out->group_end = dlsym(library, "ncclGroupEnd");
    return out->init_all != NULL && out->all_reduce != NULL && out->group_start != NULL &&
           out->group_end != NULL;
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
static void print_beside_nccl(int n, const bench *b) {
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
               cudaMalloc((void **)&arrays[i], (size_t)b->most_bytes) == cudaSuccess &&
               cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking) == cudaSuccess;
    }
    printf("# %d GPUs, a rank each\n#  MiB   ours: time [us]   busbw   ncclAllReduce: time [us]   "
           "busbw\n",
           n);
    for (int64_t n_bytes = 1 << 20; n_bytes <= b->most_bytes && good && now_s() < b->end_s;
         n_bytes *= 4) {
        const double factor = (double)n_bytes * 1e-9 * 2 * (n - 1) / n;
        const double ours_s = (double)run_variant(n, &the_best, n_bytes, IN_PLACE).host_ps * 1e-12;
        const double theirs_s = nccl_best(&nc, n, comms, arrays, streams, n_bytes);
        printf("  %5lld %15.1f %9.1f %20.1f %11.1f\n", (long long)(n_bytes >> 20), ours_s * 1e6,
               ours_s > 0 ? factor / ours_s : 0, theirs_s * 1e6,
               theirs_s > 0 ? factor / theirs_s : 0);
    }
    for (int i = 0; i < n; i++) cudaFree(arrays[i]); /* the rest goes with the process */
}

/* ------------------------------------------------------------------ all of it */

static void print_head(const rg_group *group, rates of, size_t n_bytes) {
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
    printf(
        "# copy on the GPU: %.1f GB/s, read and written; fold: %.1f GB/s, two reads and a write; "
        "arrays of %lld MiB\n",
        of.copy * 1e-9, of.fold * 1e-9, (long long)(n_bytes >> 20));
    puts(
        "# ring, f32 sum, and avg from one array to another; memory: what the plan reads and writes");
}

int main(int argc, char **argv) {
    bench b = {.most_bytes = (int64_t)(argc > 1 ? atoi(argv[1]) : 1024) << 20,
               .most_ranks = argc > 2 ? atoi(argv[2]) : 8};
    const rg_setup setup = {.n_ranks = 64};
    rs_error error = {.text = ""};
    rg_group *group = NULL;
    const int seconds = argc > 3 ? atoi(argv[3]) : 600;
    b.end_s = now_s() + seconds;
    in_haste = seconds < 30;
    if (rg_group_open(RG_CUDA, &setup, NULL, &error, &group) != RS_OK) {
        printf("bench-gpu: not run: %s\n", error.text);
        return 0;
    }
    int n_gpus = 0;
    cudaGetDeviceCount(&n_gpus);
    const size_t most = (size_t)1 << 30, n_bytes = (size_t)b.most_bytes * 4;
    const rates of = measure_ceilings(n_bytes < most ? n_bytes : most);
    print_head(group, of, n_bytes < most ? n_bytes : most);
    rg_group_close(group);
    if (n_gpus > MOST_GPUS) n_gpus = MOST_GPUS;
    if (n_gpus > 1) {
        puts("# several GPUs: shares are of one GPU's memory; hide all but one for them");
        print_beside_nccl(n_gpus, &b);
    } else {
        b.of = of;
    }
    print_ladder(&b);
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
