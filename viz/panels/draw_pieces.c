/* draw_pieces.c: what the panels share: grounds, buttons, signs, lights, and the targets of items.
 *
 * Signs stand on buttons and beside words. They are drawn as shapes, so that they look the same in every font.
 */
#include "panels/draw.h"
#include "text/words.h"

#include <math.h>
#include <stdio.h>

rv_box rv_draw_panel(const rv_stage *stage, rv_scene *scene, rv_box box, const char *title) {
    const rv_look *look = &stage->look;
    rv_outline(rv_scene_rect(scene, box, 0.5 * look->unit, look->panel), look->edge, look->hair);
    rv_box inside = rv_inset(box, 0.6 * look->unit);
    if (title == NULL) return inside;
    const rv_box line = rv_cut_top(&inside, 1.3 * look->unit);
    rv_scene_label(scene, line, RV_LEFT, 0.85 * look->unit, look->quiet, title);
    return inside;
}

/* Draws a button's ground; returns the colour for what stands on it. `framed`: under the pointer its frame is lit, too. */
static rv_colour draw_ground(const rv_stage *stage, rv_scene *scene, rv_box box, bool lit,
                             bool framed, rv_target target) {
    const rv_look *look = &stage->look;
    const bool hot = rv_same_target(stage->hover, target);
    const rv_colour fill = lit   ? look->accent
                           : hot ? rv_mix(look->raised, look->accent, 0.25)
                                 : look->raised;
    rv_outline(rv_scene_rect(scene, box, 0.35 * look->unit, fill),
               lit || (hot && framed) ? look->accent : look->edge, look->hair)
        ->target = target;
    return lit ? look->accent_ink : look->ink;
}

void rv_draw_choice_button(const rv_stage *stage, rv_scene *scene, rv_box box, const char *text,
                           bool lit, rv_target target) {
    const double u = stage->look.unit;
    const rv_colour ink = draw_ground(stage, scene, box, lit, false, target);
    rv_scene_label(scene, rv_inset(box, 0.2 * u), RV_MIDDLE, 0.9 * u, ink, text);
}

void rv_draw_button(const rv_stage *stage, rv_scene *scene, rv_box box, const char *text, bool lit,
                    rv_action action) {
    rv_draw_choice_button(stage, scene, box, text, lit,
                          rv_target_of(RV_BUTTON, (int32_t)action, 0));
}

bool rv_is_killed(const rs_outcome *outcome, int32_t rank) {
    for (int32_t i = 0; i < outcome->n_killed; i++) {
        if (outcome->killed[i] == rank) return true;
    }
    return false;
}

int32_t rv_every(double room, double needed) {
    int32_t n = 1;
    while (n * room < needed && n < 1 << 30) n *= 2;
    return n;
}

rv_item *rv_draw_counts(const rv_stage *stage, const rv_shown_run *run, rv_cells part,
                        int32_t least, rv_scene *scene, rv_box box, int32_t *columns,
                        int32_t *rows) {
    enum { SHADES = 256 };
    const rv_look *look = &stage->look;
    const int32_t n = run->model->n_ranks, span = n > least ? n - least : 1;
    const uint16_t *image = rv_counts_image(run->what_if->counts, part, columns, rows);
    rv_colour *pixels, shades[SHADES + 1];
    rv_item *grid = rv_scene_grid(scene, box, *columns, *rows, &pixels);
    for (int i = 0; i <= SHADES; i++) shades[i] = rv_heat_of(look, (double)i / SHADES);
    for (int32_t i = 0; image != NULL && pixels != NULL && i < *columns * *rows; i++) {
        const int32_t shade = (image[i] - least) * SHADES / span;
        pixels[i] = image[i] == RV_SPOILT ? look->bad
                                          : shades[shade < 0        ? 0
                                                   : shade > SHADES ? SHADES
                                                                    : shade];
    }
    return grid;
}

bool rv_is_lit(const rv_stage *stage, int32_t rank, int32_t chunk) {
    const rv_target h = stage->hover;
    switch ((rv_thing)h.thing) {
    case RV_GPU: return h.a == rank;
    case RV_CELL: return (rank < 0 || h.a == rank) && (chunk < 0 || h.b == chunk);
    case RV_TRANSFER: return (chunk < 0 || h.c == chunk) && (rank < 0 || h.b == rank);
    default: return false;
    }
}

int32_t rv_pointed_gpu(const rv_stage *stage, rv_box own) {
    const rv_target h = stage->hover;
    const rv_model *model = stage->what_if->model;
    int32_t rank = -1;
    if (rv_inside(own, stage->pointer_x, stage->pointer_y)) return -1;
    if (h.thing == RV_GPU || h.thing == RV_CELL) rank = h.a;
    if (h.thing == RV_TRANSFER && h.a == model->step) rank = h.b;
    return rank < model->n_ranks ? rank : -1;
}

rv_target rv_transfer_target(const rv_shown_run *run, int32_t step, int32_t src, int32_t chunk) {
    return (rv_target){RV_TRANSFER, run->second ? -1 - step : step, src, chunk};
}

rv_target rv_link_target(const rv_stage *stage, const rv_shown_run *run, int32_t src, int32_t dst) {
    const bool kept = run->second && !stage->pairing->races;
    return kept ? (rv_target){0} : rv_target_of(RV_LINK, src, dst);
}

void rv_draw_rank_head(const rv_stage *stage, const rv_model *model, rv_scene *scene, rv_box box,
                       double size, int32_t rank, bool named) {
    const rv_look *look = &stage->look;
    const bool followed = rank == stage->playback.rank, lit = rv_is_lit(stage, rank, -1);
    char name[RV_RANK_NAME];
    rv_rank_name(model, rank, name);
    if (!named) snprintf(name, sizeof name, "%d", (int)rank);
    const rv_colour ink = followed ? look->focus : lit ? look->ink : look->quiet;
    rv_item *label = rv_scene_label(scene, box, RV_RIGHT, size, ink, name);
    label->bold = followed || lit;
    label->target = rv_target_of(RV_GPU, rank, 0);
}

/* ------------------------------------------------------------------------------------------ signs */

/* A sign on its place. */
typedef struct sign_pen {
    rv_scene *scene;
    rv_point centre;
    double half; /* of the square's side */
    rv_colour ink;
} sign_pen;

static rv_point at(const sign_pen *p, double x, double y) {
    return (rv_point){p->centre.x + p->half * x, p->centre.y + p->half * y};
}

static void draw_strokes(const sign_pen *p, const rv_stroke strokes[]) {
    for (const rv_stroke *s = strokes; s->kind != RV_NO_STROKE; s++) {
        const double *n = s->at, x = n[0], y = n[1], a = n[2], b = n[3];
        const rv_point from = at(p, x, y), tip[] = {at(p, x, -b), at(p, x + a, 0), at(p, x, b)};
        const rv_box bar = {from.x, from.y, a * p->half, b * p->half};
        switch (s->kind) {
        case RV_BAR: rv_scene_rect(p->scene, bar, 0.1 * p->half, p->ink); break;
        case RV_LINE: rv_scene_segment(p->scene, from, at(p, a, b), n[4] * p->half, p->ink); break;
        case RV_DOT: rv_scene_disc(p->scene, from, a * p->half, p->ink); break;
        case RV_TIP: rv_scene_polygon(p->scene, tip, 3, p->ink); break;
        case RV_NO_STROKE: break;
        }
    }
}

static void draw_theme(const sign_pen *p) { /* half light, half dark */
    rv_outline(rv_scene_disc(p->scene, p->centre, 0.75 * p->half, 0), p->ink, 0.2 * p->half);
    rv_point points[14];
    for (int i = 0; i < 14; i++) {
        const double angle = 1.5707963 - 3.1415927 * i / 13;
        points[i] = at(p, 0.75 * cos(angle), 0.75 * sin(angle));
    }
    rv_scene_polygon(p->scene, points, 14, p->ink);
}

static void draw_triangle(const sign_pen *p) { /* of a warning */
    const rv_point points[] = {at(p, 0, -0.9), at(p, 0.95, 0.8), at(p, -0.95, 0.8)};
    rv_outline(rv_scene_polygon(p->scene, points, 3, rv_fade(p->ink, 0.15)), p->ink, 0.2 * p->half);
}

void rv_draw_sign(rv_scene *scene, rv_box box, rv_sign sign, rv_colour ink) {
    static const rv_stroke signs[][4] = {
        [RV_SIGN_PLAY] = {{RV_TIP, {-0.6, 0, 1.4, 0.85}}},
        [RV_SIGN_PAUSE] = {{RV_BAR, {-0.65, -0.8, 0.45, 1.6}}, {RV_BAR, {0.2, -0.8, 0.45, 1.6}}},
        [RV_SIGN_NEXT] = {{RV_TIP, {-0.75, 0, 1.05, 0.75}}, {RV_BAR, {0.42, -0.75, 0.28, 1.5}}},
        [RV_SIGN_BACK] = {{RV_TIP, {0.75, 0, -1.05, 0.75}}, {RV_BAR, {-0.7, -0.75, 0.28, 1.5}}},
        [RV_SIGN_MICRO_NEXT] = {{RV_TIP, {-0.3, 0, 0.75, 0.5}}},
        [RV_SIGN_MICRO_BACK] = {{RV_TIP, {0.3, 0, -0.75, 0.5}}},
        [RV_SIGN_HOME] = {{RV_TIP, {0.05, 0, -0.75, 0.6}},
                          {RV_TIP, {0.8, 0, -0.75, 0.6}},
                          {RV_BAR, {-0.95, -0.6, 0.22, 1.2}}},
        [RV_SIGN_END] = {{RV_TIP, {-0.05, 0, 0.75, 0.6}},
                         {RV_TIP, {-0.8, 0, 0.75, 0.6}},
                         {RV_BAR, {0.73, -0.6, 0.22, 1.2}}},
        [RV_SIGN_PLUS] = {{RV_BAR, {-0.13, -0.7, 0.26, 1.4}}, {RV_BAR, {-0.7, -0.13, 1.4, 0.26}}},
        [RV_SIGN_MINUS] = {{RV_BAR, {-0.7, -0.13, 1.4, 0.26}}},
        [RV_SIGN_CHECK] = {{RV_LINE, {-0.7, 0.05, -0.2, 0.6, 0.32}},
                           {RV_LINE, {-0.2, 0.6, 0.75, -0.6, 0.32}}},
        [RV_SIGN_CROSS] = {{RV_LINE, {-0.6, -0.6, 0.6, 0.6, 0.32}},
                           {RV_LINE, {-0.6, 0.6, 0.6, -0.6, 0.32}}},
        [RV_SIGN_WARNING] = {{RV_LINE, {0, -0.25, 0, 0.2, 0.22}},
                             {RV_LINE, {0, 0.5, 0, 0.52, 0.26}}},
        [RV_SIGN_THEME] = {{0}},
        [RV_SIGN_HOUSE] = {{RV_LINE, {-0.9, 0, 0, -0.85, 0.24}},
                           {RV_LINE, {0, -0.85, 0.9, 0, 0.24}},
                           {RV_BAR, {-0.6, 0.05, 1.2, 0.75}}},
    };
    const sign_pen p = {scene, rv_centre(box), 0.5 * fmin(box.w, box.h), ink};
    if (sign == RV_SIGN_WARNING) draw_triangle(&p);
    if (sign == RV_SIGN_THEME) draw_theme(&p);
    draw_strokes(&p, signs[sign]);
}

/* Returns the place of a sign that stands alone on a button. */
static rv_box middle_of(rv_box box) {
    const double side = fmin(0.52 * box.h, 0.7 * box.w);
    return rv_box_round(rv_centre(box), side, side);
}

void rv_draw_sign_button(const rv_stage *stage, rv_scene *scene, rv_box box, rv_sign sign, bool lit,
                         rv_action action) {
    const rv_target target = rv_target_of(RV_BUTTON, (int32_t)action, 0);
    rv_draw_sign(scene, middle_of(box), sign, draw_ground(stage, scene, box, lit, true, target));
}

void rv_draw_view_button(const rv_stage *stage, rv_scene *scene, rv_box box, int view, bool named) {
    const double u = stage->look.unit;
    const bool open = (stage->layout.shown & 1u << view) != 0;
    const rv_colour ink =
        draw_ground(stage, scene, box, open, true, rv_target_of(RV_BUTTON, RV_SHOW_VIEW + view, 0));
    rv_box inside = box, place = middle_of(box);
    if (named) {
        rv_cut_left(&inside, 0.5 * u);
        rv_cut_right(&inside, 0.4 * u);
        place = rv_cut_apart(&inside, rv_cut_left, 0.9 * u, 0.4 * u);
    }
    const sign_pen pen = {scene, rv_centre(place), 0.5 * fmin(place.w, place.h), ink};
    draw_strokes(&pen, rv_panels[view]->sign);
    if (named) rv_scene_label(scene, inside, RV_LEFT, 0.9 * u, ink, _(rv_panels[view]->name));
}

void rv_draw_wrong(const rv_look *look, rv_scene *scene, rv_point centre, double radius) {
    rv_outline(rv_scene_disc(scene, centre, radius, look->bad), look->panel, 0.15 * radius);
    rv_draw_sign(scene, rv_box_round(centre, 1.7 * radius, 1.7 * radius), RV_SIGN_CROSS,
                 look->panel);
}
