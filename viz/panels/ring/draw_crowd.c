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
#include "text/words.h"
#include "panels/ring/ring.h"

#include <math.h>
#include <stdlib.h>

/* What travels between many GPUs: comets along the track, or across. */

typedef struct crowd {
    const rv_stage *stage;
    const rv_shown_run *run;
    rv_scene *scene;
    rv_box box;
    rv_point centre;
    double radius, track; /* of the circle of dots; of the circle on which chunks travel */
    rv_box heat;          /* the heat map */
    int32_t n;            /* ranks */
    int32_t by;           /* ranks for a dot */
    rv_box words;         /* for phase and legend */
    rv_align align;       /* of those words */
    bool counted, is_ring;
} crowd;

static double angle_of(const crowd *c, double rank) {
    return -RV_TURN / 4 + RV_TURN * rank / c->n;
}

static rv_point point_at(const crowd *c, double radius, double angle) {
    return (rv_point){c->centre.x + radius * cos(angle), c->centre.y + radius * sin(angle)};
}

enum { MOST_COMETS = 256, MOST_WIRES = 64 };

static bool goes_on_track(const crowd *c, const rs_transfer *t) {
    return t->dst == (t->src + 1) % c->n;
}

/* Returns where a chunk from src to dst is: on the track if dst is the next GPU, else on the way
   across. */
static rv_point on_way(const crowd *c, const rs_transfer *t, double share) {
    if (goes_on_track(c, t)) return point_at(c, c->track, angle_of(c, t->src + share));
    const rv_point a = point_at(c, c->track, angle_of(c, t->src));
    const rv_point b = point_at(c, c->track, angle_of(c, t->dst));
    const double u = 1 - share;
    return (rv_point){u * u * a.x + share * share * b.x + 2 * u * share * c->centre.x,
                      u * u * a.y + share * share * b.y + 2 * u * share * c->centre.y};
}

static void draw_way(const crowd *c, const rs_transfer *t, double from, double to,
                     rv_colour colour) {
    enum { PIECES = 10 };
    const double line = fmax(1.2, 0.1 * c->stage->look.unit);
    if (goes_on_track(c, t)) { /* one item: with many GPUs these are what a frame costs */
        rv_scene_arc(c->scene, c->centre, c->track, angle_of(c, t->src + from),
                     angle_of(c, t->src + to), line, colour);
        return;
    }
    rv_point last = on_way(c, t, from);
    for (int i = 1; i <= PIECES; i++) {
        const rv_point next = on_way(c, t, from + (to - from) * i / PIECES);
        rv_scene_segment(c->scene, last, next, line, colour);
        last = next;
    }
}

static void draw_comet(const crowd *c, const rv_flight *f) {
    const rv_look *look = &c->stage->look;
    const rs_transfer *t = &f->transfer;
    const bool followed = t->src == c->stage->playback.rank;
    const double room = RV_TURN * c->track / c->n;
    const double r = followed ? 0.42 * look->unit : fmin(0.36 * look->unit, fmax(1, 0.2 * room));
    const double merged = f->merged, share = f->flown;
    rv_point p = on_way(c, t, share);
    const rv_point goal = point_at(c, c->radius, angle_of(c, t->dst));
    p = rv_between(p, goal, merged);
    const double shown =
        c->counted ? (double)rv_count_at(c->run->what_if->counts, t->src, t->chunk) / c->n : 0.5;
    if (merged <= 0 && room > 3) {
        draw_way(c, t, fmax(0, share - 0.45), share, rv_fade(look->accent, 0.7));
    }
    rv_outline(rv_scene_disc(c->scene, p, r, r > 2 ? rv_heat_of(look, shown) : look->accent),
               look->accent, r > 2 ? fmax(1, 0.1 * look->unit) : 0)
        ->target = rv_transfer_target(c->run, c->run->model->step, t->src, t->chunk);
}

static void draw_comets(const crowd *c) {
    const rs_schedule *schedule = c->run->model->schedule;
    const int64_t a_step = schedule->n_transfers / (schedule->n_steps > 0 ? schedule->n_steps : 1);
    const int64_t each = a_step / MOST_COMETS + 1;
    const bool done = c->run->progress >= 1;
    rv_flights flights = rv_flights_of(c->run->model, c->run->progress);
    rv_flight flight;
    c->scene->layer = done ? RV_STILL : RV_MOVING;
    for (int64_t i = 0; rv_next_flight(&flights, &flight); i++) {
        const bool followed = flight.transfer.src == c->stage->playback.rank;
        if (!flight.happens || (i % each != 0 && !followed)) continue;
        if (!done && c->run->progress > 0) {
            draw_comet(c, &flight);
        } else if (done && (followed || (each == 1 && c->n <= MOST_WIRES))) {
            draw_way(c, &flight.transfer, 0.12, 0.88,
                     rv_fade(c->stage->look.accent, followed ? 1 : 0.55));
        }
    }
    c->scene->layer = RV_STILL;
}

/* Draws the circle on which chunks travel; in a ring also its direction, and the targets of its
   links. */
static void draw_track(const crowd *c) {
    const rv_look *look = &c->stage->look;
    rv_item *track = rv_scene_arc(c->scene, c->centre, c->track, 0, RV_TURN,
                                  fmax(1, 0.07 * look->unit), look->edge);
    track->target = (rv_target){0};
    const bool few = c->n <= MOST_COMETS && c->is_ring;
    for (int32_t r = 0; few && r < c->n; r++) { /* invisible: for the pointer */
        rv_scene_arc(c->scene, c->centre, c->track, angle_of(c, r), angle_of(c, r + 1), 3, 0)
            ->target = rv_target_of(RV_LINK, r, (r + 1) % c->n);
    }
    for (int i = 0; i < 8 && few; i++) { /* arrow heads show the direction */
        const double angle = RV_TURN * (i + 0.5) / 8, size = 0.45 * look->unit;
        const rv_point p = point_at(c, c->track, angle),
                       tip = {p.x - size * sin(angle), p.y + size * cos(angle)};
        const rv_point head[3] = {tip,
                                  {p.x + 0.6 * size * cos(angle), p.y + 0.6 * size * sin(angle)},
                                  {p.x - 0.6 * size * cos(angle), p.y - 0.6 * size * sin(angle)}};
        rv_scene_polygon(c->scene, head, 3, look->link);
    }
}

/* --------------------------------------------------------------------------------------- words */

static void draw_legend(const crowd *c, rv_box box) {
    const rv_look *look = &c->stage->look;
    const double u = look->unit, size = 0.85 * u;
    rv_box words = rv_cut_top(&box, 2.4 * size);
    rv_item *label = rv_scene_label(c->scene, words, c->align, size, look->quiet,
                                    _("how many GPUs' data are inside"));
    label->wrap = true;
    rv_cut_top(&box, 0.4 * u);
    rv_box bar = rv_cut_top(&box, 0.8 * u);
    rv_box full = rv_cut_apart(&bar, rv_cut_right, 1.6 * u, 0.4 * u);
    enum { STEPS = 48 };
    rv_colour *pixels;
    rv_scene_grid(c->scene, bar, STEPS, 1, &pixels);
    for (int i = 0; pixels != NULL && i < STEPS; i++) {
        pixels[i] = rv_heat_of(look, (double)i / STEPS);
    }
    rv_scene_rect(c->scene, full, 0, look->good);
    const rv_point middle = rv_centre(full);
    rv_draw_check(look, c->scene, middle, 0.35 * u);
    rv_box ends = rv_cut_top(&box, 1.2 * u);
    rv_scene_labelf(c->scene, ends, RV_LEFT, size, look->quiet, "1");
    rv_scene_labelf(c->scene, ends, RV_RIGHT, size, look->quiet, "%d", (int)c->n);
    if (rv_result_is_wrong(c->run->model->report))
        rv_scene_labelf(c->scene, rv_cut_top(&box, 1.2 * u), c->align, size, look->bad,
                        "\xC3\x97 %s", _("wrong"));
}

static void draw_phase(const crowd *c, rv_box box) {
    const rv_look *look = &c->stage->look;
    const rv_model *model = c->run->model;
    const double size = fmin(1.3 * look->unit, fmax(0.9 * look->unit, box.w / 8));
    char stalled[64];
    const bool stands = rv_stalled_text(model, stalled, sizeof stalled) > 0;
    if ((model->step < 0 || model->step >= model->n_steps) && !stands) return;
    int32_t iteration, of;
    const rs_phase phase = rs_phase_at(model->schedule, model->step, &iteration, &of);
    const char *title = stands ? stalled : rv_phase_title(phase);
    const double fits = 0.9 * box.w / rv_label_width(title, 1); /* beside a ring in a race */
    rv_scene_label(c->scene, rv_cut_top(&box, 1.4 * size), c->align, fmin(size, fits),
                   stands ? look->bad : look->ink, title)
        ->bold = true;
    if (title[0] == '\0' || stands) return;
    rv_scene_labelf(c->scene, rv_cut_top(&box, 1.1 * size), c->align, 0.8 * size, look->quiet,
                    _("iteration %d of %d"), (int)iteration + 1, (int)of);
}

/* Writes the names of rows and columns beside the map. */
static void draw_axes(const crowd *c) {
    const rv_look *look = &c->stage->look;
    const double size = 0.75 * look->unit;
    if (c->heat.w < 9 * look->unit || c->run->model->n_chunks < 2) return;
    const rv_box top = {c->heat.x, c->heat.y - 1.5 * size, c->heat.w, 1.3 * size};
    rv_scene_labelf(c->scene, top, RV_LEFT, size, look->quiet, "%s 0 .. %d \xE2\x86\x92",
                    _("chunks"), (int)c->run->model->n_chunks - 1);
    const rv_box below = {c->heat.x, c->heat.y + c->heat.h + 0.2 * size, c->heat.w, 1.3 * size};
    char first[RV_RANK_NAME];
    rv_rank_name(c->run->model, 0, first);
    rv_scene_labelf(c->scene, below, RV_LEFT, size, look->quiet, "\xE2\x86\x91 %s .. %d", first,
                    (int)c->n - 1);
}

enum { MOST_DOTS = 1024, LEAST_DOTS = 4, MOST_CARD_CELLS = 640 };

/* ------------------------------------------------------------------------------------- the heat map */

static void draw_map(const crowd *c) {
    const rv_model *model = c->run->model;
    int32_t columns = (int32_t)fmax(1, c->heat.w), rows = (int32_t)fmax(1, c->heat.h);
    const rv_cells all = {0, model->n_ranks, 0, model->n_chunks};
    rv_draw_counts(c->stage, c->run, all, 1, c->scene, c->heat, &columns, &rows);
    rv_outline(rv_scene_rect(c->scene, rv_inset(c->heat, -1), 0, 0), c->stage->look.quiet, 1)
        ->target = rv_target_of(RV_MAP, 1, 0);
}

/* Gives each row of the map its GPU as target: linked views light up. */
static void feel_rows(const crowd *c) {
    const int32_t rows = c->n < (int32_t)c->heat.h ? c->n : (int32_t)c->heat.h;
    for (int32_t i = 0; i < rows; i++) {
        const int32_t rank = (int32_t)((int64_t)i * c->n / rows);
        const rv_box row = {c->heat.x, c->heat.y + i * c->heat.h / rows, c->heat.w,
                            c->heat.h / rows};
        rv_scene_rect(c->scene, row, 0, 0)->target = rv_target_of(RV_GPU, rank, 0);
    }
}

static void mark_row(const crowd *c, int32_t rank, rv_colour colour) {
    const double u = c->stage->look.unit, h = c->heat.h / c->n, y = c->heat.y + rank * h;
    const rv_box row = {c->heat.x - 1, y - 1, c->heat.w + 2, fmax(1, h) + 2};
    rv_outline(rv_scene_rect(c->scene, row, 0, 0), colour, fmax(1.2, 0.09 * u));
    const double x = c->heat.x - 0.25 * u, middle = y + h / 2, size = 0.5 * u;
    const rv_point head[3] = {
        {x, middle}, {x - size, middle - 0.6 * size}, {x - size, middle + 0.6 * size}};
    rv_scene_polygon(c->scene, head, 3, colour);
}

/* --------------------------------------------------------------------------------------- the dots */

static double spacing(const crowd *c) {
    return RV_TURN * c->radius / c->n * c->by;
}

static rv_colour dot_colour(const crowd *c, int32_t rank) {
    const rv_model *model = c->run->model;
    if (!c->counted) return c->stage->look.quiet;
    const double all = (double)model->n_ranks * fmax(1, model->n_chunks);
    return rv_heat_of(&c->stage->look,
                      (double)rv_count_of_rank(c->run->what_if->counts, rank) / all);
}

static void draw_dot(const crowd *c, int32_t rank) {
    const rv_look *look = &c->stage->look;
    const double r = fmin(0.55 * look->unit, 0.36 * spacing(c));
    const double half = RV_TURN / c->n * c->by / 2, angle = angle_of(c, rank + (c->by - 1) / 2.0);
    const rv_point where = point_at(c, c->radius, angle);
    if (r >= 2.6 && dot_colour(c, rank) == look->bad) {
        rv_draw_wrong(look, c->scene, where, r);
    } else if (r >= 2.6) {
        rv_item *dot = rv_outline(rv_scene_disc(c->scene, where, r, dot_colour(c, rank)),
                                  look->outline, fmin(1.2, 0.3 * r));
        if (look->dark) dot->stroke = look->quiet;
        if (look->dark) dot->line = fmin(1, 0.2 * r);
    } else { /* a band */
        rv_scene_segment(c->scene, point_at(c, c->radius - 0.35 * look->unit, angle),
                         point_at(c, c->radius + 0.35 * look->unit, angle), fmax(1, spacing(c)),
                         dot_colour(c, rank));
    }
    rv_item *felt = rv_scene_arc(c->scene, c->centre, c->radius, angle - half, angle + half,
                                 1.6 * look->unit, 0);
    felt->target = rv_target_of(RV_GPU, rank, 0);
}

/* Draws the GPU that is followed, or under the pointer: larger, and with its name. */
static void draw_named(const crowd *c, int32_t rank, rv_colour colour, rv_colour ink) {
    const rv_look *look = &c->stage->look;
    char name[RV_RANK_NAME];
    const rv_point dot = point_at(c, c->radius, angle_of(c, rank));
    rv_outline(rv_scene_disc(c->scene, dot, 0.5 * look->unit, dot_colour(c, rank)), colour,
               fmax(2, 0.16 * look->unit));
    rv_rank_name(c->run->model, rank, name);
    const double size = 0.9 * look->unit;
    const rv_point place = point_at(c, c->radius + 1.5 * look->unit, angle_of(c, rank));
    const double side = cos(angle_of(c, rank)), wide = rv_label_width(name, size) + 1.1 * size;
    rv_draw_pill(c->stage, c->scene, c->box, (rv_point){place.x + 0.45 * side * wide, place.y},
                 size, colour, ink, name);
}

/* Writes numbers at even distances round the circle. */
static void draw_numbers(const crowd *c) {
    const rv_look *look = &c->stage->look;
    const double size = 0.8 * look->unit;
    const int32_t every = rv_every(RV_TURN * c->radius / c->n, 3.2 * look->unit);
    for (int32_t r = 0; r + every / 2 < c->n; r += every) {
        const int32_t apart = abs(r - c->stage->playback.rank);
        if (fmin(apart, c->n - apart) * RV_TURN * c->radius / c->n < 3 * look->unit) continue;
        const rv_point p = point_at(c, c->radius + 1.25 * look->unit, angle_of(c, r));
        rv_scene_labelf(c->scene, (rv_box){p.x - 2 * size, p.y - size, 4 * size, 2 * size},
                        RV_MIDDLE, size, look->quiet, "%d", (int)r);
    }
}

static void draw_fault_of(const crowd *c, int32_t rank) {
    const rv_look *look = &c->stage->look;
    const rv_gpu_faults faults = rv_gpu_faults_of(c->run, rank);
    const rv_point p = point_at(c, c->radius, angle_of(c, rank));
    const double r = 0.55 * look->unit, line = fmax(2, 0.2 * look->unit);
    if (faults.slow_link != NULL || faults.down != NULL) {
        const rv_target target = rv_link_target(c->stage, c->run, rank, (rank + 1) % c->n);
        rv_item *wire =
            rv_scene_arc(c->scene, c->centre, c->track, angle_of(c, rank),
                         angle_of(c, rank + fmax(1, 1.5 * c->by)), 2 * line, look->warn);
        wire->target = target;
        wire->dashed = true;
    }
    if (faults.dead) {
        rv_scene_line(c->scene, p.x - r, p.y - r, p.x + r, p.y + r, line, look->bad);
        rv_scene_line(c->scene, p.x - r, p.y + r, p.x + r, p.y - r, line, look->bad);
    } else if (faults.late_ps > 0 || faults.straggle_ps > 0 || faults.slow_reduce != NULL) {
        rv_draw_clock(c->stage, c->scene, p, r);
    }
}

/* Marks the GPUs that wait for ever: how far a stall has spread. */
static void draw_stalled(const crowd *c) {
    const rs_outcome *outcome = &c->run->model->report->outcome;
    const double r = fmax(2.5, fmin(0.5 * c->stage->look.unit, 0.4 * spacing(c)));
    for (int32_t i = 0; i < outcome->n_stalled; i++) {
        const rs_wait *wait = &outcome->stalled[i];
        if (c->run->model->step < wait->step || (wait->rank % c->by) != 0) continue;
        rv_outline(rv_scene_disc(c->scene, point_at(c, c->radius, angle_of(c, wait->rank)), r, 0),
                   c->stage->look.warn, fmax(1.2, 0.3 * r));
    }
}

static void draw_faults(const crowd *c) {
    draw_stalled(c);
    const rs_job *job = &c->run->model->report->request.job;
    for (int32_t i = 0; i < job->n_faults; i++) draw_fault_of(c, job->faults[i].rank);
}

static void draw_dots(const crowd *c) {
    const rv_look *look = &c->stage->look;
    for (int32_t r = 0; r < c->n; r += c->by) draw_dot(c, r);
    draw_numbers(c);
    draw_faults(c);
    if (c->stage->playback.rank >= c->n) return; /* a GPU of the other run, which has more */
    draw_named(c, c->stage->playback.rank, look->focus, look->focus_ink);
    if (c->counted) mark_row(c, c->stage->playback.rank, look->focus);
}

/* Lights what is under the pointer in the moving layer, so that the canvas need not paint the still
   one again. */
static void draw_pointed(const crowd *c) {
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
static void lay_circle(crowd *c, rv_box box) {
    const double u = c->stage->look.unit;
    c->centre = rv_centre(box);
    c->radius = fmax(4, fmin(box.w / 2 - 4 * u, box.h / 2 - 2.1 * u));
    c->track = fmax(2, c->radius - 0.95 * u);
}

/* Places the map beside the circle in a wide box; the words inside the circle if nothing crosses
   it, else beside the map. False: the box is not wide enough. */
static bool lay_apart(crowd *c, rv_box box) {
    const double u = c->stage->look.unit, map = box.h - 3 * u, gap = 1.5 * u;
    const double circle = box.h + 3.8 * u, words = c->is_ring ? 0 : 13 * u + gap;
    const double spare = box.w - circle - gap - map - words;
    if (!c->counted || spare < 0) return false;
    rv_cut_left(&box, spare / 2);
    lay_circle(c, rv_cut_apart(&box, rv_cut_left, circle, gap));
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
static void lay_nested(crowd *c, rv_box box) {
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

void rv_draw_crowd(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene, rv_box box) {
    const double u = stage->look.unit;
    const rv_model *model = run->model;
    crowd c = {.stage = stage, .run = run, .scene = scene, .box = box, .n = model->n_ranks};
    c.by = (c.n + MOST_DOTS - 1) / MOST_DOTS;
    c.is_ring = rv_is_ring(model->schedule);
    c.counted = rv_counts_seek(run->what_if->counts, rv_steps_executed(model));
    if (!lay_apart(&c, box)) lay_nested(&c, box);
    scene->layer = RV_STILL;
    draw_track(&c);
    if (c.counted) {
        draw_map(&c);
        draw_axes(&c);
        feel_rows(&c);
    } else {
        rv_scene_label(scene, c.heat, RV_MIDDLE, u, stage->look.quiet, _("too many cells to show"));
    }
    draw_dots(&c);
    rv_box words = c.words;
    if (words.h > 8 * u) draw_phase(&c, rv_cut_top(&words, 3.8 * u));
    draw_legend(&c, words);
    if (!run->hidden) draw_comets(&c);
    draw_pointed(&c);
}
