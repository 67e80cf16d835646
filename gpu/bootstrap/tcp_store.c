/* tcp_store.c: what accepting and exchanging share: who is absent, messages to all, failures, the end. */
#include "bootstrap/tcp_bootstrap.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

static const int64_t ms_ps = 1000000000;

/* ------------------------------------------------------------------ rank 0: messages to all */

/* Tells waiting ranks now and then whom they wait for, so that their errors can name it. */
void rg_tcp_store_send_waits(rg_bootstrap *m) {
    assert(m->rank == 0);
    rg_tcp_store *s = m->own;
    char text[RG_MESSAGE_TEXT];
    const int64_t now_ps = rg_now_ps();
    if (now_ps - s->waits_sent_ps < RG_TICK_MS * ms_ps) return;
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
    const int64_t deadline_ps = rg_now_ps() + RG_LINGER_MS * ms_ps;
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

rs_status rg_tcp_store_fail_gone(const rg_bootstrap *m, int32_t rank, rs_error *error) {
    return rs_fail(error, RS_UNSUPPORTED, "rank %d of %d has gone: its process ended, or left %s",
                   (int)rank, (int)m->n_ranks, m->place);
}

/* Handles the end of a connection: its last message may say why. */
rs_status rg_tcp_store_receive_fail(rg_bootstrap *m, int32_t rank, rs_error *error) {
    rg_tcp_store *s = m->own;
    rg_connection *c = &s->connections[rank];
    const bool why =
        rg_connection_receive(c, RG_FAIL, 0, NULL, 0) == RG_IO_DONE && c->head.kind == RG_FAIL;
    rg_connection_close(c);
    if (!why) return rg_tcp_store_fail_gone(m, rank, error);
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
        *status = rg_tcp_store_fail_gone(m, 0, error);
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
