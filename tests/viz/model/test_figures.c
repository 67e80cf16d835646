/* test_figures.c: which moments a sheet shows, and what it says of them. */
#include "model/figures.h"
#include "model/tempo.h"
#include "support/view_fixture.h"

#include <criterion/criterion.h>
#include <string.h>

enum { ROOM = 64 };

static int32_t figures_of(view_fixture *v, const char *algorithm, int32_t n_ranks,
                          rv_figure out[]) {
    view_fixture_prepare(v, algorithm, n_ranks);
    cr_assert(view_fixture_run(v), "%s", v->error.text);
    return rv_list_figures(&v->subject, out, ROOM);
}

static const char *text_of(view_fixture *v, const rv_figure *figure) {
    static char text[512];
    cr_assert_eq(rv_model_seek(v->model, figure->step, rv_moment_of(figure->progress), &v->error),
                 RS_OK);
    rv_figure_text(&v->subject, figure, 0, text, sizeof text);
    return text;
}

Test(figures, a_ring_of_five_makes_eleven) {
    static const struct {
        int32_t step;
        const char *begins;
    } wanted[] = {{-1, "Each of 5 GPUs holds an array"},
                  {0, "Scatter-reduce, iteration 1 of 4: GPU 0 sends chunk 0 to GPU 1"},
                  {1, "Scatter-reduce, iteration 2 of 4: GPU 0 sends chunk 4 to GPU 1"},
                  {2, "Scatter-reduce, iteration 3 of 4: GPU 0 sends chunk 3 to GPU 1"},
                  {3, "Scatter-reduce, iteration 4 of 4: GPU 0 sends chunk 2 to GPU 1"},
                  {3, "Every GPU owns one finished chunk: each has"},
                  {4, "All-gather, iteration 1 of 4: GPU 0 sends chunk 1 to GPU 1"},
                  {5, "All-gather, iteration 2 of 4: GPU 0 sends chunk 0 to GPU 1"},
                  {6, "All-gather, iteration 3 of 4: GPU 0 sends chunk 4 to GPU 1"},
                  {7, "All-gather, iteration 4 of 4: GPU 0 sends chunk 3 to GPU 1"},
                  {8, "Done: every GPU holds the same result"}};
    OWN_VIEW v = {0};
    rv_figure figures[ROOM];
    cr_assert_eq(figures_of(&v, "ring", 5, figures), 11);
    for (int i = 0; i < 11; i++) {
        cr_expect_eq(figures[i].step, wanted[i].step);
        const char *text = text_of(&v, &figures[i]);
        cr_expect_eq(strncmp(text, wanted[i].begins, strlen(wanted[i].begins)), 0, "%d: %s", i + 1,
                     text);
    }
}

Test(figures, each_phase_of_each_algorithm_has_its_end) {
    view_fixture v;
    rv_figure figures[ROOM];
    for (int a = 0; rs_algorithms[a] != NULL; a++) {
        const int32_t n = figures_of(&v, rs_algorithms[a]->name, 6, figures);
        cr_assert_eq(n, 1 + v.schedule.n_steps + v.schedule.n_phases, "%s", rs_algorithms[a]->name);
        cr_expect(figures[n - 1].ends && figures[n - 1].step == v.schedule.n_steps);
        for (int i = 1; i < n; i++) cr_expect_geq(figures[i].step, figures[i - 1].step);
        view_fixture_free(&v);
    }
}

Test(figures, a_schedule_from_a_file_ends_once_and_has_no_phases) {
    OWN_VIEW v = {0};
    rv_figure figures[ROOM];
    view_fixture_prepare_text(&v,
                              "ringsim-schedule 1\nranks 2\nchunks 1\nstep\n0 -> 1 chunk 0 reduce\n"
                              "step\n1 -> 0 chunk 0 copy\n");
    cr_assert(view_fixture_run(&v), "%s", v.error.text);
    cr_expect_eq(rv_list_figures(&v.subject, figures, ROOM), 4);
}

Test(figures, no_more_are_written_than_there_is_room_for) {
    OWN_VIEW v = {0};
    rv_figure figures[ROOM];
    figures_of(&v, "ring", 5, figures);
    rv_figure few[3] = {{.step = 77}, {.step = 77}, {.step = 77}};
    cr_expect_eq(rv_list_figures(&v.subject, few, 2), 11);
    cr_expect_eq(few[1].step, 0);
    cr_expect_eq(few[2].step, 77);
}
