/* compose_rule.c: the rule (model/rule.h) in characters: the call, what is wrong with it, the lines with their numbers.
 *
 *     Rule    send_chunk(step = 1, rank = 3, n = 5) = 2
 *             int send_chunk(int step, int rank, int n) {
 *                 return (rank - step + 2 * n) % n;    (3 - 1 + 2 * 5) % 5 = 2
 *             }
 */
#include "model/rule.h"
#include "panels/draw.h"
#include "terminal/compose.h"
#include "text/words.h"

#include <stdio.h>

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

int rv_rule_lines(rv_composition *page, int most) {
    const rv_rule *rule = rule_of(page);
    const int all =
        rule == NULL ? 1 : rule->n_lines + (rule->call[0] != '\0') + (rule->mistake[0] != '\0');
    if (rule != NULL && !rule->is_own && most > MOST_LINES) most = MOST_LINES;
    return all < most ? all : most;
}

void rv_compose_rule(const rv_composition *page, int y, int n_lines) {
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
