/* fit_print.c: what `fit` found, in words and a table, the verdict last; and as one JSON object, schema ringsim.fit/1, in which
 * what is not known is null.
 *
 *     link     messages  latency          bandwidth          off    at most   x the median
 *     0 -> 1         16  5 us ± 12 ns     20 GB/s ± 0.1 %    0.6 %  2.9 %     1
 *     3 -> 4         16  20 us ± 49 ns    5 GB/s ± 0.1 %     0.7 %  3.1 %     4  <--
 */
#include "base/text.h"
#include "base/containers.h"
#include "fit/fit.h"
#include "base/json_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LISTED = 32, LISTED = 16, WIDTH = 100, TEXT = 64 };

static const double POOR = 0.1; /* so far off, typically, that the line says little */

/* ------------------------------------------------------------------ numbers */

static const char *time_text(double time_ps, char out[TEXT]) {
    rv_format_time((int64_t)llround(fmin(time_ps, 9e18)), out, TEXT);
    return out;
}

static const char *bytes_text(int64_t n_bytes, char out[TEXT]) {
    rv_format_bytes(n_bytes, out, TEXT);
    return out;
}

static const char *rate_text(double ps_per_byte, char out[TEXT]) {
    char bytes[TEXT];
    rv_format_bytes((int64_t)rs_link_of(0, ps_per_byte).bandwidth_Bps, bytes, sizeof bytes);
    snprintf(out, TEXT, "%.40s/s", bytes);
    return out;
}

static const char *share_text(double share, char out[TEXT]) {
    rv_format_ratio((int64_t)llround(fmin(share, 1e9) * 100), 100, out, TEXT);
    return out;
}

static const char *percent_text(double part, char out[TEXT]) {
    rv_format_percent((int64_t)llround(fmin(part, 1e6) * 10000), 10000, out, TEXT);
    return out;
}

/* ------------------------------------------------------------------ the verdict */

/* What is wrong with the slow link: its latency or its bandwidth. */
static void say_bound(const rc_fitted *fitted, FILE *out) {
    const rs_diagnosis *d = &fitted->diagnosis;
    const rs_link_fit *slow = &d->links[d->slowest];
    char alpha[TEXT], rate[TEXT], usual[TEXT], usual_rate[TEXT], size[TEXT];
    if (!d->split) {
        fprintf(
            out,
            _("one size of message only (%s), so alpha and B cannot be told apart: record a much "
              "smaller or larger one too and give both files; "),
            bytes_text(slow->line.most_bytes, size));
        return;
    }
    fprintf(out, _("alpha %s (median %s), B %s (median %s): "),
            time_text(slow->line.alpha_ps, alpha), time_text(d->alpha_ps, usual),
            rate_text(slow->line.ps_per_byte, rate), rate_text(d->ps_per_byte, usual_rate));
    fprintf(out, d->latency_bound ? _("latency-bound at that size; ")
                                  : _("bandwidth-bound at that size; "));
}

static void say_times(const rc_fitted *fitted, FILE *out) {
    char now[TEXT], mended[TEXT], recorded[TEXT];
    if (fitted->simulated_ps < 0) {
        fprintf(out, "%s", _("these links cannot be simulated: times would grow too large"));
        return;
    }
    time_text((double)fitted->simulated_ps, now);
    if (fitted->mended_ps >= 0) {
        fprintf(out, _("simulated: %s with these links, %s if that link were like the rest"), now,
                time_text((double)fitted->mended_ps, mended));
    } else {
        fprintf(out, _("simulated: %s with these links"), now);
    }
    if (fitted->recorded_ps < 0) return;
    fprintf(out, _(" (recorded: %s)"), time_text((double)fitted->recorded_ps, recorded));
}

/* How many other links are nearly as slow as the slowest: all that leave one GPU, perhaps. */
static int32_t count_alike(const rs_diagnosis *d) {
    static const double nearly = 0.8;
    const double excess = d->links[d->slowest].share - 1;
    int32_t n = -1;
    for (int32_t i = 0; i < d->n_links; i++) n += d->links[i].share - 1 >= nearly * excess;
    return n;
}

static void say_link(const rc_fitted *fitted, FILE *out) {
    const rs_diagnosis *d = &fitted->diagnosis;
    const rs_link_fit *slow = &d->links[d->slowest];
    char share[TEXT], size[TEXT], percent[TEXT];
    share_text(slow->share, share);
    bytes_text(d->bytes, size);
    if (!d->stands_out) {
        fprintf(
            out,
            _("no link stands out; the slowest, %d -> %d, takes %s times as long as the median; "),
            (int)slow->src, (int)slow->dst, share);
    } else {
        fprintf(
            out,
            _("the slowest link is %d -> %d: %s take %s times as long as on the median link, %s of "
              "its speed; "),
            (int)slow->src, (int)slow->dst, size, share, percent_text(1 / slow->share, percent));
    }
    if (d->stands_out || !d->split) say_bound(fitted, out);
    say_times(fitted, out);
    const int32_t n = count_alike(d);
    if (d->stands_out && n > 0) {
        fprintf(out,
                n == 1 ? _("; %d more link is nearly as slow")
                       : _("; %d more links are nearly as slow"),
                (int)n);
    }
}

static void say_log(const rc_fitted *fitted, FILE *out) {
    char alpha[TEXT], rate[TEXT];
    rate_text(fitted->ps_per_byte, rate);
    if (fitted->line.split) {
        fprintf(
            out,
            _("alpha %s, B %s on every link of a ring over %d GPUs, from 2(N-1)(alpha + S/(N B)); "),
            time_text(fitted->alpha_ps, alpha), rate, (int)fitted->n_ranks);
    } else {
        fprintf(
            out,
            _("one size only, so alpha and B cannot be told apart: B %s on every link of a ring "
              "over %d GPUs if alpha is 0; "),
            rate, (int)fitted->n_ranks);
    }
    const rs_line_fit *line = &fitted->line;
    if (line->typical > POOR || line->n_outliers * 5 > line->n_samples) {
        fprintf(out,
                _("one line does not hold for all sizes (%lld of %lld times are far off it): NCCL "
                  "changes its protocol with the size; "),
                (long long)line->n_outliers, (long long)line->n_samples);
    }
    fprintf(
        out, "%s",
        _("a log has times of whole collectives, so links cannot be told apart: record a .trace "
          "for that"));
}

/* ------------------------------------------------------------------ the tables */

static void print_files(const rc_fitted *fitted) {
    char name[1024];
    for (int i = 0; i < fitted->n_files && i < 8; i++) {
        printf("%s%s", i > 0 ? _(", ") : "", rc_plain(fitted->files[i], true, name, sizeof name));
    }
    if (fitted->n_files > 8) printf("%s...", _(", "));
}

static void print_head(const rc_fitted *fitted) {
    const rs_recording *first = fitted->runs;
    char by[RS_BY_TEXT];
    int64_t n = 0;
    print_files(fitted);
    for (int32_t i = 0; i < fitted->diagnosis.n_links; i++) {
        n += fitted->diagnosis.links[i].line.n_samples;
    }
    printf("%s%s", _(": "), first->measured ? _("measured") : _("simulated"));
    if (first->by[0] != '\0') printf(" (%s)", rc_plain(first->by, true, by, sizeof by));
    printf(_("; GPUs %d, runs %d, messages %lld\n"), (int)fitted->n_ranks, (int)fitted->n_runs,
           (long long)n);
}

/* The table of links; a cell holds two texts and a sign between them. */
enum { N_COLUMNS = 7, CELL = 2 * TEXT };
typedef char row[N_COLUMNS][CELL];

/* "5 us ± 12 ns"; without an error where it is nothing. */
static void alpha_text(const rs_line_fit *line, char out[CELL]) {
    char value[TEXT], error[TEXT];
    if (!line->split) {
        const double most_ps = line->alpha_ps + line->ps_per_byte * (double)line->least_bytes;
        snprintf(out, CELL, "<= %s", time_text(most_ps, value));
    } else if (line->alpha_error_ps < 1) {
        time_text(line->alpha_ps, out);
    } else {
        snprintf(out, CELL, "%.40s ± %.40s", time_text(line->alpha_ps, value),
                 time_text(line->alpha_error_ps, error));
    }
}

static void bandwidth_text(const rs_line_fit *line, char out[CELL]) {
    char value[TEXT], error[TEXT];
    const double share = line->ps_per_byte_error / line->ps_per_byte;
    if (!(line->ps_per_byte > 0) || share > 0.5) {
        snprintf(out, CELL, "%s", _("not seen"));
    } else if (!line->split || share < 5e-4) {
        snprintf(out, CELL, "%s%s", line->split ? "" : ">= ", rate_text(line->ps_per_byte, value));
    } else {
        snprintf(out, CELL, "%.40s ± %.40s", rate_text(line->ps_per_byte, value),
                 percent_text(share, error));
    }
}

static void fill_row(const rs_link_fit *link, bool marked, row cells) {
    char text[TEXT];
    snprintf(cells[0], CELL, "%d -> %d", (int)link->src, (int)link->dst);
    snprintf(cells[1], CELL, "%lld", (long long)link->line.n_samples);
    alpha_text(&link->line, cells[2]);
    bandwidth_text(&link->line, cells[3]);
    percent_text(link->line.typical, cells[4]);
    percent_text(link->line.worst, cells[5]);
    snprintf(cells[6], CELL, "%s%s", share_text(link->share, text), marked ? "  <--" : "");
}

/* Which of two links comes first: the one with the larger share. */
static bool before(const rs_link_fit *a, const rs_link_fit *b) {
    return 4 * RS_COMPARE(b->share, a->share) + RS_BY(src, dst) < 0;
}

/* The link with the next smaller share; after none, the largest. */
static const rs_link_fit *next_by_share(const rs_diagnosis *d, const rs_link_fit *last) {
    const rs_link_fit *next = NULL;
    for (const rs_link_fit *link = d->links; link < d->links + d->n_links; link++) {
        if (last != NULL && !before(last, link)) continue;
        if (next == NULL || before(link, next)) next = link;
    }
    return next;
}

/* The slowest alone where they do not go into a screen. */
static void print_links(const rs_diagnosis *d) {
    static const char *const heads[N_COLUMNS] = {N_("link"),        N_("messages"), N_("latency"),
                                                 N_("bandwidth"),   N_("off"),      N_("at most"),
                                                 N_("x the median")};
    static row rows[MOST_LISTED];
    const bool all = d->n_links <= MOST_LISTED;
    const int32_t n = all ? d->n_links : LISTED;
    const rs_link_fit *link = NULL;
    for (int32_t i = 0; i < n; i++) {
        link = all ? &d->links[i] : next_by_share(d, link);
        fill_row(link, d->stands_out && link == &d->links[d->slowest], rows[i]);
    }
    rc_print_columns(heads, N_COLUMNS, rows[0][0], CELL, n);
    if (!all) printf(_("and %lld more links\n"), (long long)(d->n_links - n));
}

static void print_traces(const rc_fitted *fitted) {
    const rs_diagnosis *d = &fitted->diagnosis;
    char rate[TEXT];
    print_head(fitted);
    puts("");
    print_links(d);
    if (d->reduce_Bps > 0) {
        printf(_("additions: %s\n"), rate_text(1e12 / (double)d->reduce_Bps, rate));
    }
}

/* Size by size: the median time, what the line says, and how far it is off. */
static void print_sizes(const rc_fitted *fitted) {
    const rs_sample *samples = fitted->log.samples;
    const int64_t n = fitted->log.n_samples;
    char text[TEXT];
    rc_print_padded(_("size"), 12);
    rc_print_padded(_("time"), 12);
    rc_print_padded(_("fitted"), 12);
    puts(_("off"));
    for (int64_t i = 0, end; i < n; i = end) { /* sorted by the fit */
        for (end = i; end < n && samples[end].n_bytes == samples[i].n_bytes;) end++;
        const double median =
            ((double)samples[(i + end - 1) / 2].span_ps + (double)samples[(i + end) / 2].span_ps) /
            2;
        const double line =
            fitted->line.alpha_ps + fitted->line.ps_per_byte * (double)samples[i].n_bytes;
        rc_print_padded(bytes_text(samples[i].n_bytes, text), 12);
        rc_print_padded(time_text(median, text), 12);
        rc_print_padded(time_text(line, text), 12);
        /* Adding 0 makes a rounded -0 a plain 0: nothing is off by -0.0 %. */
        printf("%+.1f %%\n", rint(1000 * (median / fmax(1, line) - 1)) / 10 + 0.0);
    }
}

/* Which rows were not used, and why. */
static void print_left_out(const rn_table *log) {
    char text[2 * RS_ERROR_TEXT];
    rs_error said;
    if (log->n_left_out == 0) return;
    printf(_("rows that cannot be used, or not all of them: %lld\n"), (long long)log->n_left_out);
    const int64_t n_told = log->n_left_out < RN_LEFT_OUT_TOLD ? log->n_left_out : RN_LEFT_OUT_TOLD;
    for (int64_t i = 0; i < n_told; i++) {
        rn_say_bad_row(&log->left_out[i], log->json, &said);
        printf("  %s\n", rs_error_said(&said, rv_gettext, text, sizeof text));
    }
    if (log->n_left_out > n_told) {
        printf(_("  and %lld more\n"), (long long)(log->n_left_out - n_told));
    }
}

static void print_log(const rc_fitted *fitted) {
    const rs_line_fit *line = &fitted->line;
    char least[TEXT], most[TEXT], of[RN_TABLE_OF];
    print_files(fitted);
    printf(_(": %s, GPUs %d, times %lld, sizes %s to %s\n\n"),
           rc_plain(fitted->log.of, true, of, sizeof of), (int)fitted->n_ranks,
           (long long)line->n_samples, bytes_text(line->least_bytes, least),
           bytes_text(line->most_bytes, most));
    print_sizes(fitted);
    printf(_("typically off: %s, at most %s; left out of the fit: %lld times\n"),
           percent_text(line->typical, least), percent_text(line->worst, most),
           (long long)line->n_outliers);
    print_left_out(&fitted->log);
}

void rc_print_fit(const rc_fitted *fitted) {
    char *verdict;
    size_t n;
    FILE *out = open_memstream(&verdict, &n);
    if (out == NULL) return;
    if (fitted->runs != NULL) {
        say_link(fitted, out);
        print_traces(fitted);
    } else {
        say_log(fitted, out);
        print_log(fitted);
    }
    puts("");
    if (fclose(out) == 0) rc_print_wrapped(verdict, WIDTH);
    free(verdict);
}

/* ------------------------------------------------------------------ JSON */

enum { DIGITS = 6 };

/* alpha and B; not split: null, and the rate that the time would be if all of it were bytes. */
static void put_rates(rs_json *json, bool split, double alpha_ps, double ps_per_byte) {
    const rs_link link = rs_link_of(alpha_ps, ps_per_byte);
    rs_json_known(json, "alpha_ps", split ? link.alpha_ps : -1);
    rs_json_unsigned(json, "bandwidth_Bps", link.bandwidth_Bps);
}

static void put_line(rs_json *json, const rs_line_fit *line) {
    rs_json_integers(json, {"messages", line->n_samples}, {"outliers", line->n_outliers},
                     {"least_bytes", line->least_bytes}, {"most_bytes", line->most_bytes});
    rs_json_number(json, "alpha_error_ps", line->alpha_error_ps, DIGITS);
    rs_json_number(json, "ps_per_byte_error", line->ps_per_byte_error, DIGITS);
    rs_json_number(json, "residual_typical", line->typical, DIGITS);
    rs_json_number(json, "residual_worst", line->worst, DIGITS);
}

static void put_links(rs_json *json, const rs_diagnosis *d) {
    rs_json_array(json, "links");
    for (int32_t i = 0; i < d->n_links; i++) {
        const rs_link_fit *link = &d->links[i];
        rs_json_object(json, NULL);
        rs_json_integers(json, {"src", link->src}, {"dst", link->dst});
        put_rates(json, link->line.split, link->line.alpha_ps, link->line.ps_per_byte);
        put_line(json, &link->line);
        rs_json_number(json, "share", link->share, DIGITS);
        rs_json_close(json);
    }
    rs_json_close(json);
    rs_json_object(json, "median");
    rs_json_integer(json, "links", d->n_links);
    put_rates(json, d->split, d->alpha_ps, d->ps_per_byte);
    rs_json_close(json);
    rc_json_speed(json, "reduce_Bps", d->reduce_Bps);
}

static void put_verdict(rs_json *json, const rc_fitted *fitted) {
    const rs_diagnosis *d = &fitted->diagnosis;
    const rs_link_fit *slow = &d->links[d->slowest];
    const char *bound = d->latency_bound ? "latency" : "bandwidth";
    rs_json_object(json, "verdict");
    rs_json_integers(json, {"src", slow->src}, {"dst", slow->dst});
    rs_json_bool(json, "stands_out", d->stands_out);
    rs_json_number(json, "share", slow->share, DIGITS);
    rs_json_integer(json, "bytes", d->bytes);
    rs_json_text(json, "bound", d->stands_out && d->split ? bound : NULL);
    rs_json_close(json);
    rs_json_known(json, "recorded_ps", fitted->recorded_ps);
    rs_json_known(json, "simulated_ps", fitted->simulated_ps);
    rs_json_known(json, "mended_ps", fitted->mended_ps);
}

/* How many rows of the log are not used, and where the first of them are. */
static void put_left_out(rs_json *json, const rn_table *log) {
    rs_json_object(json, "left_out");
    rs_json_integer(json, "rows", log->n_left_out);
    rs_json_array(json, log->json ? "results" : "lines");
    for (int64_t i = 0; i < log->n_left_out && i < RN_LEFT_OUT_TOLD; i++) {
        rs_json_integer(json, NULL, log->left_out[i].where);
    }
    rs_json_close(json);
    rs_json_close(json);
}

void rc_json_fit(const rc_fitted *fitted, FILE *out) {
    const bool traces = fitted->runs != NULL;
    rs_json json;
    rc_json_begin(&json, "ringsim.fit/1", out);
    rs_json_array(&json, "files");
    for (int i = 0; i < fitted->n_files; i++) rs_json_text(&json, NULL, fitted->files[i]);
    rs_json_close(&json);
    rs_json_text(&json, "source",
                 !traces                    ? "nccl-tests"
                 : fitted->runs[0].measured ? "measured"
                                            : "simulated");
    rs_json_integers(&json, {"gpus", fitted->n_ranks}, {"runs", fitted->n_runs});
    rs_json_bool(&json, "split", traces ? fitted->diagnosis.split : fitted->line.split);
    if (traces) {
        put_links(&json, &fitted->diagnosis);
        put_verdict(&json, fitted);
    } else {
        put_rates(&json, fitted->line.split, fitted->alpha_ps, fitted->ps_per_byte);
        put_line(&json, &fitted->line);
        rs_json_null(&json, "links");
        rs_json_null(&json, "verdict");
        put_left_out(&json, &fitted->log);
    }
    rc_json_end(&json);
}
