/* staged.c: see staged.h. */
#include "support/staged.h"

#include <criterion/criterion.h>
#include <string.h>

void staged_open(staged *s) {
    cr_assert(viewed_run(&s->run), "%s", s->run.error.text);
    cr_assert_eq(rv_stage_new(&s->run.report, &s->options, NULL, &s->error, &s->stage), RS_OK);
    rv_stage_draw(s->stage);
}

void staged_start(staged *s, const char *algorithm, int32_t n, int32_t at) {
    viewed_prepare(&s->run, algorithm, n);
    s->options = (rv_options){.at = at, .colour = true};
    staged_open(s);
}

void staged_end(staged *s) {
    rv_stage_free(s->stage);
    viewed_free(&s->run);
}

void staged_press(staged *s, const char *keys) {
    for (; *keys; keys++) cr_assert(rv_stage_key(s->stage, *keys, &s->error) == RS_OK);
    rv_stage_draw(s->stage);
}

void staged_key(staged *s, int32_t pressed) {
    cr_assert(rv_stage_key(s->stage, pressed, &s->error) == RS_OK);
    rv_stage_draw(s->stage);
}

void staged_tick(staged *s, int ms) {
    for (int i = 0; i < ms; i += 10) cr_assert(rv_stage_tick(s->stage, 10, &s->error) == RS_OK);
    rv_stage_draw(s->stage);
}

/* A place where the pointer feels the target. */
static rv_point spot_of(const staged *s, rv_thing thing, int32_t a, int32_t b) {
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

void staged_click(staged *s, rv_thing thing, int32_t a, int32_t b) {
    const rv_point at = spot_of(s, thing, a, b);
    cr_assert(rv_stage_pointer(s->stage, RV_POINT_MOVE, at.x, at.y, &s->error) == RS_OK);
    cr_assert(rv_stage_pointer(s->stage, RV_POINT_PRESS, at.x, at.y, &s->error) == RS_OK);
    cr_assert(rv_stage_pointer(s->stage, RV_POINT_RELEASE, at.x, at.y, &s->error) == RS_OK);
    rv_stage_draw(s->stage);
}

int64_t staged_time_ps(const staged *s) {
    return s->stage->what_if->report->outcome.makespan_ps;
}

bool staged_says(const staged *s, const char *text) {
    return strstr(s->stage->playback.message, text) != NULL;
}

rv_box staged_box(const staged *s, rv_thing thing, int32_t a, int32_t b) {
    const rv_scene *scene = &s->stage->scene;
    for (int i = 0; i < scene->n_items; i++) {
        if (rv_same_target(scene->items[i].target, rv_target_of(thing, a, b))) {
            return scene->items[i].box;
        }
    }
    cr_assert_fail("nothing is drawn for %d %d %d", (int)thing, (int)a, (int)b);
    return (rv_box){0};
}

bool staged_shows(const staged *s, const char *text) {
    const rv_scene *scene = &s->stage->scene;
    for (int i = 0; i < scene->n_items; i++) {
        const rv_item *item = &scene->items[i];
        if (item->shape == RV_LABEL && strstr(rv_label_text(scene, item), text)) return true;
    }
    return false;
}
