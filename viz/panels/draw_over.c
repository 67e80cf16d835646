/* draw_over.c: what lies on top: the help, the number typed after `g`, and what a button is for.
 *
 *   - The keys come from the one table. A click on a line does what its key does: so the mouse can
 *     do all that keys can.
 */
#include "panels/draw.h"
#include "stage/stage_frame.h"
#include "text/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void draw_box(const rv_stage *stage, rv_scene *scene, rv_box box) {
    const rv_look *look = &stage->look;
    rv_outline(rv_scene_rect(scene, box, 0.5 * look->unit, look->panel), look->edge,
               1.5 * look->hair)
        ->target = rv_target_of(RV_AREA, 0, 0);
}

/* ----------------------------------------------------------------------------------------- keys */

enum { MAX_COLUMNS = 3, MAX_KEYS = 80 };

/* The table of keys in columns; widths for type of size 1. */
typedef struct help {
    /* those that mean something here, translated; a group's name has no action */
    rv_key_row lines[MAX_KEYS];
    int n, columns, rows, first[MAX_COLUMNS + 1];  /* first: a column's first line */
    double keys[MAX_COLUMNS], widths[MAX_COLUMNS]; /* of a column's keys, and of all of it */
    double size;
    bool names; /* of keys are shown */
} help;

/* Returns a row with its words translated, as this subject and a lesson have them. */
static rv_key_row said(const rv_stage *stage, rv_key_row row) {
    const bool lesson = stage->course != NULL && row.lesson_names != NULL;
    row.help = rv_help_of(&stage->playback.subject, &row);
    if (row.action == RV_QUIT && stage->output == RV_TO_PAGE) row.help = _("to the start page");
    row.names = _(lesson                                                  ? row.lesson_names
                  : stage->output == RV_TO_PAGE && row.page_names != NULL ? row.page_names
                                                                          : row.names);
    return row;
}

/* Tells whether a finger has a button, a menu or a gesture for it, or can do nothing with it. */
static bool is_for_keys(rv_action action) {
    if (action >= RV_SHOW_VIEW && action <= RV_SHOW_LAST_VIEW) return true;
    switch (action) {
    case RV_NEXT:
    case RV_BACK:
    case RV_PLAY:
    case RV_HOME:
    case RV_END:
    case RV_FASTER:
    case RV_SLOWER:
    case RV_ZOOM_OFF:
    case RV_GO_TO:
    case RV_ROW_DOWN:
    case RV_ROW_UP:
    case RV_HELP:
    case RV_SLOW_THE_LINK:
    case RV_DELAY_GPU:
    case RV_BURDEN_GPU:
    case RV_KILL_GPU:
    case RV_HEAL_GPU:
    case RV_KNOB_NEXT:
    case RV_KNOB_LESS:
    case RV_KNOB_MORE:
    case RV_LESSON_NEXT:
    case RV_LESSON_BACK: return true;
    default: return false;
    }
}

static bool is_head(const rv_key_row *line) {
    return line->action == RV_NO_ACTION;
}

/* Returns the line before which a column ends: at a group's name that would stand low in it, else full. */
static int column_end(const help *h, int first, int rows) {
    enum { LOW = 4 };
    const int end = first + rows;
    if (end >= h->n) return h->n;
    for (int back = 0; back <= LOW && end - back > first + 1; back++) {
        if (is_head(&h->lines[end - back])) return end - back;
    }
    return end;
}

static help columns_of(help h, int columns, rv_box box, double most) {
    double all = 0;
    h.columns = columns;
    h.rows = 0;
    for (int c = 0; c < columns; c++) {
        const int first = h.first[c], per = (h.n + columns - 1) / columns;
        const int end = c == columns - 1 ? h.n : column_end(&h, first, per);
        double helps = 0;
        h.keys[c] = 0;
        for (int i = first; i < end; i++) {
            if (h.names || !is_head(&h.lines[i]))
                h.keys[c] = fmax(h.keys[c], 1.06 * rv_label_width(h.lines[i].names, 1) + 1);
            if (!is_head(&h.lines[i]))
                helps = fmax(helps, 1.04 * rv_label_width(h.lines[i].help, 1));
        }
        h.widths[c] = h.keys[c] + helps + 2.2;
        all += h.widths[c];
        h.first[c + 1] = end;
        if (end - first > h.rows) h.rows = end - first;
    }
    h.size = fmin(most, fmin(box.h / h.rows / 1.5, box.w / all));
    return h;
}

/* Takes the rows of the table that work here: those of lessons only in a lesson, others if the
   subject takes them. Lays them in as many columns as give the largest type. */
static help plan_help(const rv_stage *stage, rv_box box, double most) {
    const rv_subject *subject = &stage->playback.subject;
    help all = {.names = !stage->by_finger};
    rv_key_row row;
    const char *group = "";
    for (int i = 0; (row = rv_key_row_at(i)).action != RV_NO_ACTION && all.n + 1 < MAX_KEYS; i++) {
        if (row.lesson_only ? stage->course == NULL : !rv_takes(subject, row.action)) continue;
        if (row.not_there != NULL || rv_is_of_others(subject, row.action)) continue;
        if (stage->by_finger && is_for_keys(row.action)) continue;
        if (row.group != group) all.lines[all.n++] = (rv_key_row){.names = _(row.group)};
        group = row.group;
        all.lines[all.n] = said(stage, row);
        if (stage->by_finger) all.lines[all.n].names = "";
        all.n++;
    }
    help best = columns_of(all, 1, box, most);
    for (int columns = 2; columns <= MAX_COLUMNS; columns++) {
        const help h = columns_of(all, columns, box, most);
        const bool low = stage->by_finger && box.h < rv_button_size(stage) * best.rows;
        if (low || h.size > best.size) best = h;
    }
    return best;
}

static void draw_key(const rv_stage *stage, rv_scene *scene, rv_box line, const rv_key_row *row,
                     double keys, double size) {
    const rv_look *look = &stage->look;
    const rv_target target = rv_target_of(RV_BUTTON, (int32_t)row->action, 0);
    rv_cut_right(&line, size);
    if (is_head(row)) {
        rv_cut_left(&line, 0.3 * size);
        rv_scene_label(scene, line, RV_LEFT, size, look->accent, row->names)->bold = true;
        return;
    }
    const bool hot = rv_same_target(stage->hover, target);
    rv_scene_rect(scene, line, 0.3 * size, hot ? rv_mix(look->panel, look->accent, 0.2) : 0)
        ->target = target;
    rv_cut_left(&line, 0.3 * size);
    const rv_box key = rv_cut_left(&line, keys * size);
    rv_scene_label(scene, key, RV_LEFT, size, look->ink, row->names)->bold = true;
    rv_scene_label(scene, line, RV_LEFT, size, look->quiet, row->help);
}

/* Returns how high the legend below the keys is; 0: what is shown has none, or there is no room. */
static double legend_height(const rv_stage *stage, rv_box most, double u) {
    const rv_model *model = stage->what_if->model;
    const rv_legend_size size = rv_size_legend(true);
    return rv_has_legend(model) && most.w > size.columns * u && most.h > 32 * u
               ? size.rows * 0.9 * u
               : 0;
}

static void draw_help(rv_stage *stage, rv_scene *scene, rv_box whole) {
    const rv_look *look = &stage->look;
    const double u = look->unit;
    if (stage->playback.mode != RV_READING_HELP) return;
    rv_scene_rect(scene, whole, 0, rv_fade(look->ground, 0.85))->target =
        rv_target_of(RV_AREA, 0, 0);
    const rv_box most = rv_inset(whole, 1.5 * u);
    const rv_legend_size legend = rv_size_legend(true);
    const double head_h = 2.4 * u, legend_h = stage->by_finger ? 0 : legend_height(stage, most, u);
    const double foot_h = stage->by_finger ? 5.4 * u : 0;
    const double keys_h = most.h - head_h - legend_h - foot_h;
    const help h = plan_help(stage, (rv_box){0, 0, most.w, keys_h}, 1.15 * u);
    double width = 0;
    for (int c = 0; c < h.columns; c++) width += h.widths[c] * h.size;
    if (legend_h > 0) width = fmax(width, legend_h * legend.columns / legend.rows);
    const double line_h =
        fmin(keys_h / h.rows,
             stage->by_finger ? fmax(rv_button_size(stage), 1.9 * h.size) : 1.9 * h.size);
    const double height = head_h + line_h * h.rows + legend_h + foot_h;
    if (stage->by_finger) width = fmax(width, fmin(most.w, 30 * u));
    rv_box inside = {(whole.w - width) / 2, (whole.h - height) / 2, width, height};
    draw_box(stage, scene, rv_inset(inside, -0.9 * u));
    const char *name = stage->by_finger ? _("More") : _("Keys");
    rv_box head = rv_cut_top(&inside, 1.8 * u);
    const rv_box title = rv_cut_left(&head, 1.1 * rv_label_width(name, 1.25 * u));
    rv_scene_label(scene, title, RV_LEFT, 1.25 * u, look->ink, name)->bold = true;
    rv_scene_label(scene, head, RV_RIGHT, 0.85 * u, look->quiet,
                   stage->by_finger
                       ? _("a tap on a line does what it says, beside it closes this")
                       : _("any key but q closes this; a click on a line does what it says"));
    rv_cut_top(&inside, head_h - 1.8 * u);
    if (foot_h > 0) {
        const char *fingers = _(
            "Swipe to a side: a step, or a page. Tap a GPU: what you can do to it; a chunk: its path. "
            "Drag the bar of time, and sliders.");
        rv_scene_label(scene, rv_cut_bottom(&inside, foot_h), RV_LEFT, 0.95 * u, look->quiet,
                       fingers)
            ->wrap = true;
    }
    if (legend_h > 0) {
        const rv_shown_run run = rv_main_run(stage);
        rv_box below = rv_cut_bottom(&inside, legend_h);
        rv_cut_left(&below, 0.3 * h.size);
        rv_draw_legend(stage, &run, scene, below, true);
    }
    for (int c = 0; c < h.columns; c++) {
        rv_box column = rv_cut_left(&inside, h.widths[c] * h.size);
        for (int i = h.first[c]; i < h.first[c + 1]; i++) {
            draw_key(stage, scene, rv_cut_top(&column, line_h), &h.lines[i], h.keys[c], h.size);
        }
    }
}

/* --------------------------------------------------------------------------------------- typing */

static void draw_typing(rv_stage *stage, rv_scene *scene, rv_box whole) {
    const rv_look *look = &stage->look;
    const double u = look->unit, w = fmin(whole.w - 2 * u, 24 * u), h = 4.6 * u;
    const rv_box above = stage->layout.caption;
    if (stage->playback.mode != RV_TYPING) return;
    draw_box(stage, scene, (rv_box){(whole.w - w) / 2, above.y - h - u, w, h});
    rv_box inside = rv_inset((rv_box){(whole.w - w) / 2, above.y - h - u, w, h}, 0.7 * u);
    rv_box line = rv_cut_top(&inside, 0.58 * inside.h);
    const rv_box field = rv_cut_right(&line, 8 * u);
    rv_scene_label(scene, line, RV_LEFT, 1.3 * u, look->ink, _("Go to step"))->bold = true;
    rv_outline(rv_scene_rect(scene, field, 0.3 * u, look->raised), look->accent, 1.5 * look->hair);
    rv_scene_labelf(scene, rv_inset(field, 0.2 * u), RV_MIDDLE, 1.3 * u, look->ink, "%s_",
                    stage->playback.typed);
    rv_scene_labelf(scene, inside, RV_LEFT, 0.85 * u, look->quiet,
                    _("0..%d · Enter: go there · Esc: stay"),
                    (int)stage->playback.subject.n_steps - 1);
}

/* ---------------------------------------------------------------------------------------- hints */

static bool hint_of(const rv_stage *stage, char *out, size_t n_out) {
    const rv_target t = stage->hover;
    const rv_subject *subject = &stage->playback.subject;
    int32_t step = t.a;
    if (t.thing == RV_BUTTON) {
        rv_key_row row = rv_key_row_of((rv_action)t.a);
        if (row.action == RV_NO_ACTION) return false;
        row = said(stage, row);
        snprintf(out, n_out, stage->by_finger ? "%s" : "%s (%s)", row.help, row.names);
        return true;
    }
    if (t.thing == RV_LINK) {
        snprintf(out, n_out, _("GPU %d's links: a click makes them slow, and quick again (w)"),
                 (int)t.a);
        rv_name_ranks(subject->model, out, n_out);
        return true;
    }
    for (int i = 0; rv_panels[i] != NULL; i++) {
        const rv_panel *panel = rv_panels[i];
        if (panel->hint == NULL || !rv_view_fits(i, subject)) continue;
        if (panel->hint(stage, t, out, n_out)) return true;
    }
    /* two runs show their times */
    if (t.thing == RV_TIMELINE && stage->other != NULL) return false;
    if (t.thing == RV_TIMELINE) {
        step = rv_timeline_step(stage, stage->pointer_x);
    } else if (t.thing != RV_STEP_BAR) {
        return false;
    }
    if (step < 0) {
        snprintf(out, n_out, "%s", _("the start"));
    } else if (step >= subject->n_steps) {
        snprintf(out, n_out, "%s", _("the end"));
    } else {
        subject->kind->step_text(subject, stage->playback.rank, step, out, n_out);
    }
    return true;
}

bool rv_hints_in_row(const rv_stage *stage) {
    const rv_box c = stage->layout.controls;
    return stage->hover.thing == RV_BUTTON && rv_inside(c, stage->pointer_x, stage->pointer_y);
}

/* Returns the free place in the row of buttons, between the last one and the one at the right
   end. */
static rv_box free_row(const rv_stage *stage, const rv_scene *scene) {
    const double b = rv_button_size(stage), u = stage->look.unit;
    rv_box row = stage->layout.controls;
    row = rv_cut_bottom(&row, b);
    double left = row.x;
    const double right = row.x + row.w - b - 0.5 * u;
    for (int32_t i = 0; i < scene->n_items; i++) {
        const rv_box box = scene->items[i].box;
        if (box.y < row.y - 1 || box.y > row.y + row.h || box.x >= right) continue;
        left = fmax(left, box.x + box.w);
    }
    return (rv_box){left + 0.5 * u, row.y, right - left - 0.5 * u, row.h};
}

#define LINE_HEIGHT 1.45 /* for type of size 1 */

/* Estimates how large lines are together. */
static rv_extent extent_of(const char *text, double size) {
    rv_extent all = {0, 0};
    for (const char *at = text; *at != '\0';) {
        char line[512];
        const size_t n = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)n, at);
        all.width = fmax(all.width, rv_label_width(line, size));
        all.height += LINE_HEIGHT * size;
        at += n + (at[n] == '\n');
    }
    return all;
}

static void draw_hint(rv_stage *stage, rv_scene *scene, rv_box whole) {
    const rv_look *look = &stage->look;
    const double u = look->unit;
    char text[512];
    if (stage->output == RV_TO_FIGURE || stage->bare || stage->playback.mode == RV_READING_HELP)
        return;
    if (!hint_of(stage, text, sizeof text)) return;
    if (rv_hints_in_row(stage)) {
        const rv_box row = free_row(stage, scene);
        if (rv_label_width(text, 0.9 * u) * 1.05 < row.w) {
            rv_scene_label(scene, row, RV_RIGHT, 0.9 * u, look->ink, text);
            return;
        }
    }
    rv_box at = rv_scene_box(scene, stage->hover);
    if (stage->hover.thing == RV_WIRE) { /* it stands in several places: beside the pointer */
        at = (rv_box){stage->pointer_x, stage->pointer_y - u, 0, 2 * u};
    }
    const rv_extent all = extent_of(text, 0.9 * u);
    const double w = fmin(whole.w - u, all.width * 1.05 + 1.2 * u), h = all.height + 0.6 * u;
    double x = stage->hover.thing == RV_TIMELINE ? stage->pointer_x : at.x + at.w / 2;
    x = fmax(0.5 * u, fmin(whole.w - 0.5 * u - w, x - w / 2));
    const bool below = at.y < whole.h / 2;
    const double y = below ? at.y + at.h + 0.4 * u : at.y - h - 0.5 * u;
    const rv_box box = {x, y, w, h};
    rv_scene_rect(scene, box, 0.3 * u, look->ink);
    rv_box lines = rv_inset(box, 0.2 * u);
    for (char *line = text; *line != '\0';) {
        const size_t n = strcspn(line, "\n");
        const bool last = line[n] == '\0';
        line[n] = '\0';
        rv_scene_label(scene, rv_cut_top(&lines, last ? lines.h : 0.9 * LINE_HEIGHT * u), RV_MIDDLE,
                       0.9 * u, look->panel, line);
        line += n + !last;
    }
}

const rv_panel rv_panel_typing = {.place = RV_PLACE_OVER, .draw = draw_typing};

const rv_panel rv_panel_help = {.place = RV_PLACE_OVER, .draw = draw_help};

const rv_panel rv_panel_hint = {.place = RV_PLACE_OVER, .draw = draw_hint};
