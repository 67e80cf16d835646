/* Whose contributions are inside every cell, at every step, in the order in which they were added. */
#include <criterion/criterion.h>

#include <string.h>

#include "ringsim.h"

static rs_arena arena;
static rs_error error;
static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}
static void close_arena(void) {
    rs_arena_free(&arena);
}
TestSuite(contents, .init = open_arena, .fini = close_arena);

static rs_schedule make(const char *algorithm, int32_t n) {
    rs_schedule s;
    cr_assert_eq(rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, algorithm), RS_ORDER_SEED,
                                  n, 1000, &error, &s),
                 RS_OK);
    return s;
}

static rs_contents *contents_of(const rs_schedule *s) {
    rs_contents *c;
    cr_assert_eq(rs_contents_new(s, &arena, &error, &c), RS_OK);
    return c;
}

static void seek(rs_contents *c, int32_t step) {
    cr_assert_eq(rs_contents_seek(c, step, NULL, &error), RS_OK, "%s", error.text);
}

static void expect_list(const rs_contents *c, int32_t rank, int32_t chunk, int n,
                        const int32_t expected[]) {
    int32_t out[64];
    cr_assert_eq(rs_contents_list(c, rank, chunk, out, 64), n);
    cr_expect_eq(rs_contents_count(c, rank, chunk), n);
    cr_expect_eq(memcmp(out, expected, (size_t)n * sizeof *out), 0);
}

Test(contents, of_a_ring_are_folded_in_ring_order) {
    const rs_schedule ring = make("ring", 4);
    rs_contents *c = contents_of(&ring);
    expect_list(c, 3, 2, 1, (int32_t[]){3});
    seek(c, 1);
    expect_list(c, 1, 0, 2, (int32_t[]){0, 1});
    expect_list(c, 0, 0, 1, (int32_t[]){0});
    seek(c, 3);
    expect_list(c, 3, 0, 4, (int32_t[]){0, 1, 2, 3});
    expect_list(c, 0, 1, 4, (int32_t[]){1, 2, 3, 0});
    cr_expect(rs_contents_complete(c, 0, 1));
    cr_expect_not(rs_contents_complete(c, 1, 1));
    seek(c, 6);
    expect_list(c, 2, 1, 4, (int32_t[]){1, 2, 3, 0});
}

Test(contents, what_comes_is_the_left_side_also_in_trees) {
    const rs_schedule doubling = make("doubling", 4);
    rs_contents *c = contents_of(&doubling);
    seek(c, 2);
    expect_list(c, 0, 0, 4, (int32_t[]){3, 2, 1, 0});
    expect_list(c, 3, 0, 4, (int32_t[]){0, 1, 2, 3});
}

Test(contents, are_complete_in_every_cell_at_the_end_of_every_algorithm) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int32_t n = 1; n <= 33; n++) {
            const rs_schedule s = make(rs_algorithms[i]->name, n);
            rs_contents *c = contents_of(&s);
            if (n > 1) cr_expect_not(rs_contents_complete(c, n - 1, 0));
            seek(c, s.n_steps);
            for (int32_t rank = 0; rank < n; rank++) {
                for (int32_t chunk = 0; chunk < s.n_chunks; chunk++) {
                    cr_assert(rs_contents_complete(c, rank, chunk), "%s N=%d", s.name, n);
                }
            }
        }
    }
}

Test(contents, do_not_depend_on_the_way_to_a_step) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        const rs_schedule s = make(rs_algorithms[i]->name, 6);
        rs_contents *wander = contents_of(&s);
        for (int32_t k = 0; k < 40; k++) {
            const int32_t step = k * 7 % (s.n_steps + 1);
            rs_contents *straight = contents_of(&s);
            seek(wander, step);
            seek(straight, step);
            for (int32_t cell = 0; cell < 6 * s.n_chunks; cell++) {
                int32_t a[64], b[64];
                const int64_t n =
                    rs_contents_list(wander, cell / s.n_chunks, cell % s.n_chunks, a, 64);
                cr_assert_eq(
                    rs_contents_list(straight, cell / s.n_chunks, cell % s.n_chunks, b, 64), n);
                cr_assert_eq(memcmp(a, b, (size_t)n * sizeof *a), 0);
            }
        }
    }
}

Test(contents, a_transfer_needs_both_ends_to_enter_its_step) {
    const rs_schedule ring = make("ring", 4);
    rs_contents *c = contents_of(&ring);
    const int32_t entered[] = {1, 0, 2, 6}; /* rank 1 never came, rank 0 entered step 0 only */
    cr_assert_eq(rs_contents_seek(c, 6, entered, &error), RS_OK);
    expect_list(c, 1, 0, 1, (int32_t[]){1}); /* 0 -> 1 did not happen */
    expect_list(c, 3, 2, 2, (int32_t[]){2, 3});
    expect_list(c, 0, 3, 2, (int32_t[]){3, 0});
    expect_list(c, 0, 2, 1, (int32_t[]){0}); /* 3 -> 0 of step 1 did not */
    expect_list(c, 3, 1, 2, (int32_t[]){2, 3});
    seek(c, 6); /* and without the fault all is well again */
    cr_expect(rs_contents_complete(c, 1, 0));
}

static rs_schedule by_hand(int32_t n, int32_t n_chunks, int32_t n_steps, const int64_t first[],
                           const rs_transfer list[]) {
    rs_schedule s;
    cr_assert_eq(rs_schedule_from_list(n, n_chunks, n_steps, first, list, &arena, &error, &s),
                 RS_OK);
    return s;
}

Test(contents, list_a_rank_twice_that_was_added_twice) {
    const rs_transfer list[] = {{.src = 0, .dst = 1, .n_chunks = 1},
                                {.src = 0, .dst = 1, .n_chunks = 1}};
    const rs_schedule s = by_hand(2, 1, 2, (int64_t[]){0, 1, 2}, list);
    rs_contents *c = contents_of(&s);
    seek(c, 1);
    cr_expect(rs_contents_complete(c, 1, 0));
    seek(c, 2);
    expect_list(c, 1, 0, 3, (int32_t[]){0, 0, 1});
    cr_expect_not(rs_contents_complete(c, 1, 0));
    const rs_transfer again[] = {{.src = 0, .dst = 1, .n_chunks = 1},
                                 {.src = 0, .dst = 1, .n_chunks = 1}};
    const rs_schedule three = by_hand(3, 1, 1, (int64_t[]){0, 2}, again);
    c = contents_of(&three); /* as many as there are ranks, but not one of each */
    seek(c, 1);
    expect_list(c, 1, 0, 3, (int32_t[]){0, 0, 1});
    cr_expect_not(rs_contents_complete(c, 1, 0));
}

Test(contents, several_messages_fold_in_list_order) {
    const rs_transfer list[] = {{.src = 2, .dst = 0, .n_chunks = 1},
                                {.src = 1, .dst = 0, .n_chunks = 1}};
    const rs_schedule s = by_hand(3, 1, 1, (int64_t[]){0, 2}, list);
    rs_contents *c = contents_of(&s);
    seek(c, 1);
    expect_list(c, 0, 0, 3, (int32_t[]){1, 2, 0});
}

Test(contents, counts_stop_at_the_largest_number) {
    enum { STEPS = 200 };
    rs_transfer list[2 * STEPS];
    int64_t first[STEPS + 1];
    for (int32_t step = 0; step <= STEPS; step++) first[step] = 2 * step;
    for (int32_t i = 0; i < 2 * STEPS; i++) {
        list[i] = (rs_transfer){.src = i % 2, .dst = 1 - i % 2, .n_chunks = 1};
    }
    const rs_schedule s = by_hand(2, 1, STEPS, first, list);
    rs_contents *c = contents_of(&s);
    int32_t out[4];
    seek(c, STEPS);
    cr_expect_eq(rs_contents_list(c, 0, 0, out, 4), INT64_MAX);
    cr_expect_not(rs_contents_complete(c, 0, 0));
}

Test(contents, refuse_more_cells_than_memory_could_hold) {
    const rs_schedule ring = make("ring", 100000);
    rs_contents *c = NULL;
    cr_expect_eq(rs_contents_new(&ring, &arena, &error, &c), RS_TOO_LARGE);
    cr_expect(c == NULL && strstr(error.text, "try fewer ranks") != NULL);
}

Test(contents, stay_usable_when_memory_runs_out) {
    const rs_schedule ring = make("ring", 64);
    rs_contents *c = contents_of(&ring);
    seek(c, 3);
    arena.limit_bytes = arena.n_bytes;
    cr_expect_eq(rs_contents_seek(c, ring.n_steps, NULL, &error), RS_NO_MEMORY);
    arena.limit_bytes = 0;
    seek(c, ring.n_steps);
    cr_expect(rs_contents_complete(c, 63, 63));
}
