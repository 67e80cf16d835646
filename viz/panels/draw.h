/* draw.h: what the files that draw the panels share: signs, buttons, panels' grounds, targets and
 * lights.
 *
 *     pieces     draw_pieces.c, draw_words.c
 *     panels     the rest: each file ends with its row of the table (stage/panel.h)
 */
#pragma once

#include "stage/panel.h"
#include "stage/stage.h"

/* ------------------------------------------------------------------------------------------ signs */

/* Signs, drawn as shapes: the same in every font. */
typedef enum rv_sign {
    RV_SIGN_PLAY,
    RV_SIGN_PAUSE,
    RV_SIGN_NEXT,
    RV_SIGN_BACK,
    RV_SIGN_MICRO_NEXT,
    RV_SIGN_MICRO_BACK,
    RV_SIGN_HOME,
    RV_SIGN_END,
    RV_SIGN_PLUS,
    RV_SIGN_MINUS,
    RV_SIGN_CHECK,
    RV_SIGN_CROSS,
    RV_SIGN_WARNING,
    RV_SIGN_THEME,
    RV_SIGN_HOUSE
} rv_sign;
/* A character's width by its size, in the monospaced fonts that the canvas asks for. */
#define RV_MONO 0.615
/* Writes what a rank is called ("GPU 2"; not `named`: "2") before its row or lane. */
void rv_draw_rank_head(const rv_stage *stage, const rv_model *model, rv_scene *scene, rv_box box,
                       double size, int32_t rank, bool named);
/* Draws how much is inside each cell of a part, a pixel a block of cells: `least` has the first colour. *columns, *rows: as
   for rv_counts_image. */
rv_item *rv_draw_counts(const rv_stage *stage, const rv_shown_run *run, rv_cells part,
                        int32_t least, rv_scene *scene, rv_box box, int32_t *columns,
                        int32_t *rows);
/* Draws a cross in a red disc: a wrong value. */
void rv_draw_wrong(const rv_look *look, rv_scene *scene, rv_point centre, double radius);
/* Draws a sign into the middle of a box, as large as fits. */
void rv_draw_sign(rv_scene *scene, rv_box box, rv_sign sign, rv_colour ink);
/* Draws a button with a sign. */
void rv_draw_sign_button(const rv_stage *stage, rv_scene *scene, rv_box box, rv_sign sign, bool lit,
                         rv_action action);
/* Draws a view's button; `named`: with the view's name. */
void rv_draw_view_button(const rv_stage *stage, rv_scene *scene, rv_box box, int view, bool named);

/* ----------------------------------------------------------------------------------------- pieces */

/* Draws a panel's ground and its title (NULL: none); returns what lies inside. */
rv_box rv_draw_panel(const rv_stage *stage, rv_scene *scene, rv_box box, const char *title);
void rv_draw_button(const rv_stage *stage, rv_scene *scene, rv_box box, const char *text, bool lit,
                    rv_action action);
/* The same with another target than an action. */
void rv_draw_choice_button(const rv_stage *stage, rv_scene *scene, rv_box box, const char *text,
                           bool lit, rv_target target);
/* Returns n, a power of two, so that heads that need so much room do not touch if only every n-th is written. */
int32_t rv_every(double room, double needed);
/* Tells whether a GPU dies in the run. */
bool rv_is_killed(const rs_outcome *outcome, int32_t rank);
/* Returns the GPU under the pointer in another view than the one in the box `own`; -1: none. */
int32_t rv_pointed_gpu(const rv_stage *stage, rv_box own);
/* Tells whether a rank's chunk belongs to what is under the pointer, in any view: then all views
   light it. */
bool rv_is_lit(const rv_stage *stage, int32_t rank, int32_t chunk);
/* Return the target of a transfer, or of a link, of a run. The reader cannot break the kept run of
   a fork: its links have no target. */
rv_target rv_transfer_target(const rv_shown_run *run, int32_t step, int32_t src, int32_t chunk);
rv_target rv_link_target(const rv_stage *stage, const rv_shown_run *run, int32_t src, int32_t dst);
/* Tells whether a hint is for the row of buttons below, not for a bubble. */
bool rv_hints_in_row(const rv_stage *stage);

/* --------------------------------------------------------------------------- parts that stand alone */

void rv_draw_title(rv_stage *stage, rv_scene *scene, rv_box box);
/* Draws the head's buttons at its right end: views, theme, language. Cuts their place off *box. */
/* Draws in a page the way to its start, and cuts it off the row's left. */
void rv_draw_home(const rv_stage *stage, rv_scene *scene, rv_box *row);
void rv_draw_tabs(rv_stage *stage, rv_scene *scene, rv_box *box);
void rv_draw_caption(rv_stage *stage, rv_scene *scene, rv_box box); /* or the question */
void rv_draw_controls(rv_stage *stage, rv_scene *scene, rv_box box);
/* Draws n runs, each in its box; the area of what travels is its bytes, by one measure for all. */
void rv_draw_rings(const rv_stage *stage, const rv_shown_run runs[], const rv_box boxes[], int n,
                   rv_scene *scene);
/* The ring where there are more GPUs, or more chunks in all, than cards can show: dots and a heat map. */
bool rv_is_crowd(const rv_model *model);
void rv_draw_crowd(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene, rv_box box);
void rv_draw_diagram(const rv_stage *stage, const rv_shown_run runs[], int n_runs, rv_scene *scene,
                     rv_box box); /* one or two runs on one time axis */
/* The call and the lines of a rule alone. */
struct rv_rule;
void rv_draw_rule_lines(const rv_stage *stage, const struct rv_rule *rule, rv_scene *scene,
                        rv_box box);
void rv_draw_timeline(const rv_stage *stage, rv_scene *scene, rv_box box);
/* Draws the timeline of two runs: in time, not in steps. */
void rv_draw_race_line(const rv_stage *stage, rv_scene *scene, rv_box box);
/* Draws what stands above a ring where there are two, and cuts it off the ring's box. */
void rv_draw_race(const rv_stage *stage, const rv_shown_run runs[2], int which, rv_scene *scene,
                  rv_box *ring);
/* The legend of the ring's cards, its signs below or beside: how large it is, for type of size 1. */
typedef struct rv_legend_size {
    double columns, rows;
} rv_legend_size;
rv_legend_size rv_size_legend(bool wide);
/* Tells whether the model's GPUs are drawn as cards, with chunks; not if it is NULL. */
bool rv_has_legend(const rv_model *model);
/* Draws it into a box of these proportions. */
void rv_draw_legend(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene, rv_box box,
                    bool wide);
/* Says how to read a sheet's figures; `type`: the size of the type. */
void rv_draw_key(const rv_stage *stage, rv_scene *scene, rv_box box, double type);
