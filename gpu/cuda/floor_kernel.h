/* floor_kernel.h: adds the elements of all ranks in registers, on a device. Private to kernels.cu.
 *
 *     term 0  |....xxxx....|  \
 *     term 1  |....xxxx....|   > one thread: total, in the order of the terms --> every end
 *     term 2  |....xxxx....|  /
 *
 *   - While a thread adds a term the loads of the next are under way.
 *   - Ends may be terms' arrays: a thread stores only what it has loaded from all of them.
 */
#pragma once

#include "cuda/arithmetic.h"
#include "cuda/cut.h"

template <int in_flight, class Pack>
static __device__ __forceinline__ void load_packs(Pack out[in_flight], const char *from,
                                                  int64_t n) {
    RG_UNROLL for (int k = 0; k < in_flight; k++) {
        out[k] = k * RG_THREADS < n ? ((const Pack *)from)[k * RG_THREADS] : Pack();
    }
}

/* Adds packs 0, RG_THREADS, ... of n, which lie `at` bytes from where the chunk begins. */
template <int in_flight, rs_dtype D, rs_op O, class Pack>
static __device__ __forceinline__ void add_packs(const rg_floor_run &run, const rg_floor_sum &sum,
                                                 int64_t at, int64_t n) {
    const folding<D, fold_op<O>> add;
    const rg_term *terms = run.terms + sum.first_term;
    Pack total[in_flight], next[in_flight];
    load_packs<in_flight>(total, terms[0].from + at, n);
    if (sum.n_terms > 1) load_packs<in_flight>(next, terms[1].from + at, n);
    RG_STAY_LOOP for (int32_t t = 1; t < sum.n_terms; t++) {
        const bool is_left = terms[t].is_left != 0;
        Pack term[in_flight];
        RG_UNROLL for (int k = 0; k < in_flight; k++) term[k] = next[k];
        if (t + 1 < sum.n_terms) load_packs<in_flight>(next, terms[t + 1].from + at, n);
        RG_UNROLL for (int k = 0; k < in_flight; k++) {
            total[k] = is_left ? add(term[k], total[k]) : add(total[k], term[k]);
        }
    }
    if (O == RS_AVG && sum.finish) {
        const finishing<D> divide_by{run.field.n_ranks};
        RG_UNROLL for (int k = 0; k < in_flight; k++) total[k] = divide_by(total[k], total[k]);
    }
    RG_STAY_LOOP for (int32_t e = 0; e < sum.n_ends; e++) {
        Pack *end = (Pack *)(run.ends[sum.first_end + e] + at);
        RG_UNROLL for (int k = 0; k < in_flight; k++) {
            if (k * RG_THREADS < n) end[k * RG_THREADS] = total[k];
        }
    }
}

/* Adds a slice of a sum's chunk, by all threads of the block: 16 bytes at a time, and one element each of those
   at both ends that fill no 16. */
template <int in_flight, rs_dtype D, rs_op O>
static __device__ __forceinline__ void add_slice(const rg_floor_run &run, const rg_floor_sum &sum,
                                                 slice part) {
    using bits = bits_of<D>;
    const int64_t size = sizeof(bits), a_pack = 16 / size, n = part.n;
    const char *first = run.ends[sum.first_end] + part.first * size;
    int64_t head = (int64_t)(-(uintptr_t)first % 16) / size;
    if (head > n) head = n;
    const int64_t n_packs = (n - head) / a_pack, edges = n - n_packs * a_pack;
    if (threadIdx.x < edges) {
        const int64_t i = threadIdx.x < head ? threadIdx.x : n - edges + threadIdx.x;
        add_packs<1, D, O, bits>(run, sum, (part.first + i) * size, 1);
    }
    RG_STAY_LOOP for (int64_t i = threadIdx.x; i < n_packs; i += in_flight * RG_THREADS) {
        add_packs<in_flight, D, O, uint4>(run, sum, (part.first + head + i * a_pack) * size,
                                          n_packs - i);
    }
}
