/* hang_maker.c: programs of ranks, a fault in one of them, and how far all come.
 *
 *   - Each rank runs the same program on its groups: micro-batches through the pipeline, layers with tp all-reduces,
 *     dp all-reduces in buckets, now and then a call of all.
 *   - NCCL pairs the calls of a group by their order: the i-th of all members are one, and end together if their
 *     arguments agree. A rank may have so many calls open.
 */
#include "hangs/hang_maker.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORLD, TP, DP, PP, N_KINDS, SECOND_NS = 1000000000 };

const char *made_fault_name(made_fault fault) {
    static const char *const names[] = {"no hang", "missing", "extra",     "swapped",
                                        "size",    "type",    "operation", "cycle",
                                        "silent",  "stopped", "inside",    "message"};
    return names[fault];
}

static uint32_t draw(made_job *j, uint32_t below) {
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
    j->groups = room_for((size_t)(1 + dp * pp + tp * pp + dp * tp), sizeof *j->groups);
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
}

static int32_t place_in(const made_group *g, int32_t rank) {
    for (int32_t i = 0; i < g->n_ranks; i++) {
        if (g->ranks[i] == rank) return i;
    }
    return -1;
}

/* ------------------------------------------------------------------ programs */

static void call(made_job *j, int32_t rank, int kind, made_op op, int64_t n, int32_t line,
                 int32_t peer) {
    made_rank *r = &j->ranks[rank];
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
    shape s = {.iterations = 2 + (int32_t)draw(j, 5),
               .micro = 1 + (int32_t)draw(j, 3),
               .layers = 1 + (int32_t)draw(j, 3),
               .buckets = 1 + (int32_t)draw(j, 4),
               .every = 1 + (int32_t)draw(j, 4),
               .loop = draw(j, 3) == 0,
               .zero = draw(j, 3) == 0};
    const int32_t most = j->wish.n_entries;
    for (int32_t r = 0; r < j->n_ranks; r++) {
        call(j, r, WORLD, MADE_BROADCAST, 100000, 20, -1);
        for (int32_t i = 0; most > 0 ? j->ranks[r].n < most && i < most : i < s.iterations; i++) {
            iteration(j, &s, r, i);
        }
        j->ranks[r].n_run = j->ranks[r].n;
    }
}

/* ------------------------------------------------------------------ how far all come */

static bool is_message(const made_call *c) {
    return c->op == MADE_SEND || c->op == MADE_RECV;
}

static bool agree(const made_call *a, const made_call *b) {
    return a->op == b->op && a->n == b->n && a->dtype == b->dtype;
}

typedef struct work {
    int32_t *list, n;
    bool *in;
} work;

static void wake(work *w, int32_t rank) {
    if (w->in[rank]) return;
    w->in[rank] = true;
    w->list[w->n++] = rank;
}

static void end_call(made_job *j, work *w, int32_t rank, made_call *c) {
    c->done = true;
    c->completed_ns = j->clock_ns;
    j->ranks[rank].n_open--;
    wake(w, rank);
}

/* Ends the group's calls that all members have made. */
static void end_calls(made_job *j, work *w, made_group *g) {
    while (g->n_done != g->stands_at) {
        made_call *first = NULL;
        for (int32_t m = 0; m < g->n_ranks; m++) {
            if (g->n_made[m] <= g->n_done) return;
            made_call *c = &j->ranks[g->ranks[m]].calls[g->made[m][g->n_done]];
            if (first == NULL) first = c;
            if (!agree(first, c)) return;
        }
        for (int32_t m = 0; m < g->n_ranks; m++) {
            end_call(j, w, g->ranks[m], &j->ranks[g->ranks[m]].calls[g->made[m][g->n_done]]);
        }
        g->n_done++;
    }
}

/* Ends the first open send and recv of a pair, if both are there. */
static void end_message(made_job *j, work *w, const made_call *c, int32_t rank) {
    const made_group *g = &j->groups[c->group];
    const int32_t own = place_in(g, rank), other = g->ranks[c->peer];
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
    end_call(j, w, rank, mine);
    end_call(j, w, other, theirs);
}

static void make_call(made_job *j, work *w, int32_t rank) {
    made_rank *r = &j->ranks[rank];
    made_call *c = &r->calls[r->n_made];
    made_group *g = &j->groups[c->group];
    int32_t own = 0;
    while (r->groups[own] != c->group) own++;
    c->created_ns = j->clock_ns += 1000;
    r->n_made++;
    r->n_open++;
    if (is_message(c)) {
        c->seq = r->n_seq[own];
        c->p2p_seq = ++r->n_p2p[own];
        end_message(j, w, c, rank);
        return;
    }
    c->seq = ++r->n_seq[own];
    const int32_t m = place_in(g, rank);
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
    for (int32_t r = 0; r < j->n_ranks; r++) wake(&w, r);
    while (w.n > 0) {
        const int32_t rank = w.list[--w.n];
        made_rank *r = &j->ranks[rank];
        w.in[rank] = false;
        while (r->n_made < r->n_run && r->n_open <= j->ahead) make_call(j, &w, rank);
    }
    for (int32_t r = 0; r < j->n_ranks; r++) {
        j->hangs = j->hangs || j->ranks[r].n_open > 0 || j->ranks[r].n_made < j->ranks[r].n_run;
    }
    free(w.list);
    free(w.in);
}

/* ------------------------------------------------------------------ faults */

static void shift(made_rank *r, int32_t at, int by) {
    if (r->n + by > r->room) {
        r->room = r->n + by + 64;
        r->calls = realloc(r->calls, (size_t)r->room * sizeof *r->calls);
        if (r->calls == NULL) abort();
    }
    if (by > 0) memmove(r->calls + at + 1, r->calls + at, (size_t)(r->n - at) * sizeof *r->calls);
    if (by < 0)
        memmove(r->calls + at, r->calls + at + 1, (size_t)(r->n - at - 1) * sizeof *r->calls);
    r->n += by;
    r->n_run = r->n;
}

/* The number in its group that the call at a place of the program will have. */
static int32_t seq_of(const made_rank *r, int32_t at) {
    int32_t seq = 0;
    for (int32_t i = 0; i <= at; i++) {
        seq += r->calls[i].group == r->calls[at].group && !is_message(&r->calls[i]);
    }
    return seq;
}

static bool same_call(const made_job *j, const made_call *a, const made_call *b) {
    return agree(a, b) && (a->line == b->line || !j->frames) && a->group == b->group &&
           a->peer == b->peer;
}

static int32_t next_of_group(const made_rank *r, int32_t at, int step) {
    for (int32_t i = at + step; i >= 0 && i < r->n; i += step) {
        if (r->calls[i].group == r->calls[at].group && !is_message(&r->calls[i])) return i;
    }
    return -1;
}

/* Among equal calls in a row nobody can tell which is too many, or too few. */
static void note_run(made_job *j, const made_rank *r, int32_t at) {
    j->low = j->high = seq_of(r, at);
    for (int32_t i = at, k;
         (k = next_of_group(r, i, -1)) >= 0 && same_call(j, &r->calls[k], &r->calls[at]); i = k) {
        j->low--;
    }
    for (int32_t i = at, k;
         (k = next_of_group(r, i, 1)) >= 0 && same_call(j, &r->calls[k], &r->calls[at]); i = k) {
        j->high++;
    }
}

static void break_swapped(made_job *j, made_rank *r) {
    int32_t next = next_of_group(r, j->at, 1);
    while (next >= 0 && agree(&r->calls[next], &r->calls[j->at])) next = next_of_group(r, next, 1);
    if (next < 0) {
        j->fault = MADE_NONE;
        return;
    }
    const int32_t first = next_of_group(r, next, -1); /* the neighbour, so that both differ */
    const made_call kept = r->calls[first];
    note_run(j, r, first);
    r->calls[first] = r->calls[next];
    r->calls[next] = kept;
    j->high++;
}

/* Exchanges a call with the next of the same ranks' other group; whether that stands still is seen. */
static void break_cycle(made_job *j, made_rank *r) {
    for (int32_t k = j->at; k + 1 < r->n; k++) {
        made_call *a = &r->calls[k], *b = &r->calls[k + 1];
        if (a->group == b->group || is_message(a) || is_message(b)) continue;
        j->low = seq_of(r, k);
        j->at = k;
        j->group = b->group;
        const made_call kept = *a;
        j->high = seq_of(r, k + 1);
        j->low = j->high;
        *a = *b;
        *b = kept;
        return;
    }
    j->fault = MADE_NONE;
}

static void break_program(made_job *j) {
    made_rank *r = &j->ranks[j->culprit];
    made_call *c = &r->calls[j->at];
    made_group *g = &j->groups[c->group];
    note_run(j, r, j->at);
    j->group = c->group;
    switch (j->fault) {
    case MADE_MISSING:
    case MADE_MESSAGE: shift(r, j->at, -1); break;
    case MADE_EXTRA: {
        const made_call again =
            draw(j, 2) == 0 ? *c : (made_call){.group = c->group, .peer = -1, .n = 7, .line = 66};
        shift(r, j->at, 1);
        r->calls[j->at] = again;
        note_run(j, r, j->at);
        break;
    }
    case MADE_SWAPPED: break_swapped(j, r); break;
    case MADE_SIZE: c->n += 3, j->low = j->high = seq_of(r, j->at); break;
    case MADE_TYPE: c->dtype = 1, j->low = j->high = seq_of(r, j->at); break;
    case MADE_OPERATION:
        c->op = c->op == MADE_BROADCAST ? MADE_ALL_REDUCE : MADE_BROADCAST;
        c->line += draw(j, 2) == 0 ? 200 : 0;
        j->low = j->high = seq_of(r, j->at);
        break;
    case MADE_CYCLE: break_cycle(j, r); break;
    case MADE_SILENT:
        r->no_dump = true;
        r->n_run = j->at;
        break;
    case MADE_STOPPED: r->n_run = j->at; break;
    case MADE_INSIDE:
        g->stands_at = seq_of(r, j->at) - 1, j->low = j->high = seq_of(r, j->at);
        break;
    case MADE_NONE:
    case MADE_N_FAULTS: break;
    }
}

/* Draws the rank, and a place in its program; false: this job has none. */
static bool pick_place(made_job *j) {
    for (int tries = 0; tries < 200; tries++) {
        j->culprit = (int32_t)draw(j, (uint32_t)j->n_ranks);
        const made_rank *r = &j->ranks[j->culprit];
        j->at = (int32_t)draw(j, (uint32_t)r->n);
        if (j->wish.n_entries > 0)
            j->at = r->n - 1 - j->at % 16; /* all that is wished for is made */
        if (is_message(&r->calls[j->at]) == (j->fault == MADE_MESSAGE) && j->at > 0) return true;
        if (j->at > 0 && (j->fault == MADE_SILENT || j->fault == MADE_STOPPED)) return true;
    }
    return false;
}

/* ------------------------------------------------------------------ what can be told */

static int32_t n_dumped(const made_job *j, const made_group *g) {
    int32_t n = 0;
    for (int32_t m = 0; m < g->n_ranks; m++) {
        n += !j->ranks[g->ranks[m]].no_dump && g->ranks[m] != j->blind;
    }
    return n;
}

/* A rank that stopped is known where most of a group's ranks have come to a call that it has not. */
static bool most_wait(const made_job *j) {
    const made_rank *r = &j->ranks[j->culprit];
    for (int32_t k = 0; k < r->n_groups; k++) {
        const made_group *g = &j->groups[r->groups[k]];
        const int32_t own = g->n_made[place_in(g, j->culprit)];
        int32_t n = 0;
        for (int32_t m = 0; m < g->n_ranks; m++) n += g->n_made[m] > own && g->ranks[m] != j->blind;
        if (2 * n > g->n_ranks && n > 1) return true;
    }
    return false;
}

/* The call that was broken, and those after it, are still in everybody's buffer. */
static bool is_kept(const made_job *j) {
    const made_group *g = &j->groups[j->group];
    for (int32_t m = 0; m < g->n_ranks; m++) {
        const made_rank *r = &j->ranks[g->ranks[m]];
        const int32_t buffer = j->coalesced ? j->buffer / 2 : j->buffer;
        for (int32_t i = 0; i < r->n_made - buffer; i++) {
            if (r->calls[i].group == j->group && r->calls[i].seq >= j->low - 1) return false;
        }
    }
    return true;
}

static void see_decidable(made_job *j) {
    if (!j->hangs) j->fault = MADE_NONE;
    switch (j->fault) {
    case MADE_NONE: j->decidable = true; break;
    case MADE_SILENT: j->decidable = j->blind < 0; break;
    case MADE_INSIDE: j->decidable = is_kept(j) && j->blind < 0; break;
    case MADE_STOPPED: j->decidable = most_wait(j); break;
    case MADE_MESSAGE: j->decidable = false; break;
    default: j->decidable = n_dumped(j, &j->groups[j->group]) >= 3 && is_kept(j);
    }
    /* The order of groups is told by ranks of the same program: those of the stage. */
    if (j->fault == MADE_CYCLE) j->decidable = j->decidable && j->dp * j->tp - (j->blind >= 0) >= 3;
}

static void draw_size(made_job *j) {
    static const int32_t sizes[] = {1, 2, 2, 4, 4, 8};
    const int32_t most = j->wish.n_ranks > 0 ? j->wish.n_ranks : 64;
    do {
        j->dp = sizes[draw(j, 6)] * (draw(j, 4) == 0 ? 3 : 1);
        if (most > 64) j->dp *= 1 << draw(j, 4);
        j->tp = sizes[draw(j, 6)];
        j->pp = draw(j, 2) == 0 ? 1 : sizes[draw(j, 5)];
        j->n_ranks = j->dp * j->tp * j->pp;
    } while (j->n_ranks < 2 || j->n_ranks > most);
}

made_job *make_hang(const made_wish *wish) {
    static const int32_t aheads[] = {0, 0, 1, 4, 16, 1000};
    static const int styles[] = {0, 0, 0, 1, 2, 4, 5};
    made_job *j = room_for(1, sizeof *j);
    *j =
        (made_job){.wish = *wish, .random = wish->seed * 0x9e3779b97f4a7c15 + 12345, .culprit = -1};
    j->clock_ns = (int64_t)1700000000 * SECOND_NS;
    draw(j, 2);
    draw_size(j);
    if (wish->n_entries > 0) { /* the speed's measure: one size */
        j->dp = wish->n_ranks / 8;
        j->tp = 8;
        j->pp = 1;
        j->n_ranks = wish->n_ranks;
    }
    j->ahead = aheads[draw(j, 6)];
    j->buffer = draw(j, 4) == 0 ? 20 + (int32_t)draw(j, 60) : 2000;
    j->style = wish->n_entries > 0 ? 0 : styles[draw(j, 7)];
    j->fault = wish->fault != MADE_N_FAULTS ? wish->fault : (made_fault)draw(j, MADE_N_FAULTS);
    j->frames = draw(j, 6) != 0 || wish->n_entries > 0;
    j->one_name = draw(j, 4) == 0;
    j->coalesced = draw(j, 3) == 0;
    j->own_line = draw(j, 3) == 0 ? (int32_t)draw(j, (uint32_t)j->n_ranks) : -1;
    j->blind =
        draw(j, 8) == 0 && wish->n_entries == 0 ? (int32_t)draw(j, (uint32_t)j->n_ranks) : -1;
    j->cut = draw(j, 2) == 0;
    j->ranks = room_for((size_t)j->n_ranks, sizeof *j->ranks);
    make_groups(j);
    make_programs(j);
    if (!pick_place(j)) j->fault = MADE_NONE;
    if (j->blind == j->culprit) j->blind = -1;
    if (j->blind >= 0 && !j->cut) j->ranks[j->blind].no_dump = true;
    if (j->fault != MADE_NONE) break_program(j);
    run(j);
    see_decidable(j);
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
