/* tcp_store.c: what the door and the exchanges share: who is there, what all are told, how it ends. */
#include "bootstrap/tcp_bootstrap.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

static const int64_t ms_ps = 1000000000;

/* ------------------------------------------------------------------ rank 0: telling all */

/* Who waits hears now and then for whom, so that he can say it if he loses patience. */
void rg_tcp_store_send_waits(rg_bootstrap *m) {
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

/* Reads away what comes: a connection that is closed with something unread loses what was said. */
static void drain(rg_connection *l) {
    char away[4096];
    ssize_t n;
    while ((n = recv(l->fd, away, sizeof away, 0)) > 0) continue;
    if (n == 0 || (errno != EAGAIN && errno != EINTR)) rg_connection_close(l);
}

/* Waits a moment until they have heard it, and ends all connections. */
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

/* A connection has ended: he may have said why. */
rs_status rg_tcp_store_receive_fail(rg_bootstrap *m, int32_t rank, rs_error *error) {
    rg_tcp_store *s = m->own;
    rg_connection *l = &s->connections[rank];
    const bool why =
        rg_connection_receive(l, RG_FAIL, 0, NULL, 0) == RG_IO_DONE && l->head.kind == RG_FAIL;
    rg_connection_close(l);
    if (!why) return rg_tcp_store_fail_gone(m, rank, error);
    rg_fail_text(l->text, error);
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

bool rg_tcp_store_handle_control(rg_bootstrap *m, rg_connection *l, rg_io_status what,
                                 rs_status *status, rs_error *error) {
    rg_tcp_store *s = m->own;
    if (what == RG_IO_DONE && l->head.kind == RG_WAITS) {
        if (l->head.number == m->n_exchanges) memcpy(s->waits, l->text, sizeof s->waits);
        return false;
    }
    if (what == RG_IO_DONE && l->head.kind == RG_FAIL) {
        const bool known = l->head.number > RS_OK && l->head.number <= RS_CANCELLED;
        *status = known ? (rs_status)l->head.number : RS_UNSUPPORTED;
        rg_fail_text(l->text, error);
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

/* Waits at rank 0's door; RG_IO_CLOSED: it was closed, try again. */
rg_io_status rg_tcp_store_wait_welcome(rg_bootstrap *m, rg_connection *l, int64_t deadline_ps,
                                       rs_status *status, rs_error *error) {
    while (rg_now_ps() <= deadline_ps) {
        struct pollfd in = {.fd = l->fd, .events = POLLIN};
        poll(&in, 1, rg_ms_until(deadline_ps, RG_TICK_MS));
        rg_io_status what = RG_IO_DONE;
        while (what == RG_IO_DONE) {
            what = rg_connection_receive(l, RG_WELCOME, 0, l->text, 0);
            if (what == RG_IO_DONE && l->head.kind == RG_WELCOME) return RG_IO_DONE;
            if (what == RG_IO_CLOSED) return RG_IO_CLOSED;
            if (rg_tcp_store_handle_control(m, l, what, status, error)) return RG_IO_MALFORMED;
        }
    }
    return RG_IO_PENDING;
}
