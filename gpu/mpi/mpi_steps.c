/* mpi_steps.c: one rank's part of the schedule, step by step, with MPI_Isend and MPI_Irecv.
 *
 *     step s:   receives posted    |  sends posted      |  all there      |  added, in list order
 *               into the room         out of the array     MPI_Testany       rs_fold(arrived, own)
 *
 *   - Where a message arrives: messages.h.
 *   - Only their order, which MPI keeps, distinguishes messages between the same two ranks in a
 *     step: both ends go through them in list order. An empty message is sent, too.
 *   - Messages of more than 1 GiB go in parts: MPI counts in ints.
 */
#include "mpi/mpi_world.h"

#include <assert.h>
#include <sched.h>
#include <string.h>

/* ------------------------------------------------------------------ waits for messages, with a deadline */

bool rg_wait_any(rg_ranks *ranks, MPI_Request requests[], int n, int *index) {
    enum { SPINS = 64 };
    for (int64_t i = 1;; i++) {
        int done;
        MPI_Testany(n, requests, index, &done, MPI_STATUS_IGNORE);
        if (done) return true;
        if (i % SPINS != 0) continue;
        if (rg_ranks_late(ranks)) return false;
        sched_yield();
    }
}

enum { PART_BYTES = 1 << 30, TAG_STEPS = 2 };

typedef struct steps {
    int *missing;          /* [max_sends] of each receive, how many parts are still under way */
    MPI_Request *requests; /* one a part of a message, of both ways */
    int *owners;           /* whose part a request is: receive i, or send ~i */
    int n_requests;
} steps;

static int64_t parts_of(const rg_message list[], int n) {
    int64_t parts = 0;
    for (int i = 0; i < n; i++) parts += list[i].n_bytes / PART_BYTES + 1;
    return parts;
}

rs_status rg_mpi_prepare(rg_ranks *ranks, rg_rank_job *work, rs_arena *arena, rs_error *error) {
    (void)ranks;
    rg_messages *m = &work->messages;
    int64_t most = 0;
    work->array = work->target.data;
    work->room = rs_alloc(arena, (size_t)m->room_bytes + 1, 1);
    for (rg_messages_first(m); m->step < work->job->schedule->n_steps; rg_messages_next(m)) {
        const int64_t n = parts_of(m->sends, m->n_sends) + parts_of(m->recvs, m->n_recvs);
        if (n > most) most = n;
    }
    steps *own = work->own = rs_alloc(arena, 1, sizeof *own);
    if (own != NULL) {
        own->requests = rs_alloc(arena, (size_t)most + 1, sizeof(MPI_Request));
        own->owners = rs_alloc(arena, (size_t)most + 1, sizeof *own->owners);
        own->missing =
            rs_alloc(arena, (size_t)work->job->schedule->max_sends + 1, sizeof *own->missing);
    }
    if (!arena->lacked) return RS_OK;
    return rs_fail(error, RS_NO_MEMORY, "no memory for the messages; take smaller sizes");
}

/* ------------------------------------------------------------------ one step */

static void post(steps *own, char *bytes, int64_t n, int32_t peer, bool sending, int owner) {
    assert(n >= 0);
    for (int64_t done = 0; done == 0 || done < n; done += PART_BYTES) {
        const int part = (int)(n - done < PART_BYTES ? n - done : PART_BYTES);
        MPI_Request *request = &own->requests[own->n_requests];
        if (sending) {
            MPI_Isend(bytes + done, part, MPI_BYTE, peer, TAG_STEPS, MPI_COMM_WORLD, request);
        } else {
            MPI_Irecv(bytes + done, part, MPI_BYTE, peer, TAG_STEPS, MPI_COMM_WORLD, request);
        }
        own->owners[own->n_requests++] = owner;
        if (!sending) own->missing[owner]++;
    }
}

/* The bit flips on the way, not in the array. */
static void flip(const rg_rank_job *work, const rg_message *message) {
    char *bytes = rg_way_of(work, message);
    if (message->n_bytes == 0) return;
    memcpy(bytes, rg_place_of(work, message), (size_t)message->n_bytes);
    *bytes ^= 1;
}

static void post_all(const rg_rank_job *work) {
    const rg_messages *m = &work->messages;
    steps *own = work->own;
    own->n_requests = 0;
    for (int i = 0; i < m->n_recvs; i++) {
        own->missing[i] = 0;
        post(own, rg_way_of(work, &m->recvs[i]), m->recvs[i].n_bytes, m->recvs[i].transfer.src,
             false, i);
    }
    for (int i = 0; i < m->n_sends; i++) {
        const rg_message *t = &m->sends[i];
        if (t->beside >= 0) flip(work, t);
        post(own, rg_way_of(work, t), t->n_bytes, t->transfer.dst, true, ~i);
    }
}

/* Notes which ranks' messages have not arrived, and which ranks have not received ours. */
static void note_waits(rg_ranks *ranks, const rg_rank_job *work) {
    const steps *own = work->own;
    const rg_messages *m = &work->messages;
    for (int i = 0; i < own->n_requests; i++) {
        if (own->requests[i] == MPI_REQUEST_NULL) continue;
        const int owner = own->owners[i];
        rg_ranks_is_open(ranks, owner < 0, owner < 0 ? ~owner : owner);
        rg_ranks_waits_for(ranks, owner >= 0 ? m->recvs[owner].transfer.src
                                             : m->sends[~owner].transfer.dst);
    }
}

/* Waits until all of the step's messages have arrived and left. */
static bool await_all(rg_ranks *ranks, const rg_rank_job *work) {
    steps *own = work->own;
    for (int left = own->n_requests; left > 0; left--) {
        int index;
        if (!rg_wait_any(ranks, own->requests, own->n_requests, &index)) {
            note_waits(ranks, work);
            return false;
        }
        const int owner = own->owners[index];
        if (owner < 0 || --own->missing[owner] > 0 || work->log == NULL) continue;
        rg_log_recv(work->log, owner)->end_ps = rg_now_ps();
    }
    return true;
}

static void apply(const rg_rank_job *work) {
    const rg_job *job = work->job;
    const rg_messages *m = &work->messages;
    for (int i = 0; i < m->n_recvs; i++) {
        const rg_message *t = &m->recvs[i];
        char *place = t->onto < 0 ? rg_place_of(work, t) : rg_way_of(work, &m->recvs[t->onto]);
        const bool adds = t->transfer.effect == RS_REDUCE;
        if (adds) {
            rs_fold(job->dtype, job->op, rg_way_of(work, t), place, place,
                    t->n_bytes / rs_dtype_bytes(job->dtype));
        } else if (t->beside >= 0) {
            memcpy(place, rg_way_of(work, t), (size_t)t->n_bytes);
        }
        if (work->log == NULL) continue;
        rs_timed *seen = rg_log_recv(work->log, i);
        seen->done_ps = adds ? rg_now_ps() : seen->end_ps;
    }
}

bool rg_mpi_run(rg_ranks *ranks, rg_rank_job *work) {
    const rg_job *job = work->job;
    rg_messages *m = &work->messages;
    for (rg_messages_first(m); m->step < job->schedule->n_steps; rg_messages_next(m)) {
        ranks->step = m->step;
        if (work->log != NULL) rg_log_start(work->log, m, rg_now_ps());
        post_all(work);
        if (!await_all(ranks, work)) return false;
        apply(work);
    }
    ranks->step = -1;
    rg_finish_all(job, work->target.data);
    return true;
}
