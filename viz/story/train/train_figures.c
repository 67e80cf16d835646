/* train_figures.c: a training in figures, for a page of text: buckets, the step, what is sent, some updates. */
#include "story/train/train_facts.h"
#include "text/words.h"

enum { MOST_UPDATES = 40 };

static void note_model(const rv_train_facts *f, rv_frame *frame) {
    const rs_step_plan *plan = f->of.plan;
    int64_t all = 0;
    for (int32_t r = 0; r < plan->n_ranks; r++) all += plan->batch[r];
    const bool alike = all == plan->batch[0] * plan->n_ranks;
    rv_frame_note(frame,
                  alike ? _("%s parameters, gradients of %s, %lld samples a GPU")
                        : _("%s parameters, gradients of %s, %lld samples on all GPUs together"),
                  rv_frame_count(frame, plan->layers->parameters),
                  rv_frame_bytes(frame, plan->layers->parameters * RS_ELEMENT_BYTES),
                  (long long)(alike ? plan->batch[0] : all));
}

/* ------------------------------------------------------------------ the step */

static void note_step(const rv_train_facts *f, rv_frame *frame) {
    const rs_step_time *time = f->of.time;
    rv_frame_note(frame, _("step %s: forward %s, backward %s, update %s"),
                  rv_frame_time(frame, time->step_ps), rv_frame_time(frame, time->forward_ps),
                  rv_frame_time(frame, time->backward_ps), rv_frame_time(frame, time->update_ps));
}

static void note_exchange(const rv_train_facts *f, rv_frame *frame) {
    const rs_step_time *time = f->of.time;
    const rs_parallel mode = f->of.plan->mode;
    const int64_t hidden_ps = time->exchange_ps - time->exposed_ps;
    const char *exchange = rv_frame_time(frame, time->exchange_ps);
    if (f->of.apart_ps >= 0) {
        rv_frame_note(frame, _("exchange %s: %s hidden, %s waited for"), exchange,
                      rv_frame_time(frame, hidden_ps > 0 ? hidden_ps : 0),
                      rv_frame_time(frame, time->exposed_ps));
        rv_frame_note(frame,
                      rs_shards_weights(mode) ? _("without prefetch the step takes %s")
                                              : _("without overlap the step takes %s"),
                      rv_frame_time(frame, f->of.apart_ps));
    } else if (mode == RS_DP && f->of.plan->n_ranks > 1) {
        rv_frame_note(frame, _("exchange %s, all of it through GPU 0"), exchange);
        rv_frame_note(frame, _("Python %s, one thread at a time (GIL)"),
                      rv_frame_time(frame, time->gil_ps));
    }
}

/* What GPU 0 sends, as a multiple of the parameters; what the table of a model's state counts (the first
   figure of the ZeRO paper: Rajbhandari et al., SC 2020). */
static void note_state(const rv_train_facts *f, rv_frame *frame) {
    const rs_step_plan *plan = f->of.plan;
    const int64_t all = plan->layers->parameters * RS_ELEMENT_BYTES;
    const int64_t sent = f->of.time->sent_bytes[0];
    if (all == 0) return;
    if (plan->n_ranks > 1 && rs_is_sharded(plan->mode)) {
        rv_frame_note(frame, _("GPU 0 sends %s in the step, %.4g times the parameters"),
                      rv_frame_bytes(frame, sent), (double)sent / (double)all);
    }
    rv_frame_note(frame, "%s", "");
    if (plan->optimizer == RS_SGD) {
        rv_frame_note(frame, "%s",
                      _("sgd keeps no states: of the optimizer there is only the copy of the "
                        "weights to shard, float, which mixed precision needs."));
    }
    rv_frame_note(frame, "%s",
                  _("Times and bytes sent are this training's in every mode, floats of 4 bytes; in "
                    "mixed precision gradients and gathered weights take 2, and half as much is "
                    "sent."));
}

/* ------------------------------------------------------------------ updates */

/* Lists 1, 2, 4, 8, ... and the last; returns how many. */
static int list_updates(int32_t n_steps, int32_t out[MOST_UPDATES]) {
    int n = 0;
    for (int64_t at = 1; at < n_steps; at *= 2) out[n++] = (int32_t)at;
    out[n++] = n_steps;
    return n;
}

/* The last column is for classes: how many samples the model puts into their own. */
static void fill_updates(const rv_train_facts *f, rv_frame *frame) {
    static const char *const heads[] = {N_("samples"), N_("loss"), N_("of GPU 0"), N_("drift"),
                                        N_("right")};
    const rs_training *result = f->of.result;
    const int n_columns = f->of.train->model.n_sizes > 2 ? 5 : 4;
    int32_t updates[MOST_UPDATES];
    if (result->n_steps == 0) return;
    const int n = list_updates(result->n_steps, updates);
    rv_grid *grid = rv_frame_grid(frame, _("update by update"), n, n_columns);
    if (grid != NULL) grid->whole = true;
    rv_grid_columns(grid, heads, n_columns);
    for (int i = 0; i < n; i++) {
        const rs_train_step *step = &result->steps[updates[i] - 1];
        rv_grid_head(grid, i, -1, _("update %d"), (int)updates[i]);
        rv_grid_plain(grid, i, 0, "%lld", (long long)step->n_samples);
        rv_grid_plain(grid, i, 1, "%.4g", step->loss);
        rv_grid_plain(grid, i, 2, "%.4g", step->first_loss);
        rv_grid_plain(grid, i, 3, "%.3g", step->drift);
        if (n_columns < 5) continue;
        rv_grid_plain(grid, i, 4, "%.0f %%",
                      100.0 * (double)step->n_right / (double)step->n_samples);
    }
}

void rv_train_figures(const rv_train_facts *f, rv_frame *frame) {
    const rs_step_plan *plan = f->of.plan;
    const rv_train_moment done = {.kind = RV_TRAIN_BUCKETS, .first = plan->n_buckets};
    if (plan->n_buckets > 0) rv_fill_buckets(f, &done, frame);
    if (f->of.result != NULL) fill_updates(f, frame);
    note_model(f, frame);
    note_step(f, frame);
    note_exchange(f, frame);
    rv_note_case(f, frame);
    if (rs_is_sharded(plan->mode) || plan->optimizer != RS_SGD) note_state(f, frame);
}
