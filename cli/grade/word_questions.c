/* word_questions.c: the questions about MapReduce: whose is a word, and what becomes of its values?
 *
 * Any rule is right by which equal words meet on one GPU and each GPU gets about its share.
 */
#include "grade/question.h"

#include <assert.h>
#include <math.h>

enum { WORDS = 1200, AGAIN = 60, MOST_REDUCERS = 16 };

/* Words by chance, the ends of their type, and some of them again in another order: the answer must not depend on who asks,
   nor when. Each number of reducers up to 9 is asked for, and 16. */
void rc_make_reducer(rc_random *random, int i, rc_question *q) {
    static const double ends[] = {0, INT_MAX, INT_MIN, -1, INT_MIN + 1};
    enum { ENDS = sizeof ends / sizeof *ends };
    const bool no_negative = i % 3 == 1;
    rc_question_put(q, i < 9 ? 1 + i : i == 9 ? MOST_REDUCERS : rc_random_in(random, 4, 9));
    rc_question_put(q, WORDS + AGAIN);
    for (int k = 0; k < WORDS; k++) {
        const int any = rc_random_in(random, no_negative ? 0 : -1000000000, 1000000000);
        const double end = k < WORDS - ENDS ? -1 : ends[k - (WORDS - ENDS)];
        rc_question_put(q, k < WORDS - ENDS || (no_negative && end < 0) ? any : end);
    }
    for (int k = AGAIN - 1; k >= 0; k--) rc_question_put(q, q->in[2 + k]);
}

/* A rule that is right spreads words like chance, or more evenly: a load lies within 7 standard deviations of its share, but
   for one time in 10^8. Who leaves one out of 9 idle is 12 away from it. */
static bool is_fair(int load, int n) {
    const double share = (double)WORDS / n;
    return fabs(load - share) <= 7 * sqrt(share * (1 - 1.0 / n));
}

bool rc_judge_reducer(const rc_question *q, const double out[], int n_out, char why[RC_WHY]) {
    const int n = (int)q->in[0];
    int load[MOST_REDUCERS] = {0};
    assert(n >= 1 && n <= MOST_REDUCERS);
    for (int k = 0; k < WORDS + AGAIN; k++) {
        const int word = (int)q->in[2 + k];
        const double r = k < n_out ? out[k] : -1;
        if (!(r >= 0 && r < n)) {
            return rc_wrong(why, _("word %d: reducer %g; there are reducers 0..%d"), word, r,
                            n - 1);
        }
        if (k < WORDS) {
            load[(int)r]++;
        } else if (r != out[WORDS + AGAIN - 1 - k]) {
            return rc_wrong(why,
                            _("word %d: asked twice, it answers %g and %g; equal words must "
                              "meet on one GPU"),
                            word, out[WORDS + AGAIN - 1 - k], r);
        }
    }
    for (int r = 0; r < n; r++) {
        if (is_fair(load[r], n)) continue;
        return rc_wrong(why, _("%d words, %d reducers: reducer %d gets %d of them; share them out"),
                        WORDS, n, r, load[r]);
    }
    return true;
}

void rc_make_word_values(rc_random *random, int i, rc_question *q) {
    const int count = i < 4 ? 1 : rc_random_in(random, 2, 20), sign = rc_random_in(random, 0, 2);
    rc_question_put(q, i % 4);
    rc_question_put(q, count);
    for (int k = 0; k < count; k++) {
        rc_question_put(q, rc_random_in(random, sign == 1 ? 1 : -1000, sign == 2 ? -1 : 1000));
    }
}

bool rc_judge_word_values(const rc_question *q, const double out[], int n_out, char why[RC_WHY]) {
    static const char *const names[] = {"OP_SUM", "OP_COUNT", "OP_MAX", "OP_MIN"};
    const int op = (int)q->in[0], count = (int)q->in[1];
    char list[120] = "";
    size_t at = 0;
    double right = op < 2 ? 0 : q->in[2];
    for (int k = 0; k < count; k++) {
        const double value = q->in[2 + k];
        right = op == 0   ? right + value
                : op == 1 ? right + 1
                : op == 2 ? fmax(right, value)
                          : fmin(right, value);
        if (k < 8) at += (size_t)snprintf(list + at, sizeof list - at, " %.10g", value);
    }
    if (n_out == 1 && out[0] == right) return true;
    return rc_wrong(why, _("%s of%s%s: it answers %.10g; right is %.10g"), names[op], list,
                    count > 8 ? " ..." : "", rc_single(out, n_out), right);
}
