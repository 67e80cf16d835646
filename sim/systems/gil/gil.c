/* gil.c: threads with one lock, or processes with one each, on so many cores. See ringsim_gil.h.
 *
 * The next piece is always the one that can start first; of those that can start together the one
 * that has waited longest, then the lower worker's. So no piece starts before one that was chosen
 * earlier.
 */
#include "ringsim_gil.h"
#include "base/containers.h"

static const int64_t most_ps = (int64_t)1 << 53;

typedef struct simulated_worker {
    int64_t ready_ps; /* when it has done the piece before */
    int32_t slice;
    bool native; /* its next piece */
} simulated_worker;

typedef struct gil_run {
    const rs_gil_job *job;
    simulated_worker *workers; /* [n_workers] */
    int64_t *locks_ps;         /* [n_workers] when each lock is free; threads use the first */
    int64_t *cores_ps;         /* [n_cores] when each core is free */
} gil_run;

static int64_t *lock_of(const gil_run *run, int32_t w) {
    return &run->locks_ps[run->job->processes ? w : 0];
}

static int32_t first_free_core(const gil_run *run) {
    int32_t first = 0;
    for (int32_t c = 1; c < run->job->n_cores; c++) {
        if (run->cores_ps[c] < run->cores_ps[first]) first = c;
    }
    return first;
}

static int64_t span_of(const rs_gil_job *job, bool native) {
    return native ? job->native_ps : job->python_ps;
}

/* Goes on to the worker's next piece that takes time; false: it has done all its pieces. */
static bool next_piece(const rs_gil_job *job, simulated_worker *w) {
    while (w->slice < job->n_slices && span_of(job, w->native) == 0) {
        w->slice += w->native;
        w->native = !w->native;
    }
    return w->slice < job->n_slices;
}

/* Chooses the worker that starts next; -1: all have finished. */
static int32_t choose(const gil_run *run, int64_t core_ps, int64_t *start_ps) {
    int32_t chosen = -1;
    for (int32_t i = 0; i < run->job->n_workers; i++) {
        simulated_worker *w = &run->workers[i];
        if (!next_piece(run->job, w)) continue;
        int64_t start = rs_larger(w->ready_ps, core_ps);
        if (!w->native) start = rs_larger(start, *lock_of(run, i));
        const bool same = chosen >= 0 && start == *start_ps;
        if (chosen >= 0 && start > *start_ps) continue;
        if (same && w->ready_ps >= run->workers[chosen].ready_ps) continue;
        chosen = i;
        *start_ps = start;
    }
    return chosen;
}

static rs_status work(gil_run *run, rs_error *error, rs_gil_report *report) {
    const rs_gil_job *job = run->job;
    for (;;) {
        const int32_t core = first_free_core(run);
        int64_t start = 0;
        const int32_t i = choose(run, run->cores_ps[core], &start);
        if (i < 0) return RS_OK;
        simulated_worker *w = &run->workers[i];
        const int64_t end = start + span_of(job, w->native);
        if (end >= most_ps) {
            return rs_fail(error, RS_TOO_LARGE,
                           "the work lasts longer than 2^53 ps (2.5 hours), where times are no "
                           "longer exact; take less");
        }
        report->pieces[report->n_pieces++] =
            (rs_gil_piece){i, w->slice, !w->native, w->ready_ps, start, end};
        report->waiting_ps += start - w->ready_ps;
        run->cores_ps[core] = end;
        if (!w->native) *lock_of(run, i) = end;
        if (!w->native) report->lock_ps += end - start;
        report->makespan_ps = rs_larger(report->makespan_ps, end);
        w->ready_ps = end;
        w->slice += w->native;
        w->native = !w->native;
    }
}

static rs_status check(const rs_gil_job *job, rs_error *error) {
    if (job->n_workers < 1 || job->n_workers > RS_GIL_MAX_WORKERS || job->n_slices < 1 ||
        job->n_slices > RS_GIL_MAX_SLICES || job->n_cores < 1 || job->n_cores > RS_GIL_MAX_CORES) {
        return rs_fail(error, RS_BAD_INPUT,
                       "%d workers, %d slices, %d cores: there are 1..%d, 1..%d and 1..%d",
                       (int)job->n_workers, (int)job->n_slices, (int)job->n_cores,
                       RS_GIL_MAX_WORKERS, RS_GIL_MAX_SLICES, RS_GIL_MAX_CORES);
    }
    if (job->python_ps < 0 || job->native_ps < 0 || job->python_ps >= most_ps ||
        job->native_ps >= most_ps) {
        return rs_fail(error, RS_BAD_INPUT, "a slice's work must last from 0 to 2^53 ps");
    }
    return RS_OK;
}

rs_status rs_gil(const rs_gil_job *job, rs_arena *arena, rs_error *error, rs_gil_report *report) {
    rs_gil_report made = {.job = *job};
    rs_status status = check(job, error);
    if (status != RS_OK) return status;
    const size_t n = (size_t)job->n_workers;
    gil_run run = {.job = job};
    run.workers = rs_alloc(arena, n, sizeof *run.workers);
    run.locks_ps = rs_alloc(arena, n, sizeof *run.locks_ps);
    run.cores_ps = rs_alloc(arena, (size_t)job->n_cores, sizeof *run.cores_ps);
    made.pieces = rs_alloc(arena, 2 * n * (size_t)job->n_slices, sizeof *made.pieces);
    if (arena->lacked) return rs_no_memory(error);
    status = work(&run, error, &made);
    if (status == RS_OK) *report = made;
    return status;
}

static double workers_at_work(int32_t n_workers, int32_t n_cores) {
    return n_workers < n_cores ? n_workers : n_cores;
}

double rs_gil_limit(int32_t n_workers, int32_t n_cores, double python_share) {
    const double most = workers_at_work(n_workers, n_cores);
    return python_share * most > 1 ? 1 / python_share : most;
}

double rs_gil_amdahl(int32_t n_workers, int32_t n_cores, double python_share) {
    return 1 / (python_share + (1 - python_share) / workers_at_work(n_workers, n_cores));
}
