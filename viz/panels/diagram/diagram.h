/* diagram.h: one run's lanes in the diagram of space and time, shared by the files that fill them.
 *
 *             0 ms        1 ms        2 ms       x: time, the same axis for all runs shown
 *     GPU 0   \####\ \####\                      y: a lane a GPU; a transfer is a bar from its
 *     GPU 1    \####\ \####\                     sender's lane, when it starts, to its receiver's
 *     GPU 2   ////  \####\                       lane, when it has arrived
 */
#pragma once

#include "model/pace.h"
#include "panels/draw.h"

typedef struct rv_chart {
    const rv_stage *stage;
    const rv_shown_run *run; /* NULL: a story's lanes */
    rv_box lanes;
    double lane;         /* height of one */
    double bar;          /* thickness of a bar at full speed */
    const rv_pace *pace; /* NULL: all have it all the time */
    int64_t from_ps, to_ps;
    int64_t now_ps; /* the play head; -1: none */
} rv_chart;

static inline double rv_chart_x(const rv_chart *chart, int64_t time_ps) {
    const double span = (double)(chart->to_ps - chart->from_ps);
    return chart->lanes.x + chart->lanes.w * (double)(time_ps - chart->from_ps) / span;
}
static inline double rv_chart_y(const rv_chart *chart, int32_t rank) {
    return chart->lanes.y + (rank + 0.5) * chart->lane;
}

/* diagram_axis.c: draw ticks from the top of `all` down to the axis, with their times; the play
   head. */
void rv_diagram_axis(const rv_chart *chart, rv_scene *scene, rv_box axis, rv_box all);
void rv_diagram_head(const rv_chart *chart, rv_scene *scene, rv_box axis, double top);

/* Returns a transfer's colour, by what the receiver does with it. */
rv_colour rv_diagram_hue(const rv_look *look, int effect);
/* diagram_bars.c: tells whether bars fit; draws a bar for each transfer, hatched gaps for waiting,
   and what is dead or late. */
bool rv_diagram_has_bars(const rv_chart *chart);
void rv_diagram_bars(const rv_chart *chart, rv_scene *scene);
/* diagram_heat.c: draws how busy each lane is, where there are too many transfers for bars. */
void rv_diagram_heat(const rv_chart *chart, rv_scene *scene);
/* Draws one chunk's way through the lanes over it. */
void rv_diagram_path(const rv_chart *chart, rv_scene *scene);
