/* The ladder's kernels, each against the reference, before anybody times them: on the emulated device, with
   the threads, blocks and devices in any order that the seed makes. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/device/device_stage.h"
#include "support/naive_apply.h"

/* Every transfer that moved something has begun, and then ended; no other has. */
static void check_stamps(const stage *s) {
    const rg_plan *plan = s->p.plan;
    const rg_job *job = s->p.job;
    const size_t n_bytes = (size_t)plan->n_transfers * sizeof(unsigned long long);
    unsigned long long *starts = malloc(n_bytes + 1), *ends = malloc(n_bytes + 1);
    OK(cudaMemcpy(starts, s->field.starts, n_bytes, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(ends, s->field.ends, n_bytes, cudaMemcpyDeviceToHost));
    for (int64_t i = 0; i < plan->n_transfers; i++) {
        if (rs_transfer_count(job->schedule, job->count, &plan->transfers[i]) > 0) {
            cr_assert(starts[i] > 0 && starts[i] <= ends[i], "transfer %d", (int)i);
        } else {
            cr_assert(starts[i] == UINT64_MAX && ends[i] == 0, "transfer %d", (int)i);
        }
    }
    free(starts);
    free(ends);
}

/* Runs the job on one kernel variant and compares all with the reference. */
static void check_variant(const rg_job *job, int32_t slices, int variant, uint32_t run) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    stage s;
    stage_new(&s, job, slices, &arena);
    bool runs = true;
    if (variant == 5) s.tiles = 2 + (int32_t)(job->count % (s.p.plan->n_ranks > 3 ? 3 : 6));
    if (variant >= 4) s.tiling.early = (job->count + slices) % 3 == 0;
    if (variant == 5) {
        s.tiling.lanes = 1 + (int32_t)(job->count / 3 + slices) % 4;
        s.tiling.ahead = job->count % 5 < 2;
    }
    if (variant < 4) {
        stage_run_rounds(&s, variant == 2);
    } else if (variant == RG_BY_LINES) {
        stage_run_lines(&s, run);
    } else if (variant == RG_FLOOR) {
        runs = stage_run_floor(&s) == RS_OK;
        cr_assert(runs || job->flip_rank >= 0 || strcmp(job->schedule->name, "ring") != 0);
    } else {
        stage_run_whole(&s, run);
    }
    char name[200];
    snprintf(name, sizeof name, "variant %d: %s N=%d K=%d %s %s%s offset %d slices %d flip %d@%d",
             variant, job->schedule->name, (int)job->schedule->n_ranks, (int)job->count,
             rs_dtype_name(job->dtype), rs_op_name(job->op), job->in_place ? " in place" : "",
             (int)job->offset, (int)slices, (int)job->flip_rank, (int)job->flip_step);
    cr_assert(stage_fetch(&s, TARGETS, s.p.targets), "%s: a guard is gone", name);
    cr_assert(!runs || planned_equals_reference(&s.p), "%s", name);
    cr_assert(stage_fetch(&s, ASIDES, s.p.asides), "%s: a guard is gone", name);
    if (!job->in_place) {
        cr_assert(stage_fetch(&s, SOURCES, s.p.sources), "%s: a guard is gone", name);
        for (int32_t r = 0; r < s.p.plan->n_ranks; r++) {
            cr_assert(rs_equal(job->dtype, s.p.sources[r], s.p.inputs[r], job->count), "%s", name);
        }
    }
    if (job->trace && variant < RG_BY_LINES) check_stamps(&s);
    stage_free(&s);
    rs_arena_free(&arena);
}

static rg_job draw_job(const rs_schedule *s, int64_t count, uint64_t *state) {
    rg_job job = {.schedule = s, .count = count, .flip_rank = -1};
    job.dtype = (rs_dtype)random_below(state, RS_N_DTYPES);
    job.op = (rs_op)random_below(state, RS_N_OPS);
    job.in_place = random_below(state, 2) == 0;
    job.offset = random_below(state, 3);
    job.trace = random_below(state, 2) == 0;
    if (random_below(state, 3) == 0 && s->n_steps > 0) {
        job.flip_rank = random_below(state, s->n_ranks);
        job.flip_step = random_below(state, s->n_steps);
    }
    return job;
}

#ifdef SANITIZED /* ten times slower */
enum { LARGE = 4000, N_LONG_PLANS = 3, LONG_WORLD = 3, N_SIZES = 4, N_COUNTS = 3 };
enum { N_LISTS = 15, N_WAITS = 4 };
#else
enum { LARGE = 20000, N_LONG_PLANS = 10, LONG_WORLD = 5, N_SIZES = 5, N_COUNTS = 7 };
enum { N_LISTS = 30, N_WAITS = 6 };
#endif
enum { SMALL_WORLD = 3, TURNS = 3 }; /* larger ones have each third count, each algorithm others */

static void check_algorithms(int variant) {
    static const int32_t sizes[] = {1, 2, 3, 5, 8};
    uint64_t state = (uint64_t)variant;
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        if (rs_algorithms[i] == rs_find_algorithm(RS_COLL_ALL_REDUCE, "rings"))
            continue; /* the ring */
        for (int k = 0; k < N_SIZES; k++) {
            const int32_t n = sizes[k];
            if (rs_algorithms[i]->pipelined && n > LONG_WORLD) continue; /* hundreds of rounds */
            const int64_t counts[] = {n - 1, 0, LARGE, 1, n, n + 1, 1000};
            for (int c = 0; c < N_COUNTS; c++) {
                if (n > SMALL_WORLD && (i + k + c) % TURNS != 0) continue;
                stage_seed(random_below(&state, 4));
                const rs_schedule s =
                    make_schedule(rs_algorithms[i]->name, (rs_order)(c % 2), n, counts[c]);
                const rg_job job = draw_job(&s, counts[c], &state);
                check_variant(&job, 1 + random_below(&state, 4), variant,
                              (uint32_t)random_below(&state, 3));
            }
        }
    }
}

Test(device_kernels, rung_1_does_what_every_algorithm_says) {
    check_algorithms(1);
}
Test(device_kernels, rung_2_does_what_every_algorithm_says) {
    check_algorithms(2);
}
Test(device_kernels, rung_4_does_what_every_algorithm_says) {
    check_algorithms(4);
}
Test(device_kernels, rung_5_does_what_every_algorithm_says) {
    check_algorithms(5);
}
Test(device_kernels, rung_6_does_what_every_algorithm_says) {
    check_algorithms(RG_BY_LINES);
}
Test(device_kernels, rung_7_does_what_every_ring_says) {
    check_algorithms(RG_FLOOR);
}

/* ------------------------------------------------------------------ any schedule */

static void check_lists(int variant, int n_lists) {
    uint64_t state = 10 + (uint64_t)variant;
    for (int i = 0; i < n_lists; i++) {
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        stage_seed(i);
        const rs_schedule s = random_schedule(&state, &arena);
        const rg_job job = draw_job(&s, random_below(&state, 300), &state);
        check_variant(&job, 1 + random_below(&state, 3), variant,
                      (uint32_t)random_below(&state, 3));
        rs_arena_free(&arena);
    }
}

Test(device_kernels, rung_2_does_what_any_list_of_transfers_says) {
    check_lists(2, N_LISTS);
}
Test(device_kernels, rung_4_does_what_any_list_of_transfers_says) {
    check_lists(4, N_LISTS);
}
Test(device_kernels, rung_5_does_what_any_list_of_transfers_says) {
    check_lists(5, N_LISTS);
}
Test(device_kernels, rung_6_does_what_any_list_of_transfers_says) {
    check_lists(RG_BY_LINES, 2 * N_LISTS);
}
Test(device_kernels, rung_7_does_what_any_list_of_transfers_says_if_anything) {
    check_lists(RG_FLOOR, 4 * N_LISTS);
}

/* ------------------------------------------------------------------ what a block holds of its plan */

/* Turns that fit exactly, one more, and several times as many: variant 5 begins anew with each tile. A chunk
   goes around three ranks again and again. */
Test(device_kernels, a_plan_of_any_length_goes_through_shared_memory) {
    enum { N = 3, MOST = 3 * RG_TURNS_HELD + 5 };
    static const int32_t lengths[] = {RG_TURNS_HELD - 1, RG_TURNS_HELD, RG_TURNS_HELD + 1,
                                      2 * RG_TURNS_HELD, MOST};
    static rs_transfer list[N * MOST];
    static int64_t first[MOST + 1];
    uint64_t state = 20;
    for (int32_t i = 0; i < N * MOST; i++) {
        list[i] = (rs_transfer){.src = i % N,
                                .dst = (i + 1) % N,
                                .chunk = (i % N + i / N) % N,
                                .n_chunks = 1,
                                .effect = i % 7 == 0 ? RS_COPY : RS_REDUCE};
        first[i / N + 1] = i + 1;
    }
    for (int i = 10 - N_LONG_PLANS; i < 10; i++) {
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        stage_seed(i);
        rs_schedule s;
        cr_assert_eq(rs_schedule_from_list(N, N, lengths[i / 2], first, list, &arena, NULL, &s),
                     RS_OK);
        rg_job job = draw_job(&s, 50 + i, &state);
        job.in_place = true;
        rg_plan *plan;
        cr_assert_eq(rg_plan_new(&job, &arena, NULL, &plan), RS_OK);
        cr_expect_geq(rg_turns_write(plan, NULL, 0, NULL, NULL), lengths[i / 2]);
        check_variant(&job, 1 + i % 3, 4 + i % 3, (uint32_t)i);
        rs_arena_free(&arena);
    }
}

/* Tasks with more waits than a turn holds, and with several moves, of which some end what a block holds: rank 0
   gets a chunk from each other rank in one step, and gives all chunks to all in the next. */
Test(device_kernels, tasks_with_many_waits_and_moves_become_several_turns) {
    enum { N = 5, STEPS = 2 * (2 * RG_TURNS_HELD / N + 2) }; /* twice what a block holds */
    static rs_transfer list[STEPS * (N - 1)];
    static int64_t first[STEPS + 1];
    uint64_t state = 30;
    for (int32_t i = 0; i < STEPS * (N - 1); i++) {
        const int32_t step = i / (N - 1), r = 1 + i % (N - 1);
        list[i] = step % 2 == 0
                      ? (rs_transfer){.src = r, .dst = 0, .chunk = r, .n_chunks = 1}
                      : (rs_transfer){.src = 0, .dst = r, .n_chunks = N, .effect = RS_COPY};
        first[step + 1] = i + 1;
    }
    for (int i = 0; i < N_WAITS; i++) {
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        stage_seed(i);
        rs_schedule s;
        cr_assert_eq(
            rs_schedule_from_list(N, N, i % 4 < 2 ? 2 : STEPS, first, list, &arena, NULL, &s),
            RS_OK);
        const rg_job job = draw_job(&s, N + i * 13, &state);
        check_variant(&job, 1 + i % 3, 4 + i % 3, (uint32_t)i);
        rs_arena_free(&arena);
    }
}
