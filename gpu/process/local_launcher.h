/* local_launcher.h: does what mpirun does on one machine: starts the ranks as children of one
 * process. Private to gpu/.
 *
 *     parent (spawn.c) --> launcher --> fork: rank 0, rank 1, ... each with RANK, WORLD_SIZE, LOCAL_RANK,
 *                          waits       LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT, as torchrun sets them
 *
 *   - The launcher forks the ranks before any call to CUDA, which does not survive a fork.
 *   - As soon as one rank ends badly the launcher ends the others: none waits for a dead rank.
 *   - No rank outlives the launcher, and the launcher does not outlive its parent, however either ends:
 *     the system kills children whose parent dies. The launcher waits for each of them.
 */
#pragma once

#include "job/backend.h"

/* Returns in each rank, *rank >= 0, where rank 0 keeps in_fd and the others read nothing there; and in
   the launcher, *rank = -1, when all of them have ended: RS_OK, or who ended badly and how. The launcher
   ends all ranks on SIGTERM, SIGINT and SIGHUP, or some time after in_fd's other end was closed. The
   ranks find each other at `init`; where that names no address, at a free port of the loopback. */
rs_status rg_local_launch(int32_t n_ranks, const char *init, int in_fd, int32_t *rank,
                          rs_error *error);
