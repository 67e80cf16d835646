/* run_json.c: one run as one JSON object, schema ringsim.run/1, in the order of the manual.
 *
 *   - Integers are written as integers of 64 bits: cJSON's numbers are doubles, so whole numbers and
 *     arrays of them go in as raw text.
 *   - Transfers are not built in memory but written one by one behind the object's head, so that
 *     millions of them need none.
 *   - What was not done is null: no verdict, no values, no rates.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#ifndef HAVE_CJSON

rc_exit rc_json_ready(rs_error *error) {
    return rc_fail(error, RC_LACKS,
                   _("--json: this build has no cJSON; install it (see ringsim doctor) and make "
                     "again"));
}

rc_exit rc_json_run(const rs_report *report, bool transfers, FILE *out, rs_error *error) {
    (void)report, (void)transfers, (void)out;
    return rc_json_ready(error);
}

rc_exit rc_json_check(const char *path, const rs_schedule *schedule, const rs_verdict *verdict,
                      FILE *out, rs_error *error) {
    (void)path, (void)schedule, (void)verdict, (void)out;
    return rc_json_ready(error);
}

#else

#include <cjson/cJSON.h>

rc_exit rc_json_ready(rs_error *error) {
    (void)error;
    return RC_GOOD;
}

/* ------------------------------------------------------------------ small things */

static void add_integer(cJSON *object, const char *key, int64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    cJSON_AddItemToObjectCS(object, key, cJSON_CreateRaw(text));
}

static void add_unsigned(cJSON *object, const char *key, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    cJSON_AddItemToObjectCS(object, key, cJSON_CreateRaw(text));
}

static void add_text(cJSON *object, const char *key, const char *text) {
    cJSON_AddItemToObjectCS(object, key,
                            text == NULL ? cJSON_CreateNull() : cJSON_CreateString(text));
}

static void add_boolean(cJSON *object, const char *key, bool known, bool value) {
    cJSON_AddItemToObjectCS(object, key, known ? cJSON_CreateBool(value) : cJSON_CreateNull());
}

static void add_null(cJSON *object, const char *key) {
    cJSON_AddItemToObjectCS(object, key, cJSON_CreateNull());
}

/* Returns item i of an array of one of our types. */
typedef int64_t (*item_of)(const void *array, int64_t i);
static int64_t item_i64(const void *array, int64_t i) {
    return ((const int64_t *)array)[i];
}
static int64_t item_i32(const void *array, int64_t i) {
    return ((const int32_t *)array)[i];
}
static int64_t item_u32(const void *array, int64_t i) {
    return ((const uint32_t *)array)[i];
}

/* Adds a whole array as one raw text: 131,072 numbers are no tree of 131,072 nodes. */
static void add_array(cJSON *object, const char *key, const void *array, int64_t n, item_of item) {
    enum { LONGEST = 21 };
    char *text = malloc((size_t)n * LONGEST + 3);
    if (text == NULL) return; /* found by the caller: the object then lacks a key */
    char *at = text;
    *at++ = '[';
    for (int64_t i = 0; i < n; i++) {
        at += sprintf(at, i == 0 ? "%lld" : ",%lld", (long long)item(array, i));
    }
    strcpy(at, "]");
    cJSON_AddItemToObjectCS(object, key, cJSON_CreateRaw(text));
    free(text);
}

/* ------------------------------------------------------------------ the parts of a run */

static const char *const fault_kinds[] = {"slow-link", "late",        "straggler", "kill",
                                          "flip",      "slow-reduce", "down"};

static void add_faults(cJSON *object, const rs_job *job) {
    cJSON *list = cJSON_AddArrayToObject(object, "faults");
    for (int32_t i = 0; i < job->n_faults; i++) {
        const rs_fault *fault = &job->faults[i];
        cJSON *one = cJSON_CreateObject();
        add_text(one, "kind", fault_kinds[fault->kind]);
        add_integer(one, "rank", fault->rank);
        const rs_fault_kind kind = fault->kind;
        if (kind == RS_KILL || kind == RS_FLIP || kind == RS_DOWN) {
            add_integer(one, "step", fault->step);
        }
        if (kind == RS_LATE || kind == RS_STRAGGLER || kind == RS_DOWN) {
            add_integer(one, "time_ps", fault->time_ps);
        }
        if (kind == RS_SLOW_LINK || kind == RS_SLOW_REDUCE) {
            cJSON_AddNumberToObject(one, "factor",
                                    (double)fault->factor_num / (double)fault->factor_den);
        }
        cJSON_AddItemToArray(list, one);
    }
}

static void add_net(cJSON *object, const rs_job *job) {
    const rs_net *net = &job->net;
    cJSON *made = cJSON_AddObjectToObject(object, "net");
    add_integer(made, "alpha_ps", net->link.alpha_ps);
    add_unsigned(made, "bandwidth_Bps", net->link.bandwidth_Bps);
    if (net->reduce_Bps == 0) {
        add_null(made, "reduce_Bps"); /* infinite */
    } else {
        add_unsigned(made, "reduce_Bps", net->reduce_Bps);
    }
    add_text(made, "protocol", net->protocol == RS_EAGER ? "eager" : "rendezvous");
    add_integer(made, "overrides", net->n_overrides);
    add_faults(made, job);
}

static void add_verdict(cJSON *object, bool judged, const rs_verdict *verdict) {
    if (!judged) {
        add_null(object, "verdict");
        return;
    }
    cJSON *made = cJSON_AddObjectToObject(object, "verdict");
    add_boolean(made, "sound", true, verdict->sound);
    add_text(made, "fault", rs_fault_name(verdict->fault));
    const char *const keys[] = {"step", "rank", "chunk"};
    const int32_t places[] = {verdict->step, verdict->rank, verdict->chunk};
    for (int i = 0; i < 3; i++) {
        if (verdict->sound || places[i] < 0) {
            add_null(made, keys[i]);
        } else {
            add_integer(made, keys[i], places[i]);
        }
    }
    add_text(made, "text", verdict->text);
}

static void add_stalled(cJSON *object, const rs_outcome *outcome) {
    cJSON *list = cJSON_AddArrayToObject(object, "stalled");
    for (int32_t i = 0; i < outcome->n_stalled; i++) {
        const rs_wait *wait = &outcome->stalled[i];
        cJSON *one = cJSON_CreateObject();
        add_integer(one, "rank", wait->rank);
        add_integer(one, "step", wait->step);
        add_array(one, "waits_for", wait->waits_for, wait->n_waits_for, item_i32);
        cJSON_AddItemToArray(list, one);
    }
    add_array(object, "killed", outcome->killed, outcome->n_killed, item_i32);
}

static void add_results(cJSON *object, const rs_report *report) {
    const int32_t n = report->request.job.schedule->n_ranks;
    add_boolean(object, "correct", report->computed, report->correct);
    if (!report->computed) {
        add_null(object, "wrong_ranks");
        add_null(object, "result_crc32");
        return;
    }
    int32_t *wrong = malloc((size_t)n * sizeof *wrong);
    if (wrong == NULL) return;
    int32_t n_wrong = 0;
    for (int32_t r = 0; r < n; r++) {
        if (report->wrong[r]) wrong[n_wrong++] = r;
    }
    add_array(object, "wrong_ranks", wrong, n_wrong, item_i32);
    free(wrong);
    add_array(object, "result_crc32", report->crc32, n, item_u32);
}

static void add_rates(cJSON *object, const rs_report *report) {
    if (report->has_rates) {
        cJSON_AddNumberToObject(object, "algbw_GBps", report->algbw_GBps);
        cJSON_AddNumberToObject(object, "busbw_GBps", report->busbw_GBps);
    } else {
        add_null(object, "algbw_GBps");
        add_null(object, "busbw_GBps");
    }
}

static void add_request(cJSON *object, const rs_request *request, bool recorded) {
    static const char *const values[] = {"auto", "all", "sample", "none"};
    static const char *const engines[] = {"auto", "events", "wavefront"};
    static const char *const data[] = {NULL, "digits", "index", "random", "list"};
    const rs_job *job = &request->job;
    const rs_schedule *schedule = job->schedule;
    const bool ring = strcmp(schedule->name, "ring") == 0;
    add_text(object, "schema", "ringsim.run/1");
    add_text(object, "version", RINGSIM_VERSION);
    add_text(object, "algorithm", schedule->name);
    add_text(object, "order", !ring ? NULL : schedule->order == RS_ORDER_NCCL ? "nccl" : "seed");
    add_integer(object, "gpus", schedule->n_ranks);
    add_integer(object, "count", job->count);
    add_text(object, "dtype", rs_dtype_name(request->dtype));
    add_text(object, "op", rs_op_name(request->op));
    add_integer(object, "bytes", job->count * job->elem_bytes);
    add_integer(object, "chunks", schedule->n_chunks);
    add_integer(object, "steps", schedule->n_steps);
    add_text(object, "values", values[request->values]);
    const bool moved = request->values != RS_VALUES_NONE;
    add_text(object, "data",
             !moved                   ? NULL
             : request->input != NULL ? "input"
                                      : data[request->data]);
    add_text(object, "engine", recorded ? NULL : engines[request->engine]);
}

/* Of a run that was read, nobody knows the network. */
static void add_recording(cJSON *object, const rs_recording *recording) {
    char by[RS_BY_TEXT];
    cJSON *made = cJSON_AddObjectToObject(object, "recording");
    add_boolean(made, "measured", true, recording->measured);
    add_text(made, "by", rc_plain(recording->by, false, by, sizeof by));
    add_null(object, "net");
}

static cJSON *head_of(const rs_report *report) {
    const rs_request *request = &report->request;
    const rs_outcome *outcome = &report->outcome;
    cJSON *object = cJSON_CreateObject();
    add_request(object, request, report->recording != NULL);
    if (report->recording != NULL) {
        add_recording(object, report->recording);
    } else {
        add_net(object, &request->job);
    }
    add_integer(object, "makespan_ps", outcome->makespan_ps);
    if (report->recording != NULL) {
        add_null(object, "lower_bound_ps");
    } else {
        add_integer(object, "lower_bound_ps", report->lower_bound_ps);
    }
    add_integer(object, "n_transfers", outcome->n_transfers);
    add_array(object, "bytes_sent", outcome->bytes_sent, request->job.schedule->n_ranks, item_i64);
    add_rates(object, report);
    add_verdict(object, report->judged, &report->verdict);
    add_boolean(object, "completed", true, outcome->completed);
    add_stalled(object, outcome);
    add_results(object, report);
    return object;
}

/* ------------------------------------------------------------------ the transfers */

static void print_transfer(const rs_report *report, const rs_timed *timed, bool first, FILE *out) {
    const rs_job *job = &report->request.job;
    const rs_schedule *schedule = job->schedule;
    const rs_transfer *t = &timed->transfer;
    int32_t iteration;
    const char *phase = rs_phase_name(rs_phase_at(schedule, timed->step, &iteration, NULL));
    fprintf(out, "%s{\"step\":%d,\"channel\":%d,", first ? "" : ",", (int)timed->step, t->channel);
    if (phase == NULL) {
        fputs("\"phase\":null,\"iteration\":null,", out);
    } else {
        fprintf(out, "\"phase\":\"%s\",\"iteration\":%d,", phase, (int)iteration + 1);
    }
    fprintf(out, "\"src\":%d,\"dst\":%d,\"chunk\":%d,\"chunks\":%d,\"offset\":%lld,\"count\":%lld,",
            (int)t->src, (int)t->dst, (int)t->chunk, (int)t->n_chunks,
            (long long)rs_chunk_offset(job->count, schedule->n_chunks, t->chunk),
            (long long)rs_transfer_count(schedule, job->count, t));
    fprintf(out, "\"effect\":\"%s\",\"start_ps\":%lld,\"end_ps\":%lld,\"done_ps\":%lld}",
            t->effect == RS_REDUCE ? "reduce" : "copy", (long long)timed->start_ps,
            (long long)timed->end_ps, (long long)timed->done_ps);
}

static int by_step_and_src(const void *a, const void *b) {
    const rs_timed *x = a, *y = b;
    if (x->step != y->step) return x->step < y->step ? -1 : 1;
    if (x->transfer.src != y->transfer.src) return x->transfer.src < y->transfer.src ? -1 : 1;
    return x->transfer.order < y->transfer.order ? -1 : x->transfer.order > y->transfer.order;
}

/* The trace is in list order within a step; only a file's list may not be by source already. */
static void print_step(const rs_report *report, rs_timed items[], int64_t n, bool *first,
                       FILE *out) {
    for (int64_t i = 1; i < n; i++) {
        if (items[i].transfer.src >= items[i - 1].transfer.src) continue;
        qsort(items, (size_t)n, sizeof *items, by_step_and_src);
        break;
    }
    for (int64_t i = 0; i < n; i++) {
        print_transfer(report, &items[i], *first, out);
        *first = false;
    }
}

static rc_exit print_transfers(const rs_report *report, FILE *out, rs_error *error) {
    const rs_trace *trace = report->trace;
    const int64_t n = trace == NULL ? 0 : trace->n_items;
    rs_timed *step = NULL;
    int64_t capacity = 0;
    bool first = true;
    fputs(",\"transfers\":[", out);
    for (int64_t i = 0, end = 0; i < n; i = end) {
        while (end < n && trace->items[end].step == trace->items[i].step) end++;
        if (end - i > capacity) {
            rs_timed *larger = realloc(step, (size_t)(end - i) * sizeof *step);
            if (larger == NULL) {
                free(step);
                return rc_fail(error, RC_LACKS, _("no memory to sort a step's transfers"));
            }
            step = larger;
            capacity = end - i;
        }
        memcpy(step, trace->items + i, (size_t)(end - i) * sizeof *step);
        print_step(report, step, end - i, &first, out);
    }
    free(step);
    fputs("]", out);
    return RC_GOOD;
}

/* ------------------------------------------------------------------ the doors */

/* Prints the object without its closing brace. */
static rc_exit print_open(cJSON *object, int n_keys, FILE *out, rs_error *error) {
    char *text = cJSON_GetArraySize(object) == n_keys ? cJSON_PrintUnformatted(object) : NULL;
    cJSON_Delete(object);
    if (text == NULL) return rc_fail(error, RC_LACKS, _("no memory for the JSON"));
    fwrite(text, 1, strlen(text) - 1, out);
    cJSON_free(text);
    return RC_GOOD;
}

rc_exit rc_json_run(const rs_report *report, bool transfers, FILE *out, rs_error *error) {
    const int n_keys = report->recording != NULL ? 29 : 28;
    rc_exit status = print_open(head_of(report), n_keys, out, error);
    if (status == RC_GOOD && transfers) status = print_transfers(report, out, error);
    if (status == RC_GOOD) fputs("}\n", out);
    return status;
}

rc_exit rc_json_check(const char *path, const rs_schedule *schedule, const rs_verdict *verdict,
                      FILE *out, rs_error *error) {
    enum { N_KEYS = 10 };
    int64_t most = 0, total = 0;
    for (int32_t r = 0; r < schedule->n_ranks; r++) {
        const int64_t sent = rs_elements_sent(schedule, schedule->n_chunks, r);
        if (sent > most) most = sent;
        total += sent;
    }
    char name[4096];
    cJSON *object = cJSON_CreateObject();
    add_text(object, "schema", "ringsim.check/1");
    add_text(object, "version", RINGSIM_VERSION);
    add_text(object, "file", rc_plain(path, false, name, sizeof name));
    add_integer(object, "ranks", schedule->n_ranks);
    add_integer(object, "chunks", schedule->n_chunks);
    add_integer(object, "steps", schedule->n_steps);
    add_integer(object, "n_transfers", schedule->n_transfers);
    add_integer(object, "most_chunks_sent", most);
    add_integer(object, "chunks_sent", total);
    add_verdict(object, true, verdict);
    const rc_exit status = print_open(object, N_KEYS, out, error);
    if (status == RC_GOOD) fputs("}\n", out);
    return status;
}

#endif
