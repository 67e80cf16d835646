/* tcp_accept.c: rank 0 accepts connections, reads their hellos, and admits or refuses each.
 *
 *     connection --> newcomer --> hello --> the connection of a rank, or a refusal with the reason
 *                      | silent: rank 0 ignores it; no hello of ours: rank 0 closes it
 */
#define _GNU_SOURCE 1 /* POLLRDHUP: Linux */
#include "config.h"
#include "bootstrap/tcp_bootstrap.h"

#include <assert.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ rank 0: newcomers */

static void forget(rg_tcp_store *s, int i) {
    assert(i < s->n_newcomers);
    s->newcomers[i] = s->newcomers[--s->n_newcomers];
}

static void accept_all(rg_tcp_store *s, int listener) {
    int fd;
    while ((fd = rg_net_accept(listener)) >= 0) {
        if (s->n_newcomers == RG_MOST_NEWCOMERS) { /* drop the oldest silent one */
            close(s->newcomers[0].fd);
            memmove(s->newcomers, s->newcomers + 1, (RG_MOST_NEWCOMERS - 1) * sizeof *s->newcomers);
            s->n_newcomers--;
        }
        assert(s->n_newcomers < RG_MOST_NEWCOMERS);
        s->newcomers[s->n_newcomers++] = (rg_newcomer){.fd = fd};
    }
}

/* Makes the newcomer's connection that of its rank, or says why not: that is its own affair, and the
   others go on waiting. */
static rs_status admit(rg_bootstrap *m, const rg_newcomer *c, rs_error *error) {
    rg_tcp_store *s = m->own;
    const int64_t r = c->hello.rank;
    const bool taken = r >= 0 && r < m->n_ranks && !s->absent[r];
    const rg_joiner joiner = {c->hello.version, c->hello.token, c->hello.n_ranks, r, taken};
    if (c->hello.protocol != RG_BOOTSTRAP_PROTOCOL) {
        return rs_fail(error, RS_BAD_INPUT,
                       "another version of ringsim came to %s; install the same everywhere",
                       m->place);
    }
    const rs_status status =
        rg_check_joiner(m->place, &joiner, m->token, RINGSIM_VERSION, m->n_ranks, error);
    if (status != RS_OK) return status;
    assert(s->connections[r].fd < 0);
    s->connections[r].fd = c->fd;
    s->absent[r] = false;
    return RS_OK;
}

/* `over`: why the bootstrap has failed, if it has; rank 0 then sends that to late ranks. */
static void receive_hellos(rg_bootstrap *m, const rs_error *over, rs_status status) {
    rg_tcp_store *s = m->own;
    rs_error why;
    for (int i = s->n_newcomers - 1; i >= 0; i--) {
        rg_newcomer *c = &s->newcomers[i];
        const rg_io_status what = rg_hello_receive(c);
        if (what == RG_IO_PENDING) continue;
        rs_status own = RS_OK;
        rg_connection refused = {.fd = c->fd};
        if (what == RG_IO_DONE && over == NULL) own = admit(m, c, &why);
        if (what == RG_IO_DONE && over != NULL) rg_connection_send_fail(&refused, status, over);
        if (own != RS_OK) rg_connection_send_fail(&refused, own, &why);
        if (what != RG_IO_DONE || over != NULL || own != RS_OK) rg_connection_close(&refused);
        forget(s, i);
        if (own != RS_OK) rg_note_refused(m, why.text);
    }
}

/* Waits for a new connection, bytes from a newcomer, or the end of an admitted rank's connection. */
static rs_status poll_sockets(rg_bootstrap *m, int64_t deadline_ps, bool over, rs_error *error) {
    rg_tcp_store *s = m->own;
    nfds_t n = 0;
    for (int i = 0; i < s->n_listeners; i++) {
        s->polls[n++] = (struct pollfd){.fd = s->listeners[i], .events = POLLIN};
    }
    for (int i = 0; i < s->n_newcomers; i++) {
        s->polls[n++] = (struct pollfd){.fd = s->newcomers[i].fd, .events = POLLIN};
    }
    const nfds_t first = n;
    for (int32_t r = 1; r < m->n_ranks && !over; r++) {
        s->polls[n++] = (struct pollfd){.fd = s->connections[r].fd, .events = POLLRDHUP};
    }
    if (poll(s->polls, n, rg_ms_until(deadline_ps, RG_TICK_MS)) <= 0) return RS_OK;
    for (int32_t r = 1; r < m->n_ranks && !over; r++) {
        if (s->polls[first + (nfds_t)r - 1].revents == 0) continue;
        return rg_tcp_store_receive_fail(m, r, error);
    }
    for (int i = 0; i < s->n_listeners; i++) {
        if (s->polls[i].revents != 0) accept_all(s, s->listeners[i]);
    }
    return RS_OK;
}

static rs_status wait_for_ranks(rg_bootstrap *m, int64_t deadline_ps, rs_error *error) {
    rg_tcp_store *s = m->own;
    rs_status status = RS_OK;
    while (status == RS_OK && !rg_tcp_store_complete(m)) {
        if (rg_now_ps() > deadline_ps) return rg_fail_absent(m, s->absent, error);
        status = poll_sockets(m, deadline_ps, false, error);
        if (status == RS_OK) receive_hellos(m, NULL, RS_OK);
        if (status == RS_OK && !rg_tcp_store_complete(m)) rg_tcp_store_send_waits(m);
    }
    return status;
}

/* Stays for a while to tell late ranks, too, why the bootstrap has failed. */
static void refuse_late_ranks(rg_bootstrap *m, rs_status status, const rs_error *error) {
    const int64_t deadline_ps = rg_now_ps() + RG_LINGER_MS * RG_MS_PS;
    rs_error unused;
    while (!rg_tcp_store_complete(m) && rg_now_ps() < deadline_ps) {
        poll_sockets(m, deadline_ps, true, &unused);
        receive_hellos(m, error, status);
    }
}

void rg_accept_close(rg_tcp_store *s) {
    while (s->n_listeners > 0) close(s->listeners[--s->n_listeners]);
    while (s->n_newcomers > 0) close(s->newcomers[--s->n_newcomers].fd);
}

/* ------------------------------------------------------------------ rank 0: listening */

/* Another program has the port: finds out whether it is another rank 0 of ours; then both must say
   so. */
static rs_status ask_who_listens(rg_bootstrap *m, int64_t deadline_ps, rs_error *error) {
    rg_tcp_store *s = m->own;
    const int64_t soon_ps = rg_now_ps() + RG_LINGER_MS * RG_MS_PS;
    const int64_t until_ps = soon_ps < deadline_ps ? soon_ps : deadline_ps;
    const char *why;
    rs_status status;
    rs_error answer;
    rg_connection *c = &s->connections[0];
    *c = (rg_connection){.fd = rg_net_connect(m, until_ps, &why, &status, &answer)};
    if (c->fd < 0) return RS_OK;
    rg_hello_send(m, c);
    status = RS_OK;
    if (c->fd >= 0) rg_tcp_store_wait_welcome(m, c, until_ps, &status, &answer);
    const bool ours = status != RS_OK && c->head.kind == RG_FAIL;
    rg_connection_close(c);
    if (ours) *error = answer;
    return ours ? status : RS_OK;
}

static rs_status open_listeners(rg_bootstrap *m, int64_t deadline_ps, rs_error *error) {
    enum { TRIES = 5, NAP_MS = 100 };
    rg_tcp_store *s = m->own;
    rs_status status = RS_OK;
    for (int i = 0; i < TRIES; i++) { /* a run that has just ended may still hold the port */
        bool busy;
        status = rg_net_listen(m, s->listeners, &s->n_listeners, &busy, deadline_ps, error);
        if (status == RS_OK || !busy) return status;
        const rs_status asked = ask_who_listens(m, deadline_ps, error);
        if (asked != RS_OK) return asked;
        if (rg_now_ps() + NAP_MS * RG_MS_PS > deadline_ps) return status;
        rg_nap_us(1000 * NAP_MS);
    }
    return status;
}

/* Adds who was refused to an error that another rank has sent. */
static void say_refused(const rg_bootstrap *m, rs_error *error) {
    const size_t n = strlen(error->text);
    if (m->hint[0] == '\0' || strstr(error->text, m->hint) != NULL) return;
    snprintf(error->text + n, sizeof error->text - n, "%s", m->hint);
}

rs_status rg_accept_ranks(rg_bootstrap *m, int64_t deadline_ps, rs_error *error) {
    assert(m->rank == 0);
    rg_tcp_store *s = m->own;
    s->absent[0] = false;
    rs_status status = open_listeners(m, deadline_ps, error);
    if (status != RS_OK) return status;
    status = wait_for_ranks(m, deadline_ps, error);
    if (status != RS_OK) {
        say_refused(m, error);
        rs_error why = *error;
        rg_tcp_store_send_fail(m, status, &why);
        refuse_late_ranks(m, status, &why);
        rg_tcp_store_close(m);
    }
    rg_accept_close(s);
    for (int32_t r = 1; r < m->n_ranks && status == RS_OK; r++) {
        rg_connection_send_text(&s->connections[r], RG_WELCOME, 0, "");
    }
    return status;
}
