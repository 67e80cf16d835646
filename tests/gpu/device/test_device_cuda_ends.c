/* test_device_cuda_ends.c: the cuda backend on the EMULATED device, where it does not simply run: too little
   memory, cancelled, kernels that fail or hang, GPUs that cannot; and the traces it keeps. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cuda/cuda.h"
#include "cuda/kernels.h"
#include "gpu/device/device_clock.h"
#include "gpu/device/device_cuda.h"
#include "job/backend.h"
#include "support/naive_apply.h"

/* ------------------------------------------------------------------ what goes wrong */

Test(device_cuda_ends, too_little_memory_is_seen_before_and_a_smaller_job_runs) {
    cuda_machine("EMU_MEMORY=128");
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 4, 8 << 20);
    rg_group *group = cuda_open(RG_CUDA, 4, 0);
    rs_error error = {.text = ""};
    const rg_job large = cuda_job(&s, RS_F32, RS_SUM, 8 << 20);
    cr_expect_eq(cuda_fail(group, &large, &error), RS_NO_MEMORY);
    cuda_says(error.text, "4 ranks need 0.25 GiB");
    cuda_says(error.text, "take smaller sizes");
    const rs_schedule smaller = make_schedule("ring", RS_ORDER_SEED, 4, 1000);
    const rg_job small = cuda_job(&smaller, RS_F32, RS_SUM, 1000);
    cuda_right(group, &small);
    rg_group_close(group);
    cr_assert_eq(emu_live_allocations(), 0);
}

/* What is there, what is free of it and what is needed, in GiB: two or three arrays a rank, and what is small beside. */
Test(device_cuda_ends, too_little_memory_is_told_in_numbers) {
    static const struct {
        const char *name;
        int n_arrays;
    } kinds[] = {{"ring", 2}, {"doubling", 3}};
    enum { TAKEN = 50 }; /* MiB, by somebody else */
    for (int i = 0; i < 9; i++) {
        const int mib = 128 + 256 * (i % 3), kind = i / 6, n = kind == 1 ? 4 : 2 + 2 * (i / 3);
        char machine[40];
        double has, of, needs;
        int gpu, ranks;
        void *taken;
        const int64_t count = ((int64_t)mib << 20) / 4 / n;
        const rs_schedule s = make_schedule(kinds[kind].name, RS_ORDER_SEED, n, count);
        const rg_job job = cuda_job(&s, RS_F32, RS_SUM, count);
        rs_error error = {.text = ""};
        snprintf(machine, sizeof machine, "EMU_MEMORY=%d", mib);
        cuda_machine(machine);
        rg_group *group = cuda_open(RG_CUDA, n, 0);
        cr_assert_eq(cudaMalloc(&taken, TAKEN << 20), cudaSuccess);
        cr_assert_eq(cuda_fail(group, &job, &error), RS_NO_MEMORY);
        cudaFree(taken);
        rg_group_close(group);
        const char *at = strstr(error.text, ", has ");
        cr_assert(sscanf(error.text, "GPU %d, ", &gpu) == 1 && at != NULL, "%s", error.text);
        cr_assert_eq(sscanf(at, ", has %lf GiB free of %lf; %d ranks need %lf GiB", &has, &of,
                            &ranks, &needs),
                     4, "%s", error.text);
        cr_expect(gpu == 0 && ranks == n);
        cr_expect(fabs(of - mib / 1024.0) < 0.006, "%s", error.text);
        cr_expect(fabs(has - (mib - TAKEN) / 1024.0) < 0.01, "%s", error.text);
        cr_expect(fabs(needs - kinds[kind].n_arrays * mib / 1024.0) < 0.007, "%s", error.text);
    }
}

/* 64 MiB stay free for others; but a job that needs less than that tries, and arrays in the host's memory do not count. */
Test(device_cuda_ends, some_memory_stays_free) {
    static const struct {
        int mib, needs;
        rs_status status;
        const char *gpus;
    } cases[] = {{160, 80, RS_OK, ""},
                 {160, 112, RS_NO_MEMORY, ""},
                 {48, 32, RS_OK, ""},
                 {160, 176, RS_OK, "EMU_DEVICES=2 EMU_PEERS=0"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char machine[80];
        const int64_t count = ((int64_t)cases[i].needs << 20) / 4 / 4;
        const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 2, count);
        const rg_job job = cuda_job(&s, RS_F32, RS_SUM, count);
        rs_error error = {.text = ""};
        snprintf(machine, sizeof machine, "EMU_MEMORY=%d %s", cases[i].mib, cases[i].gpus);
        cuda_machine(machine);
        rg_group *group = cuda_open(RG_CUDA, 2, 0);
        cr_expect_eq(cuda_fail(group, &job, &error), cases[i].status, "%d of %d MiB: %s",
                     cases[i].needs, cases[i].mib, error.text);
        rg_group_close(group);
    }
}

static bool say_no(void *context, const char *what, int64_t done, int64_t total) {
    (void)what, (void)total;
    return done < *(const int *)context;
}

Test(device_cuda_ends, a_cancelled_run_leaves_a_group_that_works) {
    cuda_machine("");
    int patience = 2;
    const rs_host host = {.context = &patience, .progress = say_no};
    const rg_setup setup = {.n_ranks = 3};
    rs_error error = {.text = ""};
    rg_group *group;
    cr_assert_eq(rg_group_open(RG_CUDA, &setup, &host, &error, &group), RS_OK, "%s", error.text);
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 3, 100);
    rg_job job = cuda_job(&s, RS_F32, RS_SUM, 100);
    job.times = 10;
    cr_expect_eq(cuda_fail(group, &job, &error), RS_CANCELLED);
    patience = 1000;
    cuda_right(group, &job);
    rg_group_close(group);
    cr_assert_eq(emu_live_allocations(), 0);
}

Test(device_cuda_ends, kernel_4_is_refused_where_not_all_blocks_run_at_once) {
    enum { N = 8 };
    cuda_machine("EMU_SMS=1 EMU_BLOCKS=4");
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, 100);
    const rg_job job = cuda_job(&s, RS_F32, RS_SUM, 100);
    rs_error error = {.text = ""};
    rg_group *group = cuda_open(RG_CUDA, N, 4);
    cr_expect_eq(cuda_fail(group, &job, &error), RS_UNSUPPORTED);
    cuda_says(error.text, "8 ranks need one each");
    rg_group_close(group);
    group = cuda_open(RG_CUDA, N, 0);
    const rg_result result = cuda_right(group, &job);
    cuda_says(result.note, "kernel 3");
    rg_group_close(group);
}

/* It was counted before what fits, but another program may have come in between. */
Test(device_cuda_ends, a_refused_cooperative_launch_falls_to_the_next_kernel) {
    cuda_machine("EMU_FAIL=cudaLaunchCooperativeKernel:1=720");
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 4, 1000);
    const rg_job job = cuda_job(&s, RS_F32, RS_SUM, 1000);
    rg_group *group = cuda_open(RG_CUDA, 4, 0);
    const rg_result result = cuda_right(group, &job);
    cuda_says(result.note, "refused the cooperative launch");
    rg_group_close(group);
    cr_assert_eq(emu_live_allocations(), 0);
}

Test(device_cuda_ends, a_refused_launch_of_the_kernel_that_was_asked_for_is_an_error) {
    cuda_machine("EMU_FAIL=cudaLaunchCooperativeKernel:1=720");
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 4, 1000);
    const rg_job job = cuda_job(&s, RS_F32, RS_SUM, 1000);
    rg_group *group = cuda_open(RG_CUDA, 4, 4);
    rs_error error = {.text = ""};
    rg_result result = {.failure = ""};
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    cr_expect_eq(rg_group_run(group, &job, &arena, &error, &result), RS_OK);
    cr_expect_not(result.completed);
    cuda_says(result.failure, "cudaLaunchCooperativeKernel");
    rs_arena_free(&arena);
    rg_group_close(group);
}

Test(device_cuda_ends, a_kernel_that_fails_ends_the_run_and_the_group) {
    cuda_machine("EMU_FAIL=kernel:2=700");
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 4, 100);
    const rg_job job = cuda_job(&s, RS_F32, RS_SUM, 100);
    rg_group *group = cuda_open(RG_CUDA, 4, 2);
    rs_arena arena;
    rs_error error = {.text = ""};
    rg_result result;
    rs_arena_init(&arena, NULL);
    cr_assert_eq(rg_group_run(group, &job, &arena, &error, &result), RS_OK);
    cr_expect_not(result.completed);
    cuda_says(result.failure, "illegal memory access");
    cuda_says(result.failure, "GPU 0");
    cr_expect_eq(rg_group_run(group, &job, &arena, &error, &result), RS_UNSUPPORTED);
    cuda_says(error.text, "only be closed");
    rs_arena_free(&arena);
    rg_group_close(group);
}

/* The run must end without an answer, soon after the timeout. The host looks as often as on any machine until then: all
   have come to where they stay. */
static void expect_hang(const char *settings, int32_t n, int32_t variant, const char *part) {
    const int64_t count = variant == 5 ? 9000 * n : 100; /* enough for tiles */
    cuda_machine(settings);
    device_clock_play();
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, n, count);
    rg_job job = cuda_job(&s, RS_F32, RS_SUM, count);
    job.in_place = true;
    job.timeout_ms = 3000;
    rg_group *group = cuda_open_tiled(RG_CUDA, n, variant, (rg_tiling){.lanes = 2, .early = true});
    rs_arena arena;
    rs_error error = {.text = ""};
    rg_result result;
    rs_arena_init(&arena, NULL);
    const int64_t start_ps = rg_now_ps();
    cr_assert_eq(rg_group_run(group, &job, &arena, &error, &result), RS_OK, "%s", error.text);
    cr_expect_not(result.completed);
    cuda_says(result.failure, "no answer within 3 s");
    cuda_says(result.failure, part);
    if (part[0] == ';') cr_expect_str_eq(strchr(result.failure, ';'), part);
    rs_arena_free(&arena);
    rg_group_close(group);
    cr_expect_lt(rg_now_ps() - start_ps, (int64_t)50 * 1000000000000,
                 "it took too long to give up");
}

Test(device_cuda_ends, a_kernel_that_never_ends_is_given_up_and_named) {
    expect_hang("EMU_HANG_MS=60000 EMU_FAIL=hang:1", 4, 3, "GPU 0 (ranks 0..3) is at work");
    expect_hang("EMU_HANG_MS=60000 EMU_FAIL=hang:1", 4, 4, "rank 0 does not end step 0");
}

Test(device_cuda_ends, who_waits_for_a_GPU_that_hangs_is_told_to_stop) {
    expect_hang(
        "EMU_HANG_MS=60000 EMU_DEVICES=2 EMU_FAIL=hang:1", 4, 4,
        "is at work and cannot be stopped"); /* GPU 1; on a slow machine GPU 0 stops too late */
    cr_expect(rg_never_ends, "who ends this process normally waits for that kernel");
    expect_hang("EMU_HANG_MS=60000 EMU_DEVICES=2 EMU_PEERS=0 EMU_FAIL=hang:1", 4, 4,
                "rank 2 does not end step 0");
}

/* Rank r of a ring has done r + 1 steps when its neighbour's chunk does not come: four are named, those that
   hang first, and each with its step and for whom it waits. */
Test(device_cuda_ends, of_ranks_that_hang_and_wait_the_first_four_are_named_with_their_steps) {
    for (int32_t n = 4; n <= 7; n += 3) {
        const int32_t hung = n - n / 2;
        char text[300] = "", *end = text;
        int told = 0;
        for (int32_t r = hung; r < n && told < 4; r++, told++) {
            end += sprintf(end, "; rank %d does not end step 0", (int)r);
        }
        for (int32_t r = 0; r < hung && told < 4; r++, told++) {
            end += sprintf(end, "; rank %d waits in step %d for rank %d", (int)r, (int)r + 1,
                           (int)(r + n - 1) % n);
        }
        expect_hang("EMU_HANG_MS=60000 EMU_DEVICES=2 EMU_FAIL=hang:1", n, 4, text);
        expect_hang("EMU_HANG_MS=60000 EMU_DEVICES=2 EMU_FAIL=hang:1 EMU_CACHE=16", n, 5, text);
    }
}

Test(device_cuda_ends, a_launch_that_fails_on_one_GPU_does_not_keep_the_other_waiting) {
    cuda_machine("EMU_DEVICES=2 EMU_FAIL=cudaLaunchCooperativeKernel:2=720");
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 4, 100);
    const rg_job job = cuda_job(&s, RS_F32, RS_SUM, 100);
    rg_group *group = cuda_open(RG_CUDA, 4, 4);
    rs_arena arena;
    rs_error error = {.text = ""};
    rg_result result;
    rs_arena_init(&arena, NULL);
    const int64_t start_ps = rg_now_ps();
    cr_assert_eq(rg_group_run(group, &job, &arena, &error, &result), RS_OK);
    cr_expect_not(result.completed);
    cuda_says(result.failure, "cudaLaunchCooperativeKernel on GPU 1");
    cr_expect_lt(rg_now_ps() - start_ps, (int64_t)50 * 1000000000000);
    rs_arena_free(&arena);
    rg_group_close(group);
    cr_expect_eq(emu_live_allocations(), 0);
}

/* ------------------------------------------------------------------ the trace */

static int64_t end_of_input(const rs_trace *trace, const rs_timed *item) {
    int64_t latest = 0;
    for (int64_t i = 0; i < trace->n_items; i++) {
        const rs_timed *other = &trace->items[i];
        const bool feeds = other->step < item->step && other->transfer.dst == item->transfer.src &&
                           other->transfer.chunk == item->transfer.chunk;
        if (feeds && other->end_ps > latest) latest = other->end_ps;
    }
    return latest;
}

/* When both ends of an item have done their earlier steps. */
static int64_t both_free(const rs_trace *trace, const rs_timed *item) {
    int64_t latest = 0;
    for (int64_t i = 0; i < trace->n_items; i++) {
        const rs_timed *other = &trace->items[i];
        const int32_t ends[] = {other->transfer.src, other->transfer.dst};
        for (int e = 0; e < 2; e++) {
            const bool meets = ends[e] == item->transfer.src || ends[e] == item->transfer.dst;
            if (other->step < item->step && meets && other->end_ps > latest) latest = other->end_ps;
        }
    }
    return latest;
}

static void check_trace(int32_t n, int64_t count, int32_t variant) {
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, n, count);
    rg_group *group = cuda_open(RG_CUDA, n, variant);
    rg_job job = cuda_job(&s, RS_F32, RS_SUM, count);
    job.trace = true;
    job.in_place = variant % 2 == 0;
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const rg_result result = cuda_run(group, &job, &arena);
    const rs_trace *trace = result.trace;
    cr_expect_eq(result.n_wrong, 0);
    cr_assert_not_null(trace);
    cr_assert_eq(trace->n_items, s.n_transfers);
    int64_t first = INT64_MAX, i = 0;
    for (int32_t step = 0; step < s.n_steps; step++) {
        rs_transfer t;
        for (rs_cursor c = {0}; rs_next_transfer(&s, step, &c, &t); i++) {
            const rs_timed *item = &trace->items[i];
            cr_assert(item->step == step && item->transfer.src == t.src &&
                      item->transfer.dst == t.dst && item->transfer.chunk == t.chunk);
            cr_assert(item->start_ps >= 0 && item->end_ps >= item->start_ps &&
                      item->done_ps >= item->end_ps);
            cr_assert_geq(item->start_ps, end_of_input(trace, item), "kernel %d step %d rank %d",
                          (int)variant, (int)step, (int)t.dst);
            if (count / n == 0 && t.chunk >= count % n) { /* an empty chunk takes no time */
                cr_assert_eq(item->start_ps, both_free(trace, item), "kernel %d step %d rank %d",
                             (int)variant, (int)step, (int)t.dst);
                cr_assert_eq(item->end_ps, item->start_ps);
            }
            if (item->start_ps < first) first = item->start_ps;
        }
    }
    if (s.n_transfers > 0) cr_expect_eq(first, 0);
    rs_arena_free(&arena);
    rg_group_close(group);
}

Test(device_cuda_ends, a_trace_is_whole_and_in_order) {
    for (int32_t variant = 1; variant <= 5; variant++) {
        cuda_machine("EMU_SEED=3");
        check_trace(4, 1000, variant);
        check_trace(5, 3, variant); /* empty chunks */
        check_trace(3, 0, variant);
        check_trace(1, 10, variant);
        cuda_machine("EMU_DEVICES=2 EMU_SEED=4");
        check_trace(4, 1000, variant);
        cr_assert_eq(emu_live_allocations(), 0);
    }
}

/* ------------------------------------------------------------------ may it run here? */

static void expect_unavailable(const char *settings, const char *part) {
    const rg_setup setup = {.n_ranks = 4};
    rs_error error = {.text = ""};
    rg_group *group = NULL;
    cuda_machine(settings);
    cr_expect_not(rg_available(RG_CUDA, &setup, &error), "%s", settings);
    cuda_says(error.text, part);
    cr_expect_eq(rg_group_open(RG_CUDA, &setup, NULL, &error, &group), RS_UNSUPPORTED);
    cr_expect_eq(emu_live_allocations(), 0);
}

Test(device_cuda_ends, what_is_missing_is_named) {
    expect_unavailable("EMU_DRIVER=0", "no NVIDIA driver");
    expect_unavailable("EMU_DEVICES=0", "no GPU that it knows");
    expect_unavailable("EMU_DEVICES=0 CUDA_VISIBLE_DEVICES=", "CUDA_VISIBLE_DEVICES=\"\"");
    expect_unavailable("EMU_DEVICES=0 CUDA_VISIBLE_DEVICES=7", "CUDA_VISIBLE_DEVICES=\"7\"");
    expect_unavailable("EMU_CAPABILITY=61", "compute capability 6.1");
    expect_unavailable("EMU_FAIL=cudaGetDeviceCount:1=35,cudaGetDeviceCount:2=35",
                       "update the driver");
    expect_unavailable("EMU_FAIL=cudaGetDeviceCount:1=999,cudaGetDeviceCount:2=999",
                       "does not start");
}

Test(device_cuda_ends, a_kernel_that_was_not_compiled_for_the_GPU_is_refused_at_the_start) {
    cuda_machine("EMU_FAIL=cudaOccupancyMaxActiveBlocksPerMultiprocessor:1=209");
    const rg_setup setup = {.n_ranks = 4};
    rs_error error = {.text = ""};
    rg_group *group = NULL;
    cr_expect(rg_available(RG_CUDA, &setup, &error));
    cr_expect_eq(rg_group_open(RG_CUDA, &setup, NULL, &error, &group), RS_UNSUPPORTED);
    cuda_says(error.text, "this build has no kernels");
    cr_expect_eq(emu_live_allocations(), 0);
}

Test(device_cuda_ends, without_cooperative_launches_kernel_3_is_the_best) {
    cuda_machine("EMU_COOPERATIVE=0");
    const rg_setup setup = {.n_ranks = 4, .kernel = 4};
    rs_error error = {.text = ""};
    rg_group *group = NULL;
    cr_expect_eq(rg_group_open(RG_CUDA, &setup, NULL, &error, &group), RS_UNSUPPORTED);
    cuda_says(error.text, "no cooperative launch");
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 4, 100);
    const rg_job job = cuda_job(&s, RS_F32, RS_SUM, 100);
    group = cuda_open(RG_CUDA, 4, 0);
    const rg_result result = cuda_right(group, &job);
    cuda_says(result.note, "kernel 3: GPU 0 has no cooperative launch");
    rg_group_close(group);
}

Test(device_cuda_ends, the_group_says_what_it_runs_on) {
    cuda_machine("EMU_DEVICES=2");
    rg_group *group = cuda_open(RG_CUDA, 4, 0);
    cuda_says(rg_group_where(group), "2 emulated device");
    cuda_says(rg_group_where(group), "kernel 4 of 7, where it fits: one persistent launch");
    cr_expect(rg_group_reports(group));
    rg_group_close(group);
    const rg_setup setup = {.n_ranks = 4, .kernel = RG_N_VARIANTS + 1};
    rs_error error = {.text = ""};
    cr_expect_eq(rg_group_open(RG_CUDA, &setup, NULL, &error, &group), RS_BAD_INPUT);
}

/* How many GPUs, the driver's version as people write it, and which kernel. */
Test(device_cuda_ends, the_group_says_its_versions_and_its_kernel) {
    static const struct {
        int driver;
        const char *told;
    } drivers[] = {{11080, "CUDA 11.8,"}, {12050, "CUDA 12.5,"}, {13000, "CUDA 13.0,"}};
    for (int i = 0; i < 3; i++) {
        for (int32_t kernel = 0; kernel <= RG_N_VARIANTS; kernel++) {
            char machine[80], want[80];
            snprintf(machine, sizeof machine, "EMU_DEVICES=%d EMU_DRIVER=%d", i + 1,
                     drivers[i].driver);
            cuda_machine(machine);
            rg_group *group = cuda_open(RG_CUDA, 4, kernel);
            const char *where = rg_group_where(group);
            const int32_t best = kernel > 0 ? kernel : i == 0 ? 5 : 4; /* of one GPU, of several */
            snprintf(want, sizeof want, "%d emulated device", i + 1);
            cr_expect_eq(strncmp(where, want, strlen(want)), 0, "%s", where);
            cuda_says(where, drivers[i].told);
            snprintf(want, sizeof want, "kernel %d of %d%s: %.30s", (int)best, RG_N_VARIANTS,
                     kernel > 0 ? "" : ", where it fits", rg_variant_name(best));
            cuda_says(where, want);
            rg_group_close(group);
        }
        char machine[120], want[80];
        snprintf(machine, sizeof machine,
                 "EMU_DRIVER=%d EMU_FAIL=cudaGetDeviceCount:1=35,cudaGetDeviceCount:2=35",
                 drivers[i].driver);
        expect_unavailable(machine, drivers[i].told);
        snprintf(want, sizeof want, "this build needs CUDA %d.%d;", CUDART_VERSION / 1000,
                 CUDART_VERSION % 1000 / 10);
        expect_unavailable(machine, want);
    }
}

/* ------------------------------------------------------------------ every run is judged */

#ifndef SANITIZED /* a plan that never came makes a kernel read where nothing is: the sanitizer's report */
/* The n-th copy of a stream is lost, for each n: a run that begins with what the run before has left is
   wrong. N copies a run; the first copies of all bring inputs and plan, and what comes of those is free. */
Test(device_cuda_ends, a_fault_in_any_timed_run_is_found_where_each_is_judged) {
    enum { N = 3, RUNS = 3, MOST = 40 /* more than there are */ };
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, 60);
    for (int kernel = 1; kernel <= 5; kernel++) {
        for (int every = 0; every < 2; every++) {
            int32_t found[RUNS + 1] = {0};
            for (int n = 1; n <= MOST; n++) {
                char machine[40];
                rs_arena arena;
                rs_arena_init(&arena, NULL);
                rs_error error;
                rg_result r;
                snprintf(machine, sizeof machine, "EMU_HANG_MS=300 EMU_FAIL=lost:%d", n);
                cuda_machine(machine);
                rg_job job = cuda_job(&s, RS_I32, RS_SUM, 60);
                job.in_place = true;
                job.warmup = 1;
                job.times = RUNS;
                job.check_every = every == 1;
                rg_group *group = cuda_open(RG_CUDA, N, kernel);
                const rs_status status = rg_group_run(group, &job, &arena, &error, &r);
                if (status == RS_OK && r.completed && r.n_checked > 0) {
                    cr_expect_eq(r.n_wrong > 0, r.n_wrong_runs > 0);
                    cr_expect_eq(r.n_checked, every ? RUNS : 1);
                    if (r.n_wrong_runs == 1) found[r.first_wrong_run]++;
                }
                rg_group_close(group);
                rs_arena_free(&arena);
            }
            for (int i = 1; i <= RUNS; i++) {
                cr_expect_eq(found[i], every || i == RUNS ? N : 0, "kernel %d, run %d: %d", kernel,
                             i, (int)found[i]);
            }
        }
    }
}
#endif
