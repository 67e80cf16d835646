/* verify_learnt.c: what the rows of GPUs teach, in two sentences made from them: why kernel 1 is slow and what a
 * launch costs; why small is latency. Where the rows do not show it, which rows would.
 *
 *   - Of several types and operations the first counts; times are those in place.
 */
#include "base/text.h"
#include "verify/verify.h"

#include <math.h>

enum { TEXT = 32 };

static const char *time_text(double time_ps, char out[TEXT]) {
    rv_format_time((int64_t)llround(fmin(time_ps, 9e18)), out, TEXT);
    return out;
}

static const char *bytes_text(double n_bytes, char out[TEXT]) {
    rv_format_bytes((int64_t)llround(fmin(n_bytes, 9e18)), out, TEXT);
    return out;
}

/* The backend or kernel variant (0: any but that without the ring's steps, the last) that ran all rows, and right. */
static const rc_verify_backend *find(const rc_verify_report *report, rg_kind kind, int32_t kernel) {
    for (int i = report->n_backends - 1; i >= 0; i--) {
        const rc_verify_backend *b = &report->backends[i];
        const bool meant = kernel > 0 ? b->kernel == kernel : b->kernel < RC_MOST_VARIANTS;
        const bool chosen = b->algorithm == report->backends[0].algorithm;
        if (b->kind == kind && meant && chosen && rc_backend_right(report, i)) return b;
    }
    return NULL;
}

/* What each rung of the ladder takes away of kernel 1's time, at the least size, where data hardly count. */
static void print_launches(const rc_verify_report *report) {
    const rc_verify_backend *scalar = find(report, RG_CUDA, 1), *wide = find(report, RG_CUDA, 2),
                            *one = find(report, RG_CUDA, 4);
    if (scalar == NULL || wide == NULL || one == NULL) {
        puts(_("# learnt: what a launch costs, --kernel 1,2,4 beside each other would show"));
        return;
    }
    int64_t least = 0;
    for (int64_t i = 1; i < report->plan->n_sizes; i++) {
        if (scalar->rows[i].n_bytes < scalar->rows[least].n_bytes) least = i;
    }
    const rg_result *result = &scalar->rows[least].results[1];
    const double t1 = (double)result->time_ps, t2 = (double)wide->rows[least].results[1].time_ps,
                 t4 = (double)one->rows[least].results[1].time_ps;
    char size[TEXT], all[TEXT], narrow[TEXT], launches[TEXT], each[TEXT];
    bytes_text((double)scalar->rows[least].n_bytes, size);
    if (result->n_rounds < 2 || t1 <= t2 || t2 <= t4) {
        printf(
            _("# learnt: at %s kernels 1, 2 and 4 take %s, %s and %s: not what a launch costs\n"),
            size, time_text(t1, all), time_text(t2, narrow), time_text(t4, launches));
        return;
    }
    printf(
        _("# learnt: at %s kernel 1 takes %s: %s of that for one element an access in place of 16 "
          "bytes (kernel 2), and %s for %d launches in place of one (kernel 4), %s each\n"),
        size, time_text(t1, all), time_text(t1 - t2, narrow), time_text(t2 - t4, launches),
        (int)result->n_rounds, time_text((t2 - t4) / (result->n_rounds - 1), each));
}

/* What a backend's rows tell of latency and bandwidth. */
static rc_exit fit(rc_session *session, const rc_verify_report *report, const rc_verify_backend *b,
                   rs_line_fit *line) {
    const int64_t n = report->plan->n_sizes;
    rs_sample *samples = rs_alloc(session->arena, (size_t)n, sizeof *samples);
    if (samples == NULL) return rc_no_memory(session->error);
    for (int64_t i = 0; i < n; i++) {
        samples[i] = (rs_sample){b->rows[i].n_bytes, b->rows[i].results[1].time_ps};
    }
    return rc_exit_of(rs_fit_line(samples, n, session->arena, session->error, line));
}

rc_exit rc_verify_learnt(rc_session *session, const rc_verify_report *report) {
    const rc_verify_backend *const gpus[] = {find(report, RG_CUDA, 0), find(report, RG_NCCL, 0)};
    const char *before = _("# learnt: small is latency: ");
    if (gpus[0] == NULL && gpus[1] == NULL) return RC_GOOD;
    if (gpus[0] != NULL) print_launches(report);
    for (int i = 0; i < 2; i++) {
        rs_line_fit line;
        char alpha[TEXT], rate[TEXT], size[TEXT], off[TEXT];
        if (gpus[i] == NULL) continue;
        const rc_exit status = fit(session, report, gpus[i], &line);
        if (status != RC_GOOD) return status;
        printf("%s%s", before, gpus[i]->name);
        before = "; ";
        if (!line.split || line.alpha_ps <= 0 || line.ps_per_byte <= 0) {
            printf(_(" does not show it with these sizes (-b 8 -e 64M -f 8 might)"));
            continue;
        }
        rv_format_percent((int64_t)llround(fmin(line.typical, 1e6) * 10000), 10000, off, TEXT);
        printf(_(" takes %s whatever the size and %s more a MB (rows are off by typically %s), so "
                 "below %s most of its time is not the data's"),
               time_text(line.alpha_ps, alpha), time_text(line.ps_per_byte * 1e6, rate), off,
               bytes_text(line.alpha_ps / line.ps_per_byte, size));
    }
    puts("");
    return RC_GOOD;
}
