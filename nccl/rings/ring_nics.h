/* ring_nics.h: rings between nodes, of those inside one. */
#pragma once

#include "ringsim_rings.h"

/* Makes a ring a NIC of the first node of the rings inside it, in the arena; their speed is the NICs' (GBps 0). Without NICs
   they stay. */
rs_status rn_rings_at_nics(const rs_machine *machine, rs_arena *arena, rs_error *error,
                           rn_rings *rings);
