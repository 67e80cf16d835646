/* readers.h: threads that read one mapper's part of a text side by side. Private to sim/.
 *
 *     |<------------------ the mapper's part ------------------>|
 *     | lane 0          | lane 1          | lane 2              |
 *       at ->             at ->             at ->
 *
 *   - A word belongs to the lane in which it begins.
 *   - A lane stops after a while, so that somebody can tell how far it has come, and when its table is
 *     full. It goes on where it was.
 */
#ifndef RS_LANES_H
#define RS_LANES_H

#include "systems/mapreduce/vocabulary.h"

enum {
    RS_LANE_BUFFER = 256 * 1024,
    RS_LANE_ROUND = 4 * 1024 * 1024 /* bytes between two stops */
};

typedef struct rs_lane {
    const rs_mr_text *text;
    rs_mr_op op;
    rs_words *words;
    int64_t begin, end; /* words that begin in [begin, end) */
    int64_t at;         /* where the buffer begins in the text */
    size_t n_read;      /* bytes in the buffer */
    bool skips;         /* the word at its front began before the lane */
    bool failed;        /* the text cannot be read */
    bool too_long;      /* the word at `at` is */
    int64_t n_words;
    char *buffer; /* RS_LANE_BUFFER + RS_WORDS_AHEAD bytes */
} rs_lane;

/* Sets a lane to its part. Buffer, words, text and op are there and stay. */
void rs_lane_begin(rs_lane *lane, int64_t begin, int64_t end);
bool rs_lane_done(const rs_lane *lane);
/* Reads on: a task over an array of lanes. */
void rs_lane_work(void *lanes, int index);

#endif
