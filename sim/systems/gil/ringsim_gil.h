/* ringsim_gil.h: workers that share an interpreter's lock, or have one each: threads against processes.
 *
 *     GIL        |0||1||2||0||1||2|           threads: one lock (the GIL), C cores
 *     thread 0   |P|=====...|P|=====          P: Python, holds the lock
 *     thread 1   ...|P|=====...|P|=====       =: native code, needs no lock    .: waits
 *
 *     process 0  |P|=====|P|=====             processes: a lock each, so only cores are scarce
 *
 *   - Every worker does the same: n_slices times Python for a share of a slice, then native code.
 *   - The lock goes to whoever has asked first; so do cores. What has begun goes on to its end: slices
 *     stand for what a real scheduler would cut finer.
 */
#pragma once

#include "ringsim.h"

RS_BEGIN_DECLS

enum { RS_GIL_MAX_WORKERS = 64, RS_GIL_MAX_SLICES = 1000, RS_GIL_MAX_CORES = 1024 };

typedef struct rs_gil_job {
    int32_t n_workers, n_slices, n_cores;
    int64_t python_ps, native_ps; /* of one slice */
    bool processes;               /* a lock for each worker */
} rs_gil_job;

/* One piece of work of a worker. */
typedef struct rs_gil_piece {
    int32_t worker, slice;
    bool python;      /* under the lock */
    int64_t asked_ps; /* waits from here ... */
    int64_t start_ps; /* ... to here */
    int64_t end_ps;
} rs_gil_piece;

typedef struct rs_gil_report {
    rs_gil_job job;
    int64_t makespan_ps;
    int64_t lock_ps;    /* how long locks are held, all together */
    int64_t waiting_ps; /* how long workers wait for lock or core, all together */
    rs_gil_piece
        *pieces; /* [n_pieces] by start, then worker; those that take no time are left out */
    int64_t n_pieces;
} rs_gil_report;

/* Runs the workers side by side. RS_BAD_INPUT: numbers out of range; RS_TOO_LARGE: past 2^53 ps. */
rs_status rs_gil(const rs_gil_job *job, rs_arena *arena, rs_error *error, rs_gil_report *report);

/* Returns how many times faster N threads are than one that does all, at the most: as many as there are
   workers and cores, and 1 / share, since the lock is never held twice. */
double rs_gil_limit(int32_t n_workers, int32_t n_cores, double python_share);
/* Returns Amdahl's 1 / (P + (1 - P) / N) (AFIPS 30, 1967), N bounded by the cores: where the others
   stand still while one has the lock. Workers that compute meanwhile do better. */
double rs_gil_amdahl(int32_t n_workers, int32_t n_cores, double python_share);

RS_END_DECLS
