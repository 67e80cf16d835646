/* word_table.h: a hash table of words in open addressing. Private to sim/.
 *
 *     slots[hash mod n_slots] --> | count | value | hash, length | the word's bytes |   in the arena
 *
 *   - A word is looked for from its slot on, up to the first free one; at most half of them are used.
 *   - Entries never move: who holds one may keep it, and tables of one arena may share them.
 *   - Only rs_words_grow takes memory, so threads may fill tables of one arena side by side.
 */
#ifndef RS_WORD_TABLE_H
#define RS_WORD_TABLE_H

#include "ringsim.h"

typedef struct
    rs_word_place { /* of a word in the text; a ring of them, from the last to the first */
    struct rs_word_place *next;
    int64_t at;
} rs_word_place;

typedef struct rs_word_entry {
    int64_t count;
    union {
        int64_t at;          /* the first or the last place */
        rs_word_place *last; /* of all places */
    } value;
    uint32_t hash;
    uint16_t n_bytes, reducer;
    uint16_t first_mapper, last_mapper; /* of those that had the word */
    char text[];                        /* [n_bytes] */
} rs_word_entry;

typedef struct rs_words {
    rs_word_entry **slots; /* [n_slots] NULL: free */
    size_t n_slots;        /* a power of two */
    size_t n_used;
    char *room; /* for further entries */
    size_t n_room;
} rs_words;

/* Returns the slot where a word of this hash is looked for first. */
static inline rs_word_entry **rs_words_home(const rs_words *words, uint32_t hash) {
    return &words->slots[hash & (words->n_slots - 1)];
}
/* Returns the slot of the word, or the free one where it belongs. The table has grown before. */
rs_word_entry **rs_words_find(const rs_words *words, const char *text, size_t n_bytes,
                              uint32_t hash);
/* Puts an entry of another table into a free slot; false: the table must grow first. */
bool rs_words_put(rs_words *words, rs_word_entry **slot, rs_word_entry *entry);
/* Makes an entry of a new word in a free slot; NULL: the table must grow first. */
rs_word_entry *rs_words_add(rs_words *words, rs_word_entry **slot, const char *text, size_t n_bytes,
                            uint32_t hash);
/* Takes memory, for more slots if half of them are used, otherwise for more entries; false: there is
   none. */
bool rs_words_grow(rs_words *words, rs_arena *arena);

#endif
