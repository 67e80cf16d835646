/* apart.c: see apart.h. */
#include "flows/apart.h"

#include <assert.h>
#include <stdlib.h>

enum { MOST_PEERS = 64 /* of a rank; with more it is not worth while */ };
enum { NOBODY = -1, SEVERAL = -2 };
static const int64_t most_transfers = 1000000000; /* to look at one by one */

/* Who takes a wire. */
typedef struct taker {
    int32_t src, dst; /* NOBODY, one, or SEVERAL */
} taker;

/* What looking needs. */
typedef struct survey {
    const rs_costs *costs;
    rs_arena *arena;
    rs_error *error;
    rs_router *router;
    taker *takers; /* [2 n_links] */
    rs_apart *apart;
    rs_link_override *links; /* [links_room] */
    int32_t n, links_room, pairs_room;
    bool shared; /* a wire is taken by several both ways: not apart */
} survey;

/* A run of which this can be said at all: one message each way, on one channel, everybody lives, no link slower by a fault (its
   bandwidth might be no whole number), not too much to look at. */
static bool may_be_apart(const rs_costs *costs) {
    const rs_machine *machine = costs->job->net.machine;
    const rs_schedule *schedule = costs->job->schedule;
    if (!costs->one_port || costs->n_steps == 0 || schedule->n_channels > 1) return false;
    if (!schedule->fixed_neighbours && schedule->n_transfers > most_transfers) return false;
    if (costs->has_kills || costs->slow_link != NULL || schedule->n_barriers > 0) return false;
    for (int32_t i = 0; i < machine->n_links; i++) {
        if (machine->links[i].slow_num != machine->links[i].slow_den) return false;
    }
    return true;
}

static int32_t gpu_of(const rs_job *job, int32_t rank) {
    return job->net.place == NULL ? rank : job->net.place[rank];
}

static rs_status stop(rs_error *error) {
    return rs_fail(error, RS_CANCELLED, "stopped while looking at who sends to whom");
}

/* On a hub with 100,000 links this takes minutes. */
static bool goes_on(const rs_host *host, int32_t rank, int32_t n) {
    return !rs_stopped(host) && rs_go_on(host, "looking who sends to whom", rank, n);
}

/* Lets a pair take the wires of its route, and makes its link. */
static rs_status add_pair(survey *s, int32_t src, int32_t dst) {
    const rs_job *job = s->costs->job;
    rs_route route;
    if (!rs_reserve(s->arena, &s->links, s->n + 1, &s->links_room) ||
        !rs_reserve(s->arena, &s->apart->pairs, s->n + 1, &s->pairs_room)) {
        return rs_no_memory(s->error);
    }
    const rs_status status =
        rs_router_find(s->router, gpu_of(job, src), gpu_of(job, dst), 0, s->error, &route);
    if (status != RS_OK) return status;
    rs_link_override *made = &s->links[s->n];
    *made = (rs_link_override){src, dst, {.bandwidth_Bps = UINT64_MAX}};
    s->apart->pairs[s->n++] = (rs_flow_pair){s->apart->wires.n, route.n_wires, {0, 0}};
    for (int32_t i = 0; i < route.n_wires; i++) {
        const rs_machine_link *on = &job->net.machine->links[route.wires[i] / 2];
        taker *by = &s->takers[route.wires[i]];
        by->src = by->src == NOBODY || by->src == src ? src : SEVERAL;
        by->dst = by->dst == NOBODY || by->dst == dst ? dst : SEVERAL;
        s->shared = s->shared || (by->src == SEVERAL && by->dst == SEVERAL);
        made->link.alpha_ps += on->alpha_ps;
        if (on->bandwidth_Bps < made->link.bandwidth_Bps) {
            made->link.bandwidth_Bps = on->bandwidth_Bps;
        }
        if (!rs_numbers_add(&s->apart->wires, route.wires[i], s->arena)) {
            return rs_no_memory(s->error);
        }
    }
    return RS_OK;
}

/* ------------------------------------------------------------------ who sends to whom */

/* Lists whom a rank sends to; returns how many, -1: too many. */
static int list_peers(const rs_schedule *schedule, int32_t rank, int32_t peers[MOST_PEERS]) {
    int n = 0, last = 0;
    for (int32_t step = 0; step < schedule->n_steps; step++) {
        rs_transfer sent;
        if (schedule->next_step != NULL) step = schedule->next_step(schedule, step, rank);
        if (step >= schedule->n_steps) break;
        if (schedule->sends(schedule, step, rank, &sent) == 0) continue;
        if (n > 0 && peers[last] == sent.dst) continue;
        for (last = 0; last < n && peers[last] != sent.dst;) last++;
        if (last == MOST_PEERS) return -1;
        peers[last] = sent.dst;
        if (last == n) n++;
        if (schedule->fixed_neighbours) break;
    }
    qsort(peers, (size_t)n, sizeof *peers, rs_by_int32);
    return n;
}

/* ------------------------------------------------------------------ what the wires carry */

/* A chunk a step, of one of two sizes: by a formula. */
static rs_wire_use use_by_formula(const rs_costs *costs, int64_t bytes_sent, const rs_link *link) {
    const int64_t small = costs->chunk_bytes, elem = costs->job->elem_bytes;
    const int64_t n_large = (bytes_sent - costs->n_steps * small) / elem;
    const int64_t small_ps = rs_wire_ps(small, link->bandwidth_Bps, 1, 1);
    const int64_t large_ps = rs_wire_ps(small + elem, link->bandwidth_Bps, 1, 1);
    return (rs_wire_use){bytes_sent, n_large * large_ps + (costs->n_steps - n_large) * small_ps};
}

/* Adds up what a rank sends to each of its n peers: pairs[first ..]. */
static void add_up(const rs_apart *apart, const rs_costs *costs, int32_t rank, int32_t first,
                   int32_t n) {
    const rs_schedule *schedule = costs->job->schedule;
    const rs_link_override *links = apart->job.net.overrides;
    int64_t last_bytes = -1, last_ps = 0;
    int32_t at = first, last_at = first;
    for (int32_t step = 0; step < schedule->n_steps; step++) {
        rs_transfer sent;
        if (schedule->next_step != NULL) step = schedule->next_step(schedule, step, rank);
        if (step >= schedule->n_steps) break;
        if (schedule->sends(schedule, step, rank, &sent) == 0) continue;
        const int64_t n_bytes = rs_costs_bytes(costs, &sent);
        if (links[at].dst != sent.dst) {
            for (at = first; links[at].dst != sent.dst; at++) assert(at + 1 < first + n);
        }
        if (n_bytes != last_bytes || at != last_at) {
            last_ps = rs_wire_ps(n_bytes, links[at].link.bandwidth_Bps, 1, 1);
            last_bytes = n_bytes;
            last_at = at;
        }
        apart->pairs[at].use.n_bytes += n_bytes;
        apart->pairs[at].use.busy_ps += last_ps;
    }
}

rs_status rs_apart_end(const rs_apart *apart, const rs_costs *costs, rs_arena *arena,
                       rs_error *error, rs_outcome *outcome) {
    const rs_machine *machine = costs->job->net.machine;
    const rs_schedule *schedule = costs->job->schedule;
    const rs_link_override *links = apart->job.net.overrides;
    const int32_t n_pairs = apart->job.net.n_overrides;
    const bool formula = schedule->fixed_neighbours && schedule->max_run == 1 && !costs->in_parts &&
                         schedule->n_transfers == (int64_t)costs->n_ranks * costs->n_steps;
    outcome->wires = rs_alloc(arena, 2 * (size_t)machine->n_links, sizeof *outcome->wires);
    if (outcome->wires == NULL) return rs_no_memory(error);
    for (int32_t i = 0, next; i < n_pairs; i = next) {
        const int32_t rank = links[i].src;
        if (!goes_on(arena->host, rank, costs->n_ranks)) return stop(error);
        for (next = i; next < n_pairs && links[next].src == rank;) next++;
        if (formula) {
            apart->pairs[i].use = use_by_formula(costs, outcome->bytes_sent[rank], &links[i].link);
        } else {
            add_up(apart, costs, rank, i, next - i);
        }
    }
    for (int32_t i = 0; i < n_pairs; i++) {
        const rs_flow_pair *pair = &apart->pairs[i];
        for (int32_t k = 0; k < pair->n_wires; k++) {
            rs_wire_use *use = &outcome->wires[apart->wires.items[pair->first_wire + k]];
            use->n_bytes += pair->use.n_bytes;
            use->busy_ps += pair->use.busy_ps;
        }
    }
    return RS_OK;
}

/* ------------------------------------------------------------------ the job on private links */

static void hand_on(void *context, const rs_timed *timed) {
    const rs_apart *apart = context;
    const rs_link_override *links = apart->job.net.overrides;
    rs_timed item = *timed;
    int32_t low = 0, high = apart->job.net.n_overrides;
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        const rs_link_override *at = &links[middle];
        const bool before = at->src < item.transfer.src ||
                            (at->src == item.transfer.src && at->dst <= item.transfer.dst);
        if (before) {
            low = middle;
        } else {
            high = middle;
        }
    }
    assert(links[low].src == item.transfer.src && links[low].dst == item.transfer.dst);
    item.alpha_ps = links[low].link.alpha_ps;
    apart->then->transfer(apart->then->context, &item);
}

static rs_status look(survey *s) {
    const rs_schedule *schedule = s->costs->job->schedule;
    int32_t peers[MOST_PEERS];
    for (int32_t r = 0; r < s->costs->n_ranks && !s->shared; r++) {
        if (!goes_on(s->arena->host, r, s->costs->n_ranks)) return stop(s->error);
        const int n = list_peers(schedule, r, peers);
        if (n < 0) s->shared = true;
        for (int i = 0; i < n && !s->shared; i++) {
            const rs_status status = add_pair(s, r, peers[i]);
            if (status != RS_OK) return status;
        }
    }
    return RS_OK;
}

rs_status rs_apart_new(const rs_costs *costs, const rs_sink *sink, rs_arena *arena, rs_error *error,
                       rs_apart **found) {
    const rs_job *job = costs->job;
    const size_t n_wires = 2 * (size_t)job->net.machine->n_links;
    *found = NULL;
    if (!may_be_apart(costs)) return RS_OK;
    survey s = {.costs = costs,
                .arena = arena,
                .error = error,
                .takers = rs_alloc(arena, n_wires, sizeof *s.takers),
                .apart = rs_alloc(arena, 1, sizeof *s.apart)};
    if (s.takers == NULL || s.apart == NULL) return rs_no_memory(error);
    for (size_t w = 0; w < n_wires; w++) s.takers[w] = (taker){NOBODY, NOBODY};
    rs_status status = rs_router_new(job->net.machine, arena, error, &s.router);
    if (status == RS_OK) status = look(&s);
    if (status != RS_OK || s.shared || s.n == 0) return status;
    s.apart->job = *job;
    s.apart->job.net.launch_ps = costs->launch_ps;
    s.apart->job.net.machine = NULL;
    s.apart->job.net.place = NULL;
    s.apart->job.net.link = s.links[0].link; /* of pairs that never talk */
    s.apart->job.net.overrides = s.links;
    s.apart->job.net.n_overrides = s.n;
    s.apart->sink = (rs_sink){.context = s.apart, .transfer = hand_on};
    s.apart->then = sink;
    *found = s.apart;
    return RS_OK;
}
