/* cards.c: who runs where, and what NCCL must be told about it.
 *
 *     every rank's card: machine, process, GPU, NCCL's version --> exchange --> the same table in all
 *
 *   - A rank takes the GPU (its place among the ranks of its machine) mod (GPUs that it sees there); the
 *     place is LOCAL_RANK, where the launcher sets it.
 *   - Several ranks on one GPU: NCCL before 2.30 refuses that on one machine. So each process says that
 *     it is a machine of its own (NCCL_HOSTID), and messages go through sockets of the loopback. That
 *     is for correctness only. From 2.30 on NCCL allows it, when asked.
 *   - A rank never overwrites what the user has set.
 */
#include "nccl/nccl_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOST_BYTES = 64, BOOT_BYTES = 48, ROUND_TRIPS = 32, AGREE_MS = 1500 };
typedef struct card {
    char host[HOST_BYTES], boot[BOOT_BYTES]; /* of the machine: its name, and its last start */
    int64_t pid;
    int32_t version; /* of NCCL */
    int32_t device, pci_domain, pci_bus, pci_device;
    char gpu[64];
} card;

/* ------------------------------------------------------------------ votes before there is a job */

typedef struct opinion {
    int32_t status, waited; /* waited: this rank only knows that another did not answer */
    char text[RS_ERROR_TEXT];
} opinion;

/* Chooses the reason to report: our own, or that of a rank that knows more. -1: no rank failed. */
static int32_t choose_opinion(const opinion all[], int32_t n, int32_t own) {
    int32_t chosen = all[own].status != RS_OK ? own : -1;
    for (int32_t r = 0; r < n; r++) {
        if (all[r].status == RS_OK) continue;
        if (chosen < 0 || (all[chosen].waited && !all[r].waited)) chosen = r;
    }
    return chosen;
}

/* A rank that fails comes here at once, the others when their time is over: so it waits for them. */
rs_status rg_nccl_agree(rg_nccl_world *w, rs_status own, rs_error *error) {
    const int32_t n = w->ranks.group.n_ranks;
    opinion mine = {(int32_t)own, w->waited, ""}, *all = calloc((size_t)n, sizeof *all);
    if (own != RS_OK) snprintf(mine.text, sizeof mine.text, "%s", error->text);
    if (all == NULL) return rs_fail(error, RS_NO_MEMORY, "no memory for a group");
    const int32_t ms = w->ranks.timeout_ms + AGREE_MS;
    rs_status status = rg_exchange(w->bootstrap, &mine, sizeof mine, all, ms, error);
    const int32_t r = status == RS_OK ? choose_opinion(all, n, w->ranks.rank) : -1;
    if (r >= 0) {
        all[r].text[RS_ERROR_TEXT - 1] = '\0';
        status = r == w->ranks.rank ? rs_fail(error, own, "%s", mine.text)
                                    : rs_fail(error, (rs_status)all[r].status, "rank %d: %.480s",
                                              (int)r, all[r].text);
    }
    free(all);
    return status;
}

/* ------------------------------------------------------------------ this rank's card */

static void read_machine(card *own) {
    gethostname(own->host, sizeof own->host - 1);
    FILE *stream = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (stream == NULL) return;
    own->boot[fread(own->boot, 1, sizeof own->boot - 1, stream)] = '\0';
    own->boot[strcspn(own->boot, "\n")] = '\0';
    fclose(stream);
}

static bool same_machine(const card *a, const card *b) {
    return strncmp(a->host, b->host, HOST_BYTES) == 0 && strncmp(a->boot, b->boot, BOOT_BYTES) == 0;
}

/* Processes may each see a GPU as number 0 that is another one: only the bus tells. */
static bool same_gpu(const card *a, const card *b) {
    return same_machine(a, b) && a->pci_domain == b->pci_domain && a->pci_bus == b->pci_bus &&
           a->pci_device == b->pci_device;
}

static int32_t attribute(int device, enum cudaDeviceAttr which) {
    int value = 0;
    if (cudaDeviceGetAttribute(&value, which, device) != cudaSuccess) cudaGetLastError();
    return value;
}

static rs_status choose_gpu(rg_nccl_world *w, const card all[], card *own, rs_error *error) {
    int n = 0;
    int32_t place = 0;
    if (!rg_devices_there(&n, error)) return RS_UNSUPPORTED;
    for (int32_t r = 0; r < w->ranks.rank; r++) place += same_machine(&all[r], own);
    if (rg_launch_env_local_rank() >= 0) place = rg_launch_env_local_rank();
    struct cudaDeviceProp properties;
    w->device = place % n;
    const bool good = RG_CUDA(w, cudaSetDevice(w->device)) &&
                      RG_CUDA(w, cudaGetDeviceProperties(&properties, w->device)) &&
                      RG_CUDA(w, cudaStreamCreateWithFlags(&w->stream, cudaStreamNonBlocking));
    if (!good) return rg_nccl_refuse(w, error);
    snprintf(w->gpu, sizeof w->gpu, "%.63s", properties.name);
    memcpy(own->gpu, w->gpu, sizeof own->gpu);
    w->n_sms = attribute(w->device, cudaDevAttrMultiProcessorCount);
    own->device = w->device;
    own->pci_domain = attribute(w->device, cudaDevAttrPciDomainId);
    own->pci_bus = attribute(w->device, cudaDevAttrPciBusId);
    own->pci_device = attribute(w->device, cudaDevAttrPciDeviceId);
    return RS_OK;
}

/* ------------------------------------------------------------------ all cards */

static void count(rg_nccl_world *w, const card all[]) {
    const int32_t n = w->ranks.group.n_ranks;
    w->n_gpus = w->n_machines = w->most_on_a_gpu = w->ranks.n_pids = 0;
    for (int32_t r = 0; r < n; r++) {
        int32_t first_of_machine = r, first_of_gpu = r, on_it = 0;
        for (int32_t k = n - 1; k >= 0; k--) {
            if (same_machine(&all[k], &all[r])) first_of_machine = k;
            if (same_gpu(&all[k], &all[r])) first_of_gpu = k, on_it++;
        }
        w->n_machines += first_of_machine == r;
        w->n_gpus += first_of_gpu == r;
        if (on_it > w->most_on_a_gpu) w->most_on_a_gpu = on_it;
        if (first_of_machine == 0) w->ranks.pids[w->ranks.n_pids++] = all[r].pid;
    }
}

static rs_status check_versions(const rg_nccl_world *w, const card all[], rs_error *error) {
    for (int32_t r = 1; r < w->ranks.group.n_ranks; r++) {
        if (all[r].version == all[0].version) continue;
        return rs_fail(error, RS_BAD_INPUT,
                       "rank %d has NCCL %d, rank 0 has %d; install the same everywhere", (int)r,
                       (int)all[r].version, (int)all[0].version);
    }
    return RS_OK;
}

static void tell_where(rg_nccl_world *w, const card all[]) {
    char *out = w->ranks.group.where, place[80] = "";
    bool alike = true;
    const int32_t n = w->ranks.group.n_ranks;
    for (int32_t r = 1; r < n; r++) alike = alike && strncmp(all[r].gpu, all[0].gpu, 64) == 0;
    if (w->n_machines > 1) {
        snprintf(place, sizeof place, "%d machines", (int)w->n_machines);
    } else {
        snprintf(place, sizeof place, "%.60s", all[0].host);
    }
    snprintf(out, sizeof w->ranks.group.where, "%d process%s on %d%s %.40s of %.50s, NCCL %s",
             (int)n, n == 1 ? "" : "es", (int)w->n_gpus, w->n_gpus == 1 ? "" : " x",
             alike ? w->gpu : "different GPUs", place, w->nccl.version_text);
}

/* ------------------------------------------------------------------ what NCCL must know */

static void wish(const char *name, const char *value) {
    setenv(name, value, 0);
}

/* All ranks do the same, also those that share no GPU: both ends must agree on the transport. */
static void share_gpus(const rg_nccl_world *w) {
    if (w->most_on_a_gpu < 2) return;
    if (w->nccl.version >= RG_NCCL_MULTI_RANK) {
        wish("NCCL_MULTI_RANK_GPU_ENABLE", "1");
        return;
    }
    char name[32];
    snprintf(name, sizeof name, "ringsim-rank%d", (int)w->ranks.rank);
    wish("NCCL_HOSTID", name);
    wish("NCCL_NET", "Socket");
    if (w->n_machines == 1) wish("NCCL_SOCKET_IFNAME", "lo");
    wish("NCCL_IB_DISABLE", "1");
    wish("NCCL_P2P_DISABLE", "1");
    wish("NCCL_SHM_DISABLE", "1");
    wish("NCCL_MNNVL_ENABLE", "0");
}

/* All ranks have the same table of cards. */
rs_status rg_nccl_place(rg_nccl_world *w, rs_error *error) {
    const int32_t n = w->ranks.group.n_ranks;
    card own = {.pid = getpid(), .version = w->nccl.version};
    card *all = calloc((size_t)n, sizeof *all);
    w->ranks.pids = calloc((size_t)n, sizeof *w->ranks.pids);
    if (all == NULL || w->ranks.pids == NULL) {
        free(all);
        return rs_fail(error, RS_NO_MEMORY, "no memory for a group");
    }
    read_machine(&own);
    const int32_t ms = w->ranks.timeout_ms;
    rs_status status = rg_exchange(w->bootstrap, &own, sizeof own, all, ms, error);
    if (status == RS_OK) {
        status = rg_nccl_agree(w, choose_gpu(w, all, &own, error), error);
        if (status == RS_OK) {
            status = rg_exchange(w->bootstrap, &own, sizeof own, all, ms, error);
        }
    }
    if (status == RS_OK) status = check_versions(w, all, error);
    if (status == RS_OK) {
        count(w, all);
        tell_where(w, all);
        share_gpus(w);
    }
    free(all);
    return status;
}

/* ------------------------------------------------------------------ clocks of other machines */

/* Exchanges in a row. Rank 0 ends one only after it has heard of rank r, and rank r only after it has
   heard of rank 0:

       rank r   enter -----\            /----> leave       ahead >= enter - leave of rank 0
       rank 0               \-> leave -/                   ahead <= leave - leave of rank 0, nearly

   The tightest of all rounds is taken, the middle of it; half the quickest way is the error. */
int64_t rg_nccl_compare_clocks(rg_nccl_world *w) {
    typedef struct trip {
        int64_t enter_ps, leave_ps;
    } trip;
    const int32_t n = w->ranks.group.n_ranks;
    trip last = {0, 0}, *all = calloc((size_t)n, sizeof *all);
    int64_t least = INT64_MIN, most = INT64_MAX;
    for (int i = 0; i <= ROUND_TRIPS && all != NULL; i++) {
        rs_error error;
        const int64_t enter_ps = rg_now_ps();
        if (rg_exchange(w->bootstrap, &last, sizeof last, all, w->ranks.timeout_ms, &error)) break;
        if (i > 0) { /* what came is of the round before */
            const int64_t low = last.enter_ps - all[0].leave_ps;
            const int64_t high = last.leave_ps - all[0].leave_ps;
            if (low > least) least = low;
            if (high < most) most = high;
        }
        last = (trip){enter_ps, rg_now_ps()};
    }
    free(all);
    return w->n_machines == 1 || least == INT64_MIN ? 0 : least + (most - least) / 2;
}
