/* draw_rule.c: the rule in C that decides what a GPU sends, with the numbers of this moment in it:
 * for the GPU under the pointer in another view, else for the followed one.
 *
 *     chunk = (rank - step) mod N = (3 - 1) mod 5 = 2      one line each where they fit,
 *        to = (rank + 1) mod N    = (3 + 1) mod 5 = 4      else the numbers below the formula,
 *      adds = step < N - 1        = 1 < 5 - 1     = yes    else the numbers alone
 *
 * Outside the steps, or while a question is open, the formulas stand alone. A schedule from a file
 * has no rule: the panel shows its own lines, or the learner's function that wrote them (own_code.h).
 */
#include "panels/rule.h"
#include "panels/draw.h"
#include "panels/own_code.h"
#include "text/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum shape { ONE_LINE, TWO_LINES, NUMBERS, FORMULAS } shape;

typedef struct page {
    shape shape;
    double size, line;                 /* of type; from line to line */
    int name, formula, numbers, value; /* widths of the columns, in characters */
} page;

/* Returns the GPU that the panel shows. */
static int32_t frame(const rv_stage *stage) {
    const int32_t pointed = rv_pointed_gpu(stage, rv_view_box(stage, rv_view_bit("rule")));
    return pointed >= 0 ? pointed : stage->playback.rank;
}

static int longer(int a, const char *text) {
    const int length = (int)strlen(text);
    return length > a ? length : a;
}

static page measure(const rv_rule *rule) {
    page p = {0};
    for (int i = 0; i < rule->n_lines; i++) {
        char value[32];
        rv_rule_value(&rule->lines[i], value, sizeof value);
        p.name = longer(p.name, rule->lines[i].name);
        p.formula = longer(p.formula, rule->lines[i].formula);
        p.numbers = longer(p.numbers, rule->lines[i].numbers);
        p.value = longer(p.value, value);
    }
    return p;
}

static int columns_of(const page *p, shape s) {
    const int name = p->name + 3, result = p->numbers + 3 + p->value;
    switch (s) {
    case ONE_LINE: return name + p->formula + 3 + result;
    case TWO_LINES: return name + (p->formula > result ? p->formula : result);
    case NUMBERS: return name + result;
    case FORMULAS: return name + p->formula;
    }
    return 1;
}

/* Chooses the richest shape whose type is large enough to read. */
static page plan(const rv_look *look, const rv_rule *rule, rv_box box, bool live) {
    page p = measure(rule);
    const double most = 1.05 * look->unit;
    /* Formula and numbers in smaller type say more than numbers alone in larger. */
    const struct {
        shape shape;
        double least;
    } tries[] = {{ONE_LINE, 0.72}, {TWO_LINES, 0.72}, {ONE_LINE, 0.6}, {NUMBERS, 0}};
    for (int i = 0; i < 4; i++) {
        p.shape = live ? tries[i].shape : FORMULAS;
        const int lines = rule->n_lines * (p.shape == TWO_LINES ? 2 : 1);
        p.size = fmin(box.w / (RV_MONO * columns_of(&p, p.shape)), box.h / (1.25 * lines));
        if (!live || p.size >= tries[i].least * look->unit) break;
    }
    p.size = fmin(most, p.size);
    p.line = fmin(1.75 * p.size, box.h / (rule->n_lines * (p.shape == TWO_LINES ? 2 : 1)));
    return p;
}

/* Removes the least important lines until `room` of them are left. */
static void shorten(rv_rule *rule, int room) {
    static const char *const first_to_go[] = {"chunk last", "to last", "messages", "adds",  "bit",
                                              "half",       "place",   "chunks",   "sends", "to"};
    const int n = (int)(sizeof first_to_go / sizeof first_to_go[0]);
    for (int go = 0; go < n && rule->n_lines > room; go++) {
        for (int i = 0; i < rule->n_lines && rule->n_lines > 1; i++) {
            if (strcmp(rule->lines[i].name, first_to_go[go]) != 0) continue;
            rule->n_lines--;
            memmove(&rule->lines[i], &rule->lines[i + 1],
                    (size_t)(rule->n_lines - i) * sizeof rule->lines[0]);
            break;
        }
    }
}

/* Writes a text at a column and moves on past `width` characters. */
static rv_item *put(rv_scene *scene, const page *p, rv_box *line, int width, rv_colour ink,
                    const char *text) {
    const double w = width * RV_MONO * p->size;
    rv_box box = rv_cut_left(line, w);
    box.w +=
        0.5 * p->size; /* some room more: the font's real width may differ from RV_MONO a little */
    rv_item *item = rv_scene_label(scene, box, RV_LEFT, p->size, ink, text);
    item->mono = true;
    return item;
}

static rv_target target_of(const rv_stage *stage, const rv_rule *rule, const rv_rule_line *line) {
    const rv_model *model = stage->playback.subject.model;
    const rv_rule_line *chunk = rv_rule_line_of(rule, "chunk");
    if (strcmp(line->name, "to") == 0) return rv_target_of(RV_GPU, (int32_t)line->value, 0);
    rv_target target = rv_target_of(RV_TRANSFER, model->step, frame(stage));
    target.c = chunk != NULL ? (int32_t)chunk->value : 0;
    return rule->sends ? target : (rv_target){0};
}

static void draw_line(const rv_stage *stage, rv_scene *scene, const page *p, const rv_rule *rule,
                      const rv_rule_line *line, rv_box box) {
    const rv_look *look = &stage->look;
    char text[RV_RULE_TEXT];
    rv_box row = rv_cut_top(&box, p->line);
    if (p->shape != FORMULAS) {
        rv_scene_rect(scene, row, 0, 0)->target = target_of(stage, rule, line);
    }
    snprintf(text, sizeof text, "%*s =", p->name, line->name);
    put(scene, p, &row, p->name + 3, look->quiet, text);
    if (p->shape != NUMBERS) {
        put(scene, p, &row, p->formula, look->ink, line->formula);
    }
    if (p->shape == FORMULAS) return;
    if (p->shape == TWO_LINES) {
        row = rv_cut_top(&box, p->line);
        put(scene, p, &row, p->name + 1, look->quiet, "");
        put(scene, p, &row, 2, look->quiet, "=");
    } else if (p->shape == ONE_LINE) {
        put(scene, p, &row, 3, look->quiet, " =");
    }
    put(scene, p, &row, p->shape == ONE_LINE ? p->numbers : (int)strlen(line->numbers),
        look->accent, line->numbers);
    put(scene, p, &row, 3, look->quiet, " =");
    rv_rule_value(line, text, sizeof text);
    put(scene, p, &row, (int)(row.w / (RV_MONO * p->size)), look->accent, text)->bold = true;
}

/* ---------------------------------------------------------------------------- schedules from files */

static void draw_file(const rv_stage *stage, const rv_model *model, rv_scene *scene, rv_box box) {
    enum { MOST = 64 };
    rs_transfer sent[MOST];
    const rs_schedule *s = model->schedule;
    const double size = fmin(stage->look.unit, fmax(0.7 * stage->look.unit, box.h / 1.3));
    int n = 0;
    if (s->max_sends <= MOST) n = s->sends(s, model->step, frame(stage), sent);
    for (int i = 0; i < n && box.h >= 1.2 * size; i++) {
        char chunks[32];
        snprintf(chunks, sizeof chunks, "%d", (int)sent[i].chunk);
        if (sent[i].n_chunks > 1) {
            snprintf(chunks, sizeof chunks, "%d..%d", (int)sent[i].chunk,
                     (int)(sent[i].chunk + sent[i].n_chunks - 1));
        }
        const rv_box line = rv_cut_top(&box, 1.5 * size);
        rv_item *item = rv_scene_labelf(scene, line, RV_LEFT, size, stage->look.ink,
                                        "%d -> %d chunk %s %s", (int)sent[i].src, (int)sent[i].dst,
                                        chunks, sent[i].effect == RS_REDUCE ? "reduce" : "copy");
        item->mono = true;
        item->target = rv_target_of(RV_TRANSFER, model->step, sent[i].src);
        item->target.c = sent[i].chunk;
    }
    if (n > 0) return;
    rv_scene_labelf(scene, rv_cut_top(&box, 1.5 * size), RV_LEFT, size, stage->look.quiet,
                    s->max_sends > MOST ? _("GPU %d has more messages than fit here")
                                        : _("GPU %d sends nothing in this step"),
                    (int)frame(stage));
}

/* The learner's function, and the messages where it writes some; else the schedule's lines. */
static void draw_own(const rv_stage *stage, const rv_sight *sight, bool live, rv_scene *scene,
                     rv_box box) {
    const rv_model *model = sight->model;
    const rs_report *report = model->report;
    const rs_verdict *verdict = report != NULL && report->judged ? &report->verdict : NULL;
    rv_own_code code;
    if (!rv_own_code_of(model->schedule, verdict, live ? model->step : -1, frame(stage), &code)) {
        if (live) draw_file(stage, model, scene, box);
        return;
    }
    if (live && code.lists && code.call[0] != '\0') {
        const double rows = fmin(3, fmax(1, code.n_sent));
        const rv_box messages = rv_cut_top(&box, 1.55 * rows * stage->look.unit);
        draw_file(stage, model, scene, messages);
    }
    rv_shorten_own_code(&code, (int)(box.h / stage->look.unit) - 1);
    rv_draw_own_code(stage, &code, scene, box);
}

/* -------------------------------------------------------------------------------------- the panel */

static rv_box open_panel(const rv_stage *stage, const rv_model *model, rv_scene *scene, rv_box box,
                         int n_lines, bool live) {
    const double u = stage->look.unit;
    const bool titled = box.h > (2.5 + 1.05 * fmax(1, n_lines)) * u; /* the lines come first */
    const bool known = n_lines > 0;
    char title[128];
    rv_box inside;
    if (!known && rv_is_own(&stage->playback.subject)) {
        snprintf(title, sizeof title, "%s", _("Rule: your function"));
    } else if (!known) {
        snprintf(title, sizeof title, "%s", _("Rule: the schedule's own lines"));
    } else if (live) {
        snprintf(title, sizeof title, _("Rule for GPU %d in step %d"), (int)frame(stage),
                 (int)model->step);
        rv_name_ranks(model, title, sizeof title);
    } else {
        snprintf(title, sizeof title, "%s", _("Rule"));
    }
    rv_draw_panel(stage, scene, box, titled ? title : NULL, &inside);
    if (live && rv_is_lit(stage, frame(stage), -1)) {
        rv_item *lit = rv_scene_rect(scene, box, 0.5 * stage->look.unit, 0);
        lit->stroke = stage->look.ink;
        lit->line = 1.4 * stage->look.hair;
    }
    return inside;
}

/* Tells whether the rank ever comes to the step: in a run that stalls it may not. */
static bool comes_to(const rv_model *model, int32_t rank) {
    const rs_report *report = model->report;
    if (report == NULL || report->outcome.completed) return true;
    return model->step < report->outcome.entered[rank];
}

void rv_draw_rule(const rv_stage *stage, const rv_sight *sight, rv_scene *scene, rv_box box) {
    const rv_model *model = sight->model;
    const bool inside_run =
        model->step >= 0 && model->step < model->n_steps && comes_to(model, frame(stage));
    const bool live = inside_run && !sight->hidden;
    rv_rule rule = {0};
    scene->layer = RV_STILL;
    if (model->n_steps > 0) {
        const int32_t step = model->step < 0 ? 0 : inside_run ? model->step : model->n_steps - 1;
        rv_rule_of(model->schedule, step, frame(stage), &rule);
    }
    rv_box inside = open_panel(stage, model, scene, box, rule.n_lines, live);
    if (inside.w < 1 || inside.h < 1) return;
    if (rule.n_lines == 0) {
        draw_own(stage, sight, live, scene, inside);
        return;
    }
    shorten(&rule, (int)fmax(1, inside.h / (0.9 * stage->look.unit)));
    const page p = plan(&stage->look, &rule, inside, live);
    const double each = p.line * (p.shape == TWO_LINES ? 2 : 1);
    for (int i = 0; i < rule.n_lines; i++) {
        draw_line(stage, scene, &p, &rule, &rule.lines[i], rv_cut_top(&inside, each));
    }
}

static void draw(rv_stage *stage, rv_scene *scene, rv_box box) {
    const rv_sight sight = rv_main_sight(stage);
    rv_draw_rule(stage, &sight, scene, box);
}

static void draw_sign(const rv_pen *pen) {
    rv_pen_line(pen, -0.35, -0.7, -0.85, 0, 0.22);
    rv_pen_line(pen, -0.85, 0, -0.35, 0.7, 0.22);
    rv_pen_line(pen, 0.35, -0.7, 0.85, 0, 0.22);
    rv_pen_line(pen, 0.85, 0, 0.35, 0.7, 0.22);
}

const rv_panel rv_panel_rule = {.word = "rule",
                                .name = N_("Rule"),
                                .key = "r",
                                .help = N_("show the rule in C"),
                                .sign = draw_sign,
                                .fits = rv_has_model,
                                .opens = rv_is_own,
                                .place = RV_PLACE_BESIDE,
                                .least = 4,
                                .weight = 1,
                                .own_weight = 4,
                                .draw = draw,
                                .lines = rv_rule_lines,
                                .compose = rv_compose_rule};
