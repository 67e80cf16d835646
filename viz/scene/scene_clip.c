/* scene_clip.c: cuts items off at two upright lines: what a view that is zoomed draws beside itself. */
#include "scene/scene.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 64 };

/* Cuts off what lies left of x (right: right of it); returns how many corners are left. */
static int cut_corners(const rv_point in[], int n, double x, bool right, rv_point out[]) {
    int kept = 0;
    for (int i = 0; i < n; i++) {
        const rv_point a = in[i], b = in[(i + 1) % n];
        const bool a_in = right ? a.x <= x : a.x >= x, b_in = right ? b.x <= x : b.x >= x;
        if (a_in) out[kept++] = a;
        if (a_in == b_in) continue;
        out[kept++] = (rv_point){x, a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x)};
    }
    return kept;
}

/* Returns whether something is left of it. */
static bool clip_polygon(rv_scene *scene, int32_t index, double left, double right) {
    rv_point some[2 * MOST_POINTS], rest[4 * MOST_POINTS];
    const rv_item old = scene->items[index];
    if (old.n > MOST_POINTS || old.fill == 0) return old.box.x >= left;
    int n = cut_corners(&scene->points[old.first], old.n, left, false, some);
    n = cut_corners(some, n, right, true, rest);
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
