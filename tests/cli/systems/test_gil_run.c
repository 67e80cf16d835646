/* test_gil_run.c: which cores the workers of a real run keep to, on machines with any set of cores.
 *
 * The two functions below stand before the system's: the machine has the cores in `mine`.
 */
#ifdef __linux__
#include "systems/gil.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST_KEPT = 64 };

typedef struct board { /* that worker processes share with us */
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
        rs_arena arena;
        rs_error error = {.text = ""};
        rs_arena_init(&arena, NULL);
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
                if (p->end_ps > end) end = p->end_ps;
            }
            cr_expect_eq(end, gil.measured[way].makespan_ps);
        }
        rs_arena_free(&arena);
    }
    rc_host_free(host);
    munmap(shared, sizeof *shared);
}
#endif
