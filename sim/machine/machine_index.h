/* machine_index.h: finds what a .machine text names: GPUs, links by their two devices, routes. Private to this folder.
 *
 *   - Links and routes are sorted lists, filled by the caller.
 */
#pragma once

#include "base/containers.h"
#include "machine/ringsim_machine.h"

/* A name as it stands in a text. */
typedef struct rs_token {
    const char *text;
    size_t n;
} rs_token;
/* Returns the number in gpuN, as GPUs are named; -1: it is no such name. */
int64_t rs_gpu_number(rs_token name);

/* Copies the names of GPUs and switches, gpu0 first, into the arena; NULL: no memory. */
const char *const *rs_copy_names(int32_t n_gpus, const rs_texts *switches, rs_arena *arena);

/* A link by its devices, the lower first. */
typedef struct rs_pair {
    int32_t low, high;
    uint64_t bandwidth_Bps;
    int32_t link;
} rs_pair;
/* Fills pairs[n], sorted by their devices, then the widest first, then the first. */
void rs_sort_pairs(const rs_machine_link links[], int32_t n, rs_pair pairs[]);
/* Returns the widest link between two devices, of several such the first; -1: there is none. */
int32_t rs_find_pair(const rs_pair pairs[], int32_t n, int32_t a, int32_t b);

/* A route, and where it stands in the text. */
typedef struct rs_told_route {
    rs_machine_route route;
    const char *at;
} rs_told_route;
/* Sorts the routes by their ends; returns where the first stands whose ends had one before, NULL: none. */
const char *rs_sort_routes(rs_told_route routes[], int32_t n);
