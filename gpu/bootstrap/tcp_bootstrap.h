/* tcp_bootstrap.h: what the files of the TCP store share. Private to gpu/.
 *
 *     tcp_addresses.c    addresses, listening, connecting
 *     tcp_connection.c   one connection: messages in and out, without ever blocking
 *     tcp_accept.c       rank 0: accepts the other ranks, or refuses them
 *     tcp_bootstrap.c        what accepting and exchanging share: who is absent, failures, the end
 *     tcp_bootstrap.c    the whole: join, exchange, leave
 */
#pragma once

#include "bootstrap/bootstrap_ways.h"

enum { RG_MESSAGE_TEXT = 512, RG_MOST_NEWCOMERS = 64 };

/* The kinds of messages after the hello; the first three carry a text. */
typedef enum rg_message_kind { RG_WELCOME = 1, RG_WAITS, RG_FAIL, RG_DATA, RG_ALL } rg_message_kind;

typedef struct
    rg_hello { /* the first bytes on a connection; the layout up to `rank` never changes */
    char magic[8];
    int64_t protocol;
    char version[RG_VERSION_BYTES];
    int64_t n_ranks, rank;
    char token[RG_TOKEN_BYTES]; /* from protocol 2 on */
} rg_hello;

typedef struct rg_message_head { /* in front of every later message */
    char magic[8];
    int64_t kind, number, length;
} rg_message_head;

typedef struct rg_connection {
    int fd;               /* -1: there is none, or the other end has closed it */
    rg_message_head head; /* of the incoming message ... */
    size_t n_head;        /* ... the bytes of it that have come ... */
    size_t n_body;        /* ... and those of its body */
    char text[RG_MESSAGE_TEXT];
    size_t n_sent; /* bytes of the outgoing message that the socket has taken */
} rg_connection;

typedef struct rg_newcomer { /* a connection whose hello is not complete */
    int fd;
    rg_hello hello;
    size_t n;
} rg_newcomer;

typedef struct rg_tcp_store {
    rg_connection *connections; /* [N]: of rank 0, one to each other; of the others, [0] */
    bool *absent;               /* [N] the ranks that this rank waits for */
    struct pollfd *polls;       /* [N + listeners + newcomers] */
    int listeners[RG_MOST_LISTENERS];
    int n_listeners;
    rg_newcomer newcomers[RG_MOST_NEWCOMERS];
    int n_newcomers;
    char waits[RG_MESSAGE_TEXT]; /* who is missing, by rank 0's last message */
    int64_t waits_sent_ps;       /* when rank 0 sent it */
} rg_tcp_store;

/* ------------------------------------------------------------------ tcp_connection.c */

typedef enum rg_io_status {
    RG_IO_PENDING,   /* the message is not complete */
    RG_IO_DONE,      /* it is */
    RG_IO_CLOSED,    /* the other end has closed the connection */
    RG_IO_MALFORMED, /* it is no message of this protocol */
    RG_IO_MISMATCH   /* it has another number or length than expected */
} rg_io_status;
/* Receives what has arrived; RG_IO_DONE: see connection->head and connection->text. A body of the
   expected kind goes into `room`, which has exactly its size. */
rg_io_status rg_connection_receive(rg_connection *connection, rg_message_kind expected,
                                   int64_t number, char *room, size_t n_room);
/* Sends as much as the socket takes. */
rg_io_status rg_connection_send(rg_connection *connection, rg_message_kind what, int64_t number,
                                const void *body, size_t n_body);
void rg_connection_send_text(rg_connection *connection, rg_message_kind what, int64_t number,
                             const char *text); /* at once or not at all */
void rg_connection_send_fail(rg_connection *connection, rs_status status, const rs_error *error);
void rg_connection_close(rg_connection *connection);
void rg_hello_send(const rg_bootstrap *bootstrap, rg_connection *connection);
rg_io_status rg_hello_receive(rg_newcomer *newcomer);

bool rg_tcp_store_complete(const rg_bootstrap *bootstrap); /* no rank is absent */
void rg_tcp_store_send_waits(rg_bootstrap *bootstrap);
void rg_tcp_store_send_fail(rg_bootstrap *bootstrap, rs_status status, const rs_error *error);
void rg_tcp_store_close(rg_bootstrap *bootstrap);
rs_status rg_tcp_store_receive_fail(rg_bootstrap *bootstrap, int32_t rank, rs_error *error);
/* Handles a message of rank 0 that carries no data. false: this rank waits on. */
bool rg_tcp_store_handle_control(rg_bootstrap *bootstrap, rg_connection *connection,
                                 rg_io_status what, rs_status *status, rs_error *error);
/* Waits until rank 0 welcomes this rank; RG_IO_CLOSED: rank 0 closed the connection. *status is not
   RS_OK: joining has failed, and the error says why. */
rg_io_status rg_tcp_store_wait_welcome(rg_bootstrap *bootstrap, rg_connection *connection,
                                       int64_t deadline_ps, rs_status *status, rs_error *error);

/* ------------------------------------------------------------------ tcp_accept.c */

/* Listens until all ranks have joined, or joining has failed and every rank knows why. */
rs_status rg_accept_ranks(rg_bootstrap *bootstrap, int64_t deadline_ps, rs_error *error);
void rg_accept_close(rg_tcp_store *store);
