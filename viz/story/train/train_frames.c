/* train_frames.c: the sentences of a training's moments. */
#include "story/train/train_facts.h"
#include "text/words.h"

/* Returns hundredths of `part` in `whole`. */
static int percent(int64_t part, int64_t whole) {
    return whole > 0 ? (int)((double)part * 100 / (double)whole + 0.5) : 0;
}

/* ------------------------------------------------------------------ the start */

static void fill_start(const rv_train_facts *f, rv_frame *frame) {
    const rs_step_plan *plan = f->of.plan;
    const int n = plan->n_ranks;
    if (rv_shows_shards(f)) {
        rv_fill_sharded_start(f, frame);
        return;
    }
    rv_frame_say(
        frame,
        plan->mode == RS_DP && n > 1
            ? _("Start: one process with a thread for each of %d GPUs. GPU 0 alone holds the "
                "model, %s parameters (%s), and the batch, %lld samples a GPU.")
        : plan->mode == RS_NONE && n > 1
            ? _("Start: %d processes that never speak. Each GPU holds the whole model, %s "
                "parameters (%s), and %lld samples of its own.")
            : _("Start: a process for each of %d GPUs. Each holds the whole model, %s "
                "parameters (%s), the same weights, and %lld samples of its own."),
        n, rv_frame_count(frame, plan->layers->parameters),
        rv_frame_bytes(frame, plan->layers->parameters * RS_ELEMENT_BYTES),
        (long long)plan->batch[0]);
    if (plan->mode == RS_DP && n > 1) {
        rv_fill_memory(f, frame);
    } else {
        rv_fill_stages(f, NULL, frame);
    }
}

/* ------------------------------------------------------------------ ddp */

static void fill_forward(const rv_train_facts *f, const rv_train_moment *m, rv_frame *frame) {
    const char *now = rv_frame_time(frame, m->now_ps);
    frame->phase = _("forward pass");
    if (f->of.plan->accumulate > 1 && f->of.plan->ddp != NULL && f->of.plan->ddp->every_batch) {
        rv_frame_say(frame,
                     _("Each GPU works through %d batches. Behind each backward pass all gradients "
                       "are exchanged, for nobody said no_sync, though only the last exchange is "
                       "needed. The last forward pass ends after %s."),
                     (int)f->of.plan->accumulate, now);
    } else if (f->of.plan->accumulate > 1) {
        rv_frame_say(
            frame,
            _("Each GPU works through %d batches, forward and backward, by itself. Gradients "
              "add up; only those of the last batch will be exchanged (no_sync). The last "
              "forward pass ends after %s."),
            (int)f->of.plan->accumulate, now);
    } else {
        rv_frame_say(frame,
                     _("Each GPU runs its own samples through its own model, after %s the last."),
                     now);
    }
    rv_fill_stages(f, m, frame);
}

static void fill_backward(const rv_train_facts *f, const rv_train_moment *m, rv_frame *frame) {
    frame->phase = _("backward pass");
    rv_frame_say(frame,
                 _("Backward: each GPU finds its own gradients, after %s the last. Nobody "
                   "exchanges anything."),
                 rv_frame_time(frame, m->now_ps));
    rv_fill_stages(f, m, frame);
}

static void fill_bucket(const rv_train_facts *f, const rv_train_moment *m, rv_frame *frame) {
    const rs_bucket *bucket = &f->of.plan->buckets[m->first];
    const rs_bucket_time *time = &f->of.time->buckets[m->first];
    const rs_layer *layers = f->of.plan->layers->items;
    const char *bytes = rv_frame_bytes(frame, bucket->count * RS_ELEMENT_BYTES);
    const char *ready = rv_frame_time(frame, time->ready_ps);
    const char *start = rv_frame_time(frame, time->start_ps);
    const char *end = rv_frame_time(frame, time->end_ps);
    if (f->of.plan->overlap && f->of.plan->n_buckets == 1) {
        rv_frame_say(
            frame,
            _("All gradients, %s, fill one bucket. It is there after %s, when the backward pass "
              "ends: the all-reduce, from %s to %s, hides behind nothing. Smaller buckets "
              "(--bucket-mb) begin earlier."),
            bytes, ready, start, end);
        return;
    }
    rv_frame_say(
        frame,
        !f->of.plan->overlap
            ? _("Bucket %d has the gradients from %s to %s: %s. They are there after %s; the "
                "all-reduce runs from %s to %s: it waited for the end of the backward pass.")
        : m->first == f->of.plan->n_buckets - 1
            ? _("The last bucket, number %d, has the gradients from %s to %s: %s. They are there "
                "after %s, when the backward pass ends: this all-reduce, from %s to %s, hides "
                "behind nothing.")
            : _("Bucket %d has the gradients from %s to %s: %s. They are there after %s; the "
                "all-reduce runs from %s to %s, while the backward pass goes on."),
        (int)m->first + 1, layers[bucket->first_layer].name, layers[bucket->last_layer].name, bytes,
        ready, start, end);
}

static void fill_some_buckets(const rv_train_facts *f, const rv_train_moment *m, rv_frame *frame) {
    rv_frame_say(
        frame,
        _("Buckets %d to %d, %s together, are all-reduced from %s to %s, one after another."),
        (int)m->first + 1, (int)m->last + 1, rv_bucket_bytes(f, m, frame),
        rv_frame_time(frame, f->of.time->buckets[m->first].start_ps),
        rv_frame_time(frame, f->of.time->buckets[m->last].end_ps));
}

static void fill_buckets(const rv_train_facts *f, const rv_train_moment *m, rv_frame *frame) {
    if (rv_shows_shards(f)) {
        rv_fill_scatter(f, m, frame);
        return;
    }
    frame->phase = f->of.plan->overlap ? _("backward pass, all-reduce") : _("all-reduce");
    if (m->first == m->last) {
        fill_bucket(f, m, frame);
    } else {
        fill_some_buckets(f, m, frame);
    }
    rv_fill_stages(f, m, frame);
    rv_fill_buckets(f, m, frame);
}

/* Returns what an update does, as a formula. */
static const char *rule_of(rs_optimizer optimizer) {
    switch (optimizer) {
    case RS_MOMENTUM: return "v* = 0.9 v + dE/dw, w* = w - a v*";
    case RS_ADAM:
        return "m* = 0.9 m + 0.1 g, v* = 0.999 v + 0.001 g^2, w* = w - a m'/(sqrt(v') + e)";
    default: return "w* = w - a dE/dw";
    }
}

static void fill_update(const rv_train_facts *f, rv_frame *frame) {
    const rs_step_time *time = f->of.time;
    const char *rule = rule_of(f->of.plan->optimizer);
    if (rv_shows_shards(f)) {
        rv_fill_sharded_update(f, rule, frame);
        return;
    }
    const char *step = rv_frame_time(frame, time->step_ps);
    const char *exchange = rv_frame_time(frame, time->exchange_ps);
    const int64_t hidden_ps = time->exchange_ps - time->exposed_ps;
    frame->phase = _("update");
    if (f->of.apart_ps < 0) {
        rv_frame_say(frame,
                     _("Each GPU updates its own weights, %s, with its own gradient. The step took "
                       "%s."),
                     rule, step);
    } else if (!f->of.plan->overlap) {
        rv_frame_say(
            frame,
            _("All GPUs hold the same mean gradient, and each updates its own weights: %s. The step "
              "took %s; its exchange, %s, hid behind nothing."),
            rule, step, exchange);
    } else {
        rv_frame_say(
            frame,
            _("All GPUs hold the same mean gradient, and each updates its own weights: %s. The step took "
              "%s; without overlap it takes %s: of %s of exchange %s are hidden."),
            rule, step, rv_frame_time(frame, f->of.apart_ps), exchange,
            rv_frame_time(frame, hidden_ps > 0 ? hidden_ps : 0));
        rv_fill_busy(f, frame);
        rv_fill_scaling(f, frame);
    }
}

/* ------------------------------------------------------------------ dp: all goes through GPU 0 */

static void say_dp(rs_work work, const char *now, rv_frame *frame) {
    rv_frame_say(
        frame,
        work == RS_WORK_SCATTER
            ? _("GPU 0 cuts the batch and sends each GPU its part: done after %s.")
        : work == RS_WORK_COPY_MODEL
            ? _("GPU 0 sends the whole model to every other GPU, one after another, in every step: "
                "done after %s. The copies are thrown away at the step's end.")
        : work == RS_WORK_GATHER
            ? _("GPU 0 gathers all outputs, until %s, and computes the loss of the whole batch "
                "alone.")
        : work == RS_WORK_SCATTER_LOSS
            ? _("GPU 0 sends each GPU its part of the loss's gradient: done after %s.")
        : work == RS_WORK_BACKWARD
            ? _("Each GPU runs backward through its copy: the last until %s.")
        : work == RS_WORK_REDUCE
            ? _("GPU 0 takes in the gradients of all copies and adds them, until %s. Each is "
                "divided by the whole batch already, so the sum is the mean: DataParallel adds "
                "where DDP averages.")
        : work == RS_WORK_FORWARD
            ? _("A thread for each GPU starts its kernels. The threads run Python one at a time: "
                "the lock (GIL) is held for %s in all. Kernels run without it, and so does the "
                "backward pass.")
            : _("GPU 0 updates the only model that stays. The step took %s."),
        now);
}

static const char *dp_phase(rs_work work) {
    static const char *const phases[RS_N_WORKS] = {
        [RS_WORK_SCATTER] = N_("batch out"),     [RS_WORK_COPY_MODEL] = N_("model out"),
        [RS_WORK_FORWARD] = N_("forward pass"),  [RS_WORK_GATHER] = N_("outputs in, loss"),
        [RS_WORK_SCATTER_LOSS] = N_("loss out"), [RS_WORK_BACKWARD] = N_("backward pass"),
        [RS_WORK_REDUCE] = N_("gradients in"),   [RS_WORK_UPDATE] = N_("update")};
    return _(phases[work]);
}

static void fill_dp(const rv_train_facts *f, const rv_train_moment *m, rv_frame *frame) {
    const bool forward = m->work == RS_WORK_FORWARD;
    frame->phase = dp_phase(m->work);
    say_dp(m->work, rv_frame_time(frame, forward ? f->of.time->gil_ps : m->now_ps), frame);
    if (forward || m->work == RS_WORK_UPDATE) rv_fill_busy(f, frame);
    if (m->work == RS_WORK_UPDATE) rv_fill_scaling(f, frame);
}

/* ------------------------------------------------------------------ real steps */

static void fill_step(const rv_train_facts *f, const rv_train_moment *m, rv_frame *frame) {
    const rs_training *result = f->of.result;
    const rs_train_step *step = &result->steps[m->first];
    const bool replicas = f->of.train->mode != RS_DP;
    const int update = (int)m->first + 1, n_updates = (int)result->n_steps;
    const long long n_samples = step->n_samples;
    frame->phase = _("training");
    if (replicas && step->drift > 0) {
        rv_frame_say(
            frame,
            _("Update %d of %d, %lld samples: loss %.4g over all of them, %.4g over those of GPU 0. "
              "The replicas have drifted: weights differ by up to %.3g."),
            update, n_updates, n_samples, step->loss, step->first_loss, step->drift);
    } else {
        rv_frame_say(
            frame,
            replicas && f->of.plan->n_ranks > 1
                ? _("Update %d of %d, %lld samples: loss %.4g over all of them, %.4g over those "
                    "of GPU 0. All replicas have the same weights, bit for bit.")
                : _("Update %d of %d, %lld samples: loss %.4g over all of them, %.4g over those "
                    "of GPU 0."),
            update, n_updates, n_samples, step->loss, step->first_loss);
    }
    rv_fill_curves(f, m->first + 1, frame);
}

/* ------------------------------------------------------------------ the end */

static void fill_stuck(const rv_train_facts *f, const rv_train_moment *m, rv_frame *frame) {
    frame->phase = _("all-reduce");
    frame->bad = true;
    rv_say_stuck(f, frame);
    rv_fill_buckets(f, m, frame);
}

static void fill_timed_end(const rv_train_facts *f, rv_frame *frame) {
    const rs_step_time *time = f->of.time;
    frame->bad = rv_is_stuck(f);
    if (frame->bad) {
        rv_say_stuck(f, frame);
        return;
    }
    rv_frame_say(frame, _("End of the step: %s, of which %s (%d %%) wait for the exchange."),
                 rv_frame_time(frame, time->step_ps), rv_frame_time(frame, time->exposed_ps),
                 percent(time->exposed_ps, time->step_ps));
}

static void fill_verdict(const rv_train_facts *f, rv_frame *frame) {
    const rs_training *result = f->of.result;
    const int n_steps = result->n_steps, n_checked = result->n_checked;
    const double drift = n_steps > 0 ? result->steps[n_steps - 1].drift : 0.0;
    frame->good = !result->stopped && result->replicas_equal && result->exact && result->bounded &&
                  n_checked > 0;
    frame->bad = !frame->good && n_checked > 0;
    if (result->stopped) {
        frame->bad = true;
        rv_say_stuck(f, frame);
    } else if (f->of.train->mode == RS_NONE && f->of.plan->n_ranks > 1) {
        rv_frame_say(
            frame,
            _("Done, %d steps: %d different models, for nobody spoke with anybody. Weights "
              "differ by up to %.3g."),
            n_steps, (int)f->of.plan->n_ranks, drift);
    } else if (!result->replicas_equal) {
        frame->bad = true;
        rv_frame_say(
            frame,
            f->of.train->own_start
                ? _("Done, but the replicas differ by up to %.3g: they did not start from the "
                    "same weights, and equal updates keep the difference.")
                : _("Done, but the replicas differ by up to %.3g: the exchange did not leave the same "
                    "gradient everywhere."),
            drift);
    } else if (n_checked == 0) {
        rv_frame_say(frame, _("Done, %d steps; not compared with one GPU alone."), n_steps);
    } else if (!result->exact) {
        rv_frame_say(
            frame, _("Done, but wrong: the exchange did not leave the sum of all gradients, folded "
                     "in its own order."));
    } else if (!result->bounded) {
        rv_frame_say(
            frame,
            _("Done, but not what one GPU with all samples finds: the gradient is off by up "
              "to %.1f %% of its largest entry. The mean of the GPUs' means is not the mean "
              "over samples where they have different numbers of them."),
            result->off * 100);
    } else {
        rv_frame_say(frame,
                     _("Done: in %d of %d steps the gradient was compared with one GPU that works "
                       "through all samples. Folded in the same order it is the same, bit for bit; "
                       "added up plainly it differs by at most %.2g of what rounding may explain."),
                     n_checked, n_steps, result->worst_share);
    }
}

static void fill_end(const rv_train_facts *f, rv_frame *frame) {
    if (f->of.result != NULL) {
        fill_verdict(f, frame);
        rv_fill_replicas(f, frame);
    } else {
        fill_timed_end(f, frame);
    }
    if (rv_shows_shards(f) || f->of.plan->optimizer != RS_SGD) rv_fill_model_state(f, frame);
    rv_fill_memory(f, frame);
    rv_fill_curves(f, -1, frame);
    rv_fill_scaling(f, frame);
    if (frame->figures) rv_train_figures(f, frame);
}

void rv_fill_training(const rv_train_facts *f, int32_t step, rv_frame *frame) {
    frame->now_ps = step < 0 ? 0 : -1;
    if (step < 0) {
        fill_start(f, frame);
        return;
    }
    if (step >= f->n_moments) {
        fill_end(f, frame);
        return;
    }
    const rv_train_moment *m = &f->moments[step];
    frame->now_ps = m->now_ps;
    switch (m->kind) {
    case RV_TRAIN_FORWARD: fill_forward(f, m, frame); break;
    case RV_TRAIN_BACKWARD: fill_backward(f, m, frame); break;
    case RV_TRAIN_BUCKETS: fill_buckets(f, m, frame); break;
    case RV_TRAIN_UNITS: rv_fill_unit(f, m, frame); break;
    case RV_TRAIN_STUCK: fill_stuck(f, m, frame); break;
    case RV_TRAIN_UPDATE: fill_update(f, frame); break;
    case RV_TRAIN_GATHER: rv_fill_gather(f, frame); break;
    case RV_TRAIN_DP_WORK: fill_dp(f, m, frame); break;
    case RV_TRAIN_STEP: fill_step(f, m, frame); break;
    }
}
