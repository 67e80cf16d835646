/* table_marks.c: what a table of nccl-tests says beside its times and is worth more than these, as findings. */
#include "nccl/nccl_files.h"
#include "ringsim_text.h"

#include <math.h>
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

enum { FEW_BYTES = 1 << 20 };

/* The best rate at the first size from a sample on; *next: of another size. GB/s. */
static double rate_at(const rn_table *table, int64_t i, int64_t *next) {
    const int64_t n_bytes = table->samples[i].n_bytes;
    double best = 0;
    for (*next = i; *next < table->n_samples && table->samples[*next].n_bytes == n_bytes; ++*next) {
        const double GBps = (double)n_bytes * 1000 / (double)table->samples[*next].span_ps;
        best = GBps > best ? GBps : best;
    }
    return best * table->ratio;
}

void rc_find_cliff(rc_explained *e) {
    const rn_table *table = &e->table;
    char from[40], to[40];
    int64_t most = 0;
    for (int64_t i = 0, next, after; i < table->n_samples; i = next) {
        const double here = rate_at(table, i, &next);
        const int64_t n_bytes = table->samples[i].n_bytes;
        most = n_bytes > most ? n_bytes : most;
        if (next >= table->n_samples || table->samples[next].n_bytes <= n_bytes) continue;
        const double there = rate_at(table, next, &after);
        if (n_bytes < FEW_BYTES || here <= 0 || there > here * 0.55) continue;
        rv_format_bytes(n_bytes, from, sizeof from);
        rv_format_bytes(table->samples[next].n_bytes, to, sizeof to);
        rn_find(
            &e->findings, RN_WARNING, e->table.marks.row_line,
            "busbw falls from %.1f GB/s at %s to %.1f at %s: another algorithm or protocol, a buffer that is full, or "
            "somebody else's load; NCCL_DEBUG_SUBSYS=TUNING says what is chosen at these sizes",
            here, from, there, to);
        return;
    }
    if (most >= FEW_BYTES) return;
    rv_format_bytes(most, to, sizeof to);
    rn_find(&e->findings, RN_NOTE, e->table.marks.row_line,
            "no size above %s: such rows tell of latency, not of bandwidth; -e 1G goes farther",
            to);
}

/* ------------------------------------------------------------------ several tables */

static bool stands_in(const rn_lines *l, const char *words) {
    return rn_find_bytes(l->line, l->line + l->n, words) != NULL;
}

/* Goes to where the table behind this one begins, which has its own head: its lines' marks of a run, or else that head. */
static size_t end_of_table(rn_lines *l) {
    size_t begun = 0, from = l->at;
    for (bool rows = false; rn_next_line(l); from = l->at) {
        const bool head = stands_in(l, " size ") && stands_in(l, " algbw ");
        if (head && rows) return begun > 0 ? begun : from;
        const bool begins =
            stands_in(l, "test starting") || stands_in(l, "_perf ") || stands_in(l, "# nThread ");
        if (begins && rows && begun == 0) begun = from;
        rows = rows || head;
    }
    return l->n_bytes;
}

void rc_find_tables(const char *text, size_t n_bytes, rs_arena *arena, rc_explained *e) {
    enum { MOST = RC_MOST_TABLES + 1 };
    rn_table list[MOST];
    rs_error ignored;
    int n = 0;
    bool unlike = false;
    rn_lines l = {.text = text, .n_bytes = n_bytes};
    for (size_t from = 0, to; from < n_bytes && n < MOST; from = to) {
        rn_lines before = l;
        to = end_of_table(&l);
        if (to < n_bytes) {
            l = before;
            while (l.at < to && rn_next_line(&l)) continue;
        }
        list[n] = (rn_table){0};
        if (rn_parse_table(text + from, to - from, arena, &ignored, &list[n]) != RS_OK) continue;
        list[n].marks.row_line += before.number;
        unlike = unlike || strcmp(list[n].run.name, list[0].run.name) != 0 ||
                 fabs(list[n].ratio - list[0].ratio) > 0.05;
        n++;
    }
    if (!unlike) return;
    e->n_tables = n - 1;
    for (int i = 0; i < n - 1; i++) {
        rc_past_table *kept = &e->tables[i];
        int64_t next;
        *kept = (rc_past_table){.line = list[i].marks.row_line};
        memcpy(kept->name, list[i].run.name, sizeof kept->name);
        for (int64_t k = 0; k < list[i].n_samples; k = next) {
            const double GBps = rate_at(&list[i], k, &next);
            if (GBps <= kept->GBps) continue;
            kept->GBps = GBps;
            kept->n_bytes = list[i].samples[k].n_bytes;
        }
    }
    const rn_table_marks marks = e->table.marks;
    e->table = list[n - 1];
    e->table.marks = marks;
}

void rc_find_marks(rc_explained *e) {
    const rn_table_marks *marks = &e->table.marks;
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
    if (marks->died_line > marks->end_line) {
        rs_fail(
            &said, RS_OK,
            "nccl-tests came to no end, an error stopped it: %s. Rows are what it had done by then",
            marks->died);
        rn_find_first(&e->findings, RN_WARNING, marks->died_line, &said);
    }
    if (marks->n_alone < 2) return;
    rs_fail(
        &said, RS_OK,
        "%d processes at one time call themselves rank 0: this nccl-tests is built without MPI, each measures by "
        "itself, and no figure is the job's. make clean; make MPI=1 MPI_HOME=..., then the same MPI's mpirun",
        (int)marks->n_alone);
    rn_find_first(&e->findings, RN_WARNING, marks->alone_line, &said);
}
