/* cuts.h: blocks of GPUs and what can leave them. Private to this folder.
 *
 *     rs_cuts c = {.machine = machine};   rs_cuts_begin(&c, &scratch);
 *     rs_begin_block(&c);  rs_join_block(&c, 0);  rs_cut_block(&c)        what can leave GPU 0, by raw bandwidths
 *
 *   - The cut of a block is the same in both directions: each link has its bandwidth both ways.
 *   - Devices inside are queue[0 .. n_inside - 1].
 */
#pragma once

#include "machine/ringsim_machine.h"

__extension__ typedef unsigned __int128 rs_cut_wide;

typedef struct rs_cuts {
    const rs_machine *machine;
    bool without_net; /* links of kind net carry nothing: no route takes one */
    int32_t round;
    int32_t *inside; /* [n_devices] the round in which the device joined the block */
    int32_t *queue;  /* [n_devices] the devices inside, in the order of joining */
    int32_t n_inside;
    int32_t *touched;              /* [n_devices] the round of linked_Bps */
    uint64_t *linked_Bps;          /* [n_devices] what joins a switch to the block */
    uint64_t *total_Bps;           /* [n_devices] all that leaves a device */
    int32_t *in_node, *node_first; /* [n_devices] by node; [n_nodes + 1] where each begins */
    int32_t *level;                /* [n_devices] links to the nearest GPU; -1: none is linked */
    int32_t *by_level;             /* [n_switches] the lowest level first */
    int64_t steps_left;            /* of walks below switches */
    int64_t
        *flow; /* [2 n_links] what the cut by flows sends along each wire; NULL: it is not tried */
    int32_t *from; /* [n_devices] the wire by which a flow came */
} rs_cuts;

/* Takes memory and looks at the machine; false: no memory. */
bool rs_cuts_begin(rs_cuts *c, rs_arena *scratch);

/* An empty block; a device joins it. */
void rs_begin_block(rs_cuts *c);
void rs_join_block(rs_cuts *c, int32_t device);
/* Takes a whole node. */
void rs_take_node(rs_cuts *c, int32_t node);
/* Takes what lies below a switch, by links that lead down; with the switches on the way, or without. */
void rs_take_below(rs_cuts *c, int32_t device, bool with_switches);
int32_t rs_gpus_inside(const rs_cuts *c);
/* Takes in the switches that make the cut smaller; returns what leaves the block, in bytes a second. */
rs_cut_wide rs_cut_block(rs_cuts *c);
/* Returns the least cut between GPU 0 and another. The block is then its least side with GPU 0; far: the least
   side with the other. */
rs_cut_wide rs_cut_between(rs_cuts *c, int32_t to, bool far);
