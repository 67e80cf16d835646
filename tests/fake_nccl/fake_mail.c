/* fake_mail.c: messages from one rank to another, through a box that holds one part at a time.
 *
 *     receiver: wants n --> sender: part, part, ..., the last one: nothing is wanted any more
 *
 * A send without its receive, or with one of another size, never ends; of sizes sockets tell, too.
 */
#include "fake_nccl.h"

#include <string.h>

fn_box *fn_box_of(const struct ncclComm *comm, fn_what what, int peer) {
    return what == FN_SEND ? &comm->shared->boxes[comm->rank][peer]
                           : &comm->shared->boxes[peer][comm->rank];
}

bool fn_send(struct ncclComm *comm, fn_op *op) {
    fn_box *box = fn_box_of(comm, FN_SEND, op->peer);
    if (box->wanted != 0 && box->wanted != op->n_bytes && comm->through_sockets) {
        comm->state = fn_refuse(ncclInvalidUsage, "peer %d message truncated", op->peer);
    }
    if (box->wanted != op->n_bytes || box->n_bytes > 0) return false;
    const int64_t left = op->n_bytes - op->n_done;
    const int64_t n = left < FN_PART_BYTES ? left : FN_PART_BYTES;
    memcpy(box->part, op->source + op->n_done, (size_t)n);
    if (op->flip && op->n_done == 0) box->part[0] ^= 1;
    op->n_done += n;
    if (n == left) box->wanted = 0; /* before the receiver sees the last part, and wants the next */
    box->n_bytes = n;
    return n == left;
}

bool fn_recv(struct ncclComm *comm, fn_op *op) {
    fn_box *box = fn_box_of(comm, FN_RECV, op->peer);
    if (op->stage == 0) box->wanted = op->n_bytes;
    op->stage = 1;
    const int64_t n = box->n_bytes;
    if (n == 0) return false;
    memcpy(op->target + op->n_done, box->part, (size_t)n);
    op->n_done += n;
    box->n_bytes = 0;
    return op->n_done == op->n_bytes;
}
