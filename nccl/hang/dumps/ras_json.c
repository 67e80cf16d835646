/* ras_json.c: how many calls of each kind the ranks have launched, as NCCL's RAS reports it in JSON.
 *
 *     {communicators [{hash, size, ranks [{rank, host, pid, cuda_dev, collective_counts {AllReduce: 6650}}]}]}
 *
 *   - Each kind of a communicator is a group of its own: the report has counts, but no order among kinds.
 *   - Ranks are numbered as in the first of the largest communicators; those of others are the same processes.
 *   - Who is missing there has no dump here.
 */
#include "ras.h"

#include <string.h>

#define KNOWN(word)                                                                                \
    word(communicators) word(hash) word(size) word(ranks) word(rank) word(host) word(pid)          \
        word(cuda_dev) word(collective_counts)
#define NUMBER_OF(word) W_##word,
#define TEXT_OF(word) #word,
enum { W_NOTHING, KNOWN(NUMBER_OF) W_END };
static const char *const known_words[] = {KNOWN(TEXT_OF)};

enum { MOST_COMMS = 4096 };

/* A process of the largest communicator; its number is its place. */
typedef struct ras_process {
    uint32_t host;
    int64_t pid, device;
    bool known;
} ras_process;

typedef struct ras_reader {
    rn_tree tree;
    rs_heap *heap, *keep;
    ras_process *processes; /* [dumps.n] */
    rn_ras_dumps dumps;
    bool cut; /* the file ends too early */
} ras_reader;

static const rn_datum *member(ras_reader *r, const rn_datum *dict, uint32_t word) {
    return rn_tree_member(&r->tree, dict, word);
}

static int64_t integer(ras_reader *r, const rn_datum *dict, uint32_t word) {
    return rn_tree_integer(&r->tree, member(r, dict, word), -1);
}

static ras_process process_of(ras_reader *r, const rn_datum *rank) {
    const rn_datum *host = member(r, rank, W_host);
    return (ras_process){.host = host != NULL && host->kind == RN_DATUM_TEXT ? host->word : 0,
                         .pid = integer(r, rank, W_pid),
                         .device = integer(r, rank, W_cuda_dev),
                         .known = true};
}

/* Returns the number of a process; -1: it is not in the largest communicator. */
static int32_t number_of(ras_reader *r, const ras_process *p, int64_t near) {
    rn_tree_spend(&r->tree, (uint32_t)r->dumps.n);
    for (int32_t k = 0; k < r->dumps.n; k++) {
        const int32_t i = (int32_t)((near + k) % r->dumps.n);
        const ras_process *q = &r->processes[i];
        if (q->known && q->host == p->host && q->pid == p->pid && q->device == p->device) return i;
    }
    return -1;
}

static const rn_datum *ranks_of(ras_reader *r, const rn_datum *comm) {
    const rn_datum *ranks = member(r, comm, W_ranks);
    return rn_is_list(ranks) ? ranks : NULL;
}

/* Numbers the processes of the largest communicator. */
static bool number_processes(ras_reader *r, const rn_datum *comms) {
    const rn_datum *largest = NULL;
    int32_t n_most = 0;
    for (uint32_t c = 0; c < comms->items->n && c < MOST_COMMS; c++) {
        const int64_t n = integer(r, &comms->items->at[c], W_size);
        if (n <= n_most || n > RN_RAS_RANKS) continue;
        n_most = (int32_t)n;
        largest = &comms->items->at[c];
    }
    r->processes = rs_heap_take(r->heap, (size_t)n_most * sizeof *r->processes);
    if (r->processes == NULL || !rn_ras_begin(&r->dumps, n_most, r->heap, r->keep)) return false;
    const rn_datum *ranks = ranks_of(r, largest);
    for (uint32_t i = 0; ranks != NULL && i < ranks->items->n; i++) {
        const int64_t rank = integer(r, &ranks->items->at[i], W_rank);
        if (rank >= 0 && rank < n_most) r->processes[rank] = process_of(r, &ranks->items->at[i]);
    }
    return true;
}

/* One kind of calls of a communicator. numbers: of the ranks listed, -1 where unknown. */
static void take_kind(ras_reader *r, const rn_datum *ranks, const rs_text *hash, uint32_t kind,
                      const int32_t numbers[], int32_t members[], int32_t n_members) {
    const rs_text *k = &r->tree.words.list[kind];
    rn_call_group group = {.name = rn_keep_printed(&r->dumps.words, "%.*s %.*s",
                                                   hash->n_bytes < 60 ? (int)hash->n_bytes : 60,
                                                   hash->text,
                                                   k->n_bytes < 60 ? (int)k->n_bytes : 60, k->text),
                           .n_ranks = n_members,
                           .ranks = members};
    const uint32_t call = rn_keep_text(&r->dumps.words, k->text, k->n_bytes);
    for (uint32_t i = 0; i < ranks->items->n && r->tree.left > 0; i++) {
        group.last_seq = integer(r, member(r, &ranks->items->at[i], W_collective_counts), kind);
        if (numbers[i] >= 0 && group.last_seq >= 0)
            rn_ras_add(&r->dumps, numbers[i], &group, call, false);
    }
}

static void take_comm(ras_reader *r, const rn_datum *comm) {
    const rn_datum *ranks = ranks_of(r, comm), *hash = member(r, comm, W_hash);
    const int64_t size = integer(r, comm, W_size);
    if (ranks == NULL || ranks->items->n == 0 || hash == NULL || hash->kind != RN_DATUM_TEXT)
        return;
    const uint32_t n = ranks->items->n;
    int32_t *numbers = rs_heap_take(r->heap, (size_t)n * sizeof *numbers), n_members = 0;
    int32_t *members = rs_heap_take(r->keep, ((size_t)n + (size_t)r->dumps.n) * sizeof *members);
    if (numbers == NULL || members == NULL) return;
    for (uint32_t i = 0; i < n && r->tree.left > 0; i++) {
        const rn_datum *rank = &ranks->items->at[i];
        const ras_process p = process_of(r, rank);
        const int64_t near = integer(r, rank, W_rank);
        const bool torn = r->cut && rank->kind == RN_DATUM_DICT && rank->items->partial;
        numbers[i] = r->dumps.n > 0 && !torn ? number_of(r, &p, near > 0 ? near : 0) : -1;
        if (numbers[i] >= 0) members[n_members++] = numbers[i];
    }
    const bool whole =
        !r->cut || !ranks->items->partial; /* else who is not listed need not be missing */
    if (size == r->dumps.n && whole) {     /* all, those that are missing, too */
        for (n_members = 0; n_members < r->dumps.n; n_members++) members[n_members] = n_members;
    }
    const rn_datum *counts = member(r, &ranks->items->at[0], W_collective_counts);
    if (counts == NULL || counts->kind != RN_DATUM_DICT || r->tree.left <= 0) return;
    for (uint32_t i = 0; i + 1 < counts->items->n && i < 2 * RN_RAS_KINDS; i += 2) {
        const rn_datum *key = &counts->items->at[i];
        if (key->kind != RN_DATUM_TEXT) continue;
        take_kind(r, ranks, &r->tree.words.list[hash->word], key->word, numbers, members,
                  n_members);
    }
}

rs_status rn_read_ras(const char *bytes, size_t n_bytes, rs_arena *scratch, rs_arena *keep,
                      rs_error *error, rn_dump **dumps, int32_t *n_dumps) {
    rs_heap heap = {.arena = scratch}, kept = {.arena = keep};
    ras_reader r = {.heap = &heap, .keep = &kept};
    rn_datum top;
    if (!rn_tree_begin(&r.tree, &heap, n_bytes, known_words, W_END - 1)) return rs_no_memory(error);
    /* Who asks the server without ncclras reads its greetings before: "SERVER PROTOCOL 2", "OK". */
    const char *open = n_bytes > 0 ? memchr(bytes, '{', n_bytes) : NULL;
    const size_t skipped = open != NULL ? (size_t)(open - bytes) : 0;
    const rs_status status =
        rn_read_json(bytes + skipped, n_bytes - skipped, &r.tree.words, error, &top, &r.cut);
    if (status != RS_OK) return status;
    const rn_datum *comms = member(&r, &top, W_communicators);
    if (!rn_is_list(comms)) {
        return rs_fail(error, RS_BAD_INPUT, "it has no communicators: this is no report of RAS");
    }
    if (!number_processes(&r, comms)) return rs_no_memory(error);
    for (uint32_t c = 0; c < comms->items->n && c < MOST_COMMS && r.tree.left > 0; c++)
        take_comm(&r, &comms->items->at[c]);
    return scratch->lacked ? rs_no_memory(error)
                           : rn_ras_end(&r.dumps, r.cut, error, dumps, n_dumps);
}

/* ------------------------------------------------------------------ dumps of either */

bool rn_ras_begin(rn_ras_dumps *d, int32_t n, rs_heap *heap, rs_heap *keep) {
    *d = (rn_ras_dumps){.keep = keep, .n = n};
    d->list = rs_heap_take(keep, (size_t)n * sizeof *d->list);
    d->room = rs_heap_take(heap, (size_t)n * sizeof *d->room);
    return d->list != NULL && d->room != NULL && rs_texts_begin(&d->words, keep, NULL, 0);
}

void rn_ras_add(rn_ras_dumps *dumps, int32_t rank, const rn_call_group *group, uint32_t call,
                bool always) {
    rn_dump *d = &dumps->list[rank];
    int32_t calls_room = dumps->room[rank];
    if (!rs_heap_reserve(dumps->keep, &d->calls, d->n_groups + 1, &calls_room) ||
        !rs_heap_reserve(dumps->keep, &d->groups, d->n_groups + 1, &dumps->room[rank]))
        return;
    if (group->last_seq > 0 || always)
        d->calls[d->n_calls++] = (rn_call){.seq = group->last_seq,
                                           .name = call,
                                           .group = d->n_groups,
                                           .peer = -1,
                                           .root = -1,
                                           .op = -1};
    d->groups[d->n_groups++] = *group;
}

rs_status rn_ras_end(rn_ras_dumps *dumps, bool cut, rs_error *error, rn_dump **list, int32_t *n) {
    const char **words = rn_list_words(dumps->keep, &dumps->words);
    if (words == NULL || dumps->keep->arena->lacked) return rs_no_memory(error);
    *list = dumps->list;
    *n = 0;
    for (int32_t rank = 0; rank < dumps->n; rank++) {
        rn_dump d = dumps->list[rank];
        const bool known = d.n_groups > 0;
        if (!known && !cut) continue;
        cut = cut && known;
        d.rank = rank;
        d.whole = known;
        d.cut = !known;
        d.launched = true;
        d.words = words;
        d.n_words = dumps->words.n;
        dumps->list[(*n)++] = d;
    }
    const bool any = *n > 1 || (*n == 1 && !dumps->list[0].cut);
    return any ? RS_OK : rs_fail(error, RS_BAD_INPUT, "it names no rank's calls");
}
