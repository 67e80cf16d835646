/* test_spawn_words.c: what is started for ranks, with which words, and where mpirun is looked for.
 *
 * The program, and mpirun, is a script that writes down what it was told, says hello, and keeps what comes.
 */
#include "config.h"
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/backend_module.h"
#include "process/pipe.h"

static char folder[] = "/tmp/ringsim-words-XXXXXX", program[64];
static uid_t user; /* who we say that we are */

uid_t geteuid(void) {
    return user;
}

static const char *path_of(const char *name) {
    static char path[80];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const void *bytes, size_t n) {
    FILE *file = fopen(path_of(name), "wb");
    cr_assert_not_null(file);
    fwrite(bytes, 1, n, file);
    fclose(file);
}

static size_t read_file(const char *name, char *out, size_t n_out) {
    FILE *file = fopen(path_of(name), "rb");
    cr_assert_not_null(file, "no %s", name);
    const size_t n = fread(out, 1, n_out - 1, file);
    out[n] = '\0';
    fclose(file);
    return n;
}

static void begin(void) {
    static const char script[] =
        "#!/bin/sh\nPATH=/usr/bin:/bin\n"
        "echo \"$RINGSIM_RANK_OF\" >$SAID/words\n"
        "for word in \"$@\"; do printf '%s\\n' \"$word\" >>$SAID/words; done\n"
        "cat $SAID/hello\ncat >$SAID/sent\n";
    cr_assert_not_null(mkdtemp(folder));
    setenv("SAID", folder, 1);
    snprintf(program, sizeof program, "%s/ranks", folder);
    write_file("ranks", script, sizeof script - 1);
    write_file("mpirun", script, sizeof script - 1);
    chmod(path_of("ranks"), 0700);
    chmod(path_of("mpirun"), 0700);
    rg_writer w = {0};
    rg_begin_frame(&w, RG_FRAME_HELLO);
    rg_put_bytes(&w, "some place", 10);
    rg_put_bytes(&w, "", 0);
    rg_end_frame(&w);
    write_file("hello", w.bytes, w.n);
    free(w.bytes);
    unsetenv(RG_SERVE_VARIABLE);
}

static void end(void) {
    static const char *const names[] = {"ranks", "mpirun",    "words", "hello",
                                        "sent",  RG_MPI_FILE, "x"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(path_of(names[i]));
    rmdir(folder);
}

TestSuite(spawn_words, .init = begin, .fini = end, .timeout = 20);

/* ------------------------------------------------------------------ the words */

static void wants_words(const rg_backend *backend, const rg_setup *setup, const char *wanted) {
    char words[2000], sent[200];
    rs_error error = {.text = ""};
    rg_group *group = NULL;
    rg_writer w = {0};
    cr_assert_eq(backend->open(setup, NULL, &error, &group), RS_OK, "%s", error.text);
    cr_expect_null(getenv(RG_SERVE_VARIABLE), "who starts ranks is none");
    cr_expect_str_eq(rg_group_where(group), "some place");
    cr_expect(rg_group_reports(group));
    read_file("words", words, sizeof words);
    cr_expect_str_eq(words, wanted, "told:\n%s\nnot:\n%s", words, wanted);
    rg_group_close(group); /* waits for it */
    rg_begin_frame(&w, RG_FRAME_END);
    rg_end_frame(&w);
    const size_t n = read_file("sent", sent, sizeof sent);
    cr_expect(n == w.n && memcmp(sent, w.bytes, n) == 0, "it is told the end, and nothing else");
    free(w.bytes);
}

/* How long, where they meet: for the ranks that we start. 0: the usual time. */
Test(spawn_words, a_starter_of_ours_is_told_how_long_and_where) {
    static const char *const inits[] = {NULL, "env://", "tcp://127.0.0.1:29500", "file:///tmp/a b"};
    static const int32_t timeouts[] = {0, 1, 2500, 86400000};
    for (int i = 0; i < 16; i++) {
        const rg_setup setup = {.n_ranks = 1 + 37 * i,
                                .program = program,
                                .init = inits[i % 4],
                                .hostfile = i % 2 ? "hosts" : NULL,
                                .timeout_ms = timeouts[i / 4]};
        char wanted[500];
        snprintf(wanted, sizeof wanted,
                 "nccl\nverify\n--on\nnccl\n--gpus\n%d\n--timeout\n%dms\n%s%s%s", 1 + 37 * i,
                 i < 4 ? 60000 : (int)timeouts[i / 4], setup.init != NULL ? "--init\n" : "",
                 setup.init != NULL ? setup.init : "", setup.init != NULL ? "\n" : "");
        user = (uid_t)(i % 3); /* makes no difference */
        wants_words(&rg_nccl_backend, &setup, wanted);
    }
}

/* Its own words, then the program and its words, by which its processes are known later. */
Test(spawn_words, mpirun_is_told_how_many_where_and_what) {
    char path[4200];
    snprintf(path, sizeof path, "%s:%s", folder, getenv("PATH"));
    setenv("PATH", path, 1);
    for (int i = 0; i < 12; i++) {
        const rg_setup setup = {.n_ranks = 1 + 11 * i,
                                .program = program,
                                .init = i % 2 ? "tcp://127.0.0.1:29500" : NULL,
                                .hostfile = i / 2 % 2 ? "my hosts" : NULL,
                                .timeout_ms = i % 3 * 20000};
        char wanted[500];
        user = (uid_t)(i / 4);
        snprintf(wanted, sizeof wanted,
                 "\n--oversubscribe\n--bind-to\nnone\n%s%s-x\nRINGSIM_RANK_OF=mpi\n-n\n%d\n%s\n"
                 "verify\n--on\nmpi\n--gpus\n%d\n",
                 user == 0 ? "--allow-run-as-root\n" : "",
                 setup.hostfile != NULL ? "--hostfile\nmy hosts\n"
                                        : "--mca\npml\nob1\n--mca\nbtl\nself,vader\n",
                 1 + 11 * i, program, 1 + 11 * i);
        wants_words(&rg_mpi, &setup, wanted);
    }
}

Test(spawn_words, who_is_not_there_is_named) {
    const rg_setup setup = {.n_ranks = 2, .program = "/nowhere/ringsim"};
    rs_error error = {.text = ""};
    rg_group *group = NULL;
    setenv("PATH", "/nowhere", 1);
    cr_expect_eq(rg_nccl_backend.open(&setup, NULL, &error, &group), RS_UNSUPPORTED);
    cr_expect_str_eq(error.text, "/nowhere/ringsim cannot be started: No such file or directory");
    cr_expect_eq(rg_mpi.open(&setup, NULL, &error, &group), RS_UNSUPPORTED);
    cr_expect_str_eq(error.text, "mpirun cannot be started: No such file or directory");
    cr_expect_null(group);
}

/* ------------------------------------------------------------------ where mpirun is */

#ifdef HAVE_MPI

static bool is_available(const rg_setup *setup, rs_error *error) {
    memset(error, 0, sizeof *error);
    return rg_mpi.available(setup, error);
}

/* Any list of up to four places: it is there when one of them has it, wherever that stands in the list. */
Test(spawn_words, mpirun_is_found_in_any_place_of_the_path) {
    const char *const dirs[] = {"/nowhere", folder, NULL};
    const rg_setup setup = {.n_ranks = 2, .module_dirs = dirs};
    const char *const places[] = {"", "/", "/nowhere", folder};
    rs_error error;
    write_file(RG_MPI_FILE, "", 0);
    for (int kind = 0; kind < 3; kind++) { /* there, no program, not there */
        if (kind == 1) chmod(path_of("mpirun"), 0600);
        if (kind == 2) unlink(path_of("mpirun"));
        for (int i = 0; i < 4 * 256; i++) {
            char path[400] = "";
            bool there = false;
            for (int k = 0, rest = i / 4; k <= i % 4; k++, rest /= 4) {
                if (k > 0) strcat(path, ":");
                strcat(path, places[rest % 4]);
                there = there || (rest % 4 == 3 && kind == 0);
            }
            setenv("PATH", path, 1);
            cr_expect_eq(is_available(&setup, &error), there, "'%s', %d", path, kind);
            cr_expect_str_eq(error.text,
                             there ? "" : "no mpirun; install Open MPI, see ringsim doctor", "%s",
                             path);
        }
    }
    unsetenv("PATH");
    cr_expect_not(is_available(&setup, &error));
}

/* A process that was launched needs no mpirun, but a launcher that MPI knows. */
Test(spawn_words, who_was_launched_needs_a_launcher_that_mpi_knows) {
    static const struct {
        const char *variables[3], *name; /* NULL: MPI knows it */
    } launchers[] = {{{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", NULL}, NULL},
                     {{"PMI_SIZE", "PMI_RANK", NULL}, NULL},
                     {{"WORLD_SIZE", "RANK", NULL}, "RANK and WORLD_SIZE"},
                     {{"WORLD_SIZE", "RANK", "TORCHELASTIC_RUN_ID"}, "torchrun"},
                     {{NULL}, "nobody"}};
    const char *const dirs[] = {folder, NULL};
    const rg_setup setup = {.n_ranks = 1, .mode = RG_LAUNCHED, .module_dirs = dirs};
    setenv("PATH", "/nowhere", 1);
    for (int with_module = 0; with_module < 2; with_module++) {
        if (with_module) write_file(RG_MPI_FILE, "", 0);
        for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
            const char *const *v = launchers[i].variables;
            char wanted[200] = "";
            rs_error error;
            for (int k = 0; k < 3 && v[k] != NULL; k++) setenv(v[k], k == 1 ? "0" : "1", 1);
            const bool is = is_available(&setup, &error);
            for (int k = 0; k < 3 && v[k] != NULL; k++) unsetenv(v[k]);
            cr_expect_eq(is, with_module && launchers[i].name == NULL);
            if (!with_module) {
                snprintf(wanted, sizeof wanted,
                         "%s lies neither beside the program nor where it "
                         "is installed",
                         RG_MPI_FILE);
            } else if (!is) {
                snprintf(wanted, sizeof wanted,
                         "these ranks were started by %s; MPI needs mpirun, or srun",
                         launchers[i].name);
            }
            cr_expect_str_eq(error.text, wanted, "'%s'", error.text);
        }
    }
}

#endif
