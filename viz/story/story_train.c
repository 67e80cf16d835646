/* story_train.c: a training as a story: its moments, and its lanes.
 *
 *     ddp    forward | buckets 1, 2, ... as they are exchanged | update | some later steps
 *     dp     batch out | model out | forward | outputs in | loss out | backward | gradients in | ...
 *     none   forward | backward | update | some later steps
 *
 *   - The lanes show one step: what the first 16 GPUs compute and exchange; under dp also each
 *     thread and the lock that the threads share.
 *   - If there are many buckets, several share a moment; of many steps only some are moments.
 */
#include "story/train_facts.h"
#include "text/words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { MOST_LANE_RANKS = 16, MOST_BUCKET_MOMENTS = 12, MOST_STEP_MOMENTS = 8, MOST_MOMENTS = 64 };
enum { LANE_NAME = 32, TITLE = 160 };

/* ------------------------------------------------------------------ words */

static const char *word_forward(void) {
    return _("forward");
}
static const char *word_backward(void) {
    return _("backward");
}
static const char *word_update(void) {
    return _("update");
}
static const char *word_all_reduce(void) {
    return _("all-reduce");
}
static const char *word_waits(void) {
    return _("waits for others");
}
static const char *word_python(void) {
    return _("Python, with the lock");
}
static const char *word_lock(void) {
    return _("waits for the lock");
}
static const char *word_samples(void) {
    return _("samples, outputs");
}
static const char *word_model(void) {
    return _("model");
}
static const char *word_gradients(void) {
    return _("gradients");
}

static const rv_kind ddp_kinds[] = {{word_forward, RV_TONE_PLAIN, false},
                                    {word_backward, RV_TONE_NEW, false},
                                    {word_all_reduce, RV_TONE_ADDED, false},
                                    {word_update, RV_TONE_GOOD, false},
                                    {word_waits, RV_TONE_QUIET, true}};
static const rv_kind dp_kinds[] = {
    {word_forward, RV_TONE_PLAIN, false},   {word_backward, RV_TONE_NEW, false},
    {word_gradients, RV_TONE_ADDED, false}, {word_update, RV_TONE_GOOD, false},
    {word_lock, RV_TONE_QUIET, true},       {word_python, RV_TONE_BAD, false},
    {word_samples, RV_TONE_LEAVES, false},  {word_model, RV_TONE_LEAVES, false}};

static int32_t kind_of(rs_work work) {
    switch (work) {
    case RS_WORK_FORWARD: return 0;
    case RS_WORK_BACKWARD: return 1;
    case RS_WORK_ALL_REDUCE:
    case RS_WORK_REDUCE: return 2;
    case RS_WORK_LOSS:
    case RS_WORK_UPDATE: return 3;
    case RS_WORK_WAIT:
    case RS_WORK_GIL_WAIT: return 4;
    case RS_WORK_PYTHON: return 5;
    case RS_WORK_COPY_MODEL: return 7;
    default: return 6;
    }
}

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

static void add_ddp(rv_train_facts *f) {
    const int32_t n = f->of.plan->n_buckets;
    const int32_t n_moments = n < MOST_BUCKET_MOMENTS ? n : MOST_BUCKET_MOMENTS;
    add_moment(f,
               (rv_train_moment){.kind = RV_TRAIN_FORWARD, .now_ps = end_of(f, RS_WORK_FORWARD)});
    if (n == 0) {
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
    add_moment(f, (rv_train_moment){.kind = RV_TRAIN_UPDATE, .now_ps = f->of.time->step_ps});
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

/* ------------------------------------------------------------------ lanes */

static bool has_thread_lanes(const rv_train_facts *f) {
    return f->of.plan->mode == RS_DP && f->of.plan->n_ranks > 1 && f->of.time->gil_ps > 0;
}

static int32_t lane_ranks(const rv_train_facts *f) {
    const int32_t n = f->of.plan->n_ranks;
    return n < MOST_LANE_RANKS ? n : MOST_LANE_RANKS;
}

/* Returns the lane of a span: GIL | thread 0 .. | GPU 0 | GPU 0 net | GPU 1 ...; -1: it is not
   shown. */
static int32_t lane_of(const rv_train_facts *f, const rs_train_span *piece) {
    const int32_t n = lane_ranks(f), threads = has_thread_lanes(f) ? n + 1 : 0;
    const int32_t each = f->of.plan->mode == RS_NONE || f->of.plan->n_ranks == 1 ? 1 : 2;
    if (piece->lane == RS_LANE_GIL) return threads > 0 ? 0 : -1;
    if (piece->rank >= n) return -1;
    if (piece->lane == RS_LANE_THREAD) return threads > 0 ? 1 + piece->rank : -1;
    return threads + each * piece->rank + (piece->lane == RS_LANE_NETWORK);
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static const char *
text_of(rs_arena *arena, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = rs_alloc(arena, LANE_NAME, 1);
    if (text != NULL) vsnprintf(text, LANE_NAME, format, arguments);
    va_end(arguments);
    return text != NULL ? text : "";
}

static bool name_lanes(const rv_train_facts *f, rs_arena *arena, rv_story *story) {
    const int32_t n = lane_ranks(f);
    const bool threads = has_thread_lanes(f);
    const bool network = f->of.plan->mode != RS_NONE && f->of.plan->n_ranks > 1;
    const char **names = rs_alloc(arena, (size_t)n * 3 + 1, sizeof *names);
    if (names == NULL) return false;
    int32_t at = 0;
    if (threads) names[at++] = "GIL";
    for (int32_t r = 0; r < n && threads; r++) names[at++] = text_of(arena, "thread %d", (int)r);
    for (int32_t r = 0; r < n; r++) {
        names[at++] = text_of(arena, "GPU %d", (int)r);
        if (network) names[at++] = text_of(arena, "GPU %d net", (int)r);
    }
    story->lane_names = names;
    story->n_lanes = at;
    return true;
}

/* Returns the moment to which a span belongs; -1: none. */
static int32_t moment_of(const rv_train_facts *f, const rs_train_span *piece) {
    for (int32_t m = 0; m < f->n_moments; m++) {
        const rv_train_moment *moment = &f->moments[m];
        const bool bucket = piece->work == RS_WORK_ALL_REDUCE || piece->work == RS_WORK_WAIT ||
                            piece->work == RS_WORK_BACKWARD;
        switch (moment->kind) {
        case RV_TRAIN_FORWARD:
            if (piece->work == RS_WORK_FORWARD) return m;
            break;
        case RV_TRAIN_BACKWARD:
            if (piece->work == RS_WORK_BACKWARD) return m;
            break;
        case RV_TRAIN_BUCKETS:
            if (bucket && piece->index >= moment->first && piece->index <= moment->last) return m;
            break;
        case RV_TRAIN_UPDATE:
            if (piece->work == RS_WORK_UPDATE) return m;
            break;
        case RV_TRAIN_DP_WORK:
            if (piece->work == moment->work) return m;
            break;
        case RV_TRAIN_STEP: break;
        }
    }
    return -1;
}

static const char *label_of(rs_arena *arena, const rs_train_span *piece) {
    const bool bucket = piece->work == RS_WORK_ALL_REDUCE;
    return bucket ? text_of(arena, "%d", (int)piece->index + 1) : NULL;
}

static bool add_works(const rv_train_facts *f, rs_arena *arena, rv_story *story) {
    const rs_step_time *time = f->of.time;
    rv_work_span *spans = rs_alloc(arena, (size_t)time->n_pieces + 1, sizeof *spans);
    if (spans == NULL) return false;
    for (int64_t i = 0; i < time->n_pieces; i++) {
        const rs_train_span *piece = &time->pieces[i];
        const int32_t lane = lane_of(f, piece);
        if (lane < 0) continue;
        spans[story->n_spans++] = (rv_work_span){.lane = lane,
                                                 .start_ps = piece->start_ps,
                                                 .end_ps = piece->end_ps,
                                                 .kind = kind_of(piece->work),
                                                 .step = moment_of(f, piece),
                                                 .label = label_of(arena, piece)};
    }
    story->spans = spans;
    return true;
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
        f->dp_ms[i] = (double)f->of.scaling[i].dp_ps * 1e-9;
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

static const char *title_of(const rv_story *story) {
    static const char *const modes[] = {"ddp", "dp", "none"};
    const rv_train_facts *f = story->context;
    const int n = (int)f->of.plan->n_ranks;
    snprintf(f->title, TITLE, n == 1 ? _("%s on %d GPU, mode %s") : _("%s on %d GPUs, mode %s"),
             f->of.model, n, modes[f->of.plan->mode]);
    return f->title;
}

static rs_status fill_frame(const rv_story *story, int32_t step, int32_t rank, rv_frame *frame,
                            rs_error *error) {
    (void)rank, (void)error;
    rv_fill_training(story->context, step, frame);
    return RS_OK;
}

rs_status rv_story_of_training(const rv_training *training, rs_arena *arena, rs_error *error,
                               rv_story *story) {
    rv_train_facts *f = rs_alloc(arena, 1, sizeof *f);
    const size_t n = (size_t)training->plan->n_ranks;
    if (f == NULL) return rs_fail(error, RS_NO_MEMORY, "no memory for the story");
    f->of = *training;
    f->title = rs_alloc(arena, TITLE, 1);
    f->moments = rs_alloc(arena, MOST_MOMENTS, sizeof *f->moments);
    f->compute_ps = rs_alloc(arena, n, sizeof *f->compute_ps);
    f->network_ps = rs_alloc(arena, n, sizeof *f->network_ps);
    if (f->title == NULL || f->moments == NULL || f->compute_ps == NULL || f->network_ps == NULL) {
        return rs_fail(error, RS_NO_MEMORY, "no memory for the story");
    }
    const bool dp = training->plan->mode == RS_DP && training->plan->n_ranks > 1;
    if (dp) {
        add_dp(f);
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
    const rv_kind *kinds = dp ? dp_kinds : ddp_kinds;
    const size_t n_kinds = dp ? sizeof dp_kinds : sizeof ddp_kinds;
    for (size_t i = 0; i < n_kinds / sizeof *kinds; i++) made.kinds[i] = kinds[i];
    if (!name_lanes(f, arena, &made) || !add_works(f, arena, &made)) {
        return rs_fail(error, RS_NO_MEMORY, "no memory for the timeline");
    }
    *story = made;
    return RS_OK;
}
