/* pipe.c: see pipe.h. */
#define _GNU_SOURCE 1 /* pipe2: Linux, BSD */
#include "process/pipe.h"
#include "base/containers.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ------------------------------------------------------------------ start */

/* pipes: its standard input, output and error. */
static int spawn(char *const arguments[], int pipes[3][2], pid_t *pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    for (int i = 0; i < 3; i++) {
        posix_spawn_file_actions_adddup2(&actions, pipes[i][i > 0], i);
    }
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    const int failed = posix_spawnp(pid, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failed;
}

rs_status rg_child_start(char *const arguments[], rs_error *error, rg_child *child) {
    int pipes[3][2], n = 0;
    pid_t pid = 0;
    while (n < 3 && pipe2(pipes[n], O_CLOEXEC) == 0) n++;
    const int failed = n == 3 ? spawn(arguments, pipes, &pid) : errno;
    for (int i = 0; i < n; i++) {
        close(pipes[i][i > 0]);
        if (failed != 0)
            close(pipes[i][i == 0]);
        else
            fcntl(pipes[i][i == 0], F_SETFL, O_NONBLOCK);
    }
    if (failed != 0) {
        return rs_fail_word(error, RS_UNSUPPORTED, 1, "%s cannot be started: %s", arguments[0],
                            strerror(failed));
    }
    *child = (rg_child){.pid = pid, .in = pipes[0][1], .out = pipes[1][0], .err = pipes[2][0]};
    return RS_OK;
}

/* ------------------------------------------------------------------ sending and receiving */

/* Writes; if the pipe's reader has gone it returns an error, and no SIGPIPE ends us. */
static ssize_t write_safely(int fd, const char *bytes, size_t n) {
    sigset_t broken, before;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, &before);
    const ssize_t written = write(fd, bytes, n);
    const int reason = errno;
    if (written < 0 && reason == EPIPE) {
        const struct timespec now = {0};
        while (sigtimedwait(&broken, NULL, &now) < 0 && errno == EINTR) continue;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return written;
}

bool rg_write_frame(int fd, const rg_writer *writer, int64_t deadline_ps) {
    for (size_t done = 0; done < writer->n && !writer->bad;) {
        const ssize_t n = write_safely(fd, writer->bytes + done, writer->n - done);
        if (n > 0) done += (size_t)n;
        if (n >= 0 || errno == EINTR) continue;
        if (errno != EAGAIN || rg_now_ps() > deadline_ps) return false;
        struct pollfd writable = {.fd = fd, .events = POLLOUT};
        poll(&writable, 1, 100);
    }
    return !writer->bad;
}

static void keep_errors(rg_child *child) {
    char part[1024];
    ssize_t n;
    while ((n = read(child->err, part, sizeof part)) > 0) {
        const size_t room = RG_ERROR_BYTES - child->n_errors;
        if ((size_t)n > room) {
            const size_t gone = (size_t)n - room;
            memmove(child->errors, child->errors + gone, child->n_errors - gone);
            child->n_errors -= gone;
        }
        memcpy(child->errors + child->n_errors, part, (size_t)n);
        child->n_errors += (size_t)n;
    }
    child->errors[child->n_errors] = '\0';
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        close(child->err);
        child->err = -1;
    }
}

/* Reads what has arrived; false: the pipe has ended, or no memory. */
static bool read_some(rg_child *child) {
    if (!rs_reserve(NULL, &child->bytes, child->n + 65536, &child->capacity)) return false;
    const ssize_t n = read(child->out, child->bytes + child->n, child->capacity - child->n);
    if (n > 0) child->n += (size_t)n;
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Takes the next whole frame from the bytes that have arrived, after dropping the last one. */
static bool take_frame(rg_child *child, rg_frame *kind, rg_reader *reader, bool *garbage) {
    int64_t length, number;
    *garbage = false;
    if (child->n < RG_FRAME_HEAD) return false;
    memcpy(&length, child->bytes + 8, sizeof length);
    memcpy(&number, child->bytes + 16, sizeof number);
    *garbage = memcmp(child->bytes, rg_frame_magic, 8) != 0 || length < 0;
    if (*garbage || (int64_t)child->n - RG_FRAME_HEAD < length) return false;
    *kind = (rg_frame)number;
    child->taken = RG_FRAME_HEAD + (size_t)length;
    *reader = rg_frame_reader(child->bytes, child->taken);
    *garbage = reader->bad;
    return !reader->bad;
}

rg_pipe_status rg_child_receive(rg_child *child, int64_t deadline_ps, const rs_host *host,
                                const char *what, rg_frame *kind, rg_reader *reader) {
    assert(child->taken <= child->n);
    const int64_t start_ps = rg_now_ps();
    if (child->taken > 0) {
        memmove(child->bytes, child->bytes + child->taken, child->n - child->taken);
    }
    child->n -= child->taken;
    child->taken = 0;
    for (;;) {
        bool garbage;
        if (take_frame(child, kind, reader, &garbage)) return RG_PIPE_FRAME;
        if (garbage) return RG_PIPE_MALFORMED;
        const int64_t now_ps = rg_now_ps();
        if (now_ps > deadline_ps) return RG_PIPE_LATE;
        if (!rs_go_on(host, what, now_ps - start_ps, deadline_ps - start_ps)) return RG_PIPE_CANCEL;
        const int64_t left_ms = (deadline_ps - now_ps) / RG_MS_PS + 1;
        struct pollfd both[2] = {{.fd = child->out, .events = POLLIN},
                                 {.fd = child->err, .events = POLLIN}};
        poll(both, 2, left_ms < 100 ? (int)left_ms : 100);
        if (child->err >= 0 && both[1].revents != 0) keep_errors(child);
        if (both[0].revents != 0 && !read_some(child)) return RG_PIPE_END;
    }
}

/* ------------------------------------------------------------------ a starter's last words */

/* Finds the reason in all that a starter of ranks has written on standard error. See
 * pipe.h.
 *
 *   - mpirun writes its reasons between two lines of dashes, in paragraphs, whose lines break
 *     anywhere. All else comes line by line.
 *   - The last text that names how a rank ended is the reason; without one, the first text: those
 *     after it are mpirun's guesses at causes.
 *   - Remarks of libraries that are no reason are left out.
 */

static bool is_rule(const char *line, size_t n) {
    return n >= 8 && strspn(line, "-=*") >= n;
}

/* hwloc's, in a container without /sys, after which Open MPI goes on: of 2.9 in brackets, of 2.12 without. */
static bool is_remark(const char *line, size_t n) {
    static const char name[] = "hwloc/";
    const size_t from = n > 0 && line[0] == '[';
    return n - from >= sizeof name - 1 && memcmp(line + from, name, sizeof name - 1) == 0;
}

static bool tells(const char *text) {
    return strstr(text, "ringsim: ") != NULL || strstr(text, "exited on signal") != NULL ||
           strstr(text, "not enough slots") != NULL;
}

/* Appends a line to the text, a space between them. */
static void append_line(char *text, size_t n_text, const char *line, size_t n) {
    const size_t used = strlen(text), indent = strspn(line, " ");
    if (indent >= n) return;
    snprintf(text + used, n_text - used, "%s%.*s", used > 0 ? " " : "", (int)(n - indent),
             line + indent);
}

/* Reads the next text, a line or a paragraph; returns what follows it. */
static const char *next_words(const char *at, bool *between_rules, char *text, size_t n_text) {
    text[0] = '\0';
    for (bool more = true; more && *at != '\0';) {
        const size_t n = strcspn(at, "\n"), used = strlen(text);
        if (is_rule(at, n)) {
            *between_rules = !*between_rules;
            more = false;
        } else if (is_remark(at, n)) {
            more = *between_rules;
        } else {
            append_line(text, n_text, at, n);
            const bool goes_on = n > 0 || used == 0 || text[used - 1] == ':';
            more = *between_rules && goes_on;
        }
        at += n + (at[n] == '\n');
    }
    return at;
}

void rg_last_words(const char *errors, char *out, size_t n_out) {
    assert(n_out > 0);
    bool between_rules = false, telling = false;
    char text[512];
    out[0] = '\0';
    while (*errors != '\0') {
        errors = next_words(errors, &between_rules, text, sizeof text);
        const bool best = tells(text) || (!telling && out[0] == '\0');
        if (text[0] != '\0' && best) snprintf(out, n_out, "%s", text);
        telling = telling || tells(text);
    }
}

/* ------------------------------------------------------------------ its end */

void rg_child_last_words(rg_child *child, char *out, size_t n_out) {
    if (child->err >= 0) keep_errors(child);
    rg_last_words(child->errors, out, n_out);
}

/* Waits for the child's end, at most `ms`; reads its standard error meanwhile, so that it does not
   block on it. */
static bool gone(rg_child *child, int ms) {
    for (int waited = 0;; waited += 10) {
        const pid_t ended = waitpid(child->pid, NULL, WNOHANG);
        if (ended == child->pid || (ended < 0 && errno == ECHILD)) return true;
        if (waited >= ms) return false;
        if (child->err >= 0) keep_errors(child);
        rg_nap_us(10000);
    }
}

void rg_child_end(rg_child *child, bool gently) {
    enum { GENTLE_MS = 5000, TERM_MS = 3000, KILL_MS = 2000 };
    if (child->pid == 0) return;
    close(child->in);
    bool ended = gently && gone(child, GENTLE_MS);
    if (!ended) {
        kill(child->pid, SIGTERM);
        ended = gone(child, TERM_MS);
    }
    if (!ended) {
        kill(-child->pid, SIGKILL);
        gone(child, KILL_MS);
    }
    close(child->out);
    if (child->err >= 0) close(child->err);
    free(child->bytes);
    *child = (rg_child){.in = -1, .out = -1, .err = -1};
}
