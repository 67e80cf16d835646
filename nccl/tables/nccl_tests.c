/* nccl_tests.c: what nccl-tests' all_reduce_perf printed: its table, or the JSON of its -J.
 *
 *     #  Rank  0 Group  0 Pid ...                                  how many ranks
 *     #       size  count  type  redop  root   time  algbw  busbw  #wrong   time  algbw  busbw  #wrong
 *          1048576 262144 float    sum    -1  203.2   5.16   9.68       0  207.2   5.06   9.49       0
 *
 *   - Every time, out of place and in place, is a sample of its size. Whatever else stands in a log
 *     (NCCL's own lines, mpirun's) is passed over.
 *   - Older tables have no root, newer ones may have more columns: a column is the time if size / time
 *     is the algbw beside it.
 *   - busbw / algbw is 2(N - 1)/N for an all-reduce; it gives N where the log does not, and shows logs
 *     of other collectives.
 *   - A row, or a time in it, that cannot be meant is left out and told of: with its line, and why.
 *   - A report of `ringsim verify` is such a log, too. It may hold several tables, of a backend each:
 *     they are different links, so the last one counts.
 */
#include "nccl_tests_rows.h"
#include "ringsim_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_LINE = 8192,
    MOST_TOKENS = 32,
    LONGEST_TOKEN = 32,
    EARLIEST_TIME =
        3, /* behind size, count and type: old tables of some collectives have no redop */
    FIRST_TIME = 4,
    LATEST_TIME = 14
};

/* ------------------------------------------------------------------ the table */

typedef struct tokens {
    char text[MOST_TOKENS][LONGEST_TOKEN];
    int n;
} tokens;

/* Cuts the line at blanks; what is too long for a number is cut short. Of a launcher that puts "[0]" before each piece that a
   rank writes, "[0] 1048576 262144 float sum -1[0] 40.0 26.21", the brackets are blanks. */
static void split(const char *line, tokens *out) {
    const char *first = line + strspn(line, " \t");
    const bool tagged = rn_has_form(first, "[#]%[#]");
    const char *blanks = tagged ? " \t\r[]" : " \t\r";
    out->n = 0;
    for (line += strspn(line, blanks); *line != '\0' && out->n < MOST_TOKENS;) {
        const size_t n = strcspn(line, blanks);
        if (tagged && line[-1] == '[') {
            line += n + strspn(line + n, blanks);
            continue;
        }
        snprintf(out->text[out->n++], LONGEST_TOKEN, "%.*s", (int)n, line);
        line += n + strspn(line + n, blanks);
    }
}

/* Reads a whole number, its thousands parted or not: 1048576, 1_048_576, 1,048,576. */
static bool whole_number(const char *text, int64_t *number) {
    int n = 0;
    int64_t read = 0;
    for (; *text != '\0'; text++) {
        if (n > 0 && (*text == '_' || *text == ',') && text[1] >= '0' && text[1] <= '9') continue;
        if (*text < '0' || *text > '9' || ++n > 18) return false;
        read = read * 10 + (*text - '0');
    }
    if (n > 0) *number = read;
    return n > 0;
}

/* Reads a decimal number, with an exponent or without; -1: it is none. */
static double decimal(const char *text) {
    char *end;
    if (text[strspn(text, "0123456789.eE+-")] != '\0' || strchr("+-", text[0]) != NULL) return -1;
    const double number = strtod(text, &end); /* LC_NUMERIC stays "C" */
    return end == text || *end != '\0' || !isfinite(number) ? -1 : number;
}

/* Which token of a row is its first time at the earliest. */
static int earliest(const rn_gathering *g) {
    return g->first_time > 0 && g->first_time < EARLIEST_TIME ? g->first_time : EARLIEST_TIME;
}

/* Does a row begin with what stands before its times, as far as the table has it: size, count and type? */
static bool is_sized(const tokens *row, const rn_gathering *g, int64_t *n_bytes) {
    int64_t count;
    return row->n >= earliest(g) && whole_number(row->text[0], n_bytes) &&
           (earliest(g) < 2 || whole_number(row->text[1], &count)) &&
           (earliest(g) < 3 || decimal(row->text[2]) < 0);
}

/* And so that nothing else can be meant. */
static bool has_head(const tokens *row, const rn_gathering *g, int64_t *n_bytes) {
    int64_t count = 0;
    if (row->n < 4 || !is_sized(row, g, n_bytes) || strcmp(row->text[2], "NCCL") == 0) return false;
    return earliest(g) < 2 || (whole_number(row->text[1], &count) && count <= *n_bytes);
}

/* Tells whether the line is meant to be a row of the table. Rows are followed by NCCL's own lines. */
static bool is_meant_as_row(const tokens *row, const rn_gathering *g) {
    int64_t number;
    int n_numbers = 0;
    if (row->n == 0 || row->text[0][0] == '#') return false;
    for (int i = 0; i < row->n; i++) {
        if (strcmp(row->text[i], "NCCL") == 0) return false;
        n_numbers += decimal(row->text[i]) >= 0;
    }
    const bool begins = row->n > 1 && whole_number(row->text[0], &number) &&
                        (earliest(g) < 2 || whole_number(row->text[1], &number));
    if (g->in_table) return begins || n_numbers > FIRST_TIME;
    return begins && row->n >= FIRST_TIME + 3 && decimal(row->text[2]) < 0;
}

/* Takes what readings stand from a token on; returns how many. in_place: those that the row has had already. */
static int take_readings(const tokens *row, int first, int last, int64_t n_bytes, int in_place,
                         rn_gathering *g) {
    int n_read = 0;
    for (int at = first; at + 2 < row->n && at < last; at++) {
        rn_reading r = {.n_bytes = n_bytes,
                        .time_us = decimal(row->text[at]),
                        .algbw = decimal(row->text[at + 1]),
                        .busbw = decimal(row->text[at + 2])};
        if (!rn_agrees(&r)) continue;
        g->in_table = true;
        rn_take_reading(g, &r);
        at += 3; /* #wrong follows; where NCCL's line begins behind it, without a blank */
        if (at < row->n) {
            const double wrong = decimal(row->text[at]);
            rn_mark_wrong(g, n_bytes, (in_place + n_read > 0) != g->in_place_first,
                          wrong < 0 ? (double)strtoll(row->text[at], NULL, 10) : wrong);
        }
        n_read++;
    }
    return n_read;
}

/* NCCL's own lines (NCCL_DEBUG_SUBSYS=COLL) cut a row in pieces: its head, and each time with its rates. */
static bool take_piece(const tokens *row, rn_gathering *g) {
    int64_t n_bytes;
    int ncclless = 0;
    while (ncclless < row->n && strcmp(row->text[ncclless], "NCCL") != 0) ncclless++;
    if (has_head(row, g, &n_bytes)) {
        const bool has_redop = g->first_time == 0 || g->first_time >= FIRST_TIME; /* the table */
        g->row_copies =
            has_redop && (strcmp(row->text[3], "none") == 0 || decimal(row->text[3]) >= 0);
        g->cut_bytes = ncclless < row->n ? n_bytes : 0;
        g->n_pieces = 0;
        if (g->cut_bytes == 0) return false;
        g->n_pieces = take_readings(row, earliest(g), LATEST_TIME, n_bytes, 0, g);
        if (g->table.marks.n_rows++ == 0) g->table.marks.row_line = g->line;
        return true;
    }
    if (g->cut_bytes == 0 || g->n_pieces > 1) return false;
    const int n_read = take_readings(row, 0, 1, g->cut_bytes, g->n_pieces, g);
    g->n_pieces += n_read;
    return n_read > 0;
}

/* A row of the table: size, count, type, redop, then readings somewhere. */
static void take_row(const tokens *row, rn_gathering *g) {
    int64_t n_bytes;
    if (take_piece(row, g) || !is_meant_as_row(row, g)) return;
    if (!is_sized(row, g, &n_bytes)) {
        rn_leave_out(g, RN_ROW_NO_SIZE);
        return;
    }
    if (g->table.marks.n_rows++ == 0) g->table.marks.row_line = g->line;
    const int n_read = take_readings(row, earliest(g), LATEST_TIME, n_bytes, 0, g);
    if (n_read > g->times) g->times = n_read;
    if (n_read == g->times && n_read > 0) return;
    const int before = g->first_time > 0 ? earliest(g) : FIRST_TIME;
    rn_leave_out(g, row->n < before + 4 * g->times ? RN_ROW_SHORT : RN_ROW_OTHER_RATE);
}

/* #  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong
   MSCCL++ has no type, some paste no count. */
static bool take_head(const tokens *row, rn_gathering *g) {
    const int size = strcmp(row->text[0], "#") == 0;
    int times = 0, rates = 0, first = 0;
    if (strcmp(row->text[size], "size") != 0) return false;
    for (int i = row->n - 1; i > size; i--) {
        rates += strcmp(row->text[i], "algbw") == 0;
        if (strcmp(row->text[i], "time") != 0) continue;
        times++;
        first = i - size;
    }
    if (times == 0 || rates == 0) return false;
    if (g->table.marks.head_line == 0) g->table.marks.head_line = g->line;
    g->times = times < 2 ? times : 2;
    g->first_time = first;
    g->errors_column = false;
    for (int i = 0; i < row->n; i++) g->errors_column |= strcmp(row->text[i], "error") == 0;
    g->in_table = true;
    return true;
}

/* # ringsim 0.1.0 verify: ring on cuda kernel 2 */
static void take_title(const tokens *row, rn_gathering *g) {
    if (row->n < 7 || strcmp(row->text[1], "ringsim") != 0 ||
        strcmp(row->text[3], "verify:") != 0) {
        return;
    }
    int n = snprintf(g->next, sizeof g->next, "ringsim verify,");
    for (int i = 4; i < row->n && n < (int)sizeof g->next; i++) {
        n += snprintf(g->next + n, sizeof g->next - (size_t)n, " %s", row->text[i]);
    }
    g->next_table = true;
    g->table_line = g->line;
}

/* Behind rows a head is of another run. */
static void begin_run(rn_gathering *g) {
    if (g->has_rows) g->said.ranks = g->said.gpus = g->said.a_thread = 0;
    g->has_rows = false;
}

/* # nThread 1 nGpus 5 minBytes ...: of one process. */
static void take_sizes(const char *line, rn_gathering *g) {
    const int64_t threads = rn_number_behind(line, "nThread ", 0),
                  gpus = rn_number_behind(line, " nGpus ", 0);
    if (threads <= 0 || threads > RS_MAX_RANKS || gpus <= 0 || gpus > RS_MAX_RANKS / threads)
        return;
    begin_run(g);
    g->said.gpus = (int32_t)(threads * gpus);
    g->said.a_thread = (int32_t)gpus;
}

/* #  Rank  0 Group  0 Pid   8756 on     node-1 device  0 [0x01] NVIDIA GeForce GTX 1050 Ti */
static void take_rank(const char *line, const tokens *row, rn_gathering *g) {
    const int64_t rank = rn_number_behind(line, "Rank ", -1);
    if (rank < 0 || rank >= RS_MAX_RANKS) return;
    begin_run(g);
    if (rank >= g->said.ranks) g->said.ranks = (int32_t)rank + 1;
    const bool split =
        row->n > 4 && strcmp(row->text[3], "Group") == 0 && strcmp(row->text[4], "0") != 0;
    const bool mpi = g->said.gpus > 0 && g->said.ranks > g->said.gpus; /* more than a process has */
    for (int i = 3; i + 3 < row->n && rank == 0 && !split && !mpi; i++) {
        char process[2 * LONGEST_TOKEN + 2];
        if (strcmp(row->text[i], "Pid") != 0) continue;
        snprintf(process, sizeof process, "%s %s", row->text[i + 1], row->text[i + 3]);
        rn_mark_rank_0(g, process);
    }
}

/* Drops what a launcher or a viewer put before a row: size, count and type, of which a time behind them agrees. */
static void drop_prefix(tokens *row, const rn_gathering *g) {
    for (int i = 1; i + earliest(g) + 2 < row->n && row->text[0][0] != '#'; i++) {
        tokens rest = {.n = row->n - i};
        rn_gathering trial = {.first_time = g->first_time};
        int64_t n_bytes;
        if (strcmp(row->text[i - 1], "NCCL") == 0) return;
        if (!whole_number(row->text[i], &n_bytes)) continue;
        memcpy(rest.text, row->text[i], (size_t)rest.n * LONGEST_TOKEN);
        if (!has_head(&rest, g, &n_bytes) ||
            take_readings(&rest, earliest(g), LATEST_TIME, n_bytes, 0, &trial) == 0) {
            continue;
        }
        *row = rest;
        return;
    }
}

static void gather_line(const char *line, rn_gathering *g) {
    tokens row;
    int64_t number;
    split(line + rn_prefix_bytes(line, strlen(line), true), &row);
    rn_mark_line(g, line);
    take_sizes(line, g);
    if (row.n == 3 && strcmp(row.text[0], "#") == 0) /* "#  in-place  out-of-place" */
        g->in_place_first = strcmp(row.text[1], "in-place") == 0;
    const bool noted = row.n > 0 && strcmp(row.text[0], "#") == 0; /* some paste no "#" */
    if (row.n > 3 && !take_head(&row, g) && noted) take_title(&row, g);
    if (row.n > 3 && strcmp(row.text[noted], "Rank") == 0 && (noted || strstr(line, " Pid "))) {
        take_rank(line, &row, g);
        return;
    }
    if (!has_head(&row, g, &number)) drop_prefix(&row, g);
    take_row(&row, g);
}

/* Where behind a place the next row begins, in a line that has lost its ends: two whole numbers, a type; NULL: nowhere. */
static char *next_row(char *at) {
    int64_t number;
    if (strstr(at, "float") == NULL && strstr(at, "half") == NULL) return NULL; /* most lines */
    while ((at = strpbrk(at, " \t")) != NULL) {
        const char *type = at += strspn(at, " \t");
        if (rn_take_int(&type, INT64_MAX / 4, &number) &&
            rn_take_int(&type, INT64_MAX / 4, &number) &&
            (rn_take(&type, "float") || rn_take(&type, "half") || rn_take(&type, "bfloat16")))
            return at;
    }
    return NULL;
}

static void gather_table(const char *text, size_t n_bytes, rn_gathering *g) {
    char line[LONGEST_LINE];
    const int64_t before = g->line;
    for (rn_lines lines = {.text = text, .n_bytes = n_bytes};
         rn_copy_line(&lines, line, sizeof line);) {
        g->line = before + lines.number;
        char *const first = next_row(line);
        const bool several = first != NULL && next_row(first) != NULL;
        for (char *piece = line, *next; piece != NULL; piece = next) {
            next = several ? next_row(piece) : NULL;
            if (next != NULL) next[-1] = '\0';
            gather_line(piece, g);
        }
    }
}

void rn_gather_line(const char *line, size_t n_bytes, rn_gathering *g) {
    gather_table(line, n_bytes, g);
    g->line += n_bytes == 0;
}

/* ------------------------------------------------------------------ the whole */

static double ratio_of(int32_t n) {
    return n > 0 ? 2 * (n - 1.0) / n : -1;
}

/* By how much a ratio may be another: rates are printed in hundredths. */
static double rounded_off(const rn_gathering *g) {
    return g->ratio_rate > 0 ? 0.005 * (1 + g->ratio) / g->ratio_rate : 1;
}

/* Of how many GPUs an all-reduce has that ratio, where rounding cannot make them others; 0: it does not tell. The 1 of two is
   another collective's, too, of many: it counts where it is exact. */
static int32_t ranks_of(double r, double off) {
    static const double exact = 0.005;
    const double least = ceil(2 / (2 - r + off)), most = r + off < 2 ? 2 / (2 - r - off) : 1e9;
    const bool one = most < RS_MAX_RANKS && least == floor(most);
    return one && (least > 2 || off <= exact) ? (int32_t)least : 0;
}

/* Finds N, and whether the rates are those of an all-reduce. */
static rs_status count_ranks(const rn_gathering *g, rs_error *error, int32_t *n_ranks) {
    static const double most_off = 0.03;
    const double r = g->ratio, off = rounded_off(g);
    const rn_run *run = &g->table.run;
    int32_t n = run->ranks;
    /* nGpus counts those of one process: all there are in a report of ours; in others, unless the rates
       speak of more. */
    const bool agree = g->ratio_rate <= 0 || fabs(r - ratio_of(run->gpus)) <= most_off + off;
    if (n == 0 && (g->table.of[0] != '\0' || agree)) n = run->gpus;
    const bool other = n > 0 && r - off > 1 && fabs(r - ratio_of(n)) > most_off + off;
    if (g->ratio_rate > 0 && (n == 0 || other)) n = ranks_of(r, off); /* no other has more than 1 */
    if (g->ratio_rate > 0 &&
        (n > 0 ? fabs(r - ratio_of(n)) > most_off + off : r >= 2 || r + off < 1)) {
        return rs_fail(error, RS_BAD_INPUT,
                       "busbw / algbw is %.3f, not an all-reduce's 2 (N - 1) / N: this table is of "
                       "another collective, or of another number of GPUs",
                       r);
    }
    if (g->copies)
        return rs_fail(error, RS_BAD_INPUT,
                       "its redop is none: this table is of a collective that adds nothing, no "
                       "all-reduce");
    *n_ranks = n;
    return RS_OK;
}

/* A tree's time, say, is another sum. */
static rs_status check_ring(const rn_gathering *g, rs_error *error) {
    static const char ours[] = "ringsim verify, ", ring[] = "ringsim verify, ring on ";
    if (rn_is_floor(g->table.of)) {
        return rs_fail(
            error, RS_BAD_INPUT,
            "kernel 7 goes no ring: its times tell of no link; verify by another kernel");
    }
    if (strncmp(g->table.of, ours, strlen(ours)) != 0 ||
        strncmp(g->table.of, ring, strlen(ring)) == 0) {
        return RS_OK;
    }
    return rs_fail(error, RS_BAD_INPUT,
                   "this is a report of %.60s; from times of whole collectives fit knows the "
                   "ring's only: give a .trace, which verify --trace writes",
                   g->table.of + strlen(ours));
}

static rs_status gather(const char *text, size_t n_bytes, const rs_host *host, rs_error *error,
                        rn_gathering *g) {
    const size_t blanks = strspn(text, " \t\r\n"); /* a zero byte ends the text */
    if (text[blanks] == '{') return rn_gather_json(text, n_bytes, host, error, g);
    gather_table(text, n_bytes, g);
    return RS_OK;
}

rn_gathering *rn_begin_marks(rs_arena *arena) {
    return rs_alloc(arena, 1, sizeof(rn_gathering));
}

const rn_table_marks *rn_end_marks(const rn_gathering *g) {
    return &g->table.marks;
}

void rn_say_bad_row(const rn_bad_row *row, bool json, rs_error *said) {
    static const char *const why[] = {
        [RN_ROW_NO_SIZE] = RS_MESSAGE("size, count and type do not stand at its start"),
        [RN_ROW_SHORT] = RS_MESSAGE("it is cut short"),
        [RN_ROW_OTHER_RATE] = RS_MESSAGE("size / time is not the algbw beside it"),
        [RN_ROW_OTHER_BUSBW] = RS_MESSAGE("busbw / algbw is not that of the other rows"),
        [RN_ROW_TOO_LONG] = RS_MESSAGE("a time is longer than 1000 seconds"),
    };
    rs_fail_word(said, RS_OK, 1, json ? RS_MESSAGE("result %lld: %s") : RS_MESSAGE("line %lld: %s"),
                 (long long)row->where, why[row->why]);
}

/* Why nothing of the text can be used. */
static rs_status refuse(const rn_gathering *g, bool json, bool any, rs_error *error) {
    rs_error why;
    if (g->table.n_left_out == 0) {
        return rs_fail(
            error, RS_BAD_INPUT,
            any ? RS_MESSAGE("no row of nccl-tests' table is in it, and no JSON of its -J")
                : RS_MESSAGE(
                      "neither a .trace file nor a table or JSON of nccl-tests' all_reduce_perf"));
    }
    rn_say_bad_row(&g->table.left_out[0], json, &why);
    return rs_fail_with(error, RS_BAD_INPUT, 0, &why,
                        "no row of this output of nccl-tests can be used; %.200s", why.text);
}

/* How many ranks a table of another collective has, as far as it says; an all-reduce's is counted by its rates, too. */
static rs_status know_ranks(const rn_gathering *g, bool any, rs_error *error, rn_table *made) {
    rs_error ignored;
    rs_status status = any ? RS_OK : check_ring(g, error);
    if (status == RS_OK) status = count_ranks(g, any ? &ignored : error, &made->n_ranks);
    made->all_reduce = status == RS_OK;
    if (status == RS_OK || !any) return status;
    made->n_ranks = g->table.run.ranks > 0 ? g->table.run.ranks : g->table.run.gpus;
    return RS_OK;
}

static rs_status parse(const char *text, size_t n_bytes, bool any, rs_arena *arena, rs_error *error,
                       rn_table *log) {
    rn_gathering counted = {0};
    rn_table made = {.json = text[strspn(text, " \t\r\n")] == '{'};
    rs_status status = gather(text, n_bytes, arena->host, error, &counted);
    if (status != RS_OK) return status;
    log->marks = counted.table.marks;
    /* without rows, too, where all "# Rank" lines are there: the table's head came behind */
    log->n_ranks = counted.in_table && counted.said.gpus <= 1 ? counted.said.ranks : 0;
    if (counted.table.n_samples == 0) return refuse(&counted, made.json, any, error);
    made.samples = rs_alloc(arena, (size_t)counted.most, sizeof *made.samples);
    if (made.samples == NULL) return rs_no_memory(error);
    status = know_ranks(&counted, any, error, &made);
    if (status != RS_OK) return status;
    made.off = rounded_off(&counted);
    made.ratio = counted.ratio;
    if (made.all_reduce && (made.n_ranks > 0 || made.off > 0.1))
        made.ratio = ratio_of(made.n_ranks);
    rn_gathering filled = {.table = made, .times = counted.times, .expected_ratio = made.ratio};
    status = gather(text, n_bytes, arena->host, error, &filled);
    if (status != RS_OK) return status;
    if (filled.table.n_samples == 0) return refuse(&filled, made.json, any, error);
    *log = filled.table;
    /* whatever a text says: that is an all-reduce */
    if (log->ratio > 1.01 + log->off && strcmp(log->run.name, "all_reduce") != 0)
        log->run.name[0] = '\0';
    if (log->of[0] == '\0') strcpy(log->of, "nccl-tests");
    return RS_OK;
}

rs_status rn_parse_all_reduce(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                              rn_table *log) {
    return parse(text, n_bytes, false, arena, error, log);
}

rs_status rn_parse_table(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                         rn_table *log) {
    return parse(text, n_bytes, true, arena, error, log);
}
