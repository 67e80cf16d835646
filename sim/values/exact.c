/* exact.c: does every rank hold the exact answer, in the cells where its collective defines one?
 *
 *   - Where a chunk is one rank's data the answer is that rank's input.
 *   - Integers, and min and max of anything, do not depend on the order: the answer is a plain loop
 *     over the ranks.
 *   - Sums, products and averages of floats depend on it: there the answer is the fold in the
 *     schedule's own order. We execute the schedule once more, one chunk and a few elements at a
 *     time, in the simplest way: a step reads one copy of the cells and writes another.
 *   - We execute it on fingerprints as well: each rank starts with two random words, and a
 *     reduction adds them. A cell whose fingerprint is not the sum of all ranks' does not hold
 *     every rank exactly once; no value in it would be right, and we expect the left fold in rank
 *     order there.
 *   - A rank without results (NULL) is not judged: a caller that ran only one rank can judge that
 *     one.
 */
#include "base/containers.h"
#include "values/pieces.h"

#include <string.h>

enum { SLICE_BYTES = 4096, CELLS_BYTES = 512 << 10 };

typedef struct fingerprint {
    uint64_t a, b;
} fingerprint;

typedef struct cells { /* scratch of one task: N cells twice, each a slice of a chunk */
    char *now, *next;
    fingerprint *now_print, *next_print;
    char *answer;
    int64_t *n_wrong; /* [n_ranks] */
    bool *owed; /* [n_ranks] what lower ranks sent lies in `next`, and not yet the cell's own */
} cells;

typedef struct answer_check {
    const rs_schedule *schedule;
    rs_dtype dtype;
    rs_op op;
    size_t elem_bytes;
    int64_t base;  /* the element where the arrays begin */
    int64_t slice; /* elements */
    const void *const *inputs, *const *results;
    bool counting;   /* count all wrong elements, not only find whether there are any */
    fingerprint all; /* of every rank once */
    cells *tasks;
    int32_t n_tasks;
    rs_arena *arena;
} answer_check;

static fingerprint print_of(int32_t rank) {
    const uint64_t a = rs_mix((uint64_t)rank + 1);
    return (fingerprint){a, rs_mix(a)};
}

static fingerprint add(fingerprint x, fingerprint y) {
    return (fingerprint){x.a + y.a, x.b + y.b};
}

static bool same(fingerprint x, fingerprint y) {
    return x.a == y.a && x.b == y.b;
}

static const char *at(const answer_check *c, const void *const arrays[], int32_t rank, int64_t i) {
    return (const char *)arrays[rank] + (size_t)(i - c->base) * c->elem_bytes;
}

/* Computes the left fold in rank order: for integers, and for min and max, it is the exact
   answer. */
static void answer_in_rank_order(const answer_check *c, int64_t first, int64_t n, char *answer) {
    memcpy(answer, at(c, c->inputs, 0, first), (size_t)n * c->elem_bytes);
    for (int32_t r = 1; r < c->schedule->n_ranks; r++) {
        rs_fold(c->dtype, c->op, answer, at(c, c->inputs, r, first), answer, n);
    }
    rs_finish(c->dtype, c->op, c->schedule->n_ranks, answer, n);
}

static void judge(const answer_check *c, const cells *own, int32_t rank, int64_t first, int64_t n,
                  const char *answer) {
    if (c->results[rank] == NULL || (own->n_wrong[rank] > 0 && !c->counting)) return;
    const char *result = at(c, c->results, rank, first);
    if (rs_equal(c->dtype, answer, result, n)) return;
    for (int64_t i = 0; i < n; i++) {
        const size_t offset = (size_t)i * c->elem_bytes;
        own->n_wrong[rank] += !rs_equal(c->dtype, answer + offset, result + offset, 1);
    }
}

/* Judges the ranks that must hold the answer to these elements. */
static void judge_all(const answer_check *c, const cells *own, rs_ends ends, int64_t first,
                      int64_t n) {
    if (ends.from == RS_EVERY_RANK)
        answer_in_rank_order(c, first, n, own->answer);
    else
        memcpy(own->answer, at(c, c->inputs, ends.from, first), (size_t)n * c->elem_bytes);
    for (int32_t r = 0; r < c->schedule->n_ranks; r++) {
        if (ends.to == RS_EVERY_RANK || ends.to == r) judge(c, own, r, first, n, own->answer);
    }
}

/* Adds what `src` had before the step to what rank dst will have, or overwrites that. */
static void play_message(const answer_check *c, cells *own, size_t src, size_t dst, bool adds,
                         int64_t n) {
    const size_t n_bytes = (size_t)n * c->elem_bytes;
    const char *sent = own->now + src * n_bytes;
    char *cell = own->next + dst * n_bytes;
    if (adds)
        rs_fold(c->dtype, c->op, sent, cell, cell, n);
    else
        memcpy(cell, sent, n_bytes);
    const fingerprint had = adds ? own->next_print[dst] : (fingerprint){0, 0};
    own->next_print[dst] = add(own->now_print[src], had);
}

/* Executes one step: reads `now`, writes `next`, then makes them equal again. */
static void play_step(const answer_check *c, cells *own, const rs_chunk_event events[],
                      int64_t n_events, int64_t n) {
    const size_t n_bytes = (size_t)n * c->elem_bytes;
    for (int64_t i = 0; i < n_events; i++) {
        const size_t src = (size_t)events[i].src, dst = (size_t)events[i].dst;
        const bool adds = events[i].effect == RS_REDUCE;
        const bool lower = adds && c->schedule->by_rank && src < dst;
        if (!lower && own->owed[dst]) play_message(c, own, dst, dst, true, n);
        play_message(c, own, src, dst, adds && (!lower || own->owed[dst]), n);
        own->owed[dst] = lower;
    }
    for (int64_t i = 0; i < n_events; i++) {
        const size_t cell = (size_t)events[i].dst;
        if (own->owed[cell]) play_message(c, own, cell, cell, true, n);
        own->owed[cell] = false;
        memcpy(own->now + cell * n_bytes, own->next + cell * n_bytes, n_bytes);
        own->now_print[cell] = own->next_print[cell];
    }
}

static void play_slice(const answer_check *c, cells *own, const rs_piece *piece, int32_t to,
                       int64_t first, int64_t n) {
    const size_t n_bytes = (size_t)n * c->elem_bytes;
    for (int32_t r = 0; r < c->schedule->n_ranks; r++) {
        memcpy(own->now + (size_t)r * n_bytes, at(c, c->inputs, r, first), n_bytes);
        memcpy(own->next + (size_t)r * n_bytes, at(c, c->inputs, r, first), n_bytes);
        own->now_print[r] = own->next_print[r] = print_of(r);
    }
    for (int64_t i = 0, end; i < piece->n_events; i = end) {
        end = rs_step_end(piece->events, piece->n_events, i);
        play_step(c, own, piece->events + i, end - i, n);
    }
    bool has_answer = false;
    for (int32_t r = 0; r < c->schedule->n_ranks; r++) {
        char *cell = own->now + (size_t)r * n_bytes;
        if (to != RS_EVERY_RANK && to != r) continue;
        if (same(own->now_print[r], c->all)) {
            rs_finish(c->dtype, c->op, c->schedule->n_ranks, cell, n);
            judge(c, own, r, first, n, cell);
            continue;
        }
        if (!has_answer) answer_in_rank_order(c, first, n, own->answer);
        has_answer = true;
        judge(c, own, r, first, n, own->answer);
    }
}

static bool order_matters(rs_dtype dtype, rs_op op) {
    return rs_dtype_is_float(dtype) && op != RS_MIN && op != RS_MAX;
}

static void work(void *context, const rs_piece *piece) {
    const answer_check *c = context;
    cells *own = &c->tasks[piece->task];
    const rs_ends ends = rs_ends_of(c->schedule, piece->chunk);
    const bool play = order_matters(c->dtype, c->op) && ends.from == RS_EVERY_RANK;
    for (int64_t done = 0, n; done < piece->n && !rs_stopped(c->arena->host); done += n) {
        const int64_t first = piece->first + done;
        n = piece->n - done < c->slice ? piece->n - done : c->slice;
        if (play)
            play_slice(c, own, piece, ends.to, first, n);
        else
            judge_all(c, own, ends, first, n);
    }
}

static bool make_cells(const answer_check *c, cells *own) {
    const size_t n = (size_t)c->schedule->n_ranks, slice_bytes = (size_t)c->slice * c->elem_bytes;
    own->n_wrong = rs_alloc(c->arena, n, sizeof *own->n_wrong);
    own->answer = rs_alloc(c->arena, slice_bytes, 1);
    if (own->n_wrong == NULL || own->answer == NULL) return false;
    if (!order_matters(c->dtype, c->op)) return true;
    own->now = rs_alloc(c->arena, n, slice_bytes);
    own->next = rs_alloc(c->arena, n, slice_bytes);
    own->now_print = rs_alloc(c->arena, n, sizeof(fingerprint));
    own->next_print = rs_alloc(c->arena, n, sizeof(fingerprint));
    own->owed = rs_alloc(c->arena, n, sizeof *own->owed);
    return own->owed != NULL && own->now != NULL && own->next != NULL && own->now_print != NULL &&
           own->next_print != NULL;
}

static rs_status prepare(void *context, int32_t n_tasks, int64_t max_events, rs_error *error) {
    answer_check *c = context;
    (void)max_events;
    if (n_tasks <= c->n_tasks) return RS_OK;
    cells *tasks = rs_alloc(c->arena, (size_t)n_tasks, sizeof *tasks);
    for (int32_t i = 0; i < n_tasks; i++) {
        if (tasks != NULL && i < c->n_tasks)
            tasks[i] = c->tasks[i];
        else if (tasks == NULL || !make_cells(c, &tasks[i])) {
            return rs_fail(error, RS_NO_MEMORY,
                           "no memory to compare the results of %d ranks: use values none",
                           (int)c->schedule->n_ranks);
        }
    }
    c->tasks = tasks;
    c->n_tasks = n_tasks;
    return RS_OK;
}

/* Adds up the wrong elements of each rank in n_wrong[], or sets wrong[] for each rank that has
   any. */
static rs_status compare(answer_check *c, rs_part *part, const rs_host *host, rs_error *error,
                         int64_t n_wrong[], bool wrong[]) {
    const rs_schedule *schedule = part->schedule;
    rs_arena arena;
    rs_arena_init(&arena, host);
    c->schedule = schedule;
    c->base = part->first;
    c->elem_bytes = (size_t)rs_dtype_bytes(c->dtype);
    c->arena = &arena;
    for (int32_t r = 0; r < schedule->n_ranks; r++) c->all = add(c->all, print_of(r));
    const int64_t fair = CELLS_BYTES / schedule->n_ranks;
    const int64_t slice_bytes = fair < SLICE_BYTES ? fair : SLICE_BYTES;
    c->slice = slice_bytes / (int64_t)c->elem_bytes > 0 ? slice_bytes / (int64_t)c->elem_bytes : 1;
    const rs_pieces pieces = {
        .part = part,
        .whole = !order_matters(c->dtype, c->op) && schedule->collective == RS_COLL_ALL_REDUCE,
        .elem_bytes = (int32_t)c->elem_bytes,
        .what = RS_MESSAGE("comparing the results"),
        .context = c,
        .prepare = prepare,
        .work = work,
    };
    const rs_status status = rs_for_pieces(&pieces, host, error);
    for (int32_t r = 0; r < schedule->n_ranks && status == RS_OK; r++) {
        int64_t n = 0;
        for (int32_t i = 0; i < c->n_tasks; i++) n += c->tasks[i].n_wrong[r];
        if (n_wrong != NULL) n_wrong[r] = n;
        if (wrong != NULL) wrong[r] = n > 0;
    }
    rs_arena_free(&arena);
    return status;
}

/* All of the arrays. */
static rs_status compare_all(answer_check *c, const rs_schedule *schedule, int64_t count,
                             const rs_host *host, rs_error *error, int64_t n_wrong[],
                             bool wrong[]) {
    rs_arena arena;
    rs_arena_init(&arena, host);
    rs_part all = {.schedule = schedule, .count = count, .n = count, .arena = &arena};
    const rs_status status = compare(c, &all, host, error, n_wrong, wrong);
    rs_arena_free(&arena);
    return status;
}

rs_status rs_compare(const rs_schedule *schedule, rs_dtype dtype, rs_op op, int64_t count,
                     const void *const inputs[], const void *const results[], const rs_host *host,
                     rs_error *error, bool wrong[]) {
    answer_check c = {.dtype = dtype, .op = op, .inputs = inputs, .results = results};
    return compare_all(&c, schedule, count, host, error, NULL, wrong);
}

rs_status rs_count_wrong(const rs_schedule *schedule, rs_dtype dtype, rs_op op, int64_t count,
                         const void *const inputs[], const void *const results[],
                         const rs_host *host, rs_error *error, int64_t n_wrong[]) {
    answer_check c = {.dtype = dtype, .op = op, .inputs = inputs, .results = results};
    c.counting = true;
    return compare_all(&c, schedule, count, host, error, n_wrong, NULL);
}

rs_status rs_count_wrong_part(rs_part *part, rs_dtype dtype, rs_op op, const void *const inputs[],
                              const void *const results[], const rs_host *host, rs_error *error,
                              int64_t n_wrong[]) {
    answer_check c = {.dtype = dtype, .op = op, .inputs = inputs, .results = results};
    c.counting = true;
    return compare(&c, part, host, error, n_wrong, NULL);
}
