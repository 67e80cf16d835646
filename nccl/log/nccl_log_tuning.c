/* nccl_log_tuning.c: the tuning table, and what was chosen call by call (TUNING), old spellings and new.
 *
 *       Algorithm   |       Tree       |       Ring       |  CollNetDirect  |
 *       Protocol    |     LL |  LL128 | Simple | ...
 *       AllReduce   |  16.8/   0.5 |  31.0/   0.0 | ...                   us / GB/s, 0.0 is off
 *     AllReduce: 94371840 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}
 *     AllGather: 37756928 Bytes -> Algo 1 proto 2 time 2860.208008
 */
#include "nccl_log.h"

#include <string.h>

enum { MOST_CALLS = 4096, MOST_BLOCK = 4 };

/* ------------------------------------------------------------------ the table */

/* Cuts the piece up to the next bar, without blanks around; false: there is none. */
static bool next_piece(const char **at, const char **piece, size_t *n) {
    const char *bar = strchr(*at, '|');
    if (bar == NULL) return false;
    const char *from = *at;
    *at = bar + 1;
    while (from < bar && *from == ' ') from++;
    while (bar > from && bar[-1] == ' ') bar--;
    *piece = from;
    *n = (size_t)(bar - from);
    return true;
}

/* Of old tables each algorithm has three columns: "Latency/AlgBw |    Tree/    LL |    Tree/ LL128 | ...". */
static bool read_block(rn_nccl_log_reader *r, const char *at, bool old) {
    const char *piece;
    size_t n;
    r->n_block = 0;
    for (int column = 0; r->n_block < MOST_BLOCK && next_piece(&at, &piece, &n); column++) {
        rn_nccl_algorithm a = RN_NCCL_COLLNET_DIRECT;
        if (old && column % RN_NCCL_N_PROTOCOLS != 0) continue;
        if (old) n = strcspn(piece, "/|");
        const bool collnet = old && n == 7 && strncmp(piece, "CollNet", 7) == 0;
        if (!collnet && !rn_nccl_find_algorithm(piece, n, &a)) break;
        r->block[r->n_block++] = (int32_t)a;
    }
    if (r->log.table_line == 0) r->log.table_line = r->log.n_lines;
    return r->n_block > 0;
}

static bool read_cell(const char *piece, rn_nccl_printed *cell) {
    double latency, bandwidth;
    if (!rn_take_decimal(&piece, &latency) || !rn_take(&piece, "/") ||
        !rn_take_decimal(&piece, &bandwidth) || latency > 1e9 || bandwidth > 1e9) {
        return false;
    }
    cell->latency_us = (float)latency;
    cell->bandwidth_GBps = (float)bandwidth;
    return true;
}

static bool read_row(rn_nccl_log_reader *r, rs_collective coll, const char *at) {
    const char *piece;
    size_t n;
    int column = 0;
    rn_nccl_printed cell = {.line = r->log.n_lines};
    for (; column < r->n_block * RN_NCCL_N_PROTOCOLS && next_piece(&at, &piece, &n); column++) {
        if (!read_cell(piece, &cell)) break;
        const int32_t a = r->block[column / RN_NCCL_N_PROTOCOLS];
        rn_nccl_printed *kept = &r->log.table[coll][a][column % RN_NCCL_N_PROTOCOLS];
        if (kept->line == 0) *kept = cell; /* of several communicators the first */
    }
    return column > 0;
}

static bool read_threads(rn_nccl_log_reader *r, const char *at) {
    const char *piece;
    size_t n;
    int64_t threads;
    for (int column = 0; column < r->n_block * RN_NCCL_N_PROTOCOLS && next_piece(&at, &piece, &n);
         column++) {
        if (!rn_take_int(&piece, 4096, &threads) || threads < 0) break;
        r->log.max_threads[r->block[column / RN_NCCL_N_PROTOCOLS]][column % RN_NCCL_N_PROTOCOLS] =
            (int32_t)threads;
    }
    return true;
}

static bool table_message(rn_nccl_log_reader *r, const char *message) {
    const char *at = message, *piece;
    size_t n;
    rs_collective coll;
    if (!next_piece(&at, &piece, &n)) return false;
    if (n == 9 && strncmp(piece, "Algorithm", 9) == 0) return read_block(r, at, false);
    if (n == 13 && strncmp(piece, "Latency/AlgBw", 13) == 0) return read_block(r, at, true);
    if (n == 8 && strncmp(piece, "Protocol", 8) == 0) return true;
    if (n == 12 && strncmp(piece, "Max NThreads", 12) == 0) return read_threads(r, at);
    return rn_nccl_find_collective(piece, n, &coll) && read_row(r, coll, at);
}

/* ------------------------------------------------------------------ calls */

static bool take_name(const char **at, rn_nccl_call *call) {
    int64_t number;
    if (!rn_take(at, "-> Algo ")) return false;
    if (rn_take_int(at, RN_NCCL_N_ALGORITHMS - 1, &number)) {
        if (number < 0) return false;
        call->algorithm = (rn_nccl_algorithm)number;
    } else {
        const size_t n = strcspn(*at, " ");
        if (!rn_nccl_find_algorithm(*at, n, &call->algorithm)) return false;
        *at += n;
    }
    if (!rn_take(at, "proto ")) return false;
    if (rn_take_int(at, RN_NCCL_N_PROTOCOLS - 1, &number)) {
        if (number < 0) return false;
        call->protocol = (rn_nccl_protocol)number;
        return true;
    }
    const size_t n = strcspn(*at, " ");
    if (!rn_nccl_find_protocol(*at, n, &call->protocol)) return false;
    *at += n;
    return true;
}

static void keep_call(rn_nccl_log_reader *r, const rn_nccl_call *call) {
    rn_nccl_call *list = r->log.calls;
    for (int32_t i = r->log.n_calls; i-- > 0 && i > r->log.n_calls - 64;) {
        if (list[i].n_bytes != call->n_bytes || list[i].collective != call->collective ||
            list[i].algorithm != call->algorithm || list[i].protocol != call->protocol ||
            list[i].n_channels != call->n_channels) {
            continue;
        }
        list[i].n++;
        return;
    }
    if (r->log.n_calls == MOST_CALLS) return;
    rn_nccl_call *kept = rn_log_add(r, r->log.calls, r->log.n_calls, r->call_room);
    if (kept != NULL) *kept = *call;
}

static bool call_message(rn_nccl_log_reader *r, const char *message) {
    const char *at = message, *more;
    int64_t low, high;
    rn_nccl_call call = {.line = r->log.n_lines, .n = 1, .us = -1, .collective = RS_N_COLLECTIVES};
    while (*at == ' ') at++;
    const size_t n = strcspn(at, ": ");
    if (n > 0 && at[n] == ':' && rn_nccl_find_collective(at, n, &call.collective)) at += n + 1;
    if (!rn_take_int(&at, INT64_MAX / 16, &call.n_bytes) || call.n_bytes < 0 ||
        !rn_take(&at, "Bytes ") || !take_name(&at, &call)) {
        return false;
    }
    if (rn_take(&at, "time ") && !rn_take_decimal(&at, &call.us)) call.us = -1;
    if (rn_find_words(at, "={", &more) && rn_take_int(&more, 4096, &low) && rn_take(&more, "..") &&
        rn_take_int(&more, 4096, &high) && high >= low) {
        call.n_channels = (int32_t)(high - low + 1);
    }
    keep_call(r, &call);
    return true;
}

/* "AllReduce [Symmetric]: 1024 Bytes -> Kernel ...": what NCCL's algorithms do not carry. */
static bool other_way(rn_nccl_log_reader *r, const char *message) {
    static const char *const forms[] = {"%[Symmetric]: # Bytes -> ", "%[Copy Engine]: # Bytes -> ",
                                        "%[Hierarchical CE]: # Bytes -> "};
    for (int i = 0; i < 3; i++) {
        if (!rn_has_form(message, forms[i])) continue;
        if (r->other_way_line == 0) r->other_way_line = r->log.n_lines;
        r->n_other_ways[i > 0]++;
        return true;
    }
    return false;
}

void rn_log_end_other_ways(rn_nccl_log_reader *r) {
    int64_t n = 0;
    if (r->other_way_line == 0) return;
    for (int32_t i = 0; i < r->log.n_calls; i++) n += r->log.calls[i].n;
    rn_find(
        r->findings, RN_NOTE, r->other_way_line,
        "calls by symmetric kernels: %lld, by the copy engine: %lld, by NCCL's algorithms: %lld",
        (long long)r->n_other_ways[0], (long long)r->n_other_ways[1], (long long)n);
}

bool rn_log_tuning_message(rn_nccl_log_reader *r, const char *message) {
    return call_message(r, message) || table_message(r, message) || other_way(r, message) ||
           strstr(message, "Func/Proto/Algo Matrix") != NULL;
}
