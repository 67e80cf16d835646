/* vocabulary.c: finds the words of a text and counts each in its slot. See vocabulary.h.
 *
 *     text    hello world hello      64 bytes at a time
 *     blank   0000010000010000 1     a bit a byte
 *     ends    blank and no blank before it; starts the other way round
 */
#include "systems/mapreduce/vocabulary.h"

#include <assert.h>
#include <string.h>

enum { LONG_MARK = 255, MARK_SHIFT = 56, STEP = 64 };

/* ------------------------------------------------------------------ keys */

int32_t rs_word_bytes(const uint64_t key[2], const char *text) {
    if (rs_word_inside(key)) return (int32_t)(key[1] >> MARK_SHIFT);
    const unsigned char *at = (const unsigned char *)text + rs_word_offset(key);
    return at[0] | at[1] << 8;
}

void rs_word_copy(const uint64_t key[2], const char *text, char *out) {
    const int32_t n = rs_word_bytes(key, text);
    if (!rs_word_inside(key)) {
        memcpy(out, text + rs_word_offset(key) + RS_WORDS_LENGTH, (size_t)n);
        return;
    }
    for (int32_t i = 0; i < n; i++) out[i] = (char)(key[i / 8] >> (i % 8 * 8));
}

void rs_word_keep(const char *word, size_t n_bytes, char *text, size_t *n_text, uint64_t key[2]) {
    char *at = text + *n_text;
    key[1] = (uint64_t)LONG_MARK << MARK_SHIFT | *n_text;
    at[0] = (char)(n_bytes & 255);
    at[1] = (char)(n_bytes >> 8);
    memcpy(at + RS_WORDS_LENGTH, word, n_bytes);
    *n_text += n_bytes + RS_WORDS_LENGTH;
}

/* Masks of the first n bytes of a word, n = 0..15: of the low 8 and of the others. */
#define SHORT(n) ((uint64_t)1 << (n)*8) - 1
#define LOW(n)                                                                                     \
    { SHORT(n), 0 }
#define HIGH(n)                                                                                    \
    { ~(uint64_t)0, SHORT(n) }
static const uint64_t masks[RS_WORDS_INSIDE + 1][2] = {
    LOW(0),  LOW(1),  LOW(2),  LOW(3),  LOW(4),  LOW(5),  LOW(6),  LOW(7),
    HIGH(0), HIGH(1), HIGH(2), HIGH(3), HIGH(4), HIGH(5), HIGH(6), HIGH(7)};

static inline void short_key(const char *word, size_t n, uint64_t key[2]) {
    key[0] = rs_load_low(word) & masks[n][0];
    key[1] = (rs_load_low(word + 8) & masks[n][1]) | (uint64_t)n << MARK_SHIFT;
}

static uint64_t hash_of_long(const char *word, size_t n) {
    uint64_t h = n;
    for (size_t i = 0; i + 8 <= n; i += 8) {
        h = (h ^ rs_load_low(word + i)) * 0x9e3779b97f4a7c15;
        h ^= h >> 29;
    }
    return (h ^ rs_load_low(word + n - 8)) * 0xd6e8feb86659fd93;
}

/* ------------------------------------------------------------------ slots */

static inline size_t home_of(const rs_words *words, const uint64_t key[2]) {
    return (size_t)(rs_word_hash(key) >> words->shift);
}

static inline rs_word_slot *find_short(const rs_words *words, const uint64_t key[2], size_t home) {
    for (size_t i = home;; i = (i + 1) & (words->n_slots - 1)) {
        rs_word_slot *slot = &words->slots[i];
        if ((slot->key[0] == key[0] && slot->key[1] == key[1]) || slot->key[1] == 0) return slot;
    }
}

static bool is_long(const rs_words *words, const rs_word_slot *slot, uint64_t hash,
                    const char *word, size_t n) {
    if (slot->key[0] != hash || rs_word_inside(slot->key)) return false;
    if ((size_t)rs_word_bytes(slot->key, words->text) != n) return false;
    return memcmp(words->text + rs_word_offset(slot->key) + RS_WORDS_LENGTH, word, n) == 0;
}

/* Finds the slot of a long word, or a free one. */
static rs_word_slot *find_long(const rs_words *words, const char *word, size_t n, uint64_t key[2]) {
    key[0] = hash_of_long(word, n);
    key[1] = (uint64_t)LONG_MARK << MARK_SHIFT;
    for (size_t i = home_of(words, key);; i = (i + 1) & (words->n_slots - 1)) {
        rs_word_slot *slot = &words->slots[i];
        if (slot->key[1] == 0 || is_long(words, slot, key[0], word, n)) return slot;
    }
}

static inline void take_place(rs_words *words, rs_word_slot *slot, int64_t at) {
    rs_place *place = words->places++, *last = slot->value.last;
    words->n_places--;
    *place = (rs_place){last != NULL ? last->next : place, at};
    if (last != NULL) last->next = place;
    slot->value.last = place;
}

/* ------------------------------------------------------------------ a batch of words */

/* Words wait here until so many are found: by then their slots have come into the cache. */
enum { BATCH = 64 };
typedef struct found_word {
    uint64_t key[2]; /* key[1] = 0: it is long */
    size_t start, n_bytes, home;
} found_word;

static inline void find(const rs_words *words, const char *text, size_t start, size_t end,
                        found_word *found) {
    *found = (found_word){.start = start, .n_bytes = end - start};
    if (found->n_bytes > RS_WORDS_INSIDE) return;
    short_key(text + start, found->n_bytes, found->key);
    found->home = home_of(words, found->key);
    __builtin_prefetch(&words->slots[found->home]);
}

/* Counts one word; false: there is no room for it, or it is too long. */
static inline bool count(rs_words *words, const char *text, found_word *found, int64_t offset,
                         rs_mr_op op) {
    const int64_t at = offset + (int64_t)found->start;
    const bool is_short = found->key[1] != 0;
    rs_word_slot *slot = is_short
                             ? find_short(words, found->key, found->home)
                             : find_long(words, text + found->start, found->n_bytes, found->key);
    if (slot->key[1] == 0) {
        if (rs_words_full(words, op) || found->n_bytes > RS_MR_MAX_WORD) return false;
        if (!is_short) {
            rs_word_keep(text + found->start, found->n_bytes, words->text, &words->n_text,
                         found->key);
        }
        *slot = (rs_word_slot){.key = {found->key[0], found->key[1]}};
        if (op == RS_MR_MIN) slot->value.at = at;
        words->n_used++;
    }
    if (op == RS_MR_LIST) {
        if (words->n_places == 0) return false;
        take_place(words, slot, at);
    }
    if (op == RS_MR_MAX) slot->value.at = at;
    slot->count++;
    return true;
}

/* Counts a batch; returns how many of its words were counted. */
static inline int count_all(rs_words *words, const char *text, found_word batch[], int n,
                            int64_t offset, rs_mr_op op) {
    for (int i = 0; i < n; i++) {
        if (!count(words, text, &batch[i], offset, op)) return i;
    }
    return n;
}

/* ------------------------------------------------------------------ the text, 64 bytes at a time */

/* Returns a bit for each of 64 bytes: it is a blank. Eight flags at a time become eight bits by one
   multiplication; the loops above it are for the compiler's vectors. */
static inline uint64_t blanks_of(const char *text) {
    unsigned char flag[STEP];
    uint64_t bits = 0;
    for (int i = 0; i < STEP; i++) {
        const unsigned char c = (unsigned char)text[i];
        flag[i] = (unsigned char)((c == ' ') | ((unsigned char)(c - 9) < 5));
    }
    for (int i = 0; i < STEP; i += 8) {
        const uint64_t eight = rs_load_low((const char *)flag + i) * 0x0102040810204080;
        bits |= eight >> 56 << i;
    }
    return bits;
}

static inline unsigned lowest(uint64_t bits) {
    return (unsigned)__builtin_ctzll(bits);
}

/* Finds the words that end in the 64 bytes at `base`; *start: where one began that has not ended. */
static inline int find_words(const rs_words *words, const char *text, size_t base, size_t n,
                             uint64_t *before, size_t *start, found_word found[]) {
    uint64_t blank = blanks_of(text + base);
    if (n - base < STEP) blank |= ~(uint64_t)0 << (n - base);
    const uint64_t shifted = blank << 1 | *before;
    uint64_t starts = shifted & ~blank;
    int n_found = 0;
    *before = blank >> 63;
    for (uint64_t ends = blank & ~shifted; ends != 0; ends &= ends - 1) {
        const unsigned end = lowest(ends);
        if (starts != 0 && lowest(starts) < end) {
            *start = base + lowest(starts);
            starts &= starts - 1;
        }
        find(words, text, *start, base + end, &found[n_found++]);
    }
    if (starts != 0) *start = base + lowest(starts);
    return n_found;
}

static inline size_t add(rs_words *words, const char *text, size_t n, int64_t offset, rs_mr_op op,
                         int64_t *n_words) {
    found_word batch[BATCH + STEP / 2 + 1];
    uint64_t before = 1; /* what stands before the text is no part of a word */
    size_t start = 0;
    int n_found = 0;
    for (size_t base = 0; base <= n; base += STEP) {
        n_found += find_words(words, text, base, n, &before, &start, batch + n_found);
        if (n_found < BATCH && n - base >= STEP) continue;
        const int n_counted = count_all(words, text, batch, n_found, offset, op);
        *n_words += n_counted;
        if (n_counted < n_found) return batch[n_counted].start;
        n_found = 0;
    }
    return n;
}

size_t rs_words_add(rs_words *words, const char *text, size_t n, int64_t offset, rs_mr_op op,
                    int64_t *n_words) {
    switch (op) { /* a loop of its own for each */
    case RS_MR_MAX: return add(words, text, n, offset, RS_MR_MAX, n_words);
    case RS_MR_MIN: return add(words, text, n, offset, RS_MR_MIN, n_words);
    case RS_MR_LIST: return add(words, text, n, offset, RS_MR_LIST, n_words);
    default: return add(words, text, n, offset, RS_MR_SUM, n_words);
    }
}

/* ------------------------------------------------------------------ room */

bool rs_words_full(const rs_words *words, rs_mr_op op) {
    return words->n_used >= words->most_used ||
           words->text_bytes - words->n_text < RS_MR_MAX_WORD + RS_WORDS_LENGTH ||
           (op == RS_MR_LIST && words->n_places == 0);
}

void rs_words_free(rs_words *words) {
    rs_arena_free(&words->arena);
}

void rs_words_clear(rs_words *words) {
    memset(words->slots, 0, words->n_slots * sizeof *words->slots);
    words->n_used = words->n_text = 0;
}

static void move_slots(const rs_words *from, rs_words *to) {
    for (size_t s = 0; s < from->n_slots; s++) {
        const rs_word_slot *slot = &from->slots[s];
        if (slot->key[1] == 0) continue;
        size_t i = home_of(to, slot->key);
        while (to->slots[i].key[1] != 0) i = (i + 1) & (to->n_slots - 1);
        to->slots[i] = *slot;
    }
}

bool rs_words_grow(rs_words *words, const rs_host *host, size_t limit_bytes) {
    rs_words larger = *words;
    rs_arena_init(&larger.arena, host);
    larger.arena.limit_bytes = limit_bytes;
    larger.n_slots = words->n_slots == 0                 ? RS_WORDS_LEAST
                     : words->n_used >= words->most_used ? 2 * words->n_slots
                                                         : words->n_slots;
    larger.most_used = larger.n_slots / 2;
    larger.shift = 64;
    for (size_t n = larger.n_slots; n > 1; n /= 2) larger.shift--;
    while (larger.text_bytes - larger.n_text < RS_MR_MAX_WORD + RS_WORDS_LENGTH) {
        larger.text_bytes = 2 * larger.text_bytes + 2 * RS_MR_MAX_WORD;
    }
    larger.slots = rs_alloc(&larger.arena, larger.n_slots, sizeof *larger.slots);
    larger.text = rs_alloc(&larger.arena, larger.text_bytes, 1);
    if (larger.slots == NULL || larger.text == NULL) {
        rs_arena_free(&larger.arena);
        return false;
    }
    if (words->slots != NULL) {
        move_slots(words, &larger);
        memcpy(larger.text, words->text, words->n_text);
        rs_words_free(words);
    }
    *words = larger;
    return true;
}
