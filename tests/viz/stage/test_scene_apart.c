/* test_scene_apart.c: whole pictures can be read: of runs, a race, a fork, a crowd and a story, with all views, at
 * many sizes and in both languages no words lie on other words, none leaves the panel where it begins, and
 * each stands out from what lies below it.
 */
#include "panels/draw.h"
#include "support/stage_fixture.h"
#include "support/story_fixture.h"
#include "story/telling.h"

#include <criterion/criterion.h>
#include <math.h>

static const struct {
    const char *algorithm;
    int32_t n_ranks, at;
    const char *keys;
} places[] = {{"ring", 5, 2, "v"},    {"tree", 7, 1, "vi"},  {"naive", 4, -1, "v"},
              {"ring", 4, 3, "vx"},   {"ring", 5, 3, "vFw"}, {"ring", 40, 30, "v"},
              {"halving", 6, 2, "n"}, {"ring", 3, 1, "pv"}};
enum { N_PLACES = sizeof places / sizeof places[0] };

static const double sizes[][2] = {{700, 500},  {800, 600},  {900, 1300},
                                  {1280, 720}, {1700, 700}, {2560, 1440}};
enum { N_SIZES = sizeof sizes / sizeof sizes[0] };

static stage_fixture s;
static const char *what;

/* Where a label's words are, by the estimate. */
static rv_box words_of(const rv_item *item) {
    const rv_scene *scene = &s.stage->scene;
    const double wide = rv_label_width(rv_label_text(scene, item), item->radius);
    const double w = fmin(item->box.w, wide), h = fmin(item->box.h, 0.7 * item->radius);
    const double spare = item->box.w - w;
    const double left = item->align == RV_LEFT ? 0 : item->align == RV_RIGHT ? spare : spare / 2;
    return (rv_box){item->box.x + left, item->box.y + (item->box.h - h) / 2, w, h};
}

static bool is_read(const rv_item *item) {
    return item->shape == RV_LABEL && !item->wrap && item->n > 1 && (item->fill & 0xFF) > 0;
}

static void expect_apart(void) {
    const rv_scene *scene = &s.stage->scene;
    for (int32_t i = 0; i < scene->n_items; i++) {
        const rv_item *a = &scene->items[i];
        if (!is_read(a) || a->layer != RV_STILL) continue;
        const rv_box p = words_of(a);
        for (int32_t k = 0; k < i; k++) {
            const rv_item *b = &scene->items[k];
            if (!is_read(b) || b->layer != RV_STILL) continue;
            const rv_box q = words_of(b);
            const double x = fmin(p.x + p.w, q.x + q.w) - fmax(p.x, q.x);
            const double y = fmin(p.y + p.h, q.y + q.h) - fmax(p.y, q.y);
            cr_expect(x <= 1.5 || y <= 1.5, "%s, %g x %g: '%s' lies on '%s'", what, scene->width,
                      scene->height, rv_label_text(scene, a), rv_label_text(scene, b));
        }
    }
}

static void expect_inside(void) {
    const rv_scene *scene = &s.stage->scene;
    for (const rv_item *item = NULL; (item = view_fixture_next(scene, item)) != NULL;) {
        if (!is_read(item) || item->layer == RV_OVER) continue;
        const rv_box words = words_of(item);
        for (int p = 0; rv_panels[p] != NULL; p++) {
            const rv_box panel = rv_inset(rv_panel_box(s.stage, p), -1.5);
            if (rv_panels[p]->place == RV_PLACE_OVER || panel.w <= 3) continue;
            if (!rv_inside(panel, words.x + 1, words.y + words.h / 2)) continue;
            cr_expect(words.x + words.w <= panel.x + panel.w && words.y >= panel.y &&
                          words.y + words.h <= panel.y + panel.h,
                      "%s, %g x %g: '%s' leaves its panel", what, scene->width, scene->height,
                      rv_label_text(scene, item));
        }
    }
}

/* -------------------------------------------------------------------------------------- contrast */

static double linear(unsigned byte) {
    const double c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double lightness(rv_colour c) {
    return 0.2126 * linear(c >> 24) + 0.7152 * linear(c >> 16 & 0xFF) +
           0.0722 * linear(c >> 8 & 0xFF);
}

/* The ground under the middle of a label: what was filled there before, one upon the other. */
static rv_colour ground_of(int32_t label) {
    const rv_scene *scene = &s.stage->scene;
    const rv_point c = rv_centre(words_of(&scene->items[label]));
    rv_colour ground = scene->ground;
    for (int32_t i = 0; i < label; i++) {
        const rv_item *item = &scene->items[i];
        if (item->shape != RV_RECT && item->shape != RV_DISC) continue;
        if (!rv_inside(item->box, c.x, c.y) || item->layer > scene->items[label].layer) continue;
        ground = rv_mix(ground, item->fill | 0xFF, (item->fill & 0xFF) / 255.0);
    }
    return ground;
}

static void expect_contrast(void) {
    const rv_scene *scene = &s.stage->scene;
    for (int32_t i = 0; i < scene->n_items; i++) {
        const rv_item *item = &scene->items[i];
        if (!is_read(item) || (item->fill & 0xFF) < 0xFF || item->stroke != 0) continue;
        const double a = lightness(item->fill), b = lightness(ground_of(i));
        const double ratio = (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);
        cr_expect(ratio >= 3, "%s, %g x %g: '%s' is hard to read: %.1f", what, scene->width,
                  scene->height, rv_label_text(scene, item), ratio);
    }
}

static void try_sizes(void) {
    for (int i = 0; i < N_SIZES; i++) {
        s.stage->dark = i % 2 == 1;
        rv_stage_resize(s.stage, sizes[i][0], sizes[i][1]);
        rv_stage_draw(s.stage);
        expect_apart();
        expect_inside();
        expect_contrast();
    }
}

/* The axis of every slider. */
static void try_knobs(void) {
    stage_fixture_start(&s, "ring", 5, 2);
    stage_fixture_press(&s, "n");
    for (int knob = 0; knob < RV_N_KNOBS; knob++) {
        what = "a slider";
        try_sizes();
        stage_fixture_press(&s, "/");
    }
    stage_fixture_end(&s);
}

static void try_story(int32_t n_ranks, bool chinese) {
    OWN_TELLING telling;
    rv_telling_start(&telling, story_fixture_of(n_ranks, 6, chinese));
    const rv_subject subject = rv_story_subject(&telling);
    s.options = (rv_options){.at = 2};
    cr_assert_eq(rv_stage_new(&subject, &s.options, NULL, &s.error, &s.stage), RS_OK);
    what = "a story";
    try_sizes();
    rv_stage_free(s.stage);
}

static void try_all(bool chinese) {
    for (int p = 0; p < N_PLACES; p++) {
        what = places[p].keys;
        stage_fixture_start(&s, places[p].algorithm, places[p].n_ranks, places[p].at);
        stage_fixture_press(&s, places[p].keys);
        for (int rank = 0; rank < 2; rank++) {
            s.stage->playback.rank = rank * (places[p].n_ranks - 1);
            try_sizes();
        }
        stage_fixture_end(&s);
    }
    try_knobs();
    try_story(3, chinese);
    try_story(8, chinese);
}

Test(scene_apart, all_words_can_be_read_in_english, .timeout = 900) {
    try_all(false);
}

Test(scene_apart, all_words_can_be_read_in_chinese, .timeout = 900) {
    if (!view_fixture_chinese()) cr_skip("no catalogue was built");
    try_all(true);
}
