/* read_topology.c: which reader a file's content asks for, and from its box to the machine. */
#include "ringsim_topology.h"

#include "ringsim_text.h"
#include "topology/matrix.h"
#include "topology/topology_box.h"

#include <string.h>

rn_content rn_recognise(const char *text, size_t n_bytes) {
    size_t at = 0;
    while (at < n_bytes && strchr(" \t\r\n", text[at]) != NULL && text[at] != '\0') at++;
    const rn_root root = rn_find_root(text, n_bytes, NULL);
    if (root == RN_ROOT_ALGO) return RN_MSCCL_XML;
    if (root != RN_ROOT_NONE) return RN_TOPOLOGY_XML;
    if (rn_has_matrix(text, n_bytes)) return RN_TOPO_MATRIX;
    return at + 1 < n_bytes && text[at] == '<' && text[at + 1] == '?' ? RN_TOPOLOGY_XML
                                                                      : RN_OWN_MACHINE;
}

rs_status rn_read_topology(rn_content content, const char *text, size_t n_bytes, const char *file,
                           const char *name, rs_arena *arena, rn_findings *findings,
                           rs_error *error, rs_machine *machine) {
    rn_box box;
    rs_arena scratch;
    rs_machine made;
    *findings = (rn_findings){0};
    if (n_bytes > RN_TOPOLOGY_BYTES) {
        return rs_fail(error, RS_BAD_INPUT, "%.200s: more than %d MiB: no topology is so large",
                       file, RN_TOPOLOGY_BYTES / 1024 / 1024);
    }
    rs_arena_init(&scratch, arena->host);
    rs_status status = content == RN_TOPOLOGY_XML
                           ? rn_read_box_xml(text, n_bytes, &scratch, findings, error, &box)
                           : rn_read_matrix(text, n_bytes, &scratch, findings, error, &box);
    if (status == RS_OK && findings->n[RN_ERROR] == 0) {
        status = rn_make_box(&box, name, arena, findings, error, &made);
    }
    rs_arena_free(&scratch);
    if (status != RS_OK) {
        rs_error_in(error, file);
        return status;
    }
    status = rn_first_error(findings, file, error);
    if (status == RS_OK) *machine = made;
    return status;
}
