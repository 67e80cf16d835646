/* lesson_flow.h: a stop of a lesson as a flow of pieces, one below the other: what the panel draws.
 *
 *     blocks of the text --> PIECES (words, code, a row, a choice) --measured--> screens
 *
 *   - Measures are in sizes of the page's ordinary type: the same flow is set in whatever size fits.
 *   - Words keep their styles by the bytes that labels know (scene.h).
 */
#ifndef RV_LESSON_FLOW_H
#define RV_LESSON_FLOW_H

#include "lesson/course.h"
#include "scene/scene.h"

enum { RV_MOST_PIECES = 160, RV_MOST_CELLS = 6, RV_FLOW_BYTES = 1 << 15 };

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
    const char *text;    /* in the flow; of a row its first cell */
    const char *mark;    /* a bullet or number that hangs before it; NULL */
    double size;         /* of its type */
    double indent, gap;  /* on its left; above it */
    double pad;          /* around a card's words; 0: it is none */
    bool bold, heading;  /* heading: it stays with what follows */
    bool table;          /* LINES with columns: rather small than broken */
    const char *command; /* LINES: the words that a click runs; NULL */
    int block;           /* of those with a command: the how manieth */
    int choice;          /* of an OPTION */
    bool pressed;        /* an OPTION that can be */
    int n_cells;
    const char *cells[RV_MOST_CELLS];
    double shares[RV_MOST_CELLS]; /* of the width */
    double height;                /* as measured; with its padding, without its gap */
    int screen;                   /* on which it stands */
} rv_piece;

typedef struct rv_flow {
    rv_piece pieces[RV_MOST_PIECES];
    int n;
    double usual;  /* the size that is taken where not all fits on one screen */
    double size;   /* of ordinary type, in pixels */
    int n_screens; /* at least 1 */
    char text[RV_FLOW_BYTES];
    int n_text, n_commands;
} rv_flow;

/* Lays out what the reader has before him at his stop. */
void rv_flow_stop(rv_flow *flow, const rv_course *course);
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
