/* test_tcp_exchange.c: one exchange of three ranks, of which each sends its part, stays away, goes, or talks nonsense, beside a
   plain account of what the others are told.
 *
 * The other ranks' ends are in this process: all that they say lies in the sockets before. The clock below is ours: it
 * goes on by 20 ms at each look, and nobody really waits.
 */
#include <criterion/criterion.h>

#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "bootstrap/tcp_bootstrap.h"

static bool ours;
static int64_t now_ms;

int clock_gettime(clockid_t clock, struct timespec *out) {
    int (*system)(clockid_t, struct timespec *);
    *(void **)&system = dlsym(RTLD_NEXT, "clock_gettime");
    if (!ours) return system(clock, out);
    now_ms += 20;
    *out = (struct timespec){.tv_sec = now_ms / 1000, .tv_nsec = now_ms % 1000 * 1000000};
    return 0;
}
int poll(struct pollfd list[], nfds_t n, int timeout_ms) {
    int (*system)(struct pollfd *, nfds_t, int);
    *(void **)&system = dlsym(RTLD_NEXT, "poll");
    return system(list, n, ours ? 0 : timeout_ms);
}

enum { N = 3, PART = 5, NUMBER = 4 };

static void say(int fd, int kind, int64_t number, const char *body, size_t n) {
    rg_message_head head = {.kind = kind, .number = number, .length = (int64_t)n};
    memcpy(head.magic, "rs part\n", 8);
    cr_assert_eq(send(fd, &head, sizeof head, 0), (ssize_t)sizeof head);
    cr_assert_eq(send(fd, body, n, 0), (ssize_t)n);
}

static rs_status exchange(rg_bootstrap *m, const char *own, char *all, rs_error *error) {
    ours = true;
    now_ms = 1000;
    const rs_status status =
        rg_way_tcp.exchange(m, own, PART, all, rg_now_ps() + 500 * INT64_C(1000000000), error);
    ours = false;
    return status;
}

/* ------------------------------------------------------------------ rank 0 */

typedef enum does {
    STAYS,
    GOES,
    GIVES_UP,
    SILENT,
    FAILS,
    GONE,
    NONSENSE,
    OTHER_NUMBER,
    OTHER_SIZE,
    N_DOES
} does;
/* The first three send their part before; the others' faults are seen at once, but for SILENT. */

static const char *const parts[N] = {"zero.", "one..", "two.."};

static void act(int fd, int rank, does what) {
    if (what <= GIVES_UP) say(fd, RG_DATA, NUMBER, parts[rank], PART);
    if (what == GIVES_UP || what == FAILS)
        say(fd, RG_FAIL, RS_CANCELLED, rank == 1 ? "I" : "II", (size_t)rank);
    if (what == NONSENSE)
        cr_assert_eq(send(fd, "GET / HTTP/1.1\r\nHost: of nobody here\r\n\r\n", 40, 0), 40);
    if (what == OTHER_NUMBER) say(fd, RG_DATA, NUMBER + 1, parts[rank], PART);
    if (what == OTHER_SIZE) say(fd, RG_DATA, NUMBER, parts[rank], PART - 1);
    if (what == GOES || what == GIVES_UP || what == GONE || what == FAILS) shutdown(fd, SHUT_WR);
}

/* What rank 0 says of a rank in the end; "": nothing. */
static rs_status account_one(int rank, does what, char out[300]) {
    switch (what) {
    case GIVES_UP:
    case FAILS: snprintf(out, 300, "%s", rank == 1 ? "I" : "II"); return RS_UNSUPPORTED;
    case GOES:
    case GONE:
        snprintf(out, 300, "rank %d of 3 has gone: its process ended, or left here", rank);
        return RS_UNSUPPORTED;
    case NONSENSE:
        snprintf(out, 300, "rank %d of 3 talks nonsense at here", rank);
        return RS_BAD_INPUT;
    case OTHER_NUMBER:
    case OTHER_SIZE:
        snprintf(out, 300,
                 "rank %d gives %d bytes to exchange %d, rank 0 5 bytes to exchange 4: they run "
                 "different jobs",
                 rank, what == OTHER_SIZE ? 4 : 5, what == OTHER_NUMBER ? 5 : 4);
        return RS_BAD_INPUT;
    default: out[0] = '\0'; return RS_OK;
    }
}
static rs_status account(const does what[N], char out[300]) {
    for (int r = 1; r < N; r++) {
        if (what[r] > SILENT) return account_one(r, what[r], out);
    }
    out[0] = '\0';
    if (what[1] != SILENT && what[2] != SILENT) return RS_OK; /* who goes has sent its part */
    for (int r = 1; r < N; r++) {
        if (what[r] < SILENT && what[r] != STAYS) return account_one(r, what[r], out);
    }
    const bool both = what[1] == what[2];
    snprintf(out, 300, "rank%s of 3 ha%s not answered at here within 0.5 s",
             both                ? "s 1, 2"
             : what[1] == SILENT ? " 1"
                                 : " 2",
             both ? "ve" : "s");
    return RS_UNSUPPORTED;
}

/* Reads what rank 0 has sent, but for whom it waits; the kind, 0: nothing. */
static int hear(int fd, char all[N * PART], char text[RG_MESSAGE_TEXT], int64_t *number) {
    rg_connection c = {.fd = fd};
    rg_io_status what;
    while ((what = rg_connection_receive(&c, RG_ALL, NUMBER, all, N * PART)) == RG_IO_DONE) {
        if (c.head.kind == RG_WAITS) continue;
        strcpy(text, c.text);
        *number = c.head.number;
        return (int)c.head.kind;
    }
    return 0;
}

Test(tcp_exchange, rank_0_gives_all_to_all_or_tells_all_why_not) {
    for (int code = 0; code < N_DOES * N_DOES; code++) {
        const does what[N] = {STAYS, (does)(code % N_DOES), (does)(code / N_DOES)};
        int ends[N][2];
        rg_connection connections[N] = {{.fd = -1}};
        bool absent[N] = {false};
        struct pollfd polls[N];
        rg_tcp_store s = {.connections = connections, .absent = absent, .polls = polls};
        rg_bootstrap m = {.way = &rg_way_tcp,
                          .n_ranks = N,
                          .n_exchanges = NUMBER,
                          .timeout_ms = 500,
                          .place = "here",
                          .own = &s};
        for (int r = 1; r < N; r++) {
            cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends[r]), 0);
            connections[r].fd = ends[r][0];
            act(ends[r][1], r, what[r]);
        }
        char all[N * PART], told[300];
        rs_error error = {.text = ""};
        const rs_status wanted = account(what, told);
        cr_expect_eq(exchange(&m, parts[0], all, &error), wanted, "%d %d", what[1], what[2]);
        cr_expect_str_eq(error.text, told, "%d %d: %s", what[1], what[2], error.text);
        if (wanted == RS_OK) cr_expect(memcmp(all, "zero.one..two..", N * PART) == 0);
        for (int r = 1; r < N; r++) {
            char come[N * PART], text[RG_MESSAGE_TEXT];
            int64_t number;
            const int kind = hear(ends[r][1], come, text, &number);
            cr_expect_eq(connections[r].fd >= 0, wanted == RS_OK);
            if (kind == 0) { /* to one whose end was seen nothing more is said */
                cr_expect(wanted != RS_OK && what[r] != STAYS && what[r] != SILENT, "%d %d",
                          what[1], what[2]);
            } else if (wanted == RS_OK) {
                cr_expect(kind == RG_ALL && memcmp(come, all, N * PART) == 0);
            } else {
                cr_expect(kind == RG_FAIL && number == (int64_t)wanted);
                cr_expect_str_eq(text, told);
            }
            rg_connection_close(&connections[r]);
            close(ends[r][1]);
        }
    }
}

/* ------------------------------------------------------------------ another rank */

/* Rank 0 says whom it waits for, in this exchange or another, and then how it ends. */
Test(tcp_exchange, a_rank_hears_all_or_why_not) {
    static const char *const waits[] = {NULL, "rank 2 of 3 has", "rank 2 of 3 has"};
    enum { ALL, FAIL, CLOSED, MALFORMED, MISMATCH, NOTHING, N_ENDS };
    for (int code = 0; code < 3 * N_ENDS; code++) {
        const int w = code % 3, end = code / 3;
        int ends[2];
        rg_connection connections[N] = {{.fd = -1}};
        rg_tcp_store s = {.connections = connections, .waits = "of the exchange before"};
        rg_bootstrap m = {.way = &rg_way_tcp,
                          .n_ranks = N,
                          .rank = 1,
                          .n_exchanges = NUMBER,
                          .timeout_ms = 500,
                          .place = "here",
                          .own = &s};
        cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
        connections[0].fd = ends[0];
        if (w > 0) say(ends[1], RG_WAITS, w == 1 ? NUMBER : NUMBER - 1, waits[w], strlen(waits[w]));
        if (end == ALL) say(ends[1], RG_ALL, NUMBER, "zero.one..two..", N * PART);
        if (end == FAIL) say(ends[1], RG_FAIL, RS_CANCELLED, "over\n", 5);
        if (end == MALFORMED) say(ends[1], RG_DATA, NUMBER, "zero.", PART);
        if (end == MISMATCH) say(ends[1], RG_ALL, NUMBER, "zero.", PART);
        if (end == CLOSED) shutdown(ends[1], SHUT_WR);
        static const rs_status wanted[] = {RS_OK,        RS_CANCELLED, RS_UNSUPPORTED,
                                           RS_BAD_INPUT, RS_BAD_INPUT, RS_UNSUPPORTED};
        static const char foreign[] = "what listens at here is no rank 0 of ringsim, or of another "
                                      "run; choose another port";
        const char *told[] = {"",
                              "over?",
                              "rank 0 of 3 has gone: its process ended, or left here",
                              foreign,
                              foreign,
                              w == 1 ? "rank 2 of 3 has not answered at here within 0.5 s"
                                     : "rank 0 of 3 has not answered at here within 0.5 s"};
        char all[N * PART];
        rs_error error = {.text = ""};
        cr_expect_eq(exchange(&m, parts[1], all, &error), wanted[end], "%d, %d", end, w);
        cr_expect_str_eq(error.text, told[end], "%d, %d: %s", end, w, error.text);
        if (end == ALL) cr_expect(memcmp(all, "zero.one..two..", N * PART) == 0);
        rg_connection to = {.fd = ends[1]};
        char part[PART];
        if (end == NOTHING) { /* it has sent its part, and then that it gives up */
            cr_expect_eq(rg_connection_receive(&to, RG_DATA, NUMBER, part, PART), RG_IO_DONE);
            cr_expect(memcmp(part, parts[1], PART) == 0);
            cr_expect_eq(rg_connection_receive(&to, RG_DATA, NUMBER, part, PART), RG_IO_DONE);
            cr_expect(to.head.kind == RG_FAIL && to.head.number == RS_UNSUPPORTED);
            cr_expect_str_eq(to.text, told[end]);
        } else { /* it hears before it speaks */
            cr_expect_eq(rg_connection_receive(&to, RG_DATA, NUMBER, part, PART), RG_IO_PENDING);
        }
        close(ends[0]);
        close(ends[1]);
    }
}
