/* test_lesson_words.c: what a lesson's stops say in the window: one after the other, the text alone; a page
 * beside what its command shows. The lesson is the tests' own (tests/data/lesson.md): every form that a text
 * can have is in it.
 *
 * Goldens: tests/golden/lesson/NAME.txt. RINGSIM_UPDATE=1 writes them anew; look at them then.
 */
#include "lesson/course.h"
#include "support/golden.h"
#include "support/scene_words.h"
#include "support/session.h"
#include "support/stage_fixture.h"
#include "support/told.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static stage_fixture s;
static rv_course course;
static rv_lesson lesson;

static bool plays(void *context, const char *words) {
    (void)context;
    return strncmp(words, "--", 2) == 0;
}

/* Runs alone: stories have words of their own (test_story_words.c). */
static rs_status scene(void *context, const char *words, rv_subject *subject, rv_options *look,
                       rs_error *error) {
    char line[256];
    const char *at = strstr(words, "--at ");
    if (!plays(context, words)) return rs_fail(error, RS_UNSUPPORTED, "no run");
    snprintf(line, sizeof line, "run %.200s", words);
    *subject = told_subject(line, &s.run.arena);
    *look = (rv_options){.at = -1};
    if (at != NULL) sscanf(at, "--at %d", &look->at);
    return RS_OK;
}

static const rv_lesson *translated(void *context) {
    (void)context;
    return &lesson;
}

/* Opens a lesson behind its prediction; false: this build reads none. */
static bool open_lesson(const char *path, rv_options options) {
    view_fixture_prepare(&s.run, "ring", 5);
    if (!stage_fixture_lesson(&s, path, &lesson)) return false;
    course = (rv_course){.reading = rv_open_reading(&lesson),
                         .scene = scene,
                         .plays = plays,
                         .translated = translated};
    s.options = options;
    s.options.at = -1;
    s.options.course = &course;
    s.options.reduced_motion = true;
    stage_fixture_open(&s);
    return true;
}

static void compare(const char *what) {
    char name[96];
    rv_stage_draw(s.stage);
    snprintf(name, sizeof name, "lesson/%s", what);
    golden_compare(name, scene_words(&s.stage->scene, &s.stage->look));
}

static void enter(int stop, rv_half half) {
    course.reading.at = stop;
    if (course.reading.most < stop) course.reading.most = stop;
    if (stop > RV_STOP_PREDICTION) course.reading.prediction = lesson.prediction.answer;
    s.stage->half = half;
    cr_assert_eq(rv_lesson_enter(s.stage, &s.error), RS_OK);
    rv_stage_resize(s.stage, s.stage->width, s.stage->height);
}

Test(lesson_words, of_each_stop_are_as_they_were) {
    if (!open_lesson("tests/data/lesson.md", (rv_options){.dark = true})) {
        cr_skip("built without md4c");
    }
    const int n_stops = rv_stop_count(&lesson);
    for (int stop = 0; stop < n_stops; stop++) {
        char what[32];
        enter(stop, RV_TEXT_ALONE);
        snprintf(what, sizeof what, "stop-%d", stop);
        compare(what);
        if (rv_stop_question(&lesson, stop) < 0) continue;
        stage_fixture_press(&s, stop % 2 == 0 ? "a" : "b");
        snprintf(what, sizeof what, "stop-%d-answered", stop);
        compare(what);
    }
}

Test(lesson_words, beside_a_run_and_in_a_small_window_are_as_they_were) {
    if (!open_lesson("tests/data/lesson.md", (rv_options){.pixel_width = 1400})) {
        cr_skip("built without md4c");
    }
    enter(RV_STOP_STORY, RV_BOTH_HALVES);
    compare("both");
    rv_stage_resize(s.stage, 560, 420);
    enter(RV_STOP_STORY + 1, RV_BOTH_HALVES);
    compare("small");
    stage_fixture_press(&s, " ");
    rv_stage_resize(s.stage, 700, 1200);
    enter(RV_STOP_PREDICTION, RV_BOTH_HALVES);
    compare("upright");
}

/* A text of many screens, read to its end in a small window, is not lost when the window grows. */
Test(lesson_words, of_a_later_screen_stay_in_a_larger_window) {
    if (!open_lesson("tests/data/lesson.md", (rv_options){.pixel_width = 1280})) {
        cr_skip("built without md4c");
    }
    int most = 1;
    for (int stop = 0; stop < rv_stop_count(&lesson); stop++) {
        rv_stage_resize(s.stage, 480, 300);
        enter(stop, RV_TEXT_ALONE);
        rv_stage_draw(s.stage);
        for (int i = 0; i < 30 && s.stage->screen + 1 < s.stage->n_screens; i++) {
            stage_fixture_key(&s, RV_KEY_PAGE_DOWN);
        }
        if (s.stage->n_screens > most) most = s.stage->n_screens;
        rv_stage_resize(s.stage, 1920, 1300);
        rv_stage_draw(s.stage);
        cr_expect(s.stage->screen >= 0 && s.stage->screen < s.stage->n_screens,
                  "stop %d: screen %d of %d", stop, s.stage->screen, s.stage->n_screens);
    }
    cr_expect_gt(most, 1);
}

/* Keys, clicks and other sizes, drawn from a seed (session.h): each is served, and the same end in the same picture. */
Test(lesson_words, of_drawn_sessions_are_those_of_the_same_session) {
    for (uint64_t seed = 1; seed <= 4; seed++) {
        char name[32], *first = NULL;
        snprintf(name, sizeof name, "lesson-%d", (int)seed);
        for (int times = 0; times < (session_said() ? 1 : 2); times++) {
            if (!open_lesson("tests/data/lesson.md", (rv_options){.pixel_width = 1280})) {
                cr_skip("built without md4c");
            }
            session_begin(seed);
            enter((int)(2 * seed), RV_BOTH_HALVES);
            const char *words = session_walk(s.stage, 30, name);
            if (times == 0) first = strdup(words);
            cr_expect_str_eq(words, first, "%s", name);
            stage_fixture_end(&s);
        }
        free(first);
    }
}
