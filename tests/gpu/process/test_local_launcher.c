/* test_local_launcher.c: our own starter of ranks: whatever ends in whatever way, no process is left behind.

   The ranks here are not the program's: each joins the others, and then does what a test wants. How many
   are left is seen by a pipe that all of them hold: it ends when the last one does. */
#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bootstrap/bootstrap.h"
#include "gpu/bootstrap/bootstrap_world.h"
#include "process/local_launcher.h"

enum { N = 4 };

typedef enum wish { END_WELL, END_BADLY, CRASH, STAY, STAY_DEAF, NEVER_JOIN, N_WISHES } wish;

typedef struct page { /* what all processes share */
    pid_t starter, ranks[N];
    int n_met;
    rs_status status; /* the starter's */
    char text[512], words[N][200], met[N][200];
    bool done; /* the starter came to its end */
} page;

typedef struct stage {
    page *page;
    pid_t parent;  /* of the starter; 0: it is the test itself */
    int in, alive; /* our end of the starter's input; of the pipe that all hold */
} stage;

/* ------------------------------------------------------------------ what a rank does */

static void act(page *p, int32_t rank, wish what, const char *init, int in_fd) {
    rs_error error = {.text = ""};
    rg_bootstrap *bootstrap = NULL;
    char all[N];
    p->ranks[rank] = getpid();
    rg_launch_env_words(p->words[rank], sizeof p->words[rank]);
    if (what == NEVER_JOIN && rank == 2) pause();
    rs_status status = rg_bootstrap_join(init, rg_launch_env_rank(), rg_launch_env_size(),
                                         what == NEVER_JOIN ? 500 : 10000, &error, &bootstrap);
    if (status == RS_OK) status = rg_exchange(bootstrap, "x", 1, all, 10000, &error);
    memcpy(p->met[rank], error.text, sizeof p->met[rank]);
    if (status != RS_OK) _exit(3);
    __atomic_add_fetch(&p->n_met, 1, __ATOMIC_SEQ_CST);
    if (what == END_BADLY && rank == 2) _exit(7);
    if (what == CRASH && rank == 1) {
        usleep(100000);
        raise(SIGSEGV);
    }
    if (what == STAY_DEAF) {
        signal(SIGTERM, SIG_IGN);
        signal(SIGINT, SIG_IGN);
    }
    while (what != END_WELL) pause();
    char c;
    if (rank > 0 && read(in_fd, &c, 1) != 0) _exit(4); /* nothing there, for the others */
    rg_bootstrap_leave(bootstrap);
    _exit(0);
}

static void start(page *p, wish what, const char *init, int in_fd) {
    rs_error error = {.text = ""};
    int32_t rank = -1;
    signal(SIGSEGV, SIG_DFL);
    p->starter = getpid();
    const rs_status status = rg_local_launch(N, init, in_fd, &rank, &error);
    if (rank >= 0) act(p, rank, what, init, in_fd);
    p->status = status;
    memcpy(p->text, error.text, sizeof p->text);
    p->done = true;
    _exit(0);
}

/* ------------------------------------------------------------------ the stage */

/* Starts the starter; with_parent: as the child of a process between us and it. */
static stage set(wish what, const char *init, bool with_parent) {
    int in[2], alive[2];
    stage s = {.parent = 0};
    s.page = mmap(NULL, sizeof *s.page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert(s.page != MAP_FAILED && pipe(in) == 0 && pipe(alive) == 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* what is orphaned comes to us */
    const pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0); /* by which a failed test ends what it left */
        close(alive[0]);
        const pid_t starter = with_parent ? fork() : 0;
        if (starter == 0) {
            close(in[1]);
            start(s.page, what, init, in[0]);
        }
        close(alive[1]);
        while (true) pause(); /* holds in[1], as a parent does */
    }
    close(in[0]);
    close(alive[1]);
    if (with_parent) close(in[1]);
    s.in = with_parent ? -1 : in[1];
    s.parent = pid;
    s.alive = alive[0];
    return s;
}

static void await_met(const stage *s) {
    for (int i = 0; i < 1000 && __atomic_load_n(&s->page->n_met, __ATOMIC_SEQ_CST) < N; i++) {
        usleep(10000);
    }
    cr_assert_eq(s->page->n_met, N, "they have not met: %s", s->page->met[0]);
}

/* All processes are gone within so many ms; none is even a zombie of the starter's. */
static void wants_nobody(const stage *s, int ms, const char *after) {
    struct pollfd end = {.fd = s->alive, .events = 0};
    cr_expect(poll(&end, 1, ms) == 1, "%s: after %d ms somebody still lives", after, ms);
    kill(-s->parent, SIGKILL);
    if (s->in >= 0) close(s->in);
    kill(s->parent, SIGKILL);
    close(s->alive);
    int how;
    while (waitpid(-1, &how, 0) > 0) continue;
}

static void wants_end(const stage *s, rs_status status, const char *text) {
    cr_expect(s->page->done, "the starter did not come to its end");
    cr_expect(s->page->status == status && strcmp(s->page->text, text) == 0, "%d '%s', not '%s'",
              (int)s->page->status, s->page->text, text);
}

/* ------------------------------------------------------------------ by themselves */

Test(local_launcher, each_rank_is_told_what_torchrun_tells) {
    const stage s = set(END_WELL, NULL, false);
    wants_nobody(&s, 10000, "a good end");
    wants_end(&s, RS_OK, "");
    const char *place = strstr(s.page->words[0], "MASTER_ADDR=");
    cr_assert(place != NULL && strncmp(place, "MASTER_ADDR=127.0.0.1 MASTER_PORT=", 34) == 0);
    for (int r = 0; r < N; r++) {
        char words[200];
        snprintf(words, sizeof words, "RANK=%d WORLD_SIZE=%d LOCAL_RANK=%d %s", r, N, r, place);
        cr_assert_str_eq(s.page->words[r], words);
    }
}

Test(local_launcher, a_given_place_stays) {
    char path[64], init[80];
    snprintf(path, sizeof path, "/tmp/ringsim-start-%d", (int)getpid());
    snprintf(init, sizeof init, "file://%s", path);
    unsetenv("MASTER_PORT");
    const stage s = set(END_WELL, init, false);
    wants_nobody(&s, 10000, "a good end");
    wants_end(&s, RS_OK, "");
    cr_assert_str_eq(s.page->words[1], "RANK=1 WORLD_SIZE=4 LOCAL_RANK=1");
    cr_assert_neq(access(path, F_OK), 0);
}

/* The user's address counts where --init names one, or says env:// and MASTER_PORT is there; else the starter finds one. */
Test(local_launcher, who_gives_an_address_is_obeyed) {
    char port[8], address[40];
    int number;
    const int held = held_port(&number);
    snprintf(port, sizeof port, "%d", number);
    snprintf(address, sizeof address, "tcp://127.0.0.1:%d", number);
    const char *const inits[] = {NULL, "env://", address}, *const ports[] = {NULL, "", port};
    setenv("MASTER_ADDR", "127.0.0.1", 1);
    for (int i = 0; i < 9; i++) {
        const char *init = inits[i / 3], *given = ports[i % 3];
        const bool found = init == NULL || (init == inits[1] && given != port);
        char words[40];
        if (given == NULL) unsetenv("MASTER_PORT");
        if (given != NULL) setenv("MASTER_PORT", given, 1);
        const stage s = set(END_WELL, init, false);
        wants_nobody(&s, 10000, "a good end");
        wants_end(&s, RS_OK, "");
        snprintf(words, sizeof words, " MASTER_PORT=%s", given != NULL ? given : "");
        for (int r = 0; r < N; r++) {
            const char *told = strstr(s.page->words[r], " MASTER_PORT=");
            const bool same =
                told == NULL ? given == NULL || given[0] == '\0' : strcmp(told, words) == 0;
            cr_expect_eq(same, !found, "%d: %s", i, s.page->words[r]);
        }
    }
    close(held);
}

Test(local_launcher, one_that_ends_badly_takes_the_others_along) {
    const stage s = set(END_BADLY, NULL, false);
    wants_nobody(&s, 10000, "exit status 7");
    wants_end(&s, RS_UNSUPPORTED, "rank 2 ended with exit status 7");
}

Test(local_launcher, one_that_crashes_takes_the_others_along) {
    const stage s = set(CRASH, NULL, false);
    wants_nobody(&s, 10000, "a crash");
    wants_end(&s, RS_UNSUPPORTED, "rank 1 exited on signal 11 (Segmentation fault)");
}

Test(local_launcher, one_that_never_comes_is_named_and_ended) {
    const stage s = set(NEVER_JOIN, NULL, false);
    wants_nobody(&s, 10000, "who never met");
    bool named = false; /* by the first of them, at least, before it ended and the others with it */
    for (int r = 0; r < N; r++) {
        named =
            named || strstr(s.page->met[r], "rank 2 of 4 has not come to tcp://127.0.0.1:") != NULL;
    }
    cr_assert(named, "%s", s.page->met[0]);
    cr_assert(s.page->done && s.page->status == RS_UNSUPPORTED);
}

/* ------------------------------------------------------------------ from outside */

static void strike(wish what, int signal, int32_t whom, bool parent_dies, const char *name) {
    const stage s = set(what, NULL, parent_dies);
    await_met(&s);
    if (parent_dies) {
        kill(s.parent, signal);
    } else {
        kill(whom < 0 ? s.page->starter : s.page->ranks[whom], signal);
    }
    wants_nobody(&s, 6000, name);
}

Test(local_launcher, a_starter_that_is_told_to_end_ends_all) {
    strike(STAY, SIGTERM, -1, false, "SIGTERM");
    strike(STAY, SIGINT, -1, false, "SIGINT");
    strike(STAY, SIGHUP, -1, false, "SIGHUP");
    strike(STAY_DEAF, SIGTERM, -1, false, "SIGTERM, and ranks that do not listen");
}

Test(local_launcher, a_starter_that_is_killed_takes_all_along) {
    strike(STAY, SIGKILL, -1, false, "SIGKILL");
    strike(STAY_DEAF, SIGKILL, -1, false, "SIGKILL, deaf ranks");
}

Test(local_launcher, a_parent_that_is_killed_takes_all_along) {
    strike(STAY, SIGKILL, -1, true, "the parent's SIGKILL");
    strike(STAY_DEAF, SIGKILL, -1, true, "the parent's SIGKILL, deaf ranks");
}

Test(local_launcher, a_rank_that_is_killed_takes_all_along) {
    for (int32_t r = 0; r < N; r++) strike(STAY_DEAF, SIGKILL, r, false, "a rank's SIGKILL");
}

Test(local_launcher, ranks_that_are_stopped_are_ended_all_the_same) {
    const stage s = set(STAY, NULL, false);
    await_met(&s);
    for (int r = 0; r < N; r++) kill(s.page->ranks[r], SIGSTOP);
    kill(s.page->starter, SIGTERM);
    wants_nobody(&s, 6000, "stopped ranks");
    wants_end(&s, RS_OK, "");
}

Test(local_launcher, who_stays_when_nobody_talks_to_them_is_ended) {
    stage s = set(STAY_DEAF, NULL, false);
    await_met(&s);
    close(s.in);
    s.in = -1;
    wants_nobody(&s, 12000, "a closed input");
}

/* A kill at any moment of the start. */
Test(local_launcher, no_moment_is_a_bad_one_to_be_killed) {
    for (int i = 0; i < 60; i++) {
        const stage s = set(i % 3 == 2 ? STAY : STAY_DEAF, NULL, i % 3 == 1);
        usleep((useconds_t)(i * i * 17 % 20000));
        kill(i % 3 == 1 || s.page->starter == 0 ? s.parent : s.page->starter,
             i % 3 == 2 ? SIGTERM : SIGKILL);
        wants_nobody(&s, 6000, "a moment");
    }
}
