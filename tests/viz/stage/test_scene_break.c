/* test_scene_break.c: breaking it, forking it, racing it, through keys and pointer. Times are those of
 * the closed forms: 5 GPUs, 100 MB, 5 us, 20 GB/s are 8 steps of 5 us + 1 ms.
 */
#include "support/stage_fixture.h"

#include <criterion/criterion.h>
#include <string.h>

/* --------------------------------------------------------------------------------------- faults */

/* 5 GPUs, 100 MB, 5 us, 20 GB/s: 8 steps of 5 us + 1 ms. */
enum { HEALTHY_US = 8040 };
static const int64_t US = 1000000;

Test(scene_break, a_click_on_a_wire_makes_it_ten_times_slower_and_the_next_mends_it) {
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, "ring", 5, 3);
    cr_assert_eq(stage_fixture_time_ps(&s), HEALTHY_US * US);
    stage_fixture_click(&s, RV_LINK, 2, 3);
    cr_assert_eq(stage_fixture_time_ps(&s), 10 * HEALTHY_US * US); /* the whole ring at its pace */
    cr_assert_eq(s.stage->what_if->setup.faults[0].rank, 2);
    cr_assert_eq(s.stage->what_if->model->step, 3);
    cr_assert(stage_fixture_says(&s, "GPU 2's links are 10 times slower: 8.04 ms → 80.40 ms"), "%s",
              s.stage->playback.message);
    stage_fixture_click(&s, RV_LINK, 2, 3);
    cr_assert_eq(stage_fixture_time_ps(&s), HEALTHY_US * US);
    cr_assert(stage_fixture_says(&s, "No longer"));
}

Test(scene_break, lateness_costs_exactly_itself) {
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, "ring", 5, -1);
    stage_fixture_key(&s, RV_KEY_DOWN);
    stage_fixture_press(&s, "e");
    cr_assert_eq(stage_fixture_time_ps(&s), (HEALTHY_US + 4000) * US);
    cr_assert_eq(s.stage->what_if->setup.faults[0].rank, 1);
    stage_fixture_press(&s, "e");
    cr_assert_eq(stage_fixture_time_ps(&s), HEALTHY_US * US);
}

/* A verdict with a mark on it goes on from run to run while the schedule is the same. */
Test(scene_break, what_a_fault_cannot_change_is_not_judged_again) {
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, "ring", 5, 3);
    for (const char *keys = "wekFu"; *keys != '\0'; keys++) {
        ((rs_report *)s.stage->what_if->report)->verdict.who = 77;
        stage_fixture_press(&s, (char[]){*keys, '\0'});
        cr_expect(s.stage->what_if->report->judged);
        cr_expect_eq(s.stage->what_if->report->verdict.who, 77, "%c", *keys);
    }
    cr_expect_eq(s.stage->other->report->verdict.who, 77);
    stage_fixture_press(&s, "n.");
    cr_expect(s.stage->what_if->report->judged && s.stage->what_if->report->verdict.sound);
    cr_expect_neq(s.stage->what_if->report->verdict.who, 77);
}

/* What the reader has seen done stays done. */
Test(scene_break, a_gpu_dies_from_now_on_stalls_the_ring_and_the_words_say_why) {
    static stage_fixture s;
    char before[32], after[32];
    stage_fixture_start(&s, "ring", 5, 2);
    rv_value_at(s.stage->what_if->model, 0, 2, before, sizeof before);
    stage_fixture_press(&s, "k");
    const rs_outcome *outcome = &s.stage->what_if->report->outcome;
    cr_assert_not(outcome->completed);
    cr_assert_eq(outcome->n_killed, 1);
    cr_assert_eq(outcome->entered[0], 3);
    rv_value_at(s.stage->what_if->model, 0, 2, after, sizeof after);
    cr_assert_str_eq(after, before);
    cr_assert(stage_fixture_says(&s, "never ends"));
    cr_assert(stage_fixture_says(&s, "waits in step 3 for GPU 0, which died before step 3"), "%s",
              s.stage->playback.message);
    stage_fixture_press(&s, "u");
    cr_assert_eq(stage_fixture_time_ps(&s), HEALTHY_US * US);
    cr_assert(stage_fixture_says(&s, "ends again"));
    stage_fixture_end(&s);
    static const struct {
        int32_t at, dies;
    } moments[] = {{-1, 0}, {0, 1}, {6, 7}, {7, 7}, {8, 7}}; /* after the last step: before it */
    for (int i = 0; i < 5; i++) {
        stage_fixture_start(&s, "ring", 5, moments[i].at);
        stage_fixture_press(&s, "k");
        cr_expect_eq(s.stage->what_if->setup.faults[0].step, moments[i].dies);
        stage_fixture_end(&s);
    }
}

Test(scene_break, the_menu_of_a_gpu_breaks_it_and_makes_it_well) {
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, "ring", 5, 1);
    stage_fixture_click(&s, RV_GPU, 3, 0);
    cr_assert_eq(s.stage->menu.thing, RV_GPU);
    cr_assert_eq(s.stage->menu.a, 3);
    cr_assert_eq(s.stage->playback.rank, 3);
    /* 1 ms more for each of 8 steps: F2 of each step */
    stage_fixture_click(&s, RV_FAULT, RV_FAULT_SLOW, 3);
    cr_assert_eq(stage_fixture_time_ps(&s), (HEALTHY_US + 8000) * US);
    stage_fixture_click(&s, RV_FAULT, RV_FAULT_DEAD, 3);
    cr_assert_not(s.stage->what_if->report->outcome.completed);
    cr_assert_eq(s.stage->what_if->setup.n_faults, 2);
    stage_fixture_click(&s, RV_FAULT, RV_FAULT_NONE, 3);
    cr_assert_eq(stage_fixture_time_ps(&s), HEALTHY_US * US);
    cr_assert_eq(s.stage->what_if->setup.n_faults, 0);
    stage_fixture_key(&s, RV_KEY_ESCAPE);
    cr_assert_eq(s.stage->menu.thing, RV_NOTHING);
    cr_assert_not(s.stage->playback.quit);
}

Test(scene_break, keys_do_to_the_followed_gpu_all_that_its_menu_does) {
    static const int32_t keys[RV_N_FAULTS] = {'w', 'e', 'b', 'k', 'h'};
    static stage_fixture s;
    for (int ill = 0; ill < RV_FAULT_NONE; ill++) {
        stage_fixture_start(&s, "ring", 5, 1);
        stage_fixture_key(&s, RV_KEY_DOWN);
        stage_fixture_key(&s, keys[ill]);
        const int64_t by_key_ps = stage_fixture_time_ps(&s);
        const rs_fault by_key = s.stage->what_if->setup.faults[0];
        stage_fixture_key(&s, keys[RV_FAULT_NONE]);
        cr_expect_eq(s.stage->what_if->setup.n_faults, 0, "h heals it of ill %d", ill);
        stage_fixture_click(&s, RV_GPU, 1, 0);
        stage_fixture_click(&s, RV_FAULT, ill, 1);
        cr_expect_eq(stage_fixture_time_ps(&s), by_key_ps, "key %c", (char)keys[ill]);
        cr_expect_eq(s.stage->what_if->setup.faults[0].kind, by_key.kind);
        cr_expect_eq(s.stage->what_if->setup.faults[0].rank, by_key.rank);
        stage_fixture_end(&s);
    }
}

Test(scene_break, a_button_opens_and_closes_the_menu_of_the_followed_gpu) {
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, "ring", 5, 0);
    stage_fixture_key(&s, RV_KEY_DOWN);
    stage_fixture_click(&s, RV_BUTTON, RV_BREAK_MENU, 0);
    cr_expect(s.stage->menu.thing == RV_GPU && s.stage->menu.a == 1);
    stage_fixture_click(&s, RV_BUTTON, RV_BREAK_MENU, 0);
    cr_expect_eq(s.stage->menu.thing, RV_NOTHING);
}

Test(scene_break, one_gpu_is_no_gpus) {
    OWN_FIXTURE s = {0};
    char title[256];
    stage_fixture_start(&s, "ring", 1, -1);
    rv_stage_title(s.stage, title, sizeof title);
    cr_expect_str_eq(title, "ring, 1 GPU - start, GPU 0");
    cr_expect(stage_fixture_shows(&s, "Ring all-reduce, 1 GPU") &&
              !stage_fixture_shows(&s, "1 GPUs"));
}

Test(scene_break, everyone_may_die) {
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, "ring", 5, -1);
    for (int i = 0; i < 5; i++) {
        stage_fixture_press(&s, "k");
        stage_fixture_key(&s, RV_KEY_DOWN);
    }
    cr_assert_eq(s.stage->what_if->report->outcome.n_killed, 5);
    cr_assert_eq(s.stage->what_if->report->outcome.n_transfers, 0);
    stage_fixture_press(&s, "u");
    cr_assert_eq(stage_fixture_time_ps(&s), HEALTHY_US * US);
}

/* --------------------------------------------------------------------------------- fork and race */

Test(scene_break, at_the_defaults_the_ring_wins_the_race_by_more_than_four) {
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, "ring", 5, -1);
    stage_fixture_press(&s, "x");
    cr_assert_eq(s.stage->pairing, &rv_raced);
    cr_assert_str_eq(s.stage->other->model->schedule->name, "naive");
    const int64_t naive_ps = s.stage->other->report->outcome.makespan_ps;
    cr_assert_eq(naive_ps, 40040 * US);
    cr_assert_gt(naive_ps, 4 * stage_fixture_time_ps(&s));
    stage_fixture_press(&s, " ");
    stage_fixture_tick(&s, 6000); /* half the race: the ring has long finished */
    cr_assert_eq(s.stage->what_if->model->step, 8);
    cr_assert_lt(s.stage->other->model->step, 8);
    stage_fixture_tick(&s, 6100);
    cr_assert_eq(s.stage->other->model->step, 8);
    cr_assert_not(s.stage->playback.playing);
    cr_assert_eq(s.stage->now_ps, naive_ps);
}

Test(scene_break, a_step_of_the_race_is_a_step_of_the_main_run_then_of_the_other) {
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, "ring", 5, -1);
    stage_fixture_press(&s, "x");
    for (int i = 1; i <= 8; i++) {
        stage_fixture_key(&s, RV_KEY_RIGHT);
        stage_fixture_tick(&s, 700);
        cr_assert_eq(s.stage->now_ps, i * 1005 * US);
    }
    stage_fixture_key(&s, RV_KEY_RIGHT);
    stage_fixture_tick(&s, 700);
    cr_assert_eq(s.stage->now_ps, 2 * 5005 * US); /* the second of naive's messages is there */
    stage_fixture_key(&s, RV_KEY_LEFT);
    stage_fixture_key(&s, RV_KEY_LEFT); /* a key ends what is moving */
    stage_fixture_tick(&s, 700);
    cr_assert_eq(s.stage->now_ps, 7 * 1005 * US);
}

Test(scene_break, a_fork_keeps_the_run_and_later_changes_change_the_other_future) {
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, "ring", 5, 3);
    stage_fixture_press(&s, "Fw");
    cr_assert_eq(s.stage->pairing, &rv_forked);
    cr_assert_eq(s.stage->other->report->outcome.makespan_ps, HEALTHY_US * US);
    cr_assert_eq(stage_fixture_time_ps(&s), 10 * HEALTHY_US * US);
    cr_assert_eq(s.stage->now_ps, 4 * 1005 * US); /* both at one time */
    cr_assert_eq(s.stage->other->model->step, 3);
    cr_assert_eq(s.stage->what_if->model->step, 0);
    stage_fixture_press(&s, "F");
    cr_assert(s.stage->other == NULL);
    cr_assert_eq(stage_fixture_time_ps(&s), 10 * HEALTHY_US * US);
}

Test(scene_break, escape_ends_a_race_and_a_fork_after_what_lies_on_top) {
    static stage_fixture s;
    static const char *const begins[] = {"x", "F"};
    for (int i = 0; i < 2; i++) {
        stage_fixture_start(&s, "ring", 5, 3);
        stage_fixture_press(&s, begins[i]);
        cr_expect_eq(i == 1, stage_fixture_says(&s, "kept as \"before\""), "a fork says so");
        stage_fixture_click(&s, RV_GPU, 2, 0);
        stage_fixture_key(&s, RV_KEY_ESCAPE);
        cr_expect(s.stage->other != NULL && s.stage->menu.thing == RV_NOTHING);
        stage_fixture_key(&s, RV_KEY_ESCAPE);
        cr_expect(s.stage->other == NULL && s.stage->pairing == &rv_alone);
        stage_fixture_end(&s);
    }
}

/* Narrow cards beside another run: fewer words, in the head. */
Test(scene_break, what_a_gpu_waits_for_hides_no_value) {
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, "ring", 5, 2);
    stage_fixture_press(&s, "kx");
    stage_fixture_key(&s, RV_KEY_END);
    rv_stage_draw(s.stage);
    const rv_scene *scene = &s.stage->scene;
    int n_waits = 0, n_values = 0;
    for (const rv_item *pill = NULL; (pill = view_fixture_next(scene, pill)) != NULL;) {
        if (pill->shape != RV_LABEL || strstr(rv_label_text(scene, pill), "waits for") == NULL)
            continue;
        n_waits++;
        for (const rv_item *value = NULL; (value = view_fixture_next(scene, value)) != NULL;) {
            if (value->shape != RV_LABEL || !value->mono) continue;
            n_values++;
            cr_expect(pill->box.y + pill->box.h <= value->box.y ||
                          value->box.y + value->box.h <= pill->box.y ||
                          pill->box.x + pill->box.w <= value->box.x ||
                          value->box.x + value->box.w <= pill->box.x,
                      "%s lies on %s", rv_label_text(scene, pill), rv_label_text(scene, value));
        }
    }
    cr_expect(n_waits >= 4 && n_values > 0);
}

Test(scene_break, a_click_on_the_other_run_is_about_the_other_run) {
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, "ring", 5, -1);
    stage_fixture_press(&s, "xd");
    stage_fixture_click(&s, RV_TRANSFER, -1 - 2, 3); /* naive's step 2: GPU 3's array to GPU 0 */
    cr_assert_eq(s.stage->now_ps, 3 * 5005 * US);
    cr_assert_eq(s.stage->other->model->step, 2);
    cr_assert_eq(s.stage->playback.rank, 3);
    stage_fixture_click(&s, RV_TRANSFER, 3, 3); /* the ring's own */
    cr_assert_eq(s.stage->now_ps, 4 * 1005 * US);
    while (s.stage->other != NULL) stage_fixture_press(&s, "x");
    cr_assert_eq(s.stage->pairing, &rv_alone);
    stage_fixture_press(&s, "F");
    int n_links = 0;
    for (const rv_item *item = NULL; (item = view_fixture_next(&s.stage->scene, item)) != NULL;) {
        n_links += item->target.thing == RV_LINK;
        cr_assert(item->target.thing != RV_LINK || item->box.x < s.stage->layout.second.x,
                  "the run that is kept can be broken");
    }
    cr_assert_gt(n_links, 0);
}

Test(scene_break, the_rivals_come_in_turn_and_then_none) {
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, "ring", 8, -1);
    const char *names[] = {"naive", "tree",      "doubling",    "halving",  "bidirectional",
                           "rings", "two-level", "double-tree", "one-shot", "two-shot"};
    for (int i = 0; i < 10; i++) {
        stage_fixture_press(&s, "x");
        cr_assert(s.stage->other != NULL);
        cr_assert_str_eq(s.stage->other->model->schedule->name, names[i]);
    }
    stage_fixture_press(&s, "x");
    cr_assert(s.stage->other == NULL);
    cr_assert_eq(s.stage->pairing, &rv_alone);
}

Test(scene_break, both_racers_run_on_the_same_broken_network) {
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, "ring", 5, -1);
    stage_fixture_press(&s, "xw");
    cr_assert_eq(s.stage->other->setup.n_faults, 1);
    cr_assert_eq(stage_fixture_time_ps(&s), 10 * HEALTHY_US * US);
    cr_assert_eq(s.stage->other->report->outcome.makespan_ps, 4 * (5005 + 50050) * US);
}

/* ----------------------------------------------------------------------------------- all of it at once */

static void expect_consistent(const rv_stage *stage) {
    const rv_model *model = stage->what_if->model;
    cr_assert(stage->playback.subject.model == model);
    cr_assert(stage->playback.rank >= 0 && stage->playback.rank < model->n_ranks);
    cr_assert(model->step >= -1 && model->step <= model->n_steps);
    cr_assert(stage->progress >= 0 && stage->progress <= 1);
    cr_assert_eq(stage->other != NULL, stage->pairing != &rv_alone);
    cr_assert_leq(stage->menu.a, RS_MAX_RANKS);
    if (stage->other == NULL) return;
    cr_assert_geq(stage->now_ps, 0);
    cr_assert(rv_race_place(stage) <= 1);
    if (stage->pairing == &rv_raced) {
        cr_assert_eq(stage->other->setup.n_ranks, model->n_ranks);
        cr_assert_eq(stage->other->setup.count, stage->what_if->setup.count);
    }
}

Test(scene_break, whatever_is_pressed_the_stage_stays_whole, .timeout = 900) {
    static const int32_t keys[] = {'w',
                                   'e',
                                   'k',
                                   'b',
                                   'h',
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
    OWN_FIXTURE s = {0};
    uint64_t state = 7;
    stage_fixture_start(&s, "ring", 5, -1);
    for (int i = 0; i < 300; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const uint32_t roll = (uint32_t)(state >> 33);
        const double x = (roll >> 8) % 1280, y = (roll >> 3) % 720;
        if (roll % 4 == 0) {
            rv_stage_pointer(s.stage, RV_POINT_PRESS, x, y, &s.error);
            rv_stage_pointer(s.stage, RV_POINT_MOVE, y, x / 2, &s.error);
            rv_stage_pointer(s.stage, RV_POINT_RELEASE, y, x / 2, &s.error);
        } else if (roll % 4 == 1) {
            stage_fixture_tick(&s, 100);
        } else {
            const int32_t pressed = keys[(roll >> 4) % (sizeof keys / sizeof keys[0])];
            cr_assert_eq(rv_stage_key(s.stage, pressed, &s.error), RS_OK, "%s", s.error.text);
        }
        if (s.stage->what_if->model->n_ranks > 40) {
            rv_stage_turn(s.stage, RV_KNOB_GPUS, 0.2, &s.error); /* for speed */
        }
        rv_stage_draw(s.stage);
        expect_consistent(s.stage);
    }
}

Test(scene_break, the_picture_of_the_race_says_who_won_and_by_how_much) {
    OWN_FIXTURE s = {0};
    view_fixture_prepare(&s.run, "ring", 5);
    s.options = (rv_options){.at = -1, .colour = true, .compare = "naive"};
    stage_fixture_open(&s);
    cr_assert_eq(s.stage->pairing, &rv_raced);
    cr_assert(stage_fixture_shows(&s, "0.00 ms"));
    cr_assert_not(stage_fixture_shows(&s, "faster"));
    stage_fixture_key(&s, RV_KEY_END);
    cr_assert(stage_fixture_shows(&s, "8.04 ms"));
    cr_assert(stage_fixture_shows(&s, "40.04 ms"));
    cr_assert(stage_fixture_shows(&s, "4.98 × as fast"));
}
