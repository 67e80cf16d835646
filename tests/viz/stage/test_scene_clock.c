/* test_scene_clock.c: two runs go by one clock: at any moment both stand where their own times say, playing goes at
 * the speed that is shown, and a key's way is at an even pace. For races of all algorithms and for forks.
 */
#include "stage/stage.h"
#include "support/stage_fixture.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static stage_fixture s;

static int64_t length_of(const rv_what_if *run) {
    return run->report->outcome.makespan_ps;
}

static int64_t longer_ps(void) {
    const int64_t a = length_of(s.stage->what_if), b = length_of(s.stage->other);
    return a > b ? a : b;
}

static void key(int32_t pressed) {
    cr_assert_eq(rv_stage_key(s.stage, pressed, &s.error), RS_OK);
}

static void tick(double ms) {
    cr_assert_eq(rv_stage_tick(s.stage, ms, &s.error), RS_OK);
}

/* Both models stand at the common time: in the step that runs then, after all that ended before. */
static void expect_together(const char *what) {
    rv_shown_run runs[2];
    cr_assert_eq(rv_list_runs(s.stage, runs), 2);
    for (int i = 0; i < 2; i++) {
        const rv_model *model = runs[i].model;
        const int64_t end_ps = length_of(runs[i].what_if), now_ps = s.stage->now_ps;
        cr_expect_eq(runs[i].now_ps, now_ps, "%s, run %d", what, i);
        if (now_ps >= end_ps) {
            cr_expect_geq(rv_steps_executed(model), model->n_steps, "%s, run %d", what, i);
        } else if (model->step >= 0) {
            cr_expect(model->step_done_ps[model->step] <= now_ps &&
                          now_ps <= model->step_done_ps[model->step + 1],
                      "%s, run %d: step %d", what, i, (int)model->step);
        }
    }
}

/* Tries two runs: a race against each rival in turn, or (-1) a fork of which one link is slow. */
static bool try_pair(int which, void (*check)(void)) {
    stage_fixture_start(&s, "ring", 5, -1);
    if (which < 0) stage_fixture_press(&s, "Fw");
    for (int i = 0; i <= which; i++) stage_fixture_press(&s, "x");
    const bool two = s.stage->other != NULL;
    if (two) check();
    stage_fixture_end(&s);
    return two;
}

static void try_pairs(void (*check)(void)) {
    int n = 0;
    for (int which = -1; which < 8 && try_pair(which, check); which++) n++;
    cr_expect_geq(n, 3);
}

/* Twelve seconds for the longer at speed 1, half of that at 2. */
static void check_speed(void) {
    for (int faster = -2; faster <= 3; faster++) {
        key(RV_KEY_HOME);
        for (int i = 0; i < abs(faster); i++) key(faster < 0 ? '-' : '+');
        key(' ');
        cr_assert(s.stage->playback.playing);
        const double wanted = s.stage->playback.speed * 100 / 12000;
        tick(100);
        for (int i = 1; i < 10 && s.stage->playback.playing; i++) {
            const double share = (double)s.stage->now_ps / (double)longer_ps();
            cr_expect_float_eq(share, fmin(1, i * wanted), 1e-6, "speed %g: %g after %d ticks",
                               s.stage->playback.speed, share, i);
            expect_together("playing");
            tick(100);
        }
        if (s.stage->playback.playing) key(' ');
        for (int i = 0; i < abs(faster); i++) key(faster < 0 ? '+' : '-');
    }
}

Test(scene_clock, playing_goes_at_the_speed_that_is_shown) {
    try_pairs(check_speed);
}

/* A key's way, forward and back: even, and to its end within the time that motion may take. */
static void check_keys(void) {
    static const int32_t keys[] = {RV_KEY_RIGHT, RV_KEY_RIGHT, '>',         '>', '>',
                                   RV_KEY_RIGHT, '<',          RV_KEY_LEFT, '<', RV_KEY_LEFT};
    key(RV_KEY_HOME);
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        const int64_t from_ps = s.stage->now_ps;
        key(keys[k]);
        const int64_t goal_ps = s.stage->goal_ps;
        const bool back = keys[k] == '<' || keys[k] == RV_KEY_LEFT;
        const double ms = back ? 250 : RV_MOTION_MS;
        cr_expect(back ? goal_ps < from_ps : goal_ps > from_ps, "key %zu leads nowhere", k);
        for (int i = 1; i <= 5; i++) {
            tick(ms / 5);
            const double share = (double)(s.stage->now_ps - from_ps) / (double)(goal_ps - from_ps);
            cr_expect_float_eq(share, i / 5.0, 1e-6, "key %zu: %g after %d fifths", k, share, i);
            expect_together("a key");
        }
        tick(20);
        cr_expect_eq(s.stage->now_ps, goal_ps);
        cr_expect_eq(rv_stage_still_ms(s.stage), -1);
    }
}

Test(scene_clock, a_key_s_way_is_even_and_both_runs_follow) {
    try_pairs(check_keys);
}

/* Every step's end is a stop, forward and back, of the first run while it lasts, then of the other. */
static void check_stops(void) {
    const rv_model *models[2] = {s.stage->what_if->model, s.stage->other->model};
    int64_t before_ps = -1;
    int n = 0;
    for (key(RV_KEY_HOME); s.stage->now_ps > before_ps && n < 200; n++) {
        before_ps = s.stage->now_ps;
        key(RV_KEY_RIGHT);
        for (int i = 0; i < 4; i++) tick(200);
        bool is_end = s.stage->now_ps >= longer_ps();
        for (int m = 0; m < 2; m++) {
            for (int32_t i = 1; i <= models[m]->n_steps; i++) {
                is_end |= models[m]->step_done_ps[i] == s.stage->now_ps;
            }
        }
        cr_expect(is_end, "no step ends at %lld", (long long)s.stage->now_ps);
        expect_together("a stop");
        if (s.stage->now_ps >= longer_ps()) break;
    }
    cr_expect_geq(n + 1, models[0]->n_steps);
    cr_expect_eq(s.stage->now_ps, longer_ps());
}

Test(scene_clock, steps_stop_where_a_step_ends) {
    try_pairs(check_stops);
}
