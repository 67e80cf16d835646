/* spawn.c: the backends whose ranks are processes, mpi and nccl, as this process sees them.
 *
 *     spawned    mpi    this process --> mpirun --> N times this program (serve.c)      rank 0 answers
 *                nccl   this process --> this program, which forks N ranks (local_launcher.c)    rank 0 answers
 *     launched   mpirun, srun, torchrun --> N times this process: each is a rank
 *
 *   - When it spawns, this process loads no MPI and makes no communicator: a hang or a crash there
 *     does not affect it.
 *   - When ranks wait for each other too long this process gives up: it says who waits for whom, and
 *     ends all ranks on this machine, whatever they are doing.
 */
#define _GNU_SOURCE 1 /* memmem: BSD */
#include "config.h"
#include "process/backend_module.h"
#include "process/pipe.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MARGIN_MS = 2000 };
typedef struct spawned {
    rg_group group;
    rg_kind kind;
    rg_child child;
    int64_t *pids; /* of the ranks on this machine */
    size_t n_pids;
    bool broken; /* the ranks can run no more jobs */
} spawned;

/* ------------------------------------------------------------------ what is here */

static bool in_path(const char *program) {
    for (const char *path = getenv("PATH"); path != NULL && *path != '\0';) {
        char file[1024];
        const size_t n = strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/%s", (int)n, path, program);
        if (access(file, X_OK) == 0) return true;
        path += n + (path[n] == ':');
    }
    return false;
}

static bool mpi_available(const rg_setup *setup, rs_error *error) {
#ifdef HAVE_MPI
    char path[4200];
    if (!rg_module_path(setup, path, sizeof path)) {
        rs_fail(error, RS_UNSUPPORTED,
                "%s lies neither beside the program nor where it is installed", RG_MPI_FILE);
    } else if (setup->mode == RG_LAUNCHED && !rg_launch_env_has_mpi()) {
        rs_fail(error, RS_UNSUPPORTED, "these ranks were started by %s; MPI needs mpirun, or srun",
                rg_launch_env_launcher() != NULL ? rg_launch_env_launcher() : "nobody");
    } else if (setup->mode == RG_LAUNCHED || in_path("mpirun")) {
        return true;
    } else {
        rs_fail(error, RS_UNSUPPORTED, "no mpirun; install Open MPI, see ringsim doctor");
    }
#else
    (void)setup, (void)in_path;
    rs_fail(error, RS_UNSUPPORTED, "built without MPI; see ringsim doctor");
#endif
    return false;
}

static bool nccl_available(const rg_setup *setup, rs_error *error) {
    const rg_module *module;
    return rg_module_get(RG_NCCL, setup, error, &module) == RS_OK &&
           module->backend->available(setup, error);
}

/* ------------------------------------------------------------------ start */

typedef struct command_words { /* of a command line */
    const char *list[40];      /* then NULL */
    int n;
    char n_ranks[16], timeout[24];
} command_words;

static void add(command_words *w, const char *word) {
    assert(w->n + 1 < (int)(sizeof w->list / sizeof w->list[0]));
    w->list[w->n++] = word;
}

static void add_all(command_words *w, const char *const list[]) {
    for (int i = 0; list[i] != NULL; i++) add(w, list[i]);
}

/* Adds mpirun's options. Usually there are more ranks than cores here, so we bind no rank to a
   core. */
static void add_mpirun(command_words *w, const rg_setup *setup) {
    static const char *const always[] = {"mpirun", "--oversubscribe", "--bind-to", "none", NULL};
    /* One machine: shared memory, no search for networks. */
    static const char *const local[] = {"--mca", "pml", "ob1", "--mca", "btl", "self,vader", NULL};
    add_all(w, always);
    /* mpirun refuses root by default; in a container there is often no other user. */
    if (geteuid() == 0) add(w, "--allow-run-as-root");
    if (setup->hostfile != NULL) {
        add(w, "--hostfile");
        add(w, setup->hostfile);
    } else {
        add_all(w, local);
    }
    add(w, "-x");
    add(w, RG_SERVE_VARIABLE "=mpi");
    add(w, "-n");
    add(w, w->n_ranks);
}

/* Adds the program's own arguments, by which is_rank recognises the ranks. */
static void add_program(command_words *w, rg_kind kind, const rg_setup *setup) {
    add(w, setup->program);
    add(w, "verify");
    add(w, "--on");
    add(w, rg_kind_name(kind));
    add(w, "--gpus");
    add(w, w->n_ranks);
    if (kind == RG_MPI) return; /* mpirun connects them, with deadlines of its own */
    add(w, "--timeout");
    add(w, w->timeout);
    if (setup->init == NULL) return;
    add(w, "--init");
    add(w, setup->init);
}

static rs_status start(spawned *s, const rg_setup *setup, rs_error *error) {
    command_words w = {.n = 0};
    snprintf(w.n_ranks, sizeof w.n_ranks, "%d", (int)setup->n_ranks);
    snprintf(w.timeout, sizeof w.timeout, "%dms", (int)rg_timeout_ms(setup->timeout_ms));
    if (s->kind == RG_MPI) add_mpirun(&w, setup);
    add_program(&w, s->kind, setup);
    if (s->kind == RG_NCCL) setenv(RG_SERVE_VARIABLE, "nccl", 1); /* mpirun is told by -x */
    const rs_status status = rg_child_start((char *const *)(uintptr_t)w.list, error, &s->child);
    unsetenv(RG_SERVE_VARIABLE);
    return status;
}

/* Returns what messages call the launcher. */
static const char *launcher_of(const spawned *s) {
    return s->kind == RG_MPI ? "mpirun" : "their starter";
}

/* Notes where the ranks run, and which processes they are. */
static bool receive_hello(spawned *s, rg_frame kind, rg_reader *reader) {
    size_t n;
    if (kind != RG_FRAME_HELLO) return false;
    rg_get_text(reader, s->group.where, sizeof s->group.where);
    const void *pids = rg_get_bytes(reader, &n);
    s->pids = malloc(n + 1);
    if (reader->bad || s->pids == NULL) return false;
    if (n > 0) memcpy(s->pids, pids, n);
    s->n_pids = n / sizeof *s->pids;
    const void *library = rg_get_bytes(reader, &n);
    if (n == sizeof s->group.library) memcpy(&s->group.library, library, n);
    return true;
}

/* Ranks that find each other report missing ranks themselves: their deadline comes first. */
static int64_t hello_deadline(const spawned *s, int32_t timeout_ms) {
    return rg_now_ps() + (timeout_ms + (s->kind == RG_MPI ? 0 : MARGIN_MS)) * RG_MS_PS;
}

static rs_status receive_error(rg_reader *reader, rs_error *error) {
    const rs_status status = (rs_status)rg_get(reader);
    rg_get_text(reader, error->text, sizeof error->text);
    return status == RS_OK ? RS_BAD_INPUT : status;
}

static rs_status await_hello(spawned *s, const rg_setup *setup, rs_error *error) {
    const int32_t timeout_ms = rg_timeout_ms(setup->timeout_ms);
    rg_frame kind;
    rg_reader reader;
    const rg_pipe_status got = rg_child_receive(&s->child, hello_deadline(s, timeout_ms),
                                                s->group.host, "starting ranks", &kind, &reader);
    if (got == RG_PIPE_FRAME && kind == RG_FRAME_ERROR) return receive_error(&reader, error);
    if (got == RG_PIPE_FRAME && receive_hello(s, kind, &reader)) return RS_OK;
    if (got == RG_PIPE_CANCEL) return rs_fail(error, RS_CANCELLED, "cancelled");
    char last_words[256];
    rg_child_last_words(&s->child, last_words, sizeof last_words);
    if (got == RG_PIPE_LATE) {
        return rs_fail(error, RS_UNSUPPORTED, "%s has not started %d ranks within %g s%s%s",
                       launcher_of(s), (int)s->group.n_ranks, timeout_ms / 1000.0,
                       last_words[0] ? ": " : "", last_words);
    }
    return rs_fail(error, RS_UNSUPPORTED, "%s ended before its ranks began: %s", launcher_of(s),
                   last_words[0] ? last_words : "it did not say why");
}

/* Two of Open MPI's mpirun that begin and end at once may take each other's folder for scratch files away. */
static bool lost_its_folder(const spawned *s) {
    return s->kind == RG_MPI && strstr(s->child.errors, "session_dir.c") != NULL;
}

static void close_spawned(rg_group *group);

static rs_status open_spawned(rg_kind kind, const rg_backend *backend, const rg_setup *setup,
                              const rs_host *host, rs_error *error, rg_group **group) {
    spawned *s = calloc(1, sizeof *s);
    if (s == NULL) return rs_no_memory(error);
    s->group =
        (rg_group){.backend = backend, .host = host, .n_ranks = setup->n_ranks, .reports = true};
    s->kind = kind;
    rs_status status;
    int more = 3;
    do {
        rg_child_end(&s->child, true); /* of the try before */
        status = start(s, setup, error);
        if (status == RS_OK) status = await_hello(s, setup, error);
    } while (status == RS_UNSUPPORTED && more-- > 0 && lost_its_folder(s));
    if (status == RS_OK) {
        *group = &s->group;
    } else {
        s->broken = true;
        close_spawned(&s->group);
    }
    return status;
}

static rs_status open_any(rg_kind kind, const rg_backend *backend, const rg_setup *setup,
                          const rs_host *host, rs_error *error, rg_group **group) {
    if (setup->mode == RG_SPAWN) return open_spawned(kind, backend, setup, host, error, group);
    const rg_module *module;
    const rs_status status = rg_module_get(kind, setup, error, &module);
    return status == RS_OK ? module->backend->open(setup, host, error, group) : status;
}

static rs_status open_mpi(const rg_setup *setup, const rs_host *host, rs_error *error,
                          rg_group **group) {
    return open_any(RG_MPI, &rg_mpi, setup, host, error, group);
}

static rs_status open_nccl(const rg_setup *setup, const rs_host *host, rs_error *error,
                           rg_group **group) {
    return open_any(RG_NCCL, &rg_nccl_backend, setup, host, error, group);
}

/* ------------------------------------------------------------------ a run */

static void give_up(spawned *s, const rg_job *job, rg_pipe_status got, rg_result *result) {
    char last_words[256];
    rg_child_last_words(&s->child, last_words, sizeof last_words);
    const int32_t ms = rg_timeout_ms(job->timeout_ms);
    if (got == RG_PIPE_LATE) {
        snprintf(result->failure, sizeof result->failure,
                 "no answer within %g s, from no rank: are they stopped?", ms / 1000.0);
    } else {
        snprintf(result->failure, sizeof result->failure, "the ranks ended before the result: %s%s",
                 last_words[0] ? last_words : launcher_of(s),
                 last_words[0] ? "" : " did not say why");
    }
}

static rs_status receive_answer(spawned *s, const rg_job *job, rs_arena *arena, rs_error *error,
                                rg_result *result) {
    const int32_t ms = rg_timeout_ms(job->timeout_ms);
    rg_frame kind;
    rg_reader reader;
    rg_pipe_status got;
    do { /* after each sign of life they have the whole time again */
        got = rg_child_receive(&s->child, rg_now_ps() + (ms + MARGIN_MS) * RG_MS_PS, s->group.host,
                               "waiting for the ranks", &kind, &reader);
    } while (got == RG_PIPE_FRAME && kind == RG_FRAME_ALIVE);
    if (got == RG_PIPE_FRAME && kind == RG_FRAME_RESULT) {
        return rg_get_result(&reader, s->group.n_ranks, arena, error, result);
    }
    if (got == RG_PIPE_FRAME && kind == RG_FRAME_ERROR) return receive_error(&reader, error);
    s->broken = true;
    if (got == RG_PIPE_CANCEL) return rs_fail(error, RS_CANCELLED, "cancelled");
    result->completed = false;
    if (got == RG_PIPE_FRAME && kind == RG_FRAME_WAITS) {
        result->stuck = rs_alloc(arena, (size_t)s->group.n_ranks, sizeof *result->stuck);
        rg_child_waits(&s->child, s->group.n_ranks, ms, &reader, result);
    } else {
        give_up(s, job, got, result);
    }
    return RS_OK;
}

static rs_status run(rg_group *group, const rg_job *job, rs_arena *arena, rs_error *error,
                     rg_result *result) {
    spawned *s = (spawned *)group;
    rg_writer writer = {0};
    rg_put_job(&writer, job);
    const bool sent = !s->broken && rg_write_frame(s->child.in, &writer,
                                                   rg_now_ps() + RG_DEFAULT_TIMEOUT_MS * RG_MS_PS);
    const bool whole = !writer.bad;
    free(writer.bytes);
    if (!whole) return rs_no_memory(error);
    if (sent) return receive_answer(s, job, arena, error, result);
    s->broken = true;
    result->completed = false;
    give_up(s, job, RG_PIPE_END, result);
    return RS_OK;
}

/* ------------------------------------------------------------------ end */

/* Tells whether the process is still one of our ranks: the system may have given its id to another
   process. */
static bool is_rank(const spawned *s, int64_t pid) {
    char path[64], line[8192], mark[32] = "verify\0--on\0";
    const size_t n_mark = sizeof "verify\0--on" + strlen(rg_kind_name(s->kind)) + 1;
    strcpy(mark + sizeof "verify\0--on", rg_kind_name(s->kind));
    snprintf(path, sizeof path, "/proc/%lld/cmdline", (long long)pid);
    FILE *stream = fopen(path, "r");
    if (stream == NULL) return false;
    const size_t n = fread(line, 1, sizeof line, stream);
    fclose(stream);
    return memmem(line, n, mark, n_mark) != NULL;
}

/* Kills the ranks: one that is stopped obeys neither mpirun nor SIGTERM. */
static void end_ranks(const spawned *s) {
    for (size_t i = 0; i < s->n_pids; i++) {
        if (is_rank(s, s->pids[i])) kill((pid_t)s->pids[i], SIGKILL);
    }
}

static void close_spawned(rg_group *group) {
    spawned *s = (spawned *)group;
    if (s->broken) {
        end_ranks(s);
    } else {
        rg_writer writer = {0};
        rg_begin_frame(&writer, RG_FRAME_END);
        rg_end_frame(&writer);
        rg_write_frame(s->child.in, &writer, rg_now_ps());
        free(writer.bytes);
    }
    rg_child_end(&s->child, true);
    free(s->pids);
    free(s);
}

const rg_backend rg_mpi = {"mpi", mpi_available, open_mpi, run, close_spawned};
const rg_backend rg_nccl_backend = {"nccl", nccl_available, open_nccl, run, close_spawned};
