/* cuda_errors.c: the result of a call to CUDA, in one line.
 *
 *     RG_CUDA(gpus, 0, cudaMalloc(&block, n)) --> "cudaMalloc on GPU 0, NVIDIA H200: out of memory"
 *
 * Calls return at once while their work goes on: an error may be that of a kernel launched long
 * before. The group keeps only the first error, since the others follow from it.
 */
#include "cuda/cuda.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool rg_cuda_trouble(rg_gpus *gpus, rs_status status, const char *format, ...) {
    if (gpus->status != RS_OK) return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(gpus->trouble.text, sizeof gpus->trouble.text, format, arguments);
    va_end(arguments);
    gpus->status = status;
    return false;
}

bool rg_cuda_ok(rg_gpus *gpus, int gpu, cudaError_t code, const char *call) {
    if (code == cudaSuccess) return true;
    cudaGetLastError(); /* else the next launch would report it once more */
    char where[96] = "";
    if (gpu >= 0) {
        snprintf(where, sizeof where, " on GPU %d, %s", gpus->list[gpu].device,
                 gpus->list[gpu].name);
    }
    const int name = (int)strcspn(call, "(");
    const bool full = code == cudaErrorMemoryAllocation;
    return rg_cuda_trouble(gpus, full ? RS_NO_MEMORY : RS_UNSUPPORTED, "%.*s%s: %s%s", name, call,
                           where, cudaGetErrorString(code), full ? "; take smaller sizes" : "");
}

bool rg_cuda_on(rg_gpus *gpus, int gpu) {
    return RG_CUDA(gpus, gpu, cudaSetDevice(gpus->list[gpu].device));
}

/* ------------------------------------------------------------------ memory of the GPUs, taken for one job and given back with it */

void *rg_take(rg_cuda_job *work, int gpu, size_t n_bytes, bool shared) {
    assert(gpu >= 0);
    assert(gpu < work->gpus->n);
    rg_gpus *gpus = work->gpus;
    void *pointer = NULL;
    if (work->n_taken == work->most_taken || !rg_cuda_on(gpus, gpu)) return NULL;
    if (n_bytes == 0) n_bytes = 1;
    const bool taken =
        shared
            ? RG_CUDA(gpus, gpu,
                      cudaHostAlloc(&pointer, n_bytes, cudaHostAllocPortable | cudaHostAllocMapped))
            : RG_CUDA(gpus, gpu, cudaMalloc(&pointer, n_bytes));
    if (!taken) return NULL;
    work->taken[work->n_taken++] = (rg_taken){pointer, gpu, shared};
    if (shared) {
        memset(pointer, 0, n_bytes);
    } else if (!RG_CUDA(gpus, gpu, cudaMemsetAsync(pointer, 0, n_bytes, gpus->list[gpu].stream)) ||
               !RG_CUDA(gpus, gpu, cudaStreamSynchronize(gpus->list[gpu].stream))) {
        return NULL;
    }
    return pointer;
}

void *rg_as_seen_by(rg_cuda_job *work, int gpu, void *pointer, bool shared) {
    void *seen = pointer;
    if (pointer == NULL || !shared) return pointer;
    if (!rg_cuda_on(work->gpus, gpu) ||
        !RG_CUDA(work->gpus, gpu, cudaHostGetDevicePointer(&seen, pointer, 0))) {
        return NULL;
    }
    return seen;
}

void rg_memory_give_back(rg_cuda_job *work) {
    for (int32_t i = 0; i < work->n_taken && !work->gpus->busy; i++) {
        const rg_taken *t = &work->taken[i];
        cudaSetDevice(work->gpus->list[t->gpu].device);
        if (t->shared) {
            cudaFreeHost(t->pointer);
        } else {
            cudaFree(t->pointer);
        }
    }
    cudaGetLastError();
    work->n_taken = 0;
}
