/* test_bootstrap_strangers.c: what others say to the port harms nobody: noise, other versions, ranks of
   another run, lies. */
#include "config.h"
#include "gpu/bootstrap/bootstrap_world.h"

#include <criterion/criterion.h>

#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(bootstrap_strangers, .fini = world_tidy);

Test(bootstrap_strangers, strangers_at_the_port_disturb_nobody) {
    world w = world_make("tcp", 3);
    w.act = world_swap_sizes;
    w.ranks[2].delay_ms = 1200;
    world_begin(&w);
    static const char http[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    char noise[1000];
    memset(noise, 0xff, sizeof noise);
    int fds[80];
    for (int i = 0; i < 80; i++) { /* more silent ones than rank 0 keeps in mind */
        fds[i] = connect_port(world_port(&w));
        if (i % 4 == 1) send(fds[i], http, sizeof http - 1, MSG_NOSIGNAL);
        if (i % 4 == 2) send(fds[i], noise, sizeof noise, MSG_NOSIGNAL);
        if (i % 4 == 3) send(fds[i], "rs meet\n12", 10, MSG_NOSIGNAL);
    }
    world_end(&w);
    for (int i = 0; i < 80; i++) close(fds[i]);
    world_wants_good(&w);
}

/* Of more silent ones than rank 0 keeps in mind it lets the oldest go, one for each that comes; the others stay. */
Test(bootstrap_strangers, of_too_many_silent_ones_the_oldest_go) {
    enum { KEPT = 64, MORE = 9 };
    world w = world_make("tcp", 2);
    w.ranks[1].delay_ms = 1500;
    world_begin(&w);
    int fds[KEPT + MORE];
    for (int i = 0; i < KEPT + MORE; i++) fds[i] = connect_port(world_port(&w));
    for (int i = 0; i < MORE; i++) { /* waits until it is let go */
        struct pollfd gone = {.fd = fds[i], .events = POLLIN};
        cr_expect_eq(poll(&gone, 1, 10000), 1, "stranger %d is kept", i);
    }
    char byte;
    cr_expect_eq(recv(fds[MORE], &byte, 1, MSG_DONTWAIT), -1, "a younger one is let go");
    cr_expect_eq(recv(fds[KEPT + MORE - 1], &byte, 1, MSG_DONTWAIT), -1);
    for (int i = 0; i < KEPT + MORE; i++) close(fds[i]);
    world_end(&w);
    world_wants_good(&w);
}

/* A hello as another version would say it: it is refused, and the others meet all the same, or tell it. */
Test(bootstrap_strangers, another_version_is_refused_and_told) {
    world worlds[4];
    for (int i = 0; i < 4; i++) {
        const int whole = i / 2;
        worlds[i] = world_make("tcp", 2 + whole);
        for (int r = 0; r < worlds[i].n; r++) {
            worlds[i].ranks[r].n_ranks = 3;
            worlds[i].ranks[r].timeout_ms = whole ? 20000 : 3000 + 1000 * r;
            worlds[i].ranks[r].delay_ms = r == 2 ? 1000 : 0;
        }
        world_begin(&worlds[i]);
    }
    for (int i = 0; i < 4; i++) {
        const int protocol = 1 + i % 2;
        const world w = worlds[i];
        const int fd = connect_port(world_port(&w));
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
    }
    world_end_all(worlds, 4);
    for (int i = 0; i < 2; i++) {
        const char *text = i == 1 ? "rank 2 is ringsim 0.0.1-old" : "another version";
        world_wants_all(&worlds[i], "rank 2 of 3 has not come to ", 6);
        world_wants_all(&worlds[i], text, 6);
        world_wants_good(&worlds[2 + i]);
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
Test(bootstrap_strangers, a_rank_left_over_from_another_run_is_refused_and_harms_nobody) {
    static const char *const strangers[][2] = {{"job", "0"}, {"other", "1"}, {NULL, NULL}};
    world runs[9], lefts[9];
    for (int i = 0; i < 9; i++) {
        const char *const *stranger = strangers[i % 3];
        world run = world_make(world_ways[i / 3], 3), left = run;
        run.act = world_swap_sizes;
        left.n = 1;
        left.ranks = mmap(NULL, sizeof(world_rank), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        left.ranks[0] = run.ranks[1];
        left.ranks[0].delay_ms = 200;
        left.ranks[0].timeout_ms = 5000;
        run.ranks[1].delay_ms = run.ranks[2].delay_ms = 700;
        set_job("job", "1");
        world_begin(&run);
        set_job(stranger[0], stranger[1]);
        world_begin(&left);
        set_job(NULL, NULL);
        runs[i] = run;
        lefts[i] = left;
    }
    for (int i = 0; i < 9; i++) {
        waitpid(lefts[i].ranks[0].pid, NULL, 0);
        world_end(&runs[i]);
        world_wants_good(&runs[i]);
        world_wants(&lefts[i], 0, "rank 1 of another run came to ", 4);
        world_wants(&lefts[i], 0, "here it is torchrun:job.1", 4);
        munmap(lefts[i].ranks, sizeof(world_rank));
    }
}

Test(bootstrap_strangers, who_was_refused_is_told_with_who_is_missing) {
    world run = world_make("tcp", 1), left = world_make("tcp", 2);
    run.ranks[0].n_ranks = 2;
    run.ranks[0].timeout_ms = 4000;
    memcpy(left.init, run.init, sizeof left.init);
    left.n = 1;
    left.ranks[0].rank = 1;
    left.ranks[0].delay_ms = 200;
    set_job("job", "1");
    world_begin(&run);
    set_job("job", "0");
    world_begin(&left);
    set_job(NULL, NULL);
    waitpid(left.ranks[0].pid, NULL, 0);
    world_end(&run);
    world_wants(&run, 0, "rank 1 of 2 has not come to ", 4);
    world_wants(&run, 0, "; refused: rank 1 of another run", 4);
}

/* Whoever has the port closes every connection. */
Test(bootstrap_strangers, who_hangs_up_is_told_from_who_is_silent) {
    for (int closes = 0; closes < 2; closes++) {
        world w = world_make("tcp", 1);
        const struct sockaddr_in at = {.sin_family = AF_INET,
                                       .sin_port = htons((uint16_t)world_port(&w)),
                                       .sin_addr = {htonl(INADDR_LOOPBACK)}};
        const int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        cr_assert_eq(bind(listener, (const struct sockaddr *)&at, sizeof at), 0);
        cr_assert_eq(listen(listener, 8), 0);
        const pid_t closer = closes ? fork() : -1;
        while (closer == 0) close(accept(listener, NULL, NULL));
        w.ranks[0].rank = 1;
        w.ranks[0].n_ranks = 2;
        w.ranks[0].timeout_ms = 300;
        world_run(&w);
        if (closer > 0) kill(closer, SIGKILL);
        if (closer > 0) waitpid(closer, NULL, 0);
        close(listener);
        world_wants(&w, 0, closes ? "who listens there hangs up" : "who listens there is silent",
                    3);
    }
}

static rs_status swap_once(rg_bootstrap *bootstrap, const world_rank *me, rs_error *error) {
    return world_swap(bootstrap, me, 1000, 5, error);
}

/* Every byte that is no letter, in what a stranger says of itself, and in the reason why a rank fails. */
Test(bootstrap_strangers, what_another_process_says_is_one_printable_line) {
    world worlds[3];
    for (int i = 0; i < 3; i++) {
        worlds[i] = world_make("tcp", 2);
        for (int r = 0; r < 2; r++) {
            worlds[i].ranks[r].n_ranks = 3;
            worlds[i].ranks[r].timeout_ms = 5000 + 3000 * r;
        }
        worlds[i].act = swap_once;
        world_begin(&worlds[i]);
    }
    for (int i = 0; i < 3; i++) {
        const world w = worlds[i];
        const int fd = connect_port(world_port(&w));
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
        if (i < 2) cr_expect(memmem(answer, n, "????", 4) != NULL);
        if (i < 2) cr_expect(memmem(answer, n, "\033", 1) == NULL, "the refused reads it, too");
    }
    world_end_all(worlds, 3);
    for (int i = 0; i < 3; i++) {
        world_wants_all(&worlds[i], "????", 8);
        for (int r = 0; r < 2; r++) {
            for (const char *c = worlds[i].ranks[r].text; *c != '\0'; c++) {
                cr_expect(*c >= ' ' && *c < 127, "case %d: byte %d in '%s'", i, *c,
                          worlds[i].ranks[r].text);
            }
        }
    }
}

/* Whoever has said a good hello and then announces gigabytes, or talks nonsense, is believed nothing. */
Test(bootstrap_strangers, a_length_from_the_wire_is_not_believed) {
    for (int turn = 0; turn < 3; turn++) {
        world w = world_make("tcp", 2);
        for (int r = 0; r < 2; r++) w.ranks[r].n_ranks = 3;
        w.act = swap_once;
        world_begin(&w);
        const int fd = connect_port(world_port(&w));
        char hello[192] = "rs meet\n", head[32] = "rs part\n";
        const int64_t protocol = 2, numbers[] = {3, 2};
        const int64_t lies[3][3] = {{4, 1, INT64_MAX}, {3, 1, INT64_MAX}, {INT64_MIN, -1, -1}};
        memcpy(hello + 8, &protocol, 8);
        strncpy(hello + 16, RINGSIM_VERSION, 31);
        memcpy(hello + 48, numbers, 16);
        memcpy(head + 8, lies[turn], 24);
        send(fd, hello, sizeof hello, MSG_NOSIGNAL);
        send(fd, head, sizeof head, MSG_NOSIGNAL);
        world_end(&w);
        close(fd);
        world_wants_all(
            &w, turn == 0 ? "rank 2 gives 9223372036854775807 bytes" : "rank 2 of 3 talks nonsense",
            4);
    }
}

/* Somebody else listens at the port: silent, or with a banner. */
Test(bootstrap_strangers, a_port_that_is_taken_is_told) {
    for (int banner = 0; banner < 2; banner++) {
        world w = world_make("tcp", 2);
        const int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
        struct sockaddr_in here = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)world_port(&w)),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        cr_assert_eq(bind(listener, (struct sockaddr *)&here, sizeof here), 0);
        cr_assert_eq(listen(listener, 16), 0);
        const pid_t stranger = fork();
        while (stranger == 0) {
            const int fd = accept(listener, NULL, NULL);
            if (banner) send(fd, "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n", 41, MSG_NOSIGNAL);
        }
        for (int r = 0; r < 2; r++) w.ranks[r].timeout_ms = 5000;
        world_run(&w);
        kill(stranger, SIGKILL);
        waitpid(stranger, NULL, 0);
        close(listener);
        world_wants(&w, 0, "is in use by another program", 9);
        world_wants(&w, 1, banner ? "is no rank 0 of ringsim" : "who listens there is silent", 4);
    }
}
