/* shard_frames.c: the sentences and tables of a sharded step: zero1, zero2, zero3 (FSDP), hsdp. */
#include "story/train/train_facts.h"
#include "text/words.h"

const char *rv_bucket_bytes(const rv_train_facts *f, const rv_train_moment *m, rv_frame *frame) {
    int64_t count = 0;
    for (int32_t b = m->first; b <= m->last; b++) count += f->of.plan->buckets[b].count;
    return rv_frame_bytes(frame, count * RS_ELEMENT_BYTES);
}

/* ------------------------------------------------------------------ bytes a parameter */

/* The table: what is sharded is less than with ddp. */
static void fill_shares(const rv_train_facts *f, const rs_parallel modes[], int n,
                        rv_frame *frame) {
    static const char *const heads[] = {N_("weights"),  N_("gradients"), N_("copy"), N_("states"),
                                        N_("gathered"), N_("in all"),    N_("bytes")};
    const int n_columns = frame->figures ? 7 : 6;
    const rs_step_plan *plan = f->of.plan;
    const double parameters = (double)plan->layers->parameters;
    rv_grid *grid =
        rv_frame_grid(frame, _("bytes a parameter on GPU 0, in mixed precision"), n, n_columns);
    rv_grid_columns(grid, heads, n_columns);
    for (int i = 0; i < n; i++) {
        const rs_model_state s = rs_model_state_of(plan, modes[i], 0);
        const rs_model_state whole = rs_model_state_of(plan, modes[0], 0);
        const int64_t parts[] = {s.weights,   s.gradients, s.copy,
                                 s.optimizer, s.gathered,  rs_model_state_bytes(&s)};
        const int64_t all[] = {whole.weights, whole.gradients, whole.copy, whole.optimizer, 0,
                               INT64_MAX};
        rv_grid_head(grid, i, -1, "%s", rs_parallel_name(modes[i]));
        for (int c = 0; c < 6; c++) {
            const rv_tone tone = c == 5 && modes[i] == plan->mode ? RV_TONE_LEAVES
                                 : c < 4 && parts[c] < all[c]     ? RV_TONE_GOOD
                                                                  : RV_TONE_PLAIN;
            rv_grid_write(grid, i, c, tone, -1, "%.*g", frame->figures ? 4 : 3,
                          (double)parts[c] / parameters);
        }
        rv_grid_plain(grid, i, 6, "%s", rv_frame_bytes(frame, parts[5]));
    }
}

void rv_fill_model_state(const rv_train_facts *f, rv_frame *frame) {
    rs_parallel modes[RS_HSDP + 1];
    const rs_step_plan *plan = f->of.plan;
    const int n = rv_compared_modes(plan, modes);
    const size_t room = RS_HSDP + 1;
    double *x = rs_alloc(frame->arena, room, sizeof *x),
           *y = rs_alloc(frame->arena, room, sizeof *y);
    const char **names = rs_alloc(frame->arena, room, sizeof *names);
    if (x == NULL || y == NULL || names == NULL || plan->layers->parameters == 0) return;
    fill_shares(f, modes, n, frame);
    for (int i = 0; i < n; i++) {
        const rs_model_state s = rs_model_state_of(plan, modes[i], 0);
        x[i] = i;
        y[i] = (double)rs_model_state_bytes(&s) / (double)plan->layers->parameters;
        names[i] = rs_parallel_name(modes[i]);
    }
    rv_plot *plot = rv_frame_plot(frame, _("bytes a parameter"), "", "B");
    rv_plot_series(plot, rs_optimizer_name(plan->optimizer), n, x, y, RV_TONE_ADDED);
    if (plot == NULL) return;
    plot->series[plot->n_series - 1].names = names;
    plot->bars = true;
    plot->at = -1;
}

/* ------------------------------------------------------------------ the start */

static const char *what_is_sharded(const rs_step_plan *plan) {
    const bool none = rs_optimizer_states(plan->optimizer) == 0;
    switch (plan->mode) {
    case RS_ZERO1:
        return none ? _("the optimizer's states, of which sgd has none")
                    : _("the optimizer's states");
    case RS_ZERO2:
        return none ? _("gradients (sgd has no states)")
                    : _("the optimizer's states and gradients");
    default:
        return none ? _("weights and gradients (sgd has no states)")
                    : _("weights, gradients and the optimizer's states");
    }
}

void rv_fill_sharded_start(const rv_train_facts *f, rv_frame *frame) {
    const rs_step_plan *plan = f->of.plan;
    const int sharers = rs_sharers(plan->mode, plan->schedule);
    const char *bytes = rv_frame_bytes(frame, plan->layers->parameters * RS_ELEMENT_BYTES);
    if (plan->mode == RS_HSDP) {
        rv_frame_say(
            frame,
            _("Start: a process for each of %d GPUs, %d a node. In a node each owns 1/%d of the %s "
              "parameters (%s): %s. Every node has the whole model once."),
            (int)plan->n_ranks, sharers, sharers, rv_frame_count(frame, plan->layers->parameters),
            bytes, what_is_sharded(plan));
    } else {
        rv_frame_say(frame,
                     _("Start: a process for each of %d GPUs. Each owns 1/%d of the %s parameters "
                       "(%s) and keeps for that part alone: %s."),
                     (int)plan->n_ranks, sharers, rv_frame_count(frame, plan->layers->parameters),
                     bytes, what_is_sharded(plan));
    }
    rv_fill_model_state(f, frame);
}

/* ------------------------------------------------------------------ zero1, zero2 */

void rv_fill_scatter(const rv_train_facts *f, const rv_train_moment *m, rv_frame *frame) {
    const rs_bucket_time *times = f->of.time->buckets;
    const char *bytes = rv_bucket_bytes(f, m, frame);
    const char *start = rv_frame_time(frame, times[m->first].start_ps);
    const char *end = rv_frame_time(frame, times[m->last].end_ps);
    frame->phase = f->of.plan->overlap ? _("backward pass, reduce-scatter") : _("reduce-scatter");
    if (m->first < m->last) {
        rv_frame_say(frame,
                     _("Buckets %d to %d, %s of gradients, are reduce-scattered from %s to %s, one "
                       "after another. Each GPU has the sums of its shards then, and no others."),
                     (int)m->first + 1, (int)m->last + 1, bytes, start, end);
    } else {
        rv_frame_say(frame,
                     _("Bucket %d, %s of gradients, is there after %s. It is reduce-scattered from "
                       "%s to %s: half of an all-reduce, after which each GPU has the sums of its "
                       "shard, and no others."),
                     (int)m->first + 1, bytes, rv_frame_time(frame, times[m->first].ready_ps),
                     start, end);
    }
    rv_fill_stages(f, m, frame);
    rv_fill_buckets(f, m, frame);
}

void rv_fill_gather(const rv_train_facts *f, rv_frame *frame) {
    const rs_bucket_time *gathers = f->of.time->gathers[0];
    frame->phase = _("all-gather");
    rv_frame_say(
        frame,
        _("All-gather, from %s to %s: each GPU hands round the weights that it has updated. "
          "With the reduce-scatters that is as much as ddp's all-reduces: 2 (N-1)/N of the "
          "parameters, %s in all."),
        rv_frame_time(frame, gathers[0].start_ps),
        rv_frame_time(frame, gathers[f->of.plan->n_buckets - 1].end_ps),
        rv_frame_time(frame, f->of.time->exchange_ps));
    rv_fill_busy(f, frame);
    rv_fill_scaling(f, frame);
}

/* ------------------------------------------------------------------ zero3, hsdp */

static void say_forward(const rv_train_facts *f, const rv_train_moment *m, rv_frame *frame) {
    const rs_bucket_time *gathers = f->of.time->gathers[0];
    const char *bytes = rv_bucket_bytes(f, m, frame), *now = rv_frame_time(frame, m->now_ps);
    if (gathers == NULL) {
        rv_frame_say(frame, _("Forward: a node is one GPU, which has all weights; until %s."), now);
        return;
    }
    const char *start = rv_frame_time(frame, gathers[m->last].start_ps);
    const char *end = rv_frame_time(frame, gathers[m->first].end_ps);
    if (m->first < m->last) {
        rv_frame_say(frame,
                     _("Forward, buckets %d to %d: %s of weights are gathered from %s to %s, one "
                       "bucket after another. Each is used, until %s the last, and thrown away."),
                     (int)m->last + 1, (int)m->first + 1, bytes, start, end, now);
    } else {
        rv_frame_say(
            frame,
            _("Forward, bucket %d: its %s of weights are gathered from %s to %s. Its layers "
              "run until %s; then each GPU throws away all but its shard."),
            (int)m->first + 1, bytes, start, end, now);
    }
}

static void say_backward(const rv_train_facts *f, const rv_train_moment *m, rv_frame *frame) {
    const rs_bucket_time *gathers = f->of.time->gathers[1], *times = f->of.time->buckets;
    const char *there = rv_frame_time(frame, gathers != NULL ? gathers[m->last].end_ps : 0);
    const char *ready = rv_frame_time(frame, times[m->last].ready_ps);
    const char *start = rv_frame_time(frame, times[m->first].start_ps);
    const char *end = rv_frame_time(frame, times[m->last].end_ps);
    if (m->first < m->last) {
        rv_frame_say(
            frame,
            _("Backward, buckets %d to %d: the weights are gathered again, until %s, and the "
              "gradients, found until %s, reduce-scattered from %s to %s."),
            (int)m->first + 1, (int)m->last + 1, there, ready, start, end);
    } else {
        rv_frame_say(
            frame,
            f->of.plan->mode == RS_HSDP
                ? _("Backward, bucket %d: the weights are there again after %s, the gradients after "
                    "%s. From %s to %s they are reduce-scattered in each node, and the shards' "
                    "sums all-reduced between nodes.")
                : _("Backward, bucket %d: the weights are gathered again, until %s. The gradients "
                    "are found after %s and reduce-scattered from %s to %s."),
            (int)m->first + 1, there, ready, start, end);
    }
}

void rv_fill_unit(const rv_train_facts *f, const rv_train_moment *m, rv_frame *frame) {
    const bool forward = m->work == RS_WORK_FORWARD;
    frame->phase = forward ? _("forward pass, gather") : _("backward pass, gather and scatter");
    if (forward) {
        say_forward(f, m, frame);
    } else {
        say_backward(f, m, frame);
    }
    rv_fill_buckets(f, m, frame);
}

/* ------------------------------------------------------------------ the update */

void rv_fill_sharded_update(const rv_train_facts *f, const char *rule, rv_frame *frame) {
    const rs_step_plan *plan = f->of.plan;
    const int sharers = rs_sharers(plan->mode, plan->schedule);
    frame->phase = _("update");
    if (!rs_shards_weights(plan->mode)) {
        rv_frame_say(frame,
                     _("Each GPU updates only its shards, 1/%d of the weights, and keeps the "
                       "optimizer's states of no others: %s."),
                     sharers, rule);
        return;
    }
    rv_frame_say(
        frame,
        _("Each GPU updates only its shards, 1/%d of the weights: %s. Nothing is gathered: the "
          "next step does that. The step took %s; without prefetch it takes %s."),
        sharers, rule, rv_frame_time(frame, f->of.time->step_ps),
        rv_frame_time(frame, f->of.apart_ps));
    rv_fill_busy(f, frame);
    rv_fill_scaling(f, frame);
}
