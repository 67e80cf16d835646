/* train.h: what the files of `ringsim train` share.
 *
 *     options --train_read.c--> rc_trained --rs_time_step, rs_train--> story, JSON (train_print.c)
 *             train_gpus.c, train_ddp.c
 *                               several world sizes --train_print.c--> table, CSV, JSON
 */
#pragma once

#include "run/command.h"
#include "story/story_train.h"

/* Options of its own. */
enum {
    RC_MODE = RC_OWN,
    RC_MODEL,
    RC_HIDDEN,
    RC_LEARNING_RATE,
    RC_MEAN,
    RC_NO_BROADCAST,
    RC_FLOPS,
    RC_SLOW_GPU,
    RC_BUCKET_MB,
    RC_NO_OVERLAP,
    RC_ACCUMULATE,
    RC_OPTIMIZER,
    RC_PREFETCH,
    RC_UNUSED,
    RC_FIND_UNUSED,
    RC_BUFFERS,
    RC_UNEVEN,
    RC_JOIN,
    RC_EVERY_BATCH,
};

enum { RC_MODEL_NAME = 96, RC_MOST_BATCH = 1 << 20 };
typedef struct rc_trained {
    char model[RC_MODEL_NAME];
    bool real; /* linreg or mlp: it is trained, too */
    rs_layers layers;
    rs_schedule schedule;
    const rs_algorithm *algorithm; /* NULL: a file's schedule */
    rs_order order;
    int32_t gpus_per_node; /* 0: the algorithm chooses, or has none */
    bool dealt;            /* nodes in turn, not in order */
    rs_machine *machine;   /* plan.net.machine points here; NULL: private links */
    int64_t first_bucket_bytes, bucket_bytes;
    int64_t *sizes, n_sizes; /* world sizes; one: a story, several: a table */
    rs_ddp_case ddp;
    rs_step_plan plan;
    rs_train_plan train;
    rs_schedule reduce; /* dp's additions on GPU 0 */
    /* what came out */
    rs_step_time time;
    int64_t apart_ps; /* without overlap; -1: not asked */
    rs_training result;
    rv_scaling *scaling;
    int32_t n_scaling;
} rc_trained;

/* Reads and checks all options; nothing is computed. */
rc_exit rc_read_training(rc_session *session, rc_trained *trained);
/* train_gpus.c: machine, GPUs, mode and schedule. */
rc_exit rc_read_train_gpus(rc_session *session, rc_trained *trained);
/* train_ddp.c: what DDP minds: unused layers, buffers, uneven inputs, accumulation. */
rc_exit rc_read_ddp_case(rc_session *session, rc_trained *trained);
/* train_gpus.c: refuses options that make no sense in this mode. */
rc_exit rc_check_train_mode(rc_session *session, const rc_trained *trained);
/* Fills in the schedule for n_ranks by name; a file's schedule stays. */
rc_exit rc_train_schedule(const rc_trained *trained, int32_t n_ranks, rs_error *error,
                          rs_schedule *schedule);

/* Prints several world sizes as a table. */
void rc_print_scaling(const rc_trained *trained);
/* Prints them comma-separated. */
void rc_csv_scaling(const rc_trained *trained);
/* Prints ringsim.train/1, with every piece of work if `pieces`. sandbox: what held the learner's program that
   made the schedule; "": none did. */
void rc_json_trained(const rc_trained *trained, const char *sandbox, bool pieces, FILE *out);
