/* comm.c: NCCL's communicators: made, and ended, without ever blocking.
 *
 *     rank 0: ncclGetUniqueId --> rg_exchange --> all: ncclCommInitRankConfig, poll --> vote --> ready
 *                                                                           ^--- some are not yet
 *
 * With --order nccl the oracle is to add in the ring's order. That takes a communicator of its own,
 * with the ring alone, the Simple protocol and one channel: several channels cut the array into more
 * pieces, other algorithms add in other orders.
 */
#include "nccl/nccl_world.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct letter {
    ncclUniqueId id;
    int32_t good;
} letter;

/* Sends rank 0's id to all. */
static bool share_id(rg_nccl_world *w, ncclUniqueId *id) {
    const int32_t n = w->ranks.group.n_ranks;
    letter own = {.good = 1}, *all = calloc((size_t)n, sizeof *all);
    if (all == NULL) return rg_ranks_trouble(&w->ranks, "no memory for a communicator");
    if (w->ranks.rank == 0) own.good = RG_NCCL(w, NULL, ncclGetUniqueId, &own.id);
    bool good = rg_nccl_collect(&w->ranks, &own, all, sizeof own);
    if (good && w->ranks.rank == 0) {
        good = own.good != 0;
    } else if (good && !all[0].good) {
        good = rg_ranks_trouble(&w->ranks, "rank 0 cannot begin a communicator");
    }
    *id = all[0].id;
    free(all);
    return good;
}

/* The worst of all ranks' is that of all. */
typedef enum comm_state { MADE, BEING_MADE, LATE, FAILED } comm_state;

/* Looks for a while how far it is. */
static comm_state look_on(rg_nccl_world *w, ncclComm_t comm) {
    enum { WHILE_MS = 200, PAUSE_US = 100 };
    const int64_t until_ps = rg_now_ps() + WHILE_MS * RG_MS_PS;
    do {
        ncclResult_t state = ncclSuccess;
        if (!RG_NCCL(w, comm, ncclCommGetAsyncError, comm, &state) ||
            !rg_nccl_ok(w, comm, state, "ncclCommInitRankConfig")) {
            return FAILED;
        }
        if (state != ncclInProgress) return MADE;
        rg_nap_us(PAUSE_US);
    } while (rg_now_ps() < until_ps);
    return rg_ranks_late(&w->ranks) ? LATE : BEING_MADE;
}

/* A rank that failed is not waited for until the time is over: the ranks ask each other now and then. */
static bool make_together(rg_nccl_world *w, ncclComm_t comm, bool begun) {
    const int64_t deadline_ps = w->ranks.deadline_ps;
    comm_state own = begun ? BEING_MADE : FAILED;
    int64_t worst;
    do {
        if (own == BEING_MADE) own = look_on(w, comm);
        worst = own;
        if (!rg_ranks_vote(&w->ranks, &worst, 1, RG_LARGEST)) return false;
        w->ranks.deadline_ps = deadline_ps;
    } while (worst == BEING_MADE);
    w->ranks.stuck = w->ranks.stuck || worst != MADE;
    return worst == MADE;
}

bool rg_nccl_comm_new(rg_nccl_world *w, bool one_channel, ncclComm_t *comm) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclUniqueId id;
    static const char *const told[2][2] = {{"NCCL_ALGO", "Ring"}, {"NCCL_PROTO", "Simple"}};
    bool ours[2];
    config.blocking = 0;
    rg_ranks_deadline(&w->ranks, w->ranks.timeout_ms);
    if (!share_id(w, &id)) return false;
    if (one_channel) config.minCTAs = config.maxCTAs = 1;
    for (int i = 0; i < 2; i++) {
        ours[i] = one_channel && getenv(told[i][0]) == NULL;
        if (ours[i]) setenv(told[i][0], told[i][1], 1);
    }
    ncclComm_t fresh = NULL;
    /* NCCL reads these two each time, and in a thread of its own: until it is done. */
    const bool begun = RG_NCCL(w, NULL, ncclCommInitRankConfig, &fresh, w->ranks.group.n_ranks, id,
                               w->ranks.rank, &config);
    const bool good = make_together(w, fresh, begun);
    for (int i = 0; i < 2; i++) {
        if (ours[i]) unsetenv(told[i][0]);
    }
    *comm = fresh; /* also where it failed: close ends it */
    return good;
}

/* Aborts, but not for ever: NCCL may wait for a GPU that never answers, and whoever started this rank
   waits for it. The alarm ends the process, and its launcher says so. */
static void abort_within(rg_nccl_world *w, ncclComm_t comm) {
    enum { SECONDS = 5 };
    signal(SIGALRM, SIG_DFL);
    alarm(SECONDS);
    w->nccl.ncclCommAbort(comm);
    alarm(0);
}

/* A rank that is stuck cannot wait for the others again: ncclCommAbort also ends what runs on the GPU. */
void rg_nccl_comm_end(rg_nccl_world *w, ncclComm_t comm) {
    if (comm == NULL) return;
    bool good = !w->ranks.stuck;
    if (good) {
        rg_ranks_deadline(&w->ranks, w->ranks.timeout_ms);
        good =
            RG_NCCL(w, comm, ncclCommFinalize, comm) && rg_nccl_settle(w, comm, "ncclCommFinalize");
    }
    if (good) {
        w->nccl.ncclCommDestroy(comm);
    } else {
        abort_within(w, comm);
    }
}
