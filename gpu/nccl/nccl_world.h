/* nccl_world.h: what the files of the nccl backend share. Private to gpu/nccl/.
 *
 *     library.c        finds libnccl.so.2, loads it, checks its version
 *     nccl_calls.c     notes why a call to CUDA or NCCL failed, in one line; waits with a deadline
 *     peers.c          who runs where: machines, GPUs, who shares one; sets NCCL's environment for it
 *     nccl_exchange.c  votes, clocks and a common start, through the bootstrap
 *     comm.c           makes, polls and ends communicators, without ever blocking
 *     nccl_memory.c    the arrays on the GPU, up and down
 *     nccl_steps.c     one rank's part of the schedule, step by step
 *     nccl_oracle.c    NCCL's own collective with the same inputs
 *     nccl_backend.c   the transport's table (communicator.h), the bootstrap, and what the module shows (backend_module.h)
 *
 *   - A rank is one process with one GPU and one stream, which orders all its work.
 *   - Communicators do not block: a call that would wait for another rank returns ncclInProgress, and
 *     the caller polls, with a deadline. That is why NCCL 2.14 is the oldest that works.
 *   - Functions that return false have noted what failed, or that they waited too long
 *     (rg_ranks_trouble).
 */
#pragma once

#include "ranks/communicator.h"
#include "cuda/kernels.h"
#include "bootstrap/bootstrap.h"
#include "process/backend_module.h"

#include <cuda_runtime_api.h>
#include <nccl.h>

/* Every function of NCCL that the backend calls. */
#define RG_NCCL_CALLS(call)                                                                        \
    call(ncclGetVersion) call(ncclGetUniqueId) call(ncclCommInitRankConfig) call(ncclCommFinalize) \
        call(ncclCommDestroy) call(ncclCommAbort) call(ncclGetErrorString) call(ncclGetLastError)  \
            call(ncclCommGetAsyncError) call(ncclAllReduce) call(ncclReduceScatter)                \
                call(ncclAllGather) call(ncclBroadcast) call(ncclReduce) call(ncclSend)            \
                    call(ncclRecv) call(ncclGroupStart) call(ncclGroupEnd)

#define RG_NCCL_MEMBER(name) __typeof__(name) *name;
typedef struct rg_nccl {
    RG_NCCL_CALLS(RG_NCCL_MEMBER)
    int version; /* 22809 */
    char version_text[16];
} rg_nccl;
enum { RG_NCCL_OLDEST = 21400, RG_NCCL_CTAS = 21700, RG_NCCL_MULTI_RANK = 23000 };

typedef struct rg_nccl_world {
    rg_ranks ranks;
    rg_nccl nccl;
    rg_bootstrap *bootstrap;
    ncclComm_t comm; /* for the schedule, and the oracle */
    ncclComm_t ring; /* for the oracle where the order is NCCL's ring's; NULL: not asked yet */
    cudaStream_t stream;
    int device, n_sms;
    char gpu[64];          /* its name */
    int32_t most_on_a_gpu; /* ranks */
    int32_t n_gpus, n_machines;
    bool waited;      /* a call was refused because no answer came, and for nothing else */
    rs_status status; /* of the trouble: RS_NO_MEMORY where the GPU is full */
    bool in_wait;     /* the host saw it while it waited for the GPU, which may be steps behind */
} rg_nccl_world;

/* One job's memory on the GPU; rg_nccl_release frees it. */
/* A rank's arrays: plan.h's target and source, and what the library made. */
enum { RG_ORACLE = RG_BESIDE, RG_N_ARRAYS };
typedef struct rg_nccl_buffers {
    char *blocks[RG_N_ARRAYS]; /* each with its guards, as rg_array has them; NULL: none */
    char *data[RG_N_ARRAYS];
    int64_t most_blocks; /* blocks of our kernel that the GPU runs at once */
    struct rg_window *window;
} rg_nccl_buffers;

/* ------------------------------------------------------------------ library.c */

/* Loads the library, for as long as the process lives. RS_UNSUPPORTED: there is none, or it is too old. */
rs_status rg_nccl_load(rs_error *error, rg_nccl *nccl);
/* Tells whether ranks of this backend could run on this machine; makes no communicator and no context
   on a GPU. */
bool rg_nccl_available(const rg_setup *setup, rs_error *error);

/* ------------------------------------------------------------------ nccl_calls.c */

/* Return true if the call succeeded; note its failure otherwise. ncclInProgress counts as success:
   rg_nccl_settle waits for its end. */
bool rg_nccl_cuda_ok(rg_nccl_world *w, cudaError_t code, const char *call);
bool rg_nccl_ok(rg_nccl_world *w, ncclComm_t comm, ncclResult_t result, const char *call);
/* Make the call and pass its name on, so that it is written once. */
#define RG_CUDA(w, call) rg_nccl_cuda_ok(w, call, #call)
#define RG_NCCL(w, comm, call, ...) rg_nccl_ok(w, comm, (w)->nccl.call(__VA_ARGS__), #call)
/* Waits until the communicator has put its last call on the stream. */
bool rg_nccl_settle(rg_nccl_world *w, ncclComm_t comm, const char *call);
/* Waits for an event; NULL: for all work on the stream. */
bool rg_nccl_wait(rg_nccl_world *w, ncclComm_t comm, cudaEvent_t event);
/* Returns the noted failure as an error, before a job has started: the group can run other jobs. */
rs_status rg_nccl_refuse(rg_nccl_world *w, rs_error *error);

/* ------------------------------------------------------------------ peers.c */

/* Chooses this rank's GPU, sets the environment that NCCL reads, describes where all ranks run. Every rank
   must call it. */
rs_status rg_nccl_place(rg_nccl_world *w, rs_error *error);

/* ------------------------------------------------------------------ nccl_exchange.c */

/* Votes: returns RS_OK on every rank if `own` is RS_OK on all, else the status of a rank that failed, which
   *error names. */
rs_status rg_nccl_agree(rg_nccl_world *w, rs_status own, rs_error *error);
/* Returns by how many ps this rank's clock is ahead of rank 0's; 0 on one machine. */
int64_t rg_nccl_compare_clocks(rg_nccl_world *w);
bool rg_nccl_line_up(rg_ranks *ranks, int64_t *start_ps);
bool rg_nccl_collect(rg_ranks *ranks, const void *own, void *all, size_t n);

/* ------------------------------------------------------------------ comm.c */

/* one_channel: with one channel and the ring alone. */
bool rg_nccl_comm_new(rg_nccl_world *w, bool one_channel, ncclComm_t *comm);
void rg_nccl_comm_end(rg_nccl_world *w, ncclComm_t comm); /* NULL is fine */

/* ------------------------------------------------------------------ nccl_memory.c, nccl_steps.c, nccl_oracle.c */

rs_status rg_nccl_prepare(rg_ranks *ranks, rg_rank_job *work, rs_arena *arena, rs_error *error);
void rg_nccl_release(rg_ranks *ranks, rg_rank_job *work);
bool rg_nccl_copy(rg_ranks *ranks, rg_rank_job *work, rg_range range);
bool rg_nccl_fetch(rg_ranks *ranks, rg_rank_job *work);
/* Brings one array to the host. */
bool rg_nccl_bring(rg_nccl_world *w, const rg_nccl_buffers *store, int which, const rg_array *to);

bool rg_nccl_window_new(rg_nccl_world *w, const rg_rank_job *work, rs_arena *arena);
void rg_nccl_window_end(struct rg_window *window);
bool rg_nccl_run(rg_ranks *ranks, rg_rank_job *work);
/* Brings what the last run logged from the GPU's clock to the host's. */
bool rg_nccl_log_times(rg_nccl_world *w, rg_rank_job *work);

bool rg_nccl_takes(const rg_job *job, char note[RG_NOTE]);
bool rg_nccl_oracle(rg_ranks *ranks, rg_rank_job *work, int64_t times[]);
void rg_nccl_remark(rg_ranks *ranks, const rg_rank_job *work, rg_result *result);
