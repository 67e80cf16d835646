/* nccl_tests_rows.c: what of a row can be meant is a sample; what cannot is left out and told of; and what an output says
 * beside its times: wrong results, the end of a run, processes that do not know of each other.
 *
 *     # Out of bounds values : 50 FAILED        #wrong of some row is above 0
 *     # Avg bus bandwidth    : 1.2              a whole run's end, a line a process that calls itself rank 0
 *     #  Rank  0 Pid   1320 on node-2 ...       twice, of runs at one time: built without MPI
 *
 *   - A run that was broken off and begun anew has two ranks 0, too: runs are at one time where no head lies between
 *     them, or where both end.
 */
#include "nccl_tests_rows.h"
#include "ringsim_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rn_agrees(rn_reading *r) {
    enum { MOST_GPUS = 64 };
    if (!(r->time_us > 0) || !(r->algbw >= 0) || !(r->busbw >= 0)) return false;
    const double rate = (double)r->n_bytes / r->time_us / 1000;
    if (fabs(rate - r->algbw) <= 0.006 + 0.01 * rate) return true;
    for (int n = 2; n <= MOST_GPUS && r->algbw == r->busbw; n *= 2) {
        const double sent = (n - 1.0) / n;
        if (fabs(sent * rate - r->algbw) > 0.006 + 0.01 * sent * rate) continue;
        r->algbw /= sent;
        return true;
    }
    return false;
}

void rn_leave_out(rn_gathering *g, rn_row_fault why) {
    if (g->table.n_left_out > 0 && g->last_left_out < g->table_line) g->table.n_left_out = 0;
    if (g->table.n_left_out > 0 && g->last_left_out == g->line) return; /* counted already */
    g->last_left_out = g->line;
    if (g->table.n_left_out < RN_LEFT_OUT_TOLD) {
        g->table.left_out[g->table.n_left_out] = (rn_bad_row){g->line, why};
    }
    g->table.n_left_out++;
}

/* Tells whether busbw is to algbw as in the other rows, as far as both are rounded. */
static bool is_of_all(const rn_gathering *g, const rn_reading *r) {
    const double most = 0.006 * (1 + g->expected_ratio) + 0.03 * r->busbw;
    return g->expected_ratio <= 0 || fabs(r->busbw - g->expected_ratio * r->algbw) <= most;
}

bool rn_is_floor(const char *of) {
    static const char ours[] = "ringsim verify,", floor[] = " kernel 7";
    const size_t n = strlen(of), n_floor = sizeof floor - 1;
    return strncmp(of, ours, sizeof ours - 1) == 0 && n > n_floor &&
           strcmp(of + n - n_floor, floor) == 0;
}

void rn_take_reading(rn_gathering *g, const rn_reading *r) {
    static const double most_us = 1e9, ps_per_us = 1e6;
    if (r->n_bytes <= 0) return; /* an ordinary row: nothing was sent */
    if (r->time_us > most_us || !is_of_all(g, r)) {
        rn_leave_out(g, r->time_us > most_us ? RN_ROW_TOO_LONG : RN_ROW_OTHER_BUSBW);
        return;
    }
    if (g->next_table && g->table.n_samples > 0 && rn_is_floor(g->next)) return;
    if (g->next_table) {
        g->table.n_samples = 0;
        g->ratio_rate = 0;
        if (g->last_left_out < g->table_line) g->table.n_left_out = 0;
        g->next_table = false;
        memcpy(g->table.of, g->next, sizeof g->table.of);
    }
    if (g->table.samples != NULL) {
        g->table.samples[g->table.n_samples] =
            (rs_sample){r->n_bytes, llround(r->time_us * ps_per_us)};
    }
    if (++g->table.n_samples > g->most) g->most = g->table.n_samples;
    g->table.run = g->said;
    g->has_rows = true;
    if (r->algbw <= g->ratio_rate) return;
    g->ratio_rate = r->algbw;
    g->ratio = r->busbw / r->algbw;
    g->copies = g->row_copies;
}

/* ------------------------------------------------------------------ beside the times */

/* Prose that speaks of a failure behind a run's own end is of another one. */
static bool is_prose(const char *line, const char *at) {
    while (at > line && at[-1] == ' ') at--;
    const char last = at > line ? at[-1] : '#';
    return (last >= 'a' && last <= 'z') || strchr("\"'`,(", last) != NULL;
}

static void take_bounds(rn_table_marks *marks, const char *line, int64_t where) {
    const char *at = strstr(line, "Out of bounds values");
    if (at == NULL || (marks->end_line > 0 && is_prose(line, at))) return;
    const char *number = at + strcspn(at, ":");
    number += strspn(number, ": ");
    char *stop;
    const long long n = strtoll(number, &stop, 10);
    if (stop == number) return;
    marks->end_line = where;
    if (strncmp(stop + strspn(stop, " "), "FAILED", 6) != 0) return;
    marks->failed_line = where;
    marks->n_failed = n;
}

static void take_end(rn_table_marks *marks, int64_t where) {
    marks->end_line = where;
    if (marks->n_open >= 2) {
        marks->n_met = marks->n_open;
    } else if (marks->n_met >= 2) {
        marks->n_alone = marks->n_met;
        marks->alone_line = marks->open_line;
    }
    if (marks->n_open > 0 && --marks->n_open == 0) marks->n_met = 0;
}

/* "# Collective test starting: all_gather_perf", "./build/all_gather_perf -b 8" */
static void take_name(const char *line, rn_run *run) {
    const char *end = strstr(line, "_perf"), *from = end;
    while (from != NULL && from > line && (from[-1] == '_' || (from[-1] >= 'a' && from[-1] <= 'z')))
        from--;
    if (from == NULL || end - from < 4 || end - from >= (ptrdiff_t)sizeof run->name) return;
    memcpy(run->name, from, (size_t)(end - from));
    run->name[end - from] = '\0';
}

/* "nccl-library=23102" */
static void take_version(rn_table_marks *marks, const char *line, int64_t where) {
    const int64_t number = rn_number_behind(line, "nccl-library=", 0);
    if (number < 2000 || number > 999999 || marks->version > 0) return;
    marks->version = (int32_t)number;
    marks->version_line = where;
}

void rn_mark_line(rn_gathering *g, const char *line) {
    rn_table_marks *marks = &g->table.marks;
    const char *average = rn_behind(line, "# Avg bus bandwidth");
    take_name(line, &g->said);
    take_version(marks, line, g->line);
    take_bounds(marks, line, g->line);
    if (average != NULL && average[strspn(average, " \t")] == ':') take_end(marks, g->line);
    if (strstr(line, "# Collective test concluded") != NULL) {
        marks->end_line = g->line;
        memcpy(g->table.run.name, g->said.name, sizeof g->said.name);
    }
    if (strchr(line, '#') == NULL) g->plain_line = g->line;
    if (rn_number_behind(line, "nThread ", -1) >= 0) {
        if (marks->head_line == 0) marks->head_line = g->line;
        /* with nothing but lines of heads between two, they are of processes at one time */
        if (marks->last_head > g->plain_line) marks->n_alone += marks->n_alone < 2 ? 2 : 1;
        if (marks->last_head > g->plain_line) marks->alone_line = g->line;
        marks->last_head = g->line;
    }
    const bool begins = strstr(line, "_perf ") != NULL && strchr(line, '#') == NULL;
    const char *died = strstr(line, "Test NCCL failure");
    if (died == NULL) died = strstr(line, "Test CUDA failure");
    if (died != NULL && marks->died_line <= marks->end_line) {
        marks->died_line = g->line;
        const char *class = strstr(died, " '");
        const size_t n = class != NULL ? (size_t)(class - died) : strlen(died);
        snprintf(marks->died, sizeof marks->died, "%.*s", (int)n, died);
    }
    if (!begins && died == NULL) return;
    marks->n_open = marks->n_met = 0; /* what comes now is another run */
    marks->last_head = 0;
}

void rn_mark_rank_0(rn_gathering *g, const char *process) {
    rn_table_marks *marks = &g->table.marks;
    if (marks->n_open > 0 && strcmp(marks->open, process) == 0) return; /* pasted twice */
    if (++marks->n_open >= 2 && marks->last_head == 0 && marks->n_open >= marks->n_alone) {
        marks->n_alone = marks->n_open;
        marks->alone_line = g->line;
    }
    marks->last_head = 0;
    marks->open_line = g->line;
    snprintf(marks->open, sizeof marks->open, "%s", process);
}

void rn_mark_wrong(rn_gathering *g, int64_t n_bytes, int in_place, double wrong) {
    rn_table_marks *marks = &g->table.marks;
    if (!(wrong >= 1) || wrong != floor(wrong) || n_bytes <= 0 || g->errors_column) return;
    if (marks->n_wrong == 0 || marks->wrong_line != g->line) marks->n_wrong++;
    marks->wrong_line = g->line;
    if (marks->n_wrong > RN_WRONG_TOLD) return;
    rn_wrong_row *row = &marks->wrong[marks->n_wrong - 1];
    row->line = g->line;
    row->n_bytes = n_bytes;
    row->wrong[in_place != 0] = wrong;
}
