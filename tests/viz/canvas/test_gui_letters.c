/* test_gui_letters.c: bold letters have more ink than others, those of one width are of one width; lines keep to their side. */
#include "canvas/canvas.h"
#include "scene/look.h"

#include <criterion/criterion.h>

enum { WIDTH = 400, HEIGHT = 80 };

typedef struct written {
    double ink; /* pixels, black ones count 1 */
    int left, right, width;
} written;

/* What the rows from `top` on show. */
static written read_ink(cairo_surface_t *image, int top) {
    written w = {.left = WIDTH};
    for (int y = top; y < HEIGHT; y++) {
        const unsigned char *row = cairo_image_surface_get_data(image) +
                                   (ptrdiff_t)y * cairo_image_surface_get_stride(image);
        for (int x = 0; x < WIDTH; x++) {
            const double dark = 1 - row[4 * x] / 255.0;
            w.ink += dark;
            if (dark > 0.2 && x < w.left) w.left = x;
            if (dark > 0.2 && x > w.right) w.right = x;
        }
    }
    w.width = w.right - w.left;
    return w;
}

static cairo_surface_t *painted(rv_canvas *canvas, const rv_scene *scene) {
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    cairo_t *cr = cairo_create(image);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    rv_canvas_paint(canvas, cr, scene);
    cairo_destroy(cr);
    cairo_surface_flush(image);
    return image;
}

static written write_text(rv_canvas *canvas, const char *text, bool bold, bool mono) {
    rv_scene scene = {0};
    const rv_box box = {5, 5, WIDTH - 10, HEIGHT - 10};
    rv_item *label = rv_scene_label(&scene, box, RV_LEFT, 20, 0xFF, text);
    label->bold = bold;
    label->mono = mono;
    cairo_surface_t *image = painted(canvas, &scene);
    const written w = read_ink(image, 0);
    cairo_surface_destroy(image);
    rv_scene_free(&scene);
    return w;
}

Test(gui_letters, letters_have_the_weight_and_the_width_that_was_asked_for) {
    rs_error error;
    if (!rv_has_fonts(&error)) {
        cr_skip_test("skipped: this machine has no fonts");
        return;
    }
    rv_canvas *canvas = rv_canvas_new();
    for (int mono = 0; mono < 2; mono++) {
        const written plain = write_text(canvas, "HmnHmnH", false, mono == 1);
        const written bold = write_text(canvas, "HmnHmnH", true, mono == 1);
        cr_expect_gt(plain.ink, 100);
        cr_expect_gt(bold.ink, 1.15 * plain.ink, "mono %d: %g and %g", mono, bold.ink, plain.ink);
    }
    for (int bold = 0; bold < 2; bold++) {
        const written wide = write_text(canvas, "HmmmmmmH", bold == 1, false);
        const written thin = write_text(canvas, "HiiiiiiH", bold == 1, false);
        cr_expect_gt(wide.width, 1.5 * thin.width, "bold %d", bold);
        const written wide_mono = write_text(canvas, "HmmmmmmH", bold == 1, true);
        const written thin_mono = write_text(canvas, "HiiiiiiH", bold == 1, true);
        cr_expect_eq(wide_mono.width, thin_mono.width, "bold %d: %d and %d", bold, wide_mono.width,
                     thin_mono.width);
    }
    rv_canvas_free(canvas);
}

/* The short last line of a text in lines lies on the side that was asked for, as a single line does. */
Test(gui_letters, lines_keep_to_their_side) {
    enum { LEFT = 40, ROOM = 200 };
    rs_error error;
    if (!rv_has_fonts(&error)) {
        cr_skip_test("skipped: this machine has no fonts");
        return;
    }
    rv_canvas *canvas = rv_canvas_new();
    static const rv_align sides[] = {RV_LEFT, RV_MIDDLE, RV_RIGHT};
    for (int i = 0; i < 6; i++) {
        rv_scene scene = {0};
        const bool wrap = i >= 3;
        const rv_box box = {LEFT, 5, ROOM, HEIGHT - 10};
        rv_scene_label(&scene, box, sides[i % 3], 20, 0xFF, wrap ? "mmmmmmmmm mm" : "mm")->wrap =
            wrap;
        cairo_surface_t *image = painted(canvas, &scene);
        const written w = read_ink(image, wrap ? HEIGHT / 2 : 0);
        cr_expect(w.width > 15 && w.width < ROOM / 3, "%d: %d wide", i, w.width);
        const int free_left = w.left - LEFT, free_right = LEFT + ROOM - w.right;
        if (i % 3 == 0) cr_expect_lt(free_left, 8, "%d: %d", i, free_left);
        if (i % 3 == 1)
            cr_expect(free_left - free_right < 8 && free_right - free_left < 8, "%d: %d, %d", i,
                      free_left, free_right);
        if (i % 3 == 2) cr_expect_lt(free_right, 8, "%d: %d", i, free_right);
        cairo_surface_destroy(image);
        rv_scene_free(&scene);
    }
    rv_canvas_free(canvas);
}
