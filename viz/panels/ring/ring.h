/* ring.h: what the files that draw the ring share: where its cards, wires and doors lie, and the cell.
 *
 *          +-------+              Cards stand on an oval that fills the box. Wires run along it from
 *      .-> | GPU 0 | --.          card to card, and across the middle between other GPUs than
 *     /    +-------+    v         neighbours, so that nothing that travels hides a card.
 *    +-------+   +-------+
 *    | GPU 3 |   | GPU 1 |        ring_plan.c   the cards         draw_ring.c    cards, wires
 *    +-------+   +-------+        draw_cell.c   a cell's slivers  draw_flight.c  what travels
 *     ^    +-------+    /         parcel_size.c how large it is  ring_signs.c  faults, waiting
 *      `-- | GPU 2 | <-'          ring_ways.c   the ways
 *          +-------+
 */
#ifndef RV_RING_H
#define RV_RING_H

#include "panels/draw.h"

#define RV_TURN 6.28318530717958647692

enum { RV_MOST_CARDS = 16 };

/* Where the cards stand, by who sends to whom (ring_form.c). */
typedef struct rv_form {
    bool spread;                   /* at `spots`, with straight wires; else on the oval */
    rv_point spots[RV_MOST_CARDS]; /* -1..1 both ways */
    uint16_t wires[RV_MOST_CARDS]; /* the GPUs with which each exchanges, a bit each */
    int n_wires;                   /* pairs of GPUs that do */
} rv_form;
rv_form rv_form_of(const rs_schedule *schedule);

typedef struct rv_ring {
    rv_box box;
    rv_point centre;
    int32_t n_ranks, n_chunks;
    bool spread;                   /* no oval: the cards stand at `spots` */
    double unit;                   /* ordinary type here: never more than the look's */
    double ax, ay;                 /* half axes of the oval of the cards' centres */
    double power;                  /* of the oval: 2 is an ellipse, more goes into the corners */
    double at[RV_MOST_CARDS + 1];  /* each card's place on the way round, 0..1 */
    rv_point spots[RV_MOST_CARDS]; /* the same places on an oval with half axes of 1 */
    double card_w, card_h, head, pad;
    int32_t columns, rows; /* of cells in a card */
    double cell_w, cell_h, gap;
    double parcel; /* how large a cell of a ring's chunk is while it travels, as a share */
} rv_ring;

/* Finds the largest cards that leave room for each other and for what travels between them. shape
   NULL: they stand on an oval. */
rv_ring rv_plan_ring(const rv_look *look, int32_t n_ranks, int32_t n_chunks, const rv_form *shape,
                     rv_box box);
/* ring_kept.c: the same for the stage's look; it keeps the last plans instead of making them
   again. */
enum { RV_KEPT_RINGS = 2 }; /* two rings stand side by side in a race */
typedef struct rv_ring_plans {
    struct {
        double unit; /* of the look; 0: no plan here */
        int32_t n_chunks;
        rv_ring ring;
    } kept[RV_KEPT_RINGS];
    int next; /* the plan to replace next */
} rv_ring_plans;
rv_ring rv_kept_ring(const rv_stage *stage, const rs_schedule *schedule, rv_box box);
rv_box rv_ring_card(const rv_ring *ring, int32_t rank);
/* Returns the oval's point at a share of the way round, clockwise from the top. */
rv_point rv_on_oval(const rv_ring *ring, double share);
/* Returns the largest box near the centre, `shape` times as wide as high, into which no card and no
   wire reaches; and nothing that travels, if something moves. */
rv_box rv_ring_middle(const rv_ring *ring, double shape, bool moves);
rv_box rv_ring_cell(const rv_ring *ring, rv_box card, int32_t chunk);

/* ring_ways.c: a wire, from the edge of the sender's card (share 0) to that of the receiver's (1). */
enum { RV_WIRE_POINTS = 25 };
typedef struct rv_wire {
    rv_point points[RV_WIRE_POINTS];
    double length;
} rv_wire;
rv_wire rv_wire_between(const rv_ring *ring, int32_t src, int32_t dst);
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
void rv_draw_cell(const rv_stage *stage, const rv_sight *sight, rv_scene *scene, rv_box box,
                  const rv_cell_look *look);

/* Tell whether a cell of w x h shows its value; the size of the letters in one without a value,
   nearly 0: too small to read. */
bool rv_cell_has_value(double unit, const rv_model *model, double w, double h);
double rv_cell_letter(double unit, int32_t n_ranks, int32_t n_chunks, double w, double h);

/* -------------------------------------------------------------------------------- parcel_size.c */

/* Returns the area, in square pixels, that the whole array may have on the way so that each message
   of the model's schedule finds room: a message has its bytes' share of it. */
double rv_array_area(const rv_ring *ring, const rv_model *model);

/* ---------------------------------------------------------------------------------- draw_flight.c */

/* Draw the arrows that a finished step leaves, which must come before the cards; and what travels,
   which must come after them: array_area is that of the whole array, on the way. */
void rv_draw_trails(const rv_stage *stage, const rv_sight *sight, rv_scene *scene,
                    const rv_ring *ring);
void rv_draw_flights(const rv_stage *stage, const rv_sight *sight, rv_scene *scene,
                     const rv_ring *ring, double array_area);

/* ----------------------------------------------------------------------------------- ring_signs.c */

/* The faults of a GPU and of its outgoing wire at the model's moment. */
typedef struct rv_ills {
    bool dead;
    int64_t late_ps;     /* starts later; 0: not */
    int64_t straggle_ps; /* needs more before each step; 0: not */
    const rs_fault *slow_link, *slow_reduce, *down;
    int32_t waits_for; /* for ever; -1: for nobody */
} rv_ills;
rv_ills rv_ills_of(const rv_sight *sight, int32_t rank);
/* Writes "x10", "x2.5". */
void rv_factor_text(const rs_fault *fault, char *out, size_t n_out);
/* Draws signs and words over a card. */
void rv_draw_card_ills(const rv_stage *stage, rv_scene *scene, const rv_ring *ring, rv_box card,
                       const rv_ills *ills);
/* Marks the GPUs that wait for their peer, or for a message that takes longer than others. */
void rv_draw_waiting(const rv_stage *stage, const rv_sight *sight, rv_scene *scene,
                     const rv_ring *ring);
/* Draws a pill with words, moved so that it lies inside `within`; type of size `most` at most. */
void rv_draw_pill(const rv_stage *stage, rv_scene *scene, rv_box within, rv_point centre,
                  double most, rv_colour fill, rv_colour ink, const char *text);
void rv_draw_clock(const rv_stage *stage, rv_scene *scene, rv_point at, double r);
void rv_draw_check(const rv_look *look, rv_scene *scene, rv_point centre, double radius);

#endif
