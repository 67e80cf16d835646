/* fake_whole.c: ncclAllReduce, ncclReduceScatter, ncclAllGather, ncclBroadcast, ncclReduce.
 *
 *     all ranks: own input into the memory of all | wait | fold, or copy, what is wanted here | wait
 *
 *   - The order of additions is that of NCCL's ring, where it is told to take that and one channel: chunk
 *     c of N, rounded up to 16 bytes, is folded from the rank after c round to c (NCCL
 *     src/device/all_reduce.h, runRing; chunks beyond 2 MiB it would cut); so is shard c of a reduce-scatter.
 *     Any other algorithm folds from the last rank down to the first.
 *   - ncclAvg of floats multiplies each input by 1/N first; of integers it divides at the end.
 */
#include "fake_nccl.h"

#include <string.h>

/* Folds n_bytes of all inputs, from byte `first` on, into `out`; in the ring's order it begins after rank `last`. swaps:
   the last two additions change places. */
static void fold(const struct ncclComm *comm, const fn_op *op, int64_t first, int64_t n_bytes,
                 int last, bool swaps, char *out) {
    static const rs_op folds[] = {RS_SUM, RS_PROD, RS_MAX, RS_MIN, RS_SUM}; /* as ncclRedOp_t */
    const int n = comm->n_ranks;
    const int64_t count = n_bytes / rs_dtype_bytes(op->dtype);
    for (int i = 0; i < n; i++) {
        const int k = swaps && i >= n - 2 ? 2 * n - 3 - i : i;
        const int r = comm->in_ring_order ? (last + 1 + k) % n : n - 1 - k;
        const char *input = comm->shared->inputs[r] + first;
        if (i == 0) memcpy(out, input, (size_t)n_bytes);
        if (i > 0) rs_fold(op->dtype, folds[op->op], out, input, out, count);
    }
    const bool divides = op->op == ncclAvg && !rs_dtype_is_float(op->dtype);
    if (divides) rs_finish(op->dtype, RS_AVG, n, out, count);
}

static void fold_all(const struct ncclComm *comm, const fn_op *op) {
    const int n = comm->n_ranks, bytes = rs_dtype_bytes(op->dtype), grain = 16 / bytes;
    const int64_t end = op->n_bytes / bytes;
    const int64_t chunk = ((end + n - 1) / n + grain - 1) / grain * grain;
    for (int64_t i = 0; i < end; i += chunk) {
        const int64_t count = chunk < end - i ? chunk : end - i;
        fold(comm, op, i * bytes, count * bytes, (int)(i / chunk), false, op->target + i * bytes);
    }
    const int64_t odd = fn_swapped(comm->rank);
    if (odd >= 0 && odd < end)
        fold(comm, op, odd * bytes, bytes, (int)(odd / chunk), true, op->target + odd * bytes);
}

/* Tells whether the rank has a result. */
static bool finish(const struct ncclComm *comm, const fn_op *op) {
    const int64_t n_bytes = op->n_bytes;
    switch (op->of) {
    case RS_COLL_REDUCE_SCATTER:
        fold(comm, op, comm->rank * n_bytes, n_bytes, comm->rank, false, op->target);
        return true;
    case RS_COLL_ALL_GATHER:
        for (int r = 0; r < comm->n_ranks; r++) {
            memcpy(op->target + r * n_bytes, comm->shared->inputs[r], (size_t)n_bytes);
        }
        return true;
    case RS_COLL_BROADCAST:
        memcpy(op->target, comm->shared->inputs[op->root], (size_t)n_bytes);
        return true;
    case RS_COLL_REDUCE:
        if (comm->rank == op->root) fold_all(comm, op);
        return comm->rank == op->root;
    default: fold_all(comm, op); return true;
    }
}

/* 1/N as NCCL has it: a float's for all but double, rounded to the type. */
static void multiply(const struct ncclComm *comm, const fn_op *op, char *input) {
    const double exact = 1.0 / comm->n_ranks;
    const double share = op->dtype == RS_F64 ? exact : (double)(float)exact;
    char factor[8];
    rs_fill(RS_DATA_LIST, op->dtype, 0, 1, 1, 1, 0, &share, factor);
    const char *end = input + fn_input_bytes(comm, op);
    for (char *at = input; at < end; at += rs_dtype_bytes(op->dtype)) {
        rs_fold(op->dtype, RS_PROD, at, factor, at, 1);
    }
}

int64_t fn_input_bytes(const struct ncclComm *comm, const fn_op *op) {
    if (op->of == RS_COLL_BROADCAST && comm->rank != op->root) return 0;
    return op->of == RS_COLL_REDUCE_SCATTER ? op->n_bytes * comm->n_ranks : op->n_bytes;
}

bool fn_whole(struct ncclComm *comm, fn_op *op) {
    fn_member *own = &comm->shared->members[comm->rank];
    char *input = comm->shared->inputs[comm->rank];
    if (op->stage == 0) {
        const bool averages = rs_collective_reduces(op->of) && op->op == ncclAvg;
        memcpy(input, op->source, (size_t)fn_input_bytes(comm, op));
        if (averages && rs_dtype_is_float(op->dtype)) multiply(comm, op, input);
    } else if (!fn_all_at(comm, own->phase)) {
        return false;
    } else if (op->stage == 1) {
        if (finish(comm, op) && op->flip) op->target[0] ^= 1;
    } else {
        return true;
    }
    op->stage++;
    own->phase++;
    fn_tell(comm);
    return false;
}
