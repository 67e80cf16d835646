/* draw_key.c: how to read the picture: on a sheet, in the middle of the first one, and in the help.
 *
 *     +---+                                         on a sheet also: whose colour is which
 *     | 0 |-- the chunk's number                    [A] GPU 0's data    [D] GPU 3's data
 *     |[A]|-- whose data are inside                 [B] ...
 *     | 1 |-- its value
 *     +---+   (v) complete      [ ] where the chunk on its way belongs
 */
#include "panels/ring/ring.h"
#include "text/words.h"

#include <stdio.h>

static void draw_chip(const rv_look *look, rv_scene *scene, rv_box box, double type, int32_t rank) {
    const rv_dye dye = rv_dye_of(look, rank);
    rv_item *chip =
        rv_hatch(rv_scene_rect(scene, box, 0.15 * type, dye.fill), dye.pattern, dye.hatch);
    rv_outline(chip, look->outline, 0.09 * type);
    rv_scene_label(scene, box, RV_MIDDLE, 0.9 * type, dye.ink, dye.letter)->bold = true;
}

static void draw_line(const rv_look *look, rv_scene *scene, rv_box box, double type,
                      const char *text) {
    rv_scene_label(scene, box, RV_LEFT, 0.9 * type, look->ink, text);
}

/* Cuts a line off the top: returns the sign's box, and leaves in *line the words' box. */
static rv_box cut_line(rv_box *box, double type, rv_box *line) {
    *line = rv_cut_top(box, 1.75 * type);
    const rv_box sign = rv_cut_apart(line, rv_cut_left, 2.2 * type, 0.5 * type);
    return rv_inset(sign, 0.18 * type);
}

/* Draws whose data have which colour: the first eight GPUs, in two columns. */
static void draw_chips(const rv_look *look, rv_scene *scene, rv_box *box, double type,
                       const rv_model *model) {
    const int32_t n = model->n_ranks, shown = n < 8 ? n : 8, rows = (shown + 1) / 2;
    rv_box all = rv_cut_top(box, rows * 1.75 * type), line;
    rv_box columns[2] = {rv_cut_left(&all, all.w / 2), all};
    for (int32_t i = 0; i < shown; i++) {
        const rv_box sign = cut_line(&columns[i / rows], type, &line);
        char text[64];
        const bool more = i + 1 == shown && n > shown;
        snprintf(text, sizeof text, more ? _("GPU %d's data, and so on") : _("GPU %d's data"),
                 (int)i);
        rv_name_ranks(model, text, sizeof text);
        draw_chip(look, scene, sign, type, i);
        draw_line(look, scene, line, type, text);
    }
}

static void draw_signs(const rv_look *look, rv_scene *scene, rv_box *box, double type) {
    rv_box line, sign = cut_line(box, type, &line);
    rv_draw_check(look, scene, rv_centre(sign), 0.5 * sign.h);
    draw_line(look, scene, line, type, _("complete: everyone's data inside"));
    sign = cut_line(box, type, &line);
    rv_outline(rv_scene_rect(scene, rv_inset(sign, 0.1 * type), 0.15 * type, 0), look->accent,
               0.09 * type)
        ->dashed = true;
    draw_line(look, scene, line, type, _("where a chunk on its way will land"));
}

/* Draws a cell of the run, GPU 0's first, and says what its parts are. */
static void draw_sample(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene, rv_box box,
                        double type) {
    const rv_look *look = &stage->look;
    const rv_box cell = rv_inset(rv_cut_left(&box, 3.6 * type), 0.1 * type);
    const rv_cell_look shown = {.w = cell.w, .h = cell.h, .fade = 1};
    rv_draw_cell(stage, run, scene, cell, &shown);
    const rs_request *request = &run->model->report->request;
    const bool has_digits = request->input == NULL && request->data == RS_DATA_DIGITS &&
                            request->op == RS_SUM && run->model->n_chunks <= 9;
    const rs_schedule *schedule = run->model->schedule;
    const int64_t n_numbers = rs_chunk_first(schedule, request->job.count, 1);
    char value[96];
    snprintf(value, sizeof value, "%s",
             has_digits ? _("its value: a digit for each GPU") : _("its value"));
    if (request->values == RS_VALUES_SAMPLE && n_numbers > 1) {
        snprintf(value, sizeof value,
                 has_digits ? _("one of its %lld numbers: a digit for each GPU")
                            : _("one of its %lld numbers"),
                 (long long)n_numbers);
    }
    const char *const words[3] = {_("the chunk's number"),
                                  _("whose data are inside: a row and a colour for each GPU"),
                                  value};
    const double heights[3] = {0.12, 0.5, 0.88};
    const int n = rv_cell_has_value(look, run->model, cell.w, cell.h) ? 3 : 2;
    for (int i = 0; i < n; i++) {
        const double y = cell.y + heights[i] * cell.h, x = cell.x + cell.w;
        rv_scene_line(scene, x + 0.15 * type, y, x + 0.9 * type, y, look->hair, look->quiet);
        const rv_box line = {x + 1.2 * type, y - 0.65 * type, box.x + box.w - x - 1.2 * type,
                             1.3 * type};
        draw_line(look, scene, line, type, words[i]);
    }
}

bool rv_has_legend(const rv_model *model) {
    return model != NULL && model->cells && !rv_is_crowd(model);
}

rv_legend_size rv_size_legend(bool wide) {
    return wide ? (rv_legend_size){50, 7.6} : (rv_legend_size){29, 11.4};
}

void rv_draw_legend(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene, rv_box box,
                    bool wide) {
    const double type = box.h / rv_size_legend(wide).rows;
    const rv_box title = rv_cut_top(&box, 1.9 * type);
    rv_scene_label(scene, (rv_box){title.x, title.y, title.w, 1.7 * type}, RV_LEFT, 1.1 * type,
                   stage->look.ink, _("How to read it"))
        ->bold = true;
    if (wide) {
        draw_sample(stage, run, scene, rv_cut_left(&box, 29 * type), type);
        rv_cut_top(&box, 1.1 * type);
    } else {
        draw_sample(stage, run, scene, rv_cut_top(&box, 5.7 * type), type);
        rv_cut_top(&box, 0.3 * type);
        rv_cut_left(&box, 0.7 * type); /* the signs stand below the middle of the cell */
    }
    draw_signs(&stage->look, scene, &box, type);
}

void rv_draw_key(const rv_stage *stage, rv_scene *scene, rv_box box, double type) {
    const rv_look *look = &stage->look;
    const rs_outcome *outcome = &stage->what_if->report->outcome;
    const rv_model *model = stage->what_if->model;
    box = rv_inset(box, 0.6 * type);
    rv_item *label = rv_scene_label(scene, rv_cut_top(&box, 1.8 * type), RV_LEFT, 1.15 * type,
                                    look->accent, _("How to read it"));
    label->bold = true;
    if (!rv_is_crowd(model)) {
        draw_chips(look, scene, &box, type, model);
        draw_signs(look, scene, &box, type);
        if (rv_result_is_wrong(stage->what_if->report)) {
            rv_box line, sign = cut_line(&box, type, &line);
            rv_draw_wrong(look, scene, rv_centre(sign), 0.5 * sign.h);
            draw_line(look, scene, line, type, _("its value is wrong"));
        }
    }
    rv_cut_top(&box, 0.2 * type);
    char time[32];
    rv_format_time(outcome->makespan_ps, time, sizeof time);
    label = rv_scene_labelf(scene, box, RV_LEFT, 0.9 * type, look->quiet,
                            outcome->completed ? _("Done after %s.") : _("Stalls after %s."), time);
    label->wrap = label->top = true;
}
