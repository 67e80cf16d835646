/* test_allocations.c: memory that ends. Each allocation of a run fails once: opening, running, tracing and
 * closing either work or say that there is no memory, and the next run works.
 */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "support/backend_fixture.h"
#include "support/failing_malloc.h"

typedef struct attempt {
    rs_status status;
    rs_error error;
    bool completed, reached; /* the run; the failure */
} attempt;

/* Opens the cpu's ranks, runs a job and closes; the n-th allocation fails, of malloc or of an arena. */
static attempt try_run(const rs_schedule *schedule, bool trace, bool of_arena, long n) {
    _Atomic long *left = of_arena ? &n_arrays_until_failure : &n_until_failure;
    attempt a = {.error.text = ""};
    const rg_setup setup = {.n_ranks = schedule->n_ranks};
    rg_job job = backend_fixture_job(schedule, RS_F32, RS_AVG, 1001);
    job.trace = trace;
    job.times = 2;
    rs_arena arena;
    rg_group *group = NULL;
    rg_result result;
    rs_arena_init(&arena, NULL);
    *left = n;
    a.status = rg_group_open(RG_CPU, &setup, NULL, &a.error, &group);
    if (a.status == RS_OK) {
        a.status = rg_group_run(group, &job, &arena, &a.error, &result);
        a.completed = a.status == RS_OK && result.completed;
    }
    a.reached = n < 0 || *left < 0;
    *left = -1;
    rg_group_close(group);
    cr_assert(!a.completed || (result.n_wrong == 0 && result.n_spoilt == 0), "allocation %ld", n);
    rs_arena_free(&arena);
    return a;
}

static void fail_each(const rs_schedule *schedule, bool trace, bool of_arena) {
    enum { MOST = 5000 };
    long n = 0, n_refused = 0;
    for (; n < MOST; n++) {
        const attempt a = try_run(schedule, trace, of_arena, n);
        if (!a.reached) break; /* the run takes fewer */
        if (a.status == RS_OK) continue;
        n_refused++;
        cr_expect_eq(a.status, RS_NO_MEMORY, "allocation %ld: %s", n, a.error.text);
        cr_expect(a.error.text[0] != '\0' && strchr(a.error.text, '\n') == NULL);
        cr_assert(try_run(schedule, trace, of_arena, -1).completed, "after allocation %ld", n);
    }
    cr_expect(n < MOST && n_refused >= (of_arena || MALLOC_FAILS ? 6 : 0),
              "%ld allocations, %ld refused", n, n_refused);
}

Test(allocations, each_that_fails_is_said_and_leaves_nothing) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        rs_schedule schedule;
        rs_error error;
        cr_assert_eq(rs_schedule_make(rs_algorithms[i], RS_ORDER_SEED, 3, 1001, &error, &schedule),
                     RS_OK);
        fail_each(&schedule, i % 2 == 0, false);
        fail_each(&schedule, i % 2 == 0, true);
    }
}
