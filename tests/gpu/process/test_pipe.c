/* test_pipe.c: a started program and frames to and from it: what goes through `cat` comes back as it was, however it
 * is cut; who is gone, silent or talks nonsense is known as that, and at once.
 */
#include "process/pipe.h"
#include "support/never.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int64_t second_ps = 1000000000000;
static rs_error error;

static rg_child start(const char *script) {
    char text[200];
    char *const words[] = {"sh", "-c", text, NULL};
    rg_child child;
    snprintf(text, sizeof text, "%s", script);
    cr_assert_eq(rg_child_start(words, &error, &child), RS_OK, "%s", error.text);
    return child;
}

static int64_t soon(int seconds) {
    return rg_now_ps() + seconds * second_ps;
}

static rg_writer frame(rg_frame kind, int64_t number, size_t n_bytes) {
    rg_writer writer = {0};
    char *bytes = malloc(n_bytes + 1);
    cr_assert_not_null(bytes);
    for (size_t i = 0; i < n_bytes; i++) bytes[i] = (char)(i * 31 + (size_t)number);
    rg_begin_frame(&writer, kind);
    rg_put(&writer, number);
    rg_put_bytes(&writer, bytes, n_bytes);
    rg_end_frame(&writer);
    cr_assert_not(writer.bad);
    free(bytes);
    return writer;
}

/* Frames of many sizes, two at a time, through a program that returns them in parts of any size. */
Test(pipe, what_goes_through_comes_back_as_it_was) {
    static const char *const programs[] = {"exec cat", "exec dd bs=7 status=none"};
    static const size_t sizes[] = {0, 1, 7, 8, 100, 4096, 20000, 60000};
    for (int p = 0; p < 2; p++) {
        rg_child child = start(programs[p]);
        for (int i = 0; i < (p == 0 ? 8 : 5); i++) {
            rg_writer one = frame(RG_FRAME_JOB, i, sizes[i]);
            rg_writer two = frame(RG_FRAME_RESULT, -i, sizes[7 - i] / 8);
            cr_assert(rg_write_frame(child.in, &one, soon(20)));
            cr_assert(rg_write_frame(child.in, &two, soon(20)));
            for (int k = 0; k < 2; k++) {
                const rg_writer *sent = k == 0 ? &one : &two;
                rg_frame kind;
                rg_reader reader;
                cr_assert_eq(rg_child_receive(&child, soon(20), NULL, "", &kind, &reader),
                             RG_PIPE_FRAME);
                cr_assert_eq(kind, k == 0 ? RG_FRAME_JOB : RG_FRAME_RESULT);
                cr_assert_eq(child.taken, sent->n);
                cr_assert_arr_eq(child.bytes, sent->bytes, sent->n);
                cr_expect_eq(rg_get(&reader), k == 0 ? i : -i);
            }
            free(one.bytes);
            free(two.bytes);
        }
        rg_child_end(&child, true);
    }
}

/* More than a pipe holds to somebody who is gone, or never reads: not sent; the first is known at once. */
Test(pipe, who_does_not_read_is_known) {
    rg_writer large = frame(RG_FRAME_JOB, 1, 1 << 20);
    rg_child child = start("exit 3");
    const int64_t start_ps = rg_now_ps();
    cr_expect_not(rg_write_frame(child.in, &large, soon(60)));
    cr_expect_lt(rg_now_ps() - start_ps, 30 * second_ps);
    rg_child_end(&child, true);
    child = start("exec sleep 60");
    cr_expect_not(rg_write_frame(child.in, &large, rg_now_ps() + second_ps / 10));
    rg_child_end(&child, false);
    free(large.bytes);
    /* nor does the broken pipe end us, later */
    sigset_t pending;
    sigpending(&pending);
    cr_expect_not(sigismember(&pending, SIGPIPE));
}

Test(pipe, who_says_nothing_or_nonsense_is_known) {
    const rs_host host = {.progress = never_go_on};
    rg_frame kind;
    rg_reader reader;
    rg_child child = start("exec sleep 60");
    cr_expect_eq(rg_child_receive(&child, rg_now_ps() + second_ps / 20, NULL, "", &kind, &reader),
                 RG_PIPE_LATE);
    cr_expect_eq(rg_child_receive(&child, soon(20), &host, "", &kind, &reader), RG_PIPE_CANCEL);
    rg_child_end(&child, false);
    child = start("exit 0");
    cr_expect_eq(rg_child_receive(&child, soon(20), NULL, "", &kind, &reader), RG_PIPE_END);
    rg_child_end(&child, true);
    child = start("echo this is no frame at all, but a line; sleep 60");
    cr_expect_eq(rg_child_receive(&child, soon(20), NULL, "", &kind, &reader), RG_PIPE_MALFORMED);
    rg_child_end(&child, false);
}

/* What it wrote last to its standard error is kept, of much the end. */
Test(pipe, its_last_words_are_kept) {
    char said[300];
    rg_frame kind;
    rg_reader reader;
    setenv("WHAT", "this", 1);
    rg_child child = start("i=0; while [ $i -lt 600 ]; do echo line $i >&2; i=$((i + 1)); done; "
                           "echo \"ringsim: cannot do $WHAT\" >&2");
    cr_expect_eq(rg_child_receive(&child, soon(20), NULL, "", &kind, &reader), RG_PIPE_END);
    rg_child_last_words(&child, said, sizeof said);
    cr_expect(strstr(said, "cannot do this") != NULL, "%s", said);
    cr_expect_leq(strlen(child.errors), RG_ERROR_BYTES);
    cr_expect(strstr(child.errors, "line 599\nringsim: cannot do this\n") != NULL, "%s",
              child.errors);
    cr_expect(strstr(child.errors, "line 1\n") == NULL);
    rg_child_end(&child, true);
}

/* Its ends may have any numbers, also 0 where a program has no standard input: what it says is read all the same, when
   it begins, goes on and ends, and more than a pipe holds of it does not stop it. */
Test(pipe, an_end_may_be_number_0) {
    static const char script[] =
        "much() { i=0; while [ $i -lt 3000 ]; do echo a long line number $i >&2; i=$((i + 1)); done; }\n"
        "echo ringsim: early >&2; sleep 0.3; much; echo ringsim: late >&2; cat; much";
    for (int which = 0; which < 3; which++) {
        char said[300];
        rg_frame kind;
        rg_reader reader;
        char *const words[] = {"sh", "-c", (char *)(uintptr_t)script, NULL};
        rg_child child;
        cr_assert_eq(rg_child_start(words, &error, &child), RS_OK, "%s", error.text);
        int *ends[] = {&child.in, &child.out, &child.err};
        cr_assert_eq(dup2(*ends[which], 0), 0);
        close(*ends[which]);
        *ends[which] = 0;
        struct pollfd early = {.fd = child.err, .events = POLLIN};
        cr_assert_eq(poll(&early, 1, 20000), 1);
        rg_child_last_words(&child, said, sizeof said);
        cr_expect_str_eq(said, "ringsim: early");
        rg_writer one = frame(RG_FRAME_JOB, 7, 100);
        cr_assert(rg_write_frame(child.in, &one, soon(20)));
        cr_assert_eq(rg_child_receive(&child, soon(20), NULL, "", &kind, &reader), RG_PIPE_FRAME,
                     "end %d", which);
        rg_child_last_words(&child, said, sizeof said);
        cr_expect_str_eq(said, "ringsim: late");
        const int64_t start_ps = rg_now_ps();
        rg_child_end(&child, true);
        cr_expect_lt(rg_now_ps() - start_ps, 4 * second_ps, "end %d: it was not let end", which);
        cr_expect_eq(fcntl(0, F_GETFD), -1, "end %d is left open", which);
        free(one.bytes);
    }
}

static bool is_there(pid_t pid) {
    return kill(pid, 0) == 0;
}

/* Its end: it may end by itself where it is let; else it is ended. */
Test(pipe, the_end_leaves_nobody) {
    static const char *const programs[] = {"exec cat", "exec sleep 60"};
    for (int i = 0; i < 2; i++) {
        rg_child child = start(programs[i]);
        const pid_t pid = child.pid;
        const int64_t start_ps = rg_now_ps();
        cr_assert(is_there(pid));
        cr_expect_eq(getpgid(pid), pid);
        rg_child_end(&child, i == 0);
        cr_expect_not(is_there(pid), "%s", programs[i]);
        cr_expect_eq(waitpid(pid, NULL, WNOHANG), -1);
        cr_expect_lt(rg_now_ps() - start_ps, 3 * second_ps);
    }
}

static int n_signals; /* that were sent to others */

int kill(pid_t pid, int signal) {
    n_signals += signal != 0;
    return ((int (*)(pid_t, int))(uintptr_t)dlsym(RTLD_NEXT, "kill"))(pid, signal);
}

/* Who has ended is sent nothing: the number may be somebody else's by then. Where a parent has left its children to
   the system, an end leaves nothing to wait for, and is an end all the same. */
Test(pipe, who_has_ended_by_itself_is_left_alone) {
    for (int ignored = 0; ignored < 2; ignored++) {
        signal(SIGCHLD, ignored ? SIG_IGN : SIG_DFL);
        for (int gently = 0; gently < 2; gently++) {
            rg_child child = start("exec cat");
            const pid_t pid = child.pid;
            n_signals = 0;
            rg_child_end(&child, gently);
            cr_expect_not(is_there(pid));
            cr_expect_eq(n_signals, gently ? 0 : 1, "%d", n_signals);
        }
    }
}

Test(pipe, what_cannot_be_started_is_named) {
    char *const words[] = {"/nowhere/at-all", NULL};
    rg_child child;
    cr_expect_eq(rg_child_start(words, &error, &child), RS_UNSUPPORTED);
    cr_expect(strstr(error.text, "/nowhere/at-all cannot be started") != NULL, "%s", error.text);
}

/* ------------------------------------------------------------------ signals */

static const int usual[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

static bool same_mask(const sigset_t *a, const sigset_t *b) {
    bool same = true;
    for (int s = 1; s < 32; s++) same = same && sigismember(a, s) == sigismember(b, s);
    return same;
}

/* Whoever is gone, and whatever was blocked before: after a write just that is blocked, and no signal is left for later. */
Test(pipe, a_write_leaves_the_signals_as_they_were) {
    rg_writer one = frame(RG_FRAME_JOB, 1, 10);
    for (int turn = 0; turn < 8; turn++) {
        const bool gone = turn % 2 == 1, blocked = turn / 2 % 2 == 1, child_end = turn / 4 == 1;
        sigset_t before, after, pending;
        int ends[2];
        cr_assert_eq(pipe(ends), 0);
        sigemptyset(&before);
        sigaddset(&before, SIGUSR1);
        if (blocked) sigaddset(&before, SIGPIPE);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (gone) close(ends[0]);
        rg_child child = {.in = ends[1]};
        errno = 0;
        const bool sent =
            child_end ? rg_write_frame(child.in, &one, soon(20)) : rg_write_frame(ends[1], &one, 0);
        cr_expect_eq(errno == EPIPE, gone);
        cr_expect_eq(sent, !gone);
        pthread_sigmask(SIG_SETMASK, NULL, &after);
        sigpending(&pending);
        cr_expect(same_mask(&before, &after), "turn %d", turn);
        cr_expect_not(sigismember(&pending, SIGPIPE), "turn %d", turn);
        close(ends[1]);
        if (!gone) close(ends[0]);
    }
    free(one.bytes);
}

static unsigned long long bits_of(const char *status, const char *name) {
    const char *at = strstr(status, name);
    cr_assert_not_null(at, "%s", status);
    return strtoull(at + strlen(name), NULL, 16);
}

/* Whatever this process blocks and ignores, the child can be interrupted and ended. */
Test(pipe, a_child_begins_with_no_signal_blocked_and_the_usual_ones_heard) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    for (int i = 0; i < 4; i++) signal(usual[i], SIG_IGN);
    rg_child child = start("exec cat /proc/self/status");
    char text[8192];
    size_t n = 0;
    for (const int64_t until_ps = soon(20); rg_now_ps() < until_ps && n + 1 < sizeof text;) {
        const ssize_t got = read(child.out, text + n, sizeof text - 1 - n);
        if (got == 0) break;
        if (got > 0) n += (size_t)got;
        if (got < 0) usleep(2000);
    }
    text[n] = '\0';
    cr_expect_eq(bits_of(text, "SigBlk:"), 0);
    for (int i = 0; i < 4; i++) {
        cr_expect_eq(bits_of(text, "SigIgn:") >> (usual[i] - 1) & 1, 0, "signal %d", usual[i]);
    }
    rg_child_end(&child, true);
}

/* ------------------------------------------------------------------ a rank's end of it */

static unsigned doled; /* 0: reads and writes go as the system does them */

/* Returns how many of n bytes a call does; 0: it is interrupted. */
static size_t dole(size_t n) {
    if (doled == 0 || n == 0) return n;
    doled = doled * 1103515245 + 12345;
    const unsigned chance = doled >> 16;
    return chance % 4 == 0 ? 0 : chance % 4 == 1 ? 1 : 1 + chance % n;
}

#define SYSTEM(name, bytes)                                                                        \
    ((ssize_t(*)(int, bytes, size_t))(uintptr_t)dlsym(RTLD_NEXT, name)) /* behind ours */

ssize_t write(int fd, const void *bytes, size_t n) {
    const size_t part = dole(n);
    if (part > 0 || n == 0) return SYSTEM("write", const void *)(fd, bytes, part);
    errno = EINTR;
    return -1;
}
ssize_t read(int fd, void *bytes, size_t n) {
    const size_t part = dole(n);
    if (part > 0 || n == 0) return SYSTEM("read", void *)(fd, bytes, part);
    errno = EINTR;
    return -1;
}

/* Frames written and read in pieces of any size, a byte too, are whole, one behind the other. */
Test(pipe, frames_in_pieces_are_whole) {
    for (int seed = 1; seed < 60; seed++) {
        FILE *file = tmpfile();
        cr_assert_not_null(file);
        const int fd = fileno(file);
        rg_writer frames[3];
        int64_t length = 0;
        bool good = true;
        for (int i = 0; i < 3; i++)
            frames[i] = frame(RG_FRAME_RESULT, seed + i, (size_t)(seed * 37 * i));
        doled = (unsigned)seed;
        for (int i = 0; i < 3; i++) good = rg_write_frame(fd, &frames[i], 0) && good;
        doled = 0;
        cr_assert(good);
        for (int i = 0; i < 3; i++) length += (int64_t)frames[i].n;
        cr_assert_eq(lseek(fd, 0, SEEK_END), length);
        lseek(fd, 0, SEEK_SET);
        rg_child rank = {.out = fd, .err = -1};
        rg_frame kind;
        rg_reader reader;
        for (int i = 0; i < 3; i++) {
            doled = (unsigned)seed;
            good = rg_child_receive(&rank, soon(20), NULL, "", &kind, &reader) == RG_PIPE_FRAME;
            doled = 0;
            cr_assert(good && rank.taken == frames[i].n && kind == RG_FRAME_RESULT);
            cr_assert_arr_eq(rank.bytes, frames[i].bytes, rank.taken);
            free(frames[i].bytes);
        }
        cr_assert_eq(rg_child_receive(&rank, soon(20), NULL, "", &kind, &reader), RG_PIPE_END,
                     "there is no fourth");
        free(rank.bytes);
        fclose(file);
    }
}
