/* bootstrap_world.h: real processes that are started as ranks, for the tests of how ranks find each other.
 *
 *     world w = world_make("tcp", 3);             by MASTER_PORT ("env"), an address, or a file
 *     w.act = world_swap_sizes;                   what each does once they have met
 *     world_run(&w);  world_wants_good(&w);       or world_wants(&w, 2, "rank 1 of 3 has gone", 5)
 *
 * Each child writes what became of it into memory that all share.
 */
#pragma once

#include "bootstrap/bootstrap.h"

#include <sys/types.h>

enum { WORLD_MOST = 10, WORLD_TIMEOUT_MS = 60000 };
extern const char *const world_ways[3]; /* "env", "tcp", "file" */

/* What one process is told, and what became of it. */
typedef struct world_rank {
    int32_t rank, n_ranks, timeout_ms;
    int32_t delay_ms; /* after those without a delay began */
    rs_status status;
    char text[512];
    double seconds;
    bool ended;
    volatile bool began;
    int n_open;  /* files and sockets that it had not open before */
    int n_until; /* for .before and what it sets */
    pid_t pid;
} world_rank;

typedef struct world {
    char init[256];
    int n; /* processes */
    world_rank *ranks;
    void (*before)(world_rank *me); /* joining */
    rs_status (*act)(rg_bootstrap *bootstrap, const world_rank *me, rs_error *error);
} world;

/* Makes a world of n ranks that have not begun. */
world world_make(const char *way, int n);
/* Starts its processes; waits for them: whoever does not end is killed, and has not `ended`. */
void world_begin(world *w);
void world_end(world *w);
void world_run(world *w); /* both */
void world_end_all(world worlds[], int n);
/* The file of file://, and the folder of these files, which world_tidy removes: a suite's .fini. */
char *world_path(const char *init);
const char *world_folder(void);
void world_tidy(void);
int world_port(const world *w); /* of tcp:// */

/* All have met; process i, or each, failed with the text within so many seconds of a machine that does nothing else. */
void world_wants_good(const world *w);
void world_wants(const world *w, int i, const char *text, double seconds);
void world_wants_all(const world *w, const char *text, double seconds);

/* Exchanges n bytes, other ones each turn, and looks at all that came; for .act: sizes of all kinds. */
rs_status world_swap(rg_bootstrap *bootstrap, const world_rank *me, size_t n, int turn,
                     rs_error *error);
rs_status world_swap_sizes(rg_bootstrap *bootstrap, const world_rank *me, rs_error *error);

/* Returns a socket that is bound to a free port and does not listen: while it is open nobody else gets the port. */
int held_port(int *port);
/* Connects to a port of the loopback as soon as somebody listens there. */
int connect_port(int port);
