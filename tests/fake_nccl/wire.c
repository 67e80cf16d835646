/* wire.c: sockets between the ranks, and what goes through them.
 *
 *     rank r listens at the abstract name  emunccl-TOKEN-r      (nothing on a disk)
 *     rank s > r connects from             emunccl-TOKEN-s-r    (so that r knows who it is)
 *
 *     receiver   READY n  ------------------>  sender, whose message waits for it
 *                <----------------- DATA n     never before: what arrives has its place
 *
 * Everything happens in en_pump, which never waits. What messages hold lies in the device's memory, that
 * only the device can see: their bytes move only while the kernel's step runs (in_step).
 */
#include "nccl_emu.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const uint32_t magic = 0x6e63636c;

/* Fills in an abstract name: its first byte is 0. Returns the length of the address. */
static socklen_t name_of(const struct ncclComm *comm, int rank, int to, struct sockaddr_un *name) {
    memset(name, 0, sizeof *name);
    name->sun_family = AF_UNIX;
    char *text = name->sun_path + 1;
    const size_t room = sizeof name->sun_path - 1;
    int n = snprintf(text, room, "emunccl-");
    for (int i = 0; i < EN_TOKEN_BYTES; i++) {
        n += snprintf(text + n, room - (size_t)n, "%02x", (unsigned char)comm->token[i]);
    }
    n += snprintf(text + n, room - (size_t)n, to < 0 ? "-%d" : "-%d-%d", rank, to);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

ncclResult_t en_listen(struct ncclComm *comm) {
    struct sockaddr_un name;
    const socklen_t n_name = name_of(comm, comm->rank, -1, &name);
    comm->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (comm->listener < 0) return en_warn(ncclSystemError, "socket: %s", strerror(errno));
    if (bind(comm->listener, (struct sockaddr *)&name, n_name) == 0 &&
        listen(comm->listener, EN_MOST_RANKS) == 0) {
        return ncclSuccess;
    }
    if (errno != EADDRINUSE) return en_warn(ncclSystemError, "bind: %s", strerror(errno));
    return en_warn(ncclInternalError, "Bootstrap Root : rank %d of %d ranks has already checked in",
                   comm->rank, comm->n_ranks);
}

/* ------------------------------------------------------------------ connecting */

static void say_hello(struct ncclComm *comm, int peer, int fd) {
    en_hello hello = {.version = en_version(),
                      .rank = comm->rank,
                      .n_ranks = comm->n_ranks,
                      .bus = comm->bus,
                      .host = comm->host,
                      .many_a_gpu = en_is_set("NCCL_MULTI_RANK_GPU_ENABLE", "1")};
    memcpy(hello.token, comm->token, sizeof hello.token);
    comm->peers[peer].fd = fd;
    comm->peers[peer].said_hello = true;
    en_send_frame(comm, peer, EN_HELLO, EN_P2P, sizeof hello, &hello, sizeof hello, NULL);
}

/* Whoever is not there yet, or has its hands full, is tried again at the next look. */
static void reach(struct ncclComm *comm, int peer) {
    struct sockaddr_un own, name;
    const socklen_t n_own = name_of(comm, comm->rank, peer, &own);
    const socklen_t n_name = name_of(comm, peer, -1, &name);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return;
    if (bind(fd, (struct sockaddr *)&own, n_own) == 0 &&
        connect(fd, (struct sockaddr *)&name, n_name) == 0) {
        say_hello(comm, peer, fd);
    } else {
        close(fd);
    }
}

static void answer(struct ncclComm *comm) {
    for (;;) {
        struct sockaddr_un name;
        memset(&name, 0, sizeof name);
        socklen_t n_name = sizeof name;
        const int fd = accept4(comm->listener, (struct sockaddr *)&name, &n_name,
                               SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) return;
        int peer = -1;
        const char *end = strrchr(name.sun_path + 1, '-');
        while (end != NULL && end > name.sun_path + 1 && end[-1] != '-') end--;
        if (end != NULL) peer = atoi(end);
        if (peer > comm->rank && peer < comm->n_ranks && comm->peers[peer].fd < 0 &&
            !comm->peers[peer].said_hello) {
            say_hello(comm, peer, fd);
        } else {
            close(fd);
        }
    }
}

bool en_meet(struct ncclComm *comm) {
    bool all = true;
    for (int r = 0; r < comm->rank; r++) {
        if (!comm->peers[r].said_hello) reach(comm, r);
    }
    answer(comm);
    en_pump(comm);
    for (int r = 0; r < comm->n_ranks; r++) {
        all = all && (r == comm->rank || comm->peers[r].heard_hello);
    }
    return all;
}

/* ------------------------------------------------------------------ out */

void en_send_frame(struct ncclComm *comm, int peer, en_frame_kind kind, uint8_t lane, int64_t n,
                   const void *body, size_t n_body, en_message *message) {
    en_peer *p = &comm->peers[peer];
    if (p->fd < 0) return;
    en_out *out = malloc(sizeof *out + sizeof(en_frame) + n_body);
    if (out == NULL) abort();
    const en_frame frame = {.magic = magic, .kind = (uint8_t)kind, .lane = lane, .n = n};
    *out = (en_out){.n = sizeof frame + n_body, .message = message};
    memcpy(out->bytes, &frame, sizeof frame);
    if (n_body > 0) memcpy(out->bytes + sizeof frame, body, n_body);
    if (message != NULL && message->flip && n_body > 0) out->bytes[sizeof frame] ^= 1;
    if (p->out == NULL) p->out_end = &p->out;
    *p->out_end = out;
    p->out_end = &out->next;
}

static void drop_out(en_peer *p) {
    while (p->out != NULL) {
        en_out *next = p->out->next;
        free(p->out);
        p->out = next;
    }
}

static void lose(struct ncclComm *comm, int peer) {
    en_peer *p = &comm->peers[peer];
    close(p->fd);
    p->fd = -1;
    p->gone = true;
    drop_out(p);
}

static bool flush(struct ncclComm *comm, int peer) {
    en_peer *p = &comm->peers[peer];
    bool moved = false;
    while (p->fd >= 0 && p->out != NULL) {
        en_out *out = p->out;
        const ssize_t n = send(p->fd, out->bytes + out->sent, out->n - out->sent, MSG_NOSIGNAL);
        if (n < 0) {
            /* What a dead peer sent before is still to be read, and the end is found there. */
            if (errno != EAGAIN && errno != EINTR) drop_out(p);
            return moved;
        }
        moved = true;
        out->sent += (size_t)n;
        if (out->sent < out->n) return moved;
        if (out->message != NULL) out->message->done = true;
        p->out = out->next;
        free(out);
    }
    return moved;
}

/* ------------------------------------------------------------------ in */

static void push(en_message **queue, en_message *message) {
    message->next = NULL;
    while (*queue != NULL) queue = &(*queue)->next;
    *queue = message;
}

static void misfit(struct ncclComm *comm, const en_message *message, int64_t n) {
    if (!comm->through_sockets || comm->state != ncclSuccess) return;
    comm->state =
        en_warn(ncclInvalidUsage,
                "NET/Socket : peer %d message truncated : receiving %lld bytes instead of "
                "%lld. If you believe your socket network is in a healthy state, there may "
                "be a mismatch in collective sizes or environment settings between ranks",
                message->peer, (long long)n, (long long)message->n_bytes);
}

/* Sends what the peer is ready for. A message of another size goes nowhere, and both ends wait. */
static void match(struct ncclComm *comm, int peer, uint8_t lane) {
    en_peer *p = &comm->peers[peer];
    while (comm->in_step && p->sends[lane] != NULL && p->n_ready[lane] > 0) {
        en_message *message = p->sends[lane];
        const int64_t n = p->ready[lane][0];
        if (n != message->n_bytes) {
            misfit(comm, message, n);
            return;
        }
        p->n_ready[lane]--;
        memmove(p->ready[lane], p->ready[lane] + 1, (size_t)p->n_ready[lane] * sizeof n);
        p->sends[lane] = message->next;
        en_send_frame(comm, peer, EN_DATA, lane, n, message->data, (size_t)n, message);
    }
}

void en_post(struct ncclComm *comm, en_message *message) {
    en_peer *p = &comm->peers[message->peer];
    message->done = false;
    if (message->is_send) {
        push(&p->sends[message->lane], message);
        match(comm, message->peer, message->lane);
    } else {
        push(&p->recvs[message->lane], message);
        en_send_frame(comm, message->peer, EN_READY, message->lane, message->n_bytes, NULL, 0,
                      NULL);
    }
}

static void heard(struct ncclComm *comm, int peer, const en_frame *frame) {
    en_peer *p = &comm->peers[peer];
    const uint8_t lane = frame->lane;
    switch (frame->kind) {
    case EN_HELLO: p->heard_hello = true; break;
    case EN_TIE: p->ties_heard |= (int)frame->n; break;
    case EN_BYE: p->bye = true; break;
    case EN_READY: {
        const size_t n = (size_t)p->n_ready[lane] + 1;
        p->ready[lane] = realloc(p->ready[lane], n * sizeof *p->ready[lane]);
        if (p->ready[lane] == NULL) abort();
        p->ready[lane][p->n_ready[lane]++] = frame->n;
        match(comm, peer, lane);
        break;
    }
    case EN_DATA:
        p->recvs[lane] = p->arriving->next;
        p->arriving->done = true;
        p->arriving = NULL;
        break;
    default: abort();
    }
}

/* Reads some of a frame; returns recv's answer. */
static ssize_t take(const struct ncclComm *comm, en_peer *p, en_frame *frame) {
    if (p->n_head < sizeof p->head) {
        const ssize_t n = recv(p->fd, p->head + p->n_head, sizeof p->head - p->n_head, 0);
        if (n > 0) p->n_head += (size_t)n;
        if (p->n_head < sizeof p->head) return n;
        memcpy(frame, p->head, sizeof *frame);
        if (frame->magic != magic || frame->lane >= EN_LANES) abort();
        if (frame->kind == EN_DATA) p->arriving = p->recvs[frame->lane];
        if (frame->kind != EN_HELLO && frame->kind != EN_DATA) return n;
        if (frame->n == 0) return n;
    }
    memcpy(frame, p->head, sizeof *frame);
    if (frame->kind == EN_DATA && !comm->in_step) {
        errno = EAGAIN;
        return -1;
    }
    char *body = frame->kind == EN_HELLO ? (char *)&p->hello : p->arriving->data;
    const ssize_t n = recv(p->fd, body + p->n_body, (size_t)frame->n - p->n_body, 0);
    if (n > 0) p->n_body += (size_t)n;
    return n;
}

static bool hear(struct ncclComm *comm, int peer) {
    en_peer *p = &comm->peers[peer];
    bool moved = false;
    while (p->fd >= 0) {
        en_frame frame = {0};
        const ssize_t n = take(comm, p, &frame);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return moved;
        if (n <= 0) {
            lose(comm, peer);
            return moved;
        }
        moved = true;
        const bool has_body = frame.kind == EN_HELLO || frame.kind == EN_DATA;
        if (p->n_head < sizeof p->head || (has_body && (int64_t)p->n_body < frame.n)) continue;
        p->n_head = p->n_body = 0;
        heard(comm, peer, &frame);
    }
    return moved;
}

bool en_pump(struct ncclComm *comm) {
    bool moved = false;
    for (int r = 0; r < comm->n_ranks; r++) {
        if (comm->peers[r].fd < 0) continue;
        for (uint8_t lane = 0; lane < EN_LANES; lane++) match(comm, r, lane);
        moved = flush(comm, r) || moved;
        moved = hear(comm, r) || moved;
        moved = flush(comm, r) || moved;
    }
    return moved;
}

/* ------------------------------------------------------------------ waiting, the end */

void en_nap(const struct ncclComm *comm) {
    struct pollfd fds[EN_MOST_RANKS + 1];
    nfds_t n = 0;
    for (int r = 0; r < comm->n_ranks; r++) {
        const en_peer *p = &comm->peers[r];
        if (p->fd < 0) continue;
        fds[n++] = (struct pollfd){p->fd, (short)(POLLIN | (p->out != NULL ? POLLOUT : 0)), 0};
    }
    if (!comm->made && comm->listener >= 0) fds[n++] = (struct pollfd){comm->listener, POLLIN, 0};
    poll(fds, n, 1);
}

void en_hang_up(struct ncclComm *comm) {
    for (int r = 0; r < comm->n_ranks; r++) {
        if (comm->peers[r].fd >= 0) lose(comm, r);
        for (int lane = 0; lane < EN_LANES; lane++) free(comm->peers[r].ready[lane]);
    }
    if (comm->listener >= 0) close(comm->listener);
    comm->listener = -1;
}
