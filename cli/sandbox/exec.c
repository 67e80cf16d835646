/* exec.c: the parent's side of a run in the sandbox: pipes, a clock, and why the run ended.
 *
 *     pipes --> fork --> feed questions, drain what comes, look at the clock --> reap --> why it ended
 *
 *   - The parent never waits for the child: it polls, and kills the child's whole group when the
 *     clock runs out or the program writes too much. With bubblewrap that ends everything inside.
 */
#ifdef __linux__
#define _GNU_SOURCE 1 /* pipe2, close_range: Linux, BSD */
#include "sandbox/enter.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOWEST_OWN = 32 };
static bool is_written(int pipe) {
    return pipe == RC_FD_QUESTIONS || pipe == RC_FD_FILTER;
}

typedef struct pipes {
    int ours[RC_N_FDS], theirs[RC_N_FDS]; /* -1: closed */
} pipes;

static void close_one(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static void close_pipes(pipes *p) {
    for (int i = 0; i < RC_N_FDS; i++) {
        close_one(&p->ours[i]);
        close_one(&p->theirs[i]);
    }
}

/* Moves a descriptor out of the way of those that the child will use. */
static int lift(int fd) {
    const int lifted = fcntl(fd, F_DUPFD_CLOEXEC, LOWEST_OWN);
    const int reason = errno == EINVAL ? EMFILE : errno; /* the limit lies below LOWEST_OWN */
    close(fd);
    errno = reason;
    return lifted;
}

static bool open_pipes(pipes *p) {
    for (int i = 0; i < RC_N_FDS; i++) p->ours[i] = p->theirs[i] = -1;
    for (int i = 0; i < RC_N_FDS; i++) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) return false;
        const int reading = lift(ends[0]), writing = lift(ends[1]);
        p->ours[i] = is_written(i) ? writing : reading;
        p->theirs[i] = is_written(i) ? reading : writing;
        if (reading < 0 || writing < 0) return false;
        if (fcntl(p->ours[i], F_SETFL, O_NONBLOCK) != 0) return false;
    }
    return true;
}

/* In the child: puts its ends where they belong and closes all else. */
static void settle(const pipes *p) {
    for (int i = 0; i < RC_N_FDS; i++) {
        if (dup2(p->theirs[i], i) < 0) _exit(1);
    }
    fcntl(RC_FD_TROUBLE, F_SETFD, FD_CLOEXEC);
    for (int fd = RC_FD_TROUBLE + 1; fd < 1024; fd++) close(fd);
    close_range(1024, ~0U, 0);
}

/* ------------------------------------------------------------------ while it runs */

typedef struct run {
    const rc_sandbox *sandbox;
    const rc_exec *exec;
    rc_exec_result *result;
    pipes pipes;
    pid_t child;
    double started_s;
    size_t n_fed;
    bool in_trouble; /* the child sent `trouble` */
    rc_trouble trouble;
    bool killed; /* by us; result->end says why */
    int status;
    bool reaped;
} run;

static void kill_all(run *r, rc_end why) {
    if (r->killed) return;
    r->killed = true;
    r->result->end = why;
    kill(-r->child, SIGKILL);
    kill(r->child, SIGKILL);
}

/* Sends the child its filter, which names it where it could signal others: it waits for that. */
static void send_filter(run *r) {
    const pid_t own_pid = r->sandbox->own_processes ? 0 : r->child;
    const int fault = rc_filter_write(r->exec->compiler, own_pid, r->pipes.ours[RC_FD_FILTER]);
    if (fault == 0) return;
    kill_all(r, RC_END_NOT_STARTED);
    r->in_trouble = true;
    r->trouble = (rc_trouble){fault, "filter"};
}

static void feed(run *r) {
    const rc_exec *exec = r->exec;
    assert(r->n_fed <= exec->n_input);
    const size_t left = exec->n_input - r->n_fed;
    const ssize_t n =
        left > 0 ? write(r->pipes.ours[RC_FD_QUESTIONS], exec->input + r->n_fed, left) : 0;
    if (n > 0) r->n_fed += (size_t)n;
    if (r->n_fed == exec->n_input || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        close_one(&r->pipes.ours[RC_FD_QUESTIONS]);
    }
}

/* Reads what one pipe holds now. One byte of answers too many ends the program; of text the rest is dropped. */
static void drain(run *r, int pipe) {
    const rc_exec *exec = r->exec;
    char block[65536];
    const ssize_t n = read(r->pipes.ours[pipe], block, sizeof block);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) close_one(&r->pipes.ours[pipe]);
    if (n <= 0) return;
    if (pipe == RC_FD_TROUBLE) {
        r->in_trouble = (size_t)n == sizeof r->trouble;
        if (r->in_trouble) memcpy(&r->trouble, block, sizeof r->trouble);
        return;
    }
    rc_stream *const streams[] = {[RC_FD_OUT] = &r->result->out,
                                  [RC_FD_ERR] = &r->result->err,
                                  [RC_FD_ANSWERS] = &r->result->answers};
    rc_stream_add(streams[pipe], block, (size_t)n,
                  pipe == RC_FD_ANSWERS ? exec->most_answers : exec->most_text);
    if (pipe == RC_FD_ANSWERS && streams[pipe]->n_dropped > 0) kill_all(r, RC_END_FLOOD);
}

static bool reap(run *r) {
    struct rusage usage;
    if (r->reaped) return true;
    const pid_t gone = wait4(r->child, &r->status, WNOHANG, &usage);
    if (gone != r->child) return false;
    r->reaped = true;
    r->result->cpu_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
    r->result->most_memory_bytes = (int64_t)usage.ru_maxrss * 1024;
    return true;
}

/* Waits until a pipe is ready, `patience_ms` at the most: a program may also end in silence. */
static int wait_a_little(run *r, int patience_ms) {
    struct pollfd fds[RC_N_FDS];
    for (int i = 0; i < RC_N_FDS; i++) {
        fds[i] = (struct pollfd){.fd = r->pipes.ours[i],
                                 .events = i == RC_FD_QUESTIONS ? POLLOUT : POLLIN};
    }
    const int ready = poll(fds, RC_N_FDS, patience_ms);
    for (int i = 0; i < RC_N_FDS && ready > 0; i++) {
        if (fds[i].revents == 0) continue;
        if (i == RC_FD_QUESTIONS) {
            feed(r);
        } else {
            drain(r, i);
        }
    }
    return ready;
}

static bool any_open(const run *r) {
    for (int i = RC_FD_OUT; i < RC_N_FDS; i++) {
        if (r->pipes.ours[i] >= 0) return true;
    }
    return false;
}

static void attend(run *r) {
    while (!reap(r)) {
        wait_a_little(r, any_open(r) ? 20 : 1);
        if (rc_host_signal() != 0) kill_all(r, RC_END_WALL);
        if (rc_now_s() - r->started_s > (double)r->exec->wall_ms * 1e-3) kill_all(r, RC_END_WALL);
    }
    kill(-r->child, SIGKILL); /* what is left of its group */
    /* a process that left the group may hold the pipes open */
    const double enough = rc_now_s() + 1;
    while (any_open(r) && rc_now_s() < enough && wait_a_little(r, 0) > 0) continue;
}

/* ------------------------------------------------------------------ how it ended */

/* Returns the program's wait status, also where bubblewrap stood between it and us. */
static int program_status(const run *r) {
    const int code = WIFEXITED(r->status) ? WEXITSTATUS(r->status) : 0;
    const bool in_status = r->sandbox->kind == RC_SANDBOX_BUBBLEWRAP && code >= RC_EXIT_SIGNAL &&
                           code <= RC_EXIT_SIGNAL_LAST;
    return in_status ? code - RC_EXIT_SIGNAL + 1 : r->status;
}

static void judge_end(run *r) {
    rc_exec_result *result = r->result;
    if (r->killed) return;
    const int status = program_status(r);
    if (!WIFSIGNALED(status)) {
        result->end = RC_END_EXIT;
        result->code = WEXITSTATUS(status);
        return;
    }
    const int number = WTERMSIG(status);
    /* bubblewrap does not report what the program used: we take the time that passed */
    const bool unknown = r->sandbox->kind == RC_SANDBOX_BUBBLEWRAP;
    const double used_s = unknown ? result->wall_s : result->cpu_s;
    const bool worn_out = used_s > r->exec->cpu_seconds - 0.05;
    result->code = number;
    result->end = RC_END_SIGNAL;
    if (number == SIGXCPU || (number == SIGKILL && worn_out)) result->end = RC_END_CPU;
    if (number == SIGSYS) result->end = RC_END_REFUSED;
    if (number == SIGXFSZ) result->end = RC_END_FILE;
}

rc_exit rc_sandbox_exec(const rc_sandbox *sandbox, const rc_exec *exec, rs_error *error,
                        rc_exec_result *result) {
    assert(sandbox->folder[0] != '\0');
    assert(exec->argv != NULL && exec->argv[0] != NULL);
    assert(exec->cpu_seconds > 0 && exec->wall_ms > 0);
    run r = {.sandbox = sandbox, .exec = exec, .result = result, .started_s = rc_now_s()};
    *result = (rc_exec_result){0};
    if (!open_pipes(&r.pipes)) {
        const int reason = errno;
        close_pipes(&r.pipes);
        return rc_fail(error, RC_LACKS, _("no pipe to the sandbox: %s; ulimit -n may allow more"),
                       _(strerror(reason)));
    }
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before); /* the program may end before it has read all */
    r.child = fork();
    if (r.child == 0) {
        settle(&r.pipes);
        rc_sandbox_enter(sandbox, exec);
    }
    const int reason = errno;
    for (int i = 0; i < RC_N_FDS; i++) close_one(&r.pipes.theirs[i]);
    if (r.child > 0) {
        send_filter(&r);
        close_one(&r.pipes.ours[RC_FD_FILTER]);
        attend(&r);
    }
    close_pipes(&r.pipes);
    sigaction(SIGPIPE, &before, NULL);
    result->wall_s = rc_now_s() - r.started_s;
    if (r.child < 0)
        return rc_fail(error, RC_LACKS, _("no sandbox: fork: %s"), _(strerror(reason)));
    if (r.in_trouble && !exec->compiler && strcmp(r.trouble.what, exec->argv[0]) == 0) {
        result->end = RC_END_NOT_STARTED; /* the fault is the program's */
        result->code = r.trouble.number;
        return RC_GOOD;
    }
    if (r.in_trouble) {
        r.trouble.what[sizeof r.trouble.what - 1] = '\0';
        rc_exec_result_free(result);
        return rc_fail(error, RC_LACKS, _("no sandbox: %s: %s"), r.trouble.what,
                       _(strerror(r.trouble.number)));
    }
    if (rc_host_signal() != 0) {
        rc_exec_result_free(result);
        return rc_fail(error, RC_CANCELLED, _("cancelled; nothing was written"));
    }
    judge_end(&r);
    return RC_GOOD;
}

#endif
