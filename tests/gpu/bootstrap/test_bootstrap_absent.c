/* test_bootstrap_absent.c: who never comes, comes wrongly, goes or is late is named to all whom it
   concerns. */
#include "gpu/bootstrap/bootstrap_world.h"

#include <criterion/criterion.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(bootstrap_absent, .fini = world_tidy);

Test(bootstrap_absent, who_never_comes_is_named_to_all) {
    world worlds[3];
    for (int i = 0; i < 3; i++) {
        world *w = &worlds[i];
        *w = world_make(world_ways[i], 3); /* rank 3 of 4 is missing */
        for (int r = 0; r < 3; r++) {
            w->ranks[r] = (world_rank){.rank = r, .n_ranks = 4, .timeout_ms = 4000 + 4000 * r};
        }
        world_begin(w);
    }
    world_end_all(worlds, 3);
    for (int i = 0; i < 3; i++) {
        world_wants_all(&worlds[i], "rank 3 of 4 has not come to ", 5);
        world_wants_all(&worlds[i], " within 4 s", 5); /* the first who gives up says it for all */
    }
}

Test(bootstrap_absent, several_who_never_come_are_named) {
    world worlds[3];
    for (int i = 0; i < 3; i++) {
        worlds[i] = world_make(world_ways[i], 1);
        worlds[i].ranks[0] = (world_rank){.rank = 0, .n_ranks = 4, .timeout_ms = 300};
        world_begin(&worlds[i]);
    }
    world_end_all(worlds, 3);
    for (int i = 0; i < 3; i++)
        world_wants_all(&worlds[i], "ranks 1, 2, 3 of 4 have not come to ", 4);
}

Test(bootstrap_absent, rank_0_that_never_comes_is_named) {
    world worlds[3];
    for (int i = 0; i < 3; i++) {
        worlds[i] = world_make(world_ways[i], 2);
        for (int r = 0; r < 2; r++) {
            worlds[i].ranks[r] = (world_rank){.rank = r + 1, .n_ranks = 3, .timeout_ms = 3000};
        }
        world_begin(&worlds[i]);
    }
    world_end_all(worlds, 3);
    for (int i = 0; i < 3; i++) world_wants_all(&worlds[i], "rank 0 of 3 has not come to ", 4);
}

Test(bootstrap_absent, who_has_no_address_of_rank_0_is_told_what_other_machines_need) {
    for (int named = 0; named < 2; named++) {
        world w = world_make("env", 1);
        if (named) setenv("MASTER_ADDR", "127.0.0.1", 1);
        w.ranks[0] = (world_rank){.rank = 1, .n_ranks = 2, .timeout_ms = 300};
        world_begin(&w);
        world_end_all(&w, 1);
        const char *text = w.ranks[0].text;
        cr_expect(strstr(text, "rank 0 of 2 has not come to tcp://127.0.0.1:") != NULL, "%s", text);
        cr_expect_eq(strstr(text, "need MASTER_ADDR") == NULL, named, "%s", text);
        unsetenv("MASTER_ADDR");
    }
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

/* The last rank comes when the wrong one has ended, however slow the machine is. */
static void come_last(world_rank *me) {
    for (int i = 0; i < 1500 && me->n_until > 0 && !me[1].ended; i++) usleep(10000);
}

/* A fourth process comes wrongly after rank 0, and before the last rank. */
Test(bootstrap_absent, who_comes_wrongly_is_refused_and_the_others_meet) {
    world worlds[3 * N_WRONG];
    for (int i = 0; i < 3 * N_WRONG; i++) {
        world *w = &worlds[i];
        *w = world_make(world_ways[i / N_WRONG], 4);
        w->act = world_swap_sizes;
        w->before = come_last;
        w->ranks[1].delay_ms = i % 2 == 0 ? 50 : 1100;
        w->ranks[2].n_until = 1;
        for (int r = 0; r < 3; r++) w->ranks[r].n_ranks = 3;
        if (wrong[i % N_WRONG].rank == 1) w->ranks[1].delay_ms = 50;
        w->ranks[3].rank = wrong[i % N_WRONG].rank;
        w->ranks[3].n_ranks = wrong[i % N_WRONG].n_ranks;
        w->ranks[3].delay_ms = 600;
        world_begin(w);
    }
    world_end_all(worlds, 3 * N_WRONG);
    for (int i = 0; i < 3 * N_WRONG; i++) {
        world_wants(&worlds[i], 3, wrong[i % N_WRONG].told, 8);
        worlds[i].n = 3;
        world_wants_good(&worlds[i]);
    }
}

/* He took the place of rank 2, which then never comes. */
Test(bootstrap_absent, who_came_wrongly_is_told_to_those_who_wait_in_vain) {
    world worlds[3 * N_WRONG];
    for (int i = 0; i < 3 * N_WRONG; i++) {
        world *w = &worlds[i];
        *w = world_make(world_ways[i / N_WRONG], 3);
        for (int r = 0; r < 2; r++) w->ranks[r].timeout_ms = 6000 + 3000 * r;
        w->ranks[2].rank = wrong[i % N_WRONG].rank;
        w->ranks[2].n_ranks = wrong[i % N_WRONG].n_ranks;
        w->ranks[2].delay_ms = 1500;
        world_begin(w);
    }
    world_end_all(worlds, 3 * N_WRONG);
    for (int i = 0; i < 3 * N_WRONG; i++) {
        world_wants_all(&worlds[i], wrong[i % N_WRONG].told, 10);
        for (int r = 0; r < 2; r++) {
            world_wants(&worlds[i], r, "rank 2 of 3 has not come to ", 10);
            world_wants(&worlds[i], r, "; refused: ", 10);
        }
    }
}

/* ------------------------------------------------------------------ who goes, and who is late */

static rs_status die_in_the_middle(rg_bootstrap *bootstrap, const world_rank *me, rs_error *error) {
    const rs_status status = world_swap(bootstrap, me, 100, 0, error);
    if (me->rank == 2) kill(getpid(), SIGKILL);
    return status == RS_OK ? world_swap(bootstrap, me, 100000, 1, error) : status;
}

static rs_status leave_early(rg_bootstrap *bootstrap, const world_rank *me, rs_error *error) {
    const rs_status status = world_swap(bootstrap, me, 100, 0, error);
    if (me->rank == 0 || status != RS_OK) return status;
    return world_swap(bootstrap, me, 100000, 1, error);
}

static rs_status be_late(rg_bootstrap *bootstrap, const world_rank *me, rs_error *error) {
    world_rank hurried = *me;
    hurried.timeout_ms = 3000;
    for (int i = 0; i < 3000 && me->rank == 1 && !(me[-1].ended && me[1].ended); i++) usleep(10000);
    return world_swap(bootstrap, &hurried, 100, 1, error);
}

Test(bootstrap_absent, a_rank_that_dies_is_named_at_once) {
    for (int i = 0; i < 3; i++) {
        world w = world_make(world_ways[i], 4);
        w.act = die_in_the_middle;
        world_run(&w);
        for (int r = 0; r < 4; r++) {
            if (r != 2) world_wants(&w, r, "rank 2 of 4 has gone", 5);
        }
    }
}

Test(bootstrap_absent, a_rank_that_leaves_too_early_is_named) {
    for (int i = 0; i < 3; i++) {
        world w = world_make(world_ways[i], 3);
        w.act = leave_early;
        world_run(&w);
        for (int r = 1; r < 3; r++) world_wants(&w, r, "rank 0 of 3 has gone", 5);
    }
}

Test(bootstrap_absent, a_rank_that_dies_while_others_are_awaited_is_named) {
    world worlds[5]; /* in the last two rank 0 dies */
    for (int i = 0; i < 5; i++) {
        worlds[i] = world_make(world_ways[i % 3], 4);
        for (int r = 0; r < 3; r++) worlds[i].ranks[r].n_ranks = 4; /* rank 3 comes wrongly */
        worlds[i].ranks[3].n_ranks = 5;
        worlds[i].ranks[3].delay_ms = 200;
        world_begin(&worlds[i]);
    }
    usleep(4000000);
    for (int i = 0; i < 5; i++) kill(worlds[i].ranks[i < 3].pid, SIGKILL);
    world_end_all(worlds, 5);
    for (int i = 0; i < 5; i++) {
        const char *gone = i < 3 ? "rank 1 of 4 has gone" : "rank 0 of 4 has gone";
        world_wants(&worlds[i], i < 3 ? 0 : 1, gone, 8);
        world_wants(&worlds[i], 2, gone, 8);
        for (int r = 0; i < 2 && r < 3; r += 2) {
            world_wants(&worlds[i], r, "; refused: rank 3 ", 8);
        }
    }
}

Test(bootstrap_absent, a_rank_that_is_late_for_an_exchange_is_named_to_all) {
    world worlds[3];
    for (int i = 0; i < 3; i++) {
        worlds[i] = world_make(world_ways[i], 3);
        worlds[i].act = be_late;
        world_begin(&worlds[i]);
    }
    world_end_all(worlds, 3);
    for (int i = 0; i < 3; i++) world_wants_all(&worlds[i], "rank 1 of 3 has not answered at ", 8);
}

/* Somebody holds the file's lock for a moment, again and again, also when the time is over: that is no stopped process. */
Test(bootstrap_absent, a_lock_that_is_held_for_a_moment_is_not_blamed) {
    world w = world_make("file", 3);
    w.act = be_late;
    world_begin(&w);
    const pid_t holder = fork();
    if (holder == 0) {
        int fd = -1;
        while (fd < 0) fd = open(w.init + strlen("file://"), O_RDWR);
        for (;; usleep(1000)) {
            struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
            fcntl(fd, F_SETLKW, &lock);
            usleep(20000);
            lock.l_type = F_UNLCK;
            fcntl(fd, F_SETLK, &lock);
        }
    }
    world_end(&w);
    kill(holder, SIGKILL);
    waitpid(holder, NULL, 0);
    world_wants_all(&w, "rank 1 of 3 has not answered at ", 8);
}

static rs_status give_other_sizes(rg_bootstrap *bootstrap, const world_rank *me, rs_error *error) {
    return world_swap(bootstrap, me, me->rank == 1 ? 24 : 16, 0, error);
}

Test(bootstrap_absent, ranks_that_run_different_jobs_are_told_so) {
    for (int i = 0; i < 3; i++) {
        world w = world_make(world_ways[i], 3);
        w.act = give_other_sizes;
        world_run(&w);
        world_wants_all(&w, "they run different jobs", 4);
    }
}
