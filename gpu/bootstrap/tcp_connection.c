/* tcp_connection.c: one connection: what is said and heard on it, in parts, without ever waiting. */
#include "bootstrap/tcp_bootstrap.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static const char hello_magic[8] = {'r', 's', ' ', 'm', 'e', 'e', 't', '\n'};
static const char head_magic[8] = {'r', 's', ' ', 'p', 'a', 'r', 't', '\n'};

/* ------------------------------------------------------------------ one connection */

void rg_connection_close(rg_connection *l) {
    if (l->fd >= 0) close(l->fd);
    l->fd = -1;
}

/* Where the body of what is being heard goes; NULL: it should not be there. */
static char *body_of(rg_connection *l, rg_message_kind expected, int64_t number, char *room,
                     size_t n_room, rg_io_status *fault) {
    const bool text = l->head.kind >= RG_WELCOME && l->head.kind <= RG_FAIL;
    *fault = RG_IO_MALFORMED;
    if (memcmp(l->head.magic, head_magic, sizeof head_magic) != 0) return NULL;
    if (text) return l->head.length >= 0 && l->head.length < RG_MESSAGE_TEXT ? l->text : NULL;
    if (l->head.kind != (int64_t)expected) return NULL;
    *fault = RG_IO_MISMATCH;
    if (l->head.number != number || l->head.length != (int64_t)n_room) return NULL;
    return n_room > 0 ? room : l->text; /* any place will do for nothing */
}

/* Hears what is there; RG_IO_DONE: all of it has come, see l->head and l->text. `expected` goes into
   `room`, which has exactly its size; RG_IO_MISMATCH: its number or size is another. */
rg_io_status rg_connection_receive(rg_connection *l, rg_message_kind expected, int64_t number,
                                   char *room, size_t n_room) {
    for (;;) {
        static const size_t n_head = sizeof l->head;
        char *body = NULL;
        rg_io_status fault = RG_IO_MALFORMED;
        if (l->n_head == n_head) {
            body = body_of(l, expected, number, room, n_room, &fault);
            if (body == NULL) return fault;
        }
        const size_t left =
            l->n_head < n_head ? n_head - l->n_head : (size_t)l->head.length - l->n_body;
        if (l->n_head == n_head && left == 0) {
            if (body == l->text) l->text[l->n_body] = '\0';
            l->n_head = l->n_body = 0;
            return RG_IO_DONE;
        }
        char *into = l->n_head < n_head ? (char *)&l->head + l->n_head : body + l->n_body;
        const ssize_t n = recv(l->fd, into, left, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return RG_IO_PENDING;
        if (n <= 0) return RG_IO_CLOSED;
        *(l->n_head < n_head ? &l->n_head : &l->n_body) += (size_t)n;
    }
}

/* Says as much as there is room for; RG_IO_DONE: all is said. */
rg_io_status rg_connection_send(rg_connection *l, rg_message_kind what, int64_t number,
                                const void *body, size_t n_body) {
    rg_message_head h = {.kind = what, .number = number, .length = (int64_t)n_body};
    memcpy(h.magic, head_magic, sizeof h.magic);
    while (l->n_sent < sizeof h + n_body) {
        const size_t n_head = l->n_sent < sizeof h ? sizeof h - l->n_sent : 0;
        const size_t done = l->n_sent > sizeof h ? l->n_sent - sizeof h : 0;
        struct iovec parts[2] = {{(char *)&h + sizeof h - n_head, n_head},
                                 {(char *)(uintptr_t)body + done, n_body - done}};
        const struct msghdr message = {.msg_iov = parts, .msg_iovlen = n_body > 0 ? 2 : 1};
        const ssize_t n = sendmsg(l->fd, &message, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return RG_IO_PENDING;
        if (n < 0) return RG_IO_CLOSED;
        l->n_sent += (size_t)n;
    }
    l->n_sent = 0;
    return RG_IO_DONE;
}

/* Says a few words, at once or never. */
void rg_connection_send_text(rg_connection *l, rg_message_kind what, int64_t number,
                             const char *text) {
    if (l->fd < 0 || l->n_sent > 0) return;
    if (rg_connection_send(l, what, number, text, strlen(text)) != RG_IO_DONE)
        rg_connection_close(l);
}

void rg_connection_send_fail(rg_connection *l, rs_status status, const rs_error *error) {
    if (l->fd < 0) return;
    if (l->n_sent > 0) rg_connection_close(l); /* in the middle of something else */
    rg_connection_send_text(l, RG_FAIL, status, error->text);
    if (l->fd >= 0) shutdown(l->fd, SHUT_WR);
}

/* ------------------------------------------------------------------ the first word */

void rg_hello_send(const rg_bootstrap *m, rg_connection *l) {
    rg_hello h = {.protocol = RG_BOOTSTRAP_PROTOCOL, .n_ranks = m->n_ranks, .rank = m->rank};
    memcpy(h.magic, hello_magic, sizeof h.magic);
    strncpy(h.version, RINGSIM_VERSION, sizeof h.version - 1);
    if (send(l->fd, &h, sizeof h, MSG_NOSIGNAL) != (ssize_t)sizeof h) rg_connection_close(l);
}

/* Hears a newcomer out; RG_IO_DONE: the hello is whole. */
rg_io_status rg_hello_receive(rg_newcomer *c) {
    while (c->n < sizeof c->hello) {
        const ssize_t n = recv(c->fd, (char *)&c->hello + c->n, sizeof c->hello - c->n, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return RG_IO_PENDING;
        if (n <= 0) return RG_IO_CLOSED;
        c->n += (size_t)n;
        const size_t known = c->n < sizeof hello_magic ? c->n : sizeof hello_magic;
        if (memcmp(c->hello.magic, hello_magic, known) != 0) return RG_IO_MALFORMED;
    }
    return RG_IO_DONE;
}
