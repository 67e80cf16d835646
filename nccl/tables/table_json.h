/* table_json.h: a JSON file as a tree, and what its objects hold (table_json.c). Private to this folder. */
#pragma once

#include "hang/dumps/data_tree.h"
#include "ringsim_findings.h"

typedef struct rn_table_json {
    rs_arena arena;
    rs_heap pieces;
    rs_texts texts;
    rn_datum top; /* an object */
} rn_table_json;

/* Reads an object; close it, whatever comes back. Bad input: it is no JSON, or has no end. */
rs_status rn_json_open(rn_table_json *json, const char *text, size_t n_bytes, const rs_host *host,
                       rs_error *error);
void rn_json_close(rn_table_json *json);
/* Returns what an object has under that key; where it has nothing, or is none: nothing. */
rn_datum rn_json_member(const rn_table_json *json, rn_datum object, const char *key);
/* Returns a number; -1: it is none. */
double rn_json_number(rn_datum datum);
/* Copies a text, cut to the room; false: it is none. */
bool rn_json_text(const rn_table_json *json, rn_datum datum, char *out, size_t n_out);
/* Returns how many items a list has; 0: it is none. */
int rn_json_length(rn_datum list);
