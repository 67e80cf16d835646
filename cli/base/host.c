/* host.c: what the library may ask of the outside world: cores, a progress line, Ctrl-C.
 *
 *   - Threads are started by the first parallel_for that has use for them, and then wait for the next.
 *   - Tasks are taken by an atomic counter, so a slow core takes fewer. The caller works too.
 *   - The progress line shows on a terminal after a second, and is cleared behind itself; elsewhere
 *     there is a line a minute. Where much memory is needed it says how much.
 *   - While the host watches, the first Ctrl-C (or SIGTERM, or a hang-up) cancels the run
 *     cleanly; a second one ends the program.
 */
#define _GNU_SOURCE 1 /* sched_getaffinity: Linux */
#include "base/files.h"
#include "base/host.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#endif

enum { N_WATCHED = 3, MOST_WORKERS = 256, SPINS = 2000, SECOND_NS = 1000000000 };

typedef struct task_batch {
    void (*task)(void *argument, int index);
    void *argument;
    int n_tasks;
} task_batch;

struct rc_host {
    rs_host face;
    pthread_t threads[MOST_WORKERS];
    int n_threads; /* besides the caller */
    bool started, ending;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    task_batch batch;  /* under the lock until the round begins, then read only */
    atomic_uint round; /* grows with every batch */
    atomic_int next;   /* the task to take */
    atomic_int busy;   /* threads that have not yet left the round */
    struct timespec started_at;
    int64_t shown_ns; /* when the progress line was last drawn; 0: never */
    bool terminal;
    double need_bytes;                  /* of memory, as far as somebody has said; 0 */
    struct sigaction before[N_WATCHED]; /* how the signals were handled before we watched */
};

static volatile sig_atomic_t caught; /* the signal that asks the run to end; 0: none */

static void on_signal(int number) {
    if (caught != 0) rc_end_by_signal(number);
    caught = number;
}

/* ------------------------------------------------------------------ cores */

int rc_cores(void) {
#ifdef __linux__
    cpu_set_t mine;
    if (sched_getaffinity(0, sizeof mine, &mine) == 0) return CPU_COUNT(&mine);
#endif
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : (int)n;
}

static void work(rc_host *host) {
    for (;;) {
        const int index = atomic_fetch_add_explicit(&host->next, 1, memory_order_relaxed);
        if (index >= host->batch.n_tasks) return;
        host->batch.task(host->batch.argument, index);
    }
}

/* Waits for a round after `seen`: spins a little, since rounds follow each other closely. */
static bool await_round(rc_host *host, unsigned seen) {
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&host->round, memory_order_acquire) != seen) return !host->ending;
    }
    pthread_mutex_lock(&host->lock);
    while (atomic_load(&host->round) == seen) pthread_cond_wait(&host->wake, &host->lock);
    const bool ending = host->ending;
    pthread_mutex_unlock(&host->lock);
    return !ending;
}

static void *serve(void *argument) {
    rc_host *host = argument;
    unsigned seen = 0;
    while (await_round(host, seen)) {
        seen++; /* no round is skipped: the next waits until all have left this one */
        work(host);
        atomic_fetch_sub_explicit(&host->busy, 1, memory_order_release);
    }
    return NULL;
}

static void begin_round(rc_host *host) {
    pthread_mutex_lock(&host->lock);
    atomic_fetch_add_explicit(&host->round, 1, memory_order_release);
    pthread_cond_broadcast(&host->wake);
    pthread_mutex_unlock(&host->lock);
}

/* Starts as many threads as there are cores to spare; signals stay with the caller. */
static void start_threads(rc_host *host) {
    host->started = true;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (host->n_threads < host->face.n_workers - 1) {
        if (pthread_create(&host->threads[host->n_threads], NULL, serve, host) != 0) break;
        host->n_threads++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void parallel_for(void *context, int n_tasks, void (*task)(void *argument, int index),
                         void *argument) {
    rc_host *host = context;
    if (n_tasks > 1 && !host->started) start_threads(host);
    assert(n_tasks >= 0 && host->n_threads < host->face.n_workers);
    if (n_tasks <= 1 || host->n_threads == 0) {
        for (int i = 0; i < n_tasks; i++) task(argument, i);
        return;
    }
    host->batch = (task_batch){task, argument, n_tasks};
    atomic_store(&host->next, 0);
    atomic_store(&host->busy, host->n_threads);
    begin_round(host);
    work(host);
    for (int i = 0; atomic_load_explicit(&host->busy, memory_order_acquire) != 0; i++) {
        if (i > SPINS) sched_yield();
    }
}

/* ------------------------------------------------------------------ progress and Ctrl-C */

static int64_t elapsed_ns(const rc_host *host) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)(now.tv_sec - host->started_at.tv_sec) * SECOND_NS + now.tv_nsec -
           host->started_at.tv_nsec;
}

/* Writes ", 12.9 GB of memory", or nothing where it is little. */
static void say_need(const rc_host *host, char *out, size_t n_out) {
    const double much = 1e9;
    out[0] = '\0';
    if (host->need_bytes < much) return;
    snprintf(out, n_out, _(", %.1f GB of memory"), host->need_bytes / 1e9);
}

static void draw(const rc_host *host, const char *what, int64_t done, int64_t total) {
    enum { WIDTH = 30 };
    const double share = total > 0 ? (double)done / (double)total : 0;
    char need[64];
    say_need(host, need, sizeof need);
    if (!host->terminal) {
        fprintf(stderr, _("ringsim: %s, %d %%%s\n"), what, (int)(share * 100), need);
        return;
    }
    const int full = (int)(share * WIDTH);
    char bar[WIDTH + 1];
    for (int i = 0; i < WIDTH; i++) bar[i] = i < full ? '#' : '.';
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r\033[K%.40s [%s] %3d %%%s", what, bar, (int)(share * 100), need);
}

bool rc_progress_due(bool terminal, int64_t now_ns, int64_t shown_ns) {
    const int64_t minute_ns = 60 * (int64_t)SECOND_NS;
    if (!terminal) return now_ns - shown_ns >= minute_ns;
    return now_ns >= SECOND_NS && now_ns - shown_ns >= SECOND_NS / 10;
}

static bool progress(void *context, const char *what, int64_t done, int64_t total) {
    rc_host *host = context;
    if (caught != 0) return false;
    const int64_t now_ns = elapsed_ns(host);
    if (!rc_progress_due(host->terminal, now_ns, host->shown_ns)) return true;
    host->shown_ns = now_ns;
    draw(host, what, done, total);
    return true;
}

void rc_host_quiet(rc_host *host) {
    if (!host->terminal) return; /* a line stays */
    if (host->shown_ns != 0) fputs("\r\033[K", stderr);
    host->shown_ns = 0;
}

void rc_host_needs(rc_host *host, double n_bytes) {
    if (host != NULL && n_bytes > host->need_bytes) host->need_bytes = n_bytes;
}

static bool silent_progress(void *context, const char *what, int64_t done, int64_t total) {
    (void)context, (void)what, (void)done, (void)total;
    return caught == 0;
}

/* From any thread. */
static bool stopped(void *context) {
    (void)context;
    return caught != 0;
}

void rc_host_hush(rc_host *host) {
    rc_host_quiet(host);
    host->face.progress = silent_progress;
}

static const int watched[] = {SIGINT, SIGTERM, SIGHUP};

/* A signal that whoever started us told us to ignore stays ignored. */
void rc_host_watch(rc_host *host, bool listening) {
    for (int i = 0; i < N_WATCHED; i++) {
        if (!listening) {
            sigaction(watched[i], &host->before[i], NULL);
            continue;
        }
        struct sigaction action = {.sa_handler = on_signal};
        sigaction(watched[i], NULL, &host->before[i]);
        if (host->before[i].sa_handler != SIG_IGN) sigaction(watched[i], &action, NULL);
    }
}

int rc_host_signal(void) {
    return caught;
}

rc_exit rc_host_heed(rc_exit status, rs_error *error) {
    if (caught == 0 || (status != RC_GOOD && status != RC_NO)) return status;
    return rc_fail(error, RC_CANCELLED, _("cancelled; nothing was written"));
}

rc_exit rc_host_end(rc_host *host, rc_exit status, rs_error *error) {
    rc_host_watch(host, false);
    rc_host_quiet(host);
    return rc_host_heed(status, error);
}

/* ------------------------------------------------------------------ birth and death */

rc_host *rc_host_new(void) {
    rc_host *host = calloc(1, sizeof *host);
    if (host == NULL) return NULL;
    const int cores = rc_cores();
    host->face = (rs_host){
        .context = host,
        .parallel_for = parallel_for,
        .n_workers = cores > MOST_WORKERS ? MOST_WORKERS : cores,
        .progress = progress,
        .stopped = stopped,
    };
    pthread_mutex_init(&host->lock, NULL);
    pthread_cond_init(&host->wake, NULL);
    clock_gettime(CLOCK_MONOTONIC, &host->started_at);
    host->terminal = isatty(STDERR_FILENO) == 1;
    return host;
}

void rc_host_free(rc_host *host) {
    if (host == NULL) return;
    pthread_mutex_lock(&host->lock);
    host->ending = true;
    pthread_mutex_unlock(&host->lock);
    begin_round(host);
    for (int i = 0; i < host->n_threads; i++) pthread_join(host->threads[i], NULL);
    pthread_cond_destroy(&host->wake);
    pthread_mutex_destroy(&host->lock);
    free(host);
}

const rs_host *rc_host_face(rc_host *host) {
    return &host->face;
}
