/* story_train.c: a training as a story: its moments, and its lanes.
 *
 *     ddp    forward | buckets 1, 2, ... as they are exchanged | update | some later steps
 *     dp     batch out | model out | forward | outputs in | loss out | backward | gradients in | ...
 *     none   forward | backward | update | some later steps
 *     zero1, zero2   forward | buckets 1, 2, ... as they are scattered | update | all-gather | ...
 *     zero3, hsdp    buckets ..., 2, 1 forward | 1, 2, ... backward | update | some later steps
 *
 *   - The lanes show one step: what the first 16 GPUs compute and exchange; under dp also each
 *     thread and the lock that the threads share.
 *   - If there are many buckets, several share a moment; of many steps only some are moments.
 */
#include "story/train/train_facts.h"
#include "text/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BUCKET_MOMENTS = 12, MOST_STEP_MOMENTS = 8, MOST_MOMENTS = 64 };
enum { TITLE = 160 };

/* ------------------------------------------------------------------ moments */

static void add_moment(rv_train_facts *f, rv_train_moment moment) {
    if (f->n_moments < MOST_MOMENTS) f->moments[f->n_moments++] = moment;
}

/* Returns when all GPUs have done the work; -1: it takes no time, or its spans were not kept. */
static int64_t end_of(const rv_train_facts *f, rs_work work) {
    const rs_step_time *time = f->of.time;
    int64_t end = -1;
    for (int64_t i = 0; i < time->n_pieces; i++) {
        const rs_train_span *p = &time->pieces[i];
        if (p->work == work && p->lane != RS_LANE_GIL && p->end_ps > end) end = p->end_ps;
    }
    return end;
}

static void add_dp(rv_train_facts *f) {
    static const rs_work spans[] = {RS_WORK_SCATTER, RS_WORK_COPY_MODEL,   RS_WORK_FORWARD,
                                    RS_WORK_GATHER,  RS_WORK_SCATTER_LOSS, RS_WORK_BACKWARD,
                                    RS_WORK_REDUCE,  RS_WORK_UPDATE};
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        add_moment(f, (rv_train_moment){.kind = RV_TRAIN_DP_WORK,
                                        .work = spans[i],
                                        .now_ps = end_of(f, spans[i])});
    }
}

/* Returns when all GPUs have done the work with a bucket in the last pass. */
static int64_t end_with(const rv_train_facts *f, rs_work work, int32_t bucket) {
    const rs_step_time *time = f->of.time;
    int64_t end = 0;
    for (int64_t i = 0; i < time->n_pieces; i++) {
        const rs_train_span *p = &time->pieces[i];
        if (p->work == work && p->index == bucket && p->end_ps > end) end = p->end_ps;
    }
    return end;
}

/* zero3, hsdp: the buckets of both passes. */
static void add_units(rv_train_facts *f) {
    const int32_t n = f->of.plan->n_buckets;
    const int32_t n_moments = n < MOST_BUCKET_MOMENTS ? n : MOST_BUCKET_MOMENTS;
    for (int32_t i = 0; i < 2 * n_moments; i++) {
        const bool forward = i < n_moments;
        const int32_t m = forward ? n_moments - 1 - i : i - n_moments;
        const int32_t first = (int32_t)((int64_t)n * m / n_moments);
        const int32_t last = (int32_t)((int64_t)n * (m + 1) / n_moments) - 1;
        add_moment(f, (rv_train_moment){.kind = RV_TRAIN_UNITS,
                                        .work = forward ? RS_WORK_FORWARD : RS_WORK_BACKWARD,
                                        .first = first,
                                        .last = last,
                                        .now_ps = forward ? end_with(f, RS_WORK_FORWARD, first)
                                                          : f->of.time->buckets[last].end_ps});
    }
    add_moment(f, (rv_train_moment){.kind = RV_TRAIN_UPDATE, .now_ps = f->of.time->step_ps});
}

static void add_ddp(rv_train_facts *f) {
    const int32_t n = f->of.time->n_exchanged;
    const int32_t n_moments = n < MOST_BUCKET_MOMENTS ? n : MOST_BUCKET_MOMENTS;
    add_moment(f,
               (rv_train_moment){.kind = RV_TRAIN_FORWARD, .now_ps = end_of(f, RS_WORK_FORWARD)});
    if (f->of.plan->n_buckets == 0) {
        add_moment(
            f, (rv_train_moment){.kind = RV_TRAIN_BACKWARD, .now_ps = end_of(f, RS_WORK_BACKWARD)});
    }
    for (int32_t m = 0; m < n_moments; m++) {
        const int32_t first = (int32_t)((int64_t)n * m / n_moments);
        const int32_t last = (int32_t)((int64_t)n * (m + 1) / n_moments) - 1;
        add_moment(f, (rv_train_moment){.kind = RV_TRAIN_BUCKETS,
                                        .first = first,
                                        .last = last,
                                        .now_ps = f->of.time->buckets[last].end_ps});
    }
    if (rv_is_stuck(f)) {
        add_moment(f, (rv_train_moment){.kind = RV_TRAIN_STUCK,
                                        .first = n,
                                        .last = f->of.plan->n_buckets - 1,
                                        .now_ps = f->of.time->step_ps});
    }
    if (rs_waits_for(f->of.plan) >= 0) return;
    const bool gathers = rv_shows_shards(f);
    add_moment(
        f, (rv_train_moment){.kind = RV_TRAIN_UPDATE,
                             .now_ps = gathers ? end_of(f, RS_WORK_UPDATE) : f->of.time->step_ps});
    if (!gathers) return;
    add_moment(f, (rv_train_moment){.kind = RV_TRAIN_GATHER, .now_ps = f->of.time->step_ps});
}

/* Adds at most MOST_STEP_MOMENTS steps, from the first to the last, each farther from the one
   before by a constant factor. */
static void add_steps(rv_train_facts *f) {
    const int32_t n = f->of.result != NULL ? f->of.result->n_steps : 0;
    double factor = n > 1 ? pow(n, 1.0 / (MOST_STEP_MOMENTS - 1)) : 1;
    int32_t before = -1;
    for (int i = 0; i < MOST_STEP_MOMENTS && n > 0; i++) {
        int32_t step = (int32_t)(pow(factor, i) + 0.5) - 1;
        if (i == MOST_STEP_MOMENTS - 1 || step >= n) step = n - 1;
        if (step <= before) continue;
        add_moment(f, (rv_train_moment){.kind = RV_TRAIN_STEP, .first = step, .now_ps = -1});
        before = step;
    }
}

/* ------------------------------------------------------------------ what is plotted, and summed */

/* Returns the value to plot: where training diverges (inf, nan) the last finite one. */
static double plain(double value, double before) {
    return isfinite(value) ? value : before;
}

static void fill_curves(rv_train_facts *f) {
    const rs_training *result = f->of.result;
    const int32_t n = result != NULL ? result->n_steps : 0;
    f->n_points = n < RV_TRAIN_POINTS ? n : RV_TRAIN_POINTS;
    for (int32_t i = 0; i < f->n_points; i++) {
        const int32_t s = f->n_points < 2 ? 0 : (int32_t)((int64_t)(n - 1) * i / (f->n_points - 1));
        const int32_t j = i > 0 ? i - 1 : 0;
        f->step[i] = s + 1;
        f->loss[i] = plain(result->steps[s].loss, f->loss[j]);
        f->first_loss[i] = plain(result->steps[s].first_loss, f->first_loss[j]);
        f->drift[i] = plain(result->steps[s].drift, f->drift[j]);
    }
    const int32_t scales = f->of.n_scaling;
    f->n_scales = scales < RV_TRAIN_SCALES ? scales : RV_TRAIN_SCALES;
    for (int32_t i = 0; i < f->n_scales; i++) {
        f->gpus[i] = f->of.scaling[i].n_ranks;
        f->ddp_ms[i] = (double)f->of.scaling[i].ddp_ps * 1e-9;
        f->other_ms[i] = (double)f->of.scaling[i].other_ps * 1e-9;
    }
}

static void fill_busy(rv_train_facts *f) {
    const rs_step_time *time = f->of.time;
    for (int64_t i = 0; i < time->n_pieces; i++) {
        const rs_train_span *p = &time->pieces[i];
        const int64_t span = p->end_ps - p->start_ps;
        if (p->lane == RS_LANE_COMPUTE) f->compute_ps[p->rank] += span;
        if (p->lane == RS_LANE_NETWORK && p->work != RS_WORK_WAIT) f->network_ps[p->rank] += span;
    }
}

/* ------------------------------------------------------------------ the story */

/* Returns what people call a model, or a file of layers that comes with the program. */
static const char *model_word(const char *model) {
    static const char *const words[][2] = {{"resnet50.lay", "ResNet-50"},
                                           {"gpt2.lay", "GPT-2"},
                                           {"linreg", N_("Linear regression")},
                                           {"mlp", N_("Perceptron")}};
    const char *slash = strrchr(model, '/'), *base = slash != NULL ? slash + 1 : model;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(base, words[i][0]) == 0) return _(words[i][1]);
    }
    return model;
}

static const char *title_of(const rv_story *story) {
    const rv_train_facts *f = story->context;
    const int n = (int)f->of.plan->n_ranks;
    static const char *const modes[] = {[RS_DDP] = "DistributedDataParallel",
                                        [RS_DP] = "DataParallel",
                                        [RS_NONE] = N_("no exchange"),
                                        [RS_ZERO1] = "ZeRO-1",
                                        [RS_ZERO2] = "ZeRO-2",
                                        [RS_ZERO3] = "ZeRO-3 (FSDP)",
                                        [RS_HSDP] = "HSDP"};
    snprintf(f->title, TITLE, n == 1 ? _("%s, %s, %d GPU") : _("%s, %s, %d GPUs"),
             model_word(f->of.model), _(modes[f->of.plan->mode]), n);
    return f->title;
}

static void fill_frame(const rv_story *story, int32_t step, int32_t rank, rv_frame *frame) {
    (void)rank;
    rv_fill_training(story->context, step, frame);
}

rs_status rv_story_of_training(const rv_training *training, rs_arena *arena, rs_error *error,
                               rv_story *story) {
    rv_train_facts *f = rs_alloc(arena, 1, sizeof *f);
    const size_t n = (size_t)training->plan->n_ranks;
    if (f == NULL) return rs_no_memory(error);
    f->of = *training;
    f->title = rs_alloc(arena, TITLE, 1);
    f->moments = rs_alloc(arena, MOST_MOMENTS, sizeof *f->moments);
    f->compute_ps = rs_alloc(arena, n, sizeof *f->compute_ps);
    f->network_ps = rs_alloc(arena, n, sizeof *f->network_ps);
    if (f->title == NULL || f->moments == NULL || f->compute_ps == NULL || f->network_ps == NULL) {
        return rs_no_memory(error);
    }
    const bool dp = training->plan->mode == RS_DP && training->plan->n_ranks > 1;
    const bool shards = rv_shows_shards(f);
    if (dp) {
        add_dp(f);
    } else if (shards && rs_shards_weights(training->plan->mode)) {
        add_units(f);
    } else {
        add_ddp(f);
    }
    add_steps(f);
    fill_curves(f);
    fill_busy(f);
    rv_story made = {.title = title_of,
                     .n_steps = f->n_moments,
                     .n_ranks = training->plan->n_ranks,
                     .frame = fill_frame,
                     .context = f,
                     .end_ps = training->time->step_ps};
    if (!rv_add_train_lanes(f, arena, &made)) {
        return rs_no_memory(error);
    }
    *story = made;
    return RS_OK;
}
