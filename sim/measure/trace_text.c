/* trace_text.c: .trace files, parsed and printed in memory. The format: ringsim-trace(5).
 *
 *     ringsim-trace 1
 *     measured ringsim verify on node1         # or: simulated
 *     ranks 4
 *     run
 *     type i32 sum
 *     count 1000
 *     chunks 4
 *     makespan 9000000                         # optional: a rank was late, or paused, after the last transfer
 *     0 0 1 0 reduce 0 0 5012500 5012500       # step src dst chunk effect channel start end done
 *     0 1 2 1..2 reduce 0 - - -                # it never happened: rank 2 did not enter step 0
 *
 *   - The parser reads the text twice, as for a schedule (sched_text.c): no number in it decides
 *     how much it allocates. Steps follow each other without a gap (an empty one is the line "3
 *     -"), so there are never more steps than lines.
 *   - Parsing printed runs gives the same runs.
 */
#include "measure/recording.h"
#include "base/scan.h"

#include <string.h>

enum { MAX_CHANNEL = 255 };
/* With these limits int64_t counts the bytes that a rank sends in a run: 2^36 elements x 8 x 10^7 <
   2^63. */
static const int64_t MAX_COUNT = (int64_t)1 << 36, MAX_TIME_PS = (int64_t)1 << 53;

typedef struct trace_parser {
    rs_scan scan;
    bool named, told; /* the first statement has been read; so has measured or simulated */
    bool measured;
    char by[RS_BY_TEXT];
    rs_said_collective collective;
    int32_t n_ranks;
    int32_t n_runs;
    int64_t n_total; /* transfers of all runs */
    /* the run being read */
    bool typed;
    rs_dtype dtype;
    rs_op op;
    int64_t count; /* -1: not read yet */
    int32_t n_chunks, n_parts;
    bool by_rank;
    int32_t n_steps;
    int64_t n_transfers;
    int64_t makespan_ps; /* 0: as the transfers say */
    bool cut_short;      /* some rank did not enter all steps */
    int32_t *entered;    /* [RS_MAX_FILE_RANKS] INT32_MAX: all steps */
    /* the longest run; while filling, room for it */
    int64_t most_transfers;
    int32_t most_steps;
    int64_t *step_first; /* NULL while counting */
    rs_transfer *list;
    rs_timed *items;
    rs_recording *runs;
    rs_arena *arena;
} trace_parser;

/* ------------------------------------------------------------------ the head */

/* Takes the rest of the line, up to a comment, unchanged. */
static void take_by(trace_parser *p) {
    rs_scan *scan = &p->scan;
    const char *begin = scan->at, *end = begin;
    if (p->told) rs_scan_fail(scan, scan->statement, "the origin is said twice");
    for (; !rs_scan_at_end(scan); scan->at++) {
        const unsigned char c = (unsigned char)*scan->at;
        if (c < ' ' && c != '\t') rs_scan_fail(scan, scan->at, "a control character");
        if (c != ' ' && c != '\t') end = scan->at + 1;
    }
    if (end - begin >= RS_BY_TEXT) {
        rs_scan_fail(scan, begin, "the origin is longer than 159 bytes");
        return;
    }
    memcpy(p->by, begin, (size_t)(end - begin));
    p->told = true;
}

static int32_t take_size(trace_parser *p, const char *what, int32_t most, bool again, bool late) {
    if (again) rs_scan_fail(&p->scan, p->scan.statement, "this is said twice");
    if (late) rs_scan_fail(&p->scan, p->scan.statement, "this must stand before the transfers");
    return (int32_t)rs_scan_whole_number(&p->scan, what, 1, most,
                                         RS_MESSAGE("expected the end of the number"));
}

static void take_type(trace_parser *p) {
    rs_scan *scan = &p->scan;
    int dtype = 0, op = 0;
    if (p->typed) rs_scan_fail(scan, scan->statement, "this is said twice");
    while (dtype < RS_N_DTYPES && !rs_scan_word(scan, rs_dtype_name((rs_dtype)dtype))) dtype++;
    if (dtype == RS_N_DTYPES) {
        rs_scan_fail(scan, scan->at, "expected i8 u8 i32 u32 i64 u64 f16 bf16 f32 or f64");
        return;
    }
    while (op < RS_N_OPS && !rs_scan_word(scan, rs_op_name((rs_op)op))) op++;
    if (op == RS_N_OPS) {
        rs_scan_fail(scan, scan->at, "expected sum prod min max or avg");
        return;
    }
    p->dtype = (rs_dtype)dtype;
    p->op = (rs_op)op;
    p->typed = true;
}

static void take_count(trace_parser *p) {
    if (p->count >= 0) rs_scan_fail(&p->scan, p->scan.statement, "this is said twice");
    p->count = rs_scan_whole_number(&p->scan, "the elements of a rank", 0, MAX_COUNT,
                                    RS_MESSAGE("expected the end of the number"));
}

static int64_t take_time(trace_parser *p, const char *what, int64_t least) {
    return rs_scan_whole_number(&p->scan, what, least, MAX_TIME_PS,
                                RS_MESSAGE("expected a time in whole picoseconds"));
}

static void take_entered(trace_parser *p) {
    rs_scan *scan = &p->scan;
    if (p->n_steps > 0) rs_scan_fail(scan, scan->statement, "this must stand before the transfers");
    const int64_t rank =
        rs_scan_whole_number(scan, "the rank", 0, p->n_ranks - 1,
                             RS_MESSAGE("expected the number of steps after the rank"));
    const int64_t n = rs_scan_whole_number(scan, "the number of steps", 0, RS_MAX_FILE_TRANSFERS,
                                           RS_MESSAGE("expected the end of the number"));
    if (scan->status != RS_OK) return;
    if (p->entered[rank] != INT32_MAX) rs_scan_fail(scan, scan->statement, "this is said twice");
    p->entered[rank] = (int32_t)n;
    p->cut_short = true;
}

static void take_makespan(trace_parser *p) {
    rs_scan *scan = &p->scan;
    if (p->n_steps > 0) rs_scan_fail(scan, scan->statement, "this must stand before the transfers");
    if (p->makespan_ps > 0) rs_scan_fail(scan, scan->statement, "this is said twice");
    p->makespan_ps = take_time(p, RS_MESSAGE("the run's time"), 1);
}

/* ------------------------------------------------------------------ transfers */

static void begin_step(trace_parser *p) {
    if (p->step_first != NULL) p->step_first[p->n_steps] = p->n_transfers;
    p->n_steps++;
}

/* Takes the step's number: it must be that of the line before, or the next one. */
static void take_step(trace_parser *p) {
    const char *begin;
    const int32_t last = p->n_steps - 1;
    const int64_t step = rs_scan_number(&p->scan, "the step", 0, RS_MAX_FILE_TRANSFERS - 1, &begin);
    rs_scan_end_number(&p->scan, "expected the source rank after the step");
    if (p->scan.status == RS_OK && step != last && step != last + 1) {
        if (last < 0) rs_scan_fail(&p->scan, begin, "the steps begin at 0");
        rs_scan_fail_with(&p->scan, begin, -1, "expected step %d or %d", (int)last, (int)last + 1);
    }
    if (p->scan.status == RS_OK && step == last + 1) begin_step(p);
}

/* Tells whether both ends entered the step, by the run's head. */
static bool both_entered(const trace_parser *p, const rs_timed *timed) {
    return p->entered[timed->transfer.src] > timed->step &&
           p->entered[timed->transfer.dst] > timed->step;
}

static void take_times(trace_parser *p, rs_timed *timed) {
    rs_scan *scan = &p->scan;
    const char *begin = scan->at;
    const bool never = rs_scan_word(scan, "-");
    if (scan->status == RS_OK && never == both_entered(p, timed)) {
        rs_scan_fail(
            scan, begin,
            never
                ? RS_MESSAGE("both ranks entered this step, so it must have times; a rank that did "
                             "not is named by 'entered RANK STEPS' in the run's head")
                : RS_MESSAGE(
                      "a rank did not enter this step, so there can be no times but '- - -'"));
    }
    if (!never) {
        timed->start_ps = take_time(p, RS_MESSAGE("the start"), 0);
        timed->end_ps = take_time(p, RS_MESSAGE("the end"), timed->start_ps);
        begin = scan->at;
        timed->done_ps = take_time(p, RS_MESSAGE("the time it was done"), timed->end_ps);
        if (p->makespan_ps > 0 && timed->done_ps > p->makespan_ps) {
            rs_scan_fail(scan, begin, "this is after the run's 'makespan'");
        }
        return;
    }
    if (!rs_scan_word(scan, "-") || !rs_scan_word(scan, "-")) {
        rs_scan_fail(scan, scan->at, "expected '- - -'");
    }
    timed->start_ps = timed->end_ps = timed->done_ps = -1;
}

static void check_head(trace_parser *p) {
    rs_scan *scan = &p->scan;
    const char *missing =
        p->n_runs == 0     ? RS_MESSAGE("a transfer before the first 'run'")
        : !p->typed        ? RS_MESSAGE("'type' must come before the first transfer")
        : p->count < 0     ? RS_MESSAGE("'count K' must come before the first transfer")
        : p->n_chunks == 0 ? RS_MESSAGE("'chunks C' must come before the first transfer")
                           : NULL;
    if (missing != NULL) rs_scan_fail(scan, scan->statement, missing);
    if (p->n_total == RS_MAX_FILE_TRANSFERS) {
        rs_scan_fail(scan, scan->statement, "too many transfers: at most 10000000");
    }
}

static void take_transfer(trace_parser *p) {
    rs_scan *scan = &p->scan;
    rs_timed timed = {0};
    rs_transfer *t = &timed.transfer;
    const char *begin;
    check_head(p);
    take_step(p);
    timed.step = p->n_steps - 1;
    if (scan->status != RS_OK || rs_scan_word(scan, "-")) return; /* an empty step */
    t->src =
        (int32_t)rs_scan_whole_number(scan, "the source rank", 0, p->n_ranks - 1,
                                      RS_MESSAGE("expected the destination after the source rank"));
    t->dst = (int32_t)rs_scan_number(scan, "the destination rank", 0, p->n_ranks - 1, &begin);
    if (t->src == t->dst) rs_scan_fail(scan, begin, "a rank cannot send to itself");
    rs_scan_end_number(scan, "expected the chunk after the destination");
    rs_scan_chunks(scan, p->n_chunks, t);
    rs_scan_effect(scan, t);
    t->channel = (uint8_t)rs_scan_whole_number(scan, "the channel", 0, MAX_CHANNEL,
                                               RS_MESSAGE("expected the start after the channel"));
    if (scan->status == RS_OK) take_times(p, &timed);
    if (scan->status != RS_OK) return;
    if (p->list != NULL) p->list[p->n_transfers] = *t;
    if (p->items != NULL) p->items[p->n_transfers] = timed;
    p->n_transfers++;
    p->n_total++;
}

/* ------------------------------------------------------------------ runs */

static rs_status keep_run(trace_parser *p) {
    rs_recording *run = &p->runs[p->n_runs - 1];
    const int64_t n = p->n_transfers;
    p->step_first[p->n_steps] = n;
    *run = (rs_recording){.measured = p->measured,
                          .dtype = p->dtype,
                          .op = p->op,
                          .count = p->count,
                          .makespan_ps = p->makespan_ps};
    memcpy(run->by, p->by, sizeof run->by);
    rs_status status = rs_schedule_from_list(p->n_ranks, p->n_chunks, p->n_steps, p->step_first,
                                             p->list, p->arena, p->scan.error, &run->schedule);
    if (status == RS_OK && p->collective.line != 0) {
        status =
            rs_schedule_as(&run->schedule, p->collective.of, p->collective.root, p->scan.error);
    }
    if (status != RS_OK) return status;
    if (p->n_parts > 1) run->schedule.n_parts = p->n_parts;
    run->schedule.by_rank = p->by_rank;
    run->count = rs_array_count(p->collective.of, p->n_ranks, p->count);
    run->trace.items = rs_alloc(p->arena, (size_t)n + 1, sizeof *run->trace.items);
    run->trace.n_items = run->trace.capacity = n;
    if (p->cut_short) {
        run->entered = rs_alloc(p->arena, (size_t)p->n_ranks, sizeof *run->entered);
    }
    if (run->trace.items == NULL || (p->cut_short && run->entered == NULL)) {
        return rs_no_memory(p->scan.error);
    }
    if (n > 0) memcpy(run->trace.items, p->items, (size_t)n * sizeof *run->trace.items);
    for (int32_t r = 0; p->cut_short && r < p->n_ranks; r++) {
        run->entered[r] = p->entered[r] < p->n_steps ? p->entered[r] : p->n_steps;
    }
    rs_recording_name(run);
    return RS_OK;
}

/* Ends the run that was read, if there is one. */
static void end_run(trace_parser *p) {
    if (p->n_runs == 0 || p->scan.status != RS_OK) return;
    if (p->n_steps > p->most_steps) p->most_steps = p->n_steps;
    if (p->n_transfers > p->most_transfers) p->most_transfers = p->n_transfers;
    const char *missing = !p->typed          ? RS_MESSAGE("the run's 'type' is missing")
                          : p->count < 0     ? RS_MESSAGE("the run's 'count K' is missing")
                          : p->n_chunks == 0 ? RS_MESSAGE("the run's 'chunks C' is missing")
                                             : NULL;
    if (missing != NULL) rs_scan_fail(&p->scan, p->scan.line_begin, missing);
    rs_scan_check_collective(&p->scan, &p->collective, p->n_ranks, p->n_chunks);
    rs_scan_check_parts(&p->scan, &p->collective, p->n_parts);
    if (p->collective.of == RS_COLL_ALL_TO_ALL &&
        (p->count % p->n_ranks != 0 || p->count > MAX_COUNT / p->n_ranks)) {
        rs_scan_fail(&p->scan, p->scan.line_begin,
                     "the run's count must divide by the ranks, and be small: it is an all-to-all");
    }
    if (p->scan.status == RS_OK && p->runs != NULL) p->scan.status = keep_run(p);
}

static void begin_run(trace_parser *p) {
    rs_scan *scan = &p->scan;
    end_run(p);
    if (p->n_ranks == 0) rs_scan_fail(scan, scan->statement, "'ranks N' must come before 'run'");
    if (!p->told) {
        rs_scan_fail(scan, scan->statement, "'measured' or 'simulated' must come before 'run'");
    }
    if (p->n_runs == RS_MAX_RUNS) rs_scan_fail(scan, scan->statement, "more than 1024 runs");
    p->n_runs++;
    p->typed = p->cut_short = p->by_rank = false;
    p->count = -1;
    p->n_chunks = p->n_parts = p->n_steps = 0;
    p->n_transfers = p->makespan_ps = 0;
    for (int32_t r = 0; r < p->n_ranks; r++) p->entered[r] = INT32_MAX;
}

static void take_statement(trace_parser *p) {
    rs_scan *scan = &p->scan;
    const bool in_run = p->n_runs > 0;
    if (!p->named) {
        rs_scan_format(scan, "ringsim-trace", "expected 'ringsim-trace 1' as the first statement");
        p->named = true;
    } else if (rs_scan_at_digit(scan)) {
        take_transfer(p);
    } else if (!in_run && rs_scan_word(scan, "measured")) {
        p->measured = true;
        take_by(p);
    } else if (!in_run && rs_scan_word(scan, "simulated")) {
        take_by(p);
    } else if (!in_run && rs_scan_word(scan, "collective")) {
        rs_scan_collective(scan, &p->collective);
    } else if (!in_run && rs_scan_word(scan, "ranks")) {
        p->n_ranks = take_size(p, RS_MESSAGE("the number of ranks"), RS_MAX_FILE_RANKS,
                               p->n_ranks != 0, false);
    } else if (rs_scan_word(scan, "run")) {
        begin_run(p);
    } else if (in_run && rs_scan_word(scan, "type")) {
        take_type(p);
    } else if (in_run && rs_scan_word(scan, "count")) {
        take_count(p);
    } else if (in_run && rs_scan_word(scan, "chunks")) {
        p->n_chunks = take_size(p, RS_MESSAGE("the number of chunks"), RS_MAX_FILE_RANKS,
                                p->n_chunks != 0, p->n_steps > 0);
        p->n_parts = rs_scan_parts(scan, p->n_chunks);
        p->by_rank = rs_scan_by_rank(scan);
    } else if (in_run && rs_scan_word(scan, "entered")) {
        take_entered(p);
    } else if (in_run && rs_scan_word(scan, "makespan")) {
        take_makespan(p);
    } else {
        rs_scan_fail(
            scan, scan->at,
            in_run
                ? "expected 'type', 'count', 'chunks', 'entered', 'makespan', 'run' or a transfer "
                  "such as '0 1 2 3 reduce 0 0 5000 5000'"
                : "expected 'measured', 'simulated', 'collective', 'ranks' or 'run'");
    }
    rs_scan_end(scan);
}

static void read_text(trace_parser *p, const char *text, size_t n_bytes) {
    rs_scan_begin(&p->scan, text, n_bytes);
    while (rs_scan_statement(&p->scan)) take_statement(p);
    const char *missing = !p->named        ? RS_MESSAGE("'ringsim-trace 1' is missing")
                          : p->n_runs == 0 ? RS_MESSAGE("there is no 'run'")
                                           : NULL;
    if (missing != NULL) rs_scan_missing(&p->scan, missing);
    if (p->scan.status == RS_OK && p->n_runs > 0) end_run(p);
}

/* Takes the room that the longest run needs. */
static bool take_room(trace_parser *filling, const trace_parser *counted, rs_arena *scratch) {
    const size_t n = (size_t)counted->most_transfers;
    filling->step_first =
        rs_alloc(scratch, (size_t)counted->most_steps + 1, sizeof *filling->step_first);
    filling->list = rs_alloc(scratch, n + 1, sizeof *filling->list);
    filling->items = rs_alloc(scratch, n + 1, sizeof *filling->items);
    filling->runs = rs_alloc(filling->arena, (size_t)counted->n_runs, sizeof *filling->runs);
    return filling->step_first && filling->list && filling->items && filling->runs;
}

rs_status rs_parse_trace(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                         rs_recording **runs, int32_t *n_runs) {
    rs_arena scratch;
    rs_arena_init(&scratch, arena->host);
    int32_t *entered = rs_alloc(&scratch, RS_MAX_FILE_RANKS, sizeof *entered);
    trace_parser counting = {.scan = {.error = error}, .entered = entered, .count = -1};
    trace_parser filling = {
        .scan = {.error = error}, .entered = entered, .count = -1, .arena = arena};
    rs_status status = RS_OK;
    if (entered == NULL) status = rs_no_memory(error);
    if (status == RS_OK) {
        read_text(&counting, text, n_bytes);
        status = counting.scan.status;
    }
    if (status == RS_OK && !take_room(&filling, &counting, &scratch)) {
        status = rs_no_memory(error);
    }
    if (status == RS_OK) {
        read_text(&filling, text, n_bytes);
        status = filling.scan.status;
    }
    if (status == RS_OK) {
        *runs = filling.runs;
        *n_runs = filling.n_runs;
    }
    rs_arena_free(&scratch);
    return status;
}
