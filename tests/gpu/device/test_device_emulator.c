/* test_device_emulator.c: the emulated device complains where a real one would break, and keeps no order
 * that CUDA's own documentation does not promise. That it does what our code needs, the suites of our code
 * show. Its kernels are C functions here, as shim.h makes them of kernels.cu.
 */
#include "emulator.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK(call) cr_assert_eq((call), cudaSuccess, #call ": %s", emu_last_words())
#define IS(call, error) cr_assert_eq((call), (error), #call)

/* ------------------------------------------------------------------ kernels */

typedef struct numbers {
    uint64_t *at;
    uint64_t n, value;
    const uint64_t *flag;
} numbers;

/* The thread's number in the whole grid. */
static uint64_t me(void) {
    return (uint64_t)emu_now.block.x * emu_now.block_dim.x + emu_now.thread.x;
}
static void add(numbers a) {
    const uint64_t step = (uint64_t)emu_now.grid_dim.x * emu_now.block_dim.x;
    for (uint64_t i = me(); i < a.n; i += step) a.at[i] += a.value;
}
/* Each thread writes down when its turn came. */
static void turns(numbers a) {
    a.at[1 + me()] = a.at[0]++;
}
/* Each thread leaves a number; behind the barrier each takes its neighbour's. */
static void neighbours(numbers a) {
    const unsigned int t = emu_now.thread.x, n = emu_now.block_dim.x;
    uint64_t *row = a.at + (size_t)emu_now.block.x * n;
    row[t] = t;
    emu_barrier(__FILE__, __LINE__);
    const uint64_t theirs = row[(t + 1) % n];
    emu_barrier(__FILE__, __LINE__);
    row[t] = theirs;
}
static void half_a_barrier(numbers a) {
    if (emu_now.thread.x < a.n) emu_barrier(__FILE__, __LINE__);
}
static void two_barriers(numbers a) {
    if (emu_now.thread.x < a.n) {
        emu_barrier(__FILE__, __LINE__);
    } else {
        emu_barrier(__FILE__, __LINE__);
    }
}
/* Waits until the flag is as many as it wants, then says so itself. */
static void wait_and_tell(numbers a) {
    while (*(const volatile uint64_t *)a.flag != a.value) emu_pause();
    if (a.at != NULL) *a.at = a.value + 1;
}
/* Block b waits for block b + 1: only together can they end. */
static void chain(numbers a) {
    const uint64_t b = emu_now.block.x, n = emu_now.grid_dim.x;
    while (b + 1 < n && *(volatile uint64_t *)&a.at[b + 1] == 0) emu_pause();
    a.at[b] = 1;
}

/* Neighbours' numbers by way of shared memory. `value` leaves out: 1 the barrier between writing and reading,
   2 the one before the next round; 4 also reads what nobody wrote; 8 reads beyond the array. */
static void share(numbers a) {
    const unsigned int t = emu_now.thread.x, n = emu_now.block_dim.x;
    uint64_t *room = emu_shared((n + 1) * sizeof *room);
    uint64_t *row = a.at + (size_t)emu_now.block.x * n;
    for (int round = 0; round < 3; round++) {
        const unsigned int from = (t + 1) % n + (a.value == 4 ? 1 : a.value == 8 ? 2 * n : 0);
        emu_shared_access(&room[t], sizeof *room, true);
        room[t] = me() + (uint64_t)round;
        if ((a.value & 1) == 0) emu_barrier(__FILE__, __LINE__);
        emu_shared_access(&room[from], sizeof *room, false);
        row[t] = room[from];
        if ((a.value & 2) == 0) emu_barrier(__FILE__, __LINE__);
    }
}

#define CALLER(kernel)                                                                             \
    static void call_##kernel(const void *address, const void *argument) {                         \
        numbers copy;                                                                              \
        (void)address;                                                                             \
        memcpy(&copy, argument, sizeof copy);                                                      \
        kernel(copy);                                                                              \
    }
#define KERNEL(kernel) emu_kernel((const void *)(uintptr_t)kernel, call_##kernel, sizeof(numbers))
CALLER(add)
CALLER(turns)
CALLER(neighbours)
CALLER(half_a_barrier)
CALLER(two_barriers)
CALLER(wait_and_tell)
CALLER(chain)
CALLER(share)

/* ------------------------------------------------------------------ helps */

static cudaError_t launch(const void *kernel, unsigned int blocks, unsigned int threads, numbers a,
                          cudaStream_t stream) {
    void *arguments[] = {&a};
    return cudaLaunchKernel(kernel, (dim3){blocks, 1, 1}, (dim3){threads, 1, 1}, arguments, 0,
                            stream);
}
static cudaError_t launch_together(const void *kernel, unsigned int blocks, unsigned int threads,
                                   numbers a, cudaStream_t stream) {
    void *arguments[] = {&a};
    return cudaLaunchCooperativeKernel(kernel, (dim3){blocks, 1, 1}, (dim3){threads, 1, 1},
                                       arguments, 0, stream);
}
static cudaStream_t stream(void) {
    cudaStream_t made = NULL;
    OK(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
    return made;
}
static cudaEvent_t event(void) {
    cudaEvent_t made = NULL;
    OK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
    return made;
}
static void *zeros(size_t n) {
    void *made = NULL;
    OK(cudaMalloc(&made, n));
    OK(cudaMemsetAsync(made, 0, n, NULL));
    OK(cudaStreamSynchronize(NULL));
    return made;
}
static uint64_t number(const void *device, size_t i) {
    uint64_t value;
    OK(cudaMemcpy(&value, (const uint64_t *)device + i, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

/* ------------------------------------------------------------------ shared memory */

Test(device_emulator, keeps_each_blocks_shared_memory_apart) {
    enum { N = 96, BLOCKS = 5 };
    for (int seed = 0; seed < 10; seed++) {
        char text[8];
        snprintf(text, sizeof text, "%d", seed);
        setenv("EMU_SEED", text, 1);
        emu_reset();
        numbers a = {.at = zeros(N * BLOCKS * sizeof(uint64_t))};
        OK(launch(KERNEL(share), BLOCKS, N, a, NULL));
        OK(cudaDeviceSynchronize());
        for (uint64_t i = 0; i < N * BLOCKS; i++) {
            cr_assert_eq(number(a.at, i), i / N * N + (i + 1) % N + 2, "seed %d", seed);
        }
    }
}

/* Also without a seed, where threads in their order would read what they should. */
Test(device_emulator, sees_what_threads_share_without_a_barrier) {
    static const char *const words[] = {[1] = "shared memory is read",
                                        [2] = "no barrier after",
                                        [3] = "shared memory is ",
                                        [4] = "nobody has written",
                                        [8] = "beside the block's shared memory"};
    for (int seed = 0; seed < 10; seed++) {
        for (unsigned int value = 1; value <= 8; value++) {
            if (words[value] == NULL) continue;
            char text[8];
            snprintf(text, sizeof text, "%d", seed);
            setenv("EMU_SEED", text, 1);
            emu_reset();
            numbers a = {.at = zeros(64 * sizeof(uint64_t)), .value = value};
            OK(launch(KERNEL(share), 1, 64, a, NULL));
            IS(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
            cr_expect(strstr(emu_last_words(), words[value]) != NULL, "%u: %s", value,
                      emu_last_words());
        }
    }
}

/* ------------------------------------------------------------------ memory */

Test(device_emulator, copies_only_between_what_the_direction_names) {
    char here[64] = "hello", there[64] = "";
    void *memory = zeros(64), *pinned = NULL;
    OK(cudaHostAlloc(&pinned, 64, cudaHostAllocMapped));
    OK(cudaMemcpy(memory, here, 64, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(there, memory, 64, cudaMemcpyDeviceToHost));
    cr_assert_str_eq(there, "hello");
    OK(cudaMemcpy(pinned, memory, 64, cudaMemcpyDefault));
    cr_assert_str_eq(pinned, "hello");
    IS(cudaMemcpy(memory, here, 64, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    IS(cudaMemcpy(memory, here, 64, cudaMemcpyHostToHost), cudaErrorInvalidValue);
    IS(cudaMemcpy(memory, here, 65, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    IS(cudaMemcpy(there, (char *)memory + 32, 64, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
}

#ifndef SANITIZED /* the sanitizer ends them, too, but with a report that counts as a failure */
static void beyond(numbers a) {
    a.at[a.n] = 1;
}
CALLER(beyond)

Test(device_emulator, ends_a_host_that_reads_its_memory, .signal = SIGSEGV) {
    volatile uint64_t *memory = zeros(64);
    cr_assert_eq(*memory, 0);
}

Test(device_emulator, ends_a_process_whose_kernel_wrote_beside_its_memory, .signal = SIGABRT) {
    void *memory = zeros(64);
    OK(launch(KERNEL(beyond), 1, 1, (numbers){.at = memory, .n = 9}, NULL));
    cudaFree(memory);
}
#endif

Test(device_emulator, takes_no_pointer_to_the_hosts_memory) {
    uint64_t *mine = calloc(4, sizeof *mine);
    OK(launch(KERNEL(add), 1, 1, (numbers){.at = mine, .n = 1, .value = 1}, NULL));
    IS(cudaStreamSynchronize(NULL), cudaErrorIllegalAddress);
    cr_assert(strstr(emu_last_words(), "memory of the host") != NULL);
    IS(cudaStreamSynchronize(NULL), cudaErrorIllegalAddress); /* for good */
    free(mine);
}

Test(device_emulator, reaches_a_peers_memory_only_once_it_may) {
    setenv("EMU_DEVICES", "2", 1);
    OK(cudaSetDevice(1));
    void *theirs = zeros(64);
    OK(cudaSetDevice(0));
#ifndef SANITIZED
    OK(launch(KERNEL(add), 1, 1, (numbers){.at = theirs, .n = 1, .value = 5}, NULL));
    IS(cudaStreamSynchronize(NULL), cudaErrorIllegalAddress);
    emu_reset();
    OK(cudaSetDevice(1));
    theirs = zeros(64);
    OK(cudaSetDevice(0));
#endif
    OK(cudaDeviceEnablePeerAccess(1, 0));
    IS(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
    OK(launch(KERNEL(add), 1, 1, (numbers){.at = theirs, .n = 1, .value = 5}, NULL));
    OK(cudaStreamSynchronize(NULL));
    cr_assert_eq(number(theirs, 0), 5);
}

/* ------------------------------------------------------------------ streams and events */

Test(device_emulator, does_nothing_before_somebody_waits) {
    void *memory = zeros(8);
    cudaStream_t s = stream();
    uint64_t *pinned = NULL;
    OK(cudaHostAlloc((void **)&pinned, 8, cudaHostAllocMapped));
    *pinned = 0;
    OK(launch(KERNEL(add), 1, 1, (numbers){.at = memory, .n = 1, .value = 7}, s));
    OK(cudaMemcpyAsync(pinned, memory, 8, cudaMemcpyDeviceToHost, s));
    cr_assert_eq(*pinned, 0);
    cr_assert_eq(number(memory, 0), 0, "cudaMemcpy does not wait for such a stream");
    OK(cudaStreamSynchronize(s));
    cr_assert_eq(*pinned, 7);
    OK(cudaStreamQuery(s));
}

/* In how many of so many seeds the second stream's kernel comes before the first's. */
static int overtakings(bool with_event) {
    int n = 0;
    for (int seed = 1; seed <= 20; seed++) {
        char text[8];
        snprintf(text, sizeof text, "%d", seed);
        setenv("EMU_SEED", text, 1);
        emu_reset();
        uint64_t *memory = zeros(24);
        cudaStream_t a = stream(), b = stream();
        cudaEvent_t e = event();
        OK(launch(KERNEL(turns), 1, 1, (numbers){.at = memory}, a));
        OK(cudaEventRecord(e, a));
        if (with_event) OK(cudaStreamWaitEvent(b, e, 0));
        OK(launch(KERNEL(add), 1, 1, (numbers){.at = memory + 1, .n = 1, .value = 100}, b));
        OK(launch(KERNEL(add), 1, 1, (numbers){.at = memory, .n = 1, .value = 1}, b));
        OK(cudaDeviceSynchronize());
        n += number(memory, 1) != 100; /* turns overwrites what add has added before */
    }
    return n;
}

Test(device_emulator, lets_streams_overtake_each_other_unless_an_event_holds_them) {
    const int without = overtakings(false);
    cr_assert(without < 20 && without > 0, "%d of 20", without);
    cr_assert_eq(overtakings(true), 0);
}

Test(device_emulator, says_not_ready_while_a_kernel_waits_for_the_host) {
    setenv("EMU_HANG_MS", "1", 1);
    cudaStream_t s = stream();
    IS(cudaStreamQuery((cudaStream_t)(void *)&s), cudaErrorInvalidResourceHandle);
    uint64_t *pinned = NULL;
    OK(cudaHostAlloc((void **)&pinned, 8, cudaHostAllocMapped));
    *pinned = 0;
    OK(launch(KERNEL(wait_and_tell), 1, 1, (numbers){.flag = pinned, .value = 1}, s));
    for (int i = 0; i < 1000; i++) IS(cudaStreamQuery(s), cudaErrorNotReady);
    *pinned = 1;
    OK(cudaStreamSynchronize(s));
}

/* ------------------------------------------------------------------ kernels */

Test(device_emulator, runs_every_thread_of_every_block_once) {
    for (int seed = 0; seed < 5; seed++) {
        char text[8];
        snprintf(text, sizeof text, "%d", seed);
        setenv("EMU_SEED", text, 1);
        emu_reset();
        enum { N = 100 * 64 };
        uint64_t *memory = zeros((1 + N) * 8), sum = 0;
        OK(launch(KERNEL(turns), 100, 64, (numbers){.at = memory}, NULL));
        OK(cudaDeviceSynchronize());
        bool in_order = true;
        for (uint64_t i = 0; i < N; i++) {
            sum += number(memory, 1 + i);
            in_order &= number(memory, 1 + i) == i;
        }
        cr_assert_eq(number(memory, 0), N);
        cr_assert_eq(sum, (uint64_t)N * (N - 1) / 2);
        cr_assert_eq(in_order, seed == 0, "a seed shuffles threads and blocks");
    }
}

Test(device_emulator, holds_all_threads_of_a_block_at_a_barrier) {
    setenv("EMU_SEED", "3", 1);
    uint64_t *memory = zeros(8 * 40 * 256);
    OK(launch(KERNEL(neighbours), 40, 256, (numbers){.at = memory}, NULL));
    OK(cudaDeviceSynchronize());
    for (uint64_t i = 0; i < 40 * 256; i++) cr_assert_eq(number(memory, i), (i + 1) % 256);
}

Test(device_emulator, reports_a_barrier_that_not_all_threads_meet) {
    OK(launch(KERNEL(half_a_barrier), 2, 64, (numbers){.n = 63}, NULL));
    IS(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    cr_assert(strstr(emu_last_words(), "met by 63 of 64") != NULL, "%s", emu_last_words());
}

Test(device_emulator, reports_threads_that_wait_at_different_barriers) {
    OK(launch(KERNEL(two_barriers), 2, 64, (numbers){.n = 63}, NULL));
    IS(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    cr_assert(strstr(emu_last_words(), "wait at the barriers of lines") != NULL);
}

Test(device_emulator, launches_together_only_what_fits) {
    setenv("EMU_SMS", "3", 1);
    setenv("EMU_BLOCKS", "2", 1);
    int n = 0;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, KERNEL(chain), 32, 0));
    cr_assert_eq(n, 2);
    uint64_t *memory = zeros(8 * 8);
    IS(launch_together(KERNEL(chain), 7, 32, (numbers){.at = memory}, NULL),
       cudaErrorCooperativeLaunchTooLarge);
    OK(launch_together(KERNEL(chain), 6, 32, (numbers){.at = memory}, NULL));
    OK(cudaDeviceSynchronize());
    cr_assert_eq(number(memory, 0), 1);
}

Test(device_emulator, calls_a_wait_that_never_ends_a_hang) {
    setenv("EMU_SMS", "3", 1);
    setenv("EMU_HANG_MS", "50", 1);
    uint64_t *memory = zeros(8 * 8);
    OK(launch(KERNEL(chain), 7, 32, (numbers){.at = memory},
              NULL)); /* six fit: they wait for the last */
    IS(cudaDeviceSynchronize(), cudaErrorLaunchTimeout);
    cr_assert(strstr(emu_last_words(), "a hang") != NULL);
}

Test(device_emulator, runs_kernels_of_two_devices_side_by_side) {
    setenv("EMU_DEVICES", "2", 1);
    uint64_t *memory = zeros(8 * 4);
    cudaStream_t here = stream();
    OK(launch(KERNEL(wait_and_tell), 1, 1, (numbers){.at = memory, .flag = memory + 1, .value = 4},
              here));
    OK(cudaSetDevice(1));
    OK(cudaDeviceEnablePeerAccess(0, 0));
    cudaStream_t there = stream();
    IS(launch(KERNEL(add), 1, 1, (numbers){.at = memory}, here), cudaErrorInvalidResourceHandle);
    OK(launch(KERNEL(add), 1, 4, (numbers){.at = memory + 1, .n = 1, .value = 4}, there));
    OK(cudaStreamSynchronize(here));
    cr_assert_eq(number(memory, 0), 5);
}

Test(device_emulator, knows_only_kernels_that_were_shown_to_it) {
    numbers a = {0};
    IS(launch((const void *)(uintptr_t)add, 1, 1, a, NULL), cudaErrorInvalidDeviceFunction);
    IS(launch(KERNEL(add), 0, 1, a, NULL), cudaErrorInvalidConfiguration);
    IS(launch(KERNEL(add), 1, 1025, a, NULL), cudaErrorInvalidConfiguration);
}

/* ------------------------------------------------------------------ graphs */

/* Captures: a adds 1, b, forked off it, adds 2 to another number; joined, a adds both up. */
static cudaError_t fork_and_join(uint64_t *memory, bool join, cudaGraph_t *graph) {
    cudaStream_t a = stream(), b = stream();
    cudaEvent_t forked = event(), joined = event();
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    OK(launch(KERNEL(add), 1, 1, (numbers){.at = memory, .n = 1, .value = 1}, a));
    OK(cudaEventRecord(forked, a));
    OK(cudaStreamWaitEvent(b, forked, 0));
    OK(launch(KERNEL(add), 1, 1, (numbers){.at = memory + 1, .n = 1, .value = 2}, b));
    OK(cudaEventRecord(joined, b));
    if (join) OK(cudaStreamWaitEvent(a, joined, 0));
    OK(cudaMemcpyAsync(memory + 2, memory, 16, cudaMemcpyDeviceToDevice, a));
    const cudaError_t error = cudaStreamEndCapture(a, graph);
    OK(cudaEventDestroy(forked));
    OK(cudaEventDestroy(joined));
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
    return error;
}

Test(device_emulator, takes_no_graph_whose_streams_have_not_come_back) {
    cudaGraph_t graph = NULL;
    IS(fork_and_join(zeros(32), false, &graph), cudaErrorStreamCaptureUnjoined);
    cr_assert_null(graph);
}

Test(device_emulator, forbids_in_a_capture_what_cuda_forbids) {
    cudaStream_t s = stream();
    cudaGraph_t graph = NULL;
    void *memory = NULL;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    IS(cudaMalloc(&memory, 8), cudaErrorStreamCaptureUnsupported);
    IS(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    IS(cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
    IS(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaMalloc(&memory, 8));
    OK(cudaStreamEndCapture(s, &graph));
    OK(cudaGraphDestroy(graph));
    IS(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureUnmatched);
}

/* ------------------------------------------------------------------ faults that it must find */

/* Block 0 fills a row and says so, block 1 then adds it up. */
static void tell(numbers a, bool with_barrier) {
    const uint64_t t = emu_now.thread.x, n = emu_now.block_dim.x;
    if (emu_now.block.x == 0) {
        a.at[2 + t] = 1;
        if (with_barrier) emu_barrier(__FILE__, __LINE__);
        if (t == 0) a.at[0] = 1;
    } else if (t == 0) {
        while (*(volatile uint64_t *)&a.at[0] == 0) emu_pause();
        for (uint64_t i = 0; i < n; i++) a.at[1] += a.at[2 + i];
    }
}
static void say_late(numbers a) {
    tell(a, true);
}
static void say_early(numbers a) {
    tell(a, false);
}
CALLER(say_late)
CALLER(say_early)

/* In how many of 20 seeds block 1 sees the whole row. */
static int whole_rows(const void *kernel) {
    int n = 0;
    for (int seed = 1; seed <= 20; seed++) {
        char text[8];
        snprintf(text, sizeof text, "%d", seed);
        setenv("EMU_SEED", text, 1);
        emu_reset();
        uint64_t *memory = zeros(8 * 66);
        OK(launch(kernel, 2, 64, (numbers){.at = memory}, NULL));
        OK(cudaDeviceSynchronize());
        n += number(memory, 1) == 64;
    }
    return n;
}

Test(device_emulator, shows_that_a_block_speaks_before_all_its_threads_are_done) {
    const int late = whole_rows(KERNEL(say_late)), early = whole_rows(KERNEL(say_early));
    cr_assert(late == 20 && early < 18, "%d and %d of 20", late, early);
}
