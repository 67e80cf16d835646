/* The history of a chunk holds exactly the transfers that carry it, in the order of the schedule. */
#include <criterion/criterion.h>

#include "support/never.h"
#include "check/chunk_history.h"

static void holds_every_transfer(const rs_schedule *s, int64_t max_events) {
    rs_arena arena;
    rs_error error;
    rs_chunk_history history = {0};
    rs_arena_init(&arena, NULL);
    int64_t n_events = 0, n_expected = 0;
    for (int32_t first = 0; first < s->n_chunks; first += history.n_chunks) {
        cr_assert_eq(rs_chunk_history_load(s, first, max_events, &arena, &error, &history), RS_OK);
        cr_assert_eq(history.first_chunk, first);
        cr_assert_geq(history.n_chunks, 1);
        for (int32_t chunk = first; chunk < first + history.n_chunks; chunk++) {
            int64_t n, at = 0;
            const rs_chunk_event *events = rs_chunk_history_of(&history, chunk, &n);
            n_events += n;
            for (int32_t step = 0; step < s->n_steps; step++) {
                rs_cursor cursor = {0};
                rs_transfer t;
                while (rs_next_transfer(s, step, &cursor, &t)) {
                    if (t.chunk > chunk || t.chunk + t.n_chunks <= chunk) continue;
                    cr_assert_lt(at, n);
                    cr_assert(events[at].step == step && events[at].src == t.src &&
                              events[at].dst == t.dst && events[at].order == t.order &&
                              events[at].effect == t.effect);
                    at++;
                }
            }
            cr_assert_eq(at, n);
        }
    }
    for (int32_t step = 0; step < s->n_steps; step++) {
        rs_cursor cursor = {0};
        rs_transfer t;
        while (rs_next_transfer(s, step, &cursor, &t)) n_expected += t.n_chunks;
    }
    cr_assert_eq(n_events, n_expected);
    rs_arena_free(&arena);
}

Test(chunk_story, holds_every_transfer_once_in_order_whatever_the_window) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int32_t n = 2; n <= 17; n++) {
            rs_schedule schedule;
            rs_error error;
            cr_assert_eq(
                rs_schedule_make(rs_algorithms[i], RS_ORDER_SEED, n, 1000, &error, &schedule),
                RS_OK);
            const int64_t windows[] = {1, 40, RS_HISTORY_EVENTS};
            for (int w = 0; w < 3; w++) holds_every_transfer(&schedule, windows[w]);
        }
    }
}

Test(chunk_story, tells_what_to_mind_in_a_step) {
    uint8_t scratch[8] = {0};
    const rs_chunk_event chain[] = {{0, 0, 1, 0, RS_REDUCE}, {0, 1, 2, 1, RS_REDUCE}};
    const rs_chunk_event pair[] = {{0, 0, 2, 0, RS_REDUCE}, {0, 1, 2, 1, RS_REDUCE}};
    const rs_chunk_event clash[] = {{0, 0, 2, 0, RS_REDUCE}, {0, 1, 2, 1, RS_COPY}};
    const rs_chunk_event copies[] = {{0, 0, 2, 0, RS_COPY}, {0, 1, 2, 1, RS_COPY}};
    const rs_chunk_event apart[] = {{0, 0, 1, 0, RS_COPY}, {0, 2, 3, 1, RS_COPY}};
    cr_expect_eq(rs_step_hazards(chain, 2, scratch), RS_STEP_READS_WRITTEN);
    cr_expect_eq(rs_step_hazards(pair, 2, scratch), RS_STEP_SEVERAL);
    cr_expect_eq(rs_step_hazards(clash, 2, scratch), RS_STEP_SEVERAL | RS_STEP_CLASH);
    cr_expect_eq(rs_step_hazards(copies, 2, scratch), RS_STEP_SEVERAL | RS_STEP_CLASH);
    cr_expect_eq(rs_step_hazards(apart, 2, scratch), 0);
    cr_expect_eq(rs_step_hazards(pair, 1, scratch), 0);
    for (int r = 0; r < 8; r++) cr_expect_eq(scratch[r], 0);
}

Test(chunk_story, of_a_large_schedule_can_be_cancelled) {
    const rs_host host = {.progress = never_go_on};
    rs_arena arena;
    rs_arena_init(&arena, &host);
    rs_schedule schedule;
    rs_error error;
    rs_chunk_history history = {0};
    rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), RS_ORDER_SEED, 100000, 100000,
                     &error, &schedule);
    cr_expect_eq(rs_chunk_history_load(&schedule, 0, 1, &arena, &error, &history), RS_CANCELLED);
    rs_arena_free(&arena);
}
