/* A run on a machine in the window: it is named, its links have no sliders, and changes stay on it. */
#include <criterion/criterion.h>
#include <string.h>

#include "lesson/course.h"
#include "model/cost_words.h"
#include "stage/panel.h"
#include "support/stage_fixture.h"

static stage_fixture s;
static rs_machine machine;

static const char text[] = "ringsim-machine 1\n"
                           "gpus 6\n"
                           "switch a b\n"
                           "link gpu0 a bandwidth 50GB/s latency 1us\n"
                           "link gpu1 a bandwidth 50GB/s latency 1us\n"
                           "link gpu2 a bandwidth 50GB/s latency 1us\n"
                           "link gpu3 b bandwidth 50GB/s latency 1us\n"
                           "link gpu4 b bandwidth 50GB/s latency 1us\n"
                           "link gpu5 b bandwidth 50GB/s latency 1us\n"
                           "link a b bandwidth 10GB/s latency 3us kind net\n";

static void start_on(const char *described, const char *algorithm, int32_t n) {
    memset(&s, 0, sizeof s);
    view_fixture_prepare(&s.run, algorithm, n);
    cr_assert_eq(rs_parse_machine(described, strlen(described), "two-boxes", &s.run.arena,
                                  &s.run.error, &machine),
                 RS_OK, "%s", s.run.error.text);
    s.run.request.job.net.machine = &machine;
    s.options = (rv_options){.at = -1, .speed = 1};
    cr_assert(view_fixture_run(&s.run), "%s", s.run.error.text);
    stage_fixture_open(&s);
}

static void start(const char *algorithm, int32_t n) {
    start_on(text, algorithm, n);
}

static int64_t time_on_machine(const char *algorithm, int32_t n) {
    rs_schedule schedule;
    rs_error error = {.text = ""};
    rs_outcome outcome;
    rs_job job = s.run.request.job;
    cr_assert_eq(rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, algorithm), RS_ORDER_SEED,
                                  n, job.count, &error, &schedule),
                 RS_OK);
    job.schedule = &schedule;
    cr_assert_eq(rs_simulate(&job, RS_ENGINE_FLOWS, NULL, &s.run.arena, &error, &outcome), RS_OK);
    return outcome.makespan_ps;
}

Test(scene_machine, is_named_and_its_links_have_no_sliders) {
    start("halving", 6);
    cr_expect(stage_fixture_shows(&s, "100 MB · i32 sum · two-boxes"));
    const rv_setup *setup = &s.stage->what_if->setup;
    cr_expect(rv_knob_turns(setup, RV_KNOB_GPUS));
    cr_expect(rv_knob_turns(setup, RV_KNOB_BYTES));
    cr_expect_not(rv_knob_turns(setup, RV_KNOB_ALPHA));
    cr_expect_not(rv_knob_turns(setup, RV_KNOB_BANDWIDTH));
    char said[32];
    rv_knob_text(setup, RV_KNOB_ALPHA, said, sizeof said);
    cr_expect_str_eq(said, "–");
}

/* From two to all of its GPUs, with any algorithm: what is shown is a run on the machine. */
Test(scene_machine, stays_below_what_is_changed) {
    static const char *const algorithms[] = {"ring", "naive", "tree", "doubling", "halving"};
    start("ring", 6);
    for (int32_t n = 2; n <= 6; n++) {
        for (int i = 0; i < 5; i++) {
            rv_setup setup = s.stage->what_if->setup;
            setup.n_ranks = n;
            setup.algorithm = rs_find_algorithm(RS_COLL_ALL_REDUCE, algorithms[i]);
            cr_assert_eq(rv_stage_change(s.stage, &setup, &s.error), RS_OK, "%s", s.error.text);
            cr_expect_eq(stage_fixture_time_ps(&s), time_on_machine(algorithms[i], n),
                         "%s, %d GPUs", algorithms[i], (int)n);
        }
    }
    rv_setup widest = s.stage->what_if->setup;
    rv_knob_set(&widest, RV_KNOB_GPUS, 1);
    cr_expect_eq(widest.n_ranks, 6);
}

Test(scene_machine, says_how_near_the_bound_it_came_and_which_wire_was_full) {
    start("ring", 6);
    rv_model *model = s.stage->what_if->model;
    char said[256];
    cr_assert_eq(rv_model_seek(model, model->n_steps, RV_DONE, &s.error), RS_OK);
    rv_run_text(model, said, sizeof said);
    cr_expect(strstr(said, "of the bound") != NULL && strstr(said, "full: a to b") != NULL, "%s",
              said);
}

/* One or two GPUs are all there are: the slider stands, and no view stumbles over it. */
Test(scene_machine, of_one_or_two_gpus_has_a_slider_that_stands) {
    static const char *const smallest[] = {
        "ringsim-machine 1\ngpus 1\n",
        "ringsim-machine 1\ngpus 2\nlink gpu0 gpu1 bandwidth 10GB/s\n"};
    for (int32_t n = 1; n <= 2; n++) {
        start_on(smallest[n - 1], "ring", n);
        const rv_setup *setup = &s.stage->what_if->setup;
        stage_fixture_press(&s, "n");
        cr_expect_not(rv_knob_turns(setup, RV_KNOB_GPUS));
        cr_expect_eq(rv_knob_place(setup, RV_KNOB_GPUS), 0);
        stage_fixture_press(&s, "/.,v");
        cr_expect_eq(s.stage->what_if->setup.n_ranks, n);
        stage_fixture_end(&s);
    }
}

static bool plays_nothing(void *context, const char *words) {
    (void)context, (void)words;
    return false;
}

/* Beside a lesson's text the machine has most of the room, over the whole width, and its bars are not cut. */
Test(scene_machine, of_a_lesson_is_large_and_its_ring_small) {
    static const double sizes[][2] = {{1280, 720}, {1920, 1080}};
    static rv_lesson lesson;
    for (int i = 0; i < 2; i++) {
        memset(&s, 0, sizeof s);
        view_fixture_prepare(&s.run, "ring", 6);
        s.run.request.job.net.machine = &machine;
        cr_assert_eq(
            rs_parse_machine(text, strlen(text), "two-boxes", &s.run.arena, &s.error, &machine),
            RS_OK);
        if (!stage_fixture_lesson(&s, "lessons/16-one-wire/en.md", &lesson)) cr_skip("no md4c");
        rv_course course = {.reading = rv_open_reading(&lesson), .plays = plays_nothing};
        course.reading.at = course.reading.most = RV_STOP_STORY;
        s.options = (rv_options){.at = 1,
                                 .course = &course,
                                 .pixel_width = (int)sizes[i][0],
                                 .pixel_height = (int)sizes[i][1]};
        stage_fixture_open(&s);
        s.stage->plain = false; /* as if the page had run it */
        rv_stage_resize(s.stage, s.stage->width, s.stage->height);
        rv_stage_draw(s.stage);
        const rv_box ring = rv_view_box(s.stage, RV_THE_RING),
                     wires = rv_view_box(s.stage, rv_view_bit("machine"));
        cr_expect(s.stage->layout.lesson.w > 0 && ring.w > 0 && wires.w > 0);
        cr_expect_gt(wires.h, 1.4 * ring.h);
        cr_expect_float_eq(wires.w, ring.w, 1);
        cr_expect(stage_fixture_shows(&s, "of 10 GB/s"));
        stage_fixture_end(&s);
    }
}
