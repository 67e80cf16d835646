/* table_judge.c: is a measured bus bandwidth what it should be? The rows of a table beside the estimate of NCCL on the
 * machine, and beside what bounds it.
 */
#include "base/text.h"
#include "explain/explain.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION_BYTES = 80 }; /* three numbers of any size */

/* "2.29.7" of a table's head, "nccl-library=22907"; NULL: it does not say. */
static char *version_of(const char *text, rs_arena *arena) {
    static const char mark[] = "nccl-library=";
    const char *at = strstr(text, mark);
    const long number = at != NULL ? strtol(at + sizeof mark - 1, NULL, 10) : 0;
    char *version = number >= 20000 && number < 100000 ? rs_alloc(arena, VERSION_BYTES, 1) : NULL;
    if (version != NULL) {
        snprintf(version, VERSION_BYTES, "%ld.%ld.%ld", number / 10000, number / 100 % 100,
                 number % 100);
    }
    return version;
}

static void find_best(rc_explained *e) {
    for (int64_t i = 0; i < e->table.n_samples; i++) {
        const rs_sample *s = &e->table.samples[i];
        if (s->span_ps <= 0) continue;
        const double busbw = (double)s->n_bytes / (double)s->span_ps * 1000 * e->table.ratio;
        if (busbw <= e->best_GBps) continue;
        e->best_GBps = busbw;
        e->n_best = s->n_bytes;
    }
}

/* What a table lacks that says nothing. */
static void find_lack(rc_explained *e) {
    const long long n = e->table.n_samples;
    if (e->table.marks.n_alone > 1) return; /* that says it */
    if (e->table.n_ranks == 1) {
        rn_find(
            &e->findings, RN_WARNING, e->table.marks.row_line,
            N_("%lld times of one GPU: nothing goes from GPU to GPU, and busbw is 0. Give it more of them (-g 8); "
               "more processes need nccl-tests built with make MPI=1"),
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
    if (n >= 2 || !e->table.all_reduce) find_best(e);
    if (e->n_best == 0 && e->straggler.n_sizes == 0) find_lack(e);
    if (e->table.marks.n_alone > 1) return RC_GOOD;
    if (!rc_given(&session->options, RC_MACHINE) || e->n_best == 0 || !e->table.all_reduce) {
        return RC_GOOD;
    }
    rc_session judging = *session; /* of an all-reduce, of the table's own version */
    judging.options.value[RC_COLLECTIVE].number = RS_COLL_ALL_REDUCE;
    if (!rc_given(&judging.options, RC_NCCL)) {
        judging.options.value[RC_NCCL].text = version_of(e->table_text, session->arena);
    }
    rc_estimate *judged = rs_alloc(session->arena, 1, sizeof *judged);
    if (judged == NULL) return rc_no_memory(session->error);
    rc_exit status = rc_estimate_open(&judging, judged);
    if (status != RC_GOOD) return status;
    if (judged->site.n_ranks != n) {
        return rc_fail(session->error, RC_USAGE,
                       _("the table is of %d GPUs, the machine %s has %d"), (int)n,
                       judged->machine->name, (int)judged->site.n_ranks);
    }
    status = rc_estimate_samples(&judging, &e->table, 0, INT64_MAX, judged);
    if (status == RC_GOOD) status = rc_estimate_rows(&judging, judged);
    if (status != RC_GOOD) return status;
    e->judged = judged;
    for (int64_t i = 0; i < judged->n_rows; i++) {
        if (judged->rows[i].n_bytes == e->n_best) e->best = &judged->rows[i];
    }
    if (e->best != NULL && e->best->bound_us > 0) {
        e->most_GBps = (double)e->n_best / e->best->bound_us / 1000 * 2 * (n - 1) / n;
    }
    return RC_GOOD;
}

/* ------------------------------------------------------------------ in words */

/* Of rows below 64 KiB, where latency is all: the median of measured over expected; 0: there are none. */
static double small_ratio(const rc_estimate *judged) {
    double ratios[16];
    int n = 0;
    for (int64_t i = 0; i < judged->n_rows && n < 16; i++) {
        const rc_estimate_row *row = &judged->rows[i];
        if (row->n_bytes > 65536 || !(row->simulated_us > 0)) continue;
        int k = n++;
        const double ratio = row->measured_us / row->simulated_us;
        for (; k > 0 && ratios[k - 1] > ratio; k--) ratios[k] = ratios[k - 1];
        ratios[k] = ratio;
    }
    return n > 0 ? ratios[n / 2] : 0;
}

const char *rc_judgement_text(const rc_explained *e, double share) {
    const rn_site *site = &e->judged->site;
    const double one_nic = site->n_nics > 0 ? site->nic_GBps / site->n_nics : 0;
    if (e->table.marks.n_wrong > 0 || e->table.marks.failed_line > 0) {
        return _("its results are wrong: no figure counts");
    }
    if (share > 1.15) return _("more than expected: NCCL found more, or it is another machine");
    if (share > 0.85) {
        return small_ratio(e->judged) > 1.6
                   ? _("that is what such a machine gives; but small arrays take long: look at how "
                       "the GPUs' processes are bound to cores, and at a debugger or profiler")
                   : _("that is what such a machine gives");
    }
    if (site->n_nodes > 1) {
        if (share < 0.08) {
            return _("most likely the network is not used as such: NET/Socket in NCCL's log, "
                     "NCCL_IB_DISABLE, a plugin that is missing");
        }
        if (site->n_nics > 1 && e->best_GBps > 0.5 * one_nic && e->best_GBps < 1.15 * one_nic) {
            return _("most likely one NIC of a node carries all: NCCL_IB_HCA, or NICs that are "
                     "down or are not seen in a container");
        }
        return _(
            "most likely data take a detour to the NIC: look for NET lines without GDRDMA, for "
            "NICs of half the speed, and for SHM inside the nodes");
    }
    if (share < 0.3) {
        return _(
            "most likely data go through host memory: SHM in NCCL's log, NCCL_P2P_DISABLE, ACS "
            "or a container without access to peers");
    }
    return _("most likely links are not used: 0 NVLS channels, fewer channels than usual "
             "(NCCL_MAX_CTAS, NCCL_MAX_NCHANNELS), a protocol that is forced, or too small a "
             "largest size");
}
