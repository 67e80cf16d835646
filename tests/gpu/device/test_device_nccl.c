/* test_device_nccl.c: the nccl backend on the emulated device and the fake NCCL: spawned ranks give the
 * reference's bits, and faults are found. (backend_fixture.h)
 *
 * No statement about a real GPU or the real NCCL follows from it. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/naive_apply.h"
#include "support/backend_fixture.h"

/* The program on the emulated device, and its NCCL. */
static const char *program(void) {
    static char path[4200], library[4200];
    const char *build = getenv("BUILD");
    snprintf(path, sizeof path, "%s/device/ringsim", build != NULL ? build : "build");
    snprintf(library, sizeof library, "%s/device/libnccl.so.2", build != NULL ? build : "build");
    setenv("RINGSIM_NCCL", library, 1);
    return path;
}

Test(device_nccl, one_rank_alone) {
    backend_fixture_world(RG_NCCL, program(), 1);
}
Test(device_nccl, two_ranks_give_the_bits_of_the_reference) {
    backend_fixture_world(RG_NCCL, program(), 2);
}
Test(device_nccl, three_ranks_on_two_devices_give_the_bits_of_the_reference) {
    setenv("EMU_DEVICES", "2", 1);
    backend_fixture_world(RG_NCCL, program(), 3);
}
Test(device_nccl, four_ranks_on_one_device_give_the_bits_of_the_reference) {
    setenv("EMU_DEVICES", "1", 1);
    backend_fixture_world(RG_NCCL, program(), 4);
}
Test(device_nccl, five_ranks_give_the_bits_of_the_reference) {
    backend_fixture_world(RG_NCCL, program(), 5);
}
Test(device_nccl, eight_ranks_on_eight_devices_give_the_bits_of_the_reference) {
    setenv("EMU_DEVICES", "8", 1);
    backend_fixture_world(RG_NCCL, program(), 8);
}

Test(device_nccl, a_quarter_of_a_million_elements_and_three) {
    rg_group *nccl = backend_fixture_open(RG_NCCL, program(), 4),
             *cpu = backend_fixture_open(RG_CPU, NULL, 4);
    const int64_t count = (1 << 18) + 3;
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 4, count);
    rg_job job = backend_fixture_job(&s, RS_F32, RS_SUM, count);
    job.offset = 1;
    backend_fixture_check(nccl, cpu, &job);
    rg_group_close(nccl);
    rg_group_close(cpu);
}

Test(device_nccl, a_bit_that_flips_on_its_way_is_found) {
    backend_fixture_flips(RG_NCCL, program());
}
Test(device_nccl, what_goes_wrong_in_any_collective_is_found) {
    backend_fixture_blame(RG_NCCL, program());
}
Test(device_nccl, a_fault_in_any_timed_run_is_found_where_each_is_judged) {
    backend_fixture_runs(RG_NCCL, program());
}
Test(device_nccl, any_list_of_transfers_runs) {
    backend_fixture_list(RG_NCCL, program());
}
Test(device_nccl, a_measured_trace_has_every_transfer_in_a_possible_order) {
    backend_fixture_trace(RG_NCCL, program());
}

static bool some_times(void *context, const char *what, int64_t done, int64_t total) {
    (void)done, (void)total;
    int *left = context;
    return strcmp(what, "running") != 0 || (*left)-- > 0;
}

/* Asked before each of three runs, after the oracle's, and before the verdict: five times. */
Test(device_nccl, a_launched_rank_that_is_cancelled_between_two_runs_says_so) {
    program();
    setenv("RANK", "0", 1);
    setenv("WORLD_SIZE", "1", 1);
    for (int patience = 0; patience <= 5; patience++) {
        int left = patience;
        const rs_host host = {.context = &left, .progress = some_times};
        const rg_setup setup = {.n_ranks = 1, .mode = RG_LAUNCHED, .timeout_ms = 5000};
        rs_error error = {.text = ""};
        rg_group *group = NULL;
        rs_arena arena;
        rg_result result;
        rs_arena_init(&arena, NULL);
        cr_assert_eq(rg_group_open(RG_NCCL, &setup, &host, &error, &group), RS_OK, "%s",
                     error.text);
        const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 1, 10);
        rg_job job = backend_fixture_job(&s, RS_F32, RS_SUM, 10);
        job.times = 3;
        job.timeout_ms = 5000;
        const rs_status status = rg_group_run(group, &job, &arena, &error, &result);
        cr_expect_eq(status, patience < 5 ? RS_CANCELLED : RS_OK, "after %d: %d, %s", patience,
                     (int)status, error.text);
        rs_arena_free(&arena);
        rg_group_close(group);
    }
}

/* As many GPUs as there are, or as there are ranks: each rank its own as long as there are. */
Test(device_nccl, ranks_are_spread_over_all_gpus) {
    for (int devices = 1; devices <= 4; devices++) {
        for (int n = 1; n <= 4; n++) {
            char text[32], where[64] = "on 1 ";
            const int used = devices < n ? devices : n;
            snprintf(text, sizeof text, "%d", devices);
            setenv("EMU_DEVICES", text, 1);
            if (used > 1) snprintf(where, sizeof where, "on %d x ", used);
            rg_group *nccl = backend_fixture_open(RG_NCCL, program(), n);
            cr_expect(strstr(rg_group_where(nccl), where) != NULL, "%d ranks, %d devices: %s", n,
                      devices, rg_group_where(nccl));
            rg_group_close(nccl);
        }
    }
}

/* ------------------------------------------------------------------ what only the fake can do */

static rg_result run_ring(rs_dtype dtype, rs_order order, int64_t count, rs_arena *arena) {
    rg_group *nccl = backend_fixture_open(RG_NCCL, program(), 4);
    const rs_schedule s = make_schedule("ring", order, 4, count);
    const rg_job job = backend_fixture_job(&s, dtype, RS_SUM, count);
    const rg_result result = backend_fixture_run(nccl, &job, arena);
    rg_group_close(nccl);
    return result;
}

/* The library's own result, bit by bit; 64 elements of 16 bytes a chunk: both cut the array alike. */
Test(device_nccl, in_nccls_order_the_librarys_floats_are_the_same_bits) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const rg_result ring = run_ring(RS_F32, RS_ORDER_NCCL, 4 * 64, &arena);
    cr_expect(ring.has_oracle && ring.oracle_differs == 0 && ring.oracle_outside == 0);
    const rg_result seed = run_ring(RS_F32, RS_ORDER_SEED, 4 * 64, &arena);
    cr_expect(seed.oracle_differs > 0 && seed.oracle_outside == 0);
    setenv("EMU_NCCL_ORDER", "tree", 1);
    const rg_result tree = run_ring(RS_F32, RS_ORDER_NCCL, 4 * 64, &arena);
    cr_expect(tree.oracle_differs > 0 && tree.oracle_outside == 0 && tree.n_wrong == 0);
    rs_arena_free(&arena);
}

/* Each rank on a GPU of its own, or all on one: that comes first, then why the library's bits are others. */
Test(device_nccl, other_bits_than_the_librarys_have_a_reason) {
    static const char *const why = "other bits than --order nccl: NCCL's ";
    setenv("EMU_NCCL_ORDER", "tree", 1);
    for (int devices = 1; devices <= 4; devices += 3) {
        rs_arena arena;
        char number[4];
        rs_arena_init(&arena, NULL);
        snprintf(number, sizeof number, "%d", devices);
        setenv("EMU_DEVICES", number, 1);
        const rg_result tree = run_ring(RS_F32, RS_ORDER_NCCL, 4 * 64, &arena);
        const char *note = tree.note, *beside = "correctness only: 4 ranks on one GPU; ";
        if (devices == 1) {
            cr_expect_eq(strncmp(note, beside, strlen(beside)), 0, "'%s'", note);
            note += strlen(beside);
        }
        cr_expect_eq(strncmp(note, why, strlen(why)), 0, "'%s'", tree.note);
        cr_expect(tree.oracle_time_ps > 0 && tree.oracle_time_ps < 60000000000000);
        rs_arena_free(&arena);
    }
}

/* The library's own answer with a bit flipped, on one rank: it is the oracle that is wrong, at one element. */
Test(device_nccl, a_bit_that_the_library_flips_in_its_own_collective_is_found) {
    enum { N = 3, COUNT = N * N * 8, AT = 2 };
    setenv("EMU_NCCL_FLIP", "reduce:1:2", 1);
    for (int of = RS_COLL_REDUCE_SCATTER; of < RS_COLL_ALL_TO_ALL; of++) {
        const rs_spec spec = {.n_ranks = N,
                              .root = rs_collective_rooted((rs_collective)of) ? AT : 0};
        rs_arena arena;
        rs_schedule s;
        rs_arena_init(&arena, NULL);
        cr_assert_eq(
            rs_schedule_from_spec(rs_algorithms_of((rs_collective)of)[0], &spec, COUNT, NULL, &s),
            RS_OK);
        rg_group *nccl = backend_fixture_open(RG_NCCL, program(), N);
        const rg_job job = backend_fixture_job(&s, RS_I32, RS_SUM, COUNT);
        const rg_result result = backend_fixture_run(nccl, &job, &arena);
        cr_expect(result.has_oracle && result.n_wrong == 0 && result.oracle_outside == 1 &&
                      result.oracle_differs == 1,
                  "%s: %lld outside", rs_collective_name(s.collective),
                  (long long)result.oracle_outside);
        rg_group_close(nccl);
        rs_arena_free(&arena);
    }
}

Test(device_nccl, a_bit_that_the_library_flips_is_found_at_each_rank) {
    for (int rank = 0; rank < 4; rank++) {
        rs_arena arena;
        char fault[32];
        rs_arena_init(&arena, NULL);
        snprintf(fault, sizeof fault, "send:2:%d", rank);
        setenv("EMU_NCCL_FLIP", fault, 1);
        const rg_result sent = run_ring(RS_I32, RS_ORDER_SEED, 1000, &arena);
        cr_expect(sent.n_wrong > 0 && sent.oracle_differs > 0);
        snprintf(fault, sizeof fault, "reduce:1:%d", rank);
        setenv("EMU_NCCL_FLIP", fault, 1);
        const rg_result reduced = run_ring(RS_I32, RS_ORDER_SEED, 1000, &arena);
        cr_expect(reduced.n_wrong == 0 && reduced.oracle_outside == 1);
        rs_arena_free(&arena);
    }
}

/* A kernel that never ends, of any step of any rank: its neighbours, who need it, stand in that step, and so on from step
   to step; nobody is said to be elsewhere than its GPU is, however far ahead its host may be. */
Test(device_nccl, who_waits_stands_in_the_step_of_its_gpu) {
    enum { N = 3, STEPS = 2 * (N - 1) };
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, 99);
    for (int step = 0; step < STEPS; step++) {
        const int rank = step % N;
        char fault[32];
        rs_arena arena;
        rs_error error = {.text = ""};
        rg_result result;
        snprintf(fault, sizeof fault, "kernel:%d:%d", step + 1, rank);
        setenv("EMU_NCCL_STALL", fault, 1);
        rs_arena_init(&arena, NULL);
        rg_group *nccl = backend_fixture_open(RG_NCCL, program(), N);
        rg_job job = backend_fixture_job(&s, RS_I32, RS_SUM, 99);
        job.timeout_ms = 700;
        cr_assert_eq(rg_group_run(nccl, &job, &arena, &error, &result), RS_OK, "%s", error.text);
        rg_group_close(nccl);
        cr_assert(!result.completed && result.n_stuck == N, "%s", result.failure);
        for (int r = 0; r < N; r++) {
            cr_expect(result.stuck[r].rank == r && result.stuck[r].n_runs == 0);
            cr_expect_eq(result.stuck[r].step, step, "rank %d, step %d: %s", r, step,
                         result.failure);
        }
        rs_arena_free(&arena);
    }
}

/* Of chunks some are empty: such a message is never sent, and nobody waits for it. */
Test(device_nccl, nobody_waits_for_an_empty_message) {
    enum { N = 4, COUNT = 2 };
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, COUNT);
    int n_empty = 0;
    for (int nth = 1; nth <= 3; nth++) {
        char fault[32];
        rs_arena arena;
        rs_error error = {.text = ""};
        rg_result result;
        snprintf(fault, sizeof fault, "kernel:%d:1", nth);
        setenv("EMU_NCCL_STALL", fault, 1);
        rs_arena_init(&arena, NULL);
        rg_group *nccl = backend_fixture_open(RG_NCCL, program(), N);
        rg_job job = backend_fixture_job(&s, RS_I32, RS_SUM, COUNT);
        job.timeout_ms = 700;
        cr_assert_eq(rg_group_run(nccl, &job, &arena, &error, &result), RS_OK, "%s", error.text);
        rg_group_close(nccl);
        cr_assert(!result.completed && result.n_stuck > 0, "%s", result.failure);
        for (int i = 0; i < result.n_stuck; i++) {
            const rg_stand *at = &result.stuck[i];
            rs_transfer sent, come;
            if (at->step < 0) continue;
            cr_assert(s.sends(&s, at->step, at->rank, &sent) == 1 &&
                      s.recvs(&s, at->step, at->rank, &come) == 1);
            const bool sends = rs_transfer_count(&s, COUNT, &sent) > 0,
                       hears = rs_transfer_count(&s, COUNT, &come) > 0;
            cr_expect_eq(at->open_sends, sends, "rank %d, step %d: %s", at->rank, at->step,
                         result.failure);
            cr_expect_eq(at->open_recvs, hears, "rank %d, step %d: %s", at->rank, at->step,
                         result.failure);
            n_empty += !sends || !hears;
        }
        rs_arena_free(&arena);
    }
    cr_expect_gt(n_empty, 0);
}
