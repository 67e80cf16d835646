/* test_launch_environment.c: what a process makes of the variables with which launchers tell it which rank it is. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/random.h>
#include <unistd.h>

#include "job/backend.h"

/* Stands before the system's: gives a number that is known, or nothing. */
static bool no_random;
ssize_t getrandom(void *bytes, size_t n, unsigned int flags) {
    (void)flags;
    if (no_random) return -1;
    memset(bytes, 0x5a, n);
    return (ssize_t)n;
}

/* Sets exactly these of all variables that count: "RANK=1 WORLD_SIZE=2". */
static void tell(const char *words) {
    static const char *const all[] = {"TORCHELASTIC_RUN_ID",
                                      "WORLD_SIZE",
                                      "RANK",
                                      "LOCAL_RANK",
                                      "OMPI_COMM_WORLD_SIZE",
                                      "OMPI_COMM_WORLD_RANK",
                                      "OMPI_COMM_WORLD_LOCAL_RANK",
                                      "PMI_SIZE",
                                      "PMI_RANK",
                                      "MPI_LOCALRANKID",
                                      "SLURM_STEP_ID",
                                      "SLURM_STEP_NUM_TASKS",
                                      "SLURM_NTASKS",
                                      "SLURM_PROCID",
                                      "SLURM_LOCALID",
                                      "MASTER_ADDR",
                                      "MASTER_PORT"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) unsetenv(all[i]);
    char copy[512];
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        *value = '\0';
        setenv(word, value + 1, 1);
    }
}

static void wants(const char *words, const char *by, int32_t rank, int32_t size, int32_t local) {
    rs_error error = {.text = ""};
    tell(words);
    cr_expect_eq(rg_launch_env_check(&error), RS_OK, "%s: %s", words, error.text);
    cr_expect_eq(rg_launch_env_mode(), size > 0 ? RG_LAUNCHED : RG_SPAWN, "%s", words);
    cr_expect_eq(rg_launch_env_size(), size, "%s: %d", words, (int)rg_launch_env_size());
    cr_expect_eq(rg_launch_env_rank(), rank, "%s: %d", words, (int)rg_launch_env_rank());
    cr_expect_eq(rg_launch_env_local_rank(), local, "%s: %d", words,
                 (int)rg_launch_env_local_rank());
    const char *name = rg_launch_env_launcher();
    cr_expect(by == NULL ? name == NULL : name != NULL && strcmp(name, by) == 0, "%s: by %s", words,
              name != NULL ? name : "nobody");
}

static void wants_error(const char *words, const char *text) {
    rs_error error = {.text = ""};
    tell(words);
    cr_expect_eq(rg_launch_env_check(&error), RS_BAD_INPUT, "%s is taken", words);
    cr_expect(strstr(error.text, text) != NULL, "%s: '%s', not '%s'", words, error.text, text);
}

Test(launch_environment, nobody_said_anything) {
    wants("", NULL, 0, 0, -1);
    wants("RANK= WORLD_SIZE=", NULL, 0, 0, -1);
    wants("LOCAL_RANK=3 MASTER_PORT=29500", NULL, 0, 0, -1);
}

Test(launch_environment, by_torchrun) {
    wants("TORCHELASTIC_RUN_ID=none RANK=5 WORLD_SIZE=8 LOCAL_RANK=1", "torchrun", 5, 8, 1);
    cr_expect_not(rg_launch_env_has_mpi());
}

Test(launch_environment, by_mpirun) {
    wants("OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_LOCAL_RANK=1", "mpirun", 3,
          4, 1);
    cr_expect(rg_launch_env_has_mpi());
    wants("OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0", "mpirun", 0, 1, -1);
    wants("PMI_SIZE=4 PMI_RANK=2 MPI_LOCALRANKID=2", "PMI", 2, 4, 2);
    cr_expect(rg_launch_env_has_mpi());
}

Test(launch_environment, by_hand) {
    wants("RANK=0 WORLD_SIZE=2", "RANK and WORLD_SIZE", 0, 2, -1);
    wants("RANK=1 WORLD_SIZE=2 LOCAL_RANK=0", "RANK and WORLD_SIZE", 1, 2, 0);
    cr_expect_not(rg_launch_env_has_mpi());
}

Test(launch_environment, by_srun_but_not_in_its_batch_script) {
    wants("SLURM_STEP_ID=0 SLURM_PROCID=6 SLURM_NTASKS=8 SLURM_LOCALID=2", "srun", 6, 8, 2);
    wants("SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_NTASKS=8 SLURM_STEP_NUM_TASKS=2 SLURM_LOCALID=1",
          "srun", 1, 2, 1);
    wants("SLURM_PROCID=0 SLURM_NTASKS=8 SLURM_LOCALID=0", NULL, 0, 0, -1);
    /* srun --pty bash: a shell, in which somebody types. */
    wants("SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_NTASKS=1 SLURM_LOCALID=0", NULL, 0, 0, -1);
    wants("SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_NTASKS=1 PMI_SIZE=1 PMI_RANK=0", NULL, 0, 0, -1);
}

Test(launch_environment, the_innermost_launcher_counts) {
    static const char slurm[] = " SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_NTASKS=2 SLURM_LOCALID=0";
    static const char mpi[] = " OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_RANK=2";
    static const char hand[] = " RANK=5 WORLD_SIZE=8 LOCAL_RANK=1";
    char words[400];
    snprintf(words, sizeof words, "TORCHELASTIC_RUN_ID=x%s%s%s", hand, mpi, slurm);
    wants(words, "torchrun", 5, 8, 1);
    snprintf(words, sizeof words, "A=b%s%s%s", hand, mpi, slurm);
    wants(words, "mpirun", 2, 3, -1);
    snprintf(words, sizeof words, "A=b%s%s", hand, slurm);
    wants(words, "RANK and WORLD_SIZE", 5, 8, 1);
    snprintf(words, sizeof words, "WORLD_SIZE=16%s", slurm); /* exported by somebody */
    wants(words, "srun", 1, 2, 0);
    snprintf(words, sizeof words, "RANK=3%s", slurm);
    wants(words, "srun", 1, 2, 0);
}

/* ------------------------------------------------------------------ all that may be set */

/* The variables in the order of the launchers, who has them, and what each is set to. A launch of nine, of which a shell
   under srun is not one. */
enum {
    RUN_ID,
    SIZE,
    RANK,
    OMPI_SIZE,
    OMPI_RANK,
    PMI_SIZE,
    PMI_RANK,
    STEP,
    TASKS,
    NTASKS,
    PROCID,
    N_SET
};
static const struct {
    const char *name;
    int value;
} settings[N_SET] = {
    {"TORCHELASTIC_RUN_ID", 0},
    {"WORLD_SIZE", 9},
    {"RANK", 8},
    {"OMPI_COMM_WORLD_SIZE", 7},
    {"OMPI_COMM_WORLD_RANK", 6},
    {"PMI_SIZE", 5},
    {"PMI_RANK", 4},
    {"SLURM_STEP_ID", 0},
    {"SLURM_STEP_NUM_TASKS", 3},
    {"SLURM_NTASKS", 2},
    {"SLURM_PROCID", 1},
};

typedef struct launch {
    const char *by; /* NULL: nobody */
    int size, rank; /* -1: not said */
} launch;

static launch account_launch(unsigned set, const int value[N_SET]) {
#define SAID(i) ((set >> (i)&1) != 0 ? value[i] : -1)
    const int tasks = SAID(TASKS) >= 0 ? SAID(TASKS) : SAID(NTASKS);
    const bool step = SAID(STEP) >= 0, whole = step && tasks >= 0 && SAID(PROCID) >= 0;
    const launch all[] = {{"torchrun", SAID(SIZE), SAID(RANK)},
                          {"mpirun", SAID(OMPI_SIZE), SAID(OMPI_RANK)},
                          {"PMI", SAID(PMI_SIZE), SAID(PMI_RANK)},
                          {"RANK and WORLD_SIZE", SAID(SIZE), SAID(RANK)},
                          {"srun", tasks, SAID(PROCID)}};
    for (int i = 0; i < 5; i++) {
        const bool half = (all[i].size < 0) != (all[i].rank < 0);
        const bool shell = step && SAID(OMPI_SIZE) < 0 && all[i].size == 1 && (i == 2 || i == 4);
        if (i == 0 && SAID(RUN_ID) < 0) continue;
        if (i == 4 && !step) continue;
        if (all[i].size < 0 && all[i].rank < 0) continue;
        if ((half && whole) || shell) continue;
        return all[i];
    }
    return (launch){NULL, -1, -1};
#undef SAID
}

Test(launch_environment, of_all_that_may_be_set_the_right_one_counts) {
    for (unsigned code = 0; code < 4u << N_SET; code++) {
        const unsigned set = code % (1u << N_SET), ones = code >> N_SET;
        int value[N_SET];
        char words[400] = "";
        for (int i = 0; i < N_SET; i++) {
            const bool pmi = i == PMI_SIZE || i == PMI_RANK, slurm = i >= TASKS;
            value[i] = settings[i].value;
            if ((pmi && ones % 2 == 1) || (slurm && ones / 2 == 1)) {
                value[i] = i != PMI_RANK && i != PROCID; /* rank 0 of 1 */
            }
            if ((set >> i & 1) == 0) continue;
            sprintf(words + strlen(words), "%s=%d ", settings[i].name, value[i]);
        }
        const launch wanted = account_launch(set, value);
        const bool good = wanted.size >= 0 && wanted.rank >= 0;
        rs_error error = {.text = ""};
        tell(words);
        const char *by = rg_launch_env_launcher();
        cr_assert(by == NULL ? wanted.by == NULL : wanted.by != NULL && strcmp(by, wanted.by) == 0,
                  "%s: by %s", words, by);
        cr_assert_eq(rg_launch_env_check(&error) == RS_OK, good || by == NULL, "%s", words);
        cr_assert_eq(rg_launch_env_size(), good ? wanted.size : 0, "%s", words);
        cr_assert_eq(rg_launch_env_rank(), good ? wanted.rank : 0, "%s", words);
        cr_assert_eq(rg_launch_env_mode(), good ? RG_LAUNCHED : RG_SPAWN, "%s", words);
    }
}

Test(launch_environment, a_launch_has_a_name_that_no_other_has) {
    char token[RG_TOKEN_BYTES], other[RG_TOKEN_BYTES];
    unsetenv("RINGSIM_JOB");
    tell("RANK=0 WORLD_SIZE=2");
    rg_launch_env_token(token);
    cr_expect_str_empty(token);
    tell("SLURM_STEP_ID=4");
    setenv("SLURM_JOB_ID", "1234", 1);
    rg_launch_env_token(token);
    cr_expect_str_eq(token, "slurm:1234.4");
    tell("TORCHELASTIC_RUN_ID=x");
    rg_launch_env_token(token);
    cr_expect_str_eq(token, "torchrun:x");
    setenv("TORCHELASTIC_RESTART_COUNT", "2", 1);
    rg_launch_env_token(token);
    cr_expect_str_eq(token, "torchrun:x.2");
    rg_launch_env_new_token();
    rg_launch_env_token(token);
    cr_expect_str_eq(token, "ringsim:5a5a5a5a5a5a5a5a");
    no_random = true;
    rg_launch_env_new_token();
    rg_launch_env_token(token);
    rg_launch_env_new_token();
    rg_launch_env_token(other);
    cr_expect_str_neq(token, other);
}

Test(launch_environment, what_makes_no_sense_is_told_by_its_name) {
    wants_error("RANK=7 WORLD_SIZE=4", "RANK is '7'; with WORLD_SIZE=4 it takes 0..3");
    wants_error("RANK=1", "RANK is set and WORLD_SIZE is not");
    wants_error("WORLD_SIZE=4", "WORLD_SIZE is set and RANK is not");
    wants_error("RANK=one WORLD_SIZE=4", "RANK is 'one'");
    wants_error("RANK=1 WORLD_SIZE=4x", "WORLD_SIZE is '4x'; it takes the number of ranks");
    wants_error("RANK=0 WORLD_SIZE=0", "WORLD_SIZE is '0'");
    wants_error("RANK=-1 WORLD_SIZE=4", "RANK is '-1'");
    wants_error("RANK=1 WORLD_SIZE=99999999999999999999", "WORLD_SIZE is '9999");
    wants_error("RANK=1 WORLD_SIZE=4 LOCAL_RANK=4", "LOCAL_RANK is '4'; with WORLD_SIZE=4");
    wants_error("OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=2", "OMPI_COMM_WORLD_RANK is '2'");
    wants_error("PMI_RANK=0", "PMI_RANK is set and PMI_SIZE is not");
    wants_error("SLURM_STEP_ID=0 SLURM_NTASKS=2", "SLURM_NTASKS is set and SLURM_PROCID is not");
    wants_error("TORCHELASTIC_RUN_ID=x LOCAL_RANK=0 RANK=0", "WORLD_SIZE is not");
}

Test(launch_environment, mpi_wants_a_launcher_of_mpi) {
    const char *dirs[] = {getenv("BUILD") != NULL ? getenv("BUILD") : "build", NULL};
    const rg_setup setup = {.n_ranks = 2, .mode = RG_LAUNCHED, .module_dirs = dirs};
    rs_error error = {.text = ""};
    tell("OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0");
    if (!rg_available(RG_MPI, &setup, &error)) cr_skip_test("%s", error.text);
    tell("TORCHELASTIC_RUN_ID=x RANK=0 WORLD_SIZE=2");
    cr_assert_not(rg_available(RG_MPI, &setup, &error));
    cr_assert(strstr(error.text, "started by torchrun; MPI needs mpirun") != NULL, "%s",
              error.text);
}

/* Whoever starts ranks by MPI finds an mpirun that can be run in one of PATH's folders. */
Test(launch_environment, mpirun_is_looked_for_in_all_of_PATH) {
    const char *dirs[] = {getenv("BUILD") != NULL ? getenv("BUILD") : "build", NULL};
    const rg_setup setup = {.n_ranks = 2, .mode = RG_SPAWN, .module_dirs = dirs};
    rs_error error = {.text = ""};
    tell("");
    if (!rg_available(RG_MPI, &setup, &error)) cr_skip_test("%s", error.text);
    char folders[4][64] = {"", "", "", "/nobody/is/here"}, file[320]; /* runs, only read, without */
    for (int i = 0; i < 3; i++) {
        strcpy(folders[i], "/tmp/ringsim-path-XXXXXX");
        cr_assert_not_null(mkdtemp(folders[i]));
        snprintf(file, sizeof file, "%s/mpirun", folders[i]);
        if (i < 2) close(open(file, O_CREAT | O_WRONLY, i == 0 ? 0700 : 0600));
    }
    for (int code = 0; code < 6 * 6 * 6; code++) { /* 4: an empty name, 5: none */
        char path[300] = "";
        bool found = false;
        for (int rest = code, i = 0; i < 3; i++, rest /= 6) {
            if (rest % 6 == 5) continue;
            if (path[0] != '\0' || i == 2) strcat(path, ":");
            if (rest % 6 < 4) strcat(path, folders[rest % 6]);
            found = found || rest % 6 == 0;
        }
        setenv("PATH", path, 1);
        cr_expect_eq(rg_available(RG_MPI, &setup, &error), found, "PATH=%s", path);
        if (!found) cr_expect_not_null(strstr(error.text, "no mpirun"), "%s", error.text);
    }
    unsetenv("PATH");
    cr_expect_not(rg_available(RG_MPI, &setup, &error));
    for (int i = 0; i < 3; i++) {
        snprintf(file, sizeof file, "%s/mpirun", folders[i]);
        unlink(file);
        rmdir(folders[i]);
    }
}

Test(launch_environment, what_a_rank_was_told_can_be_listed) {
    char words[200];
    tell("RANK=1 WORLD_SIZE=4 LOCAL_RANK=1 MASTER_ADDR=node1 MASTER_PORT=29500");
    rg_launch_env_words(words, sizeof words);
    cr_assert_str_eq(words, "RANK=1 WORLD_SIZE=4 LOCAL_RANK=1 MASTER_ADDR=node1 MASTER_PORT=29500");
    for (size_t n = 1; n <= strlen(words) + 1; n++) {
        char cut[200];
        memset(cut, 'x', sizeof cut);
        rg_launch_env_words(cut, n);
        cr_assert(strlen(cut) == n - 1 && strncmp(cut, words, n - 1) == 0, "%zu: %s", n, cut);
    }
    tell("MASTER_PORT=29500");
    rg_launch_env_words(words, sizeof words);
    cr_assert_str_eq(words, "");
}

Test(launch_environment, who_becomes_a_rank_is_told_nothing_else) {
    tell("PMI_SIZE=7 PMI_RANK=6 TORCHELASTIC_RUN_ID=x SLURM_STEP_ID=1 SLURM_NTASKS=9 RANK=3");
    rg_launch_env_set_rank(2, 5, "127.0.0.1", "4711");
    char words[200];
    rg_launch_env_words(words, sizeof words);
    cr_assert_str_eq(words,
                     "RANK=2 WORLD_SIZE=5 LOCAL_RANK=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=4711");
    cr_assert_str_eq(getenv("LOCAL_WORLD_SIZE"), "5");
    cr_assert_str_eq(rg_launch_env_launcher(), "RANK and WORLD_SIZE");
    cr_assert_eq(getenv("SLURM_STEP_ID"), NULL);
}
