/* fake_comm.c: communicators: how they come to be, how they are, and end. They never block.
 *
 *     ncclGetUniqueId         makes the memory of all   --> ncclCommInitRankConfig maps it
 *     ncclCommGetAsyncError   goes on with what is in progress
 */
#include "fake_nccl.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ASKED_AT_LEAST = 2, MULTI_RANK_VERSION = 23000 };

/* It has no name on a disk: all open it through rank 0, which keeps it until its process ends. */
ncclResult_t ncclGetUniqueId(ncclUniqueId *uniqueId) {
    if (fn_strikes(FN_FAIL, __func__, 0)) return fn_refuse(ncclInternalError, "as asked");
    const int fd = memfd_create("fake-nccl", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, sizeof(fn_shared)) != 0) {
        return fn_refuse(ncclSystemError, "memfd_create: %s", strerror(errno));
    }
    snprintf(uniqueId->internal, sizeof uniqueId->internal, "/proc/%d/fd/%d", (int)getpid(), fd);
    return ncclSuccess;
}

void fn_tell(struct ncclComm *comm) {
    fn_shared *all = comm->shared;
    atomic_fetch_add(&all->news, 1);
    if (all->n_asleep > 0) syscall(SYS_futex, &all->news, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void fn_await_news(struct ncclComm *comm, uint32_t known) {
    fn_shared *all = comm->shared;
    const struct timespec most = {.tv_nsec = 1000000};
    atomic_fetch_add(&all->n_asleep, 1);
    syscall(SYS_futex, &all->news, FUTEX_WAIT, known, &most, NULL, 0);
    atomic_fetch_sub(&all->n_asleep, 1);
}

bool fn_all_at(const struct ncclComm *comm, int64_t phase) {
    bool all = true;
    for (int r = 0; r < comm->n_ranks; r++) all = all && comm->shared->members[r].phase >= phase;
    return all;
}

/* ------------------------------------------------------------------ being made */

static ncclResult_t enter(struct ncclComm *comm, const char *path) {
    comm->fd = open(path, O_RDWR | O_CLOEXEC);
    if (comm->fd < 0) return fn_refuse(ncclSystemError, "%s: %s", path, strerror(errno));
    void *shared = mmap(NULL, sizeof(fn_shared), PROT_READ | PROT_WRITE, MAP_SHARED, comm->fd, 0);
    struct flock lock = {.l_type = F_WRLCK, .l_start = comm->rank, .l_len = 1};
    if (shared == MAP_FAILED || fcntl(comm->fd, F_OFD_SETLK, &lock) != 0) {
        return fn_refuse(ncclInternalError, "rank %d: %s", comm->rank, strerror(errno));
    }
    comm->shared = shared;
    fn_member *own = &comm->shared->members[comm->rank];
    const char *host = getenv("NCCL_HOSTID");
    if (host != NULL) snprintf(own->host, sizeof own->host, "%s", host);
    if (host == NULL) gethostname(own->host, sizeof own->host - 1);
    own->shares = fn_is_set("NCCL_MULTI_RANK_GPU_ENABLE", "1");
    if (cudaGetDevice(&comm->device) != cudaSuccess ||
        cudaDeviceGetAttribute(&own->bus, cudaDevAttrPciBusId, comm->device) != cudaSuccess) {
        return fn_refuse(ncclUnhandledCudaError, "Cuda failure");
    }
    own->phase = 1;
    fn_tell(comm);
    return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int nranks, ncclUniqueId commId, int rank,
                                    ncclConfig_t *config) {
    if (fn_strikes(FN_FAIL, __func__, rank)) return fn_refuse(ncclInternalError, "as asked");
    if (nranks > FN_MOST_RANKS || rank < 0 || rank >= nranks || config->magic != 0xcafebeef ||
        config->blocking != 0) {
        return fn_refuse(ncclInvalidArgument, "rank %d of %d, or the configuration", rank, nranks);
    }
    if (getenv("NCCL_DEBUG") != NULL) puts("NCCL speaks where a program's report goes, too");
    struct ncclComm *made = calloc(1, sizeof *made);
    if (made == NULL) abort();
    *made = (struct ncclComm){.rank = rank, .n_ranks = nranks, .one_channel = config->maxCTAs == 1};
    made->through_sockets =
        fn_is_set("NCCL_P2P_DISABLE", "1") && fn_is_set("NCCL_SHM_DISABLE", "1");
    *comm = made;
    const ncclResult_t result = enter(made, commId.internal);
    made->state = result == ncclSuccess ? ncclInProgress : result;
    return made->state;
}

/* All look at the same members, and come to the same answer. */
static ncclResult_t look_for_duplicates(const struct ncclComm *comm) {
    int version;
    ncclGetVersion(&version);
    for (int a = 0; a < comm->n_ranks; a++) {
        for (int b = a + 1; b < comm->n_ranks; b++) {
            const fn_member *x = &comm->shared->members[a], *y = &comm->shared->members[b];
            const bool allowed = version >= MULTI_RANK_VERSION && x->shares && y->shares;
            if (x->bus != y->bus || strcmp(x->host, y->host) != 0 || allowed) continue;
            return fn_refuse(ncclInvalidUsage, "Duplicate GPU detected : rank %d and rank %d", a,
                             b);
        }
    }
    return ncclSuccess;
}

static ncclResult_t make(struct ncclComm *comm) {
    if (!fn_all_at(comm, 1)) return ncclInProgress;
    comm->in_ring_order = comm->one_channel && fn_is_set("NCCL_ALGO", "Ring") &&
                          fn_is_set("NCCL_PROTO", "Simple") && getenv("EMU_NCCL_ORDER") == NULL;
    comm->made = true;
    return look_for_duplicates(comm);
}

/* ------------------------------------------------------------------ how it is */

/* Whoever waits for others on the host hears of a death; what runs on the GPU only through sockets. */
static ncclResult_t look_for_the_dead(const struct ncclComm *comm) {
    const bool hears = comm->waiting != NULL || (comm->through_sockets && comm->n_kernels > 0);
    for (int r = 0; r < comm->n_ranks && hears; r++) {
        struct flock lock = {.l_type = F_WRLCK, .l_start = r, .l_len = 1};
        const bool gone = fcntl(comm->fd, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
        if (r == comm->rank || !gone || comm->shared->members[r].parted) continue;
        return fn_refuse(ncclRemoteError, "Connection closed by remote peer, rank %d", r);
    }
    return comm->state;
}

/* It takes a while: the second question is the first that can be answered with ncclSuccess. */
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *asyncError) {
    if (comm->state == ncclInProgress && ++comm->n_asked >= ASKED_AT_LEAST) {
        const uint32_t known = comm->shared->news;
        if (!comm->made) {
            comm->state = make(comm);
        } else if (comm->waiting != NULL) {
            comm->state = fn_launch(comm);
        } else if (comm->n_kernels == 0) { /* finalized */
            comm->shared->members[comm->rank].parted = true;
            comm->state = ncclSuccess;
        }
        if (comm->state == ncclInProgress) fn_await_news(comm, known);
    }
    if (comm->state == ncclSuccess || comm->state == ncclInProgress) {
        comm->state = look_for_the_dead(comm);
    }
    *asyncError = comm->state;
    return ncclSuccess;
}

/* ------------------------------------------------------------------ the end */

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
    if (comm->state != ncclSuccess || comm->finalized) {
        return fn_refuse(ncclInvalidUsage, "%s: not ready, or finalized already", __func__);
    }
    comm->finalized = true;
    comm->n_asked = 0;
    return comm->state = ncclInProgress;
}

/* The kernels that are still on the stream end at their next turn, the last one with the rest. */
ncclResult_t ncclCommAbort(ncclComm_t comm) {
    while (!comm->finalized && fn_is_set("EMU_NCCL_ABORT", "hangs")) pause();
    comm->ended = true;
    if (comm->shared != NULL) munmap(comm->shared, sizeof(fn_shared));
    if (comm->fd >= 0) close(comm->fd);
    fn_kernel_free(comm->waiting);
    if (comm->n_kernels == 0) free(comm);
    return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
    if (!comm->finalized || comm->state != ncclSuccess) abort(); /* ours finalizes, and waits */
    return ncclCommAbort(comm);
}
