/* stage_views.c: opens and closes views. A view that the reader has opened stays open, also while
 * there is no room for it (layout.c): then the message names it.
 */
#include "stage/panel.h"
#include "stage/stage.h"
#include "text/say.h"

#include <assert.h>
#include <math.h>

/* Names in the message the open views for which there is no room. */
static void say_hidden(rv_stage *stage, unsigned before) {
    rv_say say = rv_say_to(stage->playback.message, sizeof stage->playback.message);
    const unsigned gone = before & stage->views & ~stage->layout.shown & ~(unsigned)RV_THE_RING;
    for (int i = 0; rv_view(i) != NULL; i++) {
        if ((gone & 1u << i) == 0) continue;
        rv_say_more(&say, "%s%s", say.used == 0 ? _("No room here for: ") : _(", "),
                    _(rv_panels[i]->name));
    }
}

/* Tells whether the view of an action can show nothing here, and then says so. */
static bool is_of_no_use(rv_stage *stage, rv_action action) {
    const int view = (int)action - RV_SHOW_VIEW;
    if (rv_view_fits(view, &stage->playback.subject)) return false;
    rv_stage_tell(stage, _("%s: %s"), _(rv_panels[view]->name), _(rv_panels[view]->lacking));
    stage->playback.reply = RV_NO_REPLY;
    return true;
}

bool rv_stage_switch(rv_stage *stage, rv_action action) {
    const unsigned shown = stage->layout.shown;
    unsigned all = stage->output == RV_TO_TERMINAL ? rv_views_in_characters(false) : rv_all_views();
    for (int i = 0; rv_view(i) != NULL; i++) {
        if (!rv_view_fits(i, &stage->playback.subject)) all &= ~(1u << i);
    }
    unsigned wanted = all;
    if (action == RV_SHOW_ALL) {
        stage->views = (stage->views & all) == all ? RV_THE_RING : stage->views | all;
    } else if (action < RV_SHOW_VIEW || action > RV_SHOW_LAST_VIEW) {
        return false;
    } else if (is_of_no_use(stage, action)) {
        return true;
    } else {
        const int view = (int)action - RV_SHOW_VIEW;
        assert(view < RV_MOST_VIEWS);
        wanted = 1u << view;
        stage->opened[view] = ++stage->n_opened;
        stage->unasked &= ~wanted;
        stage->views = shown & wanted ? stage->views & ~wanted : stage->views | wanted;
    }
    stage->playback.message[0] = '\0';
    stage->playback.reply = RV_NO_REPLY;
    rv_stage_resize(stage, stage->width, stage->height);
    say_hidden(stage, shown | wanted);
    return true;
}

/* ---------------------------------------------------------------------------------------- zoom */

/* Which part of the time the diagram of space and time shows, and which part of its cells
 * the matrix: twice as little or as much, about the pointer.
 */

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
