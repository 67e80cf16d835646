/* test_view_print.c: two drawn runs side by side say what a plain account of their records says, line by line. */
#include "run/show.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/own.h"
#include "support/random_job.h"

enum { MOST_LINES = 200, MOST_RANKS = 48 };

static char page[1 << 16], *line_at[MOST_LINES];
static int n_lines;

static void print(const char *const names[2], const rs_report reports[2]) {
    FILE *file = tmpfile();
    cr_assert_not_null(file);
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    rc_print_beside(names, reports);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    rewind(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    n_lines = 0;
    for (char *at = page; *at != '\0' && n_lines < MOST_LINES; n_lines++) {
        line_at[n_lines] = at;
        at += strcspn(at, "\n");
        if (*at != '\0') *at++ = '\0';
    }
}

/* The line is these cells, in columns of 16, 28 and 28. */
static void expect_cells(int line, const char *label, const char *a, const char *b, const char *c) {
    char want[400];
    snprintf(want, sizeof want, c[0] == '\0' ? "%-16s%-28s%s" : "%-16s%-28s%-28s%s", label, a, b,
             c);
    cr_assert_lt(line, n_lines, "no line %d: %s", line, want);
    cr_assert_str_eq(line_at[line], want, "line %d", line);
}

/* The line of two times, -1: none, and of the second's share. */
static void expect_times(int line, const char *label, int64_t a_ps, int64_t b_ps) {
    char a[64] = "-", b[64] = "-", share[64] = "";
    if (a_ps >= 0) rv_format_time(a_ps, a, sizeof a);
    if (b_ps >= 0) rv_format_time(b_ps, b, sizeof b);
    if (a_ps > 0 && b_ps >= 0) rv_format_ratio(b_ps, a_ps, share, sizeof share);
    expect_cells(line, label, a, b, share);
}

/* Returns the latest end of the step's transfers; -1: it has none. */
static int64_t end_of_step(const rs_trace *trace, int step) {
    int64_t end_ps = -1;
    for (int64_t i = 0; i < trace->n_items; i++) {
        if (trace->items[i].step == step && trace->items[i].done_ps > end_ps) {
            end_ps = trace->items[i].done_ps;
        }
    }
    return end_ps;
}

/* Returns the mean time of a message between two ranks; -1: there was none. */
static int64_t mean_ps(const rs_trace *trace, int src, int dst) {
    int64_t sum_ps = 0, n = 0;
    for (int64_t i = 0; i < trace->n_items; i++) {
        const rs_timed *one = &trace->items[i];
        if (one->transfer.src != src || one->transfer.dst != dst) continue;
        sum_ps += one->end_ps - one->start_ps;
        n++;
    }
    return n > 0 ? sum_ps / n : -1;
}

static void draw_run(random_job *d, rs_arena *arena, rs_report *report, uint64_t *state) {
    static const char *const algorithms[] = {"ring", "naive", "tree", "doubling", "halving"};
    const int32_t n = (int32_t)(draw_below(state, 3) == 0 ? 17 + draw_below(state, MOST_RANKS - 16)
                                                          : 1 + draw_below(state, 8));
    rs_error error;
    draw(d, algorithms[draw_below(state, 5)], n, draw_below(state, 100000), RS_RENDEZVOUS,
         draw_below(state, 3) == 0, (uint64_t)draw_below(state, 1 << 30));
    d->job.elem_bytes = 4;
    const rs_request request = {.job = d->job,
                                .dtype = RS_I32,
                                .values = RS_VALUES_NONE,
                                .check = RS_NEVER,
                                .trace_limit = INT64_MAX};
    cr_assert_eq(rs_run(&request, arena, &error, report), RS_OK, "%s: %s", d->name, error.text);
    cr_assert_not_null(report->trace);
}

static void expect_steps(const rs_report reports[2], int *line) {
    const int n_a = reports[0].request.job.schedule->n_steps;
    const int n_b = reports[1].request.job.schedule->n_steps, n = n_a > n_b ? n_a : n_b;
    char label[64];
    cr_expect_str_eq(line_at[(*line)++], "when a step was done:");
    for (int step = 0; step < n && step < 40; step++) {
        snprintf(label, sizeof label, "step %d", step);
        expect_times((*line)++, label, end_of_step(reports[0].trace, step),
                     end_of_step(reports[1].trace, step));
    }
    if (n <= 40) return;
    snprintf(label, sizeof label, "and %d more steps", n - 40);
    cr_expect_str_eq(line_at[(*line)++], label);
}

static void expect_links(const rs_report reports[2], int *line) {
    char label[64];
    int n = 0;
    cr_expect_str_eq(line_at[(*line)++], "a message's time, the mean of each link:");
    for (int src = 0; src <= MOST_RANKS; src++) {
        for (int dst = 0; dst <= MOST_RANKS; dst++) {
            const int64_t a = mean_ps(reports[0].trace, src, dst);
            const int64_t b = mean_ps(reports[1].trace, src, dst);
            if ((a < 0 && b < 0) || n++ >= 40) continue;
            snprintf(label, sizeof label, "%d -> %d", src, dst);
            expect_times((*line)++, label, a, b);
        }
    }
    if (n <= 40) return;
    snprintf(label, sizeof label, "and %d more links", n - 40);
    cr_expect_str_eq(line_at[(*line)++], label);
}

static int64_t time_of(const rs_report *report) {
    return report->outcome.completed ? report->outcome.makespan_ps : -1;
}

Test(view_print, two_runs_side_by_side_are_a_plain_account_of_their_records) {
    static const char *const names[] = {"a.trace", "b.trace"};
    static rs_recording recorded[2] = {{.measured = false}, {.measured = true}};
    uint64_t state = 11;
    for (int k = 0; k < 300; k++) {
        random_job d[2];
        OWN_ARENA arena = {0};
        rs_report reports[2];
        char texts[2][64];
        int line = 0;
        for (int i = 0; i < 2; i++) {
            draw_run(&d[i], &arena, &reports[i], &state);
            reports[i].recording = &recorded[draw_below(&state, 2)];
        }
        print(names, reports);
        expect_cells(line++, "", "a.trace", "b.trace", "second/first");
        for (int i = 0; i < 2; i++) {
            snprintf(texts[i], sizeof texts[i], "%s",
                     reports[i].recording->measured ? "measured" : "simulated");
        }
        expect_cells(line++, "origin", texts[0], texts[1], "");
        for (int i = 0; i < 2; i++) {
            snprintf(texts[i], sizeof texts[i], "%s, %d GPUs", d[i].schedule.name,
                     (int)d[i].schedule.n_ranks);
        }
        expect_cells(line++, "schedule", texts[0], texts[1], "");
        for (int i = 0; i < 2; i++) rv_format_bytes(d[i].job.count * 4, texts[i], sizeof texts[i]);
        expect_cells(line++, "size", texts[0], texts[1], "");
        expect_times(line++, "time", time_of(&reports[0]), time_of(&reports[1]));
        for (int i = 0; i < 2; i++) {
            snprintf(texts[i], sizeof texts[i], reports[i].has_rates ? "%.3g GB/s" : "-",
                     reports[i].busbw_GBps);
        }
        expect_cells(line++, "busbw", texts[0], texts[1], "");
        cr_expect_str_eq(line_at[line++], "");
        expect_steps(reports, &line);
        cr_expect_str_eq(line_at[line++], "");
        expect_links(reports, &line);
        cr_expect_eq(line, n_lines);
        for (int i = 0; i < 2; i++) free(d[i].links);
    }
}

/* A name that does not fit ends in its last letters: at most 23 bytes of them, none torn. */
Test(view_print, a_long_name_is_cut_in_front) {
    rs_recording recorded = {.measured = false};
    random_job d;
    OWN_ARENA arena = {0};
    rs_report reports[2];
    uint64_t state = 12;
    draw_run(&d, &arena, &reports[0], &state);
    reports[0].recording = &recorded;
    reports[1] = reports[0];
    for (int k = 0; k < 400; k++) {
        static const char *const letters[] = {"a", "/", ".", "\xc3\xa4", "\xe4\xb8\xad"};
        char name[200] = "";
        const int n = (int)draw_below(&state, 40);
        for (int i = 0; i <= n; i++) strcat(name, letters[draw_below(&state, 5)]);
        const char *const names[] = {"b", name};
        print(names, reports);
        const char *shown = line_at[0] + 16 + 28;
        const char *from = name;
        char want[64];
        while (strlen(name) >= 27 && (strlen(from) > 23 || ((unsigned char)*from & 0xc0) == 0x80)) {
            from++;
        }
        snprintf(want, sizeof want, from == name ? "%s" : "...%s", from);
        cr_expect_eq(strncmp(shown, want, strlen(want)), 0, "%s: %s", name, shown);
        cr_expect(strchr(" s", shown[strlen(want)]) != NULL, "%s: %s", name, shown);
    }
    free(d.links);
}
