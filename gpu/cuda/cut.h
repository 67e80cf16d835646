/* cut.h: which elements a block takes, on a device. Private to kernels.cu.
 *
 *     array   |  chunk 0   |  chunk 1   | chunk 2  |      cut_of: a kernel calls it once
 *     chunk   | slice 0 | slice 1 | 2 |                   slice_of: a block's slice of any chunk
 */
#pragma once

#include "cuda/kernels.h"

#include "cuda/intrinsics.h"

typedef struct slice { /* of a chunk, in elements from its start */
    int64_t first, n;
} slice;

/* Rounds a slice, in units of 16 bytes: a large one up to whole lines of 128 bytes, which memory moves. */
static __device__ __forceinline__ int64_t whole_lines(int64_t units) {
    return units < 512 ? units : (units + 7) / 8 * 8;
}

static __device__ __forceinline__ slice slice_of(int64_t n, int64_t length, int32_t index) {
    const int64_t first = index * length, rest = n - first;
    return slice{first, rest < 0 ? 0 : rest < length ? rest : length};
}

/* A division of 64 bits by 64 takes many instructions: kernels call one function for it, and rarely. */
static __device__ RG_SEPARATE int64_t divide(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a / (uint64_t)b);
}

/* How kernels cut chunks into slices: by the chunk's size alone, so that a slice holds the same elements in every
   move. A move says where its chunk begins (rg_move). */
typedef struct cut {
    int64_t chunk, slice; /* elements; of a slice at the most */
    int32_t slice_more;   /* chunks with one element more may need so much larger slices */
} cut;

static __device__ __forceinline__ cut cut_of(const rg_field &field, int32_t slices, int32_t unit) {
    cut made;
    const int32_t n_chunks = field.n_chunks > 0 ? field.n_chunks : 1; /* no chunks: no moves */
    made.chunk = divide(field.count, n_chunks);
    const int64_t units = (made.chunk + unit - 1) / unit, of_larger = made.chunk / unit + 1;
    const int64_t down = divide(units, slices), up = down + (units > down * slices);
    made.slice = whole_lines(up) * unit;
    made.slice_more = (int32_t)(whole_lines(of_larger > units ? down + 1 : up) * unit - made.slice);
    return made;
}

static __device__ __forceinline__ slice part_of(const cut &how, const rg_turn &turn,
                                                int32_t index) {
    return slice_of(turn.n, how.slice + (turn.larger ? how.slice_more : 0), index);
}
