/* mpi_oracle.c: the library's own all-reduce with the same inputs: MPI_Allreduce.
 *
 * MPI has no 16-bit floats: for them it calls our rs_fold, and chooses the order itself. For avg we
 * divide its sum.
 */
#include "mpi/mpi_world.h"

#include <limits.h>
#include <stdio.h>

#define HALF_OP(name, type, op)                                                                    \
    static void name(void *in, void *inout, int *n, MPI_Datatype *kind) {                          \
        (void)kind;                                                                                \
        rs_fold(type, op, in, inout, inout, *n);                                                   \
    }
HALF_OP(f16_sum, RS_F16, RS_SUM)
HALF_OP(f16_prod, RS_F16, RS_PROD)
HALF_OP(f16_min, RS_F16, RS_MIN)
HALF_OP(f16_max, RS_F16, RS_MAX)
HALF_OP(bf16_sum, RS_BF16, RS_SUM)
HALF_OP(bf16_prod, RS_BF16, RS_PROD)
HALF_OP(bf16_min, RS_BF16, RS_MIN)
HALF_OP(bf16_max, RS_BF16, RS_MAX)

static MPI_Datatype type_of(rs_dtype dtype) {
    switch (dtype) {
    case RS_I8: return MPI_INT8_T;
    case RS_U8: return MPI_UINT8_T;
    case RS_I32: return MPI_INT32_T;
    case RS_U32: return MPI_UINT32_T;
    case RS_I64: return MPI_INT64_T;
    case RS_U64: return MPI_UINT64_T;
    case RS_F32: return MPI_FLOAT;
    case RS_F64: return MPI_DOUBLE;
    default: return MPI_UINT16_T; /* only their size matters: the operation is ours */
    }
}

static MPI_Op op_of(rs_dtype dtype, rs_op op, bool *made) {
    static MPI_User_function *const halves[2][4] = {{f16_sum, f16_prod, f16_min, f16_max},
                                                    {bf16_sum, bf16_prod, bf16_min, bf16_max}};
    const rs_op fold = op == RS_AVG ? RS_SUM : op;
    *made = dtype == RS_F16 || dtype == RS_BF16;
    if (*made) {
        MPI_Op created;
        MPI_Op_create(halves[dtype == RS_BF16][fold], 1, &created);
        return created;
    }
    switch (fold) {
    case RS_PROD: return MPI_PROD;
    case RS_MIN: return MPI_MIN;
    case RS_MAX: return MPI_MAX;
    default: return MPI_SUM;
    }
}

bool rg_mpi_oracle(rg_ranks *ranks, rg_rank_job *work, int64_t times[], char note[160], bool *asked,
                   bool *wraps) {
    const rg_job *job = work->job;
    *wraps = false; /* MPI does not say what becomes of integers that overflow */
    *asked = job->count <= INT_MAX;
    if (!*asked) {
        snprintf(note, 160, "MPI_Allreduce takes no more than 2^31 elements");
        return true;
    }
    bool made;
    MPI_Op op = op_of(job->dtype, job->op, &made);
    void *target = work->oracle.data;
    for (int32_t i = -job->warmup; i < job->times; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const int64_t start_ps = rg_now_ps();
        MPI_Allreduce(work->source.data, target, (int)job->count, type_of(job->dtype), op,
                      MPI_COMM_WORLD);
        rs_finish(job->dtype, job->op, ranks->group.n_ranks, target, job->count);
        if (i >= 0) times[i] = rg_now_ps() - start_ps;
    }
    if (made) MPI_Op_free(&op);
    return true;
}
