/* sched_text.c: .sched files, parsed and printed in memory. The format: ringsim-sched(5).
 *
 *     ringsim-schedule 1
 *     collective broadcast root 2          # left out for the all-reduce
 *     ranks 4
 *     chunks 4
 *     step
 *     0 -> 1 chunk 0 reduce
 *     2 -> 3 chunk 0..2 copy channel 1     # a comment
 *
 *   - The parser reads the text twice: first it checks and counts, then it fills the lists. So no
 *     number in the text decides how much it allocates.
 *   - Every error names line and column, counted from 1, columns in bytes.
 *   - Parsing a printed schedule gives the same schedule. A generated schedule without chunks
 *     (nothing to reduce) is printed with one chunk and no steps; one beyond 4096 ranks cannot be
 *     parsed again.
 */
#include "base/scan.h"

#include <assert.h>
#include <stdio.h>

enum { MAX_CHANNEL = 255, MAX_STEPS = RS_MAX_FILE_TRANSFERS };

typedef struct parser {
    rs_scan scan;
    bool named;                /* the first statement has been read */
    int32_t n_ranks, n_chunks; /* 0: not read yet */
    int32_t n_parts;
    bool by_rank;
    int32_t last_src; /* of the step's messages so far; -1: there are none */
    rs_said_collective collective;
    int64_t n_steps, n_transfers;
    int64_t *step_first; /* NULL while counting */
    rs_transfer *list;
} parser;

/* ------------------------------------------------------------------ statements */

static void set_size(rs_scan *scan, const char *word, const char *what, bool late, int32_t *size) {
    if (late) {
        rs_scan_fail_with(scan, scan->statement, -1, "'%s' must stand before the first step", word);
    } else if (*size != 0) {
        rs_scan_fail_with(scan, scan->statement, -1, "'%s' is said twice", word);
    }
    *size = (int32_t)rs_scan_whole_number(scan, what, 1, RS_MAX_FILE_RANKS,
                                          RS_MESSAGE("expected the end of the number"));
}

static void begin_step(parser *p) {
    rs_scan *scan = &p->scan;
    const char *at = scan->statement;
    if (p->n_ranks == 0) rs_scan_fail(scan, at, "'ranks N' must come before the first step");
    if (p->n_chunks == 0) rs_scan_fail(scan, at, "'chunks C' must come before the first step");
    if (p->n_steps == MAX_STEPS) rs_scan_fail(scan, at, "too many steps: at most 10000000");
    if (p->step_first != NULL) p->step_first[p->n_steps] = p->n_transfers;
    p->n_steps++;
    p->last_src = -1;
}

static void take_transfer(parser *p) {
    rs_scan *scan = &p->scan;
    rs_transfer t = {0};
    const char *begin;
    if (p->n_steps == 0) {
        rs_scan_fail(scan, scan->at, "a transfer before the first 'step'");
        return;
    }
    t.src = (int32_t)rs_scan_number(scan, "the source rank", 0, p->n_ranks - 1, &begin);
    rs_scan_blanks(scan);
    if (!rs_scan_sign(scan, "->")) {
        rs_scan_fail(scan, scan->at, "expected '->' after the source rank");
        return;
    }
    rs_scan_blanks(scan);
    t.dst = (int32_t)rs_scan_number(scan, "the destination rank", 0, p->n_ranks - 1, &begin);
    if (t.src == t.dst) rs_scan_fail(scan, begin, "a rank cannot send to itself");
    rs_scan_end_number(scan, "expected 'chunk' after the destination");
    if (!rs_scan_word(scan, "chunk")) {
        rs_scan_fail(scan, scan->at, "expected 'chunk' after the destination");
    }
    rs_scan_chunks(scan, p->n_chunks, &t);
    rs_scan_effect(scan, &t);
    if (rs_scan_word(scan, "channel")) {
        t.channel = (uint8_t)rs_scan_whole_number(
            scan, "the channel", 0, MAX_CHANNEL,
            RS_MESSAGE("expected the end of the line after the channel"));
    }
    if (p->n_transfers == RS_MAX_FILE_TRANSFERS) {
        rs_scan_fail(scan, scan->statement, "too many transfers: at most 10000000");
    }
    if (p->by_rank && t.src < p->last_src) {
        rs_scan_fail(scan, scan->statement,
                     "'added by rank': a step's messages must go by their source ranks");
    }
    if (scan->status != RS_OK) return;
    p->last_src = t.src;
    if (p->list != NULL) p->list[p->n_transfers] = t;
    p->n_transfers++;
}

static void take_statement(parser *p) {
    rs_scan *scan = &p->scan;
    if (!p->named) {
        rs_scan_format(scan, "ringsim-schedule",
                       "expected 'ringsim-schedule 1' as the first statement");
        p->named = true;
    } else if (rs_scan_at_digit(scan)) {
        take_transfer(p);
    } else if (rs_scan_word(scan, "step")) {
        begin_step(p);
    } else if (rs_scan_word(scan, "collective")) {
        if (p->n_steps > 0) {
            rs_scan_fail(scan, scan->statement, "'collective' must stand before the first step");
        }
        rs_scan_collective(scan, &p->collective);
    } else if (rs_scan_word(scan, "ranks")) {
        set_size(scan, "ranks", RS_MESSAGE("the number of ranks"), p->n_steps > 0, &p->n_ranks);
    } else if (rs_scan_word(scan, "chunks")) {
        set_size(scan, "chunks", RS_MESSAGE("the number of chunks"), p->n_steps > 0, &p->n_chunks);
        p->n_parts = rs_scan_parts(scan, p->n_chunks);
        p->by_rank = rs_scan_by_rank(scan);
    } else if (rs_scan_word(scan, "ringsim-schedule")) {
        rs_scan_fail(scan, scan->statement, "'ringsim-schedule' is said twice");
    } else {
        rs_scan_fail(
            scan, scan->at,
            "expected 'ranks', 'chunks', 'step' or a transfer such as '0 -> 1 chunk 2 reduce'");
    }
    rs_scan_end(scan);
}

static void read_text(parser *p, const char *text, size_t n_bytes) {
    rs_scan_begin(&p->scan, text, n_bytes);
    while (rs_scan_statement(&p->scan)) take_statement(p);
    const char *missing = !p->named          ? RS_MESSAGE("'ringsim-schedule 1' is missing")
                          : p->n_ranks == 0  ? RS_MESSAGE("'ranks N' is missing")
                          : p->n_chunks == 0 ? RS_MESSAGE("'chunks C' is missing")
                                             : NULL;
    if (missing != NULL) rs_scan_missing(&p->scan, missing);
    rs_scan_check_collective(&p->scan, &p->collective, p->n_ranks, p->n_chunks);
    rs_scan_check_parts(&p->scan, &p->collective, p->n_parts);
}

rs_status rs_parse_schedule(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                            rs_schedule *schedule) {
    parser counting = {.scan = {.error = error}};
    read_text(&counting, text, n_bytes);
    if (counting.scan.status != RS_OK) return counting.scan.status;
    rs_arena scratch;
    rs_arena_init(&scratch, arena->host);
    const size_t n_steps = (size_t)counting.n_steps, n_transfers = (size_t)counting.n_transfers;
    parser filling = {
        .scan = {.error = error},
        .step_first = rs_alloc(&scratch, n_steps + 1, sizeof *filling.step_first),
        .list = rs_alloc(&scratch, n_transfers + 1, sizeof *filling.list),
    };
    rs_status status = RS_NO_MEMORY;
    if (filling.step_first == NULL || filling.list == NULL) {
        rs_fail(error, status, "no memory for a schedule of %lld transfers",
                (long long)counting.n_transfers);
    } else {
        read_text(&filling, text, n_bytes);
        filling.step_first[n_steps] = filling.n_transfers;
        status = rs_schedule_from_list(filling.n_ranks, filling.n_chunks, (int32_t)n_steps,
                                       filling.step_first, filling.list, arena, error, schedule);
    }
    if (status == RS_OK && filling.collective.line != 0) {
        status = rs_schedule_as(schedule, filling.collective.of, filling.collective.root, error);
    }
    if (status == RS_OK && filling.n_parts > 1) schedule->n_parts = filling.n_parts;
    if (status == RS_OK) schedule->by_rank = filling.by_rank;
    rs_arena_free(&scratch);
    return status;
}

/* ------------------------------------------------------------------ printing */

static void print_transfer(rs_printer *out, const rs_transfer *t) {
    char range[32] = "", channel[32] = "", line[128];
    if (t->n_chunks > 1) snprintf(range, sizeof range, "..%d", (int)(t->chunk + t->n_chunks - 1));
    if (t->channel != 0) snprintf(channel, sizeof channel, " channel %d", t->channel);
    snprintf(line, sizeof line, "%d -> %d chunk %d%s %s%s\n", (int)t->src, (int)t->dst,
             (int)t->chunk, range, t->effect == RS_COPY ? "copy" : "reduce", channel);
    rs_printer_put(out, line);
}

void rs_print_schedule(const rs_schedule *schedule, rs_write write, void *context) {
    assert(write != NULL);
    rs_printer out = {.write = write, .context = context};
    char head[96];
    rs_printer_put(&out, "ringsim-schedule 1\n");
    rs_print_collective(&out, schedule->collective, schedule->root);
    snprintf(head, sizeof head, "ranks %d\n", (int)schedule->n_ranks);
    rs_printer_put(&out, head);
    rs_print_chunks(&out, schedule);
    for (int32_t step = 0; step < schedule->n_steps; step++) {
        rs_printer_put(&out, "step\n");
        rs_cursor cursor = {0};
        rs_transfer transfer;
        while (rs_next_transfer(schedule, step, &cursor, &transfer)) {
            print_transfer(&out, &transfer);
        }
    }
    rs_printer_flush(&out);
}
