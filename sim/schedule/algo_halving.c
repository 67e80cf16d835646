/* algo_halving.c: Rabenseifner's recursive halving, then doubling.
 *
 *     chunks of rank 1 of 4     [0 1 2 3] -> [0 1] -> [1] -> [0 1] -> [0 1 2 3]
 *     partner                          3        0       0        3
 *
 * p = 2^L is the largest power of two <= N and the number of chunks. At halving step j partners at
 * distance p / 2^(j+1) split the range they share: each sends the half that it gives up and adds
 * the half that it keeps, so rank r ends owning chunk r. The all-gather does the same in reverse
 * order. The ranks from p up fold their array into rank - p first and get the result back last.
 * Time: 2 L alpha + (2/B + gamma) sum over k < L of |the first 2^k of p chunks|, and when N > p
 * 2(alpha + K/B) + K gamma more (Thakur, Rabenseifner, Gropp 2005; p, not N, in their formula).
 */
#include "schedule/algo.h"

typedef struct place { /* where a step lies in the run */
    int32_t p, log;
    int32_t extra; /* 1 when N > p: a step before and one after */
} place;

static place place_of(int32_t n) {
    const int32_t log = floor_log2(n), p = 1 << log;
    return (place){.p = p, .log = log, .extra = n > p};
}

static void range(int32_t src, int32_t dst, int32_t chunk, int32_t n_chunks, bool reduce,
                  rs_transfer *out) {
    *out = (rs_transfer){
        .src = src,
        .dst = dst,
        .chunk = chunk,
        .n_chunks = n_chunks,
        .order = src,
        .effect = reduce ? RS_REDUCE : RS_COPY,
    };
}

/* Writes what `src` sends to its partner in a step that is no fold. */
static void exchange(const place *at, int32_t step, int32_t src, rs_transfer *out) {
    const int32_t inner = step - at->extra;
    const bool reduce = inner < at->log;
    /* Half the range that the partners share: p/2, p/4, ..., 1 and back. */
    const int32_t half = 1 << (reduce ? at->log - 1 - inner : inner - at->log);
    const int32_t partner = src ^ half;
    const int32_t kept = reduce ? partner : src; /* halving sends the partner's half */
    range(src, partner, kept & ~(half - 1), half, reduce, out);
}

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    const place at = place_of(schedule->n_ranks);
    if (at.extra && step == 0) {
        range(rank, rank - at.p, 0, at.p, true, out);
        return rank >= at.p;
    }
    if (at.extra && step == schedule->n_steps - 1) {
        range(rank, rank + at.p, 0, at.p, false, out);
        return rank + at.p < schedule->n_ranks;
    }
    exchange(&at, step, rank, out);
    return rank < at.p;
}

/* Writes the message that `rank` receives: the one that its partner sends in this step, if it
   does. */
static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    const place at = place_of(schedule->n_ranks);
    if (at.extra && step == 0) {
        range(rank + at.p, rank, 0, at.p, true, out);
        return rank + at.p < schedule->n_ranks;
    }
    if (at.extra && step == schedule->n_steps - 1) {
        range(rank - at.p, rank, 0, at.p, false, out);
        return rank >= at.p;
    }
    exchange(&at, step, rank, out);     /* finds the partner, ... */
    exchange(&at, step, out->dst, out); /* ... then what the partner sends */
    return rank < at.p;
}

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    const place at = place_of(n);
    schedule->n_chunks = at.p;
    schedule->n_steps = 2 * at.log + 2 * at.extra;
    schedule->n_transfers = 2 * (int64_t)at.p * at.log + 2 * (n - at.p);
    schedule->max_run = at.extra ? at.p : at.p / 2;
    if (at.extra) schedule->phases[schedule->n_phases++] = (rs_phase_range){RS_FOLD_IN, 0};
    schedule->phases[schedule->n_phases++] = (rs_phase_range){RS_SCATTER_REDUCE, at.extra};
    schedule->phases[schedule->n_phases++] = (rs_phase_range){RS_ALL_GATHER, at.extra + at.log};
    if (at.extra) {
        schedule->phases[schedule->n_phases++] = (rs_phase_range){RS_FOLD_OUT, 2 * at.log + 1};
    }
    schedule->sends = sends;
    schedule->recvs = recvs;
}

static int64_t closed_form_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const rs_net *net) {
    const int32_t n = schedule->n_ranks;
    const place at = place_of(n);
    int64_t time_ps = 0;
    for (int32_t k = 0; k < at.log; k++) {
        const int64_t n_bytes = rs_chunk_offset(count, at.p, 1 << k) * elem_bytes;
        time_ps += 2 * message_ps(net, n_bytes) + addition_ps(net, n_bytes);
    }
    if (!at.extra) return time_ps;
    return time_ps + 2 * message_ps(net, count * elem_bytes) + addition_ps(net, count * elem_bytes);
}

/* In halving a rank sends all but its own chunk; in doubling the ranges that it has collected, its
   own chunk first. */
static int64_t elements_sent(const rs_schedule *schedule, int64_t count, int32_t rank) {
    const place at = place_of(schedule->n_ranks);
    if (rank >= at.p) return count;
    int64_t sent =
        count - (rs_chunk_offset(count, at.p, rank + 1) - rs_chunk_offset(count, at.p, rank));
    for (int32_t half = 1; half < at.p; half *= 2) {
        const int32_t first = rank & ~(half - 1);
        sent += rs_chunk_offset(count, at.p, first + half) - rs_chunk_offset(count, at.p, first);
    }
    return sent + (rank + at.p < schedule->n_ranks ? count : 0);
}

const rs_algorithm rs_halving = {
    .name = "halving",
    .summary = N_("partners exchange halves of what they share (Rabenseifner)"),
    .make = make,
    .closed_form_ps = closed_form_ps,
    .elements_sent = elements_sent,
};
