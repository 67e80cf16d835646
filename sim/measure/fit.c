/* fit.c: a line through the times of messages: span = alpha + bytes / B.
 *
 *     span |                 x      x: the samples of one size, gathered into one point: the mean
 *     of
 *          |         x              those near their median
 *          |    x
 *          | x
 *    alpha +------------------- bytes
 *
 *   - Gathering drops single outliers without dropping a whole size: even where the data bend and a
 *     line cannot, as between two protocols, every size counts.
 *   - Errors are relative to the time, as those of measured times are: otherwise the noise of the
 *     largest messages would hide alpha.
 *   - The fit starts with the line of Theil and Sen (P. K. Sen, JASA 63, 1968): the median of the
 *     slopes of all pairs of points, weighted by how much a pair tells; it holds until nearly a
 *     third of the points are wrong. The median distance of the points from it is the scale. Least
 *     squares with Tukey's weights, which fall to 0 for points far off that scale, then use all
 *     other points (V. J. Yohai, Ann. Stat. 15, 1987). So if a protocol changes in the middle, the
 *     fit still finds a line.
 */
#include "ringsim.h"
#include "base/containers.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_PAIRED = 256, ROUNDS = 50 };
static const double TUKEY = 4.685, /* efficient for normal errors */
    SIGMA = 1.4826,                /* of a median deviation */
    NEAR = 0.05,                   /* a sample nearer to its median is no outlier */
    /* real lines bend a little: a point loses its weight at some 9 % at least */
    LEAST_SCALE = 0.02;

/* The samples of one size. */
typedef struct point {
    double bytes, span, n;
} point;

typedef struct weighted {
    double value, weight;
} weighted;

typedef struct fit_work {
    point *points;
    int64_t n_points;
    weighted *values; /* room for pairs, samples and points */
} fit_work;

RS_ORDER(by_value, weighted, value);

/* Returns the value at which half the weight is reached; sorts the values. */
static double weighted_median(weighted values[], int64_t n) {
    double total = 0, passed = 0;
    qsort(values, (size_t)n, sizeof *values, by_value);
    for (int64_t i = 0; i < n; i++) total += values[i].weight;
    for (int64_t i = 0; i < n; i++) {
        passed += values[i].weight;
        if (2 * passed >= total) return values[i].value;
    }
    return n > 0 ? values[n - 1].value : 0;
}

/* ------------------------------------------------------------------ gathering */

RS_ORDER(by_size, rs_sample, n_bytes, span_ps);

/* Returns the end of the row of samples that have the size of samples[begin]. */
static int64_t row_end(const rs_sample samples[], int64_t begin, int64_t n) {
    int64_t end = begin;
    while (end < n && samples[end].n_bytes == samples[begin].n_bytes) end++;
    return end;
}

/* Returns the median of a row, at least a picosecond, since we divide by it. */
static double row_median(const rs_sample row[], int64_t n) {
    const double low = (double)row[(n - 1) / 2].span_ps, high = (double)row[n / 2].span_ps;
    return fmax(1, (low + high) / 2);
}

/* Returns how far a sample may lie from its row's median, relative to it. */
static double reach(const rs_sample samples[], int64_t n, weighted values[]) {
    int64_t used = 0;
    for (int64_t i = 0; i < n;) {
        const int64_t end = row_end(samples, i, n);
        const double median = row_median(&samples[i], end - i);
        const bool tells = end - i > 2; /* two samples are always equally far from their median */
        for (; i < end; i++) {
            if (!tells) continue;
            values[used++] = (weighted){fabs((double)samples[i].span_ps / median - 1), 1};
        }
    }
    return used == 0 ? INFINITY : fmax(NEAR, TUKEY * SIGMA * weighted_median(values, used));
}

static void gather(const rs_sample samples[], int64_t n, fit_work *w, rs_line_fit *fit) {
    const double most = reach(samples, n, w->values);
    for (int64_t i = 0; i < n;) {
        const int64_t end = row_end(samples, i, n);
        const double median = row_median(&samples[i], end - i);
        point at = {.bytes = (double)samples[i].n_bytes};
        for (; i < end; i++) {
            const double span = (double)samples[i].span_ps;
            if (fabs(span / median - 1) > most) {
                fit->n_outliers++;
                continue;
            }
            at.span += span;
            at.n++;
        }
        at.span = at.n > 0 ? fmax(1, at.span / at.n) : median;
        at.n = fmax(1, at.n);
        w->points[w->n_points++] = at;
    }
}

/* ------------------------------------------------------------------ the line */

/* Returns the median of the slopes; of very many sizes it pairs only some. */
static double median_slope(const fit_work *w) {
    const int64_t every = (w->n_points + MOST_PAIRED - 1) / MOST_PAIRED;
    int64_t n = 0;
    for (int64_t i = 0; i < w->n_points; i += every) {
        for (int64_t j = i + every; j < w->n_points; j += every) {
            const point *a = &w->points[i], *b = &w->points[j];
            const double run = b->bytes - a->bytes;
            const double noise = sqrt(a->span * a->span / a->n + b->span * b->span / b->n);
            w->values[n++] = (weighted){(b->span - a->span) / run, run / noise};
        }
    }
    return weighted_median(w->values, n);
}

static double median_rest(const fit_work *w, double slope) {
    for (int64_t i = 0; i < w->n_points; i++) {
        const point *at = &w->points[i];
        w->values[i] = (weighted){at->span - slope * at->bytes, at->n / at->span};
    }
    return weighted_median(w->values, w->n_points);
}

static double predict(const rs_line_fit *fit, double bytes) {
    return fmax(1, fit->alpha_ps + fit->ps_per_byte * bytes);
}

/* Returns how far a point lies from the line: the same for a factor too slow or too fast. */
static double stray_of(const rs_line_fit *fit, const point *at) {
    return fabs(log(at->span / predict(fit, at->bytes)));
}

/* Returns the median distance of the points from the line, as a standard deviation. */
static double scale_of(const fit_work *w, const rs_line_fit *fit) {
    for (int64_t i = 0; i < w->n_points; i++) {
        const point *at = &w->points[i];
        w->values[i] = (weighted){stray_of(fit, at), at->n};
    }
    return fmax(LEAST_SCALE, SIGMA * weighted_median(w->values, w->n_points));
}

/* The sums of a weighted least squares line, with sizes scaled to 0..1, so that squares of large
   sizes do not hide the sums of a small latency. */
typedef struct sums {
    double w, x, xx, y, xy;
} sums;

/* Returns Tukey's weight: 1 on the line, 0 for a point far off. */
static double trust(double stray, double scale) {
    const double far = stray / (TUKEY * scale);
    return far < 1 ? (1 - far * far) * (1 - far * far) : 0;
}

static sums sum_up(const fit_work *w, const rs_line_fit *fit, double scale, double unit) {
    sums all = {0};
    for (int64_t i = 0; i < w->n_points; i++) {
        const point *at = &w->points[i];
        const double fitted = predict(fit, at->bytes);
        const double weight = at->n / fitted / fitted * trust(stray_of(fit, at), scale);
        const double x = at->bytes / unit;
        all.w += weight;
        all.x += weight * x;
        all.xx += weight * x * x;
        all.y += weight * at->span;
        all.xy += weight * x * at->span;
    }
    return all;
}

static double det_of(const sums *all) {
    return all->w * all->xx - all->x * all->x;
}

/* Solves the sums; neither part of the line may be negative. */
static void solve(const sums *all, double unit, rs_line_fit *fit) {
    const double det = det_of(all);
    double alpha = (all->y * all->xx - all->xy * all->x) / det;
    double slope = (all->w * all->xy - all->x * all->y) / det;
    if (!(alpha >= 0)) {
        alpha = 0;
        slope = all->xy / all->xx;
    }
    if (!(slope >= 0)) {
        slope = 0;
        alpha = all->y / all->w;
    }
    fit->alpha_ps = alpha;
    fit->ps_per_byte = slope / unit;
}

static void refine(const fit_work *w, rs_line_fit *fit) {
    const double unit = (double)fit->most_bytes, scale = scale_of(w, fit);
    sums all = {0};
    for (int round = 0; round < ROUNDS; round++) {
        const rs_line_fit before = *fit;
        all = sum_up(w, fit, scale, unit);
        if (!(det_of(&all) > 1e-12 * all.w * all.xx)) return; /* only one size has any weight */
        solve(&all, unit, fit);
        const double moved =
            fabs(fit->alpha_ps - before.alpha_ps) / predict(fit, 0) +
            fabs(fit->ps_per_byte - before.ps_per_byte) * unit / predict(fit, unit);
        if (moved < 1e-12) break;
    }
    const double det = det_of(&all);
    for (int64_t i = 0; i < w->n_points; i++) {
        const point *at = &w->points[i];
        if (trust(stray_of(fit, at), scale) <= 0) fit->n_outliers += llround(at->n);
    }
    fit->alpha_error_ps = sqrt(fmax(0, all.xx / det));
    fit->ps_per_byte_error = sqrt(fmax(0, all.w / det)) / unit;
}

/* Computes how far the samples, including outliers, lie from the line. */
static void judge(const rs_sample samples[], int64_t n, const fit_work *w, rs_line_fit *fit) {
    for (int64_t i = 0; i < n; i++) {
        const double fitted = predict(fit, (double)samples[i].n_bytes);
        const double off = fabs((double)samples[i].span_ps - fitted) / fitted;
        w->values[i] = (weighted){off, 1};
        if (off > fit->worst) fit->worst = off;
    }
    fit->typical = weighted_median(w->values, n);
    fit->alpha_error_ps *= SIGMA * fit->typical;
    fit->ps_per_byte_error *= SIGMA * fit->typical;
}

static void fit_points(fit_work *w, rs_line_fit *fit) {
    if (fit->split) {
        fit->ps_per_byte = fmax(0, median_slope(w));
        fit->alpha_ps = fmax(0, median_rest(w, fit->ps_per_byte));
        refine(w, fit);
        return;
    }
    for (int64_t i = 0; i < w->n_points; i++) {
        const point *at = &w->points[i];
        w->values[i] = (weighted){at->span / fmax(1, at->bytes), at->n};
    }
    if (fit->most_bytes > 0) {
        fit->ps_per_byte = weighted_median(w->values, w->n_points);
    } else {
        fit->alpha_ps = w->points[0].span; /* messages without bytes */
    }
}

rs_status rs_fit_line(rs_sample samples[], int64_t n_samples, rs_arena *arena, rs_error *error,
                      rs_line_fit *fit) {
    assert(n_samples >= 1);
    rs_arena scratch;
    rs_arena_init(&scratch, arena->host);
    qsort(samples, (size_t)n_samples, sizeof *samples, by_size);
    int64_t n_points = 0;
    for (int64_t i = 0; i < n_samples; i = row_end(samples, i, n_samples)) n_points++;
    const int64_t paired = n_points < MOST_PAIRED ? n_points : MOST_PAIRED;
    const int64_t room = n_samples > paired * paired ? n_samples : paired * paired;
    fit_work w = {.points = rs_alloc(&scratch, (size_t)n_points, sizeof *w.points),
                  .values = rs_alloc(&scratch, (size_t)room, sizeof *w.values)};
    rs_line_fit made = {.n_samples = n_samples,
                        .least_bytes = samples[0].n_bytes,
                        .most_bytes = samples[n_samples - 1].n_bytes};
    rs_status status = RS_OK;
    if (w.points == NULL || w.values == NULL) {
        status = rs_no_memory(error);
    } else {
        made.split = 2 * (double)made.most_bytes >= 3 * (double)made.least_bytes &&
                     made.most_bytes > made.least_bytes;
        gather(samples, n_samples, &w, &made);
        fit_points(&w, &made);
        judge(samples, n_samples, &w, &made);
        *fit = made;
    }
    rs_arena_free(&scratch);
    return status;
}

rs_link rs_link_of(double alpha_ps, double ps_per_byte) {
    static const double most_Bps = 1e15, ps_per_s = 1e12, longest_ps = 1e15;
    const double rate = ps_per_byte > 0 ? ps_per_s / ps_per_byte : most_Bps;
    return (rs_link){.alpha_ps = (int64_t)llround(fmin(longest_ps, fmax(0, alpha_ps))),
                     .bandwidth_Bps = (uint64_t)llround(fmin(most_Bps, fmax(1, rate)))};
}
