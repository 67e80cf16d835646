/* readers.c: reads a part of a text, buffer after buffer, each cut where a word ends. See readers.h. */
#include "systems/mapreduce/readers.h"

#include <string.h>

void rs_lane_begin(rs_lane *lane, int64_t begin, int64_t end) {
    const bool inside = begin > 0 && begin < end; /* the byte before tells whether a word goes on */
    lane->begin = begin;
    lane->end = end;
    lane->at = inside ? begin - 1 : begin;
    lane->skips = inside;
    lane->n_read = 0;
    lane->n_words = 0;
}

bool rs_lane_done(const rs_lane *lane) {
    return lane->at >= lane->end || lane->failed || lane->too_long;
}

/* Fills the buffer, as far as words that begin in the part can reach. */
static bool fill(rs_lane *lane) {
    const int64_t have = lane->at + (int64_t)lane->n_read;
    int64_t most = lane->end + RS_MR_MAX_WORD + 1;
    if (most > lane->text->n_bytes) most = lane->text->n_bytes;
    int64_t n = most - have, room = RS_LANE_BUFFER - (int64_t)lane->n_read;
    if (n > room) n = room;
    if (n <= 0) return true;
    if (!lane->text->read(lane->text->context, have, n, lane->buffer + lane->n_read)) return false;
    lane->n_read += (size_t)n;
    return true;
}

static void drop(rs_lane *lane, size_t n) {
    memmove(lane->buffer, lane->buffer + n, lane->n_read - n);
    lane->n_read -= n;
    lane->at += (int64_t)n;
}

/* Returns how many bytes of the buffer are whole words, and no more than the part's; 0: a word does not
   end in the buffer. */
static size_t whole_words(const rs_lane *lane) {
    const int64_t left = lane->end - lane->at;
    const char *buffer = lane->buffer;
    const bool at_end = lane->at + (int64_t)lane->n_read == lane->text->n_bytes;
    if ((int64_t)lane->n_read >= left) { /* up to the end of the word that stands on the border */
        size_t n = (size_t)left;
        while (n < lane->n_read && !rs_is_blank(buffer[n - 1]) && !rs_is_blank(buffer[n])) n++;
        if (n < lane->n_read || at_end || rs_is_blank(buffer[n - 1])) return n;
    }
    size_t n = lane->n_read;
    if (at_end) return n;
    while (n > 0 && !rs_is_blank(buffer[n - 1])) n--;
    return n;
}

/* Leaves out the rest of a word that began before the part. */
static void skip_begun(rs_lane *lane) {
    size_t n = 0;
    while (n < lane->n_read && !rs_is_blank(lane->buffer[n])) n++;
    lane->skips = n == lane->n_read;
    drop(lane, n);
}

static void work(rs_lane *lane) {
    const int64_t stop = lane->at + RS_LANE_ROUND;
    while (!rs_lane_done(lane) && lane->at < stop) {
        lane->failed = !fill(lane);
        if (lane->failed) return;
        if (lane->skips) {
            skip_begun(lane);
            continue;
        }
        const size_t n = whole_words(lane);
        lane->too_long = n == 0;
        if (n == 0) return;
        const size_t n_added =
            rs_words_add(lane->words, lane->buffer, n, lane->at, lane->op, &lane->n_words);
        drop(lane, n_added);
        if (n_added == n) continue;
        lane->too_long = !rs_words_full(lane->words, lane->op);
        return;
    }
}

void rs_lane_work(void *lanes, int index) {
    work((rs_lane *)lanes + index);
}
