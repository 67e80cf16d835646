/* bootstrap_world.c: see bootstrap_world.h. */
#include "gpu/bootstrap/bootstrap_world.h"

#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <criterion/options.h>

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const world_ways[3] = {"env", "tcp", "file"};

/* Who starts such processes waits for them, and computes nearly nothing. */
ReportHook(PRE_ALL)(struct criterion_test_set *tests) {
    enum { AT_ONCE = 8 };
    (void)tests;
    if (criterion_options.jobs == 0) criterion_options.jobs = AT_ONCE;
}

static double now_s(void) {
    return (double)rg_now_ps() / 1e12;
}

int held_port(int *port) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY)};
    socklen_t n = sizeof any;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    cr_assert_eq(bind(fd, (struct sockaddr *)&any, sizeof any), 0);
    getsockname(fd, (struct sockaddr *)&any, &n);
    *port = ntohs(any.sin_port);
    return fd;
}

/* For as long as this process lives. */
static int free_port(void) {
    int port;
    held_port(&port);
    return port;
}

int connect_port(int port) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in there = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int i = 0; i < 300; i++) {
        if (connect(fd, (struct sockaddr *)&there, sizeof there) == 0) return fd;
        usleep(10000);
    }
    cr_assert_fail("nobody listens at %d", port);
    return -1;
}

static char made[64]; /* the world_folder of this test's files; "": none yet */

const char *world_folder(void) {
    if (made[0] == '\0') {
        snprintf(made, sizeof made, "/tmp/ringsim-meet-XXXXXX");
        cr_assert_neq(mkdtemp(made), NULL);
    }
    return made;
}

void world_tidy(void) {
    char path[400];
    DIR *list = made[0] != '\0' ? opendir(made) : NULL;
    for (struct dirent *e = list != NULL ? readdir(list) : NULL; e != NULL; e = readdir(list)) {
        snprintf(path, sizeof path, "%s/%s", made, e->d_name);
        unlink(path);
    }
    if (list != NULL) closedir(list);
    rmdir(made);
}

char *world_path(const char *init) {
    return (char *)(uintptr_t)init + strlen("file://");
}

world world_make(const char *way, int n) {
    static int turn;
    world w = {.n = n};
    w.ranks = mmap(NULL, sizeof(world_rank) * WORLD_MOST, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(w.ranks, MAP_FAILED);
    for (int r = 0; r < n; r++) {
        w.ranks[r] = (world_rank){.rank = r, .n_ranks = n, .timeout_ms = WORLD_TIMEOUT_MS};
    }
    if (strcmp(way, "file") == 0) {
        snprintf(w.init, sizeof w.init, "file://%s/meeting-%d", world_folder(), turn++);
    } else if (strcmp(way, "tcp") == 0) {
        snprintf(w.init, sizeof w.init, "tcp://127.0.0.1:%d", free_port());
    } else {
        char port[16];
        snprintf(port, sizeof port, "%d", free_port());
        setenv("MASTER_PORT", port, 1);
        unsetenv("MASTER_ADDR");
        unsetenv("TORCHELASTIC_USE_AGENT_STORE");
        snprintf(w.init, sizeof w.init, "env://");
    }
    return w;
}

static int n_open(void) {
    int n = 0;
    DIR *list = opendir("/proc/self/fd");
    while (list != NULL && readdir(list) != NULL) n++;
    if (list != NULL) closedir(list);
    return n;
}

static void wait_delay(const world *w, const world_rank *me) {
    for (int i = 0; me->delay_ms > 0 && i < w->n; i++) {
        while (w->ranks[i].delay_ms == 0 && !w->ranks[i].began) usleep(1000);
    }
    usleep((useconds_t)me->delay_ms * 1000);
}

static void live(const world *w, world_rank *me) {
    rs_error error = {.text = ""};
    rg_bootstrap *bootstrap = NULL;
    wait_delay(w, me);
    me->began = true;
    const int n_before = n_open();
    if (w->before != NULL) w->before(me);
    const double start_s = now_s();
    me->status =
        rg_bootstrap_join(w->init, me->rank, me->n_ranks, me->timeout_ms, &error, &bootstrap);
    if (me->status == RS_OK && w->act != NULL) me->status = w->act(bootstrap, me, &error);
    me->seconds = now_s() - start_s;
    memcpy(me->text, error.text, sizeof me->text);
    rg_bootstrap_leave(bootstrap);
    me->n_open = n_open() - n_before;
    me->ended = true;
    _exit(0);
}

void world_begin(world *w) {
    for (int i = 0; i < w->n; i++) {
        const pid_t pid = fork(); /* the child must not write to `pid`, which all share */
        if (pid == 0) live(w, &w->ranks[i]);
        w->ranks[i].pid = pid;
    }
}

/* Waits for all; whoever does not end is killed, and has not `ended`. */
void world_end(world *w) {
    const double deadline_s = now_s() + 200;
    for (int i = 0; i < w->n; i++) {
        while (waitpid(w->ranks[i].pid, NULL, WNOHANG) == 0) {
            if (now_s() > deadline_s) kill(w->ranks[i].pid, SIGKILL);
            usleep(1000);
        }
    }
    if (strncmp(w->init, "file", 4) == 0) unlink(world_path(w->init));
}

void world_run(world *w) {
    world_begin(w);
    world_end(w);
}

void world_end_all(world worlds[], int n) {
    for (int i = 0; i < n; i++) world_end(&worlds[i]);
}

void world_wants_good(const world *w) {
    for (int i = 0; i < w->n; i++) {
        const world_rank *one = &w->ranks[i];
        cr_assert(one->ended && one->status == RS_OK, "%s, rank %d: %s", w->init, (int)one->rank,
                  one->ended ? one->text : "never ended");
    }
}

enum { SLOWER = 4 }; /* how much a busy, sanitized one may be */

void world_wants(const world *w, int i, const char *text, double seconds) {
    const world_rank *one = &w->ranks[i];
    cr_assert(one->ended, "%s, process %d never ended", w->init, i);
    cr_assert(one->status != RS_OK && strstr(one->text, text) != NULL,
              "%s, process %d: '%s', not '%s'", w->init, i, one->text, text);
    cr_assert(strchr(one->text, '\n') == NULL);
    cr_assert_lt(one->seconds, SLOWER * seconds, "%s, process %d: it took %g s: %s", w->init, i,
                 one->seconds, one->text);
}

void world_wants_all(const world *w, const char *text, double seconds) {
    for (int i = 0; i < w->n; i++) world_wants(w, i, text, seconds);
}

int world_port(const world *w) {
    return atoi(strrchr(w->init, ':') + 1);
}

/* ------------------------------------------------------------------ what they do */

rs_status world_swap(rg_bootstrap *bootstrap, const world_rank *me, size_t n, int turn,
                     rs_error *error) {
    unsigned char *own = malloc(n + 1), *all = malloc(n * (size_t)me->n_ranks + 1);
    for (size_t i = 0; i < n; i++) own[i] = (unsigned char)(i * 7 + (size_t)(me->rank * 31 + turn));
    rs_status status = rg_exchange(bootstrap, own, n, all, me->timeout_ms, error);
    for (size_t i = 0; status == RS_OK && i < n * (size_t)me->n_ranks; i++) {
        const size_t r = i / n;
        if (all[i] == (unsigned char)(i % n * 7 + r * 31 + (size_t)turn)) continue;
        status = rs_fail(error, RS_BAD_INPUT, "byte %zu of turn %d is wrong", i, turn);
    }
    free(own);
    free(all);
    return status;
}

rs_status world_swap_sizes(rg_bootstrap *bootstrap, const world_rank *me, rs_error *error) {
    static const size_t sizes[] = {0, 1, 128, 4096, 0, 100001, 3, 1000000, 7};
    rs_status status = RS_OK;
    for (int i = 0; i < 9 && status == RS_OK; i++) {
        status = world_swap(bootstrap, me, sizes[i], i, error);
    }
    return status;
}
