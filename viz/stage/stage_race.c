/* stage_race.c: how two runs go on at one common time: the two sides of a fork, or two algorithms
 * that race. stage_runs.c says which two they are.
 *
 *     now_ps ------|------------------------>  goal_ps
 *     main   [step][step][step]                done: waits at its end
 *     other  [   step   ][   step   ][   step   ]
 *
 *   - Keys, playing and dragging move the common time now_ps; both models follow it.
 *   - One step on is the end of the main run's next step; after its last, of the other's next.
 *   - Playing takes RACE_MS for the longer of the two at speed 1.
 */
#include "stage/stage.h"
#include "text/words.h"

#include <assert.h>
#include <math.h>

enum { RACE_MS = 12000, BACK_MS = 250, THIRDS = 3 };

static int64_t length_ps(const rv_stage *stage) {
    const int64_t a = stage->what_if->report->outcome.makespan_ps;
    const int64_t b = stage->other->report->outcome.makespan_ps;
    return a > b ? a : b;
}

static bool at_end(const rv_stage *stage) {
    return stage->now_ps >= length_ps(stage);
}

/* ------------------------------------------------------------------------------------- position */

/* Seeks a model to a time; a step that ends just then counts as done. */
static rs_status seek_time(rv_model *model, int64_t now_ps, double *progress, rs_error *error) {
    int32_t step = -1;
    *progress = 1;
    if (now_ps > 0) {
        rv_moment_at(model, now_ps, &step, progress);
        if (step > 0 && step < model->n_steps && model->step_done_ps[step] == now_ps) {
            step--;
            *progress = 1;
        }
    }
    const rv_moment moment = rv_moment_of(*progress);
    if (model->step == step && model->moment == moment) return RS_OK;
    return rv_model_seek(model, step, moment, error);
}

static rs_status show_time(rv_stage *stage, int64_t now_ps, rs_error *error) {
    const int64_t last_ps = length_ps(stage);
    stage->now_ps = now_ps < 0 ? 0 : now_ps > last_ps ? last_ps : now_ps;
    assert(last_ps >= 0 && stage->now_ps >= 0);
    rs_status status = seek_time(stage->what_if->model, stage->now_ps, &stage->progress, error);
    stage->goal = stage->progress;
    if (status != RS_OK) return status;
    return seek_time(stage->other->model, stage->now_ps, &stage->other_progress, error);
}

rs_status rv_race_show(rv_stage *stage, int64_t now_ps, rs_error *error) {
    const rs_status status = show_time(stage, now_ps, error);
    stage->goal_ps = stage->now_ps;
    stage->rest_ms = 0;
    return status;
}

rs_status rv_race_show_other(rv_stage *stage, int32_t step, rs_error *error) {
    const rv_model *model = stage->other->model;
    assert(step >= -1 && step <= model->n_steps);
    return rv_race_show(stage, model->step_done_ps[step < model->n_steps ? step + 1 : step], error);
}

rs_status rv_race_scrub(rv_stage *stage, double share, rs_error *error) {
    stage->playback.playing = false;
    stage->playback.message[0] = '\0';
    return rv_race_show(stage, (int64_t)((double)length_ps(stage) * share), error);
}

double rv_race_place(const rv_stage *stage) {
    const double last_ps = (double)length_ps(stage);
    return last_ps > 0 ? (double)stage->now_ps / last_ps : 1;
}

rs_status rv_race_follow(rv_stage *stage, rs_error *error) {
    const rv_model *model = stage->what_if->model;
    stage->now_ps = stage->goal_ps = rv_time_at(model, model->step, stage->progress);
    stage->goal = stage->progress;
    return seek_time(stage->other->model, stage->now_ps, &stage->other_progress, error);
}

/* ----------------------------------------------------------------------------------------- keys */

/* Returns the end of the first step that ends after `now_ps`; -1: there is none. */
static int64_t end_after(const rv_model *model, int64_t now_ps) {
    for (int32_t s = 1; s <= model->n_steps; s++) {
        if (model->step_done_ps[s] > now_ps) return model->step_done_ps[s];
    }
    return -1;
}

/* Returns the last end of a step before `now_ps`; 0: the start. */
static int64_t end_before(const rv_model *model, int64_t now_ps) {
    for (int32_t s = model->n_steps; s > 0; s--) {
        if (model->step_done_ps[s] < now_ps) return model->step_done_ps[s];
    }
    return 0;
}

static int64_t next_ps(const rv_stage *stage, int64_t at_ps) {
    const int64_t own_ps = end_after(stage->what_if->model, at_ps);
    if (own_ps >= 0) return own_ps;
    const int64_t other_ps = end_after(stage->other->model, at_ps);
    return other_ps >= 0 ? other_ps : length_ps(stage);
}

static int64_t back_ps(const rv_stage *stage, int64_t at_ps) {
    const int64_t own_ps = end_before(stage->what_if->model, at_ps);
    if (at_ps <= stage->what_if->report->outcome.makespan_ps) return own_ps;
    const int64_t other_ps = end_before(stage->other->model, at_ps);
    return other_ps > own_ps ? other_ps : own_ps;
}

/* Returns the time a third of a step on, or back. */
static int64_t micro_ps(const rv_stage *stage, int direction) {
    const int64_t now_ps = stage->now_ps;
    const int64_t end_ps =
        direction > 0 ? next_ps(stage, now_ps) : next_ps(stage, back_ps(stage, now_ps));
    const int64_t begin_ps = back_ps(stage, end_ps), third_ps = (end_ps - begin_ps) / THIRDS;
    const int64_t thirds[] = {begin_ps, begin_ps + third_ps, begin_ps + 2 * third_ps, end_ps};
    for (int i = 1; direction > 0 && i < THIRDS; i++) {
        if (thirds[i] > now_ps) return thirds[i];
    }
    for (int i = THIRDS - 1; direction < 0 && i >= 0; i--) {
        if (thirds[i] < now_ps) return thirds[i];
    }
    return direction > 0 ? end_ps : begin_ps;
}

static int64_t phase_ps(const rv_stage *stage, int direction) {
    const rv_model *model = stage->what_if->model;
    int64_t to_ps = direction > 0 ? length_ps(stage) : 0;
    for (int32_t i = 0; i < model->schedule->n_phases; i++) {
        const int64_t first_ps = model->step_done_ps[model->schedule->phases[i].first_step];
        if (direction > 0 && first_ps > stage->now_ps && first_ps < to_ps) to_ps = first_ps;
        if (direction < 0 && first_ps < stage->now_ps && first_ps > to_ps) to_ps = first_ps;
    }
    return to_ps;
}

static rs_status move_to(rv_stage *stage, int64_t to_ps, rs_error *error) {
    if (stage->reduced_motion) return rv_race_show(stage, to_ps, error);
    stage->goal_ps = to_ps;
    const double ms = to_ps < stage->now_ps ? BACK_MS : RV_MOTION_MS;
    stage->race_pace = fabs((double)(to_ps - stage->now_ps)) / ms;
    return RS_OK;
}

static void toggle_play(rv_stage *stage) {
    stage->playback.playing = !stage->playback.playing;
    if (stage->playback.playing && at_end(stage)) stage->now_ps = 0;
    stage->goal_ps = stage->now_ps;
    stage->rest_ms = 0;
}

bool rv_race_act(rv_stage *stage, rv_action action, rs_error *error, rs_status *status) {
    static const rv_action moves[] = {RV_NEXT,       RV_BACK,       RV_MICRO_NEXT, RV_MICRO_BACK,
                                      RV_PHASE_NEXT, RV_PHASE_BACK, RV_HOME,       RV_END,
                                      RV_PLAY,       RV_PREDICT};
    bool mine = false;
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) mine |= moves[i] == action;
    if (!mine) return false;
    stage->playback.message[0] = '\0';
    *status = show_time(stage, stage->goal_ps, error); /* ends what is moving */
    if (*status != RS_OK) return true;
    if (action != RV_PLAY) stage->playback.playing = false;
    switch (action) {
    case RV_NEXT: *status = move_to(stage, next_ps(stage, stage->now_ps), error); break;
    case RV_BACK: *status = move_to(stage, back_ps(stage, stage->now_ps), error); break;
    case RV_MICRO_NEXT: *status = move_to(stage, micro_ps(stage, 1), error); break;
    case RV_MICRO_BACK: *status = move_to(stage, micro_ps(stage, -1), error); break;
    case RV_PHASE_NEXT: *status = rv_race_show(stage, phase_ps(stage, 1), error); break;
    case RV_PHASE_BACK: *status = rv_race_show(stage, phase_ps(stage, -1), error); break;
    case RV_HOME: *status = rv_race_show(stage, 0, error); break;
    case RV_END: *status = rv_race_show(stage, length_ps(stage), error); break;
    case RV_PLAY: toggle_play(stage); break;
    default: {
        rv_stage_tell(stage, "%s", _("No questions while two runs are shown"));
    }
    }
    return true;
}

/* ----------------------------------------------------------------------------------------- time */

static rs_status glide(rv_stage *stage, double ms, rs_error *error) {
    const int64_t by_ps = (int64_t)fmax(1, ms * stage->race_pace);
    const int64_t left_ps = stage->goal_ps - stage->now_ps;
    if (left_ps > by_ps) return show_time(stage, stage->now_ps + by_ps, error);
    if (-left_ps > by_ps) return show_time(stage, stage->now_ps - by_ps, error);
    return rv_race_show(stage, stage->goal_ps, error);
}

rs_status rv_race_tick(rv_stage *stage, double ms, rs_error *error) {
    ms = fmin(ms, RV_LONGEST_LEAP_MS);
    if (stage->goal_ps != stage->now_ps) return glide(stage, ms, error);
    if (!stage->playback.playing) return RS_OK;
    const double share = ms * stage->playback.speed / RACE_MS;
    int64_t to_ps = stage->now_ps + (int64_t)fmax(1, (double)length_ps(stage) * share);
    if (stage->reduced_motion) { /* from the end of one step to that of the next */
        stage->rest_ms -= ms;
        if (stage->rest_ms > 0) return RS_OK;
        to_ps = next_ps(stage, stage->now_ps);
    }
    const rs_status status = rv_race_show(stage, to_ps, error);
    if (stage->reduced_motion) stage->rest_ms = 1000 / stage->playback.speed;
    if (at_end(stage)) stage->playback.playing = false;
    return status;
}

int rv_race_still_ms(const rv_stage *stage) {
    if (stage->goal_ps != stage->now_ps) return 0;
    if (!stage->playback.playing) return -1;
    return stage->reduced_motion ? (int)fmax(0, stage->rest_ms) : 0;
}
