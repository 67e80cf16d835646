/* test_scene_story.c: a story in the window: what is drawn, what can be clicked, and that nothing is cut
 * at any size.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stage/stage_frame.h"
#include "support/story_fixture.h"
#include "support/view_fixture.h"

static rs_error error;
static rv_telling telling;
static rv_options options;
static rv_stage *stage;

static void open_stage(const rv_story *story, int32_t at) {
    rv_telling_start(&telling, story);
    const rv_subject subject = rv_story_subject(&telling);
    options = (rv_options){.at = at};
    cr_assert_eq(rv_stage_new(&subject, &options, NULL, &error, &stage), RS_OK, "%s", error.text);
    rv_stage_draw(stage);
}

static void close_stage(void) {
    rv_stage_free(stage);
    rv_telling_free(&telling);
}

static void press(int32_t key) {
    cr_assert_eq(rv_stage_key(stage, key, &error), RS_OK, "%s", error.text);
    while (rv_stage_still_ms(stage) == 0) rv_stage_tick(stage, 100, &error);
    rv_stage_draw(stage);
}

static const rv_item *label_of(const char *text) {
    for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
        if (strcmp(rv_label_text(&stage->scene, item), text) == 0) return item;
    }
    return NULL;
}

static void expect_label(const char *text) {
    cr_expect_not_null(label_of(text), "no label \"%s\"", text);
}

Test(scene_story, shows_title_phase_sentence_grids_lanes_and_plots) {
    open_stage(story_fixture(), 2);
    const char *const words[] = {"A small tale, 3 GPUs",
                                 "Count",
                                 "GPU 0 counts to 2, hands it on and waits for the others.",
                                 "Who sees which sample",
                                 "batch 2",
                                 "12",
                                 "Sums",
                                 "gradient of the first layer",
                                 "Timeline",
                                 "compute",
                                 "wait",
                                 "part",
                                 "Loss (MSE)",
                                 "Memory (GB)",
                                 "added",
                                 "new"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) expect_label(words[i]);
    close_stage();
}

Test(scene_story, is_walked_by_the_same_keys_and_its_play_head_follows) {
    open_stage(story_fixture(), -1);
    press(RV_KEY_RIGHT);
    cr_expect_eq(rv_position_of(&stage->playback).step, 0);
    cr_expect_eq(rv_main_run(stage).now_ps, 1000000);
    press('>'); /* a part of a step is the step */
    cr_expect_eq(rv_position_of(&stage->playback).step, 1);
    cr_expect_eq(rv_main_run(stage).now_ps, 2000000);
    expect_label("GPU 0 counts to 1, hands it on and waits for the others.");
    press(RV_KEY_LEFT);
    cr_expect_eq(rv_position_of(&stage->playback).step, 0);
    cr_expect_eq(rv_main_run(stage).now_ps, 1000000);
    press(']');
    cr_expect_eq(rv_position_of(&stage->playback).step, 3, "the next phase begins there");
    press('[');
    cr_expect_eq(rv_position_of(&stage->playback).step, 0);
    press(RV_KEY_END);
    expect_label("All is counted and added up.");
    close_stage();
}

Test(scene_story, play_head_slides_while_the_moment_begins) {
    open_stage(story_fixture(), 0);
    cr_assert_eq(rv_stage_key(stage, RV_KEY_RIGHT, &error), RS_OK);
    rv_stage_tick(stage, 200, &error);
    const int64_t now_ps = rv_main_run(stage).now_ps;
    cr_expect(now_ps > 1000000 && now_ps < 2000000, "%lld", (long long)now_ps);
    close_stage();
}

Test(scene_story, keys_of_a_collective_say_that_there_is_none) {
    open_stage(story_fixture(), 1);
    const char keys[] = "mdcrnwebkhuFxp/,.";
    for (size_t i = 0; keys[i] != '\0'; i++) {
        press(keys[i]);
        cr_expect_not_null(strstr(stage->playback.message, "collective"), "%c: %s", keys[i],
                           stage->playback.message);
        cr_expect_eq(rv_position_of(&stage->playback).step, 1, "%c", keys[i]);
        cr_expect_eq(stage->playback.mode, RV_LOOKING);
    }
    press('t');
    cr_expect(stage->dark, "looks are as ever");
    close_stage();
}

Test(scene_story, help_has_only_keys_that_mean_something) {
    open_stage(story_fixture(), 1);
    press('?');
    expect_label("one step on");
    expect_label("one part alone, the next, all of them");
    cr_expect_null(label_of("race against another algorithm"));
    cr_expect_null(label_of("show the costs"));
    close_stage();
}

/* Presses in the middle of the last item with that target. */
static void click(rv_thing thing, int32_t a) {
    for (int32_t i = stage->scene.n_items - 1; i >= 0; i--) {
        const rv_item *item = &stage->scene.items[i];
        if (item->target.thing != (int32_t)thing || item->target.a != a) continue;
        const rv_point c = rv_centre(item->box);
        rv_stage_pointer(stage, RV_POINT_PRESS, c.x, c.y, &error);
        rv_stage_pointer(stage, RV_POINT_RELEASE, c.x, c.y, &error);
        rv_stage_draw(stage);
        return;
    }
    cr_assert_fail("nothing to click");
}

Test(scene_story, a_click_on_a_row_follows_it_and_on_a_piece_of_work_shows_its_moment) {
    open_stage(story_fixture(), 1);
    click(RV_GPU, 2);
    cr_expect_eq(stage->playback.rank, 2);
    cr_expect_eq(stage->menu.thing, RV_NOTHING, "nothing can be broken");
    expect_label("GPU 2 counts to 1, hands it on and waits for the others.");
    const rv_item *work = NULL;
    for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
        if (item->target.thing == RV_STEP_BAR && item->target.a == 4 && item->shape == RV_RECT) {
            work = item;
        }
    }
    cr_assert_not_null(work);
    const rv_point c = rv_centre(work->box);
    rv_stage_pointer(stage, RV_POINT_PRESS, c.x, c.y, &error);
    cr_expect_eq(rv_position_of(&stage->playback).step, 4);
    close_stage();
}

Test(scene_story, v_shows_one_part_alone_and_at_last_all_again) {
    open_stage(story_fixture(), 2);
    const char *const alone[] = {"Who sees which sample", "Sums", "Timeline", "Loss (MSE)",
                                 "Memory (GB)"};
    for (int part = 0; part < 5; part++) {
        press('v');
        for (int other = 0; other < 5; other++) {
            cr_expect_eq(label_of(alone[other]) != NULL, other == part, "part %d: %s", part,
                         alone[other]);
        }
    }
    press('v');
    for (int part = 0; part < 5; part++) expect_label(alone[part]);
    close_stage();
}

/* One card leaves the pile for rank 1. */
static void deal(const rv_story *story, int32_t step, int32_t rank, rv_frame *frame) {
    (void)story, (void)rank;
    rv_grid *pile = rv_frame_grid(frame, "Pile", 1, 2);
    rv_grid *hands = rv_frame_grid(frame, "Hands", 2, 1);
    const bool dealt = step >= 0;
    rv_grid_write(pile, 0, 0, dealt ? RV_TONE_LEAVES : RV_TONE_PLAIN, 1, "seven");
    rv_grid_write(pile, 0, 1, RV_TONE_PLAIN, 0, "eight");
    if (dealt) rv_grid_write(hands, 1, 0, RV_TONE_NEW, 1, "seven");
}

/* The one that moves; NULL: none. */
static const rv_item *moving_label(const char *text) {
    for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
        if (item->layer != RV_MOVING || (item->fill & 0xFF) == 0) continue;
        if (strcmp(rv_label_text(&stage->scene, item), text) == 0) return item;
    }
    return NULL;
}

Test(scene_story, what_is_dealt_out_travels_from_where_it_leaves_to_where_it_is_new) {
    const rv_story story = {.name = "Dealing", .n_steps = 2, .n_ranks = 2, .frame = deal};
    open_stage(&story, -1);
    const rv_box from = label_of("seven")->box;
    cr_assert_eq(rv_stage_key(stage, RV_KEY_RIGHT, &error), RS_OK);
    rv_stage_tick(stage, 60, &error);
    rv_stage_draw(stage);
    cr_assert_not_null(moving_label("seven"));
    const rv_point early = rv_centre(moving_label("seven")->box);
    rv_stage_tick(stage, 240, &error);
    rv_stage_draw(stage);
    cr_assert_not_null(moving_label("seven"));
    const rv_point later = rv_centre(moving_label("seven")->box);
    cr_expect(hypot(early.x - rv_centre(from).x, early.y - rv_centre(from).y) <
                  hypot(later.x - rv_centre(from).x, later.y - rv_centre(from).y),
              "it moves away from the pile");
    while (rv_stage_still_ms(stage) == 0) rv_stage_tick(stage, 100, &error);
    rv_stage_draw(stage);
    cr_expect_null(moving_label("seven"), "it has come");
    cr_expect_null(moving_label("eight"));
    close_stage();
}

Test(scene_story, panels_stand_still_from_step_to_step) {
    open_stage(story_fixture(), -1);
    const rv_box before = label_of("Sums")->box, lanes = label_of("Timeline")->box;
    for (int step = 0; step <= TALE_STEPS; step++) {
        press(RV_KEY_RIGHT);
        const rv_box now = label_of("Sums")->box;
        cr_expect(now.x == before.x && now.y == before.y, "step %d: %g, %g", step, now.x, now.y);
        cr_expect_eq(label_of("Timeline")->box.y, lanes.y);
    }
    close_stage();
}

Test(scene_story, title_for_the_window_says_where_it_is) {
    char title[256];
    open_stage(story_fixture(), 2);
    rv_stage_title(stage, title, sizeof title);
    cr_expect_str_eq(title, "A small tale, 3 GPUs - step 2 of 0..5, done, GPU 0");
    close_stage();
}

/* -------------------------------------------------------------------------------------- sizes */

static bool within(rv_box inner, rv_box outer) {
    const double slack = 0.51;
    return inner.x >= outer.x - slack && inner.y >= outer.y - slack &&
           inner.x + inner.w <= outer.x + outer.w + slack &&
           inner.y + inner.h <= outer.y + outer.h + slack;
}

/* Whether a label should fit its box, by the estimate: the canvas shrinks it to 70 % if need be. */
static bool fits(const rv_item *item) {
    const double size = 0.7 * item->radius;
    const double width = rv_label_width(rv_label_text(&stage->scene, item), size);
    if (!item->wrap) return width <= item->box.w && 1.1 * size <= item->box.h;
    return ceil(width * 1.06 / item->box.w) * 1.45 * size <= item->box.h + 1;
}

/* Where a label's words are, by the estimate. */
static rv_box words_of(const rv_item *item) {
    const double width =
        fmin(item->box.w, rv_label_width(rv_label_text(&stage->scene, item), item->radius));
    const double h = fmin(item->box.h, item->radius);
    rv_box box = {item->box.x, item->box.y + (item->box.h - h) / 2, width, h};
    if (item->align == RV_MIDDLE) box.x += (item->box.w - width) / 2;
    if (item->align == RV_RIGHT) box.x += item->box.w - width;
    return box;
}

static bool overlap(rv_box a, rv_box b) {
    const double slack = 1.5;
    return a.x + a.w > b.x + slack && b.x + b.w > a.x + slack && a.y + a.h > b.y + slack &&
           b.y + b.h > a.y + slack;
}

static void expect_whole(const char *what) {
    const rv_scene *scene = &stage->scene;
    int n = 0;
    rv_stage_draw(stage);
    for (int32_t i = 0; i < scene->n_items; i++) {
        const rv_item *item = &scene->items[i];
        const rv_box whole = {0, 0, stage->width, stage->height};
        if (item->shape == RV_RECT || item->shape == RV_LABEL) {
            cr_expect(within(item->box, whole), "%s: %s leaves the picture", what,
                      rv_label_text(scene, item));
        }
        if (item->shape != RV_LABEL || item->layer != RV_STILL || item->n == 0) continue;
        n++;
        cr_expect(fits(item), "%s: \"%s\" is cut", what, rv_label_text(scene, item));
        for (int32_t k = 0; k < i; k++) {
            const rv_item *other = &scene->items[k];
            if (other->shape != RV_LABEL || other->layer != RV_STILL || other->n == 0) continue;
            cr_expect(!overlap(words_of(item), words_of(other)), "%s: \"%s\" over \"%s\"", what,
                      rv_label_text(scene, item), rv_label_text(scene, other));
        }
    }
    cr_expect_gt(n, 5, "%s", what);
}

static void try_sizes(const rv_story *story, const char *name) {
    static const double sizes[][2] = {{320, 240},   {400, 800},   {640, 360},
                                      {640, 480},   {800, 600},   {1280, 720},
                                      {1080, 1920}, {1920, 1080}, {2560, 1440}};
    static const double scales[] = {0.5, 1, 2};
    char what[96];
    open_stage(story, 2);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (int k = 0; k < 3; k++) {
            for (int32_t part = -1; part < 5; part++) {
                stage->scale = scales[k];
                stage->playback.part = part;
                rv_stage_resize(stage, sizes[s][0], sizes[s][1]);
                snprintf(what, sizeof what, "%s, %g x %g, scale %g, part %d", name, sizes[s][0],
                         sizes[s][1], scales[k], (int)part);
                expect_whole(what);
            }
        }
    }
    close_stage();
}

Test(scene_story, nothing_is_cut_or_covered_at_any_size) {
    try_sizes(story_fixture(), "tale");
    try_sizes(story_fixture_of(8, 12, false), "8 ranks");
}

Test(scene_story, nothing_is_cut_or_covered_with_many_ranks_and_columns) {
    try_sizes(story_fixture_of(64, 40, false), "64 ranks");
}

Test(scene_story, nothing_is_cut_or_covered_in_chinese) {
    if (!view_fixture_chinese()) cr_skip("no catalogue was built");
    try_sizes(story_fixture_of(4, 6, true), "zh_CN");
}
