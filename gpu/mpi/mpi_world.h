/* mpi_world.h: what the files of the MPI module share.
 *
 *     mpi_world.c   start and end, clocks; the transport's table (communicator.h)
 *     mpi_steps.c    waiting with a deadline
 *     mpi_steps.c   one rank's part of the schedule, step by step
 *     mpi_oracle.c  the library's own collective with the same inputs
 */
#pragma once

#include "process/backend_module.h"
#include "ranks/communicator.h"

#include <mpi.h>

/* Waits for any of n requests; false: too long. *index as in MPI_Testany. */
bool rg_wait_any(rg_ranks *ranks, MPI_Request requests[], int n, int *index);

/* The transport's functions, see communicator.h. */
rs_status rg_mpi_prepare(rg_ranks *ranks, rg_rank_job *work, rs_arena *arena, rs_error *error);
bool rg_mpi_run(rg_ranks *ranks, rg_rank_job *work);
bool rg_mpi_takes(const rg_job *job, char note[RG_NOTE]);
bool rg_mpi_oracle(rg_ranks *ranks, rg_rank_job *work, int64_t times[]);
