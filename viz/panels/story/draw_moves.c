/* draw_moves.c: entries that travel: from the grid entry that one leaves to the entry where it is
 * new; and lines between plain entries that belong together.
 *
 *     [4>] [1>]  7   5          an entry that leaves, and one that has just come with the same words and
 *       \\   `-------.           rank, are the two ends of a way
 *     GPU 0 [4<]   GPU 1 [1<]
 *
 * draw_grid.c notes both ends when it draws the grids; rv_draw_moves draws the ways on top of them
 * while the moment begins.
 */
#include "panels/draw.h"
#include "panels/story/story_parts.h"

#include <math.h>
#include <string.h>

/* A tile: a thing that can move, in the colour of its rank; hollow where it has gone. */

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

/* -------------------------------------------------------------------------------- what travels */

static const double ARRIVED = 0.9; /* the moment's progress at which they arrive */
enum { MOST_SEARCHED = 4000 };

/* Tells whether something leaves an entry, or may come to it. */
static bool is_start(const rv_entry *entry) {
    return entry->tone == RV_TONE_LEAVES;
}

static bool is_end(const rv_entry *entry) {
    return entry->tone == RV_TONE_NEW || entry->tone == RV_TONE_ADDED ||
           entry->tone == RV_TONE_BAD || (entry->way > 0 && !is_start(entry));
}

static bool is_same(const rv_entry *a, const rv_entry *b) {
    if (a->way > 0 || b->way > 0) return a->way == b->way;
    return a->rank == b->rank && a->text != NULL && b->text != NULL &&
           strcmp(a->text, b->text) == 0;
}

/* Plain entries that a line joins, while nothing travels. */
static bool is_joined(const rv_entry *entry) {
    return entry->way > 0 && entry->tone == RV_TONE_PLAIN;
}

bool rv_comes_from_afar(const rv_stage *stage, const rv_entry *entry) {
    const rv_frame *frame = rv_stage_frame(stage);
    int64_t n = 0;
    if (stage->progress >= 1 || !is_end(entry) || entry->text == NULL) return false;
    for (int32_t g = 0; g < frame->n_grids; g++) {
        const rv_grid *grid = &frame->grids[g];
        const int64_t n_entries = (int64_t)grid->n_rows * grid->n_columns;
        if ((n += n_entries) > MOST_SEARCHED) return false;
        for (int64_t i = 0; i < n_entries; i++) {
            if (!is_start(&grid->entries[i])) continue;
            if (is_same(&grid->entries[i], entry)) return true;
        }
    }
    return false;
}

double rv_has_come(const rv_stage *stage) {
    return stage->progress >= ARRIVED ? 1 : 0;
}

void rv_note_move(const rv_stage *stage, const rv_entry *entry, rv_box box, double size,
                  bool tile) {
    rv_moves *t = rv_kept(stage);
    const bool moves = stage->progress < 1 && (is_start(entry) || is_end(entry));
    if (t == NULL || (!moves && !is_joined(entry)) || t->n_ends >= RV_MOST_ENDS) return;
    t->ends[t->n_ends++] = (rv_way_end){entry, box, size, tile, false};
}

/* Makes a motion start and stop slowly. */
static double eased(double share) {
    share = fmin(1, fmax(0, share));
    return share * share * (3 - 2 * share);
}

static void draw_tile_way(const rv_stage *stage, const rv_way_end *from, const rv_way_end *to,
                          double p, rv_scene *scene) {
    rv_entry tile = *to->entry;
    if (from->entry->text != NULL) tile.text = from->entry->text;
    tile.tone = RV_TONE_PLAIN;
    rv_draw_tile(stage, &tile, scene, rv_box_between(from->box, to->box, p),
                 from->size + (to->size - from->size) * p);
}

static void draw_way(const rv_stage *stage, const rv_way_end *from, const rv_way_end *to,
                     rv_scene *scene) {
    const rv_look *look = &stage->look;
    const double p = eased(stage->progress / ARRIVED), size = fmax(from->size, to->size);
    if (from->tile && to->tile) {
        draw_tile_way(stage, from, to, p, scene);
        return;
    }
    const rv_point a = rv_centre(from->box), b = rv_centre(to->box);
    const double w = rv_label_width(to->entry->text, size) * 1.06 + 1.2 * size, h = 1.5 * size;
    const rv_box chip = rv_box_round(rv_between(a, b, p), w, h);
    rv_colour fill = look->raised;
    if (to->entry->rank >= 0) {
        fill = rv_mix(look->panel, rv_dye_of(look, to->entry->rank).fill, look->dark ? 0.5 : 0.6);
    }
    rv_outline(rv_scene_rect(scene, chip, 0.3 * size, fill), look->ink, look->hair);
    rv_scene_label(scene, chip, RV_MIDDLE, size, look->ink, to->entry->text)->bold = true;
}

/* Joins two plain entries, one above the other. */
static void draw_join(const rv_stage *stage, const rv_way_end *a, const rv_way_end *b,
                      rv_scene *scene) {
    const rv_dye dye = rv_dye_of(&stage->look, a->entry->rank < 0 ? 0 : a->entry->rank);
    rv_scene_line(scene, rv_centre(a->box).x, a->box.y + a->box.h, rv_centre(b->box).x, b->box.y,
                  2 * stage->look.hair, rv_fade(dye.fill, 0.8));
}

/* Draws all ways of locks, or all others: a lock lies on top. */
static void draw_ways(const rv_stage *stage, rv_moves *t, bool locks, rv_scene *scene) {
    for (int i = 0; i < t->n_ends; i++) {
        const rv_way_end *from = &t->ends[i];
        for (int k = 0; k < t->n_ends && is_start(from->entry); k++) {
            rv_way_end *to = &t->ends[k];
            if (!is_end(to->entry) || to->used || !is_same(from->entry, to->entry)) continue;
            if (to->entry->lock != locks) break;
            to->used = to->entry->way == 0; /* several may go one way */
            draw_way(stage, from, to, scene);
            break;
        }
    }
}

void rv_draw_moves(const rv_stage *stage, rv_scene *scene) {
    rv_moves *t = rv_kept(stage);
    if (t == NULL) return;
    for (int i = 0; i < t->n_ends; i++) {
        for (int k = i + 1; k < t->n_ends && is_joined(t->ends[i].entry); k++) {
            const bool joined = is_joined(t->ends[k].entry);
            if (joined && is_same(t->ends[i].entry, t->ends[k].entry)) {
                draw_join(stage, &t->ends[i], &t->ends[k], scene);
            }
        }
    }
    scene->layer = RV_MOVING;
    if (stage->progress < ARRIVED) {
        draw_ways(stage, t, false, scene);
        draw_ways(stage, t, true, scene);
    }
}
