/* test_verify.c: real runs, compared bit by bit: what the ranks start with, the reference as a backend,
   and that each judgement can fail. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job/backend.h"
#include "support/backend_fixture.h"
#include "support/naive_apply.h"
#include "ringsim_gpu.h"

static rg_group *open_group(rg_kind kind, int32_t n) {
    const rg_setup setup = {.n_ranks = n};
    rs_error error = {.text = ""};
    rg_group *group = NULL;
    cr_assert_eq(rg_group_open(kind, &setup, NULL, &error, &group), RS_OK, "%s", error.text);
    return group;
}

static rg_job job_of(const rs_schedule *schedule, rs_dtype dtype, rs_op op, int64_t count) {
    return (rg_job){.schedule = schedule,
                    .dtype = dtype,
                    .op = op,
                    .count = count,
                    .data = RS_DATA_RANDOM,
                    .seed = 7,
                    .times = 1,
                    .flip_rank = -1};
}

static rg_result run(rg_group *group, const rg_job *job, rs_arena *arena) {
    rs_error error = {.text = ""};
    rg_result result;
    cr_assert_eq(rg_group_run(group, job, arena, &error, &result), RS_OK, "%s", error.text);
    cr_assert(result.completed, "%s", result.failure);
    return result;
}

/* ------------------------------------------------------------------ the reference as a backend */

static void check_cpu_within(rg_group *group, const rg_job *job, rs_arena *arena) {
    const rg_result result = run(group, job, arena);
    cr_assert(result.n_wrong == 0 && result.n_spoilt == 0,
              "%s %s %s N=%d K=%d %s: %lld wrong, %lld spoilt", job->schedule->name,
              rs_dtype_name(job->dtype), rs_op_name(job->op), (int)job->schedule->n_ranks,
              (int)job->count, rg_special_name(job->special), (long long)result.n_wrong,
              (long long)result.n_spoilt);
    for (int32_t r = 1; r < job->schedule->n_ranks; r++) {
        if (job->special == RG_PLAIN) cr_assert_eq(result.crc32[r], result.crc32[0]);
    }
}

static void check_cpu(rg_group *group, const rg_job *job) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    check_cpu_within(group, job, &arena);
    rs_arena_free(&arena);
}

enum {
    IN_TURNS = 7
}; /* has no divisor in common with the number of operations and special values */

/* All types of one schedule; operations and special values, in place and not, on and off alignment, in turns: a seventh of all,
   another one each time; with RINGSIM_VERIFY_ALL=1 all. */
static void check_schedule(rg_group *group, const rs_schedule *s, int64_t count) {
    static int nth;
    const int step = getenv("RINGSIM_VERIFY_ALL") != NULL ? 1 : IN_TURNS;
    int turn = (int)count;
    for (int d = 0; d < RS_N_DTYPES; d++) {
        for (int op = 0; op < RS_N_OPS; op++) {
            for (int special = 0; special < RG_N_SPECIALS; special++, turn++) {
                if (nth++ % step != 0) continue;
                rg_job job = job_of(s, (rs_dtype)d, (rs_op)op, count);
                job.special = (rg_special)special;
                job.in_place = turn % 2 == 0;
                job.offset = turn / 2 % 2;
                check_cpu(group, &job);
            }
        }
    }
}

Test(verify, the_reference_is_right_for_everything_that_can_be_asked) {
    static const int32_t worlds[] = {1, 2, 3, 5, 8};
    for (int w = 0; w < 5; w++) {
        const int32_t n = worlds[w];
        const int64_t counts[] = {0, 1, n - 1, n, n + 1, 1000};
        rg_group *group = open_group(RG_CPU, n);
        for (int i = 0; rs_algorithms[i] != NULL; i++) {
            for (int k = 0; k < 6; k++) {
                for (rs_order order = RS_ORDER_SEED; order <= RS_ORDER_NCCL; order++) {
                    if (order == RS_ORDER_NCCL && strcmp(rs_algorithms[i]->name, "ring") != 0) {
                        continue;
                    }
                    const rs_schedule s =
                        make_schedule(rs_algorithms[i]->name, order, n, counts[k]);
                    check_schedule(group, &s, counts[k]);
                }
            }
        }
        rg_group_close(group);
    }
}

Test(verify, a_flipped_bit_is_found_wherever_it_flips) {
    for (int32_t n = 2; n <= 8; n++) {
        rg_group *group = open_group(RG_CPU, n);
        const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, n, 4 * n);
        for (int32_t step = 0; step < s.n_steps; step++) {
            for (int32_t rank = 0; rank < n; rank++) {
                rs_arena arena;
                rs_arena_init(&arena, NULL);
                rg_job job = job_of(&s, RS_I32, RS_SUM, 4 * n);
                job.flip_rank = rank;
                job.flip_step = step;
                const rg_result result = run(group, &job, &arena);
                /* While it is being added up it spoils one element for all, then for the rest. */
                const int64_t hit = step < n - 1 ? n : 2 * (n - 1) - step;
                cr_assert_eq(result.n_wrong, hit, "N=%d step %d rank %d: %lld", n, step, rank,
                             (long long)result.n_wrong);
                rs_arena_free(&arena);
            }
        }
        rg_group_close(group);
    }
}

Test(verify, an_unsound_schedule_is_wrong) {
    const rs_transfer list[] = {
        {.src = 0, .dst = 1, .chunk = 0, .n_chunks = 1, .effect = RS_REDUCE}};
    const int64_t first[] = {0, 1};
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_schedule s;
    cr_assert_eq(rs_schedule_from_list(2, 1, 1, first, list, &arena, NULL, &s), RS_OK);
    rg_group *group = open_group(RG_CPU, 2);
    const rg_job job = job_of(&s, RS_F32, RS_SUM, 10);
    const rg_result result = run(group, &job, &arena);
    cr_expect_eq(result.n_wrong, 10);
    cr_expect(result.wrong[0] && !result.wrong[1]);
    rg_group_close(group);
    rs_arena_free(&arena);
}

Test(verify, a_schedule_for_other_ranks_is_refused) {
    rg_group *group = open_group(RG_CPU, 3);
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 4, 10);
    const rg_job job = job_of(&s, RS_I32, RS_SUM, 10);
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_error error = {.text = ""};
    rg_result result;
    cr_expect_eq(rg_group_run(group, &job, &arena, &error, &result), RS_BAD_INPUT);
    cr_expect_neq(error.text[0], '\0');
    rg_group_close(group);
    rs_arena_free(&arena);
}

/* The reference takes a window of the arrays through all runs, then the next: bits, counts and faults are
   those of the arrays whole, wherever the windows end. */
Test(verify, what_the_reference_finds_does_not_depend_on_its_windows) {
    uint64_t state = 3;
    for (int i = 0; i < 300; i++) {
        const int32_t n = 1 + random_below(&state, 6);
        const int64_t count = random_below(&state, 200);
        const rs_schedule s =
            make_schedule(rs_algorithms[random_below(&state, 4)]->name, RS_ORDER_SEED, n, count);
        rg_job job = job_of(&s, (rs_dtype)random_below(&state, RS_N_DTYPES),
                            (rs_op)random_below(&state, RS_N_OPS), count);
        job.special = (rg_special)random_below(&state, RG_N_SPECIALS);
        job.in_place = random_below(&state, 2) == 1;
        job.offset = random_below(&state, 2);
        job.times = 1 + random_below(&state, 3);
        job.check_every = random_below(&state, 2) == 1;
        if (n > 1 && count > 0) job.flip_rank = random_below(&state, n + 1) - 1;
        job.flip_run = random_below(&state, job.times + 1);
        rg_group *group = open_group(RG_CPU, n);
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        const rg_result whole = run(group, &job, &arena);
        job.window_bytes = 1 + random_below(&state, 2000);
        const rg_result cut = run(group, &job, &arena);
        cr_assert_eq(cut.n_wrong, whole.n_wrong);
        cr_assert(cut.n_checked == whole.n_checked && cut.n_wrong_runs == whole.n_wrong_runs &&
                  cut.first_wrong_run == whole.first_wrong_run);
        cr_assert_eq(cut.n_spoilt, 0);
        cr_assert_arr_eq(cut.crc32, whole.crc32, (size_t)n * sizeof *cut.crc32);
        cr_assert_arr_eq(cut.wrong, whole.wrong, (size_t)n * sizeof *cut.wrong);
        rs_arena_free(&arena);
        rg_group_close(group);
    }
}

/* Who judges one rank counts the same in any window, and sees a source that was written. */
Test(verify, a_judge_sees_each_wrong_element_in_whatever_window) {
    enum { N = 3, COUNT = 97 };
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, COUNT);
    const rg_job job = job_of(&s, RS_F32, RS_SUM, COUNT);
    for (int64_t window = 1; window < 2000; window += 97) {
        float source[COUNT], result[COUNT];
        rs_arena arena;
        rg_judge judge;
        int64_t n_wrong[N];
        rs_arena_init(&arena, NULL);
        cr_assert_eq(rg_judge_new(&job, window, &arena, NULL, &judge), RS_OK);
        void **all = new_ranks(RS_DATA_INDEX, RS_F32, N, s.n_chunks, COUNT, NULL);
        for (int32_t r = 0; r < N; r++) rg_fill(&job, r, NULL, all[r]);
        memcpy(source, all[1], sizeof source);
        apply_naively(&s, RS_F32, RS_SUM, COUNT, all, &(rs_apply_options){.until_step = s.n_steps});
        memcpy(result, all[1], sizeof result);
        free_ranks(all, N);
        const void *results[N] = {NULL, result, NULL};
        const int64_t at[] = {0, 50, COUNT - 1};
        for (int bad = 0; bad <= 3; bad++) {
            if (bad > 0) result[at[bad - 1]] += 1;
            cr_assert_eq(rg_judge_count(&judge, results, NULL, NULL, n_wrong), RS_OK);
            cr_assert_arr_eq(n_wrong, ((int64_t[N]){0, bad, 0}), sizeof n_wrong);
        }
        cr_assert(rg_judge_kept(&judge, 1, source));
        for (int i = 0; i < 3; i++) {
            source[at[i]] += 1;
            cr_assert_not(rg_judge_kept(&judge, 1, source));
            source[at[i]] -= 1;
        }
        rs_arena_free(&arena);
    }
}

/* Arrays of any size take the memory of a window. */
Test(verify, the_reference_needs_the_memory_of_a_window) {
    enum { N = 8, COUNT = 100000 };
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, COUNT);
    rg_group *group = open_group(RG_CPU, N);
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rg_job job = job_of(&s, RS_F32, RS_SUM, COUNT);
    job.window_bytes = 64 << 10;
    arena.limit_bytes = 1 << 20; /* the arrays together: 9.6 MB */
    check_cpu_within(group, &job, &arena);
    rs_arena_free(&arena);
    rg_group_close(group);
}

/* ------------------------------------------------------------------ it can be ended */

typedef struct patience {
    const char *what; /* the part in which it ends; NULL: in none */
    int64_t n_asked[2];
} patience;
static const char *const parts[] = {"filling the arrays", "summing up the results"};

static bool ask(void *context, const char *what, int64_t done, int64_t total) {
    patience *p = context;
    cr_expect(done >= 0 && done <= total);
    for (int i = 0; i < 2; i++) p->n_asked[i] += strcmp(what, parts[i]) == 0;
    return p->what == NULL || strcmp(what, p->what) != 0;
}

Test(verify, the_reference_asks_the_host_before_it_has_touched_much) {
    enum { N = 2, COUNT = 4 << 20, BETWEEN = 1 << 20 }; /* elements */
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, COUNT);
    const rg_job job = job_of(&s, RS_F32, RS_SUM, COUNT);
    for (int end = 0; end < 3; end++) {
        patience p = {.what = end < 2 ? parts[end] : NULL};
        const rs_host host = {.context = &p, .progress = ask};
        rg_group *group;
        rg_result result;
        rs_error error;
        rs_arena arena;
        rs_arena_init(&arena, &host);
        const rg_setup setup = {.n_ranks = N};
        cr_assert_eq(rg_group_open(RG_CPU, &setup, &host, &error, &group), RS_OK);
        const rs_status status = rg_group_run(group, &job, &arena, &error, &result);
        cr_expect_eq(status, end < 2 ? RS_CANCELLED : RS_OK);
        for (int i = 0; i < 2 && end == 2; i++) {
            cr_expect_geq(p.n_asked[i], (int64_t)N * COUNT / BETWEEN, "%s", parts[i]);
        }
        rg_group_close(group);
        rs_arena_free(&arena);
    }
}

/* ------------------------------------------------------------------ its memory is the host's */

typedef struct store {
    size_t held, most;
} store;

static void *lend(void *context, size_t n_bytes) {
    store *s = context;
    s->held += n_bytes;
    if (s->held > s->most) s->most = s->held;
    return malloc(n_bytes);
}
static void take_back(void *context, void *block, size_t n_bytes) {
    store *s = context;
    s->held -= n_bytes;
    free(block);
}

/* Sources, targets and the judge's inputs come from the host, within the run's own limit, and go back when it is over. */
Test(verify, the_reference_takes_its_memory_from_the_host) {
    enum { N = 4, COUNT = 100000 };
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, COUNT);
    const rg_job job = job_of(&s, RS_F64, RS_SUM, COUNT);
    const rg_setup setup = {.n_ranks = N};
    for (int low = 0; low < 2; low++) {
        store used = {0};
        const rs_host host = {.context = &used, .allocate = lend, .release = take_back};
        rg_group *group;
        rg_result result;
        rs_error error;
        rs_arena arena;
        rs_arena_init(&arena, &host);
        arena.limit_bytes = low ? 1 << 20 : 0;
        cr_assert_eq(rg_group_open(RG_CPU, &setup, &host, &error, &group), RS_OK);
        const rs_status status = rg_group_run(group, &job, &arena, &error, &result);
        cr_expect_eq(status, low ? RS_NO_MEMORY : RS_OK);
        if (!low) cr_expect_geq(used.most, (size_t)3 * N * COUNT * sizeof(double));
        if (low) cr_expect_leq(used.most, (size_t)2 << 20);
        cr_expect_eq(used.held, arena.n_bytes, "%zu bytes are kept", used.held - arena.n_bytes);
        rg_group_close(group);
        rs_arena_free(&arena);
        cr_expect_eq(used.held, 0u);
    }
}

/* ------------------------------------------------------------------ what the ranks start with */

static double number_at(rs_dtype dtype, const void *array, int64_t i) {
    char text[64];
    rs_print_value(dtype, array, i, text, sizeof text);
    return strtod(text, NULL);
}

/* Each rank has its turn with NaN; the other specials are there too, and nowhere else. */
/* A NaN that traps, or that the first operation would change into another, says nothing of an order. */
static bool is_quiet(rs_dtype dtype, const void *array, int64_t i) {
    static const int mantissa[RS_N_DTYPES] = {
        [RS_F16] = 10, [RS_BF16] = 7, [RS_F32] = 23, [RS_F64] = 52};
    uint64_t bits = 0;
    const size_t n = (size_t)rs_dtype_bytes(dtype);
    memcpy(&bits, (const char *)array + (size_t)i * n, n);
    return (bits >> (mantissa[dtype] - 1) & 1) == 1;
}

Test(verify, special_values_are_planted_into_every_rank) {
    enum { N = 5, COUNT = 1000 };
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, COUNT);
    for (rs_dtype dtype = RS_F16; dtype <= RS_F64; dtype++) {
        for (rg_special special = RG_PLAIN; special < RG_N_SPECIALS; special++) {
            for (int32_t r = 0; r < N; r++) {
                double array[COUNT];
                rg_job job = job_of(&s, dtype, RS_SUM, COUNT);
                job.special = special;
                rg_fill(&job, r, NULL, array);
                int n[RG_N_SPECIALS] = {0};
                for (int i = 0; i < COUNT; i++) {
                    const double x = number_at(dtype, array, i);
                    n[RG_NAN] += isnan(x);
                    cr_expect(!isnan(x) || is_quiet(dtype, array, i), "%s", rs_dtype_name(dtype));
                    n[RG_INF] += isinf(x);
                    n[RG_NEGATIVE_ZERO] += x == 0 && signbit(x);
                    n[RG_SUBNORMAL] += fabs(x) > 0 && fabs(x) < 1e-4 && dtype == RS_F16;
                    n[RG_OVERFLOW] += isfinite(x) && fabs(x) > 60000;
                }
                for (int k = 1; k < RG_N_SPECIALS; k++) {
                    const bool frame = k != RG_SUBNORMAL || dtype == RS_F16;
                    if (!frame || (k == RG_SUBNORMAL && special != RG_SUBNORMAL)) continue;
                    cr_expect_eq(n[k] > 0, k == (int)special, "%s %s rank %d: %d of %s",
                                 rs_dtype_name(dtype), rg_special_name(special), r, n[k],
                                 rg_special_name((rg_special)k));
                }
            }
        }
    }
}

Test(verify, what_is_written_beside_an_array_shows) {
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 2, 10);
    for (int32_t offset = 0; offset < 2; offset++) {
        rg_job job = job_of(&s, RS_I32, RS_SUM, 10);
        job.offset = offset;
        for (int side = 0; side < 2; side++) {
            rs_arena arena;
            rg_array array;
            rs_arena_init(&arena, NULL);
            cr_assert_eq(rg_array_new(&job, 10, &arena, NULL, &array), RS_OK);
            memset(array.data, 0, array.n_bytes);
            cr_expect_eq((uintptr_t)array.data % 64, (uintptr_t)(4 * offset));
            cr_expect(rg_array_intact(&array));
            ((char *)array.data)[side == 0 ? -1 : (int)array.n_bytes] ^= 1;
            cr_expect_not(rg_array_intact(&array));
            rs_arena_free(&arena);
        }
    }
}

/* ------------------------------------------------------------------ the oracle's bound */

/* What all ranks start with; the judge makes it anew, in windows that end anywhere. */
static void **inputs_of(const rg_job *job) {
    const int32_t n = job->schedule->n_ranks;
    void **inputs =
        new_ranks(RS_DATA_INDEX, job->dtype, n, job->schedule->n_chunks, job->count, NULL);
    for (int32_t r = 0; r < n; r++) rg_fill(job, r, NULL, inputs[r]);
    return inputs;
}

static rg_oracle_tally judge_by(const rg_job *job, const void *result, const void *oracle,
                                bool wraps) {
    rg_oracle_tally first = {0};
    static const int64_t windows[] = {RG_WINDOW_BYTES, 777, 1};
    for (int i = 0; i < 3; i++) {
        rs_arena arena;
        rg_judge judge;
        rg_oracle_tally tally;
        rs_arena_init(&arena, NULL);
        cr_assert_eq(rg_judge_new(job, windows[i], &arena, NULL, &judge), RS_OK);
        rg_judge_oracle(&judge, 0, result, oracle, wraps, NULL, &tally);
        if (i == 0) first = tally;
        cr_expect_arr_eq(&tally, &first, sizeof tally);
        rs_arena_free(&arena);
    }
    return first;
}

/* A library that answers a finite sum with infinity or NaN is outside; so near the largest number, too. */
Test(verify, no_special_value_is_an_answer_to_numbers) {
    static const double largest[RS_N_DTYPES] = {
        [RS_F16] = 0x1p15, [RS_BF16] = 0x1p127, [RS_F32] = 0x1p127, [RS_F64] = 0x1p1023};
    static const double specials[] = {INFINITY, -INFINITY, NAN};
    const rs_schedule ring = make_schedule("ring", RS_ORDER_SEED, 2, 2);
    for (rs_dtype dtype = RS_F16; dtype <= RS_F64; dtype++) {
        for (int down = 0; down < 3; down++) { /* the sum is 2^16 where f16 ends, half, a quarter */
            for (int i = 0; i < 3; i++) {
                const double list[] = {ldexp(largest[dtype], -down), ldexp(largest[dtype], -down)};
                rg_job job = job_of(&ring, dtype, RS_SUM, 2);
                job.data = RS_DATA_LIST;
                job.list = list;
                char oracle[16], result[16];
                rs_fill(RS_DATA_LIST, dtype, 0, 2, 2, 2, 0, &specials[i], oracle);
                memcpy(result, oracle, sizeof result);
                const rg_oracle_tally tally = judge_by(&job, result, oracle, true);
                cr_expect_eq(tally.n_outside, 2, "%s %d %g", rs_dtype_name(dtype), down,
                             specials[i]);
            }
        }
    }
}

/* A library that adds in another order stays within; one that adds something else does not. */
Test(verify, another_order_lies_within_the_bound_and_another_number_outside) {
    enum { N = 8, COUNT = 500 };
    const rs_schedule ring = make_schedule("ring", RS_ORDER_SEED, N, COUNT);
    const rs_schedule tree = make_schedule("tree", RS_ORDER_SEED, N, COUNT);
    for (rs_dtype dtype = RS_F16; dtype <= RS_F64; dtype++) {
        for (rs_op op = RS_SUM; op < RS_N_OPS; op++) {
            const rg_job job = job_of(&ring, dtype, op, COUNT);
            void **inputs = inputs_of(&job);
            void **a = copy_ranks(inputs, dtype, N, COUNT),
                 **b = copy_ranks(inputs, dtype, N, COUNT);
            apply_naively(&ring, dtype, op, COUNT, a,
                          &(rs_apply_options){.until_step = ring.n_steps});
            apply_naively(&tree, dtype, op, COUNT, b,
                          &(rs_apply_options){.until_step = tree.n_steps});
            rg_oracle_tally tally = judge_by(&job, a[0], b[0], true);
            const bool ordered = op == RS_SUM || op == RS_PROD || op == RS_AVG;
            cr_expect_eq(tally.n_differ > 0, ordered, "%s %s: %lld differ", rs_dtype_name(dtype),
                         rs_op_name(op), (long long)tally.n_differ);
            cr_expect_eq(tally.n_outside, 0, "%s %s: %lld outside", rs_dtype_name(dtype),
                         rs_op_name(op), (long long)tally.n_outside);
            cr_expect_eq(rg_oracle_bound(&job) > 0, ordered);
            ((char *)b[0])[rs_dtype_bytes(dtype) - 1] ^= (char)0x80; /* another sign */
            tally = judge_by(&job, a[0], b[0], true);
            cr_expect_eq(tally.n_outside, 1, "%s %s", rs_dtype_name(dtype), rs_op_name(op));
            free_ranks(a, N);
            free_ranks(b, N);
            free_ranks(inputs, N);
        }
    }
}

Test(verify, a_fault_in_any_timed_run_is_found_where_each_is_judged) {
    backend_fixture_runs(RG_CPU, NULL);
}

/* A zero may come last: what the others come to must fit, too; ones change nothing. */
Test(verify, a_product_may_leave_its_type_before_it_meets_a_zero) {
    enum { N = 3, COUNT = 2 };
    static const struct {
        double list[N];
        bool leaves;
    } cases[] = {{{0, 100, 100}, true},  {{100, 0, 100}, true}, {{100, 100, 0}, true},
                 {{0, 1, 100}, false},   {{1, 1, 127}, false},  {{1, 2, 64}, true},
                 {{0, 0, 127}, false},   {{2, 1, 63}, false},   {{1, 100, 100}, true},
                 {{-1, 100, 100}, true}, {{-1, 1, 100}, false}};
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, COUNT);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rg_job job = job_of(&s, RS_I8, RS_PROD, COUNT);
        job.data = RS_DATA_LIST;
        job.list = cases[i].list;
        const int8_t whole = (int8_t)(int)(cases[i].list[0] * cases[i].list[1] * cases[i].list[2]);
        const int8_t right[COUNT] = {whole, whole}, other[COUNT] = {whole, (int8_t)(whole ^ 3)};
        const rg_oracle_tally tally = judge_by(&job, right, other, false);
        cr_expect(tally.n_differ == 1 && tally.n_unjudged == cases[i].leaves &&
                      tally.n_outside == !cases[i].leaves,
                  "case %d: %d outside, %d not judged", (int)i, (int)tally.n_outside,
                  (int)tally.n_unjudged);
    }
}

/* 100 + 100 leaves an i8: a library that saturates there is not wrong unless it says that it wraps. */
Test(verify, integers_that_overflow_are_judged_only_where_they_are_said_to_wrap) {
    enum { N = 2, COUNT = 2 };
    static const double list[N] = {100, 100};
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, COUNT);
    rg_job job = job_of(&s, RS_I8, RS_SUM, COUNT);
    job.data = RS_DATA_LIST;
    job.list = list;
    const int8_t wrapped[COUNT] = {-56, -56}, saturated[COUNT] = {-56, 127};
    rg_oracle_tally tally = judge_by(&job, wrapped, saturated, true);
    cr_expect(tally.n_differ == 1 && tally.n_outside == 1 && tally.n_unjudged == 0);
    tally = judge_by(&job, wrapped, saturated, false);
    cr_expect(tally.n_differ == 1 && tally.n_outside == 0 && tally.n_unjudged == 1);
    job.op = RS_MAX;
    tally = judge_by(&job, wrapped, saturated, false);
    cr_expect(tally.n_outside == 1, "max cannot overflow");
}
