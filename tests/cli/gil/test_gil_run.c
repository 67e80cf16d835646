/* test_gil_run.c: which cores the workers of a real run keep to, on machines with any set of cores, and which of
 * several runs is told.
 *
 * The three functions below stand before the system's: the machine has the cores in `mine`, and its clock goes on only
 * when somebody looks at it.
 */
#ifdef __linux__
#include "gil/gil.h"
#include "support/own.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_KEPT = 64 };

typedef struct board { /* that worker processes share with us */
    _Atomic int64_t now_ns;
    atomic_int n;
    cpu_set_t kept[MOST_KEPT];
} board;
static board *shared;
static cpu_set_t mine;

int sched_getaffinity(pid_t pid, size_t n_bytes, cpu_set_t *set) {
    (void)pid;
    memcpy(set, &mine, n_bytes);
    return 0;
}

int sched_setaffinity(pid_t pid, size_t n_bytes, const cpu_set_t *set) {
    (void)pid;
    const int i = atomic_fetch_add(&shared->n, 1);
    if (i < MOST_KEPT) memcpy(&shared->kept[i], set, n_bytes);
    return 0;
}

/* How long a look at the clock takes in each run, each of as many workers; NULL: as long as it takes. */
static const int *look_ns;
static int n_workers_a_run;

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (look_ns == NULL || clock != CLOCK_MONOTONIC) {
        return (int)syscall(SYS_clock_gettime, clock, time);
    }
    const int n = atomic_load(&shared->n), run = n == 0 ? 0 : (n - 1) / n_workers_a_run;
    const int64_t now_ns = atomic_fetch_add(&shared->now_ns, look_ns[run]);
    *time = (struct timespec){.tv_sec = now_ns / 1000000000, .tv_nsec = now_ns % 1000000000};
    return 0;
}

/* The first n of our cores. */
static cpu_set_t first_cores(int n) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (size_t c = 0; c < CPU_SETSIZE && CPU_COUNT(&set) < n; c++) {
        if (CPU_ISSET(c, &mine)) CPU_SET(c, &set);
    }
    return set;
}

/* One way's workers: each alone on one of the first cores where there are enough, else together on all that they
   may use. */
static void expect_kept(const cpu_set_t kept[], int n_workers, int n_cores) {
    const cpu_set_t all = first_cores(n_cores), own = first_cores(n_workers);
    const bool apart = n_workers <= n_cores && n_cores <= CPU_COUNT(&mine);
    cpu_set_t together;
    CPU_ZERO(&together);
    for (int i = 0; i < n_workers; i++) {
        CPU_OR(&together, &together, &kept[i]);
        if (apart) cr_expect_eq(CPU_COUNT(&kept[i]), 1);
        if (!apart) cr_expect(CPU_EQUAL(&kept[i], &all));
    }
    cr_expect(CPU_EQUAL(&together, apart ? &own : &all), "%d workers, %d of %d cores", n_workers,
              n_cores, CPU_COUNT(&mine));
}

Test(gil_run, workers_keep_to_the_first_cores_and_to_their_own_where_they_can) {
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(shared, MAP_FAILED);
    rc_host *host = rc_host_new();
    for (int turn = 0; turn < 60; turn++) {
        OWN_ARENA arena = {0};
        rs_error error = {.text = ""};
        rc_session session = {.host = host, .arena = &arena, .error = &error};
        rc_gil gil = {
            .n_workers = 1 + turn % 4, .n_slices = 2, .n_cores = 1 + turn / 4 % 5, .n_runs = 1};
        gil.simulated[RC_GIL_THREADS].job.python_ps = 1000000;
        gil.simulated[RC_GIL_THREADS].job.native_ps = 1000000;
        CPU_ZERO(&mine);
        for (int i = 0; i < 1 + turn % 7; i++) CPU_SET((size_t)(turn * 31 + i * 53) % 1000, &mine);
        memset(shared, 0, sizeof *shared);
        cr_assert_eq(rc_gil_measure(&session, &gil), RC_GOOD, "%s", error.text);
        const int n = gil.n_workers;
        cr_assert_eq(atomic_load(&shared->n), 1 + 2 * n);
        expect_kept(shared->kept, 1, gil.n_cores);
        expect_kept(shared->kept + 1, n, gil.n_cores);
        expect_kept(shared->kept + 1 + n, n, gil.n_cores);
        for (int way = 0; way < RC_GIL_N_WAYS; way++) {
            cr_expect_eq(gil.measured[way].n_pieces, 2 * n * 2);
            int64_t end = 0;
            for (int64_t i = 0; i < gil.measured[way].n_pieces; i++) {
                const rs_gil_piece *p = &gil.measured[way].pieces[i];
                cr_expect(p->asked_ps >= 0 && p->start_ps >= p->asked_ps &&
                          p->end_ps >= p->start_ps);
                const int64_t slices = way == RC_GIL_ALONE ? 2 * n : 2;
                cr_expect(p->python == (i % 2 == 0) && p->worker == i / 2 / slices &&
                          p->slice == i / 2 % slices);
                /* Native work begins where Python's ends, and asks for no lock. */
                if (!p->python)
                    cr_expect(p->asked_ps == p->start_ps && p->start_ps == p[-1].end_ps);
                if (p->end_ps > end) end = p->end_ps;
            }
            cr_expect_eq(end, gil.measured[way].makespan_ps);
        }
    }
    rc_host_free(host);
    munmap(shared, sizeof *shared);
}

/* A slice looks at the clock four times, and between its first and last look nobody else does. */
Test(gil_run, of_several_runs_the_fastest_is_told) {
    static const int looks_ns[][3] = {
        {500, 300, 900}, {300, 500, 900}, {900, 500, 300}, {700, 700, 700}};
    enum { WORKERS = 3, SLICES = 4, RUNS = 3 };
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(shared, MAP_FAILED);
    CPU_ZERO(&mine);
    CPU_SET(0, &mine);
    rc_host *host = rc_host_new();
    for (int i = 0; i < 4; i++) {
        OWN_ARENA arena = {0};
        rs_error error = {.text = ""};
        rc_session session = {.host = host, .arena = &arena, .error = &error};
        rc_gil gil = {.n_workers = WORKERS, .n_slices = SLICES, .n_cores = 2, .n_runs = RUNS};
        gil.simulated[RC_GIL_THREADS].job.python_ps = 1000;
        gil.simulated[RC_GIL_THREADS].job.native_ps = 1000;
        memset(shared, 0, sizeof *shared);
        n_workers_a_run = 1 + 2 * WORKERS;
        look_ns = looks_ns[i];
        const rc_exit status = rc_gil_measure(&session, &gil);
        look_ns = NULL;
        cr_assert_eq(status, RC_GOOD, "%s", error.text);
        const int64_t least_ns = i < 3 ? 300 : 700;
        for (int way = 0; way < RC_GIL_N_WAYS; way++) {
            const rc_gil_run *told = &gil.measured[way];
            int64_t begin = told->makespan_ps, end = 0;
            cr_expect_eq(told->makespan_ps, (4 * WORKERS * SLICES - 1) * least_ns * 1000,
                         "runs %d, way %d: %lld ps", i, way, (long long)told->makespan_ps);
            cr_expect_eq(told->n_pieces, 2 * WORKERS * SLICES);
            for (int64_t k = 0; k < told->n_pieces; k++) {
                if (told->pieces[k].asked_ps < begin) begin = told->pieces[k].asked_ps;
                if (told->pieces[k].end_ps > end) end = told->pieces[k].end_ps;
            }
            cr_expect(begin == 0 && end == told->makespan_ps);
        }
    }
    rc_host_free(host);
    munmap(shared, sizeof *shared);
}
Test(gil_run, is_measured_by_a_process_beside_the_walk) {
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(shared, MAP_FAILED);
    syscall(SYS_sched_getaffinity, 0, sizeof mine, &mine);
    for (int stopped = 0; stopped < 2; stopped++) {
        OWN_ARENA arena = {0};
        rs_error error = {.text = ""};
        rc_host *host = rc_host_new();
        rc_session session = {.host = host, .arena = &arena, .error = &error};
        rc_gil gil = {.n_workers = 2, .n_slices = 3, .n_cores = 2, .n_runs = stopped ? 1000000 : 1};
        gil.simulated[RC_GIL_THREADS].job.python_ps = 1000000000;
        rc_gil_beside *beside;
        cr_assert_eq(rc_gil_begin(&session, &gil, &beside), RC_GOOD, "%s", error.text);
        if (!stopped) {
            while (!rc_gil_arrived(beside)) sched_yield();
            cr_expect_not(rc_gil_arrived(beside), "it is told once");
            cr_expect_eq(gil.measured[RC_GIL_THREADS].n_pieces, 6);
            cr_expect(gil.measured[RC_GIL_ALONE].makespan_ps > 0);
            cr_expect_eq(gil.measured[RC_GIL_PROCESSES].pieces[5].slice, 2);
        }
        rc_gil_leave(beside); /* though a million runs were to come */
        cr_expect(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "nobody is left");
        rc_host_free(host);
    }
    munmap(shared, sizeof *shared);
}
#endif
