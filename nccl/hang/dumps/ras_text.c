/* ras_text.c: how many calls of each kind the ranks have launched, as NCCL's RAS prints it (ncclras, and ncclras -v).
 *
 *     Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
 *         #  in group  per comm  per node  per comm  in group
 *         0         1         2         4         8         8   RUNNING  MISMATCH
 *     #0-0 (27a079b828ff1a75) MISMATCH
 *       Communicator ranks have different AllReduce operation counts
 *       5 ranks have launched up to operation 64
 *       2 ranks have launched up to operation 63
 *       Rank 1 -- GPU 1 managed by process 17 on node 10.0.0.1       (and rank 2)
 *       Rank 7 has launched up to operation 60 -- GPU 3 managed by process 21 on node 10.0.0.2
 *
 *   - Only ranks that few agree with are listed: the largest part is all that are left. Where two parts are not listed, or
 *     a list is not whole, nobody knows who is meant, and the block is worth nothing.
 */
#include "ras.h"
#include "ringsim_text.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_COMMS = 256,
    MOST_TABLE = 256,
    MOST_CELLS = 1 << 22, /* ranks of all blocks together */
    LINE = 512,
    FIRST_BYTES = 4096 /* in which a report shows what it is */
};

typedef enum ras_list { LIST_OTHER, LIST_MISSING, LIST_COUNTS } ras_list;

typedef struct ras_parser {
    rs_heap *heap;
    rn_ras_report all; /* [MOST_TABLE], [MOST_COMMS] */
    int64_t cells;
    rn_ras_comm *comm; /* of this block; NULL: none */
    rn_ras_kind *kind;
    ras_list list;
    int64_t operation, n_part, n_listed; /* of the part that is listed; n_part 0: none */
    bool in_table;
} ras_parser;

/* ------------------------------------------------------------------ pieces of a line */

/* Takes digits, and blanks behind them; what is too large stays so. */
static bool take_number(const char **at, int64_t *value) {
    char *end;
    if (!rs_is_digit(**at)) return false;
    *value = strtoll(*at, &end, 10);
    if (*value > INT64_MAX / 10) *value = INT64_MAX / 10;
    *at = end + strspn(end, " \t");
    return true;
}

/* Goes to the next line; NULL: there is none. Blanks before it are passed over, those behind it are gone. */
static const char *next_line(rn_lines *lines, char line[LINE]) {
    if (!rn_copy_line(lines, line, LINE)) return NULL;
    size_t n = strlen(line);
    while (n > 0 && rs_is_space(line[n - 1])) line[--n] = '\0';
    while (rs_is_space(*line)) line++;
    return line;
}

/* "#0-12 (27a079b828ff1a75) MISMATCH": hash stays where it is. */
static bool take_heading(const char *at, int64_t *group, int64_t *number, const char **hash) {
    if (!rn_take(&at, "#") || !take_number(&at, group) || !rn_take(&at, "-") ||
        !take_number(&at, number) || !rn_take(&at, "("))
        return false;
    *hash = at;
    const size_t n = strspn(at, "0123456789abcdef");
    return n > 0 && n < 20 && at[n] == ')';
}

static bool is_table(const char *line) {
    return rn_take(&line, "Group Comms Nodes Ranks");
}

bool rn_is_ras_text(const char *bytes, size_t n_bytes) {
    char copy[LINE];
    const char *line, *hash;
    int64_t group, number;
    rn_lines lines = {.text = bytes, .n_bytes = n_bytes < FIRST_BYTES ? n_bytes : FIRST_BYTES};
    while ((line = next_line(&lines, copy)) != NULL) {
        if (strcmp(line, "Job summary") == 0 || is_table(line)) return true;
        if (take_heading(line, &group, &number, &hash)) return true;
    }
    return false;
}

/* ------------------------------------------------------------------ blocks */

static void *cells_of(ras_parser *r, int64_t n, size_t each) {
    r->cells += n;
    return r->cells <= MOST_CELLS ? rs_heap_take(r->heap, (size_t)n * each) : NULL;
}

/* The part that was listed ends: all of it, none, or it is not whole. */
static void end_part(ras_parser *r) {
    if (r->kind != NULL && r->n_part > 0) {
        if (r->n_listed == 0) {
            r->kind->n_unlisted++;
            r->kind->rest = r->operation;
        } else if (r->n_listed != r->n_part) {
            r->kind->broken = true;
        }
    }
    r->n_part = r->n_listed = 0;
}

static void begin_list(ras_parser *r, ras_list list) {
    end_part(r);
    r->kind = NULL;
    r->list = list;
}

static rn_ras_comm *comm_at(ras_parser *r, int64_t group, int64_t number, const char *hash) {
    for (int32_t c = 0; c < r->all.n_comms; c++) {
        if (r->all.comms[c].group == group && r->all.comms[c].number == number)
            return &r->all.comms[c];
    }
    if (r->all.n_comms == MOST_COMMS || group >= MOST_TABLE || number > RN_RAS_RANKS) return NULL;
    rn_ras_comm *comm = &r->all.comms[r->all.n_comms];
    /* without the table the ranks are counted: all that may be have room */
    const int64_t size = group < r->all.n_rows ? r->all.rows[group].size : 0;
    const int64_t room = size > 0 ? size : RN_RAS_RANKS;
    *comm = (rn_ras_comm){.group = (int32_t)group,
                          .number = (int32_t)number,
                          .size = (int32_t)size,
                          .room = (int32_t)room};
    memcpy(comm->hash, hash, strspn(hash, "0123456789abcdef"));
    comm->missing = cells_of(r, room, sizeof *comm->missing);
    comm->kinds = rs_heap_take(r->heap, RN_RAS_KINDS * sizeof *comm->kinds);
    if (comm->missing == NULL || comm->kinds == NULL) return NULL;
    r->all.n_comms++;
    return comm;
}

static void begin_kind(ras_parser *r, const char *name) {
    begin_list(r, LIST_COUNTS);
    const size_t n =
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    rn_ras_comm *comm = r->comm;
    if (comm->n_kinds == RN_RAS_KINDS || n == 0 || n >= sizeof comm->kinds->name) {
        comm->broken = true;
        return;
    }
    const int64_t room = comm->room;
    rn_ras_kind *kind = &comm->kinds[comm->n_kinds];
    *kind = (rn_ras_kind){.count = cells_of(r, room, sizeof *kind->count)};
    if (kind->count == NULL) return;
    memcpy(kind->name, name, n);
    for (int64_t i = 0; i < room; i++) kind->count[i] = -1;
    comm->n_kinds++;
    r->kind = kind;
}

/* "has launched up to operation 64", of one or of many. */
static bool take_operation(const char *at, int64_t *operation) {
    *operation = 0;
    if (!rn_take(&at, "has ") && !rn_take(&at, "have ")) return false;
    if (rn_take(&at, "not launched any operations")) return true;
    return rn_take(&at, "launched up to operation ") && take_number(&at, operation);
}

static void count_rank(ras_parser *r, int64_t rank, int64_t operation) {
    rn_ras_kind *kind = r->kind;
    if (kind == NULL) return;
    if (rank >= r->comm->room || kind->count[rank] >= 0) {
        kind->broken = true;
    } else {
        kind->count[rank] = operation;
    }
}

static void miss_rank(ras_parser *r, int64_t rank) {
    if (rank >= r->comm->room || r->comm->missing[rank]) {
        r->comm->broken = true;
    } else {
        r->comm->missing[rank] = true;
        r->comm->n_missing++;
    }
}

/* "Rank 7 -- GPU 3 ...", "Rank 7 has launched up to operation 60 -- ...", "Rank 7 has status NOCOMM -- ..." */
static void take_rank(ras_parser *r, const char *at) {
    int64_t rank, operation;
    if (!take_number(&at, &rank)) return;
    if (rn_take(&at, "--")) {
        if (r->list == LIST_MISSING) miss_rank(r, rank);
        if (r->list != LIST_COUNTS) return;
        if (r->n_part == 0 && r->kind != NULL) r->kind->broken = true;
        count_rank(r, rank, r->operation);
        r->n_listed++;
    } else if (take_operation(at, &operation) && r->list == LIST_COUNTS) {
        end_part(r);
        count_rank(r, rank, operation);
        if (r->kind != NULL) r->kind->n_said++;
    } else if (rn_take(&at, "has status NOCOMM")) {
        miss_rank(r, rank);
        r->comm->n_missing_said++;
    }
}

/* "26 ranks have launched up to operation 6650", "2 ranks have status NOCOMM" */
static void take_part(ras_parser *r, const char *at, int64_t n) {
    int64_t operation;
    if (r->list == LIST_COUNTS && take_operation(at, &operation)) {
        end_part(r);
        r->operation = operation;
        r->n_part = n;
        if (r->kind != NULL) r->kind->n_said += n;
    } else if (rn_take(&at, "have status ")) {
        begin_list(r, rn_take(&at, "NOCOMM") ? LIST_MISSING : LIST_OTHER);
        if (r->list == LIST_MISSING) r->comm->n_missing_said += n;
    } else if (rn_take(&at, "reported")) {
        begin_list(r, LIST_OTHER);
    }
}

static bool take_row(ras_parser *r, const char *at) {
    int64_t n[6], more;
    for (int i = 0; i < 6; i++) {
        if (!take_number(&at, &n[i])) return false;
        if (i == 3 && rn_take(&at, "-") && !take_number(&at, &more)) return false;
    }
    if (n[0] != r->all.n_rows || r->all.n_rows == MOST_TABLE || n[4] < 1 || n[4] > RN_RAS_RANKS)
        return false;
    const char *errors = strrchr(at, ' ');
    r->all.rows[r->all.n_rows++] = (rn_ras_row){
        .n_comms = n[1], .size = n[4], .errors = errors == NULL || strcmp(errors, " OK") != 0};
    return true;
}

static void take_line(ras_parser *r, const char *line) {
    int64_t group, number;
    const char *hash, *at = line;
    if (is_table(line)) { /* asked again: the last answer counts */
        begin_list(r, LIST_OTHER);
        r->comm = NULL;
        r->all.n_rows = r->all.n_comms = 0;
        r->in_table = true;
    } else if (take_heading(line, &group, &number, &hash)) {
        begin_list(r, LIST_OTHER);
        r->in_table = false;
        r->comm = comm_at(r, group, number, hash);
    } else if (r->in_table) {
        r->in_table = take_row(r, at) || *line == '#' || *line == '\0';
    } else if (r->comm == NULL) {
        return;
    } else if (rn_take(&at, "Rank ")) {
        take_rank(r, at);
    } else if (take_number(&at, &number)) {
        if (rn_take(&at, "ranks "))
            take_part(r, at, number <= RN_RAS_RANKS ? number : RN_RAS_RANKS + 1);
    } else if (rn_take(&at, "Missing communicator data from ")) {
        begin_list(r, LIST_MISSING);
        if (take_number(&at, &number))
            r->comm->n_missing_said += number < RN_RAS_RANKS ? number : -1;
    } else if (rn_take(&at, "Communicator ranks have different ")) {
        if (strstr(at, " operation counts") != NULL) begin_kind(r, at);
    } else if (*line >= 'A' && *line <= 'Z' && strchr(line, ' ') == NULL) {
        begin_list(r, LIST_OTHER); /* "Warnings", "DEAD" */
        r->comm = NULL;
    }
}

rs_status rn_parse_ras_text(const char *text, size_t n_bytes, rs_heap *heap, rs_error *error,
                            rn_ras_report *report) {
    ras_parser r = {.heap = heap};
    char copy[LINE];
    rn_lines lines = {.text = text, .n_bytes = n_bytes};
    const char *line;
    r.all.rows = rs_heap_take(heap, MOST_TABLE * sizeof *r.all.rows);
    r.all.comms = rs_heap_take(heap, MOST_COMMS * sizeof *r.all.comms);
    while (r.cells <= MOST_CELLS && !heap->arena->lacked &&
           (line = next_line(&lines, copy)) != NULL)
        take_line(&r, line);
    r.all.cut = r.n_listed > 0 && r.n_listed < r.n_part;
    end_part(&r);
    if (r.cells > MOST_CELLS) return rs_fail(error, RS_BAD_INPUT, "it has too many ranks");
    if (heap->arena->lacked) return rs_no_memory(error);
    *report = r.all;
    return RS_OK;
}
