/* compose_rule.c: the rule (rule.h) in characters: each line with its names, its numbers and its value.
 *
 *     Rule    chunk = (rank - step) mod N = (3 - 1) mod 5 = 2
 */
#include "panels/draw.h"
#include "panels/own_code.h"
#include "panels/rule.h"
#include "terminal/compose.h"
#include "text/words.h"

#include <stdio.h>

enum { HEAD = 9 };

static rv_rule rule_of(const rv_composition *page) {
    const rv_model *model = page->playback->subject.model;
    rv_rule rule = {.n_lines = 0};
    const int32_t rank = page->playback->rank;
    const rs_outcome *outcome = &model->report->outcome;
    if (model->step < 0 || model->step >= model->n_steps || rv_is_hidden(page->playback)) {
        return rule;
    }
    if (!outcome->completed && model->step >= outcome->entered[rank])
        return rule; /* never comes to it */
    rv_rule_of(model->schedule, model->step, rank, &rule);
    return rule;
}

/* Finds the learner's function; false: there is none, or it is not the moment for it. */
static bool own_code(const rv_composition *page, rv_own_code *code) {
    const rv_model *model = page->playback->subject.model;
    const rs_report *report = model->report;
    const bool live =
        model->step >= 0 && model->step < model->n_steps && !rv_is_hidden(page->playback) &&
        (report->outcome.completed || model->step < report->outcome.entered[page->playback->rank]);
    return rv_own_code_of(model->schedule, report->judged ? &report->verdict : NULL,
                          live ? model->step : -1, page->playback->rank, code);
}

/* Writes the call, what is wrong with it, the lines. */
static void compose_own(const rv_composition *page, rv_own_code *code, int y, int n_lines) {
    const int width = page->width - HEAD;
    const rv_style head = code->blamed ? RV_WARNING : RV_BOLD;
    int used = 0;
    if (code->call[0] != '\0' && used < n_lines)
        rv_put_words(page->screen, HEAD, y + used++, width, head, code->call);
    if (code->mistake[0] != '\0' && used < n_lines)
        rv_put_words(page->screen, HEAD, y + used++, width, RV_WARNING, code->mistake);
    rv_shorten_own_code(code, n_lines - used);
    for (int i = 0; i < code->n_lines && used < n_lines; i++) {
        const rv_own_line *line = &code->lines[i];
        char text[2 * RV_OWN_TEXT + 8];
        snprintf(text, sizeof text, line->numbers[0] != '\0' ? "%s    %s" : "%s%s", line->text,
                 line->numbers);
        const rv_style ink = line->mark == RV_LINE_SKIPPED   ? RV_DIM
                             : line->mark != RV_LINE_RETURNS ? RV_PLAIN
                             : code->blamed                  ? RV_WARNING
                                                             : RV_BOLD;
        rv_put_words(page->screen, HEAD, y + used++, width, ink, text);
    }
}

int rv_rule_lines(rv_composition *page, int most) {
    rv_own_code code;
    if (own_code(page, &code)) {
        const int all = code.n_lines + (code.call[0] != '\0') + (code.mistake[0] != '\0');
        return all < most ? all : most;
    }
    const rv_rule rule = rule_of(page);
    const int wanted = rule.n_lines < 1 ? 1 : rule.n_lines;
    return wanted < most ? wanted : most;
}

void rv_compose_rule(const rv_composition *page, int y, int n_lines) {
    const rv_rule rule = rule_of(page);
    const int width = page->width - HEAD;
    if (n_lines > 0) rv_put_words(page->screen, 1, y, HEAD - 1, RV_DIM, _("Rule"));
    rv_own_code code;
    if (own_code(page, &code)) {
        compose_own(page, &code, y, n_lines);
        return;
    }
    if (n_lines > 0 && rule.n_lines < 1) {
        rv_put_words(page->screen, HEAD, y, width, RV_DIM, _("none at this moment"));
    }
    for (int i = 0; i < rule.n_lines && i < n_lines; i++) {
        const rv_rule_line *line = &rule.lines[i];
        char text[3 * RV_RULE_TEXT], value[32];
        rv_rule_value(line, value, sizeof value);
        snprintf(text, sizeof text, rv_is_condition(line) ? "%s: %s: %s: %s" : "%s = %s = %s = %s",
                 line->name, line->formula, line->numbers, value);
        rv_put_words(page->screen, HEAD, y + i, width, RV_PLAIN, text);
    }
}
