/* graph_xml.c: NCCL_GRAPH_DUMP_FILE's XML: what the search found for each algorithm, and the order of the GPUs.
 *
 *     <graphs version="1">
 *       <graph id="0" pattern="4" nchannels="2" speedintra="12" speedinter="12" typeintra="SYS" typeinter="PIX" ...>
 *         <channel> <net dev="0"/> <gpu dev="0" rank="0"/> <gpu dev="1" rank="1"/> <net dev="1"/> </channel>
 *
 *   - A dump is of one node: its rings begin and end at the network where there are several.
 */
#include "ringsim_text.h"
#include "ringsim_topology.h"
#include "xml_elements.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ELEMENTS = 1 << 20, MOST_RINGS = 64, MOST_GPUS = 256 };

enum { GRAPHS, GRAPH, CHANNEL, GPU, NET, N_NAMES };
static const char *const names[] = {"graphs", "graph", "channel", "gpu", "net", NULL};

typedef struct graph_reading {
    rn_elements elements;
    rn_findings *findings;
    rn_graph_file *graph;
} graph_reading;

static int32_t read_whole(graph_reading *x, const rn_element *e, const char *name, int64_t most,
                          int64_t otherwise) {
    rn_read_number(e, name, 0, most, otherwise < 0, x->findings, &otherwise);
    return (int32_t)otherwise;
}

/* A graph that was not found has no channels, and no speed. */
static float read_speed(graph_reading *x, const rn_element *e, const char *name, bool found) {
    const char *text = rn_attribute(e, name);
    char *end;
    const double value = text != NULL ? strtod(text, &end) : -1;
    const bool good = value > 0 || (!found && value >= 0);
    if (text == NULL || end == text || *end != '\0' || !good || value > 1e6) {
        rn_find(x->findings, RN_ERROR, e->line, "%s: a bandwidth in GB/s", name);
        return 0;
    }
    return (float)value;
}

static rn_nccl_path read_type(graph_reading *x, const rn_element *e, const char *name) {
    const char *text = rn_attribute(e, name);
    rn_nccl_path path = RN_PATH_SYS;
    if (text == NULL || !rn_nccl_find_path(text, strlen(text), &path)) {
        rn_find(x->findings, RN_ERROR, e->line, "%s: a kind of path such as NVL, PIX or SYS", name);
    }
    return path;
}

/* Adds a GPU's rank, else its number, to those of its channel; returns how many they are. */
static int32_t take_gpu(graph_reading *x, const rn_element *e, int32_t ranks[MOST_GPUS],
                        int32_t n) {
    const char *dev = rn_needed_attribute(e, "dev", x->findings), *digits = dev;
    uint64_t number;
    if (dev == NULL || n == MOST_GPUS) return n;
    if (strncmp(digits, "0x", 2) == 0) digits += 2;
    if (rn_take_hex(&digits, 3, &number) == 0 || *digits != '\0') {
        rn_find(x->findings, RN_ERROR, e->line, "gpu: dev=\"%.40s\" is none of 0 to fff", dev);
        return n;
    }
    const int32_t rank = read_whole(x, e, "rank", 1 << 20, (int64_t)number);
    for (int32_t i = 0; i < n; i++) {
        if (ranks[i] != rank) continue;
        rn_find(x->findings, RN_ERROR, e->line, "GPU %d is in this channel twice", (int)rank);
        return n;
    }
    ranks[n] = rank;
    return n + 1;
}

/* Reads a channel of a graph; of a ring's it is kept. False: no memory. */
static bool read_channel(graph_reading *x, int32_t at, const rn_nccl_graph *g, rs_arena *arena) {
    rn_graph_file *all = x->graph;
    const rn_element *list = x->elements.list;
    int32_t ranks[MOST_GPUS], n = 0, i = at + 1;
    for (; i < x->elements.n && list[i].parent >= at; i++) {
        if (list[i].parent == at && list[i].tag == GPU) n = take_gpu(x, &list[i], ranks, n);
    }
    if (n == 0 && (i < x->elements.n || x->elements.end.line == 0))
        rn_find(x->findings, RN_ERROR, list[at].line, "a channel without GPUs");
    if (n == 0 || g->pattern != RN_PATTERN_RING || all->n_rings == MOST_RINGS) return true;
    int32_t *kept = rs_alloc(arena, (size_t)n, sizeof *kept);
    if (kept == NULL) return false;
    memcpy(kept, ranks, (size_t)n * sizeof *kept);
    all->rings[all->n_rings] = (rn_nccl_ring){all->n_rings, kept, n, true, list[at].line};
    all->n_rings++;
    return true;
}

/* False: no memory. */
static bool read_graph(graph_reading *x, int32_t at, rs_arena *arena) {
    rn_graph_file *all = x->graph;
    const rn_element *list = x->elements.list, *e = &list[at];
    const int32_t id = read_whole(x, e, "id", 31, -1);
    const int32_t pattern = read_whole(x, e, "pattern", RN_N_PATTERNS - 1, -1);
    const int32_t said = read_whole(x, e, "nchannels", RN_NCCL_MOST_CHANNELS, -1);
    const bool found = said > 0 || rn_attribute(e, "nchannels") == NULL;
    rn_nccl_graph *g = &all->graphs[all->n_graphs];
    all->ids[all->n_graphs++] = id;
    *g = (rn_nccl_graph){.pattern = pattern > 0 ? (rn_nccl_pattern)pattern : RN_PATTERN_NONE,
                         .n_channels = said > 0 ? said : 0,
                         .same_channels = read_whole(x, e, "samechannels", 1, 0) != 0,
                         .bw_intra = read_speed(x, e, "speedintra", found),
                         .bw_inter = read_speed(x, e, "speedinter", found),
                         .type_intra = read_type(x, e, "typeintra"),
                         .type_inter = read_type(x, e, "typeinter")};
    if (rn_attribute(e, "latencyinter") == NULL) {
        rn_find(x->findings, RN_NOTE, e->line, "no latencyinter: NCCL takes 0");
    }
    int32_t n = 0, i = at + 1;
    for (; i < x->elements.n && list[i].parent >= at; i++) {
        if (list[i].parent != at || list[i].tag != CHANNEL) continue;
        if (!read_channel(x, i, g, arena)) return false;
        n++;
    }
    if (n != g->n_channels && (i < x->elements.n || x->elements.end.line == 0)) {
        rn_find(x->findings, RN_ERROR, e->line, "nchannels says %d, and there are %d",
                (int)g->n_channels, (int)n);
    }
    return true;
}

/* Is an element where it belongs? */
static bool belongs(const graph_reading *x, const rn_element *e) {
    static const int32_t inside[N_NAMES] = {-1, GRAPHS, GRAPH, CHANNEL, CHANNEL};
    const int32_t around = e->parent < 0 ? -1 : x->elements.list[e->parent].tag;
    return e->tag < N_NAMES && around == inside[e->tag];
}

rs_status rn_read_graph(const char *text, size_t n_bytes, rs_arena *arena, rn_findings *findings,
                        rs_error *error, rn_graph_file *graph) {
    graph_reading x = {.findings = findings, .graph = graph};
    if (n_bytes > RN_TOPOLOGY_BYTES)
        return rs_fail(error, RS_BAD_INPUT, "more than 16 MiB: no graph is so large");
    const rs_status status =
        rn_read_elements(text, n_bytes, names, MOST_ELEMENTS, arena, error, &x.elements);
    if (status != RS_OK) return status;
    rn_tell_part(&x.elements, findings);
    graph->rings = rs_alloc(arena, MOST_RINGS, sizeof *graph->rings);
    if (graph->rings == NULL) return rs_no_memory(error);
    for (int32_t i = 0; i < x.elements.n; i++) {
        const rn_element *e = &x.elements.list[i];
        if (!belongs(&x, e)) {
            rn_find(findings, RN_WARNING, e->line, "<%.40s> means nothing here", e->name);
        } else if (e->tag == GRAPH && graph->n_graphs < RN_MOST_GRAPHS) {
            if (!read_graph(&x, i, arena)) return rs_no_memory(error);
        }
    }
    if (x.elements.end.line > 0)
        rn_find_said(findings, RN_ERROR, x.elements.end.line, &x.elements.end.said);
    if (graph->n_graphs == 0 && findings->n[RN_ERROR] == 0) {
        rn_find(findings, RN_ERROR, 1, "no <graph> in it");
    }
    return RS_OK;
}
