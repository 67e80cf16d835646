/* compose_rule.c: the rule (rule.h) in characters: each line with its names, its numbers and its value.
 *
 *     Rule    chunk = (rank - step) mod N = (3 - 1) mod 5 = 2
 */
#include "panels/draw.h"
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

int rv_rule_lines(rv_composition *page, int most) {
    const rv_rule rule = rule_of(page);
    const int wanted = rule.n_lines < 1 ? 1 : rule.n_lines;
    return wanted < most ? wanted : most;
}

void rv_compose_rule(const rv_composition *page, int y, int n_lines) {
    const rv_rule rule = rule_of(page);
    const int width = page->width - HEAD;
    if (n_lines > 0) rv_put_words(page->screen, 1, y, HEAD - 1, RV_DIM, _("Rule"));
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
