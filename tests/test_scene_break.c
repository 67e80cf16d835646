/* test_scene_break.c: breaking it, forking it, racing it, turning its numbers, through keys and pointer. */
#include "stage.h"
#include "viewed.h"

#include <criterion/criterion.h>
#include <string.h>

typedef struct scene_run {
    viewed run;
    rv_options options;
    rs_error error;
    rv_stage *stage;
} scene_run;

static void start(scene_run *s, const char *algorithm, int32_t n, int32_t at) {
    viewed_prepare(&s->run, algorithm, n);
    s->run.request.trace_limit = 1 << 20;
    cr_assert(viewed_run(&s->run), "%s", s->run.error.text);
    s->options = (rv_options){.at = at, .colour = true};
    cr_assert(rv_stage_new(&s->run.report, &s->options, NULL, &s->error, &s->stage) == RS_OK);
    rv_stage_draw(s->stage);
}

static void end(scene_run *s) {
    rv_stage_free(s->stage);
    viewed_free(&s->run);
}

static void press(scene_run *s, const char *keys) {
    for (; *keys; keys++) cr_assert(rv_stage_key(s->stage, *keys, &s->error) == RS_OK);
    rv_stage_draw(s->stage);
}

static void key(scene_run *s, int32_t pressed) {
    cr_assert(rv_stage_key(s->stage, pressed, &s->error) == RS_OK);
    rv_stage_draw(s->stage);
}

static void tick(scene_run *s, int ms) {
    for (int i = 0; i < ms; i += 10) cr_assert(rv_stage_tick(s->stage, 10, &s->error) == RS_OK);
    rv_stage_draw(s->stage);
}

/* A place where the pointer feels the target. */
static rv_point spot_of(const scene_run *s, rv_thing thing, int32_t a, int32_t b) {
    const rv_target wanted = rv_target_of(thing, a, b);
    const rv_scene *scene = &s->stage->scene;
    for (int i = 0; i < scene->n_items; i++) {
        if (!rv_same_target(scene->items[i].target, wanted)) continue;
        const rv_box box = scene->items[i].box;
        for (double y = 0; y <= 20; y++) {
            for (double x = 0; x <= 20; x++) {
                const rv_point at = {box.x + box.w * x / 20, box.y + box.h * y / 20};
                const rv_target under = rv_scene_hit(scene, at.x, at.y, 6, NULL);
                if (rv_same_target(under, wanted)) return at;
            }
        }
    }
    cr_assert_fail("no place is felt as %d %d %d", (int)thing, (int)a, (int)b);
    return (rv_point){0, 0};
}

static void click(scene_run *s, rv_thing thing, int32_t a, int32_t b) {
    const rv_point at = spot_of(s, thing, a, b);
    cr_assert(rv_stage_pointer(s->stage, RV_POINT_MOVE, at.x, at.y, &s->error) == RS_OK);
    cr_assert(rv_stage_pointer(s->stage, RV_POINT_PRESS, at.x, at.y, &s->error) == RS_OK);
    cr_assert(rv_stage_pointer(s->stage, RV_POINT_RELEASE, at.x, at.y, &s->error) == RS_OK);
    rv_stage_draw(s->stage);
}

static int64_t time_of(const scene_run *s) {
    return s->stage->trial->report->outcome.makespan_ps;
}

static bool says(const scene_run *s, const char *text) {
    return strstr(s->stage->walk.message, text) != NULL;
}

/* --------------------------------------------------------------------------------------- faults */

/* 5 GPUs, 100 MB, 5 us, 20 GB/s: 8 steps of 5 us + 1 ms. */
enum { HEALTHY_US = 8040 };
static const int64_t US = 1000000;

Test(scene_break, a_click_on_a_wire_makes_it_ten_times_slower_and_the_next_mends_it) {
    static scene_run s;
    start(&s, "ring", 5, 3);
    cr_assert_eq(time_of(&s), HEALTHY_US * US);
    click(&s, RV_LINK, 2, 3);
    cr_assert_eq(time_of(&s), 10 * HEALTHY_US * US); /* the whole ring at its pace */
    cr_assert_eq(s.stage->trial->setup.faults[0].rank, 2);
    cr_assert_eq(rv_model_step(s.stage->trial->model), 3);
    cr_assert(says(&s, "GPU 2's links are 10 times slower: 8.04 ms → 80.40 ms"), "%s",
              s.stage->walk.message);
    click(&s, RV_LINK, 2, 3);
    cr_assert_eq(time_of(&s), HEALTHY_US * US);
    cr_assert(says(&s, "No longer"));
    end(&s);
}

Test(scene_break, lateness_costs_exactly_itself) {
    static scene_run s;
    start(&s, "ring", 5, -1);
    key(&s, RV_KEY_DOWN);
    press(&s, "e");
    cr_assert_eq(time_of(&s), (HEALTHY_US + 4000) * US);
    cr_assert_eq(s.stage->trial->setup.faults[0].rank, 1);
    press(&s, "e");
    cr_assert_eq(time_of(&s), HEALTHY_US * US);
    end(&s);
}

Test(scene_break, a_gpu_that_dies_before_the_step_shown_stalls_the_ring_and_the_words_say_why) {
    static scene_run s;
    start(&s, "ring", 5, 2);
    press(&s, "k");
    const rs_outcome *outcome = &s.stage->trial->report->outcome;
    cr_assert_not(outcome->completed);
    cr_assert_eq(outcome->n_killed, 1);
    cr_assert_eq(outcome->entered[0], 2);
    cr_assert(says(&s, "never ends"));
    cr_assert(says(&s, "waits in step 2 for GPU 0, which died before step 2"), "%s",
              s.stage->walk.message);
    press(&s, "u");
    cr_assert_eq(time_of(&s), HEALTHY_US * US);
    cr_assert(says(&s, "ends again"));
    end(&s);
}

Test(scene_break, the_menu_of_a_gpu_breaks_it_and_makes_it_well) {
    static scene_run s;
    start(&s, "ring", 5, 1);
    click(&s, RV_GPU, 3, 0);
    cr_assert_eq(s.stage->menu_rank, 3);
    cr_assert_eq(s.stage->walk.rank, 3);
    click(&s, RV_FAULT, RV_ILL_SLOW, 3); /* 1 ms more for each of 8 steps: F2 of each step */
    cr_assert_eq(time_of(&s), (HEALTHY_US + 8000) * US);
    click(&s, RV_FAULT, RV_ILL_DEAD, 3);
    cr_assert_not(s.stage->trial->report->outcome.completed);
    cr_assert_eq(s.stage->trial->setup.n_faults, 2);
    click(&s, RV_FAULT, RV_ILL_NONE, 3);
    cr_assert_eq(time_of(&s), HEALTHY_US * US);
    cr_assert_eq(s.stage->trial->setup.n_faults, 0);
    key(&s, RV_KEY_ESCAPE);
    cr_assert_eq(s.stage->menu_rank, -1);
    cr_assert_not(s.stage->walk.quit);
    end(&s);
}

Test(scene_break, everyone_may_die) {
    static scene_run s;
    start(&s, "ring", 5, 0);
    for (int i = 0; i < 5; i++) {
        press(&s, "k");
        key(&s, RV_KEY_DOWN);
    }
    cr_assert_eq(s.stage->trial->report->outcome.n_killed, 5);
    cr_assert_eq(s.stage->trial->report->outcome.n_transfers, 0);
    press(&s, "u");
    cr_assert_eq(time_of(&s), HEALTHY_US * US);
    end(&s);
}

/* --------------------------------------------------------------------------------- fork and race */

Test(scene_break, at_the_defaults_the_ring_wins_the_race_by_more_than_four) {
    static scene_run s;
    start(&s, "ring", 5, -1);
    press(&s, "x");
    cr_assert_eq(s.stage->second, RV_RACING);
    cr_assert_str_eq(s.stage->other->model->schedule->name, "naive");
    const int64_t naive_ps = s.stage->other->report->outcome.makespan_ps;
    cr_assert_eq(naive_ps, 40040 * US);
    cr_assert_gt(naive_ps, 4 * time_of(&s));
    press(&s, " ");
    tick(&s, 6000); /* half the race: the ring has long finished */
    cr_assert_eq(rv_model_step(s.stage->trial->model), 8);
    cr_assert_lt(rv_model_step(s.stage->other->model), 8);
    tick(&s, 6100);
    cr_assert_eq(rv_model_step(s.stage->other->model), 8);
    cr_assert_not(s.stage->walk.playing);
    cr_assert_eq(s.stage->now_ps, naive_ps);
    end(&s);
}

Test(scene_break, a_step_of_the_race_is_a_step_of_the_main_run_then_of_the_other) {
    static scene_run s;
    start(&s, "ring", 5, -1);
    press(&s, "x");
    for (int i = 1; i <= 8; i++) {
        key(&s, RV_KEY_RIGHT);
        tick(&s, 700);
        cr_assert_eq(s.stage->now_ps, i * 1005 * US);
    }
    key(&s, RV_KEY_RIGHT);
    tick(&s, 700);
    cr_assert_eq(s.stage->now_ps, 2 * 5005 * US); /* the second of naive's messages is there */
    key(&s, RV_KEY_LEFT);
    key(&s, RV_KEY_LEFT); /* a key ends what is moving */
    tick(&s, 700);
    cr_assert_eq(s.stage->now_ps, 7 * 1005 * US);
    end(&s);
}

Test(scene_break, a_fork_keeps_the_run_and_later_changes_change_the_other_future) {
    static scene_run s;
    start(&s, "ring", 5, 3);
    press(&s, "Fw");
    cr_assert_eq(s.stage->second, RV_FORKED);
    cr_assert_eq(s.stage->other->report->outcome.makespan_ps, HEALTHY_US * US);
    cr_assert_eq(time_of(&s), 10 * HEALTHY_US * US);
    cr_assert_eq(s.stage->now_ps, 4 * 1005 * US); /* both at one time */
    cr_assert_eq(rv_model_step(s.stage->other->model), 3);
    cr_assert_eq(rv_model_step(s.stage->trial->model), 0);
    press(&s, "F");
    cr_assert(s.stage->other == NULL);
    cr_assert_eq(time_of(&s), 10 * HEALTHY_US * US);
    end(&s);
}

Test(scene_break, the_rivals_come_in_turn_and_then_none) {
    static scene_run s;
    start(&s, "ring", 8, -1);
    const char *names[] = {"naive", "tree", "doubling", "halving"};
    for (int i = 0; i < 4; i++) {
        press(&s, "x");
        cr_assert(s.stage->other != NULL);
        cr_assert_str_eq(s.stage->other->model->schedule->name, names[i]);
    }
    press(&s, "x");
    cr_assert(s.stage->other == NULL);
    cr_assert_eq(s.stage->second, RV_ALONE);
    end(&s);
}

Test(scene_break, both_racers_run_on_the_same_broken_network) {
    static scene_run s;
    start(&s, "ring", 5, -1);
    press(&s, "xw");
    cr_assert_eq(s.stage->other->setup.n_faults, 1);
    cr_assert_eq(time_of(&s), 10 * HEALTHY_US * US);
    cr_assert_eq(s.stage->other->report->outcome.makespan_ps, 4 * (5005 + 50050) * US);
    end(&s);
}

/* --------------------------------------------------------------------------------------- numbers */

Test(scene_break, keys_turn_the_numbers_to_the_next_round_one) {
    static scene_run s;
    start(&s, "ring", 5, 2);
    press(&s, "/");
    cr_assert(s.stage->views & RV_VIEW_NUMBERS);
    press(&s, ".");
    cr_assert_eq(s.stage->trial->model->n_ranks, 6);
    cr_assert_eq(time_of(&s), rs_closed_form_ps(&s.stage->trial->report->request.job));
    press(&s, ",,");
    cr_assert_eq(s.stage->trial->model->n_ranks, 4);
    press(&s, "/.");
    cr_assert_eq(s.stage->trial->setup.count * 4, 120000000);
    press(&s, "/,");
    cr_assert_eq(s.stage->trial->setup.link.alpha_ps, 4 * US);
    press(&s, "/.");
    cr_assert_eq(s.stage->trial->setup.link.bandwidth_Bps, 25000000000);
    cr_assert_eq(time_of(&s), 6 * (4 + 1200) * US);
    cr_assert_eq(rv_model_step(s.stage->trial->model), 2);
    end(&s);
}

Test(scene_break, dragging_a_slider_changes_the_run_while_it_is_dragged) {
    static scene_run s;
    start(&s, "ring", 5, 2);
    press(&s, "n");
    const rv_target slider = rv_target_of(RV_SLIDER, RV_KNOB_GPUS, 0);
    rv_box axis = {0};
    for (int i = 0; i < s.stage->scene.n_items; i++) {
        const rv_item *item = &s.stage->scene.items[i];
        if (rv_same_target(item->target, slider)) axis = item->box;
    }
    const double y = axis.y + axis.h / 2;
    rv_stage_pointer(s.stage, RV_POINT_PRESS, axis.x + axis.w * 3 / 9, y, &s.error);
    cr_assert_eq(s.stage->trial->model->n_ranks, 16);
    rv_stage_draw(s.stage);
    rv_stage_pointer(s.stage, RV_POINT_MOVE, axis.x + axis.w * 5 / 9, y - 300, &s.error);
    cr_assert_eq(s.stage->trial->model->n_ranks, 64);
    rv_stage_draw(s.stage);
    rv_stage_pointer(s.stage, RV_POINT_MOVE, axis.x - 500, y, &s.error);
    cr_assert_eq(s.stage->trial->model->n_ranks, 2);
    rv_stage_pointer(s.stage, RV_POINT_RELEASE, axis.x, y, &s.error);
    rv_stage_pointer(s.stage, RV_POINT_MOVE, axis.x + axis.w, y, &s.error);
    cr_assert_eq(s.stage->trial->model->n_ranks, 2);
    end(&s);
}

Test(scene_break, a_knob_reaches_its_ends_and_every_stop_is_a_fixed_point) {
    rv_setup setup = {.algorithm = rs_find_algorithm("ring"), .n_ranks = 5, .elem_bytes = 4};
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

static rv_setup at_point(const scene_run *s, int32_t i) {
    rv_setup setup = s->stage->trial->setup;
    rv_knob_set(&setup, s->stage->curve.knob, s->stage->curve.points[i].place);
    return setup;
}

/* Every known point of the curve is what the whole run takes when the slider stands there. */
static void expect_true_curve(scene_run *s, rv_knob knob) {
    s->stage->knob = knob;
    rv_stage_draw(s->stage);
    const rv_curve *curve = &s->stage->curve;
    int known = 0;
    cr_assert_eq(curve->knob, knob);
    for (int32_t i = 0; i < curve->n_points; i++) {
        const rv_setup setup = at_point(s, i);
        if (curve->points[i].own_ps < 0 || setup.n_ranks > 64) continue;
        rv_trial *trial = NULL;
        cr_assert_eq(rv_trial_copy(s->stage->trial, &setup, &s->error, &trial), RS_OK);
        cr_assert_eq(trial->report->outcome.makespan_ps, curve->points[i].own_ps);
        cr_assert_geq(curve->points[i].own_ps, curve->points[i].bound_ps);
        known++;
        rv_trial_free(trial);
    }
    cr_assert_gt(known, 15);
}

Test(scene_break, the_curve_tells_what_the_run_would_take, .timeout = 60) {
    static scene_run s;
    start(&s, "ring", 5, 2);
    press(&s, "n");
    for (int knob = 0; knob < RV_N_KNOBS; knob++) expect_true_curve(&s, (rv_knob)knob);
    press(&s, "we"); /* no closed form any more */
    for (int knob = 0; knob < RV_N_KNOBS; knob++) expect_true_curve(&s, (rv_knob)knob);
    press(&s, "k"); /* it never ends: nothing is known */
    cr_assert_eq(s.stage->curve.points[0].own_ps, -1);
    end(&s);
}

/* ----------------------------------------------------------------------------------- all of it at once */

static void expect_consistent(const rv_stage *stage) {
    const rv_model *model = stage->trial->model;
    cr_assert(stage->walk.model == model);
    cr_assert(stage->walk.rank >= 0 && stage->walk.rank < model->n_ranks);
    cr_assert(model->step >= -1 && model->step <= model->n_steps);
    cr_assert(stage->progress >= 0 && stage->progress <= 1);
    cr_assert_eq(stage->other != NULL, stage->second != RV_ALONE);
    cr_assert_leq(stage->menu_rank, RS_MAX_RANKS);
    if (stage->other == NULL) return;
    cr_assert_geq(stage->now_ps, 0);
    cr_assert(rv_race_place(stage) <= 1);
    if (stage->second == RV_RACING) {
        cr_assert_eq(stage->other->setup.n_ranks, model->n_ranks);
        cr_assert_eq(stage->other->setup.count, stage->trial->setup.count);
    }
}

Test(scene_break, whatever_is_pressed_the_stage_stays_whole, .timeout = 120) {
    static const int32_t keys[] = {'w',
                                   'e',
                                   'k',
                                   'u',
                                   'F',
                                   'x',
                                   '/',
                                   ',',
                                   '.',
                                   '.',
                                   'n',
                                   ' ',
                                   'v',
                                   'd',
                                   RV_KEY_RIGHT,
                                   RV_KEY_LEFT,
                                   RV_KEY_DOWN,
                                   ']',
                                   '[',
                                   'p',
                                   'a',
                                   RV_KEY_END,
                                   RV_KEY_HOME,
                                   RV_KEY_SHIFT_RIGHT,
                                   RV_KEY_SHIFT_LEFT,
                                   RV_KEY_ESCAPE,
                                   'g',
                                   '3',
                                   RV_KEY_ENTER};
    static scene_run s;
    uint64_t state = 7;
    start(&s, "ring", 5, -1);
    for (int i = 0; i < 300; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const uint32_t roll = (uint32_t)(state >> 33);
        const double x = (roll >> 8) % 1280, y = (roll >> 3) % 720;
        if (roll % 4 == 0) {
            rv_stage_pointer(s.stage, RV_POINT_PRESS, x, y, &s.error);
            rv_stage_pointer(s.stage, RV_POINT_MOVE, y, x / 2, &s.error);
            rv_stage_pointer(s.stage, RV_POINT_RELEASE, y, x / 2, &s.error);
        } else if (roll % 4 == 1) {
            tick(&s, 100);
        } else {
            const int32_t pressed = keys[(roll >> 4) % (sizeof keys / sizeof keys[0])];
            cr_assert_eq(rv_stage_key(s.stage, pressed, &s.error), RS_OK, "%s", s.error.text);
        }
        if (s.stage->trial->model->n_ranks > 40) {
            rv_stage_turn(s.stage, RV_KNOB_GPUS, 0.2, &s.error); /* for speed */
        }
        rv_stage_draw(s.stage);
        expect_consistent(s.stage);
    }
    end(&s);
}

Test(scene_break, a_file_has_its_own_gpus_but_any_size) {
    static scene_run s;
    viewed_prepare_text(&s.run,
                        "ringsim-schedule 1\nranks 2\nchunks 2\nstep\n0 -> 1 chunk 0 reduce\n"
                        "1 -> 0 chunk 1 reduce\nstep\n1 -> 0 chunk 0 copy\n"
                        "0 -> 1 chunk 1 copy\n");
    cr_assert(viewed_run(&s.run), "%s", s.run.error.text);
    s.options = (rv_options){.at = 0, .colour = true};
    cr_assert_eq(rv_stage_new(&s.run.report, &s.options, NULL, &s.error, &s.stage), RS_OK);
    press(&s, "/.");
    cr_assert_eq(s.stage->trial->model->n_ranks, 2);
    cr_assert(says(&s, "from a file"));
    press(&s, "/.");
    cr_assert_gt(s.stage->trial->setup.count, 2);
    press(&s, "x");
    cr_assert_eq(s.stage->second, RV_RACING);
    end(&s);
}

Test(scene_break, a_change_that_cannot_be_leaves_the_run_and_says_why) {
    static scene_run s;
    viewed_prepare(&s.run, "ring", 5);
    s.run.request.job.net.link = (rs_link){5 * US, 1}; /* 1 byte a second */
    s.run.request.job.count = 5;
    cr_assert(viewed_run(&s.run), "%s", s.run.error.text);
    s.options = (rv_options){.at = 2, .colour = true};
    cr_assert_eq(rv_stage_new(&s.run.report, &s.options, NULL, &s.error, &s.stage), RS_OK);
    const rs_report *before = s.stage->trial->report;
    cr_assert_eq(rv_stage_turn(s.stage, RV_KNOB_BYTES, 1, &s.error), RS_OK);
    cr_assert(s.stage->trial->report == before);
    cr_assert_gt(strlen(s.stage->walk.message), 10);
    cr_assert_eq(rv_model_step(s.stage->trial->model), 2);
    end(&s);
}

Test(scene_break, a_drag_skimps_on_large_runs_and_letting_go_makes_up_for_it, .timeout = 60) {
    static scene_run s;
    start(&s, "ring", 5, 2);
    press(&s, "n");
    rv_box axis = {0};
    for (int i = 0; i < s.stage->scene.n_items; i++) {
        const rv_item *item = &s.stage->scene.items[i];
        if (rv_same_target(item->target, rv_target_of(RV_SLIDER, RV_KNOB_GPUS, 0)))
            axis = item->box;
    }
    const double y = axis.y + axis.h / 2, x = axis.x + axis.w * 7 / 9;
    rv_stage_pointer(s.stage, RV_POINT_PRESS, x, y, &s.error);
    cr_assert_eq(s.stage->trial->model->n_ranks, 256);
    cr_assert(s.stage->trial->report->trace == NULL);
    cr_assert_eq(time_of(&s), rs_closed_form_ps(&s.stage->trial->report->request.job));
    rv_stage_draw(s.stage);
    rv_stage_pointer(s.stage, RV_POINT_RELEASE, x, y, &s.error);
    cr_assert(s.stage->trial->report->trace != NULL);
    cr_assert(s.stage->trial->report->computed);
    cr_assert_eq(rv_model_step(s.stage->trial->model), 2);
    end(&s);
}

Test(scene_break, the_key_of_the_sliders_brings_them_up_where_there_is_no_room_for_all) {
    static scene_run s;
    start(&s, "ring", 5, 2);
    press(&s, "v"); /* all views */
    rv_stage_resize(s.stage, 800, 600);
    press(&s, "mdcr"); /* whatever was shut is opened again: the latest come first */
    press(&s, "mdcr");
    const bool shown = (s.stage->layout.shown & RV_VIEW_NUMBERS) != 0;
    press(&s, "/");
    cr_assert(s.stage->layout.shown & RV_VIEW_NUMBERS);
    cr_assert_eq(s.stage->knob, shown ? RV_KNOB_BYTES : RV_KNOB_GPUS);
    const rv_knob before = s.stage->knob;
    press(&s, "/");
    cr_assert_eq(s.stage->knob, before + 1);
    end(&s);
}
