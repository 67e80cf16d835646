/* canvas.c: see canvas.h. Whole pictures, and frames.
 *
 *     STILL items --> still (an image of its own) --+
 *                                                   +--> the frame
 *     MOVING, OVER items ---------------------------+
 *
 *   - changes.c compares each layer with the frame before. The canvas paints what has changed in
 *     the still layer into `still`. There, and where something moves or has moved, the frame takes
 *     its pixels from `still`, and the canvas paints the moving items upon them.
 *   - It does so rectangle by rectangle, with the items whose ink touches each: a frame costs only
 *     what it changes.
 */
#include "canvas/canvas.h"
#include "base/containers.h"

#include <stdlib.h>

enum { MAX_BOXES = 256 };

/* Attached to a surface: the canvas, and the number of its frame, that the surface holds. */
typedef struct stamp {
    const rv_canvas *canvas;
    uint64_t frame;
} stamp;
static const cairo_user_data_key_t stamp_key;

struct rv_canvas {
    rv_labels *labels;
    rv_tiles *tiles;
    rv_changes *still_changes, *moving_changes;
    rv_tiled still_dirty, dirty;
    rv_box *inks; /* of the scene's items */
    int32_t ink_room;
    cairo_surface_t *still; /* the STILL layer, as of the last frame; NULL */
    double unit;            /* of the last frame */
    rv_colour ground;
    uint64_t frame;
    rv_box boxes[MAX_BOXES];
    int n_boxes;
};

enum { STILL_LAYERS = 1 << RV_STILL, MOVING_LAYERS = 1 << RV_MOVING | 1 << RV_OVER };

static rv_brush brush_of(const rv_canvas *canvas, cairo_t *cr, const rv_scene *scene, bool pixels) {
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    return (rv_brush){cr, scene, canvas->labels, canvas->tiles, pixels};
}

static void paint_ground(cairo_t *cr, const rv_scene *scene) {
    rv_set_colour(cr, scene->ground);
    cairo_rectangle(cr, 0, 0, scene->width, scene->height);
    cairo_fill(cr);
}

void rv_canvas_paint(rv_canvas *canvas, cairo_t *cr, const rv_scene *scene) {
    const bool pixels = cairo_surface_get_type(cairo_get_target(cr)) == CAIRO_SURFACE_TYPE_IMAGE;
    const rv_brush brush = brush_of(canvas, cr, scene, pixels);
    paint_ground(cr, scene);
    for (int layer = RV_STILL; layer <= RV_OVER; layer++) {
        for (int32_t i = 0; i < scene->n_items; i++) {
            if (scene->items[i].layer == layer) rv_paint_item(&brush, &scene->items[i]);
        }
    }
}

/* ----------------------------------------------------------------------------------------- frames */

static bool boxes_meet(rv_box a, rv_box b) {
    return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/* Paints the items of a layer that touch a box, inside it. */
static void paint_inside(const rv_canvas *canvas, const rv_brush *brush, rv_layer layer,
                         rv_box box) {
    const rv_scene *scene = brush->scene;
    for (int32_t i = 0; i < scene->n_items; i++) {
        const rv_item *item = &scene->items[i];
        if (item->layer == layer && boxes_meet(canvas->inks[i], box)) {
            rv_paint_item(brush, item);
        }
    }
}

static void clip_to(cairo_t *cr, rv_box box) {
    cairo_reset_clip(cr);
    cairo_rectangle(cr, box.x, box.y, box.w, box.h);
    cairo_clip(cr);
}

static bool holds_last_frame(const rv_canvas *canvas, cairo_surface_t *image) {
    const stamp *s = cairo_surface_get_user_data(image, &stamp_key);
    return s != NULL && s->canvas == canvas && s->frame == canvas->frame && canvas->frame > 0;
}

static void stamp_frame(rv_canvas *canvas, cairo_surface_t *image) {
    stamp *s = cairo_surface_get_user_data(image, &stamp_key);
    canvas->frame++;
    if (s == NULL) {
        s = malloc(sizeof *s);
        if (s == NULL) return;
        if (cairo_surface_set_user_data(image, &stamp_key, s, free) != CAIRO_STATUS_SUCCESS) {
            free(s);
            return;
        }
    }
    *s = (stamp){canvas, canvas->frame};
}

/* Makes the image for the still layer if there is none of this size; false: no memory. *fresh: the
   image is empty. */
static bool have_still(rv_canvas *canvas, int width, int height, bool *fresh) {
    cairo_surface_t *still = canvas->still;
    *fresh = still == NULL || cairo_image_surface_get_width(still) != width ||
             cairo_image_surface_get_height(still) != height;
    if (!*fresh) return true;
    if (still != NULL) cairo_surface_destroy(still);
    canvas->still = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
    if (cairo_surface_status(canvas->still) == CAIRO_STATUS_SUCCESS) return true;
    cairo_surface_destroy(canvas->still);
    canvas->still = NULL;
    return false;
}

static bool find_inks(rv_canvas *canvas, const rv_scene *scene) {
    if (!rs_reserve(NULL, &canvas->inks, scene->n_items, &canvas->ink_room)) return false;
    for (int32_t i = 0; i < scene->n_items; i++) {
        canvas->inks[i] = rv_ink_of(&scene->items[i], scene->unit);
    }
    return true;
}

/* Finds what must be painted: in still_dirty for the still layer, in dirty for the frame. */
static bool find_dirty(rv_canvas *canvas, cairo_surface_t *image, const rv_scene *scene) {
    const int width = cairo_image_surface_get_width(image);
    const int height = cairo_image_surface_get_height(image);
    const rv_box all = {0, 0, width, height};
    bool fresh;
    if (!find_inks(canvas, scene) || !have_still(canvas, width, height, &fresh)) return false;
    rv_tiled_clear(&canvas->still_dirty, width, height);
    rv_tiled_clear(&canvas->dirty, width, height);
    if (canvas->still_dirty.dirty == NULL || canvas->dirty.dirty == NULL ||
        !rv_changes_find(canvas->still_changes, scene, canvas->inks, STILL_LAYERS,
                         &canvas->still_dirty) ||
        !rv_changes_find(canvas->moving_changes, scene, canvas->inks, MOVING_LAYERS,
                         &canvas->dirty)) {
        return false;
    }
    if (fresh || canvas->ground != scene->ground || canvas->unit != scene->unit) {
        rv_tiled_add(&canvas->still_dirty, all);
    }
    rv_tiled_join(&canvas->dirty, &canvas->still_dirty);
    if (!holds_last_frame(canvas, image)) rv_tiled_add(&canvas->dirty, all);
    canvas->ground = scene->ground;
    canvas->unit = scene->unit;
    return true;
}

static void renew_still(rv_canvas *canvas, const rv_scene *scene) {
    rv_box box;
    cairo_t *cr = cairo_create(canvas->still);
    const rv_brush brush = brush_of(canvas, cr, scene, true);
    for (int at = 0; rv_tiled_take(&canvas->still_dirty, &at, &box);) {
        clip_to(cr, box);
        paint_ground(cr, scene);
        paint_inside(canvas, &brush, RV_STILL, box);
    }
    cairo_destroy(cr);
    cairo_surface_flush(canvas->still);
}

/* Takes the frame's dirty boxes; if there are too many, one box that covers the frame. */
static void take_boxes(rv_canvas *canvas, rv_box all) {
    rv_box box;
    canvas->n_boxes = 0;
    for (int at = 0; rv_tiled_take(&canvas->dirty, &at, &box);) {
        if (canvas->n_boxes == MAX_BOXES) {
            canvas->boxes[0] = all;
            canvas->n_boxes = 1;
            return;
        }
        canvas->boxes[canvas->n_boxes++] = box;
    }
}

static void renew_frame(rv_canvas *canvas, cairo_surface_t *image, const rv_scene *scene) {
    cairo_surface_flush(image);
    for (int i = 0; i < canvas->n_boxes; i++) rv_copy_box(image, canvas->still, canvas->boxes[i]);
    cairo_surface_mark_dirty(image);
    cairo_t *cr = cairo_create(image);
    const rv_brush brush = brush_of(canvas, cr, scene, true);
    for (int i = 0; i < canvas->n_boxes; i++) {
        clip_to(cr, canvas->boxes[i]);
        paint_inside(canvas, &brush, RV_MOVING, canvas->boxes[i]);
        paint_inside(canvas, &brush, RV_OVER, canvas->boxes[i]);
    }
    cairo_destroy(cr);
    cairo_surface_flush(image);
}

/* Paints the whole frame and remembers nothing of it: there is no memory to do so. */
static void paint_all(rv_canvas *canvas, cairo_surface_t *image, const rv_scene *scene,
                      rv_box all) {
    if (canvas->still != NULL) cairo_surface_destroy(canvas->still);
    canvas->still = NULL;
    cairo_t *cr = cairo_create(image);
    rv_canvas_paint(canvas, cr, scene);
    cairo_destroy(cr);
    cairo_surface_flush(image);
    canvas->boxes[0] = all;
    canvas->n_boxes = 1;
    canvas->frame++; /* no surface's stamp matches any more */
}

void rv_canvas_frame(rv_canvas *canvas, cairo_surface_t *image, const rv_scene *scene) {
    const rv_box all = {0, 0, cairo_image_surface_get_width(image),
                        cairo_image_surface_get_height(image)};
    canvas->n_boxes = 0;
    if (all.w < 1 || all.h < 1) return;
    if (!find_dirty(canvas, image, scene)) {
        paint_all(canvas, image, scene, all);
        return;
    }
    renew_still(canvas, scene);
    take_boxes(canvas, all);
    renew_frame(canvas, image, scene);
    stamp_frame(canvas, image);
}

const rv_box *rv_canvas_changed(const rv_canvas *canvas, int *n_boxes) {
    *n_boxes = canvas->n_boxes;
    return canvas->boxes;
}

/* ---------------------------------------------------------------------------------- birth and death */

rv_canvas *rv_canvas_new(void) {
    rv_canvas *canvas = calloc(1, sizeof *canvas);
    if (canvas == NULL) return NULL;
    canvas->labels = rv_labels_new();
    canvas->tiles = rv_tiles_new();
    canvas->still_changes = rv_changes_new();
    canvas->moving_changes = rv_changes_new();
    if (canvas->labels == NULL || canvas->tiles == NULL || canvas->still_changes == NULL ||
        canvas->moving_changes == NULL) {
        rv_canvas_free(canvas);
        return NULL;
    }
    return canvas;
}

void rv_canvas_free(rv_canvas *canvas) {
    if (canvas == NULL) return;
    if (canvas->still != NULL) cairo_surface_destroy(canvas->still);
    rv_labels_free(canvas->labels);
    rv_tiles_free(canvas->tiles);
    rv_changes_free(canvas->still_changes);
    rv_changes_free(canvas->moving_changes);
    free(canvas->still_dirty.dirty);
    free(canvas->dirty.dirty);
    free(canvas->inks);
    free(canvas);
}

static rv_extent measure(void *context, const char *text, double size, double width,
                         unsigned style) {
    return rv_label_extent(context, text, size, width, style);
}

rv_ruler rv_canvas_ruler(rv_canvas *canvas) {
    return (rv_ruler){measure, canvas->labels};
}

bool rv_canvas_can_write(rv_canvas *canvas, const char *text) {
    return rv_labels_can_write(canvas->labels, text);
}
