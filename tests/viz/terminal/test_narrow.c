/* Where there is little room: what is needed is there, whole, and what is cut says so. */
#include <criterion/criterion.h>
#include <string.h>

#include "terminal/compose.h"
#include "support/view_fixture.h"

static const char *draw(rv_playback *playback, int width, int height) {
    OWN_SCREEN screen = view_fixture_screen(width, height);
    rv_compose(playback, &screen);
    view_fixture_lines(&screen);
    return view_fixture_shown.bytes;
}

/* Draws a ring of n at a step. */
static const char *ring(int32_t n, int32_t step, bool predict, int width, int height) {
    OWN_VIEW v = {0};
    rv_playback playback;
    const rv_options options = {.at = step, .predict = predict};
    view_fixture_start(&v, "ring", n);
    cr_assert_eq(rv_playback_start(&playback, &v.subject, &options, &v.error), RS_OK);
    draw(&playback, width, height);
    return view_fixture_shown.bytes;
}

Test(narrow, every_choice_of_a_question_is_in_sight) {
    cr_expect(strstr(ring(5, 0, true, 40, 12), "0, 1, 2, 3, 4\n") != NULL, "%s",
              view_fixture_shown.bytes);
    cr_expect(strstr(ring(5, 0, true, 20, 5), "0, 1, 2, 3, 4\n") != NULL, "%s",
              view_fixture_shown.bytes);
    cr_expect(strstr(ring(5, 0, true, 80, 24), "Type a number, then Enter: 0, 1, 2, 3, 4\n") !=
                  NULL,
              "%s", view_fixture_shown.bytes);
}

Test(narrow, chunk_numbers_are_whole_or_absent) {
    cr_expect(strstr(ring(17, 3, false, 80, 24), " 9 10 11 12 13 14 15 16 ") != NULL, "%s",
              view_fixture_shown.bytes);
    cr_expect(strstr(ring(11, 3, false, 40, 12), "0         10") != NULL, "%s",
              view_fixture_shown.bytes);
    cr_expect(strstr(ring(5, 3, false, 20, 5), "0  1  2  3  4\n") != NULL, "%s",
              view_fixture_shown.bytes);
}

Test(narrow, what_is_cut_ends_with_a_mark) {
    const char *line = ring(5, 1, false, 40, 12);
    for (int y = 0; y < 12; y++) { /* words in the last column, or a mark */
        const char *end = strchr(line, '\n');
        cr_assert(end != NULL);
        const bool full = rv_text_width(line) - rv_text_width(end) >= 40;
        cr_expect(!full || strncmp(end - 3, "...", 3) == 0 || strncmp(end - 4, "of 5", 4) == 0,
                  "%s", view_fixture_shown.bytes);
        line = end + 1;
    }
}

Test(narrow, the_sentence_has_lines_even_at_20x5) {
    cr_expect(strncmp(ring(5, 0, false, 20, 5), " Scatter-reduce,", 16) == 0, "%s",
              view_fixture_shown.bytes);
    cr_expect(strstr(view_fixture_shown.bytes, "\n iteration 1 of ...\n") != NULL, "%s",
              view_fixture_shown.bytes);
}

Test(narrow, the_legend_fits_the_table) {
    cr_expect(strstr(ring(5, 1, false, 80, 24), "A·C data of GPU 0, 2") != NULL);
    cr_expect(strstr(ring(5, 1, false, 72, 24), "  ·BC··") != NULL);
    cr_expect(strstr(ring(9, 1, false, 80, 24), "7..1 whose data are inside") != NULL);
    cr_expect(strstr(ring(17, 1, false, 80, 24), "12 how many GPUs are inside") != NULL);
    cr_expect(strstr(ring(64, 1, false, 80, 24), "more inside") != NULL);
}
