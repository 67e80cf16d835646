/* test_device_long.c: schedules of more steps than the nccl backend keeps on its stream at once: where a rank stands, and
 * what a trace says, of the steps long after the first. On the EMULATED device and the fake NCCL.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/backend_fixture.h"
#include "support/naive_apply.h"

enum { N = 2, STEPS = 150 };

static const char *program(void) {
    static char path[4200], library[4200];
    const char *build = getenv("BUILD");
    snprintf(path, sizeof path, "%s/device/ringsim", build != NULL ? build : "build");
    snprintf(library, sizeof library, "%s/device/libnccl.so.2", build != NULL ? build : "build");
    setenv("RINGSIM_NCCL", library, 1);
    return path;
}

/* One chunk goes to and fro, and is added each time: rank 1 receives in the even steps, rank 0 in the odd ones. */
static rs_schedule to_and_fro(rs_arena *arena) {
    static rs_transfer list[STEPS];
    static int64_t first[STEPS + 1];
    rs_schedule s;
    rs_error error = {.text = ""};
    for (int i = 0; i < STEPS; i++) {
        list[i] = (rs_transfer){.src = i % 2, .dst = 1 - i % 2, .n_chunks = 1, .effect = RS_REDUCE};
        first[i + 1] = i + 1;
    }
    cr_assert_eq(rs_schedule_from_list(N, 1, STEPS, first, list, arena, &error, &s), RS_OK, "%s",
                 error.text);
    return s;
}

/* The library's k-th kernel is that of step k - 1, which never ends: neither rank goes on. */
Test(device_long, who_waits_stands_in_its_step_however_late) {
    static const int kernels[] = {1, 64, 65, 66, 130};
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const rs_schedule s = to_and_fro(&arena);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        char fault[32], words[80];
        rs_error error = {.text = ""};
        rg_result result;
        snprintf(fault, sizeof fault, "kernel:%d:1", kernels[i]);
        setenv("EMU_NCCL_STALL", fault, 1);
        rg_group *nccl = backend_fixture_open(RG_NCCL, program(), N);
        rg_job job = backend_fixture_job(&s, RS_I32, RS_SUM, 8);
        job.timeout_ms = 700;
        cr_assert_eq(rg_group_run(nccl, &job, &arena, &error, &result), RS_OK, "%s", error.text);
        rg_group_close(nccl);
        const int step = kernels[i] - 1;
        cr_assert(!result.completed && result.n_stuck == N, "%s", result.failure);
        cr_expect(result.stuck[1].step == step && result.stuck[0].step == step, "kernel %d: %d, %d",
                  kernels[i], (int)result.stuck[1].step, (int)result.stuck[0].step);
        snprintf(words, sizeof words, "rank 0 waits in step %d for rank 1", step);
        cr_expect(strstr(result.failure, words) != NULL, "%s", result.failure);
    }
    rs_arena_free(&arena);
}

/* Each step in its place, and after what its ends did before. */
Test(device_long, a_trace_has_every_step) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const rs_schedule s = to_and_fro(&arena);
    rg_group *nccl = backend_fixture_open(RG_NCCL, program(), N);
    rg_job job = backend_fixture_job(&s, RS_I32, RS_SUM, 8);
    rs_error error = {.text = ""};
    rg_result result;
    job.oracle = false;
    job.trace = true;
    cr_assert_eq(rg_group_run(nccl, &job, &arena, &error, &result), RS_OK, "%s", error.text);
    rg_group_close(nccl);
    cr_assert(result.completed && result.trace != NULL, "%s", result.failure);
    cr_assert_eq(result.trace->n_items, STEPS);
    int64_t before_ps = 0;
    for (int i = 0; i < STEPS; i++) {
        const rs_timed *t = &result.trace->items[i];
        cr_expect(t->step == i && t->transfer.src == i % 2 && t->transfer.dst == 1 - i % 2);
        cr_expect(t->start_ps <= t->end_ps && t->end_ps <= t->done_ps, "step %d", i);
        cr_expect(t->done_ps >= before_ps, "step %d ends before the one before it", i);
        before_ps = t->done_ps;
    }
    rs_arena_free(&arena);
}

/* A copy before the steps or after them belongs to none, however many a rank has behind it. true: the n-th such copy of
   each rank failed while there were runs. */
static bool fail_copy(const char *call, int n, rs_arena *arena, bool *came) {
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, 8);
    char fault[40], words[40];
    rs_error error = {.text = ""};
    rg_result result = {.completed = true};
    snprintf(fault, sizeof fault, "%s:%d=999", call, n);
    setenv("EMU_FAIL", fault, 1);
    rg_group *nccl = backend_fixture_open(RG_NCCL, program(), N);
    rg_job job = backend_fixture_job(&s, RS_I32, RS_SUM, 8);
    job.times = 2;
    job.check_every = true;
    job.timeout_ms = 2000;
    const rs_status status = rg_group_run(nccl, &job, arena, &error, &result);
    rg_group_close(nccl);
    *came = status != RS_OK || !result.completed;
    if (!*came || status != RS_OK) return false;
    snprintf(words, sizeof words, ": %s on GPU ", call);
    cr_expect(strstr(result.failure, words) != NULL && strstr(result.failure, "in step") == NULL,
              "copy %d: %s", n, result.failure);
    for (int32_t i = 0; i < result.n_stuck; i++) cr_expect_eq(result.stuck[i].step, -1);
    return true;
}

Test(device_long, what_fails_between_runs_is_in_no_step) {
    enum { MOST = 20 };
    static const char *const calls[] = {"cudaMemcpyAsync", "cudaMemcpy"}; /* there, and back */
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    for (int i = 0; i < 2; i++) {
        int n_runs = 0, n = 1;
        for (bool came = true; came && n < MOST; n++) {
            n_runs += fail_copy(calls[i], n, &arena, &came);
        }
        cr_expect(n < MOST && n_runs >= 2, "%s: %d", calls[i], n_runs);
    }
    rs_arena_free(&arena);
}
