/* made_program.c: rings and other right MSCCL programs, as its language would write them. */
#include "made_program.h"

#include <string.h>

static void settle(made_program *m) {
    m->program.gpus = m->gpus;
    for (int g = 0; g < MOST_GPUS; g++) {
        m->gpus[g].blocks = m->blocks[g];
        for (int b = 0; b < MOST_BLOCKS; b++) m->blocks[g][b].steps = m->steps[g][b];
    }
}

void begin_program(made_program *m, rs_collective of, bool in_place, int32_t n, int32_t channels,
                   int32_t in, int32_t out, int32_t scratch) {
    memset(m, 0, sizeof *m);
    m->program = (rn_msccl){.name = "made",
                            .collective = of,
                            .in_place = in_place,
                            .n_gpus = n,
                            .n_channels = channels};
    settle(m);
    for (int32_t g = 0; g < n; g++) {
        m->gpus[g].chunks[RN_MSCCL_INPUT] = in;
        m->gpus[g].chunks[RN_MSCCL_OUTPUT] = out;
        m->gpus[g].chunks[RN_MSCCL_SCRATCH] = scratch;
    }
}

rn_msccl_block *put_block(made_program *m, int32_t g, int32_t send, int32_t recv, int32_t channel) {
    rn_msccl_gpu *gpu = &m->gpus[g];
    cr_assert_lt(gpu->n_blocks, MOST_BLOCKS);
    rn_msccl_block *block = &gpu->blocks[gpu->n_blocks];
    block->id = gpu->n_blocks++;
    block->send = send;
    block->recv = recv;
    block->channel = channel;
    return block;
}

void put_step(made_program *m, rn_msccl_block *block, rn_msccl_type type,
              rn_msccl_buffer src_buffer, int32_t src, rn_msccl_buffer dst_buffer, int32_t dst,
              int32_t dep_block, int32_t dep_step) {
    cr_assert_lt(block->n_steps, MOST_STEPS);
    block->steps[block->n_steps++] = (rn_msccl_step){.type = type,
                                                     .src_buffer = src_buffer,
                                                     .src = src,
                                                     .dst_buffer = dst_buffer,
                                                     .dst = dst,
                                                     .count = 1,
                                                     .dep_block = dep_block,
                                                     .dep_step = dep_step,
                                                     .line = ++m->line};
}
void put_step_in(made_program *m, rn_msccl_block *block, rn_msccl_type type, int32_t chunk) {
    put_step(m, block, type, RN_MSCCL_INPUT, chunk, RN_MSCCL_INPUT, chunk, -1, -1);
}

/* NCCL's ring, once on every channel. */
static void make_ring(made_program *m, int32_t n, int32_t channels) {
    begin_program(m, RS_COLL_ALL_REDUCE, true, n, channels, n * channels, n * channels, 0);
    for (int32_t g = 0; g < n; g++) {
        for (int32_t c = 0; c < channels; c++) {
            rn_msccl_block *b = put_block(m, g, (g + 1) % n, (g + n - 1) % n, c);
            put_step_in(m, b, RN_MSCCL_SEND, c * n + g);
            for (int32_t k = 1; k < n; k++) {
                put_step_in(m, b,
                            k < n - 1 ? RN_MSCCL_RECV_REDUCE_SEND : RN_MSCCL_RECV_REDUCE_COPY_SEND,
                            c * n + (g + n - k) % n);
            }
            for (int32_t k = 0; k < n - 2; k++)
                put_step_in(m, b, RN_MSCCL_RECV_COPY_SEND, c * n + (g + n - k) % n);
            put_step_in(m, b, RN_MSCCL_RECV, c * n + (g + 2) % n);
        }
    }
}

/* Everybody sends chunk j to GPU j, which adds up what lies in its scratch and sends the sum to all. The last block adds. */
static void make_all_pairs(made_program *m, int32_t n) {
    begin_program(m, RS_COLL_ALL_REDUCE, true, n, 1, n, n, n);
    for (int32_t g = 0; g < n; g++) {
        for (int32_t j = 0; j < n; j++) {
            if (j == g) continue;
            rn_msccl_block *b = put_block(m, g, j, j, 0);
            put_step_in(m, b, RN_MSCCL_SEND, j);
            put_step(m, b, RN_MSCCL_RECV, RN_MSCCL_SCRATCH, j, RN_MSCCL_SCRATCH, j, -1, -1);
            put_step(m, b, RN_MSCCL_SEND, RN_MSCCL_INPUT, g, RN_MSCCL_INPUT, g, n - 1, n - 2);
            put_step_in(m, b, RN_MSCCL_RECV, j);
        }
        rn_msccl_block *adds = put_block(m, g, -1, -1, 0);
        for (int32_t j = 0, b = 0; j < n; j++) {
            if (j == g) continue;
            put_step(m, adds, RN_MSCCL_REDUCE, RN_MSCCL_SCRATCH, j, RN_MSCCL_INPUT, g, b++, 1);
        }
    }
}

/* Shards round the ring, out of place: the own one is copied by a block of its own, or the input is part of the output. */
static void make_all_gather(made_program *m, int32_t n, bool in_place) {
    begin_program(m, RS_COLL_ALL_GATHER, in_place, n, 1, 1, n, 0);
    for (int32_t g = 0; g < n; g++) {
        rn_msccl_block *b = put_block(m, g, (g + 1) % n, (g + n - 1) % n, 0);
        put_step(m, b, RN_MSCCL_SEND, RN_MSCCL_INPUT, 0, RN_MSCCL_OUTPUT, g, -1, -1);
        for (int32_t k = 1; k < n; k++) {
            const int32_t c = (g + n - k) % n;
            put_step(m, b, k < n - 1 ? RN_MSCCL_RECV_COPY_SEND : RN_MSCCL_RECV, RN_MSCCL_OUTPUT, c,
                     RN_MSCCL_OUTPUT, c, -1, -1);
        }
        if (in_place) continue;
        put_step(m, put_block(m, g, -1, -1, 0), RN_MSCCL_COPY, RN_MSCCL_INPUT, 0, RN_MSCCL_OUTPUT,
                 g, -1, -1);
    }
}

static void make_reduce_scatter(made_program *m, int32_t n) {
    begin_program(m, RS_COLL_REDUCE_SCATTER, false, n, 1, n, 1, 0);
    for (int32_t g = 0; g < n; g++) {
        rn_msccl_block *b = put_block(m, g, (g + 1) % n, (g + n - 1) % n, 0);
        put_step_in(m, b, RN_MSCCL_SEND, (g + n - 1) % n);
        for (int32_t k = 2; k < n; k++)
            put_step_in(m, b, RN_MSCCL_RECV_REDUCE_SEND, (g + n - k) % n);
        put_step(m, b, RN_MSCCL_RECV_REDUCE_COPY, RN_MSCCL_INPUT, g, RN_MSCCL_OUTPUT, 0, -1, -1);
    }
}

static void make_all_to_all(made_program *m, int32_t n) {
    begin_program(m, RS_COLL_ALL_TO_ALL, false, n, 1, n, n, 0);
    for (int32_t g = 0; g < n; g++) {
        for (int32_t j = 0; j < n; j++) {
            rn_msccl_block *b = put_block(m, g, j == g ? -1 : j, j == g ? -1 : j, 0);
            if (j == g) {
                put_step(m, b, RN_MSCCL_COPY, RN_MSCCL_INPUT, g, RN_MSCCL_OUTPUT, g, -1, -1);
                continue;
            }
            put_step(m, b, RN_MSCCL_SEND, RN_MSCCL_INPUT, j, RN_MSCCL_OUTPUT, j, -1, -1);
            put_step(m, b, RN_MSCCL_RECV, RN_MSCCL_OUTPUT, j, RN_MSCCL_OUTPUT, j, -1, -1);
        }
    }
}

/* Whatever is waited for says so. */
static void announce(made_program *m) {
    for (int32_t g = 0; g < m->program.n_gpus; g++) {
        for (int32_t b = 0; b < m->gpus[g].n_blocks; b++) {
            for (int32_t i = 0; i < m->gpus[g].blocks[b].n_steps; i++) {
                const rn_msccl_step *s = &m->gpus[g].blocks[b].steps[i];
                if (s->dep_block >= 0)
                    m->gpus[g].blocks[s->dep_block].steps[s->dep_step].has_dep = true;
            }
        }
    }
}

void make_program(made_program *m, int which, int32_t n) {
    switch (which) {
    case 0: make_ring(m, n, 1); break;
    case 1: make_ring(m, n, 3); break;
    case 2: make_all_pairs(m, n); break;
    case 3: make_all_gather(m, n, true); break;
    case 4: make_all_gather(m, n, false); break;
    case 5: make_reduce_scatter(m, n); break;
    default: make_all_to_all(m, n);
    }
    announce(m);
}
