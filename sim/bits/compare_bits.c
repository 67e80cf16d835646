/* compare_bits.c: what becomes of last bits: sums done on data drawn evenly from [-1, 1), element by element of those that
 * are looked at: of each run its first ones, so many that all runs have their share.
 */
#include "bits/sum_order.h"

#include <math.h>

enum { LOOKED_AT = 1 << 22, BLOCK = 1024 }; /* ranks x elements; elements at once */

/* Digits of a float type, and the least exponent of a number that has all of them. */
static const struct digits {
    int n, least;
} digits[RS_N_DTYPES] = {
    [RS_F16] = {11, -14}, [RS_BF16] = {8, -126}, [RS_F32] = {24, -126}, [RS_F64] = {53, -1022}};

int rs_last_digit(rs_dtype dtype, double x) {
    int exponent;
    frexp(x, &exponent);
    const int least = digits[dtype].least + 1;
    return (exponent > least ? exponent : least) - digits[dtype].n;
}

typedef struct drawing {
    const rs_sums *sums;
    rs_dtype dtype;
    rs_op op;
    uint64_t seed;
    int64_t count;
    rs_arena *arena;
    void **data; /* [n_ranks] blocks */
    char *result[2];
    double *exact; /* [BLOCK] */
} drawing;

static rs_status begin(drawing *d, rs_error *error) {
    const size_t n = (size_t)d->sums->n_ranks;
    const size_t block = (size_t)BLOCK * (size_t)rs_dtype_bytes(d->dtype);
    char *blocks = rs_alloc(d->arena, n + 2, block);
    d->data = rs_alloc(d->arena, n, sizeof *d->data);
    d->exact = rs_alloc(d->arena, BLOCK, sizeof *d->exact);
    if (blocks == NULL || d->data == NULL || d->exact == NULL) return rs_no_memory(error);
    for (size_t r = 0; r < n; r++) d->data[r] = blocks + r * block;
    for (size_t i = 0; i < 2; i++) d->result[i] = blocks + (n + i) * block;
    return RS_OK;
}

static void draw(const drawing *d, int64_t first, int64_t n) {
    for (int32_t rank = 0; rank < d->sums->n_ranks; rank++) {
        rs_fill_part(RS_DATA_RANDOM, d->dtype, rank, 1, d->count, first, n, d->seed, NULL,
                     d->data[rank]);
    }
}

/* One order's results for the block at hand. */
static rs_status add_up(const drawing *d, int32_t sum, int64_t n, char *result, rs_error *error) {
    return rs_add_up(d->sums, sum, d->dtype, d->op, (const void *const *)d->data, n, result, error);
}

static rs_status stopped(rs_error *error) {
    return rs_fail(error, RS_CANCELLED, "stopped while adding up random data");
}
static bool goes_on(const drawing *d, int64_t done, int64_t total) {
    return rs_go_on(d->arena->host, "adding up random data", done, total);
}

/* How many elements of a run are looked at. */
static int64_t share_of(const drawing *d, int64_t run, int64_t n_runs) {
    const int64_t all = LOOKED_AT / d->sums->n_ranks, most = all < BLOCK ? BLOCK : all;
    if (run <= most / n_runs) return run;
    return most / n_runs > 0 ? most / n_runs : 1;
}

rs_status rs_measure_bits(const rs_bits *bits, const rs_sums *sums, rs_dtype dtype, rs_op op,
                          uint64_t seed, rs_arena *arena, rs_error *error, rs_bits_error *found) {
    drawing d = {.sums = sums, .dtype = dtype, .seed = seed, .count = bits->count, .arena = arena};
    double weight = 0, all = 0;
    *found = (rs_bits_error){0};
    if (!rs_dtype_is_float(dtype) || (op != RS_SUM && op != RS_AVG)) return RS_OK;
    rs_status status = begin(&d, error);
    for (int64_t i = 0; i < bits->n_runs && status == RS_OK; i++) {
        const rs_bits_run *run = &bits->runs[i];
        if (!goes_on(&d, i, bits->n_runs)) return stopped(error);
        const int64_t share = share_of(&d, run->count, bits->n_runs);
        double here = 0;
        for (int64_t at = 0; at < share && status == RS_OK; at += BLOCK) {
            const int64_t n = share - at < BLOCK ? share - at : BLOCK;
            draw(&d, run->first + at, n);
            status = add_up(&d, run->sum, n, d.result[0], error);
            rs_add_exactly(sums, dtype, (const void *const *)d.data, n, d.exact);
            for (int64_t k = 0; k < n && status == RS_OK; k++) {
                const double off = fabs(rs_read_float(dtype, d.result[0], k) - d.exact[k]) /
                                   ldexp(1, rs_last_digit(dtype, d.exact[k]));
                here += off;
                if (off > found->worst) found->worst = off;
            }
        }
        found->n += share;
        all += here / (double)share * (double)run->count;
        weight += (double)run->count;
    }
    found->mean = weight > 0 ? all / weight : 0;
    return status;
}

/* ------------------------------------------------------------------ two of them */

bool rs_never_rounds(rs_dtype dtype, rs_op op) {
    return !rs_dtype_is_float(dtype) || op == RS_MIN || op == RS_MAX;
}

rs_status rs_compare_bits(const rs_bits *a, const rs_bits *b, const rs_sums *sums, rs_dtype dtype,
                          rs_op op, uint64_t seed, rs_arena *arena, rs_error *error,
                          rs_bits_same *same) {
    drawing d = {.sums = sums,
                 .dtype = dtype,
                 .op = op == RS_AVG ? RS_SUM : op,
                 .seed = seed,
                 .count = a->count,
                 .arena = arena};
    *same = (rs_bits_same){.for_all_data = true};
    const int64_t n_both = a->count < b->count ? a->count : b->count;
    rs_status status = begin(&d, error);
    const int64_t n_runs = a->n_runs + b->n_runs;
    double differ = 0;
    int64_t i = 0, j = 0;
    for (int64_t at = 0, count; at < n_both && status == RS_OK; at += count) {
        const rs_bits_run *x = &a->runs[i], *y = &b->runs[j];
        if (!goes_on(&d, at, n_both)) return stopped(error);
        const int64_t x_end = x->first + x->count, y_end = y->first + y->count;
        count = (x_end < y_end ? x_end : y_end) - at;
        i += at + count == x_end;
        j += at + count == y_end;
        const int64_t share = share_of(&d, count, n_runs);
        same->n += share;
        if (x->sum == y->sum) continue;
        same->moved += count;
        if (rs_never_rounds(dtype, op)) continue;
        same->for_all_data = false;
        int64_t n_other = 0;
        for (int64_t k = 0; k < share && status == RS_OK; k += BLOCK) {
            const int64_t n = share - k < BLOCK ? share - k : BLOCK;
            draw(&d, at + k, n);
            status = add_up(&d, x->sum, n, d.result[0], error);
            if (status == RS_OK) status = add_up(&d, y->sum, n, d.result[1], error);
            for (int64_t e = 0; e < n && status == RS_OK; e++) {
                const double off = fabs(rs_read_float(dtype, d.result[0], e) -
                                        rs_read_float(dtype, d.result[1], e));
                n_other += off > 0;
                if (off > same->largest) same->largest = off;
            }
        }
        differ += (double)n_other / (double)share * (double)count;
    }
    same->of = n_both;
    same->differ = n_both > 0 ? differ / (double)n_both : 0;
    return status;
}
