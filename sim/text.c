/* text.c: .sched files, parsed and printed in memory. The format: ringsim-sched(5).
 *
 *     ringsim-schedule 1
 *     ranks 4
 *     chunks 4
 *     step
 *     0 -> 1 chunk 0 reduce
 *     2 -> 3 chunk 0..2 copy channel 1     # a comment
 *
 *   - The text is read twice: first it is judged and counted, then the lists are filled. So nothing is
 *     allocated because a number in the text says so.
 *   - Every error names line and column, counted from 1, columns in bytes.
 *   - Parsing what was printed gives the same schedule. Generated schedules without chunks (nothing to
 *     reduce) are printed with one chunk and no steps; those beyond 4096 ranks do not parse again.
 */
#include "ringsim.h"

#include <stdio.h>
#include <string.h>

enum { MAX_LINE = 4096, MAX_CHANNEL = 255, MAX_STEPS = RS_MAX_FILE_TRANSFERS };

typedef struct parser {
    const char *at, *line_begin, *line_end, *end;
    const char *statement; /* where this line's begins */
    int64_t line;          /* from 1 */
    rs_error *error;
    rs_status status;          /* the first failure; nothing moves after it */
    bool named;                /* the first statement was there */
    int32_t n_ranks, n_chunks; /* 0: not yet said */
    int64_t n_steps, n_transfers;
    int64_t *step_first; /* NULL while counting */
    rs_transfer *list;
} parser;

/* ------------------------------------------------------------------ words and numbers */

static void fail_at(parser *p, const char *at, const char *what) {
    if (p->status != RS_OK) return;
    p->status = rs_fail(p->error, RS_BAD_INPUT, "line %lld, column %lld: %s", (long long)p->line,
                        (long long)(at - p->line_begin) + 1, what);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static void skip_blanks(parser *p) {
    while (p->at < p->line_end && is_blank(*p->at)) p->at++;
}

static bool at_end(const parser *p) {
    return p->at == p->line_end || *p->at == '#';
}

/* Takes the word if it stands here, whole. */
static bool take_word(parser *p, const char *word) {
    const size_t n = strlen(word);
    if ((size_t)(p->line_end - p->at) < n || memcmp(p->at, word, n) != 0) return false;
    const char *behind = p->at + n;
    if (behind < p->line_end && !is_blank(*behind) && *behind != '#') return false;
    p->at = behind;
    skip_blanks(p);
    return true;
}

static bool is_digit(const parser *p) {
    return p->at < p->line_end && *p->at >= '0' && *p->at <= '9';
}

/* Takes a number in low..high; *begin is where it stood. `what` names it in errors. */
static int32_t take_number(parser *p, const char *what, int32_t low, int32_t high,
                           const char **begin) {
    char text[160];
    *begin = p->at;
    if (!is_digit(p)) {
        snprintf(text, sizeof text, "expected %s, a number in %d..%d", what, (int)low, (int)high);
        fail_at(p, p->at, text);
        return low;
    }
    int64_t number = 0;
    for (; is_digit(p); p->at++) {
        if (number <= high) number = 10 * number + (*p->at - '0'); /* too large stays too large */
    }
    if (number < low || number > high) {
        snprintf(text, sizeof text, "%s must lie in %d..%d", what, (int)low, (int)high);
        fail_at(p, *begin, text);
        return low;
    }
    return (int32_t)number;
}

/* Numbers end at a blank, a comment or the line's end, unless something of their own follows. */
static void end_number(parser *p, const char *expected) {
    if (!at_end(p) && !is_blank(*p->at)) fail_at(p, p->at, expected);
    skip_blanks(p);
}

/* ------------------------------------------------------------------ statements */

static void set_size(parser *p, const char *word, int32_t *size) {
    char text[64];
    const char *begin;
    const bool again = *size != 0, late = p->n_steps > 0;
    snprintf(text, sizeof text, "the number of %s", word);
    const int32_t number = take_number(p, text, 1, RS_MAX_FILE_RANKS, &begin);
    snprintf(text, sizeof text,
             late ? "'%s' must stand before the first step" : "'%s' is said twice", word);
    if (again || late) fail_at(p, p->statement, text);
    end_number(p, "expected the end of the number");
    *size = number;
}

static void begin_step(parser *p) {
    if (p->n_ranks == 0) fail_at(p, p->statement, "'ranks N' must come before the first step");
    if (p->n_chunks == 0) fail_at(p, p->statement, "'chunks C' must come before the first step");
    if (p->n_steps == MAX_STEPS) fail_at(p, p->statement, "too many steps: at most 10000000");
    if (p->step_first != NULL) p->step_first[p->n_steps] = p->n_transfers;
    p->n_steps++;
}

static void take_chunks(parser *p, rs_transfer *t) {
    const char *begin;
    if (!take_word(p, "chunk")) fail_at(p, p->at, "expected 'chunk' after the destination");
    t->chunk = take_number(p, "the chunk", 0, p->n_chunks - 1, &begin);
    int32_t last = t->chunk;
    if (p->line_end - p->at >= 2 && p->at[0] == '.' && p->at[1] == '.') {
        p->at += 2;
        last = take_number(p, "the last chunk", 0, p->n_chunks - 1, &begin);
    }
    if (last < t->chunk)
        fail_at(p, begin, "the last chunk comes before the first: a range cannot wrap");
    t->n_chunks = last - t->chunk + 1;
    end_number(p, "expected '..', 'reduce' or 'copy' after the chunk");
}

static void take_transfer(parser *p) {
    rs_transfer t = {0};
    const char *begin;
    if (p->n_steps == 0) {
        fail_at(p, p->at, "a transfer before the first 'step'");
        return;
    }
    t.src = take_number(p, "the source rank", 0, p->n_ranks - 1, &begin);
    skip_blanks(p);
    if (p->line_end - p->at < 2 || p->at[0] != '-' || p->at[1] != '>') {
        fail_at(p, p->at, "expected '->' after the source rank");
        return;
    }
    p->at += 2;
    skip_blanks(p);
    t.dst = take_number(p, "the destination rank", 0, p->n_ranks - 1, &begin);
    if (t.src == t.dst) fail_at(p, begin, "a rank cannot send to itself");
    end_number(p, "expected 'chunk' after the destination");
    take_chunks(p, &t);
    const bool copy = take_word(p, "copy");
    if (!copy && !take_word(p, "reduce")) {
        fail_at(p, p->at, "expected 'reduce' or 'copy' after the chunk");
    }
    t.effect = copy ? RS_COPY : RS_REDUCE;
    if (take_word(p, "channel")) {
        t.channel = (uint8_t)take_number(p, "the channel", 0, MAX_CHANNEL, &begin);
        end_number(p, "expected the end of the line after the channel");
    }
    if (p->n_transfers == RS_MAX_FILE_TRANSFERS) {
        fail_at(p, p->statement, "too many transfers: at most 10000000");
    }
    if (p->status != RS_OK) return;
    if (p->list != NULL) p->list[p->n_transfers] = t;
    p->n_transfers++;
}

static void take_statement(parser *p) {
    const char *begin;
    if (!p->named) {
        if (!take_word(p, "ringsim-schedule")) {
            fail_at(p, p->at, "expected 'ringsim-schedule 1' as the first statement");
        }
        take_number(p, "the format's version", 1, 1, &begin);
        end_number(p, "expected the end of the line after the version");
        p->named = true;
    } else if (is_digit(p)) {
        take_transfer(p);
    } else if (take_word(p, "step")) {
        begin_step(p);
    } else if (take_word(p, "ranks")) {
        set_size(p, "ranks", &p->n_ranks);
    } else if (take_word(p, "chunks")) {
        set_size(p, "chunks", &p->n_chunks);
    } else if (take_word(p, "ringsim-schedule")) {
        fail_at(p, p->statement, "'ringsim-schedule' is said twice");
    } else {
        fail_at(p, p->at,
                "expected 'ranks', 'chunks', 'step' or a transfer such as '0 -> 1 chunk 2 reduce'");
    }
    if (!at_end(p)) fail_at(p, p->at, "expected the end of the line, or '#' and a comment");
}

/* ------------------------------------------------------------------ lines */

/* Finds the line that starts at line_end (the last one's newline is behind us); false: no more. */
static bool next_line(parser *p, const char *begin) {
    if (begin == p->end || p->status != RS_OK) return false;
    const char *newline = memchr(begin, '\n', (size_t)(p->end - begin));
    p->line_begin = p->at = begin;
    p->line_end = newline == NULL ? p->end : newline;
    p->line++;
    if (p->line_end > begin && p->line_end[-1] == '\r') p->line_end--;
    const char *nul = memchr(begin, '\0', (size_t)(p->line_end - begin));
    if (nul != NULL) fail_at(p, nul, "a zero byte: this is no text");
    if (p->line_end - begin > MAX_LINE) {
        fail_at(p, begin + MAX_LINE, "the line is longer than 4096 bytes");
    }
    return p->status == RS_OK;
}

static void read_text(parser *p, const char *text, size_t n_bytes) {
    const bool mark = n_bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0; /* UTF-8's BOM */
    p->end = text + n_bytes;
    for (const char *begin = text + (mark ? 3 : 0); next_line(p, begin);) {
        skip_blanks(p);
        p->statement = p->at;
        if (!at_end(p)) take_statement(p);
        begin = memchr(p->line_end, '\n', (size_t)(p->end - p->line_end));
        begin = begin == NULL ? p->end : begin + 1;
    }
    if (p->status != RS_OK) return;
    const char *missing = !p->named          ? "'ringsim-schedule 1' is missing"
                          : p->n_ranks == 0  ? "'ranks N' is missing"
                          : p->n_chunks == 0 ? "'chunks C' is missing"
                                             : NULL;
    if (missing == NULL) return;
    p->line++;
    p->line_begin = p->end;
    fail_at(p, p->end, missing);
}

rs_status rs_parse_schedule(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                            rs_schedule *schedule) {
    parser counting = {.error = error};
    read_text(&counting, text, n_bytes);
    if (counting.status != RS_OK) return counting.status;
    rs_arena scratch;
    rs_arena_init(&scratch, arena->host);
    const size_t n_steps = (size_t)counting.n_steps, n_transfers = (size_t)counting.n_transfers;
    parser filling = {
        .error = error,
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
    rs_arena_free(&scratch);
    return status;
}

/* ------------------------------------------------------------------ printing */

typedef struct printer {
    rs_write write;
    void *context;
    size_t used;
    char buffer[4096];
} printer;

static void flush(printer *out) {
    if (out->used > 0) out->write(out->context, out->buffer, out->used);
    out->used = 0;
}

static void print(printer *out, const char *piece) {
    const size_t n = strlen(piece);
    if (out->used + n > sizeof out->buffer) flush(out);
    memcpy(out->buffer + out->used, piece, n);
    out->used += n;
}

static void print_transfer(printer *out, const rs_transfer *t) {
    char range[32] = "", channel[32] = "", line[128];
    if (t->n_chunks > 1) snprintf(range, sizeof range, "..%d", (int)(t->chunk + t->n_chunks - 1));
    if (t->channel != 0) snprintf(channel, sizeof channel, " channel %d", t->channel);
    snprintf(line, sizeof line, "%d -> %d chunk %d%s %s%s\n", (int)t->src, (int)t->dst,
             (int)t->chunk, range, t->effect == RS_COPY ? "copy" : "reduce", channel);
    print(out, line);
}

void rs_print_schedule(const rs_schedule *schedule, rs_write write, void *context) {
    printer out = {.write = write, .context = context};
    char head[96];
    snprintf(head, sizeof head, "ringsim-schedule 1\nranks %d\nchunks %d\n", (int)schedule->n_ranks,
             (int)(schedule->n_chunks == 0 ? 1 : schedule->n_chunks));
    print(&out, head);
    for (int32_t step = 0; step < schedule->n_steps; step++) {
        print(&out, "step\n");
        rs_cursor cursor = {0};
        rs_transfer transfer;
        while (rs_next_transfer(schedule, step, &cursor, &transfer)) {
            print_transfer(&out, &transfer);
        }
    }
    flush(&out);
}
