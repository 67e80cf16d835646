/* read_recorder.c: what a flight recorder's dump says of a rank's calls: the fields that a diagnosis needs, of versions
 * 2.1 to 2.10.
 *
 *     {version, pg_config {name: {ranks "[0, 1]"}}, entries [{process_group, collective_seq_id, ...}]}
 *
 *   - Only known fields at known depths are looked at. Lines of a stack count up to 64, tensors up to 4,096.
 *   - An entry that the end of the file cut through is left out.
 *   - Members of a coalesced group have no state of their own: the entry that closes it has it. Behind messages it has
 *     their p2p_seq_id, but is_p2p is false (PyTorch 2.11).
 *   - A call that is stuck before the GPU has begun it (its communicator is being made) is "completed": the event behind it
 *     was never recorded. The watchdog has not seen its end ("retired" is false), but the dump itself.
 */
#include "recorder.h"
#include "ringsim_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const known_words[] = {KNOWN(TEXT_OF)};

enum { MOST_FRAMES = 64, MOST_TENSORS = 4096, MOST_DIMENSIONS = 64 };
static const int64_t SEEN_NS = 5000000000; /* the watchdog looks ten times a second */
static const int64_t most_elements = (int64_t)1 << 60;

/* ------------------------------------------------------------------ an entry */

/* Elements of all tensors together: a list of lists of dimensions. */
static int64_t elements_of(rn_recorder *r, const rn_datum *sizes) {
    int64_t sum = 0;
    if (!rn_is_list(sizes)) return 0;
    for (uint32_t t = 0; t < sizes->items->n && t < MOST_TENSORS; t++) {
        const rn_datum *tensor = &sizes->items->at[t];
        int64_t product = 1;
        if (!rn_is_list(tensor) || !rn_tree_spend(&r->tree, tensor->items->n + 1)) continue;
        for (uint32_t i = 0; i < tensor->items->n && i < MOST_DIMENSIONS; i++) {
            const int64_t n = rn_integer_of(&tensor->items->at[i], 0);
            if (n < 0 || (n > 0 && product > most_elements / n)) return most_elements;
            product *= n;
        }
        sum += product;
        if (sum > most_elements) return most_elements;
    }
    return sum;
}

/* Tells whether a file is part of PyTorch: nobody looks for his mistake there. */
static bool is_torch(rn_recorder *r, uint32_t file) {
    static const char *const inside[] = {"/torch/", "torch/distributed/", "contextlib.py"};
    const rs_text *w = &r->tree.words.list[file];
    if (!rs_heap_reserve(r->pieces, &r->torch, file + 1, &r->torch_room)) return false;
    for (size_t i = 0; i < sizeof inside / sizeof *inside && r->torch[file] == 0; i++) {
        if (rn_find_bytes(w->text, w->text + w->n_bytes, inside[i]) != NULL) r->torch[file] = 1;
    }
    if (r->torch[file] == 0) r->torch[file] = -1;
    return r->torch[file] > 0;
}

/* {name, filename, line}, innermost first: where a call comes from is the first that is not PyTorch's own; the first of all
   where none is. */
static void read_frames(rn_recorder *r, const rn_datum *frames, rn_call *call) {
    bool own = false;
    if (!rn_is_list(frames)) return;
    for (uint32_t i = 0; i < frames->items->n && i < MOST_FRAMES; i++) {
        const rn_datum *frame = &frames->items->at[i];
        const rn_datum *file = rn_tree_member(&r->tree, frame, W_filename),
                       *line = rn_tree_member(&r->tree, frame, W_line);
        if (file == NULL || file->kind != RN_DATUM_TEXT) continue;
        const rs_text *name = &r->tree.words.list[file->word];
        const uint32_t number = (uint32_t)rn_tree_integer(&r->tree, line, 0) & 0x7fffffff;
        const bool first_own = !own && !is_torch(r, file->word);
        if (first_own || call->where == 0)
            call->where = rn_keep_printed(&r->kept, "%.*s:%u",
                                          name->n_bytes < 1000 ? (int)name->n_bytes : 1000,
                                          name->text, (unsigned)number);
        if (first_own) call->stack = 0; /* PyTorch's own only tell the operation once more */
        own = own || first_own;
        call->stack = rs_mix(call->stack ^ ((uint64_t)name->hash << 32 | number));
    }
}

/* "nccl:send 0->1", "nccl:recv 1<-0": ranks as numbered in the group. */
static void read_name(rn_recorder *r, const rn_datum *d, rn_call *call) {
    if (d->kind != RN_DATUM_TEXT) return;
    const rs_text *w = &r->tree.words.list[d->word];
    const char *colon = w->n_bytes > 0 ? memchr(w->text, ':', w->n_bytes) : NULL;
    const char *text = colon != NULL ? colon + 1 : w->text, *end = w->text + w->n_bytes;
    if (end - text > 5 && (memcmp(text, "send ", 5) == 0 || memcmp(text, "recv ", 5) == 0)) {
        char peer[24] = "";
        const char *at = end;
        while (at > text && at[-1] >= '0' && at[-1] <= '9' && end - at < 10) at--;
        memcpy(peer, at, (size_t)(end - at));
        call->peer = peer[0] != '\0' ? (int32_t)strtol(peer, NULL, 10) & 0x3fffffff : -1;
        call->sends = text[0] == 's';
        end = text + 4;
    }
    call->name = rn_keep_text(&r->kept, text, (size_t)(end - text));
}

typedef struct entry_numbers {
    int64_t seq, p2p_seq;
    uint32_t group;
    int64_t pg_id;
    bool p2p, not_retired;
} entry_numbers;

/* Times are subtracted from each other: what cannot be one is none. */
static int64_t time_of(const rn_datum *d) {
    const int64_t ns = rn_integer_of(d, 0);
    return ns > 0 && ns < INT64_MAX / 4 ? ns : 0;
}

/* Of what goes in and what comes out; "Float, Half" where they are not one. */
static void read_type(rn_recorder *r, const rn_datum *d, rn_call *call) {
    if (rn_is_list(d) && d->items->n > 0) d = &d->items->at[0];
    const uint32_t type = d->kind == RN_DATUM_TEXT ? rn_rec_keep_word(r, d->word) : 0;
    if (type == 0 || type == call->dtype) return;
    if (call->dtype != 0) {
        call->dtype = rn_keep_printed(&r->kept, "%.30s, %.30s", r->kept.list[call->dtype].text,
                                      r->kept.list[type].text);
    } else {
        call->dtype = type;
    }
}

static void read_field(rn_recorder *r, uint32_t key, const rn_datum *d, entry_numbers *n,
                       rn_call *call) {
    switch (key) {
    case W_process_group: n->group = rn_rec_group_word(d); break;
    case W_pg_name:
        if (n->group == 0) n->group = rn_rec_group_word(d);
        break;
    case W_pg_id: n->pg_id = rn_tree_integer(&r->tree, d, -1); break;
    case W_collective_seq_id:
    case W_seq_id: n->seq = rn_tree_integer(&r->tree, d, -1); break;
    case W_p2p_seq_id: n->p2p_seq = rn_tree_integer(&r->tree, d, -1); break;
    case W_is_p2p: n->p2p = d->kind == RN_DATUM_BOOL && d->integer != 0; break;
    case W_retired: n->not_retired = d->kind == RN_DATUM_BOOL && d->integer == 0; break;
    case W_profiling_name: read_name(r, d, call); break;
    case W_input_sizes: call->n_in = elements_of(r, d); break;
    case W_output_sizes: call->n_out = elements_of(r, d); break;
    case W_input_dtypes:
    case W_output_dtypes: read_type(r, d, call); break;
    case W_time_created_ns: call->created_ns = time_of(d); break;
    case W_time_discovered_completed_ns:
        call->completed_ns = time_of(d);
        if (d->kind == RN_DATUM_INTEGER) call->state = RN_CALL_COMPLETED;
        break;
    case W_duration_ms:
        if (d->kind == RN_DATUM_REAL && d->real > 0 && d->real < 1e12) {
            call->lasted_ns = (int64_t)(d->real * 1e6);
        }
        break;
    case W_state:
        if (d->kind != RN_DATUM_TEXT) break;
        if (d->word == W_completed) call->state = RN_CALL_COMPLETED;
        if (d->word == W_started && call->state < RN_CALL_STARTED) call->state = RN_CALL_STARTED;
        break;
    case W_frames: read_frames(r, d, call); break;
    default: break;
    }
}

/* The group's number, by name, or by pg_id in versions that had no name; -1: none. */
static int32_t group_of(rn_recorder *r, const entry_numbers *n) {
    if (n->group != 0) return rn_rec_group_named(r, n->group, NULL);
    const uint32_t word = rn_keep_printed(&r->tree.words, "%lld", (long long)n->pg_id);
    return word > 0 ? rn_rec_group_named(r, word, NULL) : -1;
}

static bool is_coalesced(const rn_recorder *r, const rn_call *call) {
    const rs_text *w = &r->kept.list[call->name];
    return w->n_bytes == 9 && memcmp(w->text, "coalesced", 9) == 0;
}

/* Does the entry close the messages before it? */
static bool closes_messages(const rn_recorder *r, int32_t group, const entry_numbers *n) {
    const rn_dump *d = r->dump;
    if (n->p2p || d->n_calls == 0) return n->p2p;
    const rn_call *last = &d->calls[d->n_calls - 1];
    return last->peer >= 0 && last->group == group && last->seq == n->p2p_seq;
}

static bool read_entry(rn_recorder *r, const rn_datum *entry, rn_call *call) {
    entry_numbers n = {.seq = -1, .p2p_seq = -1, .pg_id = 0};
    if (entry->kind != RN_DATUM_DICT || entry->items->partial) return false;
    if (!rn_tree_spend(&r->tree, entry->items->n)) return false;
    *call = (rn_call){.peer = -1, .root = -1, .op = -1};
    for (uint32_t i = 0; i + 1 < entry->items->n; i += 2) {
        const rn_datum *key = &entry->items->at[i];
        if (key->kind == RN_DATUM_TEXT && key->word < W_END) {
            read_field(r, key->word, key + 1, &n, call);
        }
    }
    call->group = group_of(r, &n);
    if (call->group < 0 || call->name == 0) return false;
    const bool closes = is_coalesced(r, call);
    const bool p2p = call->peer >= 0 || (closes && closes_messages(r, call->group, &n));
    call->seq = p2p && n.p2p_seq >= 0 ? n.p2p_seq : n.seq;
    const rn_call_group *g = &r->dump->groups[call->group];
    if (call->peer >= 0 && g->n_ranks > 0) {
        call->peer = call->peer < g->n_ranks ? g->ranks[call->peer] : -1;
    }
    if (call->seq < 0) return false;
    const bool message = n.p2p || call->peer >= 0 || closes;
    const bool late = call->completed_ns - call->created_ns > SEEN_NS && call->created_ns > 0;
    r->last_unseen = n.not_retired && late;
    return rn_rec_note_entry(r, call->group, n.pg_id, message, call->seq);
}

/* ------------------------------------------------------------------ the whole */

/* The last call of all may have been stuck before the GPU began it. Calls before it were over when it came. */
static void reopen_last(rn_recorder *r, const rn_datum *status) {
    rn_dump *d = r->dump;
    if (!r->last_unseen || d->n_calls == 0) return;
    rn_call *last = &d->calls[d->n_calls - 1];
    const bool message =
        last->peer >= 0 || (is_coalesced(r, last) && d->n_calls > 1 && last[-1].peer >= 0);
    if (!message && !rn_rec_is_beyond(r, status, last)) return;
    last->state = RN_CALL_SCHEDULED;
    last->completed_ns = 0;
}

/* The entry that closes a coalesced group says how far all of them are; it is no call itself. Where the first group of a dump begins
   at what is left of it, it may have lost some: nobody needs the rest, unless nothing comes behind. */
static void close_coalesced(rn_recorder *r) {
    rn_dump *d = r->dump;
    int64_t n = 0, from = 0; /* where the group begins at the earliest */
    bool closed = false;     /* a group came before */
    for (int64_t i = 0; i < d->n_calls; i++) {
        const rn_call call = d->calls[i];
        const bool closes = is_coalesced(r, &call);
        int64_t j = n;
        if (closes) {
            while (j > from && d->calls[j - 1].group == call.group &&
                   d->calls[j - 1].seq == call.seq) {
                d->calls[--j].state = call.state;
                d->calls[j].completed_ns = call.completed_ns;
                d->calls[j].lasted_ns = call.lasted_ns;
            }
        }
        const bool torn = !d->whole && !closed && closes && j == 0;
        closed = closed || closes;
        if (torn && i + 1 < d->n_calls) {
            d->torn = call.state != RN_CALL_COMPLETED;
            n = 0;
            continue;
        }
        if (j == n) d->calls[n++] = call;
        if (j < n && closes) from = n;
    }
    while (d->cut && n > from && d->calls[n - 1].peer >= 0) n--; /* what closes them may be lost */
    d->n_calls = n;
}

static rs_status read_entries(rn_recorder *r, const rn_datum *entries, const rn_datum *status,
                              rs_error *error) {
    rn_dump *d = r->dump;
    const uint32_t n = entries->items->n;
    d->calls = rs_heap_take(r->keep, (size_t)n * sizeof *d->calls);
    if (d->calls == NULL) return rs_no_memory(error);
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0) {
            const rn_datum *id = rn_tree_member(&r->tree, &entries->items->at[0], W_record_id);
            d->whole = rn_integer_of(id, 0) == 0;
        }
        if (read_entry(r, &entries->items->at[i], &d->calls[d->n_calls])) d->n_calls++;
    }
    reopen_last(r, status);
    close_coalesced(r);
    return RS_OK;
}

static rs_status read_top(rn_recorder *r, const rn_datum *top, rs_error *error) {
    const rn_datum *entries = rn_tree_member(&r->tree, top, W_entries),
                   *config = rn_tree_member(&r->tree, top, W_pg_config),
                   *groups = rn_tree_member(&r->tree, top, W_pg_status);
    rn_dump *d = r->dump;
    if (entries == NULL && config == NULL) {
        return rs_fail(error, RS_BAD_INPUT, "it has no entries: this is no flight recorder's dump");
    }
    rn_rec_groups(r, config);
    if (rn_is_list(entries)) {
        const rs_status status = read_entries(r, entries, groups, error);
        if (status != RS_OK) return status;
    }
    rn_rec_status(r, groups);
    d->words = rn_list_words(r->keep, &r->kept);
    if (d->words == NULL || r->pieces->arena->lacked || r->keep->arena->lacked)
        return rs_no_memory(error);
    d->n_words = r->kept.n;
    return RS_OK;
}

rs_status rn_read_recorder(const char *bytes, size_t n_bytes, rs_arena *scratch, rs_arena *keep,
                           rs_error *error, rn_dump *dump) {
    rs_heap pieces = {.arena = scratch}, kept = {.arena = keep};
    rn_datum top;
    rn_dump read = {.rank = -1, .whole = true};
    rn_recorder r = {.pieces = &pieces, .keep = &kept, .dump = &read};
    rs_texts *words = &r.tree.words;
    if (!rn_tree_begin(&r.tree, &pieces, n_bytes, known_words, W_END - 1) ||
        !rs_texts_begin(&r.kept, &kept, NULL, 0)) {
        return rs_no_memory(error);
    }
    r.group_keys.heap = &pieces;
    size_t at = 0;
    while (at < n_bytes && strchr(" \t\r\n", bytes[at]) != NULL && bytes[at] != '\0') at++;
    const bool json = at < n_bytes && bytes[at] == '{';
    const rs_status status = json ? rn_read_json(bytes, n_bytes, words, error, &top, &read.cut)
                                  : rn_read_pickle(bytes, n_bytes, words, error, &top, &read.cut);
    if (status != RS_OK) return status;
    const rs_status all = read_top(&r, &top, error);
    if (all == RS_OK) *dump = read;
    return all;
}
