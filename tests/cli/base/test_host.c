/* test_host.c: what the program offers the library: cores side by side, and honest limits. */
#include "base/host.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 300 };

typedef struct tally {
    atomic_int seen[MOST];
    int64_t plain[MOST]; /* each written by one task alone */
} tally;

static void count(void *argument, int index) {
    tally *t = argument;
    atomic_fetch_add(&t->seen[index], 1);
    t->plain[index] += index;
}

Test(host, every_task_of_every_round_is_done_once_before_the_round_returns) {
    rc_host *host = rc_host_new();
    const rs_host *face = rc_host_face(host);
    static tally t;
    for (int round = 1; round <= 3000; round++) {
        const int n = round % (MOST + 1);
        memset(&t, 0, sizeof t);
        face->parallel_for(face->context, n, count, &t);
        for (int i = 0; i < MOST; i++) {
            cr_assert_eq(atomic_load(&t.seen[i]), i < n, "round %d, task %d", round, i);
            cr_assert_eq(t.plain[i], i < n ? i : 0);
        }
    }
    rc_host_free(host);
}

/* Waits until another task has come, too: without one, for two seconds. */
static void meet(void *argument, int index) {
    tally *t = argument;
    const struct timespec pause = {.tv_nsec = 1000000};
    atomic_fetch_add(&t->seen[0], 1);
    for (int i = 0; i < 2000 && atomic_load(&t->seen[0]) < 2; i++) nanosleep(&pause, NULL);
    t->plain[index] = atomic_load(&t->seen[0]);
}

Test(host, two_tasks_run_side_by_side_where_there_are_cores) {
    rc_host *host = rc_host_new();
    const rs_host *face = rc_host_face(host);
    static tally t;
    if (face->n_workers < 2) cr_skip("one core");
    face->parallel_for(face->context, 2, meet, &t);
    cr_expect(t.plain[0] == 2 && t.plain[1] == 2, "%d and %d were there", (int)t.plain[0],
              (int)t.plain[1]);
    rc_host_free(host);
}

Test(host, hosts_come_and_go_with_and_without_work) {
    static tally t;
    for (int i = 0; i < 50; i++) {
        rc_host *host = rc_host_new();
        const rs_host *face = rc_host_face(host);
        if (i % 2 == 0) face->parallel_for(face->context, MOST, count, &t);
        rc_host_free(host);
    }
    cr_expect_eq(atomic_load(&t.seen[0]), 25);
    rc_host_free(NULL);
}

Test(host, tells_cores_and_memory_as_positive_numbers) {
    cr_expect_geq(rc_cores(), 1);
    cr_expect_gt(rc_memory_bytes(), (int64_t)1 << 20);
    rc_host *host = rc_host_new();
    cr_expect_geq(rc_host_face(host)->n_workers, 1);
    cr_expect(rc_host_face(host)->progress(host, "counting", 1, 2), "nobody has cancelled");
    rc_host_free(host);
}

Test(host, shows_progress_after_a_second_on_a_terminal_and_once_a_minute_elsewhere) {
    const int64_t second = 1000000000;
    cr_expect_not(rc_progress_due(true, second - 1, 0));
    cr_expect(rc_progress_due(true, second, 0));
    cr_expect_not(rc_progress_due(true, 2 * second, 2 * second - second / 20));
    cr_expect_not(rc_progress_due(true, 2 * second, 2 * second - second / 10 + 1));
    cr_expect(rc_progress_due(true, 2 * second, 2 * second - second / 10));
    cr_expect_not(rc_progress_due(false, 60 * second - 1, 0));
    cr_expect(rc_progress_due(false, 60 * second, 0));
    cr_expect_not(rc_progress_due(false, 100 * second, 60 * second));
    cr_expect(rc_progress_due(false, 120 * second, 60 * second));
}

/* What a run of a second and more draws on its terminal, a piece of progress every tenth of a second. */
static void draw_shares(int terminal) {
    const struct timespec second = {1, 50000000}, tenth = {0, 110000000};
    dup2(terminal, STDERR_FILENO);
    rc_host *host = rc_host_new();
    const rs_host *face = rc_host_face(host);
    nanosleep(&second, NULL);
    for (int done = 0; done <= 7; done++) {
        if (done == 3) rc_host_needs(host, 0.9e9); /* little */
        if (done == 4) rc_host_needs(host, 12.94e9);
        if (done == 6) rc_host_needs(host, 2e9); /* the most counts */
        face->progress(face->context, "a long work", done, 7);
        nanosleep(&tenth, NULL);
    }
    rc_host_quiet(host);
    _exit(0);
}

Test(host, draws_a_bar_that_is_as_full_as_the_work_is_done) {
    static char drawn[4096], want[4096];
    int status;
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
        cr_skip("no pseudo terminal");
    const int program = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    size_t n = 0, used = 0;
    const pid_t pid = fork();
    if (pid == 0) draw_shares(program);
    close(program);
    for (ssize_t got; n < sizeof drawn - 1; n += (size_t)got) {
        got = read(terminal, drawn + n, sizeof drawn - 1 - n);
        if (got <= 0) break; /* the other end is closed */
    }
    waitpid(pid, &status, 0);
    for (int done = 0; done <= 7; done++) {
        used += (size_t)snprintf(want + used, sizeof want - used,
                                 "\r\033[Ka long work [%.*s%.*s] %3d %%%s", done * 30 / 7,
                                 "##############################", 30 - done * 30 / 7,
                                 "..............................", done * 100 / 7,
                                 done < 4 ? "" : ", 12.9 GB of memory");
    }
    snprintf(want + used, sizeof want - used, "\r\033[K");
    cr_expect_str_eq(drawn, want);
}

Test(host, counts_what_a_limit_of_its_own_leaves) {
    const struct rlimit limit = {(rlim_t)1 << 33, (rlim_t)1 << 33};
    rs_error error = {.text = ""};
    rc_host *host = rc_host_new();
    cr_expect_eq(rc_need_memory(host, 1e6, "a test", "take less", &error), RC_GOOD);
    cr_expect_eq(rc_need_memory(host, 1e18, "a test", "take less", &error), RC_LACKS);
    cr_expect(strstr(error.text, "a test takes 1000000000.0 GB of memory") == error.text, "%s",
              error.text);
    long long pages = 0;
    FILE *size = fopen("/proc/self/statm", "r");
    const bool known = size != NULL && fscanf(size, "%lld", &pages) == 1;
    if (size != NULL) fclose(size);
    if (known && pages < 1 << 20) { /* a sanitizer has all addresses, and dies of the limit */
        cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
        cr_expect_lt(rc_memory_bytes(), (int64_t)1 << 33);
    }
    rc_host_free(host);
}

Test(host, heeds_a_signal_that_the_library_never_heard_of) {
    rc_host *host = rc_host_new();
    rs_error error = {.text = ""};
    rc_host_watch(host, true);
    cr_expect_eq(rc_host_heed(RC_NO, &error), RC_NO);
    raise(SIGTERM);
    rc_host_watch(host, false);
    cr_expect_eq(rc_host_heed(RC_USAGE, &error), RC_USAGE, "an error stays what it is");
    cr_expect_str_empty(error.text);
    cr_expect_eq(rc_host_heed(RC_GOOD, &error), RC_CANCELLED);
    cr_expect_str_eq(error.text, "cancelled; nothing was written");
    cr_expect_eq(rc_host_signal(), SIGTERM);
    rc_host_free(host);
}
