/* msccl_lower.c: an MSCCL program as a schedule, so that all who show, time and run schedules can take it.
 *
 *     program   GPU 1: rrs i[2]        the sum goes on, and is stored nowhere
 *     schedule  0 -> 1 chunk 2 reduce  each rank has one array: the sum stays in it until a copy comes
 *
 *   - A schedule knows no scratch: of each chunk a rank has one cell. A message's data must be what that cell holds, and
 *     what comes must either add to it or be all of it.
 *   - Steps: what is read in a step is what was there before it. So a message goes a step after the last write of what it
 *     carries, and no write comes before the reads of what was there: the longest way through these rules.
 */
#include "msccl_order.h"

#include <stdlib.h>
#include <string.h>

/* A chunk that travels, and where it stands among the others. */
typedef struct lowered {
    int32_t node, id, step;
    rs_effect effect;
    int32_t next_reader; /* of the same cell, since its last write */
} lowered;

/* A chunk of a rank's own array: who is in it, and what was done to it; -1: nothing. */
typedef struct lowered_cell {
    int32_t sum, last_write, readers;
} lowered_cell;

/* later's step >= earlier's + gap. */
typedef struct rule {
    int32_t earlier, later, gap;
} rule;

typedef struct msccl_lowering {
    const rn_msccl *program;
    const rn_msccl_graph *graph;
    rn_msccl_memory memory;
    lowered_cell *cells; /* [n_gpus x n_ids] */
    lowered *list;       /* [n] as messages carry them */
    rule *rules;
    int32_t n, n_rules;
} msccl_lowering;

static rs_status no_picture(rs_error *error, const lowered *m, const msccl_lowering *l,
                            const char *why) {
    const rn_msccl_node *node = &l->graph->nodes[m->node];
    rs_fail_word(
        error, RS_UNSUPPORTED, 2,
        "GPU %d sends chunk %d, %s: right as a program, but no schedule of one array a rank",
        (int)node->gpu, (int)m->id, why);
    rs_error_at(error, node->step->line, 0);
    return RS_UNSUPPORTED;
}

static void put_rule(msccl_lowering *l, int32_t earlier, int32_t later, int32_t gap) {
    if (earlier >= 0 && earlier != later) l->rules[l->n_rules++] = (rule){earlier, later, gap};
}

/* ------------------------------------------------------------------ reads and writes of the ranks' arrays */

static lowered_cell *cell_of(const msccl_lowering *l, int32_t node, int32_t id) {
    return &l->cells[l->graph->nodes[node].gpu * l->memory.n_ids + id];
}

static rs_status leave(msccl_lowering *l, int32_t number, rs_error *error) {
    lowered *m = &l->list[number];
    if (m->id < 0) return no_picture(error, m, l, RS_MESSAGE("of which nobody can say what it is"));
    lowered_cell *own = cell_of(l, m->node, m->id);
    if (own->sum != l->memory.sent[number].sum)
        return no_picture(error, m, l, RS_MESSAGE("of which it has another part in its own array"));
    put_rule(l, own->last_write, number, 1);
    m->next_reader = own->readers;
    own->readers = number;
    return RS_OK;
}

static rs_status arrive(msccl_lowering *l, int32_t number, rs_error *error) {
    lowered *m = &l->list[number];
    lowered_cell *own = cell_of(l, l->graph->nodes[m->node].to, m->id);
    const rn_msccl_chunk sent = l->memory.sent[number];
    const char *had = l->memory.sums.list[own->sum].text,
               *comes = l->memory.sums.list[sent.sum].text;
    bool apart = true, all = true;
    for (int32_t r = 0; r < l->program->n_gpus; r++) {
        apart = apart && (had[r] == 0 || comes[r] == 0);
        all = all && had[r] <= comes[r];
    }
    if (!apart && !all)
        return no_picture(error, m, l, RS_MESSAGE("of which the other GPU has a part already"));
    m->effect = apart && own->sum != 0 ? RS_REDUCE : RS_COPY;
    own->sum =
        apart ? rn_msccl_add(&l->memory, (rn_msccl_chunk){m->id, own->sum}, sent).sum : sent.sum;
    put_rule(l, own->last_write, number, 1);
    for (int32_t reads = own->readers; reads >= 0; reads = l->list[reads].next_reader)
        put_rule(l, reads, number, 0);
    own->last_write = number;
    own->readers = -1;
    return RS_OK;
}

static rs_status follow(msccl_lowering *l, rs_error *error) {
    const rn_msccl_graph *graph = l->graph;
    rs_status status = RS_OK;
    for (int32_t k = 0; k < graph->n && status == RS_OK; k++) {
        const int32_t i = graph->order[k];
        const rn_msccl_node *node = &graph->nodes[i];
        rn_msccl_do(&l->memory, i);
        for (int32_t c = 0; c < node->step->count && status == RS_OK; c++) {
            const int32_t sent = (int32_t)node->sent + c;
            if (node->from >= 0)
                status = arrive(l, (int32_t)graph->nodes[node->from].sent + c, error);
            if (node->to < 0 || status != RS_OK) continue;
            l->list[sent] = (lowered){.node = i, .id = l->memory.sent[sent].id};
            status = leave(l, sent, error);
        }
    }
    return status;
}

/* ------------------------------------------------------------------ steps */

/* Raises steps until every rule holds; false: they contradict each other. */
static bool find_steps(msccl_lowering *l) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (int32_t i = 0; i < l->n_rules; i++) {
            const rule *r = &l->rules[i];
            const int32_t least = l->list[r->earlier].step + r->gap;
            if (l->list[r->later].step >= least) continue;
            if (least > l->n) return false;
            l->list[r->later].step = least;
            changed = true;
        }
    }
    return true;
}

RS_ORDER(by_step, lowered, step, node, id);

static rs_status compile(msccl_lowering *l, rs_arena *scratch, rs_arena *arena, rs_error *error,
                         rs_schedule *schedule) {
    const rn_msccl_graph *graph = l->graph;
    const int32_t n_steps = l->n > 0 ? l->list[l->n - 1].step + 1 : 0;
    rs_transfer *transfers = rs_alloc(scratch, (size_t)l->n + 1, sizeof *transfers);
    int64_t *first = rs_alloc(scratch, (size_t)n_steps + 1, sizeof *first), n = 0;
    if (transfers == NULL || first == NULL) return rs_no_memory(error);
    int32_t step = -1;
    for (int32_t i = 0; i < l->n; i++) {
        const lowered *m = &l->list[i], *before = i > 0 ? m - 1 : NULL;
        while (step < m->step) first[++step] = n;
        const bool joins = before != NULL && before->step == m->step && before->node == m->node &&
                           before->id + 1 == m->id && before->effect == m->effect;
        if (joins) {
            transfers[n - 1].n_chunks++;
            continue;
        }
        const rn_msccl_node *node = &graph->nodes[m->node];
        transfers[n++] = (rs_transfer){.src = node->gpu,
                                       .dst = graph->nodes[node->to].gpu,
                                       .chunk = m->id,
                                       .n_chunks = 1,
                                       .effect = (uint8_t)m->effect,
                                       .channel = (uint8_t)graph->of[node->block]->channel};
    }
    first[n_steps] = n;
    rs_status status = rs_schedule_from_list(l->program->n_gpus, l->memory.n_ids, n_steps, first,
                                             transfers, arena, error, schedule);
    if (status == RS_OK) status = rs_schedule_as(schedule, l->program->collective, 0, error);
    return status == RS_BAD_INPUT ? RS_UNSUPPORTED : status;
}

/* ------------------------------------------------------------------ the whole */

static rs_status begin(msccl_lowering *l, rs_arena *scratch, rs_error *error) {
    const rn_msccl *p = l->program;
    rs_status status = rn_msccl_fill(l->graph, scratch, error, &l->memory);
    if (status != RS_OK) return status;
    const int32_t n_ids = l->memory.n_ids;
    const size_t n_cells = (size_t)p->n_gpus * (size_t)n_ids, n_sent = (size_t)l->graph->n_sent;
    if (n_cells * (size_t)p->n_gpus > (size_t)1 << 30)
        return rs_fail(error, RS_UNSUPPORTED, "too large to be made a schedule");
    l->n = (int32_t)n_sent;
    l->cells = rs_alloc(scratch, n_cells + 1, sizeof *l->cells);
    l->list = rs_alloc(scratch, n_sent + 1, sizeof *l->list);
    l->rules = rs_alloc(scratch, 3 * n_sent + 1, sizeof *l->rules);
    if (scratch->lacked) return rs_no_memory(error);
    for (int32_t rank = 0; rank < p->n_gpus; rank++) {
        const int32_t alone = rn_msccl_sum_of(&l->memory, rank);
        for (int32_t id = 0; id < n_ids; id++) {
            const rs_ends ends = rs_collective_ends(p->collective, p->n_gpus, n_ids, 0, id);
            const bool has = ends.from == RS_EVERY_RANK || ends.from == rank;
            l->cells[rank * n_ids + id] = (lowered_cell){has ? alone : 0, -1, -1};
        }
    }
    return RS_OK;
}

rs_status rn_lower_msccl(const rn_msccl *program, rs_arena *scratch, rs_arena *arena,
                         rs_error *error, rs_schedule *schedule) {
    rn_msccl_graph graph;
    rn_msccl_verdict verdict;
    msccl_lowering l = {.program = program, .graph = &graph};
    rs_status status = rn_order_msccl(program, scratch, error, &graph, &verdict);
    if (status != RS_OK) return status;
    const int32_t pairs = program->n_gpus * program->n_gpus;
    status = begin(&l, scratch, error);
    if (status != RS_OK) return status;
    if (program->collective == RS_COLL_ALL_TO_ALL && l.memory.n_ids != pairs) {
        return rs_fail(error, RS_UNSUPPORTED,
                       "an all-to-all of %d chunks a GPU: a schedule has "
                       "one for each pair",
                       (int)(l.memory.n_ids / program->n_gpus));
    }
    status = follow(&l, error);
    if (status == RS_OK && scratch->lacked) return rs_no_memory(error);
    if (status != RS_OK) return status;
    if (!find_steps(&l))
        return rs_fail(
            error, RS_UNSUPPORTED,
            "its messages between two GPUs cannot be put into steps one after another, as a schedule has "
            "them: one is sent before, and needed after, another");
    if (l.n > 1) qsort(l.list, (size_t)l.n, sizeof *l.list, by_step);
    return compile(&l, scratch, arena, error, schedule);
}
