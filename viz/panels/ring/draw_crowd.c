/* draw_crowd.c: the ring of more GPUs than cards fit: dots on a circle, and inside it a heat map, a
 * row for each GPU and a column for each chunk.
 *
 *          . - o - .         dots: how much of its array a GPU has complete
 *        o  +-----+  o       heat map: how many GPUs' data are inside each cell; complete ones have
 *       .   |  ## |   .      a colour of their own
 *        o  +-----+  o       comets: chunks on their way, in the colour of what they carry
 *          ' - o - '
 *
 *   - In a wide box the map stands beside the circle, about as high, and the words may be inside
 *     the circle.
 *   - The number of items is bounded: with very many GPUs a dot, a row or a comet stands for
 *     several.
 */
#include "panels/ring/crowd.h"
#include "text/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_DOTS = 1024, LEAST_DOTS = 4, MOST_CARD_CELLS = 640 };

/* ------------------------------------------------------------------------------------- the heat map */

static void draw_map(const rv_crowd *c) {
    const rv_look *look = &c->stage->look;
    const rv_model *model = c->sight->model;
    int32_t columns = (int32_t)fmax(1, c->heat.w), rows = (int32_t)fmax(1, c->heat.h);
    const uint16_t *image = rv_counts_image(c->sight->what_if->counts, &columns, &rows);
    rv_colour *pixels;
    rv_scene_grid(c->scene, c->heat, columns, rows, &pixels);
    if (image == NULL || pixels == NULL) return;
    enum { SHADES = 256 };
    rv_colour shades[SHADES + 1];
    for (int i = 0; i <= SHADES; i++) shades[i] = rv_heat_of(look, (double)i / SHADES);
    const int32_t least = 1, span = model->n_ranks - least > 0 ? model->n_ranks - least : 1;
    for (int32_t i = 0; i < columns * rows; i++) {
        const int32_t shade = (image[i] - least) * SHADES / span;
        pixels[i] = image[i] == RV_SPOILT ? look->bad
                                          : shades[shade < 0        ? 0
                                                   : shade > SHADES ? SHADES
                                                                    : shade];
    }
    rv_outline(rv_scene_rect(c->scene, rv_inset(c->heat, -1), 0, 0), look->quiet, 1)->target =
        rv_target_of(RV_MAP, 1, 0);
}

/* Gives each row of the map its GPU as target: linked views light up. */
static void feel_rows(const rv_crowd *c) {
    const int32_t rows = c->n < (int32_t)c->heat.h ? c->n : (int32_t)c->heat.h;
    for (int32_t i = 0; i < rows; i++) {
        const int32_t rank = (int32_t)((int64_t)i * c->n / rows);
        const rv_box row = {c->heat.x, c->heat.y + i * c->heat.h / rows, c->heat.w,
                            c->heat.h / rows};
        rv_scene_rect(c->scene, row, 0, 0)->target = rv_target_of(RV_GPU, rank, 0);
    }
}

static void mark_row(const rv_crowd *c, int32_t rank, rv_colour colour) {
    const double u = c->stage->look.unit, h = c->heat.h / c->n, y = c->heat.y + rank * h;
    const rv_box row = {c->heat.x - 1, y - 1, c->heat.w + 2, fmax(1, h) + 2};
    rv_outline(rv_scene_rect(c->scene, row, 0, 0), colour, fmax(1.2, 0.09 * u));
    const double x = c->heat.x - 0.25 * u, middle = y + h / 2, size = 0.5 * u;
    const rv_point head[3] = {
        {x, middle}, {x - size, middle - 0.6 * size}, {x - size, middle + 0.6 * size}};
    rv_scene_polygon(c->scene, head, 3, colour);
}

/* --------------------------------------------------------------------------------------- the dots */

static double spacing(const rv_crowd *c) {
    return RV_TURN * c->radius / c->n * c->by;
}

static rv_colour dot_colour(const rv_crowd *c, int32_t rank) {
    const rv_model *model = c->sight->model;
    if (!c->counted) return c->stage->look.quiet;
    const double all = (double)model->n_ranks * fmax(1, model->n_chunks);
    return rv_heat_of(&c->stage->look,
                      (double)rv_count_of_rank(c->sight->what_if->counts, rank) / all);
}

static void draw_dot(const rv_crowd *c, int32_t rank) {
    const rv_look *look = &c->stage->look;
    const double r = fmin(0.55 * look->unit, 0.36 * spacing(c));
    const double half = RV_TURN / c->n * c->by / 2,
                 angle = rv_crowd_angle(c, rank + (c->by - 1) / 2.0);
    const rv_point where = rv_crowd_at(c, c->radius, angle);
    if (r >= 2.6 && dot_colour(c, rank) == look->bad) {
        rv_draw_wrong(look, c->scene, where, r);
    } else if (r >= 2.6) {
        rv_item *dot = rv_outline(rv_scene_disc(c->scene, where, r, dot_colour(c, rank)),
                                  look->outline, fmin(1.2, 0.3 * r));
        if (look->dark) dot->stroke = look->quiet;
        if (look->dark) dot->line = fmin(1, 0.2 * r);
    } else { /* a band */
        rv_scene_segment(c->scene, rv_crowd_at(c, c->radius - 0.35 * look->unit, angle),
                         rv_crowd_at(c, c->radius + 0.35 * look->unit, angle), fmax(1, spacing(c)),
                         dot_colour(c, rank));
    }
    rv_item *felt = rv_scene_arc(c->scene, c->centre, c->radius, angle - half, angle + half,
                                 1.6 * look->unit, 0);
    felt->target = rv_target_of(RV_GPU, rank, 0);
}

/* Draws the GPU that is followed, or under the pointer: larger, and with its name. */
static void draw_named(const rv_crowd *c, int32_t rank, rv_colour colour, rv_colour ink) {
    const rv_look *look = &c->stage->look;
    char name[RV_RANK_NAME];
    const rv_point dot = rv_crowd_at(c, c->radius, rv_crowd_angle(c, rank));
    rv_outline(rv_scene_disc(c->scene, dot, 0.5 * look->unit, dot_colour(c, rank)), colour,
               fmax(2, 0.16 * look->unit));
    rv_rank_name(c->sight->model, rank, name);
    const double size = 0.9 * look->unit;
    const rv_point place = rv_crowd_at(c, c->radius + 1.5 * look->unit, rv_crowd_angle(c, rank));
    const double side = cos(rv_crowd_angle(c, rank)),
                 wide = rv_label_width(name, size) + 1.1 * size;
    rv_draw_pill(c->stage, c->scene, c->box, (rv_point){place.x + 0.45 * side * wide, place.y},
                 size, colour, ink, name);
}

/* Writes numbers at even distances round the circle. */
static void draw_numbers(const rv_crowd *c) {
    const rv_look *look = &c->stage->look;
    const double size = 0.8 * look->unit;
    int32_t every = 1;
    while (every < c->n && RV_TURN * c->radius * every / c->n < 3.2 * look->unit) every *= 2;
    for (int32_t r = 0; r + every / 2 < c->n; r += every) {
        const int32_t apart = abs(r - c->stage->playback.rank);
        if (fmin(apart, c->n - apart) * RV_TURN * c->radius / c->n < 3 * look->unit) continue;
        const rv_point p = rv_crowd_at(c, c->radius + 1.25 * look->unit, rv_crowd_angle(c, r));
        rv_scene_labelf(c->scene, (rv_box){p.x - 2 * size, p.y - size, 4 * size, 2 * size},
                        RV_MIDDLE, size, look->quiet, "%d", (int)r);
    }
}

static void draw_ill(const rv_crowd *c, int32_t rank) {
    const rv_look *look = &c->stage->look;
    const rv_ills ills = rv_ills_of(c->sight, rank);
    const rv_point p = rv_crowd_at(c, c->radius, rv_crowd_angle(c, rank));
    const double r = 0.55 * look->unit, line = fmax(2, 0.2 * look->unit);
    if (ills.slow_link != NULL || ills.down != NULL) {
        const rv_target target = rv_link_target(c->stage, c->sight, rank, (rank + 1) % c->n);
        rv_item *wire =
            rv_scene_arc(c->scene, c->centre, c->track, rv_crowd_angle(c, rank),
                         rv_crowd_angle(c, rank + fmax(1, 1.5 * c->by)), 2 * line, look->warn);
        wire->target = target;
        wire->dashed = true;
    }
    if (ills.dead) {
        rv_scene_line(c->scene, p.x - r, p.y - r, p.x + r, p.y + r, line, look->bad);
        rv_scene_line(c->scene, p.x - r, p.y + r, p.x + r, p.y - r, line, look->bad);
    } else if (ills.late_ps > 0 || ills.straggle_ps > 0 || ills.slow_reduce != NULL) {
        rv_draw_clock(c->stage, c->scene, p, r);
    }
}

/* Marks the GPUs that wait for ever: how far a stall has spread. */
static void draw_stalled(const rv_crowd *c) {
    const rs_outcome *outcome = &c->sight->model->report->outcome;
    const double r = fmax(2.5, fmin(0.5 * c->stage->look.unit, 0.4 * spacing(c)));
    for (int32_t i = 0; i < outcome->n_stalled; i++) {
        const rs_wait *wait = &outcome->stalled[i];
        if (c->sight->model->step < wait->step || (wait->rank % c->by) != 0) continue;
        rv_outline(
            rv_scene_disc(c->scene, rv_crowd_at(c, c->radius, rv_crowd_angle(c, wait->rank)), r, 0),
            c->stage->look.warn, fmax(1.2, 0.3 * r));
    }
}

static void draw_ills(const rv_crowd *c) {
    draw_stalled(c);
    const rs_job *job = &c->sight->model->report->request.job;
    for (int32_t i = 0; i < job->n_faults; i++) draw_ill(c, job->faults[i].rank);
}

static void draw_dots(const rv_crowd *c) {
    const rv_look *look = &c->stage->look;
    for (int32_t r = 0; r < c->n; r += c->by) draw_dot(c, r);
    draw_numbers(c);
    draw_ills(c);
    if (c->stage->playback.rank >= c->n) return; /* a GPU of the other run, which has more */
    draw_named(c, c->stage->playback.rank, look->focus, look->focus_ink);
    if (c->counted) mark_row(c, c->stage->playback.rank, look->focus);
}

/* Lights what is under the pointer in the moving layer, so that the canvas need not paint the still
   one again. */
static void draw_pointed(const rv_crowd *c) {
    const rv_look *look = &c->stage->look;
    const rv_target hover = c->stage->hover;
    c->scene->layer = RV_MOVING;
    const bool pointed = hover.thing == RV_GPU || hover.thing == RV_CELL;
    if (pointed && hover.a != c->stage->playback.rank && hover.a < c->n) {
        draw_named(c, hover.a, look->raised, look->ink);
        if (c->counted) mark_row(c, hover.a, look->ink);
    }
}

/* Places the circle, as large as the box allows, and inside it the track on which chunks travel. */
static void lay_circle(rv_crowd *c, rv_box box) {
    const double u = c->stage->look.unit;
    c->centre = rv_centre(box);
    c->radius = fmax(4, fmin(box.w / 2 - 4 * u, box.h / 2 - 2.1 * u));
    c->track = fmax(2, c->radius - 0.95 * u);
}

/* Places the map beside the circle in a wide box; the words inside the circle if nothing crosses
   it, else beside the map. False: the box is not wide enough. */
static bool lay_apart(rv_crowd *c, rv_box box) {
    const double u = c->stage->look.unit, map = box.h - 3 * u, gap = 1.5 * u;
    const double circle = box.h + 3.8 * u, words = c->is_ring ? 0 : 13 * u + gap;
    const double spare = box.w - circle - gap - map - words;
    if (!c->counted || spare < 0) return false;
    rv_cut_left(&box, spare / 2);
    lay_circle(c, rv_cut_left(&box, circle));
    rv_cut_left(&box, gap);
    c->heat = (rv_box){box.x, box.y + 1.6 * u, map, map};
    c->words = (rv_box){c->heat.x + map + gap, c->centre.y - 4.5 * u, 13 * u, 9 * u};
    c->align = RV_LEFT;
    if (c->is_ring) {
        const double w = fmin(17 * u, 1.5 * (c->track - u));
        c->words = (rv_box){c->centre.x - w / 2, c->centre.y - 4.5 * u, w, 9 * u};
        c->align = RV_MIDDLE;
    }
    return true;
}

/* Places the map inside the circle, and the words beside it, or in a narrow box below it. */
static void lay_nested(rv_crowd *c, rv_box box) {
    const double u = c->stage->look.unit, middle = rv_centre(box).x;
    const bool beside = box.w > box.h + 12 * u;
    c->align = RV_LEFT;
    c->words = beside ? rv_cut_right(&box, fmin(16 * u, (box.w - box.h) / 2 - u))
                      : rv_cut_bottom(&box, 4.6 * u);
    lay_circle(c, box);
    if (beside) {
        c->centre.x = middle;
        c->words = (rv_box){c->words.x, c->centre.y - 4.5 * u, c->words.w, 9 * u};
    }
    const double half = fmax(1, 0.7071 * (c->track - 0.9 * u));
    c->heat = (rv_box){c->centre.x - half, c->centre.y - half, 2 * half, 2 * half};
}

bool rv_is_crowd(const rv_model *model) {
    const int64_t cells = (int64_t)model->n_ranks * model->n_chunks;
    return model->n_ranks > RV_MOST_CARDS ||
           (model->n_ranks > LEAST_DOTS && cells > MOST_CARD_CELLS);
}

void rv_draw_crowd(const rv_stage *stage, const rv_sight *sight, rv_scene *scene, rv_box box) {
    const double u = stage->look.unit;
    const rv_model *model = sight->model;
    rv_crowd c = {.stage = stage, .sight = sight, .scene = scene, .box = box, .n = model->n_ranks};
    c.by = (c.n + MOST_DOTS - 1) / MOST_DOTS;
    c.is_ring = rv_is_ring(model->schedule);
    c.counted = rv_counts_seek(sight->what_if->counts, rv_steps_executed(model));
    if (!lay_apart(&c, box)) lay_nested(&c, box);
    scene->layer = RV_STILL;
    rv_crowd_track(&c);
    if (c.counted) {
        draw_map(&c);
        rv_crowd_axes(&c);
        feel_rows(&c);
    } else {
        rv_scene_label(scene, c.heat, RV_MIDDLE, u, stage->look.quiet, _("too many cells to show"));
    }
    draw_dots(&c);
    rv_box words = c.words;
    if (words.h > 8 * u) rv_crowd_phase(&c, rv_cut_top(&words, 3.8 * u));
    rv_crowd_legend(&c, words);
    if (!sight->hidden) rv_crowd_comets(&c);
    draw_pointed(&c);
    scene->layer = RV_STILL;
}
