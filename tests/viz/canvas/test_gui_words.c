/* Words as the fonts really set them: nothing that is said ends with an ellipsis. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "canvas/canvas.h"
#include "stage/stage.h"
#include "support/view_fixture.h"

static const struct {
    double width, height, scale;
} sizes[] = {{800, 600, 1},  {800, 600, 1.5}, {800, 600, 2},
             {1280, 720, 1}, {1280, 720, 2},  {3840, 2160, 1}};
enum { N_SIZES = sizeof sizes / sizeof sizes[0] };

/* Wants every label of the layers in question to be whole. */
static void expect_whole(const rv_stage *stage, rv_labels *labels, bool over, const char *name) {
    const rv_scene *scene = &stage->scene;
    const double middle = stage->layout.title.y + stage->layout.title.h;
    for (const rv_item *item = NULL; (item = view_fixture_next(scene, item)) != NULL;) {
        const char *text = rv_label_text(scene, item);
        if (text[0] == '\0' || (item->layer == RV_OVER) != over) continue;
        /* the views between title and caption shorten what they say by themselves */
        if (!over && item->box.y > middle && item->box.y < stage->layout.caption.y) continue;
        cr_expect(rv_label_is_whole(labels, item, text), "%s, %g x %g, scale %g: \"%s\"", name,
                  stage->width, stage->height, stage->scale, text);
    }
}

static void expect_all_whole(const rv_stage *stage, rv_labels *labels, const char *name) {
    const rv_scene *scene = &stage->scene;
    for (int32_t i = 0; i < scene->n_items; i++) {
        const char *text = rv_label_text(scene, &scene->items[i]);
        cr_expect(text[0] == '\0' || rv_label_is_whole(labels, &scene->items[i], text),
                  "%s, %g x %g: \"%s\"", name, stage->width, stage->height, text);
    }
}

static void try_sizes(rv_stage *stage, const char *name) {
    rv_labels *labels = rv_labels_new();
    cr_assert(labels != NULL);
    for (int i = 0; i < N_SIZES; i++) {
        stage->scale = sizes[i].scale;
        rv_stage_resize(stage, sizes[i].width, sizes[i].height);
        rv_stage_draw(stage);
        expect_whole(stage, labels, stage->playback.mode == RV_READING_HELP, name);
    }
    rv_labels_free(labels);
}

static void leave(rv_stage *stage, view_fixture *v) {
    rv_stage_free(stage);
    view_fixture_free(v);
}

static void try_the_words(void) {
    OWN_VIEW v = {0};
    rs_error error;
    const rs_fault faults[] = {
        {.kind = RS_KILL, .rank = 130, .step = 100},
        {.kind = RS_LATE, .rank = 12, .time_ps = 123456789},
        {.kind = RS_SLOW_LINK, .rank = 7, .factor_num = 10, .factor_den = 1}};
    for (int at = -1; at <= 398; at += 133) {
        view_fixture_prepare(&v, "ring", 200);
        view_fixture_faults(&v, faults, 3);
        const rv_options options = {.at = at, .rank = 110};
        rv_stage *stage = view_fixture_stage(&v, &options);
        try_sizes(stage, "faults");
        leave(stage, &v);
    }
    view_fixture_prepare_text(&v,
                              "ringsim-schedule 1\nranks 3\nchunks 2\nstep\n0 -> 1 chunk 0 reduce\n"
                              "1 -> 2 chunk 1 copy\nstep\n1 -> 0 chunk 0 reduce\n");
    const rv_options at_end = {.at = 2};
    OWN_STAGE *stage = view_fixture_stage(&v, &at_end);
    try_sizes(stage, "a verdict");
    leave(stage, &v);

    view_fixture_prepare(&v, "ring", 5);
    const rv_options asking = {.at = 2, .predict = true};
    stage = view_fixture_stage(&v, &asking);
    try_sizes(stage, "a question");
    const int32_t wrong =
        (stage->playback.question.answer + 1) % stage->playback.question.n_choices;
    stage->playback.chosen = stage->playback.question.choices[wrong];
    try_sizes(stage, "a choice");
    cr_assert_eq(rv_stage_key(stage, RV_KEY_ENTER, &error), RS_OK);
    try_sizes(stage, "an answer");
    cr_assert_eq(rv_stage_key(stage, '?', &error), RS_OK);
    try_sizes(stage, "the help");
}

/* The views, too, in the windows that people have: one alone, or all; in a race; where it stalls. */
static void try_the_views(const char *algorithm, int32_t n) {
    static const unsigned sets[] = {0, VIEW_COST, VIEW_NUMBERS, RV_VIEW_ALL};
    const rs_fault faults[] = {
        {.kind = RS_KILL, .rank = n - 1, .step = 1},
        {.kind = RS_LATE, .rank = 0, .time_ps = 123456789},
        {.kind = RS_SLOW_LINK, .rank = 1, .factor_num = 10, .factor_den = 1}};
    for (int i = 0; i < 4 * 3 * 2; i++) {
        OWN_VIEW v = {0};
        const bool broken = i >= 12;
        const int at = i / 4 % 3;
        view_fixture_prepare(&v, algorithm, n);
        view_fixture_faults(&v, faults, broken ? 3 : 0);
        const rv_options options = {.at = at == 0   ? -1
                                          : at == 1 ? 1
                                                    : INT32_MAX,
                                    .rank = 1,
                                    .views = sets[i % 4],
                                    .progress = at == 1 ? 0.5 : 0,
                                    .compare = i % 4 == 0 && !broken ? "naive" : NULL};
        OWN_STAGE *stage = view_fixture_stage(&v, &options);
        rv_labels *labels = rv_labels_new();
        char name[64];
        snprintf(name, sizeof name, "%s of %d, case %d", algorithm, n, i);
        for (int k = 0; k < 2; k++) {
            rv_stage_resize(stage, k == 0 ? 800 : 1280, k == 0 ? 600 : 720);
            rv_stage_draw(stage);
            expect_all_whole(stage, labels, name);
        }
        rv_labels_free(labels);
    }
}

static void try_all_views(void) {
    static const int32_t ns[] = {2, 5, 16, 64};
    for (int i = 0; i < 4; i++) {
        try_the_views("ring", ns[i]);
        try_the_views("halving", ns[i]);
    }
}

Test(gui_words, nothing_ends_with_an_ellipsis_in_english, .timeout = 900) {
    try_the_words();
    try_all_views();
}

Test(gui_words, nothing_ends_with_an_ellipsis_in_chinese, .timeout = 900) {
    if (!view_fixture_chinese()) cr_skip("no catalogue was built");
    try_the_words();
    try_all_views();
}
