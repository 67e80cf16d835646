/* test_scene_sessions.c: sessions in the window and in the terminal: of runs of every algorithm, broken ones, and stories,
 * small and large, in English and Chinese.
 *
 *   - Each key of the table, a click and a pointer on each kind of thing, wheel and sizes: what they change is golden text
 *     (differences.h), each from the same moment.
 *   - Drawn sessions (session.h): each action is served, and the same actions end in the same picture.
 *
 * Goldens: tests/golden/keys/NAME.txt. RINGSIM_UPDATE=1 writes them anew; look at them then.
 */
#include "support/differences.h"
#include "support/golden.h"
#include "support/scene_words.h"
#include "support/session.h"
#include "support/told.h"
#include "support/view_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rs_error error;
static rs_arena arena;
static rv_subject subject;

static void open_subject(const char *line) {
    rs_arena_init(&arena, NULL);
    subject = told_subject(line, &arena);
}

static void close_subject(void) {
    rv_subject_free(&subject);
    rs_arena_free(&arena);
}

static rv_stage *open_stage(const rv_options *options) {
    rv_stage *stage;
    cr_assert_eq(rv_stage_new(&subject, options, NULL, &error, &stage), RS_OK, "%s", error.text);
    return stage;
}

/* ------------------------------------------------------------------------ what each action changes */

typedef struct moment {
    const char *line;
    rv_options options;
    const char *keys; /* pressed before; NULL: none */
} moment;

#define SIZE(w, h) .pixel_width = (w), .pixel_height = (h)
#define ALL .views = RV_VIEW_ALL

static const moment in_the_window[] = {
    {"run --gpus 5 --count 20", {.at = 2, SIZE(1280, 720)}, NULL},
    {"run --algo tree --gpus 6", {.at = 1, ALL, .dark = true, SIZE(1500, 900)}, NULL},
    {"run --gpus 5 --kill 3@2", {.at = 3, .rank = 1, .predict = true, SIZE(800, 600)}, NULL},
    {"run --machine assets/machines/dgx1-v100.machine", {.at = 1, .rank = 2, SIZE(1280, 720)}, "n"},
    {"train --gpus 3 --model mlp --mode dp",
     {.at = 2, .rank = 1, .dark = true, SIZE(1000, 560)},
     NULL},
    {"compare --gpus 8 --bytes 1KiB..1GiB", {.at = 1, SIZE(1280, 720)}, NULL},
};
static const moment in_chinese[] = {
    {"run --gpus 4 --slow-link 1:4", {.at = 2, ALL, SIZE(1280, 720)}, NULL},
    {"train --gpus 4 --model assets/gpt2.lay --mode zero3", {.at = 2, SIZE(1280, 720)}, NULL},
};
static const moment in_the_terminal[] = {
    {"run --gpus 5 --count 20", {.at = 2, .in_characters = true, .width = 80, .height = 24}, NULL},
    {"run --algo halving --gpus 12 --kill 1@0",
     {.at = 1, .rank = 2, ALL, .in_characters = true, .width = 110, .height = 40},
     NULL},
    {"sampler --gpus 3 --dataset 14 --shuffle",
     {.at = 1, .in_characters = true, .width = 80, .height = 24},
     NULL},
};
enum { LITTLE = 5 }; /* rows of a screen */
#define N(list) (int)(sizeof(list) / sizeof(list)[0])

static rv_stage *open_moment(const moment *m) {
    rv_stage *stage = open_stage(&m->options);
    for (const char *key = m->keys; key != NULL && *key != '\0'; key++) {
        cr_assert_eq(rv_stage_key(stage, *key, &error), RS_OK);
    }
    if (!m->options.in_characters) rv_stage_draw(stage);
    return stage;
}

/* After half a second all stands still. */
static void close_moment(rv_stage *stage, const char *what) {
    char title[200];
    for (int i = 0; i < 10; i++) rv_stage_tick(stage, 50, &error);
    rv_stage_draw(stage);
    rv_stage_title(stage, title, sizeof title);
    differences_say("%s: %s", what, title);
    differences_add(&stage->scene, &stage->look);
    rv_stage_free(stage);
}

static void say_key(const moment *m, rv_key_row row) {
    char what[80];
    rv_stage *stage = open_moment(m);
    differences_keep(&stage->scene, &stage->look);
    cr_expect_eq(rv_stage_key(stage, row.keys[0], &error), RS_OK, "%s: %s", row.names, error.text);
    snprintf(what, sizeof what, "press %s", row.names);
    close_moment(stage, what);
}

/* Finds where the pointer feels the first thing of a kind that can be felt; false: there is none. */
static bool find_thing(const rv_stage *stage, rv_thing thing, rv_point *at) {
    const rv_scene *scene = &stage->scene;
    for (const rv_item *item = NULL; (item = view_fixture_next(scene, item)) != NULL;) {
        if (item->target.thing != (int32_t)thing) continue;
        for (int spot = 0; spot < 25; spot++) { /* from the middle on */
            const int across = (spot + 12) % 25 % 5, down = (spot + 12) % 25 / 5;
            at->x = item->box.x + item->box.w * (across + 0.5) / 5;
            at->y = item->box.y + item->box.h * (down + 0.5) / 5;
            if (rv_scene_hit(scene, at->x, at->y, 6, NULL).thing == (int32_t)thing) return true;
        }
    }
    return false;
}

/* Points at it; clicks; drags. */
static void say_pointer(const moment *m, rv_thing thing) {
    static const char *const ways[] = {"point at a", "click on a", "drag a"};
    for (int way = 0; way < 3; way++) {
        char what[80];
        rv_point at;
        rv_stage *stage = open_moment(m);
        const bool found = find_thing(stage, thing, &at);
        const bool dragged = thing == RV_TIMELINE || thing == RV_SLIDER || thing >= RV_TIME_AXIS;
        if (!found || (way == 2 && !dragged)) {
            rv_stage_free(stage);
            continue;
        }
        char target[64];
        scene_target_words(rv_scene_hit(&stage->scene, at.x, at.y, 6, NULL), target, sizeof target);
        differences_keep(&stage->scene, &stage->look);
        rv_stage_pointer(stage, RV_POINT_MOVE, at.x, at.y, &error);
        if (way > 0) rv_stage_pointer(stage, RV_POINT_PRESS, at.x, at.y, &error);
        if (way == 2) rv_stage_pointer(stage, RV_POINT_MOVE, at.x += 40, at.y, &error);
        if (way > 0) rv_stage_pointer(stage, RV_POINT_RELEASE, at.x, at.y, &error);
        snprintf(what, sizeof what, "%s%s", ways[way], target);
        close_moment(stage, what);
    }
}

static void say_size(const moment *m, int width, int height) {
    char what[80];
    rv_stage *stage = open_moment(m);
    differences_keep(&stage->scene, &stage->look);
    rv_stage_resize(stage, width, height);
    snprintf(what, sizeof what, "size %d x %d", width, height);
    close_moment(stage, what);
}

/* Keys whose work is the driver's change nothing; views have a key each. */
static bool is_told(rv_key_row row) {
    return row.action != RV_QUIT && row.action != RV_LANGUAGE && !row.lesson_only;
}

static void say_window(const moment *m) {
    rv_key_row row;
    open_subject(m->line);
    differences_say("%s, at step %d:", m->line, (int)m->options.at);
    for (int i = 0; (row = rv_key_row_at(i)).action != RV_NO_ACTION; i++) {
        if (is_told(row)) say_key(m, row);
    }
    for (int thing = RV_GPU; thing < RV_THINGS; thing++) say_pointer(m, (rv_thing)thing);
    say_size(m, 480, 360);
    say_size(m, 640, 900);
    differences_say("%s", "");
    close_subject();
}

/* What is seen of a stage in characters, as the terminal's driver shows it. The caller frees it. */
static rv_screen compose(rv_stage *stage, int width, int height) {
    rv_screen screen = view_fixture_screen(width, height);
    rv_compose_stage(stage, &screen);
    stage->playback.first = screen.first;
    stage->playback.n_below = screen.n_below;
    stage->playback.wants_row = false;
    return screen;
}

/* Once; and once more, if that was little: such keys take back what they did. */
static void say_key_twice(const moment *m, rv_key_row row) {
    const int w = m->options.width, h = m->options.height;
    OWN_STAGE *stage = open_moment(m);
    OWN_SCREEN screen = compose(stage, w, h);
    differences_keep_rows(&screen);
    for (int times = 1, n = 0; times <= 2 && n <= LITTLE; times++) {
        rv_screen_free(&screen);
        cr_expect_eq(rv_stage_key(stage, row.keys[0], &error), RS_OK, "%s", error.text);
        screen = compose(stage, w, h);
        differences_say("press %s%s", row.names, times == 1 ? "" : " again");
        n = differences_add_rows(&screen);
    }
}

static void say_terminal(const moment *m) {
    rv_key_row row;
    open_subject(m->line);
    differences_say("%s, at step %d, %d x %d:", m->line, (int)m->options.at, m->options.width,
                    m->options.height);
    for (int i = 0; (row = rv_key_row_at(i)).action != RV_NO_ACTION; i++) {
        if (is_told(row)) say_key_twice(m, row);
    }
    differences_say("%s", "");
    close_subject();
}

Test(scene_sessions, keys_and_pointer_change_in_the_window_what_they_changed) {
    differences_begin();
    for (int i = 0; i < N(in_the_window); i++) say_window(&in_the_window[i]);
    golden_compare("keys/window", differences_text());
}

Test(scene_sessions, keys_and_pointer_change_in_chinese_what_they_changed) {
    if (!view_fixture_chinese()) cr_skip("no catalogue was built");
    differences_begin();
    for (int i = 0; i < N(in_chinese); i++) say_window(&in_chinese[i]);
    golden_compare("keys/chinese", differences_text());
}

Test(scene_sessions, keys_change_in_the_terminal_what_they_changed) {
    differences_begin();
    for (int i = 0; i < N(in_the_terminal); i++) say_terminal(&in_the_terminal[i]);
    golden_compare("keys/terminal", differences_text());
}

/* ------------------------------------------------------------------------------------------- drawn */

static const struct session {
    const char *line;
    int n; /* actions */
} sessions[] = {
    {"run", 40},
    {"run --gpus 3", 30},
    {"run --gpus 2 --count 1", 12},
    {"run --algo tree --gpus 6", 30},
    {"run --algo naive --gpus 4", 30},
    {"run --algo halving --gpus 8", 30},
    {"run --algo doubling --gpus 6 --protocol eager", 20},
    {"run --gpus 24", 20},
    {"run --gpus 70", 10},
    {"run --gpus 5 --kill 3@2", 14},
    {"run --algo halving --gpus 12 --kill 1@0 --late 0:37us", 10},
    {"run --gpus 6 --slow-link 2:5 --straggler 1:9ms --reduce-rate 20GB/s", 14},
    {"run --gpus 4 --flip 1@2 --count 8 --dtype f32 --data random", 14},
    {"launch", 22},
    {"launch --mistake rank-twice", 22},
    {"launch --nodes 4 --gpus-per-node 8", 20},
    {"mapreduce --gpus 3", 24},
    {"mapreduce --gpus 9 --combine", 20},
    {"sampler --gpus 3 --dataset 14 --shuffle", 24},
    {"sampler --gpus 12 --dataset 200", 20},
    {"sampler --gpus 1 --dataset 1 --batch 1", 18},
    {"train --gpus 4 --model assets/resnet50.lay --bandwidth 5GB/s", 24},
    {"train --gpus 3 --model mlp --mode dp", 24},
    {"train --gpus 2 --model linreg --batch 3,1 --mean ranks", 24},
    {"gil --gpus 4 --iters 0", 24},
    {"gil --gpus 1 --iters 0", 18},
    {"run --collective reduce-scatter --gpus 5", 16},
    {"run --collective all-gather --gpus 4", 14},
    {"run --collective broadcast --root 2 --gpus 6 --algo tree", 14},
    {"run --collective reduce --root 1 --gpus 5 --op max", 14},
    {"run --collective all-to-all --gpus 4", 14},
    {"run --op prod --gpus 3 --count 6", 10},
    {"run --op min --gpus 4 --order nccl", 10},
    {"run --op avg --gpus 3 --dtype f32", 10},
    {"run --algo double-tree --gpus 8 --chunks 4", 12},
    {"run --algo two-level --gpus 8 --gpus-per-node 4", 12},
    {"run --algo bidirectional --gpus 6 --channels 2", 10},
    {"run --machine assets/machines/gh200x4.machine", 14},
    {"run --machine assets/machines/dgx1-v100.machine --place 3,1,0,2,7,6,5,4", 14},
    {"compare --gpus 8 --bytes 1KiB..1GiB", 12},
    {"compare --gpus 2..9 --bytes 1MB --algo tree", 12},
    {"train --gpus 3 --model assets/resnet50.lay --optimizer momentum --no-overlap", 14},
    {"train --gpus 4 --model assets/gpt2.lay --mode zero3 --optimizer adam", 14},
    {"train --gpus 4 --model assets/gpt2.lay --mode hsdp --gpus-per-node 2", 14},
    {"train --gpus 4 --model mlp --mode none --dataset 200", 12},
    {"launch --mistake stale-file --init file", 12},
    {"launch --mistake no-set-device --with spawn", 12},
    {"mapreduce --gpus 4 --combine --op list", 14},
};
enum { N_SESSIONS = sizeof sessions / sizeof sessions[0] };

/* One session in three is gone through twice: the same actions end in the same picture. All of a session is for whom it is
 * told to; half of it shows that it is served. */
static int times_of(int i) {
    return i % 3 == 0 && !session_said() ? 2 : 1;
}
static int actions_of(int i) {
    return session_said() ? sessions[i].n : (sessions[i].n + 1) / 2;
}

static void walk(int i, uint64_t seed, const char *where) {
    char name[64], *first = NULL;
    snprintf(name, sizeof name, "%s-%02d", where, i);
    open_subject(sessions[i].line);
    for (int times = 0; times < times_of(i); times++) {
        session_begin(seed);
        const int32_t at = session_below(4) - 1, rank = session_below(2);
        const rv_options options = {.at = at,
                                    .rank = rank,
                                    .views = i % 3 == 0 ? RV_VIEW_ALL : 0,
                                    .colour = true,
                                    .dark = i % 2 == 1,
                                    SIZE(1280, 720)};
        OWN_STAGE *stage = open_stage(&options);
        const char *words = session_walk(stage, actions_of(i), name);
        if (times == 0) first = strdup(words);
        cr_expect(strcmp(words, first) == 0, "%s", name);
    }
    free(first);
    close_subject();
}

static const char *cells_of(const rv_screen *screen) {
    static char words[RV_MAX_WIDTH * 200 * 4];
    size_t n = 0;
    for (int y = 0; y < screen->height; y++) {
        for (int x = 0; x < screen->width; x++) {
            const rv_cell *cell = rv_cell_at(screen, x, y);
            cr_assert_lt(n + 20, sizeof words);
            n += (size_t)snprintf(words + n, 20, "%s", cell->text);
        }
        n += (size_t)snprintf(words + n, 3, "\n~");
        for (int x = 0; x < screen->width; x++) {
            words[n++] = (char)('A' + (int)rv_cell_at(screen, x, y)->style);
        }
        words[n++] = '\n';
    }
    words[n] = '\0';
    return words;
}

static void walk_in_terminal(int i, uint64_t seed, int n_actions, const char *where) {
    char name[64], *last = NULL;
    snprintf(name, sizeof name, "%s-%02d", where, i);
    open_subject(sessions[i].line);
    for (int times = 0; times < times_of(i); times++) {
        session_begin(seed);
        const rv_options options = {
            .at = -1, .views = i % 2 ? RV_VIEW_ALL : 0, .in_characters = true};
        OWN_STAGE *stage = open_stage(&options);
        for (int n = 0; n < n_actions; n++) {
            const int32_t key = session_key();
            const int width = 20 + session_below(140), height = 6 + session_below(50);
            char what[64];
            snprintf(what, sizeof what, "press %d, %d x %d", (int)key, width, height);
            cr_assert_eq(rv_stage_key(stage, key, &error), RS_OK, "%s", error.text);
            OWN_SCREEN screen = compose(stage, width, height);
            view_fixture_expect_full_width(&screen, what);
            session_say(name, what, cells_of(&screen));
            if (n == n_actions - 1 && last != NULL)
                cr_expect(strcmp(cells_of(&screen), last) == 0, "%s", name);
            if (n == n_actions - 1 && last == NULL) last = strdup(cells_of(&screen));
        }
    }
    free(last);
    close_subject();
}

Test(scene_sessions, drawn_by_chance_end_where_they_ended_in_the_window) {
    for (int i = 0; i < N_SESSIONS; i++) walk(i, (uint64_t)i + 1, "window");
}

Test(scene_sessions, drawn_by_chance_end_where_they_ended_in_the_terminal) {
    for (int i = 0; i < N_SESSIONS; i++) {
        walk_in_terminal(i, (uint64_t)i + 1, actions_of(i), "terminal");
    }
}

/* Some of them once more, in Chinese: its letters are wide, and it breaks lines anywhere. */
Test(scene_sessions, drawn_by_chance_end_where_they_ended_in_chinese) {
    if (!view_fixture_chinese()) cr_skip("no catalogue was built");
    for (int i = 0; i < N_SESSIONS; i += 3) {
        walk(i, (uint64_t)i + 101, "window-chinese");
        walk_in_terminal(i, (uint64_t)i + 101, 10, "terminal-chinese");
    }
}
