/* wires.h: what `machine` tells of a machine: in words and as JSON (wires_print.c). */
#pragma once

#include "base/find_machine.h"
#include "run/command.h"

/* What is shown. */
typedef struct rc_wires {
    const rs_machine *machine;
    int64_t n_bytes; /* of each rank, for the bounds */
    rs_router *router;
    const rs_bound *bounds; /* [RS_N_COLLECTIVES] */
} rc_wires;

/* Draws the machine alone into --export's file, whole or not at all; nothing where there is none (cmd_machine.c). */
rc_exit rc_draw_machine(rc_session *session, const rs_machine *machine);
/* Prints the machine in words: devices, links, routes, bounds. */
rc_exit rc_print_wires(const rc_wires *shown, rs_error *error);
/* Prints the same as JSON. */
void rc_json_machine(const rc_wires *shown, FILE *out);
