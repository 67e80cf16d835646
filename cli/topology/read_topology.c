/* read_topology.c: which reader a file's content asks for, and from its box to the machine. */
#include "topology/topology.h"

#include "topology/matrix.h"
#include "topology/topology_box.h"

#include <string.h>

rc_content rc_recognise(const char *text, size_t n_bytes) {
    size_t at = n_bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < n_bytes && strchr(" \t\r\n", text[at]) != NULL && text[at] != '\0') at++;
    if (at < n_bytes && text[at] == '<') return RC_TOPOLOGY_XML;
    return rc_has_matrix(text, n_bytes) ? RC_TOPO_MATRIX : RC_OWN_MACHINE;
}

static rc_exit read_xml(const char *text, size_t n_bytes, rs_arena *scratch, rc_findings *findings,
                        rs_error *error, rc_box *box) {
    rc_elements elements;
    rc_exit status = rc_read_elements(text, n_bytes, scratch, findings, error, &elements);
    if (status != RC_GOOD || findings->n[RC_ERROR] > 0) return status;
    status = rc_read_box_elements(&elements, scratch, findings, error, box);
    if (status != RC_GOOD) return status;
    return rc_lint_box(box, elements.list[0].line, scratch, findings, error);
}

rc_exit rc_read_topology(rc_content content, const char *text, size_t n_bytes, const char *file,
                         const char *name, rs_arena *arena, rc_findings *findings, rs_error *error,
                         rs_machine *machine) {
    rc_box box;
    rs_arena scratch;
    rs_error reason;
    rs_machine made;
    *findings = (rc_findings){.n_kept = 0};
    if (n_bytes > RC_TOPOLOGY_BYTES) {
        return rc_fail(error, RC_USAGE, _("%.200s: more than %d MiB: no topology is so large"),
                       file, RC_TOPOLOGY_BYTES / 1024 / 1024);
    }
    rs_arena_init(&scratch, arena->host);
    rc_exit status = content == RC_TOPOLOGY_XML
                         ? read_xml(text, n_bytes, &scratch, findings, &reason, &box)
                         : rc_read_matrix(text, n_bytes, &scratch, findings, &reason, &box);
    if (status == RC_GOOD && findings->n[RC_ERROR] == 0) {
        status = rc_make_box(&box, name, arena, findings, &reason, &made);
    }
    rs_arena_free(&scratch);
    if (status != RC_GOOD) return rc_fail(error, status, "%.200s: %.300s", file, reason.text);
    status = rc_first_error(findings, file, error);
    if (status == RC_GOOD) *machine = made;
    return status;
}
