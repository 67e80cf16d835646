/* measure.c: what to compare a run with: the lower bound, the closed forms, the rates.
 *
 *     lower bound   2(N-1)/N K/B   each rank must send, and receive, so much (README of this room)
 *     algbw         K / time       bytes of a rank over the time
 *     busbw         algbw x 2(N-1)/N: the ring reaches B without latency
 */
#include "ringsim.h"

#include <assert.h>

__extension__ typedef unsigned __int128 wide; /* bytes x ranks x 10^12 pass 2^64 */

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Returns the bandwidth of the fastest link out of `src`; src -1: of the fastest link of all. */
static uint64_t fastest_from(const rs_net *net, int32_t src) {
    uint64_t fastest = net->link.bandwidth_Bps;
    for (int32_t i = 0; i < net->n_overrides; i++) {
        const rs_link_override *at = &net->overrides[i];
        if (src < 0 || at->src == src) fastest = larger(fastest, at->link.bandwidth_Bps);
    }
    return fastest;
}

/* Returns the same with the faults of `src`; rounded up, since it is for a lower bound. */
static uint64_t fastest_with_factors(const rs_job *job, int32_t src) {
    wide bandwidth_Bps = fastest_from(&job->net, src);
    for (int32_t i = 0; i < job->n_faults; i++) {
        const rs_fault *fault = &job->faults[i];
        if (fault->kind != RS_SLOW_LINK || fault->rank != src) continue;
        bandwidth_Bps = (bandwidth_Bps * fault->factor_den - 1) / fault->factor_num + 1;
        if (bandwidth_Bps > UINT64_MAX) bandwidth_Bps = UINT64_MAX;
    }
    return (uint64_t)bandwidth_Bps;
}

/* Returns the bandwidth of the fastest link without the faults that slow links down; with those
   that make them faster (factors below 1). */
static uint64_t fastest_Bps(const rs_job *job) {
    uint64_t fastest = fastest_from(&job->net, -1);
    for (int32_t i = 0; i < job->n_faults; i++) {
        const rs_fault *fault = &job->faults[i];
        if (fault->kind != RS_SLOW_LINK || fault->factor_num >= fault->factor_den) continue;
        fastest = larger(fastest, fastest_with_factors(job, fault->rank));
    }
    return fastest;
}

int64_t rs_lower_bound_ps(const rs_job *job) {
    assert(job->schedule->n_ranks >= 1);
    assert(job->count >= 0);
    const uint64_t n = (uint64_t)job->schedule->n_ranks;
    const uint64_t n_bytes = (uint64_t)job->count * (uint64_t)job->elem_bytes;
    const wide top = (wide)n_bytes * (2 * (n - 1)) * 1000000000000U;
    const wide bottom = (wide)fastest_Bps(job) * n;
    const wide ps = top / bottom + (top % bottom != 0);
    return ps > INT64_MAX ? INT64_MAX : (int64_t)ps;
}

static bool links_are_equal(const rs_net *net) {
    for (int32_t i = 0; i < net->n_overrides; i++) {
        const rs_link *link = &net->overrides[i].link;
        if (link->alpha_ps != net->link.alpha_ps ||
            link->bandwidth_Bps != net->link.bandwidth_Bps) {
            return false;
        }
    }
    return true;
}

static bool times_are_healthy(const rs_job *job) {
    for (int32_t i = 0; i < job->n_faults; i++) {
        if (job->faults[i].kind != RS_FLIP) return false; /* a flip takes no time */
    }
    return true;
}

/* Tells whether n_steps of the largest message stay within what is exact. */
static bool fits(const rs_job *job) {
    const rs_schedule *schedule = job->schedule;
    const rs_net *net = &job->net;
    const int64_t elements = rs_chunk_offset(job->count, schedule->n_chunks, schedule->max_run);
    const int64_t n_bytes = elements * job->elem_bytes;
    double step_ps = (double)net->link.alpha_ps;
    step_ps += (double)rs_wire_ps(n_bytes, net->link.bandwidth_Bps, 1, 1);
    if (net->reduce_Bps != 0) step_ps += (double)rs_wire_ps(n_bytes, net->reduce_Bps, 1, 1);
    return step_ps * schedule->n_steps < 0x1p53;
}

int64_t rs_closed_form_ps(const rs_job *job) {
    assert(job->count >= 0);
    const rs_schedule *schedule = job->schedule;
    if (job->count == 0 || schedule->n_ranks == 1) return 0;
    const rs_algorithm *algorithm = schedule->algorithm;
    if (algorithm == NULL || algorithm->closed_form_ps == NULL ||
        job->net.protocol != RS_RENDEZVOUS || !links_are_equal(&job->net) ||
        !times_are_healthy(job) || !fits(job)) {
        return -1;
    }
    return algorithm->closed_form_ps(schedule->n_ranks, job->count, job->elem_bytes, &job->net);
}

bool rs_rates(int64_t n_bytes, int32_t n_ranks, int64_t time_ps, double *algbw_GBps,
              double *busbw_GBps) {
    if (n_bytes <= 0 || n_ranks <= 1 || time_ps <= 0) return false;
    *algbw_GBps = (double)n_bytes * 1000 / (double)time_ps; /* B/ps are TB/s */
    *busbw_GBps = *algbw_GBps * (2 * (double)(n_ranks - 1)) / n_ranks;
    return true;
}
