/* draw_sequence.c: who tells whom: a lifeline for each, time runs down, an arrow for each message.
 *
 *     +-- Who says what to whom ----------------------+
 *     |    +------ node 0 ------+ +---- node 1 -----+ |
 *     |    | process 0 process 1| |    ..        .. | |
 *     |  1 |    |x--connect-|   | |     |        |  | |     a cross: it does not arrive
 *     |  2 | listens        |   | |     |        |  | |
 *     |  3 |    |<--hello---|   | |     |        |  | |     the moment's row stands out; while it
 *     +-----------------------------------------------+     begins, its message travels
 *
 *   - A lifeline has the colour of how its owner stands, and is dashed where time has not come yet.
 *   - Where not all rows have room, the last ones that have been told are shown.
 */
#include "panels/draw.h"
#include "panels/story/story_parts.h"

#include <math.h>
#include <string.h>

static const double LEAST_ROW = 1.25, MOST_ROW = 2.7, GUTTER = 1.9, HEADS = 4.3; /* in units */
static const double ARRIVED = 0.9; /* the moment's progress at which its last message arrives */

typedef struct plan {
    const rv_stage *stage;
    const rv_sequence *s;
    rv_box rows; /* below the heads, right of the numbers */
    double heads_y, row, pitch;
    int32_t first, n_rows; /* messages that have a row */
    int32_t step;
} plan;

double rv_sequence_height(const rv_stage *stage, const rv_sequence *s) {
    return ((0.8 * LEAST_ROW + 0.2 * MOST_ROW) * s->n_messages + HEADS + 2.6) * stage->look.unit;
}

static plan plan_rows(const rv_stage *stage, const rv_sequence *s, rv_box inside) {
    const double u = stage->look.unit;
    plan p = {.stage = stage,
              .s = s,
              .step = stage->playback.subject.kind->position(&stage->playback.subject).step};
    p.heads_y = inside.y;
    rv_cut_top(&inside, HEADS * u);
    rv_cut_left(&inside, GUTTER * u);
    p.rows = inside;
    p.pitch = inside.w / s->n_lines;
    const int32_t fit = (int32_t)fmax(1, inside.h / (LEAST_ROW * u));
    p.n_rows = s->n_messages < fit ? s->n_messages : fit;
    p.first = s->n_told > p.n_rows ? s->n_told - p.n_rows : 0;
    p.row = fmin(MOST_ROW * u, inside.h / p.n_rows);
    return p;
}

static double line_x(const plan *p, int32_t line) {
    return p->rows.x + (line + 0.5) * p->pitch;
}

static double row_y(const plan *p, int32_t message) {
    return p->rows.y + (message - p->first + 0.62) * p->row;
}

/* ---------------------------------------------------------------------------------------- heads */

/* Draws a frame behind each group of neighbours. */
static void draw_groups(const plan *p, rv_scene *scene) {
    const rv_look *look = &p->stage->look;
    const double u = look->unit;
    for (int32_t from = 0, to; from < p->s->n_lines; from = to) {
        const char *group = p->s->lines[from].group;
        for (to = from + 1; to < p->s->n_lines && group != NULL; to++) {
            const char *next = p->s->lines[to].group;
            if (next == NULL || strcmp(next, group) != 0) break;
        }
        if (group == NULL) continue;
        const double pad = fmin(0.35 * u, 0.06 * p->pitch);
        const rv_box box = {p->rows.x + from * p->pitch + pad, p->heads_y,
                            (to - from) * p->pitch - 2 * pad, p->rows.y + p->rows.h - p->heads_y};
        rv_outline(rv_scene_rect(scene, box, 0.5 * u, rv_fade(look->quiet, 0.07)), look->edge,
                   look->hair);
        rv_scene_label(scene, (rv_box){box.x, box.y + 0.15 * u, box.w, 1.2 * u}, RV_MIDDLE, 0.8 * u,
                       look->quiet, group);
    }
}

static void draw_head(const plan *p, int32_t line, rv_scene *scene) {
    const rv_look *look = &p->stage->look;
    const rv_lifeline *of = &p->s->lines[line];
    const double u = look->unit, w = fmin(0.9 * p->pitch, 8 * u);
    const bool followed = of->rank >= 0 && of->rank == p->stage->playback.rank;
    const bool lit = of->rank >= 0 && rv_is_lit(p->stage, of->rank, -1);
    const rv_box box = {line_x(p, line) - w / 2, p->heads_y + 1.4 * u, w, HEADS * u - 1.6 * u};
    rv_item *ground = rv_scene_rect(scene, box, 0.3 * u, look->raised);
    rv_outline(ground, followed || lit ? look->focus : look->edge, (followed ? 2 : 1) * look->hair);
    const rv_target target =
        of->rank >= 0 ? rv_target_of(RV_GPU, of->rank, 0) : (rv_target){.thing = RV_NOTHING};
    ground->target = target; /* what is added next may move it */
    const rv_dye dye = rv_dye_of(look, of->rank < 0 ? 0 : of->rank);
    if (of->rank >= 0) {
        rv_hatch(rv_scene_rect(scene, (rv_box){box.x, box.y, box.w, 0.4 * u}, 0.2 * u, dye.fill),
                 dye.pattern, dye.hatch);
    }
    rv_box text = {box.x, box.y + 0.45 * u, box.w, box.h - 0.5 * u};
    const bool noted = of->note != NULL;
    rv_box name = noted ? rv_cut_top(&text, 0.52 * text.h) : text;
    const double size = fmin(0.85 * u, 0.95 * w / fmax(1, rv_label_width(of->name, 1)));
    const bool fits = of->rank < 0 || size > 0.6 * u;
    rv_item *label =
        fits ? rv_scene_label(scene, name, RV_MIDDLE, size, look->ink, of->name)
             : rv_scene_labelf(scene, name, RV_MIDDLE, 0.85 * u, look->ink, "%d", (int)of->rank);
    label->bold = followed;
    label->target = target;
    if (noted && rv_label_width(of->note, 0.75 * u) < 0.9 * w) {
        rv_scene_label(scene, text, RV_MIDDLE, 0.75 * u, look->quiet, of->note);
    }
}

/* ------------------------------------------------------------------------------------ lifelines */

/* Draws a lifeline: thick where its owner has met others, in the colour of how it stands. */
static void draw_lifeline(const plan *p, int32_t line, rv_scene *scene) {
    const rv_look *look = &p->stage->look;
    const double x = line_x(p, line), end = p->rows.y + p->rows.h;
    double y = p->heads_y + HEADS * look->unit - 0.2 * look->unit;
    for (int32_t m = p->first; m < p->s->n_told; m++) {
        const rv_tone tone = p->s->stands[m * p->s->n_lines + line];
        const double to = fmin(end, row_y(p, m) + 0.38 * p->row);
        const bool thin = tone == RV_TONE_PLAIN || tone == RV_TONE_QUIET;
        rv_scene_segment(
            scene, (rv_point){x, y}, (rv_point){x, to}, (thin ? 1.5 : 4) * look->hair,
            rv_mix(look->panel, thin ? look->quiet : rv_tone_ink(look, tone), thin ? 0.7 : 0.6));
        y = to;
    }
    if (y >= end) return;
    rv_scene_line(scene, x, y, x, end, look->hair, rv_fade(look->quiet, 0.5))->dashed = true;
}

/* ------------------------------------------------------------------------------------- messages */

/* How far a message of the moment has come, 0..1: those of a moment follow each other. */
static double share_come(const plan *p, int32_t message) {
    const rv_message *all = p->s->messages;
    int32_t before = message, after = message + 1;
    if (all[message].step != p->step) return 1;
    while (before > 0 && all[before - 1].step == p->step) before--;
    while (after < p->s->n_told && all[after].step == p->step) after++;
    const double share = p->stage->progress / ARRIVED * (after - before) - (message - before);
    const double t = fmin(1, fmax(0, share));
    return t * t * (3 - 2 * t);
}

static rv_colour message_ink(const plan *p, const rv_message *m) {
    const rv_look *look = &p->stage->look;
    if (m->tone == RV_TONE_BAD) return look->bad;
    return m->step == p->step ? look->accent : look->ink;
}

/* Draws what is said: on the line, upon the panel's colour. */
static void draw_words(const plan *p, const rv_message *m, double x, double y, bool moving,
                       rv_scene *scene) {
    const rv_look *look = &p->stage->look;
    const double size = fmin(0.82 * look->unit, 0.58 * p->row);
    const bool now = m->step == p->step;
    const double w =
        fmin(rv_label_width(m->text, size) * (now ? 1.12 : 1.05) + 0.7 * size, p->rows.w);
    const double left = fmin(fmax(x - w / 2, p->rows.x), p->rows.x + p->rows.w - w);
    const rv_box box = {left, y - 0.68 * size, w, 1.36 * size};
    rv_item *ground = rv_scene_rect(scene, box, 0.3 * size, moving ? look->accent : look->panel);
    if (now && !moving) {
        rv_outline(ground, message_ink(p, m), look->hair);
    }
    rv_item *label = rv_scene_label(scene, box, RV_MIDDLE, size,
                                    moving ? look->accent_ink : message_ink(p, m), m->text);
    label->bold = now;
    label->target = rv_target_of(RV_STEP_BAR, m->step, 0);
}

/* Draws a letter, as one of many that say the same. */
static void draw_letter(const plan *p, double x, double y, rv_scene *scene) {
    const rv_look *look = &p->stage->look;
    const double h = fmin(0.7 * look->unit, 0.6 * p->row), w = 1.5 * h;
    rv_outline(rv_scene_rect(scene, (rv_box){x - w / 2, y - h / 2, w, h}, 0.12 * h, look->panel),
               look->accent, 1.5 * look->hair);
    for (int side = -1; side <= 1; side += 2) {
        rv_scene_segment(scene, (rv_point){x + side * w / 2, y - h / 2}, (rv_point){x, y + 0.1 * h},
                         1.2 * look->hair, look->accent);
    }
}

/* Draws one arrow from a lifeline to another, as far as it has come. */
static void draw_arrow(const plan *p, const rv_message *m, int32_t from, int32_t to, double y,
                       double share, rv_scene *scene) {
    const rv_look *look = &p->stage->look;
    const double u = look->unit, gap = 4 * look->hair, way = from < to ? 1 : -1;
    const double x0 = line_x(p, from), x1 = line_x(p, to) - way * gap;
    const rv_point end = {x0 + (x1 - x0) * share, y};
    const rv_colour ink = message_ink(p, m);
    rv_scene_disc(scene, (rv_point){x0, y}, 3 * look->hair, ink);
    if (fabs(end.x - x0) < 1) return;
    rv_item *line = rv_scene_segment(scene, (rv_point){x0, y}, end,
                                     (m->step == p->step ? 2.4 : 1.5) * look->hair, ink);
    line->arrow = !m->lost;
    line->dashed = m->lost;
    if (m->lost && share >= 1)
        rv_draw_sign(scene, rv_box_round((rv_point){end.x + way * 0.2 * u, y}, 0.9 * u, 0.9 * u),
                     RV_SIGN_CROSS, ink);
}

/* Writes what processes do by themselves, on the lifelines. */
static void draw_alone(const plan *p, const rv_message *m, double y, double share,
                       rv_scene *scene) {
    const rv_look *look = &p->stage->look;
    const double size = fmin(0.82 * look->unit, 0.58 * p->row);
    const bool fits = rv_label_width(m->text, size) * 1.12 + 0.7 * size < p->pitch;
    const int32_t from = m->from >= 0 ? m->from : 0;
    const int32_t to = m->from >= 0 ? m->from + 1 : p->s->n_lines;
    for (int32_t i = from; i < to; i++) {
        if (m->from < 0 && p->s->lines[i].apart) continue;
        if (fits || m->from >= 0) {
            if (share > 0) draw_words(p, m, line_x(p, i), y, false, scene);
        } else {
            rv_scene_disc(scene, (rv_point){line_x(p, i), y}, 4 * look->hair, message_ink(p, m));
        }
    }
    if (!fits && m->from < 0) draw_words(p, m, p->rows.x + p->rows.w / 2, y, false, scene);
}

static void draw_message(const plan *p, int32_t at, rv_scene *scene) {
    const rv_message *m = &p->s->messages[at];
    const double y = row_y(p, at), share = share_come(p, at);
    double low = INFINITY, high = -INFINITY, head = 0;
    if (m->text == NULL) return;
    if (m->step == p->step) scene->layer = RV_MOVING;
    if (m->from == m->to) {
        draw_alone(p, m, y, share, scene);
        scene->layer = RV_STILL;
        return;
    }
    for (int32_t i = 0; i < p->s->n_lines; i++) {
        const int32_t from = m->from >= 0 ? m->from : i, to = m->to >= 0 ? m->to : i;
        const bool one = m->from >= 0 && m->to >= 0;
        if (from == to || (one && i > 0)) continue;
        if (!one && p->s->lines[i].apart) continue;
        draw_arrow(p, m, from, to, y, share, scene);
        head = line_x(p, from) + (line_x(p, to) - line_x(p, from)) * share;
        low = fmin(low, fmin(line_x(p, from), line_x(p, to)));
        high = fmax(high, fmax(line_x(p, from), line_x(p, to)));
        if (share <= 0 || share >= 1) continue;
        if (one) draw_words(p, m, head, y, true, scene);
        if (!one) draw_letter(p, head, y, scene);
    }
    const double first = low + p->pitch; /* of many arrows the first has the words, if they fit */
    const bool many = m->from < 0 || m->to < 0;
    if (many && rv_label_width(m->text, 0.9 * p->stage->look.unit) < 0.8 * p->pitch) high = first;
    if (share >= 1 || (many && share > 0)) {
        draw_words(p, m, (low + high) / 2, y, false, scene);
    }
    scene->layer = RV_STILL;
}

static void draw_rows(const plan *p, rv_scene *scene) {
    const rv_look *look = &p->stage->look;
    const double u = look->unit;
    int32_t last = -1;
    for (int32_t m = p->first; m < p->s->n_messages && m < p->first + p->n_rows; m++) {
        const int32_t step = p->s->messages[m].step;
        const rv_box row = {p->rows.x - GUTTER * u, row_y(p, m) - 0.5 * p->row,
                            p->rows.w + GUTTER * u, p->row};
        const bool now = step == p->step, told = m < p->s->n_told;
        rv_scene_rect(scene, row, 0.25 * u, now ? rv_fade(look->accent, 0.1) : 0)->target =
            rv_target_of(RV_STEP_BAR, step, 0);
        if (step == last) continue;
        rv_item *label =
            rv_scene_labelf(scene, (rv_box){row.x, row.y, 1.5 * u, row.h}, RV_RIGHT, 0.78 * u,
                            now    ? look->accent
                            : told ? look->quiet
                                   : look->edge,
                            "%d", (int)step);
        label->bold = now;
        last = step;
    }
}

void rv_draw_sequence(const rv_stage *stage, const rv_sequence *s, rv_scene *scene, rv_box box) {
    rv_box inside = rv_draw_panel(stage, scene, box, NULL);
    const rv_box head = rv_cut_top(&inside, 1.5 * stage->look.unit);
    rv_scene_label(scene, head, RV_LEFT, 0.9 * stage->look.unit, stage->look.ink, s->title)->bold =
        true;
    const plan p = plan_rows(stage, s, inside);
    if (p.rows.h < p.row || p.rows.w < 8 * stage->look.unit) return;
    draw_groups(&p, scene);
    draw_rows(&p, scene);
    for (int32_t i = 0; i < s->n_lines; i++) {
        draw_lifeline(&p, i, scene);
        draw_head(&p, i, scene);
    }
    for (int32_t m = p.first; m < s->n_told; m++) draw_message(&p, m, scene);
}
