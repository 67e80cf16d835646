/* test_scene_same.c: two ways to one place show the same picture: a button and its key, a change and the one
 * that takes it back; and what is pointed at lights up in every view, GPU 0 as any other. Pictures are
 * compared by all that they say (scene_words.h).
 */
#include "stage/panel.h"
#include "support/scene_words.h"
#include "support/stage_fixture.h"
#include "support/story_fixture.h"
#include "story/telling.h"
#include "support/rounds.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1 << 18 };

/* From where the tests set out: keys that are pressed one after the other, each until all is still; none:
   a story. */
static const struct {
    const char *name, *algorithm;
    int32_t n_ranks, at;
    const char *keys;
} places[] = {
    {"a ring with all views", "ring", 5, 2, "v.,,"},
    {"a tree", "tree", 6, 1, "v..,"},
    {"a broken ring", "ring", 4, 3, "vwe"},
    {"a race", "ring", 5, 1, "vx.."},
    {"a fork", "ring", 5, 3, "vFw"},
    {"a crowd", "ring", 20, 7, "v.."},
    {"a story", NULL, 0, 2, ".v"},
};
enum { N_PLACES = sizeof places / sizeof places[0] };

/* Of the stories that are open: the last one is closed first. */
static rv_telling tellings[2];
static int n_tellings;

static int32_t key_of(char sign) {
    return sign == '.' ? RV_KEY_RIGHT : sign;
}

/* Lets time pass until nothing moves; what plays goes on. */
static void settle(stage_fixture *s) {
    for (int i = 0; i < 100 && rv_stage_still_ms(s->stage) == 0; i++) {
        cr_assert_eq(rv_stage_tick(s->stage, 50, &s->error), RS_OK);
    }
    rv_stage_draw(s->stage);
}

static void press(stage_fixture *s, int32_t key) {
    stage_fixture_key(s, key);
    settle(s);
}

static void begin(stage_fixture *s, int place) {
    if (places[place].algorithm != NULL) {
        stage_fixture_start(s, places[place].algorithm, places[place].n_ranks, places[place].at);
    } else {
        rv_telling *telling = &tellings[n_tellings++];
        rv_telling_start(telling, story_fixture());
        const rv_subject subject = rv_story_subject(telling);
        s->options = (rv_options){.at = places[place].at};
        cr_assert_eq(rv_stage_new(&subject, &s->options, NULL, &s->error, &s->stage), RS_OK);
    }
    s->stage->n_keys = 3; /* no newcomer, who gets a hint */
    for (const char *key = places[place].keys; *key != '\0'; key++) press(s, key_of(*key));
    settle(s);
}

static void end(stage_fixture *s, int place) {
    rv_stage_free(s->stage);
    if (places[place].algorithm != NULL) view_fixture_free(&s->run);
    if (places[place].algorithm == NULL) rv_telling_free(&tellings[--n_tellings]);
}

/* All that the picture says, without what was answered to the last key. */
static char *words_of(stage_fixture *s) {
    char *words = malloc(WORDS);
    cr_assert_not_null(words);
    s->stage->playback.message[0] = '\0';
    rv_stage_draw(s->stage);
    snprintf(words, WORDS, "%s", scene_words(&s->stage->scene, &s->stage->look));
    return words;
}

static void expect_same(const char *a, const char *b, const char *place, const char *what) {
    size_t i = 0;
    while (a[i] != '\0' && a[i] == b[i]) i++;
    while (i > 0 && a[i - 1] != '\n') i--;
    cr_expect(strcmp(a, b) == 0, "%s, %s:\n %.*s\n %.*s", place, what, (int)strcspn(a + i, "\n"),
              a + i, (int)strcspn(b + i, "\n"), b + i);
}

/* ------------------------------------------------------------------------------ buttons and keys */

static bool has_button(const stage_fixture *s, rv_action action) {
    const rv_target wanted = rv_target_of(RV_BUTTON, (int32_t)action, 0);
    for (int32_t i = 0; i < s->stage->scene.n_items; i++) {
        if (rv_same_target(s->stage->scene.items[i].target, wanted)) return true;
    }
    return false;
}

static void leave(stage_fixture *s) {
    cr_assert_eq(rv_stage_pointer(s->stage, RV_POINT_LEAVE, -1, -1, &s->error), RS_OK);
    settle(s);
}

/* Presses the row's button and, from the same place, its key; false: there is no such button. */
static bool try_row(int place, const rv_key_row *row, bool in_help) {
    static stage_fixture clicked, typed;
    begin(&clicked, place);
    if (in_help) press(&clicked, '?');
    const bool there = has_button(&clicked, row->action);
    if (there) {
        begin(&typed, place);
        press(&typed, row->keys[0]);
        stage_fixture_click(&clicked, RV_BUTTON, (int32_t)row->action, 0);
        leave(&clicked);
        char *a = words_of(&clicked), *b = words_of(&typed);
        expect_same(a, b, places[place].name, row->help);
        cr_expect_eq(clicked.stage->playback.quit, typed.stage->playback.quit, "%s", row->help);
        free(a);
        free(b);
        end(&typed, place);
    }
    end(&clicked, place);
    return there;
}

Test(scene_same, a_button_does_what_its_key_does, .timeout = 900) {
    for (int place = 0; place < N_PLACES; place += ROUNDS(1, 5)) {
        int n = 0;
        rv_key_row row;
        for (int i = 0; (row = rv_key_row_at(i)).action != RV_NO_ACTION; i++) {
            if (!row.lesson_only) n += try_row(place, &row, false);
        }
        cr_expect_gt(n, 8, "%s: %d buttons", places[place].name, n);
    }
}

/* A line of the help closes it and does what it says; those that end the run or ask are as good. */
Test(scene_same, a_line_of_the_help_does_what_its_key_does, .timeout = 900) {
    for (int place = 0; place < N_PLACES; place += 6) {
        int n = 0;
        rv_key_row row;
        for (int i = 0; (row = rv_key_row_at(i)).action != RV_NO_ACTION; i++) {
            if (!row.lesson_only && row.action != RV_HELP && row.action != RV_CLOSE) {
                n += try_row(place, &row, true);
            }
        }
        cr_expect_gt(n, 15, "%s: %d lines", places[place].name, n);
    }
}

/* --------------------------------------------------------------------------------- there and back */

/* Where the way leads elsewhere: what is mended is not broken again in the same way, and a fork stands
   within a step of the run that was changed. */
static bool is_elsewhere(int place, int32_t key) {
    const bool broken = strchr(places[place].keys, 'w') != NULL;
    return broken && (key == 'w' || key == 'e' || key == RV_KEY_RIGHT);
}

Test(scene_same, what_takes_back_a_change_leads_back_to_the_picture, .timeout = 900) {
    static const struct {
        const char *name;
        int32_t there, back;
    } ways[] = {{"a step", RV_KEY_RIGHT, RV_KEY_LEFT},
                {"a GPU", RV_KEY_DOWN, RV_KEY_UP},
                {"a GPU by Tab", RV_KEY_TAB, RV_KEY_SHIFT_TAB},
                {"faster", '+', '-'},
                {"the theme", 't', 't'},
                {"predict", 'p', 'p'},
                {"the help", '?', RV_KEY_ESCAPE},
                {"a number", 'g', RV_KEY_ESCAPE},
                {"a slow link", 'w', 'w'},
                {"a late GPU", 'e', 'e'},
                {"a burdened GPU", 'b', 'b'},
                {"a dead GPU", 'k', 'k'},
                {"a slider", 'n', 'n'},
                {"the matrix", 'm', 'm'},
                {"the costs", 'c', 'c'},
                {"all views", 'v', 'v'}};
    static stage_fixture s;
    for (int place = 0; place < N_PLACES; place++) {
        const bool run = places[place].algorithm != NULL;
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
            if (!run && ways[w].there == 'v') continue; /* one part after the other */
            if (is_elsewhere(place, ways[w].there)) continue;
            begin(&s, place);
            char *before = words_of(&s);
            press(&s, ways[w].there);
            char *between = words_of(&s);
            press(&s, ways[w].back);
            char *after = words_of(&s);
            expect_same(before, after, places[place].name, ways[w].name);
            if (run && place != 3 && place != 4 && ways[w].there < 128 &&
                strchr("wbkn", ways[w].there) == NULL) {
                cr_expect(strcmp(before, between) != 0, "%s: %s is not seen", places[place].name,
                          ways[w].name);
            }
            free(before);
            free(between);
            free(after);
            end(&s, place);
        }
    }
}

/* -------------------------------------------------------------------------------------- pointing */

/* What a view says, as a sum: the items whose middle lies in its box. */
static uint64_t sum_of(const stage_fixture *s, rv_box view) {
    const rv_scene *scene = &s->stage->scene;
    uint64_t sum = 1;
    for (const rv_item *item = NULL; (item = view_fixture_next(scene, item)) != NULL;) {
        const rv_point c = rv_centre(item->box);
        if (item->layer == RV_OVER || !rv_inside(view, c.x, c.y)) continue;
        sum = sum * 1000003 + item->fill;
        sum = sum * 1000003 + item->stroke;
        sum = sum * 1000003 + (uint64_t)(1000 * item->line) + item->bold;
        for (const char *t = rv_label_text(scene, item); *t != '\0'; t++) {
            sum = sum * 31 + (unsigned char)*t;
        }
    }
    return sum;
}

static void try_pointing(const char *algorithm, int32_t n, int32_t at) {
    static const unsigned linked[] = {VIEW_RING, VIEW_MATRIX, VIEW_DIAGRAM, VIEW_COST, VIEW_RULE};
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, algorithm, n, at);
    press(&s, 'v');
    rv_stage_resize(s.stage, 1800, 1500); /* so that the costs have room for their columns */
    uint64_t plain[5], seen[5][16];
    for (int32_t r = 0; r < n; r++) {
        s.stage->playback.rank = (r + 1) % n;
        for (int on = 0; on < 2; on++) {
            s.stage->hover = on ? rv_target_of(RV_GPU, r, 0) : (rv_target){0};
            s.stage->pointer_x = s.stage->pointer_y = -1;
            rv_stage_draw(s.stage);
            for (int v = 0; v < 5; v++) {
                *(on ? &seen[v][r] : &plain[v]) = sum_of(&s, rv_view_box(s.stage, linked[v]));
            }
        }
        for (int v = 0; v < 5; v++) {
            cr_expect(seen[v][r] != plain[v], "%s, N = %d: view %u does not light up GPU %d",
                      algorithm, (int)n, linked[v], (int)r);
            for (int32_t q = 0; q < r; q++) {
                cr_expect(seen[v][r] != seen[v][q], "%s: view %u: GPU %d as GPU %d", algorithm,
                          linked[v], (int)r, (int)q);
            }
        }
    }
}

Test(scene_same, every_view_lights_up_every_gpu_that_is_pointed_at, .timeout = 900) {
    for (int32_t at = 0; at < 8; at += 3) {
        try_pointing("ring", 5, at);
        try_pointing("halving", 8, at < 5 ? at : 5);
        try_pointing("ring", 16, at);
    }
}
