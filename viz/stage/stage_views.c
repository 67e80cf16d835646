/* stage_views.c: which views are open, and which of them there is room for.
 *
 *   - What the reader has opened stays open; where there isn't room for all, those opened longest ago
 *     wait, hidden, until the window grows or others are closed. Their names are said.
 *   - In a window too small for any view beside the ring, the latest one takes the ring's place.
 */
#include "text/say.h"
#include "stage/stage.h"

static const struct view {
    unsigned view;
    rv_action action;
    double least; /* height, in units */
    const char *name;
} views[] = {{RV_VIEW_MATRIX, RV_SHOW_MATRIX, 5.5, N_("Matrix")},
             {RV_VIEW_DIAGRAM, RV_SHOW_DIAGRAM, 7, N_("Diagram")},
             {RV_VIEW_COST, RV_SHOW_COST, 5.5, N_("Costs")},
             {RV_VIEW_RULE, RV_SHOW_RULE, 4, N_("Rule")},
             {RV_VIEW_NUMBERS, RV_SHOW_NUMBERS, 7.5, N_("Numbers")}};
enum { N_VIEWS = sizeof views / sizeof views[0] };

static const double LEAST_RING = 12, LEAST_RINGS = 22, LEAST_SIDE = 16, LEAST_HEIGHT = 9, GAP = 0.5;

double rv_view_least(unsigned view) {
    for (int i = 0; i < N_VIEWS; i++) {
        if (views[i].view == view) return views[i].least;
    }
    return 0;
}

const char *rv_view_name(unsigned view) {
    for (int i = 0; i < N_VIEWS; i++) {
        if (views[i].view == view) return _(views[i].name);
    }
    return "";
}

static bool fit(const rv_stage *stage, unsigned shown, rv_box middle) {
    const double u = stage->look.unit, width = middle.w / u;
    const double ring = stage->other != NULL ? LEAST_RINGS : LEAST_RING;
    double height = middle.h / u;
    if (shown & RV_VIEW_DIAGRAM) height -= rv_view_least(RV_VIEW_DIAGRAM) + GAP;
    const double side = rv_side_least(stage, shown, width, height);
    if (side > 0 && rv_is_upright(stage, width, height)) {
        height -= side + GAP;
    } else if (side > 0 && (side > height || width < ring + GAP + LEAST_SIDE)) {
        return false;
    }
    return height >= LEAST_HEIGHT;
}

/* The open view that was opened longest ago, of those the last in the table. */
static int oldest(const rv_stage *stage, unsigned shown) {
    int found = -1;
    for (int i = 0; i < N_VIEWS; i++) {
        if ((shown & views[i].view) == 0) continue;
        if (found < 0 || stage->opened[i] <= stage->opened[found]) found = i;
    }
    return found;
}

unsigned rv_views_that_fit(const rv_stage *stage, rv_box middle) {
    unsigned shown = stage->views | RV_VIEW_RING, last = 0;
    while (!fit(stage, shown, middle)) {
        const int out = oldest(stage, shown & ~(unsigned)RV_VIEW_RING);
        if (out < 0) break;
        last = views[out].view;
        shown &= ~last;
    }
    return shown == RV_VIEW_RING && last != 0 ? last : shown;
}

/* Names the open views that had to go. */
static void say_hidden(rv_stage *stage, unsigned before) {
    rv_say say = rv_say_to(stage->playback.message, sizeof stage->playback.message);
    const unsigned gone = before & stage->views & ~stage->layout.shown & ~(unsigned)RV_VIEW_RING;
    for (int i = 0; i < N_VIEWS; i++) {
        if ((gone & views[i].view) == 0) continue;
        rv_say_more(&say, "%s%s", say.used == 0 ? _("No room here for: ") : _(", "),
                    _(views[i].name));
    }
}

bool rv_stage_switch(rv_stage *stage, rv_action action) {
    const unsigned shown = stage->layout.shown;
    unsigned wanted = 0;
    for (int i = 0; i < N_VIEWS; i++) {
        if (views[i].action != action) continue;
        wanted = views[i].view;
        stage->opened[i] = ++stage->n_opened;
    }
    if (action == RV_SHOW_ALL) {
        stage->views = stage->views == RV_VIEW_ALL ? RV_VIEW_RING : RV_VIEW_ALL;
        wanted = RV_VIEW_ALL;
    } else if (wanted == 0) {
        return false;
    } else if (shown & wanted) {
        stage->views &= ~wanted;
    } else {
        stage->views |= wanted;
    }
    stage->playback.message[0] = '\0';
    stage->playback.reply = RV_NO_REPLY;
    rv_stage_resize(stage, stage->width, stage->height);
    say_hidden(stage, shown | wanted);
    return true;
}
