/* stage_runs.c: which run is on the stage, and which second one beside it: takes, changes, forks,
 * races.
 *
 *   - Where it cannot do what the reader asks, playback.message says why, and the runs stay as they
 *     were.
 */
#include "stage/stage.h"
#include "text/say.h"

#include <assert.h>
#include <string.h>

/* What a second run on the stage is to the first: a row a kind.
 *
 *     alone     there is none
 *     forked    the first as it was before the reader changed it; it stays so
 *     raced     another algorithm with the same settings, also with those that the reader changes
 *     beside    another recorded run
 */

/* ----------------------------------------------------------- what a second run is to the first */

/* ------------------------------------------------------------------ forked */

static void say_fork(const rv_stage *stage, rv_say *say) {
    (void)stage;
    rv_say_more(say, "%s", _("fork"));
}

static const char *now_or_before(const rv_stage *stage, const rv_model *model) {
    return model == stage->what_if->model ? _("now") : _("before");
}

/* ------------------------------------------------------------------ raced */

static void say_race(const rv_stage *stage, rv_say *say) {
    rv_say_more(say, _("race against %s"), stage->other->model->schedule->name);
}

static const char *algorithm(const rv_stage *stage, const rv_model *model) {
    (void)stage;
    return rv_algorithm_word(model->schedule->name);
}

/* ------------------------------------------------------------------ beside */

static void say_beside(const rv_stage *stage, rv_say *say) {
    (void)stage;
    rv_say_more(say, "%s", _("beside another"));
}

/* Returns the word that tells one of two recordings from the other. */
static const char *origin_or_place(const rv_stage *stage, const rv_model *model) {
    const rv_model *main = stage->what_if->model, *other = stage->other->model;
    if (main->report->recording->measured != other->report->recording->measured) {
        return model->report->recording->measured ? _("measured") : _("simulated");
    }
    if (strcmp(main->schedule->name, other->schedule->name) == 0) {
        return model == main ? _("first") : _("second");
    }
    return rv_algorithm_word(model->schedule->name);
}

const rv_pairing rv_alone = {.races = false};
const rv_pairing rv_forked = {.say = say_fork, .name = now_or_before};
const rv_pairing rv_raced = {.races = true, .say = say_race, .name = algorithm};
const rv_pairing rv_beside = {.races = true, .say = say_beside, .name = origin_or_place};

/* ------------------------------------------------------------- runs as the panels look at them */

/* Gives both runs the common time, and each its title. */
static void pair_runs(const rv_stage *stage, rv_shown_run both[2]) {
    both[0].now_ps = stage->now_ps;
    both[0].title = stage->pairing->name(stage, both[0].model);
    both[1] = (rv_shown_run){.what_if = stage->other,
                             .model = stage->other->model,
                             .progress = stage->other_progress,
                             .now_ps = stage->now_ps,
                             .title = stage->pairing->name(stage, stage->other->model),
                             .second = true};
}

int rv_list_runs(const rv_stage *stage, rv_shown_run out[2]) {
    const rv_subject *subject = &stage->playback.subject;
    out[0] = (rv_shown_run){
        .what_if = stage->what_if,
        .model = stage->what_if->model,
        .progress = stage->progress,
        .now_ps = subject->kind->now_ps(subject, stage->playback.rank, stage->progress),
        .hidden = stage->playback.mode == RV_ASKING};
    if (stage->other == NULL) return 1;
    pair_runs(stage, out);
    return 2;
}

rv_shown_run rv_main_run(const rv_stage *stage) {
    rv_shown_run both[2];
    rv_list_runs(stage, both);
    return both[0];
}

rv_shown_run rv_other_run(const rv_stage *stage) {
    rv_shown_run both[2];
    const int n = rv_list_runs(stage, both);
    assert(n == 2);
    return both[n - 1];
}

/* ----------------------------------------------------------------------------------- which run */

rs_status rv_stage_take(rv_stage *stage, const rv_subject *subject, const rv_options *start,
                        rs_error *error) {
    rv_what_if *what_if;
    rv_subject walked = *subject;
    const rs_status status = rv_what_if_new(subject, stage->host, error, &what_if);
    if (status != RS_OK) return status;
    rv_what_if_free(stage->what_if);
    stage->what_if = what_if;
    stage->born_of = *subject;
    walked.model = what_if->model;
    return rv_playback_start(&stage->playback, &walked, start, error);
}

/* ------------------------------------------------------------------------------------ a second run */

static void say_failure(rv_stage *stage, const rs_error *error) {
    rs_error_said(error, rv_gettext, stage->playback.message, sizeof stage->playback.message);
}

/* Gives the playback the model of the main run, which is a new one. */
static void take_new_model(rv_stage *stage) {
    stage->playback.subject = rv_model_subject(stage->what_if->model);
}

/* Closes an open question, also one under help or typing: the stage no longer shows its run. */
static void forget_question(rv_stage *stage) {
    rv_playback *playback = &stage->playback;
    if (playback->mode == RV_ASKING) playback->mode = RV_LOOKING;
    if (playback->behind == RV_ASKING) playback->behind = RV_LOOKING;
}

void rv_race_end(rv_stage *stage) {
    rv_what_if_free(stage->other);
    stage->other = NULL;
    stage->pairing = &rv_alone;
    stage->goal = stage->progress;
}

bool rv_may_end_race(const rv_stage *stage) {
    return stage->other != NULL && stage->pairing != &rv_beside;
}

/* Shows both runs from the first one's position. */
static rs_status show_both(rv_stage *stage, const rv_pairing *pairing, rv_what_if *other,
                           int32_t step, rs_error *error) {
    rv_race_end(stage);
    stage->other = other;
    stage->pairing = pairing;
    stage->playback.predict = false;
    forget_question(stage);
    const rv_model *model = stage->what_if->model;
    const bool over = step >= model->n_steps && pairing->races;
    int64_t now_ps = rv_time_at(model, step, stage->progress);
    /* Some GPUs are ahead: a step begins while the one before goes on, whose moment that would be. */
    if (step > 0 && step < model->n_steps && stage->progress < 1 &&
        now_ps <= model->step_done_ps[step])
        now_ps = model->step_done_ps[step] + 1;
    return rv_race_show(stage, over ? 0 : now_ps, error);
}

/* Begins to show a second run. Where that cannot be, returns RS_OK with the reason in the
   message. */
static rs_status begin_second_run(rv_stage *stage, const rv_pairing *pairing, const rv_setup *setup,
                                  rs_error *error) {
    rv_what_if *other = NULL;
    rs_error reason;
    rs_status status = RS_OK;
    const int32_t step = stage->what_if->model->step;
    if (stage->what_if->model->step_items == NULL) { /* the first run has no times step by step */
        status = rv_what_if_change(stage->what_if, &stage->what_if->setup, &reason);
        take_new_model(stage);
        if (status == RS_OK) status = rv_stage_show(stage, step, stage->progress, error);
    }
    if (status == RS_OK) status = rv_what_if_copy(stage->what_if, setup, &reason, &other);
    if (status == RS_OK &&
        (stage->what_if->model->step_items == NULL || other->model->step_items == NULL)) {
        rv_what_if_free(other);
        status = rs_fail(&reason, RS_TOO_LARGE, "%s", _("Too large to show two runs side by side"));
    }
    if (status != RS_OK) {
        say_failure(stage, &reason);
        return RS_OK;
    }
    return show_both(stage, pairing, other, step, error);
}

static rs_status lay_beside(rv_stage *stage, const rs_report *report, bool forked,
                            rs_error *error) {
    rv_what_if *other;
    const rv_subject subject = rv_run_subject(report);
    const rs_status status = rv_what_if_new(&subject, stage->host, error, &other);
    if (status != RS_OK) return status;
    if (stage->what_if->model->step_items != NULL && other->model->step_items != NULL) {
        return show_both(stage, forked ? &rv_forked : &rv_beside, other,
                         stage->what_if->model->step, error);
    }
    rv_what_if_free(other);
    return rs_fail(error, RS_TOO_LARGE, "%s", _("Too large to show two runs side by side"));
}

/* Returns the rival after `name` (NULL: the first one): the usual one, then the others as they are listed. */
static const char *rival_after(const rv_stage *stage, const char *name) {
    const rs_schedule *schedule = stage->what_if->model->schedule;
    const char *own = schedule->name, *first = rv_usual_rival(schedule)->name;
    const rs_algorithm *const *all = rs_algorithms_of(schedule->collective);
    const rs_net net = {.machine = stage->what_if->setup.machine};
    if (name == NULL) return first;
    bool passed = strcmp(name, first) == 0;
    for (int i = 0; all[i] != NULL; i++) {
        const char *at = all[i]->name;
        if (strcmp(at, name) == 0) {
            passed = true;
        } else if (passed && strcmp(at, first) != 0 && strcmp(at, own) != 0 &&
                   rs_algorithm_serves(all[i], &net)) {
            return at;
        }
    }
    return NULL;
}

static rs_status race_against(rv_stage *stage, const char *rival, rs_error *error) {
    rv_setup setup = stage->what_if->setup;
    setup.algorithm = rs_find_algorithm(stage->what_if->model->schedule->collective, rival);
    if (setup.algorithm == NULL) {
        return rs_fail(error, RS_BAD_INPUT, "no algorithm is called '%s'; ringsim list names them",
                       rival);
    }
    setup.order = RS_ORDER_SEED;
    return begin_second_run(stage, &rv_raced, &setup, error);
}

/* The main run has new settings: in a race the other run takes them, too. Both stay at their time;
   at the end, if they were at the end. */
static rs_status race_changed(rv_stage *stage, bool at_end, rs_error *error) {
    if (stage->pairing->races) {
        rv_setup setup = stage->what_if->setup;
        rs_error reason;
        setup.algorithm = stage->other->setup.algorithm;
        setup.order = stage->other->setup.order;
        if (rv_what_if_change(stage->other, &setup, &reason) != RS_OK) {
            say_failure(stage, &reason);
            const int64_t now_ps = stage->now_ps;
            rv_race_end(stage);
            int32_t step;
            double progress;
            rv_moment_at(stage->what_if->model, now_ps > 0 ? now_ps : -1, &step, &progress);
            return rv_stage_show(stage, step, progress, error);
        }
    }
    if (stage->what_if->model->step_items == NULL || stage->other->model->step_items == NULL) {
        rv_race_end(stage);
        return rv_stage_show(stage, -1, 1, error);
    }
    return rv_race_show(stage, at_end ? INT64_MAX : stage->now_ps, error);
}

rs_status rv_race_begin(rv_stage *stage, const rv_subject *subject, const char *rival,
                        rs_error *error) {
    if (subject->beside != NULL) {
        return lay_beside(stage, subject->beside, subject->forked, error);
    }
    return rival != NULL ? race_against(stage, rival, error) : RS_OK;
}

/* ------------------------------------------------------------------------------------- its settings */

rs_status rv_stage_change(rv_stage *stage, const rv_setup *setup, rs_error *error) {
    rs_status status = rv_stage_freeze(stage, error);
    if (status != RS_OK) return status;
    const int32_t step = stage->what_if->model->step;
    const bool two = stage->other != NULL;
    const bool at_end = two ? rv_race_place(stage) >= 1 : step >= stage->what_if->model->n_steps;
    status = rv_what_if_change(stage->what_if, setup, error);
    if (status != RS_OK) return status;
    const rv_model *model = stage->what_if->model;
    take_new_model(stage);
    if (stage->playback.rank >= model->n_ranks) stage->playback.rank = 0;
    if (stage->menu.thing == RV_GPU && stage->menu.a >= model->n_ranks)
        stage->menu = (rv_target){0};
    forget_question(stage);
    if (two) return race_changed(stage, at_end, error);
    const int32_t to = at_end || step > model->n_steps ? model->n_steps : step;
    const bool inside = to >= 0 && to < model->n_steps;
    return rv_stage_show(stage, to, inside ? stage->progress : 1, error);
}

/* Shift+F: shows the run as it is now beside the one that the reader changes from now on; pressed
   again it drops that copy. */
rs_status rv_race_fork(rv_stage *stage, rs_error *error) {
    if (stage->pairing == &rv_forked) {
        rv_race_end(stage);
        return RS_OK;
    }
    const rs_status status = begin_second_run(stage, &rv_forked, &stage->what_if->setup, error);
    if (stage->pairing == &rv_forked)
        rv_stage_tell(stage, "%s", _("This run is kept as \"before\": now change something"));
    return status;
}

/* x: the next rival; after the last, none. */
rs_status rv_race_next(rv_stage *stage, rs_error *error) {
    const bool racing = stage->pairing->races;
    const char *rival = rival_after(stage, racing ? stage->other->model->schedule->name : NULL);
    if (rival != NULL) return race_against(stage, rival, error);
    rv_race_end(stage);
    return RS_OK;
}
