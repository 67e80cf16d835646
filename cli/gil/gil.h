/* gil.h: what the files of `ringsim gil` share: the same work simulated, and really run. */
#pragma once

#include "ringsim_gil.h"
#include "run/command.h"

/* One real run. Times are ps from the first worker's start, as in the simulation. */
typedef struct rc_gil_run {
    int64_t makespan_ps; /* 0: not run */
    rs_gil_piece *pieces;
    int64_t n_pieces;
} rc_gil_run;

enum { RC_GIL_ALONE, RC_GIL_THREADS, RC_GIL_PROCESSES, RC_GIL_N_WAYS };
typedef struct rc_gil {
    int32_t n_workers, n_slices, n_cores, n_runs;
    uint64_t share_num, share_den; /* of Python */
    int64_t work_ps;               /* a worker's, alone */
    rs_gil_report simulated[RC_GIL_N_WAYS];
    rc_gil_run measured[RC_GIL_N_WAYS]; /* the best of n_runs */
    int64_t start_thread_ps, start_process_ps;
    int core_percent; /* how much of a core the worker had that did all, the best time */
} rc_gil;

/* Runs the work for real, all three ways, n_runs times each; keeps the fastest. */
rc_exit rc_gil_measure(rc_session *session, rc_gil *gil);
/* The same in a process beside this one, while the simulated story is walked. rc_gil_arrived tells once that the results
   have come, into gil; rc_gil_leave ends what still runs, and frees them. */
typedef struct rc_gil_beside rc_gil_beside;
rc_exit rc_gil_begin(rc_session *session, rc_gil *gil, rc_gil_beside **beside);
bool rc_gil_arrived(rc_gil_beside *beside);
void rc_gil_leave(rc_gil_beside *beside);
/* cmd_gil.c: writes it as JSON, ringsim.gil/1. */
void rc_json_gil(const rc_gil *gil, FILE *out);
