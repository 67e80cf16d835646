/* perceptron.h: what the files of real training share. Private to sim/.
 *
 *     gemm.c          the one loop in which all arithmetic is done
 *     samples.c       inputs, answers and starting weights out of numbers
 *     perceptron.c    the gradient over some samples
 *     train.c         the steps;  train_check.c  are they right
 *     train_own.c     what each rank updates, and the optimizers;  running_means.c  buffers
 */
#pragma once

#include "ringsim_train.h"

/* C[m][n] += sum over k of A(m, k) B[k][n], k = 0, 1, 2, ... in this order for every element, each
   product and sum rounded: the same bits however tiled. A(m, k) is a[m * a_row + k * a_column];
   rows of B and C are n_columns long. */
void rs_multiply_add(int64_t n_rows, int64_t n_columns, int64_t n_inner, const float a[],
                     int64_t a_row, int64_t a_column, const float b[], float c[]);

enum { RS_TILE = 32 }; /* samples that are worked on together; no result depends on it */

/* Where the tensors lie in the flat weights and gradient: in the order of the backward pass, last
   layer first, bias before weight. Weight l is [sizes[l]][sizes[l + 1]]. */
typedef struct rs_shape {
    rs_model model;
    int32_t n_layers; /* n_sizes - 1 */
    int64_t weight[RS_MAX_SIZES], bias[RS_MAX_SIZES];
    int64_t n_parameters;
    const uint8_t *pictures; /* [10][784] of the mlp's classes; NULL */
    const float *truth;      /* [inputs] of the linreg; NULL */
} rs_shape;
rs_status rs_shape_of(const rs_model *model, rs_arena *arena, rs_error *error, rs_shape *shape);
/* Writes one sample's input, and its answer. Returns its class; linreg: -1. */
int32_t rs_sample_of(const rs_shape *shape, int64_t sample, float input[], float answer[]);
void rs_start_weights(const rs_shape *shape, uint64_t seed, float weights[]);

/* Room for one gradient on its way. */
typedef struct rs_room {
    float *values[RS_MAX_SIZES]; /* [RS_TILE][sizes[l]] outputs of layer l; 0: the input */
    float *deltas[RS_MAX_SIZES]; /* dE / d of the same */
    float *answers, *turned;     /* a weight's transpose */
    float *sizes[2];             /* [RS_TILE][largest] absolute values */
    int32_t without;             /* whose bias is left out, layers counted from 1; 0: none's */
} rs_room;
rs_status rs_room_new(const rs_shape *shape, rs_arena *arena, rs_error *error, rs_room *room);

typedef struct rs_found {
    double loss; /* the sum over the samples */
    int64_t n_right;
} rs_found;
/* Adds up the gradient of E over samples, one after another. `sizes`, where it is not NULL, gets
   the sum of the absolute values of all that was added. Both are overwritten. Where the host says stop, it
   ends early, and they are of no use. */
rs_found rs_gradient(const rs_shape *shape, const float weights[], const int64_t samples[],
                     int64_t n_samples, rs_room *room, const rs_host *host, float gradient[],
                     float sizes[]);

/* What an optimizer does with one number a parameter, at its step t = 1, 2, ... */
typedef struct rs_update {
    rs_optimizer optimizer;
    float rate;
    float left1, left2; /* adam: 1 - b1^t, 1 - b2^t */
} rs_update;

/* train_own.c: the optimizers' states, and what a rank updates: its shards, or all. */
typedef struct rs_updater {
    const rs_train_plan *plan;
    int64_t n_parameters;
    float **states[2]; /* [n_ranks] a number for each parameter that the rank updates; NULL */
    double powers[2];  /* adam: b1^t, b2^t */
} rs_updater;
rs_status rs_updater_new(const rs_train_plan *plan, int64_t n_parameters, rs_arena *arena,
                         rs_error *error, rs_updater *updater);
/* Begins a step. */
void rs_updater_next(rs_updater *updater);
/* Divides the rank's part of the gradient by `divisor` and updates its part of the weights. Under zero3 and hsdp
   all other weights are lost: they become NaN. */
void rs_update_rank(const rs_updater *updater, int32_t rank, int64_t divisor, float gradient[],
                    float weights[]);

/* running_means.c: what a BatchNorm of the inputs would keep on each rank. */
typedef struct rs_means {
    float **kept;  /* [n_ranks + 1][n_inputs] the last: over the samples of all ranks */
    float **batch; /* [n_ranks][n_inputs + 1] sums over a step's samples, and how many those are */
} rs_means;
rs_status rs_means_new(const rs_train_plan *plan, rs_arena *arena, rs_error *error,
                       rs_means *means);
/* Takes a step's samples in: m = 0.9 m + 0.1 (their mean), after what plan->ddp->buffers says. */
rs_status rs_means_step(const rs_train_plan *plan, const rs_shape *shape, int64_t *const samples[],
                        const int64_t n_samples[], const rs_means *means, rs_error *error);
/* Fills in buffers_apart and buffers_off. */
void rs_means_end(const rs_train_plan *plan, const rs_means *means, rs_training *training);

/* train_check.c: one step's gradient once more, by one rank alone. */
typedef struct rs_step_check {
    const rs_train_plan *plan;
    const rs_shape *shape;
    const float *weights;     /* of rank 0, before the step */
    int64_t *const *samples;  /* [n_ranks] */
    const int64_t *n_samples; /* [n_ranks] */
    const int64_t *n_dealt;   /* [n_ranks] of the whole step, where several exchanges make one */
    float *const *summed;     /* [n_ranks] what the exchange left; rank 0's counts for the bound */
    const float *mean;        /* rank 0's final gradient */
    float **again;            /* [n_ranks] each shard's, found anew; */
    float *plain, *sizes;     /* of all samples, one after another */
    int64_t *all;             /* all samples of the step */
    rs_room *rooms;           /* [n_ranks + 1] */
    const rs_host *host;
} rs_step_check;
/* Compares what an exchange left with the folds; the mean with that over all samples. */
rs_status rs_check_folds(rs_step_check *check, rs_error *error, rs_training *training);
rs_status rs_check_mean(rs_step_check *check, rs_error *error, rs_training *training);
