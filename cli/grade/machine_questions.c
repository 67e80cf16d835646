/* machine_questions.c: nccl-tests' two bandwidths; flows on one wire; what a GPU keeps and sends when training is cut into
 * shards; NCCL's tuning table. */
#include "grade/question.h"

#include <math.h>

static bool is_near(double got, double right) {
    return fabs(got - right) <= 1e-6 * fabs(right);
}

/* ------------------------------------------------------------------ 15: algbw, busbw */

void rc_make_algbw(rc_random *random, int i, rc_question *q) {
    (void)i;
    rc_question_put(q, floor(pow(10, rc_random_real(random, 3, 10))));
    rc_question_put(q, rc_random_real(random, 1e-5, 1e-1));
}
bool rc_judge_algbw(const rc_question *q, const double out[], int n_out, char why[RC_WHY]) {
    return rc_judge_number(q, out, n_out, q->in[0] / q->in[1], why);
}
void rc_make_busbw(rc_random *random, int i, rc_question *q) {
    rc_question_put(q, i == 0 ? 2 : rc_random_in(random, 2, 64));
    rc_make_algbw(random, i, q);
}
bool rc_judge_busbw(const rc_question *q, const double out[], int n_out, char why[RC_WHY]) {
    const double n = q->in[0];
    return rc_judge_number(q, out, n_out, q->in[1] / q->in[2] * 2 * (n - 1) / n, why);
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
        return rc_wrong(
            why, _("%d flows at %g B/s: flow %d of %g bytes ends after %g s; it must be %.17g s"),
            n, bandwidth, f, bytes[f], f < n_out ? out[f] : (double)NAN, right);
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
    return rc_wrong(why, _("stage %d, %d GPUs, %g: it answers %g; right is %.17g"), (int)q->in[0],
                    (int)q->in[1], q->in[2], rc_single(out, n_out), right);
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

/* ------------------------------------------------------------------ 20: choose_way, bus_factor */

enum { N_WAYS = 6 };

/* As in a log: a latency and a bandwidth a way, both to a tenth; some ways are switched off. The first questions are the
   lesson's own row. */
void rc_make_ways(rc_random *random, int i, rc_question *q) {
    static const double latency_us[N_WAYS] = {25.2, 48.5, 92.4, 40, 75.2, 131.6};
    static const double GBps[N_WAYS] = {19.5, 155.2, 165.6, 20.8, 176.6, 192};
    const int n = i < 4 ? N_WAYS : rc_random_in(random, 1, N_WAYS);
    const int on = rc_random_in(random, 0, n - 1);
    double ways[2][N_WAYS];
    for (int w = 0; w < n; w++) {
        const bool off = w != on && rc_random_in(random, 0, 3) == 0;
        ways[0][w] = i < 4 ? latency_us[w] : rc_random_in(random, 60, 2000) / 10.0;
        ways[1][w] = i < 4 ? GBps[w] : off ? 0 : rc_random_in(random, 10, 4000) / 10.0;
        if (i >= 4 && off && rc_random_in(random, 0, 1) == 0) ways[0][w] = 0;
    }
    rc_question_put(q, n);
    for (int w = 0; w < n; w++) rc_question_put(q, ways[0][w]);
    for (int w = 0; w < n; w++) rc_question_put(q, ways[1][w]);
    rc_question_put(q, i < 4 ? ldexp(1024, 8 * i) : floor(pow(10, rc_random_real(random, 3, 10))));
}

/* Microseconds; infinite: it is switched off. */
static double way_us(const rc_question *q, int way) {
    const int n = (int)q->in[0];
    const double GBps = q->in[1 + n + way];
    return GBps > 0 ? q->in[1 + way] + q->in[1 + 2 * n] / GBps / 1000 : (double)INFINITY;
}

bool rc_judge_way(const rc_question *q, const double out[], int n_out, char why[RC_WHY]) {
    const int n = (int)q->in[0];
    int best = 0;
    for (int w = 1; w < n; w++) best = way_us(q, w) < way_us(q, best) ? w : best;
    const bool is_way = n_out == 1 && out[0] >= 0 && out[0] < n && out[0] == floor(out[0]);
    const int way = is_way ? (int)out[0] : -1;
    if (way >= 0 && way_us(q, way) <= way_us(q, best) * (1 + 1e-9)) return true;
    const double bytes = q->in[1 + 2 * n];
    if (way < 0) return rc_wrong(why, _("%d ways, %g bytes: there is no such way"), n, bytes);
    if (q->in[1 + n + way] <= 0)
        return rc_wrong(why, _("%d ways, %g bytes: it answers way %d, which is switched off"), n,
                        bytes, way);
    return rc_wrong(why,
                    _("%d ways, %g bytes: it answers way %d, of %.1f us; way %d takes %.1f us"), n,
                    bytes, way, way_us(q, way), best, way_us(q, best));
}

void rc_make_factor(rc_random *random, int i, rc_question *q) {
    rc_question_put(q, i % 5);
    rc_question_put(q, i < 5 ? 8 : rc_random_in(random, 2, 64));
}

bool rc_judge_factor(const rc_question *q, const double out[], int n_out, char why[RC_WHY]) {
    static const double arrays[5] = {2, 1, 1, 0, 0}; /* parts of (n - 1) / n; 0: all of it once */
    const double n = q->in[1], parts = arrays[(int)q->in[0]];
    return rc_judge_number(q, out, n_out, parts > 0 ? parts * (n - 1) / n : 1, why);
}
