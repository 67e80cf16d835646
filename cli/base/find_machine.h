/* find_machine.h: from what is typed to a machine (find_machine.c), a box of NVLink nodes (box.c).
 *
 *     dgx-h100:2     a preset, of two nodes         box:2,gpus=8,port=370.8GB/s,nics=8x50GB/s
 *     mine.machine   a file; by its content: ringsim's own, NCCL's topology XML, the matrix of nvidia-smi topo -m
 */
#pragma once

#include "base/exit.h"
#include "ringsim_machine.h"

enum { RC_MOST_MACHINES = 64, RC_MACHINE_NAME = 48 };

/* The presets that lie beside the program, in order. */
typedef struct rc_machines {
    const char *names[RC_MOST_MACHINES + 1]; /* ends with NULL */
    char text[RC_MOST_MACHINES][RC_MACHINE_NAME];
} rc_machines;
/* Lists the presets; *found must stay where it is. */
void rc_find_machines(const char *program, rc_machines *found);

/* Reads NAME[:NODES], FILE[:NODES] or box:...: what has a slash, ends in .machine or .xml, or is no preset but lies
   there, is a file. The reason in *error begins with what was typed; the machine lives in the arena. What a reader
   of a topology found besides is printed on stderr. */
rc_exit rc_machine_read(const char *program, const char *typed, rs_arena *arena, rs_error *error,
                        rs_machine *machine);

/* box.c: reads what stands behind "box:" and makes the machine; its name is box: and the text. */
rc_exit rc_read_box(const char *text, rs_arena *arena, rs_error *error, rs_machine *machine);
