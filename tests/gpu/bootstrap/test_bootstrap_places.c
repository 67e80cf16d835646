/* test_bootstrap_places.c: files and addresses at which no ranks can meet, each told in one line. */
#include "gpu/bootstrap/bootstrap_world.h"

#include <criterion/criterion.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(bootstrap_places, .fini = world_tidy);

static void wants_file_error(world *w, const char *text) {
    world_begin(w);
    for (int i = 0; i < w->n; i++) waitpid(w->ranks[i].pid, NULL, 0);
    world_wants_all(w, text, 4);
}

Test(bootstrap_places, a_foreign_file_is_left_as_it_is) {
    static const char *const contents[] = {"my thesis\n", "ringsim meeting\n", "x"};
    for (int i = 0; i < 3; i++) {
        world w = world_make("file", 2);
        FILE *file = fopen(world_path(w.init), "w");
        fputs(contents[i], file);
        fclose(file);
        wants_file_error(&w, "holds something else; it is left as it is");
        char text[100] = "";
        file = fopen(world_path(w.init), "r");
        cr_assert_neq(file, NULL);
        cr_assert_eq(fread(text, 1, sizeof text, file), strlen(contents[i]));
        fclose(file);
        cr_assert_str_eq(text, contents[i]);
    }
}

Test(bootstrap_places, an_empty_file_will_do) {
    world w = world_make("file", 3);
    fclose(fopen(world_path(w.init), "w"));
    w.act = world_swap_sizes;
    world_run(&w);
    world_wants_good(&w);
}

static rs_status die_all(rg_bootstrap *bootstrap, const world_rank *me, rs_error *error) {
    const rs_status status = world_swap(bootstrap, me, 100, 0, error);
    kill(getpid(), SIGKILL);
    return status;
}

Test(bootstrap_places, a_stale_file_is_told_and_left) {
    for (int n = 2; n < 5; n++) { /* of as many ranks, and of others */
        world w = world_make("file", 3);
        w.act = die_all;
        world_begin(&w);
        for (int i = 0; i < 3; i++) waitpid(w.ranks[i].pid, NULL, 0);
        world next = world_make("file", n);
        memcpy(next.init, w.init, sizeof next.init);
        wants_file_error(&next, "is stale: left by a run of 3 ranks of ");
        cr_assert_eq(access(world_path(w.init), F_OK), 0);
        unlink(world_path(w.init));
        next.act = world_swap_sizes;
        world_run(&next);
        world_wants_good(&next);
    }
}

/* The file of a bootstrap that waits is cut to any length: who waits and who comes then both say so. */
Test(bootstrap_places, a_file_that_was_cut_is_told) {
    static const int lengths[] = {1, 15, 16, 24, 57, 64, 65, 200, 591, 600, 719, 720, 800};
    enum { N = sizeof lengths / sizeof *lengths };
    world worlds[N];
    for (int i = 0; i < N; i++) {
        worlds[i] = world_make("file", 2);
        worlds[i].act = world_swap_sizes;
        worlds[i].ranks[1].delay_ms = 5000;
        world_begin(&worlds[i]);
    }
    for (int i = 0; i < N; i++) {
        struct stat about = {0};
        for (int k = 0; k < 400 && about.st_size <= lengths[i]; k++) {
            usleep(10000);
            if (stat(world_path(worlds[i].init), &about) != 0) about.st_size = 0;
        }
        cr_assert_lt(lengths[i], about.st_size, "rank 0 has not begun");
        cr_assert_eq(truncate(world_path(worlds[i].init), lengths[i]), 0);
    }
    world_end_all(worlds, N);
    for (int i = 0; i < N; i++) {
        world_wants(&worlds[i], 0, "cannot read it: ", 8);
        world_wants(&worlds[i], 1, "file://", 8);
    }
}

Test(bootstrap_places, what_is_no_file_is_told) {
    world w = world_make("file", 2);
    mkdir(world_path(w.init), 0700);
    wants_file_error(&w, "Is a directory");
    rmdir(world_path(w.init));
    mkfifo(world_path(w.init), 0600);
    wants_file_error(&w, "is no ordinary file");
    unlink(world_path(w.init));
    snprintf(w.init, sizeof w.init, "file:///nowhere/at/all");
    wants_file_error(&w, "No such file or directory");
    snprintf(w.init, sizeof w.init, "file:///dev/null");
    wants_file_error(&w, "is no ordinary file");
}

Test(bootstrap_places, a_file_that_may_not_be_written_is_told) {
    world w = world_make("file", 2);
    fclose(fopen(world_path(w.init), "w"));
    chmod(world_path(w.init), 0400);
    if (geteuid() == 0) { /* root may write everywhere: somebody else tries */
        chmod(world_folder(), 0755);
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

Test(bootstrap_places, a_file_that_stays_locked_names_the_process) {
    world w = world_make("file", 1);
    w.ranks[0].timeout_ms = 300;
    const int fd = open(world_path(w.init), O_RDWR | O_CREAT, 0600);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    cr_assert_eq(fcntl(fd, F_SETLK, &lock), 0);
    world_run(&w);
    close(fd);
    char text[64];
    snprintf(text, sizeof text, "by process %ld", (long)getpid());
    world_wants(&w, 0, text, 2);
}

/* ------------------------------------------------------------------ addresses */

static void wants_bad(const char *init, const char *text) {
    rs_error error = {.text = ""};
    rg_bootstrap *bootstrap;
    cr_expect_eq(rg_bootstrap_join(init, 0, 1, 500, &error, &bootstrap), RS_BAD_INPUT,
                 "%s is taken", init);
    cr_expect(strstr(error.text, text) != NULL, "%s: '%s', not '%s'", init, error.text, text);
}

Test(bootstrap_places, a_bad_address_is_told) {
    wants_bad("tcp://127.0.0.1", "no port; write");
    wants_bad("tcp://", "no port; write");
    wants_bad("tcp://127.0.0.1:", ":: a port is a number");
    wants_bad("tcp://127.0.0.1:0", ":0: a port is a number");
    wants_bad("tcp://127.0.0.1:65536", ":65536: a port is a number");
    wants_bad("tcp://127.0.0.1:99999999999", ":99999999999: a port is a number");
    wants_bad("tcp://127.0.0.1:29500x", ":29500x: a port is a number");
    wants_bad("tcp://127.0.0.1:-1", ":-1: a port is a number");
    wants_bad("tcp://127.0.0.1:29500/", ":29500/: a port is a number");
    wants_bad("tcp://::1:29500", "brackets");
    wants_bad("tcp://[::1]", "no port; write");
    wants_bad("tcp://[::1:29500", "no port; write");
    wants_bad("tcp://a/b:29500", "no name of a machine");
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

Test(bootstrap_places, no_host_is_this_machine) {
    rs_error error = {.text = ""};
    rg_bootstrap *bootstrap;
    cr_expect_eq(rg_bootstrap_join("tcp://:29499", 1, 2, 300, &error, &bootstrap), RS_UNSUPPORTED);
    cr_expect(strstr(error.text, "tcp://127.0.0.1:29499 ") != NULL, "%s", error.text);
}

/* Holds a port, as held_port does; false: somebody else has it. */
static bool hold(int port) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    const struct sockaddr_in any = {.sin_family = AF_INET,
                                    .sin_port = htons((uint16_t)port),
                                    .sin_addr.s_addr = htonl(INADDR_ANY)};
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    return bind(fd, (const struct sockaddr *)&any, sizeof any) == 0;
}

Test(bootstrap_places, torchruns_own_store_keeps_its_port) {
    world w = world_make("env", 2);
    for (int i = 0; i < 100 && !hold(atoi(getenv("MASTER_PORT")) + 1); i++)
        w = world_make("env", 2);
    setenv("TORCHELASTIC_USE_AGENT_STORE", "True", 1);
    for (int r = 0; r < 2; r++)
        w.ranks[r] = (world_rank){.rank = r, .n_ranks = 3, .timeout_ms = 300};
    char text[32];
    snprintf(text, sizeof text, ":%d within", atoi(getenv("MASTER_PORT")) + 1);
    world_run(&w);
    world_wants_all(&w, text, 3);
}
