/* spawn_stage.h: ranks that this process spawns, on a stage: what they say, and when, is the test's. A test program includes
 * it once.
 *
 *     add(&plot, SAYS, hello(...));  add(&plot, SAYS, answer(4));  add(&plot, ENDS, (rg_writer){0});
 *     open_ranks(&rg_nccl_backend, &plot, ...)
 *
 * Their program hands on what the test writes into a fifo. The test does so whenever the host is asked whether to go on,
 * which begins each wait; the clock is its own: no time passes but where it says so.
 */
#pragma once

#include <criterion/criterion.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process/backend_module.h"
#include "process/pipe.h"

enum { N = 3, MOST = 16 };
static const int64_t ms_ps = 1000000000;
static const char result_is[] = "the ranks ended before the result: ";

static char folder[] = "/tmp/ringsim-spawned-XXXXXX", program[64], fifo_path[64], sent_path[64];
static int fifo = -1;
static int64_t told_ps; /* what the clock says; 0: the time */
static int64_t wait_ps; /* how long each wait for the system lasts */
static int64_t signalled[MOST];
static int n_signalled;

int clock_gettime(clockid_t clock, struct timespec *out) {
    int (*system)(clockid_t, struct timespec *);
    *(void **)&system = dlsym(RTLD_NEXT, "clock_gettime");
    if (told_ps == 0) return system(clock, out);
    *out = (struct timespec){.tv_sec = told_ps / 1000000000000,
                             .tv_nsec = told_ps % 1000000000000 / 1000};
    return 0;
}

/* Where no time passes nobody waits for it. */
int poll(struct pollfd *list, nfds_t n, int ms) {
    int (*system)(struct pollfd *, nfds_t, int);
    *(void **)&system = dlsym(RTLD_NEXT, "poll");
    told_ps += wait_ps;
    return system(list, n, told_ps != 0 && ms > 2 ? 2 : ms);
}

/* Whoever is to be killed is noted. Only processes and groups that there may be are. */
int kill(pid_t pid, int signal) {
    int (*system)(pid_t, int);
    *(void **)&system = dlsym(RTLD_NEXT, "kill");
    if (signal == SIGKILL && n_signalled < MOST) signalled[n_signalled++] = pid;
    return pid > 1 || pid < -1 ? system(pid, signal) : 0;
}

static void begin(void) {
    cr_assert_not_null(mkdtemp(folder));
    snprintf(program, sizeof program, "%s/ranks", folder);
    snprintf(fifo_path, sizeof fifo_path, "%s/fifo", folder);
    snprintf(sent_path, sizeof sent_path, "%s/sent", folder);
    FILE *script = fopen(program, "w");
    cr_assert_not_null(script);
    fputs(
        "#!/bin/sh\nPATH=/usr/bin:/bin\n[ -z \"$WORDS\" ] || echo \"$WORDS\" >&2\n"
        "[ -z \"$DEAF\" ] || exec cat $SAID/fifo\ncat $SAID/fifo &\nexec >&- 2>&-\ncat >$SAID/sent\nkill $!\nwait\n",
        script);
    fclose(script);
    chmod(program, 0700);
    cr_assert_eq(mkfifo(fifo_path, 0600), 0);
    setenv("SAID", folder, 1);
    unsetenv("WORDS"), unsetenv("DEAF");
    told_ps = 1000 * 1000 * ms_ps;
}

static void end(void) {
    char path[80];
    snprintf(path, sizeof path, "%s/mpirun", folder);
    unlink(path), unlink(program), unlink(fifo_path), unlink(sent_path);
    rmdir(folder);
}

TestSuite(spawned, .init = begin, .fini = end, .timeout = 20);

/* ------------------------------------------------------------------ what they say */

typedef enum deed { SAYS, ENDS, STAYS_SILENT, IS_STOPPED } deed;

typedef struct moment { /* what happens while this process waits */
    deed deed;
    rg_writer says;
} moment;

typedef struct plot {
    moment turns[MOST];
    int n, at;            /* of the turns; the next */
    int64_t totals[MOST]; /* how long each wait may last */
    const char *whats[MOST];
    int64_t late_ps; /* how much had passed when it was asked last */
} plot;

static rg_writer frame(rg_frame kind) {
    rg_writer w = {0};
    rg_begin_frame(&w, kind);
    return w;
}

static rg_writer ended(rg_writer w) {
    rg_end_frame(&w);
    return w;
}

static rg_writer hello(const char *where, const int64_t pids[], size_t n_pids) {
    rg_writer w = frame(RG_FRAME_HELLO);
    rg_put_bytes(&w, where, strlen(where));
    rg_put_bytes(&w, pids, n_pids * sizeof *pids);
    return ended(w);
}

static rg_writer trouble(rs_status status, const char *text) {
    rg_writer w = frame(RG_FRAME_ERROR);
    rg_put(&w, status);
    rg_put_bytes(&w, text, strlen(text));
    return ended(w);
}

static rg_writer answer(int64_t n_wrong) {
    bool wrong[N] = {false, true, false};
    uint32_t crc32[N] = {1, 2, 3};
    const rg_result result = {.wrong = wrong, .crc32 = crc32, .n_wrong = n_wrong};
    rg_writer w = {0};
    rg_put_result(&w, &result, N);
    return w;
}

/* Each wait begins with nothing done: then comes the next turn, and the clock goes on a little. */
static bool next_turn(void *context, const char *what, int64_t done, int64_t total) {
    plot *p = context;
    p->late_ps = done;
    if (done > 0) {
        if (p->turns[p->at - 1].deed == STAYS_SILENT) told_ps += done < total ? total - done : 1000;
        return true;
    }
    cr_assert_lt(p->at, p->n, "a wait too many");
    const moment *t = &p->turns[p->at];
    p->totals[p->at] = total;
    p->whats[p->at] = what;
    p->at++;
    told_ps += ms_ps / 10;
    if (p->at == 1) fifo = open(fifo_path, O_WRONLY | O_CLOEXEC); /* once somebody reads there */
    cr_assert_geq(fifo, 0);
    if (t->deed == SAYS) {
        cr_assert_eq(write(fifo, t->says.bytes, t->says.n), (ssize_t)t->says.n);
    }
    if (t->deed == ENDS) close(fifo), fifo = -1;
    return t->deed != IS_STOPPED;
}

static void add(plot *p, deed what, rg_writer says) {
    p->turns[p->n++] = (moment){what, says};
}

static void clear(plot *p) {
    for (int i = 0; i < p->n; i++) free(p->turns[i].says.bytes);
    *p = (plot){.n = 0};
}

static const rg_backend *const backends[] = {&rg_nccl_backend, &rg_mpi};
static const char *const starters[] = {"their starter", "mpirun"};

static rs_status open_ranks(const rg_backend *backend, plot *p, rs_host *host, int32_t timeout_ms,
                            rs_error *error, rg_group **group) {
    const rg_setup setup = {.n_ranks = N, .program = program, .timeout_ms = timeout_ms};
    *host = (rs_host){.context = p, .progress = next_turn};
    *error = (rs_error){.text = ""};
    if (fifo >= 0) close(fifo);
    fifo = -1;
    n_signalled = 0;
    *group = NULL;
    return backend->open(&setup, host, error, group);
}

static void wants_nobody(void) {
    cr_expect(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "somebody is left");
}

/* The program also plays mpirun. */
static void play_mpirun(void) {
    char path[4200];
    snprintf(path, sizeof path, "%s/mpirun", folder);
    cr_assert_eq(symlink(program, path), 0);
    snprintf(path, sizeof path, "%s:%s", folder, getenv("PATH"));
    setenv("PATH", path, 1);
}
