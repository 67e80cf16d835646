/* The diagram of space and time zooms about the pointer, and stays in its box. */
#include <criterion/criterion.h>
#include <string.h>

#include "stage/panel.h"
#include "support/stage_fixture.h"

static stage_fixture s;

static void start(const char *algorithm, int32_t n) {
    view_fixture_prepare(&s.run, algorithm, n);
    s.options = (rv_options){.at = 0, .views = VIEW_DIAGRAM};
    stage_fixture_open(&s);
    rv_stage_draw(s.stage);
}

static rv_box axis_of(void) {
    const rv_scene *scene = &s.stage->scene;
    for (int32_t i = 0; i < scene->n_items; i++) {
        if (scene->items[i].target.thing == RV_TIME_AXIS) return scene->items[i].box;
    }
    cr_assert_fail("no axis");
    return (rv_box){0};
}

static void press_over(double share, int32_t key) {
    const rv_box axis = axis_of();
    cr_assert_eq(rv_stage_pointer(s.stage, RV_POINT_MOVE, axis.x + share * axis.w,
                                  axis.y + axis.h / 2, &s.error),
                 RS_OK);
    cr_assert_eq(rv_stage_key(s.stage, key, &s.error), RS_OK);
    rv_stage_draw(s.stage);
}

/* The bars of the transfers that stand for something: how many, and that they stay on the axis. */
static int count_bars(void) {
    const rv_scene *scene = &s.stage->scene;
    const rv_box axis = axis_of();
    int n = 0;
    for (const rv_item *item = NULL; (item = view_fixture_next(scene, item)) != NULL;) {
        if (item->target.thing != RV_TRANSFER || item->shape != RV_POLYGON) continue;
        cr_expect_geq(item->box.x, axis.x - 0.01);
        cr_expect_leq(item->box.x + item->box.w, axis.x + axis.w + 0.01);
        n++;
    }
    return n;
}

Test(scene_zoom, keys_zoom_about_the_pointer_and_back) {
    start("ring", 5);
    const int all = count_bars();
    for (int i = 0; i < 3; i++) press_over(0.4, '+');
    const rv_zoom zoom = s.stage->zoom;
    cr_expect_float_eq(zoom.span, 1.0 / 8, 1e-9);
    cr_expect_float_eq(zoom.from + 0.4 * zoom.span, 0.4, 1e-9, "the time under the pointer stays");
    cr_expect_lt(count_bars(), all);
    cr_expect_gt(count_bars(), 0);
    cr_expect_eq(s.stage->playback.speed, 1, "it is not played faster");
    press_over(0.4, '-');
    cr_expect_float_eq(s.stage->zoom.span, 1.0 / 4, 1e-9);
    press_over(0.4, '0');
    cr_expect_eq(s.stage->zoom.span, 0);
    cr_expect_eq(count_bars(), all);
    press_over(0.4, '-');
    cr_expect_eq(s.stage->zoom.span, 0, "all is the least");
}

Test(scene_zoom, elsewhere_the_keys_change_the_speed) {
    start("ring", 5);
    rv_stage_pointer(s.stage, RV_POINT_MOVE, 5, 5, &s.error);
    cr_assert_eq(rv_stage_key(s.stage, '+', &s.error), RS_OK);
    cr_expect_eq(s.stage->zoom.span, 0);
    cr_expect_eq(s.stage->playback.speed, 2);
}

Test(scene_zoom, many_gpus_have_bars_when_they_are_zoomed_and_the_head_is_followed) {
    start("ring", 16);
    cr_expect_eq(count_bars(), 0, "a solid block");
    for (int i = 0; i < 3; i++) press_over(0.05, '+');
    cr_expect_gt(count_bars(), 0);
    cr_assert_eq(rv_stage_show(s.stage, 20, 1, &s.error), RS_OK);
    rv_stage_draw(s.stage);
    const double at = (double)rv_main_run(s.stage).now_ps /
                      (double)s.stage->what_if->model->report->outcome.makespan_ps;
    cr_expect(s.stage->zoom.from <= at && at <= s.stage->zoom.from + s.stage->zoom.span);
}

static rv_box map_of(void) {
    const rv_scene *scene = &s.stage->scene;
    for (int32_t i = 0; i < scene->n_items; i++) {
        if (rv_same_target(scene->items[i].target, rv_target_of(RV_MAP, 0, 0)))
            return scene->items[i].box;
    }
    cr_assert_fail("no map");
    return (rv_box){0};
}

static void press_on_map(double x, double y, int32_t key) {
    const rv_box map = map_of();
    cr_assert_eq(
        rv_stage_pointer(s.stage, RV_POINT_MOVE, map.x + x * map.w, map.y + y * map.h, &s.error),
        RS_OK);
    cr_assert_eq(rv_stage_key(s.stage, key, &s.error), RS_OK);
    rv_stage_draw(s.stage);
}

static bool shows(const char *text) {
    const rv_scene *scene = &s.stage->scene;
    for (int32_t i = 0; i < scene->n_items; i++) {
        if (strcmp(rv_label_text(scene, &scene->items[i]), text) == 0) return true;
    }
    return false;
}

Test(scene_zoom, matrix_zooms_about_the_pointer_until_its_values_can_be_read) {
    view_fixture_prepare(&s.run, "ring", 64);
    s.options = (rv_options){.at = 0, .views = rv_view_bit("matrix")};
    stage_fixture_open(&s);
    rv_stage_draw(s.stage);
    const rv_target corner = rv_scene_hit(&s.stage->scene, map_of().x + map_of().w - 1,
                                          map_of().y + map_of().h - 1, 0, NULL);
    cr_expect(corner.thing == RV_CELL && corner.a == 63 && corner.b == 63);
    for (int i = 0; i < 4; i++) press_on_map(0.999, 0.999, '+');
    cr_expect(shows("GPU 63") && shows("chunk 60") && !shows("GPU 59"), "four of 64");
    const rv_target cell = rv_scene_hit(&s.stage->scene, map_of().x + map_of().w - 9,
                                        map_of().y + map_of().h - 9, 0, NULL);
    cr_expect(cell.thing == RV_CELL && cell.a == 63 && cell.b == 63, "%d, %d", cell.a, cell.b);
    cr_expect_eq(s.stage->playback.speed, 1, "it is not played faster");
    press_on_map(0.5, 0.5, '-');
    cr_expect(shows("GPU 57"));
    press_on_map(0.5, 0.5, '0');
    cr_expect_eq(s.stage->map.span, 0);
    rv_stage_pointer(s.stage, RV_POINT_MOVE, s.stage->layout.views[0].w / 2,
                     s.stage->layout.views[0].y + s.stage->layout.views[0].h / 2, &s.error);
    cr_assert_eq(rv_stage_key(s.stage, '+', &s.error), RS_OK);
    cr_expect_not_null(strstr(s.stage->playback.message, "the matrix (m) zooms"));
}
