/* compare_bits.c: what becomes of last bits: sums done on data drawn evenly from [-1, 1), element by element of those that
 * are looked at: of each stretch that two settings add alike its first ones, so many that all stretches have their share.
 */
#include "bits/sum_order.h"

#include <math.h>

enum { LOOKED_AT = 1 << 22, LEAST = 1024 }; /* ranks x elements; elements of many ranks */

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

bool rs_never_rounds(rs_dtype dtype, rs_op op) {
    return !rs_dtype_is_float(dtype) || op == RS_MIN || op == RS_MAX;
}

/* Elements that each of two settings adds in one order. */
typedef struct stretch {
    int64_t first, count;
    int32_t sums[2]; /* the second -1: the exact sums */
} stretch;

/* The stretch that begins at an element; b may be NULL. */
static stretch stretch_at(const rs_bits *a, const rs_bits *b, int64_t first) {
    const rs_bits_run *x = rs_run_at(a, first), *y = b != NULL ? rs_run_at(b, first) : x;
    const int64_t end = rs_smaller(x->first + x->count, y->first + y->count);
    return (stretch){
        .first = first, .count = end - first, .sums = {x->sum, b != NULL ? y->sum : -1}};
}

int64_t rs_bits_moved(const rs_bits *a, const rs_bits *b) {
    const int64_t n = rs_smaller(a->count, b->count);
    int64_t moved = 0;
    for (int64_t at = 0; at < n;) {
        const stretch s = stretch_at(a, b, at);
        if (s.sums[0] != s.sums[1]) moved += s.count;
        at += s.count;
    }
    return moved;
}

typedef struct drawing {
    const rs_sums *sums;
    rs_dtype dtype;
    rs_op op;
    uint64_t seed;
    int64_t count, most; /* elements of all; those looked at in a stretch */
    void **data;         /* [n_ranks][most] */
    void *result;        /* [most] */
    double *other;       /* [most] what it is compared with */
} drawing;

static rs_status begin(drawing *d, int64_t n_runs, rs_arena *arena, rs_error *error) {
    const int64_t all = rs_larger(LOOKED_AT / d->sums->n_ranks, LEAST);
    const size_t n = (size_t)d->sums->n_ranks;
    d->most = rs_larger(all / rs_larger(n_runs, 1), 1);
    const size_t bytes = (size_t)d->most * (size_t)rs_dtype_bytes(d->dtype);
    char *blocks = rs_alloc(arena, n + 1, bytes);
    d->data = rs_alloc(arena, n, sizeof *d->data);
    d->other = rs_alloc(arena, (size_t)d->most, sizeof *d->other);
    if (blocks == NULL || d->data == NULL || d->other == NULL) return rs_no_memory(error);
    for (size_t r = 0; r < n; r++) d->data[r] = blocks + r * bytes;
    d->result = blocks + n * bytes;
    return RS_OK;
}

/* Draws the first n elements of a stretch, adds them up both ways and adds the differences, as if all were like these. */
static rs_status look_at(drawing *d, const stretch *s, int64_t n, rs_bits_same *same,
                         rs_error *error) {
    const void *const *data = (const void *const *)d->data;
    const bool exact = s->sums[1] < 0;
    double all = 0, n_other = 0;
    rs_status status = RS_OK;
    for (int32_t rank = 0; rank < d->sums->n_ranks; rank++) {
        rs_fill_part(RS_DATA_RANDOM, d->dtype, rank, 1, d->count, s->first, n, d->seed, NULL,
                     d->data[rank]);
    }
    if (exact) {
        rs_add_exactly(d->sums, d->dtype, data, n, d->other);
    } else {
        status = rs_add_up(d->sums, s->sums[1], d->dtype, d->op, data, n, d->result, error);
        for (int64_t i = 0; i < n; i++) d->other[i] = rs_read_float(d->dtype, d->result, i);
    }
    if (status == RS_OK)
        status = rs_add_up(d->sums, s->sums[0], d->dtype, d->op, data, n, d->result, error);
    for (int64_t i = 0; i < n && status == RS_OK; i++) {
        const double unit = exact ? ldexp(1, rs_last_digit(d->dtype, d->other[i])) : 1;
        const double off = fabs(rs_read_float(d->dtype, d->result, i) - d->other[i]) / unit;
        all += off;
        n_other += off > 0;
        same->largest = fmax(same->largest, off);
    }
    same->differ += n_other / (double)n * (double)s->count;
    same->mean += all / (double)n * (double)s->count;
    return status;
}

rs_status rs_compare_bits(const rs_bits *a, const rs_bits *b, const rs_sums *sums, rs_dtype dtype,
                          rs_op op, uint64_t seed, rs_arena *arena, rs_error *error,
                          rs_bits_same *same) {
    drawing d = {.sums = sums, .dtype = dtype, .op = op, .seed = seed, .count = a->count};
    const bool rounds = !rs_never_rounds(dtype, op);
    *same = (rs_bits_same){.of = b != NULL ? rs_smaller(a->count, b->count) : a->count};
    if (b == NULL && (!rounds || op == RS_PROD)) return RS_OK;
    if (op == RS_AVG) d.op = RS_SUM;
    rs_status status = begin(&d, a->n_runs + (b != NULL ? b->n_runs : 0), arena, error);
    for (int64_t at = 0; at < same->of && status == RS_OK;) {
        const stretch s = stretch_at(a, b, at);
        const int64_t n = rs_smaller(s.count, d.most);
        if (!rs_go_on(arena->host, "adding up random data", at, same->of))
            return rs_fail(error, RS_CANCELLED, "stopped while adding up random data");
        at += s.count;
        same->n += n;
        if (s.sums[0] == s.sums[1]) continue;
        same->moved += s.count;
        if (rounds) status = look_at(&d, &s, n, same, error);
    }
    if (same->of > 0) same->differ /= (double)same->of, same->mean /= (double)same->of;
    same->for_all_data = same->moved == 0 || !rounds;
    return status;
}
