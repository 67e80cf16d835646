/* request.h: from options to an rs_request (request.c), with links, faults and values. */
#pragma once

#include "run/command.h"

/* What was asked for: the request, and what it points to. */
typedef struct rc_asked {
    rs_request request;
    rs_schedule schedule; /* request.job.schedule points here */
    const char *file;     /* the schedule's file; NULL: generated */
    rs_machine *machine;  /* request.job.net.machine points here; NULL: private links */
} rc_asked;
/* What is to be run: a file's schedule, or an algorithm and how it is to be. */
typedef struct rc_choice {
    rs_collective collective;
    const rs_algorithm *algorithm; /* NULL: `file` */
    rs_spec spec;                  /* of a file its ranks and root */
    rs_schedule schedule;          /* of the file */
    const char *file;
} rc_choice;
/* Reads what --algo, --collective, --root, --order and --chunks choose; n_ranks: unless a file says how many. */
rc_exit rc_choose(rc_session *session, int32_t n_ranks, rc_choice *choice);
/* Reads and checks all options of a run; nothing has been computed or written by then. */
rc_exit rc_make_request(rc_session *session, rc_asked *asked);
/* The same for a schedule that is there already, whatever --algo and --order say. */
rc_exit rc_request_of(rc_session *session, const rs_schedule *known, rc_asked *asked);
/* Returns how many channels a schedule of the algorithm is to have: --channels, on a machine of several nodes as many as
   a node has links of the network, else 0, which leaves it to the algorithm. */
int32_t rc_channels(const rc_options *options, const rs_machine *machine,
                    const rs_algorithm *algorithm);
/* Refuses --root, --order, --op where the collective has none. */
rc_exit rc_check_collective(const rc_options *options, rs_collective of, rs_error *error);
/* Reads the network, all but machine and places, which stay; n_ranks bounds the ranks that --links may name. */
rc_exit rc_read_net(rc_session *session, int32_t n_ranks, rs_net *net);
/* Returns what a learner's C file is to be held by: --sandbox, or --interpret. */
rc_sandbox_kind rc_kind_of_sandbox(const rc_options *options);
/* Reads a file's schedule, or makes that of a learner's C file for as many ranks. n_ranks 0: nobody said
   how many. */
rc_exit rc_read_schedule(rc_session *session, const char *path, int32_t n_ranks,
                         rs_schedule *schedule);

/* ------------------------------------------------------------------ machine_options.c */

/* Reads --machine, and lets --cut and --slow-link A:B happen to it; *machine is NULL without it. */
rc_exit rc_take_machine(rc_session *session, rs_machine **machine);
/* Reads --place: where n_ranks ranks live; *place is NULL for rank r on GPU r. */
rc_exit rc_take_place(rc_session *session, const rs_machine *machine, int32_t n_ranks,
                      const int32_t **place);

/* Says how the spec's ranks lie in nodes, for an algorithm that knows of nodes: as they live on the machine (net NULL:
   there is none), or as --gpus-per-node and --place say. */
rc_exit rc_take_nodes(rc_session *session, const rs_net *net, const rs_algorithm *algorithm,
                      rs_spec *spec);

/* ------------------------------------------------------------------ links.c, faults.c: pure text */

/* Reads lines src,dst,alpha,bandwidth; sorts them; refuses pairs twice and ranks outside 0..n-1. */
rc_exit rc_parse_links(const char *text, size_t n_bytes, int32_t n_ranks, rs_arena *arena,
                       rs_error *error, rs_link_override **overrides, int32_t *n_overrides);
/* Tells whether a fault is one of a link between two devices, --slow-link A:B:FACTOR; its rank is -1. */
bool rc_is_between_devices(const rs_fault *fault);
/* Refuses a fault whose rank, step or message the schedule does not have. */
rc_exit rc_check_fault(const rc_repeated *typed, const rs_schedule *schedule, int64_t count,
                       rs_error *error);

/* ------------------------------------------------------------------ run_values.c */

/* Takes over --data, --values, --check and --engine: what the ranks hold, and how much is done. */
rc_exit rc_take_values(rc_session *session, rs_request *request);
/* Refuses what this machine has no memory for. */
rc_exit rc_check_memory(rc_session *session, const rs_request *request);
/* Reads --input, which must hold exactly what the run needs. */
rc_exit rc_read_input(rc_session *session, rs_request *request);
