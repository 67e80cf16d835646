/* nccl_names.c: NCCL's words for collectives, algorithms, protocols, paths and versions, in all spellings that its logs and
 * files have had. */
#include "ringsim_tuning.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Name and title, in the order of their enums. */
static const char *const algorithms[RN_NCCL_N_ALGORITHMS][2] = {{"tree", "Tree"},
                                                                {"ring", "Ring"},
                                                                {"collnet_direct", "CollNetDirect"},
                                                                {"collnet_chain", "CollNetChain"},
                                                                {"nvls", "NVLS"},
                                                                {"nvls_tree", "NVLSTree"},
                                                                {"pat", "PAT"}};
static const char *const protocols[RN_NCCL_N_PROTOCOLS][2] = {
    {"ll", "LL"}, {"ll128", "LL128"}, {"simple", "Simple"}};
static const char *const collectives[RS_N_COLLECTIVES][2] = {
    [RS_COLL_ALL_REDUCE] = {"allreduce", "AllReduce"},
    [RS_COLL_REDUCE_SCATTER] = {"reducescatter", "ReduceScatter"},
    [RS_COLL_ALL_GATHER] = {"allgather", "AllGather"},
    [RS_COLL_BROADCAST] = {"broadcast", "Broadcast"},
    [RS_COLL_REDUCE] = {"reduce", "Reduce"},
    [RS_COLL_ALL_TO_ALL] = {"alltoall", "AlltoAll"},
};
static const char *const paths[RN_N_PATHS] = {"LOC", "NVL", "NVB", "C2C", "PIX", "PXB",
                                              "P2C", "PXN", "PHB", "SYS", "NET", "DIS"};

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Compares letters and digits only, in any case. */
static bool same_word(const char *word, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '_' || text[i] == '-') continue;
        while (*word == '_') word++;
        if (*word == '\0' || lower(*word) != lower(text[i])) return false;
        word++;
    }
    return *word == '\0' && n > 0;
}

/* Finds a text among n_words, of which each step-th is one. */
static int find(const char *const words[], int n_words, int step, const char *text, size_t n) {
    for (int i = 0; i < n_words; i++) {
        if (same_word(words[i * step], text, n)) return i;
    }
    return -1;
}

/* What is asked of each list of names. */
#define NAMED(what, type, list)                                                                    \
    const char *rn_nccl_##what##_name(type one) {                                                  \
        assert(one < sizeof list / sizeof *list);                                                  \
        return list[one][0];                                                                       \
    }                                                                                              \
    const char *rn_nccl_##what##_title(type one) {                                                 \
        assert(one < sizeof list / sizeof *list);                                                  \
        return list[one][1];                                                                       \
    }                                                                                              \
    bool rn_nccl_find_##what(const char *name, size_t n, type *one) {                              \
        const int found = find(list[0], sizeof list / sizeof *list, 2, name, n);                   \
        if (found >= 0) *one = (type)found;                                                        \
        return found >= 0;                                                                         \
    }                                                                                              \
    _Static_assert(1, "")
NAMED(algorithm, rn_nccl_algorithm, algorithms);
NAMED(protocol, rn_nccl_protocol, protocols);
NAMED(collective, rs_collective, collectives);

const char *rn_nccl_path_name(rn_nccl_path path) {
    assert(path < RN_N_PATHS);
    return paths[path];
}

bool rn_nccl_find_path(const char *name, size_t n, rn_nccl_path *path) {
    const int found = find(paths, RN_N_PATHS, 1, name, n);
    if (found >= 0) *path = (rn_nccl_path)found;
    return found >= 0;
}

bool rn_nccl_has(rs_collective collective, rn_nccl_algorithm a, rn_nccl_protocol p) {
    if (p != RN_NCCL_SIMPLE && a != RN_NCCL_TREE && a != RN_NCCL_RING) return false;
    if (collective == RS_COLL_ALL_REDUCE) return a != RN_NCCL_PAT;
    if (collective == RS_COLL_ALL_TO_ALL) return false;
    if (a == RN_NCCL_RING) return true;
    return !rs_collective_rooted(collective) &&
           (a == RN_NCCL_PAT || a == RN_NCCL_NVLS || a == RN_NCCL_COLLNET_DIRECT);
}

/* ------------------------------------------------------------------ versions */

bool rn_nccl_read_version(const char *text, int32_t *version) {
    int32_t part[3] = {0, 0, 0};
    int n_parts = 0;
    for (bool more = true; more && n_parts < 3; n_parts++) {
        const size_t n = strspn(text, "0123456789");
        if (n == 0 || n > 5) return false;
        part[n_parts] = (int32_t)strtol(text, NULL, 10);
        text += n;
        more = *text == '.';
        text += more;
    }
    const bool dotted = n_parts > 1 && part[0] <= 9 && part[1] <= 99 && part[2] <= 99;
    /* 22907, and nothing behind it */
    if (!dotted && (n_parts > 1 || part[0] < 10000 || *text != '\0')) return false;
    *version = dotted ? part[0] * 10000 + part[1] * 100 + part[2] : part[0];
    return true;
}

/* Until 2.8.9 the minor number had one digit: 2809. */
char *rn_nccl_version_text(int32_t version, char out[16]) {
    const int v = version < 10000 ? version / 1000 * 10000 + version % 1000 : version;
    snprintf(out, 16, "%d.%d.%d", v / 10000 % 100, v / 100 % 100, v % 100);
    return out;
}

bool rn_nccl_checked(int32_t version) {
    return version >= RN_NCCL_OLDEST && version <= RN_NCCL_NEWEST;
}
