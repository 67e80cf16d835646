/* The stage by keys and pointer: whole sessions, asserted on the state and on the scene as data. */
#include <criterion/criterion.h>
#include <string.h>

#include "stage.h"
#include "viewed.h"

static rv_stage *stage_of(viewed *v, const rv_options *options) {
    rv_stage *stage;
    cr_assert(viewed_run(v), "%s", v->error.text);
    cr_assert_eq(rv_stage_new(&v->report, options, NULL, &v->error, &stage), RS_OK, "%s",
                 v->error.text);
    return stage;
}

static const char *title_of(const rv_stage *stage) {
    static char title[256];
    rv_stage_title(stage, title, sizeof title);
    return title;
}

static void press(rv_stage *stage, int32_t key) {
    rs_error error;
    cr_assert_eq(rv_stage_key(stage, key, &error), RS_OK);
}

static void expect_title(const rv_stage *stage, const char *wanted) {
    cr_expect_str_eq(title_of(stage), wanted);
}

Test(scene_stage, the_title_tells_the_whole_state) {
    viewed v;
    viewed_prepare(&v, "ring", 5);
    const rv_options options = {.at = -1, .reduced_motion = true};
    rv_stage *stage = stage_of(&v, &options);
    expect_title(stage, "ring, 5 GPUs - start, GPU 0");
    press(stage, RV_KEY_RIGHT);
    expect_title(stage, "ring, 5 GPUs - step 0 of 0..7, done, GPU 0");
    press(stage, RV_KEY_SHIFT_RIGHT);
    press(stage, RV_KEY_DOWN);
    expect_title(stage, "ring, 5 GPUs - step 1 of 0..7, send, GPU 1");
    press(stage, 'g');
    press(stage, '6');
    expect_title(stage, "ring, 5 GPUs - step 1 of 0..7, send, GPU 1 - typing 6");
    press(stage, RV_KEY_ENTER);
    press(stage, '?');
    expect_title(stage, "ring, 5 GPUs - step 6 of 0..7, done, GPU 1 - help");
    press(stage, RV_KEY_ESCAPE);
    press(stage, 'p');
    press(stage, RV_KEY_RIGHT);
    expect_title(stage, "ring, 5 GPUs - step 7 of 0..7, send, GPU 1 - asking");
    press(stage, 'a' + stage->walk.question.answer);
    expect_title(stage, "ring, 5 GPUs - step 7 of 0..7, done, GPU 1 - 1 of 1 right");
    press(stage, RV_KEY_END);
    expect_title(stage, "ring, 5 GPUs - end, GPU 1 - 1 of 1 right");
    rv_stage_free(stage);
    viewed_free(&v);
}
