/* run.c: one collective from end to end: simulate it, judge it, execute it, compare.
 *
 *     request --> simulate --> outcome, trace
 *             --> check    --> verdict               (of the schedule without its faults)
 *             --> fill, apply, compare --> results, correct, wrong ranks, crc32
 *
 * It does only what the request and its size allow; the report says what it did.
 */
#include "measure/recording.h"

#include <assert.h>
#include <string.h>

enum {
    VALUES_BYTES = 64 * 1024 * 1024, /* "auto" moves values if all ranks together hold no more */
    CHECK_WORDS = 300 * 1000 * 1000, /* "auto" judges if the checker's sets take no more words */
    CHECK_RANKS = 64                 /* ... and always up to here */
};

/* Resolves "auto": every element, one a chunk, or none. */
static rs_values resolve_values(const rs_request *request) {
    const rs_schedule *schedule = request->job.schedule;
    if (request->values != RS_VALUES_AUTO) return request->values;
    const int64_t affordable = VALUES_BYTES / request->job.elem_bytes / schedule->n_ranks;
    if (request->job.count <= affordable) return RS_VALUES_ALL;
    return schedule->n_chunks <= affordable ? RS_VALUES_SAMPLE : RS_VALUES_NONE;
}

bool rs_wants_verdict(const rs_request *request) {
    const rs_schedule *schedule = request->job.schedule;
    if (request->check != RS_AUTO) return request->check == RS_ALWAYS;
    if (schedule->n_ranks <= CHECK_RANKS) return true;
    const int64_t words = schedule->n_ranks / 64 + 1;
    return schedule->n_transfers <= CHECK_WORDS / words / schedule->max_run;
}

static rs_status resolve_data(rs_request *request, rs_error *error) {
    const rs_schedule *schedule = request->job.schedule;
    const bool fit =
        rs_digits_fit(schedule->n_ranks, schedule->n_chunks, request->dtype, request->op);
    if (request->data == RS_DATA_AUTO) request->data = fit ? RS_DATA_DIGITS : RS_DATA_INDEX;
    if (request->data == RS_DATA_DIGITS && !fit && request->input == NULL) {
        return rs_fail(
            error, RS_BAD_INPUT,
            "data digits: (chunk + 1) x 10^rank does not fit %d GPUs and %d chunks of %s "
            "%s; use index or random",
            (int)schedule->n_ranks, (int)schedule->n_chunks, rs_dtype_name(request->dtype),
            rs_op_name(request->op));
    }
    if (request->data == RS_DATA_EXACT && request->input == NULL &&
        !rs_exact_fits(schedule->n_ranks, request->dtype)) {
        return rs_fail(error, RS_BAD_INPUT,
                       "data exact: sums over %d GPUs round in %s; use a wider type, or random",
                       (int)schedule->n_ranks, rs_dtype_name(request->dtype));
    }
    return RS_OK;
}

/* Takes a part of what one rank holds from the input file, or generates it. */
static void load(const rs_request *request, int32_t rank, int64_t first, int64_t n, void *out) {
    const rs_job *job = &request->job;
    const size_t size = (size_t)job->elem_bytes;
    if (request->input == NULL) {
        rs_fill_part(request->data, request->dtype, rank, job->schedule->n_chunks, job->count,
                     first, n, request->seed, request->list, out);
        return;
    }
    const int64_t own = rs_size_count(job->schedule, job->count);
    int64_t at = (int64_t)rank * own + first;
    if (own < job->count) { /* all-to-all: a rank has its own K of the array's N x K, at rank x K */
        int64_t begin = (int64_t)rank * own, end = begin + own;
        begin = begin > first ? begin : first;
        end = end < first + n ? end : first + n;
        if (begin >= end) return; /* nothing of it; all else is blank */
        out = (char *)out + (size_t)(begin - first) * size;
        at = begin;
        n = end - begin;
    }
    memcpy(out, (const char *)request->input + (size_t)at * size, (size_t)n * size);
}

/* The first element of each chunk stands for it. */
static void load_sample(const rs_request *request, int32_t rank, void *out) {
    const rs_job *job = &request->job;
    const int32_t n_chunks = job->schedule->n_chunks;
    const size_t size = (size_t)job->elem_bytes;
    if (request->input == NULL) {
        rs_fill(request->data, request->dtype, rank, n_chunks, job->count, n_chunks, request->seed,
                request->list, out);
        return;
    }
    for (int32_t c = 0; c < n_chunks; c++) {
        const int64_t element = rs_chunk_first(job->schedule, job->count, c);
        load(request, rank, element, 1, (char *)out + (size_t)c * size);
    }
}

/* Empties the chunks of elements first .. first + n - 1 that are another rank's data. `count` elements are
   the array, or one a chunk. */
static void blank(const rs_schedule *schedule, int64_t count, int32_t elem_bytes, int32_t rank,
                  int64_t first, int64_t n, char *elems) {
    if (rs_collective_reduces(schedule->collective) || n == 0) return;
    for (int32_t c = rs_chunk_of(schedule, count, first); n > 0; c++) {
        const int64_t end = rs_chunk_first(schedule, count, c + 1);
        const int64_t m = end - first < n ? end - first : n;
        const size_t n_bytes = (size_t)(m * elem_bytes);
        if (rs_ends_of(schedule, c).from != rank) memset(elems, 0, n_bytes);
        elems += n_bytes;
        first += m;
        n -= m;
    }
}

static rs_status new_elems(rs_report *report, rs_arena *arena, rs_error *error) {
    const rs_job *job = &report->request.job;
    const size_t n = (size_t)job->schedule->n_ranks;
    report->inputs = rs_alloc(arena, n, sizeof *report->inputs);
    report->results = rs_alloc(arena, n, sizeof *report->results);
    report->wrong = rs_alloc(arena, n, sizeof *report->wrong);
    report->crc32 = rs_alloc(arena, n, sizeof *report->crc32);
    for (size_t r = 0; r < n && !arena->lacked && !rs_stopped(arena->host); r++) {
        report->inputs[r] = rs_alloc(arena, (size_t)report->n_elems, (size_t)job->elem_bytes);
        report->results[r] = rs_alloc(arena, (size_t)report->n_elems, (size_t)job->elem_bytes);
    }
    if (!arena->lacked) return RS_OK;
    return rs_fail(error, RS_NO_MEMORY,
                   "no memory for the values of %d GPUs; take fewer, or values none", (int)n);
}

/* Tells the host that `what` is done for so many ranks; an error if it says stop. */
static rs_status report_progress(const rs_host *host, const char *what, int64_t done, int64_t n,
                                 rs_error *error) {
    if (rs_go_on(host, what, done, n)) return RS_OK;
    return rs_fail_word(error, RS_CANCELLED, 0, "cancelled while %s", what);
}

enum { PART_BYTES = 4 << 20 }; /* between two looks at the host */

/* Gives a rank what it holds at the start, twice: all of it, or an element for each chunk. */
static rs_status fill_rank(rs_report *report, int32_t rank, const rs_host *host, rs_error *error) {
    const rs_job *job = &report->request.job;
    const bool all = report->n_elems == job->count;
    const int64_t n = report->n_elems, part = all ? PART_BYTES / job->elem_bytes : n;
    for (int64_t first = 0; first < n; first += part) {
        const int64_t m = n - first < part ? n - first : part;
        const size_t at = (size_t)(first * job->elem_bytes);
        char *input = (char *)report->inputs[rank] + at;
        const rs_status status =
            report_progress(host, RS_MESSAGE("filling the arrays"), rank * n + first,
                            job->schedule->n_ranks * n, error);
        if (status != RS_OK) return status;
        if (all)
            load(&report->request, rank, first, m, input);
        else
            load_sample(&report->request, rank, input);
        blank(job->schedule, n, job->elem_bytes, rank, first, m, input);
        memcpy((char *)report->results[rank] + at, input, (size_t)(m * job->elem_bytes));
    }
    return RS_OK;
}

static rs_status sum_up(rs_report *report, const rs_host *host, rs_error *error) {
    const int64_t n_ranks = report->request.job.schedule->n_ranks;
    const int64_t n_bytes = report->n_elems * report->request.job.elem_bytes;
    for (int32_t r = 0; r < n_ranks; r++) {
        for (int64_t at = 0; at < n_bytes; at += PART_BYTES) {
            const int64_t n = n_bytes - at < PART_BYTES ? n_bytes - at : PART_BYTES;
            const rs_status status = report_progress(host, RS_MESSAGE("summing up the results"),
                                                     r * n_bytes + at, n_ranks * n_bytes, error);
            if (status != RS_OK) return status;
            report->crc32[r] = rs_crc32_values(report->crc32[r], report->request.dtype,
                                               (const char *)report->results[r] + at,
                                               n / report->request.job.elem_bytes);
        }
    }
    return RS_OK;
}

/* Fills, executes with the faults, compares; the ranks that finished are judged. */
static rs_status compute(rs_report *report, rs_arena *arena, rs_error *error) {
    const rs_request *request = &report->request;
    const rs_job *job = &request->job;
    const int32_t n = job->schedule->n_ranks;
    const bool all = request->values == RS_VALUES_ALL || job->count < job->schedule->n_chunks;
    report->n_elems = all ? job->count : job->schedule->n_chunks;
    rs_status status = new_elems(report, arena, error);
    for (int32_t r = 0; r < n && status == RS_OK; r++) {
        status = fill_rank(report, r, arena->host, error);
    }
    if (status != RS_OK) return status;
    const rs_apply_options options = {
        .until_step = job->schedule->n_steps,
        .entered = report->outcome.completed ? NULL : report->outcome.entered,
        .faults = job->faults,
        .n_faults = job->n_faults,
    };
    status = rs_apply(job->schedule, request->dtype, request->op, report->n_elems, report->results,
                      &options, arena->host, error);
    if (status != RS_OK) return status;
    status = rs_compare(job->schedule, request->dtype, request->op, report->n_elems,
                        (const void *const *)report->inputs, (const void *const *)report->results,
                        arena->host, error, report->wrong);
    if (status != RS_OK) return status;
    report->correct = report->outcome.completed;
    for (int32_t r = 0; r < n; r++) {
        report->wrong[r] = report->wrong[r] && report->outcome.finish_ps[r] >= 0;
        if (report->wrong[r]) report->correct = false;
    }
    status = sum_up(report, arena->host, error);
    report->computed = status == RS_OK;
    return status;
}

static rs_status simulate(rs_report *report, rs_arena *arena, rs_error *error) {
    const rs_request *request = &report->request;
    const int64_t n_transfers = request->job.schedule->n_transfers;
    rs_sink sink = {0};
    if (request->trace_limit > 0 && n_transfers <= request->trace_limit) {
        const rs_status status = rs_trace_new(n_transfers, arena, error, &report->trace);
        if (status != RS_OK) return status;
        sink = rs_trace_sink(report->trace);
    }
    const rs_status status =
        rs_simulate(&request->job, request->engine, report->trace != NULL ? &sink : NULL, arena,
                    error, &report->outcome);
    if (status == RS_OK && report->trace != NULL) rs_trace_sort(report->trace);
    return status;
}

static rs_status measure(rs_report *report, rs_arena *arena, rs_error *error) {
    const rs_job *job = &report->request.job;
    report->bound = rs_lower_bound(job, arena);
    if (report->bound.time_ps < 0) return rs_no_memory(error);
    report->lower_bound_ps = report->bound.time_ps;
    report->has_rates =
        report->outcome.completed &&
        rs_rates(job->schedule->collective,
                 rs_size_count(job->schedule, job->count) * job->elem_bytes, job->schedule->n_ranks,
                 report->outcome.makespan_ps, &report->algbw_GBps, &report->busbw_GBps);
    return RS_OK;
}

rs_status rs_run(const rs_request *request, rs_arena *arena, rs_error *error, rs_report *report) {
    assert(request->job.elem_bytes == rs_dtype_bytes(request->dtype));
    rs_report made = {.request = *request};
    made.request.values = resolve_values(request);
    rs_status status = RS_OK;
    if (made.request.values != RS_VALUES_NONE) status = resolve_data(&made.request, error);
    if (status == RS_OK) status = simulate(&made, arena, error);
    if (status != RS_OK) return status;
    made.request.engine = made.outcome.engine;
    if (rs_wants_verdict(request)) {
        status = rs_check(request->job.schedule, arena->host, error, &made.verdict);
        if (status != RS_OK) return status;
        made.judged = true;
    }
    if (made.request.values != RS_VALUES_NONE) status = compute(&made, arena, error);
    if (status != RS_OK) return status;
    status = measure(&made, arena, error);
    if (status == RS_OK) *report = made;
    return status;
}
