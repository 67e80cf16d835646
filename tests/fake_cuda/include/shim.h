/* shim.h: kernels.cu for a C++ compiler that knows nothing of CUDA. The Makefile includes it before the
 * first line of every .cu file that is built for the emulated device.
 *
 *   - Stands in place of gpu/cuda/intrinsics.h, whose guard it takes: the few things that are written in
 *     PTX there are calls of the emulator here.
 *   - A kernel is a plain function of one struct; rg_kernel_address tells the emulator how to call it.
 *   - Whatever spins must call rg_pause: threads here take turns of their own accord.
 */
#pragma once
#define RG_INTRINSICS_H

#include "emulator.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define RG_SEPARATE
#define RG_UNROLL
#define RG_STAY_LOOP

#define threadIdx (emu_now.thread)
#define blockIdx (emu_now.block)
#define blockDim (emu_now.block_dim)
#define gridDim (emu_now.grid_dim)

struct alignas(16) uint4 {
    unsigned int x, y, z, w;
};
static inline uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z, unsigned int w) {
    return uint4{x, y, z, w};
}

#define __syncthreads() emu_barrier(__FILE__, __LINE__)
static inline void __trap(void) {
    emu_trap();
}

/* Rounded to nearest, never contracted: -ffp-contract=off sees to that. */
static inline float __fadd_rn(float a, float b) {
    return a + b;
}
static inline float __fmul_rn(float a, float b) {
    return a * b;
}
static inline float __fmaf_rn(float a, float b, float c) {
    return fmaf(a, b, c);
}
static inline float __fdiv_rn(float a, float b) {
    return a / b;
}
static inline double __dadd_rn(double a, double b) {
    return a + b;
}
static inline double __dmul_rn(double a, double b) {
    return a * b;
}
static inline double __ddiv_rn(double a, double b) {
    return a / b;
}
template <class To, class From> static inline To emu_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "the bits of one are those of the other");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}
static inline unsigned int __float_as_uint(float x) {
    return emu_bits<unsigned int>(x);
}
static inline float __uint_as_float(unsigned int x) {
    return emu_bits<float>(x);
}
static inline long long __double_as_longlong(double x) {
    return emu_bits<long long>(x);
}
static inline double __longlong_as_double(long long x) {
    return emu_bits<double>(x);
}

/* Threads never run at the same time: what is one step here is one on the device. */
template <class T> static inline T atomicAdd(T *at, T value) {
    const T old = *at;
    *at = (T)(old + value);
    return old;
}
template <class T> static inline T atomicMin(T *at, T value) {
    const T old = *at;
    if (value < old) *at = value;
    return old;
}
template <class T> static inline T atomicMax(T *at, T value) {
    const T old = *at;
    if (old < value) *at = value;
    return old;
}

/* ---------------------------------------------------------------- gpu/cuda/intrinsics.h */

static inline uint32_t rg_load_acquire(const uint32_t *at, bool across) {
    emu_flag(at, across, false);
    return *(const volatile uint32_t *)at;
}
static inline void rg_store_release(uint32_t *at, uint32_t value, bool across) {
    emu_flag(at, across, true);
    *(volatile uint32_t *)at = value;
}
static inline uint64_t rg_load_line(const uint64_t *at, bool across) {
    emu_flag(at, across, false);
    return *(const volatile uint64_t *)at;
}
static inline void rg_store_line(uint64_t *at, uint64_t line, bool across) {
    emu_flag(at, across, true);
    *(volatile uint64_t *)at = line;
}
static inline int rg_load_host(const int *at) {
    return emu_load_host(at);
}
static inline void rg_prefetch(const void *at) {
    (void)*(const volatile char *)at; /* somewhere that there is */
}
static inline unsigned long long rg_clock_ns(void) {
    return emu_clock_ns();
}
static inline void rg_pause(unsigned) {
    emu_pause();
}
/* Warps do not run in step here: as good as a barrier, since all threads of the block come. */
static inline void rg_sync_warp(void) {
    emu_barrier(__FILE__, __LINE__);
}

/* Through the numbers' meaning, not their bits, so that it is no copy of sim/'s way. */
static inline float rg_widen_f16(uint16_t half) {
    const int exponent = half >> 10 & 31, digits = half & 0x3ff;
    const float sign = half >> 15 ? -1.0f : 1.0f;
    if (exponent == 31) return digits ? NAN : sign * INFINITY;
    return sign * (exponent == 0 ? ldexpf((float)digits, -24)
                                 : ldexpf((float)(digits + 1024), exponent - 25));
}
static inline uint16_t rg_narrow_f16(float value) {
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const float size = fabsf(value);
    int exponent = -13; /* subnormals count in units of 2^-24 */
    if (isnan(value)) return 0x7fff;
    if (size >= 65520) return (uint16_t)(sign | 0x7c00);
    if (size >= 0x1p-14f) frexpf(size, &exponent);          /* size < 2^exponent */
    const float units = rintf(ldexpf(size, 11 - exponent)); /* to nearest, ties to even */
    return (uint16_t)(sign | (((exponent + 13) << 10) + (int)units));
}

/* An array in shared memory, each of whose elements is read and written as a whole. */
template <class T> struct emu_shared_element {
    T *at;
    operator T() const {
        emu_shared_access(at, sizeof *at, false);
        return *at;
    }
    void operator=(const T &value) const {
        emu_shared_access(at, sizeof *at, true);
        *at = value;
    }
};
template <class T> struct emu_shared_array {
    T *base;
    emu_shared_element<T> operator[](int64_t i) const {
        return {base + i};
    }
};
#define RG_SHARED(type, name, n)                                                                   \
    const emu_shared_array<type> name = {static_cast<type *>(emu_shared((n) * sizeof(type)))}

template <class A> static void emu_call(const void *kernel, const void *argument) {
    A copy = *static_cast<const A *>(argument);
    reinterpret_cast<void (*)(A)>(const_cast<void *>(kernel))(copy);
}
template <class A> static inline const void *rg_kernel_address(void (*kernel)(A)) {
    return emu_kernel(reinterpret_cast<const void *>(kernel), emu_call<A>, sizeof(A));
}
