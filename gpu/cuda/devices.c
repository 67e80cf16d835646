/* devices.c: which GPUs there are, what they can do, and which can read whose memory.
 *
 *     4 ranks, 2 GPUs      GPU 0 [0 1]   GPU 1 [2 3]        neighbours in a ring share a GPU, most of them
 *
 *   - With more GPUs than ranks we use the first N.
 *   - The host asks for every pair whether a GPU may read the other's memory, and switches it on. At the end
 *     it switches off what it has switched on: of two groups of one process that are open at once the first
 *     opened must be the last closed.
 */
#include "cuda/cuda.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ are there any? */

/* Says what the driver answered, and what the user can do about it. */
static bool say_none(cudaError_t code, rs_error *error) {
    const char *shown = getenv("CUDA_VISIBLE_DEVICES");
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    cudaGetLastError();
    if (code == cudaErrorInsufficientDriver && driver > 0) {
        rs_fail(
            error, RS_UNSUPPORTED,
            "the NVIDIA driver is for CUDA %d.%d, this build needs CUDA %d.%d; update the driver",
            driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    } else if (code == cudaErrorInsufficientDriver) {
        rs_fail(error, RS_UNSUPPORTED, "no NVIDIA driver; see ringsim doctor");
    } else if ((code == cudaErrorNoDevice || code == cudaSuccess) && shown != NULL) {
        rs_fail(error, RS_UNSUPPORTED,
                "CUDA_VISIBLE_DEVICES=\"%.60s\" shows no GPU; unset it, or name one", shown);
    } else if (code == cudaErrorNoDevice || code == cudaSuccess) {
        rs_fail(error, RS_UNSUPPORTED, "an NVIDIA driver, but no GPU that it knows");
    } else {
        rs_fail(error, RS_UNSUPPORTED, "CUDA does not start: %s; see nvidia-smi",
                cudaGetErrorString(code));
    }
    return false;
}

/* Asks the driver only; what was really compiled shows when a kernel is loaded (check_kernels). */
static bool is_young_enough(int device, rs_error *error) {
    enum {
        LEAST = 75
    }; /* the oldest architecture that the build asks nvcc for: tests/tools/detect */
    int major = 0, minor = 0;
    const bool known =
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess;
    if (!known) cudaGetLastError();
    if (!known || 10 * major + minor >= LEAST) return true;
    rs_fail(error, RS_UNSUPPORTED,
            "GPU %d has compute capability %d.%d, the kernels need %d.%d; hide it by "
            "CUDA_VISIBLE_DEVICES, or use a newer GPU",
            device, major, minor, LEAST / 10, LEAST % 10);
    return false;
}

bool rg_devices_there(int *n, rs_error *error) {
    int found = 0;
    const cudaError_t code = cudaGetDeviceCount(&found);
    if (code != cudaSuccess || found == 0) return say_none(code, error);
    if (found > RG_MOST_GPUS) found = RG_MOST_GPUS;
    for (int i = 0; i < found; i++) {
        if (!is_young_enough(i, error)) return false;
    }
    *n = found;
    return true;
}

/* ------------------------------------------------------------------ what they can */

/* The first call about a kernel loads it: a GPU too old, or too new, for what was compiled shows
   here. */
static bool check_kernels(rg_gpus *gpus, int i) {
    int blocks, major = 0, minor = 0;
    const rg_gpu *gpu = &gpus->list[i];
    const cudaError_t code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, rg_kernel_of(4, RS_F32, RS_SUM), RG_THREADS, 0);
    if (code != cudaErrorNoKernelImageForDevice && code != cudaErrorInvalidDeviceFunction &&
        code != cudaErrorUnsupportedPtxVersion) {
        return rg_cuda_ok(gpus, i, code, "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    }
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu->device);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, gpu->device);
    cudaGetLastError();
    return rg_cuda_trouble(gpus, RS_UNSUPPORTED,
                           "GPU %d, %s, has compute capability %d.%d, for which this build has no "
                           "kernels; build with a toolkit that knows it, or hide it by "
                           "CUDA_VISIBLE_DEVICES",
                           gpu->device, gpu->name, major, minor);
}

static bool open_one(rg_gpus *gpus, int i) {
    rg_gpu *gpu = &gpus->list[i];
    struct cudaDeviceProp properties;
    int cooperative = 0;
    const int32_t n = gpus->group.n_ranks;
    gpu->device = i;
    snprintf(gpu->name, sizeof gpu->name, "?");
    if (!RG_CUDA(gpus, i, cudaGetDeviceProperties(&properties, i))) return false;
    snprintf(gpu->name, sizeof gpu->name, "%.63s", properties.name);
    gpu->first_rank = (int32_t)(((int64_t)i * n + gpus->n - 1) / gpus->n);
    gpu->n_ranks = (int32_t)(((int64_t)(i + 1) * n + gpus->n - 1) / gpus->n) - gpu->first_rank;
    if (!rg_cuda_on(gpus, i) ||
        !RG_CUDA(gpus, i, cudaDeviceGetAttribute(&gpu->n_sms, cudaDevAttrMultiProcessorCount, i)) ||
        !RG_CUDA(gpus, i, cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, i)) ||
        !check_kernels(gpus, i)) {
        return false;
    }
    gpu->cooperative = cooperative != 0;
    return RG_CUDA(gpus, i, cudaStreamCreateWithFlags(&gpu->stream, cudaStreamNonBlocking)) &&
           RG_CUDA(gpus, i, cudaEventCreateWithFlags(&gpu->event, cudaEventDisableTiming));
}

static bool open_pair(rg_gpus *gpus, int from, int to) {
    int can = from == to;
    const int device = gpus->list[from].device, peer = gpus->list[to].device;
    if (from != to && !RG_CUDA(gpus, from, cudaDeviceCanAccessPeer(&can, device, peer))) {
        return false;
    }
    if (from != to && can) {
        const cudaError_t code = cudaDeviceEnablePeerAccess(peer, 0);
        if (code == cudaErrorPeerAccessAlreadyEnabled) {
            cudaGetLastError();
        } else if (code == cudaSuccess) {
            gpus->made_so[from * gpus->n + to] = true;
        } else { /* allowed, but it does not work: do without */
            cudaGetLastError();
            can = 0;
        }
    }
    gpus->reaches[from * gpus->n + to] = can;
    return true;
}

int rg_gpu_of(const rg_gpus *gpus, int32_t rank) {
    assert(rank >= 0);
    assert(rank < gpus->group.n_ranks);
    return (int)((int64_t)rank * gpus->n / gpus->group.n_ranks);
}

bool rg_devices_open(rg_gpus *gpus) {
    gpus->list = calloc((size_t)gpus->n, sizeof *gpus->list);
    gpus->reaches = calloc((size_t)(gpus->n * gpus->n), sizeof *gpus->reaches);
    gpus->made_so = calloc((size_t)(gpus->n * gpus->n), sizeof *gpus->made_so);
    if (gpus->list == NULL || gpus->reaches == NULL || gpus->made_so == NULL) {
        return rg_cuda_trouble(gpus, RS_NO_MEMORY, "no memory for %d GPUs", gpus->n);
    }
    for (int i = 0; i < gpus->n; i++) {
        if (!open_one(gpus, i)) return false;
    }
    for (int from = 0; from < gpus->n; from++) {
        if (!rg_cuda_on(gpus, from)) return false;
        for (int to = 0; to < gpus->n; to++) {
            if (!open_pair(gpus, from, to)) return false;
        }
    }
    void *board;
    if (!rg_cuda_on(gpus, 0) ||
        !RG_CUDA(gpus, 0,
                 cudaHostAlloc(&board, sizeof *gpus->board,
                               cudaHostAllocPortable | cudaHostAllocMapped))) {
        return false;
    }
    memset(board, 0, sizeof *gpus->board);
    gpus->board = board;
    return RG_CUDA(gpus, 0, cudaStreamCreateWithFlags(&gpus->spare, cudaStreamNonBlocking));
}

static void part_peers(rg_gpus *gpus, int from) {
    for (int to = 0; to < gpus->n; to++) {
        if (gpus->made_so[from * gpus->n + to]) cudaDeviceDisablePeerAccess(gpus->list[to].device);
    }
}

/* Gives back what the group holds on the GPUs. A GPU that never ends a kernel would never answer:
   then all stays until the process ends. */
void rg_devices_close(rg_gpus *gpus) {
    if (gpus->busy) rg_never_ends = true;
    for (int i = 0; i < gpus->n && gpus->list != NULL && !gpus->busy; i++) {
        cudaSetDevice(gpus->list[i].device);
        if (gpus->list[i].event != NULL) cudaEventDestroy(gpus->list[i].event);
        if (gpus->list[i].stream != NULL) cudaStreamDestroy(gpus->list[i].stream);
        if (gpus->made_so != NULL) part_peers(gpus, i);
    }
    if (gpus->spare != NULL && !gpus->busy) cudaStreamDestroy(gpus->spare);
    if (gpus->board != NULL && !gpus->busy) cudaFreeHost(gpus->board);
    cudaGetLastError();
    free(gpus->list);
    free(gpus->reaches);
    free(gpus->made_so);
}
