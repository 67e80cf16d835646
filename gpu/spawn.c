/* spawn.c: MPI as a backend: its ranks are processes, which mpirun starts, or has started already.
 *
 *     spawned    this process --> mpirun --> N times this program (serve.c)       rank 0 answers
 *     launched   mpirun --> N times this process, each with MPI in it (mpi/)      each is a rank
 *
 *   - This process never loads MPI when it spawns: a hang or a crash there cannot take it along.
 *   - Ranks that wait for each other longer than they may are given up: who waits for whom is told, and all processes
 *     on this machine are ended, whatever they are doing.
 */
#include "module.h"
#include "pipe.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MARGIN_MS = 2000, GRACE_MS = 700 };
static const int64_t ms_ps = 1000000000;

typedef struct spawned {
    rg_group group;
    rg_child child;
    int64_t *pids; /* of the ranks on this machine */
    size_t n_pids;
    bool broken; /* the ranks are of no use any more */
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

static bool available(const rg_setup *setup, rs_error *error) {
#ifdef HAVE_MPI
    char path[4200];
    if (!rg_module_path(setup, path, sizeof path)) {
        rs_fail(error, RS_UNSUPPORTED,
                "%s lies neither beside the program nor where it is installed", RG_MPI_FILE);
        return false;
    }
    if (setup->start == RG_LAUNCHED || in_path("mpirun")) return true;
    rs_fail(error, RS_UNSUPPORTED, "no mpirun; install Open MPI, see ringsim doctor");
#else
    (void)setup, (void)in_path;
    rs_fail(error, RS_UNSUPPORTED, "built without MPI; see ringsim doctor");
#endif
    return false;
}

/* ------------------------------------------------------------------ start */

/* mpirun's words. More ranks than cores is the usual case here, and nothing is bound to a core. */
static void list_arguments(const rg_setup *setup, char n_ranks[16], char *arguments[32]) {
    static const char always[][24] = {"mpirun", "--oversubscribe", "--bind-to", "none"};
    int n = 0;
    for (int i = 0; i < 4; i++) arguments[n++] = (char *)(uintptr_t)always[i];
    /* mpirun refuses root unless told; in a container there is often nobody else. */
    if (geteuid() == 0) arguments[n++] = (char *)(uintptr_t) "--allow-run-as-root";
    if (setup->hostfile != NULL) {
        arguments[n++] = (char *)(uintptr_t) "--hostfile";
        arguments[n++] = (char *)(uintptr_t)setup->hostfile;
    } else { /* one machine: shared memory, no search for networks */
        static const char local[][12] = {"--mca", "pml", "ob1", "--mca", "btl", "self,vader"};
        for (int i = 0; i < 6; i++) arguments[n++] = (char *)(uintptr_t)local[i];
    }
    static const char rest[][24] = {"-x", RG_SERVE_VARIABLE "=mpi", "-n"};
    for (int i = 0; i < 3; i++) arguments[n++] = (char *)(uintptr_t)rest[i];
    snprintf(n_ranks, 16, "%d", (int)setup->n_ranks);
    arguments[n++] = n_ranks;
    arguments[n++] = (char *)(uintptr_t)setup->program;
    static const char ours[][12] = {"verify", "--on", "mpi", "--gpus"};
    for (int i = 0; i < 4; i++) arguments[n++] = (char *)(uintptr_t)ours[i];
    arguments[n++] = n_ranks;
    arguments[n] = NULL;
}

/* Notes where the ranks run, and which processes they are. */
static bool hear_hello(spawned *s, rg_frame kind, rg_reader *reader) {
    size_t n;
    if (kind != RG_FRAME_HELLO) return false;
    rg_get_text(reader, s->group.where, sizeof s->group.where);
    const void *pids = rg_get_bytes(reader, &n);
    s->pids = malloc(n + 1);
    if (reader->bad || s->pids == NULL) return false;
    if (n > 0) memcpy(s->pids, pids, n);
    s->n_pids = n / sizeof *s->pids;
    return true;
}

static rs_status await_hello(spawned *s, const rg_setup *setup, rs_error *error) {
    const int32_t timeout_ms = setup->timeout_ms > 0 ? setup->timeout_ms : RG_DEFAULT_TIMEOUT_MS;
    rg_frame kind;
    rg_reader reader;
    const rg_heard heard = rg_child_hear(&s->child, rg_now_ps() + timeout_ms * ms_ps, s->group.host,
                                         "starting mpirun", &kind, &reader);
    if (heard == RG_HEARD_FRAME && hear_hello(s, kind, &reader)) return RS_OK;
    if (heard == RG_HEARD_CANCEL) return rs_fail(error, RS_CANCELLED, "cancelled");
    char words[256];
    rg_child_last_words(&s->child, words, sizeof words);
    if (heard == RG_HEARD_LATE) {
        return rs_fail(error, RS_UNSUPPORTED, "mpirun has not started %d ranks within %g s%s%s",
                       (int)s->group.n_ranks, timeout_ms / 1000.0, words[0] ? ": " : "", words);
    }
    return rs_fail(error, RS_UNSUPPORTED, "mpirun ended before its ranks began: %s",
                   words[0] ? words : "it did not say why");
}

static void close_spawned(rg_group *group);

static rs_status open_spawned(const rg_setup *setup, const rs_host *host, rs_error *error,
                              rg_group **group) {
    char n_ranks[16], *arguments[32];
    spawned *s = calloc(1, sizeof *s);
    if (s == NULL) return rs_fail(error, RS_NO_MEMORY, "no memory for a group");
    s->group = (rg_group){&rg_mpi, host, setup->n_ranks, true, ""};
    list_arguments(setup, n_ranks, arguments);
    rs_status status = rg_child_start(arguments, error, &s->child);
    if (status == RS_OK) status = await_hello(s, setup, error);
    if (status == RS_OK) {
        *group = &s->group;
    } else {
        s->broken = true;
        close_spawned(&s->group);
    }
    return status;
}

static rs_status open_mpi(const rg_setup *setup, const rs_host *host, rs_error *error,
                          rg_group **group) {
    if (setup->start == RG_SPAWN) return open_spawned(setup, host, error, group);
    const rg_module *module;
    const rs_status status = rg_module_load(setup, error, &module);
    return status == RS_OK ? module->backend->open(setup, host, error, group) : status;
}

/* ------------------------------------------------------------------ a run */

/* Collects who else waits, for a moment: all have begun at the same time. */
static void hear_waits(spawned *s, rg_reader *reader, rg_result *result) {
    const int64_t deadline_ps = rg_now_ps() + GRACE_MS * ms_ps;
    size_t n = 0;
    rg_frame kind = RG_FRAME_WAITS;
    do {
        char text[320];
        if (kind == RG_FRAME_WAITS) rg_get(reader);
        rg_get_text(reader, text, sizeof text);
        const char *who = strstr(text, ": "); /* the time it took is told once */
        const char *told = n == 0 || who == NULL ? text : who + 2;
        if (kind == RG_FRAME_WAITS && n + strlen(told) + 3 < sizeof result->failure) {
            n += (size_t)snprintf(result->failure + n, sizeof result->failure - n, "%s%s",
                                  n == 0 ? "" : "; ", told);
        }
    } while (rg_child_hear(&s->child, deadline_ps, NULL, "", &kind, reader) == RG_HEARD_FRAME);
}

static void give_up(spawned *s, const rg_job *job, rg_heard heard, rg_result *result) {
    char words[256];
    rg_child_last_words(&s->child, words, sizeof words);
    const int32_t ms = job->timeout_ms > 0 ? job->timeout_ms : RG_DEFAULT_TIMEOUT_MS;
    if (heard == RG_HEARD_LATE) {
        snprintf(result->failure, sizeof result->failure,
                 "no answer within %g s, from no rank: are they stopped?", ms / 1000.0);
    } else {
        snprintf(result->failure, sizeof result->failure, "the ranks ended before the result: %s",
                 words[0] ? words : "mpirun did not say why");
    }
}

static rs_status hear_answer(spawned *s, const rg_job *job, rs_arena *arena, rs_error *error,
                             rg_result *result) {
    const int32_t ms = job->timeout_ms > 0 ? job->timeout_ms : RG_DEFAULT_TIMEOUT_MS;
    rg_frame kind;
    rg_reader reader;
    rg_heard heard;
    do { /* each sign of life gives them as much time again */
        heard = rg_child_hear(&s->child, rg_now_ps() + (ms + MARGIN_MS) * ms_ps, s->group.host,
                              "waiting for the ranks", &kind, &reader);
    } while (heard == RG_HEARD_FRAME && kind == RG_FRAME_ALIVE);
    if (heard == RG_HEARD_FRAME && kind == RG_FRAME_RESULT) {
        return rg_get_result(&reader, s->group.n_ranks, arena, error, result);
    }
    if (heard == RG_HEARD_FRAME && kind == RG_FRAME_ERROR) {
        const rs_status status = (rs_status)rg_get(&reader);
        rg_get_text(&reader, error->text, sizeof error->text);
        return status == RS_OK ? RS_BAD_INPUT : status;
    }
    s->broken = true;
    if (heard == RG_HEARD_CANCEL) return rs_fail(error, RS_CANCELLED, "cancelled");
    result->completed = false;
    if (heard == RG_HEARD_FRAME && kind == RG_FRAME_WAITS) {
        hear_waits(s, &reader, result);
    } else {
        give_up(s, job, heard, result);
    }
    return RS_OK;
}

static rs_status run(rg_group *group, const rg_job *job, rs_arena *arena, rs_error *error,
                     rg_result *result) {
    spawned *s = (spawned *)group;
    rg_writer writer = {0};
    rg_put_job(&writer, job);
    const bool sent = !s->broken && rg_child_send(&s->child, &writer,
                                                  rg_now_ps() + RG_DEFAULT_TIMEOUT_MS * ms_ps);
    const bool whole = !writer.bad;
    free(writer.bytes);
    if (!whole) return rs_fail(error, RS_NO_MEMORY, "no memory to send a job");
    if (sent) return hear_answer(s, job, arena, error, result);
    s->broken = true;
    result->completed = false;
    give_up(s, job, RG_HEARD_END, result);
    return RS_OK;
}

/* ------------------------------------------------------------------ end */

/* Tells whether the process is still one of ours: by now its number may be somebody else's. */
static bool is_rank(int64_t pid) {
    static const char mark[] = "verify\0--on\0mpi";
    char path[64], words[8192];
    snprintf(path, sizeof path, "/proc/%lld/cmdline", (long long)pid);
    FILE *stream = fopen(path, "r");
    if (stream == NULL) return false;
    const size_t n = fread(words, 1, sizeof words, stream);
    fclose(stream);
    return memmem(words, n, mark, sizeof mark) != NULL;
}

/* A rank that is stopped obeys neither mpirun nor SIGTERM. */
static void end_ranks(const spawned *s) {
    for (size_t i = 0; i < s->n_pids; i++) {
        if (is_rank(s->pids[i])) kill((pid_t)s->pids[i], SIGKILL);
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
        rg_child_send(&s->child, &writer, rg_now_ps());
        free(writer.bytes);
    }
    rg_child_end(&s->child, true);
    free(s->pids);
    free(s);
}

const rg_backend rg_mpi = {"mpi", available, open_mpi, run, close_spawned};
