/* scene.h: a picture as data: shapes and labels in paint order, each saying what it stands for. Pure.
 *
 *     rv_scene_start(scene, w, h); rv_scene_disc(...)->target = ...; ... ; canvas paints it
 *
 *   - Units are pixels of the picture; (0, 0) is the top left corner; y grows downwards. So that a
 *     picture looks the same at every size, strokes are multiples of rv_look.hair.
 *   - Layers are painted in order: STILL (what only changes when the reader acts; the canvas keeps it),
 *     MOVING (what changes while time runs), OVER (boxes that lie on top: help, menus).
 *   - A label names the box in which it must stay. The canvas wraps it, shrinks it to no less than
 *     70 %, then cuts it with an ellipsis: nothing ever runs out of its box.
 *   - Inside a label a byte RV_STYLE_BYTE + style changes the style of what follows: strong,
 *     emphasised, code, or 0: none of them.
 *   - An item with a target can be pointed at; where several lie under a point the last one wins, but of two lines
 *     side by side the one that is under it, not near it.
 *   - In a grid with target RV_CELL each pixel has its own target: the item's is that of the first
 *     pixel; its rank grows with the row and its chunk with the column, by `c` (0: by one) a pixel.
 *     In a grid with target RV_GPU each row has its own.
 *   - If memory runs out, the scene sets `failed` and gives out `spare` for every further item,
 *     which is not painted; nothing else breaks.
 */
#pragma once

#include "ringsim_host.h"
#include "text/width.h"

typedef struct rv_box {
    double x, y, w, h;
} rv_box;

/* 0xRRGGBBAA; 0 paints nothing. */
typedef uint32_t rv_colour;

typedef enum rv_shape {
    RV_RECT,    /* box, round corners of `radius` */
    RV_DISC,    /* a circle round box's middle, as wide as box */
    RV_SEGMENT, /* a line from (x, y) to (x + w, y + h), ends round */
    RV_ARC, /* a stroke along that circle, clockwise from angle `from` to `to` (radians; 0 is to the
                   right, pi/2 down) */
    RV_POLYGON, /* points[first ..]: filled and closed, or stroked and open if fill is 0 */
    RV_LABEL,   /* text in box */
    RV_GRID     /* columns x rows pixels[first ..], stretched to box without smoothing */
} rv_shape;

typedef enum rv_layer { RV_STILL, RV_MOVING, RV_OVER } rv_layer;

/* How a fill is hatched, so that colour is never alone. */
typedef enum rv_pattern {
    RV_SOLID,
    RV_RISING,  /* //// */
    RV_FALLING, /* \\\\ */
    RV_DOTS,
    RV_LEVEL,   /* ==== */
    RV_UPRIGHT, /* |||| */
    RV_CROSSED, /* xxxx */
    RV_CHECKS,  /* grid */
    RV_N_PATTERNS
} rv_pattern;

typedef enum rv_align { RV_LEFT, RV_MIDDLE, RV_RIGHT } rv_align;

/* What an item stands for. */
typedef enum rv_thing {
    RV_NOTHING,
    RV_AREA,       /* takes clicks from what lies below: a panel, an overlay's ground; a: which */
    RV_GPU,        /* a: rank */
    RV_CELL,       /* a: rank, b: chunk */
    RV_LINK,       /* a: from, b: to */
    RV_TRANSFER,   /* a: step (of a second run: -1 - step), b: sender, c: chunk */
    RV_STEP_BAR,   /* a: step: a place on the timeline */
    RV_TIMELINE,   /* the whole line: dragging scrubs; its box is the axis */
    RV_BUTTON,     /* a: rv_action */
    RV_CHOICE,     /* a: index of a question's choice */
    RV_SLIDER,     /* a: rv_knob; dragging changes it; its box is the axis */
    RV_STOP,       /* a: a stop of the lesson */
    RV_COMMAND,    /* a: a command of the lesson's page, counted from 0: a click plays it */
    RV_LETTER,     /* a: a choice of the lesson's quiz */
    RV_FAULT,      /* a: rv_gpu_fault: a fault's line in the GPU's menu, b: rank */
    RV_WIRE,       /* a: a machine's wire, b: how many are drawn as one */
    RV_WIRE_FAULT, /* a: rv_wire_fault: a line in the menu of a wire, b: the wire */
    RV_TIME_AXIS,  /* the diagram's lanes: + and - zoom them; its box is the axis */
    RV_MAP, /* the matrix's cells (a: 0): the same; its box is all of them; the ring's map (a: 1) */
    RV_THINGS
} rv_thing;
typedef struct rv_target {
    int32_t thing; /* rv_thing */
    int32_t a, b, c;
} rv_target;

typedef struct rv_item {
    rv_box box;
    double radius;          /* of corners; of labels: the size of type in pixels */
    double line;            /* width of the stroke; 0: none */
    double from, to;        /* angles of an arc */
    rv_colour fill, stroke; /* of labels: fill is the ink, stroke a halo behind it */
    rv_colour hatch;        /* the pattern's ink */
    int32_t first, n;       /* text bytes, points, or pixels */
    int32_t columns;        /* of a grid */
    rv_target target;
    uint8_t shape, layer, pattern;
    uint8_t align; /* of labels, from left to right; from top to bottom: see `top` */
    bool bold, mono, wrap, dashed, arrow; /* arrow: a head at the segment's (arc's) end */
    bool top; /* of labels: begin at the box's top, else in its middle */
} rv_item;

typedef struct rv_point {
    double x, y;
} rv_point;

typedef struct rv_scene {
    double width, height;
    double unit; /* ordinary type: hatching and dashes grow with it; 16 at the start */
    rv_colour ground;
    rv_item *items;
    int32_t n_items, item_room;
    char *text; /* labels, each ends with a zero byte */
    int32_t n_text, text_room;
    rv_point *points;
    int32_t n_points, point_room;
    rv_colour *pixels;
    int32_t n_pixels, pixel_room;
    rv_layer layer; /* of what is added next */
    bool failed;
    rv_item spare;
} rv_scene;

/* A zeroed rv_scene is ready for rv_scene_start, which empties it and keeps its memory. */
void rv_scene_start(rv_scene *scene, double width, double height, rv_colour ground);
void rv_scene_free(rv_scene *scene);

/* Each adds an item and returns it, never NULL; the caller may change it until it adds the next
   one. */
rv_item *rv_scene_rect(rv_scene *scene, rv_box box, double radius, rv_colour fill);
rv_item *rv_scene_disc(rv_scene *scene, rv_point centre, double radius, rv_colour fill);
rv_item *rv_scene_segment(rv_scene *scene, rv_point from, rv_point to, double line,
                          rv_colour stroke);
rv_item *rv_scene_line(rv_scene *scene, double x0, double y0, double x1, double y1, double line,
                       rv_colour stroke); /* a segment */
rv_item *rv_scene_arc(rv_scene *scene, rv_point centre, double radius, double from, double to,
                      double line, rv_colour stroke);
rv_item *rv_scene_polygon(rv_scene *scene, const rv_point points[], int32_t n, rv_colour fill);
/* size: of the type, in pixels. The scene copies the text. */
rv_item *rv_scene_label(rv_scene *scene, rv_box box, rv_align align, double size, rv_colour ink,
                        const char *text);
rv_item *rv_scene_labelf(rv_scene *scene, rv_box box, rv_align align, double size, rv_colour ink,
                         const char *format, ...) RS_PRINTF(6, 7);
/* Reserves columns x rows pixels, row by row from the top, which the caller fills in through
   *pixels before it adds the next item. *pixels is NULL if there is no memory. */
rv_item *rv_scene_grid(rv_scene *scene, rv_box box, int32_t columns, int32_t rows,
                       rv_colour **pixels);

/* Give an item a stroke; hatch its fill. Return it. */
rv_item *rv_outline(rv_item *item, rv_colour stroke, double line);
rv_item *rv_hatch(rv_item *item, rv_pattern pattern, rv_colour ink);

/* Cuts off what lies left of an upright line, or above a level one (beyond: right of it, below it); returns how many
   corners are left: at most two more than there were. */
int rv_cut_polygon(const rv_point in[], int n, bool upright, double limit, bool beyond,
                   rv_point out[]);
/* Cuts items from `first` on off at two upright lines; leaves labels and discs out that would cross
   one. */
void rv_scene_clip(rv_scene *scene, int32_t first, double left, double right);

static inline rv_target rv_target_of(rv_thing thing, int32_t a, int32_t b) {
    return (rv_target){(int32_t)thing, a, b, 0};
}
bool rv_same_target(rv_target a, rv_target b);
/* Finds what lies under a point. A thin item is hit from `slack` pixels around it, too. item may be
   NULL. */
rv_target rv_scene_hit(const rv_scene *scene, double x, double y, double slack,
                       const rv_item **item);
/* Returns the box of the topmost item with this target; one without width: there is none. */
rv_box rv_scene_box(const rv_scene *scene, rv_target target);
const char *rv_label_text(const rv_scene *scene, const rv_item *item);
/* Estimates a line's width in pixels without a font: for buttons and columns. */
double rv_label_width(const char *text, double size);

/* How large a text is when it is set. A canvas measures it; without one rv_measure estimates it. */
typedef struct rv_extent {
    double width, height;
} rv_extent;
typedef struct rv_ruler {
    rv_extent (*measure)(void *context, const char *text, double size, double width,
                         unsigned style);
    void *context;
} rv_ruler;
/* Measures a text of a style, broken to a width (0: not broken). ruler NULL: estimates it. */
rv_extent rv_measure(const rv_ruler *ruler, const char *text, double size, double width,
                     unsigned style);

/* Each cuts a strip off *box and returns it. */
rv_box rv_cut_top(rv_box *box, double height);
rv_box rv_cut_bottom(rv_box *box, double height);
rv_box rv_cut_left(rv_box *box, double width);
rv_box rv_cut_right(rv_box *box, double width);
/* Cuts a strip off with one of these four, and the gap behind it. */
rv_box rv_cut_apart(rv_box *box, rv_box (*cut)(rv_box *, double), double size, double gap);
rv_box rv_inset(rv_box box, double by);
rv_point rv_centre(rv_box box);
/* Return what lies between two points, or boxes: 0 gives a, 1 gives b. */
rv_point rv_between(rv_point a, rv_point b, double share);
rv_box rv_box_between(rv_box a, rv_box b, double share);
/* Returns the box of a size round a point. */
rv_box rv_box_round(rv_point centre, double width, double height);
bool rv_inside(rv_box box, double x, double y);
