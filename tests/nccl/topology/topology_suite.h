/* topology_suite.h: what each suite that reads topologies begins with: an arena, and what is found and said.
 *
 *     TestSuite(lanes, .init = open_arena, .fini = close_arena);
 */
#pragma once

#include "ringsim_topology.h"

static rs_arena arena;
static rs_error error;
static rn_findings findings;

static inline void open_arena(void) {
    rs_arena_init(&arena, NULL);
}
static inline void close_arena(void) {
    rs_arena_free(&arena);
}
