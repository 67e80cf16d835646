/* plan.c: moves and rounds; see plan.h. (Tasks and waits: plan_tasks.c.)
 *
 *     step s, list order       cells sent AND written       rounds of the step
 *     0 -> 1 chunk 4 reduce    rank 1's chunk 4             0   rank 1 puts chunk 4 aside
 *     1 -> 2 chunk 4 reduce                                 1   1 <- 0, 2 <- 1's room aside
 *     3 -> 2 chunk 4 copy                                   2   2 <- 3
 *
 *   - The planner walks the schedule three times: to count the least that must move, to count with
 *     the rooms aside, and to write the moves. Each of the last two walks every step twice: to mark
 *     its cells, and to make its moves.
 *   - It makes moves in list order, then sorts them by rounds and ranks with a counting sort: time
 *     is linear.
 */
#include "job/plan.h"

#include <assert.h>
#include <string.h>

static rs_status no_memory(rs_error *error, int64_t n_moves) {
    return rs_fail(error, RS_NO_MEMORY, "no memory for a plan of %lld moves; take fewer ranks",
                   (long long)n_moves);
}

/* ------------------------------------------------------------------ which moves divide */

/* For avg.
 *
 *     one chunk   0 -> 1 reduce     1 -> 2 reduce     2 -> 0 copy       2 -> 1 copy
 *     its value   at 1: raw         at 2: divided     at 0: as at 2     at 1: as at 2
 *
 *   - Each move makes a new value of a cell. A value that will be added to another must not be divided, nor
 *     one of which a copy will be: it is raw. The way back through the moves finds these.
 *   - The way forward: who makes a value that is not raw divides it, if what it copies is not divided yet.
 *   - A cell whose last value is raw, or was never made by a move, is left for a division of its own.
 */

typedef struct finisher {
    rg_move *moves;
    int64_t n_moves, n_cells; /* cells of all ranks; their rooms aside follow in the lists */
    int32_t n_full;
    bool *raw;     /* the value that the cell holds at this place of the way back */
    bool *divided; /* at this place of the way forward */
} finisher;

static int64_t number(const finisher *f, int32_t rank, int32_t chunk, bool aside) {
    return (int64_t)rank * f->n_full + chunk + (aside ? f->n_cells : 0);
}

static int64_t written(const finisher *f, const rg_move *m) {
    return number(f, m->by, m->chunk, m->op_kind == RG_ASIDE);
}

/* The cell that it reads; -1: an input, which is never divided. */
static int64_t read_from(const finisher *f, const rg_move *m) {
    return m->left == RG_SOURCE ? -1 : number(f, m->src, m->chunk, m->left == RG_BESIDE);
}

/* Leaves in `finish` whether what the move makes may be divided. */
static void go_back(finisher *f) {
    for (int64_t i = f->n_moves - 1; i >= 0; i--) {
        rg_move *m = &f->moves[i];
        const int64_t to = written(f, m), from = read_from(f, m);
        const bool raw = f->raw[to], adds = m->op_kind == RG_REDUCE;
        m->finish = !raw;
        f->raw[to] = adds && m->right == RG_TARGET;
        if (from >= 0) f->raw[from] = f->raw[from] || adds || raw;
    }
}

static void go_forward(finisher *f) {
    for (int64_t i = 0; i < f->n_moves; i++) {
        rg_move *m = &f->moves[i];
        const int64_t to = written(f, m), from = read_from(f, m);
        const bool before = from >= 0 && f->divided[from];
        assert(!before || (m->op_kind != RG_REDUCE && m->finish));
        if (m->op_kind == RG_ASIDE || before) m->finish = false;
        f->divided[to] = m->finish || before;
    }
}

/* Marks the moves, which are sorted, that divide. n_full: how many chunks, the first ones, hold
   elements. Returns in left[], an array of N * n_full in `scratch`, which cells must be divided at the
   end. fuse: false leaves all of them. */
static rs_status rg_plan_finish(rg_move moves[], int64_t n_moves, int32_t n_ranks, int32_t n_full,
                                bool fuse, rs_arena *scratch, rs_error *error, bool **left) {
    const int64_t n_cells = (int64_t)n_ranks * n_full;
    finisher f = {.moves = moves, .n_moves = n_moves, .n_cells = n_cells, .n_full = n_full};
    f.raw = rs_alloc(scratch, 2 * (size_t)n_cells, sizeof *f.raw);
    f.divided = rs_alloc(scratch, 2 * (size_t)n_cells, sizeof *f.divided);
    if (f.raw == NULL || f.divided == NULL) return no_memory(error, n_moves);
    if (fuse) {
        go_back(&f);
        go_forward(&f);
    }
    for (int64_t i = 0; i < n_cells; i++) f.raw[i] = !f.divided[i];
    *left = f.raw;
    return RS_OK;
}

/* What happens to one chunk of one rank in the current step. A mark counts only if it is that
   step's moment, so that nothing must be cleared in between. */
typedef struct cell {
    uint32_t sent, written, put_aside; /* the last moment of each */
    uint32_t since;                    /* when this walk first wrote it; 0: not yet */
    int32_t n_messages;                /* into it, so far */
    uint32_t lower,
        owed; /* a lower rank has sent to it; several have, and its own value comes behind them */
} cell;

typedef struct planner {
    const rg_job *job;
    const rs_schedule *schedule;
    const rs_host *host;
    rg_plan *plan;
    cell *cells;     /* [N * n_full] */
    int32_t n_full;  /* where the chunks end that hold elements */
    bool sparse;     /* some before them hold none */
    uint32_t moment; /* a number for each step of each walk, from 1 */
    bool has_aside;  /* this step puts something aside */
    rg_move *moves;  /* NULL: they are only counted */
    int64_t n_moves;
    int32_t n_rounds;
    int32_t n_transfers;
} planner;

static rs_status too_many(rs_error *error, int64_t n, const char *what) {
    return rs_fail(error, RS_TOO_LARGE,
                   "%lld %s at the least: a plan holds at most %d; take fewer ranks", (long long)n,
                   what, RG_MAX_MOVES);
}

/* Returns where the transfer's chunks with elements end; at or before its first chunk: it has
   none. */
static int32_t end_of(const planner *p, const rs_transfer *t) {
    const int32_t end = t->chunk + t->n_chunks;
    return end < p->n_full ? end : p->n_full;
}

static bool holds(const planner *p, int32_t chunk) {
    return !p->sparse || rs_chunk_first(p->schedule, p->job->count, chunk + 1) >
                             rs_chunk_first(p->schedule, p->job->count, chunk);
}

static bool is_promised(const planner *p, int32_t rank, int32_t chunk) {
    const int32_t to = rs_ends_of(p->schedule, chunk).to;
    return to == RS_EVERY_RANK || to == rank;
}

static cell *cell_of(const planner *p, int32_t rank, int32_t chunk) {
    return &p->cells[(int64_t)rank * p->n_full + chunk];
}

static bool goes_on(const planner *p, int64_t done, int64_t total) {
    return rs_go_on(p->host, "planning the run", done, total);
}

/* ------------------------------------------------------------------ what must move at the least */

static rs_status count_least(planner *p, rs_error *error) {
    const rs_schedule *s = p->schedule;
    if (s->n_transfers > RG_MAX_MOVES) return too_many(error, s->n_transfers, "transfers");
    const int64_t n_cells = (int64_t)s->n_ranks * p->n_full;
    int64_t n = 0;
    rs_transfer t;
    for (int32_t step = 0; step < s->n_steps; step++) {
        for (rs_cursor c = {0}; rs_next_transfer(s, step, &c, &t);) {
            for (int32_t k = t.chunk; p->sparse && k < end_of(p, &t); k++) n += holds(p, k);
            if (!p->sparse && t.chunk < p->n_full) n += end_of(p, &t) - t.chunk;
        }
    }
    if (n > RG_MAX_MOVES) return too_many(error, n, "moves");
    /* Only a schedule from a file leaves so many cells unwritten. */
    if (n_cells > RG_MAX_MOVES) return too_many(error, n_cells, "cells");
    p->n_moves = n;
    return RS_OK;
}

/* ------------------------------------------------------------------ moves, in list order */

/* Says where the move's chunk lies. */
static void place(const planner *p, rg_move *move) {
    const int64_t count = p->job->count;
    move->first = rs_chunk_first(p->schedule, count, move->chunk);
    move->larger = rs_chunk_first(p->schedule, count, move->chunk + 1) - move->first >
                   count / p->schedule->n_chunks;
}

static void add(planner *p, const rg_move *move) {
    if (p->moves != NULL) {
        p->moves[p->n_moves] = *move;
        place(p, &p->moves[p->n_moves]);
    }
    p->n_moves++;
}

/* Tells whether the cell still holds its input when the current step begins, in an array of its own. */
static bool is_fresh(const planner *p, const cell *c) {
    return !p->job->in_place && (c->since == 0 || c->since == p->moment);
}

/* Marks the cells that the step sends and those that it writes, and notes whether some are both and must be
   put aside. */
static void mark_step(planner *p, int32_t step) {
    rs_transfer t;
    p->moment++;
    p->has_aside = false;
    for (rs_cursor c = {0}; rs_next_transfer(p->schedule, step, &c, &t);) {
        for (int32_t chunk = t.chunk; chunk < end_of(p, &t); chunk++) {
            if (!holds(p, chunk)) continue;
            cell *from = cell_of(p, t.src, chunk), *to = cell_of(p, t.dst, chunk);
            from->sent = to->written = p->moment;
            if (to->since == 0) to->since = p->moment;
            to->n_messages = 0;
            if (p->schedule->by_rank && t.effect == RS_REDUCE && t.src < t.dst) {
                if (to->lower == p->moment) to->owed = p->moment;
                to->lower = p->moment;
                if (to->owed == p->moment && !is_fresh(p, to)) p->has_aside = true;
            }
            if (from->written == p->moment && !is_fresh(p, from)) p->has_aside = true;
            if (to->sent == p->moment && !is_fresh(p, to)) p->has_aside = true;
        }
    }
}

static void put_aside(planner *p, int32_t rank, int32_t chunk, cell *own) {
    if (own->put_aside == p->moment) return;
    own->put_aside = p->moment;
    add(p, &(rg_move){.by = rank,
                      .src = rank,
                      .chunk = chunk,
                      .transfer = -1,
                      .op_kind = RG_ASIDE,
                      .round = p->n_rounds});
}

/* Adds the cell's own value to what lower ranks have sent, if that is still to be done. */
static int32_t add_own(planner *p, int32_t rank, int32_t chunk) {
    cell *own = cell_of(p, rank, chunk);
    if (own->owed != p->moment) return own->n_messages;
    const bool fresh = is_fresh(p, own);
    own->owed = 0;
    if (!fresh) put_aside(p, rank, chunk, own);
    add(p, &(rg_move){.by = rank,
                      .src = rank,
                      .chunk = chunk,
                      .transfer = -1,
                      .op_kind = RG_REDUCE,
                      .left = fresh ? RG_SOURCE : RG_BESIDE,
                      .round = p->n_rounds + p->has_aside + own->n_messages});
    return ++own->n_messages;
}

/* Adds the move of one chunk of a transfer, and before it those that put its source aside and add the own value, if
   necessary. Returns how many messages have gone into the cell, including this one. */
static int32_t add_chunk(planner *p, const rs_transfer *t, int32_t chunk, bool flip) {
    cell *from = cell_of(p, t->src, chunk), *to = cell_of(p, t->dst, chunk);
    if (t->src > t->dst) add_own(p, t->dst, chunk);
    const bool first = to->owed == p->moment && to->n_messages == 0; /* the own is still aside */
    const bool reduces = t->effect == RS_REDUCE && !first, fresh = is_fresh(p, from);
    const bool aside = from->written == p->moment && !fresh;
    rg_move move = {.by = t->dst, .src = t->src, .chunk = chunk, .transfer = p->n_transfers};
    move.op_kind = reduces ? RG_REDUCE : RG_COPY;
    move.left = fresh ? RG_SOURCE : aside ? RG_BESIDE : RG_TARGET;
    move.right = reduces && to->n_messages == 0 && is_fresh(p, to) ? RG_SOURCE : RG_TARGET;
    move.flip = flip && chunk == t->chunk;
    move.round = p->n_rounds + p->has_aside + to->n_messages;
    if (aside) put_aside(p, t->src, chunk, from);
    add(p, &move);
    return ++to->n_messages;
}

static void add_step(planner *p, int32_t step) {
    int32_t depth = 0;
    rs_transfer t;
    mark_step(p, step);
    for (rs_cursor c = {0}; rs_next_transfer(p->schedule, step, &c, &t); p->n_transfers++) {
        const bool flip = p->job->flip_rank == t.src && p->job->flip_step == step;
        if (p->moves != NULL) {
            p->plan->transfers[p->n_transfers] = t;
            p->plan->steps[p->n_transfers] = step;
        }
        for (int32_t chunk = t.chunk; chunk < end_of(p, &t); chunk++) {
            if (!holds(p, chunk)) continue;
            const int32_t n_messages = add_chunk(p, &t, chunk, flip);
            if (n_messages > depth) depth = n_messages;
        }
    }
    for (rs_cursor c = {0}; p->schedule->by_rank && rs_next_transfer(p->schedule, step, &c, &t);) {
        for (int32_t chunk = t.chunk; chunk < end_of(p, &t); chunk++) {
            const int32_t n_messages = add_own(p, t.dst, chunk);
            if (n_messages > depth) depth = n_messages;
        }
    }
    p->n_rounds += depth + p->has_aside;
    if (p->has_aside) p->plan->has_aside = true;
}

/* From one array to another: copies the cells of the answer that no message has written, beside the first round. */
static void add_unwritten(planner *p) {
    for (int32_t rank = 0; rank < p->schedule->n_ranks; rank++) {
        for (int32_t chunk = 0; chunk < p->n_full; chunk++) {
            if (cell_of(p, rank, chunk)->since != 0 || !is_promised(p, rank, chunk)) continue;
            if (!holds(p, chunk)) continue;
            if (p->n_rounds == 0) p->n_rounds = 1;
            add(p, &(rg_move){.by = rank,
                              .src = rank,
                              .chunk = chunk,
                              .transfer = -1,
                              .op_kind = RG_COPY,
                              .left = RG_SOURCE});
        }
    }
}

static rs_status add_all(planner *p, rs_error *error) {
    enum { LOOK = 1 << 16 }; /* moves and steps between two looks at the host */
    const int32_t n_steps = p->schedule->n_steps;
    const int64_t before = p->moves == NULL ? 0 : n_steps;
    const int64_t n_cells = (int64_t)p->schedule->n_ranks * p->n_full;
    int64_t looked = 0;
    p->n_moves = p->n_rounds = p->n_transfers = 0;
    for (int64_t i = 0; i < n_cells; i++) p->cells[i].since = 0;
    for (int32_t step = 0; step < n_steps; step++) {
        add_step(p, step);
        if (p->n_moves > RG_MAX_MOVES) return too_many(error, p->n_moves, "moves");
        if (p->n_moves + step - looked < LOOK) continue;
        looked = p->n_moves + step;
        if (!goes_on(p, before + step, 2 * (int64_t)n_steps)) {
            return rs_fail(error, RS_CANCELLED, "cancelled while planning the run");
        }
    }
    if (!p->job->in_place) add_unwritten(p);
    if (p->n_moves > RG_MAX_MOVES) return too_many(error, p->n_moves, "moves");
    return RS_OK;
}

/* ------------------------------------------------------------------ moves, sorted */

/* Turns n counts into the places where each group begins; first[n]: where the last one ends. */
static void begin_at(int32_t first[], int32_t n) {
    int32_t at = 0;
    for (int32_t i = 0; i <= n; i++) {
        const int32_t count = first[i];
        first[i] = at;
        at += count;
    }
}

/* Sorts by rank, then by round, both times stably. */
static rs_status sort(planner *p, rs_arena *scratch, rs_error *error) {
    rg_plan *plan = p->plan;
    const size_t n_ranks = (size_t)plan->n_ranks, n_rounds = (size_t)p->n_rounds;
    rg_move *by_rank = rs_alloc(scratch, (size_t)p->n_moves, sizeof *by_rank);
    int32_t *rank_at = rs_alloc(scratch, n_ranks + 1, sizeof *rank_at);
    int32_t *round_at = rs_alloc(scratch, n_rounds + 1, sizeof *round_at);
    if (by_rank == NULL || rank_at == NULL || round_at == NULL) return no_memory(error, p->n_moves);
    for (int64_t i = 0; i < p->n_moves; i++) {
        rank_at[p->moves[i].by]++;
        round_at[p->moves[i].round]++;
    }
    begin_at(rank_at, plan->n_ranks);
    begin_at(round_at, p->n_rounds);
    memcpy(plan->round_first, round_at, (n_rounds + 1) * sizeof *round_at);
    for (int64_t i = 0; i < p->n_moves; i++) by_rank[rank_at[p->moves[i].by]++] = p->moves[i];
    for (int64_t i = 0; i < p->n_moves; i++) p->moves[round_at[by_rank[i].round]++] = by_rank[i];
    return RS_OK;
}

/* Leaves in left[] only cells of the answer that hold elements; returns how many. */
static int64_t keep_promised(const planner *p, bool left[]) {
    int64_t n = 0;
    for (int32_t rank = 0; rank < p->schedule->n_ranks; rank++) {
        for (int32_t chunk = 0; chunk < p->n_full; chunk++) {
            bool *kept = &left[(int64_t)rank * p->n_full + chunk];
            *kept = *kept && is_promised(p, rank, chunk) && holds(p, chunk);
            n += *kept;
        }
    }
    return n;
}

/* Leaves the sorted moves in the plan, and behind them a round that divides what none of them has. */
static rs_status keep(planner *p, rs_arena *arena, rs_arena *scratch, rs_error *error) {
    rg_plan *plan = p->plan;
    const bool divides = rg_divides(p->job) && plan->n_ranks > 1;
    bool *left = NULL;
    int64_t n_left = 0, at = p->n_moves;
    if (divides) {
        const rs_status status = rg_plan_finish(p->moves, p->n_moves, plan->n_ranks, p->n_full,
                                                p->job->flip_rank < 0, scratch, error, &left);
        if (status != RS_OK) return status;
        n_left = keep_promised(p, left);
    }
    if (p->n_moves + n_left > RG_MAX_MOVES) return too_many(error, p->n_moves + n_left, "moves");
    plan->moves = rs_alloc(arena, (size_t)(p->n_moves + n_left), sizeof *plan->moves);
    if (plan->moves == NULL) return no_memory(error, p->n_moves);
    if (p->n_moves > 0) memcpy(plan->moves, p->moves, (size_t)p->n_moves * sizeof *plan->moves);
    for (int64_t i = 0; n_left > 0 && i < (int64_t)plan->n_ranks * p->n_full; i++) {
        if (!left[i]) continue;
        const int32_t rank = (int32_t)(i / p->n_full);
        plan->moves[at] = (rg_move){.by = rank,
                                    .src = rank,
                                    .chunk = (int32_t)(i % p->n_full),
                                    .transfer = -1,
                                    .op_kind = RG_FINISH,
                                    .finish = true,
                                    .round = plan->n_rounds};
        place(p, &plan->moves[at++]);
    }
    plan->n_moves = (int32_t)at;
    if (n_left > 0) plan->round_first[++plan->n_rounds] = plan->n_moves;
    return RS_OK;
}

static rs_status write_down(planner *p, rs_arena *arena, rs_arena *scratch, rs_error *error) {
    rg_plan *plan = p->plan;
    const size_t n_moves = (size_t)p->n_moves, n_transfers = (size_t)p->n_transfers;
    plan->n_rounds = p->n_rounds;
    plan->n_transfers = p->n_transfers;
    plan->round_first = rs_alloc(arena, (size_t)p->n_rounds + 2, sizeof *plan->round_first);
    plan->transfers = rs_alloc(arena, n_transfers, sizeof *plan->transfers);
    plan->steps = rs_alloc(arena, n_transfers, sizeof *plan->steps);
    p->moves = rs_alloc(scratch, n_moves, sizeof *p->moves);
    if (arena->lacked || scratch->lacked) return no_memory(error, p->n_moves);
    rs_status status = add_all(p, error);
    if (status != RS_OK) return status;
    assert(p->n_moves == (int64_t)n_moves && p->n_rounds == plan->n_rounds);
    status = sort(p, scratch, error);
    return status == RS_OK ? keep(p, arena, scratch, error) : status;
}

static rs_status make(planner *p, rs_arena *arena, rs_arena *scratch, rs_error *error) {
    const size_t n_cells = (size_t)p->schedule->n_ranks * (size_t)p->n_full;
    p->cells = rs_alloc(scratch, n_cells, sizeof *p->cells);
    if (p->cells == NULL) return no_memory(error, p->n_moves);
    rs_status status = add_all(p, error);
    if (status == RS_OK) status = write_down(p, arena, scratch, error);
    if (status == RS_OK) status = rg_plan_tasks(p->plan, p->n_full, arena, scratch, error);
    return status;
}

rs_status rg_plan_new(const rg_job *job, rs_arena *arena, rs_error *error, rg_plan **plan) {
    const rs_schedule *s = job->schedule;
    assert(job->count >= 0 && s->n_ranks >= 1);
    planner p = {.job = job, .schedule = s, .host = arena->host};
    p.n_full = job->count == 0 ? 0 : rs_chunk_of(s, job->count, job->count - 1) + 1;
    p.sparse = p.n_full > job->count;
    rs_status status = count_least(&p, error);
    if (status != RS_OK) return status;
    p.plan = rs_alloc(arena, 1, sizeof *p.plan);
    if (p.plan == NULL) return no_memory(error, p.n_moves);
    p.plan->n_ranks = s->n_ranks;
    p.plan->n_chunks = s->n_chunks;
    rs_arena scratch;
    rs_arena_init(&scratch, arena->host);
    scratch.limit_bytes = arena->limit_bytes;
    status = make(&p, arena, &scratch, error);
    rs_arena_free(&scratch);
    if (status == RS_OK) *plan = p.plan;
    return status;
}

int64_t rg_move_count(const rg_plan *plan, const rg_job *job, const rg_move *move) {
    return job->count / plan->n_chunks + move->larger;
}

int64_t rg_plan_traffic(const rg_plan *plan, const rg_job *job) {
    const int64_t elem_bytes = rs_dtype_bytes(job->dtype);
    int64_t n_bytes = 0;
    for (int32_t i = 0; i < plan->n_moves; i++) {
        const rg_move *m = &plan->moves[i];
        n_bytes += (m->op_kind == RG_REDUCE ? 3 : 2) * rg_move_count(plan, job, m) * elem_bytes;
    }
    return n_bytes;
}
