/* draw_moves.c: entries that travel: from the grid entry that one leaves to the entry where it is
 * new.
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

static const double ARRIVED = 0.9; /* the moment's progress at which they arrive */
enum { MOST_SEARCHED = 4000 };

static bool is_end(rv_tone tone) {
    return tone == RV_TONE_NEW || tone == RV_TONE_ADDED || tone == RV_TONE_BAD;
}

static bool is_same(const rv_entry *a, const rv_entry *b) {
    return a->rank == b->rank && a->text != NULL && b->text != NULL &&
           strcmp(a->text, b->text) == 0;
}

bool rv_comes_from_afar(const rv_stage *stage, const rv_entry *entry) {
    const rv_frame *frame = rv_stage_frame(stage);
    int64_t n = 0;
    if (stage->progress >= 1 || !is_end(entry->tone) || entry->text == NULL) return false;
    for (int32_t g = 0; g < frame->n_grids; g++) {
        const rv_grid *grid = &frame->grids[g];
        const int64_t n_entries = (int64_t)grid->n_rows * grid->n_columns;
        if ((n += n_entries) > MOST_SEARCHED) return false;
        for (int64_t i = 0; i < n_entries; i++) {
            if (grid->entries[i].tone != RV_TONE_LEAVES) continue;
            if (is_same(&grid->entries[i], entry)) return true;
        }
    }
    return false;
}

void rv_note_move(const rv_stage *stage, const rv_entry *entry, rv_box box, double size) {
    rv_moves *t = rv_kept(stage);
    const bool ends = entry->tone == RV_TONE_LEAVES || is_end(entry->tone);
    if (t == NULL || stage->progress >= 1 || !ends || t->n_ends >= RV_MOST_ENDS) return;
    t->ends[t->n_ends++] = (rv_way_end){entry, box, size, false};
}

/* Makes a motion start and stop slowly. */
static double eased(double share) {
    share = fmin(1, fmax(0, share));
    return share * share * (3 - 2 * share);
}

static void draw_way(const rv_stage *stage, const rv_way_end *from, const rv_way_end *to,
                     rv_scene *scene) {
    const rv_look *look = &stage->look;
    const double p = eased(stage->progress / ARRIVED), size = fmax(from->size, to->size);
    const rv_point a = rv_centre(from->box), b = rv_centre(to->box);
    const double w = rv_label_width(to->entry->text, size) * 1.06 + 1.2 * size, h = 1.5 * size;
    const rv_point at = {a.x + (b.x - a.x) * p, a.y + (b.y - a.y) * p};
    const rv_box chip = {at.x - w / 2, at.y - h / 2, w, h};
    rv_colour fill = look->raised;
    if (to->entry->rank >= 0) {
        fill = rv_mix(look->panel, rv_dye_of(look, to->entry->rank).fill, look->dark ? 0.5 : 0.6);
    }
    rv_item *ground = rv_scene_rect(scene, chip, 0.3 * size, fill);
    ground->stroke = look->ink;
    ground->line = look->hair;
    rv_scene_label(scene, chip, RV_MIDDLE, size, look->ink, to->entry->text)->bold = true;
}

void rv_draw_moves(const rv_stage *stage, rv_scene *scene) {
    rv_moves *t = rv_kept(stage);
    if (t == NULL) return;
    scene->layer = RV_MOVING;
    for (int i = 0; i < t->n_ends && stage->progress < ARRIVED; i++) {
        rv_way_end *to = &t->ends[i];
        for (int k = 0; k < t->n_ends && is_end(to->entry->tone); k++) {
            rv_way_end *from = &t->ends[k];
            if (from->entry->tone != RV_TONE_LEAVES || from->used) continue;
            if (!is_same(from->entry, to->entry)) continue;
            from->used = true;
            draw_way(stage, from, to, scene);
            break;
        }
    }
    scene->layer = RV_STILL;
}
