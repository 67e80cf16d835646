/* lesson_flow.h: a lesson's text as a flow of pieces, one below the other, for window and terminal.
 *
 *     blocks of the text --> PIECES (words, code, a row, a choice) --lesson_set.c--> screens, drawn
 *                                                                  --typeset.c-----> lines, written
 *
 *   - Measures are multiples of the size of the page's ordinary type: the same flow fits any size.
 *   - Style bytes among the words keep their styles (text/width.h); a control character becomes a
 *     ?.
 *   - Pieces and texts live in the arena. If memory runs out, the flow sets `failed` and lacks
 *     pieces.
 */
#pragma once

#include "lesson/course.h"
#include "scene/scene.h"

enum { RV_MOST_CELLS = 12 };

typedef enum rv_flow_kind { RV_WORDS, RV_LINES /* code */, RV_CELLS, RV_OPTION } rv_flow_kind;
typedef enum rv_text_tone {
    RV_TONE_PLAIN,
    RV_TONE_QUIET,
    RV_TONE_ACCENT,
    RV_TONE_MYTH,  /* a card: what people wrongly believe */
    RV_TONE_TRUTH, /* a card: what is true */
    RV_TONE_RIGHT, /* choices, once the answer is shown */
    RV_TONE_WRONG,
    RV_TONE_FADED,
    RV_TONE_CHOSEN /* a choice, not committed yet */
} rv_text_tone;

typedef struct rv_piece {
    rv_flow_kind kind;
    rv_text_tone tone;
    const rv_block *from; /* the text's block; NULL: the flow's own words */
    const char *text;     /* of a row "" */
    const char *mark;     /* a bullet or number to the left of the words; NULL */
    double size;          /* of its type */
    double indent, gap;   /* on its left; above it */
    double pad;           /* around a card's words; 0: it is no card */
    bool bold, heading;   /* heading: it stays with what follows */
    bool table;           /* LINES with columns: smaller type is better than broken lines */
    const char *command;  /* LINES: the words that a click runs; NULL */
    int nth_command;      /* LINES with a command: 0, 1, ... */
    int choice;           /* of an OPTION */
    bool pressed;         /* an OPTION that the reader can press */
    double aside;         /* of an OPTION's width: the place of a class's votes, on its right */
    int n_votes;          /* each with its words, and how long its bar is, up to 1 */
    const char *votes[2];
    double lengths[2];
    int n_cells;
    const char *cells[RV_MOST_CELLS];
    double shares[RV_MOST_CELLS]; /* of the width */
    double height;                /* as measured; with its padding, without its gap */
    int screen;                   /* the screen that shows it, from 0 */
} rv_piece;

/* Returns the code of the stop's page, of what is typed the commands alone; "": none, or no memory. It lives in the arena. */
const char *rv_flow_code(const rv_course *course, rs_arena *arena);

typedef struct rv_flow {
    rs_arena *arena;
    bool ticks;    /* words of code keep their marks: `code` */
    bool no_links; /* on lines of characters: links are plain words; else strong ones */
    rv_piece *pieces, spare;
    int n, most;
    bool failed;
    double pixel;  /* as people count them (rv_look); 0: 1 */
    double usual;  /* the size if not all fits on one screen */
    double size;   /* of ordinary type, in pixels */
    int n_screens; /* at least 1 */
    int n_commands;
} rv_flow;

/* Adds a part of the text. A flow starts as {.arena = ...}. */
void rv_flow_part(rv_flow *flow, const rv_lesson *lesson, rv_part part);
/* Adds what the reader's stop shows. */
void rv_flow_stop(rv_flow *flow, const rv_course *course);
/* Inserts a piece before piece `index`, for the caller to fill; NULL: no memory. */
rv_piece *rv_flow_insert(rv_flow *flow, int index);
/* Returns the end of the table whose first row is piece `first`. */
int rv_table_end(const rv_flow *flow, int first);
/* While a table's columns together are wider than `room`, takes `unit` from the widest, down to
   `least`. */
void rv_fit_columns(double widths[RV_MOST_CELLS], double room, double unit, double least);
/* Sets the flow into a box: in the largest size between least and most in which all of it fits on
   one screen, else in `usual` on several screens. */
void rv_flow_set(rv_flow *flow, const rv_ruler *ruler, double width, double height, double least,
                 double usual, double most);
/* The largest size of a quiz before a class, so that it stays when votes, bars and any reason have come. */
double rv_flow_poll_size(const rv_course *course, const rv_ruler *ruler, double width,
                         double height, double least, double usual, double most);
#define RV_PLAY_SIGN 1.15 /* sizes of type, before lines of code that a click plays: a sign */
#define RV_JUDGED 1.4     /* on the right of a choice: whether it was right */
/* Returns the size of a piece's type, in pixels: code is small enough for its longest line. */
double rv_piece_size(const rv_flow *flow, const rv_piece *piece, const rv_ruler *ruler,
                     double width);
