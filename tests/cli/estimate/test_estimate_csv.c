/* test_estimate_csv.c: a row of an estimate as CSV: what is known as a number, what is not as nothing, a measured time
 * only of a table that was measured; rates only of what was simulated.
 */
#include "estimate/estimate.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 5 * 5 * 5, RANKS = 4, TEXT = 1 << 16 };
static rc_estimate_row rows[ROWS];
static char out[TEXT], want[TEXT];

/* -1: not known. */
static const double times[] = {-1, 0, 0.0004, 2.5, 1234567.8912};

static size_t put(size_t at, double us) {
    if (us >= 0) at += (size_t)snprintf(want + at, TEXT - at, "%.3f", us);
    return at + (size_t)snprintf(want + at, TEXT - at, ",");
}

/* Puts down one row as it should be: our own account. */
static size_t put_row(size_t at, const rc_estimate_row *row, bool measured, bool unchecked) {
    const bool simulated = row->simulated_us > 0;
    const double algbw = simulated ? (double)row->n_bytes / 1000 / row->simulated_us : -1;
    at += (size_t)snprintf(want + at, TEXT - at, "%lld,%s,%s,%d,%.3f,", (long long)row->n_bytes,
                           rn_nccl_algorithm_title(row->choice.algorithm),
                           rn_nccl_protocol_title(row->choice.protocol),
                           (int)row->choice.n_channels, (double)row->choice.cost.us);
    at = put(at, row->simulated_us);
    at = put(at, algbw);
    at = put(at, simulated ? algbw * 2 * (RANKS - 1) / RANKS : -1);
    at = put(at, row->bound_us);
    at = put(at, row->in_switch_us);
    at = put(at, measured ? row->measured_us : -1);
    at = put(at, measured ? row->registered_us : -1); /* both are asked for together */
    return at + (size_t)snprintf(want + at, TEXT - at, ",%d\n", unchecked);
}

static void try_table(bool measured, int32_t version) {
    rc_estimate e = {.collective = RS_COLL_ALL_REDUCE,
                     .rows = rows,
                     .n_rows = ROWS,
                     .measured = measured,
                     .registered = measured};
    e.site.n_ranks = RANKS;
    e.comm.version = version;
    for (int i = 0; i < ROWS; i++) {
        rows[i] = (rc_estimate_row){.n_bytes = 8LL << i % 30,
                                    .simulated_us = times[i % 5],
                                    .bound_us = times[i / 5 % 5],
                                    .in_switch_us = times[i / 25 % 5],
                                    .measured_us = times[(i + i / 5 + i / 25) % 5],
                                    .registered_us = times[(i + i / 5) % 5],
                                    .wire = -1};
        rows[i].choice.n_channels = 1 + i % 7;
        rows[i].choice.cost.us = (float)(i + 0.25);
    }
    rc_csv_estimate(&e);
}

Test(estimate_csv, what_is_known_is_a_number_and_what_is_not_is_nothing) {
    static const int32_t versions[] = {23007, 99999};
    size_t at = 0;
    cr_redirect_stdout();
    for (int k = 0; k < 4; k++) {
        try_table(k % 2, versions[k / 2]);
        at += (size_t)snprintf(
            want + at, TEXT - at,
            "bytes,algorithm,protocol,channels,tuner_us,simulated_us,algbw_GBps,busbw_GBps,bound_us,"
            "in_switch_bound_us,measured_us,registered_us,bottleneck,unchecked\n");
        for (int i = 0; i < ROWS; i++)
            at = put_row(at, &rows[i], k % 2, !rn_nccl_checked(versions[k / 2]));
    }
    fflush(stdout);
    cr_assert_lt(at, TEXT - 1);
    out[fread(out, 1, sizeof out - 1, cr_get_redirected_stdout())] = '\0';
    const char *line = out, *other = want;
    for (int row = 0; *other != '\0'; row++) {
        const size_t n = strcspn(line, "\n"), n_other = strcspn(other, "\n");
        cr_assert(n == n_other && memcmp(line, other, n) == 0, "line %d: %.*s, not %.*s", row,
                  (int)n, line, (int)n_other, other);
        line += n + (line[n] != '\0');
        other += n_other + 1;
    }
    cr_expect_str_empty(line);
}
