/* Kernel variant 4's flags, in place of launches: they count, they wait, they give up; on the emulated device. */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "gpu/device/device_stage.h"
#include "support/naive_apply.h"

static rg_job ring_job(const rs_schedule *s, int64_t count) {
    return (rg_job){.schedule = s,
                    .dtype = RS_I32,
                    .op = RS_SUM,
                    .count = count,
                    .in_place = true,
                    .flip_rank = -1};
}

Test(device_flags, count_past_the_end_of_32_bits) {
    const rs_schedule schedule = make_schedule("ring", RS_ORDER_SEED, 4, 100);
    const rg_job job = ring_job(&schedule, 100); /* 6 tasks a rank */
    const uint32_t last = UINT32_MAX / 6;
    for (uint32_t run = last - 1; run <= last + 1; run++) {
        stage_seed((int)(run % 5));
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        stage s;
        stage_new(&s, &job, 2, &arena);
        stage_run_whole(&s, run);
        cr_assert(stage_fetch(&s, TARGETS, s.p.targets));
        cr_assert(planned_equals_reference(&s.p), "run %u", (unsigned)run);
        stage_free(&s);
        rs_arena_free(&arena);
    }
}

/* Out of place, so that a run can follow another one without new inputs. */
Test(device_flags, serve_run_after_run) {
    stage_seed(3);
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const rs_schedule schedule = make_schedule("halving", RS_ORDER_SEED, 5, 200);
    rg_job job = ring_job(&schedule, 200);
    job.in_place = false;
    stage s;
    stage_new(&s, &job, 3, &arena);
    stage_set_done(&s, 0);
    rg_whole whole = stage_whole(&s, 0);
    for (uint32_t run = 0; run < 4; run++) {
        whole.run = run;
        stage_launch(rg_kernel_of(4, job.dtype, job.op), 5 * 3, &whole, true);
        OK(cudaDeviceSynchronize());
        cr_assert(stage_fetch(&s, TARGETS, s.p.targets));
        cr_assert(planned_equals_reference(&s.p), "run %d", (int)run);
    }
    stage_free(&s);
    rs_arena_free(&arena);
}

/* Ranks 0 and 1 on one device, 2 to 4 on the other: neither can end without the other. */
static void run_on_two(stage *s) {
    static const int32_t first[] = {0, 2, 5};
    stage_set_done(s, 0);
    for (int device = 0; device < 2; device++) {
        rg_whole whole = stage_whole(s, 0);
        whole.across = true;
        whole.first_rank = first[device];
        whole.turn_first += first[device];
        OK(cudaSetDevice(device));
        OK(cudaDeviceEnablePeerAccess(1 - device, 0));
        stage_launch(rg_kernel_of(4, s->p.job->dtype, s->p.job->op),
                     (int64_t)(first[device + 1] - first[device]) * s->slices, &whole, true);
    }
    for (int device = 0; device < 2; device++) {
        OK(cudaSetDevice(device));
        OK(cudaDeviceSynchronize());
    }
    OK(cudaSetDevice(0));
}

/* Ranks 0 and 1 on one device, 2 to 4 on the other, but flags for one device only, on both or on one. */
Test(device_flags, between_two_devices_need_the_systems_scope) {
    static const int32_t first[] = {0, 2, 5};
    setenv("EMU_DEVICES", "2", 1);
    setenv("EMU_HANG_MS", "300", 1);
    for (int narrow = 1; narrow <= 3; narrow++) { /* devices, as bits */
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        stage_seed(narrow);
        const rs_schedule schedule = make_schedule("ring", RS_ORDER_SEED, 5, 77);
        const rg_job job = ring_job(&schedule, 77);
        stage s;
        stage_new(&s, &job, 2, &arena);
        stage_set_done(&s, 0);
        for (int device = 0; device < 2; device++) {
            rg_whole whole = stage_whole(&s, 0);
            whole.across = (narrow >> device & 1) == 0;
            whole.first_rank = first[device];
            whole.turn_first += first[device];
            OK(cudaSetDevice(device));
            OK(cudaDeviceEnablePeerAccess(1 - device, 0));
            stage_launch(rg_kernel_of(4, job.dtype, job.op),
                         (int64_t)(first[device + 1] - first[device]) * s.slices, &whole, true);
        }
        bool seen = false; /* the other device then waits in vain */
        for (int device = 0; device < 2; device++) {
            cudaSetDevice(device);
            seen = cudaDeviceSynchronize() == cudaErrorLaunchFailure || seen;
        }
        cr_expect(seen, "narrow on devices %d: %s", narrow, emu_last_words());
        cudaSetDevice(0); /* which has failed, or not */
        stage_free(&s);
        rs_arena_free(&arena);
    }
}

Test(device_flags, go_between_two_devices) {
    setenv("EMU_DEVICES", "2", 1);
    for (int number = 0; number < 10; number++) {
        stage_seed(number);
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        const rs_schedule schedule = make_schedule("ring", RS_ORDER_NCCL, 5, 77);
        const rg_job job = ring_job(&schedule, 77);
        stage s;
        stage_new(&s, &job, 2, &arena);
        run_on_two(&s);
        cr_assert(stage_fetch(&s, TARGETS, s.p.targets));
        cr_assert(planned_equals_reference(&s.p), "seed %d", number);
        stage_free(&s);
        rs_arena_free(&arena);
    }
}

/* Rank 1 is not there. Who waits for it gives up, and says that its own tasks are done. */
Test(device_flags, are_waited_for_no_longer_when_told_to_stop) {
    stage_seed(0);
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const rs_schedule schedule = make_schedule("ring", RS_ORDER_SEED, 2, 10);
    const rg_job job = ring_job(&schedule, 10);
    stage s;
    stage_new(&s, &job, 2, &arena);
    stage_set_done(&s, 0);
    rg_whole whole = stage_whole(&s, 0);
    *s.stop = 1;
    stage_launch(rg_kernel_of(4, job.dtype, job.op), s.slices, &whole, true);
    OK(cudaDeviceSynchronize());
    uint32_t done[2][2][RG_WARPS];
    OK(cudaMemcpy(done, s.done, sizeof done, cudaMemcpyDeviceToHost));
    for (int slice = 0; slice < 2; slice++) {
        for (int warp = 0; warp < RG_WARPS; warp++) {
            cr_expect_eq(done[0][slice][warp], 2);
            cr_expect_eq(done[1][slice][warp], 0);
        }
    }
    stage_free(&s);
    rs_arena_free(&arena);
}

/* Rank 1 is not there. Loads from the host's memory are slow, and those of many waiting threads jam the bus. */
Test(device_flags, are_waited_for_with_few_looks_at_the_host) {
    setenv("EMU_HANG_MS", "200", 1);
    stage_seed(0);
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const rs_schedule schedule = make_schedule("ring", RS_ORDER_SEED, 2, 10);
    const rg_job job = ring_job(&schedule, 10);
    stage s;
    stage_new(&s, &job, 2, &arena);
    stage_set_done(&s, 0);
    rg_whole whole = stage_whole(&s, 0);
    stage_launch(rg_kernel_of(4, job.dtype, job.op), s.slices, &whole, true);
    cr_assert_eq(cudaDeviceSynchronize(), cudaErrorLaunchTimeout);
    const emu_spins spun = emu_spun();
    cr_expect_gt(spun.host_loads, 0);
    cr_expect_gt(spun.pauses / spun.host_loads, 1000);
    stage_free(&s);
    rs_arena_free(&arena);
}

/* The kernels obey the waits, and the waits are needed: without them the sums come out wrong. */
Test(device_flags, are_needed) {
    int n_wrong = 0;
    for (int number = 1; number <= 10; number++) {
        stage_seed(number);
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        const rs_schedule schedule = make_schedule("ring", RS_ORDER_SEED, 5, 50);
        const rg_job job = ring_job(&schedule, 50);
        stage s;
        stage_new(&s, &job, 1, &arena);
        rg_plan *plan = s.p.plan;
        for (int32_t t = 0; t < plan->n_tasks; t++) plan->tasks[t].n_waits = 0;
        stage_new_turns(&s);
        stage_run_whole(&s, 0);
        cr_assert(stage_fetch(&s, TARGETS, s.p.targets));
        n_wrong += !planned_equals_reference(&s.p);
        stage_free(&s);
        rs_arena_free(&arena);
    }
    cr_expect_gt(n_wrong, 0);
}
