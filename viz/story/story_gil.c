/* story_gil.c: who has the lock, who waits for it, who gets on without: threads against processes.
 *
 *        waits   lock  Python  without     a worker moves in its row; the threads' one lock moves
 *     0          [x]   [0]                 from row to row
 *     1  [1]
 *
 *     GIL          |0|1|0|1|               who holds it
 *     thread 0     |P|==|P|==|             P: Python, under the lock   =: without it   .: waits
 *     thread 1     .|P|==..|P|==|
 *     process 0    |P|==|P|==|             a lock of its own
 *     measured ... the same lanes once more, by this machine's clock
 *
 * A step is one thread's piece of Python, for which it takes the lock. Only the first MOST_STEPS
 * pieces are steps.
 */
#include "story/story_gil.h"
#include "text/words.h"

enum { MOST_STEPS = 40, MOST_WORKERS_SHOWN = 8 };
enum { PYTHON, NATIVE, WAITS_LOCK, HELD, WAITS_CORE };

static const rv_gil_story *facts(const rv_story *story) {
    return story->context;
}

static int32_t workers_of(const rv_gil_story *of) {
    return of->threads.simulated->job.n_workers;
}

static int32_t workers_shown(const rv_gil_story *of) {
    return workers_of(of) < MOST_WORKERS_SHOWN ? workers_of(of) : MOST_WORKERS_SHOWN;
}

/* Returns how many lanes a moment shows: of what is simulated, which come first; of many workers the
   threads alone. */
static int32_t lanes_shown(const rv_gil_story *of, bool many) {
    enum { FEW = 4 };
    const int32_t n = workers_shown(of);
    return 1 + (many || n <= FEW ? 2 * n : n);
}

/* Returns piece number `step` of all the threads' Python; NULL: there are not so many. */
static const rs_gil_piece *handover(const rv_gil_story *of, int32_t step) {
    const rs_gil_report *report = of->threads.simulated;
    for (int64_t i = 0; i < report->n_pieces; i++) {
        if (report->pieces[i].python && step-- == 0) return &report->pieces[i];
    }
    return NULL;
}

static int32_t count_handovers(const rv_gil_story *of) {
    int32_t n = 0;
    while (n < MOST_STEPS && handover(of, n) != NULL) n++;
    return n;
}

/* ------------------------------------------------------------------ one moment */

/* Returns the piece that a worker runs, or waits for, at a time; NULL: none. */
static const rs_gil_piece *piece_at(const rs_gil_report *report, int32_t worker, int64_t at_ps) {
    for (int64_t i = 0; i < report->n_pieces; i++) {
        const rs_gil_piece *p = &report->pieces[i];
        if (p->worker == worker && p->asked_ps <= at_ps && p->end_ps > at_ps) return p;
    }
    return NULL;
}

/* What a worker does, as a column of the picture; it stays in its row. */
enum { WAITS, LOCK, RUNS, COMPUTES, N_PLACES };

static int32_t place_of(const rs_gil_piece *p, int64_t at_ps) {
    return p == NULL ? -1 : p->start_ps > at_ps ? WAITS : p->python ? RUNS : COMPUTES;
}

/* Puts a worker where it is, and lets it come from where it was before. */
static void fill_worker(const rs_gil_report *report, int32_t worker, int64_t at_ps,
                        int64_t before_ps, rv_grid *grid) {
    static const rv_tone tones[N_PLACES] = {
        [WAITS] = RV_TONE_PLAIN, [RUNS] = RV_TONE_NEW, [COMPUTES] = RV_TONE_ADDED};
    const rs_gil_piece *p = piece_at(report, worker, at_ps);
    const int32_t to = place_of(p, at_ps);
    const int32_t from =
        before_ps < 0 ? to : place_of(piece_at(report, worker, before_ps), before_ps);
    if (p == NULL) {
        rv_grid_write(grid, worker, COMPUTES, RV_TONE_GOOD, worker, "%s", _("done"));
        return;
    }
    const int32_t way = 1 + 2 * worker + (report->job.processes ? 1 : 0);
    rv_grid_write(grid, worker, to, tones[to], worker, "%d", (int)worker);
    if (from < 0 || from == to) return;
    rv_grid_way(grid, worker, to, way, NULL);
    rv_grid_way(grid, worker, from, way, NULL);
}

static rv_grid *name_places(int32_t n, const char *title, rv_frame *frame) {
    static const char *const heads[N_PLACES] = {[WAITS] = N_("waits"),
                                                [LOCK] = N_("lock"),
                                                [RUNS] = N_("Python"),
                                                [COMPUTES] = N_("without it")};
    rv_grid *grid = rv_frame_grid(frame, title, n, N_PLACES);
    if (grid == NULL) return NULL;
    grid->ranks = grid->tiles = true;
    rv_grid_columns(grid, heads, N_PLACES);
    for (int32_t w = 0; w < n; w++) rv_grid_head(grid, w, -1, "%d", (int)w);
    return grid;
}

static void put_lock(rv_grid *grid, int32_t row, bool held) {
    rv_grid_write(grid, row, LOCK, held ? RV_TONE_NEW : RV_TONE_QUIET, -1, "%s",
                  held ? _("held") : _("free"));
    if (grid != NULL) grid->entries[row * N_PLACES + LOCK].lock = true;
}

/* Shows the threads and their one lock, which the new holder takes over. */
static void fill_threads(const rv_gil_story *of, int32_t step, int64_t before_ps, rv_frame *frame) {
    const int32_t n = workers_of(of), way = 1 + 2 * n;
    const rs_gil_piece *holder = handover(of, step), *last = handover(of, step - 1);
    rv_grid *grid = name_places(n, _("Threads: one lock"), frame);
    for (int32_t w = 0; w < n; w++) {
        fill_worker(of->threads.simulated, w, frame->now_ps, before_ps, grid);
    }
    put_lock(grid, holder->worker, true);
    if (last == NULL || last->worker == holder->worker) return;
    rv_grid_way(grid, holder->worker, LOCK, way, NULL);
    rv_grid_way(grid, last->worker, LOCK, way, NULL);
}

/* Shows the processes, each with a lock of its own. */
static void fill_processes(const rv_gil_story *of, int64_t before_ps, rv_frame *frame) {
    const int32_t n = workers_of(of);
    rv_grid *grid = name_places(n, _("Processes: a lock each"), frame);
    for (int32_t w = 0; w < n; w++) {
        const rs_gil_piece *p = piece_at(of->processes.simulated, w, frame->now_ps);
        fill_worker(of->processes.simulated, w, frame->now_ps, before_ps, grid);
        put_lock(grid, w, place_of(p, frame->now_ps) == RUNS);
    }
}

static void fill_times(const rv_gil_story *of, rv_frame *frame) {
    const char *const rows[] = {_("one does all"), _("threads"), _("processes")};
    const int64_t times_ps[3][2] = {
        {of->alone_ps, of->measured_alone_ps},
        {of->threads.simulated->makespan_ps, of->threads.measured_ps},
        {of->processes.simulated->makespan_ps, of->processes.measured_ps}};
    const bool awaited = of->measured_alone_ps == 0 && of->arrived != NULL;
    const int n = of->measured_alone_ps > 0 || awaited ? 2 : 1;
    rv_grid *grid = rv_frame_grid(frame, _("How long it takes"), 3, n);
    rv_grid_head(grid, -1, 0, "%s", _("simulated"));
    if (n > 1)
        rv_grid_head(grid, -1, 1,
                     of->cores_here == 1 ? _("measured on %d core") : _("measured on %d cores"),
                     of->cores_here);
    for (int r = 0; r < 3; r++) {
        rv_grid_head(grid, r, -1, "%s", rows[r]);
        for (int c = 0; c < n; c++) {
            if (c == 1 && awaited)
                rv_grid_write(grid, r, c, RV_TONE_QUIET, -1, "%s", _("still measuring"));
            if (times_ps[r][c] == 0) continue;
            rv_grid_plain(grid, r, c, _("%s, %s x"), rv_frame_time(frame, times_ps[r][c]),
                          rv_frame_ratio(frame, times_ps[0][c], times_ps[r][c]));
        }
    }
}

/* Plots the speedup against the number of workers. */
static void plot_curves(const rv_gil_story *of, rv_frame *frame) {
    rv_plot *plot = rv_frame_plot(frame, _("How many times faster"), _("workers"), "x");
    const int32_t n = of->n_points;
    if (plot == NULL || n < 2) return;
    plot->at = workers_of(of);
    rv_plot_series(plot, _("processes"), n, of->workers, of->as_processes, RV_TONE_GOOD);
    rv_plot_series(plot, _("threads"), n, of->workers, of->as_threads, RV_TONE_NEW);
    rv_plot_series(plot, "Amdahl", n, of->workers, of->amdahl, RV_TONE_QUIET);
}

/* ------------------------------------------------------------------ sentences */

static void say_handover(const rv_gil_story *of, int32_t step, rv_frame *frame) {
    const rs_gil_piece *p = handover(of, step);
    const rs_gil_report *report = of->threads.simulated;
    int32_t n_waiting = 0, n_native = 0;
    for (int32_t w = 0; w < workers_of(of); w++) {
        const rs_gil_piece *other = piece_at(report, w, p->start_ps);
        n_waiting += other != NULL && other->start_ps > p->start_ps;
        n_native += other != NULL && other->start_ps <= p->start_ps && !other->python;
    }
    frame->now_ps = p->start_ps;
    rv_frame_say(
        frame,
        _("Thread %d takes the lock and runs Python, slice %d; waiting: %d, computing without "
          "the lock: %d. Each process has a lock of its own"),
        (int)p->worker, (int)p->slice, (int)n_waiting, (int)n_native);
}

static void say_end(const rv_gil_story *of, rv_frame *frame) {
    const int64_t threads = of->threads.simulated->makespan_ps;
    const int64_t processes = of->processes.simulated->makespan_ps;
    frame->good = true;
    frame->now_ps = threads > processes ? threads : processes;
    if (threads > processes) {
        rv_frame_say(
            frame, _("Threads need %s times as long as processes: they wait for each other's lock"),
            rv_frame_ratio(frame, threads, processes));
    } else {
        rv_frame_say(frame,
                     _("Threads are as fast as processes here: the lock is not what is scarce"));
    }
}

/* ------------------------------------------------------------------ figures */

/* Returns a number, with the digits that times have. */
static const char *number_of(rv_frame *frame, double number) {
    return rv_frame_ratio(frame, (int64_t)(number * 1000000 + 0.5), 1000000);
}

static void note_measured(const rv_gil_story *of, rv_frame *frame) {
    enum { QUIET_PERCENT = 90 };
    if (of->measured_alone_ps == 0) return;
    rv_frame_note(frame, _("starting a worker that does nothing, here: thread %s, process %s"),
                  rv_frame_time(frame, of->start_thread_ps),
                  rv_frame_time(frame, of->start_process_ps));
    if (of->core_percent >= QUIET_PERCENT) return;
    rv_frame_note(frame,
                  _("this machine was busy: alone, a worker had %d %% of a core; short work, "
                    "often, finds better moments: --work 2ms --iters 100"),
                  of->core_percent);
}

static void note_figures(const rv_gil_story *of, rv_frame *frame) {
    const rs_gil_job *job = &of->threads.simulated->job;
    const int32_t n_workers = job->n_workers, n_cores = job->n_cores;
    rv_frame_note(
        frame, _("workers %d, work %s each in %d slices; Python, under the lock: %s %%; cores %d"),
        (int)n_workers, rv_frame_time(frame, of->work_ps), (int)job->n_slices,
        number_of(frame, of->python_share * 100), (int)n_cores);
    rv_frame_note(frame,
                  _("threads at the most %s x: no more than workers, cores, and 1 / share of the "
                    "lock"),
                  number_of(frame, rs_gil_limit(n_workers, n_cores, of->python_share)));
    rv_frame_note(frame, _("Amdahl says %s x: if all others stand still while one has the lock"),
                  number_of(frame, rs_gil_amdahl(n_workers, n_cores, of->python_share)));
    note_measured(of, frame);
}

static void fill_frame(const rv_story *story, int32_t step, int32_t rank, rv_frame *frame) {
    const rv_gil_story *of = facts(story);
    (void)rank;
    frame->now_ps = 0;
    frame->n_lanes = step < 0 ? lanes_shown(of, true) : 0;
    if (step < 0) {
        const rs_gil_job *job = &of->threads.simulated->job;
        rv_frame_say(
            frame,
            _("%d workers do the same on %d cores: Python for a share of %.3g, which needs the "
              "lock (GIL), then code that does not"),
            (int)job->n_workers, (int)job->n_cores, of->python_share);
    } else if (step < story->n_steps && handover(of, step) != NULL) {
        say_handover(of, step, frame);
        const int64_t before_ps = step > 0 ? handover(of, step - 1)->start_ps : -1;
        fill_threads(of, step, before_ps, frame);
        fill_processes(of, before_ps, frame);
        frame->n_lanes = lanes_shown(of, false);
        return;
    } else {
        say_end(of, frame);
    }
    fill_times(of, frame);
    if (frame->figures) note_figures(of, frame);
    plot_curves(of, frame);
}

/* ------------------------------------------------------------------ lanes */

typedef struct lane_builder {
    rs_arena *arena;
    rv_work_span *spans;
    int64_t n_spans;
    rv_lane_name *names;
    int32_t n_lanes;
    int32_t n_shown; /* workers */
    bool waits_core; /* somebody does */
} lane_builder;

static void add_span(lane_builder *b, int32_t lane, int64_t start_ps, int64_t end_ps, int32_t kind,
                     int32_t step) {
    if (end_ps <= start_ps) return;
    b->spans[b->n_spans++] = (rv_work_span){lane, start_ps, end_ps, kind, step, NULL};
}

/* Adds a side's lanes: one for the lock, if the workers share one, and one for each worker. steps:
   its pieces of Python are the story's steps. Who waits waits for the lock until it is free, then for a
   core; of what was run, that is not known. */
static void add_side(lane_builder *b, const rs_gil_piece pieces[], int64_t n_pieces,
                     const char *lock, const char *name, bool steps) {
    const int32_t first = b->n_lanes + (lock != NULL);
    int32_t step = 0;
    int64_t free_ps = 0; /* when the lock is */
    if (lock != NULL) b->names[b->n_lanes++] = (rv_lane_name){lock, 0};
    for (int32_t w = 0; w < b->n_shown; w++) {
        b->names[b->n_lanes++] = (rv_lane_name){name, w};
    }
    for (int64_t i = 0; i < n_pieces; i++) {
        const rs_gil_piece *p = &pieces[i];
        const int32_t now = steps && p->python && step < MOST_STEPS ? step++ : -1;
        if (lock != NULL && p->python) {
            b->spans[b->n_spans++] = (rv_work_span){
                first - 1, p->start_ps, p->end_ps,
                HELD,      now,         rv_span_label(b->arena, "%d", (int)p->worker)};
        }
        const bool locks = lock != NULL && p->python;
        int64_t got_ps = locks ? p->start_ps : p->asked_ps;
        if (locks && steps && free_ps < got_ps)
            got_ps = free_ps > p->asked_ps ? free_ps : p->asked_ps;
        if (locks) free_ps = p->end_ps;
        if (p->worker >= b->n_shown) continue;
        const int32_t lane = first + p->worker;
        b->waits_core = b->waits_core || got_ps < p->start_ps;
        add_span(b, lane, p->asked_ps, got_ps, WAITS_LOCK, -1);
        add_span(b, lane, got_ps, p->start_ps, WAITS_CORE, -1);
        add_span(b, lane, p->start_ps, p->end_ps, p->python ? PYTHON : NATIVE, now);
    }
}

static int64_t latest_of(const rv_gil_story *of) {
    const int64_t ends[] = {of->threads.simulated->makespan_ps,
                            of->processes.simulated->makespan_ps, of->threads.measured_ps,
                            of->processes.measured_ps};
    int64_t latest = 0;
    for (int i = 0; i < 4; i++) latest = ends[i] > latest ? ends[i] : latest;
    return latest;
}

/* Simulates 1, 2, ... workers both ways. */
static rs_status fill_curves(rv_gil_story *of, rs_arena *arena, rs_error *error) {
    rs_gil_job job = of->threads.simulated->job;
    const int32_t wanted = job.n_workers < 4 ? 8 : 2 * job.n_workers;
    const double work_ps = (double)(job.python_ps + job.native_ps) * job.n_slices;
    of->n_points = wanted < RV_GIL_POINTS ? wanted : RV_GIL_POINTS;
    for (int32_t i = 0; i < of->n_points; i++) {
        job.n_workers = i + 1;
        of->workers[i] = i + 1;
        of->amdahl[i] = rs_gil_amdahl(i + 1, job.n_cores, of->python_share);
        for (int way = 0; way < 2; way++) {
            rs_gil_report report;
            job.processes = way == 1;
            const rs_status status = rs_gil(&job, arena, error, &report);
            if (status != RS_OK) return status;
            double *speedup = way == 1 ? of->as_processes : of->as_threads;
            speedup[i] =
                report.makespan_ps > 0 ? (i + 1) * work_ps / (double)report.makespan_ps : 1;
        }
    }
    return RS_OK;
}

/* Makes the lanes: of what is simulated, and of what was measured, as far as it is there. */
static rs_status fill_lanes(const rv_gil_story *of, rs_arena *arena, rs_error *error,
                            rv_story *story) {
    const rs_gil_report *threads = of->threads.simulated, *processes = of->processes.simulated;
    const int64_t n_pieces =
        threads->n_pieces + processes->n_pieces + of->threads.n_measured + of->processes.n_measured;
    lane_builder b = {.arena = arena, .n_shown = workers_shown(of)};
    b.spans = rs_alloc(arena, 4 * (size_t)n_pieces + 1, sizeof *b.spans);
    b.names = rs_alloc(arena, 4 * (size_t)b.n_shown + 2, sizeof *b.names);
    if (b.spans == NULL || b.names == NULL) return rs_no_memory(error);
    add_side(&b, threads->pieces, threads->n_pieces, N_("GIL"), N_("thread %d"), true);
    add_side(&b, processes->pieces, processes->n_pieces, NULL, N_("process %d"), false);
    if (of->measured_alone_ps > 0) {
        add_side(&b, of->threads.measured, of->threads.n_measured, N_("real GIL"),
                 N_("real thread %d"), false);
        add_side(&b, of->processes.measured, of->processes.n_measured, NULL, N_("real process %d"),
                 false);
    }
    rv_sort_spans(b.spans, b.n_spans);
    story->n_lanes = b.n_lanes;
    story->lane_names = b.names;
    story->spans = b.spans;
    story->n_spans = b.n_spans;
    story->end_ps = latest_of(of);
    if (b.waits_core)
        story->kinds[WAITS_CORE] = (rv_kind){N_("waits for a core"), RV_TONE_QUIET, true};
    return RS_OK;
}

/* Takes what was measured meanwhile into the lanes; tells whether there was any. */
static bool has_news(void *teller) {
    rv_gil_story *of = teller;
    rs_error error;
    if (of->arrived == NULL || !of->arrived(of)) return false;
    of->arrived = NULL;
    of->told->has_news = NULL;
    return fill_lanes(of, of->arena, &error, of->told) == RS_OK;
}

rs_status rv_story_gil(rv_gil_story *of, rs_arena *arena, rs_error *error, rv_story *story) {
    *story = (rv_story){
        .name = N_("Threads or processes?"),
        .n_steps = count_handovers(of) + 1,
        .n_ranks = workers_of(of),
        .frame = fill_frame,
        .context = of,
        .has_news = of->arrived != NULL ? has_news : NULL,
        .teller = of,
        .words = {[RV_TONE_QUIET] = N_("waits"),
                  [RV_TONE_NEW] = N_("Python"),
                  [RV_TONE_ADDED] = N_("without the lock")},
        .kinds = {[PYTHON] = {N_("Python"), RV_TONE_LEAVES, false},
                  [NATIVE] = {N_("without the lock"), RV_TONE_ADDED, false},
                  [WAITS_LOCK] = {N_("waits for the lock"), RV_TONE_QUIET, true},
                  [HELD] = {N_("lock is held"), RV_TONE_NEW, false}},
    };
    of->told = story;
    of->arena = arena;
    const rs_status status = fill_lanes(of, arena, error, story);
    return status == RS_OK ? fill_curves(of, arena, error) : status;
}
