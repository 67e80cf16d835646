/* verify_table.c: the report as nccl-tests prints it, then a verdict a backend, then the count.
 *
 * The columns are those of nccl-tests' programs, so that two reports can be laid side by side.
 * #wrong counts elements of all ranks that are not the exact answer, bit by bit.
 */
#include "config.h"
#include "base/text.h"
#include "verify/verify.h"

#include <string.h>

const char *rc_nccl_type(rs_dtype dtype) {
    static const char *const names[RS_N_DTYPES] = {"int8",  "uint8",  "int32", "uint32",
                                                   "int64", "uint64", "half",  "bfloat16",
                                                   "float", "double"};
    return names[dtype];
}

/* A result is right if nothing is wrong, spoilt, or outside the oracle's bound. */
static bool is_right(const rg_result *result) {
    return result->completed && result->n_wrong == 0 && result->n_spoilt == 0 &&
           result->oracle_outside == 0;
}

double rc_busbw(const rc_verify_report *report, const rc_verify_row *row, int which,
                double *algbw) {
    double own = 0, busbw = 0;
    rs_rates(report->plan->choice.collective, row->n_bytes, report->n_ranks,
             row->results[which].time_ps, &own, &busbw);
    if (algbw != NULL) *algbw = own;
    return busbw;
}

const char *rc_nccl_redop(const rc_verify_report *report, const rc_verify_row *row) {
    return rs_collective_reduces(report->plan->choice.collective) ? rs_op_name(row->op) : "none";
}

int32_t rc_nccl_root(const rc_verify_report *report) {
    const rc_verify_plan *plan = report->plan;
    return rs_collective_rooted(plan->choice.collective) ? plan->choice.spec.root : -1;
}

int64_t rc_nccl_count(const rc_verify_report *report, const rc_verify_row *row) {
    return row->count / rc_verify_shards(report->plan);
}

/* The lines before the table are nccl-tests' own, so that diff shows only what differs. */
static void print_sizes(const rc_verify_report *report, const rc_verify_backend *b) {
    const rc_verify_plan *plan = report->plan;
    int64_t least = b->rows[0].n_bytes, most = least;
    for (int64_t i = 1; i < report->n_rows; i++) {
        if (b->rows[i].n_bytes < least) least = b->rows[i].n_bytes;
        if (b->rows[i].n_bytes > most) most = b->rows[i].n_bytes;
    }
    printf("# nThread 1 nGpus %d minBytes %lld maxBytes %lld step: %lld(%s) warmup iters: %d "
           "iters: %d agg iters: 1 validation: 1 graph: 0\n",
           (int)report->n_ranks, (long long)least, (long long)most, (long long)plan->factor,
           plan->factor > 0 ? "factor" : "list", (int)plan->job.warmup, (int)plan->job.times);
}

void rc_verify_head(const rc_verify_report *report, int backend) {
    const rc_verify_backend *b = &report->backends[backend];
    const rs_collective of = report->plan->choice.collective;
    char name[512];
    printf(
        "# ringsim " RINGSIM_VERSION " verify: %s%s%s on %s",
        of == RS_COLL_ALL_REDUCE ? "" : rs_collective_name(of), of == RS_COLL_ALL_REDUCE ? "" : " ",
        rc_plain(b->algorithm != NULL ? b->algorithm->name : report->name, true, name, sizeof name),
        rg_kind_name(b->kind));
    if (b->kernel > 0) printf(" kernel %d", (int)b->kernel);
    puts("");
    print_sizes(report, b);
    printf("#\n# Using devices\n#   %s\n#\n", b->where);
    printf("# %10s  %12s  %8s  %6s  %6s           out-of-place                       "
           "in-place          \n",
           "", "", "", "", "");
    static const char *const heads[2][4] = {{"time", "algbw", "busbw", "#wrong"},
                                            {"(us)", "(GB/s)", "(GB/s)", ""}};
    static const char *const lefts[2][5] = {{"size", "count", "type", "redop", "root"},
                                            {"(B)", "(elements)", "", "", ""}};
    for (int line = 0; line < 2; line++) {
        const char *const *l = lefts[line], *const *h = heads[line];
        printf("# %10s  %12s  %8s  %6s  %6s", l[0], l[1], l[2], l[3], l[4]);
        for (int i = 0; i < 2; i++) printf("  %7s  %6s  %6s  %6s", h[0], h[1], h[2], h[3]);
        puts(" ");
    }
    fflush(stdout); /* whoever reads along sees that it has begun */
}

void rc_verify_print_row(const rc_verify_report *report, const rc_verify_row *row) {
    printf("%12lld  %12lld  %8s  %6s  %6d", (long long)row->n_bytes,
           (long long)rc_nccl_count(report, row), rc_nccl_type(row->dtype),
           rc_nccl_redop(report, row), (int)rc_nccl_root(report));
    for (int which = 0; which < 2; which++) {
        double algbw;
        const double busbw = rc_busbw(report, row, which, &algbw);
        rc_print_fitting((double)row->results[which].time_ps / 1e6, 7);
        rc_print_fitting(algbw, 6);
        rc_print_fitting(busbw, 6);
        printf("  %6g", (double)row->results[which].n_wrong);
    }
    puts("");
    fflush(stdout);
}

/* ------------------------------------------------------------------ verdicts */

/* Returns the first backend that ran the same schedule. */
static int first_of(const rc_verify_report *report, int backend) {
    int i = 0;
    while (report->backends[i].algorithm != report->backends[backend].algorithm) i++;
    return i;
}

/* That backend's row with the same numbers has other digests. */
static bool bits_differ(const rc_verify_report *report, int backend, int64_t row) {
    const int at = first_of(report, backend);
    const rc_verify_backend *first = &report->backends[at], *b = &report->backends[backend];
    if (backend == at || !first->ran || row >= first->n_rows) return false;
    if (report->plan->job.special != RG_PLAIN) return false; /* which NaN, which zero is free */
    for (int which = 0; which < 2; which++) {
        const uint32_t *x = first->rows[row].results[which].crc32;
        const uint32_t *y = b->rows[row].results[which].crc32;
        if (memcmp(x, y, (size_t)report->n_ranks * sizeof *x) != 0) return true;
    }
    return false;
}

rc_verify_tally rc_verify_add_up(const rc_verify_report *report, int backend) {
    const rc_verify_backend *b = &report->backends[backend];
    rc_verify_tally t = {.note = ""};
    for (int64_t i = 0; i < b->n_rows; i++) {
        t.n_other_bits += bits_differ(report, backend, i);
        for (int which = 0; which < 2; which++) {
            const rg_result *r = &b->rows[i].results[which];
            /* 0: wrong before the clock */
            const int32_t n_runs = r->n_checked > 0 ? r->n_checked : 1;
            t.n_results++;
            t.n_runs += n_runs;
            t.n_wrong += r->n_wrong;
            t.n_spoilt += r->n_spoilt;
            t.n_elements += r->n_elements * n_runs;
            t.n_judged += r->has_oracle ? r->n_elements : 0;
            t.n_differ += r->oracle_differs;
            t.n_outside += r->oracle_outside;
            t.n_unjudged += r->oracle_unjudged;
            t.busbw += rc_busbw(report, &b->rows[i], which, NULL);
            if (r->note[0] != '\0') t.note = r->note;
            if (t.bad != NULL || is_right(r)) continue;
            t.bad = &b->rows[i];
            t.bad_which = which;
        }
    }
    return t;
}

bool rc_rows_right(const rc_verify_report *report, int backend) {
    const rc_verify_tally t = rc_verify_add_up(report, backend);
    return t.bad == NULL && t.n_other_bits == 0;
}

bool rc_backend_right(const rc_verify_report *report, int backend) {
    const rc_verify_backend *b = &report->backends[backend];
    return b->ran && b->reason[0] == '\0' && rc_rows_right(report, backend);
}

static void print_ranks(const rc_verify_report *report, const rg_result *result) {
    int32_t n_wrong = 0;
    bool any = false;
    for (int32_t r = 0; r < report->n_ranks; r++) n_wrong += result->wrong[r];
    for (int32_t r = 0; r < report->n_ranks; r++) {
        if (!result->wrong[r]) continue;
        printf(any ? " %d" : n_wrong == 1 ? _(", rank %d") : _(", ranks %d"), (int)r);
        any = true;
    }
}

static void print_oracle(const rc_verify_report *report, const rc_verify_tally *t) {
    if (t->n_judged == 0) return;
    printf(_("; the library's own %s: "), _(rs_collective_name(report->plan->choice.collective)));
    if (t->n_differ == 0) {
        printf(_("the same bits"));
        return;
    }
    printf(_("other bits in %.3g %% of the elements"),
           100.0 * (double)t->n_differ / (double)t->n_judged);
    if (t->n_outside > 0) {
        printf(_(", %lld of them wrong or outside the bound"), (long long)t->n_outside);
    } else if (t->n_unjudged < t->n_differ) {
        printf(t->bad == NULL ? _(", all within (N-1) u sum|x|: it adds in another order")
                              : _(", its own all within (N-1) u sum|x|"));
    }
    if (t->n_unjudged > 0) {
        printf(_(", %lld not judged (special values, integers that overflow)"),
               (long long)t->n_unjudged);
    }
}

static void print_first_bad(const rc_verify_report *report, const rc_verify_tally *t) {
    if (t->bad == NULL) return;
    printf(_("; first: %s %s, %lld elements, %s"), rc_nccl_type(t->bad->dtype),
           rc_nccl_redop(report, t->bad), (long long)t->bad->count,
           t->bad_which == 0 ? _("out of place") : _("in place"));
    const rg_result *bad = &t->bad->results[t->bad_which];
    if (report->plan->job.check_every && bad->first_wrong_run > 0) {
        printf(_(", run %d of %d"), (int)bad->first_wrong_run, (int)report->plan->job.times);
    }
    print_ranks(report, bad);
}

void rc_verify_tail(const rc_verify_report *report, int backend) {
    const rc_verify_backend *b = &report->backends[backend];
    const rc_verify_tally t = rc_verify_add_up(report, backend);
    if (b->n_rows > 0) {
        printf("# Out of bounds values : %lld %s\n", (long long)t.n_wrong,
               t.n_wrong == 0 ? "OK" : "FAILED");
        printf("# Avg bus bandwidth    : %g \n#\n", t.busbw / (double)t.n_results);
    }
    if (b->reason[0] != '\0') {
        printf(b->ran ? _("# %s: FAILED: %s") : _("# %s: not run to the end: %s"), b->name,
               b->reason);
        if (t.n_wrong > 0) {
            printf(_("; before that %lld elements were wrong"), (long long)t.n_wrong);
            print_first_bad(report, &t);
        }
        puts("");
        return;
    }
    const bool right = rc_backend_right(report, backend);
    const rc_verify_backend *first = &report->backends[first_of(report, backend)];
    printf(right ? _("# %s: right: %lld runs, %lld elements, none wrong")
                 : _("# %s: WRONG: %lld runs, %lld elements, %lld wrong"),
           b->name, (long long)t.n_runs, (long long)t.n_elements, (long long)t.n_wrong);
    print_first_bad(report, &t);
    if (t.n_spoilt > 0) printf(_("; %lld wrote where they must not"), (long long)t.n_spoilt);
    if (t.n_other_bits > 0) {
        printf(_("; other bits than %s in %lld rows"), first->name, (long long)t.n_other_bits);
    } else if (b != first && first->ran && report->plan->job.special == RG_PLAIN) {
        printf(_("; the same bits as %s"), first->name);
    }
    print_oracle(report, &t);
    rc_verify_print_bits(report, b);
    if (t.note[0] != '\0') printf("%s%s", _("; "), t.note);
    puts("");
}

/* ------------------------------------------------------------------ the end of the report */

/* What the last row moved in place, kernel variant by kernel variant: the same plan, executed in ever better ways. */
void rc_verify_ladder(const rc_verify_report *report) {
    double first = 0;
    int n = 0;
    for (int i = 0; i < report->n_backends; i++) {
        const rc_verify_backend *b = &report->backends[i];
        if (b->kernel == 0 || report->plan->n_kernels < 2 || b->n_rows < report->n_rows ||
            b->algorithm != report->backends[0].algorithm)
            continue;
        const rc_verify_row *row = &b->rows[report->n_rows - 1];
        const double busbw = rc_busbw(report, row, 1, NULL);
        if (n == 0) {
            printf(_("# ladder: busbw in place at %lld bytes:"), (long long)row->n_bytes);
            first = busbw;
        }
        printf(_("%s kernel %d %.3g GB/s"), n == 0 ? "" : ",", (int)b->kernel, busbw);
        if (n++ > 0 && first > 0) printf(" (%.3g x)", busbw / first);
    }
    if (n > 0) puts("");
}

/* Tells whether any table of this kind of backend came to be: the kernel variants of a ladder are one backend. */
static bool any_ran(const rc_verify_report *report, rg_kind kind) {
    for (int i = 0; i < report->n_backends; i++) {
        if (report->backends[i].kind == kind && report->backends[i].ran) return true;
    }
    return false;
}

static bool first_of_kind(const rc_verify_report *report, int i) {
    return i == 0 || report->backends[i - 1].kind != report->backends[i].kind;
}

void rc_verify_count(const rc_verify_report *report) {
    int n = 0, n_ran = 0;
    for (int i = 0; i < report->n_backends; i++) {
        if (!first_of_kind(report, i)) continue;
        n++;
        n_ran += any_ran(report, report->backends[i].kind);
    }
    printf(_("%d of %d backends ran: "), n_ran, n);
    if (n_ran == 0) printf(_("none"));
    const char *before = "";
    for (int i = 0; i < report->n_backends; i++) {
        const rg_kind kind = report->backends[i].kind;
        if (!first_of_kind(report, i) || !any_ran(report, kind)) continue;
        printf("%s%s", before, rg_kind_name(kind));
        before = ", ";
    }
    before = _("; not run: ");
    for (int i = 0; i < report->n_backends; i++) {
        const rc_verify_backend *b = &report->backends[i];
        /* then it is this kernel variant that is missing */
        const bool some = any_ran(report, b->kind);
        if (b->ran || (!some && !first_of_kind(report, i))) continue;
        printf("%s%s (%s)", before, some ? b->name : rg_kind_name(b->kind), b->reason);
        before = ", ";
    }
    puts("");
}
