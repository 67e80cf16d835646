/* draw_tile.c: a tile: a thing that can move, in the colour of its rank; hollow where it has gone. */
#include "panels/draw.h"
#include "panels/story/story_parts.h"

#include <math.h>

/* Draws a padlock. */
static void draw_lock(rv_scene *scene, rv_point c, double side, rv_colour ink) {
    const rv_box body = {c.x - 0.36 * side, c.y - 0.05 * side, 0.72 * side, 0.5 * side};
    rv_scene_arc(scene, (rv_point){c.x, c.y - 0.06 * side}, 0.22 * side, 3.14159, 6.28319,
                 0.11 * side, ink);
    rv_scene_rect(scene, body, 0.08 * side, ink);
}

/* A tile that has gone leaves its outline. */
static bool is_hollow(const rv_entry *entry) {
    return entry->tone == RV_TONE_LEAVES || (entry->tone == RV_TONE_QUIET && entry->way == 0);
}

void rv_draw_tile(const rv_stage *stage, const rv_entry *entry, rv_scene *scene, rv_box box,
                  double size) {
    const rv_look *look = &stage->look;
    if (entry->lock) {
        const bool idle = entry->tone == RV_TONE_QUIET;
        draw_lock(scene, rv_centre(box), fmin(1.5 * size, box.h), idle ? look->edge : look->accent);
        return;
    }
    const bool hollow = is_hollow(entry), bad = entry->tone == RV_TONE_BAD;
    const rv_dye dye = rv_dye_of(look, entry->rank < 0 ? 0 : entry->rank);
    rv_colour fill =
        entry->rank < 0 ? look->raised : rv_mix(look->panel, dye.fill, look->dark ? 0.42 : 0.5);
    rv_item *ground = rv_scene_rect(scene, box, 0.25 * size, hollow ? 0 : fill);
    ground->stroke = bad ? look->bad : hollow ? rv_mix(look->panel, look->quiet, 0.5) : look->ink;
    ground->line = (bad ? 2 : 1) * look->hair;
    ground->dashed = hollow;
    if (entry->rank >= 0) {
        rv_box rest = box;
        rv_hatch(rv_scene_rect(scene, rv_cut_left(&rest, fmin(0.42 * size, 0.2 * box.w)),
                               0.1 * size, rv_fade(dye.fill, hollow ? 0.35 : 1)),
                 dye.pattern, rv_fade(dye.hatch, hollow ? 0.35 : 1));
    }
    if (entry->text == NULL) return;
    const rv_box inside = {box.x + fmin(0.42 * size, 0.2 * box.w), box.y,
                           box.w - fmin(0.42 * size, 0.2 * box.w), box.h};
    rv_scene_label(scene, inside, RV_MIDDLE, size,
                   hollow ? rv_tone_ink(look, RV_TONE_QUIET)
                   : bad  ? look->bad
                          : look->ink,
                   entry->text)
        ->bold = !hollow;
}
