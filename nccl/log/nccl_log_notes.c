/* nccl_log_notes.c: lines of the start: the network and its NICs, what is off and which line says so, who waits for whom;
 * and those that say nothing of use here, by how they begin.
 *
 *     NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [RO]; OOB eth0:10.0.0.4<0>
 *     Using network IB
 *     socketPollConnect: connect returned Connection refused, retrying (3/34) after sleep for 300 msec
 *     #  Rank  0 Group  0 Pid  4711 on node-1 device  0 [0000:0f:00] NVIDIA H100 80GB HBM3     nccl-tests' list
 */
#include "nccl_log.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ the network */

/* NICs in "[0]mlx5_0:1/RoCE [1]mlx5_1:1/IB/SHARP": by what they are. */
static int32_t count_nics(const char *list, const char *end) {
    int32_t n = 0;
    for (const char *at = list; at < end; at++) {
        if (*at != ':' || at[1] < '0' || at[1] > '9') continue;
        const char *kind = at + 1 + strspn(at + 1, "0123456789");
        n += strncmp(kind, "/RoCE", 5) == 0 || strncmp(kind, "/IB", 3) == 0;
    }
    return n;
}

static void take_nics(rn_nccl_log_reader *r, const char *list) {
    rn_nccl_log *log = &r->log;
    const char *end = strchr(list, ';'), *relaxed = strstr(list, " [RO]");
    if (end == NULL) end = list + strlen(list);
    if (relaxed != NULL && relaxed < end) end = relaxed;
    const int32_t n = count_nics(list, end);
    if (n == 0) return;
    if (log->nics_line == 0) {
        while (*list == ' ') list++;
        rn_log_keep_word(log->nics, sizeof log->nics, list, (size_t)(end - list));
        log->nics_line = log->n_lines;
        log->n_seen_nics = n;
        if (strstr(log->nics, "/RoCE") != NULL && strstr(log->nics, "/IB") != NULL) {
            rn_find(
                r->findings, RN_NOTE, log->n_lines,
                "InfiniBand and RoCE among the NICs: one kind does not reach the other; NCCL_IB_HCA chooses");
        }
    } else if (n != log->n_seen_nics && !r->nics_differ) {
        r->nics_differ = true;
        rn_find(
            r->findings, RN_WARNING, log->n_lines,
            "%d NICs are seen here, and %d by the first process that lists them: one may be down, or not in "
            "the container",
            (int)n, (int)log->n_seen_nics);
    }
}

static bool network_message(rn_nccl_log_reader *r, const char *message) {
    rn_nccl_log *log = &r->log;
    const char *at = message;
    if (rn_take(&at, "Using network ")) {
        if (log->network_line == 0) {
            rn_log_keep_word(log->network, sizeof log->network, at, strlen(at));
            log->network_line = log->n_lines;
        } else if (!r->networks_differ && strncmp(log->network, at, sizeof log->network - 1) != 0) {
            r->networks_differ = true;
            char other[RN_LOG_TEXT];
            rn_log_keep_word(other, sizeof other, at, strlen(at));
            rn_find(
                r->findings, RN_WARNING, log->n_lines,
                "network %s here, and %s in line %lld: ranks of two networks may not reach each other; a plugin may "
                "be missing on some nodes",
                other, log->network, (long long)log->network_line);
        }
        return true;
    }
    if (rn_take(&at, "Failed to open libibverbs") ||
        (rn_take(&at, "NET/IB") && strstr(at, "No device found") != NULL)) {
        if (log->no_ib_line == 0) log->no_ib_line = log->n_lines;
        return true;
    }
    at = message;
    if (rn_take(&at, "NET/IB : Using ")) take_nics(r, at);
    if (strstr(message, "GPU Direct RDMA Disabled") == NULL &&
        strstr(message, "disabling GDR") == NULL && strstr(message, "GDR not supported") == NULL) {
        return false;
    }
    if (log->no_gdr_line == 0) log->no_gdr_line = log->n_lines;
    return true;
}

/* ------------------------------------------------------------------ who waits */

static bool waits_message(rn_nccl_log_reader *r, const char *message) {
    const char *why, *end;
    if ((!rn_has_form(message, "Call to connect returned %, retrying") &&
         !rn_has_form(message, "%ocket%Connect: connect %returned %, retrying")) ||
        !rn_find_words(message, " returned ", &why) || !rn_find_words(why, ", retrying", &end)) {
        return false;
    }
    if (r->n_retries++ == 0) {
        r->retry_line = r->log.n_lines;
        rn_log_keep_word(r->retry, sizeof r->retry, why,
                         (size_t)(end - why) - strlen(", retrying"));
    }
    return true;
}

void rn_log_end_waiting(rn_nccl_log_reader *r) {
    enum { TOLD = 8 };
    const rn_log_comm *comms = r->comms;
    int told = 0;
    if (r->n_folds > 0) {
        rn_find(
            r->findings, RN_NOTE, r->fold_line,
            "Ray folds lines that are alike: %lld of them stand for %lld more, so who has no line may have said the same "
            "(RAY_DEDUP_LOGS=0 shows all)",
            (long long)r->n_folds, (long long)r->n_folded);
    }
    if (r->place_line > r->log.network_line && r->n_warnings == 0) /* before it one is tried */
        rn_find(
            r->findings, RN_WARNING, r->place_line,
            "an error went up from here, and the line that says why (NCCL WARN) is not in this text: %s, of which 1 is CUDA's, 2 "
            "the system's, 3 NCCL's own, 4 and 5 a wrong call, 6 another process or the network",
            r->passed);
    if (r->abort_line > 0 && r->place_line == 0 && r->n_warnings == 0)
        rn_find(
            r->findings, RN_WARNING, r->abort_line,
            "its own process aborted this connection (-> 3 in socket.cc): it gave up for something that is not in this text, a "
            "watchdog's timeout or another rank's error: lines of all ranks before it");
    if (r->n_retries > 0) {
        rn_find(
            r->findings, RN_WARNING, r->retry_line,
            "connecting failed and was tried again, %d times: %s. Nobody listens or is reached there: ranks that have "
            "different ids, a process that died, a firewall, an interface that others do not reach",
            (int)r->n_retries, r->retry);
    }
    for (int32_t i = 0; i < r->n_comms && told < TOLD && r->n_folds == 0; i++) {
        char id[17];
        const int32_t n = comms[i].n_started - comms[i].n_complete;
        if (n <= 0) continue;
        snprintf(id, sizeof id, "%016llx", (unsigned long long)comms[i].key);
        rn_find(
            r->findings, RN_WARNING, comms[i].start_line,
            "ranks without Init COMPLETE, of the %d of communicator %s: %d. They wait for others, one has failed, "
            "or the log ends there",
            (int)comms[i].n_ranks, id, (int)n);
        told++;
    }
}

/* ------------------------------------------------------------------ the rest */

void rn_log_take_gpu(rn_nccl_log_reader *r, const char *text) {
    rn_nccl_log *log = &r->log;
    const char *at;
    char name[RN_NCCL_WORD];
    int64_t rank;
    if (!rn_find_words(text, "# ", &at) || !rn_take(&at, "Rank ") ||
        !rn_take_int(&at, RN_LOG_MOST_RANKS - 1, &rank) || rank < 0 ||
        !rn_find_words(at, " Pid ", &at) || !rn_find_words(at, " device ", &at) ||
        !rn_find_words(at, "] ", &at)) {
        return;
    }
    rn_log_keep_word(name, sizeof name, at, strlen(at));
    rn_log_note_loose_ranks(r, rank + 1);
    if (log->gpu_line == 0) {
        memcpy(log->gpu, name, sizeof name);
        log->gpu_line = log->n_lines;
    } else if (strcmp(log->gpu, name) != 0) {
        log->other_gpus = true;
    }
}

/* "misc/socket.cc:64 -> 6": by which functions an error went; 7 is none, a call that goes on. */
static bool take_place(rn_nccl_log_reader *r, const char *message) {
    const size_t n = strcspn(message, " ");
    const char *colon = memchr(message, ':', n);
    if (colon == NULL || colon[1] < '0' || colon[1] > '9' || !rn_has_form(message + n, " -> #"))
        return false;
    if (r->place_line > r->log.network_line || rn_has_form(message + n, " -> 7")) return true;
    if (rn_has_form(message,
                    "%socket.cc:# -> 3")) { /* so it ends where its own process aborts it */
        if (r->abort_line == 0) r->abort_line = r->log.n_lines;
        return true;
    }
    r->place_line = r->log.n_lines;
    rn_log_keep_word(r->passed, sizeof r->passed, message, n + strlen(" -> 6"));
    return true;
}

bool rn_log_note_message(rn_nccl_log_reader *r, const char *message) {
    static const char *const known[] = {
        "Assigned ",      "Bootstrap",     "CC Off",        "CC On",         "Check P2P",
        "Comm config",    "Connected all", "Connected to",  "Connection ",   "Connected NVLS",
        "DMA-BUF",        "ENV/",          "GIN/",          "GPU Direct",    "Initialized ",
        "Kernel version", "MNNVL ",        "NCCL git",      "NET/",          "NVLS ",
        "New proxy ",     "P2P Chunksize", "P2P plugin",    "PROFILER/",     "Plugin Path",
        "RAS client",     "SHARP rank",    "Setting ",      "Successfully ", "Symmetric ",
        "TOPO/",          "TUNER/",        "Using non-",    "[Proxy ",       "comm 0x",
        "cudaDriver",     "dlvsym failed", "ncclCommSplit", "ncclTopoGet",   "threadThresholds"};
    const char *at = message;
    rn_log_note_plugin(r, message);
    if (!r->log.rccl && (strstr(message, "rsmi") != NULL || strstr(message, "librccl") != NULL ||
                         strstr(message, "/rccl/") != NULL || strstr(message, "amdgpu") != NULL))
        rn_log_note_rccl(r);
    if (take_place(r, message)) return true;
    if (waits_message(r, message) || network_message(r, message)) return true;
    if (rn_take(&at, "NVLS multicast support is available")) {
        r->nvls_offered = true;
        return true;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (rn_take(&at, known[i])) return true;
    }
    return strstr(message, "memory stack hunk malloc") != NULL;
}
