/* test_inputs.c: special values are what their names say in every type, as many as there are to be, at places that all ranks share;
 * all else is the data without them, in whatever windows it is made.
 */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "job/backend.h"
#include "support/naive_apply.h"

enum { N = 5, MOST = 1000 };

typedef struct layout { /* of a type's bits */
    int n_bits, n_mantissa;
    bool has_sign;
} layout;
static const layout layouts[RS_N_DTYPES] = {
    [RS_I8] = {8, 0, true},    [RS_U8] = {8, 0, false},   [RS_I32] = {32, 0, true},
    [RS_U32] = {32, 0, false}, [RS_I64] = {64, 0, true},  [RS_U64] = {64, 0, false},
    [RS_F16] = {16, 10, true}, [RS_BF16] = {16, 7, true}, [RS_F32] = {32, 23, true},
    [RS_F64] = {64, 52, true},
};

/* An element without its sign, and its sign, where the type has one. */
typedef struct element {
    uint64_t rest;
    bool negative;
} element;

static element element_at(rs_dtype dtype, const void *array, int64_t i) {
    const size_t n_bytes = (size_t)rs_dtype_bytes(dtype);
    const layout *l = &layouts[dtype];
    uint64_t bits = 0;
    memcpy(&bits, (const char *)array + (size_t)i * n_bytes, n_bytes);
    if (!l->has_sign) return (element){bits, false};
    const uint64_t sign = (uint64_t)1 << (l->n_bits - 1);
    return (element){bits & ~sign, (bits & sign) != 0};
}

static bool is_special(rs_dtype dtype, rg_special special, element e) {
    const layout *l = &layouts[dtype];
    const uint64_t one = (uint64_t)1 << l->n_mantissa, fraction = e.rest & (one - 1);
    const uint64_t largest =
        ((uint64_t)2 << (l->n_bits - 1 - l->has_sign)) - 1;               /* all but the sign */
    const bool top = e.rest >> l->n_mantissa == largest >> l->n_mantissa; /* the exponent's */
    if (l->n_mantissa == 0) {
        if (special != RG_OVERFLOW) return false;
        return l->has_sign ? e.rest == (e.negative ? 0 : largest)
                           : e.rest == 0 || e.rest == largest;
    }
    switch (special) {
    case RG_NAN: return top && fraction >= one / 2;
    case RG_INF: return top && fraction == 0;
    case RG_NEGATIVE_ZERO: return e.rest == 0;
    case RG_SUBNORMAL: return e.rest > 0 && e.rest < one / 2;
    case RG_OVERFLOW: return e.rest == (largest & ~(one - 1)) - 1;
    default: return false;
    }
}

static const double numbers[N] = {1, 2, 3, 4, 5};

static rg_job job_of(const rs_schedule *s, rs_dtype dtype, rg_special special, int64_t count,
                     uint64_t seed) {
    return (rg_job){.schedule = s,
                    .dtype = dtype,
                    .op = RS_SUM,
                    .count = count,
                    .data = RS_DATA_LIST, /* small numbers, none of which is special */
                    .list = numbers,
                    .seed = seed,
                    .special = special,
                    .times = 1,
                    .flip_rank = -1};
}

typedef struct tally {
    int64_t n_places, n_planted, n_negative; /* elements of the array; of all ranks */
    int64_t of_rank[N], n_alone, n_both;     /* elements of one rank alone; with both signs */
    int64_t all_negative;
} tally;

/* Fills all ranks, looks at each element, and counts those that were planted. */
static void count_planted(const rg_job *job, tally *t) {
    static double with[N][MOST], without[MOST];
    rg_job plain = *job;
    plain.special = RG_PLAIN;
    for (int32_t r = 0; r < N; r++) rg_fill(job, r, NULL, with[r]);
    for (int64_t i = 0; i < job->count; i++) {
        int n = 0, n_negative = 0;
        for (int32_t r = 0; r < N; r++) {
            const element e = element_at(job->dtype, with[r], i);
            if (!is_special(job->dtype, job->special, e)) continue;
            n++;
            n_negative += e.negative;
            t->of_rank[r]++;
        }
        t->n_places += n > 0;
        t->n_planted += n;
        t->n_negative += n_negative;
        t->n_alone += n == 1;
        t->n_both += n_negative > 0 && n_negative < n;
        t->all_negative += n_negative == N;
    }
    for (int32_t r = 0; r < N; r++) { /* all else is as it would be */
        rg_fill(&plain, r, NULL, without);
        const int64_t bytes = rs_dtype_bytes(job->dtype);
        for (int64_t i = 0; i < job->count; i++) {
            const bool planted =
                is_special(job->dtype, job->special, element_at(job->dtype, with[r], i));
            cr_assert(planted || memcmp((char *)with[r] + i * bytes, (char *)without + i * bytes,
                                        (size_t)bytes) == 0,
                      "%s %s rank %d at %d", rs_dtype_name(job->dtype),
                      rg_special_name(job->special), (int)r, (int)i);
        }
    }
}

static bool about(double a, double wanted, double off) {
    return fabs(a - wanted) <= off;
}

/* How many of n draws among so many elements are different ones, on average. */
static double different(int n, int count) {
    return count * (1 - pow(1 - 1.0 / count, n));
}

/* Of NaN and infinities ranks take turns; where an odd draw gives one rank an infinity, another has the negative one. */
static int turns_of(rg_special special, int rank, int draws) {
    int n = 0;
    for (int k = 0; k < draws; k++) {
        const bool own = k % N == rank, other = k % 2 == 1 && k / 2 % N == rank;
        n += special == RG_NAN ? own : special == RG_INF ? own || other : true;
    }
    return n;
}

/* 2 N + count / 8 draws among the elements; how many of those differ is known on average. */
Test(inputs, as_many_special_values_as_there_are_to_be) {
    enum { COUNT = 1000, SEEDS = 100 };
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, COUNT);
    const int draws = 2 * N + COUNT / 8;
    const double wanted = different(draws, COUNT);
    for (int d = 0; d < RS_N_DTYPES; d++) {
        for (int k = RG_PLAIN; k < RG_N_SPECIALS; k++) {
            tally t = {0};
            for (int seed = 0; seed < SEEDS; seed++) {
                const rg_job job = job_of(&s, (rs_dtype)d, (rg_special)k, COUNT, (uint64_t)seed);
                count_planted(&job, &t);
            }
            const bool none = k == RG_PLAIN || (layouts[d].n_mantissa == 0 && k != RG_OVERFLOW);
            const double places = (double)t.n_places / SEEDS;
            const double a_place = (double)t.n_planted / (double)t.n_places;
            const double negative = (double)t.n_negative / (double)t.n_planted;
            const char *name = rg_special_name((rg_special)k);
            const char *type = rs_dtype_name((rs_dtype)d);
            if (none) {
                cr_expect_eq(t.n_planted, 0, "%s %s", type, name);
                continue;
            }
            for (int r = 0; r < N; r++) {
                const double had = (double)t.of_rank[r] / SEEDS;
                const double due = different(turns_of((rg_special)k, r, draws), COUNT);
                cr_expect(about(had, due, 0.4 + 0.002 * due * (due > 100)),
                          "%s %s rank %d: %g, not %g", type, name, r, had, due);
            }
            cr_expect(about(places, wanted, 1.2), "%s %s: %g places", type, name, places);
            /* Every third zero is negative on all ranks, an infinity meets its negative at four places of ten. */
            const double minus = k == RG_NEGATIVE_ZERO ? 1 / 3.0 + 1 / 3.0
                                 : k == RG_INF         ? 0.4 / 1.4
                                                       : 0.5;
            if (layouts[d].has_sign)
                cr_expect(about(negative, minus, 0.03), "%s %s: %g negative", type, name, negative);
            if (k == RG_NAN)
                cr_expect(t.n_alone > t.n_places * 9 / 10 && about(a_place, 1.05, 0.05), "%g",
                          a_place);
            if (k == RG_INF)
                cr_expect(t.n_both > t.n_places / 3 && about(a_place, 1.47, 0.03), "%g", a_place);
            if (k == RG_NEGATIVE_ZERO)
                cr_expect(t.all_negative > t.n_places / 3 && t.n_both > t.n_places / 2);
        }
    }
}

/* Not more than a few thousand of a large array, and of a small one each element. */
Test(inputs, of_large_arrays_a_few_elements_and_of_small_ones_all) {
    enum { LARGE = 200000, DRAWS = 4096 };
    static float large[LARGE];
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, LARGE);
    const rg_job job = job_of(&s, RS_F32, RG_OVERFLOW, LARGE, 3);
    int64_t n = 0;
    rg_fill(&job, 1, NULL, large);
    for (int64_t i = 0; i < LARGE; i++)
        n += is_special(RS_F32, RG_OVERFLOW, element_at(RS_F32, large, i));
    cr_expect(n <= DRAWS && n > DRAWS * 97 / 100, "%d", (int)n);
    for (int seed = 0; seed < 50; seed++) {
        for (int64_t count = 0; count <= 1; count++) {
            const rs_schedule small = make_schedule("ring", RS_ORDER_SEED, N, count);
            const rg_job one = job_of(&small, RS_F32, RG_OVERFLOW, count, (uint64_t)seed);
            tally t = {0};
            count_planted(&one, &t);
            cr_expect_eq(t.n_planted, N * count);
        }
    }
}

/* Payloads, and values below the normal ones, are of many kinds. */
Test(inputs, no_two_of_many_special_values_are_alike) {
    enum { COUNT = 1000 };
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, COUNT);
    static const rg_special kinds[] = {RG_NAN, RG_SUBNORMAL};
    for (int k = 0; k < 2; k++) {
        uint64_t seen[COUNT];
        double array[COUNT], sum = 0;
        uint64_t any = 0;
        int n = 0, n_twice = 0;
        for (uint64_t seed = 0; seed < 20 && n < COUNT; seed++) {
            const rg_job job = job_of(&s, RS_F64, kinds[k], COUNT, seed);
            rg_fill(&job, 2, NULL, array);
            for (int i = 0; i < COUNT && n < COUNT; i++) {
                const element e = element_at(RS_F64, array, i);
                if (!is_special(RS_F64, kinds[k], e)) continue;
                seen[n] = e.rest & (((uint64_t)1 << 51) - 1);
                any |= seen[n];
                sum += (double)seen[n] * 0x1p-51;
                for (int m = 0; m < n; m++) n_twice += seen[m] == seen[n];
                n++;
            }
        }
        cr_expect_eq(any, ((uint64_t)1 << 51) - 1, "a bit of them is never set");
        cr_expect(n > 200 && n_twice == 0, "%d twice of %d", n_twice, n);
        cr_expect(about(sum / n, 0.5, 0.08), "%g", sum / n);
    }
}

/* In windows of any size, each made by itself, an array is the same. */
Test(inputs, parts_of_an_array_are_parts_of_the_whole) {
    enum { COUNT = 300 };
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, COUNT);
    uint64_t state = 9;
    for (int turn = 0; turn < 300; turn++) {
        const rs_dtype dtype = (rs_dtype)random_below(&state, RS_N_DTYPES);
        const rg_job job = job_of(&s, dtype, (rg_special)random_below(&state, RG_N_SPECIALS), COUNT,
                                  (uint64_t)turn);
        const int32_t rank = random_below(&state, N);
        const int64_t bytes = rs_dtype_bytes(dtype);
        double whole[COUNT], part[COUNT];
        rg_fill(&job, rank, NULL, whole);
        for (int64_t first = 0, n; first < COUNT; first += n) {
            n = 1 + random_below(&state, 90);
            if (n > COUNT - first) n = COUNT - first;
            memset(part, 0x5a, sizeof part);
            rg_fill_part(&job, rank, first, n, part);
            cr_assert_arr_eq(part, (char *)whole + first * bytes, (size_t)(n * bytes));
            for (size_t i = (size_t)(n * bytes); i < sizeof part; i++) {
                cr_assert_eq(((char *)part)[i], 0x5a, "written behind its end");
            }
        }
    }
}

/* ------------------------------------------------------------------ progress */

enum { MOST_LOOKS = 16 };
typedef struct looks {
    int64_t done[MOST_LOOKS], total[MOST_LOOKS];
    int n;
} looks;

static bool look(void *context, const char *what, int64_t done, int64_t total) {
    looks *l = context;
    cr_assert_lt(l->n, MOST_LOOKS);
    cr_expect_str_eq(what, "filling the arrays");
    l->done[l->n] = done;
    l->total[l->n++] = total;
    return l->n < MOST_LOOKS - 1;
}

/* The host is asked before each part of a few megabytes, and hears how many elements of all ranks' are done. */
Test(inputs, progress_counts_the_elements_of_all_ranks) {
    enum { PART = RG_PART_BYTES / 8, COUNT = 2 * PART + 5, RANKS = 3 };
    static double arrays[RANKS][COUNT];
    void *const all[RANKS] = {arrays[0], arrays[1], arrays[2]};
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, RANKS, COUNT);
    const rg_job job = job_of(&s, RS_F64, RG_PLAIN, COUNT, 1);
    for (int which = 0; which < 3; which++) {
        looks l = {.n = 0};
        const rs_host host = {.context = &l, .progress = look};
        const bool filled =
            which < 2 ? rg_fill(&job, 2 * which, &host, arrays[0]) : rg_fill_all(&job, &host, all);
        cr_expect(filled && l.n == 3);
        for (int i = 0; i < 3 && l.n == 3; i++) {
            const int64_t done =
                which < 2 ? 2 * which * COUNT + i * PART : (int64_t)i * PART * RANKS;
            cr_expect(l.done[i] == done && l.total[i] == (int64_t)RANKS * COUNT, "%d: %lld of %lld",
                      i, (long long)l.done[i], (long long)l.total[i]);
        }
    }
}
