/* test_compose_story.c: a story in characters: on screens of every size, and as plain text. */
#include "terminal/compose_frame.h"
#include "support/story_fixture.h"
#include "support/told.h"
#include "support/view_fixture.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static rs_error error;
static rv_telling telling;
static rv_subject subject;

static void stop(void) {
    rv_telling_free(&telling);
}
TestSuite(compose_story, .fini = stop);

typedef struct text {
    char bytes[1 << 16];
    size_t n;
} text;

static void take(void *context, const char *bytes, size_t n) {
    text *to = context;
    cr_assert_lt(to->n + n, sizeof to->bytes);
    memcpy(to->bytes + to->n, bytes, n);
    to->n += n;
    to->bytes[to->n] = '\0';
}

static void open_story(const rv_story *story) {
    rv_telling_free(&telling);
    rv_telling_start(&telling, story);
    subject = rv_story_subject(&telling);
}

/* The screen at a step, as text. */
static const char *shown_to(const rv_story *story, int32_t step, int32_t rank, int width,
                            int height) {
    const rv_options options = {.at = step, .rank = rank};
    rv_playback playback;
    open_story(story);
    cr_assert_eq(rv_playback_start(&playback, &subject, &options, &error), RS_OK);
    OWN_SCREEN screen = view_fixture_screen(width, height);
    rv_compose(&playback, &screen);
    const char *lines = view_fixture_lines(&screen);
    return lines;
}

static const char *shown(const rv_story *story, int32_t step, int width, int height) {
    return shown_to(story, step, 0, width, height);
}

static void expect(const char *screen, const char *words) {
    cr_expect_not_null(strstr(screen, words), "no \"%s\" in\n%s", words, screen);
}

Test(compose_story, shows_title_sentence_grids_lanes_and_plots_on_a_large_screen) {
    const char *screen = shown(story_fixture(), 2, 120, 50);
    expect(screen, "A small tale, 3 GPUs");
    expect(screen, "Count");
    expect(screen, "step 2 of 0..5");
    expect(screen, "GPU 0 counts to 2, hands it on");
    expect(screen, "Who sees which sample");
    expect(screen, "batch 3");
    expect(screen, "gradient of the first layer");
    expect(screen, "# compute");
    expect(screen, "Loss (MSE)");
    expect(screen, "Memory (GB)");
}

Test(compose_story, says_tones_by_marks_too) {
    const char *screen = shown(story_fixture(), 2, 80, 24);
    expect(screen, "12 <"); /* new */
    expect(screen, "(13)"); /* not now */
    expect(screen, "9 +");  /* added */
    expect(screen, "42 >"); /* leaves */
    expect(screen, "< new");
    expect(shown(story_fixture(), TALE_STEPS, 80, 24), "46 *");
}

Test(compose_story, has_the_sentence_and_the_first_grid_on_80x24) {
    const char *screen = shown(story_fixture(), 0, 80, 24);
    expect(screen, "GPU 0 counts to 0");
    expect(screen, "Who sees which sample");
    expect(screen, "GPU 2");
    expect(screen, "q: quit");
}

/* Every line fits, at every size: nothing is asserted about the words but that there are some. */
Test(compose_story, fits_every_screen) {
    const rv_story *stories[] = {story_fixture(), story_fixture_of(40, 300, false),
                                 story_fixture_of(5, 12, true), story_fixture_of(1, 1, false)};
    for (size_t s = 0; s < sizeof stories / sizeof stories[0]; s++) {
        for (int width = 1; width <= 200; width += width < 30 ? 7 : 41) {
            for (int height = 1; height <= 60; height += height < 26 ? 5 : 16) {
                const char *screen = shown(stories[s], 3, width, height);
                int n = 0;
                for (const char *at = screen; *at != '\0'; at += strcspn(at, "\n") + 1, n++) {
                    char line[4096];
                    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
                    cr_expect_leq(rv_text_width(line), width, "%dx%d: %s", width, height, line);
                }
                cr_expect_eq(n, height);
            }
        }
    }
}

Test(compose_story, keeps_the_followed_rank_and_what_goes_on_in_sight) {
    const rv_story *many = story_fixture_of(64, 40, false);
    expect(shown_to(many, 30, 50, 80, 24), "GPU 50");
    expect(shown_to(many, 30, 50, 80, 24), "Lines ");
    expect(shown(story_fixture_of(3, 40, false), 5, 80, 24), "batch 5");
}

Test(compose_story, marks_the_moment_on_the_lanes) {
    const char *screen = shown(story_fixture(), 2, 80, 30);
    expect(screen, "^");
    expect(screen, "3 us");
    expect(screen, ". wait");
}

Test(compose_story, keys_step_follow_and_end_but_ask_nothing) {
    rv_playback playback;
    const rv_options options = {.at = -1, .predict = true};
    open_story(story_fixture());
    cr_assert_eq(rv_playback_start(&playback, &subject, &options, &error), RS_OK);
    rv_playback_key(&playback, RV_KEY_RIGHT, &error);
    cr_expect_eq(telling.at.step, 0);
    cr_expect_eq(playback.mode, RV_LOOKING, "a story asks no questions");
    rv_playback_key(&playback, '>', &error); /* a part of a step is the step */
    cr_expect_eq(telling.at.step, 1);
    cr_expect_eq(telling.at.moment, RV_DONE);
    rv_playback_key(&playback, 'p', &error);
    cr_expect_not(playback.predict);
    rv_playback_key(&playback, RV_KEY_DOWN, &error);
    cr_expect_eq(playback.rank, 1);
    rv_playback_key(&playback, RV_KEY_END, &error);
    cr_expect_eq(telling.at.step, TALE_STEPS);
}

Test(compose_story, help_leaves_out_the_keys_that_mean_nothing) {
    rv_playback playback;
    OWN_SCREEN screen;
    static text to;
    const rv_options options = {.at = 0};
    open_story(story_fixture());
    cr_assert_eq(rv_playback_start(&playback, &subject, &options, &error), RS_OK);
    rv_playback_key(&playback, '?', &error);
    cr_assert(rv_screen_new(80, 30, &screen));
    rv_compose(&playback, &screen);
    rv_screen_text(&screen, take, &to);
    expect(to.bytes, "one step on");
    cr_expect_null(strstr(to.bytes, "predict"), "%s", to.bytes);
    cr_expect_null(strstr(to.bytes, "third of a step"), "%s", to.bytes);
}

Test(compose_story, as_text_tells_every_moment_and_at_the_end_lanes_and_plots) {
    static text to;
    const rv_options options = {.at = -1};
    open_story(story_fixture());
    cr_assert_eq(rv_write_text(&subject, &options, take, &to, &error), RS_OK);
    for (int step = 0; step < TALE_STEPS; step++) {
        char words[64];
        snprintf(words, sizeof words, "Step %d of 0..5: %s", step, step < 3 ? "Count" : "Add up");
        expect(to.bytes, words);
    }
    expect(to.bytes, "All is counted and added up.");
    expect(to.bytes, "# compute");
    expect(to.bytes, "Loss (MSE)");
    expect(to.bytes, "GPU 0 |");
}

static void fail(const rv_story *story, int32_t step, int32_t rank, rv_frame *frame) {
    (void)story, (void)step, (void)rank;
    frame->arena->lacked = true;
}

Test(compose_story, that_cannot_be_told_says_why) {
    rv_story broken = *story_fixture();
    broken.frame = fail;
    expect(shown(&broken, 2, 80, 24), "no memory");
}

/* A column that grows, and whose numbers become words. */
static void grow(const rv_story *story, int32_t step, int32_t rank, rv_frame *frame) {
    static const char *const texts[] = {"1", "22", "333", "4444", "55555", "666666", "a word"};
    rv_grid *grid = rv_frame_grid(frame, "Growing", 1, 2);
    (void)story, (void)rank;
    rv_grid_columns(grid, (const char *const[]){"one", "two"}, 2);
    rv_grid_write(grid, 0, 0, RV_TONE_NEW, -1, "%s", texts[step < 6 ? step + 1 : 6]);
    rv_grid_plain(grid, 0, 1, "%d", (int)step);
}

Test(compose_story, columns_stand_at_their_place_from_the_first_moment_on) {
    rv_story growing = *story_fixture();
    growing.frame = grow;
    growing.n_lanes = 0;
    long first = -1;
    for (int32_t step = -1; step <= growing.n_steps; step++) {
        const char *screen = shown(&growing, step, 80, 24);
        const char *title = strstr(screen, "Growing"), *two = strstr(screen, "two");
        cr_assert(title != NULL && two != NULL, "%s", screen);
        if (first < 0) first = two - title;
        cr_expect_eq(two - title, first, "step %d\n%s", (int)step, screen);
    }
}

/* Walks down and up again; counts the screens on which a text is seen. */
static int seen_while_scrolling(rv_playback *playback, const char *words, int32_t key) {
    static char last[1 << 14];
    int n = 0;
    last[0] = '\0';
    for (int i = 0; i < 50; i++) {
        static text to;
        OWN_SCREEN screen;
        to.n = 0;
        cr_assert(rv_screen_new(80, 24, &screen));
        rv_compose(playback, &screen);
        rv_screen_text(&screen, take, &to);
        playback->first = screen.first;
        playback->n_below = screen.n_below;
        if (strcmp(last, to.bytes) == 0) return n;
        snprintf(last, sizeof last, "%.9999s", to.bytes);
        n += strstr(to.bytes, words) != NULL;
        expect(to.bytes, "Lines ");
        cr_assert_eq(rv_playback_key(playback, key, &error), RS_OK);
    }
    return -1;
}

Test(compose_story, is_scrolled_where_it_is_longer_than_the_terminal) {
    rv_playback playback;
    const rv_options options = {.at = 2};
    open_story(story_fixture_of(30, 8, false));
    cr_assert_eq(rv_playback_start(&playback, &subject, &options, &error), RS_OK);
    cr_expect_gt(seen_while_scrolling(&playback, " GPU 29 ", '}'), 0);
    cr_expect_eq(playback.n_below, 0);
    cr_expect_gt(seen_while_scrolling(&playback, " GPU 0 ", '{'), 0);
    cr_expect_eq(playback.first, 0);
}

/* Twelve curves, of which several lie on each other, in 80 columns: all are named, and a sign that is not seen is said. */
Test(compose_story, no_curve_of_a_plot_hides_another_without_saying_so) {
    static const double y[] = {1, 2, 3, 4, 5, 6, 7, 8}, high[] = {8, 16, 24, 32, 40, 48, 56, 64};
    for (int n = 2; n <= RV_MOST_SERIES; n++) {
        rv_plot plot = {.n_series = n, .title = "time", .x_name = "GPUs", .at = -1};
        char names[RV_MOST_SERIES][16];
        for (int s = 0; s < n; s++) {
            snprintf(names[s], sizeof names[s], "algorithm-%d", s);
            plot.series[s] = (rv_series){.name = names[s], .n = 8, .y = s == 0 ? high : y};
        }
        OWN_SCREEN screen = view_fixture_screen(80, 16);
        rv_compose_plot(&plot, &screen, 0, 0, 80, 16);
        const char *lines = view_fixture_lines(&screen), *curves = strchr(lines, '|');
        bool all = true;
        cr_assert_not_null(curves);
        for (int s = 0; s < n; s++) {
            expect(lines, names[s]);
            const char *name = strstr(lines, names[s]);
            all = all && strchr(curves, name[-2]) != NULL;
        }
        cr_expect(all || strstr(lines, ": several") != NULL, "%d curves:\n%s", n, lines);
        cr_expect(n > 5 || strstr(lines, ": several") == NULL, "%d curves:\n%s", n, lines);
    }
}

/* Curves alone on a screen of 80 x 24 take the height that is there. */
Test(compose_story, curves_take_the_lines_that_are_left_over) {
    OWN_ARENA arena = {0};
    rv_subject compared =
        told_subject("compare --gpus 2..16 --bytes 100MB --algo ring,naive,tree,doubling", &arena);
    const rv_options options = {.at = -1};
    rv_playback playback;
    cr_assert_eq(rv_playback_start(&playback, &compared, &options, &error), RS_OK);
    OWN_SCREEN screen = view_fixture_screen(80, 24);
    rv_compose(&playback, &screen);
    int rows = 0;
    const char *lines = view_fixture_lines(&screen);
    for (const char *at = lines; (at = strstr(at, " |")) != NULL; at++) rows++;
    cr_expect_geq(rows, 13, "%s", lines);
    rv_subject_free(&compared);
}
