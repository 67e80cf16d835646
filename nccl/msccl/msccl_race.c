/* msccl_race.c: two blocks of a GPU at one chunk, one of which writes: does anything say who is first?
 *
 *   - A step knows how far every block has certainly come when it begins: the furthest of what its own block's last step, the
 *     step that it depends on and the sender of its message knew (vector clocks: C. Fidge 1988, F. Mattern 1988). Slots say
 *     nothing: how many there are is not the program's.
 *   - In any order that respects the graph it is enough to compare neighbours: a read with the last write, a write with
 *     the last write and all reads since.
 */
#include "msccl_order.h"

#include <stdarg.h>
#include <string.h>

enum { MOST_CLOCKS = 1 << 28 };

typedef struct chunk_read {
    int32_t node, next;
} chunk_read;

typedef struct race_finder {
    const rn_msccl_graph *graph;
    /* [n x n_blocks] steps of each block that are surely over, its own one counted. */
    int32_t *clock;
    int32_t *last_write, *readers;
    chunk_read *pool;
    int32_t n_pool;
} race_finder;

bool rn_msccl_blame(rn_msccl_verdict *verdict, rn_msccl_fault fault, int32_t line,
                    const char *format, ...) {
    va_list values;
    va_start(values, format);
    rs_vfail(&verdict->said, RS_OK, -1, format, values);
    va_end(values);
    verdict->fault = fault;
    verdict->line = line;
    return false;
}

static void know(int32_t own[], const int32_t other[], int32_t n) {
    for (int32_t b = 0; b < n; b++) own[b] = own[b] > other[b] ? own[b] : other[b];
}

static void tick(const race_finder *f, int32_t i) {
    const rn_msccl_graph *graph = f->graph;
    const rn_msccl_node *node = &graph->nodes[i];
    const size_t width = (size_t)graph->n_blocks;
    int32_t *own = f->clock + (size_t)i * width;
    const int32_t waits[] = {node->place > 0 ? i - 1 : -1, node->dep, node->from};
    memset(own, 0, width * sizeof *own);
    for (int w = 0; w < 3; w++) {
        if (waits[w] >= 0) know(own, f->clock + (size_t)waits[w] * width, graph->n_blocks);
    }
    own[node->block] = node->place + 1;
}

static bool is_before(const race_finder *f, int32_t a, int32_t b) {
    const rn_msccl_node *node = &f->graph->nodes[a];
    return f->clock[(size_t)b * (size_t)f->graph->n_blocks + (size_t)node->block] > node->place;
}

static bool blame(const race_finder *f, int32_t a, int32_t b, rn_msccl_buffer buffer, int32_t at,
                  rn_msccl_verdict *verdict) {
    const rn_msccl_node *one = &f->graph->nodes[a], *other = &f->graph->nodes[b];
    return rn_msccl_blame(
        verdict, RN_MSCCL_RACE, other->step->line,
        "GPU %d: block %d, step %d (line %d) and block %d, step %d are both at %c[%d], and "
        "nothing says who is first",
        (int)one->gpu, (int)f->graph->of[one->block]->id, (int)one->place, (int)one->step->line,
        (int)f->graph->of[other->block]->id, (int)other->place, "ios"[buffer], (int)at);
}

/* A node reads a chunk, or writes it: after the last write, and a write after all reads since. */
static bool touch(race_finder *f, int32_t i, rn_msccl_buffer buffer, int32_t at, bool writes,
                  rn_msccl_verdict *verdict) {
    const int64_t cell = rn_msccl_cell(f->graph, f->graph->nodes[i].gpu, buffer, at);
    const int32_t write = f->last_write[cell];
    if (write >= 0 && write != i && !is_before(f, write, i))
        return blame(f, write, i, buffer, at, verdict);
    if (!writes) {
        f->pool[f->n_pool] = (chunk_read){i, f->readers[cell]};
        f->readers[cell] = f->n_pool++;
        return true;
    }
    for (int32_t r = f->readers[cell]; r >= 0; r = f->pool[r].next) {
        if (f->pool[r].node != i && !is_before(f, f->pool[r].node, i))
            return blame(f, f->pool[r].node, i, buffer, at, verdict);
    }
    f->last_write[cell] = i;
    f->readers[cell] = -1;
    return true;
}

static bool visit(race_finder *f, int32_t i, rn_msccl_verdict *verdict) {
    const rn_msccl_step *s = f->graph->nodes[i].step;
    bool good = true;
    for (int32_t k = 0; k < s->count && good; k++) {
        if (rn_msccl_does(s->type, 'g'))
            good = touch(f, i, s->src_buffer, s->src + k, false, verdict);
        if (good && rn_msccl_does(s->type, 'p'))
            good = touch(f, i, s->dst_buffer, s->dst + k, true, verdict);
    }
    return good;
}

rs_status rn_race_msccl(const rn_msccl_graph *graph, rs_arena *scratch, rs_error *error,
                        rn_msccl_verdict *verdict) {
    race_finder f = {.graph = graph};
    const int64_t n_cells = graph->first_cell[graph->program->n_gpus];
    int64_t n_reads = 0;
    for (int32_t i = 0; i < graph->n; i++) n_reads += graph->nodes[i].step->count;
    if ((int64_t)graph->n * graph->n_blocks > MOST_CLOCKS || n_reads > MOST_CLOCKS / 2) {
        return rs_fail(error, RS_UNSUPPORTED, "too large to look for races: %d steps, %d blocks",
                       (int)graph->n, (int)graph->n_blocks);
    }
    const size_t n_clocks = (size_t)graph->n * (size_t)graph->n_blocks;
    f.clock = rs_alloc(scratch, n_clocks + 1, sizeof *f.clock);
    f.last_write = rs_alloc(scratch, (size_t)n_cells + 1, sizeof *f.last_write);
    f.readers = rs_alloc(scratch, (size_t)n_cells + 1, sizeof *f.readers);
    f.pool = rs_alloc(scratch, (size_t)n_reads + 1, sizeof *f.pool);
    if (scratch->lacked) return rs_no_memory(error);
    for (int64_t c = 0; c < n_cells; c++) f.last_write[c] = f.readers[c] = -1;
    for (int32_t k = 0; k < graph->n; k++) {
        tick(&f, graph->order[k]);
        if (!visit(&f, graph->order[k], verdict)) break;
    }
    return RS_OK;
}
