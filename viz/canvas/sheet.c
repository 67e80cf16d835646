/* sheet.c: the whole run for slides: one figure after another, each with its number and its sentence.
 *
 *     ring, 5 GPUs, 100 MB                 1 / 3
 *     +--------+ +--------+ +--------+ +--------+
 *     | ring   | |        | |        | |        |     figures.c chooses the figures and their words;
 *     | 1 Start| | 2 ...  | | 3 ...  | | 4 ...  |     the last field of the first page is the key
 *     +--------+ +--------+ +--------+ +--------+
 *
 *   - A PDF has pages of twelve fields, 16:9; PNG and SVG are one page with all of them.
 */
#include "model/figures.h"
#include "canvas/paper.h"
#include "stage/panel.h"
#include "stage/stage.h"
#include "text/words.h"

#include <math.h>
#include <stdlib.h>

static const double WORDS = 0.88, NUMBER = 1.9; /* size of a sentence's type, room for its number */
enum { MOST_MEASURED = 40, MOST_LINES = 4 };
enum { MOST_FIGURES = 1100, MOST_ON_ONE = 150, PAGE_COLUMNS = 4, PAGE_ROWS = 3, TEXT = 640 };

typedef struct sheet {
    rv_stage *stage;
    rv_paper paper;
    rv_scene words; /* all of the page but the rings */
    rv_figure *figures;
    int32_t n_figures;
    int32_t columns, rows, pages;
    double width, height, type; /* of a page; of its words */
    rv_box first;               /* the first field of a page */
    double gap;
    int lines; /* that the longest sentence below a figure needs */
} sheet;

/* ------------------------------------------------------------------------------- where they lie */

/* A page of a PDF has the same fields each time; one page takes the columns that make a picture of all fields about
   16:9. */
static void plan_fields(sheet *s, bool one_page) {
    const int32_t fields = s->n_figures + 1;
    s->columns =
        one_page ? (int32_t)ceil(sqrt((double)fields * PAGE_COLUMNS / PAGE_ROWS)) : PAGE_COLUMNS;
    if (one_page && s->columns > fields) s->columns = fields;
    s->rows = one_page ? (fields + s->columns - 1) / s->columns : PAGE_ROWS;
    s->pages = (fields + s->columns * s->rows - 1) / (s->columns * s->rows);
}

static void plan_sizes(sheet *s, rv_picture kind, const rv_options *options) {
    const double scale = options->scale > 0 ? options->scale : 1;
    /* a field is that wide */
    const double least = (rv_pictures[kind].medium == RV_PAGES ? 240 : 480) * scale;
    const double share = fmin(1, 7680 / (least * s->columns));
    s->width = options->pixel_width > 0 ? options->pixel_width : round(least * share * s->columns);
    s->height = options->pixel_height > 0
                    ? options->pixel_height
                    : round(least * share * s->rows * PAGE_COLUMNS / PAGE_ROWS * 9 / 16);
    const double field = fmin(s->width / s->columns, s->height / s->rows * 4 / 3);
    s->type = field / 26;
    s->gap = 0.5 * s->type;
    rv_box all = rv_inset((rv_box){0, 0, s->width, s->height}, s->type);
    rv_cut_top(&all, 2.3 * s->type);
    s->first = (rv_box){all.x, all.y, (all.w - s->gap * (s->columns - 1)) / s->columns,
                        (all.h - s->gap * (s->rows - 1)) / s->rows};
}

static rs_status plan(sheet *s, rv_picture kind, rs_error *error) {
    const rv_subject *subject = &s->stage->playback.subject;
    const int most = rv_pictures[kind].medium == RV_PAGES ? MOST_FIGURES : MOST_ON_ONE;
    s->n_figures = rv_list_figures(subject, NULL, 0);
    if (s->n_figures > most) {
        return rs_fail(
            error, RS_TOO_LARGE,
            rv_pictures[kind].medium == RV_PAGES
                ? _("a sheet of %d figures is too large, %d is the most; choose one step "
                    "with --at, or make a film")
                : _("a sheet of %d figures is too large for one page, %d is the most; "
                    "write a PDF, or choose one step with --at"),
            (int)s->n_figures, most);
    }
    s->figures = calloc((size_t)s->n_figures, sizeof *s->figures);
    if (s->figures == NULL) return rs_no_memory(error);
    rv_list_figures(subject, s->figures, s->n_figures);
    plan_fields(s, rv_pictures[kind].medium != RV_PAGES);
    plan_sizes(s, kind, s->stage->options);
    return RS_OK;
}

static int32_t fields_of_page(const sheet *s) {
    return s->columns * s->rows;
}

static rv_box field_box(const sheet *s, int32_t field) {
    rv_box box = s->first;
    box.x += (box.w + s->gap) * (field % s->columns);
    box.y += (box.h + s->gap) * (field / s->columns);
    return box;
}

/* Returns the field of a figure; the key has the last one of the first page. */
static int32_t field_of(const sheet *s, int32_t number) {
    const int32_t key = s->pages == 1 ? s->n_figures : fields_of_page(s) - 1;
    return number < key ? number : number + 1;
}

/* ------------------------------------------------------------------------------------ the words */

/* Splits a field: returns the ring's box, and leaves the words' box in *field. */
static rv_box split_field(const sheet *s, rv_box *field) {
    *field = rv_inset(*field, 0.35 * s->type);
    rv_box words = rv_cut_bottom(field, s->lines * 1.25 * WORDS * s->type);
    const rv_box ring = *field;
    *field = words;
    return ring;
}

static void add_words(sheet *s, int32_t number, const rv_figure *f, rv_box field) {
    const rv_look *look = &s->stage->look;
    char text[TEXT];
    rv_outline(rv_scene_rect(&s->words, field, 0.5 * s->type, look->panel), look->edge,
               0.07 * s->type);
    split_field(s, &field);
    rv_box head = rv_cut_left(&field, NUMBER * s->type);
    rv_item *label = rv_scene_labelf(&s->words, head, RV_LEFT, 1.15 * s->type, look->accent, "%d",
                                     (int)number + 1);
    label->bold = label->top = true;
    const rv_playback *playback = &s->stage->playback;
    rv_figure_text(&playback->subject, f, playback->rank, text, sizeof text);
    label = rv_scene_label(&s->words, field, RV_LEFT, WORDS * s->type, look->ink, text);
    label->wrap = label->top = true;
}

static void add_title(sheet *s, int32_t page) {
    const rv_look *look = &s->stage->look;
    rv_box all = rv_inset((rv_box){0, 0, s->width, s->height}, s->type);
    rv_box line = rv_cut_top(&all, 2 * s->type);
    if (s->pages > 1) {
        rv_scene_labelf(&s->words, rv_cut_right(&line, 8 * s->type), RV_RIGHT, 1.1 * s->type,
                        look->quiet, "%d / %d", (int)page + 1, (int)s->pages);
    }
    rv_scene_label(&s->words, line, RV_LEFT, 1.5 * s->type, look->ink, s->paper.title)->bold = true;
}

/* --------------------------------------------------------------------------------------- drawing */

/* Draws a figure's ring into its box, on the panel's ground. */
static void paint_ring(sheet *s, rv_box box) {
    rv_stage *stage = s->stage;
    const double share = box.w / stage->width;
    rv_stage_draw(stage);
    stage->scene.ground = stage->look.panel;
    cairo_save(s->paper.cr);
    cairo_translate(s->paper.cr, box.x, box.y);
    cairo_scale(s->paper.cr, share, share);
    rv_canvas_paint(s->paper.canvas, s->paper.cr, &stage->scene);
    cairo_restore(s->paper.cr);
}

/* Adds the key: how to read the figures. Each panel that they show explains itself. */
static void add_key(sheet *s, rv_box field) {
    for (int i = 0; rv_panels[i] != NULL; i++) {
        if (rv_panels[i]->explain == NULL || rv_panel_box(s->stage, i).w <= 0) continue;
        rv_panels[i]->explain(s->stage, &s->words, field, s->type);
    }
}

/* Shows a figure's moment; where a phase ends at which readers stop, with what is finished lit. */
static rs_status show_figure(sheet *s, const rv_figure *figure, rs_error *error) {
    const rv_subject *subject = &s->stage->playback.subject;
    const rs_status status = rv_stage_show(s->stage, figure->step, figure->progress, error);
    const bool pauses = figure->ends && subject->kind->pauses != NULL;
    if (status != RS_OK || !pauses || !subject->kind->pauses(subject)) return status;
    return rv_playback_seek(&s->stage->playback, figure->step, RV_BETWEEN, error);
}

/* Draws a page: its words first, since its rings lie upon them. */
static rs_status draw_page(sheet *s, int32_t page, int32_t *number, rs_error *error) {
    const int32_t fields = fields_of_page(s), start = *number;
    rv_scene_start(&s->words, s->width, s->height, s->stage->look.ground);
    add_title(s, page);
    if (page == 0) {
        const int32_t field = s->pages == 1 ? s->n_figures : fields - 1;
        add_key(s, field_box(s, field));
    }
    for (int32_t i = start; i < s->n_figures && field_of(s, i) < (page + 1) * fields; i++) {
        const rs_status status = show_figure(s, &s->figures[i], error);
        if (status != RS_OK) return status;
        add_words(s, i, &s->figures[i], field_box(s, field_of(s, i) - page * fields));
    }
    rv_canvas_paint(s->paper.canvas, s->paper.cr, &s->words);
    for (; *number < s->n_figures && field_of(s, *number) < (page + 1) * fields; ++*number) {
        if (!rs_go_on(s->stage->host, _("drawing"), *number, s->n_figures))
            return rs_fail(error, RS_CANCELLED, "cancelled");
        const rv_figure *f = &s->figures[*number];
        const rs_status status = show_figure(s, f, error);
        if (status != RS_OK) return status;
        rv_box field = field_box(s, field_of(s, *number) - page * fields);
        paint_ring(s, split_field(s, &field));
    }
    return RS_OK;
}

/* Finds how many lines the longest sentence needs, so that the figures have all the rest. Of very many figures none
   is looked at. */
static rs_status count_lines(sheet *s, rs_error *error) {
    const rv_playback *playback = &s->stage->playback;
    s->lines = s->n_figures > MOST_MEASURED ? MOST_LINES : 2;
    rv_box field = s->first;
    split_field(s, &field);
    for (int32_t i = 0; i < s->n_figures && s->n_figures <= MOST_MEASURED; i++) {
        char text[TEXT];
        const rs_status status = show_figure(s, &s->figures[i], error);
        if (status != RS_OK) return status;
        rv_figure_text(&playback->subject, &s->figures[i], playback->rank, text, sizeof text);
        const double wide = 1.03 * rv_label_width(text, WORDS * s->type);
        const int lines = (int)ceil(wide / (field.w - NUMBER * s->type));
        if (lines > s->lines) s->lines = lines < MOST_LINES ? lines : MOST_LINES;
    }
    return RS_OK;
}

/* Gives the stage the shape of a field's ring, always 640 pixels wide: so type has the same size
   against the ring on every page. */
static void fit_stage(sheet *s) {
    rv_box field = s->first;
    const rv_box ring = split_field(s, &field);
    const double width = 640;
    s->stage->output = RV_TO_FIGURE;
    rv_stage_resize(s->stage, width, width * ring.h / ring.w);
}

static rs_status draw_pages(sheet *s, rs_error *error) {
    rs_status status = RS_OK;
    for (int32_t page = 0, number = 0; page < s->pages && status == RS_OK; page++) {
        status = draw_page(s, page, &number, error);
        if (s->pages > 1) rv_paper_turn(&s->paper);
    }
    return status;
}

rs_status rv_draw_sheet(rv_stage *stage, rv_picture kind, rs_write write, void *context,
                        rs_error *error) {
    sheet s = {.stage = stage};
    char title[256];
    stage->playback.subject.kind->sheet_title(&stage->playback.subject, title, sizeof title);
    rs_status status = plan(&s, kind, error);
    if (status == RS_OK) status = count_lines(&s, error);
    if (status == RS_OK) {
        fit_stage(&s);
        status = rv_paper_open(&s.paper, kind, s.width, s.height, title, error);
    }
    if (status == RS_OK) status = draw_pages(&s, error);
    if (status == RS_OK) status = rv_paper_write(&s.paper, write, context, error);
    rv_paper_free(&s.paper);
    rv_scene_free(&s.words);
    free(s.figures);
    return status;
}
