/* stage_zoom.c: which part of the time the diagram of space and time shows: twice as little or as much,
 * about the pointer.
 */
#include "stage/stage.h"

#include <math.h>

/* Returns the box of the lanes that were drawn last; one without width: there are none. */
static rv_box axis_of(const rv_stage *stage) {
    for (int32_t i = 0; i < stage->scene.n_items; i++) {
        if (stage->scene.items[i].target.thing == RV_TIME_AXIS) return stage->scene.items[i].box;
    }
    return (rv_box){0};
}

bool rv_stage_zoom(rv_stage *stage, double by) {
    const double most = 256;
    const rv_box axis = axis_of(stage);
    rv_zoom *zoom = &stage->zoom;
    if (by == 0) {
        zoom->span = 0;
        return true;
    }
    if (axis.w <= 0 || !rv_inside(axis, stage->pointer_x, stage->pointer_y)) return false;
    const double old = zoom->span > 0 ? zoom->span : 1, from = zoom->span > 0 ? zoom->from : 0;
    const double at = (stage->pointer_x - axis.x) / axis.w;
    const double span = fmax(1 / most, fmin(1, by > 0 ? old / 2 : old * 2));
    zoom->from = fmax(0, fmin(1 - span, from + at * (old - span)));
    zoom->span = span < 1 ? span : 0;
    return true;
}
