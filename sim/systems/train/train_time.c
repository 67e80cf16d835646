/* train_time.c: when each GPU does what in a step of ddp, of zero1 and zero2, or of replicas that never exchange
 * anything.
 *
 *     GPU 0 computes   [ forward ][ backward: bucket 0 ][ bucket 1 ][ bucket 2 ]          [update]
 *     GPU 0 exchanges                               [all-reduce 0][all-reduce 1] [all-reduce 2]
 *
 *     zero1, zero2     ... [ bucket 2 ]                     [update]
 *                      ...  [reduce-scatter 1][reduce-scatter 2]    [all-gather 0][all-gather 1][all-gather 2]
 *
 *   - A rank joins a bucket's all-reduce when its part is there and its last all-reduce is over;
 *     the simulator gets the late ranks as faults, and says when each rank is done.
 *   - The exchange does not slow computing down, though on real GPUs it does a little.
 *   - Each rank has its own Python, batches and loss; the time of the loss belongs to the last
 *     layer.
 */
#include "systems/train/train_time.h"

#include <assert.h>

/* Exchanges the gradients of all buckets, one after another; each rank waits for the last. */
static void exchange_all(rs_step_run *run, rs_bucket_time times[]) {
    const rs_step_plan *plan = run->plan;
    const bool sharded = rs_sharers(plan->mode, plan->schedule) > 1;
    const rs_schedule *schedule = sharded ? &run->parts.scatter : plan->schedule;
    const rs_work work = sharded ? RS_WORK_REDUCE_SCATTER : RS_WORK_ALL_REDUCE;
    const int32_t stuck = rs_stuck_bucket(plan);
    for (int32_t b = 0; b < stuck; b++) {
        const int64_t *found_ps = run->ready_ps + (int64_t)b * plan->n_ranks;
        rs_exchange(run, schedule, work, b, plan->overlap ? found_ps : run->now_ps, &times[b]);
        times[b].ready_ps = rs_last_ps(run, found_ps);
    }
    for (int32_t b = stuck; b < plan->n_buckets; b++) times[b] = (rs_bucket_time){-1, -1, -1};
    rs_wait_for(run, NULL);
}

/* zero1, zero2: gathers the updated weights, for which all wait. */
static void gather_all(rs_step_run *run, rs_bucket_time times[]) {
    for (int32_t b = 0; b < run->plan->n_buckets; b++) {
        rs_exchange(run, &run->parts.gather, RS_WORK_ALL_GATHER, b, run->now_ps, &times[b]);
    }
    rs_wait_for(run, NULL);
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
    enum { MANY = 1 << 13 }; /* merging so many takes no time */
    const int64_t n = run->n_pieces;
    rs_train_span *from = run->pieces, *to;
    if (n < 2) return;
    to = rs_alloc(run->arena, (size_t)n, sizeof *to);
    if (to == NULL) {
        run->status = rs_no_memory(run->error);
    }
    for (int64_t width = 1; run->status == RS_OK && width < n; width *= 2) {
        for (int64_t at = 0; at < n; at += 2 * width) {
            if (at % MANY == 0 && !rs_step_goes_on(run, 0, 0)) return;
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

static bool is_sharded(const rs_step_plan *plan) {
    return rs_sharers(plan->mode, plan->schedule) > 1 && plan->n_buckets > 0;
}

/* Tells whether the passes themselves gather weights; hsdp with nodes of one GPU has nothing to gather. */
static bool is_zero3(const rs_step_plan *plan) {
    return rs_shards_weights(plan->mode) && plan->n_ranks > 1 && plan->n_buckets > 0;
}

static bool exchanges(const rs_step_plan *plan) {
    return plan->n_ranks > 1 && plan->mode != RS_NONE && plan->mode != RS_DP;
}

/* Counts the pieces of work that a step may note at the most. */
static int64_t most_pieces(const rs_step_plan *plan) {
    const int64_t n = plan->n_ranks, n_layers = plan->layers->n_layers, passes = plan->accumulate;
    const bool dp = plan->mode == RS_DP && n > 1;
    const int64_t units = is_zero3(plan) ? plan->n_buckets : 0;
    /* Python, its hold of the lock, the kernel; under dp also the wait for the lock. */
    const int64_t forward = plan->python.num > 0 ? (dp ? 4 : 3) * n_layers : 1;
    const int64_t kinds = is_zero3(plan) || is_sharded(plan) ? 2 : 1; /* each a wait, an exchange */
    const int64_t rounds = plan->ddp != NULL && plan->ddp->every_batch ? passes : 1;
    const int64_t buckets =
        exchanges(plan) ? rounds * (1 + 2 * kinds) * (int64_t)plan->n_buckets : 0;
    const int64_t extra = 3 * rs_count_extra(plan); /* a piece of a pass, a wait, an exchange */
    const int64_t gathers = units * 6; /* both passes: a piece of it, a wait, an exchange */
    const int64_t stars = dp ? passes * (10 * n + 1) : 0; /* both ends of five kinds; the loss */
    return n * (passes * (forward + 1 + gathers) + buckets + extra + 1) + stars;
}

double rs_step_bytes(const rs_step_plan *plan) {
    const double n = plan->n_ranks, n_buckets = plan->n_buckets;
    const double pieces = plan->keep_pieces ? (double)most_pieces(plan) : 0;
    const double sorting = 2; /* it takes a copy */
    return sorting * pieces * sizeof(rs_train_span) + n * (n_buckets + 11) * sizeof(int64_t) +
           n * sizeof(rs_memory) + 3 * n_buckets * sizeof(rs_bucket_time);
}

static bool take(rs_step_run *run, int64_t **list) {
    *list = rs_alloc(run->arena, (size_t)run->plan->n_ranks, sizeof **list);
    return *list != NULL;
}

static bool begin(rs_step_run *run, rs_step_time *step) {
    const rs_step_plan *plan = run->plan;
    const size_t n = (size_t)plan->n_ranks, n_buckets = (size_t)plan->n_buckets;
    rs_network *net = &run->network;
    bool room = take(run, &run->now_ps) && take(run, &run->compute_ps) &&
                take(run, &run->forward_ps) && take(run, &run->backward_ps) &&
                take(run, &run->waits_ps) && take(run, &run->sent_bytes) &&
                take(run, &run->extra_ps) && take(run, &net->free_ps) && take(run, &net->join_ps) &&
                take(run, &net->busy_ps);
    run->ready_ps = rs_alloc(run->arena, n * n_buckets + 1, sizeof *run->ready_ps);
    step->memory = rs_alloc(run->arena, n, sizeof *step->memory);
    step->buckets = rs_alloc(run->arena, n_buckets + 1, sizeof *step->buckets);
    room = room && run->ready_ps != NULL && step->memory != NULL && step->buckets != NULL;
    const int n_gathers = !is_sharded(plan) ? 0 : is_zero3(plan) ? 2 : 1;
    for (int i = 0; i < n_gathers && room; i++) {
        step->gathers[i] = rs_alloc(run->arena, n_buckets, sizeof *step->gathers[i]);
        room = step->gathers[i] != NULL;
    }
    if (plan->keep_pieces && room) {
        run->capacity = most_pieces(plan);
        run->pieces = rs_alloc(run->arena, (size_t)run->capacity, sizeof *run->pieces);
        room = run->pieces != NULL;
    }
    if (!room) run->status = rs_no_memory(run->error);
    if (room && (is_sharded(plan) || is_zero3(plan))) rs_take_apart(plan->schedule, &run->parts);
    return room;
}

/* Runs passes first..end-1 of ddp, zero1, zero2 or none, and the exchange of what they find. */
static void run_passes(rs_step_run *run, int32_t first, int32_t end, rs_step_time *step) {
    const rs_step_plan *plan = run->plan;
    const int32_t n = plan->n_ranks;
    for (int32_t r = 0; r < n; r++) {
        for (int32_t b = 0; b < plan->n_buckets; b++)
            run->ready_ps[b * (int64_t)n + r] = run->now_ps[r];
        if (r == run->ddp->ended_rank) continue;
        for (int32_t k = first; k < end && rs_step_goes_on(run, r, n); k++) {
            rs_run_forward(run, r, r, k);
            rs_run_backward(run, r, k, exchanges(plan) && k == end - 1);
        }
    }
    if (exchanges(plan) && run->status == RS_OK) exchange_all(run, step->buckets);
}

/* ddp, zero1, zero2, none: all passes, and what ddp's case adds. */
static void run_all_passes(rs_step_run *run, rs_step_time *step) {
    const int32_t n = run->plan->accumulate;
    rs_run_extra_before(run);
    if (run->ddp->buffers == RS_BUFFERS_SYNC) {
        rs_run_synced(run, step->buckets);
        if (!run->plan->overlap && run->status == RS_OK) exchange_all(run, step->buckets);
    } else {
        const int32_t each = run->ddp->every_batch ? 1 : n;
        for (int32_t k = 0; k < n && run->status == RS_OK; k += each) {
            run_passes(run, k, k + each, step);
        }
    }
    rs_run_extra_after(run);
}

/* Runs a step of all modes but dp: passes, exchange, update. */
static void run_step(rs_step_run *run, rs_step_time *step) {
    const rs_step_plan *plan = run->plan;
    const int32_t n = plan->n_ranks;
    if (is_zero3(plan)) {
        rs_run_zero3(run, step);
    } else {
        run_all_passes(run, step);
    }
    const bool ends = rs_waits_for(plan) < 0;
    if (!ends) rs_run_stuck(run);
    for (int32_t r = 0; r < n && run->status == RS_OK && ends; r++) {
        const int64_t start = run->now_ps[r];
        rs_run_update(run, r);
        run->compute_ps[r] = run->now_ps[r] - start;
    }
    if (is_sharded(plan) && !is_zero3(plan)) gather_all(run, step->gathers[0]);
    if (run->status != RS_OK) return;
    int32_t slowest = 0;
    for (int32_t r = 0; r < n; r++) {
        if (run->now_ps[r] > run->now_ps[slowest]) slowest = r;
    }
    step->step_ps = run->now_ps[slowest];
    step->forward_ps = run->forward_ps[slowest];
    step->backward_ps = run->backward_ps[slowest];
    step->update_ps = run->compute_ps[slowest];
    step->exchange_ps = run->network.busy_ps[slowest];
    step->exposed_ps = run->waits_ps[slowest];
    step->extra_ps = run->extra_ps[slowest];
}

static void run_dp(rs_step_run *run, rs_step_time *step) {
    rs_run_dp(run, &step->exchange_ps);
    step->step_ps = run->now_ps[0];
    step->forward_ps = run->forward_ps[0];
    step->backward_ps = run->backward_ps[0];
    step->update_ps = run->compute_ps[0];
    /* nothing is hidden: GPU 0 does one thing after another */
    step->exposed_ps = step->exchange_ps;
}

rs_status rs_time_step(const rs_step_plan *plan, rs_arena *arena, rs_error *error,
                       rs_step_time *step) {
    assert(plan->n_ranks >= 1 && plan->n_ranks <= RS_MAX_TRAIN_RANKS && plan->accumulate >= 1);
    assert(plan->flops_per_s >= 1 && plan->layers->n_layers >= 1);
    rs_step_run run = {.plan = plan,
                       .arena = arena,
                       .error = error,
                       .ddp = plan->ddp != NULL ? plan->ddp : &rs_ddp_usual};
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
    rs_fill_memory(plan, made.buckets, made.memory);
    made.sent_bytes = run.sent_bytes;
    made.pieces = run.pieces;
    made.n_pieces = run.n_pieces;
    made.gil_ps = run.gil_ps;
    made.n_exchanged = rs_stuck_bucket(plan);
    made.n_extra = run.n_extra;
    made.extra_bytes = run.extra_bytes;
    *step = made;
    return RS_OK;
}
