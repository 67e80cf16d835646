/* hatch.c: fills, plain or hatched.
 *
 *     frames: a small image of the hatched fill, repeated      files: its lines, cut to the box
 *
 *   - In both, hatching begins at its box's top left corner, so it moves with the item.
 *   - An item too small to show a pattern gets a plain fill: a line or two would only disturb.
 *   - All lines of a fill are one path, so that they are not darker where they cross.
 */
#include "canvas/canvas.h"

#include <math.h>
#include <stdlib.h>

void rv_set_colour(cairo_t *cr, rv_colour colour) {
    cairo_set_source_rgba(cr, (colour >> 24) / 255.0, (colour >> 16 & 0xFF) / 255.0,
                          (colour >> 8 & 0xFF) / 255.0, (colour & 0xFF) / 255.0);
}

enum { N_TILES = 128 };

typedef struct tile {
    cairo_pattern_t *pattern; /* NULL: free */
    rv_colour fill, hatch;
    uint8_t kind;
    int gap;
    uint64_t used;
} tile;

struct rv_tiles {
    tile tiles[N_TILES];
    uint64_t clock;
};

rv_tiles *rv_tiles_new(void) {
    return calloc(1, sizeof(rv_tiles));
}

void rv_tiles_free(rv_tiles *tiles) {
    if (tiles == NULL) return;
    for (int i = 0; i < N_TILES; i++) {
        if (tiles->tiles[i].pattern != NULL) cairo_pattern_destroy(tiles->tiles[i].pattern);
    }
    free(tiles);
}

/* Lines are this far apart, in whole pixels: tiles must meet. */
static int gap_of(double unit) {
    return (int)fmax(3, floor(0.32 * unit + 0.5));
}

static int period_of(rv_pattern kind, int gap) {
    const bool slanted = kind == RV_RISING || kind == RV_FALLING || kind == RV_CROSSED;
    return slanted ? (int)floor(1.4 * gap + 0.5) : gap;
}

/* ------------------------------------------------------------------------------------ the pattern */

/* Adds the piece inside b of the line (x, y) + t (dx, dy), of slope 1 or -1. */
static void slanted_line(cairo_t *cr, rv_box b, double x, double dy) {
    double from = fmax(b.x, dy > 0 ? x : x - b.h), to = fmin(b.x + b.w, dy > 0 ? x + b.h : x);
    if (from >= to) return;
    cairo_move_to(cr, from, b.y + fabs(from - x));
    cairo_line_to(cr, to, b.y + fabs(to - x));
}

/* Adds the pattern's lines inside a box. */
static void hatch_path(cairo_t *cr, rv_pattern kind, rv_box b, int gap) {
    const bool level = kind == RV_LEVEL || kind == RV_CHECKS;
    const bool upright = kind == RV_UPRIGHT || kind == RV_CHECKS;
    const bool rising = kind == RV_RISING || kind == RV_CROSSED;
    const bool falling = kind == RV_FALLING || kind == RV_CROSSED;
    const double period = period_of(kind, gap);
    for (double y = b.y + period / 2; level && y < b.y + b.h; y += period) {
        cairo_move_to(cr, b.x, y);
        cairo_line_to(cr, b.x + b.w, y);
    }
    for (double x = b.x + period / 2; upright && x < b.x + b.w; x += period) {
        cairo_move_to(cr, x, b.y);
        cairo_line_to(cr, x, b.y + b.h);
    }
    for (double x = b.x + period / 2; rising && x < b.x + b.w + b.h; x += period) {
        slanted_line(cr, b, x, -1);
    }
    for (double x = b.x + period / 2 - period * ceil(b.h / period); falling && x < b.x + b.w;
         x += period) {
        slanted_line(cr, b, x, 1);
    }
    for (double y = b.y + period / 2; kind == RV_DOTS && y < b.y + b.h; y += period) {
        for (double x = b.x + period / 2; x < b.x + b.w; x += period) {
            cairo_move_to(cr, x, y); /* a line of no length with round ends: a dot */
            cairo_line_to(cr, x, y);
        }
    }
}

static void stroke_hatch(cairo_t *cr, rv_pattern kind, rv_box b, int gap) {
    const bool dots = kind == RV_DOTS;
    cairo_new_path(cr);
    hatch_path(cr, kind, b, gap);
    cairo_set_dash(cr, NULL, 0, 0);
    cairo_set_line_cap(cr, dots ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
    cairo_set_line_width(cr, (dots ? 0.44 : 0.24) * gap);
    cairo_stroke(cr);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
}

/* ------------------------------------------------------------------------------------- for frames */

static cairo_pattern_t *make_tile(const tile *t) {
    const int period = period_of((rv_pattern)t->kind, t->gap);
    const int side = period * (1 + 48 / period); /* cairo repeats larger tiles faster */
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, side, side);
    cairo_t *cr = cairo_create(image);
    rv_set_colour(cr, t->fill);
    cairo_paint(cr);
    rv_set_colour(cr, t->hatch);
    /* Lines run over the edges, so that tiles meet without a seam. */
    stroke_hatch(cr, (rv_pattern)t->kind,
                 (rv_box){-period, -period, side + 2 * period, side + 2 * period}, t->gap);
    cairo_destroy(cr);
    cairo_pattern_t *pattern = cairo_pattern_create_for_surface(image);
    cairo_surface_destroy(image);
    cairo_pattern_set_extend(pattern, CAIRO_EXTEND_REPEAT);
    cairo_pattern_set_filter(pattern, CAIRO_FILTER_NEAREST);
    return pattern;
}

static cairo_pattern_t *find_tile(rv_tiles *tiles, const rv_item *item, int gap) {
    tile *oldest = tiles->tiles;
    for (int i = 0; i < N_TILES; i++) {
        tile *t = &tiles->tiles[i];
        if (t->pattern != NULL && t->fill == item->fill && t->hatch == item->hatch &&
            t->kind == item->pattern && t->gap == gap) {
            t->used = ++tiles->clock;
            return t->pattern;
        }
        if (t->used < oldest->used) oldest = t;
    }
    if (oldest->pattern != NULL) cairo_pattern_destroy(oldest->pattern);
    *oldest = (tile){.fill = item->fill,
                     .hatch = item->hatch,
                     .kind = item->pattern,
                     .gap = gap,
                     .used = ++tiles->clock};
    return oldest->pattern = make_tile(oldest);
}

static void fill_with_tile(rv_tiles *tiles, cairo_t *cr, const rv_item *item, int gap) {
    cairo_pattern_t *pattern = find_tile(tiles, item, gap);
    cairo_matrix_t from;
    cairo_matrix_init_translate(&from, -floor(item->box.x + 0.5), -floor(item->box.y + 0.5));
    cairo_pattern_set_matrix(pattern, &from);
    cairo_set_source(cr, pattern);
    cairo_fill_preserve(cr);
}

/* -------------------------------------------------------------------------------------- for files */

static void fill_with_lines(cairo_t *cr, const rv_item *item, int gap) {
    cairo_path_t *path = cairo_copy_path(cr);
    const bool clipped = item->shape != RV_RECT || item->radius > 0.3 * gap;
    rv_set_colour(cr, item->fill);
    cairo_fill_preserve(cr);
    cairo_save(cr);
    if (clipped) cairo_clip(cr);
    rv_set_colour(cr, item->hatch);
    stroke_hatch(cr, (rv_pattern)item->pattern, item->box, gap);
    cairo_restore(cr);
    cairo_append_path(cr, path);
    cairo_path_destroy(path);
}

void rv_fill(rv_tiles *tiles, cairo_t *cr, const rv_item *item, double unit, bool pixels) {
    const int gap = gap_of(unit);
    const double least = fmin(item->box.w, item->box.h), most = fmax(item->box.w, item->box.h);
    const bool shows = least >= 0.7 * gap && most >= 1.4 * gap;
    if (item->pattern == RV_SOLID || item->hatch == 0 || !shows) {
        rv_set_colour(cr, item->fill);
        cairo_fill_preserve(cr);
    } else if (pixels) {
        fill_with_tile(tiles, cr, item, gap);
    } else {
        fill_with_lines(cr, item, gap);
    }
}
