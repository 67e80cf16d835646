/* train_zero3.c: the passes of zero3 (FSDP) and hsdp, in which weights are gathered bucket after bucket.
 *
 *     forward    computes                 [ 2 ][ 1 ][  0  ]        G gathers a bucket's weights
 *                exchanges        [ G2 ][ G1 ][ G0 ]
 *     backward   computes              [   0   ][   1    ][  2  ]  S reduce-scatters its gradients
 *                exchanges        [ G0 ][ G1 ]  [ S0 ][G2] [ S1 ] [ S2 ]
 *
 *   - Prefetch on: while a bucket computes, the next one's weights are gathered, before the bucket's own gradients
 *     are scattered (torch's BackwardPrefetch.BACKWARD_PRE; its forward pass always does the same). One bucket
 *     ahead, not more.
 *   - Off: a bucket's weights are asked for when the one before has computed, behind its reduce-scatter. Nothing
 *     overlaps.
 *   - After its forward pass a bucket's weights are thrown away, the last one's, too: so the backward pass gathers
 *     all of them again, and a step sends 3 (N-1)/N of the parameters (ZeRO, section 7.2.2). The first gather of
 *     a pass hides behind nothing.
 *   - hsdp: all that inside a node; then each shard's sums are all-reduced between nodes.
 *   - With accumulated batches gradients are scattered after the last one (no_sync).
 */
#include "systems/train/train_time.h"

#include <string.h>

typedef struct passes {
    rs_step_run *run;
    rs_step_time *step;
    rs_forward *forward;    /* [n_ranks] */
    int64_t *gathered_ps;   /* [n_ranks] when the weights asked for last are there */
    int64_t *thread_ps;     /* [n_ranks] */
    rs_train_span *kernels; /* [n_ranks] */
} passes;

/* The layers of bucket b, those without parameters before it included. */
static int32_t first_layer(const rs_step_plan *plan, int32_t b) {
    return b == 0 ? plan->layers->n_layers - 1 : plan->buckets[b - 1].last_layer - 1;
}

static int32_t last_layer(const rs_step_plan *plan, int32_t b) {
    return b == plan->n_buckets - 1 ? 0 : plan->buckets[b].last_layer;
}

/* Asks, now, for a bucket's weights. way: 0 forward, 1 backward. */
static void gather(const passes *p, int32_t bucket, int way) {
    rs_step_run *run = p->run;
    rs_bucket_time *times = p->step->gathers[way];
    rs_exchange(run, &run->parts.gather, RS_WORK_ALL_GATHER, bucket, run->now_ps,
                times != NULL ? &times[bucket] : NULL);
    memcpy(p->gathered_ps, run->network.free_ps,
           (size_t)run->plan->n_ranks * sizeof *p->gathered_ps);
}

static void scatter(const passes *p, int32_t bucket) {
    rs_step_run *run = p->run;
    rs_bucket_time *time = &p->step->buckets[bucket], between = {0};
    rs_exchange(run, &run->parts.scatter, RS_WORK_REDUCE_SCATTER, bucket, run->now_ps, time);
    if (run->parts.between.n_steps == 0) return;
    rs_exchange(run, &run->parts.between, RS_WORK_ALL_REDUCE, bucket, run->network.free_ps,
                &between);
    time->end_ps = between.end_ps;
}

/* Runs all buckets of a pass: the forward pass from the last to the first, the backward pass back. */
static void run_pass(const passes *p, int way, bool sync) {
    rs_step_run *run = p->run;
    const rs_step_plan *plan = run->plan;
    const int32_t n = plan->n_ranks, n_buckets = plan->n_buckets;
    for (int32_t i = 0; i < n_buckets && rs_step_goes_on(run, i, n_buckets); i++) {
        const int32_t b = way == 0 ? n_buckets - 1 - i : i, next = way == 0 ? b - 1 : b + 1;
        const bool more = i + 1 < n_buckets;
        if (i == 0) gather(p, b, way);
        rs_wait_for(run, p->gathered_ps);
        if (more && plan->overlap) gather(p, next, way);
        for (int32_t r = 0; r < n && run->status == RS_OK; r++) {
            if (way == 0) {
                rs_run_layers(run, &p->forward[r], last_layer(plan, b), first_layer(plan, b) + 1,
                              b);
            } else {
                rs_run_back(run, r, first_layer(plan, b), last_layer(plan, b), b);
            }
        }
        if (way == 1 && sync && run->status == RS_OK) scatter(p, b);
        if (more && !plan->overlap) gather(p, next, way);
    }
}

void rs_run_zero3(rs_step_run *run, rs_step_time *step) {
    const rs_step_plan *plan = run->plan;
    const size_t n = (size_t)plan->n_ranks;
    rs_arena scratch;
    rs_arena_init(&scratch, run->arena->host);
    const passes p = {.run = run,
                      .step = step,
                      .forward = rs_alloc(&scratch, n, sizeof *p.forward),
                      .gathered_ps = rs_alloc(&scratch, n, sizeof *p.gathered_ps),
                      .thread_ps = rs_alloc(&scratch, n, sizeof *p.thread_ps),
                      .kernels = rs_alloc(&scratch, n, sizeof *p.kernels)};
    if (p.forward == NULL || p.gathered_ps == NULL || p.thread_ps == NULL || p.kernels == NULL) {
        run->status = rs_no_memory(run->error);
    }
    for (int32_t k = 0; k < plan->accumulate && run->status == RS_OK; k++) {
        for (int32_t r = 0; r < plan->n_ranks; r++) {
            p.forward[r] = rs_begin_forward(run, r, r, &p.thread_ps[r], &p.kernels[r]);
        }
        run_pass(&p, 0, false);
        run_pass(&p, 1, k == plan->accumulate - 1);
    }
    if (run->status == RS_OK) rs_wait_for(run, NULL);
    rs_arena_free(&scratch);
}
