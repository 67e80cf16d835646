/* share.h: flows that share wires, max-min fair. Private to sim/.
 *
 *     take --> begin(bytes, wires) --> settle: who has which rate until when --> end
 *
 *   - All flows grow together; the wire that is full first freezes its flows; the others grow on.
 *     (Bertsekas and Gallager, Data Networks, section 6.5.2.)
 *   - Only what a change touches is filled anew. A wire that could carry all its flows at their widest
 *     joins nobody: it is no reason to look further. Whoever has no other wires has the rate of its
 *     narrowest one, without any filling.
 *   - Integers only: rates in 2^-96 bytes a picosecond, bytes in 2^-64 bytes. Shares are rounded down
 *     (2^-46 of a rate at the worst), ends to the nearest picosecond, halves up.
 *   - Of flows that hang together only the first to end asks for an event; whoever ends together with it
 *     is found then.
 */
#pragma once

#include "flows/numbers.h"

__extension__ typedef unsigned __int128 rs_rate; /* 2^-96 bytes a picosecond */

/* What a flow runs over: made once, and the same for all that go the same way. */
typedef struct rs_path {
    const int32_t *wires;
    int32_t n_wires;
    int64_t alpha_ps; /* the latencies of all wires */
    rs_rate widest;   /* what its narrowest wire can do */
} rs_path;

typedef struct rs_share rs_share;
/* capacity[n_wires] must outlive the share. */
rs_status rs_share_new(const rs_rate capacity[], int32_t n_wires, rs_arena *arena, rs_error *error,
                       rs_share **share);
/* Returns a number for a new flow, the lowest that is free; -1: no memory. */
int32_t rs_share_take(rs_share *share);
/* Lets a flow's bytes, at least one, flow from now on. The path is copied. False: no memory. */
bool rs_share_begin(rs_share *share, int32_t flow, const rs_path *path, int64_t n_bytes,
                    int64_t now_ps);
/* Returns what a flow has, once the rates are settled. */
rs_rate rs_share_rate(const rs_share *share, int32_t flow);
/* Returns what a wire has carried so far. */
rs_wire_use rs_share_use(const rs_share *share, int32_t wire);
/* Tells whether a flow ends at this moment. */
bool rs_share_ends(const rs_share *share, int32_t flow, int64_t now_ps);
/* Takes a flow off its wires, at the end of its n_bytes. */
void rs_share_end(rs_share *share, int32_t flow, int64_t n_bytes, int64_t now_ps);
/* Gives the number back. */
void rs_share_release(rs_share *share, int32_t flow);
/* Whom the share tells of flows. */
typedef struct rs_share_calls {
    void *engine;
    void (*ends)(void *engine, int32_t flow, int64_t end_ps); /* unless something changes */
    void (*due)(void *engine, int32_t flow);                  /* it ends now */
} rs_share_calls;
/* Calls `due` for all flows that end now and hang together with the first n of `ended`, which `due` may make
   longer; before any of them is taken off its wires. False: no memory. */
bool rs_share_find_due(rs_share *share, int32_t n, const rs_numbers *ended, int64_t now_ps,
                       const rs_share_calls *calls);
/* After all that began and ended at this moment: computes the rates anew. Calls `ends` for a flow and the
   time at which it will end, and `due` for flows that end now: then the rates are not yet computed; end
   those flows and settle again. False: no memory. */
bool rs_share_settle(rs_share *share, int64_t now_ps, const rs_share_calls *calls);
