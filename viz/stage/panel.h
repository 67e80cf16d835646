/* panel.h: all that is seen, as one table: what stage, terminal, keys, help and `--show` know of a panel.
 *
 *     word   key  name  sign     fits       place  least height     draw        lines, compose
 *     --show, keys, buttons      subject    layout.c                window      terminal
 *
 *   - To add one: a file in panels/ that draws it and ends with its row, and a word in panels.c.
 *   - A VIEW is a panel that the reader opens and closes. Views have a word and come first in the table:
 *     view i is the bit 1 << i in sets of views, and its action is RV_SHOW_VIEW + i. View 0 is the ring,
 *     beside which the others are.
 */
#pragma once

#include "model/subject.h"
#include "scene/scene.h"

struct rv_stage;
struct rv_composition;

/* Where a panel lies (layout.c). Places are painted in this order, the panels of one as in the table. */
typedef enum rv_place {
    RV_PLACE_STORY, /* in place of ring and views */
    RV_PLACE_LESSON,
    RV_PLACE_TITLE,
    RV_PLACE_MIDDLE, /* the ring, or two of them */
    RV_PLACE_BESIDE, /* the ring: in one column, or in two */
    RV_PLACE_BELOW,  /* the ring, as wide as the picture */
    RV_PLACE_CAPTION,
    RV_PLACE_CONTROLS,
    RV_PLACE_OVER, /* on top of all: help, a tooltip; draws nothing while there is none */
    RV_N_PLACES
} rv_place;

/* A stroke of a sign, on a square from (-1, -1) to (1, 1); a sign ends with {0}. */
typedef struct rv_stroke {
    enum { RV_NO_STROKE, RV_BAR, RV_LINE, RV_DOT, RV_TIP } kind;
    double at
        [5]; /* a bar: its corner and size; a line: both ends and its width; a dot: its middle and radius; a tip:
                     its base's middle, how far it points, half its base */
} rv_stroke;

typedef struct rv_panel {
    const char *word;              /* as --show takes it; NULL: it is no view */
    const char *name, *key, *help; /* name and help are marked for translation */
    const rv_stroke
        *sign; /* on its button; NULL: it has none, `v` and `--show all` leave it closed */
    /* `v` and `--show all` do not open it: with all others there is no room as a rule */
    bool apart;
    /* whether it can show the subject; NULL: any subject */
    bool (*fits)(const rv_subject *subject);
    const char *lacking; /* how to get what it shows where it cannot, marked for translation */
    /* Whether it is open at the start, where no other view was asked for; NULL: never. */
    bool (*opens)(const rv_subject *subject);
    rv_place place;
    /* Whether a few lines are all of it: then it lies below the ring, unless others are beside. NULL: never. */
    bool (*low)(const struct rv_stage *stage);
    bool right;        /* beside the ring, in two columns: in the right one */
    bool broad;        /* beside the ring it leaves many GPUs no more room than a few */
    double least;      /* height, in units */
    double weight;     /* its share of the height that is left, against the other weights */
    double own_weight; /* the same for a run of a learner's own functions; 0: as ever */
    size_t kept_bytes; /* memory that it keeps from frame to frame (rv_kept), zero at the start */
    void (*draw)(struct rv_stage *stage, rv_scene *scene, rv_box box);
    /* Says what lies under the pointer, for a bubble; lines end with '\n'. NULL, or false: it says nothing. */
    bool (*hint)(const struct rv_stage *stage, rv_target at, char *out, size_t n_out);
    /* On a sheet: how to read its figures, in type of that size; NULL: it is on none. */
    void (*explain)(const struct rv_stage *stage, rv_scene *scene, rv_box box, double type);
    /* In the terminal: how many lines it wants, of `most` that it may have; NULL: it is not there. */
    int (*lines)(struct rv_composition *page, int most);
    void (*compose)(const struct rv_composition *page, int y, int n_lines);
    bool always; /* in the terminal it is open from the start */
    bool fills;  /* there it gets the lines that the others leave */
} rv_panel;
extern const rv_panel *const rv_panels[]; /* ends with NULL */

/* panel.c: view `index`; NULL: there are no more. */
const rv_panel *rv_view(int index);
/* Return the views that characters can show: those that are open there by themselves, or all. */
unsigned rv_views_in_characters(bool at_start);
/* Returns the memory that the panel being drawn keeps from frame to frame; NULL: there was none to
   get. */
void *rv_kept(const struct rv_stage *stage);
enum { RV_THE_RING = 1 }; /* as a set of views */
/* Returns the views of a set from the options, in which RV_VIEW_ALL may stand for all of them. */
unsigned rv_views_meant(unsigned wanted);
/* Returns the views that are open at the start: those of the options, and where these name none, those that open
   by themselves for such a subject. */
unsigned rv_views_at_start(unsigned wanted, const rv_subject *subject);
/* The bit of the view with that word, and the view's action. */
unsigned rv_view_bit(const char *word);
rv_action rv_view_action(unsigned view);
/* Tells whether an action opens a view that cannot show a subject, though others like it. */
bool rv_is_of_others(const rv_subject *subject, rv_action action);
/* Tells whether panel `index` can show a subject. */
bool rv_view_fits(int index, const rv_subject *subject);
