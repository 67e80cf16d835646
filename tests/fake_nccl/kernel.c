/* kernel.c: what one group does on the stream, a little at each look, until it is done.
 *
 *     all-reduces, one after another  -->  all messages at once  -->  done
 *
 * The runtime calls en_kernel_step when its stream is synchronised or queried, and not before all that
 * lies in front of it on the stream is done. It never waits longer than a nap of a millisecond.
 */
#include "nccl_emu.h"

#include <stdlib.h>
#include <string.h>

void en_kernel_free(en_kernel *kernel) {
    en_reduce_free(kernel->reduce);
    free(kernel->messages);
    free(kernel->ops);
    free(kernel);
}

static void begin(en_kernel *kernel) {
    struct ncclComm *comm = kernel->comm;
    kernel->begun = true;
    kernel->begins_ns = en_now_ns() + en_delay_ns(comm->rank);
    kernel->stalls = en_fault("STALL", "kernel", comm->rank);
    kernel->messages = calloc((size_t)kernel->n_ops + 1, sizeof *kernel->messages);
    if (kernel->messages == NULL) abort();
}

/* ------------------------------------------------------------------ messages */

/* The n-th send to oneself goes into the n-th receive from oneself. */
static void copy_own(en_kernel *kernel) {
    const int rank = kernel->comm->rank, n = kernel->n_ops;
    for (int s = 0, r = 0; s < n; s++) {
        const en_op *send = &kernel->ops[s];
        if (send->what != EN_SEND || send->peer != rank) continue;
        while (kernel->ops[r].what != EN_RECV || kernel->ops[r].peer != rank) r++;
        const en_op *recv = &kernel->ops[r++];
        const size_t bytes = send->count * (size_t)en_type_bytes(send->type);
        const size_t room = recv->count * (size_t)en_type_bytes(recv->type);
        if (room > 0) memmove(recv->target, send->source, bytes < room ? bytes : room);
        if (room > 0 && bytes > 0) *(char *)recv->target ^= (char)send->flip;
    }
}

static void post(en_kernel *kernel) {
    kernel->posted = true;
    copy_own(kernel);
    for (int i = 0; i < kernel->n_ops; i++) {
        const en_op *op = &kernel->ops[i];
        en_message *message = &kernel->messages[i];
        message->done = true;
        if (op->what == EN_ALL_REDUCE || op->peer == kernel->comm->rank) continue;
        const bool is_send = op->what == EN_SEND;
        char *place = is_send ? (char *)(uintptr_t)op->source : op->target;
        *message = (en_message){.data = place,
                                .n_bytes = (int64_t)op->count * en_type_bytes(op->type),
                                .peer = op->peer,
                                .lane = EN_P2P,
                                .is_send = is_send,
                                .flip = op->flip};
        en_post(kernel->comm, message);
    }
}

static bool all_done(const en_kernel *kernel) {
    for (int i = 0; i < kernel->n_ops; i++) {
        if (!kernel->messages[i].done) return false;
    }
    return true;
}

/* ------------------------------------------------------------------ a look */

/* true: no all-reduce is left. */
static bool reduce(en_kernel *kernel) {
    for (; kernel->at < kernel->n_ops; kernel->at++) {
        const en_op *op = &kernel->ops[kernel->at];
        if (op->what != EN_ALL_REDUCE) continue;
        if (kernel->reduce == NULL) kernel->reduce = en_reduce_new(kernel->comm, op);
        if (!en_reduce_step(kernel->reduce)) return false;
        en_reduce_free(kernel->reduce);
        kernel->reduce = NULL;
    }
    return true;
}

static bool look(en_kernel *kernel) {
    if (!kernel->begun) begin(kernel);
    if (kernel->stalls || en_now_ns() < kernel->begins_ns) return false;
    if (!reduce(kernel)) return false;
    if (!kernel->posted) post(kernel);
    en_pump(kernel->comm);
    return all_done(kernel);
}

static void leave(en_kernel *kernel) {
    struct ncclComm *comm = kernel->comm;
    en_kernel **place = &comm->kernels;
    while (*place != kernel) place = &(*place)->next;
    *place = kernel->next;
    if (en_fault("ASYNC", "kernel", comm->rank) && comm->state == ncclSuccess) {
        comm->state = en_warn(ncclRemoteError, "a remote error, as EMU_NCCL_ASYNC asks");
    }
}

bool en_kernel_step(void *context) {
    en_kernel *kernel = context;
    pthread_mutex_lock(&en_lock);
    struct ncclComm *comm = kernel->comm;
    bool done = comm == NULL;
    if (comm != NULL) {
        comm->in_step = true;
        const bool moved = en_pump(comm);
        done = look(kernel);
        comm->in_step = false;
        if (done) leave(kernel);
        if (!done && !moved) {
            comm->n_inside++;
            pthread_mutex_unlock(&en_lock);
            en_nap(comm);
            pthread_mutex_lock(&en_lock);
            comm->n_inside--;
        }
    }
    if (done) en_kernel_free(kernel);
    pthread_mutex_unlock(&en_lock);
    return done;
}
