/* train_frames.c: the sentences of a training's moments. */
#include "story/train/train_facts.h"
#include "text/words.h"

#include <math.h>
#include <stdio.h>

enum { NUMBER = 32 };

static void say_time(int64_t ps, char out[NUMBER]) {
    rv_format_time(ps, out, NUMBER);
}

static void say_bytes(int64_t n_bytes, char out[NUMBER]) {
    rv_format_bytes(n_bytes, out, NUMBER);
}

/* Returns hundredths of `part` in `whole`. */
static int percent(int64_t part, int64_t whole) {
    return whole > 0 ? (int)((double)part * 100 / (double)whole + 0.5) : 0;
}

/* ------------------------------------------------------------------ the start */

static void fill_start(const rv_train_facts *f, rv_frame *frame) {
    const rs_step_plan *plan = f->of.plan;
    char bytes[NUMBER];
    say_bytes(plan->layers->parameters * RS_ELEMENT_BYTES, bytes);
    const int n = plan->n_ranks;
    const long long parameters = plan->layers->parameters, batch = plan->batch[0];
    if (rv_shows_shards(f)) {
        rv_fill_sharded_start(f, frame);
        return;
    }
    if (plan->mode == RS_DP && n > 1) {
        rv_frame_say(
            frame,
            _("Start: one process with a thread for each of %d GPUs. GPU 0 alone holds the "
              "model, %lld parameters (%s), and the batch, %lld samples a GPU."),
            n, parameters, bytes, batch);
    } else if (plan->mode == RS_NONE && n > 1) {
        rv_frame_say(frame,
                     _("Start: %d processes that never speak. Each GPU holds the whole model, %lld "
                       "parameters (%s), and %lld samples of its own."),
                     n, parameters, bytes, batch);
    } else {
        rv_frame_say(frame,
                     _("Start: a process for each of %d GPUs. Each holds the whole model, %lld "
                       "parameters (%s), the same weights, and %lld samples of its own."),
                     n, parameters, bytes, batch);
    }
    rv_fill_memory(f, frame);
}

/* ------------------------------------------------------------------ ddp */

static void fill_forward(const rv_train_facts *f, const rv_train_moment *m, rv_frame *frame) {
    const rs_step_plan *plan = f->of.plan;
    char now[NUMBER];
    say_time(m->now_ps, now);
    frame->phase = _("forward pass");
    if (plan->accumulate > 1) {
        rv_frame_say(
            frame,
            _("Each GPU works through %d batches, forward and backward, by itself. Gradients "
              "add up; only those of the last batch will be exchanged (no_sync). The last "
              "forward pass ends after %s."),
            (int)plan->accumulate, now);
    } else {
        rv_frame_say(frame,
                     _("Each GPU runs its own samples through its own model, after %s the last."),
                     now);
    }
}

static void fill_backward(const rv_train_facts *f, const rv_train_moment *m, rv_frame *frame) {
    char now[NUMBER];
    (void)f;
    say_time(m->now_ps, now);
    frame->phase = _("backward pass");
    rv_frame_say(frame,
                 _("Backward: each GPU finds its own gradients, after %s the last. Nobody "
                   "exchanges anything."),
                 now);
}

static void fill_bucket(const rv_train_facts *f, const rv_train_moment *m, rv_frame *frame) {
    const rs_bucket *bucket = &f->of.plan->buckets[m->first];
    const rs_bucket_time *time = &f->of.time->buckets[m->first];
    const rs_layer *layers = f->of.plan->layers->items;
    char bytes[NUMBER], ready[NUMBER], start[NUMBER], end[NUMBER];
    say_bytes(bucket->count * RS_ELEMENT_BYTES, bytes);
    say_time(time->ready_ps, ready);
    say_time(time->start_ps, start);
    say_time(time->end_ps, end);
    const int number = (int)m->first + 1;
    const char *from = layers[bucket->first_layer].name, *to = layers[bucket->last_layer].name;
    if (!f->of.plan->overlap) {
        rv_frame_say(
            frame,
            _("Bucket %d has the gradients from %s to %s: %s. They are there after %s; the "
              "all-reduce runs from %s to %s: it waited for the end of the backward pass."),
            number, from, to, bytes, ready, start, end);
    } else if (f->of.plan->n_buckets == 1) {
        rv_frame_say(
            frame,
            _("All gradients, %s, fill one bucket. It is there after %s, when the backward pass "
              "ends: the all-reduce, from %s to %s, hides behind nothing. Smaller buckets "
              "(--bucket-mb) begin earlier."),
            bytes, ready, start, end);
    } else if (m->first == f->of.plan->n_buckets - 1) {
        rv_frame_say(
            frame,
            _("The last bucket, number %d, has the gradients from %s to %s: %s. They are there "
              "after %s, when the backward pass ends: this all-reduce, from %s to %s, hides "
              "behind nothing."),
            number, from, to, bytes, ready, start, end);
    } else {
        rv_frame_say(
            frame,
            _("Bucket %d has the gradients from %s to %s: %s. They are there after %s; the "
              "all-reduce runs from %s to %s, while the backward pass goes on."),
            number, from, to, bytes, ready, start, end);
    }
}

static void fill_some_buckets(const rv_train_facts *f, const rv_train_moment *m, rv_frame *frame) {
    const rs_bucket *buckets = f->of.plan->buckets;
    int64_t count = 0;
    for (int32_t b = m->first; b <= m->last; b++) count += buckets[b].count;
    char bytes[NUMBER], start[NUMBER], end[NUMBER];
    say_bytes(count * RS_ELEMENT_BYTES, bytes);
    say_time(f->of.time->buckets[m->first].start_ps, start);
    say_time(f->of.time->buckets[m->last].end_ps, end);
    rv_frame_say(
        frame,
        _("Buckets %d to %d, %s together, are all-reduced from %s to %s, one after another."),
        (int)m->first + 1, (int)m->last + 1, bytes, start, end);
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
    char step[NUMBER], apart[NUMBER], hidden[NUMBER], exchange[NUMBER];
    say_time(time->step_ps, step);
    say_time(f->of.apart_ps, apart);
    say_time(time->exchange_ps, exchange);
    const int64_t hidden_ps = time->exchange_ps - time->exposed_ps;
    say_time(hidden_ps > 0 ? hidden_ps : 0, hidden);
    frame->phase = _("update");
    if (f->of.apart_ps < 0) {
        rv_frame_say(frame,
                     _("Each GPU updates its own weights, %s, with its own gradient. The step took "
                       "%s."),
                     rule, step);
        return;
    }
    if (!f->of.plan->overlap) {
        rv_frame_say(
            frame,
            _("All GPUs hold the same mean gradient, and each updates its own weights: %s. The step "
              "took %s; its exchange, %s, hid behind nothing."),
            rule, step, exchange);
        return;
    }
    rv_frame_say(
        frame,
        _("All GPUs hold the same mean gradient, and each updates its own weights: %s. The step took "
          "%s; without overlap it takes %s: of %s of exchange %s are hidden."),
        rule, step, apart, exchange, hidden);
    rv_fill_busy(f, frame);
    rv_fill_scaling(f, frame);
}

/* ------------------------------------------------------------------ real steps */

static void fill_step(const rv_train_facts *f, const rv_train_moment *m, rv_frame *frame) {
    const rs_training *result = f->of.result;
    const rs_train_step *step = &result->steps[m->first];
    frame->phase = _("training");
    if (f->of.train->mode != RS_DP && step->drift > 0) {
        rv_frame_say(
            frame,
            _("Update %d of %d, %lld samples: loss %.4g over all of them, %.4g over those of GPU 0. "
              "The replicas have drifted: weights differ by up to %.3g."),
            (int)m->first + 1, (int)result->n_steps, (long long)step->n_samples, step->loss,
            step->first_loss, step->drift);
    } else if (f->of.train->mode != RS_DP && f->of.plan->n_ranks > 1) {
        rv_frame_say(
            frame,
            _("Update %d of %d, %lld samples: loss %.4g over all of them, %.4g over those of GPU 0. "
              "All replicas have the same weights, bit for bit."),
            (int)m->first + 1, (int)result->n_steps, (long long)step->n_samples, step->loss,
            step->first_loss);
    } else {
        rv_frame_say(frame,
                     _("Update %d of %d, %lld samples: loss %.4g over all of them, %.4g over those "
                       "of GPU 0."),
                     (int)m->first + 1, (int)result->n_steps, (long long)step->n_samples,
                     step->loss, step->first_loss);
    }
    rv_fill_curves(f, m->first + 1, frame);
}

/* ------------------------------------------------------------------ the end */

static void fill_timed_end(const rv_train_facts *f, rv_frame *frame) {
    const rs_step_time *time = f->of.time;
    char step[NUMBER], exposed[NUMBER];
    say_time(time->step_ps, step);
    say_time(time->exposed_ps, exposed);
    rv_frame_say(frame, _("End of the step: %s, of which %s (%d %%) wait for the exchange."), step,
                 exposed, percent(time->exposed_ps, time->step_ps));
}

static void fill_verdict(const rv_train_facts *f, rv_frame *frame) {
    const rs_training *result = f->of.result;
    const int n_steps = result->n_steps, n_checked = result->n_checked;
    const bool alone = f->of.train->mode == RS_NONE && f->of.plan->n_ranks > 1;
    frame->good = result->replicas_equal && result->exact && result->bounded && n_checked > 0;
    frame->bad = !frame->good && n_checked > 0;
    if (alone) {
        rv_frame_say(
            frame,
            _("Done, %d steps: %d different models, for nobody spoke with anybody. Weights "
              "differ by up to %.3g."),
            n_steps, (int)f->of.plan->n_ranks,
            n_steps > 0 ? result->steps[n_steps - 1].drift : 0.0);
    } else if (!result->replicas_equal && !f->of.train->own_start) {
        frame->bad = true;
        rv_frame_say(
            frame,
            _("Done, but the replicas differ by up to %.3g: the exchange did not leave the same "
              "gradient everywhere."),
            n_steps > 0 ? result->steps[n_steps - 1].drift : 0.0);
    } else if (!result->replicas_equal) {
        frame->bad = true;
        rv_frame_say(frame,
                     _("Done, but the replicas differ by up to %.3g: they did not start from the "
                       "same weights, and equal updates keep the difference."),
                     n_steps > 0 ? result->steps[n_steps - 1].drift : 0.0);
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
    case RV_TRAIN_UPDATE: fill_update(f, frame); break;
    case RV_TRAIN_GATHER: rv_fill_gather(f, frame); break;
    case RV_TRAIN_DP_WORK: rv_fill_dp(f, m, frame); break;
    case RV_TRAIN_STEP: fill_step(f, m, frame); break;
    }
}
