/* machine_draft.h: a machine as it will be drawn: where its devices and wires lie. Private to this folder.
 *
 *     [============== fabric ===============]      rows: what joins nodes, the highest tier first;
 *        |    |    |    |      |    |    |         in a node what leads out of it above its GPUs,
 *     +-nic--nic--nic--nic-+ +-nic-...-----+       what does not below them
 *     | GPU  GPU  GPU  GPU | | GPU ...     |
 *     | [====== nvsw =====]| | [== nvsw ==]|       a switch is as wide as what hangs on it
 *     +----- node 0 -------+ +-- node 1 ---+
 *
 *     machine_plan.c    tiers, rows, nodes, GPUs, switches  machine_ways.c    roads: links as paths
 *     machine_words.c   names, lists, hover text, lines     machine_lanes.c   a road's lanes, and what flows
 *     draw_machine.c    all of it
 *
 *   - A PLACE is what a road leads to: a device, or, where nodes are too small to draw their GPUs, a node as
 *     one tile (number n_devices + node).
 *   - All links between two places are one ROAD; it has a lane for each direction, or one if they are shared.
 */
#pragma once

#include "panels/draw.h"

enum { RV_MOST_TILES = 512, RV_ROAD_POINTS = 25, RV_MOST_SPOTS = 20000 };

typedef struct rv_spot {
    rv_box box; /* without width: not drawn */
    int32_t row;
} rv_spot;

typedef struct rv_road {
    int32_t a, b;      /* places, a < b */
    int32_t first, n;  /* links[first ..] of the draft */
    bool shared, cut;  /* one lane; all its links are cut */
    rs_link_kind kind; /* the worst of its links' */
    double lane;       /* how thick a lane is */
    rv_point *points;  /* [n_points] the middle line, from a to b */
    int32_t n_points;
} rv_road;

typedef struct rv_draft {
    const rs_machine *machine;
    const rv_look *look;
    rs_arena *arena;
    rv_box box;
    double unit;            /* of type here: never more than the look's */
    int32_t *tier;          /* [n_devices] 0: a GPU; above it > 0, below it < 0 */
    bool collapsed, framed; /* nodes are tiles; they have frames */
    int32_t grid_columns;   /* GPUs in a grid; 0: in rows */
    int32_t n_rows;
    double *row_y, *row_h; /* [n_rows] from the top */
    rv_spot *spots;        /* [n_devices + n_nodes] by place */
    rv_box *frames;        /* [n_nodes] */
    double slot;           /* the width that a GPU has */
    rv_road *roads;        /* [n_roads] */
    int32_t n_roads;
    int32_t *links;   /* [n_links] by road */
    uint64_t fastest; /* what a lane of the widest road carries */
    double thick;     /* factor that makes roads narrow enough */
    bool arcs;        /* GPUs have wires to each other, below their row */
    double arc_room;  /* how far those may reach */
} rv_draft;

/* machine_plan.c: lays the machine out in a box; false: it is too large to draw, or there is no memory. */
bool rv_plan_machine(const rs_machine *machine, const rv_look *look, rs_arena *arena, rv_box box,
                     rv_draft *draft);
/* machine_ways.c: makes the roads; false: no memory. */
bool rv_lay_roads(rv_draft *draft);
/* Returns the place of a device. */
int32_t rv_place_of_device(const rv_draft *draft, int32_t device);
/* Returns how thick a lane of such a capacity is, in units of type, beside the fastest. */
double rv_lane_width(const rv_draft *draft, uint64_t capacity_Bps);
