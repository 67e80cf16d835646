/* story_train.h: the data from which a training's story is made. */
#pragma once

#include "ringsim_train.h"
#include "story/frame.h"

/* A step of n_ranks GPUs, under ddp and in another mode. */
typedef struct rv_scaling {
    int32_t n_ranks;
    int64_t ddp_ps, other_ps;
} rv_scaling;
/* Returns the mode that ddp's times are compared with: the sharded one that runs, or dp. */
rs_parallel rv_other_mode(rs_parallel mode);
/* Writes the modes whose model state is worth comparing with the plan's; returns how many. */
int rv_compared_modes(const rs_step_plan *plan, rs_parallel modes[RS_HSDP + 1]);

typedef struct rv_training {
    const char *model; /* "mlp", "resnet50.lay" */
    const rs_step_plan *plan;
    const rs_step_time *time;
    int64_t apart_ps;           /* the step without overlap; -1: not computed */
    const rs_train_plan *train; /* NULL: the training was timed, not computed ... */
    const rs_training *result;  /* ... then this is NULL, too */
    const rv_scaling *scaling;  /* by n_ranks */
    int32_t n_scaling;
} rv_training;

/* Makes the story; everything must outlive it. */
rs_status rv_story_of_training(const rv_training *training, rs_arena *arena, rs_error *error,
                               rv_story *story);
