/* board.h: a grid as it is laid out: its columns' widths, and the part of it that is shown where not all
 * fits. Pure. Widths are in characters, Chinese ones count two; a window takes a character as so many
 * pixels.
 *
 *     title                  rows 3..9 of 64
 *              batch 0   batch 1
 *     GPU 3        12 >       7
 */
#ifndef RV_BOARD_H
#define RV_BOARD_H

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
/* Plans a grid in a width and at most so many lines, at least 1. In sight are the followed rank, or else
   the first row on which something goes on, and the first columns on which it does. */
rv_board rv_plan_board(const rv_grid *grid, int32_t rank, int width, int n_lines);

const rv_entry *rv_grid_entry(const rv_grid *grid, int32_t row, int32_t column);
/* The mark that says what a tone's colour says: "+"; "" for none. */
const char *rv_tone_mark(rv_tone tone);
/* Writes an entry with its mark: "12 >", "(3)". */
void rv_say_entry(const rv_entry *entry, char *out, size_t n_out);
/* Writes "  rows 3..9 of 64" where that is not all; "" where it is. */
void rv_say_part(const rv_board *board, char *out, size_t n_out);

/* Grids beside each other: as many as fit. */
typedef struct rv_shelf {
    int first, n; /* of the moment's grids */
    int lines;    /* that the highest of them wants */
    int width;    /* of all of them, with the gaps between */
} rv_shelf;
/* Fills shelves of a width with at most so many grids each; returns how many shelves. survey: grids get
   the room that they want at any moment; NULL: at this one. */
int rv_shelve_grids(const rv_frame *frame, const rv_survey *survey, int32_t rank, int width,
                    int gap, int most, rv_shelf shelves[RV_MOST_GRIDS]);
/* The width that a grid wants, of at most so many characters; *lines with it. */
int rv_grid_wants(const rv_frame *frame, const rv_survey *survey, int which, int32_t rank,
                  int width, int *lines);

#endif
