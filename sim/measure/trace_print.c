/* trace_print.c: recorded runs as .trace text; trace_text.c reads it back to the same runs. */
#include "measure/recording.h"
#include "base/scan.h"
#include "ringsim_print.h"

#include <assert.h>
#include <stdio.h>

/* Writes a line of free text; replaces # and control characters, which it must not hold. */
static void put_by(rs_printer *out, const char *by) {
    char line[RS_BY_TEXT];
    size_t n = 0;
    while (*by == ' ' || *by == '\t') by++;
    for (; *by != '\0' && n + 1 < sizeof line; by++) {
        const unsigned char c = (unsigned char)*by;
        line[n++] = c < ' ' || c == '#' ? ' ' : *by;
    }
    while (n > 0 && line[n - 1] == ' ') n--;
    line[n] = '\0';
    if (n > 0) rs_printer_put(out, " ");
    rs_printer_put(out, line);
    rs_printer_put(out, "\n");
}

static void put_number(rs_printer *out, const char *before, int64_t number) {
    char text[64];
    snprintf(text, sizeof text, "%s%lld", before, (long long)number);
    rs_printer_put(out, text);
}

static void put_transfer(rs_printer *out, const rs_timed *timed) {
    const rs_transfer *t = &timed->transfer;
    put_number(out, "", timed->step);
    put_number(out, " ", t->src);
    put_number(out, " ", t->dst);
    put_number(out, " ", t->chunk);
    if (t->n_chunks > 1) put_number(out, "..", t->chunk + t->n_chunks - 1);
    rs_printer_put(out, t->effect == RS_COPY ? " copy" : " reduce");
    put_number(out, " ", t->channel);
    if (timed->start_ps < 0) {
        rs_printer_put(out, " - - -\n");
        return;
    }
    put_number(out, " ", timed->start_ps);
    put_number(out, " ", timed->end_ps);
    put_number(out, " ", timed->done_ps);
    rs_printer_put(out, "\n");
}

static void put_head(rs_printer *out, const rs_recording *run) {
    rs_printer_put(out, "run\ntype ");
    rs_printer_put(out, rs_dtype_name(run->dtype));
    rs_printer_put(out, " ");
    rs_printer_put(out, rs_op_name(run->op));
    put_number(out, "\ncount ", rs_size_count(&run->schedule, run->count));
    rs_printer_put(out, "\n");
    rs_print_chunks(out, &run->schedule);
    for (int32_t r = 0; run->entered != NULL && r < run->schedule.n_ranks; r++) {
        if (run->entered[r] >= run->schedule.n_steps) continue;
        put_number(out, "entered ", r);
        put_number(out, " ", run->entered[r]);
        rs_printer_put(out, "\n");
    }
    const rs_recording only_transfers = {.trace = run->trace};
    if (run->makespan_ps > rs_recording_end_ps(&only_transfers)) {
        put_number(out, "makespan ", run->makespan_ps);
        rs_printer_put(out, "\n");
    }
    if (run->schedule.n_steps > 0) {
        rs_printer_put(out, "# step src dst chunk effect channel start_ps end_ps done_ps\n");
    }
}

void rs_print_trace(const rs_recording runs[], int32_t n_runs, rs_write write, void *context) {
    assert(n_runs >= 1);
    assert(write != NULL);
    rs_printer out = {.write = write, .context = context};
    rs_printer_put(&out, "ringsim-trace 1\n");
    rs_print_collective(&out, runs[0].schedule.collective, runs[0].schedule.root);
    rs_printer_put(&out, runs[0].measured ? "measured" : "simulated");
    put_by(&out, runs[0].by);
    put_number(&out, "ranks ", runs[0].schedule.n_ranks);
    rs_printer_put(&out, "\n");
    for (int32_t i = 0; i < n_runs; i++) {
        const rs_trace *trace = &runs[i].trace;
        int64_t at = 0;
        put_head(&out, &runs[i]);
        for (int32_t step = 0; step < runs[i].schedule.n_steps; step++) {
            const int64_t first = at;
            for (; at < trace->n_items && trace->items[at].step == step; at++) {
                put_transfer(&out, &trace->items[at]);
            }
            if (at > first) continue;
            put_number(&out, "", step);
            rs_printer_put(&out, " -\n");
        }
    }
    rs_printer_flush(&out);
}
