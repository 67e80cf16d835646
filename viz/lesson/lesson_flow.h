/* lesson_flow.h: a lesson's text as a flow of pieces, one below the other, for window and terminal.
 *
 *     blocks of the text --> PIECES (words, code, a row, a choice) --lesson_set.c--> screens, drawn
 *                                                                  --typeset.c-----> lines, written
 *
 *   - Measures are in sizes of the page's ordinary type: the same flow is set in whatever size fits.
 *   - Words keep their styles by bytes among them (text/width.h); what a terminal would obey is a ?.
 *   - Pieces and texts live in the arena. If memory runs out, `failed` is set and pieces are lost.
 */
#ifndef RV_LESSON_FLOW_H
#define RV_LESSON_FLOW_H

#include "lesson/course.h"
#include "scene/scene.h"

enum { RV_MOST_CELLS = 12 };

typedef enum rv_flow_kind { RV_WORDS, RV_LINES /* code */, RV_CELLS, RV_OPTION } rv_flow_kind;
typedef enum rv_text_tone {
    RV_TONE_PLAIN,
    RV_TONE_QUIET,
    RV_TONE_ACCENT,
    RV_TONE_MYTH,  /* a card: what people believe */
    RV_TONE_TRUTH, /* a card: what is so */
    RV_TONE_RIGHT, /* choices, once the answer is told */
    RV_TONE_WRONG,
    RV_TONE_FADED,
    RV_TONE_CHOSEN /* and not committed yet */
} rv_text_tone;

typedef struct rv_piece {
    rv_flow_kind kind;
    rv_text_tone tone;
    const rv_block *from; /* the text's block; NULL: the flow's own words */
    const char *text;     /* of a row "" */
    const char *mark;     /* a bullet or number that hangs before it; NULL */
    double size;          /* of its type */
    double indent, gap;   /* on its left; above it */
    double pad;           /* around a card's words; 0: it is none */
    bool bold, heading;   /* heading: it stays with what follows */
    bool table;           /* LINES with columns: rather small than broken */
    const char *command;  /* LINES: the words that a click runs; NULL */
    int nth_command;      /* LINES with a command: 0, 1, ... */
    int choice;           /* of an OPTION */
    bool pressed;         /* an OPTION that can be */
    int n_cells;
    const char *cells[RV_MOST_CELLS];
    double shares[RV_MOST_CELLS]; /* of the width */
    double height;                /* as measured; with its padding, without its gap */
    int screen;                   /* on which it stands */
} rv_piece;

typedef struct rv_flow {
    rs_arena *arena;
    bool ticks;    /* words of code keep their marks: `code` */
    bool no_links; /* else their words are strong */
    rv_piece *pieces, spare;
    int n, most;
    bool failed;
    double usual;  /* the size that is taken where not all fits on one screen */
    double size;   /* of ordinary type, in pixels */
    int n_screens; /* at least 1 */
    int n_commands;
} rv_flow;

/* Adds a part of the text; to an empty flow {.arena = ...} at first. */
void rv_flow_part(rv_flow *flow, const rv_lesson *lesson, rv_part part);
/* Adds what the reader has before him at his stop. */
void rv_flow_stop(rv_flow *flow, const rv_course *course);
/* Inserts a piece before piece `index`, its content to be set; NULL: there is no memory. */
rv_piece *rv_flow_insert(rv_flow *flow, int index);
/* Returns the end of the table whose first row is piece `first`. */
int rv_table_end(const rv_flow *flow, int first);
/* While a table's columns are wider than the room in all, the widest gives way, to `least`. */
void rv_fit_columns(double widths[RV_MOST_CELLS], double room, double unit, double least);
/* Sets it into a box: in the largest size between least and most in which all of it fits on one
   screen, else in `usual`, on several. */
void rv_flow_set(rv_flow *flow, const rv_ruler *ruler, double width, double height, double least,
                 double usual, double most);
/* The width that is left to lines of code in a card: a sign stands before those that can be played. */
#define RV_PLAY_SIGN 1.15
#define RV_JUDGED 1.4 /* sizes of type, on the right of a choice: whether it was right */
double rv_lines_room(const rv_flow *flow, const rv_piece *piece, double width);
/* The size of a piece's type, in pixels: code is as small as its longest line asks for. */
double rv_piece_size(const rv_flow *flow, const rv_piece *piece, const rv_ruler *ruler,
                     double width);

#endif
