/* value_questions.c: asks single functions random questions, and judges whether the answers are right.
 *
 *     make: numbers for question i --> the function in the sandbox --> judge: right? if not, what would be
 *
 *   - The judge computes the right answer from the question, after the program has ended.
 *   - Where several answers are right (how to cut an array, in which order to stand), any of them is.
 *   - To add one: two functions and a line in the table here; its prototype in lessons/ring.h; how it
 *     is called in lessons/driver/ask_values.c, and a row of sim/interpret/questions.c.
 */
#include "grade/question.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

static bool close_to(double a, double b) {
    return fabs(a - b) <= 1e-9 * fabs(b);
}

bool rc_wrong(char why[RC_WHY], const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, RC_WHY, format, arguments);
    va_end(arguments);
    return false;
}

bool rc_judge_number(const rc_question *q, const double out[], int n_out, double right,
                     char why[RC_WHY]) {
    char numbers[200] = "";
    size_t at = 0;
    if (n_out == 1 && (close_to(out[0], right) || (isnan(out[0]) && isnan(right)))) return true;
    for (int i = 0; i < q->n && i < 8; i++) {
        at += (size_t)snprintf(numbers + at, sizeof numbers - at, "%s%g", i > 0 ? _(", ") : "",
                               q->in[i]);
    }
    return rc_wrong(why, _("for (%s) it answers %.10g; right is %.10g"), numbers,
                    rc_single(out, n_out), right);
}

/* Defines a judge of a single number: `right`, of the question's numbers in[]. */
#define JUDGE_NUMBER(name, right)                                                                  \
    static bool name(const rc_question *q, const double out[], int n_out, char why[RC_WHY]) {      \
        const double *in = q->in;                                                                  \
        return rc_judge_number(q, out, n_out, right, why);                                         \
    }

/* Writes what was asked with, its beginning where it is long. */
static const char *list_numbers(const double in[], int n, char *out, size_t n_out) {
    enum { MOST = 10, WIDEST = 24 };
    size_t at = 0;
    out[0] = '\0';
    for (int i = 0; i < n && at + WIDEST < n_out; i++) {
        if (i == MOST) return strcpy(out + at, ", ..."), out;
        at += (size_t)snprintf(out + at, n_out - at, "%s%.10g", i > 0 ? ", " : "", in[i]);
    }
    return out;
}

/* ------------------------------------------------------------------ 1: average */

static void make_average(rc_random *random, int i, rc_question *q) {
    const int n = i < 2 ? i + 1 : rc_random_in(random, 2, 9);
    rc_question_put(q, n);
    for (int r = 0; r < n; r++) rc_question_put(q, rc_random_in(random, -16, 16) / 4.0);
    for (int r = 0; r < n; r++) rc_question_put(q, rc_random_in(random, r == 0 ? 1 : 0, 40));
}
static bool judge_average(const rc_question *q, const double out[], int n_out, char why[RC_WHY]) {
    const int n = (int)q->in[0];
    double sum = 0, samples = 0;
    for (int r = 0; r < n; r++) {
        sum += q->in[1 + r] * q->in[1 + n + r];
        samples += q->in[1 + n + r];
    }
    const double right = sum / samples;
    if (n_out == 1 && fabs(out[0] - right) <= 1e-9) return true;
    char grads[120], counts[120];
    return rc_wrong(
        why, _("grads {%s}, samples {%s}: it answers %.10g; the mean over all samples is %.10g"),
        list_numbers(q->in + 1, n, grads, sizeof grads),
        list_numbers(q->in + 1 + n, n, counts, sizeof counts), rc_single(out, n_out), right);
}

/* ------------------------------------------------------------------ 2: sampler_indices */

static void make_sampler(rc_random *random, int i, rc_question *q) {
    const int world = rc_random_in(random, i % 4 == 0 ? 4 : 1, 9);
    rc_question_put(q,
                    i % 4 == 0 ? rc_random_in(random, 1, world - 1) : rc_random_in(random, 1, 100));
    rc_question_put(q, world);
    rc_question_put(q, rc_random_in(random, 0, world - 1));
}
static bool judge_sampler(const rc_question *q, const double out[], int n_out, char why[RC_WHY]) {
    const int len = (int)q->in[0], world = (int)q->in[1], rank = (int)q->in[2];
    const int count = (len + world - 1) / world;
    if (n_out < 1 || rc_whole(out[0]) != count || n_out != count + 1) {
        return rc_wrong(why, _("%d samples, %d ranks: rank %d gets %d indices, not %d"), len, world,
                        rank, count, n_out > 0 ? rc_whole(out[0]) : 0);
    }
    for (int j = 0; j < count; j++) {
        const int right = (rank + j * world) % len;
        if (rc_whole(out[1 + j]) == right) continue;
        return rc_wrong(why, _("%d samples, %d ranks: index number %d of rank %d is %d, not %d"),
                        len, world, j, rank, right, rc_whole(out[1 + j]));
    }
    return true;
}

/* ------------------------------------------------------------------ 4: reduce, naive_seconds */

static void make_reduce(rc_random *random, int i, rc_question *q) {
    const int n = i == 0 ? 1 : rc_random_in(random, 2, 9), count = rc_random_in(random, 1, 20);
    rc_question_put(q, n);
    rc_question_put(q, count);
    for (int k = 0; k < n * count; k++) rc_question_put(q, rc_random_in(random, -1000, 1000));
}
static bool judge_reduce(const rc_question *q, const double out[], int n_out, char why[RC_WHY]) {
    const int n = (int)q->in[0], count = (int)q->in[1];
    for (int k = 0; k < count; k++) {
        double right = 0;
        for (int r = 0; r < n; r++) right += q->in[2 + r * count + k];
        if (k < n_out && rc_whole(out[k]) == (int)right) continue;
        double column[RC_MOST_NUMBERS];
        char numbers[120];
        for (int r = 0; r < n; r++) column[r] = q->in[2 + r * count + k];
        return rc_wrong(why, _("%d arrays of %d numbers: sum[%d] of {%s} is %d, not %d"), n, count,
                        k, list_numbers(column, n, numbers, sizeof numbers), (int)right,
                        k < n_out ? rc_whole(out[k]) : 0);
    }
    return true;
}

/* N, bytes, alpha, bandwidth, as one meets them in practice. */
static void make_times(rc_random *random, int i, rc_question *q) {
    const int n = i == 0 ? 2 : rc_random_in(random, 2, 64);
    rc_question_put(q, i == 2 ? 1 : n);
    rc_question_put(q, floor(pow(10, rc_random_real(random, 3, 10))));
    rc_question_put(q, i % 5 == 1 ? 0 : rc_random_in(random, 1, 50) * 1e-6);
    rc_question_put(q, rc_random_in(random, 1, 400) * 1e9);
}
JUDGE_NUMBER(judge_naive, 2 * (in[0] - 1) * (in[2] + in[1] / in[3]))

/* ------------------------------------------------------------------ 6: chunk_range */

static void make_range(rc_random *random, int i, rc_question *q) {
    const int n = rc_random_in(random, 1, 12);
    rc_question_put(q, i == 0 ? 10 : i < 4 ? i - 1 : rc_random_in(random, 0, 200));
    rc_question_put(q, i == 0 ? 4 : n);
}
static bool judge_range(const rc_question *q, const double out[], int n_out, char why[RC_WHY]) {
    const int count = (int)q->in[0], n = (int)q->in[1], least = count / n, rest = count % n;
    int64_t next = 0;
    int n_longer = 0;
    for (int c = 0; c < n; c++) {
        const bool told = 2 * c + 1 < n_out;
        const int first = told ? rc_whole(out[2 * c]) : -1;
        const int length = told ? rc_whole(out[2 * c + 1]) : -1;
        const int64_t more = (int64_t)length - least;
        if (first == -1 && length == -1)
            return rc_wrong(
                why, _("count %d, n %d: chunk %d: nothing is written into *first and *length"),
                count, n, c);
        if (first != next)
            return rc_wrong(why, _("count %d, n %d: chunk %d begins at %d; it should begin at %d"),
                            count, n, c, first, (int)next);
        if (more != 0 && more != 1)
            return rc_wrong(
                why,
                _("count %d, n %d: chunk %d has a length of %d; %d / %d is %d, rest %d: each has %d, and %d of them one more"),
                count, n, c, length, count, n, least, rest, least, rest);
        next += length;
        n_longer += (int)more;
    }
    return n_longer == rest ||
           rc_wrong(
               why,
               _("count %d, n %d: together the chunks hold %lld; %d / %d is %d, rest %d: each has %d, and %d of them one more"),
               count, n, (long long)next, count, n, least, rest, least, rest);
}

/* ------------------------------------------------------------------ 7: ring_seconds, half_latency_bytes */

static double ring_time(const double in[]) {
    return 2 * (in[0] - 1) * (in[2] + in[1] / (in[0] * in[3]));
}
JUDGE_NUMBER(judge_ring, ring_time(in))
static void make_half(rc_random *random, int i, rc_question *q) {
    rc_question_put(q, i == 0 ? 2 : rc_random_in(random, 2, 64));
    rc_question_put(q, rc_random_in(random, 1, 50) * 1e-6);
    rc_question_put(q, rc_random_in(random, 1, 400) * 1e9);
}
JUDGE_NUMBER(judge_half, in[0] * in[1] * in[2])

/* ------------------------------------------------------------------ 9: choose */

static int levels_of(double n) {
    int levels = 0;
    while ((1 << levels) < (int)n) levels++;
    return levels;
}
static double tree_time(const double in[]) {
    return 2 * levels_of(in[0]) * (in[2] + in[1] / in[3]);
}
/* Takes sizes on both sides of where tree and ring take the same time: for each n just so far that the better one is 6 % faster,
   then anywhere. In x = bytes / (alpha bandwidth) the tree takes L (1 + x) and the ring (n - 1) (1 + x / n). */
static double size_at(double n, double levels, double tree_over_ring) {
    const double turns = tree_over_ring * (n - 1);
    return (turns - levels) / (levels - turns / n);
}
static void make_choose(rc_random *random, int i, rc_question *q) {
    enum { LEAST = 3, MOST = 64 };
    const bool close = i < 2 * (MOST - LEAST + 1);
    const double n = close ? LEAST + i / 2 : rc_random_in(random, LEAST, MOST),
                 alpha = rc_random_in(random, 1, 50) * 1e-6;
    const double bandwidth = rc_random_in(random, 1, 400) * 1e9;
    const double anywhere = n * pow(10, rc_random_real(random, -2, 2)),
                 there = size_at(n, levels_of(n), i % 2 == 0 ? 1.06 : 1 / 1.06);
    rc_question_put(q, n);
    rc_question_put(q, floor(alpha * bandwidth * (close && there > 0 ? there : anywhere)) + 1);
    rc_question_put(q, alpha);
    rc_question_put(q, bandwidth);
}
static bool judge_choose(const rc_question *q, const double out[], int n_out, char why[RC_WHY]) {
    const double times[2] = {tree_time(q->in), ring_time(q->in)};
    const int answer = n_out == 1 && (out[0] == 0 || out[0] == 1) ? rc_whole(out[0]) : -1;
    if (answer >= 0 && times[answer] <= 1.05 * fmin(times[0], times[1])) return true;
    return rc_wrong(
        why,
        _("%g GPUs, %g bytes, alpha %g s, %g B/s: it answers %d; the tree takes %.3g s, "
          "the ring %.3g s"),
        q->in[0], q->in[1], q->in[2], q->in[3], n_out == 1 ? rc_whole(out[0]) : -1, times[0],
        times[1]);
}

/* ------------------------------------------------------------------ 10: ranks on nodes */

static void make_place(rc_random *random, int i, rc_question *q) {
    const int per = 1 << rc_random_in(random, 0, 2), here = rc_random_in(random, 1, 4);
    const int nodes = rc_random_in(random, 1, 6), gpus = per * here;
    (void)i;
    rc_question_put(q, rc_random_in(random, 0, nodes * here - 1));
    rc_question_put(q, gpus);
    rc_question_put(q, per);
}
static void make_world(rc_random *random, int i, rc_question *q) {
    const int per = 1 << rc_random_in(random, 0, 2);
    (void)i;
    rc_question_put(q, rc_random_in(random, 1, 8));
    rc_question_put(q, per * rc_random_in(random, 1, 4));
    rc_question_put(q, per);
}
JUDGE_NUMBER(judge_world, in[0] * in[1] / in[2])
static int here_of(const double in[]) {
    return (int)in[1] / (int)in[2];
}
JUDGE_NUMBER(judge_node, (int)in[0] / here_of(in))
JUDGE_NUMBER(judge_local, (int)in[0] % here_of(in))
JUDGE_NUMBER(judge_gpu, (int)in[0] % here_of(in) * in[2])

/* ------------------------------------------------------------------ 11: plan_calls */

static void make_calls(rc_random *random, int i, rc_question *q) {
    const int n = i == 0 ? 1 : rc_random_in(random, 2, 9), usual = rc_random_in(random, 1, 30);
    rc_question_put(q, n);
    for (int r = 0; r < n; r++)
        rc_question_put(q, usual + (i % 3 == 0 ? 0 : rc_random_in(random, 0, 3)));
}
static bool judge_calls(const rc_question *q, const double out[], int n_out, char why[RC_WHY]) {
    const int n = (int)q->in[0];
    int most = 0;
    for (int r = 0; r < n; r++) most = q->in[1 + r] > most ? (int)q->in[1 + r] : most;
    for (int r = 0; r < n; r++) {
        const int calls = r < n_out ? rc_whole(out[r]) : 0;
        if (calls == most && r < n_out) continue;
        char batches[120];
        list_numbers(q->in + 1, n, batches, sizeof batches);
        if (r > 0 && calls != rc_whole(out[0])) {
            return rc_wrong(
                why,
                _("batches {%s}: rank %d calls it %d times, rank 0 %d times: somebody waits for ever"),
                batches, r, calls, rc_whole(out[0]));
        }
        return rc_wrong(why,
                        _("batches {%s}: rank %d calls it %d times; the longest has %d batches"),
                        batches, r, calls, most);
    }
    return true;
}

/* ------------------------------------------------------------------ 13: ring_order */

/* By turns only the link 0 -> 1 is slow; a third of the links are; every link has a time of its own, so that
   the ring with the least time in all need not be the one whose slowest link is fastest. */
static void make_order(rc_random *random, int i, rc_question *q) {
    const int usual = rc_random_in(random, 4, 7);
    const int n = i == 3 ? 8 : i == 5 ? 9 : i == 7 ? 3 : usual;
    rc_question_put(q, n);
    for (int k = 0; k < n * n; k++) {
        int seconds = 1;
        if (i % 3 == 0 && k == 1) seconds = rc_random_in(random, 2, 10);
        if (i % 3 == 1 && rc_random_in(random, 0, 2) == 0) seconds = rc_random_in(random, 2, 10);
        if (i % 3 == 2) seconds = rc_random_in(random, 1, 30);
        rc_question_put(q, seconds);
    }
}
static double slowest_link(const rc_question *q, const int order[], int n) {
    double slowest = 0;
    for (int i = 0; i < n; i++) {
        const double t = q->in[1 + order[i] * n + order[(i + 1) % n]];
        if (t > slowest) slowest = t;
    }
    return slowest;
}
/* Tries every order that begins with GPU 0. */
static double best_order(const rc_question *q, int order[], int at, int n) {
    double best = INFINITY;
    if (at == n) return slowest_link(q, order, n);
    for (int i = at; i < n; i++) {
        const int swapped = order[i];
        order[i] = order[at];
        order[at] = swapped;
        best = fmin(best, best_order(q, order, at + 1, n));
        order[at] = order[i];
        order[i] = swapped;
    }
    return best;
}
static bool judge_order(const rc_question *q, const double out[], int n_out, char why[RC_WHY]) {
    const int n = (int)q->in[0];
    int order[16], all[16];
    assert(n >= 1 && n < 16);
    unsigned seen = 0;
    for (int i = 0; i < n; i++) {
        order[i] = i < n_out && out[i] >= 0 && out[i] < n ? rc_whole(out[i]) : n;
        seen |= 1u << order[i];
        all[i] = i;
    }
    if (seen != (1u << n) - 1) {
        return rc_wrong(why, _("%d GPUs: each must stand in the ring once"), n);
    }
    const double best = best_order(q, all, 1, n), got = slowest_link(q, order, n);
    if (got <= best) return true;
    return rc_wrong(why,
                    _("%d GPUs: its slowest link takes %g s; there is a ring where it takes %g s"),
                    n, got, best);
}

/* ------------------------------------------------------------------ 14: ring_sum */

static void make_sum(rc_random *random, int i, rc_question *q) {
    static const double demo[4] = {1e8, 1, -1e8, 1};
    const int n = i < 4 ? 4 : rc_random_in(random, 2, 16);
    rc_question_put(q, n);
    rc_question_put(q, i < 4 ? i : rc_random_in(random, 0, n - 1));
    for (int r = 0; r < n; r++) {
        const double x = rc_random_real(random, -1, 1) * pow(10, rc_random_in(random, 0, 8));
        rc_question_put(q, i < 4 ? demo[r] : (double)(float)x);
    }
}
static bool judge_sum(const rc_question *q, const double out[], int n_out, char why[RC_WHY]) {
    const int n = (int)q->in[0], chunk = (int)q->in[1];
    float right = (float)q->in[2 + chunk];
    for (int k = 1; k < n; k++) right = right + (float)q->in[2 + (chunk + k) % n];
    if (n_out == 1 && (float)out[0] == right) return true;
    char numbers[240];
    return rc_wrong(why,
                    _("x {%s}, chunk %d: it answers %.9g; in the ring's order the sum is %.9g"),
                    list_numbers(q->in + 2, n, numbers, sizeof numbers), chunk,
                    rc_single(out, n_out), (double)right);
}

/* ------------------------------------------------------------------ 14: keeps_order */

/* A size against itself, one chunk element more, two more. */
static void make_keeps(rc_random *random, int i, rc_question *q) {
    const int n = i < 4 ? 4 : rc_random_in(random, 1, 16), chunk = rc_random_in(random, 1, 40);
    rc_question_put(q, n);
    rc_question_put(q, n * chunk);
    rc_question_put(q, n * (chunk + i % 3));
    rc_question_put(q, rc_random_in(random, 0, n * chunk - 1));
}
JUDGE_NUMBER(judge_keeps, rc_whole(in[3]) / (rc_whole(in[1]) / rc_whole(in[0])) ==
                              rc_whole(in[3]) / (rc_whole(in[2]) / rc_whole(in[0])))

/* ------------------------------------------------------------------ 14: what_to_set */

/* The same size, two of one channel each, two of more. */
static void make_setting(rc_random *random, int i, rc_question *q) {
    const int count = rc_random_in(random, 1, 100000), most = i % 3 == 1 ? 1 : 24;
    const int channels = rc_random_in(random, 1, most);
    rc_question_put(q, rc_random_in(random, 2, i % 5 == 4 ? 2 : 16));
    rc_question_put(q, count);
    rc_question_put(q, i % 3 == 0 ? count : count + rc_random_in(random, 1, 1000));
    rc_question_put(q, channels);
    rc_question_put(q, i % 3 == 0 ? channels : rc_random_in(random, channels, most));
}
JUDGE_NUMBER(judge_setting, in[0] <= 2 || in[1] == in[2] ? 0 : in[3] == 1 && in[4] == 1 ? 1 : 2)

/* ------------------------------------------------------------------ all functions */

/* The last of a row are the questions that decide: ends of each type, zeros, ties, one rank, more ranks than work, counts at
   which products of int or sums of float no longer hold.

   - A right answer needs a step an element at the most: none of the numbers is a number of turns.
   - What no right answer could compute in its type is not asked: sums and products of the given formulas fit. */
#define INT_LEAST "-2147483648"
#define INT_MOST "2147483647"
#define FLOATS_END "16777217" /* 2^24 + 1: no float */
#define PLACES "0 1 1;0 8 8;7 8 8;4 12 3;3 12 3;11 9 3;8 9 3;799999 8 1;1000000 6 2;5 6 6;"
#define SHARDS                                                                                     \
    "0 1 1e9;1 1 1e9;2 1 1e9;3 1 1e9;0 3 1;1 3 1;2 3 1;3 3 1;"                                     \
    "0 1024 1e12;1 1024 1e12;2 1024 1e12;3 1024 1e12;"

const rc_value_check rc_value_checks[] = {
    {"average", 20, make_average, judge_average,
     "1 0.5 " INT_MOST ";3 1.5 -2.5 0.25 0 3 0;2 1 3 2147483600 47;4 -1*4 0 0 0 1;2 4 -4 0 40;"
     "64 0.125*63 7 1*63 2147483584;3 0*3 5*3;"},
    {"sampler_indices", 60, make_sampler, judge_sampler,
     "1 1 0;1 64 63;3 8 7;5 100 99;8 8 7;9 3 2;10 3 2;2 5 4;2000 2 1;2000 1999 1998;7 6 5;"},
    {"reducer_of", 20, rc_make_reducer, rc_judge_reducer, ""},
    {"reduce_values", 60, rc_make_word_values, rc_judge_word_values,
     "0 1 " INT_LEAST ";0 3 " INT_MOST " " INT_LEAST " 5;0 3 " FLOATS_END
     "*3;0 3 0*3;0 1000 -2*1000;"
     "1 1 " INT_LEAST ";1 3 0*3;1 1000 3*1000;2 1 " INT_LEAST ";2 2 " INT_LEAST
     " -2147483647;2 3 0*3;"
     "2 2 " INT_MOST " " INT_LEAST ";2 3 16777216 " FLOATS_END
     " 16777216;2 3 -5 -9 -7;2 3 -9 -7 -5;"
     "3 1 " INT_MOST ";3 2 " INT_MOST " 2147483646;3 3 0*3;3 2 " INT_LEAST " " INT_MOST
     ";3 3 5 7 9;3 3 9 7 5;"
     "3 3 -16777216 -" FLOATS_END " -16777216;"},
    {"reduce", 20, make_reduce, judge_reduce,
     "1 1 " INT_MOST ";2 1 " INT_LEAST " " INT_MOST ";9 1 " FLOATS_END "*9;3 1 0*3;1 3 -1 0 1;"
     "64 30 1*960 -2*959 7;3 2 -1 5 -1 6 -1 7;"},
    {"naive_seconds", 40, make_times, judge_naive,
     "1 0 0 1e9;1 1e9 1e-5 1e9;2 0 1e-5 1e9;2 1 0 1e9;1024 4e12 0 1e9;1000 1 1e-6 1e12;"},
    {"chunk_range", 40, make_range, judge_range,
     INT_MOST " 1;" INT_MOST " 2;" INT_MOST " 3;" INT_MOST " 7;" INT_MOST " 64;2147483646 5;"
              "2147483640 12;" FLOATS_END " 2;" FLOATS_END
              " 3;1073741824 5;1000000007 64;0 1;0 64;1 64;63 64;"
              "64 64;65 64;127 64;"},
    {"ring_seconds", 40, make_times, judge_ring,
     "1 0 0 1e9;1 1e9 1e-5 1e9;2 0 1e-5 1e9;3 1 0 1e9;1024 4e12 0 1e9;1000 1 1e-6 1e12;"},
    {"half_latency_bytes", 40, make_half, judge_half, "2 0 1e9;1024 1e-3 1e12;3 1e-9 1;"},
    {"choose", 200, make_choose, judge_choose,
     "4 0 1e-5 1e9;64 0 1e-5 1e9;3 1e9 0 1e9;64 1e9 0 1e9;5 1e15 1e-3 1e9;"},
    {"world_size", 30, make_world, judge_world, "1 1 1;1 8 8;3 12 3;100000 8 1;7 6 6;5 9 3;2 8 4;"},
    {"node_of", 30, make_place, judge_node, PLACES},
    {"local_rank", 30, make_place, judge_local, PLACES},
    {"first_gpu", 30, make_place, judge_gpu, PLACES},
    {"plan_calls", 30, make_calls, judge_calls,
     "1 0;3 0*3;2 0 7;2 7 0;4 5*4;5 1 2 3 4 100000;5 100000 4 3 2 1;3 1 9 2;64 0*63 3;"},
    {"make_buckets", 40, rc_make_buckets, rc_judge_buckets,
     "1 5 5 5;1 1 5 5;3 1073741823 1 1073741823 1073741824*2;4 0*4 5 5;3 5*3 5 5;4 9*4 3 5;5 1*5 1 3;"
     "3 0 7 7 7 7;4 2 3 3 2 5 5;40 1*40 1 40;"},
    {"exchange_end", 40, rc_make_exchange, rc_judge_exchange,
     "1 0 0;1 0 5;3 0*3 1 2 3;3 1 2 100 50 0 1;2 5 5 0 0;2 0.25 0.5 0.125 0.0625;3 1 2 3 0.5*3;4 10*4 3*4;"
     "2 1e-6 2e-6 1e-6 1e-6;"},
    /* fixed: all alike; one way round alone is fast, also in fractions and in billions */
    {"ring_order", 30, make_order, judge_order,
     "1 5;2 0 3 4 0;4 1*16;3 0 9 1 1 0 9 9 1 0;5 0 9 9 1 9 9 0 9 9 1 1 9 0 9 9 9 1 9 0 9 9 9 1 9 0;"
     "4 0 0.75 0.25 0.75 0.75 0 0.75 0.25 0.75 0.25 0 0.75 0.25 0.75*2 0;"
     "3 0 3e9 2e9 2e9 0 3e9 3e9 2e9 0;"},
    {"ring_sum", 40, make_sum, judge_sum,
     "1 0 0.5;3 0 1e8 -1e8 1;3 2 1e8 -1e8 1;2 1 1 2;64 63 0.1*64;3 1 3e38 3e38 -3e38;"},
    {"keeps_order", 40, make_keeps, judge_keeps,
     "1 5 9 4;4 16 32 3;4 16 32 4;4 32 16 15;4 16 1024 7;64 64 128 63;3 2147483646 3 2;2 2 2 1;7 7 14 0;"},
    {"what_to_set", 40, make_setting, judge_setting,
     "1 5 9 1 2;2 16 32 1 4;3 16 16 4 4;3 16 32 1 1;8 64 32 1 2;8 32 64 2 1;8 9 10 8 8;4 1 2147483647 1 24;"},
    {"algbw", 30, rc_make_algbw, rc_judge_algbw, "0 1;1 1000;1e15 1e-6;3 7;"},
    {"busbw", 30, rc_make_busbw, rc_judge_busbw,
     "1 1e9 0.5;3 1 1;8 0 1;1024 1e12 1e-3;131072 1e9 2;"},
    {"flow_ends", 40, rc_make_flows, rc_judge_flows,
     "1 5 1;3 7*3 1;4 1 2 3 4 1;4 4 3 2 1 1;3 0 5 5 1;8 1*8 1e9;8 1e9 1 1e9 2 1e9 3 1e9 4 1e10;2 1e12 1 1e9;"
     "6 2 1 2 1 3 3 1;"},
    {"zero_kept", 40, rc_make_shards, rc_judge_kept, SHARDS},
    {"zero_sent", 40, rc_make_shards, rc_judge_sent, SHARDS},
    {"choose_way", 200, rc_make_ways, rc_judge_way,
     "1 5 1 0;3 0 9 5 0 1 1 1000;3 5 9 0 1 1 0 0;4 0 0 0 7 0 0 0 2 1e6;2 5 5 0 2 1e18;3 1 2 3 1*3 0;"
     "2 100 1 400 1 1e12;2 0 1 0 0.1 1e18;2 0.75 0.25 1 1 0;"},
    {"bus_factor", 40, rc_make_factor, rc_judge_factor,
     "0 1;1 1;2 1;3 1;4 1;0 2;1 2;2 2;3 2;4 2;0 3;1 3;2 3;3 3;4 3;0 100000;1 100000;2 100000;3 100000;4 100000;"},
    {"buckets_sent", 60, rc_make_unused, rc_judge_unused,
     "1 0 1;1 0 0;3 2 1 0 0 1 1;3 2 1 0 1 0 1;3 2 1 0 1 1 0;4 1 1 0 0 0 0 1 1;"},
    {"join_calls", 30, rc_make_joined, rc_judge_joined,
     "1 7 5 0;2 3 4 1 0;2 3 4 1 1;3 0 9 2 6 0;3 5 5 5 8 2;"},
    {NULL, 0, NULL, NULL, NULL},
};

int rc_find_value_check(const char *function) {
    for (int i = 0; rc_value_checks[i].function != NULL; i++) {
        if (strcmp(rc_value_checks[i].function, function) == 0) return i;
    }
    return -1;
}
