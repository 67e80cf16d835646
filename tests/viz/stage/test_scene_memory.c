/* test_scene_memory.c: memory that ends between two calls of a session: keys, time that passes, a click. The call that
 * needs it says so, by its status or by the stage's message; every other call shows what it shows with memory.
 */
#include "support/scene_words.h"
#include "support/told.h"
#include "stage/stage.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CALLS = 200 };

static bool closed;

static void *allocate(void *context, size_t n_bytes) {
    (void)context;
    return closed ? NULL : malloc(n_bytes);
}
static void release(void *context, void *block, size_t n_bytes) {
    (void)context, (void)n_bytes;
    free(block);
}
static const rs_host host = {.allocate = allocate, .release = release};

/* From now on there is none; also what the arenas of the stage's runs have left is taken. */
static void close_all(const rv_stage *stage) {
    const rv_what_if *const runs[] = {stage->what_if, stage->other};
    closed = true;
    for (int i = 0; i < 2; i++) {
        while (runs[i] != NULL && rs_alloc(runs[i]->arena, 1, 1) != NULL) continue;
    }
}

/* Does one letter of a session: `-` lets time pass, digits click the play head's line at tenths. */
static rs_status call(rv_stage *stage, char what, rs_error *error) {
    if (what == '_') return rv_stage_tick(stage, 150, error);
    if (what >= '1' && what <= '9') {
        rv_box line = {0};
        rv_stage_draw(stage);
        for (int32_t i = 0; i < stage->scene.n_items; i++) {
            const rv_item *item = &stage->scene.items[i];
            if (item->target.thing == RV_TIMELINE) line = item->box;
        }
        const double x = line.x + line.w * (what - '0') / 10, y = line.y + line.h / 2;
        rs_status status = rv_stage_pointer(stage, RV_POINT_MOVE, x, y, error);
        if (status == RS_OK) status = rv_stage_pointer(stage, RV_POINT_PRESS, x, y, error);
        if (status == RS_OK) status = rv_stage_pointer(stage, RV_POINT_RELEASE, x, y, error);
        return status;
    }
    if (what == 'W') return rv_stage_wheel(stage, -1, error);
    const int32_t key = what == '.'   ? RV_KEY_RIGHT
                        : what == ',' ? RV_KEY_LEFT
                        : what == 'E' ? RV_KEY_END
                        : what == 'H' ? RV_KEY_HOME
                        : what == '/' ? RV_KEY_SHIFT_RIGHT
                        : what == 'P' ? RV_KEY_PAGE_DOWN
                                      : what;
    return rv_stage_key(stage, key, error);
}

static unsigned sum_of(rv_stage *stage) {
    rv_stage_draw(stage);
    const char *words = scene_words(&stage->scene, &stage->look);
    return rs_crc32(0, words, strlen(words));
}

/* Walks; memory ends for call `at` (-1: for none). Compares with `sums`, or fills them in; returns whether
   something was said. */
static bool walk(const rv_subject *subject, const char *calls, int at, unsigned sums[]) {
    const rv_options options = {.at = -1, .pixel_width = 900, .pixel_height = 600, .colour = true};
    rs_error error = {.text = ""};
    rv_stage *stage;
    bool said = false;
    cr_assert_eq(rv_stage_new(subject, &options, &host, &error, &stage), RS_OK, "%s", error.text);
    rv_stage_draw(stage);
    for (int i = 0; calls[i] != '\0' && !said; i++) {
        cr_assert_lt(i, MOST_CALLS);
        if (i == at) close_all(stage);
        const rs_status status = call(stage, calls[i], &error);
        closed = false;
        said = status != RS_OK || strstr(stage->playback.message, "memory") != NULL;
        cr_expect(status == RS_OK || (i == at && status == RS_NO_MEMORY && error.text[0] != '\0'),
                  "%s, %d: %d", calls, i, (int)status);
        if (said || i < at) continue;
        const unsigned sum = sum_of(stage);
        if (at < 0) sums[i] = sum;
        cr_expect_eq(sum, sums[i],
                     "%s: no memory for call %d, and no word; call %d shows another picture", calls,
                     at, i);
    }
    rv_stage_free(stage);
    return said;
}

static void try_session(const char *line, const char *calls, int least) {
    unsigned sums[MOST_CALLS];
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rv_subject subject = told_subject(line, &arena);
    int n_said = 0;
    cr_expect_not(walk(&subject, calls, -1, sums));
    for (int at = 0; calls[at] != '\0'; at++) n_said += walk(&subject, calls, at, sums);
    cr_expect_geq(n_said, least, "%s, %s: %d calls said so", line, calls, n_said);
    rv_subject_free(&subject);
    rs_arena_free(&arena);
}

Test(scene_memory, that_ends_between_two_calls_is_said_by_the_one_that_needs_it, .timeout = 900) {
    try_session("run --gpus 9", "._.__.___.__,_", 3);
    try_session("run --gpus 9", "++ _____________________", 3);
    try_session("run --gpus 9", "3_59E_H", 2);
    try_session("run --gpus 9", "W_W__W_W_", 2);
    try_session("run --gpus 9", "p.0._.0._.0.__.E", 2);
    try_session("run --gpus 9", "//__//__/,", 1);
    try_session("run --gpus 9", "P_P_E_", 2);
    try_session("run --gpus 9", "x.__._.__,_E_59", 3);
    try_session("run --gpus 9", "x+++ ______________ ", 2);
    try_session("run --gpus 9", "x//_/_,_3_W_P_", 3);
    try_session("run --gpus 9", "..__Fw_.__.__E_", 3);
    try_session("run --gpus 9", ".__w_e_k_b_", 3);
    try_session("run --gpus 9 --algo tree", "._.__.___.__,_", 1);
}
