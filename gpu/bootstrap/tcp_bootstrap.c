/* tcp_bootstrap.c: a store at rank 0: the others connect, and rank 0 collects and forwards all data.
 *
 *     rank 1 --- hello ----> rank 0 <---- hello --- rank 2          until all have come
 *            <-- WAITS ---          --- WAITS --->                  "rank 3 of 4 has": who is missing
 *            <- WELCOME --          -- WELCOME -->
 *            --- DATA ---->         <---- DATA ---                  an exchange
 *            <---- ALL ----         ----- ALL ---->
 *            <--- FAIL ----         ----- FAIL --->                 at any time: why it is over, for all
 *
 *   - Rank 0 alone decides who may join. It ignores a stranger that is silent, closes the
 *     connection of one that sends something else than a hello, refuses a rank with a wrong hello,
 *     and waits for none of them.
 *   - A rank compares a length from the wire with the expected one, and uses it for nothing else.
 *   - When a rank dies its connection ends, and rank 0 notices at once and tells the others.
 */
#define _GNU_SOURCE 1 /* POLLRDHUP: Linux */
#include "bootstrap/tcp_bootstrap.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* ------------------------------------------------------------------ the others: joining */

static rs_status fail_no_rank0(const rg_bootstrap *m, const char *why, rs_error *error) {
    const rg_tcp_store *s = m->own;
    if (s->waits[0] != '\0') return rg_fail_late(m, s->waits, error);
    return rs_fail(error, RS_UNSUPPORTED, "rank 0 of %d has not come to %s within %g s (%s)%s",
                   (int)m->n_ranks, m->place, m->timeout_ms / 1000.0, why, m->hint);
}

static rs_status connect_to_store(rg_bootstrap *m, int64_t deadline_ps, rs_error *error) {
    enum { FIRST_NAP_MS = 5, LONGEST_NAP_MS = 200 };
    rg_tcp_store *s = m->own;
    rg_connection *c = &s->connections[0];
    const char *why = "";
    rs_status status = RS_OK;
    for (int nap = FIRST_NAP_MS;; nap = nap * 2 < LONGEST_NAP_MS ? nap * 2 : LONGEST_NAP_MS) {
        *c = (rg_connection){.fd = rg_net_connect(m, deadline_ps, &why, &status, error)};
        if (c->fd < 0 && status != RS_OK) return status;
        if (c->fd >= 0) rg_hello_send(m, c);
        if (c->fd >= 0) {
            const rg_io_status what = rg_tcp_store_wait_welcome(m, c, deadline_ps, &status, error);
            if (what == RG_IO_DONE) return RS_OK;
            if (what == RG_IO_PENDING && s->waits[0] != '\0') {
                status = rg_fail_late(m, s->waits, error);
                rg_connection_send_text(c, RG_FAIL, status, error->text);
            }
            rg_connection_close(c);
            if (status != RS_OK) return status;
            if (what == RG_IO_CLOSED && s->waits[0] != '\0') return rg_fail_gone(m, 0, error);
            why =
                what == RG_IO_CLOSED ? "who listens there hangs up" : "who listens there is silent";
        }
        if (rg_now_ps() + nap * RG_MS_PS > deadline_ps) return fail_no_rank0(m, why, error);
        rg_nap_us(1000 * nap);
    }
}

/* ------------------------------------------------------------------ an exchange */

static rs_status fail_other(const rg_bootstrap *m, int32_t rank, const rg_message_head *h,
                            size_t n_bytes, rs_error *error) {
    return rs_fail(
        error, RS_BAD_INPUT,
        "rank %d gives %lld bytes to exchange %lld, rank 0 %zu bytes to exchange %lld: they "
        "run different jobs",
        (int)rank, (long long)h->length, (long long)h->number, n_bytes, (long long)m->n_exchanges);
}

/* Receives what rank r has sent, or, of one that has sent its part, why it goes. */
static rs_status receive_from(rg_bootstrap *m, int32_t r, char *all, size_t n_bytes,
                              rs_error *error) {
    rg_tcp_store *s = m->own;
    rg_connection *c = &s->connections[r];
    if (!s->absent[r]) return rg_tcp_store_receive_fail(m, r, error); /* it has sent its part */
    switch (rg_connection_receive(c, RG_DATA, m->n_exchanges, all + (size_t)r * n_bytes, n_bytes)) {
    case RG_IO_PENDING: return RS_OK;
    case RG_IO_DONE:
        s->absent[r] = c->head.kind != RG_DATA;
        if (c->head.kind != RG_FAIL) return RS_OK;
        rg_connection_close(c);
        rg_fail_text(c->text, error);
        return RS_UNSUPPORTED;
    case RG_IO_MISMATCH: return fail_other(m, r, &c->head, n_bytes, error);
    case RG_IO_CLOSED: rg_connection_close(c); return rg_fail_gone(m, r, error);
    default:
        rg_connection_close(c);
        return rs_fail(error, RS_BAD_INPUT, "rank %d of %d talks nonsense at %s", (int)r,
                       (int)m->n_ranks, m->place);
    }
}

static rs_status collect(rg_bootstrap *m, char *all, size_t n_bytes, int64_t deadline_ps,
                         rs_error *error) {
    rg_tcp_store *s = m->own;
    while (!rg_tcp_store_complete(m)) {
        for (int32_t r = 1; r < m->n_ranks; r++) {
            if (s->connections[r].fd < 0) return rg_fail_gone(m, r, error);
            /* Of one that has sent its part only its end counts. */
            const short wanted = (short)(s->absent[r] ? POLLIN | POLLRDHUP : POLLRDHUP);
            s->polls[r - 1] = (struct pollfd){.fd = s->connections[r].fd, .events = wanted};
        }
        if (rg_now_ps() > deadline_ps) return rg_fail_absent(m, s->absent, error);
        poll(s->polls, (nfds_t)m->n_ranks - 1, rg_ms_until(deadline_ps, RG_TICK_MS));
        for (int32_t r = 1; r < m->n_ranks; r++) {
            if (s->polls[r - 1].revents == 0) continue;
            const rs_status status = receive_from(m, r, all, n_bytes, error);
            if (status != RS_OK) return status;
        }
        if (!rg_tcp_store_complete(m)) rg_tcp_store_send_waits(m);
    }
    return RS_OK;
}

/* Sends all parts to all ranks. A rank that has gone meanwhile has sent its part: only the next
   exchange misses it. */
static rs_status send_to_all(rg_bootstrap *m, const char *all, size_t n_bytes, int64_t deadline_ps,
                             rs_error *error) {
    rg_tcp_store *s = m->own;
    const size_t total = n_bytes * (size_t)m->n_ranks;
    memset(s->absent + 1, true, (size_t)m->n_ranks - 1);
    for (;;) {
        for (int32_t r = 1; r < m->n_ranks; r++) {
            rg_connection *c = &s->connections[r];
            if (!s->absent[r]) continue;
            const rg_io_status what = rg_connection_send(c, RG_ALL, m->n_exchanges, all, total);
            if (what == RG_IO_CLOSED) rg_connection_close(c);
            s->absent[r] = what == RG_IO_PENDING;
        }
        if (rg_tcp_store_complete(m)) return RS_OK;
        if (rg_now_ps() > deadline_ps) return rg_fail_absent(m, s->absent, error);
        nfds_t n = 0;
        for (int32_t r = 1; r < m->n_ranks; r++) {
            if (!s->absent[r]) continue;
            s->polls[n++] = (struct pollfd){.fd = s->connections[r].fd, .events = POLLOUT};
        }
        poll(s->polls, n, rg_ms_until(deadline_ps, RG_TICK_MS));
    }
}

static rs_status exchange_as_store(rg_bootstrap *m, const void *own, size_t n_bytes, char *all,
                                   int64_t deadline_ps, rs_error *error) {
    rg_tcp_store *s = m->own;
    memset(s->absent + 1, true, (size_t)m->n_ranks - 1);
    s->waits[0] = '\0';
    s->waits_sent_ps = rg_now_ps();
    if (n_bytes > 0) memmove(all, own, n_bytes);
    rs_status status = collect(m, all, n_bytes, deadline_ps, error);
    if (status == RS_OK) status = send_to_all(m, all, n_bytes, deadline_ps, error);
    if (status != RS_OK) {
        rg_tcp_store_send_fail(m, status, error);
        rg_tcp_store_close(m);
    }
    return status;
}

/* Receives before it sends, since rank 0 may have sent why it closes the connection. */
static rs_status exchange_as_client(rg_bootstrap *m, const void *own, size_t n_bytes, char *all,
                                    int64_t deadline_ps, rs_error *error) {
    rg_tcp_store *s = m->own;
    rg_connection *c = &s->connections[0];
    const int64_t number = m->n_exchanges;
    rs_status status = RS_OK;
    bool sent = false;
    s->waits[0] = '\0';
    while (rg_now_ps() <= deadline_ps) {
        rg_io_status what = RG_IO_DONE;
        while (what == RG_IO_DONE) {
            what = rg_connection_receive(c, RG_ALL, number, all, n_bytes * (size_t)m->n_ranks);
            if (what == RG_IO_DONE && c->head.kind == RG_ALL) return RS_OK;
            if (rg_tcp_store_handle_control(m, c, what, &status, error)) return status;
        }
        if (!sent) sent = rg_connection_send(c, RG_DATA, number, own, n_bytes) != RG_IO_PENDING;
        struct pollfd both = {.fd = c->fd, .events = (short)(sent ? POLLIN : POLLIN | POLLOUT)};
        poll(&both, 1, rg_ms_until(deadline_ps, RG_TICK_MS));
    }
    if (s->waits[0] == '\0') {
        snprintf(s->waits, sizeof s->waits, "rank 0 of %d has", (int)m->n_ranks);
    }
    status = rg_fail_late(m, s->waits, error);
    rg_connection_send_text(c, RG_FAIL, status, error->text);
    return status;
}

static rs_status exchange(rg_bootstrap *m, const void *own, size_t n_bytes, void *all,
                          int64_t deadline_ps, rs_error *error) {
    return m->rank == 0 ? exchange_as_store(m, own, n_bytes, all, deadline_ps, error)
                        : exchange_as_client(m, own, n_bytes, all, deadline_ps, error);
}

/* ------------------------------------------------------------------ the whole */

static rs_status join(rg_bootstrap *m, int64_t deadline_ps, rs_error *error) {
    const size_t n = (size_t)m->n_ranks;
    rg_tcp_store *s = m->own = calloc(1, sizeof *s);
    if (s != NULL) {
        s->connections = calloc(n, sizeof *s->connections);
        s->absent = malloc(n);
        s->polls = calloc(n + RG_MOST_LISTENERS + RG_MOST_NEWCOMERS, sizeof *s->polls);
    }
    if (s == NULL || s->connections == NULL || s->absent == NULL || s->polls == NULL) {
        return rs_no_memory(error);
    }
    for (size_t r = 0; r < n; r++) s->connections[r].fd = -1;
    memset(s->absent, true, n);
    rs_error why = {.text = ""};
    const rs_status status = m->rank == 0 ? rg_accept_ranks(m, deadline_ps, &why)
                                          : connect_to_store(m, deadline_ps, &why);
    s->waits[0] = '\0';
    if (status != RS_OK && error != NULL) *error = why;
    return status;
}

static void leave(rg_bootstrap *m) {
    rg_tcp_store *s = m->own;
    if (s == NULL) return;
    rg_accept_close(s);
    for (int32_t r = 0; s->connections != NULL && r < m->n_ranks; r++)
        rg_connection_close(&s->connections[r]);
    free(s->connections);
    free(s->absent);
    free(s->polls);
    free(s);
}

const rg_way rg_way_tcp = {join, exchange, leave};
