/* inputs.c: what the ranks hold at the start: rs_fill's data, with special values planted into
 * them, and noise where the collective has no data.
 *
 *     place k of the array          rank 0   rank 1   rank 2     (k = 1, NaN)
 *                                     x        NaN      x         the ranks take turns
 *
 *   - Everything follows from (job, rank, place): each process makes its own part, and any process
 *     can make everybody's, to judge.
 *   - The places of all ranks are the same, so that special values meet: Inf and -Inf, -0 and +0, the
 *     largest number and itself.
 *   - What is not data at the start is NaN, or a random integer of that rank and place: whoever copies it shows.
 */
#include "job/backend.h"
#include "base/containers.h"

#include <assert.h>
#include <string.h>

static const char *const names[RG_N_SPECIALS] = {"plain",         "nan",       "inf",
                                                 "negative-zero", "subnormal", "overflow"};

const char *rg_special_name(rg_special special) {
    assert(special < RG_N_SPECIALS);
    return names[special];
}

/* The layout of a type's bits: sign, exponent, mantissa; integers have no mantissa. */
typedef struct form {
    int n_bits, n_mantissa;
    bool has_sign;
} form;
static const form forms[RS_N_DTYPES] = {
    [RS_I8] = {8, 0, true},    [RS_U8] = {8, 0, false},   [RS_I32] = {32, 0, true},
    [RS_U32] = {32, 0, false}, [RS_I64] = {64, 0, true},  [RS_U64] = {64, 0, false},
    [RS_F16] = {16, 10, true}, [RS_BF16] = {16, 7, true}, [RS_F32] = {32, 23, true},
    [RS_F64] = {64, 52, true},
};

/* Chooses what `rank` holds at place k, as bits; false: it keeps what it has. `chance` is a random
   word of this place and rank. */
static bool special_bits(const rg_job *job, int32_t rank, int64_t k, uint64_t chance,
                         uint64_t *bits) {
    const form *f = &forms[job->dtype];
    const bool is_float = f->n_mantissa > 0;
    const int32_t n = job->schedule->n_ranks;
    const uint64_t sign = f->has_sign ? (uint64_t)1 << (f->n_bits - 1) : 0;
    const uint64_t all = UINT64_MAX >> (64 - f->n_bits);
    const uint64_t fraction = ((uint64_t)1 << f->n_mantissa) - 1; /* the mantissa's bits */
    const uint64_t infinity = all & ~sign & ~fraction;
    const uint64_t some_sign = chance & 1 ? sign : 0;
    if (!is_float && job->special != RG_OVERFLOW) return false;
    switch (job->special) {
    case RG_NAN: /* quiet, with either sign and any payload */
        *bits = some_sign | infinity | (fraction + 1) >> 1 | (chance >> 8 & fraction >> 1);
        return k % n == rank;
    case RG_INF:
        *bits = k % n == rank ? infinity : sign | infinity;
        return k % n == rank || (k % 2 == 1 && (k / 2) % n == rank);
    case RG_NEGATIVE_ZERO: *bits = k % 3 == 0 ? sign : some_sign; return true;
    case RG_SUBNORMAL: *bits = some_sign | (1 + (chance >> 8) % (fraction >> 1)); return true;
    case RG_OVERFLOW:
        *bits = is_float ? some_sign | (infinity - 1) : chance & 2 ? all & ~sign : sign;
        return true;
    default: return false;
    }
}

/* Plants those whose places lie among the elements first .. first + n - 1. */
static void plant(const rg_job *job, int32_t rank, int64_t first, int64_t n, char *out) {
    enum { MOST_PLACES = 4096 };
    if (job->special == RG_PLAIN || job->count == 0) return;
    int64_t n_places = 2 * job->schedule->n_ranks + job->count / 8;
    if (n_places > MOST_PLACES) n_places = MOST_PLACES;
    const size_t elem_bytes = (size_t)rs_dtype_bytes(job->dtype);
    for (int64_t k = 0; k < n_places; k++) {
        const uint64_t place = rs_mix(rs_mix(job->seed) + (uint64_t)k);
        const int64_t element = (int64_t)(place % (uint64_t)job->count);
        uint64_t bits;
        if (element < first || element >= first + n) continue;
        if (!special_bits(job, rank, k, rs_mix(place + (uint64_t)rank), &bits)) continue;
        memcpy(out + (size_t)(element - first) * elem_bytes, &bits, elem_bytes); /* low bytes */
    }
}

/* Fills n elements, from `first` of the array on, with noise. */
static void make_noise(const rg_job *job, int32_t rank, int64_t first, int64_t n, char *out) {
    const form *f = &forms[job->dtype];
    const uint64_t fraction = ((uint64_t)1 << f->n_mantissa) - 1;
    const uint64_t all = UINT64_MAX >> (64 - f->n_bits);
    const uint64_t quiet_nan = all & ~(fraction >> 1), payload = fraction >> 1;
    const uint64_t key = rs_mix(rs_mix(~job->seed) + (uint64_t)rank);
    const size_t elem_bytes = (size_t)rs_dtype_bytes(job->dtype);
    for (int64_t i = 0; i < n; i++, out += elem_bytes) {
        const uint64_t chance = rs_mix(key + (uint64_t)(first + i));
        const uint64_t bits = f->n_mantissa > 0 ? quiet_nan | (chance & payload) : chance;
        memcpy(out, &bits, elem_bytes); /* low bytes */
    }
}

void rg_fill_part(const rg_job *job, int32_t rank, int64_t first, int64_t n, void *out) {
    assert(rank >= 0 && rank < job->schedule->n_ranks);
    const int64_t elem_bytes = rs_dtype_bytes(job->dtype), end = first + n;
    const rg_range held = rg_within(rg_held(job, rank), first, n);
    const int64_t from = held.n > 0 ? held.first : end, to = from + held.n; /* data */
    char *data = (char *)out + (from - first) * elem_bytes;
    make_noise(job, rank, first, from - first, out);
    rs_fill_part(job->data, job->dtype, rank, job->schedule->n_chunks, job->count, from, to - from,
                 job->seed, job->list, data);
    plant(job, rank, from, to - from, data);
    make_noise(job, rank, to, end - to, (char *)out + (to - first) * elem_bytes);
}

typedef struct ranks_filling { /* the same elements of some ranks' arrays */
    const rg_job *job;
    int32_t first_rank;
    int64_t first, n;
    void *const *out; /* whole arrays */
} ranks_filling;

static void fill_rank(void *argument, int index) {
    const ranks_filling *f = argument;
    rg_fill_part(f->job, f->first_rank + index, f->first, f->n,
                 (char *)f->out[index] + f->first * rs_dtype_bytes(f->job->dtype));
}

static bool fill_ranks(ranks_filling f, int32_t n_ranks, const rs_host *host) {
    const int64_t part = RG_PART_BYTES / rs_dtype_bytes(f.job->dtype), count = f.job->count;
    const int64_t before = f.first_rank * count, total = f.job->schedule->n_ranks * count;
    for (; f.first < count; f.first += part) {
        if (!rs_go_on(host, "filling the arrays", before + f.first * n_ranks, total)) return false;
        f.n = count - f.first < part ? count - f.first : part;
        rs_run_tasks(host, n_ranks, fill_rank, &f);
    }
    return true;
}

bool rg_fill(const rg_job *job, int32_t rank, const rs_host *host, void *out) {
    return fill_ranks((ranks_filling){.job = job, .first_rank = rank, .out = &out}, 1, host);
}

bool rg_fill_all(const rg_job *job, const rs_host *host, void *const out[]) {
    return fill_ranks((ranks_filling){.job = job, .out = out}, job->schedule->n_ranks, host);
}
