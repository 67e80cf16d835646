/* The linked views as data: matrix, diagram, gauges and rule say what the model, the trace and the
 * schedule say, and nothing leaves its box. No pixel is looked at.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/view_fixture.h"
#include "panels/draw.h"

static void show(rv_stage *stage, int32_t step, double progress) {
    rs_error error;
    cr_assert_eq(rv_stage_show(stage, step, progress, &error), RS_OK);
}

typedef enum part { MATRIX, DIAGRAM, COST, RULE, N_PARTS } part;

extern const rv_panel rv_panel_matrix, rv_panel_cost, rv_panel_rule;

/* Draws one part alone. */
static void draw(rv_stage *stage, part which, rv_box box) {
    rv_scene *scene = &stage->scene;
    const rv_shown_run run = rv_main_run(stage);
    rv_scene_start(scene, stage->width, stage->height, stage->look.ground);
    switch (which) {
    case MATRIX: rv_panel_matrix.draw(stage, scene, box); break;
    case DIAGRAM: rv_draw_diagram(stage, &run, 1, scene, box); break;
    case COST: rv_panel_cost.draw(stage, scene, box); break;
    case RULE: rv_panel_rule.draw(stage, scene, box); break;
    case N_PARTS: break;
    }
    cr_assert_not(scene->failed);
}

/* As draw, to who is asked for the step. */
static void draw_asked(rv_stage *stage, part which, rv_box box) {
    stage->playback.mode = RV_ASKING;
    draw(stage, which, box);
    stage->playback.mode = RV_LOOKING;
}

static bool has_label(const rv_scene *scene, const char *text) {
    for (int32_t i = 0; i < scene->n_items; i++) {
        if (strcmp(rv_label_text(scene, &scene->items[i]), text) == 0) return true;
    }
    return false;
}

static const rv_box wide = {10, 20, 900, 500};

/* ---------------------------------------------------------------------------------------- matrix */

/* The value written in a cell's frame, after the letters of who is inside; NULL: none. */
static const char *value_in(const rv_scene *scene, const rv_item *frame) {
    const char *value = NULL;
    for (const rv_item *item = NULL; (item = view_fixture_next(scene, item)) != NULL;) {
        const rv_point c = rv_centre(item->box);
        if (item->shape == RV_LABEL && item->layer == RV_STILL && rv_inside(frame->box, c.x, c.y)) {
            value = rv_label_text(scene, item);
        }
    }
    return value;
}

static void expect_values(rv_stage *stage, int32_t step, double progress) {
    show(stage, step, progress);
    draw(stage, MATRIX, wide);
    const rv_model *model = stage->what_if->model;
    int cells = 0;
    for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
        char value[64];
        if (item->target.thing != RV_CELL) continue;
        rv_value_at(model, item->target.a, item->target.b, value, sizeof value);
        cr_expect_str_eq(value_in(&stage->scene, item), value, "step %d, GPU %d, chunk %d", step,
                         item->target.a, item->target.b);
        cells++;
    }
    cr_expect_eq(cells, model->n_ranks * model->n_chunks);
}

Test(scene_views, stand_in_the_table_where_tests_look_for_them) {
    static const char *const words[] = {"ring", "matrix", "diagram", "cost", "rule", "numbers"};
    static const unsigned bits[] = {VIEW_RING, VIEW_MATRIX, VIEW_DIAGRAM,
                                    VIEW_COST, VIEW_RULE,   VIEW_NUMBERS};
    for (int i = 0; i < 6; i++) cr_expect_eq(rv_view_bit(words[i]), bits[i], "%s", words[i]);
}

Test(scene_views, matrix_holds_each_cells_value) {
    const char *const algorithms[] = {"ring", "naive", "halving"};
    for (int a = 0; a < 3; a++) {
        OWN_VIEW v = {0};
        const rv_options options = {.at = -1};
        view_fixture_prepare(&v, algorithms[a], 5);
        OWN_STAGE *stage = view_fixture_stage(&v, &options);
        for (int32_t step = -1; step <= v.schedule.n_steps; step++) {
            expect_values(stage, step, 0.5);
            expect_values(stage, step, 1);
        }
    }
}

static int signs_shown(const rv_scene *scene, const char *sign) {
    int n = 0;
    for (int32_t i = 0; i < scene->n_items; i++) {
        n += scene->items[i].layer == RV_MOVING &&
             strcmp(rv_label_text(scene, &scene->items[i]), sign) == 0;
    }
    return n;
}

Test(scene_views, matrix_marks_what_happens_and_keeps_a_question_s_secret) {
    OWN_VIEW v = {0};
    const rv_options options = {.at = -1};
    view_fixture_prepare(&v, "ring", 5);
    OWN_STAGE *stage = view_fixture_stage(&v, &options);
    const struct {
        int32_t step;
        double progress;
        const char *sign;
    } cases[] = {{1, 0.3, ">"}, {1, 0.85, "<"}, {1, 1, "+"}, {5, 1, "="}};
    for (int i = 0; i < 4; i++) {
        show(stage, cases[i].step, cases[i].progress);
        draw(stage, MATRIX, wide);
        cr_expect_eq(signs_shown(&stage->scene, cases[i].sign), 5 + 1, "%s: cells and the key",
                     cases[i].sign);
        draw_asked(stage, MATRIX, wide);
        cr_expect_eq(signs_shown(&stage->scene, cases[i].sign), 0, "%s", cases[i].sign);
    }
}

Test(scene_views, heat_map_is_felt_cell_by_cell) {
    OWN_VIEW v = {0};
    const rv_options options = {.at = 10};
    view_fixture_prepare(&v, "ring", 64);
    OWN_STAGE *stage = view_fixture_stage(&v, &options);
    show(stage, 10, 0.5);
    draw(stage, MATRIX, (rv_box){0, 0, 400, 300});
    const rv_item *grid = NULL;
    for (int32_t i = 0; i < stage->scene.n_items; i++) {
        if (stage->scene.items[i].shape == RV_GRID) grid = &stage->scene.items[i];
    }
    cr_assert_not_null(grid);
    for (int32_t r = 0; r < 64; r += 9) {
        for (int32_t c = 0; c < 64; c += 7) {
            const double x = grid->box.x + (c + 0.5) * grid->box.w / 64;
            const double y = grid->box.y + (r + 0.5) * grid->box.h / 64;
            const rv_target at = rv_scene_hit(&stage->scene, x, y, 0, NULL);
            cr_expect(rv_same_target(at, rv_target_of(RV_CELL, r, c)), "%d %d: %d %d", r, c, at.a,
                      at.b);
        }
    }
}

/* --------------------------------------------------------------------------------------- diagram */

/* Where a transfer's bar begins and ends; a ring's last one is in two pieces. */
static bool bar_of(const rv_scene *scene, const rs_timed *t, double *left, double *right) {
    *left = INFINITY;
    *right = -INFINITY;
    for (const rv_item *item = NULL; (item = view_fixture_next(scene, item)) != NULL;) {
        if (item->shape != RV_POLYGON || item->target.thing != RV_TRANSFER) continue;
        if (item->target.a != t->step || item->target.b != t->transfer.src ||
            item->target.c != t->transfer.chunk) {
            continue;
        }
        *left = fmin(*left, item->box.x);
        *right = fmax(*right, item->box.x + item->box.w);
    }
    return *right >= *left;
}

static const rv_item *play_head(const rv_scene *scene) {
    for (const rv_item *item = NULL; (item = view_fixture_next(scene, item)) != NULL;) {
        if (item->shape == RV_SEGMENT && item->layer == RV_MOVING) return item;
    }
    return NULL;
}

/* Wants all bars, and the play head, on one axis, which begins at 0 and ends with the run. */
static void expect_bars_on_axis(rv_stage *stage, const char *name) {
    const rv_scene *scene = &stage->scene;
    const rs_trace *trace = stage->what_if->report->trace;
    const int64_t end_ps = stage->what_if->report->outcome.makespan_ps;
    double x0 = INFINITY, x1 = -INFINITY, left, right;
    for (int64_t i = 0; i < trace->n_items; i++) {
        cr_assert(bar_of(scene, &trace->items[i], &left, &right), "%s: no bar", name);
        if (trace->items[i].start_ps == 0) x0 = left;
        x1 = fmax(x1, right);
    }
    int64_t last_ps = 0;
    for (int64_t i = 0; i < trace->n_items; i++) {
        if (trace->items[i].end_ps > last_ps) last_ps = trace->items[i].end_ps;
    }
    const double per_ps = (x1 - x0) / (double)last_ps;
    for (int64_t i = 0; i < trace->n_items; i++) {
        bar_of(scene, &trace->items[i], &left, &right);
        cr_expect_float_eq(left, x0 + per_ps * (double)trace->items[i].start_ps, 0.01, "%s", name);
        cr_expect_float_eq(right, x0 + per_ps * (double)trace->items[i].end_ps, 0.01, "%s", name);
    }
    const int64_t now_ps = rv_main_run(stage).now_ps;
    const rv_item *head = play_head(scene);
    cr_assert_not_null(head);
    cr_expect(now_ps >= 0 && now_ps <= end_ps);
    cr_expect_float_eq(head->box.x, x0 + per_ps * (double)now_ps, 0.01, "%s: play head", name);
}

Test(scene_views, bars_and_play_head_lie_at_the_trace_s_times) {
    for (int a = 0; rs_algorithms[a] != NULL; a++) {
        /* One chunk goes to several children in a step: bars with one target. */
        const char *name = rs_algorithms[a]->name;
        if (strcmp(name, "double-tree") == 0 || strstr(name, "-shot") != NULL ||
            rs_algorithms[a]->in_switch)
            continue;
        for (int variant = 0; variant < 3; variant++) {
            OWN_VIEW v = {0};
            const rv_options options = {.at = -1};
            const rs_fault slow = {
                .kind = RS_SLOW_LINK, .rank = 1, .factor_num = 3, .factor_den = 1};
            view_fixture_prepare(&v, rs_algorithms[a]->name, 6);
            if (variant > 0) v.request.job.faults = &slow;
            if (variant > 0) v.request.job.n_faults = 1;
            if (variant > 1) v.request.job.net.protocol = RS_EAGER;
            if (variant > 1) v.request.job.net.reduce_Bps = 30000000000;
            OWN_STAGE *stage = view_fixture_stage(&v, &options);
            for (int32_t step = 0; step < v.schedule.n_steps; step++) {
                show(stage, step, 0.5);
                draw(stage, DIAGRAM, wide);
                expect_bars_on_axis(stage, rs_algorithms[a]->name);
            }
        }
    }
}

Test(scene_views, bar_goes_from_the_sender_s_lane_to_the_receiver_s) {
    OWN_VIEW v = {0};
    const rv_options options = {.at = -1};
    view_fixture_prepare(&v, "naive", 5);
    OWN_STAGE *stage = view_fixture_stage(&v, &options);
    draw(stage, DIAGRAM, wide);
    const rv_scene *scene = &stage->scene;
    double lanes[5] = {0};
    for (const rv_item *item = NULL; (item = view_fixture_next(scene, item)) != NULL;) {
        if (item->shape == RV_LABEL && item->target.thing == RV_GPU) {
            lanes[item->target.a] = rv_centre(item->box).y;
        }
    }
    const rs_trace *trace = v.report.trace;
    for (const rv_item *item = NULL; (item = view_fixture_next(scene, item)) != NULL;) {
        if (item->shape != RV_POLYGON || item->target.thing != RV_TRANSFER) continue;
        const rv_point *p = scene->points + item->first;
        const rs_transfer *t = &trace->items[item->target.a].transfer; /* one a step */
        cr_expect_float_eq((p[0].y + p[3].y) / 2, lanes[t->src], 0.01);
        cr_expect_float_eq((p[1].y + p[2].y) / 2, lanes[t->dst], 0.01);
    }
}

Test(scene_views, two_runs_share_one_time_axis) {
    OWN_VIEW v = {0};
    rs_error error;
    const rv_options options = {.at = -1};
    view_fixture_prepare(&v, "ring", 5);
    OWN_STAGE *stage = view_fixture_stage(&v, &options);
    rv_setup setup = stage->what_if->setup;
    rv_what_if *naive;
    setup.algorithm = rs_find_algorithm(RS_COLL_ALL_REDUCE, "naive");
    cr_assert_eq(rv_what_if_copy(stage->what_if, &setup, &error, &naive), RS_OK);
    const rv_shown_run runs[2] = {
        rv_main_run(stage), {.what_if = naive, .model = naive->model, .progress = 1, .now_ps = 0}};
    rv_scene_start(&stage->scene, stage->width, stage->height, 0);
    rv_draw_diagram(stage, runs, 2, &stage->scene, wide);
    const rv_item *head = play_head(&stage->scene);
    double ring_end = 0, naive_end = 0;
    for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
        if (item->shape != RV_POLYGON || item->target.thing != RV_TRANSFER) continue;
        const double end = item->box.x + item->box.w - head->box.x;
        const bool above = rv_centre(item->box).y < wide.y + wide.h / 2;
        if (above) ring_end = fmax(ring_end, end);
        if (!above) naive_end = fmax(naive_end, end);
    }
    cr_expect_float_eq(ring_end / naive_end, 8.04 / 40.04, 1e-6, "%g of %g", ring_end, naive_end);
    cr_expect(has_label(&stage->scene, "ring") && has_label(&stage->scene, "naive"));
    rv_what_if_free(naive);
}

Test(scene_views, bar_of_a_hidden_step_does_not_name_its_chunk) {
    OWN_VIEW v = {0};
    const rv_options options = {.at = -1};
    view_fixture_prepare(&v, "ring", 5);
    OWN_STAGE *stage = view_fixture_stage(&v, &options);
    show(stage, 0, 0.5);
    draw(stage, DIAGRAM, (rv_box){0, 0, 1200, 700});
    cr_expect(has_label(&stage->scene, "0") && has_label(&stage->scene, "2"));
    draw_asked(stage, DIAGRAM, (rv_box){0, 0, 1200, 700});
    cr_expect_not(has_label(&stage->scene, "2"));
}

/* ----------------------------------------------------------------------------------------- costs */

/* How much of the gauge's axis is filled up to `right`: the bars' ground is the widest bar. */
static double filled(const rv_scene *scene, const rv_item *bar) {
    for (const rv_item *ground = NULL; (ground = view_fixture_next(scene, ground)) != NULL;) {
        if (ground != bar && ground->shape == RV_RECT && ground->box.y == bar->box.y &&
            ground->box.x == bar->box.x && ground->box.w >= bar->box.w) {
            return bar->box.w / ground->box.w;
        }
    }
    return -1;
}

Test(scene_views, gauges_show_the_model_s_numbers) {
    OWN_VIEW v = {0};
    const rv_options options = {.at = -1, .rank = 3};
    view_fixture_prepare(&v, "ring", 5);
    OWN_STAGE *stage = view_fixture_stage(&v, &options);
    for (int32_t step = 0; step < 8; step++) {
        char text[64];
        show(stage, step, 0.6);
        draw(stage, COST, wide);
        const rv_model *model = stage->what_if->model;
        rv_format_time(rv_main_run(stage).now_ps, text, sizeof text);
        cr_expect(has_label(&stage->scene, text), "time %s", text);
        rv_format_bytes(model->sent_bytes[3], text, sizeof text);
        cr_expect(has_label(&stage->scene, text), "bytes %s", text);
        snprintf(text, sizeof text, "after step %d of 0..7", (int)step - 1);
        cr_expect_eq(has_label(&stage->scene, text), step > 0, "%s", text);
        for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
            if (item->target.thing != RV_GPU || item->box.h > item->box.w) continue;
            cr_expect_float_eq(filled(&stage->scene, item),
                               (double)model->sent_bytes[3] / (double)model->bound_bytes, 1e-6);
            break;
        }
    }
    show(stage, 8, 1);
    draw(stage, COST, wide);
    cr_expect(has_label(&stage->scene, "algbw 12.4 GB/s, busbw 19.9 GB/s"));
    show(stage, -1, 1);
    draw(stage, COST, wide);
    cr_expect(has_label(&stage->scene, "8.04 ms") && has_label(&stage->scene, "40.04 ms"));
}

/* ------------------------------------------------------------------------------------------ rule */

Test(scene_views, rule_is_shown_with_its_numbers_but_not_to_who_is_asked) {
    OWN_VIEW v = {0};
    const rv_options options = {.at = 1, .rank = 3};
    view_fixture_prepare(&v, "ring", 5);
    OWN_STAGE *stage = view_fixture_stage(&v, &options);
    show(stage, 1, 0.3);
    draw(stage, RULE, wide);
    cr_expect(has_label(&stage->scene, "    return mod(rank - step, n);"));
    cr_expect(has_label(&stage->scene, "send_chunk(step = 1, rank = 3, n = 5) = 2"));
    cr_expect(has_label(&stage->scene, "mod(3 - 1, 5) = 2"));
    cr_expect(has_label(&stage->scene, "3 -> 4 chunk 2 reduce"));
    draw_asked(stage, RULE, wide);
    cr_expect(has_label(&stage->scene, "    return mod(rank - step, n);"));
    cr_expect_not(has_label(&stage->scene, "send_chunk(step = 1, rank = 3, n = 5) = 2"));
    cr_expect_not(has_label(&stage->scene, "mod(3 - 1, 5) = 2"));
    cr_expect_not(has_label(&stage->scene, "3 -> 4 chunk 2 reduce"));
}

Test(scene_views, rule_and_costs_tell_of_the_gpu_that_is_pointed_at_elsewhere) {
    OWN_VIEW v = {0};
    const rv_options options = {.at = 1, .views = RV_VIEW_ALL};
    rs_error error;
    view_fixture_prepare(&v, "ring", 5);
    OWN_STAGE *stage = view_fixture_stage(&v, &options);
    rv_stage_draw(stage);
    cr_assert(has_label(&stage->scene, "Rule for GPU 0 in step 1"));
    for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
        if (!rv_same_target(item->target, rv_target_of(RV_CELL, 3, 0))) continue;
        const rv_point c = rv_centre(item->box);
        cr_assert_eq(rv_stage_pointer(stage, RV_POINT_MOVE, c.x, c.y, &error), RS_OK);
        break;
    }
    rv_stage_draw(stage);
    cr_expect(has_label(&stage->scene, "Rule for GPU 3 in step 1"));
    cr_expect(has_label(&stage->scene, "mod(3 - 1, 5) = 2"));
    cr_expect_eq(stage->playback.rank, 0, "pointing follows nobody");
    /* Pointing into the rule lights up others; it goes on about its own GPU. */
    const rv_point c = rv_centre(rv_view_box(stage, VIEW_RULE));
    cr_assert_eq(rv_stage_pointer(stage, RV_POINT_MOVE, c.x, c.y, &error), RS_OK);
    rv_stage_draw(stage);
    cr_expect(has_label(&stage->scene, "Rule for GPU 0 in step 1"));
}

Test(scene_views, rule_of_a_file_is_its_own_lines) {
    OWN_VIEW v = {0};
    const rv_options options = {.at = 0};
    view_fixture_prepare_text(
        &v, "ringsim-schedule 1\nranks 2\nchunks 2\nstep\n0 -> 1 chunk 0..1 reduce\n"
            "step\n1 -> 0 chunk 0..1 copy\n");
    OWN_STAGE *stage = view_fixture_stage(&v, &options);
    show(stage, 0, 0.5);
    draw(stage, RULE, wide);
    cr_expect(has_label(&stage->scene, "0 -> 1 chunk 0..1 reduce"));
    show(stage, 1, 0.5);
    draw(stage, RULE, wide);
    cr_expect(has_label(&stage->scene, "GPU 0 sends nothing in this step"));
}

/* ------------------------------------------------------------------------------------ all of them */

static const rv_box rooms[] = {
    {5, 5, 1264, 180}, {5, 5, 540, 330}, {5, 5, 346, 84},    {5, 5, 346, 42},  {5, 5, 780, 140},
    {5, 5, 120, 60},   {5, 5, 40, 20},   {5, 5, 3000, 1500}, {5, 5, 300, 900}, {5, 5, 1264, 90}};
enum { N_ROOMS = sizeof rooms / sizeof rooms[0] };

static void expect_inside(const rv_scene *scene, rv_box box, const char *name) {
    const double slack = 1.01;
    for (int32_t i = 0; i < scene->n_items; i++) {
        const rv_box at = scene->items[i].box;
        const double x0 = fmin(at.x, at.x + at.w), x1 = fmax(at.x, at.x + at.w);
        const double y0 = fmin(at.y, at.y + at.h), y1 = fmax(at.y, at.y + at.h);
        cr_expect(x0 >= box.x - slack && x1 <= box.x + box.w + slack && y0 >= box.y - slack &&
                      y1 <= box.y + box.h + slack,
                  "%s: shape %d '%s' at %g %g %g %g leaves %g x %g", name, scene->items[i].shape,
                  rv_label_text(scene, &scene->items[i]), at.x, at.y, at.w, at.h, box.w, box.h);
    }
}

/* Where a label's text lies, by the estimate of its width. */
static rv_box text_box(const rv_scene *scene, const rv_item *item) {
    const double size = item->radius;
    const double w = fmin(item->box.w, rv_label_width(rv_label_text(scene, item), size));
    const double h = fmin(item->box.h, 0.7 * size);
    const double spare = item->box.w - w;
    return (rv_box){item->box.x + (item->align == RV_LEFT    ? 0
                                   : item->align == RV_RIGHT ? spare
                                                             : spare / 2),
                    item->box.y + (item->box.h - h) / 2, w, h};
}

static void expect_legible(const rv_scene *scene, const char *name, rv_box room) {
    for (int32_t i = 0; i < scene->n_items; i++) {
        const rv_item *a = &scene->items[i];
        if (a->shape != RV_LABEL || a->layer != RV_STILL || a->wrap || a->mono) continue;
        const rv_box p = text_box(scene, a);
        for (int32_t j = i + 1; j < scene->n_items; j++) {
            const rv_item *b = &scene->items[j];
            if (b->shape != RV_LABEL || b->layer != RV_STILL || b->wrap || b->mono) continue;
            const rv_box q = text_box(scene, b);
            const double x = fmin(p.x + p.w, q.x + q.w) - fmax(p.x, q.x);
            const double y = fmin(p.y + p.h, q.y + q.h) - fmax(p.y, q.y);
            cr_expect(x <= 1 || y <= 1, "%s, %g x %g: '%s' lies on '%s'", name, room.w, room.h,
                      rv_label_text(scene, a), rv_label_text(scene, b));
        }
    }
}

static void try_rooms(rv_stage *stage, const char *name, int32_t n) {
    static const char *const parts[] = {"matrix", "diagram", "costs", "rule"};
    char what[128];
    for (int p = 0; p < N_PARTS; p++) {
        for (int r = 0; r < N_ROOMS; r++) {
            draw(stage, (part)p, rooms[r]);
            snprintf(what, sizeof what, "%s, N = %d, step %d, %s", name, (int)n,
                     (int)stage->what_if->model->step, parts[p]);
            expect_inside(&stage->scene, rooms[r], what);
            expect_legible(&stage->scene, what, rooms[r]);
            cr_expect_lt(stage->scene.n_items, 5000, "%s: %d items", what,
                         (int)stage->scene.n_items);
        }
    }
}

static void try_all(void) {
    static const int32_t sizes[] = {1, 2, 3, 5, 8, 16, 20, 33, 64};
    for (int a = 0; rs_algorithms[a] != NULL; a++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            OWN_VIEW v = {0};
            const rv_options options = {.at = -1, .rank = a % 2 ? sizes[i] - 1 : sizes[i] / 3};
            view_fixture_prepare(&v, rs_algorithms[a]->name, sizes[i]);
            OWN_STAGE *stage = view_fixture_stage(&v, &options);
            const int32_t steps[] = {-1, 0, v.schedule.n_steps / 2, v.schedule.n_steps};
            for (int s = 0; s < 4; s++) {
                show(stage, steps[s], s == 1 ? 0.4 : 1);
                try_rooms(stage, rs_algorithms[a]->name, sizes[i]);
            }
        }
    }
}

Test(scene_views, nothing_leaves_its_box_or_lies_on_other_words) {
    try_all();
}

Test(scene_views, nothing_does_so_in_chinese) {
    if (!view_fixture_chinese())
        cr_skip_test("no Chinese catalogue was built (gettext is missing)");
    try_all();
}

/* Bytes of all that is on the layer that stands still. */
static uint64_t still_sum(const rv_scene *scene) {
    uint64_t sum = 0;
    for (int32_t i = 0; i < scene->n_items; i++) {
        rv_item item = scene->items[i];
        if (item.layer != RV_STILL) continue;
        item.first = 0;
        const unsigned char *bytes = (const unsigned char *)&item;
        for (size_t b = 0; b < sizeof item; b++) sum = sum * 31 + bytes[b];
        for (const char *c = rv_label_text(scene, &item); item.n > 0 && *c != 0; c++) {
            sum = sum * 31 + (unsigned char)*c;
        }
    }
    return sum;
}

Test(scene_views, what_stands_still_does_so_until_the_step_is_done) {
    OWN_VIEW v = {0};
    const rv_options options = {.at = -1};
    view_fixture_prepare(&v, "ring", 5);
    OWN_STAGE *stage = view_fixture_stage(&v, &options);
    for (int p = 0; p < N_PARTS; p++) {
        uint64_t sum = 0;
        for (int i = 1; i < 20; i++) {
            show(stage, 3, i / 20.0);
            draw(stage, (part)p, wide);
            if (i > 1) cr_expect_eq(still_sum(&stage->scene), sum, "part %d at %d/20", p, i);
            sum = still_sum(&stage->scene);
        }
    }
}

static int lit_items(const rv_scene *scene, rv_colour ink) {
    int n = 0;
    for (const rv_item *item = NULL; (item = view_fixture_next(scene, item)) != NULL;) {
        n += item->shape == RV_LABEL ? item->bold : item->stroke == ink && item->line >= 2;
    }
    return n;
}

Test(scene_views, what_is_pointed_at_lights_up_in_matrix_and_diagram) {
    OWN_VIEW v = {0};
    const rv_options options = {.at = -1};
    view_fixture_prepare(&v, "ring", 5);
    OWN_STAGE *stage = view_fixture_stage(&v, &options);
    show(stage, 2, 1);
    for (int p = MATRIX; p <= DIAGRAM; p++) {
        stage->hover = (rv_target){0};
        draw(stage, (part)p, wide);
        const int before = lit_items(&stage->scene, stage->look.ink);
        stage->hover = rv_target_of(RV_CELL, 2, 3);
        draw(stage, (part)p, wide);
        cr_expect_gt(lit_items(&stage->scene, stage->look.ink), before, "part %d, a cell", p);
        stage->hover = rv_target_of(RV_GPU, 4, 0);
        draw(stage, (part)p, wide);
        cr_expect_gt(lit_items(&stage->scene, stage->look.ink), before, "part %d, a GPU", p);
    }
}
