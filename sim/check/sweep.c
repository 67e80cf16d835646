/* sweep.c: one chunk's values through all its steps, see sweep.h.
 *
 *     fold    who = in | own      overlap: twice            need: both sides
 *                             nothing to add: empty
 *     copy    who = in            own & ~in: lost           need: the incoming side; the cell's old
 *                                                           value is gone, and cannot be to blame
 *     clash   who = all of them   a mark where a copy and   need: all of them
 *                                 another message meet
 */
#include "check/sweep.h"
#include "base/containers.h"

#include <assert.h>

/* In scratch[], for cells that several messages hit in one step. */
enum { MESSAGE = 1, SEVERAL = 2, COPIED = 4, SEEN = 8, SEEN_COPY = 16 };

rs_status rs_sweep_new(int32_t n_ranks, rs_arena *arena, rs_error *error, rs_sweep *sweep) {
    *sweep = (rs_sweep){.n_ranks = n_ranks, .watch = -1};
    sweep->now = rs_alloc(arena, (size_t)n_ranks, sizeof *sweep->now);
    sweep->before = rs_alloc(arena, (size_t)n_ranks, sizeof *sweep->before);
    sweep->scratch = rs_alloc(arena, (size_t)n_ranks, 1);
    if (sweep->now != NULL && sweep->before != NULL && sweep->scratch != NULL) return RS_OK;
    return rs_no_memory(error);
}

rs_status rs_sweep_room(int64_t n_events, int64_t n_lost, rs_arena *arena, rs_error *error,
                        rs_sweep *sweep) {
    /* one more than needed, so that lost[n_lost] is a place */
    const bool good = rs_reserve(arena, &sweep->marks, n_events, &sweep->marks_room) &&
                      rs_reserve(arena, &sweep->lost, n_lost + 1, &sweep->lost_room);
    return good ? RS_OK : rs_no_memory(error);
}

void rs_sweep_start(rs_sweep *sweep, int32_t first_rank, rs_ends ends) {
    const bool one = ends.from != RS_EVERY_RANK;
    sweep->first_rank = one ? ends.from / RS_SWEEP_RANKS * RS_SWEEP_RANKS : first_rank;
    sweep->ends = ends;
    sweep->full = (rs_value){0};
    for (int32_t r = 0; r < sweep->n_ranks; r++) {
        sweep->now[r] = (rs_value){0};
        const int32_t bit = r - sweep->first_rank;
        if (bit < 0 || bit >= RS_SWEEP_RANKS || (one && r != ends.from)) continue;
        sweep->now[r].who[bit / 64] = 1ULL << (bit % 64);
        sweep->full.who[bit / 64] |= 1ULL << (bit % 64);
    }
}

int32_t rs_sweep_next(const rs_sweep *sweep) {
    if (sweep->ends.from != RS_EVERY_RANK) return sweep->n_ranks;
    const int32_t next = sweep->first_rank + RS_SWEEP_RANKS;
    return next < sweep->n_ranks ? next : sweep->n_ranks;
}

bool rs_sweep_right(const rs_sweep *sweep, int32_t rank) {
    if (sweep->ends.to != RS_EVERY_RANK && sweep->ends.to != rank) return true;
    const rs_value *value = &sweep->now[rank];
    uint64_t off = value->slips;
    for (int k = 0; k < RS_SWEEP_WORDS; k++) off |= value->who[k] ^ sweep->full.who[k];
    return off == 0;
}

static bool is_empty(const rs_value *value) {
    uint64_t any = value->slips;
    for (int k = 0; k < RS_SWEEP_WORDS; k++) any |= value->who[k];
    return any == 0;
}

/* copies_only: cells that nobody wrote hold nothing; to add such a one is no sum. */
static unsigned fold(const rs_value *in, rs_value *own, bool copies_only) {
    const bool nothing = copies_only && (is_empty(in) || is_empty(own));
    uint64_t both = 0;
    for (int k = 0; k < RS_SWEEP_WORDS; k++) {
        both |= in->who[k] & own->who[k];
        own->who[k] |= in->who[k];
    }
    const unsigned mark = both != 0 ? RS_MARK_TWICE : nothing ? RS_MARK_EMPTY : 0;
    own->slips |= in->slips | mark;
    return mark;
}

static unsigned copy(const rs_value *in, rs_value *own, rs_value *lost) {
    uint64_t any = 0;
    for (int k = 0; k < RS_SWEEP_WORDS; k++) any |= lost->who[k] = own->who[k] & ~in->who[k];
    *own = *in;
    return any == 0 ? 0 : RS_MARK_LOST;
}

/* Does one of several messages to a cell that also gets a copy. Marks the event if it meets an
   earlier one. */
static unsigned clash(const rs_value *in, rs_value *own, bool is_copy, uint8_t *state) {
    unsigned mark = RS_MARK_IN_CLASH;
    const bool meets = (*state & SEEN) != 0 && (is_copy || (*state & SEEN_COPY) != 0);
    if (meets) mark |= RS_MARK_CLASH;
    *state = (uint8_t)(*state | SEEN | (is_copy ? SEEN_COPY : 0));
    fold(in, own, false);
    own->slips = RS_MARK_CLASH;
    return mark;
}

static bool in_clash(uint8_t state) {
    return (state & SEVERAL) != 0 && (state & COPIED) != 0;
}

/* Does one event, given what its source held when the step began. */
static void happen(rs_sweep *sweep, const rs_chunk_event *event, int64_t at, const rs_value *in,
                   bool record, int64_t *n_lost) {
    rs_value *own = &sweep->now[event->dst], lost = {0};
    uint8_t *state = &sweep->scratch[event->dst];
    if (at == sweep->watch) sweep->watched_in = *in, sweep->watched_own = *own;
    const unsigned mark = in_clash(*state) ? clash(in, own, event->effect == RS_COPY, state)
                          : event->effect == RS_COPY
                              ? copy(in, own, &lost)
                              : fold(in, own, sweep->ends.from != RS_EVERY_RANK);
    if (record) {
        sweep->marks[at] = (uint8_t)mark;
        if (mark == RS_MARK_LOST) sweep->lost[*n_lost] = lost;
    }
    *n_lost += mark == RS_MARK_LOST;
}

/* Does a step in which an event may read a cell that another one writes: copies what is read before
   it writes anything. */
static void happen_together(rs_sweep *sweep, const rs_chunk_event events[], int64_t begin,
                            int64_t end, bool record, int64_t *n_lost) {
    for (int64_t i = begin; i < end; i++) {
        uint8_t *state = &sweep->scratch[events[i].dst];
        const unsigned again = (*state & MESSAGE) != 0 ? SEVERAL : MESSAGE;
        *state = (uint8_t)(*state | again | (events[i].effect == RS_COPY ? COPIED : 0));
        sweep->before[events[i].src] = sweep->now[events[i].src];
    }
    for (int64_t i = begin; i < end; i++) {
        happen(sweep, &events[i], i, &sweep->before[events[i].src], record, n_lost);
    }
    for (int64_t i = begin; i < end; i++) sweep->scratch[events[i].dst] = 0;
}

int64_t rs_sweep_forward(rs_sweep *sweep, const rs_chunk_event events[], int64_t n_events,
                         bool record) {
    assert(!record || n_events <= sweep->marks_room);
    int64_t n_lost = 0;
    for (int64_t begin = 0, end; begin < n_events; begin = end) {
        end = rs_step_end(events, n_events, begin);
        if (rs_step_hazards(events + begin, end - begin, sweep->scratch) != 0) {
            happen_together(sweep, events, begin, end, record, &n_lost);
            continue;
        }
        for (int64_t i = begin; i < end; i++) {
            happen(sweep, &events[i], i, &sweep->now[events[i].src], record, &n_lost);
        }
    }
    return n_lost;
}

/* Turns what the cells hold at the end into what the wrong ones lack. */
static void lacking(rs_sweep *sweep) {
    for (int32_t r = 0; r < sweep->n_ranks; r++) {
        const bool right = rs_sweep_right(sweep, r);
        for (int k = 0; k < RS_SWEEP_WORDS; k++) {
            sweep->now[r].who[k] = right ? 0 : sweep->full.who[k] & ~sweep->now[r].who[k];
        }
        sweep->now[r].slips = !right;
    }
}

static bool guilty(unsigned mark, const rs_value *lost, const rs_value *need) {
    if ((mark & (RS_MARK_TWICE | RS_MARK_CLASH | RS_MARK_EMPTY)) != 0) return need->slips != 0;
    uint64_t missed = 0;
    for (int k = 0; mark == RS_MARK_LOST && k < RS_SWEEP_WORDS; k++) {
        missed |= lost->who[k] & need->who[k];
    }
    return missed != 0;
}

static void add_need(const rs_value *more, rs_value *need) {
    for (int k = 0; k < RS_SWEEP_WORDS; k++) need->who[k] |= more->who[k];
    need->slips |= more->slips;
}

int64_t rs_sweep_blame(rs_sweep *sweep, const rs_chunk_event events[], int64_t n_events) {
    int64_t blamed = n_events, n_lost = 0;
    for (int64_t i = 0; i < n_events; i++) n_lost += sweep->marks[i] == RS_MARK_LOST;
    rs_value *const need = sweep->now, *const after = sweep->before;
    lacking(sweep);
    for (int64_t begin, end = n_events; end > 0; end = begin) {
        begin = end - 1;
        while (begin > 0 && events[begin - 1].step == events[begin].step) begin--;
        for (int64_t i = begin; i < end; i++) after[events[i].dst] = need[events[i].dst];
        for (int64_t i = end - 1; i >= begin; i--) {
            const unsigned mark = sweep->marks[i];
            if (mark == RS_MARK_LOST) n_lost--;
            if (guilty(mark, &sweep->lost[n_lost], &after[events[i].dst])) blamed = i;
            if (i == sweep->watch) sweep->watched_need = after[events[i].dst];
            const bool gone = events[i].effect == RS_COPY && (mark & RS_MARK_IN_CLASH) == 0;
            if (gone) need[events[i].dst] = (rs_value){0};
        }
        for (int64_t i = begin; i < end; i++) {
            add_need(&after[events[i].dst], &need[events[i].src]);
        }
    }
    return blamed;
}
