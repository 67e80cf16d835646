/* train_time.c: when each GPU does what in a step of ddp, or of replicas that never exchange
 * anything; and what lies in its memory.
 *
 *     GPU 0 computes   [ forward ][ backward: bucket 0 ][ bucket 1 ][ bucket 2 ]          [update]
 *     GPU 0 exchanges                               [all-reduce 0][all-reduce 1] [all-reduce 2]
 *
 *   - A rank joins a bucket's all-reduce when its part is there and its last all-reduce is over;
 *     the simulator gets the late ranks as faults, and says when each rank is done.
 *   - The exchange does not slow computing down, though on real GPUs it does a little.
 *   - Each rank has its own Python, batches and loss; the time of the loss belongs to the last
 *     layer.
 */
#include "systems/train/train_time.h"

#include <assert.h>
#include <string.h>

/* Notes an exchange: a rank waits until the last one comes; then the exchange runs. */
static void note_exchange(rs_step_run *run, int32_t bucket, const int64_t join_ps[],
                          const int64_t end_ps[]) {
    const int64_t all_ps = rs_last_ps(run, join_ps);
    for (int32_t r = 0; r < run->plan->n_ranks; r++) {
        const int64_t start = all_ps < end_ps[r] ? all_ps : end_ps[r];
        rs_note_piece(run,
                      (rs_train_span){RS_LANE_NETWORK, RS_WORK_WAIT, r, bucket, join_ps[r], start});
        rs_note_piece(
            run, (rs_train_span){RS_LANE_NETWORK, RS_WORK_ALL_REDUCE, r, bucket, start, end_ps[r]});
    }
}

/* Exchanges all buckets, one after another; the ranks' updates wait for the last. `busy_ps` counts
   each rank's exchanges. */
static void exchange_all(rs_step_run *run, rs_bucket_time times[], int64_t busy_ps[]) {
    const rs_step_plan *plan = run->plan;
    const int32_t n = plan->n_ranks;
    int64_t *free_ps = rs_alloc(run->arena, (size_t)n, sizeof *free_ps);
    int64_t *join_ps = rs_alloc(run->arena, (size_t)n, sizeof *join_ps);
    if (free_ps == NULL || join_ps == NULL) {
        run->status = rs_fail(run->error, RS_NO_MEMORY, "no memory for the exchange");
    }
    for (int32_t b = 0; b < plan->n_buckets && run->status == RS_OK; b++) {
        const int64_t *ready_ps = run->ready_ps + (int64_t)b * n;
        for (int32_t r = 0; r < n; r++) {
            const int64_t ready = plan->overlap ? ready_ps[r] : run->now_ps[r];
            join_ps[r] = ready > free_ps[r] ? ready : free_ps[r];
            free_ps[r] = join_ps[r];
        }
        rs_join(run, plan->schedule, plan->buckets[b].count, NULL, free_ps);
        if (run->status != RS_OK) return;
        note_exchange(run, b, join_ps, free_ps);
        for (int32_t r = 0; r < n; r++) busy_ps[r] += free_ps[r] - join_ps[r];
        times[b] = (rs_bucket_time){rs_last_ps(run, ready_ps), rs_last_ps(run, join_ps),
                                    rs_last_ps(run, free_ps)};
    }
    for (int32_t r = 0; r < n && run->status == RS_OK; r++) {
        if (run->now_ps[r] < free_ps[r]) run->now_ps[r] = free_ps[r];
    }
}

/* ------------------------------------------------------------------ memory */

static void fill_memory(const rs_step_plan *plan, rs_memory memory[]) {
    const rs_layers *layers = plan->layers;
    const int64_t model = layers->parameters * RS_ELEMENT_BYTES;
    int64_t all_samples = 0;
    for (int32_t r = 0; r < plan->n_ranks; r++) all_samples += plan->batch[r];
    for (int32_t r = 0; r < plan->n_ranks; r++) {
        const int64_t own = plan->batch[r] * RS_ELEMENT_BYTES;
        rs_memory *m = &memory[r];
        *m = (rs_memory){.weights = model,
                         .gradients = model,
                         .activations = own * layers->activations,
                         .data = own * layers->input};
        const bool exchanges = plan->n_ranks > 1 && plan->mode != RS_NONE;
        if (plan->mode == RS_DDP && exchanges) m->buckets = model;
        if (plan->mode != RS_DP || !exchanges) continue;
        /* outputs and their gradients; GPU 0 has everybody's, the whole batch, and what arrives */
        m->data += 2 * own * layers->output;
        if (r > 0) continue;
        m->buckets = model;
        m->data = RS_ELEMENT_BYTES * all_samples * (layers->input + 2 * layers->output);
    }
}

/* ------------------------------------------------------------------ a step */

/* Refuses a step with more samples than int64_t can count the bytes of. */
static rs_status check_size(const rs_step_plan *plan, rs_error *error) {
    const rs_layers *layers = plan->layers;
    const int64_t each = layers->activations + layers->input + 2 * layers->output + 1;
    int64_t samples = 1;
    for (int32_t r = 0; r < plan->n_ranks; r++) samples += plan->batch[r];
    if (each <= INT64_MAX / 8 / RS_ELEMENT_BYTES / samples) return RS_OK;
    return rs_fail(error, RS_TOO_LARGE,
                   "%lld samples a step are more than can be counted; take a smaller batch",
                   (long long)samples - 1);
}

static int by_start(const rs_train_span *x, const rs_train_span *y) {
    if (x->start_ps != y->start_ps) return x->start_ps < y->start_ps ? -1 : 1;
    if (x->lane != y->lane) return x->lane < y->lane ? -1 : 1;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return x->end_ps < y->end_ps ? -1 : x->end_ps > y->end_ps;
}

/* Merges two sorted lists that lie side by side; of equals those of the first come first. */
static void merge(const rs_train_span *a, int64_t n_a, int64_t n_b, rs_train_span *to) {
    const rs_train_span *b = a + n_a, *const end_a = b, *const end_b = b + n_b;
    while (a < end_a && b < end_b) *to++ = by_start(a, b) <= 0 ? *a++ : *b++;
    while (a < end_a) *to++ = *a++;
    while (b < end_b) *to++ = *b++;
}

/* Sorts the pieces by start; those of one time and place stay in order, on every system. Ends early
   if the run is stopped. */
static void sort_pieces(rs_step_run *run) {
    enum { MANY = 1 << 12 }; /* merging fewer takes no time */
    const int64_t n = run->n_pieces;
    rs_train_span *from = run->pieces, *to;
    if (n < 2) return;
    to = rs_alloc(run->arena, (size_t)n, sizeof *to);
    if (to == NULL) {
        run->status = rs_fail(run->error, RS_NO_MEMORY, "no memory to sort %lld pieces of work",
                              (long long)n);
    }
    for (int64_t width = 1; run->status == RS_OK && width < n; width *= 2) {
        for (int64_t at = 0; at < n; at += 2 * width) {
            if (width >= MANY && !rs_step_goes_on(run, 0, 0)) return;
            const int64_t n_a = n - at < width ? n - at : width;
            const int64_t n_b = n - at - n_a < width ? n - at - n_a : width;
            merge(from + at, n_a, n_b, to + at);
        }
        rs_train_span *const swap = from;
        from = to;
        to = swap;
    }
    run->pieces = from;
}

/* Counts the pieces of work that a step may note at the most. */
static int64_t most_pieces(const rs_step_plan *plan) {
    const int64_t n = plan->n_ranks, n_layers = plan->layers->n_layers, passes = plan->accumulate;
    const bool dp = plan->mode == RS_DP && n > 1, ddp = plan->mode == RS_DDP && n > 1;
    /* Python, its hold of the lock, the kernel; under dp also the wait for the lock. */
    const int64_t forward = plan->python.num > 0 ? (dp ? 4 : 3) * n_layers : 1;
    const int64_t exchanges =
        ddp ? 3 * (int64_t)plan->n_buckets : 0;           /* backward, wait, all-reduce */
    const int64_t stars = dp ? passes * (10 * n + 1) : 0; /* both ends of five kinds; the loss */
    return n * (passes * (forward + 1) + exchanges + 1) + stars;
}

double rs_step_bytes(const rs_step_plan *plan) {
    const double n = plan->n_ranks, n_buckets = plan->n_buckets;
    const double pieces = plan->keep_pieces ? (double)most_pieces(plan) : 0;
    const double sorting = 2; /* it takes a copy */
    return sorting * pieces * sizeof(rs_train_span) + n * (n_buckets + 8) * sizeof(int64_t) +
           n * sizeof(rs_memory) + n_buckets * sizeof(rs_bucket_time);
}

static bool begin(rs_step_run *run, rs_step_time *step) {
    const rs_step_plan *plan = run->plan;
    const size_t n = (size_t)plan->n_ranks;
    run->now_ps = rs_alloc(run->arena, n, sizeof *run->now_ps);
    run->compute_ps = rs_alloc(run->arena, n, sizeof *run->compute_ps);
    run->forward_ps = rs_alloc(run->arena, n, sizeof *run->forward_ps);
    run->backward_ps = rs_alloc(run->arena, n, sizeof *run->backward_ps);
    run->ready_ps = rs_alloc(run->arena, n * (size_t)plan->n_buckets + 1, sizeof *run->ready_ps);
    step->memory = rs_alloc(run->arena, n, sizeof *step->memory);
    step->buckets = rs_alloc(run->arena, (size_t)plan->n_buckets + 1, sizeof *step->buckets);
    if (plan->keep_pieces) {
        run->capacity = most_pieces(plan);
        run->pieces = rs_alloc(run->arena, (size_t)run->capacity, sizeof *run->pieces);
        if (run->pieces == NULL) {
            run->status = rs_fail(run->error, RS_NO_MEMORY, "no memory for the step's timeline");
            return false;
        }
    }
    if (run->now_ps != NULL && run->compute_ps != NULL && run->forward_ps != NULL &&
        run->backward_ps != NULL && run->ready_ps != NULL && step->memory != NULL &&
        step->buckets != NULL) {
        return true;
    }
    run->status = rs_fail(run->error, RS_NO_MEMORY, "no memory for the step");
    return false;
}

/* Runs a step of ddp or none: passes, exchange, update. */
static void run_step(rs_step_run *run, rs_step_time *step) {
    const rs_step_plan *plan = run->plan;
    const int32_t n = plan->n_ranks;
    const bool exchanges = plan->mode == RS_DDP && n > 1;
    for (int32_t r = 0; r < n; r++) {
        for (int32_t k = 0; k < plan->accumulate && rs_step_goes_on(run, r, n); k++) {
            rs_run_forward(run, r, r, k);
            rs_run_backward(run, r, k, exchanges && k == plan->accumulate - 1);
        }
    }
    int64_t *busy_ps = rs_alloc(run->arena, (size_t)n, sizeof *busy_ps);
    int64_t *before_ps = rs_alloc(run->arena, (size_t)n, sizeof *before_ps);
    if (busy_ps == NULL || before_ps == NULL) {
        run->status = rs_fail(run->error, RS_NO_MEMORY, "no memory for the step");
    }
    if (run->status != RS_OK) return;
    memcpy(before_ps, run->now_ps, (size_t)n * sizeof *before_ps);
    if (exchanges) exchange_all(run, step->buckets, busy_ps);
    int32_t slowest = 0;
    for (int32_t r = 0; r < n && run->status == RS_OK; r++) {
        before_ps[r] = run->now_ps[r] - before_ps[r];
        const int64_t start = run->now_ps[r];
        rs_run_update(run, r);
        run->compute_ps[r] = run->now_ps[r] - start;
        if (run->now_ps[r] > run->now_ps[slowest]) slowest = r;
    }
    step->step_ps = run->now_ps[slowest];
    step->forward_ps = run->forward_ps[slowest];
    step->backward_ps = run->backward_ps[slowest];
    step->update_ps = run->compute_ps[slowest];
    step->exchange_ps = busy_ps[slowest];
    step->exposed_ps = before_ps[slowest];
}

static void run_dp(rs_step_run *run, rs_step_time *step) {
    rs_run_dp(run, &step->exchange_ps);
    step->step_ps = run->now_ps[0];
    step->forward_ps = run->forward_ps[0];
    step->backward_ps = run->backward_ps[0];
    step->update_ps = run->compute_ps[0];
    step->exposed_ps =
        step->exchange_ps; /* nothing is hidden: GPU 0 does one thing after another */
}

rs_status rs_time_step(const rs_step_plan *plan, rs_arena *arena, rs_error *error,
                       rs_step_time *step) {
    assert(plan->n_ranks >= 1 && plan->n_ranks <= RS_MAX_TRAIN_RANKS && plan->accumulate >= 1);
    assert(plan->flops_per_s >= 1 && plan->layers->n_layers >= 1);
    rs_step_run run = {.plan = plan, .arena = arena, .error = error};
    rs_step_time made = {0};
    const rs_status status = check_size(plan, error);
    if (status != RS_OK) return status;
    if (begin(&run, &made)) {
        if (plan->mode == RS_DP && plan->n_ranks > 1) {
            run_dp(&run, &made);
        } else {
            run_step(&run, &made);
        }
    }
    if (run.status != RS_OK) return run.status;
    sort_pieces(&run);
    if (run.status != RS_OK) return run.status;
    fill_memory(plan, made.memory);
    made.pieces = run.pieces;
    made.n_pieces = run.n_pieces;
    made.gil_ps = run.gil_ps;
    *step = made;
    return RS_OK;
}
