/* tuner_file.c: the CSV of NCCL's example tuner plugin: read, linted, written.
 *
 *     collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks[,numPipeOps[,regBuff]]
 *     allreduce,0,65536,tree,ll,-1,-1,-1
 *
 *   - The first line that fits wins. -1: any, or as NCCL has it.
 */
#include "base/files.h"
#include "base/units.h"
#include "nccl/nccl_files.h"
#include "ringsim_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 10, FIELD = 40, MOST_ROWS = 100000 };

typedef struct fields {
    char text[MOST_FIELDS][FIELD];
    int n;
} fields;

/* Cuts a line at its commas, blanks taken off; false: empty, or a comment. */
static bool cut_line(const char *line, size_t n_bytes, fields *f) {
    size_t at = 0;
    while (n_bytes > 0 && strchr(" \t\r", line[n_bytes - 1]) != NULL && line[n_bytes - 1] != '\0')
        n_bytes--;
    f->n = 0;
    if (n_bytes == 0 || line[strspn(line, " \t")] == '#') return false;
    while (f->n < MOST_FIELDS && at <= n_bytes) {
        const char *comma = memchr(line + at, ',', n_bytes - at);
        size_t end = comma != NULL ? (size_t)(comma - line) : n_bytes;
        const size_t next = end + 1;
        while (at < end && (line[at] == ' ' || line[at] == '\t')) at++;
        while (end > at && (line[end - 1] == ' ' || line[end - 1] == '\t')) end--;
        const size_t n = end - at < FIELD - 1 ? end - at : FIELD - 1;
        memcpy(f->text[f->n], line + at, n);
        f->text[f->n++][n] = '\0';
        at = next;
    }
    return true;
}

static bool read_number(const char *text, int64_t most, int64_t *number) {
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < -1 || value > most) return false;
    *number = value;
    return true;
}

/* ------------------------------------------------------------------ reading */

/* What is wrong in a line; NULL: nothing. */
static const char *read_row(const fields *f, rc_tuner_row *row) {
    int64_t channels, nodes, ranks;
    if (f->n < 8)
        return N_("a line has 8 fields or more: collective, bytes from, to, algorithm, "
                  "protocol, channels, nodes, ranks");
    if (!rn_nccl_find_collective(f->text[0], strlen(f->text[0]), &row->collective) ||
        row->collective == RS_COLL_ALL_TO_ALL) {
        return N_("field 1: broadcast, reduce, allgather, reducescatter or allreduce");
    }
    if (!read_number(f->text[1], INT64_MAX, &row->least) ||
        !read_number(f->text[2], INT64_MAX, &row->most)) {
        return N_("fields 2 and 3: bytes, whole numbers");
    }
    if (!rn_nccl_find_algorithm(f->text[3], strlen(f->text[3]), &row->algorithm)) {
        return N_("field 4: tree, ring, collnet_direct, collnet_chain, nvls, nvls_tree or pat");
    }
    if (!rn_nccl_find_protocol(f->text[4], strlen(f->text[4]), &row->protocol)) {
        return N_("field 5: ll, ll128 or simple");
    }
    if (!read_number(f->text[5], RN_NCCL_MOST_CHANNELS, &channels)) {
        return N_("field 6: channels, at most 64, or -1");
    }
    if (!read_number(f->text[6], 1 << 20, &nodes) || !read_number(f->text[7], 1 << 20, &ranks)) {
        return N_("fields 7 and 8: nodes and ranks, or -1");
    }
    row->n_channels = (int32_t)channels;
    row->n_nodes = (int32_t)nodes;
    row->n_ranks = (int32_t)ranks;
    return NULL;
}

bool rc_is_tuner_input(const char *text, size_t n_bytes) {
    static const char head[] = "collective,size_bytes,algorithm,protocol";
    return n_bytes >= sizeof head - 1 && memcmp(text, head, sizeof head - 1) == 0;
}

bool rc_is_tuner(const char *text, size_t n_bytes) {
    fields f;
    rs_collective coll;
    for (rn_lines l = {.text = text, .n_bytes = n_bytes}; l.number < 200 && rn_next_line(&l);) {
        if (cut_line(l.line, l.n, &f) && f.n >= 5 &&
            (strcmp(f.text[0], "collective_type") == 0 ||
             rn_nccl_find_collective(f.text[0], strlen(f.text[0]), &coll))) {
            return true;
        }
    }
    return false;
}

rc_exit rc_read_tuner(const char *text, size_t n_bytes, rs_arena *arena, rn_findings *findings,
                      rs_error *error, rc_tuner_row **rows, int32_t *n_rows) {
    size_t n_lines = 1, n_back = 0;
    fields f;
    for (size_t i = 0; i < n_bytes; i++) {
        n_lines += text[i] == '\n';
        n_back += text[i] == '\r'; /* ends a line that is not counted */
    }
    if (n_lines > MOST_ROWS)
        return rc_fail(error, RC_USAGE, _("more than %d lines"), (int)MOST_ROWS);
    *rows = rs_alloc(arena, n_lines + n_back, sizeof **rows);
    *n_rows = 0;
    if (*rows == NULL) return rc_no_memory(error);
    for (rn_lines l = {.text = text, .n_bytes = n_bytes}; rn_next_line(&l);) {
        rc_tuner_row row = {.line = l.number};
        rs_error said;
        if (!cut_line(l.line, l.n, &f) || strcmp(f.text[0], "collective_type") == 0) continue;
        const char *wrong = read_row(&f, &row);
        if (wrong == NULL) {
            (*rows)[(*n_rows)++] = row;
        } else {
            rs_fail_word(&said, RS_BAD_INPUT, 0, "%s", wrong);
            rn_find_said(findings, RN_ERROR, l.number, &said);
        }
    }
    rc_lint_tuner(*rows, *n_rows, findings);
    return RC_GOOD;
}

/* ------------------------------------------------------------------ lint */

static bool covers(int32_t wide, int32_t narrow) {
    return wide == -1 || wide == narrow;
}

/* Does an earlier line take all that this one could? */
static bool is_hidden(const rc_tuner_row *early, const rc_tuner_row *late) {
    const bool sizes = early->least <= late->least &&
                       (early->most == -1 || (late->most != -1 && early->most >= late->most));
    return early->collective == late->collective && sizes &&
           covers(early->n_nodes, late->n_nodes) && covers(early->n_ranks, late->n_ranks);
}

void rc_lint_tuner(const rc_tuner_row rows[], int32_t n_rows, rn_findings *findings) {
    for (int32_t i = 0; i < n_rows; i++) {
        const rc_tuner_row *r = &rows[i];
        if (!rn_nccl_has(r->collective, r->algorithm, r->protocol)) {
            rn_find(findings, RN_ERROR, r->line,
                    N_("%s has no %s with %s: NCCL passes over the line without a word"),
                    rn_nccl_collective_title(r->collective), rn_nccl_algorithm_title(r->algorithm),
                    rn_nccl_protocol_title(r->protocol));
        }
        if (r->most != -1 && r->most < r->least) {
            rn_find(findings, RN_ERROR, r->line, N_("no size is from %lld to %lld bytes"),
                    (long long)r->least, (long long)r->most);
        }
        if (r->n_channels == 0) {
            rn_find(findings, RN_ERROR, r->line, N_("0 channels; -1 leaves them as they are"));
        }
        if (r->protocol == RN_NCCL_LL128) {
            rn_find(
                findings, RN_WARNING, r->line,
                N_("LL128 without NCCL's tests: where a path splits 128 bytes data are silently "
                   "wrong"));
        }
        for (int32_t k = 0; k < i && i < 2000; k++) {
            if (!is_hidden(&rows[k], r)) continue;
            rn_find(findings, RN_WARNING, r->line,
                    N_("line %lld comes first and takes all that this line could"),
                    (long long)rows[k].line);
            break;
        }
    }
}

/* ------------------------------------------------------------------ writing */

static void write_collective(const rn_nccl_fit *fit, rs_collective coll, FILE *out) {
    rn_nccl_choice choice;
    int64_t at = 0, next;
    for (int n = 0; n < 64 && rn_nccl_choose(&fit->comm, &fit->table, coll, at, &choice); n++) {
        const bool more =
            rn_nccl_crossing(&fit->comm, &fit->table, coll, at, (int64_t)1 << 36, &next);
        /* Channels stay -1: NCCL trims them by size, a fixed number would not be trimmed. */
        fprintf(out, "%s,%lld,%lld,%s,%s,-1,%d,%d\n", rn_nccl_collective_name(coll), (long long)at,
                more ? (long long)next - 1 : -1LL, rn_nccl_algorithm_name(choice.algorithm),
                rn_nccl_protocol_name(choice.protocol), (int)fit->comm.n_nodes,
                (int)fit->comm.n_ranks);
        if (!more) return;
        at = next;
    }
}

void rc_write_tuner(const rn_nccl_fit *fit, FILE *out) {
    static const rs_collective order[] = {RS_COLL_BROADCAST, RS_COLL_REDUCE, RS_COLL_ALL_GATHER,
                                          RS_COLL_REDUCE_SCATTER, RS_COLL_ALL_REDUCE};
    char version[16];
    fprintf(out,
            "# by ringsim explain, for NCCL %s on %d ranks, %d nodes. To use it:\n"
            "#   NCCL_TUNER_PLUGIN=libnccl-tuner-example.so\n"
            "#   NCCL_TUNER_CONFIG_FILE=this file\n"
            "# collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks\n",
            rn_nccl_version_text(fit->comm.version, version), (int)fit->comm.n_ranks,
            (int)fit->comm.n_nodes);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) write_collective(fit, order[i], out);
}
