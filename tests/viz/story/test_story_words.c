/* test_story_words.c: what the commands' stories say, every moment of them: as plain text, and one moment of
 * each as the window's picture.
 *
 * Goldens: tests/golden/story/NAME.txt and scene/story-NAME.txt. RINGSIM_UPDATE=1 writes them anew; look
 * at them then.
 */
#include "model/subject.h"
#include "stage/stage.h"
#include "story/telling.h"
#include "support/golden.h"
#include "support/scene_words.h"
#include "support/story_fixture.h"
#include "support/told.h"
#include "support/view_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *line;
    int at, width, height;
    int keys; /* how often `v`, one part alone, is pressed */
} stories[] = {
    {"launch", "launch", 3, 1280, 720, 0},
    {"mistake", "launch --mistake rank-twice", 5, 800, 600, 0},
    {"mapreduce", "mapreduce --gpus 3", 2, 1280, 720, 0},
    {"sampler", "sampler --gpus 3 --dataset 14 --shuffle", 1, 800, 1000, 0},
    {"ddp", "train --gpus 4 --model assets/resnet50.lay --bandwidth 5GB/s", 2, 1280, 720, 0},
    {"dp", "train --gpus 3 --model mlp --mode dp", 2, 1280, 720, 3},
    {"linreg", "train --gpus 2 --model linreg --batch 3,1 --mean ranks", 3, 1920, 1080, 0},
    {"none", "train --gpus 2 --model linreg --mode none", 2, 1280, 720, 4},
    {"zero1", "train --gpus 3 --model linreg --mode zero1 --optimizer momentum", 3, 1280, 720, 0},
    {"hsdp",
     "train --gpus 4 --model assets/resnet50.lay --mode hsdp --gpus-per-node 2 --bandwidth 5GB/s",
     8, 1280, 720, 0},
    {"bits", "bits --gpus 4 --dtype f16 --data random --compare algo=tree --element 3", 2, 1280,
     720, 0},
};
enum { N_STORIES = sizeof stories / sizeof stories[0] };

static rs_arena arena;
static rs_error error;

static void compare_scene(const rv_subject *subject, int i) {
    const rv_options options = {.at = stories[i].at,
                                .rank = i % 2,
                                .dark = i % 3 == 0,
                                .pixel_width = stories[i].width,
                                .pixel_height = stories[i].height};
    rv_stage *stage;
    char name[64];
    cr_assert_eq(rv_stage_new(subject, &options, NULL, &error, &stage), RS_OK, "%s", error.text);
    for (int k = 0; k < stories[i].keys; k++) rv_stage_key(stage, 'v', &error);
    rv_stage_draw(stage);
    snprintf(name, sizeof name, "scene/story-%s", stories[i].name);
    golden_compare(name, scene_words(&stage->scene, &stage->look));
    rv_stage_free(stage);
}

static void compare_text(const rv_subject *subject, int i) {
    const rv_options options = {.at = -1, .rank = i % 2, .width = i % 2 ? 80 : 120};
    char name[64];
    view_fixture_shown.used = 0;
    cr_assert_eq(
        rv_write_text(subject, &options, view_fixture_collect, &view_fixture_shown, &error), RS_OK,
        "%s", error.text);
    snprintf(name, sizeof name, "story/%s", stories[i].name);
    golden_compare(name, view_fixture_shown.bytes);
}

Test(story_words, are_as_they_were_in_the_terminal_and_in_the_window) {
    for (int i = 0; i < N_STORIES; i++) {
        rs_arena_init(&arena, NULL);
        rv_subject subject = told_subject(stories[i].line, &arena);
        compare_text(&subject, i);
        compare_scene(&subject, i);
        rv_subject_free(&subject);
        rs_arena_free(&arena);
    }
}

/* So many lanes that each is a row of pixels. */
Test(story_words, of_three_hundred_lanes_are_as_they_were) {
    OWN_TELLING telling;
    rv_stage *stage;
    const rv_options options = {.at = 3, .pixel_height = 500};
    rv_telling_start(&telling, story_fixture_of(300, 6, false));
    const rv_subject subject = rv_story_subject(&telling);
    cr_assert_eq(rv_stage_new(&subject, &options, NULL, &error, &stage), RS_OK);
    for (int k = 0; k < 3; k++) rv_stage_key(stage, 'v', &error); /* the timeline alone */
    rv_stage_draw(stage);
    golden_compare("scene/story-lanes", scene_words(&stage->scene, &stage->look));
    rv_stage_free(stage);
}

static void put(const char *line) {
    view_fixture_collect(&view_fixture_shown, line, strlen(line));
    view_fixture_collect(&view_fixture_shown, "\n", 1);
}

/* What each mistake leads to, moment after moment, in the sentences alone. */
Test(story_words, of_every_mistake_in_a_launch_are_as_they_were) {
    static const char *const mistakes[] = {"world-size",       "rank-twice",      "stale-file",
                                           "rank0-collective", "everybody-saves", "no-set-device",
                                           "missing-nproc"};
    view_fixture_shown.used = 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        char line[64];
        rs_arena_init(&arena, NULL);
        snprintf(line, sizeof line, "launch --mistake %s", mistakes[i]);
        rv_subject subject = told_subject(line, &arena);
        put(line);
        for (int32_t step = -1; step <= subject.n_steps; step++) {
            rv_sentence said;
            cr_assert_eq(subject.kind->seek(&subject, step, RV_DONE, &error), RS_OK);
            subject.kind->caption(&subject, (rv_position){step, RV_DONE}, 1, &said);
            put(said.text);
        }
        rv_subject_free(&subject);
        rs_arena_free(&arena);
    }
    golden_compare("words/mistakes", view_fixture_shown.bytes);
}
