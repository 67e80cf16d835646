/* differences.h: what an action changes of what is seen, as text.
 *
 *     press w: ring all-reduce, 5 GPUs - step 2 of 0..7, done, GPU 0
 *       - "1.00 ms"
 *       + "10.01 ms"  "link 0 to 1: 10 times slower"
 *       and 9 other items
 *
 *   - A picture changes by its items: each that goes and each that comes, with its style and its place, as long as they are
 *     few; else the words that go and come, and how many items beside them.
 *   - A screen of characters changes by its rows.
 */
#pragma once

#include "scene/look.h"
#include "terminal/screen.h"

/* Begins an empty text. */
void differences_begin(void);
/* Adds a line. */
__attribute__((format(printf, 1, 2))) void differences_say(const char *format, ...);
/* Keeps what is seen; then adds how another picture, or screen, differs from it, and keeps that. */
void differences_keep(const rv_scene *scene, const rv_look *look);
void differences_add(const rv_scene *scene, const rv_look *look);
void differences_keep_rows(const rv_screen *screen);
int differences_add_rows(const rv_screen *screen); /* returns how many rows are others */
/* Returns the text. */
const char *differences_text(void);
