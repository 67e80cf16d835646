/* mpi_wait.c: waits for messages, with a deadline. */
#include "mpi/mpi_world.h"

#include <sched.h>

bool rg_wait_any(rg_ranks *ranks, MPI_Request requests[], int n, int *index) {
    enum { SPINS = 64 };
    for (int64_t i = 1;; i++) {
        int done;
        MPI_Testany(n, requests, index, &done, MPI_STATUS_IGNORE);
        if (done) return true;
        if (i % SPINS != 0) continue;
        if (rg_ranks_late(ranks)) return false;
        sched_yield();
    }
}
