/* schedule_calls.c: what the flight recorder of a rank would hold that runs a schedule with isend and irecv.
 *
 *     barrier | send, recv of step 0 | of step 1 | ...      a run; then the next one
 *
 *   - A rank posts all of a step's messages, and goes on when they are over; the channels of a machine go on each for
 *     itself.
 *   - A call's line is "ring:7": the schedule's name, and the step.
 *   - The recorder keeps the last RN_RECORDER_ENTRIES calls, as torch's does unless told otherwise.
 */
#include "hang/dumps/data_tree.h"
#include "ringsim_hang.h"

#include <string.h>

typedef struct calls_maker {
    const rn_standing *at;
    rn_dump *dump;
    rs_texts *words;
    rs_transfer *list;             /* [max_sends] */
    bool blocked[RS_MAX_CHANNELS]; /* a message of an earlier step is not over */
    int64_t now_ns[RS_MAX_CHANNELS], then_ns[RS_MAX_CHANNELS]; /* when the step began, ends */
    int64_t n_made; /* calls; the last of them are kept, each at its number's place */
    int64_t n_messages, n_barriers; /* made */
} calls_maker;

const char *rn_torch_dtype(rs_dtype dtype) {
    static const char *const names[] = {"Char",   "Byte", "Int",      "UInt32", "Long",
                                        "UInt64", "Half", "BFloat16", "Float",  "Double"};
    _Static_assert(sizeof names / sizeof *names == RS_N_DTYPES, "in the order of the types");
    return names[dtype];
}

/* ------------------------------------------------------------------ a call */

static rn_call *add_call(calls_maker *m, const char *name, int64_t seq, int64_t n, bool over) {
    rn_call *call = &m->dump->calls[m->n_made++ % RN_RECORDER_ENTRIES];
    *call = (rn_call){.n_in = n,
                      .n_out = n,
                      .seq = seq,
                      .name = rn_keep_text(m->words, name, strlen(name)),
                      .dtype = rn_keep_text(m->words, m->at->dtype, strlen(m->at->dtype)),
                      .peer = -1,
                      .root = -1,
                      .op = -1,
                      .state = over ? RN_CALL_COMPLETED : RN_CALL_SCHEDULED};
    return call;
}

static void add_barrier(calls_maker *m, bool over) {
    add_call(m, "barrier", ++m->n_barriers, 1, over);
}

/* Adds a message of the rank; returns false where it is not over. */
static bool add_message(calls_maker *m, int32_t step, const rs_transfer *t, bool sends,
                        bool whole) {
    const rn_standing *at = m->at;
    const rs_schedule *s = at->schedule;
    const int64_t n = rs_chunk_first(s, at->count, t->chunk + t->n_chunks) -
                      rs_chunk_first(s, at->count, t->chunk);
    int64_t end_ns = 0;
    const bool over = whole || at->over(at->context, step, t, sends, &end_ns);
    rn_call *call = add_call(m, sends ? "send" : "recv", ++m->n_messages, n, over);
    if (end_ns > m->then_ns[t->channel]) m->then_ns[t->channel] = end_ns;
    call->sends = sends;
    call->peer = sends ? t->dst : t->src;
    call->where = rn_keep_printed(m->words, "%.80s:%d", s->name, (int)step);
    call->created_ns = m->now_ns[t->channel];
    call->completed_ns = end_ns;
    return over;
}

/* ------------------------------------------------------------------ a run */

/* One way's messages of a step; returns whether one of them is not over, by channel. */
static void add_way(calls_maker *m, int32_t step, int32_t rank, bool sends, bool whole,
                    bool open[RS_MAX_CHANNELS]) {
    const rs_schedule *s = m->at->schedule;
    const int n = sends ? s->sends(s, step, rank, m->list) : s->recvs(s, step, rank, m->list);
    for (int i = 0; i < n; i++) {
        const rs_transfer *t = &m->list[i];
        if (!m->blocked[t->channel] && !add_message(m, step, t, sends, whole))
            open[t->channel] = true;
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

static void add_all(calls_maker *m, int32_t rank) {
    const rn_standing *at = m->at;
    add_run(m, rank, true);
    const int64_t n = m->n_made, n_kept = RN_RECORDER_ENTRIES / (n + 1) + 1;
    const int64_t n_passed = rs_larger(at->n_runs - n_kept, 0); /* runs of which nothing is kept */
    m->n_made = n_passed * (n + 1);
    m->n_barriers = n_passed;
    m->n_messages = n_passed * n;
    for (int64_t i = n_passed; i < at->n_runs; i++) {
        add_barrier(m, true);
        add_run(m, rank, true);
    }
    if (at->n_runs >= 0) add_barrier(m, !at->lines_up);
    if (at->n_runs < 0 || !at->lines_up) add_run(m, rank, false);
}

rs_status rn_schedule_calls(const rn_standing *at, int32_t rank, rs_arena *arena, rs_error *error,
                            rn_dump *dump, int64_t *n_lost) {
    enum { N = RN_RECORDER_ENTRIES };
    const rs_schedule *s = at->schedule;
    rs_heap heap = {.arena = arena};
    rs_texts words;
    rn_dump made = {.rank = rank, .n_groups = 1};
    calls_maker *m = rs_alloc(arena, 1, sizeof *m);
    rs_transfer *list = rs_alloc(arena, (size_t)s->max_sends, sizeof *list);
    rn_call *calls = rs_alloc(arena, N, sizeof *calls);
    made.calls = rs_alloc(arena, N, sizeof *made.calls);
    made.groups = rs_alloc(arena, 1, sizeof *made.groups);
    if (!rs_texts_begin(&words, &heap, NULL, 0) || arena->lacked) return rs_no_memory(error);
    *m = (calls_maker){.at = at, .dump = &made, .words = &words, .list = list};
    add_all(m, rank);
    *n_lost = rs_larger(m->n_made - N, 0);
    made.whole = *n_lost == 0;
    made.n_calls = m->n_made - *n_lost;
    for (int64_t i = 0; i < made.n_calls; i++) calls[i] = made.calls[(*n_lost + i) % N];
    made.calls = calls;
    made.groups[0] = (rn_call_group){.name = rn_keep_printed(&words, "0"),
                                     .desc = rn_keep_printed(&words, "default_pg"),
                                     .n_ranks = s->n_ranks,
                                     .last_seq = -1,
                                     .ranks = rn_keep_ranks(&heap, 0, s->n_ranks)};
    made.words = rn_list_words(&heap, &words);
    made.n_words = words.n;
    if (arena->lacked) return rs_no_memory(error);
    *dump = made;
    return RS_OK;
}
