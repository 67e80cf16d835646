/* backends.c: the table of backends, and the functions of ringsim_gpu.h that call them.
 *
 * A group's life: open, run any number of times, close. After a run that did not complete the caller
 * can only close it.
 */
#include "config.h"
#include "job/backend.h"

#include <assert.h>

#ifndef HAVE_CUDA
static bool no_cuda(const rg_setup *setup, rs_error *error) {
    (void)setup;
    rs_fail(error, RS_UNSUPPORTED, "built without CUDA; see ringsim doctor");
    return false;
}
const rg_backend rg_cuda = {"cuda", no_cuda, NULL, NULL, NULL};
#endif

#define TABLE_OF(kind, name, table) &(table),
static const rg_backend *const backends[RG_N_KINDS] = {RG_BACKENDS(TABLE_OF)};

bool rg_available(rg_kind kind, const rg_setup *setup, rs_error *error) {
    assert(kind < RG_N_KINDS);
    return backends[kind]->available(setup, error);
}

double rg_need_bytes(rg_kind kind, const rg_setup *setup, double n_bytes) {
    const double n = setup->n_ranks, all = n * n_bytes;
    const double window = all < RG_WINDOW_BYTES ? all : RG_WINDOW_BYTES;
    /* A ring's transfers, 20 bytes each; a process keeps no more than 80 MiB of them at a time. */
    const double events = 40 * n * n < 80 << 20 ? 40 * n * n : 80 << 20;
    const bool here = setup->mode == RG_SPAWN && setup->hostfile == NULL;
    if (kind == RG_CPU) return 3 * window + events; /* source, target, the judge's inputs */
    if (kind == RG_CUDA)
        return all + window + events; /* on their way to and from the GPU; the judge's */
    /* A process a rank: source, target, the vendor's result, messages. Of ranks elsewhere nothing is
       known here. */
    return here ? 4 * all + window + n * events : 4 * n_bytes + window / n + events;
}

rs_status rg_group_open(rg_kind kind, const rg_setup *setup, const rs_host *host, rs_error *error,
                        rg_group **group) {
    assert(setup->n_ranks >= 1);
    if (!rg_available(kind, setup, error)) return RS_UNSUPPORTED;
    return backends[kind]->open(setup, host, error, group);
}

bool rg_group_reports(const rg_group *group) {
    return group->reports;
}

const char *rg_group_where(const rg_group *group) {
    return group->where;
}

rg_library rg_group_library(const rg_group *group) {
    return group->library;
}

static rs_status check(const rg_group *group, const rg_job *job, rs_error *error) {
    if (job->schedule->n_ranks != group->n_ranks) {
        return rs_fail(error, RS_BAD_INPUT, "the schedule is for %d ranks, %d run; start as many",
                       (int)job->schedule->n_ranks, (int)group->n_ranks);
    }
    assert(job->times >= 1 && job->warmup >= 0 && job->count >= 0 && job->data != RS_DATA_AUTO);
    return RS_OK;
}

rs_status rg_group_run(rg_group *group, const rg_job *job, rs_arena *arena, rs_error *error,
                       rg_result *result) {
    rs_status status = check(group, job, error);
    if (status != RS_OK) return status;
    rg_result made = {.completed = true};
    arena->lacked = false; /* what an earlier run lacked has been told */
    for (int32_t r = 0; r < group->n_ranks; r++) made.n_elements += rg_count_answers(job, r);
    made.wrong = rs_alloc(arena, (size_t)group->n_ranks, sizeof *made.wrong);
    made.crc32 = rs_alloc(arena, (size_t)group->n_ranks, sizeof *made.crc32);
    if (arena->lacked) return rs_no_memory(error);
    status = group->backend->run(group, job, arena, error, &made);
    if (status == RS_OK) *result = made;
    return status;
}

bool rg_never_ends;

void rg_group_close(rg_group *group) {
    if (group != NULL) group->backend->close(group);
}
