/* floor.c: sums from a plan's moves; see floor.h.
 *
 *     cells   | 1 | 2 | 0 |    a cell holds a LINK, the last of a chain: who was added last, and the link before it
 *     move    rank 2 adds what rank 1 holds: a new link behind rank 1's; a copy hands the link on
 */
#include "cuda/floor.h"

typedef struct chain_link {
    int32_t before; /* -1: the first of its chain */
    int32_t rank;   /* whose own value */
    bool is_left;
} chain_link;

typedef struct follower {
    const rg_plan *plan;
    const rg_job *job;
    const rg_places *places;
    chain_link *links; /* the first N are the ranks' own values */
    int32_t n_links;
    int32_t *cells[RG_N_STORES]; /* [N * C] of the targets and asides */
    rg_floor *made;
} follower;

static int32_t *cell_at(const follower *f, int store, int32_t rank, int32_t chunk) {
    return &f->cells[store][(int64_t)rank * f->plan->n_chunks + chunk];
}

static int32_t read_cell(const follower *f, int store, int32_t rank, int32_t chunk) {
    return store == RG_SOURCE ? rank : *cell_at(f, store, rank, chunk);
}

static bool is_own(const follower *f, int32_t link) {
    return f->links[link].before < 0;
}

/* Follows one move; false: what it adds is a sum on both sides. */
static bool follow(follower *f, const rg_move *m) {
    int32_t link = read_cell(f, m->left, m->src, m->chunk);
    if (m->op_kind == RG_REDUCE) {
        const int32_t own = read_cell(f, m->right, m->by, m->chunk);
        const bool is_left = !is_own(f, own);
        if (is_left && !is_own(f, link)) return false;
        f->links[f->n_links] =
            is_left ? (chain_link){own, link, true} : (chain_link){link, own, false};
        link = f->n_links++;
    }
    *cell_at(f, m->op_kind == RG_ASIDE ? RG_BESIDE : RG_TARGET, m->by, m->chunk) = link;
    return true;
}

static bool same_chain(const follower *f, int32_t a, int32_t b) {
    while (a != b && a >= 0 && b >= 0) {
        const chain_link *x = &f->links[a], *y = &f->links[b];
        if (x->rank != y->rank || x->is_left != y->is_left) return false;
        a = x->before, b = y->before;
    }
    return a == b;
}

/* Writes a chain as terms, the first one first. */
static void write_terms(follower *f, int32_t chain, int64_t at, rg_floor_sum *sum) {
    const int store = f->job->in_place ? RG_TARGET : RG_SOURCE;
    int32_t n = 0;
    for (int32_t link = chain; link >= 0; link = f->links[link].before) n++;
    sum->n_terms = n;
    for (int32_t link = chain; link >= 0; link = f->links[link].before) {
        const chain_link *l = &f->links[link];
        f->made->terms[sum->first_term + --n] =
            (rg_term){f->places->of[store][l->rank] + at, l->is_left};
    }
    f->made->n_terms += sum->n_terms;
}

/* Adds the sum of one chunk; false: two ranks add it in two orders. */
static bool add_sum(follower *f, int32_t chunk) {
    rg_floor *made = f->made;
    const int64_t first = rs_chunk_first(f->job->schedule, f->job->count, chunk);
    const int64_t n = rs_chunk_first(f->job->schedule, f->job->count, chunk + 1) - first;
    const int64_t at = first * rs_dtype_bytes(f->job->dtype);
    rg_floor_sum sum = {.first_term = made->n_terms, .first_end = made->n_ends};
    int32_t chain = -1;
    sum.larger = n > f->job->count / f->plan->n_chunks;
    sum.finish = rg_divides(f->job) && f->plan->n_ranks > 1;
    for (int32_t rank = 0; rank < f->plan->n_ranks && n > 0; rank++) {
        rg_range range = {first, 0};
        if (!rg_next_answer(f->job, rank, &range) || rg_within(range, first, n).n == 0) continue;
        const int32_t own = *cell_at(f, RG_TARGET, rank, chunk);
        if (f->job->in_place && own == rank && !sum.finish) continue; /* it is there */
        if (chain >= 0 && !same_chain(f, chain, own)) return false;
        chain = own;
        made->ends[made->n_ends++] = f->places->of[RG_TARGET][rank] + at;
    }
    if (chain < 0) return true;
    write_terms(f, chain, at, &sum);
    sum.n_ends = (int32_t)(made->n_ends - sum.first_end);
    made->sums[made->n_sums++] = sum;
    return true;
}

static void take_room(follower *f, rs_arena *arena) {
    const rg_plan *plan = f->plan;
    const size_t n_ranks = (size_t)plan->n_ranks, n_cells = n_ranks * (size_t)plan->n_chunks;
    f->links = rs_alloc(arena, n_ranks + (size_t)plan->n_moves, sizeof *f->links);
    f->cells[RG_TARGET] = rs_alloc(arena, n_cells, sizeof(int32_t));
    f->cells[RG_BESIDE] = rs_alloc(arena, n_cells, sizeof(int32_t));
    f->made->sums = rs_alloc(arena, (size_t)plan->n_chunks, sizeof *f->made->sums);
    f->made->ends = rs_alloc(arena, n_cells, sizeof *f->made->ends);
    f->made->terms =
        rs_alloc(arena, (size_t)plan->n_chunks + (size_t)plan->n_moves, sizeof *f->made->terms);
}

rs_status rg_floor_new(const rg_plan *plan, const rg_job *job, const rg_places *places,
                       rs_arena *arena, rs_error *error, rg_floor *made) {
    follower f = {.plan = plan, .job = job, .places = places, .made = made};
    *made = (rg_floor){0};
    take_room(&f, arena);
    if (arena->lacked) return rs_no_memory(error);
    for (; f.n_links < plan->n_ranks; f.n_links++) {
        f.links[f.n_links] = (chain_link){-1, f.n_links, false};
        for (int32_t chunk = 0; chunk < plan->n_chunks; chunk++) {
            *cell_at(&f, RG_TARGET, f.n_links, chunk) = f.n_links;
        }
    }
    for (int32_t i = 0; i < plan->n_moves; i++) {
        if (plan->moves[i].flip)
            return rs_fail(error, RS_UNSUPPORTED, "no message that could flip");
        if (follow(&f, &plan->moves[i])) continue;
        return rs_fail(error, RS_UNSUPPORTED, "%s adds sums to sums", job->schedule->name);
    }
    for (int32_t chunk = 0; chunk < plan->n_chunks; chunk++) {
        if (add_sum(&f, chunk)) continue;
        return rs_fail(error, RS_UNSUPPORTED, "in %s two ranks add in two orders",
                       job->schedule->name);
    }
    return RS_OK;
}
