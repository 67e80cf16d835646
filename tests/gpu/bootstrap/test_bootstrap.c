/* test_bootstrap.c: ranks find each other by the environment, an address or a file, in any order,
   at the same time, again and again, and exchange what they have. */
#include "gpu/bootstrap/bootstrap_world.h"

#include <criterion/criterion.h>

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(bootstrap, .fini = world_tidy);

static rs_status swap_often(rg_bootstrap *bootstrap, const world_rank *me, rs_error *error) {
    rs_status status = RS_OK;
    for (int i = 0; i < 300 && status == RS_OK; i++) {
        status = world_swap(bootstrap, me, (size_t)(i * 37 % 1000), i, error);
    }
    return status;
}

static rs_status swap_much(rg_bootstrap *bootstrap, const world_rank *me, rs_error *error) {
    rs_status status = world_swap(bootstrap, me, (size_t)12 << 20, 1, error);
    return status == RS_OK ? world_swap(bootstrap, me, 16, 2, error) : status;
}

static void join_all(const char *way) {
    for (int n = 1; n <= 8; n++) {
        world w = world_make(way, n);
        w.act = world_swap_sizes;
        for (int r = 0; r < n; r++) w.ranks[r].delay_ms = (r * 37 + n * 11) % 5 * 20;
        world_run(&w);
        world_wants_good(&w);
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
        *w = world_make(world_ways[i / 3], 3);
        w->act = world_swap_sizes;
        for (int r = 0; r < 3; r++) w->ranks[r].delay_ms = (r + i) % 3 * 300;
        world_begin(w);
    }
    world_end_all(worlds, 9);
    for (int i = 0; i < 9; i++) world_wants_good(&worlds[i]);
}

Test(bootstrap, hundreds_of_exchanges) {
    for (int i = 0; i < 3; i++) {
        world w = world_make(world_ways[i], 4);
        w.act = swap_often;
        world_run(&w);
        world_wants_good(&w);
    }
}

Test(bootstrap, many_megabytes_go_through) {
    for (int i = 1; i < 3; i++) {
        world w = world_make(world_ways[i], 3);
        w.act = swap_much;
        for (int r = 0; r < 3; r++) w.ranks[r].timeout_ms = 60000;
        world_run(&w);
        world_wants_good(&w);
    }
}

Test(bootstrap, an_ipv6_address_in_brackets) {
    const int fd = socket(AF_INET6, SOCK_STREAM, 0);
    const struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    const bool has = fd >= 0 && bind(fd, (const struct sockaddr *)&any, sizeof any) == 0;
    if (fd >= 0) close(fd);
    if (!has) cr_skip_test("this machine has no IPv6");
    world w = world_make("tcp", 2);
    snprintf(w.init, sizeof w.init, "tcp://[::1]:%d", world_port(&w));
    w.act = world_swap_sizes;
    world_run(&w);
    world_wants_good(&w);
}

Test(bootstrap, a_name_of_a_host) {
    world w = world_make("tcp", 3);
    snprintf(w.init, sizeof w.init, "tcp://localhost:%d", world_port(&w));
    w.act = world_swap_sizes;
    world_run(&w);
    world_wants_good(&w);
}

/* The place is used again at once, by the same processes and by others. */
static rs_status again(rg_bootstrap *bootstrap, const world_rank *me, rs_error *error) {
    return world_swap(bootstrap, me, 1000, 5, error);
}

static void join_twice(const char *way) {
    world w = world_make(way, 4);
    for (int i = 0; i < 4; i++) {
        const pid_t pid = fork();
        if (pid != 0) w.ranks[i].pid = pid;
        if (pid != 0) continue;
        world_rank *me = &w.ranks[i];
        rs_error error = {.text = ""};
        for (int turn = 0; turn < 10 && me->status == RS_OK; turn++) {
            rg_bootstrap *bootstrap = NULL;
            me->status =
                rg_bootstrap_join(w.init, me->rank, 4, WORLD_TIMEOUT_MS, &error, &bootstrap);
            if (me->status == RS_OK) me->status = again(bootstrap, me, &error);
            rg_bootstrap_leave(bootstrap);
        }
        memcpy(me->text, error.text, sizeof me->text);
        me->ended = true;
        _exit(0);
    }
    world_end(&w);
    world_wants_good(&w);
}

Test(bootstrap, ten_bootstraps_one_after_another_at_one_place) {
    for (int i = 0; i < 3; i++) join_twice(world_ways[i]);
}

Test(bootstrap, bootstraps_at_the_same_time_do_not_see_each_other) {
    world w[6];
    for (int i = 0; i < 6; i++) {
        w[i] = world_make(world_ways[1 + i % 2], 3);
        w[i].act = swap_often;
        world_begin(&w[i]);
    }
    for (int i = 0; i < 6; i++) {
        world_end(&w[i]);
        world_wants_good(&w[i]);
    }
}

Test(bootstrap, nothing_is_left_of_a_file) {
    world w = world_make("file", 4);
    w.act = world_swap_sizes;
    world_begin(&w);
    for (int i = 0; i < 4; i++) waitpid(w.ranks[i].pid, NULL, 0);
    cr_assert_neq(access(world_path(w.init), F_OK), 0);
    world_wants_good(&w);
}
