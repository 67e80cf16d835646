/* run_json.c: one run as one JSON object, schema ringsim.run/1, in the order of the manual; two of them; a
 * schedule's verdict.
 *
 *   - Millions of transfers are written one by one and need no memory.
 *   - What was not done is null: no verdict, no values, no rates.
 */
#include "run/options.h"
#include "base/containers.h"
#include "run/run_json.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void put_known_bool(rs_json *json, const char *key, bool known, bool value) {
    if (known) {
        rs_json_bool(json, key, value);
    } else {
        rs_json_null(json, key);
    }
}

/* ------------------------------------------------------------------ the parts of a run */

static void put_fault(rs_json *json, const rs_fault *fault) {
    const rs_fault_kind kind = fault->kind;
    assert(kind <= RS_DOWN);
    rs_json_object(json, NULL);
    rs_json_text(json, "kind", rc_option_table[RC_SLOW_LINK + (int)kind].name);
    rs_json_integer(json, "rank", fault->rank);
    if (kind == RS_KILL || kind == RS_FLIP || kind == RS_DOWN) {
        rs_json_integer(json, "step", fault->step);
    }
    if (kind == RS_LATE || kind == RS_STRAGGLER || kind == RS_DOWN) {
        rs_json_integer(json, "time_ps", fault->time_ps);
    }
    if (kind == RS_SLOW_LINK || kind == RS_SLOW_REDUCE) {
        rs_json_real(json, "factor", (double)fault->factor_num / (double)fault->factor_den);
    }
    rs_json_close(json);
}

static void put_net(rs_json *json, const rs_job *job) {
    rc_json_net(json, &job->net);
    if (job->net.place != NULL) {
        rs_json_i32s(json, "place", job->net.place, job->schedule->n_ranks);
    }
    rs_json_array(json, "faults");
    for (int32_t i = 0; i < job->n_faults; i++) put_fault(json, &job->faults[i]);
    rs_json_close(json);
    rs_json_close(json);
}

static void put_verdict(rs_json *json, const rs_verdict *verdict) {
    rs_json_object(json, "verdict");
    rs_json_bool(json, "sound", verdict->sound);
    rs_json_text(json, "fault", rs_fault_name(verdict->fault));
    rs_json_known(json, "step", verdict->sound ? -1 : verdict->step);
    rs_json_known(json, "rank", verdict->sound ? -1 : verdict->rank);
    rs_json_known(json, "chunk", verdict->sound ? -1 : verdict->chunk);
    rs_json_text(json, "text", verdict->text);
    rs_json_close(json);
}

static void put_stalled(rs_json *json, const rs_outcome *outcome) {
    rs_json_array(json, "stalled");
    for (int32_t i = 0; i < outcome->n_stalled; i++) {
        const rs_wait *wait = &outcome->stalled[i];
        rs_json_object(json, NULL);
        rs_json_integers(json, {"rank", wait->rank}, {"step", wait->step});
        rs_json_i32s(json, "waits_for", wait->waits_for, wait->n_waits_for);
        rs_json_close(json);
    }
    rs_json_close(json);
    rs_json_i32s(json, "killed", outcome->killed, outcome->n_killed);
}

static void put_results(rs_json *json, const rs_report *report) {
    const int32_t n = report->request.job.schedule->n_ranks;
    put_known_bool(json, "correct", report->computed, report->correct);
    if (!report->computed) {
        rs_json_null(json, "wrong_ranks");
        rs_json_null(json, "result_crc32");
        return;
    }
    rs_json_array(json, "wrong_ranks");
    for (int32_t r = 0; r < n; r++) {
        if (report->wrong[r]) rs_json_integer(json, NULL, r);
    }
    rs_json_close(json);
    rs_json_u32s(json, "result_crc32", report->crc32, n);
}

static void put_rates(rs_json *json, const rs_report *report) {
    if (report->has_rates) {
        rs_json_real(json, "algbw_GBps", report->algbw_GBps);
        rs_json_real(json, "busbw_GBps", report->busbw_GBps);
    } else {
        rs_json_null(json, "algbw_GBps");
        rs_json_null(json, "busbw_GBps");
    }
}

_Static_assert((int)RC_DOWN - (int)RC_SLOW_LINK == (int)RS_DOWN,
               "the faults' options stand in the order of their kinds");

/* Returns the word that stands for the value on the command line. */
static const char *name_of(rc_option_id id, int value) {
    return rc_option_table[id].type->names[value];
}

static void put_request(rs_json *json, const rs_request *request, bool recorded) {
    static const char *const data[] = {NULL, "digits", "index", "random", "exact", "list"};
    const rs_job *job = &request->job;
    const rs_schedule *schedule = job->schedule;
    const bool all_reduce = schedule->collective == RS_COLL_ALL_REDUCE;
    const bool ring = all_reduce && strcmp(schedule->name, "ring") == 0;
    const int64_t count = rs_size_count(schedule, job->count);
    rc_json_schema(json, "ringsim.run/1");
    rs_json_text(json, "collective", rs_collective_name(schedule->collective));
    rs_json_known(json, "root", rs_collective_rooted(schedule->collective) ? schedule->root : -1);
    rs_json_text(json, "algorithm", schedule->name);
    rs_json_text(json, "order", !ring ? NULL : schedule->order == RS_ORDER_NCCL ? "nccl" : "seed");
    rs_json_integers(json, {"gpus", schedule->n_ranks}, {"count", count});
    rs_json_text(json, "dtype", rs_dtype_name(request->dtype));
    rs_json_text(json, "op",
                 rs_collective_reduces(schedule->collective) ? rs_op_name(request->op) : NULL);
    rs_json_integers(json, {"bytes", count * job->elem_bytes}, {"chunks", schedule->n_chunks},
                     {"steps", schedule->n_steps});
    rs_json_text(json, "values", name_of(RC_VALUES, (int)request->values));
    const bool moved = request->values != RS_VALUES_NONE;
    rs_json_text(json, "data",
                 !moved                   ? NULL
                 : request->input != NULL ? "input"
                                          : data[request->data]);
    rs_json_text(json, "engine", recorded ? NULL : name_of(RC_ENGINE, (int)request->engine));
}

/* Writes a wire of a machine, without closing it. */
static void put_wire(rs_json *json, const char *key, const rs_machine *machine, int32_t wire) {
    const rs_machine_link *link = &machine->links[wire / 2];
    const bool forth = wire % 2 == 0;
    rs_json_object(json, key);
    rs_json_integer(json, "link", wire / 2);
    rs_json_text(json, "from", machine->names[forth ? link->a : link->b]);
    rs_json_text(json, "to", machine->names[forth ? link->b : link->a]);
}

/* Writes what each wire carried, and which was busiest. */
static void put_wires(rs_json *json, const rs_report *report) {
    const rs_machine *machine = report->request.job.net.machine;
    const rs_outcome *outcome = &report->outcome;
    double share;
    if (machine == NULL || outcome->wires == NULL) return;
    rs_json_array(json, "wires");
    for (int32_t w = 0; w < 2 * machine->n_links; w++) {
        const rs_wire_use *use = &outcome->wires[w];
        if (use->n_bytes == 0) continue;
        put_wire(json, NULL, machine, w);
        rs_json_unsigned(json, "bandwidth_Bps", machine->links[w / 2].bandwidth_Bps);
        rs_json_integers(json, {"bytes", use->n_bytes}, {"busy_ps", use->busy_ps});
        rs_json_real(json, "share",
                     rs_wire_share(&report->request.job, w, use, outcome->makespan_ps));
        rs_json_close(json);
    }
    rs_json_close(json);
    const int32_t busiest =
        rs_busiest_wire(&report->request.job, outcome->wires, outcome->makespan_ps, &share);
    if (busiest < 0) {
        rs_json_null(json, "bottleneck");
        return;
    }
    put_wire(json, "bottleneck", machine, busiest);
    rs_json_real(json, "share", share);
    rs_json_close(json);
}

/* Of a run that was read, nobody knows the network. */
static void put_recording(rs_json *json, const rs_recording *recording) {
    rs_json_object(json, "recording");
    rs_json_bool(json, "measured", recording->measured);
    rs_json_text(json, "by", recording->by);
    rs_json_close(json);
    rs_json_null(json, "net");
}

static void put_head(rs_json *json, const rs_report *report) {
    const rs_request *request = &report->request;
    const rs_outcome *outcome = &report->outcome;
    const bool recorded = report->recording != NULL;
    put_request(json, request, recorded);
    if (recorded) {
        put_recording(json, report->recording);
    } else {
        put_net(json, &request->job);
    }
    rs_json_integer(json, "makespan_ps", outcome->makespan_ps);
    rs_json_known(json, "lower_bound_ps", recorded ? -1 : report->lower_bound_ps);
    if (!recorded && request->job.net.machine != NULL) {
        rc_json_blocks(json, "lower_bound_blocks", &report->bound, request->job.schedule->n_ranks);
    }
    rs_json_integer(json, "n_transfers", outcome->n_transfers);
    rs_json_i64s(json, "bytes_sent", outcome->bytes_sent, request->job.schedule->n_ranks);
    put_rates(json, report);
    if (report->judged) {
        put_verdict(json, &report->verdict);
    } else {
        rs_json_null(json, "verdict");
    }
    rs_json_bool(json, "completed", outcome->completed);
    put_stalled(json, outcome);
    put_wires(json, report);
    put_results(json, report);
}

/* ------------------------------------------------------------------ the transfers */

/* Where it lies in what the sender has: of an all-to-all that is the sender's K of the N x K elements. */
static int64_t offset_of(const rs_job *job, const rs_transfer *transfer) {
    const int64_t first = rs_chunk_first(job->schedule, job->count, transfer->chunk);
    const int64_t own = rs_size_count(job->schedule, job->count);
    return own < job->count ? first % own : first;
}

static void put_transfer(rs_json *json, const rs_report *report, const rs_timed *timed) {
    const rs_job *job = &report->request.job;
    const rs_schedule *schedule = job->schedule;
    const rs_transfer *t = &timed->transfer;
    int32_t iteration;
    const rs_phase found = rs_phase_at(schedule, timed->step, &iteration, NULL);
    const char *phase = schedule->algorithm == NULL ? NULL : rs_phase_name(found);
    rs_json_object(json, NULL);
    rs_json_integers(json, {"step", timed->step}, {"channel", t->channel});
    rs_json_text(json, "phase", phase);
    rs_json_known(json, "iteration", phase == NULL ? -1 : iteration + 1);
    rs_json_integers(json, {"src", t->src}, {"dst", t->dst}, {"chunk", t->chunk},
                     {"chunks", t->n_chunks}, {"offset", offset_of(job, t)},
                     {"count", rs_transfer_count(schedule, job->count, t)});
    rs_json_text(json, "effect", t->effect == RS_REDUCE ? "reduce" : "copy");
    rs_json_integers(json, {"start_ps", timed->start_ps}, {"end_ps", timed->end_ps},
                     {"done_ps", timed->done_ps});
    rs_json_close(json);
}

RS_ORDER(by_step_and_src, rs_timed, step, transfer.src, transfer.order);

/* The trace is in list order within a step; only a file's list may not be by source already. */
static void put_step(rs_json *json, const rs_report *report, rs_timed items[], int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        if (items[i].transfer.src >= items[i - 1].transfer.src) continue;
        qsort(items, (size_t)n, sizeof *items, by_step_and_src);
        break;
    }
    for (int64_t i = 0; i < n; i++) put_transfer(json, report, &items[i]);
}

static rc_exit put_transfers(rs_json *json, const rs_report *report, rs_error *error) {
    const rs_trace *trace = report->trace;
    const int64_t n = trace == NULL ? 0 : trace->n_items;
    rs_timed *step = NULL;
    int64_t capacity = 0;
    rs_json_array(json, "transfers");
    for (int64_t i = 0, end = 0; i < n; i = end) {
        while (end < n && trace->items[end].step == trace->items[i].step) end++;
        if (!rs_reserve(NULL, &step, end - i, &capacity)) {
            free(step);
            return rc_no_memory(error);
        }
        memcpy(step, trace->items + i, (size_t)(end - i) * sizeof *step);
        put_step(json, report, step, end - i);
    }
    free(step);
    rs_json_close(json);
    return RC_GOOD;
}

/* ------------------------------------------------------------------ the whole */

static rc_exit put_run(rs_json *json, const rs_report *report, bool transfers, const char *sandbox,
                       rs_error *error) {
    rc_exit status = RC_GOOD;
    rs_json_object(json, NULL);
    put_head(json, report);
    if (sandbox[0] != '\0') rs_json_text(json, "sandbox", sandbox);
    if (transfers) status = put_transfers(json, report, error);
    if (status != RC_GOOD) return status;
    rs_json_close(json);
    rs_json_newline(json);
    return RC_GOOD;
}

rc_exit rc_json_run(const rs_report *report, bool transfers, const char *sandbox, FILE *out,
                    rs_error *error) {
    rs_json json;
    rs_json_begin(&json, rc_write_to_file, out);
    const rc_exit status = put_run(&json, report, transfers, sandbox, error);
    if (status == RC_GOOD) rs_json_end(&json);
    return status;
}

rc_exit rc_json_runs(const rs_report reports[], int n, bool transfers, FILE *out, rs_error *error) {
    rs_json json;
    rc_exit status = RC_GOOD;
    rc_json_begin(&json, "ringsim.view/1", out);
    rs_json_lines(&json, "runs");
    for (int i = 0; i < n && status == RC_GOOD; i++) {
        status = put_run(&json, &reports[i], transfers, "", error);
    }
    if (status != RC_GOOD) return status;
    rs_json_close(&json);
    rc_json_end(&json);
    return RC_GOOD;
}

void rc_json_check(const char *path, const rs_schedule *schedule, const rs_verdict *verdict,
                   const char *sandbox, FILE *out) {
    rs_json json;
    int64_t most = 0, total = 0;
    for (int32_t r = 0; r < schedule->n_ranks; r++) {
        const int64_t sent = rs_elements_sent(schedule, schedule->n_chunks, r);
        if (sent > most) most = sent;
        total += sent;
    }
    rc_json_begin(&json, "ringsim.check/1", out);
    rs_json_text(&json, "file", path);
    rs_json_integers(&json, {"ranks", schedule->n_ranks}, {"chunks", schedule->n_chunks},
                     {"steps", schedule->n_steps}, {"n_transfers", schedule->n_transfers},
                     {"most_chunks_sent", most}, {"chunks_sent", total});
    put_verdict(&json, verdict);
    if (sandbox[0] != '\0') rs_json_text(&json, "sandbox", sandbox);
    rc_json_end(&json);
}
