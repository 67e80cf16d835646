/* nccl_log_init.c: who communicates: version, communicators and their ranks, settings, channels, transports.
 *
 *     ncclCommInitRank comm 0x5f rank 2 nranks 8 cudaDev 2 ... commId 0x9 - Init START
 *     comm 0x5f rank 2 nRanks 8 nNodes 1 localRanks 8 localRank 2 MNNVL 0
 *     NCCL_ALGO set by environment to Ring.
 *     24 coll channels, 24 collnet channels, 16 nvls channels, 32 p2p channels, ...
 *     Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM
 */
#include "nccl_line.h"
#include "nccl_log.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ COLL lines */

/* COLL lines: calls that are alike are one sum.
 *
 *     AllReduce: opCount f7 sendbuff 0x7f.. recvbuff 0x7f.. count 512 datatype 7 op 0 root 0 comm 0x55.. [nranks=16] stream 0x..
 */

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
    const size_t n = (size_t)snprintf(key, sizeof key, "%s %d %lld", call->name,
                                      (int)call->datatype, (long long)call->count);
    const int64_t known = rs_text_find(&r->sum_keys, key, n);
    r->log.n_coll_lines++;
    if (known != RS_NO_TEXT) {
        r->log.sums[known].n++;
        return;
    }
    if (r->log.n_sums == RN_LOG_MOST_SUMS) {
        r->log.n_unsummed++;
        return;
    }
    rn_nccl_sum *kept = rn_log_add(r, r->log.sums, r->log.n_sums, r->sum_room);
    if (kept == NULL) return;
    *kept = *call;
    rs_text_kept(&r->sum_keys, key, n);
}

bool rn_log_coll_message(rn_nccl_log_reader *r, const char *message) {
    rn_nccl_sum call = {.n = 1, .line = r->log.n_lines};
    rn_nccl_launch said;
    message += strspn(message, " ");
    if (!rn_nccl_read_launch(message, &said) || said.n_name >= sizeof call.name) return false;
    if (said.count < 0 || said.count > INT64_MAX / 16 || said.datatype < 0 ||
        said.datatype > INT32_MAX) {
        return true; /* cut behind its head */
    }
    if (r->n_comms == 0) rn_log_note_loose_ranks(r, said.n_ranks);
    memcpy(call.name, message, said.n_name);
    call.count = said.count;
    call.datatype = (int32_t)said.datatype;
    sum_up(r, &call);
    return true;
}

/* ------------------------------------------------------------------ version */

void rn_log_note_rccl(rn_nccl_log_reader *r) {
    if (!r->log.rccl)
        rn_find(r->findings, RN_NOTE, r->log.n_lines,
                "this is RCCL, whose tables are its own: nothing is computed from NCCL's model");
    r->log.rccl = true;
}

static bool version_message(rn_nccl_log_reader *r, const char *message) {
    const char *at;
    int32_t version;
    char own[16], other[16];
    at = message;
    if (rn_take(&at, "RCCL") ||
        rn_find_words(message, "RCCL version", &at)) { /* or a setting of its own */
        rn_log_note_rccl(r);
        return true;
    }
    if (!rn_find_words(message, "NCCL version ", &at) || !rn_nccl_read_version(at, &version))
        return false;
    if (r->log.version == 0) {
        r->log.version = version;
        r->log.version_line = r->log.n_lines;
        if (version > RN_NCCL_NEWEST) {
            rn_find(r->findings, RN_NOTE, r->log.n_lines,
                    "NCCL %s is newer than 2.30: unchecked, by the last known constants",
                    rn_nccl_version_text(version, own));
        }
    } else if (version != r->log.version) {
        rn_find(r->findings, RN_ERROR, r->log.n_lines, "two versions of NCCL in one job: %s and %s",
                rn_nccl_version_text(r->log.version, own), rn_nccl_version_text(version, other));
    }
    return true;
}

/* ------------------------------------------------------------------ communicators */

/* Returns the communicator of that key among n_ranks, new where there was none; RN_LOG_OTHER_COMM: there are too many. */
static int32_t find_comm(rn_nccl_log_reader *r, uint64_t key, int32_t n_ranks) {
    const uint64_t both[] = {key, (uint64_t)n_ranks};
    const int64_t known = rs_text_find(&r->comm_keys, both, sizeof both);
    if (known != RS_NO_TEXT) return (int32_t)known;
    r->log.n_comms++;
    if (r->n_comms == RN_LOG_MOST_COMMS) return RN_LOG_OTHER_COMM;
    rn_log_comm *comm = rn_log_add(r, r->comms, r->n_comms, r->comm_room);
    if (comm == NULL) return RN_LOG_OTHER_COMM;
    *comm = (rn_log_comm){.key = key, .n_ranks = n_ranks, .line = r->log.n_lines};
    rs_text_kept(&r->comm_keys, both, sizeof both);
    return r->n_comms - 1;
}

static void note_thread(rn_nccl_log_reader *r, int32_t comm) {
    r->comm = comm;
    if (r->thread != 0) rn_log_note_thread(r, r->thread, comm);
}

/* The communicator of a line without an id: the thread's own, else the last one of so many ranks, else a new one. */
static int32_t find_nameless(rn_nccl_log_reader *r, int32_t n_ranks) {
    enum { LOOKED_AT = 64 };
    const rn_log_comm *comms = r->comms;
    if (r->comm >= 0 && comms[r->comm].n_ranks == n_ranks) return r->comm;
    for (int32_t i = r->n_comms; i-- > 0 && i >= r->n_comms - LOOKED_AT;) {
        if (comms[i].n_ranks == n_ranks) return i;
    }
    return find_comm(r, 0, n_ranks);
}

/* Counts the hosts that a communicator's ranks are on: a host's first line of it. */
static void count_host(rn_nccl_log_reader *r) {
    if (r->thread == 0 || r->head == NULL) return;
    uint64_t hash = rs_hash((uint64_t)r->comm, r->head, strcspn(r->head, ": "));
    hash |= (uint64_t)1 << 63; /* beside threads, whom it may meet by chance only */
    if (rn_log_find_thread(r, hash) != NULL) return;
    rn_log_note_thread(r, hash, r->comm);
    r->comms[r->comm].n_hosts++;
}

/* Counts who began and who ended; of a line that is cut before it says so the better is believed. */
static void count_state(rn_nccl_log_reader *r, const char *at) {
    rn_log_comm *comm = &r->comms[r->comm];
    if (strstr(at, "- Init START") != NULL) {
        comm->n_started++;
        comm->start_line = r->log.n_lines;
    } else if (strstr(at, "- Init COMPLETE") != NULL || strstr(at, " COMPLETE") == NULL) {
        comm->n_complete++;
    }
}

/* "Init timings - ncclCommInitRank: rank 5 nranks 16 total 1.58": that there are so many ranks is all that a cut log may
   have; and one process of several GPUs, of 2.4: "nranks 8". */
static bool loose_message(rn_nccl_log_reader *r, const char *message) {
    const char *at = message;
    int64_t n_ranks;
    const bool timings = rn_take(&at, "Init timings"), bare = rn_take(&at, "nranks ");
    if (!timings && !bare && !rn_take(&at, "rank ")) return false;
    if ((!bare && !rn_find_words(at, " nranks ", &at)) ||
        !rn_take_int(&at, RN_LOG_MOST_RANKS, &n_ranks)) {
        return timings;
    }
    rn_log_note_loose_ranks(r, n_ranks);
    return true;
}

static bool comm_message(rn_nccl_log_reader *r, const char *message) {
    const char *at, *id;
    int64_t rank, n_ranks, n_nodes;
    if (!rn_find_words(message, "comm 0x", &at)) return loose_message(r, message);
    if (!rn_find_words(at, " rank ", &at) || !rn_take_int(&at, RN_LOG_MOST_RANKS, &rank))
        return false;
    const bool with_nodes = rn_take(&at, "nRanks ");
    if (!with_nodes && !rn_take(&at, "nranks ")) return false;
    if (!rn_take_int(&at, RN_LOG_MOST_RANKS, &n_ranks) || n_ranks < 1) return false;
    if (rank < 0 || rank >= n_ranks) return false;
    if (with_nodes) {
        if (!rn_take(&at, "nNodes ") || !rn_take_int(&at, n_ranks, &n_nodes) || n_nodes < 1) {
            return false;
        }
        const rn_log_comm *comms = r->comms;
        if (r->comm < 0 || comms[r->comm].n_ranks != (int32_t)n_ranks) {
            note_thread(r, find_nameless(r, (int32_t)n_ranks));
        }
        if (strstr(at, " MNNVL 1") != NULL) r->log.mnnvl = true;
        if (r->comm < 0) return true;
        rn_log_comm *comm = &r->comms[r->comm];
        if (comm->n_nodes == 0) {
            comm->n_nodes = (int32_t)n_nodes;
            comm->nodes_line = r->log.n_lines;
        }
    } else {
        uint64_t key = 0;
        if (rn_find_words(at, "commId ", &id) || rn_find_words(at, "commHash ", &id)) {
            rn_take(&id, "0x");
            rn_take_hex(&id, 16, &key);
        }
        note_thread(r, key != 0 ? find_comm(r, key, (int32_t)n_ranks)
                                : find_nameless(r, (int32_t)n_ranks));
        if (r->comm >= 0) count_state(r, at);
    }
    if (r->comm >= 0) {
        rn_log_add_place(r, &r->heard, 0, 0, (int32_t)rank, -1, -1);
        count_host(r);
        rn_log_note_host(r, (int32_t)rank);
    }
    return true;
}

/* ------------------------------------------------------------------ settings */

/* Goes to what stands behind NAME: "NCCL_ALGO set by environment to Ring.", "NET/OFI Adding NCCL_PROTO=simple to
   environment", "NET/OFI Setting NCCL_PROTO to "simple"". Returns how many bytes the value has, -1: no setting. */
static int find_value(const char *rest, bool plugin, const char **value) {
    const char *end = rest + strlen(rest), *behind;
    if (!plugin && !rn_take(&rest, "set by environment to ") && !rn_take(&rest, "set to ")) {
        return -1;
    }
    if (plugin && *rest == '=' && rn_find_words(rest, " to environment", &behind)) {
        end = behind - strlen(" to environment");
        rest++;
    } else if (plugin && !rn_take(&rest, "to ")) {
        return -1;
    }
    if (*rest == '"' && end > rest + 1 && end[-1] == '"') {
        rest++;
        end--;
    }
    if (end > rest && end[-1] == '.') end--;
    *value = rest;
    return (int)(end - rest);
}

static bool setting_message(rn_nccl_log_reader *r, const char *message) {
    const char *value, *at = message;
    while (*at == ' ') at++;
    const bool plugin = rn_take(&at, "NET/OFI Adding ") || rn_take(&at, "NET/OFI Setting ");
    if (strncmp(at, "NCCL_", 5) != 0) return false;
    const size_t n_name = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    const int n_value = find_value(at + n_name, plugin, &value);
    if (n_value < 0) return false;
    rn_nccl_setting *list = r->log.settings;
    rn_nccl_setting said = {.line = r->log.n_lines, .plugin = plugin};
    rn_log_keep_word(said.name, sizeof said.name, at, n_name);
    rn_log_keep_word(said.value, sizeof said.value, value, (size_t)n_value);
    for (int32_t i = 0; i < r->log.n_settings; i++) { /* every rank says it */
        if (strcmp(list[i].name, said.name) != 0 || strcmp(list[i].value, said.value) != 0)
            continue;
        list[i].plugin = list[i].plugin || plugin;
        return true;
    }
    if (r->log.n_settings == RN_LOG_MOST_CHANNELS) return true;
    rn_nccl_setting *kept = rn_log_add(r, r->log.settings, r->log.n_settings, r->setting_room);
    if (kept != NULL) *kept = said;
    return true;
}

/* ------------------------------------------------------------------ channels, multicast */

static bool channels_message(rn_nccl_log_reader *r, const char *message) {
    const char *at = message;
    int64_t n, nvls = -1, more;
    if (!rn_take_int(&at, 4096, &n) || !rn_take(&at, "coll channels")) return false;
    while (rn_take(&at, ",") && rn_take_int(&at, 4096, &more)) {
        if (rn_take(&at, "nvls channels")) {
            nvls = more;
        } else if (!rn_take(&at, "collnet channels") && !rn_take(&at, "p2p channels per peer") &&
                   !rn_take(&at, "p2p channels")) {
            break;
        }
    }
    const rn_log_comm *comms = r->comms;
    const bool larger = r->comm >= 0 && comms[r->comm].n_ranks > r->log.n_ranks;
    if (r->log.channels_line != 0 && !larger) return true;
    if (r->comm >= 0) r->log.n_ranks = comms[r->comm].n_ranks;
    r->log.n_coll_channels = (int32_t)n;
    r->log.n_nvls_channels = (int32_t)nvls;
    r->log.channels_line = r->log.n_lines;
    return true;
}

bool rn_log_init_message(rn_nccl_log_reader *r, const char *message) {
    return version_message(r, message) || comm_message(r, message) || setting_message(r, message) ||
           channels_message(r, message);
}
