/* test_ras_cut.c: a report of NCCL's RAS in JSON that ends at any byte: it is read as soon as one rank's counts are whole, and
 * says what the whole one says of those that are. And all readers of what a hang leaves, without memory.
 */
#include "nccl/hang/dumps/ras_report.h"
#include "support/failing_malloc.h"

#include <criterion/criterion.h>
#include <stdarg.h>
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
        rn_read_ras(exact, n, &ras.scratch, &ras.keep, &ras.error, &ras.dumps, &ras.n_dumps);
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

/* ------------------------------------------------------------------ without memory */

typedef enum made_report { RAS_JSON, RAS_TEXT, LOG, RECORDER, PICKLE, N_REPORTS } made_report;

static char report[1 << 21];
static size_t n_report;
static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    n_report += (size_t)vsnprintf(report + n_report, sizeof report - n_report, format, arguments);
    va_end(arguments);
    cr_assert_lt(n_report, sizeof report);
}

/* So large that most lists are pieces of memory of their own. */
static void make_report(made_report kind) {
    n_report = 0;
    if (kind == RAS_JSON) {
        say("{\"communicators\":[{\"hash\":\"0x1\",\"size\":9000,\"ranks\":[");
        for (int r = 0; r < 400; r++) {
            say("%s{\"rank\":%d,\"host\":\"a%d\",\"pid\":%d,\"cuda_dev\":0,\"collective_counts\":{",
                r > 0 ? "," : "", r, r, r);
            for (int k = 0; k < 12; k++) say("%s\"Kind%d\":%d", k > 0 ? "," : "", k, 1 + k);
            say("}}");
        }
        say("]}]}");
    } else if (kind == RAS_TEXT) {
        say("#1-0 (27a079b828ff1a75) MISMATCH\n");
        for (int k = 0; k < 2; k++)
            say("  Communicator ranks have different Call%d operation counts\n"
                "  65535 ranks have launched up to operation 8\n"
                "  Rank 3 has launched up to operation 7 -- GPU 0\n",
                k);
    } else if (kind == LOG) {
        for (int r = 0; r < 1500; r++)
            say("h:%d:2 [0] NCCL INFO comm 0x%x rank %d nranks 3000 commId 0x%d - Init COMPLETE\n",
                r, 0x100 + r, r, r % 7);
        for (int r = 0; r < 1500 * 3; r++)
            say("h:%d:2 [0] NCCL INFO AllReduce: opCount 1 count 5 datatype 7 comm 0x%x [nranks=2]\n",
                r % 1500, 0x100 + r % 1500);
    } else if (kind == PICKLE) {
        static const char head[] = "\x80\2}(X\7\0\0\0entries](";
        memcpy(report, head, sizeof head - 1);
        n_report = sizeof head - 1;
        for (int i = 0; i < 30000; i++) say("K\1");
        say("eu.");
    } else {
        say("{\"pg_config\":{");
        for (int g = 0; g < 900; g++)
            say("%s\"%d\":{\"ranks\":\"[0, 1, 2, 3, 4, 5, 6, 7]\",\"desc\":\"group %d\"}",
                g > 0 ? "," : "", g, g);
        say("},\"entries\":[");
        for (int i = 0; i < 3000; i++)
            say("%s{\"pg_id\":%d,\"profiling_name\":\"nccl:name%d\",\"collective_seq_id\":%d,"
                "\"frames\":[{\"filename\":\"f%d.py\",\"line\":%d}]}",
                i > 0 ? "," : "", i % 900, i % 700, i, i % 50, i);
        say("]}");
    }
}

static rs_status read_report(made_report kind) {
    rn_dump dump;
    rn_evidence *said;
    int32_t n_said;
    switch (kind) {
    case RAS_JSON:
        return rn_read_ras(report, n_report, &ras.scratch, &ras.keep, &ras.error, &ras.dumps,
                           &ras.n_dumps);
    case RAS_TEXT:
        return rn_read_ras_text(report, n_report, &ras.scratch, &ras.keep, &ras.error, &ras.dumps,
                                &ras.n_dumps);
    case LOG:
        return rn_read_hang_log(report, n_report, &ras.scratch, &ras.keep, &ras.error, &ras.dumps,
                                &ras.n_dumps, &said, &n_said);
    default: return rn_read_recorder(report, n_report, &ras.scratch, &ras.keep, &ras.error, &dump);
    }
}

/* Whichever piece is missing: no reader gives an answer without it. */
Test(ras_cut, readers_say_so_without_memory) {
    for (int kind = 0; kind < N_REPORTS; kind++) {
        long k = 0;
        make_report((made_report)kind);
        for (rs_status status = RS_NO_MEMORY; status != RS_OK; k++) {
            ras_again();
            ras.error.text[0] = '\0';
            n_arrays_until_failure = k;
            status = read_report((made_report)kind);
            cr_assert_eq(status == RS_OK, n_arrays_until_failure >= 0, "%d, array %ld", kind, k);
            n_arrays_until_failure = -1;
            if (status == RS_OK) continue;
            cr_assert_eq(status, RS_NO_MEMORY, "%d, array %ld: %s", kind, k, ras.error.text);
            cr_assert_eq(strncmp(ras.error.text, "no memory ", 10) == 0 ||
                             strstr(ras.error.text, ": no memory ") != NULL,
                         true, "%s", ras.error.text);
        }
        cr_assert_gt(k, 6, "%d: %ld", kind, k);
    }
}
