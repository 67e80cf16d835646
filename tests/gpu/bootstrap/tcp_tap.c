/* tcp_tap.c: see tcp_tap.h. */
#include "gpu/bootstrap/tcp_tap.h"

#include <criterion/criterion.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bootstrap/tcp_bootstrap.h"

/* One direction of a connection: what is whole is taken apart and written down. */
typedef struct ear {
    unsigned char bytes[1 << 16];
    size_t n;
    bool hello_first;
} ear;

typedef struct middle {
    int doors[OVERHEARD_RANKS], clients[OVERHEARD_RANKS], servers[OVERHEARD_RANKS];
    ear up[OVERHEARD_RANKS], down[OVERHEARD_RANKS];
} middle;

static void write_down(record *r, int32_t rank, int32_t kind, int64_t number) {
    cr_assert_lt(r->n, OVERHEARD_SAID);
    r->list[r->n++] = (said){rank, kind, number};
}

static void hear(ear *e, int32_t rank, record *r) {
    for (;;) {
        const size_t first = e->hello_first ? sizeof(rg_hello) : sizeof(rg_message_head);
        if (e->n < first) return;
        rg_message_head head = {.length = 0};
        if (!e->hello_first) memcpy(&head, e->bytes, sizeof head);
        const size_t whole = first + (size_t)head.length;
        cr_assert_leq(whole, sizeof e->bytes);
        if (e->n < whole) return;
        if (e->hello_first) write_down(r, rank, SAID_HELLO, 0);
        if (!e->hello_first && head.kind != RG_WAITS) {
            write_down(r, rank, (int32_t)head.kind, head.number);
        }
        e->hello_first = false;
        e->n -= whole;
        memmove(e->bytes, e->bytes + whole, e->n);
    }
}

/* Hands on what one end says to the other; false: that end has gone. */
static bool relay(int from, int to, ear *e, int32_t rank, record *r) {
    const ssize_t n = recv(from, e->bytes + e->n, sizeof e->bytes - e->n, 0);
    if (n <= 0) return false;
    cr_assert_eq(send(to, e->bytes + e->n, (size_t)n, MSG_NOSIGNAL), n);
    e->n += (size_t)n;
    hear(e, rank, r);
    return true;
}

static void let_in(middle *m, int32_t rank, int port, record *r) {
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int client = accept(m->doors[rank], NULL, NULL);
    const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(server, (struct sockaddr *)&at, sizeof at) != 0) { /* rank 0 is not there yet */
        write_down(r, rank, SAID_REFUSED, 0);
        close(server);
        close(client);
        return;
    }
    m->clients[rank] = client;
    m->servers[rank] = server;
    m->up[rank].hello_first = true;
}

static void hang_up(middle *m, int32_t rank) {
    close(m->clients[rank]);
    close(m->servers[rank]);
    m->clients[rank] = m->servers[rank] = -1;
}

void tcp_tap_stand(const int doors[], int32_t n, int port, const pid_t pids[], record *r) {
    static middle between;
    middle *m = &between;
    memset(m, 0, sizeof *m);
    for (int32_t i = 0; i < n; i++) m->clients[i] = m->servers[i] = -1;
    for (int32_t i = 1; i < n; i++) m->doors[i] = doors[i];
    bool ended[OVERHEARD_RANKS] = {false};
    for (int32_t left = n; left > 0;) {
        struct pollfd all[3 * OVERHEARD_RANKS];
        int32_t who[3 * OVERHEARD_RANKS], n_all = 0;
        for (int32_t i = 1; i < n; i++) {
            const int fds[] = {m->doors[i], m->clients[i], m->servers[i]};
            for (int k = 0; k < 3; k++) {
                who[n_all] = i * 3 + k;
                all[n_all++] = (struct pollfd){.fd = fds[k], .events = POLLIN};
            }
        }
        poll(all, (nfds_t)n_all, 20);
        for (int32_t k = 0; k < n_all; k++) {
            const int32_t i = who[k] / 3;
            if (all[k].revents == 0 || all[k].fd < 0) continue;
            if (who[k] % 3 == 0) let_in(m, i, port, r);
            if (who[k] % 3 == 1 && m->clients[i] == all[k].fd &&
                !relay(m->clients[i], m->servers[i], &m->up[i], i, r)) {
                hang_up(m, i);
            }
            if (who[k] % 3 == 2 && m->servers[i] == all[k].fd &&
                !relay(m->servers[i], m->clients[i], &m->down[i], i, r)) {
                hang_up(m, i);
            }
        }
        for (int32_t i = 0; i < n; i++) {
            if (ended[i] || waitpid(pids[i], NULL, WNOHANG) != pids[i]) continue;
            ended[i] = true;
            left--;
        }
    }
}
