/* staged.h: a stage that is driven by keys and pointer, for the tests of the window.
 *
 *     static staged s;  staged_start(&s, "ring", 5, -1);  staged_press(&s, "xw");  staged_end(&s);
 *
 * After every call the stage has been drawn, so that the pointer feels what is there.
 */
#ifndef TESTS_STAGED_H
#define TESTS_STAGED_H

#include "stage/stage.h"
#include "support/viewed.h"

typedef struct staged {
    viewed run;
    rv_options options;
    rs_error error;
    rv_stage *stage;
} staged;

/* Runs the defaults of viewed.h and opens a stage at a step. */
void staged_start(staged *s, const char *algorithm, int32_t n, int32_t at);
/* The same for a run that was prepared in s->run, with s->options. */
void staged_open(staged *s);
void staged_end(staged *s);
void staged_press(staged *s, const char *keys);
void staged_key(staged *s, int32_t key);
void staged_tick(staged *s, int ms);
/* Presses and lets go where the pointer feels the target. */
void staged_click(staged *s, rv_thing thing, int32_t a, int32_t b);
/* The box of what has this target; the test fails where it is not there. */
rv_box staged_box(const staged *s, rv_thing thing, int32_t a, int32_t b);
int64_t staged_time_ps(const staged *s);
/* Whether the message, or a label of the picture, holds a text. */
bool staged_says(const staged *s, const char *text);
bool staged_shows(const staged *s, const char *text);

#endif
