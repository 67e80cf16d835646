/* stage_views.c: opens and closes views. A view that the reader has opened stays open, also while
 * there is no room for it (layout.c): then the message names it.
 */
#include "stage/panel.h"
#include "stage/stage.h"
#include "text/say.h"

#include <assert.h>

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
    rv_stage_tell(stage, _("%s: there is none here"), _(rv_panels[view]->name));
    stage->playback.reply = RV_NO_REPLY;
    return true;
}

bool rv_stage_switch(rv_stage *stage, rv_action action) {
    const unsigned shown = stage->layout.shown;
    const unsigned all =
        stage->output == RV_TO_TERMINAL ? rv_views_in_characters(false) : rv_all_views();
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
        stage->views = shown & wanted ? stage->views & ~wanted : stage->views | wanted;
    }
    stage->playback.message[0] = '\0';
    stage->playback.reply = RV_NO_REPLY;
    rv_stage_resize(stage, stage->width, stage->height);
    say_hidden(stage, shown | wanted);
    return true;
}
