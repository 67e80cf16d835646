/* json_file.h: json_file.c: what all JSON of the program begins and ends with. */
#pragma once

#include "base/exit.h"
#include "ringsim_print.h"

/* An rs_write: the context is a FILE. */
void rc_write_to_file(void *context, const char *text, size_t n_bytes);
/* Begins the object that a command prints. */
void rc_json_begin(rs_json *json, const char *schema, FILE *out);
/* Ends it, with a newline. */
void rc_json_end(rs_json *json);
/* Writes the members that every object begins with. */
void rc_json_schema(rs_json *json, const char *schema);
/* Writes bytes a second; 0, no limit, as null. */
void rc_json_speed(rs_json *json, const char *key, uint64_t Bps);
/* Writes "net" and leaves it open. */
void rc_json_net(rs_json *json, const rs_net *net);
/* Writes the blocks of n ranks, or GPUs, that bound a collective, each as the list of its members; none: []. */
void rc_json_blocks(rs_json *json, const char *key, const rs_bound *bound, int32_t n);
