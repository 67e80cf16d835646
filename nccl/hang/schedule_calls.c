/* schedule_calls.c: what the flight recorder of a rank would hold that runs a schedule with isend and irecv.
 *
 *     barrier | send, recv of step 0 | of step 1 | ...      a run; then the next one
 *
 *   - A rank posts all of a step's messages, and goes on when they are over; the channels of a machine go on each for
 *     itself.
 *   - A call's line is "ring:7": the schedule's name, and the step.
 *   - The recorder keeps the last RN_RECORDER_ENTRIES calls, as torch's does unless told otherwise.
 */
#include "ringsim_hang.h"

#include <stdio.h>
#include <string.h>

enum { W_NOTHING, W_GROUP, W_DESC, W_SEND, W_RECV, W_BARRIER, W_DTYPE, W_STEPS, WHERE = 96 };

typedef struct calls_maker {
    const rn_standing *at;
    rn_dump *dump;
    rs_transfer *list;             /* [max_sends] */
    bool blocked[RS_MAX_CHANNELS]; /* a message of an earlier step is not over */
    int64_t now_ns[RS_MAX_CHANNELS], then_ns[RS_MAX_CHANNELS]; /* when the step began, ends */
    int64_t n_skipped, n_made;      /* calls that are lost; that were made */
    int64_t n_messages, n_barriers; /* made */
    int32_t step, step_word;        /* the last step that has a word; n_steps: none has */
} calls_maker;

const char *rn_torch_dtype(rs_dtype dtype) {
    static const char *const names[] = {"Char",   "Byte", "Int",      "UInt32", "Long",
                                        "UInt64", "Half", "BFloat16", "Float",  "Double"};
    _Static_assert(sizeof names / sizeof *names == RS_N_DTYPES, "in the order of the types");
    return names[dtype];
}

/* ------------------------------------------------------------------ a call */

/* Returns the next call's place; NULL: it is lost, or only counted. */
static rn_call *next_call(calls_maker *m) {
    rn_dump *d = m->dump;
    if (m->n_made++ < m->n_skipped || d->calls == NULL) return NULL;
    rn_call *call = &d->calls[d->n_calls++];
    *call = (rn_call){.dtype = W_DTYPE, .peer = -1, .root = -1, .op = -1};
    return call;
}

static void add_barrier(calls_maker *m, bool over) {
    rn_call *call = next_call(m);
    m->n_barriers++;
    if (call == NULL) return;
    call->name = W_BARRIER;
    call->seq = m->n_barriers;
    call->n_in = call->n_out = 1;
    call->state = over ? RN_CALL_COMPLETED : RN_CALL_SCHEDULED;
}

/* Returns the word that names a step. */
static uint32_t word_of_step(calls_maker *m, int32_t step) {
    rn_dump *d = m->dump;
    if (m->step != step) {
        char *text = (char *)(uintptr_t)d->words[d->n_words];
        snprintf(text, WHERE, "%.80s:%d", m->at->schedule->name, (int)step);
        m->step = step;
        m->step_word = (int32_t)d->n_words++;
    }
    return (uint32_t)m->step_word;
}

/* Adds a message of the rank; returns false where it is not over. */
static bool add_message(calls_maker *m, int32_t step, const rs_transfer *t, bool sends,
                        bool whole) {
    const rn_standing *at = m->at;
    const rs_schedule *s = at->schedule;
    int64_t end_ns = 0;
    const bool over = whole || at->over(at->context, step, t, sends, &end_ns);
    rn_call *call = next_call(m);
    m->n_messages++;
    if (end_ns > m->then_ns[t->channel]) m->then_ns[t->channel] = end_ns;
    if (call == NULL) return over;
    call->name = sends ? W_SEND : W_RECV;
    call->seq = m->n_messages;
    call->sends = sends;
    call->peer = sends ? t->dst : t->src;
    call->n_in = call->n_out = rs_chunk_first(s, at->count, t->chunk + t->n_chunks) -
                               rs_chunk_first(s, at->count, t->chunk);
    call->where = word_of_step(m, step);
    call->completed_ns = end_ns;
    call->state = over ? RN_CALL_COMPLETED : RN_CALL_SCHEDULED;
    return over;
}

/* ------------------------------------------------------------------ a run */

/* One way's messages of a step; returns whether one of them is not over, by channel. */
static void add_way(calls_maker *m, int32_t step, int32_t rank, bool sends, bool whole,
                    bool open[RS_MAX_CHANNELS]) {
    const rs_schedule *s = m->at->schedule;
    const int n = sends ? s->sends(s, step, rank, m->list) : s->recvs(s, step, rank, m->list);
    for (int i = 0; i < n; i++) {
        const rs_transfer t = m->list[i];
        const int64_t created_ns = m->now_ns[t.channel];
        if (m->blocked[t.channel]) continue;
        const int64_t before = m->dump->n_calls;
        if (!add_message(m, step, &t, sends, whole)) open[t.channel] = true;
        if (m->dump->n_calls > before) m->dump->calls[before].created_ns = created_ns;
    }
}

/* The first from `step` on in which the rank sends or receives, or may; n_steps: none. */
static int32_t next_step(const rs_schedule *s, int32_t step, int32_t rank) {
    return step < s->n_steps && s->next_step != NULL ? s->next_step(s, step, rank) : step;
}

/* A run of the schedule; whole: all of it is over. */
static void add_run(calls_maker *m, int32_t rank, bool whole) {
    const rs_schedule *s = m->at->schedule;
    const bool apart = m->at->channels_apart;
    memset(m->blocked, 0, sizeof m->blocked);
    for (int32_t step = next_step(s, 0, rank); step < s->n_steps;
         step = next_step(s, step + 1, rank)) {
        bool open[RS_MAX_CHANNELS] = {false}, any = false;
        add_way(m, step, rank, true, whole, open);
        add_way(m, step, rank, false, whole, open);
        memcpy(m->now_ns, m->then_ns, sizeof m->now_ns);
        for (int c = 0; c < RS_MAX_CHANNELS; c++) any = any || open[c];
        for (int c = 0; c < RS_MAX_CHANNELS; c++) {
            m->blocked[c] = m->blocked[c] || (apart ? open[c] : any);
        }
    }
}

/* ------------------------------------------------------------------ the whole */

/* All calls, or only their number: those before n_skipped are not kept. */
static void add_all(calls_maker *m, int32_t rank, int64_t a_run) {
    const rn_standing *at = m->at;
    for (int64_t i = 0; i < at->n_runs; i++) {
        if (m->n_made + a_run <= m->n_skipped) { /* none of it is kept */
            m->n_made += a_run;
            m->n_barriers++;
            m->n_messages += a_run - 1;
            continue;
        }
        add_barrier(m, true);
        add_run(m, rank, true);
    }
    if (at->n_runs >= 0) add_barrier(m, !at->lines_up);
    if (at->n_runs < 0 || !at->lines_up) add_run(m, rank, false);
}

static rs_status make_words(calls_maker *m, int64_t n_steps, rs_arena *arena, rs_error *error) {
    rn_dump *d = m->dump;
    const size_t n = (size_t)n_steps + W_STEPS;
    d->words = rs_alloc(arena, n, sizeof *d->words);
    char *steps = rs_alloc(arena, (size_t)n_steps, WHERE);
    if (d->words == NULL || steps == NULL) return rs_no_memory(error);
    static const char *const fixed[] = {"", "0", "default_pg", "send", "recv", "barrier"};
    memcpy(d->words, fixed, sizeof fixed);
    d->words[W_DTYPE] = m->at->dtype;
    for (size_t i = 0; i < (size_t)n_steps; i++) d->words[W_STEPS + i] = steps + i * WHERE;
    d->n_words = W_STEPS;
    return RS_OK;
}

static rs_status make_group(rn_dump *d, int32_t n_ranks, rs_arena *arena, rs_error *error) {
    d->groups = rs_alloc(arena, 1, sizeof *d->groups);
    int32_t *ranks = rs_alloc(arena, (size_t)n_ranks, sizeof *ranks);
    if (d->groups == NULL || ranks == NULL) return rs_no_memory(error);
    for (int32_t r = 0; r < n_ranks; r++) ranks[r] = r;
    d->n_groups = 1;
    d->groups[0] = (rn_call_group){
        .name = W_GROUP, .desc = W_DESC, .n_ranks = n_ranks, .last_seq = -1, .ranks = ranks};
    return RS_OK;
}

rs_status rn_schedule_calls(const rn_standing *at, int32_t rank, rs_arena *arena, rs_error *error,
                            rn_dump *dump, int64_t *n_lost) {
    const rs_schedule *s = at->schedule;
    rn_dump made = {.rank = rank};
    calls_maker *m = rs_alloc(arena, 1, sizeof *m);
    rs_transfer *list = rs_alloc(arena, (size_t)s->max_sends, sizeof *list);
    if (m == NULL || list == NULL) return rs_no_memory(error);
    *m = (calls_maker){.at = at, .dump = &made, .list = list};
    add_run(m, rank, true);
    const int64_t a_run = m->n_made + 1;
    m->n_made = 0;
    m->n_skipped = INT64_MAX;
    add_all(m, rank, a_run); /* only counts: whole runs are passed over */
    const int64_t all = m->n_made;
    const int64_t lost = all > RN_RECORDER_ENTRIES ? all - RN_RECORDER_ENTRIES : 0;
    *m =
        (calls_maker){.at = at, .dump = &made, .list = list, .n_skipped = lost, .step = s->n_steps};
    made.whole = lost == 0;
    made.calls = rs_alloc(arena, (size_t)(all - lost), sizeof *made.calls);
    if (made.calls == NULL) return rs_no_memory(error);
    rs_status status = make_words(m, all - lost, arena, error);
    if (status == RS_OK) status = make_group(&made, s->n_ranks, arena, error);
    if (status != RS_OK) return status;
    add_all(m, rank, a_run);
    *dump = made;
    *n_lost = lost;
    return RS_OK;
}
