/* The ring of many GPUs: the counts are those of rs_contents, wherever one comes from; the picture as
 * data.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "panels/draw.h"
#include "stage/counts.h"
#include "stage/stage.h"
#include "support/view_fixture.h"

static void expect_counts(const view_fixture *v, rv_counts *counts, int32_t step) {
    OWN_ARENA arena = {0};
    rs_error error;
    rs_contents *contents;
    const rs_outcome *outcome = &v->report.outcome;
    cr_assert_eq(rs_contents_new(&v->schedule, &arena, &error, &contents), RS_OK);
    cr_assert_eq(
        rs_contents_seek(contents, step, outcome->completed ? NULL : outcome->entered, &error),
        RS_OK);
    cr_assert(rv_counts_seek(counts, step));
    for (int32_t r = 0; r < v->schedule.n_ranks; r++) {
        int64_t total = 0;
        for (int32_t c = 0; c < v->schedule.n_chunks; c++) {
            const int64_t wanted = rs_contents_count(contents, r, c);
            cr_expect_eq(rv_count_at(counts, r, c), wanted, "step %d, GPU %d, chunk %d", step, r,
                         c);
            total += wanted;
        }
        cr_expect_eq(rv_count_of_rank(counts, r), total);
    }
}

static void expect_counts_everywhere(view_fixture *v) {
    cr_assert(view_fixture_run(v), "%s", v->error.text);
    rv_counts *counts = rv_counts_new(v->model);
    const int32_t n = v->schedule.n_steps;
    const int32_t places[] = {0, n, n / 2, n / 2 - 1, n / 2, 1, n - 1, n / 3, 2 * n / 3, 0};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        expect_counts(v, counts, places[i]);
    }
    rv_counts_free(counts);
    view_fixture_free(v);
}

Test(scene_crowd, counts_are_those_of_the_contents_forward_and_backward) {
    static const char *const names[] = {"ring", "naive", "tree", "doubling", "halving"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        view_fixture v;
        view_fixture_prepare(&v, names[i], 21);
        expect_counts_everywhere(&v);
    }
}

/* Where several channels cut the array into more chunks than cards can show, fewer GPUs are a crowd, too. */
Test(scene_crowd, is_where_cards_would_be_slivers) {
    static const struct {
        int32_t n_ranks, n_chunks;
        bool crowd;
    } cases[] = {{16, 16, false}, {16, 32, false},  {16, 128, true}, {8, 64, false},
                 {5, 200, true},  {4, 1000, false}, {17, 1, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const rv_model model = {
            .n_ranks = cases[i].n_ranks, .n_chunks = cases[i].n_chunks, .cells = true};
        cr_expect_eq(rv_is_crowd(&model), cases[i].crowd, "%d GPUs, %d chunks",
                     (int)cases[i].n_ranks, (int)cases[i].n_chunks);
        cr_expect_neq(rv_has_legend(&model), cases[i].crowd);
    }
}

Test(scene_crowd, counts_stop_where_a_gpu_has_died) {
    const rs_fault dead = {.kind = RS_KILL, .rank = 7, .step = 9};
    view_fixture v;
    view_fixture_prepare(&v, "ring", 18);
    view_fixture_faults(&v, &dead, 1);
    expect_counts_everywhere(&v);
}

Test(scene_crowd, an_image_shows_the_fullest_cell_of_each_block) {
    OWN_VIEW v = {0};
    view_fixture_start(&v, "ring", 100);
    rv_counts *counts = rv_counts_new(v.model);
    cr_assert(rv_counts_seek(counts, 99));
    const rv_cells all = {0, 100, 0, 100};
    int32_t columns = 40, rows = 1000;
    const uint16_t *image = rv_counts_image(counts, all, &columns, &rows);
    cr_assert_eq(columns, 34, "blocks of three");
    cr_assert_eq(rows, 100);
    for (int32_t r = 0; r < 100; r++) {
        for (int32_t c = 0; c < 100; c++) {
            cr_expect_geq(image[r * 34 + c / 3], rv_count_at(counts, r, c));
        }
        cr_expect_eq(image[r * 34 + (r + 1) % 100 / 3], 100, "GPU %d owns a complete chunk", r);
    }
    rv_counts_free(counts);
}

static void draw_at(rv_stage *stage, int32_t step, double progress) {
    rs_error error;
    cr_assert_eq(rv_stage_show(stage, step, progress, &error), RS_OK);
    rv_stage_draw(stage);
    cr_assert_not(stage->scene.failed);
}

static int count_of(const rv_scene *scene, rv_thing thing) {
    int n = 0;
    for (int32_t i = 0; i < scene->n_items; i++) {
        n += scene->items[i].target.thing == (int32_t)thing;
    }
    return n;
}

static rv_stage *stage_of(view_fixture *v, const char *name, int32_t n, const rv_options *options) {
    view_fixture_prepare(v, name, n);
    return view_fixture_stage(v, options);
}

Test(scene_crowd, comets_fly_while_a_step_runs_and_rest_when_it_is_done) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = stage_of(&v, "ring", 64, &(rv_options){.at = -1});
    draw_at(stage, 3, 0.5);
    cr_expect_eq(count_of(&stage->scene, RV_TRANSFER), 64);
    draw_at(stage, 3, 1);
    cr_expect_eq(count_of(&stage->scene, RV_TRANSFER), 0);
}

Test(scene_crowd, a_question_shows_no_comet) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = stage_of(&v, "ring", 40, &(rv_options){.at = -1, .predict = true});
    rs_error error;
    cr_assert_eq(rv_stage_key(stage, RV_KEY_RIGHT, &error), RS_OK);
    rv_stage_draw(stage);
    cr_expect_eq(count_of(&stage->scene, RV_TRANSFER), 0);
}

/* The map is the scene's only grid with as many rows as there are pixels or GPUs. */
static rv_box map_of(const rv_scene *scene) {
    rv_box map = {0};
    for (int32_t i = 0; i < scene->n_items; i++) {
        const rv_box box = scene->items[i].box;
        if (scene->items[i].shape == RV_GRID && box.w == box.h && box.w > map.w) map = box;
    }
    return map;
}

Test(scene_crowd, a_wide_window_shows_the_map_as_high_as_the_circle_and_beside_it) {
    static const char *const names[] = {"ring", "tree", "halving"};
    for (int k = 0; k < 3; k++) {
        OWN_VIEW v = {0};
        OWN_STAGE *stage = stage_of(&v, names[k], 64, &(rv_options){.at = -1});
        rv_stage_resize(stage, 1280, 720);
        draw_at(stage, 2, 0.5);
        const rv_box map = map_of(&stage->scene), all = rv_view_box(stage, VIEW_RING);
        cr_expect_gt(map.h, 0.85 * all.h, "%s", names[k]);
        cr_expect(map.x + map.w <= all.x + all.w, "%s", names[k]);
        for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
            if (item->shape != RV_ARC || item->target.thing != RV_GPU) continue;
            cr_expect(item->box.x + item->box.w < map.x, "%s", names[k]);
            cr_expect(item->box.x > all.x, "%s", names[k]);
        }
        rv_stage_resize(stage, 700, 900);
        draw_at(stage, 2, 0.5);
        cr_expect_lt(map_of(&stage->scene).w, 0.6 * rv_view_box(stage, VIEW_RING).w, "%s",
                     names[k]);
    }
}

/* Pointing at the place of a dot must answer with its GPU, however dense they are. */
Test(scene_crowd, every_dot_answers_with_its_gpu) {
    static const int32_t sizes[] = {17, 64, 256, 1024};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        OWN_VIEW v = {0};
        OWN_STAGE *stage = stage_of(&v, "ring", sizes[k], &(rv_options){.at = -1});
        draw_at(stage, 1, 1);
        int found = 0;
        for (int32_t i = 0; i < stage->scene.n_items; i++) {
            const rv_item item = stage->scene.items[i];
            if (item.shape != RV_ARC || item.target.thing != RV_GPU) continue;
            const rv_point c = rv_centre(item.box);
            const double angle = (item.from + item.to) / 2, r = item.box.w / 2;
            const rv_target hit =
                rv_scene_hit(&stage->scene, c.x + r * cos(angle), c.y + r * sin(angle), 6, NULL);
            cr_expect_eq(hit.thing, RV_GPU);
            cr_expect_eq(hit.a, item.target.a);
            found++;
        }
        cr_expect_eq(found, sizes[k]);
    }
}

Test(scene_crowd, what_is_drawn_is_bounded) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = stage_of(&v, "ring", 20000, &(rv_options){.at = -1});
    draw_at(stage, 5, 0.5);
    cr_expect_lt(stage->scene.n_items, 8000, "%d items", stage->scene.n_items);
}

static double lightness(rv_colour colour) {
    double y = 0;
    static const double weights[3] = {0.2126, 0.7152, 0.0722};
    for (int i = 0; i < 3; i++) {
        const double c = (colour >> (24 - 8 * i) & 0xFF) / 255.0;
        y += weights[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return y > 0.008856 ? 116 * cbrt(y) - 16 : 903.3 * y;
}

Test(scene_crowd, heat_rises_from_the_ground_the_first_few_most_and_all_has_a_colour_of_its_own) {
    for (int dark = 0; dark < 2; dark++) {
        const rv_look look = rv_look_of(dark, 1280, 720, 1);
        double last = lightness(rv_heat_of(&look, 0));
        for (int i = 1; i < 20; i++) {
            const double now = lightness(rv_heat_of(&look, i / 20.0));
            const double step = dark ? now - last : last - now;
            cr_expect(step > 0.8 && step < 12, "dark %d, step %d: %g", dark, i, step);
            last = now;
        }
        const double few = lightness(rv_heat_of(&look, 5.0 / 64));
        cr_expect_gt(fabs(few - lightness(rv_heat_of(&look, 0))), 9, "5 of 64 are seen");
        cr_expect_eq(rv_heat_of(&look, 1), look.good);
    }
}

Test(scene_crowd, a_stall_is_seen_to_spread) {
    const rs_fault dead = {.kind = RS_KILL, .rank = 5, .step = 2};
    rs_error error;
    rv_stage *stage;
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 32);
    view_fixture_faults(&v, &dead, 1);
    cr_assert(view_fixture_run(&v), "%s", v.error.text);
    const rv_options options = {.at = -1};
    cr_assert_eq(rv_stage_new(&v.subject, &options, NULL, &error, &stage), RS_OK);
    int before = 0;
    for (int32_t step = 1; step <= 12; step += 5) {
        draw_at(stage, step, 1);
        int waiting = 0;
        for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
            waiting += item->shape == RV_DISC && item->stroke == stage->look.warn;
        }
        cr_expect(step == 1 ? waiting == 0 : waiting > before, "step %d: %d", step, waiting);
        before = waiting;
    }
    rv_stage_free(stage);
}

/* Tells whether the ring of so many GPUs is cards, on a screen of that size. */
static bool has_cards(int32_t n_ranks, rv_output output, double width, double height,
                      double density) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = stage_of(&v, "ring", n_ranks, &(rv_options){.at = 3});
    stage->output = output;
    stage->density = density;
    if (output == RV_TO_PAGE)
        stage->scale = density * 0.8 / fmax(0.8, fmin(width / 1280, height / 720));
    rv_stage_resize(stage, width, height);
    rv_stage_draw(stage);
    bool cards = false; /* dots have a number alone */
    for (int32_t i = 0; i < stage->scene.n_items; i++) {
        const char *text = rv_label_text(&stage->scene, &stage->scene.items[i]);
        cards = cards || strcmp(text, "GPU 3") == 0;
    }
    return cards;
}

Test(scene_crowd, a_page_has_dots_before_a_cells_number_is_too_small) {
    cr_expect(has_cards(5, RV_TO_PAGE, 1170, 2532, 3));
    cr_expect(has_cards(9, RV_TO_PAGE, 1170, 2532, 3));
    cr_expect_not(has_cards(16, RV_TO_PAGE, 1170, 2532, 3));
    cr_expect(has_cards(16, RV_TO_PAGE, 2560, 1440, 2));
    cr_expect(has_cards(16, RV_TO_WINDOW, 1280, 720, 1));
}
