/* own.h: what owns memory, freed where its scope ends, the last one first: `OWN_ARENA arena = {0};`. */
#pragma once

#include "ringsim_host.h"

#define OWN_ARENA __attribute__((cleanup(rs_arena_free))) rs_arena
