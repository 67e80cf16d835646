/* chrome.c: the trace in Chrome's format (JSON), which ui.perfetto.dev and chrome://tracing open.
 *
 *     GPU 3   sends     [chunk 2 -> 4]~~~~~.          one process a rank; tid 0 sends, tid 1
 *     GPU 4   receives  [chunk 2 <- 3]     v          receives, tid 2 adds where that takes time;
 *             adds                    [+ chunk 2]     arrows (flow events) join both ends
 *
 * ts and dur are microseconds with six decimals, that is whole picoseconds. Under eager a port is busy
 * for b/B only, the first b/B of the way for the sender and the last for the receiver; slices are
 * drawn that long, so that those of one port never overlap.
 */
#include "run/run_json.h"
#include "base/containers.h"
#include "base/units.h"

#include <stdlib.h>

typedef struct trace_page {
    const rs_report *report;
    rs_json *json;
} trace_page;

static void begin(trace_page *page, const char *phase, const char *name, int32_t pid, int tid) {
    rs_json_object(page->json, NULL);
    rs_json_text(page->json, "ph", phase);
    rs_json_text(page->json, "name", name);
    rs_json_integers(page->json, {"pid", pid}, {"tid", tid});
}

/* Begins what the viewer is told about a rank or one of its threads. */
static void begin_label(trace_page *page, const char *name, int32_t rank, int tid) {
    begin(page, "M", name, rank, tid);
    rs_json_object(page->json, "args");
}

static void end_label(trace_page *page) {
    rs_json_close(page->json);
    rs_json_close(page->json);
}

static void put_names(trace_page *page, int32_t rank) {
    static const char *const threads[] = {"sends", "receives", "adds"};
    char gpu[32];
    snprintf(gpu, sizeof gpu, "GPU %d", (int)rank);
    begin_label(page, "process_name", rank, 0);
    rs_json_text(page->json, "name", gpu);
    end_label(page);
    begin_label(page, "process_sort_index", rank, 0);
    rs_json_integer(page->json, "sort_index", rank);
    end_label(page);
    const bool adds =
        page->report->recording != NULL || page->report->request.job.net.reduce_Bps != 0;
    const int n = adds ? 3 : 2;
    for (int tid = 0; tid < n; tid++) {
        begin_label(page, "thread_name", rank, tid);
        rs_json_text(page->json, "name", threads[tid]);
        end_label(page);
    }
}

static int by_pair(const void *key, const void *item) {
    const rs_transfer *a = key;
    const rs_link_override *b = item;
    return RS_BY(src, dst);
}

/* Returns how long the ports are busy with a message: all the way, or b/B under eager. */
static int64_t busy_ps(const rs_job *job, const rs_timed *timed, int64_t n_bytes) {
    const int64_t way_ps = timed->end_ps - timed->start_ps;
    if (job->net.protocol != RS_EAGER) return way_ps;
    const rs_net *net = &job->net;
    const rs_link_override *own = NULL;
    if (net->n_overrides > 0) {
        own = bsearch(&timed->transfer, net->overrides, (size_t)net->n_overrides,
                      sizeof *net->overrides, by_pair);
    }
    uint64_t num = 1, den = 1;
    for (int32_t i = 0; i < job->n_faults; i++) {
        const rs_fault *fault = &job->faults[i];
        if (fault->kind != RS_SLOW_LINK || fault->rank != timed->transfer.src) continue;
        num *= fault->factor_num;
        den *= fault->factor_den;
        const uint64_t divisor = rc_common_divisor(num, den); /* the engine has seen that it fits */
        num /= divisor;
        den /= divisor;
    }
    const uint64_t bandwidth_Bps = own != NULL ? own->link.bandwidth_Bps : net->link.bandwidth_Bps;
    const int64_t wire_ps = rs_wire_ps(n_bytes, bandwidth_Bps, num, den);
    return wire_ps < way_ps ? wire_ps : way_ps;
}

/* Writes one slice: what happens to `rank` from start_ps on. */
static void put_slice(trace_page *page, const rs_timed *timed, int tid, int64_t start_ps,
                      int64_t ps) {
    static const char *const verbs[] = {"send", "receive", "add"};
    const rs_job *job = &page->report->request.job;
    const rs_transfer *t = &timed->transfer;
    char name[48];
    if (t->n_chunks == 1) {
        snprintf(name, sizeof name, "%s chunk %d", verbs[tid], (int)t->chunk);
    } else {
        snprintf(name, sizeof name, "%s chunks %d..%d", verbs[tid], (int)t->chunk,
                 (int)(t->chunk + t->n_chunks - 1));
    }
    begin(page, "X", name, tid == 0 ? t->src : t->dst, tid);
    rs_json_millionths(page->json, "ts", start_ps);
    rs_json_millionths(page->json, "dur", ps);
    rs_json_object(page->json, "args");
    rs_json_integers(page->json, {"step", timed->step}, {"chunk", t->chunk},
                     {"chunks", t->n_chunks}, {"peer", tid == 0 ? t->dst : t->src},
                     {"bytes", rs_transfer_count(job->schedule, job->count, t) * job->elem_bytes});
    rs_json_text(page->json, "effect", t->effect == RS_REDUCE ? "reduce" : "copy");
    rs_json_close(page->json);
    rs_json_close(page->json);
}

/* One end of the arrow that joins a message's slices; `e`: to the slice that encloses it. */
static void put_arrow(trace_page *page, bool end, int32_t rank, int64_t time_ps, int64_t id) {
    begin(page, end ? "f" : "s", "message", rank, end);
    rs_json_millionths(page->json, "ts", time_ps);
    rs_json_text(page->json, "cat", "message");
    if (end) rs_json_text(page->json, "bp", "e");
    rs_json_integer(page->json, "id", id);
    rs_json_close(page->json);
}

static void put_transfer(trace_page *page, const rs_timed *timed, int64_t id) {
    const rs_job *job = &page->report->request.job;
    const rs_transfer *t = &timed->transfer;
    const int64_t n_bytes = rs_transfer_count(job->schedule, job->count, t) * job->elem_bytes;
    const int64_t busy = busy_ps(job, timed, n_bytes);
    put_slice(page, timed, 0, timed->start_ps, busy);
    put_arrow(page, false, t->src, timed->start_ps, id);
    put_slice(page, timed, 1, timed->end_ps - busy, busy);
    put_arrow(page, true, t->dst, timed->end_ps - (busy > 0 ? 1 : 0), id); /* within the slice */
    if (timed->done_ps > timed->end_ps) {
        put_slice(page, timed, 2, timed->end_ps, timed->done_ps - timed->end_ps);
    }
}

void rc_chrome_trace(const rs_report *report, FILE *out) {
    rs_json json;
    trace_page page = {.report = report, .json = &json};
    rs_json_begin(&json, rc_write_to_file, out);
    rs_json_object(&json, NULL);
    rs_json_text(&json, "displayTimeUnit", "ns");
    rs_json_lines(&json, "traceEvents");
    for (int32_t r = 0; r < report->request.job.schedule->n_ranks; r++) put_names(&page, r);
    const int64_t n = report->trace == NULL ? 0 : report->trace->n_items;
    for (int64_t i = 0; i < n; i++) put_transfer(&page, &report->trace->items[i], i);
    rs_json_close(&json);
    rc_json_end(&json);
}
