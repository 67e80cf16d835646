/* containers.c: see containers.h. */
#include "base/containers.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ arrays that grow */

bool rs_widen(rs_arena *arena, rs_heap *heap, void *items, size_t n, size_t size, void *room,
              size_t room_bytes) {
    const uint64_t most = room_bytes == sizeof(int32_t) ? INT32_MAX : SIZE_MAX / 2 / size;
    uint32_t had32 = 0;
    uint64_t had = 0;
    if (room_bytes == sizeof had32) {
        memcpy(&had32, room, sizeof had32);
        had = had32;
    } else {
        memcpy(&had, room, sizeof had);
    }
    uint64_t wider = had < 2 ? 4 : 2 * had;
    if (wider < n) wider = n;
    if (wider > most) wider = most;
    if (wider < n || wider > SIZE_MAX / 2 / size) return false;
    void *before;
    memcpy(&before, items, sizeof before); /* a pointer to any type */
    void *made = heap != NULL    ? rs_heap_take(heap, (size_t)wider * size)
                 : arena != NULL ? rs_alloc(arena, (size_t)wider, size)
                                 : realloc(before, (size_t)wider * size);
    if (made == NULL) return false;
    if ((heap != NULL || arena != NULL) && had > 0) memcpy(made, before, (size_t)had * size);
    memcpy(items, &made, sizeof made);
    had32 = (uint32_t)wider;
    memcpy(room, room_bytes == sizeof had32 ? (void *)&had32 : (void *)&wider, room_bytes);
    return true;
}

/* ------------------------------------------------------------------ small pieces of memory */

enum { LEAST_BYTES = 1 << 14, MOST_BYTES = 1 << 18, ALIGNED = 16, LONGEST = 1 << 30 };

void *rs_heap_take(rs_heap *heap, size_t n_bytes) {
    if (n_bytes / 8 > (size_t)LONGEST) {
        heap->arena->lacked = true;
        return NULL;
    }
    n_bytes = n_bytes == 0 ? ALIGNED : (n_bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    if (n_bytes > heap->left) {
        const size_t block = heap->block == 0           ? LEAST_BYTES
                             : heap->block < MOST_BYTES ? heap->block * 2
                                                        : MOST_BYTES;
        if (n_bytes > block / 4) return rs_alloc(heap->arena, n_bytes, 1);
        heap->at = rs_alloc(heap->arena, block, 1);
        heap->left = heap->at != NULL ? block : 0;
        heap->block = block;
        if (heap->at == NULL) return NULL;
    }
    void *place = heap->at;
    heap->at += n_bytes;
    heap->left -= n_bytes;
    return place;
}

/* ------------------------------------------------------------------ texts */

uint64_t rs_hash(uint64_t hash, const void *bytes, size_t n_bytes) {
    const unsigned char *at = bytes;
    uint64_t rest = 0;
    /* else a byte here could undo one there */
    hash = (hash + n_bytes + 0x9e3779b97f4a7c15) * 0x94d049bb133111eb;
    hash ^= hash >> 29;
    for (; n_bytes >= 8; at += 8, n_bytes -= 8) {
        uint64_t eight;
        memcpy(&eight, at, 8);
        hash = (hash ^ eight) * 0xbf58476d1ce4e5b9;
        hash ^= hash >> 29;
    }
    for (; n_bytes > 0; n_bytes--) rest = rest << 8 | *at++;
    hash = (hash ^ rest) * 0xbf58476d1ce4e5b9;
    return hash ^ hash >> 32;
}

/* Returns where the text's number stands, or would. There is a free slot. */
static uint32_t *slot_of(const rs_texts *texts, const void *text, size_t n_bytes, uint32_t hash) {
    for (uint32_t i = hash;; i++) {
        uint32_t *slot = &texts->slots[i & (texts->n_slots - 1)];
        if (*slot == 0) return slot;
        const rs_text *t = &texts->list[*slot - 1];
        if (t->hash == hash && t->n_bytes == n_bytes &&
            (n_bytes == 0 || memcmp(t->text, text, n_bytes) == 0)) {
            return slot;
        }
    }
}

/* Makes the table twice as large, so that it is half empty. */
static bool widen_table(rs_texts *texts) {
    enum { FIRST = 512 };
    const uint32_t n_slots = texts->n_slots == 0 ? FIRST : 2 * texts->n_slots;
    uint32_t *slots = rs_heap_take(texts->heap, n_slots * sizeof *slots);
    if (slots == NULL) return false;
    texts->slots = slots;
    texts->n_slots = n_slots;
    for (uint32_t i = 0; i < texts->n; i++) {
        const rs_text *t = &texts->list[i];
        *slot_of(texts, t->text, t->n_bytes, t->hash) = i + 1;
    }
    return true;
}

int64_t rs_text_find(const rs_texts *texts, const void *text, size_t n_bytes) {
    if (texts->n == 0 || n_bytes > LONGEST) return RS_NO_TEXT;
    return (int64_t)*slot_of(texts, text, n_bytes, (uint32_t)rs_hash(0, text, n_bytes)) - 1;
}

static int64_t find_or_add(rs_texts *texts, const void *text, size_t n_bytes, bool copied) {
    if (n_bytes > LONGEST || texts->n >= LONGEST) return RS_NO_TEXT;
    if (texts->n_slots == 0 && !widen_table(texts)) return RS_NO_TEXT;
    const uint32_t hash = (uint32_t)rs_hash(0, text, n_bytes);
    uint32_t *slot = slot_of(texts, text, n_bytes, hash);
    if (*slot != 0) return *slot - 1;
    if (!rs_heap_reserve(texts->heap, &texts->list, texts->n + 1, &texts->room)) return RS_NO_TEXT;
    if (2 * texts->n >= texts->n_slots) {
        if (!widen_table(texts)) return RS_NO_TEXT;
        slot = slot_of(texts, text, n_bytes, hash);
    }
    if (copied) {
        char *copy = rs_heap_take(texts->heap, n_bytes + 1);
        if (copy == NULL) return RS_NO_TEXT;
        if (n_bytes > 0) memcpy(copy, text, n_bytes);
        text = copy;
    }
    texts->list[texts->n] = (rs_text){text, (uint32_t)n_bytes, hash};
    *slot = ++texts->n;
    return texts->n - 1;
}

int64_t rs_text_of(rs_texts *texts, const void *text, size_t n_bytes) {
    return find_or_add(texts, text, n_bytes, false);
}

int64_t rs_text_kept(rs_texts *texts, const void *text, size_t n_bytes) {
    return find_or_add(texts, text, n_bytes, true);
}

bool rs_texts_begin(rs_texts *texts, rs_heap *heap, const char *const first[], uint32_t n) {
    *texts = (rs_texts){.heap = heap};
    bool good = rs_text_of(texts, "", 0) == 0;
    for (uint32_t i = 0; i < n; i++) {
        good = good && rs_text_of(texts, first[i], strlen(first[i])) != RS_NO_TEXT;
    }
    return good;
}

/* ------------------------------------------------------------------ orders */

int32_t rs_group_of(int32_t group[], int32_t member) {
    while (group[member] != member) member = group[member] = group[group[member]];
    return member;
}

void rs_join_groups(int32_t group[], int32_t a, int32_t b) {
    a = rs_group_of(group, a);
    b = rs_group_of(group, b);
    group[a > b ? a : b] = a < b ? a : b;
}

int rs_by_int32(const void *left, const void *right) {
    return RS_COMPARE(*(const int32_t *)left, *(const int32_t *)right);
}

int rs_by_int64(const void *left, const void *right) {
    return RS_COMPARE(*(const int64_t *)left, *(const int64_t *)right);
}

int rs_by_double(const void *left, const void *right) {
    return RS_COMPARE(*(const double *)left, *(const double *)right);
}
