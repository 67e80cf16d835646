/* tcp_connection.c: one connection: sends and receives messages piece by piece, and never blocks. */
#include "config.h"
#include "bootstrap/tcp_bootstrap.h"

#include <assert.h>
#include <errno.h>
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
