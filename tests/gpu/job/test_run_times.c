/* test_run_times.c: what the reference's time is: of a run the sum over the windows, of the runs the middle one; a warm-up counts
 * for nothing, nor does what lies between two runs.
 *
 * The clock below is ours: it goes on by a random step at each look, and keeps what it said.
 */
#include <criterion/criterion.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

#include "job/backend.h"
#include "support/backend_fixture.h"
#include "support/naive_apply.h"

enum { MOST_LOOKS = 2000 };
static bool ours;
static uint64_t state;
static int64_t now_ns, looks_ns[MOST_LOOKS];
static int n_looks;

int clock_gettime(clockid_t clock, struct timespec *out) {
    int (*system)(clockid_t, struct timespec *);
    *(void **)&system = dlsym(RTLD_NEXT, "clock_gettime");
    if (!ours) return system(clock, out);
    now_ns += 1 + (int64_t)random_below(&state, 1000000000);
    cr_assert_lt(n_looks, MOST_LOOKS);
    looks_ns[n_looks++] = now_ns;
    *out = (struct timespec){.tv_sec = now_ns / 1000000000, .tv_nsec = now_ns % 1000000000};
    return 0;
}

static int by_size(const void *left, const void *right) {
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* Two looks a run and window, one of a warm-up, the runs of a window one after the other. */
static int64_t expected_ps(const rg_job *job, int n_windows) {
    int64_t times[16] = {0};
    const int64_t *look = looks_ns;
    cr_assert_eq(n_looks, (job->warmup + 2 * job->times) * n_windows, "%d looks", n_looks);
    for (int w = 0; w < n_windows; w++) {
        look += job->warmup;
        for (int i = 0; i < job->times; i++, look += 2) times[i] += look[1] - look[0];
    }
    qsort(times, (size_t)job->times, sizeof *times, by_size);
    return 1000 * times[job->times / 2];
}

Test(run_times, are_the_middle_one_of_the_sums_over_the_windows) {
    enum { N = 3, A_WINDOW = 16 /* elements of a rank */ };
    rg_group *cpu = backend_fixture_open(RG_CPU, NULL, N);
    uint64_t draws = 1;
    for (int turn = 0; turn < 200; turn++) {
        const int n_windows = 1 + random_below(&draws, 5);
        const int64_t count = A_WINDOW * n_windows - random_below(&draws, A_WINDOW - 1);
        const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, count);
        rg_job job = backend_fixture_job(&s, RS_F32, RS_SUM, count);
        job.oracle = false;
        job.warmup = random_below(&draws, 3);
        job.times = 1 + random_below(&draws, 9);
        job.in_place = turn % 2 == 0;
        job.check_every = turn / 2 % 2 == 0;
        job.window_bytes = N * A_WINDOW * 4;
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        state = (uint64_t)turn + 1;
        n_looks = 0;
        ours = true;
        rs_error error = {.text = ""};
        rg_result result;
        const rs_status status = rg_group_run(cpu, &job, &arena, &error, &result);
        ours = false;
        cr_assert_eq(status, RS_OK, "%s", error.text);
        cr_expect_eq(result.time_ps, expected_ps(&job, n_windows), "turn %d: %lld", turn,
                     (long long)result.time_ps);
        rs_arena_free(&arena);
    }
    rg_group_close(cpu);
}
