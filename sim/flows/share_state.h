/* share_state.h: flows and wires under way. Private to sim/flows/.
 *
 *     share.c        flows come and go; who hangs together
 *     share_fill.c   what everybody gets
 */
#pragma once

#include "flows/numbers.h"
#include "flows/share.h"

#include <assert.h>

__extension__ typedef unsigned __int128 rs_bytes; /* 2^-64 bytes */

enum { RS_NONE = -1 };

/* A flow on one of its wires. */
typedef struct rs_hop {
    int32_t wire, place; /* users[place] of the wire */
} rs_hop;

enum { RS_NEAR_HOPS = 4, RS_NEAR_USERS = 3 };

/* Two cache lines: what finding who hangs together reads, and what a new rate does. */
typedef struct rs_flow {
    rs_hop near[RS_NEAR_HOPS]; /* its wires, if there are no more */
    rs_hop *far;               /* [room] otherwise */
    int64_t end_ps;            /* RS_NONE: it does not flow */
    int32_t n_hops, room;
    uint32_t round;       /* in which it was filled last */
    int32_t next;         /* free: the next number that is */
    rs_rate rate, widest; /* rate 0: it has begun, and has none yet */
    rs_bytes left;        /* at since_ps */
    int64_t since_ps;     /* since when it has this rate */
    int64_t asked_ps;     /* the event that it asked for last; RS_NONE: nothing */
} rs_flow;
static_assert(sizeof(rs_flow) == 128, "a flow is two cache lines");

typedef struct rs_user {
    int32_t flow, hop;
} rs_user;

/* Two cache lines: whether it is tight and who is on it; what filling and the end of a flow change. */
typedef struct rs_wire {
    rs_rate capacity, asked; /* by all its flows, each at its widest */
    rs_user *users;          /* [room]; at first `near` */
    int32_t n_users, room;
    uint32_t round; /* in which it was filled last */
    int32_t n_grow; /* while filling: users not yet frozen */
    bool touched;   /* in the list of those that a flow left */
    rs_rate rest;   /* while filling: what is not given away */
    rs_wire_use use;
    int64_t busy_since_ps; /* with users */
    rs_user near[RS_NEAR_USERS];
} rs_wire;
static_assert(sizeof(rs_wire) == 128, "a wire is two cache lines");

/* A wire while a part is filled: by what each of its flows may have, the least first. */
typedef struct rs_level {
    rs_rate share;
    int32_t wire;
} rs_level;
typedef struct rs_limit { /* a flow's own */
    rs_rate widest;
    int32_t flow;
} rs_limit;

/* A division that was done lately. */
typedef struct rs_division {
    rs_rate top, bottom; /* bottom 0: none */
    rs_rate result;
} rs_division;
enum { RS_TIMES_BITS = 6 };

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
    rs_division level; /* done last: the same again where flows are alike */
    rs_division times[1 << RS_TIMES_BITS];
    rs_arena *arena;
};

/* Returns the wires of a flow: [n_hops]. */
static inline rs_hop *rs_hops(rs_flow *f) {
    return f->n_hops > RS_NEAR_HOPS ? f->far : f->near;
}

/* Tells whether a wire may be too narrow for its flows: then they depend on each other. */
static inline bool rs_is_tight(const rs_wire *w) {
    return w->n_users > 1 && w->asked > w->capacity;
}

/* Gives a flow its rate from now on. */
void rs_share_set_rate(rs_share *share, rs_flow *flow, rs_rate rate, int64_t now_ps);
/* Fills the part that was collected: gives each of its flows its rate. False: no memory. */
bool rs_share_fill(rs_share *share, int64_t now_ps);
