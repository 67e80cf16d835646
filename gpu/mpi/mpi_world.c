/* mpi_world.c: start and end of the ranks, clocks. See mpi_world.h.
 *
 * The quickest of some round trips tells how far another machine's clock is from rank 0's:
 *
 *     rank 0   a ------------> b        other = the clock read there, about (a + b) / 2 here
 *     rank r        \_ other _/
 */
#include "config.h"
#include "mpi/mpi_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG_CLOCK = 1, ROUND_TRIPS = 32, SPINS = 64 };

/* ------------------------------------------------------------------ the transport */

static bool line_up(rg_ranks *ranks, int64_t *start_ps) {
    MPI_Request request;
    int index;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    if (!rg_wait_any(ranks, &request, 1, &index)) return false;
    *start_ps = rg_now_ps();
    return true;
}

static bool collect(rg_ranks *ranks, const void *own, void *all, size_t n) {
    MPI_Request request;
    int index;
    MPI_Iallgather(own, (int)n, MPI_BYTE, all, (int)n, MPI_BYTE, MPI_COMM_WORLD, &request);
    return rg_wait_any(ranks, &request, 1, &index);
}

static bool copy(rg_ranks *ranks, rg_rank_job *work, rg_range range) {
    const int64_t elem_bytes = rs_dtype_bytes(work->job->dtype), skipped = range.first * elem_bytes;
    (void)ranks;
    memcpy((char *)work->target.data + skipped, (const char *)work->source.data + skipped,
           (size_t)(range.n * elem_bytes));
    return true;
}

/* MPI does not say what becomes of integers that overflow. */
static const rg_transport transport = {.collect = collect,
                                       .line_up = line_up,
                                       .prepare = rg_mpi_prepare,
                                       .copy = copy,
                                       .run = rg_mpi_run,
                                       .takes = rg_mpi_takes,
                                       .ask_oracle = rg_mpi_oracle};

/* ------------------------------------------------------------------ start */

/* Returns how far this machine's clock is ahead of rank 0's; other machines only. */
static int64_t compare_clocks(int32_t rank, int32_t n_ranks, bool same_machine) {
    int64_t best_ps = INT64_MAX, ahead_ps = 0;
    for (int32_t r = 1; r < n_ranks; r++) {
        for (int i = 0; i < ROUND_TRIPS && (rank == 0 || rank == r); i++) {
            int64_t other = 0, here = rg_now_ps();
            if (rank == 0) {
                MPI_Recv(&other, 1, MPI_INT64_T, r, TAG_CLOCK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                here = rg_now_ps();
                MPI_Send(&here, 1, MPI_INT64_T, r, TAG_CLOCK, MPI_COMM_WORLD);
                continue;
            }
            MPI_Send(&here, 1, MPI_INT64_T, 0, TAG_CLOCK, MPI_COMM_WORLD);
            MPI_Recv(&other, 1, MPI_INT64_T, 0, TAG_CLOCK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            const int64_t back = rg_now_ps();
            if (back - here >= best_ps) continue;
            best_ps = back - here;
            ahead_ps = here + (back - here) / 2 - other;
        }
    }
    return same_machine ? 0 : ahead_ps; /* on one machine the clock is the same */
}

/* Describes where the ranks run, and notes the processes on rank 0's machine. */
static bool describe_ranks(rg_ranks *ranks) {
    enum { LONGEST = MPI_MAX_PROCESSOR_NAME };
    const int32_t n = ranks->group.n_ranks;
    char own[LONGEST] = "", *names = calloc((size_t)n, LONGEST);
    int64_t pid = getpid(), *pids = calloc((size_t)n, sizeof *pids);
    int length, n_machines = 0;
    const bool whole = names != NULL && pids != NULL;
    MPI_Get_processor_name(own, &length);
    if (whole) {
        MPI_Allgather(own, LONGEST, MPI_CHAR, names, LONGEST, MPI_CHAR, MPI_COMM_WORLD);
        MPI_Allgather(&pid, 1, MPI_INT64_T, pids, 1, MPI_INT64_T, MPI_COMM_WORLD);
        for (int32_t r = 0; r < n; r++) {
            if (strcmp(names + (size_t)r * LONGEST, names) == 0) pids[ranks->n_pids++] = pids[r];
            int32_t first = 0;
            while (strcmp(names + (size_t)first * LONGEST, names + (size_t)r * LONGEST) != 0) {
                first++;
            }
            n_machines += first == r;
        }
        ranks->pids = pids;
        ranks->ahead_ps = compare_clocks(ranks->rank, n, strcmp(own, names) == 0);
        if (n_machines == 1) {
            snprintf(ranks->group.where, sizeof ranks->group.where, "%d processes on %.60s", (int)n,
                     names);
        } else {
            snprintf(ranks->group.where, sizeof ranks->group.where, "%d processes on %d machines",
                     (int)n, n_machines);
        }
    }
    free(names);
    return whole;
}

static rs_status open_world(const rg_setup *setup, const rs_host *host, rs_error *error,
                            rg_group **group);

static bool available(const rg_setup *setup, rs_error *error) {
    (void)setup, (void)error;
    return true;
}

/* A rank that is stuck cannot finalize MPI; mpirun notices and ends the others. */
static void close_world(rg_group *group) {
    rg_ranks *ranks = (rg_ranks *)group;
    if (!ranks->stuck) MPI_Finalize();
    free(ranks->pids);
    free(ranks);
}

static const rg_backend backend = {"mpi", available, open_world, rg_ranks_run, close_world};

static rs_status open_world(const rg_setup *setup, const rs_host *host, rs_error *error,
                            rg_group **group) {
    int initialized = 0, n_ranks, rank;
    MPI_Initialized(&initialized);
    if (!initialized) MPI_Init(NULL, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    rg_ranks *ranks = calloc(1, sizeof *ranks);
    if (ranks == NULL) return rs_no_memory(error);
    ranks->group =
        (rg_group){.backend = &backend, .host = host, .n_ranks = n_ranks, .reports = rank == 0};
    ranks->rank = rank;
    ranks->transport = &transport;
    const int32_t n_started = rg_launch_env_size();
    rs_status status = RS_OK;
    if (setup->mode == RG_LAUNCHED && n_ranks < n_started && n_started == setup->n_ranks) {
        const char *launcher = rg_launch_env_launcher();
        status = rs_fail(error, RS_UNSUPPORTED,
                         "%s started %d ranks, and MPI finds %d: this MPI knows no ranks of %s; "
                         "%smpirun",
                         launcher, (int)n_started, n_ranks, launcher,
                         strcmp(launcher, "srun") == 0 ? "try srun --mpi=pmix, or take " : "take ");
    } else if (n_ranks != setup->n_ranks) {
        status = rs_fail(error, RS_BAD_INPUT,
                         "mpirun started %d processes, --gpus says %d; make them the same", n_ranks,
                         (int)setup->n_ranks);
    } else if (!describe_ranks(ranks)) {
        status = rs_no_memory(error);
    }
    if (status == RS_OK) {
        *group = &ranks->group;
    } else {
        close_world(&ranks->group);
    }
    return status;
}

/* ------------------------------------------------------------------ what the module shows */

/* Between jobs the ranks sleep: other programs need the cores. */
static void share(rg_group *group, void *bytes, size_t n) {
    enum { NAP_US = 200, MOST = 1 << 30 };
    const rg_ranks *ranks = (const rg_ranks *)group;
    for (size_t done = 0; done < n;) {
        const size_t part = n - done < MOST ? n - done : MOST;
        MPI_Request request;
        MPI_Ibcast((char *)bytes + done, (int)part, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
        for (int arrived = 0, i = 0; !arrived; i++) {
            MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
            if (!arrived && ranks->rank != 0 && i > SPINS) rg_nap_us(NAP_US);
        }
        done += part;
    }
}

extern const rg_module rg_mpi_module;
const rg_module rg_mpi_module = {RG_MODULE_ABI, RINGSIM_VERSION, &backend, share};
