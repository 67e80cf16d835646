/* mapreduce_steps.h: what the steps of a MapReduce hand on. Private to sim/.
 *
 *     mapreduce_count.c: text --> words, messages  |  mapreduce_time.c: messages --> times, the ring
 *                                                  |  mapreduce_pairs.c: a short text pair by pair
 */
#ifndef RS_MAPREDUCE_STEPS_H
#define RS_MAPREDUCE_STEPS_H

#include "ringsim_mapreduce.h"
#include "systems/mapreduce/word_table.h"

#include <string.h>

enum { RS_PAIR_LENGTH = 2, RS_PAIR_VALUE = 8 }; /* bytes beside the word */

/* Tells whether a byte ends a word. */
static inline bool rs_is_blank(char byte) {
    const unsigned char c = (unsigned char)byte;
    return c == ' ' || (unsigned char)(c - 9) < 5;
}

/* Compares two words by their bytes, as qsort and bsearch want it. */
static inline int rs_mr_compare(const char *a, int32_t n_a, const char *b, int32_t n_b) {
    const int order = memcmp(a, b, (size_t)(n_a < n_b ? n_a : n_b));
    return order != 0 ? order : (n_a > n_b) - (n_a < n_b);
}

/* mapreduce_count.c: fills mapped, n_words, pairs and bytes of the messages; *words: all words. */
rs_status rs_mr_count(rs_arena *arena, rs_error *error, rs_mr_report *report, rs_words *words);
/* mapreduce_time.c: times the maps, the shuffle and the reduction. */
rs_status rs_mr_time(rs_arena *arena, rs_error *error, rs_mr_report *report);
/* mapreduce_ring.c: the same as a reduce-scatter on a ring. */
rs_status rs_mr_compare_ring(rs_arena *arena, rs_error *error, rs_mr_report *report);
/* mapreduce_pairs.c: fills text and pairs, if the text is short. */
rs_status rs_mr_explain(rs_arena *arena, rs_error *error, rs_mr_report *report);

#endif
