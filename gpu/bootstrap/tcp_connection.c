/* tcp_connection.c: one connection: sends and receives messages piece by piece, and never blocks; what accepting and exchanging
 * share: who is absent, messages to all, failures, the end.
 */
#include "config.h"
#include "bootstrap/tcp_bootstrap.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static const char hello_magic[8] = {'r', 's', ' ', 'm', 'e', 'e', 't', '\n'};
static const char head_magic[8] = {'r', 's', ' ', 'p', 'a', 'r', 't', '\n'};

/* ------------------------------------------------------------------ one connection */

void rg_connection_close(rg_connection *c) {
    if (c->fd >= 0) close(c->fd);
    c->fd = -1;
}

/* Returns where the body of the incoming message goes; NULL: nobody expects this message. */
static char *body_of(rg_connection *c, rg_message_kind expected, int64_t number, char *room,
                     size_t n_room, rg_io_status *fault) {
    const bool text = c->head.kind >= RG_WELCOME && c->head.kind <= RG_FAIL;
    *fault = RG_IO_MALFORMED;
    if (memcmp(c->head.magic, head_magic, sizeof head_magic) != 0) return NULL;
    if (text) return c->head.length >= 0 && c->head.length < RG_MESSAGE_TEXT ? c->text : NULL;
    if (c->head.kind != (int64_t)expected) return NULL;
    *fault = RG_IO_MISMATCH;
    if (c->head.number != number || c->head.length != (int64_t)n_room) return NULL;
    return n_room > 0 ? room : c->text; /* an empty body needs a place that is not NULL */
}

rg_io_status rg_connection_receive(rg_connection *c, rg_message_kind expected, int64_t number,
                                   char *room, size_t n_room) {
    for (;;) {
        static const size_t n_head = sizeof c->head;
        assert(c->n_head <= n_head);
        char *body = NULL;
        rg_io_status fault = RG_IO_MALFORMED;
        if (c->n_head == n_head) {
            body = body_of(c, expected, number, room, n_room, &fault);
            if (body == NULL) return fault;
        }
        const size_t left =
            c->n_head < n_head ? n_head - c->n_head : (size_t)c->head.length - c->n_body;
        if (c->n_head == n_head && left == 0) {
            if (body == c->text) c->text[c->n_body] = '\0';
            c->n_head = c->n_body = 0;
            return RG_IO_DONE;
        }
        char *into = c->n_head < n_head ? (char *)&c->head + c->n_head : body + c->n_body;
        const ssize_t n = recv(c->fd, into, left, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return RG_IO_PENDING;
        if (n <= 0) return RG_IO_CLOSED;
        *(c->n_head < n_head ? &c->n_head : &c->n_body) += (size_t)n;
    }
}

rg_io_status rg_connection_send(rg_connection *c, rg_message_kind what, int64_t number,
                                const void *body, size_t n_body) {
    rg_message_head h = {.kind = what, .number = number, .length = (int64_t)n_body};
    memcpy(h.magic, head_magic, sizeof h.magic);
    assert(c->n_sent <= sizeof h + n_body);
    while (c->n_sent < sizeof h + n_body) {
        const size_t n_head = c->n_sent < sizeof h ? sizeof h - c->n_sent : 0;
        const size_t done = c->n_sent > sizeof h ? c->n_sent - sizeof h : 0;
        struct iovec parts[2] = {{(char *)&h + sizeof h - n_head, n_head},
                                 {(char *)(uintptr_t)body + done, n_body - done}};
        const struct msghdr message = {.msg_iov = parts, .msg_iovlen = n_body > 0 ? 2 : 1};
        const ssize_t n = sendmsg(c->fd, &message, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return RG_IO_PENDING;
        if (n < 0) return RG_IO_CLOSED;
        c->n_sent += (size_t)n;
    }
    c->n_sent = 0;
    return RG_IO_DONE;
}

/* Closes the connection if the socket does not take the whole message at once. */
void rg_connection_send_text(rg_connection *c, rg_message_kind what, int64_t number,
                             const char *text) {
    if (c->fd < 0 || c->n_sent > 0) return;
    if (rg_connection_send(c, what, number, text, strlen(text)) != RG_IO_DONE)
        rg_connection_close(c);
}

void rg_connection_send_fail(rg_connection *c, rs_status status, const rs_error *error) {
    if (c->fd < 0) return;
    if (c->n_sent > 0) rg_connection_close(c); /* another message is half sent */
    rg_connection_send_text(c, RG_FAIL, status, error->text);
    if (c->fd >= 0) shutdown(c->fd, SHUT_WR);
}

/* ------------------------------------------------------------------ the hello */

void rg_hello_send(const rg_bootstrap *m, rg_connection *c) {
    rg_hello h = {.protocol = RG_BOOTSTRAP_PROTOCOL, .n_ranks = m->n_ranks, .rank = m->rank};
    memcpy(h.magic, hello_magic, sizeof h.magic);
    strncpy(h.version, RINGSIM_VERSION, sizeof h.version - 1);
    memcpy(h.token, m->token, sizeof h.token);
    if (send(c->fd, &h, sizeof h, MSG_NOSIGNAL) != (ssize_t)sizeof h) rg_connection_close(c);
}

rg_io_status rg_hello_receive(rg_newcomer *c) {
    assert(c->n <= sizeof c->hello);
    while (c->n < sizeof c->hello) {
        const ssize_t n = recv(c->fd, (char *)&c->hello + c->n, sizeof c->hello - c->n, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return RG_IO_PENDING;
        if (n <= 0) return RG_IO_CLOSED;
        c->n += (size_t)n;
        const size_t known = c->n < sizeof hello_magic ? c->n : sizeof hello_magic;
        if (memcmp(c->hello.magic, hello_magic, known) != 0) return RG_IO_MALFORMED;
        const bool other = c->hello.protocol != RG_BOOTSTRAP_PROTOCOL;
        if (other && c->n >= offsetof(rg_hello, token))
            return RG_IO_DONE; /* no token, or elsewhere */
    }
    return RG_IO_DONE;
}

/* ------------------------------------------------------------------ rank 0: messages to all */

/* Tells waiting ranks now and then whom they wait for, so that their errors can name it. */
void rg_tcp_store_send_waits(rg_bootstrap *m) {
    assert(m->rank == 0);
    rg_tcp_store *s = m->own;
    char text[RG_MESSAGE_TEXT];
    const int64_t now_ps = rg_now_ps();
    if (now_ps - s->waits_sent_ps < RG_TICK_MS * RG_MS_PS) return;
    rg_name_absent(s->absent, m->n_ranks, text, sizeof text);
    if (strcmp(text, s->waits) == 0) return;
    s->waits_sent_ps = now_ps;
    memcpy(s->waits, text, sizeof text);
    for (int32_t r = 1; r < m->n_ranks; r++) {
        if (!s->absent[r])
            rg_connection_send_text(&s->connections[r], RG_WAITS, m->n_exchanges, text);
    }
}

void rg_tcp_store_send_fail(rg_bootstrap *m, rs_status status, const rs_error *error) {
    rg_tcp_store *s = m->own;
    for (int32_t r = 1; r < m->n_ranks; r++)
        rg_connection_send_fail(&s->connections[r], status, error);
}

/* Discards what arrives: closing a connection with unread bytes would lose what rank 0 sent on it. */
static void drain(rg_connection *c) {
    char away[4096];
    ssize_t n;
    while ((n = recv(c->fd, away, sizeof away, 0)) > 0) continue;
    if (n == 0 || (errno != EAGAIN && errno != EINTR)) rg_connection_close(c);
}

/* Waits a moment until the others have read the failure, and closes all connections. */
void rg_tcp_store_close(rg_bootstrap *m) {
    rg_tcp_store *s = m->own;
    const int64_t deadline_ps = rg_now_ps() + RG_LINGER_MS * RG_MS_PS;
    for (bool open = true; open && rg_now_ps() < deadline_ps;) {
        nfds_t n = 0;
        for (int32_t r = 1; r < m->n_ranks; r++) {
            if (s->connections[r].fd < 0) continue;
            drain(&s->connections[r]);
            s->polls[n++] = (struct pollfd){.fd = s->connections[r].fd, .events = POLLIN};
        }
        open = n > 0;
        if (open) poll(s->polls, n, rg_ms_until(deadline_ps, RG_TICK_MS));
    }
    for (int32_t r = 1; r < m->n_ranks; r++) rg_connection_close(&s->connections[r]);
}

/* Handles the end of a connection: its last message may say why. */
rs_status rg_tcp_store_receive_fail(rg_bootstrap *m, int32_t rank, rs_error *error) {
    rg_tcp_store *s = m->own;
    rg_connection *c = &s->connections[rank];
    const bool why =
        rg_connection_receive(c, RG_FAIL, 0, NULL, 0) == RG_IO_DONE && c->head.kind == RG_FAIL;
    rg_connection_close(c);
    if (!why) return rg_fail_gone(m, rank, error);
    rg_fail_text(c->text, error);
    return RS_UNSUPPORTED;
}

bool rg_tcp_store_complete(const rg_bootstrap *m) {
    const rg_tcp_store *s = m->own;
    for (int32_t r = 0; r < m->n_ranks; r++) {
        if (s->absent[r]) return false;
    }
    return true;
}

/* ------------------------------------------------------------------ the others: hearing rank 0 */

bool rg_tcp_store_handle_control(rg_bootstrap *m, rg_connection *c, rg_io_status what,
                                 rs_status *status, rs_error *error) {
    rg_tcp_store *s = m->own;
    if (what == RG_IO_DONE && c->head.kind == RG_WAITS) {
        if (c->head.number == m->n_exchanges) memcpy(s->waits, c->text, sizeof s->waits);
        return false;
    }
    if (what == RG_IO_DONE && c->head.kind == RG_FAIL) {
        const bool known = c->head.number > RS_OK && c->head.number <= RS_CANCELLED;
        *status = known ? (rs_status)c->head.number : RS_UNSUPPORTED;
        rg_fail_text(c->text, error);
    } else if (what == RG_IO_MALFORMED || what == RG_IO_MISMATCH) {
        *status = rs_fail(error, RS_BAD_INPUT,
                          "what listens at %s is no rank 0 of ringsim, or of another run; choose "
                          "another port",
                          m->place);
    } else if (what == RG_IO_CLOSED) {
        *status = rg_fail_gone(m, 0, error);
    }
    return *status != RS_OK;
}

rg_io_status rg_tcp_store_wait_welcome(rg_bootstrap *m, rg_connection *c, int64_t deadline_ps,
                                       rs_status *status, rs_error *error) {
    while (rg_now_ps() <= deadline_ps) {
        struct pollfd in = {.fd = c->fd, .events = POLLIN};
        poll(&in, 1, rg_ms_until(deadline_ps, RG_TICK_MS));
        rg_io_status what = RG_IO_DONE;
        while (what == RG_IO_DONE) {
            what = rg_connection_receive(c, RG_WELCOME, 0, c->text, 0);
            if (what == RG_IO_DONE && c->head.kind == RG_WELCOME) return RG_IO_DONE;
            if (what == RG_IO_CLOSED) return RG_IO_CLOSED;
            if (rg_tcp_store_handle_control(m, c, what, status, error)) return RG_IO_MALFORMED;
        }
    }
    return RG_IO_PENDING;
}
