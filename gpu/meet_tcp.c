/* meet_tcp.c: a star of connections: rank 0 listens, the others come, and it hands everything on.
 *
 *     rank 1 --- hello ----> rank 0 <---- hello --- rank 2          until all have come, or one too many
 *            <-- WAITS ---          --- WAITS --->                  "rank 3 of 4 has": who is missing
 *            <- WELCOME --          -- WELCOME -->
 *            --- DATA ---->         <---- DATA ---                  an exchange
 *            <---- ALL ----         ----- ALL ---->
 *            <--- FAIL ----         ----- FAIL --->                 at any time: why it is over, for all
 *
 *   - Rank 0 alone judges who comes. A stranger, who is silent or says something else than a hello, is
 *     sent away or left alone; nobody waits for him.
 *   - A length from the wire is compared with what is expected, and never used otherwise.
 *   - Whoever dies is noticed by the end of his connection, at once. rank 0 tells the others.
 */
#include "meeting.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { LONGEST_TEXT = 512, MOST_NEWCOMERS = 64 };
static const int64_t ms_ps = 1000000000;

typedef enum kind { WELCOME = 1, WAITS, FAIL, DATA, ALL } kind;

typedef struct hello { /* the first thing that is said; its layout never changes */
    char magic[8];
    int64_t protocol;
    char version[RG_VERSION_BYTES];
    int64_t n_ranks, rank;
} hello;
static const char hello_magic[8] = {'r', 's', ' ', 'm', 'e', 'e', 't', '\n'};

typedef struct head { /* before everything that is said later */
    char magic[8];
    int64_t kind, number, length;
} head;
static const char head_magic[8] = {'r', 's', ' ', 'p', 'a', 'r', 't', '\n'};

typedef struct line { /* a connection */
    int fd;           /* -1: there is none, or the other end has gone */
    head head;        /* of what is being heard, */
    size_t n_head;    /* as far as it came, */
    size_t n_body;    /* and of its body */
    char text[LONGEST_TEXT];
    size_t n_said; /* of what is being said */
} line;

typedef struct newcomer { /* a connection that has not said whose it is */
    int fd;
    hello hello;
    size_t n;
} newcomer;

typedef struct star {
    line *lines; /* [N]: of rank 0, one to each other; of the others, [0] */
    bool *absent;
    struct pollfd *polls; /* [N + listeners + newcomers] */
    int listeners[RG_MOST_LISTENERS];
    int n_listeners;
    newcomer newcomers[MOST_NEWCOMERS];
    int n_newcomers;
    char waits[LONGEST_TEXT]; /* who is missing, as rank 0 said last */
    int64_t told_ps;          /* when rank 0 did */
} star;

/* ------------------------------------------------------------------ one connection */

static void hang_up(line *l) {
    if (l->fd >= 0) close(l->fd);
    l->fd = -1;
}

typedef enum heard { NOTHING, SOMETHING, GONE, GARBAGE, OTHER } heard;

/* Where the body of what is being heard goes; NULL: it should not be there. */
static char *body_of(line *l, kind expected, int64_t number, char *room, size_t n_room,
                     heard *fault) {
    const bool text = l->head.kind >= WELCOME && l->head.kind <= FAIL;
    *fault = GARBAGE;
    if (memcmp(l->head.magic, head_magic, sizeof head_magic) != 0) return NULL;
    if (text) return l->head.length >= 0 && l->head.length < LONGEST_TEXT ? l->text : NULL;
    if (l->head.kind != (int64_t)expected) return NULL;
    *fault = OTHER;
    if (l->head.number != number || l->head.length != (int64_t)n_room) return NULL;
    return n_room > 0 ? room : l->text; /* any place will do for nothing */
}

/* Hears what is there; SOMETHING: all of it has come, see l->head and l->text. `expected` goes into
   `room`, which has exactly its size; OTHER: its number or size is another. */
static heard hear(line *l, kind expected, int64_t number, char *room, size_t n_room) {
    for (;;) {
        static const size_t n_head = sizeof l->head;
        char *body = NULL;
        heard fault = GARBAGE;
        if (l->n_head == n_head) {
            body = body_of(l, expected, number, room, n_room, &fault);
            if (body == NULL) return fault;
        }
        const size_t left =
            l->n_head < n_head ? n_head - l->n_head : (size_t)l->head.length - l->n_body;
        if (l->n_head == n_head && left == 0) {
            if (body == l->text) l->text[l->n_body] = '\0';
            l->n_head = l->n_body = 0;
            return SOMETHING;
        }
        char *into = l->n_head < n_head ? (char *)&l->head + l->n_head : body + l->n_body;
        const ssize_t n = recv(l->fd, into, left, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return NOTHING;
        if (n <= 0) return GONE;
        *(l->n_head < n_head ? &l->n_head : &l->n_body) += (size_t)n;
    }
}

/* Says as much as there is room for; SOMETHING: all is said. */
static heard say(line *l, kind what, int64_t number, const void *body, size_t n_body) {
    head h = {.kind = what, .number = number, .length = (int64_t)n_body};
    memcpy(h.magic, head_magic, sizeof h.magic);
    while (l->n_said < sizeof h + n_body) {
        const size_t n_head = l->n_said < sizeof h ? sizeof h - l->n_said : 0;
        const size_t done = l->n_said > sizeof h ? l->n_said - sizeof h : 0;
        struct iovec parts[2] = {{(char *)&h + sizeof h - n_head, n_head},
                                 {(char *)(uintptr_t)body + done, n_body - done}};
        const struct msghdr message = {.msg_iov = parts, .msg_iovlen = n_body > 0 ? 2 : 1};
        const ssize_t n = sendmsg(l->fd, &message, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return NOTHING;
        if (n < 0) return GONE;
        l->n_said += (size_t)n;
    }
    l->n_said = 0;
    return SOMETHING;
}

/* Says a few words, at once or never. */
static void tell(line *l, kind what, int64_t number, const char *text) {
    if (l->fd < 0 || l->n_said > 0) return;
    if (say(l, what, number, text, strlen(text)) != SOMETHING) hang_up(l);
}

/* ------------------------------------------------------------------ rank 0: telling all */

/* Who waits hears now and then for whom, so that he can say it if he loses patience. */
static void tell_waits(rg_meeting *m) {
    star *s = m->own;
    char text[LONGEST_TEXT];
    const int64_t now_ps = rg_now_ps();
    if (now_ps - s->told_ps < RG_TICK_MS * ms_ps) return;
    rg_name_absent(s->absent, m->n_ranks, text, sizeof text);
    if (strcmp(text, s->waits) == 0) return;
    s->told_ps = now_ps;
    memcpy(s->waits, text, sizeof text);
    for (int32_t r = 1; r < m->n_ranks; r++) {
        if (!s->absent[r]) tell(&s->lines[r], WAITS, m->n_exchanges, text);
    }
}

static void say_goodbye(line *l, rs_status status, const rs_error *error) {
    if (l->fd < 0) return;
    if (l->n_said > 0) hang_up(l); /* in the middle of something else */
    tell(l, FAIL, status, error->text);
    if (l->fd >= 0) shutdown(l->fd, SHUT_WR);
}

/* Reads away what comes: a connection that is closed with something unread loses what was said. */
static void drain(line *l) {
    char away[4096];
    ssize_t n;
    while ((n = recv(l->fd, away, sizeof away, 0)) > 0) continue;
    if (n == 0 || (errno != EAGAIN && errno != EINTR)) hang_up(l);
}

static void say_all_goodbye(rg_meeting *m, rs_status status, const rs_error *error) {
    star *s = m->own;
    for (int32_t r = 1; r < m->n_ranks; r++) say_goodbye(&s->lines[r], status, error);
}

/* Waits a moment until they have heard it, and ends all connections. */
static void see_all_off(rg_meeting *m) {
    star *s = m->own;
    const int64_t deadline_ps = rg_now_ps() + RG_LINGER_MS * ms_ps;
    for (bool open = true; open && rg_now_ps() < deadline_ps;) {
        nfds_t n = 0;
        for (int32_t r = 1; r < m->n_ranks; r++) {
            if (s->lines[r].fd < 0) continue;
            drain(&s->lines[r]);
            s->polls[n++] = (struct pollfd){.fd = s->lines[r].fd, .events = POLLIN};
        }
        open = n > 0;
        if (open) poll(s->polls, n, rg_ms_until(deadline_ps, RG_TICK_MS));
    }
    for (int32_t r = 1; r < m->n_ranks; r++) hang_up(&s->lines[r]);
}

static rs_status fail_gone(const rg_meeting *m, int32_t rank, rs_error *error) {
    return rs_fail(error, RS_UNSUPPORTED, "rank %d of %d has gone: its process ended, or left %s",
                   (int)rank, (int)m->n_ranks, m->place);
}

/* A connection has ended: he may have said why. */
static rs_status ask_why(rg_meeting *m, int32_t rank, rs_error *error) {
    star *s = m->own;
    line *l = &s->lines[rank];
    const bool why = hear(l, FAIL, 0, NULL, 0) == SOMETHING && l->head.kind == FAIL;
    hang_up(l);
    if (!why) return fail_gone(m, rank, error);
    rg_fail_told(l->text, error);
    return RS_UNSUPPORTED;
}

/* ------------------------------------------------------------------ rank 0: who comes */

static void forget(star *s, int i) {
    s->newcomers[i] = s->newcomers[--s->n_newcomers];
}

static void accept_all(star *s, int listener) {
    int fd;
    while ((fd = rg_net_accept(listener)) >= 0) {
        if (s->n_newcomers == MOST_NEWCOMERS) { /* the one that has been silent for longest */
            close(s->newcomers[0].fd);
            memmove(s->newcomers, s->newcomers + 1, (MOST_NEWCOMERS - 1) * sizeof *s->newcomers);
            s->n_newcomers--;
        }
        s->newcomers[s->n_newcomers++] = (newcomer){.fd = fd};
    }
}

/* Hears a newcomer out; SOMETHING: the hello is whole. */
static heard hear_hello(newcomer *c) {
    while (c->n < sizeof c->hello) {
        const ssize_t n = recv(c->fd, (char *)&c->hello + c->n, sizeof c->hello - c->n, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return NOTHING;
        if (n <= 0) return GONE;
        c->n += (size_t)n;
        const size_t known = c->n < sizeof hello_magic ? c->n : sizeof hello_magic;
        if (memcmp(c->hello.magic, hello_magic, known) != 0) return GARBAGE;
    }
    return SOMETHING;
}

/* Gives the newcomer his place, or says why he has none. */
static rs_status seat(rg_meeting *m, const newcomer *c, rs_error *error) {
    star *s = m->own;
    const int64_t r = c->hello.rank;
    const bool taken = r >= 0 && r < m->n_ranks && !s->absent[r];
    const rg_comer comer = {c->hello.version, c->hello.n_ranks, r, taken};
    rs_status status;
    if (c->hello.protocol != RG_MEET_PROTOCOL) {
        status =
            rs_fail(error, RS_BAD_INPUT,
                    "another version of ringsim came to %s; install the same everywhere", m->place);
    } else {
        status = rg_judge_comer(m->place, &comer, RINGSIM_VERSION, m->n_ranks, error);
    }
    if (status != RS_OK) return status;
    s->lines[r].fd = c->fd;
    s->absent[r] = false;
    return RS_OK;
}

/* `over`: the meeting has failed, and this is why; who comes now is told, and sent away. */
static rs_status hear_newcomers(rg_meeting *m, const rs_error *over, rs_status status,
                                rs_error *error) {
    star *s = m->own;
    for (int i = s->n_newcomers - 1; i >= 0; i--) {
        newcomer *c = &s->newcomers[i];
        const heard what = hear_hello(c);
        if (what == NOTHING) continue;
        rs_status own = RS_OK;
        line guest = {.fd = c->fd};
        if (what == SOMETHING && over == NULL) own = seat(m, c, error);
        if (what == SOMETHING && over != NULL) say_goodbye(&guest, status, over);
        if (own != RS_OK) say_goodbye(&guest, own, error);
        if (what != SOMETHING || over != NULL || own != RS_OK) hang_up(&guest);
        forget(s, i);
        if (own != RS_OK) return own;
    }
    return RS_OK;
}

/* Waits for whatever happens first: a newcomer, a word from one, the end of one who had come. */
static rs_status watch_door(rg_meeting *m, int64_t deadline_ps, bool over, rs_error *error) {
    star *s = m->own;
    nfds_t n = 0;
    for (int i = 0; i < s->n_listeners; i++) {
        s->polls[n++] = (struct pollfd){.fd = s->listeners[i], .events = POLLIN};
    }
    for (int i = 0; i < s->n_newcomers; i++) {
        s->polls[n++] = (struct pollfd){.fd = s->newcomers[i].fd, .events = POLLIN};
    }
    const nfds_t first = n;
    for (int32_t r = 1; r < m->n_ranks && !over; r++) {
        s->polls[n++] = (struct pollfd){.fd = s->lines[r].fd, .events = POLLRDHUP};
    }
    if (poll(s->polls, n, rg_ms_until(deadline_ps, RG_TICK_MS)) <= 0) return RS_OK;
    for (int32_t r = 1; r < m->n_ranks && !over; r++) {
        if (s->polls[first + (nfds_t)r - 1].revents == 0) continue;
        return ask_why(m, r, error);
    }
    for (int i = 0; i < s->n_listeners; i++) {
        if (s->polls[i].revents != 0) accept_all(s, s->listeners[i]);
    }
    return RS_OK;
}

static bool all_there(const rg_meeting *m) {
    const star *s = m->own;
    for (int32_t r = 0; r < m->n_ranks; r++) {
        if (s->absent[r]) return false;
    }
    return true;
}

static rs_status gather(rg_meeting *m, int64_t deadline_ps, rs_error *error) {
    star *s = m->own;
    char absent[LONGEST_TEXT];
    rs_status status = RS_OK;
    while (status == RS_OK && !all_there(m)) {
        if (rg_now_ps() > deadline_ps) {
            rg_name_absent(s->absent, m->n_ranks, absent, sizeof absent);
            return rg_fail_late(m, absent, error);
        }
        status = watch_door(m, deadline_ps, false, error);
        if (status == RS_OK) status = hear_newcomers(m, NULL, RS_OK, error);
        if (status == RS_OK && !all_there(m)) tell_waits(m);
    }
    return status;
}

/* Those who come late shall hear why, too. */
static void linger(rg_meeting *m, rs_status status, const rs_error *error) {
    const int64_t deadline_ps = rg_now_ps() + RG_LINGER_MS * ms_ps;
    rs_error unused;
    while (!all_there(m) && rg_now_ps() < deadline_ps) {
        watch_door(m, deadline_ps, true, &unused);
        hear_newcomers(m, error, status, &unused);
    }
}

static void close_door(star *s) {
    while (s->n_listeners > 0) close(s->listeners[--s->n_listeners]);
    while (s->n_newcomers > 0) close(s->newcomers[--s->n_newcomers].fd);
}

/* ------------------------------------------------------------------ the others: coming */

static void say_hello(const rg_meeting *m, line *l) {
    hello h = {.protocol = RG_MEET_PROTOCOL, .n_ranks = m->n_ranks, .rank = m->rank};
    memcpy(h.magic, hello_magic, sizeof h.magic);
    strncpy(h.version, RINGSIM_VERSION, sizeof h.version - 1);
    if (send(l->fd, &h, sizeof h, MSG_NOSIGNAL) != (ssize_t)sizeof h) hang_up(l);
}

/* What rank 0 said that is no data. false: it is to be waited for more. */
static bool told(rg_meeting *m, line *l, heard what, rs_status *status, rs_error *error) {
    star *s = m->own;
    if (what == SOMETHING && l->head.kind == WAITS) {
        if (l->head.number == m->n_exchanges) memcpy(s->waits, l->text, sizeof s->waits);
        return false;
    }
    if (what == SOMETHING && l->head.kind == FAIL) {
        const bool known = l->head.number > RS_OK && l->head.number <= RS_CANCELLED;
        *status = known ? (rs_status)l->head.number : RS_UNSUPPORTED;
        rg_fail_told(l->text, error);
    } else if (what == GARBAGE || what == OTHER) {
        *status = rs_fail(error, RS_BAD_INPUT,
                          "what listens at %s is no rank 0 of ringsim, or of another run; choose "
                          "another port",
                          m->place);
    } else if (what == GONE) {
        *status = fail_gone(m, 0, error);
    }
    return *status != RS_OK;
}

/* Waits at rank 0's door; GONE: it was closed, try again. */
static heard wait_welcome(rg_meeting *m, line *l, int64_t deadline_ps, rs_status *status,
                          rs_error *error) {
    while (rg_now_ps() <= deadline_ps) {
        struct pollfd in = {.fd = l->fd, .events = POLLIN};
        poll(&in, 1, rg_ms_until(deadline_ps, RG_TICK_MS));
        heard what = SOMETHING;
        while (what == SOMETHING) {
            what = hear(l, WELCOME, 0, l->text, 0);
            if (what == SOMETHING && l->head.kind == WELCOME) return SOMETHING;
            if (what == GONE) return GONE;
            if (told(m, l, what, status, error)) return GARBAGE;
        }
    }
    return NOTHING;
}

static rs_status fail_no_rank0(const rg_meeting *m, const char *why, rs_error *error) {
    const star *s = m->own;
    if (s->waits[0] != '\0') return rg_fail_late(m, s->waits, error);
    return rs_fail(error, RS_UNSUPPORTED, "rank 0 of %d has not come to %s within %g s (%s)%s",
                   (int)m->n_ranks, m->place, m->timeout_ms / 1000.0, why, m->hint);
}

static rs_status come(rg_meeting *m, int64_t deadline_ps, rs_error *error) {
    enum { FIRST_NAP_MS = 5, LONGEST_NAP_MS = 200 };
    star *s = m->own;
    line *l = &s->lines[0];
    const char *why = "";
    rs_status status = RS_OK;
    for (int nap = FIRST_NAP_MS;; nap = nap * 2 < LONGEST_NAP_MS ? nap * 2 : LONGEST_NAP_MS) {
        *l = (line){.fd = rg_net_connect(m, deadline_ps, &why, &status, error)};
        if (l->fd < 0 && status != RS_OK) return status;
        if (l->fd >= 0) say_hello(m, l);
        if (l->fd >= 0) {
            const heard what = wait_welcome(m, l, deadline_ps, &status, error);
            if (what == SOMETHING) return RS_OK;
            if (what == NOTHING && s->waits[0] != '\0') {
                status = rg_fail_late(m, s->waits, error);
                tell(l, FAIL, status, error->text);
            }
            hang_up(l);
            if (status != RS_OK) return status;
            if (what == GONE && s->waits[0] != '\0') return fail_gone(m, 0, error);
            why = what == GONE ? "who listens there hangs up" : "who listens there is silent";
        }
        if (rg_now_ps() + nap * ms_ps > deadline_ps) return fail_no_rank0(m, why, error);
        rg_nap_ms(nap);
    }
}

/* ------------------------------------------------------------------ rank 0: opening the door */

/* The port is taken: by another rank 0 of ours? Then both shall say so. */
static rs_status ask_who_listens(rg_meeting *m, int64_t deadline_ps, rs_error *error) {
    star *s = m->own;
    const int64_t soon_ps = rg_now_ps() + RG_LINGER_MS * ms_ps;
    const int64_t until_ps = soon_ps < deadline_ps ? soon_ps : deadline_ps;
    const char *why;
    rs_status status;
    rs_error answer;
    line *l = &s->lines[0];
    *l = (line){.fd = rg_net_connect(m, until_ps, &why, &status, &answer)};
    if (l->fd < 0) return RS_OK;
    say_hello(m, l);
    status = RS_OK;
    if (l->fd >= 0) wait_welcome(m, l, until_ps, &status, &answer);
    const bool ours = status != RS_OK && l->head.kind == FAIL;
    hang_up(l);
    if (ours) *error = answer;
    return ours ? status : RS_OK;
}

static rs_status open_door(rg_meeting *m, int64_t deadline_ps, rs_error *error) {
    enum { TRIES = 5, NAP_MS = 100 };
    star *s = m->own;
    rs_status status = RS_OK;
    for (int i = 0; i < TRIES; i++) { /* one who has just left may still be in the door */
        bool busy;
        status = rg_net_listen(m, s->listeners, &s->n_listeners, &busy, error);
        if (status == RS_OK || !busy) return status;
        const rs_status asked = ask_who_listens(m, deadline_ps, error);
        if (asked != RS_OK) return asked;
        if (rg_now_ps() + NAP_MS * ms_ps > deadline_ps) return status;
        rg_nap_ms(NAP_MS);
    }
    return status;
}

static rs_status receive_all(rg_meeting *m, int64_t deadline_ps, rs_error *error) {
    star *s = m->own;
    s->absent[0] = false;
    rs_status status = open_door(m, deadline_ps, error);
    if (status != RS_OK) return status;
    status = gather(m, deadline_ps, error);
    if (status != RS_OK) {
        rs_error why = *error;
        say_all_goodbye(m, status, &why);
        linger(m, status, &why);
        see_all_off(m);
    }
    close_door(s);
    for (int32_t r = 1; r < m->n_ranks && status == RS_OK; r++) {
        tell(&s->lines[r], WELCOME, 0, "");
    }
    return status;
}

static rs_status join(rg_meeting *m, int64_t deadline_ps, rs_error *error) {
    const size_t n = (size_t)m->n_ranks;
    star *s = m->own = calloc(1, sizeof *s);
    if (s != NULL) {
        s->lines = calloc(n, sizeof *s->lines);
        s->absent = malloc(n);
        s->polls = calloc(n + RG_MOST_LISTENERS + MOST_NEWCOMERS, sizeof *s->polls);
    }
    if (s == NULL || s->lines == NULL || s->absent == NULL || s->polls == NULL) {
        return rs_fail(error, RS_NO_MEMORY, "no memory to meet %d ranks", (int)n);
    }
    for (size_t r = 0; r < n; r++) s->lines[r].fd = -1;
    memset(s->absent, true, n);
    rs_error why = {.text = ""};
    const rs_status status =
        m->rank == 0 ? receive_all(m, deadline_ps, &why) : come(m, deadline_ps, &why);
    s->waits[0] = '\0';
    if (status != RS_OK && error != NULL) *error = why;
    return status;
}

/* ------------------------------------------------------------------ an exchange */

static rs_status fail_other(const rg_meeting *m, int32_t rank, const head *h, size_t n_bytes,
                            rs_error *error) {
    return rs_fail(
        error, RS_BAD_INPUT,
        "rank %d gives %lld bytes to exchange %lld, rank 0 %zu bytes to exchange %lld: they "
        "run different jobs",
        (int)rank, (long long)h->length, (long long)h->number, n_bytes, (long long)m->n_exchanges);
}

/* Takes in what one of them says. */
static rs_status take(rg_meeting *m, int32_t r, char *all, size_t n_bytes, short happened,
                      rs_error *error) {
    star *s = m->own;
    line *l = &s->lines[r];
    if (!s->absent[r]) { /* it has said all it may: now it waits, or has gone */
        if ((happened & (POLLRDHUP | POLLHUP | POLLERR)) == 0) return RS_OK;
        return ask_why(m, r, error);
    }
    switch (hear(l, DATA, m->n_exchanges, all + (size_t)r * n_bytes, n_bytes)) {
    case NOTHING: return RS_OK;
    case SOMETHING:
        s->absent[r] = l->head.kind != DATA;
        if (l->head.kind != FAIL) return RS_OK;
        hang_up(l);
        rg_fail_told(l->text, error);
        return RS_UNSUPPORTED;
    case OTHER: return fail_other(m, r, &l->head, n_bytes, error);
    case GONE: hang_up(l); return fail_gone(m, r, error);
    default:
        hang_up(l);
        return rs_fail(error, RS_BAD_INPUT, "rank %d of %d talks nonsense at %s", (int)r,
                       (int)m->n_ranks, m->place);
    }
}

static rs_status fail_absent(const rg_meeting *m, rs_error *error) {
    const star *s = m->own;
    char absent[LONGEST_TEXT];
    rg_name_absent(s->absent, m->n_ranks, absent, sizeof absent);
    return rg_fail_late(m, absent, error);
}

static rs_status collect(rg_meeting *m, char *all, size_t n_bytes, int64_t deadline_ps,
                         rs_error *error) {
    star *s = m->own;
    while (!all_there(m)) {
        for (int32_t r = 1; r < m->n_ranks; r++) {
            if (s->lines[r].fd < 0) return fail_gone(m, r, error);
            const short wanted = (short)(s->absent[r] ? POLLIN | POLLRDHUP : POLLRDHUP);
            s->polls[r - 1] = (struct pollfd){.fd = s->lines[r].fd, .events = wanted};
        }
        if (rg_now_ps() > deadline_ps) return fail_absent(m, error);
        poll(s->polls, (nfds_t)m->n_ranks - 1, rg_ms_until(deadline_ps, RG_TICK_MS));
        for (int32_t r = 1; r < m->n_ranks; r++) {
            if (s->polls[r - 1].revents == 0) continue;
            const rs_status status = take(m, r, all, n_bytes, s->polls[r - 1].revents, error);
            if (status != RS_OK) return status;
        }
        if (!all_there(m)) tell_waits(m);
    }
    return RS_OK;
}

/* Who has gone by now has given all the same: the next exchange misses him. */
static rs_status hand_out(rg_meeting *m, const char *all, size_t n_bytes, int64_t deadline_ps,
                          rs_error *error) {
    star *s = m->own;
    const size_t total = n_bytes * (size_t)m->n_ranks;
    memset(s->absent + 1, true, (size_t)m->n_ranks - 1);
    for (;;) {
        for (int32_t r = 1; r < m->n_ranks; r++) {
            line *l = &s->lines[r];
            if (!s->absent[r]) continue;
            const heard what = say(l, ALL, m->n_exchanges, all, total);
            if (what == GONE) hang_up(l);
            s->absent[r] = what == NOTHING;
        }
        if (all_there(m)) return RS_OK;
        if (rg_now_ps() > deadline_ps) return fail_absent(m, error);
        nfds_t n = 0;
        for (int32_t r = 1; r < m->n_ranks; r++) {
            if (!s->absent[r]) continue;
            s->polls[n++] = (struct pollfd){.fd = s->lines[r].fd, .events = POLLOUT};
        }
        poll(s->polls, n, rg_ms_until(deadline_ps, RG_TICK_MS));
    }
}

static rs_status exchange_in_the_middle(rg_meeting *m, const void *own, size_t n_bytes, char *all,
                                        int64_t deadline_ps, rs_error *error) {
    star *s = m->own;
    memset(s->absent + 1, true, (size_t)m->n_ranks - 1);
    s->waits[0] = '\0';
    s->told_ps = rg_now_ps();
    if (n_bytes > 0) memmove(all, own, n_bytes);
    rs_status status = collect(m, all, n_bytes, deadline_ps, error);
    if (status == RS_OK) status = hand_out(m, all, n_bytes, deadline_ps, error);
    if (status != RS_OK) {
        say_all_goodbye(m, status, error);
        see_all_off(m);
    }
    return status;
}

/* What rank 0 said is heard before anything is said: it may have been its last word. */
static rs_status exchange_at_a_point(rg_meeting *m, const void *own, size_t n_bytes, char *all,
                                     int64_t deadline_ps, rs_error *error) {
    star *s = m->own;
    line *l = &s->lines[0];
    const int64_t number = m->n_exchanges;
    rs_status status = RS_OK;
    bool said = false;
    s->waits[0] = '\0';
    while (rg_now_ps() <= deadline_ps) {
        heard what = SOMETHING;
        while (what == SOMETHING) {
            what = hear(l, ALL, number, all, n_bytes * (size_t)m->n_ranks);
            if (what == SOMETHING && l->head.kind == ALL) return RS_OK;
            if (told(m, l, what, &status, error)) return status;
        }
        if (!said) said = say(l, DATA, number, own, n_bytes) != NOTHING;
        struct pollfd both = {.fd = l->fd, .events = (short)(said ? POLLIN : POLLIN | POLLOUT)};
        poll(&both, 1, rg_ms_until(deadline_ps, RG_TICK_MS));
    }
    if (s->waits[0] == '\0') {
        snprintf(s->waits, sizeof s->waits, "rank 0 of %d has", (int)m->n_ranks);
    }
    status = rg_fail_late(m, s->waits, error);
    tell(l, FAIL, status, error->text);
    return status;
}

static rs_status exchange(rg_meeting *m, const void *own, size_t n_bytes, void *all,
                          int64_t deadline_ps, rs_error *error) {
    return m->rank == 0 ? exchange_in_the_middle(m, own, n_bytes, all, deadline_ps, error)
                        : exchange_at_a_point(m, own, n_bytes, all, deadline_ps, error);
}

static void part(rg_meeting *m) {
    star *s = m->own;
    if (s == NULL) return;
    close_door(s);
    for (int32_t r = 0; s->lines != NULL && r < m->n_ranks; r++) hang_up(&s->lines[r]);
    free(s->lines);
    free(s->absent);
    free(s->polls);
    free(s);
}

const rg_way rg_way_tcp = {join, exchange, part};
