/* changes.c: which parts of a picture differ from the one before it. Pure.
 *
 *     items before   A B C D E F          A, B, D, F stand in both, in this order: their pixels are
 *     items now      A B X D F G          the same. Where C, E, X or G have ink, the picture is
 *     dirty.
 *
 *   - Two items are the same if they look the same: bytes, text, points and pixels. Their targets
 *     do not count.
 *   - The parts are tiles of TILE pixels; the caller gets them as few rectangles.
 */
#include "canvas/canvas.h"
#include "base/containers.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 32, LOOK_AHEAD = 96 };

typedef struct mark {
    uint64_t looks;
    rv_box ink;
} mark;

struct rv_changes {
    mark *marks[2]; /* of the picture before, of this one */
    int32_t n[2], room[2];
    int now; /* which of the two is this picture's */
};

rv_changes *rv_changes_new(void) {
    return calloc(1, sizeof(rv_changes));
}

void rv_changes_free(rv_changes *changes) {
    if (changes == NULL) return;
    free(changes->marks[0]);
    free(changes->marks[1]);
    free(changes);
}

/* --------------------------------------------------------------------------------- how items look */

static uint64_t looks_of(const rv_scene *scene, const rv_item *item) {
    rv_item looks;
    memcpy(&looks, item, sizeof looks); /* padding too, which scene.c keeps zero */
    memset(&looks.target, 0, sizeof looks.target);
    looks.first = 0; /* where its data lie does not change how it looks */
    uint64_t hash = rs_hash(0, &looks, sizeof looks);
    const size_t n = (size_t)item->n;
    if (item->shape == RV_LABEL) hash = rs_hash(hash, scene->text + item->first, n);
    if (item->shape == RV_POLYGON) {
        hash = rs_hash(hash, scene->points + item->first, n * sizeof(rv_point));
    }
    if (item->shape == RV_GRID) {
        hash = rs_hash(hash, scene->pixels + item->first, n * sizeof(rv_colour));
    }
    return hash;
}

static void widen(rv_box *box, double x, double y) {
    const double right = fmax(box->x + box->w, x), bottom = fmax(box->y + box->h, y);
    box->x = fmin(box->x, x);
    box->y = fmin(box->y, y);
    box->w = right - box->x;
    box->h = bottom - box->y;
}

/* Returns the box round an arc: round its ends, and the points where it crosses an axis. */
static rv_box arc_box(const rv_item *item) {
    const rv_point c = rv_centre(item->box);
    const double r = item->box.w / 2, quarter = 1.57079632679489661923;
    double to = item->to;
    /* may be the whole circle */
    if (!(to >= item->from && to - item->from < 100)) return item->box;
    rv_box box = {c.x + r * cos(item->from), c.y + r * sin(item->from), 0, 0};
    widen(&box, c.x + r * cos(to), c.y + r * sin(to));
    for (double angle = quarter * ceil(item->from / quarter); angle < to; angle += quarter) {
        widen(&box, c.x + r * cos(angle), c.y + r * sin(angle));
    }
    return box;
}

rv_box rv_ink_of(const rv_item *item, double unit) {
    rv_box box = item->shape == RV_ARC ? arc_box(item) : item->box;
    if (item->shape == RV_DISC) { /* painted as a circle, whatever the box's height */
        const rv_point c = rv_centre(box);
        box = (rv_box){c.x - box.w / 2, c.y - box.w / 2, box.w, box.w};
    }
    if (box.w < 0) box = (rv_box){box.x + box.w, box.y, -box.w, box.h};
    if (box.h < 0) box = (rv_box){box.x, box.y + box.h, box.w, -box.h};
    double around = 1.5 + item->line; /* for anti-aliasing, whole pixels and half the stroke */
    if (item->arrow) around += rv_arrow_size(item, unit);
    return (rv_box){box.x - around, box.y - around, box.w + 2 * around, box.h + 2 * around};
}

/* ---------------------------------------------------------------------------------------- tiles */

void rv_tiled_clear(rv_tiled *tiled, int width, int height) {
    const int columns = (width + TILE - 1) / TILE, rows = (height + TILE - 1) / TILE;
    if (columns != tiled->columns || rows != tiled->rows) {
        free(tiled->dirty);
        tiled->dirty = malloc((size_t)columns * (size_t)rows);
        if (tiled->dirty == NULL) tiled->columns = tiled->rows = 0;
    }
    if (tiled->dirty == NULL) return;
    tiled->columns = columns;
    tiled->rows = rows;
    tiled->width = width;
    tiled->height = height;
    memset(tiled->dirty, 0, (size_t)columns * (size_t)rows);
}

/* Finds the ranges of tiles that a box touches; false: none. */
static bool find_tiles(const rv_tiled *tiled, rv_box box, int *x0, int *x1, int *y0, int *y1) {
    if (!(box.x < tiled->width && box.y < tiled->height && box.x + box.w > 0 &&
          box.y + box.h > 0)) {
        return false;
    }
    *x0 = (int)(fmax(0, box.x) / TILE);
    *y0 = (int)(fmax(0, box.y) / TILE);
    *x1 = (int)fmin(tiled->columns - 1, (box.x + box.w) / TILE);
    *y1 = (int)fmin(tiled->rows - 1, (box.y + box.h) / TILE);
    return true;
}

void rv_tiled_add(rv_tiled *tiled, rv_box box) {
    int x0, x1, y0, y1;
    if (!find_tiles(tiled, box, &x0, &x1, &y0, &y1)) return;
    assert(x0 >= 0 && x1 < tiled->columns && y0 >= 0 && y1 < tiled->rows);
    for (int y = y0; y <= y1; y++) {
        memset(tiled->dirty + y * tiled->columns + x0, 1, (size_t)(x1 - x0 + 1));
    }
}

void rv_tiled_join(rv_tiled *tiled, const rv_tiled *more) {
    for (int i = 0; i < tiled->columns * tiled->rows; i++) tiled->dirty[i] |= more->dirty[i];
}

/* Takes the next rectangle of dirty tiles: the next run of them in a row, and down as far as the
   whole run is dirty. */
bool rv_tiled_take(rv_tiled *tiled, int *at, rv_box *box) {
    const int columns = tiled->columns, n = columns * tiled->rows;
    while (*at < n && !tiled->dirty[*at]) ++*at;
    if (*at >= n) return false;
    const int x0 = *at % columns, y0 = *at / columns;
    int x1 = x0, y1 = y0 + 1;
    while (x1 < columns && tiled->dirty[y0 * columns + x1]) x1++;
    const size_t run = (size_t)(x1 - x0);
    while (y1 < tiled->rows && memchr(tiled->dirty + y1 * columns + x0, 0, run) == NULL) {
        y1++;
    }
    for (int y = y0; y < y1; y++) memset(tiled->dirty + y * columns + x0, 0, run);
    *box = (rv_box){x0 * TILE, y0 * TILE, fmin(tiled->width, x1 * TILE) - x0 * TILE,
                    fmin(tiled->height, y1 * TILE) - y0 * TILE};
    return true;
}

/* ------------------------------------------------------------------------------------ comparison */

static bool note_looks(rv_changes *changes, const rv_scene *scene, const rv_box inks[],
                       unsigned layers) {
    const int now = changes->now = !changes->now;
    changes->n[now] = 0;
    if (!rs_reserve(NULL, &changes->marks[now], scene->n_items, &changes->room[now])) return false;
    for (int32_t i = 0; i < scene->n_items; i++) {
        const rv_item *item = &scene->items[i];
        if ((layers >> item->layer & 1) == 0) continue;
        changes->marks[now][changes->n[now]++] = (mark){looks_of(scene, item), inks[i]};
    }
    return true;
}

/* Returns how far on in a list an item stands; LOOK_AHEAD: not within LOOK_AHEAD items. */
static int32_t find_ahead(const mark *list, int32_t n, uint64_t looks) {
    if (n > LOOK_AHEAD) n = LOOK_AHEAD;
    for (int32_t i = 0; i < n; i++) {
        if (list[i].looks == looks) return i;
    }
    return LOOK_AHEAD;
}

bool rv_changes_find(rv_changes *changes, const rv_scene *scene, const rv_box inks[],
                     unsigned layers, rv_tiled *tiled) {
    if (!note_looks(changes, scene, inks, layers)) return false;
    const mark *before = changes->marks[!changes->now], *now = changes->marks[changes->now];
    const int32_t n_before = changes->n[!changes->now], n_now = changes->n[changes->now];
    int32_t i = 0, j = 0;
    while (i < n_before && j < n_now) {
        if (before[i].looks == now[j].looks) {
            i++, j++;
            continue;
        }
        const int32_t gone = find_ahead(before + i, n_before - i, now[j].looks);
        const int32_t come = find_ahead(now + j, n_now - j, before[i].looks);
        if (gone <= come) rv_tiled_add(tiled, before[i++].ink);
        if (come <= gone) rv_tiled_add(tiled, now[j++].ink);
    }
    for (; i < n_before; i++) rv_tiled_add(tiled, before[i].ink);
    for (; j < n_now; j++) rv_tiled_add(tiled, now[j].ink);
    return true;
}
