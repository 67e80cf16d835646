/* slices_ring.c: a ring of NCCL, slice by slice.
 *
 *     loop:   send | receive, add, send | ... | receive, copy, send | ... | receive        one row a rank
 *     slice:    0 1        0 1                                               0 1           two a chunk
 *
 *   - A rank's thread block does one thing after the other: an operation takes a slice in and sends one, or does one of
 *     both. It starts when the one before is over, the slice to take in has arrived and, of those it sent, the fourth
 *     before has been taken in: a FIFO has room for four.
 *   - All-reduce sends 2 (n - 1) times a loop, all-gather and reduce-scatter n - 1 times. A loop carries n chunks, each a
 *     step of at most 2 MiB a channel (NCCL: 4 of the 8 steps of its buffer of 4 MiB).
 *   - The last receive is free where the peer writes into the result itself, else a copy: out of a FIFO in its own memory,
 *     or out of the host's, over PCIe once more.
 *   - Long rings and long arrays are steady after a while: of the steps so many are simulated as it takes to see what
 *     one more costs, and so are the loops.
 */
#include "slices/slices_private.h"

#include <math.h>

enum {
    SLICES = 2,      /* a chunk */
    IN_FLIGHT = 4,   /* slices that a FIFO holds */
    ROWS = 8,        /* operations that are remembered */
    MOST_STEPS = 24, /* sends that are simulated of a loop, beside two laps of the hops */
    MOST_LOOPS = 6
};
static const double per_GB_us = 1e3; /* bytes that 1 GB/s carries in a microsecond */
static const double copy_GBps = 200; /* of a channel, inside a GPU; no table tells it from more */

/* One channel. */
typedef struct pipeline {
    const rn_lowering *l;
    const rn_ring_hop *hops;
    int32_t n_hops;
    double *done; /* [ROWS][SLICES][n_hops] when an operation is over */
    double *send, *take,
        *latency; /* [n_hops] us: a slice on its way out; the last receive; until it is seen */
    double chunk; /* bytes */
    int64_t n_sends;
    bool copies; /* the last receive out of a FIFO is one */
} pipeline;

static double *row(const pipeline *p, int64_t operation, int slice, int32_t hop) {
    return &p->done[((operation % ROWS) * SLICES + slice) * p->n_hops + hop];
}

static double later(double a, double b) {
    return a > b ? a : b;
}

/* What a slice occupies on its way out of a rank. */
static double send_us(const pipeline *p, const rn_ring_hop *hop, double bytes) {
    const double GBps = rn_hop_GBps(p->l, hop) / p->l->job->n_channels;
    return bytes / GBps / per_GB_us + p->l->fit[RN_FIT_SLICE] +
           (hop->kind == RN_HOP_NET ? p->l->message_us : 0);
}

/* What the last receive of a loop takes, from that hop. */
static double take_us(const pipeline *p, const rn_ring_hop *hop, double bytes) {
    if (hop->kind == RN_HOP_HOST) return send_us(p, hop, bytes);
    if (!p->copies && hop->kind != RN_HOP_NET) return 0;
    return bytes / copy_GBps / per_GB_us;
}

/* When the operation may begin: see the head of this file. */
static double ready(const pipeline *p, int64_t loop, int64_t o, int slice, int32_t at) {
    const int64_t n_operations = p->n_sends + 1, now = loop * n_operations + o;
    const int32_t before = (at + p->n_hops - 1) % p->n_hops, next = (at + 1) % p->n_hops;
    double from = 0;
    if (slice > 0) {
        from = *row(p, now, slice - 1, at);
    } else if (now > 0) {
        from = *row(p, now - 1, SLICES - 1, at);
    }
    if (o > 0) {
        from = later(from, *row(p, now - 1, slice, before) + p->latency[before]);
    }
    const int64_t freed = loop * p->n_sends + o - IN_FLIGHT / SLICES; /* this send, counted */
    if (o == p->n_sends || freed < 0) return from;
    const int64_t taken = freed / p->n_sends * n_operations + freed % p->n_sends + 1;
    return later(from, *row(p, taken, slice, next));
}

static void operate(pipeline *p, int64_t loop, int64_t o) {
    const int64_t now = loop * (p->n_sends + 1) + o;
    for (int slice = 0; slice < SLICES; slice++) {
        for (int32_t at = 0; at < p->n_hops; at++) {
            const int32_t before = (at + p->n_hops - 1) % p->n_hops;
            const double us = o < p->n_sends ? p->send[at] : p->take[before];
            *row(p, now, slice, at) = ready(p, loop, o, slice, at) + us;
        }
    }
}

/* What each hop takes for a slice of this size. */
static void measure_hops(pipeline *p) {
    for (int32_t at = 0; at < p->n_hops; at++) {
        p->send[at] = send_us(p, &p->hops[at], p->chunk / SLICES);
        p->take[at] = take_us(p, &p->hops[at], p->chunk / SLICES);
        p->latency[at] = rn_hop_us(p->l, &p->hops[at], RN_NCCL_RING);
    }
}

/* When the last rank is through so many loops. */
static double loops_us(pipeline *p, double n_loops) {
    double ends[MOST_LOOPS], last = 0;
    const int n = n_loops < MOST_LOOPS ? (int)n_loops : MOST_LOOPS;
    for (int loop = 0; loop < n; loop++) {
        for (int64_t o = 0; o <= p->n_sends; o++) operate(p, loop, o);
        for (int32_t at = 0; at < p->n_hops; at++) {
            last = later(last, *row(p, loop * (p->n_sends + 1) + p->n_sends, SLICES - 1, at));
        }
        ends[loop] = last;
    }
    if (n_loops <= MOST_LOOPS) return last;
    const double period = (ends[MOST_LOOPS - 1] - ends[MOST_LOOPS - 3]) / 2;
    return last + (n_loops - MOST_LOOPS) * period;
}

/* The same, however many steps a loop has. */
static double steps_us(pipeline *p, double n_loops, int64_t n_sends) {
    const int64_t lap = p->n_hops, most = MOST_STEPS + 2 * lap;
    p->n_sends = n_sends < most ? n_sends : most - lap;
    const double few = loops_us(p, n_loops);
    if (n_sends < most) return few;
    p->n_sends = most;
    const double more = loops_us(p, n_loops);
    return more + (more - few) * (double)(n_sends - most) / (double)lap;
}

/* LL and LL128 carry flags with the data, so nothing waits for a slice: a step costs its latency and a chunk's bytes. */
static double lines_us(const pipeline *p, double n_loops, int64_t n_sends) {
    const rn_lowering *l = p->l;
    const double GBps = rn_hop_GBps(l, rn_slowest_hop(l)) / l->job->n_channels;
    double lap_us = 0;
    for (int32_t i = 0; i < p->n_hops; i++) lap_us += p->latency[i];
    return n_loops * (double)n_sends * (lap_us / p->n_hops + p->chunk / GBps / per_GB_us);
}

double rn_ring_us(const rn_lowering *l, int32_t *wire) {
    double done[ROWS * SLICES * RN_MOST_HOPS], hops[3][RN_MOST_HOPS];
    const rn_slices_job *job = l->job;
    const double n = job->site->n_ranks;
    pipeline p = {.l = l,
                  .hops = job->site->hops,
                  .n_hops = job->site->n_hops,
                  .done = done,
                  .send = hops[0],
                  .take = hops[1],
                  .latency = hops[2]};
    const double bytes = (double)job->n_bytes / job->n_channels; /* of a channel */
    const int64_t n_sends = job->collective == RS_COLL_ALL_REDUCE ? 2 * (job->site->n_ranks - 1)
                                                                  : job->site->n_ranks - 1;
    const double n_loops = later(1, ceil(bytes / (n * (double)rn_nccl_chunk_bytes(job->protocol))));
    p.chunk = bytes / n_loops / n; /* NCCL's last loop is shorter instead: the same bytes */
    p.copies = job->launched_together <= 1;
    measure_hops(&p);
    *wire = rn_slowest_hop(l)->wire;
    return job->protocol == RN_NCCL_SIMPLE ? steps_us(&p, n_loops, n_sends)
                                           : lines_us(&p, n_loops, n_sends);
}
