/* test_scene_sessions.c: sessions that nobody would think of: keys, clicks, drags, waits and other sizes drawn from
 * a seed, of runs and of stories. After each the whole picture says what it said: its words, places, order
 * and the meaning of its colours (scene_words.h), as one number, beside the title of the window; the terminal its
 * cells and styles.
 *
 * Goldens: tests/golden/sums/NAME.txt, a line an action. RINGSIM_UPDATE=1 writes them anew.
 * RINGSIM_WORDS=DIR writes what each picture says to DIR/NAME-LINE.txt: look at the difference between two trees.
 */
#include "support/golden.h"
#include "support/scene_words.h"
#include "support/stage_fixture.h"
#include "support/told.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct session {
    const char *algorithm; /* or, with a blank in it, a command line */
    int32_t n_ranks;
    int n; /* actions */
} sessions[] = {
    {"ring", 5, 40},
    {"ring", 3, 30},
    {"tree", 6, 30},
    {"naive", 4, 30},
    {"halving", 8, 30},
    {"doubling", 6, 20},
    {"ring", 24, 20},
    {"ring", 70, 10},
    {"launch ", 0, 12},
    {"launch --mistake rank-twice", 0, 12},
    {"mapreduce --gpus 3", 0, 14},
    {"sampler --gpus 3 --dataset 14 --shuffle", 0, 14},
    {"train --gpus 4 --model assets/resnet50.lay --bandwidth 5GB/s", 0, 14},
    {"train --gpus 3 --model mlp --mode dp", 0, 14},
    {"train --gpus 2 --model linreg --batch 3,1 --mean ranks", 0, 14},
    {"gil --gpus 4", 0, 14},
};
enum { N_SESSIONS = sizeof sessions / sizeof sessions[0] };

static uint64_t state;
static char sums[1 << 16];
static size_t used;
static int line;

static int32_t below(int32_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((state >> 33) % (uint64_t)n);
}

/* One line: what was done, the number of what is seen then, and the title. */
static void say(const char *name, const char *what, const char *words, const char *title) {
    const char *folder = getenv("RINGSIM_WORDS");
    char path[300];
    used +=
        (size_t)snprintf(sums + used, sizeof sums - used, "%s: %08x%s%s\n", what,
                         (unsigned)rs_crc32(0, words, strlen(words)), title[0] ? " " : "", title);
    cr_assert_lt(used, sizeof sums);
    snprintf(path, sizeof path, "%s/%s-%d.txt", folder != NULL ? folder : "", name, ++line);
    FILE *file = folder != NULL ? fopen(path, "w") : NULL;
    if (file == NULL) return;
    fputs(words, file);
    fclose(file);
}

static void start(int i, rs_arena *arena, view_fixture *v, rv_subject *subject) {
    state = (uint64_t)i + 1;
    if (sessions[i].n_ranks == 0) {
        *subject = told_subject(sessions[i].algorithm, arena);
        return;
    }
    view_fixture_prepare(v, sessions[i].algorithm, sessions[i].n_ranks);
    cr_assert(view_fixture_run(v), "%s", v->error.text);
    *subject = v->subject;
}

static void end(int i, rs_arena *arena, view_fixture *v, rv_subject *subject) {
    if (sessions[i].n_ranks == 0) rv_subject_free(subject);
    if (sessions[i].n_ranks > 0) view_fixture_free(v);
    rs_arena_free(arena);
    rs_arena_init(arena, NULL);
}

/* Returns a key of the table, or a digit or a letter of a choice. */
static int32_t draw_key(void) {
    int n = 0;
    while (rv_key_row_at(n).action != RV_NO_ACTION) n++;
    const int i = below(n + 6);
    if (i >= n) return i < n + 3 ? '1' + i - n : 'a' + i - n - 3;
    const rv_key_row row = rv_key_row_at(i);
    const bool other = row.keys[1] != 0 && below(2) == 1;
    return row.action == RV_QUIT || row.action == RV_LANGUAGE ? RV_KEY_RIGHT : row.keys[other];
}

/* ----------------------------------------------------------------------------------- in the window */

/* Returns an item that stands for something. */
static rv_item draw_item(const rv_stage *stage) {
    for (int tries = 0; tries < 200; tries++) {
        const rv_item item = stage->scene.items[below(stage->scene.n_items)];
        if (item.target.thing > RV_AREA) return item;
    }
    return stage->scene.items[0];
}

static void point(rv_stage *stage, rv_pointer what, rv_point at) {
    rs_error error = {.text = ""};
    cr_assert_eq(rv_stage_pointer(stage, what, at.x, at.y, &error), RS_OK, "%s", error.text);
}

static void use_pointer(rv_stage *stage, int kind, char *what, size_t n_what) {
    static const char *const names[] = {"point at", "click", "drag"};
    const rv_item item = draw_item(stage);
    const rv_point at = rv_centre(item.box);
    const int across = below(21) - 10, down = below(5) - 2;
    const rv_point to = {at.x + 10 * across, at.y + 10 * down};
    snprintf(what, n_what, "%s %d %d %d", names[kind], (int)item.target.thing, (int)item.target.a,
             (int)item.target.b);
    point(stage, RV_POINT_MOVE, at);
    if (kind > 0) point(stage, RV_POINT_PRESS, at);
    if (kind == 2) point(stage, RV_POINT_MOVE, to);
    if (kind > 0) point(stage, RV_POINT_RELEASE, kind == 2 ? to : at);
}

static void act(rv_stage *stage, char *what, size_t n_what) {
    static const int sizes[][2] = {{480, 360},  {640, 900},   {800, 600},  {1000, 560},
                                   {1280, 720}, {1500, 1300}, {1920, 1080}};
    rs_error error = {.text = ""};
    const int kind = below(12), size = below(7), ms = 10 + 10 * below(40);
    rs_status status = RS_OK;
    if (kind == 0) {
        snprintf(what, n_what, "size %d %d", sizes[size][0], sizes[size][1]);
        rv_stage_resize(stage, sizes[size][0], sizes[size][1]);
    } else if (kind == 1) {
        snprintf(what, n_what, "turn the wheel");
        status = rv_stage_wheel(stage, below(2) == 0 ? 1 : -1, &error);
    } else if (kind < 6) {
        use_pointer(stage, kind < 3 ? 0 : kind == 5 ? 2 : 1, what, n_what);
    } else {
        const int32_t key = draw_key();
        snprintf(what, n_what, "press %d", (int)key);
        status = rv_stage_key(stage, key, &error);
    }
    cr_assert_eq(status, RS_OK, "%s: %s", what, error.text);
    for (int i = 0; i < ms; i += 50) rv_stage_tick(stage, 50, &error);
    rv_stage_draw(stage);
}

static void walk(int i, const rv_subject *subject) {
    const int32_t at = below(4) - 1, n_ranks = sessions[i].n_ranks;
    const rv_options options = {.at = at,
                                .rank = n_ranks > 0 ? below(n_ranks) : 0,
                                .views = i % 3 == 0 ? RV_VIEW_ALL : 0,
                                .colour = true,
                                .dark = i % 2 == 1,
                                .pixel_width = 1280,
                                .pixel_height = 720};
    rs_error error = {.text = ""};
    rv_stage *stage;
    cr_assert_eq(rv_stage_new(subject, &options, NULL, &error, &stage), RS_OK, "%s", error.text);
    rv_stage_draw(stage);
    for (int n = 0; n < sessions[i].n; n++) {
        char what[80], title[200];
        act(stage, what, sizeof what);
        rv_stage_title(stage, title, sizeof title);
        say("window", what, scene_words(&stage->scene, &stage->look), title);
    }
    rv_stage_free(stage);
}

Test(scene_sessions, in_the_window_show_what_they_showed) {
    static view_fixture v;
    rs_arena arena;
    rv_subject subject;
    rs_arena_init(&arena, NULL);
    for (int i = 0; i < N_SESSIONS; i++) {
        start(i, &arena, &v, &subject);
        walk(i, &subject);
        end(i, &arena, &v, &subject);
    }
    golden_compare("sums/window", sums);
}

/* --------------------------------------------------------------------------------- in the terminal */

static const char *cells_of(const rv_screen *screen) {
    static char words[RV_MAX_WIDTH * 200 * 4];
    size_t n = 0;
    for (int y = 0; y < screen->height; y++) {
        for (int x = 0; x < screen->width; x++) {
            const rv_cell *cell = rv_cell_at(screen, x, y);
            if (n + 20 > sizeof words) return words;
            n += (size_t)snprintf(words + n, 20, "%c%.10s", 'A' + (int)cell->style, cell->text);
        }
        words[n++] = '\n';
    }
    words[n] = '\0';
    return words;
}

Test(scene_sessions, in_the_terminal_show_what_they_showed) {
    static view_fixture v;
    rs_arena arena;
    rv_subject subject;
    rs_arena_init(&arena, NULL);
    for (int i = 0; i < N_SESSIONS; i++) {
        start(i, &arena, &v, &subject);
        const rv_options options = {.at = -1, .views = i % 2 ? RV_VIEW_ALL : 0};
        rs_error error = {.text = ""};
        rv_playback playback;
        cr_assert_eq(rv_playback_start(&playback, &subject, &options, &error), RS_OK);
        for (int n = 0; n < sessions[i].n; n++) {
            const int32_t key = draw_key();
            char what[64];
            const int width = 20 + below(140), height = 6 + below(50);
            rv_screen screen = view_fixture_screen(width, height);
            snprintf(what, sizeof what, "press %d, %d x %d", (int)key, screen.width, screen.height);
            cr_assert_eq(rv_playback_key(&playback, key, &error), RS_OK, "%s", error.text);
            rv_compose(&playback, &screen);
            say("terminal", what, cells_of(&screen), "");
            rv_screen_free(&screen);
        }
        end(i, &arena, &v, &subject);
    }
    golden_compare("sums/terminal", sums);
}
