/* gil_run.c: the same work as threads and as processes, on this machine, by its clock.
 *
 *     every worker, n_slices times:   lock   Python   unlock   native code
 *
 *   - "Python" and "native" are the same loop; only the lock tells them apart. It is a real mutex: threads
 *     share it. A fork copies it, so every process has its own. Nothing else differs.
 *   - Workers note when they asked, got and gave back the lock, in memory that all of them share.
 *   - The loop is a number of rounds, not of seconds: who gets no core does not get on.
 */
#define _GNU_SOURCE 1 /* sched_setaffinity: Linux */
#include "gil/gil.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TRIAL_ROUNDS = 1000000, TRIALS = 5, STARTS = 32 };

typedef struct slice_note { /* ns of the machine's clock */
    int64_t asked, got, gave, done;
} slice_note;

/* What workers share, whether threads or processes. */
typedef struct gil_board {
    atomic_int ready, go, stop;
    int64_t cpu_ns;     /* that the first worker was given */
    slice_note notes[]; /* [n_workers * n_slices] */
} gil_board;

typedef struct gil_team {
    gil_board *board;
    pthread_mutex_t lock; /* threads share it, processes have a copy each */
    int32_t n_workers, n_slices, n_cores;
    uint64_t python_rounds, native_rounds; /* of a slice */
} gil_team;

typedef struct gil_worker {
    gil_team *team;
    int32_t index;
} gil_worker;

static volatile uint64_t sink; /* so that no loop is left out */

static int64_t clock_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t now_ns(void) {
    return clock_ns(CLOCK_MONOTONIC);
}

static void compute(uint64_t rounds) {
    uint64_t x = rounds;
    for (uint64_t i = 0; i < rounds; i++) x = x * 6364136223846793005 + 1442695040888963407;
    sink = x;
}

/* Returns how many rounds a picosecond is worth, on a core that nobody else wants. */
static double measure_rounds_per_ps(void) {
    double best = 0;
    for (int i = 0; i < TRIALS; i++) {
        const int64_t start = now_ns();
        compute(TRIAL_ROUNDS);
        const int64_t ns = now_ns() - start;
        const double rate = TRIAL_ROUNDS / ((double)(ns > 0 ? ns : 1) * 1000);
        if (rate > best) best = rate;
    }
    return best;
}

/* ------------------------------------------------------------------ a worker */

/* Keeps to the first n_cores of those that we may use; who has a core to himself keeps to that one. */
static void keep_to_cores(const gil_team *team, int32_t index) {
#ifdef __linux__
    cpu_set_t mine, few = {0};
    const int32_t n_cores = team->n_cores;
    if (sched_getaffinity(0, sizeof mine, &mine) != 0) return;
    const bool own = team->n_workers <= n_cores && n_cores <= CPU_COUNT(&mine);
    int32_t n = 0;
    for (size_t c = 0; c < CPU_SETSIZE && n < n_cores; c++) {
        if (!CPU_ISSET(c, &mine)) continue;
        if (!own || n == index) CPU_SET(c, &few);
        n++;
    }
    sched_setaffinity(0, sizeof few, &few);
#else
    (void)team, (void)index;
#endif
}

static bool is_stopped(const gil_team *team) {
    return atomic_load(&team->board->stop) != 0 || rc_host_signal() != 0;
}

static void *work(void *argument) {
    const gil_worker *self = argument;
    gil_team *team = self->team;
    gil_board *board = team->board;
    slice_note *notes = &board->notes[(size_t)self->index * (size_t)team->n_slices];
    keep_to_cores(team, self->index);
    atomic_fetch_add(&board->ready, 1);
    while (atomic_load(&board->go) == 0 && !is_stopped(team)) sched_yield();
    const int64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int32_t s = 0; s < team->n_slices && !is_stopped(team); s++) {
        slice_note note = {.asked = now_ns()};
        pthread_mutex_lock(&team->lock);
        note.got = now_ns();
        compute(team->python_rounds);
        note.gave = now_ns();
        pthread_mutex_unlock(&team->lock);
        compute(team->native_rounds);
        note.done = now_ns();
        notes[s] = note;
    }
    if (self->index == 0) board->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
    return NULL;
}

/* ------------------------------------------------------------------ a team */

static void start_together(gil_team *team, int32_t n_started) {
    gil_board *board = team->board;
    if (n_started < team->n_workers) atomic_store(&board->stop, 1);
    while (atomic_load(&board->ready) < n_started && !is_stopped(team)) sched_yield();
    atomic_store(&board->go, 1);
}

static bool run_threads(gil_team *team, gil_worker workers[]) {
    pthread_t threads[RS_GIL_MAX_WORKERS];
    int32_t n = 0;
    while (n < team->n_workers && pthread_create(&threads[n], NULL, work, &workers[n]) == 0) n++;
    start_together(team, n);
    for (int32_t i = 0; i < n; i++) pthread_join(threads[i], NULL);
    return n == team->n_workers;
}

static bool await_child(gil_team *team, pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return false;
        if (rc_host_signal() != 0) atomic_store(&team->board->stop, 1);
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool run_processes(gil_team *team, gil_worker workers[]) {
    pid_t children[RS_GIL_MAX_WORKERS];
    int32_t n = 0;
    fflush(NULL); /* nothing that waits to be written is written by two */
    for (; n < team->n_workers; n++) {
        children[n] = fork();
        if (children[n] < 0) break;
        if (children[n] > 0) continue;
        work(&workers[n]);
        _exit(0);
    }
    start_together(team, n);
    bool whole = n == team->n_workers;
    for (int32_t i = 0; i < n; i++) whole = await_child(team, children[i]) && whole;
    return whole;
}

static rs_gil_piece piece_of(int32_t worker, int32_t slice, bool python, const slice_note *note,
                             int64_t begin) {
    const int64_t from = python ? note->got : note->gave, to = python ? note->gave : note->done;
    return (rs_gil_piece){.worker = worker,
                          .slice = slice,
                          .python = python,
                          .asked_ps = ((python ? note->asked : from) - begin) * 1000,
                          .start_ps = (from - begin) * 1000,
                          .end_ps = (to - begin) * 1000};
}

/* Turns what was noted into pieces of work, if nobody was faster. */
static void keep_best(const gil_team *team, rc_gil_run *best) {
    const slice_note *notes = team->board->notes;
    const int64_t n = (int64_t)team->n_workers * team->n_slices;
    int64_t begin = notes[0].asked, end = 0;
    assert(n > 0);
    for (int64_t i = 0; i < n; i++) {
        if (notes[i].asked < begin) begin = notes[i].asked;
        if (notes[i].done > end) end = notes[i].done;
    }
    if (best->makespan_ps != 0 && (end - begin) * 1000 >= best->makespan_ps) return;
    best->makespan_ps = (end - begin) * 1000;
    best->n_pieces = 0;
    for (int64_t i = 0; i < n; i++) {
        const int32_t worker = (int32_t)(i / team->n_slices), slice = (int32_t)(i % team->n_slices);
        for (int native = 0; native < 2; native++) {
            if ((native ? team->native_rounds : team->python_rounds) == 0) continue;
            best->pieces[best->n_pieces++] = piece_of(worker, slice, !native, &notes[i], begin);
        }
    }
}

/* ------------------------------------------------------------------ all three ways */

static bool run_once(const rc_gil *gil, int way, double rounds_per_ps, gil_board *board,
                     rc_gil_run *best) {
    const bool alone = way == RC_GIL_ALONE;
    gil_worker workers[RS_GIL_MAX_WORKERS];
    const rs_gil_job *job = &gil->simulated[RC_GIL_THREADS].job;
    gil_team team = {.board = board,
                     .lock = PTHREAD_MUTEX_INITIALIZER,
                     .n_workers = alone ? 1 : gil->n_workers,
                     .n_slices = alone ? gil->n_workers * gil->n_slices : gil->n_slices,
                     .n_cores = gil->n_cores,
                     .python_rounds = (uint64_t)(rounds_per_ps * (double)job->python_ps),
                     .native_rounds = (uint64_t)(rounds_per_ps * (double)job->native_ps)};
    for (int32_t i = 0; i < team.n_workers; i++) workers[i] = (gil_worker){&team, i};
    atomic_store(&board->ready, 0);
    atomic_store(&board->go, 0);
    const bool whole =
        way == RC_GIL_PROCESSES ? run_processes(&team, workers) : run_threads(&team, workers);
    if (whole && !is_stopped(&team)) keep_best(&team, best);
    return whole;
}

static void *nothing(void *argument) {
    return argument;
}

/* How long it takes to start a worker that does nothing, and to see it end. */
static void measure_starts(rc_gil *gil) {
    int64_t start = now_ns();
    for (int i = 0; i < STARTS; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, nothing, NULL) == 0) pthread_join(thread, NULL);
    }
    gil->start_thread_ps = (now_ns() - start) * 1000 / STARTS;
    fflush(NULL);
    start = now_ns();
    for (int i = 0; i < STARTS; i++) {
        const pid_t child = fork();
        if (child == 0) _exit(0);
        if (child > 0) waitpid(child, NULL, 0);
    }
    gil->start_process_ps = (now_ns() - start) * 1000 / STARTS;
}

static void note_quiet(const gil_board *board, rc_gil *gil) {
    const int64_t wall_ns = gil->measured[RC_GIL_ALONE].makespan_ps / 1000;
    const int percent = wall_ns > 0 ? (int)(board->cpu_ns * 100 / wall_ns) : 100;
    const int most = percent < 100 ? percent : 100;
    if (most > gil->core_percent) gil->core_percent = most;
}

static rc_exit measure(rc_session *session, gil_board *board, rc_gil *gil) {
    const rs_host *host = rc_host_face(session->host);
    const double rounds_per_ps = measure_rounds_per_ps();
    measure_starts(gil);
    for (int32_t i = 0; i < gil->n_runs; i++) {
        for (int way = 0; way < RC_GIL_N_WAYS; way++) {
            host->progress(host->context, "working", i * RC_GIL_N_WAYS + way,
                           gil->n_runs * RC_GIL_N_WAYS);
            const bool whole = run_once(gil, way, rounds_per_ps, board, &gil->measured[way]);
            if (way == RC_GIL_ALONE) note_quiet(board, gil);
            if (rc_host_signal() != 0) return rc_host_heed(RC_GOOD, session->error);
            if (whole) continue;
            return rc_fail(session->error, RC_LACKS,
                           _("%d workers cannot be started here; try fewer, or --iters 0"),
                           (int)gil->n_workers);
        }
    }
    return RC_GOOD;
}

rc_exit rc_gil_measure(rc_session *session, rc_gil *gil) {
    const size_t n_notes = (size_t)gil->n_workers * (size_t)gil->n_slices;
    const size_t n_bytes = sizeof(gil_board) + n_notes * sizeof(slice_note);
    if (gil->n_runs == 0) return RC_GOOD;
    for (int way = 0; way < RC_GIL_N_WAYS; way++) {
        gil->measured[way].pieces =
            rs_alloc(session->arena, 2 * n_notes, sizeof *gil->measured[way].pieces);
        if (gil->measured[way].pieces == NULL) return rc_no_memory(session->error);
    }
    gil_board *board =
        mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED) {
        return rc_fail(session->error, RC_LACKS, _("no memory to share: %s"), _(strerror(errno)));
    }
    rc_host_watch(session->host, true);
    const rc_exit status = measure(session, board, gil);
    rc_host_watch(session->host, false);
    rc_host_quiet(session->host);
    munmap(board, n_bytes);
    return status;
}

/* ------------------------------------------------------------------ beside the walk */

struct rc_gil_beside {
    rc_gil *gil; /* the parent's */
    pid_t child;
    size_t n_bytes; /* of this */
    bool over;
    /* the child's, before it is done: */
    atomic_int done;
    rc_gil result; /* without its runs' pieces, which follow, 2 n_notes a way */
    rs_gil_piece pieces[];
};

/* The child measures and leaves the results; nothing that it could say is seen. */
static void measure_beside(rc_session *session, rc_gil_beside *beside, size_t n_pieces) {
    rc_gil *gil = beside->gil;
    rc_host_hush(session->host);
    if (rc_gil_measure(session, gil) != RC_GOOD) return;
    beside->result = *gil;
    for (int way = 0; way < RC_GIL_N_WAYS; way++) {
        const rc_gil_run *run = &gil->measured[way];
        memcpy(&beside->pieces[(size_t)way * n_pieces], run->pieces,
               (size_t)run->n_pieces * sizeof *run->pieces);
    }
    atomic_store(&beside->done, 1);
}

static size_t most_pieces(const rc_gil *gil) {
    return 2 * (size_t)gil->n_workers * (size_t)gil->n_slices;
}

rc_exit rc_gil_begin(rc_session *session, rc_gil *gil, rc_gil_beside **beside) {
    const size_t n_pieces = most_pieces(gil);
    const size_t n_bytes = sizeof **beside + RC_GIL_N_WAYS * n_pieces * sizeof(*(*beside)->pieces);
    rc_gil_beside *b =
        mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (b == MAP_FAILED) {
        return rc_fail(session->error, RC_LACKS, _("no memory to share: %s"), strerror(errno));
    }
    *b = (rc_gil_beside){.gil = gil, .n_bytes = n_bytes};
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        measure_beside(session, b, n_pieces);
        _exit(0);
    }
    b->child = child; /* not in the child, which shares it */
    *beside = b;
    return RC_GOOD;
}

bool rc_gil_arrived(rc_gil_beside *beside) {
    rc_gil *gil = beside->gil;
    if (beside->over || atomic_load(&beside->done) == 0) return false;
    beside->over = true;
    memcpy(gil->measured, beside->result.measured, sizeof gil->measured);
    for (size_t way = 0; way < RC_GIL_N_WAYS; way++) {
        gil->measured[way].pieces = &beside->pieces[way * most_pieces(gil)];
    }
    gil->start_thread_ps = beside->result.start_thread_ps;
    gil->start_process_ps = beside->result.start_process_ps;
    gil->core_percent = beside->result.core_percent;
    return true;
}

/* Its workers see that it stops, or are at their end soon. */
void rc_gil_leave(rc_gil_beside *beside) {
    if (beside == NULL) return;
    if (beside->child > 0) {
        kill(beside->child, SIGTERM);
        while (waitpid(beside->child, NULL, 0) < 0 && errno == EINTR) continue;
    }
    munmap(beside, beside->n_bytes);
}
