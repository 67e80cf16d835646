/* test_scene_numbers.c: the sliders by keys and pointer, and the curve below them. */
#include "support/stage_fixture.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const int64_t US = 1000000;

/* --------------------------------------------------------------------------------------- numbers */

Test(scene_numbers, keys_turn_the_numbers_to_the_next_round_one) {
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, "ring", 5, 2);
    stage_fixture_press(&s, "/");
    cr_assert(s.stage->views & VIEW_NUMBERS);
    stage_fixture_press(&s, ".");
    cr_assert_eq(s.stage->what_if->model->n_ranks, 6);
    cr_assert_eq(stage_fixture_time_ps(&s),
                 rs_closed_form_ps(&s.stage->what_if->report->request.job));
    stage_fixture_press(&s, ",,");
    cr_assert_eq(s.stage->what_if->model->n_ranks, 4);
    stage_fixture_press(&s, "/.");
    cr_assert_eq(s.stage->what_if->setup.count * 4, 120000000);
    stage_fixture_press(&s, "/,");
    cr_assert_eq(s.stage->what_if->setup.link.alpha_ps, 4 * US);
    stage_fixture_press(&s, "/.");
    cr_assert_eq(s.stage->what_if->setup.link.bandwidth_Bps, 25000000000);
    cr_assert_eq(stage_fixture_time_ps(&s), 6 * (4 + 1200) * US);
    cr_assert_eq(s.stage->what_if->model->step, 2);
}

Test(scene_numbers, dragging_a_slider_changes_the_run_while_it_is_dragged) {
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, "ring", 5, 2);
    stage_fixture_press(&s, "n");
    const rv_target slider = rv_target_of(RV_SLIDER, RV_KNOB_GPUS, 0);
    rv_box axis = {0};
    for (const rv_item *item = NULL; (item = view_fixture_next(&s.stage->scene, item)) != NULL;) {
        if (rv_same_target(item->target, slider)) axis = item->box;
    }
    const double y = axis.y + axis.h / 2;
    rv_stage_pointer(s.stage, RV_POINT_PRESS, axis.x + axis.w * 3 / 9, y, &s.error);
    cr_assert_eq(s.stage->what_if->model->n_ranks, 16);
    rv_stage_draw(s.stage);
    rv_stage_pointer(s.stage, RV_POINT_MOVE, axis.x + axis.w * 5 / 9, y - 300, &s.error);
    cr_assert_eq(s.stage->what_if->model->n_ranks, 64);
    rv_stage_draw(s.stage);
    rv_stage_pointer(s.stage, RV_POINT_MOVE, axis.x - 500, y, &s.error);
    cr_assert_eq(s.stage->what_if->model->n_ranks, 2);
    rv_stage_pointer(s.stage, RV_POINT_RELEASE, axis.x, y, &s.error);
    rv_stage_pointer(s.stage, RV_POINT_MOVE, axis.x + axis.w, y, &s.error);
    cr_assert_eq(s.stage->what_if->model->n_ranks, 2);
}

Test(scene_numbers, a_knob_reaches_its_ends_and_every_stop_is_a_fixed_point) {
    rv_setup setup = {
        .algorithm = rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), .n_ranks = 5, .elem_bytes = 4};
    setup.count = 25000000;
    setup.link = (rs_link){5 * US, 20000000000};
    for (int knob = 0; knob < RV_N_KNOBS; knob++) {
        rv_setup at = setup;
        rv_knob_set(&at, (rv_knob)knob, 0);
        cr_assert_eq(rv_knob_place(&at, (rv_knob)knob), 0);
        for (int i = 0; i < 400; i++) {
            rv_setup same = at, on = at;
            rv_knob_set(&same, (rv_knob)knob, rv_knob_place(&at, (rv_knob)knob));
            if (knob != RV_KNOB_GPUS || at.n_ranks < 64) {
                cr_assert_float_eq(rv_knob_place(&same, (rv_knob)knob),
                                   rv_knob_place(&at, (rv_knob)knob), 1e-9);
            }
            rv_knob_move(&on, (rv_knob)knob, 1);
            rv_knob_move(&same, (rv_knob)knob, 1);
            if (rv_knob_place(&at, (rv_knob)knob) >= 1) break;
            cr_assert_gt(rv_knob_place(&on, (rv_knob)knob), rv_knob_place(&at, (rv_knob)knob));
            rv_setup back = on;
            rv_knob_move(&back, (rv_knob)knob, -1);
            cr_assert_eq(rv_knob_place(&back, (rv_knob)knob), rv_knob_place(&at, (rv_knob)knob));
            at = on;
        }
        cr_assert_eq(rv_knob_place(&at, (rv_knob)knob), 1);
    }
}

/* --------------------------------------------------------------------------------------- the curve */

static rv_setup at_point(const stage_fixture *s, int32_t i) {
    rv_setup setup = s->stage->what_if->setup;
    rv_knob_set(&setup, s->stage->curve.knob, s->stage->curve.points[i].place);
    return setup;
}

/* Every known point of the curve is what the whole run takes when the slider stands there. */
static void expect_true_curve(stage_fixture *s, rv_knob knob) {
    s->stage->knob = knob;
    rv_stage_draw(s->stage);
    const rv_curve *curve = &s->stage->curve;
    int known = 0;
    cr_assert_eq(curve->knob, knob);
    for (int32_t i = 0; i < curve->n_points; i++) {
        const rv_setup setup = at_point(s, i);
        if (curve->points[i].own_ps < 0 || setup.n_ranks > 64) continue;
        rv_what_if *what_if = NULL;
        cr_assert_eq(rv_what_if_copy(s->stage->what_if, &setup, &s->error, &what_if), RS_OK);
        cr_assert_eq(what_if->report->outcome.makespan_ps, curve->points[i].own_ps);
        cr_assert_geq(curve->points[i].own_ps, curve->points[i].bound_ps);
        known++;
        rv_what_if_free(what_if);
    }
    cr_assert_gt(known, 15);
}

Test(scene_numbers, the_curve_tells_what_the_run_would_take, .timeout = 900) {
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, "ring", 5, 2);
    stage_fixture_press(&s, "n");
    for (int knob = 0; knob < RV_N_KNOBS; knob++) expect_true_curve(&s, (rv_knob)knob);
    stage_fixture_press(&s, "we"); /* no closed form any more */
    for (int knob = 0; knob < RV_N_KNOBS; knob++) expect_true_curve(&s, (rv_knob)knob);
    stage_fixture_press(&s, "k"); /* it never ends: nothing is known */
    cr_assert_eq(s.stage->curve.points[0].own_ps, -1);
}

/* Under eager a large ring is not to be had within a frame; the curve ends before it. */
Test(scene_numbers, what_costs_too_much_is_not_on_the_curve) {
    OWN_FIXTURE s = {0};
    view_fixture_prepare(&s.run, "ring", 5);
    s.run.request.job.net.protocol = RS_EAGER;
    s.options = (rv_options){.at = 2, .views = VIEW_NUMBERS};
    stage_fixture_open(&s);
    stage_fixture_press(&s, "w");
    int32_t most = 0;
    for (int32_t i = 0; i < s.stage->curve.n_points; i++) {
        if (s.stage->curve.points[i].own_ps >= 0) most = at_point(&s, i).n_ranks;
    }
    cr_expect(most >= 64 && most <= 256, "%d", (int)most);
}

Test(scene_numbers, a_file_has_its_own_gpus_but_any_size) {
    OWN_FIXTURE s = {0};
    view_fixture_prepare_text(&s.run,
                              "ringsim-schedule 1\nranks 2\nchunks 2\nstep\n0 -> 1 chunk 0 reduce\n"
                              "1 -> 0 chunk 1 reduce\nstep\n1 -> 0 chunk 0 copy\n"
                              "0 -> 1 chunk 1 copy\n");
    s.options = (rv_options){.at = 0, .colour = true};
    stage_fixture_open(&s);
    stage_fixture_press(&s, "/.");
    cr_assert_eq(s.stage->what_if->model->n_ranks, 2);
    cr_assert(stage_fixture_says(&s, "from a file"));
    stage_fixture_press(&s, "/.");
    cr_assert_gt(s.stage->what_if->setup.count, 2);
    stage_fixture_press(&s, "x");
    cr_assert_eq(s.stage->pairing, &rv_raced);
}

Test(scene_numbers, a_change_that_cannot_be_leaves_the_run_and_says_why) {
    OWN_FIXTURE s = {0};
    view_fixture_prepare(&s.run, "ring", 5);
    s.run.request.job.net.link = (rs_link){5 * US, 1}; /* 1 byte a second */
    s.run.request.job.count = 5;
    s.options = (rv_options){.at = 2, .colour = true};
    stage_fixture_open(&s);
    const rs_report *before = s.stage->what_if->report;
    cr_assert_eq(rv_stage_turn(s.stage, RV_KNOB_BYTES, 1, &s.error), RS_OK);
    cr_assert(s.stage->what_if->report == before);
    cr_assert_gt(strlen(s.stage->playback.message), 10);
    cr_assert_eq(s.stage->what_if->model->step, 2);
}

Test(scene_numbers, a_drag_skimps_on_large_runs_and_letting_go_makes_up_for_it, .timeout = 900) {
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, "ring", 5, 2);
    stage_fixture_press(&s, "n");
    rv_box axis = {0};
    for (const rv_item *item = NULL; (item = view_fixture_next(&s.stage->scene, item)) != NULL;) {
        if (rv_same_target(item->target, rv_target_of(RV_SLIDER, RV_KNOB_GPUS, 0)))
            axis = item->box;
    }
    const double y = axis.y + axis.h / 2, x = axis.x + axis.w * 7 / 9;
    rv_stage_pointer(s.stage, RV_POINT_PRESS, x, y, &s.error);
    cr_assert_eq(s.stage->what_if->model->n_ranks, 256);
    cr_assert(s.stage->what_if->report->trace == NULL);
    cr_assert_eq(stage_fixture_time_ps(&s),
                 rs_closed_form_ps(&s.stage->what_if->report->request.job));
    rv_stage_draw(s.stage);
    rv_stage_pointer(s.stage, RV_POINT_RELEASE, x, y, &s.error);
    cr_assert(s.stage->what_if->report->trace != NULL);
    cr_assert(s.stage->what_if->report->computed);
    cr_assert_eq(s.stage->what_if->model->step, 2);
}

Test(scene_numbers, the_key_of_the_sliders_brings_them_up_where_there_is_no_room_for_all) {
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, "ring", 5, 2);
    stage_fixture_press(&s, "v"); /* all views */
    rv_stage_resize(s.stage, 800, 600);
    stage_fixture_press(&s, "mdcr"); /* whatever was shut is opened again: the latest come first */
    stage_fixture_press(&s, "mdcr");
    const bool shown = (s.stage->layout.shown & VIEW_NUMBERS) != 0;
    stage_fixture_press(&s, "/");
    cr_assert(s.stage->layout.shown & VIEW_NUMBERS);
    cr_assert_eq(s.stage->knob, shown ? RV_KNOB_BYTES : RV_KNOB_GPUS);
    const rv_knob before = s.stage->knob;
    stage_fixture_press(&s, "/");
    cr_assert_eq(s.stage->knob, before + 1);
}

/* Wants each point of each line at its place and, by the logarithm of its time, at its height: none is cut off at
   an edge of the plot. */
static void expect_curve_to_scale(const stage_fixture *s) {
    const rv_scene *scene = &s->stage->scene;
    const rv_curve *curve = &s->stage->curve;
    int64_t least_ps = INT64_MAX, most_ps = 0;
    for (int32_t i = 0; i < 3 * curve->n_points; i++) {
        const rv_curve_point *p = &curve->points[i / 3];
        const int64_t ps = i % 3 == 0 ? p->bound_ps : i % 3 == 1 ? p->rival_ps : p->own_ps;
        if (ps > 0 && ps < least_ps) least_ps = ps;
        if (ps > most_ps) most_ps = ps;
    }
    const double span = log10((double)most_ps / (double)least_ps);
    double x[2] = {1e9, -1e9}, y[2] = {1e9, -1e9};
    for (int pass = 0; pass < 2; pass++) {
        cr_expect(pass == 0 || span <= 0 || y[1] - y[0] > 3 * s->stage->look.unit,
                  "the lines are flat");
        int32_t at = 0;
        for (int which = 0; which < 3; which++) {
            double places[RV_CURVE_POINTS], logs[RV_CURVE_POINTS];
            int32_t n = 0;
            for (int32_t i = 0; i < curve->n_points; i++) {
                const rv_curve_point *p = &curve->points[i];
                const int64_t ps = which == 0 ? p->bound_ps : which == 1 ? p->rival_ps : p->own_ps;
                if (ps <= 0) continue;
                places[n] = p->place;
                logs[n++] = span > 0 ? log10((double)ps / (double)least_ps) / span : 0;
            }
            if (n < 2) continue;
            for (; at < scene->n_items; at++) {
                const rv_item *item = &scene->items[at];
                if (item->shape == RV_POLYGON && item->fill == 0 && item->n == n &&
                    item->stroke != 0)
                    break;
            }
            cr_assert_lt(at, scene->n_items, "line %d of %d points is not drawn", which, (int)n);
            for (int32_t i = 0; i < n; i++) {
                const rv_point p = scene->points[scene->items[at].first + i];
                if (pass == 0) {
                    x[0] = fmin(x[0], p.x), x[1] = fmax(x[1], p.x);
                    y[0] = fmin(y[0], p.y), y[1] = fmax(y[1], p.y);
                    continue;
                }
                const double to_x =
                    x[0] + (x[1] - x[0]) * (places[i] - curve->points[0].place) /
                               (curve->points[curve->n_points - 1].place - curve->points[0].place);
                cr_expect(fabs(p.x - to_x) < 0.5, "line %d, point %d: at %.1f, not %.1f", which,
                          (int)i, p.x, to_x);
                const double to_y = y[1] + (y[0] - y[1]) * logs[i];
                cr_expect(fabs(p.y - to_y) < 0.5, "line %d, point %d: %.1f high, not %.1f", which,
                          (int)i, p.y, to_y);
            }
            at++;
        }
    }
}

Test(scene_numbers, the_curves_axes_cover_what_is_drawn, .timeout = 900) {
    static const char *const keys[] = {"n", "nx", "nwe"};
    static stage_fixture s;
    for (int i = 0; i < 3; i++) {
        stage_fixture_start(&s, i == 1 ? "tree" : "ring", 5, 2);
        stage_fixture_press(&s, keys[i]);
        for (int knob = 0; knob < RV_N_KNOBS; knob++) {
            rv_stage_resize(s.stage, 900 + 200 * knob, 1000);
            rv_stage_draw(s.stage);
            expect_curve_to_scale(&s);
            stage_fixture_press(&s, "/");
        }
        stage_fixture_end(&s);
    }
}
