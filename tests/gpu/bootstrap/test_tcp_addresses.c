/* test_tcp_addresses.c: where rank 0 listens, by what its host is on its own machine.
 *
 * Each host is looked up by getaddrinfo below. A rank from elsewhere comes to 127.0.0.2: only who listens
 * at all addresses hears it there.
 */
#include <criterion/criterion.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bootstrap/tcp_bootstrap.h"
#include "gpu/bootstrap/bootstrap_world.h"

/* ------------------------------------------------------------------ names */

typedef int look_up(const char *, const char *, const struct addrinfo *, struct addrinfo **);

/* What many.test is: addresses of this machine, one that somebody else has taken, foreign ones. */
enum { FREE, TAKEN, FOREIGN, MOST_MANY = 5 };
static int many[MOST_MANY], n_many, many_port;

static struct addrinfo *many_addresses(void) {
    static struct addrinfo list[MOST_MANY];
    static struct sockaddr_in addresses[MOST_MANY];
    for (int i = 0; i < n_many; i++) {
        const uint32_t host = many[i] == FOREIGN ? 0xc6336407
                              : many[i] == TAKEN ? 0x7f000001
                                                 : 0x7f000002;
        addresses[i] =
            (struct sockaddr_in){.sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)many_port),
                                 .sin_addr = {htonl(host + (many[i] == FREE ? (uint32_t)i : 0))}};
        list[i] = (struct addrinfo){.ai_family = AF_INET,
                                    .ai_socktype = SOCK_STREAM,
                                    .ai_addrlen = sizeof addresses[i],
                                    .ai_addr = (struct sockaddr *)&addresses[i],
                                    .ai_next = i + 1 < n_many ? &list[i + 1] : NULL};
    }
    return list;
}

static int n_lists; /* given and not freed */

void freeaddrinfo(struct addrinfo *list) {
    static void (*system)(struct addrinfo *);
    *(void **)&system = dlsym(RTLD_NEXT, "freeaddrinfo");
    cr_assert(list != NULL);
    n_lists--;
    if (n_many == 0) system(list);
}

/* Stand before the system's. One whom `to_itself` is set for connects from the very address that it goes to. */
static bool to_itself;

int connect(int fd, const struct sockaddr *address, socklen_t n) {
    int (*system)(int, const struct sockaddr *, socklen_t);
    *(void **)&system = dlsym(RTLD_NEXT, "connect");
    const int yes = 1;
    if (to_itself) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (to_itself && bind(fd, address, n) != 0) return -1;
    return system(fd, address, n);
}

static _Atomic int n_slow; /* who looks up slow.test and has no answer yet */
static _Atomic bool answered;

/* Knows five names more. */
int getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
                struct addrinfo **list) {
    static const char *const names[][2] = {{"node0.test", "127.0.1.1"},
                                           {"service.test", "198.51.100.7"}};
    look_up *system;
    *(void **)&system = dlsym(RTLD_NEXT, "getaddrinfo");
    if (host != NULL && strcmp(host, "many.test") == 0 && (hints->ai_flags & AI_NUMERICHOST) == 0) {
        *list = many_addresses();
        n_lists++;
        return 0;
    }
    if (host != NULL && strcmp(host, "again.test") == 0) {
        return (hints->ai_flags & AI_NUMERICHOST) != 0 ? EAI_NONAME : EAI_AGAIN;
    }
    if (host != NULL && strcmp(host, "slow.test") == 0) {
        if ((hints->ai_flags & AI_NUMERICHOST) != 0) return EAI_NONAME;
        for (n_slow++; !answered;) usleep(1000);
        n_slow--;
        return EAI_NONAME;
    }
    const bool numeric = hints != NULL && (hints->ai_flags & AI_NUMERICHOST) != 0;
    for (size_t i = 0; host != NULL && !numeric && i < 2; i++) {
        if (strcmp(host, names[i][0]) == 0) host = names[i][1];
    }
    const int failed = system(host, port, hints, list);
    n_lists += failed == 0;
    return failed;
}

/* ------------------------------------------------------------------ two ranks */

enum { MOST_MEETINGS = 20, PATIENCE_MS = 20000, VAIN_MS = 700, LATE_MS = 2000 };
typedef struct joined {
    rs_status status;
    char text[512], remark[200];
} joined;

static void set_environment(const char *job, bool all_here) {
    unsetenv("TORCHELASTIC_RUN_ID");
    unsetenv("SLURM_JOB_ID");
    unsetenv("PMIX_NAMESPACE");
    setenv("WORLD_SIZE", "2", 1);
    setenv("RANK", "0", 1);
    setenv("LOCAL_WORLD_SIZE", all_here ? "2" : "1", 1);
    if (job != NULL) setenv("RINGSIM_JOB", job, 1);
    if (job == NULL) unsetenv("RINGSIM_JOB");
}

static joined join(const char *host, int port, int32_t rank, int32_t timeout_ms) {
    char init[128];
    rs_error error = {.text = ""};
    rg_bootstrap *bootstrap = NULL;
    joined s = {.text = ""};
    snprintf(init, sizeof init, "tcp://%s:%d", host, port);
    s.status = rg_bootstrap_join(init, rank, 2, timeout_ms, &error, &bootstrap);
    memcpy(s.text, error.text, sizeof s.text);
    if (s.status == RS_OK)
        snprintf(s.remark, sizeof s.remark, "%s", rg_bootstrap_remark(bootstrap));
    rg_bootstrap_leave(bootstrap);
    return s;
}

/* Rank 0 at `host`, rank 1 from elsewhere with another job's name or the same. */
typedef struct meeting {
    const char *host, *job, *others_job;
    bool all_here;
    int32_t timeout_ms;
} meeting;

static joined meet(const meeting *m) {
    int port;
    const int held = held_port(&port);
    const pid_t other = fork();
    if (other == 0) {
        set_environment(m->others_job, m->all_here);
        join("127.0.0.2", port, 1, 20000);
        _exit(0);
    }
    set_environment(m->job, m->all_here);
    const joined s = join(m->host, port, 0, m->timeout_ms);
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    close(held);
    return s;
}

/* All at once: they mostly wait. What became of them lies in memory that all share. */
static const joined *meet_all(const meeting list[], int n) {
    pid_t pids[MOST_MEETINGS];
    joined *all = mmap(NULL, (size_t)n * sizeof *all, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert(all != MAP_FAILED && n <= MOST_MEETINGS);
    for (int i = 0; i < n; i++) {
        pids[i] = fork();
        if (pids[i] != 0) continue;
        all[i] = meet(&list[i]);
        _exit(0);
    }
    for (int i = 0; i < n; i++) waitpid(pids[i], NULL, 0);
    return all;
}

/* ------------------------------------------------------------------ the rule */

static const struct {
    const char *host;
    bool meant, loopback; /* it is written as the loopback; it is one here */
} hosts[] = {
    {"127.0.0.1", true, true},      {"localhost", true, true},      {"node0.test", false, true},
    {"service.test", false, false}, {"198.51.100.7", false, false},
};

Test(tcp_addresses, rank_0_listens_to_all_where_a_token_knows_them_and_they_could_not_come) {
    meeting list[5 * 4];
    bool wide[5 * 4];
    for (int i = 0; i < 5 * 4; i++) {
        const char *host = hosts[i / 4].host, *job = i % 2 == 0 ? "a job" : NULL;
        const bool all_here = i / 2 % 2 == 1;
        wide[i] = !hosts[i / 4].meant && job != NULL && !all_here;
        list[i] = (meeting){host, job, job, all_here, wide[i] ? PATIENCE_MS : VAIN_MS};
    }
    const joined *all = meet_all(list, 5 * 4);
    for (int i = 0; i < 5 * 4; i++) {
        const joined *s = &all[i];
        cr_expect_eq(s->status == RS_OK, wide[i], "%s, %s, %d: %s", list[i].host, list[i].job,
                     list[i].all_here, s->text);
        const char *says = !wide[i]                ? ""
                           : hosts[i / 4].loopback ? "node0.test is the loopback"
                                                   : " is no address";
        cr_expect(strstr(s->remark, says) != NULL && (s->remark[0] != '\0') == wide[i], "%s",
                  s->remark);
    }
}

Test(tcp_addresses, who_cannot_be_found_says_what_to_do) {
    const joined hidden = meet(&(meeting){.host = "node0.test", .timeout_ms = VAIN_MS});
    cr_assert(strstr(hidden.text, "rank 1 of 2 has not come to tcp://node0.test:") != NULL);
    cr_assert(strstr(hidden.text, "; node0.test is the loopback here: for ranks elsewhere") !=
              NULL);
    const joined foreign = meet(&(meeting){.host = "service.test", .timeout_ms = VAIN_MS});
    cr_assert_eq(foreign.status, RS_BAD_INPUT);
    cr_assert(strstr(foreign.text, "name the machine that rank 0 runs on; if others") != NULL);
    cr_assert(strstr(foreign.text, "the same RINGSIM_JOB") != NULL);
}

Test(tcp_addresses, at_all_addresses_only_the_job_is_let_in) {
    static const char *const hosts_of[] = {"node0.test", "service.test"};
    meeting list[4];
    for (int i = 0; i < 4; i++) {
        const char *others_job = i % 2 == 0 ? "another" : NULL;
        list[i] = (meeting){hosts_of[i / 2], "a job", others_job, false, LATE_MS};
    }
    const joined *all = meet_all(list, 4);
    for (int i = 0; i < 4; i++) {
        const joined *s = &all[i];
        cr_assert_eq(s->status, RS_UNSUPPORTED);
        cr_assert(strstr(s->text, "refused: rank 1 of another run came to") != NULL, "%s", s->text);
        cr_assert(strstr(s->text, "; rank 0 listens at all addresses of its machine") != NULL);
    }
}

/* A name with several addresses: one that is taken spoils all, else each that can be had is listened at. */
Test(tcp_addresses, rank_0_listens_at_each_address_of_a_name_unless_one_is_taken) {
    set_environment(NULL, true);
    int port;
    const int held = held_port(&port), taken = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    setsockopt(taken, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    many_port = port;
    many[0] = TAKEN;
    n_many = 1;
    cr_assert_eq(bind(taken, many_addresses()->ai_addr, sizeof(struct sockaddr_in)), 0);
    cr_assert_eq(listen(taken, 1), 0);
    for (int n = 1; n <= 3; n++) {
        for (int code = 0; code < (n == 1 ? 3 : n == 2 ? 9 : 27); code++) {
            int count[3] = {0}, listeners[RG_MOST_LISTENERS], n_listeners = -1;
            for (int i = 0, rest = code; i < n; i++, rest /= 3) count[many[i] = rest % 3]++;
            n_many = n;
            bool busy;
            rs_error error = {.text = ""};
            rg_bootstrap m = {.n_ranks = 2, .host = "many.test", .place = "tcp://many.test"};
            snprintf(m.port, sizeof m.port, "%d", port);
            const rs_status status =
                rg_net_listen(&m, listeners, &n_listeners, &busy, INT64_MAX, &error);
            n_many = 0;
            cr_expect_eq(n_lists, 0);
            cr_expect_eq(busy, count[TAKEN] > 0, "%d of %d", code, n);
            cr_expect_eq(status == RS_OK, count[TAKEN] == 0 && count[FREE] > 0, "%d of %d", code,
                         n);
            cr_expect_eq(n_listeners, status == RS_OK ? count[FREE] : 0, "%d of %d", code, n);
            for (int i = 0; i < n_listeners; i++) close(listeners[i]);
        }
    }
    close(taken);
    close(held);
}

/* As many as there is room for; a name that is nobody's has none. */
Test(tcp_addresses, rank_0_listens_at_no_more_addresses_than_it_keeps) {
    int port, listeners[RG_MOST_LISTENERS + 1] = {0}, n = -1;
    const int held = held_port(&port);
    set_environment(NULL, true);
    bool busy;
    rs_error error = {.text = ""};
    rg_bootstrap m = {.n_ranks = 2, .host = "many.test", .place = "tcp://many.test"};
    snprintf(m.port, sizeof m.port, "%d", port);
    for (int i = 0; i < MOST_MANY; i++) many[i] = FREE;
    many_port = port;
    n_many = MOST_MANY;
    cr_assert_eq(rg_net_listen(&m, listeners, &n, &busy, INT64_MAX, &error), RS_OK);
    n_many = 0;
    cr_assert_eq(n, RG_MOST_LISTENERS);
    cr_assert_eq(listeners[n], 0);
    while (n > 0) close(listeners[--n]);
    n = -1;
    strcpy(m.host, "no name.test");
    cr_assert_eq(rg_net_listen(&m, listeners, &n, &busy, INT64_MAX, &error), RS_BAD_INPUT);
    cr_assert(n == 0 && !busy && n_lists == 0);
    close(held);
}

/* Messages are small, and each is waited for: neither end of a connection keeps one back for the next. */
Test(tcp_addresses, neither_end_waits_for_more_to_send) {
    int port, listeners[RG_MOST_LISTENERS], n = 0;
    const int held = held_port(&port);
    char text[32];
    rs_error error = {.text = ""};
    rs_status status;
    const char *why = "";
    bool busy;
    rg_bootstrap m = {.n_ranks = 2};
    snprintf(text, sizeof text, "127.0.0.1:%d", port);
    cr_assert_eq(rg_net_parse(text, &m, &error), RS_OK, "%s", error.text);
    const int64_t deadline_ps = rg_now_ps() + INT64_C(20000000000000);
    cr_assert_eq(rg_net_listen(&m, listeners, &n, &busy, deadline_ps, &error), RS_OK, "%s",
                 error.text);
    int ends[2];
    ends[0] = rg_net_connect(&m, deadline_ps, &why, &status, &error);
    cr_assert_geq(ends[0], 0, "%s", why);
    while ((ends[1] = rg_net_accept(listeners[0])) < 0 && rg_now_ps() < deadline_ps)
        rg_nap_us(1000);
    for (int i = 0; i < 2; i++) {
        int at_once = 0;
        socklen_t size = sizeof at_once;
        cr_assert_eq(getsockopt(ends[i], IPPROTO_TCP, TCP_NODELAY, &at_once, &size), 0);
        cr_expect(at_once != 0, "end %d", i);
        cr_expect((fcntl(ends[i], F_GETFL) & O_NONBLOCK) != 0);
        cr_expect((fcntl(ends[i], F_GETFD) & FD_CLOEXEC) != 0);
        close(ends[i]);
    }
    for (int i = 0; i < n; i++) close(listeners[i]);
    close(held);
}

/* All ports that there are, and no others. */
Test(tcp_addresses, ports_are_1_to_65535) {
    static const char *const odd[] = {"", "x", "1x", "-1", "+1", " 1", "100000", "000001", "1.5"};
    for (long port = 0; port <= 66000; port += port < 12 || port > 65500 ? 1 : 997) {
        char text[32], number[24];
        rs_error error = {.text = ""};
        rg_bootstrap m = {.n_ranks = 2};
        snprintf(number, sizeof number, "%ld", port);
        snprintf(text, sizeof text, "host-1:%ld", port);
        const bool good = port >= 1 && port <= 65535;
        cr_expect_eq(rg_net_parse(text, &m, &error), good ? RS_OK : RS_BAD_INPUT, "%s", text);
        if (good)
            cr_expect(strcmp(m.port, number) == 0 && strcmp(m.host, "host-1") == 0, "%s", text);
        if (!good) cr_expect_not_null(strstr(error.text, "a port is a number"), "%s", error.text);
    }
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char text[32];
        rs_error error = {.text = ""};
        rg_bootstrap m = {.n_ranks = 2};
        snprintf(text, sizeof text, "[::1]:%s", odd[i]);
        cr_expect_eq(rg_net_parse(text, &m, &error), RS_BAD_INPUT, "%s", text);
    }
}

/* A host fits with its end; none is the loopback; brackets stand for what has colons itself. */
Test(tcp_addresses, hosts_are_short_names_or_numbers) {
    for (size_t n = RG_LONGEST_HOST - 3; n < RG_LONGEST_HOST + 3; n++) {
        char host[RG_LONGEST_HOST + 8] = "", text[RG_LONGEST_HOST + 16];
        rs_error error = {.text = ""};
        rg_bootstrap m = {.n_ranks = 2};
        memset(host, 'h', n);
        snprintf(text, sizeof text, "%s:1", host);
        const bool good = n < RG_LONGEST_HOST;
        cr_expect_eq(rg_net_parse(text, &m, &error), good ? RS_OK : RS_BAD_INPUT, "%zu", n);
        if (good) cr_expect_str_eq(m.host, host);
        if (!good) cr_expect_not_null(strstr(error.text, "is no name of a machine"));
    }
    static const struct {
        const char *text, *host; /* NULL: refused */
        const char *told;
    } all[] = {
        {":7", "127.0.0.1", ""},
        {"[]:7", "127.0.0.1", ""},
        {"[::1]:7", "::1", ""},
        {"[fe80::1%eth0]:7", "fe80::1%eth0", ""},
        {"::1:7", NULL, "in brackets"},
        {"a:7:8", NULL, "in brackets"},
        {"a", NULL, "no port; write"},
        {"", NULL, "no port; write"},
        {"[::1]", NULL, "no port; write"},
        {"[::1", NULL, "no port; write"},
        {"[::1]7", NULL, "no port; write"},
        {"/a:7", NULL, "no name of a machine"},
        {"a/:7", NULL, "no name of a machine"},
        {"a b:7", NULL, "no name of a machine"},
        {"a\t:7", NULL, "no name of a machine"},
        {"me@a:7", NULL, "no name of a machine"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        rs_error error = {.text = ""};
        rg_bootstrap m = {.n_ranks = 2};
        const rs_status status = rg_net_parse(all[i].text, &m, &error);
        cr_expect_eq(status, all[i].host != NULL ? RS_OK : RS_BAD_INPUT, "%s", all[i].text);
        if (all[i].host != NULL)
            cr_expect(strcmp(m.host, all[i].host) == 0 && strcmp(m.port, "7") == 0);
        cr_expect_not_null(strstr(error.text, all[i].told), "%s: %s", all[i].text, error.text);
    }
}

/* Who cannot connect hears why, and whether a later try may help. */
Test(tcp_addresses, who_cannot_connect_hears_why) {
    int port;
    const int held = held_port(&port); /* where nobody listens */
    const int64_t deadline_ps = rg_now_ps() + INT64_C(20000000000000);
    static const struct {
        const char *host;
        bool itself;
        rs_status status;
        const char *why;
    } all[] = {{"127.0.0.2", false, RS_OK, "Connection refused"},
               {"127.0.0.2", true, RS_OK, "Connection refused"},
               {"again.test", false, RS_OK, "its name cannot be looked up"},
               {"no name.test", false, RS_BAD_INPUT, "its name cannot be looked up"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        rs_error error = {.text = ""};
        rg_bootstrap m = {.n_ranks = 2, .place = "tcp://a place"};
        rs_status status = RS_UNSUPPORTED;
        const char *why = "";
        snprintf(m.host, sizeof m.host, "%s", all[i].host);
        snprintf(m.port, sizeof m.port, "%d", port);
        to_itself = all[i].itself;
        cr_expect_eq(rg_net_connect(&m, deadline_ps, &why, &status, &error), -1, "%zu", i);
        cr_expect_eq(n_lists, 0);
        to_itself = false;
        cr_expect_eq(status, all[i].status, "%zu", i);
        cr_expect_str_eq(why, all[i].why);
    }
    close(held);
}

/* A name server that answers only after the rank has given up. */
Test(tcp_addresses, nobody_waits_longer_for_a_name_than_for_the_others, .timeout = 30) {
    for (int32_t rank = 0; rank < 2; rank++) {
        answered = false;
        const joined s = join("slow.test", 29500, rank, 300);
        cr_expect(s.status != RS_OK && strstr(s.text, "slow.test") != NULL, "%s", s.text);
        cr_expect_gt(n_slow, 0);
        answered = true;
        while (n_slow > 0) usleep(1000);
    }
}
