/* test_verify_mpi.c: the ranks as processes that mpirun starts: the same bits as the reference's, and
   faults found.

   RINGSIM_VERIFY_ALL=1 runs each combination instead of every one in turn; that takes minutes. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "literal.h"
#include "ringsim_gpu.h"
#include "wire.h"

/* Opens N ranks; where this build or machine has no MPI the test is skipped. */
static rg_group *open_ranks(rg_kind kind, int32_t n) {
    const char *program = getenv("RINGSIM"), *build = getenv("BUILD");
    const char *dirs[] = {build != NULL ? build : "build", NULL};
    const rg_setup setup = {
        .n_ranks = n, .program = program != NULL ? program : "./ringsim", .module_dirs = dirs};
    rs_error error = {.text = ""};
    rg_group *group = NULL;
    if (!rg_available(kind, &setup, &error)) cr_skip_test("%s", error.text);
    cr_assert_eq(rg_group_open(kind, &setup, NULL, &error, &group), RS_OK, "%s", error.text);
    return group;
}

static rg_job job_of(const rs_schedule *schedule, rs_dtype dtype, rs_op op, int64_t count) {
    return (rg_job){.schedule = schedule,
                    .dtype = dtype,
                    .op = op,
                    .count = count,
                    .data = RS_DATA_RANDOM,
                    .seed = 11,
                    .times = 1,
                    .flip_rank = -1,
                    .oracle = true};
}

static rg_result run(rg_group *group, const rg_job *job, rs_arena *arena) {
    rs_error error = {.text = ""};
    rg_result result;
    cr_assert_eq(rg_group_run(group, job, arena, &error, &result), RS_OK, "%s", error.text);
    cr_assert(result.completed, "%s", result.failure);
    return result;
}

/* The processes and the reference: nothing wrong, the same bits on every rank. */
static void check(rg_group *mpi, rg_group *cpu, const rg_job *job) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const int32_t n = job->schedule->n_ranks;
    const rg_result a = run(mpi, job, &arena), b = run(cpu, job, &arena);
    const bool same = job->special != RG_PLAIN || memcmp(a.crc32, b.crc32, (size_t)n * 4) == 0;
    cr_assert(a.n_wrong == 0 && a.n_spoilt == 0 && a.oracle_outside == 0 && same,
              "%s %s %s N=%d K=%d %s: %lld wrong, %lld spoilt, %lld outside%s", job->schedule->name,
              rs_dtype_name(job->dtype), rs_op_name(job->op), (int)n, (int)job->count,
              rg_special_name(job->special), (long long)a.n_wrong, (long long)a.n_spoilt,
              (long long)a.oracle_outside, same ? "" : ", other bits than the reference");
    cr_assert(a.has_oracle);
    rs_arena_free(&arena);
}

static void check_schedule(rg_group *mpi, rg_group *cpu, const rs_schedule *s, int64_t count) {
    static int turn;
    const bool all = getenv("RINGSIM_VERIFY_ALL") != NULL;
    for (int d = 0; d < RS_N_DTYPES; d++, turn++) {
        for (int i = 0; i < (all ? RS_N_OPS * RG_N_SPECIALS : 1); i++) {
            const int choice = all ? i : turn * 7; /* 7 and 30 have no divisor in common */
            rg_job job = job_of(s, (rs_dtype)d, (rs_op)(choice % RS_N_OPS), count);
            job.special = (rg_special)(choice / RS_N_OPS % RG_N_SPECIALS);
            job.in_place = (turn + i) % 2 == 0;
            job.offset = (turn + i) / 2 % 2;
            check(mpi, cpu, &job);
        }
    }
}

static void check_world(int32_t n) {
    rg_group *mpi = open_ranks(RG_MPI, n), *cpu = open_ranks(RG_CPU, n);
    const int64_t counts[] = {0, 1, n - 1, n, n + 1, 1000};
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int k = 0; k < 6; k++) {
            const rs_order order = k % 2 == 0 && i == 0 ? RS_ORDER_NCCL : RS_ORDER_SEED;
            const rs_schedule s = make_schedule(rs_algorithms[i]->name, order, n, counts[k]);
            check_schedule(mpi, cpu, &s, counts[k]);
        }
    }
    rg_group_close(mpi);
    rg_group_close(cpu);
}

Test(verify_mpi, one_rank_alone) {
    check_world(1);
}
Test(verify_mpi, two_ranks_give_the_bits_of_the_reference) {
    check_world(2);
}
Test(verify_mpi, three_ranks_give_the_bits_of_the_reference) {
    check_world(3);
}
Test(verify_mpi, four_ranks_give_the_bits_of_the_reference) {
    check_world(4);
}
Test(verify_mpi, five_ranks_give_the_bits_of_the_reference) {
    check_world(5);
}
Test(verify_mpi, eight_ranks_give_the_bits_of_the_reference) {
    check_world(8);
}

/* Larger than what goes through MPI's small messages. */
Test(verify_mpi, a_million_elements_and_three) {
    rg_group *mpi = open_ranks(RG_MPI, 4), *cpu = open_ranks(RG_CPU, 4);
    const int64_t count = (1 << 20) + 3;
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        const rs_schedule s = make_schedule(rs_algorithms[i]->name, RS_ORDER_SEED, 4, count);
        rg_job job = job_of(&s, i % 2 == 0 ? RS_F32 : RS_BF16, RS_SUM, count);
        job.offset = 1;
        check(mpi, cpu, &job);
    }
    rg_group_close(mpi);
    rg_group_close(cpu);
}

Test(verify_mpi, a_bit_that_flips_on_its_way_is_found) {
    enum { N = 3 };
    rg_group *mpi = open_ranks(RG_MPI, N), *cpu = open_ranks(RG_CPU, N);
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, 12);
    for (int32_t step = 0; step < s.n_steps; step++) {
        for (int32_t rank = 0; rank < N; rank++) {
            rs_arena arena;
            rs_arena_init(&arena, NULL);
            rg_job job = job_of(&s, RS_I32, RS_SUM, 12);
            job.flip_rank = rank;
            job.flip_step = step;
            const rg_result a = run(mpi, &job, &arena), b = run(cpu, &job, &arena);
            cr_expect(a.n_wrong > 0 && a.n_wrong == b.n_wrong);
            cr_expect_arr_eq(a.wrong, b.wrong, N * sizeof *a.wrong);
            cr_expect_arr_eq(a.crc32, b.crc32, N * sizeof *a.crc32);
            rs_arena_free(&arena);
        }
    }
    rg_group_close(mpi);
    rg_group_close(cpu);
}

/* Two messages between the same ranks in a step, cells read and written in it, ranges of chunks. */
Test(verify_mpi, any_list_of_transfers_runs) {
    static const char text[] = "ringsim-schedule 1\nranks 3\nchunks 4\n"
                               "step\n0 -> 1 chunk 0..3 reduce\n1 -> 2 chunk 0..3 reduce\n"
                               "step\n2 -> 1 chunk 3 copy\n2 -> 1 chunk 0..2 copy\n"
                               "0 -> 2 chunk 1 reduce\n1 -> 2 chunk 1 reduce\n";
    rg_group *mpi = open_ranks(RG_MPI, 3), *cpu = open_ranks(RG_CPU, 3);
    for (int d = 0; d < RS_N_DTYPES; d++) {
        rs_arena arena;
        rs_schedule s;
        rs_arena_init(&arena, NULL);
        cr_assert_eq(rs_parse_schedule(text, sizeof text - 1, &arena, NULL, &s), RS_OK);
        const rg_job job = job_of(&s, (rs_dtype)d, RS_SUM, 101);
        const rg_result a = run(mpi, &job, &arena), b = run(cpu, &job, &arena);
        cr_expect_arr_eq(a.crc32, b.crc32, 3 * sizeof *a.crc32);
        cr_expect(a.n_wrong > 0 && a.n_wrong == b.n_wrong, "it is no all-reduce");
        rs_arena_free(&arena);
    }
    rg_group_close(mpi);
    rg_group_close(cpu);
}

Test(verify_mpi, a_measured_trace_has_every_transfer_in_a_possible_order) {
    enum { N = 4 };
    rg_group *mpi = open_ranks(RG_MPI, N);
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, 4000);
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rg_job job = job_of(&s, RS_F32, RS_SUM, 4000);
    job.trace = true;
    {
        const rg_result result = run(mpi, &job, &arena);
        cr_assert_not_null(result.trace);
        cr_assert_eq(result.trace->n_items, s.n_transfers);
        int64_t left_ps[N] = {0}, first_ps = INT64_MAX;
        for (int64_t i = 0; i < result.trace->n_items; i++) {
            const rs_timed *t = &result.trace->items[i];
            cr_expect(t->start_ps >= 0 && t->start_ps <= t->end_ps && t->end_ps <= t->done_ps);
            if (t->start_ps < first_ps) first_ps = t->start_ps;
            /* The receiver has left the step before: all it had to add there is added. */
            cr_expect_geq(t->start_ps, left_ps[t->transfer.dst]);
            left_ps[t->transfer.dst] = t->done_ps;
        }
        cr_expect_eq(first_ps, 0);
    }
    rg_group_close(mpi);
    rs_arena_free(&arena);
}

/* ------------------------------------------------------------------ jobs and results as bytes */

/* Whatever part of it is missing, the reader says so and stays inside: each prefix is a block of its
   own, so that the address sanitizer sees a step beyond. */
static void refuses_every_prefix(const rg_writer *writer, bool is_job) {
    for (size_t n = RG_FRAME_HEAD; n < writer->n; n += 1 + n / 50) {
        rs_arena arena;
        rs_error error = {.text = ""};
        rs_schedule schedule;
        rg_job job;
        bool wrong[4];
        uint32_t crc32[4];
        rg_result result = {.wrong = wrong, .crc32 = crc32};
        rs_arena_init(&arena, NULL);
        char *bytes = malloc(n - RG_FRAME_HEAD + 1);
        memcpy(bytes, writer->bytes + RG_FRAME_HEAD, n - RG_FRAME_HEAD);
        rg_reader reader = {bytes, n - RG_FRAME_HEAD, false};
        const rs_status status = is_job ? rg_get_job(&reader, &arena, &error, &schedule, &job)
                                        : rg_get_result(&reader, 4, &arena, &error, &result);
        cr_expect_eq(status, RS_BAD_INPUT, "%d of %d bytes", (int)n, (int)writer->n);
        free(bytes);
        rs_arena_free(&arena);
    }
}

Test(verify_mpi, a_job_comes_out_of_its_bytes_as_it_went_in) {
    static const double list[4] = {1e8, 1, -1e8, 1};
    const rs_schedule s = make_schedule("ring", RS_ORDER_NCCL, 4, 10);
    rg_job job = job_of(&s, RS_BF16, RS_AVG, 10), back;
    rg_writer writer = {0};
    rs_arena arena;
    rs_error error = {.text = ""};
    rs_schedule schedule;
    rs_arena_init(&arena, NULL);
    job.data = RS_DATA_LIST;
    job.list = list;
    job.special = RG_INF;
    job.timeout_ms = 1234;
    rg_put_job(&writer, &job);
    rg_reader reader = {writer.bytes + RG_FRAME_HEAD, writer.n - RG_FRAME_HEAD, false};
    cr_assert_eq(rg_get_job(&reader, &arena, &error, &schedule, &back), RS_OK, "%s", error.text);
    cr_expect(reader.left == 0 && !reader.bad);
    cr_expect(back.schedule->order == RS_ORDER_NCCL && back.schedule->n_transfers == s.n_transfers);
    cr_expect(back.dtype == RS_BF16 && back.op == RS_AVG && back.count == 10);
    cr_expect(back.seed == 11 && back.special == RG_INF && back.timeout_ms == 1234 && back.oracle);
    cr_expect_arr_eq(back.list, list, sizeof list);
    refuses_every_prefix(&writer, true);
    free(writer.bytes);
    rs_arena_free(&arena);
}

Test(verify_mpi, a_result_comes_out_of_its_bytes_as_it_went_in) {
    bool wrong[4] = {false, true, false, true}, wrong_back[4];
    uint32_t crc32[4] = {1, 2, 3, 4}, crc32_back[4];
    rs_timed items[3] = {
        {.step = 1, .start_ps = 5, .end_ps = 6, .done_ps = 7}, {.step = 2}, {.step = 3}};
    rs_trace trace = {items, 3, 3};
    const rg_result result = {.wrong = wrong,
                              .crc32 = crc32,
                              .n_wrong = 9,
                              .oracle_unjudged = 8,
                              .oracle_bound = 0.5,
                              .trace = &trace,
                              .note = "a note"};
    rg_result back = {.wrong = wrong_back, .crc32 = crc32_back};
    rg_writer writer = {0};
    rs_arena arena;
    rs_error error = {.text = ""};
    rs_arena_init(&arena, NULL);
    rg_put_result(&writer, &result, 4);
    rg_reader reader = {writer.bytes + RG_FRAME_HEAD, writer.n - RG_FRAME_HEAD, false};
    cr_assert_eq(rg_get_result(&reader, 4, &arena, &error, &back), RS_OK, "%s", error.text);
    cr_expect(back.n_wrong == 9 && back.oracle_unjudged == 8 && back.oracle_bound == 0.5);
    cr_expect_arr_eq(wrong_back, wrong, sizeof wrong);
    cr_expect_arr_eq(crc32_back, crc32, sizeof crc32);
    cr_expect_str_eq(back.note, "a note");
    cr_assert(back.trace != NULL && back.trace->n_items == 3);
    cr_expect(back.trace->items[0].done_ps == 7 && back.trace->items[1].step == 2);
    refuses_every_prefix(&writer, false);
    free(writer.bytes);
    rs_arena_free(&arena);
}
