/* board.h: the layout of a grid: the widths of its columns, and which part of it is shown where not
 * all fits. Pure. Widths are in characters, of which a Chinese one counts two; the window
 * multiplies them by a character's width in pixels.
 *
 *     title                  rows 3..9 of 64
 *              batch 0   batch 1
 *     GPU 3        12 >       7
 */
#pragma once

#include "story/frame.h"

enum { RV_COLUMN_GAP = 2, RV_ENTRY_BYTES = 256 };

typedef struct rv_board {
    const rv_grid *grid;
    int head_width, widths[RV_MOST_COLUMNS];
    bool right[RV_MOST_COLUMNS]; /* numbers stand at the right */
    int32_t first_row, n_rows, first_column, n_columns;
    bool titled, headed;
    int width, height;
} rv_board;
/* Plans a grid in a width and at most n_lines lines, at least 1. It shows the followed rank, or
   else the first row with an active entry, and the first page of columns with one. `ever`: columns are as wide as
   at any moment; NULL: as at this one. */
rv_board rv_plan_board(const rv_grid *grid, const rv_grid_room *ever, int32_t rank, int width,
                       int n_lines);

const rv_entry *rv_grid_entry(const rv_grid *grid, int32_t row, int32_t column);
/* Returns the mark that says the same as a tone's colour: "+"; "": it has none. */
const char *rv_tone_mark(rv_tone tone);
/* Tells whether nothing is seen of an entry but its leaving. */
bool rv_is_gone(const rv_entry *entry);
/* Writes an entry with its mark: "12 >", "(3)". */
void rv_say_entry(const rv_entry *entry, char *out, size_t n_out);
/* Writes "  rows 3..9 of 64" if the board shows a part of the grid; "" if it shows all. */
void rv_say_part(const rv_board *board, char *out, size_t n_out);

/* Grids beside each other, as many as fit. */
typedef struct rv_shelf {
    int first, n; /* of the moment's grids */
    int lines;    /* those that the highest grid wants */
    int width;    /* of all its grids, with the gaps between */
} rv_shelf;
/* Fills shelves of a width with at most `most` grids each; returns how many shelves. With a survey
   a grid gets the most room that it wants at any moment; NULL: what it wants at this one. */
int rv_shelve_grids(const rv_frame *frame, const rv_survey *survey, int32_t rank, int width,
                    int gap, int most, rv_shelf shelves[RV_MOST_GRIDS]);
/* Returns the width that a grid wants, at most `width` characters; *lines: the lines that it
   wants. */
int rv_grid_wants(const rv_frame *frame, const rv_survey *survey, int which, int32_t rank,
                  int width, int *lines);
