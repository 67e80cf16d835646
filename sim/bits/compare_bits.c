/* compare_bits.c: what becomes of last bits: sums done on data drawn evenly from [-1, 1), element by element of those that
 * are looked at: of each stretch that two settings add alike its first ones, so many that all stretches have their share.
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
    const int64_t x_end = x->first + x->count, y_end = y->first + y->count;
    return (stretch){.first = first,
                     .count = (x_end < y_end ? x_end : y_end) - first,
                     .sums = {x->sum, b != NULL ? y->sum : -1}};
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

int64_t rs_bits_moved(const rs_bits *a, const rs_bits *b) {
    const int64_t n = smaller(a->count, b->count);
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
    int64_t count;
    void **data;      /* [n_ranks] blocks */
    void *result;     /* a block */
    double *other;    /* [BLOCK] what it is compared with */
    double off, most; /* all differences of a stretch; the largest of all */
    int64_t n_off;    /* of the stretch */
} drawing;

static rs_status begin(drawing *d, rs_arena *arena, rs_error *error) {
    const size_t n = (size_t)d->sums->n_ranks;
    const size_t block = (size_t)BLOCK * (size_t)rs_dtype_bytes(d->dtype);
    char *blocks = rs_alloc(arena, n + 1, block);
    d->data = rs_alloc(arena, n, sizeof *d->data);
    d->other = rs_alloc(arena, BLOCK, sizeof *d->other);
    if (blocks == NULL || d->data == NULL || d->other == NULL) return rs_no_memory(error);
    for (size_t r = 0; r < n; r++) d->data[r] = blocks + r * block;
    d->result = blocks + n * block;
    return RS_OK;
}

/* Draws n elements of a stretch, adds them up both ways and looks at the differences. */
static rs_status look_at(drawing *d, const stretch *s, int64_t first, int64_t n, rs_error *error) {
    const void *const *data = (const void *const *)d->data;
    const bool exact = s->sums[1] < 0;
    rs_status status = RS_OK;
    for (int32_t rank = 0; rank < d->sums->n_ranks; rank++) {
        rs_fill_part(RS_DATA_RANDOM, d->dtype, rank, 1, d->count, first, n, d->seed, NULL,
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
        d->off += off;
        d->n_off += off > 0;
        d->most = fmax(d->most, off);
    }
    return status;
}

/* How many of so many elements are looked at. */
static int64_t share_of(int64_t count, int32_t n_ranks, int64_t n_runs) {
    const int64_t all = LOOKED_AT / n_ranks, most = (all < BLOCK ? BLOCK : all) / n_runs;
    return smaller(count, most > 0 ? most : 1);
}

rs_status rs_compare_bits(const rs_bits *a, const rs_bits *b, const rs_sums *sums, rs_dtype dtype,
                          rs_op op, uint64_t seed, rs_arena *arena, rs_error *error,
                          rs_bits_same *same) {
    drawing d = {.sums = sums, .dtype = dtype, .op = op, .seed = seed, .count = a->count};
    const bool rounds = !rs_never_rounds(dtype, op);
    const int64_t n_runs = a->n_runs + (b != NULL ? b->n_runs : 0);
    *same = (rs_bits_same){.of = b != NULL ? smaller(a->count, b->count) : a->count};
    if (b == NULL && (!rounds || op == RS_PROD)) return RS_OK;
    if (op == RS_AVG) d.op = RS_SUM;
    rs_status status = begin(&d, arena, error);
    for (int64_t at = 0; at < same->of && status == RS_OK;) {
        const stretch s = stretch_at(a, b, at);
        if (!rs_go_on(arena->host, "adding up random data", at, same->of))
            return rs_fail(error, RS_CANCELLED, "stopped while adding up random data");
        const int64_t share = share_of(s.count, sums->n_ranks, n_runs);
        at += s.count;
        same->n += share;
        if (s.sums[0] == s.sums[1]) continue;
        same->moved += s.count;
        d.off = 0, d.n_off = 0;
        for (int64_t k = 0; rounds && k < share && status == RS_OK; k += BLOCK)
            status = look_at(&d, &s, s.first + k, smaller(share - k, BLOCK), error);
        same->differ += (double)d.n_off / (double)share * (double)s.count;
        same->mean += d.off / (double)share * (double)s.count;
    }
    if (same->of > 0) same->differ /= (double)same->of, same->mean /= (double)same->of;
    same->largest = d.most;
    same->for_all_data = same->moved == 0 || !rounds;
    return status;
}
