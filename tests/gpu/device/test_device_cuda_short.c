/* test_device_cuda_short.c: the cuda backend on the EMULATED device where one thing that it asks for is not to
   be had, each in turn; and that it leaves the devices as it found them. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "gpu/device/device_cuda.h"
#include "support/naive_apply.h"

/* Whoever calls CUDA next is not told of a failure that has been told. */
static void expect_no_error(const char *name) {
    const cudaError_t error = cudaGetLastError();
    cr_expect_eq(error, cudaSuccess, "%s: error %d stays", name, (int)error);
}

static void expect_nothing_left(const char *name) {
    expect_no_error(name);
    cr_expect_eq(emu_live_allocations(), 0, "%s: memory is left", name);
    cr_expect_eq(emu_live_handles(), 0, "%s: streams, events or graphs are left", name);
    cr_expect_eq(emu_live_peers(), 0, "%s: devices still reach each other", name);
}

/* ------------------------------------------------------------------ what is asked for and not given */

/* One line that names the call and where it was made. */
static void expect_told(rs_status status, const rs_error *error, const char *call) {
    cr_expect_eq(status, RS_NO_MEMORY, "%s", error->text);
    cuda_says(error->text, call);
    cuda_says(error->text, " on GPU ");
    cuda_says(error->text, "out of memory; take smaller sizes");
    cr_expect(strchr(error->text, '\n') == NULL);
}

/* A whole job, traced and timed by the device too, whose n-th call of this name fails; then, in the same group,
   the job once more. false: it has not so many. */
static bool check_call(const char *machine, const char *call, int n, int32_t variant,
                       bool in_place) {
    enum { N = 4, COUNT = 50 };
    char name[160];
    snprintf(name, sizeof name, "%s EMU_FAIL=%s:%d=2", machine, call, n);
    cuda_machine(name);
    const rs_schedule s = make_schedule("doubling", RS_ORDER_SEED, N, COUNT); /* with rooms aside */
    rg_job job = cuda_job(&s, RS_F32, RS_AVG, COUNT);
    job.in_place = in_place;
    job.trace = job.device_clock = true;
    const rg_setup setup = {.n_ranks = N, .kernel = variant};
    rs_error error = {.text = ""};
    rg_group *group = NULL;
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_status status = rg_group_open(RG_CUDA, &setup, NULL, &error, &group);
    if (status == RS_OK) {
        rg_result result;
        status = rg_group_run(group, &job, &arena, &error, &result);
        cr_expect(status != RS_OK || (result.completed && result.n_wrong == 0), "%s: %s", name,
                  result.failure);
        if (status != RS_OK) {
            cr_expect_eq(cuda_run(group, &job, &arena).n_wrong, 0, "%s, once more", name);
        }
    }
    if (status != RS_OK) expect_told(status, &error, call);
    rg_group_close(group);
    rs_arena_free(&arena);
    expect_nothing_left(name);
    return status != RS_OK;
}

Test(device_cuda_short, of_whatever_it_asks_for_it_says_so_and_gives_the_rest_back) {
    enum { MOST = 400 };
    static const char *const machines[] = {"EMU_SEED=1", "EMU_DEVICES=2 EMU_SEED=2",
                                           "EMU_DEVICES=3 EMU_PEERS=0 EMU_SEED=3"};
    static const char *const calls[] = {"cudaMalloc", "cudaHostAlloc", "cudaStreamCreateWithFlags",
                                        "cudaEventCreateWithFlags",
                                        "cudaGraphInstantiateWithFlags"};
    for (int m = 0; m < 3; m++) {
        for (int32_t variant = 0; variant <= 5; variant++) {
            for (int c = 0; c < 5; c++) {
                int n = 0;
                while (n < MOST &&
                       check_call(machines[m], calls[c], n + 1, variant, (n + variant) % 2 == 0)) {
                    n++;
                }
                cr_expect_lt(n, MOST);
                cr_expect(n > 0 || (c == 4 && variant != 3), "%s: no %s to fail", machines[m],
                          calls[c]);
            }
        }
    }
}

/* ------------------------------------------------------------------ calls that fail */

/* A call, and the words by which its failure is told; NULL: none, the run goes on without what it asked for. */
typedef struct failure {
    const char *call, *told;
} failure;

/* Runs a whole job, traced and timed by the device too, whose n-th such call fails by an error that means nothing.
   false: it has not so many. */
static bool fail_call(const char *machine, const failure *f, int n, int32_t variant) {
    enum { N = 4, COUNT = 50 };
    char name[160];
    snprintf(name, sizeof name, "%s EMU_FAIL=%s:%d=999", machine, f->call, n);
    cuda_machine(name);
    const rs_schedule s = make_schedule("doubling", RS_ORDER_SEED, N, COUNT);
    rg_job job = cuda_job(&s, RS_F32, RS_AVG, COUNT);
    job.in_place = n % 2 == 0;
    job.trace = job.device_clock = true;
    const rg_setup setup = {.n_ranks = N, .kernel = variant};
    rs_error error = {.text = ""};
    rg_group *group = NULL;
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rg_result result = {.failure = ""};
    rs_status status = rg_group_open(RG_CUDA, &setup, NULL, &error, &group);
    expect_no_error(name);
    if (status == RS_OK) status = rg_group_run(group, &job, &arena, &error, &result);
    expect_no_error(name);
    const bool good = status == RS_OK && result.completed, came = emu_faults_came();
    rg_group_close(group);
    rs_arena_free(&arena);
    expect_nothing_left(name);
    cr_expect_eq(good, !came || f->told == NULL, "%s, kernel %d: %s%s", name, (int)variant,
                 error.text, result.failure);
    if (good) cr_expect(result.n_wrong == 0 && result.device_ps >= 0, "%s", name);
    if (!good) {
        const char *text = status != RS_OK ? error.text : result.failure;
        cr_expect(strstr(text, f->told) == text && strchr(text, '\n') == NULL, "%s: %s", name,
                  text);
        cr_expect(status == RS_OK || status == RS_UNSUPPORTED, "%s", name);
    }
    return came;
}

Test(device_cuda_short, of_its_calls_each_that_fails_is_named) {
    enum { MOST = 8 }; /* the first of a call are at all its places, then it is called in loops */
    static const char *const machines[] = {"EMU_SEED=1", "EMU_DEVICES=2 EMU_SEED=2",
                                           "EMU_DEVICES=2 EMU_PEERS=0 EMU_SEED=3"};
    static const failure calls[] = {
        {"cudaGetDeviceCount", "CUDA does not start: "},
        {"cudaGetDeviceProperties", "cudaGetDeviceProperties on GPU "},
        {"cudaSetDevice", "cudaSetDevice on GPU "},
        {"cudaDeviceCanAccessPeer", "cudaDeviceCanAccessPeer on GPU "},
        {"cudaDeviceEnablePeerAccess", NULL},
        {"cudaDriverGetVersion", NULL},
        {"cudaOccupancyMaxActiveBlocksPerMultiprocessor", "cudaOccupancyMaxActiveBlocksPer"},
        {"cudaMemGetInfo", "cudaMemGetInfo on GPU "},
        {"cudaHostGetDevicePointer", "cudaHostGetDevicePointer on GPU "},
        {"cudaMemcpy", "cudaMemcpy on GPU "},
        {"cudaMemcpyAsync", "cudaMemcpyAsync on GPU "},
        {"cudaMemsetAsync", "cudaMemsetAsync on GPU "},
        {"cudaStreamSynchronize", "cudaStreamSynchronize on GPU "},
        {"cudaStreamQuery", "the run on GPU "},
        {"cudaEventRecord", "cudaEventRecord on GPU "},
        {"cudaStreamWaitEvent", "cudaStreamWaitEvent on GPU "},
        {"cudaEventElapsedTime", "cudaEventElapsedTime on GPU "},
        {"cudaStreamBeginCapture", "cudaStreamBeginCapture on GPU "},
        {"cudaStreamEndCapture", "cudaStreamEndCapture on GPU "},
        {"cudaGraphLaunch", "cudaGraphLaunch on GPU "},
        {"cudaLaunchKernel", "cudaLaunchKernel on GPU "},
        {"cudaLaunchCooperativeKernel", "cudaLaunchCooperativeKernel on GPU "},
    };
    for (size_t c = 0; c < sizeof calls / sizeof calls[0]; c++) {
        for (int m = 0; m < 3; m++) {
            for (int32_t variant = m; variant <= 5; variant += 2) {
                int n = 1;
                while (n <= MOST && fail_call(machines[m], &calls[c], n, variant)) n++;
            }
        }
    }
}

/* How old a GPU is need not be known; what else is asked of it must be. */
Test(device_cuda_short, of_each_question_about_a_gpu_a_failure_is_named_or_not_seen) {
    int n_named = 0, n_unseen = 0;
    for (int n = 1; n <= 20; n++) {
        char name[80];
        snprintf(name, sizeof name, "EMU_DEVICES=2 EMU_FAIL=cudaDeviceGetAttribute:%d=999", n);
        cuda_machine(name);
        const rg_setup setup = {.n_ranks = 4};
        rs_error error = {.text = ""};
        rg_group *group = NULL;
        const rs_status status = rg_available(RG_CUDA, &setup, &error)
                                     ? rg_group_open(RG_CUDA, &setup, NULL, &error, &group)
                                     : RS_UNSUPPORTED;
        expect_no_error(name);
        if (!emu_faults_came()) n = 20;
        n_named += status != RS_OK;
        n_unseen += status == RS_OK && emu_faults_came();
        if (status != RS_OK) cuda_says(error.text, "cudaDeviceGetAttribute on GPU ");
        rg_group_close(group);
        expect_nothing_left(name);
    }
    cr_expect(n_named >= 4 && n_unseen >= 2, "%d named, %d not seen", n_named, n_unseen);
}

/* Nobody waits for an answer of these: the run is right, and the next one too. */
Test(device_cuda_short, of_giving_back_a_failure_is_not_seen) {
    static const char *const calls[] = {"cudaFree", "cudaFreeHost", "cudaGraphExecDestroy",
                                        "cudaEventDestroy"};
    for (int k = 0; k < 4 * 6; k++) {
        char name[80];
        snprintf(name, sizeof name, "EMU_SEED=1 EMU_FAIL=%s:1=999", calls[k / 6]);
        cuda_machine(name);
        const rs_schedule s = make_schedule("doubling", RS_ORDER_SEED, 4, 50);
        rg_job job = cuda_job(&s, RS_F32, RS_SUM, 50);
        rg_group *group = cuda_open(RG_CUDA, 4, k % 6);
        job.trace = job.device_clock = true;
        for (int again = 0; again < 2; again++) {
            cuda_right(group, &job);
            expect_no_error(name);
        }
        rg_group_close(group);
        expect_no_error(name);
    }
}

/* ------------------------------------------------------------------ what a failure ends */

typedef enum ending { GOOD, JOB, GROUP } ending; /* what it ends */

/* Runs a job whose n-th such call fails by an error that means nothing, then the job once more: it runs, or the group says
   that it can only be closed. */
static ending ending_of(const char *machine, const char *call, int n, int32_t variant,
                        bool in_place) {
    enum { N = 4, COUNT = 50 };
    char name[160];
    snprintf(name, sizeof name, "%s EMU_FAIL=%s:%d=999", machine, call, n);
    cuda_machine(name);
    const rs_schedule s = make_schedule("doubling", RS_ORDER_SEED, N, COUNT);
    rg_job job = cuda_job(&s, RS_F32, RS_SUM, COUNT);
    rg_group *group = cuda_open(RG_CUDA, N, variant);
    rs_error error = {.text = ""};
    rg_result result;
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    job.in_place = in_place;
    rs_status status = rg_group_run(group, &job, &arena, &error, &result);
    ending ended = !emu_faults_came() ? GOOD : status == RS_OK ? GROUP : JOB;
    cr_expect_eq(status == RS_OK && result.completed, ended == GOOD, "%s", name);
    if (ended != GOOD) status = rg_group_run(group, &job, &arena, &error, &result);
    if (ended == GROUP) {
        cr_expect_eq(status, RS_UNSUPPORTED, "%s", name);
        cuda_says(error.text, "this group can only be closed");
    } else {
        cr_expect(status == RS_OK && result.completed && result.n_wrong == 0, "%s: %s", name,
                  error.text);
    }
    rg_group_close(group);
    rs_arena_free(&arena);
    expect_nothing_left(name);
    return ended;
}

/* From the first byte that a run writes until the GPUs are idle again; all else is the trouble of its job alone. A job has two
   runs, and each begins with a copy into every rank's array in place, else with a fill. */
Test(device_cuda_short, of_a_run_under_way_a_failure_ends_the_group) {
    enum { MOST = 200, COPIES = 2 * 4 };
    static const struct {
        const char *call;
        int n_last[2]; /* so many of the last calls end the group; in place */
    } calls[] = {{"cudaMemcpyAsync", {0, COPIES}}, {"cudaMemsetAsync", {COPIES, 0}},
                 {"cudaMemcpy", {0, 0}},           {"cudaHostGetDevicePointer", {0, 0}},
                 {"cudaMemGetInfo", {0, 0}},       {"cudaLaunchKernel", {MOST, MOST}},
                 {"cudaStreamQuery", {MOST, MOST}}};
    static const char *const machines[] = {"EMU_SEED=1", "EMU_DEVICES=2 EMU_PEERS=0 EMU_SEED=2"};
    for (int k = 0; k < 4 * 7; k++) {
        const char *call = calls[k / 4].call, *machine = machines[k / 2 % 2];
        const bool in_place = k % 2 == 1;
        const int n_last = calls[k / 4].n_last[in_place], most = n_last == MOST ? 6 : MOST;
        ending seen[MOST];
        int n = 0;
        while (n < most && (seen[n] = ending_of(machine, call, n + 1, 2, in_place)) != GOOD) n++;
        cr_expect(n > 0 && n < MOST, "%s", call);
        for (int i = 0; i < n; i++) {
            cr_expect_eq(seen[i], i + n_last >= n ? GROUP : JOB, "%s, %s: %d of %d", machine, call,
                         i + 1, n);
        }
    }
}

/* ------------------------------------------------------------------ who reaches whom */

Test(device_cuda_short, of_no_use_any_more_peers_are_parted) {
    for (int devices = 1; devices <= 4; devices++) {
        char machine[32];
        snprintf(machine, sizeof machine, "EMU_DEVICES=%d", devices);
        cuda_machine(machine);
        for (int again = 0; again < 2; again++) {
            rg_group *group = cuda_open(RG_CUDA, 8, 0);
            cr_expect_eq(emu_live_peers(), (size_t)(devices * (devices - 1)));
            rg_group_close(group);
            expect_nothing_left(machine);
        }
    }
}

/* What somebody else has switched on stays on; so it does for a group that was opened before. */
Test(device_cuda_short, of_a_right_to_part_them_peers_of_others_stay) {
    cuda_machine("EMU_DEVICES=3");
    cr_assert_eq(cudaSetDevice(2), cudaSuccess);
    cr_assert_eq(cudaDeviceEnablePeerAccess(0, 0), cudaSuccess);
    rg_group_close(cuda_open(RG_CUDA, 3, 0));
    cr_expect_eq(emu_live_peers(), 1);
    cr_assert_eq(cudaSetDevice(2), cudaSuccess);
    cr_expect_eq(cudaDeviceDisablePeerAccess(0), cudaSuccess);
    cr_expect_eq(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
    cr_expect_eq(cudaDeviceDisablePeerAccess(7), cudaErrorInvalidDevice);
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 3, 30);
    const rg_job job = cuda_job(&s, RS_F32, RS_SUM, 30);
    rg_group *first = cuda_open(RG_CUDA, 3, 4), *second = cuda_open(RG_CUDA, 3, 4);
    cuda_right(second, &job);
    rg_group_close(second);
    cuda_right(first, &job);
    rg_group_close(first);
    expect_nothing_left("two groups");
}
