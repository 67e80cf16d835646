/* job_bytes.c: see job_bytes.h. */
#include "process/job_bytes.h"
#include "base/containers.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char rg_frame_magic[8] = {'r', 'i', 'n', 'g', 's', 'i', 'm', 1};

/* ------------------------------------------------------------------ writing */

static void append(rg_writer *writer, const void *bytes, size_t n) {
    if (writer->bad) return;
    if (!rs_reserve(NULL, &writer->bytes, writer->n + n, &writer->capacity)) {
        writer->bad = true;
        return;
    }
    if (n > 0) memcpy(writer->bytes + writer->n, bytes, n);
    writer->n += n;
}

void rg_put(rg_writer *writer, int64_t number) {
    append(writer, &number, sizeof number);
}

void rg_put_bytes(rg_writer *writer, const void *bytes, size_t n) {
    rg_put(writer, (int64_t)n);
    append(writer, bytes, n);
}

void rg_begin_frame(rg_writer *writer, rg_frame kind) {
    writer->n = 0;
    append(writer, rg_frame_magic, sizeof rg_frame_magic);
    rg_put(writer, 0);
    rg_put(writer, kind);
}

void rg_end_frame(rg_writer *writer) {
    assert(writer->bad || writer->n >= RG_FRAME_HEAD);
    append(writer, "\n", 1);
    const int64_t n = (int64_t)writer->n - RG_FRAME_HEAD;
    if (!writer->bad) memcpy(writer->bytes + sizeof rg_frame_magic, &n, sizeof n);
}

/* ------------------------------------------------------------------ reading */

rg_reader rg_frame_reader(const char *frame, size_t n) {
    if (n <= RG_FRAME_HEAD || frame[n - 1] != '\n') return (rg_reader){frame, 0, true};
    return (rg_reader){frame + RG_FRAME_HEAD, n - RG_FRAME_HEAD - 1, false};
}

static const void *take(rg_reader *reader, size_t n) {
    if (reader->bad || n > reader->left) {
        reader->bad = true;
        return NULL;
    }
    const void *here = reader->at;
    reader->at += n;
    reader->left -= n;
    return here;
}

int64_t rg_get(rg_reader *reader) {
    int64_t number = 0;
    const void *here = take(reader, sizeof number);
    if (here != NULL) memcpy(&number, here, sizeof number);
    return number;
}

const void *rg_get_bytes(rg_reader *reader, size_t *n) {
    const int64_t length = rg_get(reader);
    if (length < 0) reader->bad = true;
    *n = reader->bad ? 0 : (size_t)length;
    const void *here = take(reader, *n);
    if (here == NULL) *n = 0;
    return here;
}

void rg_get_text(rg_reader *reader, char *out, size_t n_out) {
    assert(n_out > 0);
    size_t n;
    const void *here = rg_get_bytes(reader, &n);
    if (n > n_out - 1) n = n_out - 1;
    if (n > 0) memcpy(out, here, n);
    out[n] = '\0';
}

static rs_status garbled(rs_error *error) {
    return rs_fail(error, RS_BAD_INPUT, "what came from another process cannot be read");
}

/* ------------------------------------------------------------------ jobs */

static void write_text(void *context, const char *bytes, size_t n) {
    append(context, bytes, n);
}

/* Writes an algorithm by its name, a table as .sched text. */
static void put_schedule(rg_writer *writer, const rs_schedule *schedule) {
    const bool listed = schedule->table != NULL;
    const rs_spec spec = rs_spec_of(schedule);
    const int64_t numbers[] = {spec.n_ranks, spec.order,          spec.gpus_per_node,
                               spec.root,    spec.n_pieces,       spec.n_channels,
                               spec.dealt,   schedule->collective};
    rg_put_bytes(writer, numbers, sizeof numbers);
    if (!listed) {
        const char *name = schedule->algorithm != NULL ? schedule->algorithm->name : "ring";
        rg_put(writer, 0);
        rg_put_bytes(writer, name, strlen(name));
        return;
    }
    rg_writer printed = {0};
    rs_print_schedule(schedule, write_text, &printed);
    rg_put(writer, 1);
    rg_put_bytes(writer, printed.bytes, printed.n);
    writer->bad = writer->bad || printed.bad;
    free(printed.bytes);
}

static rs_status get_schedule(rg_reader *reader, int64_t count, rs_arena *arena, rs_error *error,
                              rs_schedule *schedule) {
    int64_t v[8];
    size_t n, n_numbers;
    const void *numbers = rg_get_bytes(reader, &n_numbers);
    const int64_t listed = rg_get(reader);
    const char *bytes = rg_get_bytes(reader, &n);
    if (reader->bad || n_numbers != sizeof v) return garbled(error);
    memcpy(v, numbers, sizeof v);
    for (int i = 0; i < 8; i++) {
        if (v[i] < 0 || v[i] > INT32_MAX) return garbled(error);
    }
    if (v[6] > 1 || v[7] >= RS_N_COLLECTIVES) return garbled(error);
    if (listed) return rs_parse_schedule(bytes, n, arena, error, schedule);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(n < 63 ? n : 63), bytes);
    const rs_algorithm *algorithm = rs_find_algorithm((rs_collective)v[7], name);
    if (algorithm == NULL) return garbled(error);
    const rs_spec spec = {.n_ranks = (int32_t)v[0],
                          .order = (rs_order)v[1],
                          .gpus_per_node = (int32_t)v[2],
                          .root = (int32_t)v[3],
                          .n_pieces = (int32_t)v[4],
                          .n_channels = (int32_t)v[5],
                          .dealt = v[6] != 0};
    return rs_schedule_from_spec(algorithm, &spec, count, error, schedule);
}

/* Writes runs and sums; of no prediction none. */
static void put_predicted(rg_writer *writer, const rg_job *job) {
    const rs_bits *bits = job->predicted;
    rs_arena arena;
    int64_t n_pairs = 0;
    rs_arena_init(&arena, NULL);
    const rs_two_sums *pairs = bits == NULL ? NULL : rs_sums_list(job->sums, &arena, &n_pairs);
    writer->bad = writer->bad || (bits != NULL && pairs == NULL);
    rg_put_bytes(writer, bits == NULL ? NULL : bits->runs,
                 bits == NULL ? 0 : (size_t)bits->n_runs * sizeof *bits->runs);
    rg_put_bytes(writer, pairs, (size_t)n_pairs * sizeof *pairs);
    rs_arena_free(&arena);
}

static rs_status get_predicted(rg_reader *reader, int32_t n_ranks, rs_arena *arena, rs_error *error,
                               rg_job *job) {
    size_t n_runs, n_pairs;
    const void *runs = rg_get_bytes(reader, &n_runs), *pairs = rg_get_bytes(reader, &n_pairs);
    job->predicted = NULL;
    job->sums = NULL;
    if (reader->bad) return garbled(error);
    if (n_runs == 0) return RS_OK;
    rs_bits *bits = rs_alloc(arena, 1, sizeof *bits);
    char *copy = rs_alloc(arena, 1, n_runs + n_pairs); /* a frame's bytes lie anywhere */
    if (bits == NULL || copy == NULL) return rs_no_memory(error);
    memcpy(copy, runs, n_runs);
    memcpy(copy + n_runs, pairs, n_pairs);
    *bits =
        (rs_bits){.runs = (rs_bits_run *)copy, .n_runs = (int64_t)(n_runs / sizeof *bits->runs)};
    const int64_t n = (int64_t)(n_pairs / sizeof(rs_two_sums));
    job->sums = rs_sums_listed(n_ranks, (const rs_two_sums *)(copy + n_runs), n, arena);
    bool good = job->sums != NULL && n_ranks <= RG_MOST_PREDICTED;
    for (int64_t i = 0; i < bits->n_runs; i++) {
        const rs_bits_run *run = &bits->runs[i];
        good = good && run->first == bits->count && run->count > 0 && run->sum >= 0 &&
               run->sum < n_ranks + n;
        bits->count += good ? run->count : 0;
    }
    job->predicted = bits;
    return good && bits->count == job->count ? RS_OK : garbled(error);
}

/* Both ends are the same program: a struct goes as it is, what it points to behind it. */
void rg_put_job(rg_writer *writer, const rg_job *job) {
    const size_t n_listed = job->list == NULL ? 0 : (size_t)job->schedule->n_ranks;
    rg_job plain = *job;
    plain.schedule = NULL;
    plain.list = NULL;
    plain.predicted = NULL;
    plain.sums = NULL;
    rg_begin_frame(writer, RG_FRAME_JOB);
    rg_put_bytes(writer, &plain, sizeof plain);
    rg_put_bytes(writer, job->list, n_listed * sizeof *job->list);
    put_schedule(writer, job->schedule);
    put_predicted(writer, job);
    rg_end_frame(writer);
}

rs_status rg_get_job(rg_reader *reader, rs_arena *arena, rs_error *error, rs_schedule *schedule,
                     rg_job *job) {
    size_t n, n_listed;
    const void *sent = rg_get_bytes(reader, &n);
    if (n != sizeof *job) return garbled(error);
    memcpy(job, sent, n);
    const void *listed = rg_get_bytes(reader, &n_listed);
    double *list = rs_alloc(arena, n_listed + 1, 1);
    if (list == NULL) return rs_no_memory(error);
    if (n_listed > 0) memcpy(list, listed, n_listed);
    const rs_status status = get_schedule(reader, job->count, arena, error, schedule);
    if (status != RS_OK) return status;
    if (n_listed > 0 && n_listed != (size_t)schedule->n_ranks * sizeof *list) return garbled(error);
    job->schedule = schedule;
    job->list = n_listed > 0 ? list : NULL;
    return get_predicted(reader, schedule->n_ranks, arena, error, job);
}

/* ------------------------------------------------------------------ results */

void rg_put_result(rg_writer *writer, const rg_result *result, int32_t n_ranks) {
    assert(n_ranks >= 1);
    rg_begin_frame(writer, RG_FRAME_RESULT);
    rg_put_bytes(writer, result, sizeof *result);
    rg_put_bytes(writer, result->wrong, (size_t)n_ranks * sizeof *result->wrong);
    rg_put_bytes(writer, result->crc32, (size_t)n_ranks * sizeof *result->crc32);
    const rs_trace *trace = result->trace;
    rg_put(writer, trace != NULL);
    rg_put_bytes(writer, trace != NULL ? trace->items : NULL,
                 trace != NULL ? (size_t)trace->n_items * sizeof *trace->items : 0);
    rg_end_frame(writer);
}

static rs_status get_trace(rg_reader *reader, rs_arena *arena, rs_error *error, rs_trace **trace) {
    size_t n;
    const bool kept = rg_get(reader) != 0;
    const void *items = rg_get_bytes(reader, &n);
    if (reader->bad) return garbled(error);
    if (!kept) return RS_OK;
    const int64_t n_items = (int64_t)(n / sizeof(rs_timed));
    const rs_status status = rs_trace_new(n_items, arena, error, trace);
    if (status != RS_OK) return status;
    if (n_items > 0) memcpy((*trace)->items, items, (size_t)n_items * sizeof(rs_timed));
    (*trace)->n_items = n_items;
    return RS_OK;
}

rs_status rg_get_result(rg_reader *reader, int32_t n_ranks, rs_arena *arena, rs_error *error,
                        rg_result *result) {
    size_t n_sent, n_wrong, n_crc;
    const void *sent = rg_get_bytes(reader, &n_sent);
    const void *wrong = rg_get_bytes(reader, &n_wrong);
    const void *crc32 = rg_get_bytes(reader, &n_crc);
    const size_t n = (size_t)n_ranks;
    rg_result made = *result;
    if (n_sent != sizeof made || n_wrong != n * sizeof *made.wrong ||
        n_crc != n * sizeof *made.crc32) {
        return garbled(error);
    }
    memcpy(result, sent, n_sent);
    result->wrong = memcpy(made.wrong, wrong, n_wrong);
    result->crc32 = memcpy(made.crc32, crc32, n_crc);
    result->stuck = made.stuck;
    result->trace = NULL;
    result->completed = true;
    return get_trace(reader, arena, error, &result->trace);
}
