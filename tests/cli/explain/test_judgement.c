/* test_judgement.c: what a table's share of what is expected most likely means: one sentence for each range of shares, on one
 * node and on several; that small arrays take long is told from the rows' median, in whatever order they stand.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "explain/explain.h"

enum { MOST = 40 };
static rc_estimate_row rows[MOST];
static rc_estimate judged;
static rc_explained explained;

static const char *say(double share) {
    explained.judged = &judged;
    return rc_judgement_text(&explained, share);
}
static void machine(int n_nodes, int n_nics, double nic_GBps, double best_GBps) {
    judged = (rc_estimate){.rows = rows};
    judged.site.n_nodes = n_nodes;
    judged.site.n_nics = n_nics;
    judged.site.nic_GBps = nic_GBps;
    explained.best_GBps = best_GBps;
}

Test(judgement, has_a_sentence_for_each_range) {
    static const struct {
        int n_nodes, n_nics;
        double best_GBps, share;
        const char *part;
    } cases[] = {
        {1, 0, 10, 1.16, "more than expected"},
        {2, 8, 10, 1.16, "more than expected"},
        {1, 0, 10, 1.15, "that is what such a machine gives"},
        {1, 0, 10, 0.86, "that is what such a machine gives"},
        {1, 0, 10, 0.85, "links are not used"},
        {1, 0, 10, 0.3, "links are not used"},
        {1, 0, 10, 0.29, "host memory"},
        {2, 8, 100, 0.85, "detour to the NIC"},
        {2, 8, 100, 0.29, "detour to the NIC"},
        {2, 8, 100, 0.08, "detour to the NIC"},
        {2, 8, 100, 0.079, "not used as such"},
        /* Eight NICs of 50 GB/s: half of one to a little more than one. */
        {2, 8, 25, 0.2, "detour to the NIC"},
        {2, 8, 26, 0.2, "one NIC of a node"},
        {2, 8, 57, 0.2, "one NIC of a node"},
        {2, 8, 58, 0.2, "detour to the NIC"},
        {2, 1, 26, 0.2, "detour to the NIC"},
        {2, 2, 101, 0.2, "one NIC of a node"},
        {1, 8, 26, 0.5, "links are not used"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        machine(cases[i].n_nodes, cases[i].n_nics, 400, cases[i].best_GBps);
        const char *said = say(cases[i].share);
        cr_expect_not_null(strstr(said, cases[i].part), "case %d: %s", (int)i, said);
    }
}

/* Of the first sixteen rows of up to 64 KiB the median counts; others do not. */
Test(judgement, small_arrays_take_long_where_their_median_does) {
    uint64_t state = 1;
    for (int round = 0; round < 600; round++) {
        const int n = 1 + round % 20, used = n < 16 ? n : 16;
        int n_slow = 0;
        machine(1, 0, 0, 10);
        judged.n_rows = 0;
        for (int i = 0; i < n; i++) {
            state = state * 6364136223846793005 + 1442695040888963407;
            const bool slow = state >> 40 & 1;
            if (i < 16) n_slow += slow;
            const double ratio = (slow ? 1.7 : 1.0) + (double)(state >> 50) / 1e6;
            rows[judged.n_rows++] = (rc_estimate_row){.n_bytes = i % 3 == 0 ? 65536 : 8 << i % 10,
                                                      .simulated_us = 5,
                                                      .measured_us = 5 * ratio};
            if (i % 4 == 1) /* larger ones, and some that nobody simulated */
                rows[judged.n_rows++] = (rc_estimate_row){.n_bytes = i % 8 == 1 ? 65537 : 8,
                                                          .simulated_us = i % 8 == 1 ? 5 : -1,
                                                          .measured_us = slow ? 5 : 500};
        }
        const bool long_told = strstr(say(0.9), "small arrays take long") != NULL;
        cr_assert_eq(long_told, n_slow >= used - used / 2, "%d of %d", n_slow, used);
    }
    judged.n_rows = 0;
    cr_expect_null(strstr(say(0.9), "small arrays"));
}
