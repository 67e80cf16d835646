/* data_tree.c: memory in small pieces, texts that are numbers, lists that grow. */
#include "data_tree.h"

#include <string.h>

enum { LEAST_BYTES = 1 << 14, MOST_BYTES = 1 << 18, ALIGNED = 16, LONGEST = 1 << 30 };

static void *take(rn_heap *pieces, size_t n_bytes) {
    if (n_bytes / 8 > (size_t)LONGEST) return NULL;
    n_bytes = (n_bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    if (n_bytes > pieces->left) {
        const size_t block = pieces->block == 0           ? LEAST_BYTES
                             : pieces->block < MOST_BYTES ? pieces->block * 2
                                                          : MOST_BYTES;
        if (n_bytes > block / 4) return rs_alloc(pieces->arena, n_bytes, 1);
        pieces->at = rs_alloc(pieces->arena, block, 1);
        pieces->left = pieces->at != NULL ? block : 0;
        pieces->block = block;
        if (pieces->at == NULL) return NULL;
    }
    void *place = pieces->at;
    pieces->at += n_bytes;
    pieces->left -= n_bytes;
    return place;
}

void *rn_heap_take(rn_heap *pieces, size_t n_bytes) {
    void *place = take(pieces, n_bytes > 0 ? n_bytes : 1);
    pieces->failed = pieces->failed || place == NULL;
    return place;
}

void *rn_heap_zeros(rn_heap *pieces, size_t n_bytes) {
    void *place = rn_heap_take(pieces, n_bytes);
    if (place != NULL) memset(place, 0, n_bytes);
    return place;
}

void *rn_heap_grow(rn_heap *pieces, void *list, int64_t n, int64_t *room, size_t each) {
    if (n < *room) return list;
    const int64_t more = 2 * *room + 16;
    void *longer = rn_heap_take(pieces, (size_t)more * each);
    if (longer == NULL) return NULL;
    if (n > 0) memcpy(longer, list, (size_t)n * each);
    *room = more;
    return longer;
}

/* ------------------------------------------------------------------ words */

static uint32_t hash_of(const char *text, size_t n_bytes) {
    uint64_t h = 0x9e3779b97f4a7c15 ^ n_bytes;
    for (; n_bytes >= 8; text += 8, n_bytes -= 8) {
        uint64_t eight;
        memcpy(&eight, text, 8);
        h = (h ^ eight) * 0xbf58476d1ce4e5b9;
        h ^= h >> 29;
    }
    for (size_t i = 0; i < n_bytes; i++) h = (h ^ (unsigned char)text[i]) * 0x100000001b3;
    return (uint32_t)(h ^ h >> 32);
}

static uint32_t slot_of(const rn_texts *words, const char *text, size_t n_bytes, uint32_t hash) {
    for (uint32_t i = hash;; i++) {
        const uint32_t found = words->slots[i & (words->n_slots - 1)];
        if (found == 0) return i & (words->n_slots - 1);
        const rn_text *w = &words->list[found - 1];
        if (w->hash == hash && w->n_bytes == n_bytes &&
            (n_bytes == 0 || memcmp(w->text, text, n_bytes) == 0)) {
            return i & (words->n_slots - 1);
        }
    }
}

static bool grow(rn_texts *words) {
    const uint32_t room = words->room * 2;
    rn_text *list = rn_heap_take(words->pieces, room * sizeof *list);
    uint32_t *slots = rn_heap_zeros(words->pieces, room * 2 * sizeof *slots);
    if (list == NULL || slots == NULL) return false;
    memcpy(list, words->list, words->n * sizeof *list);
    words->list = list;
    words->room = room;
    words->slots = slots;
    words->n_slots = room * 2;
    for (uint32_t i = 0; i < words->n; i++) {
        const rn_text *w = &list[i];
        slots[slot_of(words, w->text, w->n_bytes, w->hash)] = i + 1;
    }
    return true;
}

static int64_t find_or_add(rn_texts *words, const char *text, size_t n_bytes, bool copied) {
    if (n_bytes > LONGEST || words->n >= LONGEST) return RN_NO_TEXT;
    const uint32_t hash = hash_of(text, n_bytes);
    uint32_t slot = slot_of(words, text, n_bytes, hash);
    if (words->slots[slot] != 0) return words->slots[slot] - 1;
    if (words->n == words->room) {
        if (!grow(words)) return RN_NO_TEXT;
        slot = slot_of(words, text, n_bytes, hash);
    }
    if (copied) {
        char *copy = rn_heap_take(words->pieces, n_bytes + 1);
        if (copy == NULL) return RN_NO_TEXT;
        if (n_bytes > 0) memcpy(copy, text, n_bytes);
        copy[n_bytes] = '\0';
        text = copy;
    }
    words->list[words->n] = (rn_text){text, (uint32_t)n_bytes, hash};
    words->slots[slot] = ++words->n;
    return words->n - 1;
}

int64_t rn_text_of(rn_texts *words, const char *text, size_t n_bytes) {
    return find_or_add(words, text, n_bytes, false);
}

int64_t rn_text_kept(rn_texts *words, const char *text, size_t n_bytes) {
    return find_or_add(words, text, n_bytes, true);
}

bool rn_texts_begin(rn_texts *words, rn_heap *pieces) {
    enum { FIRST = 256 };
    *words = (rn_texts){.pieces = pieces, .room = FIRST, .n_slots = FIRST * 2};
    words->list = rn_heap_take(pieces, FIRST * sizeof *words->list);
    words->slots = rn_heap_zeros(pieces, FIRST * 2 * sizeof *words->slots);
    if (words->list == NULL || words->slots == NULL) return false;
    return rn_text_of(words, "", 0) == 0;
}

bool rn_texts_add(rn_texts *words, const char *const texts[], uint32_t n) {
    bool good = true;
    for (uint32_t i = 0; i < n; i++) {
        good = good && rn_text_of(words, texts[i], strlen(texts[i])) != RN_NO_TEXT;
    }
    return good;
}

/* ------------------------------------------------------------------ lists */

bool rn_datum_make(rn_heap *pieces, rn_datum_kind kind, rn_datum *made) {
    rn_items *items = rn_heap_take(pieces, sizeof *items);
    if (items == NULL) return false;
    *items = (rn_items){0};
    *made = (rn_datum){.kind = kind, .items = items};
    return true;
}

bool rn_items_add(rn_heap *pieces, rn_items *items, const rn_datum data[], size_t n) {
    if (n > LONGEST - items->n) return false;
    if (n > items->room - items->n) {
        const size_t room = items->n == 0 ? n : 2 * (items->n + n);
        rn_datum *at = rn_heap_take(pieces, room * sizeof *at);
        if (at == NULL) return false;
        if (items->n > 0) memcpy(at, items->at, items->n * sizeof *at);
        items->at = at;
        items->room = (uint32_t)room;
    }
    if (n > 0) memcpy(items->at + items->n, data, n * sizeof *data);
    items->n += (uint32_t)n;
    return true;
}
