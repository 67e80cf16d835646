/* init.c: communicators: how they come to be, how they end, and how they are.
 *
 *     ncclCommInitRank(Config)      listens, connects with everybody, then looks for duplicates of a GPU
 *     ncclCommGetAsyncError         also drives what a non-blocking communicator is doing
 *     ncclCommFinalize, -Destroy    wait for the kernels; -Abort ends them
 */
#include "nccl_emu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static const char id_magic[8] = "EMUNCCL";
enum { CONFIG_MAGIC = (int)0xcafebeef, ASKED_AT_LEAST = 2 };

pthread_mutex_t en_lock = PTHREAD_MUTEX_INITIALIZER;

ncclResult_t ncclGetUniqueId(ncclUniqueId *uniqueId) {
    pthread_mutex_lock(&en_lock);
    ncclResult_t result = en_fail("ncclGetUniqueId", -1);
    if (result == ncclSuccess) {
        memset(uniqueId, 0, sizeof *uniqueId);
        memcpy(uniqueId->internal, id_magic, sizeof id_magic);
        if (getrandom(uniqueId->internal + sizeof id_magic, EN_TOKEN_BYTES, 0) < 0) {
            result = en_warn(ncclSystemError, "getrandom: %s", strerror(errno));
        }
    }
    pthread_mutex_unlock(&en_lock);
    return result;
}

/* ------------------------------------------------------------------ being made */

static uint64_t hash(const char *text) {
    uint64_t h = 14695981039346656037u;
    for (; *text != '\0'; text++) h = (h ^ (unsigned char)*text) * 1099511628211u;
    return h;
}

/* Most variables are read once a process, as NCCL reads them: later changes change nothing. */
static struct {
    bool read, one_channel, through_sockets;
    uint64_t host;
} params;

static uint64_t host_hash(void) {
    char name[256] = "";
    const char *frame = getenv("NCCL_HOSTID");
    if (frame != NULL && frame[0] != '\0') return hash(frame);
    gethostname(name, sizeof name - 1);
    return hash(name);
}

/* The ring's order of ranks; what the fault does not name keeps its place at the end. */
static void read_ring(struct ncclComm *comm) {
    bool taken[EN_MOST_RANKS] = {false};
    int n = 0;
    const char *text = getenv("EMU_NCCL_RING");
    for (char *end = NULL; text != NULL && n < comm->n_ranks; text = end) {
        const long r = strtol(text, &end, 10);
        if (end == text || r < 0 || r >= comm->n_ranks || taken[r]) break;
        taken[comm->ring[n++] = (int)r] = true;
        while (*end == ',' || *end == ' ') end++;
    }
    for (int r = 0; r < comm->n_ranks; r++) {
        if (!taken[r]) comm->ring[n++] = r;
    }
}

static void read_params(void) {
    if (params.read) return;
    params.read = true;
    params.host = host_hash();
    params.one_channel = en_is_set("NCCL_MAX_NCHANNELS", "1");
    params.through_sockets =
        en_is_set("NCCL_P2P_DISABLE", "1") && en_is_set("NCCL_SHM_DISABLE", "1");
}

static ncclResult_t read_config(struct ncclComm *comm, const ncclConfig_t *config) {
    comm->blocking = true;
    read_params();
    comm->one_channel = params.one_channel;
    comm->through_sockets = params.through_sockets;
    comm->host = params.host;
    /* NCCL_ALGO and NCCL_PROTO, however, for each communicator. */
    const bool ring = en_is_set("NCCL_ALGO", "Ring") || en_is_set("NCCL_ALGO", "RING");
    const bool simple = en_is_set("NCCL_PROTO", "Simple") || en_is_set("NCCL_PROTO", "SIMPLE");
    comm->simple_ring = ring && simple && !en_is_set("EMU_NCCL_ORDER", "tree");
    if (config == NULL) return ncclSuccess;
    if (config->magic != (unsigned)CONFIG_MAGIC) {
        return en_warn(ncclInvalidArgument, "ncclConfig_t argument not initialized via "
                                            "NCCL_CONFIG_INITIALIZER");
    }
    if (config->blocking != NCCL_CONFIG_UNDEF_INT && config->blocking != 0 &&
        config->blocking != 1) {
        return en_warn(ncclInvalidArgument, "Invalid config blocking attribute value %d",
                       config->blocking);
    }
    comm->blocking = config->blocking != 0;
    comm->one_channel = comm->one_channel || config->maxCTAs == 1;
    return ncclSuccess;
}

static struct ncclComm *comm_new(int n_ranks, const ncclUniqueId *id, int rank, int device,
                                 int bus) {
    struct ncclComm *comm = calloc(1, sizeof *comm);
    en_peer *peers = calloc((size_t)n_ranks, sizeof *peers);
    if (comm == NULL || peers == NULL) abort();
    *comm = (struct ncclComm){.rank = rank,
                              .device = device,
                              .bus = bus,
                              .n_ranks = n_ranks,
                              .version = en_version(),
                              .listener = -1,
                              .peers = peers,
                              .state = ncclInProgress};
    memcpy(comm->token, id->internal + sizeof id_magic, sizeof comm->token);
    for (int r = 0; r < n_ranks; r++) peers[r].fd = -1;
    read_ring(comm);
    return comm;
}

static void comm_free(struct ncclComm *comm) {
    en_hang_up(comm);
    free(comm->peers);
    free(comm);
}

/* All see the same table, and come to the same answer. */
static ncclResult_t look_for_duplicates(struct ncclComm *comm) {
    for (int a = 0; a < comm->n_ranks; a++) {
        for (int b = a + 1; b < comm->n_ranks; b++) {
            const en_hello *x = &comm->peers[a].hello, *y = &comm->peers[b].hello;
            if (x->host != y->host || x->bus != y->bus) continue;
            if (comm->version >= 23000 && x->many_a_gpu && y->many_a_gpu) continue;
            return en_warn(ncclInvalidUsage,
                           "Duplicate GPU detected : rank %d and rank %d both on CUDA device %x", a,
                           b, (unsigned)x->bus << 12);
        }
    }
    return ncclSuccess;
}

/* Goes on making it; ncclInProgress: not yet. */
static ncclResult_t make(struct ncclComm *comm) {
    const bool met = en_meet(comm);
    for (int r = 0; r < comm->n_ranks; r++) {
        en_peer *p = &comm->peers[r];
        if (r == comm->rank) {
            p->hello = (en_hello){.bus = comm->bus,
                                  .host = comm->host,
                                  .many_a_gpu = en_is_set("NCCL_MULTI_RANK_GPU_ENABLE", "1")};
            continue;
        }
        if (p->gone && !p->heard_hello) {
            return en_warn(ncclRemoteError,
                           "socketProgress: Connection closed by remote peer, rank %d", r);
        }
        if (p->heard_hello && p->hello.n_ranks != comm->n_ranks) {
            return en_warn(ncclInternalError,
                           "Bootstrap Root : mismatch in rank count from procs %d : %d",
                           comm->n_ranks, p->hello.n_ranks);
        }
    }
    if (!met) return ncclInProgress;
    const ncclResult_t result = look_for_duplicates(comm);
    comm->made = result == ncclSuccess;
    if (comm->made) {
        en_info("ncclCommInitRank rank %d nranks %d cudaDev %d - Init COMPLETE (emulated)",
                comm->rank, comm->n_ranks, comm->device);
    }
    return result;
}

static ncclResult_t check(ncclComm_t *comm, int n_ranks, const ncclUniqueId *id, int rank,
                          int bus) {
    if (comm == NULL) return en_warn(ncclInvalidArgument, "CommInitRank : newcomm is NULL");
    if (n_ranks < 1 || rank < 0 || rank >= n_ranks || n_ranks > EN_MOST_RANKS) {
        return en_warn(ncclInvalidArgument, "Invalid rank requested : %d/%d", rank, n_ranks);
    }
    if (memcmp(id->internal, id_magic, sizeof id_magic) != 0) {
        return en_warn(ncclInvalidArgument, "commId is none of ncclGetUniqueId");
    }
    if (bus < 0) {
        return en_warn(ncclUnhandledCudaError, "Cuda failure 'no CUDA-capable device is detected'");
    }
    return en_fail("ncclCommInitRank", rank);
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int nranks, ncclUniqueId commId, int rank,
                                    ncclConfig_t *config) {
    int device = 0, bus = -1;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&bus, cudaDevAttrPciBusId, device) != cudaSuccess) {
        bus = -1;
    }
    pthread_mutex_lock(&en_lock);
    ncclResult_t result = check(comm, nranks, &commId, rank, bus);
    if (result == ncclSuccess) {
        en_version_line();
        struct ncclComm *made = comm_new(nranks, &commId, rank, device, bus);
        result = read_config(made, config);
        if (result == ncclSuccess) result = en_listen(made);
        if (result == ncclSuccess && !made->blocking) {
            *comm = made;
            result = ncclInProgress;
        } else {
            while (result == ncclSuccess && (result = make(made)) == ncclInProgress) {
                pthread_mutex_unlock(&en_lock);
                en_nap(made);
                pthread_mutex_lock(&en_lock);
                result = ncclSuccess;
            }
            if (result == ncclSuccess) made->state = ncclSuccess;
            if (result == ncclSuccess) *comm = made;
            if (result != ncclSuccess) comm_free(made);
        }
    }
    pthread_mutex_unlock(&en_lock);
    return result;
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId commId, int rank) {
    return ncclCommInitRankConfig(comm, nranks, commId, rank, NULL);
}

/* ------------------------------------------------------------------ how it is */

/* A peer whom a kernel still needs has died: through sockets that is noticed. */
static void look_for_the_dead(struct ncclComm *comm) {
    if (comm->state != ncclSuccess || !comm->through_sockets) return;
    if (comm->kernels == NULL && comm->waits == NULL) return;
    for (int r = 0; r < comm->n_ranks; r++) {
        if (!comm->peers[r].gone || comm->peers[r].bye) continue;
        comm->state = en_warn(ncclRemoteError,
                              "socketProgress: Connection closed by remote peer, rank %d", r);
        return;
    }
}

/* It takes a while until a non-blocking call is through: at the earliest the second question is
   answered with ncclSuccess. */
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *asyncError) {
    if (comm == NULL || asyncError == NULL) {
        return en_warn(ncclInvalidArgument, "CommGetAsyncError : argument is NULL");
    }
    pthread_mutex_lock(&en_lock);
    ncclResult_t failed = en_fail("ncclCommGetAsyncError", comm->rank);
    comm->n_asked++;
    if (!comm->made && comm->state == ncclInProgress) {
        const ncclResult_t result = make(comm);
        if (result != ncclSuccess) comm->state = result;
        if (result == ncclSuccess && comm->n_asked >= ASKED_AT_LEAST) comm->state = ncclSuccess;
    } else if (comm->state == ncclInProgress && comm->n_asked >= ASKED_AT_LEAST) {
        pthread_mutex_unlock(&en_lock);
        const bool launched = en_launch(comm);
        pthread_mutex_lock(&en_lock);
        if (launched && comm->state == ncclInProgress) comm->state = ncclSuccess;
    } else {
        en_pump(comm);
    }
    look_for_the_dead(comm);
    *asyncError = comm->state;
    pthread_mutex_unlock(&en_lock);
    return failed;
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int *count) {
    if (comm == NULL || count == NULL) return en_warn(ncclInvalidArgument, "CommCount : NULL");
    *count = comm->n_ranks;
    return ncclSuccess;
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device) {
    if (comm == NULL || device == NULL) return en_warn(ncclInvalidArgument, "CommCuDevice : NULL");
    *device = comm->device;
    return ncclSuccess;
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank) {
    if (comm == NULL || rank == NULL) return en_warn(ncclInvalidArgument, "CommUserRank : NULL");
    *rank = comm->rank;
    return ncclSuccess;
}

/* ------------------------------------------------------------------ the end */

/* Waits for all kernels, without end if need be, as the real one does; false: somebody aborted. */
static bool drain(struct ncclComm *comm) {
    comm->n_inside++;
    while (!comm->aborted && comm->state == ncclSuccess &&
           (comm->kernels != NULL || comm->waits != NULL)) {
        const cudaStream_t stream = comm->kernels != NULL ? comm->kernels->stream : NULL;
        const bool on_stream = comm->kernels != NULL;
        pthread_mutex_unlock(&en_lock);
        if (!on_stream) en_launch(comm);
        if (on_stream && cudaStreamQuery(stream) != cudaSuccess) en_nap(comm);
        pthread_mutex_lock(&en_lock);
    }
    comm->n_inside--;
    return !comm->aborted && comm->state == ncclSuccess;
}

/* What is still under way is under way no more: the kernels' steps will say that they are done. */
static void let_go(struct ncclComm *comm) {
    while (comm->waits != NULL) {
        en_kernel *next = comm->waits->next;
        en_kernel_free(comm->waits);
        comm->waits = next;
    }
    for (en_kernel *kernel = comm->kernels; kernel != NULL; kernel = kernel->next) {
        kernel->comm = NULL;
    }
    comm_free(comm);
}

/* Says good-bye, as far as sockets take it at once. */
static void part(struct ncclComm *comm) {
    for (int r = 0; r < comm->n_ranks; r++) {
        en_send_frame(comm, r, EN_BYE, EN_P2P, 0, NULL, 0, NULL);
    }
    en_pump(comm);
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
    if (comm == NULL) return en_warn(ncclInvalidArgument, "CommFinalize : comm is NULL");
    pthread_mutex_lock(&en_lock);
    ncclResult_t result = en_fail("ncclCommFinalize", comm->rank);
    if (result == ncclSuccess && comm->finalized) {
        result = en_warn(ncclInvalidArgument, "ncclCommFinalize: comm is finalized already");
    } else if (result == ncclSuccess && comm->state != ncclSuccess) {
        result = comm->state == ncclInProgress ? ncclInvalidArgument : comm->state;
    } else if (result == ncclSuccess && drain(comm)) {
        comm->finalized = true;
        part(comm);
    }
    pthread_mutex_unlock(&en_lock);
    return result;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
    if (comm == NULL) return ncclSuccess;
    pthread_mutex_lock(&en_lock);
    const ncclResult_t result = en_fail("ncclCommDestroy", comm->rank);
    if (comm->made && !comm->finalized && drain(comm)) part(comm);
    let_go(comm);
    pthread_mutex_unlock(&en_lock);
    return result;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
    if (comm == NULL) return ncclSuccess;
    pthread_mutex_lock(&en_lock);
    comm->aborted = true;
    while (comm->n_inside > 0) {
        pthread_mutex_unlock(&en_lock);
        usleep(1000);
        pthread_mutex_lock(&en_lock);
    }
    let_go(comm);
    pthread_mutex_unlock(&en_lock);
    return ncclSuccess;
}
