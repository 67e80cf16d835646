/* nccl_log_coll.c: COLL lines: calls that are alike are one sum.
 *
 *     AllReduce: opCount f7 sendbuff 0x7f.. recvbuff 0x7f.. count 512 datatype 7 op 0 root 0 comm 0x55.. [nranks=16] stream 0x..
 */
#include "nccl_log.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TYPES = 12 };

int32_t rn_nccl_type_bytes(int32_t datatype) {
    static const int32_t bytes[MOST_TYPES] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
    return datatype >= 0 && datatype < MOST_TYPES ? bytes[datatype] : 0;
}

const char *rn_nccl_type_name(int32_t datatype) {
    static const char *const names[MOST_TYPES] = {"int8",    "uint8",    "int32",   "uint32",
                                                  "int64",   "uint64",   "float16", "float32",
                                                  "float64", "bfloat16", "fp8e4m3", "fp8e5m2"};
    return datatype >= 0 && datatype < MOST_TYPES ? names[datatype] : "?";
}

static void sum_up(rn_nccl_log_reader *r, const rn_nccl_sum *call) {
    char key[64];
    rn_nccl_sum *list = r->sums.list;
    const size_t n = (size_t)snprintf(key, sizeof key, "%s %d %lld", call->name,
                                      (int)call->datatype, (long long)call->count);
    const int64_t known = rs_text_find(&r->sum_keys, key, n);
    r->log.n_coll_lines++;
    if (known != RS_NO_TEXT) {
        list[known].n++;
        return;
    }
    if (r->sums.n == RN_LOG_MOST_SUMS) {
        r->log.n_unsummed++;
        return;
    }
    rn_nccl_sum *kept = rn_grow(r, &r->sums, sizeof *kept);
    if (kept == NULL) return;
    *kept = *call;
    r->failed = r->failed || rs_text_kept(&r->sum_keys, key, n) == RS_NO_TEXT;
}

bool rn_log_coll_message(rn_nccl_log_reader *r, const char *message) {
    const char *at = message, *behind;
    int64_t datatype;
    rn_nccl_sum call = {.n = 1, .line = r->log.n_lines};
    while (*at == ' ') at++;
    const size_t n = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    if (n == 0 || n >= sizeof call.name || strncmp(at + n, ": opCount ", 10) != 0) return false;
    memcpy(call.name, at, n);
    if (!rn_log_find(at, " count ", &behind) ||
        !rn_take_int(&behind, INT64_MAX / 16, &call.count) || call.count < 0 ||
        !rn_log_find(behind, "datatype ", &behind) || !rn_take_int(&behind, INT32_MAX, &datatype) ||
        datatype < 0) {
        return true; /* cut behind its head */
    }
    int64_t n_ranks;
    if (r->comms.n == 0 && rn_log_find(behind, "[nranks=", &behind) &&
        rn_take_int(&behind, RN_LOG_MOST_RANKS, &n_ranks)) {
        rn_log_note_loose_ranks(r, n_ranks);
    }
    call.datatype = (int32_t)datatype;
    sum_up(r, &call);
    return true;
}
