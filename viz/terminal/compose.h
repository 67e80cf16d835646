/* compose.h: lays a playback out on a screen of any size. Pure.
 *
 *     title                                   compose_edges.c; all of it: compose.c
 *     phases              step 3 of 0..7
 *     caption
 *     the open panels (panel.h), among them:
 *       table ranks x chunks | sends          compose_plan.c, compose_table.c
 *       the followed GPU in full              compose_row.c
 *       costs                                 compose_cost.c
 *     or two runs, one below the other        compose_race.c
 *     what the signs mean                     compose_edges.c
 *     message or question
 *     keys                                    help: compose_edges.c
 */
#pragma once

#include "terminal/screen.h"
#include "model/playback.h"

/* The signs for drawing, in UTF-8 or in ASCII alone. */
typedef struct rv_glyphs {
    const char *outside;   /* a rank whose data are not inside a cell */
    const char *own;       /* a cell with its own data only */
    const char *partly[7]; /* eighths */
    const char *complete;
    const char *arrow, *bar, *no_bar, *done, *to_do, *chosen, *dot;
} rv_glyphs;
const rv_glyphs *rv_glyphs_of(const rv_playback *playback);

/* What the table shows of each cell; the plan takes the richest detail that fits. */
typedef enum rv_detail {
    RV_TWO_LINES, /* value, and below it whose data are inside */
    RV_ONE_LINE,  /* value and whose data are inside */
    RV_VALUES,    /* value */
    RV_RANGES,    /* whose data are inside, as a range: 3..7 */
    RV_COUNTS,    /* how many GPUs' data are inside */
    RV_SIGNS,     /* one character for a cell, or for several chunks */
    RV_NO_CELLS   /* too many cells: the table shows only what each GPU sends */
} rv_detail;

typedef struct rv_plan {
    rv_detail detail;
    int label_width, cell_width, sends_width; /* sends_width 0: not shown */
    int n_marks;                              /* columns for marks after a cell's text */
    int n_columns, chunks_per_column;         /* RV_SIGNS may put several chunks into a column */
    int lines_per_rank, n_rows;               /* n_rows: how many ranks are visible */
} rv_plan;

/* What a panel of the terminal gets to write a moment on a screen. */
typedef struct rv_composition {
    const rv_playback *playback;
    const struct rv_stage
        *stage;        /* says which views are open; NULL: those that the playback names */
    int width, height; /* of the screen; height 0: as many lines as there are panels */
    rv_screen *screen; /* NULL while compose.c shares the lines out */
    rv_plan plan;      /* of the table, once it has its lines */
    bool ring;         /* the figure above the table says what is sent */
    int n_row_lines;   /* the panel's lines below the table, for the followed GPU */
    bool side;         /* the followed GPU stands beside the table instead */
} rv_composition;
/* Tells whether panel `index` is on the page: it can compose, is open (or always there) and
   fits. */
bool rv_is_on_page(const rv_composition *page, int index);

/* Chooses how to show the table in a width and at most n_lines lines, including its header. */
rv_plan rv_plan_table(const rv_model *model, int width, int n_lines);
/* The same without the column of what is sent. */
rv_plan rv_plan_cells(const rv_model *model, int width, int n_lines);
/* The same with one character a cell, even if more would fit. */
rv_plan rv_plan_signs(const rv_model *model, int width, int n_lines);
int rv_plan_lines(const rv_plan *plan);
/* compose_row.c: the table's panel: plans the table and the followed GPU's chunks in at most `most`
   lines; returns how many it takes. Then draws both. */
int rv_cells_lines(rv_composition *page, int most);
void rv_compose_cells(const rv_composition *page, int y, int n_lines);
void rv_compose_table(const rv_playback *playback, const rv_plan *plan, rv_screen *screen, int y);
/* Tells whether an open question hides this step's data. */
bool rv_is_hidden(const rv_playback *playback);

/* The signs that lines are made of. */
typedef struct rv_line_signs {
    const char *across, *down, *to_right, *to_left, *to_top, *to_bottom, *corner, *from;
} rv_line_signs;
const rv_line_signs *rv_line_signs_of(const rv_playback *playback);

/* The panel of the ring: all its lines, or none. */
int rv_ring_lines(rv_composition *page, int most);
void rv_compose_ring(const rv_composition *page, int y, int n_lines);

/* Says what the table's signs mean, in one line. */
void rv_compose_legend(const rv_playback *playback, const rv_plan *plan, rv_screen *screen, int y);

/* The panel of costs: how many lines it wants; draws the first n_lines of them. */
int rv_cost_lines(rv_composition *page, int most);
void rv_compose_cost(const rv_composition *page, int y, int n_lines);

/* The panel of numbers that the reader sets: one line, where there is a stage. */
int rv_number_lines(rv_composition *page, int most);
void rv_compose_numbers(const rv_composition *page, int y, int n_lines);

/* Lists all keys, and what the table's signs mean; plan NULL: the keys alone. */
void rv_compose_help(const rv_playback *playback, const rv_plan *plan, rv_screen *screen);

void rv_step_text(const rv_playback *playback, char *out, size_t n_out); /* "step 3 of 0..7" */
/* Writes the choices of a question, what the reader types, or the last message. Without a line of
   its own (n_lines 0) it writes over the line of keys. */
void rv_compose_message(const rv_playback *playback, rv_screen *screen, int y, int n_lines);
void rv_compose_hint(const rv_playback *playback, rv_screen *screen, int y, bool cramped);

/* Draws the whole screen of a story (compose_frame.h); of any subject. */
void rv_compose_story(const rv_playback *playback, rv_screen *screen);
void rv_compose(const rv_playback *playback, rv_screen *screen);
/* Draw a run's first line; its phases, a square a step, and the step. */
void rv_compose_title(const rv_playback *playback, rv_screen *screen);
void rv_compose_phases(const rv_playback *playback, rv_screen *screen, int y);
/* Draws a stage in characters: its run, its story, or its two runs (compose_race.c). */
void rv_compose_stage(const struct rv_stage *stage, rv_screen *screen);
void rv_compose_race(const struct rv_stage *stage, rv_screen *screen);
