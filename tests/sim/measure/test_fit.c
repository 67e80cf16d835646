/* Fitting alpha and B: lines through noise and outliers, and the slow link named. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ringsim.h"

static rs_arena arena;
static rs_error error;
static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}
static void close_arena(void) {
    rs_arena_free(&arena);
}
TestSuite(fit, .init = open_arena, .fini = close_arena);

/* Even numbers in -1..1 from a seed (xorshift64*). */
static double noise(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 2685821657736338717u) >> 11) / 4503599627370496.0 - 1;
}

static void near(double value, double wanted, double share, const char *what) {
    cr_expect(fabs(value / wanted - 1) <= share, "%s: %g, not %g", what, value, wanted);
}

/* ------------------------------------------------------------------ one line */

enum { MOST = 4096 };
static rs_sample samples[MOST];

/* 5 us and 20 GB/s (50 ps a byte) at 1 KiB, 2 KiB, ... */
static int64_t make_samples(int n_sizes, int each, double off, uint64_t seed) {
    int64_t n = 0;
    for (int s = 0; s < n_sizes; s++) {
        for (int i = 0; i < each; i++) {
            const double exact = 5e6 + 50.0 * (double)(1024 << s);
            samples[n++] = (rs_sample){1024 << s, llround(exact * (1 + off * noise(&seed)))};
        }
    }
    return n;
}

static rs_line_fit fit(int64_t n) {
    rs_line_fit line;
    cr_assert_eq(rs_fit_line(samples, n, &arena, &error, &line), RS_OK, "%s", error.text);
    cr_expect_eq(line.n_samples, n);
    return line;
}

Test(fit, an_exact_line_is_found_to_the_rounding) {
    const rs_line_fit line = fit(make_samples(16, 2, 0, 1));
    cr_expect(line.split);
    near(line.alpha_ps, 5e6, 1e-6, "alpha");
    near(line.ps_per_byte, 50, 1e-6, "1/B");
    cr_expect(line.worst < 1e-6 && line.n_outliers == 0);
    const rs_link link = rs_link_of(line.alpha_ps, line.ps_per_byte);
    cr_expect(llabs(link.alpha_ps - 5000000) <= 1);
    cr_expect(fabs((double)link.bandwidth_Bps / 20e9 - 1) < 1e-6);
}

Test(fit, noise_of_three_percent_moves_both_by_less_than_it) {
    for (uint64_t seed = 1; seed <= 50; seed++) {
        const rs_line_fit line = fit(make_samples(16, 10, 0.03, seed));
        near(line.alpha_ps, 5e6, 0.02, "alpha");
        near(line.ps_per_byte, 50, 0.02, "1/B");
        cr_expect(fabs(line.alpha_ps - 5e6) < 5 * line.alpha_error_ps);
        cr_expect(fabs(line.ps_per_byte - 50) < 5 * line.ps_per_byte_error);
        cr_expect(line.typical < 0.03 && line.typical > 0.005);
    }
}

Test(fit, a_fifth_of_the_samples_may_be_ten_times_too_slow) {
    for (uint64_t seed = 1; seed <= 50; seed++) {
        const int64_t n = make_samples(16, 10, 0.03, seed);
        int64_t spoilt = 0;
        for (int64_t i = 3; i < n; i += 5, spoilt++) samples[i].span_ps *= 10;
        const rs_line_fit line = fit(n);
        near(line.alpha_ps, 5e6, 0.03, "alpha");
        near(line.ps_per_byte, 50, 0.03, "1/B");
        cr_expect_eq(line.n_outliers, spoilt);
        cr_expect(line.worst > 8);
    }
}

Test(fit, a_size_measured_once_and_wrong_hardly_matters) {
    const int64_t n = make_samples(16, 1, 0.01, 7);
    samples[4].span_ps *= 10;
    samples[13].span_ps *= 10;
    const rs_line_fit line = fit(n);
    near(line.alpha_ps, 5e6, 0.05, "alpha");
    near(line.ps_per_byte, 50, 0.05, "1/B");
}

/* ------------------------------------------------------------------ any samples */

static void shuffle(uint64_t *state, int64_t n) {
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t k = (int64_t)((noise(state) + 1) / 2 * (double)(i + 1)) % (i + 1);
        const rs_sample swap = samples[i];
        samples[i] = samples[k], samples[k] = swap;
    }
}

/* Noisy samples of drawn sizes, some sizes often and some once, in any order; some ten times too slow.
   Returns how many. */
static int64_t draw_samples(uint64_t *state, int n_sizes) {
    int64_t n = 0;
    for (int s = 0; s < n_sizes; s++) {
        const int64_t n_bytes = (int64_t)exp(12 + 6 * noise(state));
        for (int i = 0; i <= (int)(4 * (noise(state) + 1)); i++) {
            const double exact = 3e6 + 80.0 * (double)n_bytes, late = noise(state) > 0.9 ? 10 : 1;
            samples[n++] = (rs_sample){n_bytes, llround(late * exact * (1 + 0.03 * noise(state)))};
        }
    }
    shuffle(state, n);
    return n;
}

static int by_off(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void expect_scaled(const rs_line_fit *a, const rs_line_fit *b, double span, double bytes) {
    cr_expect_eq(a->n_outliers, b->n_outliers);
    cr_expect_eq(a->split, b->split);
    near(b->alpha_ps + 1, span * a->alpha_ps + 1, 1e-6, "alpha");
    near(b->ps_per_byte, span / bytes * a->ps_per_byte, 1e-6, "1/B");
    near(b->alpha_error_ps + 1, span * a->alpha_error_ps + 1, 1e-6, "error of alpha");
    near(b->ps_per_byte_error + 1, span / bytes * a->ps_per_byte_error + 1, 1e-6, "error of 1/B");
    near(1 + b->typical, 1 + a->typical, 1e-6, "typical");
    near(1 + b->worst, 1 + a->worst, 1e-6, "worst");
}

/* A line knows no order and no unit: seconds and bits would give the same. */
Test(fit, the_order_and_the_units_of_samples_do_not_matter) {
    static rs_sample kept[MOST];
    uint64_t state = 3;
    for (int k = 0; k < 200; k++) {
        const int64_t n = draw_samples(&state, 1 + k % 14);
        memcpy(kept, samples, (size_t)n * sizeof *samples);
        const rs_line_fit line = fit(n);
        for (int64_t i = 0; i < n; i++) samples[i] = kept[n - 1 - i];
        const rs_line_fit backwards = fit(n);
        cr_expect_arr_eq(&line, &backwards, sizeof line, "case %d", k);
        for (int64_t i = 0; i < n; i++) {
            samples[i] = (rs_sample){kept[i].n_bytes * 8, kept[i].span_ps * 4};
        }
        const rs_line_fit scaled = fit(n);
        expect_scaled(&line, &scaled, 4, 8);
        double off[MOST];
        for (int64_t i = 0; i < n; i++) {
            const double fitted =
                fmax(1, line.alpha_ps + line.ps_per_byte * (double)kept[i].n_bytes);
            off[i] = fabs((double)kept[i].span_ps - fitted) / fitted;
        }
        qsort(off, (size_t)n, sizeof *off, by_off);
        near(1 + line.worst, 1 + off[n - 1], 1e-9, "worst");
        near(1 + line.typical, 1 + off[(n - 1) / 2], 1e-9, "typical");
    }
}

/* One size: all is bandwidth, the mean of those that are no outliers. */
Test(fit, equal_sizes_in_any_order_give_the_mean_without_outliers) {
    uint64_t state = 5;
    for (int k = 0; k < 100; k++) {
        const int64_t n = 5 + k % 40, n_bytes = 1 + (int64_t)(5e5 * (noise(&state) + 1));
        double sum = 0;
        int64_t spoilt = 0;
        for (int64_t i = 0; i < n; i++) {
            const bool late = i % 5 == k % 5 && spoilt < (n - 1) / 4;
            const int64_t span_ps = llround(7e9 * (1 + 0.02 * noise(&state)));
            samples[i] = (rs_sample){n_bytes, late ? 10 * span_ps : span_ps};
            spoilt += late;
            sum += late ? 0 : (double)span_ps;
        }
        shuffle(&state, n);
        const rs_line_fit line = fit(n);
        cr_expect_not(line.split);
        cr_expect_eq(line.alpha_ps, 0);
        cr_expect_eq(line.n_outliers, spoilt, "case %d: %d, not %d", k, (int)line.n_outliers,
                     (int)spoilt);
        near(line.ps_per_byte * (double)n_bytes, sum / (double)(n - spoilt), 1e-12, "the mean");
    }
}

Test(fit, one_size_is_not_split_however_many_elements_it_differs_by) {
    samples[0] = samples[1] = (rs_sample){1000000, 55000000};
    samples[2] = (rs_sample){1000004, 56000000};
    const rs_line_fit line = fit(3);
    cr_expect_not(line.split);
    cr_expect_eq(line.alpha_ps, 0);
    near(line.ps_per_byte, 55, 1e-3, "1/B");
}

Test(fit, neither_part_is_negative_and_empty_messages_have_latency_only) {
    for (int i = 0; i < 4; i++) samples[i] = (rs_sample){1000 << i, 9000000 - 1000000 * i};
    const rs_line_fit falls = fit(4);
    cr_expect(falls.ps_per_byte == 0 && falls.alpha_ps > 0);
    cr_expect_gt(rs_link_of(falls.alpha_ps, falls.ps_per_byte).bandwidth_Bps, 0);
    for (int i = 0; i < 4; i++) samples[i] = (rs_sample){1000 << i, (1 << 2 * i) * 10};
    const rs_line_fit bends = fit(4);
    cr_expect(bends.alpha_ps >= 0 && bends.ps_per_byte >= 0);
    for (int i = 0; i < 3; i++) samples[i] = (rs_sample){0, 5000000 + i};
    const rs_line_fit empty = fit(3);
    cr_expect(!empty.split && fabs(empty.alpha_ps - 5e6) < 10 && empty.ps_per_byte == 0);
    for (int i = 0; i < 3; i++) samples[i] = (rs_sample){i * 1000, 0};
    const rs_line_fit nothing = fit(3);
    cr_expect(nothing.alpha_ps >= 0 && nothing.alpha_ps <= 1 && nothing.worst <= 1);
}

/* ------------------------------------------------------------------ links */

enum { MOST_RECORDED = 32 };
static rs_recording recordings[MOST_RECORDED];

/* Runs with the links out of `rank` slower, at `n` sizes from 4 KiB a rank in fours; every span is
   moved by up to `off`. */
static void record(const char *algorithm, int32_t n_ranks, int n, int64_t first, int32_t rank,
                   uint64_t factor, double off, uint64_t seed) {
    const rs_fault fault = {
        .kind = RS_SLOW_LINK, .rank = rank, .factor_num = factor, .factor_den = 1};
    for (int i = 0; i < n; i++) {
        rs_report report;
        rs_schedule *schedule = rs_alloc(&arena, 1, sizeof *schedule);
        const int64_t count = first << 2 * i;
        rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, algorithm), RS_ORDER_SEED, n_ranks,
                         count, &error, schedule);
        const rs_request request = {.job = {.schedule = schedule,
                                            .count = count,
                                            .elem_bytes = 4,
                                            .net = {.link = {5000000, 20000000000}},
                                            .faults = &fault,
                                            .n_faults = 1},
                                    .dtype = RS_I32,
                                    .values = RS_VALUES_NONE,
                                    .trace_limit = INT64_MAX};
        cr_assert_eq(rs_run(&request, &arena, &error, &report), RS_OK, "%s", error.text);
        cr_assert_eq(rs_recording_of(&report, "", &arena, &error, &recordings[i]), RS_OK);
        for (int64_t k = 0; k < recordings[i].trace.n_items; k++) {
            rs_timed *timed = &recordings[i].trace.items[k];
            const double span = (double)(timed->end_ps - timed->start_ps);
            timed->end_ps = timed->done_ps =
                timed->start_ps + llround(span * (1 + off * noise(&seed)));
        }
    }
}

static rs_diagnosis diagnose(int n) {
    rs_diagnosis made;
    cr_assert_eq(rs_diagnose(recordings, n, &arena, &error, &made), RS_OK, "%s", error.text);
    return made;
}

static void names(const rs_diagnosis *d, int32_t src, double factor, double share) {
    cr_assert_geq(d->slowest, 0);
    const rs_link_fit *slow = &d->links[d->slowest];
    cr_expect(d->stands_out);
    cr_expect_eq(slow->src, src, "%d, not %d", (int)slow->src, (int)src);
    near(slow->share, factor, share, "factor");
}

Test(fit, a_link_four_times_as_slow_is_named_and_its_factor_found_within_five_percent) {
    static const char *const algorithms[] = {"ring", "doubling", "halving"};
    for (size_t a = 0; a < 3; a++) {
        for (int32_t n = 4; n <= 16; n *= 2) {
            for (uint64_t seed = 1; seed <= 10; seed++) {
                for (int noisy = 0; noisy < 2; noisy++) {
                    record(algorithms[a], n, 8, 4096, 3, 4, noisy ? 0.03 : 0, seed);
                    const rs_diagnosis d = diagnose(8);
                    cr_expect(d.split);
                    names(&d, 3, 4, 0.05);
                    near(d.links[d.slowest].line.alpha_ps, 4 * d.alpha_ps, 0.05, "alpha");
                    near(d.links[d.slowest].line.ps_per_byte, 4 * d.ps_per_byte, 0.05, "1/B");
                    near(d.alpha_ps, 5e6, 0.03, "the median's alpha");
                    near(d.ps_per_byte, 50, 0.03, "the median's 1/B");
                    cr_expect_not(d.latency_bound);
                }
            }
        }
    }
}

Test(fit, one_size_is_enough_to_name_it) {
    for (uint64_t seed = 1; seed <= 50; seed++) {
        record("ring", 5, 1, 25000000, 3, 4, 0.03, seed);
        const rs_diagnosis d = diagnose(1);
        cr_expect_not(d.split);
        names(&d, 3, 4, 0.05);
    }
}

Test(fit, links_that_are_all_alike_are_not_blamed) {
    for (uint64_t seed = 1; seed <= 50; seed++) {
        record("ring", 8, 6, 4096, 0, 1, 0.03, seed);
        const rs_diagnosis d = diagnose(6);
        cr_expect_not(d.stands_out, "seed %d: %g", (int)seed, d.links[d.slowest].share);
    }
}

/* Changes one link's spans to alpha + bytes x slope. */
static void spoil(int n, int32_t src, double alpha_ps, double ps_per_byte) {
    for (int i = 0; i < n; i++) {
        rs_recording *run = &recordings[i];
        for (int64_t k = 0; k < run->trace.n_items; k++) {
            rs_timed *timed = &run->trace.items[k];
            if (timed->transfer.src != src) continue;
            const int64_t n_bytes =
                4 * rs_transfer_count(&run->schedule, run->count, &timed->transfer);
            timed->end_ps = timed->done_ps =
                timed->start_ps + llround(alpha_ps + ps_per_byte * (double)n_bytes);
        }
    }
}

Test(fit, latency_and_bandwidth_are_told_apart) {
    record("ring", 4, 8, 4096, 0, 1, 0, 1);
    spoil(8, 2, 20e6, 50);
    const rs_diagnosis late = diagnose(8);
    names(&late, 2, (20e6 + 50 * 4096) / (5e6 + 50 * 4096), 0.01);
    cr_expect(late.latency_bound && late.bytes == 4096);
    spoil(8, 2, 5e6, 200);
    const rs_diagnosis thin = diagnose(8);
    cr_expect(thin.stands_out && !thin.latency_bound && thin.bytes == 4096 << 14);
}

static int ascending(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Whichever link it is: a tenth more is not reported, nor what the links' noise explains. */
Test(fit, a_link_stands_out_beyond_a_tenth_and_beyond_the_noise) {
    static const struct {
        double noise, factor;
        bool out;
    } cases[] = {{0, 1.09, false}, {0, 1.12, true}, {0.3, 1.2, false}, {0.3, 1.9, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int32_t src = 0; src < 5; src++) {
            record("ring", 5, 8, 5120, 0, 1, cases[i].noise, 7);
            spoil(8, src, 5e6 * cases[i].factor, 50 * cases[i].factor);
            const rs_diagnosis d = diagnose(8);
            double typical[5];
            for (int k = 0; k < 5; k++) typical[k] = d.links[k].line.typical;
            qsort(typical, 5, sizeof typical[0], ascending);
            cr_expect_eq(d.typical, typical[2]);
            cr_expect_eq(d.links[d.slowest].src, src);
            cr_expect_eq(d.stands_out, cases[i].out, "%g of noise, x %g: %g, typically %g",
                         cases[i].noise, cases[i].factor, d.links[d.slowest].share, d.typical);
        }
    }
    record("ring", 5, 8, 5120, 0, 1, 0, 1);
    const rs_diagnosis alike = diagnose(8);
    cr_expect(alike.slowest == 0 && !alike.stands_out);
}

/* What counts is how much more each part takes than on the median link, at the size of the largest share. */
Test(fit, of_both_parts_the_one_that_costs_more_bounds_a_slow_link) {
    record("ring", 4, 2, 4096, 0, 1, 0, 1);
    spoil(2, 1, 5.3e6, 51); /* 0.3 us more, and 16 ns more */
    const rs_diagnosis late = diagnose(2);
    cr_expect(late.split && late.latency_bound);
    spoil(2, 1, 6e6, 150); /* 1 us more, and 1.6 us more */
    const rs_diagnosis thin = diagnose(2);
    cr_expect(thin.split && !thin.latency_bound && thin.bytes == 16384);
}

Test(fit, the_speed_of_additions_is_found) {
    record("ring", 4, 2, 40000, 0, 1, 0, 1);
    for (int64_t k = 0; k < recordings[1].trace.n_items; k++) {
        recordings[1].trace.items[k].done_ps += 10 * 4 * 40000; /* 10 ps a byte */
    }
    cr_expect_eq(diagnose(1).reduce_Bps, 0);
    recordings[0] = recordings[1];
    near((double)diagnose(1).reduce_Bps, 100e9, 0.01, "additions");
}

Test(fit, transfers_that_never_happened_do_not_count) {
    record("ring", 4, 1, 4000, 0, 1, 0, 1);
    rs_trace *trace = &recordings[0].trace;
    for (int64_t k = 0; k < trace->n_items; k++) {
        trace->items[k].start_ps = trace->items[k].end_ps = trace->items[k].done_ps = -1;
    }
    const rs_diagnosis d = diagnose(1);
    cr_expect(d.n_links == 0 && d.slowest == -1);
}

/* Of very many sizes some pairs are enough, and stay within their room: the line is as good as of few. */
Test(fit, very_many_sizes_give_the_line_as_few_do) {
    for (int64_t n = 250; n <= MOST; n += n < 260 ? 1 : 769) {
        uint64_t seed = (uint64_t)n;
        for (int64_t i = 0; i < n; i++) {
            const double exact = 5e6 + 50.0 * (double)(1024 * (i + 1));
            samples[i] = (rs_sample){1024 * (i + 1), llround(exact * (1 + 0.03 * noise(&seed))) *
                                                         (i % 5 == 3 ? 10 : 1)};
        }
        const rs_line_fit line = fit(n);
        near(line.ps_per_byte, 50, 0.03, "1/B");
        cr_expect(fabs(line.alpha_ps - 5e6) < 6 * line.alpha_error_ps, "%g ps", line.alpha_ps);
    }
}

/* Latency and bandwidth are told apart where the longest message is half as long again as the shortest. */
Test(fit, sizes_are_split_from_half_as_much_again) {
    for (int64_t least = 2; least <= 2000; least += 333) {
        for (int64_t most = least; most <= 2 * least; most += least / 2 > 8 ? least / 8 : 1) {
            for (int64_t off = -1; off <= 1; off++) {
                const int64_t longest = most + off < least ? least : most + off;
                samples[0] = (rs_sample){least, 5000000 + 50 * least};
                samples[1] = (rs_sample){longest, 5000000 + 50 * longest};
                cr_expect_eq(fit(2).split, 2 * longest >= 3 * least, "%d and %d", (int)least,
                             (int)longest);
            }
        }
    }
}

/* A wire without bytes' time is as fast as one can be said to be, and no faster. */
Test(fit, a_link_has_a_finite_speed) {
    const rs_link none = rs_link_of(1e6, 0), little = rs_link_of(1e6, 1e-12);
    cr_expect_eq(none.bandwidth_Bps, little.bandwidth_Bps);
    cr_expect_gt(none.bandwidth_Bps, rs_link_of(1e6, 1).bandwidth_Bps);
    cr_expect_eq(none.alpha_ps, 1000000);
}
