/* recorder_groups.c: the groups that a flight recorder's dump names, and how far they have come.
 *
 *     pg_config {name: {ranks "[0, 1]", desc}}      pg_status {id: {last_enqueued_collective, last_completed_collective}}
 *
 *   - A status names its group by a number of the process, which entries give beside the name. It is believed where it
 *     agrees with them.
 */
#include "recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t rn_rec_keep_word(rn_recorder *r, uint32_t word) {
    const rs_text *w = &r->tree.words.list[word];
    return rn_keep_text(&r->kept, w->text, w->n_bytes);
}

/* ------------------------------------------------------------------ groups */

/* Reads "[0, 1, 7]", or a list of numbers; returns how many, out NULL: only counts. */
static int32_t read_ranks(const rn_recorder *r, const rn_datum *ranks, int32_t *out) {
    int32_t n = 0;
    if (rn_is_list(ranks)) {
        for (uint32_t i = 0; i < ranks->items->n && n < INT32_MAX / 8; i++) {
            const int64_t rank = rn_integer_of(&ranks->items->at[i], -1);
            if (rank < 0 || rank > INT32_MAX / 2) continue;
            if (out != NULL) out[n] = (int32_t)rank;
            n++;
        }
        return n;
    }
    if (ranks == NULL || ranks->kind != RN_DATUM_TEXT) return 0;
    const rs_text *w = &r->tree.words.list[ranks->word];
    for (uint32_t i = 0; i < w->n_bytes;) {
        int64_t rank = 0;
        uint32_t from = i;
        for (; i < w->n_bytes && w->text[i] >= '0' && w->text[i] <= '9'; i++) {
            if (rank < INT32_MAX / 2) rank = rank * 10 + (w->text[i] - '0');
        }
        if (i == from) {
            i++;
        } else if (rank <= INT32_MAX / 2) {
            if (out != NULL) out[n] = (int32_t)rank;
            n++;
        }
    }
    return n;
}

int32_t rn_rec_group_named(rn_recorder *r, uint32_t word, const rn_datum *ranks) {
    rn_dump *d = r->dump;
    const int64_t known = rs_text_find(&r->group_keys, &word, sizeof word);
    if (known != RS_NO_TEXT) return (int32_t)known;
    if (d->n_groups == RN_REC_GROUPS ||
        !rs_heap_reserve(r->keep, &d->groups, d->n_groups + 1, &r->groups_room))
        return -1;
    const int32_t n = read_ranks(r, ranks, NULL);
    rn_call_group made = {
        .name = rn_rec_keep_word(r, word), .n_ranks = n, .last_seq = -1, .last_completed = -1};
    made.ranks = rs_heap_take(r->keep, (size_t)n * sizeof *made.ranks);
    if (made.ranks == NULL || rs_text_kept(&r->group_keys, &word, sizeof word) == RS_NO_TEXT)
        return -1;
    read_ranks(r, ranks, made.ranks);
    d->groups[d->n_groups] = made;
    return d->n_groups++;
}

void rn_rec_groups(rn_recorder *r, const rn_datum *config) {
    if (config == NULL || config->kind != RN_DATUM_DICT) return;
    int64_t left = 1 << 24; /* many names may share one long text of ranks */
    for (uint32_t i = 0; i + 1 < config->items->n && i < 2 * RN_REC_GROUPS && left > 0; i += 2) {
        const rn_datum *name = &config->items->at[i], *about = name + 1;
        const rn_datum *ranks = rn_tree_member(&r->tree, about, W_ranks);
        if (name->kind != RN_DATUM_TEXT) continue;
        const int32_t g = rn_rec_group_named(r, name->word, ranks);
        if (g < 0) return;
        const rn_datum *desc = rn_tree_member(&r->tree, about, W_desc);
        if (desc != NULL && desc->kind == RN_DATUM_TEXT) {
            r->dump->groups[g].desc = rn_rec_keep_word(r, desc->word);
        }
        left -= r->dump->groups[g].n_ranks;
    }
}

uint32_t rn_rec_group_word(const rn_datum *d) {
    if (rn_is_list(d) && d->items->n > 0) d = &d->items->at[0];
    return d->kind == RN_DATUM_TEXT ? d->word : 0;
}

/* ------------------------------------------------------------------ how far they have come */

bool rn_rec_note_entry(rn_recorder *r, int32_t group, int64_t pg_id, bool message, int64_t seq) {
    const int64_t before = r->entries_room;
    if (!rs_heap_reserve(r->pieces, &r->entries, group + 1, &r->entries_room)) return false;
    for (int64_t g = before; g < r->entries_room; g++) r->entries[g].last_seq = -1;
    rn_group_entries *e = &r->entries[group];
    e->id = pg_id;
    e->messages = e->messages || message;
    if (!message && seq > e->last_seq) e->last_seq = seq;
    return true;
}

/* What pg_status says of a group; NULL: nothing. */
static const rn_datum *status_of(rn_recorder *r, const rn_datum *status, int32_t group) {
    if (status == NULL || status->kind != RN_DATUM_DICT || group >= r->entries_room) return NULL;
    if (r->entries[group].last_seq < 0) return NULL;
    const long long id = r->entries[group].id;
    return rn_tree_member(&r->tree, status, rn_keep_printed(&r->tree.words, "%lld", id));
}

void rn_rec_status(rn_recorder *r, const rn_datum *status) {
    for (int32_t g = 0; g < r->dump->n_groups; g++) {
        const rn_datum *about = status_of(r, status, g);
        if (about == NULL || r->entries[g].messages) continue;
        const rn_datum *last = rn_tree_member(&r->tree, about, W_last_enqueued_collective);
        const rn_datum *over = rn_tree_member(&r->tree, about, W_last_completed_collective);
        const int64_t enqueued = rn_tree_integer(&r->tree, last, -1),
                      completed = rn_tree_integer(&r->tree, over, -1);
        if (enqueued == r->entries[g].last_seq && completed <= enqueued)
            r->dump->groups[g].last_completed = completed;
    }
}

bool rn_rec_is_beyond(rn_recorder *r, const rn_datum *status, const rn_call *call) {
    const rn_datum *about = status_of(r, status, call->group);
    const rn_datum *last = rn_tree_member(&r->tree, about, W_last_enqueued_collective);
    return rn_tree_integer(&r->tree, last, INT64_MAX) < call->seq;
}
