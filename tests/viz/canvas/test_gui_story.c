/* test_gui_story.c: the stories as the commands tell them, set in the machine's own fonts: in every
 * moment and at common sizes nothing that is said ends with an ellipsis, in either language.
 */
#include <criterion/criterion.h>

#include "canvas/canvas.h"
#include "stage/stage_frame.h"
#include "support/story_fixture.h"
#include "support/told.h"
#include "support/view_fixture.h"

enum { MOST_MOMENTS = 12 };
static const double sizes[][2] = {{800, 600}, {1280, 720}, {1920, 1080}};

static rs_arena arena;
static rs_error error;
static rv_labels *labels;

/* Computes what a command line tells. */
static void tell(const char *line, rv_story *story) {
    const rv_subject subject = told_subject(line, &arena);
    *story = *rv_story_of(&subject);
}

static void expect_whole(const rv_stage *stage, const char *line) {
    for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
        const char *text = rv_label_text(&stage->scene, item);
        cr_expect(text[0] == '\0' || rv_label_is_whole(labels, item, text),
                  "%s, %s, step %d, %g x %g: \"%s\"", rv_language(), line,
                  (int)rv_position_of(&stage->playback).step, stage->width, stage->height, text);
    }
}

static void try_story(const rv_story *story, const char *line) {
    OWN_TELLING telling;
    rv_stage *stage;
    const rv_options options = {.at = -1, .reduced_motion = true};
    rv_telling_start(&telling, story);
    const rv_subject subject = rv_story_subject(&telling);
    cr_assert_eq(rv_stage_new(&subject, &options, NULL, &error, &stage), RS_OK, "%s", error.text);
    const int32_t each = story->n_steps / MOST_MOMENTS + 1;
    for (int32_t step = -1; step <= story->n_steps; step += each) {
        cr_assert_eq(rv_stage_show(stage, step, 1, &error), RS_OK);
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            rv_stage_resize(stage, sizes[s][0], sizes[s][1]);
            rv_stage_draw(stage);
            expect_whole(stage, line);
        }
    }
    rv_stage_free(stage);
}

static void try_all(void) {
    static const char *const lines[] = {"sampler --shuffle",
                                        "sampler --dataset 100 --gpus 8 --epochs 2 --shuffle",
                                        "launch",
                                        "launch --mistake rank-twice",
                                        "mapreduce --gpus 4",
                                        "train --model assets/resnet50.lay",
                                        "train --model assets/resnet50.lay --mode dp --gpus 4",
                                        "train --model linreg --mode none"};
    labels = rv_labels_new();
    cr_assert_not_null(labels);
    rs_arena_init(&arena, NULL);
    try_story(story_fixture(), "tale");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        rv_story story;
        tell(lines[i], &story);
        try_story(&story, lines[i]);
    }
    rs_arena_free(&arena);
    rv_labels_free(labels);
}

Test(gui_story, nothing_is_cut_in_english) {
    try_all();
}

Test(gui_story, nothing_is_cut_in_chinese) {
    if (!view_fixture_chinese()) cr_skip("no catalogue was built");
    try_all();
}
