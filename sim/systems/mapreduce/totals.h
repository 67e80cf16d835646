/* totals.h: the words of the whole text, in parts that threads fill side by side. Private to sim/.
 *
 *     the lanes' tables, in the order of the text        part p: the words whose hash begins with p
 *     lane 0  |..p..|   lane 1  |..p..|   --merge-->     entries[] one after the other
 *                                                        index[]   where an entry is, by its hash
 *
 *   - Merged after every mapper: what a mapper has for a reducer is counted on the way.
 *   - Nothing here takes memory while it merges: a full part stops, and goes on after it has grown.
 */
#ifndef RS_TOTALS_H
#define RS_TOTALS_H

#include "systems/mapreduce/vocabulary.h"

enum { RS_TOTALS_PARTS = 64 };

typedef struct rs_total {
    uint64_t key[2]; /* as in rs_word_slot; text: the part's */
    uint64_t count;
    union {
        int64_t at;
        rs_place *last;
    } value;
    uint32_t hash; /* its bits behind the part's number */
    uint16_t reducer;
    uint16_t mapper; /* the last that had the word, counted from 1 */
} rs_total;

/* What the mapper at hand has for one reducer: with all its pairs, and with one a word. */
typedef struct rs_mr_row {
    int64_t n_pairs, n_words;
    int64_t pair_bytes, word_bytes; /* of the words alone */
} rs_mr_row;

typedef struct rs_part {
    rs_arena arena;
    rs_total *entries;
    size_t n_entries, most_entries;
    uint32_t *index; /* [2 most_entries] entry + 1; 0: none */
    char *text;
    size_t n_text, text_bytes;
    rs_mr_row *rows; /* [n_ranks] */
    int32_t lane;    /* where merging goes on */
    size_t slot;
} rs_part;

typedef struct rs_totals {
    rs_part parts[RS_TOTALS_PARTS];
    int32_t n_ranks;
    rs_mr_op op;
    const rs_words *lanes; /* [n_lanes] what is merged now */
    int32_t n_lanes;
    int32_t mapper;
} rs_totals;

/* Begins to merge a mapper's lanes: all parts at their first slot, all rows empty. */
void rs_totals_begin(rs_totals *totals, int32_t mapper, const rs_words lanes[], int32_t n_lanes);
/* Merges into part `index`: a task. Done when rs_totals_done. */
void rs_totals_merge(void *totals, int index);
bool rs_totals_done(const rs_totals *totals, int32_t part);
/* Makes a larger part of it; false: no memory, or more than limit_bytes. */
bool rs_totals_grow(rs_part *part, const rs_host *host, size_t limit_bytes);

#endif
