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
#include "base/containers.h"

#include <stdlib.h>
#include <string.h>

/* A chunk that travels, and where it stands among the others. */
typedef struct lowered {
    int32_t node, id, step;
    rs_effect effect;
} lowered;

/* later's step >= earlier's + gap. */
typedef struct rule {
    int32_t earlier, later, gap;
} rule;

typedef struct msccl_lowering {
    const rn_msccl *program;
    const rn_msccl_graph *graph;
    rn_msccl_memory memory;
    uint8_t *cell; /* [n_gpus x n_ids x n_gpus] who is in each rank's cell of a chunk */
    int32_t *last_write, *readers; /* [n_gpus x n_ids] */
    int32_t *next_reader;          /* [n] */
    lowered *list;                 /* [n] in the order in which they come */
    rule *rules;
    int32_t n, n_rules, n_ids;
    const int32_t *number; /* [values] of the list, by the memory's slot */
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

static rs_status leave(msccl_lowering *l, int32_t number, const uint8_t sent[], rs_error *error) {
    lowered *m = &l->list[number];
    const int32_t n = l->program->n_gpus, rank = l->graph->nodes[m->node].gpu;
    if (m->id < 0) return no_picture(error, m, l, RS_MESSAGE("of which nobody can say what it is"));
    const size_t at = (size_t)rank * (size_t)l->n_ids + (size_t)m->id;
    if (memcmp(l->cell + at * (size_t)n, sent, (size_t)n) != 0)
        return no_picture(error, m, l, RS_MESSAGE("of which it has another part in its own array"));
    put_rule(l, l->last_write[at], number, 1);
    l->next_reader[number] = l->readers[at];
    l->readers[at] = number;
    return RS_OK;
}

static rs_status arrive(msccl_lowering *l, int32_t number, const uint8_t sent[], rs_error *error) {
    lowered *m = &l->list[number];
    const int32_t n = l->program->n_gpus;
    const int32_t rank = l->graph->nodes[l->graph->nodes[m->node].to].gpu;
    const size_t at = (size_t)rank * (size_t)l->n_ids + (size_t)m->id;
    uint8_t *own = l->cell + at * (size_t)n;
    bool apart = true, all = true, empty = true;
    for (int32_t r = 0; r < n; r++) {
        apart = apart && (own[r] == 0 || sent[r] == 0);
        all = all && own[r] <= sent[r];
        empty = empty && own[r] == 0;
    }
    if (!apart && !all)
        return no_picture(error, m, l, RS_MESSAGE("of which the other GPU has a part already"));
    m->effect = apart && !empty ? RS_REDUCE : RS_COPY;
    for (int32_t r = 0; r < n; r++) own[r] = apart ? (uint8_t)(own[r] + sent[r]) : sent[r];
    put_rule(l, l->last_write[at], number, 1);
    for (int32_t reads = l->readers[at]; reads >= 0; reads = l->next_reader[reads])
        put_rule(l, reads, number, 0);
    l->last_write[at] = number;
    l->readers[at] = -1;
    return RS_OK;
}

static rs_status follow(msccl_lowering *l, rs_error *error) {
    const rn_msccl_graph *graph = l->graph;
    const size_t n = (size_t)l->program->n_gpus;
    rs_status status = RS_OK;
    for (int32_t k = 0; k < graph->n && status == RS_OK; k++) {
        const int32_t i = graph->order[k];
        const rn_msccl_node *node = &graph->nodes[i];
        rn_msccl_do(&l->memory, i);
        for (int32_t c = 0; c < node->step->count && status == RS_OK; c++) {
            if (node->from >= 0) {
                const int64_t at = l->memory.slot[node->from] + c;
                status = arrive(l, l->number[at], l->memory.sent + (size_t)at * n, error);
            }
            if (node->to < 0 || status != RS_OK) continue;
            const int64_t at = l->memory.slot[i] + c;
            l->list[l->number[at]] = (lowered){.node = i, .id = l->memory.sent_id[at]};
            status = leave(l, l->number[at], l->memory.sent + (size_t)at * n, error);
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
    rs_status status = rs_schedule_from_list(l->program->n_gpus, l->n_ids, n_steps, first,
                                             transfers, arena, error, schedule);
    if (status == RS_OK) status = rs_schedule_as(schedule, l->program->collective, 0, error);
    return status == RS_BAD_INPUT ? RS_UNSUPPORTED : status;
}

/* ------------------------------------------------------------------ the whole */

static rs_status begin(msccl_lowering *l, rs_arena *scratch, rs_error *error) {
    const rn_msccl *p = l->program;
    const rn_msccl_graph *graph = l->graph;
    const size_t n = (size_t)p->n_gpus;
    rs_status status = rn_msccl_fill(graph, scratch, error, &l->memory);
    if (status != RS_OK) return status;
    l->n_ids = l->memory.n_ids;
    for (int32_t i = 0; i < graph->n; i++)
        l->n += graph->nodes[i].to >= 0 ? graph->nodes[i].step->count : 0;
    const size_t n_cells = n * (size_t)l->n_ids, n_values = (size_t)l->n;
    if (n_cells * n > (size_t)1 << 30)
        return rs_fail(error, RS_UNSUPPORTED, "too large to be made a schedule");
    int32_t *number = rs_alloc(scratch, n_values + 1, sizeof *number);
    l->cell = rs_alloc(scratch, n_cells * n + 1, 1);
    l->last_write = rs_alloc(scratch, n_cells + 1, sizeof *l->last_write);
    l->readers = rs_alloc(scratch, n_cells + 1, sizeof *l->readers);
    l->next_reader = rs_alloc(scratch, n_values + 1, sizeof *l->next_reader);
    l->list = rs_alloc(scratch, n_values + 1, sizeof *l->list);
    l->rules = rs_alloc(scratch, 3 * n_values + 1, sizeof *l->rules);
    if (scratch->lacked) return rs_no_memory(error);
    for (size_t i = 0; i < n_values; i++) number[i] = (int32_t)i;
    l->number = number;
    memset(l->cell, 0, n_cells * n);
    for (size_t c = 0; c < n_cells; c++) {
        const rs_ends ends = rs_collective_ends(p->collective, p->n_gpus, l->n_ids, 0,
                                                (int32_t)(c % (size_t)l->n_ids));
        const int32_t rank = (int32_t)(c / (size_t)l->n_ids);
        l->cell[c * n + (size_t)rank] = ends.from == RS_EVERY_RANK || ends.from == rank;
        l->last_write[c] = l->readers[c] = -1;
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
    if (program->collective == RS_COLL_ALL_TO_ALL && l.n_ids != pairs) {
        return rs_fail(error, RS_UNSUPPORTED,
                       "an all-to-all of %d chunks a GPU: a schedule has "
                       "one for each pair",
                       (int)(l.n_ids / program->n_gpus));
    }
    status = follow(&l, error);
    if (status != RS_OK) return status;
    if (!find_steps(&l))
        return rs_fail(
            error, RS_UNSUPPORTED,
            "its messages between two GPUs cannot be put into steps one after another, as a schedule has "
            "them: one is sent before, and needed after, another");
    if (l.n > 1) qsort(l.list, (size_t)l.n, sizeof *l.list, by_step);
    return compile(&l, scratch, arena, error, schedule);
}
