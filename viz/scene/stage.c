/* stage.c: see stage.h. Birth, keys, and what moves. */
#include "stage.h"

#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------------------------- position */

rs_status rv_stage_show(rv_stage *stage, int32_t step, double progress, rs_error *error) {
    stage->progress = stage->goal = progress;
    stage->rest_ms = 0;
    return rv_model_seek(stage->trial->model, step, rv_moment_of(progress), error);
}

/* The model follows the progress: it is sought only where the moment changes. */
static rs_status follow_progress(rv_stage *stage, rs_error *error) {
    rv_model *model = stage->trial->model;
    const rv_moment moment = rv_moment_of(stage->progress);
    if (model->moment == moment || model->step < 0 || model->step >= model->n_steps) return RS_OK;
    return rv_model_seek(model, model->step, moment, error);
}

/* Ends what is moving, at its goal. */
static rs_status settle(rv_stage *stage, rs_error *error) {
    stage->progress = stage->goal;
    return follow_progress(stage, error);
}

static bool is_moving(const rv_stage *stage) {
    return stage->progress != stage->goal;
}

/* After a key has moved the walk: lets the chunks travel where they would be seen to. */
static rs_status set_going(rv_stage *stage, int32_t step_before, double progress_before,
                           rs_error *error) {
    const rv_model *model = stage->trial->model;
    const bool inside = model->step >= 0 && model->step < model->n_steps;
    stage->goal = stage->progress = inside ? rv_progress_of(model->moment) : 1;
    if (stage->walk.mode == RV_ASKING) {
        stage->goal = stage->progress = 0;
        return follow_progress(stage, error);
    }
    if (!inside || stage->reduced_motion) return RS_OK;
    const bool same = model->step == step_before;
    if (same && stage->goal > progress_before) {
        stage->progress = progress_before; /* on, within the step */
    } else if (model->step == step_before + 1) {
        stage->progress = 0; /* one step on */
    }
    return follow_progress(stage, error);
}

rv_sight rv_main_sight(const rv_stage *stage) {
    const rv_model *model = stage->trial->model;
    return (rv_sight){.trial = stage->trial,
                      .model = model,
                      .progress = stage->progress,
                      .now_ps = stage->other != NULL
                                    ? stage->now_ps
                                    : rv_time_at(model, model->step, stage->progress),
                      .hidden = stage->walk.mode == RV_ASKING};
}

rv_sight rv_other_sight(const rv_stage *stage) {
    return (rv_sight){.trial = stage->other,
                      .model = stage->other->model,
                      .progress = stage->other_progress,
                      .now_ps = stage->now_ps};
}

/* ----------------------------------------------------------------------------------------- keys */

static bool act_on_views(rv_stage *stage, rv_action action) {
    static const struct {
        rv_action action;
        unsigned view;
    } switches[] = {{RV_SHOW_MATRIX, RV_VIEW_MATRIX},
                    {RV_SHOW_DIAGRAM, RV_VIEW_DIAGRAM},
                    {RV_SHOW_COST, RV_VIEW_COST},
                    {RV_SHOW_RULE, RV_VIEW_RULE},
                    {RV_SHOW_NUMBERS, RV_VIEW_NUMBERS}};
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        if (switches[i].action != action) continue;
        stage->views ^= switches[i].view;
        return true;
    }
    switch (action) {
    case RV_SHOW_ALL:
        stage->views = stage->views == RV_VIEW_ALL ? RV_VIEW_RING : RV_VIEW_ALL;
        break;
    case RV_THEME: stage->dark = !stage->dark; break;
    case RV_LANGUAGE: stage->wants_language = true; break;
    case RV_FULL_SCREEN: stage->full_screen = !stage->full_screen; break;
    case RV_PICTURE_SVG: stage->wants_svg = true; break;
    case RV_CLOSE:
        if (stage->menu_rank < 0) return false;
        stage->menu_rank = -1;
        break;
    default: return false;
    }
    return true;
}

static rs_status key(rv_stage *stage, int32_t key_pressed, rs_error *error) {
    const rv_model *model = stage->trial->model;
    rs_status status = settle(stage, error);
    const int32_t step = model->step;
    const double progress = stage->progress;
    if (status == RS_OK) status = rv_walk_key(&stage->walk, key_pressed, error);
    if (stage->walk.wants_picture) stage->wants_picture = true;
    stage->walk.wants_picture = false;
    stage->rest_ms = 0;
    if (status != RS_OK || (model->step == step && stage->walk.mode == RV_LOOKING &&
                            rv_progress_of(model->moment) == progress)) {
        return status;
    }
    return set_going(stage, step, progress, error);
}

rs_status rv_stage_act(rv_stage *stage, rv_action action, rs_error *error) {
    rs_status status = RS_OK;
    if (stage->walk.mode == RV_LOOKING || action == RV_FULL_SCREEN) {
        if (act_on_views(stage, action) || rv_stage_break(stage, action, error, &status)) {
            rv_stage_resize(stage, stage->width, stage->height);
            return status;
        }
    }
    for (const rv_key_row *row = rv_keys; row->action != RV_NO_ACTION; row++) {
        if (row->action == action) return key(stage, row->keys[0], error);
    }
    return RS_OK;
}

rs_status rv_stage_key(rv_stage *stage, int32_t key_pressed, rs_error *error) {
    const rv_action action = rv_action_of(key_pressed);
    rs_status status = RS_OK;
    if (stage->walk.mode == RV_LOOKING || action == RV_FULL_SCREEN) {
        if (act_on_views(stage, action) || rv_stage_break(stage, action, error, &status)) {
            rv_stage_resize(stage, stage->width, stage->height);
            return status;
        }
    }
    return key(stage, key_pressed, error);
}

/* ----------------------------------------------------------------------------------------- time */

static double motion_ms(const rv_stage *stage) {
    if (!stage->walk.playing) return RV_MOTION_MS;
    return fmin(RV_MOTION_MS, 0.75 * 1000 / stage->walk.speed);
}

rs_status rv_stage_tick(rv_stage *stage, double ms, rs_error *error) {
    if (is_moving(stage)) {
        const double by = ms / motion_ms(stage);
        stage->progress = fmin(stage->goal, stage->progress + by);
        const rs_status status = follow_progress(stage, error);
        if (!is_moving(stage)) {
            stage->rest_ms = 1000 / stage->walk.speed - motion_ms(stage);
        }
        return status;
    }
    if (!stage->walk.playing) return RS_OK;
    stage->rest_ms -= ms;
    if (stage->rest_ms > 0) return RS_OK;
    const int32_t step = stage->trial->model->step;
    const double progress = stage->progress;
    const rs_status status = rv_walk_tick(&stage->walk, error);
    if (status != RS_OK) return status;
    stage->rest_ms = 1000 / stage->walk.speed;
    return set_going(stage, step, progress, error);
}

int rv_stage_still_ms(const rv_stage *stage) {
    if (is_moving(stage)) return 0;
    if (!stage->walk.playing) return -1;
    return (int)fmax(0, stage->rest_ms);
}

/* ------------------------------------------------------------------------------ birth and change */

void rv_stage_resize(rv_stage *stage, double width, double height) {
    stage->width = fmax(64, width);
    stage->height = fmax(64, height);
    stage->look = rv_look_of(stage->dark, stage->width, stage->height, stage->scale);
    stage->layout = rv_layout_of(stage);
}

rs_status rv_stage_change(rv_stage *stage, const rv_setup *setup, rs_error *error) {
    const int32_t step = stage->trial->model->step;
    const bool at_end = step >= stage->trial->model->n_steps;
    rs_status status = rv_trial_change(stage->trial, setup, error);
    if (status != RS_OK) return status;
    rv_model *model = stage->trial->model;
    stage->walk.model = model;
    if (stage->walk.rank >= model->n_ranks) stage->walk.rank = 0;
    const int32_t to = at_end || step > model->n_steps ? model->n_steps : step;
    const bool inside = to >= 0 && to < model->n_steps;
    return rv_stage_show(stage, to, inside ? stage->progress : 1, error);
}

rs_status rv_stage_new(const rs_report *report, const rv_options *options, const rs_host *host,
                       rs_error *error, rv_stage **stage) {
    rv_stage *made = calloc(1, sizeof *made);
    if (made == NULL) return rs_fail(error, RS_NO_MEMORY, "no memory for the window");
    made->options = options;
    made->host = host;
    made->menu_rank = -1;
    made->scale = options->scale > 0 ? options->scale : 1;
    made->dark = options->dark;
    made->reduced_motion = options->reduced_motion;
    made->views = RV_VIEW_RING | options->views;
    made->progress = made->goal = 1;
    rs_status status = rv_trial_new(report, host, error, &made->trial);
    if (status == RS_OK) {
        status = rv_walk_start(&made->walk, made->trial->model, options, error);
    }
    if (status != RS_OK) {
        rv_stage_free(made);
        return status;
    }
    if (made->walk.mode == RV_ASKING) {
        made->progress = made->goal = 0;
    } else if (options->progress > 0 && options->at >= 0 &&
               options->at < made->trial->model->n_steps) {
        status = rv_stage_show(made, options->at, fmin(1, options->progress), error);
        if (status != RS_OK) {
            rv_stage_free(made);
            return status;
        }
    }
    rv_stage_resize(made, options->pixel_width > 0 ? options->pixel_width : 1280,
                    options->pixel_height > 0 ? options->pixel_height : 720);
    *stage = made;
    return RS_OK;
}

void rv_stage_free(rv_stage *stage) {
    if (stage == NULL) return;
    rv_trial_free(stage->trial);
    rv_trial_free(stage->other);
    rv_scene_free(&stage->scene);
    free(stage);
}
