/* bucket_questions.c: functions of data-parallel training: gradients cut into buckets, and when their
 * exchange is over. See value_questions.c.
 */
#include "grade/question.h"

#include <assert.h>
#include <math.h>

enum { MOST_LAYERS = 40 };

/* ------------------------------------------------------------------ make_buckets */

/* Question 0 has one layer; later ones have layers that fill a bucket exactly, or alone. */
void rc_make_buckets(rc_random *random, int i, rc_question *q) {
    const int n = i == 0 ? 1 : rc_random_in(random, 2, MOST_LAYERS);
    const int first = rc_random_in(random, 1, 100), limit = first + rc_random_in(random, 0, 300);
    rc_question_put(q, n);
    for (int k = 0; k < n; k++) {
        const int kind = rc_random_in(random, 0, 5);
        rc_question_put(q, kind == 0   ? limit
                           : kind == 1 ? first
                                       : rc_random_in(random, 1, limit / 2 + 10));
    }
    rc_question_put(q, first);
    rc_question_put(q, limit);
}

static int right_buckets(const rc_question *q, int bucket[]) {
    const int n = (int)q->in[0];
    const double first = q->in[1 + n], limit = q->in[2 + n];
    double held = 0;
    int now = 0;
    for (int i = n - 1; i >= 0; i--) {
        bucket[i] = now;
        held += q->in[1 + i];
        if (held < (now == 0 ? first : limit)) continue;
        now++;
        held = 0;
    }
    return bucket[0] + 1;
}

bool rc_judge_buckets(const rc_question *q, const double out[], int n_out, char why[RC_WHY]) {
    const int n = (int)q->in[0];
    int right[MOST_LAYERS] = {0};
    assert(n >= 1 && n <= MOST_LAYERS);
    const int n_buckets = right_buckets(q, right);
    for (int i = n - 1; i >= 0; i--) {
        const int answer = 1 + i < n_out ? rc_whole(out[1 + i]) : -1;
        if (answer == right[i]) continue;
        return rc_wrong(why,
                        _("%d layers, first %d, limit %d bytes: layer %d is in bucket %d, not %d"),
                        n, (int)q->in[1 + n], (int)q->in[2 + n], i, right[i], answer);
    }
    if (n_out == 1 + n && rc_whole(out[0]) == n_buckets) return true;
    return rc_wrong(why, _("%d layers: there are %d buckets; it returns %d"), n, n_buckets,
                    n_out > 0 ? rc_whole(out[0]) : 0);
}

/* ------------------------------------------------------------------ exchange_end */

/* By turns the exchange keeps up, falls behind, or does both. */
void rc_make_exchange(rc_random *random, int i, rc_question *q) {
    const int n = i == 0 ? 1 : rc_random_in(random, 2, 12);
    const int longest = i % 3 == 0 ? 5 : i % 3 == 1 ? 60 : 20;
    double ready = 0;
    rc_question_put(q, n);
    for (int b = 0; b < n; b++) rc_question_put(q, ready += rc_random_in(random, 1, 20));
    for (int b = 0; b < n; b++) rc_question_put(q, rc_random_in(random, 1, longest));
}

bool rc_judge_exchange(const rc_question *q, const double out[], int n_out, char why[RC_WHY]) {
    const int n = (int)q->in[0];
    double end = 0;
    for (int b = 0; b < n; b++) end = fmax(end, q->in[1 + b]) + q->in[1 + n + b];
    if (n_out == 1 && fabs(out[0] - end) <= 1e-9 * end) return true;
    return rc_wrong(
        why,
        _("%d buckets, the first ready after %g s and exchanged in %g s: it answers %.10g; the "
          "exchange is over after %g s"),
        n, q->in[1], q->in[1 + n], rc_single(out, n_out), end);
}

/* ------------------------------------------------------------------ 21: buckets_sent, join_calls */

/* Layer 0 is in the last bucket; of every third question's layers all are used. */
void rc_make_unused(rc_random *random, int i, rc_question *q) {
    const int n = i == 0 ? 1 : rc_random_in(random, 2, MOST_LAYERS);
    int bucket[MOST_LAYERS], now = 0;
    for (int k = n - 1; k >= 0; k--) {
        bucket[k] = now;
        if (k > 0) now += rc_random_in(random, 0, 2) == 0;
    }
    rc_question_put(q, n);
    for (int k = 0; k < n; k++) rc_question_put(q, bucket[k]);
    for (int k = 0; k < n; k++)
        rc_question_put(q, i % 3 == 0 || rc_random_in(random, 0, n / 2) > 0);
}

bool rc_judge_unused(const rc_question *q, const double out[], int n_out, char why[RC_WHY]) {
    const int n = (int)q->in[0];
    const double *bucket = q->in + 1, *used = bucket + n;
    int right = (int)bucket[0] + 1, last = -1; /* the unused layer whose bucket comes first */
    for (int k = 0; k < n; k++) {
        if (used[k] == 0 && bucket[k] < right) right = (int)bucket[k], last = k;
    }
    const int answer = n_out == 1 ? rc_whole(out[0]) : -1;
    if (answer == right) return true;
    return last < 0
               ? rc_wrong(why, _("%d layers, all used: the answer is %d, not %d"), n, right, answer)
               : rc_wrong(why,
                          _("%d layers: layer %d, in bucket %d, is not used: the answer is %d, not "
                            "%d"),
                          n, last, right, right, answer);
}

void rc_make_joined(rc_random *random, int i, rc_question *q) {
    const int n = i == 0 ? 1 : rc_random_in(random, 2, 9), usual = rc_random_in(random, 0, 30);
    rc_question_put(q, n);
    for (int r = 0; r < n; r++) rc_question_put(q, usual + rc_random_in(random, 0, 4));
    rc_question_put(q, rc_random_in(random, 1, 12));
    rc_question_put(q, rc_random_in(random, 0, n - 1));
}

bool rc_judge_joined(const rc_question *q, const double out[], int n_out, char why[RC_WHY]) {
    const int n = (int)q->in[0];
    double most = 0;
    for (int r = 0; r < n; r++) most = fmax(most, q->in[1 + r]);
    return rc_judge_number(q, out, n_out, (most - q->in[1 + (int)q->in[2 + n]]) * q->in[1 + n],
                           why);
}
