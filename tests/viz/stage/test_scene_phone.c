/* A phone: its screen is dense, it has no keys, and a finger needs 24 pixels. */
#include <criterion/criterion.h>
#include <math.h>

#include "support/stage_fixture.h"

static stage_fixture s;

/* A stage in a page on a phone, as page.c makes it. */
static void open_phone(double width, double height, double density) {
    stage_fixture_start(&s, "ring", 5, 2);
    const double here = fmin(width * density / 1280, height * density / 720);
    s.stage->output = RV_TO_PAGE;
    s.stage->by_finger = true;
    s.stage->density = density;
    s.stage->scale = density * fmax(0.8, here / density) / fmax(0.8, here);
    rv_stage_resize(s.stage, width * density, height * density);
    rv_stage_draw(s.stage);
}

Test(scene_phone, lines_of_the_sheet_are_as_high_as_a_finger_and_none_is_a_keys) {
    static const double sizes[][3] = {{390, 844, 3}, {360, 640, 3}, {844, 390, 3}, {768, 1024, 2}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        open_phone(sizes[i][0], sizes[i][1], sizes[i][2]);
        stage_fixture_click(&s, RV_BUTTON, RV_HELP, 0);
        int n = 0;
        for (const rv_item *item = NULL;
             (item = view_fixture_next(&s.stage->scene, item)) != NULL;) {
            if (item->layer != RV_OVER || item->target.thing != RV_BUTTON) continue;
            n++;
            cr_expect_geq(item->box.h, 24 * sizes[i][2] - 0.01, "%g x %g: %g", sizes[i][0],
                          sizes[i][1], item->box.h / sizes[i][2]);
        }
        cr_expect_geq(n, 10, "%d lines", n);
        cr_expect(stage_fixture_shows(&s, "Swipe to a side"));
        cr_expect_not(stage_fixture_shows(&s, "Shift+"));
        stage_fixture_click(&s, RV_BUTTON, RV_RACE, 0);
        cr_expect_not_null(s.stage->other, "a tap on a line does what it says");
        stage_fixture_end(&s);
    }
}

Test(scene_phone, a_house_leads_home) {
    open_phone(390, 844, 3);
    const rv_box house = stage_fixture_box(&s, RV_BUTTON, RV_QUIT, 0);
    cr_expect_lt(house.x, 30);
    cr_expect_geq(house.h, 24 * 3);
    stage_fixture_click(&s, RV_BUTTON, RV_QUIT, 0);
    cr_expect(s.stage->playback.quit);
}
