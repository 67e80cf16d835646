/* story_parts.h: the parts of a story's picture; draw_story.c shares the middle out to them.
 *
 *     grids, and what travels in them     draw_grid.c, draw_moves.c
 *     lanes on a time axis                draw_lanes.c
 *     curves, bars                        draw_plot.c, plot_bars.c
 *     messages between lifelines          draw_sequence.c
 */
#pragma once

#include "stage/panel.h"
#include "stage/stage_frame.h"

/* An entry that something leaves, or to which something comes, in the picture being drawn. */
enum { RV_MOST_ENDS = 200 };
typedef struct rv_way_end {
    const rv_entry *entry;
    rv_box box;
    double size; /* of its type */
    bool tile;
    bool used;
} rv_way_end;
/* What the story's panel keeps (panel.h): the ends of all that moves in the picture being drawn. */
typedef struct rv_moves {
    rv_way_end ends[RV_MOST_ENDS];
    int n_ends;
} rv_moves;

/* draw_grid.c: a character's width and a line's height in sizes of type; a panel's least height. */
#define RV_GRID_CHARACTER 0.6
#define RV_GRID_LINE 1.75
double rv_grid_height(const rv_stage *stage, int lines, double size);
void rv_draw_grid(const rv_stage *stage, const rv_frame *frame, int which, double size,
                  rv_scene *scene, rv_box box);
/* Says how to read a sheet's figures; `type`: the size of the type. */
void rv_draw_story_key(const rv_stage *stage, rv_scene *scene, rv_box box, double type);
/* draw_moves.c: notes an entry that something leaves or comes to; draws what travels. */
void rv_note_move(const rv_stage *stage, const rv_entry *entry, rv_box box, double size, bool tile);
void rv_draw_moves(const rv_stage *stage, rv_scene *scene);
/* Tells whether an entry is still on its way to its place: then draw_grid.c must not show it
   there. */
bool rv_comes_from_afar(const rv_stage *stage, const rv_entry *entry);
/* Returns 1 once all that travels has come, else 0. */
double rv_has_come(const rv_stage *stage);
/* Draws an entry as a thing that can move. */
void rv_draw_tile(const rv_stage *stage, const rv_entry *entry, rv_scene *scene, rv_box box,
                  double size);
/* draw_lanes.c */
double rv_lanes_height(const rv_stage *stage); /* the height that all lanes want */
void rv_draw_lanes(const rv_stage *stage, rv_scene *scene, rv_box box);
/* draw_sequence.c: the height that all rows of a sequence want; draws it. */
double rv_sequence_height(const rv_stage *stage, const rv_sequence *s);
void rv_draw_sequence(const rv_stage *stage, const rv_sequence *s, rv_scene *scene, rv_box box);
/* plot_bars.c: the colour of a plot's series; the place of its point i on the level axis; draws bars. */
rv_colour rv_series_ink(const rv_stage *stage, const rv_plot *plot, int32_t series);
double rv_series_x(const rv_series *series, int32_t i);
void rv_draw_bars(const rv_stage *stage, const rv_plot *plot, rv_scene *scene, rv_box box);
/* draw_plot.c */
void rv_draw_plot(const rv_stage *stage, const rv_plot *plot, rv_scene *scene, rv_box box);
