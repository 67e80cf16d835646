/* share_state.h: flows and wires under way. Private to sim/flows/.
 *
 *     share.c        flows come and go; who hangs together
 *     share_fill.c   what everybody gets
 */
#ifndef RS_SHARE_STATE_H
#define RS_SHARE_STATE_H

#include "flows/numbers.h"
#include "flows/share.h"

__extension__ typedef unsigned __int128 rs_bytes; /* 2^-64 bytes */

enum { RS_NONE = -1 };

/* A flow on one of its wires. */
typedef struct rs_hop {
    int32_t wire, place; /* users[place] of the wire */
} rs_hop;

typedef struct rs_flow {
    rs_rate rate, widest;
    rs_bytes left;    /* at since_ps */
    int64_t since_ps; /* since when it has this rate; fresh: not yet */
    int64_t end_ps;   /* RS_NONE: it does not flow */
    int64_t asked_ps; /* the event that it asked for last; RS_NONE: nothing */
    int64_t whole_ps; /* what it takes at its widest */
    rs_hop *hops;     /* [room] */
    int32_t n_hops, room;
    uint32_t round; /* in which it was filled last */
    int32_t next;   /* free: the next number that is */
    bool fresh;
} rs_flow;

typedef struct rs_user {
    int32_t flow, hop;
} rs_user;

typedef struct rs_wire {
    rs_rate capacity, asked; /* by all its flows, each at its widest */
    rs_user *users;          /* [room] */
    int32_t n_users, room;
    rs_wire_use use;
    int64_t busy_since_ps; /* with users */
    uint32_t round;        /* in which it was filled last */
    bool touched;          /* in the list of those that a flow left */
    int32_t n_grow;        /* while filling: users not yet frozen */
    rs_rate rest;          /* while filling: what is not given away */
} rs_wire;

/* A wire while a part is filled: by what each of its flows may have, the least first. */
typedef struct rs_level {
    rs_rate share;
    int32_t wire;
} rs_level;
typedef struct rs_limit { /* a flow's own */
    rs_rate widest;
    int32_t flow;
} rs_limit;

struct rs_share {
    rs_wire *wires;
    rs_flow *flows;
    int32_t n_flows, flows_room; /* ever taken */
    int32_t free;                /* a chain */
    uint32_t round;
    rs_numbers fresh;                  /* flows that have begun since the rates were computed */
    rs_numbers touched;                /* wires that flows have left, and others are on */
    rs_numbers part_flows, part_wires; /* what is filled together */
    rs_level *levels;                  /* [levels_room] a heap */
    rs_limit *limits;                  /* [limits_room] */
    int32_t n_levels, levels_room, limits_room;
    rs_arena *arena;
};

/* Tells whether a wire may be too narrow for its flows: then they depend on each other. */
static inline bool rs_is_tight(const rs_wire *w) {
    return w->n_users > 1 && w->asked > w->capacity;
}

/* Gives a flow its rate from now on. */
void rs_share_set_rate(rs_flow *flow, rs_rate rate, int64_t now_ps);
/* Fills the part that was collected: gives each of its flows its rate. False: no memory. */
bool rs_share_fill(rs_share *share, int64_t now_ps);

#endif
