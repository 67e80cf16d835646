/* Other people's bugs as tests: published failures of collective libraries, each on our execution.
 *
 * The names in brackets are where the bug was reported: project and issue, commit or release note.
 */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/naive_apply.h"
#include "ringsim.h"

static void apply_all(const rs_schedule *s, rs_dtype dtype, rs_op op, int64_t count,
                      void *const ranks[], const rs_fault *flip) {
    const rs_apply_options options = {
        .until_step = s->n_steps, .faults = flip, .n_faults = flip != NULL};
    rs_error error = {.text = ""};
    cr_assert_eq(rs_apply(s, dtype, op, count, ranks, &options, NULL, &error), RS_OK, "%s",
                 error.text);
}

/* Returns how many ranks are wrong. */
static int32_t count_wrong(const rs_schedule *s, rs_dtype dtype, rs_op op, int64_t count,
                           void *const inputs[], void *const results[], bool wrong[]) {
    cr_assert_eq(rs_compare(s, dtype, op, count, (const void *const *)inputs,
                            (const void *const *)results, NULL, NULL, wrong),
                 RS_OK);
    int32_t n_wrong = 0;
    for (int32_t r = 0; r < s->n_ranks; r++) n_wrong += wrong[r];
    return n_wrong;
}

static float *floats(void *const ranks[], int32_t rank) {
    return ranks[rank];
}

/* A tail dropped where N does not divide n (pypto PR 1942); n < N wrong in place (ompi 9385) or hanging
   (ACCL 73); zero elements crashing (gloo PR 309, pytorch PR 140741); powers of two assumed (torchcomms
   PR 3214, mpich 45bcce60db); in place right for N = 2 only (microsoft/ark PR 253). */
Test(bugs, every_element_is_summed_whatever_n_and_the_count) {
    const int32_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 9, 12, 24};
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int k = 0; k < 10; k++) {
            const int32_t n = sizes[k];
            for (int64_t count = 0; count <= 3 * n + 1; count++) {
                const rs_schedule s =
                    make_schedule(rs_algorithms[i]->name, RS_ORDER_SEED, n, count);
                void **ranks = new_ranks(RS_DATA_INDEX, RS_I64, n, n, count, NULL);
                apply_all(&s, RS_I64, RS_SUM, count, ranks, NULL);
                for (int32_t r = 0; r < n; r++) {
                    for (int64_t e = 0; e < count; e++) {
                        const int64_t sum = count * n * (n - 1) / 2 + n * e;
                        cr_assert_eq(((int64_t *)ranks[r])[e], sum, "%s N=%d K=%d", s.name, n,
                                     (int)count);
                    }
                }
                free_ranks(ranks, n);
            }
        }
    }
}

/* avg ignored or wrong for a single rank (torch-xla 9670, pytorch PR 154928). */
Test(bugs, avg_of_one_rank_is_what_it_has) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        const rs_schedule s = make_schedule(rs_algorithms[i]->name, RS_ORDER_SEED, 1, 5);
        for (int d = 0; d < RS_N_DTYPES; d++) {
            void **ranks = new_ranks(RS_DATA_RANDOM, (rs_dtype)d, 1, 1, 5, NULL);
            void **before = copy_ranks(ranks, (rs_dtype)d, 1, 5);
            apply_all(&s, (rs_dtype)d, RS_AVG, 5, ranks, NULL);
            cr_expect_arr_eq(ranks[0], before[0], 5 * (size_t)rs_dtype_bytes((rs_dtype)d));
            free_ranks(ranks, 1);
            free_ranks(before, 1);
        }
    }
}

typedef struct fenced { /* n_bytes between two pages that must not be touched */
    char *pages, *start;
    size_t n_mapped;
} fenced;

static fenced new_fenced(size_t n_bytes, size_t offset, bool at_the_end) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t inner = (n_bytes + offset + page - 1) / page * page;
    fenced f = {.n_mapped = inner + 2 * page};
    f.pages = mmap(NULL, f.n_mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(f.pages, MAP_FAILED);
    cr_assert_eq(mprotect(f.pages + page, inner, PROT_READ | PROT_WRITE), 0);
    f.start = f.pages + page + (at_the_end ? inner - n_bytes : offset);
    return f;
}

/* Misaligned buffers and odd counts (pytorch 119345, mscclpp 682, ucc PR 1312, NCCL 2.15.5); reads past
   the end (nccl 265, rounding to 16 bytes). */
Test(bugs, works_at_any_alignment_and_touches_nothing_outside) {
    const int64_t counts[] = {1, 3, 17, 1027};
    for (int d = 0; d < RS_N_DTYPES; d++) {
        const rs_dtype dtype = (rs_dtype)d;
        const size_t size = (size_t)rs_dtype_bytes(dtype);
        for (int k = 0; k < 4; k++) {
            for (size_t offset = 0; offset <= 16; offset++) { /* 16: flush with the end */
                const int64_t count = counts[k];
                const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 3, count);
                void **plain = new_ranks(RS_DATA_RANDOM, dtype, 3, 3, count, NULL);
                fenced fences[3];
                void *ranks[3];
                for (int r = 0; r < 3; r++) {
                    fences[r] = new_fenced((size_t)count * size, offset, offset == 16);
                    ranks[r] = fences[r].start;
                    memcpy(ranks[r], plain[r], (size_t)count * size);
                }
                apply_all(&s, dtype, RS_SUM, count, ranks, NULL);
                apply_all(&s, dtype, RS_SUM, count, plain, NULL);
                for (int r = 0; r < 3; r++) {
                    cr_assert(rs_equal(dtype, ranks[r], plain[r], count));
                    munmap(fences[r].pages, fences[r].n_mapped);
                }
                free_ranks(plain, 3);
            }
        }
    }
}

/* The answer depended on which rank held the NaN (mlx 4072, openshmem 467, tvm 19518). */
Test(bugs, a_nan_on_any_rank_gives_one_answer) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int32_t n = 2; n <= 7; n++) {
            for (int32_t holder = 0; holder < n; holder++) {
                double list[7] = {3, 4, 5, 6, 7, 8, 9};
                list[holder] = (double)NAN;
                const rs_schedule s = make_schedule(rs_algorithms[i]->name, RS_ORDER_SEED, n, 9);
                for (rs_op op = RS_SUM; op <= RS_AVG; op++) {
                    void **ranks = new_ranks(RS_DATA_LIST, RS_F32, n, s.n_chunks, 9, list);
                    apply_all(&s, RS_F32, op, 9, ranks, NULL);
                    const float low = holder == 0 ? 4 : 3;
                    const float high = (float)(holder == n - 1 ? n + 1 : n + 2);
                    for (int32_t r = 0; r < n; r++) {
                        const float got = floats(ranks, r)[r];
                        if (op == RS_MIN)
                            cr_assert_eq(got, low);
                        else if (op == RS_MAX)
                            cr_assert_eq(got, high);
                        else
                            cr_assert(got != got);
                    }
                    free_ranks(ranks, n);
                }
            }
        }
    }
}

/* Infinities and the small range of f16 (pytorch 152300): 65504 + 65504 is infinite, and stays so. */
Test(bugs, overflow_on_the_way_stays_infinite) {
    const double list[] = {65504, 65504, -65504};
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        const rs_schedule s = make_schedule(rs_algorithms[i]->name, RS_ORDER_SEED, 3, 3);
        void **inputs = new_ranks(RS_DATA_LIST, RS_F16, 3, s.n_chunks, 3, list);
        void **ranks = copy_ranks(inputs, RS_F16, 3, 3);
        apply_all(&s, RS_F16, RS_SUM, 3, ranks, NULL);
        bool wrong[3];
        cr_expect_eq(count_wrong(&s, RS_F16, RS_SUM, 3, inputs, ranks, wrong), 0);
        /* chunk 0: (a + b) + c; 1: (b + c) + a; 2: (c + a) + b */
        if (strcmp(s.name, "ring") == 0) {
            const uint16_t expected[] = {0x7c00, 0x7bff, 0x7bff};
            cr_expect_arr_eq(ranks[0], expected, sizeof expected);
        }
        free_ranks(inputs, 3);
        free_ranks(ranks, 3);
    }
}

/* Integer overflow "fixed" by saturation or by undefined behaviour (nccl 422). */
Test(bugs, int8_120_plus_100_is_minus_36) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        const rs_schedule s = make_schedule(rs_algorithms[i]->name, RS_ORDER_SEED, 2, 4);
        void **ranks = new_ranks(RS_DATA_LIST, RS_I8, 2, 2, 4, (const double[]){120, 100});
        apply_all(&s, RS_I8, RS_SUM, 4, ranks, NULL);
        for (int e = 0; e < 4; e++) {
            cr_expect(((int8_t *)ranks[0])[e] == -36 && ((int8_t *)ranks[1])[e] == -36);
        }
        free_ranks(ranks, 2);
    }
}

/* Ranks with different bits (mpich ba1b4dd1e5: a naive exchange adds in another order on each). */
Test(bugs, all_ranks_hold_the_same_bits) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int32_t n = 2; n <= 33; n++) {
            const rs_schedule s = make_schedule(rs_algorithms[i]->name, RS_ORDER_SEED, n, 100);
            void **ranks = new_ranks(RS_DATA_RANDOM, RS_F32, n, s.n_chunks, 100, NULL);
            apply_all(&s, RS_F32, RS_SUM, 100, ranks, NULL);
            for (int32_t r = 1; r < n; r++) {
                cr_assert_eq(memcmp(ranks[0], ranks[r], 400), 0, "%s N=%d rank %d", s.name, n, r);
            }
            free_ranks(ranks, n);
        }
    }
}

/* Order: chunk c of the ring is the left fold from rank c on, by a loop that knows no schedule. */
Test(bugs, a_ring_folds_chunk_c_from_rank_c_on) {
    for (int32_t n = 2; n <= 33; n++) {
        for (rs_order order = RS_ORDER_SEED; order <= RS_ORDER_NCCL; order++) {
            const rs_schedule s = make_schedule("ring", order, n, n);
            void **inputs = new_ranks(RS_DATA_RANDOM, RS_F32, n, n, n, NULL);
            void **ranks = copy_ranks(inputs, RS_F32, n, n);
            apply_all(&s, RS_F32, RS_SUM, n, ranks, NULL);
            for (int32_t c = 0; c < n; c++) {
                const int32_t first = order == RS_ORDER_NCCL ? c + 1 : c;
                float sum = floats(inputs, first % n)[c];
                for (int32_t i = 1; i < n; i++) sum += floats(inputs, (first + i) % n)[c];
                cr_assert_eq(floats(ranks, n - 1)[c], sum);
            }
            free_ranks(inputs, n);
            free_ranks(ranks, n);
        }
    }
}

/* MPICH's own example of what order does: 1e6 on rank 0, -1e6 on rank 3, 0.01 on the others of 8. */
Test(bugs, the_same_sum_has_eight_answers_on_eight_chunks) {
    const double list[] = {1e6, 0.01, 0.01, -1e6, 0.01, 0.01, 0.01, 0.01};
    const char *expected[] = {"0.0400", "0.0000", "0.0100", "0.0200",
                              "0.0625", "0.0100", "0.0200", "0.0300"};
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 8, 8);
    void **ranks = new_ranks(RS_DATA_LIST, RS_F32, 8, 8, 8, list);
    apply_all(&s, RS_F32, RS_SUM, 8, ranks, NULL);
    for (int c = 0; c < 8; c++) {
        char text[32];
        snprintf(text, sizeof text, "%.4f", (double)floats(ranks, 5)[c]);
        cr_expect_str_eq(text, expected[c], "chunk %d", c);
    }
    free_ranks(ranks, 8);
}

/* The error of a left fold of N numbers is at most (N-1) u / (1 - (N-1) u) times the sum of the
   magnitudes (Higham 1993): a tolerance of 9 % (RCCL's tests) would see nothing. */
Test(bugs, float_errors_stay_below_the_bound) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int32_t n = 2; n <= 64; n = n * 3 / 2 + 1) {
            const rs_schedule s = make_schedule(rs_algorithms[i]->name, RS_ORDER_SEED, n, 500);
            void **inputs = new_ranks(RS_DATA_RANDOM, RS_F32, n, s.n_chunks, 500, NULL);
            void **ranks = copy_ranks(inputs, RS_F32, n, 500);
            apply_all(&s, RS_F32, RS_SUM, 500, ranks, NULL);
            for (int e = 0; e < 500; e++) {
                double exact = 0, magnitude = 0;
                for (int32_t r = 0; r < n; r++) {
                    exact += (double)floats(inputs, r)[e];
                    magnitude += fabs((double)floats(inputs, r)[e]);
                }
                const double nu = (n - 1) * 0x1p-24;
                cr_assert_leq(fabs((double)floats(ranks, 0)[e] - exact), nu / (1 - nu) * magnitude);
            }
            free_ranks(inputs, n);
            free_ranks(ranks, n);
        }
    }
}

/* Only rank 0's verdict printed (legacy-rocm-build 6565: "ALL CORRECT" with a fault on rank 1). */
Test(bugs, a_fault_on_any_one_rank_is_seen) {
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 5, 50);
    void **inputs = new_ranks(RS_DATA_RANDOM, RS_F32, 5, 5, 50, NULL);
    for (int32_t bad = 0; bad < 5; bad++) {
        void **ranks = copy_ranks(inputs, RS_F32, 5, 50);
        apply_all(&s, RS_F32, RS_SUM, 50, ranks, NULL);
        floats(ranks, bad)[49 - bad] *= 1.0000002f;
        bool wrong[5];
        cr_expect_eq(count_wrong(&s, RS_F32, RS_SUM, 50, inputs, ranks, wrong), 1);
        cr_expect(wrong[bad]);
        free_ranks(ranks, 5);
    }
    free_ranks(inputs, 5);
}

/* A bit flipped on the way. In the scatter-reduce: one chunk is wrong on all ranks, and they agree, so
   that comparing ranks sees nothing. In the all-gather at hop h: exactly N - h ranks are wrong. */
Test(bugs, a_flipped_bit_spreads_as_far_as_the_ring_carries_it) {
    for (int32_t n = 2; n <= 9; n++) {
        const int64_t count = 3 * n + 1;
        const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, n, count);
        void **inputs = new_ranks(RS_DATA_RANDOM, RS_I32, n, n, count, NULL);
        void **clean = copy_ranks(inputs, RS_I32, n, count);
        apply_all(&s, RS_I32, RS_SUM, count, clean, NULL);
        for (int32_t step = 0; step < s.n_steps; step++) {
            for (int32_t rank = 0; rank < n; rank++) {
                const rs_fault flip = {.kind = RS_FLIP, .rank = rank, .step = step};
                void **ranks = copy_ranks(inputs, RS_I32, n, count);
                apply_all(&s, RS_I32, RS_SUM, count, ranks, &flip);
                bool wrong[9];
                const int32_t n_wrong =
                    count_wrong(&s, RS_I32, RS_SUM, count, inputs, ranks, wrong);
                cr_assert_eq(n_wrong, step < n - 1 ? n : n - (step - (n - 1) + 1));
                const int64_t hit = rs_chunk_offset(count, n, (rank - step % n + n) % n);
                for (int32_t r = 0; r < n; r++) {
                    const int32_t *got = ranks[r], *right = clean[r];
                    for (int64_t e = 0; e < count; e++) {
                        cr_assert_eq(got[e] != right[e], wrong[r] && e == hit);
                    }
                    if (step < n - 1) cr_assert(rs_equal(RS_I32, ranks[0], ranks[r], count));
                }
                free_ranks(ranks, n);
            }
        }
        free_ranks(inputs, n);
        free_ranks(clean, n);
    }
}

/* One element a chunk (sampled values): the same flip hits the same element. */
Test(bugs, a_flip_hits_the_first_element_of_the_message) {
    const rs_schedule s = make_schedule("halving", RS_ORDER_SEED, 8, 8);
    const rs_fault flip = {.kind = RS_FLIP, .rank = 5, .step = 0}; /* sends chunks 0..3 to rank 1 */
    void **inputs = new_ranks(RS_DATA_INDEX, RS_U32, 8, 8, 8, NULL);
    void **ranks = copy_ranks(inputs, RS_U32, 8, 8);
    void **clean = copy_ranks(inputs, RS_U32, 8, 8);
    apply_all(&s, RS_U32, RS_SUM, 8, ranks, &flip);
    apply_all(&s, RS_U32, RS_SUM, 8, clean, NULL);
    for (int32_t r = 0; r < 8; r++) {
        for (int e = 0; e < 8; e++) {
            const uint32_t got = ((uint32_t *)ranks[r])[e], right = ((uint32_t *)clean[r])[e];
            cr_expect_eq(got != right, e == 0, "rank %d element %d", r, e);
        }
    }
    free_ranks(inputs, 8);
    free_ranks(ranks, 8);
    free_ranks(clean, 8);
}
