/* test_scene_sentence.c: terminal and window say the same words of the same moment: what happens there, in both
 * languages, for runs, broken runs and stories.
 */
#include "model/subject.h"
#include "stage/stage.h"
#include "support/told.h"
#include "support/view_fixture.h"
#include "terminal/compose.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <string.h>

static const char *const lines[] = {"run",
                                    "run --gpus 3 --op avg",
                                    "run --algo tree --gpus 6",
                                    "run --algo halving --gpus 8",
                                    "run --algo naive --gpus 4",
                                    "run --gpus 5 --kill 3@2",
                                    "run --gpus 4 --flip 1@2 --count 8",
                                    "launch",
                                    "mapreduce --gpus 3",
                                    "sampler --gpus 3 --dataset 14",
                                    "gil --gpus 4 --iters 0"};
enum { N_LINES = sizeof lines / sizeof lines[0], BYTES = 1 << 17 };

static rs_error error;

/* Without spaces and line breaks: each breaks its lines where it must. */
static void pack(const char *from, char *out) {
    for (; *from != '\0'; from++) {
        if (!isspace((unsigned char)*from)) *out++ = *from;
    }
    *out = '\0';
}

static bool window_says(const rv_subject *subject, int32_t step, const char *words) {
    const rv_options options = {
        .at = step, .pixel_width = 1280, .pixel_height = 720, .colour = true};
    static char packed[BYTES], label[BYTES];
    rv_stage *stage;
    bool says = false;
    cr_assert_eq(rv_stage_new(subject, &options, NULL, &error, &stage), RS_OK, "%s", error.text);
    rv_stage_draw(stage);
    pack(words, packed);
    for (int32_t i = 0; i < stage->scene.n_items && !says; i++) {
        if (stage->scene.items[i].shape != RV_LABEL) continue;
        pack(rv_label_text(&stage->scene, &stage->scene.items[i]), label);
        says = strstr(label, packed) != NULL;
    }
    rv_stage_free(stage);
    return says;
}

static bool terminal_says(const rv_subject *subject, int32_t step, const char *words) {
    const rv_options options = {.at = step};
    static char packed[BYTES], all[BYTES];
    rv_playback playback;
    cr_assert_eq(rv_playback_start(&playback, subject, &options, &error), RS_OK);
    OWN_SCREEN screen = view_fixture_screen(160, 60);
    rv_compose(&playback, &screen);
    pack(words, packed);
    pack(view_fixture_lines(&screen), all);
    return strstr(all, packed) != NULL;
}

static void try_all(void) {
    for (int i = 0; i < N_LINES; i++) {
        OWN_ARENA arena = {0};
        rv_subject subject = told_subject(lines[i], &arena);
        cr_assert_eq(rv_subject_walk(&subject, &arena, &error), RS_OK, "%s", error.text);
        for (int32_t step = -1; step <= subject.n_steps; step++) {
            rv_sentence said;
            cr_assert_eq(subject.kind->seek(&subject, step, RV_DONE, &error), RS_OK);
            subject.kind->caption(&subject, (rv_position){step, RV_DONE}, 0, &said);
            for (int part = 0; part < 2; part++) {
                const char *words = part == 0 ? said.text : said.trouble;
                cr_expect(window_says(&subject, step, words), "%s, step %d, the window lacks: %s",
                          lines[i], (int)step, words);
                cr_expect(terminal_says(&subject, step, words),
                          "%s, step %d, the terminal lacks: %s", lines[i], (int)step, words);
            }
        }
        rv_subject_free(&subject);
    }
}

Test(scene_sentence, is_the_same_in_terminal_and_window, .timeout = 900) {
    try_all();
}

Test(scene_sentence, is_the_same_in_chinese, .timeout = 900) {
    if (!view_fixture_chinese()) cr_skip("no catalogue was built");
    try_all();
}
