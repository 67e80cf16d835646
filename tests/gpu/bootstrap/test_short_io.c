/* test_short_io.c: files and connections give and take a few bytes at a time, are interrupted, and end.
 *
 * The functions below stand before the system's: `dole` says how much each call does.
 */
#include "config.h"
#include <criterion/criterion.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "bootstrap/file_bootstrap.h"
#include "bootstrap/tcp_bootstrap.h"

static unsigned state;   /* 0: as the system does */
static size_t most_once; /* bytes a call */
static int64_t n_left;   /* bytes until the disk is full */

static unsigned next(unsigned below) {
    state = state * 1103515245 + 12345;
    return (state >> 16) % below;
}

/* Returns how many of n bytes this call does; -1: it is interrupted, or (may_wait) has to wait. */
static ssize_t dole(size_t n, bool may_wait) {
    if (state == 0 || n == 0) return (ssize_t)n;
    const unsigned chance = next(4);
    errno = chance == 0 ? EINTR : EAGAIN;
    if (chance == 0 || (chance == 1 && may_wait)) return -1;
    const size_t part = 1 + next((unsigned)most_once);
    return (ssize_t)(part < n ? part : n);
}

#define SYSTEM(name, ...) ((ssize_t(*)(__VA_ARGS__))(uintptr_t)dlsym(RTLD_NEXT, name))

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at) {
    ssize_t part = dole(n, false);
    if (state != 0 && part > n_left) part = (ssize_t)n_left;
    if (part < 0) return -1;
    if (state != 0) n_left -= part;
    return SYSTEM("pwrite", int, const void *, size_t, off_t)(fd, bytes, (size_t)part, at);
}

ssize_t pread(int fd, void *bytes, size_t n, off_t at) {
    const ssize_t part = dole(n, false);
    if (part < 0) return -1;
    return SYSTEM("pread", int, void *, size_t, off_t)(fd, bytes, (size_t)part, at);
}

ssize_t recv(int fd, void *bytes, size_t n, int flags) {
    const ssize_t part = dole(n, true);
    if (part < 0) return -1;
    return SYSTEM("recv", int, void *, size_t, int)(fd, bytes, (size_t)part, flags);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
    char all[4096];
    size_t n = 0;
    if (state == 0) {
        return SYSTEM("sendmsg", int, const struct msghdr *, int)(fd, message, flags);
    }
    for (size_t i = 0; i < message->msg_iovlen; i++) {
        memcpy(all + n, message->msg_iov[i].iov_base, message->msg_iov[i].iov_len);
        n += message->msg_iov[i].iov_len;
    }
    const ssize_t part = dole(n, true);
    if (part < 0) return -1;
    return send(fd, all, (size_t)part, flags);
}

/* What asserts send goes as the system does: doling ends before it. */
static void begin_doling(unsigned seed, size_t most, int64_t room) {
    state = seed;
    most_once = most;
    n_left = room;
}
static void end_doling(void) {
    state = 0;
}

/* ------------------------------------------------------------------ files */

static int new_file(void) {
    char name[] = "/tmp/ringsim-test-XXXXXX";
    const int fd = mkstemp(name);
    cr_assert_geq(fd, 0);
    unlink(name);
    return fd;
}

Test(short_io, what_a_file_takes_piece_by_piece_is_whole) {
    char out[300], in[300];
    const int fd = new_file();
    int64_t end = 0;
    for (unsigned i = 1; i < 200; i++) {
        const size_t n = i % sizeof out;
        const int64_t at = (int64_t)i * 7919 % 100000;
        for (size_t k = 0; k < n; k++) out[k] = (char)(k * 31 + i);
        memset(in, 0, sizeof in);
        begin_doling(i, 1 + i % 40, INT32_MAX);
        const bool good = rg_disk_write(fd, out, n, at) && rg_disk_read(fd, in, n, at);
        end_doling();
        cr_assert(good);
        if (at + (int64_t)n > end) end = at + (int64_t)n;
        cr_expect_arr_eq(in, out, n, "%u", i);
        cr_expect_eq(lseek(fd, 0, SEEK_END), end, "it wrote more than %zu bytes", n);
        cr_expect_eq(in[n], 0, "%zu bytes were asked for", n);
    }
    close(fd);
}

Test(short_io, a_disk_that_fills_and_a_file_that_ends_are_told) {
    char bytes[100] = "";
    for (int room = 0; room <= 100; room++) {
        const int fd = new_file();
        begin_doling((unsigned)room + 1, 9, room);
        const bool written = rg_disk_write(fd, bytes, sizeof bytes, 0);
        const int full = errno;
        const bool read = rg_disk_read(fd, bytes, sizeof bytes, 0);
        const int ended = errno;
        end_doling();
        cr_expect(written == (room == 100) && read == written, "room for %d", room);
        if (!written) cr_expect_eq(full, ENOSPC, "%s", strerror(full));
        if (!read) cr_expect_eq(ended, EIO, "%s", strerror(ended));
        cr_expect_eq(lseek(fd, 0, SEEK_END), room);
        close(fd);
    }
}

/* Who begins a bootstrap in a file and cannot write it down leaves nothing that others would take for one. */
Test(short_io, a_bootstrap_that_the_disk_has_no_room_for_leaves_no_file) {
    for (int room = 0; room < 200; room += 40) {
        char folder[] = "/tmp/ringsim-test-XXXXXX", init[100];
        cr_assert_not_null(mkdtemp(folder));
        snprintf(init, sizeof init, "file://%s/meeting", folder);
        rs_error error = {.text = ""};
        rg_bootstrap *bootstrap = NULL;
        begin_doling((unsigned)room + 1, 9, room);
        const rs_status status = rg_bootstrap_join(init, 0, 2, 100, &error, &bootstrap);
        end_doling();
        rg_bootstrap_leave(bootstrap);
        cr_expect_eq(status, RS_BAD_INPUT);
        cr_expect(strstr(error.text, strerror(ENOSPC)) != NULL, "%s", error.text);
        cr_expect_eq(rmdir(folder), 0, "room for %d: a file is left", room);
    }
}

/* ------------------------------------------------------------------ connections */

typedef struct pair {
    rg_connection from, to;
} pair;

static pair *connect_both(void) {
    int ends[2];
    pair *p = calloc(1, sizeof *p);
    cr_assert_not_null(p);
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    p->from.fd = ends[0];
    p->to.fd = ends[1];
    return p;
}

static void part_both(pair *p) {
    rg_connection_close(&p->from);
    rg_connection_close(&p->to);
    free(p);
}

/* One message after another over one connection, in pieces of any size, data and texts in turns. */
Test(short_io, what_a_connection_takes_piece_by_piece_is_whole) {
    char out[700], in[700];
    pair *p = connect_both();
    for (unsigned i = 1; i < 400; i++) {
        const bool text = i % 3 == 0;
        const size_t n = i * 97 % (text ? RG_MESSAGE_TEXT : sizeof out);
        for (size_t k = 0; k < n; k++) out[k] = (char)(1 + (k * 31 + i) % 100);
        memset(in, 0, sizeof in);
        const rg_message_kind kind = text ? RG_WAITS : RG_DATA;
        rg_io_status sent = RG_IO_PENDING, came = RG_IO_PENDING;
        begin_doling(i, 1 + i % 90, 0);
        for (int turn = 0; turn < 100000 && came == RG_IO_PENDING; turn++) {
            if (sent == RG_IO_PENDING) sent = rg_connection_send(&p->from, kind, i, out, n);
            came = rg_connection_receive(&p->to, RG_DATA, i, in, text ? 5 : n);
        }
        end_doling();
        cr_assert(sent == RG_IO_DONE && came == RG_IO_DONE, "%u: %d %d", i, sent, came);
        cr_expect(p->to.head.kind == (int64_t)kind && p->to.head.number == i);
        cr_expect_eq(p->to.head.length, (int64_t)n);
        cr_expect_arr_eq(text ? p->to.text : in, out, n, "%u", i);
        if (text) cr_expect_eq(p->to.text[n], '\0');
        cr_expect_eq(in[text ? 0 : n], 0, "%u", i);
        cr_expect(p->from.n_sent == 0 && p->to.n_head == 0 && p->to.n_body == 0);
    }
    part_both(p);
}

/* Returns all that has come until the other end closes or shuts down, and whether that has happened. */
static size_t rest_of(int fd, char *bytes, size_t most, bool *ended) {
    size_t n = 0;
    ssize_t came;
    while ((came = read(fd, bytes + n, most - n)) > 0) n += (size_t)came;
    *ended = came == 0;
    return n;
}

/* A failure is told whole, and last; behind the half of another message nothing is. */
Test(short_io, a_failure_never_follows_half_a_message) {
    rs_error error = {.text = "rank 3 has gone"};
    const rg_message_head head = {.kind = 0};
    char bytes[1000], body[200] = "";
    for (size_t sent = 0; sent <= sizeof head + 20; sent++) {
        bool ended;
        pair *p = connect_both();
        cr_assert_eq(send(p->from.fd, body, sent, 0), (ssize_t)sent);
        p->from.n_sent = sent;
        rg_connection_send_fail(&p->from, RS_UNSUPPORTED, &error);
        const size_t n = rest_of(p->to.fd, bytes, sizeof bytes, &ended);
        cr_expect(ended, "%zu: nothing follows", sent);
        cr_expect_eq(p->from.fd >= 0, sent == 0, "%zu", sent);
        cr_expect_eq(n, sent > 0 ? sent : sizeof head + strlen(error.text), "%zu", sent);
        part_both(p);
    }
}

/* A text goes at once or the connection ends; a connection that is closed takes none. */
Test(short_io, a_text_goes_whole_or_ends_the_connection) {
    static const char text[] = "waits for rank 3";
    char bytes[1000];
    for (unsigned i = 1; i < 100; i++) {
        bool ended;
        pair *p = connect_both();
        begin_doling(i, 200, 0);
        rg_connection_send_text(&p->from, RG_WAITS, 0, text);
        end_doling();
        const size_t n = rest_of(p->to.fd, bytes, sizeof bytes, &ended),
                     whole = sizeof(rg_message_head) + strlen(text);
        cr_expect_eq(n == whole, !ended, "%u: %zu bytes", i, n);
        cr_expect_eq(p->from.fd < 0, ended, "%u", i);
        rg_connection_send_text(&p->from, RG_WAITS, 0, text);
        cr_expect_eq(rest_of(p->to.fd, bytes, sizeof bytes, &ended), ended ? 0 : whole);
        part_both(p);
    }
}

/* Whoever says hello in pieces is understood; who says something else is seen at the first wrong byte. */
Test(short_io, a_hello_comes_in_pieces) {
    for (unsigned i = 1; i < 200; i++) {
        pair *p = connect_both();
        rg_bootstrap m = {.n_ranks = 5 + (int32_t)i, .rank = (int32_t)i};
        rg_newcomer newcomer = {.fd = p->to.fd};
        snprintf(m.token, sizeof m.token, "job %u", i);
        rg_hello_send(&m, &p->from);
        begin_doling(i, 1 + i % 60, 0);
        rg_io_status status = RG_IO_PENDING;
        while (status == RG_IO_PENDING) status = rg_hello_receive(&newcomer);
        end_doling();
        cr_assert_eq(status, RG_IO_DONE);
        cr_expect(newcomer.n == sizeof newcomer.hello && newcomer.hello.rank == (int32_t)i &&
                  newcomer.hello.n_ranks == m.n_ranks &&
                  strcmp(newcomer.hello.token, m.token) == 0);
        cr_expect_eq(strcmp(newcomer.hello.version, RINGSIM_VERSION), 0);
        char wrong[8];
        memcpy(wrong, newcomer.hello.magic, sizeof wrong);
        wrong[i % 8] ^= 1;
        newcomer.n = 0;
        cr_assert_eq(send(p->from.fd, wrong, i % 8 + 1, 0), (ssize_t)(i % 8 + 1));
        cr_expect_eq(rg_hello_receive(&newcomer), RG_IO_MALFORMED);
        rg_connection_close(&p->from);
        newcomer.n = 0;
        cr_expect_eq(rg_hello_receive(&newcomer), RG_IO_CLOSED);
        part_both(p);
    }
}
