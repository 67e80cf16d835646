/* nccl_tests_json.c: the JSON of nccl-tests' -J, and of a report of `ringsim verify`. */
#include "nccl_tests_rows.h"
#include "table_json.h"

#include <stdio.h>
#include <string.h>

static double number_of(const rn_table_json *json, rn_datum object, const char *key) {
    return rn_json_number(rn_json_member(json, object, key));
}

static void take_body(const rn_table_json *json, rn_datum result, const char *key,
                      rn_gathering *g) {
    static const double most_bytes = 1e17;
    const rn_datum body = rn_json_member(json, result, key);
    const double size = number_of(json, result, "size");
    if (size == 0 || body.kind == RN_DATUM_NONE) return; /* nothing sent, not measured */
    if (body.kind != RN_DATUM_DICT || !(size > 0) || size > most_bytes) {
        rn_leave_out(g, body.kind == RN_DATUM_DICT ? RN_ROW_NO_SIZE : RN_ROW_SHORT);
        return;
    }
    rn_reading r = {.n_bytes = (int64_t)size,
                    .time_us = number_of(json, body, "time"),
                    .algbw = number_of(json, body, "alg_bw"),
                    .busbw = number_of(json, body, "bus_bw")};
    rn_mark_wrong(g, r.n_bytes, strcmp(key, "in_place") == 0, number_of(json, body, "nwrong"));
    if (r.time_us < 0) r.time_us = number_of(json, body, "cpu_time");
    if (rn_agrees(&r)) {
        rn_take_reading(g, &r);
    } else {
        rn_leave_out(g, RN_ROW_OTHER_RATE);
    }
}

/* Whoever else it comes from, a result of another backend begins another table. */
static void take_backend(const rn_table_json *json, rn_datum ours, rn_datum result,
                         rn_gathering *g) {
    char algorithm[41], of[21] = "all-reduce", backend[21];
    const double kernel = number_of(json, result, "kernel"), gpus = number_of(json, ours, "gpus");
    rn_json_text(json, rn_json_member(json, ours, "collective"), of, sizeof of);
    if (!rn_json_text(json, rn_json_member(json, ours, "algorithm"), algorithm, sizeof algorithm) ||
        !rn_json_text(json, rn_json_member(json, result, "backend"), backend, sizeof backend))
        return;
    const bool other = strcmp(of, "all-reduce") != 0;
    snprintf(g->next, sizeof g->next,
             kernel > 0 ? "ringsim verify, %s%s%s on %s kernel %.0f"
                        : "ringsim verify, %s%s%s on %s",
             other ? of : "", other ? " " : "", algorithm, backend, kernel);
    if (gpus >= 1 && gpus <= RS_MAX_RANKS) g->said.gpus = (int32_t)gpus;
    g->next_table = strcmp(g->next, g->table.of) != 0;
    if (g->next_table && strcmp(g->next, g->under_way) != 0) g->table_line = g->line;
    memcpy(g->under_way, g->next, sizeof g->under_way);
}

static void gather(const rn_table_json *json, rn_gathering *g) {
    const rn_datum ours = rn_json_member(json, json->top, "ringsim");
    const rn_datum results = rn_json_member(json, json->top, "results");
    const rn_datum bounds = rn_json_member(json, json->top, "out_of_bounds");
    const double outside = number_of(json, bounds, "count");
    for (int i = 0; i < rn_json_length(results); i++) {
        const rn_datum result = results.items->at[i];
        g->line++;
        if (result.kind != RN_DATUM_DICT) rn_leave_out(g, RN_ROW_SHORT);
        if (ours.kind == RN_DATUM_DICT) take_backend(json, ours, result, g);
        take_body(json, result, "out_of_place", g);
        take_body(json, result, "in_place", g);
    }
    if (outside < 1 || outside >= 1e15) return;
    g->table.marks.n_failed = (int64_t)outside;
    g->table.marks.failed_line = g->line;
}

rs_status rn_gather_json(const char *text, size_t n_bytes, const rs_host *host, rs_error *error,
                         rn_gathering *g) {
    rn_table_json json;
    const rs_status status = rn_json_open(&json, text, n_bytes, host, error);
    if (status == RS_OK) gather(&json, g);
    rn_json_close(&json);
    return status;
}
