/* bootstrap.h: how processes that were started as ranks find each other, and agree. Private to gpu/.
 *
 *     env://            MASTER_ADDR, MASTER_PORT, RANK, WORLD_SIZE, as torchrun sets them
 *     tcp://HOST:PORT   rank 0 listens there, the others come            } rank and world size from the
 *     file:///PATH      all write into one file on a shared disk         } environment (rg_launch_env_*)
 *
 *     rg_bootstrap_join --> rg_exchange, as often as needed: all ranks' bytes to all ranks --> rg_bootstrap_leave
 *
 *   - The ranks exchange NCCL's unique id this way, and their votes, so that no verdict is rank 0's alone.
 *   - All ranks make the same exchanges in the same order with the same sizes. The error names the rank
 *     that differs, or that has another version or belongs to another run.
 *   - No call waits beyond its deadline. The error says who is missing: "rank 2 of 4 has not come to
 *     tcp://127.0.0.1:29500 within 10 s".
 *   - A process that is no rank of this job, or has wrong numbers, is refused alone: the others go
 *     on waiting; if a rank then never comes, the error says who was refused.
 *   - Sockets bind to the loopback unless the user names a host. If the host is the loopback only
 *     on rank 0's own machine, or the address of a service, they bind to all addresses, provided
 *     that the job has a token.
 */
#pragma once

#include "job/backend.h"

typedef struct rg_bootstrap rg_bootstrap;

/* Joins the bootstrap of n_ranks as `rank`. init: as above; NULL: env://. RS_BAD_INPUT: a wrong world
   size, a rank taken twice, a stale file, a bad address; RS_UNSUPPORTED: a rank never comes. */
rs_status rg_bootstrap_join(const char *init, int32_t rank, int32_t n_ranks, int32_t timeout_ms,
                            rs_error *error, rg_bootstrap **bootstrap);
/* Sends n_bytes of `own` to all ranks; all[r * n_bytes ..] is what rank r sent. Also a barrier. */
rs_status rg_exchange(rg_bootstrap *bootstrap, const void *own, size_t n_bytes, void *all,
                      int32_t timeout_ms, rs_error *error);
/* Returns on rank 0 where it listens, and why, if not at the address that was given; else "". */
const char *rg_bootstrap_remark(const rg_bootstrap *bootstrap);
/* Leaves; the last rank to leave removes the file. NULL is fine. */
void rg_bootstrap_leave(rg_bootstrap *bootstrap);
