/* test_launch_real.c: the story of a bootstrap is what really happens: real processes join here, overheard
 * or in a file, and the classic mistakes are really made; the last line is the same. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/launch_fixture.h"
#include "bootstrap/file_bootstrap.h"
#include "bootstrap/tcp_bootstrap.h"
#include "gpu/bootstrap/bootstrap_world.h"
#include "gpu/bootstrap/tcp_tap.h"

TestSuite(launch_real, .init = open_arena, .fini = close_arena, .timeout = 900);

/* ------------------------------------------------------------------ a real bootstrap */

enum { MOST = OVERHEARD_RANKS, TIMEOUT_MS = 15000, ROUNDS = RS_N_EXCHANGES };
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

static int32_t patience_ms = TIMEOUT_MS; /* of rank 0; the others hear of it what it finds */

static void live(rank_of *me) {
    rs_error why = {.text = ""};
    const int32_t timeout_ms = patience_ms + 1000 * me->rank;
    rg_bootstrap *bootstrap = NULL;
    int32_t own = me->rank, all[MOST];
    usleep((useconds_t)me->delay_ms * 1000);
    me->status = rg_bootstrap_join(me->init, me->rank, me->n_ranks, timeout_ms, &why, &bootstrap);
    for (int i = 0; i < ROUNDS && me->status == RS_OK; i++) {
        me->status = rg_exchange(bootstrap, &own, sizeof own, all, TIMEOUT_MS, &why);
    }
    memcpy(me->text, why.text, sizeof me->text);
    rg_bootstrap_leave(bootstrap);
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

/* Lets the processes of a job find each other for real, in the order of the story, and records what they say. */
static void join_for_real(const rs_launched *l, rank_of *ranks, record *r) {
    enum { APART_MS = 200 };
    pid_t pids[MOST];
    int port, door, doors[MOST] = {-1};
    const int held = held_port(&port);
    for (int32_t i = 0; i < l->n_processes; i++) {
        const rs_process p = rs_launch_process(l, i);
        door = port;
        if (i > 0) doors[i] = held_port(&door);
        if (i > 0) cr_assert_eq(listen(doors[i], 16), 0);
        ranks[i] = (rank_of){.rank = p.rank, .n_ranks = p.world_size};
        ranks[i].delay_ms = i == 0 ? APART_MS : i == 1 ? 0 : i * APART_MS;
        snprintf(ranks[i].init, sizeof ranks[i].init, "tcp://127.0.0.1:%d", door);
    }
    start(ranks, l->n_processes, pids);
    tcp_tap_stand(doors, l->n_processes, port, pids, r);
    for (int32_t i = 1; i < l->n_processes; i++) close(doors[i]);
    close(held);
}

/* In which moment of the story this is said; -1: in none. */
static int32_t moment_of(const rs_bootstrap *frame, const said *s) {
    for (int32_t i = 0; i < frame->n_moments; i++) {
        const rs_moment *m = &frame->moments[i];
        if (s->kind == SAID_REFUSED && m->kind == RS_REFUSED && m->process == s->rank) return i;
        if (s->kind == SAID_HELLO && m->kind == RS_HELLO && m->process == s->rank) return i;
        if (s->kind == RG_WELCOME && m->kind == RS_WELCOMED) return i;
        if (s->kind == RG_FAIL && m->kind == RS_BOOTSTRAP_FAULT) return i;
        const bool data = s->kind == RG_DATA || s->kind == RG_ALL;
        if (data && m->kind == RS_EXCHANGED && m->number == s->number) return i;
    }
    return -1;
}

/* Every message is of a moment, and there are as many as the story tells. Each rank's come in the
   story's order. Between ranks only the door keeps an order: who has got rank 0's answer goes on, while
   another has not. */
static void compare(const rs_bootstrap *frame, const record *r) {
    int32_t counts[64] = {0}, last[MOST] = {0}, door = 0;
    for (int i = 0; i < r->n; i++) {
        const said *s = &r->list[i];
        const int32_t moment = moment_of(frame, s);
        cr_assert_geq(moment, 0, "rank %d said %d in no moment", (int)s->rank, (int)s->kind);
        cr_expect_geq(moment, last[s->rank], "rank %d: %d too late", (int)s->rank, (int)s->kind);
        last[s->rank] = moment;
        if (frame->moments[moment].kind < RS_EXCHANGED) {
            cr_expect_geq(moment, door, "rank %d: %d out of turn", (int)s->rank, (int)s->kind);
            door = moment;
        }
        if (s->kind != SAID_REFUSED) counts[moment]++;
    }
    for (int32_t m = 0; m < frame->n_moments; m++) {
        cr_expect_eq(counts[m], frame->moments[m].messages, "moment %d: %d messages, not %d",
                     (int)m, (int)counts[m], (int)frame->moments[m].messages);
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

Test(launch_real, the_story_has_the_messages_of_a_real_bootstrap_in_their_order) {
    static record r;
    const rs_bootstrap frame = tell(usual);
    rank_of *ranks = shared_ranks();
    join_for_real(&frame.of, ranks, &r);
    for (int32_t i = 0; i < frame.of.n_processes; i++) {
        cr_expect_eq(ranks[i].status, RS_OK, "rank %d: %s", (int)i, ranks[i].text);
    }
    cr_expect_eq(r.list[0].kind, SAID_REFUSED, "rank 1 came too early and was not refused");
    compare(&frame, &r);
    data_before_answers(&r, frame.of.n_processes);
}

/* ------------------------------------------------------------------ a real bootstrap in a file */

static char made[] = "/tmp/ringsim-launch-XXXXXX";

/* Lets the processes come to the file in the story's order; notes in `came` who takes a slot when. */
static int32_t join_by_a_file(const rs_bootstrap *frame, const char *path, rank_of *ranks,
                              int32_t came[MOST]) {
    enum { APART_MS = 150 };
    pid_t pids[MOST];
    bool ended[MOST] = {false}, there[MOST] = {false};
    int32_t n_came = 0, turn = 0, left = frame->of.n_processes;
    for (int32_t i = 0; i < frame->of.n_processes; i++) {
        const rs_process p = rs_launch_process(&frame->of, i);
        ranks[i] = (rank_of){.rank = p.rank, .n_ranks = p.world_size, .delay_ms = 5 * APART_MS};
        snprintf(ranks[i].init, sizeof ranks[i].init, "file://%s", path);
    }
    for (int32_t m = 0; m < frame->n_moments; m++) {
        const rs_moment_kind kind = frame->moments[m].kind;
        if (kind != RS_FIRST_SLOT && kind != RS_SLOT && kind != RS_BOOTSTRAP_FAULT) continue;
        ranks[frame->moments[m].process].delay_ms = APART_MS * turn++;
    }
    start(ranks, frame->of.n_processes, pids);
    while (left > 0) {
        rg_slot slots[MOST];
        const int fd = open(path, O_RDONLY);
        const size_t n_bytes = (size_t)frame->of.n_processes * sizeof *slots;
        const off_t at = (off_t)sizeof(rg_file_head);
        const bool read_all = fd >= 0 && pread(fd, slots, n_bytes, at) == (ssize_t)n_bytes;
        if (fd >= 0) close(fd);
        for (int32_t r = 0; read_all && r < frame->of.n_processes; r++) {
            if (there[r] || slots[r].presence == RG_AWAITED) continue;
            there[r] = true;
            came[n_came++] = r;
        }
        for (int32_t i = 0; i < frame->of.n_processes; i++) {
            if (ended[i] || waitpid(pids[i], NULL, WNOHANG) != pids[i]) continue;
            ended[i] = true;
            left--;
        }
        usleep(2000);
    }
    return n_came;
}

Test(launch_real, in_a_file_the_first_to_come_begins_and_the_last_to_go_tidies_up) {
    rs_launch launch = usual;
    launch.init = RS_INIT_FILE;
    const rs_bootstrap frame = tell(launch);
    rank_of *ranks = shared_ranks();
    char path[64];
    int32_t came[MOST], k = 0;
    cr_assert_not_null(mkdtemp(made));
    snprintf(path, sizeof path, "%s/meeting", made);
    const int32_t n_came = join_by_a_file(&frame, path, ranks, came);
    cr_expect_eq(n_came, frame.of.n_processes);
    for (int32_t m = 0; m < frame.n_moments; m++) {
        const rs_moment *moment = &frame.moments[m];
        if (moment->kind != RS_FIRST_SLOT && moment->kind != RS_SLOT) continue;
        cr_expect_eq(came[k], moment->process, "the %d-th to come was rank %d", (int)k,
                     (int)came[k]);
        k++;
    }
    for (int32_t i = 0; i < 4; i++) cr_expect_eq(ranks[i].status, RS_OK, "%s", ranks[i].text);
    cr_expect_eq(access(path, F_OK), -1, "the file is left behind");
    rmdir(made);
}

/* ------------------------------------------------------------------ mistakes, really made */

/* Who is wrong is told what the story tells, and refused; the others go on waiting. When one stays away
   they are told who was refused, the last of them. */
static void are_told(const rank_of *ranks, int32_t n, int32_t wrong, const char *wanted) {
    const char *what = strstr(wanted, wrong == n - 1 ? " has come " : " was started ");
    cr_assert_not_null(what, "%s", wanted);
    for (int32_t i = 0; i < n; i++) {
        const bool refused = i >= wrong;
        cr_expect_eq(ranks[i].status, refused ? RS_BAD_INPUT : RS_UNSUPPORTED, "%s", ranks[i].text);
        cr_expect(strstr(ranks[i].text, what) != NULL, "rank %d: %s", (int)i, ranks[i].text);
        if (!refused) cr_expect(strstr(ranks[i].text, "; refused: rank ") != NULL);
    }
    cr_expect_str_eq(ranks[wrong].text, wanted);
}

/* Our own line with the place where they really met. */
static void at_place(const char *text, const char *ours, const char *real, char out[512]) {
    const char *at = strstr(text, ours);
    cr_assert_not_null(at, "%s", text);
    snprintf(out, 512, "%.*s%s%s", (int)(at - text), text, real, at + strlen(ours));
}

static void make_mistake(rs_mistake mistake) {
    static record r;
    char wanted[512];
    const rs_bootstrap frame = tell(with_mistake(mistake));
    rank_of *ranks = shared_ranks();
    r.n = 0;
    patience_ms = 3000;
    join_for_real(&frame.of, ranks, &r);
    at_place(frame.why.text, "tcp://node0:29500", ranks[0].init, wanted);
    cr_expect_not(frame.completes);
    const rs_moment *last = &frame.moments[frame.n_moments - 1];
    cr_expect_eq(last->kind, RS_BOOTSTRAP_FAULT);
    are_told(ranks, frame.of.n_processes, last->process, wanted);
}

Test(launch_real, a_wrong_world_size_ends_as_told) {
    make_mistake(RS_WORLD_SIZE);
}

Test(launch_real, a_rank_taken_twice_ends_as_told) {
    make_mistake(RS_RANK_TWICE);
}

/* In a file those who came early read why it is over. */
static void make_mistake_in_a_file(rs_mistake mistake) {
    rs_launch launch = with_mistake(mistake);
    launch.init = RS_INIT_FILE;
    const rs_bootstrap frame = tell(launch);
    rank_of *ranks = shared_ranks();
    char path[64], place[80], wanted[512];
    int32_t came[MOST];
    patience_ms = 3000;
    cr_assert_not_null(mkdtemp(made));
    snprintf(path, sizeof path, "%s/meeting", made);
    join_by_a_file(&frame, path, ranks, came);
    snprintf(place, sizeof place, "file://%s", path);
    at_place(frame.why.text, "file:///shared/meeting", place, wanted);
    const int32_t wrong = frame.moments[frame.n_moments - 1].process;
    are_told(ranks, 4, wrong, wanted);
    unlink(path);
    rmdir(made);
}

Test(launch_real, a_wrong_world_size_ends_as_told_in_a_file) {
    make_mistake_in_a_file(RS_WORLD_SIZE);
}

Test(launch_real, a_rank_taken_twice_ends_as_told_in_a_file) {
    make_mistake_in_a_file(RS_RANK_TWICE);
}

Test(launch_real, a_stale_file_ends_as_told) {
    char path[64], wanted[512], place[80];
    const rs_bootstrap frame = tell(with_mistake(RS_STALE_FILE));
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
    at_place(frame.why.text, "file:///shared/meeting", place, wanted);
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

Test(launch_real, who_opens_a_file_to_write_empties_it_for_everybody) {
    enum { WHOLE = 1000 };
    char path[64], bytes[WHOLE] = {0};
    const rs_bootstrap frame = tell(with_mistake(RS_EVERYBODY_SAVES));
    cr_assert_not_null(mkdtemp(made));
    snprintf(path, sizeof path, "%s/checkpoint", made);
    int fd = -1;
    for (int32_t i = 0; i < frame.n_moments; i++) {
        const rs_moment *m = &frame.moments[i];
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
