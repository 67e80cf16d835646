/* train_facts.h: a training as moments: story_train.c lists them, train_frames.c says their sentences,
 * shard_frames.c those of sharded steps, and train_grids.c makes their tables and curves. Private to viz/story/. */
#pragma once

#include "story/story_train.h"

typedef enum rv_train_kind {
    RV_TRAIN_FORWARD,  /* ddp, none */
    RV_TRAIN_BACKWARD, /* none */
    RV_TRAIN_BUCKETS,  /* ddp, zero1, zero2: buckets first..last */
    RV_TRAIN_UNITS,    /* zero3, hsdp: buckets first..last in the pass `work` */
    RV_TRAIN_STUCK,    /* ddp: buckets first.. that are never exchanged */
    RV_TRAIN_UPDATE,
    RV_TRAIN_GATHER,  /* zero1, zero2: the updated weights */
    RV_TRAIN_DP_WORK, /* dp: the work `work` */
    RV_TRAIN_STEP     /* real training: after update number `first`, from 0 */
} rv_train_kind;

typedef struct rv_train_moment {
    rv_train_kind kind;
    rs_work work;
    int32_t first, last;
    int64_t now_ps; /* when the moment ends; -1: it is not on the timeline */
} rv_train_moment;

enum { RV_TRAIN_POINTS = 256, RV_TRAIN_SCALES = 16 };
typedef struct rv_train_facts {
    rv_training of;
    char *title; /* in the language that was last asked for */
    rv_train_moment *moments;
    int32_t n_moments;
    int64_t *compute_ps, *network_ps; /* [n_ranks] how long they are busy in the step */
    /* the plots' points */
    int32_t n_points, n_scales;
    double step[RV_TRAIN_POINTS], loss[RV_TRAIN_POINTS], first_loss[RV_TRAIN_POINTS],
        drift[RV_TRAIN_POINTS];
    double gpus[RV_TRAIN_SCALES], ddp_ms[RV_TRAIN_SCALES], other_ms[RV_TRAIN_SCALES];
} rv_train_facts;

/* Fills the frame of the start (step -1), of a moment, or of the end (n_moments). */
void rv_fill_training(const rv_train_facts *facts, int32_t step, rv_frame *frame);
/* train_figures.c: adds the figures to the end. */
void rv_train_figures(const rv_train_facts *facts, rv_frame *frame);
/* train_lanes.c: adds the timeline to a story whose moments are there. False: no memory. */
bool rv_add_train_lanes(const rv_train_facts *facts, rs_arena *arena, rv_story *story);
/* shard_frames.c: how many bytes a moment's buckets have together. */
const char *rv_bucket_bytes(const rv_train_facts *facts, const rv_train_moment *moment,
                            rv_frame *frame);
/* The moments of sharded steps. `rule`: the optimizer's, as a formula. */
void rv_fill_sharded_start(const rv_train_facts *facts, rv_frame *frame);
void rv_fill_scatter(const rv_train_facts *facts, const rv_train_moment *moment, rv_frame *frame);
void rv_fill_unit(const rv_train_facts *facts, const rv_train_moment *moment, rv_frame *frame);
void rv_fill_sharded_update(const rv_train_facts *facts, const char *rule, rv_frame *frame);
void rv_fill_gather(const rv_train_facts *facts, rv_frame *frame);
/* Tells whether a step is shown in shards. */
static inline bool rv_shows_shards(const rv_train_facts *facts) {
    const rs_step_plan *plan = facts->of.plan;
    return rs_is_sharded(plan->mode) && plan->n_ranks > 1 && plan->n_buckets > 0;
}
/* ddp_frames.c: what DDP minds. Says why a step, or a training, does not go on; notes what a case costs and keeps. */
void rv_say_stuck(const rv_train_facts *facts, rv_frame *frame);
void rv_note_case(const rv_train_facts *facts, rv_frame *frame);
static inline bool rv_is_stuck(const rv_train_facts *facts) {
    return facts->of.time->n_exchanged < facts->of.plan->n_buckets;
}
/* The grids and plots of a moment. */
void rv_fill_model_state(const rv_train_facts *facts, rv_frame *frame);
/* NULL: the start */
void rv_fill_stages(const rv_train_facts *facts, const rv_train_moment *moment, rv_frame *frame);
void rv_fill_buckets(const rv_train_facts *facts, const rv_train_moment *moment, rv_frame *frame);
void rv_fill_memory(const rv_train_facts *facts, rv_frame *frame);
void rv_fill_busy(const rv_train_facts *facts, rv_frame *frame);
void rv_fill_replicas(const rv_train_facts *facts, rv_frame *frame);
void rv_fill_curves(const rv_train_facts *facts, double at, rv_frame *frame);
void rv_fill_scaling(const rv_train_facts *facts, rv_frame *frame);
