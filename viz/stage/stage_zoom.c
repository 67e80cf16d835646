/* stage_zoom.c: which part of the time the diagram of space and time shows, and which part of its cells
 * the matrix: twice as little or as much, about the pointer.
 */
#include "stage/stage.h"
#include "text/words.h"

#include <math.h>

enum { MOST = 256 };

static bool is_pointed(const rv_stage *stage, rv_box box) {
    return box.w > 0 && rv_inside(box, stage->pointer_x, stage->pointer_y);
}

/* Returns where the part begins that shows the same under a share `at` of the box as before. */
static double next_from(double from, double at, double old, double span) {
    return fmax(0, fmin(1 - span, from + at * (old - span)));
}

static void zoom_box(const rv_stage *stage, rv_zoom *zoom, rv_box box, double by) {
    const bool all = zoom->span <= 0;
    const double old = all ? 1 : zoom->span;
    const double span = fmax(1.0 / MOST, fmin(1, by > 0 ? old / 2 : old * 2));
    zoom->from = next_from(all ? 0 : zoom->from, (stage->pointer_x - box.x) / box.w, old, span);
    zoom->from_y = next_from(all ? 0 : zoom->from_y, (stage->pointer_y - box.y) / box.h, old, span);
    zoom->span = span < 1 ? span : 0;
}

bool rv_stage_zoom(rv_stage *stage, double by) {
    const rv_box axis = rv_scene_box(&stage->scene, rv_target_of(RV_TIME_AXIS, 0, 0));
    const rv_box cells = rv_scene_box(&stage->scene, rv_target_of(RV_MAP, 0, 0));
    const rv_box ring = rv_scene_box(&stage->scene, rv_target_of(RV_MAP, 1, 0));
    if (by == 0) {
        stage->zoom.span = 0;
        stage->map.span = 0;
        return true;
    }
    if (is_pointed(stage, axis)) {
        zoom_box(stage, &stage->zoom, axis, by);
    } else if (is_pointed(stage, cells)) {
        zoom_box(stage, &stage->map, cells, by);
    } else if (is_pointed(stage, ring)) {
        rv_stage_tell(stage, "%s",
                      _("The ring's map shows all GPUs, as the dots do; the matrix (m) zooms"));
    } else {
        return false;
    }
    return true;
}
