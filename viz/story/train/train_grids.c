/* train_grids.c: the tables and curves of a training's moments. */
#include "story/train/train_facts.h"
#include "story/story_train.h"
#include "text/words.h"

/* ------------------------------------------------------------------ which ways of sharing the work are shown */

rs_parallel rv_other_mode(rs_parallel mode) {
    return rs_is_sharded(mode) ? mode : RS_DP;
}

int rv_compared_modes(const rs_step_plan *plan, rs_parallel modes[RS_HSDP + 1]) {
    static const rs_parallel compared[] = {RS_DDP, RS_ZERO1, RS_ZERO2, RS_ZERO3};
    int n = 0;
    if (plan->mode == RS_DP || plan->mode == RS_NONE || plan->n_ranks < 2) {
        modes[n++] = plan->mode;
        return n;
    }
    for (; n < 4; n++) modes[n] = compared[n];
    if (plan->mode == RS_HSDP) modes[n++] = RS_HSDP;
    return n;
}

/* ------------------------------------------------------------------ entries */

static void time_entry(rv_frame *frame, rv_grid *grid, int32_t row, int32_t column, rv_tone tone,
                       int64_t ps) {
    rv_grid_write(grid, row, column, tone, -1, "%s",
                  ps < 0 ? _("never") : rv_frame_time(frame, ps));
}

static void bytes_entry(rv_frame *frame, rv_grid *grid, int32_t row, int32_t column,
                        int64_t n_bytes) {
    rv_grid_plain(grid, row, column, "%s", rv_frame_bytes(frame, n_bytes));
}

/* What is said of a bucket: its columns. */
typedef enum column { LAYERS, BYTES, GATHERED, AGAIN, READY, FROM, UNTIL, AFTER } column;

static bool is_forward(const rv_train_moment *m) {
    return m->kind == RV_TRAIN_UNITS && m->work == RS_WORK_FORWARD;
}

/* The columns of a moment: in the forward pass of zero3 only when the weights are there. `all`: those of
   both passes. */
static int columns_of(const rv_train_facts *f, const rv_train_moment *m, bool all,
                      column out[AFTER + 1]) {
    rs_bucket_time *const *gathers = f->of.time->gathers;
    const bool both = all && gathers[1] != NULL;
    int n = 0;
    if (!both) out[n++] = LAYERS;
    out[n++] = BYTES;
    if (both || (gathers[1] != NULL && is_forward(m))) out[n++] = GATHERED;
    if (gathers[1] != NULL && !is_forward(m)) out[n++] = AGAIN;
    for (column c = READY; c <= UNTIL && !is_forward(m); c++) out[n++] = c;
    if (gathers[0] != NULL && gathers[1] == NULL) out[n++] = AFTER;
    return n;
}

static int64_t time_of(const rv_train_facts *f, int32_t bucket, column c) {
    const rs_step_time *time = f->of.time;
    switch (c) {
    case GATHERED:
    case AFTER: return time->gathers[0][bucket].end_ps;
    case AGAIN: return time->gathers[1][bucket].end_ps;
    case READY: return time->buckets[bucket].ready_ps;
    case FROM: return time->buckets[bucket].start_ps;
    default: return time->buckets[bucket].end_ps;
    }
}

void rv_fill_buckets(const rv_train_facts *f, const rv_train_moment *m, rv_frame *frame) {
    const rs_step_plan *plan = f->of.plan;
    static const char *const heads[] = {N_("layers"),   N_("bytes"),   N_("gathered"),
                                        N_("gathered"), N_("ready"),   N_("all-reduce from"),
                                        N_("until"),    N_("gathered")};
    column columns[AFTER + 1];
    const int n = columns_of(f, m, frame->figures, columns);
    const bool forward = is_forward(m);
    rv_grid *grid = rv_frame_grid(frame, _("buckets, in the order in which gradients are found"),
                                  plan->n_buckets, n);
    for (int c = 0; c < n; c++) {
        const bool scatter = columns[c] == FROM && rv_shows_shards(f);
        const bool again = columns[c] == AGAIN && frame->figures;
        rv_grid_head(grid, -1, c, "%s",
                     scatter ? _("scattered from")
                     : again ? _("again")
                             : _(heads[columns[c]]));
    }
    for (int32_t b = 0; b < plan->n_buckets; b++) {
        const rs_bucket *bucket = &plan->buckets[b];
        const bool done = forward ? b > m->last : b < m->first;
        const bool now = b >= m->first && b <= m->last, shards = rv_shows_shards(f);
        const rv_tone tone = frame->figures ? RV_TONE_PLAIN
                             : now          ? RV_TONE_LEAVES
                             : done         ? shards ? RV_TONE_PLAIN : RV_TONE_GOOD
                                            : RV_TONE_QUIET;
        const column lit = forward ? GATHERED : UNTIL;
        rv_grid_head(grid, b, -1, _("bucket %d"), (int)b + 1);
        for (int c = 0; c < n; c++) {
            if (columns[c] == LAYERS) {
                rv_grid_plain(grid, b, c, "%d",
                              (int)(bucket->first_layer - bucket->last_layer) + 1);
            } else if (columns[c] == BYTES) {
                bytes_entry(frame, grid, b, c, bucket->count * RS_ELEMENT_BYTES);
            } else {
                time_entry(frame, grid, b, c, columns[c] == lit ? tone : RV_TONE_PLAIN,
                           time_of(f, b, columns[c]));
            }
        }
    }
}

/* What a GPU has at hand: samples, which go through the model and come back as gradients; beside them the buckets
   that are exchanged. */
enum { SAMPLES, FORWARD, BACKWARD, EXCHANGE, N_STAGES };

/* Puts a GPU where it stands, and lets it come from the stage before. */
static void fill_stage(const rv_train_facts *f, const rv_train_moment *m, int32_t rank,
                       rv_grid *grid) {
    const rs_step_plan *plan = f->of.plan;
    const bool found = m != NULL && m->kind == RV_TRAIN_BUCKETS,
               done = found && (!plan->overlap || m->last == plan->n_buckets - 1);
    const int at = m == NULL ? SAMPLES : m->kind == RV_TRAIN_FORWARD ? FORWARD : BACKWARD;
    const rv_tone now = done || m == NULL ? RV_TONE_PLAIN : found ? RV_TONE_LEAVES : RV_TONE_NEW;
    if (at == BACKWARD) {
        rv_grid_write(grid, rank, at, now, rank, "%s", done ? _("done") : _("gradients"));
    } else {
        const bool ended = plan->ddp != NULL && rank == plan->ddp->ended_rank;
        rv_grid_write(grid, rank, at, now, rank, "%lld",
                      ended ? 0LL : (long long)plan->batch[rank]);
    }
    if (m != NULL && (!found || m->first == 0)) {
        rv_grid_way(grid, rank, at, rank + 1, NULL);
        rv_grid_way(grid, rank, at - 1, rank + 1, NULL);
    }
    if (!found) return;
    rv_grid_write(grid, rank, EXCHANGE, RV_TONE_ADDED, rank,
                  m->first < m->last ? _("buckets %d..%d") : _("bucket %d"), (int)m->first + 1,
                  (int)m->last + 1);
}

void rv_fill_stages(const rv_train_facts *f, const rv_train_moment *m, rv_frame *frame) {
    static const char *const heads[N_STAGES] = {N_("samples"), N_("forward"), N_("backward"),
                                                N_("all-reduce")};
    const rs_step_plan *plan = f->of.plan;
    const int n = plan->n_buckets > 0 ? N_STAGES : EXCHANGE;
    rv_grid *grid = rv_frame_grid(frame, _("where each GPU stands"), plan->n_ranks, n);
    if (grid == NULL) return;
    grid->tiles = true;
    rv_grid_columns(grid, heads, n);
    if (n == N_STAGES && rv_shows_shards(f))
        rv_grid_head(grid, -1, EXCHANGE, "%s", _("reduce-scatter"));
    rv_grid_ranks(grid);
    for (int32_t r = 0; r < plan->n_ranks; r++) fill_stage(f, m, r, grid);
}

void rv_fill_memory(const rv_train_facts *f, rv_frame *frame) {
    static const char *const heads[] = {N_("weights"),     N_("gradients"), N_("to exchange"),
                                        N_("activations"), N_("data"),      N_("states"),
                                        N_("in all")};
    const bool states = f->of.plan->optimizer != RS_SGD; /* sgd keeps none */
    const int n = states ? 7 : 6;
    rv_grid *grid =
        rv_frame_grid(frame, _("memory of each GPU, at its fullest"), f->of.plan->n_ranks, n);
    for (int c = 0; c < n; c++) {
        const char *head = _(heads[c == n - 1 ? 6 : c]);
        rv_grid_head(grid, -1, c, "%s", c == 2 && states ? _("buckets") : head);
    }
    rv_grid_ranks(grid);
    for (int32_t r = 0; r < f->of.plan->n_ranks; r++) {
        const rs_memory *m = &f->of.time->memory[r];
        const int64_t parts[] = {m->weights,     m->gradients, m->buckets,
                                 m->activations, m->data,      m->states};
        int64_t all = 0;
        for (int c = 0; c < n - 1; c++) {
            bytes_entry(frame, grid, r, c, parts[c]);
            all += parts[c];
        }
        bytes_entry(frame, grid, r, n - 1, all);
    }
}

void rv_fill_busy(const rv_train_facts *f, rv_frame *frame) {
    static const char *const heads[] = {N_("computes"), N_("exchanges"), N_("does not compute")};
    rv_grid *grid =
        rv_frame_grid(frame, _("what each GPU does in the step"), f->of.plan->n_ranks, 3);
    rv_grid_columns(grid, heads, 3);
    rv_grid_ranks(grid);
    for (int32_t r = 0; r < f->of.plan->n_ranks; r++) {
        time_entry(frame, grid, r, 0, RV_TONE_PLAIN, f->compute_ps[r]);
        time_entry(frame, grid, r, 1, RV_TONE_PLAIN, f->network_ps[r]);
        const int64_t idle = f->of.time->step_ps - f->compute_ps[r];
        time_entry(frame, grid, r, 2, RV_TONE_PLAIN, idle > 0 ? idle : 0);
    }
}

void rv_fill_replicas(const rv_train_facts *f, rv_frame *frame) {
    const rs_training *result = f->of.result;
    const int32_t n = f->of.plan->n_ranks;
    rv_grid *grid = rv_frame_grid(frame, _("the weights that each GPU ends with"), n, 2);
    rv_grid_columns(grid, (const char *const[]){N_("checksum"), N_("first weight")}, 2);
    rv_grid_ranks(grid);
    for (int32_t r = 0; r < n; r++) {
        const bool same = result->crc32[r] == result->crc32[0];
        rv_grid_write(grid, r, 0, same ? RV_TONE_GOOD : RV_TONE_BAD, r, "%08lx",
                      (unsigned long)result->crc32[r]);
        rv_grid_write(grid, r, 1, RV_TONE_PLAIN, r, "%.9g", (double)result->weights[r][0]);
    }
}

void rv_fill_curves(const rv_train_facts *f, double at, rv_frame *frame) {
    if (f->n_points > 1) {
        rv_plot *loss = rv_frame_plot(frame, _("loss"), _("step"), "");
        rv_plot_series(loss, _("all samples"), f->n_points, f->step, f->loss, RV_TONE_GOOD);
        rv_plot_series(loss, _("GPU 0's"), f->n_points, f->step, f->first_loss, RV_TONE_LEAVES);
        if (loss != NULL) loss->at = at;
    }
    if (f->n_points > 1 && f->drift[f->n_points - 1] > 0) {
        rv_plot *drift = rv_frame_plot(frame, _("drift of the replicas"), _("step"), "");
        rv_plot_series(drift, _("drift"), f->n_points, f->step, f->drift, RV_TONE_BAD);
        if (drift != NULL) drift->at = at;
    }
}

void rv_fill_scaling(const rv_train_facts *f, rv_frame *frame) {
    if (f->n_scales < 2) return;
    rv_plot *times = rv_frame_plot(frame, _("time of a step"), _("GPUs"), "ms");
    if (times != NULL) times->x_axis = RV_AXIS_GPUS;
    rv_plot_series(times, "ddp", f->n_scales, f->gpus, f->ddp_ms, RV_TONE_GOOD);
    const rs_parallel other = rv_other_mode(f->of.plan->mode);
    rv_plot_series(times, rs_parallel_name(other), f->n_scales, f->gpus, f->other_ms,
                   rs_is_sharded(other) ? RV_TONE_LEAVES : RV_TONE_BAD);
    if (times != NULL) times->at = -1;
}
