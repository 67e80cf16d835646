/* peers.c: who runs where, and what NCCL must be told about it.
 *
 *     every rank says: machine, process, GPU, NCCL's version --> exchange --> the same table in all
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

enum { HOST_BYTES = 64, BOOT_BYTES = 48 };
typedef struct peer {
    char host[HOST_BYTES], boot[BOOT_BYTES]; /* of the machine: its name, and its last start */
    int64_t pid;
    int32_t version; /* of NCCL */
    int32_t device, pci_domain, pci_bus, pci_device;
    char gpu[64];
} peer;

/* ------------------------------------------------------------------ this rank itself */

static void read_machine(peer *own) {
    gethostname(own->host, sizeof own->host - 1);
    FILE *stream = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (stream == NULL) return;
    own->boot[fread(own->boot, 1, sizeof own->boot - 1, stream)] = '\0';
    own->boot[strcspn(own->boot, "\n")] = '\0';
    fclose(stream);
}

static bool same_machine(const peer *a, const peer *b) {
    return strncmp(a->host, b->host, HOST_BYTES) == 0 && strncmp(a->boot, b->boot, BOOT_BYTES) == 0;
}

/* Processes may each see a GPU as number 0 that is another one: only the bus tells. */
static bool same_gpu(const peer *a, const peer *b) {
    return same_machine(a, b) && a->pci_domain == b->pci_domain && a->pci_bus == b->pci_bus &&
           a->pci_device == b->pci_device;
}

static int32_t attribute(int device, enum cudaDeviceAttr which) {
    int value = 0;
    if (cudaDeviceGetAttribute(&value, which, device) != cudaSuccess) cudaGetLastError();
    return value;
}

static rs_status choose_gpu(rg_nccl_world *w, const peer all[], peer *own, rs_error *error) {
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

/* ------------------------------------------------------------------ all ranks */

static void count(rg_nccl_world *w, const peer all[]) {
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

static rs_status check_versions(const rg_nccl_world *w, const peer all[], rs_error *error) {
    for (int32_t r = 1; r < w->ranks.group.n_ranks; r++) {
        if (all[r].version == all[0].version) continue;
        return rs_fail(error, RS_BAD_INPUT,
                       "rank %d has NCCL %d, rank 0 has %d; install the same everywhere", (int)r,
                       (int)all[r].version, (int)all[0].version);
    }
    return RS_OK;
}

static void name_where(rg_nccl_world *w, const peer all[]) {
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

/* What to NCCL is a node: a machine, or each rank that says it is one. */
static void name_library(rg_nccl_world *w) {
    const bool own = w->most_on_a_gpu > 1 && w->nccl.version < RG_NCCL_MULTI_RANK;
    w->ranks.group.library = (rg_library){.version = w->nccl.version,
                                          .n_nodes = getenv("NCCL_HOSTID") != NULL ? 0
                                                     : own ? w->ranks.group.n_ranks
                                                           : w->n_machines};
}

/* All ranks do the same, also those that share no GPU: both ends must agree on the transport. */
static void share_gpus(const rg_nccl_world *w) {
    if (w->most_on_a_gpu < 2) return;
    if (w->nccl.version >= RG_NCCL_MULTI_RANK) {
        setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", 0);
        return;
    }
    char name[32];
    snprintf(name, sizeof name, "ringsim-rank%d", (int)w->ranks.rank);
    setenv("NCCL_HOSTID", name, 0);
    setenv("NCCL_NET", "Socket", 0);
    if (w->n_machines == 1) setenv("NCCL_SOCKET_IFNAME", "lo", 0);
    setenv("NCCL_IB_DISABLE", "1", 0);
    setenv("NCCL_P2P_DISABLE", "1", 0);
    setenv("NCCL_SHM_DISABLE", "1", 0);
    setenv("NCCL_MNNVL_ENABLE", "0", 0);
}

/* All ranks have the same table of peers. */
rs_status rg_nccl_place(rg_nccl_world *w, rs_error *error) {
    const int32_t n = w->ranks.group.n_ranks;
    peer own = {.pid = getpid(), .version = w->nccl.version};
    peer *all = calloc((size_t)n, sizeof *all);
    w->ranks.pids = calloc((size_t)n, sizeof *w->ranks.pids);
    if (all == NULL || w->ranks.pids == NULL) {
        free(all);
        return rs_no_memory(error);
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
        name_where(w, all);
        name_library(w);
        share_gpus(w);
    }
    free(all);
    return status;
}
