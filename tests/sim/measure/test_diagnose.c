/* test_diagnose.c: drawn runs against a plain account of their links: each one's line, what share of the median link's time it
 * takes, which is the slowest, and whether that is more than chance; how fast additions are.
 */
#include "ringsim.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, LINKS = RANKS * RANKS, MOST = 600, ROOM = 1 << 16 };

static uint64_t state;
static int draw(int below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (int)((uint32_t)(state >> 33) % (uint32_t)below);
}

static char text[ROOM];
static size_t n_text;
#define ADD(...)                                                                                   \
    do {                                                                                           \
        n_text += (size_t)snprintf(text + n_text, ROOM - n_text, __VA_ARGS__);                     \
        cr_assert_lt(n_text, ROOM - 1);                                                            \
    } while (0)

static rs_sample samples[LINKS][MOST];
static int n_samples[LINKS];
static double additions[MOST];
static int n_additions;

/* Runs of some sizes, a message a step, over links of which one may be slower in what it begins with or in its bandwidth. */
static void make_runs(uint64_t seed) {
    static const int64_t latencies[] = {0, 5000, 200000};
    state = seed;
    const int n_runs = 1 + draw(6), n_used = 1 + draw(8), kind = draw(4);
    const int n_sizes = 1 + draw(3), noise = draw(3) ? 1 + draw(4) : 30;
    const int64_t latency = latencies[draw(3)];
    int used[8];
    for (int i = 0; i < n_used; i++) {
        const int src = draw(RANKS), dst = (src + 1 + draw(RANKS - 1)) % RANKS;
        used[i] = src * RANKS + dst;
    }
    const int slow = used[0];
    memset(n_samples, 0, sizeof n_samples);
    n_additions = 0;
    n_text = 0;
    ADD("ringsim-trace 1\nsimulated\nranks %d\n", (int)RANKS);
    for (int run = 0; run < n_runs; run++) {
        const int64_t count = run % n_sizes == 0 ? 100 + 100 * draw(2)
                              : draw(6) == 0     ? 0
                                                 : 40000 << draw(3);
        const int dead = draw(5) == 0 ? draw(RANKS) : -1;
        ADD("run\ntype i32 sum\ncount %d\nchunks 1\n", (int)count);
        if (dead >= 0) ADD("entered %d 0\n", dead);
        for (int i = 0, n = 1 + draw(20); i < n; i++) {
            const int link = used[draw(n_used)], src = link / RANKS, dst = link % RANKS;
            const bool reduces = draw(2), is_slow = link == slow;
            ADD("%d %d %d 0 %s 0 ", i, src, dst, reduces ? "reduce" : "copy");
            if (src == dead || dst == dead) {
                ADD("- - -\n");
                continue;
            }
            const int64_t wire = 4 * count * (is_slow && kind == 1 ? 90 : 30),
                          begins = is_slow && kind == 2 ? 400000 : latency,
                          span = (wire + begins) * (100 + draw(noise)) / 100, start = draw(1000),
                          adds = draw(3) == 0 ? 0 : count * (3 + draw(5));
            ADD("%lld %lld %lld\n", (long long)start, (long long)(start + span),
                (long long)(start + span + adds));
            samples[link][n_samples[link]++] = (rs_sample){4 * count, span};
            if (reduces && count > 0) additions[n_additions++] = (double)adds / (double)(4 * count);
        }
    }
}

static int by_number(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The middle one, of an even number the lower. */
static double median(double values[], int n) {
    if (n == 0) return 0;
    qsort(values, (size_t)n, sizeof *values, by_number);
    return values[(n - 1) / 2];
}

static double at_size(const rs_line_fit *line, double n_bytes) {
    return fmax(1, line->alpha_ps + line->ps_per_byte * n_bytes);
}

/* The middle of a link's times for a size, of an even number the mean of both; -1: it has none. */
static double typical_span(int link, int64_t n_bytes) {
    double spans[MOST];
    int n = 0;
    for (int i = 0; i < n_samples[link]; i++)
        if (samples[link][i].n_bytes == n_bytes) spans[n++] = (double)samples[link][i].span_ps;
    if (n == 0) return -1;
    qsort(spans, (size_t)n, sizeof *spans, by_number);
    return fmax(1, (spans[(n - 1) / 2] + spans[n / 2]) / 2);
}

/* A link's share without lines: size by size over the median of those that have the size; of those the median. */
static double share_by_size(int link, const int links[], int n_links) {
    double shares[MOST];
    int n = 0;
    for (int i = 0; i < n_samples[link]; i++) {
        const int64_t n_bytes = samples[link][i].n_bytes;
        bool seen = false;
        for (int k = 0; k < i; k++) seen = seen || samples[link][k].n_bytes == n_bytes;
        if (seen) continue;
        double spans[LINKS];
        int n_spans = 0;
        for (int k = 0; k < n_links; k++) {
            const double span = typical_span(links[k], n_bytes);
            if (span >= 0) spans[n_spans++] = span;
        }
        shares[n++] = typical_span(link, n_bytes) / median(spans, n_spans);
    }
    return median(shares, n);
}

static void close_to(double found, double wanted, const char *what, uint64_t seed) {
    cr_assert(fabs(found - wanted) <= 1e-9 * fabs(wanted), "%d: %s: %g, not %g", (int)seed, what,
              found, wanted);
}

Test(diagnose, links_are_judged_as_accounted_for) {
    int n_split = 0, n_not = 0, n_out = 0, n_latency = 0, n_least = 0;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        rs_arena arena;
        rs_error error;
        rs_recording *runs;
        rs_diagnosis d;
        int32_t n_runs;
        int links[LINKS], n = 0, slowest = -1;
        rs_line_fit lines[LINKS];
        double values[LINKS], shares[LINKS];
        bool split = true, at_least[LINKS] = {false};
        int64_t least = INT64_MAX, most = 0;
        rs_arena_init(&arena, NULL);
        make_runs(seed);
        cr_assert_eq(rs_parse_trace(text, n_text, &arena, &error, &runs, &n_runs), RS_OK, "%s%s",
                     text, error.text);
        cr_assert_eq(rs_diagnose(runs, n_runs, &arena, &error, &d), RS_OK, "%s", error.text);
        for (int link = 0; link < LINKS; link++) {
            if (n_samples[link] == 0) continue;
            cr_assert_eq(rs_fit_line(samples[link], n_samples[link], &arena, &error, &lines[n]),
                         RS_OK);
            split = split && lines[n].split;
            if (lines[n].least_bytes < least) least = lines[n].least_bytes;
            if (lines[n].most_bytes > most) most = lines[n].most_bytes;
            links[n++] = link;
        }
        cr_assert_eq(d.n_links, n, "%d: %d", (int)seed, (int)d.n_links);
        cr_assert_eq(d.split, split);
        const double per_byte = median(additions, n_additions);
        cr_assert_eq(d.reduce_Bps, per_byte > 0 ? (uint64_t)llround(1e12 / per_byte) : 0);
        if (n == 0) {
            cr_assert_eq(d.slowest, -1);
            rs_arena_free(&arena);
            continue;
        }
        double middle[2];
        for (int end = 0; end < 2; end++) {
            for (int i = 0; i < n; i++)
                values[i] = at_size(&lines[i], (double)(end ? most : least));
            middle[end] = median(values, n);
        }
        for (int i = 0; i < n; i++) {
            const double small = at_size(&lines[i], (double)least) / middle[0],
                         large = at_size(&lines[i], (double)most) / middle[1];
            at_least[i] = split && small > 1.1 * large;
            shares[i] = !split ? share_by_size(links[i], links, n) : at_least[i] ? small : large;
            if (slowest < 0 || shares[i] > shares[slowest]) slowest = i;
            const rs_link_fit *found = &d.links[i];
            cr_assert(found->src == links[i] / RANKS && found->dst == links[i] % RANKS);
            cr_assert_eq(memcmp(&found->line, &lines[i], sizeof lines[i]), 0, "%d: line %d",
                         (int)seed, i);
            close_to(found->share, shares[i], "share", seed);
        }
        for (int i = 0; i < n; i++) values[i] = lines[i].alpha_ps;
        const double alpha_ps = median(values, n);
        for (int i = 0; i < n; i++) values[i] = lines[i].ps_per_byte;
        const double ps_per_byte = median(values, n);
        for (int i = 0; i < n; i++) values[i] = lines[i].typical;
        const double typical = median(values, n);
        close_to(d.alpha_ps, alpha_ps, "alpha", seed);
        close_to(d.ps_per_byte, ps_per_byte, "1/B", seed);
        close_to(d.typical, typical, "typical", seed);
        cr_assert_eq(d.slowest, slowest, "%d: %d, not %d", (int)seed, (int)d.slowest, slowest);
        const rs_line_fit *slow = &lines[slowest];
        const int64_t n_bytes = !split ? slow->most_bytes : at_least[slowest] ? least : most;
        cr_assert_eq(d.bytes, n_bytes);
        const bool out = shares[slowest] > 1.1 && shares[slowest] > 1 + 3 * typical;
        cr_assert_eq(d.stands_out, out, "%d: %g", (int)seed, shares[slowest]);
        const double more_ps = slow->alpha_ps - alpha_ps,
                     wire_ps = (slow->ps_per_byte - ps_per_byte) * (double)n_bytes;
        cr_assert_eq(d.latency_bound, split && more_ps > wire_ps, "%d", (int)seed);
        n_split += split, n_not += !split, n_out += out;
        n_latency += d.latency_bound, n_least += at_least[slowest];
        rs_arena_free(&arena);
    }
    cr_expect(n_split > 300 && n_not > 300 && n_out > 200 && n_latency > 50 && n_least > 50,
              "%d %d %d %d %d", n_split, n_not, n_out, n_latency, n_least);
}
