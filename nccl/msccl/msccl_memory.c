/* msccl_memory.c: whose data every chunk of every GPU holds, step by step; and is that what the collective wants?
 *
 *     chunk   { id: which chunk of the collective, times: of each rank how often }
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

static uint8_t *times_of(const rn_msccl_memory *m, int64_t cell) {
    return m->times + cell * m->graph->program->n_gpus;
}

rs_status rn_msccl_fill(const rn_msccl_graph *graph, rs_arena *scratch, rs_error *error,
                        rn_msccl_memory *memory) {
    const rn_msccl *p = graph->program;
    rn_msccl_memory *m = memory;
    *m = (rn_msccl_memory){.graph = graph};
    const int64_t n_cells = graph->first_cell[p->n_gpus];
    int64_t n_values = 0;
    m->slot = rs_alloc(scratch, (size_t)graph->n + 1, sizeof *m->slot);
    if (m->slot == NULL) return rs_no_memory(error);
    for (int32_t i = 0; i < graph->n; i++) {
        m->slot[i] = graph->nodes[i].to >= 0 ? n_values : -1;
        if (graph->nodes[i].to >= 0) n_values += graph->nodes[i].step->count;
    }
    if ((n_cells + n_values) * p->n_gpus > MOST_BYTES) {
        return rs_fail(error, RS_UNSUPPORTED,
                       "too large to be followed: %lld chunks, %lld of them "
                       "sent, on %d GPUs",
                       (long long)n_cells, (long long)n_values, (int)p->n_gpus);
    }
    const size_t width = (size_t)p->n_gpus;
    m->id = rs_alloc(scratch, (size_t)n_cells + 1, sizeof *m->id);
    m->times = rs_alloc(scratch, (size_t)n_cells * width + 1, 1);
    m->sent_id = rs_alloc(scratch, (size_t)n_values + 1, sizeof *m->sent_id);
    m->sent = rs_alloc(scratch, (size_t)n_values * width + 1, 1);
    if (scratch->lacked) return rs_no_memory(error);
    memset(m->times, 0, (size_t)n_cells * width);
    for (int64_t c = 0; c < n_cells; c++) m->id[c] = RN_MSCCL_NOTHING;
    for (int32_t g = 0; g < p->n_gpus; g++) {
        const int32_t own = p->gpus[g].chunks[RN_MSCCL_INPUT];
        const bool apart =
            p->collective == RS_COLL_ALL_GATHER || p->collective == RS_COLL_ALL_TO_ALL;
        for (int32_t k = 0; k < own; k++) {
            const int64_t cell = rn_msccl_cell(m->graph, g, RN_MSCCL_INPUT, k);
            m->id[cell] = apart ? g * own + k : k;
            times_of(m, cell)[g] = 1;
        }
        m->n_ids = apart ? p->n_gpus * own : own;
    }
    return RS_OK;
}

/* A chunk on its way: its own place, or one of a message. */
typedef struct chunk_view {
    int32_t *id;
    uint8_t *times;
} chunk_view;

static void copy(chunk_view to, chunk_view from, int32_t n) {
    *to.id = *from.id;
    if (to.times != from.times) memcpy(to.times, from.times, (size_t)n);
}

static void add(chunk_view to, chunk_view more, int32_t n) {
    if (*to.id != *more.id || *to.id < 0) *to.id = RN_MSCCL_MIXED;
    for (int32_t r = 0; r < n; r++) {
        const int sum = to.times[r] + more.times[r];
        to.times[r] = (uint8_t)(sum > 2 ? 2 : sum);
    }
}

static chunk_view cell_view(rn_msccl_memory *m, int32_t gpu, rn_msccl_buffer buffer, int32_t at) {
    const int64_t cell = rn_msccl_cell(m->graph, gpu, buffer, at);
    return (chunk_view){&m->id[cell], times_of(m, cell)};
}

static chunk_view sent_view(rn_msccl_memory *m, int32_t node, int32_t k) {
    const int64_t at = m->slot[node] + k;
    return (chunk_view){&m->sent_id[at], m->sent + at * m->graph->program->n_gpus};
}

void rn_msccl_do(rn_msccl_memory *m, int32_t i) {
    const rn_msccl_node *node = &m->graph->nodes[i];
    const rn_msccl_step *s = node->step;
    const int32_t n = m->graph->program->n_gpus;
    for (int32_t k = 0; k < s->count; k++) {
        int32_t id = RN_MSCCL_NOTHING;
        uint8_t times[RN_MSCCL_MOST_GPUS];
        const chunk_view value = {&id, times};
        memset(times, 0, (size_t)n);
        if (node->from >= 0) copy(value, sent_view(m, node->from, k), n);
        if (rn_msccl_reads(s->type)) {
            const chunk_view own = cell_view(m, node->gpu, s->src_buffer, s->src + k);
            if (node->from >= 0) add(value, own, n);
            if (node->from < 0) copy(value, own, n);
        }
        if (rn_msccl_writes(s->type)) {
            const chunk_view own = cell_view(m, node->gpu, s->dst_buffer, s->dst + k);
            if (s->type == RN_MSCCL_REDUCE) add(own, value, n);
            if (s->type != RN_MSCCL_REDUCE) copy(own, value, n);
        }
        if (node->to >= 0) copy(sent_view(m, i, k), value, n);
    }
}

/* ------------------------------------------------------------------ the answer */

/* Returns the rank whose data alone the chunk must hold; -1: everybody's. */
static int32_t wanted(const rn_msccl *p, int32_t g, int32_t at, int32_t *id) {
    const int32_t in = p->gpus[g].chunks[RN_MSCCL_INPUT], out = p->gpus[g].chunks[RN_MSCCL_OUTPUT];
    const int32_t each = out / p->n_gpus; /* chunks of an all-to-all's pair */
    *id = at;
    if (p->collective == RS_COLL_REDUCE_SCATTER) *id = g * out + at;
    if (p->collective == RS_COLL_ALL_GATHER) return at / in;
    if (p->collective != RS_COLL_ALL_TO_ALL) return -1;
    *id = at / each * in + g * each + at % each;
    return at / each;
}

static void say_held(const rn_msccl_memory *m, int64_t cell, rs_error *held) {
    const rn_msccl *p = m->graph->program;
    const int32_t n = p->n_gpus;
    const uint8_t *times = times_of(m, cell);
    int32_t n_in = 0, twice = -1, missing = -1;
    for (int32_t r = n - 1; r >= 0; r--) {
        n_in += times[r] > 0;
        if (times[r] > 1) twice = r;
        if (times[r] == 0) missing = r;
    }
    if (m->id[cell] == RN_MSCCL_NOTHING) {
        rs_fail(held, RS_OK, "nothing");
    } else if (m->id[cell] == RN_MSCCL_MIXED) {
        rs_fail(held, RS_OK, "a sum of different chunks");
    } else if (twice >= 0) {
        rs_fail(held, RS_OK, "chunk %d with rank %d's data twice", (int)m->id[cell], (int)twice);
    } else {
        rs_fail(held, RS_OK,
                missing >= 0 ? RS_MESSAGE("chunk %d of %d ranks, not of all")
                             : RS_MESSAGE("chunk %d of %d ranks"),
                (int)m->id[cell], (int)n_in);
    }
}

static bool holds(const rn_msccl_memory *m, int64_t cell, int32_t id, int32_t rank) {
    const int32_t n = m->graph->program->n_gpus;
    if (m->id[cell] != id) return false;
    for (int32_t r = 0; r < n; r++) {
        if (times_of(m, cell)[r] != (rank < 0 || rank == r)) return false;
    }
    return true;
}

/* Returns the line that wrote the chunk last; 0: nobody did. */
static int32_t last_line(const rn_msccl_memory *m, int32_t g, int64_t cell) {
    const rn_msccl_graph *graph = m->graph;
    for (int32_t k = graph->n - 1; k >= 0; k--) {
        const rn_msccl_node *node = &graph->nodes[graph->order[k]];
        const rn_msccl_step *s = node->step;
        if (node->gpu != g || !rn_msccl_writes(s->type)) continue;
        for (int32_t c = 0; c < s->count; c++) {
            if (rn_msccl_cell(m->graph, g, s->dst_buffer, s->dst + c) == cell) return s->line;
        }
    }
    return 0;
}

void rn_msccl_expect(const rn_msccl_memory *m, rn_msccl_verdict *verdict) {
    const rn_msccl *p = m->graph->program;
    for (int32_t g = 0; g < p->n_gpus; g++) {
        for (int32_t k = 0; k < p->gpus[g].chunks[RN_MSCCL_OUTPUT]; k++) {
            int32_t id;
            rs_error held;
            const int32_t rank = wanted(p, g, k, &id);
            const int64_t cell = rn_msccl_cell(m->graph, g, RN_MSCCL_OUTPUT, k);
            if (holds(m, cell, id, rank)) continue;
            say_held(m, cell, &held);
            verdict->fault = RN_MSCCL_RESULT;
            verdict->line = last_line(m, g, cell);
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
