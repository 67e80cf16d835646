/* json_file.c: what the JSON of all commands begins and ends with, and what several of them tell. */
#include "config.h"
#include "base/json_file.h"

void rc_write_to_file(void *context, const char *text, size_t n_bytes) {
    fwrite(text, 1, n_bytes, context);
}

void rc_json_begin(rs_json *json, const char *schema, FILE *out) {
    rs_json_begin(json, rc_write_to_file, out);
    rs_json_object(json, NULL);
    rc_json_schema(json, schema);
}

void rc_json_end(rs_json *json) {
    rs_json_close(json);
    rs_json_newline(json);
    rs_json_end(json);
}

void rc_json_schema(rs_json *json, const char *schema) {
    rs_json_text(json, "schema", schema);
    rs_json_text(json, "version", RINGSIM_VERSION);
}

void rc_json_speed(rs_json *json, const char *key, uint64_t Bps) {
    if (Bps == 0) {
        rs_json_null(json, key);
    } else {
        rs_json_unsigned(json, key, Bps);
    }
}

void rc_json_net(rs_json *json, const rs_net *net) {
    rs_json_object(json, "net");
    if (net->machine != NULL) {
        rs_json_object(json, "machine");
        rs_json_text(json, "name", net->machine->name);
        rs_json_integers(json, {"gpus", net->machine->n_gpus}, {"nodes", net->machine->n_nodes});
        rs_json_close(json);
        rs_json_null(json, "alpha_ps");
        rs_json_null(json, "bandwidth_Bps");
    } else {
        rs_json_integer(json, "alpha_ps", net->link.alpha_ps);
        rs_json_unsigned(json, "bandwidth_Bps", net->link.bandwidth_Bps);
    }
    rc_json_speed(json, "reduce_Bps", net->reduce_Bps);
    rs_json_text(json, "protocol", net->protocol == RS_EAGER ? "eager" : "rendezvous");
    rs_json_integer(json, "overrides", net->n_overrides);
}

void rc_json_blocks(rs_json *json, const char *key, const rs_bound *bound, int32_t n) {
    const bool in_order = bound->by == RS_BY_RANKS; /* then a block is a rank: no need to look */
    rs_json_array(json, key);
    for (int32_t k = 0; bound->block != NULL && k < bound->n_blocks; k++) {
        rs_json_array(json, NULL);
        for (int32_t i = in_order ? k : 0; i < (in_order ? k + 1 : n); i++) {
            if (bound->block[i] == k) rs_json_integer(json, NULL, i);
        }
        rs_json_close(json);
    }
    rs_json_close(json);
}
