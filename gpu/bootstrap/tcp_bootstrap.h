/* tcp_bootstrap.h: what the files of the star of connections share. Private to gpu/.
 *
 *     tcp_addresses.c    addresses, listening, connecting      tcp_accept.c        rank 0: who comes
 *     tcp_connection.c         one connection                     tcp_bootstrap.c   the way to meet as a whole
 *     tcp_store.c         what both of the right side share
 */
#ifndef RG_TCP_BOOTSTRAP_H
#define RG_TCP_BOOTSTRAP_H

#include "bootstrap/bootstrap_ways.h"

enum { RG_MESSAGE_TEXT = 512, RG_MOST_NEWCOMERS = 64 };

/* What is said on a connection after the hello; the first three with a text. */
typedef enum rg_message_kind { RG_WELCOME = 1, RG_WAITS, RG_FAIL, RG_DATA, RG_ALL } rg_message_kind;

typedef struct rg_hello { /* the first thing that is said; its layout never changes */
    char magic[8];
    int64_t protocol;
    char version[RG_VERSION_BYTES];
    int64_t n_ranks, rank;
} rg_hello;

typedef struct rg_message_head { /* before everything that is said later */
    char magic[8];
    int64_t kind, number, length;
} rg_message_head;

typedef struct rg_connection { /* a connection */
    int fd;                    /* -1: there is none, or the other end has gone */
    rg_message_head head;      /* of what is being heard, */
    size_t n_head;             /* as far as it came, */
    size_t n_body;             /* and of its body */
    char text[RG_MESSAGE_TEXT];
    size_t n_sent; /* of what is being said */
} rg_connection;

typedef struct rg_newcomer { /* a connection that has not said whose it is */
    int fd;
    rg_hello hello;
    size_t n;
} rg_newcomer;

typedef struct rg_tcp_store {
    rg_connection *connections; /* [N]: of rank 0, one to each other; of the others, [0] */
    bool *absent;               /* [N] who is being waited for */
    struct pollfd *polls;       /* [N + listeners + newcomers] */
    int listeners[RG_MOST_LISTENERS];
    int n_listeners;
    rg_newcomer newcomers[RG_MOST_NEWCOMERS];
    int n_newcomers;
    char waits[RG_MESSAGE_TEXT]; /* who is missing, as rank 0 said last */
    int64_t waits_sent_ps;       /* when rank 0 did */
} rg_tcp_store;

/* ------------------------------------------------------------------ tcp_connection.c */

typedef enum rg_io_status {
    RG_IO_PENDING, /* that is whole */
    RG_IO_DONE,
    RG_IO_CLOSED,    /* the other end has */
    RG_IO_MALFORMED, /* what came is none of ours */
    RG_IO_MISMATCH   /* its number or length is not the one that is expected */
} rg_io_status;
/* Hears what is there; RG_IO_DONE: see line->head and line->text. A body of the kind that is expected
   goes into `room`, which has exactly its size. */
rg_io_status rg_connection_receive(rg_connection *connection, rg_message_kind expected,
                                   int64_t number, char *room, size_t n_room);
/* Says as much as there is room for. */
rg_io_status rg_connection_send(rg_connection *connection, rg_message_kind what, int64_t number,
                                const void *body, size_t n_body);
void rg_connection_send_text(rg_connection *connection, rg_message_kind what, int64_t number,
                             const char *text); /* now or never */
void rg_connection_send_fail(rg_connection *connection, rs_status status, const rs_error *error);
void rg_connection_close(rg_connection *connection);
void rg_hello_send(const rg_bootstrap *bootstrap, rg_connection *connection);
rg_io_status rg_hello_receive(rg_newcomer *newcomer);

/* ------------------------------------------------------------------ tcp_accept.c */

/* Opens the door, and closes it when all are there, or it has failed and all were told. */
rs_status rg_accept_ranks(rg_bootstrap *bootstrap, int64_t deadline_ps, rs_error *error);
void rg_accept_close(rg_tcp_store *star);

/* ------------------------------------------------------------------ tcp_store.c */

bool rg_tcp_store_complete(const rg_bootstrap *bootstrap); /* nobody is absent */
void rg_tcp_store_send_waits(rg_bootstrap *bootstrap);
void rg_tcp_store_send_fail(rg_bootstrap *bootstrap, rs_status status, const rs_error *error);
void rg_tcp_store_close(rg_bootstrap *bootstrap);
rs_status rg_tcp_store_fail_gone(const rg_bootstrap *bootstrap, int32_t rank, rs_error *error);
rs_status rg_tcp_store_receive_fail(rg_bootstrap *bootstrap, int32_t rank, rs_error *error);
/* Takes in what rank 0 said that is no data. false: it is to be waited for more. */
bool rg_tcp_store_handle_control(rg_bootstrap *bootstrap, rg_connection *connection,
                                 rg_io_status what, rs_status *status, rs_error *error);
/* Waits at rank 0's door; RG_IO_CLOSED: it was closed. *status is not RS_OK: it is over, and why. */
rg_io_status rg_tcp_store_wait_welcome(rg_bootstrap *bootstrap, rg_connection *connection,
                                       int64_t deadline_ps, rs_status *status, rs_error *error);

#endif
