/* ddp_cases.c: what ddp minds: a layer that is not used, buffers, a rank that has no batch any more.
 *
 *     unused     [ 0 ][ 1 ][ - ][ 3 ]         bucket 2 is never ready, and 3 must not overtake it
 *     broadcast  (buffers)[ forward ][ backward ]
 *     sync       [ forw(S)ard (S)  ][ back(S)ward ]    behind the buckets that are on their way: one network carries all
 *     join       (who?)(sync?)[ forward ][ backward ]  a rank without a batch answers each all-reduce with zeros
 *
 *   - torch/csrc/distributed/c10d/reducer.cpp: a bucket is all-reduced when each of its parameters has its gradient, and
 *     never before the bucket in front of it; find_unused_parameters takes unused parameters as ready, and all-reduces
 *     a map of them, one int32 a tensor. The walk through the graph that finds them is not timed.
 *   - torch/distributed/algorithms/join.py and distributed.py: under Join all ranks all-reduce two single numbers a step:
 *     who has a batch, and whether this step exchanges gradients.
 *   - torch/nn/modules/_functions.py: SyncBatchNorm gathers each rank's mean, deviation and count, 2 C + 1 numbers, in the forward
 *     pass, and all-reduces 2 C in the backward pass; the layer waits for both.
 *   - Buffers travel by a tree, statistics are gathered in a ring.
 */
#include "systems/train/train_time.h"

const rs_ddp_case rs_ddp_usual = {.unused = -1, .unused_rank = -1, .ended_rank = -1};

static const rs_ddp_case *case_of(const rs_step_plan *plan) {
    return plan->ddp != NULL ? plan->ddp : &rs_ddp_usual;
}

int32_t rs_stuck_bucket(const rs_step_plan *plan) {
    const rs_ddp_case *ddp = case_of(plan);
    if (ddp->ended_rank >= 0 && !ddp->join) return 0;
    for (int32_t b = 0; b < plan->n_buckets && ddp->unused >= 0 && !ddp->find_unused; b++) {
        if (ddp->unused >= plan->buckets[b].last_layer) return b;
    }
    return plan->n_buckets;
}

int32_t rs_waits_for(const rs_step_plan *plan) {
    const rs_ddp_case *ddp = case_of(plan);
    if (rs_stuck_bucket(plan) == plan->n_buckets) return -1;
    return ddp->ended_rank >= 0 ? ddp->ended_rank : ddp->unused_rank;
}

static int32_t count_normed(const rs_layers *layers) {
    int32_t n = 0;
    for (int32_t i = 0; i < layers->n_layers; i++) n += layers->items[i].buffers > 0;
    return n;
}

int64_t rs_count_extra(const rs_step_plan *plan) {
    const rs_ddp_case *ddp = case_of(plan);
    return (ddp->join ? 2 : 0) + ddp->find_unused + (ddp->buffers == RS_BUFFERS_BROADCAST) +
           (ddp->buffers == RS_BUFFERS_SYNC ? 2 * (int64_t)count_normed(plan->layers) : 0);
}

/* Exchanges `count` elements, for which all wait. */
static void run_extra(rs_step_run *run, const rs_schedule *schedule, int64_t count) {
    const int32_t n = run->plan->n_ranks;
    if (n < 2 || run->status != RS_OK) return;
    rs_exchange_count(run, schedule, RS_WORK_EXTRA, -1, count, run->now_ps, NULL);
    for (int32_t r = 0; r < n && run->status == RS_OK;
         r++) { /* those of gradients have their own sums */
        rs_network *net = &run->network;
        net->busy_ps[r] -= net->free_ps[r] - net->join_ps[r];
        if (net->free_ps[r] <= run->now_ps[r]) continue;
        run->extra_ps[r] += net->free_ps[r] - run->now_ps[r];
        run->now_ps[r] = net->free_ps[r];
    }
    run->n_extra++;
    run->extra_bytes += count * RS_ELEMENT_BYTES;
}

/* Makes a schedule for any count of another collective. */
static const rs_schedule *schedule_of(rs_step_run *run, rs_collective of, const char *name,
                                      rs_schedule *schedule) {
    const rs_order order = of == RS_COLL_ALL_GATHER ? RS_ORDER_NCCL : RS_ORDER_SEED;
    if (run->status == RS_OK) {
        run->status = rs_schedule_make(rs_find_algorithm(of, name), order, run->plan->n_ranks, 1,
                                       run->error, schedule);
    }
    return schedule;
}

void rs_run_extra_before(rs_step_run *run) {
    rs_schedule tree;
    for (int i = 0; i < 2 && run->ddp->join; i++) run_extra(run, run->plan->schedule, 1);
    if (run->ddp->buffers != RS_BUFFERS_BROADCAST) return;
    run_extra(run, schedule_of(run, RS_COLL_BROADCAST, "tree", &tree), run->plan->layers->buffers);
}

void rs_run_extra_after(rs_step_run *run) {
    if (run->ddp->find_unused) run_extra(run, run->plan->schedule, run->plan->layers->n_layers);
}

void rs_run_stuck(rs_step_run *run) {
    const rs_step_plan *plan = run->plan;
    const rs_network *net = &run->network;
    const int32_t n = plan->n_ranks, stuck = rs_stuck_bucket(plan), guilty = rs_waits_for(plan);
    const int64_t end_ps = rs_last_ps(run, run->now_ps);
    for (int32_t r = 0; r < n && run->status == RS_OK; r++) {
        const int64_t found = run->ready_ps[(int64_t)stuck * n + r];
        const int64_t join = found > net->free_ps[r] ? found : net->free_ps[r];
        if (r == guilty || join > end_ps) continue;
        rs_note_piece(run, (rs_train_span){RS_LANE_NETWORK, RS_WORK_WAIT, r, stuck, join, end_ps});
    }
}

/* Runs the layers from..to of the backward pass on all ranks. */
static void run_back(rs_step_run *run, int32_t from, int32_t to, int32_t bucket) {
    for (int32_t r = 0; r < run->plan->n_ranks; r++) {
        rs_run_back(run, r, from, to, bucket);
        if (bucket == run->plan->n_buckets) continue;
        run->ready_ps[(int64_t)bucket * run->plan->n_ranks + r] = run->now_ps[r];
    }
}

static void run_synced_back(rs_step_run *run, rs_bucket_time times[]) {
    const rs_step_plan *plan = run->plan;
    const rs_layer *layers = plan->layers->items;
    int32_t from = plan->layers->n_layers - 1, bucket = 0;
    for (int32_t i = from; i >= 0 && run->status == RS_OK; i--) {
        const bool full = bucket < plan->n_buckets && plan->buckets[bucket].last_layer == i;
        if (!full && layers[i].buffers == 0 && i > 0) continue;
        run_back(run, from, i, bucket);
        from = i - 1;
        if (layers[i].buffers > 0) run_extra(run, plan->schedule, layers[i].buffers);
        if (!full) continue;
        const int64_t *found_ps = run->ready_ps + (int64_t)bucket * plan->n_ranks;
        if (plan->overlap) {
            rs_exchange(run, plan->schedule, RS_WORK_ALL_REDUCE, bucket, found_ps, &times[bucket]);
        }
        bucket++;
    }
    if (plan->overlap) rs_wait_for(run, NULL);
}

void rs_run_synced(rs_step_run *run, rs_bucket_time times[]) {
    const rs_step_plan *plan = run->plan;
    const rs_layer *layers = plan->layers->items;
    const int32_t n = plan->n_ranks, n_layers = plan->layers->n_layers;
    rs_arena scratch;
    rs_schedule ring;
    rs_arena_init(&scratch, run->arena->host);
    rs_forward *forward = rs_alloc(&scratch, (size_t)n, sizeof *forward);
    int64_t *thread_ps = rs_alloc(&scratch, (size_t)n, sizeof *thread_ps);
    rs_train_span *kernels = rs_alloc(&scratch, (size_t)n, sizeof *kernels);
    if (scratch.lacked) run->status = rs_no_memory(run->error);
    schedule_of(run, RS_COLL_ALL_GATHER, "ring", &ring);
    for (int32_t r = 0; r < n && run->status == RS_OK; r++) {
        forward[r] = rs_begin_forward(run, r, r, &thread_ps[r], &kernels[r]);
    }
    for (int32_t i = 0, from = 0; i < n_layers && run->status == RS_OK; i++) {
        const bool normed = layers[i].buffers > 0;
        if (!normed && i + 1 < n_layers) continue;
        for (int32_t r = 0; r < n; r++) rs_run_layers(run, &forward[r], from, i + 1, 0);
        from = i + 1;
        if (normed) run_extra(run, &ring, (layers[i].buffers + 1) * n);
    }
    if (run->status == RS_OK) run_synced_back(run, times);
    rs_arena_free(&scratch);
}
