/* scene_words.h: a picture in words: what stands where, and in a colour of which meaning.
 *
 *     label 0.85 quiet left 12.0x1.3                     a style: all items that share it
 *       38.1,1.2 "Costs"                                 each at its place, and what it stands for
 *     rect 2.1x0.8 A falling line 0.1 outline
 *       3.2,4.5 gpu 0  5.6,4.5 gpu 0
 *
 *   - Lengths are in units of type (rv_look.unit), to a tenth: a picture of twice the size has the same
 *     words. Colours are told by their meaning: `accent`, `A` (data of GPU 0), `accent*0.35` (see through).
 *   - Styles come in the order in which they are first painted.
 */
#pragma once

#include "scene/look.h"

/* Writes what a scene says; the text is the function's own until the next call. */
const char *scene_words(const rv_scene *scene, const rv_look *look);
/* The same of one item, on a line: its style and its place. */
void scene_item_words(const rv_scene *scene, const rv_look *look, const rv_item *item, char *out,
                      size_t n_out);
/* What a target stands for, behind a blank: " gpu 0 0 0". */
void scene_target_words(rv_target at, char *out, size_t n_out);
/* Names a colour by its meaning in this look; "#rrggbb" where it has none. */
void scene_colour(const rv_look *look, rv_colour colour, char *out, size_t n_out);
