/* stage_pointer.c: what pointing, clicking and dragging do. What is under the pointer comes from the
 * scene that was drawn last.
 *
 *     timeline   a click shows that step; a drag scrubs, inside the steps too
 *     step       a curve's point, a piece of a lane: a click or a drag shows the step it stands for
 *     GPU, cell  is followed; while a question is open: is the answer
 *     transfer   its step is shown
 */
#include "stage/stage.h"

#include <math.h>

static const double A_DRAG = 4;     /* pixels; a pointer that moves farther drags, else it clicks */
static const double WIDE_STEP = 10; /* pixels; over narrower steps a drag goes from step to step */

double rv_slack(const rv_stage *stage) {
    return (stage->by_finger ? 12 : 6) * stage->look.pixel;
}

static double share_of(rv_box axis, double x) {
    return axis.w > 0 ? fmin(1, fmax(0, (x - axis.x) / axis.w)) : 0;
}

/* On the timeline the start lies at the left end, the end at the right one, the steps in
   between. */
int32_t rv_timeline_step(const rv_stage *stage, double x) {
    return rv_step_at(stage,
                      share_of(rv_scene_box(&stage->scene, rv_target_of(RV_TIMELINE, 0, 0)), x));
}

static rs_status scrub(rv_stage *stage, double x, rs_error *error) {
    const rv_box axis = rv_scene_box(&stage->scene, rv_target_of(RV_TIMELINE, 0, 0));
    const bool whole = !stage->dragged || axis.w / stage->playback.subject.n_steps < WIDE_STEP;
    if (axis.w <= 0) return RS_OK;
    return rv_stage_scrub(stage, share_of(axis, x), whole, error);
}

static rs_status drag(rv_stage *stage, double x, rs_error *error) {
    if (fabs(x - stage->pressed_x) >= A_DRAG) stage->dragged = true;
    if (!stage->dragged) return RS_OK;
    if (stage->held.thing == RV_TIMELINE) return scrub(stage, x, error);
    if (stage->held.thing == RV_STEP_BAR) {
        const rv_target over =
            rv_scene_hit(&stage->scene, x, stage->pointer_y, rv_slack(stage), NULL);
        return over.thing == RV_STEP_BAR ? rv_stage_look_at(stage, over.a, 1, error) : RS_OK;
    }
    const rv_box axis = rv_scene_box(&stage->scene, stage->held);
    /* Meanwhile a key may have closed the sliders, or opened a question about the run as it is. */
    if (stage->held.thing != RV_SLIDER || axis.w <= 0 || stage->playback.mode != RV_LOOKING)
        return RS_OK;
    return rv_stage_turn(stage, (rv_knob)stage->held.a, share_of(axis, x), error);
}

/* Chooses an answer, as keys do; a second click on it commits it, as Enter does. */
static rs_status choose(rv_stage *stage, int32_t what, rs_error *error) {
    if (stage->playback.chosen == what) return rv_stage_act(stage, RV_NEXT, error);
    stage->playback.chosen = what;
    stage->playback.message[0] = '\0';
    return RS_OK;
}

rs_status rv_stage_click(rv_stage *stage, rv_target at, rs_error *error) {
    const rv_question *q = &stage->playback.question;
    if (stage->playback.mode != RV_ASKING) {
        stage->playback.rank = at.a;
        if (at.thing == RV_CELL) stage->chosen = at;
        return RS_OK;
    }
    const bool chunk = q->ask == RV_ASK_CHUNK && at.thing == RV_CELL && at.a == q->rank;
    const bool peer = q->ask == RV_ASK_PEER && at.a != q->rank;
    return chunk || peer ? choose(stage, chunk ? at.b : at.a, error) : RS_OK;
}

/* Tells whether a target is in the first run: the second may have more GPUs, and the reader can
   follow and break only those of the first. */
static bool is_in_first(const rv_stage *stage, rv_target at) {
    const int32_t n = stage->playback.subject.n_ranks;
    switch ((rv_thing)at.thing) {
    case RV_GPU:
    case RV_CELL:
    case RV_FAULT: return (at.thing == RV_FAULT ? at.b : at.a) < n;
    case RV_LINK: return at.a < n && at.b < n;
    case RV_TRANSFER: return at.b < n;
    default: return true;
    }
}

/* Does what a click means. While a question is open, only its answers and the buttons take
   clicks. */
static rs_status press(rv_stage *stage, rv_target at, rs_error *error) {
    if (stage->playback.mode == RV_TYPING && at.thing != RV_BUTTON)
        stage->playback.mode = stage->playback.behind;
    const bool asking = stage->playback.mode == RV_ASKING;
    rs_status status = RS_OK;
    if (!is_in_first(stage, at)) return RS_OK;
    if (rv_lesson_press(stage, at, error, &status)) return status;
    if (!asking && rv_break_press(stage, at, error, &status)) return status;
    switch ((rv_thing)at.thing) {
    case RV_BUTTON:
        stage->n_keys += stage->n_keys < 1000;
        return rv_stage_act(stage, (rv_action)at.a, error);
    case RV_CHOICE: return asking ? choose(stage, at.a, error) : RS_OK;
    case RV_GPU:
    case RV_CELL: return rv_stage_click(stage, at, error);
    case RV_STEP_BAR: return rv_stage_look_at(stage, at.a, 1, error);
    case RV_TIMELINE: return scrub(stage, stage->pointer_x, error);
    case RV_TRANSFER:
        if (asking) return RS_OK;
        stage->playback.rank = at.b;
        if (at.a >= 0) return rv_stage_look_at(stage, at.a, 1, error);
        return stage->other != NULL ? rv_race_show_other(stage, -1 - at.a, error) : RS_OK;
    case RV_SLIDER:
        if (asking) return RS_OK;
        stage->knob = (rv_knob)at.a;
        return rv_stage_turn(stage, stage->knob,
                             share_of(rv_scene_box(&stage->scene, at), stage->pointer_x), error);
    default: return RS_OK;
    }
}

/* A click beside what lies on top closes it; on a line of the help it does what that line says. */
static rs_status press_over(rv_stage *stage, rv_target at, rs_error *error) {
    const rs_status status = rv_stage_key(stage, RV_KEY_ESCAPE, error);
    if (status != RS_OK || at.thing != RV_BUTTON) return status;
    return rv_stage_act(stage, (rv_action)at.a, error);
}

rs_status rv_stage_pointer(rv_stage *stage, rv_pointer what, double x, double y, rs_error *error) {
    stage->pointer_x = x;
    stage->pointer_y = y;
    if (what == RV_POINT_MOVE && stage->held.thing != RV_NOTHING) return drag(stage, x, error);
    const bool let_go = what == RV_POINT_RELEASE && stage->held.thing == RV_SLIDER;
    if (what == RV_POINT_RELEASE) stage->held = (rv_target){0};
    const rs_status status = let_go ? rv_stage_let_go(stage, error) : RS_OK;
    if (status != RS_OK) return status;
    stage->hover = what == RV_POINT_LEAVE
                       ? (rv_target){0}
                       : rv_scene_hit(&stage->scene, x, y, rv_slack(stage), NULL);
    if (what != RV_POINT_PRESS) return RS_OK;
    stage->held = stage->hover;
    stage->pressed_x = x;
    stage->dragged = false;
    if (stage->playback.mode == RV_READING_HELP) return press_over(stage, stage->hover, error);
    return press(stage, stage->hover, error);
}

rs_status rv_stage_wheel(rv_stage *stage, double by, rs_error *error) {
    stage->wheel = fmax(-8, fmin(8, stage->wheel + by)); /* at most 8 notches at once */
    while (fabs(stage->wheel) >= 1) {
        const double notch = stage->wheel > 0 ? 1 : -1;
        stage->wheel -= notch;
        if (rv_lesson_wheel(stage, notch < 0)) continue;
        const rs_status status = rv_stage_act(stage, notch > 0 ? RV_BACK : RV_NEXT, error);
        if (status != RS_OK) return status;
    }
    return RS_OK;
}
