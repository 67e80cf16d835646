/* bootstrap_ways.h: what the ways to find each other share: bootstrap.c chooses one; tcp_bootstrap.c and
 * file_bootstrap.c are the two. Private to gpu/.
 */
#pragma once

#include "bootstrap/bootstrap.h"

enum {
    RG_BOOTSTRAP_PROTOCOL = 2,
    RG_VERSION_BYTES = 32,
    RG_LONGEST_HOST = 256,
    RG_LINGER_MS = 1000, /* so long a rank that sees a fault stays to tell late ranks */
    RG_TICK_MS = 100
};

typedef struct rg_way {
    /* Each returns by the deadline, whatever the other ranks do. */
    rs_status (*join)(rg_bootstrap *bootstrap, int64_t deadline_ps, rs_error *error);
    rs_status (*exchange)(rg_bootstrap *bootstrap, const void *own, size_t n_bytes, void *all,
                          int64_t deadline_ps, rs_error *error);
    void (*leave)(rg_bootstrap *bootstrap); /* frees `own`, however far join came */
} rg_way;
extern const rg_way rg_way_tcp, rg_way_file;

struct rg_bootstrap {
    const rg_way *way;
    int32_t rank, n_ranks;
    int32_t timeout_ms;         /* of the call that runs, for its error */
    char host[RG_LONGEST_HOST]; /* tcp */
    char port[8];
    const char *path;           /* file */
    char place[320];            /* as people read it: "tcp://127.0.0.1:29500" */
    char hint[512];             /* what may be wrong with that place, who was refused there; "" */
    char listens[160];          /* tcp, rank 0: where, if not at that place, and why; "" */
    char token[RG_TOKEN_BYTES]; /* of this job, as in rg_launch_env_token */
    int64_t n_exchanges;        /* that have begun */
    rs_status broken;           /* not RS_OK: no exchange works any more; `why` says why */
    rs_error why;
    void *own; /* of the way */
};

/* ------------------------------------------------------------------ bootstrap_words.c */

/* Writes "rank 2 of 4 has" or "ranks 1, 2, 3 and 4 more of 9 have": the start of every sentence on
   missing ranks. */
void rg_name_absent(const bool absent[], int32_t n_ranks, char *out, size_t n_out);
/* Fails with "... not come to PLACE within 10 s", or "... not answered at PLACE within 10 s". */
rs_status rg_fail_late(const rg_bootstrap *bootstrap, const char *absent, rs_error *error);
rs_status rg_fail_absent(const rg_bootstrap *bootstrap, const bool absent[], rs_error *error);
/* Fails with "rank 3 of 4 has gone: ...". */
rs_status rg_fail_gone(const rg_bootstrap *bootstrap, int32_t rank, rs_error *error);
/* Makes one printable line of a text that another process sent. */
void rg_fail_text(const char *text, rs_error *error);
/* What a process claims to be when it joins. */
typedef struct rg_joiner {
    const char *version; /* at most RG_VERSION_BYTES, any bytes */
    const char *token;   /* at most RG_TOKEN_BYTES, any bytes */
    int64_t n_ranks, rank;
    bool taken; /* another process has that rank */
} rg_joiner;
/* Compares the claim with the job, the version and the number of the ranks at PLACE. A process that
   fails is refused alone, and the others go on waiting: it may not belong to them. */
rs_status rg_check_joiner(const char *place, const rg_joiner *joiner, const char *token,
                          const char *version, int64_t n_ranks, rs_error *error);
/* Notes who was refused, for the error if a rank stays away. */
void rg_note_refused(rg_bootstrap *bootstrap, const char *why);

/* ------------------------------------------------------------------ tcp_addresses.c */

enum { RG_MOST_LISTENERS = 4 };
/* Splits HOST:PORT; an IPv6 address stands in brackets, no host means the loopback. */
rs_status rg_net_parse(const char *text, rg_bootstrap *bootstrap, rs_error *error);
/* Listens at every address of the host; *busy: another program has the port (the error says so). If
   the name means the loopback here, or the address belongs to no interface here (but to a service
   that leads others here), it listens at every address of this machine, provided that a token
   identifies the others and they may be elsewhere. bootstrap->listens says so. */
rs_status rg_net_listen(rg_bootstrap *bootstrap, int listeners[RG_MOST_LISTENERS], int *n,
                        bool *busy, int64_t deadline_ps, rs_error *error);
/* Connects to any address of the host; -1: not now, `why` says in a few words why. *status is not
   RS_OK if no later try can succeed. */
int rg_net_connect(const rg_bootstrap *bootstrap, int64_t deadline_ps, const char **why,
                   rs_status *status, rs_error *error);
int rg_net_accept(int listener); /* -1: no connection is waiting */
/* Returns the milliseconds until the deadline, at least 1 and at most `most`. */
int rg_ms_until(int64_t deadline_ps, int most);
