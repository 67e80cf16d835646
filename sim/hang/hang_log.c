/* hang_log.c: what lines of logs tell of ranks' calls, where no flight recorder ran.
 *
 *     [rank5]:... WorkNCCL(SeqNum=120049, OpType=ALLREDUCE, NumelIn=4, ...) ran for ...       torch's watchdog
 *     [PG ID 0 PG GUID 0(default_pg) Rank 5] ... last enqueued work: 120051, last completed work: 120048
 *     host:17:23 [0] NCCL INFO comm 0x5f rank 2 nranks 8 ... commId 0x9 - Init COMPLETE       NCCL, INIT
 *     host:17:23 [0] NCCL INFO AllReduce: opCount f7 ... count 512 datatype 7 op 0 root 0 comm 0x5f [nranks=8]   COLL
 *
 *   - Lines of many ranks are interleaved, and what is none of these is passed over.
 *   - The watchdog names one call and two numbers: such dumps say who waits, but are not aligned. NCCL's calls are
 *     launched; nothing says which are over.
 */
#include "data_tree.h"
#include "ringsim_hang.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 1 << 17, LONGEST_LINE = 4096, MOST_COMMS = 1 << 20, NAME = 64 };

/* What is known of a rank in a group. */
typedef struct rank_log {
    int32_t rank;
    uint32_t group;              /* word */
    int64_t enqueued, completed; /* -1: not said */
    rs_call *calls;              /* growing; of the watchdog one */
    int64_t n, room;
    int32_t n_ranks; /* 0: not said */
} rank_log;

typedef struct log_reader {
    rs_texts words, comms; /* comms: "host:pid comm", numbered as in comm_log */
    rs_heap *heap, *keep;
    rank_log *list;
    int32_t n;
    int32_t *comm_log; /* [comm_room] of list, + 1; 0: none */
    int64_t room, comm_room;
    bool launched, failed;
} log_reader;

/* ------------------------------------------------------------------ pieces of a line */

static const char *behind(const char *line, const char *what) {
    const char *at = strstr(line, what);
    return at != NULL ? at + strlen(what) : NULL;
}

static int64_t number_behind(const char *line, const char *what, int64_t otherwise) {
    const char *at = behind(line, what);
    char *end;
    if (at == NULL) return otherwise;
    while (*at == ' ') at++;
    if (*at < '0' || *at > '9') return otherwise;
    const int64_t value = strtoll(at, &end, 10);
    return value < 0 ? otherwise : value;
}

static uint32_t word(log_reader *r, const char *text, size_t n) {
    const int64_t number = rs_text_kept(&r->words, text, n);
    if (number == RS_NO_TEXT) r->failed = true;
    return number == RS_NO_TEXT ? 0 : (uint32_t)number;
}

/* Returns what is known of the rank in the group, new where nothing was; NULL: no memory. */
static rank_log *log_of(log_reader *r, int32_t rank, uint32_t group) {
    for (int32_t i = r->n - 1; i >= 0 && i > r->n - 4096; i--) {
        if (r->list[i].rank == rank && r->list[i].group == group) return &r->list[i];
    }
    rank_log *list = rs_heap_grow(r->heap, r->list, r->n, &r->room, sizeof *list);
    if (list == NULL || r->n >= MOST_RANKS) {
        r->failed = true;
        return NULL;
    }
    r->list = list;
    r->list[r->n] = (rank_log){.rank = rank, .group = group, .enqueued = -1, .completed = -1};
    return &r->list[r->n++];
}

static rs_call *new_call(log_reader *r, rank_log *l) {
    rs_call *calls = rs_heap_grow(r->heap, l->calls, l->n, &l->room, sizeof *calls);
    if (calls == NULL) {
        r->failed = true;
        return NULL;
    }
    l->calls = calls;
    l->calls[l->n] = (rs_call){.peer = -1, .root = -1, .op = -1};
    return &l->calls[l->n++];
}

/* ------------------------------------------------------------------ torch's watchdog */

/* "_ALLGATHER_BASE" as the flight recorder calls it. */
static uint32_t watchdog_name(log_reader *r, const char *at) {
    static const char *const names[][2] = {
        {"ALLREDUCE", "all_reduce"},          {"_ALLGATHER_BASE", "_all_gather_base"},
        {"ALLGATHER", "all_gather"},          {"_REDUCE_SCATTER_BASE", "_reduce_scatter_base"},
        {"REDUCE_SCATTER", "reduce_scatter"}, {"ALLTOALL", "all_to_all"},
        {"ALLTOALL_BASE", "all_to_all"}};
    char text[NAME];
    size_t n = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    if (n >= sizeof text) n = sizeof text - 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i][0]) == n && memcmp(names[i][0], at, n) == 0) {
            return word(r, names[i][1], strlen(names[i][1]));
        }
    }
    for (size_t i = 0; i < n; i++)
        text[i] = (char)(at[i] >= 'A' && at[i] <= 'Z' ? at[i] + 32 : at[i]);
    return word(r, text, n);
}

/* The name stands in brackets: "PG GUID 0(default_pg)"; older lines have none. */
static uint32_t watchdog_group(log_reader *r, const char *line) {
    const char *guid = behind(line, "PG GUID ");
    if (guid == NULL) return word(r, "default_pg", 10);
    const size_t n = strcspn(guid, " (]"); /* a bracket further on belongs to something else */
    const char *open = guid[n] == '(' ? guid + n : NULL;
    const char *close = open != NULL ? strchr(open, ')') : NULL;
    if (close == NULL || close - open < 2) return word(r, guid, n);
    return word(r, open + 1, (size_t)(close - open - 1));
}

static void take_watchdog(log_reader *r, const char *line) {
    int64_t rank = number_behind(line, "[rank", -1);
    if (rank < 0) rank = number_behind(line, "[Rank ", -1);
    if (rank < 0) rank = number_behind(line, " Rank ", -1);
    if (rank < 0 || rank >= MOST_RANKS) return;
    const int64_t seq = number_behind(line, "WorkNCCL(SeqNum=", -1);
    int64_t enqueued = number_behind(line, "last enqueued work:", -1);
    int64_t completed = number_behind(line, "last completed work:", -1);
    if (enqueued < 0) enqueued = number_behind(line, "Last enqueued NCCL work:", -1);
    if (completed < 0) completed = number_behind(line, "last completed NCCL work:", -1);
    if (seq < 0 && enqueued < 0) return;
    rank_log *l = log_of(r, (int32_t)rank, watchdog_group(r, line));
    if (l == NULL) return;
    if (enqueued >= 0) l->enqueued = enqueued;
    if (completed >= 0) l->completed = completed;
    if (seq < 0 || l->n > 0) return;
    rs_call *call = new_call(r, l);
    const char *type = behind(line, "OpType=");
    if (call == NULL) return;
    call->seq = seq;
    call->name = type != NULL ? watchdog_name(r, type) : word(r, "work", 4);
    call->n_in = number_behind(line, "NumelIn=", 0);
    call->n_out = number_behind(line, "NumelOut=", 0);
}

/* Where only numbers are known, a call stands for them. */
static void complete_watchdog(log_reader *r) {
    for (int32_t i = 0; i < r->n; i++) {
        rank_log *l = &r->list[i];
        if (l->n > 0 || l->enqueued < 0) continue;
        rs_call *call = new_call(r, l);
        if (call == NULL) return;
        const bool over = l->completed >= l->enqueued;
        call->name = word(r, "work", 4);
        call->seq = over || l->completed < 0 ? l->enqueued : l->completed + 1;
        call->state = over ? RS_CALL_COMPLETED : RS_CALL_SCHEDULED;
    }
}

/* ------------------------------------------------------------------ NCCL */

/* "host:17 0x5f": a communicator of a process, of "0: host:17:23 [3] NCCL INFO ...". Launchers put things in front of the
   host. */
static int64_t comm_of(log_reader *r, const char *line, const char *info, const char *comm) {
    char text[300];
    const char *end = info - strlen("NCCL INFO "), *first = line;
    if (end > line) end--; /* a blank */
    for (const char *c = line; c < info; c++) {
        if (c[0] == ' ' && c[1] == '[') end = c;
    }
    for (const char *c = line; c < end; c++) {
        if (*c == ' ') first = c + 1;
    }
    for (const char *c = first; c < info; c++) {
        if (*c == ':') end = c; /* behind the process, before the thread */
    }
    const size_t n = strspn(comm, "0123456789abcdefx");
    const int used =
        snprintf(text, sizeof text, "%.*s %.*s", (int)(end - first < 200 ? end - first : 200),
                 first, (int)(n < 40 ? n : 40), comm);
    return rs_text_kept(&r->comms, text, used > 0 ? (size_t)used : 0);
}

static void take_init(log_reader *r, const char *line, const char *info) {
    const char *comm = behind(info, "comm 0x"), *id = behind(info, "commId 0x");
    const int64_t rank = number_behind(info, " rank ", -1), n = number_behind(info, " nranks ", 0);
    if (comm == NULL || rank < 0 || rank >= MOST_RANKS || n < 1 || n > MOST_RANKS) return;
    const int64_t number = comm_of(r, line, info, comm - 2);
    if (number == RS_NO_TEXT || number >= MOST_COMMS) {
        r->failed = number == RS_NO_TEXT;
        return;
    }
    const uint32_t group =
        id != NULL ? word(r, id - 2, 2 + strspn(id, "0123456789abcdef")) : word(r, "comm", 4);
    rank_log *l = log_of(r, (int32_t)rank, group);
    if (l == NULL) return;
    l->n_ranks = (int32_t)n;
    while (number >= r->comm_room) {
        const int64_t before = r->comm_room;
        int32_t *longer = rs_heap_grow(r->heap, r->comm_log, before, &r->comm_room, sizeof *longer);
        if (longer == NULL) {
            r->failed = true;
            return;
        }
        memset(longer + before, 0, (size_t)(r->comm_room - before) * sizeof *longer);
        r->comm_log = longer;
    }
    r->comm_log[number] = (int32_t)(l - r->list) + 1;
}

static void take_launch(log_reader *r, const char *line, const char *info) {
    static const char *const types[] = {"Char",   "Byte",     "Int",           "UInt",
                                        "Long",   "ULong",    "Half",          "Float",
                                        "Double", "BFloat16", "Float8_e4m3fn", "Float8_e5m2"};
    const char *colon = strchr(info, ':') /* before opCount */, *comm = behind(info, " comm 0x");
    if (comm == NULL) return;
    const int64_t number = comm_of(r, line, info, comm - 2);
    if (number == RS_NO_TEXT || number >= r->comm_room || r->comm_log[number] == 0) return;
    rank_log *l = &r->list[r->comm_log[number] - 1];
    rs_call *call = new_call(r, l);
    if (call == NULL) return;
    const int64_t type = number_behind(info, " datatype ", -1);
    r->launched = true;
    call->seq = l->n;
    call->name = word(r, info, (size_t)(colon - info));
    call->n_in = number_behind(info, " count ", 0);
    call->n_out = call->n_in;
    if (type >= 0 && type < 12) call->dtype = word(r, types[type], strlen(types[type]));
    call->op = (int32_t)(number_behind(info, " op ", -1) & 0xffff);
    call->root = (int32_t)(number_behind(info, " root ", -1) & 0xffffff);
}

static void take_line(log_reader *r, const char *line) {
    const char *info = behind(line, "NCCL INFO ");
    if (strstr(line, "WorkNCCL(") != NULL || strstr(line, "nqueued ") != NULL) {
        take_watchdog(r, line);
    } else if (info != NULL && strstr(info, ": opCount ") != NULL) {
        take_launch(r, line, info);
    } else if (info != NULL && strstr(info, " nranks ") != NULL &&
               strstr(info, "comm 0x") != NULL) {
        take_init(r, line, info);
    }
}

/* ------------------------------------------------------------------ dumps of it */

static int by_rank(const void *left, const void *right) {
    const rank_log *a = left, *b = right;
    const int by = rs_number_order(a->rank, b->rank);
    return by != 0 ? by : rs_number_order(a->group, b->group);
}

/* One rank's part of the list as a dump. n_all: ranks of a group that nobody counted, but that has all. */
static bool make_dump(const log_reader *r, const rank_log list[], int32_t n, int32_t n_all,
                      rs_dump *d) {
    int64_t n_calls = 0;
    for (int32_t i = 0; i < n; i++) n_calls += list[i].n;
    *d = (rs_dump){.rank = list[0].rank,
                   .whole = true,
                   .rough = !r->launched,
                   .launched = r->launched,
                   .n_groups = n};
    d->calls = rs_heap_take(r->keep, (size_t)n_calls * sizeof *d->calls);
    d->groups = rs_heap_take(r->keep, (size_t)n * sizeof *d->groups);
    d->words = rs_heap_take(r->keep, r->words.n * sizeof *d->words);
    if (d->calls == NULL || d->groups == NULL || d->words == NULL) return false;
    d->n_words = r->words.n;
    for (uint32_t i = 0; i < d->n_words; i++) d->words[i] = r->words.list[i].text;
    for (int32_t i = 0; i < n; i++) {
        const char *name = d->words[list[i].group];
        const bool all = list[i].n_ranks == 0 && strcmp(name, "default_pg") == 0;
        const int32_t n_ranks = all ? n_all : list[i].n_ranks;
        rs_call_group *g = &d->groups[i];
        *g = (rs_call_group){
            .name = list[i].group, .n_ranks = n_ranks, .last_seq = list[i].enqueued};
        g->ranks = rs_heap_take(r->keep, (size_t)n_ranks * sizeof *g->ranks);
        if (g->ranks == NULL) return false;
        for (int32_t k = 0; k < n_ranks; k++) g->ranks[k] = k;
        for (int64_t k = 0; k < list[i].n; k++) {
            d->calls[d->n_calls] = list[i].calls[k];
            d->calls[d->n_calls++].group = i;
        }
    }
    return true;
}

rs_status rs_read_hang_log(const char *text, size_t n_bytes, rs_arena *scratch, rs_arena *keep,
                           rs_error *error, rs_dump **dumps, int32_t *n_dumps) {
    rs_heap heap = {.arena = scratch}, kept = {.arena = keep};
    log_reader r = {.heap = &heap, .keep = &kept};
    char line[LONGEST_LINE];
    if (!rs_texts_begin(&r.words, &kept) || !rs_texts_begin(&r.comms, &heap)) {
        return rs_fail(error, RS_NO_MEMORY, N_("no memory to read it"));
    }
    for (size_t at = 0, end; at < n_bytes && !r.failed; at = end + 1) {
        const char *stop = memchr(text + at, '\n', n_bytes - at);
        end = stop != NULL ? (size_t)(stop - text) : n_bytes;
        const size_t n = end - at < sizeof line - 1 ? end - at : sizeof line - 1;
        memcpy(line, text + at, n);
        line[n] = '\0';
        take_line(&r, line);
    }
    if (!r.launched) complete_watchdog(&r);
    if (r.n == 0) {
        return rs_fail(error, RS_BAD_INPUT,
                       N_("it is no dump of a flight recorder, and tells of no call"));
    }
    qsort(r.list, (size_t)r.n, sizeof *r.list, by_rank);
    *dumps = rs_heap_take(&kept, (size_t)r.n * sizeof **dumps);
    int32_t n = 0;
    for (int32_t i = 0, end; i < r.n && *dumps != NULL && !r.failed; i = end) {
        for (end = i + 1; end < r.n && r.list[end].rank == r.list[i].rank;) end++;
        r.failed = !make_dump(&r, r.list + i, end - i, r.list[r.n - 1].rank + 1, &(*dumps)[n++]);
    }
    if (*dumps == NULL || r.failed) return rs_fail(error, RS_NO_MEMORY, N_("no memory to read it"));
    *n_dumps = n;
    return RS_OK;
}
