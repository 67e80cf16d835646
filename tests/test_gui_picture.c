/* test_gui_picture.c: what is taken away: pictures, sheets, films. */
#include "canvas.h"
#include "stage.h"
#include "viewed.h"

#include <criterion/criterion.h>

static rv_stage *stage_of(viewed *v, const rv_options *options) {
    rv_stage *stage;
    viewed_prepare(v, "ring", 5);
    cr_assert(viewed_run(v), "%s", v->error.text);
    cr_assert_eq(rv_stage_new(&v->report, options, NULL, &v->error, &stage), RS_OK, "%s",
                 v->error.text);
    return stage;
}

Test(gui_picture, a_figure_shows_the_ring_and_nothing_to_press) {
    viewed v;
    const rv_options options = {.at = 2, .progress = 0.4};
    rv_stage *stage = stage_of(&v, &options);
    stage->figure = true;
    rv_stage_resize(stage, 400, 300);
    rv_stage_draw(stage);
    int cells = 0;
    for (int32_t i = 0; i < stage->scene.n_items; i++) {
        const int32_t thing = stage->scene.items[i].target.thing;
        cr_expect_neq(thing, RV_BUTTON);
        cr_expect_neq(thing, RV_TIMELINE);
        cells += thing == RV_CELL;
    }
    cr_expect_geq(cells, 25);
    rv_stage_free(stage);
    viewed_free(&v);
}

Test(gui_picture, a_moment_inside_a_step_can_be_asked_for) {
    viewed v;
    const rv_options options = {.at = 2, .progress = 0.4};
    rv_stage *stage = stage_of(&v, &options);
    cr_expect_eq(stage->trial->model->step, 2);
    cr_expect_eq(stage->trial->model->moment, RV_SEND);
    cr_expect_float_eq(stage->progress, 0.4, 1e-12);
    rv_stage_free(stage);
    viewed_free(&v);
}
