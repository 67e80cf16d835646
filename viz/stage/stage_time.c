/* stage_time.c: moves the progress inside a step, forwards and backwards, while playing, and at
 * once.
 *
 *     key --> rv_stage_settle --> the playback moves --> rv_stage_go: progress runs to its goal
 *                                                    rv_stage_tick, again and again
 *
 *   - Forwards the model is in the new step from the first moment, its chunks on their way. Backwards
 *     it stays in the old step while the chunks fly back, and goes to the step before at the end.
 *   - The model's moment follows the progress: it seeks only when that changes.
 *   - With reduced motion a step forwards is two stills: its chunks stand at the receiver's door, then
 *     all is done. The terminal shows the second one alone.
 *   - Between two motions nothing moves, so a picture at rest costs nothing.
 */
#include "stage/stage.h"
#include "story/telling.h"

#include <math.h>

static const double LEAST_MS = 220; /* a motion forwards takes at least that, to be seen */
static const double BACK_MS = 250;  /* every motion backwards takes that */
static const double HOLD_MS = 800;  /* with reduced motion: how long the first still is seen */
static const int NEWS_MS = 250;     /* so often a story that awaits something is asked */
static const double PLAYED = 0.75;  /* while playing, that share of a step is motion, then rest */

static bool is_inside(const rv_stage *stage, int32_t step) {
    return step >= 0 && step < stage->playback.subject.n_steps;
}

static bool is_moving(const rv_stage *stage) {
    return stage->progress != stage->goal;
}

static bool flies_back(const rv_stage *stage) {
    return stage->landing != RV_NO_LANDING;
}

rs_status rv_stage_show(rv_stage *stage, int32_t step, double progress, rs_error *error) {
    stage->progress = stage->goal = progress;
    stage->landing = RV_NO_LANDING;
    stage->rest_ms = stage->hold_ms = 0;
    const rs_status status =
        rv_playback_seek(&stage->playback, step, rv_moment_of(progress), error);
    return status == RS_OK && stage->other != NULL ? rv_race_follow(stage, error) : status;
}

static rs_status follow_progress(rv_stage *stage, rs_error *error) {
    const rv_position at = rv_position_of(&stage->playback);
    const rv_moment moment = rv_moment_of(stage->progress);
    const bool there = at.moment == moment || (at.moment == RV_BETWEEN && moment == RV_DONE);
    if (there || !is_inside(stage, at.step)) return RS_OK;
    return rv_playback_seek(&stage->playback, at.step, moment, error);
}

rs_status rv_stage_settle(rv_stage *stage, rs_error *error) {
    if (flies_back(stage)) {
        const int32_t step = stage->landing;
        const rs_status status = rv_stage_show(stage, step, 1, error);
        const bool between = stage->playback.goal == RV_BETWEEN;
        if (status != RS_OK || !between || stage->playback.goal_step != step) return status;
        return rv_playback_seek(&stage->playback, step, RV_BETWEEN, error);
    }
    stage->progress = stage->goal;
    stage->hold_ms = 0;
    return follow_progress(stage, error);
}

rs_status rv_stage_freeze(rv_stage *stage, rs_error *error) {
    if (flies_back(stage)) return rv_stage_settle(stage, error);
    stage->goal = stage->progress;
    return RS_OK;
}

static void set_pace(rv_stage *stage) {
    const double way = fabs(stage->goal - stage->progress);
    double ms = fmax(LEAST_MS, RV_MOTION_MS * way);
    if (stage->goal < stage->progress) ms = BACK_MS;
    if (stage->playback.playing)
        ms = fmin(RV_MOTION_MS, PLAYED * 1000 / stage->playback.speed) * way;
    if (stage->reduced_motion)
        ms = fmin(HOLD_MS, stage->playback.playing ? 500 / stage->playback.speed : HOLD_MS);
    stage->hold_ms = stage->reduced_motion ? ms : 0;
    stage->pace = ms > 0 ? way / ms : 1;
}

bool rv_stage_flies(const rv_stage *stage) {
    return !stage->reduced_motion && stage->other == NULL;
}

/* Sets out for the playback's goal. The chunks fly there within the step, to the next step, or to
   the step before (then they fly back); to any other goal the stage jumps. */
static void set_out(rv_stage *stage, int32_t from_step, double from) {
    const int32_t step = stage->playback.goal_step;
    const bool inside = is_inside(stage, step), was_inside = is_inside(stage, from_step);
    stage->landing = RV_NO_LANDING;
    stage->progress = stage->goal = inside ? rv_progress_of(stage->playback.goal) : 1;
    if (stage->playback.mode == RV_ASKING) {
        stage->progress = stage->goal = 0;
    } else if (!rv_stage_flies(stage)) {
        const bool forwards = step == from_step + 1 || (step == from_step && from < RV_ARRIVAL);
        const bool still = stage->other == NULL && stage->output != RV_TO_TERMINAL;
        if (still && inside && forwards && stage->goal > RV_ARRIVAL) stage->progress = RV_ARRIVAL;
    } else if (step == from_step && was_inside) {
        stage->progress = from;
    } else if (step == from_step + 1 && inside) {
        stage->progress = 0;
    } else if (step == from_step - 1 && was_inside && from > 0 &&
               stage->playback.subject.kind->undoes) {
        stage->landing = step;
        stage->progress = from;
        stage->goal = 0;
    }
}

rs_status rv_stage_go(rv_stage *stage, int32_t from_step, double from, rs_error *error) {
    set_out(stage, from_step, from);
    if (stage->other != NULL) return rv_race_follow(stage, error);
    const int32_t at = rv_position_of(&stage->playback).step, to = stage->playback.goal_step;
    set_pace(stage);
    if (flies_back(stage) || at == to) return follow_progress(stage, error);
    return rv_playback_seek(&stage->playback, to, rv_moment_of(stage->progress), error);
}

/* ------------------------------------------------------------------------------------- step by step */

/* Moves until the goal or until *ms is used up; leaves in *ms what is left. */
static rs_status move_on(rv_stage *stage, double *ms, rs_error *error) {
    if (stage->reduced_motion && stage->hold_ms > *ms) {
        stage->hold_ms -= *ms;
        *ms = 0;
        return RS_OK;
    }
    if (stage->reduced_motion) {
        *ms -= stage->hold_ms;
        return rv_stage_settle(stage, error);
    }
    const double way = stage->goal - stage->progress, by = *ms * stage->pace;
    if (by < fabs(way)) {
        stage->progress += way > 0 ? by : -by;
        *ms = 0;
        return follow_progress(stage, error);
    }
    *ms -= fabs(way) / stage->pace;
    return rv_stage_settle(stage, error);
}

/* Rests between two steps while playing, then begins the next; leaves in *ms what is left. */
static rs_status rest_between_steps(rv_stage *stage, double *ms, rs_error *error) {
    if (stage->rest_ms > *ms) {
        stage->rest_ms -= *ms;
        *ms = 0;
        return RS_OK;
    }
    *ms -= stage->rest_ms;
    const int32_t step = rv_position_of(&stage->playback).step;
    const double progress = stage->progress;
    stage->playback.flies = rv_stage_flies(stage);
    rs_status status = rv_playback_tick(&stage->playback, error);
    if (status == RS_OK) status = rv_stage_go(stage, step, progress, error);
    const double motion_ms = fabs(stage->goal - stage->progress) / stage->pace;
    stage->rest_ms = fmax(1, 1000 / stage->playback.speed - motion_ms);
    return status;
}

rs_status rv_stage_tick(rv_stage *stage, double ms, rs_error *error) {
    if (stage->other != NULL) return rv_race_tick(stage, ms, error);
    rs_status status = RS_OK;
    ms = fmin(ms, stage->rest_ms + stage->hold_ms + RV_LONGEST_LEAP_MS);
    while (ms > 0 && status == RS_OK) {
        if (is_moving(stage)) {
            status = move_on(stage, &ms, error);
        } else if (stage->playback.playing && stage->playback.mode == RV_LOOKING) {
            status = rest_between_steps(stage, &ms, error);
        } else {
            break;
        }
    }
    return status;
}

int rv_stage_still_ms(const rv_stage *stage) {
    if (stage->other != NULL) return rv_race_still_ms(stage);
    if (is_moving(stage)) return stage->reduced_motion ? (int)fmax(1, ceil(stage->hold_ms)) : 0;
    if (stage->playback.playing) return (int)fmax(1, ceil(stage->rest_ms));
    const rv_telling *telling = stage->playback.subject.telling;
    return telling != NULL && telling->story->has_news != NULL ? NEWS_MS : -1;
}

rs_status rv_stage_look_at(rv_stage *stage, int32_t step, double progress, rs_error *error) {
    stage->playback.playing = false;
    stage->playback.mode = RV_LOOKING;
    stage->playback.message[0] = '\0';
    stage->playback.reply = RV_NO_REPLY;
    return rv_stage_show(stage, step, progress, error);
}

int32_t rv_step_at(const rv_stage *stage, double share) {
    const int32_t n_steps = stage->playback.subject.n_steps;
    if (share <= 0 || n_steps == 0) return -1;
    return share >= 1 ? n_steps : (int32_t)fmin(share * n_steps, n_steps - 1);
}

rs_status rv_stage_scrub(rv_stage *stage, double share, bool whole, rs_error *error) {
    if (stage->other != NULL) return rv_race_scrub(stage, share, error);
    const int32_t n_steps = stage->playback.subject.n_steps, step = rv_step_at(stage, share);
    if (!is_inside(stage, step) || whole) return rv_stage_look_at(stage, step, 1, error);
    return rv_stage_look_at(stage, step, fmin(1, share * n_steps - step), error);
}
