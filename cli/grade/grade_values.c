/* grade_values.c: grades the parts of a lab that are about single functions. Each has a run in the sandbox of
 * its own: one that never ends costs only its own points.
 */
#include "grade/grading.h"
#include "grade/value_questions.h"
#include "sandbox/answers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { QUESTION_TEXT = 1 << 18 };

static int read_numbers(const char *text, size_t n_bytes, double out[RC_MOST_NUMBERS]) {
    const char *at = text, *end = text + n_bytes;
    int n = 0;
    while (at < end && n < RC_MOST_NUMBERS) {
        char *next;
        const double number = strtod(at, &next);
        if (next == at || next > end) break;
        out[n++] = number;
        at = next + (next < end);
    }
    return n;
}

static void judge_values(const rc_value_check *check, const rc_question questions[],
                         const rc_exec_result *result, const rc_exec *limits, rc_part *out) {
    for (int i = 0; i < check->n_questions; i++) {
        const char *text;
        size_t n_bytes;
        char why[400];
        double numbers[RC_MOST_NUMBERS];
        if (!rc_answer(&result->answers, i, &text, &n_bytes)) {
            snprintf(out->why, RC_WHY, _("no answer to question %d: %.380s"), i + 1,
                     rc_no_answer_text(result, limits, why, sizeof why));
            return;
        }
        if (n_bytes >= 8 && memcmp(text, "missing\n", 8) == 0) {
            snprintf(out->why, RC_WHY, _("the file does not define %s()"), check->function);
            return;
        }
        const int n = read_numbers(text, n_bytes, numbers);
        if (!check->judge(&questions[i], numbers, n, out->why)) return;
        out->why[0] = '\0';
    }
    out->points = out->most;
}

rc_exit rc_grade_values(rc_grading *g, const rc_lab_part *part, rc_part *out) {
    const int found = rc_find_value_check(part->function);
    assert(found >= 0); /* lab.c refuses other names */
    const rc_value_check *check = &rc_value_checks[found];
    rc_question *questions = rs_alloc(g->arena, (size_t)check->n_questions, sizeof *questions);
    char *text = rs_alloc(g->arena, QUESTION_TEXT, 1);
    size_t at = 0;
    rc_exec_result result;
    rc_exec limits = rc_run_limits();
    limits.most_answers = 1 << 20;
    if (questions == NULL || text == NULL) {
        return rc_fail(g->error, RC_LACKS, _("no memory for the questions"));
    }
    for (int i = 0; i < check->n_questions; i++) {
        check->make(&g->random, i, &questions[i]);
        at += (size_t)snprintf(text + at, QUESTION_TEXT - at, "%s", check->function);
        for (int k = 0; k < questions[i].n && at + 64 < QUESTION_TEXT; k++) {
            at += (size_t)snprintf(text + at, QUESTION_TEXT - at, " %.17g", questions[i].in[k]);
        }
        at += (size_t)snprintf(text + at, QUESTION_TEXT - at, "\n");
    }
    const rc_exit status =
        rc_ask(&g->build, check->n_questions, text, &limits, g->arena, g->error, &result);
    if (status != RC_GOOD) return status;
    judge_values(check, questions, &result, &limits, out);
    out->seconds = result.wall_s;
    rc_keep_messages(g->grade, &result.out);
    rc_keep_messages(g->grade, &result.err);
    rc_exec_result_free(&result);
    return RC_GOOD;
}
