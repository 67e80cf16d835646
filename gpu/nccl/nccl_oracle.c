/* nccl_oracle.c: NCCL's own all-reduce with the same inputs.
 *
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

static bool reduce_once(rg_nccl_world *w, const rg_rank_job *work, ncclComm_t comm) {
    const rg_nccl_buffers *store = work->own;
    const rg_job *job = work->job;
    if (job->count == 0) return true;
    return RG_NCCL(w, comm, ncclAllReduce, store->data[RG_SOURCE], store->data[RG_ORACLE],
                   (size_t)job->count, types[job->dtype], ops[job->op], comm, w->stream) &&
           rg_nccl_settle(w, comm, "ncclAllReduce") && rg_nccl_wait(w, comm, NULL);
}

bool rg_nccl_oracle(rg_ranks *ranks, rg_rank_job *work, int64_t times[], char note[160],
                    bool *asked, bool *wraps) {
    rg_nccl_world *w = (rg_nccl_world *)ranks;
    const rg_job *job = work->job;
    ncclComm_t comm;
    (void)note;
    *asked = true;
    *wraps = true;
    if (!choose(w, job, &comm)) return false;
    for (int32_t i = -job->warmup; i < job->times; i++) {
        int64_t start_ps;
        rg_ranks_deadline(ranks, ranks->timeout_ms);
        if (!rg_nccl_line_up(ranks, &start_ps) || !reduce_once(w, work, comm)) return false;
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
