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

/* ------------------------------------------------------------------ plain data */

int64_t rs_rec_integer_or_text(const rs_recorder *r, const rs_datum *d, int64_t otherwise) {
    char text[24];
    if (d->kind != RS_DATUM_TEXT) return rs_rec_integer_of(d, otherwise);
    const rs_text *w = &r->words->list[d->word];
    if (w->n_bytes == 0 || w->n_bytes >= sizeof text) return otherwise;
    memcpy(text, w->text, w->n_bytes);
    text[w->n_bytes] = '\0';
    return strtoll(text, NULL, 10);
}

const rs_datum *rs_rec_member(rs_recorder *r, const rs_datum *dict, uint32_t word) {
    if (dict == NULL || dict->kind != RS_DATUM_DICT || !rs_rec_spend(r, dict->items->n))
        return NULL;
    for (uint32_t i = 0; i + 1 < dict->items->n; i += 2) {
        const rs_datum *key = &dict->items->at[i];
        if (key->kind == RS_DATUM_TEXT && key->word == word) return key + 1;
    }
    return NULL;
}

uint32_t rs_rec_keep_word(rs_recorder *r, uint32_t word) {
    if (word < r->n_kept_of && r->kept_of[word] != 0) return r->kept_of[word];
    const rs_text *w = &r->words->list[word];
    const int64_t kept = rs_text_kept(&r->kept, w->text, w->n_bytes);
    if (kept == RS_NO_TEXT) return 0;
    if (word < r->n_kept_of) r->kept_of[word] = (uint32_t)kept;
    return (uint32_t)kept;
}

/* ------------------------------------------------------------------ groups */

/* Reads "[0, 1, 7]", or a list of numbers; returns how many, out NULL: only counts. */
static int32_t read_ranks(const rs_recorder *r, const rs_datum *ranks, int32_t *out) {
    int32_t n = 0;
    if (ranks != NULL && rs_rec_is_list(ranks)) {
        for (uint32_t i = 0; i < ranks->items->n && n < INT32_MAX / 8; i++) {
            const int64_t rank = rs_rec_integer_of(&ranks->items->at[i], -1);
            if (rank < 0 || rank > INT32_MAX / 2) continue;
            if (out != NULL) out[n] = (int32_t)rank;
            n++;
        }
        return n;
    }
    if (ranks == NULL || ranks->kind != RS_DATUM_TEXT) return 0;
    const rs_text *w = &r->words->list[ranks->word];
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

static bool make_room(rs_recorder *r) {
    rs_dump *d = r->dump;
    rs_call_group *groups =
        rs_heap_grow(r->keep, d->groups, d->n_groups, &r->groups_room, sizeof *groups);
    if (groups == NULL) return false;
    d->groups = groups;
    return true;
}

int32_t rs_rec_group_named(rs_recorder *r, uint32_t word, const rs_datum *ranks) {
    rs_dump *d = r->dump;
    if (word >= r->n_kept_of) return -1;
    if (r->group_at[word] > 0) return r->group_at[word] - 1;
    if (d->n_groups == RS_REC_GROUPS || !make_room(r)) return -1;
    const int32_t n = read_ranks(r, ranks, NULL);
    rs_call_group made = {
        .name = rs_rec_keep_word(r, word), .n_ranks = n, .last_seq = -1, .last_completed = -1};
    made.ranks = rs_heap_take(r->keep, (size_t)n * sizeof *made.ranks);
    if (made.ranks == NULL) return -1;
    read_ranks(r, ranks, made.ranks);
    r->group_at[word] = d->n_groups + 1;
    d->groups[d->n_groups] = made;
    return d->n_groups++;
}

void rs_rec_groups(rs_recorder *r, const rs_datum *config) {
    if (config == NULL || config->kind != RS_DATUM_DICT) return;
    int64_t left = 1 << 24; /* many names may share one long text of ranks */
    for (uint32_t i = 0; i + 1 < config->items->n && i < 2 * RS_REC_GROUPS && left > 0; i += 2) {
        const rs_datum *name = &config->items->at[i], *about = name + 1;
        const rs_datum *ranks = rs_rec_member(r, about, W_ranks);
        if (name->kind != RS_DATUM_TEXT) continue;
        const int32_t g = rs_rec_group_named(r, name->word, ranks);
        if (g < 0) return;
        const rs_datum *desc = rs_rec_member(r, about, W_desc);
        if (desc != NULL && desc->kind == RS_DATUM_TEXT) {
            r->dump->groups[g].desc = rs_rec_keep_word(r, desc->word);
        }
        left -= r->dump->groups[g].n_ranks;
    }
}

uint32_t rs_rec_group_word(const rs_datum *d) {
    if (rs_rec_is_list(d) && d->items->n > 0) d = &d->items->at[0];
    return d->kind == RS_DATUM_TEXT ? d->word : 0;
}

/* ------------------------------------------------------------------ how far they have come */

bool rs_rec_note_entry(rs_recorder *r, int32_t group, int64_t pg_id, bool message, int64_t seq) {
    while (group >= r->entries_room) {
        const int64_t before = r->entries_room;
        rs_group_entries *longer =
            rs_heap_grow(r->pieces, r->entries, before, &r->entries_room, sizeof *longer);
        if (longer == NULL) return false;
        for (int64_t g = before; g < r->entries_room; g++) {
            longer[g] = (rs_group_entries){.last_seq = -1};
        }
        r->entries = longer;
    }
    rs_group_entries *e = &r->entries[group];
    e->id = pg_id;
    e->messages = e->messages || message;
    if (!message && seq > e->last_seq) e->last_seq = seq;
    return true;
}

static void take_status(rs_recorder *r, int32_t group, const rs_datum *about) {
    const rs_group_entries *e = &r->entries[group];
    rs_call_group *g = &r->dump->groups[group];
    const rs_datum *last = rs_rec_member(r, about, W_last_enqueued_collective);
    const rs_datum *over = rs_rec_member(r, about, W_last_completed_collective);
    if (last == NULL || over == NULL || e->messages) return;
    const int64_t enqueued = rs_rec_integer_or_text(r, last, -1);
    const int64_t completed = rs_rec_integer_or_text(r, over, -1);
    if (enqueued == e->last_seq && completed <= enqueued) g->last_completed = completed;
}

/* What pg_status says of a group; NULL: nothing. */
static const rs_datum *status_of(rs_recorder *r, const rs_datum *status, int32_t group) {
    char id[24];
    if (status == NULL || status->kind != RS_DATUM_DICT || group >= r->entries_room) return NULL;
    if (r->entries[group].last_seq < 0) return NULL;
    snprintf(id, sizeof id, "%lld", (long long)r->entries[group].id);
    const int64_t word = rs_text_kept(r->words, id, strlen(id));
    return word == RS_NO_TEXT ? NULL : rs_rec_member(r, status, (uint32_t)word);
}

void rs_rec_status(rs_recorder *r, const rs_datum *status) {
    for (int32_t g = 0; g < r->dump->n_groups; g++) {
        const rs_datum *about = status_of(r, status, g);
        if (about != NULL) take_status(r, g, about);
    }
}

bool rs_rec_is_beyond(rs_recorder *r, const rs_datum *status, const rs_call *call) {
    const rs_datum *about = status_of(r, status, call->group);
    const rs_datum *last = rs_rec_member(r, about, W_last_enqueued_collective);
    return last != NULL && rs_rec_integer_or_text(r, last, INT64_MAX) < call->seq;
}
