/* test_scene_race.c: what holds in every race: both runs are shown at one common time, keys lead from end
 * to end of a step and back the same way, and whatever moves does so evenly and arrives in time.
 */
#include "support/stage_fixture.h"
#include "support/rounds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TICK_MS = 30, FORWARD_MS = 600, BACK_MS = 250, MOST = 200 };
enum { PLAY_TICK_MS = 200, PLAY_MS = 12000 };

static const struct {
    const char *algorithm, *rival;
    int32_t n_ranks;
} races[] = {{"ring", "naive", 5},   {"naive", "ring", 4},   {"ring", "tree", 6},
             {"halving", "ring", 8}, {"tree", "halving", 4}, {"ring", "doubling", 2}};
enum { N_RACES = sizeof races / sizeof races[0] };

static stage_fixture s;
static int64_t length_ps;

static void open_race(int i) {
    s.options = (rv_options){.at = -1, .compare = races[i].rival};
    view_fixture_prepare(&s.run, races[i].algorithm, races[i].n_ranks);
    stage_fixture_open(&s);
    cr_assert_not_null(s.stage->other);
    const int64_t a = s.stage->what_if->report->outcome.makespan_ps;
    const int64_t b = s.stage->other->report->outcome.makespan_ps;
    length_ps = a > b ? a : b;
}

/* Wants a model's step and progress to be those of the common time, or of its end. */
static void expect_time(const rv_model *model, double progress, const char *who) {
    const int64_t end_ps = model->step_done_ps[model->n_steps];
    const int64_t now_ps = s.stage->now_ps < end_ps ? s.stage->now_ps : end_ps;
    const int64_t shown_ps = rv_time_at(model, model->step, progress);
    cr_expect(llabs((long long)(shown_ps - now_ps)) <= 1 + end_ps / 1000000,
              "%s is shown at %lld ps, it is %lld ps", who, (long long)shown_ps, (long long)now_ps);
}

static void expect_one_time(void) {
    expect_time(s.stage->what_if->model, s.stage->progress, "the main run");
    expect_time(s.stage->other->model, s.stage->other_progress, "the other run");
}

/* Lets time pass until all is still; wants it to move evenly, towards its goal; returns how long. */
static int arrive(void) {
    int ms = 0;
    int64_t by_ps = 0;
    while (s.stage->goal_ps != s.stage->now_ps) {
        const int64_t before_ps = s.stage->now_ps, goal_ps = s.stage->goal_ps;
        cr_assert_eq(rv_stage_still_ms(s.stage), 0, "what moves is not still");
        stage_fixture_tick(&s, TICK_MS);
        expect_one_time();
        const int64_t moved_ps = s.stage->now_ps - before_ps;
        cr_assert((moved_ps > 0) == (goal_ps > before_ps) && moved_ps != 0);
        if (by_ps == 0) by_ps = moved_ps;
        if (s.stage->now_ps != goal_ps) {
            cr_expect(llabs((long long)(moved_ps - by_ps)) <= 1);
        } else {
            cr_expect_leq(llabs((long long)moved_ps), llabs((long long)by_ps) + 1);
        }
        ms += TICK_MS;
        cr_assert_lt(ms, 5000);
    }
    cr_assert_neq(rv_stage_still_ms(s.stage), 0, "what has arrived is still");
    return ms;
}

/* Presses a key as often as it leads on; returns the times that it led to. */
static int walk(int32_t key, int wanted_ms, int64_t times[MOST]) {
    int n = 0;
    for (int64_t before_ps = -1; before_ps != s.stage->now_ps;) {
        before_ps = s.stage->now_ps;
        stage_fixture_key(&s, key);
        const int ms = arrive();
        if (s.stage->now_ps == before_ps) break;
        cr_expect(abs(ms - wanted_ms) <= TICK_MS, "it took %d ms", ms);
        cr_assert_lt(n, MOST);
        times[n++] = s.stage->now_ps;
    }
    return n;
}

static bool is_an_end(const rv_model *model, int64_t time_ps) {
    for (int32_t step = 1; step <= model->n_steps; step++) {
        if (model->step_done_ps[step] == time_ps) return true;
    }
    return false;
}

Test(scene_race, leads_from_end_to_end_of_a_step_and_back_the_same_way) {
    static int64_t on[MOST], back[MOST];
    for (int i = 0; i < N_RACES; i++) {
        open_race(i);
        const rv_model *own = s.stage->what_if->model;
        const int n = walk(RV_KEY_RIGHT, FORWARD_MS, on);
        cr_expect_eq(s.stage->now_ps, length_ps);
        cr_assert_geq(n, own->n_steps);
        for (int k = 0; k < n; k++) {
            cr_expect(k == 0 || on[k] > on[k - 1]);
            if (k < own->n_steps) {
                cr_expect_eq(on[k], own->step_done_ps[k + 1]);
            } else {
                cr_expect(is_an_end(s.stage->other->model, on[k]));
            }
        }
        cr_expect_eq(walk(RV_KEY_LEFT, BACK_MS, back), n);
        for (int k = 0; k < n - 1; k++) cr_expect_eq(back[k], on[n - 2 - k]);
        cr_expect_eq(s.stage->now_ps, 0);
        stage_fixture_end(&s);
    }
}

Test(scene_race, three_parts_are_a_step_both_ways) {
    static int64_t steps[MOST], parts[MOST], back[MOST];
    for (int i = 0; i < N_RACES; i += ROUNDS(1, 4)) {
        open_race(i);
        const int n = walk(RV_KEY_RIGHT, FORWARD_MS, steps);
        stage_fixture_key(&s, RV_KEY_HOME);
        cr_expect_eq(s.stage->now_ps, 0);
        const int n_parts = walk('>', FORWARD_MS, parts);
        cr_expect_eq(n_parts, 3 * n);
        for (int k = 0; k < n; k++) {
            const int64_t begin_ps = k > 0 ? steps[k - 1] : 0, third_ps = (steps[k] - begin_ps) / 3;
            cr_expect_eq(parts[3 * k + 2], steps[k]);
            for (int part = 0; part < 2; part++) {
                cr_expect_eq(parts[3 * k + part], begin_ps + (part + 1) * third_ps);
            }
        }
        cr_expect_eq(walk('<', BACK_MS, back), n_parts);
        for (int k = 0; k < n_parts - 1; k++) cr_expect_eq(back[k], parts[n_parts - 2 - k]);
        stage_fixture_end(&s);
    }
}

Test(scene_race, plays_evenly_from_start_to_end_in_twelve_seconds) {
    for (int i = 0; i < N_RACES; i++) {
        open_race(i);
        for (int again = 0; again < 2; again++) { /* at its end it starts anew */
            int ms = 0;
            stage_fixture_key(&s, ' ');
            cr_assert(s.stage->playback.playing);
            while (s.stage->playback.playing) {
                const int64_t before_ps = s.stage->now_ps;
                stage_fixture_tick(&s, PLAY_TICK_MS);
                expect_one_time();
                const double by_ps = (double)(s.stage->now_ps - before_ps);
                const double wanted_ps = (double)length_ps * PLAY_TICK_MS / PLAY_MS;
                if (s.stage->playback.playing) {
                    cr_expect_float_eq(by_ps, wanted_ps, wanted_ps / 100);
                }
                ms += PLAY_TICK_MS;
                cr_assert_lt(ms, 2 * PLAY_MS);
            }
            cr_expect_eq(s.stage->now_ps, length_ps);
            cr_expect(abs(ms - PLAY_MS) <= PLAY_TICK_MS, "it took %d ms", ms);
            cr_expect_eq(rv_stage_still_ms(s.stage), -1);
        }
        stage_fixture_end(&s);
    }
}

/* The label of a run's name above the time bar, and its tick. */
static const rv_item *name_above(const char *title, rv_box bar) {
    const rv_scene *scene = &s.stage->scene;
    for (int i = scene->n_items - 1; i >= 0; i--) {
        const rv_item *item = &scene->items[i];
        if (item->shape == RV_LABEL && item->box.y + item->box.h <= bar.y + 0.5 &&
            item->box.y > bar.y - 2 * s.stage->look.unit &&
            strcmp(rv_label_text(scene, item), title) == 0)
            return item;
    }
    return NULL;
}

Test(scene_race, each_end_keeps_its_own_name_beside_it) {
    static const int widths[] = {390, 800, 1280, 1920};
    for (int i = 0; i < 2 * 4 * 12; i++) {
        if (!(i % 2 == 0 ? rv_set_language("en", NULL) : view_fixture_chinese())) continue;
        s.options = (rv_options){.at = 2, .compare = "naive", .pixel_width = widths[i / 2 % 4]};
        view_fixture_prepare(&s.run, "ring", 5);
        stage_fixture_open(&s);
        rs_outcome *ends[2] = {(rs_outcome *)&s.stage->what_if->report->outcome,
                               (rs_outcome *)&s.stage->other->report->outcome};
        const int64_t base_ps = 10000000, off_ps = (int64_t)(i / 8 - 6) * (i / 8 - 6) * 300000;
        ends[0]->makespan_ps = base_ps;
        ends[1]->makespan_ps = i / 8 < 6 ? base_ps - off_ps / 2 : base_ps + off_ps * off_ps / 99999;
        rv_stage_draw(s.stage);
        const rv_box bar = stage_fixture_box(&s, RV_TIMELINE, 0, 0);
        const double u = s.stage->look.unit;
        const int64_t most_ps = ends[0]->makespan_ps > ends[1]->makespan_ps ? ends[0]->makespan_ps
                                                                            : ends[1]->makespan_ps;
        rv_box names[2];
        for (int k = 0; k < 2; k++) {
            const rv_shown_run run = k == 0 ? rv_main_run(s.stage) : rv_other_run(s.stage);
            const rv_item *name = name_above(run.title, bar);
            cr_assert_not_null(name, "%d: no %s", i, run.title);
            const double x = bar.x + bar.w * (double)ends[k]->makespan_ps / (double)most_ps;
            const double edge = name->align == RV_RIGHT ? name->box.x + name->box.w : name->box.x;
            cr_expect(fabs(x - edge) < 0.3 * u, "%d: %s stands at %g, its end at %g", i, run.title,
                      edge, x);
            names[k] = name->box;
        }
        const bool apart = names[0].x + names[0].w <= names[1].x + 0.01 ||
                           names[1].x + names[1].w <= names[0].x + 0.01;
        cr_expect(apart, "%d: one name hides the other", i);
        stage_fixture_end(&s);
    }
    rv_set_language("en", NULL);
}
