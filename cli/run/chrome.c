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
#include "cli.h"

#include <stdlib.h>

enum { PS_PER_US = 1000000 };

typedef struct trace_page {
    const rs_report *report;
    FILE *out;
    int64_t n_events;
} trace_page;

static void begin(trace_page *page, const char *phase, const char *name, int32_t pid, int tid) {
    fprintf(page->out, "%s{\"ph\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d",
            page->n_events++ == 0 ? "\n" : ",\n", phase, name, (int)pid, tid);
}

static void put_time(trace_page *page, const char *key, int64_t ps) {
    fprintf(page->out, ",\"%s\":%lld.%06lld", key, (long long)(ps / PS_PER_US),
            (long long)(ps % PS_PER_US));
}

static void put_names(trace_page *page, int32_t rank) {
    static const char *const threads[] = {"sends", "receives", "adds"};
    begin(page, "M", "process_name", rank, 0);
    fprintf(page->out, ",\"args\":{\"name\":\"GPU %d\"}}", (int)rank);
    begin(page, "M", "process_sort_index", rank, 0);
    fprintf(page->out, ",\"args\":{\"sort_index\":%d}}", (int)rank);
    const bool adds =
        page->report->recording != NULL || page->report->request.job.net.reduce_Bps != 0;
    const int n = adds ? 3 : 2;
    for (int tid = 0; tid < n; tid++) {
        begin(page, "M", "thread_name", rank, tid);
        fprintf(page->out, ",\"args\":{\"name\":\"%s\"}}", threads[tid]);
    }
}

static int by_pair(const void *key, const void *item) {
    const rs_transfer *t = key;
    const rs_link_override *o = item;
    if (t->src != o->src) return t->src < o->src ? -1 : 1;
    return t->dst < o->dst ? -1 : t->dst > o->dst;
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    return b == 0 ? a : common_divisor(b, a % b);
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
        const uint64_t divisor = common_divisor(num, den); /* the engine has seen that it fits */
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
    put_time(page, "ts", start_ps);
    put_time(page, "dur", ps);
    const int64_t n_bytes = rs_transfer_count(job->schedule, job->count, t) * job->elem_bytes;
    fprintf(page->out,
            ",\"args\":{\"step\":%d,\"chunk\":%d,\"chunks\":%d,\"peer\":%d,\"bytes\":%lld,"
            "\"effect\":\"%s\"}}",
            (int)timed->step, (int)t->chunk, (int)t->n_chunks, (int)(tid == 0 ? t->dst : t->src),
            (long long)n_bytes, t->effect == RS_REDUCE ? "reduce" : "copy");
}

static void put_transfer(trace_page *page, const rs_timed *timed, int64_t id) {
    const rs_job *job = &page->report->request.job;
    const rs_transfer *t = &timed->transfer;
    const int64_t n_bytes = rs_transfer_count(job->schedule, job->count, t) * job->elem_bytes;
    const int64_t busy = busy_ps(job, timed, n_bytes);
    put_slice(page, timed, 0, timed->start_ps, busy);
    begin(page, "s", "message", t->src, 0);
    put_time(page, "ts", timed->start_ps);
    fprintf(page->out, ",\"cat\":\"message\",\"id\":%lld}", (long long)id);
    put_slice(page, timed, 1, timed->end_ps - busy, busy);
    begin(page, "f", "message", t->dst, 1);
    put_time(page, "ts", timed->end_ps - (busy > 0 ? 1 : 0)); /* within the slice */
    fprintf(page->out, ",\"cat\":\"message\",\"bp\":\"e\",\"id\":%lld}", (long long)id);
    if (timed->done_ps > timed->end_ps) {
        put_slice(page, timed, 2, timed->end_ps, timed->done_ps - timed->end_ps);
    }
}

void rc_chrome_trace(const rs_report *report, FILE *out) {
    trace_page page = {.report = report, .out = out};
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
    for (int32_t r = 0; r < report->request.job.schedule->n_ranks; r++) put_names(&page, r);
    const int64_t n = report->trace == NULL ? 0 : report->trace->n_items;
    for (int64_t i = 0; i < n; i++) put_transfer(&page, &report->trace->items[i], i);
    fputs("\n]}\n", out);
}
