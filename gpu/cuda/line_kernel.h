/* line_kernel.h: a chunk arrives as lines, is added, and goes on as lines; on a device. Private to kernels.cu.
 *
 *     unit     4 bytes of elements, or one of 8:   | data, run | (data, run |)        one line or two
 *     thread   own operand loaded --> its lines arrive --> added --> stored, and sent on
 *
 *   - A thread has the same units of a chunk in every turn: what it loads of its own array it has written itself.
 *   - No barrier, no fence: a line is whole or not there (intrinsics.h).
 */
#pragma once

#include "cuda/arithmetic.h"
#include "cuda/cut.h"

/* Waits a little between two looks, numbered from 1; false: the host says stop. It lies in the host's memory:
   thousands of threads that load it often jam the bus, and with it the blocks that they wait for (an H100 took
   20 ms for naive's 8 x 64 MiB with 256 looks, 0.9 with these). */
static __device__ __forceinline__ bool looks_on(const int *stop, int look) {
    enum { LOOKS = 4096 /* between two loads of `stop` */, EAGER = 64 /* in quick succession */ };
    if (look % LOOKS == 0 && rg_load_host(stop) != 0) return false;
    rg_pause(look <= EAGER ? 20 : 500);
    return true;
}

template <rs_dtype D> struct line_unit {
    using bits = bits_of<D>;
    enum { per = sizeof(bits) < 4 ? 4 / sizeof(bits) : 1, lines = sizeof(bits) > 4 ? 2 : 1 };
    bits at[per];

    /* n: elements that there are from `from` on. */
    __device__ __forceinline__ void load(const bits *from, int64_t n) {
        RG_UNROLL for (int k = 0; k < per; k++) at[k] = k < n ? from[k] : 0;
    }
    __device__ __forceinline__ void store(bits *to, int64_t n) const {
        RG_UNROLL for (int k = 0; k < per; k++) {
            if (k < n) to[k] = at[k];
        }
    }
    __device__ __forceinline__ uint32_t word(int line) const {
        if constexpr (lines == 2) return (uint32_t)(at[0] >> 32 * line);
        uint32_t out = 0;
        RG_UNROLL for (int k = 0; k < per; k++) out |= (uint32_t)at[k] << k * 32 / per;
        return out;
    }
    __device__ __forceinline__ void set_word(int line, uint32_t word) {
        if constexpr (lines == 2) {
            at[0] = (line == 0 ? 0 : at[0]) | (uint64_t)word << 32 * line;
        } else {
            RG_UNROLL for (int k = 0; k < per; k++) at[k] = (bits)(word >> k * 32 / per);
        }
    }
};

/* A block that must stop goes on with whatever it has: the run is lost, but it ends. */
static __device__ __forceinline__ uint32_t receive(const rg_whole &whole, const uint64_t *at) {
    uint64_t line = rg_load_line(at, whole.across);
    for (int look = 1; (uint32_t)(line >> 32) != whole.run + 1; look++) {
        if (!looks_on(whole.stop, look)) break;
        line = rg_load_line(at, whole.across);
    }
    return (uint32_t)line;
}

template <rs_dtype D, rs_op O>
static __device__ __forceinline__ void make_line_turn(const rg_whole &whole, const rg_turn &turn,
                                                      slice part) {
    using bits = bits_of<D>;
    using unit = line_unit<D>;
    RG_STAY_LOOP for (int64_t i = (int64_t)threadIdx.x * unit::per; i < part.n;
                      i += RG_THREADS * unit::per) {
        const int64_t first = part.first + i, n = turn.n - first,
                      line = first / unit::per * unit::lines;
        unit value = {}, own = {};
        if (turn.op_kind == RG_REDUCE) own.load((const bits *)turn.right + first, n);
        if (turn.left != nullptr) value.load((const bits *)turn.left + first, n);
        RG_UNROLL for (int k = 0; k < unit::lines && turn.left == nullptr; k++) {
            value.set_word(k, receive(whole, turn.lines.in + line + k));
        }
        if (turn.flip && first == 0) value.at[0] ^= 1;
        RG_UNROLL for (int k = 0; k < unit::per && turn.op_kind == RG_REDUCE; k++) {
            value.at[k] = fold<D, fold_op<O>>(value.at[k], own.at[k]);
        }
        RG_UNROLL for (int k = 0; k < unit::per && O == RS_AVG && turn.finish; k++) {
            value.at[k] = finish<D>(value.at[k], whole.field.n_ranks);
        }
        if (turn.out != nullptr) value.store((bits *)turn.out + first, n);
        RG_UNROLL for (int k = 0; k < unit::lines && turn.lines.to != nullptr; k++) {
            rg_store_line(turn.lines.to + line + k, (uint64_t)(whole.run + 1) << 32 | value.word(k),
                          whole.across);
        }
    }
}
