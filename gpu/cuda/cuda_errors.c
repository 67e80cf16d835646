/* cuda_errors.c: the result of a call to CUDA, in one line.
 *
 *     RG_CUDA(gpus, 0, cudaMalloc(&block, n)) --> "cudaMalloc on GPU 0, NVIDIA H200: out of memory"
 *
 * Calls return at once while their work goes on: an error may be that of a kernel launched long
 * before. The group keeps only the first error, since the others follow from it.
 */
#include "cuda/cuda.h"

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
