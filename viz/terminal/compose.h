/* compose.h: how a playback is laid out on a screen of any size. Pure.
 *
 *     title                                   compose.c
 *     phases              step 3 of 0..7
 *     caption
 *     the panels that are there (panel.h):
 *       table ranks x chunks | sends          compose_plan.c, compose_table.c
 *       the followed GPU in full              compose_row.c
 *       costs                                 compose_cost.c
 *     what the signs mean                     compose_legend.c
 *     message or question
 *     keys                                    help: compose_help.c
 */
#ifndef RV_COMPOSE_H
#define RV_COMPOSE_H

#include "terminal/screen.h"
#include "model/playback.h"

/* The signs drawn with, in UTF-8 or in ASCII alone. */
typedef struct rv_glyphs {
    const char *outside;   /* a rank that is not inside a cell */
    const char *own;       /* a cell with its own data only */
    const char *partly[7]; /* eighths */
    const char *complete;
    const char *arrow, *bar, *no_bar, *done, *to_do, *chosen, *dot;
} rv_glyphs;
const rv_glyphs *rv_glyphs_of(const rv_playback *playback);

/* How the table's cells are shown, the richest that fits. */
typedef enum rv_detail {
    RV_TWO_LINES, /* value, and below it who is inside */
    RV_ONE_LINE,  /* value and who is inside */
    RV_VALUES,    /* value */
    RV_RANGES,    /* who is inside, as a range: 3..7 */
    RV_COUNTS,    /* how many are inside */
    RV_SIGNS,     /* one character a cell, or for several chunks */
    RV_NO_CELLS   /* too many: only what moves */
} rv_detail;

typedef struct rv_plan {
    rv_detail detail;
    int label_width, cell_width, sends_width; /* sends_width 0: not shown */
    int n_marks;                              /* columns for marks after a cell's text */
    int n_columns, chunks_per_column;         /* RV_SIGNS may gather chunks */
    int lines_per_rank, n_rows;               /* how many ranks are visible */
} rv_plan;

/* A moment on its way to a screen: what the panels of the terminal are given. */
typedef struct rv_composition {
    const rv_playback *playback;
    int width, height; /* of the screen; height 0: as many lines as there are panels */
    rv_screen *screen; /* NULL while lines are shared out */
    rv_plan plan;      /* of the table, once it has got its lines */
    int n_row_lines;   /* of them the followed GPU's below the table */
    bool side;         /* it stands beside the table */
} rv_composition;
/* Tells whether view `index` is there. */
bool rv_is_on_page(const rv_composition *page, int index);

/* Chooses how to show the table in a width and in at most n_lines lines, its header included. */
rv_plan rv_plan_table(const rv_model *model, int width, int n_lines);
/* The same with one character a cell, although more might fit in the width. */
rv_plan rv_plan_signs(const rv_model *model, int width, int n_lines);
int rv_plan_lines(const rv_plan *plan);
/* compose_row.c: the table's panel: plans it and the followed GPU's chunks in at most so many lines. */
int rv_cells_lines(rv_composition *page, int most);
void rv_compose_cells(const rv_composition *page, int y, int n_lines);
void rv_compose_table(const rv_playback *playback, const rv_plan *plan, rv_screen *screen, int y);
/* Tells whether data are hidden because the reader is being asked. */
bool rv_is_hidden(const rv_playback *playback);

/* Says what the table's signs mean, in one line. */
void rv_compose_legend(const rv_playback *playback, const rv_plan *plan, rv_screen *screen, int y);

/* Costs: the first n_lines of at most rv_cost_lines. */
int rv_cost_lines(rv_composition *page, int most);
void rv_compose_cost(const rv_composition *page, int y, int n_lines);

/* All keys; plan NULL: without what the table's signs mean. */
void rv_compose_help(const rv_playback *playback, const rv_plan *plan, rv_screen *screen);

void rv_step_text(const rv_playback *playback, char *out, size_t n_out); /* "step 3 of 0..7" */
/* The choices while asking, what is typed, or the last message; with no line of its own over the keys. */
void rv_compose_message(const rv_playback *playback, rv_screen *screen, int y, int n_lines);
void rv_compose_hint(const rv_playback *playback, rv_screen *screen, int y, bool cramped);

/* Draws everything, of a story (compose_frame.h) and of whatever the playback walks. */
void rv_compose_story(const rv_playback *playback, rv_screen *screen);
void rv_compose(const rv_playback *playback, rv_screen *screen);

#endif
