/* flow_reference.c: see flow_reference.h. */
#include "sim/flows/flow_reference.h"

#include <criterion/criterion.h>
#include <float.h>

#if LDBL_MANT_DIG >= 113
typedef long double exact;
#else
__extension__ typedef __float128 exact;
#endif

enum { MOST = 4000, MOST_RANKS = 64, MOST_WALKERS = 8 * MOST_RANKS, MOST_HOPS = 32 };
typedef enum state { WAITS, LATENT, FLOWS, ADDS, OVER } state;

typedef struct message {
    rs_transfer transfer;
    int32_t step, n_hops, wires[MOST_HOPS];
    /* from: when its bytes flow, or when it is added */
    exact left, from, rate, capacity[MOST_HOPS];
    int64_t n_bytes, down_ps;
    state state;
    bool sent;
} message;

/* Who goes through the steps of a channel for a rank; of all channels where a rank dies. */
typedef struct walker {
    int32_t rank, step; /* in it, or on the way to it */
    bool inside;
    exact entry, leave;
} walker;

typedef struct world {
    const rs_job *job;
    message messages[MOST];
    int n;
    walker walkers[MOST_WALKERS]; /* [n_walkers] channel after channel */
    int32_t n_ranks, n_walkers;
    exact adder[MOST_RANKS], now;
} world;

static const exact never = 1e30, nearly = 1e-9;

static exact fault_time(const rs_job *job, rs_fault_kind kind, int32_t rank) {
    exact sum = 0;
    for (int32_t i = 0; i < job->n_faults; i++) {
        const rs_fault *f = &job->faults[i];
        if (f->kind == kind && f->rank == rank) sum += (exact)f->time_ps;
    }
    return sum;
}

static exact factor(const rs_job *job, rs_fault_kind kind, int32_t rank) {
    exact product = 1;
    for (int32_t i = 0; i < job->n_faults; i++) {
        const rs_fault *f = &job->faults[i];
        if (f->kind != kind || f->rank != rank) continue;
        product = product * (exact)f->factor_num / (exact)f->factor_den;
    }
    return product;
}

static int32_t gpu_of(const rs_job *job, int32_t rank) {
    return job->net.place == NULL ? rank : job->net.place[rank];
}

static void take_route(const rs_job *job, rs_router *router, message *m) {
    rs_error error = {.text = ""};
    rs_route route;
    const rs_transfer *t = &m->transfer;
    cr_assert_eq(rs_router_find(router, gpu_of(job, t->src), gpu_of(job, t->dst), t->channel,
                                &error, &route),
                 RS_OK, "%s", error.text);
    cr_assert_leq(route.n_wires, MOST_HOPS);
    m->n_hops = route.n_wires;
    m->from = 0;
    for (int32_t i = 0; i < route.n_wires; i++) {
        const rs_machine_link *link = &job->net.machine->links[route.wires[i] / 2];
        const int32_t tail = route.wires[i] % 2 == 0 ? link->a : link->b;
        exact slow = 1; /* of a shared wire: by the slower of its ends */
        for (int32_t r = 0; r < job->schedule->n_ranks; r++) {
            const int32_t gpu = gpu_of(job, r);
            const exact own = factor(job, RS_SLOW_LINK, r);
            const bool counts = gpu == tail || (link->shared && (gpu == link->a || gpu == link->b));
            if (counts && own > slow) slow = own;
        }
        slow = slow * (exact)link->slow_num / (exact)link->slow_den;
        m->wires[i] = route.wires[i];
        m->capacity[i] = (exact)link->bandwidth_Bps / slow / 1e12;
        m->from += (exact)link->alpha_ps * slow; /* whole picoseconds in these tests */
    }
}

static void list_messages(world *w, rs_arena *arena) {
    const rs_job *job = w->job;
    rs_error error = {.text = ""};
    rs_router *router;
    cr_assert_eq(rs_router_new(job->net.machine, arena, &error, &router), RS_OK);
    for (int32_t step = 0; step < job->schedule->n_steps; step++) {
        rs_cursor cursor = {0};
        rs_transfer t;
        bool sent_before[MOST_RANKS] = {false};
        while (rs_next_transfer(job->schedule, step, &cursor, &t)) {
            cr_assert_lt(w->n, MOST);
            message *m = &w->messages[w->n++];
            *m = (message){.transfer = t, .step = step};
            m->n_bytes = rs_transfer_count(job->schedule, job->count, &t) * job->elem_bytes;
            m->left = (exact)m->n_bytes;
            take_route(job, router, m);
            for (int32_t i = 0; i < job->n_faults && !sent_before[t.src]; i++) {
                const rs_fault *f = &job->faults[i];
                if (f->kind == RS_DOWN && f->rank == t.src && f->step == step) {
                    m->from += (exact)f->time_ps;
                }
            }
            sent_before[t.src] = true;
        }
    }
}

/* Max-min fair: everybody grows until a wire is full, again and again. */
static void fill(world *w) {
    bool frozen[MOST];
    int n_growing = 0;
    for (int i = 0; i < w->n; i++) {
        frozen[i] = w->messages[i].state != FLOWS;
        w->messages[i].rate = 0;
        n_growing += !frozen[i];
    }
    while (n_growing > 0) {
        exact least = never;
        int32_t full = -1;
        for (int i = 0; i < w->n; i++) {
            if (frozen[i]) continue;
            for (int32_t h = 0; h < w->messages[i].n_hops; h++) {
                const int32_t wire = w->messages[i].wires[h];
                exact rest = w->messages[i].capacity[h];
                int users = 0;
                for (int k = 0; k < w->n; k++) {
                    const message *m = &w->messages[k];
                    for (int32_t g = 0; m->state == FLOWS && g < m->n_hops; g++) {
                        if (m->wires[g] != wire) continue;
                        if (frozen[k])
                            rest -= m->rate;
                        else
                            users++;
                    }
                }
                if (rest / users >= least) continue;
                least = rest / users;
                full = wire;
            }
        }
        for (int i = 0; i < w->n; i++) {
            bool on_it = false;
            for (int32_t h = 0; h < w->messages[i].n_hops; h++) {
                on_it = on_it || w->messages[i].wires[h] == full;
            }
            if (frozen[i] || !on_it) continue;
            w->messages[i].rate = least;
            frozen[i] = true;
            n_growing--;
        }
    }
}

static walker *walker_of(world *w, int32_t rank, int32_t channel) {
    return &w->walkers[w->n_walkers == w->n_ranks ? rank : channel * w->n_ranks + rank];
}

static bool is_over(world *w, const walker *who) {
    for (int i = 0; i < w->n; i++) {
        const message *m = &w->messages[i];
        const rs_transfer *t = &m->transfer;
        if (m->step != who->step) continue;
        if ((walker_of(w, t->src, t->channel) == who && !m->sent) ||
            (walker_of(w, t->dst, t->channel) == who && m->state != OVER)) {
            return false;
        }
    }
    return true;
}

static bool is_in(const walker *who, int32_t step) {
    return who->inside && who->step == step;
}

static int32_t killed_at(const rs_job *job, int32_t rank) {
    int32_t step = INT32_MAX;
    for (int32_t i = 0; i < job->n_faults; i++) {
        const rs_fault *f = &job->faults[i];
        if (f->kind == RS_KILL && f->rank == rank && f->step < step) step = f->step;
    }
    return step;
}

/* Sends a walker to its next step; it may be finished, or die. */
static void send_on(world *w, walker *who, double finish_ps[]) {
    who->inside = false;
    who->step++;
    if (killed_at(w->job, who->rank) == who->step) {
        who->entry = never;
    } else if (who->step == w->job->schedule->n_steps) {
        const double end_ps = (double)who->leave;
        if (finish_ps[who->rank] < end_ps) finish_ps[who->rank] = end_ps;
        who->entry = never;
    } else {
        who->entry = who->leave + fault_time(w->job, RS_STRAGGLER, who->rank);
    }
}

/* Lets all happen that happens at this moment; false: there was nothing more. */
static bool go_on(world *w, double finish_ps[]) {
    const rs_job *job = w->job;
    bool any = false;
    for (int i = 0; i < w->n; i++) {
        message *m = &w->messages[i];
        const rs_transfer *t = &m->transfer;
        if (m->state == WAITS && is_in(walker_of(w, t->src, t->channel), m->step) &&
            is_in(walker_of(w, t->dst, t->channel), m->step)) {
            m->state = LATENT;
            m->from += w->now;
            any = true;
        }
        if (m->state == LATENT && m->from <= w->now + nearly) {
            m->state = FLOWS;
            any = true;
        }
        if (m->state == FLOWS && m->left <= nearly * 1e-3) {
            m->state = ADDS;
            m->sent = true;
            m->from = w->now;
            any = true;
            if (job->net.reduce_Bps != 0 && t->effect == RS_REDUCE) {
                if (w->adder[t->dst] > m->from) m->from = w->adder[t->dst];
                m->from += (exact)rs_wire_ps(m->n_bytes, job->net.reduce_Bps, 1, 1) *
                           factor(job, RS_SLOW_REDUCE, t->dst);
                w->adder[t->dst] = m->from;
            }
        }
        if (m->state == ADDS && m->from <= w->now + nearly) {
            m->state = OVER;
            any = true;
        }
    }
    for (int32_t i = 0; i < w->n_walkers; i++) {
        walker *who = &w->walkers[i];
        if (!who->inside && who->entry <= w->now + nearly) who->inside = any = true;
        if (!who->inside || !is_over(w, who)) continue;
        who->leave = w->now;
        send_on(w, who, finish_ps);
        any = true;
    }
    return any;
}

static exact next_moment(const world *w) {
    exact next = never;
    for (int i = 0; i < w->n; i++) {
        const message *m = &w->messages[i];
        exact at = never;
        if (m->state == LATENT || m->state == ADDS) at = m->from;
        if (m->state == FLOWS) at = w->now + m->left / m->rate;
        if (at < next) next = at;
    }
    for (int32_t i = 0; i < w->n_walkers; i++) {
        if (!w->walkers[i].inside && w->walkers[i].entry < next) next = w->walkers[i].entry;
    }
    return next;
}

static void begin_to_walk(world *w, double finish_ps[]) {
    const rs_job *job = w->job;
    bool together = job->schedule->n_channels <= 1;
    for (int32_t i = 0; i < job->n_faults; i++) together |= job->faults[i].kind == RS_KILL;
    w->n_walkers = together ? w->n_ranks : w->n_ranks * job->schedule->n_channels;
    cr_assert_leq(w->n_walkers, MOST_WALKERS);
    for (int32_t r = 0; r < w->n_ranks; r++) finish_ps[r] = -1;
    for (int32_t i = 0; i < w->n_walkers; i++) {
        walker *who = &w->walkers[i];
        *who = (walker){.rank = i % w->n_ranks, .step = -1};
        who->leave = fault_time(job, RS_LATE, who->rank);
        send_on(w, who, finish_ps);
    }
}

void flow_reference(const rs_job *job, rs_arena *arena, double finish_ps[]) {
    world *w = rs_alloc(arena, 1, sizeof *w);
    cr_assert_leq(job->schedule->n_ranks, MOST_RANKS);
    *w = (world){.job = job, .n_ranks = job->schedule->n_ranks};
    list_messages(w, arena);
    begin_to_walk(w, finish_ps);
    for (;;) {
        while (go_on(w, finish_ps)) {
        }
        fill(w);
        const exact next = next_moment(w);
        if (next >= never) return;
        for (int i = 0; i < w->n; i++) {
            message *m = &w->messages[i];
            if (m->state == FLOWS) m->left -= m->rate * (next - w->now);
        }
        w->now = next;
    }
}
