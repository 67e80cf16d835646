/* story_gil.h: threads and processes under locks, lock after lock, as a story (frame.h). */
#pragma once

#include "ringsim_gil.h"
#include "story/frame.h"

enum { RV_GIL_POINTS = 16 };

typedef struct rv_gil_side {
    const rs_gil_report *simulated;
    const rs_gil_piece *measured; /* [n_measured] */
    int64_t n_measured, measured_ps;
} rv_gil_side;

typedef struct rv_gil_story rv_gil_story;
struct rv_gil_story {
    rv_gil_side threads, processes;
    int64_t alone_ps, measured_alone_ps; /* one worker does all; measured 0: nothing was run */
    double python_share;
    int64_t work_ps; /* a worker's, alone */
    /* Of what was run: what it takes to start a worker; how much of a core a worker had that did all,
       the best time. */
    int64_t start_thread_ps, start_process_ps;
    int core_percent, cores_here; /* on which it was run */
    /* Not NULL: measuring still goes on; fills in what was measured, and tells once that it is there. */
    bool (*arrived)(rv_gil_story *of);
    const void *from; /* where it comes from */
    /* Filled in by rv_story_gil: the story, which is told anew then; simulated speedups of 1, 2, ... workers. */
    int32_t n_points;
    double workers[RV_GIL_POINTS], as_threads[RV_GIL_POINTS], as_processes[RV_GIL_POINTS],
        amdahl[RV_GIL_POINTS];
    rv_story *told;
    rs_arena *arena;
};

/* Fills *story: at each step a thread takes the lock; the end compares threads and processes.
   Lanes: the lock's holder and the threads, the processes; then, if they were run, the same as
   measured. `of` must outlive the story. */
rs_status rv_story_gil(rv_gil_story *of, rs_arena *arena, rs_error *error, rv_story *story);
