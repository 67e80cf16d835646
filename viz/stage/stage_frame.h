/* stage_frame.h: what the files share that draw a story (story/frame.h) in place of a ring.
 *
 *     +----------------------------+-----------+
 *     | grids                      | curves    |     draw_story.c shares the middle out;
 *     |                            | bars      |     draw_grid.c, draw_lanes.c, draw_plot.c fill it
 *     +----------------------------+-----------+
 *     | lanes on a time axis                   |
 *     +----------------------------------------+
 */
#pragma once

#include "stage/stage.h"
#include "story/board.h"
#include "story/telling.h"

/* stage_story.c: return the story on the stage; the frame of its moment; the survey of all
   moments. */
const rv_story *rv_stage_story(const rv_stage *stage);
const rv_frame *rv_stage_frame(const rv_stage *stage);
const rv_survey *rv_stage_survey(const rv_stage *stage);

/* Return a tone's colour for signs and frames; its colour for fills. */
rv_colour rv_tone_ink(const rv_look *look, rv_tone tone);
rv_colour rv_tone_fill(const rv_look *look, rv_tone tone);
/* Returns black or white, whichever can be read on a fill. */
rv_colour rv_ink_upon(rv_colour fill);
