/* The ring as data: where cards lie, what travels where, what a cell shows. No pixel is looked at. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "panels/ring/ring.h"
#include "support/stage_fixture.h"
#include "support/view_fixture.h"

static const struct {
    double w, h;
} boxes[] = {{300, 200}, {200, 300},   {787, 440},   {1268, 540},
             {560, 540}, {3840, 2160}, {2160, 3840}, {3800, 500}};
enum { N_BOXES = sizeof boxes / sizeof boxes[0] };

static rv_stage *stage_of(view_fixture *v, const rv_options *options) {
    rv_stage *stage;
    cr_assert(view_fixture_run(v), "%s", v->error.text);
    cr_assert_eq(rv_stage_new(&v->subject, options, NULL, &v->error, &stage), RS_OK, "%s",
                 v->error.text);
    return stage;
}

/* Shows a moment and draws the ring alone, in its own box. */
static rv_ring draw_at(rv_stage *stage, int32_t step, double progress) {
    rs_error error;
    cr_assert_eq(rv_stage_show(stage, step, progress, &error), RS_OK);
    const rv_sight sight = rv_main_sight(stage);
    const rv_box box = rv_view_box(stage, VIEW_RING);
    rv_scene_start(&stage->scene, stage->width, stage->height, stage->look.ground);
    rv_draw_rings(stage, &sight, &box, 1, &stage->scene);
    cr_assert_not(stage->scene.failed);
    const rs_schedule *schedule = stage->what_if->model->schedule;
    const rv_form shape = rv_form_of(schedule);
    return rv_plan_ring(&stage->look, schedule->n_ranks, schedule->n_chunks, &shape, box);
}

static int count_things(const rv_scene *scene, rv_thing thing) {
    int n = 0;
    for (int32_t i = 0; i < scene->n_items; i++) {
        n += scene->items[i].target.thing == (int32_t)thing;
    }
    return n;
}

static const rv_item *find(const rv_scene *scene, rv_target target) {
    for (int32_t i = scene->n_items - 1; i >= 0; i--) {
        if (rv_same_target(scene->items[i].target, target)) return &scene->items[i];
    }
    return NULL;
}

static bool apart(rv_box a, rv_box b) {
    return a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
}

static bool contains(rv_box box, rv_box part) {
    return part.x >= box.x - 0.01 && part.y >= box.y - 0.01 &&
           part.x + part.w <= box.x + box.w + 0.01 && part.y + part.h <= box.y + box.h + 0.01;
}

Test(scene_ring, cards_neither_overlap_nor_leave_the_box) {
    for (int b = 0; b < N_BOXES; b++) {
        const rv_box box = {7, 11, boxes[b].w, boxes[b].h};
        const rv_look look = rv_look_of(false, box.w, box.h, 1);
        for (int32_t n = 1; n <= 16; n++) {
            for (int32_t chunks = 1; chunks <= n; chunks += n > 1 ? n - 1 : 1) {
                const rv_ring ring = rv_plan_ring(&look, n, chunks, NULL, box);
                for (int32_t i = 0; i < n; i++) {
                    const rv_box card = rv_ring_card(&ring, i);
                    cr_expect(card.w > 8 && card.h > 6, "N = %d: %g x %g", n, card.w, card.h);
                    cr_expect(contains(box, card), "N = %d, GPU %d leaves the box", n, i);
                    for (int32_t c = 0; c < chunks; c++) {
                        cr_expect(contains(card, rv_ring_cell(&ring, card, c)), "N = %d", n);
                    }
                    for (int32_t j = 0; j < i; j++) {
                        cr_expect(apart(card, rv_ring_card(&ring, j)), "N = %d: %d, %d", n, i, j);
                    }
                }
            }
        }
    }
}

static void expect_free_ways(const rv_ring *ring) {
    const double w = ring->parcel * ring->cell_w, h = ring->parcel * ring->cell_h;
    for (int32_t i = 0; i < ring->n_ranks; i++) {
        const int32_t next = (i + 1) % ring->n_ranks;
        const rv_wire wire = rv_wire_between(ring, i, next);
        const rv_point middle = rv_on_wire(&wire, 0.5, NULL);
        const rv_box parcel = /* a touch is no harm */
            rv_inset((rv_box){middle.x - w / 2, middle.y - h / 2, w, h}, 0.2 * w);
        for (int32_t j = 0; j < ring->n_ranks; j++) {
            const rv_box card = rv_ring_card(ring, j);
            cr_expect(ring->n_ranks > 8 || apart(parcel, card),
                      "%g x %g, N = %d, %d -> %d hides GPU %d", ring->box.w, ring->box.h,
                      ring->n_ranks, i, next, j);
            for (int k = 1; k < RV_WIRE_POINTS - 1; k++) {
                cr_expect(!rv_inside(rv_inset(card, 1), wire.points[k].x, wire.points[k].y),
                          "%g x %g, N = %d: the wire %d -> %d crosses GPU %d", ring->box.w,
                          ring->box.h, ring->n_ranks, i, next, j);
            }
        }
    }
}

/* The letters of a GPU's data, besides those on the cards' first lines. */
static int count_letters(const rv_scene *scene, const rv_ring *ring, const char *letter) {
    int n = 0;
    for (int32_t i = 0; i < scene->n_items; i++) {
        const rv_item *item = &scene->items[i];
        if (item->shape != RV_LABEL || strcmp(rv_label_text(scene, item), letter) != 0) continue;
        for (int32_t r = 0; r < ring->n_ranks; r++) {
            rv_box cells = rv_ring_card(ring, r);
            rv_cut_top(&cells, ring->head);
            n += contains(cells, item->box);
        }
    }
    return n;
}

Test(scene_ring, slivers_of_up_to_six_gpus_have_letters_at_every_size) {
    const double sizes[][2] = {{800, 600}, {1280, 720}, {3840, 2160}};
    for (int32_t n = 2; n <= 6; n++) {
        view_fixture v;
        view_fixture_prepare(&v, "ring", n);
        const rv_options options = {.at = 0};
        rv_stage *stage = stage_of(&v, &options);
        for (int s = 0; s < 3; s++) {
            rv_stage_resize(stage, sizes[s][0], sizes[s][1]);
            const rv_ring ring = draw_at(stage, -1, 0);
            for (int32_t r = 0; r < n; r++) {
                cr_expect_eq(count_letters(&stage->scene, &ring, rv_dye_of(&stage->look, r).letter),
                             n, "N = %d, %g x %g, GPU %d: each of its chunks shows its letter", n,
                             sizes[s][0], sizes[s][1], r);
            }
        }
        rv_stage_free(stage);
        view_fixture_free(&v);
    }
}

Test(scene_ring, a_wire_ends_at_its_end) {
    for (int b = 0; b < N_BOXES; b++) {
        const rv_box box = {7, 11, boxes[b].w, boxes[b].h};
        const rv_look look = rv_look_of(false, box.w, box.h, 1);
        for (int32_t n = 2; n <= 16; n++) {
            const rv_ring ring = rv_plan_ring(&look, n, n, NULL, box);
            for (int32_t i = 0; i < n; i++) {
                const rv_wire wire = rv_wire_between(&ring, i, (i + 1) % n);
                const rv_point end = rv_on_wire(&wire, 1, NULL),
                               last = wire.points[RV_WIRE_POINTS - 1];
                cr_expect_lt(hypot(end.x - last.x, end.y - last.y), 0.01,
                             "%g x %g, N = %d: the arrow to GPU %d stops short", box.w, box.h, n,
                             (i + 1) % n);
            }
        }
    }
}

Test(scene_ring, no_wire_crosses_a_card) {
    for (int b = 0; b < N_BOXES; b++) {
        const rv_box box = {7, 11, boxes[b].w, boxes[b].h};
        const rv_look look = rv_look_of(false, box.w, box.h, 1);
        for (int32_t n = 2; n <= 16; n++) {
            for (int32_t chunks = 1; chunks <= n; chunks += n - 1) {
                const rv_ring ring = rv_plan_ring(&look, n, chunks, NULL, box);
                expect_free_ways(&ring);
            }
        }
    }
}

Test(scene_ring, a_box_without_room_has_a_plan) {
    const rv_look look = rv_look_of(false, 64, 64, 1);
    for (int32_t n = 1; n <= RV_MOST_CARDS; n++) {
        const rv_ring ring = rv_plan_ring(&look, n, n, NULL, (rv_box){10, 10, 0, 0});
        const rv_box cell = rv_ring_cell(&ring, rv_ring_card(&ring, n - 1), n - 1);
        cr_expect(isfinite(cell.x) && isfinite(cell.y));
        const rv_wire wire = rv_wire_between(&ring, 0, n - 1);
        cr_expect(isfinite(rv_on_wire(&wire, 0.5, NULL).x));
    }
}

Test(scene_ring, nothing_leaves_its_box) {
    static const double moments[] = {0.05, 0.4, 0.7, 0.9, 1};
    static const int32_t sizes[] = {2, 3, 5, 8, 16};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        view_fixture v;
        view_fixture_prepare(&v, "ring", sizes[k]);
        rv_stage *stage = stage_of(&v, &(rv_options){.at = -1});
        for (int b = 2; b < N_BOXES; b++) {
            rv_stage_resize(stage, fmax(640, boxes[b].w), fmax(480, boxes[b].h));
            for (size_t m = 0; m < sizeof moments / sizeof moments[0]; m++) {
                draw_at(stage, sizes[k], moments[m]);
                const rv_box box = rv_inset(rv_view_box(stage, VIEW_RING), -0.3 * stage->look.unit);
                for (int32_t i = 0; i < stage->scene.n_items; i++) {
                    const rv_item *item = &stage->scene.items[i];
                    if (item->shape == RV_SEGMENT) continue;
                    cr_expect(contains(box, item->box), "N = %d, %g: shape %d at %g %g", sizes[k],
                              moments[m], item->shape, item->box.x, item->box.y);
                }
            }
        }
        rv_stage_free(stage);
        view_fixture_free(&v);
    }
}

/* The box round two cards and the centre, a card's height larger. */
static rv_box between(const rv_ring *ring, int32_t src, int32_t dst) {
    const rv_box a = rv_ring_card(ring, src), b = rv_ring_card(ring, dst);
    const double left = fmin(fmin(a.x, b.x), ring->centre.x);
    const double top = fmin(fmin(a.y, b.y), ring->centre.y);
    const double right = fmax(fmax(a.x, b.x) + ring->card_w, ring->centre.x);
    const double bottom = fmax(fmax(a.y, b.y) + ring->card_h, ring->centre.y);
    return rv_inset((rv_box){left, top, right - left, bottom - top}, -ring->card_h);
}

static void expect_on_the_way(rv_stage *stage, int32_t step) {
    const rv_model *model = stage->what_if->model;
    rs_transfer t;
    double before[64];
    for (int i = 0; i < 64; i++) before[i] = INFINITY;
    for (double p = RV_LIFT; p < 1; p += 0.04) {
        const rv_ring ring = draw_at(stage, step, p);
        rs_cursor cursor = {0};
        for (int n = 0; rs_next_transfer(model->schedule, step, &cursor, &t) && n < 64; n++) {
            rv_target target = rv_target_of(RV_TRANSFER, step, t.src);
            target.c = t.chunk;
            const rv_item *item = find(&stage->scene, target);
            cr_assert_not_null(item, "step %d: GPU %d's chunk is not there", step, t.src);
            cr_expect_eq(item->layer, RV_MOVING);
            const rv_point at = rv_centre(item->box);
            const rv_point to = rv_centre(rv_ring_cell(&ring, rv_ring_card(&ring, t.dst), t.chunk));
            if (p < RV_LIFT + 0.02) {
                const rv_box home = rv_inset(rv_ring_card(&ring, t.src), -ring.cell_h);
                cr_expect(rv_inside(home, at.x, at.y), "GPU %d: it starts elsewhere", t.src);
            }
            const double left = hypot(to.x - at.x, to.y - at.y);
            const rv_box ways = between(&ring, t.src, t.dst);
            cr_expect(rv_inside(ways, at.x, at.y), "%s, step %d at %g: GPU %d's chunk strays",
                      model->schedule->name, step, p, t.src);
            if (p > 0.85) cr_expect_leq(left, before[n], "GPU %d: away from its goal", t.src);
            before[n] = left;
        }
    }
    for (int i = 0; i < 64; i++) {
        if (!isinf(before[i])) cr_expect_lt(before[i], 0.1 * stage->height);
    }
}

Test(scene_ring, every_chunk_travels_from_its_sender_to_its_receiver) {
    static const char *const names[] = {"ring", "tree", "doubling", "halving", "naive"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        view_fixture v;
        view_fixture_prepare(&v, names[i], 8);
        rv_stage *stage = stage_of(&v, &(rv_options){.at = -1});
        for (int32_t s = 0; s < v.schedule.n_steps; s++) expect_on_the_way(stage, s);
        rv_stage_free(stage);
        view_fixture_free(&v);
    }
}

Test(scene_ring, at_rest_nothing_moves_but_an_arrow_says_what_went_where) {
    view_fixture v;
    view_fixture_prepare(&v, "ring", 5);
    rv_stage *stage = stage_of(&v, &(rv_options){.at = -1, .reduced_motion = true, .dark = true});
    draw_at(stage, 2, 1);
    int labels = 0;
    for (int32_t i = 0; i < stage->scene.n_items; i++) {
        cr_expect_eq(stage->scene.items[i].layer, RV_STILL);
        const char *text = rv_label_text(&stage->scene, &stage->scene.items[i]);
        labels += stage->scene.items[i].fill == stage->look.accent_ink &&
                  strchr(text, 'G') == NULL && text[0] != '\0';
    }
    cr_expect_eq(count_things(&stage->scene, RV_TRANSFER), 0);
    cr_expect_eq(labels, 5);
    draw_at(stage, -1, 1);
    cr_expect_eq(count_things(&stage->scene, RV_TRANSFER), 0);
    rv_stage_free(stage);
    view_fixture_free(&v);
}

Test(scene_ring, what_stands_still_stays_the_same_while_a_step_runs) {
    view_fixture v;
    view_fixture_prepare(&v, "ring", 8);
    rv_stage *stage = stage_of(&v, &(rv_options){.at = -1});
    static rv_item first[1 << 14];
    int n_first = 0;
    for (double p = 0.02; p < 1; p += 0.07) {
        draw_at(stage, 9, p);
        int n = 0;
        for (int32_t i = 0; i < stage->scene.n_items; i++) {
            rv_item item = stage->scene.items[i];
            if (item.layer != RV_STILL) continue;
            item.first = 0;
            if (n_first == n && p < 0.05) first[n_first++] = item;
            cr_assert_lt(n, n_first);
            cr_assert_eq(memcmp(&first[n], &item, sizeof item), 0, "item %d at %g", n, p);
            n++;
        }
        cr_expect_eq(n, n_first);
    }
    rv_stage_free(stage);
    view_fixture_free(&v);
}

/* Row g of every cell is GPU g's, as wide as all rows, at the same height of its cell. */
Test(scene_ring, slivers_are_rows_of_one_order_however_many) {
    for (int32_t n = 2; n <= 16; n++) {
        view_fixture v;
        view_fixture_prepare(&v, "ring", n);
        rv_stage *stage = stage_of(&v, &(rv_options){.at = 0});
        stage->look.n_dyes = n;
        const rv_ring ring = draw_at(stage, -1, 0);
        double heights[16] = {0};
        for (int32_t i = 0; i < stage->scene.n_items; i++) {
            const rv_item *item = &stage->scene.items[i];
            for (int32_t g = 0; g < n; g++) {
                const rv_box cell = rv_ring_cell(&ring, rv_ring_card(&ring, g), 0);
                if (!contains(cell, item->box)) continue;
                if (item->shape == RV_GRID) {
                    cr_expect_eq(item->columns, 1);
                    heights[g] = item->box.h / n * (g + 0.5) + item->box.y - cell.y;
                } else if (item->shape == RV_RECT &&
                           item->fill == rv_dye_of(&stage->look, g).fill) {
                    cr_expect_gt(item->box.w, 0.85 * cell.w);
                    heights[g] = item->box.y + item->box.h / 2 - cell.y;
                }
            }
        }
        for (int32_t g = 1; g < n; g++) {
            cr_expect_float_eq(heights[g] - heights[g - 1], heights[1] - heights[0], 1e-6);
            cr_expect_gt(heights[g], heights[g - 1], "%d GPUs, row %d", n, g);
        }
        rv_stage_free(stage);
        view_fixture_free(&v);
    }
}

/* Counts the slivers of a colour inside a cell: shapes, or pixels where they are tiny. */
static int slivers_in(const rv_scene *scene, rv_box cell, const rv_dye *dye) {
    int n = 0;
    for (int32_t i = 0; i < scene->n_items; i++) {
        const rv_item *item = &scene->items[i];
        if (!contains(cell, item->box)) continue;
        n += item->shape == RV_RECT && item->fill == dye->fill;
        for (int32_t k = 0; item->shape == RV_GRID && k < item->n; k++) {
            n += scene->pixels[item->first + k] == dye->fill;
        }
    }
    return n;
}

static void expect_slivers(rv_stage *stage, int32_t step) {
    const rv_model *model = stage->what_if->model;
    const rv_ring ring = draw_at(stage, step, 1);
    int total = 0;
    for (int32_t r = 0; r < 8; r++) {
        for (int32_t c = 0; c < 8; c++) {
            int32_t who[8];
            bool inside[8] = {false};
            const int64_t n = rs_contents_list(model->contents, r, c, who, 8);
            for (int64_t i = 0; i < n; i++) inside[who[i]] = true;
            const rv_box cell = rv_ring_cell(&ring, rv_ring_card(&ring, r), c);
            for (int32_t g = 0; g < 8; g++) {
                const rv_dye dye = rv_dye_of(&stage->look, g);
                const int shown = slivers_in(&stage->scene, cell, &dye);
                cr_expect_eq(shown, inside[g] ? 1 : 0, "step %d, GPU %d, chunk %d: GPU %d", step, r,
                             c, g);
                total += shown;
            }
        }
    }
    cr_expect_geq(total, 64);
}

Test(scene_ring, a_cell_shows_a_sliver_for_each_gpu_whose_data_are_inside) {
    static const int widths[] = {640, 1280, 3840};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        view_fixture v;
        view_fixture_prepare(&v, "ring", 8);
        const rv_options options = {
            .at = -1, .pixel_width = widths[i], .pixel_height = widths[i] * 9 / 16};
        rv_stage *stage = stage_of(&v, &options);
        for (int32_t step = -1; step <= v.schedule.n_steps; step += 3) expect_slivers(stage, step);
        rv_stage_free(stage);
        view_fixture_free(&v);
    }
}

Test(scene_ring, a_question_gives_nothing_away_and_cells_can_be_clicked) {
    view_fixture v;
    view_fixture_prepare(&v, "ring", 5);
    rv_stage *stage = stage_of(&v, &(rv_options){.at = -1, .predict = true, .rank = 3});
    rs_error error;
    cr_assert_eq(rv_stage_key(stage, RV_KEY_RIGHT, &error), RS_OK);
    cr_assert_eq(stage->playback.mode, RV_ASKING);
    rv_stage_draw(stage);
    cr_expect_eq(count_things(&stage->scene, RV_TRANSFER), 0);
    cr_expect_eq(count_things(&stage->scene, RV_CELL), 25);
    int asked = 0;
    for (int32_t i = 0; i < stage->scene.n_items; i++) {
        const rv_item *item = &stage->scene.items[i];
        asked += strcmp(rv_label_text(&stage->scene, item), "?") == 0 &&
                 rv_inside(rv_view_box(stage, VIEW_RING), item->box.x, item->box.y);
    }
    cr_expect_eq(asked, 1);
    rv_stage_free(stage);
    view_fixture_free(&v);
}

static bool says(const rv_scene *scene, const char *text) {
    for (int32_t i = 0; i < scene->n_items; i++) {
        if (strcmp(rv_label_text(scene, &scene->items[i]), text) == 0) return true;
    }
    return false;
}

Test(scene_ring, what_is_wrong_is_said_where_it_is) {
    const rs_fault faults[] = {{.kind = RS_SLOW_LINK, .rank = 1, .factor_num = 10, .factor_den = 1},
                               {.kind = RS_LATE, .rank = 2, .time_ps = 5000000000},
                               {.kind = RS_KILL, .rank = 3, .step = 2}};
    view_fixture v;
    view_fixture_prepare(&v, "ring", 5);
    v.request.job.faults = faults;
    v.request.job.n_faults = 3;
    rv_stage *stage = stage_of(&v, &(rv_options){.at = -1});
    draw_at(stage, 0, 0.5);
    cr_expect(says(&stage->scene, "\xC3\x97"
                                  "10"));
    cr_expect(says(&stage->scene, "5 ms"));
    cr_expect_not(says(&stage->scene, "dead"));
    draw_at(stage, v.schedule.n_steps, 1);
    cr_expect(says(&stage->scene, "dead"));
    cr_expect(says(&stage->scene, "waits for GPU 3"));
    rv_stage_free(stage);
    view_fixture_free(&v);
}

Test(scene_ring, who_waits_for_a_slow_link_says_so_while_others_have_theirs) {
    const rs_fault slow = {.kind = RS_SLOW_LINK, .rank = 1, .factor_num = 10, .factor_den = 1};
    view_fixture v;
    view_fixture_prepare(&v, "ring", 5);
    v.request.job.faults = &slow;
    v.request.job.n_faults = 1;
    rv_stage *stage = stage_of(&v, &(rv_options){.at = -1});
    draw_at(stage, 0, 0.5);
    cr_expect(says(&stage->scene, "waits for GPU 1"));
    draw_at(stage, 0, 1);
    cr_expect_not(says(&stage->scene, "waits for GPU 1"));
    rv_stage_free(stage);
    view_fixture_free(&v);
}

Test(scene_ring, both_neighbours_of_a_late_gpu_wait_for_it_and_it_for_nobody) {
    const rs_fault late = {.kind = RS_LATE, .rank = 3, .time_ps = 2000000000};
    view_fixture v;
    view_fixture_prepare(&v, "ring", 5);
    v.request.job.faults = &late;
    v.request.job.n_faults = 1;
    rv_stage *stage = stage_of(&v, &(rv_options){.at = -1});
    draw_at(stage, 0, 0.4);
    int n_wait = 0;
    for (int32_t i = 0; i < stage->scene.n_items; i++) {
        const char *text = rv_label_text(&stage->scene, &stage->scene.items[i]);
        n_wait += strcmp(text, "waits for GPU 3") == 0;
        cr_expect_str_neq(text, "waits for GPU 2");
    }
    cr_expect_eq(n_wait, 2);
    rv_stage_free(stage);
    view_fixture_free(&v);
}

static void expect_felt(const rv_stage *stage, rv_point at, rv_target wanted, const char *what) {
    const rv_target hit = rv_scene_hit(&stage->scene, at.x, at.y, 6, NULL);
    cr_expect(rv_same_target(hit, wanted), "%s: %d %d %d", what, hit.thing, hit.a, hit.b);
}

Test(scene_ring, cards_cells_and_wires_are_felt_where_they_are_seen) {
    for (int32_t n = 2; n <= 16; n++) {
        view_fixture v;
        view_fixture_prepare(&v, "ring", n);
        rv_stage *stage = stage_of(&v, &(rv_options){.at = -1});
        for (int32_t step = -1; step < 2; step += 2) {
            const rv_ring ring = draw_at(stage, step, 1);
            for (int32_t r = 0; r < n; r++) {
                const rv_box card = rv_ring_card(&ring, r);
                const rv_point head = {card.x + card.w / 2, card.y + 0.3 * ring.head};
                const rv_wire wire = rv_wire_between(&ring, r, (r + 1) % n);
                expect_felt(stage, head, rv_target_of(RV_GPU, r, 0), "a card");
                expect_felt(stage, rv_centre(rv_ring_cell(&ring, card, n - 1)),
                            rv_target_of(RV_CELL, r, n - 1), "a cell");
                expect_felt(stage, rv_on_wire(&wire, 0.4, NULL),
                            rv_target_of(RV_LINK, r, (r + 1) % n), "a wire");
            }
        }
        rv_stage_free(stage);
        view_fixture_free(&v);
    }
}

Test(scene_ring, a_slow_wire_is_still_seen_when_the_step_is_done) {
    const rs_fault slow = {.kind = RS_SLOW_LINK, .rank = 1, .factor_num = 5, .factor_den = 2};
    view_fixture v;
    view_fixture_prepare(&v, "ring", 5);
    v.request.job.faults = &slow;
    v.request.job.n_faults = 1;
    rv_stage *stage = stage_of(&v, &(rv_options){.at = -1});
    draw_at(stage, 0, 1);
    cr_expect(says(&stage->scene, "chunk 1  \xC3\x97"
                                  "2.50") ||
              says(&stage->scene, "1  \xC3\x97"
                                  "2.50"));
    rv_stage_free(stage);
    view_fixture_free(&v);
}

Test(scene_ring, what_is_counted_twice_says_so_in_its_cell) {
    view_fixture v;
    view_fixture_prepare_text(&v,
                              "ringsim-schedule 1\nranks 3\nchunks 1\nstep\n0 -> 1 chunk 0 reduce\n"
                              "step\n0 -> 1 chunk 0 reduce\n1 -> 2 chunk 0 copy\n");
    rv_stage *stage = stage_of(&v, &(rv_options){.at = -1});
    draw_at(stage, 0, 1);
    cr_expect_not(says(&stage->scene, "\xC3\x97"
                                      "2 "));
    cr_expect(says(&stage->scene, "+ is added"));
    draw_at(stage, 1, 1);
    cr_expect(says(&stage->scene, "\xC3\x97"
                                  "2 "));
    cr_expect_not(says(&stage->scene, "+ is added"), "some is copied");
    rv_stage_free(stage);
    view_fixture_free(&v);
}

/* A file may let one GPU send hundreds of messages in a step. */
Test(scene_ring, many_messages_of_one_gpu_neither_leave_the_box_nor_pass_for_none) {
    enum { N_CHUNKS = 300 };
    static char text[64 + 40 * N_CHUNKS];
    view_fixture v;
    size_t used =
        (size_t)snprintf(text, sizeof text, "ringsim-schedule 1\nranks 3\nchunks 300\nstep\n");
    for (int i = 0; i < N_CHUNKS; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "0 -> 1 chunk %d reduce\n", i);
    }
    view_fixture_prepare_text(&v, text);
    rv_stage *stage = stage_of(&v, &(rv_options){.at = -1, .views = VIEW_RULE});
    cr_assert_eq(rv_stage_show(stage, 0, 0.46, &v.error), RS_OK);
    rv_stage_draw(stage);
    for (int32_t i = 0; i < stage->scene.n_items; i++) {
        const rv_item *item = &stage->scene.items[i];
        if (item->target.thing != RV_TRANSFER) continue;
        cr_assert(contains(rv_view_box(stage, VIEW_RING), item->box), "%g + %g", item->box.x,
                  item->box.w);
    }
    cr_expect(says(&stage->scene, "GPU 0 has more messages than fit here"));
    cr_expect_not(says(&stage->scene, "GPU 0 sends nothing in this step"));
    rv_stage_free(stage);
    view_fixture_free(&v);
}

/* ------------------------------------------------------------------------------------- the colours */

static double linear(double c) {
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double contrast(rv_colour a, rv_colour b) {
    double l[2];
    const rv_colour both[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        l[i] = 0.2126 * linear((both[i] >> 24) / 255.0) +
               0.7152 * linear((both[i] >> 16 & 0xFF) / 255.0) +
               0.0722 * linear((both[i] >> 8 & 0xFF) / 255.0);
    }
    return (fmax(l[0], l[1]) + 0.05) / (fmin(l[0], l[1]) + 0.05);
}

Test(scene_ring, text_and_parts_stand_out_in_both_themes) {
    for (int dark = 0; dark < 2; dark++) {
        const rv_look look = rv_look_of(dark, 1280, 720, 1);
        const rv_colour grounds[3] = {look.ground, look.panel, look.raised};
        const rv_colour texts[2] = {look.ink, look.quiet};
        const rv_colour parts[5] = {look.accent, look.good, look.bad, look.warn, look.link};
        cr_expect_geq(contrast(look.focus_ink, look.focus), 4.5);
        for (int g = 0; g < 3; g++) {
            for (int t = 0; t < 2; t++) cr_expect_geq(contrast(texts[t], grounds[g]), 4.5);
            for (int p = 0; p < 4 && g < 2; p++) { /* they are written too */
                cr_expect_geq(contrast(parts[p], grounds[g]), 4.5, "dark %d, part %d", dark, p);
            }
            cr_expect_geq(contrast(parts[4], grounds[g]), g < 2 ? 3 : 1, "dark %d: wires", dark);
        }
        cr_expect_geq(contrast(look.accent_ink, look.accent), 4.5);
        cr_expect_geq(contrast(look.panel, look.good), 4.5);
        for (int32_t r = 0; r < 8; r++) {
            const rv_dye dye = rv_dye_of(&look, r);
            const double fill = contrast(dye.fill, look.panel);
            cr_expect_geq(fmax(fill, contrast(look.outline, look.panel)), 3, "GPU %d", r);
            cr_expect_geq(contrast(dye.ink, dye.fill), 4.5, "GPU %d's letter", r);
        }
    }
}

Test(scene_ring, no_two_gpus_have_the_same_colour) {
    static const int32_t counts[] = {2, 8, 9, 16, 64, 256};
    for (int i = 0; i < 6; i++) {
        rv_look look = rv_look_of(false, 1280, 720, 1);
        look.n_dyes = counts[i];
        for (int32_t a = 0; a < counts[i]; a++) {
            const rv_dye x = rv_dye_of(&look, a);
            cr_expect_geq(contrast(x.ink, x.fill), 4.5, "GPU %d of %d", a, counts[i]);
            cr_expect(x.fill != look.accent && x.fill != look.focus);
            for (int32_t b = 0; b < a; b++) {
                const rv_dye y = rv_dye_of(&look, b);
                cr_expect_neq(x.fill, y.fill, "%d and %d of %d", b, a, counts[i]);
                cr_expect(strcmp(x.letter, y.letter) != 0);
            }
        }
    }
}

/* Adds up the areas of all that travels in one of the runs: of messages with as many chunks as they
   have rectangles of their own. */
static double area_on_the_way(const rv_scene *scene, bool second, int32_t *n_cells) {
    double area = 0;
    *n_cells = 0;
    for (int32_t i = 0; i < scene->n_items; i++) {
        const rv_item *item = &scene->items[i];
        if (item->target.thing != RV_TRANSFER || (item->target.a < 0) != second) continue;
        area += item->box.w * item->box.h;
        ++*n_cells;
    }
    return area;
}

Test(scene_ring, area_is_bytes_in_both_runs_of_a_race) {
    static const char *const others[] = {"naive", "tree", "halving", "bidirectional"};
    for (int i = 0; i < 4; i++) {
        for (int32_t n = 4; n <= 16; n *= 2) {
            static stage_fixture s;
            view_fixture_prepare(&s.run, "ring", n);
            s.options = (rv_options){.at = 0, .progress = 0.5, .compare = others[i]};
            stage_fixture_open(&s);
            rv_stage *stage = s.stage;
            rv_sight sights[2];
            const rv_box sides[2] = {{0, 0, 640, 400}, {640, 0, 640, 400}};
            cr_assert_eq(rv_list_sights(stage, sights), 2);
            sights[1].progress = 0.5;
            rv_scene_start(&stage->scene, 1280, 720, stage->look.ground);
            rv_draw_rings(stage, sights, sides, 2, &stage->scene);
            double area[2];
            for (int k = 0; k < 2; k++) {
                int32_t cells;
                area[k] = area_on_the_way(&stage->scene, k == 1, &cells) / cells *
                          sights[k].model->n_chunks;
                cr_assert_gt(cells, 0);
            }
            cr_expect_float_eq(area[0] / area[1], 1, 1e-6, "%s, %d GPUs: %g and %g", others[i], n,
                               area[0], area[1]);
            stage_fixture_end(&s);
        }
    }
}

static int count_label(const rv_scene *scene, const char *text) {
    int n = 0;
    for (int32_t i = 0; i < scene->n_items; i++) {
        const rv_item *item = &scene->items[i];
        n += item->shape == RV_LABEL && strcmp(rv_label_text(scene, item), text) == 0;
    }
    return n;
}

Test(scene_ring, what_stands_at_the_door_is_told_as_a_sum_or_strikes_the_old_value_out) {
    view_fixture v;
    view_fixture_prepare(&v, "ring", 4);
    rv_stage *stage = stage_of(&v, &(rv_options){.at = 0});
    const double arrive = rv_progress_of(RV_ARRIVE), before = 0.5 * (RV_LIFT + RV_ARRIVAL);
    draw_at(stage, 0, before);
    cr_expect_eq(count_label(&stage->scene, "10+1"), 0, "not before it is there");
    draw_at(stage, 0, arrive); /* GPU r sends chunk r, (r + 1) x 10^r, to GPU r + 1 */
    cr_expect_eq(count_label(&stage->scene, "10+1"), 1);
    cr_expect_eq(count_label(&stage->scene, "4+4000"), 1);
    draw_at(stage, 0, 1);
    cr_expect_eq(count_label(&stage->scene, "10+1"), 0, "not when it is done");
    cr_expect_eq(count_label(&stage->scene, "11"), 1);
    int lines[2];
    for (int i = 0; i < 2; i++) { /* a line through each of four values, or none */
        draw_at(stage, 3, i == 0 ? before : arrive);
        lines[i] = 0;
        for (int32_t k = 0; k < stage->scene.n_items; k++) {
            const rv_item *item = &stage->scene.items[k];
            lines[i] += item->shape == RV_SEGMENT && item->stroke == stage->look.ink;
        }
    }
    cr_expect_eq(lines[1] - lines[0], 4);
    rv_stage_free(stage);
    view_fixture_free(&v);
}
