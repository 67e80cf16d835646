/* explain_json.c: what files say, as one JSON object: ringsim.explain/1. */
#include "base/json_file.h"
#include "explain/explain.h"

#include <math.h>

static void put_findings(const rn_findings *findings, rs_json *json) {
    static const char *const levels[RN_N_LEVELS] = {"error", "warning", "note"};
    char said[2 * RS_ERROR_TEXT];
    rs_json_lines(json, "findings");
    for (int32_t i = 0; i < findings->n_kept; i++) {
        const rs_error *message = &findings->list[i].said;
        rs_json_object(json, NULL);
        rs_json_integer(json, "line", findings->list[i].line);
        rs_json_text(json, "level", levels[findings->list[i].level]);
        rs_json_text(json, "id", message->id);
        rs_json_text(json, "text", rs_error_said(message, rv_gettext, said, sizeof said));
        rs_json_close(json);
    }
    rs_json_close(json);
}

static void put_rings(const rc_explained *e, rs_json *json) {
    const bool log = e->kind == RC_KIND_LOG;
    const rn_nccl_ring *rings = log ? e->log.rings : e->graph.rings;
    const int32_t n = log ? e->log.n_rings : e->graph.n_rings;
    if (e->ring_GBps > 0) rs_json_text(json, "rings_by", "ringsim");
    rs_json_lines(json, "rings");
    for (int32_t i = 0; i < n; i++) {
        if (rings[i].whole) rs_json_i32s(json, NULL, rings[i].ranks, rings[i].n);
    }
    rs_json_close(json);
    rs_json_lines(json, "trees");
    for (int32_t i = 0; i < e->log.n_trees; i++) {
        const rn_nccl_tree *tree = &e->log.trees[i];
        rs_json_object(json, NULL);
        rs_json_integer(json, "channel", tree->channel);
        rs_json_known(json, "root", tree->root);
        rs_json_i32s(json, "up", tree->up, tree->up != NULL ? e->log.n_ranks : 0);
        rs_json_bool(json, "whole", tree->whole);
        rs_json_close(json);
    }
    rs_json_close(json);
}

static void put_cell(const rc_explained *e, int coll, int a, int p, rs_json *json) {
    const rn_nccl_printed *printed = &e->log.table[coll][a][p];
    const rn_nccl_cell *cell = &e->fit.table.cells[coll][a][p];
    if (printed->line == 0) return;
    rs_json_object(json, NULL);
    rs_json_text(json, "collective", rs_collective_name((rs_collective)coll));
    rs_json_text(json, "algorithm", rn_nccl_algorithm_name((rn_nccl_algorithm)a));
    rs_json_text(json, "protocol", rn_nccl_protocol_name((rn_nccl_protocol)p));
    rs_json_fixed(json, "latency_us", (double)printed->latency_us, 1);
    rs_json_fixed(json, "bandwidth_GBps", (double)printed->bandwidth_GBps, 1);
    rs_json_fixed(json, "computed_latency_us", (double)(e->has_fit ? cell->latency_us : NAN), 6);
    rs_json_fixed(json, "computed_bandwidth_GBps",
                  (double)(e->has_fit ? cell->bandwidth_GBps : NAN), 6);
    rs_json_close(json);
}

static void put_tuning(const rc_explained *e, rs_json *json) {
    rs_json_lines(json, "tuning");
    for (int coll = 0; coll < RS_N_COLLECTIVES; coll++) {
        for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) {
            for (int p = 0; p < RN_NCCL_N_PROTOCOLS; p++) put_cell(e, coll, a, p, json);
        }
    }
    rs_json_close(json);
}

static void put_sums(const rn_nccl_log *log, rs_json *json) {
    if (log->n_sums == 0) return;
    rs_json_lines(json, "calls");
    for (int32_t i = 0; i < log->n_sums; i++) {
        const rn_nccl_sum *sum = &log->sums[i];
        rs_json_object(json, NULL);
        rs_json_text(json, "collective", sum->name);
        rs_json_text(json, "dtype", rn_nccl_type_name(sum->datatype));
        rs_json_integers(json, {"count", sum->count}, {"calls", sum->n}, {"line", sum->line});
        rs_json_close(json);
    }
    rs_json_close(json);
}

static void put_straggler(const rn_straggler *s, rs_json *json) {
    if (s->n_sizes == 0) return;
    rs_json_object(json, "straggler");
    rs_json_known(json, "process", s->process);
    rs_json_real(json, "ratio", s->slower);
    rs_json_known(json, "iteration", s->iteration);
    rs_json_integers(json, {"processes", s->n_processes}, {"iterations", s->n_iterations});
    rs_json_close(json);
}

static void put_judged(const rc_estimate *judged, const rc_suspects *suspects, rs_json *json) {
    char wire[2 * RS_MAX_DEVICE_NAME + 8];
    if (judged == NULL) return;
    rs_json_text(json, "machine", judged->machine->name);
    rs_json_array(json, "likely");
    for (int i = 0; i < suspects->n; i++) rs_json_text(json, NULL, suspects->ids[i]);
    rs_json_close(json);
    rs_json_lines(json, "judged");
    for (int64_t i = 0; i < judged->n_rows; i++) {
        const rc_estimate_row *row = &judged->rows[i];
        rs_json_object(json, NULL);
        rs_json_integer(json, "bytes", row->n_bytes);
        rs_json_number(json, "measured_us", row->measured_us, 6);
        rs_json_number(json, "expected_us", row->simulated_us > 0 ? row->simulated_us : (double)NAN,
                       6);
        rs_json_number(json, "bound_us", rc_estimate_bound_us(row), 6);
        rs_json_text(json, "algorithm", rn_nccl_algorithm_title(row->choice.algorithm));
        rs_json_text(json, "protocol", rn_nccl_protocol_title(row->choice.protocol));
        rs_json_text(json, "bottleneck",
                     row->wire >= 0 ? rc_wire_text(judged->machine, row->wire, wire, sizeof wire)
                                    : NULL);
        rs_json_close(json);
    }
    rs_json_close(json);
}

static void put_start(const rn_nccl_log *log, rs_json *json) {
    rs_json_integers(json, {"ranks", log->n_ranks}, {"nodes", log->n_nodes});
    rs_json_text(json, "gpu", log->gpu_line > 0 ? log->gpu : NULL);
    rs_json_text(json, "network", log->network_line > 0 ? log->network : NULL);
    rs_json_text(json, "nics", log->nics_line > 0 ? log->nics : NULL);
    rs_json_lines(json, "transports");
    for (int32_t i = 0; i < log->n_transports; i++) {
        const rn_nccl_transport *t = &log->transports[i];
        rs_json_object(json, NULL);
        rs_json_text(json, "name", t->name);
        rs_json_integers(json, {"connections", t->n}, {"line", t->line});
        rs_json_close(json);
    }
    rs_json_close(json);
    rs_json_lines(json, "settings");
    for (int32_t i = 0; i < log->n_settings; i++) {
        const rn_nccl_setting *s = &log->settings[i];
        rs_json_object(json, NULL);
        rs_json_text(json, "name", s->name);
        rs_json_text(json, "value", s->value);
        rs_json_bool(json, "by_plugin", s->plugin);
        rs_json_integer(json, "line", s->line);
        rs_json_close(json);
    }
    rs_json_close(json);
}

static void put_file(const rc_explained *e, rs_json *json) {
    char version[16];
    rs_json_object(json, NULL);
    rs_json_text(json, "file", e->path);
    rs_json_text(json, "kind", rc_file_kind_name(e->kind));
    rs_json_text(json, "nccl",
                 e->log.version > 0 ? rn_nccl_version_text(e->log.version, version) : NULL);
    if (e->kind == RC_KIND_LOG) put_start(&e->log, json);
    put_findings(&e->findings, json);
    put_rings(e, json);
    put_tuning(e, json);
    put_sums(&e->log, json);
    if (e->n_tables > 0) rs_json_lines(json, "tables_before");
    for (int i = 0; i < e->n_tables; i++) {
        const rc_past_table *t = &e->tables[i];
        rs_json_object(json, NULL);
        rs_json_text(json, "collective", t->name[0] != '\0' ? t->name : NULL);
        rs_json_integers(json, {"line", t->line}, {"best_bytes", t->n_bytes});
        rs_json_number(json, "busbw_GBps", t->GBps, 6);
        rs_json_close(json);
    }
    if (e->n_tables > 0) rs_json_close(json);
    if (e->n_best > 0) {
        rs_json_integer(json, "best_bytes", e->n_best);
        rs_json_number(json, "busbw_GBps", e->best_GBps, 6);
        if (e->most_GBps > 0) rs_json_number(json, "busbw_bound_GBps", e->most_GBps, 6);
    }
    put_judged(e->judged, &e->suspects, json);
    put_straggler(&e->straggler, json);
    rs_json_close(json);
}

void rc_json_explain(const rc_explained list[], int n, const rn_hang *hang, FILE *out) {
    rs_json json;
    rc_json_begin(&json, "ringsim.explain/1", out);
    if (hang != NULL) {
        rs_json_object(&json, "hang");
        rc_put_hang(hang, &json);
        rs_json_close(&json);
    }
    rs_json_lines(&json, "files");
    for (int i = 0; i < n; i++) put_file(&list[i], &json);
    rs_json_close(&json);
    rc_json_end(&json);
}
