/* test_gui_ink.c: where an item has ink: never outside the box that frames are painted anew by (rv_ink_of), on whole
 * pixels where it is straight, and nowhere far from where it was asked for.
 */
#include "canvas/canvas.h"
#include "scene/look.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { WIDTH = 260, HEIGHT = 200 };

static uint64_t state;

static double between(double from, double to) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return from + (to - from) * (double)(state >> 33 & 0xFFFF) / 65535;
}
static int below(int n) {
    return (int)between(0, n - 0.001);
}

static uint32_t pixel_at(cairo_surface_t *image, int x, int y) {
    uint32_t pixel;
    memcpy(&pixel,
           cairo_image_surface_get_data(image) +
               (ptrdiff_t)y * cairo_image_surface_get_stride(image) + 4 * (ptrdiff_t)x,
           sizeof pixel);
    return pixel & 0xFFFFFF;
}

/* As a frame of the window, or as a file has it. */
static cairo_surface_t *painted(rv_canvas *canvas, const rv_scene *scene, bool frame) {
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    if (frame) {
        rv_canvas_frame(canvas, image, scene);
    } else {
        cairo_t *cr = cairo_create(image);
        rv_canvas_paint(canvas, cr, scene);
        cairo_destroy(cr);
        cairo_surface_flush(image);
    }
    return image;
}

/* The columns and rows with ink: left and top, the first beyond. */
static rv_box ink_in(cairo_surface_t *image) {
    int x0 = WIDTH, x1 = 0, y0 = HEIGHT, y1 = 0;
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            if (pixel_at(image, x, y) == 0xFFFFFF) continue;
            x0 = x < x0 ? x : x0, x1 = x + 1 > x1 ? x + 1 : x1;
            y0 = y < y0 ? y : y0, y1 = y + 1 > y1 ? y + 1 : y1;
        }
    }
    return (rv_box){x0, y0, x1 - x0, y1 - y0};
}

static rv_item *any_item(rv_scene *scene) {
    const rv_point a = {between(70, 190), between(60, 140)},
                   b = {between(70, 190), between(60, 140)};
    const rv_point points[3] = {a, b, {between(70, 190), between(60, 140)}};
    const double line = between(0.3, 6);
    switch (below(5)) {
    case 0: return rv_scene_disc(scene, a, between(1, 40), 0xFF);
    case 1: return rv_scene_polygon(scene, points, 3, 0xFF);
    case 2:
        return rv_scene_rect(scene, (rv_box){a.x, a.y, between(1, 60), between(1, 50)},
                             between(0, 9), 0xFF);
    case 3:
        return rv_scene_arc(scene, a, between(8, 40), between(-7, 7), between(-7, 7), line, 0xFF);
    default:
        return rv_scene_segment(scene, a, (rv_point){below(3) ? b.x : a.x, below(3) ? b.y : a.y},
                                line, 0xFF);
    }
}

Test(gui_ink, lies_in_the_box_by_which_frames_are_painted_anew) {
    rv_scene scene = {0};
    rv_canvas *canvas = rv_canvas_new();
    int n_close = 0;
    state = 1;
    for (int i = 0; i < 3000; i++) {
        rv_scene_start(&scene, WIDTH, HEIGHT, 0xFFFFFFFF);
        scene.unit = between(8, 44);
        rv_item *item = any_item(&scene);
        item->arrow = below(2);
        if (below(2) && item->stroke == 0) {
            item->stroke = 0xFF;
            item->line = between(0.3, 6);
        }
        const rv_box box = rv_ink_of(item, scene.unit);
        cairo_surface_t *image = painted(canvas, &scene, i % 2);
        const rv_box ink = ink_in(image);
        cairo_surface_destroy(image);
        if (ink.w <= 0) continue;
        cr_assert(
            ink.x >= floor(box.x) && ink.y >= floor(box.y) &&
                ink.x + ink.w <= ceil(box.x + box.w) && ink.y + ink.h <= ceil(box.y + box.h),
            "item %d, shape %d, arrow %d: ink in %.1f,%.1f %.1f x %.1f, box %.1f,%.1f %.1f x %.1f",
            i, (int)item->shape, (int)item->arrow, ink.x, ink.y, ink.w, ink.h, box.x, box.y, box.w,
            box.h);
        const double slack = item->arrow ? 80 : 14;
        n_close += box.w <= ink.w + slack && box.h <= ink.h + slack;
    }
    cr_expect_gt(n_close, 2700, "boxes are close to the ink: %d", n_close);
    rv_canvas_free(canvas);
    rv_scene_free(&scene);
}

/* Straight strokes and edges in frames: as many whole pixels as they are wide, at most half a pixel away. */
Test(gui_ink, of_what_is_straight_is_sharp_and_less_than_a_pixel_from_its_place) {
    rv_scene scene = {0};
    rv_canvas *canvas = rv_canvas_new();
    state = 2;
    for (int i = 0; i < 600; i++) {
        const bool upright = i % 2;
        const double line = between(0.6, 7), at = between(60, 90), from = between(30, 40),
                     length = between(30, 80);
        const double whole = line >= 1 ? floor(line + 0.5) : 1;
        rv_scene_start(&scene, WIDTH, HEIGHT, 0xFFFFFFFF);
        const int kind = below(3);
        double wide = whole, middle = at;
        if (kind == 0) {
            const rv_point a = {upright ? at : from, upright ? from : at};
            const rv_point b = {upright ? at : from + length, upright ? from + length : at};
            rv_scene_segment(&scene, a, b, line, 0xFF);
        } else {
            const rv_box box = {upright ? at : from, upright ? from : at, length, length};
            rv_item *item = rv_scene_rect(&scene, box, 0, 0xFF);
            wide = length;
            middle = at + length / 2;
            if (kind == 2) {
                item->stroke = 0xFF;
                item->line = line;
                wide += whole;
            }
        }
        cairo_surface_t *image = painted(canvas, &scene, true);
        const rv_box ink = ink_in(image);
        const double ink_wide = upright ? ink.w : ink.h;
        const double ink_middle = upright ? ink.x + ink.w / 2 : ink.y + ink.h / 2;
        cr_expect(fabs(ink_wide - wide) <= (kind == 0 ? 1e-9 : 1) + (line < 1),
                  "%d: %g wide, not %g", i, ink_wide, wide);
        cr_expect(fabs(ink_middle - middle) <= 0.51 + (line < 1),
                  "%d: line %g, middle at %g, not %g", i, line, ink_middle, middle);
        for (int y = 0; y < HEIGHT && line >= 1; y++) {
            const uint32_t p = pixel_at(image, upright ? (int)ink.x : (int)(from + length / 2),
                                        upright ? (int)(from + length / 2) : y);
            cr_expect(p == 0 || p == 0xFFFFFF, "%d: not sharp: %06x", i, p);
        }
        cairo_surface_destroy(image);
    }
    rv_canvas_free(canvas);
    rv_scene_free(&scene);
}

/* ------------------------------------------------------------------------------------ many fields */

/* A grid of more fields than pixels: no field is lost, each pixel is the mean of those below it. */
Test(gui_ink, of_a_grid_is_the_mean_of_its_fields) {
    rv_scene scene = {0};
    rv_canvas *canvas = rv_canvas_new();
    state = 3;
    for (int i = 0; i < 60; i++) {
        const int across = 1 + below(6), down = 1 + below(6), w = 5 + below(10), h = 5 + below(10);
        const int columns = across * w, rows = down * h;
        rv_colour *fields;
        rv_scene_start(&scene, WIDTH, HEIGHT, 0xFFFFFFFF);
        rv_scene_grid(&scene, (rv_box){20, 30, w, h}, columns, rows, &fields);
        for (int f = 0; f < columns * rows; f++) {
            fields[f] = (rv_colour)below(256) << 24 | (rv_colour)below(256) << 16 |
                        (rv_colour)below(256) << 8 | 0xFF;
        }
        cairo_surface_t *image = painted(canvas, &scene, true);
        for (int at = 0; at < w * h; at++) {
            for (int channel = 0; channel < 3; channel++) {
                double sum = 0;
                for (int f = 0; f < across * down; f++) {
                    const int x = at % w * across + f % across, y = at / w * down + f / across;
                    sum += fields[y * columns + x] >> (8 * channel + 8) & 0xFF;
                }
                const double is = pixel_at(image, 20 + at % w, 30 + at / w) >> (8 * channel) & 0xFF;
                cr_assert(fabs(is - sum / (across * down)) <= 0.51,
                          "%d x %d fields on %d x %d pixels: %g, not %g", columns, rows, w, h, is,
                          sum / (across * down));
            }
        }
        cairo_surface_destroy(image);
    }
    rv_canvas_free(canvas);
    rv_scene_free(&scene);
}
