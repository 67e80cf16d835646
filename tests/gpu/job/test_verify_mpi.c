/* test_verify_mpi.c: the ranks as processes that mpirun starts: the same bits as the reference's, and
   faults found. (backend_fixture.h) */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/naive_apply.h"
#include "support/backend_fixture.h"
#include "ringsim_gpu.h"
#include "process/job_bytes.h"

/* Tests run side by side: an mpirun that ends removes the folder that all of them share, while another is about to use it. */
static char folder[] = "/tmp/ringsim-mpi-XXXXXX";

static void begin(void) {
    if (mkdtemp(folder) != NULL) setenv("TMPDIR", folder, 1);
}
static void end(void) {
    rmdir(folder);
}
TestSuite(verify_mpi, .init = begin, .fini = end);

Test(verify_mpi, one_rank_alone) {
    backend_fixture_world(RG_MPI, NULL, 1);
}
Test(verify_mpi, two_ranks_give_the_bits_of_the_reference) {
    backend_fixture_world(RG_MPI, NULL, 2);
}
Test(verify_mpi, three_ranks_give_the_bits_of_the_reference) {
    backend_fixture_world(RG_MPI, NULL, 3);
}
Test(verify_mpi, four_ranks_give_the_bits_of_the_reference) {
    backend_fixture_world(RG_MPI, NULL, 4);
}
Test(verify_mpi, five_ranks_give_the_bits_of_the_reference) {
    backend_fixture_world(RG_MPI, NULL, 5);
}
Test(verify_mpi, eight_ranks_give_the_bits_of_the_reference) {
    backend_fixture_world(RG_MPI, NULL, 8);
}

/* Messages of 64 KiB and more: Open MPI sends those up to 4 KiB another way. */
Test(verify_mpi, messages_that_are_not_small) {
    rg_group *mpi = backend_fixture_open(RG_MPI, NULL, 4),
             *cpu = backend_fixture_open(RG_CPU, NULL, 4);
    const int64_t count = (1 << 17) + 3;
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        const rs_schedule s = make_schedule(rs_algorithms[i]->name, RS_ORDER_SEED, 4, count);
        rg_job job = backend_fixture_job(&s, i % 2 == 0 ? RS_F32 : RS_BF16, RS_SUM, count);
        job.offset = 1;
        backend_fixture_check(mpi, cpu, &job);
    }
    rg_group_close(mpi);
    rg_group_close(cpu);
}

Test(verify_mpi, a_bit_that_flips_on_its_way_is_found) {
    backend_fixture_flips(RG_MPI, NULL);
}
Test(verify_mpi, what_goes_wrong_in_any_collective_is_found) {
    backend_fixture_blame(RG_MPI, NULL);
}
Test(verify_mpi, a_fault_in_any_timed_run_is_found_where_each_is_judged) {
    backend_fixture_runs(RG_MPI, NULL);
}
Test(verify_mpi, any_list_of_transfers_runs) {
    backend_fixture_list(RG_MPI, NULL);
}
Test(verify_mpi, a_measured_trace_has_every_transfer_in_a_possible_order) {
    backend_fixture_trace(RG_MPI, NULL);
}

/* ------------------------------------------------------------------ jobs and results as bytes */

/* Whatever part of it is missing, the reader says so and stays inside: each prefix is a block of its
   own, so that the address sanitizer sees a step beyond. */
static void refuses_every_prefix(const rg_writer *writer, bool is_job) {
    cr_expect_eq(writer->bytes[writer->n - 1], '\n', "a launcher may keep what ends no line");
    for (size_t n = RG_FRAME_HEAD; n < writer->n; n += 1 + (writer->n - n) / 50) {
        rs_arena arena;
        rs_error error = {.text = ""};
        rs_schedule schedule;
        rg_job job;
        bool wrong[4];
        uint32_t crc32[4];
        rg_result result = {.wrong = wrong, .crc32 = crc32};
        rs_arena_init(&arena, NULL);
        char *bytes = malloc(n);
        memcpy(bytes, writer->bytes, n);
        rg_reader reader = rg_frame_reader(bytes, n);
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
    rg_job job = backend_fixture_job(&s, RS_BF16, RS_AVG, 10), back;
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
    rg_reader reader = rg_frame_reader(writer.bytes, writer.n);
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

Test(verify_mpi, a_schedule_of_any_collective_comes_out_as_it_went_in) {
    for (int of = 0; of < RS_N_COLLECTIVES; of++) {
        const rs_algorithm *usual = rs_algorithms_of((rs_collective)of)[0];
        const bool rooted = rs_collective_rooted((rs_collective)of);
        const rs_spec spec = {.n_ranks = 4,
                              .root = rooted ? 3 : 0,
                              .n_pieces = usual->pipelined ? 6 : 0,
                              .n_channels = usual->one_channel ? 0 : 2};
        rs_arena arena;
        rs_error error = {.text = ""};
        rs_schedule s, schedule;
        rg_writer writer = {0};
        rs_arena_init(&arena, NULL);
        cr_assert_eq(rs_schedule_from_spec(usual, &spec, 64, &error, &s), RS_OK, "%s", error.text);
        const rg_job job = backend_fixture_job(&s, RS_F32, RS_SUM, 64);
        rg_job back;
        rg_put_job(&writer, &job);
        rg_reader reader = rg_frame_reader(writer.bytes, writer.n);
        cr_assert_eq(rg_get_job(&reader, &arena, &error, &schedule, &back), RS_OK, "%s",
                     error.text);
        cr_expect(schedule.collective == s.collective && schedule.root == s.root);
        cr_expect(schedule.n_chunks == s.n_chunks && schedule.n_channels == s.n_channels &&
                  schedule.n_pieces == s.n_pieces && schedule.n_transfers == s.n_transfers);
        refuses_every_prefix(&writer, true);
        free(writer.bytes);
        rs_arena_free(&arena);
    }
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
    rg_reader reader = rg_frame_reader(writer.bytes, writer.n);
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
