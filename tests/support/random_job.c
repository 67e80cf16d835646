/* random_job.c: see random_job.h. */
#include "support/random_job.h"
#include "base/containers.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t draw_below(uint64_t *state, int64_t n) {
    return (int64_t)(rs_random(state) % (uint64_t)n);
}

static rs_link random_link(uint64_t *state) {
    return (rs_link){draw_below(state, 10000000),
                     1000000000u + (uint64_t)draw_below(state, 40000000000)};
}

static rs_fault random_fault(uint64_t *state, const rs_schedule *schedule, bool deadly) {
    static const rs_fault_kind gentle[] = {RS_SLOW_LINK, RS_LATE, RS_STRAGGLER, RS_SLOW_REDUCE};
    static const rs_fault_kind hard[] = {RS_KILL, RS_DOWN};
    return (rs_fault){
        .kind = deadly && draw_below(state, 2) == 0 ? hard[draw_below(state, 2)]
                                                    : gentle[draw_below(state, 4)],
        .rank = (int32_t)draw_below(state, schedule->n_ranks),
        .step = schedule->n_steps == 0 ? 0 : (int32_t)draw_below(state, schedule->n_steps),
        .time_ps = draw_below(state, 3) == 0 ? draw_below(state, 50) : draw_below(state, 100000000),
        .factor_num = 1 + (uint64_t)draw_below(state, 50),
        .factor_den = 1 + (uint64_t)draw_below(state, 9),
    };
}

/* Every link differs, or all are one, or a few differ. */
static void draw_links(random_job *d, uint64_t *state) {
    const int32_t n = d->schedule.n_ranks;
    const int64_t every = draw_below(state, 4);
    d->links = calloc((size_t)n * (size_t)n, sizeof *d->links);
    int32_t n_links = 0;
    for (int32_t i = 0; i < n && every != 0; i++) {
        for (int32_t j = 0; j < n; j++) {
            if (i == j || (n > 64 && j != (i + 1) % n) || draw_below(state, every) != 0) continue;
            d->links[n_links++] = (rs_link_override){i, j, random_link(state)};
        }
    }
    d->job.net.overrides = d->links;
    d->job.net.n_overrides = n_links;
}

void draw(random_job *d, const char *algorithm, int32_t n, int64_t count, rs_protocol protocol,
          bool deadly, uint64_t seed) {
    uint64_t state = seed;
    rs_error error;
    memset(d, 0, sizeof *d);
    const rs_order order = draw_below(&state, 2) == 0 ? RS_ORDER_SEED : RS_ORDER_NCCL;
    const rs_status status = rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, algorithm),
                                              order, n, count, &error, &d->schedule);
    cr_assert_eq(status, RS_OK, "%s", error.text);
    d->job = (rs_job){
        .schedule = &d->schedule,
        .count = count,
        .elem_bytes = 1 << draw_below(&state, 4),
        .net = {.link = random_link(&state), .protocol = protocol},
        .faults = d->faults,
        .n_faults = (int32_t)draw_below(&state, DRAWN_FAULTS + 1),
    };
    if (draw_below(&state, 2) == 0)
        d->job.net.reduce_Bps = 1 + (uint64_t)draw_below(&state, 50000000000);
    if (d->schedule.n_steps == 0) deadly = false;
    for (int32_t i = 0; i < d->job.n_faults; i++) {
        d->faults[i] = random_fault(&state, &d->schedule, deadly);
    }
    draw_links(d, &state);
    snprintf(d->name, sizeof d->name, "%s N=%d K=%lld %s %d faults seed %llu", algorithm, (int)n,
             (long long)count, protocol == RS_EAGER ? "eager" : "rendezvous", (int)d->job.n_faults,
             (unsigned long long)seed);
}

enum { LIST_RANKS = 12, LIST_STEPS = 20 };

/* A random permutation: who always sends to whom; those that stay in place never send. */
static void draw_neighbours(uint64_t *state, int32_t n, int32_t next[]) {
    for (int32_t i = 0; i < n; i++) {
        const int32_t j = (int32_t)draw_below(state, i + 1);
        next[i] = next[j];
        next[j] = i;
    }
}

/* Draws one step's transfers; next: the only ones allowed, NULL: any. Returns how many. */
static int64_t draw_step(uint64_t *state, int32_t n, int32_t n_chunks, const int32_t next[],
                         rs_transfer list[]) {
    bool sends[LIST_RANKS] = {0}, hears[LIST_RANKS] = {0};
    int64_t n_listed = 0;
    for (int64_t tries = draw_below(state, n + 1); tries > 0; tries--) {
        const int32_t src = (int32_t)draw_below(state, n);
        const int32_t dst = next != NULL ? next[src] : (int32_t)draw_below(state, n);
        if (src == dst || sends[src] || hears[dst]) continue;
        sends[src] = hears[dst] = true;
        rs_transfer *t = &list[n_listed++];
        *t = (rs_transfer){.src = src, .dst = dst};
        t->chunk = (int32_t)draw_below(state, n_chunks);
        t->n_chunks = 1 + (int32_t)draw_below(state, n_chunks - t->chunk);
        t->effect = (uint8_t)draw_below(state, 2);
    }
    return n_listed;
}

void draw_list(random_job *d, rs_protocol protocol, rs_arena *arena, uint64_t seed) {
    uint64_t state = seed;
    rs_transfer list[LIST_RANKS * LIST_STEPS];
    int64_t step_first[LIST_STEPS + 1] = {0};
    int32_t next[LIST_RANKS] = {0};
    const int32_t n = 2 + (int32_t)draw_below(&state, LIST_RANKS - 1);
    const int32_t n_chunks = 1 + (int32_t)draw_below(&state, 5);
    const int32_t n_steps = 1 + (int32_t)draw_below(&state, LIST_STEPS);
    draw_neighbours(&state, n, next);
    for (int32_t step = 0; step < n_steps; step++) {
        step_first[step + 1] =
            step_first[step] + draw_step(&state, n, n_chunks, protocol == RS_EAGER ? next : NULL,
                                         &list[step_first[step]]);
    }
    rs_error error = {.text = ""};
    draw(d, "ring", n, n_chunks, protocol, true, seed);
    const rs_status status =
        rs_schedule_from_list(n, n_chunks, n_steps, step_first, list, arena, &error, &d->schedule);
    cr_assert_eq(status, RS_OK, "%s", error.text);
    d->job.count = 1 + draw_below(&state, 100000);
    for (int32_t i = 0; i < d->job.n_faults; i++) {
        if (d->faults[i].step >= n_steps) d->faults[i].step %= n_steps;
    }
}

static rs_link link_of(const rs_net *net, int32_t src, int32_t dst) {
    for (int32_t i = 0; i < net->n_overrides; i++) {
        const rs_link_override *at = &net->overrides[i];
        if (at->src == src && at->dst == dst) return at->link;
    }
    return net->link;
}

void draw_private_machine(const rs_job *job, rs_arena *arena, rs_machine *machine) {
    const int32_t n = job->schedule->n_ranks;
    const size_t n_pairs = (size_t)n * (size_t)n;
    rs_error error = {.text = ""};
    rs_machine_link *links = rs_alloc(arena, n_pairs, sizeof *links);
    rs_machine_route *routes = rs_alloc(arena, n_pairs, sizeof *routes);
    int32_t *hops = rs_alloc(arena, n_pairs, sizeof *hops), n_links = 0;
    const char **names = rs_alloc(arena, (size_t)n, sizeof *names);
    bool *reduces = rs_alloc(arena, (size_t)n, sizeof *reduces);
    for (int32_t i = 0; i < n; i++) {
        names[i] = "gpu";
        for (int32_t j = 0; j < n; j++) {
            if (i == j) continue;
            const rs_link link = link_of(&job->net, i, j);
            links[n_links] = (rs_machine_link){.a = i, .b = j, .alpha_ps = link.alpha_ps};
            links[n_links].bandwidth_Bps = links[n_links].raw_Bps = link.bandwidth_Bps;
            links[n_links].slow_num = links[n_links].slow_den = 1;
            routes[n_links] = (rs_machine_route){.src = i, .dst = j, .first = n_links, .n_hops = 1};
            hops[n_links] = n_links;
            n_links++;
        }
    }
    const rs_machine described = {.name = "private",
                                  .n_gpus = n,
                                  .n_devices = n,
                                  .names = names,
                                  .reduces = reduces,
                                  .links = links,
                                  .n_links = n_links,
                                  .routes = routes,
                                  .n_routes = n_links,
                                  .hops = hops};
    cr_assert_eq(rs_machine_make(&described, arena, &error, machine), RS_OK, "%s", error.text);
}

void assert_same_outcome(const rs_outcome *a, const rs_outcome *b, int32_t n, const char *name) {
    cr_assert_eq(a->completed, b->completed, "%s: completed", name);
    cr_assert_eq(a->makespan_ps, b->makespan_ps, "%s: makespan %lld, %lld", name,
                 (long long)a->makespan_ps, (long long)b->makespan_ps);
    cr_assert_eq(a->n_transfers, b->n_transfers, "%s: n_transfers %lld, %lld", name,
                 (long long)a->n_transfers, (long long)b->n_transfers);
    for (int32_t r = 0; r < n; r++) {
        cr_assert_eq(a->finish_ps[r], b->finish_ps[r], "%s: finish of %d: %lld, %lld", name, (int)r,
                     (long long)a->finish_ps[r], (long long)b->finish_ps[r]);
        cr_assert_eq(a->entered[r], b->entered[r], "%s: entered of %d: %d, %d", name, (int)r,
                     (int)a->entered[r], (int)b->entered[r]);
        cr_assert_eq(a->bytes_sent[r], b->bytes_sent[r], "%s: bytes of %d: %lld, %lld", name,
                     (int)r, (long long)a->bytes_sent[r], (long long)b->bytes_sent[r]);
    }
    cr_assert_eq(a->n_stalled, b->n_stalled, "%s: n_stalled", name);
    for (int32_t i = 0; i < a->n_stalled; i++) {
        const rs_wait *x = &a->stalled[i], *y = &b->stalled[i];
        cr_assert(x->rank == y->rank && x->step == y->step && x->n_waits_for == y->n_waits_for,
                  "%s: stalled %d", name, (int)i);
        cr_assert_eq(memcmp(x->waits_for, y->waits_for, (size_t)x->n_waits_for * sizeof(int32_t)),
                     0, "%s: waits_for of %d", name, (int)x->rank);
    }
    cr_assert_eq(a->n_killed, b->n_killed, "%s: n_killed", name);
    for (int32_t i = 0; i < a->n_killed; i++) {
        cr_assert_eq(a->killed[i], b->killed[i], "%s: killed", name);
    }
}
