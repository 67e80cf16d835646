/* verify_setup.c: on what `ringsim verify` runs: the backends and what only one of them knows, where
 * ranks meet, where the trace goes, and whether there is the memory for it.
 */
#include "base/units.h"
#include "verify/verify.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void take_backends(const rc_value *on, rc_verify_plan *plan) {
    /* One of several processes that somebody else started has no use for arrays of all ranks. */
    const bool launched = plan->setup.mode == RG_LAUNCHED;
    plan->by_name = on->n > 0;
    for (int k = 0; !plan->by_name && k < RG_N_KINDS; k++) {
        plan->wanted[k] = !launched || k == RG_MPI || k == RG_NCCL;
    }
    for (int64_t i = 0; i < on->n; i++) plan->wanted[on->list[i]] = true;
}

static void take_kernels(const rc_value *kernels, rc_verify_plan *plan) {
    if (kernels->text == NULL) return;
    plan->every_kernel = kernels->n == 0;
    plan->n_kernels = kernels->n > 0 ? (int)kernels->n : RC_MOST_VARIANTS;
    for (int i = 0; i < plan->n_kernels; i++) {
        plan->kernels[i] = 1 + (kernels->n > 0 ? (int32_t)kernels->list[i] : i);
    }
}

/* ------------------------------------------------------------------ where ranks meet */

/* The ranks make the file themselves, and remove it; its folder must be there. */
static rc_exit check_file(const char *init, const char *path, rs_error *error) {
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    const int n = snprintf(folder, sizeof folder, "%.*s/", (int)(slash - path), path);
    if (slash[1] == '\0' || n < 0 || n >= (int)sizeof folder) {
        return rc_fail(error, RC_USAGE, _("--init %.100s: name a file, file:///PATH"), init);
    }
    if (access(folder, W_OK | X_OK) != 0) {
        return rc_fail(error, RC_USAGE,
                       _("--init %.100s: no file can be made in %.100s; all ranks need it there"),
                       init, folder);
    }
    return RC_GOOD;
}

rc_exit rc_as_init(const rc_typed *typed, rc_value *value) {
    const char *init = typed->text;
    rs_error reason;
    (void)value;
    if (rg_init_check(init, &reason) != RS_OK)
        return rc_fail(typed->error, RC_USAGE, "--init %s", rc_said(&reason));
    return init[0] == 'f' ? check_file(init, init + 7, typed->error) : RC_GOOD;
}

/* mpirun's own words about a hostfile that is not there are long and say little. */
rc_exit rc_as_hostfile(const rc_typed *typed, rc_value *value) {
    const char *path = typed->text;
    struct stat found;
    (void)value;
    if (stat(path, &found) == 0 && S_ISDIR(found.st_mode))
        errno = EISDIR;
    else if (access(path, R_OK) == 0)
        return RC_GOOD;
    return rc_fail(typed->error, RC_USAGE, _("--hostfile %.200s: %s"), path, _(strerror(errno)));
}

/* ------------------------------------------------------------------ what fits together */

/* Of a launched group the world is as large as it was started. */
static rc_exit check_started(rs_error *error, const rc_verify_plan *plan) {
    const int32_t started = rg_launch_env_size(), n = plan->setup.n_ranks;
    const bool many = plan->wanted[RG_MPI] || plan->wanted[RG_NCCL];
    if (plan->setup.mode != RG_LAUNCHED || !many || started == n) return RC_GOOD;
    return rc_fail(error, RC_USAGE,
                   plan->choice.file != NULL
                       ? _("the schedule is for %d ranks, and %s started %d; start "
                           "as many as it needs")
                       : _("--gpus %d: %s started %d ranks; leave --gpus out"),
                   (int)n, rg_launch_env_launcher(), (int)started);
}

/* Options for one kind of backend only. */
static rc_exit check_owners(const rc_options *options, rs_error *error,
                            const rc_verify_plan *plan) {
    static const struct {
        int id;
        rg_kind kind;
    } owners[] = {{RC_KERNEL, RG_CUDA}, {RC_INIT, RG_NCCL}, {RC_HOSTFILE, RG_MPI}};
    for (int i = 0; i < 3; i++) {
        if (!rc_given(options, owners[i].id) || plan->wanted[owners[i].kind]) continue;
        return rc_fail(error, RC_USAGE, _("--%s is for %s only; add it to --on, or leave it out"),
                       rc_option_of(options->command, owners[i].id).name,
                       rg_kind_name(owners[i].kind));
    }
    return RC_GOOD;
}

static rc_exit check_trace(const rc_options *options, rs_error *error, rc_verify_plan *plan) {
    plan->trace = options->value[RC_TRACE].text;
    bool traced = false;
    for (int k = RG_CUDA; k < RG_N_KINDS; k++) traced = traced || plan->wanted[k];
    if (plan->trace != NULL && !traced) {
        return rc_fail(error, RC_USAGE,
                       _("--trace: cpu keeps no trace; add mpi, cuda or nccl to --on"));
    }
    if (plan->trace != NULL && strcmp(plan->trace, "-") == 0) {
        return rc_fail(error, RC_USAGE,
                       _("--trace -: standard output has the report; name a file"));
    }
    return RC_GOOD;
}

/* Ranks of one process cannot wait for each other without end. */
static rc_exit check_dump(const rc_options *options, rs_error *error, rc_verify_plan *plan) {
    plan->dump = options->value[RC_DUMP].text;
    if (plan->dump == NULL || plan->wanted[RG_MPI] || plan->wanted[RG_NCCL]) return RC_GOOD;
    return rc_fail(error, RC_USAGE,
                   _("--dump: only ranks that are processes can stop; add mpi or nccl to --on"));
}

/* ------------------------------------------------------------------ memory */

int32_t rc_verify_shards(const rc_verify_plan *plan) {
    const rs_collective of = plan->choice.collective;
    const bool shared =
        of == RS_COLL_REDUCE_SCATTER || of == RS_COLL_ALL_GATHER || of == RS_COLL_ALL_TO_ALL;
    return shared ? plan->setup.n_ranks : 1;
}

int64_t rc_verify_count_at(const rc_verify_plan *plan, int64_t size, rs_dtype dtype) {
    enum { UNIT = 16 }; /* bytes */
    const int64_t elem_bytes = rs_dtype_bytes(dtype), unit = UNIT / elem_bytes;
    const int64_t count = plan->sizes_are_counts ? size : size / elem_bytes;
    if (rc_verify_shards(plan) == 1) return count;
    const int64_t n = plan->setup.n_ranks;
    return count / n / unit * unit * n;
}

/* The bytes of a rank's array, of the largest size. */
static double largest_bytes(const rc_verify_plan *plan) {
    const double arrays = (double)rs_array_count(plan->choice.collective, plan->setup.n_ranks, 1);
    double most = 0;
    for (int64_t i = 0; i < plan->n_sizes; i++) {
        for (int d = 0; d < plan->n_dtypes; d++) {
            const double n_bytes =
                (double)rc_verify_count_at(plan, plan->sizes[i], plan->dtypes[d]) *
                rs_dtype_bytes(plan->dtypes[d]) * arrays;
            if (n_bytes > most) most = n_bytes;
        }
    }
    return most;
}

bool rc_verify_fits(const rc_verify_plan *plan, rg_kind kind, double *need_bytes,
                    double *have_bytes) {
    static const double not_worth_asking = 64e6;
    assert(kind < RG_N_KINDS && plan->wanted[kind]);
    *need_bytes = rg_need_bytes(kind, &plan->setup, largest_bytes(plan));
    *have_bytes = (double)rc_memory_bytes();
    return *need_bytes < not_worth_asking || *need_bytes <= *have_bytes;
}

/* The reference needs little memory, but time: who has not asked for it does not wait for hours. */
bool rc_verify_is_long(const rc_verify_plan *plan, rg_kind kind, double *all_bytes) {
    static const double minutes = 16e9; /* bytes of all ranks, in about a minute on four cores */
    *all_bytes = largest_bytes(plan) * plan->setup.n_ranks;
    return kind == RG_CPU && !plan->by_name && *all_bytes > minutes;
}

/* With --on auto, a backend that is too large is left out when its turn comes. */
static rc_exit check_memory(const rc_verify_plan *plan, rs_error *error) {
    const bool ours = plan->by_name && rg_served_kind() < 0; /* who spawned ranks has looked */
    for (int k = 0; ours && k < RG_N_KINDS; k++) {
        double need, have;
        if (!plan->wanted[k] || rc_verify_fits(plan, (rg_kind)k, &need, &have)) continue;
        return rc_fail(error, RC_LACKS,
                       _("%d ranks with %.1f MB each take %.1f GB to run and judge on %s, and this "
                         "machine has %.1f GB left; take smaller sizes or fewer ranks"),
                       (int)plan->setup.n_ranks, largest_bytes(plan) / 1e6, need / 1e9,
                       rg_kind_name((rg_kind)k), have / 1e9);
    }
    return RC_GOOD;
}

rc_exit rc_verify_setup(const rc_options *options, rs_error *error, rc_verify_plan *plan) {
    plan->setup.hostfile = options->value[RC_HOSTFILE].text;
    plan->setup.init = options->value[RC_INIT].text;
    take_backends(&options->value[RC_ON], plan);
    take_kernels(&options->value[RC_KERNEL], plan);
    rc_exit status = check_started(error, plan);
    if (status == RC_GOOD) status = check_owners(options, error, plan);
    if (status == RC_GOOD) status = check_trace(options, error, plan);
    if (status == RC_GOOD) status = check_dump(options, error, plan);
    if (status == RC_GOOD) status = check_memory(plan, error);
    return status;
}
