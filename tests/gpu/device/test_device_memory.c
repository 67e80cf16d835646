/* test_device_memory.c: the cuda backend on the EMULATED device where the host's memory ends, at each place that takes some, and
 * where the caller says stop, at each look: a line says so, nothing is left on the devices, and the next run works.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "gpu/device/device_cuda.h"
#include "support/failing_malloc.h"
#include "support/naive_apply.h"

enum { N = 3, COUNT = 12, NEVER = -1 };

typedef struct attempt {
    rs_status status;
    bool reached; /* that array, or that look */
    rs_error error;
    rg_result result;
} attempt;

static long n_looks; /* of the caller */
static long stops_at;
static bool look(void *context, const char *what, int64_t done, int64_t total) {
    (void)context, (void)what, (void)done, (void)total;
    return n_looks++ != stops_at;
}

/* Opens a group, runs the job and closes; the array of that number is refused, or that look says stop. */
static attempt try_run(int32_t kernel, const rg_job *job, long array, long at) {
    const rs_host host = {.progress = look};
    const rg_setup setup = {.n_ranks = N, .kernel = kernel};
    rg_group *group = NULL;
    attempt a = {.error.text = ""};
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    n_looks = 0;
    stops_at = at;
    n_arrays_until_failure = array;
    a.status = rg_group_open(RG_CUDA, &setup, &host, &a.error, &group);
    if (a.status == RS_OK) a.status = rg_group_run(group, job, &arena, &a.error, &a.result);
    const bool failed = a.status != RS_OK;
    a.reached = at >= 0 ? n_looks > at : array >= 0 && n_arrays_until_failure < 0;
    n_arrays_until_failure = NEVER;
    stops_at = NEVER;
    if (failed && group != NULL) {
        rg_result next;
        rs_error error = {.text = ""};
        cr_expect_eq(rg_group_run(group, job, &arena, &error, &next), RS_OK, "%s", error.text);
        cr_expect(next.completed && next.n_wrong == 0 && next.n_spoilt == 0, "%s", next.failure);
    }
    rg_group_close(group);
    rs_arena_free(&arena);
    cr_expect(emu_live_allocations() + emu_live_handles() + emu_live_peers() == 0);
    return a;
}

/* Runs `each` for kernels 0, stride, ... 5 on one device, and on two, with all that a run may be asked for. */
static void on_all(void (*each)(int32_t kernel, const rg_job *job), int32_t stride) {
    static const char *const machines[] = {"EMU_SEED=1 EMU_CACHE=1", "EMU_DEVICES=2 EMU_SEED=2"};
    static const char *const algorithms[] = {"ring", "doubling"};
    for (int m = 0; m < 2; m++) {
        for (int32_t kernel = 0; kernel <= 5; kernel += stride) {
            if (kernel == 5 && m > 0) continue; /* wants one device */
            cuda_machine(machines[m]);
            const rs_schedule s = make_schedule(algorithms[kernel % 2], RS_ORDER_SEED, N, COUNT);
            rg_job job = cuda_job(&s, RS_F32, RS_AVG, COUNT);
            job.trace = kernel != 5;
            job.device_clock = m == 0;
            job.in_place = kernel % 3 == 0;
            job.check_every = true;
            job.times = 2;
            each(kernel, &job);
        }
    }
}

static void miss_each_array(int32_t kernel, const rg_job *job) {
    enum { MOST = 400 };
    call_places places = {0};
    noted_arrays = &places;
    cr_assert_eq(try_run(kernel, job, NEVER, NEVER).status, RS_OK);
    noted_arrays = NULL;
    cr_assert(places.n > 10 && places.n_calls < MOST);
    for (int i = 0; i < places.n; i++) {
        const attempt a = try_run(kernel, job, places.first[i], NEVER);
        cr_expect_eq(a.status, RS_NO_MEMORY, "kernel %d, array %ld: %d %s", kernel, places.first[i],
                     a.status, a.error.text);
        cr_expect(a.error.text[0] != '\0' && strchr(a.error.text, '\n') == NULL);
    }
}

Test(device_memory, an_array_that_is_not_given_is_told) {
    on_all(miss_each_array, 1);
}

/* While a kernel runs it is asked ever again: how often depends on the time that takes. */
static void stop_at_each_look(int32_t kernel, const rg_job *job) {
    enum { MOST = 60 };
    long n = 0;
    for (; n < MOST; n++) {
        const attempt a = try_run(kernel, job, NEVER, n);
        cr_expect_eq(a.status, a.reached ? RS_CANCELLED : RS_OK, "kernel %d, look %ld: %d %s",
                     kernel, n, a.status, a.error.text);
        if (!a.reached) break;
        cr_expect_eq(strncmp(a.error.text, "cancelled", 9), 0, "%s", a.error.text);
    }
    cr_expect(n > 5, "%ld looks", n);
}

Test(device_memory, who_says_stop_at_any_look_is_obeyed) {
    on_all(stop_at_each_look, 2);
}

/* A launched rank, alone, over the fake NCCL. Returns what was said of the memory; "": the run was right. */
static const char *run_rank(const rg_job *job, long array) {
    static char said[400];
    const rg_setup setup = {.n_ranks = 1, .mode = RG_LAUNCHED, .timeout_ms = 5000};
    rg_group *group = NULL;
    rg_result result = {.completed = true};
    rs_error error = {.text = ""};
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    n_arrays_until_failure = array;
    rs_status status = rg_group_open(RG_NCCL, &setup, NULL, &error, &group);
    if (status == RS_OK) status = rg_group_run(group, job, &arena, &error, &result);
    n_arrays_until_failure = NEVER;
    cr_expect(status == RS_OK || status == RS_NO_MEMORY, "array %ld: %d", array, status);
    if (status == RS_OK && result.completed) {
        cr_expect(result.n_wrong == 0 && result.n_spoilt == 0 && result.oracle_outside == 0);
    }
    snprintf(said, sizeof said, "%.*s", (int)sizeof said - 1,
             result.completed ? error.text : result.failure);
    rg_group_close(group);
    rs_arena_free(&arena);
    return said;
}

Test(device_memory, a_rank_of_nccl_tells_it_too) {
    const char *build = getenv("BUILD");
    char library[4200];
    snprintf(library, sizeof library, "%s/device/libnccl.so.2", build != NULL ? build : "build");
    setenv("RINGSIM_NCCL", library, 1);
    setenv("RANK", "0", 1);
    setenv("WORLD_SIZE", "1", 1);
    cuda_machine("");
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 1, COUNT);
    rg_job job = cuda_job(&s, RS_F32, RS_AVG, COUNT);
    job.trace = job.oracle = job.check_every = true;
    job.times = 2;
    call_places places = {0};
    noted_arrays = &places;
    cr_assert_str_eq(run_rank(&job, NEVER), "");
    noted_arrays = NULL;
    cr_assert_gt(places.n, 10);
    for (int i = 0; i < places.n; i++) {
        const char *said = run_rank(&job, places.first[i]);
        cr_expect(strstr(said, "no memory") != NULL, "array %ld: '%s'", places.first[i], said);
    }
}
