/* test_failing_calls.c: ranks that meet and exchange while the system fails one call of one of them, each call
 * in turn. Either all goes well all the same, or each rank says why in one line; in any case both end in time
 * and keep nothing open (bootstrap_world.c looks).
 *
 * The functions below stand before the system's; they count in the spoilt rank's process alone.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/bootstrap/bootstrap_world.h"

static const char *call = ""; /* which fails */
static world_rank *spoilt;    /* in the spoilt rank's process */

static bool fails(const char *name) {
    if (spoilt == NULL || strcmp(name, call) != 0 || spoilt->n_until == 0) return false;
    errno = ENOBUFS; /* nobody waits for better times because of that */
    return --spoilt->n_until == 0;
}

#define SYSTEM(result, name, ...) ((result(*)(__VA_ARGS__))(uintptr_t)dlsym(RTLD_NEXT, name))

int open(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
    va_end(list);
    if (fails("open")) return -1;
    return SYSTEM(int, "open", const char *, int, mode_t)(path, flags, mode);
}
int fcntl(int fd, int what, ...) {
    va_list list;
    va_start(list, what);
    void *argument = va_arg(list, void *);
    va_end(list);
    if ((what == F_SETLK || what == F_GETLK) && fails("fcntl")) return -1;
    return SYSTEM(int, "fcntl", int, int, void *)(fd, what, argument);
}
int fstat(int fd, struct stat *about) {
    if (fails("fstat")) return -1;
    return SYSTEM(int, "fstat", int, struct stat *)(fd, about);
}
ssize_t pread(int fd, void *bytes, size_t n, off_t at) {
    if (fails("pread")) return -1;
    return SYSTEM(ssize_t, "pread", int, void *, size_t, off_t)(fd, bytes, n, at);
}
ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at) {
    if (fails("pwrite")) return -1;
    return SYSTEM(ssize_t, "pwrite", int, const void *, size_t, off_t)(fd, bytes, n, at);
}
int socket(int domain, int type, int protocol) {
    if (fails("socket")) return -1;
    return SYSTEM(int, "socket", int, int, int)(domain, type, protocol);
}
int bind(int fd, const struct sockaddr *address, socklen_t n) {
    if (fails("bind")) return -1;
    return SYSTEM(int, "bind", int, const struct sockaddr *, socklen_t)(fd, address, n);
}
int listen(int fd, int n) {
    if (fails("listen")) return -1;
    return SYSTEM(int, "listen", int, int)(fd, n);
}
int accept4(int fd, struct sockaddr *address, socklen_t *n, int flags) {
    if (fails("accept4")) return -1;
    return SYSTEM(int, "accept4", int, struct sockaddr *, socklen_t *, int)(fd, address, n, flags);
}
int connect(int fd, const struct sockaddr *address, socklen_t n) {
    if (fails("connect")) return -1;
    return SYSTEM(int, "connect", int, const struct sockaddr *, socklen_t)(fd, address, n);
}
int poll(struct pollfd list[], nfds_t n, int timeout_ms) {
    if (fails("poll")) return -1;
    return SYSTEM(int, "poll", struct pollfd *, nfds_t, int)(list, n, timeout_ms);
}
ssize_t recv(int fd, void *bytes, size_t n, int flags) {
    if (fails("recv")) return -1;
    return SYSTEM(ssize_t, "recv", int, void *, size_t, int)(fd, bytes, n, flags);
}
ssize_t send(int fd, const void *bytes, size_t n, int flags) {
    if (fails("send")) return -1;
    return SYSTEM(ssize_t, "send", int, const void *, size_t, int)(fd, bytes, n, flags);
}
ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
    if (fails("sendmsg")) return -1;
    return SYSTEM(ssize_t, "sendmsg", int, const struct msghdr *, int)(fd, message, flags);
}
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **list) {
    if (fails("getaddrinfo")) return EAI_FAIL;
    return SYSTEM(int, "getaddrinfo", const char *, const char *, const struct addrinfo *,
                  struct addrinfo **)(name, service, hints, list);
}

/* ------------------------------------------------------------------ worlds of two */

static rs_status swap_some(rg_bootstrap *bootstrap, const world_rank *me, rs_error *error) {
    static const size_t sizes[] = {5, 0, 3000};
    rs_status status = RS_OK;
    for (int i = 0; i < 3 && status == RS_OK; i++) {
        status = world_swap(bootstrap, me, sizes[i], i, error);
    }
    return status;
}

static void spoil(world_rank *me) {
    if (me->n_until > 0) spoilt = me;
}

/* A call, at which of the ranks, and what comes of it. */
typedef enum { BORNE, TOLD, EITHER } outcome;
typedef struct failure {
    const char *call;
    int rank;
    outcome wanted;
} failure;

/* Both ended in time, with nothing open; who failed says why in a line, which names the place and, of a file, the
   system's reason where this rank met it. */
static void expect_told(const failure *f, int n, const world *w) {
    bool good = true;
    const bool file = strncmp(w->init, "file", 4) == 0;
    for (int r = 0; r < 2; r++) {
        const world_rank *one = &w->ranks[r];
        good = good && one->status == RS_OK;
        cr_expect(one->ended && one->seconds < 30 && one->n_open == 0,
                  "%s %d at %d, rank %d: %g s, %d left open", f->call, n, f->rank, r, one->seconds,
                  one->n_open);
        if (one->status == RS_OK) continue;
        cr_expect(strstr(one->text, w->init) != NULL && strchr(one->text, '\n') == NULL,
                  "%s %d at %d, rank %d: %s", f->call, n, f->rank, r, one->text);
        if (file && r == f->rank) {
            cr_expect(strstr(one->text, strerror(ENOBUFS)) != NULL, "%s %d at %d: %s", f->call, n,
                      r, one->text);
        }
    }
    if (f->wanted != EITHER) {
        cr_expect_eq(good, f->wanted == BORNE, "%s %d at %d: '%s', '%s'", f->call, n, f->rank,
                     w->ranks[0].text, w->ranks[1].text);
    }
}

/* Begins a world whose nth such call fails. */
static world begin_spoilt(const char *way, const failure *f, int n, int timeout_ms) {
    world w = world_make(way, 2);
    w.act = swap_some;
    w.before = spoil;
    w.ranks[f->rank].n_until = n;
    for (int r = 0; r < 2; r++) w.ranks[r].timeout_ms = timeout_ms;
    world_begin(&w);
    return w;
}

/* The spoilt rank waited in vain, which on a busy machine may be before its call fails. */
static bool ran_out_of_time(const failure *f, const world *w) {
    return strstr(w->ranks[f->rank].text, " within ") != NULL;
}

/* The call fails the first time, the second time, ... until there are not so many; some worlds at once, since they
   mostly wait. */
static void check_call(const char *way, const failure *f) {
    enum { AT_ONCE = 16, MOST = 80, LONG_MS = 6000, AGAIN_MS = 3000 };
    world worlds[AT_ONCE];
    bool more = true;
    call = f->call;
    for (int n = 1; more && n <= MOST; n += AT_ONCE) {
        for (int i = 0; i < AT_ONCE; i++) { /* what is borne waits for nobody, but may be slow */
            worlds[i] = begin_spoilt(way, f, n + i, f->wanted == BORNE ? LONG_MS : 400);
        }
        world_end_all(worlds, AT_ONCE);
        bool again[AT_ONCE];
        for (int i = 0; i < AT_ONCE; i++) {
            again[i] = ran_out_of_time(f, &worlds[i]);
            if (again[i]) worlds[i] = begin_spoilt(way, f, n + i, AGAIN_MS);
        }
        for (int i = 0; i < AT_ONCE; i++) {
            if (again[i]) world_end(&worlds[i]);
            const bool failed = worlds[i].ranks[f->rank].n_until == 0;
            cr_expect(n + i > 1 || failed, "%s is not called", f->call);
            more = more && failed;
            if (failed) expect_told(f, n + i, &worlds[i]);
        }
    }
}

/* To unlock may fail; a rank that has read all others' parts need not hear of the last one's troubles. */
static const failure of_a_file[] = {
    {"open", 0, TOLD},     {"open", 1, TOLD},    {"fstat", 0, EITHER}, {"fstat", 1, EITHER},
    {"fcntl", 0, EITHER},  {"fcntl", 1, EITHER}, {"pread", 0, EITHER}, {"pread", 1, EITHER},
    {"pwrite", 0, EITHER}, {"pwrite", 1, EITHER}};
static const failure of_a_connection[] = {
    {"socket", 0, TOLD},       {"bind", 0, TOLD},         {"listen", 0, TOLD},
    {"socket", 1, BORNE},      {"accept4", 0, BORNE},     {"connect", 1, BORNE},
    {"poll", 0, BORNE},        {"poll", 1, BORNE},        {"send", 1, BORNE},
    {"getaddrinfo", 0, BORNE}, {"getaddrinfo", 1, BORNE}, {"recv", 0, EITHER},
    {"recv", 1, TOLD},         {"sendmsg", 0, TOLD},      {"sendmsg", 1, TOLD}};

static void free_numbers(struct criterion_test_params *numbers) {
    cr_free(numbers->params);
}

/* Numbers 0 .. n - 1: each call is a test of its own, several at once. */
static struct criterion_test_params numbers(int n) {
    int *list = cr_malloc((size_t)n * sizeof *list);
    for (int i = 0; i < n; i++) list[i] = i;
    return cr_make_param_array(int, list, (size_t)n, free_numbers);
}

ParameterizedTestParameters(failing_calls, of_a_file_are_told_to_both) {
    return numbers(sizeof of_a_file / sizeof *of_a_file);
}
ParameterizedTest(int *i, failing_calls, of_a_file_are_told_to_both, .fini = world_tidy) {
    check_call("file", &of_a_file[*i]);
}

ParameterizedTestParameters(failing_calls, of_a_connection_are_borne_or_told_to_both) {
    return numbers(sizeof of_a_connection / sizeof *of_a_connection);
}
ParameterizedTest(int *i, failing_calls, of_a_connection_are_borne_or_told_to_both) {
    check_call("tcp", &of_a_connection[*i]);
}
