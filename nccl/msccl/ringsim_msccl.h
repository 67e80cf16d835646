/* ringsim_msccl.h: an MSCCL program, what every thread block of every GPU does, judged and brought to a schedule.
 *
 *     FILE.xml --rn_parse_msccl--> PROGRAM --rn_judge_msccl--> right, or the first fault, its line and why
 *                                          --rn_lower_msccl--> SCHEDULE, for all who show, time and run schedules
 *
 *   - A thread block does its steps in order. A step may wait for one step of another block of its GPU. The k-th send of a
 *     block to a GPU on a channel meets the k-th receive of the block there that hears that GPU on that channel.
 *   - A message sits in one of RN_MSCCL_SLOTS slots of its connection until it has been taken.
 *   - Source of the format and of its meaning: the XML of microsoft/msccl-tools (its language's ir) and its executor
 *     (microsoft/msccl, its msccl_interpreter).
 */
#pragma once

#include "ringsim_findings.h"
#include "ringsim_schedule.h"

RS_BEGIN_DECLS

enum {
    RN_MSCCL_SLOTS = 8, /* messages under way on one connection: NCCL_STEPS */
    RN_MSCCL_MOST_GPUS = 1024,
    RN_MSCCL_MOST_BLOCKS = 1024,    /* of one GPU */
    RN_MSCCL_MOST_CHUNKS = 1 << 16, /* of one buffer */
    RN_MSCCL_MOST_STEPS = 1 << 20   /* of all GPUs */
};

typedef enum rn_msccl_type {
    RN_MSCCL_NOP,
    RN_MSCCL_SEND,
    RN_MSCCL_RECV,
    RN_MSCCL_COPY,             /* cpy: from one buffer to another */
    RN_MSCCL_REDUCE,           /* re: added to what is there, without a message */
    RN_MSCCL_RECV_COPY_SEND,   /* rcs */
    RN_MSCCL_RECV_REDUCE_COPY, /* rrc: added to the source, the sum stored */
    RN_MSCCL_RECV_REDUCE_SEND, /* rrs: the sum is sent and stored nowhere */
    RN_MSCCL_RECV_REDUCE_COPY_SEND
} rn_msccl_type;
typedef enum rn_msccl_buffer { RN_MSCCL_INPUT, RN_MSCCL_OUTPUT, RN_MSCCL_SCRATCH } rn_msccl_buffer;

typedef struct rn_msccl_step {
    rn_msccl_type type;
    rn_msccl_buffer src_buffer, dst_buffer;
    int32_t src, dst, count;     /* chunks: the first, and how many */
    int32_t dep_block, dep_step; /* of the same GPU, by its number and place; -1: none */
    bool has_dep;                /* tells those that wait for it, or for a step before it */
    int32_t line;                /* of the file */
} rn_msccl_step;

typedef struct rn_msccl_block {
    int32_t id, send, recv, channel; /* GPUs; -1: none */
    rn_msccl_step *steps;            /* [n_steps] */
    int32_t n_steps, line;
} rn_msccl_block;

typedef struct rn_msccl_gpu {
    int32_t chunks[3]; /* of each rn_msccl_buffer */
    rn_msccl_block *blocks;
    int32_t n_blocks, line;
} rn_msccl_gpu;

typedef struct rn_msccl {
    const char *name;
    rs_collective collective; /* all-reduce, all-gather, reduce-scatter or all-to-all */
    bool in_place;            /* input and output overlap */
    int32_t n_gpus, n_channels;
    rn_msccl_gpu *gpus; /* [n_gpus] */
} rn_msccl;

typedef enum rn_msccl_fault {
    RN_MSCCL_RIGHT,
    RN_MSCCL_BOUNDS,  /* "bounds": a buffer, GPU, block or step that is not there */
    RN_MSCCL_PAIRING, /* "pairing": a send without its receive, or of another size */
    RN_MSCCL_DEADLOCK, /* "deadlock": steps that wait for each other, with so few slots or with any */
    RN_MSCCL_RACE,     /* "race": two blocks at one chunk, and nothing says who is first */
    RN_MSCCL_RESULT    /* "result": at the end a chunk is not what the collective wants */
} rn_msccl_fault;
const char *rn_msccl_fault_name(rn_msccl_fault fault); /* NULL: right */

typedef struct rn_msccl_verdict {
    rn_msccl_fault fault;
    int32_t line;    /* of the file; 0: nowhere in particular */
    rs_error said;   /* one sentence */
    int32_t n_steps; /* of all blocks */
    int64_t n_messages;
} rn_msccl_verdict;

/* Judges a program: bounds, pairing, deadlock, races, result, in that order. Fails only without memory, or where the program
   is too large to be judged (RS_UNSUPPORTED). What it needs is taken from `scratch`. */
rs_status rn_judge_msccl(const rn_msccl *program, rs_arena *scratch, rs_error *error,
                         rn_msccl_verdict *verdict);

/* Brings a program that was judged right to a schedule: a transfer a message and chunk. RS_UNSUPPORTED, with the reason,
   where messages carry what no rank's own array ever holds (partial sums kept apart in scratch). The schedule lives in
   `arena`. */
rs_status rn_lower_msccl(const rn_msccl *program, rs_arena *scratch, rs_arena *arena,
                         rs_error *error, rs_schedule *schedule);

/* ------------------------------------------------------------------ msccl_xml.c */

/* Reads the XML; what is no MSCCL program ends in one line with the file's name and its line, RS_BAD_INPUT. RS_UNSUPPORTED: this
   build has no expat. The program lives in the arena. */
rs_status rn_parse_msccl(const char *path, const char *text, size_t n_bytes, rs_arena *arena,
                         rs_error *error, rn_msccl *program);
/* The same, judged, and as a schedule. *wrong: it is a program, but is wrong, RS_BAD_INPUT, and the line says where and why.
   RS_UNSUPPORTED: it is right, but is no schedule of one array a rank. */
rs_status rn_msccl_schedule(const char *path, const char *text, size_t n_bytes, rs_arena *arena,
                            rs_error *error, bool *wrong, rs_schedule *schedule);

RS_END_DECLS
