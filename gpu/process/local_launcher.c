/* local_launcher.c: see local_launcher.h. */
#include "process/local_launcher.h"

#include <assert.h>
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TICK_MS = 100,
    LEAVE_MS =
        4000, /* ranks have so long to end by themselves after the parent has closed the pipe */
    TERM_MS = 1000 /* and so long after SIGTERM */
};
typedef struct local_launcher {
    pid_t *pids; /* [n]; 0: ended */
    int32_t n_ranks, n_left;
    int in_fd, signals; /* a signalfd; in_fd -1: its other end is closed */
    int64_t term_ps;    /* when to send SIGTERM; INT64_MAX: never */
    int64_t kill_ps;    /* when to send SIGKILL */
    rs_status status;   /* of the first rank that ended badly */
    sigset_t before;    /* the signals that were blocked */
} local_launcher;

/* ------------------------------------------------------------------ their address */

/* Reserves a free port of the loopback for rank 0: bound, so that the system gives it to no other
   program, but not listening, so that rank 0 may. Returns the socket, which the caller keeps open. */
static int reserve_port(char port[8]) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof any;
    if (fd < 0) return -1;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(fd, (struct sockaddr *)&any, sizeof any) != 0 ||
        getsockname(fd, (struct sockaddr *)&any, &n) != 0) {
        close(fd);
        return -1;
    }
    snprintf(port, 8, "%d", (int)ntohs(any.sin_port));
    return fd;
}

/* Tells whether the user gave an address: by --init, or env:// and MASTER_PORT. */
static bool address_is_given(const char *init) {
    const char *port = getenv("MASTER_PORT");
    if (init != NULL && strcmp(init, "env://") != 0) return true;
    return init != NULL && port != NULL && port[0] != '\0';
}

/* ------------------------------------------------------------------ one rank */

/* In the child: drops what belongs to the launcher, and ties its life to the parent's. */
static bool become_rank(const local_launcher *s, int32_t rank, pid_t parent) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) return false;
    close(s->signals);
    if (rank > 0) {
        const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (nothing < 0 || dup2(nothing, s->in_fd) < 0) return false;
        close(nothing);
    }
    return sigprocmask(SIG_SETMASK, &s->before, NULL) == 0;
}

/* ------------------------------------------------------------------ the launcher */

static void signal_all(const local_launcher *s, int signal) {
    for (int32_t r = 0; r < s->n_ranks; r++) {
        if (s->pids[r] != 0) kill(s->pids[r], signal);
    }
}

static void terminate_within(local_launcher *s, int ms) {
    const int64_t term_ps = rg_now_ps() + ms * RG_MS_PS;
    if (term_ps < s->term_ps) s->term_ps = term_ps;
}

/* Rank 0 reports its own error through the pipe, if it still can. */
static void note_exit(local_launcher *s, int32_t rank, int how, rs_error *error) {
    const bool good = WIFEXITED(how) && WEXITSTATUS(how) == 0;
    if (good || s->status != RS_OK || s->term_ps <= rg_now_ps()) return;
    s->status = RS_UNSUPPORTED;
    if (WIFSIGNALED(how)) {
        rs_fail(error, s->status, "rank %d exited on signal %d (%s)", (int)rank, WTERMSIG(how),
                strsignal(WTERMSIG(how)));
    } else if (rank > 0) {
        rs_fail(error, s->status, "rank %d ended with exit status %d", (int)rank, WEXITSTATUS(how));
    }
    terminate_within(s, 0);
}

static void reap(local_launcher *s, rs_error *error) {
    for (int32_t r = 0; r < s->n_ranks; r++) {
        int how;
        if (s->pids[r] == 0) continue;
        const pid_t ended = waitpid(s->pids[r], &how, WNOHANG);
        if (ended == 0 || (ended < 0 && errno == EINTR)) continue;
        s->pids[r] = 0;
        s->n_left--;
        if (ended > 0) note_exit(s, r, how, error);
    }
}

/* Sends SIGTERM, and later SIGKILL, to ranks whose time is over. */
static void signal_late_ranks(local_launcher *s) {
    const int64_t now_ps = rg_now_ps();
    if (now_ps < s->term_ps) return;
    if (s->kill_ps == INT64_MAX) {
        s->kill_ps = now_ps + TERM_MS * RG_MS_PS;
        signal_all(s, SIGTERM);
    } else if (now_ps >= s->kill_ps) {
        signal_all(s, SIGKILL);
    }
}

static rs_status wait_for_all(local_launcher *s, rs_error *error) {
    while (s->n_left > 0) {
        assert(s->n_left <= s->n_ranks);
        struct pollfd both[2] = {{.fd = s->signals, .events = POLLIN}, {.fd = s->in_fd}};
        poll(both, 2, TICK_MS);
        struct signalfd_siginfo what;
        while (read(s->signals, &what, sizeof what) == (ssize_t)sizeof what) {
            if (what.ssi_signo != SIGCHLD) terminate_within(s, 0);
        }
        if ((both[1].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
            s->in_fd = -1; /* reported once */
            terminate_within(s, LEAVE_MS);
        }
        reap(s, error);
        signal_late_ranks(s);
    }
    return s->status;
}

/* Blocks the signals that the launcher handles, to read them from a descriptor; false: none is blocked. */
static bool catch_signals(local_launcher *s) {
    static const int caught[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP};
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < 4; i++) sigaddset(&set, caught[i]);
    if (sigprocmask(SIG_BLOCK, &set, &s->before) != 0) return false;
    s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (s->signals < 0) sigprocmask(SIG_SETMASK, &s->before, NULL);
    return s->signals >= 0;
}

/* Returns the rank in a child; -1 in the launcher. */
static int32_t fork_all(local_launcher *s, rs_error *error) {
    const pid_t launcher_pid = getpid();
    for (int32_t r = 0; r < s->n_ranks; r++) {
        const pid_t pid = fork();
        if (pid == 0 && become_rank(s, r, launcher_pid)) return r;
        if (pid == 0) raise(SIGKILL);
        if (pid < 0) {
            s->status = rs_fail_word(error, RS_NO_MEMORY, 1, "rank %d cannot be started: %s",
                                     (int)r, strerror(errno));
            terminate_within(s, 0);
            break;
        }
        s->pids[r] = pid;
        s->n_left++;
    }
    return -1;
}

rs_status rg_local_launch(int32_t n_ranks, const char *init, int in_fd, int32_t *rank,
                          rs_error *error) {
    assert(n_ranks >= 1);
    char port[8];
    const bool given = address_is_given(init);
    local_launcher s = {.n_ranks = n_ranks, .in_fd = in_fd, .signals = -1};
    s.term_ps = s.kill_ps = INT64_MAX;
    s.pids = calloc((size_t)n_ranks, sizeof *s.pids);
    if (s.pids == NULL) return rs_no_memory(error);
    const int port_fd = given ? -1 : reserve_port(port);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    *rank = -1;
    rs_status status = RS_OK;
    if ((!given && port_fd < 0) || !catch_signals(&s)) {
        status =
            rs_fail_word(error, RS_UNSUPPORTED, 0, "ranks cannot be started: %s", strerror(errno));
    } else {
        rg_launch_env_new_token();
        *rank = fork_all(&s, error);
        if (*rank < 0) status = wait_for_all(&s, error);
        if (*rank < 0) sigprocmask(SIG_SETMASK, &s.before, NULL);
    }
    if (port_fd >= 0) close(port_fd);
    if (*rank < 0 && s.signals >= 0) close(s.signals);
    free(s.pids);
    if (*rank >= 0)
        rg_launch_env_set_rank(*rank, n_ranks, given ? NULL : "127.0.0.1", given ? NULL : port);
    return status;
}
