/* threads.h: a host with real threads, for tests and benchmarks. */
#ifndef TESTS_THREADS_H
#define TESTS_THREADS_H

#include "ringsim.h"

/* Returns a host that runs n_workers tasks side by side, on threads made for each call. */
rs_host threaded_host(int n_workers);

#endif
