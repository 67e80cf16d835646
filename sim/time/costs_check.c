/* costs_check.c: checks a job's numbers, once, and prepares its costs.
 *
 * With several faults of one kind on one rank, factors multiply, times add up, the earliest death
 * counts.
 */
#include "base/divisor.h"
#include "base/containers.h"
#include "time/costs.h"

#include <stdlib.h>

__extension__ typedef __int128 wide; /* steps x times pass 2^63 */

enum { LARGEST_FACTOR = 1000000000 };

static const char *kind_name(rs_fault_kind kind) {
    static const char *const names[] = {"slow-link", "late",        "straggler", "kill",
                                        "flip",      "slow-reduce", "down"};
    return names[kind];
}

/* Returns how many bytes `rank` sends in `step`. */
static int64_t bytes_in_step(const rs_costs *costs, int32_t step, int32_t rank, rs_transfer out[]) {
    const rs_schedule *schedule = costs->job->schedule;
    const int n = schedule->sends(schedule, step, rank, out);
    int64_t n_bytes = 0;
    for (int i = 0; i < n; i++) n_bytes += rs_costs_bytes(costs, &out[i]);
    return n_bytes;
}

static rs_status check_flip(const rs_costs *costs, const rs_fault *fault, rs_arena *arena,
                            rs_error *error) {
    rs_transfer *out = rs_alloc(arena, (size_t)costs->job->schedule->max_sends, sizeof *out);
    if (out == NULL) return rs_no_memory(error);
    if (bytes_in_step(costs, fault->step, fault->rank, out) > 0) return RS_OK;
    return rs_fail(error, RS_BAD_INPUT, "step %d: rank %d sends nothing there to flip",
                   (int)fault->step, (int)fault->rank);
}

static rs_status check_fault(const rs_costs *costs, const rs_fault *fault, rs_arena *arena,
                             rs_error *error) {
    if (fault->kind > RS_DOWN) {
        return rs_fail(error, RS_BAD_INPUT, "fault %d: there is no such kind", (int)fault->kind);
    }
    const char *name = kind_name(fault->kind);
    if (fault->rank < 0 || fault->rank >= costs->n_ranks) {
        return rs_fail(error, RS_BAD_INPUT, "%s of rank %d: the ranks are 0..%d", name,
                       (int)fault->rank, (int)costs->n_ranks - 1);
    }
    const bool has_factor = fault->kind == RS_SLOW_LINK || fault->kind == RS_SLOW_REDUCE;
    if (has_factor && (fault->factor_num < 1 || fault->factor_num > LARGEST_FACTOR ||
                       fault->factor_den < 1 || fault->factor_den > LARGEST_FACTOR)) {
        return rs_fail(error, RS_BAD_INPUT,
                       "%s of rank %d: a factor is a positive number of at most nine digits", name,
                       (int)fault->rank);
    }
    const bool has_time =
        fault->kind == RS_LATE || fault->kind == RS_STRAGGLER || fault->kind == RS_DOWN;
    if (has_time && fault->time_ps < 0) {
        return rs_fail(error, RS_BAD_INPUT, "%s of rank %d: a time cannot be negative", name,
                       (int)fault->rank);
    }
    const bool has_step =
        fault->kind == RS_KILL || fault->kind == RS_FLIP || fault->kind == RS_DOWN;
    if (has_step && (fault->step < 0 || fault->step >= costs->n_steps)) {
        return rs_fail(error, RS_BAD_INPUT,
                       "%s of rank %d at step %d: this run has %d steps, counted from 0", name,
                       (int)fault->rank, (int)fault->step, (int)costs->n_steps);
    }
    return fault->kind == RS_FLIP ? check_flip(costs, fault, arena, error) : RS_OK;
}

/* Judges where the ranks live; `taken` is all false, one for each GPU. */
static rs_status check_place(const rs_job *job, bool *taken, rs_error *error) {
    const rs_net *net = &job->net;
    const int32_t n = job->schedule->n_ranks, n_gpus = net->machine->n_gpus;
    if (net->protocol == RS_EAGER) {
        return rs_fail(error, RS_UNSUPPORTED,
                       "on a machine both ends of a transfer meet: take protocol rendezvous");
    }
    if (n > n_gpus) {
        return rs_fail(error, RS_BAD_INPUT, "%d ranks on %s, which has %d GPUs; take fewer", (int)n,
                       net->machine->name, (int)n_gpus);
    }
    for (int32_t r = 0; net->place != NULL && r < n; r++) {
        const int32_t gpu = net->place[r];
        if (gpu < 0 || gpu >= n_gpus) {
            return rs_fail(error, RS_BAD_INPUT, "rank %d on GPU %d: %s has GPUs 0..%d", (int)r,
                           (int)gpu, net->machine->name, (int)n_gpus - 1);
        }
        if (taken[gpu]) {
            return rs_fail(error, RS_BAD_INPUT, "rank %d on GPU %d: another rank lives there",
                           (int)r, (int)gpu);
        }
        taken[gpu] = true;
    }
    return RS_OK;
}

static rs_status check_links(const rs_job *job, rs_error *error) {
    const rs_net *net = &job->net;
    const int32_t n = job->schedule->n_ranks;
    if (net->link.alpha_ps < 0 || net->link.bandwidth_Bps < 1) {
        return rs_fail(error, RS_BAD_INPUT,
                       "the links need a latency of 0 or more and a bandwidth of at least 1 B/s");
    }
    for (int32_t i = 0; i < net->n_overrides; i++) {
        const rs_link_override *at = &net->overrides[i];
        const char *fault = NULL;
        if (at->src < 0 || at->src >= n || at->dst < 0 || at->dst >= n) {
            fault = RS_MESSAGE("there is no such rank");
        } else if (at->src == at->dst) {
            fault = RS_MESSAGE("a rank has no link to itself");
        } else if (at->link.alpha_ps < 0 || at->link.bandwidth_Bps < 1) {
            fault =
                RS_MESSAGE("a link needs a latency of 0 or more and a bandwidth of at least 1 B/s");
        } else if (i > 0 &&
                   (at->src < at[-1].src || (at->src == at[-1].src && at->dst <= at[-1].dst))) {
            fault = RS_MESSAGE("links must be sorted by source and destination, none twice");
        }
        if (fault == NULL) continue;
        return rs_fail_word(error, RS_BAD_INPUT, 2, "link %d -> %d: %s", (int)at->src, (int)at->dst,
                            fault);
    }
    return RS_OK;
}

/* Tells whether int64_t can count the bytes that one rank may send. */
static bool is_countable(const rs_job *job) {
    const rs_schedule *schedule = job->schedule;
    if (job->count > INT64_MAX / job->elem_bytes) return false;
    if (schedule->n_chunks == 0) return true;
    const wide n_most = (wide)schedule->n_steps * schedule->max_sends;
    const wide n_sends = n_most < schedule->n_transfers ? n_most : schedule->n_transfers;
    const int64_t elements = rs_largest_transfer(schedule, job->count);
    return n_sends * (elements * job->elem_bytes) <= INT64_MAX;
}

static rs_status check_job(const rs_job *job, rs_arena *arena, rs_error *error) {
    if (job->count < 0 || job->elem_bytes < 1) {
        return rs_fail(error, RS_BAD_INPUT,
                       "%lld elements of %d bytes: the count cannot be negative, nor an element "
                       "have no byte",
                       (long long)job->count, (int)job->elem_bytes);
    }
    if (!is_countable(job)) {
        return rs_fail(error, RS_TOO_LARGE,
                       "%lld elements of %d bytes: a rank sends more bytes than can be counted; "
                       "take fewer",
                       (long long)job->count, (int)job->elem_bytes);
    }
    if (job->net.protocol != RS_RENDEZVOUS && job->net.protocol != RS_EAGER) {
        return rs_fail(error, RS_BAD_INPUT, "the protocol must be rendezvous or eager");
    }
    if (job->net.machine == NULL) return check_links(job, error);
    bool *taken = rs_alloc(arena, (size_t)job->net.machine->n_gpus, sizeof *taken);
    if (taken == NULL) return rs_no_memory(error);
    return check_place(job, taken, error);
}

/* Allocates factors, all 1, at their first use. */
static bool take_factors(rs_factor **factors, int32_t n_ranks, rs_arena *arena) {
    if (*factors != NULL) return true;
    *factors = rs_alloc(arena, (size_t)n_ranks, sizeof **factors);
    for (int32_t r = 0; *factors != NULL && r < n_ranks; r++) (*factors)[r] = (rs_factor){1, 1};
    return *factors != NULL;
}

static rs_status multiply(const rs_fault *fault, rs_error *error, rs_factor *factor) {
    const uint64_t num = factor->num * fault->factor_num; /* at most 10^18 */
    const uint64_t den = factor->den * fault->factor_den;
    const uint64_t divisor = rs_greatest_divisor(num, den);
    if (num / divisor > LARGEST_FACTOR || den / divisor > LARGEST_FACTOR) {
        return rs_fail(error, RS_TOO_LARGE,
                       "%s of rank %d: its factors together have more than nine digits; give one",
                       kind_name(fault->kind), (int)fault->rank);
    }
    *factor = (rs_factor){num / divisor, den / divisor};
    return RS_OK;
}

/* Adds without overflow; bound_clock refuses later what is past the clock's limit. */
static void add_time(int64_t *sum_ps, int64_t time_ps) {
    *sum_ps = time_ps > RS_CLOCK_LIMIT_PS || *sum_ps > RS_CLOCK_LIMIT_PS ? RS_CLOCK_LIMIT_PS + 1
                                                                         : *sum_ps + time_ps;
}

static rs_status take_fault(rs_costs *costs, const rs_fault *fault, rs_arena *arena,
                            rs_error *error) {
    const int32_t rank = fault->rank;
    rs_factor **factors = fault->kind == RS_SLOW_LINK ? &costs->slow_link : &costs->slow_reduce;
    switch (fault->kind) {
    case RS_SLOW_LINK:
    case RS_SLOW_REDUCE:
        if (!take_factors(factors, costs->n_ranks, arena)) return rs_no_memory(error);
        return multiply(fault, error, &(*factors)[rank]);
    case RS_LATE: add_time(&costs->late_ps[rank], fault->time_ps); break;
    case RS_STRAGGLER:
        costs->disturbed = true;
        add_time(&costs->straggler_ps[rank], fault->time_ps);
        break;
    case RS_KILL:
        costs->has_kills = costs->disturbed = true;
        if (fault->step < costs->kill_step[rank]) costs->kill_step[rank] = fault->step;
        break;
    case RS_DOWN:
        costs->outages[costs->n_outages++] = (rs_outage){rank, fault->step, fault->time_ps};
        break;
    case RS_FLIP: break; /* changes values, not times */
    }
    return RS_OK;
}

RS_ORDER(by_place, rs_outage, src, step);

/* Sorts the outages and adds up those of the same sender and step. */
static void merge_outages(rs_costs *costs) {
    int32_t n = 0;
    if (costs->n_outages == 0) return;
    qsort(costs->outages, (size_t)costs->n_outages, sizeof *costs->outages, by_place);
    for (int32_t i = 1; i < costs->n_outages; i++) {
        if (by_place(&costs->outages[n], &costs->outages[i]) == 0) {
            add_time(&costs->outages[n].time_ps, costs->outages[i].time_ps);
        } else {
            costs->outages[++n] = costs->outages[i];
        }
    }
    costs->n_outages = n + 1;
}

static rs_status take_faults(rs_costs *costs, rs_arena *arena, rs_error *error) {
    const rs_job *job = costs->job;
    for (int32_t i = 0; i < job->n_faults; i++) {
        rs_status status = check_fault(costs, &job->faults[i], arena, error);
        if (status == RS_OK) status = take_fault(costs, &job->faults[i], arena, error);
        if (status != RS_OK) return status;
    }
    merge_outages(costs);
    return RS_OK;
}

static rs_status index_overrides(rs_costs *costs, rs_arena *arena, rs_error *error) {
    const rs_net *net = &costs->job->net;
    if (net->n_overrides == 0) return RS_OK;
    int32_t *first = rs_alloc(arena, (size_t)costs->n_ranks + 1, sizeof *first);
    int32_t *dst = rs_alloc(arena, (size_t)net->n_overrides, sizeof *dst);
    if (arena->lacked) return rs_no_memory(error);
    for (int32_t i = 0; i < net->n_overrides; i++) {
        first[net->overrides[i].src + 1] = i + 1;
        dst[i] = net->overrides[i].dst;
    }
    for (int32_t r = 0; r < costs->n_ranks; r++) {
        if (first[r + 1] < first[r]) first[r + 1] = first[r];
    }
    costs->override_first = first;
    costs->override_dst = dst;
    return RS_OK;
}

static wide largest(wide a, wide b) {
    return a > b ? a : b;
}

/* Returns the most that one message of n_bytes and its addition can take, on the slowest link. */
static wide dearest_message(const rs_costs *costs, int64_t n_bytes) {
    const rs_net *net = &costs->job->net;
    wide most = 0, most_added = 0;
    for (int32_t r = 0; r < costs->n_ranks; r++) {
        const rs_factor slow = costs->slow_link == NULL ? (rs_factor){1, 1} : costs->slow_link[r];
        const int64_t busy = rs_wire_ps(n_bytes, net->link.bandwidth_Bps, slow.num, slow.den);
        most = largest(most, (wide)busy + (wide)rs_scale_ps(net->link.alpha_ps, slow));
        most_added = largest(most_added, (wide)rs_costs_addition(costs, r, n_bytes));
        if (costs->slow_link == NULL && costs->slow_reduce == NULL) break; /* all the same */
    }
    for (int32_t i = 0; i < net->n_overrides; i++) {
        int64_t alpha, busy;
        rs_costs_link(costs, net->overrides[i].src, net->overrides[i].dst, n_bytes, &alpha, &busy);
        most = largest(most, (wide)alpha + (wide)busy);
    }
    return most + most_added;
}

/* Returns the same or more without a division for each link: takes the largest latency and the
   smallest bandwidth of all. */
static wide dearest_at_most(const rs_costs *costs, int64_t n_bytes) {
    const rs_net *net = &costs->job->net;
    rs_link worst = net->link;
    if (costs->slow_link != NULL || costs->slow_reduce != NULL) {
        return dearest_message(costs, n_bytes);
    }
    for (int32_t i = 0; i < net->n_overrides; i++) {
        const rs_link *link = &net->overrides[i].link;
        if (link->alpha_ps > worst.alpha_ps) worst.alpha_ps = link->alpha_ps;
        if (link->bandwidth_Bps < worst.bandwidth_Bps) worst.bandwidth_Bps = link->bandwidth_Bps;
    }
    return (wide)worst.alpha_ps + (wide)rs_wire_ps(n_bytes, worst.bandwidth_Bps, 1, 1) +
           (wide)rs_costs_addition(costs, 0, n_bytes);
}

/* Refuses a job that could pass the clock's limit. Where a rank has one message each way in a step,
   no step lasts longer than the slowest message, its addition and the slowest straggler: under
   rendezvous, since the rank's ports are free when it enters; under eager with fixed neighbours,
   since a wire carries its messages in order. Elsewhere ports have queues, and the engine watches
   its clock: this refuses only times that it could not safely add even once. */
static rs_status bound_clock(rs_costs *costs, rs_error *error) {
    const rs_job *job = costs->job;
    const rs_schedule *schedule = job->schedule;
    if (costs->n_steps == 0 || job->net.machine != NULL) return RS_OK; /* flows watch their clock */
    const int64_t elements = rs_largest_transfer(schedule, job->count);
    wide late = 0, straggler = 0, outages = 0;
    for (int32_t r = 0; r < costs->n_ranks; r++) {
        late = largest(late, (wide)costs->late_ps[r]);
        straggler = largest(straggler, (wide)costs->straggler_ps[r]);
    }
    for (int32_t i = 0; i < costs->n_outages; i++) outages += (wide)costs->outages[i].time_ps;
    const int64_t n_bytes = elements * job->elem_bytes;
    const wide limit = RS_CLOCK_LIMIT_PS - 1, n_steps = costs->n_steps;
    wide step = dearest_at_most(costs, n_bytes) + straggler;
    if (late + outages + step * n_steps > limit) {
        step = dearest_message(costs, n_bytes) + straggler;
    }
    const wide bound = late + outages + step * n_steps;
    const bool rendezvous = job->net.protocol == RS_RENDEZVOUS;
    const bool holds = costs->one_port && (rendezvous || schedule->fixed_neighbours);
    costs->bounded = holds && bound <= limit;
    if (costs->bounded) return RS_OK;
    const wide least = straggler * n_steps; /* a rank has its pause before every step */
    if (!holds && late + outages + step <= limit && least <= limit) return RS_OK;
    return rs_fail(error, RS_TOO_LARGE,
                   "this run could last longer than 2^53 ps (2.5 hours), where times are no longer "
                   "exact; take fewer steps, fewer bytes or faster links");
}

static rs_status fill(rs_costs *costs, rs_arena *arena, rs_error *error) {
    const rs_job *job = costs->job;
    const size_t n = (size_t)costs->n_ranks;
    costs->late_ps = rs_alloc(arena, n, sizeof *costs->late_ps);
    costs->straggler_ps = rs_alloc(arena, n, sizeof *costs->straggler_ps);
    costs->kill_step = rs_alloc(arena, n, sizeof *costs->kill_step);
    costs->outages = rs_alloc(arena, (size_t)job->n_faults, sizeof *costs->outages);
    if (arena->lacked) return rs_no_memory(error);
    const rs_machine *machine = job->net.machine;
    costs->launch_ps = machine != NULL ? machine->launch_ps : job->net.launch_ps;
    costs->barrier_ps = machine != NULL ? machine->barrier_ps : 0;
    for (size_t r = 0; r < n; r++) {
        costs->kill_step[r] = costs->n_steps;
        costs->late_ps[r] = costs->launch_ps;
    }
    rs_status status = index_overrides(costs, arena, error);
    if (status == RS_OK) status = take_faults(costs, arena, error);
    return status == RS_OK ? bound_clock(costs, error) : status;
}

rs_status rs_costs_new(const rs_job *job, rs_arena *arena, rs_error *error, rs_costs **out) {
    const rs_schedule *schedule = job->schedule;
    rs_status status = check_job(job, arena, error);
    if (status != RS_OK) return status;
    rs_costs *costs = rs_alloc(arena, 1, sizeof *costs);
    if (costs == NULL) return rs_no_memory(error);
    costs->job = job;
    costs->n_ranks = schedule->n_ranks;
    costs->n_steps = job->count == 0 || schedule->n_ranks == 1 ? 0 : schedule->n_steps;
    costs->one_port = schedule->max_sends <= 1;
    if (schedule->n_chunks > 0) {
        costs->chunk_bytes = job->count / schedule->n_chunks * job->elem_bytes;
        costs->n_larger = job->count % schedule->n_chunks;
        costs->in_parts = schedule->n_parts > 1 && schedule->n_parts < schedule->n_chunks;
    }
    status = fill(costs, arena, error);
    if (status == RS_OK) *out = costs;
    return status;
}
