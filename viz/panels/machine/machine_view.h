/* machine_view.h: a machine on the screen: its draft, and who uses its wires at the moment. Private to this folder. */
#pragma once

#include "model/traffic.h"
#include "panels/machine/machine_draft.h"

struct rv_say;

typedef struct rv_machine_view {
    const rv_stage *stage;
    const rs_machine *machine;
    const rv_model *model;  /* NULL: the machine alone */
    rv_traffic *traffic;    /* NULL: nobody knows what flows */
    const rv_load *load;    /* NULL: it is not shown */
    const int32_t *rank_at; /* [n_gpus] the rank on each GPU, -1: none */
    rv_draft draft;
    rv_scene *scene;
} rv_machine_view;

/* The most senders that are told one by one, on a lane or in words. */
enum { RV_MOST_SENDERS = 64 };
/* What one sender has of a lane. */
typedef struct rv_slice {
    int32_t src;
    uint64_t rate_Bps;
    bool lit; /* what the pointer is on has to do with it */
} rv_slice;
/* One lane of a road: its wires together. */
typedef struct rv_lane {
    int32_t wire; /* the first of n */
    int32_t n;
    uint64_t capacity_Bps, used_Bps;
    rv_slice parts[RV_MOST_SENDERS];
    int32_t n_parts, n_senders; /* more senders than parts: the rest is not told */
} rv_lane;
/* machine_lanes.c: adds up lane 0 (from a to b) or 1 of a road. */
rv_lane rv_lane_of(const rv_machine_view *view, const rv_road *road, int lane);
/* How a kind of wire looks at rest: its ground, its edges' line, and whether those are dashed. */
typedef struct rv_kind_look {
    rv_colour ground, edge;
    bool dashed;
} rv_kind_look;
rv_kind_look rv_kind_look_of(const rv_look *look, rs_link_kind kind);
/* Draws what marks a lane, below it; the lanes at rest; what flows on them. */
void rv_draw_halo(const rv_machine_view *view, const rv_road *road, int lane, rv_colour colour);
void rv_draw_roads(const rv_machine_view *view);
void rv_draw_streams(const rv_machine_view *view);
/* Finds the road and lane of a wire; false: it is not drawn. */
bool rv_find_lane(const rv_draft *draft, int32_t wire, const rv_road **road, int *lane);
/* Returns the middle of a lane, and in *angle where it leads to. */
rv_point rv_lane_middle(const rv_draft *draft, const rv_road *road, int lane, double *angle);

/* machine_words.c: names a device without its node's name; a wire "gpu3 → nic3". */
const char *rv_device_word(const rs_machine *machine, int32_t device);
/* Says at which moment the wires are shown. */
void rv_say_when(struct rv_say *say, const rv_load *load);
/* Says all that is known of a wire, the first of n that are drawn as one, to who points at it. */
void rv_say_hint(const rv_model *model, const rv_load *load, int32_t wire, int32_t n_wires,
                 char *out, size_t n_out);

/* Writes on the first wire of each kind what it carries; draw samples of the kinds; the bottleneck, and the busiest wires at this moment. */
void rv_draw_rates(const rv_machine_view *view);
void rv_draw_capacities(const rv_machine_view *view, rv_box line);
void rv_draw_busiest(const rv_machine_view *view, rv_box box);

/* The busiest wires in the terminal. */
struct rv_composition;
int rv_wire_lines(struct rv_composition *page, int most);
void rv_compose_wires(const struct rv_composition *page, int y, int n_lines);
