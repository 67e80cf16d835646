/* stage_fixture.c: see stage_fixture.h. */
#include "support/stage_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

void stage_fixture_open(stage_fixture *s) {
    s->stage = view_fixture_stage(&s->run, &s->options);
    rv_stage_draw(s->stage);
}

void stage_fixture_start(stage_fixture *s, const char *algorithm, int32_t n, int32_t at) {
    view_fixture_prepare(&s->run, algorithm, n);
    s->options = (rv_options){.at = at, .colour = true};
    stage_fixture_open(s);
}

void stage_fixture_end(stage_fixture *s) {
    rv_stage_free(s->stage);
    view_fixture_free(&s->run);
}

void stage_fixture_press(stage_fixture *s, const char *keys) {
    for (; *keys; keys++) cr_assert(rv_stage_key(s->stage, *keys, &s->error) == RS_OK);
    rv_stage_draw(s->stage);
}

void stage_fixture_key(stage_fixture *s, int32_t pressed) {
    cr_assert(rv_stage_key(s->stage, pressed, &s->error) == RS_OK);
    rv_stage_draw(s->stage);
}

void stage_fixture_tick(stage_fixture *s, int ms) {
    for (int i = 0; i < ms; i += 10) cr_assert(rv_stage_tick(s->stage, 10, &s->error) == RS_OK);
    rv_stage_draw(s->stage);
}

const char *stage_fixture_characters(stage_fixture *s, int width, int height) {
    rv_screen screen = view_fixture_screen(width, height);
    rv_compose_stage(s->stage, &screen);
    s->stage->playback.first = screen.first;
    s->stage->playback.n_below = screen.n_below;
    s->stage->playback.wants_row = false;
    const char *lines = view_fixture_lines(&screen);
    rv_screen_free(&screen);
    return lines;
}

/* A place where the pointer feels the target. */
static rv_point spot_of(const stage_fixture *s, rv_thing thing, int32_t a, int32_t b) {
    const rv_target wanted = rv_target_of(thing, a, b);
    const rv_scene *scene = &s->stage->scene;
    for (int i = 0; i < scene->n_items; i++) {
        if (!rv_same_target(scene->items[i].target, wanted)) continue;
        const rv_box box = scene->items[i].box;
        for (double y = 0; y <= 20; y++) {
            for (double x = 0; x <= 20; x++) {
                const rv_point at = {box.x + box.w * x / 20, box.y + box.h * y / 20};
                const rv_target under = rv_scene_hit(scene, at.x, at.y, 6, NULL);
                if (rv_same_target(under, wanted)) return at;
            }
        }
    }
    cr_assert_fail("no place is felt as %d %d %d", (int)thing, (int)a, (int)b);
    return (rv_point){0, 0};
}

void stage_fixture_click(stage_fixture *s, rv_thing thing, int32_t a, int32_t b) {
    const rv_point at = spot_of(s, thing, a, b);
    cr_assert(rv_stage_pointer(s->stage, RV_POINT_MOVE, at.x, at.y, &s->error) == RS_OK);
    cr_assert(rv_stage_pointer(s->stage, RV_POINT_PRESS, at.x, at.y, &s->error) == RS_OK);
    cr_assert(rv_stage_pointer(s->stage, RV_POINT_RELEASE, at.x, at.y, &s->error) == RS_OK);
    rv_stage_draw(s->stage);
}

int64_t stage_fixture_time_ps(const stage_fixture *s) {
    return s->stage->what_if->report->outcome.makespan_ps;
}

bool stage_fixture_says(const stage_fixture *s, const char *text) {
    return strstr(s->stage->playback.message, text) != NULL;
}

rv_box stage_fixture_box(const stage_fixture *s, rv_thing thing, int32_t a, int32_t b) {
    const rv_scene *scene = &s->stage->scene;
    for (int i = 0; i < scene->n_items; i++) {
        if (rv_same_target(scene->items[i].target, rv_target_of(thing, a, b))) {
            return scene->items[i].box;
        }
    }
    cr_assert_fail("nothing is drawn for %d %d %d", (int)thing, (int)a, (int)b);
    return (rv_box){0};
}

bool stage_fixture_shows(const stage_fixture *s, const char *text) {
    const rv_scene *scene = &s->stage->scene;
    for (int i = 0; i < scene->n_items; i++) {
        const rv_item *item = &scene->items[i];
        if (item->shape == RV_LABEL && strstr(rv_label_text(scene, item), text)) return true;
    }
    return false;
}

bool stage_fixture_lesson(stage_fixture *s, const char *path, rv_lesson *lesson) {
    static char text[1 << 16];
    FILE *file = fopen(path, "r");
    cr_assert(file != NULL, "run from the root of the source");
    const size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    return rv_read_lesson(text, n, &s->run.arena, &s->error, lesson) == RS_OK;
}
