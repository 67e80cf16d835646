/* A lesson beside a story (frame.h): where a page's command tells one, it takes the run's place and gives
 * it back, and keys, words and places are those of what is there. The lesson is the course's 10th, whose
 * commands show both; what they show here is the tests' own.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "lesson/course.h"
#include "support/stage_fixture.h"
#include "stage/stage_frame.h"
#include "support/story_fixture.h"
#include "support/rounds.h"

static stage_fixture s;
static rv_course course;
static rv_lesson lesson, chinese;
static rv_telling telling, long_telling;

static bool is_launch(const char *words) {
    return strncmp(words, "launch", 6) == 0;
}

static bool plays(void *context, const char *words) {
    (void)context;
    return is_launch(words) || strncmp(words, "--", 2) == 0;
}

/* Two stories and a run. */
static rs_status scene(void *context, const char *words, rv_subject *subject, rv_options *look,
                       rs_error *error) {
    const char *at = strstr(words, "--at ");
    if (!plays(context, words)) return rs_fail(error, RS_UNSUPPORTED, "nothing to show");
    const bool mistaken = strstr(words, "--mistake") != NULL;
    *look = (rv_options){.at = -1};
    *subject = s.run.subject;
    if (is_launch(words)) *subject = rv_story_subject(mistaken ? &long_telling : &telling);
    if (at != NULL) sscanf(at, "--at %d", &look->at);
    return RS_OK;
}

static const rv_lesson *translated(void *context) {
    (void)context;
    return strcmp(rv_language(), "en") == 0 ? &lesson : &chinese;
}

/* Opens the lesson behind its prediction; false: this build reads no lessons. */
static bool open_lesson(bool still) {
    view_fixture_prepare(&s.run, "ring", 5);
    rv_telling_start(&telling, story_fixture());
    rv_telling_start(&long_telling, story_fixture_of(20, 12, false));
    if (!stage_fixture_lesson(&s, "lessons/10-launch/en.md", &lesson)) return false;
    cr_assert(stage_fixture_lesson(&s, "lessons/10-launch/zh_CN.md", &chinese));
    course = (rv_course){.reading = rv_open_reading(&lesson),
                         .scene = scene,
                         .plays = plays,
                         .translated = translated};
    course.reading.prediction = lesson.prediction.answer;
    course.reading.at = course.reading.most = RV_STOP_ANSWER;
    s.options = (rv_options){.at = -1, .course = &course, .reduced_motion = still};
    stage_fixture_open(&s);
    return true;
}

static void close_lesson(void) {
    stage_fixture_end(&s);
    rv_telling_free(&telling);
    rv_telling_free(&long_telling);
}

static const rv_subject *shown(void) {
    return &s.stage->playback.subject;
}

/* The first page whose command begins so, as a stop. */
static int stop_of(const char *words) {
    for (int i = 0; i < lesson.n_pages; i++) {
        const char *shown = lesson.pages[i].scene;
        if (shown != NULL && strncmp(shown, words, strlen(words)) == 0) return RV_STOP_STORY + i;
    }
    cr_assert_fail("no page shows %s", words);
    return 0;
}

static void go_to(int stop) {
    course.reading.at = stop;
    if (course.reading.most < stop) course.reading.most = stop;
    cr_assert_eq(rv_lesson_enter(s.stage, &s.error), RS_OK);
    rv_stage_draw(s.stage);
}

Test(scene_taught, a_page_shows_its_story_whole_and_the_next_one_a_run_again) {
    if (!open_lesson(true)) cr_skip("built without md4c");
    go_to(stop_of("--gpus 4 --at 5"));
    cr_expect(rv_view_box(s.stage, VIEW_RING).w > 0 && s.stage->layout.story.w <= 0);
    cr_expect_null(shown()->kind->frame);
    go_to(stop_of("launch --nodes"));
    cr_expect(s.stage->layout.lesson.w > 0 && s.stage->layout.story.w > 0);
    cr_expect(rv_view_box(s.stage, VIEW_RING).w <= 0);
    cr_expect(stage_fixture_shows(&s, "A small tale, 3 GPUs"));
    cr_expect_eq(rv_position_of(&s.stage->playback).step, TALE_STEPS,
                 "no step was asked for: its end");
    stage_fixture_key(&s, RV_KEY_HOME);
    stage_fixture_key(&s, RV_KEY_RIGHT);
    cr_expect_eq(rv_position_of(&s.stage->playback).step, 0, "stepping is free");
    go_to(stop_of("--gpus 4 --kill"));
    cr_expect_null(shown()->kind->frame);
    cr_expect(rv_view_box(s.stage, VIEW_RING).w > 0 && s.stage->layout.story.w <= 0);
    cr_expect_str_eq(s.stage->what_if->model->schedule->name, "ring");
    close_lesson();
}

Test(scene_taught, a_page_of_the_same_story_goes_on_with_it) {
    if (!open_lesson(true)) cr_skip("built without md4c");
    const int first = stop_of("launch --nodes 2"), second = stop_of("launch --nodes 1");
    go_to(first);
    const rv_what_if *same = s.stage->what_if;
    stage_fixture_key(&s, RV_KEY_HOME);
    go_to(second);
    cr_expect(s.stage->what_if == same && shown()->telling == &telling, "nothing flashes");
    cr_expect_eq(rv_position_of(&s.stage->playback).step, TALE_STEPS);
    go_to(stop_of("launch --mistake rank-twice"));
    cr_expect(s.stage->what_if != same && shown()->telling == &long_telling);
    close_lesson();
}

/* The words of a page with a story at a step. */
static rs_status scene_at_2(void *context, const char *words, rv_subject *subject, rv_options *look,
                            rs_error *error) {
    const rs_status status = scene(context, words, subject, look, error);
    if (status == RS_OK && is_launch(words)) look->at = 2;
    return status;
}

Test(scene_taught, the_step_of_the_page_is_played_before_the_readers_eyes) {
    if (!open_lesson(false)) cr_skip("built without md4c");
    course.scene = scene_at_2;
    go_to(stop_of("launch --nodes"));
    cr_expect_eq(rv_position_of(&s.stage->playback).step, 2);
    cr_expect_eq(rv_stage_still_ms(s.stage), 0, "the play head is on its way");
    stage_fixture_tick(&s, RV_MOTION_MS);
    cr_expect_eq(rv_stage_still_ms(s.stage), -1);
    close_lesson();
}

Test(scene_taught, predict_waits_for_the_next_run) {
    if (!open_lesson(true)) cr_skip("built without md4c");
    go_to(stop_of("--gpus 4 --at 5"));
    stage_fixture_press(&s, "p");
    cr_expect(s.stage->playback.predict);
    go_to(stop_of("launch --nodes"));
    stage_fixture_key(&s, RV_KEY_HOME);
    stage_fixture_press(&s, " ");
    cr_expect(s.stage->playback.playing, "a story is played: there is nothing to guess");
    cr_expect_eq(s.stage->playback.mode, RV_LOOKING);
    go_to(stop_of("--gpus 4 --kill"));
    stage_fixture_key(&s, RV_KEY_HOME);
    stage_fixture_key(&s, RV_KEY_RIGHT);
    cr_expect_eq(s.stage->playback.mode, RV_ASKING, "here it asks again");
    close_lesson();
}

Test(scene_taught, a_command_that_tells_a_story_can_be_clicked) {
    if (!open_lesson(true)) cr_skip("built without md4c");
    go_to(stop_of("launch --mistake rank-twice")); /* and below it --mistake stale-file */
    go_to(stop_of("launch --nodes"));
    stage_fixture_key(&s, RV_KEY_HOME);
    cr_expect(strncmp(s.stage->playing, "launch --nodes 2", 16) == 0);
    stage_fixture_click(&s, RV_COMMAND, 0, 0);
    cr_expect_eq(rv_position_of(&s.stage->playback).step, TALE_STEPS, "a click plays it anew");
    go_to(stop_of("verify --on mpi"));
    for (int32_t i = 0; i < s.stage->scene.n_items; i++) {
        cr_expect_neq(s.stage->scene.items[i].target.thing, RV_COMMAND, "it shows nothing");
    }
    close_lesson();
}

Test(scene_taught, help_has_the_keys_of_the_lesson_and_of_the_story) {
    if (!open_lesson(true)) cr_skip("built without md4c");
    go_to(stop_of("launch --nodes"));
    stage_fixture_press(&s, "?");
    cr_expect(stage_fixture_shows(&s, "in a lesson: read on"));
    cr_expect(stage_fixture_shows(&s, "in a lesson: the text, the animation, or both"));
    cr_expect(stage_fixture_shows(&s, "one part alone, the next, all of them"));
    cr_expect_not(stage_fixture_shows(&s, "show the matrix of ranks and chunks"));
    cr_expect_not(stage_fixture_shows(&s, "Right, PgDn, Enter"), "PgDn turns pages here");
    stage_fixture_press(&s, "?");
    stage_fixture_press(&s, "o");
    cr_expect(s.stage->layout.lesson.w <= 0 && s.stage->layout.story.w > 0);
    stage_fixture_press(&s, "o");
    cr_expect(s.stage->layout.lesson.w > 0 && s.stage->layout.story.w <= 0);
    stage_fixture_press(&s, "o");
    stage_fixture_press(&s, "w");
    cr_expect(stage_fixture_says(&s, "works where a collective runs"),
              "nothing can be broken in a story");
    close_lesson();
}

Test(scene_taught, the_title_names_lesson_and_story) {
    if (!open_lesson(true)) cr_skip("built without md4c");
    char title[256];
    go_to(stop_of("launch --nodes"));
    rv_stage_title(s.stage, title, sizeof title);
    cr_expect(strncmp(title, "lesson 10, page ", 16) == 0, "%s", title);
    cr_expect(strstr(title, " - A small tale, 3 GPUs - end, GPU 0") != NULL, "%s", title);
    close_lesson();
}

/* ------------------------------------------------------------------ every size, any key */

static const double sizes[][2] = {{320, 240},  {400, 800},  {640, 480},   {800, 600},
                                  {1280, 720}, {720, 1280}, {1920, 1080}, {2560, 1440}};

/* Words of the text stay in its panel, those of the story outside. */
static void expect_apart(const rv_stage *stage, const char *what) {
    const rv_box panel = stage->layout.lesson;
    const double slack = 0.51;
    for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
        const rv_box b = item->box;
        if (item->shape != RV_LABEL || b.w <= 0) continue;
        const bool in_x = b.x >= panel.x - slack && b.x + b.w <= panel.x + panel.w + slack;
        const bool in_y = b.y >= panel.y - slack && b.y + b.h <= panel.y + panel.h + slack;
        const bool apart = b.x + b.w <= panel.x + slack || b.x >= panel.x + panel.w - slack ||
                           b.y + b.h <= panel.y + slack || b.y >= panel.y + panel.h - slack;
        cr_expect(panel.w <= 0 || (in_x && in_y) || apart, "%s: \"%s\"", what,
                  rv_label_text(&stage->scene, item));
        cr_expect(b.x >= -slack && b.y >= -slack && b.x + b.w <= stage->width + slack &&
                      b.y + b.h <= stage->height + slack,
                  "%s: \"%s\" leaves the window", what, rv_label_text(&stage->scene, item));
    }
}

static void look_at_all_sizes(const char *words) {
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char what[96];
        rv_stage_resize(s.stage, sizes[i][0], sizes[i][1]);
        go_to(stop_of(words));
        for (int half = 0; half < 3; half++) {
            snprintf(what, sizeof what, "%s at %g x %g, half %d", words, sizes[i][0], sizes[i][1],
                     half);
            expect_apart(s.stage, what);
            stage_fixture_press(&s, "o");
        }
    }
}

Test(scene_taught, text_and_story_keep_apart_at_every_size_in_both_languages) {
    if (!open_lesson(true)) cr_skip("built without md4c");
    look_at_all_sizes("launch --nodes");
    look_at_all_sizes("launch --mistake rank-twice");
    if (view_fixture_chinese()) {
        rv_lesson_translate(s.stage);
        look_at_all_sizes("launch --nodes");
        cr_expect_eq(course.reading.lesson, &chinese);
    }
    close_lesson();
}

static uint32_t draw_number(uint32_t *state, uint32_t below) {
    *state = *state * 1664525U + 1013904223U;
    return (*state >> 8) % below;
}

Test(scene_taught, any_keys_and_clicks_leave_a_picture) {
    if (!open_lesson(false)) cr_skip("built without md4c");
    uint32_t state = 10;
    int n_rows = 0, n_told = 0;
    while (rv_key_row_at(n_rows).action != RV_NO_ACTION) n_rows++;
    const int n = ROUNDS(4000, 600);
    for (int i = 0; i < n; i++) {
        const uint32_t what = draw_number(&state, 10);
        if (what < 4) {
            const rv_key_row row = rv_key_row_at((int)draw_number(&state, (uint32_t)n_rows));
            if (row.action != RV_QUIT) stage_fixture_key(&s, row.keys[0]);
        } else if (what < 6) {
            stage_fixture_key(&s, draw_number(&state, 3) == 0 ? 'b' : RV_KEY_PAGE_DOWN);
        } else if (what < 8) {
            const double x = draw_number(&state, (uint32_t)s.stage->width);
            const double y = draw_number(&state, (uint32_t)s.stage->height);
            cr_assert_eq(rv_stage_pointer(s.stage, RV_POINT_PRESS, x, y, &s.error), RS_OK);
            cr_assert_eq(rv_stage_pointer(s.stage, RV_POINT_RELEASE, x, y, &s.error), RS_OK);
        } else if (what < 9) {
            const double *size = sizes[draw_number(&state, 8)];
            if (draw_number(&state, 4) == 0) rv_stage_resize(s.stage, size[0], size[1]);
            if (draw_number(&state, 4) == 0) {
                go_to(RV_STOP_ANSWER + (int)draw_number(&state, (uint32_t)lesson.n_pages));
            }
        } else {
            stage_fixture_tick(&s, 100);
        }
        rv_stage_draw(s.stage);
        n_told += shown()->kind->frame != NULL;
        cr_assert_eq(shown()->kind->frame != NULL, s.stage->what_if->model == NULL);
    }
    cr_expect(n_told > n / 10 && n_told < n - n / 10, "%d of %d with a story", n_told, n);
    close_lesson();
}
