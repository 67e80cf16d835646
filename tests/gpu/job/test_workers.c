/* test_workers.c: the reference's ranks run side by side where the host has more than one worker, one after the other elsewhere;
 * the bits are the same. */
#include <criterion/criterion.h>

#include "job/backend.h"
#include "support/backend_fixture.h"
#include "support/naive_apply.h"

enum { N = 5 };
static int n_calls, n_tasks_run;

/* In an order that is not 0, 1, 2, ... */
static void in_turn(void *context, int n_tasks, void (*task)(void *argument, int index),
                    void *argument) {
    (void)context;
    cr_assert_eq(n_tasks, N);
    n_calls++;
    for (int i = n_tasks; i-- > 0; n_tasks_run++) task(argument, i);
}

Test(workers, several_run_the_ranks_side_by_side) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, 1000);
    const rg_job job = backend_fixture_job(&s, RS_F32, RS_SUM, 1000);
    rg_group *plain = backend_fixture_open(RG_CPU, NULL, N);
    const rg_result wanted = backend_fixture_run(plain, &job, &arena);
    for (int n_workers = 0; n_workers <= 3; n_workers++) {
        const rs_host host = {.parallel_for = in_turn, .n_workers = n_workers};
        const rg_setup setup = {.n_ranks = N};
        rs_error error = {.text = ""};
        rg_group *group = NULL;
        n_calls = n_tasks_run = 0;
        cr_assert_eq(rg_group_open(RG_CPU, &setup, &host, &error, &group), RS_OK, "%s", error.text);
        const rg_result result = backend_fixture_run(group, &job, &arena);
        cr_expect_eq(n_calls > 0, n_workers > 1, "%d workers", n_workers);
        cr_expect_eq(n_tasks_run, n_calls * N);
        cr_expect(result.n_wrong == 0 && result.n_spoilt == 0);
        for (int r = 0; r < N; r++) cr_expect_eq(result.crc32[r], wanted.crc32[r]);
        rg_group_close(group);
    }
    rg_group_close(plain);
    rs_arena_free(&arena);
}
