/* nccl_steps.c: one rank's part of the schedule, step by step, with ncclSend, ncclRecv and our kernel.
 *
 *     stream:   | group: all sends and receives | kernels: what came op own, in list order | next step
 *             start                          arrived                                     done
 *
 *   - messages.h says where a message arrives. A step's messages form one group, since each may wait for the
 *     other. The stream runs the kernels after the group, so that they add what has arrived.
 *   - All types travel as ncclInt8. NCCL matches a group's messages between the same two ranks in the order
 *     of the calls: both ends make the calls in list order.
 *   - Nobody sends an empty message: NCCL does not say what a count of 0 does, and both ends know that
 *     it is empty. In the trace it has its step's times.
 *   - The host runs ahead of the GPU by a window of steps at most. So it can name the step of a hang, and
 *     it reads the times of a trace as the window moves on.
 *
 * A trace has the same times for all messages of a step, those of its group and of its kernels: NCCL does
 * not say when one message of a group ended.
 */
#include "nccl/nccl_world.h"

#include <assert.h>

enum { WINDOW = 64, BYTES_A_THREAD = 16, LOOKS = 8 };

enum { START, ARRIVED, DONE, N_EVENTS }; /* of them only the last without a trace */

typedef struct slot { /* a step on the stream */
    int32_t step;
    cudaEvent_t events[N_EVENTS];
    int64_t first_send, first_recv; /* in the log */
    int n_sends, n_recvs;
} slot;

typedef struct rg_window {
    slot slots[WINDOW];
    int64_t n_begun, n_ended;
    cudaEvent_t origin; /* time 0 of the log; NULL: the job keeps no trace */
} rg_window;

/* ------------------------------------------------------------------ the window */

bool rg_nccl_window_new(rg_nccl_world *w, const rg_rank_job *work, rs_arena *arena) {
    rg_nccl_buffers *store = work->own;
    rg_window *made = rs_alloc(arena, 1, sizeof *made);
    if (made == NULL) {
        w->status = RS_NO_MEMORY;
        return rg_ranks_trouble(&w->ranks, "no memory for the steps");
    }
    store->window = made;
    const bool trace = work->job->trace;
    const unsigned flags = trace ? cudaEventDefault : cudaEventDisableTiming;
    if (trace && !RG_CUDA(w, cudaEventCreateWithFlags(&made->origin, flags))) return false;
    for (int i = 0; i < WINDOW * N_EVENTS; i++) {
        cudaEvent_t *event = &made->slots[i / N_EVENTS].events[i % N_EVENTS];
        if (!trace && i % N_EVENTS != DONE) continue;
        if (!RG_CUDA(w, cudaEventCreateWithFlags(event, flags))) return false;
    }
    return true;
}

void rg_nccl_window_end(rg_window *window) {
    if (window == NULL) return;
    if (window->origin != NULL) cudaEventDestroy(window->origin);
    for (int i = 0; i < WINDOW * N_EVENTS; i++) {
        const cudaEvent_t event = window->slots[i / N_EVENTS].events[i % N_EVENTS];
        if (event != NULL) cudaEventDestroy(event);
    }
}

/* Returns picoseconds since the run's first event; half a microsecond is what CUDA promises. */
static bool since_origin(rg_nccl_world *w, const rg_window *window, cudaEvent_t event,
                         int64_t *ps) {
    float ms = 0;
    if (!RG_CUDA(w, cudaEventElapsedTime(&ms, window->origin, event))) return false;
    *ps = (int64_t)((double)ms * 1e9);
    return true;
}

static bool log_slot(rg_nccl_world *w, const rg_window *window, const slot *s, rg_log *log) {
    int64_t at_ps[N_EVENTS];
    for (int i = 0; i < N_EVENTS; i++) {
        if (!since_origin(w, window, s->events[i], &at_ps[i])) return false;
    }
    for (int i = 0; i < s->n_sends; i++) log->sends[s->first_send + i].start_ps = at_ps[START];
    for (int i = 0; i < s->n_recvs; i++) {
        rs_timed *seen = &log->recvs[s->first_recv + i];
        seen->start_ps = at_ps[START];
        seen->end_ps = at_ps[ARRIVED];
        seen->done_ps = at_ps[seen->transfer.effect == RS_REDUCE ? DONE : ARRIVED];
    }
    return true;
}

/* Waits for the oldest step on the stream. */
static bool end_one(rg_nccl_world *w, rg_rank_job *work, rg_window *window) {
    assert(window->n_ended < window->n_begun);
    const slot *s = &window->slots[window->n_ended % WINDOW];
    if (!rg_nccl_wait(w, w->comm, s->events[DONE])) return false;
    window->n_ended++;
    return work->log == NULL || log_slot(w, window, s, work->log);
}

/* Notes in which step the GPU is, and for whom it may wait there. */
static void note_waits(rg_nccl_world *w, rg_rank_job *work) {
    const rg_nccl_buffers *store = work->own;
    const rg_window *window = store->window;
    rg_messages *m = &work->messages;
    /* A call that failed belongs to the step that the host is at. */
    int64_t i = w->ranks.trouble[0] != '\0' && !w->in_wait ? window->n_begun : window->n_ended;
    while (i < window->n_begun &&
           cudaEventQuery(window->slots[i % WINDOW].events[DONE]) == cudaSuccess) {
        i++;
    }
    cudaGetLastError();
    /* The step that the host was about to begin may wait for its peers on the host. */
    const int32_t step = i < window->n_begun ? window->slots[i % WINDOW].step : m->step;
    rg_messages_first(m);
    while (m->step < step) rg_messages_next(m);
    w->ranks.step = step < work->job->schedule->n_steps ? step : -1;
    for (int k = 0; k < m->n_recvs; k++) {
        if (m->recvs[k].n_bytes == 0) continue;
        rg_ranks_is_open(&w->ranks, false, k);
        rg_ranks_waits_for(&w->ranks, m->recvs[k].transfer.src);
    }
    for (int k = 0; k < m->n_sends; k++) {
        if (m->sends[k].n_bytes == 0) continue;
        rg_ranks_is_open(&w->ranks, true, k);
        rg_ranks_waits_for(&w->ranks, m->sends[k].transfer.dst);
    }
}

/* ------------------------------------------------------------------ kernels */

static bool launch(rg_nccl_world *w, const rg_rank_job *work, rg_piece piece) {
    if (piece.count == 0) return true;
    const rg_job *job = work->job;
    const rg_nccl_buffers *store = work->own;
    const int64_t each = (int64_t)RG_THREADS * BYTES_A_THREAD, most = store->most_blocks;
    const int64_t blocks = (piece.count * rs_dtype_bytes(job->dtype) + each - 1) / each;
    const dim3 grid = {(unsigned)(blocks < most ? blocks : most), 1, 1}, block = {RG_THREADS, 1, 1};
    void *arguments[] = {&piece};
    piece.n_ranks = job->schedule->n_ranks;
    return RG_CUDA(w, cudaLaunchKernel(rg_kernel_of(RG_PIECE, job->dtype, job->op), grid, block,
                                       arguments, 0, w->stream));
}

static int64_t count_of(const rg_rank_job *work, const rg_message *message) {
    return message->n_bytes / rs_dtype_bytes(work->job->dtype);
}

/* The bit flips on the way, not in the array. */
static bool flip(rg_nccl_world *w, const rg_rank_job *work, const rg_message *message) {
    return launch(w, work,
                  (rg_piece){.left = rg_place_of(work, message),
                             .out = rg_way_of(work, message),
                             .count = count_of(work, message),
                             .op_kind = RG_COPY,
                             .flip = 1});
}

/* What came is added to the own, or takes its place. */
static bool apply(rg_nccl_world *w, const rg_rank_job *work, const rg_message *message) {
    const int onto = message->onto;
    char *own =
        onto < 0 ? rg_place_of(work, message) : rg_way_of(work, &work->messages.recvs[onto]);
    const bool adds = message->transfer.effect == RS_REDUCE;
    if (!adds && message->beside < 0) return true;
    return launch(w, work,
                  (rg_piece){.left = rg_way_of(work, message),
                             .right = adds ? own : NULL,
                             .out = own,
                             .count = count_of(work, message),
                             .op_kind = adds ? RG_REDUCE : RG_COPY});
}

/* ------------------------------------------------------------------ one step */

static bool send_all(rg_nccl_world *w, const rg_rank_job *work) {
    const rg_messages *m = &work->messages;
    for (int i = 0; i < m->n_recvs; i++) {
        const rg_message *t = &m->recvs[i];
        if (t->n_bytes > 0 && !RG_NCCL(w, w->comm, ncclRecv, rg_way_of(work, t), (size_t)t->n_bytes,
                                       ncclInt8, t->transfer.src, w->comm, w->stream)) {
            return false;
        }
    }
    for (int i = 0; i < m->n_sends; i++) {
        const rg_message *t = &m->sends[i];
        if (t->n_bytes > 0 && !RG_NCCL(w, w->comm, ncclSend, rg_way_of(work, t), (size_t)t->n_bytes,
                                       ncclInt8, t->transfer.dst, w->comm, w->stream)) {
            return false;
        }
    }
    return true;
}

/* The messages lie on the stream when this returns; the first between two ranks wait for each other
   here, on the host. */
static bool exchange(rg_nccl_world *w, const rg_rank_job *work) {
    return RG_NCCL(w, w->comm, ncclGroupStart) && send_all(w, work) &&
           RG_NCCL(w, w->comm, ncclGroupEnd) && rg_nccl_settle(w, w->comm, "ncclGroupEnd");
}

static bool mark(rg_nccl_world *w, const rg_rank_job *work, cudaEvent_t event) {
    return work->log == NULL || RG_CUDA(w, cudaEventRecord(event, w->stream));
}

static bool one_step(rg_nccl_world *w, rg_rank_job *work, rg_window *window) {
    assert(window->n_begun - window->n_ended < WINDOW);
    const rg_messages *m = &work->messages;
    slot *s = &window->slots[window->n_begun % WINDOW];
    s->step = m->step;
    s->n_sends = m->n_sends;
    s->n_recvs = m->n_recvs;
    if (work->log != NULL) {
        s->first_send = work->log->n_sends;
        s->first_recv = work->log->n_recvs;
        rg_log_start(work->log, m, 0);
    }
    for (int i = 0; i < m->n_sends; i++) {
        if (m->sends[i].beside >= 0 && !flip(w, work, &m->sends[i])) return false;
    }
    if (!mark(w, work, s->events[START]) || !exchange(w, work) ||
        !mark(w, work, s->events[ARRIVED])) {
        return false;
    }
    for (int i = 0; i < m->n_recvs; i++) {
        if (!apply(w, work, &m->recvs[i])) return false;
    }
    if (!RG_CUDA(w, cudaEventRecord(s->events[DONE], w->stream))) return false;
    window->n_begun++;
    return true;
}

/* ------------------------------------------------------------------ a run */

static bool go_through(rg_nccl_world *w, rg_rank_job *work, rg_window *window) {
    const rg_job *job = work->job;
    rg_messages *m = &work->messages;
    window->n_begun = window->n_ended = 0;
    if (!mark(w, work, window->origin)) return false;
    for (rg_messages_first(m); m->step < job->schedule->n_steps; rg_messages_next(m)) {
        w->ranks.step = m->step;
        if (m->n_sends + m->n_recvs == 0) continue;
        if (window->n_begun - window->n_ended == WINDOW && !end_one(w, work, window)) return false;
        if (!one_step(w, work, window)) return false;
    }
    const rg_piece all = {
        .left = work->array, .out = work->array, .count = job->count, .op_kind = RG_FINISH};
    return (!rg_divides(job) || launch(w, work, all)) && rg_nccl_wait(w, w->comm, NULL);
}

bool rg_nccl_run(rg_ranks *ranks, rg_rank_job *work) {
    rg_nccl_world *w = (rg_nccl_world *)ranks;
    rg_window *window = ((const rg_nccl_buffers *)work->own)->window;
    const bool good = go_through(w, work, window);
    if (good) w->ranks.step = -1;
    if (!good) note_waits(w, work);
    return good;
}

/* ------------------------------------------------------------------ the trace's clock */

/* An event of now, when the host looks at the clock before and after it: the quickest of some. */
bool rg_nccl_log_times(rg_nccl_world *w, rg_rank_job *work) {
    const rg_nccl_buffers *store = work->own;
    rg_window *window = store->window;
    if (work->log == NULL) return true;
    assert(window->origin != NULL);
    while (window->n_ended < window->n_begun) { /* all are over, but not read */
        if (!end_one(w, work, window)) return false;
    }
    const cudaEvent_t now = window->slots[0].events[DONE];
    int64_t best_ps = INT64_MAX, origin_ps = 0;
    for (int i = 0; i < LOOKS; i++) {
        int64_t since_ps;
        const int64_t before_ps = rg_now_ps();
        if (!RG_CUDA(w, cudaEventRecord(now, w->stream)) || !rg_nccl_wait(w, NULL, now)) {
            return false;
        }
        const int64_t after_ps = rg_now_ps();
        if (!since_origin(w, window, now, &since_ps)) return false;
        if (after_ps - before_ps >= best_ps) continue;
        best_ps = after_ps - before_ps;
        origin_ps = before_ps + best_ps / 2 - since_ps;
    }
    rg_log_shift(work->log, origin_ps);
    return true;
}
