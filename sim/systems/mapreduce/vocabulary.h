/* vocabulary.h: a table of words that one thread fills while it reads a text. Private to sim/.
 *
 *     slots[hash >> shift]   32 bytes each, two in a cache line, searched one after the other
 *     +----------------+----------------+---------+---------+
 *     | key[0]         | key[1]         | count   | value   |
 *     +----------------+----------------+---------+---------+
 *     up to 15 bytes:  the word itself, zeros behind it, and in the last byte its length
 *     longer:          its hash, and where it lies in text[]; the last byte is 255
 *
 *   - Most words are shorter than 16 bytes: they are found by comparing two numbers, without another
 *     look into memory. A last byte of 0 means that the slot is free.
 *   - A slot stands at its hash's first bits or behind, so a table read from its front to its end is
 *     ordered by hash, nearly: that is how totals.c shares the work of merging.
 *   - Nothing here takes memory: a full table stops (rs_words_add returns early), and who owns it
 *     makes a larger one between two rounds of threads.
 */
#ifndef RS_VOCABULARY_H
#define RS_VOCABULARY_H

#include "ringsim_mapreduce.h"

enum {
    RS_WORDS_AHEAD = 64,   /* bytes behind a text that may be read, whatever they are */
    RS_WORDS_INSIDE = 15,  /* longer words lie outside the slot */
    RS_WORDS_LENGTH = 2,   /* bytes of length before a word in text[] */
    RS_WORDS_LEAST = 4096, /* slots */
};

typedef struct rs_place { /* of a word in the text; a ring of them, from the last to the first */
    struct rs_place *next;
    int64_t at;
} rs_place;

typedef struct rs_word_slot {
    uint64_t key[2];
    uint64_t count;
    union {
        int64_t at;     /* the first or the last place */
        rs_place *last; /* of all places */
    } value;
} rs_word_slot;

typedef struct rs_words {
    rs_arena arena; /* of slots and text */
    rs_word_slot *slots;
    size_t n_slots; /* a power of two */
    unsigned shift; /* 64 - log2(n_slots) */
    size_t n_used, most_used;
    char *text; /* long words */
    size_t n_text, text_bytes;
    rs_place *places; /* free ones, for lists */
    size_t n_places;
} rs_words;

/* Loads 8 bytes, the first one lowest, on every machine. */
static inline uint64_t rs_load_low(const char *text) {
    const unsigned char *b = (const unsigned char *)text;
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
           (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 |
           (uint64_t)b[7] << 56;
}

static inline bool rs_word_inside(const uint64_t key[2]) {
    return key[1] >> 56 <= RS_WORDS_INSIDE;
}
/* Where a long word lies in text[]: its length, then the word. */
static inline size_t rs_word_offset(const uint64_t key[2]) {
    return (size_t)(key[1] & (((uint64_t)1 << 56) - 1));
}
/* Puts a long word behind what stands in text[], and its offset into the key. */
void rs_word_keep(const char *word, size_t n_bytes, char *text, size_t *n_text, uint64_t key[2]);
/* Returns how many bytes a key's word has; text: the table's. */
int32_t rs_word_bytes(const uint64_t key[2], const char *text);
/* Writes the word to out[0 .. rs_word_bytes()). */
void rs_word_copy(const uint64_t key[2], const char *text, char *out);

/* Mixes a key so that its first bits depend on all of it. Of long words key[0] is a hash already. */
static inline uint64_t rs_word_hash(const uint64_t key[2]) {
    const uint64_t more = rs_word_inside(key) ? key[1] : 0;
    uint64_t h = (key[0] ^ more * 0x9e3779b97f4a7c15) * 0xd6e8feb86659fd93;
    h ^= h >> 32;
    return h * 0xd6e8feb86659fd93;
}

/* Tells whether a byte ends a word. */
static inline bool rs_is_blank(char byte) {
    const unsigned char c = (unsigned char)byte;
    return c == ' ' || (unsigned char)(c - 9) < 5;
}

/* Makes a table, or a larger one of it: at least twice the slots if they are half full, twice the room
   for long words if less than the longest is left. false: no memory, or more than limit_bytes. */
bool rs_words_grow(rs_words *words, const rs_host *host, size_t limit_bytes);
void rs_words_free(rs_words *words);
void rs_words_clear(rs_words *words); /* forgets all words; keeps the memory */
/* Tells whether rs_words_add would stop at once. */
bool rs_words_full(const rs_words *words, rs_mr_op op);

/* Counts the words of text[0..n) (whose first byte is byte `offset` of the whole text), the end of
   which is an end of a word. Returns how far it came: n, or the beginning of a word for which the table
   has no room, or which is longer than RS_MR_MAX_WORD. *n_words grows by the words counted. */
size_t rs_words_add(rs_words *words, const char *text, size_t n, int64_t offset, rs_mr_op op,
                    int64_t *n_words);

#endif
