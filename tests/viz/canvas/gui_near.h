/* gui_near.h: whether two pictures are near enough: other fonts and other versions of cairo may differ
 * in the edges of letters, not in what is shown.
 */
#pragma once

#include <cairo.h>

/* Reads a PNG; fails the test if it is none. cairo_surface_destroy it. */
cairo_surface_t *near_read(const char *path);
/* The share, 0..1, of the squares of 16 x 16 pixels that clearly differ; 1 where the sizes do. */
double near_distance(cairo_surface_t *a, cairo_surface_t *b);
