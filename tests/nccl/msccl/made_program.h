/* made_program.h: MSCCL programs that tests make, change, judge and run.
 *
 *     made_program m;  make_program(&m, which, n);  judge_program(&m.program).fault  run_program(&m.program, way)
 */
#pragma once

#include "ringsim_msccl.h"

#include <criterion/criterion.h>

enum { MOST_GPUS = 6, MOST_BLOCKS = 8, MOST_STEPS = 40, MOST_CHUNKS = 48, N_MAKERS = 7 };

/* A program that owns its room; a copy is made right by `settle`. */
typedef struct made_program {
    rn_msccl program;
    rn_msccl_gpu gpus[MOST_GPUS];
    rn_msccl_block blocks[MOST_GPUS][MOST_BLOCKS];
    rn_msccl_step steps[MOST_GPUS][MOST_BLOCKS][MOST_STEPS];
    int32_t line;
} made_program;

/* ------------------------------------------------------------------ made_program.c */

/* An empty program whose GPUs have so many chunks of input, output and scratch; then its blocks, and their steps of one
   chunk each (dep_block -1: it waits for nobody). */
void begin_program(made_program *m, rs_collective of, bool in_place, int32_t n, int32_t channels,
                   int32_t in, int32_t out, int32_t scratch);
rn_msccl_block *put_block(made_program *m, int32_t g, int32_t send, int32_t recv, int32_t channel);
void put_step(made_program *m, rn_msccl_block *block, rn_msccl_type type,
              rn_msccl_buffer src_buffer, int32_t src, rn_msccl_buffer dst_buffer, int32_t dst,
              int32_t dep_block, int32_t dep_step);
/* From a chunk of the input to itself. */
void put_step_in(made_program *m, rn_msccl_block *block, rn_msccl_type type, int32_t chunk);
/* Makes the right program `which` of N_MAKERS for n GPUs; which 1, a ring on three channels, has room for 4. */
void make_program(made_program *m, int which, int32_t n);

/* ------------------------------------------------------------------ run_program.c */

uint32_t program_draw(uint32_t below); /* from one and the same row of random numbers */
/* Runs the steps with sums of 64 bits: way 0 takes the first block that can go on, 1 the last, others a random one. */
typedef enum outcome { IS_RIGHT, IS_WRONG, IS_STUCK } outcome;
outcome run_program(const rn_msccl *p, int way);
rn_msccl_verdict judge_program(const rn_msccl *p);
