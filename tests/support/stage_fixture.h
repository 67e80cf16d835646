/* stage_fixture.h: a stage that is driven by keys and pointer, for the tests of the window.
 *
 *     static staged s;  staged_start(&s, "ring", 5, -1);  staged_press(&s, "xw");  staged_end(&s);
 *
 * After every call the stage has been drawn, so that the pointer feels what is there.
 */
#pragma once

#include "lesson/lesson.h"
#include "stage/stage.h"
#include "support/view_fixture.h"

typedef struct stage_fixture {
    view_fixture run;
    rv_options options;
    rs_error error;
    rv_stage *stage;
} stage_fixture;

/* Runs the defaults of view_fixture.h and opens a stage at a step. */
void stage_fixture_start(stage_fixture *s, const char *algorithm, int32_t n, int32_t at);
/* The same for a run that was prepared in s->run, with s->options. */
void stage_fixture_open(stage_fixture *s);
void stage_fixture_end(stage_fixture *s);
/* One that ends where its scope does, `OWN_FIXTURE s = {0};`; a static one does with the process of its test. */
#define OWN_FIXTURE __attribute__((cleanup(stage_fixture_end))) stage_fixture
void stage_fixture_press(stage_fixture *s, const char *keys);
void stage_fixture_key(stage_fixture *s, int32_t key);
void stage_fixture_tick(stage_fixture *s, int ms);
/* Presses and lets go where the pointer feels the target. */
void stage_fixture_click(stage_fixture *s, rv_thing thing, int32_t a, int32_t b);
/* The box of what has this target; the test fails where it is not there. */
rv_box stage_fixture_box(const stage_fixture *s, rv_thing thing, int32_t a, int32_t b);
/* Reads a lesson's page, a path from the root of the source; false: it is none. */
bool stage_fixture_lesson(stage_fixture *s, const char *path, rv_lesson *lesson);
/* Composes a stage in characters on a screen of that size; its lines. */
const char *stage_fixture_characters(stage_fixture *s, int width, int height);
int64_t stage_fixture_time_ps(const stage_fixture *s);
/* Whether the message, or a label of the picture, holds a text. */
bool stage_fixture_says(const stage_fixture *s, const char *text);
bool stage_fixture_shows(const stage_fixture *s, const char *text);
