/* table_marks.c: what a table of nccl-tests says beside its times and is worth more than these, as findings. */
#include "nccl/nccl_files.h"

#include <string.h>

/* "67.11 MB (line 9: 8 out of place, 0 in place), ...; Out of bounds values : 50 FAILED" */
static void put_wrong(const rn_table_marks *marks, size_t room, char *out) {
    char size[40];
    size_t n = 0;
    out[0] = '\0';
    for (int i = 0; i < RN_WRONG_TOLD && i < marks->n_wrong; i++) {
        const rn_wrong_row *row = &marks->wrong[i];
        rv_format_bytes(row->n_bytes, size, sizeof size);
        snprintf(out + n, room - n, _("%s (line %lld: %.0f out of place, %.0f in place); "), size,
                 (long long)row->line, row->wrong[0], row->wrong[1]);
        n = strlen(out);
    }
    if (marks->n_wrong > RN_WRONG_TOLD) {
        snprintf(out + n, room - n, _("rows like these: %lld; "), (long long)marks->n_wrong);
        n = strlen(out);
    }
    if (marks->failed_line > 0) {
        snprintf(out + n, room - n, "Out of bounds values : %lld FAILED; ",
                 (long long)marks->n_failed);
    }
}

void rc_find_marks(rc_explained *e) {
    const rn_table_marks *marks = &e->marks;
    char what[320];
    rs_error said;
    put_wrong(marks, sizeof what, what);
    if (what[0] != '\0') {
        rs_fail(
            &said, RS_OK,
            "wrong results: %sno figure counts. Often peers reach each other through an IOMMU or ACS: are they right "
            "with NCCL_P2P_DISABLE=1? Then ACS off (BIOS), iommu=pt or off",
            what);
        rn_find_first(&e->findings, RN_ERROR,
                      marks->n_wrong > 0 ? marks->wrong[0].line : marks->failed_line, &said);
    }
    if (marks->n_alone < 2) return;
    rs_fail(
        &said, RS_OK,
        "%d processes at one time call themselves rank 0: this nccl-tests is built without MPI, each measures by "
        "itself, and no figure is the job's. make clean; make MPI=1 MPI_HOME=..., then the same MPI's mpirun",
        (int)marks->n_alone);
    rn_find_first(&e->findings, RN_WARNING, marks->alone_line, &said);
}
