/* sweep.h: who is inside the cells of one chunk, followed forwards, and blamed backwards.
 * Private to sim/; check.c is its user.
 *
 *     forward    now[r] is what rank r's cell holds: whose contributions, as bits, and whether one was
 *                counted twice or a copy met another message on the way here
 *     backward   need[r] is what the wrong cells of the end lack and might have had through rank r's
 *                cell; so a copy that loses it, or any slip on a reached cell, is to blame
 *
 *   - One sweep looks at 256 ranks' contributions; more ranks, more sweeps. So memory is O(N), not N^2.
 *   - A contribution that is counted twice shows as an overlap of the two sides of a fold.
 */
#pragma once

#include "check/chunk_history.h"

enum { RS_SWEEP_WORDS = 4, RS_SWEEP_RANKS = 64 * RS_SWEEP_WORDS };

/* What a transfer did, and what a value has been through. */
enum {
    RS_MARK_TWICE = 1,    /* both sides of the fold hold the same contribution */
    RS_MARK_CLASH = 2,    /* it meets another message in its cell, and one of them is a copy */
    RS_MARK_LOST = 4,     /* a copy: the cell had contributions that the incoming value lacks */
    RS_MARK_IN_CLASH = 8, /* its cell has a clash in this step */
    RS_MARK_EMPTY = 16    /* it adds, and one side of the fold holds nothing yet */
};

typedef struct rs_value {
    uint64_t who[RS_SWEEP_WORDS]; /* bit i: rank first_rank + i */
    uint64_t slips; /* RS_MARK_TWICE, _CLASH, _EMPTY in its history; backwards: reached */
} rs_value;

typedef struct rs_sweep {
    int32_t n_ranks;
    int32_t first_rank; /* of the 256 looked at */
    rs_ends ends;       /* of the chunk */
    rs_value full;      /* everybody (of these) once, or the one whose data it is */
    rs_value *now;      /* [n_ranks] forwards; backwards what is needed */
    rs_value *before;   /* [n_ranks] of one step */
    uint8_t *scratch;   /* [n_ranks] zero between steps */
    uint8_t *marks;     /* [a chunk's events] */
    rs_value *lost;     /* what the copies with RS_MARK_LOST lost, in order */
    int64_t marks_room, lost_room;
    int64_t watch; /* a event whose values are wanted; -1: none */
    rs_value watched_in, watched_own, watched_need;
} rs_sweep;

rs_status rs_sweep_new(int32_t n_ranks, rs_arena *arena, rs_error *error, rs_sweep *sweep);
/* Looks at the 256 contributions from first_rank on: every rank holds its own, or only ends.from does. */
void rs_sweep_start(rs_sweep *sweep, int32_t first_rank, rs_ends ends);
/* Returns the first_rank after this one, n_ranks if there is none: where one rank's data travel its 256 will do. */
int32_t rs_sweep_next(const rs_sweep *sweep);
/* Follows all the events; record: fills marks[] and lost[], for which rs_sweep_room made room. Returns
   how many copies lost something. */
int64_t rs_sweep_forward(rs_sweep *sweep, const rs_chunk_event events[], int64_t n_events,
                         bool record);
/* Tells whether the cell holds what it must, once (of those looked at), or need hold nothing. */
bool rs_sweep_right(const rs_sweep *sweep, int32_t rank);
/* After a recording forward sweep: returns the earliest event that spoilt a wrong cell; n_events if there
   is none. */
int64_t rs_sweep_blame(rs_sweep *sweep, const rs_chunk_event events[], int64_t n_events);
rs_status rs_sweep_room(int64_t n_events, int64_t n_lost, rs_arena *arena, rs_error *error,
                        rs_sweep *sweep);
