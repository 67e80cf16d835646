/* view_fixture.c: see view_fixture.h. */
#include "support/view_fixture.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void defaults(view_fixture *v, int64_t count) {
    v->request = (rs_request){
        .job = {.schedule = &v->schedule,
                .count = count,
                .elem_bytes = 4,
                .net = {.link = {5000000, 20000000000}}},
        .dtype = RS_I32,
        .trace_limit = 1 << 20,
    };
}

void view_fixture_prepare(view_fixture *v, const char *algorithm, int32_t n_ranks) {
    memset(v, 0, sizeof *v);
    rs_arena_init(&v->arena, NULL);
    const int64_t count = 25000000;
    if (rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, algorithm), RS_ORDER_SEED, n_ranks,
                         count, &v->error, &v->schedule) != RS_OK) {
        abort();
    }
    defaults(v, count);
}

void view_fixture_prepare_text(view_fixture *v, const char *text) {
    memset(v, 0, sizeof *v);
    rs_arena_init(&v->arena, NULL);
    if (rs_parse_schedule(text, strlen(text), &v->arena, &v->error, &v->schedule) != RS_OK) {
        fprintf(stderr, "%s\n", v->error.text);
        abort();
    }
    defaults(v, v->schedule.n_chunks);
}

bool view_fixture_run(view_fixture *v) {
    if (rs_run(&v->request, &v->arena, &v->error, &v->report) != RS_OK ||
        rv_model_new(&v->report, &v->arena, &v->error, &v->model) != RS_OK) {
        return false;
    }
    v->subject = rv_model_subject(v->model);
    return true;
}

void view_fixture_start(view_fixture *v, const char *algorithm, int32_t n_ranks) {
    view_fixture_prepare(v, algorithm, n_ranks);
    cr_assert(view_fixture_run(v), "%s", v->error.text);
}

rv_stage *view_fixture_stage(view_fixture *v, const rv_options *options) {
    rv_stage *stage;
    cr_assert(view_fixture_run(v), "%s", v->error.text);
    cr_assert_eq(rv_stage_new(&v->subject, options, NULL, &v->error, &stage), RS_OK, "%s",
                 v->error.text);
    return stage;
}

void view_fixture_faults(view_fixture *v, const rs_fault faults[], int32_t n) {
    v->request.job.faults = faults;
    v->request.job.n_faults = n;
}

void view_fixture_free(view_fixture *v) {
    rs_arena_free(&v->arena);
}

void view_fixture_free_stage(rv_stage **stage) {
    rv_stage_free(*stage);
}

const rv_item *view_fixture_next(const rv_scene *scene, const rv_item *after) {
    const int64_t next = after == NULL ? 0 : after - scene->items + 1;
    return next < scene->n_items ? &scene->items[next] : NULL;
}

bool view_fixture_chinese(void) {
    char beside[4096] = "build/locale";
    const char *build = getenv("BUILD");
    if (build != NULL) snprintf(beside, sizeof beside, "%.4000s/locale", build);
    const char *const dirs[] = {beside, NULL};
    return rv_set_language("zh_CN", dirs);
}

view_fixture_text view_fixture_shown;

void view_fixture_collect(void *context, const char *bytes, size_t n_bytes) {
    view_fixture_text *text = context;
    cr_assert(text->used + n_bytes < sizeof text->bytes);
    memcpy(text->bytes + text->used, bytes, n_bytes);
    text->used += n_bytes;
    text->bytes[text->used] = '\0';
}

const char *view_fixture_lines(const rv_screen *screen) {
    view_fixture_shown.used = 0;
    rv_screen_text(screen, view_fixture_collect, &view_fixture_shown);
    return view_fixture_shown.bytes;
}

rv_screen view_fixture_screen(int width, int height) {
    rv_screen screen;
    cr_assert(rv_screen_new(width, height, &screen));
    return screen;
}

void view_fixture_expect_full_width(const rv_screen *screen, const char *name) {
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
