/* hang_maker.c: programs of ranks, a fault in one of them, and how far all come.
 *
 *   - Each rank runs the same program on its groups: micro-batches through the pipeline, layers with tp all-reduces,
 *     dp all-reduces in buckets, now and then a call of all.
 *   - NCCL pairs the calls of a group by their order: the i-th of all members are one, and end together if their
 *     arguments agree. A rank may have so many calls open.
 */
#include "hangs/made_parts.h"

#include <stdio.h>
#include <stdlib.h>

enum { WORLD, TP, DP, PP, EP, N_KINDS, TAKES_NS = 60000 };

const char *made_fault_name(made_fault fault) {
    static const char *const names[] = {"no hang", "missing",   "extra", "swapped", "size",
                                        "type",    "operation", "cycle", "silent",  "stopped",
                                        "inside",  "message",   "slow",  "crossed", "split"};
    return names[fault];
}

uint32_t made_draw(made_job *j, uint32_t below) {
    j->random = j->random * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)((j->random >> 33) % below);
}

static void *room_for(size_t n, size_t size) {
    void *place = calloc(n + 1, size);
    if (place == NULL) abort();
    return place;
}

/* ------------------------------------------------------------------ groups */

static int32_t add_group(made_job *j, const char *desc, int32_t n) {
    made_group *g = &j->groups[j->n_groups];
    *g = (made_group){.n_ranks = n, .stands_at = -1};
    snprintf(g->name, sizeof g->name, "%d", j->n_groups);
    if (j->one_name) snprintf(g->name, sizeof g->name, "%s", desc);
    snprintf(g->desc, sizeof g->desc, "%s", desc);
    g->ranks = room_for((size_t)n, sizeof *g->ranks);
    g->made = room_for((size_t)n, sizeof *g->made);
    g->n_made = room_for((size_t)n, sizeof *g->n_made);
    g->room = room_for((size_t)n, sizeof *g->room);
    return j->n_groups++;
}

static void join(made_job *j, int32_t group, int32_t place, int32_t rank) {
    made_rank *r = &j->ranks[rank];
    j->groups[group].ranks[place] = rank;
    r->groups[r->n_groups++] = group;
}

/* rank = (stage x dp + replica) x tp + shard */
static void make_groups(made_job *j) {
    const int32_t dp = j->dp, tp = j->tp, pp = j->pp;
    j->groups = room_for((size_t)(1 + 2 * dp * pp + tp * pp + dp * tp), sizeof *j->groups);
    add_group(j, "default_pg", j->n_ranks);
    for (int32_t r = 0; r < j->n_ranks; r++) join(j, 0, r, r);
    for (int32_t i = 0; i < dp * pp; i++) {
        const int32_t g = add_group(j, "tp", tp);
        for (int32_t t = 0; t < tp; t++) join(j, g, t, i * tp + t);
    }
    for (int32_t p = 0; p < pp; p++) {
        for (int32_t t = 0; t < tp; t++) {
            const int32_t g = add_group(j, "dp", dp);
            for (int32_t d = 0; d < dp; d++) join(j, g, d, (p * dp + d) * tp + t);
        }
    }
    for (int32_t i = 0; i < dp * tp; i++) {
        const int32_t g = add_group(j, "pp", pp);
        for (int32_t p = 0; p < pp; p++) join(j, g, p, p * dp * tp + i);
    }
    if (!j->wish.experts || dp % 2 != 0 || tp % 2 != 0) return;
    for (int32_t i = 0; i < dp * pp; i++) { /* of replicas i, i + 1, or of both the other shards */
        const int32_t g = add_group(j, "ep", tp);
        for (int32_t t = 0; t < tp; t++)
            join(j, g, t, (i / 2 * 2 + t / (tp / 2)) * tp + t % (tp / 2) * 2 + i % 2);
    }
}

int32_t made_place_in(const made_group *g, int32_t rank) {
    for (int32_t i = 0; i < g->n_ranks; i++) {
        if (g->ranks[i] == rank) return i;
    }
    return -1;
}

/* ------------------------------------------------------------------ programs */

static void call(made_job *j, int32_t rank, int kind, made_op op, int64_t n, int32_t line,
                 int32_t peer) {
    made_rank *r = &j->ranks[rank];
    if (kind >= r->n_groups) return;
    const int32_t group = r->groups[kind];
    if (j->groups[group].n_ranks < 2) return;
    if (r->n == r->room) {
        r->room = r->room * 2 + 64;
        r->calls = realloc(r->calls, (size_t)r->room * sizeof *r->calls);
        if (r->calls == NULL) abort();
    }
    r->calls[r->n++] =
        (made_call){.group = group, .peer = peer, .line = line, .n = n, .op = (uint8_t)op};
}

typedef struct shape {
    int32_t iterations, micro, layers, buckets, every;
    bool loop,
        zero; /* all layers from one line; reduce-scatter and all-gather instead of all-reduce */
} shape;

static void iteration(made_job *j, const shape *s, int32_t rank, int32_t i) {
    const int32_t p = rank / (j->dp * j->tp);
    for (int32_t m = 0; m < s->micro; m++) {
        if (p > 0) call(j, rank, PP, MADE_RECV, 4096, 50, p - 1);
        for (int32_t l = 0; l < s->layers; l++) {
            call(j, rank, TP, MADE_ALL_REDUCE, s->loop ? 2048 : 1024 * (l + 1),
                 s->loop ? 60 : 60 + l, -1);
            if (!s->loop) call(j, rank, TP, MADE_ALL_GATHER, 512, 70 + l, -1);
            call(j, rank, EP, MADE_ALL_GATHER, 256, 75 + l, -1);
        }
        if (p < j->pp - 1) call(j, rank, PP, MADE_SEND, 4096, 80, p + 1);
    }
    for (int32_t m = 0; m < s->micro; m++) {
        if (p < j->pp - 1) call(j, rank, PP, MADE_RECV, 4096, 90, p + 1);
        for (int32_t l = s->layers - 1; l >= 0; l--) {
            call(j, rank, TP, MADE_ALL_REDUCE, s->loop ? 2048 : 1024 * (l + 1),
                 s->loop ? 95 : 95 + l, -1);
        }
        if (p > 0) call(j, rank, PP, MADE_SEND, 4096, 99, p - 1);
    }
    for (int32_t b = 0; b < s->buckets; b++) { /* ddp: one line, a size each */
        if (s->zero) {
            call(j, rank, DP, MADE_REDUCE_SCATTER, 8192 * (b + 1), 110, -1);
            call(j, rank, DP, MADE_ALL_GATHER, 8192 * (b + 1), 112, -1);
        } else {
            call(j, rank, DP, MADE_ALL_REDUCE, 65536 * (b + 1), 110, -1);
        }
    }
    call(j, rank, WORLD, MADE_ALL_REDUCE, 1, 120, -1);
    if (i % s->every == s->every - 1) {
        call(j, rank, WORLD, MADE_BROADCAST, 16, rank == j->own_line ? 132 : 130, -1);
        call(j, rank, WORLD, MADE_BARRIER, 1, 131, -1);
    }
}

static void make_programs(made_job *j) {
    shape s = {.iterations = 2 + (int32_t)made_draw(j, 5),
               .micro = 1 + (int32_t)made_draw(j, 3),
               .layers = 1 + (int32_t)made_draw(j, 3),
               .buckets = 1 + (int32_t)made_draw(j, 4),
               .every = 1 + (int32_t)made_draw(j, 4),
               .loop = made_draw(j, 3) == 0,
               .zero = made_draw(j, 3) == 0};
    const int32_t most = j->wish.n_entries;
    if (j->fault == MADE_SLOW) s.iterations += 24;
    for (int32_t r = 0; r < j->n_ranks; r++) {
        call(j, r, WORLD, MADE_BROADCAST, 100000, 20, -1);
        for (int32_t i = 0; most > 0 ? j->ranks[r].n < most && i < most : i < s.iterations; i++) {
            iteration(j, &s, r, i);
        }
        j->ranks[r].n_run = j->ranks[r].n;
    }
}

/* ------------------------------------------------------------------ how far all come */

typedef struct work {
    int32_t *list, n;
    bool *in;
} work;

static void wake(work *w, int32_t rank) {
    if (w->in[rank]) return;
    w->in[rank] = true;
    w->list[w->n++] = rank;
}

static void end_call(made_job *j, work *w, int32_t rank, made_call *c, int64_t end_ns) {
    made_rank *r = &j->ranks[rank];
    c->done = true;
    c->completed_ns = end_ns;
    if (r->n_open > j->ahead && end_ns > r->now_ns) r->now_ns = end_ns; /* it stood there */
    r->n_open--;
    wake(w, rank);
}

/* Is the call the first of its rank that is not over? */
static bool is_next(const made_job *j, int32_t rank, const made_call *c) {
    made_rank *r = &j->ranks[rank];
    while (r->n_closed < r->n_made &&
           (r->calls[r->n_closed].done || made_is_message(&r->calls[r->n_closed]))) {
        r->n_closed++;
    }
    return &r->calls[r->n_closed] == c;
}

/* Ends the group's calls that all members have made. */
static void end_calls(made_job *j, work *w, made_group *g) {
    while (g->n_done != g->stands_at) {
        made_call *first = NULL;
        int64_t end_ns = g->free_ns;
        for (int32_t m = 0; m < g->n_ranks; m++) {
            if (g->n_made[m] <= g->n_done) return;
            made_call *c = &j->ranks[g->ranks[m]].calls[g->made[m][g->n_done]];
            if (first == NULL) first = c;
            if (!made_agree(first, c) || (j->in_order && !is_next(j, g->ranks[m], c))) return;
            if (c->created_ns > end_ns) end_ns = c->created_ns;
        }
        end_ns += TAKES_NS;
        for (int32_t m = 0; m < g->n_ranks; m++) {
            made_call *c = &j->ranks[g->ranks[m]].calls[g->made[m][g->n_done]];
            c->started_ns = c->created_ns > g->free_ns ? c->created_ns : g->free_ns;
            end_call(j, w, g->ranks[m], c, end_ns);
        }
        g->free_ns = end_ns;
        g->n_done++;
    }
}

/* Ends the first open send and recv of a pair, if both are there. */
static void end_message(made_job *j, work *w, const made_call *c, int32_t rank) {
    const made_group *g = &j->groups[c->group];
    const int32_t own = made_place_in(g, rank), other = g->ranks[c->peer];
    made_rank *a = &j->ranks[rank], *b = &j->ranks[other];
    const int wanted = c->op == MADE_SEND ? MADE_RECV : MADE_SEND;
    made_call *mine = NULL, *theirs = NULL;
    for (int32_t i = 0; i < a->n_made && mine == NULL; i++) {
        made_call *x = &a->calls[i];
        if (!x->done && x->op == c->op && x->group == c->group && x->peer == c->peer) mine = x;
    }
    for (int32_t i = 0; i < b->n_made && theirs == NULL; i++) {
        made_call *x = &b->calls[i];
        if (!x->done && x->op == wanted && x->group == c->group && x->peer == own) theirs = x;
    }
    if (mine == NULL || theirs == NULL) return;
    const bool later = theirs->created_ns > mine->created_ns;
    const int64_t end_ns = (later ? theirs->created_ns : mine->created_ns) + TAKES_NS;
    mine->started_ns = mine->created_ns;
    theirs->started_ns = theirs->created_ns;
    end_call(j, w, rank, mine, end_ns);
    end_call(j, w, other, theirs, end_ns);
}

static void make_call(made_job *j, work *w, int32_t rank) {
    made_rank *r = &j->ranks[rank];
    made_call *c = &r->calls[r->n_made];
    made_group *g = &j->groups[c->group];
    int32_t own = 0;
    while (r->groups[own] != c->group) own++;
    r->now_ns += made_work_ns(j, rank, r->n_made);
    c->created_ns = r->now_ns;
    r->n_made++;
    r->n_open++;
    if (made_is_message(c)) {
        c->seq = r->n_seq[own];
        c->p2p_seq = ++r->n_p2p[own];
        end_message(j, w, c, rank);
        return;
    }
    c->seq = ++r->n_seq[own];
    const int32_t m = made_place_in(g, rank);
    if (g->n_made[m] == g->room[m]) {
        g->room[m] = g->room[m] * 2 + 32;
        g->made[m] = realloc(g->made[m], (size_t)g->room[m] * sizeof **g->made);
        if (g->made[m] == NULL) abort();
    }
    g->made[m][g->n_made[m]++] = r->n_made - 1;
    if (g->n_made[m] == g->n_done + 1) end_calls(j, w, g);
}

static void run(made_job *j) {
    work w = {.list = room_for((size_t)j->n_ranks, sizeof *w.list),
              .in = room_for((size_t)j->n_ranks, sizeof *w.in)};
    for (int32_t r = 0; r < j->n_ranks; r++) {
        j->ranks[r].now_ns = 1700000000000000000;
        wake(&w, r);
    }
    while (w.n > 0) {
        const int32_t rank = w.list[--w.n];
        made_rank *r = &j->ranks[rank];
        w.in[rank] = false;
        if (j->in_order) {
            is_next(j, rank, NULL);
            if (r->n_closed < r->n_made) end_calls(j, &w, &j->groups[r->calls[r->n_closed].group]);
        }
        while (r->n_made < r->n_run && r->n_open <= j->ahead) make_call(j, &w, rank);
    }
    for (int32_t r = 0; r < j->n_ranks; r++) {
        j->hangs = j->hangs || j->ranks[r].n_open > 0 || j->ranks[r].n_made < j->ranks[r].n_run;
    }
    free(w.list);
    free(w.in);
}

/* ------------------------------------------------------------------ a job */

static void draw_size(made_job *j) {
    static const int32_t sizes[] = {1, 2, 2, 4, 4, 8};
    const int32_t most = j->wish.n_ranks > 0 ? j->wish.n_ranks : 64;
    do {
        j->dp = sizes[made_draw(j, 6)] * (made_draw(j, 4) == 0 ? 3 : 1);
        if (most > 64) j->dp *= 1 << made_draw(j, 4);
        j->tp = sizes[made_draw(j, 6)];
        j->pp = made_draw(j, 2) == 0 ? 1 : sizes[made_draw(j, 5)];
        j->n_ranks = j->dp * j->tp * j->pp;
    } while (j->n_ranks < 2 || j->n_ranks > most);
}

made_job *make_hang(const made_wish *wish) {
    static const int32_t aheads[] = {0, 0, 1, 4, 16, 1000};
    static const int styles[] = {0, 0, 0, 1, 2, 4, 5};
    made_job *j = room_for(1, sizeof *j);
    *j =
        (made_job){.wish = *wish, .random = wish->seed * 0x9e3779b97f4a7c15 + 12345, .culprit = -1};
    made_set_times(j);
    made_draw(j, 2);
    draw_size(j);
    if (wish->n_entries > 0) { /* the speed's measure: one size */
        j->dp = wish->n_ranks / 8;
        j->tp = 8;
        j->pp = 1;
        j->n_ranks = wish->n_ranks;
    }
    j->ahead = aheads[made_draw(j, 6)];
    j->buffer = made_draw(j, 4) == 0 ? 20 + (int32_t)made_draw(j, 60) : 2000;
    j->style = wish->n_entries > 0 ? 0 : styles[made_draw(j, 7)];
    j->fault = wish->fault;
    if (wish->fault == MADE_N_FAULTS) {
        const uint64_t other = made_hash(j, 10, 0, 0) % 20; /* the later kinds */
        j->fault = (made_fault)made_draw(j, MADE_SLOW);
        if (other < MADE_N_FAULTS - MADE_SLOW) j->fault = (made_fault)(MADE_SLOW + other);
    }
    j->frames = made_draw(j, 6) != 0 || wish->n_entries > 0;
    j->one_name = made_draw(j, 4) == 0;
    j->coalesced = made_draw(j, 3) == 0;
    j->own_line = made_draw(j, 3) == 0 ? (int32_t)made_draw(j, (uint32_t)j->n_ranks) : -1;
    j->blind = made_draw(j, 8) == 0 && wish->n_entries == 0
                   ? (int32_t)made_draw(j, (uint32_t)j->n_ranks)
                   : -1;
    j->cut = made_draw(j, 2) == 0;
    j->ranks = room_for((size_t)j->n_ranks, sizeof *j->ranks);
    make_groups(j);
    make_programs(j);
    if (!made_pick_place(j)) j->fault = MADE_NONE;
    if (j->blind == j->culprit) j->blind = -1;
    if (j->blind >= 0 && !j->cut) j->ranks[j->blind].no_dump = true;
    if (j->fault == MADE_CROSSED) {
        j->in_order = true;
        if (j->ahead < 2) j->ahead = 4;
    }
    if (j->fault != MADE_NONE) made_break(j);
    run(j);
    made_see_decidable(j);
    return j;
}

void free_hang(made_job *j) {
    for (int32_t g = 0; g < j->n_groups; g++) {
        for (int32_t m = 0; m < j->groups[g].n_ranks; m++) free(j->groups[g].made[m]);
        free(j->groups[g].ranks);
        free(j->groups[g].made);
        free(j->groups[g].n_made);
        free(j->groups[g].room);
    }
    for (int32_t r = 0; r < j->n_ranks; r++) free(j->ranks[r].calls);
    free(j->groups);
    free(j->ranks);
    free(j);
}
