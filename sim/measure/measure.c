/* measure.c: what to compare a run with: the lower bound, the closed forms, the rates.
 *
 *     lower bound   F K/B          some rank must send, or receive, so much (README of this room)
 *     algbw         K / time       bytes of the collective over the time
 *     busbw         algbw x F      what the ports carry: the ring reaches B without latency
 *
 * F is 2(N-1)/N for the all-reduce, (N-1)/N or 1 for the others (rs_busbw_factor).
 */
#include "ringsim.h"

#include <assert.h>
#include <math.h>

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

/* Bounds those GPUs of a machine that take part, where some do not: each rank is a block. */
static rs_bound some_gpus_bound(const rs_job *job, int64_t n_bytes) {
    const rs_machine *machine = job->net.machine;
    const int32_t n = job->schedule->n_ranks;
    rs_bound bound = {.by = RS_BY_NOTHING, .in_switch_ps = -1};
    wide out_Bps = 0;
    for (int32_t r = 0; r < n; r++) {
        const int32_t gpu = job->net.place == NULL ? r : job->net.place[r];
        for (int32_t i = machine->at_first[gpu]; i < machine->at_first[gpu + 1]; i++) {
            out_Bps += machine->links[machine->at[i]].raw_Bps;
        }
    }
    if (out_Bps == 0 || n < 2 || n_bytes == 0) return bound;
    const bool twice = job->schedule->collective == RS_COLL_ALL_REDUCE;
    const uint64_t bytes = (uint64_t)n_bytes, all = (uint64_t)n;
    const uint64_t hops = job->schedule->in_switch ? all : (twice ? 2 : 1) * (all - 1);
    const wide top = (wide)bytes * hops * 1000000000000U;
    const wide ps = top / out_Bps + (top % out_Bps != 0);
    bound.by = RS_BY_RANKS;
    bound.time_ps = ps > INT64_MAX ? INT64_MAX : (int64_t)ps;
    bound.n_blocks = n;
    return bound;
}

/* Turns blocks of GPUs into blocks of ranks; RS_BY_RANKS needs none to look at. false: no memory. */
static bool number_by_rank(const rs_job *job, rs_arena *arena, rs_bound *bound) {
    const int32_t n = job->schedule->n_ranks, *of_gpu = bound->block;
    int32_t *block = rs_alloc(arena, (size_t)n, sizeof *block);
    bound->block = block;
    for (int32_t r = 0; r < n && block != NULL; r++) {
        const int32_t gpu = job->net.place == NULL ? r : job->net.place[r];
        block[r] = bound->by == RS_BY_RANKS ? r : of_gpu[gpu];
    }
    return block != NULL;
}

static rs_bound machine_bound(const rs_job *job, rs_arena *arena) {
    const rs_machine *machine = job->net.machine;
    const int64_t n_bytes = rs_size_count(job->schedule, job->count) * job->elem_bytes;
    const rs_bound none = {.by = RS_BY_NOTHING, .in_switch_ps = -1},
                   no_memory = {.by = RS_BY_NOTHING, .in_switch_ps = -1, .time_ps = -1};
    rs_bound bounds[RS_N_COLLECTIVES], bound;
    rs_error ignored;
    if (job->schedule->n_ranks < machine->n_gpus) {
        bound = some_gpus_bound(job, n_bytes);
    } else if (rs_machine_bounds(machine, n_bytes, arena, &ignored, bounds) == RS_OK) {
        bound = bounds[job->schedule->collective];
    } else {
        return no_memory;
    }
    if (job->schedule->in_switch && bound.in_switch_ps >= 0) bound.time_ps = bound.in_switch_ps;
    if (bound.by == RS_BY_NOTHING || bound.time_ps < 0) return none;
    return number_by_rank(job, arena, &bound) ? bound : no_memory;
}

rs_bound rs_lower_bound(const rs_job *job, rs_arena *arena) {
    assert(job->schedule->n_ranks >= 1);
    assert(job->count >= 0);
    if (job->net.machine != NULL) return machine_bound(job, arena);
    const rs_schedule *schedule = job->schedule;
    const int64_t n_bytes = rs_size_count(schedule, job->count) * job->elem_bytes;
    int64_t num, den;
    rs_busbw_factor(schedule->collective, schedule->n_ranks, &num, &den);
    if (schedule->n_ranks == 1) num = 0;
    const wide top = (wide)(uint64_t)n_bytes * (uint64_t)num * 1000000000000U;
    const wide bottom = (wide)fastest_Bps(job) * (uint64_t)den;
    const wide ps = top / bottom + (top % bottom != 0);
    return (rs_bound){.by = ps == 0 ? RS_BY_NOTHING : RS_BY_RANKS,
                      .time_ps = ps > INT64_MAX ? INT64_MAX : (int64_t)ps,
                      .in_switch_ps = -1,
                      .n_blocks = ps == 0 ? 0 : schedule->n_ranks};
}

int64_t rs_lower_bound_ps(const rs_job *job, rs_arena *arena) {
    return rs_lower_bound(job, arena).time_ps;
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
    const int64_t elements = rs_largest_transfer(schedule, job->count);
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
    if (algorithm == NULL || algorithm->closed_form_ps == NULL || schedule->n_channels > 1 ||
        job->net.machine != NULL || job->net.protocol != RS_RENDEZVOUS ||
        !links_are_equal(&job->net) || !times_are_healthy(job) || !fits(job)) {
        return -1;
    }
    return algorithm->closed_form_ps(schedule, job->count, job->elem_bytes, &job->net);
}

/* Returns by what a fault of the rank that lives on a device makes what leaves it slower. */
static double slow_out_of(const rs_job *job, int32_t device) {
    double slow = 1;
    for (int32_t i = 0; i < job->n_faults; i++) {
        const rs_fault *fault = &job->faults[i];
        if (fault->kind != RS_SLOW_LINK) continue;
        const int32_t gpu = job->net.place == NULL ? fault->rank : job->net.place[fault->rank];
        if (gpu == device) slow *= (double)fault->factor_num / (double)fault->factor_den;
    }
    return slow;
}

double rs_wire_share(const rs_job *job, int32_t wire, const rs_wire_use *use, int64_t time_ps) {
    const rs_machine_link *link = &job->net.machine->links[wire / 2];
    if (use->n_bytes == 0 || time_ps <= 0) return 0;
    double slow = slow_out_of(job, wire % 2 == 0 ? link->a : link->b);
    if (link->shared) slow = fmax(slow, slow_out_of(job, link->b)); /* its wire is the first */
    slow *= (double)link->slow_num / (double)link->slow_den;
    return (double)use->n_bytes * 1e12 * slow / ((double)link->bandwidth_Bps * (double)time_ps);
}

int32_t rs_busiest_wire(const rs_job *job, const rs_wire_use wires[], int64_t time_ps,
                        double *share) {
    int32_t busiest = -1;
    *share = 0;
    for (int32_t w = 0; w < 2 * job->net.machine->n_links; w++) {
        const double own = rs_wire_share(job, w, &wires[w], time_ps);
        if (own <= *share) continue;
        *share = own;
        busiest = w;
    }
    return busiest;
}

bool rs_rates(rs_collective of, int64_t n_bytes, int32_t n_ranks, int64_t time_ps,
              double *algbw_GBps, double *busbw_GBps) {
    int64_t num, den;
    if (n_bytes <= 0 || n_ranks <= 1 || time_ps <= 0) return false;
    rs_busbw_factor(of, n_ranks, &num, &den);
    *algbw_GBps = (double)n_bytes * 1000 / (double)time_ps; /* B/ps are TB/s */
    *busbw_GBps = *algbw_GBps * (double)num / (double)den;
    return true;
}
