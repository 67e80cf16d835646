/* The lessons' words as the fonts really set them: on every screen of every stop all that is written
 * fits its box, without an ellipsis.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "canvas/canvas.h"
#include "lesson/course.h"
#include "stage/stage.h"
#include "support/view_fixture.h"

static const double all_sizes[][2] = {{320, 240},  {640, 480},   {800, 600},  {1280, 720},
                                      {720, 1280}, {1920, 1080}, {2560, 1440}};

/* Reads lessons/NAME/LANGUAGE.md; false: this build reads no lessons. */
static bool read_lesson(const char *name, const char *language, rs_arena *arena,
                        rv_lesson *lesson) {
    static char text[1 << 17];
    char path[512];
    rs_error error;
    snprintf(path, sizeof path, "lessons/%.200s/%s.md", name, language);
    FILE *file = fopen(path, "r");
    cr_assert(file != NULL, "%s: run from the root of the source", path);
    const size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    const rs_status status = rv_read_lesson(text, n, arena, &error, lesson);
    cr_assert(status == RS_OK || status == RS_UNSUPPORTED, "%s: %s", path, error.text);
    return status == RS_OK;
}

static void expect_whole(const rv_stage *stage, rv_labels *labels, const char *name) {
    const rv_box panel = stage->layout.lesson;
    for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
        const char *text = rv_label_text(&stage->scene, item);
        if (item->shape != RV_LABEL || text[0] == '\0') continue;
        if (!rv_inside(panel, item->box.x + 0.1, item->box.y + 0.1)) continue;
        cr_expect(rv_label_is_whole(labels, item, text), "%s, %g x %g, stop %d: \"%s\"", name,
                  stage->width, stage->height, stage->course->reading.at, text);
    }
}

/* Goes through a lesson, answering wrongly: that says most. */
static void playback(rv_stage *stage, rv_labels *labels, const char *name) {
    rs_error error;
    rv_reading *reading = &stage->course->reading;
    for (int presses = 0; presses < 300; presses++) {
        rv_stage_draw(stage);
        expect_whole(stage, labels, name);
        const rv_quiz *quiz = rv_stop_quiz(reading->lesson, reading->at);
        if (quiz != NULL && rv_is_open(reading, reading->at) && reading->chosen < 0) {
            cr_assert_eq(rv_stage_key(stage, quiz->answer == 0 ? 'b' : 'a', &error), RS_OK);
            continue;
        }
        const bool last = reading->at == rv_stop_count(reading->lesson) - 1;
        if (last && stage->screen + 1 >= stage->n_screens) return;
        cr_assert_eq(rv_stage_key(stage, RV_KEY_PAGE_DOWN, &error), RS_OK);
    }
    cr_assert_fail("%s never ends", name);
}

static void try_lesson(const char *name, const char *language, const double sizes[][2],
                       int n_sizes) {
    OWN_VIEW v = {0};
    rv_lesson lesson;
    view_fixture_start(&v, "ring", 5);
    if (!read_lesson(name, language, &v.arena, &lesson)) cr_skip("built without md4c");
    rv_course course = {.reading = rv_open_reading(&lesson)};
    const rv_options options = {.at = -1, .course = &course, .reduced_motion = true};
    rv_labels *labels = rv_labels_new();
    rv_canvas *canvas = rv_canvas_new();
    const rv_ruler ruler = rv_canvas_ruler(canvas);
    for (int i = 0; i < n_sizes; i++) {
        rv_stage *stage;
        course.reading = rv_open_reading(&lesson);
        cr_assert_eq(rv_stage_new(&v.subject, &options, NULL, &v.error, &stage), RS_OK);
        stage->ruler = &ruler;
        rv_stage_resize(stage, sizes[i][0], sizes[i][1]);
        playback(stage, labels, name);
        rv_stage_free(stage);
    }
    rv_canvas_free(canvas);
    rv_labels_free(labels);
}

/* Sanitizers make it ten times as slow: then the narrower one alone, and a third of the lessons. */
#ifdef SANITIZED
enum { N_USUAL = 1, EVERY = 3 };
#else
enum { N_USUAL = 2, EVERY = 1 };
#endif

static void try_course(const char *language) {
    static const double usual[][2] = {{640, 480}, {1280, 720}};
    int n = 0;
    DIR *folder = opendir("lessons");
    cr_assert(folder != NULL, "run from the root of the source");
    for (struct dirent *e = readdir(folder); e != NULL; e = readdir(folder)) {
        char path[512];
        snprintf(path, sizeof path, "lessons/%.200s/en.md", e->d_name);
        FILE *file = fopen(path, "r");
        if (file == NULL) continue;
        fclose(file);
        n++;
        if (atoi(e->d_name) % EVERY == 0) try_lesson(e->d_name, language, usual, N_USUAL);
    }
    closedir(folder);
    cr_expect_gt(n, 5);
}

Test(gui_lesson, every_lesson_is_written_out_in_english, .timeout = 900) {
    try_course("en");
}

Test(gui_lesson, every_lesson_is_written_out_in_chinese, .timeout = 900) {
    if (!view_fixture_chinese()) cr_skip("no catalogue was built");
    try_course("zh_CN");
}

Test(gui_lesson, a_lesson_is_written_out_at_every_size, .timeout = 900) {
    try_lesson("05-scatter-reduce", "en", all_sizes, 7);
    if (view_fixture_chinese()) try_lesson("13-stragglers", "zh_CN", all_sizes, 7);
}
