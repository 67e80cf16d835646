/* The layout at every size: parts are disjoint and inside the picture, buttons can be hit, words fit. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "panels/draw.h"
#include "support/told.h"
#include "support/view_fixture.h"

static const double sizes[][2] = {{320, 240},  {400, 800},   {640, 360},   {800, 600},
                                  {1280, 720}, {1080, 1920}, {3840, 2160}, {7680, 4320}};
static const double scales[] = {0.5, 1, 1.5, 2, 4};
enum { N_SIZES = sizeof sizes / sizeof sizes[0], N_SCALES = sizeof scales / sizeof scales[0] };

static bool within(rv_box inner, rv_box outer) {
    const double slack = 0.51;
    return inner.x >= outer.x - slack && inner.y >= outer.y - slack &&
           inner.x + inner.w <= outer.x + outer.w + slack &&
           inner.y + inner.h <= outer.y + outer.h + slack;
}

static bool overlap(rv_box a, rv_box b) {
    const double slack = 0.01;
    return a.x + a.w > b.x + slack && b.x + b.w > a.x + slack && a.y + a.h > b.y + slack &&
           b.y + b.h > a.y + slack;
}

static void expect_disjoint(const rv_stage *stage, const char *what) {
    const rv_layout *l = &stage->layout;
    rv_box parts[4 + RV_MOST_VIEWS] = {l->title, l->second, l->caption, l->controls};
    const rv_box whole = {0, 0, stage->width, stage->height};
    int n = 4;
    for (int i = 0; rv_view_word(i) != NULL; i++) parts[n++] = l->views[i];
    for (int i = 0; i < n; i++) {
        if (parts[i].w == 0) continue;
        cr_expect(parts[i].w > 0 && parts[i].h > 20, "%s: part %d is %g x %g", what, i, parts[i].w,
                  parts[i].h);
        cr_expect(within(parts[i], whole), "%s: part %d", what, i);
        for (int k = 0; k < i; k++) {
            cr_expect(parts[k].w == 0 || !overlap(parts[i], parts[k]), "%s: %d over %d", what, i,
                      k);
        }
    }
}

static void try_all(rv_stage *stage, void (*check)(const rv_stage *, const char *)) {
    char what[96];
    unsigned most = 1;
    for (int i = 0; rv_view_word(i) != NULL; i++) most |= 1u << i;
    for (int s = 0; s < N_SIZES; s++) {
        for (int k = 0; k < N_SCALES; k++) {
            for (unsigned views = 1; views <= most; views += 2) {
                stage->scale = scales[k];
                stage->views = views;
                rv_stage_resize(stage, sizes[s][0], sizes[s][1]);
                snprintf(what, sizeof what, "%g x %g, scale %g, views %u%s", sizes[s][0],
                         sizes[s][1], scales[k], views, stage->other != NULL ? ", two runs" : "");
                check(stage, what);
            }
        }
    }
}

Test(scene_layout, parts_are_disjoint_and_inside_at_every_size) {
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 5);
    const rv_options options = {.at = 3};
    OWN_STAGE *stage = view_fixture_stage(&v, &options);
    try_all(stage, expect_disjoint);
    cr_assert_eq(rv_what_if_copy(stage->what_if, &stage->what_if->setup, &v.error, &stage->other),
                 RS_OK);
    stage->pairing = &rv_forked;
    try_all(stage, expect_disjoint);
}

static void expect_a_middle(const rv_stage *stage, const char *what) {
    cr_expect((stage->layout.shown & (stage->views | VIEW_RING)) == stage->layout.shown, "%s",
              what);
    cr_expect(stage->layout.shown != 0, "%s", what);
    if (stage->views == VIEW_RING) cr_expect(rv_view_box(stage, VIEW_RING).w > 0, "%s", what);
}

Test(scene_layout, there_is_always_something_in_the_middle) {
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 5);
    const rv_options options = {.at = 3};
    OWN_STAGE *stage = view_fixture_stage(&v, &options);
    try_all(stage, expect_a_middle);
}

Test(scene_layout, all_views_fit_beside_the_ring_from_800_x_600_on) {
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 5);
    const rv_options options = {.at = 3, .views = RV_VIEW_ALL};
    OWN_STAGE *stage = view_fixture_stage(&v, &options);
    const double all[][2] = {{800, 600}, {1280, 720}, {1920, 1080}, {3840, 2160}};
    for (int i = 0; i < 4; i++) {
        rv_stage_resize(stage, all[i][0], all[i][1]);
        const unsigned fitting = rv_all_views() & ~rv_view_bit("machine"); /* this run is on none */
        cr_expect_eq(stage->layout.shown, fitting, "%g x %g: %u", all[i][0], all[i][1],
                     stage->layout.shown);
        rs_error error;
        cr_assert_eq(rv_stage_key(stage, 'v', &error), RS_OK);
        cr_assert_eq(rv_stage_key(stage, 'v', &error), RS_OK);
        cr_expect_str_eq(stage->playback.message, "", "what this run has not is no matter");
    }
}

/* Three lines do not take half the window. */
Test(scene_layout, a_rule_of_one_line_lies_below_the_ring_unless_others_are_beside) {
    static const struct {
        const char *algorithm;
        unsigned views;
        bool below;
    } tries[] = {{"ring", VIEW_RULE, true},
                 {"ring", VIEW_RULE | VIEW_DIAGRAM, true},
                 {"ring", VIEW_RULE | VIEW_MATRIX, false},
                 {"halving", VIEW_RULE, false}};
    for (int i = 0; i < 4; i++) {
        OWN_VIEW v = {0};
        view_fixture_prepare(&v, tries[i].algorithm, 5);
        const rv_options options = {.at = 1, .views = tries[i].views};
        OWN_STAGE *stage = view_fixture_stage(&v, &options);
        const rv_box ring = rv_view_box(stage, VIEW_RING), rule = rv_view_box(stage, VIEW_RULE);
        cr_expect_eq(rule.y > ring.y + ring.h, tries[i].below, "%d", i);
        cr_expect_eq(rule.x > ring.x + ring.w, !tries[i].below, "%d", i);
    }
}

Test(scene_layout, where_there_is_no_room_the_view_opened_first_waits) {
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 5);
    const rv_options options = {.at = 3, .pixel_width = 900, .pixel_height = 440};
    OWN_STAGE *stage = view_fixture_stage(&v, &options);
    rs_error error;
    const int32_t keys[] = {'m', 'c', 'n', 'd'};
    for (int i = 0; i < 4; i++) cr_assert_eq(rv_stage_key(stage, keys[i], &error), RS_OK);
    const unsigned shown = stage->layout.shown;
    cr_expect(shown & VIEW_DIAGRAM, "the last one opened is there");
    cr_expect_not(shown & VIEW_MATRIX, "the first one waits");
    cr_expect(strstr(stage->playback.message, "No room here for: ") != NULL, "%s",
              stage->playback.message);
    rv_stage_resize(stage, 1920, 1080);
    cr_expect(stage->layout.shown & VIEW_MATRIX, "it is back in a larger window");
    rv_stage_resize(stage, 900, 440);
    cr_assert_eq(rv_stage_key(stage, 'm', &error), RS_OK);
    cr_expect(stage->layout.shown & VIEW_MATRIX, "its key brings it to the front");
    cr_assert_eq(rv_stage_key(stage, 'm', &error), RS_OK);
    cr_expect_not(stage->layout.shown & VIEW_MATRIX, "and closes it again");
}

/* A tick stands between two numbers, never in one. */
Test(scene_layout, no_tick_strikes_a_number_of_the_timeline_through) {
    const int32_t ranks[] = {2, 5, 16, 64, 256};
    for (int i = 0; i < 5; i++) {
        OWN_VIEW v = {0};
        view_fixture_prepare(&v, "ring", ranks[i]);
        const rv_options options = {.at = 0};
        OWN_STAGE *stage = view_fixture_stage(&v, &options);
        rv_scene *scene = &stage->scene;
        for (int s = 0; s < N_SIZES; s++) {
            rv_stage_resize(stage, sizes[s][0], sizes[s][1]);
            rv_scene_start(scene, stage->width, stage->height, 0);
            rv_draw_timeline(stage, scene, stage->layout.controls);
            int numbers = 0;
            for (const rv_item *label = NULL; (label = view_fixture_next(scene, label)) != NULL;) {
                const char *text = rv_label_text(scene, label);
                if (label->shape != RV_LABEL || text[0] < '0' || text[0] > '9') continue;
                if (label->bold) continue; /* on the knob, which covers what lies below */
                numbers++;
                const double half = rv_label_width(text, label->radius) / 2;
                const double x = label->box.x + label->box.w / 2;
                for (const rv_item *tick = NULL; (tick = view_fixture_next(scene, tick)) != NULL;) {
                    if (tick->shape != RV_SEGMENT || tick->box.w != 0) continue;
                    cr_expect(fabs(tick->box.x - x) > half, "N = %d, %g x %g: \"%s\"", ranks[i],
                              sizes[s][0], sizes[s][1], text);
                }
            }
            cr_expect_gt(numbers, 0);
        }
    }
}

/* ------------------------------------------------------------------------------------------ words */

/* Whether a label should fit its box, by the estimate: canvas shrinks it to 70 % if need be. */
static bool fits(const rv_scene *scene, const rv_item *item) {
    const double size = 0.7 * item->radius,
                 width = rv_label_width(rv_label_text(scene, item), size);
    if (!item->wrap) return width <= item->box.w && 1.1 * size <= item->box.h;
    return ceil(width * 1.06 / item->box.w) * 1.45 * size <= item->box.h + 1;
}

/* Labels and buttons of title, caption and controls stay in their part, and can be read and hit. */
static void expect_whole(rv_stage *stage, const char *what) {
    const rv_box parts[] = {stage->layout.title, stage->layout.caption, stage->layout.controls};
    void (*const draw[])(rv_stage *, rv_scene *, rv_box) = {rv_draw_title, rv_draw_caption,
                                                            rv_draw_controls};
    rv_scene *scene = &stage->scene;
    for (int p = 0; p < 3; p++) {
        rv_scene_start(scene, stage->width, stage->height, 0);
        draw[p](stage, scene, parts[p]);
        cr_expect_gt(scene->n_items, 0);
        for (int32_t i = 0; i < scene->n_items; i++) {
            const rv_item *item = &scene->items[i];
            const char *text = rv_label_text(scene, item);
            if (item->shape == RV_LABEL) {
                cr_expect(within(item->box, parts[p]), "%s: \"%s\" leaves its part", what, text);
                cr_expect(fits(scene, item), "%s: \"%s\" is cut", what, text);
            }
            const int32_t thing = item->target.thing;
            if (thing != RV_BUTTON && thing != RV_CHOICE) continue;
            cr_expect(item->box.w >= 24 && item->box.h >= 24, "%s: %g x %g", what, item->box.w,
                      item->box.h);
            cr_expect(within(item->box, parts[p]), "%s: a button leaves its part", what);
            for (int32_t k = 0; k < i; k++) {
                const rv_item *before = &scene->items[k];
                if (before->target.thing != thing) continue;
                cr_expect(!overlap(item->box, before->box), "%s: buttons overlap", what);
            }
        }
    }
}

static void expect_whole_everywhere(rv_stage *stage, const char *name) {
    char what[160];
    for (int s = 0; s < N_SIZES; s++) {
        for (int k = 0; k < N_SCALES; k++) {
            stage->scale = scales[k];
            rv_stage_resize(stage, sizes[s][0], sizes[s][1]);
            snprintf(what, sizeof what, "%s, %g x %g, scale %g", name, sizes[s][0], sizes[s][1],
                     scales[k]);
            expect_whole(stage, what);
        }
    }
}

/* The longest that is said: a stall, a verdict, faults to come, questions, an answer, a message. */
static void try_the_words(const char *language) {
    char name[64];
    rs_error error;
    const rs_fault faults[] = {
        {.kind = RS_KILL, .rank = 130, .step = 100},
        {.kind = RS_LATE, .rank = 12, .time_ps = 123456789},
        {.kind = RS_SLOW_LINK, .rank = 7, .factor_num = 10, .factor_den = 1}};
    for (int at = -1; at <= 398; at += 133) {
        OWN_VIEW v = {0};
        view_fixture_prepare(&v, "ring", 200);
        view_fixture_faults(&v, faults, 3);
        const rv_options options = {.at = at, .rank = 110};
        OWN_STAGE *stage = view_fixture_stage(&v, &options);
        snprintf(name, sizeof name, "%s, faults, step %d", language, at);
        expect_whole_everywhere(stage, name);
    }
    const char *const algorithms[] = {"ring", "tree", "halving"};
    for (int a = 0; a < 3; a++) {
        OWN_VIEW v = {0};
        view_fixture_prepare(&v, algorithms[a], 12);
        const rv_options options = {.at = 3, .predict = true};
        OWN_STAGE *stage = view_fixture_stage(&v, &options);
        snprintf(name, sizeof name, "%s, %s asks", language, algorithms[a]);
        expect_whole_everywhere(stage, name);
        if (stage->playback.mode == RV_ASKING) {
            cr_assert_eq(rv_stage_key(stage, RV_KEY_RIGHT, &error), RS_OK);
            expect_whole_everywhere(stage, name);
            const int32_t wrong =
                (stage->playback.question.answer + 1) % stage->playback.question.n_choices;
            stage->playback.chosen = stage->playback.question.choices[wrong];
            expect_whole_everywhere(stage, name);
            cr_assert_eq(rv_stage_key(stage, RV_KEY_ENTER, &error), RS_OK);
            snprintf(name, sizeof name, "%s, %s answered", language, algorithms[a]);
            expect_whole_everywhere(stage, name);
        }
    }
    OWN_VIEW v = {0};
    view_fixture_prepare_text(&v,
                              "ringsim-schedule 1\nranks 3\nchunks 2\nstep\n0 -> 1 chunk 0 reduce\n"
                              "1 -> 2 chunk 1 copy\nstep\n1 -> 0 chunk 0 reduce\n");
    const rv_options options = {.at = 2};
    OWN_STAGE *stage = view_fixture_stage(&v, &options);
    expect_whole_everywhere(stage, language);
}

Test(scene_layout, nothing_is_cut_in_english) {
    try_the_words("en");
}

Test(scene_layout, nothing_is_cut_in_chinese) {
    if (!view_fixture_chinese()) cr_skip("no catalogue was built");
    try_the_words("zh_CN");
}

/* ----------------------------------------------------------------------------------- what lies on top */

static void expect_help(const rv_stage *stage, const char *what) {
    const rv_scene *scene = &stage->scene;
    const rv_box whole = {0, 0, stage->width, stage->height};
    int n = 0;
    for (int32_t i = 0; i < scene->n_items; i++) {
        const rv_item *item = &scene->items[i];
        if (item->layer != RV_OVER || item->shape != RV_LABEL) continue;
        n++;
        cr_expect(within(item->box, whole), "%s: %s", what, rv_label_text(scene, item));
        cr_expect(fits(scene, item), "%s: \"%s\" is cut", what, rv_label_text(scene, item));
        for (int32_t k = 0; k < i; k++) {
            const rv_item *other = &scene->items[k];
            if (other->layer != RV_OVER || other->shape != RV_LABEL) continue;
            /* the head: left and right of one line */
            if (item->box.y < stage->height / 6) continue;
            cr_expect(!overlap(item->box, other->box), "%s: %s", what, rv_label_text(scene, item));
        }
    }
    cr_expect_gt(n, 60, "%s: %d labels", what, n);
}

static void try_the_help(const char *language) {
    OWN_VIEW v = {0};
    char what[96];
    rs_error error;
    view_fixture_prepare(&v, "ring", 5);
    const rv_options options = {.at = -1};
    OWN_STAGE *stage = view_fixture_stage(&v, &options);
    cr_assert_eq(rv_stage_key(stage, '?', &error), RS_OK);
    for (int s = 0; s < N_SIZES; s++) {
        for (int k = 0; k < N_SCALES; k++) {
            stage->scale = scales[k];
            rv_stage_resize(stage, sizes[s][0], sizes[s][1]);
            rv_stage_draw(stage);
            snprintf(what, sizeof what, "%s, %g x %g, scale %g", language, sizes[s][0], sizes[s][1],
                     scales[k]);
            expect_help(stage, what);
        }
    }
}

Test(scene_layout, the_help_fits_every_size_in_english) {
    try_the_help("en");
}

Test(scene_layout, the_help_fits_every_size_in_chinese) {
    if (!view_fixture_chinese()) cr_skip("no catalogue was built");
    try_the_help("zh_CN");
}

Test(scene_layout, figure_of_a_sheet_shows_the_machine_beside_the_ring) {
    static const char *const lines[] = {"run --gpus 4",
                                        "run --machine assets/machines/dgx-h100.machine"};
    for (int i = 0; i < 2; i++) {
        const rv_options options = {.at = 1};
        OWN_ARENA arena = {0};
        rs_error error;
        rv_stage *stage;
        rv_subject subject = told_subject(lines[i], &arena);
        cr_assert_eq(rv_stage_new(&subject, &options, NULL, &error, &stage), RS_OK);
        stage->output = RV_TO_FIGURE;
        rv_stage_resize(stage, 640, 360);
        const rv_box ring = rv_view_box(stage, RV_THE_RING);
        const rv_box machine = rv_view_box(stage, rv_view_bit("machine"));
        cr_expect_eq(machine.w > 0, i == 1);
        cr_expect(ring.w > 0 && (i == 0 || machine.x > ring.x + ring.w));
        rv_stage_free(stage);
        rv_subject_free(&subject);
    }
}
