/* test_story_compare.c: curves over sizes and world sizes: who is the fastest, and where curves cross; the numbers beside the axes. */
#include "story/story_compare.h"

#include <criterion/criterion.h>
#include <math.h>

static rs_arena arena;
static rs_error error;

static void start(void) {
    rs_arena_init(&arena, NULL);
}
static void stop(void) {
    rs_arena_free(&arena);
}
TestSuite(story_compare, .init = start, .fini = stop);

/* ring and doubling on three sizes: 100, 100, 200 us and 10, 1000, 10000 us. */
static const int64_t bytes[] = {1024, 1 << 20, 1 << 30};
static const int64_t times[] = {100000000, 10000000, 100000000, 1000000000, 200000000, 10000000000};
static const int64_t bounds[] = {1, 60000000, 150000000};

static rv_frame frame;
static rv_story story;

static const rv_plot *tell(int32_t step, const char *machine) {
    static const rs_algorithm *algorithms[2];
    static rv_compared of;
    algorithms[0] = rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring");
    algorithms[1] = rs_find_algorithm(RS_COLL_ALL_REDUCE, "doubling");
    of = (rv_compared){.of = RS_COLL_ALL_REDUCE,
                       .machine = machine,
                       .n_gpus = 8,
                       .n_points = 3,
                       .n_algorithms = 2,
                       .algorithms = algorithms,
                       .at = bytes,
                       .time_ps = times,
                       .bound_ps = bounds};
    cr_assert_eq(rv_story_compare(&of, &arena, &error, &story), RS_OK);
    frame = (rv_frame){.arena = &arena, .now_ps = -1};
    story.frame(&story, step, 0, &frame);
    cr_assert_eq(frame.n_plots, 1);
    return &frame.plots[0];
}

Test(story_compare, marks_where_another_algorithm_becomes_the_fastest) {
    const rv_plot *plot = tell(-1, "box");
    cr_expect_str_eq(story.title(&story), "Compared: all-reduce on box, 8 GPUs");
    cr_expect_str_eq(frame.caption, "Fastest: doubling from 1 KiB, ring from 1 MiB. At 1 GiB it "
                                    "reaches 75 % of the bound");
    cr_assert_eq(plot->n_marks, 1);
    cr_expect_str_eq(plot->marks[0].text, "ring from 1 MiB");
    /* log2 of bytes 10..20, log10 of ps 7..9 crosses 8: half-way. */
    cr_expect_float_eq(plot->marks[0].x, 15, 1e-9);
    cr_expect_float_eq(plot->marks[0].y, 8, 1e-9);
}

Test(story_compare, has_a_curve_for_each_algorithm_and_the_bound_where_it_is_near) {
    const rv_plot *plot = tell(2, NULL);
    cr_expect_str_eq(story.title(&story), "Compared: all-reduce on private wires, 8 GPUs");
    cr_expect_str_eq(frame.caption, "1 GiB: ring is the fastest, 200 us, 75 % of the bound");
    cr_assert_eq(plot->n_series, 3);
    cr_expect_str_eq(plot->series[1].name, "doubling");
    cr_expect_float_eq(plot->series[1].y[2], 10, 1e-9);
    cr_expect(isnan(plot->series[2].y[0]));
    cr_expect_float_eq(plot->series[2].y[1], log10(6e7), 1e-9);
    cr_expect_float_eq(plot->at, 30, 1e-9);
}

/* Two that take the same time are told as two; who was the fastest before stays it. */
Test(story_compare, says_a_tie_as_one) {
    static const int64_t equal[] = {10, 10, 20, 20, 30, 20};
    static const rs_algorithm *algorithms[2];
    static const char *const said[] = {
        ("Fastest: ring = doubling from 1 KiB, doubling from 1 GiB. "
         "At 1 GiB it reaches 50 % of the bound"),
        "1 KiB: ring = doubling, a tie for the fastest, 10 ps, 100 % of the bound",
        "1 MiB: ring = doubling, a tie for the fastest, 20 ps, 50 % of the bound",
        "1 GiB: doubling is the fastest, 20 ps, 50 % of the bound"};
    static const int64_t low[] = {10, 10, 10};
    static rv_compared of;
    algorithms[0] = rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring");
    algorithms[1] = rs_find_algorithm(RS_COLL_ALL_REDUCE, "doubling");
    of = (rv_compared){.of = RS_COLL_ALL_REDUCE,
                       .n_gpus = 8,
                       .n_points = 3,
                       .n_algorithms = 2,
                       .algorithms = algorithms,
                       .at = bytes,
                       .time_ps = equal,
                       .bound_ps = low};
    cr_assert_eq(rv_story_compare(&of, &arena, &error, &story), RS_OK);
    for (int step = -1; step < 3; step++) {
        frame = (rv_frame){.arena = &arena, .now_ps = -1};
        story.frame(&story, step, 0, &frame);
        cr_expect_str_eq(frame.caption, said[step + 1]);
    }
    cr_expect_str_eq(frame.plots[0].series[2].name, "lower bound");
}

Test(story_compare, over_world_sizes_times_are_as_they_are_and_each_point_has_its_table) {
    static const int64_t worlds[] = {2, 4, 5};
    static const rs_algorithm *algorithms[2];
    static rv_compared of;
    algorithms[0] = rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring");
    algorithms[1] = rs_find_algorithm(RS_COLL_ALL_REDUCE, "doubling");
    of = (rv_compared){.of = RS_COLL_ALL_REDUCE,
                       .worlds = true,
                       .n_bytes = 4000,
                       .n_points = 3,
                       .n_algorithms = 2,
                       .algorithms = algorithms,
                       .at = worlds,
                       .time_ps = times,
                       .bound_ps = bounds};
    cr_assert_eq(rv_story_compare(&of, &arena, &error, &story), RS_OK);
    cr_expect_str_eq(story.title(&story), "Compared: all-reduce on private wires, 4 kB");
    cr_assert_eq(story.n_steps, 3);
    frame = (rv_frame){.arena = &arena, .now_ps = -1};
    story.frame(&story, 1, 0, &frame);
    cr_expect_str_eq(frame.caption, "4 GPUs: ring is the fastest, 100 us, 60 % of the bound");
    cr_expect_str_eq(frame.phase, "4 GPUs");
    const rv_plot *plot = &frame.plots[0];
    cr_expect_float_eq(plot->at, 4, 1e-9);
    cr_expect_float_eq(plot->series[1].y[2], 1e10, 1);
    cr_expect_float_eq(plot->series[2].y[0], 1, 1e-9); /* the bound, however low */
    cr_assert_eq(plot->n_marks, 1);
    cr_expect_str_eq(plot->marks[0].text, "ring from 4 GPUs");
    const rv_grid *grid = &frame.grids[0];
    cr_expect_str_eq(grid->entries[3].text, "1 ms"); /* doubling */
    cr_expect_str_eq(grid->entries[5].text, "10.00");
    cr_expect_eq(grid->entries[0].tone, RV_TONE_GOOD);
    cr_expect_eq(grid->entries[3].tone, RV_TONE_PLAIN);
}

Test(story_compare, axes_name_what_logarithms_stand_for) {
    char text[32];
    rv_axis_text(RV_AXIS_BYTES, 0, 1, text, sizeof text);
    cr_expect_str_eq(text, "1 B");
    rv_axis_text(RV_AXIS_BYTES, 25, 1, text, sizeof text);
    cr_expect_str_eq(text, "32 MiB");
    rv_axis_text(RV_AXIS_TIME, 8 + log10(5), 1, text, sizeof text);
    cr_expect_str_eq(text, "500 us");
    rv_axis_text(RV_AXIS_PS, 8e9, 1, text, sizeof text);
    cr_expect_str_eq(text, "8 ms");
    rv_axis_text(RV_AXIS_PS, 0, 1, text, sizeof text);
    cr_expect_str_eq(text, "0");
    rv_axis_text(RV_AXIS_NUMBER, 1e-12, 1, text, sizeof text);
    cr_expect_str_eq(text, "0");
}

Test(story_compare, ticks_are_whole_powers_or_1_2_5_where_there_are_few) {
    double at[RV_MOST_TICKS];
    cr_expect_eq(rv_axis_ticks(RV_AXIS_TIME, 6.5, 10.5, 20, at), 4);
    cr_expect_float_eq(at[0], 7, 1e-12);
    cr_expect_eq(rv_axis_ticks(RV_AXIS_TIME, 6.5, 7.1, 20, at), 2); /* 5 us, 10 us */
    cr_expect_float_eq(at[0], 6 + log10(5), 1e-12);
    cr_expect_eq(rv_axis_ticks(RV_AXIS_BYTES, 10, 30, 5, at), 5); /* 10, 15, .. 30 */
    cr_expect_eq(rv_axis_ticks(RV_AXIS_BYTES, 10, 13, 20, at), 4);
    cr_expect_eq(rv_axis_ticks(RV_AXIS_NUMBER, 0, 1, 4, at), 3); /* 0, 0.5, 1 */
    cr_expect_eq(rv_axis_ticks(RV_AXIS_GPUS, 2, 5, 20, at), 4);  /* no half GPUs */
}
