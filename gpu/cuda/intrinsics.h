/* intrinsics.h: instructions that CUDA C++ has no functions for, and what tests must be able to replace.
 * Private to kernels.cu.
 *
 *   - Every loop that polls calls rg_pause in each turn.
 *   - `across`: several devices, or a device and the host, take part.
 *   - Only rg_kernel_address takes a kernel's address: tests learn its argument's size there.
 *
 * Tests build kernels.cu for a processor: tests/fake_cuda/include/shim.h then stands in place of this file.
 */
#ifndef RG_INTRINSICS_H
#define RG_INTRINSICS_H

#include <stdint.h>

/* A device function that nvcc does not inline. */
#define RG_SEPARATE __noinline__
/* Before a loop: nvcc unrolls it fully, or not at all. */
#define RG_UNROLL _Pragma("unroll")
#define RG_STAY_LOOP _Pragma("unroll 1")

/* An array that the threads of a block share. */
#define RG_SHARED(type, name, n) __shared__ type name[n]

/* A thread that loads a value with rg_load_acquire sees all that was written before its rg_store_release. */
static __device__ __forceinline__ uint32_t rg_load_acquire(const uint32_t *at, bool across) {
    uint32_t value;
    if (across) {
        asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    } else {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    }
    return value;
}
static __device__ __forceinline__ void rg_store_release(uint32_t *at, uint32_t value, bool across) {
    if (across) {
        asm volatile("st.release.sys.global.u32 [%0], %1;" : : "l"(at), "r"(value) : "memory");
    } else {
        asm volatile("st.release.gpu.global.u32 [%0], %1;" : : "l"(at), "r"(value) : "memory");
    }
}
/* A line: 4 bytes of data below 4 bytes of flag, in one access of 64 bits. Who loads the flag has the data of the same
   store: the PTX ISA (8.2.4) orders "memory locations with scalar data types, which have a maximum size and
   alignment of 64 bits", and takes an access of .v2 or .v4 for a "set of equivalent memory operations with a scalar
   data type, executed in an unspecified order": two halves of a .v2.u32 may come apart, those of a .u64 may not.
   .relaxed with a scope that holds both threads makes store and load strong, so that they are no race and see
   each other in time; neither acquire nor release is needed, since a line stands for no other memory. */
static __device__ __forceinline__ uint64_t rg_load_line(const uint64_t *at, bool across) {
    uint64_t line;
    if (across) {
        asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(line) : "l"(at) : "memory");
    } else {
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(line) : "l"(at) : "memory");
    }
    return line;
}
static __device__ __forceinline__ void rg_store_line(uint64_t *at, uint64_t line, bool across) {
    if (across) {
        asm volatile("st.relaxed.sys.global.u64 [%0], %1;" : : "l"(at), "l"(line) : "memory");
    } else {
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(at), "l"(line) : "memory");
    }
}
/* Loads a number that the host may change while the kernel runs. */
static __device__ __forceinline__ int rg_load_host(const int *at) {
    return *(const volatile int *)at;
}
/* Asks the L2 cache for the line that holds an address, and waits for nothing: what is loaded later may have changed
   meanwhile, and is then loaded as changed. */
static __device__ __forceinline__ void rg_prefetch(const void *at) {
    asm volatile("prefetch.global.L2 [%0];" : : "l"(at));
}
static __device__ __forceinline__ unsigned long long rg_clock_ns(void) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}
static __device__ __forceinline__ void rg_pause(unsigned ns) {
    __nanosleep(ns);
}
/* Orders what the threads of a warp did before with what they do after it. All threads of a block come here. */
static __device__ __forceinline__ void rg_sync_warp(void) {
    __syncwarp();
}
/* Convert IEEE binary16, as bits. Widening is exact; narrowing rounds to nearest, ties to even. Both keep
   subnormals; callers treat NaN themselves. */
static __device__ __forceinline__ float rg_widen_f16(uint16_t half) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
    return value;
}
static __device__ __forceinline__ uint16_t rg_narrow_f16(float value) {
    uint16_t half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    return half;
}
template <class Argument> static inline const void *rg_kernel_address(void (*kernel)(Argument)) {
    return reinterpret_cast<const void *>(kernel);
}

#endif
