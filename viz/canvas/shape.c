/* shape.c: paints one item of a scene.
 *
 *   - In pictures made of pixels, it moves straight lines and the edges of rectangles to whole
 *     pixels: they are sharp, meet without a seam and need no anti-aliasing. Vector files keep
 *     every coordinate as it is.
 */
#include "canvas/canvas.h"

#include <math.h>

/* ---------------------------------------------------------------------------------- whole pixels */

static double whole(double x) {
    return floor(x + 0.5);
}

/* Moves both ends of an extent to whole pixels; leaves one thinner than a pixel, which could
   vanish. */
static void snap_extent(double *from, double *length) {
    if (*length < 1) return;
    const double end = whole(*from + *length);
    *from = whole(*from);
    *length = end - *from;
}

/* Returns the width of a stroke, in whole pixels if it has at least one. */
static double stroke_width(const rv_brush *brush, const rv_item *item) {
    return brush->pixels && item->line >= 1 ? whole(item->line) : item->line;
}

/* Moves the middle of a stroke so that its edges lie on whole pixels. */
static double snap_stroke(double x, double width) {
    return whole(x - width / 2) + width / 2;
}

static rv_box snapped(const rv_brush *brush, const rv_item *item) {
    rv_box b = item->box;
    const double width = item->stroke != 0 ? stroke_width(brush, item) : 0;
    if (!brush->pixels) return b;
    if (width >= 1) {
        const double right = snap_stroke(b.x + b.w, width), bottom = snap_stroke(b.y + b.h, width);
        b.x = snap_stroke(b.x, width);
        b.y = snap_stroke(b.y, width);
        return (rv_box){b.x, b.y, right - b.x, bottom - b.y};
    }
    snap_extent(&b.x, &b.w);
    snap_extent(&b.y, &b.h);
    return b;
}

/* ----------------------------------------------------------------------------------------- paths */

static void rect_path(cairo_t *cr, rv_box b, double radius) {
    const double r = fmin(radius, fmin(b.w, b.h) / 2), quarter = 1.57079632679489661923;
    if (r <= 0.5) {
        cairo_rectangle(cr, b.x, b.y, b.w, b.h);
        return;
    }
    cairo_new_sub_path(cr);
    cairo_arc(cr, b.x + b.w - r, b.y + r, r, -quarter, 0);
    cairo_arc(cr, b.x + b.w - r, b.y + b.h - r, r, 0, quarter);
    cairo_arc(cr, b.x + r, b.y + b.h - r, r, quarter, 2 * quarter);
    cairo_arc(cr, b.x + r, b.y + r, r, 2 * quarter, 3 * quarter);
    cairo_close_path(cr);
}

static void segment_path(const rv_brush *brush, const rv_item *item) {
    rv_box b = item->box;
    const double width = stroke_width(brush, item);
    if (brush->pixels && b.w == 0) b.x = snap_stroke(b.x, width);
    if (brush->pixels && b.h == 0) b.y = snap_stroke(b.y, width);
    cairo_move_to(brush->cr, b.x, b.y);
    cairo_line_to(brush->cr, b.x + b.w, b.y + b.h);
}

static void shape_path(const rv_brush *brush, const rv_item *item) {
    cairo_t *cr = brush->cr;
    const bool has_points = item->shape == RV_POLYGON && item->n > 0;
    const rv_point *points = has_points ? brush->scene->points + item->first : NULL;
    const rv_point c = rv_centre(item->box);
    cairo_new_path(cr);
    switch ((rv_shape)item->shape) {
    case RV_RECT: rect_path(cr, snapped(brush, item), item->radius); break;
    case RV_DISC: cairo_arc(cr, c.x, c.y, item->box.w / 2, 0, 6.28318530717958647692); break;
    case RV_SEGMENT: segment_path(brush, item); break;
    case RV_ARC: cairo_arc(cr, c.x, c.y, item->box.w / 2, item->from, item->to); break;
    case RV_POLYGON:
        for (int32_t i = 0; i < item->n; i++) cairo_line_to(cr, points[i].x, points[i].y);
        if (item->fill != 0) cairo_close_path(cr);
        break;
    case RV_LABEL:
    case RV_GRID: break;
    }
}

/* --------------------------------------------------------------------------------------- strokes */

static void arrow_head(cairo_t *cr, double x, double y, double angle, double size) {
    cairo_move_to(cr, x, y);
    cairo_line_to(cr, x - size * cos(angle - 0.45), y - size * sin(angle - 0.45));
    cairo_line_to(cr, x - size * cos(angle + 0.45), y - size * sin(angle + 0.45));
    cairo_close_path(cr);
    cairo_fill(cr);
}

double rv_arrow_size(const rv_item *item, double unit) {
    return 0.25 * unit + 2.5 * item->line;
}

static void stroke_shape(const rv_brush *brush, const rv_item *item) {
    cairo_t *cr = brush->cr;
    const double dash = 2.5 * item->line + 0.12 * brush->scene->unit;
    rv_set_colour(cr, item->stroke);
    cairo_set_line_width(cr, stroke_width(brush, item));
    cairo_set_dash(cr, &dash, item->dashed ? 1 : 0, 0);
    /* Rectangles keep their corners sharp, or have round ones of their own. */
    const bool closed = item->shape == RV_RECT || item->shape == RV_DISC;
    cairo_set_line_join(cr, closed ? CAIRO_LINE_JOIN_MITER : CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(cr, closed ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
    cairo_stroke(cr);
    if (!item->arrow) return;
    const double size = rv_arrow_size(item, brush->scene->unit);
    if (item->shape == RV_SEGMENT) {
        arrow_head(cr, item->box.x + item->box.w, item->box.y + item->box.h,
                   atan2(item->box.h, item->box.w), size);
    } else if (item->shape == RV_ARC) {
        const rv_point c = rv_centre(item->box);
        const double r = item->box.w / 2;
        arrow_head(cr, c.x + r * cos(item->to), c.y + r * sin(item->to),
                   item->to + 1.5707963 - size / (4 * r), size);
    }
}

/* ---------------------------------------------------------------------------------------- a grid */

/* Returns the mean colour of the fields from (x0, y0) to before (x1, y1). */
static uint32_t mean_of(const rv_colour *fields, int32_t columns, int32_t x0, int32_t x1,
                        int32_t y0, int32_t y1) {
    uint64_t red = 0, green = 0, blue = 0;
    const uint64_t n = (uint64_t)(x1 - x0) * (uint64_t)(y1 - y0);
    if (n == 1) return fields[(int64_t)y0 * columns + x0] >> 8;
    for (int32_t y = y0; y < y1; y++) {
        for (int32_t x = x0; x < x1; x++) {
            const rv_colour field = fields[(int64_t)y * columns + x];
            red += field >> 24;
            green += field >> 16 & 0xFF;
            blue += field >> 8 & 0xFF;
        }
    }
    return (uint32_t)((red + n / 2) / n << 16 | (green + n / 2) / n << 8 | (blue + n / 2) / n);
}

/* Finds the fields that pixel `at` of `pixels` shows: one if there are at least as many pixels as
   fields, else several, so that no field is lost. */
static void fields_of(int32_t at, int32_t pixels, int32_t fields, int32_t *from, int32_t *to) {
    if (pixels >= fields) {
        *from = (int32_t)(((int64_t)2 * at + 1) * fields / ((int64_t)2 * pixels));
        *to = *from + 1;
        return;
    }
    *from = (int32_t)((int64_t)at * fields / pixels);
    *to = (int32_t)((int64_t)(at + 1) * fields / pixels);
}

static cairo_surface_t *grid_image(const rv_scene *scene, const rv_item *item, int32_t rows,
                                   int32_t width, int32_t height) {
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    if (cairo_surface_status(image) != CAIRO_STATUS_SUCCESS) return image;
    unsigned char *data = cairo_image_surface_get_data(image);
    const int stride = cairo_image_surface_get_stride(image);
    for (int32_t y = 0; y < height; y++) {
        uint32_t *out = (uint32_t *)(void *)(data + (ptrdiff_t)y * stride);
        int32_t x0, x1, y0, y1;
        fields_of(y, height, rows, &y0, &y1);
        for (int32_t x = 0; x < width; x++) {
            fields_of(x, width, item->columns, &x0, &x1);
            out[x] = mean_of(scene->pixels + item->first, item->columns, x0, x1, y0, y1);
        }
    }
    cairo_surface_mark_dirty(image);
    return image;
}

/* In pixels the image has the box's size; in files it has a pixel a field, and is stretched. */
static void paint_grid(const rv_brush *brush, const rv_item *item) {
    cairo_t *cr = brush->cr;
    rv_box b = item->box;
    if (item->columns < 1 || b.w <= 0 || b.h <= 0 || b.w > 20000 || b.h > 20000) return;
    const int32_t rows = item->n / item->columns;
    int32_t width = item->columns, height = rows;
    if (brush->pixels) {
        width = (int32_t)fmax(1, whole(b.x + b.w) - whole(b.x));
        height = (int32_t)fmax(1, whole(b.y + b.h) - whole(b.y));
        b = (rv_box){whole(b.x), whole(b.y), width, height};
    }
    cairo_surface_t *image = grid_image(brush->scene, item, rows, width, height);
    if (cairo_surface_status(image) == CAIRO_STATUS_SUCCESS) {
        cairo_save(cr);
        cairo_translate(cr, b.x, b.y);
        cairo_scale(cr, b.w / width, b.h / height);
        cairo_set_source_surface(cr, image, 0, 0);
        cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
        cairo_rectangle(cr, 0, 0, width, height);
        cairo_fill(cr);
        cairo_restore(cr);
    }
    cairo_surface_destroy(image);
}

/* ------------------------------------------------------------------------------------------- all */

void rv_paint_item(const rv_brush *brush, const rv_item *item) {
    if (item->shape == RV_LABEL) {
        rv_label_paint(brush->labels, brush->cr, item, rv_label_text(brush->scene, item),
                       brush->pixels);
        return;
    }
    if (item->shape == RV_GRID) {
        paint_grid(brush, item);
        return;
    }
    const bool stroked = item->line > 0 && item->stroke != 0;
    if (item->fill == 0 && !stroked) return; /* invisible: only the pointer hits it */
    shape_path(brush, item);
    if (item->fill != 0) {
        rv_fill(brush->tiles, brush->cr, item, brush->scene->unit, brush->pixels);
    }
    if (stroked) stroke_shape(brush, item);
    cairo_new_path(brush->cr);
}
