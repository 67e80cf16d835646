/* stage_views.c: which views are open, and which of them there is room for.
 *
 *   - What the reader has opened stays open; where there isn't room for all, those opened longest ago
 *     wait, hidden, until the window grows or others are closed. Their names are said.
 *   - In a window too small for any view beside the ring, the latest one takes the ring's place.
 */
#include "stage/panel.h"
#include "stage/stage.h"
#include "text/say.h"

#include <string.h>

static const double LEAST_RING = 12, LEAST_RINGS = 22, LEAST_SIDE = 16, LEAST_HEIGHT = 9, GAP = 0.5;

const rv_panel *rv_view(int index) {
    return rv_panels[index]->word != NULL ? rv_panels[index] : NULL;
}

const char *rv_view_word(int index) {
    return rv_panels[index]->word;
}

unsigned rv_view_bit(const char *word) {
    int index = 0;
    while (strcmp(rv_view_word(index), word) != 0) index++;
    return 1u << index;
}

bool rv_view_fits(int index, const rv_subject *subject) {
    return rv_panels[index]->fits == NULL || rv_panels[index]->fits(subject);
}

rv_action rv_view_action(unsigned view) {
    int index = 0;
    while (view > 1u << index) index++;
    return (rv_action)(RV_SHOW_VIEW + index);
}

unsigned rv_all_views(void) {
    unsigned all = RV_THE_RING;
    for (int i = 0; rv_view(i) != NULL; i++) {
        if (rv_panels[i]->sign != NULL) all |= 1u << i;
    }
    return all;
}

unsigned rv_views_meant(unsigned wanted) {
    const bool all = (wanted & RV_VIEW_ALL) != 0;
    return (wanted & ~(unsigned)RV_VIEW_ALL) | (all ? rv_all_views() : RV_THE_RING);
}

static bool fit(const rv_stage *stage, unsigned shown, rv_box middle) {
    const double u = stage->look.unit, width = middle.w / u;
    const double ring = stage->other != NULL ? LEAST_RINGS : LEAST_RING;
    double height = middle.h / u;
    const double below = rv_below_least(shown);
    if (below > 0) height -= below + GAP;
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
    for (int i = 0; rv_view(i) != NULL; i++) {
        if ((shown & 1u << i) == 0) continue;
        if (found < 0 || stage->opened[i] <= stage->opened[found]) found = i;
    }
    return found;
}

unsigned rv_views_that_fit(const rv_stage *stage, rv_box middle) {
    unsigned shown = stage->views | RV_THE_RING, last = 0;
    for (int i = 0; rv_view(i) != NULL; i++) {
        if (!rv_view_fits(i, &stage->playback.subject)) shown &= ~(1u << i);
    }
    while (shown != 0 && !fit(stage, shown, middle)) {
        const int out = oldest(stage, shown & ~(unsigned)RV_THE_RING);
        if (out < 0) break;
        last = 1u << out;
        shown &= ~last;
    }
    return shown == RV_THE_RING && last != 0 ? last : shown;
}

/* Names the open views that had to go. */
static void say_hidden(rv_stage *stage, unsigned before) {
    rv_say say = rv_say_to(stage->playback.message, sizeof stage->playback.message);
    const unsigned gone = before & stage->views & ~stage->layout.shown & ~(unsigned)RV_THE_RING;
    for (int i = 0; rv_view(i) != NULL; i++) {
        if ((gone & 1u << i) == 0) continue;
        rv_say_more(&say, "%s%s", say.used == 0 ? _("No room here for: ") : _(", "),
                    _(rv_panels[i]->name));
    }
}

bool rv_stage_switch(rv_stage *stage, rv_action action) {
    const unsigned shown = stage->layout.shown, all = rv_all_views();
    unsigned wanted = all;
    if (action == RV_SHOW_ALL) {
        stage->views = (stage->views & all) == all ? RV_THE_RING : stage->views | all;
    } else if (action < RV_SHOW_VIEW || action > RV_SHOW_LAST_VIEW) {
        return false;
    } else {
        const int view = (int)action - RV_SHOW_VIEW;
        wanted = 1u << view;
        stage->opened[view] = ++stage->n_opened;
        stage->views = shown & wanted ? stage->views & ~wanted : stage->views | wanted;
    }
    stage->playback.message[0] = '\0';
    stage->playback.reply = RV_NO_REPLY;
    rv_stage_resize(stage, stage->width, stage->height);
    say_hidden(stage, shown | wanted);
    return true;
}
