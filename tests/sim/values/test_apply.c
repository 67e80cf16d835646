/* The reference execution: every algorithm gives every rank the exact answer, and any schedule
   whatsoever gives what its steps one after another would. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "support/naive_apply.h"
#include "ringsim.h"
#include "support/threads.h"

static void apply_ok(const rs_schedule *schedule, rs_dtype dtype, rs_op op, int64_t count,
                     void *const ranks[], const rs_apply_options *options, const rs_host *host) {
    rs_error error = {.text = ""};
    cr_assert_eq(rs_apply(schedule, dtype, op, count, ranks, options, host, &error), RS_OK, "%s",
                 error.text);
}

static bool all_equal(rs_dtype dtype, void *const a[], void *const b[], int32_t n, int64_t count) {
    bool equal = true;
    for (int32_t r = 0; r < n; r++) equal = equal && rs_equal(dtype, a[r], b[r], count);
    return equal;
}

Test(apply, five_ranks_sum_their_digits) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        const rs_schedule s = make_schedule(rs_algorithms[i]->name, RS_ORDER_SEED, 5, 5);
        void **ranks = new_ranks(RS_DATA_DIGITS, RS_I32, 5, 5, 5, NULL);
        apply_ok(&s, RS_I32, RS_SUM, 5, ranks, &(rs_apply_options){.until_step = s.n_steps}, NULL);
        for (int32_t r = 0; r < 5; r++) {
            for (int32_t c = 0; c < 5; c++) {
                cr_expect_eq(((int32_t *)ranks[r])[c], 11111 * (c + 1));
            }
        }
        free_ranks(ranks, 5);
    }
}

/* A plain loop over the ranks, in an order that no algorithm has. */
static void backwards(rs_dtype dtype, rs_op op, int32_t n, int64_t count, void *const ranks[],
                      void *out) {
    memcpy(out, ranks[n - 1], (size_t)count * (size_t)rs_dtype_bytes(dtype));
    for (int32_t r = n - 2; r >= 0; r--) rs_fold(dtype, op, out, ranks[r], out, count);
    rs_finish(dtype, op, n, out, count);
}

/* index data are small whole numbers: their float sums are exact in any order. */
static void check_answer(const rs_schedule *s, rs_dtype dtype, rs_op op, int64_t count) {
    const int32_t n = s->n_ranks;
    void **ranks =
        new_ranks(RS_DATA_INDEX, dtype, n, s->n_chunks > 0 ? s->n_chunks : 1, count, NULL);
    void *expected = malloc((size_t)count * 8 + 1);
    backwards(dtype, op, n, count, ranks, expected);
    apply_ok(s, dtype, op, count, ranks, &(rs_apply_options){.until_step = s->n_steps}, NULL);
    for (int32_t r = 0; r < n; r++) {
        cr_assert(rs_equal(dtype, expected, ranks[r], count), "%s %s %s N=%d K=%d rank %d", s->name,
                  rs_dtype_name(dtype), rs_op_name(op), n, (int)count, r);
    }
    free(expected);
    free_ranks(ranks, n);
}

Test(apply, every_algorithm_gives_every_rank_the_answer) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int32_t n = 1; n <= 33; n++) {
            const int64_t counts[] = {0, 1, n - 1, n, n + 1, 1000};
            for (int k = 0; k < 6; k++) {
                const rs_schedule seed =
                    make_schedule(rs_algorithms[i]->name, RS_ORDER_SEED, n, counts[k]);
                const rs_schedule nccl =
                    make_schedule(rs_algorithms[i]->name, RS_ORDER_NCCL, n, counts[k]);
                check_answer(&seed, RS_I32, RS_SUM, counts[k]);
                check_answer(&nccl, RS_F32, RS_SUM, counts[k]);
            }
        }
    }
}

Test(apply, every_type_and_op_gives_the_answer) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int32_t n = 2; n <= 9; n++) {
            const rs_schedule s = make_schedule(rs_algorithms[i]->name, RS_ORDER_SEED, n, 61);
            for (int d = 0; d < RS_N_DTYPES; d++) {
                for (int op = 0; op < RS_N_OPS; op++) {
                    if (op == RS_PROD && rs_dtype_is_float((rs_dtype)d)) continue; /* inexact */
                    check_answer(&s, (rs_dtype)d, (rs_op)op, 61);
                }
            }
        }
    }
}

/* Random numbers, where order shows: bit by bit what the steps one after another give, and the same
   bits on all ranks. */
Test(apply, is_bit_by_bit_what_the_steps_give) {
    const int64_t counts[] = {1, 7, 1000};
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int32_t n = 2; n <= 17; n++) {
            for (int k = 0; k < 3; k++) {
                const int64_t count = counts[k];
                const rs_schedule s =
                    make_schedule(rs_algorithms[i]->name, (rs_order)(n % 2), n, count);
                for (rs_dtype dtype = RS_F16; dtype <= RS_F64; dtype++) {
                    const rs_op op = k == 0 ? RS_PROD : k == 1 ? RS_AVG : RS_SUM;
                    void **a = new_ranks(RS_DATA_RANDOM, dtype, n, s.n_chunks, count, NULL);
                    void **b = copy_ranks(a, dtype, n, count);
                    const rs_apply_options options = {.until_step = s.n_steps};
                    apply_ok(&s, dtype, op, count, a, &options, NULL);
                    apply_naively(&s, dtype, op, count, b, &options);
                    cr_assert(all_equal(dtype, a, b, n, count), "%s N=%d", s.name, n);
                    for (int32_t r = 1; r < n; r++) cr_assert(rs_equal(dtype, a[0], a[r], count));
                    free_ranks(a, n);
                    free_ranks(b, n);
                }
            }
        }
    }
}

/* 1e8 + 1 - 1e8 + 1 in f32: chunk c of a ring is folded from rank c on (nccl: from rank c + 1). */
Test(apply, the_order_of_a_ring_decides_the_last_bits) {
    const double list[] = {1e8, 1, -1e8, 1};
    const float seed[] = {1, 0, 1, 0}, nccl[] = {0, 1, 0, 1};
    for (rs_order order = RS_ORDER_SEED; order <= RS_ORDER_NCCL; order++) {
        const rs_schedule s = make_schedule("ring", order, 4, 4);
        void **ranks = new_ranks(RS_DATA_LIST, RS_F32, 4, 4, 4, list);
        apply_ok(&s, RS_F32, RS_SUM, 4, ranks, &(rs_apply_options){.until_step = 6}, NULL);
        for (int32_t r = 0; r < 4; r++) {
            cr_expect_arr_eq(ranks[r], order == RS_ORDER_SEED ? seed : nccl, sizeof seed);
        }
        free_ranks(ranks, 4);
    }
}

Test(apply, any_schedule_does_what_its_steps_say) {
    uint64_t state = 1;
    for (int round = 0; round < 3000; round++) {
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        const rs_schedule s = random_schedule(&state, &arena);
        const rs_dtype dtype = (rs_dtype)random_below(&state, RS_N_DTYPES);
        const rs_op op = (rs_op)random_below(&state, RS_N_OPS);
        const int64_t count = random_below(&state, 40);
        rs_fault faults[4];
        int32_t entered[8];
        for (int i = 0; i < 4; i++) {
            faults[i] = (rs_fault){.kind = i == 0 ? RS_LATE : RS_FLIP,
                                   .rank = random_below(&state, s.n_ranks),
                                   .step = random_below(&state, s.n_steps + 1)};
        }
        for (int i = 0; i < 8; i++) entered[i] = random_below(&state, s.n_steps + 1);
        const rs_apply_options options = {
            .until_step = round % 3 == 0 ? random_below(&state, s.n_steps + 1) : s.n_steps,
            .entered = round % 4 == 0 ? entered : NULL,
            .faults = faults,
            .n_faults = random_below(&state, 5),
        };
        void **a = new_ranks(RS_DATA_RANDOM, dtype, s.n_ranks, s.n_chunks, count, NULL);
        void **b = copy_ranks(a, dtype, s.n_ranks, count);
        apply_ok(&s, dtype, op, count, a, &options, NULL);
        apply_naively(&s, dtype, op, count, b, &options);
        cr_assert(all_equal(dtype, a, b, s.n_ranks, count), "round %d", round);
        free_ranks(a, s.n_ranks);
        free_ranks(b, s.n_ranks);
        rs_arena_free(&arena);
    }
}

Test(apply, stops_before_any_step) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        const rs_schedule s = make_schedule(rs_algorithms[i]->name, RS_ORDER_SEED, 6, 20);
        for (int32_t until = 0; until <= s.n_steps; until++) {
            void **a = new_ranks(RS_DATA_RANDOM, RS_F32, 6, s.n_chunks, 20, NULL);
            void **b = copy_ranks(a, RS_F32, 6, 20);
            const rs_apply_options options = {.until_step = until};
            apply_ok(&s, RS_F32, RS_AVG, 20, a, &options, NULL);
            apply_naively(&s, RS_F32, RS_AVG, 20, b, &options);
            cr_assert(all_equal(RS_F32, a, b, 6, 20), "%s until %d", s.name, until);
            free_ranks(a, 6);
            free_ranks(b, 6);
        }
    }
}

Test(apply, threads_change_nothing) {
    const rs_host host = threaded_host(2);
    const int64_t counts[] = {5, 100003, 1000000};
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int k = 0; k < 3; k++) {
            const rs_schedule s =
                make_schedule(rs_algorithms[i]->name, RS_ORDER_SEED, 5, counts[k]);
            const rs_fault flip = {.kind = RS_FLIP, .rank = 1, .step = 1};
            const rs_apply_options options = {
                .until_step = s.n_steps, .faults = &flip, .n_faults = 1};
            void **a = new_ranks(RS_DATA_RANDOM, RS_F32, 5, s.n_chunks, counts[k], NULL);
            void **b = copy_ranks(a, RS_F32, 5, counts[k]);
            apply_ok(&s, RS_F32, RS_SUM, counts[k], a, &options, NULL);
            apply_ok(&s, RS_F32, RS_SUM, counts[k], b, &options, &host);
            cr_assert(all_equal(RS_F32, a, b, 5, counts[k]), "%s", s.name);
            free_ranks(a, 5);
            free_ranks(b, 5);
        }
    }
}

static bool stop(void *context, const char *what, int64_t done, int64_t total) {
    cr_expect_str_eq(what, "moving the values");
    cr_expect(done > 0 && done <= total);
    ++*(int *)context;
    return false;
}

Test(apply, can_be_cancelled) {
    int n_asked = 0;
    const rs_host host = {.context = &n_asked, .progress = stop};
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 3, 10);
    void **ranks = new_ranks(RS_DATA_INDEX, RS_I32, 3, 3, 10, NULL);
    rs_error error;
    cr_expect_eq(rs_apply(&s, RS_I32, RS_SUM, 10, ranks,
                          &(rs_apply_options){.until_step = s.n_steps}, &host, &error),
                 RS_CANCELLED);
    cr_expect_str_eq(error.text, "cancelled while moving the values");
    cr_expect_eq(n_asked, 1);
    free_ranks(ranks, 3);
}

static bool out_of_patience(void *context) {
    return --*(int64_t *)context < 0;
}

Test(apply, asks_between_slices_of_a_piece_too) {
    enum { RANKS = 2, COUNT = 1 << 20, SLICES = COUNT / 2048 };
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, RANKS, COUNT);
    void **ranks = new_ranks(RS_DATA_INDEX, RS_F32, RANKS, RANKS, COUNT, NULL);
    void **inputs = copy_ranks(ranks, RS_F32, RANKS, COUNT);
    for (int64_t most = 1; most < SLICES; most *= 3) {
        int64_t left = most, n_wrong[RANKS];
        const rs_host host = {.context = &left, .stopped = out_of_patience};
        rs_error error;
        cr_expect_eq(rs_apply(&s, RS_F32, RS_SUM, COUNT, ranks,
                              &(rs_apply_options){.until_step = s.n_steps}, &host, &error),
                     RS_CANCELLED, "%d", (int)most);
        left = most;
        cr_expect_eq(rs_count_wrong(&s, RS_F32, RS_SUM, COUNT, (const void *const *)inputs,
                                    (const void *const *)ranks, &host, &error, n_wrong),
                     RS_CANCELLED, "%d", (int)most);
    }
    free_ranks(inputs, RANKS);
    free_ranks(ranks, RANKS);
}

static void *none(void *context, size_t n_bytes) {
    (void)context, (void)n_bytes;
    return NULL;
}

Test(apply, says_when_memory_is_short) {
    const rs_host host = {.allocate = none};
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 3, 10);
    void **ranks = new_ranks(RS_DATA_INDEX, RS_I32, 3, 3, 10, NULL);
    rs_error error;
    cr_expect_eq(rs_apply(&s, RS_I32, RS_SUM, 10, ranks,
                          &(rs_apply_options){.until_step = s.n_steps}, &host, &error),
                 RS_NO_MEMORY);
    free_ranks(ranks, 3);
}
