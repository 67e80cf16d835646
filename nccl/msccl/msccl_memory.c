/* msccl_memory.c: whose data every chunk of every GPU holds, step by step; and is that what the collective wants?
 *
 *     chunk   { id: which chunk of the collective, sum: of each rank how often, kept once }
 *     a send  copies it, a reduce adds up the times; of another id, or of nothing, nobody can make sense
 *
 *   - In place: an all-reduce's input is its output; an all-gather's input are chunks rank * n .. of the output; a
 *     reduce-scatter's output are chunks rank * n .. of the input.
 */
#include "msccl_order.h"

#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 1 << 30 };

/* ------------------------------------------------------------------ where chunks lie */

int64_t rn_msccl_cell(const rn_msccl_graph *graph, int32_t gpu, rn_msccl_buffer buffer,
                      int32_t at) {
    const rn_msccl *p = graph->program;
    const rn_msccl_gpu *of = &p->gpus[gpu];
    const int64_t first = graph->first_cell[gpu];
    const int32_t in = of->chunks[RN_MSCCL_INPUT], out = of->chunks[RN_MSCCL_OUTPUT];
    if (buffer == RN_MSCCL_SCRATCH) /* the last ones */
        return graph->first_cell[gpu + 1] - of->chunks[RN_MSCCL_SCRATCH] + at;
    if (!p->in_place) return first + (buffer == RN_MSCCL_INPUT ? 0 : in) + at;
    const bool inner =
        buffer == RN_MSCCL_INPUT ? in < out : out < in; /* it lies in the other one */
    return first + at + (inner ? (int64_t)gpu * (in < out ? in : out) : 0);
}

/* ------------------------------------------------------------------ what they hold */

int32_t rn_msccl_sum(rn_msccl_memory *m, const uint8_t times[]) {
    const int64_t n = m->graph->program->n_gpus, each = n + 32; /* and what a text needs */
    const int64_t number =
        m->sums.n * each < MOST_BYTES ? rs_text_kept(&m->sums, times, (size_t)n) : RS_NO_TEXT;
    if (number == RS_NO_TEXT) m->heap.arena->lacked = true;
    return number == RS_NO_TEXT ? 0 : (int32_t)number;
}

int32_t rn_msccl_sum_of(rn_msccl_memory *m, int32_t rank) {
    uint8_t times[RN_MSCCL_MOST_GPUS];
    for (int32_t r = 0; r < m->graph->program->n_gpus; r++)
        times[r] = rank == RN_MSCCL_EVERY_RANK || rank == r;
    return rn_msccl_sum(m, times);
}

rs_status rn_msccl_fill(const rn_msccl_graph *graph, rs_arena *scratch, rs_error *error,
                        rn_msccl_memory *m) {
    const rn_msccl *p = graph->program;
    const int64_t n_cells = graph->first_cell[p->n_gpus];
    *m = (rn_msccl_memory){.graph = graph, .heap = {.arena = scratch}};
    m->sums.heap = &m->heap;
    if ((n_cells + graph->n_sent) * p->n_gpus > MOST_BYTES) {
        return rs_fail(error, RS_UNSUPPORTED,
                       "too large to be followed: %lld chunks, %lld of them "
                       "sent, on %d GPUs",
                       (long long)n_cells, (long long)graph->n_sent, (int)p->n_gpus);
    }
    m->cells = rs_alloc(scratch, (size_t)n_cells + 1, sizeof *m->cells);
    m->line = rs_alloc(scratch, (size_t)n_cells + 1, sizeof *m->line);
    m->sent = rs_alloc(scratch, (size_t)graph->n_sent + 1, sizeof *m->sent);
    rn_msccl_sum(m, (const uint8_t[RN_MSCCL_MOST_GPUS]){0});
    if (scratch->lacked) return rs_no_memory(error);
    for (int64_t c = 0; c < n_cells; c++) m->cells[c].id = RN_MSCCL_NOTHING;
    for (int32_t g = 0; g < p->n_gpus; g++) {
        const int32_t own = p->gpus[g].chunks[RN_MSCCL_INPUT], sum = rn_msccl_sum_of(m, g);
        const bool apart =
            p->collective == RS_COLL_ALL_GATHER || p->collective == RS_COLL_ALL_TO_ALL;
        for (int32_t k = 0; k < own; k++) {
            m->cells[rn_msccl_cell(graph, g, RN_MSCCL_INPUT, k)] =
                (rn_msccl_chunk){apart ? g * own + k : k, sum};
        }
        m->n_ids = apart ? p->n_gpus * own : own;
    }
    return scratch->lacked ? rs_no_memory(error) : RS_OK;
}

rn_msccl_chunk rn_msccl_add(rn_msccl_memory *m, rn_msccl_chunk a, rn_msccl_chunk b) {
    uint8_t times[RN_MSCCL_MOST_GPUS];
    const char *const of_a = m->sums.list[a.sum].text, *const of_b = m->sums.list[b.sum].text;
    for (int32_t r = 0; r < m->graph->program->n_gpus; r++)
        times[r] = (uint8_t)rs_smaller(of_a[r] + of_b[r], 2);
    return (rn_msccl_chunk){a.id == b.id && a.id >= 0 ? a.id : RN_MSCCL_MIXED,
                            rn_msccl_sum(m, times)};
}

void rn_msccl_do(rn_msccl_memory *m, int32_t i) {
    const rn_msccl_node *node = &m->graph->nodes[i];
    const rn_msccl_step *s = node->step;
    for (int32_t k = 0; k < s->count; k++) {
        rn_msccl_chunk value = {.id = RN_MSCCL_NOTHING};
        if (node->from >= 0) value = m->sent[m->graph->nodes[node->from].sent + k];
        if (rn_msccl_does(s->type, 'g')) {
            const rn_msccl_chunk own =
                m->cells[rn_msccl_cell(m->graph, node->gpu, s->src_buffer, s->src + k)];
            value = node->from >= 0 ? rn_msccl_add(m, value, own) : own;
        }
        if (rn_msccl_does(s->type, 'p')) {
            const int64_t to = rn_msccl_cell(m->graph, node->gpu, s->dst_buffer, s->dst + k);
            m->cells[to] =
                rn_msccl_does(s->type, 'a') ? rn_msccl_add(m, m->cells[to], value) : value;
            m->line[to] = s->line;
        }
        if (node->to >= 0) m->sent[node->sent + k] = value;
    }
}

/* ------------------------------------------------------------------ the answer */

/* Returns the rank whose data alone the chunk must hold, or RN_MSCCL_EVERY_RANK. */
static int32_t wanted(const rn_msccl *p, int32_t g, int32_t at, int32_t *id) {
    const int32_t in = p->gpus[g].chunks[RN_MSCCL_INPUT], out = p->gpus[g].chunks[RN_MSCCL_OUTPUT];
    const int32_t each = out / p->n_gpus; /* chunks of an all-to-all's pair */
    *id = at;
    if (p->collective == RS_COLL_REDUCE_SCATTER) *id = g * out + at;
    if (p->collective == RS_COLL_ALL_GATHER) return at / in;
    if (p->collective != RS_COLL_ALL_TO_ALL) return RN_MSCCL_EVERY_RANK;
    *id = at / each * in + g * each + at % each;
    return at / each;
}

static void say_held(const rn_msccl_memory *m, rn_msccl_chunk chunk, rs_error *held) {
    const int32_t n = m->graph->program->n_gpus;
    const char *times = m->sums.list[chunk.sum].text;
    int32_t n_in = 0, twice = -1, missing = -1;
    for (int32_t r = n - 1; r >= 0; r--) {
        n_in += times[r] > 0;
        if (times[r] > 1) twice = r;
        if (times[r] == 0) missing = r;
    }
    if (chunk.id == RN_MSCCL_NOTHING) {
        rs_fail(held, RS_OK, "nothing");
    } else if (chunk.id == RN_MSCCL_MIXED) {
        rs_fail(held, RS_OK, "a sum of different chunks");
    } else if (twice >= 0) {
        rs_fail(held, RS_OK, "chunk %d with rank %d's data twice", (int)chunk.id, (int)twice);
    } else {
        rs_fail(held, RS_OK,
                missing >= 0 ? RS_MESSAGE("chunk %d of %d ranks, not of all")
                             : RS_MESSAGE("chunk %d of %d ranks"),
                (int)chunk.id, (int)n_in);
    }
}

void rn_msccl_expect(rn_msccl_memory *m, rn_msccl_verdict *verdict) {
    const rn_msccl *p = m->graph->program;
    for (int32_t g = 0; g < p->n_gpus; g++) {
        for (int32_t k = 0; k < p->gpus[g].chunks[RN_MSCCL_OUTPUT]; k++) {
            int32_t id;
            rs_error held;
            const int32_t rank = wanted(p, g, k, &id);
            const int64_t cell = rn_msccl_cell(m->graph, g, RN_MSCCL_OUTPUT, k);
            const rn_msccl_chunk chunk = m->cells[cell];
            if (chunk.id == id && chunk.sum == rn_msccl_sum_of(m, rank)) continue;
            say_held(m, chunk, &held);
            verdict->fault = RN_MSCCL_RESULT;
            verdict->line = m->line[cell];
            if (rank < 0)
                rs_fail_with(&verdict->said, RS_OK, 2, &held,
                             "at the end GPU %d's o[%d] holds %s; %s wants chunk %d of all ranks",
                             (int)g, (int)k, held.text, rs_collective_name(p->collective), (int)id);
            else
                rs_fail_with(&verdict->said, RS_OK, 2, &held,
                             "at the end GPU %d's o[%d] holds %s; %s wants chunk %d of rank %d",
                             (int)g, (int)k, held.text, rs_collective_name(p->collective), (int)id,
                             (int)rank);
            return;
        }
    }
}
