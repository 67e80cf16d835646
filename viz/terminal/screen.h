/* screen.h: a grid of styled cells, which terminal, SVG and plain text all show.
 *
 *     +--+--+--+--+       a cell holds one character and those that combine with it;
 *     |G |P |块   |       a wide one takes two cells, the second of width 0
 *     +--+--+--+--+
 *
 *   - Writing clips at the edges; half a wide character never shows.
 *   - A style has a meaning ("just added"); one table, rv_looks, says how each looks everywhere.
 */
#pragma once

#include "ringsim_viz.h"
#include "text/width.h"

typedef enum rv_style {
    RV_PLAIN,
    RV_DIM,
    RV_BOLD,
    RV_TITLE,
    RV_CHOSEN,   /* the GPU that is followed */
    RV_LEAVING,  /* a cell whose data the GPU sends now */
    RV_ADDING,   /* just added, or will be added next */
    RV_COPYING,  /* just copied */
    RV_COMPLETE, /* holds every contribution */
    RV_OWN,      /* the run's own bar */
    RV_RIVAL,    /* the rival's bar */
    RV_WARNING,
    RV_N_STYLES
} rv_style;

typedef struct rv_style_look {
    uint32_t rgb;    /* on a dark ground (Okabe and Ito's colours, safe for the colour-blind) */
    uint8_t ansi256; /* the nearest of xterm's 256 */
    uint8_t ansi8;   /* of the first eight; 9: the terminal's own */
    bool bold, reverse, dim;
} rv_style_look;
extern const rv_style_look rv_looks[RV_N_STYLES];
enum { RV_GROUND_RGB = 0x111318 };

enum { RV_CELL_BYTES = 12 };
typedef struct rv_cell {
    char text[RV_CELL_BYTES]; /* UTF-8, terminated */
    uint8_t width;            /* 1, 2; 0: the right half of a wide one */
    uint8_t style;
} rv_cell;

typedef struct rv_screen {
    int width, height;
    rv_cell *cells;     /* [height * width] */
    int first, n_below; /* of what scrolls: how many lines lie above those seen, and below */
    char (*rest)[512]; /* [height] of text: what words at the right edge say beyond it; NULL: cut */
} rv_screen;

enum { RV_MAX_WIDTH = 1000, RV_MAX_HEIGHT = 500 };
/* Makes an empty screen, its size clamped to 1..RV_MAX_WIDTH x 1..RV_MAX_HEIGHT; false: no
   memory. */
bool rv_screen_new(int width, int height, rv_screen *screen);
/* The same for text that no edge cuts (pipes, files): rv_screen_text writes words at the right edge whole. */
bool rv_text_screen_new(int width, int height, rv_screen *screen);
void rv_screen_free(rv_screen *screen);
/* Writes text at (x, y), clipped to the screen and to `most` columns; returns the next x. */
int rv_put(rv_screen *screen, int x, int y, int most, rv_style style, const char *text);
/* The same for words: cuts what does not fit, with "..." at the end, never inside a number. */
int rv_put_words(rv_screen *screen, int x, int y, int most, rv_style style, const char *text);
/* Fills a part of a row with blanks in a style. */
void rv_fill_row(rv_screen *screen, int x, int y, int n, rv_style style);
const rv_cell *rv_cell_at(const rv_screen *screen, int x, int y);

/* Writes text on at most n_lines lines and returns how many it took; "..." marks that some did not
   fit. */
int rv_put_wrapped(rv_screen *screen, int x, int y, int n_lines, rv_style style, const char *text);
/* Writes the grid as lines of text without trailing blanks; as an SVG picture. */
void rv_screen_text(const rv_screen *screen, rs_write write, void *context);
void rv_screen_svg(const rv_screen *screen, bool colour, rs_write write, void *context);
