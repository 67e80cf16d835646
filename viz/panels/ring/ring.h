/* ring.h: what the files that draw the ring share: where its cards, wires and doors lie, and the cell.
 *
 *          +-------+              Cards stand on an oval that fills the box. Wires run along it from
 *      .-> | GPU 0 | --.          card to card, and across the middle between other GPUs than
 *     /    +-------+    v         neighbours, so that nothing that travels hides a card.
 *    +-------+   +-------+
 *    | GPU 3 |   | GPU 1 |        ring_plan.c   the cards         draw_ring.c    cards, wires
 *    +-------+   +-------+        draw_cell.c   a cell's slivers  draw_flight.c  what travels
 *     ^    +-------+    /         ring_places.c where they lie  ring_signs.c  faults, waiting
 *      `-- | GPU 2 | <-'          ring_ways.c   the ways          ring_form.c    other shapes
 *          +-------+
 */
#pragma once

#include "panels/draw.h"

#define RV_TURN 6.28318530717958647692

enum { RV_MOST_CARDS = 16, RV_FEW = 8 /* more have no letters */ };

/* Which shape the wires of a schedule have: ring_form.c, form_tree.c, form_cube.c. */
typedef enum rv_form_kind {
    RV_FORM_OVAL, /* none of those below */
    RV_FORM_RING, /* one ring, in any order of the GPUs; `two_way`: two, one each way round */
    RV_FORM_MESH, /* everybody with everybody */
    RV_FORM_LINE,
    RV_FORM_STAR,
    RV_FORM_TREE,
    RV_FORM_CUBE, /* of any dimension; extra GPUs stand beside their partners */
    RV_FORM_NODES
} rv_form_kind;

typedef struct rv_form {
    rv_form_kind kind;
    bool spread;                   /* at `spots`, with straight wires; else on the oval */
    rv_point spots[RV_MOST_CARDS]; /* -1..1 both ways */
    int32_t order[RV_MOST_CARDS];  /* the GPUs as they stand round the oval */
    uint16_t wires[RV_MOST_CARDS]; /* the GPUs with which each exchanges, a bit each */
    uint16_t sends[RV_MOST_CARDS]; /* those to which it sends */
    int n_wires;                   /* pairs of GPUs that exchange */
    bool two_way;                  /* a wire carries both ways in one step */
    bool paired;                   /* in a step each GPU has one partner at the most */
    int32_t per_node;              /* RV_FORM_NODES: GPUs a node */
    int rows, columns;             /* RV_FORM_NODES: the grid of cards */
} rv_form;
rv_form rv_form_of(const rs_schedule *schedule);
/* Set the spots for wires of their shape; return false if they have another one. */
bool rv_form_star(rv_form *form, int32_t n, int32_t root);
bool rv_form_tree(rv_form *form, int32_t n, int32_t root);
bool rv_form_line(rv_form *form, int32_t n);
bool rv_form_cube(rv_form *form, int32_t n);
/* Stretches the spots to -1..1 both ways. */
void rv_form_stretch(rv_form *form, int32_t n);
/* Returns how many GPUs a set holds. */
int rv_form_count(uint16_t set);

typedef struct rv_ring {
    rv_box box;
    rv_point centre;
    int32_t n_ranks, n_chunks;
    rv_form_kind kind;
    bool spread;                   /* no oval: the cards stand at `spots` */
    bool two_way;                  /* a track each way round, or along each wire */
    bool lanes_x, lanes_y;         /* wires go round cards: beside them, above and below them */
    int32_t per_node;              /* of RV_FORM_NODES; else 0 */
    bool upright;                  /* a node is a column, not a row */
    uint16_t wires[RV_MOST_CARDS]; /* of the form; none: of no matter */
    double unit;                   /* ordinary type here: never more than the look's */
    double ax, ay;                 /* half axes of the oval of the cards' centres */
    double power;                  /* of the oval: 2 is an ellipse, more goes into the corners */
    int32_t order[RV_MOST_CARDS];  /* the GPUs as they stand round the oval */
    int32_t place[RV_MOST_CARDS];  /* each GPU's place in it */
    double at[RV_MOST_CARDS + 1];  /* each place on the way round, 0..1 */
    rv_point spots[RV_MOST_CARDS]; /* the same places on an oval with half axes of 1 */
    double card_w, card_h, head, pad;
    int32_t columns, rows; /* of cells in a card */
    double cell_w, cell_h, gap;
    double travel_scale; /* how large a cell of a ring's chunk is while it travels, as a share */
} rv_ring;

/* Finds the largest cards that leave room for each other and for what travels between them. shape
   NULL: they stand on an oval. */
rv_ring rv_plan_ring(const rv_look *look, int32_t n_ranks, int32_t n_chunks, const rv_form *shape,
                     rv_box box);
/* The same for the stage's look; it keeps the last plans instead of making them
   again. */
enum { RV_KEPT_RINGS = 2 }; /* two rings stand side by side in a race */
typedef struct rv_ring_plans {
    struct {
        double unit; /* of the look; 0: no plan here */
        int32_t n_chunks;
        rv_form form;
        rv_ring ring;
    } kept[RV_KEPT_RINGS];
    int next; /* the plan to replace next */
} rv_ring_plans;
rv_ring rv_kept_ring(const rv_stage *stage, const rs_schedule *schedule, rv_box box);
/* Returns how much room the names of nodes take: left of the cards, or above them. */
rv_point rv_ring_names(const rv_ring *ring);
/* Returns the frame of a node's cards, with the place of its name in *name. */
rv_box rv_ring_node(const rv_ring *ring, int32_t node, rv_box *name);
rv_box rv_ring_card(const rv_ring *ring, int32_t rank);
rv_point rv_ring_centre(const rv_ring *ring, int32_t rank); /* of its card */
/* Returns the point of |x|^power + |y|^power = 1 at a share of the way round. */
rv_point rv_oval_unit(double power, double share);
/* Returns the oval's point at a share of the way round, clockwise from the top; `side` 1 or -1: on
   the track outside or inside it. */
rv_point rv_on_track(const rv_ring *ring, double share, int side);
/* Returns how far a message in transit's middle stays away from a card along which it goes. */
rv_point rv_ring_lane(const rv_ring *ring);
/* Returns the largest box near the centre, `shape` times as wide as high, into which no card and no
   wire reaches; and nothing that travels, if something moves. */
rv_box rv_ring_middle(const rv_ring *ring, double shape, bool moves);
rv_box rv_ring_cell(const rv_ring *ring, rv_box card, int32_t chunk);

/* ring_ways.c: tells whether another card lies on the straight way between two cards. */
bool rv_way_is_blocked(const rv_ring *ring, int32_t src, int32_t dst);
/* A wire, from the edge of the sender's card (share 0) to that of the receiver's (1). */
enum { RV_WIRE_POINTS = 25 };
typedef struct rv_wire {
    rv_point points[RV_WIRE_POINTS];
    double length;
} rv_wire;
rv_wire rv_wire_between(const rv_ring *ring, int32_t src, int32_t dst);
/* Returns the same where it carries nothing: between spots in the middle of its two directions. */
rv_wire rv_resting_wire(const rv_ring *ring, int32_t a, int32_t b);
/* Returns the place at a share of the wire's length, and the direction there in *angle (or NULL). */
rv_point rv_on_wire(const rv_wire *wire, double share, double *angle);
/* Tells whether each GPU sends only to the next one. */
bool rv_is_ring(const rs_schedule *schedule);

/* ------------------------------------------------------------------------------------ draw_cell.c */

/* What a cell shows. */
typedef struct rv_cell_look {
    int32_t rank, chunk;
    double w, h;      /* its size at rest; in a smaller box all its parts are smaller */
    bool plain;       /* no frame, number or value: its slivers alone */
    bool see_through; /* no ground and no empty slots: what lies below shows through */
    rv_colour frame;  /* 0: as usual */
    double line;
    rv_colour head, head_ink; /* of the strip with the chunk's number; 0: as usual */
    double fade;              /* opacity: 1 fully visible, 0 invisible */
    const char *value;        /* instead of its own; NULL: that */
    bool struck;              /* its value is about to be overwritten */
} rv_cell_look;
/* Draws what `look->rank` holds of `look->chunk` at the model's moment into any box. */
void rv_draw_cell(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene, rv_box box,
                  const rv_cell_look *look);

/* Tell whether a cell of w x h shows its value; the size of the letters in one without a value,
   nearly 0: too small to read. */
/* Tells whether the chunk's number in such a cell can be read. */
bool rv_cell_has_number(const rv_look *look, const rv_model *model, double w, double h);
bool rv_cell_has_value(const rv_look *look, const rv_model *model, double w, double h);
/* Returns where a cell at rest has its value, and the largest type for it; no height: nowhere. */
rv_box rv_cell_value_box(const rv_stage *stage, const rv_model *model, rv_box cell, double *type);
double rv_cell_letter(double unit, double pixel, int32_t n_ranks, int32_t n_chunks, double w,
                      double h);

/* ---------------------------------------------------------------------------------- draw_wires.c */

typedef struct rv_wire_look {
    rv_colour colour;
    double line;
    bool dashed;
} rv_wire_look;
void rv_draw_wire(rv_scene *scene, const rv_wire *wire, const rv_wire_look *as, rv_target target);
/* Draws in a ring all wires; else those that the step uses, unless they would give an answer
   away, and below them those at rest. */
void rv_draw_links(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene,
                   const rv_ring *ring, bool is_ring);

/* --------------------------------------------------------------------------------- ring_plan.c */

/* Returns the area, in square pixels, that the whole array may have on the way so that each message
   of the model's schedule finds room: a message has its bytes' share of it. */
double rv_array_area(const rv_ring *ring, const rv_model *model);

/* ---------------------------------------------------------------------------------- draw_flight.c */

/* Draw the arrows that a finished step leaves, which must come before the cards; and what travels,
   which must come after them: array_area is that of the whole array, on the way. */
void rv_draw_trails(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene,
                    const rv_ring *ring);
void rv_draw_flights(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene,
                     const rv_ring *ring, double array_area);

/* ----------------------------------------------------------------------------------- ring_signs.c */

/* The faults of a GPU and of its outgoing wire at the model's moment. */
typedef struct rv_gpu_faults {
    bool dead;
    int64_t late_ps;     /* starts later; 0: not */
    int64_t straggle_ps; /* needs more before each step; 0: not */
    const rs_fault *slow_link, *slow_reduce, *down;
    int32_t waits_for; /* for ever; -1: for nobody */
} rv_gpu_faults;
rv_gpu_faults rv_gpu_faults_of(const rv_shown_run *run, int32_t rank);
/* Writes "x10", "x2.5". */
void rv_factor_text(const rs_fault *fault, char *out, size_t n_out);
/* Draws signs and words over a card. */
void rv_draw_card_faults(const rv_stage *stage, rv_scene *scene, const rv_ring *ring, rv_box card,
                         const rv_gpu_faults *faults);
/* Marks the GPUs that wait for their peer, or for a message that takes longer than others. */
void rv_draw_waiting(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene,
                     const rv_ring *ring);
/* Draws a pill with words, moved so that it lies inside `within`; type of size `most` at most. */
void rv_draw_pill(const rv_stage *stage, rv_scene *scene, rv_box within, rv_point centre,
                  double most, rv_colour fill, rv_colour ink, const char *text);
void rv_draw_clock(const rv_stage *stage, rv_scene *scene, rv_point at, double r);
void rv_draw_check(const rv_look *look, rv_scene *scene, rv_point centre, double radius);
