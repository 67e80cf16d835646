/* scene.c: see scene.h. */
#include "scene/scene.h"
#include "base/containers.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rv_scene_start(rv_scene *scene, double width, double height, rv_colour ground) {
    scene->width = width;
    scene->height = height;
    scene->unit = 16;
    scene->ground = ground;
    scene->n_items = scene->n_text = scene->n_points = scene->n_pixels = 0;
    scene->layer = RV_STILL;
    scene->failed = false;
}

void rv_scene_free(rv_scene *scene) {
    free(scene->items);
    free(scene->text);
    free(scene->points);
    free(scene->pixels);
    *scene = (rv_scene){0};
}

static rv_item *add_item(rv_scene *scene, rv_shape shape, rv_box box) {
    rv_item *item = &scene->spare;
    if (rs_reserve(NULL, &scene->items, scene->n_items + 1, &scene->item_room)) {
        item = &scene->items[scene->n_items++];
    } else {
        scene->failed = true;
    }
    memset(item, 0, sizeof *item); /* padding too: items are compared as bytes */
    item->shape = (uint8_t)shape;
    item->layer = (uint8_t)scene->layer;
    item->box = box;
    return item;
}

rv_item *rv_scene_rect(rv_scene *scene, rv_box box, double radius, rv_colour fill) {
    rv_item *item = add_item(scene, RV_RECT, box);
    item->radius = radius;
    item->fill = fill;
    return item;
}

rv_item *rv_scene_disc(rv_scene *scene, rv_point centre, double radius, rv_colour fill) {
    rv_item *item = add_item(scene, RV_DISC, rv_box_round(centre, 2 * radius, 2 * radius));
    item->fill = fill;
    return item;
}

rv_item *rv_scene_segment(rv_scene *scene, rv_point from, rv_point to, double line,
                          rv_colour stroke) {
    const rv_box box = {from.x, from.y, to.x - from.x, to.y - from.y};
    return rv_outline(add_item(scene, RV_SEGMENT, box), stroke, line);
}

rv_item *rv_scene_line(rv_scene *scene, double x0, double y0, double x1, double y1, double line,
                       rv_colour stroke) {
    return rv_scene_segment(scene, (rv_point){x0, y0}, (rv_point){x1, y1}, line, stroke);
}

rv_item *rv_scene_arc(rv_scene *scene, rv_point centre, double radius, double from, double to,
                      double line, rv_colour stroke) {
    rv_item *item = add_item(scene, RV_ARC, rv_box_round(centre, 2 * radius, 2 * radius));
    item->from = from;
    item->to = to;
    return rv_outline(item, stroke, line);
}

rv_item *rv_scene_polygon(rv_scene *scene, const rv_point points[], int32_t n, rv_colour fill) {
    rv_item *item = add_item(scene, RV_POLYGON, (rv_box){0});
    item->fill = fill;
    if (n < 1) return item;
    if (!rs_reserve(NULL, &scene->points, (int64_t)scene->n_points + n, &scene->point_room)) {
        scene->failed = true;
        return item;
    }
    memcpy(scene->points + scene->n_points, points, (size_t)n * sizeof *points);
    item->first = scene->n_points;
    item->n = n;
    scene->n_points += n;
    double right = points[0].x, bottom = points[0].y;
    item->box = (rv_box){points[0].x, points[0].y, 0, 0};
    for (int32_t i = 1; i < n; i++) {
        item->box.x = fmin(item->box.x, points[i].x);
        item->box.y = fmin(item->box.y, points[i].y);
        right = fmax(right, points[i].x);
        bottom = fmax(bottom, points[i].y);
    }
    item->box.w = right - item->box.x;
    item->box.h = bottom - item->box.y;
    return item;
}

rv_item *rv_scene_label(rv_scene *scene, rv_box box, rv_align align, double size, rv_colour ink,
                        const char *text) {
    const size_t length = strlen(text);
    rv_item *item = add_item(scene, RV_LABEL, box);
    item->align = (uint8_t)align;
    item->radius = size;
    item->fill = ink;
    if (!rs_reserve(NULL, &scene->text, (size_t)scene->n_text + length + 1, &scene->text_room)) {
        scene->failed = true;
        return item;
    }
    memcpy(scene->text + scene->n_text, text, length + 1);
    item->first = scene->n_text;
    item->n = (int32_t)length;
    scene->n_text += (int32_t)length + 1;
    return item;
}

rv_item *rv_scene_labelf(rv_scene *scene, rv_box box, rv_align align, double size, rv_colour ink,
                         const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return rv_scene_label(scene, box, align, size, ink, text);
}

rv_item *rv_scene_grid(rv_scene *scene, rv_box box, int32_t columns, int32_t rows,
                       rv_colour **pixels) {
    rv_item *item = add_item(scene, RV_GRID, box);
    *pixels = NULL;
    const int64_t n = (int64_t)columns * rows;
    if (n < 1 || n > INT32_MAX / 4) return item;
    if (!rs_reserve(NULL, &scene->pixels, scene->n_pixels + n, &scene->pixel_room)) {
        scene->failed = true;
        return item;
    }
    *pixels = scene->pixels + scene->n_pixels;
    item->first = scene->n_pixels;
    item->n = (int32_t)n;
    item->columns = columns;
    scene->n_pixels += (int32_t)n;
    return item;
}

rv_item *rv_outline(rv_item *item, rv_colour stroke, double line) {
    item->stroke = stroke;
    item->line = line;
    return item;
}

rv_item *rv_hatch(rv_item *item, rv_pattern pattern, rv_colour ink) {
    item->pattern = (uint8_t)pattern;
    item->hatch = ink;
    return item;
}

const char *rv_label_text(const rv_scene *scene, const rv_item *item) {
    assert(item->shape != RV_LABEL || item->first + item->n <= scene->n_text);
    return item->shape == RV_LABEL && item->n > 0 ? scene->text + item->first : "";
}

/* ------------------------------------------------------------------------------ what lies where */

bool rv_same_target(rv_target a, rv_target b) {
    return a.thing == b.thing && a.a == b.a && a.b == b.b && a.c == b.c;
}

rv_box rv_scene_box(const rv_scene *scene, rv_target target) {
    for (int32_t i = scene->n_items - 1; i >= 0; i--) {
        if (rv_same_target(scene->items[i].target, target)) return scene->items[i].box;
    }
    return (rv_box){0};
}

bool rv_inside(rv_box box, double x, double y) {
    return x >= box.x && y >= box.y && x < box.x + box.w && y < box.y + box.h;
}

static double distance_to_segment(rv_box s, double x, double y) {
    const double length2 = s.w * s.w + s.h * s.h;
    double at = length2 > 0 ? ((x - s.x) * s.w + (y - s.y) * s.h) / length2 : 0;
    at = fmin(1, fmax(0, at));
    return hypot(x - (s.x + at * s.w), y - (s.y + at * s.h));
}

static double distance_to_arc(const rv_item *item, double x, double y) {
    const rv_point c = rv_centre(item->box);
    const double turn = 2 * 3.14159265358979323846, radius = item->box.w / 2;
    double angle = fmod(atan2(y - c.y, x - c.x) - item->from, turn);
    if (angle < 0) angle += turn;
    if (angle > item->to - item->from) return INFINITY;
    return fabs(hypot(x - c.x, y - c.y) - radius);
}

/* Tells whether a point lies inside a polygon itself, not only in its box: the boxes of slanted
   bars overlap. */
static bool inside_polygon(const rv_scene *scene, const rv_item *item, double x, double y) {
    const rv_point *at = scene->points + item->first;
    bool inside = false;
    for (int32_t i = 0, j = item->n - 1; i < item->n; j = i++) {
        if ((at[i].y > y) == (at[j].y > y)) continue;
        const double cut = at[i].x + (y - at[i].y) / (at[j].y - at[i].y) * (at[j].x - at[i].x);
        if (x < cut) inside = !inside;
    }
    return inside;
}

static bool touches(const rv_scene *scene, const rv_item *item, double x, double y, double slack) {
    const rv_point c = rv_centre(item->box);
    const double reach = fmax(slack, item->line / 2);
    switch ((rv_shape)item->shape) {
    case RV_SEGMENT: return distance_to_segment(item->box, x, y) <= reach;
    case RV_ARC: return distance_to_arc(item, x, y) <= reach;
    case RV_DISC: return hypot(x - c.x, y - c.y) <= fmax(item->box.w / 2, slack);
    case RV_POLYGON: return rv_inside(item->box, x, y) && inside_polygon(scene, item, x, y);
    case RV_RECT:
    case RV_LABEL:
    case RV_GRID: break;
    }
    return rv_inside(item->box, x, y);
}

/* Returns the target at a point of an item: in a grid of cells each pixel has its own, in a grid of
   GPUs each row. */
static rv_target target_at(const rv_item *item, double x, double y) {
    rv_target target = item->target;
    const bool cells = target.thing == RV_CELL;
    if (item->shape != RV_GRID || !(cells || target.thing == RV_GPU) || item->columns < 1) {
        return target;
    }
    const int32_t rows = item->n / item->columns, each = target.c > 0 ? target.c : 1;
    assert(rows * item->columns == item->n);
    target.c = 0;
    target.a += each * (int32_t)fmin(rows - 1, (y - item->box.y) / item->box.h * rows);
    if (!cells) return target;
    target.b +=
        each * (int32_t)fmin(item->columns - 1, (x - item->box.x) / item->box.w * item->columns);
    return target;
}

static bool is_thin(const rv_item *item) {
    return item->shape == RV_SEGMENT || item->shape == RV_ARC;
}

/* Returns the line of a layer that lies right under a point, painted before item `last`; NULL: none does. */
static const rv_item *line_under(const rv_scene *scene, int layer, int32_t last, double x,
                                 double y) {
    for (int32_t i = last - 1; i >= 0; i--) {
        const rv_item *at = &scene->items[i];
        if (at->layer != layer || at->target.thing == RV_NOTHING || !is_thin(at)) continue;
        if (touches(scene, at, x, y, 0)) return at;
    }
    return NULL;
}

rv_target rv_scene_hit(const rv_scene *scene, double x, double y, double slack,
                       const rv_item **item) {
    for (int layer = RV_OVER; layer >= RV_STILL; layer--) {
        for (int32_t i = scene->n_items - 1; i >= 0; i--) {
            const rv_item *at = &scene->items[i];
            if (at->layer != layer || at->target.thing == RV_NOTHING) continue;
            if (!touches(scene, at, x, y, slack)) continue;
            /* only near: is another one nearer? */
            if (is_thin(at) && !touches(scene, at, x, y, 0)) {
                const rv_item *under = line_under(scene, layer, i, x, y);
                if (under != NULL) at = under;
            }
            if (item != NULL) *item = at;
            return target_at(at, x, y);
        }
    }
    if (item != NULL) *item = NULL;
    return (rv_target){0};
}

/* ------------------------------------------------------------------------------------- geometry */

double rv_label_width(const char *text, double size) {
    double width = 0;
    for (const unsigned char *c = (const unsigned char *)text; *c != 0; c++) {
        if ((*c & 0xC0) == 0x80) continue; /* the rest of a character */
        if (*c < 0x20) continue;           /* a style byte, or a line's end */
        if (*c >= 0xE2) {
            width += 1;
        } else if (strchr(" .,:;|!'()ijlt", *c) != NULL) {
            width += 0.33;
        } else {
            width += *c >= 'A' && *c <= 'Z' ? 0.67 : 0.57;
        }
    }
    return width * size;
}

/* Estimates the width of a line of code: all its letters have the same width. */
static double code_width(const char *line, size_t n, double size) {
    double width = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)line[i];
        if (c >= 0x20 && (c & 0xC0) != 0x80) width += c >= 0xE3 ? 1.2 : 0.61;
    }
    return width * size;
}

rv_extent rv_measure(const rv_ruler *ruler, const char *text, double size, double width,
                     unsigned style) {
    static const double LINE = 1.46; /* a line's height, in sizes of type */
    if (ruler != NULL) return ruler->measure(ruler->context, text, size, width, style);
    rv_extent all = {0, 0};
    for (const char *at = text;; at++) { /* line by line */
        char line[2048];
        const size_t n = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)n, at);
        double wide =
            1.06 * (style & RV_STYLE_CODE ? code_width(at, n, size) : rv_label_width(line, size));
        const double lines = width > 0 ? fmax(1, ceil(wide / width)) : 1;
        if (width > 0) wide = fmin(wide, width);
        all.width = fmax(all.width, wide);
        all.height += lines * LINE * size;
        at += n;
        if (*at == '\0') break;
    }
    return all;
}

rv_box rv_cut_top(rv_box *box, double height) {
    const double h = fmax(0, fmin(height, box->h));
    const rv_box strip = {box->x, box->y, box->w, h};
    box->y += h;
    box->h -= h;
    return strip;
}

rv_box rv_cut_bottom(rv_box *box, double height) {
    const double h = fmax(0, fmin(height, box->h));
    box->h -= h;
    return (rv_box){box->x, box->y + box->h, box->w, h};
}

rv_box rv_cut_left(rv_box *box, double width) {
    const double w = fmax(0, fmin(width, box->w));
    const rv_box strip = {box->x, box->y, w, box->h};
    box->x += w;
    box->w -= w;
    return strip;
}

rv_box rv_cut_right(rv_box *box, double width) {
    const double w = fmax(0, fmin(width, box->w));
    box->w -= w;
    return (rv_box){box->x + box->w, box->y, w, box->h};
}

rv_box rv_cut_apart(rv_box *box, rv_box (*cut)(rv_box *, double), double size, double gap) {
    const rv_box strip = cut(box, size);
    cut(box, gap);
    return strip;
}

rv_box rv_inset(rv_box box, double by) {
    const double w = fmin(by, box.w / 2), h = fmin(by, box.h / 2);
    return (rv_box){box.x + w, box.y + h, box.w - 2 * w, box.h - 2 * h};
}

rv_point rv_centre(rv_box box) {
    return (rv_point){box.x + box.w / 2, box.y + box.h / 2};
}

rv_box rv_box_round(rv_point centre, double width, double height) {
    return (rv_box){centre.x - width / 2, centre.y - height / 2, width, height};
}

rv_point rv_between(rv_point a, rv_point b, double share) {
    return (rv_point){a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share};
}

rv_box rv_box_between(rv_box a, rv_box b, double share) {
    const rv_point at = rv_between((rv_point){a.x, a.y}, (rv_point){b.x, b.y}, share);
    return (rv_box){at.x, at.y, a.w + (b.w - a.w) * share, a.h + (b.h - a.h) * share};
}

/* ------------------------------------------------------------------------------------ clipping */

/* Cuts items off at two upright lines: what a view that is zoomed draws beside itself. */

enum { MOST_POINTS = 64 };

int rv_cut_polygon(const rv_point in[], int n, bool upright, double limit, bool beyond,
                   rv_point out[]) {
    int kept = 0;
    for (int i = 0; i < n; i++) {
        const rv_point a = in[i], b = in[(i + 1) % n];
        const double from = upright ? a.x : a.y, to = upright ? b.x : b.y;
        const bool a_in = beyond ? from <= limit : from >= limit;
        const bool b_in = beyond ? to <= limit : to >= limit;
        if (a_in) out[kept++] = a;
        if (a_in != b_in) out[kept++] = rv_between(a, b, (limit - from) / (to - from));
    }
    return kept;
}

/* Returns whether something is left of it. */
static bool clip_polygon(rv_scene *scene, int32_t index, double left, double right) {
    rv_point some[2 * MOST_POINTS], rest[4 * MOST_POINTS];
    const rv_item old = scene->items[index];
    if (old.n > MOST_POINTS || old.fill == 0) return old.box.x >= left;
    int n = rv_cut_polygon(&scene->points[old.first], old.n, true, left, false, some);
    n = rv_cut_polygon(some, n, true, right, true, rest);
    if (n < 3) return false;
    const rv_item made = *rv_scene_polygon(scene, rest, n, old.fill);
    scene->n_items--; /* its points stay */
    rv_item *item = &scene->items[index];
    item->first = made.first;
    item->n = made.n;
    item->box = made.box;
    return true;
}

static bool clip_segment(rv_item *item, double left, double right) {
    double from = 0, to = 1;
    if (item->box.w == 0) return item->box.x >= left && item->box.x <= right;
    const double a = (left - item->box.x) / item->box.w, b = (right - item->box.x) / item->box.w;
    from = fmax(from, fmin(a, b));
    to = fmin(to, fmax(a, b));
    const rv_box box = item->box;
    item->box = (rv_box){box.x + from * box.w, box.y + from * box.h, (to - from) * box.w,
                         (to - from) * box.h};
    return from <= to;
}

static bool clip_item(rv_scene *scene, int32_t index, double left, double right) {
    rv_item *item = &scene->items[index];
    const double end = fmin(item->box.x + item->box.w, right), start = fmax(item->box.x, left);
    switch ((rv_shape)item->shape) {
    case RV_RECT:
        item->box.x = start;
        item->box.w = end - start;
        return end >= start;
    case RV_SEGMENT: return clip_segment(item, left, right);
    case RV_POLYGON: return clip_polygon(scene, index, left, right);
    case RV_GRID: return true; /* is made to fit */
    case RV_DISC:
    case RV_ARC:
    case RV_LABEL: break;
    }
    return item->box.x >= left && item->box.x + item->box.w <= right;
}

void rv_scene_clip(rv_scene *scene, int32_t first, double left, double right) {
    int32_t kept = first;
    const int32_t n = scene->n_items;
    for (int32_t i = first; i < n && !scene->failed; i++) {
        if (!clip_item(scene, i, left, right)) continue;
        if (kept != i) memcpy(&scene->items[kept], &scene->items[i], sizeof scene->items[i]);
        kept++;
    }
    if (!scene->failed) scene->n_items = kept;
}
