/* stage_zoom.c: which part of the time the diagram of space and time shows, and which part of its cells
 * the matrix: twice as little or as much, about the pointer.
 */
#include "stage/stage.h"
#include "text/words.h"

#include <math.h>
#include <stdio.h>

enum { MOST = 256 };

/* Returns the box of what was drawn last for a thing; one without width: there is none. */
static rv_box box_of(const rv_stage *stage, rv_thing thing, int32_t which) {
    const rv_target wanted = rv_target_of(thing, which, 0);
    for (int32_t i = 0; i < stage->scene.n_items; i++) {
        if (rv_same_target(stage->scene.items[i].target, wanted)) return stage->scene.items[i].box;
    }
    return (rv_box){0};
}

static bool is_pointed(const rv_stage *stage, rv_box box) {
    return box.w > 0 && rv_inside(box, stage->pointer_x, stage->pointer_y);
}

/* Returns how much is shown after a zoom by so much, as a share. */
static double next_span(double old, double by) {
    return fmax(1.0 / MOST, fmin(1, by > 0 ? old / 2 : old * 2));
}

/* Returns where the part begins that shows the same under a share `at` of the box as before. */
static double next_from(double from, double at, double old, double span) {
    return fmax(0, fmin(1 - span, from + at * (old - span)));
}

static void zoom_time(rv_stage *stage, rv_box axis, double by) {
    rv_zoom *zoom = &stage->zoom;
    const double old = zoom->span > 0 ? zoom->span : 1, from = zoom->span > 0 ? zoom->from : 0;
    const double span = next_span(old, by);
    zoom->from = next_from(from, (stage->pointer_x - axis.x) / axis.w, old, span);
    zoom->span = span < 1 ? span : 0;
}

static void zoom_map(rv_stage *stage, rv_box cells, double by) {
    const rv_map_zoom before = stage->map;
    const double old = before.span > 0 ? before.span : 1, span = next_span(old, by);
    stage->map.x = next_from(before.x, (stage->pointer_x - cells.x) / cells.w, old, span);
    stage->map.y = next_from(before.y, (stage->pointer_y - cells.y) / cells.h, old, span);
    stage->map.span = span < 1 ? span : 0;
}

bool rv_stage_zoom(rv_stage *stage, double by) {
    const rv_box axis = box_of(stage, RV_TIME_AXIS, 0), cells = box_of(stage, RV_MAP, 0);
    if (by == 0) {
        stage->zoom.span = 0;
        stage->map = (rv_map_zoom){0};
        return true;
    }
    if (is_pointed(stage, axis)) {
        zoom_time(stage, axis, by);
    } else if (is_pointed(stage, cells)) {
        zoom_map(stage, cells, by);
    } else if (is_pointed(stage, box_of(stage, RV_MAP, 1))) {
        snprintf(stage->playback.message, sizeof stage->playback.message, "%s",
                 _("The ring's map shows all GPUs, as the dots do; the matrix (m) zooms"));
    } else {
        return false;
    }
    return true;
}
