/* fuzz_trace.c: any bytes as a .trace file. What parses is printed, parses again and prints to the same
 * bytes, and makes a report that keeps to its own rules; what does not parse has an error that names
 * line and column. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ringsim.h"
#include "support/printed.h"

static void round_trip(const rs_recording runs[], int32_t n_runs, rs_arena *arena) {
    page first = {0}, second = {0};
    rs_error error;
    rs_recording *again;
    int32_t n_again = 0;
    rs_print_trace(runs, n_runs, keep, &first);
    const rs_status status = rs_parse_trace(first.text, first.n, arena, &error, &again, &n_again);
    assert(status == RS_OK && n_again == n_runs);
    rs_print_trace(again, n_again, keep, &second);
    assert(first.n == second.n && memcmp(first.text, second.text, first.n) == 0);
    free(first.text);
    free(second.text);
}

/* What was read must be fit for every reader of a report. */
static void use(const rs_recording *run, rs_arena *arena) {
    rs_report report;
    rs_error error;
    if (run->schedule.n_ranks > 64 || run->schedule.n_transfers > 1000) return; /* slow to judge */
    assert(rs_recording_report(run, arena, &error, &report) == RS_OK);
    assert(report.trace->n_items == report.outcome.n_transfers);
    assert(report.outcome.completed == (report.outcome.n_killed == 0));
    for (int32_t r = 0; r < run->schedule.n_ranks; r++) {
        assert(report.outcome.finish_ps[r] <= report.outcome.makespan_ps);
        assert(report.outcome.bytes_sent[r] >= 0);
    }
}

/* Whatever the times are, the links are numbers and none is negative. */
static void fit(const rs_recording runs[], int32_t n_runs, rs_arena *arena) {
    rs_diagnosis d;
    rs_error error;
    assert(rs_diagnose(runs, n_runs, arena, &error, &d) == RS_OK);
    assert((d.slowest < 0) == (d.n_links == 0));
    for (int32_t i = 0; i < d.n_links; i++) {
        const rs_line_fit *line = &d.links[i].line;
        assert(isfinite(line->alpha_ps) && isfinite(line->ps_per_byte) && isfinite(line->worst));
        assert(line->alpha_ps >= 0 && line->ps_per_byte >= 0 && d.links[i].share > 0);
        assert(isfinite(line->alpha_error_ps) && isfinite(line->ps_per_byte_error));
        assert(line->n_outliers >= 0 && line->n_outliers <= line->n_samples);
        assert(rs_link_of(line->alpha_ps, line->ps_per_byte).bandwidth_Bps >= 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *exact = malloc(size > 0 ? size : 1); /* no byte more: a read beyond them is caught */
    if (exact == NULL) abort();
    if (size > 0) memcpy(exact, data, size);
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_error error = {.text = ""};
    rs_recording *runs = NULL;
    int32_t n_runs = 0;
    const rs_status status = rs_parse_trace(exact, size, &arena, &error, &runs, &n_runs);
    if (status == RS_OK) {
        round_trip(runs, n_runs, &arena);
        for (int32_t i = 0; i < n_runs; i++) use(&runs[i], &arena);
        fit(runs, n_runs, &arena);
    } else {
        assert(status == RS_BAD_INPUT && strncmp(error.text, "line ", 5) == 0);
        assert(strchr(error.text, '\n') == NULL);
    }
    rs_arena_free(&arena);
    free(exact);
    return 0;
}
