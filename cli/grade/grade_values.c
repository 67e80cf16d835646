/* grade_values.c: grades the parts of a lab that are about single functions. Each has a run in the sandbox of
 * its own: one that never ends costs only its own points.
 */
#include "grade/grading.h"
#include "grade/question.h"
#include "sandbox/answers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { QUESTION_TEXT = 1 << 19, MOST_ANSWERS = 16 << 20 };

static int read_numbers(const rc_answer *answer, double out[RC_MOST_NUMBERS]) {
    int n = 0;
    for (; n < RC_MOST_NUMBERS && n < answer->n && answer->rows[n][0] == RS_ANSWER_NUMBER; n++)
        memcpy(&out[n], answer->rows[n] + 1, sizeof out[n]);
    return n;
}

static void judge_values(const rc_value_check *check, const rc_question questions[],
                         const rc_exec_result *result, const rc_exec *limits, const char *source,
                         rc_part *out) {
    for (int i = 0; i < rc_count_questions(check); i++) {
        rc_answer answer;
        char why[400];
        double numbers[RC_MOST_NUMBERS];
        if (!rc_find_answer(&result->answers, i, &answer)) {
            snprintf(out->why, RC_WHY, _("no answer to question %d: %.380s"), i + 1,
                     rc_no_answer_text(result, limits, why, sizeof why));
            return;
        }
        if (rc_is_missing(&answer)) {
            char defined[160];
            snprintf(out->why, RC_WHY, _("the file does not define %s()%s"), check->function,
                     rc_defined_text(source, defined, sizeof defined));
            return;
        }
        const int n = read_numbers(&answer, numbers);
        if (!check->judge(&questions[i], numbers, n, out->why)) return;
        out->why[0] = '\0';
    }
    out->points = out->most;
}

/* Writes the questions as the driver reads them; backwards: the last one first. */
static void write_questions(const rc_value_check *check, const rc_question questions[],
                            bool backwards, char text[QUESTION_TEXT]) {
    size_t at = 0;
    for (int i = 0; i < rc_count_questions(check); i++) {
        const rc_question *q = &questions[backwards ? rc_count_questions(check) - 1 - i : i];
        at += (size_t)snprintf(text + at, QUESTION_TEXT - at, "%s", check->function);
        for (int k = 0; k < q->n && at + 64 < QUESTION_TEXT; k++) {
            at += (size_t)snprintf(text + at, QUESTION_TEXT - at, " %.17g", q->in[k]);
        }
        at += (size_t)snprintf(text + at, QUESTION_TEXT - at, "\n");
    }
}

/* Asks another process, the last question first: who counts calls or remembers answers cannot give the
   same. */
static rc_exit ask_again(rc_grading *g, const rc_value_check *check, const rc_question questions[],
                         const rc_exec_result *first, char text[QUESTION_TEXT], rc_part *out) {
    rc_exec_result again;
    rc_exec limits = rc_run_limits();
    limits.most_answers = MOST_ANSWERS;
    write_questions(check, questions, true, text);
    const rc_exit status =
        rc_ask(&g->build, rc_count_questions(check), text, &limits, g->arena, g->error, &again);
    if (status != RC_GOOD) return status;
    for (int i = 0; i < rc_count_questions(check) && out->points > 0; i++) {
        rc_answer one, other;
        if (rc_find_answer(&first->answers, i, &one) &&
            rc_find_answer(&again.answers, rc_count_questions(check) - 1 - i, &other) &&
            one.n == other.n &&
            memcmp(one.rows, other.rows, (size_t)one.n * sizeof *one.rows) == 0) {
            continue;
        }
        out->points = 0;
        snprintf(
            out->why, RC_WHY,
            _("question %d: asked once more, in another order, %s() answers otherwise; it must "
              "answer from its arguments alone"),
            i + 1, check->function);
    }
    rc_exec_result_free(&again);
    return RC_GOOD;
}

rc_exit rc_grade_values(rc_grading *g, const rc_lab_part *part, rc_part *out) {
    const int found = rc_find_value_check(part->function);
    assert(found >= 0); /* lab.c refuses other names */
    const rc_value_check *check = &rc_value_checks[found];
    rc_question *questions =
        rs_alloc(g->arena, (size_t)rc_count_questions(check), sizeof *questions);
    char *text = rs_alloc(g->arena, QUESTION_TEXT, 1);
    rc_exec_result result;
    rc_exec limits = rc_run_limits();
    limits.most_answers = MOST_ANSWERS;
    if (questions == NULL || text == NULL) return rc_no_memory(g->error);
    for (int i = 0; i < rc_count_questions(check); i++) {
        rc_make_question(check, &g->random, i, &questions[i]);
    }
    write_questions(check, questions, false, text);
    rc_exit status =
        rc_ask(&g->build, rc_count_questions(check), text, &limits, g->arena, g->error, &result);
    if (status != RC_GOOD) return status;
    judge_values(check, questions, &result, &limits, g->text, out);
    out->seconds = result.wall_s;
    if (out->points > 0) status = ask_again(g, check, questions, &result, text, out);
    rc_keep_printed(g->grade, &result);
    rc_exec_result_free(&result);
    return status;
}
