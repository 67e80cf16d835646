/* nccl_tests_json.c: the JSON of nccl-tests' -J, and of a report of `ringsim verify`. */
#include "config.h"
#include "nccl/nccl_tests_rows.h"

#include <string.h>

#ifdef HAVE_CJSON
#include <cjson/cJSON.h>

static double number_of(const cJSON *object, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : -1;
}

static void take_body(const cJSON *result, const char *key, rc_gathering *g) {
    static const double most_bytes = 1e17;
    const cJSON *body = cJSON_GetObjectItemCaseSensitive(result, key);
    const double size = number_of(result, "size");
    if (size == 0 || body == NULL || cJSON_IsNull(body)) return; /* nothing sent, not measured */
    if (!cJSON_IsObject(body) || !(size > 0) || size > most_bytes) {
        rc_leave_out(g, cJSON_IsObject(body) ? RC_ROW_NO_SIZE : RC_ROW_SHORT);
        return;
    }
    rc_reading r = {(int64_t)size, number_of(body, "time"), number_of(body, "alg_bw"),
                    number_of(body, "bus_bw")};
    rc_mark_wrong(g, r.n_bytes, strcmp(key, "in_place") == 0, number_of(body, "nwrong"));
    if (r.time_us < 0) r.time_us = number_of(body, "cpu_time");
    if (rc_agrees(&r)) {
        rc_take_reading(g, &r);
    } else {
        rc_leave_out(g, RC_ROW_OTHER_RATE);
    }
}

/* Whoever else it comes from, a result of another backend begins another table. */
static void take_backend(const cJSON *ours, const cJSON *result, rc_gathering *g) {
    const char *algorithm =
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(ours, "algorithm"));
    const char *of = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(ours, "collective"));
    const bool other = of != NULL && strcmp(of, "all-reduce") != 0;
    const char *backend = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(result, "backend"));
    const double kernel = number_of(result, "kernel"), gpus = number_of(ours, "gpus");
    if (algorithm == NULL || backend == NULL) return;
    snprintf(g->next, sizeof g->next,
             kernel > 0 ? "ringsim verify, %.20s%s%.40s on %.20s kernel %.0f"
                        : "ringsim verify, %.20s%s%.40s on %.20s",
             other ? of : "", other ? " " : "", algorithm, backend, kernel);
    if (gpus >= 1 && gpus <= RS_MAX_RANKS) g->gpus_named = (int32_t)gpus;
    g->next_table = strcmp(g->next, g->of) != 0;
    if (g->next_table && strcmp(g->next, g->under_way) != 0) g->table_line = g->line;
    memcpy(g->under_way, g->next, sizeof g->under_way);
}

rc_exit rc_gather_json(const char *text, size_t n_bytes, rc_gathering *g, rs_error *error) {
    cJSON *root = cJSON_ParseWithLength(text, n_bytes);
    if (root == NULL) return rc_fail(error, RC_USAGE, _("this is no whole JSON object"));
    const cJSON *result = NULL;
    const cJSON *ours = cJSON_GetObjectItemCaseSensitive(root, "ringsim");
    cJSON_ArrayForEach(result, cJSON_GetObjectItemCaseSensitive(root, "results")) {
        g->line++;
        if (!cJSON_IsObject(result)) rc_leave_out(g, RC_ROW_SHORT);
        if (cJSON_IsObject(ours)) take_backend(ours, result, g);
        take_body(result, "out_of_place", g);
        take_body(result, "in_place", g);
    }
    const double outside =
        number_of(cJSON_GetObjectItemCaseSensitive(root, "out_of_bounds"), "count");
    if (outside >= 1 && outside < 1e15) {
        g->marks.n_failed = (int64_t)outside;
        g->marks.failed_line = g->line;
    }
    cJSON_Delete(root);
    return RC_GOOD;
}
#else
rc_exit rc_gather_json(const char *text, size_t n_bytes, rc_gathering *g, rs_error *error) {
    (void)text, (void)n_bytes, (void)g;
    return rc_fail(error, RC_LACKS,
                   _("this build has no cJSON to read JSON with; give the log's table as text"));
}
#endif
