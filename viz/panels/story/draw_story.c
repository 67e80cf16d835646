/* draw_story.c: a story's moment in the middle of the window: which part gets how much room, at any
 * size.
 *
 *     wide                                    upright, small
 *     +--------------------+----------+       +----------------+
 *     | sequence, or       | plot     |       | grid           |
 *     | grid      | grid   | plot     |       | grid           |
 *     +--------------------+----------+       | plot  | plot   |
 *     | lanes                         |       | lanes          |
 *     +-------------------------------+       +----------------+
 *
 * The grids have the largest type at which all of them fit; if they do not fit even in the
 * smallest, the window shows a part of the first grids and leaves out the last ones.
 */
#include "panels/draw.h"
#include "panels/story/story_parts.h"

#include <math.h>

static const double GAP = 0.5, LARGEST = 1.35, SMALLEST = 0.72; /* in units */
static const double LEAST_LANES = 6.5, LEAST_PLOT = 7, SMALL = 13;

typedef struct places {
    rv_box sequence, grids, lanes;
    rv_box plots[RV_MOST_PLOTS];
    int n_plots;
    int only; /* this grid or plot alone, counted from 1; 0: all, from the first on */
} places;

/* --------------------------------------------------------------------------------------- grids */

typedef struct shelves {
    rv_shelf list[RV_MOST_GRIDS];
    int n;
    double size, height; /* of the type; of all of them */
    double pad;          /* a panel's edges, in characters */
} shelves;

static shelves shelve(const rv_stage *stage, const rv_frame *frame, double width, double size,
                      int most) {
    const double u = stage->look.unit, em = RV_GRID_CHARACTER * size;
    shelves made = {.size = size, .pad = ceil(1.3 * u / em) + 1};
    const int characters = (int)fmax(4, width / em - made.pad);
    const int gap = (int)(made.pad + ceil(GAP * u / em));
    made.n = rv_shelve_grids(frame, rv_stage_survey(stage), stage->playback.rank, characters, gap,
                             most, made.list);
    made.height = -GAP * u;
    for (int i = 0; i < made.n; i++) {
        made.height += rv_grid_height(stage, made.list[i].lines, size) + GAP * u;
    }
    return made;
}

/* Tells whether the shelves show all columns of all grids. */
static bool is_whole(const rv_stage *stage, const rv_frame *frame, const shelves *s, double width) {
    const int characters = (int)fmax(4, width / (RV_GRID_CHARACTER * s->size) - s->pad);
    for (int g = 0; g < frame->n_grids; g++) {
        const rv_board board =
            rv_plan_board(&frame->grids[g], NULL, stage->playback.rank, characters, 1 << 20);
        if (board.n_columns < frame->grids[g].n_columns) return false;
    }
    return true;
}

/* Tells whether a low grid stands beside a high one: most of its panel would be empty. */
static bool is_uneven(const rv_stage *stage, const rv_frame *frame, const shelves *s) {
    for (int i = 0; i < s->n; i++) {
        for (int g = s->list[i].first; g < s->list[i].first + s->list[i].n; g++) {
            int lines;
            rv_grid_wants(frame, rv_stage_survey(stage), g, stage->playback.rank, 1 << 20, &lines);
            if (s->list[i].lines > 2 * lines) return true;
        }
    }
    return false;
}

/* Finds the largest type, down to `least`, in which all grids fit into a box, beside or below each
   other. */
static bool fits(const rv_stage *stage, const rv_frame *frame, rv_box box, double least, bool even,
                 shelves *found) {
    const double u = stage->look.unit;
    for (double size = LARGEST; size >= least; size -= 0.07) {
        for (int most = RV_MOST_GRIDS; most >= 1; most--) {
            *found = shelve(stage, frame, box.w, size * u, most);
            if (found->height > box.h || !is_whole(stage, frame, found, box.w)) continue;
            if (!even || !is_uneven(stage, frame, found)) return true;
        }
    }
    return false;
}

static shelves fit_grids(const rv_stage *stage, const rv_frame *frame, rv_box box) {
    shelves found;
    if (fits(stage, frame, box, 0.9, true, &found)) return found;
    if (fits(stage, frame, box, SMALLEST, false, &found)) return found;
    return shelve(stage, frame, box.w, SMALLEST * stage->look.unit, RV_MOST_GRIDS);
}

/* Draws one shelf: its grids share the width by what they need. */
static void draw_shelf(const rv_stage *stage, const rv_frame *frame, const shelves *s,
                       const rv_shelf *shelf, rv_scene *scene, rv_box box) {
    const double gap = GAP * stage->look.unit, em = RV_GRID_CHARACTER * s->size;
    double wanted[RV_MOST_GRIDS], all = 0;
    const int characters = (int)fmax(4, box.w / em - s->pad);
    for (int i = 0; i < shelf->n; i++) {
        int lines;
        const int width = rv_grid_wants(frame, rv_stage_survey(stage), shelf->first + i,
                                        stage->playback.rank, characters, &lines);
        wanted[i] = (width + s->pad) * em;
        all += wanted[i];
    }
    const double room = box.w - gap * (shelf->n - 1);
    for (int i = 0; i < shelf->n; i++) {
        const rv_box panel = rv_cut_left(&box, i + 1 < shelf->n ? room * wanted[i] / all : box.w);
        rv_cut_left(&box, gap);
        rv_draw_grid(stage, frame, shelf->first + i, s->size, scene, panel);
    }
}

/* Returns the largest type in which a shelf's only grid is whole in a box: the smallest one rules the others only
   where they stand side by side. */
static double size_alone(const rv_stage *stage, const rv_frame *frame, const shelves *s,
                         const rv_shelf *shelf, rv_box box) {
    const double u = stage->look.unit;
    for (double size = u; shelf->n == 1 && size > s->size; size -= 0.07 * u) {
        const int characters = (int)(box.w / (RV_GRID_CHARACTER * size) - s->pad);
        const rv_board board = rv_plan_board(&frame->grids[shelf->first], NULL,
                                             stage->playback.rank, characters, 1 << 20);
        const bool whole = board.n_columns == frame->grids[shelf->first].n_columns;
        if (whole && rv_grid_height(stage, board.height, size) <= box.h) return size;
    }
    return s->size;
}

static void draw_grids(const rv_stage *stage, const rv_frame *frame, rv_scene *scene, rv_box box) {
    const double u = stage->look.unit, gap = GAP * u;
    const shelves s = fit_grids(stage, frame, box);
    const double spare = fmax(0, box.h - s.height);
    double lines = 0;
    for (int i = 0; i < s.n; i++) lines += s.list[i].lines;
    for (int i = 0; i < s.n && box.h > 3 * u; i++) {
        const double wanted = rv_grid_height(stage, s.list[i].lines, s.size);
        double rest = 0; /* what the shelves below need at least */
        for (int k = i + 1; k < s.n; k++) {
            rest += gap + fmin(rv_grid_height(stage, s.list[k].lines, s.size),
                               rv_grid_height(stage, 5, s.size));
        }
        const double most = fmax(box.h - rest, fmin(box.h, rv_grid_height(stage, 6, s.size)));
        double height = fmin(wanted + spare * s.list[i].lines / lines, most);
        if (box.h - height - gap < 4 * u || i + 1 == s.n) height = box.h;
        const rv_box place = rv_cut_top(&box, height);
        shelves own = s;
        own.size = size_alone(stage, frame, &s, &s.list[i], place);
        draw_shelf(stage, frame, &own, &s.list[i], scene, place);
        rv_cut_top(&box, gap);
    }
}

/* Draws one grid alone, in the largest type that shows all of it. */
static void draw_alone(const rv_stage *stage, const rv_frame *frame, int which, rv_scene *scene,
                       rv_box box) {
    const double u = stage->look.unit;
    double size = 1.5;
    for (; size > SMALLEST; size -= 0.07) {
        const int characters = (int)((box.w - 1.3 * u) / (RV_GRID_CHARACTER * size * u));
        const rv_board board =
            rv_plan_board(&frame->grids[which], NULL, stage->playback.rank, characters, 1 << 20);
        const bool whole = board.n_columns == frame->grids[which].n_columns;
        if (whole && rv_grid_height(stage, board.height, size * u) <= box.h) break;
    }
    rv_draw_grid(stage, frame, which, size * u, scene, box);
}

/* -------------------------------------------------------------------------------------- places */

static bool has_lanes(const rv_stage *stage) {
    return rv_stage_story(stage)->n_lanes > 0;
}

static void stack_plots(const rv_frame *frame, rv_box box, double u, bool upright, places *at) {
    const double gap = GAP * u, room = upright ? box.h : box.w;
    const double least = upright ? LEAST_PLOT * u : 15 * u;
    const int fit = (int)floor((room + gap) / (least + gap));
    at->n_plots = frame->n_plots < fit ? frame->n_plots : fit < 1 ? 1 : fit;
    const double each = (room - gap * (at->n_plots - 1)) / at->n_plots;
    for (int i = 0; i < at->n_plots; i++) {
        at->plots[i] = upright ? rv_cut_top(&box, each) : rv_cut_left(&box, each);
        if (upright) {
            rv_cut_top(&box, gap);
        } else {
            rv_cut_left(&box, gap);
        }
    }
}

/* Places the first part alone: there is room for one only. */
static places place_one(const rv_stage *stage, const rv_frame *frame, rv_box box) {
    places at = {0};
    if (frame->sequence.title != NULL) {
        at.sequence = box;
    } else if (frame->n_grids > 0) {
        at.grids = box;
    } else if (has_lanes(stage)) {
        at.lanes = box;
    } else if (frame->n_plots > 0) {
        at.n_plots = 1;
        at.plots[0] = box;
    }
    return at;
}

/* Returns the height that tiles need at least, so that none of them moves unseen. */
static double whole_tiles(const rv_stage *stage, const rv_frame *frame, double width) {
    bool tiles = false;
    for (int g = 0; g < frame->n_grids; g++) tiles = tiles || frame->grids[g].tiles;
    if (!tiles) return 0;
    return shelve(stage, frame, width, SMALLEST * stage->look.unit, RV_MOST_GRIDS).height;
}

static void place_lanes(const rv_stage *stage, const rv_frame *frame, rv_box *box, places *at) {
    const double u = stage->look.unit, wanted = rv_lanes_height(stage);
    const bool others = frame->n_grids > 0 || frame->n_plots > 0;
    double height = box->h;
    if (others) {
        const double grids = frame->n_grids > 0
                                 ? shelve(stage, frame, box->w, 0.95 * u, RV_MOST_GRIDS).height
                                 : 10 * u;
        const double left = box->h - GAP * u - fmax(grids, frame->n_plots > 0 ? LEAST_PLOT * u : 0);
        height = fmin(wanted, fmax(left, fmax(LEAST_LANES * u, 0.38 * box->h)));
        const double most = box->h - GAP * u - whole_tiles(stage, frame, box->w);
        if (most < height) height = fmax(LEAST_LANES * u, most);
    }
    at->lanes = rv_cut_apart(box, rv_cut_bottom, height, GAP * u);
}

/* Places the plots beside the grids in a wide box, else below them. */
static void place_plots(const rv_stage *stage, const rv_frame *frame, rv_box *box, places *at) {
    const double u = stage->look.unit;
    if (frame->n_grids == 0) {
        stack_plots(frame, *box, u, box->h > 1.1 * box->w, at);
        *box = (rv_box){0};
        return;
    }
    if (box->w > 1.15 * box->h && box->w > 40 * u) {
        const shelves s = shelve(stage, frame, 0.7 * box->w, 0.9 * u, RV_MOST_GRIDS);
        double grids = 0;
        for (int i = 0; i < s.n; i++) grids = fmax(grids, s.list[i].width + s.pad);
        grids *= RV_GRID_CHARACTER * 0.9 * u;
        const double width = fmax(0.3 * box->w, fmin(0.45 * box->w, box->w - grids - GAP * u));
        stack_plots(frame, rv_cut_apart(box, rv_cut_right, width, GAP * u), u, true, at);
    } else if (box->h > (LEAST_PLOT + 7) * u) {
        const double grids = shelve(stage, frame, box->w, 0.9 * u, RV_MOST_GRIDS).height;
        const double height = fmax(LEAST_PLOT * u, fmin(0.45 * box->h, box->h - grids - GAP * u));
        stack_plots(frame, rv_cut_apart(box, rv_cut_bottom, height, GAP * u), u, false, at);
    }
}

/* Places the sequence left of the grids, or above them. */
static void place_sequence(const rv_stage *stage, const rv_frame *frame, rv_box *box, places *at) {
    const double u = stage->look.unit, wanted = rv_sequence_height(stage, &frame->sequence);
    if (box->w > 1.15 * box->h && box->w > 50 * u) {
        at->sequence = rv_cut_apart(box, rv_cut_left, 0.5 * box->w, GAP * u);
    } else if (box->h < 26 * u) { /* no room for more */
        at->sequence = *box;
        *box = (rv_box){0};
    } else {
        const double grids = shelve(stage, frame, box->w, 0.9 * u, RV_MOST_GRIDS).height;
        const double most = box->h - GAP * u - fmin(grids, 0.34 * box->h);
        at->sequence = rv_cut_top(box, fmax(0.5 * box->h, fmin(wanted, most)));
        rv_cut_top(box, GAP * u);
    }
}

/* Gives all the room to the part that the reader has chosen. */
static places place_part(const rv_stage *stage, const rv_frame *frame, rv_box box) {
    int32_t index;
    places at = {0};
    switch (rv_part_of(rv_stage_story(stage), frame, stage->playback.part, &index)) {
    case RV_PART_SEQUENCE: at.sequence = box; break;
    case RV_PART_GRID:
        at.grids = box;
        at.only = index + 1;
        break;
    case RV_PART_LANES: at.lanes = box; break;
    case RV_PART_PLOT:
        at.n_plots = 1;
        at.plots[0] = box;
        at.only = index + 1;
        break;
    }
    return at;
}

static places share_out(const rv_stage *stage, const rv_frame *frame, rv_box box) {
    places at = {0};
    if (stage->playback.part >= 0 &&
        stage->playback.part < rv_count_parts(rv_stage_story(stage), frame)) {
        return place_part(stage, frame, box);
    }
    if (box.h < SMALL * stage->look.unit) return place_one(stage, frame, box);
    if (frame->sequence.title != NULL) place_sequence(stage, frame, &box, &at);
    if (has_lanes(stage)) place_lanes(stage, frame, &box, &at);
    if (frame->n_plots > 0 && box.h > 0.98 * LEAST_PLOT * stage->look.unit) {
        place_plots(stage, frame, &box, &at);
    }
    if (frame->n_grids > 0) at.grids = box;
    return at;
}

static void draw(rv_stage *stage, rv_scene *scene, rv_box box) {
    const rv_frame *frame = rv_stage_frame(stage);
    const places at = share_out(stage, frame, box);
    rv_moves *moves = rv_kept(stage);
    if (moves != NULL) moves->n_ends = 0;
    const int first = at.only > 0 ? at.only - 1 : 0;
    if (at.sequence.w > 0) rv_draw_sequence(stage, &frame->sequence, scene, at.sequence);
    if (at.grids.w > 0 && at.only > 0) {
        draw_alone(stage, frame, first, scene, at.grids);
    } else if (at.grids.w > 0) {
        draw_grids(stage, frame, scene, at.grids);
    }
    for (int i = 0; i < at.n_plots; i++) {
        rv_draw_plot(stage, &frame->plots[first + i], scene, at.plots[i]);
    }
    if (at.lanes.w > 0) rv_draw_lanes(stage, scene, at.lanes);
    rv_draw_moves(stage, scene);
}

const rv_panel rv_panel_story = {.fits = rv_has_frames,
                                 .place = RV_PLACE_STORY,
                                 .kept_bytes = sizeof(rv_moves),
                                 .draw = draw,
                                 .explain = rv_draw_story_key};

/* ------------------------------------------------------------------------------------- the heading */

/* The picture's head for a story: its title, and the phase of its moment. */
static void draw_heading(rv_stage *stage, rv_scene *scene, rv_box box) {
    const rv_look *look = &stage->look;
    const rv_frame *frame = rv_stage_frame(stage);
    const double u = look->unit;
    const char *text = rv_story_title(rv_stage_story(stage));
    rv_draw_tabs(stage, scene, &box);
    const double wanted = rv_label_width(text, 1.25 * u) + 0.8 * u;
    rv_box name = rv_cut_left(&box, fmin(box.w, wanted));
    rv_scene_label(scene, name, RV_LEFT, 1.15 * u, look->ink, text)->bold = true;
    if (frame->phase == NULL || box.w < rv_label_width(frame->phase, u) + 0.5 * u) return;
    rv_scene_label(scene, box, RV_LEFT, u, look->accent, frame->phase);
}

const rv_panel rv_panel_heading = {
    .fits = rv_has_frames, .place = RV_PLACE_TITLE, .draw = draw_heading};
