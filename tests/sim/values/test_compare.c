/* Is every rank right? Right results pass, every wrong one is found, on the rank that has it. */
#include <criterion/criterion.h>

#include <string.h>

#include "support/naive_apply.h"
#include "ringsim.h"
#include "support/own.h"
#include "support/threads.h"

static int32_t compare(const rs_schedule *s, rs_dtype dtype, rs_op op, int64_t count,
                       void *const inputs[], void *const results[], const rs_host *host,
                       bool wrong[]) {
    rs_error error = {.text = ""};
    cr_assert_eq(rs_compare(s, dtype, op, count, (const void *const *)inputs,
                            (const void *const *)results, host, &error, wrong),
                 RS_OK, "%s", error.text);
    int32_t n_wrong = 0;
    for (int32_t r = 0; r < s->n_ranks; r++) n_wrong += wrong[r];
    return n_wrong;
}

Test(compare, accepts_what_the_steps_give_and_finds_one_wrong_element) {
    uint64_t state = 1;
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int32_t n = 1; n <= 17; n++) {
            for (int d = 0; d < RS_N_DTYPES; d++) {
                const rs_dtype dtype = (rs_dtype)d;
                const rs_op op = (rs_op)random_below(&state, RS_N_OPS);
                const int64_t count = 1 + random_below(&state, 50);
                const rs_schedule s =
                    make_schedule(rs_algorithms[i]->name, (rs_order)(n % 2), n, count);
                void **inputs = new_ranks(RS_DATA_RANDOM, dtype, n, s.n_chunks, count, NULL);
                void **results = copy_ranks(inputs, dtype, n, count);
                apply_naively(&s, dtype, op, count, results,
                              &(rs_apply_options){.until_step = s.n_steps});
                bool wrong[17];
                cr_assert_eq(compare(&s, dtype, op, count, inputs, results, NULL, wrong), 0,
                             "%s %s %s N=%d", s.name, rs_dtype_name(dtype), rs_op_name(op), n);
                const int32_t bad = random_below(&state, n);
                const int64_t element = random_below(&state, (int32_t)count);
                ((char *)results[bad])[element * rs_dtype_bytes(dtype)] ^= 1; /* the last bit */
                cr_assert_eq(compare(&s, dtype, op, count, inputs, results, NULL, wrong), 1);
                cr_assert(wrong[bad]);
                free_ranks(inputs, n);
                free_ranks(results, n);
            }
        }
    }
}

/* Two ring orders, same mathematics, other bits: each is judged by its own. */
Test(compare, judges_floats_by_the_order_of_the_schedule) {
    const double list[] = {1e8, 1, -1e8, 1};
    const rs_schedule seed = make_schedule("ring", RS_ORDER_SEED, 4, 4);
    const rs_schedule nccl = make_schedule("ring", RS_ORDER_NCCL, 4, 4);
    void **inputs = new_ranks(RS_DATA_LIST, RS_F32, 4, 4, 4, list);
    void **results = copy_ranks(inputs, RS_F32, 4, 4);
    apply_naively(&seed, RS_F32, RS_SUM, 4, results, &(rs_apply_options){.until_step = 6});
    bool wrong[4];
    cr_expect_eq(compare(&seed, RS_F32, RS_SUM, 4, inputs, results, NULL, wrong), 0);
    cr_expect_eq(compare(&nccl, RS_F32, RS_SUM, 4, inputs, results, NULL, wrong), 4);
    free_ranks(inputs, 4);
    free_ranks(results, 4);
}

/* A ring that stops one step early: the cells that lack something are compared with the full fold. */
Test(compare, an_unfinished_schedule_is_wrong_where_it_is_unfinished) {
    for (int f = 0; f < 2; f++) {
        const rs_dtype dtype = f == 0 ? RS_F32 : RS_I32;
        rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 4, 8);
        s.n_steps--;
        void **inputs = new_ranks(RS_DATA_INDEX, dtype, 4, 4, 8, NULL);
        void **results = copy_ranks(inputs, dtype, 4, 8);
        apply_naively(&s, dtype, RS_SUM, 8, results, &(rs_apply_options){.until_step = 5});
        bool wrong[4];
        cr_expect_eq(compare(&s, dtype, RS_SUM, 8, inputs, results, NULL, wrong), 4);
        free_ranks(inputs, 4);
        free_ranks(results, 4);
    }
}

/* Both ranks add the other's value twice: 2 + 1 + 2. All agree, and all are wrong. */
Test(compare, agreeing_ranks_can_all_be_wrong) {
    const rs_transfer list[] = {{.src = 0, .dst = 1, .n_chunks = 1},
                                {.src = 1, .dst = 0, .n_chunks = 1, .effect = RS_COPY},
                                {.src = 0, .dst = 1, .n_chunks = 1},
                                {.src = 1, .dst = 0, .n_chunks = 1, .effect = RS_COPY}};
    const int64_t first[] = {0, 1, 2, 3, 4};
    OWN_ARENA arena = {0};
    rs_schedule s;
    rs_error error;
    cr_assert_eq(rs_schedule_from_list(2, 1, 4, first, list, &arena, &error, &s), RS_OK);
    const rs_dtype dtypes[] = {RS_I8, RS_F16, RS_F64};
    for (int d = 0; d < 3; d++) {
        void **inputs = new_ranks(RS_DATA_LIST, dtypes[d], 2, 1, 3, (const double[]){1, 2});
        void **results = copy_ranks(inputs, dtypes[d], 2, 3);
        apply_naively(&s, dtypes[d], RS_SUM, 3, results, &(rs_apply_options){.until_step = 4});
        bool wrong[2];
        cr_expect_eq(compare(&s, dtypes[d], RS_SUM, 3, inputs, results, NULL, wrong), 2);
        free_ranks(inputs, 2);
        free_ranks(results, 2);
    }
}

Test(compare, all_nan_are_right_where_nan_is_the_answer) {
    const double list[] = {1, (double)__builtin_nanf(""), 3};
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        const rs_schedule s = make_schedule(rs_algorithms[i]->name, RS_ORDER_SEED, 3, 5);
        for (rs_dtype dtype = RS_F16; dtype <= RS_F64; dtype++) {
            void **inputs = new_ranks(RS_DATA_LIST, dtype, 3, s.n_chunks, 5, list);
            void **results = new_ranks(RS_DATA_LIST, dtype, 3, s.n_chunks, 5,
                                       (const double[]){list[1], list[1], list[1]});
            bool wrong[3];
            cr_expect_eq(compare(&s, dtype, RS_SUM, 5, inputs, results, NULL, wrong), 0);
            cr_expect_eq(compare(&s, dtype, RS_MAX, 5, inputs, results, NULL, wrong), 3);
            free_ranks(inputs, 3);
            free_ranks(results, 3);
        }
    }
}

Test(compare, threads_change_nothing_and_nothing_is_right) {
    const rs_host host = threaded_host(2);
    const int64_t count = 300007;
    const rs_schedule s = make_schedule("doubling", RS_ORDER_SEED, 5, count);
    void **inputs = new_ranks(RS_DATA_RANDOM, RS_F32, 5, 1, count, NULL);
    void **results = copy_ranks(inputs, RS_F32, 5, count);
    apply_naively(&s, RS_F32, RS_SUM, count, results, &(rs_apply_options){.until_step = s.n_steps});
    bool wrong[5];
    cr_expect_eq(compare(&s, RS_F32, RS_SUM, count, inputs, results, &host, wrong), 0);
    for (int64_t element = 0; element < count; element += count / 7) {
        ((float *)results[3])[element] += 1;
        cr_expect_eq(compare(&s, RS_F32, RS_SUM, count, inputs, results, &host, wrong), 1);
        cr_expect(wrong[3]);
        ((float *)results[3])[element] -= 1;
        memcpy(results[3], results[2], (size_t)count * sizeof(float));
    }
    free_ranks(inputs, 5);
    free_ranks(results, 5);
    const rs_schedule empty = make_schedule("ring", RS_ORDER_SEED, 5, 0);
    void **nothing = new_ranks(RS_DATA_INDEX, RS_I32, 5, 1, 0, NULL);
    memset(wrong, 1, sizeof wrong);
    cr_expect_eq(compare(&empty, RS_I32, RS_SUM, 0, nothing, nothing, NULL, wrong), 0);
    cr_expect_eq(compare(&empty, RS_F32, RS_SUM, 0, nothing, nothing, NULL, wrong), 0);
    free_ranks(nothing, 5);
}

/* Whoever cannot hold the arrays whole gets the same bits and counts part after part, wherever they are
   cut, and in any order; a flip hits the chunk's first element only. */
Test(compare, parts_of_the_arrays_give_what_the_whole_gives) {
    enum { MOST = 6 };
    uint64_t state = 7;
    for (int i = 0; i < 400; i++) {
        const int32_t n = 1 + random_below(&state, MOST);
        const int64_t count = random_below(&state, 60);
        const rs_dtype dtype = (rs_dtype)random_below(&state, RS_N_DTYPES);
        const rs_op op = (rs_op)random_below(&state, RS_N_OPS);
        const size_t size = (size_t)rs_dtype_bytes(dtype);
        const rs_schedule s =
            make_schedule(rs_algorithms[random_below(&state, 4)]->name, RS_ORDER_SEED, n, count);
        void **inputs = new_ranks(RS_DATA_RANDOM, dtype, n, s.n_chunks, count, NULL);
        void **whole = copy_ranks(inputs, dtype, n, count);
        void **cut = copy_ranks(inputs, dtype, n, count);
        const rs_fault flip = {.kind = RS_FLIP, .rank = random_below(&state, n)};
        const rs_apply_options options = {
            .until_step = s.n_steps, .faults = &flip, .n_faults = random_below(&state, 2)};
        cr_assert_eq(rs_apply(&s, dtype, op, count, whole, &options, NULL, NULL), RS_OK);
        int64_t expected[MOST] = {0}, found[MOST] = {0};
        cr_assert_eq(rs_count_wrong(&s, dtype, op, count, (const void *const *)inputs,
                                    (const void *const *)whole, NULL, NULL, expected),
                     RS_OK);
        OWN_ARENA arena = {0};
        rs_part part = {.schedule = &s, .count = count, .arena = &arena};
        const int64_t most = 1 + random_below(&state, 20);
        const bool down = random_below(&state, 2) == 1;
        for (int64_t done = 0; done < count; done += part.n) {
            void *own[MOST];
            const void *before[MOST];
            int64_t n_wrong[MOST];
            part.n = count - done < most ? count - done : most;
            part.first = down ? count - done - part.n : done;
            for (int32_t r = 0; r < n; r++) {
                own[r] = (char *)cut[r] + (size_t)part.first * size;
                before[r] = (char *)inputs[r] + (size_t)part.first * size;
            }
            cr_assert_eq(rs_apply_part(&part, dtype, op, own, &options, NULL, NULL), RS_OK);
            cr_assert_eq(rs_count_wrong_part(&part, dtype, op, before, (const void *const *)own,
                                             NULL, NULL, n_wrong),
                         RS_OK);
            for (int32_t r = 0; r < n; r++) found[r] += n_wrong[r];
        }
        for (int32_t r = 0; r < n; r++) {
            cr_assert(count == 0 || memcmp(cut[r], whole[r], (size_t)count * size) == 0,
                      "%s %s %s N=%d K=%d cut at %d", s.name, rs_dtype_name(dtype), rs_op_name(op),
                      n, (int)count, (int)most);
            cr_assert_eq(found[r], expected[r]);
        }
        free_ranks(inputs, n);
        free_ranks(whole, n);
        free_ranks(cut, n);
    }
}

/* Who ran only one rank counts that rank's wrong elements, with nothing of the others' results. */
Test(compare, counts_wrong_elements_and_judges_only_who_has_results) {
    enum { COUNT = 20000, N = 4 };
    for (rs_dtype dtype = RS_I32; dtype <= RS_F32; dtype = dtype == RS_I32 ? RS_F32 : RS_F64) {
        const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, COUNT);
        void **inputs = new_ranks(RS_DATA_RANDOM, dtype, N, s.n_chunks, COUNT, NULL);
        void **results = copy_ranks(inputs, dtype, N, COUNT);
        apply_naively(&s, dtype, RS_SUM, COUNT, results,
                      &(rs_apply_options){.until_step = s.n_steps});
        for (int64_t i = 0; i < 3; i++) ((char *)results[2])[i * 7777 * 4] ^= 1;
        ((char *)results[1])[COUNT * 4 - 4] ^= 1;
        const void *own[N] = {results[0], NULL, results[2], results[3]};
        int64_t n_wrong[N];
        const rs_status status = rs_count_wrong(
            &s, dtype, RS_SUM, COUNT, (const void *const *)inputs, own, NULL, NULL, n_wrong);
        cr_assert_eq(status, RS_OK);
        cr_expect_arr_eq(n_wrong, ((int64_t[N]){0, 0, 3, 0}), sizeof n_wrong);
        free_ranks(inputs, N);
        free_ranks(results, N);
    }
}
