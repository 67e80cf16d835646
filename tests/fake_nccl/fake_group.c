/* fake_group.c: what is called becomes a kernel on the stream.
 *
 *     ncclGroupStart   ncclSend, ncclRecv, ncclAllReduce, ... are noted   ncclGroupEnd --> ncclInProgress
 *     peers that connect for the first time wait for each other on the host       --> ncclSuccess
 *     the kernel goes on with all operations at every turn, until all are done
 *
 *   - A call outside a group is a group of its own.
 *   - A send without its receive, or with one of another size, never ends.
 */
#include "fake_nccl.h"

#include <emulator.h>

#include <stdlib.h>
#include <string.h>

/* What a group puts on the stream. */
typedef struct fn_kernel {
    struct ncclComm *comm;
    cudaStream_t stream;
    fn_op *ops;
    int n_ops;
    int64_t begins_ns; /* 0: its turn has not come; INT64_MAX: it never begins */
} fn_kernel;

/* One thread calls, and a group has one communicator and one stream. */
static struct {
    int depth;
    fn_kernel *kernel;
} group;

void fn_kernel_free(fn_kernel *kernel) {
    if (kernel != NULL) free(kernel->ops);
    free(kernel);
}

/* ------------------------------------------------------------------ on the stream */

static fn_box *box_of(const struct ncclComm *comm, fn_what what, int peer) {
    return what == FN_SEND ? &comm->shared->boxes[comm->rank][peer]
                           : &comm->shared->boxes[peer][comm->rank];
}

static bool send(struct ncclComm *comm, fn_op *op) {
    fn_box *box = box_of(comm, FN_SEND, op->peer);
    if (box->wanted != op->n_bytes || box->n_bytes > 0) return false;
    memcpy(box->bytes, op->source, (size_t)op->n_bytes);
    if (op->flip) box->bytes[0] ^= 1;
    box->wanted = 0; /* before the receiver sees the message, and wants the next */
    box->n_bytes = op->n_bytes;
    fn_tell(comm);
    return true;
}

static bool receive(struct ncclComm *comm, fn_op *op) {
    fn_box *box = box_of(comm, FN_RECV, op->peer);
    if (op->stage == 0) {
        box->wanted = op->n_bytes;
        op->stage = 1;
        fn_tell(comm);
    }
    if (box->n_bytes == 0) return false;
    memcpy(op->target, box->bytes, (size_t)op->n_bytes);
    box->n_bytes = 0;
    fn_tell(comm);
    return true;
}

/* Messages between the same two ranks keep their order. */
static bool is_next(const fn_kernel *kernel, const fn_op *op) {
    for (const fn_op *other = kernel->ops; other < op; other++) {
        if (other->what == op->what && other->peer == op->peer && !other->done) return false;
    }
    return true;
}

static bool run(const fn_kernel *kernel) {
    typedef bool part(struct ncclComm * comm, fn_op * op);
    static part *const parts[] = {send, receive, fn_whole};
    bool all = true;
    for (fn_op *op = kernel->ops; op < kernel->ops + kernel->n_ops; op++) {
        if (!op->done && is_next(kernel, op)) op->done = parts[op->what](kernel->comm, op);
        all = all && op->done;
    }
    return all;
}

/* A turn; true: it was the last. */
static bool turn(void *context) {
    fn_kernel *kernel = context;
    struct ncclComm *comm = kernel->comm;
    if (kernel->begins_ns == 0) kernel->begins_ns = fn_begins_ns(comm->rank);
    if (!comm->ended) {
        const uint32_t known = comm->shared->news;
        if (fn_now_ns() < kernel->begins_ns || !run(kernel)) {
            fn_await_news(comm, known);
            return false;
        }
    }
    fn_kernel_free(kernel);
    if (--comm->n_kernels == 0 && comm->ended) free(comm);
    return true;
}

/* ------------------------------------------------------------------ onto the stream */

/* Says that this end is here, and tells whether the other one is. */
static bool tied(struct ncclComm *comm, fn_what what, int peer) {
    fn_box *box = box_of(comm, what, peer);
    if (!box->here[what]) {
        box->here[what] = true;
        fn_tell(comm);
    }
    return box->here[what == FN_SEND ? FN_RECV : FN_SEND];
}

ncclResult_t fn_launch(struct ncclComm *comm) {
    fn_kernel *kernel = comm->waiting;
    bool all = true;
    for (const fn_op *op = kernel->ops; op < kernel->ops + kernel->n_ops; op++) {
        for (int r = 0; r < comm->n_ranks; r++) {
            const bool with = op->what == FN_WHOLE || op->peer == r;
            if (with && op->what != FN_RECV) all = tied(comm, FN_SEND, r) && all;
            if (with && op->what != FN_SEND) all = tied(comm, FN_RECV, r) && all;
        }
    }
    if (!all) return ncclInProgress;
    comm->waiting = NULL;
    comm->n_kernels++;
    if (emu_stream_push(kernel->stream, turn, kernel) == cudaSuccess) return ncclSuccess;
    return fn_refuse(ncclUnhandledCudaError, "the stream takes no kernel");
}

static ncclResult_t end_group(void) {
    struct ncclComm *comm = group.kernel->comm;
    comm->waiting = group.kernel;
    comm->n_asked = 0;
    group.kernel = NULL;
    return comm->state = ncclInProgress;
}

ncclResult_t ncclGroupStart(void) {
    group.depth++;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void) {
    const int rank = group.kernel != NULL ? group.kernel->comm->rank : -1;
    if (fn_strikes(FN_FAIL, __func__, rank)) return fn_refuse(ncclInternalError, "as asked");
    if (group.depth == 0) return fn_refuse(ncclInvalidUsage, "ncclGroupEnd: not in a group call");
    return --group.depth > 0 || group.kernel == NULL ? ncclSuccess : end_group();
}

/* ------------------------------------------------------------------ the calls */

static bool is_on(int device, const void *memory) {
    return memory == NULL || emu_device_of(memory) == device;
}

/* What a count of 0 does NCCL does not say. */
static ncclResult_t check(const char *call, const struct ncclComm *comm, cudaStream_t stream,
                          const fn_op *op) {
    if (fn_strikes(FN_FAIL, call, comm->rank)) return fn_refuse(ncclInternalError, "as asked");
    if (comm->state != ncclSuccess || comm->finalized) {
        return fn_refuse(ncclInvalidArgument, "before the last operation returned ncclSuccess");
    }
    if (op->n_bytes == 0 || fn_input_bytes(comm, op) > FN_MOST_BYTES || op->peer < 0 ||
        op->peer >= comm->n_ranks || (op->what != FN_WHOLE && op->peer == comm->rank)) {
        return fn_refuse(ncclInvalidArgument, "nothing, too much, or no other rank: %d", op->peer);
    }
    if (op->root < 0 || op->root >= comm->n_ranks) {
        return fn_refuse(ncclInvalidArgument, "root %d", op->root);
    }
    if (!is_on(comm->device, op->source) || !is_on(comm->device, op->target)) {
        return fn_refuse(ncclInvalidArgument, "no memory of device %d", comm->device);
    }
    if (group.kernel != NULL && (group.kernel->comm != comm || group.kernel->stream != stream)) {
        return fn_refuse(ncclInvalidUsage, "two communicators or streams in a group");
    }
    return ncclSuccess;
}

static ncclResult_t note(const char *call, ncclComm_t comm, cudaStream_t stream, size_t count,
                         ncclDataType_t type, fn_op op) {
    static const rs_dtype types[] = {RS_I8,  RS_U8,  RS_I32, RS_U32, RS_I64,
                                     RS_U64, RS_F16, RS_F32, RS_F64, RS_BF16};
    op.dtype = types[type];
    op.n_bytes = (int64_t)count * rs_dtype_bytes(op.dtype);
    op.flip = (op.what == FN_SEND && fn_strikes(FN_FLIP, "send", comm->rank)) ||
              (op.what == FN_WHOLE && fn_strikes(FN_FLIP, "reduce", comm->rank));
    const ncclResult_t result = check(call, comm, stream, &op);
    if (result != ncclSuccess) return result;
    if (group.kernel == NULL) {
        group.kernel = calloc(1, sizeof *group.kernel);
        if (group.kernel == NULL) abort();
        *group.kernel = (fn_kernel){.comm = comm, .stream = stream};
    }
    fn_kernel *kernel = group.kernel;
    kernel->ops = realloc(kernel->ops, ((size_t)kernel->n_ops + 1) * sizeof op);
    if (kernel->ops == NULL) abort();
    kernel->ops[kernel->n_ops++] = op;
    return group.depth > 0 ? ncclSuccess : end_group();
}

ncclResult_t ncclSend(const void *sendbuff, size_t count, ncclDataType_t datatype, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
    return note(__func__, comm, stream, count, datatype,
                (fn_op){.what = FN_SEND, .source = sendbuff, .peer = peer});
}

ncclResult_t ncclRecv(void *recvbuff, size_t count, ncclDataType_t datatype, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
    return note(__func__, comm, stream, count, datatype,
                (fn_op){.what = FN_RECV, .target = recvbuff, .peer = peer});
}

ncclResult_t ncclAllReduce(const void *sendbuff, void *recvbuff, size_t count,
                           ncclDataType_t datatype, ncclRedOp_t op, ncclComm_t comm,
                           cudaStream_t stream) {
    return note(__func__, comm, stream, count, datatype,
                (fn_op){.what = FN_WHOLE, .source = sendbuff, .target = recvbuff, .op = op});
}

ncclResult_t ncclReduceScatter(const void *sendbuff, void *recvbuff, size_t recvcount,
                               ncclDataType_t datatype, ncclRedOp_t op, ncclComm_t comm,
                               cudaStream_t stream) {
    return note(__func__, comm, stream, recvcount, datatype,
                (fn_op){.what = FN_WHOLE,
                        .of = RS_COLL_REDUCE_SCATTER,
                        .source = sendbuff,
                        .target = recvbuff,
                        .op = op});
}

ncclResult_t ncclAllGather(const void *sendbuff, void *recvbuff, size_t sendcount,
                           ncclDataType_t datatype, ncclComm_t comm, cudaStream_t stream) {
    return note(
        __func__, comm, stream, sendcount, datatype,
        (fn_op){
            .what = FN_WHOLE, .of = RS_COLL_ALL_GATHER, .source = sendbuff, .target = recvbuff});
}

ncclResult_t ncclBroadcast(const void *sendbuff, void *recvbuff, size_t count,
                           ncclDataType_t datatype, int root, ncclComm_t comm,
                           cudaStream_t stream) {
    return note(__func__, comm, stream, count, datatype,
                (fn_op){.what = FN_WHOLE,
                        .of = RS_COLL_BROADCAST,
                        .source = sendbuff,
                        .target = recvbuff,
                        .root = root});
}

ncclResult_t ncclReduce(const void *sendbuff, void *recvbuff, size_t count, ncclDataType_t datatype,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream) {
    return note(__func__, comm, stream, count, datatype,
                (fn_op){.what = FN_WHOLE,
                        .of = RS_COLL_REDUCE,
                        .source = sendbuff,
                        .target = recvbuff,
                        .op = op,
                        .root = root});
}
