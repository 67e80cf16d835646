/* nccl_oracle.c: NCCL's own collective with the same inputs: ncclAllReduce, ncclReduceScatter, ...
 *
 *   - Its result lies where the schedule leaves it. NCCL has no all-to-all: a group of ncclSend and ncclRecv is
 *     one, as in nccl-tests; what a rank has for itself is copied.
 *   - ncclAvg of floats multiplies every input by 1/N, rounded, and then adds: two roundings more than
 *     a sum has, which the bound allows (judge.c). Of integers it divides the sum, as we do.
 *   - Integers that overflow wrap around, and are judged: NVIDIA's own nccl-tests demands it (all bits
 *     of its integers are random: genInput in verifiable/verifiable.cu).
 *   - 16-bit floats are NCCL's own types.
 *   - --order nccl: a communicator of one channel, the ring, Simple. Then chunk c is added from rank
 *     c + 1 on around the ring, as our schedule does it, and the bits are the same, if both cut the array
 *     alike. NCCL cuts in units of 16 bytes, at most 2 MiB a chunk, and goes round the ring once more for
 *     what is left; we cut once, into N chunks as equal as can be. Both are the same where
 *     count / N is whole, a multiple of 16 bytes, and at most 2 MiB.
 */
#include "nccl/nccl_world.h"

#include <stdio.h>
#include <stdlib.h>

static const ncclDataType_t types[RS_N_DTYPES] = {
    [RS_I8] = ncclInt8,     [RS_U8] = ncclUint8,   [RS_I32] = ncclInt32,   [RS_U32] = ncclUint32,
    [RS_I64] = ncclInt64,   [RS_U64] = ncclUint64, [RS_F16] = ncclFloat16, [RS_BF16] = ncclBfloat16,
    [RS_F32] = ncclFloat32, [RS_F64] = ncclFloat64};
static const ncclRedOp_t ops[RS_N_OPS] = {[RS_SUM] = ncclSum,
                                          [RS_PROD] = ncclProd,
                                          [RS_MIN] = ncclMin,
                                          [RS_MAX] = ncclMax,
                                          [RS_AVG] = ncclAvg};

static bool wants_ring(const rg_job *job) {
    const rs_schedule *s = job->schedule;
    return s->order == RS_ORDER_NCCL &&
           s->algorithm == rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring");
}

/* The communicator whose all-reduce is the nearest to our schedule. */
static bool choose(rg_nccl_world *w, const rg_job *job, ncclComm_t *comm) {
    *comm = w->comm;
    if (!wants_ring(job) || w->nccl.version < RG_NCCL_CTAS) return true;
    if (w->ring == NULL && !rg_nccl_comm_new(w, true, &w->ring)) return false;
    *comm = w->ring;
    return true;
}

/* ------------------------------------------------------------------ one call of each collective */

static const char *const calls[RS_N_COLLECTIVES] = {
    [RS_COLL_ALL_REDUCE] = "ncclAllReduce", [RS_COLL_REDUCE_SCATTER] = "ncclReduceScatter",
    [RS_COLL_ALL_GATHER] = "ncclAllGather", [RS_COLL_BROADCAST] = "ncclBroadcast",
    [RS_COLL_REDUCE] = "ncclReduce",        [RS_COLL_ALL_TO_ALL] = "ncclGroupEnd"};

/* What all calls of a job have in common. */
typedef struct nccl_call {
    char *from, *to; /* whole arrays: the source, and the oracle's */
    int rank, n_ranks, root;
    size_t count, elem_bytes; /* count: of the array */
    ncclDataType_t type;
    ncclRedOp_t op;
    ncclComm_t comm;
} nccl_call;

static nccl_call call_of(const rg_nccl_world *w, const rg_rank_job *work, ncclComm_t comm) {
    const rg_nccl_buffers *store = work->own;
    const rg_job *job = work->job;
    return (nccl_call){.from = store->data[RG_SOURCE],
                       .to = store->data[RG_ORACLE],
                       .rank = (int)w->ranks.rank,
                       .n_ranks = (int)w->ranks.group.n_ranks,
                       .root = (int)job->schedule->root,
                       .count = (size_t)job->count,
                       .elem_bytes = (size_t)rs_dtype_bytes(job->dtype),
                       .type = types[job->dtype],
                       .op = ops[job->op],
                       .comm = comm};
}

/* What rank s has for rank d is chunk s x N + d. */
static bool all_to_all(rg_nccl_world *w, const nccl_call *c) {
    const size_t n = (size_t)c->n_ranks, each = c->count / n / n, rank = (size_t)c->rank;
    const size_t bytes = each * c->elem_bytes;
    if (!RG_NCCL(w, c->comm, ncclGroupStart)) return false;
    for (size_t p = 0; p < n; p++) {
        if (p == rank) continue;
        if (!RG_NCCL(w, c->comm, ncclSend, c->from + (rank * n + p) * bytes, each, c->type, (int)p,
                     c->comm, w->stream) ||
            !RG_NCCL(w, c->comm, ncclRecv, c->to + (p * n + rank) * bytes, each, c->type, (int)p,
                     c->comm, w->stream)) {
            return false;
        }
    }
    const size_t own = (rank * n + rank) * bytes;
    return RG_NCCL(w, c->comm, ncclGroupEnd) && rg_nccl_settle(w, c->comm, "ncclGroupEnd") &&
           RG_CUDA(w, cudaMemcpyAsync(c->to + own, c->from + own, bytes, cudaMemcpyDeviceToDevice,
                                      w->stream));
}

static bool make_call(rg_nccl_world *w, const nccl_call *c, rs_collective of) {
    const size_t shard = c->count / (size_t)c->n_ranks,
                 own = (size_t)c->rank * shard * c->elem_bytes;
    switch (of) {
    case RS_COLL_REDUCE_SCATTER:
        return RG_NCCL(w, c->comm, ncclReduceScatter, c->from, c->to + own, shard, c->type, c->op,
                       c->comm, w->stream);
    case RS_COLL_ALL_GATHER:
        return RG_NCCL(w, c->comm, ncclAllGather, c->from + own, c->to, shard, c->type, c->comm,
                       w->stream);
    case RS_COLL_BROADCAST:
        return RG_NCCL(w, c->comm, ncclBroadcast, c->from, c->to, c->count, c->type, c->root,
                       c->comm, w->stream);
    case RS_COLL_REDUCE:
        return RG_NCCL(w, c->comm, ncclReduce, c->from, c->to, c->count, c->type, c->op, c->root,
                       c->comm, w->stream);
    case RS_COLL_ALL_TO_ALL: return all_to_all(w, c);
    default:
        return RG_NCCL(w, c->comm, ncclAllReduce, c->from, c->to, c->count, c->type, c->op, c->comm,
                       w->stream);
    }
}

static bool call_library(rg_nccl_world *w, const nccl_call *call, rs_collective of) {
    if (call->count == 0) return true;
    return make_call(w, call, of) && rg_nccl_settle(w, call->comm, calls[of]) &&
           rg_nccl_wait(w, call->comm, NULL);
}

bool rg_nccl_takes(const rg_job *job, char note[RG_NOTE]) {
    const rs_collective of = job->schedule->collective;
    if (rg_shares_alike(job)) return true;
    snprintf(note, RG_NOTE, "%s takes as many elements of each rank",
             of == RS_COLL_ALL_TO_ALL ? "NCCL's all-to-all" : calls[of]);
    return false;
}

bool rg_nccl_oracle(rg_ranks *ranks, rg_rank_job *work, int64_t times[]) {
    rg_nccl_world *w = (rg_nccl_world *)ranks;
    const rg_job *job = work->job;
    ncclComm_t comm;
    if (!choose(w, job, &comm)) return false;
    const nccl_call call = call_of(w, work, comm);
    for (int32_t i = -job->warmup; i < job->times; i++) {
        int64_t start_ps;
        rg_ranks_deadline(ranks, ranks->timeout_ms);
        if (!rg_nccl_line_up(ranks, &start_ps) ||
            !call_library(w, &call, job->schedule->collective)) {
            return false;
        }
        if (i >= 0) times[i] = rg_now_ps() - start_ps;
    }
    return rg_nccl_bring(w, work->own, RG_ORACLE, &work->oracle);
}

/* ------------------------------------------------------------------ what the reader should know */

/* Tells whether NCCL's ring cuts the array where our schedule does. */
static bool cut_alike(const rg_job *job) {
    enum { UNIT = 16, MOST = 2 << 20 };
    const int32_t n = job->schedule->n_ranks;
    const int64_t chunk_bytes = job->count / n * rs_dtype_bytes(job->dtype);
    return job->count % n == 0 && chunk_bytes % UNIT == 0 && chunk_bytes <= MOST;
}

static const char *why_not(const rg_nccl_world *w, const rg_job *job) {
    if (w->nccl.version < RG_NCCL_CTAS) {
        return "other bits than --order nccl: NCCL before 2.17 has no limit of one channel";
    }
    if (getenv("NCCL_ALGO") != NULL || getenv("NCCL_PROTO") != NULL) {
        return "other bits than --order nccl: NCCL_ALGO or NCCL_PROTO is set";
    }
    if (!cut_alike(job)) {
        return "other bits than --order nccl: NCCL's chunks are multiples of 16 bytes, 2 MiB at most";
    }
    return "other bits than --order nccl: NCCL's ring may go through the ranks in another order";
}

void rg_nccl_remark(rg_ranks *ranks, const rg_rank_job *work, rg_result *result) {
    const rg_nccl_world *w = (const rg_nccl_world *)ranks;
    char *out = result->note;
    size_t n = 0;
    if (w->most_on_a_gpu > 1) {
        n = (size_t)snprintf(out, sizeof result->note, "correctness only: %d ranks on one GPU",
                             (int)w->most_on_a_gpu);
    }
    if (!wants_ring(work->job) || !result->has_oracle || result->oracle_differs == 0) return;
    snprintf(out + n, sizeof result->note - n, "%s%s", n > 0 ? "; " : "", why_not(w, work->job));
}
