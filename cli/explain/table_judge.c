/* table_judge.c: is a measured bus bandwidth what it should be? The rows of a table beside the estimate of NCCL on the
 * machine, and beside what bounds it.
 */
#include "base/text.h"
#include "explain/explain.h"

#include <string.h>

/* "2.29.7", where the table's head says so; NULL: it does not. */
static char *version_of(const rn_table_marks *marks, rs_arena *arena) {
    const bool known = marks->version >= 20000 && marks->version < 100000;
    char *text = known ? rs_alloc(arena, 16, 1) : NULL;
    return text != NULL ? rn_nccl_version_text(marks->version, text) : NULL;
}

static void find_best(rc_explained *e) {
    for (int64_t i = 0; i < e->table.n_samples; i++) {
        const rs_sample *s = &e->table.samples[i];
        if (s->span_ps <= 0) continue;
        const double algbw = (double)s->n_bytes / (double)s->span_ps * 1000;
        if (algbw * e->table.ratio <= e->best_GBps) continue;
        e->best_GBps = algbw * e->table.ratio;
        e->best_algbw = algbw;
        e->n_best = s->n_bytes;
    }
}

/* What a table lacks that says nothing. */
static void find_lack(rc_explained *e) {
    const long long n = e->table.n_samples;
    if (e->table.marks.n_alone > 1) return; /* that says it */
    if (e->table.n_ranks == 1 || (e->table.ratio >= 0 && e->table.ratio + e->table.off < 0.5)) {
        rn_find(
            &e->findings, RN_WARNING, e->table.marks.row_line,
            N_("%lld times, and busbw is 0, as one GPU by itself has it: nothing goes from GPU to GPU. Give it more of "
               "them (-g 8); more processes need nccl-tests built with make MPI=1"),
            n);
        return;
    }
    rn_find(
        &e->findings, RN_WARNING, e->table.marks.row_line,
        N_("%lld times, and busbw is 0 or the GPUs are not counted: what is missing are larger sizes (-e 1G), or the "
           "lines of the head (# nThread, #  Rank)"),
        n);
}

rc_exit rc_judge_table(rc_session *session, rc_explained *e) {
    const int32_t n = e->table.n_ranks;
    find_best(e);
    if (e->n_best == 0 && e->straggler.n_sizes == 0) find_lack(e);
    if (e->table.marks.n_alone > 1) return RC_GOOD;
    rs_collective collective = RS_COLL_ALL_REDUCE;
    const char *name = e->table.run.name;
    if (name[0] != '\0' && !rn_nccl_find_collective(name, strlen(name), &collective))
        return RC_GOOD;
    if (!rc_given(&session->options, RC_MACHINE) || e->n_best == 0 ||
        collective == RS_COLL_ALL_TO_ALL || (name[0] == '\0' && !e->table.all_reduce)) {
        return RC_GOOD;
    }
    rc_session judging = *session; /* of the table's own collective and version */
    judging.options.value[RC_COLLECTIVE].number = collective;
    if (!rc_given(&judging.options, RC_NCCL)) {
        judging.options.value[RC_NCCL].text = version_of(&e->table.marks, session->arena);
    }
    rc_estimate *judged = rs_alloc(session->arena, 1, sizeof *judged);
    if (judged == NULL) return rc_no_memory(session->error);
    rc_exit status = rc_estimate_open(&judging, judged);
    if (status != RC_GOOD) return status;
    if (n > 0 && judged->site.n_ranks != n) {
        return rc_fail(session->error, RC_USAGE,
                       _("the table is of %d GPUs, the machine %s has %d"), (int)n,
                       judged->machine->name, (int)judged->site.n_ranks);
    }
    rc_estimate_samples(&judging.options, &e->table, RC_FIRST_TIMES, judged);
    status = rc_estimate_rows(&judging, judged);
    if (status != RC_GOOD) return status;
    e->judged = judged;
    for (int64_t i = 0; i < judged->n_rows; i++) {
        if (judged->rows[i].n_bytes == e->n_best) e->best = &judged->rows[i];
    }
    if (e->best != NULL && rc_estimate_bound_us(e->best) > 0) {
        int64_t num, den;
        rs_busbw_factor(collective, judged->site.n_ranks, &num, &den);
        e->most_GBps =
            (double)e->n_best / rc_estimate_bound_us(e->best) / 1000 * (double)num / (double)den;
    }
    rc_find_suspects(judged, &e->suspects);
    return RC_GOOD;
}

/* ------------------------------------------------------------------ in words */

/* The rows that take clearly longer than such machines do: between which sizes, how many, by what factor at most. */
typedef struct slow_rows {
    int64_t from, to, n;
    bool between; /* smaller and larger ones are as they should be, and all between are slow */
    double most;
} slow_rows;

static slow_rows find_slow(const rc_estimate *judged) {
    const double where_not_known = 1.5;
    slow_rows slow = {0};
    int64_t first = -1, last = -1;
    for (int64_t i = 0; i < judged->n_rows; i++) {
        const rc_estimate_row *row = &judged->rows[i];
        const double range = row->range > 0 ? row->range : where_not_known;
        if (!(row->simulated_us > 0) || row->measured_us <= range * row->simulated_us) continue;
        if (slow.n++ == 0) first = i;
        last = i;
        if (row->measured_us > slow.most * row->simulated_us) {
            slow.most = row->measured_us / row->simulated_us;
        }
    }
    if (slow.n == 0) return slow;
    slow.from = judged->rows[first].n_bytes;
    slow.to = judged->rows[last].n_bytes;
    slow.between = first > 0 && last < judged->n_rows - 1 && last - first + 1 == slow.n;
    return slow;
}

/* One row in ten may be slower than the range says. */
static bool is_healthy(const rc_estimate *judged, const slow_rows *slow) {
    return slow->n * 10 <= judged->n_rows || slow->most < 1.2;
}

/* at_best: the best row is as expected. */
static void add_cause(const rc_suspects *found, bool at_best, char *out, size_t n_out) {
    for (int i = 0; i < found->n; i++) {
        const size_t at = strlen(out);
        snprintf(out + at, n_out - at,
                 i == 0 ? _("most likely %s") : _("; or, alike at these sizes: %s"),
                 _(found->words[i]));
    }
    if (found->n == 0)
        snprintf(
            out, n_out, "%s",
            at_best
                ? _("at its best, that is what such a machine gives; other sizes are slower than expected, and none of the usual causes fits")
                : _("none of the usual causes fits, such as sockets, one NIC, host memory, NVLS off, a forced protocol"));
}

void rc_judgement_text(const rc_explained *e, double share, char *out, size_t n_out) {
    const slow_rows slow = find_slow(e->judged);
    char from[40], to[40];
    out[0] = '\0';
    if (e->table.marks.n_wrong > 0 || e->table.marks.failed_line > 0) {
        snprintf(out, n_out, "%s", _("its results are wrong: no figure counts"));
        return;
    }
    if (is_healthy(e->judged, &slow)) {
        snprintf(out, n_out, "%s",
                 share > 1.15 ? _("more than expected: NCCL found more, or it is another machine")
                              : _("that is what such a machine gives"));
        return;
    }
    rv_format_bytes(slow.from, from, sizeof from);
    rv_format_bytes(slow.to, to, sizeof to);
    add_cause(&e->suspects, share > 0.9, out, n_out);
    const size_t at = strlen(out);
    if (slow.n == 1) {
        snprintf(out + at, n_out - at, _(". At %s it takes %.1f times as long as expected"), from,
                 slow.most);
        return;
    }
    snprintf(out + at, n_out - at,
             slow.between
                 ? _(". Between %s and %s it collapses, %.1f times slower at most; smaller "
                     "and larger sizes are as expected")
                 : _(". From %s to %s it takes up to %.1f times as long as expected"),
             from, to, slow.most);
}
