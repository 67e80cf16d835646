/* plan_finish.c: which moves divide, for avg; see plan.h.
 *
 *     one chunk   0 -> 1 reduce     1 -> 2 reduce     2 -> 0 copy       2 -> 1 copy
 *     its value   at 1: raw         at 2: divided     at 0: as at 2     at 1: as at 2
 *
 *   - Each move makes a new value of a cell. A value that will be added to another must not be divided, nor
 *     one of which a copy will be: it is raw. The way back through the moves finds these.
 *   - The way forward: who makes a value that is not raw divides it, if what it copies is not divided yet.
 *   - A cell whose last value is raw, or was never made by a move, is left for a division of its own.
 */
#include "job/plan.h"

#include <assert.h>

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

rs_status rg_plan_finish(rg_move moves[], int64_t n_moves, int32_t n_ranks, int32_t n_full,
                         bool fuse, rs_arena *scratch, rs_error *error, bool **left) {
    const int64_t n_cells = (int64_t)n_ranks * n_full;
    finisher f = {.moves = moves, .n_moves = n_moves, .n_cells = n_cells, .n_full = n_full};
    f.raw = rs_alloc(scratch, 2 * (size_t)n_cells, sizeof *f.raw);
    f.divided = rs_alloc(scratch, 2 * (size_t)n_cells, sizeof *f.divided);
    if (f.raw == NULL || f.divided == NULL) {
        return rs_fail(error, RS_NO_MEMORY, "no memory for a plan of %lld moves; take fewer ranks",
                       (long long)n_moves);
    }
    if (fuse) {
        go_back(&f);
        go_forward(&f);
    }
    for (int64_t i = 0; i < n_cells; i++) f.raw[i] = !f.divided[i];
    *left = f.raw;
    return RS_OK;
}
