/* The screen: the grid of cells, the picture at every size, the story, where time goes.
 *
 * Goldens: tests/golden/screen/NAME.txt. RINGSIM_UPDATE=1 writes them anew; look at them then.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "support/golden.h"
#include "support/view_fixture.h"
#include "terminal/compose.h"

/* ---------------------------------------------------------------------------------- the grid */

Test(screen, clips_text_and_never_shows_half_a_wide_character) {
    OWN_SCREEN screen = view_fixture_screen(5, 2);
    cr_expect_eq(rv_put(&screen, 0, 0, 99, RV_PLAIN, "ab中文字"), 4);
    cr_expect_str_eq(view_fixture_lines(&screen), "ab中\n\n");
    rv_put(&screen, 3, 0, 1, RV_PLAIN, "x"); /* the right half of the wide one */
    cr_expect_str_eq(view_fixture_lines(&screen), "ab x\n\n");
    rv_put(&screen, 0, 1, 99, RV_PLAIN, "中中");
    rv_put(&screen, 2, 1, 1, RV_PLAIN, "y"); /* its left half */
    cr_expect_str_eq(view_fixture_lines(&screen), "ab x\n中y\n");
    rv_put(&screen, 0, 7, 99, RV_PLAIN, "outside");
    cr_expect_eq(rv_put(&screen, 9, 0, 99, RV_PLAIN, "outside"), 9);
}

Test(screen, joins_combining_characters_and_survives_bad_bytes) {
    OWN_SCREEN screen = view_fixture_screen(6, 1);
    rv_put(&screen, 0, 0, 99, RV_PLAIN, "e\xcc\x81z\xff\x1b[");
    cr_expect_str_eq(view_fixture_lines(&screen), "e\xcc\x81z??[\n");
}

Test(screen, measures_and_wraps_both_languages) {
    size_t next;
    cr_expect_eq(rv_text_width("GPU 3 把块"), 10);
    cr_expect_eq(rv_wrap("one two three", 8, &next), 7);
    cr_expect_eq(next, 8);
    cr_expect_eq(rv_wrap("unbreakable", 4, &next), 4);
    cr_expect_eq(next, 4);
    cr_expect_eq(rv_wrap("环形全归约", 5, &next), 6, "two characters of three bytes");
    cr_expect_eq(rv_wrap("环形，归约", 5, &next), 3, "no line begins with a comma");
    cr_expect_eq(rv_text_width("\x11GPU\x10 3"), 5, "a byte of style takes no room");
    cr_expect_eq(rv_wrap("环\x11，归约", 4, &next), 3 + 1 + 3, "nor does a line end at it");
    cr_expect_eq(rv_wrap("\x11unbreakable", 4, &next), 5);
    cr_expect_eq(rv_wrap("short", 80, &next), 5);
    cr_expect_eq(next, 5);
}

Test(screen, words_are_cut_at_no_number_and_not_at_all_in_plain_text) {
    static const char words[] = "adding 1.25 us + waiting 60 us";
    for (int width = 12; width <= 29; width++) {
        OWN_SCREEN screen = view_fixture_screen(width, 1), whole;
        rv_put_words(&screen, 0, 0, width, RV_PLAIN, words);
        const char *got = view_fixture_lines(&screen), *dots = strstr(got, "...");
        cr_assert(dots != NULL);
        cr_expect(strchr("1234567890", dots[-1]) == NULL, "%s", got);
        rv_text_screen_new(width, 1, &whole);
        rv_put_words(&whole, 0, 0, width, RV_PLAIN, words);
        got = view_fixture_lines(&whole);
        cr_expect(strncmp(got, words, strlen(words)) == 0 && strlen(got) == strlen(words) + 1, "%s",
                  got);
        rv_screen_free(&whole);
    }
}

/* ------------------------------------------------------------------------------- the pictures */

static void compare_golden(const char *name, const char *got) {
    char path[200];
    snprintf(path, sizeof path, "screen/%s", name);
    golden_compare(path, got);
}

static void snapshot(view_fixture *v, const char *name, int32_t step, int32_t rank, bool ascii) {
    rv_playback playback;
    OWN_SCREEN screen = view_fixture_screen(80, 24);
    const rv_options options = {.at = step, .rank = rank, .ascii = ascii};
    cr_assert_eq(rv_playback_start(&playback, &v->subject, &options, &v->error), RS_OK);
    rv_compose(&playback, &screen);
    view_fixture_expect_full_width(&screen, name);
    compare_golden(name, view_fixture_lines(&screen));
}

static void snapshots(const char *algorithm, int32_t n, const int32_t steps[], int n_steps) {
    OWN_VIEW v = {0};
    view_fixture_start(&v, algorithm, n);
    for (int i = 0; i < n_steps; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s-%d-step-%d", algorithm, (int)n, (int)steps[i]);
        snapshot(&v, name, steps[i], n / 2, false);
    }
}

Test(screen, two_gpus_at_80x24) {
    snapshots("ring", 2, (const int32_t[]){-1, 0, 1, 2}, 4);
}

Test(screen, five_gpus_at_80x24) {
    snapshots("ring", 5, (const int32_t[]){-1, 0, 1, 3, 4, 7, 8}, 7);
}

Test(screen, nine_gpus_at_80x24) {
    snapshots("ring", 9, (const int32_t[]){-1, 3, 12, 16}, 4);
}

Test(screen, sixteen_gpus_at_80x24) {
    snapshots("ring", 16, (const int32_t[]){-1, 3, 17, 30}, 4);
}

Test(screen, sixty_four_gpus_at_80x24) {
    snapshots("ring", 64, (const int32_t[]){-1, 20, 100, 126}, 4);
}

Test(screen, other_algorithms_at_80x24) {
    snapshots("naive", 5, (const int32_t[]){-1, 2, 6}, 3);
    snapshots("tree", 6, (const int32_t[]){1, 4}, 2);
    snapshots("doubling", 8, (const int32_t[]){1}, 1);
    snapshots("halving", 12, (const int32_t[]){2, 5}, 2);
}

/* Two rings of 8 GPUs have 16 chunks: with room for one digit of a value, the head names each all the same. */
Test(screen, numbers_of_chunks_are_whole_however_narrow_their_columns) {
    OWN_VIEW v = {0};
    rv_playback playback;
    OWN_SCREEN screen = view_fixture_screen(80, 24);
    const rv_options options = {.at = 2};
    view_fixture_start(&v, "bidirectional", 8);
    cr_assert_eq(rv_playback_start(&playback, &v.subject, &options, &v.error), RS_OK);
    rv_compose(&playback, &screen);
    const char *lines = view_fixture_lines(&screen);
    cr_expect(strstr(lines, "8  9  10 11 12 13 14 15") != NULL, "%s", lines);
}

Test(screen, five_gpus_in_chinese_and_in_ascii) {
    OWN_VIEW v = {0};
    view_fixture_start(&v, "ring", 5);
    snapshot(&v, "ascii-5-step-1", 1, 2, true);
    if (!view_fixture_chinese())
        cr_skip_test("no Chinese catalogue was built (gettext is missing)");
    snapshot(&v, "chinese-5-step--1", -1, 2, false);
    snapshot(&v, "chinese-5-step-1", 1, 2, false);
    snapshot(&v, "chinese-5-step-8", 8, 2, false);
    rv_set_language("en", NULL);
}

Test(screen, the_first_screen_shows_the_point_of_the_ring) {
    OWN_VIEW v = {0};
    view_fixture_start(&v, "ring", 5);
    cr_expect_eq(v.model->own.time_ps, 8040000000);
    cr_expect_eq(v.model->own.split.latency_ps, 40000000);
    cr_expect_eq(v.model->own.split.wire_ps, 8000000000);
    cr_expect_str_eq(v.model->rival.name, "naive");
    cr_expect_eq(v.model->rival.time_ps, 40040000000);
    cr_expect_gt(v.model->rival.time_ps, 4 * v.model->own.time_ps);
    cr_expect_eq(v.model->bound_bytes, 160000000);
    cr_expect_eq(v.model->own.most_bytes, 160000000);
}

/* Every size from nothing to large, every kind of run: it must draw, and draw full lines. */
Test(screen, draws_at_every_size_without_a_fault) {
    const char *const algorithms[] = {"ring", "naive", "halving", "doubling"};
    const int ranks[] = {1, 2, 5, 12, 64, 200};
    for (int a = 0; a < 4; a++) {
        for (int i = 0; i < 6; i++) {
            OWN_VIEW v = {0};
            view_fixture_start(&v, algorithms[a], ranks[i]);
            for (int width = 1; width <= 161; width += 10) {
                for (int height = 1; height <= 51; height += height < 25 ? 4 : 13) {
                    rv_playback playback;
                    const rv_options options = {.at = v.model->n_steps / 3,
                                                .rank = ranks[i] - 1,
                                                .predict = width % 3 == 0};
                    cr_assert_eq(rv_playback_start(&playback, &v.subject, &options, &v.error),
                                 RS_OK);
                    OWN_SCREEN screen = view_fixture_screen(width, height);
                    rv_compose(&playback, &screen);
                    playback.behind = playback.mode;
                    playback.mode = RV_READING_HELP;
                    rv_compose(&playback, &screen);
                    view_fixture_expect_full_width(&screen, algorithms[a]);
                }
            }
        }
    }
}

Test(screen, a_run_without_values_or_trace_is_drawn_too) {
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 4000);
    v.request.values = RS_VALUES_NONE;
    v.request.trace_limit = 0;
    v.request.check = RS_NEVER;
    cr_assert(view_fixture_run(&v), "%s", v.error.text);
    rv_playback playback;
    const rv_options options = {.at = 100, .rank = 3999};
    cr_assert_eq(rv_playback_start(&playback, &v.subject, &options, &v.error), RS_OK);
    OWN_SCREEN screen = view_fixture_screen(80, 24);
    rv_compose(&playback, &screen);
    cr_expect(strstr(view_fixture_lines(&screen), "3999") != NULL);
    cr_expect(strstr(view_fixture_shown.bytes, "c3899 → 0 +") != NULL, "%s",
              view_fixture_shown.bytes);
}

Test(screen, a_picture_is_whole_svg_with_escaped_signs) {
    OWN_VIEW v = {0};
    view_fixture_start(&v, "ring", 5);
    const rv_options options = {.at = 1, .colour = true};
    view_fixture_shown.used = 0;
    cr_assert_eq(
        rv_write_svg(&v.subject, &options, view_fixture_collect, &view_fixture_shown, &v.error),
        RS_OK);
    cr_expect(strncmp(view_fixture_shown.bytes, "<svg ", 5) == 0);
    cr_expect(strstr(view_fixture_shown.bytes, "</svg>\n") ==
              view_fixture_shown.bytes + view_fixture_shown.used - 7);
    cr_expect(strstr(view_fixture_shown.bytes, ">44004+</text>") != NULL);
    cr_expect(strstr(view_fixture_shown.bytes, ">&gt;</text>") != NULL);
}

/* ----------------------------------------------------------------------------------- the story */

Test(story, tells_every_step_and_shows_its_table) {
    OWN_VIEW v = {0};
    view_fixture_start(&v, "ring", 5);
    const rv_options options = {.at = -1};
    view_fixture_shown.used = 0;
    cr_assert_eq(
        rv_write_text(&v.subject, &options, view_fixture_collect, &view_fixture_shown, &v.error),
        RS_OK);
    compare_golden("story-5", view_fixture_shown.bytes);
    for (int step = 0; step < 8; step++) {
        char heading[32];
        snprintf(heading, sizeof heading, "\nStep %d of 0..7\n", step);
        cr_expect(strstr(view_fixture_shown.bytes, heading) != NULL, "%s", heading);
    }
    cr_expect(strchr(view_fixture_shown.bytes, '\033') == NULL, "no escape sequences");
}

/* A run that stalls, of another algorithm and with all views; and a picture of the screen. */
Test(story, of_a_stalled_run_says_what_it_said) {
    const rs_fault dead = {.kind = RS_KILL, .rank = 3, .step = 2};
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "doubling", 6);
    view_fixture_faults(&v, &dead, 1);
    cr_assert(view_fixture_run(&v));
    const rv_options options = {.at = -1, .rank = 2, .width = 110, .views = RV_VIEW_ALL};
    view_fixture_shown.used = 0;
    cr_assert_eq(
        rv_write_text(&v.subject, &options, view_fixture_collect, &view_fixture_shown, &v.error),
        RS_OK);
    compare_golden("story-stalled", view_fixture_shown.bytes);
    const rv_options small = {.at = 1, .width = 30, .height = 12, .colour = true};
    view_fixture_shown.used = 0;
    cr_assert_eq(
        rv_write_svg(&v.subject, &small, view_fixture_collect, &view_fixture_shown, &v.error),
        RS_OK);
    compare_golden("picture-svg", view_fixture_shown.bytes);
}
