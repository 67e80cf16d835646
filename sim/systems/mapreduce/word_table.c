/* word_table.c: finds, adds and rehashes words. See word_table.h. */
#include "systems/mapreduce/word_table.h"

#include "ringsim_mapreduce.h"

#include <assert.h>
#include <string.h>

enum { LEAST_SLOTS = 4096, ROOM = 256 * 1024 };

static bool is_half_full(const rs_words *words) {
    return 2 * words->n_used >= words->n_slots;
}

rs_word_entry **rs_words_find(const rs_words *words, const char *text, size_t n_bytes,
                              uint32_t hash) {
    const size_t mask = words->n_slots - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        const rs_word_entry *entry = words->slots[i];
        if (entry == NULL || (entry->hash == hash && entry->n_bytes == n_bytes &&
                              memcmp(entry->text, text, n_bytes) == 0)) {
            return &words->slots[i];
        }
    }
}

bool rs_words_put(rs_words *words, rs_word_entry **slot, rs_word_entry *entry) {
    assert(*slot == NULL);
    if (is_half_full(words)) return false;
    words->n_used++;
    *slot = entry;
    return true;
}

rs_word_entry *rs_words_add(rs_words *words, rs_word_entry **slot, const char *text, size_t n_bytes,
                            uint32_t hash) {
    const size_t align = _Alignof(rs_word_entry);
    const size_t n = (offsetof(rs_word_entry, text) + n_bytes + align - 1) / align * align;
    rs_word_entry *entry = (rs_word_entry *)(void *)words->room;
    assert(n_bytes <= UINT16_MAX);
    if (n > words->n_room || !rs_words_put(words, slot, entry)) return NULL;
    entry->hash = hash;
    entry->n_bytes = (uint16_t)n_bytes;
    memcpy(entry->text, text, n_bytes);
    words->room += n;
    words->n_room -= n;
    return entry;
}

static bool grow_slots(rs_words *words, rs_arena *arena) {
    rs_words larger = *words;
    larger.n_slots = words->n_slots == 0 ? LEAST_SLOTS : 2 * words->n_slots;
    larger.slots = rs_alloc(arena, larger.n_slots, sizeof *larger.slots);
    if (larger.slots == NULL) return false;
    for (size_t s = 0; s < words->n_slots; s++) {
        if (words->slots[s] == NULL) continue;
        size_t i = words->slots[s]->hash & (larger.n_slots - 1);
        while (larger.slots[i] != NULL) i = (i + 1) & (larger.n_slots - 1);
        larger.slots[i] = words->slots[s];
    }
    *words = larger;
    return true;
}

bool rs_words_grow(rs_words *words, rs_arena *arena) {
    if (is_half_full(words)) return grow_slots(words, arena);
    words->room = rs_alloc(arena, ROOM, 1);
    words->n_room = words->room == NULL ? 0 : ROOM;
    return words->room != NULL;
}

int32_t rs_mr_reducer(const char *word, int64_t n_bytes, int32_t n_ranks) {
    return (int32_t)(rs_crc32(0, word, (size_t)n_bytes) % (uint32_t)n_ranks);
}
