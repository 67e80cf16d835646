/* ras_report.h: a made report of NCCL's RAS, and what is read of it: what the tests of its readers share.
 *
 *     ras_again(); ras_say("Job summary\n"); ras_read_text(); --> ras.dumps, ras.error
 */
#pragma once

#include "ringsim_hang.h"

enum { RAS_ROOM = 1 << 16 };

typedef struct ras_report {
    rs_arena scratch, keep;
    rs_error error;
    rn_dump *dumps;
    int32_t n_dumps;
    char text[RAS_ROOM];
    size_t n_text;
    uint64_t state; /* of ras_draw */
} ras_report;
extern ras_report ras;

/* Begins with an empty text; frees all that was read; does the one after the other. */
void ras_start(void);
void ras_stop(void);
void ras_again(void);
/* Returns a number below `below`, from ras.state. */
uint32_t ras_draw(uint32_t below);
/* Adds to the text, as printf does. */
void ras_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Reads it as ncclras prints it. */
rs_status ras_read_text(void);
