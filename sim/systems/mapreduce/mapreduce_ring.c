/* mapreduce_ring.c: the same result as a reduce-scatter: shuffle and reduce in one, on a ring.
 *
 *     GPU 0   hello 1 | world 1        every GPU holds a number for every word: what its own mapper
 *     GPU 1   hello 1 | world .        found, or nothing; chunk r: the words of reducer r
 *                 \_____ the ring's first N - 1 steps add a chunk up while it travels
 *     GPU 1   hello 2 |                after them each chunk is complete on one GPU: a reducer
 *     GPU 0           | world 1
 *
 *   - Sum and count add, max and min take the larger or the smaller; a list is no number, so there
 *     is no ring for it.
 *   - All chunks are as long as that of the reducer with the most words; the others are padded.
 *   - rs_apply folds and rs_simulate times: this file computes neither itself.
 */
#include "systems/mapreduce/mapreduce_steps.h"

#include <stdlib.h>

extern const rs_algorithm rs_ring;

typedef struct ring_job {
    const rs_mr_report *report;
    rs_schedule schedule;
    int64_t count, n_most; /* how many numbers a GPU has, and a chunk */
    int64_t end_ps;
    int64_t *column; /* [n_distinct] each word's number in the arrays */
    void **ranks;    /* [n_ranks] arrays of count numbers */
} ring_job;

static rs_op op_of(rs_mr_op op) {
    return op == RS_MR_MAX ? RS_MAX : op == RS_MR_MIN ? RS_MIN : RS_SUM;
}

/* Returns the number that means "the word is not in this GPU's part". */
static int64_t nothing_of(rs_mr_op op) {
    return op == RS_MR_MAX ? -1 : op == RS_MR_MIN ? INT64_MAX : 0;
}

static void note(void *context, const rs_timed *timed) {
    ring_job *ring = context;
    if (timed->step >= ring->schedule.n_ranks - 1) return;
    if (timed->done_ps > ring->end_ps) ring->end_ps = timed->done_ps;
}

static rs_status time_ring(ring_job *ring, rs_arena *arena, rs_error *error, int64_t *time_ps) {
    rs_outcome outcome;
    const rs_job job = {.schedule = &ring->schedule,
                        .count = ring->count,
                        .elem_bytes = 8,
                        .net = ring->report->request.net};
    const rs_sink sink = {.context = ring, .transfer = note};
    const rs_status status = rs_simulate(&job, RS_ENGINE_AUTO, &sink, arena, error, &outcome);
    if (status == RS_OK) *time_ps = ring->end_ps;
    return status;
}

/* ------------------------------------------------------------------ values */

static rs_status take_arrays(ring_job *ring, rs_arena *arena, rs_error *error) {
    const rs_mr_report *report = ring->report;
    const size_t n = (size_t)report->request.n_ranks;
    int64_t *used = rs_alloc(arena, n, sizeof *used);
    ring->column = rs_alloc(arena, (size_t)report->n_distinct, sizeof *ring->column);
    ring->ranks = rs_alloc(arena, n, sizeof *ring->ranks);
    bool whole = used && ring->column && ring->ranks;
    for (size_t r = 0; whole && r < n; r++) {
        int64_t *numbers = rs_alloc(arena, (size_t)ring->count, sizeof *numbers);
        ring->ranks[r] = numbers;
        whole = numbers != NULL;
        for (int64_t i = 0; whole && i < ring->count; i++) {
            numbers[i] = nothing_of(report->request.op);
        }
    }
    if (!whole) return rs_no_memory(error);
    for (int64_t w = 0; w < report->n_distinct; w++) {
        const int32_t reducer = report->words[w].reducer;
        ring->column[w] = reducer * ring->n_most + used[reducer]++;
    }
    return RS_OK;
}

/* Enters into each GPU's array what its own mapper has found. */
static void enter_pairs(ring_job *ring) {
    const rs_mr_report *report = ring->report;
    const rs_mr_op op = report->request.op;
    for (int64_t i = 0; i < report->n_words; i++) {
        const rs_mr_pair *pair = &report->pairs[i];
        const rs_mr_word key = {.text = report->request.text + pair->place,
                                .n_bytes = pair->n_bytes};
        const rs_mr_word *word = bsearch(&key, report->words, (size_t)report->n_distinct,
                                         sizeof *report->words, rs_mr_by_bytes);
        int64_t *number = (int64_t *)ring->ranks[pair->mapper] + ring->column[word - report->words];
        const bool first = *number == nothing_of(op);
        if (op == RS_MR_SUM || op == RS_MR_COUNT) {
            ++*number;
        } else if (first || op == RS_MR_MAX) {
            *number = pair->value;
        }
    }
}

/* Returns the GPU that owns a chunk after the first half of the ring: the one that receives it in
   the last step. */
static int32_t owner_of(const rs_schedule *schedule, int32_t chunk) {
    rs_transfer t;
    for (int32_t r = 0; r < schedule->n_ranks; r++) {
        const int n = schedule->recvs(schedule, schedule->n_ranks - 2, r, &t);
        if (n == 1 && t.chunk == chunk) return r;
    }
    return 0;
}

static rs_status fold(ring_job *ring, const int32_t owner[], rs_arena *arena, rs_error *error,
                      bool *equal) {
    const rs_mr_report *report = ring->report;
    rs_status status = take_arrays(ring, arena, error);
    if (status != RS_OK) return status;
    enter_pairs(ring);
    const rs_apply_options half = {.until_step = ring->schedule.n_ranks - 1};
    status = rs_apply(&ring->schedule, RS_I64, op_of(report->request.op), ring->count, ring->ranks,
                      &half, arena->host, error);
    *equal = true;
    for (int64_t w = 0; status == RS_OK && w < report->n_distinct; w++) {
        const rs_mr_word *word = &report->words[w];
        const int64_t *numbers = ring->ranks[owner[word->reducer]];
        if (numbers[ring->column[w]] != word->value) *equal = false;
    }
    return status;
}

/* ------------------------------------------------------------------ the whole */

rs_status rs_mr_compare_ring(rs_arena *arena, rs_error *error, rs_mr_report *report) {
    const rs_mr_request *request = &report->request;
    const int32_t n = request->n_ranks;
    ring_job ring = {.report = report};
    if (request->op == RS_MR_LIST || n < 2 || report->n_distinct == 0) return RS_OK;
    for (int32_t r = 0; r < n; r++) {
        if (report->reduced[r] > ring.n_most) ring.n_most = report->reduced[r];
    }
    ring.count = n * ring.n_most;
    rs_status status =
        rs_schedule_make(&rs_ring, request->order, n, ring.count, error, &ring.schedule);
    if (status != RS_OK) return status;
    rs_mr_ring made = {.fits = true, .count = ring.count, .n_sent = (n - 1) * ring.n_most * 8};
    made.owner = rs_alloc(arena, (size_t)n, sizeof *made.owner);
    if (made.owner == NULL) return rs_no_memory(error);
    for (int32_t c = 0; c < n; c++) made.owner[c] = owner_of(&ring.schedule, c);
    status = time_ring(&ring, arena, error, &made.time_ps);
    if (status == RS_OK && report->pairs != NULL && n * ring.count <= RS_MR_FOLDED) {
        status = fold(&ring, made.owner, arena, error, &made.equal);
        made.folded = true;
    }
    if (status == RS_OK) report->ring = made;
    return status;
}
