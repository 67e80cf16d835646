/* test_tcp_messages.c: one connection's messages, cut at every byte, spoilt and of every kind; what a rank makes of rank 0's
   words, and rank 0 of those who go. Both ends are in this process. */
#include "config.h"
#include <criterion/criterion.h>

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bootstrap/tcp_bootstrap.h"

enum { MOST = 2 * RG_MESSAGE_TEXT };

/* ends[1] is looked at; neither blocks. */
static void make_pair(int ends[2]) {
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
}

/* Writes a message as the wire has it; returns how many bytes. */
static size_t lay_out(rg_message_kind kind, int64_t number, size_t n_body, char out[MOST]) {
    rg_message_head head = {.kind = kind, .number = number, .length = (int64_t)n_body};
    memcpy(head.magic, "rs part\n", 8);
    memcpy(out, &head, sizeof head);
    for (size_t i = 0; i < n_body; i++) out[sizeof head + i] = (char)('a' + i % 26);
    return sizeof head + n_body;
}

static void put(int fd, const void *bytes, size_t n) {
    cr_assert_eq(send(fd, bytes, n, 0), (ssize_t)n);
}

/* ------------------------------------------------------------------ one message */

Test(tcp_messages, a_message_may_come_in_two_pieces_cut_anywhere) {
    static const rg_message_kind kinds[] = {RG_WELCOME, RG_WAITS, RG_FAIL, RG_DATA, RG_ALL};
    for (int k = 0; k < 5; k++) {
        for (size_t n_body = 0; n_body < 12; n_body += n_body == 0 ? 1 : 10) {
            char bytes[MOST];
            const size_t n = lay_out(kinds[k], 7, n_body, bytes);
            for (size_t cut = 0; cut < n; cut++) {
                int ends[2];
                char room[12];
                memset(room, '#', sizeof room);
                make_pair(ends);
                rg_connection c = {.fd = ends[1]};
                put(ends[0], bytes, cut);
                cr_assert_eq(rg_connection_receive(&c, kinds[k], 7, room, n_body), RG_IO_PENDING);
                put(ends[0], bytes + cut, n - cut);
                put(ends[0], bytes, 3); /* of the next */
                cr_assert_eq(rg_connection_receive(&c, kinds[k], 7, room, n_body), RG_IO_DONE);
                cr_assert_eq(c.head.kind, (int64_t)kinds[k]);
                const char *body = kinds[k] <= RG_FAIL || n_body == 0 ? c.text : room;
                cr_assert(memcmp(body, bytes + n - n_body, n_body) == 0);
                if (body == c.text) cr_assert_eq(strlen(c.text), n_body);
                for (size_t i = body == room ? n_body : 0; i < 12; i++) cr_assert_eq(room[i], '#');
                cr_assert_eq(rg_connection_receive(&c, kinds[k], 7, room, n_body), RG_IO_PENDING);
                cr_assert(c.n_head == 3 && c.n_body == 0);
                close(ends[0]);
                cr_assert_eq(rg_connection_receive(&c, kinds[k], 7, room, n_body), RG_IO_CLOSED);
                rg_connection_close(&c);
                cr_assert_eq(c.fd, -1);
            }
        }
    }
}

static rg_io_status receive_one(const rg_message_head *head, rg_message_kind expected) {
    int ends[2];
    char room[16], body[MOST] = "";
    make_pair(ends);
    put(ends[0], head, sizeof *head);
    if (head->length > 0 && head->length <= MOST) put(ends[0], body, (size_t)head->length);
    rg_connection c = {.fd = ends[1]};
    const rg_io_status what = rg_connection_receive(&c, expected, 7, room, sizeof room);
    rg_connection_close(&c);
    close(ends[0]);
    return what;
}

/* Whatever its head says, a message goes nowhere but into its own room. */
Test(tcp_messages, a_head_that_is_not_expected_is_told_apart) {
    static const int64_t lengths[] = {
        INT64_MIN, -1, 0, 1, 15, 16, 17, RG_MESSAGE_TEXT - 1, RG_MESSAGE_TEXT, INT64_MAX};
    for (int64_t kind = -1; kind <= 7; kind++) {
        for (int l = 0; l < 10; l++) {
            for (int64_t number = 6; number <= 8; number++) {
                for (int e = 0; e < 2; e++) {
                    const rg_message_kind expected = e == 0 ? RG_DATA : RG_ALL;
                    rg_message_head h = {.kind = kind, .number = number, .length = lengths[l]};
                    memcpy(h.magic, "rs part\n", 8);
                    const bool text = kind >= 1 && kind <= 3;
                    const bool fits = lengths[l] >= 0 && lengths[l] < RG_MESSAGE_TEXT;
                    const bool due = number == 7 && lengths[l] == 16;
                    const rg_io_status wanted = text ? fits ? RG_IO_DONE : RG_IO_MALFORMED
                                                : kind != (int64_t)expected ? RG_IO_MALFORMED
                                                : due                       ? RG_IO_DONE
                                                                            : RG_IO_MISMATCH;
                    cr_assert_eq(receive_one(&h, expected), wanted, "kind %d, length %lld",
                                 (int)kind, (long long)lengths[l]);
                    for (int i = 0; i < 8; i++) {
                        h.magic[i] ^= 1;
                        cr_assert_eq(receive_one(&h, expected), RG_IO_MALFORMED);
                        h.magic[i] ^= 1;
                    }
                }
            }
        }
    }
}

/* ------------------------------------------------------------------ sending */

/* More than the socket takes at once goes on where it stopped. */
Test(tcp_messages, what_is_sent_in_pieces_arrives_whole) {
    enum { N = 400001 };
    static char sent[N], come[N];
    for (int i = 0; i < N; i++) sent[i] = (char)(i * 31 + i / 257);
    int ends[2], n_pending = 0;
    make_pair(ends);
    rg_connection from = {.fd = ends[0]}, to = {.fd = ends[1]};
    rg_io_status out = RG_IO_PENDING, in = RG_IO_PENDING;
    for (int i = 0; i < 10000 && in == RG_IO_PENDING; i++) {
        if (out == RG_IO_PENDING) out = rg_connection_send(&from, RG_DATA, 3, sent, N);
        n_pending += out == RG_IO_PENDING;
        in = rg_connection_receive(&to, RG_DATA, 3, come, N);
    }
    cr_assert(out == RG_IO_DONE && in == RG_IO_DONE && n_pending > 0);
    cr_assert(memcmp(sent, come, N) == 0);
    cr_assert_eq(from.n_sent, 0);
    cr_assert_eq(rg_connection_send(&from, RG_DATA, 4, "", 0), RG_IO_DONE);
    cr_assert_eq(rg_connection_receive(&to, RG_DATA, 4, come, 0), RG_IO_DONE);
    rg_connection_close(&to);
    cr_assert_eq(rg_connection_send(&from, RG_DATA, 5, sent, N), RG_IO_CLOSED);
    rg_connection_close(&from);
}

/* A text goes at once or not at all: who does not read it is left; who is in the middle of another message hears none, and a
   failure ends that. */
Test(tcp_messages, a_text_waits_for_nobody) {
    static char much[1 << 20];
    int ends[2];
    rs_error why = {.text = "so it is"};
    make_pair(ends);
    rg_connection from = {.fd = ends[0]}, to = {.fd = ends[1]};
    rg_connection_send_text(&from, RG_WAITS, 2, "rank 1 of 2 has");
    cr_assert_eq(rg_connection_receive(&to, RG_DATA, 0, NULL, 0), RG_IO_DONE);
    cr_assert(to.head.kind == RG_WAITS && to.head.number == 2);
    cr_assert_str_eq(to.text, "rank 1 of 2 has");
    cr_assert_eq(rg_connection_send(&from, RG_DATA, 0, much, sizeof much), RG_IO_PENDING);
    rg_connection_send_text(&from, RG_WAITS, 2, "nobody hears this");
    cr_assert_geq(from.fd, 0);
    rg_connection_send_fail(&from, RS_CANCELLED, &why);
    cr_assert_eq(from.fd, -1);
    rg_connection_send_text(&from, RG_WAITS, 2, "nor this");
    rg_connection_send_fail(&from, RS_CANCELLED, &why);
    rg_connection_close(&to);

    make_pair(ends);
    from = (rg_connection){.fd = ends[0]}, to = (rg_connection){.fd = ends[1]};
    rg_connection_send_fail(&from, RS_CANCELLED, &why);
    cr_assert_geq(from.fd, 0);
    cr_assert_eq(rg_connection_receive(&to, RG_DATA, 0, NULL, 0), RG_IO_DONE);
    cr_assert(to.head.kind == RG_FAIL && to.head.number == RS_CANCELLED);
    cr_assert_str_eq(to.text, why.text);
    cr_assert_eq(rg_connection_receive(&to, RG_DATA, 0, NULL, 0), RG_IO_CLOSED); /* no more */
    rg_connection_close(&from);
    rg_connection_close(&to);

    make_pair(ends);
    from = (rg_connection){.fd = ends[0]};
    while (send(ends[0], much, sizeof much, 0) > 0) continue;
    rg_connection_send_text(&from, RG_WAITS, 2, "there is no room");
    cr_assert_eq(from.fd, -1);
    close(ends[1]);
}

/* ------------------------------------------------------------------ the hello */

Test(tcp_messages, a_hello_may_come_in_two_pieces_and_be_another_protocols) {
    const rg_bootstrap m = {.rank = 2, .n_ranks = 5, .token = "a job"};
    rg_hello hello;
    int ends[2];
    make_pair(ends);
    rg_connection from = {.fd = ends[0]};
    rg_hello_send(&m, &from);
    cr_assert_eq(recv(ends[1], &hello, sizeof hello, 0), (ssize_t)sizeof hello);
    cr_assert(hello.rank == 2 && hello.n_ranks == 5 && hello.protocol == RG_BOOTSTRAP_PROTOCOL);
    cr_assert(strcmp(hello.token, "a job") == 0 && strcmp(hello.version, RINGSIM_VERSION) == 0);
    close(ends[1]);
    rg_hello_send(&m, &from);
    cr_assert_eq(from.fd, -1); /* nobody listens any more */
    for (int other = 0; other < 2; other++) {
        hello.protocol = RG_BOOTSTRAP_PROTOCOL + other;
        for (size_t cut = 1; cut < sizeof hello; cut++) {
            make_pair(ends);
            rg_newcomer c = {.fd = ends[1]};
            put(ends[0], &hello, cut);
            const bool enough = other && cut >= offsetof(rg_hello, token);
            cr_assert_eq(rg_hello_receive(&c), enough ? RG_IO_DONE : RG_IO_PENDING, "%zu", cut);
            put(ends[0], (const char *)&hello + cut, sizeof hello - cut);
            cr_assert_eq(rg_hello_receive(&c), RG_IO_DONE, "%zu", cut);
            close(ends[0]);
            close(ends[1]);
        }
    }
    for (size_t spoilt = 0; spoilt < 8; spoilt++) { /* it is seen with the byte itself */
        make_pair(ends);
        rg_newcomer c = {.fd = ends[1]};
        hello.magic[spoilt] ^= 1;
        put(ends[0], &hello, spoilt);
        cr_assert_eq(rg_hello_receive(&c), RG_IO_PENDING);
        put(ends[0], &hello.magic[spoilt], 1);
        cr_assert_eq(rg_hello_receive(&c), RG_IO_MALFORMED);
        hello.magic[spoilt] ^= 1;
        close(ends[0]);
        close(ends[1]);
    }
    make_pair(ends);
    rg_newcomer gone = {.fd = ends[1]};
    close(ends[0]);
    cr_assert_eq(rg_hello_receive(&gone), RG_IO_CLOSED);
    close(ends[1]);
}

/* ------------------------------------------------------------------ what is made of them */

Test(tcp_messages, a_rank_goes_on_waiting_or_knows_why_it_is_over) {
    static const rg_io_status all[] = {RG_IO_PENDING, RG_IO_DONE, RG_IO_CLOSED, RG_IO_MALFORMED,
                                       RG_IO_MISMATCH};
    for (int code = 0; code < 5 * 5 * 12; code++) {
        const rg_io_status what = all[code % 5];
        const int kind = 1 + code / 5 % 5;
        const int64_t number = code / 25 - 2; /* of an exchange, or a status */
        rg_tcp_store s = {.waits = "before"};
        rg_bootstrap m = {.n_ranks = 3, .rank = 1, .n_exchanges = 4, .place = "here", .own = &s};
        rg_connection c = {.fd = -1, .head = {.kind = kind, .number = number}, .text = "said\n"};
        rs_status status = RS_OK;
        rs_error error = {.text = ""};
        const bool over = rg_tcp_store_handle_control(&m, &c, what, &status, &error);
        const bool heard = what == RG_IO_DONE && kind == RG_WAITS && number == 4;
        cr_expect_str_eq(s.waits, heard ? "said\n" : "before");
        rs_status wanted = RS_OK;
        const char *told = "";
        if (what == RG_IO_DONE && kind == RG_FAIL) {
            wanted = number > RS_OK && number <= RS_CANCELLED ? (rs_status)number : RS_UNSUPPORTED;
            told = "said?";
        } else if (what == RG_IO_MALFORMED || what == RG_IO_MISMATCH) {
            wanted = RS_BAD_INPUT;
            told = "what listens at here is no rank 0 of ringsim, or of another run; choose "
                   "another port";
        } else if (what == RG_IO_CLOSED) {
            wanted = RS_UNSUPPORTED;
            told = "rank 0 of 3 has gone: its process ended, or left here";
        }
        cr_expect(status == wanted && over == (wanted != RS_OK), "%d", code);
        cr_expect_str_eq(error.text, told);
    }
}

/* A rank's connection ends: its last message may say why. */
Test(tcp_messages, who_goes_may_have_said_why) {
    for (int kind = 0; kind <= RG_ALL; kind++) { /* 0: no word */
        int ends[2];
        make_pair(ends);
        rg_connection connections[3] = {{.fd = -1}, {.fd = -1}, {.fd = ends[1]}};
        rg_tcp_store s = {.connections = connections};
        rg_bootstrap m = {.n_ranks = 3, .place = "here", .own = &s};
        rs_error error = {.text = ""};
        char bytes[MOST];
        if (kind > 0) put(ends[0], bytes, lay_out((rg_message_kind)kind, 1, 3, bytes));
        close(ends[0]);
        cr_expect_eq(rg_tcp_store_receive_fail(&m, 2, &error), RS_UNSUPPORTED);
        cr_expect_str_eq(error.text, kind == RG_FAIL
                                         ? "abc"
                                         : "rank 2 of 3 has gone: its process ended, or left here");
        cr_expect_eq(connections[2].fd, -1);
    }
}

/* Those who have come hear who is missing, each set of ranks once, and not more often than ten times a second. */
Test(tcp_messages, who_has_come_hears_whom_it_waits_for) {
    for (unsigned mask = 0; mask < 16; mask++) { /* of ranks 0..3 who are missing */
        int ends[4][2];
        rg_connection connections[4] = {{.fd = -1}};
        bool absent[4];
        rg_tcp_store s = {.connections = connections, .absent = absent};
        rg_bootstrap m = {.n_ranks = 4, .n_exchanges = 2, .own = &s};
        for (int r = 0; r < 4; r++) absent[r] = (mask >> r & 1) != 0;
        for (int r = 1; r < 4; r++) {
            make_pair(ends[r]);
            connections[r].fd = ends[r][0];
        }
        cr_expect_eq(rg_tcp_store_complete(&m), mask == 0);
        char text[RG_MESSAGE_TEXT];
        rg_name_absent(absent, 4, text, sizeof text);
        s.waits_sent_ps = rg_now_ps(); /* just now */
        rg_tcp_store_send_waits(&m);
        cr_expect_str_eq(s.waits, "");
        for (int time = 0; time < 2; time++) {
            s.waits_sent_ps = 0;
            rg_tcp_store_send_waits(&m);
            cr_expect_str_eq(s.waits, text);
            cr_expect_eq(s.waits_sent_ps > 0, time == 0);
            for (int r = 1; r < 4; r++) {
                rg_connection to = {.fd = ends[r][1]};
                const rg_io_status what = rg_connection_receive(&to, RG_DATA, 0, NULL, 0);
                cr_expect_eq(what, time == 0 && !absent[r] ? RG_IO_DONE : RG_IO_PENDING);
                if (what != RG_IO_DONE) continue;
                cr_expect(to.head.kind == RG_WAITS && to.head.number == 2);
                cr_expect_str_eq(to.text, text);
            }
        }
        for (int r = 1; r < 4; r++) {
            close(ends[r][0]);
            close(ends[r][1]);
        }
    }
}
