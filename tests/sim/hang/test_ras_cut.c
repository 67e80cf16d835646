/* test_ras_cut.c: a report of NCCL's RAS in JSON that ends at any byte: it is read as soon as one rank's counts are whole, and
 * says what the whole one says of those that are.
 */
#include "sim/hang/ras_report.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 14, RANKS = 5 };

TestSuite(ras_cut, .init = ras_start, .fini = ras_stop);

static rs_status read_first(const char *text, size_t n) {
    char *exact = malloc(n + 1);
    cr_assert_not_null(exact);
    memcpy(exact, text, n);
    ras_again();
    const rs_status status =
        rs_read_ras(exact, n, &ras.scratch, &ras.keep, &ras.error, &ras.dumps, &ras.n_dumps);
    free(exact);
    return status;
}

/* Ranks with a dump that is not cut. */
static int count_whole(void) {
    int n = 0;
    for (int32_t d = 0; d < ras.n_dumps; d++) n += !ras.dumps[d].cut;
    return n;
}

Test(ras_cut, is_read_as_soon_as_one_rank_is_whole) {
    char text[ROOM];
    size_t ends[RANKS], n = 0;
    n += (size_t)snprintf(text, ROOM,
                          "{\"communicators\":[{\"hash\":\"0x1\",\"size\":%d,\"ranks\":[", RANKS);
    for (int r = 0; r < RANKS; r++) {
        n += (size_t)snprintf(text + n, ROOM - n,
                              "%s{\"rank\":%d,\"host\":\"a\",\"pid\":%d,\"cuda_dev\":%d,"
                              "\"collective_counts\":{\"AllReduce\":%d}}",
                              r > 0 ? "," : "", r, 10 + r, r, 7 + r);
        ends[r] = n;
    }
    n += (size_t)snprintf(text + n, ROOM - n, "]}]}");
    for (size_t at = 0; at <= n; at++) {
        int n_whole = 0;
        for (int r = 0; r < RANKS; r++) n_whole += ends[r] <= at;
        const rs_status status = read_first(text, at);
        cr_assert_eq(status == RS_OK, n_whole > 0, "%d bytes: %s", (int)at, ras.error.text);
        if (status != RS_OK) continue;
        cr_assert_eq(count_whole(), n_whole, "%d bytes", (int)at);
        for (int32_t d = 0; d < ras.n_dumps; d++) {
            if (ras.dumps[d].cut) continue;
            cr_assert_eq(ras.dumps[d].rank, d);
            cr_assert(ras.dumps[d].n_groups == 1 && ras.dumps[d].groups[0].last_seq == 7 + d);
        }
    }
}
