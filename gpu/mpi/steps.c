/* steps.c: one rank's part of the schedule, step by step, with MPI_Isend and MPI_Irecv.
 *
 *     step s:   receives posted    |  sends posted      |  all there      |  added, in list order
 *               into `room`           out of `data`        MPI_Testany       rs_fold(arrived, own)
 *
 *   - A step reads before it writes: what is added arrives beside the array; what overwrites arrives
 *     in its place only where nothing else touches that place in this step.
 *   - Messages between the same two ranks in a step are told apart by their order, which MPI keeps:
 *     both ends go through them in list order.
 *   - Messages of more than 1 GiB go in parts: MPI counts in ints.
 */
#include "world.h"

#include <assert.h>
#include <string.h>

enum { PART_BYTES = 1 << 30, TAG_STEPS = 2 };

static int64_t bytes_of(const rg_job *job, const rs_transfer *t) {
    return rs_transfer_count(job->schedule, job->count, t) * rs_dtype_bytes(job->dtype);
}

static char *place_of(const rg_steps *steps, const rs_transfer *t) {
    const rg_job *job = steps->job;
    return steps->data + rs_chunk_offset(job->count, job->schedule->n_chunks, t->chunk) *
                             rs_dtype_bytes(job->dtype);
}

static int32_t next_step(const rs_schedule *s, int32_t step, int32_t rank) {
    return s->next_step != NULL && step < s->n_steps ? s->next_step(s, step, rank) : step;
}

/* ------------------------------------------------------------------ room */

/* Walks through this rank's steps: the most bytes that arrive, or are flipped, in one step, and the
   most parts of messages. */
static void measure(const world *w, const rg_steps *steps, int64_t *n_bytes, int64_t *n_parts) {
    const rs_schedule *s = steps->job->schedule;
    *n_bytes = *n_parts = 0;
    for (int32_t step = next_step(s, 0, w->rank); step < s->n_steps;
         step = next_step(s, step + 1, w->rank)) {
        const int n[2] = {s->sends(s, step, w->rank, steps->sends),
                          s->recvs(s, step, w->rank, steps->recvs)};
        int64_t bytes = 0, parts = 0;
        for (int way = 0; way < 2; way++) {
            for (int i = 0; i < n[way]; i++) {
                const int64_t b = bytes_of(steps->job, way ? &steps->recvs[i] : &steps->sends[i]);
                if (way == 1 || steps->job->flip_rank == w->rank) bytes += b;
                parts += b / PART_BYTES + 1;
            }
        }
        if (bytes > *n_bytes) *n_bytes = bytes;
        if (parts > *n_parts) *n_parts = parts;
    }
}

rs_status rg_steps_new(const world *w, const rg_job *job, void *data, rs_arena *arena,
                       rs_error *error, rg_steps *steps) {
    const size_t n = (size_t)job->schedule->max_sends + 1;
    int64_t n_bytes, n_parts;
    *steps = (rg_steps){.job = job, .data = data};
    steps->sends = rs_alloc(arena, n, sizeof *steps->sends);
    steps->recvs = rs_alloc(arena, n, sizeof *steps->recvs);
    steps->arrives = rs_alloc(arena, n, sizeof *steps->arrives);
    if (steps->sends != NULL && steps->recvs != NULL && steps->arrives != NULL) {
        measure(w, steps, &n_bytes, &n_parts);
        steps->room = rs_alloc(arena, (size_t)n_bytes + 1, 1);
        steps->requests = rs_alloc(arena, (size_t)n_parts + 1, sizeof(MPI_Request));
        steps->owners = rs_alloc(arena, (size_t)n_parts + 1, sizeof *steps->owners);
        steps->missing = rs_alloc(arena, n, sizeof *steps->missing);
        if (steps->room != NULL && steps->requests != NULL && steps->owners != NULL &&
            steps->missing != NULL) {
            return RS_OK;
        }
    }
    return rs_fail(error, RS_NO_MEMORY, "no memory for the messages; take smaller sizes");
}

/* ------------------------------------------------------------------ one step */

static bool meet(const rs_transfer *a, const rs_transfer *b) {
    return a->chunk < b->chunk + b->n_chunks && b->chunk < a->chunk + a->n_chunks;
}

/* Tells whether receive i may arrive in its place: it overwrites, and nothing else of this step
   touches the place. */
static bool lands(const rg_steps *steps, int i, int n_sends, int n_recvs) {
    const rs_transfer *t = &steps->recvs[i];
    bool alone = t->effect == RS_COPY;
    for (int k = 0; k < n_sends && alone; k++) alone = !meet(t, &steps->sends[k]);
    for (int k = 0; k < n_recvs && alone; k++) alone = k == i || !meet(t, &steps->recvs[k]);
    return alone;
}

/* Posts a message in parts; an empty one is sent, too. */
static void post(rg_steps *steps, char *bytes, int64_t n, int32_t peer, bool sending, int owner) {
    for (int64_t done = 0; done == 0 || done < n; done += PART_BYTES) {
        const int part = (int)(n - done < PART_BYTES ? n - done : PART_BYTES);
        MPI_Request *request = &steps->requests[steps->n_requests];
        if (sending) {
            MPI_Isend(bytes + done, part, MPI_BYTE, peer, TAG_STEPS, MPI_COMM_WORLD, request);
        } else {
            MPI_Irecv(bytes + done, part, MPI_BYTE, peer, TAG_STEPS, MPI_COMM_WORLD, request);
        }
        steps->owners[steps->n_requests++] = owner;
        if (!sending) steps->missing[owner]++;
    }
}

static void post_all(const world *w, rg_steps *steps, int32_t step, int n_sends, int n_recvs) {
    const rg_job *job = steps->job;
    char *room = steps->room;
    steps->n_requests = 0;
    for (int i = 0; i < n_recvs; i++) {
        const rs_transfer *t = &steps->recvs[i];
        const int64_t n = bytes_of(job, t);
        const bool landing = lands(steps, i, n_sends, n_recvs);
        steps->arrives[i] = landing ? place_of(steps, t) : room;
        if (!landing) room += n;
        steps->missing[i] = 0;
        post(steps, steps->arrives[i], n, t->src, false, i);
    }
    for (int i = 0; i < n_sends; i++) {
        const rs_transfer *t = &steps->sends[i];
        const int64_t n = bytes_of(job, t);
        char *bytes = place_of(steps, t);
        if (job->flip_rank == w->rank && job->flip_step == step && n > 0) {
            memcpy(room, bytes, (size_t)n); /* the bit flips on the way, not in the array */
            bytes = room;
            *bytes ^= 1;
            room += n;
        }
        post(steps, bytes, n, t->dst, true, ~i);
    }
}

static rs_timed timed(const rs_transfer *t, int32_t step, int64_t start_ps) {
    return (rs_timed){.transfer = *t, .step = step, .start_ps = start_ps};
}

static void note_start(rg_steps *steps, int32_t step, int n_sends, int n_recvs) {
    rg_log *log = steps->log;
    if (log == NULL) return;
    const int64_t now_ps = rg_now_ps();
    for (int i = 0; i < n_sends; i++) {
        log->sends[log->n_sends++] = timed(&steps->sends[i], step, now_ps);
    }
    for (int i = 0; i < n_recvs; i++)
        log->recvs[log->n_recvs + i] = timed(&steps->recvs[i], step, now_ps);
}

/* Notes whose messages have not come, and who has not taken ours. */
static void note_waits(world *w, const rg_steps *steps) {
    w->n_waits_for = 0;
    for (int i = 0; i < steps->n_requests; i++) {
        if (steps->requests[i] == MPI_REQUEST_NULL) continue;
        const int owner = steps->owners[i];
        const int32_t peer = owner >= 0 ? steps->recvs[owner].src : steps->sends[~owner].dst;
        int k = 0;
        while (k < w->n_waits_for && w->waits_for[k] != peer) k++;
        if (k == w->n_waits_for && k < RG_MOST_WAITS) w->waits_for[w->n_waits_for++] = peer;
    }
}

/* Waits until all of the step's messages are there and gone. */
static bool await_all(world *w, rg_steps *steps) {
    for (int left = steps->n_requests; left > 0; left--) {
        int index;
        if (!rg_wait_any(w, steps->requests, steps->n_requests, &index)) {
            note_waits(w, steps);
            return false;
        }
        const int owner = steps->owners[index];
        if (owner < 0 || --steps->missing[owner] > 0 || steps->log == NULL) continue;
        steps->log->recvs[steps->log->n_recvs + owner].end_ps = rg_now_ps();
    }
    return true;
}

static void apply(rg_steps *steps, int n_recvs) {
    const rg_job *job = steps->job;
    for (int i = 0; i < n_recvs; i++) {
        const rs_transfer *t = &steps->recvs[i];
        char *own = place_of(steps, t);
        if (t->effect == RS_REDUCE) {
            rs_fold(job->dtype, job->op, steps->arrives[i], own, own,
                    rs_transfer_count(job->schedule, job->count, t));
        } else if (steps->arrives[i] != own) {
            memcpy(own, steps->arrives[i], (size_t)bytes_of(job, t));
        }
        if (steps->log == NULL) continue;
        rs_timed *seen = &steps->log->recvs[steps->log->n_recvs + i];
        seen->done_ps = t->effect == RS_REDUCE ? rg_now_ps() : seen->end_ps;
    }
    if (steps->log != NULL) steps->log->n_recvs += n_recvs;
}

bool rg_steps_run(world *w, rg_steps *steps) {
    const rg_job *job = steps->job;
    const rs_schedule *s = job->schedule;
    for (int32_t step = next_step(s, 0, w->rank); step < s->n_steps;
         step = next_step(s, step + 1, w->rank)) {
        const int n_sends = s->sends(s, step, w->rank, steps->sends);
        const int n_recvs = s->recvs(s, step, w->rank, steps->recvs);
        w->step = step;
        note_start(steps, step, n_sends, n_recvs);
        post_all(w, steps, step, n_sends, n_recvs);
        if (!await_all(w, steps)) return false;
        apply(steps, n_recvs);
    }
    w->step = -1;
    rs_finish(job->dtype, job->op, s->n_ranks, steps->data, job->count);
    return true;
}
