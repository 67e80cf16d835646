/* The wavefront engine: the tiles give what the sweep gives, in whole picoseconds, on any vectors and
 * threads; and it can be stopped. That it gives what the event queue gives: test_engines.c. */
#include "time/wavefront.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/own.h"
#include "support/random_job.h"
#include "support/rounds.h"

static void assert_tiles_equal_sweep(int32_t n, int64_t count, uint64_t seed) {
    random_job d;
    draw(&d, "ring", n, count, RS_RENDEZVOUS, false, seed);
    OWN_ARENA arena = {0};
    rs_error error = {.text = ""};
    rs_costs *costs;
    rs_outcome sweep, tiles;
    cr_assert_eq(rs_costs_new(&d.job, &arena, &error, &costs), RS_OK, "%s", error.text);
    cr_assert(rs_ring_applies(costs));
    cr_assert_eq(rs_outcome_new(&d.job, &arena, &error, &sweep), RS_OK);
    cr_assert_eq(rs_wavefront_sweep(costs, NULL, &arena, &error, &sweep), RS_OK);
    for (int i = 0; rs_all_tile_runners[i] != NULL; i++) {
        if (!rs_all_tile_runners[i]->here()) continue;
        char name[200];
        snprintf(name, sizeof name, "%s, %s", rs_all_tile_runners[i]->name, d.name);
        cr_assert_eq(rs_outcome_new(&d.job, &arena, &error, &tiles), RS_OK);
        cr_assert_eq(rs_wavefront_ring(costs, rs_all_tile_runners[i], &arena, &error, &tiles),
                     RS_OK);
        assert_same_outcome(&tiles, &sweep, n, name);
    }
    free(d.links);
}

Test(wavefront, tiles_give_the_times_of_the_sweep_for_every_small_ring) {
    for (int32_t n = 2; n <= 70; n++) {
        const int64_t counts[] = {1, n - 1, n, n + 1, 1000};
        for (int i = 0; i < 5; i++) {
            assert_tiles_equal_sweep(n, counts[i], (uint64_t)(n * 5 + i));
        }
    }
}

static void backwards(void *context, int n_tasks, void (*task)(void *argument, int index),
                      void *argument) {
    ++*(int *)context;
    for (int i = n_tasks - 1; i >= 0; i--) task(argument, i);
}

Test(wavefront, tiles_give_the_times_of_the_sweep_for_large_and_odd_rings) {
    static const int32_t sizes[] = {127, 128, 129, 255, 383, 512, 1000, 1023, 1025, 2047, 3001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i += ROUNDS(1, 3)) {
        uint64_t state = i;
        const int64_t n = sizes[i];
        assert_tiles_equal_sweep(sizes[i], n * 3, 1000 + i);
        assert_tiles_equal_sweep(sizes[i], n * 50 + draw_below(&state, n), 2000 + i);
    }
}

static void run_tiles(const rs_job *job, rs_arena *arena, rs_outcome *outcome) {
    rs_error error = {.text = ""};
    rs_costs *costs;
    cr_assert_eq(rs_costs_new(job, arena, &error, &costs), RS_OK, "%s", error.text);
    cr_assert_eq(rs_outcome_new(job, arena, &error, outcome), RS_OK);
    cr_assert_eq(rs_wavefront_ring(costs, NULL, arena, &error, outcome), RS_OK);
}

Test(wavefront, tiles_may_run_in_any_order) {
    int n_calls = 0;
    const rs_host host = {.context = &n_calls, .parallel_for = backwards, .n_workers = 2};
    rs_arena alone, shared;
    rs_outcome a, b;
    random_job d;
    rs_arena_init(&alone, NULL);
    rs_arena_init(&shared, &host);
    draw(&d, "ring", 9001, 9001 * 2 + 4000, RS_RENDEZVOUS, false, 77);
    run_tiles(&d.job, &alone, &a);
    run_tiles(&d.job, &shared, &b);
    assert_same_outcome(&a, &b, 9001, d.name);
    cr_assert_gt(n_calls, 100);
    rs_arena_free(&alone);
    rs_arena_free(&shared);
    free(d.links);
}

/* The changes of kind fall on every place of a tile, also where a kind has fewer columns than a
   tile looks ahead. */
Test(wavefront, tiles_hold_where_the_chunk_sizes_change) {
    for (int64_t larger = 0; larger < 300; larger += 7) {
        assert_tiles_equal_sweep(300, 600 + larger, 3000 + (uint64_t)larger);
    }
}

/* ------------------------------------------------------------------------------- the host */

static bool stop_at_once(void *context, const char *what, int64_t done, int64_t total) {
    cr_assert(what != NULL && done > 0 && done <= total);
    ++*(int *)context;
    return false;
}

Test(wavefront, can_be_cancelled) {
    int n_asked = 0;
    const rs_host host = {.context = &n_asked, .progress = stop_at_once};
    random_job d;
    draw(&d, "ring", 3000, 100000, RS_RENDEZVOUS, false, 5);
    rs_arena arena;
    rs_arena_init(&arena, &host);
    rs_error error;
    rs_costs *costs;
    rs_outcome outcome;
    cr_assert_eq(rs_costs_new(&d.job, &arena, &error, &costs), RS_OK);
    cr_assert_eq(rs_outcome_new(&d.job, &arena, &error, &outcome), RS_OK);
    cr_assert_eq(rs_wavefront_ring(costs, NULL, &arena, &error, &outcome), RS_CANCELLED);
    cr_assert_eq(rs_wavefront_sweep(costs, NULL, &arena, &error, &outcome), RS_CANCELLED);
    cr_assert_eq(n_asked, 2);
    rs_arena_free(&arena);
    free(d.links);
}

Test(wavefront, says_so_when_there_is_no_memory) {
    random_job d;
    draw(&d, "ring", 1000, 100001, RS_RENDEZVOUS, false, 5);
    rs_error error;
    for (size_t limit = 100000; limit < 1000000; limit += 30000) {
        OWN_ARENA arena = {0};
        rs_outcome outcome;
        arena.limit_bytes = limit;
        const rs_status status =
            rs_simulate(&d.job, RS_ENGINE_WAVEFRONT, NULL, &arena, &error, &outcome);
        cr_assert(status == RS_OK || status == RS_NO_MEMORY);
        if (limit == 100000) cr_assert_eq(status, RS_NO_MEMORY);
    }
    free(d.links);
}

/* Additions of 0, 1, 2, ... ps alone: the least that may take time does. */
Test(wavefront, additions_of_a_picosecond_are_not_lost) {
    for (int64_t ps = 0; ps < 4; ps++) {
        rs_schedule ring;
        rs_error error;
        OWN_ARENA arena = {0};
        rs_costs *costs;
        rs_outcome outcome;
        enum { N = 5, COUNT = 5 };
        cr_assert_eq(rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), RS_ORDER_SEED,
                                      N, COUNT, &error, &ring),
                     RS_OK);
        const rs_job job = {.schedule = &ring,
                            .count = COUNT,
                            .elem_bytes = 4,
                            .net = {.link = {100, 1000000000000u},
                                    .reduce_Bps = ps > 0 ? 4000000000000u / (uint64_t)ps : 0}};
        cr_assert_eq(rs_costs_new(&job, &arena, &error, &costs), RS_OK);
        for (int i = 0; rs_all_tile_runners[i] != NULL; i++) {
            if (!rs_all_tile_runners[i]->here()) continue;
            cr_assert_eq(rs_outcome_new(&job, &arena, &error, &outcome), RS_OK);
            cr_assert_eq(rs_wavefront_ring(costs, rs_all_tile_runners[i], &arena, &error, &outcome),
                         RS_OK);
            cr_expect_eq(outcome.makespan_ps, (N - 1) * (2 * 104 + ps), "%s, %d ps: %d",
                         rs_all_tile_runners[i]->name, (int)ps, (int)outcome.makespan_ps);
        }
    }
}

/* 34 thousand million questions, if every rank were asked in every step. */
Test(wavefront, does_not_ask_ranks_that_sit_a_step_out) {
    rs_schedule naive;
    rs_error error;
    OWN_ARENA arena = {0};
    rs_outcome outcome;
    cr_assert_eq(rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "naive"), RS_ORDER_SEED,
                                  131072, 1, &error, &naive),
                 RS_OK);
    const rs_job job = {
        .schedule = &naive, .count = 1, .elem_bytes = 1, .net = {.link = {7, 1000000000000u}}};
    cr_assert_eq(rs_simulate(&job, RS_ENGINE_WAVEFRONT, NULL, &arena, &error, &outcome), RS_OK);
    cr_assert_eq(outcome.makespan_ps, (int64_t)2 * 131071 * 8);
}
