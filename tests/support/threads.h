/* threads.h: a host with real threads, for tests and benchmarks. */
#pragma once

#include "ringsim.h"

/* Returns a host that runs n_workers tasks side by side, on threads made for each call. */
rs_host threaded_host(int n_workers);
