/* said_collective.c: the line of .sched and .trace texts that says of which collective they are (scan.h).
 *
 *     ringsim-schedule 1
 *     collective broadcast root 2
 *     chunks 16 in 8 parts           # and of how the array is cut: into 8 first, each of them into 2
 *     chunks 4 added by rank         # and in which order a step's messages into one cell are added
 */
#include "base/scan.h"

#include <stdio.h>

void rs_scan_collective(rs_scan *scan, rs_said_collective *said) {
    int of = 0;
    if (said->line != 0) rs_scan_fail(scan, scan->statement, "'collective' is said twice");
    while (of < RS_N_COLLECTIVES && !rs_scan_word(scan, rs_collective_name((rs_collective)of)))
        of++;
    if (of == RS_N_COLLECTIVES) {
        rs_scan_fail(scan, scan->at,
                     "expected all-reduce, reduce-scatter, all-gather, broadcast, reduce or "
                     "all-to-all");
        return;
    }
    said->of = (rs_collective)of;
    said->line = scan->line;
    const char *begin = scan->at;
    if (!rs_scan_word(scan, "root")) return;
    if (!rs_collective_rooted(said->of)) rs_scan_fail(scan, begin, "this collective has no root");
    said->root = (int32_t)rs_scan_number(scan, "the root", 0, RS_MAX_FILE_RANKS - 1, &begin);
    rs_scan_end_number(scan, "expected the end of the line after the root");
}

void rs_scan_check_collective(rs_scan *scan, const rs_said_collective *said, int32_t n_ranks,
                              int32_t n_chunks) {
    if (scan->status != RS_OK || said->line == 0) return;
    scan->status = rs_collective_fits(said->of, n_ranks, n_chunks, said->root, scan->error);
    if (scan->status != RS_OK) rs_error_at(scan->error, said->line, 1);
}

void rs_print_collective(rs_printer *out, rs_collective of, int32_t root) {
    char line[80], at[24] = "";
    if (of == RS_COLL_ALL_REDUCE) return;
    if (rs_collective_rooted(of)) snprintf(at, sizeof at, " root %d", (int)root);
    snprintf(line, sizeof line, "collective %s%s\n", rs_collective_name(of), at);
    rs_printer_put(out, line);
}

static bool has_shards(rs_collective of) {
    return of == RS_COLL_ALL_GATHER || of == RS_COLL_REDUCE_SCATTER;
}

int32_t rs_scan_parts(rs_scan *scan, int32_t n_chunks) {
    const char *begin;
    if (!rs_scan_word(scan, "in")) return 0;
    const int32_t n = (int32_t)rs_scan_number(scan, "the number of parts", 1, n_chunks, &begin);
    rs_scan_end_number(scan, "expected 'parts' after the number");
    if (!rs_scan_word(scan, "parts")) rs_scan_fail(scan, scan->at, "expected 'parts'");
    if (n_chunks % n != 0) rs_scan_fail(scan, begin, "the chunks must divide by the parts");
    return n;
}

void rs_scan_check_parts(rs_scan *scan, const rs_said_collective *said, int32_t n_parts) {
    if (scan->status != RS_OK || n_parts <= 1 || !has_shards(said->of)) return;
    scan->status = rs_fail(scan->error, RS_BAD_INPUT,
                           "the parts of this collective are its shards; leave 'in P parts' out");
    rs_error_at(scan->error, said->line, 1);
}

bool rs_scan_by_rank(rs_scan *scan) {
    if (!rs_scan_word(scan, "added")) return false;
    if (rs_scan_word(scan, "by") && rs_scan_word(scan, "rank")) return true;
    rs_scan_fail(scan, scan->at, "expected 'added by rank'");
    return false;
}

void rs_print_chunks(rs_printer *out, const rs_schedule *schedule) {
    const int32_t n_parts = schedule->n_parts, n_chunks = schedule->n_chunks;
    const rs_collective of = schedule->collective;
    char line[80], parts[32] = "";
    if (n_parts > 1 && n_parts < n_chunks && !has_shards(of)) {
        snprintf(parts, sizeof parts, " in %d parts", (int)n_parts);
    }
    snprintf(line, sizeof line, "chunks %d%s%s\n",
             (int)(n_chunks == 0 ? rs_fewest_chunks(of, schedule->n_ranks) : n_chunks), parts,
             schedule->by_rank ? " added by rank" : "");
    rs_printer_put(out, line);
}
