/* fake_reduce.c: ncclAllReduce.
 *
 *     all ranks: own input into the memory of all | wait | fold all inputs here | wait
 *
 *   - The order of additions is that of NCCL's ring, where it is told to take that and one channel: chunk
 *     c of N, rounded up to 16 bytes, is folded from the rank after c round to c (NCCL
 *     src/device/all_reduce.h, runRing; chunks beyond 2 MiB it would cut). Any other algorithm folds
 *     from the last rank down to the first.
 *   - ncclAvg of floats multiplies each input by 1/N first; of integers it divides at the end.
 */
#include "fake_nccl.h"

#include <string.h>

static void fold(const struct ncclComm *comm, const fn_op *op) {
    static const rs_op folds[] = {RS_SUM, RS_PROD, RS_MAX, RS_MIN, RS_SUM}; /* as ncclRedOp_t */
    const int n = comm->n_ranks, bytes = rs_dtype_bytes(op->dtype);
    const int64_t end = op->n_bytes / bytes, grain = 16 / bytes;
    const int64_t chunk = ((end + n - 1) / n + grain - 1) / grain * grain;
    for (int64_t i = 0; i < end; i += chunk) {
        const int64_t count = chunk < end - i ? chunk : end - i;
        char *out = op->target + i * bytes;
        for (int k = 0; k < n; k++) {
            const int r = comm->in_ring_order ? (int)((i / chunk + 1 + k) % n) : n - 1 - k;
            const char *input = comm->shared->inputs[r] + i * bytes;
            if (k == 0) memcpy(out, input, (size_t)(count * bytes));
            if (k > 0) rs_fold(op->dtype, folds[op->op], out, input, out, count);
        }
        const bool divides = op->op == ncclAvg && !rs_dtype_is_float(op->dtype);
        if (divides) rs_finish(op->dtype, RS_AVG, n, out, count);
    }
    if (op->flip) op->target[0] ^= 1;
}

/* 1/N as NCCL has it: a float's for all but double, rounded to the type. */
static void multiply(const struct ncclComm *comm, const fn_op *op, char *input) {
    const double exact = 1.0 / comm->n_ranks;
    const double share = op->dtype == RS_F64 ? exact : (double)(float)exact;
    char factor[8];
    rs_fill(RS_DATA_LIST, op->dtype, 0, 1, 1, 1, 0, &share, factor);
    for (char *at = input; at < input + op->n_bytes; at += rs_dtype_bytes(op->dtype)) {
        rs_fold(op->dtype, RS_PROD, at, factor, at, 1);
    }
}

bool fn_reduce(struct ncclComm *comm, fn_op *op) {
    fn_member *own = &comm->shared->members[comm->rank];
    char *input = comm->shared->inputs[comm->rank];
    if (op->stage == 0) {
        memcpy(input, op->source, (size_t)op->n_bytes);
        if (op->op == ncclAvg && rs_dtype_is_float(op->dtype)) multiply(comm, op, input);
    } else if (!fn_all_at(comm, own->phase)) {
        return false;
    } else if (op->stage == 1) {
        fold(comm, op);
    } else {
        return true;
    }
    op->stage++;
    own->phase++;
    return false;
}
