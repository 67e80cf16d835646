/* test_scene_travel.c: stories as pictures: what travels while a moment begins, and where it lies
 * then. */
#include "model/subject.h"
#include "stage/stage.h"
#include "support/told.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static rs_arena arena;
static rs_error error;
static rv_subject subject;
static rv_stage *stage;

static void tell(const char *line, int step) {
    rs_arena_init(&arena, NULL);
    const rv_options options = {.at = step, .pixel_width = 1280, .pixel_height = 720};
    subject = told_subject(line, &arena);
    cr_assert_eq(rv_stage_new(&subject, &options, NULL, &error, &stage), RS_OK, "%s", error.text);
}

static void draw_at(int step, double progress) {
    cr_assert_eq(rv_stage_look_at(stage, step, progress, &error), RS_OK);
    rv_stage_draw(stage);
}

static void end(void) {
    rv_stage_free(stage);
    rv_subject_free(&subject);
    rs_arena_free(&arena);
}

/* Returns the first label with that text; NULL: there is none. */
static const rv_item *label(const char *text) {
    for (int32_t i = 0; i < stage->scene.n_items; i++) {
        const rv_item *item = &stage->scene.items[i];
        const bool seen = item->shape == RV_LABEL && (item->fill & 0xFF) > 0;
        if (seen && strcmp(rv_label_text(&stage->scene, item), text) == 0) return item;
    }
    return NULL;
}

static double x_of(const char *text) {
    const rv_item *found = label(text);
    cr_assert_not_null(found, "\"%s\" is shown", text);
    return rv_centre(found->box).x;
}

Test(scene_travel, message_travels_from_lifeline_to_lifeline) {
    tell("launch", 3);
    draw_at(3, 0.05);
    const double from = x_of("process 1"), to = x_of("process 0");
    const double early = x_of("hello: rank 1 of 4");
    draw_at(3, 0.8);
    const double late = x_of("hello: rank 1 of 4");
    cr_expect(late < early - 0.5 * (from - to), "from %g to %g", early, late);
    draw_at(3, 1);
    cr_expect_float_eq(x_of("hello: rank 1 of 4"), (from + to) / 2, 2, "then it stays between");
    cr_expect_null(label("welcome"), "what is to come is not told");
    draw_at(6, 1);
    cr_expect_not_null(label("hello: rank 1 of 4"), "what was said stays");
    cr_expect_not_null(label("welcome"));
    end();
}

Test(scene_travel, nodes_frame_their_processes) {
    tell("launch --nodes 3", 1);
    draw_at(1, 1);
    cr_expect(x_of("process 2") < x_of("node 1") && x_of("node 1") < x_of("process 3"));
    cr_expect_not_null(label("node 2"));
    end();
}

Test(scene_travel, checkpoint_is_written_to_a_file_and_all_else_goes_to_rank_0) {
    tell("launch --mistake everybody-saves", 7);
    draw_at(7, 0.3); /* "set": the words stand beside the lifeline where all meet */
    cr_expect(x_of("set: machine") < x_of("process 1"));
    draw_at(12, 1);
    cr_expect_float_eq(x_of("saves: 100 %"), (x_of("process 0") + x_of("file")) / 2, 2);
    end();
}

/* Returns where the last label with that text stands, from the top: it lies on top of the others. */
static double y_of(const char *text) {
    double y = NAN;
    for (int32_t i = 0; i < stage->scene.n_items; i++) {
        const rv_item *item = &stage->scene.items[i];
        if (item->shape != RV_LABEL || strcmp(rv_label_text(&stage->scene, item), text) != 0) {
            continue;
        }
        y = rv_centre(item->box).y;
    }
    return y;
}

Test(scene_travel, sample_goes_from_the_order_to_its_gpu) {
    tell("sampler --gpus 3 --dataset 8", 1);
    draw_at(2, 1);
    const double there = y_of("6");
    draw_at(2, 0.05);
    const double from = y_of("6");
    draw_at(2, 0.5);
    cr_expect(from < y_of("6") - 5 && y_of("6") < there - 5, "down, %g .. %g", from, there);
    cr_expect_not_null(label("0*"), "a sample dealt once more is marked");
    end();
}

Test(scene_travel, shuffle_joins_each_sample_to_its_place) {
    int n = 0;
    tell("sampler --dataset 9 --shuffle", -1);
    draw_at(-1, 1);
    const rv_item *order = label("order"), *dataset = label("dataset");
    cr_assert(order != NULL && dataset != NULL);
    for (int32_t i = 0; i < stage->scene.n_items; i++) {
        const rv_item *item = &stage->scene.items[i];
        if (item->shape != RV_SEGMENT) continue;
        n +=
            item->box.y > dataset->box.y && item->box.y + item->box.h < order->box.y + order->box.h;
    }
    cr_expect_eq(n, 9, "%d lines", n);
    end();
}

Test(scene_travel, word_goes_to_its_reducer_and_the_count_grows_when_it_lands) {
    tell("mapreduce --gpus 2", 2); /* hello world | hello */
    draw_at(2, 0.5);
    cr_expect_not_null(label("hello x1"), "its own");
    cr_expect_null(label("hello x2"), "the other is on its way: not counted yet");
    draw_at(2, 1);
    cr_expect_not_null(label("hello x2"));
    cr_expect_null(label("hello x1"));
    end();
}

/* Returns where the first shackle of a lock stands, from the top. */
static double shackle_y(void) {
    for (int32_t i = 0; i < stage->scene.n_items; i++) {
        const rv_item *item = &stage->scene.items[i];
        if (item->shape == RV_ARC) return rv_centre(item->box).y;
    }
    return NAN;
}

Test(scene_travel, threads_hand_their_one_lock_on) {
    tell("gil --gpus 3 --iters 0 --cores 3", 1);
    draw_at(0, 1);
    const double first = shackle_y();
    draw_at(1, 1);
    const double second = shackle_y();
    cr_assert(second > first + 10, "from %g to %g", first, second);
    cr_expect_null(label("real thread 0"), "a moment's lanes are those of the simulation");
    end();
}

Test(scene_travel, all_workers_are_seen_however_many) {
    tell("gil --gpus 16 --iters 0 --cores 4", 1);
    draw_at(1, 1);
    const rv_item *last = label("15");
    cr_assert_not_null(last);
    cr_expect_null(label("rows 0..10 of 16"));
    end();
}
