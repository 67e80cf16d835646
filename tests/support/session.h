/* session.h: a session that nobody would think of: keys, clicks, drags, waits and other sizes, drawn from a seed.
 *
 *     session_begin(seed);  session_walk(stage, 30, "window-7");
 *
 * RINGSIM_WORDS=DIR writes what is seen after each action to DIR/NAME.txt: tools/baseline compares two trees by it.
 */
#pragma once

#include "stage/stage.h"

/* Sets the seed of what is drawn next. */
void session_begin(uint64_t seed);
/* Returns one of 0 .. n - 1. */
int32_t session_below(int32_t n);
/* Returns a key of the table, or a digit, or the letter of a choice; none that ends the program. */
int32_t session_key(void);
/* Does so many actions upon the stage; returns what is seen in the end: the words, places, order and meaning of the
   colours of the whole picture (scene_words.h). */
const char *session_walk(rv_stage *stage, int n, const char *name);
/* Writes what is seen after an action, where it is asked for. */
void session_say(const char *name, const char *what, const char *words);
bool session_said(void); /* it is asked for */
