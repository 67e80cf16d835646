/* wires.h: what `machine` tells of a machine: in words (wires_print.c), as JSON (machine_json.c). */
#ifndef RC_WIRES_H
#define RC_WIRES_H

#include "base/find_machine.h"
#include "run/command.h"

/* What is shown. */
typedef struct rc_wires {
    const rs_machine *machine;
    int64_t n_bytes; /* of each rank, for the bounds */
    rs_router *router;
    const rs_bound *bounds; /* [RS_N_COLLECTIVES] */
} rc_wires;

enum { RC_MOST_LOOKED = 512, RC_ALL_PAIRS = 64 };
/* Lists the GPUs whose routes from GPU 0 are looked at: all, or of a large machine some of each end; returns how
   many. */
int32_t rc_looked_at(const rs_machine *machine, int32_t gpus[RC_MOST_LOOKED]);

/* Draws the machine alone into --export's file, whole or not at all; nothing where there is none (cmd_machine.c). */
rc_exit rc_draw_machine(rc_session *session, const rs_machine *machine);
/* Prints the machine in words: devices, links, routes, bounds. */
rc_exit rc_print_wires(const rc_wires *shown, rs_error *error);
/* Prints what bounds each collective (bounds_print.c). */
void rc_print_bounds(const rc_wires *shown);
/* Returns n_bytes / time x factor in bytes a second; 0: there is no time. */
int64_t rc_busbw_Bps(rs_collective of, int32_t n_gpus, int64_t n_bytes, int64_t time_ps);
/* Prints the same as JSON. */
void rc_json_machine(const rc_wires *shown, FILE *out);

#endif
