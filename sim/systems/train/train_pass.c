/* train_pass.c: one pass through the layers: kernels on a GPU, started by a thread of Python.
 *
 *     thread 0   |PP|..|PP|..            P: holds the lock and runs Python; kernels need none
 *     thread 1   ..|PP|..|PP|            .: waits for the lock
 *     GPU 0        [kernel 1][kernel 2]
 *     GPU 1           [kernel 1][kernel 2]
 *
 *   - In the forward pass each layer costs the same Python, python x (forward + backward of GPU 0)
 *     / layers, and then a kernel: the thread does not wait for it.
 *   - Threads of one process take turns at the lock, first come first served; each process has a
 *     lock of its own.
 *   - Compiled code, which needs no lock, runs the backward pass.
 */
#include "systems/train/train_time.h"

#include <assert.h>

static const int64_t most_ps = (int64_t)1 << 53;

void rs_note_piece(rs_step_run *run, rs_train_span piece) {
    assert(piece.start_ps <= piece.end_ps);
    if (!run->plan->keep_pieces || piece.start_ps == piece.end_ps || run->status != RS_OK) return;
    assert(run->n_pieces < run->capacity);
    run->pieces[run->n_pieces++] = piece;
}

/* Returns the time if a step may last so long; else fails. */
static int64_t timed(rs_step_run *run, int64_t ps) {
    if (ps >= 0 && ps <= most_ps) return ps;
    if (run->status == RS_OK) {
        run->status =
            rs_fail(run->error, RS_TOO_LARGE,
                    "the step takes more than 2^53 ps, two and a half hours: too long to be "
                    "timed exactly; take fewer samples or faster GPUs");
    }
    return 0;
}

int64_t rs_flops_ps(rs_step_run *run, int32_t rank, int64_t flops) {
    const rs_step_plan *plan = run->plan;
    const rs_ratio slow = plan->slowness == NULL ? (rs_ratio){1, 1} : plan->slowness[rank];
    return timed(run, rs_wire_ps(flops, plan->flops_per_s, slow.num, slow.den));
}

/* Returns the time of a layer for a rank's samples; a product that would overflow becomes too long
   to time. */
static int64_t layer_ps(rs_step_run *run, int32_t rank, int32_t layer, int32_t times) {
    const int64_t flops = run->plan->layers->items[layer].flops;
    const int64_t samples = run->plan->batch[rank];
    if (flops > 0 && samples > INT64_MAX / times / flops) return rs_flops_ps(run, rank, INT64_MAX);
    return rs_flops_ps(run, rank, flops * samples * times);
}

/* Returns the Python of one pass, in ps: a share of what GPU 0, at its normal speed, computes in
   it. */
static int64_t python_ps(rs_step_run *run) {
    const rs_step_plan *plan = run->plan;
    const rs_layers *layers = plan->layers;
    if (plan->python.num == 0) return 0;
    if (layers->flops > 0 && plan->batch[0] > INT64_MAX / 3 / layers->flops) {
        return rs_flops_ps(run, 0, INT64_MAX);
    }
    const int64_t flops = layers->flops * plan->batch[0] * 3;
    return timed(run, rs_wire_ps(flops, plan->flops_per_s, plan->python.num, plan->python.den));
}

bool rs_step_goes_on(rs_step_run *run, int32_t done, int32_t total) {
    if (run->status == RS_OK && !rs_go_on(run->arena->host, "timing a step", done, total)) {
        run->status = rs_fail(run->error, RS_CANCELLED, "cancelled while timing a step");
    }
    return run->status == RS_OK;
}

/* One layer of one rank: Python under the lock, then its kernel. */
static int64_t call_layer(rs_step_run *run, int32_t rank, int32_t layer, int64_t span_ps,
                          int64_t *thread_ps, int64_t *lock_ps) {
    const int64_t asked = *thread_ps;
    const int64_t start = asked > *lock_ps ? asked : *lock_ps;
    const int64_t end = timed(run, start + span_ps);
    if (run->status != RS_OK) return 0;
    if (span_ps > 0) {
        rs_note_piece(run,
                      (rs_train_span){RS_LANE_THREAD, RS_WORK_GIL_WAIT, rank, layer, asked, start});
        rs_note_piece(run,
                      (rs_train_span){RS_LANE_THREAD, RS_WORK_PYTHON, rank, layer, start, end});
        rs_note_piece(run, (rs_train_span){RS_LANE_GIL, RS_WORK_PYTHON, rank, layer, start, end});
        *lock_ps = end;
        run->gil_ps += span_ps;
    }
    *thread_ps = end;
    if (run->now_ps[rank] < end) run->now_ps[rank] = end;
    const int64_t kernel = layer_ps(run, rank, layer, 1);
    run->now_ps[rank] = timed(run, run->now_ps[rank] + kernel);
    return kernel;
}

/* Notes a kernel; kernels that follow each other without a pause become one piece. */
static void note_kernel(rs_step_run *run, rs_train_span *piece, int64_t kernel_ps) {
    const int64_t start = run->now_ps[piece->rank] - kernel_ps;
    if (kernel_ps == 0 || run->status != RS_OK) return;
    if (start != piece->end_ps) {
        rs_note_piece(run, *piece);
        piece->start_ps = start;
    }
    piece->end_ps = start + kernel_ps;
}

rs_forward rs_begin_forward(rs_step_run *run, int32_t first, int32_t last, int64_t thread_ps[],
                            rs_train_span kernels[]) {
    for (int32_t r = first; r <= last; r++) thread_ps[r - first] = run->now_ps[r];
    return (rs_forward){.first = first,
                        .last = last,
                        .python_ps = python_ps(run),
                        .thread_ps = thread_ps,
                        .kernels = kernels};
}

void rs_run_layers(rs_step_run *run, rs_forward *f, int32_t from, int32_t to, int32_t index) {
    const int32_t n_layers = run->plan->layers->n_layers;
    const int64_t python = f->python_ps;
    const rs_host *host = run->arena->host;
    for (int32_t r = f->first; r <= f->last; r++) {
        const int64_t now = run->now_ps[r];
        f->kernels[r - f->first] =
            (rs_train_span){RS_LANE_COMPUTE, RS_WORK_FORWARD, r, index, now, now};
    }
    for (int32_t i = from; i < to && run->status == RS_OK && !rs_stopped(host); i++) {
        const int64_t before = python / n_layers * i + python % n_layers * i / n_layers;
        const int64_t after = python / n_layers * (i + 1) + python % n_layers * (i + 1) / n_layers;
        for (int32_t r = f->first; r <= f->last; r++) {
            const int64_t kernel =
                call_layer(run, r, i, after - before, &f->thread_ps[r - f->first], &f->lock_ps);
            run->forward_ps[r] += kernel;
            note_kernel(run, &f->kernels[r - f->first], kernel);
        }
    }
    for (int32_t r = f->first; r <= f->last; r++) rs_note_piece(run, f->kernels[r - f->first]);
}

void rs_run_forward(rs_step_run *run, int32_t first, int32_t last, int32_t pass) {
    const size_t n = (size_t)(last - first + 1);
    rs_arena scratch; /* of this pass alone: so many passes take no more memory than one */
    rs_arena_init(&scratch, run->arena->host);
    int64_t *thread_ps = rs_alloc(&scratch, n, sizeof *thread_ps);
    rs_train_span *kernels = rs_alloc(&scratch, n, sizeof *kernels);
    if (thread_ps != NULL && kernels != NULL) {
        rs_forward forward = rs_begin_forward(run, first, last, thread_ps, kernels);
        rs_run_layers(run, &forward, 0, run->plan->layers->n_layers, pass);
    } else {
        run->status = rs_no_memory(run->error);
    }
    rs_arena_free(&scratch);
}

void rs_run_back(rs_step_run *run, int32_t rank, int32_t from, int32_t to, int32_t index) {
    const int64_t start = run->now_ps[rank];
    for (int32_t i = from; i >= to && run->status == RS_OK; i--) {
        run->now_ps[rank] = timed(run, run->now_ps[rank] + layer_ps(run, rank, i, 2));
    }
    if (run->status != RS_OK) return;
    run->backward_ps[rank] += run->now_ps[rank] - start;
    rs_note_piece(run, (rs_train_span){RS_LANE_COMPUTE, RS_WORK_BACKWARD, rank, index, start,
                                       run->now_ps[rank]});
}

void rs_run_backward(rs_step_run *run, int32_t rank, int32_t pass, bool sync) {
    const rs_step_plan *plan = run->plan;
    const bool by_bucket = sync && plan->n_buckets > 0 && run->ready_ps != NULL;
    int32_t from = plan->layers->n_layers - 1;
    for (int32_t b = 0; by_bucket && b < plan->n_buckets && run->status == RS_OK; b++) {
        rs_run_back(run, rank, from, plan->buckets[b].last_layer, b);
        run->ready_ps[(int64_t)b * plan->n_ranks + rank] = run->now_ps[rank];
        from = plan->buckets[b].last_layer - 1;
    }
    if (run->status == RS_OK) rs_run_back(run, rank, from, 0, by_bucket ? plan->n_buckets : pass);
}

void rs_run_update(rs_step_run *run, int32_t rank) {
    const rs_step_plan *plan = run->plan;
    const int64_t flops = rs_update_flops(plan->optimizer), start = run->now_ps[rank];
    const int64_t span = rs_flops_ps(run, rank, flops * rs_owned_count(plan, plan->mode, rank));
    run->now_ps[rank] = start + span;
    rs_note_piece(run,
                  (rs_train_span){RS_LANE_COMPUTE, RS_WORK_UPDATE, rank, 0, start, start + span});
}
