/* mpi_oracle.c: the library's own collective with the same inputs: MPI_Allreduce, MPI_Reduce_scatter_block, ...
 *
 * Its result lies where the schedule leaves it: the array of an all-to-all holds what all ranks send. MPI has no 16-bit floats: for them it calls our rs_fold, and chooses the order itself. For avg we
 * divide its sum.
 */
#include "mpi/mpi_world.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

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
    const MPI_Datatype types[RS_N_DTYPES] = {[RS_I8] = MPI_INT8_T,
                                             [RS_U8] = MPI_UINT8_T,
                                             [RS_I32] = MPI_INT32_T,
                                             [RS_U32] = MPI_UINT32_T,
                                             [RS_I64] = MPI_INT64_T,
                                             [RS_U64] = MPI_UINT64_T,
                                             [RS_F32] = MPI_FLOAT,
                                             [RS_F64] = MPI_DOUBLE,
                                             /* only their size matters: the operation is ours */
                                             [RS_F16] = MPI_UINT16_T,
                                             [RS_BF16] = MPI_UINT16_T};
    return types[dtype];
}

static MPI_Op op_of(rs_dtype dtype, rs_op op, bool *made) {
    static MPI_User_function *const halves[2][4] = {{f16_sum, f16_prod, f16_min, f16_max},
                                                    {bf16_sum, bf16_prod, bf16_min, bf16_max}};
    const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX}; /* as in rs_op */
    const rs_op fold = op == RS_AVG ? RS_SUM : op;
    MPI_Op created = ops[fold];
    *made = dtype == RS_F16 || dtype == RS_BF16;
    if (*made) MPI_Op_create(halves[dtype == RS_BF16][fold], 1, &created);
    return created;
}

/* ------------------------------------------------------------------ one call of each collective */

static const char *const calls[RS_N_COLLECTIVES] = {
    [RS_COLL_ALL_REDUCE] = "MPI_Allreduce", [RS_COLL_REDUCE_SCATTER] = "MPI_Reduce_scatter_block",
    [RS_COLL_ALL_GATHER] = "MPI_Allgather", [RS_COLL_BROADCAST] = "MPI_Bcast",
    [RS_COLL_REDUCE] = "MPI_Reduce",        [RS_COLL_ALL_TO_ALL] = "MPI_Alltoall"};

/* What all calls of a job have in common. */
typedef struct mpi_call {
    char *from, *to; /* whole arrays: the source, and the oracle's */
    int32_t rank, root, n_ranks;
    size_t elem_bytes;
    MPI_Datatype type;
    MPI_Op op;
    int count;           /* of the array */
    MPI_Datatype column; /* all-to-all: what one rank sends here, at its place in the array */
} mpi_call;

/* MPI moves all data of the root into the same array: its own are copied. */
static void broadcast(const mpi_call *c) {
    const bool root = c->rank == c->root;
    if (root) memcpy(c->to, c->from, (size_t)c->count * c->elem_bytes);
    MPI_Bcast(root ? c->from : c->to, c->count, c->type, c->root, MPI_COMM_WORLD);
}

/* What rank s sends comes to chunk s x N + rank: one after the other, a whole row of N chunks apart. */
static void all_to_all(const mpi_call *c) {
    const int each = c->count / c->n_ranks / c->n_ranks, row = c->count / c->n_ranks;
    MPI_Alltoall(c->from + (size_t)c->rank * (size_t)row * c->elem_bytes, each, c->type,
                 c->to + (size_t)c->rank * (size_t)each * c->elem_bytes, 1, c->column,
                 MPI_COMM_WORLD);
}

static void call_library(const mpi_call *c, rs_collective of) {
    const int shard = c->count / c->n_ranks;
    const size_t own = (size_t)c->rank * (size_t)shard * c->elem_bytes;
    switch (of) {
    case RS_COLL_REDUCE_SCATTER:
        MPI_Reduce_scatter_block(c->from, c->to + own, shard, c->type, c->op, MPI_COMM_WORLD);
        return;
    case RS_COLL_ALL_GATHER:
        MPI_Allgather(c->from + own, shard, c->type, c->to, shard, c->type, MPI_COMM_WORLD);
        return;
    case RS_COLL_BROADCAST: broadcast(c); return;
    case RS_COLL_REDUCE:
        MPI_Reduce(c->from, c->to, c->count, c->type, c->op, c->root, MPI_COMM_WORLD);
        return;
    case RS_COLL_ALL_TO_ALL: all_to_all(c); return;
    default: MPI_Allreduce(c->from, c->to, c->count, c->type, c->op, MPI_COMM_WORLD);
    }
}

static MPI_Datatype column_of(const mpi_call *c) {
    const int each = c->count / c->n_ranks / c->n_ranks;
    MPI_Datatype packed, column;
    MPI_Type_contiguous(each, c->type, &packed);
    MPI_Type_create_resized(packed, 0, (MPI_Aint)each * c->n_ranks * (MPI_Aint)c->elem_bytes,
                            &column);
    MPI_Type_commit(&column);
    MPI_Type_free(&packed);
    return column;
}

/* Divides, where the call leaves a sum. */
static void finish(const rg_job *job, const mpi_call *c) {
    for (rg_range part = {0}; rg_divides(job) && rg_next_answer(job, c->rank, &part);) {
        rs_finish(job->dtype, job->op, c->n_ranks, c->to + (size_t)part.first * c->elem_bytes,
                  part.n);
    }
}

bool rg_mpi_takes(const rg_job *job, char note[RG_NOTE]) {
    const bool large = job->count > INT_MAX;
    if (!large && rg_shares_alike(job)) return true;
    snprintf(note, RG_NOTE, "%s takes %s", calls[job->schedule->collective],
             large ? "no more than 2^31 elements" : "as many elements of each rank");
    return false;
}

bool rg_mpi_oracle(rg_ranks *ranks, rg_rank_job *work, int64_t times[]) {
    const rg_job *job = work->job;
    const rs_collective of = job->schedule->collective;
    mpi_call call = {.from = work->source.data,
                     .to = work->oracle.data,
                     .rank = ranks->rank,
                     .root = job->schedule->root,
                     .n_ranks = ranks->group.n_ranks,
                     .elem_bytes = (size_t)rs_dtype_bytes(job->dtype),
                     .type = type_of(job->dtype),
                     .count = (int)job->count};
    bool made;
    call.op = op_of(job->dtype, job->op, &made);
    if (of == RS_COLL_ALL_TO_ALL) call.column = column_of(&call);
    for (int32_t i = -job->warmup; i < job->times; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const int64_t start_ps = rg_now_ps();
        call_library(&call, of);
        finish(job, &call);
        if (i >= 0) times[i] = rg_now_ps() - start_ps;
    }
    if (made) MPI_Op_free(&call.op);
    if (of == RS_COLL_ALL_TO_ALL) MPI_Type_free(&call.column);
    return true;
}
