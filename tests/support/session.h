/* session.h: a session that nobody would think of: keys, clicks, drags, waits and other sizes, drawn from a seed.
 * What is seen after each action is one number; all of them are a golden text, a line an action.
 *
 *     session_begin(seed);  session_walk(stage, 30, "window");  ...  golden_compare("sums/window", session_sums());
 *
 * RINGSIM_WORDS=DIR writes what each picture says to DIR/NAME-LINE.txt: look at the difference between two trees.
 */
#ifndef TESTS_SESSION_H
#define TESTS_SESSION_H

#include "stage/stage.h"

/* Sets the seed of what is drawn next. */
void session_begin(uint64_t seed);
/* Returns one of 0 .. n - 1. */
int32_t session_below(int32_t n);
/* Returns a key of the table, or a digit, or the letter of a choice; none that ends the program. */
int32_t session_key(void);
/* Adds a line: what was done, the number of what is seen then, and the title. */
void session_say(const char *name, const char *what, const char *words, const char *title);
/* Does so many actions upon the stage, and after each says the whole picture: its words, places, order and
   the meaning of its colours (scene_words.h), beside the title of the window. */
void session_walk(rv_stage *stage, int n, const char *name);
/* Returns all lines so far. */
const char *session_sums(void);

#endif
