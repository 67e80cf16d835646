/* serve.c: a spawned rank: runs the jobs that come through a pipe. The other end is spawn.c.
 *
 *     parent --- JOB ---> rank 0 --- share ---> all ranks: rg_group_run --> vote
 *     parent <-- RESULT - rank 0                each rank that waits too long: WAITS
 *
 * All ranks write to the same pipe: short frames, which go through it in one piece, and rank 0's
 * results, while no other rank writes. This program forks the ranks of nccl (local_launcher.c);
 * mpirun starts those of mpi.
 *
 * The ranks end when the parent says so, or when its end of the pipe closes, as it does when the
 * parent dies.
 */
#define _GNU_SOURCE 1 /* usleep: BSD */
#include "base/containers.h"
#include "process/backend_module.h"
#include "process/pipe.h"
#include "process/local_launcher.h"
#include "ranks/communicator.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int rg_served_kind(void) {
    const char *kind = getenv(RG_SERVE_VARIABLE);
    for (int k = 0; kind != NULL && k < RG_N_KINDS; k++) {
        if (strcmp(kind, rg_kind_name((rg_kind)k)) == 0) return k;
    }
    return -1;
}

/* Rank 0 sends a sign of life so often, so that the parent can tell a long run from a hang. */
enum { ALIVE_MS = 200 };

typedef struct server {
    const rg_module *module;
    rg_group *group; /* an rg_ranks */
    int32_t rank;
    rg_child parent; /* .out: where its frames come from */
    int out_fd;
    rs_host host;     /* tells the parent about progress */
    int64_t alive_ps; /* when it last did */
    rg_writer writer;
} server;

static void send_hello(server *s) {
    const rg_ranks *ranks = (const rg_ranks *)s->group;
    rg_begin_frame(&s->writer, RG_FRAME_HELLO);
    rg_put_bytes(&s->writer, rg_group_where(s->group), strlen(rg_group_where(s->group)));
    rg_put_bytes(&s->writer, ranks->pids, (size_t)ranks->n_pids * sizeof *ranks->pids);
    rg_put_bytes(&s->writer, &s->group->library, sizeof s->group->library);
    rg_end_frame(&s->writer);
    rg_write_frame(s->out_fd, &s->writer, 0);
}

static void send_error(server *s, rs_status status, const rs_error *error) {
    rg_begin_frame(&s->writer, RG_FRAME_ERROR);
    rg_put(&s->writer, status);
    rg_put_bytes(&s->writer, error->text, strlen(error->text));
    rg_end_frame(&s->writer);
    rg_write_frame(s->out_fd, &s->writer, 0);
}

static void send_waits(server *s, const rg_result *result) {
    const char *text = result->failure;
    const rg_stand none = {.rank = s->rank, .step = -1};
    const rg_stand *stand = result->n_stuck > 0 ? &result->stuck[0] : &none;
    rg_begin_frame(&s->writer, RG_FRAME_WAITS);
    rg_put(&s->writer, s->rank);
    rg_put_bytes(&s->writer, text, strlen(text));
    rg_put(&s->writer, stand->n_runs);
    rg_put(&s->writer, stand->step);
    rg_put(&s->writer, (int64_t)stand->open_sends);
    rg_put(&s->writer, (int64_t)stand->open_recvs);
    rg_end_frame(&s->writer);
    rg_write_frame(s->out_fd, &s->writer, 0);
}

/* Tells whether the parent has closed its end, or has ended. */
static bool abandoned(const server *s) {
    struct pollfd in = {.fd = s->parent.out}; /* asked for nothing it tells an end only */
    return poll(&in, 1, 0) > 0;
}

static bool send_alive(void *context, const char *what, int64_t done, int64_t total) {
    server *s = context;
    (void)what;
    const int64_t now_ps = rg_now_ps();
    if (s->rank != 0 || now_ps - s->alive_ps < (int64_t)ALIVE_MS * 1000000000) return true;
    s->alive_ps = now_ps;
    rg_begin_frame(&s->writer, RG_FRAME_ALIVE);
    rg_put(&s->writer, done);
    rg_put(&s->writer, total);
    rg_end_frame(&s->writer);
    return rg_write_frame(s->out_fd, &s->writer, 0) && !abandoned(s);
}

/* Runs one job; false: the ranks cannot go on. */
static bool run(server *s, rg_reader *reader) {
    rs_arena arena;
    rs_error error = {.text = ""};
    rs_schedule schedule;
    rg_job job;
    rg_result result = {.completed = true};
    rs_arena_init(&arena, NULL);
    rs_status status = rg_get_job(reader, &arena, &error, &schedule, &job);
    if (status == RS_OK) status = rg_group_run(s->group, &job, &arena, &error, &result);
    if (status == RS_OK && !result.completed) {
        send_waits(s, &result);
        return false; /* MPI may still write into the arena */
    }
    if (status == RS_CANCELLED) rs_arena_free(&arena);
    if (status == RS_CANCELLED) return false;
    if (s->rank == 0 && status == RS_OK) {
        rg_put_result(&s->writer, &result, schedule.n_ranks);
        rg_write_frame(s->out_fd, &s->writer, 0);
    } else if (s->rank == 0) {
        send_error(s, status, &error);
    }
    rs_arena_free(&arena);
    return true;
}

/* Sends the next frame to all ranks; false: there is none. */
static bool next_job(server *s, rg_reader *reader) {
    rg_child *parent = &s->parent;
    rg_frame first;
    int64_t length = 0, kind;
    if (s->rank == 0 &&
        rg_child_receive(parent, INT64_MAX, NULL, "", &first, reader) == RG_PIPE_FRAME) {
        length = (int64_t)parent->taken;
    }
    s->module->share(s->group, &length, sizeof length);
    if (length == 0) return false;
    /* without memory mpirun ends all */
    if (!rs_reserve(NULL, &parent->bytes, (size_t)length, &parent->capacity)) return false;
    s->module->share(s->group, parent->bytes, (size_t)length);
    *reader = rg_frame_reader(parent->bytes, (size_t)length);
    memcpy(&kind, parent->bytes + 16, sizeof kind);
    return kind == RG_FRAME_JOB;
}

/* Libraries print on standard output, too (NCCL_DEBUG), which would spoil the frames: sends their
   text to standard error, and returns a descriptor of our own for the frames. */
static int keep_apart(int out_fd) {
    const int own =
        out_fd == STDOUT_FILENO ? fcntl(out_fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
    if (own < 0) return out_fd;
    dup2(STDERR_FILENO, out_fd);
    return own;
}

rs_status rg_serve(const rg_setup *setup, int in_fd, int out_fd, rs_error *error) {
    enum { LINGER_US = 3000000 };
    const rg_kind kind = (rg_kind)rg_served_kind();
    server s = {.parent = {.out = in_fd, .err = -1}, .out_fd = out_fd};
    s.host = (rs_host){.context = &s, .progress = send_alive};
    rs_status status = RS_OK;
    if (kind == RG_NCCL) {
        int32_t rank;
        status = rg_local_launch(setup->n_ranks, setup->init, in_fd, &rank, error);
        if (rank < 0) return status; /* the launcher, when all ranks have ended */
    }
    s.out_fd = keep_apart(out_fd);
    status = rg_module_get(kind, setup, error, &s.module);
    if (status == RS_OK) status = s.module->backend->open(setup, &s.host, error, &s.group);
    if (status != RS_OK) send_error(&s, status, error);
    if (status != RS_OK) {
        free(s.writer.bytes);
        return status;
    }
    s.rank = ((const rg_ranks *)s.group)->rank;
    if (s.rank == 0) send_hello(&s);
    rg_reader reader;
    bool good = true;
    while (good && next_job(&s, &reader)) good = run(&s, &reader);
    free(s.parent.bytes);
    free(s.writer.bytes);
    /* The parent hears from all ranks that wait before it ends them. */
    if (!good && !abandoned(&s)) usleep(LINGER_US);
    rg_group_close(s.group);
    return RS_OK;
}
