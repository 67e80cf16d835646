/* gpu_facts.c: what the first GPU is, and what became of each kernel on it, as lines of the hour's report:
 *
 *     gpu      name        NVIDIA H200
 *     kernel   whole       f32 sum: registers 72, local bytes 0, blocks on a multiprocessor 3; at worst ...
 *
 * Usage: gpu_facts. Exit 3 and a line of why where no GPU answers.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

#include "cuda/kernels.h"

static void fact(const char *name, long long number) {
    printf("gpu\t%s\t%lld\n", name, number);
}

static void print_attributes(void) {
    static const struct {
        const char *name;
        enum cudaDeviceAttr attribute;
    } asked[] = {{"multiprocessors", cudaDevAttrMultiProcessorCount},
                 {"capability major", cudaDevAttrComputeCapabilityMajor},
                 {"capability minor", cudaDevAttrComputeCapabilityMinor},
                 {"L2 bytes", cudaDevAttrL2CacheSize},
                 {"memory bus bits", cudaDevAttrGlobalMemoryBusWidth},
                 {"memory clock kHz", cudaDevAttrMemoryClockRate},
                 {"clock kHz", cudaDevAttrClockRate},
                 {"cooperative launch", cudaDevAttrCooperativeLaunch},
                 {"run time limit", cudaDevAttrKernelExecTimeout},
                 {"compute mode", cudaDevAttrComputeMode}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        int value = 0;
        if (cudaDeviceGetAttribute(&value, asked[i].attribute, 0) == cudaSuccess) {
            fact(asked[i].name, value);
        }
    }
}

/* The kernels: one address for a type and an operation. */
static const void *kernel_of(int which, rs_dtype dtype, rs_op op) {
    static const int32_t variants[] = {1, 2, 4, RG_BY_LINES, RG_FLOOR, RG_PIECE};
    return rg_kernel_of(variants[which], dtype, op);
}

static cudaError_t print_kernel(int which, const char *name) {
    struct cudaFuncAttributes of_f32, worst = {.numRegs = 0};
    int blocks = 0;
    const void *f32 = kernel_of(which, RS_F32, RS_SUM);
    cudaError_t code = cudaFuncGetAttributes(&of_f32, f32);
    if (code == cudaSuccess) {
        code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f32, RG_THREADS, 0);
    }
    for (int d = 0; d < RS_N_DTYPES && code == cudaSuccess; d++) {
        for (int o = 0; o < RS_N_OPS && code == cudaSuccess; o++) {
            struct cudaFuncAttributes one;
            code = cudaFuncGetAttributes(&one, kernel_of(which, (rs_dtype)d, (rs_op)o));
            if (code != cudaSuccess) break;
            if (one.numRegs > worst.numRegs) worst.numRegs = one.numRegs;
            if (one.localSizeBytes > worst.localSizeBytes) {
                worst.localSizeBytes = one.localSizeBytes;
            }
        }
    }
    if (code != cudaSuccess) return code;
    printf(
        "kernel\t%s\tf32 sum: registers %d, local bytes %d, blocks on a multiprocessor %d; of all "
        "types and operations at worst: registers %d, local bytes %d\n",
        name, of_f32.numRegs, (int)of_f32.localSizeBytes, blocks, worst.numRegs,
        (int)worst.localSizeBytes);
    return cudaSuccess;
}

int main(void) {
    static const char *const names[] = {
        "round by elements", "round by 16 bytes", "whole", "lines", "floor", "piece"};
    struct cudaDeviceProp properties;
    int n = 0, driver = 0, runtime = 0;
    size_t n_free = 0, n_all = 0;
    cudaError_t code = cudaGetDeviceCount(&n);
    if (code == cudaSuccess) code = cudaGetDeviceProperties(&properties, 0);
    if (code == cudaSuccess) code = cudaMemGetInfo(&n_free, &n_all);
    if (code != cudaSuccess) {
        printf("no GPU answers: %s\n", cudaGetErrorString(code));
        return 3;
    }
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    printf("gpu\tname\t%s\n", properties.name);
    printf("gpu\temulated\t%s\n", strstr(properties.name, "no GPU") != NULL ? "yes" : "no");
    fact("GPUs", n);
    printf("gpu\tdriver for CUDA\t%d.%d\n", driver / 1000, driver % 1000 / 10);
    printf("gpu\truntime of CUDA\t%d.%d\n", runtime / 1000, runtime % 1000 / 10);
    fact("memory bytes", (long long)n_all);
    fact("free bytes", (long long)n_free);
    print_attributes();
    fact("kernels", RG_N_VARIANTS);
    for (int which = 0; which < 6; which++) {
        code = print_kernel(which, names[which]);
        if (code == cudaSuccess) continue;
        printf("kernel\t%s\tdoes not load: %s\n", names[which], cudaGetErrorString(code));
        return 1;
    }
    return 0;
}
