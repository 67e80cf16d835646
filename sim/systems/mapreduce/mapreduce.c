/* mapreduce.c: from a text to the report, which the other files fill. */
#include "systems/mapreduce/mapreduce_steps.h"

/* ------------------------------------------------------------------ times */

/* When mappers, messages and reducers finish: rs_simulate runs the shuffle with
 * its real bytes.
 *
 *     GPU 0  [ map    ][ -> 1 ][ -> 2 ]          a GPU whose map takes longer enters the shuffle
 *     later GPU 1  [ map ]..[ -> 2 ][ -> 0 ]           (rs_fault RS_LATE)
 *
 * A reducer takes its own pairs in no time; to fold pairs that arrive takes bytes / reduce_Bps.
 */

static void note(void *context, const rs_timed *timed) {
    rs_mr_report *report = context;
    const size_t n = (size_t)report->request.n_ranks;
    const rs_transfer *t = &timed->transfer;
    rs_mr_message *message = &report->messages[(size_t)t->src * n + (size_t)t->dst];
    message->start_ps = timed->start_ps;
    message->end_ps = timed->end_ps;
    message->done_ps = timed->done_ps;
    if (timed->done_ps > report->end_ps[t->dst]) report->end_ps[t->dst] = timed->done_ps;
}

static rs_status time_maps(rs_mr_report *report, rs_error *error) {
    const rs_mr_request *request = &report->request;
    for (int32_t r = 0; r < request->n_ranks && request->map_Bps > 0; r++) {
        const int64_t n_bytes = report->first[r + 1] - report->first[r];
        report->map_ps[r] = rs_wire_ps(n_bytes, request->map_Bps, 1, 1);
        if (report->map_ps[r] >= (int64_t)1 << 53) {
            return rs_fail(
                error, RS_TOO_LARGE,
                "mapping %lld bytes lasts longer than 2^53 ps (2.5 hours); raise the map "
                "rate",
                (long long)n_bytes);
        }
    }
    return RS_OK;
}

static rs_status time_shuffle(rs_arena *arena, rs_error *error, rs_mr_report *report) {
    const rs_mr_request *request = &report->request;
    const size_t n = (size_t)request->n_ranks;
    rs_schedule schedule;
    rs_outcome outcome;
    rs_job job = {.schedule = &schedule, .elem_bytes = 1, .net = request->net};
    int64_t *bytes = rs_alloc(arena, n * n, sizeof *bytes);
    rs_fault *late = rs_alloc(arena, n, sizeof *late);
    if (bytes == NULL || late == NULL) return rs_no_memory(error);
    for (size_t i = 0; i < n * n; i++) bytes[i] = report->messages[i].n_bytes;
    rs_status status = rs_mr_shuffle(request->n_ranks, bytes, arena, error, &schedule, &job.count);
    if (status != RS_OK) return status;
    for (size_t r = 0; r < n; r++) {
        late[r] = (rs_fault){.kind = RS_LATE, .rank = (int32_t)r, .time_ps = report->map_ps[r]};
    }
    job.faults = late;
    job.n_faults = (int32_t)n;
    const rs_sink sink = {.context = report, .transfer = note};
    return rs_simulate(&job, RS_ENGINE_AUTO, &sink, arena, error, &outcome);
}

/* Times the maps, the shuffle and the reduction. */
static rs_status rs_mr_time(rs_arena *arena, rs_error *error, rs_mr_report *report) {
    const size_t n = (size_t)report->request.n_ranks;
    report->map_ps = rs_alloc(arena, n, sizeof *report->map_ps);
    report->end_ps = rs_alloc(arena, n, sizeof *report->end_ps);
    if (arena->lacked) return rs_no_memory(error);
    rs_status status = time_maps(report, error);
    if (status != RS_OK) return status;
    for (size_t i = 0; i < n * n; i++) {
        rs_mr_message *message = &report->messages[i];
        message->start_ps = message->end_ps = message->done_ps = -1;
        if (i / n == i % n || message->n_bytes == 0) continue;
        report->n_messages++;
        report->n_bytes += message->n_bytes;
    }
    for (size_t r = 0; r < n; r++) report->end_ps[r] = report->map_ps[r];
    if (report->n_messages > 0) status = time_shuffle(arena, error, report);
    for (size_t r = 0; r < n; r++) {
        if (report->end_ps[r] > report->makespan_ps) report->makespan_ps = report->end_ps[r];
    }
    return status;
}

const char *rs_mr_op_name(rs_mr_op op) {
    static const char *const names[] = {"sum", "count", "max", "min", "list"};
    return names[op];
}

static rs_status check(const rs_mr_request *request, rs_error *error) {
    if (request->n_ranks < 1 || request->n_ranks > RS_MR_MAX_RANKS) {
        return rs_fail(error, RS_BAD_INPUT, "%d GPUs: MapReduce here has 1..%d",
                       (int)request->n_ranks, RS_MR_MAX_RANKS);
    }
    if (request->n_bytes < 0 || request->n_bytes > RS_MR_MAX_TEXT) {
        return rs_fail(error, RS_BAD_INPUT, "a text of %lld bytes is too long",
                       (long long)request->n_bytes);
    }
    return RS_OK;
}

static rs_status begin_report(const rs_mr_request *request, rs_arena *arena, rs_error *error,
                              rs_mr_report *report) {
    const size_t n = (size_t)request->n_ranks;
    *report = (rs_mr_report){.request = *request};
    report->first = rs_alloc(arena, n + 1, sizeof *report->first);
    report->mapped = rs_alloc(arena, n, sizeof *report->mapped);
    report->reduced = rs_alloc(arena, n, sizeof *report->reduced);
    report->messages = rs_alloc(arena, n * n, sizeof *report->messages);
    if (arena->lacked) return rs_no_memory(error);
    for (int32_t r = 0; r <= request->n_ranks; r++) {
        report->first[r] = rs_chunk_offset(request->n_bytes, request->n_ranks, r);
    }
    return RS_OK;
}

rs_status rs_mapreduce(const rs_mr_request *request, rs_arena *arena, rs_error *error,
                       rs_mr_report *report) {
    rs_mr_report made;
    rs_status status = check(request, error);
    if (status == RS_OK) status = begin_report(request, arena, error, &made);
    if (status == RS_OK) status = rs_mr_count(arena, error, &made);
    if (status == RS_OK) status = rs_mr_time(arena, error, &made);
    if (status == RS_OK) status = rs_mr_compare_ring(arena, error, &made);
    if (status == RS_OK) *report = made;
    return status;
}
