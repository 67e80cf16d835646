/* bits_setting.c: a setting in words and as JSON: its algorithm, where rings, trees and rules come from, what a GPU has shown of
 * them; and a sum.
 */
#include "base/json_file.h"
#include "base/text.h"
#include "bits/bits.h"

#include <string.h>

enum { MOST_ORDER = 1 << 20 };

const char *rc_bits_algorithm(const rc_bits_setting *s) {
    return s->own != NULL ? s->own->name : rn_nccl_algorithm_title(s->nccl);
}

const char *rc_bits_seen(const rc_bits_setting *s) {
    const bool exact = s->own == NULL && s->nccl == RN_NCCL_NVLS && s->n_nodes == 1;
    return exact && s->dtype == RS_F32
               ? N_("a switch was seen to add f32 exactly, rounding once (NVIDIA/nccl#2360); no document "
                    "promises it")
               : NULL;
}

void rc_bits_order_text(const rs_sums *sums, int32_t sum, char *out, size_t n_out) {
    rs_sum_text(sums, sum, out, n_out);
    if (sum == RC_BITS_ONE_TREE) snprintf(out, n_out, "%s", _("a sum along one tree"));
    if (strcmp(out, "exact") == 0) snprintf(out, n_out, "%s", _("exact, rounded once"));
}

static rn_bits_shown shown_of(const rc_bits_setting *s) {
    return (rn_bits_shown){.version = s->version,
                           .collective = s->collective,
                           .algorithm = s->nccl,
                           .protocol = s->protocol,
                           .n_ranks = s->n_ranks,
                           .n_per_node = s->n_ranks / s->n_nodes};
}

void rc_print_bits_origin(const rc_bits_setting *s) {
    if (s->own != NULL) return;
    puts(s->log != NULL       ? _("rings, trees and channels as the log says")
         : s->machine != NULL ? _("rings as found for the machine; a log of the job shows its own")
                              : _("one ring, and one chain as its tree: 0, 1, 2, ...; a log of the "
                                  "job shows its own"));
    for (int i = 0; i < s->n_notes; i++) {
        rs_error note = s->notes[i];
        puts(rc_said(&note));
    }
    if (rc_bits_seen(s) != NULL) puts(_(rc_bits_seen(s)));
    rn_bits_shown asked = shown_of(s);
    char shown[RC_SHOWN_TEXT];
    if (!rn_nccl_checked(s->version)) asked.version = RN_NCCL_NEWEST; /* whose rules they are */
    rc_shown_text(rn_bits_shown_rows(), &asked, shown, sizeof shown);
    puts(shown);
}

void rc_json_setting(rs_json *json, const char *key, const rc_bits_setting *s) {
    char version[16];
    rs_json_object(json, key);
    rs_json_text(json, "text", s->text);
    rs_json_text(json, "collective", rs_collective_name(s->collective));
    rs_json_text(json, "algorithm",
                 s->own != NULL ? s->own->name : rn_nccl_algorithm_name(s->nccl));
    if (s->own == NULL) {
        rs_json_text(json, "protocol", rn_nccl_protocol_name(s->protocol));
        rs_json_integer(json, "channels", s->used_channels);
        rs_json_text(json, "nccl", rn_nccl_version_text(s->version, version));
    }
    for (int i = 0; i < 2 && s->own == NULL; i++) {
        const rn_bits_shown asked = shown_of(s);
        const rn_bits_shown *row = rn_bits_find_shown(rn_bits_shown_rows(), &asked, i);
        rs_json_text(json, i == 0 ? "shown_inside_nodes" : "shown_between_nodes",
                     row != NULL ? row->gpu : NULL);
    }
    if (s->in_f32) rs_json_text(json, "sums", "f32");
    if (rc_bits_seen(s) != NULL) rs_json_text(json, "seen", rc_bits_seen(s));
    if (s->log != NULL) rs_json_text(json, "log", s->log->path);
    rs_json_lines(json, "notes");
    for (int i = 0; i < s->n_notes; i++) rs_json_text(json, NULL, s->notes[i].text);
    rs_json_close(json);
    rs_json_integers(json, {"ranks", s->n_ranks}, {"bytes", s->n_bytes});
    rs_json_text(json, "dtype", rs_dtype_name(s->dtype));
    rs_json_text(json, "op", rs_op_name(s->op));
    rs_json_close(json);
}

void rc_json_sum(rs_json *json, const rs_sums *sums, int32_t sum) {
    static char text[MOST_ORDER];
    const bool known = sum != RC_BITS_BY_PLACE && sum != RC_BITS_ONE_TREE;
    if (known) rs_sum_text(sums, sum, text, sizeof text);
    rs_json_text(json, "expression", known ? text : NULL);
}
