/* draw_title.c: the picture's head: what runs, whether it is sound, and which views are open.
 *
 *     Ring · 5 GPUs · 100 MB · i32 sum  v sound      [Matrix] [Diagram] [Costs] [Rule] [Numbers] [o] [zh]
 *
 * If the names of the views do not fit, their buttons have the signs alone.
 */
#include "panels/draw.h"
#include "text/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double tab_width(const rv_stage *stage, int view) {
    return rv_label_width(_(rv_panels[view]->name), 0.9 * stage->look.unit) +
           2.6 * stage->look.unit;
}

/* Lists the views that have a button; returns how many. */
static int list_tabs(const rv_stage *stage, int views[RV_MOST_VIEWS]) {
    int n = 0;
    for (int i = 0; rv_view(i) != NULL; i++) {
        const bool holds = rv_view_fits(i, &stage->playback.subject);
        if (rv_panels[i]->sign != NULL && holds) views[n++] = i;
    }
    return n;
}

void rv_draw_home(const rv_stage *stage, rv_scene *scene, rv_box *row) {
    const double b = rv_button_size(stage);
    if (stage->output != RV_TO_PAGE || stage->bare) return;
    rv_box place = rv_cut_apart(row, rv_cut_left, b, 0.5 * stage->look.unit);
    place.h = fmin(place.h, b);
    rv_draw_sign_button(stage, scene, place, RV_SIGN_HOUSE, false, RV_QUIT);
}

static void draw_tabs(const rv_stage *stage, rv_scene *scene, double title_w, rv_box *box) {
    const double u = stage->look.unit, small = rv_button_size(stage), gap = 0.3 * u;
    if (stage->layout.lesson.w <= 0) rv_draw_home(stage, scene, box);
    const bool narrow = stage->output == RV_TO_PAGE && box->w < 40 * u; /* the sheet has the rest */
    double wide = 2 * (small + gap);
    int tabs[RV_MOST_VIEWS];
    const int n_tabs = list_tabs(stage, tabs);
    for (int i = 0; i < n_tabs; i++) wide += tab_width(stage, tabs[i]) + gap;
    if (stage->half == RV_STAGE_ALONE) { /* back to the lesson's text */
        const double width = rv_label_width(_("Text"), 0.9 * u) + 1.6 * u;
        rv_draw_button(stage, scene, rv_cut_left(box, width), _("Text"), true, RV_LESSON_SWAP);
        rv_cut_left(box, 2 * gap);
    }
    const bool names = wide + title_w < box->w;
    const rv_box language = rv_cut_right(box, small);
    rv_draw_button(stage, scene, language, strcmp(rv_language(), "en") == 0 ? "中" : "EN", false,
                   RV_LANGUAGE);
    rv_cut_right(box, gap);
    if (!narrow) {
        rv_draw_sign_button(stage, scene, rv_cut_right(box, small), RV_SIGN_THEME, false, RV_THEME);
        rv_cut_right(box, 2 * gap);
    }
    for (int i = n_tabs - 1; i >= 0; i--) {
        /* in a tiny window what runs comes first */
        if (!names && box->w < small + gap + 10.5 * u) break;
        const rv_box tab = rv_cut_right(box, names ? tab_width(stage, tabs[i]) : small);
        rv_cut_right(box, gap);
        rv_draw_view_button(stage, scene, tab, tabs[i], names);
    }
    rv_cut_right(box, 0.5 * u);
}

void rv_draw_tabs(rv_stage *stage, rv_scene *scene, rv_box *box) {
    const rv_look look = stage->look;
    if (stage->bare) return;
    stage->look = rv_bar_look(stage);
    rv_box row = *box;
    row.h = fmin(row.h, rv_button_size(stage));
    draw_tabs(stage, scene, 19 * look.unit, &row);
    box->x = row.x;
    box->w = row.w;
    stage->look = look;
}

/* Writes what is known of the plan and its result; "stalls" if the run does not complete. */
static void draw_verdict(const rv_stage *stage, rv_scene *scene, rv_box box) {
    const rv_look *look = &stage->look;
    const double u = look->unit;
    int mark;
    const char *text = rv_judgement(stage->what_if->report, &mark);
    if (text[0] == '\0') return;
    const rv_colour ink = mark > 0 ? look->good : mark < 0 ? look->bad : look->quiet;
    if (box.w < rv_label_width(text, 0.9 * u) + 1.4 * u) text = "";
    rv_box sign = rv_cut_left(&box, fmin(box.w, u));
    if (mark != 0) {
        rv_draw_sign(scene, rv_inset(sign, 0.05 * u), mark > 0 ? RV_SIGN_CHECK : RV_SIGN_CROSS,
                     ink);
    }
    rv_cut_left(&box, 0.3 * u);
    if (text[0] != '\0') rv_scene_label(scene, box, RV_LEFT, 0.9 * u, ink, text);
}

void rv_draw_title(rv_stage *stage, rv_scene *scene, rv_box box) {
    const rv_look *look = &stage->look;
    const double u = look->unit;
    char size[32], text[256];
    rv_draw_tabs(stage, scene, &box);
    const rs_request *request = &stage->what_if->report->request;
    const rs_schedule *schedule = stage->what_if->model->schedule;
    const rs_collective of = schedule->collective;
    rv_format_bytes(rs_size_count(schedule, request->job.count) * request->job.elem_bytes, size,
                    sizeof size);
    snprintf(text, sizeof text,
             schedule->n_ranks == 1 ? _("%.60s %s, %d GPU") : _("%.60s %s, %d GPUs"),
             rv_schedule_word(schedule), rv_collective_word(of), (int)schedule->n_ranks);
    if (rv_label_width(text, 1.15 * u) > box.w - 1.2 * u) { /* the shorter name */
        snprintf(text, sizeof text, schedule->n_ranks == 1 ? _("%s, %d GPU") : _("%s, %d GPUs"),
                 rv_schedule_word(schedule), (int)schedule->n_ranks);
    }
    rv_box name =
        rv_cut_left(&box, fmin(box.w - 1.2 * u, rv_label_width(text, 1.25 * u) + 0.6 * u));
    rv_scene_label(scene, name, RV_LEFT, 1.15 * u, look->ink, text)->bold = true;
    const rs_recording *recording = stage->what_if->report->recording;
    const rs_machine *machine = request->job.net.machine;
    const char *origin = machine != NULL                             ? machine->name
                         : recording == NULL || stage->other != NULL ? NULL
                         : recording->measured                       ? _("measured")
                                                                     : _("simulated");
    const bool adds = rs_collective_reduces(of);
    snprintf(text, sizeof text, "%s · %s%s%s%s%.40s", size, rs_dtype_name(request->dtype),
             adds ? " " : "", adds ? rs_op_name(request->op) : "", origin != NULL ? " · " : "",
             origin != NULL ? origin : "");
    const double width = rv_label_width(text, 0.9 * u) + (origin != NULL ? 1.3 : 0.8) * u;
    int mark; /* the verdict is what stays where there is little room */
    const double verdict =
        rv_label_width(rv_judgement(stage->what_if->report, &mark), 0.9 * u) + 1.4 * u;
    if (box.w > width + (origin != NULL ? 1.2 * u : verdict)) {
        rv_box rest = rv_cut_left(&box, width);
        rv_scene_label(scene, rest, RV_LEFT, 0.9 * u, look->quiet, text);
    }
    draw_verdict(stage, scene, box);
}

const rv_panel rv_panel_title = {
    .fits = rv_has_model, .place = RV_PLACE_TITLE, .draw = rv_draw_title};
