/* nccl_backend.c: a rank of the nccl backend: its bootstrap, its start and end, and the tables that show it.
 *
 *     open:   bootstrap (no CUDA yet) --> whose GPU is where --> NCCL's environment --> communicator
 *     job:    communicator.c, through the table below; votes and clocks go through the bootstrap
 *     close:  finalize and destroy; a rank that is stuck aborts
 */
#include "config.h"
#include "nccl/nccl_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const rg_transport transport = {
    rg_nccl_collect, rg_nccl_line_up, rg_nccl_prepare, rg_nccl_release, rg_nccl_copy, rg_nccl_run,
    rg_nccl_fetch,   rg_nccl_takes,   rg_nccl_oracle,  rg_nccl_remark,  .wraps = true};

/* ------------------------------------------------------------------ start and end */

static rs_status open_world(const rg_setup *setup, const rs_host *host, rs_error *error,
                            rg_group **group);

static void close_world(rg_group *group) {
    rg_nccl_world *w = (rg_nccl_world *)group;
    rg_nccl_comm_end(w, w->ring);
    rg_nccl_comm_end(w, w->comm);
    if (w->stream != NULL && !w->ranks.stuck) cudaStreamDestroy(w->stream);
    rg_bootstrap_leave(w->bootstrap);
    free(w->ranks.pids);
    free(w);
}

static const rg_backend backend = {"nccl", rg_nccl_available, open_world, rg_ranks_run,
                                   close_world};

/* Adds where rank 0 listens, if that is elsewhere than the user wrote. */
static void say_where(rg_nccl_world *w) {
    char *out = w->ranks.group.where;
    const size_t n = strlen(out);
    const char *remark = rg_bootstrap_remark(w->bootstrap);
    if (remark[0] != '\0') snprintf(out + n, sizeof w->ranks.group.where - n, "; %s", remark);
}

static rs_status join(rg_nccl_world *w, const rg_setup *setup, rs_error *error) {
    const int32_t n = w->ranks.group.n_ranks;
    rs_status status = rg_nccl_load(error, &w->nccl);
    if (status != RS_OK) return status; /* the others notice at their own deadline */
    status =
        rg_bootstrap_join(setup->init, w->ranks.rank, n, w->ranks.timeout_ms, error, &w->bootstrap);
    if (status == RS_OK) status = rg_nccl_place(w, error);
    if (status != RS_OK) return status;
    say_where(w);
    w->ranks.ahead_ps = rg_nccl_compare_clocks(w);
    const bool made = rg_nccl_comm_new(w, false, &w->comm);
    const bool stuck = w->ranks.stuck;
    status = rg_nccl_agree(w, made ? RS_OK : rg_nccl_refuse(w, error), error);
    w->ranks.stuck = stuck || status != RS_OK; /* then the communicator is aborted */
    return status;
}

static rs_status open_world(const rg_setup *setup, const rs_host *host, rs_error *error,
                            rg_group **group) {
    const int32_t n = rg_launch_env_size(), rank = rg_launch_env_rank();
    if (n != setup->n_ranks) {
        return rs_fail(error, RS_BAD_INPUT,
                       "%d processes were started, --gpus says %d; make them the same", (int)n,
                       (int)setup->n_ranks);
    }
    rg_nccl_world *w = calloc(1, sizeof *w);
    if (w == NULL) return rs_no_memory(error);
    w->ranks.group =
        (rg_group){.backend = &backend, .host = host, .n_ranks = n, .reports = rank == 0};
    w->ranks.rank = rank;
    w->ranks.transport = &transport;
    rg_ranks_deadline(&w->ranks, setup->timeout_ms);
    const rs_status status = join(w, setup, error);
    if (status == RS_OK) {
        *group = &w->ranks.group;
    } else {
        close_world(&w->ranks.group);
    }
    return status;
}

/* ------------------------------------------------------------------ what the module shows */

/* The bootstrap knows only exchanges, so the other ranks send bytes that no rank reads. In parts, since
   each rank receives the bytes of all. */
static void share(rg_group *group, void *bytes, size_t n) {
    enum { PART = 1 << 16 };
    rg_nccl_world *w = (rg_nccl_world *)group;
    char *all = malloc((size_t)w->ranks.group.n_ranks * (n < PART ? n : PART));
    rs_error error;
    bool good = all != NULL;
    for (size_t done = 0; done < n && good; done += PART) {
        const size_t part = n - done < PART ? n - done : PART;
        good =
            rg_exchange(w->bootstrap, (char *)bytes + done, part, all, INT32_MAX, &error) == RS_OK;
        if (good) memcpy((char *)bytes + done, all, part);
    }
    if (!good) memset(bytes, 0, n); /* which says: no more jobs */
    free(all);
}

const rg_module rg_nccl_module = {RG_MODULE_ABI, RINGSIM_VERSION, &backend, share};
