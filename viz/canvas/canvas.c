/* canvas.c: see canvas.h. */
#include "canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rv_canvas {
    rv_labels *labels;
    cairo_surface_t *still; /* the STILL layer as it was painted last; NULL */
    uint64_t still_hash;
};

static void set_colour(cairo_t *cr, rv_colour colour) {
    cairo_set_source_rgba(cr, (colour >> 24) / 255.0, (colour >> 16 & 0xFF) / 255.0,
                          (colour >> 8 & 0xFF) / 255.0, (colour & 0xFF) / 255.0);
}

/* --------------------------------------------------------------------------------------- hatching */

/* Adds the lines of a pattern across a box, `gap` apart. */
static void hatch_path(cairo_t *cr, rv_pattern pattern, rv_box b, double gap) {
    const bool level = pattern == RV_LEVEL || pattern == RV_CHECKS;
    const bool upright = pattern == RV_UPRIGHT || pattern == RV_CHECKS;
    const bool rising = pattern == RV_RISING || pattern == RV_CROSSED;
    const bool falling = pattern == RV_FALLING || pattern == RV_CROSSED;
    for (double y = b.y + gap / 2; level && y < b.y + b.h; y += gap) {
        cairo_move_to(cr, b.x, y);
        cairo_line_to(cr, b.x + b.w, y);
    }
    for (double x = b.x + gap / 2; upright && x < b.x + b.w; x += gap) {
        cairo_move_to(cr, x, b.y);
        cairo_line_to(cr, x, b.y + b.h);
    }
    for (double x = b.x - b.h; (rising || falling) && x < b.x + b.w; x += 1.4 * gap) {
        if (rising) {
            cairo_move_to(cr, x, b.y + b.h);
            cairo_line_to(cr, x + b.h, b.y);
        }
        if (falling) {
            cairo_move_to(cr, x, b.y);
            cairo_line_to(cr, x + b.h, b.y + b.h);
        }
    }
}

static void paint_hatch(cairo_t *cr, const rv_item *item, double unit) {
    const double gap = 0.32 * unit;
    cairo_save(cr);
    cairo_clip_preserve(cr);
    cairo_new_path(cr);
    set_colour(cr, item->hatch);
    if (item->pattern == RV_DOTS) {
        const rv_box b = item->box;
        for (double y = b.y + gap / 2; y < b.y + b.h; y += gap) {
            for (double x = b.x + gap / 2; x < b.x + b.w; x += gap) {
                cairo_new_sub_path(cr);
                cairo_arc(cr, x, y, 0.07 * unit, 0, 6.2832);
            }
        }
        cairo_fill(cr);
    } else {
        hatch_path(cr, (rv_pattern)item->pattern, item->box, gap);
        cairo_set_line_width(cr, 0.075 * unit);
        cairo_stroke(cr);
    }
    cairo_restore(cr);
}

/* ----------------------------------------------------------------------------------------- shapes */

static void rect_path(cairo_t *cr, rv_box b, double radius) {
    const double r = fmin(radius, fmin(b.w, b.h) / 2), quarter = 1.57079632679489661923;
    if (r <= 0) {
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

static void arrow_head(cairo_t *cr, double x, double y, double angle, double size) {
    cairo_move_to(cr, x, y);
    cairo_line_to(cr, x - size * cos(angle - 0.45), y - size * sin(angle - 0.45));
    cairo_line_to(cr, x - size * cos(angle + 0.45), y - size * sin(angle + 0.45));
    cairo_close_path(cr);
    cairo_fill(cr);
}

static void shape_path(cairo_t *cr, const rv_scene *scene, const rv_item *item) {
    const rv_point c = rv_centre(item->box);
    switch ((rv_shape)item->shape) {
    case RV_RECT: rect_path(cr, item->box, item->radius); break;
    case RV_DISC: cairo_arc(cr, c.x, c.y, item->box.w / 2, 0, 6.28318530717958647692); break;
    case RV_SEGMENT:
        cairo_move_to(cr, item->box.x, item->box.y);
        cairo_line_to(cr, item->box.x + item->box.w, item->box.y + item->box.h);
        break;
    case RV_ARC: cairo_arc(cr, c.x, c.y, item->box.w / 2, item->from, item->to); break;
    case RV_POLYGON:
        for (int32_t i = 0; i < item->n; i++) {
            cairo_line_to(cr, scene->points[item->first + i].x, scene->points[item->first + i].y);
        }
        if (item->fill != 0) cairo_close_path(cr);
        break;
    case RV_LABEL:
    case RV_GRID: break;
    }
}

static void stroke_shape(cairo_t *cr, const rv_item *item, double unit) {
    const double dash = 2.5 * item->line + 0.12 * unit;
    set_colour(cr, item->stroke);
    cairo_set_line_width(cr, item->line);
    cairo_set_dash(cr, &dash, item->dashed ? 1 : 0, 0);
    cairo_stroke(cr);
    if (!item->arrow) return;
    const double size = 0.25 * unit + 2.5 * item->line;
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

static void paint_grid(cairo_t *cr, const rv_scene *scene, const rv_item *item) {
    if (item->columns < 1) return;
    const int32_t rows = item->n / item->columns;
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, item->columns, rows);
    if (cairo_surface_status(image) == CAIRO_STATUS_SUCCESS) {
        unsigned char *data = cairo_image_surface_get_data(image);
        const int stride = cairo_image_surface_get_stride(image);
        for (int32_t y = 0; y < rows; y++) {
            uint32_t *row = (uint32_t *)(void *)(data + (ptrdiff_t)y * stride);
            for (int32_t x = 0; x < item->columns; x++) {
                row[x] = scene->pixels[item->first + y * item->columns + x] >> 8;
            }
        }
        cairo_surface_mark_dirty(image);
        cairo_save(cr);
        cairo_translate(cr, item->box.x, item->box.y);
        cairo_scale(cr, item->box.w / item->columns, item->box.h / rows);
        cairo_set_source_surface(cr, image, 0, 0);
        cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
        cairo_rectangle(cr, 0, 0, item->columns, rows);
        cairo_fill(cr);
        cairo_restore(cr);
    }
    cairo_surface_destroy(image);
}

static void paint_item(rv_canvas *canvas, cairo_t *cr, const rv_scene *scene, const rv_item *item) {
    if (item->shape == RV_LABEL) {
        rv_label_paint(canvas->labels, cr, item, rv_label_text(scene, item));
        return;
    }
    if (item->shape == RV_GRID) {
        paint_grid(cr, scene, item);
        return;
    }
    cairo_new_path(cr);
    shape_path(cr, scene, item);
    if (item->fill != 0) {
        set_colour(cr, item->fill);
        cairo_fill_preserve(cr);
        if (item->pattern != RV_SOLID && item->hatch != 0) {
            paint_hatch(cr, item, scene->unit);
            shape_path(cr, scene, item);
        }
    }
    if (item->line > 0 && item->stroke != 0) stroke_shape(cr, item, scene->unit);
    cairo_new_path(cr);
}

static void paint_layer(rv_canvas *canvas, cairo_t *cr, const rv_scene *scene, rv_layer layer) {
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    for (int32_t i = 0; i < scene->n_items; i++) {
        if (scene->items[i].layer == layer) paint_item(canvas, cr, scene, &scene->items[i]);
    }
}

static void paint_ground(cairo_t *cr, const rv_scene *scene) {
    set_colour(cr, scene->ground);
    cairo_rectangle(cr, 0, 0, scene->width, scene->height);
    cairo_fill(cr);
}

void rv_canvas_paint(rv_canvas *canvas, cairo_t *cr, const rv_scene *scene) {
    paint_ground(cr, scene);
    for (int layer = RV_STILL; layer <= RV_OVER; layer++) {
        paint_layer(canvas, cr, scene, (rv_layer)layer);
    }
}

/* ------------------------------------------------------------------------------ what stands still */

static uint64_t mix_bytes(uint64_t hash, const void *data, size_t n) {
    const unsigned char *bytes = data;
    for (; n >= 8; n -= 8, bytes += 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
        hash ^= hash >> 29;
    }
    for (; n > 0; n--) hash = (hash ^ *bytes++) * 0x100000001B3U;
    return hash;
}

static uint64_t still_hash(const rv_scene *scene) {
    uint64_t hash = mix_bytes(1469598103934665603U, &scene->width, sizeof scene->width);
    hash = mix_bytes(hash, &scene->height, sizeof scene->height);
    hash = mix_bytes(hash, &scene->unit, sizeof scene->unit);
    hash = mix_bytes(hash, &scene->ground, sizeof scene->ground);
    for (int32_t i = 0; i < scene->n_items; i++) {
        const rv_item *item = &scene->items[i];
        if (item->layer != RV_STILL) continue;
        rv_item looks = *item; /* what it stands for, and where its data lie, changes no pixel */
        memset(&looks.target, 0, sizeof looks.target);
        looks.first = 0;
        hash = mix_bytes(hash, &looks, sizeof looks);
        const size_t n = (size_t)item->n;
        if (item->shape == RV_LABEL) hash = mix_bytes(hash, scene->text + item->first, n);
        if (item->shape == RV_POLYGON) {
            hash = mix_bytes(hash, scene->points + item->first, n * sizeof(rv_point));
        }
        if (item->shape == RV_GRID) {
            hash = mix_bytes(hash, scene->pixels + item->first, n * sizeof(rv_colour));
        }
    }
    return hash;
}

/* Paints the STILL layer anew if it has changed. */
static void keep_still(rv_canvas *canvas, cairo_surface_t *image, const rv_scene *scene) {
    const int width = cairo_image_surface_get_width(image);
    const int height = cairo_image_surface_get_height(image);
    const uint64_t hash = still_hash(scene);
    cairo_surface_t *still = canvas->still;
    if (still == NULL || cairo_image_surface_get_width(still) != width ||
        cairo_image_surface_get_height(still) != height) {
        if (still != NULL) cairo_surface_destroy(still);
        canvas->still = still = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
    } else if (hash == canvas->still_hash) {
        return;
    }
    canvas->still_hash = hash;
    cairo_t *cr = cairo_create(still);
    paint_ground(cr, scene);
    paint_layer(canvas, cr, scene, RV_STILL);
    cairo_destroy(cr);
    cairo_surface_flush(still);
}

void rv_canvas_frame(rv_canvas *canvas, cairo_surface_t *image, const rv_scene *scene) {
    keep_still(canvas, image, scene);
    cairo_surface_flush(image);
    if (cairo_surface_status(canvas->still) == CAIRO_STATUS_SUCCESS) {
        memcpy(cairo_image_surface_get_data(image), cairo_image_surface_get_data(canvas->still),
               (size_t)cairo_image_surface_get_stride(image) *
                   (size_t)cairo_image_surface_get_height(image));
    }
    cairo_surface_mark_dirty(image);
    cairo_t *cr = cairo_create(image);
    paint_layer(canvas, cr, scene, RV_MOVING);
    paint_layer(canvas, cr, scene, RV_OVER);
    cairo_destroy(cr);
    cairo_surface_flush(image);
}

/* ---------------------------------------------------------------------------------- birth and death */

rv_canvas *rv_canvas_new(void) {
    rv_canvas *canvas = calloc(1, sizeof *canvas);
    if (canvas == NULL) return NULL;
    canvas->labels = rv_labels_new();
    if (canvas->labels == NULL) {
        free(canvas);
        return NULL;
    }
    return canvas;
}

void rv_canvas_free(rv_canvas *canvas) {
    if (canvas == NULL) return;
    if (canvas->still != NULL) cairo_surface_destroy(canvas->still);
    rv_labels_free(canvas->labels);
    free(canvas);
}

bool rv_canvas_can_write(rv_canvas *canvas, const char *text) {
    return rv_labels_can_write(canvas->labels, text);
}
