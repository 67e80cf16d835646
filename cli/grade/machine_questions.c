/* machine_questions.c: flows on one wire; what a GPU keeps and sends when training is cut into shards. */
#include "grade/value_questions.h"

#include <math.h>

static bool is_near(double got, double right) {
    return fabs(got - right) <= 1e-6 * fabs(right);
}

/* ------------------------------------------------------------------ 16: flow_ends */

void rc_make_flows(rc_random *random, int i, rc_question *q) {
    const int n = i < 2 ? 2 : rc_random_in(random, 1, 8);
    rc_question_put(q, n);
    for (int f = 0; f < n; f++) {
        const bool twin = f > 0 && rc_random_in(random, 0, 3) == 0; /* as long as the one before */
        const double bytes = floor(pow(10, rc_random_real(random, 5, 9)));
        rc_question_put(q, i == 0 ? 5e7 : twin ? q->in[f] : bytes);
    }
    rc_question_put(q, floor(pow(10, rc_random_real(random, 9, 11))));
}

/* Flow f of n has moved min(its bytes, everybody's) of each: the wire is full all the time. */
static double end_of(const double bytes[], int n, int f, double bandwidth) {
    double moved = 0;
    for (int k = 0; k < n; k++) moved += fmin(bytes[k], bytes[f]);
    return moved / bandwidth;
}

bool rc_judge_flows(const rc_question *q, const double out[], int n_out, char why[RC_WHY]) {
    const int n = (int)q->in[0];
    const double *bytes = q->in + 1, bandwidth = q->in[1 + n];
    for (int f = 0; f < n; f++) {
        const double right = end_of(bytes, n, f, bandwidth);
        if (f < n_out && is_near(out[f], right)) continue;
        snprintf(why, RC_WHY,
                 _("%d flows at %g B/s: flow %d of %g bytes ends after %g s; it must be %.17g s"),
                 n, bandwidth, f, bytes[f], f < n_out ? out[f] : (double)NAN, right);
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------ 18: zero_kept, zero_sent */

void rc_make_shards(rc_random *random, int i, rc_question *q) {
    rc_question_put(q, i % 4);
    rc_question_put(q, i < 4 ? 8 : rc_random_in(random, 1, 64));
    rc_question_put(q, floor(pow(10, rc_random_real(random, 6, 11))));
}

static bool judge_shards(const rc_question *q, double right, const double out[], int n_out,
                         char why[RC_WHY]) {
    if (n_out == 1 && (is_near(out[0], right) || fabs(out[0] - right) < 1e-6)) return true;
    snprintf(why, RC_WHY, _("stage %d, %d GPUs, %g: it answers %g; right is %.17g"), (int)q->in[0],
             (int)q->in[1], q->in[2], n_out == 1 ? out[0] : (double)NAN, right);
    return false;
}

bool rc_judge_kept(const rc_question *q, const double out[], int n_out, char why[RC_WHY]) {
    const int stage = (int)q->in[0];
    const double n = q->in[1];
    const double weights = stage < 3 ? 2 : 2 / n, gradients = stage < 2 ? 2 : 2 / n,
                 optimizer = stage < 1 ? 12 : 12 / n;
    return judge_shards(q, (weights + gradients + optimizer) * q->in[2], out, n_out, why);
}

bool rc_judge_sent(const rc_question *q, const double out[], int n_out, char why[RC_WHY]) {
    const double n = q->in[1], halves = q->in[0] < 3 ? 2 : 3;
    return judge_shards(q, halves * (n - 1) / n * q->in[2], out, n_out, why);
}
