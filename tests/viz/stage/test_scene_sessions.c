/* test_scene_sessions.c: drawn sessions (session.h) show what they showed: runs of every algorithm, broken ones,
 * and stories, small and large, in the window and in the terminal.
 *
 * Goldens: tests/golden/sums/NAME.txt. RINGSIM_UPDATE=1 writes them anew.
 */
#include "support/golden.h"
#include "support/session.h"
#include "support/told.h"
#include "support/view_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

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

static rs_error error;

static void walk(int i, const rv_subject *subject) {
    const int32_t at = session_below(4) - 1, rank = session_below(2);
    const rv_options options = {.at = at,
                                .rank = rank,
                                .views = i % 3 == 0 ? RV_VIEW_ALL : 0,
                                .colour = true,
                                .dark = i % 2 == 1,
                                .pixel_width = 1280,
                                .pixel_height = 720};
    rv_stage *stage;
    cr_assert_eq(rv_stage_new(subject, &options, NULL, &error, &stage), RS_OK, "%s", error.text);
    session_walk(stage, sessions[i].n, "window");
    rv_stage_free(stage);
}

static const char *cells_of(const rv_screen *screen) {
    static char words[RV_MAX_WIDTH * 200 * 4];
    size_t n = 0;
    for (int y = 0; y < screen->height; y++) {
        for (int x = 0; x < screen->width; x++) {
            const rv_cell *cell = rv_cell_at(screen, x, y);
            cr_assert_lt(n + 20, sizeof words);
            n += (size_t)snprintf(words + n, 20, "%c%.10s", 'A' + (int)cell->style, cell->text);
        }
        words[n++] = '\n';
    }
    words[n] = '\0';
    return words;
}

static void walk_in_terminal(int i, int n_actions, const rv_subject *subject) {
    const rv_options options = {.at = -1, .views = i % 2 ? RV_VIEW_ALL : 0, .in_characters = true};
    rv_stage *stage;
    cr_assert_eq(rv_stage_new(subject, &options, NULL, &error, &stage), RS_OK);
    for (int n = 0; n < n_actions; n++) {
        const int32_t key = session_key();
        const int width = 20 + session_below(140), height = 6 + session_below(50);
        char what[64];
        rv_screen screen = view_fixture_screen(width, height);
        snprintf(what, sizeof what, "press %d, %d x %d", (int)key, screen.width, screen.height);
        cr_assert_eq(rv_stage_key(stage, key, &error), RS_OK, "%s", error.text);
        rv_compose_stage(stage, &screen);
        session_say("terminal", what, cells_of(&screen), "");
        rv_screen_free(&screen);
    }
    rv_stage_free(stage);
}

Test(scene_sessions, in_the_window_show_what_they_showed) {
    for (int i = 0; i < N_SESSIONS; i++) {
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        rv_subject subject = told_subject(sessions[i].line, &arena);
        session_begin((uint64_t)i + 1);
        walk(i, &subject);
        rv_subject_free(&subject);
        rs_arena_free(&arena);
    }
    golden_compare("sums/window", session_sums());
}

/* Some of them once more, in Chinese: its letters are wide, and it breaks lines anywhere. */
Test(scene_sessions, in_chinese_show_what_they_showed) {
    if (!view_fixture_chinese()) cr_skip("no catalogue was built");
    for (int i = 0; i < N_SESSIONS; i += 3) {
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        rv_subject subject = told_subject(sessions[i].line, &arena);
        session_begin((uint64_t)i + 101);
        walk(i, &subject);
        if (strncmp(sessions[i].line, "run", 3) != 0) walk_in_terminal(i, 10, &subject);
        rv_subject_free(&subject);
        rs_arena_free(&arena);
    }
    golden_compare("sums/chinese", session_sums());
}

/* The terminal is given a model: runs of the fixture, and the stories above. */
Test(scene_sessions, in_the_terminal_show_what_they_showed) {
    static const struct {
        const char *algorithm;
        int32_t n_ranks;
    } runs[] = {{"ring", 5},    {"ring", 3},     {"tree", 6},  {"naive", 4},
                {"halving", 8}, {"doubling", 6}, {"ring", 24}, {"ring", 70}};
    enum { N_RUNS = sizeof runs / sizeof runs[0] };
    static view_fixture v;
    for (int i = 0; i < N_RUNS; i++) {
        view_fixture_prepare(&v, runs[i].algorithm, runs[i].n_ranks);
        cr_assert(view_fixture_run(&v), "%s", v.error.text);
        session_begin((uint64_t)i + 1);
        walk_in_terminal(i, 30, &v.subject);
        view_fixture_free(&v);
    }
    for (int i = 0; i < N_SESSIONS; i++) {
        rs_arena arena;
        if (strncmp(sessions[i].line, "run", 3) == 0) continue;
        rs_arena_init(&arena, NULL);
        rv_subject subject = told_subject(sessions[i].line, &arena);
        session_begin((uint64_t)i + 1);
        walk_in_terminal(i, sessions[i].n, &subject);
        rv_subject_free(&subject);
        rs_arena_free(&arena);
    }
    golden_compare("sums/terminal", session_sums());
}
