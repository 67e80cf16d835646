/* stage_frame.h: what the window's files share that draw a story (frame.h) in place of a ring.
 *
 *     +----------------------------+-----------+
 *     | grids                      | curves    |     draw_story.c shares the middle out;
 *     |                            | bars      |     draw_grid.c, draw_lanes.c, draw_plot.c fill it
 *     +----------------------------+-----------+
 *     | lanes on a time axis                   |
 *     +----------------------------------------+
 */
#ifndef RV_STAGING_H
#define RV_STAGING_H

#include "stage/stage.h"
#include "story/board.h"
#include "story/telling.h"

/* Where something leaves from, or comes to, in the picture that is being drawn. */
enum { RV_MOST_ENDS = 200 };
typedef struct rv_way_end {
    const rv_entry *entry;
    rv_box box;
    double size; /* of its type */
    bool used;
} rv_way_end;
/* What moves in the picture that is being drawn. */
struct rv_moves {
    rv_way_end ends[RV_MOST_ENDS];
    int n_ends;
};

/* stage_story.c: of the story on the stage: itself, the moment shown, all moments. */
const rv_story *rv_stage_story(const rv_stage *stage);
const rv_frame *rv_stage_frame(const rv_stage *stage);
const rv_survey *rv_stage_survey(const rv_stage *stage);

/* A tone's colour for signs and frames; and for fills. */
rv_colour rv_tone_ink(const rv_look *look, rv_tone tone);
rv_colour rv_tone_fill(const rv_look *look, rv_tone tone);
/* Black or white, whichever can be read upon a fill. */
rv_colour rv_ink_upon(rv_colour fill);

/* draw_grid.c: a character's width and a line's height in sizes of type; a panel's least height. */
#define RV_GRID_CHARACTER 0.6
#define RV_GRID_LINE 1.75
double rv_grid_height(const rv_stage *stage, int lines, double size);
void rv_draw_grid(const rv_stage *stage, const rv_frame *frame, int which, double size,
                  rv_scene *scene, rv_box box);
/* The sign of a tone, in ink of its colour; false: it has none. */
bool rv_draw_tone(rv_scene *scene, rv_point centre, double side, rv_tone tone, rv_colour ink);
/* How to read a sheet's figures, in type of that size. */
void rv_draw_story_key(const rv_stage *stage, rv_scene *scene, rv_box box, double type);
/* draw_moves.c: notes an entry that something leaves or comes to; draws what travels. */
void rv_note_move(const rv_stage *stage, const rv_entry *entry, rv_box box, double size);
void rv_draw_moves(const rv_stage *stage, rv_scene *scene);
/* Whether an entry is on its way here yet: then it is not to be seen at its place. */
bool rv_comes_from_afar(const rv_stage *stage, const rv_entry *entry);
/* draw_lanes.c */
double rv_lanes_height(const rv_stage *stage); /* that all of them want */
void rv_draw_lanes(const rv_stage *stage, rv_scene *scene, rv_box box);
/* draw_plot.c */
void rv_draw_plot(const rv_stage *stage, const rv_plot *plot, rv_scene *scene, rv_box box);

#endif
