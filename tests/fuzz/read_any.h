/* read_any.h: reads any bytes as a topology, and holds what comes out to what must hold. */
#pragma once

#include "ringsim_topology.h"

/* Ends the program where something does not hold. */
void read_any(rn_content content, const char *data, size_t n_bytes);
