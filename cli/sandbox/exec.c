/* exec.c: the parent's side of a run in the sandbox: the pipes, the clock, the end.
 *
 *     pipes --> fork --> feed questions, drain what comes, look at the clock --> reap --> why it ended
 *
 *   - The parent never waits for the child: it polls, and kills the child's whole group when the
 *     clock runs out or too much comes. With bubblewrap that ends everything inside.
 */
#ifdef __linux__
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N_PIPES = 5, LOWEST_OWN = 32 };
enum { QUESTIONS, OUT, ERR, ANSWERS, WORD }; /* the pipes; the child's ends are 0, 1, 2, 3, 5 */

typedef struct pipes {
    int ours[N_PIPES], theirs[N_PIPES]; /* -1: closed */
} pipes;

static void close_one(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static void close_pipes(pipes *p) {
    for (int i = 0; i < N_PIPES; i++) {
        close_one(&p->ours[i]);
        close_one(&p->theirs[i]);
    }
}

/* Moves a descriptor out of the way of those that the child will use. */
static int lift(int fd) {
    const int lifted = fcntl(fd, F_DUPFD_CLOEXEC, LOWEST_OWN);
    close(fd);
    return lifted;
}

static bool open_pipes(pipes *p) {
    for (int i = 0; i < N_PIPES; i++) p->ours[i] = p->theirs[i] = -1;
    for (int i = 0; i < N_PIPES; i++) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) return false;
        const int reading = lift(ends[0]), writing = lift(ends[1]);
        p->ours[i] = i == QUESTIONS ? writing : reading;
        p->theirs[i] = i == QUESTIONS ? reading : writing;
        if (reading < 0 || writing < 0) return false;
        if (fcntl(p->ours[i], F_SETFL, O_NONBLOCK) != 0) return false;
    }
    return true;
}

/* In the child: puts its ends where they belong and closes all else. */
static void settle(const pipes *p) {
    static const int places[N_PIPES] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, RC_FD_ANSWERS,
                                        RC_FD_WORD};
    for (int i = 0; i < N_PIPES; i++) {
        if (dup2(p->theirs[i], places[i]) < 0) _exit(1);
    }
    fcntl(RC_FD_WORD, F_SETFD, FD_CLOEXEC);
    close(RC_FD_FILTER);
    for (int fd = RC_FD_WORD + 1; fd < 1024; fd++) close(fd);
    close_range(1024, ~0U, 0);
}

/* ------------------------------------------------------------------ while it runs */

typedef struct run {
    const rc_sandbox *sandbox;
    const rc_errand *errand;
    rc_ending *ending;
    pipes pipes;
    pid_t child;
    double started_s;
    size_t n_fed;
    bool in_trouble; /* the child sent `word` */
    rc_word word;
    bool killed; /* by us; ending->end says why */
    int status;
    bool reaped;
} run;

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void kill_all(run *r, rc_end why) {
    if (r->killed) return;
    r->killed = true;
    r->ending->end = why;
    kill(-r->child, SIGKILL);
    kill(r->child, SIGKILL);
}

static void feed(run *r) {
    const rc_errand *errand = r->errand;
    const size_t left = errand->n_input - r->n_fed;
    const ssize_t n =
        left > 0 ? write(r->pipes.ours[QUESTIONS], errand->input + r->n_fed, left) : 0;
    if (n > 0) r->n_fed += (size_t)n;
    if (r->n_fed == errand->n_input || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        close_one(&r->pipes.ours[QUESTIONS]);
    }
}

/* Keeps what came, up to the limit, and counts the rest. */
static void keep(rc_stream *stream, const char *data, size_t n, size_t most) {
    const size_t room = most - stream->n_bytes, kept = n < room ? n : room;
    const size_t needed = stream->n_bytes + kept + 1;
    stream->n_dropped += n - kept;
    if (needed > stream->capacity) {
        const size_t capacity = needed + needed / 2;
        char *grown = realloc(stream->data, capacity);
        if (grown == NULL) return;
        stream->data = grown;
        stream->capacity = capacity;
    }
    memcpy(stream->data + stream->n_bytes, data, kept);
    stream->n_bytes += kept;
    stream->data[stream->n_bytes] = '\0';
}

/* Takes what one pipe holds now. One answer too many ends the program, and so does a flood of text. */
static void drain(run *r, int pipe) {
    enum { FLOOD = 256 };
    const rc_errand *errand = r->errand;
    char block[65536];
    const ssize_t n = read(r->pipes.ours[pipe], block, sizeof block);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) close_one(&r->pipes.ours[pipe]);
    if (n <= 0) return;
    if (pipe == WORD) {
        r->in_trouble = (size_t)n == sizeof r->word;
        if (r->in_trouble) memcpy(&r->word, block, sizeof r->word);
        return;
    }
    rc_stream *const streams[] = {
        [OUT] = &r->ending->out, [ERR] = &r->ending->err, [ANSWERS] = &r->ending->answers};
    keep(streams[pipe], block, (size_t)n,
         pipe == ANSWERS ? errand->most_answers : errand->most_text);
    const size_t bearable = pipe == ANSWERS ? 0 : errand->most_text * FLOOD;
    if (streams[pipe]->n_dropped > bearable) kill_all(r, RC_END_FLOOD);
}

static bool reap(run *r) {
    struct rusage usage;
    if (r->reaped) return true;
    const pid_t gone = wait4(r->child, &r->status, WNOHANG, &usage);
    if (gone != r->child) return false;
    r->reaped = true;
    r->ending->cpu_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
    r->ending->most_memory_bytes = (int64_t)usage.ru_maxrss * 1024;
    return true;
}

/* Waits for something to happen, 20 ms at the most: a program may also end in silence. */
static int wait_a_little(run *r, int patience_ms) {
    struct pollfd fds[N_PIPES];
    for (int i = 0; i < N_PIPES; i++) {
        fds[i] =
            (struct pollfd){.fd = r->pipes.ours[i], .events = i == QUESTIONS ? POLLOUT : POLLIN};
    }
    const int ready = poll(fds, N_PIPES, patience_ms);
    for (int i = 0; i < N_PIPES && ready > 0; i++) {
        if (fds[i].revents == 0) continue;
        if (i == QUESTIONS) {
            feed(r);
        } else {
            drain(r, i);
        }
    }
    return ready;
}

static bool any_open(const run *r) {
    for (int i = OUT; i < N_PIPES; i++) {
        if (r->pipes.ours[i] >= 0) return true;
    }
    return false;
}

static void attend(run *r) {
    while (!reap(r)) {
        wait_a_little(r, any_open(r) ? 20 : 1);
        if (rc_host_signal() != 0) kill_all(r, RC_END_WALL);
        if (now_s() - r->started_s > (double)r->errand->wall_ms * 1e-3) kill_all(r, RC_END_WALL);
    }
    kill(-r->child, SIGKILL);          /* whoever of the group is left */
    const double enough = now_s() + 1; /* somebody who got away may hold the pipes open */
    while (any_open(r) && now_s() < enough && wait_a_little(r, 0) > 0) continue;
}

/* ------------------------------------------------------------------ how it ended */

/* Returns the program's wait status, also where bubblewrap stood between it and us. */
static int program_status(const run *r) {
    const int code = WIFEXITED(r->status) ? WEXITSTATUS(r->status) : 0;
    const bool told = r->sandbox->kind == RC_SANDBOX_BUBBLEWRAP && code >= RC_EXIT_SIGNAL &&
                      code <= RC_EXIT_SIGNAL_LAST;
    return told ? code - RC_EXIT_SIGNAL + 1 : r->status;
}

static void judge_end(run *r) {
    rc_ending *ending = r->ending;
    if (r->killed) return;
    const int status = program_status(r);
    if (!WIFSIGNALED(status)) {
        ending->end = RC_END_EXIT;
        ending->code = WEXITSTATUS(status);
        return;
    }
    const int number = WTERMSIG(status);
    /* bubblewrap does not tell what the program has used; then the clock on the wall has to do */
    const bool untold = r->sandbox->kind == RC_SANDBOX_BUBBLEWRAP;
    const double used_s = untold ? ending->wall_s : ending->cpu_s;
    const bool worn_out = used_s > r->errand->cpu_seconds - 0.05;
    ending->code = number;
    ending->end = RC_END_SIGNAL;
    if (number == SIGXCPU || (number == SIGKILL && worn_out)) ending->end = RC_END_CPU;
    if (number == SIGSYS) ending->end = RC_END_REFUSED;
    if (number == SIGXFSZ) ending->end = RC_END_FILE;
}

rc_exit rc_sandbox_run(const rc_sandbox *sandbox, const rc_errand *errand, rs_error *error,
                       rc_ending *ending) {
    run r = {.sandbox = sandbox, .errand = errand, .ending = ending, .started_s = now_s()};
    *ending = (rc_ending){0};
    if (!open_pipes(&r.pipes)) {
        close_pipes(&r.pipes);
        return rc_fail(error, RC_LACKS, _("no pipe to the cage: %s"), strerror(errno));
    }
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before); /* a program may end before it has heard all */
    r.child = fork();
    if (r.child == 0) {
        settle(&r.pipes);
        rc_enter(sandbox, errand);
    }
    const int reason = errno;
    for (int i = 0; i < N_PIPES; i++) close_one(&r.pipes.theirs[i]);
    if (r.child > 0) attend(&r);
    close_pipes(&r.pipes);
    sigaction(SIGPIPE, &before, NULL);
    ending->wall_s = now_s() - r.started_s;
    if (r.child < 0) return rc_fail(error, RC_LACKS, _("no cage: fork: %s"), strerror(reason));
    if (r.in_trouble) {
        r.word.what[sizeof r.word.what - 1] = '\0';
        rc_ending_free(ending);
        return rc_fail(error, RC_LACKS, _("no cage: %s: %s"), r.word.what, strerror(r.word.number));
    }
    if (rc_host_signal() != 0) {
        rc_ending_free(ending);
        return rc_fail(error, RC_CANCELLED, _("cancelled; nothing was written"));
    }
    judge_end(&r);
    return RC_GOOD;
}

void rc_ending_free(rc_ending *ending) {
    free(ending->out.data);
    free(ending->err.data);
    free(ending->answers.data);
    *ending = (rc_ending){0};
}

#endif
