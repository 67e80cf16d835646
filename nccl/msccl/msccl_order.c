/* msccl_order.c: the steps of all blocks as one graph.
 *
 *     block     s0 --> s1 --> s2          in its order
 *     dep       s1 of block 0 --> s0 of block 3; without hasdep the next of block 0 that has it: one flag a block counts up
 *     message   k-th send of a connection --> its k-th receive
 *     slot      (k - 8)-th receive --> k-th send
 *
 *   - Kahn's order of it; what is left over waits for itself: a deadlock.
 */
#include "msccl_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *rn_msccl_fault_name(rn_msccl_fault fault) {
    static const char *const names[] = {NULL, "bounds", "pairing", "deadlock", "race", "result"};
    return names[fault];
}

/* ------------------------------------------------------------------ bounds */

static bool range_fits(const rn_msccl_gpu *gpu, rn_msccl_buffer buffer, int32_t at, int32_t count) {
    return at >= 0 && count >= 1 && at <= gpu->chunks[buffer] - count;
}

static bool step_fits(const rn_msccl *p, int32_t g, const rn_msccl_block *block,
                      const rn_msccl_step *s, rn_msccl_verdict *verdict) {
    static const char letters[] = "ios";
    const rn_msccl_gpu *gpu = &p->gpus[g];
    for (int end = 0; end < 2; end++) {
        const rn_msccl_buffer buffer = end == 0 ? s->src_buffer : s->dst_buffer;
        const int32_t at = end == 0 ? s->src : s->dst;
        if (!rn_msccl_does(s->type, end == 0 ? 'g' : 'p')) continue;
        if (range_fits(gpu, buffer, at, s->count)) continue;
        rn_msccl_blame(verdict, RN_MSCCL_BOUNDS, s->line,
                       "GPU %d, block %d: chunks %d..%lld of its %c; it has %d", (int)g,
                       (int)block->id, (int)at, (long long)at + s->count - 1, letters[buffer],
                       (int)gpu->chunks[buffer]);
        return false;
    }
    const bool mute = rn_msccl_does(s->type, 's') && block->send < 0;
    if (!mute && (!rn_msccl_does(s->type, 'r') || block->recv >= 0)) return true;
    return rn_msccl_blame(verdict, RN_MSCCL_BOUNDS, s->line,
                          mute ? RS_MESSAGE("GPU %d, block %d sends, and has no send=")
                               : RS_MESSAGE("GPU %d, block %d receives, and has no recv="),
                          (int)g, (int)block->id);
}

static bool peer_fits(const rn_msccl *p, int32_t g, const rn_msccl_block *block, int32_t peer,
                      rn_msccl_verdict *verdict) {
    if (peer == -1 || (peer >= 0 && peer < p->n_gpus && peer != g)) return true;
    return rn_msccl_blame(verdict, RN_MSCCL_BOUNDS, block->line,
                          "GPU %d, block %d: GPU %d is no other GPU of 0..%d", (int)g,
                          (int)block->id, (int)peer, (int)p->n_gpus - 1);
}

/* Do the buffers fit the collective? All GPUs have the same. */
static bool shape_fits(const rn_msccl *p, rn_msccl_verdict *verdict) {
    const char *name = rs_collective_name(p->collective);
    for (int32_t g = 0; g < p->n_gpus; g++) {
        const rn_msccl_gpu *gpu = &p->gpus[g];
        const int64_t in = gpu->chunks[RN_MSCCL_INPUT], out = gpu->chunks[RN_MSCCL_OUTPUT];
        const bool fits = p->collective == RS_COLL_ALL_REDUCE   ? in == out
                          : p->collective == RS_COLL_ALL_GATHER ? out == in * p->n_gpus
                          : p->collective == RS_COLL_REDUCE_SCATTER
                              ? in == out * p->n_gpus
                              : in == out && in % p->n_gpus == 0;
        if (fits && in > 0 && in == p->gpus[0].chunks[RN_MSCCL_INPUT]) continue;
        return rn_msccl_blame(
            verdict, RN_MSCCL_BOUNDS, gpu->line,
            "GPU %d: %lld chunks of input and %lld of output do not make an %s among %d GPUs",
            (int)g, (long long)in, (long long)out, name, (int)p->n_gpus);
    }
    return true;
}

static bool blocks_fit(const rn_msccl *p, rn_msccl_verdict *verdict) {
    for (int32_t g = 0; g < p->n_gpus; g++) {
        for (int32_t b = 0; b < p->gpus[g].n_blocks; b++) {
            const rn_msccl_block *block = &p->gpus[g].blocks[b];
            if (!peer_fits(p, g, block, block->send, verdict) ||
                !peer_fits(p, g, block, block->recv, verdict)) {
                return false;
            }
            if (block->channel < 0 || block->channel >= p->n_channels) {
                return rn_msccl_blame(verdict, RN_MSCCL_BOUNDS, block->line,
                                      "GPU %d, block %d: channel %d of %d", (int)g, (int)block->id,
                                      (int)block->channel, (int)p->n_channels);
            }
            for (int32_t i = 0; i < block->n_steps; i++) {
                if (!step_fits(p, g, block, &block->steps[i], verdict)) return false;
            }
        }
    }
    return true;
}

/* ------------------------------------------------------------------ nodes, and what they wait for */

static int32_t block_of(const rn_msccl_graph *graph, int32_t first, int32_t n, int32_t id) {
    for (int32_t b = first; b < first + n; b++) {
        if (graph->of[b]->id == id) return b;
    }
    return -1;
}

static bool place_nodes(rn_msccl_graph *graph, rn_msccl_verdict *verdict) {
    const rn_msccl *p = graph->program;
    int32_t block = 0, node = 0;
    for (int32_t g = 0; g < p->n_gpus; g++) {
        const int32_t first_block = block, first_node = node;
        for (int32_t b = 0; b < p->gpus[g].n_blocks; b++, block++) {
            graph->of[block] = &p->gpus[g].blocks[b];
            graph->first[block] = node;
            for (int32_t i = 0; i < graph->of[block]->n_steps; i++, node++) {
                graph->nodes[node] = (rn_msccl_node){.step = &graph->of[block]->steps[i],
                                                     .gpu = g,
                                                     .block = block,
                                                     .place = i,
                                                     .from = -1,
                                                     .to = -1,
                                                     .dep = -1,
                                                     .freed_by = -1};
            }
            if (block_of(graph, first_block, b, graph->of[block]->id) < 0) continue;
            return rn_msccl_blame(verdict, RN_MSCCL_BOUNDS, graph->of[block]->line,
                                  "GPU %d has block %d twice", (int)g, (int)graph->of[block]->id);
        }
        for (int32_t i = first_node; i < node; i++) {
            rn_msccl_node *at = &graph->nodes[i];
            const rn_msccl_step *s = at->step;
            if (s->dep_block < 0) continue;
            const int32_t b = block_of(graph, first_block, block - first_block, s->dep_block);
            if (b < 0 || s->dep_step < 0 || s->dep_step >= graph->of[b]->n_steps) {
                return rn_msccl_blame(verdict, RN_MSCCL_BOUNDS, s->line,
                                      "GPU %d waits for step %d of block %d, which is not there",
                                      (int)g, (int)s->dep_step, (int)s->dep_block);
            }
            at->dep = graph->first[b] + s->dep_step;
        }
    }
    graph->first[block] = node;
    return true;
}

/* ------------------------------------------------------------------ messages */

/* One end of a connection: a block that sends, or one that receives. */
typedef struct msccl_end {
    int32_t src, dst, channel, block;
    bool sends;
} msccl_end;

/* Sends first. */
static int by_connection(const void *left, const void *right) {
    const msccl_end *a = left, *b = right;
    return 4 * RS_BY(src, dst, channel) + 2 * RS_COMPARE(b->sends, a->sends) + RS_BY(block);
}

static int32_t next_message(const rn_msccl_graph *graph, int32_t block, int32_t node, bool sends) {
    const char what = sends ? 's' : 'r';
    while (node < graph->first[block + 1] && !rn_msccl_does(graph->nodes[node].step->type, what))
        node++;
    return node < graph->first[block + 1] ? node : -1;
}

static bool blame_pairing(const rn_msccl_graph *graph, int32_t node, bool sends,
                          const rs_error *why, rn_msccl_verdict *verdict) {
    const rn_msccl_node *at = &graph->nodes[node];
    const rn_msccl_block *block = graph->of[at->block];
    verdict->fault = RN_MSCCL_PAIRING;
    verdict->line = at->step->line;
    rs_fail_with(&verdict->said, RS_OK, 5, why,
                 sends
                     ? RS_MESSAGE("GPU %d, block %d, step %d sends to GPU %d on channel %d, %s")
                     : RS_MESSAGE("GPU %d, block %d, step %d hears from GPU %d on channel %d, %s"),
                 (int)at->gpu, (int)block->id, (int)at->place,
                 (int)(sends ? block->send : block->recv), (int)block->channel, why->text);
    return false;
}

/* Pairs what one block sends with what the other receives; sender or receiver -1: there is none. */
static bool pair_connection(rn_msccl_graph *graph, int32_t sender, int32_t receiver,
                            int32_t held[RN_MSCCL_SLOTS], rn_msccl_verdict *verdict) {
    int32_t s = sender >= 0 ? next_message(graph, sender, graph->first[sender], true) : -1;
    int32_t r = receiver >= 0 ? next_message(graph, receiver, graph->first[receiver], false) : -1;
    for (int64_t k = 0; s >= 0 || r >= 0; k++) {
        rs_error why;
        if (r < 0 || s < 0) {
            rs_fail(&why, RS_OK,
                    r < 0 ? RS_MESSAGE("and nobody receives that")
                          : RS_MESSAGE("which sends no such message"));
            return blame_pairing(graph, r < 0 ? s : r, r < 0, &why, verdict);
        }
        rn_msccl_node *from = &graph->nodes[s], *to = &graph->nodes[r];
        if (from->step->count != to->step->count) {
            rs_fail(&why, RS_OK, "%d chunks, of which %d are received", (int)from->step->count,
                    (int)to->step->count);
            return blame_pairing(graph, s, true, &why, verdict);
        }
        from->to = r;
        to->from = s;
        if (k >= RN_MSCCL_SLOTS) from->freed_by = held[k % RN_MSCCL_SLOTS];
        held[k % RN_MSCCL_SLOTS] = r;
        from->sent = graph->n_sent;
        graph->n_sent += from->step->count;
        graph->n_messages++;
        s = next_message(graph, sender, s + 1, true);
        r = next_message(graph, receiver, r + 1, false);
    }
    return true;
}

static bool pair_messages(rn_msccl_graph *graph, msccl_end *ends, rn_msccl_verdict *verdict) {
    int32_t n = 0;
    for (int32_t b = 0; b < graph->n_blocks; b++) {
        const int32_t gpu =
            graph->first[b] < graph->first[b + 1] ? graph->nodes[graph->first[b]].gpu : -1;
        const rn_msccl_block *block = graph->of[b];
        if (gpu < 0) continue;
        if (block->send >= 0) ends[n++] = (msccl_end){gpu, block->send, block->channel, b, true};
        if (block->recv >= 0) ends[n++] = (msccl_end){block->recv, gpu, block->channel, b, false};
    }
    if (n > 1) qsort(ends, (size_t)n, sizeof *ends, by_connection);
    for (int32_t i = 0, end; i < n; i = end) {
        int32_t of[2] = {-1, -1}, held[RN_MSCCL_SLOTS]; /* who receives, who sends */
        for (end = i; end < n && ends[end].src == ends[i].src && ends[end].dst == ends[i].dst &&
                      ends[end].channel == ends[i].channel;
             end++) {
            if (of[ends[end].sends] >= 0) {
                const rn_msccl_block *block = graph->of[ends[end].block];
                return rn_msccl_blame(
                    verdict, RN_MSCCL_PAIRING, block->line,
                    ends[end].sends
                        ? RS_MESSAGE("two blocks of GPU %d send to GPU %d on channel %d")
                        : RS_MESSAGE("two blocks at GPU %d hear from GPU %d on channel %d"),
                    (int)(ends[end].sends ? ends[i].src : ends[i].dst),
                    (int)(ends[end].sends ? ends[i].dst : ends[i].src), (int)block->channel);
            }
            of[ends[end].sends] = ends[end].block;
        }
        if (!pair_connection(graph, of[true], of[false], held, verdict)) return false;
    }
    return true;
}

/* ------------------------------------------------------------------ flags */

/* A block's flag rises to the place of each step that has hasdep=1, and others wait until it is high enough: for that step,
   or a later one. (Source: the flags of microsoft/msccl's interpreter.) */
static bool find_flags(rn_msccl_graph *graph, rn_msccl_verdict *verdict) {
    for (int32_t i = graph->n; i-- > 0;) {
        rn_msccl_node *node = &graph->nodes[i];
        const bool is_last = i + 1 == graph->first[node->block + 1];
        node->flag = node->step->has_dep ? i : is_last ? -1 : node[1].flag;
    }
    for (int32_t i = 0; i < graph->n; i++) {
        rn_msccl_node *node = &graph->nodes[i];
        if (node->dep >= 0) node->dep = graph->nodes[node->dep].flag;
        if (node->dep >= 0 || node->step->dep_block < 0) continue;
        return rn_msccl_blame(
            verdict, RN_MSCCL_DEADLOCK, node->step->line,
            "GPU %d waits for step %d of block %d, which tells nobody: neither it "
            "nor a later one has hasdep=1",
            (int)node->gpu, (int)node->step->dep_step, (int)node->step->dep_block);
    }
    return true;
}

/* ------------------------------------------------------------------ order */

enum { N_WAITS = 4 };

/* Fills in the nodes that this one waits for; -1: none. The last is for a slot. */
static void waits_of(const rn_msccl_graph *graph, int32_t i, int32_t out[N_WAITS]) {
    const rn_msccl_node *node = &graph->nodes[i];
    out[0] = node->place > 0 ? i - 1 : -1;
    out[1] = node->dep;
    out[2] = node->from;
    out[3] = node->freed_by;
}

/* Follows what is not done from one to the next until one comes again, and says who waits for whom there. */
static void blame_circle(const rn_msccl_graph *graph, const int32_t n_waits[], int32_t start,
                         int32_t *seen, rn_msccl_verdict *verdict) {
    int32_t at = start, waits[N_WAITS], n = 0;
    bool for_slot = false;
    for (int round = 0; round < 2; round++) { /* first into the circle, then once round it */
        memset(seen, 0, (size_t)graph->n * sizeof *seen);
        for_slot = false;
        for (n = 0; seen[at] == 0; n++) {
            seen[at] = 1;
            waits_of(graph, at, waits);
            for (int w = 0; w < N_WAITS; w++) {
                if (waits[w] < 0 || n_waits[waits[w]] == 0) continue;
                for_slot = for_slot || w == N_WAITS - 1;
                at = waits[w];
                break;
            }
        }
    }
    const rn_msccl_node *node = &graph->nodes[at];
    rn_msccl_blame(verdict, RN_MSCCL_DEADLOCK, node->step->line,
                   for_slot
                       ? RS_MESSAGE("GPU %d, block %d, step %d waits for itself, over %d steps: a "
                                    "connection has 8 slots")
                       : RS_MESSAGE("GPU %d, block %d, step %d waits for itself, over %d steps"),
                   (int)node->gpu, (int)graph->of[node->block]->id, (int)node->place, (int)n);
}

static rs_status sort_nodes(rn_msccl_graph *graph, rs_arena *scratch, rs_error *error,
                            rn_msccl_verdict *verdict) {
    const size_t n = (size_t)graph->n;
    int32_t *n_waits = rs_alloc(scratch, n + 1, sizeof *n_waits);
    int32_t *next = rs_alloc(scratch, n * N_WAITS + 1, sizeof *next);
    int32_t *head = rs_alloc(scratch, n + 1, sizeof *head);
    int32_t waits[N_WAITS], done = 0, ready = 0;
    if (scratch->lacked) return rs_no_memory(error);
    for (int32_t i = 0; i < graph->n; i++) head[i] = -1;
    for (int32_t i = 0; i < graph->n; i++) {
        n_waits[i] = 0;
        waits_of(graph, i, waits);
        for (int w = 0; w < N_WAITS; w++) {
            if (waits[w] < 0) continue;
            n_waits[i]++;
            next[i * N_WAITS + w] = head[waits[w]];
            head[waits[w]] = i * N_WAITS + w;
        }
        if (n_waits[i] == 0) graph->order[ready++] = i;
    }
    for (; done < ready; done++) {
        for (int32_t e = head[graph->order[done]]; e >= 0; e = next[e]) {
            if (--n_waits[e / N_WAITS] == 0) graph->order[ready++] = e / N_WAITS;
        }
    }
    if (done == graph->n) return RS_OK;
    int32_t stuck = 0;
    while (n_waits[stuck] == 0) stuck++;
    blame_circle(graph, n_waits, stuck, head, verdict);
    return RS_OK;
}

rs_status rn_order_msccl(const rn_msccl *program, rs_arena *scratch, rs_error *error,
                         rn_msccl_graph *graph, rn_msccl_verdict *verdict) {
    *graph = (rn_msccl_graph){.program = program};
    *verdict = (rn_msccl_verdict){.fault = RN_MSCCL_RIGHT};
    graph->first_cell = rs_alloc(scratch, (size_t)program->n_gpus + 1, sizeof *graph->first_cell);
    for (int32_t g = 0; g < program->n_gpus && graph->first_cell != NULL; g++) {
        const rn_msccl_gpu *gpu = &program->gpus[g];
        const int32_t in = gpu->chunks[RN_MSCCL_INPUT], out = gpu->chunks[RN_MSCCL_OUTPUT];
        const int64_t shared = !program->in_place ? 0 : in < out ? in : out;
        graph->first_cell[g + 1] =
            graph->first_cell[g] + (int64_t)in + out - shared + gpu->chunks[RN_MSCCL_SCRATCH];
        for (int32_t b = 0; b < gpu->n_blocks; b++) graph->n += gpu->blocks[b].n_steps;
        graph->n_blocks += gpu->n_blocks;
    }
    verdict->n_steps = graph->n;
    const size_t n = (size_t)graph->n + 1, n_blocks = (size_t)graph->n_blocks + 1;
    graph->nodes = rs_alloc(scratch, n, sizeof *graph->nodes);
    graph->order = rs_alloc(scratch, n, sizeof *graph->order);
    graph->first = rs_alloc(scratch, n_blocks, sizeof *graph->first);
    graph->of = rs_alloc(scratch, n_blocks, sizeof *graph->of);
    msccl_end *ends = rs_alloc(scratch, 2 * n_blocks, sizeof *ends);
    if (scratch->lacked) return rs_no_memory(error);
    if (!shape_fits(program, verdict) || !blocks_fit(program, verdict) ||
        !place_nodes(graph, verdict) || !pair_messages(graph, ends, verdict) ||
        !find_flags(graph, verdict)) {
        return RS_OK;
    }
    verdict->n_messages = graph->n_messages;
    return sort_nodes(graph, scratch, error, verdict);
}

/* ------------------------------------------------------------------ the verdict */

/* An MSCCL program's verdict: its order, its races, what is left at the end. */

rs_status rn_judge_msccl(const rn_msccl *program, rs_arena *scratch, rs_error *error,
                         rn_msccl_verdict *verdict) {
    rn_msccl_graph graph;
    rn_msccl_memory memory;
    rs_status status = rn_order_msccl(program, scratch, error, &graph, verdict);
    if (status == RS_OK && verdict->fault == RN_MSCCL_RIGHT)
        status = rn_race_msccl(&graph, scratch, error, verdict);
    if (status != RS_OK || verdict->fault != RN_MSCCL_RIGHT) return status;
    status = rn_msccl_fill(&graph, scratch, error, &memory);
    if (status != RS_OK) return status;
    for (int32_t k = 0; k < graph.n; k++) rn_msccl_do(&memory, graph.order[k]);
    rn_msccl_expect(&memory, verdict);
    return scratch->lacked ? rs_no_memory(error) : RS_OK;
}
