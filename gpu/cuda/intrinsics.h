/* intrinsics.h: the few things that CUDA C++ has no words for, or that a test must be able to replace.
 * Private to kernels.cu.
 *
 *   - Whatever spins calls rg_pause each time round.
 *   - `across`: several devices, or a device and the host, take part.
 *   - rg_kernel_address is the only way to a kernel's address: tests learn its argument's size there.
 *
 * Tests build kernels.cu for a processor: tests/device/include/shim.h then stands in place of this file.
 */
#ifndef RG_INTRINSICS_H
#define RG_INTRINSICS_H

#include <stdint.h>

/* What was written before the store of this value is seen after the load of it. */
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
/* A number that the host may change while the kernel runs. */
static __device__ __forceinline__ int rg_load_host(const int *at) {
    return *(const volatile int *)at;
}
static __device__ __forceinline__ unsigned long long rg_clock_ns(void) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}
static __device__ __forceinline__ void rg_pause(void) {
    __nanosleep(20);
}
template <class Argument> static inline const void *rg_kernel_address(void (*kernel)(Argument)) {
    return reinterpret_cast<const void *>(kernel);
}

#endif
