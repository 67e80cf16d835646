/* test_scene_words.c: what pictures say, as text: each panel at a moment that shows all of it. A change of
 * what is seen is a line that differs.
 *
 * Goldens: tests/golden/scene/NAME.txt. RINGSIM_UPDATE=1 writes them anew; look at them then.
 */
#include "panels/draw.h"
#include "support/golden.h"
#include "support/scene_words.h"
#include "support/stage_fixture.h"
#include "support/story_fixture.h"
#include "story/telling.h"

#include <criterion/criterion.h>
#include <stdio.h>

typedef struct moment {
    const char *name, *algorithm;
    int32_t n_ranks;
    rv_options options;
    const rs_fault *fault;
    const char *keys; /* pressed then, each followed by `ms` */
    int ms;
    rv_target hover;
} moment;

static const rs_fault dead = {.kind = RS_KILL, .rank = 3, .step = 2};
static const rs_fault late = {.kind = RS_LATE, .rank = 2, .time_ps = 3000000000};
static const rs_fault slow = {.kind = RS_SLOW_LINK, .rank = 0, .factor_num = 10, .factor_den = 1};

#define ALL .views = RV_VIEW_ALL
#define AT(w, h) .pixel_width = (w), .pixel_height = (h)
#define ON(thing, a, b) .hover = {(thing), (a), (b), 0}

static const moment moments[] = {
    {"start", "ring", 5, {.at = -1, ALL}, NULL, "", 0, ON(RV_GPU, 0, 0)},
    {"leaving", "ring", 5, {.at = 1, .progress = 0.2, ALL}, NULL, "", 0, ON(RV_GPU, 3, 0)},
    {"underway", "ring", 5, {.at = 2, .progress = 0.39, ALL}, NULL, "", 0, ON(RV_CELL, 0, 2)},
    {"arriving",
     "ring",
     4,
     {.at = 4, .progress = RV_ARRIVAL, ALL, .dark = true},
     &slow,
     "",
     0,
     {0}},
    {"added", "ring", 4, {.at = 2, ALL, .rank = 2}, &late, "", 0, ON(RV_LINK, 0, 1)},
    {"end", "ring", 5, {.at = 8, ALL, .dark = true}, NULL, "", 0, ON(RV_STEP_BAR, 8, 0)},
    {"dead", "ring", 5, {.at = 4, ALL, .rank = 1}, &dead, "", 0, {0}},
    {"naive", "naive", 5, {.at = 1, .progress = 0.4, ALL, AT(800, 1200)}, NULL, "", 0, {0}},
    {"tree", "tree", 6, {.at = 1, ALL, AT(800, 600)}, NULL, "", 0, ON(RV_CELL, 1, 0)},
    {"halving", "halving", 8, {.at = 1, ALL, AT(1920, 1080)}, NULL, "", 0, {0}},
    {"crowd", "ring", 24, {.at = 12, .progress = 0.39, ALL}, NULL, "", 0, ON(RV_GPU, 0, 0)},
    {"crowd-100", "ring", 100, {.at = 50, ALL, .dark = true}, NULL, "", 0, ON(RV_GPU, 30, 0)},
    {"path", "ring", 4, {.at = 3}, NULL, "i", 700, ON(RV_GPU, 0, 0)},
    {"numbers", "ring", 4, {.at = 3}, NULL, "n", 700, ON(RV_SLIDER, 0, 0)},
    {"path-halving", "halving", 8, {.at = 4, .rank = 5, AT(1500, 1300)}, NULL, "iv", 700, {0}},
    {"asking", "ring", 5, {.at = 1, .predict = true, .rank = 3}, NULL, ".", 700, {0}},
    {"help", "ring", 5, {.at = 1}, NULL, "?", 0, {0}},
    {"typing", "ring", 5, {.at = 1}, NULL, "g1", 0, {0}},
    {"race", "ring", 5, {.at = 2, ALL}, NULL, "x>", 300, {0}},
    {"fork", "ring", 5, {.at = 3, ALL}, NULL, "Fw ", 300, ON(RV_LINK, 1, 2)},
    {"small", "ring", 8, {.at = 3, .progress = 0.5, AT(480, 360), ALL}, NULL, "", 0, {0}},
};
enum { N_MOMENTS = sizeof moments / sizeof moments[0] };

static void compare(const rv_stage *stage, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "scene/%s", name);
    golden_compare(path, scene_words(&stage->scene, &stage->look));
}

static void open_moment(stage_fixture *s, const moment *m) {
    view_fixture_prepare(&s->run, m->algorithm, m->n_ranks);
    view_fixture_faults(&s->run, m->fault, m->fault != NULL);
    s->options = m->options;
    stage_fixture_open(s);
    for (const char *key = m->keys; *key != '\0'; key++) {
        stage_fixture_key(s, *key == '.' ? RV_KEY_RIGHT : *key);
        stage_fixture_tick(s, m->ms);
    }
    s->stage->hover = m->hover;
    rv_stage_draw(s->stage);
}

Test(scene_words, of_every_panel_are_as_they_were) {
    static stage_fixture s;
    for (int i = 0; i < N_MOMENTS; i++) {
        open_moment(&s, &moments[i]);
        compare(s.stage, moments[i].name);
        stage_fixture_end(&s);
    }
}

/* What opens at a click. */
Test(scene_words, of_a_gpus_menu_and_of_a_wire_are_as_they_were) {
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, "ring", 5, 2);
    stage_fixture_click(&s, RV_GPU, 0, 0);
    compare(s.stage, "menu");
    stage_fixture_click(&s, RV_FAULT, 1, 0);
    stage_fixture_tick(&s, 700);
    compare(s.stage, "menu-late");
}

/* A sheet's words on how to read it, and its figures: the ring alone. */
Test(scene_words, of_a_sheets_key_and_figure_are_as_they_were) {
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, "ring", 5, 2);
    rv_scene_start(&s.stage->scene, 400, 300, s.stage->look.ground);
    rv_draw_key(s.stage, &s.stage->scene, (rv_box){10, 10, 380, 280}, 14);
    compare(s.stage, "key");
    s.stage->output = RV_TO_FIGURE;
    rv_stage_resize(s.stage, 640, 480);
    rv_stage_draw(s.stage);
    compare(s.stage, "figure");
}
