/* tcp_addresses.c: addresses, listening and connecting, for tcp_bootstrap.c. Every socket is non-blocking. */
#define _GNU_SOURCE 1 /* accept4: Linux, BSD */
#include "bootstrap/bootstrap_ways.h"

#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

int rg_ms_until(int64_t deadline_ps, int most) {
    assert(most >= 1);
    const int64_t left = (deadline_ps - rg_now_ps()) / RG_MS_PS + 1;
    return left < 1 ? 1 : left > most ? most : (int)left;
}

/* ------------------------------------------------------------------ addresses */

rs_status rg_net_parse(const char *text, rg_bootstrap *m, rs_error *error) {
    const bool six = text[0] == '[';
    const char *host = text + six;
    const char *end = six ? strchr(text, ']') : strchr(text, ':');
    const char *port = end == NULL ? NULL : end + six;
    if (port == NULL || *port != ':') {
        return rs_fail(error, RS_BAD_INPUT, "tcp://%.94s: no port; write tcp://HOST:PORT", text);
    }
    if (!six && strchr(port + 1, ':') != NULL) {
        return rs_fail(error, RS_BAD_INPUT,
                       "tcp://%.94s: write an IPv6 address in brackets: tcp://[::1]:29500", text);
    }
    port++;
    const size_t n = strspn(port, "0123456789");
    const long number = n > 0 && n <= 5 && port[n] == '\0' ? strtol(port, NULL, 10) : 0;
    if (number < 1 || number > 65535) {
        return rs_fail(error, RS_BAD_INPUT, "tcp://%.94s: a port is a number, 1..65535", text);
    }
    const size_t n_host = (size_t)(end - host);
    if (n_host >= sizeof m->host || strcspn(host, "/ \t@") < n_host) {
        return rs_fail(error, RS_BAD_INPUT, "tcp://%.94s: that is no name of a machine", text);
    }
    snprintf(m->host, sizeof m->host, "%.*s", (int)n_host, n_host == 0 ? "" : host);
    if (n_host == 0) strcpy(m->host, "127.0.0.1");
    snprintf(m->port, sizeof m->port, "%ld", number);
    return RS_OK;
}

/* A thread looks a name up: a name server that does not answer takes longer than our deadline. */
typedef struct lookup {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done, left; /* nobody waits for it any more */
    int failed;
    struct addrinfo *list;
    char host[RG_LONGEST_HOST], port[8];
} lookup;

static const struct addrinfo any_stream = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};

static void forget(lookup *l) {
    if (l->list != NULL) freeaddrinfo(l->list);
    pthread_cond_destroy(&l->changed);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

static void *look_up(void *argument) {
    lookup *l = argument;
    struct addrinfo *list = NULL;
    const int failed = getaddrinfo(l->host, l->port, &any_stream, &list);
    pthread_mutex_lock(&l->lock);
    l->failed = failed;
    l->list = list;
    l->done = true;
    const bool left = l->left;
    pthread_cond_signal(&l->changed);
    pthread_mutex_unlock(&l->lock);
    if (left) forget(l);
    return NULL;
}

static lookup *lookup_new(const rg_bootstrap *m) {
    pthread_condattr_t clock;
    lookup *l = calloc(1, sizeof *l);
    if (l == NULL) return NULL;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->changed, &clock);
    pthread_condattr_destroy(&clock);
    memcpy(l->host, m->host, sizeof l->host);
    memcpy(l->port, m->port, sizeof l->port);
    return l;
}

/* Returns what getaddrinfo does; EAI_AGAIN as well if it takes too long. */
static int look_up_until(const rg_bootstrap *m, int64_t deadline_ps, struct addrinfo **list) {
    pthread_t thread;
    lookup *l = lookup_new(m);
    if (l == NULL || pthread_create(&thread, NULL, look_up, l) != 0) {
        if (l != NULL) forget(l);
        return EAI_MEMORY;
    }
    pthread_detach(thread);
    const int64_t until_ms = rg_now_ps() / RG_MS_PS + rg_ms_until(deadline_ps, INT32_MAX);
    const struct timespec until = {until_ms / 1000, until_ms % 1000 * 1000000};
    pthread_mutex_lock(&l->lock);
    while (!l->done && pthread_cond_timedwait(&l->changed, &l->lock, &until) == 0) continue;
    const bool done = l->done;
    const int failed = done ? l->failed : EAI_AGAIN;
    if (done) *list = l->list;
    if (done) l->list = NULL;
    l->left = !done;
    pthread_mutex_unlock(&l->lock);
    if (done) forget(l);
    return failed;
}

/* Returns the addresses of the host; NULL: none. *later: a later try may succeed. */
static struct addrinfo *resolve(const rg_bootstrap *m, int64_t deadline_ps, bool *later,
                                rs_error *error) {
    struct addrinfo numeric = any_stream, *list = NULL;
    numeric.ai_flags = AI_NUMERICHOST;
    int failed = getaddrinfo(m->host, m->port, &numeric, &list);
    if (failed != 0) failed = look_up_until(m, deadline_ps, &list);
    if (failed == 0) return list;
    *later = failed == EAI_AGAIN;
    rs_fail(error, RS_BAD_INPUT, "%s: no such host as %s: %s", m->place, m->host,
            gai_strerror(failed));
    return NULL;
}

/* ------------------------------------------------------------------ listening */

static int listen_at(const struct addrinfo *address) {
    enum { WAITING = 1024 };
    const int yes = 1;
    const int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (address->ai_family == AF_INET6) {
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
    }
    if (bind(fd, address->ai_addr, address->ai_addrlen) == 0 && listen(fd, WAITING) == 0) return fd;
    const int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

/* Listens at all addresses of the list; returns 0, or why it does not. */
static int listen_all(const struct addrinfo *list, int listeners[RG_MOST_LISTENERS], int *n) {
    int reason = 0;
    *n = 0;
    for (const struct addrinfo *a = list; a != NULL && *n < RG_MOST_LISTENERS; a = a->ai_next) {
        const int fd = listen_at(a);
        if (fd >= 0) listeners[(*n)++] = fd;
        if (fd < 0) reason = errno;
        if (fd < 0 && reason == EADDRINUSE) break;
    }
    if (*n > 0 && reason != EADDRINUSE) return 0;
    while (*n > 0) close(listeners[--*n]);
    return reason;
}

static bool is_loopback(const struct addrinfo *a) {
    if (a->ai_family == AF_INET) {
        const struct sockaddr_in *four = (const struct sockaddr_in *)(const void *)a->ai_addr;
        return ntohl(four->sin_addr.s_addr) >> 24 == 127;
    }
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)a->ai_addr;
    return a->ai_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

/* Tells whether a name, of a machine as it seems, is only the loopback here (Debian's 127.0.1.1): where
   else it is looked up it is something else. Who writes 127.0.0.1 or localhost means it. */
static bool hides_us(const rg_bootstrap *m, const struct addrinfo *list) {
    struct addrinfo numeric = any_stream, *number = NULL;
    numeric.ai_flags = AI_NUMERICHOST;
    const bool meant =
        strcmp(m->host, "localhost") == 0 || getaddrinfo(m->host, m->port, &numeric, &number) == 0;
    if (number != NULL) freeaddrinfo(number);
    for (; list != NULL; list = list->ai_next) {
        if (!is_loopback(list)) return false;
    }
    return !meant;
}

/* Listens at every address of this machine. Other ranks may come by an address that we do not know;
   their token says that they belong to the job. */
static int listen_everywhere(rg_bootstrap *m, int listeners[RG_MOST_LISTENERS], int *n,
                             const char *since) {
    struct addrinfo any = any_stream, *list = NULL;
    any.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV;
    if (getaddrinfo(NULL, m->port, &any, &list) != 0) return EADDRNOTAVAIL;
    const int reason = listen_all(list, listeners, n);
    freeaddrinfo(list);
    if (reason == 0) {
        snprintf(m->listens, sizeof m->listens,
                 "rank 0 listens at all addresses of its machine, where %.40s is %s", m->host,
                 since);
    }
    return reason;
}

rs_status rg_net_listen(rg_bootstrap *m, int listeners[RG_MOST_LISTENERS], int *n, bool *busy,
                        int64_t deadline_ps, rs_error *error) {
    static const char loopback[] = "the loopback", foreign[] = "no address";
    bool later;
    *n = 0;
    *busy = false;
    struct addrinfo *list = resolve(m, deadline_ps, &later, error);
    if (list == NULL) return RS_BAD_INPUT;
    const bool come = !rg_launch_env_all_here(), known = m->token[0] != '\0';
    const bool hidden = come && hides_us(m, list);
    int reason = hidden && known ? listen_everywhere(m, listeners, n, loopback)
                                 : listen_all(list, listeners, n);
    if (reason == EADDRNOTAVAIL && come && known) {
        reason = listen_everywhere(m, listeners, n, foreign);
    }
    freeaddrinfo(list);
    if (reason == 0 && hidden && !known) {
        snprintf(
            m->listens, sizeof m->listens,
            "%.40s is the loopback here: for ranks elsewhere give rank 0's address, or all the "
            "same RINGSIM_JOB",
            m->host);
    }
    if (reason == 0) return RS_OK;
    *busy = reason == EADDRINUSE;
    if (*busy) {
        return rs_fail(error, RS_BAD_INPUT,
                       "%s is in use by another program; choose another port, or end that program",
                       m->place);
    }
    return rs_fail_word(error, RS_BAD_INPUT, 1, "rank 0 cannot listen at %s: %s%s%s", m->place,
                        strerror(reason),
                        reason == EADDRNOTAVAIL ? "; name the machine that rank 0 runs on" : "",
                        reason == EADDRNOTAVAIL && come
                            ? "; if others are led here from there, give all the same RINGSIM_JOB"
                            : "");
}

static void hurry(int fd) {
    const int yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

int rg_net_accept(int listener) {
    const int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) hurry(fd);
    return fd;
}

/* ------------------------------------------------------------------ connecting */

/* Tells whether a socket is connected to itself: that may happen at a port from the range that the
   system gives out, if nobody listens there. */
static bool is_itself(int fd) {
    struct sockaddr_storage here = {0}, there = {0};
    socklen_t n_here = sizeof here, n_there = sizeof there;
    return getsockname(fd, (struct sockaddr *)&here, &n_here) == 0 &&
           getpeername(fd, (struct sockaddr *)&there, &n_there) == 0 && n_here == n_there &&
           memcmp(&here, &there, n_here) == 0;
}

/* Returns the socket, or -1 and errno. */
static int connect_to(const struct addrinfo *address, int64_t deadline_ps) {
    enum { PATIENCE_MS = 2000 }; /* one address must not take all the time */
    const int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    int reason = connect(fd, address->ai_addr, address->ai_addrlen) == 0 ? 0 : errno;
    if (reason == EINPROGRESS || reason == EINTR) {
        struct pollfd done = {.fd = fd, .events = POLLOUT};
        socklen_t n = sizeof reason;
        reason = ETIMEDOUT;
        if (poll(&done, 1, rg_ms_until(deadline_ps, PATIENCE_MS)) > 0) {
            getsockopt(fd, SOL_SOCKET, SO_ERROR, &reason, &n);
        }
    }
    if (reason == 0 && is_itself(fd)) reason = ECONNREFUSED;
    if (reason == 0) {
        hurry(fd);
        return fd;
    }
    close(fd);
    errno = reason;
    return -1;
}

int rg_net_connect(const rg_bootstrap *m, int64_t deadline_ps, const char **why, rs_status *status,
                   rs_error *error) {
    bool later = false;
    int fd = -1;
    *status = RS_OK;
    struct addrinfo *list = resolve(m, deadline_ps, &later, error);
    if (list == NULL) {
        *status = later ? RS_OK : RS_BAD_INPUT;
        *why = "its name cannot be looked up";
        return -1;
    }
    for (const struct addrinfo *a = list; a != NULL && fd < 0; a = a->ai_next) {
        fd = connect_to(a, deadline_ps);
        if (fd < 0) *why = strerror(errno);
    }
    freeaddrinfo(list);
    return fd;
}
