/* group.c: what is called becomes a kernel on the stream.
 *
 *     ncclGroupStart   ncclSend, ncclRecv, ncclAllReduce ... are noted   ncclGroupEnd
 *                                                                          |
 *     peers that meet for the first time are tied together  <--------------+   (host waits; or, not
 *     kernel onto the stream                                                    blocking: InProgress)
 *
 * A call outside a group is a group of its own. Groups nest; only the outermost end counts.
 */
#include "nccl_emu.h"

#include <stdlib.h>

static _Thread_local struct {
    int depth;
    ncclResult_t result; /* the first that went wrong inside */
    en_kernel *kernels;  /* one a communicator */
} group;

int en_type_bytes(ncclDataType_t type) {
    static const int bytes[ncclNumTypes] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
    return type >= 0 && type < ncclNumTypes ? bytes[type] : 0;
}

ncclResult_t en_ready(struct ncclComm *comm, const char *call) {
    if (comm == NULL) return en_warn(ncclInvalidArgument, "%s : comm is NULL", call);
    if (comm->finalized) return en_warn(ncclInvalidUsage, "%s : comm is finalized", call);
    if (comm->state == ncclInProgress) {
        return en_warn(ncclInvalidArgument, "Attempt to use communicator before the previous "
                                            "operation returned ncclSuccess");
    }
    return comm->state;
}

/* ------------------------------------------------------------------ tying peers together */

static int tie_of(const en_op *op) {
    return op->what == EN_SEND ? EN_TIE_SEND : op->what == EN_RECV ? EN_TIE_RECV : 0;
}

/* What must have come from that peer for what we want. */
static int answer_of(int tie) {
    return (tie & EN_TIE_SEND ? EN_TIE_RECV : 0) | (tie & EN_TIE_RECV ? EN_TIE_SEND : 0) |
           (tie & EN_TIE_REDUCE);
}

/* Tells the peers of a kernel what is wanted of them, and whether all of them want it, too. */
static bool tied(struct ncclComm *comm, const en_kernel *kernel) {
    bool all = true;
    for (int r = 0; r < comm->n_ranks; r++) {
        int wanted = 0;
        for (int i = 0; i < kernel->n_ops; i++) {
            const en_op *op = &kernel->ops[i];
            if (op->what == EN_ALL_REDUCE) wanted |= EN_TIE_REDUCE;
            if (op->what != EN_ALL_REDUCE && op->peer == r) wanted |= tie_of(op);
        }
        en_peer *p = &comm->peers[r];
        if (r == comm->rank) continue;
        for (int bit = 1; bit <= EN_TIE_REDUCE; bit *= 2) {
            if (!(wanted & bit) || p->ties_sent & bit) continue;
            en_send_frame(comm, r, EN_TIE, EN_P2P, bit, NULL, 0, NULL);
            p->ties_sent |= bit;
        }
        const bool here = (answer_of(wanted) & ~p->ties_heard) == 0;
        if (!here && p->gone && (comm->state == ncclSuccess || comm->state == ncclInProgress)) {
            comm->state = en_warn(ncclRemoteError,
                                  "socketProgress: Connection closed by remote peer, rank %d", r);
        }
        all = all && here;
    }
    return all;
}

bool en_launch(struct ncclComm *comm) {
    pthread_mutex_lock(&en_lock);
    en_pump(comm);
    en_kernel *kernel = comm->waits;
    const bool go = kernel != NULL && tied(comm, kernel);
    en_pump(comm);
    if (go) {
        en_kernel **end = &comm->kernels;
        while (*end != NULL) end = &(*end)->next;
        *end = kernel;
        comm->waits = kernel->next;
        kernel->next = NULL;
    }
    const bool none_waits = comm->waits == NULL;
    pthread_mutex_unlock(&en_lock);
    if (go && emu_stream_push(kernel->stream, en_kernel_step, kernel) != cudaSuccess) {
        pthread_mutex_lock(&en_lock);
        comm->state = en_warn(ncclUnhandledCudaError, "Cuda failure: the stream takes no kernel");
        pthread_mutex_unlock(&en_lock);
    }
    return none_waits;
}

/* ------------------------------------------------------------------ the group's end */

/* A message to oneself needs both its ends in the group. */
static ncclResult_t check_self(const en_kernel *kernel, int rank) {
    int sends = 0, recvs = 0;
    for (int i = 0; i < kernel->n_ops; i++) {
        const en_op *op = &kernel->ops[i];
        if (op->what == EN_ALL_REDUCE || op->peer != rank) continue;
        sends += op->what == EN_SEND;
        recvs += op->what == EN_RECV;
    }
    if (sends == recvs) return ncclSuccess;
    return en_warn(ncclInvalidUsage, sends > recvs
                                         ? "Trying to send to self without a matching recv"
                                         : "Trying to recv to self without a matching send");
}

static ncclResult_t launch_blocking(struct ncclComm *comm) {
    comm->n_inside++;
    for (bool done = false; !done && !comm->aborted && comm->state == ncclSuccess;) {
        pthread_mutex_unlock(&en_lock);
        done = en_launch(comm);
        if (!done) en_nap(comm);
        pthread_mutex_lock(&en_lock);
    }
    const ncclResult_t result = comm->aborted ? ncclInternalError : comm->state;
    comm->n_inside--;
    return result;
}

static ncclResult_t launch(en_kernel *kernel) {
    struct ncclComm *comm = kernel->comm;
    const ncclResult_t result = check_self(kernel, comm->rank);
    if (result != ncclSuccess) {
        en_kernel_free(kernel);
        return result;
    }
    kernel->next = NULL;
    comm->waits = kernel;
    if (comm->blocking) return launch_blocking(comm);
    comm->state = ncclInProgress;
    comm->n_asked = 0;
    return ncclInProgress;
}

static ncclResult_t end_group(void) {
    ncclResult_t result = group.result;
    en_kernel *kernels = group.kernels;
    group.kernels = NULL;
    group.result = ncclSuccess;
    while (kernels != NULL) {
        en_kernel *next = kernels->next;
        if (result == ncclSuccess || result == ncclInProgress) {
            const ncclResult_t own = launch(kernels);
            if (own != ncclSuccess) result = own;
        } else {
            en_kernel_free(kernels);
        }
        kernels = next;
    }
    return result;
}

ncclResult_t ncclGroupStart(void) {
    pthread_mutex_lock(&en_lock);
    const ncclResult_t result = en_fail("ncclGroupStart", -1);
    if (result == ncclSuccess) group.depth++;
    pthread_mutex_unlock(&en_lock);
    return result;
}

ncclResult_t ncclGroupEnd(void) {
    pthread_mutex_lock(&en_lock);
    ncclResult_t result =
        en_fail("ncclGroupEnd", group.kernels != NULL ? group.kernels->comm->rank : -1);
    if (group.depth == 0) {
        result = en_warn(ncclInvalidUsage, "ncclGroupEnd: not in a group call.");
    } else {
        if (result != ncclSuccess) group.result = result;
        if (--group.depth == 0) result = end_group();
    }
    pthread_mutex_unlock(&en_lock);
    return result;
}

/* ------------------------------------------------------------------ the calls */

static en_kernel *kernel_of(struct ncclComm *comm, cudaStream_t stream) {
    for (en_kernel *kernel = group.kernels; kernel != NULL; kernel = kernel->next) {
        if (kernel->comm == comm) return kernel;
    }
    en_kernel *kernel = calloc(1, sizeof *kernel);
    if (kernel == NULL) abort();
    *kernel = (en_kernel){.next = group.kernels, .comm = comm, .stream = stream};
    group.kernels = kernel;
    return kernel;
}

/* The real one checks only when NCCL_CHECK_POINTERS=1, and else fails on the device. */
static ncclResult_t check_place(const char *call, const struct ncclComm *comm, int device) {
    if (device < 0) return en_warn(ncclInvalidArgument, "%s : not a valid device pointer", call);
    if (device == comm->device) return ncclSuccess;
    return en_warn(ncclInvalidArgument,
                   "%s : memory allocated on device %d mismatches with NCCL device %d", call,
                   device, comm->device);
}

static ncclResult_t note(const char *call, struct ncclComm *comm, cudaStream_t stream, en_op op) {
    ncclResult_t result = en_ready(comm, call);
    if (result == ncclSuccess) result = en_fail(call, comm->rank);
    if (result == ncclSuccess && en_type_bytes(op.type) == 0) {
        result = en_warn(ncclInvalidArgument, "%s : invalid type %d", call, (int)op.type);
    }
    if (result == ncclSuccess && (op.peer < 0 || op.peer >= comm->n_ranks)) {
        result =
            en_warn(ncclInvalidArgument, "%s : invalid root %d (root should be in the 0..%d range)",
                    call, op.peer, comm->n_ranks);
    }
    if (result == ncclSuccess && op.count > 0 && op.what != EN_RECV) {
        result = check_place(call, comm, op.source_device);
    }
    if (result == ncclSuccess && op.count > 0 && op.what != EN_SEND) {
        result = check_place(call, comm, op.target_device);
    }
    if (result != ncclSuccess) return result;
    if (op.what == EN_SEND) op.flip = en_fault("FLIP", "send", comm->rank);
    if (op.what == EN_ALL_REDUCE) op.flip = en_fault("FLIP", "reduce", comm->rank);
    en_kernel *kernel = kernel_of(comm, stream);
    if (kernel->stream != stream) {
        return en_warn(ncclInvalidUsage, "%s : the emulation takes one stream a group", call);
    }
    kernel->ops = realloc(kernel->ops, ((size_t)kernel->n_ops + 1) * sizeof op);
    if (kernel->ops == NULL) abort();
    kernel->ops[kernel->n_ops++] = op;
    return ncclSuccess;
}

static ncclResult_t call(const char *name, struct ncclComm *comm, cudaStream_t stream, en_op op) {
    op.source_device = op.source != NULL ? emu_device_of(op.source) : -1;
    op.target_device = op.target != NULL ? emu_device_of(op.target) : -1;
    pthread_mutex_lock(&en_lock);
    ncclResult_t result = note(name, comm, stream, op);
    if (group.depth > 0) {
        if (result != ncclSuccess && group.result == ncclSuccess) group.result = result;
    } else {
        group.result = result;
        result = end_group();
    }
    pthread_mutex_unlock(&en_lock);
    return result;
}

ncclResult_t ncclSend(const void *sendbuff, size_t count, ncclDataType_t datatype, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
    return call(
        "ncclSend", comm, stream,
        (en_op){
            .what = EN_SEND, .source = sendbuff, .count = count, .type = datatype, .peer = peer});
}

ncclResult_t ncclRecv(void *recvbuff, size_t count, ncclDataType_t datatype, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
    return call(
        "ncclRecv", comm, stream,
        (en_op){
            .what = EN_RECV, .target = recvbuff, .count = count, .type = datatype, .peer = peer});
}

ncclResult_t ncclAllReduce(const void *sendbuff, void *recvbuff, size_t count,
                           ncclDataType_t datatype, ncclRedOp_t op, ncclComm_t comm,
                           cudaStream_t stream) {
    rs_dtype dtype;
    if (!en_type_known(datatype, &dtype) || (int)op < 0 || op >= ncclNumOps) {
        return en_warn(ncclInvalidArgument, "AllReduce : invalid reduction operation or type");
    }
    const en_op noted = {.what = EN_ALL_REDUCE,
                         .source = sendbuff,
                         .target = recvbuff,
                         .count = count,
                         .type = datatype,
                         .op = op};
    if (count == 0) return en_ready(comm, "ncclAllReduce"); /* nothing at all */
    return call("ncclAllReduce", comm, stream, noted);
}
