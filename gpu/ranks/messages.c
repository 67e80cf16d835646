/* messages.c: walks through one rank's steps. See messages.h. */
#include "ranks/messages.h"

#include <assert.h>

/* Returns the place of the first element of a chunk, in bytes. */
static int64_t place_of(const rg_job *job, int32_t chunk) {
    return rs_chunk_first(job->schedule, job->count, chunk) * rs_dtype_bytes(job->dtype);
}

static bool overlap(const rs_transfer *a, const rs_transfer *b) {
    return a->chunk < b->chunk + b->n_chunks && b->chunk < a->chunk + a->n_chunks;
}

/* Tells whether receive i may arrive in its place: it is a copy, and nothing else in this step
   touches the place. */
static bool lands(const rg_messages *m, int i) {
    const rs_transfer *t = &m->recvs[i].transfer;
    bool alone = t->effect == RS_COPY;
    for (int k = 0; k < m->n_sends && alone; k++) alone = !overlap(t, &m->sends[k].transfer);
    for (int k = 0; k < m->n_recvs && alone; k++) {
        alone = k == i || !overlap(t, &m->recvs[k].transfer);
    }
    return alone;
}

static void list_messages(rg_messages *m, int n, rg_message out[]) {
    const rg_job *job = m->job;
    for (int i = 0; i < n; i++) {
        const rs_transfer *t = &m->list[i];
        out[i] = (rg_message){
            *t, place_of(job, t->chunk),
            rs_transfer_count(job->schedule, job->count, t) * rs_dtype_bytes(job->dtype), -1, -1};
    }
}

/* Finds what each message of a lower rank is added to; false: the next one has other chunks. */
static bool chain_lower(rg_messages *m) {
    for (int i = 0; i < m->n_recvs && m->recvs[i].transfer.src < m->rank; i++) {
        const rs_transfer *t = &m->recvs[i].transfer;
        int k = i + 1;
        while (k < m->n_recvs && !overlap(t, &m->recvs[k].transfer)) k++;
        if (k == m->n_recvs || m->recvs[k].transfer.src > m->rank) continue;
        m->recvs[i].onto = k;
        if (m->recvs[k].transfer.chunk != t->chunk || m->recvs[k].transfer.n_chunks != t->n_chunks)
            return false;
    }
    return true;
}

static void put_beside(rg_message *message, int64_t *room) {
    message->beside = *room;
    *room += (message->n_bytes + RG_ROOM_UNIT - 1) / RG_ROOM_UNIT * RG_ROOM_UNIT;
}

/* Fills in the step; returns the bytes of the room that it needs. */
static int64_t list_step(rg_messages *m) {
    const rs_schedule *s = m->job->schedule;
    int64_t room = 0;
    if (m->step >= s->n_steps) return 0;
    m->n_sends = s->sends(s, m->step, m->rank, m->list);
    list_messages(m, m->n_sends, m->sends);
    m->n_recvs = s->recvs(s, m->step, m->rank, m->list);
    list_messages(m, m->n_recvs, m->recvs);
    for (int i = 0; i < m->n_recvs; i++) {
        if (!lands(m, i)) put_beside(&m->recvs[i], &room);
    }
    if (s->by_rank && !chain_lower(m)) m->tangled = true;
    const bool now = m->job->flip_run == 0 || m->job->flip_run == m->run;
    if (now && m->job->flip_rank == m->rank && m->job->flip_step == m->step) {
        for (int i = 0; i < m->n_sends; i++) put_beside(&m->sends[i], &room);
    }
    return room;
}

static int64_t go(rg_messages *m, int32_t step) {
    const rs_schedule *s = m->job->schedule;
    m->step = s->next_step != NULL && step < s->n_steps ? s->next_step(s, step, m->rank) : step;
    m->n_sends = m->n_recvs = 0;
    return list_step(m);
}

void rg_messages_first(rg_messages *messages) {
    go(messages, 0);
}

void rg_messages_next(rg_messages *messages) {
    assert(messages->step < messages->job->schedule->n_steps);
    go(messages, messages->step + 1);
}

rs_status rg_messages_new(const rg_job *job, int32_t rank, rs_arena *arena, rs_error *error,
                          rg_messages *messages) {
    assert(rank >= 0);
    assert(rank < job->schedule->n_ranks);
    const size_t n = (size_t)job->schedule->max_sends + 1;
    rg_messages m = {.job = job, .rank = rank, .run = job->flip_run}; /* the most room */
    m.list = rs_alloc(arena, n, sizeof *m.list);
    m.sends = rs_alloc(arena, n, sizeof *m.sends);
    m.recvs = rs_alloc(arena, n, sizeof *m.recvs);
    if (m.list == NULL || m.sends == NULL || m.recvs == NULL) {
        return rs_fail(error, RS_NO_MEMORY, "no memory for the messages of rank %d", (int)rank);
    }
    for (int64_t room = go(&m, 0); m.step < job->schedule->n_steps; room = go(&m, m.step + 1)) {
        if (room > m.room_bytes) m.room_bytes = room;
        m.total_sends += m.n_sends;
        m.total_recvs += m.n_recvs;
    }
    m.run = 0;
    if (m.tangled) {
        return rs_fail(error, RS_UNSUPPORTED,
                       "what is added by rank must come in messages of the same chunks here");
    }
    *messages = m;
    return RS_OK;
}
