/* ringsim_train.h: data-parallel training: when each GPU does what in a step, and real steps of
 * small models.
 *
 *     LAYERS (a table) --cut--> BUCKETS --+--> rs_time_step --> STEP: lanes of work, in picoseconds
 *     linreg, mlp, FILE.lay               |
 *     samples, dealt by the sampler ------+--> rs_train ------> losses, weights; are they
 *                                                               those that one GPU alone would find
 *   - Every exchange is a schedule of ringsim.h: timed by rs_simulate, computed by rs_apply. There
 *     is no formula for communication here.
 *   - Numbers are float, each operation rounded by itself and in a fixed order: the same bits on
 *     every machine and with any number of cores. No exp, log or sin, which differ between C
 *     libraries.
 *   - A step's time is counted in one steady step; the first step's extra work is left out.
 */
#pragma once

#include "ringsim.h"
#include "ringsim_sampler.h"

RS_BEGIN_DECLS

enum {
    RS_LAYER_NAME = 64,
    RS_MAX_LAYERS = 100000,
    RS_MAX_TRAIN_RANKS = 1024,
    RS_ELEMENT_BYTES = 4 /* weights, gradients, activations: float */
};

/* ------------------------------------------------------------------ 1. Layers */

/* One tensor of parameters, and the work of the layer that it belongs to. */
typedef struct rs_layer {
    char name[RS_LAYER_NAME];
    int64_t parameters;
    int64_t flops;       /* of the forward pass, a sample; the backward pass takes twice as many */
    int64_t activations; /* elements kept from the forward pass for the backward pass, a sample */
    /* numbers that it keeps and does not learn: a norm's running mean and variance */
    int64_t buffers;
} rs_layer;

typedef struct rs_layers {
    rs_layer *items; /* [n_layers] in the order of the forward pass */
    int32_t n_layers;
    int64_t input, output; /* elements of a sample, and of the model's answer */
    int64_t parameters, flops, activations, buffers; /* of all layers together */
} rs_layers;

/* .lay text: see ringsim-lay(5). Errors name line and column. */
rs_status rs_parse_layers(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                          rs_layers *layers);

/* ------------------------------------------------------------------ 2. Buckets */

/* A run of layers whose gradients are exchanged together. Gradients lie in the order in which the
   backward pass finds them: the last layer's first. */
typedef struct rs_bucket {
    int32_t first_layer, last_layer; /* first_layer >= last_layer: the backward pass goes down */
    int64_t offset, count;           /* elements in the flat gradient */
} rs_bucket;

/* Cuts the gradients as torch's DDP does (pytorch/pytorch, torch/csrc/distributed/c10d/reducer.cpp,
   compute_bucket_assignment_by_size, once the order of arrival is known): tensors from the last to
   the first; a bucket ends with the tensor that makes it `limit` bytes long or longer. The first
   bucket has a limit of its own, so that the exchange begins early. */
rs_status rs_cut_buckets(const rs_layers *layers, int64_t first_bytes, int64_t bytes,
                         rs_arena *arena, rs_error *error, rs_bucket **buckets, int32_t *n_buckets);

/* ------------------------------------------------------------------ 3. The time of a step */

typedef enum rs_parallel {
    RS_DDP, /* one process a GPU; gradients are all-reduced, bucket after bucket, while the backward
               pass goes on */
    RS_DP,  /* one process with a thread a GPU; GPU 0 hands out batch and model, gathers outputs and
               gradients, and makes the step alone */
    RS_NONE, /* nobody speaks with anybody */
    /* As ddp, but nobody keeps all (Rajbhandari et al., SC 2020, ZeRO): of each bucket a rank owns a shard.
       Gradients are reduce-scattered, so that each rank has its shard's sums; it updates its shard, and the
       weights are all-gathered. */
    RS_ZERO1, /* the optimizer's states are sharded */
    RS_ZERO2, /* gradients, too */
    RS_ZERO3, /* weights, too (FSDP): gathered bucket after bucket, in the forward pass and once more in the
                 backward pass, and thrown away after use */
    RS_HSDP /* zero3 inside a node; between nodes shards are all-reduced */
} rs_parallel;

typedef enum rs_optimizer {
    RS_SGD,      /* w -= a g; keeps nothing */
    RS_MOMENTUM, /* v = 0.9 v + g; w -= a v */
    RS_ADAM      /* Kingma and Ba, ICLR 2015, algorithm 1, with b1 0.9, b2 0.999, e 1e-8 */
} rs_optimizer;
const char *rs_parallel_name(rs_parallel mode);        /* "ddp", "zero1", ... */
const char *rs_optimizer_name(rs_optimizer optimizer); /* "sgd", ... */
/* Tells whether a mode shards anything; whether it shards weights, too. */
bool rs_is_sharded(rs_parallel mode);
bool rs_shards_weights(rs_parallel mode);
/* Returns how many numbers it keeps a parameter: 0, 1, 2. */
int32_t rs_optimizer_states(rs_optimizer optimizer);

/* Returns among how many ranks each bucket is sharded: the schedule's, a node's of them under hsdp; 1: it
   is not. */
int32_t rs_sharers(rs_parallel mode, const rs_schedule *schedule);

typedef struct rs_ratio {
    uint64_t num, den; /* both at most 10^9 */
} rs_ratio;

typedef enum rs_buffers {
    RS_BUFFERS_OWN,       /* each rank keeps its own */
    RS_BUFFERS_BROADCAST, /* rank 0's are sent to all before the forward pass (broadcast_buffers) */
    RS_BUFFERS_SYNC       /* all ranks' statistics are gathered, layer by layer (SyncBatchNorm) */
} rs_buffers;

/* What DistributedDataParallel minds, under ddp alone (torch/nn/parallel/distributed.py, reducer.cpp, Join). */
typedef struct rs_ddp_case {
    int32_t unused;      /* a layer whose parameters get no gradient; -1: all get one */
    int32_t unused_rank; /* on this rank; -1: on all */
    bool find_unused;    /* DDP looks for such parameters in each step (find_unused_parameters) */
    /* this rank has no batch in the step, and has left the loop; -1: all have one */
    int32_t ended_rank;
    int64_t fewer; /* real training: so many batches fewer than the others it has */
    bool join;     /* Join answers for it, with zeros */
    rs_buffers buffers;
    /* real training: it keeps running means of its inputs, as a BatchNorm there would */
    bool buffers_kept;
    bool every_batch; /* accumulated batches are exchanged one by one: nobody said no_sync */
} rs_ddp_case;
extern const rs_ddp_case rs_ddp_usual; /* nothing of all that */

typedef struct rs_step_plan {
    const rs_layers *layers;
    rs_parallel mode;
    int32_t n_ranks;
    const int64_t *batch;     /* [n_ranks] samples of one pass */
    const rs_ratio *slowness; /* [n_ranks] how much longer a GPU computes; NULL: all alike */
    int32_t accumulate;       /* passes before gradients are exchanged, >= 1 */
    uint64_t flops_per_s;
    /* the interpreter's part of a pass, as a share of forward and backward of GPU 0 */
    rs_ratio python;
    rs_optimizer optimizer;
    /* ddp, and sharded: */
    const rs_schedule
        *schedule; /* the all-reduce for n_ranks, any count; sharded: the ring in NCCL's order,
                                    under hsdp two-level */
    const rs_bucket *buckets;
    int32_t n_buckets;
    const rs_ddp_case *ddp; /* NULL: the usual */
    /* exchange while the backward pass goes on; zero3, hsdp: gather the next bucket's weights while
       one computes (prefetch) */
    bool overlap;
    rs_net net;             /* ddp and dp */
    const rs_fault *faults; /* of the net: slow links and additions, stragglers */
    int32_t n_faults;
    bool keep_pieces;
} rs_step_plan;

typedef enum rs_lane_kind {
    RS_LANE_GIL,
    RS_LANE_THREAD,
    RS_LANE_COMPUTE,
    RS_LANE_NETWORK
} rs_lane_kind;
typedef enum rs_work {
    RS_WORK_GIL_WAIT, /* a thread waits for the interpreter's lock */
    RS_WORK_PYTHON,   /* a thread holds it and runs Python */
    RS_WORK_FORWARD,
    RS_WORK_LOSS,
    RS_WORK_BACKWARD,
    RS_WORK_UPDATE,
    RS_WORK_WAIT,       /* ready to exchange a bucket, but others are not */
    RS_WORK_ALL_REDUCE, /* a bucket; hsdp: its shard, between nodes */
    RS_WORK_SCATTER,    /* dp: samples to the GPUs */
    RS_WORK_COPY_MODEL,
    RS_WORK_GATHER,         /* outputs to GPU 0 */
    RS_WORK_SCATTER_LOSS,   /* the loss's gradient to the GPUs */
    RS_WORK_REDUCE,         /* gradients to GPU 0, which adds them */
    RS_WORK_REDUCE_SCATTER, /* sharded: a bucket's gradients */
    RS_WORK_ALL_GATHER,     /* sharded: its weights */
    RS_WORK_EXTRA, /* ddp's own small exchanges: buffers, statistics, who is still there; index -1 */
    RS_N_WORKS
} rs_work;

typedef struct rs_train_span {
    rs_lane_kind lane;
    rs_work work;
    int32_t rank; /* whose lane; the GIL's lane: who holds it */
    /* forward: the pass, zero3 and hsdp: the bucket; backward, exchange: the bucket; dp: the other
       GPU */
    int32_t index;
    int64_t start_ps, end_ps;
} rs_train_span;

typedef struct rs_bucket_time { /* of the rank that is ready, or ends, last */
    int64_t ready_ps, start_ps, end_ps;
} rs_bucket_time;

typedef struct rs_memory { /* bytes on one GPU, at its fullest; all numbers are float */
    int64_t weights, gradients, buckets, activations, data;
    int64_t states; /* the optimizer's */
} rs_memory;

/* What a model's state takes on one GPU in mixed precision (ZeRO, section 3.1): bytes. The sum is 16 a parameter
   for adam without shards; zero1 4 + 12/N, zero2 2 + 14/N, zero3 16/N and what is gathered. */
typedef struct rs_model_state {
    int64_t weights, gradients; /* 2 bytes a parameter, or a parameter of the shards */
    int64_t copy;               /* 4: weights as float, which alone are exact enough to update */
    int64_t optimizer;          /* 4 for each of its states; sgd: 0 */
    int64_t
        gathered; /* zero3, hsdp: 2 a parameter of the largest bucket, with prefetch of two that follow each
                         other */
} rs_model_state;

typedef struct rs_step_time {
    int64_t step_ps;                            /* until the slowest GPU has updated its weights */
    int64_t forward_ps, backward_ps, update_ps; /* of the slowest GPU, its waits left out */
    int64_t exchange_ps; /* that GPU's exchange, from its first bucket's start to its last's end,
                            pauses left out */
    int64_t exposed_ps;  /* of it, what the step waits for: the rest is hidden behind computing */
    int64_t gil_ps;      /* dp: how long the lock is held in a step */
    /* ddp: the buckets before this one were exchanged; the plan's n_buckets: all. If it is one rank's fault the others
       wait in this bucket's all-reduce for ever (rs_waits_for), else no rank ever calls it. */
    int32_t n_exchanged;
    /* ddp's own small exchanges, their arrays' bytes, and how long the slowest GPU waits for them */
    int32_t n_extra;
    int64_t extra_bytes, extra_ps;
    rs_bucket_time *buckets; /* [n_buckets] ddp; sharded: their gradients; NULL */
    rs_bucket_time *gathers
        [2]; /* sharded: [n_buckets] their weights; zero1, zero2: [0], after the update; zero3,
                                   hsdp: of the last pass, [0] forward, [1] backward; NULL */
    rs_memory *memory;     /* [n_ranks] */
    int64_t *sent_bytes;   /* [n_ranks] that each GPU sends */
    rs_train_span *pieces; /* [n_pieces] by start; NULL: not kept */
    int64_t n_pieces;
} rs_step_time;

/* Returns the bytes that rs_time_step takes at the most, but for an exchange's own, which are gone after it. */
double rs_step_bytes(const rs_step_plan *plan);
/* Returns the rank for which all others wait for ever in a step; -1: it ends. */
int32_t rs_waits_for(const rs_step_plan *plan);
/* Times one step. Work of F operations takes F / flops_per_s, rounded once a layer. */
rs_status rs_time_step(const rs_step_plan *plan, rs_arena *arena, rs_error *error,
                       rs_step_time *step);
/* Returns a GPU's, if the plan's buckets were exchanged in `mode` (hsdp: only if it is the plan's). With
   accumulated batches zero2, zero3 and hsdp keep whole gradients, as FSDP does under no_sync. */
rs_model_state rs_model_state_of(const rs_step_plan *plan, rs_parallel mode, int32_t rank);
/* Returns the sum. */
int64_t rs_model_state_bytes(const rs_model_state *state);

/* ------------------------------------------------------------------ 4. Real training */

enum { RS_MAX_SIZES = 10, RS_MAX_WIDTH = 4096 };

/* A perceptron: fully connected, ReLU between, squared loss E = sum ||f(x) - y||^2 over samples.
   With no hidden layer it is a linear regression. */
typedef struct rs_model {
    int32_t n_sizes;             /* 2..RS_MAX_SIZES */
    int32_t sizes[RS_MAX_SIZES]; /* inputs, hidden..., outputs */
    uint64_t seed;               /* of data and starting weights */
} rs_model;

/* linreg: y = x w + b + noise, 8 inputs evenly in [-1, 1), noise in [-0.1, 0.1). */
rs_model rs_linreg(uint64_t seed);
/* mlp: 784 inputs, 10 classes: sample i belongs to class mix(i) mod 10 and is its class's picture
   with as much noise; y is 1 for its class, else 0. From splitmix64 of (seed, sample, pixel). */
rs_model rs_perceptron(const int32_t hidden[], int32_t n_hidden, uint64_t seed);
/* Lists the model's tensors, as .lay would. */
rs_status rs_model_layers(const rs_model *model, rs_arena *arena, rs_error *error,
                          rs_layers *layers);

typedef enum rs_mean {
    RS_MEAN_SAMPLES, /* sums are exchanged and divided by the number of samples */
    RS_MEAN_RANKS    /* each rank's mean is exchanged, and averaged over ranks, as torch's DDP does:
                        the mean over samples only if all have equally many */
} rs_mean;

typedef struct rs_train_plan {
    rs_model model;
    rs_parallel mode;
    rs_optimizer optimizer;
    const rs_schedule *schedule; /* as in rs_step_plan; dp: the reduction to GPU 0 (rs_dp_reduce) */
    const rs_bucket *buckets;    /* cover the gradient, but for none */
    int32_t n_buckets;
    int32_t n_ranks;
    const int64_t *batch; /* [n_ranks] samples of a rank between two updates */
    rs_sampling sampling; /* its epoch is counted on from here, epoch after epoch, */
    bool forget_epoch;    /* unless nobody tells the sampler */
    int32_t n_epochs;
    double rate; /* a in w* = w - a dE/dw */
    rs_mean mean;
    const rs_ddp_case *ddp; /* NULL: the usual; of layers only a bias may be unused */
    /* ddp's every_batch: exchanges a step, by which `batch` can be divided; 0 counts as 1 */
    int32_t n_passes;
    bool own_start; /* every rank draws its own starting weights: nobody broadcasts rank 0's */
    rs_when check;  /* auto: the first and the last step, and all where that costs little */
} rs_train_plan;

typedef struct rs_train_step {
    double loss;       /* the mean over the step's samples, before the update */
    double first_loss; /* over those of GPU 0 alone */
    double drift;      /* after it: the largest difference of a weight to GPU 0's, over all ranks */
    int64_t n_samples;
    int64_t n_right; /* samples whose largest output is their class; linreg: 0 */
    bool checked;
} rs_train_step;

typedef struct rs_training {
    rs_train_step *steps; /* [n_steps] */
    int32_t n_steps, steps_per_epoch;
    int64_t n_parameters;
    float **weights;     /* [n_ranks] at the end, in the order of the flat gradient */
    uint32_t *crc32;     /* [n_ranks] of them */
    bool replicas_equal; /* after every step, bit for bit */
    int32_t n_checked;
    bool exact; /* checked steps: the weights are, bit for bit, those of one rank that adds up the
                   shards' gradients in the schedule's order */
    /* and the gradient lies within the proven bound of the plain sum over all samples, one after
       another: 2 g(n) sum |t|, g(n) = n u / (1 - n u), u = 2^-24 */
    bool bounded;
    double worst_share; /* the largest difference as a share of that bound */
    /* the largest difference to the mean over samples, as a share of its largest entry */
    double off;
    /* ddp: it ended before its time, n_steps says when: a rank waits for ever, or DDP's next forward pass fails */
    bool stopped;
    /* buffers, which are the running means of the inputs, at the end: the largest difference between two ranks', and
       of rank 0's to that over all samples; -1: not asked */
    double buffers_apart, buffers_off;
} rs_training;

/* Returns how many updates an epoch has: the longest-lived rank's batches. */
int64_t rs_steps_per_epoch(const rs_train_plan *plan);
/* Returns the bytes that rs_train takes at the most, but for schedules and samples' numbers. */
double rs_train_bytes(const rs_train_plan *plan);
/* Trains. The host's parallel_for computes ranks side by side; bits do not depend on it. */
rs_status rs_train(const rs_train_plan *plan, rs_arena *arena, rs_error *error,
                   rs_training *training);
/* Makes the schedule by which dp's GPU 0 adds up: one step, all other ranks' arrays to rank 0. */
rs_status rs_dp_reduce(int32_t n_ranks, rs_arena *arena, rs_error *error, rs_schedule *schedule);

RS_END_DECLS
