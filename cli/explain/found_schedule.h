/* found_schedule.h: rings and trees that a log or a graph shows, as a .sched text: what NCCL's all-reduce does along them. */
#pragma once

#include "base/exit.h"
#include "ringsim_nccl_log.h"

#include <stdio.h>

enum {
    RC_MOST_RING = 1024, /* ranks whose schedule is written: a ring's has 2 n n lines */
    RC_MOST_LANES = 4    /* rings or trees in one schedule */
};
/* Writes the all-reduce along whole rings of all ranks 0..n-1, an equal part along each, as NCCL does it; own: ringsim's, and
   a comment says so. */
void rc_write_rings(const rn_nccl_ring *const rings[], int n_rings, bool own, FILE *out);
/* The same along whole trees of n_ranks: up to the root, and down again, in pieces that follow each other.
   RC_LACKS: no memory. */
rc_exit rc_write_trees(const rn_nccl_tree *const trees[], int n_trees, int32_t n_ranks,
                       rs_arena *arena, rs_error *error, FILE *out);
