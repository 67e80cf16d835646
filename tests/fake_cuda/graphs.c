/* graphs.c: streams captured into a graph, and the graph's launch. See inside.h.
 *
 *     stream a   (capture begins) -- 0 -- event ------ 2 -- waits for b's event -- 3 -- (capture ends)
 *     stream b                              waits -- 1 -- event
 *
 *   - A captured operation becomes a node; it waits for the stream's frontier, and is then the frontier.
 *     Waiting for an event adds the event's nodes to it, and takes a stream into the capture.
 *   - At the end every node must lead to the frontier of the stream where the capture began.
 *   - A launch runs nodes in any order that their edges allow. A graph runs once at a time.
 */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

typedef struct node {
    emu_op op;
    int *edges; /* the nodes it waits for */
    int n_edges;
} node;
struct CUgraph_st {
    struct CUgraph_st *next;
    node *nodes;
    int n, capacity;
    bool invalid, careful; /* the mode that forbids unsafe calls */
};
struct CUgraphExec_st {
    struct CUgraphExec_st *next;
    node *nodes;
    int n;
    bool busy, destroyed;
    int n_holders;
};
typedef struct emu_graph_run {
    struct CUgraphExec_st *exec;
    emu_run *runs;
    bool *done;
    int n_done;
} graph_run;
static cudaGraph_t graphs;
static cudaGraphExec_t execs;

/* ------------------------------------------------------------------ nodes */

static bool copy_numbers(int **to, const int from[], int n) {
    int *copy = malloc((size_t)n * sizeof *copy + 1);
    if (copy == NULL) return false;
    if (n > 0) memcpy(copy, from, (size_t)n * sizeof *copy);
    *to = copy;
    return true;
}

static void free_nodes(node nodes[], int n) {
    for (int i = 0; i < n; i++) {
        emu_op_free(&nodes[i].op);
        free(nodes[i].edges);
    }
    free(nodes);
}

static void free_graph(cudaGraph_t graph) {
    cudaGraph_t *at = &graphs;
    while (*at != graph) at = &(*at)->next;
    *at = graph->next;
    free_nodes(graph->nodes, graph->n);
    free(graph);
}

static bool contains(const int nodes[], int n, int what) {
    for (int i = 0; i < n; i++) {
        if (nodes[i] == what) return true;
    }
    return false;
}

/* ------------------------------------------------------------------ capture */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaStreamBeginCapture");
    if (error != cudaSuccess) return emu_leave(error);
    if (stream == NULL) {
        return emu_leave(emu_refuse(cudaErrorStreamCaptureUnsupported, "the default stream"));
    }
    if (emu_stream(stream) == NULL) return emu_leave(cudaErrorInvalidResourceHandle);
    if (stream->capture != NULL) return emu_leave(cudaErrorStreamCaptureUnsupported);
    cudaGraph_t graph = calloc(1, sizeof *graph);
    if (graph == NULL) return emu_leave(cudaErrorMemoryAllocation);
    graph->careful = mode != cudaStreamCaptureModeRelaxed;
    graph->next = graphs;
    graphs = graph;
    stream->capture = graph;
    stream->is_origin = true;
    stream->n_frontier = 0;
    return emu_leave(cudaSuccess);
}

cudaError_t emu_capture_op(cudaStream_t stream, const emu_op *op) {
    cudaGraph_t graph = stream->capture;
    node one = {.op = *op};
    if (op->kind == EMU_PUSHED || op->kind == EMU_GRAPH) {
        emu_invalidate(stream);
        emu_op_free(&one.op);
        return emu_refuse(cudaErrorStreamCaptureUnsupported, "work that cannot be captured here");
    }
    if (graph->invalid) {
        emu_op_free(&one.op);
        return cudaErrorStreamCaptureInvalidated;
    }
    if (graph->n == graph->capacity) {
        const int capacity = graph->capacity * 2 + 16;
        node *larger = realloc(graph->nodes, (size_t)capacity * sizeof *larger);
        if (larger == NULL) return cudaErrorMemoryAllocation;
        graph->nodes = larger;
        graph->capacity = capacity;
    }
    one.n_edges = stream->n_frontier;
    one.edges = stream->frontier;
    graph->nodes[graph->n] = one;
    stream->frontier = NULL;
    if (!copy_numbers(&stream->frontier, &graph->n, 1)) abort();
    stream->n_frontier = 1;
    graph->n++;
    return cudaSuccess;
}

cudaError_t emu_capture_wait(cudaStream_t stream, cudaGraph_t graph, const int nodes[], int n) {
    bool goes_on = false; /* the event's capture */
    for (cudaStream_t s = emu_streams; s != NULL; s = s->next) goes_on |= s->capture == graph;
    if (!goes_on) {
        return emu_refuse(cudaErrorInvalidValue, "the event is of a capture that is over");
    }
    if (stream->capture != NULL && stream->capture != graph) {
        emu_invalidate(stream);
        return emu_refuse(cudaErrorStreamCaptureMerge, "the event is of another capture");
    }
    if (stream->capture == NULL) {
        if (stream->first != NULL && (stream->flags & cudaStreamNonBlocking) == 0) {
            return emu_refuse(cudaErrorStreamCaptureIsolation, "the stream has work already");
        }
        stream->capture = graph;
        stream->is_origin = false;
        stream->n_frontier = 0;
    }
    int *both = malloc((size_t)(stream->n_frontier + n) * sizeof *both + 1);
    if (both == NULL) return cudaErrorMemoryAllocation;
    int n_both = 0;
    for (int i = 0; i < stream->n_frontier; i++) both[n_both++] = stream->frontier[i];
    for (int i = 0; i < n; i++) {
        if (!contains(both, n_both, nodes[i])) both[n_both++] = nodes[i];
    }
    free(stream->frontier);
    stream->frontier = both;
    stream->n_frontier = n_both;
    return cudaSuccess;
}

void emu_invalidate(cudaStream_t stream) {
    if (stream->capture != NULL) stream->capture->invalid = true;
}

bool emu_capturing(void) {
    for (cudaStream_t s = emu_streams; s != NULL; s = s->next) {
        if (s->capture != NULL && s->capture->careful) return true;
    }
    return false;
}

/* Every node leads somewhere, or is of the frontier. */
static bool joined(const struct CUgraph_st *graph, const struct CUstream_st *origin) {
    for (int i = 0; i < graph->n; i++) {
        bool leads = contains(origin->frontier, origin->n_frontier, i);
        for (int j = 0; j < graph->n && !leads; j++) {
            leads = contains(graph->nodes[j].edges, graph->nodes[j].n_edges, i);
        }
        if (!leads) return false;
    }
    return true;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
    cudaError_t error = emu_enter(EMU_WORK, "cudaStreamEndCapture");
    *graph = NULL;
    if (error != cudaSuccess && emu_here()->failed != cudaSuccess) return emu_leave(error);
    if (emu_stream(stream) == NULL || stream == NULL)
        return emu_leave(cudaErrorInvalidResourceHandle);
    if (stream->capture == NULL || !stream->is_origin) {
        return emu_leave(emu_refuse(cudaErrorStreamCaptureUnmatched, "no capture began here"));
    }
    cudaGraph_t made = stream->capture;
    if (error == cudaSuccess && made->invalid) {
        error = cudaErrorStreamCaptureInvalidated;
    } else if (error == cudaSuccess && !joined(made, stream)) {
        error =
            emu_refuse(cudaErrorStreamCaptureUnjoined, "a stream of the capture has not come back");
    }
    for (cudaStream_t s = emu_streams; s != NULL; s = s->next) {
        if (s->capture == made) s->capture = NULL;
    }
    if (error != cudaSuccess) {
        free_graph(made);
    } else {
        *graph = made;
    }
    return emu_leave(error);
}

/* ------------------------------------------------------------------ graphs that can be launched */

static bool copy_node(const node *from, node *to) {
    *to = *from;
    to->edges = NULL;
    to->op.argument = NULL;
    if (from->op.argument != NULL) {
        to->op.argument = malloc(emu_argument_bytes(&from->op));
        if (to->op.argument == NULL) return false;
        memcpy(to->op.argument, from->op.argument, emu_argument_bytes(&from->op));
    }
    return copy_numbers(&to->edges, from->edges, from->n_edges);
}

static bool is_live(cudaGraph_t graph) {
    for (cudaGraph_t g = graphs; g != NULL; g = g->next) {
        if (g == graph) return true;
    }
    return false;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaGraphInstantiateWithFlags");
    if (error != cudaSuccess) return emu_leave(error);
    if (!is_live(graph) || flags != 0) return emu_leave(cudaErrorInvalidValue);
    cudaGraphExec_t made = calloc(1, sizeof *made);
    if (made != NULL) made->nodes = calloc((size_t)graph->n + 1, sizeof *made->nodes);
    if (made == NULL || made->nodes == NULL) {
        free(made);
        return emu_leave(cudaErrorMemoryAllocation);
    }
    bool all = true;
    for (; made->n < graph->n && all; made->n++) {
        all = copy_node(&graph->nodes[made->n], &made->nodes[made->n]);
    }
    if (!all) {
        free_nodes(made->nodes, made->n);
        free(made);
        return emu_leave(cudaErrorMemoryAllocation);
    }
    made->next = execs;
    execs = *exec = made;
    return emu_leave(cudaSuccess);
}

static void free_unheld(cudaGraphExec_t exec) {
    if (!exec->destroyed || exec->n_holders > 0) return;
    cudaGraphExec_t *at = &execs;
    while (*at != exec) at = &(*at)->next;
    *at = exec->next;
    free_nodes(exec->nodes, exec->n);
    free(exec);
}

void emu_exec_release(cudaGraphExec_t exec) {
    exec->n_holders--;
    free_unheld(exec);
}

static bool exec_is_live(cudaGraphExec_t exec) {
    for (cudaGraphExec_t e = execs; e != NULL; e = e->next) {
        if (e == exec) return !e->destroyed;
    }
    return false;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaGraphLaunch");
    if (error != cudaSuccess) return emu_leave(error);
    stream = emu_stream(stream);
    if (stream == NULL || !exec_is_live(exec)) return emu_leave(cudaErrorInvalidResourceHandle);
    exec->n_holders++;
    const emu_op op = {.kind = EMU_GRAPH, .device = stream->device, .exec = exec};
    return emu_leave(emu_push(stream, &op));
}

static graph_run *start(cudaGraphExec_t exec) {
    graph_run *run = calloc(1, sizeof *run);
    if (run == NULL) abort();
    run->exec = exec;
    run->runs = calloc((size_t)exec->n + 1, sizeof *run->runs);
    run->done = calloc((size_t)exec->n + 1, sizeof *run->done);
    if (run->runs == NULL || run->done == NULL) abort();
    for (int i = 0; i < exec->n; i++) run->runs[i].op = &exec->nodes[i].op;
    exec->busy = true;
    return run;
}

void emu_graph_drop(graph_run *run) {
    for (int i = 0; i < run->exec->n; i++) emu_run_drop(&run->runs[i]);
    run->exec->busy = false;
    free(run->runs);
    free(run->done);
    free(run);
}

static bool may_run(const graph_run *run, int i) {
    const node *one = &run->exec->nodes[i];
    for (int e = 0; e < one->n_edges; e++) {
        if (!run->done[one->edges[e]]) return false;
    }
    return !run->done[i];
}

bool emu_graph_step(graph_run **run, const emu_op *op) {
    if (*run == NULL) {
        if (op->exec->busy) return false;
        *run = start(op->exec);
    }
    graph_run *r = *run;
    const int n = r->exec->n;
    const emu_walk walk = emu_shuffle(n > 0 ? (uint64_t)n : 1);
    for (int i = 0; i < n; i++) {
        const int at = (int)emu_nth(&walk, (uint64_t)i);
        if (!may_run(r, at)) continue;
        const bool done = emu_run_step(&r->runs[at]);
        const cudaError_t failed = emu_all.devices[op->exec->nodes[at].op.device].failed;
        if (failed != cudaSuccess) {
            emu_fault(op->device, failed, "a node of a graph has failed on another device");
            return false;
        }
        if (!done) continue;
        emu_run_drop(&r->runs[at]);
        r->done[at] = true;
        r->n_done++;
        emu_progress();
    }
    if (r->n_done < n) return false;
    emu_graph_drop(r);
    *run = NULL;
    return true;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaGraphExecDestroy");
    if (error != cudaSuccess && emu_here()->failed == cudaSuccess) return emu_leave(error);
    if (!exec_is_live(exec)) return emu_leave(cudaErrorInvalidValue);
    exec->destroyed = true;
    free_unheld(exec);
    return emu_leave(error);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaGraphDestroy");
    if (error != cudaSuccess && emu_here()->failed == cudaSuccess) return emu_leave(error);
    if (!is_live(graph)) return emu_leave(cudaErrorInvalidValue);
    free_graph(graph);
    return emu_leave(error);
}

size_t emu_live_graphs(void) {
    size_t n = 0;
    for (cudaGraph_t g = graphs; g != NULL; g = g->next) n++;
    for (cudaGraphExec_t e = execs; e != NULL; e = e->next) n += !e->destroyed;
    return n;
}

void emu_graphs_reset(void) {
    while (graphs != NULL) free_graph(graphs);
    while (execs != NULL) {
        execs->destroyed = true;
        execs->n_holders = 0;
        free_unheld(execs);
    }
}
