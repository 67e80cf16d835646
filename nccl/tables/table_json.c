/* table_json.c: a JSON file as a tree, read by the reader of dumps; here the file must be whole. */
#include "table_json.h"

#include <stdio.h>
#include <string.h>

rs_status rn_json_open(rn_table_json *json, const char *text, size_t n_bytes, const rs_host *host,
                       rs_error *error) {
    rs_error ignored;
    bool cut = false;
    rs_arena_init(&json->arena, host);
    json->pieces = (rs_heap){.arena = &json->arena};
    rs_status status = RS_NO_MEMORY;
    if (rs_texts_begin(&json->texts, &json->pieces, NULL, 0))
        status = rn_read_json(text, n_bytes, &json->texts, &ignored, &json->top, &cut);
    if (status == RS_NO_MEMORY) return rs_fail(error, status, "no memory for the log");
    if (status == RS_OK && !cut && json->top.kind == RN_DATUM_DICT) return RS_OK;
    return rs_fail(error, RS_BAD_INPUT, "this is no whole JSON object");
}

void rn_json_close(rn_table_json *json) {
    rs_arena_free(&json->arena);
}

rn_datum rn_json_member(const rn_table_json *json, rn_datum object, const char *key) {
    const size_t n = strlen(key);
    for (uint32_t i = 0; object.kind == RN_DATUM_DICT && i + 1 < object.items->n; i += 2) {
        const rs_text *name = &json->texts.list[object.items->at[i].word];
        if (name->n_bytes == n && memcmp(name->text, key, n) == 0) return object.items->at[i + 1];
    }
    return (rn_datum){.kind = RN_DATUM_NONE};
}

double rn_json_number(rn_datum datum) {
    if (datum.kind == RN_DATUM_INTEGER) return (double)datum.integer;
    return datum.kind == RN_DATUM_REAL ? datum.real : -1;
}

bool rn_json_text(const rn_table_json *json, rn_datum datum, char *out, size_t n_out) {
    if (datum.kind != RN_DATUM_TEXT) return false;
    const rs_text *text = &json->texts.list[datum.word];
    snprintf(out, n_out, "%.*s", (int)text->n_bytes, text->text);
    return true;
}

int rn_json_length(rn_datum list) {
    return list.kind == RN_DATUM_LIST ? (int)list.items->n : 0;
}
