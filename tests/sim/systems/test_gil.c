/* test_gil.c: locks and cores: never held twice, nobody idle without a reason, the known limits. */
#include "ringsim_gil.h"

#include <criterion/criterion.h>

static rs_arena arena;
static rs_error error;
static rs_gil_report report;

static void start(void) {
    rs_arena_init(&arena, NULL);
}
static void stop(void) {
    rs_arena_free(&arena);
}
TestSuite(gil, .init = start, .fini = stop);

static void run(int32_t n_workers, int32_t n_slices, int32_t n_cores, int64_t python_ps,
                int64_t native_ps, bool processes) {
    const rs_gil_job job = {n_workers, n_slices, n_cores, python_ps, native_ps, processes};
    cr_assert_eq(rs_gil(&job, &arena, &error, &report), RS_OK, "%s", error.text);
}

/* How many pieces are under way at a time; python: of those that hold a worker's lock. */
static int under_way(int64_t at_ps, bool python, int32_t worker) {
    int n = 0;
    for (int64_t i = 0; i < report.n_pieces; i++) {
        const rs_gil_piece *p = &report.pieces[i];
        if (p->start_ps > at_ps || p->end_ps <= at_ps) continue;
        if (python && (!p->python || (worker >= 0 && p->worker != worker))) continue;
        n++;
    }
    return n;
}

static void expect_sound(void) {
    const rs_gil_job *job = &report.job;
    int64_t done_ps[RS_GIL_MAX_WORKERS] = {0}, sum = 0;
    for (int64_t i = 0; i < report.n_pieces; i++) {
        const rs_gil_piece *p = &report.pieces[i];
        cr_assert(i == 0 || p->start_ps >= p[-1].start_ps);
        cr_assert_eq(p->asked_ps, done_ps[p->worker], "a worker does one thing after the other");
        cr_assert_geq(p->start_ps, p->asked_ps);
        done_ps[p->worker] = p->end_ps;
        sum += p->end_ps - p->start_ps;
        cr_assert_leq(under_way(p->start_ps, false, -1), job->n_cores);
        const int locks = under_way(p->start_ps, true, job->processes ? p->worker : -1);
        cr_assert_leq(locks, 1, "a lock is held once");
        /* who waits, waits for a reason: all cores are busy, or the lock is */
        if (p->start_ps > p->asked_ps) {
            const int64_t before = p->start_ps - 1;
            cr_assert(under_way(before, false, -1) == job->n_cores ||
                      (p->python && under_way(before, true, job->processes ? p->worker : -1) == 1));
        }
    }
    cr_assert_eq(sum, (int64_t)job->n_workers * job->n_slices * (job->python_ps + job->native_ps));
}

Test(gil, holds_a_lock_once_and_waits_for_a_reason_only) {
    for (int32_t n = 1; n <= 7; n++) {
        for (int32_t cores = 1; cores <= 4; cores++) {
            for (int64_t python = 0; python <= 7; python++) {
                run(n, 5, cores, python * 1000, (7 - python) * 1000 + 3, false);
                expect_sound();
                run(n, 5, cores, python * 1000, (7 - python) * 1000 + 3, true);
                expect_sound();
            }
        }
    }
}

/* Of two that could both start where the first did, it has waited longer, or is the lower worker. */
Test(gil, the_lock_goes_to_the_longest_waiting_then_to_the_lower_worker) {
    int64_t n_both = 0, n_ties = 0;
    for (int32_t cores = 1; cores <= 4; cores++) {
        for (int32_t native = 0; native <= 7; native++) {
            run(5, 4, cores, 3, native, false);
            for (int64_t i = 0; i < report.n_pieces; i++) {
                for (int64_t j = 0; j < report.n_pieces; j++) {
                    const rs_gil_piece *p = &report.pieces[i], *q = &report.pieces[j];
                    const bool both = p->python && q->python && p->worker != q->worker &&
                                      q->asked_ps <= p->start_ps && q->start_ps > p->start_ps;
                    if (!both) continue;
                    n_both++;
                    n_ties += p->asked_ps == q->asked_ps;
                    cr_assert(p->asked_ps < q->asked_ps ||
                                  (p->asked_ps == q->asked_ps && p->worker < q->worker),
                              "worker %d before %d at %d", p->worker, q->worker, (int)p->start_ps);
                }
            }
        }
    }
    cr_expect(n_both > 100 && n_ties > 100);
}

Test(gil, all_python_threads_are_no_faster_than_one) {
    run(4, 10, 8, 1000, 0, false);
    cr_expect_eq(report.makespan_ps, 40000);
    cr_expect_eq(report.lock_ps, 40000);
    run(4, 10, 8, 1000, 0, true);
    cr_expect_eq(report.makespan_ps, 10000);
}

Test(gil, native_threads_are_as_fast_as_processes) {
    run(4, 10, 4, 0, 1000, false);
    cr_expect_eq(report.makespan_ps, 10000);
    run(4, 10, 2, 0, 1000, false);
    cr_expect_eq(report.makespan_ps, 20000);
    run(4, 10, 2, 0, 1000, true);
    cr_expect_eq(report.makespan_ps, 20000);
}

/* In the long run the scarcest of workers, cores and lock decides. */
Test(gil, approaches_the_limit_and_never_passes_it) {
    for (int32_t n = 1; n <= 8; n++) {
        for (int32_t cores = 1; cores <= 8; cores *= 2) {
            for (int64_t python = 0; python <= 10; python += 2) {
                run(n, 500, cores, python * 1000, (10 - python) * 1000, false);
                const double speedup = (double)n * 500 * 10000 / (double)report.makespan_ps;
                const double limit = rs_gil_limit(n, cores, (double)python / 10);
                cr_expect_leq(speedup, limit + 1e-9, "%d %d %d", (int)n, (int)cores, (int)python);
                cr_expect_geq(speedup, 0.8 * limit, "%d %d %d: %g of %g", (int)n, (int)cores,
                              (int)python, speedup, limit);
                cr_expect_leq(rs_gil_amdahl(n, cores, (double)python / 10), limit + 1e-9);
            }
        }
    }
    cr_expect_float_eq(rs_gil_amdahl(4, 8, 0.5), 1.6, 1e-12);
    cr_expect_float_eq(rs_gil_limit(4, 8, 0.5), 2, 1e-12);
}

Test(gil, refuses_what_makes_no_sense) {
    const rs_gil_job bad[] = {{0, 1, 1, 1, 1, false},  {65, 1, 1, 1, 1, false},
                              {1, 0, 1, 1, 1, false},  {1, 1, 0, 1, 1, false},
                              {1, 1, 1, -1, 1, false}, {1, 1, 1, INT64_MAX, 1, false}};
    for (int i = 0; i < 6; i++) {
        cr_expect_eq(rs_gil(&bad[i], &arena, &error, &report), RS_BAD_INPUT, "%d", i);
    }
    const rs_gil_job long_job = {64, 1000, 1, (int64_t)1 << 50, 0, false};
    cr_expect_eq(rs_gil(&long_job, &arena, &error, &report), RS_TOO_LARGE);
}
