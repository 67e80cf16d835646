/* draw_landing.c: what becomes of a cell while a chunk lands in it.
 *
 *     added    300+44  -->  3 4 4     digits roll up like a counter's, from the old value to the sum
 *     copied   | 300 | -->  | 344 |   the old contents fall out, struck through, and fade
 *                           \ -300-
 *
 *   - It is drawn over the STILL layer, which shows the state before the step until the step is done.
 */
#include "panels/ring/ring.h"

#include <math.h>
#include <string.h>

/* Returns the character at a place counted from the right; 0: there is none. */
static char from_right(const char *text, int i) {
    const int n = (int)strlen(text);
    return (char)(i < n ? text[n - 1 - i] : 0);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Draws a character `up` of a line above its place: the farther away, the paler. */
static void draw_sign_at(rv_scene *scene, rv_box place, double size, rv_colour ink, char c,
                         double up) {
    const char text[2] = {c, '\0'};
    const double seen = 1 - fmin(1, fabs(up));
    place.y -= up * 0.8 * size;
    if (c == 0 || seen <= 0.02) return;
    rv_scene_label(scene, place, RV_MIDDLE, size, rv_fade(ink, seen), text)->mono = true;
}

/* Rolls one character of a counter from a to b; *by: how far, 0..1. */
static void roll(rv_scene *scene, rv_box place, double size, rv_colour ink, char a, char b,
                 double by) {
    if (a == b) {
        draw_sign_at(scene, place, size, ink, b, 0);
    } else if (is_digit(b)) {
        const int from = is_digit(a) ? a - '0' : 0;
        const double at = from + (b - '0' - from + 10) % 10 * by;
        const int low = (int)at;
        const double turned = at - low;
        draw_sign_at(scene, place, size, ink, (char)('0' + low % 10), turned);
        if (turned > 0) {
            draw_sign_at(scene, place, size, ink, (char)('0' + (low + 1) % 10), turned - 1);
        }
    } else {
        draw_sign_at(scene, place, size, ink, a, by);
        draw_sign_at(scene, place, size, ink, b, by - 1);
    }
}

void rv_draw_rolling(const rv_stage *stage, const rv_model *model, rv_scene *scene, rv_box cell,
                     int32_t rank, int32_t chunk, double merged) {
    const rv_look *look = &stage->look;
    double most;
    const rv_box strip = rv_cell_value_box(stage, model, cell, &most);
    char own[64], sum[64];
    if (strip.h <= 0 || !rv_value_after(model, rank, chunk, sum, sizeof sum)) return;
    rv_value_at(model, rank, chunk, own, sizeof own);
    const int n = (int)strlen(sum), n_own = (int)strlen(own), most_chars = n > n_own ? n : n_own;
    const double size = fmin(most, strip.w / (0.6 * most_chars)), wide = 0.6 * size;
    const double middle = n + (n_own - n) * (1 - merged); /* characters: the text grows */
    const double right = strip.x + strip.w / 2 + middle * wide / 2;
    rv_scene_rect(scene, strip, 0, look->panel);
    for (int i = 0; i < most_chars; i++) {
        const rv_box place = {right - (i + 1) * wide, strip.y, wide, strip.h};
        roll(scene, place, size, look->ink, from_right(own, i), from_right(sum, i), merged);
    }
}

void rv_draw_thrown(const rv_stage *stage, const rv_sight *sight, rv_scene *scene,
                    const rv_ring *ring, int32_t rank, int32_t chunk, double merged) {
    const rv_look *look = &stage->look;
    const rv_box cell = rv_ring_cell(ring, rv_ring_card(ring, rank), chunk);
    const bool holds =
        sight->model->cells && rs_contents_count(sight->model->contents, rank, chunk) > 0;
    if (!holds || merged >= 1) return;
    const double low = ring->box.y + ring->box.h - cell.y - cell.h;
    const double fall = fmax(0, fmin(0.9 * cell.h, low)) * merged, shrink = 0.3 * merged;
    const rv_box box = {cell.x + 0.5 * shrink * cell.w, cell.y + shrink * cell.h + fall,
                        (1 - shrink) * cell.w, (1 - shrink) * cell.h};
    const rv_cell_look old = {.rank = rank,
                              .chunk = chunk,
                              .w = cell.w,
                              .h = cell.h,
                              .frame = look->quiet,
                              .line = 1,
                              .struck = true,
                              .fade = 1 - merged};
    rv_scene_rect(scene, cell, 0.1 * cell.w, look->panel); /* the cell is empty for a moment */
    rv_draw_cell(stage, sight, scene, box, &old);
}
