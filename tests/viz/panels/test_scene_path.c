/* One chunk's path through the GPUs, in the window and in the terminal, against what the model's cells hold. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "panels/draw.h"
#include "support/stage_fixture.h"

/* The panel's place in the table. */
static int path_view(void) {
    int view = 0;
    while (rv_view_word(view) != NULL && strcmp(rv_view_word(view), "path") != 0) view++;
    cr_assert(rv_view_word(view) != NULL);
    return view;
}

static rv_stage *stage_of(view_fixture *v, bool predict) {
    static rv_options kept;
    kept = (rv_options){.at = -1, .views = 1u << path_view(), .predict = predict};
    return view_fixture_stage(v, &kept);
}

static const char *label_with(const rv_scene *scene, const char *words) {
    for (int32_t i = 0; i < scene->n_items; i++) {
        const char *text = rv_label_text(scene, &scene->items[i]);
        if (strstr(text, words) != NULL) return text;
    }
    return NULL;
}

/* How many items inside the panel stand for such a thing. */
static int count_things(const rv_stage *stage, rv_thing thing) {
    const rv_box box = rv_view_box(stage, 1u << path_view());
    int n = 0;
    for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
        n += item->target.thing == (int32_t)thing && rv_inside(box, item->box.x, item->box.y);
    }
    return n;
}

/* What the panel says of the chunk, against the model's cells. */
static void expect_truth(rv_stage *stage, const char *what) {
    const rv_model *model = stage->what_if->model;
    const char *title = label_with(&stage->scene, "Path of chunk ");
    int chunk, rank, n, of, whole = 0;
    cr_assert(title != NULL && sscanf(title, "Path of chunk %d", &chunk) == 1, "%s", what);
    for (int32_t r = 0; r < model->n_ranks; r++) {
        whole += rs_contents_complete(model->contents, r, chunk);
    }
    const char *state = label_with(&stage->scene, " contributions");
    if (state == NULL) {
        state = label_with(&stage->scene, "complete on ");
        cr_assert(state != NULL, "%s", what);
        cr_assert_eq(sscanf(state, "complete on %d of %d GPUs", &n, &of), 2, "%s", state);
        cr_expect(whole > 1 && n == whole && of == model->n_ranks, "%s: %s", what, state);
        return;
    }
    cr_assert_eq(sscanf(state, "GPU %d holds %d of %d", &rank, &n, &of), 3, "%s", state);
    cr_expect(whole <= 1 && of == model->n_ranks, "%s: %s", what, state);
    cr_expect_eq(rs_contents_count(model->contents, rank, chunk), n, "%s: %s", what, state);
    for (int32_t r = 0; r < model->n_ranks; r++) {
        cr_expect_leq(rs_contents_count(model->contents, r, chunk), n, "%s: %s", what, state);
    }
}

Test(scene_path, says_of_every_algorithm_what_the_cells_hold) {
    static const int32_t sizes[] = {2, 3, 5, 8, 16};
    for (int a = 0; rs_algorithms[a] != NULL; a++) {
        for (int s = 0; s < 5; s++) {
            OWN_VIEW v = {0};
            char what[96];
            view_fixture_prepare(&v, rs_algorithms[a]->name, sizes[s]);
            OWN_STAGE *stage = stage_of(&v, false);
            for (int32_t step = -1; step <= v.schedule.n_steps; step++) {
                snprintf(what, sizeof what, "%s of %d, step %d", rs_algorithms[a]->name,
                         (int)sizes[s], (int)step);
                cr_assert_eq(rv_stage_show(stage, step, 1, &v.error), RS_OK);
                rv_stage_draw(stage);
                expect_truth(stage, what);
            }
        }
    }
}

/* Everybody sends everybody chunk 0 in one step, and then once more. */
Test(scene_path, counts_a_step_of_any_size_and_what_is_added_twice) {
    enum { N = 24 };
    static char text[1 << 16];
    view_fixture v;
    int used = snprintf(text, sizeof text, "ringsim-schedule 1\nranks %d\nchunks 1\n", N);
    for (int step = 0; step < 2; step++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "step\n");
        for (int i = 0; i < N * N; i++) {
            if (i / N == i % N) continue;
            used += snprintf(text + used, sizeof text - (size_t)used, "%d -> %d chunk 0 reduce\n",
                             i / N, i % N);
        }
    }
    view_fixture_prepare_text(&v, text);
    OWN_STAGE *stage = stage_of(&v, false);
    for (int32_t step = -1; step <= v.schedule.n_steps; step++) {
        cr_assert_eq(rv_stage_show(stage, step, 1, &v.error), RS_OK);
        rv_stage_draw(stage);
        const char *state =
            label_with(&stage->scene, step == 0 ? "complete on " : " contributions");
        cr_expect(state != NULL, "step %d", (int)step);
        if (step < 1) expect_truth(stage, "everybody to everybody");
    }
    view_fixture_free(&v);
}

Test(scene_path, of_a_ring_goes_twice_round) {
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 5);
    OWN_STAGE *stage = stage_of(&v, false);
    rv_stage_draw(stage);
    cr_expect_eq(count_things(stage, RV_CELL), 9, "the start, and one a step");
    cr_expect_eq(count_things(stage, RV_TRANSFER), 8);
    stage->playback.rank = 3;
    rv_stage_draw(stage);
    cr_expect(label_with(&stage->scene, "Path of chunk 3") != NULL, "what GPU 3 sends first");
    stage->hover = rv_target_of(RV_CELL, 0, 1);
    rv_stage_draw(stage);
    cr_expect(label_with(&stage->scene, "Path of chunk 1") != NULL, "what is pointed at");
}

Test(scene_path, opens_and_closes_by_its_key_alone) {
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 5);
    OWN_STAGE *stage = stage_of(&v, false);
    const unsigned path = 1u << path_view();
    cr_expect(stage->layout.shown & path);
    cr_expect_not(rv_all_views() & path, "v and --show all close it");
    cr_assert_eq(rv_stage_key(stage, 'i', &v.error), RS_OK);
    cr_expect_not(stage->layout.shown & path);
    rv_stage_draw(stage);
    cr_expect(label_with(&stage->scene, "Path of") == NULL);
    cr_assert_eq(rv_stage_key(stage, 'i', &v.error), RS_OK);
    cr_expect(stage->layout.shown & path);
}

Test(scene_path, does_not_tell_what_is_being_asked) {
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 5);
    OWN_STAGE *stage = stage_of(&v, true);
    cr_assert_eq(rv_stage_key(stage, RV_KEY_RIGHT, &v.error), RS_OK);
    cr_assert_eq(stage->playback.mode, RV_ASKING);
    rv_stage_draw(stage);
    cr_expect_eq(count_things(stage, RV_TRANSFER), 0, "nothing has been sent yet");
}

Test(scene_path, ends_where_a_GPU_dies) {
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 5);
    const rs_fault dead = {.kind = RS_KILL, .rank = 2, .step = 2};
    view_fixture_faults(&v, &dead, 1);
    OWN_STAGE *stage = stage_of(&v, false);
    rv_stage_draw(stage);
    cr_expect_eq(count_things(stage, RV_TRANSFER), 1 + 1, "GPU 0 and 1 send; 2 does not");
}

Test(scene_path, is_in_the_plain_text_of_every_step_where_it_was_asked_for) {
    OWN_VIEW v = {0};
    view_fixture_start(&v, "ring", 5);
    rv_options options = {.at = -1};
    for (int asked = 0; asked < 2; asked++) {
        options.views = asked ? rv_view_bit("path") : 0;
        view_fixture_shown.used = 0;
        cr_assert_eq(rv_write_text(&v.subject, &options, view_fixture_collect, &view_fixture_shown,
                                   &v.error),
                     RS_OK);
        view_fixture_shown.bytes[view_fixture_shown.used] = '\0';
        int n = 0;
        for (const char *at = view_fixture_shown.bytes; (at = strstr(at, "\n Path    chunk 0"));
             at++) {
            n++;
        }
        cr_expect_eq(n, asked ? 8 + 2 : 0, "each step, the start and the end: %d", n);
    }
}

Test(scene_path, is_two_lines_in_the_terminal) {
    OWN_FIXTURE s = {0};
    static char before[1 << 16];
    s.options = (rv_options){.at = 2, .rank = 2, .in_characters = true};
    view_fixture_prepare(&s.run, "ring", 5);
    stage_fixture_open(&s);
    snprintf(before, sizeof before, "%s", stage_fixture_characters(&s, 80, 24));
    cr_expect(strstr(before, "Path") == NULL);
    stage_fixture_press(&s, "i");
    const char *lines = stage_fixture_characters(&s, 80, 24);
    cr_expect(strstr(lines, " Path    chunk 2: GPU 2 > 3 > 4 > 0 > 1 > 2 > 3 > 4 > 0\n") != NULL,
              "%s", lines);
    cr_expect(strstr(lines, "\n         GPU 0 holds 4 of 5 contributions\n") != NULL, "%s", lines);
    stage_fixture_press(&s, "i");
    cr_expect_str_eq(stage_fixture_characters(&s, 80, 24), before);
}

/* Who walks by hand sees it from the start, where the cells stay legible; a race needs the room itself. */
Test(scene_path, opens_by_itself_where_there_is_room_and_gives_way_to_a_race) {
    static const struct {
        int32_t n_ranks;
        int w, h;
        bool by_hand, open;
    } starts[] = {{5, 1280, 720, true, true},
                  {5, 1280, 720, false, false},
                  {8, 1280, 720, true, false},
                  {5, 800, 600, true, false},
                  {8, 1280, 1000, true, true}};
    for (int i = 0; i < 5; i++) {
        OWN_VIEW v = {0};
        const rv_options options = {.at = -1,
                                    .by_hand = starts[i].by_hand,
                                    .pixel_width = starts[i].w,
                                    .pixel_height = starts[i].h};
        view_fixture_start(&v, "ring", starts[i].n_ranks);
        OWN_STAGE *stage = NULL;
        cr_assert_eq(rv_stage_new(&v.subject, &options, NULL, &v.error, &stage), RS_OK);
        const unsigned path = 1u << path_view();
        cr_expect_eq((stage->layout.shown & path) != 0, starts[i].open, "%d", i);
        cr_assert_eq(rv_stage_key(stage, 'x', &v.error), RS_OK);
        cr_expect_not(stage->layout.shown & path);
        cr_assert_eq(rv_stage_key(stage, RV_KEY_ESCAPE, &v.error), RS_OK);
        cr_expect_eq((stage->layout.shown & path) != 0, starts[i].open, "%d", i);
    }
}

Test(scene_path, is_that_of_the_chunk_clicked_until_another_gpu_is_followed) {
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 5);
    OWN_STAGE *stage = stage_of(&v, false);
    cr_assert_eq(rv_stage_click(stage, rv_target_of(RV_CELL, 2, 4), &v.error), RS_OK);
    rv_stage_draw(stage);
    cr_expect(label_with(&stage->scene, "Path of chunk 4") != NULL);
    cr_assert_eq(rv_stage_key(stage, RV_KEY_DOWN, &v.error), RS_OK);
    rv_stage_draw(stage);
    cr_expect(label_with(&stage->scene, "Path of chunk 3") != NULL, "what GPU 3 sends first");
}
