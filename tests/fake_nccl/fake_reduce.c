/* fake_reduce.c: ncclAllReduce, part by part.
 *
 *     all ranks: own part into the memory of all | wait | fold all parts here | wait | next part
 *
 *   - The order of additions is that of NCCL's ring, where it is told to take that and one channel: a
 *     loop covers N chunks of at most 2 MiB, and chunk c is folded from the rank after c round to c
 *     (NCCL src/device/all_reduce.h, runRing). The last loop's chunks are as large as need be, rounded up
 *     to 16 bytes. Any other algorithm folds from the last rank down to the first.
 *   - ncclAvg of floats multiplies each input by 1/N first; of integers it divides at the end.
 */
#include "fake_nccl.h"

#include <string.h>

/* Returns how many elements from i on are folded alike, beginning with the input of rank *first. */
static int64_t alike(const struct ncclComm *comm, const fn_op *op, int64_t i, int *first) {
    const int64_t n = comm->n_ranks, bytes = rs_dtype_bytes(op->dtype), count = op->n_bytes / bytes;
    const int64_t most = (2 << 20) / bytes, grain = 16 / bytes;
    const int64_t loop = i / (n * most) * (n * most), rest = count - loop;
    int64_t chunk = most;
    if (rest < n * most) chunk = ((rest + n - 1) / n + grain - 1) / grain * grain;
    *first = (int)(((i - loop) / chunk + 1) % n);
    return chunk - (i - loop) % chunk;
}

static void fold(const struct ncclComm *comm, const fn_op *op, int64_t n_part) {
    static const rs_op folds[] = {[ncclSum] = RS_SUM,
                                  [ncclProd] = RS_PROD,
                                  [ncclMax] = RS_MAX,
                                  [ncclMin] = RS_MIN,
                                  [ncclAvg] = RS_SUM};
    const int n = comm->n_ranks, bytes = rs_dtype_bytes(op->dtype);
    const int64_t begin = op->n_done / bytes, end = begin + n_part / bytes;
    for (int64_t i = begin, count; i < end; i += count) {
        int first;
        count = alike(comm, op, i, &first);
        if (count > end - i) count = end - i;
        char *out = op->target + i * bytes;
        for (int k = 0; k < n; k++) {
            const int r = comm->in_ring_order ? (first + k) % n : n - 1 - k;
            const char *input = comm->shared->inputs[r] + (i - begin) * bytes;
            if (k == 0) memcpy(out, input, (size_t)(count * bytes));
            if (k > 0) rs_fold(op->dtype, folds[op->op], out, input, out, count);
        }
        const bool divides = op->op == ncclAvg && !rs_dtype_is_float(op->dtype);
        if (divides) rs_finish(op->dtype, RS_AVG, n, out, count);
    }
    if (op->flip && begin == 0) op->target[0] ^= 1;
}

/* 1/N as NCCL has it: a float's for all but double, rounded to the type. */
static void multiply(const struct ncclComm *comm, const fn_op *op, char *input, int64_t n_part) {
    const double exact = 1.0 / comm->n_ranks;
    const double share = op->dtype == RS_F64 ? exact : (double)(float)exact;
    char factor[8];
    rs_fill(RS_DATA_LIST, op->dtype, 0, 1, 1, 1, 0, &share, factor);
    for (char *at = input; at < input + n_part; at += rs_dtype_bytes(op->dtype)) {
        rs_fold(op->dtype, RS_PROD, at, factor, at, 1);
    }
}

bool fn_reduce(struct ncclComm *comm, fn_op *op) {
    fn_member *own = &comm->shared->members[comm->rank];
    while (op->n_done < op->n_bytes) {
        const int64_t left = op->n_bytes - op->n_done;
        const int64_t n_part = left < FN_PART_BYTES ? left : FN_PART_BYTES;
        if (op->stage == 0) {
            char *input = comm->shared->inputs[comm->rank];
            memcpy(input, op->source + op->n_done, (size_t)n_part);
            const bool multiplies = op->op == ncclAvg && rs_dtype_is_float(op->dtype);
            if (multiplies) multiply(comm, op, input, n_part);
        } else if (!fn_all_at(comm, own->phase)) {
            return false;
        } else if (op->stage == 1) {
            fold(comm, op, n_part);
        }
        op->stage = (op->stage + 1) % 3;
        if (op->stage > 0) own->phase++;
        if (op->stage == 0) op->n_done += n_part;
    }
    return true;
}
