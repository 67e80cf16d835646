/* wavefront_vectors.c: runs a tile of the ring on the widest vectors that this processor has.
 *
 *   - wavefront_pass.h holds the walk along a row, once, for every vector unit.
 *   - On x86 the program chooses the unit at run time; elsewhere, and on an older x86, plain C does
 *     the same, one step at a time.
 *   - All of them add integers and take maxima, so all give the same numbers.
 *   - Plain C is much slower. Measured on AVX-512, G transfers a core-second (bench_wavefront,
 *     five runs in turn, median; even / uneven / adds): intrinsics 6.49 / 5.90 / 5.64; plain loops in
 *     blocks of 1,024 columns, -O3 and target_clones, 3.41 / 2.81 / 2.68; this walk in gcc's vector
 *     types, 3.76 / 3.10 / 3.01. Plain C loads each neighbour once more instead of shifting registers,
 *     and a row goes through the cache for each step instead of each fourth.
 */
#include "time/wavefront.h"
#include "base/containers.h"

#include <stddef.h>

/* Does one step of the first n columns; `s` steps of this tile came before. */
static void one_step(const rs_ring_tile *tile, ptrdiff_t n, ptrdiff_t s) {
    int64_t *t = tile->row;
    const int64_t *cost = tile->costs.cost + s;
    const int64_t *extra = tile->has_extra ? tile->costs.extra + s : NULL;
    const int64_t *larger = tile->larger;
    const int64_t *cost_more = larger ? tile->costs.cost_more + s : NULL;
    const int64_t *extra_more = larger ? tile->costs.extra_more + s : NULL;
    int64_t arrived = rs_larger(t[0], t[1]) + cost[0] + (larger ? cost_more[0] & larger[0] : 0);
    for (ptrdiff_t i = 0; i < n; i++) {
        int64_t next = rs_larger(t[i + 1], t[i + 2]) + cost[i + 1];
        int64_t ready = arrived;
        if (extra != NULL) ready += extra[i];
        if (larger != NULL) {
            ready += extra_more[i] & larger[i];
            next += cost_more[i + 1] & larger[i + 1];
        }
        t[i] = rs_larger(next, ready);
        arrived = next;
    }
}

static void run_from(const rs_ring_tile *tile, int32_t first) {
    for (ptrdiff_t s = first; s < tile->n_steps; s++) {
        one_step(tile, tile->n_columns + 2 * (tile->n_steps - 1 - s), s);
    }
}

static void run_plain(const rs_ring_tile *tile) {
    run_from(tile, 0);
}

static bool always(void) {
    return true;
}

static const rs_tile_runner plain_runner = {"plain", always, run_plain};

#if defined(__x86_64__) && defined(__GNUC__)
#define RS_HAS_X86_VECTORS 1
#include <immintrin.h>

typedef void pass_function(int64_t *t, ptrdiff_t n, const rs_ring_costs *costs,
                           const int64_t *larger);

static const int64_t *moved(const int64_t *words, ptrdiff_t by) {
    return words == NULL ? NULL : words + by;
}

/* Does the steps of a tile in fours, as far as there are four. Each pass needs the row two columns
   longer for each step still to come. Returns how many steps it did. */
static int32_t run_fused(const rs_ring_tile *tile, pass_function *plain, pass_function *extra,
                         pass_function *mixed) {
    pass_function *pass = tile->larger != NULL ? mixed : tile->has_extra ? extra : plain;
    int32_t s = 0;
    for (; s + RS_RING_FUSED <= tile->n_steps; s += RS_RING_FUSED) {
        const rs_ring_costs costs = {
            moved(tile->costs.cost, s),
            moved(tile->costs.extra, s),
            moved(tile->costs.cost_more, s),
            moved(tile->costs.extra_more, s),
        };
        const ptrdiff_t to_come = tile->n_steps - s - RS_RING_FUSED;
        pass(tile->row, tile->n_columns + 2 * to_come, &costs, tile->larger);
    }
    return s;
}

#define WIDTH 8
#define TARGET __attribute__((target("avx512f")))
#define MAX(a, b) (NAME(vec)) _mm512_max_epi64((__m512i)(a), (__m512i)(b))
#define NEXT(a, b) (NAME(vec)) _mm512_alignr_epi64((__m512i)(b), (__m512i)(a), 1)
#define NAME(x) avx512_##x
#include "time/wavefront_pass.h"

static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f");
}

static void run_avx512(const rs_ring_tile *tile) {
    run_from(tile, run_fused(tile, avx512_plain, avx512_extra, avx512_mixed));
}

static const rs_tile_runner avx512_runner = {"avx512", has_avx512, run_avx512};

/* AVX2 has no maximum of 64-bit integers, but one of doubles, and positive doubles have the order
   of their bits as integers. With the bits of 2.0 added to it a row holds ordinary doubles only
   (times end at 2^53), no NaN and no denormal. AVX2 shifts only within its two halves, hence the
   permutation. */
#define WIDTH 4
#define TARGET __attribute__((target("avx2")))
#define MAX(a, b) (NAME(vec)) _mm256_max_pd((__m256d)(a), (__m256d)(b))
#define NEXT(a, b)                                                                                 \
    (NAME(vec)) _mm256_alignr_epi8(_mm256_permute2x128_si256((__m256i)(a), (__m256i)(b), 0x21),    \
                                   (__m256i)(a), 8)
#define NAME(x) avx2_##x
#include "time/wavefront_pass.h"

static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2");
}

static void raise_row(const rs_ring_tile *tile, int64_t by) {
    int64_t *row = tile->row;
    const int32_t n = tile->n_columns + 2 * tile->n_steps + RS_RING_MARGIN;
    for (int32_t i = 0; i < n; i++) row[i] += by;
}

static void run_avx2(const rs_ring_tile *tile) {
    const int64_t bits_of_two = (int64_t)1 << 62;
    raise_row(tile, bits_of_two);
    const int32_t done = run_fused(tile, avx2_plain, avx2_extra, avx2_mixed);
    raise_row(tile, -bits_of_two);
    run_from(tile, done);
}

static const rs_tile_runner avx2_runner = {"avx2", has_avx2, run_avx2};
#endif

const rs_tile_runner *const rs_all_tile_runners[] = {
#ifdef RS_HAS_X86_VECTORS
    &avx512_runner,
    &avx2_runner,
#endif
    &plain_runner,
    NULL,
};
