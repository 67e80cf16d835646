/* test_gui_canvas.c: what the canvas paints, pixel by pixel, and that a frame painted upon the last
 * one is the frame that a fresh canvas would paint. */
#include "canvas/canvas.h"
#include "scene/look.h"
#include "stage/stage.h"
#include "support/view_fixture.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char *const texts[] = {"GPU 3",
                                    "g",
                                    "Wjgpq|_ÅÇ",
                                    "x10",
                                    "GPU 3 sends chunk 2 to GPU 4, which adds it to its own.",
                                    "GPU 3 把第 2 块发给 GPU 4，后者把它加到自己的块上。",
                                    "汇总",
                                    "8.04 ms",
                                    "…",
                                    "a\nb"};
enum { N_TEXTS = sizeof texts / sizeof texts[0] };

static uint64_t next(uint64_t *state) {
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return *state >> 33;
}

static double between(uint64_t *state, double from, double to) {
    return from + (to - from) * (double)(next(state) & 0xFFFF) / 65535;
}

/* ---------------------------------------------------------------------------- pictures as pixels */

static cairo_surface_t *blank(int width, int height) {
    return cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
}

static uint32_t pixel_at(cairo_surface_t *image, int x, int y) {
    const unsigned char *data = cairo_image_surface_get_data(image);
    uint32_t pixel;
    memcpy(&pixel, data + (ptrdiff_t)y * cairo_image_surface_get_stride(image) + 4 * (ptrdiff_t)x,
           sizeof pixel);
    return pixel;
}

static int distance(uint32_t a, uint32_t b) {
    int most = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        const int by = abs((int)(a >> shift & 0xFF) - (int)(b >> shift & 0xFF));
        if (by > most) most = by;
    }
    return most;
}

/* The largest difference between two pictures, and where it is. */
static int difference(cairo_surface_t *a, cairo_surface_t *b, int *at_x, int *at_y) {
    int most = 0;
    for (int y = 0; y < cairo_image_surface_get_height(a); y++) {
        for (int x = 0; x < cairo_image_surface_get_width(a); x++) {
            const int by = distance(pixel_at(a, x, y), pixel_at(b, x, y));
            if (by <= most) continue;
            most = by;
            *at_x = x;
            *at_y = y;
        }
    }
    return most;
}

static cairo_surface_t *painted_fresh(const rv_scene *scene) {
    cairo_surface_t *image = blank((int)scene->width, (int)scene->height);
    rv_canvas *canvas = rv_canvas_new();
    rv_canvas_frame(canvas, image, scene);
    rv_canvas_free(canvas);
    return image;
}

/* ------------------------------------------------------------------------------- scenes at random */

static rv_box any_box(uint64_t *state, const rv_scene *scene) {
    const double w = between(state, 0, scene->width), h = between(state, 0, scene->height);
    return (rv_box){between(state, -0.2 * w, scene->width - 0.5 * w),
                    between(state, -0.2 * h, scene->height - 0.5 * h), w * between(state, 0, 1),
                    h * between(state, 0, 1)};
}

static rv_colour any_colour(uint64_t *state) {
    const rv_colour opacity = next(state) % 3 == 0 ? (rv_colour)next(state) & 0xFF : 0xFF;
    return ((rv_colour)next(state) << 8 & 0xFFFFFF00U) | opacity;
}

static rv_item *add_shape(uint64_t *state, rv_scene *scene, rv_box box) {
    const rv_point at = {box.x, box.y}, end = {box.x + box.w, box.y + box.h};
    const rv_point points[3] = {at, end, {box.x + box.w, box.y}};
    rv_colour *pixels;
    rv_item *item;
    switch (next(state) % 7) {
    case 0: return rv_scene_disc(scene, at, between(state, 0, 30), any_colour(state));
    case 1: return rv_scene_segment(scene, at, end, between(state, 0, 5), any_colour(state));
    case 2:
        return rv_scene_arc(scene, at, between(state, 0, 60), between(state, -7, 7),
                            between(state, -7, 7), between(state, 0, 5), any_colour(state));
    case 3: return rv_scene_polygon(scene, points, 3, next(state) & 1 ? any_colour(state) : 0);
    case 4: /* of few widths and sizes: to set a text anew each time takes too long */
        box.w = 24 * ceil(box.w / 24);
        item = rv_scene_label(scene, box, (rv_align)(next(state) % 3),
                              3 + (double)(5 * (next(state) % 8)), any_colour(state),
                              texts[next(state) % N_TEXTS]);
        item->bold = next(state) & 1;
        item->mono = next(state) & 1;
        item->wrap = next(state) & 1;
        item->top = next(state) & 1;
        return item;
    case 5:
        item = rv_scene_grid(scene, box, 3, 2, &pixels);
        for (int i = 0; i < 6; i++) pixels[i] = any_colour(state);
        return item;
    default: return rv_scene_rect(scene, box, between(state, -1, 12), any_colour(state));
    }
}

static void add_any(uint64_t *state, rv_scene *scene) {
    scene->layer = (rv_layer)(next(state) % 3);
    rv_item *item = add_shape(state, scene, any_box(state, scene));
    if (item->shape != RV_LABEL && next(state) & 1) {
        item->stroke = any_colour(state);
        item->line = between(state, 0, 4);
        item->dashed = next(state) % 4 == 0;
        item->arrow = next(state) % 4 == 0;
    } else if (next(state) % 4 == 0) {
        item->stroke = any_colour(state);
    }
    item->pattern = (uint8_t)(next(state) % RV_N_PATTERNS);
    item->hatch = any_colour(state);
}

static void any_scene(uint64_t seed, rv_scene *scene, int width, int height, int n) {
    rv_scene_start(scene, width, height, 0xF6F6F3FF);
    scene->unit = 4 + (double)(seed % 40);
    uint64_t state = seed * 77 + 1;
    for (int i = 0; i < n; i++) add_any(&state, scene);
}

/* ------------------------------------------------------------------------------------- frames */

/* Every item is drawn from a seed of its own, so that a scene can be changed a little. */
static void scene_of(const uint64_t seeds[], int n, rv_scene *scene) {
    rv_scene_start(scene, 200, 150, 0x101318FF);
    for (int i = 0; i < n; i++) {
        uint64_t state = seeds[i];
        add_any(&state, scene);
    }
}

static void change_a_little(uint64_t *state, uint64_t seeds[], int *n) {
    const int at = (int)(next(state) % (uint64_t)*n), to = (int)(next(state) % (uint64_t)*n);
    const uint64_t kept = seeds[at];
    switch (next(state) % 4) {
    case 0: seeds[at] = next(state); break;
    case 1: /* swapped */
        seeds[at] = seeds[to];
        seeds[to] = kept;
        break;
    case 2:
        if (*n > 8) memmove(seeds + at, seeds + at + 1, sizeof *seeds * (size_t)(--*n - at));
        break;
    default:
        if (*n < 60) seeds[(*n)++] = next(state);
        break;
    }
}

/* Smoothed edges may come out a little differently where they are clipped. */
Test(canvas, paints_upon_the_last_frame_what_a_fresh_one_would_show) {
    uint64_t state = 1, seeds[64];
    int n = 40, x = 0, y = 0, n_boxes;
    for (int i = 0; i < 64; i++) seeds[i] = next(&state);
    OWN_SCENE scene = {0};
    rv_canvas *canvas = rv_canvas_new();
    cairo_surface_t *image = blank(200, 150);
    for (int i = 0; i < 200; i++) {
        const int changes = (int)(next(&state) % 4);
        for (int c = 0; c < changes; c++) change_a_little(&state, seeds, &n);
        scene_of(seeds, n, &scene);
        rv_canvas_frame(canvas, image, &scene);
        cairo_surface_t *fresh = painted_fresh(&scene);
        const int most = difference(image, fresh, &x, &y);
        cr_assert(most <= 24, "frame %d differs by %d at %d,%d", i, most, x, y);
        rv_canvas_changed(canvas, &n_boxes);
        cr_assert(changes > 0 || i == 0 || n_boxes == 0, "frame %d paints what stands", i);
        cairo_surface_destroy(fresh);
    }
    cairo_surface_destroy(image);
    rv_canvas_free(canvas);
}

Test(canvas, names_the_boxes_in_which_a_frame_differs_from_the_last) {
    uint64_t state = 5;
    OWN_SCENE scene = {0};
    rv_canvas *canvas = rv_canvas_new();
    cairo_surface_t *image = blank(400, 300), *before = blank(400, 300);
    int n_boxes, n_small = 0;
    for (int i = 0; i < 50; i++) {
        cairo_t *cr = cairo_create(before);
        cairo_set_source_surface(cr, image, 0, 0);
        cairo_set_operator(cr, CAIRO_OPERATOR_SOURCE);
        cairo_paint(cr);
        cairo_destroy(cr);
        rv_scene_start(&scene, 400, 300, 0xFFFFFFFF);
        rv_scene_rect(&scene, (rv_box){10, 10, 300, 200}, 8, 0x56B4E9FF);
        scene.layer = RV_MOVING;
        rv_scene_disc(&scene, (rv_point){between(&state, 0, 400), 7.0 * i}, 9, 0xD55E00FF);
        rv_canvas_frame(canvas, image, &scene);
        const rv_box *boxes = rv_canvas_changed(canvas, &n_boxes);
        double area = 0;
        for (int b = 0; b < n_boxes; b++) area += boxes[b].w * boxes[b].h;
        n_small += area < 400 * 300 / 4;
        for (int at = 0; at < 400 * 300; at++) {
            const int x = at % 400, y = at / 400;
            bool inside = false;
            for (int b = 0; b < n_boxes; b++) inside = inside || rv_inside(boxes[b], x, y);
            cr_assert(inside || pixel_at(before, x, y) == pixel_at(image, x, y), "%d,%d", x, y);
        }
    }
    cr_assert(n_small >= 48, "a small disc moved: %d of 50 frames painted little", n_small);
    cairo_surface_destroy(before);
    cairo_surface_destroy(image);
    rv_canvas_free(canvas);
}

/* What a still layer may differ in; each must be seen, but what an item stands for. */
enum { TEXT, COLOUR, PIXEL, POINT, GROUND, UNIT, TARGET, N_DIFFERENCES };

static void still_scene(rv_scene *scene, int different) {
    const rv_point points[3] = {{150, 10}, {190, different == POINT ? 50 : 40}, {150, 40}};
    rv_colour *pixels;
    rv_scene_start(scene, 200, 100, different == GROUND ? 0x223344FF : 0xFFFFFFFF);
    if (different == UNIT) scene->unit = 40;
    rv_item *rect = rv_scene_rect(scene, (rv_box){10, 10, 40, 30}, 0,
                                  different == COLOUR ? 0xD55E00FF : 0x0072B2FF);
    rect->pattern = RV_RISING;
    rect->hatch = 0xFFFFFFFF;
    rect->target = rv_target_of(RV_GPU, different == TARGET, 0);
    rv_scene_polygon(scene, points, 3, 0x009E73FF);
    rv_scene_label(scene, (rv_box){60, 10, 80, 30}, RV_LEFT, 16, 0x000000FF,
                   different == TEXT ? "abd" : "abc");
    rv_scene_grid(scene, (rv_box){10, 50, 100, 40}, 2, 1, &pixels);
    pixels[0] = 0x111111FF;
    pixels[1] = different == PIXEL ? 0xEEEEEEFF : 0x777777FF;
}

Test(canvas, never_shows_a_stale_still_layer) {
    OWN_SCENE scene = {0};
    for (int different = 0; different < N_DIFFERENCES; different++) {
        int x = 0, y = 0, n_boxes;
        rv_canvas *canvas = rv_canvas_new();
        still_scene(&scene, -1);
        cairo_surface_t *image = painted_fresh(&scene), *first = painted_fresh(&scene);
        rv_canvas_frame(canvas, image, &scene);
        still_scene(&scene, different);
        rv_canvas_frame(canvas, image, &scene);
        rv_canvas_changed(canvas, &n_boxes);
        cairo_surface_t *fresh = painted_fresh(&scene);
        cr_expect(difference(image, fresh, &x, &y) <= 2, "difference %d", different);
        cr_expect((difference(image, first, &x, &y) > 0) == (different != TARGET),
                  "difference %d does not show", different);
        cr_expect((n_boxes > 0) == (different != TARGET), "difference %d", different);
        cairo_surface_destroy(fresh);
        cairo_surface_destroy(first);
        cairo_surface_destroy(image);
        rv_canvas_free(canvas);
    }
}

Test(canvas, keeps_several_pictures_and_several_canvases_apart) {
    OWN_SCENE scene = {0};
    rv_canvas *canvases[2] = {rv_canvas_new(), rv_canvas_new()};
    cairo_surface_t *images[3] = {blank(200, 100), blank(200, 100), blank(300, 200)};
    uint64_t state = 9;
    int x = 0, y = 0;
    for (int i = 0; i < 100; i++) {
        cairo_surface_t *image = images[next(&state) % 3];
        still_scene(&scene, (int)(next(&state) % N_DIFFERENCES));
        scene.width = cairo_image_surface_get_width(image);
        scene.height = cairo_image_surface_get_height(image);
        rv_canvas_frame(canvases[next(&state) % 2], image, &scene);
        cairo_surface_t *fresh = painted_fresh(&scene);
        cr_assert(difference(image, fresh, &x, &y) <= 2, "frame %d", i);
        cairo_surface_destroy(fresh);
    }
    for (int i = 0; i < 3; i++) cairo_surface_destroy(images[i]);
    for (int i = 0; i < 2; i++) rv_canvas_free(canvases[i]);
}

/* ------------------------------------------------------------------------------- vectors, and crisp */

/* Paints as vectors, as into a file, and only then makes pixels of it. */
static cairo_surface_t *painted_as_vectors(rv_canvas *canvas, const rv_scene *scene) {
    const cairo_rectangle_t all = {0, 0, scene->width, scene->height};
    cairo_surface_t *record = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, &all);
    cairo_t *cr = cairo_create(record);
    rv_canvas_paint(canvas, cr, scene);
    cairo_destroy(cr);
    cairo_surface_t *image = blank((int)scene->width, (int)scene->height);
    cr = cairo_create(image);
    cairo_set_source_surface(cr, record, 0, 0);
    cairo_paint(cr);
    cairo_destroy(cr);
    cairo_surface_destroy(record);
    return image;
}

/* The mean difference of fields of 8 x 8 pixels, at its largest: half a pixel's shift is small in it. */
static double coarse_difference(cairo_surface_t *a, cairo_surface_t *b) {
    double most = 0;
    for (int at = 0; at < 25 * 18; at++) {
        double sums[2][3] = {{0}};
        for (int p = 0; p < 64; p++) {
            const int x = at % 25 * 8 + p % 8, y = at / 25 * 8 + p / 8;
            for (int c = 0; c < 3; c++) {
                sums[0][c] += pixel_at(a, x, y) >> (8 * c) & 0xFF;
                sums[1][c] += pixel_at(b, x, y) >> (8 * c) & 0xFF;
            }
        }
        for (int c = 0; c < 3; c++) most = fmax(most, fabs(sums[0][c] - sums[1][c]) / 64);
    }
    return most;
}

Test(canvas, paints_files_of_vectors_and_frames_alike) {
    OWN_SCENE scene = {0};
    rv_canvas *canvas = rv_canvas_new();
    const rv_look look = rv_look_of(false, 1280, 720, 1);
    for (int rank = 0; rank < 16; rank++) {
        const rv_dye dye = rv_dye_of(&look, rank);
        rv_scene_start(&scene, 200, 150, look.ground);
        for (int i = 0; i < 4; i++) {
            const rv_box box = {10.3 + 47 * i, 12.6, 40, 30 + 5 * i};
            rv_item *item = rv_scene_rect(&scene, box, i * 3, dye.fill);
            item->pattern = (uint8_t)dye.pattern;
            item->hatch = dye.hatch;
            item->stroke = look.outline;
            item->line = 1.2;
        }
        rv_scene_disc(&scene, (rv_point){40, 100}, 25, dye.fill)->pattern = (uint8_t)dye.pattern;
        rv_scene_label(&scene, (rv_box){80, 70, 110, 30}, RV_MIDDLE, 17, look.ink, "GPU 3 汇总");
        rv_scene_label(&scene, (rv_box){80, 110, 110, 30}, RV_RIGHT, 20, look.accent, "8.04 ms");
        cairo_surface_t *frame = painted_fresh(&scene);
        cairo_surface_t *vectors = painted_as_vectors(canvas, &scene);
        const double most = coarse_difference(frame, vectors);
        cr_expect(most < 40, "GPU %d: fields differ by up to %.0f", rank, most);
        cairo_surface_destroy(frame);
        cairo_surface_destroy(vectors);
    }
    rv_canvas_free(canvas);
}

Test(canvas, lays_lines_and_edges_on_whole_pixels) {
    OWN_SCENE scene = {0};
    rv_scene_start(&scene, 120, 80, 0xFFFFFFFF);
    rv_scene_rect(&scene, (rv_box){10.3, 10.4, 30.2, 20.3}, 0, 0x000000FF);
    rv_item *frame = rv_scene_rect(&scene, (rv_box){60.3, 10.4, 30.2, 20.3}, 0, 0);
    frame->stroke = 0x000000FF;
    frame->line = 1.2;
    rv_scene_segment(&scene, (rv_point){10, 50.4}, (rv_point){100, 50.4}, 1, 0x000000FF);
    cairo_surface_t *image = painted_fresh(&scene);
    for (int at = 0; at < 120 * 80; at++) {
        const int x = at % 120, y = at / 120;
        if (y >= 49 && y <= 51 && (x < 12 || x > 98)) continue; /* the segment's round ends */
        const uint32_t pixel = pixel_at(image, x, y);
        cr_assert(pixel == 0xFFFFFFFF || pixel == 0xFF000000, "%d,%d: %08x", x, y, pixel);
    }
    cairo_surface_destroy(image);
}

/* ---------------------------------------------------------------------------------------- labels */

static void expect_blank_outside(cairo_surface_t *image, rv_box box, const char *name,
                                 double size) {
    for (int y = 0; y < cairo_image_surface_get_height(image); y++) {
        for (int x = 0; x < cairo_image_surface_get_width(image); x++) {
            if (x >= floor(box.x) && y >= floor(box.y) && x < ceil(box.x + box.w) &&
                y < ceil(box.y + box.h)) {
                continue;
            }
            cr_assert(pixel_at(image, x, y) == 0xFFFFFFFF, "'%s' of %.1f px in %.1f x %.1f: %d,%d",
                      name, size, box.w, box.h, x, y);
        }
    }
}

Test(canvas, never_writes_outside_a_labels_box) {
    OWN_SCENE scene = {0};
    rv_canvas *canvas = rv_canvas_new();
    uint64_t state = 3;
    for (int i = 0; i < 600; i++) {
        const rv_box box = {between(&state, 20, 40), between(&state, 20, 40),
                            between(&state, 1, 100), between(&state, 1, 50)};
        const double size = between(&state, 3, 60);
        const char *text = texts[i % N_TEXTS];
        rv_scene_start(&scene, 160, 110, 0xFFFFFFFF);
        rv_item *item = rv_scene_label(&scene, box, (rv_align)(next(&state) % 3), size, 0xFF, text);
        item->wrap = next(&state) & 1;
        item->bold = next(&state) & 1;
        item->mono = next(&state) & 1;
        item->top = next(&state) & 1;
        if (next(&state) & 1) item->stroke = 0xD55E00FF;
        cairo_surface_t *frame = painted_fresh(&scene);
        cairo_surface_t *vectors = painted_as_vectors(canvas, &scene);
        expect_blank_outside(frame, box, text, size);
        expect_blank_outside(vectors, box, text, size);
        cairo_surface_destroy(frame);
        cairo_surface_destroy(vectors);
    }
    rv_canvas_free(canvas);
}

/* The columns in which a picture has ink. */
static void inked(cairo_surface_t *image, int *left, int *right) {
    *left = 1 << 20;
    *right = -1;
    for (int y = 0; y < cairo_image_surface_get_height(image); y++) {
        for (int x = 0; x < cairo_image_surface_get_width(image); x++) {
            if (pixel_at(image, x, y) == 0xFFFFFFFF) continue;
            if (x < *left) *left = x;
            if (x > *right) *right = x;
        }
    }
}

static void label_columns(const char *text, double width, bool bold, int *left, int *right) {
    OWN_SCENE scene = {0};
    rv_scene_start(&scene, 400, 60, 0xFFFFFFFF);
    rv_scene_label(&scene, (rv_box){10, 10, width, 40}, RV_LEFT, 20, 0x000000FF, text)->bold = bold;
    cairo_surface_t *image = painted_fresh(&scene);
    inked(image, left, right);
    cairo_surface_destroy(image);
}

Test(canvas, writes_all_digits_in_one_width) {
    for (int bold = 0; bold < 2; bold++) {
        int left, first_right = 0, right;
        for (int digit = 0; digit < 10; digit++) {
            char text[16];
            memset(text, '0' + digit, 10);
            strcpy(text + 10, "|");
            label_columns(text, 380, bold, &left, &right);
            if (digit == 0) first_right = right;
            cr_expect(right == first_right, "%s ends at %d, not at %d", text, right, first_right);
        }
    }
}

Test(canvas, shrinks_what_is_too_wide_before_it_cuts) {
    int left, wide, fitted, cut;
    label_columns("chunk 3 of GPU 4", 380, false, &left, &wide);
    const double width = wide - left + 1;
    label_columns("chunk 3 of GPU 4", 0.8 * width, false, &left, &fitted);
    cr_expect(fitted <= 10 + 0.8 * width && fitted >= 10 + 0.74 * width, "%d of %.0f", fitted,
              width);
    label_columns("chunk 3 of GPU 4", 0.4 * width, false, &left, &cut);
    cr_expect(cut <= 10 + 0.4 * width && cut > 10 + 0.25 * width, "%d of %.0f", cut, width);
}

Test(canvas, tells_what_the_fonts_can_write) {
    rv_canvas *canvas = rv_canvas_new();
    cr_expect(rv_canvas_can_write(canvas, "GPU 3"));
    cr_expect_not(rv_canvas_can_write(canvas, "\U000F1234")); /* in private use */
    rv_canvas_free(canvas);
}

/* ------------------------------------------------------------------------------------------- files */

static void count_bytes(void *context, const char *bytes, size_t n_bytes) {
    (void)bytes;
    *(size_t *)context += n_bytes;
}

Test(canvas, keeps_files_of_many_hatched_cells_small) {
    OWN_VIEW v = {0};
    view_fixture_start(&v, "ring", 16);
    const rv_options options = {.at = 14, .colour = true, .views = RV_VIEW_ALL};
    for (rv_picture kind = RV_SVG; kind <= RV_PDF; kind++) {
        size_t n_bytes = 0;
        cr_assert(rv_gui_picture(&v.subject, &options, kind, count_bytes, &n_bytes, NULL,
                                 &v.error) == RS_OK);
        cr_expect(n_bytes > 10000 && n_bytes < 1 << 20, "%zu bytes", n_bytes);
    }
}

/* ---------------------------------------------------------------------------------------- anything */

/* The sanitizers look at each of pango's many small blocks: a third keeps them within minutes. */
#ifdef SANITIZED
enum { N_RANDOM_SCENES = 1000 };
#else
enum { N_RANDOM_SCENES = 3000 };
#endif

Test(canvas, takes_any_scene, .timeout = 900) {
    OWN_SCENE scene = {0};
    rv_canvas *canvas = rv_canvas_new();
    cairo_surface_t *image = blank(96, 72);
    for (uint64_t seed = 1; seed <= N_RANDOM_SCENES; seed++) {
        any_scene(seed, &scene, 96, 72, 6);
        rv_canvas_frame(canvas, image, &scene);
        cr_assert(cairo_surface_status(image) == CAIRO_STATUS_SUCCESS, "scene %d", (int)seed);
    }
    cairo_surface_destroy(image);
    rv_canvas_free(canvas);
}
