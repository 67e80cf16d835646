/* compose_frame.h: lays a story's moment out in characters. Pure.
 *
 *     title
 *     phase                                   step 3 of 0..7
 *     caption
 *     who tells whom                              compose_sequence.c
 *     grids, beside each other where they fit     compose_grid.c
 *     lanes on a time axis                        compose_lanes.c
 *     curves and bars                             compose_plot.c
 *     what the marks mean, message, keys          compose_story.c
 */
#pragma once

#include "story/board.h"
#include "story/telling.h"
#include "terminal/compose.h"

rv_style rv_tone_style(rv_tone tone);
void rv_compose_board(const rv_board *board, int32_t rank, rv_screen *screen, int x, int y);

/* The lanes: a line for each, the axis below, the legend below that. */
int rv_lanes_lines(const rv_story *story, int width); /* how many lines all of that needs */
void rv_compose_lanes(const rv_story *story, int32_t step, int64_t now_ps, rv_screen *screen, int y,
                      int n_lines);

/* The sequence: two lines of heads, a line for each message; of those the last ones that are
   told. */
/* how many lines all of that needs; 0: there is none */
int rv_sequence_lines(const rv_sequence *s);
void rv_compose_sequence(const rv_playback *playback, const rv_sequence *s, rv_screen *screen,
                         int y, int n_lines);

int rv_plot_lines(const rv_plot *plot);
enum { RV_MOST_CURVE_LINES = 24 }; /* curves take so many where lines are left over */
/* Draws into width x n_lines characters at (x, y). */
void rv_compose_plot(const rv_plot *plot, rv_screen *screen, int x, int y, int width, int n_lines);

/* Says what the marks of the tones in `there` mean. */
void rv_compose_marks(const rv_story *story, const bool there[RV_N_TONES], rv_screen *screen,
                      int y);
