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
 *   - NCCL numbers ranks in each communicator anew. A rank is a process and its GPU, and has the number that it has in the
 *     largest of its communicators; of the others only those are known that name them, too.
 */
#include "data_tree.h"
#include "ringsim_hang.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 1 << 17, LONGEST_LINE = 4096, MOST_COMMS = 1 << 20, NAME = 64 };
enum { NEAR = 4096 /* logs of ranks to look at for one */ };

/* What is known of a rank in a group. */
typedef struct rank_log {
    int32_t rank;                /* of NCCL's: in the communicator, until all lines are read */
    int32_t process;             /* of NCCL's: number of "host:17 GPU"; else 0 */
    uint32_t group;              /* word; 0: of a call whose line names none */
    uint32_t desc;               /* word; 0: not said */
    int64_t enqueued, completed; /* -1: not said */
    rs_call *calls;              /* growing; of the watchdog one */
    int64_t n, room;
    int64_t n_collectives, n_messages; /* of NCCL's calls */
    int32_t n_ranks;                   /* 0: not said */
} rank_log;

typedef struct log_reader {
    rs_texts words, comms; /* comms: "host:pid comm", numbered as in comm_log */
    rs_texts processes;    /* "host:pid GPU" */
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

/* Returns a new one; NULL: no memory. */
static rank_log *new_log(log_reader *r, int32_t rank, uint32_t group) {
    rank_log *list = rs_heap_grow(r->heap, r->list, r->n, &r->room, sizeof *list);
    if (list == NULL || r->n >= MOST_RANKS) {
        r->failed = true;
        return NULL;
    }
    r->list = list;
    r->list[r->n] = (rank_log){.rank = rank, .group = group, .enqueued = -1, .completed = -1};
    return &r->list[r->n++];
}

/* Returns what is known of the rank in the group, new where nothing was; NULL: no memory. */
static rank_log *log_of(log_reader *r, int32_t rank, uint32_t group) {
    for (int32_t i = r->n - 1; i >= 0 && i > r->n - NEAR; i--) {
        if (r->list[i].rank == rank && r->list[i].group == group) return &r->list[i];
    }
    return new_log(r, rank, group);
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

/* "PG GUID 0(default_pg)": as the flight recorder names it; 0: the line names none. *desc: what stands in brackets. */
static uint32_t watchdog_group(log_reader *r, const char *line, uint32_t *desc) {
    const char *guid = behind(line, "PG GUID ");
    if (guid == NULL) return 0;
    const size_t n = strcspn(guid, " (]"); /* a bracket further on belongs to something else */
    const char *open = guid[n] == '(' ? guid + n : NULL;
    const char *close = open != NULL ? strchr(open, ')') : NULL;
    if (close != NULL && close - open >= 2) *desc = word(r, open + 1, (size_t)(close - open - 1));
    return word(r, guid, n);
}

/* The line that tells of a timeout names no group; that of the failure behind it has the same number, and does. */
static void name_group(log_reader *r, int32_t rank, uint32_t group, uint32_t desc, int64_t seq) {
    rank_log *named = log_of(r, rank, group);
    if (named == NULL) return;
    if (desc != 0) named->desc = desc;
    for (int32_t i = r->n - 1; i >= 0 && i > r->n - NEAR; i--) {
        rank_log *l = &r->list[i];
        if (l->rank != rank || l->group != 0 || l->n == 0 || l->calls[0].seq != seq) continue;
        if (named->n > 0 || l->enqueued >= 0) return;
        named->calls = l->calls;
        named->n = l->n;
        named->room = l->room;
        l->n = l->room = 0;
        l->calls = NULL;
    }
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
    uint32_t desc = 0;
    const uint32_t group = watchdog_group(r, line, &desc);
    if (group != 0) {
        const int64_t failed = number_behind(line, "at work sequence id:", -1);
        name_group(r, (int32_t)rank, group, desc, failed);
    }
    rank_log *l = log_of(r, (int32_t)rank, group);
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

/* Messages count, too, in what was enqueued: where one is open, that is not the number of a collective. */
static void forget_numbers(log_reader *r) {
    for (int32_t i = 0; i < r->n; i++) {
        rank_log *l = &r->list[i];
        const char *name = l->n > 0 ? r->words.list[l->calls[0].name].text : "";
        const bool message = strcmp(name, "send") == 0 || strcmp(name, "recv") == 0;
        if (message || strcmp(name, "coalesced") == 0) l->enqueued = -1;
    }
}

/* What names no group is of the whole job's, unless more is known of that. */
static void name_rest(log_reader *r) {
    const uint32_t all = word(r, "0", 1), desc = word(r, "default_pg", 10);
    const int32_t n = r->n;
    for (int32_t i = 0; i < n && !r->failed; i++) {
        if (r->list[i].group != 0 || (r->list[i].n == 0 && r->list[i].enqueued < 0)) continue;
        rank_log *whole = log_of(r, r->list[i].rank, all), *l = &r->list[i];
        if (whole == NULL) return;
        if (whole->n == 0) {
            whole->calls = l->calls;
            whole->n = l->n;
            whole->room = l->room;
        }
        if (whole->enqueued < 0) whole->enqueued = l->enqueued;
        if (whole->completed < 0) whole->completed = l->completed;
        whole->desc = desc;
    }
    int32_t n_kept = 0;
    for (int32_t i = 0; i < r->n; i++) {
        if (r->list[i].group != 0) r->list[n_kept++] = r->list[i];
    }
    r->n = n_kept;
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

/* Returns where "host:17" begins and ends in "0: host:17:23 [3] NCCL INFO ...". Launchers put things in front of the host. */
static const char *process_of(const char *line, const char *info, const char **behind_it) {
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
    *behind_it = end;
    return first;
}

/* "host:17 0x5f": a communicator of a process. */
static int64_t comm_of(log_reader *r, const char *line, const char *info, const char *comm) {
    char text[300];
    const char *end, *first = process_of(line, info, &end);
    const size_t n = strspn(comm, "0123456789abcdefx");
    const int used =
        snprintf(text, sizeof text, "%.*s %.*s", (int)(end - first < 200 ? end - first : 200),
                 first, (int)(n < 40 ? n : 40), comm);
    return rs_text_kept(&r->comms, text, used > 0 ? (size_t)used : 0);
}

/* "host:17 3": the GPU of a process. */
static int32_t rank_process(log_reader *r, const char *line, const char *info) {
    char text[300];
    const char *end, *first = process_of(line, info, &end);
    const int used =
        snprintf(text, sizeof text, "%.*s %lld", (int)(end - first < 200 ? end - first : 200),
                 first, (long long)number_behind(info, " cudaDev ", -1));
    const int64_t number = rs_text_kept(&r->processes, text, used > 0 ? (size_t)used : 0);
    if (number == RS_NO_TEXT) r->failed = true;
    return number == RS_NO_TEXT ? 0 : (int32_t)number;
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
    const int32_t known = r->comm_log[number] - 1;
    if (known >= 0 && r->list[known].group == group && r->list[known].rank == rank) return;
    rank_log *l = new_log(r, (int32_t)rank, group);
    if (l == NULL) return;
    l->n_ranks = (int32_t)n;
    l->process = rank_process(r, line, info);
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
    const bool sends = strncmp(info, "Send:", 5) == 0,
               message = sends || strncmp(info, "Recv:", 5) == 0;
    call->seq = message ? ++l->n_messages : ++l->n_collectives;
    call->name = word(r, info, (size_t)(colon - info));
    call->n_in = number_behind(info, " count ", 0);
    call->n_out = call->n_in;
    if (type >= 0 && type < 12) call->dtype = word(r, types[type], strlen(types[type]));
    call->op = (int32_t)(number_behind(info, " op ", -1) & 0xffff);
    call->root = (int32_t)(number_behind(info, " root ", -1) & 0xffffff);
    if (!message) return;
    call->peer = call->root;
    call->sends = sends;
    call->root = -1;
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

/* ------------------------------------------------------------------ who is who */

/* Whose messages are: the other one of two, if their numbers in the whole job are not known; of more they are dropped. */
static void name_peers(rank_log *l, bool whole) {
    int64_t n = 0;
    for (int64_t i = 0; i < l->n; i++) {
        rs_call call = l->calls[i];
        if (call.peer >= 0 && call.peer >= l->n_ranks) continue;
        if (call.peer >= 0 && !whole && l->n_ranks != 2) continue;
        if (call.peer >= 0 && !whole) call.peer = RS_OTHER_PEER;
        l->calls[n++] = call;
    }
    l->n = n;
}

/* Gives NCCL's ranks their numbers in the whole job. */
static void name_ranks(log_reader *r) {
    const rank_log **largest = rs_heap_zeros(r->heap, r->processes.n * sizeof *largest);
    int32_t *rank = rs_heap_take(r->heap, (size_t)r->n * sizeof *rank);
    if (largest == NULL || rank == NULL) {
        r->failed = true;
        return;
    }
    for (int32_t i = 0; i < r->n; i++) {
        const rank_log *l = &r->list[i], *best = largest[l->process];
        if (l->process > 0 && (best == NULL || l->n_ranks > best->n_ranks)) largest[l->process] = l;
    }
    for (int32_t i = 0; i < r->n; i++) {
        const rank_log *best = largest[r->list[i].process];
        rank[i] = best != NULL ? best->rank : r->list[i].rank;
    }
    for (int32_t i = 0; i < r->n; i++) {
        rank_log *l = &r->list[i];
        const rank_log *best = largest[l->process];
        if (best != NULL) name_peers(l, l->n_ranks == best->n_ranks);
    }
    for (int32_t i = 0; i < r->n; i++) {
        rank_log *l = &r->list[i];
        const rank_log *best = largest[l->process];
        l->rank = rank[i];
        if (best != NULL && best != l && l->n_ranks < best->n_ranks) l->n_ranks = 0;
    }
}

/* ------------------------------------------------------------------ dumps of it */

static int by_rank(const void *left, const void *right) {
    const rank_log *a = left, *b = right;
    int by = rs_number_order(a->rank, b->rank);
    if (by == 0) by = rs_number_order(a->group, b->group);
    return by != 0 ? by : rs_number_order(a->process, b->process);
}

/* One rank's part of the list as a dump. */
static bool make_dump(const log_reader *r, const rank_log list[], int32_t n, rs_dump *d) {
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
        const bool all = list[i].n_ranks == 0 && strcmp(name, "0") == 0;
        const int32_t n_ranks = list[i].n_ranks;
        rs_call_group *g = &d->groups[i];
        *g = (rs_call_group){.name = list[i].group,
                             .desc = list[i].desc,
                             .n_ranks = all ? RS_ALL_RANKS : n_ranks,
                             .last_seq = list[i].enqueued};
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
    if (!rs_texts_begin(&r.words, &kept) || !rs_texts_begin(&r.comms, &heap) ||
        !rs_texts_begin(&r.processes, &heap)) {
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
    name_rest(&r);
    name_ranks(&r);
    if (!r.launched) {
        complete_watchdog(&r);
        forget_numbers(&r);
    }
    if (r.n == 0) {
        return rs_fail(error, RS_BAD_INPUT,
                       N_("it is no dump of a flight recorder, and tells of no call"));
    }
    qsort(r.list, (size_t)r.n, sizeof *r.list, by_rank);
    *dumps = rs_heap_take(&kept, (size_t)r.n * sizeof **dumps);
    int32_t n = 0;
    for (int32_t i = 0, end; i < r.n && *dumps != NULL && !r.failed; i = end) {
        for (end = i + 1; end < r.n && r.list[end].rank == r.list[i].rank;) end++;
        r.failed = !make_dump(&r, r.list + i, end - i, &(*dumps)[n++]);
    }
    if (*dumps == NULL || r.failed) return rs_fail(error, RS_NO_MEMORY, N_("no memory to read it"));
    *n_dumps = n;
    return RS_OK;
}
