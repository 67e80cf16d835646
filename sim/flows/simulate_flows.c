/* simulate_flows.c: the flow engine: transfers share the wires of a machine.
 *
 *     both ends have entered the step --> latencies of the route --> bytes flow --> end --> added
 *
 *   - All that happens in one picosecond happens together: first everything ends and enters, then the
 *     rates are computed once.
 *   - A walker goes through the steps of one channel for one rank: rank r's of channel c is number c N + r. Where a
 *     rank dies all its channels go together, as one walker. A rank's additions queue, of all channels.
 *   - A message is a flow's number from its start on: RS_FLOWS and RS_ENDS are its events, RS_ENTERS a
 *     rank's. Events that came true otherwise are dropped when they come up.
 *   - Memory: transfers under way, wires, ranks.
 */
#include "flows/numbers.h"
#include "flows/paths.h"
#include "time/event_queue.h"
#include "base/containers.h"

#include <assert.h>
#include <stdlib.h>

enum { RS_ENTERS, RS_FLOWS, RS_ENDS, KIND_BITS = 2 };
enum { BETWEEN_PROGRESS = 1 << 15 };

/* A transfer under way. */
typedef struct delivery {
    rs_transfer transfer;
    int32_t step;
    int64_t start_ps, n_bytes, alpha_ps;
    int32_t way; /* its number, unless it was forgotten */
    bool ends;   /* now; it is among the ended */
} delivery;

typedef struct rank_state {
    int64_t leave_ps, added_ps; /* the latest end in this step; when its adder is free */
    int64_t bytes_sent;
    int32_t step;   /* it is in, or on its way to */
    int32_t n_open; /* its transfers in this step that have not ended */
    int32_t way;    /* of what it sent last */
} rank_state;

/* A message that ends, by its place in the schedule. */
typedef struct turn {
    int32_t step, order, channel, number;
} turn;

typedef struct engine {
    const rs_schedule *schedule;
    const rs_costs *costs;
    const rs_sink *sink;
    rs_outcome *outcome;
    rs_arena *arena;
    rs_error *error;
    rs_status status;
    rs_queue queue;
    rs_paths paths;
    rs_share *share;
    delivery *messages; /* [messages_room] by flow */
    int32_t messages_room;
    rank_state *ranks; /* [n_walkers] */
    int32_t n_ranks, n_walkers;
    rs_transfer *sends, *recvs; /* [max_sends] of the rank that enters */
    rs_transfer *first;         /* [max_sends] of a rank whose link is down */
    turn *turns;                /* [turns_room] */
    int32_t turns_room;
    rs_numbers ended, entering; /* at this moment */
    int64_t now_ps, n_transfers, makespan_ps;
    bool adds;
} engine;

static void fail_memory(engine *e) {
    if (e->status != RS_OK) return;
    e->status = rs_no_memory(e->error);
}

static void push(engine *e, int64_t time_ps, uint32_t kind, int32_t number) {
    if (time_ps >= RS_CLOCK_LIMIT_PS) {
        if (e->status != RS_OK) return;
        e->status = rs_fail(e->error, RS_TOO_LARGE,
                            "this run lasts longer than 2^53 ps (2.5 hours), where times are no "
                            "longer exact; take fewer steps, fewer bytes or faster links");
    } else if (!rs_queue_push(&e->queue, time_ps, (uint32_t)number << KIND_BITS | kind)) {
        fail_memory(e);
    }
}

static void append(engine *e, rs_numbers *to, int32_t item) {
    if (!rs_numbers_add(to, item, e->arena)) fail_memory(e);
}

/* ------------------------------------------------------------------ ranks */

static bool is_there(const rank_state *rank, int32_t step) {
    return rank->step == step && rank->n_open > 0;
}

/* Returns who goes through the steps of a rank's channel. */
static rank_state *walker_of(engine *e, int32_t rank, int32_t channel) {
    return &e->ranks[e->n_walkers == e->n_ranks ? rank : channel * e->n_ranks + rank];
}

/* Sends a walker that has left its step on its way to the next one; it may be finished, or die. */
static void go_on(engine *e, rank_state *state) {
    const rs_schedule *schedule = e->schedule;
    const int32_t walker = (int32_t)(state - e->ranks), rank = walker % e->n_ranks;
    const int32_t n_steps = e->costs->n_steps, killed = e->costs->kill_step[rank];
    const int64_t straggler_ps = e->costs->straggler_ps[rank];
    int32_t next = state->step + 1;
    if (schedule->next_step != NULL) next = schedule->next_step(schedule, next, rank);
    if (killed <= next && killed < n_steps) {
        e->outcome->entered[rank] = killed;
        return;
    }
    if (next >= n_steps) {
        const int64_t end_ps = state->leave_ps + straggler_ps * (n_steps - 1 - state->step);
        e->outcome->entered[rank] = n_steps;
        e->outcome->finish_ps[rank] = rs_larger(end_ps, e->outcome->finish_ps[rank]);
        e->makespan_ps = rs_larger(e->makespan_ps, end_ps);
        return;
    }
    const int64_t entry_ps = state->leave_ps + straggler_ps * (next - state->step) +
                             rs_costs_barriers(e->costs, state->step, next);
    state->step = next;
    if (entry_ps == e->now_ps) {
        append(e, &e->entering, walker);
    } else {
        push(e, entry_ps, RS_ENTERS, walker);
    }
}

static void end_part(engine *e, rank_state *state, int64_t end_ps) {
    assert(state->n_open > 0);
    state->leave_ps = rs_larger(state->leave_ps, end_ps);
    if (--state->n_open == 0) go_on(e, state);
}

/* ------------------------------------------------------------------ transfers */

static const rs_way *way_of(engine *e, const rs_transfer *t, int32_t hint) {
    const rs_way *way = NULL;
    const rs_status status = rs_paths_find(&e->paths, t, hint, e->error, &way);
    if (status != RS_OK) e->status = status;
    return way;
}

static void flow(engine *e, int32_t number, const rs_way *way) {
    const delivery *m = &e->messages[number];
    if (!rs_share_begin(e->share, number, &way->path, m->n_bytes, e->now_ps)) fail_memory(e);
}

/* The latencies of a message are over: its bytes flow, if it has any. */
static void begin_to_flow(engine *e, int32_t number) {
    const delivery *m = &e->messages[number];
    if (m->n_bytes == 0) {
        append(e, &e->ended, number);
        return;
    }
    const rs_way *way = way_of(e, &m->transfer, m->way);
    if (way != NULL) flow(e, number, way);
}

/* Returns how much later this transfer starts because its link is down. */
static int64_t outage_of(engine *e, const rs_transfer *transfer, int32_t step) {
    const int64_t down_ps = rs_costs_outage(e->costs, transfer->src, step);
    if (down_ps == 0 || e->costs->one_port) return down_ps;
    e->schedule->sends(e->schedule, step, transfer->src, e->first);
    return e->first[0].order == transfer->order ? down_ps : 0;
}

static void start(engine *e, const rs_transfer *transfer, int32_t step) {
    const int32_t number = rs_share_take(e->share);
    const int64_t n_bytes = rs_costs_bytes(e->costs, transfer);
    if (number < 0 || !rs_reserve(e->arena, &e->messages, number + 1, &e->messages_room)) {
        fail_memory(e);
        return;
    }
    const rs_way *way = way_of(e, transfer, walker_of(e, transfer->src, transfer->channel)->way);
    if (way == NULL) return;
    const int32_t way_number = (int32_t)(way - e->paths.ways);
    e->messages[number] = (delivery){.transfer = *transfer,
                                     .step = step,
                                     .start_ps = e->now_ps,
                                     .n_bytes = n_bytes,
                                     .alpha_ps = way->path.alpha_ps,
                                     .way = way_number};
    walker_of(e, transfer->src, transfer->channel)->way = way_number;
    e->ranks[transfer->src].bytes_sent += n_bytes;
    const int64_t down_ps = e->costs->n_outages > 0 ? outage_of(e, transfer, step) : 0;
    const int64_t flows_ps = e->now_ps + down_ps + way->path.alpha_ps;
    if (flows_ps > e->now_ps) {
        push(e, flows_ps, RS_FLOWS, number);
    } else if (n_bytes == 0) {
        append(e, &e->ended, number);
    } else {
        flow(e, number, way);
    }
}

/* The data have arrived: adds them, and lets both ends go on. */
static void arrive(engine *e, int32_t number) {
    const delivery m = e->messages[number];
    rank_state *dst = &e->ranks[m.transfer.dst];
    int64_t done_ps = e->now_ps;
    if (m.n_bytes > 0) rs_share_end(e->share, number, m.n_bytes, e->now_ps);
    rs_share_release(e->share, number);
    if (e->adds && m.transfer.effect == RS_REDUCE) {
        done_ps = rs_larger(done_ps, dst->added_ps) +
                  rs_costs_addition(e->costs, m.transfer.dst, m.n_bytes);
        dst->added_ps = done_ps;
    }
    e->n_transfers++;
    e->makespan_ps = rs_larger(e->makespan_ps, done_ps);
    if (e->sink != NULL) {
        const rs_timed timed = {m.transfer, m.step, m.start_ps, e->now_ps, done_ps, m.alpha_ps};
        e->sink->transfer(e->sink->context, &timed);
    }
    end_part(e, walker_of(e, m.transfer.src, m.transfer.channel), e->now_ps);
    end_part(e, walker_of(e, m.transfer.dst, m.transfer.channel), done_ps);
}

/* ------------------------------------------------------------------ a moment */

/* Keeps those on the channel, of n; returns how many. */
static int on_channel(int32_t channel, int n, rs_transfer list[]) {
    int kept = 0;
    for (int i = 0; i < n; i++) {
        if (list[i].channel == channel) list[kept++] = list[i];
    }
    return kept;
}

/* Asks what the walker sends, and receives, in its step. */
static void ask(engine *e, int32_t walker, int32_t step, int *n_sends, int *n_recvs) {
    const rs_schedule *schedule = e->schedule;
    const int32_t rank = walker % e->n_ranks, channel = walker / e->n_ranks;
    if (e->n_walkers > e->n_ranks && schedule->channel_sends != NULL) {
        *n_sends = schedule->channel_sends(schedule, step, rank, channel, e->sends);
        *n_recvs = schedule->channel_recvs(schedule, step, rank, channel, e->recvs);
        return;
    }
    *n_sends = schedule->sends(schedule, step, rank, e->sends);
    *n_recvs = schedule->recvs(schedule, step, rank, e->recvs);
    if (e->n_walkers == e->n_ranks) return;
    *n_sends = on_channel(channel, *n_sends, e->sends);
    *n_recvs = on_channel(channel, *n_recvs, e->recvs);
}

static void enter(engine *e, int32_t walker) {
    rank_state *state = &e->ranks[walker];
    const int32_t step = state->step;
    int n_sends, n_recvs;
    ask(e, walker, step, &n_sends, &n_recvs);
    state->leave_ps = e->now_ps;
    state->n_open = n_sends + n_recvs;
    for (int i = 0; i < n_sends; i++) {
        const rs_transfer *t = &e->sends[i];
        if (is_there(walker_of(e, t->dst, t->channel), step)) start(e, t, step);
    }
    for (int i = 0; i < n_recvs; i++) {
        const rs_transfer *t = &e->recvs[i];
        if (is_there(walker_of(e, t->src, t->channel), step)) start(e, t, step);
    }
    if (state->n_open == 0) go_on(e, state);
}

static void end_now(engine *e, int32_t number) {
    if (e->messages[number].ends) return;
    e->messages[number].ends = true;
    append(e, &e->ended, number);
}

static void call_ends(void *context, int32_t number, int64_t end_ps) {
    push(context, end_ps, RS_ENDS, number);
}

static void call_due(void *context, int32_t number) {
    end_now(context, number);
}

static void handle(engine *e, rs_event event) {
    const int32_t number = (int32_t)(event.what >> KIND_BITS);
    switch (event.what & ((1 << KIND_BITS) - 1)) {
    case RS_ENTERS: append(e, &e->entering, number); break;
    case RS_FLOWS: begin_to_flow(e, number); break;
    default:
        if (rs_share_ends(e->share, number, e->now_ps)) end_now(e, number);
    }
}

RS_ORDER(by_place, turn, step, order, channel);

/* Sorts what ends now by its place in the schedule: so a rank's additions queue. */
static void sort_ended(engine *e) {
    const int32_t n = e->ended.n;
    if (!rs_reserve(e->arena, &e->turns, n, &e->turns_room)) {
        fail_memory(e);
        return;
    }
    for (int32_t i = 0; i < n; i++) {
        const int32_t number = e->ended.items[i];
        const delivery *m = &e->messages[number];
        e->turns[i] = (turn){m->step, m->transfer.order, m->transfer.channel, number};
    }
    qsort(e->turns, (size_t)n, sizeof *e->turns, by_place);
    for (int32_t i = 0; i < n; i++) e->ended.items[i] = e->turns[i].number;
}

/* Lets all end that ends now, and enter that enters now, until nothing more does. */
static void come_to_rest(engine *e) {
    while (e->status == RS_OK && (e->ended.n > 0 || e->entering.n > 0)) {
        if (e->adds && e->ended.n > 1) sort_ended(e);
        for (int32_t i = 0; i < e->ended.n && e->status == RS_OK; i++) arrive(e, e->ended.items[i]);
        e->ended.n = 0;
        for (int32_t i = 0; i < e->entering.n && e->status == RS_OK; i++) {
            enter(e, e->entering.items[i]);
        }
        e->entering.n = 0;
    }
}

static rs_share_calls calls_of(engine *e) {
    return (rs_share_calls){.engine = e, .ends = call_ends, .due = call_due};
}

/* Finds whoever ends together with those that end now: a rank's additions queue in the schedule's order, not in
   that of the events. */
static void find_due(engine *e) {
    const rs_share_calls calls = calls_of(e);
    if (!e->adds || e->ended.n == 0) return;
    if (!rs_share_find_due(e->share, e->ended.n, &e->ended, e->now_ps, &calls)) fail_memory(e);
}

/* After all of a moment: who has which rate. */
static void settle(engine *e) {
    const rs_share_calls calls = calls_of(e);
    do {
        come_to_rest(e);
        if (e->status != RS_OK) return;
        if (!rs_share_settle(e->share, e->now_ps, &calls)) fail_memory(e);
    } while (e->ended.n > 0 && e->status == RS_OK);
}

static void set_out(engine *e) {
    for (int32_t w = 0; w < e->n_walkers; w++) {
        e->ranks[w] = (rank_state){.step = -1, .leave_ps = e->costs->late_ps[w % e->n_ranks]};
        go_on(e, &e->ranks[w]);
    }
    settle(e);
}

static void ask_host(engine *e) {
    const int64_t n = e->schedule->n_transfers;
    if (rs_go_on(e->arena->host, "simulate", e->n_transfers, n)) return;
    e->status = rs_fail(e->error, RS_CANCELLED, "stopped after %lld of %lld transfers",
                        (long long)e->n_transfers, (long long)n);
}

static void run(engine *e) {
    int64_t report_at = BETWEEN_PROGRESS;
    set_out(e);
    while (e->status == RS_OK && e->queue.n > 0) {
        rs_event event = rs_queue_pop(&e->queue);
        e->now_ps = event.time_ps;
        handle(e, event);
        while (rs_queue_more_now(&e->queue)) handle(e, rs_queue_pop(&e->queue));
        find_due(e);
        settle(e);
        if (e->n_transfers < report_at) continue;
        report_at = e->n_transfers + BETWEEN_PROGRESS;
        ask_host(e);
    }
}

rs_status rs_flows(const rs_job *job, const rs_costs *costs, const rs_sink *sink, rs_arena *arena,
                   rs_error *error, rs_outcome *outcome) {
    const rs_schedule *schedule = job->schedule;
    const bool apart = schedule->n_channels > 1 && !costs->has_kills;
    const int32_t n_channels = apart ? schedule->n_channels : 1;
    const size_t width = (size_t)schedule->max_sends;
    const size_t n = (size_t)costs->n_ranks * (size_t)n_channels;
    engine e = {
        .schedule = schedule,
        .costs = costs,
        .sink = sink,
        .outcome = outcome,
        .arena = arena,
        .error = error,
        .n_ranks = costs->n_ranks,
        .n_walkers = costs->n_ranks * n_channels,
        .ranks = rs_alloc(arena, n, sizeof *e.ranks),
        .sends = rs_alloc(arena, width, sizeof *e.sends),
        .recvs = rs_alloc(arena, width, sizeof *e.recvs),
        .first = rs_alloc(arena, width, sizeof *e.first),
        .adds = job->net.reduce_Bps != 0,
    };
    if (!e.ranks || !e.sends || !e.recvs || !e.first ||
        !rs_queue_init(&e.queue, (uint32_t)n, arena)) {
        return rs_no_memory(error);
    }
    e.status = rs_paths_new(costs, schedule->n_channels > 1 ? schedule->n_channels : 1, arena,
                            error, &e.paths);
    if (e.status == RS_OK) {
        e.status = rs_share_new(e.paths.capacity, e.paths.n_wires, arena, error, &e.share);
    }
    if (e.status == RS_OK) run(&e);
    if (e.status != RS_OK) return e.status;
    outcome->wires = rs_alloc(arena, (size_t)e.paths.n_wires, sizeof *outcome->wires);
    if (outcome->wires == NULL) return rs_no_memory(error);
    for (int32_t w = 0; w < e.paths.n_wires; w++) outcome->wires[w] = rs_share_use(e.share, w);
    outcome->n_transfers = e.n_transfers;
    outcome->makespan_ps = e.makespan_ps;
    for (int32_t w = 0; w < e.n_walkers; w++) {
        const int32_t r = w % e.n_ranks;
        if (w == r) outcome->bytes_sent[r] = e.ranks[r].bytes_sent;
        if (e.ranks[w].n_open == 0) continue;
        outcome->entered[r] = e.ranks[w].step + 1; /* for ever */
        outcome->makespan_ps = rs_larger(outcome->makespan_ps, e.ranks[w].leave_ps);
    }
    return RS_OK;
}
