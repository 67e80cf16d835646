/* lab.h: a lab is data: what is handed in, how it is judged, and for how many points. */
#pragma once

#include "base/exit.h"
#include "ringsim_machine.h"

#include <limits.h>

enum { RC_MOST_PARTS = 12, RC_TITLE = 96 };

typedef enum rc_check {
    RC_PART_SOUND, /* sound schedules for N = low..high */
    RC_PART_BYTES, /* full at `full` times the least bytes, none at `none` times */
    RC_PART_STEPS, /* as bytes, of steps */
    RC_PART_TIME, /* on the lab's machine: full at `full` times that of an algorithm, none at `none` */
    RC_PART_VALUES, /* a function's answers to random questions */
    RC_PART_JOB     /* which rank broke a job, and at which line; `low`: the job, from 1 */
} rc_check;

typedef struct rc_lab_part {
    rc_check check;
    int points;
    int low, high;     /* sound: N; job: its number */
    double full, none; /* bytes, steps, time */
    char function[32]; /* values; time: the algorithm, or "bound" */
} rc_lab_part;

/* A ladder's rungs; the example is given. What a teacher asks: the lowest rung that counts, and what each of
   the three is worth. */
typedef enum rc_rung { RC_RUNG_EXAMPLE, RC_RUNG_PARSONS, RC_RUNG_FILL, RC_RUNG_WHOLE } rc_rung;
typedef struct rc_ladder {
    rc_rung least;
    int percent[3]; /* of parsons, fill, whole */
} rc_ladder;
/* "parsons", "fill", "whole"; ends with NULL. */
extern const char *const rc_rungs[];

typedef struct rc_lab {
    char id[8];              /* "05" */
    char folder[PATH_MAX];   /* .../lessons/05-scatter-reduce */
    char title[RC_TITLE];    /* in the reader's language */
    char further[200];       /* what to try once its time has all points; "" */
    unsigned asks;           /* RC_ASK_*, of functions in C; 0: a .sched is handed in */
    bool first_phase_only;   /* scatter-reduce only */
    int ranks;               /* of a .sched that is handed in; 0: any */
    char machine[48];        /* what schedules are timed on; "": nothing */
    int64_t n_bytes;         /* an array's, there */
    const rs_machine *wires; /* the machine, for whoever grades; NULL: not read yet */
    rc_ladder ladder;
    int n_parts;
    rc_lab_part parts[RC_MOST_PARTS];
} rc_lab;

/* Keeps the parts that are judged of a file of this name: of a .ranks the jobs, else all others. There may be none. */
rc_lab rc_lab_for(const rc_lab *lab, const char *path);
/* Reads a file of the lab; NULL: it has none, or it cannot be read. */
char *rc_lab_text(const rc_lab *lab, const char *name, rs_arena *arena);
/* Tells whether it hands out broken jobs. */
bool rc_lab_has_jobs(const rc_lab *lab);

/* Finds and reads lessons/NN-name/lab; `name` is NN, N, or NN-name. */
rc_exit rc_read_lab(const char *lessons, const char *name, rs_arena *arena, rs_error *error,
                    rc_lab *lab);

/* Reads all labs there are, by number. */
rc_exit rc_read_labs(const char *lessons, rs_arena *arena, rs_error *error, rc_lab **labs,
                     int *n_labs);
