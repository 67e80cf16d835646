/* launch_environment.c: finds out from the environment how this process was started.
 *
 *     who starts ranks       how many               which              which on this machine
 *     torchrun               WORLD_SIZE             RANK               LOCAL_RANK
 *     Open MPI's mpirun      OMPI_COMM_WORLD_SIZE   ..._RANK           ..._LOCAL_RANK
 *     mpiexec by PMI         PMI_SIZE               PMI_RANK           MPI_LOCALRANKID
 *     anybody, by hand       WORLD_SIZE             RANK               LOCAL_RANK
 *     srun                   SLURM_STEP_NUM_TASKS   SLURM_PROCID       SLURM_LOCALID
 *
 *   - The first of them that has set a variable counts. torchrun stands first since mpirun or srun
 *     often start it, and it never starts them; its mark is TORCHELASTIC_RUN_ID. RANK and
 *     WORLD_SIZE by themselves come after MPI: clusters set them once for a whole machine, around
 *     mpirun.
 *   - Slurm sets most of its variables in a batch script, too, which is no rank: SLURM_STEP_ID
 *     exists only inside srun. A step of one task is an interactive shell, not a launch.
 *   - A WORLD_SIZE or RANK alone was exported by somebody: if srun has set all its variables, it
 *     does not count.
 *   - rg_launch_env_check names a variable that makes no sense; no function guesses.
 */
#include "job/backend.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

typedef struct launcher {
    const char *name;
    const char *size, *other_size; /* the other where the first is not set; NULL */
    const char *rank, *local;
    const char *n_here; /* how many on this machine; NULL: it does not say */
    const char *mark;   /* a variable that must be set as well; NULL: none */
    bool mpi;           /* MPI_Init finds the other ranks, too */
} launcher;

static const launcher launchers[] = {
    {"torchrun", "WORLD_SIZE", NULL, "RANK", "LOCAL_RANK", "LOCAL_WORLD_SIZE",
     "TORCHELASTIC_RUN_ID", false},
    {"mpirun", "OMPI_COMM_WORLD_SIZE", NULL, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE", NULL, true},
    {"PMI", "PMI_SIZE", NULL, "PMI_RANK", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", NULL, true},
    {"RANK and WORLD_SIZE", "WORLD_SIZE", NULL, "RANK", "LOCAL_RANK", "LOCAL_WORLD_SIZE", NULL,
     false},
    {"srun", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_PROCID", "SLURM_LOCALID", NULL,
     "SLURM_STEP_ID", true},
};
enum { N_LAUNCHERS = sizeof launchers / sizeof *launchers };

static const char *value_of(const char *name) {
    const char *text = name != NULL ? getenv(name) : NULL;
    return text != NULL && text[0] != '\0' ? text : NULL;
}

static const char *size_of(const launcher *l) {
    return value_of(l->size) != NULL || l->other_size == NULL ? l->size : l->other_size;
}

/* Tells whether srun has set all variables that a rank needs. */
static bool by_srun(void) {
    const launcher *l = &launchers[N_LAUNCHERS - 1];
    return value_of(l->mark) != NULL && value_of(size_of(l)) != NULL && value_of(l->rank) != NULL;
}

static bool one_task_of_slurm(const launcher *l) {
    const char *size = value_of(size_of(l));
    return l->mpi && value_of("SLURM_STEP_ID") != NULL &&
           value_of("OMPI_COMM_WORLD_SIZE") == NULL && size != NULL && strcmp(size, "1") == 0;
}

/* Returns the launcher that started us; NULL: the environment names none, this process is alone. */
static const launcher *find_launcher(void) {
    for (int i = 0; i < N_LAUNCHERS; i++) {
        const launcher *l = &launchers[i];
        if (l->mark != NULL && value_of(l->mark) == NULL) continue;
        const bool sized = value_of(size_of(l)) != NULL, ranked = value_of(l->rank) != NULL;
        if (!sized && !ranked) continue;
        if (sized != ranked && by_srun()) continue; /* a leftover */
        if (!one_task_of_slurm(l)) return l;
    }
    return NULL;
}

/* ------------------------------------------------------------------ numbers */

/* Returns a variable's number, 0..most; -1: it is not set, or is no such number. */
static int32_t number_of(const char *name, int32_t most) {
    const char *text = value_of(name);
    if (text == NULL || strspn(text, "0123456789") != strlen(text)) return -1;
    errno = 0;
    const long number = strtol(text, NULL, 10);
    return errno == 0 && number <= most ? (int32_t)number : -1;
}

rs_status rg_launch_env_check(rs_error *error) {
    const launcher *l = find_launcher();
    if (l == NULL) return RS_OK;
    const char *size_name = size_of(l);
    const char *set[3] = {size_name, l->rank, l->local}, *texts[3];
    for (int i = 0; i < 3; i++) texts[i] = value_of(set[i]);
    for (int i = 0; i < 2; i++) {
        if (texts[i] != NULL) continue;
        return rs_fail(error, RS_BAD_INPUT,
                       "%s is set and %s is not; a rank needs both, who is alone neither",
                       set[1 - i], set[i]);
    }
    const int32_t size = number_of(size_name, RS_MAX_RANKS);
    if (size < 1) {
        return rs_fail(error, RS_BAD_INPUT, "%s is '%.40s'; it takes the number of ranks, 1..%d",
                       size_name, texts[0], (int)RS_MAX_RANKS);
    }
    for (int i = 1; i < 3; i++) {
        if (texts[i] == NULL || number_of(set[i], size - 1) >= 0) continue;
        return rs_fail(error, RS_BAD_INPUT, "%s is '%.40s'; with %s=%d it takes 0..%d", set[i],
                       texts[i], size_name, (int)size, (int)size - 1);
    }
    return RS_OK;
}

int32_t rg_launch_env_size(void) {
    const launcher *l = find_launcher();
    return l != NULL && rg_launch_env_check(NULL) == RS_OK ? number_of(size_of(l), RS_MAX_RANKS)
                                                           : 0;
}

int32_t rg_launch_env_rank(void) {
    const launcher *l = find_launcher();
    return l != NULL && rg_launch_env_check(NULL) == RS_OK ? number_of(l->rank, RS_MAX_RANKS) : 0;
}

int32_t rg_launch_env_local_rank(void) {
    const launcher *l = find_launcher();
    return l != NULL && rg_launch_env_check(NULL) == RS_OK ? number_of(l->local, RS_MAX_RANKS) : -1;
}

bool rg_launch_env_all_here(void) {
    const launcher *l = find_launcher();
    return l != NULL && rg_launch_env_size() > 0 &&
           number_of(l->n_here, RS_MAX_RANKS) == rg_launch_env_size();
}

rg_launch_mode rg_launch_env_mode(void) {
    return rg_launch_env_size() > 0 ? RG_LAUNCHED : RG_SPAWN;
}

const char *rg_launch_env_launcher(void) {
    const launcher *l = find_launcher();
    return l != NULL ? l->name : NULL;
}

bool rg_launch_env_has_mpi(void) {
    const launcher *l = find_launcher();
    return l != NULL && l->mpi;
}

/* ------------------------------------------------------------------ what the launcher told us */

void rg_launch_env_words(char *out, size_t n_out) {
    assert(n_out > 0);
    const launcher *l = find_launcher();
    size_t end = 0;
    out[0] = '\0';
    if (l == NULL) return;
    const char *const names[] = {l->rank, size_of(l), l->local, "MASTER_ADDR", "MASTER_PORT"};
    for (int i = 0; i < 5 && end < n_out; i++) {
        const char *text = value_of(names[i]);
        if (text == NULL) continue;
        end += (size_t)snprintf(out + end, n_out - end, "%s%s=%s", end == 0 ? "" : " ", names[i],
                                text);
    }
}

/* ------------------------------------------------------------------ which launch this is */

static const char own_token[] = "RINGSIM_JOB";

void rg_launch_env_token(char out[RG_TOKEN_BYTES]) {
    static const struct {
        const char *name, *first, *second;
    } sources[] = {
        {"ringsim", own_token, NULL},
        {"torchrun", "TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT"},
        {"mpirun", "PMIX_NAMESPACE", NULL},
        {"slurm", "SLURM_JOB_ID", "SLURM_STEP_ID"},
    };
    out[0] = '\0';
    for (size_t i = 0; i < sizeof sources / sizeof *sources && out[0] == '\0'; i++) {
        const char *first = value_of(sources[i].first), *second = value_of(sources[i].second);
        if (first == NULL) continue;
        snprintf(out, RG_TOKEN_BYTES, "%s:%.56s%s%.40s", sources[i].name, first,
                 second != NULL ? "." : "", second != NULL ? second : "");
    }
}

void rg_launch_env_new_token(void) {
    uint64_t number = 0;
    char text[24];
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number) {
        number = (uint64_t)getpid() << 40 ^ (uint64_t)rg_now_ps();
    }
    snprintf(text, sizeof text, "%016llx", (unsigned long long)number);
    setenv(own_token, text, 1);
}

void rg_launch_env_set_rank(int32_t rank, int32_t n_ranks, const char *host, const char *port) {
    assert(rank >= 0);
    assert(rank < n_ranks);
    static const char *const numbers[] = {"RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE"};
    for (int i = 0; i < N_LAUNCHERS; i++) { /* forget any launcher that started this program */
        const launcher *l = &launchers[i];
        const char *names[] = {l->mark, l->size, l->other_size, l->rank, l->local};
        for (int k = 0; k < 5; k++) {
            if (names[k] != NULL) unsetenv(names[k]);
        }
    }
    unsetenv("TORCHELASTIC_USE_AGENT_STORE");
    for (int i = 0; i < 4; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d", (int)(i < 2 ? rank : n_ranks));
        setenv(numbers[i], text, 1);
    }
    if (host != NULL) setenv("MASTER_ADDR", host, 1);
    if (port != NULL) setenv("MASTER_PORT", port, 1);
}
