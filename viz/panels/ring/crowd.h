/* crowd.h: what the files that draw the ring of many GPUs share.
 *
 *     draw_crowd.c   dots, heat map      crowd_ways.c   what travels      crowd_words.c   legend, names
 */
#ifndef RV_CROWD_H
#define RV_CROWD_H

#include "panels/ring/ring.h"

typedef struct rv_crowd {
    const rv_stage *stage;
    const rv_sight *sight;
    rv_scene *scene;
    rv_box box;
    rv_point centre;
    double radius, track; /* of the circle of dots; of the circle on which chunks travel */
    rv_box heat;          /* the heat map */
    int32_t n;            /* ranks */
    int32_t by;           /* ranks for a dot */
    rv_box words;         /* for phase and legend */
    rv_align align;       /* of those words */
    bool counted, is_ring;
} rv_crowd;

double rv_crowd_angle(const rv_crowd *c, double rank);
rv_point rv_crowd_at(const rv_crowd *c, double radius, double angle);

/* Draws the circle on which chunks travel; in a ring also its direction, and the targets of its
   links. */
void rv_crowd_track(const rv_crowd *c);
void rv_crowd_comets(const rv_crowd *c);
void rv_crowd_legend(const rv_crowd *c, rv_box box);
void rv_crowd_phase(const rv_crowd *c, rv_box box);
/* Writes the names of rows and columns beside the map. */
void rv_crowd_axes(const rv_crowd *c);

#endif
