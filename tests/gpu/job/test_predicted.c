/* test_predicted.c: the vendor's bits against predicted orders: what was added by hand in exactly the stated order is equal
 * to it, one addition swapped is named at its element, with both values and the order that gives it.
 */
#include "job/backend.h"
#include "process/job_bytes.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4, COUNT = 3000, N_RUNS = 3 };
static const char *const orders[N_RUNS] = {"1230", "3021", "0123"};
static const int64_t counts[N_RUNS] = {7, 1993, 1000};

static rs_arena arena;
static rs_error error;
static rs_schedule schedule;
static rs_sums *sums;
static rs_bits bits;

static int32_t chain(const char *digits) {
    int32_t sum = digits[0] - '0';
    for (int i = 1; digits[i] != '\0'; i++) sum = rs_sum_of(sums, sum, digits[i] - '0', -1);
    return sum;
}

static rg_job begin(rs_collective of, rs_dtype dtype) {
    const rs_spec spec = {.n_ranks = N};
    rs_arena_init(&arena, NULL);
    cr_assert_eq(
        rs_schedule_from_spec(rs_find_algorithm(of, "ring"), &spec, COUNT, &error, &schedule),
        RS_OK);
    sums = rs_sums_begin(N, &arena);
    bits = (rs_bits){0};
    for (int i = 0; i < N_RUNS; i++)
        cr_assert(rs_add_run(&bits, &arena, counts[i], chain(orders[i])));
    return (rg_job){.schedule = &schedule,
                    .dtype = dtype,
                    .count = COUNT,
                    .data = RS_DATA_RANDOM,
                    .seed = 3,
                    .times = 1,
                    .flip_rank = -1,
                    .oracle = true,
                    .predicted = &bits,
                    .sums = sums};
}

/* Adds one element up, a rank after another. */
static void add_by_hand(const rg_job *job, const char *order, int64_t element, char *out) {
    const int64_t at = element * rs_dtype_bytes(job->dtype);
    static char inputs[N][COUNT * 8];
    static const rs_collective *of;
    static rs_dtype filled = RS_N_DTYPES;
    for (int32_t r = 0; r < N && (of != &schedule.collective || filled != job->dtype); r++)
        rg_fill(job, r, NULL, inputs[r]);
    of = &schedule.collective;
    filled = job->dtype;
    memcpy(out + at, inputs[order[0] - '0'] + at, (size_t)rs_dtype_bytes(job->dtype));
    for (int i = 1; i < N; i++) {
        rs_fold(job->dtype, job->op, out + at, inputs[order[i] - '0'] + at, out + at, 1);
    }
}

static rg_unlike judged(const rg_job *job, int32_t rank, const char *oracle) {
    rg_judge judge;
    rg_unlike unlike;
    cr_assert_eq(rg_judge_new(job, 1000 * N * 2, &arena, &error, &judge), RS_OK);
    cr_assert_eq(rg_judge_predicted(&judge, rank, oracle, NULL, &error, &unlike), RS_OK);
    return unlike;
}

static void check(rs_collective of, rs_dtype dtype) {
    const rg_job job = begin(of, dtype);
    const int64_t size = rs_dtype_bytes(dtype), shard = COUNT / N;
    static char oracle[COUNT * 8], right[COUNT * 8];
    memset(oracle, 1, sizeof oracle);
    for (int64_t i = 0, run = 0, end = counts[0]; i < COUNT; i++) {
        if (i == end) end += counts[++run];
        add_by_hand(&job, orders[run], i, oracle);
    }
    memcpy(right, oracle, sizeof right);
    for (int32_t r = 0; r < N; r++) {
        const rg_unlike same = judged(&job, r, oracle);
        cr_assert(same.n == 0 && same.like == -1, "%s: %d", rs_dtype_name(dtype), (int)same.n);
    }
    /* From 777 to 899 as the first elements are added; of a reduce-scatter these are rank 1's, but for its last. */
    int64_t n_other = 0, first = -1;
    for (int64_t i = 777; i < 900; i++) {
        add_by_hand(&job, orders[0], i, oracle);
        if (memcmp(oracle + i * size, right + i * size, (size_t)size) == 0) continue;
        if (n_other++ == 0) first = i;
    }
    cr_assert(n_other > 10);
    const rg_unlike found = judged(&job, 1, oracle);
    cr_expect_eq(found.n, n_other);
    cr_expect_eq(found.element, first);
    cr_expect_eq(found.rank, 1);
    cr_expect_eq(found.like, chain(orders[0]));
    cr_expect_arr_eq(&found.got, oracle + first * size, (size_t)size);
    cr_expect_arr_eq(&found.wanted, right + first * size, (size_t)size);
    cr_expect(of == RS_COLL_ALL_REDUCE || judged(&job, 0, oracle).n == 0, "no part of rank 0's");
    /* One element, as nobody adds. */
    memcpy(oracle, right, sizeof right);
    oracle[(shard + 5) * size] ^= 1;
    const rg_unlike odd = judged(&job, 1, oracle);
    cr_expect(odd.n == 1 && odd.element == shard + 5 && odd.like == -1);
    rs_arena_free(&arena);
}

Test(predicted, a_stated_order_is_found_and_a_swapped_addition_named) {
    static const rs_dtype types[] = {RS_F16, RS_BF16, RS_F32, RS_F64};
    for (int i = 0; i < 4; i++) {
        check(RS_COLL_ALL_REDUCE, types[i]);
        check(RS_COLL_REDUCE_SCATTER, types[i]);
    }
}

Test(predicted, a_prediction_goes_to_other_processes) {
    rg_job job = begin(RS_COLL_ALL_REDUCE, RS_F32), got;
    for (int broken = 0; broken < 4; broken++) {
        rg_writer writer = {0};
        rs_schedule its;
        if (broken == 1) bits.runs[1].first++;
        if (broken == 2) bits.runs[1].first--, bits.runs[1].sum = 99;
        if (broken == 3) bits.runs[1].sum = 4, job.count++;
        rg_put_job(&writer, &job);
        rg_reader reader = rg_frame_reader(writer.bytes, writer.n);
        const rs_status status = rg_get_job(&reader, &arena, &error, &its, &got);
        cr_assert_eq(status, broken > 0 ? RS_BAD_INPUT : RS_OK, "%d", broken);
        if (broken == 0) {
            char text[64];
            rs_sum_text(got.sums, got.predicted->runs[1].sum, text, sizeof text);
            cr_expect_str_eq(text, "((0+3)+2)+1");
            cr_expect(got.predicted->n_runs == N_RUNS && got.predicted->count == COUNT);
        }
        free(writer.bytes);
    }
    rs_arena_free(&arena);
}
