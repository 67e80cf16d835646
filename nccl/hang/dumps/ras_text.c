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
 *   - The text does not say which ranks of two communicators are the same. So it is one communicator that counts: that of all
 *     ranks, or the only one that differs.
 *   - What all have launched alike is not told. A call 0 stands for it where ranks are missing.
 */
#include "ras.h"
#include "ringsim_text.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_COMMS = 256,
    MOST_TABLE = 256,
    LINE = 512,
    FIRST_BYTES = 4096 /* in which a report shows what it is */
};

/* A rank that is listed. */
typedef struct ras_listed {
    int64_t rank, operation;
} ras_listed;

/* One kind of calls; the first of a communicator's is none: its ranks are missing. */
typedef struct ras_kind {
    char name[32];
    ras_listed *list; /* [n] */
    int64_t n, room;
    int64_t rest;   /* of those that are not listed */
    int64_t n_said; /* ranks in all its parts */
    int32_t n_unlisted;
    bool broken;    /* a list is not whole */
    int64_t *count; /* [size] of those listed; -1: not listed */
} ras_kind;

/* A communicator whose ranks differ, or are missing. */
typedef struct ras_comm {
    int32_t group, number;
    int32_t size; /* 0: the table does not tell */
    char hash[20];
    ras_kind *kinds; /* [1 + RN_RAS_KINDS] */
    int32_t n_kinds; /* the missing, too */
} ras_comm;

/* A row of the table: communicators that are alike. */
typedef struct ras_row {
    int64_t n_comms, size;
    bool errors;
} ras_row;

typedef struct ras_parser {
    rs_heap *heap;
    ras_row *rows;   /* [MOST_TABLE] */
    ras_comm *comms; /* [MOST_COMMS] */
    int32_t n_rows, n_comms;
    ras_comm *comm;                      /* of this block; NULL: none */
    ras_kind *kind;                      /* of which ranks are listed; NULL: none */
    int64_t operation, n_part, n_listed; /* of the part that is listed; n_part 0: none */
    bool in_table, cut;                  /* cut: it ends within a list */
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

/* The part that was listed ends: all of it, none, or it is not whole. What follows is of another kind. */
static void begin_list(ras_parser *r, ras_kind *next) {
    if (r->kind != NULL && r->n_part > 0) {
        if (r->n_listed == 0) {
            r->kind->n_unlisted++;
            r->kind->rest = r->operation;
        } else if (r->n_listed != r->n_part) {
            r->kind->broken = true;
        }
    }
    r->n_part = r->n_listed = 0;
    r->kind = next;
}

static ras_comm *comm_at(ras_parser *r, int64_t group, int64_t number, const char *hash) {
    for (int32_t c = 0; c < r->n_comms; c++) {
        if (r->comms[c].group == group && r->comms[c].number == number) return &r->comms[c];
    }
    if (r->n_comms == MOST_COMMS || group >= MOST_TABLE || number > RN_RAS_RANKS) return NULL;
    ras_comm *comm = &r->comms[r->n_comms];
    *comm = (ras_comm){.group = (int32_t)group,
                       .number = (int32_t)number,
                       .size = group < r->n_rows ? (int32_t)r->rows[group].size : 0,
                       .n_kinds = 1};
    memcpy(comm->hash, hash, strspn(hash, "0123456789abcdef"));
    comm->kinds = rs_heap_take(r->heap, (1 + RN_RAS_KINDS) * sizeof *comm->kinds);
    if (comm->kinds == NULL) return NULL;
    r->n_comms++;
    return comm;
}

static void begin_kind(ras_parser *r, const char *name) {
    ras_comm *comm = r->comm;
    const size_t n =
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    const bool fits = comm->n_kinds <= RN_RAS_KINDS && n > 0 && n < sizeof comm->kinds->name;
    begin_list(r, fits ? &comm->kinds[comm->n_kinds++] : NULL);
    if (fits) memcpy(r->kind->name, name, n);
    comm->kinds->broken = comm->kinds->broken || !fits;
}

/* "has launched up to operation 64", of one or of many. */
static bool take_operation(const char *at, int64_t *operation) {
    *operation = 0;
    if (!rn_take(&at, "has ") && !rn_take(&at, "have ")) return false;
    if (rn_take(&at, "not launched any operations")) return true;
    return rn_take(&at, "launched up to operation ") && take_number(&at, operation);
}

static void list_rank(ras_parser *r, ras_kind *kind, int64_t rank, int64_t operation) {
    if (rs_heap_reserve(r->heap, &kind->list, kind->n + 1, &kind->room))
        kind->list[kind->n++] = (ras_listed){rank, operation};
}

/* "Rank 7 -- GPU 3 ...", "Rank 7 has launched up to operation 60 -- ...", "Rank 7 has status NOCOMM -- ..." */
static void take_rank(ras_parser *r, const char *at) {
    ras_kind *missing = r->comm->kinds, *kind = r->kind;
    int64_t rank, operation;
    if (!take_number(&at, &rank)) return;
    if (rn_take(&at, "--")) {
        if (kind == NULL) return;
        kind->broken = kind->broken || (kind != missing && r->n_part == 0);
        list_rank(r, kind, rank, r->operation);
        r->n_listed++;
    } else if (take_operation(at, &operation)) {
        if (kind == NULL || kind == missing) return;
        begin_list(r, kind);
        list_rank(r, kind, rank, operation);
        kind->n_said++;
    } else if (rn_take(&at, "has status NOCOMM")) {
        list_rank(r, missing, rank, 0);
        missing->n_said++;
    }
}

/* "26 ranks have launched up to operation 6650", "2 ranks have status NOCOMM" */
static void take_part(ras_parser *r, const char *at, int64_t n) {
    ras_kind *missing = r->comm->kinds, *kind = r->kind;
    int64_t operation;
    if (kind != NULL && kind != missing && take_operation(at, &operation)) {
        begin_list(r, kind);
        r->operation = operation;
        r->n_part = n;
        kind->n_said += n;
    } else if (rn_take(&at, "have status ")) {
        begin_list(r, rn_take(&at, "NOCOMM") ? missing : NULL);
        if (r->kind != NULL) missing->n_said += n;
    } else if (rn_take(&at, "reported")) {
        begin_list(r, NULL);
    }
}

static bool take_row(ras_parser *r, const char *at) {
    int64_t n[6], more;
    for (int i = 0; i < 6; i++) {
        if (!take_number(&at, &n[i])) return false;
        if (i == 3 && rn_take(&at, "-") && !take_number(&at, &more)) return false;
    }
    if (n[0] != r->n_rows || r->n_rows == MOST_TABLE || n[4] < 1 || n[4] > RN_RAS_RANKS)
        return false;
    const char *errors = strrchr(at, ' ');
    r->rows[r->n_rows++] = (ras_row){
        .n_comms = n[1], .size = n[4], .errors = errors == NULL || strcmp(errors, " OK") != 0};
    return true;
}

static void take_line(ras_parser *r, const char *line) {
    int64_t group, number;
    const char *hash, *at = line;
    if (is_table(line)) { /* asked again: the last answer counts */
        begin_list(r, NULL);
        r->comm = NULL;
        r->n_rows = r->n_comms = 0;
        r->in_table = true;
    } else if (take_heading(line, &group, &number, &hash)) {
        begin_list(r, NULL);
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
        begin_list(r, r->comm->kinds);
        if (take_number(&at, &number))
            r->comm->kinds->n_said += number < RN_RAS_RANKS ? number : -1;
    } else if (rn_take(&at, "Communicator ranks have different ")) {
        if (strstr(at, " operation counts") != NULL) begin_kind(r, at);
    } else if (*line >= 'A' && *line <= 'Z' && strchr(line, ' ') == NULL) {
        begin_list(r, NULL); /* "Warnings", "DEAD" */
        r->comm = NULL;
    }
}

static rs_status parse(ras_parser *r, const char *text, size_t n_bytes, rs_error *error) {
    char copy[LINE];
    rn_lines lines = {.text = text, .n_bytes = n_bytes};
    const char *line;
    r->rows = rs_heap_take(r->heap, MOST_TABLE * sizeof *r->rows);
    r->comms = rs_heap_take(r->heap, MOST_COMMS * sizeof *r->comms);
    while (!r->heap->arena->lacked && (line = next_line(&lines, copy)) != NULL) take_line(r, line);
    r->cut = r->n_listed > 0 && r->n_listed < r->n_part;
    begin_list(r, NULL);
    return r->heap->arena->lacked ? rs_no_memory(error) : RS_OK;
}

/* ------------------------------------------------------------------ the communicator that counts */

static int64_t size_of(const ras_comm *comm) {
    int64_t size = comm->size;
    for (int32_t k = 1; k < comm->n_kinds && comm->size == 0; k++)
        size = rs_larger(size, comm->kinds[k].n_said + comm->kinds->n_said);
    return size;
}

/* Counts those that are listed; false: one is there twice, or none of them. */
static bool count_listed(rs_heap *heap, ras_kind *kind, int64_t size) {
    kind->count = rs_heap_take(heap, (size_t)size * sizeof *kind->count);
    if (kind->count == NULL || kind->broken) return false;
    for (int64_t i = 0; i < size; i++) kind->count[i] = -1;
    for (int64_t i = 0; i < kind->n; i++) {
        const ras_listed *l = &kind->list[i];
        if (l->rank >= size || kind->count[l->rank] >= 0) return false;
        kind->count[l->rank] = l->operation;
    }
    return true;
}

/* Is it known of each rank how far it came? */
static bool is_whole(rs_heap *heap, const ras_kind *missing, ras_kind *kind, int64_t size) {
    if (kind->n_unlisted > 1 || kind->n_said + missing->n != size) return false;
    if (!count_listed(heap, kind, size)) return false;
    for (int64_t i = 0; i < size; i++) {
        const bool listed = kind->count[i] >= 0;
        if (missing->count[i] >= 0 ? listed : !listed && kind->n_unlisted == 0) return false;
    }
    return true;
}

/* Is it said which ranks differ, or are missing? Kinds of which it is not said go. */
static bool is_told(rs_heap *heap, ras_comm *comm) {
    const int64_t size = size_of(comm);
    ras_kind *missing = comm->kinds;
    if (size < 1 || size > RN_RAS_RANKS || missing->n != missing->n_said) return false;
    if (!count_listed(heap, missing, size)) return false;
    int32_t n = 1;
    for (int32_t k = 1; k < comm->n_kinds; k++) {
        if (is_whole(heap, missing, &comm->kinds[k], size)) comm->kinds[n++] = comm->kinds[k];
    }
    comm->n_kinds = n;
    comm->size = (int32_t)size;
    return n > 1 || missing->n > 0;
}

static bool is_of_all(const ras_parser *r, const ras_comm *comm) {
    return comm->group == 0 && comm->number == 0 && (r->n_rows == 0 || r->rows[0].n_comms == 1);
}

/* Does one rank, or who is missing, explain why other communicators differ, too? */
static bool is_enough(const ras_comm *comm) {
    int64_t odd = -1;
    for (int32_t k = 1; k < comm->n_kinds && comm->kinds->n == 0; k++) {
        for (int64_t i = 0; i < comm->kinds[k].n; i++) {
            const int64_t rank = comm->kinds[k].list[i].rank;
            if (odd >= 0 && odd != rank) return false;
            odd = rank;
        }
    }
    return true;
}

/* Returns how many communicators differ, those that a file which ends too early lacks, too. */
static int64_t n_different(const ras_parser *r) {
    int64_t n = 0;
    for (int32_t i = 0; i < r->n_rows; i++) {
        if (r->rows[i].errors) n += rs_smaller(r->rows[i].n_comms, RN_RAS_RANKS);
    }
    return rs_larger(n, r->n_comms);
}

/* Returns the communicator that counts; NULL: none does. */
static ras_comm *chosen(const ras_parser *r) {
    const int64_t n = n_different(r);
    for (int32_t i = 0; i < r->n_comms; i++) {
        ras_comm *comm = &r->comms[i];
        if (n > 1 && !is_of_all(r, comm)) continue;
        if (is_told(r->heap, comm) && (n == 1 || is_enough(comm))) return comm;
    }
    return NULL;
}

/* ------------------------------------------------------------------ dumps of it */

/* Adds a group of all ranks, of a kind; of the missing: nothing is told of the others' calls. */
static void add_kind(rn_ras_dumps *d, const ras_comm *comm, const ras_kind *kind,
                     rn_call_group group) {
    const bool told = kind != comm->kinds;
    const char *call = told ? kind->name : "operation";
    const uint32_t word = rn_keep_printed(&d->words, "%s", call);
    group.name = rn_keep_printed(&d->words, told ? "0x%s %s" : "0x%s", comm->hash, call);
    for (int32_t i = 0; i < d->n; i++) {
        if (comm->kinds->count[i] >= 0) continue;
        group.last_seq = kind->count[i] >= 0 ? kind->count[i] : kind->rest;
        rn_ras_add(d, i, &group, word, !told);
    }
}

static bool make_dumps(rn_ras_dumps *d, rs_heap *heap, rs_heap *keep, const ras_comm *comm,
                       bool of_all) {
    const bool made = rn_ras_begin(d, comm->size, heap, keep);
    rn_call_group group = {.n_ranks = comm->size, .ranks = rn_keep_ranks(keep, 0, comm->size)};
    if (!made || group.ranks == NULL) return false;
    if (!of_all) /* as RAS names it: its ranks are not those of the job */
        group.desc = rn_keep_printed(&d->words, "#%d-%d", (int)comm->group, (int)comm->number);
    for (int32_t k = comm->n_kinds > 1; k < comm->n_kinds; k++)
        add_kind(d, comm, &comm->kinds[k], group);
    return true;
}

/* Says why no communicator counts. */
static const char *why_not(const ras_parser *r) {
    const int64_t n = n_different(r);
    if (n == 0) return RS_MESSAGE("it names no rank's calls");
    if (r->cut || n > r->n_comms)
        return RS_MESSAGE("it ends before it has said which ranks are behind");
    if (n == 1)
        return RS_MESSAGE(
            "it does not list which ranks are behind: ask ncclras with -v, or for JSON");
    return RS_MESSAGE(
        "several communicators differ, and it does not say which of their ranks are the same: "
        "ask ncclras for JSON");
}

rs_status rn_read_ras_text(const char *text, size_t n_bytes, rs_arena *scratch, rs_arena *keep,
                           rs_error *error, rn_dump **dumps, int32_t *n_dumps) {
    rs_heap heap = {.arena = scratch}, kept = {.arena = keep};
    rn_ras_dumps made;
    ras_parser r = {.heap = &heap};
    const rs_status status = parse(&r, text, n_bytes, error);
    if (status != RS_OK) return status;
    ras_kind nobody = {.name = ""};
    ras_comm alike = {.hash = "0", .kinds = &nobody, .n_kinds = 1};
    const ras_comm *comm = chosen(&r);
    if (comm == NULL && n_different(&r) == 0 && r.n_rows > 0) {
        alike.size = (int32_t)r.rows[0].size;
        if (count_listed(&heap, &nobody, alike.size)) comm = &alike;
    }
    if (scratch->lacked) return rs_no_memory(error);
    if (comm == NULL) return rs_fail(error, RS_BAD_INPUT, "%s", why_not(&r));
    const bool of_all = comm == &alike || is_of_all(&r, comm);
    if (!make_dumps(&made, &heap, &kept, comm, of_all)) return rs_no_memory(error);
    return rn_ras_end(&made, false, error, dumps, n_dumps);
}
