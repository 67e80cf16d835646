/* judge.c: makes all ranks' inputs, counts wrong elements, and judges how far the vendor's own collective is from ours.
 *
 *     |computed - exact|  <=  (N - 1) u / (1 - (N - 1) u) x (|x_0| + ... + |x_(N-1)|)
 *
 * holds for a sum of N floats in any order (Higham, SIAM J. Sci. Comput. 14(4), 1993); u is half the
 * distance from 1 to the next float. Integers, min and max do not depend on the order: there the
 * bits must be the same. The judge counts, but does not judge, results that no library promises: those of
 * planted special values (min and max of NaN, Inf - Inf on the way), and integers that overflow in a
 * library that does not say that they wrap. (MPI does not; Open MPI 4.1 on AVX saturates i8 and u8.)
 */
#include "job/backend.h"

#include <assert.h>
#include <math.h>
#include <string.h>

rs_status rg_judge_new(const rg_job *job, int64_t window_bytes, rs_arena *arena, rs_error *error,
                       rg_judge *judge) {
    const int32_t n = job->schedule->n_ranks, elem_bytes = rs_dtype_bytes(job->dtype);
    assert(n >= 1);
    const int64_t fair = window_bytes / ((int64_t)n * elem_bytes);
    const int64_t most = fair < 1 ? 1 : fair < job->count ? fair : job->count;
    void **inputs = rs_alloc(arena, (size_t)n, sizeof *inputs);
    for (int32_t r = 0; inputs != NULL && r < n; r++) {
        inputs[r] = rs_alloc(arena, (size_t)most * (size_t)elem_bytes + 1, 1);
        if (inputs[r] == NULL) inputs = NULL;
    }
    if (inputs == NULL) {
        return rs_fail(error, RS_NO_MEMORY,
                       "no memory to judge %d ranks of %lld elements; take smaller sizes", (int)n,
                       (long long)most);
    }
    *judge = (rg_judge){.job = job, .most = most, .inputs = inputs};
    judge->part = (rs_part){.schedule = job->schedule, .count = job->count, .arena = arena};
    return RS_OK;
}

/* Moves on to the next window of at most so many elements; the first one comes after a part that ends at 0. */
static bool next_window(rs_part *part, int64_t most) {
    const int64_t left = part->count - part->first - part->n;
    part->first += part->n;
    part->n = left < most ? left : most;
    return part->n > 0;
}

static void first_window(rs_part *part) {
    part->first = part->n = 0;
}

typedef struct filling_window {
    const rg_judge *judge;
    const rs_host *host;
} filling_window;

static void fill_rank(void *argument, int rank) {
    const filling_window *f = argument;
    const rg_judge *judge = f->judge;
    if (rs_stopped(f->host)) return;
    rg_fill_part(judge->job, rank, judge->part.first, judge->part.n, judge->inputs[rank]);
}

/* Makes what all ranks start with in this window. false: the host said stop. */
static bool fill_window(rg_judge *judge, const rs_host *host) {
    filling_window f = {judge, host};
    rs_run_tasks(host, judge->part.schedule->n_ranks, fill_rank, &f);
    return !rs_stopped(host);
}

rs_status rg_judge_count(rg_judge *judge, const void *const results[], const rs_host *host,
                         rs_error *error, int64_t n_wrong[]) {
    const rg_job *job = judge->job;
    const size_t n_ranks = (size_t)job->schedule->n_ranks;
    rs_arena scratch;
    rs_arena_init(&scratch, host);
    const void **window = rs_alloc(&scratch, n_ranks, sizeof *window);
    int64_t *found = rs_alloc(&scratch, n_ranks, sizeof *found);
    rs_status status = window != NULL && found != NULL ? RS_OK : rs_no_memory(error);
    memset(n_wrong, 0, n_ranks * sizeof *n_wrong);
    for (first_window(&judge->part); status == RS_OK && next_window(&judge->part, judge->most);) {
        const size_t skipped = (size_t)(judge->part.first * rs_dtype_bytes(job->dtype));
        for (size_t r = 0; r < n_ranks; r++) {
            window[r] = results[r] == NULL ? NULL : (const char *)results[r] + skipped;
        }
        if (!fill_window(judge, host)) {
            status = rs_fail(error, RS_CANCELLED, "cancelled while comparing the results");
            break;
        }
        status =
            rs_count_wrong_part(&judge->part, job->dtype, job->op,
                                (const void *const *)judge->inputs, window, host, error, found);
        for (size_t r = 0; r < n_ranks && status == RS_OK; r++) n_wrong[r] += found[r];
    }
    rs_arena_free(&scratch);
    return status;
}

bool rg_judge_kept(const rg_judge *judge, int32_t rank, const void *source) {
    const int32_t elem_bytes = rs_dtype_bytes(judge->job->dtype);
    rs_part part = judge->part;
    for (first_window(&part); next_window(&part, judge->most);) {
        rg_fill_part(judge->job, rank, part.first, part.n, judge->inputs[rank]);
        if (memcmp((const char *)source + part.first * elem_bytes, judge->inputs[rank],
                   (size_t)(part.n * elem_bytes)) != 0) {
            return false;
        }
    }
    return true;
}

static double unit_of(rs_dtype dtype) {
    static const int digits[RS_N_DTYPES] = {
        [RS_F16] = 11, [RS_BF16] = 8, [RS_F32] = 24, [RS_F64] = 53};
    return ldexp(1, -digits[dtype]);
}

/* avg may divide the sum, which is one more rounding, or first multiply each number by 1/N, which
   is rounded, too, as NCCL does. */
double rg_oracle_bound(const rg_job *job) {
    const bool exact = !rs_dtype_is_float(job->dtype) || job->op == RS_MIN || job->op == RS_MAX ||
                       !rs_collective_reduces(job->schedule->collective);
    if (exact || job->special != RG_PLAIN) return 0;
    const int32_t roundings = job->schedule->n_ranks - 1 + (job->op == RS_AVG ? 2 : 0);
    return roundings * unit_of(job->dtype);
}

/* Tells whether one element of a float sum, product or average lies within the bound. */
static bool within(const rg_job *job, void *const inputs[], const void *oracle, int64_t i) {
    const int32_t n = job->schedule->n_ranks;
    const bool product = job->op == RS_PROD;
    long double exact = product, size = product;
    for (int32_t r = 0; r < n; r++) {
        const long double x = rs_read_float(job->dtype, inputs[r], i);
        exact = product ? exact * x : exact + x;
        size = product ? size * fabsl(x) : size + fabsl(x);
    }
    if (job->op == RS_AVG) {
        exact /= n;
        size /= n;
    }
    const double bound = rg_oracle_bound(job);
    /* Products may sink below the normal numbers, where errors are no longer relative. */
    const long double least = product || job->op == RS_AVG ? n * unit_of(job->dtype) : 0;
    const long double floor_of = job->dtype == RS_F16 ? 0x1p-14L : 0x1p-126L;
    const long double off = fabsl(rs_read_float(job->dtype, oracle, i) - exact);
    return off <= bound / (1 - bound) * size + least * floor_of;
}

/* Reads one integer of any type as a number; exact to 64 bits where long double is. */
static long double whole_at(rs_dtype dtype, const void *array, int64_t i) {
    const char *place = (const char *)array + i * rs_dtype_bytes(dtype);
    int64_t number = 0;
    uint64_t bits = 0;
    int8_t tiny;
    int32_t small;
    memcpy(&bits, place, (size_t)rs_dtype_bytes(dtype)); /* little-endian */
    switch (dtype) {
    case RS_I8: memcpy(&tiny, place, sizeof tiny); return tiny;
    case RS_I32: memcpy(&small, place, sizeof small); return small;
    case RS_I64: memcpy(&number, place, sizeof number); return (long double)number;
    default: return (long double)bits;
    }
}

/* Tells whether an integer sum or product may leave the type on its way, in some order. */
static bool overflows(const rg_job *job, void *const inputs[], int64_t i) {
    const bool product = job->op == RS_PROD;
    if (job->op == RS_MIN || job->op == RS_MAX) return false;
    if (!rs_collective_reduces(job->schedule->collective)) return false;
    const bool has_sign = job->dtype == RS_I8 || job->dtype == RS_I32 || job->dtype == RS_I64;
    long double size = product;
    for (int32_t r = 0; r < job->schedule->n_ranks; r++) {
        const long double x = fabsl(whole_at(job->dtype, inputs[r], i));
        if (product && x == 0) continue; /* in another order it comes last */
        size = product ? size * x : size + x;
    }
    return size >= ldexpl(1, 8 * rs_dtype_bytes(job->dtype) - has_sign);
}

enum { BETWEEN_LOOKS = 4096 }; /* elements, between two looks at the host */

/* Elements first .. first + n - 1 of the window; result and oracle begin with the window's first. */
static void judge_some(const rg_judge *judge, int64_t first, int64_t n, const char *result,
                       const char *oracle, bool wraps, const rs_host *host,
                       rg_oracle_tally *tally) {
    const rg_job *job = judge->job;
    const int32_t elem_bytes = rs_dtype_bytes(job->dtype);
    const bool is_float = rs_dtype_is_float(job->dtype);
    const bool adds = rs_collective_reduces(job->schedule->collective);
    const bool bounded = rg_oracle_bound(job) > 0;
    for (int64_t i = first; i < first + n; i++) {
        if (i % BETWEEN_LOOKS == 0 && rs_stopped(host)) return;
        const bool same = rs_equal(job->dtype, result + i * elem_bytes, oracle + i * elem_bytes, 1);
        const bool free_of_rules = is_float ? adds && job->special != RG_PLAIN
                                            : !same && !wraps && overflows(job, judge->inputs, i);
        tally->n_differ += !same;
        tally->n_unjudged += !same && free_of_rules;
        if (free_of_rules) continue;
        tally->n_outside += bounded ? !within(job, judge->inputs, oracle, i) : !same;
    }
}

void rg_judge_oracle(rg_judge *judge, int32_t rank, const void *result, const void *oracle,
                     bool wraps, const rs_host *host, rg_oracle_tally *tally) {
    const rs_part *part = &judge->part;
    *tally = (rg_oracle_tally){0};
    for (first_window(&judge->part);
         next_window(&judge->part, judge->most) && fill_window(judge, host);) {
        const int64_t skipped = part->first * rs_dtype_bytes(judge->job->dtype);
        for (rg_range range = {part->first, 0}; rg_next_answer(judge->job, rank, &range);) {
            const rg_range here = rg_within(range, part->first, part->n);
            if (here.n == 0) break;
            judge_some(judge, here.first - part->first, here.n, (const char *)result + skipped,
                       (const char *)oracle + skipped, wraps, host, tally);
        }
    }
}

/* ------------------------------------------------------------------ the vendor's order */

/* Elements of one predicted run, in the window. */
typedef struct alike_elements {
    const rg_judge *judge;
    int64_t first, n; /* of the array */
    int32_t sum;
    const char *oracle; /* of `first` */
} alike_elements;

/* Writes what a sum gives for the first n of the elements. */
static rs_status add_alike(const alike_elements *e, int32_t sum, int64_t n, char *out,
                           rs_error *error) {
    const rg_job *job = e->judge->job;
    const void *inputs[RG_MOST_PREDICTED];
    const int64_t skipped = (e->first - e->judge->part.first) * rs_dtype_bytes(job->dtype);
    for (int32_t r = 0; r < job->schedule->n_ranks; r++) {
        inputs[r] = (const char *)e->judge->inputs[r] + skipped;
    }
    return rs_add_up(job->sums, sum, job->dtype, job->op, inputs, n, out, error);
}

enum { ENOUGH = 64 }; /* elements that tell orders apart */

/* Finds a sum of the job's table that gives the vendor's bits; -1: none. */
static rs_status find_like(const alike_elements *e, char *scratch, rs_error *error, int32_t *like) {
    const rg_job *job = e->judge->job;
    rs_arena arena;
    int64_t n;
    rs_arena_init(&arena, NULL);
    const int32_t *whole = rs_whole_sums(job->sums, &arena, &n);
    rs_status status = whole != NULL ? RS_OK : rs_no_memory(error);
    for (int64_t i = 0; status == RS_OK && i < n && *like < 0; i++) {
        status = add_alike(e, whole[i], e->n, scratch, error);
        if (status == RS_OK && rs_equal(job->dtype, scratch, e->oracle, e->n)) *like = whole[i];
    }
    rs_arena_free(&arena);
    return status;
}

static rs_status judge_alike(const alike_elements *e, char *scratch, rs_error *error,
                             rg_unlike *unlike) {
    const rs_dtype dtype = e->judge->job->dtype;
    const size_t bytes = (size_t)rs_dtype_bytes(dtype);
    const rs_status status = add_alike(e, e->sum, e->n, scratch, error);
    if (status != RS_OK || rs_equal(dtype, scratch, e->oracle, e->n)) return status;
    const bool is_first = unlike->n == 0;
    for (int64_t i = 0; i < e->n; i++) {
        const char *wanted = scratch + i * (int64_t)bytes, *got = e->oracle + i * (int64_t)bytes;
        if (rs_equal(dtype, wanted, got, 1) || unlike->n++ > 0) continue;
        unlike->element = e->first + i;
        memcpy(&unlike->wanted, wanted, bytes);
        memcpy(&unlike->got, got, bytes);
    }
    if (!is_first) return RS_OK;
    alike_elements rest = *e;
    rest.first = unlike->element;
    rest.n -= unlike->element - e->first;
    if (rest.n > ENOUGH) rest.n = ENOUGH;
    rest.oracle += (unlike->element - e->first) * (int64_t)bytes;
    return find_like(&rest, scratch, error, &unlike->like);
}

rs_status rg_judge_predicted(rg_judge *judge, int32_t rank, const void *oracle, const rs_host *host,
                             rs_error *error, rg_unlike *unlike) {
    enum { BLOCK = 1024 }; /* elements */
    const rg_job *job = judge->job;
    const rs_part *part = &judge->part;
    const int64_t bytes = rs_dtype_bytes(job->dtype);
    char scratch[BLOCK * sizeof(uint64_t)];
    rs_status status = RS_OK;
    *unlike = (rg_unlike){.rank = rank, .like = -1};
    assert(job->schedule->n_ranks <= RG_MOST_PREDICTED && job->predicted->count == job->count);
    for (first_window(&judge->part);
         status == RS_OK && next_window(&judge->part, judge->most) && fill_window(judge, host);) {
        for (int64_t i = 0; i < job->predicted->n_runs && status == RS_OK; i++) {
            const rs_bits_run *run = &job->predicted->runs[i];
            const rg_range here =
                rg_within((rg_range){run->first, run->count}, part->first, part->n);
            for (rg_range range = {here.first, 0};
                 here.n > 0 && rg_next_answer(job, rank, &range);) {
                const rg_range own = rg_within(range, here.first, here.n);
                if (own.n == 0) break;
                for (int64_t at = 0; at < own.n && status == RS_OK; at += BLOCK) {
                    const int64_t n = own.n - at < BLOCK ? own.n - at : BLOCK;
                    const int64_t first = own.first + at;
                    const alike_elements e = {judge, first, n, run->sum,
                                              (const char *)oracle + first * bytes};
                    status = judge_alike(&e, scratch, error, unlike);
                }
            }
        }
    }
    return status;
}

/* ------------------------------------------------------------------ which runs are judged */

bool rg_is_judged(const rg_job *job, int32_t run) {
    return run >= 0 && (job->check_every || run == job->times - 1);
}

void rg_count_run(rg_result *result, int32_t run, int64_t n_wrong) {
    assert(run >= 1);
    assert(n_wrong >= 0);
    result->n_checked++;
    result->n_wrong += n_wrong;
    if (n_wrong == 0) return;
    result->n_wrong_runs++;
    if (result->first_wrong_run == 0) result->first_wrong_run = run;
}
