/* diagnose.c: what the links of recorded runs can do, and which of them is slow.
 *
 *     recordings --> samples by link --> a line each (fit.c) --> shares of the median link --> verdict
 *
 *   - If alpha and B are known for all links, a link's share is the larger of those at the smallest
 *     and at the largest message. Otherwise we compare only messages of the same size with each
 *     other.
 *   - Of an even number we take the lower median: so of two links the slow one is slow against the
 *     other.
 */
#include "ringsim.h"
#include "base/containers.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static const double NOTEWORTHY = 1.1, /* a smaller share is not reported ... */
    CHANCE = 3,                       /* ... nor one that so many typical errors explain */
    CLEARLY = 1.1; /* the smallest message's share counts if it is so many times the largest's */

typedef struct timed_link {
    int32_t src, dst;
    rs_sample sample;
} timed_link;

/* The typical time of one link for one size. */
typedef struct sample_cell {
    int64_t n_bytes;
    int32_t link;
    double span, share;
} sample_cell;

typedef struct bench {
    timed_link *all; /* [n] sorted by link, then size */
    rs_sample *samples;
    sample_cell *cells;
    double *values;
    int64_t n, n_cells;
} bench;

RS_ORDER(by_link, timed_link, src, dst, sample.n_bytes, sample.span_ps);

static double lower_median(double values[], int64_t n) {
    if (n == 0) return 0;
    qsort(values, (size_t)n, sizeof *values, rs_by_double);
    return values[(n - 1) / 2];
}

static bool same_link(const timed_link *a, const timed_link *b) {
    return a->src == b->src && a->dst == b->dst;
}

/* ------------------------------------------------------------------ collecting */

static void collect_run(const rs_recording *run, bench *b) {
    const int64_t elem_bytes = rs_dtype_bytes(run->dtype);
    for (int64_t i = 0; i < run->trace.n_items; i++) {
        const rs_timed *timed = &run->trace.items[i];
        if (timed->start_ps < 0) continue;
        const int64_t n_bytes =
            elem_bytes * rs_transfer_count(&run->schedule, run->count, &timed->transfer);
        b->all[b->n++] = (timed_link){.src = timed->transfer.src,
                                      .dst = timed->transfer.dst,
                                      .sample = {n_bytes, timed->end_ps - timed->start_ps}};
    }
}

/* Returns the typical speed of additions, in bytes a second; 0: most take no time. */
static uint64_t addition_speed(const rs_recording runs[], int32_t n_runs, double values[]) {
    int64_t n = 0;
    for (int32_t k = 0; k < n_runs; k++) {
        const rs_recording *run = &runs[k];
        for (int64_t i = 0; i < run->trace.n_items; i++) {
            const rs_timed *timed = &run->trace.items[i];
            const int64_t n_bytes = rs_dtype_bytes(run->dtype) *
                                    rs_transfer_count(&run->schedule, run->count, &timed->transfer);
            if (timed->start_ps < 0 || timed->transfer.effect != RS_REDUCE || n_bytes == 0)
                continue;
            values[n++] = (double)(timed->done_ps - timed->end_ps) / (double)n_bytes;
        }
    }
    const double ps_per_byte = lower_median(values, n);
    return ps_per_byte > 0 ? rs_link_of(0, ps_per_byte).bandwidth_Bps : 0;
}

/* ------------------------------------------------------------------ shares */

/* Cuts a link's samples, sorted by size, into cells. */
static void add_cells(bench *b, int32_t link, const rs_sample samples[], int64_t n) {
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && samples[end].n_bytes == samples[i].n_bytes;) end++;
        const double low = (double)samples[(i + end - 1) / 2].span_ps;
        const double high = (double)samples[(i + end) / 2].span_ps;
        b->cells[b->n_cells++] =
            (sample_cell){samples[i].n_bytes, link, fmax(1, (low + high) / 2), 1};
    }
}

RS_ORDER(by_bytes, sample_cell, n_bytes, link);
RS_ORDER(by_cell_link, sample_cell, link, n_bytes);

/* Compares links size by size; a link's share is the median of the shares of its cells. */
static void share_by_size(bench *b, rs_diagnosis *d) {
    qsort(b->cells, (size_t)b->n_cells, sizeof *b->cells, by_bytes);
    for (int64_t i = 0, end; i < b->n_cells; i = end) {
        for (end = i; end < b->n_cells && b->cells[end].n_bytes == b->cells[i].n_bytes; end++) {
            b->values[end - i] = b->cells[end].span;
        }
        const double median = lower_median(b->values, end - i);
        for (int64_t k = i; k < end; k++) b->cells[k].share = b->cells[k].span / median;
    }
    qsort(b->cells, (size_t)b->n_cells, sizeof *b->cells, by_cell_link);
    for (int64_t i = 0, end; i < b->n_cells; i = end) {
        for (end = i; end < b->n_cells && b->cells[end].link == b->cells[i].link; end++) {
            b->values[end - i] = b->cells[end].share;
        }
        d->links[b->cells[i].link].share = lower_median(b->values, end - i);
    }
}

static double at_size(const rs_link_fit *link, double bytes) {
    return fmax(1, link->line.alpha_ps + link->line.ps_per_byte * bytes);
}

static double median_at(const bench *b, const rs_diagnosis *d, double bytes) {
    for (int32_t i = 0; i < d->n_links; i++) b->values[i] = at_size(&d->links[i], bytes);
    return lower_median(b->values, d->n_links);
}

/* Compares the lines at the smallest and the largest message of all. */
static void share_by_line(const bench *b, rs_diagnosis *d, const int64_t ends[2], bool *at_least) {
    const double median[2] = {median_at(b, d, (double)ends[0]), median_at(b, d, (double)ends[1])};
    for (int32_t i = 0; i < d->n_links; i++) {
        rs_link_fit *link = &d->links[i];
        const double least = at_size(link, (double)ends[0]) / median[0];
        const double most = at_size(link, (double)ends[1]) / median[1];
        at_least[i] = least > CLEARLY * most;
        link->share = at_least[i] ? least : most;
    }
}

/* ------------------------------------------------------------------ the whole */

static rs_status fit_links(bench *b, rs_arena *arena, rs_error *error, rs_diagnosis *d) {
    d->split = true;
    for (int64_t i = 0; i < b->n;) {
        int64_t n = 0;
        const timed_link *first = &b->all[i];
        for (; i < b->n && same_link(&b->all[i], first); i++) b->samples[n++] = b->all[i].sample;
        rs_link_fit *link = &d->links[d->n_links];
        *link = (rs_link_fit){.src = first->src, .dst = first->dst, .share = 1};
        const rs_status status = rs_fit_line(b->samples, n, arena, error, &link->line);
        if (status != RS_OK) return status;
        add_cells(b, d->n_links++, b->samples, n);
        d->split = d->split && link->line.split;
    }
    return RS_OK;
}

static void judge_slowest(const bench *b, rs_diagnosis *d, const bool at_least[],
                          const int64_t ends[2]) {
    for (int32_t i = 0; i < d->n_links; i++) {
        if (d->slowest < 0 || d->links[i].share > d->links[d->slowest].share) d->slowest = i;
    }
    const rs_link_fit *slow = &d->links[d->slowest];
    for (int32_t i = 0; i < d->n_links; i++) b->values[i] = d->links[i].line.typical;
    d->typical = lower_median(b->values, d->n_links);
    d->bytes = d->split ? ends[at_least[d->slowest] ? 0 : 1] : slow->line.most_bytes;
    d->stands_out = slow->share > NOTEWORTHY && slow->share > 1 + CHANCE * d->typical;
    const double latency_ps = slow->line.alpha_ps - d->alpha_ps;
    const double wire_ps = (slow->line.ps_per_byte - d->ps_per_byte) * (double)d->bytes;
    d->latency_bound = d->split && latency_ps > wire_ps;
}

static void compare(bench *b, rs_diagnosis *d, bool at_least[]) {
    int64_t ends[2] = {INT64_MAX, 0};
    for (int64_t i = 0; i < b->n; i++) {
        const int64_t n_bytes = b->all[i].sample.n_bytes;
        if (n_bytes < ends[0]) ends[0] = n_bytes;
        if (n_bytes > ends[1]) ends[1] = n_bytes;
    }
    if (d->split) {
        share_by_line(b, d, ends, at_least);
    } else {
        share_by_size(b, d);
    }
    for (int32_t i = 0; i < d->n_links; i++) b->values[i] = d->links[i].line.alpha_ps;
    d->alpha_ps = lower_median(b->values, d->n_links);
    for (int32_t i = 0; i < d->n_links; i++) b->values[i] = d->links[i].line.ps_per_byte;
    d->ps_per_byte = lower_median(b->values, d->n_links);
    judge_slowest(b, d, at_least, ends);
}

static int64_t count_links(const bench *b) {
    int64_t n = b->n > 0;
    for (int64_t i = 1; i < b->n; i++) n += !same_link(&b->all[i - 1], &b->all[i]);
    return n;
}

static rs_status diagnose(const rs_recording runs[], int32_t n_runs, bench *b, rs_arena *scratch,
                          rs_arena *arena, rs_error *error, rs_diagnosis *d) {
    for (int32_t i = 0; i < n_runs; i++) collect_run(&runs[i], b);
    if (b->n > 0) qsort(b->all, (size_t)b->n, sizeof *b->all, by_link);
    const size_t n_links = (size_t)count_links(b);
    d->links = rs_alloc(arena, n_links + 1, sizeof *d->links);
    bool *at_least = rs_alloc(scratch, n_links + 1, sizeof *at_least);
    if (d->links == NULL || at_least == NULL) return rs_no_memory(error);
    d->reduce_Bps = addition_speed(runs, n_runs, b->values);
    const rs_status status = fit_links(b, arena, error, d);
    if (status == RS_OK && d->n_links > 0) compare(b, d, at_least);
    return status;
}

rs_status rs_diagnose(const rs_recording runs[], int32_t n_runs, rs_arena *arena, rs_error *error,
                      rs_diagnosis *diagnosis) {
    assert(n_runs >= 1);
    rs_arena scratch;
    rs_arena_init(&scratch, arena->host);
    size_t n = 1;
    for (int32_t i = 0; i < n_runs; i++) n += (size_t)runs[i].trace.n_items;
    bench b = {.all = rs_alloc(&scratch, n, sizeof *b.all),
               .samples = rs_alloc(&scratch, n, sizeof *b.samples),
               .cells = rs_alloc(&scratch, n, sizeof *b.cells),
               .values = rs_alloc(&scratch, n, sizeof *b.values)};
    rs_diagnosis made = {.slowest = -1};
    rs_status status = RS_NO_MEMORY;
    if (b.all && b.samples && b.cells && b.values) {
        status = diagnose(runs, n_runs, &b, &scratch, arena, error, &made);
    } else {
        rs_fail(error, status, "no memory to fit %lld messages", (long long)n);
    }
    rs_arena_free(&scratch);
    if (status == RS_OK) *diagnosis = made;
    return status;
}
