/* messages.h: one rank's part of the schedule, a step at a time: which bytes go to whom, which come
 * from whom, and where they arrive. Private to gpu/.
 *
 *     step s:   comes in   recvs[i]: to its place, or beside it into the ROOM, then added or copied
 *               goes out   sends[i]: from its place, or from the room, where it was flipped
 *
 *   - A step reads before it writes: data to add arrive beside the array; a copy arrives in its
 *     place only if nothing else touches that place in this step.
 *   - Messages are added in list order, in whatever order they arrive; by rank, where the schedule says so: those of lower
 *     ranks to each other in the room, the last of them to the own.
 *   - Places are bytes from the start of the array, or of the room; so one walk serves arrays of the
 *     host and of a device.
 */
#pragma once

#include "job/backend.h"

enum { RG_ROOM_UNIT = 64 }; /* messages in the room start at multiples of this */

typedef struct rg_message {
    rs_transfer transfer;
    int64_t place;   /* in the array */
    int64_t n_bytes; /* 0: an empty chunk */
    int64_t beside;  /* in the room; -1: it arrives in its place, or leaves from it */
    int onto; /* what came is added to receive `onto` in the room, the next of a lower rank; -1: in its place */
} rg_message;

typedef struct rg_messages {
    const rg_job *job;
    int32_t rank;
    int32_t step; /* n_steps: there is no more */
    /* the timed run, from 1; a flip may be for one run only. 0: before the timed runs */
    int32_t run;
    rg_message *sends, *recvs;
    int n_sends, n_recvs;
    rs_transfer *list; /* [max_sends] */
    /* Over all steps: */
    int64_t room_bytes; /* the most that the room must hold in one step */
    int64_t total_sends, total_recvs;
    bool tangled; /* messages that are added to each other have different chunks */
} rg_messages;

rs_status rg_messages_new(const rg_job *job, int32_t rank, rs_arena *arena, rs_error *error,
                          rg_messages *messages);
/* Goes to this rank's first step. while (messages.step < n_steps) { ...; rg_messages_next(); } */
void rg_messages_first(rg_messages *messages);
void rg_messages_next(rg_messages *messages);
