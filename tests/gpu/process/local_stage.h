/* local_stage.h: our own starter of ranks on a stage: what each rank does is planned. A test program includes it once.
 *
 *     play(&(plan){.deeds = {WAITS, BADLY, DEAF, WAITS}, .how = 7});  wants(RS_UNSUPPORTED, "rank 1 ...", ...);
 *
 * The system's calls below go through ours: which of them fails is the test's choice, and so is the clock, which goes on by
 * a tick whenever the starter waits. Whom the starter sends which signal, and when, is noted.
 */
#pragma once

#include <criterion/criterion.h>

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <unistd.h>

#include "process/local_launcher.h"

enum { N = 4, MOST = 64, TICK_MS = 100, HIGH_FD = 100 };

typedef struct note { /* a signal that the starter sent */
    int rank, signal;
    int64_t at_ms;
} note;

typedef struct page { /* what all processes share */
    pid_t ranks[N];
    int n_ready, n_notes;
    note notes[MOST];
    rs_status status; /* the starter's */
    int32_t rank;
    char text[512];
    int n_before, n_open[N + 1]; /* descriptors: of each rank; of the starter, afterwards */
    int parent_signal[N + 1];
    sigset_t blocked[N + 1];
    char words[N][200], token[N][64], first_byte[N];
    bool taken[N]; /* the port, so that nobody else gets it */
    bool done;
} page;

static page *shared;
static bool ours; /* the calls below are the test's */
static int64_t now_ms;
static int n_forks, n_ended, fails_at = -1, badly_at = -1, room = -1;
static const char *failing; /* the call that does, too */
static void (*while_waiting)(void);

/* ------------------------------------------------------------------ what the system does */

#define SYSTEM(name) (dlsym(RTLD_NEXT, name))

int clock_gettime(clockid_t clock, struct timespec *out) {
    int (*system)(clockid_t, struct timespec *);
    *(void **)&system = SYSTEM("clock_gettime");
    if (!ours) return system(clock, out);
    *out = (struct timespec){.tv_sec = 1000 + now_ms / 1000, .tv_nsec = now_ms % 1000 * 1000000};
    return 0;
}

/* A wait of the starter lasts a tick, or until a rank has ended. */
int poll(struct pollfd *list, nfds_t n, int ms) {
    int (*system)(struct pollfd *, nfds_t, int);
    *(void **)&system = SYSTEM("poll");
    if (!ours || n != 2) return system(list, n, ms);
    const int got = system(list, n, 1);
    if (while_waiting != NULL) while_waiting();
    now_ms += TICK_MS;
    return got;
}

pid_t waitpid(pid_t pid, int *how, int options) {
    pid_t (*system)(pid_t, int *, int);
    *(void **)&system = SYSTEM("waitpid");
    const pid_t ended = system(pid, how, options);
    n_ended += ours && ended > 0;
    return ended;
}

int kill(pid_t pid, int signal) {
    int (*system)(pid_t, int);
    *(void **)&system = SYSTEM("kill");
    if (ours && shared->n_notes < MOST) {
        note *one = &shared->notes[shared->n_notes++];
        *one = (note){-1, signal, now_ms};
        for (int r = 0; r < N; r++) {
            if (shared->ranks[r] == pid) one->rank = r;
        }
    }
    return pid > 1 ? system(pid, signal) : 0;
}

/* Tells whether the call named is to fail, and does. */
static bool fails(const char *name) {
    if (ours && failing != NULL && strcmp(failing, name) == 0) return errno = ENOBUFS, true;
    return false;
}

int socket(int domain, int type, int protocol) {
    int (*system)(int, int, int);
    *(void **)&system = SYSTEM("socket");
    return fails("socket") ? -1 : system(domain, type, protocol);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t n) {
    int (*system)(int, int, int, const void *, socklen_t);
    *(void **)&system = SYSTEM("setsockopt");
    return fails("setsockopt") ? -1 : system(fd, level, name, value, n);
}

int bind(int fd, const struct sockaddr *address, socklen_t n) {
    int (*system)(int, const struct sockaddr *, socklen_t);
    *(void **)&system = SYSTEM("bind");
    return fails("bind") ? -1 : system(fd, address, n);
}

int signalfd(int fd, const sigset_t *set, int flags) {
    int (*system)(int, const sigset_t *, int);
    *(void **)&system = SYSTEM("signalfd");
    return fails("signalfd") ? -1 : system(fd, set, flags);
}

pid_t fork(void) {
    pid_t (*system)(void);
    *(void **)&system = SYSTEM("fork");
    if (!ours) return system();
    if (n_forks == fails_at) return errno = EAGAIN, -1;
    const pid_t pid = system();
    if (pid > 0) shared->ranks[n_forks] = pid;
    if (pid == 0 && n_forks == badly_at && room >= 0) {
        const struct rlimit most = {(rlim_t)room, (rlim_t)room};
        setrlimit(RLIMIT_NOFILE, &most);
    }
    n_forks++;
    return pid;
}

/* ------------------------------------------------------------------ a rank, and its starter */

typedef enum deed { WELL, BADLY, BY_SIGNAL, WAITS, DEAF, BADLY_WHEN_TOLD, LOOKS } deed;

typedef struct plan {
    deed deeds[N];
    int how; /* the exit status, or the signal, of those that end */
    const char *init;
    bool no_stdin; /* the starter has none: its first descriptor is number 0 */
    bool closed;   /* nobody holds the other end of the starter's input */
    int told;      /* a signal that the starter is sent once all are there; 0: none */
} plan;

static const plan *current;

static void end_badly(int signal) {
    (void)signal;
    _exit(9);
}

static int n_open(void) {
    int n = 0;
    for (int fd = 0; fd < 256; fd++) n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* Whether the port is another's: who does not ask to share it does not get it. */
static bool is_taken(const char *port) {
    const struct sockaddr_in at = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)atoi(port)),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool got = bind(fd, (const struct sockaddr *)&at, sizeof at) == 0;
    close(fd);
    return !got;
}

/* Looks at what a rank has got. */
static void look(int32_t rank, int in_fd) {
    const char *port = getenv("MASTER_PORT"), *token = getenv("RINGSIM_JOB");
    shared->n_open[rank] = n_open();
    prctl(PR_GET_PDEATHSIG, &shared->parent_signal[rank]);
    sigprocmask(SIG_BLOCK, NULL, &shared->blocked[rank]);
    rg_launch_env_words(shared->words[rank], sizeof *shared->words);
    snprintf(shared->token[rank], sizeof *shared->token, "%s", token != NULL ? token : "");
    shared->taken[rank] = port != NULL && is_taken(port);
    if (read(in_fd, &shared->first_byte[rank], 1) < 0) shared->first_byte[rank] = '?';
}

static void act(int32_t rank, int in_fd) {
    const deed what = current->deeds[rank];
    if (what == DEAF) signal(SIGTERM, SIG_IGN);
    if (what == BADLY_WHEN_TOLD) signal(SIGTERM, end_badly);
    if (what == LOOKS) look(rank, in_fd);
    __atomic_add_fetch(&shared->n_ready, 1, __ATOMIC_SEQ_CST);
    if (what == WELL || what == LOOKS) _exit(0);
    while ((what == BADLY || what == BY_SIGNAL) &&
           __atomic_load_n(&shared->n_ready, __ATOMIC_SEQ_CST) < N) {
        usleep(200); /* so that the others are there, with their signals set */
    }
    if (what == BADLY) _exit(current->how);
    if (what == BY_SIGNAL) {
        signal(current->how, SIG_DFL);
        raise(current->how);
    }
    while (true) pause();
}

/* What the starter is told comes when all are there. No time passes before, nor until those that obey a signal have. A
   starter that gives up signals earlier, and whoever obeys before it is there never will be. */
static void tell_starter(void) {
    static bool told;
    const bool all = __atomic_load_n(&shared->n_ready, __ATOMIC_SEQ_CST) >= n_forks ||
                     (shared->n_notes > 0 && n_ended > 0);
    int n_obey = 0;
    for (int r = 0; r < N; r++) n_obey += r < n_forks && current->deeds[r] != DEAF;
    if (!told && all && current->told != 0) raise(current->told);
    told = told || all;
    if (!told || (shared->n_notes > 0 && n_ended < n_obey)) now_ms -= TICK_MS;
}

/* Starts as planned in a process of its own, and waits until all have ended. */
static void play(const plan *what) {
    int in[2], how = -1;
    cr_assert(pipe2(in, O_CLOEXEC) == 0 && write(in[1], "!", 1) == 1);
    memset(shared, 0, sizeof *shared);
    current = what;
    const int in_fd = fcntl(in[0], F_DUPFD_CLOEXEC, HIGH_FD);
    if (what->closed) close(in[1]);
    const pid_t pid = fork();
    if (pid == 0) {
        rs_error error = {.text = ""};
        int32_t rank = 77;
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        close(in[0]);
        if (what->no_stdin) close(STDIN_FILENO);
        shared->n_before = n_open();
        while_waiting = tell_starter;
        ours = true;
        const rs_status status = rg_local_launch(N, what->init, in_fd, &rank, &error);
        ours = false;
        if (rank >= 0) act(rank, in_fd);
        shared->rank = rank;
        shared->status = status;
        memcpy(shared->text, error.text, sizeof error.text);
        shared->n_open[N] = n_open();
        sigprocmask(SIG_BLOCK, NULL, &shared->blocked[N]);
        prctl(PR_GET_PDEATHSIG, &shared->parent_signal[N]);
        shared->done = true;
        _exit(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : 1);
    }
    waitpid(pid, &how, 0);
    close(in[0]), close(in_fd);
    if (!what->closed) close(in[1]);
    cr_assert(shared->done && how == 0, "%d: a rank is left", how);
}

static void wants(rs_status status, const char *text, const char *what, int number) {
    cr_expect_eq(shared->status, status, "%s %d: %d", what, number, (int)shared->status);
    cr_expect_str_eq(shared->text, text, "%s %d: '%s'", what, number, shared->text);
}

static void begin(void) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert(shared != MAP_FAILED);
    unsetenv("MASTER_PORT");
    unsetenv("MASTER_ADDR");
}
