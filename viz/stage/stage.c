/* stage.c: see stage.h. Makes a stage, and does what keys ask for. */
#include "stage/panel.h"
#include "stage/stage.h"
#include "text/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------- keys */

/* Does an action that changes how things look, not where the reader is: allowed at any time. */
static bool act_on_looks(rv_stage *stage, rv_action action) {
    switch (action) {
    case RV_THEME:
        stage->dark = !stage->dark;
        stage->desktop_theme = false;
        break;
    case RV_LANGUAGE: stage->wish = RV_WISH_LANGUAGE; break;
    case RV_FULL_SCREEN: stage->full_screen = !stage->full_screen; break;
    case RV_PICTURE_SVG: stage->wish = RV_WISH_SVG; break;
    case RV_CLOSE:
        if (stage->menu.thing != RV_NOTHING) {
            stage->menu = (rv_target){0};
        } else if (rv_may_end_race(stage)) {
            rv_race_end(stage);
            stage->playback.message[0] = '\0';
        } else {
            return false;
        }
        break;
    default: /* the playback shows the parts of a story one by one */
        return stage->playback.subject.kind->next_part == NULL && rv_stage_switch(stage, action);
    }
    return true;
}

/* Tells whether an action leaves the reader's position alone: then a motion goes on. */
static bool stays(const rv_stage *stage, rv_action action) {
    if (stage->playback.mode != RV_LOOKING) return false;
    switch (action) {
    case RV_FASTER:
    case RV_SLOWER:
    case RV_HELP:
    case RV_GO_TO:
    case RV_ROW_DOWN:
    case RV_ROW_UP:
    case RV_SCROLL_DOWN:
    case RV_SCROLL_UP:
    case RV_SHOW_ALL: /* of a story; a run's views are switched before */
    case RV_PICTURE:
    case RV_CLOSE:
    case RV_QUIT:
    case RV_NO_ACTION: return true;
    default: return false;
    }
}

/* Takes a micro-step from a place between two stops, where a drag or a pause has left the progress.
   False: it stands at a stop, or the action is another one. */
static bool to_next_stop(rv_stage *stage, rv_action action) {
    static const double stops[] = {RV_LIFT, RV_ARRIVAL, 1};
    const int32_t step = rv_position_of(&stage->playback).step;
    if (step < 0 || step >= stage->playback.subject.n_steps) return false;
    const double at = stage->progress;
    if (action == RV_MICRO_NEXT && at < RV_LIFT) {
        stage->goal = RV_LIFT;
    } else if (action == RV_MICRO_BACK) {
        double below = -1;
        for (int i = 0; i < 3; i++) {
            if (at == stops[i]) return false;
            if (at > stops[i]) below = stops[i];
        }
        if (below < 0) return false;
        stage->goal = below;
    } else {
        return false;
    }
    return true;
}

static rs_status pressed(rv_stage *stage, int32_t key, rv_action action, rs_error *error) {
    rv_playback *playback = &stage->playback;
    const bool pauses = playback->playing && action == RV_PLAY;
    rs_status status = RS_OK;
    if (pauses) {
        status = rv_stage_freeze(stage, error);
    } else if (!stays(stage, action)) {
        status = rv_stage_settle(stage, error);
    }
    if (status != RS_OK) return status;
    const int32_t step = rv_position_of(playback).step;
    const rv_moment moment = rv_position_of(playback).moment;
    const rv_mode mode = playback->mode;
    const double progress = stage->progress;
    if (mode == RV_LOOKING && to_next_stop(stage, action)) {
        playback->goal_step = step;
        playback->goal = rv_moment_of(stage->goal);
        playback->playing = false;
        playback->message[0] = '\0';
        return rv_stage_go(stage, step, progress, error);
    }
    playback->goal_step = step;
    playback->goal = moment;
    playback->flies = rv_stage_flies(stage);
    status = rv_playback_key(playback, key, error);
    if (playback->wants_picture) stage->wish = RV_WISH_PNG;
    playback->wants_picture = false;
    const bool asks = playback->mode == RV_ASKING && mode != RV_ASKING;
    if (action != RV_FASTER && action != RV_SLOWER) stage->rest_ms = 0;
    if (status != RS_OK || (playback->goal_step == step && playback->goal == moment && !asks))
        return status;
    return rv_stage_go(stage, step, progress, error);
}

/* Tells whether an action means nothing in the terminal, or in the window, and then says why. */
static bool is_elsewhere(rv_stage *stage, rv_action action) {
    const rv_key_row row = rv_key_row_of(action);
    const char *why = stage->output == RV_TO_TERMINAL ? row.not_here : row.not_there;
    if (why == NULL || !rv_takes(&stage->playback.subject, action)) return false;
    rv_stage_tell(stage, _("%s: %s"), _(row.names), _(why));
    return true;
}

/* Tells whether an action is about the diagram under the pointer, and then does it. */
static bool zooms(rv_stage *stage, rv_action action) {
    if (action != RV_FASTER && action != RV_SLOWER && action != RV_ZOOM_OFF) return false;
    return rv_stage_zoom(stage, action == RV_FASTER ? 1 : action == RV_SLOWER ? -1 : 0);
}

/* Does an action that belongs to the window; false: it is for the playback. */
static bool act_first(rv_stage *stage, rv_action action, rs_error *error, rs_status *status) {
    const rv_mode mode = stage->playback.mode;
    const bool looking = mode == RV_LOOKING || mode == RV_ASKING;
    bool done = looking && (is_elsewhere(stage, action) || act_on_looks(stage, action));
    if (mode == RV_TYPING && action == RV_FULL_SCREEN) done = act_on_looks(stage, action);
    if (!done && mode == RV_LOOKING) done = zooms(stage, action);
    if (!done && mode == RV_LOOKING) done = rv_stage_break(stage, action, error, status);
    if (!done && mode == RV_LOOKING && stage->other != NULL)
        done = rv_race_act(stage, action, error, status);
    if (done) rv_stage_resize(stage, stage->width, stage->height);
    return done;
}

/* Replaces an action, and its key, by what it means for this subject; false: it means nothing, and
   the message says why. */
static bool subject_takes(rv_stage *stage, int32_t *key, rv_action *action) {
    const rv_subject_kind *kind = stage->playback.subject.kind;
    const rv_action meant = rv_meaning_of(&stage->playback.subject, *action);
    if (meant == *action) return true;
    if (meant == RV_NO_ACTION) {
        const rv_key_row row = rv_key_row_of(*action);
        kind->refuse(row.action != RV_NO_ACTION ? _(row.names) : "", stage->playback.message,
                     sizeof stage->playback.message);
        stage->playback.reply = RV_NO_REPLY;
        return false;
    }
    *action = meant;
    *key = rv_key_row_of(meant).keys[0];
    return true;
}

rs_status rv_stage_act(rv_stage *stage, rv_action action, rs_error *error) {
    rs_status status = RS_OK;
    /* clicked elsewhere */
    if (stage->playback.mode == RV_TYPING) stage->playback.mode = stage->playback.behind;
    if (rv_lesson_act(stage, action, error, &status)) return status;
    int32_t key = 0;
    if (!subject_takes(stage, &key, &action)) return RS_OK;
    if (act_first(stage, action, error, &status)) return status;
    const rv_key_row row = rv_key_row_of(action);
    return row.action != RV_NO_ACTION ? pressed(stage, row.keys[0], action, error) : RS_OK;
}

rs_status rv_stage_key(rv_stage *stage, int32_t key, rs_error *error) {
    rv_action action = rv_stage_action_of(stage, key);
    rs_status status = RS_OK;
    stage->n_keys += stage->n_keys < 1000 && action != RV_NO_ACTION;
    const bool answers = stage->playback.mode == RV_ASKING && key >= '0' && key <= '9';
    if (rv_lesson_key(stage, key, error, &status)) return status;
    if (answers) action = RV_NO_ACTION;
    if (stage->playback.mode == RV_LOOKING && !subject_takes(stage, &key, &action)) return RS_OK;
    if (!answers && act_first(stage, action, error, &status)) return status;
    return pressed(stage, key, action, error);
}

/* ------------------------------------------------------------------------------ birth and change */

/* Opens a chunk's path for who walks by hand and named no view, where the ring's cells stay legible. */
static void open_path(rv_stage *stage) {
    const double u = stage->look.unit;
    const rv_box ring = stage->layout.views[0];
    if (!stage->options->by_hand || stage->output == RV_TO_TERMINAL || stage->course != NULL)
        return;
    if (stage->options->views != 0 || stage->views != RV_THE_RING || stage->other != NULL) return;
    if (!rv_has_model(&stage->playback.subject) || stage->what_if->model->n_chunks < 2) return;
    if (ring.w < 70 * u || ring.h < (16 + 3.0 * stage->what_if->model->n_ranks) * u) return;
    stage->unasked = rv_view_bit("path");
    stage->views |= stage->unasked;
    rv_stage_resize(stage, stage->width, stage->height);
}

/* Shows what the options ask for. */
static rs_status open(rv_stage *stage, const rv_subject *subject, const rv_options *options,
                      rs_error *error) {
    rs_status status = rv_stage_take(stage, subject, options, error);
    if (status != RS_OK) return status;
    if (stage->playback.mode == RV_ASKING) {
        stage->progress = stage->goal = 0;
    } else if (options->progress > 0 && options->at >= 0 && options->at < subject->n_steps) {
        status = rv_stage_show(stage, options->at, fmin(1, options->progress), error);
    }
    if (status == RS_OK) status = rv_race_begin(stage, subject, options->compare, error);
    rv_stage_resize(stage, options->pixel_width > 0 ? options->pixel_width : 1280,
                    options->pixel_height > 0 ? options->pixel_height : 720);
    open_path(stage);
    return status == RS_OK && stage->course != NULL ? rv_lesson_enter(stage, error) : status;
}

rs_status rv_stage_new(const rv_subject *subject, const rv_options *options, const rs_host *host,
                       rs_error *error, rv_stage **stage) {
    rv_stage *made = calloc(1, sizeof *made);
    if (made == NULL) return rs_no_memory(error);
    for (int i = 0; rv_panels[i] != NULL; i++) {
        if (rv_panels[i]->kept_bytes > 0) made->kept[i] = calloc(1, rv_panels[i]->kept_bytes);
    }
    made->options = options;
    made->host = host;
    made->course = options->course;
    made->pairing = &rv_alone;
    made->n_screens = 1;
    made->scale = options->scale > 0 ? options->scale : 1;
    made->dark = options->dark;
    made->desktop_theme = options->desktop_theme;
    made->bare = options->bare;
    made->output = subject->machine != NULL ? RV_TO_FIGURE
                   : options->in_characters ? RV_TO_TERMINAL
                                            : RV_TO_WINDOW;
    made->reduced_motion = options->reduced_motion || options->in_characters;
    made->landing = RV_NO_LANDING;
    made->views = rv_views_at_start(options->views, subject);
    if (options->in_characters) made->views |= rv_views_in_characters(true);
    for (int i = 0; rv_view(i) != NULL; i++) { /* these have priority over others of the options */
        if (rv_panels[i]->opens && made->views & 1u << i) made->opened[i] = ++made->n_opened;
    }
    made->progress = made->goal = 1;
    made->pace = 1;
    made->rest_ms = 700; /* while playing, the start is shown so long */
    const rs_status status = open(made, subject, options, error);
    if (status == RS_OK) {
        *stage = made;
    } else {
        rv_stage_free(made);
    }
    return status;
}

void rv_stage_free(rv_stage *stage) {
    if (stage == NULL) return;
    rv_what_if_free(stage->what_if);
    rv_what_if_free(stage->other);
    rv_scene_free(&stage->scene);
    for (int i = 0; i < RV_MOST_PANELS; i++) free(stage->kept[i]);
    free(stage);
}

void rv_stage_swap_language(rv_stage *stage) {
    static const char *const nowhere[] = {NULL};
    const char *const *dirs = stage->options->locale_dirs;
    const char *wanted = strcmp(rv_language(), "en") == 0 ? "zh_CN" : "en";
    if (!rv_set_language(wanted, dirs != NULL ? dirs : nowhere))
        rv_stage_tell(stage, "%s", _("this build has no Chinese catalogue"));
    rv_lesson_translate(stage);
    rv_stage_resize(stage, stage->width, stage->height);
}
