/* cuda_take.c: memory of the GPUs, taken for one job and given back with it. */
#include "cuda/cuda.h"

#include <assert.h>
#include <string.h>

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
