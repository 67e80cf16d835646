/* test_msccl.c: made MSCCL programs, and thousands that are made wrong at one place, against an executor that runs them in
 * random orders with 64-bit sums: what is judged right is right in every order, what is judged wrong goes wrong.
 */
#include "ringsim_check.h"
#include "ringsim_msccl.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GPUS = 6, MOST_BLOCKS = 8, MOST_STEPS = 40, MOST_CHUNKS = 48, MUTANTS = 2000 };

static uint64_t state = 1;
static uint32_t draw(uint32_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(state >> 33) % below;
}

/* ------------------------------------------------------------------ programs */

/* A program that owns its room; a copy is made right by `settle`. */
typedef struct made_program {
    rs_msccl program;
    rs_msccl_gpu gpus[MOST_GPUS];
    rs_msccl_block blocks[MOST_GPUS][MOST_BLOCKS];
    rs_msccl_step steps[MOST_GPUS][MOST_BLOCKS][MOST_STEPS];
    int32_t line;
} made_program;

static void settle(made_program *m) {
    m->program.gpus = m->gpus;
    for (int g = 0; g < MOST_GPUS; g++) {
        m->gpus[g].blocks = m->blocks[g];
        for (int b = 0; b < MOST_BLOCKS; b++) m->blocks[g][b].steps = m->steps[g][b];
    }
}

static void begin(made_program *m, rs_collective of, bool in_place, int32_t n, int32_t channels,
                  int32_t in, int32_t out, int32_t scratch) {
    memset(m, 0, sizeof *m);
    m->program = (rs_msccl){.name = "made",
                            .collective = of,
                            .in_place = in_place,
                            .n_gpus = n,
                            .n_channels = channels};
    settle(m);
    for (int32_t g = 0; g < n; g++) {
        m->gpus[g].chunks[RS_MSCCL_INPUT] = in;
        m->gpus[g].chunks[RS_MSCCL_OUTPUT] = out;
        m->gpus[g].chunks[RS_MSCCL_SCRATCH] = scratch;
    }
}

static rs_msccl_block *put_block(made_program *m, int32_t g, int32_t send, int32_t recv,
                                 int32_t channel) {
    rs_msccl_gpu *gpu = &m->gpus[g];
    cr_assert_lt(gpu->n_blocks, MOST_BLOCKS);
    rs_msccl_block *block = &gpu->blocks[gpu->n_blocks];
    block->id = gpu->n_blocks++;
    block->send = send;
    block->recv = recv;
    block->channel = channel;
    return block;
}

static void put(made_program *m, rs_msccl_block *block, rs_msccl_type type,
                rs_msccl_buffer src_buffer, int32_t src, rs_msccl_buffer dst_buffer, int32_t dst,
                int32_t dep_block, int32_t dep_step) {
    cr_assert_lt(block->n_steps, MOST_STEPS);
    block->steps[block->n_steps++] = (rs_msccl_step){.type = type,
                                                     .src_buffer = src_buffer,
                                                     .src = src,
                                                     .dst_buffer = dst_buffer,
                                                     .dst = dst,
                                                     .count = 1,
                                                     .dep_block = dep_block,
                                                     .dep_step = dep_step,
                                                     .line = ++m->line};
}
static void put_in(made_program *m, rs_msccl_block *block, rs_msccl_type type, int32_t chunk) {
    put(m, block, type, RS_MSCCL_INPUT, chunk, RS_MSCCL_INPUT, chunk, -1, -1);
}

/* NCCL's ring, once on every channel. */
static void make_ring(made_program *m, int32_t n, int32_t channels) {
    begin(m, RS_COLL_ALL_REDUCE, true, n, channels, n * channels, n * channels, 0);
    for (int32_t g = 0; g < n; g++) {
        for (int32_t c = 0; c < channels; c++) {
            rs_msccl_block *b = put_block(m, g, (g + 1) % n, (g + n - 1) % n, c);
            put_in(m, b, RS_MSCCL_SEND, c * n + g);
            for (int32_t k = 1; k < n; k++) {
                put_in(m, b, k < n - 1 ? RS_MSCCL_RECV_REDUCE_SEND : RS_MSCCL_RECV_REDUCE_COPY_SEND,
                       c * n + (g + n - k) % n);
            }
            for (int32_t k = 0; k < n - 2; k++)
                put_in(m, b, RS_MSCCL_RECV_COPY_SEND, c * n + (g + n - k) % n);
            put_in(m, b, RS_MSCCL_RECV, c * n + (g + 2) % n);
        }
    }
}

/* Everybody sends chunk j to GPU j, which adds up what lies in its scratch and sends the sum to all. The last block adds. */
static void make_all_pairs(made_program *m, int32_t n) {
    begin(m, RS_COLL_ALL_REDUCE, true, n, 1, n, n, n);
    for (int32_t g = 0; g < n; g++) {
        for (int32_t j = 0; j < n; j++) {
            if (j == g) continue;
            rs_msccl_block *b = put_block(m, g, j, j, 0);
            put_in(m, b, RS_MSCCL_SEND, j);
            put(m, b, RS_MSCCL_RECV, RS_MSCCL_SCRATCH, j, RS_MSCCL_SCRATCH, j, -1, -1);
            put(m, b, RS_MSCCL_SEND, RS_MSCCL_INPUT, g, RS_MSCCL_INPUT, g, n - 1, n - 2);
            put_in(m, b, RS_MSCCL_RECV, j);
        }
        rs_msccl_block *adds = put_block(m, g, -1, -1, 0);
        for (int32_t j = 0, b = 0; j < n; j++) {
            if (j == g) continue;
            put(m, adds, RS_MSCCL_REDUCE, RS_MSCCL_SCRATCH, j, RS_MSCCL_INPUT, g, b++, 1);
        }
    }
}

/* Shards round the ring, out of place: the own one is copied by a block of its own, or the input is part of the output. */
static void make_all_gather(made_program *m, int32_t n, bool in_place) {
    begin(m, RS_COLL_ALL_GATHER, in_place, n, 1, 1, n, 0);
    for (int32_t g = 0; g < n; g++) {
        rs_msccl_block *b = put_block(m, g, (g + 1) % n, (g + n - 1) % n, 0);
        put(m, b, RS_MSCCL_SEND, RS_MSCCL_INPUT, 0, RS_MSCCL_OUTPUT, g, -1, -1);
        for (int32_t k = 1; k < n; k++) {
            const int32_t c = (g + n - k) % n;
            put(m, b, k < n - 1 ? RS_MSCCL_RECV_COPY_SEND : RS_MSCCL_RECV, RS_MSCCL_OUTPUT, c,
                RS_MSCCL_OUTPUT, c, -1, -1);
        }
        if (in_place) continue;
        put(m, put_block(m, g, -1, -1, 0), RS_MSCCL_COPY, RS_MSCCL_INPUT, 0, RS_MSCCL_OUTPUT, g, -1,
            -1);
    }
}

static void make_reduce_scatter(made_program *m, int32_t n) {
    begin(m, RS_COLL_REDUCE_SCATTER, false, n, 1, n, 1, 0);
    for (int32_t g = 0; g < n; g++) {
        rs_msccl_block *b = put_block(m, g, (g + 1) % n, (g + n - 1) % n, 0);
        put_in(m, b, RS_MSCCL_SEND, (g + n - 1) % n);
        for (int32_t k = 2; k < n; k++) put_in(m, b, RS_MSCCL_RECV_REDUCE_SEND, (g + n - k) % n);
        put(m, b, RS_MSCCL_RECV_REDUCE_COPY, RS_MSCCL_INPUT, g, RS_MSCCL_OUTPUT, 0, -1, -1);
    }
}

static void make_all_to_all(made_program *m, int32_t n) {
    begin(m, RS_COLL_ALL_TO_ALL, false, n, 1, n, n, 0);
    for (int32_t g = 0; g < n; g++) {
        for (int32_t j = 0; j < n; j++) {
            rs_msccl_block *b = put_block(m, g, j == g ? -1 : j, j == g ? -1 : j, 0);
            if (j == g) {
                put(m, b, RS_MSCCL_COPY, RS_MSCCL_INPUT, g, RS_MSCCL_OUTPUT, g, -1, -1);
                continue;
            }
            put(m, b, RS_MSCCL_SEND, RS_MSCCL_INPUT, j, RS_MSCCL_OUTPUT, j, -1, -1);
            put(m, b, RS_MSCCL_RECV, RS_MSCCL_OUTPUT, j, RS_MSCCL_OUTPUT, j, -1, -1);
        }
    }
}

enum { N_MAKERS = 7 };
/* Whatever is waited for says so. */
static void announce(made_program *m) {
    for (int32_t g = 0; g < m->program.n_gpus; g++) {
        for (int32_t b = 0; b < m->gpus[g].n_blocks; b++) {
            for (int32_t i = 0; i < m->gpus[g].blocks[b].n_steps; i++) {
                const rs_msccl_step *s = &m->gpus[g].blocks[b].steps[i];
                if (s->dep_block >= 0)
                    m->gpus[g].blocks[s->dep_block].steps[s->dep_step].has_dep = true;
            }
        }
    }
}

static void make(made_program *m, int which, int32_t n) {
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

/* ------------------------------------------------------------------ the executor */

typedef struct queue {
    uint64_t values[RS_MSCCL_SLOTS][MOST_CHUNKS];
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

static uint64_t *at(const rs_msccl *p, int32_t g, rs_msccl_buffer buffer, int32_t chunk) {
    const bool both = p->in_place && buffer == RS_MSCCL_INPUT;
    if (both && p->collective == RS_COLL_ALL_REDUCE) buffer = RS_MSCCL_OUTPUT;
    if (both && p->collective == RS_COLL_ALL_GATHER) {
        chunk += g * p->gpus[g].chunks[RS_MSCCL_INPUT];
        buffer = RS_MSCCL_OUTPUT;
    }
    return &memory[g][buffer][chunk];
}

static bool may_step(const rs_msccl *p, int32_t g, int32_t b) {
    const rs_msccl_block *block = &p->gpus[g].blocks[b];
    if (done[g][b] == block->n_steps) return false;
    const rs_msccl_step *s = &block->steps[done[g][b]];
    if (s->dep_block >= 0 && flags[g][s->dep_block] <= s->dep_step) return false;
    const bool recvs = s->type == RS_MSCCL_RECV || s->type >= RS_MSCCL_RECV_COPY_SEND;
    const bool sends = s->type == RS_MSCCL_SEND ||
                       (s->type >= RS_MSCCL_RECV_COPY_SEND && s->type != RS_MSCCL_RECV_REDUCE_COPY);
    if (recvs && queues[block->recv][g][block->channel].n == 0) return false;
    return !sends || queues[g][block->send][block->channel].n < RS_MSCCL_SLOTS;
}

static void step(const rs_msccl *p, int32_t g, int32_t b) {
    const rs_msccl_block *block = &p->gpus[g].blocks[b];
    const rs_msccl_step *s = &block->steps[done[g][b]++];
    if (s->has_dep) flags[g][b] = done[g][b];
    queue *from = block->recv >= 0 ? &queues[block->recv][g][block->channel] : NULL;
    queue *to = block->send >= 0 ? &queues[g][block->send][block->channel] : NULL;
    const bool recvs = s->type == RS_MSCCL_RECV || s->type >= RS_MSCCL_RECV_COPY_SEND;
    uint64_t values[MOST_CHUNKS];
    for (int32_t k = 0; k < s->count; k++) {
        uint64_t v = recvs ? from->values[from->first][k] : 0;
        if (s->type != RS_MSCCL_RECV && s->type != RS_MSCCL_RECV_COPY_SEND &&
            s->type != RS_MSCCL_NOP)
            v += *at(p, g, s->src_buffer, s->src + k);
        if (s->type == RS_MSCCL_REDUCE) {
            *at(p, g, s->dst_buffer, s->dst + k) += v;
        } else if (s->type != RS_MSCCL_SEND && s->type != RS_MSCCL_NOP &&
                   s->type != RS_MSCCL_RECV_REDUCE_SEND) {
            *at(p, g, s->dst_buffer, s->dst + k) = v;
        }
        values[k] = v;
    }
    if (recvs) {
        from->first = (from->first + 1) % RS_MSCCL_SLOTS;
        from->n--;
    }
    const bool sends = s->type == RS_MSCCL_SEND ||
                       (s->type >= RS_MSCCL_RECV_COPY_SEND && s->type != RS_MSCCL_RECV_REDUCE_COPY);
    if (!sends) return;
    memcpy(to->values[(to->first + to->n++) % RS_MSCCL_SLOTS], values,
           (size_t)s->count * sizeof *values);
}

typedef enum outcome { IS_RIGHT, IS_WRONG, IS_STUCK } outcome;

/* Runs it with the blocks in a random order; 0: the first that may, 1: the last. */
static outcome run(const rs_msccl *p, int way) {
    memset(queues, 0, sizeof queues);
    memset(done, 0, sizeof done);
    memset(flags, 0, sizeof flags);
    const bool apart = p->collective == RS_COLL_ALL_GATHER || p->collective == RS_COLL_ALL_TO_ALL;
    for (int32_t g = 0; g < p->n_gpus; g++) {
        for (int b = 0; b < 3; b++) {
            for (int c = 0; c < MOST_CHUNKS; c++)
                memory[g][b][c] = datum(100 + g, b * MOST_CHUNKS + c);
        }
        for (int32_t c = 0; c < p->gpus[g].chunks[RS_MSCCL_INPUT]; c++)
            *at(p, g, RS_MSCCL_INPUT, c) = datum(g, c);
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
        const int32_t it = able[way == 0 ? 0 : way == 1 ? n - 1 : (int32_t)draw((uint32_t)n)];
        step(p, it / MOST_BLOCKS, it % MOST_BLOCKS);
    }
    for (int32_t g = 0; g < p->n_gpus; g++) {
        const int32_t in = p->gpus[g].chunks[RS_MSCCL_INPUT],
                      out = p->gpus[g].chunks[RS_MSCCL_OUTPUT];
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
            if (*at(p, g, RS_MSCCL_OUTPUT, c) != wanted) return IS_WRONG;
        }
    }
    return IS_RIGHT;
}

/* ------------------------------------------------------------------ the judge */

static rs_msccl_verdict judge(const rs_msccl *p) {
    rs_arena scratch;
    rs_error error = {.text = ""};
    rs_msccl_verdict verdict;
    rs_arena_init(&scratch, NULL);
    cr_assert_eq(rs_judge_msccl(p, &scratch, &error, &verdict), RS_OK, "%s", error.text);
    rs_arena_free(&scratch);
    cr_assert_eq(verdict.fault == RS_MSCCL_RIGHT, rs_msccl_fault_name(verdict.fault) == NULL);
    return verdict;
}

/* Lowers it; where that can be done the schedule is sound. */
static rs_status lower(const rs_msccl *p, int64_t n_messages) {
    rs_arena scratch, arena;
    rs_error error = {.text = ""};
    rs_schedule schedule;
    rs_verdict verdict;
    rs_arena_init(&scratch, NULL);
    rs_arena_init(&arena, NULL);
    const rs_status status = rs_lower_msccl(p, &scratch, &arena, &error, &schedule);
    rs_arena_free(&scratch);
    if (status == RS_OK) {
        cr_assert_eq(rs_check(&schedule, NULL, &error, &verdict), RS_OK);
        cr_assert(verdict.sound, "%s", verdict.text);
        cr_assert_eq(schedule.collective, p->collective);
        cr_assert_geq(schedule.n_transfers, n_messages);
    } else {
        cr_assert_eq(status, RS_UNSUPPORTED);
        cr_assert(error.text[0] != '\0');
    }
    rs_arena_free(&arena);
    return status;
}

Test(msccl, made_programs_are_right_and_become_schedules) {
    static made_program m;
    for (int which = 0; which < N_MAKERS; which++) {
        for (int32_t n = 2; n <= MOST_GPUS; n++) {
            if (which == 1 && n > 4) continue;
            make(&m, which, n);
            const rs_msccl_verdict v = judge(&m.program);
            cr_assert_eq(v.fault, RS_MSCCL_RIGHT, "%d, %d GPUs: %s", which, (int)n, v.text);
            for (int way = 0; way < 5; way++) cr_assert_eq(run(&m.program, way), IS_RIGHT);
            cr_assert_eq(lower(&m.program, v.n_messages), RS_OK, "%d, %d GPUs", which, (int)n);
        }
    }
}

/* Everybody sends all chunks it has to everybody, in one message; who receives comes first in the program. */
static void make_broad_gather(made_program *m, int32_t n, int32_t each) {
    begin(m, RS_COLL_ALL_GATHER, true, n, 1, each, n * each, 0);
    for (int32_t g = 0; g < n; g++) {
        for (int32_t way = 0; way < 2; way++) {
            for (int32_t j = 0; j < n; j++) {
                if (j == g) continue;
                rs_msccl_block *b = put_block(m, g, way == 0 ? -1 : j, way == 0 ? j : -1, 0);
                const int32_t first = (way == 0 ? j : g) * each;
                put(m, b, way == 0 ? RS_MSCCL_RECV : RS_MSCCL_SEND, RS_MSCCL_OUTPUT, first,
                    RS_MSCCL_OUTPUT, first, -1, -1);
                b->steps[0].count = each;
            }
        }
    }
}

/* As many transfers as the program has messages, each of all its chunks: nothing lost, nothing cut. */
Test(msccl, a_message_of_many_chunks_is_one_transfer) {
    static made_program m;
    for (int32_t n = 2; n <= 4; n++) {
        for (int32_t each = 1; each <= 5; each++) {
            rs_arena arena;
            rs_error error = {.text = ""};
            rs_schedule s;
            rs_transfer list[MOST_GPUS * MOST_CHUNKS];
            int32_t n_transfers = 0;
            make_broad_gather(&m, n, each);
            cr_assert_eq(lower(&m.program, 0), RS_OK);
            rs_arena_init(&arena, NULL);
            cr_assert_eq(rs_lower_msccl(&m.program, &arena, &arena, &error, &s), RS_OK);
            for (int32_t step = 0; step < s.n_steps; step++) {
                for (int32_t g = 0; g < n; g++) {
                    const int k = s.sends(&s, step, g, list);
                    for (int i = 0; i < k; i++) {
                        cr_expect_eq(list[i].n_chunks, each);
                        cr_expect_eq(list[i].chunk, g * each);
                    }
                    n_transfers += k;
                }
            }
            cr_expect_eq(n_transfers, n * (n - 1), "%d GPUs, %d chunks: %d", n, each, n_transfers);
            rs_arena_free(&arena);
        }
    }
}

/* ------------------------------------------------------------------ one thing is wrong */

static void mutate_step(made_program *m, int32_t g, rs_msccl_block *block) {
    const int32_t i = (int32_t)draw((uint32_t)block->n_steps);
    rs_msccl_step *s = &block->steps[i];
    switch (draw(10)) {
    case 0: s->type = (rs_msccl_type)draw(9); break;
    case 1: s->src += (int32_t)draw(3) - 1; break;
    case 2: s->dst += (int32_t)draw(3) - 1; break;
    case 3: s->src = s->dst = (int32_t)draw(6); break;
    case 4: s->count = (int32_t)draw(3); break;
    case 5:
        s->dep_block = (int32_t)draw((uint32_t)m->gpus[g].n_blocks + 1) - 1;
        s->dep_step = (int32_t)draw(6);
        break;
    case 6: s->src_buffer = (rs_msccl_buffer)draw(3); break;
    case 7: s->dst_buffer = (rs_msccl_buffer)draw(3); break;
    case 8: s->has_dep = !s->has_dep; break;
    default: s->dep_block = -1;
    }
}

static void mutate(made_program *m) {
    const int32_t g = (int32_t)draw((uint32_t)m->program.n_gpus);
    rs_msccl_block *block = &m->gpus[g].blocks[draw((uint32_t)m->gpus[g].n_blocks)];
    if (block->n_steps == 0) return;
    const int32_t i = (int32_t)draw((uint32_t)block->n_steps);
    rs_msccl_step *s = &block->steps[i];
    const size_t rest = (size_t)(block->n_steps - i - 1);
    switch (draw(8)) {
    case 0:
        memmove(s, s + 1, rest * sizeof *s);
        block->n_steps--;
        break;
    case 1:
        if (block->n_steps == MOST_STEPS) break;
        memmove(s + 1, s, (rest + 1) * sizeof *s);
        block->n_steps++;
        break;
    case 2:
        if (rest > 0) {
            const rs_msccl_step kept = s[0];
            s[0] = s[1];
            s[1] = kept;
        }
        break;
    case 3: block->send = (int32_t)draw(MOST_GPUS) - 1; break;
    case 4: block->recv = (int32_t)draw(MOST_GPUS) - 1; break;
    default: mutate_step(m, g, block);
    }
}

Test(msccl, what_is_judged_right_is_right_in_every_order_and_what_is_not_goes_wrong) {
    static made_program m;
    int n_of[RS_MSCCL_RESULT + 1] = {0}, n_kept = 0;
    for (int i = 0; i < N_MAKERS * MUTANTS; i++) {
        make(&m, i % N_MAKERS, 3 + (int32_t)draw(i % N_MAKERS == 1 ? 2 : 3));
        for (uint32_t k = 0, n = 1 + draw(2); k < n; k++) mutate(&m);
        const rs_msccl_verdict v = judge(&m.program);
        n_of[v.fault]++;
        for (int way = 0; way < 10 && v.fault == RS_MSCCL_RIGHT; way++)
            cr_assert_eq(run(&m.program, way), IS_RIGHT, "mutant %d, way %d", i, way);
        if (v.fault == RS_MSCCL_RIGHT) n_kept += lower(&m.program, v.n_messages) == RS_OK;
        if (v.fault == RS_MSCCL_RESULT) cr_assert_eq(run(&m.program, 2), IS_WRONG, "%s", v.text);
        if (v.fault == RS_MSCCL_DEADLOCK) cr_assert_eq(run(&m.program, 2), IS_STUCK, "%s", v.text);
    }
    for (int fault = 0; fault <= RS_MSCCL_RESULT; fault++)
        cr_assert_gt(n_of[fault], 20, "fault %d: %d", fault, n_of[fault]);
    cr_assert_gt(n_kept, 20);
}

/* A block sends nine chunks before it hears anything, and so does the other: eight slots are too few for both. */
Test(msccl, slots_run_out) {
    static made_program m;
    for (int32_t n = 8; n <= 9; n++) {
        begin(&m, RS_COLL_ALL_GATHER, true, 2, 1, n, 2 * n, 0);
        for (int32_t g = 0; g < 2; g++) {
            rs_msccl_block *b = put_block(&m, g, 1 - g, 1 - g, 0);
            for (int32_t k = 0; k < n; k++) put_in(&m, b, RS_MSCCL_SEND, k);
            for (int32_t k = 0; k < n; k++) {
                put(&m, b, RS_MSCCL_RECV, RS_MSCCL_OUTPUT, (1 - g) * n + k, RS_MSCCL_OUTPUT,
                    (1 - g) * n + k, -1, -1);
            }
        }
        const rs_msccl_verdict v = judge(&m.program);
        cr_assert_eq(v.fault, n == 8 ? RS_MSCCL_RIGHT : RS_MSCCL_DEADLOCK, "%s", v.text);
        cr_assert_eq(run(&m.program, 2), n == 8 ? IS_RIGHT : IS_STUCK);
        if (n == 9) cr_assert(strstr(v.text, "8 slots") != NULL, "%s", v.text);
    }
}
