/* hang_json.c: a hang as one JSON object, schema ringsim.hang/1. */
#include "base/json_file.h"
#include "hang/hang.h"

static void put_place(rs_json *json, const rn_hang_place *p) {
    rs_json_integer(json, "rank", p->rank);
    rs_json_text(json, "group", p->group[0] != '\0' ? p->group : NULL);
    rs_json_known(json, "seq", p->seq);
    rs_json_text(json, "call", p->call);
}

void rc_json_hang(const rn_hang *h, FILE *out) {
    rs_json json;
    char text[RV_HANG_TEXT];
    rc_json_begin(&json, "ringsim.hang/1", out);
    rs_json_integers(&json, {"ranks", h->n_ranks}, {"files", h->n_files});
    rs_json_text(&json, "verdict", rn_hang_name(h->verdict));
    rs_json_array(&json, "culprits");
    for (int32_t i = 0; i < h->n_culprits; i++) {
        rs_json_object(&json, NULL);
        put_place(&json, &h->culprits[i]);
        rs_json_text(&json, "where", h->culprits[i].where);
        rs_json_close(&json);
    }
    rs_json_close(&json);
    rs_json_lines(&json, "waits");
    for (int64_t i = 0; i < h->n_waits; i++) {
        rs_json_object(&json, NULL);
        put_place(&json, &h->waits[i].at);
        rs_json_i32s(&json, "for", h->waits[i].ranks, h->waits[i].n_ranks);
        rs_json_close(&json);
    }
    rs_json_close(&json);
    rs_json_text(&json, "why", rc_hang_sentence(h, text));
    rc_json_end(&json);
}
