/* train_dp.c: a step of dp: one process with a thread for each GPU, in which all data go through
 * GPU 0.
 *
 *     GPU 0  [batch to 1, 2, ..][model to 1, 2, ..][fw][outputs][loss][dloss][bw][gradients][update]
 *     GPU 1     [batch]            [model]         [fw][out]          [dloss][bw][grad]
 *
 *   - All transfers of a kind are a schedule with a single step, a star around GPU 0, whose port
 *     carries one message at a time; on a machine they go side by side. The simulator times it.
 *   - The threads start their forward pass together, when all have the model, and share one lock.
 *   - GPU 0 adds up the gradients in the order of ranks (rs_dp_reduce) and makes the update for
 *     all.
 */
#include "systems/train/train_time.h"
#include "base/containers.h"

#include <stdlib.h>

/* A star: one message between GPU 0 and each other rank. */
typedef struct star {
    rs_work work;
    bool out;   /* from GPU 0 */
    bool parts; /* each rank has its own part, one of N; else the whole array */
    bool adds;
    int64_t count; /* elements of all parts, or of the array */
} star;

static rs_status make_star(const star *of, int32_t n_ranks, rs_arena *arena, rs_error *error,
                           rs_schedule *schedule) {
    rs_transfer *list = rs_alloc(arena, (size_t)n_ranks, sizeof *list);
    if (list == NULL) return rs_no_memory(error);
    for (int32_t r = 1; r < n_ranks; r++) {
        list[r - 1] = (rs_transfer){.src = of->out ? 0 : r,
                                    .dst = of->out ? r : 0,
                                    .chunk = of->parts ? r : 0,
                                    .n_chunks = 1,
                                    .effect = of->adds ? RS_REDUCE : RS_COPY};
    }
    const int64_t first[2] = {0, n_ranks - 1};
    return rs_schedule_from_list(n_ranks, of->parts ? n_ranks : 1, 1, first, list, arena, error,
                                 schedule);
}

rs_status rs_dp_reduce(int32_t n_ranks, rs_arena *arena, rs_error *error, rs_schedule *schedule) {
    return make_star(&(star){.adds = true}, n_ranks, arena, error, schedule);
}

/* ------------------------------------------------------------------ its time */

typedef struct use {
    int64_t start_ps, end_ps;
} use;

typedef struct watch { /* what the simulator tells of the transfers */
    rs_step_run *run;
    rs_work work;
    int64_t base_ps;
    use *uses; /* [n] of GPU 0's link; on a machine messages go side by side */
    int32_t n;
} watch;

static void on_transfer(void *context, const rs_timed *timed) {
    watch *w = context;
    const int32_t src = timed->transfer.src, dst = timed->transfer.dst;
    const int64_t start = w->base_ps + timed->start_ps, end = w->base_ps + timed->done_ps;
    rs_note_piece(w->run, (rs_train_span){RS_LANE_NETWORK, w->work, src, dst, start, end});
    rs_note_piece(w->run, (rs_train_span){RS_LANE_NETWORK, w->work, dst, src, start, end});
    w->uses[w->n++] = (use){start, end};
}

RS_ORDER(by_start, use, start_ps);

/* Returns how long there was a use at all. */
static int64_t add_up(watch *w) {
    int64_t busy_ps = 0, until_ps = INT64_MIN;
    if (w->n > 0) qsort(w->uses, (size_t)w->n, sizeof *w->uses, by_start);
    for (int32_t i = 0; i < w->n; i++) {
        const use *at = &w->uses[i];
        const int64_t from_ps = at->start_ps > until_ps ? at->start_ps : until_ps;
        if (at->end_ps > from_ps) busy_ps += at->end_ps - from_ps;
        if (at->end_ps > until_ps) until_ps = at->end_ps;
    }
    return busy_ps;
}

/* Sends the star's messages. Rank r takes part from now_ps[r] on; then now_ps[r] is when its own
   message has arrived, for GPU 0 when all have. Returns how long GPU 0's link was in use. */
static int64_t send(rs_step_run *run, const star *of) {
    const int32_t n = run->plan->n_ranks;
    rs_schedule schedule;
    rs_arena scratch;
    if (run->status != RS_OK) return 0;
    rs_arena_init(&scratch, run->arena->host);
    watch w = {.run = run, .work = of->work, .base_ps = rs_first_ps(run, run->now_ps)};
    const rs_sink sink = {&w, on_transfer};
    w.uses = rs_alloc(&scratch, (size_t)n, sizeof *w.uses);
    run->status = w.uses != NULL ? make_star(of, n, &scratch, run->error, &schedule)
                                 : rs_no_memory(run->error);
    if (run->status == RS_OK) rs_join(run, &schedule, of->count, &sink, run->now_ps);
    const int64_t busy_ps = add_up(&w);
    rs_arena_free(&scratch);
    return busy_ps;
}

/* Makes all GPUs go on only when the last has come so far: the process's main thread waits for all
   of them. */
static void wait_for_all(rs_step_run *run) {
    const int64_t last_ps = rs_last_ps(run, run->now_ps);
    for (int32_t r = 0; r < run->plan->n_ranks; r++) run->now_ps[r] = last_ps;
}

/* Lets GPU 0 compute the loss: some operations for each number that the model puts out. */
static void compute_loss(rs_step_run *run, int64_t outputs) {
    enum { OPERATIONS = 4 }; /* subtract, square, add; and the gradient */
    const int64_t start = run->now_ps[0];
    run->now_ps[0] += rs_flops_ps(run, 0, OPERATIONS * outputs);
    rs_note_piece(run, (rs_train_span){RS_LANE_COMPUTE, RS_WORK_LOSS, 0, 0, start, run->now_ps[0]});
}

void rs_run_dp(rs_step_run *run, int64_t *exchange_ps) {
    const rs_step_plan *plan = run->plan;
    const rs_layers *layers = plan->layers;
    int64_t samples = 0, busy = 0;
    for (int32_t r = 0; r < plan->n_ranks; r++) samples += plan->batch[r];
    const int64_t outputs = samples * layers->output;
    for (int32_t k = 0; k < plan->accumulate && rs_step_goes_on(run, k, plan->accumulate); k++) {
        busy += send(run, &(star){RS_WORK_SCATTER, true, true, false, samples * layers->input});
        busy += send(run, &(star){RS_WORK_COPY_MODEL, true, false, false, layers->parameters});
        wait_for_all(run);
        rs_run_forward(run, 0, plan->n_ranks - 1, k);
        busy += send(run, &(star){RS_WORK_GATHER, false, true, false, outputs});
        compute_loss(run, outputs);
        busy += send(run, &(star){RS_WORK_SCATTER_LOSS, true, true, false, outputs});
        for (int32_t r = 0; r < plan->n_ranks && rs_step_goes_on(run, k, plan->accumulate); r++) {
            rs_run_backward(run, r, k, false);
        }
        busy += send(run, &(star){RS_WORK_REDUCE, false, false, true, layers->parameters});
    }
    const int64_t start = run->now_ps[0];
    rs_run_update(run, 0);
    run->compute_ps[0] = run->now_ps[0] - start;
    *exchange_ps = busy;
}
