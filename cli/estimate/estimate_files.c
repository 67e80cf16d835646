/* estimate_files.c: what files say for an estimate: the rows of a table of all_reduce_perf, beside which it stands; graphs that
 * NCCL's search found on a machine, from its log (GRAPH lines, or its tuning table) or its graph dump, instead of what ringsim
 * stores or searches.
 */
#include "ringsim_text.h"
#include "estimate/estimate.h"
#include "base/text.h"
#include "nccl/nccl_files.h"

#include <string.h>

void rc_estimate_samples(const rc_options *options, const rn_table *table, rc_times times,
                         rc_estimate *e) {
    const int64_t least = rc_given(options, RC_LEAST) ? options->value[RC_LEAST].number : 1;
    const int64_t most = rc_given(options, RC_MOST) ? options->value[RC_MOST].number : INT64_MAX;
    if (!rc_given(options, RC_LAUNCH) && table->run.a_thread > 1 &&
        strcmp(table->of, "nccl-tests") == 0 &&
        table->run.a_thread <= e->site.n_ranks / e->site.n_nodes)
        e->launched_together = table->run.a_thread;
    for (int64_t i = 0; i < table->n_samples; i++) {
        const rs_sample *sample = &table->samples[i];
        const double us = (double)sample->span_ps / 1e6;
        int64_t k = e->n_rows - 1;
        if (sample->n_bytes < least || sample->n_bytes > most || sample->span_ps <= 0) continue;
        while (k >= 0 && e->rows[k].n_bytes != sample->n_bytes) k--;
        if (k >= 0) {
            if (times == RC_LEAST_TIMES && us < e->rows[k].measured_us) e->rows[k].measured_us = us;
        } else if (e->n_rows < RC_MOST_ESTIMATES) {
            e->rows[e->n_rows++] = (rc_estimate_row){.n_bytes = sample->n_bytes, .measured_us = us};
        }
    }
    e->measured = true;
}

rc_exit rc_estimate_measured(rc_session *session, const char *path, rc_times times,
                             rc_estimate *e) {
    rn_table log;
    rn_plain plain;
    char *text;
    size_t n_bytes;
    rs_collective named;
    rc_exit status =
        rc_read_file(path, RC_TRACE_LIMIT, session->arena, session->error, &text, &n_bytes);
    if (status == RC_GOOD) {
        status = rc_exit_of(rn_make_plain(text, n_bytes, session->arena, session->error, &plain));
    }
    if (status != RC_GOOD) return status;
    status =
        rc_exit_of(rn_parse_table(plain.text, plain.n_bytes, session->arena, session->error, &log));
    const char *name = log.run.name;
    if (status == RC_GOOD && rn_nccl_find_collective(name, strlen(name), &named) &&
        named != e->collective) {
        return rc_fail(session->error, RC_USAGE, _("%.200s is of %s; add --collective %s"), path,
                       name, rs_collective_name(named));
    }
    if (status == RC_GOOD && e->collective == RS_COLL_ALL_REDUCE) {
        status = rc_exit_of(
            rn_parse_all_reduce(plain.text, plain.n_bytes, session->arena, session->error, &log));
    }
    if (status != RC_GOOD) return rc_prefix(session->error, status, "%.200s", path);
    if (log.n_ranks > 0 && log.n_ranks != e->site.n_ranks) {
        return rc_fail(session->error, RC_USAGE, _("%.200s is of %d GPUs, the machine has %d"),
                       path, (int)log.n_ranks, (int)e->site.n_ranks);
    }
    rc_estimate_samples(&session->options, &log, times, e);
    return e->n_rows > 0
               ? RC_GOOD
               : rc_fail(session->error, RC_USAGE, _("%.200s has no row between -b and -e"), path);
}

/* ------------------------------------------------------------------ graphs */

enum { NAME = 200, OPEN = 100000 /* GB/s */ };

static rc_exit check_size(const rc_estimate *e, const rc_explained *x, const char *path,
                          rs_error *error) {
    const int32_t g = e->site.n_ranks / e->site.n_nodes;
    const rn_nccl_log *log = &x->log;
    if (x->kind == RC_KIND_LOG && log->n_ranks > 0 &&
        (log->n_ranks != e->site.n_ranks ||
         (log->n_nodes > 0 && log->n_nodes != e->site.n_nodes))) {
        return rc_fail(error, RC_USAGE,
                       _("--graphs %.200s: of %d ranks on %d nodes; the machine has %d GPUs on %d"),
                       path, (int)log->n_ranks, (int)log->n_nodes, (int)e->site.n_ranks,
                       (int)e->site.n_nodes);
    }
    if (x->kind == RC_KIND_GRAPH && x->graph.n_rings > 0 && x->graph.rings[0].n != g) {
        return rc_fail(error, RC_USAGE,
                       _("--graphs %.200s: rings of %d GPUs; a node of the machine has %d"), path,
                       (int)x->graph.rings[0].n, (int)g);
    }
    return RC_GOOD;
}

/* The graphs by algorithm; those of the dump have numbers: 0 ring, 1 tree, 3 NVLS. */
static bool take_graphs(const rc_explained *x, rn_nccl_comm *comm) {
    static const rn_nccl_algorithm of[] = {RN_NCCL_RING, RN_NCCL_TREE, RN_NCCL_COLLNET_CHAIN,
                                           RN_NCCL_NVLS};
    bool ring = false;
    memset(comm->graphs, 0, sizeof comm->graphs);
    if (x->kind == RC_KIND_LOG) {
        const bool said = x->log.graph_line[RN_NCCL_RING] != 0;
        const rn_nccl_comm *found = &x->fit.comm; /* what its table comes from */
        memcpy(comm->graphs, said ? x->log.graphs : found->graphs, sizeof comm->graphs);
        comm->max_tree_pattern = said ? x->log.max_tree_pattern : found->max_tree_pattern;
        if (x->log.n_coll_channels > 0) comm->n_channels = x->log.n_coll_channels;
        if (x->log.n_nvls_channels > 0) comm->n_nvls_channels = x->log.n_nvls_channels;
        ring = said || x->has_fit;
    }
    for (int32_t i = 0; x->kind == RC_KIND_GRAPH && i < x->graph.n_graphs; i++) {
        const int32_t id = x->graph.ids[i];
        if (id < 0 || id >= (int32_t)(sizeof of / sizeof *of)) continue;
        comm->graphs[of[id]] = x->graph.graphs[i];
        ring = ring || id == 0;
    }
    for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) { /* a side that a table leaves open */
        rn_nccl_graph *graph = &comm->graphs[a];
        if (graph->bw_intra >= OPEN) graph->bw_intra = graph->bw_inter;
        if (graph->bw_inter >= OPEN) graph->bw_inter = graph->bw_intra;
        if (!(graph->bw_intra > 0) || !(graph->bw_inter > 0)) graph->n_channels = 0;
    }
    if (comm->graphs[RN_NCCL_NVLS_TREE].n_channels == 0) {
        comm->graphs[RN_NCCL_NVLS_TREE] = comm->graphs[RN_NCCL_NVLS];
    }
    return ring && comm->graphs[RN_NCCL_RING].n_channels > 0;
}

/* Orders, where the file's rings are those of a node. */
static rc_exit take_rings(rc_session *session, const rc_explained *x, const char *path,
                          rc_estimate *e) {
    const bool log = x->kind == RC_KIND_LOG;
    const rn_nccl_ring *rings = log ? x->log.rings : x->graph.rings;
    const int32_t n = log ? x->log.n_rings : x->graph.n_rings;
    const int32_t g = e->site.n_ranks / e->site.n_nodes;
    const size_t room = (size_t)g * RN_MOST_RINGS;
    int32_t *order = rs_alloc(session->arena, room, sizeof *order);
    char *name = rs_alloc(session->arena, NAME, 1);
    if (order == NULL || name == NULL) return rc_no_memory(session->error);
    e->rings.source = rc_plain(path, true, name, NAME);
    e->rings.GBps = e->comm.graphs[RN_NCCL_RING].bw_intra;
    e->rings.n_rings = 0;
    for (int32_t i = 0; i < n && e->rings.n_rings < RN_MOST_RINGS; i++) {
        if (!rings[i].whole || rings[i].n != g) continue;
        memcpy(order + e->rings.n_rings++ * g, rings[i].ranks, (size_t)g * sizeof *order);
    }
    e->rings.n_gpus = g;
    e->rings.order = order;
    return RC_GOOD;
}

rc_exit rc_estimate_graphs(rc_session *session, const char *path, rc_estimate *e) {
    rc_explained *x = rs_alloc(session->arena, 1, sizeof *x);
    if (x == NULL) return rc_no_memory(session->error);
    rc_exit status = rc_explain_file(session, path, x);
    if (status == RC_GOOD && x->kind == RC_KIND_GRAPH) {
        status = rc_exit_of(rn_first_error(&x->findings, path, session->error));
    }
    if (status == RC_GOOD) status = check_size(e, x, path, session->error);
    if (status != RC_GOOD) return status;
    if (!take_graphs(x, &e->comm)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--graphs %.200s: no graph of rings in it: it takes a log of "
                         "NCCL_DEBUG_SUBSYS=GRAPH or TUNING, or what NCCL_GRAPH_DUMP_FILE wrote"),
                       path);
    }
    status = rc_exit_of(rn_nccl_tune(&e->comm, session->error, &e->tuned));
    return status == RC_GOOD ? take_rings(session, x, path, e) : status;
}
