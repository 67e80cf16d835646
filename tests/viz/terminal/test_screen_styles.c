/* test_screen_styles.c: screens with the meaning of each cell below it, at sizes from the smallest to the
 * largest, of runs and of a story; what a reader does to them is keys.
 *
 * Goldens: tests/golden/styled/NAME.txt: a line of the screen, and where a cell is not plain, a line with a
 * letter for its style below. RINGSIM_UPDATE=1 writes them anew; look at them then.
 */
#include "support/golden.h"
#include "support/story_fixture.h"
#include "support/told.h"
#include "support/view_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

typedef struct styled {
    const char *name, *algorithm; /* or, with a blank in it, a command line */
    int32_t n_ranks;
    rv_options options;
    const char *keys;
    const rs_fault *fault;
} styled;

static const rs_fault dead = {.kind = RS_KILL, .rank = 3, .step = 2};
static const rs_fault late = {.kind = RS_LATE, .rank = 2, .time_ps = 3000000000};

#define SIZE(w, h) .width = (w), .height = (h)
#define ALL .views = RV_VIEW_ALL

static const styled screens[] = {
    {"sending", "ring", 5, {.at = 1, SIZE(80, 24), .rank = 1}, ">", NULL},
    {"arriving", "ring", 5, {.at = 5, SIZE(120, 40), ALL}, ">>", NULL},
    {"end", "ring", 4, {.at = 6, SIZE(100, 30), ALL}, "", NULL},
    {"start-wide", "ring", 8, {.at = -1, SIZE(160, 50), ALL, .rank = 7}, "", NULL},
    {"asking", "ring", 5, {.at = 2, .predict = true, SIZE(80, 24)}, ".", NULL},
    {"wrong", "ring", 5, {.at = 2, .predict = true, SIZE(80, 24)}, "0.", NULL},
    {"help", "ring", 5, {.at = 2, SIZE(100, 50)}, "?", NULL},
    {"help-small", "ring", 5, {.at = 2, SIZE(60, 20)}, "?", NULL},
    {"typing", "ring", 5, {.at = 2, SIZE(80, 24)}, "g3", NULL},
    {"narrow", "ring", 12, {.at = 14, SIZE(44, 18)}, "", NULL},
    {"tiny", "ring", 5, {.at = 3, SIZE(24, 8)}, "", NULL},
    {"halving", "halving", 12, {.at = 3, SIZE(120, 32), .rank = 9}, ">>", NULL},
    {"crowd", "ring", 48, {.at = 20, SIZE(100, 36), .rank = 40}, "", NULL},
    {"large", "ring", 300, {.at = 20, SIZE(80, 24), .rank = 299}, "", NULL},
    {"dead", "ring", 5, {.at = 4, SIZE(90, 30), .rank = 1}, "", &dead},
    {"late", "ring", 5, {.at = 0, SIZE(90, 30), .rank = 3}, "", &late},
    {"ascii", "tree", 6, {.at = 1, SIZE(80, 24), .ascii = true}, ">", NULL},
    {"launch", "launch --mistake rank-twice", 0, {.at = 4, SIZE(100, 40)}, "", NULL},
    {"training", "train --gpus 2 --model mlp", 0, {.at = 2, SIZE(80, 24), .rank = 1}, "", NULL},
    {"sampler", "sampler --shuffle", 0, {.at = 1, SIZE(60, 16)}, "", NULL},
    {"bits", "bits --gpus 4 --compare algo=tree", 0, {.at = 0, SIZE(90, 26)}, ".>.0", NULL},
    {"story-help", "sampler --shuffle", 0, {.at = 1, SIZE(80, 24)}, "?", NULL},
};
enum { N_SCREENS = sizeof screens / sizeof screens[0] };

static void put(const char *text) {
    view_fixture_collect(&view_fixture_shown, text, strlen(text));
}

/* A letter a style, and none for what is plain; none at a line's end. */
static void put_styles(const rv_screen *screen, int y) {
    static const char letters[] = ".dbtclaxoARw"; /* in the order of rv_style */
    char line[RV_MAX_WIDTH + 2] = "";
    int used = 0;
    for (int x = 0; x < screen->width; x++) {
        const rv_cell *cell = rv_cell_at(screen, x, y);
        cr_assert(cell->style < RV_N_STYLES);
        line[x] = cell->style == RV_PLAIN ? ' ' : letters[cell->style];
        if (cell->style != RV_PLAIN) used = x + 1;
    }
    if (used == 0) return;
    line[used] = '\0';
    put("~ ");
    put(line);
    put("\n");
}

static void put_line(const rv_screen *screen, int y) {
    put("| ");
    for (int x = 0; x < screen->width; x++) put(rv_cell_at(screen, x, y)->text);
    while (view_fixture_shown.bytes[view_fixture_shown.used - 1] == ' ') view_fixture_shown.used--;
    put("\n");
}

static void compare(const rv_subject *subject, const styled *s) {
    rv_playback playback;
    rs_error error;
    char name[64];
    OWN_SCREEN screen = view_fixture_screen(s->options.width, s->options.height);
    cr_assert_eq(rv_playback_start(&playback, subject, &s->options, &error), RS_OK);
    for (const char *key = s->keys; *key != '\0'; key++) {
        cr_assert_eq(rv_playback_key(&playback, *key == '.' ? RV_KEY_RIGHT : *key, &error), RS_OK);
    }
    rv_compose(&playback, &screen);
    view_fixture_expect_full_width(&screen, s->name);
    view_fixture_shown.used = 0;
    for (int y = 0; y < screen.height; y++) {
        put_line(&screen, y);
        put_styles(&screen, y);
    }
    snprintf(name, sizeof name, "styled/%s", s->name);
    golden_compare(name, view_fixture_shown.bytes);
}

static void compare_run(const styled *s) {
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, s->algorithm, s->n_ranks);
    view_fixture_faults(&v, s->fault, s->fault != NULL);
    cr_assert(view_fixture_run(&v), "%s", v.error.text);
    compare(&v.subject, s);
}

static void compare_told(const styled *s) {
    OWN_ARENA arena = {0};
    rv_subject subject = told_subject(s->algorithm, &arena);
    compare(&subject, s);
    rv_subject_free(&subject);
}

Test(screen_styles, say_what_they_said) {
    for (int i = 0; i < N_SCREENS; i++) {
        if (strchr(screens[i].algorithm, ' ') == NULL) {
            compare_run(&screens[i]);
        } else {
            compare_told(&screens[i]);
        }
    }
}
