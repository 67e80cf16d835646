/* run_program.c: an executor of MSCCL programs, in any order that blocks, flags and slots allow. */
#include "made_program.h"

#include <string.h>

static uint64_t state = 1;
uint32_t program_draw(uint32_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(state >> 33) % below;
}

typedef struct queue {
    uint64_t values[RN_MSCCL_SLOTS][MOST_CHUNKS];
    int n, first;
} queue;

static uint64_t memory[MOST_GPUS][3][MOST_CHUNKS];
static queue queues[MOST_GPUS][MOST_GPUS][4];
static int32_t done[MOST_GPUS][MOST_BLOCKS], flags[MOST_GPUS][MOST_BLOCKS]; /* steps; 0: none */

static uint64_t datum(int32_t rank, int32_t chunk) {
    uint64_t x = ((uint64_t)rank * 1000 + (uint64_t)chunk + 1) * 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9; /* no sum of some is the sum of others */
    return x ^ (x >> 29);
}

static uint64_t *at(const rn_msccl *p, int32_t g, rn_msccl_buffer buffer, int32_t chunk) {
    const bool both = p->in_place && buffer == RN_MSCCL_INPUT;
    if (both && p->collective == RS_COLL_ALL_REDUCE) buffer = RN_MSCCL_OUTPUT;
    if (both && p->collective == RS_COLL_ALL_GATHER) {
        chunk += g * p->gpus[g].chunks[RN_MSCCL_INPUT];
        buffer = RN_MSCCL_OUTPUT;
    }
    return &memory[g][buffer][chunk];
}

static bool may_step(const rn_msccl *p, int32_t g, int32_t b) {
    const rn_msccl_block *block = &p->gpus[g].blocks[b];
    if (done[g][b] == block->n_steps) return false;
    const rn_msccl_step *s = &block->steps[done[g][b]];
    if (s->dep_block >= 0 && flags[g][s->dep_block] <= s->dep_step) return false;
    const bool recvs = s->type == RN_MSCCL_RECV || s->type >= RN_MSCCL_RECV_COPY_SEND;
    const bool sends = s->type == RN_MSCCL_SEND ||
                       (s->type >= RN_MSCCL_RECV_COPY_SEND && s->type != RN_MSCCL_RECV_REDUCE_COPY);
    if (recvs && queues[block->recv][g][block->channel].n == 0) return false;
    return !sends || queues[g][block->send][block->channel].n < RN_MSCCL_SLOTS;
}

static void step(const rn_msccl *p, int32_t g, int32_t b) {
    const rn_msccl_block *block = &p->gpus[g].blocks[b];
    const rn_msccl_step *s = &block->steps[done[g][b]++];
    if (s->has_dep) flags[g][b] = done[g][b];
    queue *from = block->recv >= 0 ? &queues[block->recv][g][block->channel] : NULL;
    queue *to = block->send >= 0 ? &queues[g][block->send][block->channel] : NULL;
    const bool recvs = s->type == RN_MSCCL_RECV || s->type >= RN_MSCCL_RECV_COPY_SEND;
    uint64_t values[MOST_CHUNKS];
    for (int32_t k = 0; k < s->count; k++) {
        uint64_t v = recvs ? from->values[from->first][k] : 0;
        if (s->type != RN_MSCCL_RECV && s->type != RN_MSCCL_RECV_COPY_SEND &&
            s->type != RN_MSCCL_NOP)
            v += *at(p, g, s->src_buffer, s->src + k);
        if (s->type == RN_MSCCL_REDUCE) {
            *at(p, g, s->dst_buffer, s->dst + k) += v;
        } else if (s->type != RN_MSCCL_SEND && s->type != RN_MSCCL_NOP &&
                   s->type != RN_MSCCL_RECV_REDUCE_SEND) {
            *at(p, g, s->dst_buffer, s->dst + k) = v;
        }
        values[k] = v;
    }
    if (recvs) {
        from->first = (from->first + 1) % RN_MSCCL_SLOTS;
        from->n--;
    }
    const bool sends = s->type == RN_MSCCL_SEND ||
                       (s->type >= RN_MSCCL_RECV_COPY_SEND && s->type != RN_MSCCL_RECV_REDUCE_COPY);
    if (!sends) return;
    memcpy(to->values[(to->first + to->n++) % RN_MSCCL_SLOTS], values,
           (size_t)s->count * sizeof *values);
}

/* Runs it with the blocks in a random order; 0: the first that may, 1: the last. */
outcome run_program(const rn_msccl *p, int way) {
    memset(queues, 0, sizeof queues);
    memset(done, 0, sizeof done);
    memset(flags, 0, sizeof flags);
    const bool apart = p->collective == RS_COLL_ALL_GATHER || p->collective == RS_COLL_ALL_TO_ALL;
    for (int32_t g = 0; g < p->n_gpus; g++) {
        for (int b = 0; b < 3; b++) {
            for (int c = 0; c < MOST_CHUNKS; c++)
                memory[g][b][c] = datum(100 + g, b * MOST_CHUNKS + c);
        }
        for (int32_t c = 0; c < p->gpus[g].chunks[RN_MSCCL_INPUT]; c++)
            *at(p, g, RN_MSCCL_INPUT, c) = datum(g, c);
    }
    while (true) {
        int32_t able[MOST_GPUS * MOST_BLOCKS], n = 0, n_left = 0;
        for (int32_t g = 0; g < p->n_gpus; g++) {
            for (int32_t b = 0; b < p->gpus[g].n_blocks; b++) {
                n_left += done[g][b] < p->gpus[g].blocks[b].n_steps;
                if (may_step(p, g, b)) able[n++] = g * MOST_BLOCKS + b;
            }
        }
        if (n_left == 0) break;
        if (n == 0) return IS_STUCK;
        const int32_t it = able[way == 0   ? 0
                                : way == 1 ? n - 1
                                           : (int32_t)program_draw((uint32_t)n)];
        step(p, it / MOST_BLOCKS, it % MOST_BLOCKS);
    }
    for (int32_t g = 0; g < p->n_gpus; g++) {
        const int32_t in = p->gpus[g].chunks[RN_MSCCL_INPUT],
                      out = p->gpus[g].chunks[RN_MSCCL_OUTPUT];
        for (int32_t c = 0; c < out; c++) {
            const int32_t each = out / p->n_gpus;
            uint64_t wanted = 0;
            if (!apart) {
                const int32_t own = p->collective == RS_COLL_ALL_REDUCE ? c : g * out + c;
                for (int32_t r = 0; r < p->n_gpus; r++) wanted += datum(r, own);
            } else {
                wanted = p->collective == RS_COLL_ALL_GATHER ? datum(c / in, c % in)
                                                             : datum(c / each, g * each + c % each);
            }
            if (*at(p, g, RN_MSCCL_OUTPUT, c) != wanted) return IS_WRONG;
        }
    }
    return IS_RIGHT;
}

rn_msccl_verdict judge_program(const rn_msccl *p) {
    rs_arena scratch;
    rs_error error = {.text = ""};
    rn_msccl_verdict verdict;
    rs_arena_init(&scratch, NULL);
    cr_assert_eq(rn_judge_msccl(p, &scratch, &error, &verdict), RS_OK, "%s", error.text);
    rs_arena_free(&scratch);
    cr_assert_eq(verdict.fault == RN_MSCCL_RIGHT, rn_msccl_fault_name(verdict.fault) == NULL);
    return verdict;
}
