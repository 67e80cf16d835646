/* view_print.c: two recorded runs in numbers, side by side, and the second's share of the first.
 *
 *                  simulated.trace       measured.trace        second/first
 *     time         8.04 ms               9.13 ms               1.14
 *     step 0       1.01 ms               1.12 ms               1.12        when all of it was done
 *     0 -> 1       1.01 ms               1.02 ms               1.02        a message's time, the mean
 */
#include "base/text.h"
#include "base/containers.h"
#include "run/show.h"

#include <stdlib.h>
#include <string.h>

enum { LABEL = 16, COLUMN = 28, TEXT = 64, MOST_STEPS = 40, MOST_LINKS = 40 };

static void print_row(const char *label, const char *first, const char *second, const char *share) {
    rc_print_padded(label, LABEL);
    rc_print_padded(first, COLUMN);
    if (share[0] == '\0') {
        puts(second);
        return;
    }
    rc_print_padded(second, COLUMN);
    puts(share);
}

/* A line of two times and their ratio; -1: there is none. */
static void print_times(const char *label, int64_t first_ps, int64_t second_ps) {
    char texts[2][TEXT] = {"-", "-"}, share[TEXT] = "";
    if (first_ps >= 0) rv_format_time(first_ps, texts[0], TEXT);
    if (second_ps >= 0) rv_format_time(second_ps, texts[1], TEXT);
    if (first_ps > 0 && second_ps >= 0) rv_format_ratio(second_ps, first_ps, share, TEXT);
    print_row(label, texts[0], texts[1], share);
}

/* Cuts a name from its front: files differ at the end. */
static const char *tail_of(const char *name, char out[COLUMN]) {
    char safe[4096];
    const size_t n = strlen(rc_plain(name, true, safe, sizeof safe));
    if (n < COLUMN - 1) {
        memcpy(out, safe, n + 1);
        return out;
    }
    const char *at = safe + n - (COLUMN - 5);
    while (((unsigned char)*at & 0xc0) == 0x80) at++;
    snprintf(out, COLUMN, "...%.23s", at);
    return out;
}

static void print_heads(const char *const names[2], const rs_report reports[2]) {
    char first[COLUMN], second[COLUMN], texts[2][TEXT], size[2][32];
    print_row("", tail_of(names[0], first), tail_of(names[1], second), _("second/first"));
    const rs_recording *a = reports[0].recording, *b = reports[1].recording;
    print_row(_("origin"), a->measured ? _("measured") : _("simulated"),
              b->measured ? _("measured") : _("simulated"), "");
    for (int i = 0; i < 2; i++) {
        const rs_job *job = &reports[i].request.job;
        snprintf(texts[i], TEXT, _("%.20s, %d GPUs"), job->schedule->name,
                 (int)job->schedule->n_ranks);
        rv_format_bytes(job->count * job->elem_bytes, size[i], sizeof size[i]);
    }
    print_row(_("schedule"), texts[0], texts[1], "");
    print_row(_("size"), size[0], size[1], "");
}

static void print_rates(const rs_report reports[2]) {
    char texts[2][TEXT] = {"-", "-"};
    for (int i = 0; i < 2; i++) {
        if (reports[i].has_rates) snprintf(texts[i], TEXT, "%.3g GB/s", reports[i].busbw_GBps);
    }
    print_row("busbw", texts[0], texts[1], "");
}

/* ------------------------------------------------------------------ steps and links */

/* When everything of the next step was done; -1: nothing happened in it. Items come in the order of steps. */
static int64_t step_done_ps(const rs_trace *trace, int32_t step, int64_t *at) {
    int64_t done_ps = -1;
    for (; *at < trace->n_items && trace->items[*at].step == step; (*at)++) {
        if (trace->items[*at].done_ps > done_ps) done_ps = trace->items[*at].done_ps;
    }
    return done_ps;
}

static void print_steps(const rs_report reports[2]) {
    const int32_t a = reports[0].request.job.schedule->n_steps;
    const int32_t b = reports[1].request.job.schedule->n_steps, n = a > b ? a : b;
    int64_t at[2] = {0, 0};
    char label[TEXT];
    puts("");
    puts(_("when a step was done:"));
    for (int32_t step = 0; step < n && step < MOST_STEPS; step++) {
        snprintf(label, sizeof label, _("step %d"), (int)step);
        print_times(label, step_done_ps(reports[0].trace, step, &at[0]),
                    step_done_ps(reports[1].trace, step, &at[1]));
    }
    if (n > MOST_STEPS) printf(_("and %d more steps\n"), (int)(n - MOST_STEPS));
}

typedef struct link_sum {
    int32_t src, dst;
    int64_t n[2];
    int64_t sum_ps[2];
} link_sum;

RS_ORDER(by_link, link_sum, src, dst);

/* Sums up every link's times in both runs; returns how many links there are. */
static int64_t sum_links(const rs_report reports[2], link_sum sums[]) {
    int64_t n = 0, kept = 0;
    for (int k = 0; k < 2; k++) {
        for (int64_t i = 0; i < reports[k].trace->n_items; i++) {
            const rs_timed *timed = &reports[k].trace->items[i];
            link_sum *one = &sums[n++];
            *one = (link_sum){.src = timed->transfer.src, .dst = timed->transfer.dst};
            one->n[k] = 1;
            one->sum_ps[k] = timed->end_ps - timed->start_ps;
        }
    }
    if (n > 0) qsort(sums, (size_t)n, sizeof *sums, by_link);
    for (int64_t i = 0; i < n; i++) {
        if (kept == 0 || by_link(&sums[kept - 1], &sums[i]) != 0) {
            sums[kept++] = sums[i];
            continue;
        }
        for (int k = 0; k < 2; k++) {
            sums[kept - 1].n[k] += sums[i].n[k];
            sums[kept - 1].sum_ps[k] += sums[i].sum_ps[k];
        }
    }
    return kept;
}

static void print_links(const rs_report reports[2]) {
    const size_t most = (size_t)(reports[0].trace->n_items + reports[1].trace->n_items) + 1;
    link_sum *sums = calloc(most, sizeof *sums);
    char label[TEXT];
    if (sums == NULL) return; /* the steps were told */
    const int64_t n = sum_links(reports, sums);
    puts("");
    puts(_("a message's time, the mean of each link:"));
    for (int64_t i = 0; i < n && i < MOST_LINKS; i++) {
        const link_sum *at = &sums[i];
        snprintf(label, sizeof label, "%d -> %d", (int)at->src, (int)at->dst);
        print_times(label, at->n[0] > 0 ? at->sum_ps[0] / at->n[0] : -1,
                    at->n[1] > 0 ? at->sum_ps[1] / at->n[1] : -1);
    }
    if (n > MOST_LINKS) printf(_("and %lld more links\n"), (long long)(n - MOST_LINKS));
    free(sums);
}

void rc_print_beside(const char *const names[2], const rs_report reports[2]) {
    print_heads(names, reports);
    print_times(_("time"), reports[0].outcome.completed ? reports[0].outcome.makespan_ps : -1,
                reports[1].outcome.completed ? reports[1].outcome.makespan_ps : -1);
    print_rates(reports);
    print_steps(reports);
    print_links(reports);
}
