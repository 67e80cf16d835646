/* test_gui_picture.c: what is taken away: pictures, sheets, films. */
#include "canvas/canvas.h"
#include "model/figures.h"
#include "stage/stage.h"
#include "support/view_fixture.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static rv_stage *stage_of(view_fixture *v, const rv_options *options) {
    view_fixture_prepare(v, "ring", 5);
    return view_fixture_stage(v, options);
}

Test(gui_picture, a_figure_shows_the_ring_and_nothing_to_press) {
    OWN_VIEW v = {0};
    const rv_options options = {.at = 2, .progress = 0.4};
    OWN_STAGE *stage = stage_of(&v, &options);
    stage->output = RV_TO_FIGURE;
    rv_stage_resize(stage, 400, 300);
    rv_stage_draw(stage);
    int cells = 0;
    for (int32_t i = 0; i < stage->scene.n_items; i++) {
        const int32_t thing = stage->scene.items[i].target.thing;
        cr_expect_neq(thing, RV_BUTTON);
        cr_expect_neq(thing, RV_TIMELINE);
        cells += thing == RV_CELL;
    }
    cr_expect_geq(cells, 25);
}

Test(gui_picture, a_moment_inside_a_step_can_be_asked_for) {
    OWN_VIEW v = {0};
    const rv_options options = {.at = 2, .progress = 0.4};
    OWN_STAGE *stage = stage_of(&v, &options);
    cr_expect_eq(stage->what_if->model->step, 2);
    cr_expect_eq(stage->what_if->model->moment, RV_SEND);
    cr_expect_float_eq(stage->progress, 0.4, 1e-12);
}

/* ------------------------------------------------------------------------------ bytes of a file */

typedef struct bytes {
    char *data;
    size_t n, room;
} bytes;

static void take(void *context, const char *data, size_t n) {
    bytes *to = context;
    if (to->room - to->n < n) {
        to->room = 2 * to->room + n;
        to->data = realloc(to->data, to->room);
        cr_assert_not_null(to->data);
    }
    memcpy(to->data + to->n, data, n);
    to->n += n;
}

/* Takes a picture of a ring; another one is drawn before, so that nothing counts on from it. */
static bytes picture_of(int32_t n_ranks, const rv_options *options, rv_picture kind) {
    OWN_VIEW v = {0};
    bytes file = {0};
    view_fixture_start(&v, "ring", n_ranks);
    const rs_status status = rv_gui_picture(&v.subject, options, kind, take, &file, NULL, &v.error);
    cr_assert_eq(status, RS_OK, "%s", v.error.text);
    return file;
}

static bool same(const bytes *a, const bytes *b) {
    return a->n == b->n && memcmp(a->data, b->data, a->n) == 0;
}

Test(gui_picture, the_same_picture_has_the_same_bytes_at_any_hour_and_place) {
    static const char *const names[] = {"PNG", "SVG", "PDF"};
    for (int kind = RV_PNG; kind <= RV_PDF; kind++) {
        for (int sheet = 0; sheet < 2; sheet++) {
            const rv_options options = {.at = 3, .progress = 0.5, .sheet = sheet == 1};
            const int32_t n_ranks = sheet == 1 ? 5 : 16; /* in whose SVG there are images */
            setlocale(LC_ALL, "C");
            setenv("TZ", "UTC", 1);
            tzset();
            bytes a = picture_of(n_ranks, &options, (rv_picture)kind);
            if (setlocale(LC_ALL, "C.UTF-8") == NULL) setlocale(LC_ALL, "");
            setenv("TZ", "Asia/Shanghai", 1);
            tzset();
            if (kind == RV_PDF && sheet == 0) sleep(1);
            bytes b = picture_of(n_ranks, &options, (rv_picture)kind);
            cr_expect(same(&a, &b), "%s %s", names[kind], sheet ? "sheet" : "moment");
            cr_expect_gt(a.n, 1000);
            free(a.data);
            free(b.data);
        }
    }
}

Test(gui_picture, a_moment_later_is_another_picture) {
    rv_options options = {.at = 3, .progress = 0.5};
    bytes a = picture_of(5, &options, RV_PNG);
    options.progress = 0;
    bytes b = picture_of(5, &options, RV_PNG);
    cr_expect(!same(&a, &b));
    free(a.data);
    free(b.data);
}

/* Returns where the word stands between two places of the file, or `to`. */
static size_t find(const bytes *file, size_t from, size_t to, const char *word) {
    const char *at = from < to ? memmem(file->data + from, to - from, word, strlen(word)) : NULL;
    return at != NULL ? (size_t)(at - file->data) : to;
}

static int count(const bytes *file, const char *word) {
    int n = 0;
    for (size_t at = 0; (at = find(file, at, file->n, word)) < file->n; at += strlen(word)) n++;
    return n;
}

/* Appends what the compressed objects of a PDF say: from cairo 1.18 on its pages are listed there. */
static void inflate_objects(bytes *file) {
    void *zlib = dlopen("libz.so.1", RTLD_NOW); /* the one that libpng has loaded */
    int (*uncompress)(void *, unsigned long *, const void *, unsigned long) = NULL;
    const size_t n_file = file->n;
    if (zlib != NULL) *(void **)&uncompress = dlsym(zlib, "uncompress");
    for (size_t at = 0; (at = find(file, at, n_file, "/Type /ObjStm")) < n_file; at++) {
        const size_t from = find(file, at, n_file, "stream\n") + 7;
        unsigned long n_out = 1 << 20;
        char *out = malloc(n_out);
        cr_assert(uncompress != NULL && out != NULL && from < n_file);
        const size_t to = find(file, from, n_file, "endstream");
        cr_assert_eq(uncompress(out, &n_out, file->data + from, to - from), 0);
        take(file, out, n_out);
        free(out);
    }
}

Test(gui_picture, a_pdf_has_a_page_for_twelve_fields) {
    const rv_options options = {.at = -1, .sheet = true};
    static const int32_t ranks[] = {5, 6, 16}, pages[] = {1, 2, 3};
    for (int i = 0; i < 3; i++) { /* 11, 13 and 33 figures, and the key */
        bytes file = picture_of(ranks[i], &options, RV_PDF);
        char wanted[32];
        snprintf(wanted, sizeof wanted, "/Count %d\n", (int)pages[i]);
        cr_expect_eq(memcmp(file.data, "%PDF-1.", 7), 0);
        inflate_objects(&file);
        cr_expect_eq(count(&file, "/Type /Pages"), 1);
        cr_expect_eq(count(&file, wanted), 1, "%d GPUs: not %d pages", (int)ranks[i],
                     (int)pages[i]);
        cr_expect_eq(count(&file, "(ringsim)"), 1); /* who made it, and not when */
        cr_expect_eq(count(&file, "/CreationDate"), 0);
        free(file.data);
    }
}

Test(gui_picture, slides_are_a_page_for_each_step) {
    const rv_options options = {.at = -1, .slides = true, .bare = true};
    bytes file = picture_of(5, &options, RV_PDF);
    inflate_objects(&file);
    cr_expect_eq(count(&file, "/Count 10\n"), 1, "the start, eight steps, the end");
    free(file.data);
}

Test(gui_picture, a_scale_enlarges_the_figure_too) {
    const rv_options once = {.at = 3}, twice = {.at = 3, .scale = 2};
    bytes small = picture_of(5, &once, RV_SVG), large = picture_of(5, &twice, RV_SVG);
    cr_expect_eq(count(&small, "width=\"1280px\" height=\"720px\""), 1);
    cr_expect_eq(count(&large, "width=\"2560px\" height=\"1440px\""), 1);
    cr_expect_eq(count(&small, "<path"), count(&large, "<path"), "nothing else is there");
    free(small.data);
    free(large.data);
}

Test(gui_picture, an_svg_names_what_it_shows_and_is_counted_in_pixels) {
    const rv_options options = {.at = 3, .pixel_width = 800, .pixel_height = 600};
    bytes file = picture_of(5, &options, RV_SVG);
    cr_expect_eq(count(&file, "width=\"800px\" height=\"600px\""), 1);
    cr_expect_eq(count(&file, "<title>ring, 5 GPUs - step 3 of 0..7, done, GPU 0</title>"), 1);
    free(file.data);
}

/* Tells whether each reference into the file, which begins so, has its one target. */
static bool every_target_is_there(const bytes *file, const char *begin, const char *end) {
    const size_t n = strlen(begin);
    for (size_t at = 0; (at = find(file, at, file->n, begin)) < file->n; at++) {
        char id[64];
        const size_t to = find(file, at + n, file->n, end);
        cr_assert_lt(to - at - n, 40);
        snprintf(id, sizeof id, "id=\"%.*s\"", (int)(to - at - n), file->data + at + n);
        if (count(file, id) != 1) return false;
    }
    return true;
}

Test(gui_picture, an_svg_is_short_and_well_formed) {
    static const char *const spare[] = {"fill-opacity:1;",   "fill-opacity=\"1\"", "linecap:butt",
                                        "linecap=\"butt\"",  "stroke:none",        "linejoin:miter",
                                        "linejoin=\"miter\""};
    const rv_options options = {.at = 20, .progress = 0.39};
    static const int32_t ranks[] = {5, 16, 64};
    for (int i = 0; i < 3; i++) {
        bytes file = picture_of(ranks[i], &options, RV_SVG);
        cr_expect_lt(file.n, 1000000, "%d GPUs: %zu bytes", (int)ranks[i], file.n);
        for (size_t k = 0; k < sizeof spare / sizeof *spare; k++) {
            cr_expect_eq(count(&file, spare[k]), 0, "%d GPUs: %s", (int)ranks[i], spare[k]);
        }
        cr_expect(every_target_is_there(&file, "href=\"#", "\""));
        cr_expect(every_target_is_there(&file, "url(#", ")"));
        cr_expect_eq(count(&file, "<path"), count(&file, " d=\""));
        cr_expect_eq(count(&file, "<g>") + count(&file, "<g "), count(&file, "</g>"));
        cr_expect_eq(memcmp(file.data + file.n - 7, "</svg>\n", 7), 0);
        free(file.data);
    }
}

Test(gui_picture, a_png_has_the_size_that_was_asked_for) {
    static const int sizes[][2] = {{320, 240}, {333, 777}, {1280, 720}, {3840, 2160}};
    for (int i = 0; i < 4; i++) {
        const rv_options options = {
            .at = 1, .pixel_width = sizes[i][0], .pixel_height = sizes[i][1]};
        bytes file = picture_of(5, &options, RV_PNG);
        const unsigned char *head = (const unsigned char *)file.data;
        cr_assert_eq(memcmp(head + 1, "PNG", 3), 0);
        cr_expect_eq(head[18] * 256 + head[19], sizes[i][0]);
        cr_expect_eq(head[22] * 256 + head[23], sizes[i][1]);
        free(file.data);
    }
}

Test(gui_picture, a_sheet_beyond_all_bounds_is_refused_in_one_line) {
    OWN_VIEW v = {0};
    bytes file = {0};
    const rv_options options = {.at = -1, .sheet = true};
    view_fixture_start(&v, "ring", 256);
    cr_expect_eq(rv_gui_picture(&v.subject, &options, RV_PNG, take, &file, NULL, &v.error),
                 RS_TOO_LARGE);
    cr_expect_not_null(strstr(v.error.text, "write a PDF"), "%s", v.error.text);
    cr_expect_eq(file.n, 0);
}

Test(gui_picture, a_race_shows_two_rings_and_makes_no_sheet) {
    OWN_VIEW v = {0};
    bytes file = {0};
    rv_options options = {.at = 3, .compare = "naive"};
    OWN_STAGE *stage = stage_of(&v, &options);
    rv_stage_draw(stage);
    cr_expect_gt(stage->layout.second.w, 0.3 * stage->width);
    cr_expect_lt(rv_view_box(stage, VIEW_RING).w, 0.6 * stage->width);
    options.sheet = true;
    cr_expect_eq(rv_gui_picture(&v.subject, &options, RV_PDF, take, &file, NULL, &v.error),
                 RS_BAD_INPUT);
    cr_expect_not_null(strstr(v.error.text, "--at"), "%s", v.error.text);
}

/* Counts what is drawn; -1: not one after the other. */
static bool count_up(void *context, const char *what, int64_t done, int64_t total) {
    (void)what, (void)total;
    int64_t *n = context;
    *n = *n == done ? done + 1 : -1;
    return true;
}

/* No figure is left out, on one page or on several. */
Test(gui_picture, a_sheet_draws_each_figure_once) {
    for (int32_t n_ranks = 5; n_ranks <= 13; n_ranks += 4) {
        OWN_VIEW v = {0};
        bytes file = {0};
        int64_t n = 0;
        const rv_options options = {.at = -1, .sheet = true};
        const rs_host host = {.context = &n, .progress = count_up};
        view_fixture_start(&v, "ring", n_ranks);
        const int32_t n_figures = rv_list_figures(&v.subject, NULL, 0);
        cr_assert_eq(rv_gui_picture(&v.subject, &options, RV_PDF, take, &file, &host, &v.error),
                     RS_OK);
        cr_expect_eq(n, n_figures, "%lld of %d figures", (long long)n, (int)n_figures);
        free(file.data);
    }
}

static bool stop_at_three(void *context, const char *what, int64_t done, int64_t total) {
    (void)what, (void)total;
    int *asked = context;
    ++*asked;
    return done < 3;
}

Test(gui_picture, a_cancelled_sheet_writes_nothing) {
    OWN_VIEW v = {0};
    bytes file = {0};
    int asked = 0;
    const rv_options options = {.at = -1, .sheet = true};
    const rs_host host = {.context = &asked, .progress = stop_at_three};
    view_fixture_start(&v, "ring", 5);
    cr_expect_eq(rv_gui_picture(&v.subject, &options, RV_PDF, take, &file, &host, &v.error),
                 RS_CANCELLED);
    cr_expect_eq(file.n, 0);
    cr_expect_eq(asked, 4);
}
