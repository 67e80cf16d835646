/* test_bootstrap.c: processes that were started as ranks find each other, and each fault is told to all whom
   it concerns.

   Every world here is real processes: each child writes what became of it into memory that all share. */
#include <criterion/criterion.h>

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>

#include "bootstrap/bootstrap.h"

enum { MOST = 10, TIMEOUT_MS = 20000 };
static const char *const ways[] = {"env", "tcp", "file"};

/* ------------------------------------------------------------------ worlds */

/* What one process is told, and what became of it. */
typedef struct rank_of {
    int32_t rank, n_ranks, timeout_ms, delay_ms;
    rs_status status;
    char text[512];
    double seconds;
    bool ended;
    pid_t pid;
} rank_of;

typedef rs_status (*rank_body)(rg_bootstrap *bootstrap, const rank_of *me, rs_error *error);
typedef struct world {
    char init[256];
    int n; /* processes */
    rank_of *ranks;
    rank_body act; /* once they have met */
} world;

static double now_s(void) {
    return (double)rg_now_ps() / 1e12;
}

/* A port of the loopback that nobody else gets while this process lives. */
static int free_port(void) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof any;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    cr_assert_eq(bind(fd, (struct sockaddr *)&any, sizeof any), 0);
    getsockname(fd, (struct sockaddr *)&any, &n);
    return ntohs(any.sin_port);
}

static char made[64]; /* the folder of this test's files; "": none yet */

static const char *folder(void) {
    if (made[0] == '\0') {
        snprintf(made, sizeof made, "/tmp/ringsim-meet-XXXXXX");
        cr_assert_neq(mkdtemp(made), NULL);
    }
    return made;
}

static void tidy(void) {
    char path[400];
    DIR *list = made[0] != '\0' ? opendir(made) : NULL;
    for (struct dirent *e = list != NULL ? readdir(list) : NULL; e != NULL; e = readdir(list)) {
        snprintf(path, sizeof path, "%s/%s", made, e->d_name);
        unlink(path);
    }
    if (list != NULL) closedir(list);
    rmdir(made);
}
TestSuite(bootstrap, .fini = tidy);

static char *path_of(const char *init) {
    return (char *)(uintptr_t)init + strlen("file://");
}

static world make_world(const char *way, int n) {
    static int turn;
    world w = {.n = n};
    w.ranks = mmap(NULL, sizeof(rank_of) * MOST, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                   -1, 0);
    cr_assert_neq(w.ranks, MAP_FAILED);
    for (int r = 0; r < n; r++) {
        w.ranks[r] = (rank_of){.rank = r, .n_ranks = n, .timeout_ms = TIMEOUT_MS};
    }
    if (strcmp(way, "file") == 0) {
        snprintf(w.init, sizeof w.init, "file://%s/meeting-%d", folder(), turn++);
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

static void live(const world *w, rank_of *me) {
    rs_error error = {.text = ""};
    rg_bootstrap *bootstrap = NULL;
    usleep((useconds_t)me->delay_ms * 1000);
    const double start_s = now_s();
    me->status =
        rg_bootstrap_join(w->init, me->rank, me->n_ranks, me->timeout_ms, &error, &bootstrap);
    if (me->status == RS_OK && w->act != NULL) me->status = w->act(bootstrap, me, &error);
    me->seconds = now_s() - start_s;
    memcpy(me->text, error.text, sizeof me->text);
    rg_bootstrap_leave(bootstrap);
    me->ended = true;
    _exit(0);
}

static void begin(world *w) {
    for (int i = 0; i < w->n; i++) {
        const pid_t pid = fork(); /* the child must not write to `pid`, which all share */
        if (pid == 0) live(w, &w->ranks[i]);
        w->ranks[i].pid = pid;
    }
}

/* Waits for all; whoever does not end is killed, and has not `ended`. */
static void end(world *w) {
    const double deadline_s = now_s() + 100;
    for (int i = 0; i < w->n; i++) {
        while (waitpid(w->ranks[i].pid, NULL, WNOHANG) == 0) {
            if (now_s() > deadline_s) kill(w->ranks[i].pid, SIGKILL);
            usleep(1000);
        }
    }
    if (strncmp(w->init, "file", 4) == 0) unlink(path_of(w->init));
}

static void run(world *w) {
    begin(w);
    end(w);
}

static void end_all(world worlds[], int n) {
    for (int i = 0; i < n; i++) end(&worlds[i]);
}

static void wants_good(const world *w) {
    for (int i = 0; i < w->n; i++) {
        const rank_of *one = &w->ranks[i];
        cr_assert(one->ended && one->status == RS_OK, "%s, rank %d: %s", w->init, (int)one->rank,
                  one->ended ? one->text : "never ended");
    }
}

static void wants(const world *w, int i, const char *text, double seconds) {
    const rank_of *one = &w->ranks[i];
    cr_assert(one->ended, "%s, process %d never ended", w->init, i);
    cr_assert(one->status != RS_OK && strstr(one->text, text) != NULL,
              "%s, process %d: '%s', not '%s'", w->init, i, one->text, text);
    cr_assert(strchr(one->text, '\n') == NULL);
    cr_assert_lt(one->seconds, seconds, "%s, process %d: it took %g s: %s", w->init, i,
                 one->seconds, one->text);
}

static void wants_all(const world *w, const char *text, double seconds) {
    for (int i = 0; i < w->n; i++) wants(w, i, text, seconds);
}

/* ------------------------------------------------------------------ what goes right */

/* Exchanges so many bytes, and looks at all that came. */
static rs_status swap(rg_bootstrap *bootstrap, const rank_of *me, size_t n, int turn,
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

static rs_status swap_sizes(rg_bootstrap *bootstrap, const rank_of *me, rs_error *error) {
    static const size_t sizes[] = {0, 1, 128, 4096, 0, 100001, 3, 1000000, 7};
    rs_status status = RS_OK;
    for (int i = 0; i < 9 && status == RS_OK; i++) {
        status = swap(bootstrap, me, sizes[i], i, error);
    }
    return status;
}

static rs_status swap_often(rg_bootstrap *bootstrap, const rank_of *me, rs_error *error) {
    rs_status status = RS_OK;
    for (int i = 0; i < 300 && status == RS_OK; i++) {
        status = swap(bootstrap, me, (size_t)(i * 37 % 1000), i, error);
    }
    return status;
}

static rs_status swap_much(rg_bootstrap *bootstrap, const rank_of *me, rs_error *error) {
    rs_status status = swap(bootstrap, me, (size_t)64 << 20, 1, error);
    return status == RS_OK ? swap(bootstrap, me, 16, 2, error) : status;
}

static void join_all(const char *way) {
    for (int n = 1; n <= 8; n++) {
        world w = make_world(way, n);
        w.act = swap_sizes;
        for (int r = 0; r < n; r++) w.ranks[r].delay_ms = (r * 37 + n * 11) % 5 * 20;
        run(&w);
        wants_good(&w);
    }
}

Test(bootstrap, one_to_eight_ranks_by_the_environment) {
    join_all("env");
}
Test(bootstrap, one_to_eight_ranks_by_an_address) {
    join_all("tcp");
}
Test(bootstrap, one_to_eight_ranks_by_a_file) {
    join_all("file");
}

Test(bootstrap, the_order_of_start_does_not_matter) {
    world worlds[9];
    for (int i = 0; i < 9; i++) {
        world *w = &worlds[i];
        *w = make_world(ways[i / 3], 3);
        w->act = swap_sizes;
        for (int r = 0; r < 3; r++) w->ranks[r].delay_ms = (r + i) % 3 * 300;
        begin(w);
    }
    end_all(worlds, 9);
    for (int i = 0; i < 9; i++) wants_good(&worlds[i]);
}

Test(bootstrap, hundreds_of_exchanges) {
    for (int i = 0; i < 3; i++) {
        world w = make_world(ways[i], 4);
        w.act = swap_often;
        run(&w);
        wants_good(&w);
    }
}

Test(bootstrap, many_megabytes_go_through) {
    for (int i = 1; i < 3; i++) {
        world w = make_world(ways[i], 3);
        w.act = swap_much;
        for (int r = 0; r < 3; r++) w.ranks[r].timeout_ms = 60000;
        run(&w);
        wants_good(&w);
    }
}

Test(bootstrap, an_ipv6_address_in_brackets) {
    const int fd = socket(AF_INET6, SOCK_STREAM, 0);
    const struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    const bool has = fd >= 0 && bind(fd, (const struct sockaddr *)&any, sizeof any) == 0;
    if (fd >= 0) close(fd);
    if (!has) cr_skip_test("this machine has no IPv6");
    world w = make_world("tcp", 2);
    snprintf(w.init, sizeof w.init, "tcp://[::1]:%d", free_port());
    w.act = swap_sizes;
    run(&w);
    wants_good(&w);
}

Test(bootstrap, a_name_of_a_host) {
    world w = make_world("tcp", 3);
    snprintf(w.init, sizeof w.init, "tcp://localhost:%d", free_port());
    w.act = swap_sizes;
    run(&w);
    wants_good(&w);
}

/* The place is used again at once, by the same processes and by others. */
static rs_status again(rg_bootstrap *bootstrap, const rank_of *me, rs_error *error) {
    return swap(bootstrap, me, 1000, 5, error);
}

static void join_twice(const char *way) {
    world w = make_world(way, 4);
    for (int i = 0; i < 4; i++) {
        const pid_t pid = fork();
        if (pid != 0) w.ranks[i].pid = pid;
        if (pid != 0) continue;
        rank_of *me = &w.ranks[i];
        rs_error error = {.text = ""};
        for (int turn = 0; turn < 10 && me->status == RS_OK; turn++) {
            rg_bootstrap *bootstrap = NULL;
            me->status = rg_bootstrap_join(w.init, me->rank, 4, TIMEOUT_MS, &error, &bootstrap);
            if (me->status == RS_OK) me->status = again(bootstrap, me, &error);
            rg_bootstrap_leave(bootstrap);
        }
        memcpy(me->text, error.text, sizeof me->text);
        me->ended = true;
        _exit(0);
    }
    end(&w);
    wants_good(&w);
}

Test(bootstrap, ten_bootstraps_one_after_another_at_one_place) {
    for (int i = 0; i < 3; i++) join_twice(ways[i]);
}

Test(bootstrap, bootstraps_at_the_same_time_do_not_see_each_other) {
    world w[6];
    for (int i = 0; i < 6; i++) {
        w[i] = make_world(ways[1 + i % 2], 3);
        w[i].act = swap_often;
        begin(&w[i]);
    }
    for (int i = 0; i < 6; i++) {
        end(&w[i]);
        wants_good(&w[i]);
    }
}

Test(bootstrap, nothing_is_left_of_a_file) {
    world w = make_world("file", 4);
    w.act = swap_sizes;
    begin(&w);
    for (int i = 0; i < 4; i++) waitpid(w.ranks[i].pid, NULL, 0);
    cr_assert_neq(access(path_of(w.init), F_OK), 0);
    wants_good(&w);
}

/* ------------------------------------------------------------------ who comes wrongly, or not at all */

Test(bootstrap, who_never_comes_is_named_to_all) {
    world worlds[3];
    for (int i = 0; i < 3; i++) {
        world *w = &worlds[i];
        *w = make_world(ways[i], 3); /* rank 3 of 4 is missing */
        for (int r = 0; r < 3; r++) {
            w->ranks[r] = (rank_of){.rank = r, .n_ranks = 4, .timeout_ms = 800 + 1000 * r};
        }
        begin(w);
    }
    end_all(worlds, 3);
    for (int i = 0; i < 3; i++) {
        wants_all(&worlds[i], "rank 3 of 4 has not come to ", 5);
        wants_all(&worlds[i], " within 0.8 s", 5); /* the first who gives up says it for all */
    }
}

Test(bootstrap, several_who_never_come_are_named) {
    world worlds[3];
    for (int i = 0; i < 3; i++) {
        worlds[i] = make_world(ways[i], 1);
        worlds[i].ranks[0] = (rank_of){.rank = 0, .n_ranks = 4, .timeout_ms = 300};
        begin(&worlds[i]);
    }
    end_all(worlds, 3);
    for (int i = 0; i < 3; i++) wants_all(&worlds[i], "ranks 1, 2, 3 of 4 have not come to ", 4);
}

Test(bootstrap, rank_0_that_never_comes_is_named) {
    world worlds[3];
    for (int i = 0; i < 3; i++) {
        worlds[i] = make_world(ways[i], 2);
        for (int r = 0; r < 2; r++) {
            worlds[i].ranks[r] = (rank_of){.rank = r + 1, .n_ranks = 3, .timeout_ms = 500};
        }
        begin(&worlds[i]);
    }
    end_all(worlds, 3);
    for (int i = 0; i < 3; i++) wants_all(&worlds[i], "rank 0 of 3 has not come to ", 4);
}

/* How a process may come wrongly, of a world of 3: what it says it is, and what it is told. */
static const struct {
    int32_t rank, n_ranks;
    const char *told;
} wrong[] = {
    {0, 3, "rank 0 of 3 has come to "},         {1, 3, "rank 1 of 3 has come to "},
    {1, 4, "rank 1 was started as one of 4 "},  {2, 2, "as one of 2 ranks, those at "},
    {7, 3, " as rank 7; the ranks are 0..2"},   {7, 9, "rank 7 was started as one of 9 ranks"},
    {3, 1000, "rank 3 was started as one of "},
};
enum { N_WRONG = sizeof wrong / sizeof *wrong };

/* A fourth process comes wrongly after rank 0, and before the last rank. */
Test(bootstrap, who_comes_wrongly_is_refused_and_the_others_meet) {
    for (int i = 0; i < 3 * N_WRONG; i++) {
        world w = make_world(ways[i / N_WRONG], 4);
        w.act = swap_sizes;
        w.ranks[1].delay_ms = i % 2 == 0 ? 50 : 600;
        w.ranks[2].delay_ms = 700;
        for (int r = 0; r < 3; r++) w.ranks[r].n_ranks = 3;
        if (wrong[i % N_WRONG].rank == 1) w.ranks[1].delay_ms = 50;
        w.ranks[3].rank = wrong[i % N_WRONG].rank;
        w.ranks[3].n_ranks = wrong[i % N_WRONG].n_ranks;
        w.ranks[3].delay_ms = 300;
        run(&w);
        wants(&w, 3, wrong[i % N_WRONG].told, 5);
        w.n = 3;
        wants_good(&w);
    }
}

/* He took the place of rank 2, which then never comes. */
Test(bootstrap, who_came_wrongly_is_told_to_those_who_wait_in_vain) {
    world worlds[3 * N_WRONG];
    for (int i = 0; i < 3 * N_WRONG; i++) {
        world *w = &worlds[i];
        *w = make_world(ways[i / N_WRONG], 3);
        for (int r = 0; r < 2; r++) w->ranks[r].timeout_ms = 1500 + 2000 * r;
        w->ranks[2].rank = wrong[i % N_WRONG].rank;
        w->ranks[2].n_ranks = wrong[i % N_WRONG].n_ranks;
        w->ranks[2].delay_ms = 500;
        begin(w);
    }
    end_all(worlds, 3 * N_WRONG);
    for (int i = 0; i < 3 * N_WRONG; i++) {
        wants_all(&worlds[i], wrong[i % N_WRONG].told, 8);
        for (int r = 0; r < 2; r++) {
            wants(&worlds[i], r, "rank 2 of 3 has not come to ", 8);
            wants(&worlds[i], r, "; refused: ", 8);
        }
    }
}

/* ------------------------------------------------------------------ who goes, and who is late */

static rs_status die_in_the_middle(rg_bootstrap *bootstrap, const rank_of *me, rs_error *error) {
    const rs_status status = swap(bootstrap, me, 100, 0, error);
    if (me->rank == 2) kill(getpid(), SIGKILL);
    return status == RS_OK ? swap(bootstrap, me, 100000, 1, error) : status;
}

static rs_status leave_early(rg_bootstrap *bootstrap, const rank_of *me, rs_error *error) {
    const rs_status status = swap(bootstrap, me, 100, 0, error);
    if (me->rank == 0 || status != RS_OK) return status;
    return swap(bootstrap, me, 100000, 1, error);
}

static rs_status be_late(rg_bootstrap *bootstrap, const rank_of *me, rs_error *error) {
    rank_of hurried = *me;
    hurried.timeout_ms = 1500;
    if (me->rank == 1) sleep(4);
    return swap(bootstrap, &hurried, 100, 1, error);
}

Test(bootstrap, a_rank_that_dies_is_named_at_once) {
    for (int i = 0; i < 3; i++) {
        world w = make_world(ways[i], 4);
        w.act = die_in_the_middle;
        run(&w);
        for (int r = 0; r < 4; r++) {
            if (r != 2) wants(&w, r, "rank 2 of 4 has gone", 5);
        }
    }
}

Test(bootstrap, a_rank_that_leaves_too_early_is_named) {
    for (int i = 0; i < 3; i++) {
        world w = make_world(ways[i], 3);
        w.act = leave_early;
        run(&w);
        for (int r = 1; r < 3; r++) wants(&w, r, "rank 0 of 3 has gone", 5);
    }
}

Test(bootstrap, a_rank_that_dies_while_others_are_awaited_is_named) {
    world worlds[3];
    for (int i = 0; i < 3; i++) {
        worlds[i] = make_world(ways[i], 3);
        for (int r = 0; r < 3; r++) worlds[i].ranks[r].n_ranks = 4; /* rank 3 never comes */
        begin(&worlds[i]);
    }
    usleep(600000);
    for (int i = 0; i < 3; i++) kill(worlds[i].ranks[1].pid, SIGKILL);
    end_all(worlds, 3);
    for (int i = 0; i < 3; i++) {
        wants(&worlds[i], 0, "rank 1 of 4 has gone", 8);
        wants(&worlds[i], 2, "rank 1 of 4 has gone", 8);
    }
}

Test(bootstrap, a_rank_that_is_late_for_an_exchange_is_named_to_all) {
    world worlds[3];
    for (int i = 0; i < 3; i++) {
        worlds[i] = make_world(ways[i], 3);
        worlds[i].act = be_late;
        begin(&worlds[i]);
    }
    end_all(worlds, 3);
    for (int i = 0; i < 3; i++) wants_all(&worlds[i], "rank 1 of 3 has not answered at ", 8);
}

static rs_status give_other_sizes(rg_bootstrap *bootstrap, const rank_of *me, rs_error *error) {
    return swap(bootstrap, me, me->rank == 1 ? 24 : 16, 0, error);
}

Test(bootstrap, ranks_that_run_different_jobs_are_told_so) {
    for (int i = 0; i < 3; i++) {
        world w = make_world(ways[i], 3);
        w.act = give_other_sizes;
        run(&w);
        wants_all(&w, "they run different jobs", 4);
    }
}

/* ------------------------------------------------------------------ strangers */

static int connect_port(int port) {
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

static int port_of(const world *w) {
    return atoi(strrchr(w->init, ':') + 1);
}

Test(bootstrap, strangers_at_the_port_disturb_nobody) {
    world w = make_world("tcp", 3);
    w.act = swap_sizes;
    w.ranks[2].delay_ms = 1200;
    begin(&w);
    static const char http[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    char noise[1000];
    memset(noise, 0xff, sizeof noise);
    int fds[80];
    for (int i = 0; i < 80; i++) { /* more silent ones than rank 0 keeps in mind */
        fds[i] = connect_port(port_of(&w));
        if (i % 4 == 1) send(fds[i], http, sizeof http - 1, MSG_NOSIGNAL);
        if (i % 4 == 2) send(fds[i], noise, sizeof noise, MSG_NOSIGNAL);
        if (i % 4 == 3) send(fds[i], "rs meet\n12", 10, MSG_NOSIGNAL);
    }
    end(&w);
    for (int i = 0; i < 80; i++) close(fds[i]);
    wants_good(&w);
}

/* A hello as another version would say it: it is refused, and the others meet all the same, or tell it. */
Test(bootstrap, another_version_is_refused_and_told) {
    for (int i = 0; i < 4; i++) {
        const int protocol = 1 + i % 2, whole = i / 2;
        world w = make_world("tcp", 2 + whole);
        for (int r = 0; r < w.n; r++) {
            w.ranks[r].n_ranks = 3;
            w.ranks[r].timeout_ms = whole ? 20000 : 3000 + 1000 * r;
            w.ranks[r].delay_ms = r == 2 ? 1000 : 0;
        }
        begin(&w);
        const int fd = connect_port(port_of(&w));
        char hello[192] = "rs meet\n", answer[1000] = "";
        const int64_t numbers[] = {protocol, 3, 2};
        memcpy(hello + 8, &numbers[0], 8);
        memcpy(hello + 16, "0.0.1-old", 9);
        memcpy(hello + 48, &numbers[1], 16);
        send(fd, hello, protocol == 2 ? sizeof hello : 64, MSG_NOSIGNAL);
        const char *text = protocol == 2 ? "rank 2 is ringsim 0.0.1-old" : "another version";
        size_t n = 0;
        ssize_t got;
        while ((got = recv(fd, answer + n, sizeof answer - 1 - n, 0)) > 0) n += (size_t)got;
        close(fd);
        cr_assert(memmem(answer, n, text, strlen(text)) != NULL);
        end(&w);
        if (whole) wants_good(&w);
        if (!whole) wants_all(&w, "rank 2 of 3 has not come to ", 6);
        if (!whole) wants_all(&w, text, 6);
    }
}

/* What a launcher says of itself; NULL: it says nothing. */
static void set_job(const char *run, const char *restart) {
    if (run != NULL) setenv("TORCHELASTIC_RUN_ID", run, 1);
    if (run == NULL) unsetenv("TORCHELASTIC_RUN_ID");
    if (restart != NULL) setenv("TORCHELASTIC_RESTART_COUNT", restart, 1);
    if (restart == NULL) unsetenv("TORCHELASTIC_RESTART_COUNT");
}

/* Rank 1 of a run that failed comes to the next one, before its own rank 1. */
Test(bootstrap, a_rank_left_over_from_another_run_is_refused_and_harms_nobody) {
    static const char *const strangers[][2] = {{"job", "0"}, {"other", "1"}, {NULL, NULL}};
    for (int i = 0; i < 9; i++) {
        const char *const *stranger = strangers[i % 3];
        world run = make_world(ways[i / 3], 3), left = run;
        run.act = swap_sizes;
        left.n = 1;
        left.ranks =
            mmap(NULL, sizeof(rank_of), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        left.ranks[0] = run.ranks[1];
        left.ranks[0].delay_ms = 200;
        left.ranks[0].timeout_ms = 5000;
        run.ranks[1].delay_ms = run.ranks[2].delay_ms = 700;
        set_job("job", "1");
        begin(&run);
        set_job(stranger[0], stranger[1]);
        begin(&left);
        set_job(NULL, NULL);
        waitpid(left.ranks[0].pid, NULL, 0);
        end(&run);
        wants_good(&run);
        wants(&left, 0, "rank 1 of another run came to ", 4);
        wants(&left, 0, "here it is torchrun:job.1", 4);
        munmap(left.ranks, sizeof(rank_of));
    }
}

Test(bootstrap, who_was_refused_is_told_with_who_is_missing) {
    world run = make_world("tcp", 1), left = make_world("tcp", 2);
    run.ranks[0].n_ranks = 2;
    run.ranks[0].timeout_ms = 1500;
    memcpy(left.init, run.init, sizeof left.init);
    left.n = 1;
    left.ranks[0].rank = 1;
    left.ranks[0].delay_ms = 200;
    set_job("job", "1");
    begin(&run);
    set_job("job", "0");
    begin(&left);
    set_job(NULL, NULL);
    waitpid(left.ranks[0].pid, NULL, 0);
    end(&run);
    wants(&run, 0, "rank 1 of 2 has not come to ", 4);
    wants(&run, 0, "; refused: rank 1 of another run", 4);
}

/* Every byte that is no letter, in what a stranger says of itself, and in the reason why a rank fails. */
Test(bootstrap, what_another_process_says_is_one_printable_line) {
    for (int i = 0; i < 3; i++) {
        world w = make_world("tcp", 2);
        for (int r = 0; r < 2; r++) {
            w.ranks[r].n_ranks = 3;
            w.ranks[r].timeout_ms = 1500 + 1000 * r;
        }
        w.act = again;
        begin(&w);
        const int fd = connect_port(port_of(&w));
        char hello[192] = "rs meet\n", head[32] = "rs part\n", odd[64], answer[1000] = "";
        const int64_t numbers[] = {2, 3, 2}, fail[] = {3, 1, sizeof odd - 1};
        for (int k = 0; k < 63; k++) odd[k] = (char)(k < 31 ? 1 + k : k == 31 ? 127 : 'a');
        memcpy(hello + 8, &numbers[0], 8);
        strncpy(hello + 16, RINGSIM_VERSION, 31);
        memcpy(hello + 48, &numbers[1], 16);
        if (i == 0) memcpy(hello + 16, odd, 32);
        if (i == 1) memcpy(hello + 64, odd, 63);
        memcpy(head + 8, fail, 24);
        send(fd, hello, sizeof hello, MSG_NOSIGNAL);
        if (i == 2) send(fd, head, sizeof head, MSG_NOSIGNAL);
        if (i == 2) send(fd, odd, sizeof odd - 1, MSG_NOSIGNAL);
        size_t n = 0;
        for (ssize_t got; (got = recv(fd, answer + n, sizeof answer - 1 - n, 0)) > 0;) {
            n += (size_t)got;
        }
        close(fd);
        end(&w);
        wants_all(&w, "????", 8);
        for (int r = 0; r < 2; r++) {
            for (const char *c = w.ranks[r].text; *c != '\0'; c++) {
                cr_expect(*c >= ' ' && *c < 127, "case %d: byte %d in '%s'", i, *c,
                          w.ranks[r].text);
            }
        }
        if (i < 2) cr_expect(memmem(answer, n, "????", 4) != NULL);
        if (i < 2) cr_expect(memmem(answer, n, "\033", 1) == NULL, "the refused reads it, too");
    }
}

/* Whoever has said a good hello and then announces gigabytes, or talks nonsense, is believed nothing. */
Test(bootstrap, a_length_from_the_wire_is_not_believed) {
    for (int turn = 0; turn < 3; turn++) {
        world w = make_world("tcp", 2);
        for (int r = 0; r < 2; r++) w.ranks[r].n_ranks = 3;
        w.act = again;
        begin(&w);
        const int fd = connect_port(port_of(&w));
        char hello[192] = "rs meet\n", head[32] = "rs part\n";
        const int64_t protocol = 2, numbers[] = {3, 2};
        const int64_t lies[3][3] = {{4, 1, INT64_MAX}, {3, 1, INT64_MAX}, {INT64_MIN, -1, -1}};
        memcpy(hello + 8, &protocol, 8);
        strncpy(hello + 16, RINGSIM_VERSION, 31);
        memcpy(hello + 48, numbers, 16);
        memcpy(head + 8, lies[turn], 24);
        send(fd, hello, sizeof hello, MSG_NOSIGNAL);
        send(fd, head, sizeof head, MSG_NOSIGNAL);
        end(&w);
        close(fd);
        wants_all(
            &w, turn == 0 ? "rank 2 gives 9223372036854775807 bytes" : "rank 2 of 3 talks nonsense",
            4);
    }
}

/* Somebody else listens at the port: silent, or with a banner. */
Test(bootstrap, a_port_that_is_taken_is_told) {
    for (int banner = 0; banner < 2; banner++) {
        world w = make_world("tcp", 2);
        const int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
        struct sockaddr_in here = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port_of(&w)),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        cr_assert_eq(bind(listener, (struct sockaddr *)&here, sizeof here), 0);
        cr_assert_eq(listen(listener, 16), 0);
        const pid_t stranger = fork();
        while (stranger == 0) {
            const int fd = accept(listener, NULL, NULL);
            if (banner) send(fd, "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n", 41, MSG_NOSIGNAL);
        }
        for (int r = 0; r < 2; r++) w.ranks[r].timeout_ms = 3000;
        run(&w);
        kill(stranger, SIGKILL);
        waitpid(stranger, NULL, 0);
        close(listener);
        wants(&w, 0, "is in use by another program", 9);
        wants(&w, 1, banner ? "is no rank 0 of ringsim" : "who listens there is silent", 4);
    }
}

/* ------------------------------------------------------------------ files that are none of ours */

static void wants_file_error(world *w, const char *text) {
    begin(w);
    for (int i = 0; i < w->n; i++) waitpid(w->ranks[i].pid, NULL, 0);
    wants_all(w, text, 4);
}

Test(bootstrap, a_foreign_file_is_left_as_it_is) {
    static const char *const contents[] = {"my thesis\n", "ringsim meeting\n", "x"};
    for (int i = 0; i < 3; i++) {
        world w = make_world("file", 2);
        FILE *file = fopen(path_of(w.init), "w");
        fputs(contents[i], file);
        fclose(file);
        wants_file_error(&w, "holds something else; it is left as it is");
        char text[100] = "";
        file = fopen(path_of(w.init), "r");
        cr_assert_neq(file, NULL);
        cr_assert_eq(fread(text, 1, sizeof text, file), strlen(contents[i]));
        fclose(file);
        cr_assert_str_eq(text, contents[i]);
    }
}

Test(bootstrap, an_empty_file_will_do) {
    world w = make_world("file", 3);
    fclose(fopen(path_of(w.init), "w"));
    w.act = swap_sizes;
    run(&w);
    wants_good(&w);
}

static rs_status die_all(rg_bootstrap *bootstrap, const rank_of *me, rs_error *error) {
    const rs_status status = swap(bootstrap, me, 100, 0, error);
    kill(getpid(), SIGKILL);
    return status;
}

Test(bootstrap, a_stale_file_is_told_and_left) {
    for (int n = 2; n < 5; n++) { /* of as many ranks, and of others */
        world w = make_world("file", 3);
        w.act = die_all;
        begin(&w);
        for (int i = 0; i < 3; i++) waitpid(w.ranks[i].pid, NULL, 0);
        world next = make_world("file", n);
        memcpy(next.init, w.init, sizeof next.init);
        wants_file_error(&next, "is stale: left by a run of 3 ranks of ");
        cr_assert_eq(access(path_of(w.init), F_OK), 0);
        unlink(path_of(w.init));
        next.act = swap_sizes;
        run(&next);
        wants_good(&next);
    }
}

/* The file of a bootstrap that waits is cut to any length: who waits and who comes then both say so. */
Test(bootstrap, a_file_that_was_cut_is_told) {
    static const int lengths[] = {1, 15, 16, 24, 57, 64, 65, 200, 591, 600, 719, 720, 800};
    enum { N = sizeof lengths / sizeof *lengths };
    world worlds[N];
    for (int i = 0; i < N; i++) {
        worlds[i] = make_world("file", 2);
        worlds[i].act = swap_sizes;
        for (int r = 0; r < 2; r++) worlds[i].ranks[r].timeout_ms = 4000;
        worlds[i].ranks[1].delay_ms = 1200;
        begin(&worlds[i]);
    }
    usleep(500000);
    for (int i = 0; i < N; i++) {
        struct stat about;
        cr_assert_eq(stat(path_of(worlds[i].init), &about), 0, "rank 0 has not begun");
        cr_assert_lt(lengths[i], about.st_size);
        cr_assert_eq(truncate(path_of(worlds[i].init), lengths[i]), 0);
    }
    end_all(worlds, N);
    for (int i = 0; i < N; i++) {
        wants(&worlds[i], 0, "cannot read it: ", 8);
        wants(&worlds[i], 1, "file://", 8);
    }
}

Test(bootstrap, what_is_no_file_is_told) {
    world w = make_world("file", 2);
    mkdir(path_of(w.init), 0700);
    wants_file_error(&w, "Is a directory");
    rmdir(path_of(w.init));
    mkfifo(path_of(w.init), 0600);
    wants_file_error(&w, "is no ordinary file");
    unlink(path_of(w.init));
    snprintf(w.init, sizeof w.init, "file:///nowhere/at/all");
    wants_file_error(&w, "No such file or directory");
    snprintf(w.init, sizeof w.init, "file:///dev/null");
    wants_file_error(&w, "is no ordinary file");
}

Test(bootstrap, a_file_that_may_not_be_written_is_told) {
    world w = make_world("file", 2);
    fclose(fopen(path_of(w.init), "w"));
    chmod(path_of(w.init), 0400);
    if (geteuid() == 0) { /* root may write everywhere: somebody else tries */
        chmod(folder(), 0755);
        pid_t other = fork();
        if (other == 0) {
            rs_error error = {.text = ""};
            rg_bootstrap *bootstrap;
            if (setuid(65534) != 0) _exit(2);
            _exit(rg_bootstrap_join(w.init, 0, 1, 1000, &error, &bootstrap) == RS_BAD_INPUT &&
                          strstr(error.text, "Permission denied") != NULL
                      ? 0
                      : 1);
        }
        int status;
        waitpid(other, &status, 0);
        cr_assert_eq(status, 0);
        return;
    }
    wants_file_error(&w, "Permission denied");
}

Test(bootstrap, a_file_that_stays_locked_names_the_process) {
    world w = make_world("file", 1);
    w.ranks[0].timeout_ms = 300;
    const int fd = open(path_of(w.init), O_RDWR | O_CREAT, 0600);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    cr_assert_eq(fcntl(fd, F_SETLK, &lock), 0);
    run(&w);
    close(fd);
    char text[64];
    snprintf(text, sizeof text, "by process %ld", (long)getpid());
    wants(&w, 0, text, 2);
}

/* ------------------------------------------------------------------ addresses */

static void wants_bad(const char *init, const char *text) {
    rs_error error = {.text = ""};
    rg_bootstrap *bootstrap;
    cr_expect_eq(rg_bootstrap_join(init, 0, 1, 500, &error, &bootstrap), RS_BAD_INPUT,
                 "%s is taken", init);
    cr_expect(strstr(error.text, text) != NULL, "%s: '%s', not '%s'", init, error.text, text);
}

Test(bootstrap, a_bad_address_is_told) {
    wants_bad("tcp://127.0.0.1", "names no port");
    wants_bad("tcp://", "names no port");
    wants_bad("tcp://127.0.0.1:", "'' is no port, 1..65535");
    wants_bad("tcp://127.0.0.1:0", "'0' is no port");
    wants_bad("tcp://127.0.0.1:65536", "'65536' is no port");
    wants_bad("tcp://127.0.0.1:99999999999", "is no port");
    wants_bad("tcp://127.0.0.1:29500x", "'29500x' is no port");
    wants_bad("tcp://127.0.0.1:-1", "'-1' is no port");
    wants_bad("tcp://127.0.0.1:29500/", "'29500/' is no port");
    wants_bad("tcp://::1:29500", "brackets");
    wants_bad("tcp://[::1]", "names no port");
    wants_bad("tcp://[::1:29500", "names no port");
    wants_bad("tcp://a/b:29500", "no name of a host");
    wants_bad("tcp://no.such.host.invalid:29500", "no such host as no.such.host.invalid");
    wants_bad("tcp://192.0.2.1:29500", "name the machine that rank 0 runs on");
    wants_bad("udp://127.0.0.1:29500", "write env://, tcp://HOST:PORT or file:///PATH");
    wants_bad("file://relative", "write env://, tcp://HOST:PORT or file:///PATH");
    wants_bad("", "write env://");
    setenv("MASTER_PORT", "http", 1);
    wants_bad("env://", "MASTER_PORT is 'http'; it takes a port");
    setenv("MASTER_PORT", "0", 1);
    wants_bad(NULL, "MASTER_PORT is '0'");
}

Test(bootstrap, torchruns_own_store_keeps_its_port) {
    world w = make_world("env", 2);
    setenv("TORCHELASTIC_USE_AGENT_STORE", "True", 1);
    for (int r = 0; r < 2; r++) w.ranks[r] = (rank_of){.rank = r, .n_ranks = 3, .timeout_ms = 300};
    char text[32];
    snprintf(text, sizeof text, ":%d within", atoi(getenv("MASTER_PORT")) + 1);
    run(&w);
    wants_all(&w, text, 3);
}
