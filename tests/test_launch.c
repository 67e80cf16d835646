/* test_launch.c: which processes a job has; that each could find itself by what it is told; and that the
 * story of their meeting is what really happens: real processes meet here, through a listener in the
 * middle that writes down every message, and the classic mistakes are really made. */
#include <criterion/criterion.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "meet_tcp.h"
#include "ringsim_launch.h"
#include "story_launch.h"

static rs_arena arena;
static rs_error error;
static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}
static void close_arena(void) {
    rs_arena_free(&arena);
}
TestSuite(launch, .init = open_arena, .fini = close_arena, .timeout = 60);

static rs_launched plan(rs_launch launch) {
    rs_launched launched;
    cr_assert_eq(rs_launch_plan(&launch, &error, &launched), RS_OK, "%s", error.text);
    return launched;
}

static rs_rendezvous tell(rs_launch launch) {
    const rs_launched launched = plan(launch);
    rs_rendezvous told;
    cr_assert_eq(rs_rendezvous_tell(&launched, &arena, &error, &told), RS_OK, "%s", error.text);
    return told;
}

static const rs_launch usual = {.n_nodes = 2, .gpus_per_node = 4, .gpus_per_process = 2};
static rs_launch with_mistake(rs_mistake mistake) {
    rs_launch launch = usual;
    launch.mistake = mistake;
    if (mistake == RS_STALE_FILE) launch.place = RS_MEET_FILE;
    return launch;
}

/* ------------------------------------------------------------------ numbers */

Test(launch, two_nodes_of_four_GPUs_with_two_a_process_are_four_ranks) {
    static const rs_process wanted[] = {
        {0, 4, 0, 0, 2, 0, 2}, {1, 4, 0, 1, 2, 2, 2}, {2, 4, 1, 0, 2, 0, 2}, {3, 4, 1, 1, 2, 2, 2}};
    const rs_launched launched = plan(usual);
    cr_assert_eq(launched.n_processes, 4);
    cr_expect_eq(launched.idle_gpus, 0);
    for (int32_t i = 0; i < 4; i++) {
        const rs_process p = rs_launch_process(&launched, i);
        cr_expect_arr_eq(&p, &wanted[i], sizeof p, "process %d", (int)i);
    }
}

Test(launch, every_GPU_of_every_node_has_exactly_one_process) {
    for (int32_t nodes = 1; nodes <= 4; nodes++) {
        for (int32_t gpus = 1; gpus <= 12; gpus++) {
            for (int32_t each = 1; each <= gpus; each++) {
                const rs_launch launch = {
                    .n_nodes = nodes, .gpus_per_node = gpus, .gpus_per_process = each};
                int32_t taken[4][12] = {{0}};
                rs_launched l;
                const rs_status status = rs_launch_plan(&launch, &error, &l);
                cr_assert_eq(status, gpus % each == 0 ? RS_OK : RS_BAD_INPUT);
                if (status != RS_OK) continue;
                cr_expect_eq(l.n_processes * each, nodes * gpus);
                for (int32_t i = 0; i < l.n_processes; i++) {
                    const rs_process p = rs_launch_process(&l, i);
                    cr_expect_eq(p.rank, i);
                    for (int32_t g = 0; g < p.n_gpus; g++) taken[p.node][p.first_gpu + g]++;
                }
                for (int32_t k = 0; k < nodes * gpus; k++) {
                    cr_assert_eq(taken[k / gpus][k % gpus], 1);
                }
            }
        }
    }
}

Test(launch, refuses_what_makes_no_job) {
    rs_launched l = {.n_processes = -7};
    const rs_launch wrong[] = {
        {.n_nodes = 0, .gpus_per_node = 4, .gpus_per_process = 1},
        {.n_nodes = 1, .gpus_per_node = 4, .gpus_per_process = 3},
        {.n_nodes = 1, .gpus_per_node = 4, .gpus_per_process = 8},
        {.n_nodes = 1025, .gpus_per_node = 1, .gpus_per_process = 1},
        {.n_nodes = 1, .gpus_per_node = 2, .gpus_per_process = 1, .mistake = RS_RANK_TWICE},
        {.n_nodes = 1, .gpus_per_node = 1, .gpus_per_process = 1, .mistake = RS_WORLD_SIZE},
        {.n_nodes = 2, .gpus_per_node = 4, .gpus_per_process = 4, .mistake = RS_NO_SET_DEVICE},
        {.n_nodes = 2, .gpus_per_node = 4, .gpus_per_process = 2, .mistake = RS_STALE_FILE},
        {.n_nodes = 2,
         .gpus_per_node = 4,
         .gpus_per_process = 2,
         .starter = RS_SRUN,
         .mistake = RS_MISSING_NPROC},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_expect_eq(rs_launch_plan(&wrong[i], &error, &l), RS_BAD_INPUT, "case %zu", i);
        cr_expect_eq(l.n_processes, -7);
    }
}

/* ------------------------------------------------------------------ what each is told */

static void forget_all(void) {
    static const char *const names[] = {
        "RANK",         "WORLD_SIZE",          "LOCAL_RANK",    "LOCAL_WORLD_SIZE",
        "MASTER_ADDR",  "MASTER_PORT",         "GROUP_RANK",    "TORCHELASTIC_RUN_ID",
        "SLURM_PROCID", "SLURM_LOCALID",       "SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS",
        "SLURM_NODEID", "OMPI_COMM_WORLD_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unsetenv(names[i]);
}

/* started.c is how our own ranks read the environment. */
Test(launch, a_process_finds_itself_by_what_it_is_told) {
    static const rs_starter starters[] = {RS_TORCHRUN, RS_TORCH_LAUNCH, RS_SRUN};
    static const char *const names[] = {"torchrun", "RANK and WORLD_SIZE", "srun"};
    for (int k = 0; k < 3; k++) {
        rs_launch launch = usual;
        launch.starter = starters[k];
        const rs_launched l = plan(launch);
        for (int32_t i = 0; i < l.n_processes; i++) {
            rs_variable variables[RS_MOST_VARIABLES];
            const int n = rs_launch_variables(&l, i, variables);
            cr_assert_leq(n, RS_MOST_VARIABLES);
            forget_all();
            for (int v = 0; v < n; v++) {
                if (!variables[v].argument) setenv(variables[v].name, variables[v].value, 1);
            }
            cr_expect_str_eq(rg_started_by(), names[k]);
            cr_expect_eq(rg_started_size(), 4);
            cr_expect_eq(rg_started_rank(), i);
            cr_expect_eq(rg_started_local_rank(), i % 2);
        }
    }
    forget_all();
}

Test(launch, spawn_tells_nothing_but_a_number) {
    rs_launch launch = usual;
    launch.starter = RS_MP_SPAWN;
    launch.place = RS_MEET_TCP;
    const rs_launched l = plan(launch);
    rs_variable variables[RS_MOST_VARIABLES];
    cr_assert_eq(rs_launch_variables(&l, 3, variables), 1);
    cr_expect(variables[0].argument);
    cr_expect_str_eq(variables[0].value, "1");
}

Test(launch, without_nproc_one_process_a_node_leaves_the_other_GPUs_idle) {
    const rs_rendezvous told = tell(with_mistake(RS_MISSING_NPROC));
    char command[RS_COMMAND_TEXT];
    cr_expect_eq(told.of.n_processes, 2);
    cr_expect_eq(told.of.idle_gpus, 4);
    cr_expect(told.completes);
    rs_launch_command(&told.of, 0, command);
    cr_expect_null(strstr(command, "nproc"));
    cr_expect_not_null(strstr(command, "--master-port 29500"));
}

/* ------------------------------------------------------------------ a real meeting */

enum { MOST = 8, TIMEOUT_MS = 15000, ROUNDS = RS_N_EXCHANGES };
typedef struct rank_of { /* shared between the processes */
    int32_t rank, n_ranks, delay_ms;
    char init[256], text[512];
    rs_status status;
} rank_of;

static rank_of *shared_ranks(void) {
    rank_of *ranks =
        mmap(NULL, sizeof *ranks * MOST, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(ranks, MAP_FAILED);
    return ranks;
}

static void live(rank_of *me) {
    rs_error why = {.text = ""};
    rg_meeting *meeting = NULL;
    int32_t own = me->rank, all[MOST];
    usleep((useconds_t)me->delay_ms * 1000);
    me->status = rg_meet(me->init, me->rank, me->n_ranks, TIMEOUT_MS, &why, &meeting);
    for (int i = 0; i < ROUNDS && me->status == RS_OK; i++) {
        me->status = rg_exchange(meeting, &own, sizeof own, all, TIMEOUT_MS, &why);
    }
    memcpy(me->text, why.text, sizeof me->text);
    rg_part(meeting);
    _exit(0);
}

/* A process for each; `pids` are to be waited for. */
static void start(rank_of *ranks, int32_t n, pid_t pids[]) {
    for (int32_t i = 0; i < n; i++) {
        pids[i] = fork();
        cr_assert_geq(pids[i], 0);
        if (pids[i] == 0) live(&ranks[i]);
    }
}

static int listener(int *port) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof any;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    cr_assert_eq(bind(fd, (struct sockaddr *)&any, sizeof any), 0);
    getsockname(fd, (struct sockaddr *)&any, &n);
    *port = ntohs(any.sin_port);
    return fd; /* bound, not listening: nobody else gets the port */
}

/* One direction of a connection: what is whole is taken apart and written down. */
typedef struct ear {
    unsigned char bytes[1 << 16];
    size_t n;
    bool hello_first;
} ear;
enum { SAID_HELLO = 100, SAID_REFUSED };
typedef struct said {
    int32_t rank, kind;
    int64_t number;
} said;
typedef struct record {
    said list[512];
    int n;
} record;

static void write_down(record *r, int32_t rank, int32_t kind, int64_t number) {
    cr_assert_lt(r->n, 512);
    r->list[r->n++] = (said){rank, kind, number};
}

static void hear(ear *e, int32_t rank, record *r) {
    for (;;) {
        const size_t first = e->hello_first ? sizeof(rg_hello) : sizeof(rg_head);
        if (e->n < first) return;
        rg_head head = {.length = 0};
        if (!e->hello_first) memcpy(&head, e->bytes, sizeof head);
        const size_t whole = first + (size_t)head.length;
        cr_assert_leq(whole, sizeof e->bytes);
        if (e->n < whole) return;
        if (e->hello_first) write_down(r, rank, SAID_HELLO, 0);
        if (!e->hello_first && head.kind != RG_WAITS) {
            write_down(r, rank, (int32_t)head.kind, head.number);
        }
        e->hello_first = false;
        e->n -= whole;
        memmove(e->bytes, e->bytes + whole, e->n);
    }
}

/* Hands on what one end says to the other; false: that end has gone. */
static bool relay(int from, int to, ear *e, int32_t rank, record *r) {
    const ssize_t n = recv(from, e->bytes + e->n, sizeof e->bytes - e->n, 0);
    if (n <= 0) return false;
    cr_assert_eq(send(to, e->bytes + e->n, (size_t)n, MSG_NOSIGNAL), n);
    e->n += (size_t)n;
    hear(e, rank, r);
    return true;
}

/* The listener in the middle: rank r comes to doors[r]; all is handed on to rank 0's port. */
typedef struct middle {
    int doors[MOST], clients[MOST], servers[MOST];
    ear up[MOST], down[MOST];
} middle;

static void let_in(middle *m, int32_t rank, int port, record *r) {
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int client = accept(m->doors[rank], NULL, NULL);
    const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(server, (struct sockaddr *)&at, sizeof at) != 0) { /* rank 0 is not there yet */
        write_down(r, rank, SAID_REFUSED, 0);
        close(server);
        close(client);
        return;
    }
    m->clients[rank] = client;
    m->servers[rank] = server;
    m->up[rank].hello_first = true;
}

static void hang_up(middle *m, int32_t rank) {
    close(m->clients[rank]);
    close(m->servers[rank]);
    m->clients[rank] = m->servers[rank] = -1;
}

/* Stands in the middle until all processes have ended. */
static void stand_between(middle *m, int32_t n, int port, const pid_t pids[], record *r) {
    bool ended[MOST] = {false};
    for (int32_t left = n; left > 0;) {
        struct pollfd all[3 * MOST];
        int32_t who[3 * MOST], n_all = 0;
        for (int32_t i = 1; i < n; i++) {
            const int fds[] = {m->doors[i], m->clients[i], m->servers[i]};
            for (int k = 0; k < 3; k++) {
                who[n_all] = i * 3 + k;
                all[n_all++] = (struct pollfd){.fd = fds[k], .events = POLLIN};
            }
        }
        poll(all, (nfds_t)n_all, 20);
        for (int32_t k = 0; k < n_all; k++) {
            const int32_t i = who[k] / 3;
            if (all[k].revents == 0 || all[k].fd < 0) continue;
            if (who[k] % 3 == 0) let_in(m, i, port, r);
            if (who[k] % 3 == 1 && m->clients[i] == all[k].fd &&
                !relay(m->clients[i], m->servers[i], &m->up[i], i, r)) {
                hang_up(m, i);
            }
            if (who[k] % 3 == 2 && m->servers[i] == all[k].fd &&
                !relay(m->servers[i], m->clients[i], &m->down[i], i, r)) {
                hang_up(m, i);
            }
        }
        for (int32_t i = 0; i < n; i++) {
            if (ended[i] || waitpid(pids[i], NULL, WNOHANG) != pids[i]) continue;
            ended[i] = true;
            left--;
        }
    }
}

/* Lets the processes of a job meet for real, in the order of the story, and records what they say. */
static void meet_for_real(const rs_launched *l, rank_of *ranks, record *r) {
    enum { APART_MS = 200 };
    static middle m;
    pid_t pids[MOST];
    int port, door;
    const int held = listener(&port);
    memset(&m, 0, sizeof m);
    for (int32_t i = 0; i < l->n_processes; i++) {
        const rs_process p = rs_launch_process(l, i);
        m.doors[i] = m.clients[i] = m.servers[i] = -1;
        door = port;
        if (i > 0) m.doors[i] = listener(&door);
        if (i > 0) cr_assert_eq(listen(m.doors[i], 16), 0);
        ranks[i] = (rank_of){.rank = p.rank, .n_ranks = p.world_size};
        ranks[i].delay_ms = i == 0 ? APART_MS : i == 1 ? 0 : i * APART_MS;
        snprintf(ranks[i].init, sizeof ranks[i].init, "tcp://127.0.0.1:%d", door);
    }
    start(ranks, l->n_processes, pids);
    stand_between(&m, l->n_processes, port, pids, r);
    for (int32_t i = 1; i < l->n_processes; i++) close(m.doors[i]);
    close(held);
}

/* In which moment of the story this is said; -1: in none. */
static int32_t moment_of(const rs_rendezvous *told, const said *s) {
    for (int32_t i = 0; i < told->n_moments; i++) {
        const rs_moment *m = &told->moments[i];
        if (s->kind == SAID_REFUSED && m->kind == RS_REFUSED && m->process == s->rank) return i;
        if (s->kind == SAID_HELLO && m->kind == RS_HELLO && m->process == s->rank) return i;
        if (s->kind == RG_WELCOME && m->kind == RS_WELCOMED) return i;
        if (s->kind == RG_FAIL && m->kind == RS_MET_FAULT) return i;
        const bool data = s->kind == RG_DATA || s->kind == RG_ALL;
        if (data && m->kind == RS_EXCHANGED && m->number == s->number) return i;
    }
    return -1;
}

/* Every message is of a moment, and there are as many as the story tells. Each rank's come in the
   story's order. Between ranks only the door keeps an order: who has got rank 0's answer goes on, while
   another has not. */
static void compare(const rs_rendezvous *told, const record *r) {
    int32_t counts[64] = {0}, last[MOST] = {0}, door = 0;
    for (int i = 0; i < r->n; i++) {
        const said *s = &r->list[i];
        const int32_t moment = moment_of(told, s);
        cr_assert_geq(moment, 0, "rank %d said %d in no moment", (int)s->rank, (int)s->kind);
        cr_expect_geq(moment, last[s->rank], "rank %d: %d too late", (int)s->rank, (int)s->kind);
        last[s->rank] = moment;
        if (told->moments[moment].kind < RS_EXCHANGED) {
            cr_expect_geq(moment, door, "rank %d: %d out of turn", (int)s->rank, (int)s->kind);
            door = moment;
        }
        if (s->kind != SAID_REFUSED) counts[moment]++;
    }
    for (int32_t m = 0; m < told->n_moments; m++) {
        cr_expect_eq(counts[m], told->moments[m].messages, "moment %d: %d messages, not %d", (int)m,
                     (int)counts[m], (int)told->moments[m].messages);
    }
}

/* Within an exchange rank 0 answers when it has heard all. */
static void data_before_answers(const record *r, int32_t n) {
    for (int64_t e = 1; e <= ROUNDS; e++) {
        int32_t given = 0;
        for (int i = 0; i < r->n; i++) {
            if (r->list[i].number != e) continue;
            if (r->list[i].kind == RG_DATA) given++;
            if (r->list[i].kind == RG_ALL) cr_expect_eq(given, n - 1);
        }
    }
}

Test(launch, the_story_has_the_messages_of_a_real_meeting_in_their_order) {
    static record r;
    const rs_rendezvous told = tell(usual);
    rank_of *ranks = shared_ranks();
    meet_for_real(&told.of, ranks, &r);
    for (int32_t i = 0; i < told.of.n_processes; i++) {
        cr_expect_eq(ranks[i].status, RS_OK, "rank %d: %s", (int)i, ranks[i].text);
    }
    cr_expect_eq(r.list[0].kind, SAID_REFUSED, "rank 1 came too early and was not refused");
    compare(&told, &r);
    data_before_answers(&r, told.of.n_processes);
}

/* ------------------------------------------------------------------ mistakes, really made */

/* Our own line with the place where they really met. */
static void at_place(const char *text, const char *ours, const char *real, char out[512]) {
    const char *at = strstr(text, ours);
    cr_assert_not_null(at, "%s", text);
    snprintf(out, 512, "%.*s%s%s", (int)(at - text), text, real, at + strlen(ours));
}

static void make_mistake(rs_mistake mistake) {
    static record r;
    char wanted[512];
    const rs_rendezvous told = tell(with_mistake(mistake));
    rank_of *ranks = shared_ranks();
    r.n = 0;
    meet_for_real(&told.of, ranks, &r);
    at_place(told.text, "tcp://node0:29500", ranks[0].init, wanted);
    cr_expect_not(told.completes);
    for (int32_t i = 0; i < told.of.n_processes; i++) {
        cr_expect_eq(ranks[i].status, RS_BAD_INPUT);
        cr_expect_str_eq(ranks[i].text, wanted);
    }
    const rs_moment *last = &told.moments[told.n_moments - 1];
    cr_expect_eq(last->kind, RS_MET_FAULT);
}

Test(launch, a_wrong_world_size_ends_as_told) {
    make_mistake(RS_WORLD_SIZE);
}

Test(launch, a_rank_taken_twice_ends_as_told) {
    make_mistake(RS_RANK_TWICE);
}

static char made[] = "/tmp/ringsim-launch-XXXXXX";

Test(launch, a_stale_file_ends_as_told) {
    char path[64], wanted[512], place[80];
    const rs_rendezvous told = tell(with_mistake(RS_STALE_FILE));
    rank_of *ranks = shared_ranks();
    pid_t pids[MOST];
    cr_assert_not_null(mkdtemp(made));
    snprintf(path, sizeof path, "%s/meeting", made);
    /* What a run leaves that was killed: rank 0 of 4 waits for the others, and dies. */
    ranks[0] = (rank_of){.rank = 0, .n_ranks = 4};
    snprintf(ranks[0].init, sizeof ranks[0].init, "file://%s", path);
    start(ranks, 1, pids);
    struct stat about = {0};
    for (int i = 0; i < 500 && about.st_size < (off_t)1; i++) {
        usleep(10000);
        if (stat(path, &about) != 0) about.st_size = 0;
    }
    usleep(50000);
    kill(pids[0], SIGKILL);
    waitpid(pids[0], NULL, 0);
    for (int32_t i = 0; i < 4; i++) {
        ranks[i] = (rank_of){.rank = i, .n_ranks = 4};
        snprintf(ranks[i].init, sizeof ranks[i].init, "file://%s", path);
    }
    start(ranks, 4, pids);
    for (int32_t i = 0; i < 4; i++) waitpid(pids[i], NULL, 0);
    snprintf(place, sizeof place, "file://%s", path);
    at_place(told.text, "file:///shared/meeting", place, wanted);
    for (int32_t i = 0; i < 4; i++) {
        char *date = strstr(ranks[i].text, " ranks of ");
        cr_expect_eq(ranks[i].status, RS_BAD_INPUT);
        cr_assert_not_null(date, "%s", ranks[i].text);
        memmove(date + 6, strchr(date, ','), strlen(strchr(date, ',')) + 1); /* it is told, too */
        cr_expect_str_eq(ranks[i].text, wanted);
    }
    unlink(path);
    rmdir(made);
}

Test(launch, who_opens_a_file_to_write_empties_it_for_everybody) {
    enum { WHOLE = 1000 };
    char path[64], bytes[WHOLE] = {0};
    const rs_rendezvous told = tell(with_mistake(RS_EVERYBODY_SAVES));
    cr_assert_not_null(mkdtemp(made));
    snprintf(path, sizeof path, "%s/checkpoint", made);
    int fd = -1;
    for (int32_t i = 0; i < told.n_moments; i++) {
        const rs_moment *m = &told.moments[i];
        struct stat about;
        if (m->file_percent < 0) continue;
        if (m->kind == RS_SAVED || m->kind == RS_TRUNCATED) {
            fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
            cr_assert_geq(fd, 0);
        }
        if (m->kind == RS_SAVED) cr_assert_eq(write(fd, bytes, WHOLE), WHOLE);
        if (m->kind == RS_SAVED) close(fd);
        if (m->kind == RS_HALF_SAVED) cr_assert_eq(write(fd, bytes, WHOLE / 2), WHOLE / 2);
        if (m->kind == RS_ALL_SAVED) cr_assert_eq(write(fd, bytes, WHOLE / 2), WHOLE / 2);
        cr_assert_eq(stat(path, &about), 0);
        cr_expect_eq(about.st_size * 100 / WHOLE, m->file_percent, "moment %d", (int)i);
        if (m->kind == RS_READ_SHORT) cr_expect_eq(about.st_size * 100 / WHOLE, m->number);
    }
    close(fd);
    unlink(path);
    rmdir(made);
}

Test(launch, rank_0_alone_hangs_where_the_simulator_says) {
    const rs_rendezvous told = tell(with_mistake(RS_RANK0_COLLECTIVE));
    const rs_moment *last = &told.moments[told.n_moments - 1];
    cr_expect_eq(last->kind, RS_STALLED);
    cr_expect_eq(last->number, 1); /* its right neighbour, to whom it sends first */
    cr_expect_eq(rs_standing_of(&told, told.n_moments - 1, 0), RS_STANDS_HANGING);
    cr_expect_eq(rs_standing_of(&told, told.n_moments - 1, 1), RS_STANDS_WORKING);
    cr_expect_not(told.completes);
}

/* ------------------------------------------------------------------ the story */

Test(launch, each_moment_of_each_job_can_be_told) {
    for (int mistake = 0; mistake < RS_N_MISTAKES; mistake++) {
        for (int place = 0; place < RS_N_PLACES; place++) {
            rs_launch launch = with_mistake((rs_mistake)mistake);
            if (mistake != RS_STALE_FILE) launch.place = (rs_place)place;
            const rs_rendezvous told = tell(launch);
            rv_story story;
            rv_story_launch(&told, &story);
            cr_expect_eq(story.n_ranks, told.of.n_processes);
            for (int32_t step = -1; step <= story.n_steps; step++) {
                rv_told moment = {.arena = &arena, .now_ps = -1};
                cr_assert_eq(story.tell(&story, step, 1, &moment, &error), RS_OK);
                cr_expect_gt(strlen(moment.caption), 10u);
                cr_expect_geq(moment.n_grids, 2);
                cr_expect(step < story.n_steps || moment.good != moment.bad);
            }
        }
    }
}

Test(launch, a_world_of_one_meets_itself) {
    const rs_rendezvous told =
        tell((rs_launch){.n_nodes = 1, .gpus_per_node = 1, .gpus_per_process = 1});
    cr_expect(told.completes);
    int32_t messages = 0;
    for (int32_t i = 0; i < told.n_moments; i++) messages += told.moments[i].messages;
    cr_expect_eq(messages, 0);
}
