/* draw_rule.c: the function in C that says what a GPU sends (model/rule.h): what it was asked and answered, its lines,
 * and in the step that goes wrong what is wrong with it; for the GPU under the pointer in another view, else for the
 * followed one.
 *
 *     send_chunk(step = 1, rank = 0, n = 5) = 4
 *     int send_chunk(int step, int rank, int n) {
 *         return mod(rank - step, n);   mod(0 - 1, 5) = 4               the numbers beside the line, or below it
 *     }
 *     0 -> 1 chunk 4 reduce                                             the messages
 *
 * Where there is little room signature and last brace go first, then the lines that say least. Outside the steps, or
 * while a question is open, the function stands alone. A schedule from a file has none: its messages stand there.
 */
#include "model/rule.h"
#include "panels/draw.h"
#include "terminal/compose.h"
#include "text/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The rule (model/rule.h) in characters: the call, what is wrong with it, the lines with their numbers.
 *
 *     Rule    send_chunk(step = 1, rank = 3, n = 5) = 2
 *             int send_chunk(int step, int rank, int n) {
 *                 return mod(rank - step, n);    mod(3 - 1, 5) = 2
 *             }
 */

/* ------------------------------------------------------------------------------- in characters */

enum { HEAD = 9, MOST_LINES = 8 }; /* an algorithm's rule leaves room for the others */

/* Finds the rule at this moment; without a call where the GPU never comes to it, or a question is open. */
static const rv_rule *rule_of(const rv_composition *page) {
    const rv_model *model = page->playback->subject.model;
    const int32_t rank = page->playback->rank;
    const rs_outcome *outcome = &model->report->outcome;
    const bool live = model->step >= 0 && model->step < model->n_steps &&
                      !rv_is_hidden(page->playback) &&
                      (outcome->completed || model->step < outcome->entered[rank]);
    const rv_rule *rule = NULL;
    rv_rule_of(model->rule, live ? model->step : -1, rank, &rule);
    return rule;
}

static void compose_lines(const rv_composition *page, rv_rule *rule, int y, int n_lines) {
    const int width = page->width - HEAD;
    const rv_style head = rule->blamed ? RV_WARNING : RV_BOLD;
    int used = 0;
    if (rule->call[0] != '\0' && used < n_lines)
        rv_put_words(page->screen, HEAD, y + used++, width, head, rule->call);
    if (rule->mistake[0] != '\0' && used < n_lines)
        rv_put_words(page->screen, HEAD, y + used++, width, RV_WARNING, rule->mistake);
    rv_shorten_rule(rule, n_lines - used);
    for (int i = 0; i < rule->n_lines && used < n_lines; i++) {
        const rv_rule_line *line = &rule->lines[i];
        char text[2 * RV_RULE_TEXT + 8];
        snprintf(text, sizeof text, line->numbers[0] != '\0' ? "%s    %s" : "%s%s", line->text,
                 line->numbers);
        const bool cut = !rule->is_own && used == n_lines - 1 && i < rule->n_lines - 1;
        const rv_style ink = line->mark == RV_LINE_SKIPPED   ? RV_DIM
                             : line->mark != RV_LINE_RETURNS ? RV_PLAIN
                             : rule->blamed                  ? RV_WARNING
                                                             : RV_BOLD;
        rv_put_words(page->screen, HEAD, y + used++, width, ink, cut ? "..." : text);
    }
}

static int count_rule_lines(rv_composition *page, int most) {
    const rv_rule *rule = rule_of(page);
    const int all =
        rule == NULL ? 1 : rule->n_lines + (rule->call[0] != '\0') + (rule->mistake[0] != '\0');
    if (rule != NULL && !rule->is_own && most > MOST_LINES) most = MOST_LINES;
    return all < most ? all : most;
}

static void compose_rule(const rv_composition *page, int y, int n_lines) {
    const rv_rule *found = rule_of(page);
    if (n_lines < 1) return;
    rv_put_words(page->screen, 1, y, HEAD - 1, RV_DIM, _("Rule"));
    if (found == NULL) {
        rv_put_words(page->screen, HEAD, y, page->width - HEAD, RV_DIM, _("none at this moment"));
        return;
    }
    rv_rule rule = *found;
    compose_lines(page, &rule, y, n_lines);
}

/* ------------------------------------------------------------------------------- in the window */

/* Returns the GPU that the panel shows. */
static int32_t shown_gpu(const rv_stage *stage) {
    const int32_t pointed = rv_pointed_gpu(stage, rv_view_box(stage, rv_view_bit("rule")));
    return pointed >= 0 ? pointed : stage->playback.rank;
}

/* ------------------------------------------------------------------------------------- the lines */

static const double LEAST = 0.62, ROW = 1.3; /* size of type in units; height of a row in sizes */

typedef struct fit {
    bool below, bare;          /* numbers on a row of their own; without signature and last brace */
    int rows, columns, indent; /* indent: what all lines begin with is left out */
    double size;
} fit;

static bool is_left_out(const rv_rule_line *line, const fit *f) {
    return f->bare && line->outer;
}

static int columns_of(const char *text) {
    return (int)ceil(rv_text_width(text));
}

static fit try_fit(const rv_rule *rule, rv_box box, double unit, bool below, bool bare) {
    fit f = {.below = below, .bare = bare};
    f.rows = rule->call[0] != '\0';
    f.columns = columns_of(rule->call);
    f.indent = RV_RULE_TEXT;
    for (int i = 0; i < rule->n_lines; i++) {
        const int spaces = (int)strspn(rule->lines[i].text, " ");
        if (!is_left_out(&rule->lines[i], &f) && spaces < f.indent) f.indent = spaces;
    }
    for (int i = 0; i < rule->n_lines; i++) {
        const rv_rule_line *line = &rule->lines[i];
        const bool numbers = line->numbers[0] != '\0';
        int columns = columns_of(line->text) - f.indent;
        if (is_left_out(line, &f)) continue;
        if (numbers && !below) columns += 3 + columns_of(line->numbers);
        f.rows += 1 + (numbers && below);
        if (columns > f.columns) f.columns = columns;
    }
    f.size = fmin(box.w / (RV_MONO * fmax(1, f.columns)), box.h / (ROW * fmax(1, f.rows)));
    f.size = fmin(f.size, 1.05 * unit);
    return f;
}

/* The first shape whose type is large enough, else the largest type. */
static fit choose(const rv_rule *rule, rv_box box, double unit) {
    static const bool shapes[][2] = {{false, false}, {true, false}, {false, true}, {true, true}};
    fit best = {.size = 0};
    for (int i = 0; i < 4; i++) {
        const fit f = try_fit(rule, box, unit, shapes[i][0], shapes[i][1]);
        if (f.size >= 0.75 * unit) return f;
        if (f.size > best.size) best = f;
    }
    best.size = fmax(LEAST * unit, best.size);
    return best;
}

static rv_item *put_row(rv_scene *scene, rv_box row, double size, rv_colour ink, const char *text) {
    rv_item *item = rv_scene_label(scene, row, RV_LEFT, size, ink, text);
    item->mono = true;
    return item;
}

/* Writes the reason at the bottom, with a bar beside it. */
static void draw_mistake(const rv_stage *stage, rv_scene *scene, const char *text, rv_box *box) {
    const rv_look *look = &stage->look;
    const double u = look->unit;
    if (text[0] == '\0' || box->h < 3 * u) return;
    const double wide = rv_label_width(text, 0.85 * u) * 1.06;
    rv_box place = rv_cut_bottom(box, wide > box->w - 0.8 * u ? 2.4 * u : 1.3 * u);
    const rv_box bar = rv_cut_left(&place, 0.2 * u);
    rv_scene_rect(scene, bar, 0.1 * u, look->bad);
    rv_cut_left(&place, 0.5 * u);
    rv_scene_label(scene, place, RV_LEFT, 0.85 * u, look->bad, text)->wrap = true;
}

/* What was not executed steps back; the return that gave a wrong answer is marked. */
static rv_colour ink_of(const rv_look *look, const rv_rule *rule, const rv_rule_line *line) {
    if (line->mark == RV_LINE_SKIPPED) return look->quiet;
    return line->mark == RV_LINE_RETURNS && rule->blamed ? look->bad : look->ink;
}

void rv_draw_rule_lines(const rv_stage *stage, const rv_rule *rule, rv_scene *scene, rv_box box) {
    const rv_look *look = &stage->look;
    if (rule->judged) draw_mistake(stage, scene, rule->mistake, &box);
    const fit f = choose(rule, box, look->unit);
    const double row = ROW * f.size;
    if (rule->call[0] != '\0') {
        const rv_colour ink = rule->blamed ? look->bad : look->accent;
        put_row(scene, rv_cut_top(&box, row), f.size, ink, rule->call)->bold = true;
    }
    for (int i = 0; i < rule->n_lines && box.h >= 0.9 * row; i++) {
        const rv_rule_line *line = &rule->lines[i];
        if (is_left_out(line, &f)) continue;
        const bool last = box.h < 1.9 * row && i + 2 < rule->n_lines;
        rv_box place = rv_cut_top(&box, row);
        rv_item *text = put_row(scene, place, f.size, ink_of(look, rule, line),
                                last ? "..." : line->text + f.indent);
        text->bold = line->mark == RV_LINE_RETURNS && !last;
        if (line->numbers[0] == '\0' || last) continue;
        int indent = columns_of(line->text) + 3;
        if (f.below) {
            if (box.h < 0.9 * row) break;
            place = rv_cut_top(&box, row);
            indent = (int)strspn(line->text, " ");
        }
        rv_cut_left(&place, (indent - f.indent) * RV_MONO * f.size);
        const bool bad =
            rule->blamed && (line->mark == RV_LINE_RETURNS || line->mark == RV_LINE_PLAIN);
        put_row(scene, place, f.size, bad ? look->bad : look->accent, line->numbers);
    }
}

/* ------------------------------------------------------------------------------------- messages */

static void draw_messages(const rv_stage *stage, const rv_model *model, rv_scene *scene,
                          rv_box box) {
    enum { MOST = 64 };
    rs_transfer sent[MOST];
    const rs_schedule *s = model->schedule;
    const double size = fmin(stage->look.unit, fmax(0.7 * stage->look.unit, box.h / 1.3));
    int n = 0;
    if (s->max_sends <= MOST) n = s->sends(s, model->step, shown_gpu(stage), sent);
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
                    (int)shown_gpu(stage));
}

/* Tells whether the rank ever comes to the step: in a run that stalls it may not. */
static bool comes_to(const rv_model *model, int32_t rank) {
    const rs_report *report = model->report;
    if (report == NULL || report->outcome.completed) return true;
    return model->step < report->outcome.entered[rank];
}

/* -------------------------------------------------------------------------------------- the panel */

/* Writes what the panel shows; of several channels that are alike a rule speaks of the first. */
static void write_title(const rv_stage *stage, const rv_model *model, const rv_rule *rule,
                        bool live, char *out, size_t n_out) {
    const bool alike = model->schedule->sends_one != NULL;
    if (rule == NULL) {
        snprintf(out, n_out, "%s",
                 rv_is_own(&stage->playback.subject) ? _("Rule: your function")
                                                     : _("Rule: the schedule's own lines"));
    } else if (rule->is_own) {
        snprintf(out, n_out, "%s", _("Rule: your function"));
    } else if (live) {
        snprintf(out, n_out,
                 alike ? _("Rule for GPU %d in step %d, on channel 0")
                       : _("Rule for GPU %d in step %d"),
                 (int)shown_gpu(stage), (int)model->step);
        rv_name_ranks(model, out, n_out);
    } else {
        snprintf(out, n_out, "%s", _("Rule"));
    }
}

static rv_box open_panel(const rv_stage *stage, const rv_model *model, const rv_rule *rule,
                         bool live, rv_scene *scene, rv_box box) {
    const double u = stage->look.unit;
    /* the lines come first */
    const bool titled = box.h > (2.5 + 1.05 * (rule != NULL ? 2 : 1)) * u;
    char title[128];
    write_title(stage, model, rule, live, title, sizeof title);
    rv_box inside = rv_draw_panel(stage, scene, box, titled ? title : NULL);
    if (live && rv_is_lit(stage, shown_gpu(stage), -1)) {
        rv_outline(rv_scene_rect(scene, box, 0.5 * u, 0), stage->look.ink, 1.4 * stage->look.hair);
    }
    return inside;
}

static void draw(rv_stage *stage, rv_scene *scene, rv_box box) {
    const rv_shown_run shown = rv_main_run(stage), *run = &shown;
    const rv_model *model = run->model;
    const double u = stage->look.unit;
    const bool live = model->step >= 0 && model->step < model->n_steps && !run->hidden &&
                      comes_to(model, shown_gpu(stage));
    const rv_rule *found;
    if (rv_rule_of(model->rule, live ? model->step : -1, shown_gpu(stage), &found) != RS_OK)
        scene->failed = true;
    rv_box inside = open_panel(stage, model, found, live, scene, box);
    if (inside.w < 1 || inside.h < 1) return;
    if (found == NULL) {
        if (live) draw_messages(stage, model, scene, inside);
        return;
    }
    rv_rule rule = *found;
    const bool room = rule.lists || (!rule.is_own && inside.h > 4 * u);
    if (live && room && rule.call[0] != '\0') {
        const double rows = fmin(3, fmax(1, rule.n_sent));
        draw_messages(stage, model, scene, rv_cut_top(&inside, 1.4 * rows * u));
    }
    rv_shorten_rule(&rule, (int)fmax(1, inside.h / (ROW * 0.7 * u) - 1));
    rv_draw_rule_lines(stage, &rule, scene, inside);
}

/* Tells whether it is one line between signature and brace. */
static bool is_short(const rv_stage *stage) {
    const rv_rule *rule = NULL;
    rv_rule_of(stage->what_if->model->rule, -1, 0, &rule);
    return rule != NULL && !rule->is_own && rule->n_lines <= 3;
}

static const rv_stroke sign[] = {{RV_LINE, {-0.35, -0.7, -0.85, 0, 0.22}},
                                 {RV_LINE, {-0.85, 0, -0.35, 0.7, 0.22}},
                                 {RV_LINE, {0.35, -0.7, 0.85, 0, 0.22}},
                                 {RV_LINE, {0.85, 0, 0.35, 0.7, 0.22}},
                                 {0}};

const rv_panel rv_panel_rule = {.word = "rule",
                                .name = N_("Rule"),
                                .key = "r",
                                .help = N_("show the rule in C"),
                                .sign = sign,
                                .fits = rv_has_model,
                                .opens = rv_is_own,
                                .place = RV_PLACE_BESIDE,
                                .low = is_short,
                                .least = 4,
                                .weight = 1.5,
                                .own_weight = 4,
                                .draw = draw,
                                .lines = count_rule_lines,
                                .compose = compose_rule};
