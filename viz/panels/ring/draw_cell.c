/* draw_cell.c: one cell: the chunk's number, a slot for each GPU, the value.
 *
 *     +-----+    Slots are rows, however small, in every cell in the same place: a row holds a
 *     |  3  |    sliver once that GPU's data are inside. Colour, hatching and letter say the same;
 *     |  A  |    small rows first lose the letter, then the hatching. A complete cell has its own
 *     |     |    frame and a check mark, one with a wrong value a red frame and a cross.
 *     |  C  |
 *     | 303 |
 *     +-----+
 */
#include "panels/ring/ring.h"

#include <math.h>
#include <string.h>

enum { MOST_SLOTS = 64, LEAST_HATCHED = 7 };

/* A cell's parts; a part without height is not drawn. */
typedef struct parts {
    rv_box number, slots, value;
    int32_t rows; /* a slot for each GPU */
    double gap;
    double number_size, value_size;
} parts;

static int digits(int32_t number) {
    return number >= 100 ? 3 : number >= 10 ? 2 : 1;
}

static double least_letter(double unit) {
    return fmin(8, 0.5 * unit);
}

static double gap_between(double slot_h, double unit) {
    return slot_h > 7   ? fmax(1, fmin(0.08 * unit, 0.2 * slot_h))
           : slot_h > 4 ? 1
           : slot_h > 3 ? 0.5
                        : 0;
}

/* Returns how useful slots of this size are: the size of their letter, if it can be read, else
   nearly 0. */
static double use_of_slots(double w, double h, double unit) {
    const double gap = gap_between(h, unit);
    const double letter = fmin(fmin(0.82 * (h - gap), (w - gap) / 0.75), 0.62 * unit);
    return letter >= least_letter(unit) ? letter : 0.01 * letter;
}

/* Cuts the slots into n rows; returns how useful they are. */
static double cut_slots(parts *p, int32_t n, double unit) {
    const double h = p->slots.h / n;
    p->rows = n;
    p->gap = gap_between(h, unit);
    return use_of_slots(p->slots.w, h, unit);
}

/* Cuts a cell into its parts. Their sizes depend only on the cell at rest and on the run, so that
   they do not change. If only the letters or the value can be read, the value wins where hatching still
   says whose data are inside, else the letters. */
static parts cut_parts(double u, double plain, double pixel, int32_t n_ranks, int32_t n_chunks,
                       int value_width, double w, double h) {
    const rv_box box = {0, 0, w, h};
    const double least = fmin(8 * pixel, 0.55 * u);
    parts p = {.slots = rv_inset(box, fmin(0.14 * u, 0.05 * box.w))};
    const double high = fmin(0.85 * u, fmax(0.2 * box.h, fmin(10 * pixel, 0.27 * box.h)));
    const double number = fmin(high, 0.85 * box.w / (0.6 * digits(n_chunks - 1)));
    if (number >= least) {
        p.number = rv_cut_top(&p.slots, 1.25 * number);
        p.number_size = number;
        rv_cut_top(&p.slots, 0.1 * u);
    }
    const double use = cut_slots(&p, n_ranks, u);
    const double value =
        value_width > 0 ? fmin(0.8 * u, 0.92 * p.slots.w / (0.6 * value_width)) : 0;
    /* Long values need larger type. Enlarged, a cell has no more room: a value may stay as it was. */
    const double readable = (value_width > 6 ? 0.62 : 0.5) * fmin(u, plain);
    if (value < fmax(least, readable) || p.slots.h <= 3.2 * value) return p;
    parts with = p;
    with.value = rv_cut_bottom(&with.slots, 1.3 * value);
    with.value_size = value;
    const double with_use = cut_slots(&with, n_ranks, u);
    const bool hides_letters = with_use < least_letter(u) && use >= least_letter(u);
    const bool hides_hatching = with.slots.h / n_ranks < LEAST_HATCHED;
    return hides_letters && hides_hatching ? p : with;
}

double rv_cell_letter(double unit, double pixel, int32_t n_ranks, int32_t n_chunks, double w,
                      double h) {
    parts p = cut_parts(unit, unit, pixel, n_ranks, n_chunks, 0, w, h);
    return cut_slots(&p, n_ranks, unit);
}

static int64_t length_of(const rv_model *model, int32_t chunk) {
    const int64_t count = model->report->request.job.count;
    return rs_chunk_first(model->schedule, count, chunk + 1) -
           rs_chunk_first(model->schedule, count, chunk);
}

/* Makes a chunk as long as it is beside the first, which is the longest; one element of very many is not seen. */
static void cut_length(parts *p, const rv_model *model, int32_t chunk) {
    const int64_t longest = length_of(model, 0);
    if (longest > 0) p->slots.w *= (double)length_of(model, chunk) / (double)longest;
}

static parts cut_cell(const rv_look *look, const rv_model *model, double w, double h) {
    return cut_parts(look->unit, look->plain_unit, look->pixel, model->n_ranks, model->n_chunks,
                     model->value_width, w, h);
}

bool rv_cell_has_number(const rv_look *look, const rv_model *model, double w, double h) {
    return cut_cell(look, model, w, h).number.h > 0;
}

bool rv_cell_has_value(const rv_look *look, const rv_model *model, double w, double h) {
    return cut_cell(look, model, w, h).value.h > 0;
}

static void scale_box(rv_box *part, rv_box to, double x, double y) {
    *part = (rv_box){to.x + part->x * x, to.y + part->y * y, part->w * x, part->h * y};
}

rv_box rv_cell_value_box(const rv_stage *stage, const rv_model *model, rv_box cell, double *type) {
    const parts p = cut_cell(&stage->look, model, cell.w, cell.h);
    *type = p.value_size;
    return (rv_box){cell.x + p.value.x, cell.y + p.value.y, p.value.w, p.value.h};
}

/* Moves the parts of a cell at rest into another box. */
static void move_into(parts *p, const rv_cell_look *cell, rv_box box) {
    const double x = box.w / cell->w, y = box.h / cell->h;
    scale_box(&p->number, box, x, y);
    scale_box(&p->slots, box, x, y);
    scale_box(&p->value, box, x, y);
    p->gap *= y;
    p->number_size *= y;
    p->value_size *= y;
}

static rv_box slot_of(const parts *p, int32_t i) {
    const double h = p->slots.h / p->rows;
    return (rv_box){p->slots.x, p->slots.y + i * h + p->gap / 2, p->slots.w, h - p->gap};
}

static void draw_sliver(const rv_stage *stage, rv_scene *scene, rv_box box, int32_t rank,
                        double fade) {
    const rv_look *look = &stage->look;
    const rv_dye dye = rv_dye_of(look, rank);
    rv_item *item =
        rv_scene_rect(scene, box, box.h > 8 ? 0.12 * look->unit : 0, rv_fade(dye.fill, fade));
    if (box.h >= 5 && box.w >= 5) {
        rv_outline(item, rv_fade(look->outline, 0.75 * fade), fmin(1.2, 0.07 * box.h + 0.3));
    }
    if (box.h >= LEAST_HATCHED - 1 && box.w >= 9) {
        rv_hatch(item, dye.pattern, rv_fade(dye.hatch, fade));
    }
    const double size =
        fmin(fmin(0.78 * look->unit, 0.82 * box.h), box.w / (0.75 * (double)strlen(dye.letter)));
    /* a travelling cell may have smaller letters */
    if (size < 0.75 * least_letter(look->unit)) return;
    rv_scene_label(scene, box, RV_MIDDLE, size, rv_fade(dye.ink, fade), dye.letter)->bold = true;
}

/* Draws slots without room for hatching as the pixels of a small image: that needs far fewer
   items. */
static void draw_pixels(const rv_stage *stage, rv_scene *scene, const parts *p,
                        const int32_t times[], int32_t n) {
    const rv_look *look = &stage->look;
    rv_colour *pixels;
    rv_scene_grid(scene, p->slots, 1, p->rows, &pixels);
    for (int32_t r = 0; pixels != NULL && r < n; r++) {
        pixels[r] = times[r] == 0 ? look->raised : rv_dye_of(look, r).fill;
    }
}

static void draw_slots(const rv_stage *stage, rv_scene *scene, const parts *p,
                       const int32_t times[], int32_t n, const rv_cell_look *cell) {
    const rv_look *look = &stage->look;
    for (int32_t r = 0; r < n; r++) {
        const rv_box slot = slot_of(p, r);
        if (times[r] > 0) {
            draw_sliver(stage, scene, slot, r, cell->fade);
        } else if (!cell->see_through) {
            rv_scene_rect(scene, slot, slot.h > 8 ? 0.12 * look->unit : 0,
                          rv_fade(look->raised, cell->fade));
        }
        if (times[r] > 1) { /* counted twice: always wrong */
            rv_outline(rv_scene_rect(scene, slot, 0, 0), look->bad, 2);
            rv_scene_labelf(scene, slot, RV_RIGHT, fmin(0.8 * slot.h, 0.8 * look->unit),
                            rv_dye_of(look, r).ink, "\xC3\x97%d ", (int)times[r])
                ->bold = true;
        }
    }
}

static void draw_inside(const rv_stage *stage, const rv_model *model, rv_scene *scene,
                        const parts *p, const rv_cell_look *cell) {
    const int32_t n = model->n_ranks;
    int32_t who[MOST_SLOTS], times[MOST_SLOTS] = {0};
    if (!model->cells || n > MOST_SLOTS) return;
    const int64_t inside =
        rs_contents_list(model->contents, cell->rank, cell->chunk, who, MOST_SLOTS);
    bool twice = false;
    for (int64_t i = 0; i < inside && i < MOST_SLOTS; i++) twice = ++times[who[i]] > 1 || twice;
    const rv_box slot = slot_of(p, 0);
    const bool tiny = slot.h < 3 || slot.w < 4;
    if (tiny && !twice && !cell->see_through && cell->fade >= 1) {
        draw_pixels(stage, scene, p, times, n);
    } else {
        draw_slots(stage, scene, p, times, n, cell);
    }
}

void rv_draw_check(const rv_look *look, rv_scene *scene, rv_point centre, double radius) {
    rv_scene_disc(scene, centre, radius, look->good);
    const rv_point tick[3] = {{centre.x - 0.5 * radius, centre.y + 0.02 * radius},
                              {centre.x - 0.12 * radius, centre.y + 0.42 * radius},
                              {centre.x + 0.52 * radius, centre.y - 0.38 * radius}};
    for (int i = 0; i < 2; i++) {
        rv_scene_segment(scene, tick[i], tick[i + 1], fmax(1.2, 0.28 * radius), look->panel);
    }
}

/* Returns the size of type that a value of one line needs. */
static double size_of(const parts *p, const char *value) {
    return fmin(p->value_size, p->value.w / (0.6 * fmax(1, (double)strlen(value))));
}

static void draw_words(const rv_stage *stage, const rv_model *model, rv_scene *scene,
                       const parts *p, const rv_cell_look *cell, rv_worth worth) {
    const rv_look *look = &stage->look;
    rv_colour head = cell->head, ink = cell->head_ink;
    if (head == 0 || worth == RV_WRONG) {
        head = worth == RV_WHOLE ? look->good : worth == RV_WRONG ? look->bad : look->raised;
        ink = worth == RV_PART ? look->ink : look->panel;
    }
    if (p->number.h > 0) {
        rv_scene_rect(scene, p->number, 0.12 * look->unit, rv_fade(head, cell->fade));
        rv_item *number = rv_scene_labelf(scene, p->number, RV_MIDDLE, p->number_size,
                                          rv_fade(ink, cell->fade), "%d", (int)cell->chunk);
        number->bold = true;
    }
    if (p->value.h > 0) {
        char own[64];
        const rv_colour shade = cell->struck        ? look->quiet
                                : worth == RV_WRONG ? look->bad
                                                    : look->ink;
        rv_value_at(model, cell->rank, cell->chunk, own, sizeof own);
        /* Digits of one width. A sum may need smaller ones; too small, it is not told. */
        const double told = cell->value != NULL ? size_of(p, cell->value) : 0;
        const char *value = told >= 0.42 * look->unit ? cell->value : own;
        const double size = size_of(p, value);
        rv_scene_label(scene, p->value, RV_MIDDLE, size, rv_fade(shade, cell->fade), value)->mono =
            true;
        if (cell->struck) {
            const double half = 0.32 * size * (double)strlen(value);
            const rv_point c = rv_centre(p->value);
            rv_scene_line(scene, c.x - half, c.y, c.x + half, c.y, fmax(1, 0.09 * size), look->ink);
        }
    }
}

void rv_draw_cell(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene, rv_box box,
                  const rv_cell_look *cell) {
    const rv_look *look = &stage->look;
    const rv_model *model = run->model;
    const double radius = fmin(0.25 * look->unit, 0.12 * fmin(box.w, box.h));
    const rv_worth worth = model->cells ? rv_worth_of(model, cell->rank, cell->chunk) : RV_PART;
    const bool own_frame = cell->frame != 0 && worth != RV_WRONG;
    parts p = cut_cell(look, model, cell->w, cell->h);
    cut_length(&p, model, cell->chunk);
    move_into(&p, cell, box);
    if (!cell->plain && !cell->see_through) {
        rv_scene_rect(scene, box, radius, rv_fade(look->panel, cell->fade));
    }
    draw_inside(stage, model, scene, &p, cell);
    if (!cell->plain) draw_words(stage, model, scene, &p, cell, worth);
    rv_item *frame = rv_scene_rect(scene, box, radius, 0);
    frame->stroke = rv_fade(own_frame            ? cell->frame
                            : worth == RV_WRONG  ? look->bad
                            : worth == RV_WHOLE  ? look->good
                            : box.w < look->unit ? look->faint
                                                 : look->quiet,
                            cell->fade);
    frame->line = own_frame ? cell->line : worth != RV_PART ? fmax(2, 0.13 * look->unit) : 1;
    if (worth != RV_PART && !cell->plain && box.w > 0.9 * look->unit && cell->fade >= 1) {
        const double r = fmin(0.42 * look->unit, 0.17 * box.w);
        const rv_point corner = {box.x + box.w - 0.6 * r, box.y + 0.6 * r};
        (worth == RV_WHOLE ? rv_draw_check : rv_draw_wrong)(look, scene, corner, r);
    }
}
