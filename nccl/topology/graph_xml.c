/* graph_xml.c: NCCL_GRAPH_DUMP_FILE's XML: what the search found for each algorithm, and the order of the GPUs.
 *
 *     <graphs version="1">
 *       <graph id="0" pattern="4" nchannels="2" speedintra="12" speedinter="12" typeintra="SYS" typeinter="PIX" ...>
 *         <channel> <net dev="0"/> <gpu dev="0" rank="0"/> <gpu dev="1" rank="1"/> <net dev="1"/> </channel>
 *
 *   - A dump is of one node: its rings begin and end at the network where there are several.
 */
#include "config.h"
#include "ringsim_topology.h"

#ifdef HAVE_EXPAT
#include "xml_place.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RINGS = 64, MOST_GPUS = 256 };

typedef struct graph_reading {
    XML_Parser parser;
    rs_arena *arena;
    rn_findings *findings;
    rn_graph_file *graph;
    rn_nccl_ring rings[MOST_RINGS];
    int32_t ranks[MOST_GPUS], n_ranks, n_channels; /* of the channel, of the graph at hand */
    int64_t line;                                  /* of the graph */
    bool in_graph, in_channel, no_memory, stopped;
} graph_reading;

static int64_t line_of(const graph_reading *x) {
    return rn_xml_line(x->parser);
}

static bool read_whole(graph_reading *x, const char **attributes, const char *name, int base,
                       long most, bool needed, long *number) {
    const char *text = rn_xml_value(attributes, name);
    char *end;
    if (text == NULL && !needed) return false;
    const long value = text != NULL ? strtol(text, &end, base) : -1;
    if (text == NULL || end == text || *end != '\0' || value < 0 || value > most) {
        rn_find(x->findings, RN_ERROR, line_of(x), "%s: a whole number from 0 to %ld", name, most);
        return false;
    }
    *number = value;
    return true;
}

/* A graph that was not found has no channels, and no speed. */
static float read_speed(graph_reading *x, const char **attributes, const char *name, bool found) {
    const char *text = rn_xml_value(attributes, name);
    char *end;
    const double value = text != NULL ? strtod(text, &end) : -1;
    const bool good = value > 0 || (!found && value >= 0);
    if (text == NULL || end == text || *end != '\0' || !good || value > 1e6) {
        rn_find(x->findings, RN_ERROR, line_of(x), "%s: a bandwidth in GB/s", name);
        return 0;
    }
    return (float)value;
}

static rn_nccl_path read_type(graph_reading *x, const char **attributes, const char *name) {
    const char *text = rn_xml_value(attributes, name);
    rn_nccl_path path = RN_PATH_SYS;
    if (text == NULL || !rn_nccl_find_path(text, strlen(text), &path)) {
        rn_find(x->findings, RN_ERROR, line_of(x), "%s: a kind of path such as NVL, PIX or SYS",
                name);
    }
    return path;
}

static void begin_graph(graph_reading *x, const char **attributes) {
    long number;
    rn_graph_file *all = x->graph;
    if (all->n_graphs == RN_MOST_GRAPHS) return;
    rn_nccl_graph *g = &all->graphs[all->n_graphs];
    *g = (rn_nccl_graph){0};
    all->ids[all->n_graphs] =
        read_whole(x, attributes, "id", 10, 31, true, &number) ? (int32_t)number : -1;
    if (read_whole(x, attributes, "pattern", 10, RN_N_PATTERNS - 1, true, &number))
        g->pattern = (rn_nccl_pattern)number;
    if (read_whole(x, attributes, "nchannels", 10, RN_NCCL_MOST_CHANNELS, true, &number))
        g->n_channels = (int32_t)number;
    if (read_whole(x, attributes, "samechannels", 10, 1, false, &number))
        g->same_channels = number != 0;
    const bool found = g->n_channels > 0 || rn_xml_value(attributes, "nchannels") == NULL;
    g->bw_intra = read_speed(x, attributes, "speedintra", found);
    g->bw_inter = read_speed(x, attributes, "speedinter", found);
    g->type_intra = read_type(x, attributes, "typeintra");
    g->type_inter = read_type(x, attributes, "typeinter");
    if (rn_xml_value(attributes, "latencyinter") == NULL) {
        rn_find(x->findings, RN_NOTE, line_of(x), "no latencyinter: NCCL takes 0");
    }
    all->n_graphs++;
    x->line = line_of(x);
    x->n_channels = 0;
    x->in_graph = true;
}

static void take_gpu(graph_reading *x, const char **attributes) {
    long number;
    if (x->n_ranks == MOST_GPUS || !read_whole(x, attributes, "dev", 16, 4095, true, &number))
        return;
    read_whole(x, attributes, "rank", 10, 1 << 20, false, &number);
    for (int32_t i = 0; i < x->n_ranks; i++) {
        if (x->ranks[i] != (int32_t)number) continue;
        rn_find(x->findings, RN_ERROR, line_of(x), "GPU %ld is in this channel twice", number);
        return;
    }
    x->ranks[x->n_ranks++] = (int32_t)number;
}

static void XMLCALL begin_element(void *context, const char *name, const char **attributes) {
    graph_reading *x = context;
    if (x->stopped) return;
    if (strcmp(name, "graph") == 0) {
        begin_graph(x, attributes);
    } else if (strcmp(name, "channel") == 0 && x->in_graph) {
        x->n_ranks = 0;
        x->n_channels++;
        x->in_channel = true;
    } else if (strcmp(name, "gpu") == 0 && x->in_channel) {
        take_gpu(x, attributes);
    } else if (strcmp(name, "graphs") != 0 && !(strcmp(name, "net") == 0 && x->in_channel)) {
        rn_find(x->findings, RN_WARNING, line_of(x), "<%.40s> means nothing here", name);
    }
}

static void end_channel(graph_reading *x) {
    rn_graph_file *all = x->graph;
    const rn_nccl_graph *g = &all->graphs[all->n_graphs - 1];
    x->in_channel = false;
    if (x->n_ranks == 0) {
        rn_find(x->findings, RN_ERROR, line_of(x), "a channel without GPUs");
        return;
    }
    if (g->pattern != RN_PATTERN_RING || all->n_rings == MOST_RINGS) return;
    int32_t *ranks = rs_alloc(x->arena, (size_t)x->n_ranks, sizeof *ranks);
    if (ranks == NULL) {
        x->no_memory = true;
        return;
    }
    memcpy(ranks, x->ranks, (size_t)x->n_ranks * sizeof *ranks);
    x->rings[all->n_rings] = (rn_nccl_ring){.channel = all->n_rings,
                                            .ranks = ranks,
                                            .n = x->n_ranks,
                                            .whole = true,
                                            .line = line_of(x)};
    all->n_rings++;
}

static void XMLCALL end_element(void *context, const char *name) {
    graph_reading *x = context;
    if (x->stopped) return;
    if (strcmp(name, "channel") == 0 && x->in_channel) end_channel(x);
    if (strcmp(name, "graph") != 0 || !x->in_graph) return;
    const int32_t said = x->graph->graphs[x->graph->n_graphs - 1].n_channels;
    if (said != x->n_channels) {
        rn_find(x->findings, RN_ERROR, x->line, "nchannels says %d, and there are %d", (int)said,
                (int)x->n_channels);
    }
    x->in_graph = false;
}

static void XMLCALL refuse_doctype(void *context, const char *name, const char *system_id,
                                   const char *public_id, int has_internal_subset) {
    graph_reading *x = context;
    (void)name, (void)system_id, (void)public_id, (void)has_internal_subset;
    rn_find(x->findings, RN_ERROR, line_of(x),
            "<!DOCTYPE: a topology has no document type and no entities; remove it");
    x->stopped = true;
    XML_StopParser(x->parser, XML_FALSE);
}

rs_status rn_read_graph(const char *text, size_t n_bytes, rs_arena *arena, rn_findings *findings,
                        rs_error *error, rn_graph_file *graph) {
    if (n_bytes > RN_TOPOLOGY_BYTES)
        return rs_fail(error, RS_BAD_INPUT, "more than 16 MiB: no graph is so large");
    graph_reading *x = rs_alloc(arena, 1, sizeof *x);
    if (x != NULL) x->parser = XML_ParserCreate(NULL);
    if (x == NULL || x->parser == NULL) return rs_no_memory(error);
    x->arena = arena;
    x->findings = findings;
    x->graph = graph;
    XML_SetUserData(x->parser, x);
    XML_SetElementHandler(x->parser, begin_element, end_element);
    XML_SetStartDoctypeDeclHandler(x->parser, refuse_doctype);
    if (XML_Parse(x->parser, text, (int)n_bytes, XML_TRUE) != XML_STATUS_OK && !x->stopped) {
        rn_find(findings, RN_ERROR, line_of(x), "column %lld: this is no XML: %s",
                (long long)rn_xml_column(x->parser), XML_ErrorString(XML_GetErrorCode(x->parser)));
    }
    XML_ParserFree(x->parser);
    if (graph->n_graphs == 0 && findings->n[RN_ERROR] == 0) {
        rn_find(findings, RN_ERROR, 1, "no <graph> in it");
    }
    graph->rings = x->rings;
    return x->no_memory ? rs_no_memory(error) : RS_OK;
}
#else
rs_status rn_read_graph(const char *text, size_t n_bytes, rs_arena *arena, rn_findings *findings,
                        rs_error *error, rn_graph_file *graph) {
    (void)text, (void)n_bytes, (void)arena, (void)findings, (void)graph;
    return rn_no_expat(error);
}
#endif
