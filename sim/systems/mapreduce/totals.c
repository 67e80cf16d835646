/* totals.c: merges the tables of the threads, part by part. See totals.h. */
#include "systems/mapreduce/totals.h"

#include <assert.h>
#include <string.h>

enum { PART_BITS = 6, LEAST = 256, TEXT_ROOM = RS_MR_MAX_WORD + RS_WORDS_LENGTH };
static_assert(1 << PART_BITS == RS_TOTALS_PARTS, "a part's number is so many bits of a hash");
static_assert((int)RS_WORDS_LEAST >= (int)RS_TOTALS_PARTS, "every part has a piece of every table");

void rs_totals_begin(rs_totals *totals, int32_t mapper, const rs_words lanes[], int32_t n_lanes) {
    totals->mapper = mapper;
    totals->lanes = lanes;
    totals->n_lanes = n_lanes;
    for (int32_t p = 0; p < RS_TOTALS_PARTS; p++) {
        rs_part *part = &totals->parts[p];
        part->lane = 0;
        part->slot = 0;
        memset(part->rows, 0, (size_t)totals->n_ranks * sizeof *part->rows);
    }
}

bool rs_totals_done(const rs_totals *totals, int32_t part) {
    return totals->parts[part].lane == totals->n_lanes;
}

/* ------------------------------------------------------------------ one word */

static bool is_same(const rs_part *part, const rs_total *entry, const rs_words *lane,
                    const rs_word_slot *slot) {
    if (entry->key[0] != slot->key[0]) return false;
    if (rs_word_inside(slot->key)) return entry->key[1] == slot->key[1];
    const char *ours = part->text + rs_word_offset(entry->key);
    const char *theirs = lane->text + rs_word_offset(slot->key);
    return !rs_word_inside(entry->key) && memcmp(ours, theirs, RS_WORDS_LENGTH) == 0 &&
           memcmp(ours, theirs, RS_WORDS_LENGTH + (size_t)rs_word_bytes(slot->key, lane->text)) ==
               0;
}

/* Finds the entry's place in the index: that of an equal one, or a free one. */
static uint32_t *find(const rs_part *part, const rs_words *lane, const rs_word_slot *slot,
                      uint32_t hash) {
    const size_t n_index = 2 * part->most_entries;
    for (size_t i = hash & (n_index - 1);; i = (i + 1) & (n_index - 1)) {
        uint32_t *at = &part->index[i];
        if (*at == 0) return at;
        const rs_total *entry = &part->entries[*at - 1];
        if (entry->hash == hash && is_same(part, entry, lane, slot)) return at;
    }
}

static rs_total *add_entry(const rs_totals *totals, rs_part *part, const rs_words *lane,
                           const rs_word_slot *slot, uint32_t hash) {
    char inside[RS_WORDS_INSIDE + 1]; /* a long word is taken from where it lies */
    const char *word = inside;
    rs_total *entry = &part->entries[part->n_entries++];
    *entry = (rs_total){.key = {slot->key[0], slot->key[1]}, .hash = hash};
    const int32_t n = rs_word_bytes(slot->key, lane->text);
    if (rs_word_inside(slot->key)) {
        rs_word_copy(slot->key, lane->text, inside);
    } else {
        word = lane->text + rs_word_offset(slot->key) + RS_WORDS_LENGTH;
        rs_word_keep(word, (size_t)n, part->text, &part->n_text, entry->key);
    }
    if (totals->op == RS_MR_MIN) entry->value.at = INT64_MAX;
    entry->reducer = (uint16_t)rs_mr_reducer(word, n, totals->n_ranks);
    return entry;
}

/* The lanes come in the order of the text, so a list stays sorted: two rings become one. */
static void fold(rs_total *entry, const rs_word_slot *slot, rs_mr_op op) {
    if (op == RS_MR_MIN && slot->value.at < entry->value.at) entry->value.at = slot->value.at;
    if (op == RS_MR_MAX && slot->value.at > entry->value.at) entry->value.at = slot->value.at;
    if (op == RS_MR_LIST) {
        rs_place *ours = entry->value.last, *theirs = slot->value.last;
        if (ours != NULL) {
            rs_place *first = ours->next;
            ours->next = theirs->next;
            theirs->next = first;
        }
        entry->value.last = theirs;
    }
    entry->count += slot->count;
}

static void note(const rs_totals *totals, rs_part *part, rs_total *entry, int32_t n_bytes,
                 uint64_t n_pairs) {
    rs_mr_row *row = &part->rows[entry->reducer];
    row->n_pairs += (int64_t)n_pairs;
    row->pair_bytes += (int64_t)n_pairs * n_bytes;
    if (entry->mapper == totals->mapper + 1) return;
    entry->mapper = (uint16_t)(totals->mapper + 1);
    row->n_words++;
    row->word_bytes += n_bytes;
}

/* ------------------------------------------------------------------ a part */

static bool is_full(const rs_part *part) {
    return part->n_entries == part->most_entries || part->text_bytes - part->n_text < TEXT_ROOM;
}

/* Merges one slot; false: there must be more room first. */
static bool merge_slot(const rs_totals *totals, rs_part *part, const rs_words *lane,
                       const rs_word_slot *slot, uint64_t hash) {
    const uint32_t rest = (uint32_t)(hash >> (64 - PART_BITS - 32));
    if (part->index == NULL || is_full(part)) return false;
    uint32_t *at = find(part, lane, slot, rest);
    if (*at == 0) {
        add_entry(totals, part, lane, slot, rest);
        *at = (uint32_t)part->n_entries;
    }
    rs_total *entry = &part->entries[*at - 1];
    fold(entry, slot, totals->op);
    note(totals, part, entry, rs_word_bytes(slot->key, lane->text), slot->count);
    return true;
}

/* Merges what one lane has for a part: it begins where hashes of the part do and ends at the first free
   slot behind them. */
static bool merge_lane(const rs_totals *totals, rs_part *part, int index) {
    const rs_words *lane = &totals->lanes[part->lane];
    const size_t n_own = lane->n_slots / RS_TOTALS_PARTS, first = (size_t)index * n_own;
    for (; part->slot < lane->n_slots; part->slot++) {
        const rs_word_slot *slot = &lane->slots[(first + part->slot) & (lane->n_slots - 1)];
        if (slot->key[1] == 0) {
            if (part->slot >= n_own) break;
            continue;
        }
        const uint64_t hash = rs_word_hash(slot->key);
        if (hash >> (64 - PART_BITS) != (uint64_t)index) continue;
        if (!merge_slot(totals, part, lane, slot, hash)) return false;
    }
    return true;
}

void rs_totals_merge(void *argument, int index) {
    rs_totals *totals = argument;
    rs_part *part = &totals->parts[index];
    while (part->lane < totals->n_lanes && merge_lane(totals, part, index)) {
        part->lane++;
        part->slot = 0;
    }
}

static void fill_index(rs_part *part) {
    const size_t n_index = 2 * part->most_entries;
    for (size_t e = 0; e < part->n_entries; e++) {
        size_t i = part->entries[e].hash & (n_index - 1);
        while (part->index[i] != 0) i = (i + 1) & (n_index - 1);
        part->index[i] = (uint32_t)(e + 1);
    }
}

bool rs_totals_grow(rs_part *part, const rs_host *host, size_t limit_bytes) {
    rs_part larger = *part;
    rs_arena_init(&larger.arena, host);
    larger.arena.limit_bytes = limit_bytes;
    if (part->most_entries == 0) larger.most_entries = LEAST;
    if (part->most_entries > 0 && part->n_entries == part->most_entries) larger.most_entries *= 2;
    while (larger.text_bytes - larger.n_text < TEXT_ROOM) {
        larger.text_bytes = 2 * larger.text_bytes + 2 * TEXT_ROOM;
    }
    larger.entries = rs_alloc(&larger.arena, larger.most_entries, sizeof *larger.entries);
    larger.index = rs_alloc(&larger.arena, 2 * larger.most_entries, sizeof *larger.index);
    larger.text = rs_alloc(&larger.arena, larger.text_bytes, 1);
    if (larger.entries == NULL || larger.index == NULL || larger.text == NULL) {
        rs_arena_free(&larger.arena);
        return false;
    }
    if (part->entries != NULL) {
        memcpy(larger.entries, part->entries, part->n_entries * sizeof *part->entries);
        memcpy(larger.text, part->text, part->n_text);
        rs_arena_free(&part->arena);
    }
    *part = larger;
    fill_index(part);
    return true;
}
