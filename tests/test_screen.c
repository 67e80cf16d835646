/* The screen: the grid of cells, the picture at every size, the walk by keys.
 *
 * Goldens: tests/golden/screen/NAME.txt. RINGSIM_UPDATE=1 writes them anew; look at them then.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compose.h"
#include "viewed.h"

/* ---------------------------------------------------------------------------------- the grid */

static rv_screen screen_of(int width, int height) {
    rv_screen screen;
    cr_assert(rv_screen_new(width, height, &screen));
    return screen;
}

typedef struct text {
    char bytes[1 << 20];
    size_t used;
} text;
static text story;

static void collect(void *context, const char *bytes, size_t n_bytes) {
    text *t = context;
    cr_assert(t->used + n_bytes < sizeof t->bytes);
    memcpy(t->bytes + t->used, bytes, n_bytes);
    t->used += n_bytes;
    t->bytes[t->used] = '\0';
}

static const char *lines_of(const rv_screen *screen) {
    story.used = 0;
    rv_screen_text(screen, collect, &story);
    return story.bytes;
}

Test(screen, clips_text_and_never_shows_half_a_wide_character) {
    rv_screen screen = screen_of(5, 2);
    cr_expect_eq(rv_put(&screen, 0, 0, 99, RV_PLAIN, "ab中文字"), 4);
    cr_expect_str_eq(lines_of(&screen), "ab中\n\n");
    rv_put(&screen, 3, 0, 1, RV_PLAIN, "x"); /* the right half of the wide one */
    cr_expect_str_eq(lines_of(&screen), "ab x\n\n");
    rv_put(&screen, 0, 1, 99, RV_PLAIN, "中中");
    rv_put(&screen, 2, 1, 1, RV_PLAIN, "y"); /* its left half */
    cr_expect_str_eq(lines_of(&screen), "ab x\n中y\n");
    rv_put(&screen, 0, 7, 99, RV_PLAIN, "outside");
    cr_expect_eq(rv_put(&screen, 9, 0, 99, RV_PLAIN, "outside"), 9);
    rv_screen_free(&screen);
}

Test(screen, joins_combining_characters_and_survives_bad_bytes) {
    rv_screen screen = screen_of(6, 1);
    rv_put(&screen, 0, 0, 99, RV_PLAIN, "e\xcc\x81z\xff\x1b[");
    cr_expect_str_eq(lines_of(&screen), "e\xcc\x81z??[\n");
    rv_screen_free(&screen);
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
    cr_expect_eq(rv_wrap("short", 80, &next), 5);
    cr_expect_eq(next, 5);
}

/* ------------------------------------------------------------------------------- the pictures */

static void compare_golden(const char *name, const char *got) {
    char path[200];
    snprintf(path, sizeof path, "tests/golden/screen/%s.txt", name);
    if (getenv("RINGSIM_UPDATE") != NULL) {
        FILE *file = fopen(path, "w");
        cr_assert(file != NULL);
        fputs(got, file);
        fclose(file);
    }
    static char want[1 << 16];
    FILE *file = fopen(path, "r");
    cr_assert(file != NULL, "no %s; RINGSIM_UPDATE=1 writes it", path);
    const size_t n = fread(want, 1, sizeof want - 1, file);
    fclose(file);
    want[n] = '\0';
    cr_expect_str_eq(got, want, "%s differs; got:\n%s", path, got);
}

static void expect_full_width(const rv_screen *screen, const char *name) {
    for (int y = 0; y < screen->height; y++) {
        int width = 0;
        for (int x = 0; x < screen->width; x++) {
            const rv_cell *cell = rv_cell_at(screen, x, y);
            width += cell->width;
            cr_expect((cell->width == 0) == (cell->text[0] == '\0'), "%s line %d", name, y);
        }
        cr_expect_eq(width, screen->width, "%s: line %d is %d columns wide", name, y, width);
    }
}

static void snapshot(viewed *v, const char *name, int32_t step, int32_t rank, bool ascii) {
    rv_walk walk;
    rv_screen screen = screen_of(80, 24);
    const rv_options options = {.at = step, .rank = rank, .ascii = ascii};
    cr_assert_eq(rv_walk_start(&walk, v->model, &options, &v->error), RS_OK);
    rv_compose(&walk, &screen);
    expect_full_width(&screen, name);
    compare_golden(name, lines_of(&screen));
    rv_screen_free(&screen);
}

static void snapshots(const char *algorithm, int32_t n, const int32_t steps[], int n_steps) {
    viewed v;
    viewed_prepare(&v, algorithm, n);
    cr_assert(viewed_run(&v), "%s", v.error.text);
    for (int i = 0; i < n_steps; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s-%d-step-%d", algorithm, (int)n, (int)steps[i]);
        snapshot(&v, name, steps[i], n / 2, false);
    }
    viewed_free(&v);
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

Test(screen, five_gpus_in_chinese_and_in_ascii) {
    viewed v;
    viewed_prepare(&v, "ring", 5);
    cr_assert(viewed_run(&v), "%s", v.error.text);
    snapshot(&v, "ascii-5-step-1", 1, 2, true);
    if (!viewed_chinese()) cr_skip_test("no Chinese catalogue was built (gettext is missing)");
    snapshot(&v, "chinese-5-step--1", -1, 2, false);
    snapshot(&v, "chinese-5-step-1", 1, 2, false);
    snapshot(&v, "chinese-5-step-8", 8, 2, false);
    rv_set_language("en", NULL);
    viewed_free(&v);
}

Test(screen, the_first_screen_shows_the_point_of_the_ring) {
    viewed v;
    viewed_prepare(&v, "ring", 5);
    cr_assert(viewed_run(&v));
    cr_expect_eq(v.model->own.time_ps, 8040000000);
    cr_expect_eq(v.model->own.parts.latency_ps, 40000000);
    cr_expect_eq(v.model->own.parts.wire_ps, 8000000000);
    cr_expect_str_eq(v.model->rival.name, "naive");
    cr_expect_eq(v.model->rival.time_ps, 40040000000);
    cr_expect_gt(v.model->rival.time_ps, 4 * v.model->own.time_ps);
    cr_expect_eq(v.model->bound_bytes, 160000000);
    cr_expect_eq(v.model->own.most_bytes, 160000000);
    viewed_free(&v);
}

/* Every size from nothing to large, every kind of run: it must draw, and draw full lines. */
Test(screen, draws_at_every_size_without_a_fault) {
    const char *const algorithms[] = {"ring", "naive", "halving", "doubling"};
    const int ranks[] = {1, 2, 5, 12, 64, 200};
    for (int a = 0; a < 4; a++) {
        for (int i = 0; i < 6; i++) {
            viewed v;
            viewed_prepare(&v, algorithms[a], ranks[i]);
            cr_assert(viewed_run(&v), "%s", v.error.text);
            for (int width = 1; width <= 161; width += 10) {
                for (int height = 1; height <= 51; height += height < 25 ? 4 : 13) {
                    rv_walk walk;
                    const rv_options options = {.at = v.model->n_steps / 3,
                                                .rank = ranks[i] - 1,
                                                .predict = width % 3 == 0};
                    cr_assert_eq(rv_walk_start(&walk, v.model, &options, &v.error), RS_OK);
                    rv_screen screen = screen_of(width, height);
                    rv_compose(&walk, &screen);
                    walk.behind = walk.mode;
                    walk.mode = RV_READING_HELP;
                    rv_compose(&walk, &screen);
                    expect_full_width(&screen, algorithms[a]);
                    rv_screen_free(&screen);
                }
            }
            viewed_free(&v);
        }
    }
}

Test(screen, a_run_without_values_or_trace_is_drawn_too) {
    viewed v;
    viewed_prepare(&v, "ring", 4000);
    v.request.values = RS_VALUES_NONE;
    v.request.trace_limit = 0;
    v.request.check = RS_NEVER;
    cr_assert(viewed_run(&v), "%s", v.error.text);
    rv_walk walk;
    const rv_options options = {.at = 100, .rank = 3999};
    cr_assert_eq(rv_walk_start(&walk, v.model, &options, &v.error), RS_OK);
    rv_screen screen = screen_of(80, 24);
    rv_compose(&walk, &screen);
    cr_expect(strstr(lines_of(&screen), "3999") != NULL);
    cr_expect(strstr(story.bytes, "c3899 → 0 +") != NULL, "%s", story.bytes);
    rv_screen_free(&screen);
    viewed_free(&v);
}

Test(screen, a_picture_is_whole_svg_with_escaped_signs) {
    viewed v;
    viewed_prepare(&v, "ring", 5);
    cr_assert(viewed_run(&v));
    const rv_options options = {.at = 1, .colour = true};
    story.used = 0;
    cr_assert_eq(rv_write_svg(v.model, &options, collect, &story, &v.error), RS_OK);
    cr_expect(strncmp(story.bytes, "<svg ", 5) == 0);
    cr_expect(strstr(story.bytes, "</svg>\n") == story.bytes + story.used - 7);
    cr_expect(strstr(story.bytes, ">44004+</text>") != NULL);
    cr_expect(strstr(story.bytes, ">&gt;</text>") != NULL);
    viewed_free(&v);
}

/* ------------------------------------------------------------------------------------ the walk */

static void press(rv_walk *walk, int32_t key) {
    rs_error error;
    cr_assert_eq(rv_walk_key(walk, key, &error), RS_OK);
}

static rv_walk walk_of(viewed *v, bool predict) {
    rv_walk walk;
    const rv_options options = {.at = -1, .predict = predict};
    viewed_prepare(v, "ring", 5);
    cr_assert(viewed_run(v));
    cr_assert_eq(rv_walk_start(&walk, v->model, &options, &v->error), RS_OK);
    return walk;
}

Test(walk, two_buttons_walk_the_whole_ring_and_back) {
    viewed v;
    rv_walk walk = walk_of(&v, false);
    for (int step = 0; step <= 8; step++) {
        press(&walk, RV_KEY_PAGE_DOWN);
        cr_expect_eq(v.model->step, step);
    }
    press(&walk, RV_KEY_PAGE_DOWN);
    cr_expect_eq(v.model->step, 8, "the end is the end");
    for (int step = 7; step >= -1; step--) {
        press(&walk, RV_KEY_PAGE_UP);
        cr_expect_eq(v.model->step, step);
    }
    press(&walk, RV_KEY_PAGE_UP);
    cr_expect_eq(v.model->step, -1);
    viewed_free(&v);
}

Test(walk, back_and_forth_shows_the_same_values_and_bytes) {
    viewed v;
    rv_walk walk = walk_of(&v, false);
    char forth[10][32], back[32];
    int64_t bytes[10];
    for (int step = 0; step <= 8; step++) {
        press(&walk, RV_KEY_RIGHT);
        rv_value_at(v.model, 0, 4, forth[step], sizeof forth[step]);
        bytes[step] = v.model->sent_bytes[0];
    }
    cr_expect_str_eq(forth[0], "50005");
    cr_expect_str_eq(forth[8], "55555");
    for (int step = 7; step >= 0; step--) {
        press(&walk, RV_KEY_LEFT);
        rv_value_at(v.model, 0, 4, back, sizeof back);
        cr_expect_str_eq(back, forth[step]);
        cr_expect_eq(v.model->sent_bytes[0], bytes[step], "step %d", step);
    }
    viewed_free(&v);
}

Test(walk, micro_steps_are_send_arrive_add) {
    viewed v;
    rv_walk walk = walk_of(&v, false);
    char value[32];
    press(&walk, RV_KEY_SHIFT_RIGHT);
    cr_expect(v.model->step == 0 && v.model->moment == RV_SEND);
    cr_expect_eq(rv_mark_at(v.model, 0, 0), RV_LEAVES);
    cr_expect_eq(rv_mark_at(v.model, 1, 0), RV_SAME);
    cr_expect_eq(rv_time_now_ps(v.model), 0);
    press(&walk, RV_KEY_SHIFT_RIGHT);
    cr_expect_eq(v.model->moment, RV_ARRIVE);
    cr_expect_eq(rv_mark_at(v.model, 1, 0), RV_ARRIVES);
    rv_value_at(v.model, 1, 0, value, sizeof value);
    cr_expect_str_eq(value, "10", "arrived, not added");
    press(&walk, RV_KEY_SHIFT_RIGHT);
    cr_expect_eq(v.model->moment, RV_DONE);
    cr_expect_eq(rv_mark_at(v.model, 1, 0), RV_ADDED);
    rv_value_at(v.model, 1, 0, value, sizeof value);
    cr_expect_str_eq(value, "11");
    press(&walk, RV_KEY_SHIFT_LEFT);
    cr_expect_eq(v.model->moment, RV_ARRIVE);
    viewed_free(&v);
}

Test(walk, phases_home_end_and_go_to) {
    viewed v;
    rv_walk walk = walk_of(&v, false);
    press(&walk, ']');
    cr_expect_eq(v.model->step, 0);
    press(&walk, ']');
    cr_expect_eq(v.model->step, 4);
    press(&walk, ']');
    cr_expect_eq(v.model->step, 8);
    press(&walk, '[');
    cr_expect_eq(v.model->step, 4);
    press(&walk, RV_KEY_HOME);
    cr_expect_eq(v.model->step, -1);
    press(&walk, RV_KEY_END);
    cr_expect_eq(v.model->step, 8);
    press(&walk, 'g');
    press(&walk, '3');
    press(&walk, '9');
    press(&walk, RV_KEY_BACKSPACE);
    press(&walk, RV_KEY_ENTER);
    cr_expect_eq(v.model->step, 3);
    press(&walk, 'g');
    for (int i = 0; i < 30; i++) press(&walk, '9');
    press(&walk, RV_KEY_ENTER);
    cr_expect_eq(v.model->step, 8);
    press(&walk, 'g');
    press(&walk, '1');
    press(&walk, RV_KEY_ESCAPE);
    cr_expect_eq(v.model->step, 8);
    viewed_free(&v);
}

Test(walk, plays_faster_slower_and_stops_at_the_end) {
    viewed v;
    rv_walk walk = walk_of(&v, false);
    cr_expect_eq(rv_walk_pause_ms(&walk), -1);
    press(&walk, ' ');
    cr_expect_eq(rv_walk_pause_ms(&walk), 1000);
    press(&walk, '+');
    cr_expect_eq(rv_walk_pause_ms(&walk), 500);
    press(&walk, '-');
    press(&walk, '-');
    cr_expect_eq(rv_walk_pause_ms(&walk), 2000);
    for (int i = 0; i < 20; i++) cr_assert_eq(rv_walk_tick(&walk, &v.error), RS_OK);
    cr_expect_eq(v.model->step, 8);
    cr_expect_eq(rv_walk_pause_ms(&walk), -1);
    viewed_free(&v);
}

Test(walk, predict_hides_the_step_until_it_is_answered) {
    viewed v;
    rv_walk walk = walk_of(&v, true);
    press(&walk, RV_KEY_RIGHT);
    cr_assert_eq(walk.mode, RV_ASKING);
    rv_screen screen = screen_of(80, 24);
    rv_compose(&walk, &screen);
    cr_expect(strstr(lines_of(&screen), "Which chunk does GPU 0 send in step 0?") != NULL);
    cr_expect(strstr(story.bytes, "c0 →") == NULL, "the answer is not on the screen");
    rv_screen_free(&screen);
    press(&walk, RV_KEY_RIGHT);
    cr_expect_eq(walk.mode, RV_ASKING, "no way on without an answer");
    press(&walk, 'a' + walk.question.answer);
    cr_expect(walk.mode == RV_LOOKING && v.model->step == 0 && v.model->moment == RV_DONE);
    cr_expect(walk.n_asked == 1 && walk.n_right == 1);
    press(&walk, RV_KEY_RIGHT);
    press(&walk, '1' + (walk.question.answer + 1) % walk.question.n_choices);
    cr_expect(walk.n_asked == 2 && walk.n_right == 1);
    press(&walk, RV_KEY_RIGHT);
    press(&walk, RV_KEY_ESCAPE);
    cr_expect(walk.n_asked == 2 && v.model->step == 2 && walk.mode == RV_LOOKING);
    press(&walk, RV_KEY_RIGHT);
    press(&walk, 'p');
    cr_expect(walk.mode == RV_LOOKING && v.model->step == 2 && !walk.predict);
    viewed_free(&v);
}

Test(walk, help_covers_and_any_key_closes_it) {
    viewed v;
    rv_walk walk = walk_of(&v, false);
    press(&walk, '?');
    cr_expect_eq(walk.mode, RV_READING_HELP);
    press(&walk, RV_KEY_RIGHT);
    cr_expect(walk.mode == RV_LOOKING && v.model->step == -1);
    press(&walk, '?');
    press(&walk, 'q');
    cr_expect(walk.quit);
    viewed_free(&v);
}

Test(walk, follows_another_gpu_round_and_round) {
    viewed v;
    rv_walk walk = walk_of(&v, false);
    press(&walk, RV_KEY_UP);
    cr_expect_eq(walk.rank, 4);
    press(&walk, RV_KEY_TAB);
    cr_expect_eq(walk.rank, 0);
    viewed_free(&v);
}

/* Any keys in any order, on small and large screens: no fault, and every picture is drawn whole. */
Test(walk, survives_whatever_is_typed) {
    const char *const algorithms[] = {"ring", "naive", "tree", "halving"};
    const int32_t special = RV_KEY_ESCAPE - RV_KEY_RIGHT + 1;
    uint32_t random = 1;
    for (int a = 0; a < 4; a++) {
        viewed v;
        rv_walk walk;
        viewed_prepare(&v, algorithms[a], 3 + 2 * a);
        cr_assert(viewed_run(&v));
        const rv_options options = {.at = -1};
        cr_assert_eq(rv_walk_start(&walk, v.model, &options, &v.error), RS_OK);
        for (int i = 0; i < 3000; i++) {
            random = random * 1664525 + 1013904223;
            const int32_t pick = (int32_t)(random >> 16) % (96 + special);
            press(&walk, pick < 96 ? ' ' + pick : RV_KEY_RIGHT + pick - 96);
            walk.quit = false;
            walk.wants_picture = false;
            cr_assert(v.model->step >= -1 && v.model->step <= v.model->n_steps);
            if (i % 10 != 0) continue;
            rv_screen screen = screen_of(20 + i % 90, 5 + i % 30);
            rv_compose(&walk, &screen);
            expect_full_width(&screen, algorithms[a]);
            rv_screen_free(&screen);
        }
        viewed_free(&v);
    }
}

/* ----------------------------------------------------------------------------------- the story */

Test(story, tells_every_step_and_shows_its_table) {
    viewed v;
    viewed_prepare(&v, "ring", 5);
    cr_assert(viewed_run(&v));
    const rv_options options = {.at = -1};
    story.used = 0;
    cr_assert_eq(rv_write_story(v.model, &options, collect, &story, &v.error), RS_OK);
    compare_golden("story-5", story.bytes);
    for (int step = 0; step < 8; step++) {
        char heading[32];
        snprintf(heading, sizeof heading, "\nStep %d of 0..7\n", step);
        cr_expect(strstr(story.bytes, heading) != NULL, "%s", heading);
    }
    cr_expect(strchr(story.bytes, '\033') == NULL, "no escape sequences");
    viewed_free(&v);
}

/* ------------------------------------------------------------------------------- where time goes */

/* On equal links without faults each step costs one latency and one transfer. */
Test(parts, split_the_time_of_equal_links_exactly) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int32_t n = 2; n <= 17; n += 3) {
            viewed v;
            viewed_prepare(&v, rs_algorithms[i]->name, n);
            v.request.job.net.reduce_Bps = 100000000000;
            cr_assert(viewed_run(&v), "%s", v.error.text);
            const rv_parts *p = &v.model->own.parts;
            cr_expect_eq(p->latency_ps + p->wire_ps + p->adding_ps + p->waiting_ps,
                         v.report.outcome.makespan_ps, "%s %d", rs_algorithms[i]->name, (int)n);
            cr_expect_eq(p->latency_ps, 5000000LL * v.model->n_steps, "%s %d",
                         rs_algorithms[i]->name, (int)n);
            cr_expect_eq(p->waiting_ps, 0);
            cr_expect_gt(p->adding_ps, 0);
            viewed_free(&v);
        }
    }
}

Test(parts, waiting_is_what_a_late_gpu_costs) {
    const rs_fault late = {.kind = RS_LATE, .rank = 2, .time_ps = 7000000};
    for (int protocol = RS_RENDEZVOUS; protocol <= RS_EAGER; protocol++) {
        viewed v;
        viewed_prepare(&v, "ring", 6);
        v.request.job.net.protocol = (rs_protocol)protocol;
        v.request.job.faults = &late;
        v.request.job.n_faults = 1;
        cr_assert(viewed_run(&v), "%s", v.error.text);
        const rv_parts *p = &v.model->own.parts;
        cr_expect_eq(p->waiting_ps, 7000000, "protocol %d", protocol);
        cr_expect_eq(p->latency_ps + p->wire_ps + p->waiting_ps, v.report.outcome.makespan_ps);
        viewed_free(&v);
    }
}
