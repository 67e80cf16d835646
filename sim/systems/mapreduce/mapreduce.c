/* mapreduce.c: from a text to the report, which the other files fill. */
#include "systems/mapreduce/mapreduce_steps.h"

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
    if (!report->first || !report->mapped || !report->reduced || !report->messages) {
        return rs_no_memory(error);
    }
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
